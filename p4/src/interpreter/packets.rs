//! The packet that comes in, and what is read of it (§13.8).

use super::bits;
use super::calls::Passed;
use super::data::Data;
use super::{Machine, Run};
use crate::source::Span;
use crate::types::{RecordKind, Type};

/// A packet with the place up to which it was read.
#[derive(Clone, Debug, Default)]
pub(super) struct PacketIn {
    bytes: Vec<u8>,
    /// In bits.
    at: usize,
}

impl PacketIn {
    pub fn of(bytes: &[u8]) -> PacketIn {
        PacketIn {
            bytes: bytes.to_vec(),
            at: 0,
        }
    }

    /// What was not read, from the byte on in which that begins.
    pub fn rest(&self) -> &[u8] {
        &self.bytes[(self.at.div_ceil(8)).min(self.bytes.len())..]
    }

    /// Less bytes than these were read.
    pub fn is_before(&self, depth: u32) -> bool {
        self.at < depth as usize * 8
    }

    pub fn rewind(&mut self) {
        self.at = 0;
    }

    fn left(&self) -> usize {
        self.bytes.len() * 8 - self.at
    }
}

/// A control reads a packet, and has no state to reject it with.
pub const ONLY_PARSERS: &str = "only parsers read packets, and this stands in a control";

impl Machine<'_> {
    pub(super) fn packet_in(
        &mut self,
        method: &str,
        passed: Passed,
        gives: &Type,
        span: Span,
    ) -> Run<Data> {
        if method != "length" && !self.design.is_parser(self.program, self.this) {
            return self.refuse(span, ONLY_PARSERS);
        }
        match (method, passed.values.len()) {
            ("extract", 1 | 2) => self.extract(passed, span),
            ("lookahead", 0) => {
                let width = self.program.types.bits(gives).unwrap_or(0) as usize;
                if width > self.packet.left() {
                    return self.reject("PacketTooShort");
                }
                let mut at = self.packet.at;
                let types = &self.program.types;
                Ok(bits::read(types, &self.packet.bytes, &mut at, gives, 0))
            }
            ("advance", 1) => {
                let by = usize::try_from(passed.values[0].to_number()).unwrap_or(usize::MAX);
                if by > self.packet.left() {
                    return self.reject("PacketTooShort");
                }
                self.packet.at += by;
                Ok(Data::Void)
            }
            ("length", 0) => Ok(Data::number(self.packet.bytes.len())),
            _ => self.refuse(span, format!("packets have no `{method}`")),
        }
    }

    /// §13.8.1, §13.8.2.
    fn extract(&mut self, passed: Passed, span: Span) -> Run<Data> {
        let types = &self.program.types;
        let of = &passed.types[0];
        if !types.is_record(of, RecordKind::Header) {
            let message = format!("{} is not extracted, only headers are", types.text(of));
            return self.refuse(span, message);
        }
        let least = types.least_bits(of).unwrap_or(0) as usize;
        let most = types.bits(of).unwrap_or(0) as usize;
        let varbit = match passed.values.get(1) {
            Some(size) => usize::try_from(size.to_number()).unwrap_or(usize::MAX),
            None => 0,
        };
        if varbit > most - least {
            return self.reject("HeaderTooShort");
        }
        let whole = least + varbit;
        if passed.values.len() == 2 && !whole.is_multiple_of(8) {
            return self.reject("ParserInvalidArgument");
        }
        if whole > self.packet.left() {
            return self.reject("PacketTooShort");
        }
        let mut at = self.packet.at;
        let header = bits::read(types, &self.packet.bytes, &mut at, of, varbit as u32);
        self.packet.at = at;
        if let Some(place) = &passed.places[0] {
            self.write(place, header);
            self.advance_next(place);
        }
        Ok(Data::Void)
    }

    /// §16.1.
    pub(super) fn packet_out(&mut self, method: &str, passed: Passed, span: Span) -> Run<Data> {
        match (method, &passed.values[..]) {
            ("emit", [data]) => {
                let types = &self.program.types;
                self.leaving.push_data(types, data, &passed.types[0], true);
                Ok(Data::Void)
            }
            _ => self.refuse(span, format!("packets have no `{method}`")),
        }
    }

    /// What was emitted is written over what was read, as far as a packet that is cut off reaches.
    pub(super) fn write_over(&mut self) {
        let Some(length) = self.truncate.take() else {
            return;
        };
        let leaving = std::mem::take(&mut self.leaving);
        let ends = leaving.ends();
        let emitted = leaving.into_bytes();
        let read = self.packet.bytes.len() - self.packet.rest().len();
        let mut whole = match read.checked_sub(emitted.len()) {
            Some(from) => self.packet.bytes[from..].to_vec(),
            None => [&vec![0; emitted.len() - read][..], &self.packet.bytes[..]].concat(),
        };
        whole.truncate(length);
        let mut begin = 0;
        for end in ends {
            if end <= whole.len() {
                whole[begin..end].copy_from_slice(&emitted[begin..end]);
            }
            begin = end;
        }
        self.packet = PacketIn::of(&whole);
    }

    /// What was emitted, with what was not read behind it, is the packet from here on.
    pub(super) fn turn_around(&mut self) {
        let mut bytes = std::mem::take(&mut self.leaving).into_bytes();
        bytes.extend(self.packet.rest());
        if let Some(length) = self.truncate.take() {
            bytes.truncate(length);
        }
        self.packet = PacketIn::of(&bytes);
    }
}

//! What parsers read of a packet (§13.8): from where they are in it, in whole bytes.

use super::calls::Passed;
use super::flow::Slot;
use super::node::Node;
use super::{ir, Lower, Made};
use crate::interpreter::ONLY_PARSERS;
use crate::source::Span;
use crate::types::{RecordKind, Type};
use num_bigint::BigInt;

impl Lower<'_> {
    pub(super) fn packet_in(
        &mut self,
        method: &str,
        passed: Passed,
        gives: &Type,
        span: Span,
    ) -> Made<Node> {
        let reads = method != "length";
        if reads && !self.design.is_parser(self.program, self.this) {
            let help = "the package takes a parser there, which can reject packets";
            return self.refuse_with(span, ONLY_PARSERS, help);
        }
        match (method, passed.nodes.len()) {
            ("extract", 1 | 2) => self.extract(passed, span),
            ("lookahead", 0) => {
                let width = self.program.types.bits(gives).unwrap_or(0) as u32;
                let bytes = width.div_ceil(8);
                self.needs(bytes);
                let bits = self.load(bytes);
                let top = bits.map(|bits| self.slice(bits, bytes * 8 - width, width));
                Ok(self.unpacked(gives, top, &mut 0, width, None))
            }
            ("advance", 1) => self.advance(&passed),
            ("length", 0) => {
                let (end, begin) = (self.length(), self.slot(Slot::Begin));
                let length = self.op(ir::Op::Sub, &[end, begin], 16);
                Ok(Node::Bits(self.zext(length, 32)))
            }
            _ => self.refuse(span, format!("packets have no `{method}`")),
        }
    }

    pub(super) fn length(&mut self) -> ir::Value {
        self.input(ir::Input::Length, 16)
    }

    /// Rejects what has not so many bytes more.
    fn needs(&mut self, bytes: u32) {
        let cursor = self.slot(Slot::Cursor);
        let by = self.number(bytes, 16);
        let end = self.add(cursor, by);
        let is_short = self.is_behind(end);
        self.reject_if(is_short, "PacketTooShort");
    }

    /// Whether a place is behind the packet's end.
    fn is_behind(&mut self, end: ir::Value) -> ir::Value {
        let length = self.length();
        // Only one that was put together anew can begin in front of where it came in.
        let op = if self.turned {
            ir::Op::Slt
        } else {
            ir::Op::Ult
        };
        self.op(op, &[length, end], 1)
    }

    /// A place in the packet, as loads and stores have it.
    pub(super) fn offset(&mut self, place: ir::Value) -> ir::Value {
        match self.turned {
            true => self.sext(place, 64),
            false => self.zext(place, 64),
        }
    }

    /// The next bytes, the first one on top.
    fn load(&mut self, bytes: u32) -> Option<ir::Value> {
        if bytes == 0 {
            return None;
        }
        let cursor = self.slot(Slot::Cursor);
        let offset = self.offset(cursor);
        let loaded = self.effect(ir::Op::PacketLoad, &[offset], &[bytes * 8])[0];
        Some(self.swapped(loaded))
    }

    fn advance(&mut self, passed: &Passed) -> Made<Node> {
        let by = self.bits(&passed.nodes[0], 32);
        let odd = self.slice(by, 0, 3);
        let is_whole = self.is(odd, 0);
        let is_odd = self.not(is_whole);
        self.reject_if(is_odd, "ParserInvalidArgument");
        let bytes = self.slice(by, 3, 29);
        let cursor = self.slot(Slot::Cursor);
        let wide = if self.turned {
            self.sext(cursor, 31)
        } else {
            self.zext(cursor, 31)
        };
        let bytes = self.zext(bytes, 31);
        let end = self.add(wide, bytes);
        let length = self.length();
        let length = self.zext(length, 31);
        let is_short = self.op(ir::Op::Slt, &[length, end], 1);
        self.reject_if(is_short, "PacketTooShort");
        let end = self.slice(end, 0, 16);
        self.put(Slot::Cursor, end);
        self.env.forget_read();
        Ok(Node::Void)
    }

    /// §13.8.1, §13.8.2.
    fn extract(&mut self, passed: Passed, span: Span) -> Made<Node> {
        let of = passed.types[0].clone();
        let types = &self.program.types;
        if !types.is_record(&of, RecordKind::Header) {
            let message = format!("{} is not extracted, only headers are", types.text(&of));
            return self.refuse(span, message);
        }
        let least = types.least_bits(&of).unwrap_or(0) as u32;
        let most = types.bits(&of).unwrap_or(0) as u32;
        let size = passed.nodes.get(1).cloned();
        match size {
            None => {
                if !least.is_multiple_of(8) {
                    let message = format!("a header of {least} bits is no whole bytes");
                    return self.refuse(span, message);
                }
                self.needs(least / 8);
                let bits = self.load(least / 8);
                let header = self.unpacked(&of, bits, &mut 0, least, None);
                self.take(least / 8, None);
                self.give_header(&passed, header);
            }
            Some(size) => {
                let size = self.bits(&size, 32);
                self.varying(&passed, &of, size, least, most, span)?;
            }
        }
        Ok(Node::Void)
    }

    /// A header with a varbit of so many bits.
    fn varying(
        &mut self,
        passed: &Passed,
        of: &Type,
        size: ir::Value,
        least: u32,
        most: u32,
        span: Span,
    ) -> Made<()> {
        let room = self.number(most - least, 32);
        let is_over = self.op(ir::Op::Ult, &[room, size], 1);
        self.reject_if(is_over, "HeaderTooShort");
        // It is known now that it has no more bits than this, which bounds where what comes behind it can be.
        let bits = u32::BITS - (most - least).leading_zeros();
        let short = self.slice(size, 0, bits.max(3));
        let size = self.zext(short, 32);
        let size_bits = self.slice(size, 0, 3);
        let is_whole = self.is(size_bits, u64::from(least.wrapping_neg() % 8));
        let is_odd = self.not(is_whole);
        self.reject_if(is_odd, "ParserInvalidArgument");
        let short = self.slice(size, 0, 16);
        let bytes = self.varying_bytes(least, short);
        let cursor = self.slot(Slot::Cursor);
        let end = self.add(cursor, bytes);
        let is_short = self.is_behind(end);
        self.reject_if(is_short, "PacketTooShort");
        let all = most.div_ceil(8);
        let Some(bits) = self.load(all) else {
            return self.refuse(span, "a header without bits has no varbit");
        };
        let bits = self.slice(bits, all * 8 - most, most);
        let header = self.unpacked(of, Some(bits), &mut 0, most, Some((size, most - least)));
        self.put(Slot::Cursor, end);
        self.give_header(passed, header);
        Ok(())
    }

    /// Bytes of a header with so many fixed bits, and a varbit of so many (16 bits). Reading and writing ask the same way, so that it can be
    /// seen that what was read is as long as what is written in its place.
    pub(super) fn varying_bytes(&mut self, fixed: u32, size: ir::Value) -> ir::Value {
        if fixed.is_multiple_of(8) {
            let bytes = self.slice(size, 3, 13);
            let bytes = self.zext(bytes, 16);
            let fixed = self.number(fixed / 8, 16);
            return self.add(fixed, bytes);
        }
        let size = self.zext(size, 32);
        let fixed = self.number(fixed, 32);
        let total = self.add(fixed, size);
        self.slice(total, 3, 16)
    }

    fn take(&mut self, bytes: u32, by: Option<ir::Value>) {
        let cursor = self.slot(Slot::Cursor);
        let by = by.unwrap_or_else(|| self.number(bytes, 16));
        let end = self.add(cursor, by);
        self.put(Slot::Cursor, end);
    }

    fn give_header(&mut self, passed: &Passed, header: Node) {
        match passed.places[0].clone() {
            Some(place) => {
                self.was_read(&place, &header);
                self.write(&place, header);
                self.advance_next(&place);
            }
            None => self.env.forget_read(),
        }
    }

    /// A value of a type, from bits of which `at` are taken already, from the top. Behind a varbit, of which it is known how many bits it
    /// has and could have, all others come earlier than they could.
    fn unpacked(
        &mut self,
        of: &Type,
        bits: Option<ir::Value>,
        at: &mut u32,
        whole: u32,
        varbit: Option<(ir::Value, u32)>,
    ) -> Node {
        let program = self.program;
        let types = &program.types;
        match of {
            Type::New(number) => {
                let below = types.news[*number].below.clone();
                self.unpacked(&below, bits, at, whole, varbit)
            }
            Type::Varbit(_) => {
                let (Some(bits), Some((size, most))) = (bits, varbit) else {
                    return self.zero(of);
                };
                let field = self.slice(bits, whole - *at - most, most);
                *at += most;
                let room = self.number(most, 32);
                let rest = self.op(ir::Op::Sub, &[room, size], 32);
                let ones = self.number((BigInt::from(1) << most) - 1, most);
                let own = self.op(ir::Op::Shl, &[ones, rest], most);
                let data = self.op(ir::Op::And, &[field, own], most);
                Node::Varbit(self.slice(size, 0, 16), data)
            }
            Type::Tuple(parts) => {
                let parts = parts
                    .iter()
                    .map(|of| self.unpacked(of, bits, at, whole, varbit));
                Node::Parts(parts.collect())
            }
            Type::Stack(part, size) => {
                let next = self.number(0u32, 32);
                let parts = (0..*size).map(|_| self.unpacked(part, bits, at, whole, varbit));
                Node::Stack(next, parts.collect())
            }
            Type::Record(number) => {
                let record = &types.records[*number];
                let mut bits = bits;
                let mut fields = Vec::new();
                for field in &record.fields {
                    fields.push(self.unpacked(&field.of, bits, at, whole, varbit));
                    if let (Type::Varbit(_), Some(all), Some((size, most))) =
                        (&field.of, bits, varbit)
                    {
                        // What stands behind it moves to where it would end at its longest.
                        let room = self.number(most, 32);
                        let rest = self.op(ir::Op::Sub, &[room, size], 32);
                        bits = Some(self.op(ir::Op::LShr, &[all, rest], whole));
                    }
                }
                match record.kind {
                    RecordKind::Header => Node::Header(self.number(1u32, 1), fields),
                    RecordKind::Union => Node::Union(fields),
                    RecordKind::Struct => Node::Parts(fields),
                }
            }
            of => {
                let width = self.width(of);
                match (bits, width) {
                    (Some(bits), 1..) => {
                        let field = self.slice(bits, whole - *at - width, width);
                        *at += width;
                        Node::Bits(field)
                    }
                    _ => self.zero(of),
                }
            }
        }
    }
}

//! Bits one behind the other, the first one of a byte on top.

use super::data::Data;
use crate::types::{RecordKind, Type, Types};
use crate::value;
use num_bigint::{BigInt, Sign};

/// A row of bits.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bits {
    bytes: Vec<u8>,
    count: usize,
    /// Where headers end, in bits.
    ends: Vec<usize>,
}

impl Bits {
    /// So many last bits of a number.
    pub fn push(&mut self, number: &BigInt, width: u32) {
        let number = value::wrap(number.clone(), width, false);
        for at in (0..u64::from(width)).rev() {
            if self.count.is_multiple_of(8) {
                self.bytes.push(0);
            }
            if number.bit(at) {
                let last = self.bytes.len() - 1;
                self.bytes[last] |= 0x80 >> (self.count % 8);
            }
            self.count += 1;
        }
    }

    /// All that a value holds; headers that are not valid hold nothing, where they are to be left out.
    pub fn push_data(&mut self, types: &Types, data: &Data, of: &Type, leaves_out: bool) {
        match (data, of) {
            (_, Type::New(number)) => {
                self.push_data(types, data, &types.news[*number].below, leaves_out);
            }
            (_, Type::Enum(number)) => match &types.enums[*number].below {
                Some(below) => self.push_data(types, data, below, leaves_out),
                None => self.push(&data.to_number(), 32),
            },
            (Data::Varbit(width, number), _) => self.push(number, *width),
            (Data::Header(false, _), _) if leaves_out => {}
            (Data::Header(..) | Data::Struct(_) | Data::Union(_) | Data::Stack(..), of) => {
                for (at, part) in data.parts().iter().enumerate() {
                    if let Some(of) = types.part(of, at) {
                        self.push_data(types, part, of, leaves_out);
                    }
                }
                if matches!(data, Data::Header(..)) {
                    self.ends.push(self.count);
                }
            }
            (Data::Bool(_), _) => self.push(&data.to_number(), 1),
            (Data::Number(number), Type::Bit(width) | Type::Int(width)) => {
                self.push(number, *width)
            }
            (Data::Member(number), _) => self.push(&BigInt::from(*number), 32),
            _ => {}
        }
    }

    /// Where whole headers end, in bytes.
    pub fn ends(&self) -> Vec<usize> {
        self.ends.iter().map(|end| end.div_ceil(8)).collect()
    }

    /// As the bytes of a number: the first one is filled with zeros, as BMv2 hashes them.
    pub fn into_number(self) -> Vec<u8> {
        match self.count % 8 {
            0 => self.bytes,
            _ => {
                let number = number(&self.bytes, 0, self.count);
                let mut whole = Bits::default();
                whole.push(&number, self.count.div_ceil(8) as u32 * 8);
                whole.bytes
            }
        }
    }

    /// As bytes, the last one filled with zeros.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// The bits of some bytes from a place on, as a number that is not signed.
pub fn number(bytes: &[u8], from: usize, width: usize) -> BigInt {
    let end = from + width;
    let whole = &bytes[from / 8..end.div_ceil(8)];
    let whole = BigInt::from_bytes_be(Sign::Plus, whole);
    let behind = end.div_ceil(8) * 8 - end;
    value::wrap(whole >> behind, width as u32, false)
}

/// Reads a value of a type; where a varbit stands it has so many bits. The place goes behind it.
pub fn read(types: &Types, bytes: &[u8], at: &mut usize, of: &Type, varbit: u32) -> Data {
    let mut take = |width: u32| {
        let found = number(bytes, *at, width as usize);
        *at += width as usize;
        found
    };
    match of {
        Type::Bool => Data::Bool(take(1) == BigInt::from(1)),
        Type::Bit(width) => Data::Number(take(*width)),
        Type::Int(width) => Data::Number(value::wrap(take(*width), *width, true)),
        Type::Varbit(_) => Data::Varbit(varbit, take(varbit)),
        Type::New(number) => read(types, bytes, at, &types.news[*number].below, varbit),
        Type::Enum(number) => match &types.enums[*number].below {
            Some(below) => read(types, bytes, at, below, varbit),
            None => Data::Member(0),
        },
        Type::Tuple(parts) => {
            let parts = parts.iter();
            Data::Struct(parts.map(|of| read(types, bytes, at, of, varbit)).collect())
        }
        Type::Stack(of, size) => {
            let parts = (0..*size).map(|_| read(types, bytes, at, of, varbit));
            Data::Stack(0, parts.collect())
        }
        Type::Record(number) => {
            let record = &types.records[*number];
            let fields = record.fields.iter();
            let fields = fields
                .map(|field| read(types, bytes, at, &field.of, varbit))
                .collect();
            match record.kind {
                RecordKind::Header => Data::Header(true, fields),
                RecordKind::Union => Data::Union(fields),
                RecordKind::Struct => Data::Struct(fields),
            }
        }
        _ => Data::Void,
    }
}

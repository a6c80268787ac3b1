//! Values while a program runs.

use super::bits::Bits;
use crate::types::{RecordKind, Type, Types};
use crate::value::Value;
use num_bigint::BigInt;

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub enum Data {
    /// Of a `bool`.
    Bool(bool),
    /// Of a number.
    Number(BigInt),
    /// Of a `varbit`: so many bits, and what they are.
    Varbit(u32, BigInt),
    /// Of a `string`.
    Text(String),
    /// Of an enum without values, of `error` or `match_kind`.
    Member(usize),
    /// Of a struct, a tuple or a list.
    Struct(Vec<Data>),
    /// Of a header: whether it is valid, and its fields.
    Header(bool, Vec<Data>),
    /// Of a header union: its headers, of which one at most is valid.
    Union(Vec<Data>),
    /// Of a stack: where `next` is, and all of them.
    Stack(usize, Vec<Data>),
    /// An object of the design.
    Object(usize),
    /// The packet that comes in.
    PacketIn,
    /// The packet that leaves.
    PacketOut,
    /// What applying a table gives: whether an entry was found, and the action's place in its list.
    Applied(bool, Option<usize>),
    /// Nothing.
    Void,
}

impl Data {
    /// A number.
    pub fn number(of: impl Into<BigInt>) -> Data {
        Data::Number(of.into())
    }

    /// The same as what the compiler knows.
    pub fn to_value(&self) -> Value {
        match self {
            Data::Bool(value) => Value::Bool(*value),
            Data::Number(number) | Data::Varbit(_, number) => Value::Number(number.clone()),
            Data::Text(text) => Value::Text(text.clone()),
            Data::Member(number) => Value::Member(*number),
            _ => Value::Invalid,
        }
    }

    /// The number that it is; of what is none, zero.
    pub fn to_number(&self) -> BigInt {
        match self {
            Data::Number(number) | Data::Varbit(_, number) => number.clone(),
            Data::Bool(true) => BigInt::from(1),
            Data::Member(number) => BigInt::from(*number),
            _ => BigInt::from(0),
        }
    }

    /// All its bits as a number, the first byte first: fields one behind the other, what has no width of its own in 32 bits.
    pub fn packed(&self, types: &Types, of: &Type) -> Vec<u8> {
        let mut bits = Bits::default();
        bits.push_data(types, self, of, false);
        bits.into_number()
    }

    /// Its parts.
    pub fn parts(&self) -> &[Data] {
        match self {
            Data::Struct(parts) | Data::Header(_, parts) => parts,
            Data::Union(parts) | Data::Stack(_, parts) => parts,
            _ => &[],
        }
    }

    /// Its parts, to be changed.
    pub fn parts_mut(&mut self) -> &mut [Data] {
        match self {
            Data::Struct(parts) | Data::Header(_, parts) => parts,
            Data::Union(parts) | Data::Stack(_, parts) => parts,
            _ => &mut [],
        }
    }

    /// Whether a header is valid, or one of a union (§8.17, §8.20).
    pub fn is_valid(&self) -> bool {
        match self {
            Data::Header(is_valid, _) => *is_valid,
            Data::Union(headers) => headers.iter().any(Data::is_valid),
            _ => false,
        }
    }

    /// Equal, as `==` has it: two headers that are not valid are, whatever is in them (§8.17); stacks by their headers alone.
    pub fn equals(&self, other: &Data) -> bool {
        let all = |one: &[Data], other: &[Data]| {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.equals(other))
        };
        match (self, other) {
            (Data::Header(false, _), Data::Header(false, _)) => true,
            (Data::Header(one, first), Data::Header(other, second)) => {
                one == other && all(first, second)
            }
            (Data::Stack(_, one), Data::Stack(_, other))
            | (Data::Struct(one), Data::Struct(other))
            | (Data::Union(one), Data::Union(other)) => all(one, other),
            (one, other) => one == other,
        }
    }
}

/// What a variable of a type is before it was written.
pub fn zero(types: &Types, of: &Type) -> Data {
    match of {
        Type::Bool => Data::Bool(false),
        Type::Bit(_) | Type::Int(_) | Type::Integer => Data::number(0),
        Type::Varbit(_) => Data::Varbit(0, BigInt::from(0)),
        Type::Text => Data::Text(String::new()),
        Type::Error | Type::MatchKind => Data::Member(0),
        Type::Enum(number) => match types.enums[*number].below {
            Some(_) => Data::number(0),
            None => Data::Member(0),
        },
        Type::New(number) => zero(types, &types.news[*number].below),
        Type::Tuple(parts) => Data::Struct(parts.iter().map(|of| zero(types, of)).collect()),
        Type::Stack(of, size) => Data::Stack(0, vec![zero(types, of); *size as usize]),
        Type::Record(number) => {
            let record = &types.records[*number];
            let fields = record.fields.iter().map(|field| zero(types, &field.of));
            match record.kind {
                RecordKind::Header => Data::Header(false, fields.collect()),
                RecordKind::Union => Data::Union(fields.collect()),
                RecordKind::Struct => Data::Struct(fields.collect()),
            }
        }
        Type::List(_) => Data::Struct(Vec::new()),
        _ => Data::Void,
    }
}

/// What the compiler knows, as a value of a type.
pub fn from_value(types: &Types, value: &Value, of: &Type) -> Data {
    match (value, of) {
        (_, Type::New(number)) => from_value(types, value, &types.news[*number].below),
        (Value::Bool(value), _) => Data::Bool(*value),
        (Value::Number(number), Type::Varbit(width)) => Data::Varbit(*width, number.clone()),
        (Value::Number(number), _) => Data::Number(number.clone()),
        (Value::Text(text), _) => Data::Text(text.clone()),
        (Value::Member(number), _) => Data::Member(*number),
        (Value::Invalid, of) => zero(types, of),
        (Value::Parts(values), of) => {
            let parts = values.iter().enumerate();
            let parts = parts.map(|(at, value)| match types.part(of, at) {
                Some(of) => from_value(types, value, of),
                None => Data::Void,
            });
            parts_of(types, of, parts.collect())
        }
    }
}

/// What has these parts: a header is valid.
pub fn parts_of(types: &Types, of: &Type, parts: Vec<Data>) -> Data {
    match of {
        Type::Stack(..) => Data::Stack(0, parts),
        Type::Record(number) if types.records[*number].kind == RecordKind::Header => {
            Data::Header(true, parts)
        }
        _ => Data::Struct(parts),
    }
}

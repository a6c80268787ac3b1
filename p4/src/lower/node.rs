//! Values while a program is lowered: trees with values of the IR at their leaves.

use super::{ir, Lower};
use crate::types::{RecordKind, Type, Types};
use crate::value::Value;
use num_bigint::{BigInt, Sign};
use std::rc::Rc;

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Node {
    /// Of everything that has bits.
    Bits(ir::Value),
    /// A number that the compiler knows, without a width; also what has no bits at all.
    Integer(BigInt),
    /// A text.
    Text(String),
    /// Of a varbit: how many bits it has, in 16 bits, and those, of its longest the first ones, as a packet has them; zeros behind.
    Varbit(ir::Value, ir::Value),
    /// Of a struct, a tuple, a list.
    Parts(Vec<Node>),
    /// Of a header: whether it is valid, and its fields.
    Header(ir::Value, Vec<Node>),
    /// Of a union: its headers.
    Union(Vec<Node>),
    /// Of a stack: where `next` is, in 32 bits, and all headers.
    Stack(ir::Value, Vec<Node>),
    /// An object of the design.
    Object(usize),
    /// The packet that comes in.
    PacketIn,
    /// The packet that leaves.
    PacketOut,
    /// What applying a table gives: whether an entry was found, and the number of the action.
    Applied(ir::Value, ir::Value),
    /// Nothing.
    Void,
}

impl Node {
    pub fn parts(&self) -> &[Node] {
        match self {
            Node::Parts(parts) | Node::Header(_, parts) => parts,
            Node::Union(parts) | Node::Stack(_, parts) => parts,
            _ => &[],
        }
    }

    pub fn parts_mut(&mut self) -> &mut [Node] {
        match self {
            Node::Parts(parts) | Node::Header(_, parts) => parts,
            Node::Union(parts) | Node::Stack(_, parts) => parts,
            _ => &mut [],
        }
    }

    /// All values of the IR in it.
    pub fn leaves(&self, into: &mut Vec<ir::Value>) {
        match self {
            Node::Bits(value) => into.push(*value),
            Node::Varbit(one, other) | Node::Applied(one, other) => into.extend([*one, *other]),
            Node::Header(value, _) | Node::Stack(value, _) => into.push(*value),
            _ => {}
        }
        for part in self.parts() {
            part.leaves(into);
        }
    }

    /// The same, to be rewritten.
    pub fn leaves_mut<'a>(&'a mut self, into: &mut Vec<&'a mut ir::Value>) {
        match self {
            Node::Bits(value) => into.push(value),
            Node::Varbit(one, other) | Node::Applied(one, other) => into.extend([one, other]),
            Node::Header(value, parts) | Node::Stack(value, parts) => {
                into.push(value);
                for part in parts {
                    part.leaves_mut(into);
                }
            }
            Node::Parts(parts) | Node::Union(parts) => {
                for part in parts {
                    part.leaves_mut(into);
                }
            }
            _ => {}
        }
    }
}

/// The bits of a value of a type, where it has a fixed number of them at a leaf.
pub(super) fn width_of(types: &Types, of: &Type) -> u32 {
    match of {
        Type::Bool => 1,
        Type::Bit(width) | Type::Int(width) => *width,
        Type::New(number) => width_of(types, &types.news[*number].below),
        Type::Error => bits_for(types.errors.len()),
        Type::Enum(number) => match &types.enums[*number].below {
            Some(below) => width_of(types, below),
            None => bits_for(types.enums[*number].members.len()),
        },
        _ => 0,
    }
}

impl Lower<'_> {
    /// The bits of a value of a type, where it has a fixed number of them at a leaf.
    pub(super) fn width(&self, of: &Type) -> u32 {
        width_of(&self.program.types, of)
    }

    /// What a variable is before it was written.
    pub(super) fn zero(&mut self, of: &Type) -> Node {
        let program = self.program;
        let types = &program.types;
        match of {
            Type::New(number) => self.zero(&types.news[*number].below),
            Type::Varbit(width) => {
                let length = self.number(0u32, 16);
                Node::Varbit(length, self.number(0u32, (*width).max(1)))
            }
            Type::Tuple(parts) => Node::Parts(parts.iter().map(|of| self.zero(of)).collect()),
            Type::Stack(of, size) => {
                let next = self.number(0u32, 32);
                Node::Stack(next, vec![self.zero(of); *size as usize])
            }
            Type::Record(number) => {
                let record = &types.records[*number];
                let fields = record
                    .fields
                    .iter()
                    .map(|field| self.zero(&field.of))
                    .collect();
                match record.kind {
                    RecordKind::Header => Node::Header(self.number(0u32, 1), fields),
                    RecordKind::Union => Node::Union(fields),
                    RecordKind::Struct => Node::Parts(fields),
                }
            }
            Type::List(_) => Node::Parts(Vec::new()),
            Type::Text => Node::Text(String::new()),
            Type::Integer => Node::Integer(BigInt::from(0)),
            of => match self.width(of) {
                0 if matches!(of, Type::Bit(_) | Type::Int(_)) => Node::Integer(BigInt::from(0)),
                0 => Node::Void,
                width => Node::Bits(self.number(0u32, width)),
            },
        }
    }

    /// What the compiler knows, as a value of a type.
    pub(super) fn node_of(&mut self, value: &Value, of: &Type) -> Node {
        let program = self.program;
        let types = &program.types;
        match (value, of) {
            (_, Type::New(number)) => self.node_of(value, &types.news[*number].below),
            (Value::Text(text), _) => Node::Text(text.clone()),
            (Value::Invalid, of) => self.zero(of),
            (Value::Number(number), Type::Varbit(width)) => {
                let length = self.number(*width, 16);
                Node::Varbit(length, self.number(number.clone(), (*width).max(1)))
            }
            (Value::Parts(values), of) => {
                let parts = values.iter().enumerate();
                let parts = parts.map(|(at, value)| match types.part(of, at) {
                    Some(of) => self.node_of(value, of),
                    None => Node::Void,
                });
                let parts = parts.collect();
                self.parts_of(of, parts)
            }
            (value, of) => {
                let number = match value {
                    Value::Bool(value) => BigInt::from(u8::from(*value)),
                    Value::Number(number) => number.clone(),
                    Value::Member(member) => BigInt::from(*member),
                    _ => BigInt::from(0),
                };
                match self.width(of) {
                    0 => Node::Integer(number),
                    width => Node::Bits(self.number(number, width)),
                }
            }
        }
    }

    /// What has these parts: a header is valid.
    pub(super) fn parts_of(&mut self, of: &Type, parts: Vec<Node>) -> Node {
        match of {
            Type::Stack(..) => Node::Stack(self.number(0u32, 32), parts),
            of if self.program.types.is_record(of, RecordKind::Header) => {
                Node::Header(self.number(1u32, 1), parts)
            }
            _ => Node::Parts(parts),
        }
    }

    /// The bits of a leaf; of a number without a width so many.
    pub(super) fn bits(&mut self, node: &Node, width: u32) -> ir::Value {
        match node {
            Node::Bits(value) => *value,
            Node::Varbit(_, data) => *data,
            Node::Integer(number) => self.number(number.clone(), width.max(1)),
            _ => self.number(0u32, width.max(1)),
        }
    }

    /// A number that is known.
    pub(super) fn known(&self, node: &Node) -> Option<BigInt> {
        match node {
            Node::Integer(number) => Some(number.clone()),
            Node::Bits(value) => self.constant(*value),
            _ => None,
        }
    }

    /// A number that is known, of a value.
    pub(super) fn constant(&self, value: ir::Value) -> Option<BigInt> {
        let bits = self.ir.as_const(value)?;
        Some(BigInt::from_bytes_le(Sign::Plus, &bits.to_bytes()))
    }

    /// Both are the same, and known to be.
    pub(super) fn is_same(one: &Rc<Node>, other: &Rc<Node>) -> bool {
        Rc::ptr_eq(one, other) || one == other
    }
}

/// Bits for so many numbers, one at least.
fn bits_for(count: usize) -> u32 {
    (usize::BITS - count.saturating_sub(1).leading_zeros()).max(1)
}

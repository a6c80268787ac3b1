//! The words of the text form, for the printer and the reader alike.

use crate::isa::{Buffer, Combine, Compute, Condition, Into};

pub(super) const COMPUTES: [(&str, Compute); 13] = [
    ("add", Compute::Add),
    ("sub", Compute::Sub),
    ("and", Compute::And),
    ("or", Compute::Or),
    ("xor", Compute::Xor),
    ("shl", Compute::Shl),
    ("lshr", Compute::LShr),
    ("ashr", Compute::AShr),
    ("mul", Compute::Mul),
    ("udiv", Compute::UDiv),
    ("urem", Compute::URem),
    ("sdiv", Compute::SDiv),
    ("srem", Compute::SRem),
];

pub(super) const CONDITIONS: [(&str, Condition); 12] = [
    ("eq", Condition::Eq),
    ("ne", Condition::Ne),
    ("ult", Condition::Ult),
    ("uge", Condition::Uge),
    ("ule", Condition::Ule),
    ("ugt", Condition::Ugt),
    ("slt", Condition::Slt),
    ("sge", Condition::Sge),
    ("sle", Condition::Sle),
    ("sgt", Condition::Sgt),
    ("any", Condition::Any),
    ("disjoint", Condition::Disjoint),
];

/// [`Into::Set`] is usual, and has no word.
pub(super) const INTOS: [(&str, Into); 3] =
    [("both", Into::Both), ("and", Into::And), ("or", Into::Or)];

pub(super) const COMBINES: [(&str, Combine); 3] = [
    ("and", Combine::And),
    ("or", Combine::Or),
    ("xor", Combine::Xor),
];

pub(super) const BUFFERS: [(&str, Buffer); 4] = [
    ("key", Buffer::Key),
    ("value", Buffer::Value),
    ("may", Buffer::May),
    ("exit", Buffer::Exit),
];

/// What operations are called, beside the computations.
pub(super) const OPERATIONS: [&str; 22] = [
    "move",
    "input",
    "insert",
    "select",
    "compare",
    "combine",
    "load",
    "store",
    "clear",
    "put",
    "lookup",
    "update",
    "delete",
    "map.load",
    "map.store",
    "map.atomic",
    "checksum",
    "copy",
    "branch",
    "indirect",
    "exit",
    "send",
];

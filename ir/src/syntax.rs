//! The words of the text form, for the printer and the reader alike. The form is described at [`crate::print`].

use crate::structure::{Memory, Whole};
use crate::{AtomicOp, Input, Limits, MapId, Op, Phase};

/// The word for an operation; what stands between it and the arguments is printed apart.
pub(crate) fn op_word(op: &Op) -> &'static str {
    match op {
        Op::Const(_) => "const",
        Op::Input(_) => "input",
        Op::Slice { .. } => "slice",
        Op::MapLookup(_) => "map.lookup",
        Op::MapLoad(_) => "map.load",
        Op::MapStore(_) => "map.store",
        Op::MapAtomic(..) => "map.atomic",
        Op::MapUpdate(_) => "map.update",
        Op::MapDelete(_) => "map.delete",
        Op::Call(_) => "call",
        Op::Whole(Whole::Checksum { .. }) => "checksum",
        Op::Whole(Whole::Copy { .. }) => "copy",
        plain => {
            let found = PLAIN.iter().find(|(_, op)| op == plain);
            found.expect("every operation has a word").0
        }
    }
}

/// The operation for a word, when it is the word and its arguments and nothing else.
pub(crate) fn plain_op(word: &str) -> Option<Op> {
    find(&PLAIN, word)
}

/// What makes the operation on a map for a word; not for the atomics.
pub(crate) fn map_op(word: &str) -> Option<fn(MapId) -> Op> {
    Some(match word {
        "map.lookup" => Op::MapLookup,
        "map.load" => Op::MapLoad,
        "map.store" => Op::MapStore,
        "map.update" => Op::MapUpdate,
        "map.delete" => Op::MapDelete,
        _ => return None,
    })
}

/// The thing that a word means in a table.
pub fn find<T: Clone>(table: &[(&str, T)], word: &str) -> Option<T> {
    let entry = table.iter().find(|(name, _)| *name == word);
    entry.map(|(_, thing)| thing.clone())
}

/// The word for a thing in a table that has all of its kind.
pub fn word_for<T: PartialEq>(table: &[(&'static str, T)], thing: &T) -> &'static str {
    let entry = table.iter().find(|(_, other)| other == thing);
    entry.expect("the table has them all").0
}

const PLAIN: [(&str, Op); 29] = [
    ("add", Op::Add),
    ("sub", Op::Sub),
    ("mul", Op::Mul),
    ("udiv", Op::UDiv),
    ("urem", Op::URem),
    ("sdiv", Op::SDiv),
    ("srem", Op::SRem),
    ("and", Op::And),
    ("or", Op::Or),
    ("xor", Op::Xor),
    ("not", Op::Not),
    ("shl", Op::Shl),
    ("lshr", Op::LShr),
    ("ashr", Op::AShr),
    ("eq", Op::Eq),
    ("ne", Op::Ne),
    ("ult", Op::Ult),
    ("ule", Op::Ule),
    ("slt", Op::Slt),
    ("sle", Op::Sle),
    ("select", Op::Select),
    ("concat", Op::Concat),
    ("zext", Op::ZExt),
    ("sext", Op::SExt),
    ("stack.load", Op::StackLoad),
    ("stack.store", Op::StackStore),
    ("packet.load", Op::PacketLoad),
    ("packet.store", Op::PacketStore),
    ("packet.clear", Op::PacketClear),
];

/// What enters with a packet, but for a program's own inputs.
pub const INPUTS: [(&str, Input); 7] = [
    ("length", Input::Length),
    ("ingress", Input::Ingress),
    ("queue", Input::Queue),
    ("egress", Input::Egress),
    ("time", Input::Time),
    ("random", Input::Random),
    ("sum", Input::Sum),
];

/// What an atomic does.
pub const ATOMICS: [(&str, AtomicOp); 6] = [
    ("add", AtomicOp::Add),
    ("and", AtomicOp::And),
    ("or", AtomicOp::Or),
    ("xor", AtomicOp::Xor),
    ("xchg", AtomicOp::Xchg),
    ("cmpxchg", AtomicOp::CmpXchg),
];

/// One of the limits.
pub(crate) type LimitField = fn(&mut Limits) -> &mut u32;

/// The words of [`Limits`], in the order in which they are printed.
pub(crate) const LIMITS: [(&str, LimitField); 5] = [
    ("shortest", |limits| &mut limits.shortest),
    ("longest", |limits| &mut limits.longest),
    ("headroom", |limits| &mut limits.headroom),
    ("tail", |limits| &mut limits.tail),
    ("stack", |limits| &mut limits.stack),
];

/// The memories of single bytes.
pub const MEMORIES: [(&str, Memory); 2] = [("stack", Memory::Stack), ("packet", Memory::Packet)];

pub(crate) const PHASES: [(&str, Phase); 4] = [
    ("structured", Phase::Structured),
    ("control-flow", Phase::ControlFlow),
    ("dataflow", Phase::Dataflow),
    ("scheduled", Phase::Scheduled),
];

/// Whether a character can stand in a word: a name, keyword or number that needs no quotes.
pub fn is_word_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '.' | '-')
}

/// A string in quotes, so that the reader gets the same back and the line does not end in it.
pub fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            _ if character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') => {
                quoted.push_str(&format!("\\u{{{:x}}}", u32::from(character)));
            }
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

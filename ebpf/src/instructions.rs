//! The instructions that hardpath builds, found by decoding every one that there could be.

use crate::decode::{decode, Operation, Source};
use crate::insn::Insn;
use std::collections::{BTreeMap, BTreeSet};

/// What instructions do (`add`, `load`), and in which forms they do it.
pub type Instructions = BTreeMap<String, BTreeSet<String>>;

/// Values of the fields that tell instructions of one code apart.
const SOURCES: [u8; 3] = [0, 1, 2];
const OFFSETS: [i16; 5] = [0, 1, 8, 16, 32];

/// All instructions but those that [`crate::lift`] refuses whatever their operands are.
pub fn all() -> Instructions {
    let mut found = Instructions::new();
    for code in 0..=255 {
        for src in SOURCES {
            for off in OFFSETS {
                for imm in 0..=0xff {
                    let insn = Insn {
                        code,
                        dst: 1,
                        src,
                        off,
                        imm,
                    };
                    // An exit and a plain jump have no destination.
                    for insn in [insn, Insn { dst: 0, ..insn }] {
                        let slots = [insn, Insn::default()];
                        if let Some((name, form)) = decode(&slots, 0)
                            .ok()
                            .and_then(|(operation, _)| describe(&operation, code))
                        {
                            found.entry(name).or_default().insert(form);
                        }
                    }
                }
            }
        }
    }
    found
}

/// The operation's name and form; `None` for what is always refused.
fn describe(operation: &Operation, code: u8) -> Option<(String, String)> {
    let lower = |name: &dyn std::fmt::Debug| format!("{name:?}").to_lowercase();
    let bits = |wide: bool| if wide { "64" } else { "32" };
    let operand = |source: Source| match source {
        Source::Register(_) => "register",
        Source::Immediate(_) => "immediate",
    };
    Some(match *operation {
        Operation::Alu {
            op, wide, source, ..
        } => (
            lower(&op),
            format!("{} bits, {}", bits(wide), operand(source)),
        ),
        Operation::Negate { wide, .. } => ("negate".into(), format!("{} bits", bits(wide))),
        Operation::Move {
            wide,
            source,
            signed_bits,
            ..
        } => (
            "move".into(),
            match signed_bits {
                None => format!("{} bits, {}", bits(wide), operand(source)),
                Some(signed) => format!("{} bits, sign of {signed} bits", bits(wide)),
            },
        ),
        Operation::Swap { bits, reverse, .. } => (
            "byte order".into(),
            match (reverse, code & 0x07) {
                (false, _) => format!("le{bits}"),
                (true, 0x04) => format!("be{bits}"),
                (true, _) => format!("bswap{bits}"),
            },
        ),
        Operation::LoadImmediate { kind, .. } => (
            "load 64-bit immediate".into(),
            match kind {
                0 => "number".into(),
                1 => "map".into(),
                _ => "address in a map's value".into(),
            },
        ),
        Operation::Load { bytes, signed, .. } => (
            "load".into(),
            format!("{} bits{}", bytes * 8, if signed { ", signed" } else { "" }),
        ),
        Operation::Store { bytes, source, .. } => (
            "store".into(),
            format!("{} bits, {}", bytes * 8, operand(source)),
        ),
        Operation::Atomic {
            op, bytes, fetch, ..
        } => (
            format!("atomic {}", lower(&op)),
            format!("{} bits{}", bytes * 8, if fetch { ", fetch" } else { "" }),
        ),
        Operation::Jump { .. } => (
            "jump".into(),
            if code & 0x07 == 0x05 {
                "16-bit offset"
            } else {
                "32-bit offset"
            }
            .into(),
        ),
        Operation::Branch {
            condition,
            wide,
            source,
            ..
        } => (
            format!("jump if {}", lower(&condition)),
            format!("{} bits, {}", bits(wide), operand(source)),
        ),
        Operation::CallHelper { .. } => ("call".into(), "helper".into()),
        Operation::CallLocal { .. } => ("call".into(), "function of the program".into()),
        Operation::CallRegister { .. } => (
            "call".into(),
            "register that names a helper or function".into(),
        ),
        Operation::Exit => ("exit".into(), String::new()),
        Operation::CallKernel { .. } | Operation::LegacyPacket => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_found() {
        let all = all();
        let has = |name: &str, form: &str| {
            let forms = all.get(name).unwrap_or_else(|| panic!("{name}: {all:?}"));
            assert!(forms.contains(form), "{name}: {forms:?}");
        };
        has("add", "32 bits, immediate");
        has("sdiv", "64 bits, register");
        has("move", "64 bits, sign of 32 bits");
        has("byte order", "bswap16");
        has("load", "32 bits, signed");
        has("store", "8 bits, immediate");
        has("atomic cmpxchg", "64 bits, fetch");
        has("jump if sle", "32 bits, register");
        has("jump", "32-bit offset");
        has("exit", "");
        assert!(!all["load"].contains("64 bits, signed"));
        assert_eq!(
            all.keys().filter(|name| name.starts_with("atomic")).count(),
            6
        );
    }
}

//! Instructions as text, for people who read a failing program. Nothing reads it back.

use crate::code::{Unit, CALL, GOTO, GOTOL};
use hardpath_ebpf::MapRefKind;

/// One instruction, in the manner of the kernel's verifier; a jump goes to the instruction number `target`.
pub fn text(unit: &Unit, target: Option<usize>, map_name: Option<&str>) -> String {
    let insn = unit.insn;
    let (dst, src, off, imm) = (insn.dst, insn.src, insn.off, insn.imm);
    let target = target.map_or(String::from("?"), |target| target.to_string());
    match insn.class() {
        0 if insn.is_wide_load() => match (unit.map, map_name) {
            (Some((_, MapRefKind::Fd)), Some(name)) => format!("r{dst} = map {name}"),
            (Some((_, MapRefKind::Value { offset })), Some(name)) => {
                format!("r{dst} = &{name}[0] + {offset}")
            }
            _ if unit.loads_function() => format!("r{dst} = function at {target}"),
            _ => {
                let number = u64::from(unit.upper as u32) << 32 | u64::from(imm as u32);
                format!("r{dst} = {number:#x} ll")
            }
        },
        1 => {
            let sign = if insn.code & 0xe0 == 0x80 { "s" } else { "u" };
            format!("r{dst} = *({sign}{} *)(r{src}{off:+})", bits(insn.code))
        }
        2 => format!("*(u{} *)(r{dst}{off:+}) = {imm}", bits(insn.code)),
        3 if insn.code & 0xe0 == 0xc0 => {
            let operation = atomic(imm);
            format!(
                "{operation} *(u{} *)(r{dst}{off:+}), r{src}",
                bits(insn.code)
            )
        }
        3 => format!("*(u{} *)(r{dst}{off:+}) = r{src}", bits(insn.code)),
        4 | 7 => arithmetic(unit),
        _ => match insn.code {
            GOTO | GOTOL => format!("goto {target}"),
            CALL if src == 1 => format!("call function at {target}"),
            CALL => format!("call {imm}"),
            0x95 => String::from("exit"),
            code => {
                let letter = if insn.class() == 5 { 'r' } else { 'w' };
                let operand = operand(code, letter, src, imm);
                format!(
                    "if {letter}{dst} {} {operand} goto {target}",
                    condition(code)
                )
            }
        },
    }
}

fn bits(code: u8) -> u32 {
    match code & 0x18 {
        0x00 => 32,
        0x08 => 16,
        0x10 => 8,
        _ => 64,
    }
}

fn operand(code: u8, letter: char, src: u8, imm: i32) -> String {
    match code & 0x08 {
        0 => imm.to_string(),
        _ => format!("{letter}{src}"),
    }
}

fn arithmetic(unit: &Unit) -> String {
    let insn = unit.insn;
    let letter = if insn.class() == 7 { 'r' } else { 'w' };
    let (dst, off) = (insn.dst, insn.off);
    let operand = operand(insn.code, letter, insn.src, insn.imm);
    let operator = match insn.code & 0xf0 {
        0x00 => "+=",
        0x10 => "-=",
        0x20 => "*=",
        0x30 if off == 1 => "s/=",
        0x30 => "/=",
        0x40 => "|=",
        0x50 => "&=",
        0x60 => "<<=",
        0x70 => ">>=",
        0x80 => return format!("{letter}{dst} = -{letter}{dst}"),
        0x90 if off == 1 => "s%=",
        0x90 => "%=",
        0xa0 => "^=",
        0xb0 if off != 0 => return format!("{letter}{dst} = (s{off}){operand}"),
        0xb0 => "=",
        0xc0 => "s>>=",
        _ => {
            let name = match insn.code {
                0xd4 => "le",
                0xdc => "be",
                _ => "bswap",
            };
            return format!("r{dst} = {name}{} r{dst}", insn.imm);
        }
    };
    format!("{letter}{dst} {operator} {operand}")
}

fn condition(code: u8) -> &'static str {
    match code & 0xf0 {
        0x10 => "==",
        0x20 => ">",
        0x30 => ">=",
        0x40 => "&",
        0x50 => "!=",
        0x60 => "s>",
        0x70 => "s>=",
        0xa0 => "<",
        0xb0 => "<=",
        0xc0 => "s<",
        _ => "s<=",
    }
}

fn atomic(imm: i32) -> &'static str {
    match imm {
        0x00 => "add",
        0x01 => "fetch_add",
        0x40 => "or",
        0x41 => "fetch_or",
        0x50 => "and",
        0x51 => "fetch_and",
        0xa0 => "xor",
        0xa1 => "fetch_xor",
        0xe1 => "xchg",
        _ => "cmpxchg",
    }
}

//! Decoding: 8-byte slots to operations, as RFC 9669 has them. Reserved fields must be zero, as for the kernel.

use hardpath_ir::AtomicOp;

use crate::insn::{class, Insn, PSEUDO_CALL, PSEUDO_KFUNC_CALL};

/// What an instruction does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// `dst = dst op source`, in 64 bits or in the low 32 bits with the upper ones cleared.
    Alu {
        op: AluOp,
        wide: bool,
        dst: u8,
        source: Source,
    },
    /// `dst = −dst`.
    Negate {
        wide: bool,
        dst: u8,
    },
    /// `dst = source`, of which the low `signed_bits` are sign extended (`None`: taken as it is).
    Move {
        wide: bool,
        dst: u8,
        source: Source,
        signed_bits: Option<u32>,
    },
    /// `dst` = its low `bits`, with their bytes reversed or not.
    Swap {
        dst: u8,
        bits: u32,
        reverse: bool,
    },
    /// `dst` = 64-bit immediate; takes two slots. `kind` is the `src` field: 0 for a plain number.
    LoadImmediate {
        dst: u8,
        kind: u8,
        value: u64,
    },
    /// `dst = *(base + offset)`.
    Load {
        dst: u8,
        base: u8,
        offset: i16,
        bytes: u32,
        signed: bool,
    },
    /// `*(base + offset) = source`.
    Store {
        base: u8,
        offset: i16,
        bytes: u32,
        source: Source,
    },
    /// `*(base + offset) = op(*(base + offset), src)`; with `fetch` the old word goes into `src` (`r0` for a
    /// compare and exchange, which also takes the expected word from there).
    Atomic {
        op: AtomicOp,
        base: u8,
        offset: i16,
        bytes: u32,
        src: u8,
        fetch: bool,
    },
    /// Goes on at slot `target`, which need not exist.
    Jump {
        target: i64,
    },
    /// Goes on at slot `target` when the comparison holds.
    Branch {
        condition: Condition,
        wide: bool,
        dst: u8,
        source: Source,
        target: i64,
    },
    /// Calls a helper of the kernel.
    CallHelper {
        number: i32,
    },
    /// Calls a function of the same program.
    CallLocal {
        target: i64,
    },
    /// Calls a kernel function by its BTF number.
    CallKernel {
        number: i32,
    },
    /// Calls the helper whose number a register holds.
    CallRegister {
        register: u8,
    },
    /// Old access to packets (`BPF_ABS`, `BPF_IND`).
    LegacyPacket,
    Exit,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    Register(u8),
    /// Sign extended to the operation's width.
    Immediate(i32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AluOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Or,
    And,
    Xor,
    Shl,
    LShr,
    AShr,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    Eq,
    Ne,
    /// Any common bit.
    Set,
    UGt,
    UGe,
    ULt,
    ULe,
    SGt,
    SGe,
    SLt,
    SLe,
}

/// Decodes the instruction at `slot` (which exists) and gives the number of slots that it takes.
///
/// # Errors
/// What is wrong with it.
pub fn decode(insns: &[Insn], slot: usize) -> Result<(Operation, usize), String> {
    let insn = insns[slot];
    let operation = match insn.class() {
        class::ALU => alu(insn, false),
        class::ALU64 => alu(insn, true),
        class::JMP => jump(insn, slot, true),
        class::JMP32 => jump(insn, slot, false),
        class::LDX => load(insn),
        class::ST | class::STX => store(insn),
        _ if insn.is_wide_load() => return wide_load(insns, slot),
        _ => match insn.code & 0xe0 {
            0x20 | 0x40 => Ok(Operation::LegacyPacket),
            _ => Err(unknown(insn)),
        },
    }?;
    check_registers(insn)?;
    Ok((operation, 1))
}

fn check_registers(insn: Insn) -> Result<(), String> {
    if insn.dst > 10 || insn.src > 10 {
        return Err(format!(
            "it uses register {}; there are r0 to r10",
            insn.dst.max(insn.src)
        ));
    }
    let writes_dst =
        matches!(insn.class(), class::LDX | class::ALU | class::ALU64) || insn.is_wide_load();
    if writes_dst && insn.dst == 10 {
        return Err("it writes r10, the frame pointer".to_string());
    }
    Ok(())
}

fn unknown(insn: Insn) -> String {
    format!("there is no instruction with code {:#04x}", insn.code)
}

fn reserved(insn: Insn) -> String {
    format!(
        "fields that the instruction with code {:#04x} does not use are not zero",
        insn.code
    )
}

/// The operand of an ALU or jump instruction; the field of the other form must be zero.
fn source(insn: Insn) -> Result<Source, String> {
    if insn.code & 0x08 != 0 {
        if insn.imm != 0 {
            return Err(reserved(insn));
        }
        Ok(Source::Register(insn.src))
    } else {
        if insn.src != 0 {
            return Err(reserved(insn));
        }
        Ok(Source::Immediate(insn.imm))
    }
}

fn alu(insn: Insn, wide: bool) -> Result<Operation, String> {
    let dst = insn.dst;
    let op = match (insn.code & 0xf0, insn.off) {
        (0x80, 0) if insn.code & 0x08 == 0 && insn.src == 0 && insn.imm == 0 => {
            return Ok(Operation::Negate { wide, dst });
        }
        (0xb0, off) => return move_(insn, wide, off),
        (0xd0, 0) => return swap(insn, wide),
        (0x00, 0) => AluOp::Add,
        (0x10, 0) => AluOp::Sub,
        (0x20, 0) => AluOp::Mul,
        (0x30, 0) => AluOp::UDiv,
        (0x30, 1) => AluOp::SDiv,
        (0x40, 0) => AluOp::Or,
        (0x50, 0) => AluOp::And,
        (0x60, 0) => AluOp::Shl,
        (0x70, 0) => AluOp::LShr,
        (0x90, 0) => AluOp::URem,
        (0x90, 1) => AluOp::SRem,
        (0xa0, 0) => AluOp::Xor,
        (0xc0, 0) => AluOp::AShr,
        (0xe0.., _) => return Err(unknown(insn)),
        _ => return Err(reserved(insn)),
    };
    Ok(Operation::Alu {
        op,
        wide,
        dst,
        source: source(insn)?,
    })
}

fn move_(insn: Insn, wide: bool, off: i16) -> Result<Operation, String> {
    let source = source(insn)?;
    let signed_bits = match (off, source, wide) {
        (0, _, _) => None,
        (8 | 16, Source::Register(_), _) | (32, Source::Register(_), true) => Some(off as u32),
        _ => return Err(reserved(insn)),
    };
    Ok(Operation::Move {
        wide,
        dst: insn.dst,
        source,
        signed_bits,
    })
}

/// `le`, `be` (class ALU) and `bswap` (class ALU64).
fn swap(insn: Insn, wide: bool) -> Result<Operation, String> {
    let to_big = insn.code & 0x08 != 0;
    if insn.src != 0 || wide && to_big {
        return Err(reserved(insn));
    }
    match insn.imm {
        16 | 32 | 64 => Ok(Operation::Swap {
            dst: insn.dst,
            bits: insn.imm as u32,
            reverse: wide || to_big,
        }),
        bits => Err(format!("it swaps the bytes of {bits} bits")),
    }
}

fn jump(insn: Insn, slot: usize, wide: bool) -> Result<Operation, String> {
    let after = slot as i64 + 1;
    let target = after + i64::from(insn.off);
    let condition = match insn.code & 0xf0 {
        0x00 => return unconditional(insn, after, wide),
        0x80 if wide => return call(insn, after),
        0x90 if wide => {
            return if insn.code & 0x08 == 0 && insn.src == 0 && insn.off == 0 && insn.imm == 0 {
                Ok(Operation::Exit)
            } else {
                Err(reserved(insn))
            };
        }
        0x10 => Condition::Eq,
        0x20 => Condition::UGt,
        0x30 => Condition::UGe,
        0x40 => Condition::Set,
        0x50 => Condition::Ne,
        0x60 => Condition::SGt,
        0x70 => Condition::SGe,
        0xa0 => Condition::ULt,
        0xb0 => Condition::ULe,
        0xc0 => Condition::SLt,
        0xd0 => Condition::SLe,
        _ => return Err(unknown(insn)),
    };
    Ok(Operation::Branch {
        condition,
        wide,
        dst: insn.dst,
        source: source(insn)?,
        target,
    })
}

/// `ja` with a 16-bit offset, `gotol` with a 32-bit offset.
fn unconditional(insn: Insn, after: i64, wide: bool) -> Result<Operation, String> {
    let (distance, unused) = if wide {
        (i64::from(insn.off), insn.imm)
    } else {
        (i64::from(insn.imm), i32::from(insn.off))
    };
    if insn.code & 0x08 != 0 || insn.src != 0 || insn.dst != 0 || unused != 0 {
        return Err(reserved(insn));
    }
    Ok(Operation::Jump {
        target: after + distance,
    })
}

fn call(insn: Insn, after: i64) -> Result<Operation, String> {
    if insn.code & 0x08 != 0 {
        return if insn.src == 0 && insn.off == 0 && insn.imm == 0 {
            Ok(Operation::CallRegister { register: insn.dst })
        } else {
            Err(reserved(insn))
        };
    }
    match insn.src {
        0 => Ok(Operation::CallHelper { number: insn.imm }),
        PSEUDO_CALL => Ok(Operation::CallLocal {
            target: after + i64::from(insn.imm),
        }),
        PSEUDO_KFUNC_CALL => Ok(Operation::CallKernel { number: insn.imm }),
        _ => Err(reserved(insn)),
    }
}

/// Bytes of a memory access by its size field.
fn access_bytes(insn: Insn) -> u32 {
    match insn.code & 0x18 {
        0x00 => 4,
        0x08 => 2,
        0x10 => 1,
        _ => 8,
    }
}

fn load(insn: Insn) -> Result<Operation, String> {
    let bytes = access_bytes(insn);
    let signed = match insn.code & 0xe0 {
        0x60 => false,
        0x80 if bytes < 8 => true,
        _ => return Err(unknown(insn)),
    };
    if insn.imm != 0 {
        return Err(reserved(insn));
    }
    Ok(Operation::Load {
        dst: insn.dst,
        base: insn.src,
        offset: insn.off,
        bytes,
        signed,
    })
}

fn store(insn: Insn) -> Result<Operation, String> {
    let bytes = access_bytes(insn);
    let from_register = insn.class() == class::STX;
    let source = match (insn.code & 0xe0, from_register) {
        (0x60, true) if insn.imm == 0 => Source::Register(insn.src),
        (0x60, false) if insn.src == 0 => Source::Immediate(insn.imm),
        (0x60, _) => return Err(reserved(insn)),
        (0xc0, true) if bytes >= 4 => return atomic(insn, bytes),
        _ => return Err(unknown(insn)),
    };
    Ok(Operation::Store {
        base: insn.dst,
        offset: insn.off,
        bytes,
        source,
    })
}

fn atomic(insn: Insn, bytes: u32) -> Result<Operation, String> {
    let (op, fetch) = match insn.imm {
        0x00 => (AtomicOp::Add, false),
        0x01 => (AtomicOp::Add, true),
        0x40 => (AtomicOp::Or, false),
        0x41 => (AtomicOp::Or, true),
        0x50 => (AtomicOp::And, false),
        0x51 => (AtomicOp::And, true),
        0xa0 => (AtomicOp::Xor, false),
        0xa1 => (AtomicOp::Xor, true),
        0xe1 => (AtomicOp::Xchg, true),
        0xf1 => (AtomicOp::CmpXchg, true),
        imm => return Err(format!("there is no atomic operation {imm:#x}")),
    };
    if fetch && insn.src == 10 && op != AtomicOp::CmpXchg {
        return Err("it writes r10, the frame pointer".to_string());
    }
    Ok(Operation::Atomic {
        op,
        base: insn.dst,
        offset: insn.off,
        bytes,
        src: insn.src,
        fetch,
    })
}

fn wide_load(insns: &[Insn], slot: usize) -> Result<(Operation, usize), String> {
    let insn = insns[slot];
    check_registers(Insn { src: 0, ..insn })?;
    let Some(second) = insns.get(slot + 1) else {
        return Err("the second half of a 64-bit load is missing".to_string());
    };
    if second.code != 0 || second.dst != 0 || second.src != 0 || second.off != 0 || insn.off != 0 {
        return Err(reserved(insn));
    }
    let value = u64::from(second.imm as u32) << 32 | u64::from(insn.imm as u32);
    let operation = Operation::LoadImmediate {
        dst: insn.dst,
        kind: insn.src,
        value,
    };
    Ok((operation, 2))
}

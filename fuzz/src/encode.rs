//! Instructions by what they do (RFC 9669).

use hardpath_ebpf::Insn;

/// An ALU operation: the upper half of `code`, and `off` for the signed forms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alu {
    pub code: u8,
    pub off: i16,
}

const fn alu_op(code: u8, off: i16) -> Alu {
    Alu { code, off }
}

pub const ADD: Alu = alu_op(0x00, 0);
pub const SUB: Alu = alu_op(0x10, 0);
pub const MUL: Alu = alu_op(0x20, 0);
pub const DIV: Alu = alu_op(0x30, 0);
pub const SDIV: Alu = alu_op(0x30, 1);
pub const OR: Alu = alu_op(0x40, 0);
pub const AND: Alu = alu_op(0x50, 0);
pub const LSH: Alu = alu_op(0x60, 0);
pub const RSH: Alu = alu_op(0x70, 0);
pub const MOD: Alu = alu_op(0x90, 0);
pub const SMOD: Alu = alu_op(0x90, 1);
pub const XOR: Alu = alu_op(0xa0, 0);
pub const MOV: Alu = alu_op(0xb0, 0);
pub const ARSH: Alu = alu_op(0xc0, 0);

/// The conditions of branches.
pub const CONDITIONS: [u8; 11] = [
    0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0xa0, 0xb0, 0xc0, 0xd0,
];
pub const JEQ: u8 = 0x10;
pub const JGT: u8 = 0x20;
pub const JGE: u8 = 0x30;
pub const JNE: u8 = 0x50;
pub const JLT: u8 = 0xa0;
pub const JLE: u8 = 0xb0;

/// An operand that may be a register or a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    Register(u8),
    Number(i32),
}

impl Operand {
    /// Source bit, register and immediate.
    fn parts(self) -> (u8, u8, i32) {
        match self {
            Operand::Register(register) => (0x08, register, 0),
            Operand::Number(number) => (0x00, 0, number),
        }
    }
}

pub fn alu(op: Alu, wide: bool, dst: u8, source: Operand) -> Insn {
    let (bit, src, imm) = source.parts();
    let class = if wide { 0x07 } else { 0x04 };
    Insn {
        code: op.code | bit | class,
        dst,
        src,
        off: op.off,
        imm,
    }
}

pub fn mov(dst: u8, src: u8) -> Insn {
    alu(MOV, true, dst, Operand::Register(src))
}

pub fn mov_number(dst: u8, number: i32) -> Insn {
    alu(MOV, true, dst, Operand::Number(number))
}

/// `movsx`: `bits` is 8, 16 or (wide) 32.
pub fn mov_signed(wide: bool, dst: u8, src: u8, bits: i16) -> Insn {
    Insn {
        off: bits,
        ..alu(MOV, wide, dst, Operand::Register(src))
    }
}

pub fn negate(wide: bool, dst: u8) -> Insn {
    Insn {
        code: if wide { 0x87 } else { 0x84 },
        dst,
        ..Insn::default()
    }
}

/// Byte swaps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Swap {
    ToLittle,
    ToBig,
    Always,
}

/// `bits` is 16, 32 or 64.
pub fn swap(kind: Swap, dst: u8, bits: i32) -> Insn {
    let code = match kind {
        Swap::ToLittle => 0xd4,
        Swap::ToBig => 0xdc,
        Swap::Always => 0xd7,
    };
    Insn {
        code,
        dst,
        imm: bits,
        ..Insn::default()
    }
}

/// A conditional jump; its target is kept beside it.
pub fn branch(condition: u8, wide: bool, dst: u8, source: Operand) -> Insn {
    let (bit, src, imm) = source.parts();
    let class = if wide { 0x05 } else { 0x06 };
    Insn {
        code: condition | bit | class,
        dst,
        src,
        off: 0,
        imm,
    }
}

fn size_bits(bytes: u32) -> u8 {
    match bytes {
        1 => 0x10,
        2 => 0x08,
        4 => 0x00,
        _ => 0x18,
    }
}

pub fn load(dst: u8, base: u8, off: i16, bytes: u32) -> Insn {
    Insn {
        code: 0x61 | size_bits(bytes),
        dst,
        src: base,
        off,
        imm: 0,
    }
}

/// `bytes` is 1, 2 or 4.
pub fn load_signed(dst: u8, base: u8, off: i16, bytes: u32) -> Insn {
    Insn {
        code: 0x81 | size_bits(bytes),
        ..load(dst, base, off, bytes)
    }
}

pub fn store(base: u8, off: i16, bytes: u32, source: Operand) -> Insn {
    let (_, src, imm) = source.parts();
    let class = match source {
        Operand::Register(_) => 0x63,
        Operand::Number(_) => 0x62,
    };
    Insn {
        code: class | size_bits(bytes),
        dst: base,
        src,
        off,
        imm,
    }
}

pub const ATOMIC_ADD: i32 = 0x00;
pub const ATOMIC_XCHG: i32 = 0xe1;
pub const ATOMIC_CMPXCHG: i32 = 0xf1;
pub const FETCH: i32 = 0x01;
/// Every operation number of an atomic.
pub const ATOMICS: [i32; 10] = [
    ATOMIC_ADD,
    ATOMIC_ADD | FETCH,
    0x40,
    0x41,
    0x50,
    0x51,
    0xa0,
    0xa1,
    ATOMIC_XCHG,
    ATOMIC_CMPXCHG,
];

/// `bytes` is 4 or 8.
pub fn atomic(op: i32, base: u8, off: i16, bytes: u32, src: u8) -> Insn {
    Insn {
        code: 0xc3 | size_bits(bytes),
        dst: base,
        src,
        off,
        imm: op,
    }
}

pub fn call(helper: i32) -> Insn {
    Insn {
        code: 0x85,
        imm: helper,
        ..Insn::default()
    }
}

pub fn exit() -> Insn {
    Insn {
        code: 0x95,
        ..Insn::default()
    }
}

/// Helpers (`enum bpf_func_id` in the kernel's `include/uapi/linux/bpf.h`).
pub mod helper {
    pub const MAP_LOOKUP_ELEM: i32 = 1;
    pub const MAP_UPDATE_ELEM: i32 = 2;
    pub const MAP_DELETE_ELEM: i32 = 3;
    pub const KTIME_GET_NS: i32 = 5;
    pub const GET_PRANDOM_U32: i32 = 7;
    pub const GET_SMP_PROCESSOR_ID: i32 = 8;
    pub const TAIL_CALL: i32 = 12;
    pub const REDIRECT: i32 = 23;
    pub const PERF_EVENT_OUTPUT: i32 = 25;
    pub const CSUM_DIFF: i32 = 28;
    pub const XDP_ADJUST_HEAD: i32 = 44;
    pub const REDIRECT_MAP: i32 = 51;
    pub const XDP_ADJUST_META: i32 = 54;
    pub const XDP_ADJUST_TAIL: i32 = 65;
    pub const SPIN_LOCK: i32 = 93;
    pub const SPIN_UNLOCK: i32 = 94;
    pub const JIFFIES64: i32 = 118;
    pub const KTIME_GET_BOOT_NS: i32 = 125;
    pub const RINGBUF_OUTPUT: i32 = 130;
    pub const RINGBUF_RESERVE: i32 = 131;
    pub const RINGBUF_SUBMIT: i32 = 132;
    pub const RINGBUF_DISCARD: i32 = 133;
    pub const KTIME_GET_COARSE_NS: i32 = 160;
    pub const CHECK_MTU: i32 = 163;
    pub const LOOP: i32 = 181;
    pub const XDP_GET_BUFF_LEN: i32 = 188;
    pub const XDP_LOAD_BYTES: i32 = 189;
    pub const XDP_STORE_BYTES: i32 = 190;
    pub const KTIME_GET_TAI_NS: i32 = 208;
}

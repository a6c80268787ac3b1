//! One eBPF instruction slot of 8 bytes, and the numbers of RFC 9669 that its fields are made of.

/// An instruction as it stands in an object file and goes into `bpf(2)`: 8 bytes, little endian.
///
/// A 64-bit immediate load takes two slots; the second one holds the upper half in `imm` and zeros elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Insn {
    /// Operation and class, and of loads and stores size and mode.
    pub code: u8,
    /// 4 bits.
    pub dst: u8,
    /// 4 bits.
    pub src: u8,
    /// A distance: in slots of a jump, in bytes of memory.
    pub off: i16,
    /// A constant, or the distance of a call in slots.
    pub imm: i32,
}

impl Insn {
    /// Size of a slot in bytes.
    pub const BYTES: usize = 8;

    /// Reads a slot.
    pub fn from_bytes(bytes: [u8; 8]) -> Insn {
        Insn {
            code: bytes[0],
            dst: bytes[1] & 0xf,
            src: bytes[1] >> 4,
            off: i16::from_le_bytes([bytes[2], bytes[3]]),
            imm: i32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]),
        }
    }

    /// As it stands in a file.
    pub fn to_bytes(self) -> [u8; 8] {
        let off = self.off.to_le_bytes();
        let imm = self.imm.to_le_bytes();
        let registers = (self.src << 4) | (self.dst & 0xf);
        [
            self.code, registers, off[0], off[1], imm[0], imm[1], imm[2], imm[3],
        ]
    }

    /// Whole slots of `bytes`; a rest of less than 8 bytes is left out.
    pub fn slots(bytes: &[u8]) -> Vec<Insn> {
        bytes
            .chunks_exact(Insn::BYTES)
            .map(|chunk| Insn::from_bytes(chunk.try_into().unwrap_or_default()))
            .collect()
    }

    /// The lowest three bits of the code: one of those in [`mod@class`], or 0.
    pub fn class(self) -> u8 {
        self.code & 0x07
    }

    /// Whether this is the first slot of a 64-bit immediate load.
    pub fn is_wide_load(self) -> bool {
        self.code == LDDW
    }

    /// Whether this calls a bpf function at `slot + imm + 1`.
    pub fn is_local_call(self) -> bool {
        self.code == CALL && self.src == PSEUDO_CALL
    }

    /// Whether this calls the kernel's helper of that number.
    pub fn is_helper_call(self, number: i32) -> bool {
        self.code == CALL && self.src == 0 && self.imm == number
    }
}

/// Instruction classes (RFC 9669 §3.2) but for `LD`, class 0.
pub mod class {
    pub const LDX: u8 = 0x01;
    pub const ST: u8 = 0x02;
    pub const STX: u8 = 0x03;
    pub const ALU: u8 = 0x04;
    pub const JMP: u8 = 0x05;
    pub const JMP32: u8 = 0x06;
    pub const ALU64: u8 = 0x07;
}

/// `lddw`: the 64-bit immediate load.
pub const LDDW: u8 = 0x18;
/// `call` with an immediate.
pub const CALL: u8 = 0x85;

/// `src` of a `call` to a bpf function (`BPF_PSEUDO_CALL`).
pub const PSEUDO_CALL: u8 = 1;
/// `src` of a `call` to a kernel function (`BPF_PSEUDO_KFUNC_CALL`).
pub const PSEUDO_KFUNC_CALL: u8 = 2;
/// `src` of an `lddw` of a map file descriptor (`BPF_PSEUDO_MAP_FD`).
pub const PSEUDO_MAP_FD: u8 = 1;
/// `src` of an `lddw` of an address in a map's first value (`BPF_PSEUDO_MAP_VALUE`).
pub const PSEUDO_MAP_VALUE: u8 = 2;
/// `src` of an `lddw` of a kernel variable's address (`BPF_PSEUDO_BTF_ID`).
pub const PSEUDO_BTF_ID: u8 = 3;
/// `src` of an `lddw` of a bpf function's address (`BPF_PSEUDO_FUNC`).
pub const PSEUDO_FUNC: u8 = 4;

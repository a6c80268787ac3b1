//! Instructions for tests, a line each.

use hardpath_ebpf::Insn;

/// Code, dst, src, off, imm.
pub type Line = (u8, u8, u8, i16, i32);

pub const EXIT: Line = (0x95, 0, 0, 0, 0);

pub const fn mov(dst: u8, imm: i32) -> Line {
    (0xb7, dst, 0, 0, imm)
}

pub const fn copy(dst: u8, src: u8) -> Line {
    (0xbf, dst, src, 0, 0)
}

pub const fn add(dst: u8, imm: i32) -> Line {
    (0x07, dst, 0, 0, imm)
}

pub const fn add_register(dst: u8, src: u8) -> Line {
    (0x0f, dst, src, 0, 0)
}

pub const fn load_byte(dst: u8, src: u8, off: i16) -> Line {
    (0x71, dst, src, off, 0)
}

/// As they stand in an object.
pub fn bytes(lines: &[Line]) -> Vec<u8> {
    let insns = lines.iter().map(|&(code, dst, src, off, imm)| Insn {
        code,
        dst,
        src,
        off,
        imm,
    });
    insns.flat_map(|insn| insn.to_bytes()).collect()
}

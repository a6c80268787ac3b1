//! The errors of map operations, as the kernel numbers them (`include/uapi/asm-generic/errno-base.h`).

use hardpath_rtl::{Module, Node};

pub const ENOENT: u64 = 2;
pub const E2BIG: u64 = 7;
pub const EBADF: u64 = 9;
pub const EEXIST: u64 = 17;
pub const EINVAL: u64 = 22;
pub const ENOSPC: u64 = 28;

/// Bits of an errno in hardware.
pub const ERRNO_BITS: u32 = 5;

/// The constant, with its name beside the number in the text.
pub fn errno_constant(m: &mut Module, code: u64) -> Node {
    let name = match code {
        ENOENT => "ENOENT",
        E2BIG => "E2BIG",
        EBADF => "EBADF",
        EEXIST => "EEXIST",
        EINVAL => "EINVAL",
        ENOSPC => "ENOSPC",
        _ => unreachable!("map operations do not answer {code}"),
    };
    let constant = m.constant(code, ERRNO_BITS);
    m.comment(constant, name)
}

/// 0, or the code of the last condition that holds.
pub fn last_error(m: &mut Module, conditions: &[(Node, u64)]) -> Node {
    let none = m.zero(ERRNO_BITS);
    conditions.iter().fold(none, |before, (condition, code)| {
        let code = errno_constant(m, *code);
        m.mux(*condition, code, before)
    })
}

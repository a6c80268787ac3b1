//! The errors of map operations in hardware; their numbers are [`hardpath_registers::errno`].

use hardpath_registers::errno;
use hardpath_rtl::{Module, Node};

pub const ENOENT: u64 = errno::ENOENT as u64;
pub const E2BIG: u64 = errno::E2BIG as u64;
pub const EBADF: u64 = errno::EBADF as u64;
pub const EEXIST: u64 = errno::EEXIST as u64;
pub const EINVAL: u64 = errno::EINVAL as u64;
pub const ENOSPC: u64 = errno::ENOSPC as u64;

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

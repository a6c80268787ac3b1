//! The flags of an update.

use hardpath_rtl::{Module, Node};

/// What flags ask for (`enum` of `BPF_ANY`, `BPF_NOEXIST`, `BPF_EXIST` in include/uapi/linux/bpf.h).
pub struct UpdateFlags {
    /// `BPF_NOEXIST`.
    pub no_exist: Node,
    /// `BPF_EXIST`.
    pub must_exist: Node,
    /// None of these, and not `BPF_ANY`.
    pub bad: Node,
}

impl UpdateFlags {
    /// Of a word of 32 bits.
    pub fn of(m: &mut Module, flags: Node) -> UpdateFlags {
        let no_exist = m.eq_const(flags, 1);
        let must_exist = m.eq_const(flags, 2);
        let two = m.constant(2, 32);
        UpdateFlags {
            no_exist,
            must_exist,
            bad: m.ult(two, flags),
        }
    }
}

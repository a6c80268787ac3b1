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
    /// Of flags that are known before.
    pub fn known(m: &mut Module, flags: u64) -> UpdateFlags {
        let mut is = |holds: bool| m.constant(u64::from(holds), 1);
        UpdateFlags {
            no_exist: is(flags == 1),
            must_exist: is(flags == 2),
            bad: is(flags > 2),
        }
    }

    /// Of a word of at least three bits.
    pub fn of(m: &mut Module, flags: Node) -> UpdateFlags {
        let no_exist = m.eq_const(flags, 1);
        let must_exist = m.eq_const(flags, 2);
        let above = m.slice(flags, 2, m.width(flags) - 2);
        let above = m.reduce_or(above);
        let low = m.slice(flags, 0, 2);
        let three = m.reduce_and(low);
        UpdateFlags {
            no_exist,
            must_exist,
            bad: m.or(&[above, three]),
        }
    }
}

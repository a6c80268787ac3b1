//! What an update may do, in hardware.

pub use hardpath_registers::May;
use hardpath_rtl::{Module, Node};

/// The three ways in which an update may not do everything.
pub struct UpdateMay {
    /// It may not replace what is there.
    pub only_create: Node,
    /// It may not make what is not there.
    pub only_replace: Node,
    /// Neither.
    pub nothing: Node,
}

impl UpdateMay {
    /// Known before.
    pub fn known(m: &mut Module, may: May) -> UpdateMay {
        let mut is = |holds: bool| m.constant(u64::from(holds), 1);
        UpdateMay {
            only_create: is(may == May::CREATE),
            only_replace: is(may == May::REPLACE),
            nothing: is(may == May::NOTHING),
        }
    }

    /// Of the bits of a [`May`].
    pub fn of(m: &mut Module, may: Node) -> UpdateMay {
        UpdateMay {
            only_create: m.eq_const(may, May::CREATE.bits().into()),
            only_replace: m.eq_const(may, May::REPLACE.bits().into()),
            nothing: m.eq_const(may, May::NOTHING.bits().into()),
        }
    }
}

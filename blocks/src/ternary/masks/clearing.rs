//! A bank is cleared for another mask.

use super::shape::Shape;
use hardpath_rtl::{Module, Node, NodeOp};

/// What is going on; from registers.
pub(super) struct Clearing {
    /// Entries of the bank are placed; else the host's.
    pub(super) on: Node,
    /// The scan is for one of them.
    pub(super) finds: Node,
    pub(super) bank: Node,
    pub(super) is_last: Node,
    /// The bank has the host's mask already: what moves out of it would only take room that its entry has tried.
    pub(super) is_own: Node,
}

impl Clearing {
    /// Strobes: clearing begins with the first bank, and ends; masks have been compared, another entry is to be found, and it is
    /// taken; the next bank is tried. `banks_of_mask`: of the mask that was compared last, when clearing begins the host's.
    pub(super) fn of(
        m: &mut Module,
        shape: Shape,
        (begins, ends): (Node, Node),
        (compared, again, takes): (Node, Node, Node),
        (next, banks_of_mask): (Node, Node),
    ) -> Clearing {
        m.section("Preparation: a bank that is cleared");
        let on = switch(m, "clears_a_bank", begins, ends);
        let finds = m.or(&[compared, again]);
        let finds = m.and(&[finds, on]);
        let other = m.or(&[takes, ends]);
        let finds = switch(m, "finds_one", finds, other);
        let bits = shape.bank_bits();
        let (bank_reg, bank) = m.reg("bank_that_is_cleared", bits);
        let zero = m.zero(bits);
        let more = m.add_const(bank, 1);
        let bank_next = m.mux(begins, zero, more);
        let changes = m.or(&[begins, next]);
        m.set_next_when(bank_reg, changes, bank_next);
        let own = m.hold("banks_of_own_mask", begins, banks_of_mask);
        let own = m.shift(NodeOp::LShr, own, bank);
        let own = m.bit(own, 0);
        Clearing {
            on,
            finds,
            bank,
            is_last: m.eq_const(bank, u64::from(shape.banks()) - 1),
            is_own: m.delay("clears_own_bank", own),
        }
    }
}

/// A flag that one strobe sets and another one takes away.
fn switch(m: &mut Module, name: &str, sets: Node, takes: Node) -> Node {
    let (reg, flag) = m.reg_reset(name, 1, 0);
    let stays = m.not(takes);
    let stays = m.and(&[flag, stays]);
    let next = m.or(&[sets, stays]);
    m.set_next(reg, next);
    flag
}

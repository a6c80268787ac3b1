//! The entries: which are valid, the host's slot that changes them, and their numbers.

use super::asked::Command;
use super::decision::Decision;
use crate::index_bits;
use hardpath_rtl::{Mem, Module, Node};

/// How many there are.
#[derive(Clone, Copy)]
pub(crate) struct Entries(pub(crate) u32);

impl Entries {
    /// Bits that number them.
    pub(crate) fn bits(self) -> u32 {
        index_bits(u64::from(self.0))
    }

    /// A bit for each entry that the host's slots have made valid. `changes`: see [`changes`].
    pub(crate) fn valid(
        self,
        m: &mut Module,
        changes: Node,
        (command, one_hot): (&Command, Node),
    ) -> Node {
        let (valid_reg, valid) = m.reg_reset("valid", self.0, 0);
        let others = m.not(one_hot);
        let without = m.and(&[valid, others]);
        let added = m.gate(command.is_update, one_hot);
        let valid_next = m.or(&[without, added]);
        m.set_next_when(valid_reg, changes, valid_next);
        valid
    }

    /// The number of the one bit that is set.
    pub(crate) fn number(self, m: &mut Module, one_hot: Node) -> Node {
        let mut bits: Vec<Node> = (0..self.bits())
            .map(|bit| {
                let with_bit: Vec<Node> = (0..self.0)
                    .filter(|entry| entry >> bit & 1 == 1)
                    .map(|entry| m.bit(one_hot, entry))
                    .collect();
                match with_bit.is_empty() {
                    true => m.zero(1),
                    false => m.or(&with_bit),
                }
            })
            .collect();
        bits.reverse();
        m.concat(&bits)
    }
}

/// A slot of the host that changes an entry, a clock behind stage R. `host_r`: the host's slot is in stage R.
pub(crate) fn changes(
    m: &mut Module,
    host_r: Node,
    (command, decision): (&Command, &Decision),
) -> Node {
    m.section("Valid entries");
    let kind = m.or(&[command.is_update, command.is_delete]);
    let changes = m.and(&[host_r, kind, decision.fine]);
    m.delay_reset("changes", changes)
}

/// The host's slot, a clock behind stage R, writes what its entry is to the memory of the keys, or takes it away; the sweep after
/// reset takes all away.
pub(crate) fn write_keys(
    m: &mut Module,
    keys: Mem,
    host_1: Node,
    (clear, clear_index): (Node, Node),
    (command, decision): (&Command, &Decision),
    entry: Node,
) {
    let changes = m.or(&[command.is_update, command.is_delete]);
    let writes = m.and(&[host_1, changes, decision.fine]);
    let enable = m.or(&[writes, clear]);
    let running = m.not(clear);
    let present = m.and(&[command.is_update, running]);
    let word = m.concat(&[present, entry]);
    let address = m.mux(clear, clear_index, decision.entry);
    m.mem_write(keys, address, word, enable);
}

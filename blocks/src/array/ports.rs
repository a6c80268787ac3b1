//! The ports of a value memory.
//!
//! Stage A is the address stage of a read, C the commit stage, [`Array::reads`] clocks later.

use super::{Array, HostAddress};
use crate::index_bits;
use crate::may::May;
use hardpath_rtl::{signals, Module};

signals! {
    /// Into a value memory.
    pub struct ArrayIn {
        slot: all ArraySlotIn,
        host: all ArrayHostIn,
    }
}

signals! {
    /// What passes the memory: packets, and in their place the host.
    pub struct ArraySlotIn {
        /// With [`Array::has_indexes`].
        read_index: several "stage A",
        writes: numbered ArrayWriteIn,
        host_a: one "stage A: this slot is a host operation on this map",
        /// With [`HostAddress::Follows`].
        host_write_ok: maybe "stage C: the host's value is to be written",
    }
}

signals! {
    /// A write of the data plane.
    pub struct ArrayWriteIn {
        /// What is written; not of a first one with [`Array::first_is_the_hosts`].
        put: some ArrayPutIn,
        /// With [`Array::own_write_index`] and [`Array::has_indexes`].
        write_index: maybe "stage C",
    }
}

signals! {
    /// What the data plane writes.
    pub struct ArrayPutIn {
        write: one "stage C",
        write_word: one "stage C",
        /// For each of [`Array::parts`].
        changes: several "stage C: this part of the word is written, else it stays as it was read",
    }
}

signals! {
    /// The host's registers, and the sweep. The registers stand still from a clock before the operation comes until it is over.
    pub struct ArrayHostIn {
        clear: one "the sweep after reset",
        /// The word that the sweep clears.
        clear_index: one "",
        host_value: one "stands still during an operation; 0 in the sweep, and in the clock before it",
        /// With [`HostAddress::Key`].
        key: some ArrayKeyIn,
    }
}

signals! {
    /// What the host asks, of a memory that answers it alone.
    pub struct ArrayKeyIn {
        /// What the host does: one of [`command`](crate::interface::command).
        host_command: one "",
        /// What an update of the host may do ([`May`]).
        host_may: one "",
        /// The entry that the host means.
        host_index: one "",
    }
}

signals! {
    /// Out of a value memory.
    pub struct ArrayOut {
        read_word: several "from a register, one clock after stage A, out of block RAM two, with registers around it three",
        host_answer: one "from a register after C",
        host_result: one "the value that was there, from a register after C",
    }
}

impl ArraySlotIn {
    /// With the indexes that are not given, which are 0.
    pub(super) fn with_all_indexes(&self, m: &mut Module, config: &Array) -> ArraySlotIn {
        let mut slot = self.clone();
        if config.has_indexes() {
            return slot;
        }
        let zero = m.zero(index_bits(u64::from(config.depth)));
        slot.read_index = vec![zero; config.reads.len()];
        for write in &mut slot.writes {
            write.write_index = config.own_write_index.then_some(zero);
        }
        slot
    }
}

impl ArrayIn<u32> {
    /// In bits.
    pub(super) fn widths(config: &Array) -> ArrayIn<u32> {
        let index_bits = index_bits(u64::from(config.depth));
        let put = || ArrayPutIn {
            write: 1,
            write_word: config.word_bits(),
            changes: vec![1; config.parts.len()],
        };
        let indexes = |count| if config.has_indexes() { count } else { 0 };
        let write = |number| ArrayWriteIn {
            put: (number > 0 || !config.first_is_the_hosts).then(put),
            write_index: (config.own_write_index && config.has_indexes()).then_some(index_bits),
        };
        let key = ArrayKeyIn {
            host_command: 3,
            host_may: May::BITS,
            host_index: 32,
        };
        ArrayIn {
            slot: ArraySlotIn {
                read_index: vec![index_bits; indexes(config.reads.len())],
                writes: (0..config.writers).map(write).collect(),
                host_a: 1,
                host_write_ok: (config.host == HostAddress::Follows).then_some(1),
            },
            host: ArrayHostIn {
                clear: 1,
                clear_index: index_bits,
                host_value: config.value_bits,
                key: (config.host == HostAddress::Key).then_some(key),
            },
        }
    }
}

//! The ports of a table.
//!
//! Stage R is the one in which `key` and `rows` stand in registers; A = R + [`Cuckoo::answer_clocks`] is that of the answer.

use super::{Cuckoo, WAYS};
use crate::may::May;
use hardpath_rtl::signals;

signals! {
    /// Into a table.
    pub struct CuckooIn {
        slot: all CuckooSlotIn,
        host: all CuckooHostIn,
    }
}

signals! {
    /// What passes the table: packets, and in their place the host.
    pub struct CuckooSlotIn {
        /// The host's, in its slot: `key_meant`.
        key: one "stage R",
        rows: one "stage R: the row in each way",
        host_r: one "stage R: this slot is a host operation on this map",
    }
}

signals! {
    /// The host's registers, and the sweep. The registers stand still from a clock before the operation comes until it is over.
    pub struct CuckooHostIn {
        clear: one "the sweep after reset",
        /// The row that the sweep clears.
        clear_index: one "",
        host_command: one "stands still during an operation",
        /// What an update may do ([`May`]).
        host_may: one "",
        /// The slot that is dumped.
        host_slot: one "",
        /// The key that the host means, byte 0 in bits 7:0.
        host_key: one "",
        /// The value of an update.
        host_value: one "",
    }
}

signals! {
    /// Out of a table.
    pub struct CuckooOut {
        hit: one "stage A, from a register",
        value: one "stage A, from a register",
        entry: one "stage A: place, row",
        host_c: one "stage A: this slot is the host's",
        host_answer: one "from a register after A",
        host_slot_out: one "likewise: the slot that it is of, of a dump in vain the last empty one",
        host_key_out: one "likewise: the key that a dump found",
        host_value_out: one "likewise: the value of a lookup or a dump",
        key_meant: one "what the host's slot looks up: its key, or the one that moves",
    }
}

impl CuckooIn<u32> {
    /// In bits.
    pub(super) fn widths(config: &Cuckoo) -> CuckooIn<u32> {
        let row_bits = Cuckoo::row_bits(config.max_entries);
        CuckooIn {
            slot: CuckooSlotIn {
                key: config.key_bits,
                rows: WAYS * row_bits,
                host_r: 1,
            },
            host: CuckooHostIn {
                clear: 1,
                clear_index: row_bits,
                host_command: 3,
                host_may: May::BITS,
                host_slot: 32,
                host_key: config.key_bits,
                host_value: config.value_bits,
            },
        }
    }
}

//! The ports of a table.
//!
//! Stage R is the one in which `key` and `rows` of a port stand in registers; A = R + 2 is that of the answer, with
//! [`Hash::registers`] R + 3; C = A + [`HashPort::commit_after`](super::HashPort::commit_after).

use super::{Evicts, Hash, WAYS};
use crate::may::May;
use hardpath_rtl::signals;

signals! {
    /// Into a table.
    pub struct HashTableIn {
        slot: all HashSlotIn,
        host: all HashHostIn,
    }
}

signals! {
    /// What passes the table: packets, and in their place the host.
    pub struct HashSlotIn {
        host_r: one "stage R: this slot is a host operation on this map",
        keys: numbered HashKeyIn,
        /// With [`Hash::holds`].
        releases: maybe "no entry is held any more",
    }
}

signals! {
    /// One key of a packet. The host's is in the first port.
    pub struct HashKeyIn {
        key: one "stage R",
        rows: one "stage R: the bucket in each way",
        /// Only of a table that evicts.
        uses: maybe "stage C: a packet looks the key up",
        update: some HashUpdateIn,
        remove: maybe "stage C",
    }
}

signals! {
    /// An update by a packet.
    pub struct HashUpdateIn {
        update: one "stage C",
        /// Where [`HashPort::may`](super::HashPort::may) does not say it.
        may: some HashMayIn,
    }
}

signals! {
    /// What an update may do.
    pub struct HashMayIn {
        only_create: one "stage C: it may not replace an entry",
        only_replace: one "stage C: it may not create one",
        may_nothing: one "stage C: neither",
    }
}

signals! {
    /// The host's registers, and the sweep. The registers stand still from a clock before the operation comes until it is over.
    pub struct HashHostIn {
        clear: one "the sweep after reset",
        /// The row that the sweep clears.
        clear_index: one "",
        host_command: one "stands still during an operation",
        /// What an update of the host may do ([`May`]).
        host_may: one "",
        /// The slot that the host dumps.
        host_slot: one "",
        /// With [`Hash::foreign`].
        host_foreign: maybe "the host's key is foreign; nothing in a dump",
        /// With [`Hash::bounded`]; stands still while there are keys.
        most: maybe "so many keys are taken, at least 1 and at most as many as there is room for",
    }
}

signals! {
    /// Out of a table.
    pub struct HashTableOut {
        keys: numbered HashKeyOut,
        /// Of a table that evicts, for those who keep books.
        moves: some HashMovesOut,
        host_c: one "stage C: this slot is the host's",
        host_found: one "stage C: what the host looked for is there",
        /// With updates or deletes of the data plane.
        answer: maybe "stage C: of the packet's update or delete",
        host_answer: one "from a register after C",
        host_key_out: one "the key that a dump found",
        /// Behind a place that a dump finds empty, in the order of places, others of its row may be, too.
        host_entry: one "from a register after C: the entry that the host's operation was done on, of a dump in vain the last empty one",
    }
}

signals! {
    /// What a table says of one key.
    pub struct HashKeyOut {
        hit: one "stage A, from a register",
        entry: one "stage A: way, slot, row",
        /// Of the first port and those that update.
        write: some HashWriteOut,
        /// With [`Evicts::Candidates`] and a commit behind A: the packet must not commit.
        displaced: maybe "stage C, of the packet's first turn: the entry that was found is another key's now",
    }
}

signals! {
    /// Where a value goes.
    pub struct HashWriteOut {
        write_value: one "stage C: the value of entry_c is to be written",
        entry_c: one "stage C",
    }
}

signals! {
    /// What happens in `entry_c` of the first port.
    pub struct HashMovesOut {
        key_c: one "stage C: the key that commits",
        puts: one "stage C: the key is put into entry_c",
        removes_key: one "stage C: the key leaves entry_c",
        forgets: one "stage C: another key had entry_c and is forgotten",
    }
}

impl HashTableIn<u32> {
    /// In bits.
    pub(super) fn widths(config: &Hash) -> HashTableIn<u32> {
        let row_bits = Hash::row_bits(config.max_entries);
        let keys = config.ports.iter().map(|port| HashKeyIn {
            key: config.key_bits,
            rows: WAYS * row_bits,
            uses: (config.evicts != Evicts::Nobody).then_some(1),
            update: port.updates.then_some(HashUpdateIn {
                update: 1,
                may: port.may.is_none().then_some(HashMayIn {
                    only_create: 1,
                    only_replace: 1,
                    may_nothing: 1,
                }),
            }),
            remove: port.deletes.then_some(1),
        });
        HashTableIn {
            slot: HashSlotIn {
                host_r: 1,
                keys: keys.collect(),
                releases: (config.holds > 0).then_some(1),
            },
            host: HashHostIn {
                clear: 1,
                clear_index: row_bits,
                host_command: 3,
                host_may: May::BITS,
                host_slot: 32,
                host_foreign: config.foreign.then_some(1),
                most: config.bounded.then_some(32),
            },
        }
    }
}

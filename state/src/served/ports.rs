//! The ports of a map that answers requests: the same for every kind, in widths of its own.

use super::{Entries, Served};
use hardpath_blocks::host::{LongIn, LONG_BYTES};
use hardpath_blocks::interface::JournalOut;
use hardpath_blocks::may::May;
use hardpath_rtl::signals;

signals! {
    /// Into the map.
    pub struct ServedIn {
        request: all RequestIn,
        response_ready: one "the answer is taken",
        host: all HostIn,
        /// With [`Served::has_bounds`].
        bounds: some BoundsIn,
        /// With [`Served::bounded`]. Nothing is under way in the map then, and nothing comes.
        clears: maybe "all entries go, as after a reset",
        /// With [`Served::holds`]: no entry is held any more; and a turn of the journal ends.
        releases: maybe "strobe: whoever has asked is done",
    }
}

signals! {
    /// The map that stands in the room of a larger one. From a clearing to the next all stands still.
    pub struct BoundsIn {
        key_bytes: one "bytes of its keys, at least 1; those above do not count. A map with indexes does not look",
        most: one "its most entries, at least 1; indexes are below",
    }
}

signals! {
    /// A request; all stands still while request_valid waits for request_ready.
    pub struct RequestIn {
        /// One bit: the rest of the request is there.
        request_valid: one "",
        request_command: one "2 update, 3 delete; with entries from 8 on those through an entry; any other lookup",
        request_may: one "of an update: bit 0, create an entry; bit 1, replace one",
        /// [`Served::key_bits`] wide.
        request_key: one "",
        /// Not of [`Kind::Folded`](super::Kind::Folded).
        request_value: maybe "of an update",
        /// With [`Served::entries`].
        access: some RequestAccessIn,
    }
}

signals! {
    /// Bytes of a value: of a lookup that of the entry that it finds, of the commands of [`through_entry`](super::through_entry) that
    /// of an entry which they name.
    pub struct RequestAccessIn {
        request_entry: one "through an entry: which one, as a lookup said",
        request_offset: one "where the bytes begin in the value; the one behind the last offset is the first one again",
        request_bytes: one "how many bytes, 1 to 8",
        /// With [`Entries::Written`].
        operand: some RequestOperandIn,
    }
}

signals! {
    /// What is done to the bytes; bytes above theirs do not matter.
    pub struct RequestOperandIn {
        request_word: one "what is written, or the operand",
        request_expected: one "of a compare and exchange",
    }
}

signals! {
    /// The host's operation. All but `host_start` stand still from `host_start` to `host_done`. It comes behind all requests that
    /// were taken until `host_done`, and before all others.
    pub struct HostIn {
        host_start: one "strobe: an operation begins; none is under way",
        host_command: one "1 lookup, 2 update, 3 delete, 4 dump",
        host_may: one "of an update",
        host_slot: one "of a dump",
        /// Of all but a dump; [`Served::key_bits`] wide.
        host_key: one "",
        /// Of an update; [`Served::value_bits`] wide. Not of [`Kind::Folded`](super::Kind::Folded).
        host_value: maybe "of an update",
        /// Of [`Kind::Folded`](super::Kind::Folded).
        long_bytes: maybe "16 bytes of the value, of the pair of rows that was asked for three clocks before",
    }
}

signals! {
    /// Out of the map.
    pub struct ServedOut {
        request_ready: one "the request is taken",
        response: all ResponseOut,
        host: all HostOut,
        /// With [`Served::bounded`].
        swept: maybe "the sweep is over, after which requests are taken",
        /// With [`Served::journal`].
        journal: some JournalOut,
    }
}

signals! {
    /// An answer; it stands still until it is taken.
    pub struct ResponseOut {
        response_valid: one "the answer to the oldest request",
        response_answer: one "what came of it",
        /// Not of [`Kind::Folded`](super::Kind::Folded).
        response_value: maybe "of a lookup that finds an entry",
        /// With [`Served::entries`].
        access: some ResponseAccessOut,
    }
}

signals! {
    /// What an access finds, and a lookup beside the whole value.
    pub struct ResponseAccessOut {
        response_entry: one "of a lookup: the entry; 0 where it finds none",
        response_word: one "the bytes that were there, zeros above them; of a lookup that finds nothing 0",
    }
}

signals! {
    /// What the host is answered, in the clock of `host_done`.
    pub struct HostOut {
        host_done: one "strobe: the operation is over",
        host_answer: one "what came of it",
        /// Not of [`Kind::Folded`](super::Kind::Folded).
        host_value_out: maybe "what a lookup or dump found",
        host_key_out: one "what a dump found",
        /// Of [`Kind::Folded`](super::Kind::Folded), before `host_done`.
        long: some LongIn,
    }
}

impl ServedIn<u32> {
    /// In bits.
    pub(super) fn widths(config: &Served) -> ServedIn<u32> {
        ServedIn {
            request: RequestIn {
                request_valid: 1,
                request_command: config.command_bits(),
                request_may: May::BITS,
                request_key: config.key_bits,
                request_value: config.whole_bits(),
                access: RequestAccessIn::widths(config.entries),
            },
            response_ready: 1,
            host: HostIn {
                host_start: 1,
                host_command: 3,
                host_may: May::BITS,
                host_slot: 32,
                host_key: config.key_bits,
                host_value: config.whole_bits(),
                long_bytes: config.is_folded().then_some(8 * LONG_BYTES),
            },
            bounds: config.has_bounds().then_some(BoundsIn {
                key_bytes: config.key_bytes_bits(),
                most: config.most_bits(),
            }),
            clears: config.bounded.then_some(1),
            releases: (config.holds > 0).then_some(1),
        }
    }
}

impl RequestAccessIn<u32> {
    /// In bits.
    fn widths(entries: Entries) -> Option<RequestAccessIn<u32>> {
        let operand = RequestOperandIn {
            request_word: 64,
            request_expected: 64,
        };
        (entries != Entries::Hidden).then_some(RequestAccessIn {
            request_entry: 32,
            request_offset: 32,
            request_bytes: 4,
            operand: (entries == Entries::Written).then_some(operand),
        })
    }
}

//! The host's side of a table: which entry an operation means, whether it can be done, and the new entry's bits in all
//! rows, while packets go on.

use super::decide::Decision;
use super::{chunks, LpmHostIn, Table, LENGTH_FIELD};
use crate::interface::command;
use crate::may::UpdateMay;
use hardpath_rtl::{Mem, Module, Node};

/// What the preparation of a host operation found out; stands still until the slot is over.
pub(super) struct Prepared {
    /// The host's slot may come.
    pub(super) ready: Node,
    /// One bit for the entry that is meant.
    pub(super) one_hot: Node,
    pub(super) entry: Node,
    pub(super) answer: Node,
    /// It is done.
    pub(super) fine: Node,
    pub(super) is_update: Node,
    pub(super) is_delete: Node,
    pub(super) is_lookup: Node,
    /// The key in the dumped entry.
    pub(super) key: Node,
    pub(super) row: RowSweep,
}

/// Going through the rows of the chunks.
pub(super) struct RowSweep {
    pub(super) row: Node,
    pub(super) write: Node,
    /// One bit for each bit of the data, first bit of the prefix first: it counts.
    pub(super) counts: Vec<Node>,
    pub(super) data: Vec<Node>,
    pub(super) length: Node,
}

/// What the host's registers say; a clock after they do, but for the key's parts.
pub(super) struct Asked {
    pub(super) is_lookup: Node,
    pub(super) is_update: Node,
    pub(super) is_delete: Node,
    pub(super) is_dump: Node,
    /// A clock after the start.
    started: Node,
    /// Two clocks after the start: all that is here stands still.
    pub(super) begins: Node,
    pub(super) length_field: Node,
    pub(super) length: Node,
    pub(super) too_long: Node,
    pub(super) only_create: Node,
    pub(super) only_replace: Node,
    pub(super) may_nothing: Node,
    pub(super) slot_exists: Node,
    /// As those of [`RowSweep`].
    pub(super) counts: Vec<Node>,
    pub(super) data: Vec<Node>,
}

impl Table<'_> {
    /// The host's side: which entry an operation means, and whether it can be done.
    pub(super) fn prepare(&mut self, host: &LpmHostIn, host_1: Node) -> Prepared {
        let asked = self.asked(host);
        let scan = self.scan(host, &asked);
        let decision = self.decide(host, &asked, &scan);
        let (ready, row) = self.make_ready(host, &asked, &decision);
        self.write_keys(scan.keys, host, host_1, (&asked, &decision));
        Prepared {
            ready,
            one_hot: decision.one_hot,
            entry: decision.entry,
            answer: decision.answer,
            fine: decision.fine,
            is_update: asked.is_update,
            is_delete: asked.is_delete,
            is_lookup: asked.is_lookup,
            key: scan.stored,
            row,
        }
    }

    fn asked(&mut self, host: &LpmHostIn) -> Asked {
        let m = &mut self.m;
        m.section("Preparation: what the host's registers say");
        let is = |m: &mut Module, name: &str, code: u32| {
            let same = m.eq_const(host.host_command, u64::from(code));
            m.delay(name, same)
        };
        let is_lookup = is(m, "host_looks_up", command::LOOKUP);
        let is_update = is(m, "host_updates", command::UPDATE);
        let is_delete = is(m, "host_deletes", command::DELETE);
        let is_dump = is(m, "host_dumps", command::DUMP);
        let started = m.delay_reset("started", host.start);
        let begins = m.delay_reset("begins", started);
        let length_field = m.slice(host.host_key, 0, LENGTH_FIELD);
        let longest = m.constant(u64::from(self.data_bits), LENGTH_FIELD);
        let too_long = m.ult(longest, length_field);
        let too_long = m.delay("host_key_too_long", too_long);
        let length = m.slice(length_field, 0, self.length_bits);
        let may = UpdateMay::of(m, host.host_may);
        let only_create = m.delay("host_only_creates", may.only_create);
        let only_replace = m.delay("host_only_replaces", may.only_replace);
        let may_nothing = m.delay("host_may_nothing", may.nothing);
        let count = m.constant(u64::from(self.entries), 32);
        let slot_exists = m.ult(host.host_slot, count);
        let slot_exists = m.delay("host_slot_exists", slot_exists);
        let (counts, data) = self.bits_of_key(host.host_key, length);
        Asked {
            is_lookup,
            is_update,
            is_delete,
            is_dump,
            started,
            begins,
            length_field,
            length,
            too_long,
            only_create,
            only_replace,
            may_nothing,
            slot_exists,
            counts,
            data,
        }
    }

    /// For each bit of the host's data, the first bit of the prefix first: whether it counts, and the bit.
    fn bits_of_key(&mut self, host_key: Node, length: Node) -> (Vec<Node>, Vec<Node>) {
        let (mut counts, mut data) = (Vec::new(), Vec::new());
        for number in 0..self.data_bits {
            let place = self.m.constant(u64::from(number), self.length_bits);
            let inside = self.m.ult(place, length);
            counts.push(self.m.delay(format!("host_bit_{number}_counts"), inside));
            data.push(self.prefix_bit(host_key, number));
        }
        (counts, data)
    }

    /// When the slot may come: for a new entry after its bits are in all rows. Gives that, and the sweep of the rows.
    fn make_ready(
        &mut self,
        host: &LpmHostIn,
        asked: &Asked,
        decision: &Decision,
    ) -> (Node, RowSweep) {
        let m = &mut self.m;
        let inserts = m.and(&[asked.is_update, decision.absent]);
        let decided_1 = m.delay_reset("decided_1", decision.decides);
        let decided_2 = m.delay_reset("decided_2", decided_1);
        let begins_sweep = m.and(&[decided_2, inserts, decision.fine]);
        let not_swept = m.not(begins_sweep);
        let done_at_once = m.and(&[decided_2, not_swept]);
        let (row, swept) = self.sweep(begins_sweep, asked);
        let m = &mut self.m;
        let looks_up = m.and(&[asked.begins, asked.is_lookup]);
        let done = m.or(&[done_at_once, swept, looks_up]);
        let (ready_reg, ready) = m.reg_reset("ready", 1, 0);
        let becomes = m.or(&[ready, done]);
        // A new command takes the readiness of the last one away before its own can come.
        let idle = m.or(&[host.start, asked.started]);
        let idle = m.not(idle);
        let ready_next = m.and(&[becomes, idle]);
        m.set_next(ready_reg, ready_next);
        (ready, row)
    }

    /// The host's slot writes the key of its entry, or takes it away.
    fn write_keys(
        &mut self,
        keys: Mem,
        host: &LpmHostIn,
        host_1: Node,
        (asked, decision): (&Asked, &Decision),
    ) {
        let m = &mut self.m;
        let changes = m.or(&[asked.is_update, asked.is_delete]);
        let writes = m.and(&[host_1, changes, decision.fine]);
        let enable = m.or(&[writes, host.clear]);
        let running = m.not(host.clear);
        let present = m.and(&[asked.is_update, running]);
        let word = m.concat(&[present, host.host_key]);
        let address = m.mux(host.clear, host.clear_index, decision.entry);
        m.mem_write(keys, address, word, enable);
    }

    /// Goes through all rows, two clocks each. Gives the sweep and a strobe at its end.
    fn sweep(&mut self, begins: Node, asked: &Asked) -> (RowSweep, Node) {
        let m = &mut self.m;
        m.section("Preparation: the rows of the chunks");
        let chunk_bits = chunks(self.config.key_bytes).into_iter().map(|c| c.bits);
        let row_bits = chunk_bits.max().unwrap_or(1).max(self.length_bits);
        let (sweeps_reg, sweeps) = m.reg_reset("sweeps", 1, 0);
        let (turn_reg, turn) = m.reg("row_and_turn", row_bits + 1);
        let zero = m.zero(row_bits + 1);
        let more = m.add_const(turn, 1);
        let next = m.mux(begins, zero, more);
        m.set_next(turn_reg, next);
        let last = m.reduce_and(turn);
        let ends = m.and(&[sweeps, last]);
        let goes_on = m.not(ends);
        let goes_on = m.and(&[sweeps, goes_on]);
        let sweeps_next = m.or(&[begins, goes_on]);
        m.set_next(sweeps_reg, sweeps_next);
        // The first turn reads the row, the second writes it.
        let second = m.bit(turn, 0);
        let sweep = RowSweep {
            row: m.slice(turn, 1, row_bits),
            write: m.and(&[sweeps, second]),
            counts: asked.counts.clone(),
            data: asked.data.clone(),
            length: asked.length,
        };
        (sweep, ends)
    }
}

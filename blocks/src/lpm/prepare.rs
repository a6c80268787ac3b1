//! The host's side of a table: which entry an operation means, whether it can be done, and the new entry's bits in all
//! rows, while packets go on.

use super::{chunks, Lpm, Table, LENGTH_FIELD};
use crate::errno::{last_error, EEXIST, EINVAL, ENOENT, ENOSPC, ERRNO_BITS};
use crate::interface::command;
use hardpath_rtl::{Mem, MemStyle, Module, Node, NodeOp};

/// What the preparation of a host operation found out; stands still until the slot is over.
pub struct Prepared {
    /// One bit for the entry that is meant.
    pub one_hot: Node,
    pub entry: Node,
    pub errno: Node,
    pub is_update: Node,
    pub is_delete: Node,
    pub is_lookup: Node,
    /// The key in the dumped entry.
    pub key: Node,
    pub row: RowSweep,
}

/// Going through the rows of the chunks.
pub struct RowSweep {
    pub row: Node,
    pub write: Node,
    /// One bit for each bit of the data, first bit of the prefix first: it counts.
    pub counts: Vec<Node>,
    pub data: Vec<Node>,
    pub length: Node,
}

impl Table<'_> {
    /// The host's side: which entry an operation means, and whether it can be done.
    pub fn prepare(&mut self, host_1: Node, clear: Node, clear_index: Node) -> Prepared {
        let start = self
            .m
            .input("start", 1, "a host command for this map begins");
        let host_command = self.m.input("host_command", 3, "stands still from then on");
        let host_flags = self.m.input("host_flags", 32, "");
        let host_slot = self.m.input("host_slot", 32, "");
        let host_key = self.m.input("host_key", self.key_bits, "");
        let m = &mut self.m;
        m.section("Preparation: what the host's registers say");
        let is = |m: &mut Module, name: &str, code: u32| {
            let same = m.eq_const(host_command, u64::from(code));
            m.delay(name, same)
        };
        let is_lookup = is(m, "host_looks_up", command::LOOKUP);
        let is_update = is(m, "host_updates", command::UPDATE);
        let is_delete = is(m, "host_deletes", command::DELETE);
        let is_dump = is(m, "host_dumps", command::DUMP);
        let started = m.delay_reset("started", start);
        let begins = m.delay_reset("begins", started);
        let length_field = m.slice(host_key, 0, LENGTH_FIELD);
        let longest = m.constant(u64::from(self.data_bits), LENGTH_FIELD);
        let too_long = m.ult(longest, length_field);
        let too_long = m.delay("host_key_too_long", too_long);
        let length = m.slice(length_field, 0, self.length_bits);
        let no_exist = m.eq_const(host_flags, 1);
        let no_exist = m.delay("host_no_exist", no_exist);
        let must_exist = m.eq_const(host_flags, 2);
        let must_exist = m.delay("host_must_exist", must_exist);
        let two = m.constant(2, 32);
        let bad_flags = m.ult(two, host_flags);
        let bad_flags = m.delay("host_bad_flags", bad_flags);
        let count = m.constant(u64::from(self.entries), 32);
        let slot_exists = m.ult(host_slot, count);
        let slot_exists = m.delay("host_slot_exists", slot_exists);
        let mut counts = Vec::new();
        let mut data = Vec::new();
        for number in 0..self.data_bits {
            let place = self.m.constant(u64::from(number), self.length_bits);
            let inside = self.m.ult(place, length);
            counts.push(self.m.delay(format!("host_bit_{number}_counts"), inside));
            data.push(self.prefix_bit(host_key, number));
        }

        let m = &mut self.m;
        m.section("Preparation: all entries are looked at, one a clock");
        let index_bits = self.entry_bits + 1;
        let keys = m.mem(
            Lpm::KEY_MEMORY,
            self.key_bits + 1,
            self.entries,
            MemStyle::Auto,
        );
        let (index_reg, index) = m.reg("index", index_bits);
        let (scans_reg, scans) = m.reg_reset("scans", 1, 0);
        let low_slot = m.resize(host_slot, index_bits);
        let zero = m.zero(index_bits);
        let first = m.mux(is_dump, low_slot, zero);
        let more = m.add_const(index, 1);
        let index_next = m.mux(begins, first, more);
        m.set_next(index_reg, index_next);
        let at_end = m.eq_const(index, u64::from(self.entries) - 1);
        let ends = m.or(&[at_end, is_dump]);
        let ends = m.and(&[scans, ends]);
        let goes_on = m.not(ends);
        let goes_on = m.and(&[scans, goes_on]);
        let looks = m.not(is_lookup);
        let begins_scan = m.and(&[begins, looks]);
        let scans_next = m.or(&[begins_scan, goes_on]);
        m.set_next(scans_reg, scans_next);
        let one = m.one();
        let address = m.slice(index, 0, self.entry_bits);
        let word = m.mem_read_sync(keys, address, one);
        let read = m.delay_reset("read", scans);
        let index_1 = m.delay("index_1", address);
        // A register between the memory and the compare; it keeps the word that a dump asked for.
        let (stored_reg, stored_word) = m.reg("stored_word", self.key_bits + 1);
        m.set_next_when(stored_reg, read, word);
        let compares = m.delay_reset("compares", read);
        let index_2 = m.delay("index_2", index_1);
        let stored = m.slice(stored_word, 0, self.key_bits);
        let present = m.bit(stored_word, self.key_bits);
        let stored_length = m.slice(stored, 0, LENGTH_FIELD);
        let mut same = vec![present, m.eq(stored_length, length_field)];
        for (number, counts) in counts.iter().enumerate() {
            let bit = self.prefix_bit(stored, number as u32);
            let other = self.m.xor(&[bit, data[number]]);
            let differs = self.m.and(&[other, *counts]);
            same.push(self.m.not(differs));
        }
        let m = &mut self.m;
        let same = m.and(&same);
        let same = m.and(&[same, compares]);
        let absent = m.not(present);
        let vacant = m.and(&[absent, compares]);
        let same = m.delay_reset("same", same);
        let vacant = m.delay_reset("vacant", vacant);
        let index_3 = m.delay("index_3", index_2);
        let flag = |m: &mut Module, name: &str, seen: Node| {
            let (reg, node) = m.reg_reset(name, 1, 0);
            let idle = m.not(begins);
            let kept = m.or(&[node, seen]);
            let next = m.and(&[kept, idle]);
            m.set_next(reg, next);
            node
        };
        let exists = flag(m, "exists", same);
        let has_room = flag(m, "has_room", vacant);
        let (found_reg, found) = m.reg("found_entry", self.entry_bits);
        m.set_next_when(found_reg, same, index_3);
        let (vacant_reg, vacant_entry) = m.reg("vacant_entry", self.entry_bits);
        let first_vacant = m.not(has_room);
        let takes_vacant = m.and(&[vacant, first_vacant]);
        m.set_next_when(vacant_reg, takes_vacant, index_3);

        m.section("Preparation: the decision");
        let ended_1 = m.delay_reset("ended_1", ends);
        let ended_2 = m.delay_reset("ended_2", ended_1);
        let ended_3 = m.delay_reset("ended_3", ended_2);
        let decides = m.delay_reset("decides", ended_3);
        let absent = m.not(exists);
        let no_room = m.not(has_room);
        let no_slot = m.not(slot_exists);
        let nothing = m.not(present);
        let conditions = [
            (vec![is_update, absent, no_room], ENOSPC),
            (vec![is_update, exists, no_exist], EEXIST),
            (vec![is_update, absent, must_exist], ENOENT),
            (vec![is_delete, absent], ENOENT),
            (vec![is_dump, nothing], ENOENT),
            (vec![is_update, bad_flags], EINVAL),
            (vec![is_update, too_long], EINVAL),
            (vec![is_delete, too_long], EINVAL),
            (vec![is_dump, no_slot], EINVAL),
        ];
        let conditions = conditions.map(|(all, code)| (m.and(&all), code));
        let errno = last_error(m, &conditions);
        let (errno_reg, errno_held) = m.reg("prepared_errno", ERRNO_BITS);
        let none = m.zero(ERRNO_BITS);
        let errno_next = m.mux(begins, none, errno);
        let settles = m.or(&[begins, decides]);
        m.set_next_when(errno_reg, settles, errno_next);
        let (entry_reg, entry) = m.reg("prepared_entry", self.entry_bits);
        let of_key = m.mux(exists, found, vacant_entry);
        let low = m.slice(low_slot, 0, self.entry_bits);
        let meant = m.mux(is_dump, low, of_key);
        m.set_next_when(entry_reg, decides, meant);
        let number_one = m.constant(1, self.entries);
        let one_hot = m.shift(NodeOp::Shl, number_one, entry);
        let one_hot = m.delay("prepared_one_hot", one_hot);

        let inserts = m.and(&[is_update, absent]);
        let decided_1 = m.delay_reset("decided_1", decides);
        let decided_2 = m.delay_reset("decided_2", decided_1);
        let fine = m.eq_const(errno_held, 0);
        let begins_sweep = m.and(&[decided_2, inserts, fine]);
        let not_swept = m.not(begins_sweep);
        let done_at_once = m.and(&[decided_2, not_swept]);
        let row = self.sweep(begins_sweep, counts, data, length);
        let m = &mut self.m;
        let looks_up = m.and(&[begins, is_lookup]);
        let done = m.or(&[done_at_once, row.1, looks_up]);
        let (ready_reg, ready) = m.reg_reset("ready", 1, 0);
        let becomes = m.or(&[ready, done]);
        // A new command takes the readiness of the last one away before its own can come.
        let idle = m.or(&[start, started]);
        let idle = m.not(idle);
        let ready_next = m.and(&[becomes, idle]);
        m.set_next(ready_reg, ready_next);
        m.output("prepared", ready, "the host's slot may come");
        self.write_keys(
            keys,
            host_1,
            clear,
            clear_index,
            &[is_update, is_delete, fine, entry, host_key],
        );
        Prepared {
            one_hot,
            entry,
            errno: errno_held,
            is_update,
            is_delete,
            is_lookup,
            key: stored,
            row: row.0,
        }
    }

    /// The host's slot writes the key of its entry, or takes it away.
    fn write_keys(
        &mut self,
        keys: Mem,
        host_1: Node,
        clear: Node,
        clear_index: Node,
        operation: &[Node; 5],
    ) {
        let [is_update, is_delete, fine, entry, host_key] = *operation;
        let m = &mut self.m;
        let changes = m.or(&[is_update, is_delete]);
        let writes = m.and(&[host_1, changes, fine]);
        let enable = m.or(&[writes, clear]);
        let running = m.not(clear);
        let present = m.and(&[is_update, running]);
        let word = m.concat(&[present, host_key]);
        let address = m.mux(clear, clear_index, entry);
        m.mem_write(keys, address, word, enable);
    }

    /// Goes through all rows, two clocks each. Gives the sweep and a strobe at its end.
    fn sweep(
        &mut self,
        begins: Node,
        counts: Vec<Node>,
        data: Vec<Node>,
        length: Node,
    ) -> (RowSweep, Node) {
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
            counts,
            data,
            length,
        };
        (sweep, ends)
    }
}

//! Stages R to A: the rows are read and compared, and the value is chosen.

use super::{Cuckoo, CuckooHostIn, CuckooSlotIn, Stash, PLACES, WAYS};
use crate::interface::command;
use crate::one_hot::encode;
use crate::same_key::same_key;
use hardpath_rtl::{Mem, MemStyle, Module, Node};

/// The memories of the ways.
pub(super) struct Memories {
    /// By way: whether the row is taken, above its key; and the value.
    ways: Vec<(Mem, Mem)>,
}

impl Memories {
    pub(super) fn new(m: &mut Module, config: &Cuckoo) -> Memories {
        m.section("Memories");
        let rows = Cuckoo::rows(config.max_entries);
        let way = |way: u32| {
            let keys = format!("keys_{way}");
            let values = format!("values_{way}");
            (
                m.mem(keys, config.key_bits + 1, rows, MemStyle::Auto),
                m.mem(values, config.value_bits, rows, MemStyle::Auto),
            )
        };
        Memories {
            ways: (0..WAYS).map(way).collect(),
        }
    }

    /// Writes a way's row.
    pub(super) fn write(
        &self,
        m: &mut Module,
        way: usize,
        row: Node,
        (word, value): (Node, Node),
        enable: Node,
    ) {
        let (keys, values) = self.ways[way];
        m.mem_write(keys, row, word, enable);
        m.mem_write(values, row, value, enable);
    }
}

impl Stash {
    /// It is a memory of which one word is used, seen as the other memories are.
    pub(super) fn read(m: &mut Module, config: &Cuckoo) -> Stash {
        m.section("Stash");
        let words = 2;
        let keys = format!("keys_{WAYS}");
        let keys = m.mem(keys, config.key_bits + 1, words, MemStyle::Registers);
        let values = format!("values_{WAYS}");
        let values = m.mem(values, config.value_bits, words, MemStyle::Registers);
        let first = m.zero(1);
        let word = m.mem_read_async(keys, first);
        let value = m.mem_read_async(values, first);
        Stash {
            exists: m.bit(word, config.key_bits),
            key: m.slice(word, 0, config.key_bits),
            value,
            memories: (keys, values),
        }
    }

    /// Writes the key, with whether there is one above it, and the value.
    pub(super) fn write(&self, m: &mut Module, key: (Node, Node), value: (Node, Node)) {
        let first = m.zero(1);
        for (memory, (word, enable)) in [(self.memories.0, key), (self.memories.1, value)] {
            m.mem_write(memory, first, word, enable);
        }
    }
}

/// What a lookup finds, in stage A.
pub(super) struct Found {
    pub(super) hit: Node,
    pub(super) value: Node,
    /// What was looked up.
    pub(super) key: Node,
    /// By place: the key is there.
    pub(super) at: Vec<Node>,
    /// By place: a key is there.
    pub(super) taken: Vec<Node>,
    /// The row in each way.
    pub(super) rows: Vec<Node>,
    /// The slot is the host's.
    pub(super) host: Node,
    /// In the host's slot what was read, by way: it stands still for this clock.
    pub(super) words: Vec<(Node, Node)>,
    /// The host dumps a slot, and its place and whether the table has it; from registers.
    pub(super) dump: Dump,
}

/// A dump: the host means a slot.
#[derive(Clone)]
pub(super) struct Dump {
    pub(super) is_meant: Node,
    pub(super) place: Node,
    /// By place: it is the slot's.
    at: Vec<Node>,
    /// The slot's row is the first one, which has the stash.
    pub(super) is_first: Node,
    pub(super) in_range: Node,
}

impl Dump {
    /// The host's registers stand still long before its operation arrives: what follows from them alone has registers of its own.
    fn of(m: &mut Module, config: &Cuckoo, host: &CuckooHostIn) -> Dump {
        m.section("The slot of a dump");
        let (row_bits, slot_bits) = (
            Cuckoo::row_bits(config.max_entries),
            Cuckoo::entry_bits(config.max_entries),
        );
        let is_dump = m.eq_const(host.host_command, u64::from(command::DUMP));
        let place_bits = slot_bits - row_bits;
        let place = m.slice(host.host_slot, 0, place_bits);
        let row = m.slice(host.host_slot, place_bits, row_bits);
        let behind = m.slice(host.host_slot, slot_bits, 32 - slot_bits);
        let behind = m.reduce_or(behind);
        let inside = m.not(behind);
        let is_first = m.eq_const(row, 0);
        let at = (0..PLACES).map(|number| {
            let here = m.eq_const(place, u64::from(number));
            let here = m.and(&[is_dump, here]);
            m.delay(format!("dump_at_{number}"), here)
        });
        Dump {
            at: at.collect(),
            is_meant: m.delay("host_dumps", is_dump),
            place: m.delay("dump_place", place),
            is_first: m.delay("dump_is_first", is_first),
            in_range: m.delay("host_slot_exists", inside),
        }
    }
}

impl Found {
    pub(super) fn of(
        m: &mut Module,
        config: &Cuckoo,
        memories: &Memories,
        (slot, host): (&CuckooSlotIn, &CuckooHostIn),
        stash: &Stash,
    ) -> Found {
        let dump = Dump::of(m, config, host);
        m.section("Stage R: the rows are read");
        let host_1 = m.delay_reset("host_1", slot.host_r);
        // What the host's slot reads stands still for a clock more, and so in the registers behind: the slot behind it is empty.
        let reads = m.not(host_1);
        let row_bits = Cuckoo::row_bits(config.max_entries);
        let mut words = Vec::new();
        for (way, (keys, values)) in (0..).zip(&memories.ways) {
            let row = m.slice(slot.rows, way * row_bits, row_bits);
            let word = m.mem_read_sync(*keys, row, reads);
            words.push((word, m.mem_read_sync(*values, row, reads)));
        }
        let mut key = m.delay("key_1", slot.key);
        let mut rows = m.delay("rows_1", slot.rows);
        let mut host = host_1;
        if config.registers {
            m.section("Stage R + 1: out of the memories");
            for (way, (word, value)) in words.iter_mut().enumerate() {
                *word = m.delay(format!("word_{way}"), *word);
                *value = m.delay(format!("value_{way}"), *value);
            }
            key = m.delay("key_2", key);
            rows = m.delay("rows_2", rows);
            host = m.delay_reset("host_2", host);
        }
        m.section("The stage before A: the keys are compared");
        let (mut at, mut taken) = (Vec::new(), Vec::new());
        let mut values: Vec<Node> = words.iter().map(|(_, value)| *value).collect();
        let mut stored: Vec<(Node, Node)> = Vec::new();
        for (word, _) in &words {
            let key = m.slice(*word, 0, config.key_bits);
            stored.push((m.bit(*word, config.key_bits), key));
        }
        stored.push((stash.exists, stash.key));
        values.push(stash.value);
        let dumps = m.and(&[host, dump.is_meant]);
        for (place, (exists, stored)) in stored.into_iter().enumerate() {
            let same = same_key(m, stored, key);
            let mut meant = dump.at[place];
            if place == WAYS as usize {
                meant = m.and(&[meant, dump.is_first]);
            }
            let meant = m.and(&[meant, dump.in_range]);
            let this = m.mux(dumps, meant, same);
            let here = m.and(&[this, exists]);
            at.push(m.name(here, format!("found_at_{place}")));
            taken.push(exists);
        }
        let gated: Vec<Node> = (at.iter().zip(&values))
            .map(|(at, value)| m.gate(*at, *value))
            .collect();
        let value = m.or(&gated);
        let hit = m.or(&at);
        m.section("Stage A");
        let rows = m.delay("rows_a", rows);
        Found {
            hit: m.delay("hit", hit),
            value: m.delay("value", value),
            key: m.delay("key_a", key),
            at: (at.iter().enumerate())
                .map(|(place, at)| m.delay(format!("at_{place}"), *at))
                .collect(),
            taken: (taken.iter().enumerate())
                .map(|(place, taken)| m.delay(format!("taken_{place}"), *taken))
                .collect(),
            rows: (0..WAYS)
                .map(|way| m.slice(rows, way * row_bits, row_bits))
                .collect(),
            host: m.delay_reset("host_a", host),
            words,
            dump,
        }
    }

    /// The entry's number: place, row. That of the stash is 0.
    pub(super) fn entry(&self, m: &mut Module) -> Node {
        let place = encode(m, &self.at);
        let rows: Vec<Node> = (self.rows.iter().zip(&self.at))
            .map(|(row, at)| m.gate(*at, *row))
            .collect();
        let row = m.or(&rows);
        m.concat(&[place, row])
    }
}

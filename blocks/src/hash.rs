//! Hash tables: d ways with independent hash functions, buckets of two slots, constant-time insert.
//!
//! A key may lie in one bucket of each way; it goes to the emptiest of them when it is inserted and never moves
//! (d-left hashing; Vöcking, "How asymmetry helps load balancing", and Broder and Mitzenmacher, "Using multiple
//! hash functions to improve IP lookups"). At most three in eight slots are taken, so that an insert below
//! `max_entries` practically always finds room. One that does not answers FULL. In the worst case, a table that is kept
//! full while keys come and go, that is one insert in some ten millions; with half of the slots it would be one in
//! five thousand. Filling an empty table is a hundred times kinder (`capacity_in_figures` in the tests counts both).

mod answers;
mod commit;
mod dump;
mod evict;
mod foreign;
mod forward;
mod function;
mod held;
mod holds;
mod lookup;
mod neighbours;
mod outcome;
mod places;
mod ports;
mod seen;
mod slots;
mod waiting;

pub(crate) use dump::last_empty;
pub use evict::Evicts;
pub use function::{
    buckets, hash_function, Columns, Functions, HashFunctionHostIn, HashFunctionIn,
    HashFunctionOut, WIDE_KEY,
};
pub(crate) use function::{buckets_of, matrix_column};
pub use ports::{
    HashHostIn, HashKeyIn, HashKeyOut, HashMovesOut, HashSlotIn, HashTableIn, HashTableOut,
    HashUpdateIn, HashWriteOut,
};

use crate::index_bits;
use crate::may::May;
use answers::Committed;
use commit::{active, ready, Count, Decision, Ready, Request};
use dump::Dump;
use foreign::Foreign;
use forward::Commits;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{Module, Node};
use holds::Holds;
use lookup::{lane, Lane, Port};
use neighbours::turns;

/// Ways of a table.
pub const WAYS: u32 = 4;
/// Slots of a bucket.
pub const SLOTS: u32 = 2;

/// At most so many keys for each row of all ways: of its slots, three in eight.
const KEYS_A_ROW: u32 = 3;

/// What a hash table must know.
pub struct Hash {
    /// Name of the module.
    pub name: String,
    /// What the map is called, for the header.
    pub map: String,
    /// Bits of a key as it is stored.
    pub key_bits: u32,
    /// The most keys that it holds; up to there a new one practically always finds room.
    pub max_entries: u32,
    /// Keys that one packet looks up, updates or deletes, at least one; each has a copy of the keys. The host uses the
    /// first.
    pub ports: Vec<HashPort>,
    /// A lookup sees the updates and deletes that commit before its answer stands in registers. With `commit_after` 0
    /// those are all of older packets, however close; else the caller keeps packets with the same key apart.
    pub forward: bool,
    /// What is read from the memories of the keys stands in registers before it is compared: a clock more, where
    /// memories are slow.
    pub registers: bool,
    /// A new key always finds room: a full table, or one whose buckets for the key are full, forgets another key
    /// ([`evict`]).
    pub evicts: Evicts,
    /// The host may mean keys that the table counts and does not store ([`foreign`]); not in a table that evicts.
    pub foreign: bool,
    /// It takes fewer keys than it has room for when it is told so ([`HashHostIn::most`]).
    pub bounded: bool,
    /// So many entries, of the last lookups that found one, are nobody's to take until [`HashSlotIn::releases`]: below 8, and only of
    /// a table with one port, which commits when it is answered, and [`Evicts::Candidates`].
    pub holds: u32,
}

/// One key of a packet.
#[derive(Clone, Copy, Debug, Default)]
pub struct HashPort {
    /// Stages between the one in which a lookup's answer stands in registers and the commit stage.
    pub commit_after: u32,
    /// The data plane updates or deletes under this key.
    pub updates: bool,
    /// What all these updates may do; `None`: each comes with its own.
    pub may: Option<May>,
    /// The data plane deletes this key.
    pub deletes: bool,
    /// Commits of several ports can be those of one packet: this one's turn comes so many clocks after the first. At
    /// most `commit_after`, which counts them.
    pub slot: u32,
}

impl Hash {
    /// Clocks from the stage in which a key stands in a register to the one in which the answer does.
    pub fn answer_clocks(registers: bool) -> u32 {
        2 + u32::from(registers)
    }

    /// The memories of the first port's keys, in the order of the entries.
    pub fn key_memories() -> Vec<String> {
        let places = (0..WAYS).flat_map(|way| (0..SLOTS).map(move |slot| (way, slot)));
        places.map(|(way, slot)| key_memory(way, slot)).collect()
    }

    /// Buckets of a way: a power of two.
    pub fn rows(max_entries: u32) -> u32 {
        max_entries.div_ceil(KEYS_A_ROW).next_power_of_two().max(4)
    }

    /// Bits that number a way's buckets.
    pub fn row_bits(max_entries: u32) -> u32 {
        index_bits(u64::from(Hash::rows(max_entries)))
    }

    /// Entries of the memory behind the table: a power of two.
    pub fn entries(max_entries: u32) -> u32 {
        Hash::rows(max_entries) * WAYS * SLOTS
    }

    /// Bits of an entry's number: way, slot, row, the way in the most significant place.
    pub fn entry_bits(max_entries: u32) -> u32 {
        index_bits(u64::from(Hash::entries(max_entries)))
    }

    /// The hash functions in front of it.
    pub fn functions(&self) -> Functions<'_> {
        Functions {
            map: &self.map,
            key_bits: self.key_bits,
            ways: WAYS,
            row_bits: Hash::row_bits(self.max_entries),
            slot_bits: Hash::entry_bits(self.max_entries),
        }
    }

    fn evicts(&self) -> bool {
        self.evicts != Evicts::Nobody
    }

    /// A key can be taken from a packet between its answer and its commit.
    fn displaces_late(&self) -> bool {
        let in_time = self.ports.iter().all(|port| port.commit_after == 0);
        self.evicts == Evicts::Candidates && !in_time
    }

    fn check(&self) {
        assert!(
            self.evicts != Evicts::FirstBucket || self.ports.len() == 1,
            "both keys of a bucket can be those of one packet"
        );
        assert!(
            !(self.foreign && self.evicts()),
            "a key that is not stored cannot be forgotten"
        );
        let one_by_one = matches!(&self.ports[..], [port] if port.commit_after == 0);
        let can_hold = self.evicts == Evicts::Candidates && one_by_one;
        assert!(
            self.holds == 0 || (can_hold && self.holds < WAYS * SLOTS),
            "a new key would find no place"
        );
        let sees_turns = |port: &HashPort| port.slot <= port.commit_after;
        assert!(
            self.ports.iter().all(sees_turns),
            "a lookup would miss a turn before its own"
        );
    }

    fn header(&self) -> String {
        let answer_clocks = Hash::answer_clocks(self.registers);
        format!(
            "Keys of map {}: {WAYS} ways x {} buckets x {SLOTS} slots, for {} x {} bits.\n\
             Lookup: key and rows belong to stage R, hit and entry stand in registers in stage R + {answer_clocks}.\n\
             Updates and deletes take effect in stage C = R + {}; a key goes to the emptiest of its buckets.{}\n\
             {}{}",
            self.map,
            Hash::rows(self.max_entries),
            self.max_entries,
            self.key_bits,
            answer_clocks + self.ports[0].commit_after,
            if self.forward {
                "\nA lookup sees the updates and deletes that commit before its answer stands in registers."
            } else {
                ""
            },
            if self.evicts() {
                "A new key that finds the table or its buckets full takes the place of one that was not used lately.\n"
            } else {
                ""
            },
            if self.foreign {
                "A key of the host's that packets cannot have is foreign: it is counted, and not stored.\n"
            } else {
                ""
            }
        )
    }
}

fn key_memory(way: u32, slot: u32) -> String {
    format!("keys_{way}_{slot}")
}

/// The table; its stages are in [`ports`].
///
/// No two ports commit in one clock; packets are as many clocks apart as one of them has turns.
///
/// Without forwarding, and with `commit_after` above 0, the caller sees to it that no packet commits what it decided
/// before an older one with the same key committed. A dump reads a slot, not a key: no packet may stand in the stages
/// from R to A before it. What comes behind an operation of the host comes a clock after A at the earliest.
pub fn hash_table(config: &Hash) -> Block<HashTableIn, HashTableOut> {
    config.check();
    let mut m = Module::new(config.name.clone(), config.header());
    let inputs = m.inputs(HashTableIn::widths(config));
    let HashTableIn { slot, host } = &inputs;
    let keys = &slot.keys;
    let commits = Commits::new(&mut m, config, keys);
    let mut dump = Dump::new(&mut m, config, host);
    let lanes: Vec<Lane> = (0..config.ports.len())
        .map(|number| Port {
            table: config,
            number,
        })
        .map(|port| lane(&mut m, port, slot, &commits, &mut dump))
        .collect();
    let holds = Holds::new(&mut m, config);
    let held = holds.held(&mut m, lanes[0].before.rows);
    let waiting = ready(&mut m, &lanes, keys, held);

    m.section("Commit stage");
    let turns = turns(&mut m, config, keys, waiting[0].host);
    let active = active(&mut m, &turns, &waiting);
    let count = Count::new(&mut m, config, host.most);
    let foreign = Foreign::new(&mut m, host);
    let request = Request::new(&mut m, config, keys, (host, foreign.as_ref()), active.host);
    let decision = Decision::new(&mut m, config, &active, &request, count.full);
    let decided = (&active, &decision);
    seen::touch_ages(&mut m, (&lanes, keys), &waiting, decided, host);
    if let (Some(releases), Some(candidates)) = (slot.releases, &active.candidates) {
        let changes = m.or(&[request.update, request.delete]);
        let looks = m.not(changes);
        let finds = m.and(&[candidates.uses, looks, active.found.hit]);
        holds.follow(&mut m, finds, (active.found.place, active.rows), releases);
    }
    commits.drive(&mut m, (&active, &request, &decision), &lanes);
    let outcome = foreign.map(|foreign| foreign.outcome(&mut m, active.host, count.full));
    count.follow(&mut m, &decision, outcome.as_ref());
    write_keys(&mut m, &lanes, &active, &decision, host);
    let committed = Committed {
        waiting: &waiting,
        active: &active,
        request: &request,
        decision: &decision,
        foreign: outcome.as_ref(),
        dump: &dump,
    };
    let outputs = committed.answers(&mut m, keys, &lanes);
    m.into_block(inputs, outputs)
}

/// The commit writes to all copies of the keys; after reset the sweep does.
fn write_keys(
    m: &mut Module,
    lanes: &[Lane],
    active: &Ready,
    decision: &Decision,
    host: &HashHostIn,
) {
    let running = m.not(host.clear);
    let present = m.and(&[decision.insert, running]);
    let stored = m.concat(&[present, active.key]);
    let row_bits = m.width(host.clear_index);
    let rows: Vec<Node> = (0..WAYS)
        .map(|way| {
            let row = m.slice(active.rows, way * row_bits, row_bits);
            m.mux(host.clear, host.clear_index, row)
        })
        .collect();
    let writes = (decision.write_at, host.clear);
    for lane in lanes {
        lane.memories.write(m, writes, &rows, stored);
    }
}

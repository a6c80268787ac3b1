//! Hash tables: d ways with independent hash functions, buckets of two slots, constant-time insert.
//!
//! A key may lie in one bucket of each way; it goes to the emptiest of them when it is inserted and never moves
//! (d-left hashing; Vöcking, "How asymmetry helps load balancing", and Broder and Mitzenmacher, "Using multiple
//! hash functions to improve IP lookups"). At most three in eight slots are taken, so that an insert below
//! `max_entries` practically always finds room. One that does not answers E2BIG. In the worst case, a table that is kept
//! full while keys come and go, that is one insert in some ten millions; with half of the slots it would be one in
//! five thousand. Filling an empty table is a hundred times kinder (`capacity_in_figures` in the tests counts both).

mod commit;
mod evict;
mod function;
mod held;
mod places;

pub use function::{buckets, hash_function, HashFunctionIn};

use crate::errno::{last_error, E2BIG, EEXIST, EINVAL, ENOENT, ERRNO_BITS};
use crate::{index_bits, port_name};
use commit::{
    active, patched, seen, touched, Candidates, Commit, Found, Inputs, Pending, ProgramUpdate,
    Ready, Seen,
};
pub use evict::Evicts;
use evict::{Ages, Touch};
use hardpath_rtl::{MemStyle, Module, Node};
use held::{Held, PacketSlots};
use places::{emptiest, encode, row_of_place};

/// Ways of a table.
pub const WAYS: u32 = 4;
/// Slots of a bucket.
pub const SLOTS: u32 = 2;

/// At most so many keys for each row of all ways: of its slots, three in eight.
const KEYS_A_ROW: u32 = 3;

/// What a hash table must know.
pub struct Hash {
    pub name: String,
    /// What the map is called, for the header.
    pub map: String,
    pub key_bits: u32,
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
}

/// One key of a packet.
#[derive(Clone, Copy, Debug, Default)]
pub struct HashPort {
    /// Stages between the one in which a lookup's answer stands in registers and the commit stage.
    pub commit_after: u32,
    /// The data plane updates or deletes under this key.
    pub updates: bool,
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
}

fn key_memory(way: u32, slot: u32) -> String {
    format!("keys_{way}_{slot}")
}

/// The table. Stage R is the one in which `key` and `rows` of a port stand in registers; A = R + 2 is that of the answer, with
/// [`Hash::registers`] R + 3; C = A + `commit_after`.
/// Ports behind the first one have their number in the names of their signals.
///
/// Signals: `key`, `rows`, `host_r` (R; the host's in the first port) → `hit`, `entry` (A, from registers). With updates
/// or deletes of the data plane: `update`, `no_exist`, `must_exist`, `bad_flags`, `remove` (C) → `errno` (C).
/// `write_value`, `entry_c` (C): the value of that entry is to be written. `host_c` (C): the slot is the host's.
/// `host_found` (C): what the host looked for is there. `host_errno`, `host_key_out`: from registers after C.
///
/// Of a table that evicts: `uses` (C): the slot is a packet that looks the port's key up. `puts`, `removes_key`, `forgets`,
/// `key_c` (C): what happens in `entry_c`, for those who keep books. With [`Evicts::Candidates`] and a `commit_after` above 0
/// `displaced` (C, of the packet's first turn): what the port found is gone, so the packet must not commit.
///
/// The host's registers stand still from a clock before its operation comes until it is over. No two ports commit in one
/// clock; packets are as many clocks apart as one of them has turns.
///
/// Without forwarding, and with `commit_after` above 0, the caller sees to it that no packet commits what it decided
/// before an older one with the same key committed. A dump reads a slot, not a key: no packet may stand in the stages
/// from R to A before it. What comes behind an operation of the host comes a clock after A at the earliest.
pub fn hash_table(config: &Hash) -> Module {
    let row_bits = Hash::row_bits(config.max_entries);
    let answer_clocks = Hash::answer_clocks(config.registers);
    let rows = Hash::rows(config.max_entries);
    let entry_bits = Hash::entry_bits(config.max_entries);
    let key_bits = config.key_bits;
    let total_slots = WAYS * SLOTS;
    let turns = config.ports.iter().map(|port| port.slot).max().unwrap_or(0);
    let in_time = config.ports.iter().all(|port| port.commit_after == 0);
    assert!(
        config.evicts != Evicts::FirstBucket || config.ports.len() == 1,
        "both keys of a bucket can be those of one packet"
    );
    let sees_turns = |port: &HashPort| port.slot <= port.commit_after;
    assert!(
        config.ports.iter().all(sees_turns),
        "a lookup would miss a turn before its own"
    );
    let evicts = config.evicts != Evicts::Nobody;
    let displaces_late = config.evicts == Evicts::Candidates && !in_time;
    let keeps_key = config.forward || turns > 0;
    let mut m = Module::new(
        config.name.clone(),
        format!(
            "Keys of map {}: {WAYS} ways x {rows} buckets x {SLOTS} slots, for {} x {key_bits} bits.\n\
             Lookup: key and rows belong to stage R, hit and entry stand in registers in stage R + {answer_clocks}.\n\
             Updates and deletes take effect in stage C = R + {}; a key goes to the emptiest of its buckets.{}\n\
             {}Errors as the kernel's htab_map_update_elem: EINVAL 22, EEXIST 17, ENOENT 2, E2BIG 7.",
            config.map,
            config.max_entries,
            answer_clocks + config.ports[0].commit_after,
            if config.forward {
                "\nA lookup sees the updates and deletes that commit before its answer stands in registers."
            } else {
                ""
            },
            if evicts {
                "A new key that finds the table or its buckets full takes the place of one that was not used lately.\n"
            } else {
                ""
            }
        ),
    );
    let host_r = m.input(
        "host_r",
        1,
        "stage R: this slot is a host operation on this map",
    );
    let structural = config.ports.iter().any(|port| port.updates || port.deletes);
    let mut inputs = Vec::new();
    for (number, port) in config.ports.iter().enumerate() {
        let name = |wish: &str| port_name(wish, number as u32);
        inputs.push(Inputs {
            key: m.input(name("key"), key_bits, "stage R"),
            rows: m.input(
                name("rows"),
                WAYS * row_bits,
                "stage R: the bucket in each way",
            ),
            uses: evicts.then(|| {
                let doc = "stage C: a packet looks the key up";
                m.input(name("uses"), 1, doc)
            }),
            update: port.updates.then(|| ProgramUpdate {
                update: m.input(name("update"), 1, "stage C"),
                no_exist: m.input(name("no_exist"), 1, "stage C: BPF_NOEXIST"),
                must_exist: m.input(name("must_exist"), 1, "stage C: BPF_EXIST"),
                bad_flags: m.input(name("bad_flags"), 1, "stage C: other flags"),
            }),
            remove: port.deletes.then(|| m.input(name("remove"), 1, "stage C")),
        });
    }
    let clear = m.input("clear", 1, "the sweep after reset");
    let clear_row = m.input("clear_index", row_bits, "");
    let host_command = m.input("host_command", 3, "stands still during an operation");
    let host_flags = m.input("host_flags", 32, "");
    let host_slot = m.input("host_slot", 32, "");

    // The commit's effect on the buckets, used by the stages before it.
    let commit = Commit {
        label: "commit",
        write: m.wire(1, "commit_write"),
        occupy: m.wire(1, "commit_occupies"),
        row: m.wire(row_bits, "commit_row"),
        place: m.wire(index_bits(u64::from(total_slots)), "commit_place"),
        key: keeps_key.then(|| m.wire(key_bits, "commit_key")),
    };
    // What the buckets do not show yet when they are compared, the oldest first.
    let mut commits = vec![commit];
    let labels = ["last", "before_last"];
    for label in &labels[..answer_clocks as usize - 1] {
        commits.insert(0, commits[0].delayed(&mut m, label, config.forward));
    }
    // The host's registers stand still long before its operation arrives: what follows from them alone has
    // registers of its own.
    let is_dump = m.eq_const(host_command, u64::from(crate::interface::command::DUMP));
    let dump = m.delay("host_dumps", is_dump);
    let dump_place = m.slice(host_slot, row_bits, index_bits(u64::from(total_slots)));
    let dump_in_range = {
        let high = m.slice(host_slot, entry_bits, 32 - entry_bits);
        let beyond = m.reduce_or(high);
        let inside = m.not(beyond);
        m.delay("host_slot_exists", inside)
    };

    let mut memories = Vec::new();
    let mut states: Vec<Pending> = Vec::new();
    let mut all_ages = Vec::new();
    let mut packet_slots = Vec::new();
    let mut dump_key = None;
    for (number, port) in config.ports.iter().enumerate() {
        let name = |wish: String| port_name(&wish, number as u32);
        let of_port = match config.ports.len() {
            1 => String::new(),
            _ => format!(", port {number}"),
        };
        let (key, rows_in) = (inputs[number].key, inputs[number].rows);
        m.section(format!("Stage R{of_port}: the buckets are read"));
        let one = m.one();
        let mut words = Vec::new();
        for way in 0..WAYS {
            let row = m.slice(rows_in, way * row_bits, row_bits);
            for slot in 0..SLOTS {
                let memory = m.mem(
                    name(key_memory(way, slot)),
                    key_bits + 1,
                    rows,
                    MemStyle::Auto,
                );
                words.push(m.mem_read_sync(memory, row, one));
                memories.push((way * SLOTS + slot, memory));
            }
        }
        let mut ages = evicts.then(|| Ages::read(&mut m, name, config.evicts, rows_in, rows));
        let mut key_1 = m.delay(name("key_1st".into()), key);
        let mut rows_1 = m.delay(name("rows_1st".into()), rows_in);
        let mut host_1 = match number {
            0 => m.delay_reset("host_1st", host_r),
            _ => m.zero(1),
        };
        if config.registers {
            m.section(format!("Stage R + 1{of_port}: out of the memories"));
            for (place, word) in words.iter_mut().enumerate() {
                *word = m.delay(name(format!("word_{place}")), *word);
            }
            ages = ages.map(|ages| ages.wait_for_compare(&mut m, name));
            key_1 = m.delay(name("key_read".into()), key_1);
            rows_1 = m.delay(name("rows_read".into()), rows_1);
            if number == 0 {
                host_1 = m.delay_reset("host_read", host_1);
            }
        }

        m.section(format!(
            "Stage R + {}{of_port}: the keys are compared",
            answer_clocks - 1
        ));
        let mut hits = Vec::new();
        let mut taken = Vec::new();
        for (place, word) in words.iter().enumerate() {
            let present = m.bit(*word, key_bits);
            let stored = m.slice(*word, 0, key_bits);
            let same = m.eq(stored, key_1);
            let hit = m.and(&[present, same]);
            hits.push(m.name(hit, name(format!("hit_at_{place}"))));
            taken.push(present);
        }
        let dumps = m.and(&[host_1, dump]);
        let mut found = hits;
        if number == 0 {
            m.name(dumps, "dumps");
            let mut dumped = Vec::new();
            for place in 0..total_slots as usize {
                let here = m.eq_const(dump_place, place as u64);
                m.name(here, format!("dump_at_{place}"));
                let picked = m.and(&[here, taken[place], dump_in_range]);
                found[place] = m.mux(dumps, picked, found[place]);
                m.name(found[place], format!("found_at_{place}"));
                let stored = m.slice(words[place], 0, key_bits);
                dumped.push(m.gate(here, stored));
            }
            let dumped_key = m.or(&dumped);
            let (dump_reg, dump_key_held) = m.reg("host_key_reg", key_bits);
            m.set_next_when(dump_reg, dumps, dumped_key);
            dump_key = Some(dump_key_held);
        }
        let some_found = m.or(&found);
        let found_place = encode(&mut m, &found);
        let mut found_1 = Found {
            hit: m.name(some_found, name("found".into())),
            place: m.name(found_place, name("found_place".into())),
        };
        let looks_up = (config.forward || evicts).then(|| m.not(dumps));
        let mut now_taken = taken;
        for commit in &commits {
            if let (true, Some(looks_up)) = (evicts, looks_up) {
                found_1 = found_1.unless_displaced(&mut m, commit, rows_1, looks_up);
            }
            if let (true, Some(looks_up)) = (config.forward, looks_up) {
                found_1 = found_1.after(&mut m, commit, key_1, looks_up);
            }
            let touched = touched(&mut m, commit, rows_1);
            now_taken = patched(&mut m, commit, &touched, &now_taken);
        }
        let ranked = (ages.as_ref()).map(|ages| ages.rank(&mut m, name));
        all_ages.extend(ages);
        let mut state = Pending {
            rows: m.delay(name("rows_2nd".into()), rows_1),
            found: Found {
                hit: m.delay(name("hit_2nd".into()), found_1.hit),
                place: m.delay(name("place_2nd".into()), found_1.place),
            },
            key: m.delay(name("key_2nd".into()), key_1),
            host: m.delay_reset(name("host_2nd".into()), host_1),
            taken: (now_taken.iter().enumerate())
                .map(|(place, bit)| m.delay(name(format!("taken_{place}_2nd")), *bit))
                .collect(),
            ranked,
            displaced: displaces_late.then(|| m.zero(1)),
        };
        let entry = state.found.entry(&mut m, state.rows);
        m.output(name("hit".into()), state.found.hit, "stage A");
        m.output(name("entry".into()), entry, "stage A: way, slot, row");

        let commit = &commits[commits.len() - 1];
        // The first of the packet's turns.
        let first_turn = 2 + port.commit_after - port.slot;
        let mut slots = PacketSlots::new(rows_1);
        for clock in 3..3 + port.commit_after {
            m.section(format!(
                "Stage R + {}{of_port}: waiting for the commit",
                clock + answer_clocks - 2
            ));
            let rows_before = state.rows;
            let touched = touched(&mut m, commit, rows_before);
            let fresh = patched(&mut m, commit, &touched, &state.taken);
            // What the same packet committed in a turn before this one.
            let mut found = state.found;
            let turned = clock > first_turn;
            if clock - 1 == first_turn {
                slots.come(&state);
            }
            if turned {
                let always = m.one();
                found = found.after(&mut m, commit, state.key, always);
                slots.turn(&mut m, commit, &touched);
            } else {
                slots.rows_before = rows_before;
            }
            let displaced = state.displaced.filter(|_| !turned).map(|displaced| {
                let now = state.found.displaced(&mut m, commit, rows_before);
                m.name(now, name(format!("displaced_now_{clock}")));
                let displaced = m.or(&[displaced, now]);
                m.delay(name(format!("displaced_{clock}th")), displaced)
            });
            let suffix = format!("{clock}th");
            state = Pending {
                rows: m.delay(name(format!("rows_{clock}th")), rows_before),
                found: Found {
                    hit: m.delay(name(format!("hit_{clock}th")), found.hit),
                    place: m.delay(name(format!("place_{clock}th")), found.place),
                },
                key: m.delay(name(format!("key_{clock}th")), state.key),
                host: m.delay_reset(name(format!("host_{clock}th")), state.host),
                taken: (fresh.iter().enumerate())
                    .map(|(place, bit)| m.delay(name(format!("taken_{place}_{clock}th")), *bit))
                    .collect(),
                ranked: (state.ranked.as_ref()).map(|ranked| ranked.wait(&mut m, name, &suffix)),
                displaced: displaced.or(state.displaced),
            };
        }
        if first_turn == 2 + port.commit_after {
            slots.come(&state);
        }
        packet_slots.push(slots);
        states.push(state);
    }
    let waiting = ready(&mut m, &states, &inputs, &packet_slots);

    m.section("Commit stage");
    let host = waiting[0].host;
    let state = active(&mut m, &inputs, &waiting);
    // A table that evicts has one key more for each new one none of whose slots was taken.
    let most = match evicts {
        true => Hash::entries(config.max_entries),
        false => config.max_entries,
    };
    let count_bits = index_bits(u64::from(most) + 1);
    let (count_reg, count) = m.reg_reset("count", count_bits, 0);
    let limit = m.constant(u64::from(config.max_entries), count_bits);
    let full = match evicts {
        true => m.ule(limit, count),
        false => m.eq(count, limit),
    };
    m.name(full, "full");
    let is_update = m.eq_const(host_command, u64::from(crate::interface::command::UPDATE));
    let is_delete = m.eq_const(host_command, u64::from(crate::interface::command::DELETE));
    let is_one = m.eq_const(host_flags, 1);
    let is_two = m.eq_const(host_flags, 2);
    let flags_two = m.constant(2, 32);
    let above_two = m.ult(flags_two, host_flags);
    let host_update = m.delay("host_updates", is_update);
    let host_delete = m.delay("host_deletes", is_delete);
    let flag_one = m.delay("host_no_exist", is_one);
    let flag_two = m.delay("host_must_exist", is_two);
    let flags_bad = m.delay("host_bad_flags", above_two);
    let pick = |m: &mut Module, of_host: Node, programs: Vec<Node>| match programs.as_slice() {
        [] => m.and(&[host, of_host]),
        programs => {
            let program = m.or(programs);
            m.mux(host, of_host, program)
        }
    };
    let of_updates = |m: &mut Module, signal: fn(&ProgramUpdate) -> Node| -> Vec<Node> {
        let all = inputs.iter().filter_map(|port| port.update.as_ref());
        match all.clone().count() {
            1 => all.map(signal).collect(),
            // With several ports only that of the one that commits counts.
            _ => all
                .map(|update| m.and(&[update.update, signal(update)]))
                .collect(),
        }
    };
    let signals = of_updates(&mut m, |update| update.update);
    let update = pick(&mut m, host_update, signals);
    let signals = of_updates(&mut m, |update| update.no_exist);
    let no_exist = pick(&mut m, flag_one, signals);
    let signals = of_updates(&mut m, |update| update.must_exist);
    let must_exist = pick(&mut m, flag_two, signals);
    let signals = of_updates(&mut m, |update| update.bad_flags);
    let bad_flags = pick(&mut m, flags_bad, signals);
    let removals = inputs.iter().filter_map(|port| port.remove).collect();
    let delete = pick(&mut m, host_delete, removals);
    m.name(update, "updates");
    m.name(delete, "deletes");
    let absent = m.not(state.found.hit);
    let exists_wrongly = m.and(&[no_exist, state.found.hit]);
    let missing_wrongly = m.and(&[must_exist, absent]);
    m.name(exists_wrongly, "exists_wrongly");
    m.name(missing_wrongly, "missing_wrongly");
    let refused = m.or(&[bad_flags, exists_wrongly, missing_wrongly]);
    let allowed = m.not(refused);
    m.name(allowed, "allowed");
    let no_place = m.not(state.free);
    let no_room = match &state.candidates {
        // A packet whose ports hold all eight slots has more than eight keys.
        Some(candidates) if config.ports.len() > total_slots as usize => {
            let nobody = m.not(candidates.victim.some);
            m.and(&[no_place, nobody])
        }
        Some(_) => m.zero(1),
        None => m.or(&[full, no_place]),
    };
    m.name(no_room, "no_room");
    let room = m.not(no_room);
    let insert = m.and(&[update, allowed, absent, room]);
    m.name(insert, "insert");
    let overwrite = m.and(&[update, allowed, state.found.hit]);
    let remove = m.and(&[delete, state.found.hit]);
    m.name(remove, "removes");
    let write_value = m.or(&[insert, overwrite]);
    let mut new_place = state.chosen;
    let mut displaces = m.zero(1);
    if let Some(candidates) = &state.candidates {
        let instead = m.and(&[full, candidates.victim.some]);
        let takes_place = m.or(&[no_place, instead]);
        m.name(takes_place, "takes_a_place");
        new_place = m.mux(takes_place, candidates.victim.place, new_place);
        displaces = m.and(&[insert, takes_place]);
        m.name(displaces, "displaces");
    }
    let place_c = m.mux(state.found.hit, state.found.place, new_place);
    let row_c = row_of_place(&mut m, state.rows, place_c);
    if let Some(candidates) = &state.candidates {
        let found = m.and(&[candidates.uses, state.found.hit]);
        let active = Seen {
            found,
            place: place_c,
            rows: state.rows,
        };
        let seen = seen(&mut m, &inputs, &waiting, active);
        let touch = Touch {
            place: m.delay("place_committed", seen.place),
            found: m.delay_reset("found_committed", seen.found),
            put: m.delay_reset("put_committed", insert),
            displaces: m.delay_reset("displaces_committed", displaces),
        };
        let rows = m.delay("rows_committed", seen.rows);
        let ranked = candidates.ranked.wait(&mut m, |wish| wish, "committed");
        for ages in &all_ages {
            ages.write(&mut m, rows, &ranked, &touch, (clear, clear_row));
        }
    }
    let write_key = m.or(&[insert, remove]);
    let commit = &commits[commits.len() - 1];
    m.drive(commit.write, write_key);
    m.drive(commit.occupy, insert);
    m.drive(commit.row, row_c);
    m.drive(commit.place, place_c);
    if let Some(wire) = commit.key {
        m.drive(wire, state.key);
    }
    let more = m.add_const(count, 1);
    let less = m.sub_const(count, 1);
    let changed = m.mux(insert, more, less);
    let same_count = m.not(displaces);
    let counts = m.and(&[write_key, same_count]);
    m.set_next_when(count_reg, counts, changed);

    let running = m.not(clear);
    let present = m.and(&[insert, running]);
    let stored = m.concat(&[present, state.key]);
    let address = m.mux(clear, clear_row, row_c);
    for (place, memory) in memories {
        let here = m.eq_const(place_c, u64::from(place));
        let this = m.and(&[write_key, here]);
        let enable = m.or(&[this, clear]);
        m.mem_write(memory, address, stored, enable);
    }
    let entry_c = m.concat(&[place_c, row_c]);
    // Of what happens in this clock only the port that commits may speak.
    let others: Vec<Node> = inputs[1..]
        .iter()
        .filter_map(|port| port.update.as_ref())
        .map(|port| port.update)
        .collect();
    let first = match others.as_slice() {
        [] => write_value,
        others => {
            let other = m.or(others);
            let none = m.not(other);
            m.and(&[write_value, none])
        }
    };
    m.output(
        "write_value",
        first,
        "stage C: the value of entry_c is to be written",
    );
    for (number, port) in inputs.iter().enumerate().skip(1) {
        if let Some(update) = &port.update {
            let own = m.and(&[write_value, update.update]);
            m.output(port_name("write_value", number as u32), own, "stage C");
            let found = waiting[number].found.entry(&mut m, waiting[number].rows);
            let entry = m.mux(update.update, entry_c, found);
            m.output(port_name("entry_c", number as u32), entry, "stage C");
        }
    }
    m.output("entry_c", entry_c, "stage C");
    if evicts {
        m.output("key_c", state.key, "stage C: the key that commits");
        m.output("puts", insert, "stage C: the key is put into entry_c");
        m.output("removes_key", remove, "stage C: the key leaves entry_c");
        let doc = "stage C: another key had entry_c and is forgotten";
        m.output("forgets", displaces, doc);
    }
    if displaces_late {
        for (number, slots) in packet_slots.iter().enumerate() {
            let displaced = slots.displaced.expect("where keys are displaced late");
            let doc = "stage C, of the packet's first turn: the entry that was found is another key's now";
            m.output(port_name("displaced", number as u32), displaced, doc);
        }
    }
    let host_found = m.and(&[host, state.found.hit]);
    m.output("host_c", host, "stage C: this slot is the host's");
    m.output(
        "host_found",
        host_found,
        "stage C: what the host looked for is there",
    );

    let lookup_missed = {
        let writes = m.or(&[update, delete]);
        let reads = m.not(writes);
        let missed = m.or(&[delete, reads]);
        m.and(&[missed, absent])
    };
    let enoent_update = m.and(&[update, missing_wrongly]);
    let eexist = m.and(&[update, exists_wrongly]);
    let einval = m.and(&[update, bad_flags]);
    let e2big = m.and(&[update, allowed, absent, no_room]);
    let dump_behind = m.not(dump_in_range);
    let dump_einval = m.and(&[host, dump, dump_behind]);
    let einval = m.or(&[einval, dump_einval]);
    let enoent = m.or(&[lookup_missed, enoent_update]);
    let conditions = [
        (enoent, ENOENT),
        (e2big, E2BIG),
        (eexist, EEXIST),
        (einval, EINVAL),
    ];
    let errno = last_error(&mut m, &conditions);
    m.name(errno, "errno_c");
    if structural {
        m.output(
            "errno",
            errno,
            "stage C: 0 or the positive errno of the packet's update or delete",
        );
    }
    let (errno_reg, errno_held) = m.reg("host_errno_reg", ERRNO_BITS);
    m.set_next_when(errno_reg, host, errno);
    m.output("host_errno", errno_held, "");
    m.output(
        "host_key_out",
        dump_key.expect("the first port has it"),
        "the key that a dump found",
    );
    m
}

/// The ports in their commit stages.
fn ready(
    m: &mut Module,
    states: &[Pending],
    inputs: &[Inputs],
    slots: &[PacketSlots],
) -> Vec<Ready> {
    let mut all = Vec::new();
    for (number, state) in states.iter().enumerate() {
        let (free, chosen) = emptiest(m, &state.taken);
        let candidates = state.ranked.as_ref().map(|ranked| {
            let held: Held = held::held(m, slots, number);
            Candidates {
                victim: ranked.victim(m, &state.taken, &held),
                ranked: ranked.clone(),
                uses: inputs[number].uses.expect("of a table that evicts"),
            }
        });
        all.push(Ready {
            free,
            chosen,
            found: state.found,
            rows: state.rows,
            key: state.key,
            host: state.host,
            candidates,
        });
    }
    all
}

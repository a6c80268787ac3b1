//! The table behind a map with keys, at a fixed latency.

use hardpath_blocks::cuckoo::{cuckoo, Cuckoo, CuckooHostIn, CuckooIn, CuckooOut, CuckooSlotIn};
use hardpath_blocks::hash::{
    hash_function, hash_table, Functions, Hash, HashFunctionHostIn, HashFunctionIn,
    HashFunctionOut, HashHostIn, HashSlotIn, HashTableIn, HashTableOut,
};
use hardpath_blocks::host::MapQuestion;
use hardpath_blocks::interface::command;
use hardpath_blocks::key_bits::{self, KeyBits};
use hardpath_blocks::lpm::{lpm, Lpm, LpmHostIn, LpmIn, LpmOut, LpmSlotIn};
use hardpath_blocks::ternary::{
    ternary, Ternary, TernaryHostIn, TernaryIn, TernaryOut, TernarySlotIn, PRIORITY_BITS,
};
use hardpath_rtl::signals::Placed;
use hardpath_rtl::{Design, Instance, Module, Node};

/// The table behind a map with keys: what it takes in later stages than it starts in, as wires, and what it gives.
#[derive(Clone)]
pub enum Table {
    /// Whole keys, found at one a clock.
    Hash {
        /// What it takes behind its first stage.
        slot: HashSlotIn,
        /// The instance, and its outputs in the parent.
        placed: Placed<HashTableOut>,
        /// What it stores of a key; `None`: all that it is given.
        stored: Option<KeyBits>,
        /// Entries that there may be.
        max_entries: u32,
    },
    /// Whole keys that only the host writes, with their values.
    Cuckoo {
        /// What it takes behind its first stage.
        slot: CuckooSlotIn,
        /// The instance, and its outputs in the parent.
        placed: Placed<CuckooOut>,
    },
    /// Prefixes, of which the longest is found.
    Trie {
        /// What it takes behind its first stage.
        slot: LpmSlotIn,
        /// The instance, and its outputs in the parent.
        placed: Placed<LpmOut>,
    },
    /// Fields with masks, of which the entry of the highest priority is found.
    Ternary {
        /// What it takes behind its first stage.
        slot: TernarySlotIn,
        /// The instance, and its outputs in the parent.
        placed: Placed<TernaryOut>,
        /// Of a key that is looked up.
        key_bytes: u32,
    },
}

fn most(question: &MapQuestion) -> Node {
    question.most.expect("of a map that is told")
}

impl Table {
    /// A hash table. `stored`: what the table has of
    /// the host's keys; those that it does not store are foreign to it.
    pub fn hash(
        (design, parent): (&mut Design, &mut Module),
        name: String,
        config: &Hash,
        question: &MapQuestion,
        stored: Option<&KeyBits>,
    ) -> Table {
        let row_bits = Hash::row_bits(config.max_entries);
        let clear_index = parent.resize(question.clear_index, row_bits);
        let host_slot = Hash::entry_of(parent, config.max_entries, question.host_slot);
        let host_foreign = stored.and_then(|stored| is_foreign(parent, stored, question));
        let block = hash_table(config);
        let slot = block.wires(parent, &name, |inputs| &inputs.slot);
        let inputs = HashTableIn {
            slot: slot.clone(),
            host: HashHostIn {
                clear: question.clear,
                clear_index,
                host_command: question.host_command,
                host_may: question.host_may,
                host_slot,
                host_foreign,
                most: config.bounded.then(|| most(question)),
            },
        };
        Table::Hash {
            slot,
            placed: block.place(design, parent, name, inputs),
            stored: stored.cloned(),
            max_entries: config.max_entries,
        }
    }

    /// A table of keys with their values.
    pub fn cuckoo(
        (design, parent): (&mut Design, &mut Module),
        name: String,
        config: &Cuckoo,
        question: &MapQuestion,
    ) -> Table {
        let host = CuckooHostIn {
            clear: question.clear,
            clear_index: parent.resize(question.clear_index, Cuckoo::row_bits(config.max_entries)),
            host_command: question.host_command,
            host_may: question.host_may,
            host_slot: question.host_slot,
            host_key: parent.slice(question.host_key, 0, config.key_bits),
            host_value: parent.slice(question.host_value, 0, config.value_bits),
        };
        let block = cuckoo(config);
        let slot = block.wires(parent, &name, |inputs| &inputs.slot);
        let inputs = CuckooIn {
            slot: slot.clone(),
            host,
        };
        let placed = block.place(design, parent, name, inputs);
        Table::Cuckoo { slot, placed }
    }

    /// A table of prefixes. `start`: a command for it begins.
    pub fn trie(
        (design, parent): (&mut Design, &mut Module),
        name: String,
        config: &Lpm,
        question: &MapQuestion,
        start: Node,
    ) -> Table {
        let entry_bits = Lpm::entry_bits(config.max_entries);
        let host = LpmHostIn {
            clear: question.clear,
            clear_index: parent.resize(question.clear_index, entry_bits),
            start,
            host_command: question.host_command,
            host_may: question.host_may,
            host_slot: question.host_slot,
            host_key: parent.slice(question.host_key, 0, config.key_bytes * 8),
            most: config.bounded.then(|| most(question)),
        };
        let block = lpm(config);
        let slot = block.wires(parent, &name, |inputs| &inputs.slot);
        let inputs = LpmIn {
            slot: slot.clone(),
            host,
        };
        let placed = block.place(design, parent, name, inputs);
        Table::Trie { slot, placed }
    }

    /// A table of entries with masks and priorities; the host's key is the key of an entry: the fields in `key_bytes` bytes, their
    /// masks, the priority. `start`: a command for it begins.
    pub fn ternary(
        (design, parent): (&mut Design, &mut Module),
        name: String,
        (config, key_bytes): (&Ternary, u32),
        question: &MapQuestion,
        start: Node,
    ) -> Table {
        let entry_bits = config.entry_bits();
        let key_bits = config.key_bits();
        let part = |parent: &mut Module, bytes: u32, bits: u32| {
            parent.slice(question.host_key, bytes * 8, bits)
        };
        let host = TernaryHostIn {
            clear: question.clear,
            clear_index: parent.resize(question.clear_index, entry_bits),
            start,
            host_command: question.host_command,
            host_may: question.host_may,
            host_slot: question.host_slot,
            host_key: part(parent, 0, key_bits),
            host_mask: part(parent, key_bytes, key_bits),
            host_priority: part(parent, 2 * key_bytes, PRIORITY_BITS),
        };
        let block = ternary(config);
        let slot = block.wires(parent, &name, |inputs| &inputs.slot);
        let inputs = TernaryIn {
            slot: slot.clone(),
            host,
        };
        let placed = block.place(design, parent, name, inputs);
        Table::Ternary {
            slot,
            placed,
            key_bytes,
        }
    }

    /// The table in its parent.
    pub fn instance(&self) -> Instance {
        match self {
            Table::Hash { placed, .. } => placed.instance,
            Table::Cuckoo { placed, .. } => placed.instance,
            Table::Trie { placed, .. } => placed.instance,
            Table::Ternary { placed, .. } => placed.instance,
        }
    }

    /// The memories of the keys, below the instance, in the order of the entries; `None`: they do not have them as a dump shows them.
    pub fn key_memories(&self) -> Option<Vec<String>> {
        match self {
            Table::Hash { .. } => Some(Hash::key_memories()),
            Table::Cuckoo { .. } => Some(Cuckoo::key_memories()),
            Table::Trie { .. } => Some(vec![Lpm::KEY_MEMORY.into()]),
            Table::Ternary { .. } => None,
        }
    }

    /// What a hash table gives.
    ///
    /// # Panics
    /// When it is a table of prefixes.
    pub fn hash_out(&self) -> &HashTableOut {
        match self {
            Table::Hash { placed, .. } => &placed.out,
            _ => unreachable!("it is no hash table"),
        }
    }

    /// What a table gives that has the values.
    pub fn cuckoo_out(&self) -> Option<&CuckooOut> {
        match self {
            Table::Cuckoo { placed, .. } => Some(&placed.out),
            _ => None,
        }
    }

    /// A port's hit and entry, in the stage of its answer.
    pub fn answer(&self, port: usize) -> (Node, Node) {
        match self {
            Table::Hash { placed, .. } => {
                let key = &placed.out.keys[port];
                (key.hit, key.entry)
            }
            Table::Cuckoo { placed, .. } => (placed.out.hit, placed.out.entry),
            Table::Trie { placed, .. } => (placed.out.hit, placed.out.entry),
            Table::Ternary { placed, .. } => (placed.out.hit, placed.out.entry),
        }
    }

    /// Whether a port's value is to be written and where, in its commit stage. Only of the first port and those that update.
    pub fn write(&self, port: usize) -> (Node, Node) {
        match self {
            Table::Hash { placed, .. } => {
                let write = &placed.out.keys[port].write;
                let write = write.as_ref().expect("of a port that updates");
                (write.write_value, write.entry_c)
            }
            Table::Cuckoo { .. } => unreachable!("it has the values"),
            // A trie's answer to the host is the entry that is meant.
            Table::Trie { placed, .. } => (placed.out.write_value, placed.out.entry),
            Table::Ternary { placed, .. } => (placed.out.write_value, placed.out.entry),
        }
    }

    /// This slot is the host's: of a hash table in the stage of its commit, of a trie in that of its answer.
    pub fn host_here(&self) -> Node {
        match self {
            Table::Hash { placed, .. } => placed.out.host_c,
            Table::Cuckoo { placed, .. } => placed.out.host_c,
            Table::Trie { placed, .. } => placed.out.host_c,
            Table::Ternary { placed, .. } => placed.out.host_c,
        }
    }

    /// A trie is ready for the slot of the host's operation.
    ///
    /// # Panics
    /// When it is a hash table, which always is.
    pub fn prepared(&self) -> Node {
        match self {
            Table::Hash { .. } | Table::Cuckoo { .. } => {
                unreachable!("a hash table prepares nothing")
            }
            Table::Trie { placed, .. } => placed.out.prepared,
            Table::Ternary { placed, .. } => placed.out.prepared,
        }
    }

    /// The slot of what the host's operation was done on; of a dump in vain the last one that is seen to be empty.
    pub fn host_slot(&self, m: &mut Module) -> Node {
        match self {
            Table::Hash {
                placed,
                max_entries,
                ..
            } => Hash::slot_of(m, *max_entries, placed.out.host_entry),
            Table::Cuckoo { placed, .. } => placed.out.host_slot_out,
            Table::Trie { placed, .. } => placed.out.host_slot_out,
            Table::Ternary { placed, .. } => placed.out.host_slot_out,
        }
    }

    /// The answer to the host's operation, and the whole key that a dump found.
    pub fn host_answer(&self, m: &mut Module) -> (Node, Node) {
        match self {
            Table::Hash { placed, stored, .. } => {
                let key = placed.out.host_key_out;
                let whole = stored
                    .as_ref()
                    .map(|stored| key_bits::whole(m, stored, key));
                (placed.out.host_answer, whole.unwrap_or(key))
            }
            Table::Cuckoo { placed, .. } => (placed.out.host_answer, placed.out.host_key_out),
            Table::Trie { placed, .. } => (placed.out.host_answer, placed.out.host_key_out),
            Table::Ternary {
                placed, key_bytes, ..
            } => {
                let out = &placed.out;
                let [key, mask] =
                    [out.host_key_out, out.host_mask_out].map(|part| m.resize(part, key_bytes * 8));
                let whole = m.concat(&[out.host_priority_out, mask, key]);
                (out.host_answer, whole)
            }
        }
    }
}

/// The host's key is one that the table does not store, and its command means the key. `None`: the table stores all keys.
fn is_foreign(m: &mut Module, stored: &KeyBits, question: &MapQuestion) -> Option<Node> {
    let key = m.slice(question.host_key, 0, stored.bits());
    let foreign = key_bits::foreign(m, stored, key)?;
    let is_dump = m.eq_const(question.host_command, u64::from(command::DUMP));
    let means_key = m.not(is_dump);
    Some(m.and(&[foreign, means_key]))
}

/// The hash functions in front of a port of a table: the key that is meant and its buckets, in the clock of the key. The keys, the
/// packet's and the host's, are what the table stores of them. `host`: of the first port.
pub fn functions(
    (design, parent): (&mut Design, &mut Module),
    (module, name): (&str, String),
    config: Functions,
    port: usize,
    key: Node,
    host: Option<HashFunctionHostIn>,
) -> HashFunctionOut {
    let block = hash_function(module, config, port);
    let inputs = HashFunctionIn { key, host };
    block.place(design, parent, name, inputs).out
}

//! Reads: a word on its way out of the memory takes up what is written to its index meanwhile.

use super::{Array, ArrayHostIn, ArraySlotIn};
use crate::index_bits;
use hardpath_rtl::{Mem, MemStyle, Module, Node};

/// The indexes that are read. The first one is the host's, where the host gives a key.
pub(super) fn addresses(m: &mut Module, slot: &ArraySlotIn, host: &ArrayHostIn) -> Vec<Node> {
    let mut addresses = slot.read_index.clone();
    if let Some(key) = &host.key {
        let width = m.width(addresses[0]);
        let index = host_index(m, key.host_index, width);
        addresses[0] = m.mux(slot.host_a, index, addresses[0]);
    }
    m.name(addresses[0], "index_a");
    addresses
}

/// The host's key as an index.
pub(super) fn host_index(m: &mut Module, key: Node, width: u32) -> Node {
    let low = m.slice(key, 0, width.min(32));
    m.resize(low, width)
}

/// What is written in a clock.
#[derive(Clone, Copy)]
pub(super) struct Commit {
    write: Node,
    index: Node,
    word: Node,
}

impl Commit {
    pub(super) fn wires(m: &mut Module, config: &Array) -> Commit {
        Commit {
            write: m.wire(1, "commit_write"),
            index: m.wire(index_bits(u64::from(config.depth)), "commit_index"),
            word: m.wire(config.word_bits(), "commit_word"),
        }
    }

    pub(super) fn drive(&self, m: &mut Module, write: Node, index: Node, word: Node) {
        m.drive(self.write, write);
        m.drive(self.index, index);
        m.drive(self.word, word);
    }

    /// The same a clock later, for the read of that number.
    fn last(&self, m: &mut Module, number: usize) -> Commit {
        Commit {
            write: m.delay_reset(format!("last_write_{number}"), self.write),
            index: m.delay(format!("last_index_{number}"), self.index),
            word: m.delay(format!("last_word_{number}"), self.word),
        }
    }

    /// A word that was read at an index, or what is written when it goes there.
    fn forwarded(&self, m: &mut Module, index: Node, word: Node) -> Node {
        let same = m.eq(index, self.index);
        let hit = m.and(&[self.write, same]);
        m.mux(hit, self.word, word)
    }
}

/// The memory, once for each read.
pub(super) struct Copies(Vec<Mem>);

impl Copies {
    pub(super) fn new(m: &mut Module, config: &Array) -> Copies {
        let style = match Array::in_lut_ram(config.depth) {
            true => MemStyle::Distributed,
            false => MemStyle::Auto,
        };
        let word = config.word_bits();
        let copies = (0..config.reads.len())
            .map(|number| m.mem(config.memory(number), word, config.depth, style));
        Copies(copies.collect())
    }

    /// The words, from registers.
    pub(super) fn read(
        &self,
        m: &mut Module,
        config: &Array,
        addresses: &[Node],
        commit: &Commit,
    ) -> Vec<Node> {
        let one = m.one();
        let copies = self.0.iter().zip(addresses).enumerate();
        copies
            .map(|(number, (copy, address))| {
                let fresh = match Array::in_lut_ram(config.depth) {
                    true => {
                        let read = m.mem_read_async(*copy, *address);
                        match config.forward {
                            true => commit.forwarded(m, *address, read),
                            false => read,
                        }
                    }
                    false => {
                        let read = m.mem_read_sync(*copy, *address, one);
                        m.name(read, format!("read_{number}"));
                        match config.forward {
                            true => forwarded_twice(m, commit, number, *address, read),
                            false => read,
                        }
                    }
                };
                m.delay(format!("word_{number}"), fresh)
            })
            .collect()
    }

    pub(super) fn write(&self, m: &mut Module, address: Node, word: Node, write: Node) {
        for copy in &self.0 {
            m.mem_write(*copy, address, word, write);
        }
    }
}

/// A word out of block RAM misses the write in the clock of its address, and the one in the clock in which it comes.
fn forwarded_twice(
    m: &mut Module,
    commit: &Commit,
    number: usize,
    address: Node,
    read: Node,
) -> Node {
    let index = m.delay(format!("index_{number}_b"), address);
    let last = commit.last(m, number);
    let older = last.forwarded(m, index, read);
    commit.forwarded(m, index, older)
}

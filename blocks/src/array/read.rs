//! Reads: a word on its way out of the memory takes up what is written to its index meanwhile.

use super::late::Late;
use super::{Array, ArrayHostIn, ArraySlotIn, ArrayWriteIn};
use crate::index_bits;
use hardpath_rtl::{Mem, MemStyle, Module, Node};

/// The indexes that are read. The first one is the host's, where the host gives a key.
pub(super) fn addresses(m: &mut Module, slot: &ArraySlotIn, host: &ArrayHostIn) -> Vec<Node> {
    let mut addresses = slot.read_index.clone();
    if let Some(key) = &host.key {
        let width = m.width(addresses[0]);
        let index = host_index(m, key.host_index, width);
        addresses[0] = match m.as_const(addresses[0]) {
            Some(_) => m.gate(slot.host_a, index),
            None => m.mux(slot.host_a, index, addresses[0]),
        };
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
#[derive(Clone)]
pub(super) struct Commit {
    pub write: Node,
    pub index: Node,
    pub word: Node,
    /// The index is one of these: so that compares with them need not wait for the choice.
    from: Indexes,
    /// With [`Array::parts`].
    pub late: Option<Late>,
}

/// Where several writers write to.
#[derive(Clone)]
struct Indexes {
    /// When none of the others writes.
    first: Node,
    /// Whether it writes, and where. One of them at most.
    others: Vec<(Node, Node)>,
}

impl Commit {
    /// `writes`: of the program.
    pub(super) fn wires(m: &mut Module, config: &Array, writes: &[ArrayWriteIn]) -> Commit {
        let index = m.wire(index_bits(u64::from(config.depth)), "commit_index");
        let others = writes.iter().skip(1);
        let others: Vec<(Node, Node)> = others
            .filter_map(|write| Some((write.put.as_ref()?.write, write.write_index?)))
            .collect();
        let first = match others.is_empty() {
            true => index,
            false => m.wire(m.width(index), "first_index"),
        };
        Commit {
            write: m.wire(1, "commit_write"),
            index,
            word: m.wire(config.word_bits(), "commit_word"),
            from: Indexes { first, others },
            late: match (config.parts.as_slice(), writes) {
                ([], _) => None,
                (parts, [write]) => write.put.as_ref().map(|put| Late::wires(m, parts, put)),
                _ => unreachable!("one writer has parts"),
            },
        }
    }

    /// `first_index`: where it goes to when none of the others writes.
    pub(super) fn drive(&self, m: &mut Module, write: Node, first_index: Node, word: Node) {
        m.drive(self.write, write);
        m.drive(self.word, word);
        if !self.from.others.is_empty() {
            m.drive(self.from.first, first_index);
        }
        let mut index = first_index;
        for (writes, other) in &self.from.others {
            index = m.mux(*writes, *other, index);
        }
        m.drive(self.index, index);
    }

    /// With one writer.
    pub(super) fn at(write: Node, index: Node, word: Node) -> Commit {
        let others = Vec::new();
        Commit {
            write,
            index,
            word,
            from: Indexes {
                first: index,
                others,
            },
            late: None,
        }
    }

    /// The same a clock later.
    pub(super) fn later(&self, m: &mut Module, name: &str) -> Commit {
        let write = m.delay_reset(format!("{name}_write"), self.write);
        let index = m.delay(format!("{name}_index"), self.index);
        Commit::at(write, index, m.delay(format!("{name}_word"), self.word))
    }

    /// Whether it goes to an index.
    fn hits(&self, m: &mut Module, index: Node) -> Node {
        let mut same = m.eq(index, self.from.first);
        for (writes, other) in &self.from.others {
            let same_as_other = m.eq(index, *other);
            same = m.mux(*writes, same_as_other, same);
        }
        m.and(&[self.write, same])
    }

    /// A word that was read at an index, or what is written when it goes there.
    fn forwarded(&self, m: &mut Module, index: Node, word: Node) -> Node {
        let hit = self.hits(m, index);
        self.chosen(m, hit, 0, word)
    }

    /// Bits of a word that was read, from `lo` up, or what is written when it `is_meant`.
    fn chosen(&self, m: &mut Module, is_meant: Node, lo: u32, read: Node) -> Node {
        match &self.late {
            Some(late) => late.forwarded(m, is_meant, lo, read),
            None => {
                let word = m.slice(self.word, lo, m.width(read));
                m.mux(is_meant, word, read)
            }
        }
    }
}

/// What is written, and what was: as far back as a word that is being read may have missed it.
pub(super) enum Commits {
    /// Words come as they are.
    Unseen,
    /// In this clock.
    Now(Commit),
    /// In this clock and the last one.
    Two { now: Commit, last: Commit },
    /// In this clock, in the last one, which only now goes into the memory, and in the one before.
    Three {
        now: Commit,
        last: Commit,
        before: Commit,
    },
}

impl Commits {
    /// `stored`: what goes into the memory.
    pub(super) fn new(m: &mut Module, config: &Array, now: Commit, stored: Commit) -> Commits {
        match (config.forward, config.clocks()) {
            (false, _) => Commits::Unseen,
            (true, 1) => Commits::Now(now),
            (true, 2) => Commits::Two {
                last: now.later(m, "last"),
                now,
            },
            (true, _) => Commits::Three {
                now,
                before: stored.later(m, "before"),
                last: stored,
            },
        }
    }
}

/// The memory, once for each read.
pub(super) struct Copies(Vec<Mem>);

impl Copies {
    /// `stored`: what goes into all of them.
    pub(super) fn new(m: &mut Module, config: &Array, stored: &Commit) -> Copies {
        let style = match Array::in_lut_ram(config.depth) {
            true => MemStyle::Distributed,
            false => MemStyle::Auto,
        };
        let word = config.word_bits();
        let mut copy = |number| {
            let memory = m.mem(config.memory(number), word, config.depth, style);
            m.mem_write(memory, stored.index, stored.word, stored.write);
            memory
        };
        Copies((0..config.reads.len()).map(&mut copy).collect())
    }

    /// The words, from registers.
    pub(super) fn read(
        &self,
        m: &mut Module,
        config: &Array,
        addresses: &[Node],
        commits: &Commits,
    ) -> Vec<Node> {
        let copies = self.0.iter().zip(addresses).enumerate();
        copies
            .map(|(number, (copy, address))| {
                let read = word_read(m, config, *copy, *address, number);
                let fresh = match commits {
                    Commits::Unseen => read,
                    Commits::Now(now) => now.forwarded(m, *address, read),
                    Commits::Two { now, last } => {
                        let index = m.delay(format!("index_{number}_b"), *address);
                        let older = last.forwarded(m, index, read);
                        now.forwarded(m, index, older)
                    }
                    Commits::Three { now, last, before } => {
                        let missed = missed(m, number, *address, [now, last, before]);
                        missed.forwarded(m, now, read)
                    }
                };
                m.delay(format!("word_{number}"), fresh)
            })
            .collect()
    }
}

/// What comes out of the memory, a clock before it stands in the word's register.
fn word_read(m: &mut Module, config: &Array, copy: Mem, address: Node, number: usize) -> Node {
    if Array::in_lut_ram(config.depth) {
        return m.mem_read_async(copy, address);
    }
    let one = m.one();
    let read = m.mem_read_sync(copy, address, one);
    match config.registers {
        true => {
            m.name(read, format!("out_{number}"));
            m.delay(format!("read_{number}"), read)
        }
        false => m.name(read, format!("read_{number}")),
    }
}

/// Most bits of a word that one comparison chooses.
const MOST_LOADS: u32 = 192;

/// In stage A + 2: what was written to a read's index since its word left the memory, in registers. Each part of a word has an index of its
/// own, and whether something was written.
struct Missed {
    index: Vec<Node>,
    some: Vec<Node>,
    word: Node,
}

impl Missed {
    fn forwarded(&self, m: &mut Module, now: &Commit, read: Node) -> Node {
        let bits = m.width(read);
        let parts = self.index.iter().zip(&self.some);
        let parts = parts.zip((0..).step_by(MOST_LOADS as usize));
        let parts = parts.map(|((index, some), lo)| {
            let part = |m: &mut Module, word| m.slice(word, lo, MOST_LOADS.min(bits - lo));
            let [missed, read] = [self.word, read].map(|word| part(m, word));
            let word = m.mux(*some, missed, read);
            let hit = now.hits(m, *index);
            now.chosen(m, hit, lo, word)
        });
        let mut parts: Vec<Node> = parts.collect();
        parts.reverse();
        m.concat(&parts)
    }
}

/// The newest of three commits to the index of a read: in the clock before its stage A, which goes into the memory in that stage and so
/// comes too late for it, in stage A, and in the one behind. All are compared in the one behind, when the index stands in a register:
/// in stage A it may come late. They are chosen in the next one.
fn missed(m: &mut Module, number: usize, address: Node, newest_first: [&Commit; 3]) -> Missed {
    let bits = m.width(newest_first[0].word);
    let parts = bits.div_ceil(MOST_LOADS) as usize;
    let indexes = match parts {
        1 => vec![m.delay(format!("index_{number}_b"), address)],
        _ => m.delay_copies(&format!("index_{number}_b"), address, parts),
    };
    let mut missed = Missed {
        index: Vec::new(),
        some: Vec::new(),
        word: newest_first[0].word,
    };
    let mut words = Vec::new();
    for (part, index) in indexes.into_iter().enumerate() {
        let lo = part as u32 * MOST_LOADS;
        let hits = newest_first.map(|commit| commit.hits(m, index));
        let of_part = |m: &mut Module, word| m.slice(word, lo, MOST_LOADS.min(bits - lo));
        let [newest, newer, oldest] = newest_first.map(|commit| of_part(m, commit.word));
        let some = m.or(&hits);
        let older = m.mux(hits[1], newer, oldest);
        words.push(m.mux(hits[0], newest, older));
        let name = |what: String| match parts {
            1 => what,
            _ => format!("{what}_{part}"),
        };
        let (index_c, some_c) = (format!("index_{number}_c"), format!("missed_{number}"));
        missed.index.push(m.delay(name(index_c), index));
        missed.some.push(m.delay_reset(name(some_c), some));
    }
    words.reverse();
    let word = m.concat(&words);
    missed.word = m.delay(format!("missed_word_{number}"), word);
    missed
}

//! Value memories with several writers, each with its own index and its own turn, and with reads in different stages;
//! commits later than the words, windows kept as the contract says; the host between them.

use crate::answers::{BAD_INDEX, DONE, EXISTS, MISSING, REFUSED};
use crate::bench::Bench;
use hardpath_blocks::array::{array, Array, HostAddress, Presence};
use hardpath_blocks::index_bits;
use hardpath_blocks::interface::command;
use hardpath_blocks::may::May;
use hardpath_rtl::signals::numbered;
use hardpath_rtl::{Design, Module, Node};
use hardpath_testkit::Random;
use std::collections::VecDeque;

/// The memory, and when a packet's signals come to it.
struct Setup {
    array: Array,
    /// Clocks from the commit stage to the writers' turns. The host's is that of the first one.
    turns: Vec<u32>,
}

impl Setup {
    /// Clocks from a packet's entrance to the commit stage.
    fn commit(&self) -> u32 {
        *self.array.reads.iter().max().expect("a read")
    }

    /// Clocks from a packet's entrance to the address stage of a read.
    fn address(&self, read: usize) -> u32 {
        self.commit() - self.array.reads[read]
    }

    /// Packets write at one of the writers.
    fn puts(&self, writer: usize) -> bool {
        writer > 0 || !self.array.first_is_the_hosts
    }

    /// Writes come with an index.
    fn gives_index(&self) -> bool {
        self.array.own_write_index && self.array.has_indexes()
    }

    /// Packets are so many clocks apart.
    fn apart(&self) -> u32 {
        1 + self.turns.iter().max().expect("a writer")
    }

    /// All results are seen in this clock.
    fn end(&self) -> u32 {
        self.commit() + self.apart()
    }
}

/// Everything enters in clock 0, is delayed to its stage, and comes out in the clock of the end.
fn design(setup: &Setup) -> Design {
    let config = &setup.array;
    let mut design = Design::new();
    let index_width = index_bits(u64::from(config.depth));
    let memory_id = design.add(array(config));
    let memory = &design.modules[memory_id];
    let mut m = Module::new("around", "");
    let delayed = |m: &mut Module, name: &str, node: Node, clocks: u32| {
        (0..clocks).fold(node, |node, clock| {
            m.delay(format!("{name}_after_{clock}"), node)
        })
    };
    let mut signals: Vec<(String, u32, u32)> = vec![
        ("host_a".into(), 1, setup.address(0)),
        ("clear".into(), 1, 0),
        ("clear_index".into(), index_width, 0),
        ("host_value".into(), config.value_bits, 0),
    ];
    match config.host {
        HostAddress::Key => {
            for (name, bits) in [
                ("host_command", 3),
                ("host_may", May::BITS),
                ("host_index", 32),
            ] {
                signals.push((name.into(), bits, 0));
            }
        }
        HostAddress::Follows => {
            let commit = setup.commit() + setup.turns[0];
            signals.push(("host_write_ok".into(), 1, commit));
        }
    }
    if config.has_indexes() {
        for read in 0..config.reads.len() {
            let name = format!("read_index_{read}");
            signals.push((name, index_width, setup.address(read)));
        }
    }
    for (writer, turn) in setup.turns.iter().enumerate() {
        let mut all = Vec::new();
        if setup.puts(writer) {
            all.extend([("write", 1), ("write_word", config.word_bits())]);
        }
        if setup.gives_index() {
            all.push(("write_index", index_width));
        }
        for (signal, bits) in all {
            let name = numbered(signal, writer);
            signals.push((name, bits, setup.commit() + turn));
        }
    }
    let mut inputs = Vec::new();
    for (name, bits, clocks) in signals {
        let node = m.input(name.clone(), bits, "");
        let node = delayed(&mut m, &name, node, clocks);
        inputs.push((name, node));
    }
    let inputs: Vec<(&str, Node)> = inputs
        .iter()
        .map(|(name, node)| (name.as_str(), *node))
        .collect();
    let instance = m.instance(memory, memory_id, "memory", &inputs);
    for read in 0..config.reads.len() {
        let name = format!("read_word_{read}");
        let node = m.instance_output(memory, instance, &name);
        let came = setup.address(read) + config.clocks();
        let node = delayed(&mut m, &name, node, setup.end() - came);
        m.output(name, node, "");
    }
    for name in ["host_answer", "host_result"] {
        let node = m.instance_output(memory, instance, name);
        m.output(name, node, "");
    }
    design.add(m);
    design
}

/// What is seen at a packet's end.
struct Due {
    clock: u64,
    words: Vec<u64>,
    /// The host's answer, and the value that was there when there is one.
    host: Option<(u64, Option<u64>)>,
}

struct Run {
    setup: Setup,
    bench: Bench,
    random: Random,
    words: Vec<u64>,
    due: VecDeque<Due>,
    /// What was written lately: the index and the clock of its commit.
    written: VecDeque<(u64, u64)>,
    clock: u64,
    /// From this clock on the next packet may come.
    next: u64,
    host_over: u64,
    /// Writes that were read while they were on their way to the memory.
    forwarded: u32,
}

impl Run {
    fn new(setup: Setup, seed: u64) -> Run {
        Run {
            bench: Bench::new(&design(&setup)),
            random: Random::new(seed),
            words: vec![0; setup.array.depth as usize],
            due: VecDeque::new(),
            written: VecDeque::new(),
            clock: 0,
            next: 0,
            host_over: 0,
            forwarded: 0,
            setup,
        }
    }

    fn value(&mut self) -> u64 {
        self.random.next() & (u64::MAX >> (64 - self.setup.array.value_bits))
    }

    /// The last commit that the word of a read of a packet that enters now shows, wherever it stands.
    fn shows_until(&self, read: usize) -> u64 {
        let address = self.clock + u64::from(self.setup.address(read));
        let clocks = self.setup.array.clocks();
        match self.setup.array.forward {
            true => address + u64::from(clocks) - 1,
            // Commits of the address stage's own clock come too late.
            false => address.wrapping_sub(1),
        }
    }

    /// Whether the contract lets a packet with these indexes in now.
    fn may_enter(&self, indexes: &[u64]) -> bool {
        let sees = |(read, index): (usize, &u64)| {
            let last = self.shows_until(read).wrapping_add(1);
            let mut same = self.written.iter().filter(|(other, _)| other == index);
            same.all(|(_, commit)| *commit < last)
        };
        self.clock >= self.next && indexes.iter().enumerate().all(sees)
    }

    fn no_writes(&mut self) {
        for writer in 0..self.setup.turns.len() {
            if self.setup.puts(writer) {
                self.bench.set(&numbered("write", writer), 0);
            }
        }
        self.bench.set("host_a", 0);
    }

    /// The indexes that are read, from one of the reads on.
    fn set_indexes(&mut self, indexes: &[u64], first: usize) {
        if !self.setup.array.has_indexes() {
            return;
        }
        for (read, index) in indexes.iter().enumerate().skip(first) {
            self.bench.set(&format!("read_index_{read}"), *index);
        }
    }

    fn idle(&mut self) {
        self.no_writes();
        self.step();
    }

    fn step(&mut self) {
        self.bench.step();
        let end = u64::from(self.setup.end());
        if self
            .due
            .front()
            .is_some_and(|due| due.clock + end == self.clock)
        {
            let due = self.due.pop_front().expect("looked at");
            for (read, word) in due.words.iter().enumerate() {
                let found = self.bench.get(&format!("read_word_{read}"));
                assert_eq!(found, *word, "read {read} of clock {}", due.clock);
            }
            if let Some((answer, result)) = due.host {
                assert_eq!(self.bench.get("host_answer"), answer, "clock {}", due.clock);
                if let Some(result) = result {
                    assert_eq!(self.bench.get("host_result"), result, "{}", due.clock);
                }
            }
        }
        self.clock += 1;
    }

    fn enter(&mut self, indexes: &[u64], host: Option<(u64, Option<u64>)>) {
        for (read, index) in indexes.iter().enumerate() {
            let address = self.clock + u64::from(self.setup.address(read));
            let close = |(other, commit): &(u64, u64)| other == index && *commit >= address;
            self.forwarded += u32::from(self.written.iter().any(close));
        }
        self.due.push_back(Due {
            clock: self.clock,
            words: indexes
                .iter()
                .map(|index| self.words.get(*index as usize).copied().unwrap_or(0))
                .collect(),
            host,
        });
        self.next = self.clock + u64::from(self.setup.apart());
    }

    fn writes(&mut self, index: u64, value: u64, turn: u32) {
        let commit = self.clock + u64::from(self.setup.commit() + turn);
        self.words[index as usize] = value;
        self.written.push_back((index, commit));
        if self.written.len() > 60 {
            self.written.pop_front();
        }
    }

    /// Reads and, one write a turn, writes; any of the writers may come to an index that it also reads.
    fn packet(&mut self, indexes: &[u64], spread: u64) {
        while !self.may_enter(indexes) {
            self.idle();
        }
        self.no_writes();
        self.set_indexes(indexes, 0);
        self.enter(indexes, None);
        let mut taken = Vec::new();
        let mut writers: Vec<usize> = (0..self.setup.turns.len()).collect();
        let first = self.random.below(writers.len() as u64) as usize;
        writers.swap(0, first);
        let mut writes = Vec::new();
        for writer in writers {
            let (turn, number) = (self.setup.turns[writer], writer as u32);
            let own = self.setup.array.own_write_index;
            let index = match (own, self.random.below(2)) {
                (true, 0) => self.random.below(spread),
                (true, _) => *self.random.pick(indexes),
                _ => indexes[0],
            };
            let value = self.value();
            if self.setup.gives_index() {
                self.bench
                    .set(&numbered("write_index", number as usize), index);
            }
            if !self.setup.puts(writer) {
                continue;
            }
            self.bench
                .set(&numbered("write_word", number as usize), value);
            if taken.contains(&turn) || self.random.below(4) == 0 {
                continue;
            }
            taken.push(turn);
            self.bench.set(&numbered("write", number as usize), 1);
            writes.push((turn, index, value));
        }
        writes.sort();
        for (turn, index, value) in writes {
            self.writes(index, value, turn);
        }
        self.step();
    }

    /// The host's operation through the first read; the packets' indexes at the others.
    fn host(&mut self, indexes: &[u64]) {
        while self.clock < self.host_over {
            self.idle();
        }
        let value = self.value();
        self.bench.set("host_value", value);
        let depth = u64::from(self.setup.array.depth);
        let mut indexes = indexes.to_vec();
        let by_key = self.setup.array.host == HostAddress::Key;
        let code = *self.random.pick(&[
            command::LOOKUP,
            command::UPDATE,
            command::UPDATE,
            command::DELETE,
            command::DUMP,
        ]);
        let may = *self.random.pick(&[
            May::PUT,
            May::PUT,
            May::PUT,
            May::REPLACE,
            May::CREATE,
            May::NOTHING,
        ]);
        if by_key {
            if self.random.below(6) == 0 {
                indexes[0] = depth + self.random.below(3);
            }
            self.bench.set("host_command", code.into());
            self.bench.set("host_may", may.bits().into());
            self.bench.set("host_index", indexes[0]);
        }
        self.idle();
        self.idle();
        // Behind the end nobody looks at the word: the model says what the low bits of the index give.
        let mut read = indexes.clone();
        read[0] &= u64::MAX >> (64 - index_bits(depth));
        while !self.may_enter(&read) {
            self.idle();
        }
        self.no_writes();
        self.set_indexes(&indexes, 1);
        // What the packet's index would be does not count.
        let junk = self.random.below(depth);
        self.set_indexes(&[if by_key { junk } else { indexes[0] }], 0);
        let inside = indexes[0] < depth;
        let old = inside.then(|| self.words[indexes[0] as usize]);
        let (answer, result, writes) = match (by_key, code) {
            (false, _) => (DONE, old, may == May::PUT),
            (true, command::LOOKUP) if !inside => (MISSING, None, false),
            (true, _) if !inside => (BAD_INDEX, None, false),
            (true, command::UPDATE) if may == May::NOTHING => (REFUSED, None, false),
            (true, command::UPDATE) if !may.replace => (EXISTS, None, false),
            (true, command::UPDATE) => (DONE, old, true),
            (true, command::DELETE) => (REFUSED, None, false),
            (true, _) => (DONE, old, false),
        };
        if !by_key {
            self.bench.set("host_write_ok", writes.into());
            if self.setup.gives_index() {
                self.bench.set("write_index", indexes[0]);
            }
        }
        self.bench.set("host_a", 1);
        self.enter(&read, Some((answer, result)));
        if writes {
            self.writes(indexes[0], value, self.setup.turns[0]);
        }
        self.step();
        self.host_over = self.clock + u64::from(self.setup.end());
    }

    fn indexes(&mut self, spread: u64) -> Vec<u64> {
        let reads = self.setup.array.reads.len();
        (0..reads).map(|_| self.random.below(spread)).collect()
    }

    /// Packets as close as the contract allows, then what every entry is.
    fn torture(&mut self, packets: u32) {
        let depth = u64::from(self.setup.array.depth);
        for number in 0..packets {
            // One entry, two, a few, all.
            let spread = [1, 2, 5, depth][number as usize / 50 % 4].min(depth);
            let indexes = self.indexes(spread);
            match self.random.below(16) {
                0 => self.idle(),
                1 => self.host(&indexes),
                _ => self.packet(&indexes, spread),
            }
        }
        for index in 0..depth {
            let reads = self.setup.array.reads.len() as u64;
            let indexes: Vec<u64> = (0..reads).map(|read| (index + read) % depth).collect();
            while !self.may_enter(&indexes) {
                self.idle();
            }
            self.no_writes();
            self.set_indexes(&indexes, 0);
            self.enter(&indexes, None);
            self.step();
        }
        for _ in 0..self.setup.end() + 1 {
            self.idle();
        }
        assert!(self.due.is_empty());
    }
}

fn config((depth, registers): (u32, bool), forward: bool, host: HostAddress) -> Array {
    let clocks = Array::read_clocks(depth, registers);
    Array {
        name: "values".into(),
        map: "map".into(),
        depth,
        value_bits: 40,
        presence: Presence::Always,
        reads: vec![clocks],
        writers: 1,
        parts: Vec::new(),
        host_alone: false,
        first_is_the_hosts: false,
        own_write_index: true,
        forward,
        registers,
        host_commit_after: clocks,
        host,
    }
}

/// Depths, and whether there are registers around the memory.
const MEMORIES: [(u32, bool); 11] = [
    (1, false),
    (2, false),
    (5, true),
    (64, false),
    (65, false),
    (65, true),
    (100, false),
    (128, false),
    (128, true),
    (300, false),
    (300, true),
];
const HOSTS: [HostAddress; 2] = [HostAddress::Key, HostAddress::Follows];

/// Words come in the commit stage, one write a packet through any of the writers: nothing waits.
#[test]
fn writers_take_turns_in_every_clock() {
    for memory in MEMORIES {
        for host in HOSTS {
            for (reads, writers) in [(1, 2), (2, 2), (3, 3)] {
                let clocks = Array::read_clocks(memory.0, memory.1);
                let setup = Setup {
                    array: Array {
                        reads: vec![clocks; reads],
                        writers,
                        ..config(memory, true, host)
                    },
                    turns: vec![0; writers as usize],
                };
                assert_eq!(setup.apart(), 1);
                let mut run = Run::new(setup, u64::from(memory.0 * 10 + writers));
                run.torture(800);
                assert!(run.forwarded > 50, "{}", run.forwarded);
            }
        }
    }
}

/// Reads in different stages, commits later than the words, several writes of a packet.
#[test]
fn late_commits_with_windows_kept() {
    let mut random = Random::new(21);
    for memory in MEMORIES {
        for host in HOSTS {
            for forward in [true, false] {
                for own_write_index in [true, false] {
                    let clocks = Array::read_clocks(memory.0, memory.1);
                    let reads = 1 + random.below(3);
                    let reads: Vec<u32> = (0..reads)
                        .map(|_| clocks + random.below(7) as u32)
                        .collect();
                    let writers = match own_write_index {
                        true => 1 + random.below(3),
                        false => 1,
                    };
                    let turns: Vec<u32> = (0..writers).map(|_| random.below(3) as u32).collect();
                    let setup = Setup {
                        array: Array {
                            host_commit_after: reads[0] + turns[0],
                            reads,
                            writers: writers as u32,
                            parts: Vec::new(),
                            host_alone: false,
                            first_is_the_hosts: writers > 1 && random.below(3) == 0,
                            own_write_index,
                            ..config(memory, forward, host)
                        },
                        turns,
                    };
                    let mut run = Run::new(setup, random.next());
                    run.torture(800);
                    assert!(forward || run.forwarded == 0);
                }
            }
        }
    }
}

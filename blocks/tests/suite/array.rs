//! Value memories: a packet reads what all older ones wrote, however close they follow; the host's operations and
//! their errors; absent entries; the sweep after reset.

use crate::answers::{BAD_INDEX, DONE, EXISTS, MISSING, REFUSED};
use crate::bench::Bench;
use hardpath_blocks::array::{array, Array, HostAddress, Presence};
use hardpath_blocks::index_bits;
use hardpath_blocks::interface::command;
use hardpath_blocks::may::May;
use hardpath_rtl::{Design, Module, Node};
use hardpath_testkit::Random;
use std::collections::VecDeque;

/// The memory with a stand-in for a program: at the commit stage the first word times 3 plus the operand is written.
/// Everything enters in stage A. Words come out as the commit stage sees them.
fn design(config: &Array) -> Design {
    let mut design = Design::new();
    let index_width = index_bits(u64::from(config.depth));
    let word = config.word_bits();
    let memory_id = design.add(array(config));
    let memory = &design.modules[memory_id];
    let mut m = Module::new("around", "");
    let mut inputs: Vec<(String, Node)> = Vec::new();
    let mut names = Vec::new();
    if config.has_indexes() {
        for number in 0..config.reads.len() {
            names.push((format!("read_index_{number}"), index_width));
        }
    }
    names.extend([
        ("host_a".to_string(), 1),
        ("clear".to_string(), 1),
        ("clear_index".to_string(), index_width),
        ("host_value".to_string(), config.value_bits),
    ]);
    if config.host == HostAddress::Key {
        names.extend([
            ("host_command".to_string(), 3),
            ("host_may".to_string(), May::BITS),
            ("host_index".to_string(), 32),
        ]);
    }
    for (name, width) in names {
        let node = m.input(name.clone(), width, "");
        inputs.push((name, node));
    }
    let late = |m: &mut Module, name: &str, width: u32| {
        let mut node = m.input(name, width, "");
        for clock in 0..config.host_commit_after {
            node = m.delay(format!("{name}_{clock}"), node);
        }
        node
    };
    let wire = m.wire(word, "first_word");
    if config.writers > 0 {
        let writes = late(&mut m, "writes", 1);
        let operand = late(&mut m, "operand", word);
        let double = m.add(wire, wire);
        let triple = m.add(double, wire);
        let sum = m.add(triple, operand);
        inputs.push(("write".into(), writes));
        inputs.push(("write_word".into(), sum));
        for part in 0..config.parts.len() {
            let changes = late(&mut m, &format!("part_{part}"), 1);
            inputs.push((format!("changes_{part}"), changes));
        }
    }
    if config.own_write_index {
        let index = late(&mut m, "own_index", index_width);
        inputs.push(("write_index".into(), index));
    }
    if config.host == HostAddress::Follows {
        let fine = late(&mut m, "host_fine", 1);
        inputs.push(("host_write_ok".into(), fine));
    }
    let inputs: Vec<(&str, Node)> = inputs
        .iter()
        .map(|(name, node)| (name.as_str(), *node))
        .collect();
    let instance = m.instance(memory, memory_id, "memory", &inputs);
    for number in 0..config.reads.len() {
        let mut node = m.instance_output(memory, instance, &format!("read_word_{number}"));
        for clock in config.clocks()..config.host_commit_after {
            node = m.delay(format!("word_{number}_{clock}"), node);
        }
        if number == 0 {
            m.drive(wire, node);
        }
        m.output(format!("word_{number}"), node, "");
    }
    for port in ["host_answer", "host_result"] {
        let node = m.instance_output(memory, instance, port);
        m.output(port, node, "");
    }
    design.add(m);
    design
}

fn config(depth: u32, value_bits: u32, registers: bool) -> Array {
    let clocks = Array::read_clocks(depth, registers);
    Array {
        name: "values".into(),
        map: "map".into(),
        depth,
        value_bits,
        presence: Presence::Always,
        reads: vec![clocks],
        writers: 1,
        parts: Vec::new(),
        host_alone: false,
        first_is_the_hosts: false,
        own_write_index: false,
        forward: true,
        registers,
        host_commit_after: clocks,
        host: HostAddress::Key,
    }
}

/// What a slot shows when it comes to its commit stage.
enum Shown {
    Words(Vec<u64>),
    Host { answer: u64, result: Option<u64> },
}

struct Run {
    config: Array,
    bench: Bench,
    random: Random,
    words: Vec<Option<u64>>,
    /// Expected, with the clock of the commit stage.
    due: VecDeque<(u64, Shown)>,
    clock: u64,
    /// The host's registers may change from this clock on.
    host_over: u64,
}

impl Run {
    fn new(config: Array, seed: u64) -> Run {
        let empty = (!config.presence.is_stored()).then_some(0);
        Run {
            bench: Bench::new(&design(&config)),
            random: Random::new(seed),
            words: vec![empty; config.depth as usize],
            due: VecDeque::new(),
            clock: 0,
            host_over: 0,
            config,
        }
    }

    fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.config.value_bits)
    }

    fn read(&self, index: u64) -> u64 {
        self.words
            .get(index as usize)
            .copied()
            .flatten()
            .unwrap_or(0)
    }

    /// One clock with what was set; checks what is due.
    fn step(&mut self) {
        self.bench.step();
        // A host's answer stands in registers behind the commit stage.
        while let Some((clock, _)) = self.due.front() {
            let is_host = matches!(self.due.front(), Some((_, Shown::Host { .. })));
            if self.clock < clock + u64::from(is_host) {
                break;
            }
            let (_, shown) = self.due.pop_front().expect("looked at");
            match shown {
                Shown::Words(words) => {
                    for (number, word) in words.into_iter().enumerate() {
                        let found = self.bench.get(&format!("word_{number}"));
                        assert_eq!(
                            found,
                            word,
                            "read {number} of the slot committed in clock {clock}",
                            clock = self.clock
                        );
                    }
                }
                Shown::Host { answer, result } => {
                    assert_eq!(
                        self.bench.get("host_answer"),
                        answer,
                        "clock {}",
                        self.clock
                    );
                    if let Some(result) = result {
                        assert_eq!(
                            self.bench.get("host_result"),
                            result,
                            "clock {}",
                            self.clock
                        );
                    }
                }
            }
        }
        self.clock += 1;
    }

    fn idle(&mut self) {
        self.bench.set("host_a", 0);
        if self.config.writers > 0 {
            self.bench.set("writes", 0);
        }
        self.step();
    }

    fn packet(&mut self, indexes: &[u64], writes: bool) {
        let width = index_bits(u64::from(self.config.depth));
        let has_indexes = self.config.has_indexes();
        let inside = |index: &u64| match has_indexes {
            true => index & (u64::MAX >> (64 - width)),
            false => 0,
        };
        if has_indexes {
            for (number, index) in indexes.iter().enumerate() {
                self.bench
                    .set(&format!("read_index_{number}"), inside(index));
            }
        }
        // No program writes behind the end: its lookup missed.
        let writes = writes && inside(&indexes[0]) < u64::from(self.config.depth);
        self.bench.set("host_a", 0);
        let words = indexes
            .iter()
            .map(|index| self.read(inside(index)))
            .collect();
        if self.config.writers > 0 {
            let operand = self.random.next() & self.mask();
            self.bench.set("writes", writes.into());
            self.bench.set("operand", operand);
            if self.config.own_write_index {
                self.bench.set("own_index", inside(&indexes[0]));
            }
            let old = self.read(inside(&indexes[0]));
            let new = old.wrapping_mul(3).wrapping_add(operand) & self.mask();
            let new = self.parts_changed(old, new);
            if let (true, Some(word)) = (writes, self.words.get_mut(inside(&indexes[0]) as usize)) {
                *word = Some(new);
            }
        }
        self.due.push_back((
            self.clock + u64::from(self.config.host_commit_after),
            Shown::Words(words),
        ));
        self.step();
    }

    /// The word with some of its parts as they were.
    fn parts_changed(&mut self, old: u64, new: u64) -> u64 {
        let (mut word, mut lo) = (new, 0);
        for (part, bits) in self.config.parts.clone().iter().enumerate() {
            let changes = self.random.below(2);
            self.bench.set(&format!("part_{part}"), changes);
            if changes == 0 {
                let mask = (u64::MAX >> (64 - bits)) << lo;
                word = word & !mask | old & mask;
            }
            lo += bits;
        }
        word
    }

    /// A host operation: its registers are there two clocks before, and stay until it is over.
    fn host(&mut self, command: u32, index: u64, value: u64, may: May) {
        let value = value & self.mask();
        while self.clock < self.host_over {
            self.idle();
        }
        self.bench.set("host_command", command.into());
        self.bench.set("host_index", index);
        self.bench.set("host_value", value);
        self.bench.set("host_may", may.bits().into());
        self.idle();
        self.idle();
        self.bench.set("host_a", 1);
        // What the packet's index would be does not count.
        let junk = self.random.next();
        if self.config.has_indexes() {
            self.bench.set("read_index_0", junk);
        }
        if self.config.writers > 0 {
            self.bench.set("writes", 0);
        }
        let old = self.words.get(index as usize).copied();
        let is_stored = self.config.presence.is_stored();
        let (answer, result) = match (command, old) {
            (command::LOOKUP, Some(Some(word))) => (DONE, Some(word)),
            (command::LOOKUP, _) => (MISSING, None),
            (_, None) => (BAD_INDEX, None),
            (command::UPDATE, _) if may == May::NOTHING => (REFUSED, None),
            (command::UPDATE, Some(Some(_))) if !may.replace => (EXISTS, None),
            (command::UPDATE, Some(None)) if !may.create => (MISSING, None),
            (command::UPDATE, _) => {
                let goes = is_stored && value & 0xffff_ffff == 0;
                self.words[index as usize] = (!goes).then_some(value);
                (DONE, None)
            }
            (command::DELETE, _) if is_stored => {
                self.words[index as usize] = None;
                (DONE, None)
            }
            (command::DELETE, _) => (REFUSED, None),
            (command::DUMP, Some(Some(word))) => (DONE, Some(word)),
            _ => (MISSING, None),
        };
        let commit = self.clock + u64::from(self.config.host_commit_after);
        self.due.push_back((commit, Shown::Host { answer, result }));
        self.host_over = commit + 1;
        self.step();
    }

    /// Waits until everything due was seen.
    fn settle(&mut self) {
        for _ in 0..self.config.host_commit_after + 3 {
            self.idle();
        }
        assert!(self.due.is_empty());
    }

    fn random_host(&mut self) {
        let command = *self.random.pick(&[
            command::LOOKUP,
            command::UPDATE,
            command::UPDATE,
            command::DELETE,
            command::DUMP,
        ]);
        let index = match self.random.below(4) {
            0 => u64::from(self.config.depth) + self.random.below(3),
            1 => self.random.next() & 0xffff_ffff,
            _ => self.random.below(4) % u64::from(self.config.depth),
        };
        let mut value = self.random.next();
        match self.random.below(4) {
            0 => value = 0,
            1 => value &= !0xffff_ffff,
            _ => {}
        }
        let may = *self.random.pick(&[
            May::PUT,
            May::PUT,
            May::PUT,
            May::REPLACE,
            May::CREATE,
            May::NOTHING,
        ]);
        self.host(command, index, value, may);
    }

    fn sweep(&mut self) {
        self.bench.set("host_value", 0);
        self.idle();
        self.bench.set("clear", 1);
        for index in 0..self.config.depth {
            self.bench.set("clear_index", index.into());
            self.idle();
        }
        self.bench.set("clear", 0);
        let empty = (!self.config.presence.is_stored()).then_some(0);
        self.words.fill(empty);
    }
}

const DEPTHS: [u32; 10] = [1, 2, 3, 5, 64, 65, 100, 128, 257, 1000];

/// Depths, and whether there are registers around the memory; they make no difference to LUT RAM.
fn memories() -> impl Iterator<Item = (u32, bool)> {
    DEPTHS
        .into_iter()
        .flat_map(|depth| [(depth, false), (depth, true)])
}

#[test]
fn every_packet_sees_all_older_writes() {
    for (depth, registers) in memories() {
        for reads in 1..=3 {
            let mut run = Run::new(
                Array {
                    reads: vec![Array::read_clocks(depth, registers); reads],
                    ..config(depth, 32, registers)
                },
                u64::from(depth),
            );
            for phase in 0..30 {
                // One entry, two, a few, all and those behind the last.
                let spread = [1, 2, 4, u64::from(depth) + 3][phase % 4];
                for _ in 0..60 {
                    match run.random.below(12) {
                        0 => run.idle(),
                        1 if phase % 5 == 4 => run.random_host(),
                        _ => {
                            let indexes: Vec<u64> =
                                (0..reads).map(|_| run.random.below(spread)).collect();
                            let writes = run.random.below(5) > 0;
                            run.packet(&indexes, writes);
                        }
                    }
                }
            }
            run.settle();
        }
    }
}

#[test]
fn parts_of_a_word_stay_as_they_were() {
    for (depth, registers) in memories() {
        for parts in [vec![32], vec![1, 31], vec![9, 16, 7]] {
            for reads in 1..=2 {
                let mut run = Run::new(
                    Array {
                        parts: parts.clone(),
                        reads: vec![Array::read_clocks(depth, registers); reads],
                        ..config(depth, 32, registers)
                    },
                    u64::from(depth),
                );
                for phase in 0..200 {
                    let spread = [1, 2, 4][phase % 3];
                    for _ in 0..10 {
                        let indexes: Vec<u64> =
                            (0..reads).map(|_| run.random.below(spread)).collect();
                        let writes = run.random.below(5) > 0;
                        run.packet(&indexes, writes);
                    }
                    run.random_host();
                }
                run.settle();
            }
        }
    }
}

#[test]
fn widths_of_values() {
    for value_bits in [8, 16, 31, 64] {
        for (depth, registers) in [(7, false), (300, false), (300, true)] {
            let mut run = Run::new(config(depth, value_bits, registers), 3);
            for _ in 0..600 {
                let index = run.random.below(3);
                run.packet(&[index], true);
                if run.random.below(20) == 0 {
                    run.random_host();
                }
            }
            run.settle();
        }
    }
}

#[test]
fn the_host_gets_its_answers() {
    for (depth, registers) in memories() {
        for (presence, value_bits) in [
            (Presence::Always, 40),
            (Presence::NotZero, 32),
            (Presence::NotZero, 64),
        ] {
            let mut run = Run::new(
                Array {
                    presence,
                    writers: 0,
                    forward: false,
                    ..config(depth, value_bits, registers)
                },
                u64::from(depth),
            );
            for _ in 0..500 {
                run.random_host();
                // What the host wrote is seen three or four clocks later: the pipeline keeps packets away for so long.
                for _ in 1..run.config.clocks().max(2) + 1 {
                    run.idle();
                }
            }
            run.settle();
            for index in 0..u64::from(depth) {
                run.host(command::DUMP, index, 0, May::NOTHING);
            }
            run.settle();
        }
    }
}

#[test]
fn a_late_commit_with_keys_kept_apart() {
    for (depth, registers) in [(4, false), (100, false), (100, true)] {
        for own_write_index in [false, true] {
            let read_clocks = Array::read_clocks(depth, registers);
            let mut run = Run::new(
                Array {
                    forward: false,
                    own_write_index,
                    host: HostAddress::Follows,
                    reads: vec![read_clocks + 4],
                    host_commit_after: read_clocks + 4,
                    ..config(depth, 24, registers)
                },
                9,
            );
            let mut last_use = vec![None; depth as usize];
            for _ in 0..3000 {
                let index = run.random.below(u64::from(depth));
                let window = u64::from(read_clocks + 4);
                let free = last_use[index as usize].is_none_or(|clock| run.clock - clock > window);
                if !free {
                    run.idle();
                    continue;
                }
                last_use[index as usize] = Some(run.clock);
                if run.random.below(4) > 0 {
                    let writes = run.random.below(3) > 0;
                    run.packet(&[index], writes);
                    continue;
                }
                // The host's slot brings its index with it; whether it writes is said at the commit stage.
                let value = run.random.next() & run.mask();
                let writes = run.random.below(2) == 0;
                run.bench.set("host_value", value);
                run.bench.set("host_a", 1);
                run.bench.set("writes", 0);
                run.bench.set("read_index_0", index);
                run.bench.set("host_fine", writes.into());
                if own_write_index {
                    run.bench.set("own_index", index);
                }
                let result = Some(run.read(index));
                if writes {
                    run.words[index as usize] = Some(value);
                }
                let commit = run.clock + window;
                run.due.push_back((
                    commit,
                    Shown::Host {
                        answer: DONE,
                        result,
                    },
                ));
                run.step();
                // Its registers stand still until it is over.
                for _ in 0..window {
                    run.idle();
                }
            }
            run.settle();
        }
    }
}

#[test]
fn the_sweep_clears_every_entry() {
    for (depth, registers) in memories() {
        let mut run = Run::new(config(depth, 32, registers), 2);
        for round in 0..3 {
            for index in 0..u64::from(depth) {
                run.packet(&[index], true);
            }
            run.settle();
            if round == 1 {
                run.bench.reset(2);
            }
            run.sweep();
            for index in 0..u64::from(depth) {
                run.packet(&[index], false);
            }
        }
        run.settle();
    }
}

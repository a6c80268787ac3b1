//! Additions whose result nobody reads: kept for each thread, and sent to the maps when their packet leaves.

use super::super::part_of_last;
use super::choice::Chosen;
use super::{Asked, Requests, LOGGED};
use crate::encode::layout;
use crate::hardware::decode::part;
use crate::hardware::pick::{bit_at, one_hot};
use hardpath_blocks::counters::choose;
use hardpath_blocks::index_bits;
use hardpath_rtl::{Mem, MemStyle, Node, Reg};

impl Requests<'_> {
    /// The additions of all threads, and those of the oldest packet on their way to the maps.
    pub(super) fn log(&mut self, asked: &Asked, forgets: Node, full: Node) -> Log {
        let threads = u32::from(self.config.shape.threads);
        let thread = self.thread;
        let one = self.m.one();
        let posts = one_hot(self.m, threads, asked.posts, thread);
        let stays = self.m.not(forgets);
        // A bit for each thread: it has more than so many additions.
        let planes: Vec<(Reg, Node)> = (0..LOGGED)
            .map(|count| self.m.reg_reset(format!("more_than_{count}"), threads, 0))
            .collect();
        let mut before = self.m.sext(one, threads);
        for (reg, plane) in &planes {
            let m = &mut *self.m;
            let comes = m.and(&[posts, before]);
            let kept = m.and(&[*plane, stays]);
            let next = m.or(&[kept, comes]);
            m.set_next(*reg, next);
            before = *plane;
        }
        // The row of a clock before may have added one; its thread has none in this clock.
        let is_full = bit_at(self.m, planes[LOGGED as usize - 1].1, self.inputs.thread_9);
        self.m.drive(full, is_full);
        let m = &mut *self.m;
        let slot_bits = index_bits(LOGGED.into());
        let mut slot = m.zero(slot_bits);
        for (count, (_, plane)) in planes.iter().enumerate().take(LOGGED as usize - 1) {
            let there = bit_at(m, *plane, thread);
            let next = m.constant(count as u64 + 1, slot_bits);
            slot = m.mux(there, next, slot);
        }
        let map = part(m, asked.low, layout::MAP);
        let map = m.slice(map, 0, self.config.map_bits());
        let entry = m.slice(asked.a, 0, 32);
        let bytes = part_of_last(m, asked.last, layout::BYTES);
        let word = m.concat(&[map, bytes, entry, asked.offset, asked.b]);
        let mem = m.mem(
            "additions",
            m.width(word),
            threads * LOGGED,
            MemStyle::Distributed,
        );
        let address = m.concat(&[thread, slot]);
        m.mem_write(mem, address, word, asked.posts);
        let (at_reg, at) = m.reg_reset("addition", slot_bits + 1, 0);
        let mut there = Vec::new();
        for (_, plane) in &planes {
            there.push(bit_at(m, *plane, self.inputs.oldest));
        }
        let none = m.zero(1);
        there.push(none);
        let more = choose(m, &there, at);
        let wants = m.and(&[more, self.inputs.done]);
        let taken = m.wire(1, "addition_is_taken");
        let next = m.add_const(at, 1);
        let next = m.mux(taken, next, at);
        let first = m.zero(slot_bits + 1);
        let next = m.mux(self.inputs.leaves, first, next);
        m.set_next(at_reg, next);
        let number = m.slice(at, 0, slot_bits);
        let address = m.concat(&[self.inputs.oldest, number]);
        Log {
            wants,
            taken,
            empty: m.not(more),
            address,
            mem,
        }
    }

    /// That at an address.
    pub(super) fn addition(&mut self, log: &Log, address: Node) -> Addition {
        let map_bits = self.config.map_bits();
        let m = &mut *self.m;
        let word = m.mem_read_async(log.mem, address);
        Addition {
            map: m.slice(word, m.width(word) - map_bits, map_bits),
            bytes: m.slice(word, 128, 3),
            entry: m.slice(word, 96, 32),
            offset: m.slice(word, 64, 32),
            word: m.slice(word, 0, 64),
        }
    }

    /// The oldest packet's additions are done, as far as those behind it must know: while packets of the program before are inside, each
    /// can make stale who has read the sum, and that is known two clocks after it was taken. Those of one program do not see them.
    /// `held`: one that can is in front of the maps.
    pub(super) fn committed(&mut self, log: &Log, chosen: &Chosen, held: Node) -> Node {
        let m = &mut *self.m;
        let told = m.delay_reset("posted_late", held);
        let chosen = m.and(&[chosen.valid, chosen.posted, chosen.changes]);
        let under_way = m.or(&[chosen, held, told]);
        let over = m.not(under_way);
        m.and(&[log.empty, over])
    }
}

/// The oldest packet's next addition.
pub(super) struct Log {
    pub wants: Node,
    /// A wire.
    pub taken: Node,
    /// It has none any more.
    empty: Node,
    /// Where it stands.
    pub address: Node,
    mem: Mem,
}

/// An addition.
pub(super) struct Addition {
    pub map: Node,
    pub bytes: Node,
    pub entry: Node,
    pub offset: Node,
    pub word: Node,
}

#[cfg(test)]
mod tests {
    use super::super::{widths, Asked, Requests};
    use crate::hardware::processor::Processor;
    use crate::image::Machine;
    use hardpath_rtl::signals::Signals;
    use hardpath_rtl::{verilog, Design, Module};
    use hardpath_testkit::claim::Claim;

    /// The log of two threads, as a block.
    fn block() -> String {
        let mut config = Processor::new("p", &Machine::with_lanes(4), 2);
        let text = "program \"p\" structured\n\noutput \"verdict\" 3\n\nmap @m array key 4 value 8 entries 8 as \"array\"\n\n\
                    block0:\n    v0:32 = const 0\n    v1:1, v2:32 = map.lookup @m v0\n    v3:3 = const 2\n    v4:1 = const 1\n    \
                    emit v4 with v3\n";
        let program = hardpath_ir::parse::parse(text).expect("a program");
        config.slots = program.maps.values().cloned().collect();
        let mut m = Module::new("block", "Additions that wait for their packet's end.");
        let mut inputs = widths(&config).map(&mut |_, _, width| m.zero(width));
        let port = |m: &mut Module, name: &str, width: u32| m.input(name, width, "");
        let posts = port(&mut m, "posts", 1);
        let thread = port(&mut m, "of", 1);
        let b = port(&mut m, "b", 8);
        inputs.thread_9 = port(&mut m, "asks", 1);
        inputs.oldest = port(&mut m, "oldest", 1);
        inputs.done = port(&mut m, "done", 1);
        inputs.leaves = port(&mut m, "leaves", 1);
        let forgets = port(&mut m, "forgets", 2);
        let taken = port(&mut m, "taken", 1);
        let (zero, low) = (m.zero(1), m.zero(32));
        let asked = Asked {
            free: zero,
            ordered: zero,
            posts,
            tracked: zero,
            overflows: zero,
            low,
            last: low,
            lane: None,
            a: m.zero(64),
            b: m.zext(b, 64),
            offset: low,
        };
        let full = m.wire(1, "log_is_full");
        let mut design = Design::new();
        let mut requests = Requests {
            design: &mut design,
            m: &mut m,
            config: &config,
            inputs: &inputs,
            thread,
        };
        let log = requests.log(&asked, forgets, full);
        let addition = requests.addition(&log, log.address);
        m.drive(log.taken, taken);
        m.output("full", full, "");
        m.output("wants", log.wants, "");
        m.output("empty", log.empty, "");
        let word = m.slice(addition.word, 0, 8);
        m.output("word", word, "");
        let id = design.add(m);
        verilog::print_module(&design, id)
    }

    #[test]
    fn additions_come_in_their_order_and_a_full_log_is_told() {
        let place = std::env::temp_dir().join(format!("hardpath-log-{}", std::process::id()));
        std::fs::create_dir_all(&place).unwrap();
        Claim {
            name: "log",
            block: block(),
            harness: include_str!("log.sv"),
            parameters: "",
            clocks: 12,
            mistakes: &[
                // It is full too early; one stands in another's place; what was stays; the next packet's begin with another; of another thread.
                (
                    "(posts_joined & more_than_2)",
                    "(posts_joined & more_than_1)",
                ),
                ("more_than_1[0]) ? 2'd2 :", "more_than_1[0]) ? 2'd1 :"),
                ("(more_than_0 & forgets_not)", "more_than_0"),
                ("leaves ? 3'd0 : addition_is_taken ?", "addition_is_taken ?"),
                ("additions[{oldest, ", "additions[{1'b0, "),
            ],
        }
        .holds(&place);
        std::fs::remove_dir_all(&place).unwrap();
    }
}

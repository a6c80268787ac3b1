//! Whose turn it is.
//!
//! Each packet has a thread, and threads are given to packets in turn: so the packets inside stand in the order of their arrival, and
//! the oldest is the one in the thread that `oldest` names. A thread is
//!
//! * **free**: it has no packet;
//! * **ready**: its next row can be fetched;
//! * **picked**: its row is the next that begins;
//! * **under way**: its row is between fetch and results;
//! * **waiting**: for a unit that takes as long as it takes: a divider, which brings it back with a row of its own, or a map, whose answer
//!   comes beside the rows;
//! * **held**: its row has results, and what the row has stored is still on its way;
//! * **done**: its program is over, and the packet leaves when it is the oldest;
//! * **stale**, beside one of these: what its packet has read is not so any more. Once no row is under way and it waits for nothing, it
//!   begins again with its first row.
//!
//! In each clock a row of one thread begins: first those that units bring back, then ready ones in turn, each picked a clock before it
//! begins. A gap among the rows is left where an answer finds no row beside which it has a place.

use super::pick::{bit_at, lowest, one_hot};
use super::shift::{later, later_from_reset};
use hardpath_blocks::index_bits;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Mem, MemStyle, Module, Node, Reg};

/// How many threads there are, and how long their rows take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Threads {
    /// A power of two.
    pub threads: u8,
    /// Bits of a row's number.
    pub row_bits: u32,
    /// Stages from the choice of a thread to the stage in which it is known where the row leads.
    pub decided_after: u32,
    /// Further stages after which the thread may be chosen again.
    pub ready_after: u32,
    /// Further stages after these, after which a packet whose program is over may leave.
    pub done_after: u32,
}

signals! {
    /// What threads are told.
    pub struct ThreadsIn {
        packet_valid: one "a packet waits",
        packet_bank: one "the bank of its program",
        first_row: one "where programs begin",
        brought_valid: one "a unit brings a thread back",
        brought_thread: one "which one",
        brought_stays: one "it does not go on behind this row",
        answered: one "what a thread has waited for came beside the rows",
        answered_thread: one "which one",
        gap: one "no row begins but one that a unit brings",
        /// Of a row that was chosen, so many clocks before.
        leads: all LeadsIn,
        leave_ready: one "the oldest packet may leave",
        held: one "no thread becomes ready or done",
        stale: one "a bit for each thread: what its packet has read is not so any more",
    }
}

signals! {
    /// Where a row leads, so many stages after the choice.
    pub struct LeadsIn {
        /// Else to the next row.
        goes: one "a branch is taken",
        row: one "where it goes",
        ends: one "the program is over",
        waits: one "the thread waits for a unit",
    }
}

signals! {
    /// What threads do.
    pub struct ThreadsOut {
        packet_ready: one "the packet gets a thread",
        packet_thread: one "which one",
        chosen: all ChosenOut,
        brought_ready: one "the thread that is brought back is the chosen one",
        oldest: one "the thread of the oldest packet",
        oldest_bank: one "the bank of its program",
        leave_valid: one "the oldest packet's program is over",
        packets: one "how many have threads",
        is_stale: one "a bit for each thread: it begins again as soon as it can",
        restarts: one "a bit for each thread: it begins again with its next row",
    }
}

signals! {
    /// A row that begins.
    pub struct ChosenOut {
        chosen: one "a row begins",
        thread: one "of this thread",
        starts: one "it is its packet's first one",
        brought: one "it is one that a unit brings",
        fetched: one "the row's number, of a row of the program; a clock later",
        bank: one "the bank of its program; a clock later",
    }
}

/// The threads of a core.
pub fn threads(name: &str, config: &Threads) -> Block<ThreadsIn, ThreadsOut> {
    let mut m = Module::new(name, header(config));
    let bits = index_bits(config.threads.into());
    let inputs = m.inputs(ThreadsIn {
        packet_valid: 1,
        packet_bank: 1,
        first_row: config.row_bits,
        brought_valid: 1,
        brought_thread: bits,
        brought_stays: 1,
        answered: 1,
        answered_thread: bits,
        gap: 1,
        leads: LeadsIn {
            goes: 1,
            row: config.row_bits,
            ends: 1,
            waits: 1,
        },
        leave_ready: 1,
        held: 1,
        stale: config.threads.into(),
    });
    let mut state = State::new(&mut m, config, bits);
    m.section("The order of the packets");
    let order = state.order(&mut m, &inputs);
    m.section("Whose turn it is");
    let (chosen, oldest_bank, picked) = state.choose(&mut m, &inputs, &order);
    m.section("Where the row leads");
    let led = state.lead(&mut m, &inputs, &chosen);
    let led = state.held(&mut m, inputs.held, led);
    let restarts = state.restarts(&mut m, inputs.stale, &led);
    state.next(&mut m, &order, (&chosen, &picked), &led, restarts);
    let outputs = ThreadsOut {
        packet_ready: order.enters,
        packet_thread: order.youngest,
        brought_ready: chosen.brought,
        chosen,
        oldest: order.oldest,
        oldest_bank,
        leave_valid: order.is_done,
        packets: order.inside,
        is_stale: state.stale.node,
        restarts,
    };
    m.into_block(inputs, outputs)
}

fn header(config: &Threads) -> String {
    format!(
        "{} threads, one packet each, in the order of arrival; a row of one of them begins in each clock.\n\
         Where a row leads is told {} clocks after it was chosen; its thread is ready {} clocks later, unless it waits or is over.\n\
         What is held in that clock is ready when nothing is held any more; a packet that is over may leave {} clocks after that.",
        config.threads, config.decided_after, config.ready_after, config.done_after
    )
}

/// A bit for each thread, and what changes it.
struct Flags {
    reg: Reg,
    node: Node,
}

impl Flags {
    fn new(m: &mut Module, name: &str, threads: u8) -> Flags {
        let (reg, node) = m.reg_reset(name, threads.into(), 0);
        Flags { reg, node }
    }

    /// Ones in `set` come, those in `clear` go; what comes stays.
    fn next(&self, m: &mut Module, set: Node, clear: Node) {
        let kept = m.not(clear);
        let kept = m.and(&[self.node, kept]);
        let next = m.or(&[kept, set]);
        m.set_next(self.reg, next);
    }
}

struct State<'a> {
    config: &'a Threads,
    bits: u32,
    ready: Flags,
    done: Flags,
    /// What would be ready, and over.
    held_ready: Flags,
    held_done: Flags,
    /// Threads whose packet begins again.
    stale: Flags,
    /// Threads that wait, and whose program is over then.
    last: Flags,
    /// Threads whose packet has had no row yet.
    fresh: Flags,
    oldest: (Reg, Node),
    youngest: (Reg, Node),
    inside: (Reg, Node),
    turn: (Reg, Node),
    rows: Option<Mem>,
}

/// What comes and goes.
struct Order {
    enters: Node,
    leaves: Node,
    oldest: Node,
    youngest: Node,
    inside: Node,
    is_done: Node,
}

/// The thread whose row is next.
struct Picked {
    /// One is picked.
    picks: Node,
    thread: Node,
    /// A bit for each thread.
    threads: Node,
}

/// What became of a row.
struct Led {
    /// One bit for each thread.
    ready: Node,
    done: Node,
}

/// Which one of two.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Above,
    Below,
}

/// The number beside one of few bits, without a carry chain: tools would share that of both sides, and choose in front of it.
fn next_to(m: &mut Module, number: Node, side: Side) -> Node {
    let bits = (0..m.width(number)).rev().map(|place| {
        let bit = m.bit(number, place);
        if place == 0 {
            return m.not(bit);
        }
        let below = m.slice(number, 0, place);
        let turns = match side {
            Side::Above => m.reduce_and(below),
            Side::Below => {
                let some = m.reduce_or(below);
                m.not(some)
            }
        };
        m.xor(&[bit, turns])
    });
    let bits: Vec<Node> = bits.collect();
    m.concat(&bits)
}

impl<'a> State<'a> {
    fn new(m: &mut Module, config: &'a Threads, bits: u32) -> State<'a> {
        assert!(config.threads.is_power_of_two() && config.threads >= 2);
        State {
            config,
            bits,
            ready: Flags::new(m, "ready", config.threads),
            done: Flags::new(m, "done", config.threads),
            held_ready: Flags::new(m, "held_ready", config.threads),
            held_done: Flags::new(m, "held_done", config.threads),
            stale: Flags::new(m, "is_stale_reg", config.threads),
            last: Flags::new(m, "ends_when_back", config.threads),
            fresh: Flags::new(m, "fresh", config.threads),
            oldest: m.reg_reset("oldest", bits, 0),
            youngest: m.reg_reset("next_thread", bits, 0),
            inside: m.reg_reset("packets_inside", bits + 1, 0),
            turn: m.reg_reset("turn", bits, 0),
            rows: None,
        }
    }

    /// One bit for the thread of this number, where `on`.
    fn one_hot(&self, m: &mut Module, on: Node, thread: Node) -> Node {
        one_hot(m, self.config.threads.into(), on, thread)
    }

    fn order(&mut self, m: &mut Module, inputs: &ThreadsIn) -> Order {
        let (inside_reg, inside) = self.inside;
        let (oldest_reg, oldest) = self.oldest;
        let (youngest_reg, youngest) = self.youngest;
        // The highest bit is 1 only when every thread has a packet.
        let is_full = m.bit(inside, self.bits);
        let has_room = m.not(is_full);
        let enters = m.and(&[inputs.packet_valid, has_room]);
        let done = self.done.node;
        let sure = m.not(self.stale.node);
        let done = m.and(&[done, sure]);
        let is_done = bit_at(m, done, oldest);
        let leaves = m.and(&[is_done, inputs.leave_ready]);
        let next = m.add_const(oldest, 1);
        m.set_next_when(oldest_reg, leaves, next);
        let next = m.add_const(youngest, 1);
        m.set_next_when(youngest_reg, enters, next);
        let more = next_to(m, inside, Side::Above);
        let fewer = next_to(m, inside, Side::Below);
        let stays = m.not(leaves);
        let grows = m.and(&[enters, stays]);
        let waits = m.not(enters);
        let shrinks = m.and(&[leaves, waits]);
        let next = m.mux(shrinks, fewer, inside);
        let next = m.mux(grows, more, next);
        m.set_next(inside_reg, next);
        Order {
            enters,
            leaves,
            oldest,
            youngest,
            inside,
            is_done,
        }
    }

    /// The ready thread that is next, in place of one whose row begins: the first from `turn` on. One that begins again becomes ready with
    /// its first row before it is picked. `begins`: the row of the one that was picked begins.
    fn pick(&mut self, m: &mut Module, (picked, begins): (Node, Node)) -> Picked {
        let (turn_reg, turn) = self.turn;
        let count = self.config.threads.into();
        let sure = m.not(self.stale.node);
        let ready = m.and(&[self.ready.node, sure]);
        // Those at or behind the turn come first.
        let masks: Vec<Node> = (0..count)
            .rev()
            .map(|number| {
                let number = m.constant(number, self.bits);
                m.ule(turn, number)
            })
            .collect();
        let behind = m.concat(&masks);
        let behind = m.and(&[ready, behind]);
        let has_behind = m.reduce_or(behind);
        let (first_behind, first) = (lowest(m, behind), lowest(m, ready));
        let thread = m.mux(has_behind, first_behind, first);
        let has_ready = m.reduce_or(ready);
        let not_picked = m.not(picked);
        let has_room = m.or(&[not_picked, begins]);
        let picks = m.and(&[has_ready, has_room]);
        let next = m.add_const(thread, 1);
        m.set_next_when(turn_reg, picks, next);
        Picked {
            threads: self.one_hot(m, picks, thread),
            picks,
            thread,
        }
    }

    /// First a thread that a unit brings back, else the one that was picked, unless a gap is wanted. From registers, so that fetching has a
    /// whole clock. Beside it the bank of the oldest packet, and which thread is picked.
    fn choose(
        &mut self,
        m: &mut Module,
        inputs: &ThreadsIn,
        order: &Order,
    ) -> (ChosenOut, Node, Picked) {
        let (thread_reg, thread) = m.reg("picked_thread", self.bits);
        let (some_reg, some) = m.reg_reset("is_picked", 1, 0);
        let brought = inputs.brought_valid;
        let not_brought = m.not(brought);
        let no_gap = m.not(inputs.gap);
        let goes = m.and(&[some, no_gap]);
        let chosen = m.or(&[brought, goes]);
        let begins = m.and(&[goes, not_brought]);
        let picked = self.pick(m, (some, begins));
        m.set_next_when(thread_reg, picked.picks, picked.thread);
        let stays = m.not(begins);
        let stays = m.and(&[some, stays]);
        let next = m.or(&[picked.picks, stays]);
        m.set_next(some_reg, next);
        let thread = m.mux(brought, inputs.brought_thread, thread);
        let fresh = self.fresh.node;
        let starts = bit_at(m, fresh, thread);
        let starts = m.and(&[starts, not_brought]);
        let (rows, stored) = self.rows(m, thread);
        self.rows = Some(rows);
        let row = m.mux(starts, inputs.first_row, stored);
        let banks = m.mem(
            "banks",
            1,
            self.config.threads.into(),
            MemStyle::Distributed,
        );
        m.mem_write(banks, order.youngest, inputs.packet_bank, order.enters);
        let bank = m.mem_read_async(banks, thread);
        let chosen = ChosenOut {
            chosen,
            thread,
            starts,
            brought,
            fetched: m.delay("fetched_row", row),
            bank: m.delay("fetched_bank", bank),
        };
        (chosen, m.mem_read_async(banks, order.oldest), picked)
    }

    /// The numbers of the threads' next rows, and that of a thread.
    fn rows(&self, m: &mut Module, thread: Node) -> (Mem, Node) {
        let (width, depth) = (self.config.row_bits, self.config.threads.into());
        let rows = m.mem("rows", width, depth, MemStyle::Distributed);
        let stored = m.mem_read_async(rows, thread);
        (rows, stored)
    }

    /// Reads the row's number behind the choice, and writes the next one when it is known.
    fn lead(&mut self, m: &mut Module, inputs: &ThreadsIn, chosen: &ChosenOut) -> Led {
        let after = self.config.decided_after;
        let thread = later(m, "thread", chosen.thread, after);
        let mut until = |name: &str, node: Node| later_from_reset(m, name, node, after);
        let decided = until("under_way", chosen.chosen);
        let brought = until("was_brought", chosen.brought);
        let stays = until("was_brought_to_stay", inputs.brought_stays);
        let leads = &inputs.leads;
        let own = m.not(brought);
        // A row that ends the program and waits for a unit ends it when that brings the thread back.
        let not_waits = m.not(leads.waits);
        let at_once = m.and(&[own, leads.ends, not_waits]);
        let all_last = self.last.node;
        let last = bit_at(m, all_last, thread);
        let goes_on = m.not(stays);
        let behind = m.and(&[brought, last, goes_on]);
        let stays = m.and(&[brought, stays]);
        let ends = m.or(&[at_once, behind]);
        let over = m.or(&[leads.waits, leads.ends]);
        let over = m.and(&[own, over]);
        let over = m.or(&[over, behind, stays]);
        let ends = m.and(&[decided, ends]);
        let ends_later = m.and(&[decided, own, leads.ends, leads.waits]);
        let sets = self.one_hot(m, ends_later, thread);
        let behind = m.and(&[decided, behind]);
        let clears = self.one_hot(m, behind, thread);
        let answered = self.one_hot(m, inputs.answered, inputs.answered_thread);
        let clears = m.or(&[clears, answered]);
        self.last.next(m, sets, clears);
        // A row that a unit brings stands between the one that waited and the next one.
        let row = later(m, "row", chosen.fetched, after - 1);
        let following = m.add_const(row, 1);
        let next = m.mux(leads.goes, leads.row, following);
        let moves = m.and(&[decided, own]);
        let rows = self.rows.expect("rows are read first");
        m.mem_write(rows, thread, next, moves);
        let goes_on = m.not(over);
        let goes_on = m.and(&[decided, goes_on]);
        let after = self.config.ready_after;
        let ready = later_from_reset(m, "goes_on", goes_on, after);
        let done = later_from_reset(m, "ends", ends, after);
        let thread = later(m, "ready_thread", thread, after);
        let ready = self.one_hot(m, ready, thread);
        let done = self.one_hot(m, done, thread);
        let not_last = m.not(all_last);
        let goes_on = m.and(&[answered, not_last]);
        let ends = m.and(&[answered, all_last]);
        Led {
            ready: m.or(&[ready, goes_on]),
            done: m.or(&[done, ends]),
        }
    }

    /// What becomes of that while something is held.
    fn held(&mut self, m: &mut Module, held: Node, led: Led) -> Led {
        let all = self.config.threads.into();
        let holds = m.sext(held, all);
        let goes = m.not(holds);
        let mut pass = |flags: &Flags, node: Node| {
            let both = m.or(&[flags.node, node]);
            let kept = m.and(&[both, holds]);
            m.set_next(flags.reg, kept);
            m.and(&[both, goes])
        };
        let ready = pass(&self.held_ready, led.ready);
        let done = pass(&self.held_done, led.done);
        // Shifts that reset need not reach: what was in them then has no effect.
        let after = self.config.done_after;
        let one = m.one();
        let settled = later_from_reset(m, "settled", one, after);
        let done = later(m, "done", done, after);
        Led {
            ready,
            done: m.gate(settled, done),
        }
    }

    /// Threads that begin again: stale ones that have no row under way, and wait for nothing.
    fn restarts(&mut self, m: &mut Module, stale: Node, led: &Led) -> Node {
        let still = m.or(&[self.ready.node, self.done.node, led.ready, led.done]);
        let restarts = m.and(&[self.stale.node, still]);
        self.stale.next(m, stale, restarts);
        restarts
    }

    fn next(
        &mut self,
        m: &mut Module,
        order: &Order,
        (chosen, picked): (&ChosenOut, &Picked),
        led: &Led,
        restarts: Node,
    ) {
        let enters = self.one_hot(m, order.enters, order.youngest);
        let begins = self.one_hot(m, chosen.chosen, chosen.thread);
        let leaves = self.one_hot(m, order.leaves, order.oldest);
        let set = m.or(&[enters, led.ready, restarts]);
        self.ready.next(m, set, picked.threads);
        let set = m.or(&[enters, restarts]);
        self.fresh.next(m, set, begins);
        let goes_on = m.not(restarts);
        let done = m.and(&[led.done, goes_on]);
        let clears = m.or(&[leaves, restarts]);
        self.done.next(m, done, clears);
    }
}

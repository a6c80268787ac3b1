//! What a core counts: rows, packets that begin again, and for each clock in which no row has an effect the reason.
//!
//! Reasons are those of [`Stall`], and the first that holds counts. A reason is looked at in the clock in which a thread would have been
//! chosen; rows and parked rows are seen where their words are, some clocks later. So each clock is counted once, and all counters of
//! clocks together are the clocks.
//!
//! Where every thread has a packet, the reason is what the oldest one does: as long as it is inside, no other packet comes in.

use super::Processor;
use crate::hardware::pick::{bit_at, one_hot};
use hardpath_registers::{Event, Stall, EVENTS};
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, MemStyle, Module, Node};

signals! {
    /// What is looked at.
    pub struct StatisticsIn {
        row: one "stage 0: a row of the program begins, and has an effect",
        parks: one "stage 0: one begins that has none",
        chosen: one "a row is chosen",
        chosen_thread: one "of this thread",
        starts: one "it is its packet's first one",
        brought: one "it is one that a unit brings",
        stays: one "behind which the thread waits on",
        answered: one "an answer comes beside the rows",
        answered_thread: one "for this thread",
        gap: one "no row begins, for the sake of an answer",
        restarts: one "a bit for each thread: it begins again",
        waits: one "stage 9: the row's thread begins to wait for a unit",
        waits_for_map: one "stage 9: and that is a map",
        thread_9: one "stage 9: the row's thread",
        overflows: one "an addition finds its packet's log full, or what a packet has read its set",
        cuts: one "the watchdog ends a program",
        full: one "no thread is free",
        open: one "a packet that is there gets a thread",
        packet_valid: one "one is there",
        beat_valid: one "a beat is offered",
        runs: one "beats may be taken",
        oldest: one "the thread of the oldest packet",
        done: one "whose program is over",
        committed: one "and whose changes are done",
        room: one "stores may come",
        some_wait: one "a packet waits to be the oldest one",
    }
}

signals! {
    /// Strobes for the counters.
    pub struct StatisticsOut {
        /// In the order of [`Event::place`].
        event: several "",
    }
}

/// Makes the unit.
pub fn statistics(config: &Processor) -> Block<StatisticsIn, StatisticsOut> {
    let mut m = Module::new(
        format!("{}_statistics", config.name),
        "What becomes of the clocks: in each a row begins, or a unit answers, or there is one reason why not.",
    );
    let inputs = m.inputs(widths(config));
    m.section("Packets that begin again");
    let reruns = reruns(&mut m, config, &inputs);
    m.section("Why no row begins");
    let gap = m.not(inputs.gap);
    let idle = m.not(inputs.chosen);
    let idle = m.and(&[idle, gap]);
    let idle = m.delay_reset("no_row", idle);
    let reasons = reasons(&mut m, config, &inputs);
    let mut others = idle;
    let mut event = vec![m.zero(1); EVENTS];
    let brought = m.and(&[inputs.chosen, inputs.brought]);
    let nothing = m.not(inputs.chosen);
    let gaps = m.and(&[nothing, inputs.gap]);
    let answers = m.or(&[brought, gaps]);
    for (what, strobe) in [
        (Event::Rows, inputs.row),
        (Event::Answers, answers),
        (Event::Overflows, inputs.overflows),
        (Event::Cuts, inputs.cuts),
        (Event::Stall(Stall::Parked), inputs.parks),
    ] {
        event[what.place()] = m.delay_reset(format!("strobe_{}", what.place()), strobe);
    }
    event[Event::Reruns.place()] = reruns;
    for (stall, holds) in reasons {
        event[Event::Stall(stall).place()] = m.and(&[others, holds]);
        let not = m.not(holds);
        others = m.and(&[others, not]);
    }
    // Counters begin with a register.
    let event = event.into_iter().enumerate();
    let event = event.map(|(number, strobe)| m.delay_reset(format!("event_{number}"), strobe));
    let event = event.collect();
    m.into_block(inputs, StatisticsOut { event })
}

fn widths(config: &Processor) -> StatisticsIn<u32> {
    let thread = config.thread_bits();
    StatisticsIn {
        row: 1,
        parks: 1,
        chosen: 1,
        chosen_thread: thread,
        starts: 1,
        brought: 1,
        stays: 1,
        answered: 1,
        answered_thread: thread,
        gap: 1,
        restarts: config.shape.threads.into(),
        waits: 1,
        waits_for_map: 1,
        thread_9: thread,
        overflows: 1,
        cuts: 1,
        full: 1,
        open: 1,
        packet_valid: 1,
        beat_valid: 1,
        runs: 1,
        oldest: thread,
        done: 1,
        committed: 1,
        room: 1,
        some_wait: 1,
    }
}

/// A bit for each thread, which comes with `set` and goes with `clear`.
fn flags(m: &mut Module, name: &str, threads: u32, (set, clear): (Node, Node)) -> Node {
    let (reg, flags) = m.reg_reset(name, threads, 0);
    let kept = m.not(clear);
    let kept = m.and(&[flags, kept]);
    let next = m.or(&[kept, set]);
    m.set_next(reg, next);
    flags
}

/// A packet's first row begins, and not for the first time. Several packets may begin again in one clock, but their rows do not.
fn reruns(m: &mut Module, config: &Processor, inputs: &StatisticsIn) -> Node {
    let threads = config.shape.threads.into();
    let starts = m.and(&[inputs.chosen, inputs.starts]);
    let starts = m.delay_reset("starts_late", starts);
    let thread = m.delay("thread_that_starts", inputs.chosen_thread);
    let clear = one_hot(m, threads, starts, thread);
    let again = flags(m, "begins_again", threads, (inputs.restarts, clear));
    let again = bit_at(m, again, thread);
    let rerun = m.and(&[starts, again]);
    m.delay_reset("rerun", rerun)
}

/// All but [`Stall::Parked`], in their order, a clock behind what is looked at.
fn reasons(m: &mut Module, config: &Processor, inputs: &StatisticsIn) -> Vec<(Stall, Node)> {
    let mut late = |name: &str, node: Node| m.delay(format!("{name}_late"), node);
    let full = late("full", inputs.full);
    let open = late("open", inputs.open);
    let packet = late("packet", inputs.packet_valid);
    let beat = late("beat", inputs.beat_valid);
    let runs = late("runs", inputs.runs);
    let done = late("done", inputs.done);
    let committed = late("committed", inputs.committed);
    let room = late("room", inputs.room);
    let some_wait = late("some_wait", inputs.some_wait);
    let (maps, units) = waits(m, config, inputs);
    let free = m.not(full);
    let comes = m.or(&[packet, beat]);
    let may = m.and(&[open, runs]);
    let may_not = m.not(may);
    let closed = m.and(&[free, comes, may_not]);
    let commits = m.not(committed);
    let commits = m.and(&[done, commits]);
    let no_room = m.not(room);
    vec![
        (Stall::Closed, closed),
        (Stall::Intake, m.and(&[free, comes])),
        (Stall::Traffic, free),
        (Stall::Commit, commits),
        (Stall::Transmit, done),
        (Stall::Maps, maps),
        (Stall::Units, units),
        (Stall::Stores, no_room),
        (Stall::Order, some_wait),
        (Stall::Rows, m.one()),
    ]
}

/// Whether the oldest packet waits for a map, and for another unit; a clock late.
fn waits(m: &mut Module, config: &Processor, inputs: &StatisticsIn) -> (Node, Node) {
    let threads = config.shape.threads.into();
    let set = one_hot(m, threads, inputs.waits, inputs.thread_9);
    let goes_on = m.not(inputs.stays);
    let back = m.and(&[inputs.chosen, inputs.brought, goes_on]);
    let clear = one_hot(m, threads, back, inputs.chosen_thread);
    let answered = one_hot(m, threads, inputs.answered, inputs.answered_thread);
    let clear = m.or(&[clear, answered]);
    let waiting = flags(m, "waits_for_unit", threads, (set, clear));
    let waits = bit_at(m, waiting, inputs.oldest);
    // What a thread waited for last.
    let kinds = m.mem("last_was_a_map", 1, threads, MemStyle::Distributed);
    m.mem_write(kinds, inputs.thread_9, inputs.waits_for_map, inputs.waits);
    let of_map = m.mem_read_async(kinds, inputs.oldest);
    let of_unit = m.not(of_map);
    let (maps, units) = (m.and(&[waits, of_map]), m.and(&[waits, of_unit]));
    (
        m.delay("waits_for_map_late", maps),
        m.delay("waits_for_unit_late", units),
    )
}

//! Going through all rows of the chunks for a new entry, and when the host's slot may come.

use super::asked::Command;
use hardpath_rtl::{Module, Node};

/// The row that is read and then written, two clocks each.
#[derive(Clone, Copy)]
pub(crate) struct Rows {
    pub(crate) row: Node,
    /// The second of the two clocks.
    pub(crate) write: Node,
}

impl Rows {
    /// Gives the rows, and a strobe at their end.
    fn of(m: &mut Module, row_bits: u32, begins: Node) -> (Rows, Node) {
        m.section("Preparation: the rows of the chunks");
        let (sweeps_reg, sweeps) = m.reg_reset("sweeps", 1, 0);
        let (turn_reg, turn) = m.reg("row_and_turn", row_bits + 1);
        let zero = m.zero(row_bits + 1);
        let more = m.add_const(turn, 1);
        let next = m.mux(begins, zero, more);
        m.set_next(turn_reg, next);
        let last = m.reduce_and(turn);
        let ends = m.and(&[sweeps, last]);
        let goes_on = m.not(ends);
        let goes_on = m.and(&[sweeps, goes_on]);
        let sweeps_next = m.or(&[begins, goes_on]);
        m.set_next(sweeps_reg, sweeps_next);
        // The first turn reads the row, the second writes it.
        let second = m.bit(turn, 0);
        let rows = Rows {
            row: m.slice(turn, 1, row_bits),
            write: m.and(&[sweeps, second]),
        };
        (rows, ends)
    }
}

/// The host's slot may come: at once, or for a new entry after its bits are in all rows. Gives that, and the rows.
///
/// `inserts` and `fine`, which a register holds, are known when it is decided.
pub(crate) fn make_ready(
    m: &mut Module,
    row_bits: u32,
    (command, start): (&Command, Node),
    decides: Node,
    (inserts, fine): (Node, Node),
) -> (Node, Rows) {
    let looks_up = m.and(&[command.begins, command.is_lookup]);
    let work = |m: &mut Module, begins: Node| Rows::of(m, row_bits, begins);
    let needed = (inserts, fine);
    ready_after(m, (command, start), decides, (needed, looks_up), work)
}

/// The host's slot may come: when it is decided, after the `work` where that is needed, or `at_once`. The work is given the strobe in which
/// it begins, and gives what it makes with the strobe in which it ends.
pub(crate) fn ready_after<T>(
    m: &mut Module,
    (command, start): (&Command, Node),
    decides: Node,
    ((needed, fine), at_once): ((Node, Node), Node),
    work: impl FnOnce(&mut Module, Node) -> (T, Node),
) -> (Node, T) {
    let decided_1 = m.delay_reset("decided_1", decides);
    let decided_2 = m.delay_reset("decided_2", decided_1);
    let begins = m.and(&[decided_2, needed, fine]);
    let nothing = m.not(begins);
    let without = m.and(&[decided_2, nothing]);
    let (made, ended) = work(m, begins);
    let done = m.or(&[without, ended, at_once]);
    let (ready_reg, ready) = m.reg_reset("ready", 1, 0);
    let becomes = m.or(&[ready, done]);
    // A new command takes the readiness of the last one away before its own can come.
    let idle = m.or(&[start, command.started]);
    let idle = m.not(idle);
    let ready_next = m.and(&[becomes, idle]);
    m.set_next(ready_reg, ready_next);
    (ready, made)
}

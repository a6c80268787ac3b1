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
    let decided_1 = m.delay_reset("decided_1", decides);
    let decided_2 = m.delay_reset("decided_2", decided_1);
    let begins_sweep = m.and(&[decided_2, inserts, fine]);
    let not_swept = m.not(begins_sweep);
    let done_at_once = m.and(&[decided_2, not_swept]);
    let (rows, swept) = Rows::of(m, row_bits, begins_sweep);
    let looks_up = m.and(&[command.begins, command.is_lookup]);
    let done = m.or(&[done_at_once, swept, looks_up]);
    let (ready_reg, ready) = m.reg_reset("ready", 1, 0);
    let becomes = m.or(&[ready, done]);
    // A new command takes the readiness of the last one away before its own can come.
    let idle = m.or(&[start, command.started]);
    let idle = m.not(idle);
    let ready_next = m.and(&[becomes, idle]);
    m.set_next(ready_reg, ready_next);
    (ready, rows)
}

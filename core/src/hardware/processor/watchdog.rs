//! The watchdog: rows of each packet are counted, and a program that has had too many ends.

use super::Processor;
use crate::hardware::lanes::CUT_STAGE;
use crate::hardware::shift::{later, later_from_reset};
use hardpath_blocks::index_bits;
use hardpath_rtl::{MemStyle, Module, Node};

/// The stage in which rows are counted.
const COUNT_STAGE: u32 = CUT_STAGE - 2;

/// In stage 9: the row's program ends with it, whatever it says. `begins`: stage 0, a row of the program, and that it is its packet's
/// first one.
pub(super) fn watchdog(
    m: &mut Module,
    config: &Processor,
    (begins, starts): (Node, Node),
    thread: Node,
) -> Node {
    m.section("Watchdog");
    let bits = index_bits(u64::from(config.most_rows) + 1);
    let mem = m.mem(
        "rows_so_far",
        bits,
        config.shape.threads.into(),
        MemStyle::Distributed,
    );
    let begins_here = later_from_reset(m, "begins", begins, COUNT_STAGE);
    let starts = later(m, "starts", starts, COUNT_STAGE);
    let thread = later(m, "counted_thread", thread, COUNT_STAGE);
    let before = m.mem_read_async(mem, thread);
    let zero = m.zero(bits);
    let before = m.mux(starts, zero, before);
    let count = m.add_const(before, 1);
    let sum = m.delay("row_count", count);
    let here = m.delay_reset("is_counted", begins_here);
    let thread = m.delay("thread_of_count", thread);
    m.mem_write(mem, thread, sum, here);
    let last = m.eq_const(sum, config.most_rows.into());
    let over = m.and(&[last, here]);
    m.delay_reset("over", over)
}

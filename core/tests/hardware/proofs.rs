//! Bounded proofs of whose turn it is: the order of packets rests on it.

use hardpath_core::hardware::threads::{threads, Threads};
use hardpath_rtl::{verilog, Design};
use hardpath_testkit::claim::Claim;

#[test]
fn packets_leave_in_order_when_what_they_have_read_is_so() {
    let config = Threads {
        threads: 2,
        row_bits: 3,
        decided_after: 3,
        ready_after: 1,
        done_after: 1,
    };
    let mut design = Design::new();
    let id = design.add(threads("block", &config));
    Claim {
        name: "threads",
        block: verilog::print_module(&design, id),
        harness: include_str!("proofs/threads.sv"),
        parameters: "",
        clocks: 16,
        mistakes: &[
            ("oldest_reg + 1'b1", "oldest_reg"),
            // Leaves with what is not so any more, or before its answer; goes on without it.
            ("done & ~is_stale_reg", "done"),
            (
                "(!was_brought_later_2 && ends && !waits)",
                "(!was_brought_later_2 && ends)",
            ),
            (
                "(!was_brought_later_2 && (waits || ends))",
                "(!was_brought_later_2 && ends)",
            ),
        ],
    }
    .holds(env!("CARGO_TARGET_TMPDIR").as_ref());
}

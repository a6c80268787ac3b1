//! Runs the `hardpath` command as a user does.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// What a run of the command left.
pub struct Run {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// The one JSON object on standard output.
    pub fn json(&self) -> Value {
        match serde_json::from_str(&self.stdout) {
            Ok(value @ Value::Object(_)) => value,
            other => panic!(
                "not one JSON object: {other:?}\n{}{}",
                self.stdout, self.stderr
            ),
        }
    }

    /// Asserts that the command failed with this status and code, with nothing else on standard output, and gives
    /// the error.
    pub fn error(&self, status: i32, code: &str) -> Value {
        let object = self.json();
        let error = object["error"].clone();
        assert_eq!(error["code"], code, "{object}");
        assert_eq!(self.status, status, "{object}");
        for key in ["message", "place", "help"] {
            assert!(error.get(key).is_some(), "{key} is missing: {object}");
        }
        error
    }
}

pub fn hardpath(arguments: &[&str]) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_hardpath"))
        .args(arguments)
        .current_dir(root())
        .output()
        .expect("the command can be started");
    run_of(output)
}

pub fn run_of(output: Output) -> Run {
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    let run = Run {
        status: output.status.code().expect("the command was not killed"),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    };
    let defect = |text: &str| {
        text.contains("error[internal-error]") || text.contains(r#"{"code":"internal-error""#)
    };
    assert!(
        !defect(&run.stderr) && !defect(&run.stdout),
        "{}{}",
        run.stdout,
        run.stderr
    );
    run
}

/// The folder of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Puts the source of a P4 program that `tools/bench-p4` makes into a folder, as `marketdata:11`. `None`: there is no Python to make it.
pub fn made(program: &str, folder: &Path) -> Option<PathBuf> {
    let mut python = Command::new("python3");
    let bench = python.arg(root().join("tools/bench-p4"));
    let Ok(printed) = bench.args(["--print", program]).output() else {
        assert!(std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_none());
        return None;
    };
    assert!(printed.status.success(), "{program}");
    let file = folder.join("made.p4");
    std::fs::write(&file, printed.stdout).unwrap();
    Some(file)
}

pub fn path(path: &Path) -> &str {
    path.to_str().expect("test paths are UTF-8")
}

/// An object that is kept ready-made.
pub fn object(name: &str) -> String {
    format!("programs/prebuilt/{name}.o")
}

/// Every real capture, and ours.
pub fn captures() -> Vec<String> {
    let shared = std::fs::read_dir(root().join("../shared/pcaps")).expect("../shared is there");
    let mut captures: Vec<String> = shared
        .map(|entry| entry.expect("it can be read").path().display().to_string())
        .filter(|name| name.ends_with(".pcapng"))
        .collect();
    captures.sort();
    captures.push(String::from("programs/firewall.pcap"));
    captures
}

/// The object of `data/NAME.c` in a folder of its own; `None`: there is no clang, and the environment does not say that
/// there must be.
pub fn compile(name: &str) -> Option<(TempDir, PathBuf)> {
    compile_source("cli/tests/command/data", name)
}

/// The object of `FOLDER/NAME.c`, in the same way.
pub fn compile_source(folder: &str, name: &str) -> Option<(TempDir, PathBuf)> {
    let place = tempfile::tempdir().unwrap();
    let object = place.path().join(format!("{name}.o"));
    let machine = std::env::consts::ARCH;
    let compiled = Command::new("clang")
        .args(["-target", "bpf", "-O2", "-g", "-c"])
        .arg(format!("{folder}/{name}.c"))
        .arg(format!("-I/usr/include/{machine}-linux-gnu"))
        .args([Path::new("-o"), &object])
        .current_dir(root())
        .status();
    match compiled {
        Ok(status) => {
            assert!(status.success());
            Some((place, object))
        }
        Err(error) => {
            assert!(
                std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_none(),
                "clang: {error}"
            );
            eprintln!("not tested, there is no clang: {error}");
            None
        }
    }
}

/// Who judges: the kernel where it can be asked; else, unless it must be asked, the interpreter.
pub fn judge() -> &'static str {
    let answer = hardpath(&[
        "check",
        &object("listing1"),
        "--json",
        "--engine",
        "interpreter",
        "--pcap",
        "programs/firewall.pcap",
    ])
    .json();
    if answer["error"]["code"] == "kernel-unavailable" {
        assert!(
            std::env::var_os("HARDPATH_REQUIRE_KERNEL").is_none(),
            "{answer}"
        );
        return "interpreter";
    }
    "kernel"
}

/// Whether a command of others succeeded, and all that it said.
pub fn said(output: Output) -> (bool, String) {
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    (output.status.success(), text)
}

/// `PATH` with a folder in front.
pub fn before_path(folder: &Path) -> String {
    format!("{}:{}", path(folder), std::env::var("PATH").unwrap())
}

/// Lines that the test bench of a design refuses, and how.
pub const WRONG_LINES: [(&str, &str); 3] = [
    ("w 0200 00000000\n", "a line begins with 'w'"),
    (
        "W 0000 00000000\n",
        "writing register 0000 gives the response 10",
    ),
    (
        "R 0300 00000000\n",
        "reading register 0300 gives the response 10",
    ),
];

/// The lines of a test bench, with another digit in that column of the first line with a tag.
pub fn changed(lines: &str, tag: char, column: usize) -> String {
    let first = lines.lines().position(|line| line.starts_with(tag));
    let lines = lines.lines().enumerate().map(|(at, line)| {
        if Some(at) != first {
            return format!("{line}\n");
        }
        let other = match &line[column..=column] {
            "1" => "0",
            _ => "1",
        };
        format!("{}{other}{}\n", &line[..column], &line[column + 1..])
    });
    lines.collect()
}

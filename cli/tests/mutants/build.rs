//! One Verilator model of a design with all its mutants: each place chooses by a number that is given when it runs.

use crate::rules::Mutant;
use hardpath_testbed::verilator::Tool;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What the mutants look at; it is in the copy only.
const NUMBER: &str = "package mutant;\n  int number = 0;\nendpackage\n\nmodule mutant_number;\n  \
    initial if (!$value$plusargs(\"mutant=%d\", mutant::number)) mutant::number = 0;\nendmodule\n";

/// A mutant with its number.
type Numbered<'a> = (usize, &'a Mutant);

/// A place of a file with its mutants.
type Place<'a> = (Range<usize>, Vec<Numbered<'a>>);

/// A file with those mutants of it: number 0 is the design as it was.
fn with_mutants(text: &str, mutants: &[Numbered]) -> String {
    // Outer places before inner ones that begin where they do.
    let mut by_place: BTreeMap<(usize, Reverse<usize>), Vec<Numbered>> = BTreeMap::new();
    for (number, mutant) in mutants {
        let place = (mutant.place.start, Reverse(mutant.place.end));
        by_place.entry(place).or_default().push((*number, mutant));
    }
    let places = by_place.into_iter();
    let places: Vec<Place> = places
        .map(|((start, end), mutants)| (start..end.0, mutants))
        .collect();
    printed(text, 0..text.len(), &places)
}

/// The text of a range; `places` are those inside it.
fn printed(text: &str, range: Range<usize>, places: &[Place]) -> String {
    let mut result = String::new();
    let mut at = range.start;
    let mut rest = places;
    while let Some(((place, mutants), behind)) = rest.split_first() {
        let inner = behind
            .iter()
            .take_while(|(inner, _)| inner.end <= place.end);
        let inner = inner.count();
        result += &text[at..place.start];
        let mut chosen = format!("({})", printed(text, place.clone(), &behind[..inner]));
        for (number, mutant) in mutants {
            chosen = format!(
                "(mutant::number == {number} ? ({}) : {chosen})",
                mutant.becomes
            );
        }
        result += &chosen;
        at = place.end;
        rest = &behind[inner..];
    }
    result += &text[at..range.end];
    result
}

/// A folder of a design, as `hardpath compile` wrote it.
pub struct Folder {
    pub path: PathBuf,
    pub top: String,
}

impl Folder {
    /// Its own files, callees first.
    pub fn files(&self) -> Vec<(String, String)> {
        let list = fs::read_to_string(self.path.join(format!("{}.f", self.top))).unwrap();
        let read = |name: &str| {
            (
                name.to_owned(),
                fs::read_to_string(self.path.join(name)).unwrap(),
            )
        };
        list.lines().map(read).collect()
    }

    /// Builds the bench around the design with all the mutants, numbered from 1.
    pub fn build(&self, tool: &Tool, mutants: &[Mutant]) -> Bench {
        let place = self.path.join("mutants");
        fs::create_dir_all(&place).unwrap();
        let mut names = vec![String::from("mutant.sv")];
        fs::write(place.join("mutant.sv"), NUMBER).unwrap();
        for (name, text) in self.files() {
            let of_file = (1..).zip(mutants).filter(|(_, mutant)| mutant.file == name);
            let of_file: Vec<(usize, &Mutant)> = of_file.collect();
            fs::write(place.join(&name), with_mutants(&text, &of_file)).unwrap();
            names.push(name);
        }
        let top = format!("{}_tb", self.top);
        for name in [format!("{}_protocol.sv", self.top), format!("{top}.sv")] {
            fs::copy(self.path.join(&name), place.join(&name)).unwrap();
            names.push(name);
        }
        let output = Command::new(&tool.executable)
            .args([
                "--binary",
                "--timing",
                "--assert",
                "-Wno-fatal",
                "-Wno-lint",
            ])
            .args(["-CFLAGS", "-std=c++20", "-CFLAGS", "-O1"])
            // As one file, which reads Verilator's headers once.
            .args(["-MAKEFLAGS", "VM_PARALLEL_BUILDS=0"])
            // Two tops: the bench, and the module that reads the number.
            .args(["--prefix", "Vbench"])
            .args(names)
            .env("VERILATOR_ROOT", &tool.root)
            .current_dir(&place)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {said}", self.top);
        Bench {
            executable: place.join("obj_dir/Vbench"),
            folder: self.path.clone(),
        }
    }
}

/// A bench that was built.
pub struct Bench {
    executable: PathBuf,
    folder: PathBuf,
}

/// A mutant that runs for longer hangs.
const LIMIT: Duration = Duration::from_secs(60);

impl Bench {
    /// Whether the bench passes, and what it said last.
    pub fn passes(&self, number: usize, lines: Option<&Path>) -> (bool, String) {
        let output = self.folder.join("output.txt");
        let file = fs::File::create(&output).unwrap();
        let mut command = Command::new(&self.executable);
        command
            .arg(format!("+mutant={number}"))
            .arg("+patience=20000")
            .args(lines.map(|lines| format!("+lines={}", lines.display())))
            .current_dir(&self.folder)
            .stdout(Stdio::from(file.try_clone().unwrap()))
            .stderr(Stdio::from(file));
        let mut child = command.spawn().unwrap();
        let start = Instant::now();
        let status = loop {
            match child.try_wait().unwrap() {
                Some(status) => break Some(status),
                None if lines.is_none() && start.elapsed() > LIMIT => {
                    child.kill().unwrap();
                    child.wait().unwrap();
                    break None;
                }
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        let said = fs::read(&output).unwrap();
        let said = String::from_utf8_lossy(&said);
        let first = said
            .lines()
            .find(|line| line.contains("FAILED") || line.contains("rror"));
        let passed = status.is_some_and(|status| status.success()) && said.contains("PASSED");
        (passed, first.unwrap_or_default().to_owned())
    }
}

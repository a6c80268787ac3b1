//! Each `*.hir` in the folder above is one test: a program, the steps to run (`; run: predicate words`, every pass and
//! more), and behind `; expect:` the text that must come out. The step `report` gives each map's hazard instead of the
//! program.
//!
//! `UPDATE_EXPECT=1 cargo test -p hardpath-pipeline` writes what comes out now; read the difference.

use hardpath_ir::{parse, verifier, Program};
use hardpath_pipeline::technology::ULTRASCALE_PLUS;
use hardpath_pipeline::{compile, dataflow, passes, several_ways, shorten, Options};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const MARK: &str = "; expect:\n";

/// Every file with its text in front of the mark and what is expected.
pub fn all() -> Vec<(PathBuf, String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder of the tests")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "hir"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let (input, expected) = text.split_once(MARK).unwrap_or((&text, ""));
        (path.clone(), input.to_string(), expected.to_string())
    };
    paths.into_iter().map(read).collect()
}

/// The program in a text.
pub fn read(text: &str) -> Program {
    let program = parse::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    valid(&program);
    program
}

fn valid(program: &Program) {
    if let Err(errors) = verifier::verify(program) {
        let list: Vec<String> = errors.iter().map(ToString::to_string).collect();
        panic!("{}\n{program}", list.join("\n"));
    }
}

/// What the steps make of the program in the text.
fn outcome(text: &str) -> String {
    let steps = text
        .lines()
        .find_map(|line| line.strip_prefix("; run:"))
        .expect("a line `; run:`");
    let mut program = read(text);
    for step in steps.split_whitespace() {
        match step {
            "shorten" => {
                program = dataflow(&program).expect("nothing to refuse");
                shorten::shorten(&mut program, &ULTRASCALE_PLUS);
            }
            "several_ways" => {
                several_ways::join(&mut program);
            }
            "report" => return report(program),
            _ => {
                let pass = passes::find(step).unwrap_or_else(|| panic!("there is no step {step}"));
                if let Err(errors) = pass.run(&mut program) {
                    return errors.iter().map(|error| format!("{error}\n")).collect();
                }
            }
        }
        valid(&program);
    }
    program.to_string()
}

/// Each map's hazard, or the refusals.
fn report(program: Program) -> String {
    let mut text = String::new();
    match compile(program, &Options::default()) {
        Ok(compiled) => {
            for map in &compiled.report.maps {
                let hazard = format!("{:?}", map.hazard).to_lowercase();
                writeln!(text, "{}: {hazard}, {}", map.name, map.reason)
                    .expect("a string takes it");
            }
        }
        Err(errors) => {
            for error in errors {
                writeln!(text, "{error}").expect("a string takes it");
            }
        }
    }
    text
}

#[test]
fn files() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut different = Vec::new();
    for (path, input, expected) in all() {
        let found = outcome(&input);
        if found == expected {
            continue;
        }
        if update {
            let text = format!("{}\n{MARK}{found}", input.trim_end());
            std::fs::write(&path, text).expect("a writable file");
        } else {
            let what = path.display();
            different.push(format!("{what}\nexpected:\n{expected}\nfound:\n{found}"));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

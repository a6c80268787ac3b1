//! Each `*.hir` in the folder above is one test: a program, the passes to run (`; run: fold dce`, also the pipelines
//! `optimize_control_flow` and `optimize_dataflow`), and behind `; expect:` the text that must come out.
//!
//! `UPDATE_EXPECT=1 cargo test -p hardpath-passes` writes what comes out now; read the difference.

use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{parse, Program};
use hardpath_testkit::{assert_same, assert_valid, Random};
use std::path::{Path, PathBuf};

const MARK: &str = "; expect:\n";

fn run_passes(program: &mut Program, names: &str) -> Result<(), Diagnostic> {
    for name in names.split_whitespace() {
        match name {
            "optimize_control_flow" => hardpath_passes::optimize_control_flow(program)?,
            "optimize_dataflow" => hardpath_passes::optimize_dataflow(program)?,
            _ => {
                let pass = hardpath_passes::find(name)
                    .unwrap_or_else(|| panic!("there is no pass {name}"));
                (pass.run)(program)?;
            }
        }
        assert_valid(program, name);
    }
    Ok(())
}

/// What the program in the text becomes.
fn outcome(path: &Path, text: &str) -> String {
    let what = path.display().to_string();
    let names = text
        .lines()
        .find_map(|line| line.strip_prefix("; run:"))
        .unwrap_or_else(|| panic!("{what}: no line `; run:`"));
    let before = parse::parse(text).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_valid(&before, &what);
    let mut after = before.clone();
    match run_passes(&mut after, names) {
        Ok(()) => {
            assert_same(&before, &after, &mut Random::new(1), 50, &what);
            after.to_string()
        }
        Err(error) => format!("{error}\n"),
    }
}

#[test]
fn files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder of the tests")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "hir"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut different = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let (input, expected) = text.split_once(MARK).unwrap_or((&text, ""));
        let found = outcome(&path, input);
        if found == expected {
            continue;
        }
        if update {
            let text = format!("{}\n{MARK}{found}", input.trim_end());
            std::fs::write(&path, text).expect("a writable file");
        } else {
            different.push(format!(
                "{}\nexpected:\n{expected}\nfound:\n{found}",
                path.display()
            ));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

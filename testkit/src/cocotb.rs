//! Tests in Python under cocotb, which build what they test with Verilator.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The project's Python, with packages that are there.
pub struct Python {
    root: PathBuf,
    program: PathBuf,
}

impl Python {
    /// That of this checkout, if these packages can be imported. Where they cannot, and the environment does not say that they must, there is
    /// none, which is told.
    ///
    /// # Panics
    /// The environment says that there must be one.
    pub fn with(root: &Path, packages: &[&str]) -> Option<Python> {
        let program = root.join(".venv/bin/python");
        let import = format!("import {}", packages.join(", "));
        let found = Command::new(&program).args(["-c", &import]).output();
        if found.is_ok_and(|output| output.status.success()) {
            let root = root.to_owned();
            return Some(Python { root, program });
        }
        assert!(
            std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_none(),
            "{} in .venv: tools/setup",
            packages.join(" and ")
        );
        eprintln!("not tested, tools are missing: tools/setup");
        None
    }

    /// Runs a script of the checkout, in it. Gives what it said.
    ///
    /// # Panics
    /// It fails.
    pub fn run(&self, script: &str, arguments: &[&str]) -> String {
        let output = Command::new(&self.program)
            .arg(script)
            .args(arguments)
            .current_dir(&self.root)
            .output()
            .expect("Python can be started");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let log = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}{log}");
        said
    }
}

/// How many tests of a case or design passed, by what was said.
pub fn passed(said: &str, case: &str) -> usize {
    said.matches(&format!("passed {case} ")).count()
}

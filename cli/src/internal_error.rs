//! A panic is an error of hardpath, never of its user: it is told like every other error, with one JSON object where
//! JSON is wanted.

use crate::answer::Answer;
use hardpath_diagnostic::{Diagnostic, Place};
use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Mutex;

/// The last panic, from whichever thread.
static LAST: Mutex<Option<Diagnostic>> = Mutex::new(None);

/// Runs a command; a panic in it becomes an error.
pub fn catch(
    command: impl FnOnce() -> Result<Answer, Vec<Diagnostic>>,
) -> Result<Answer, Vec<Diagnostic>> {
    panic::set_hook(Box::new(remember));
    let result = panic::catch_unwind(AssertUnwindSafe(command));
    let last = LAST.lock().ok().and_then(|mut last| last.take());
    match result {
        Ok(Ok(answer)) => Ok(answer),
        // A thread may have come to its end by a panic, and what waited for it gave an error.
        Ok(Err(errors)) => Err(errors.into_iter().chain(last).collect()),
        Err(_) => Err(vec![
            last.unwrap_or_else(|| internal_error(String::from("unknown")))
        ]),
    }
}

fn remember(info: &PanicHookInfo) {
    let payload = info.payload();
    let message = match (
        payload.downcast_ref::<&str>(),
        payload.downcast_ref::<String>(),
    ) {
        (Some(message), _) => (*message).to_owned(),
        (_, Some(message)) => message.clone(),
        _ => String::from("unknown"),
    };
    let mut error = internal_error(message);
    if let Some(location) = info.location() {
        error =
            error.at(Place::of_file(location.file()).position(location.line(), location.column()));
    }
    let backtrace = Backtrace::capture();
    if backtrace.status() == BacktraceStatus::Captured {
        eprintln!("{backtrace}");
    }
    if let Ok(mut last) = LAST.lock() {
        *last = Some(error);
    }
}

fn internal_error(message: String) -> Diagnostic {
    Diagnostic::defect(
        "internal-error",
        format!("hardpath has a defect: {message}"),
    )
    .help("please report it with the command and its files; RUST_BACKTRACE=1 shows more")
}

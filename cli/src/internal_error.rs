//! A panic is an error of hardpath, never of its user: it is told like every other error, with one JSON object where
//! JSON is wanted.

use crate::answer::Answer;
use hardpath_ir::Diagnostic;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Mutex;

/// The first panic, from whichever thread.
static FIRST: Mutex<Option<Diagnostic>> = Mutex::new(None);

/// Runs a command; a panic in it becomes an error.
pub fn catch(
    command: impl FnOnce() -> Result<Answer, Vec<Diagnostic>>,
) -> Result<Answer, Vec<Diagnostic>> {
    panic::set_hook(Box::new(remember));
    let result = panic::catch_unwind(AssertUnwindSafe(command));
    let first = FIRST.lock().map(|mut first| first.take()).ok().flatten();
    match (result, first) {
        (Ok(result), None) => result,
        (_, Some(error)) => Err(vec![error]),
        (Err(_), None) => Err(vec![internal_error(String::from("unknown"))]),
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
        error = error.at(location.to_string());
    }
    let backtrace = Backtrace::capture();
    if backtrace.status() == BacktraceStatus::Captured {
        eprintln!("{backtrace}");
    }
    if let Ok(mut first) = FIRST.lock() {
        first.get_or_insert(error);
    }
}

/// To the user it is a program that hardpath does not take.
fn internal_error(message: String) -> Diagnostic {
    Diagnostic::refused(
        "internal-error",
        format!("hardpath has a defect: {message}"),
    )
    .help("please report it with the command and its files; RUST_BACKTRACE=1 shows more")
}

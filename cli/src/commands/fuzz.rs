//! `hardpath fuzz`: random programs, compared between kernel, interpreter and hardware.

use crate::answer::Answer;
use crate::arguments::FuzzArguments;
use hardpath_ir::Diagnostic;

pub fn run(_arguments: &FuzzArguments) -> Result<Answer, Vec<Diagnostic>> {
    Err(vec![Diagnostic::refused(
        "not-built",
        "fuzzing is not in this version of hardpath",
    )])
}

//! `hardpath synth`: area and depth of a program's hardware.

use crate::answer::Answer;
use crate::arguments::SynthArguments;
use hardpath_ir::Diagnostic;

pub fn run(_arguments: &SynthArguments) -> Result<Answer, Vec<Diagnostic>> {
    Err(vec![Diagnostic::refused(
        "not-built",
        "synthesis is not in this version of hardpath",
    )])
}

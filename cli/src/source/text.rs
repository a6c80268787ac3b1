//! The program IR in text form, as `hardpath ir` prints it.

use super::{Given, Loaded, Source};
use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_ir::{parse, verifier, Phase, Program};
use std::fmt::Display;
use std::path::Path;

pub struct Text;

/// How files of this kind are called: by hand, and in the folder of a design.
const ENDINGS: [&str; 2] = ["hir", "ir"];

impl Source for Text {
    fn title(&self) -> &'static str {
        "the text of a program"
    }

    /// By its name, or by its first word.
    fn knows(&self, path: &Path, bytes: &[u8]) -> bool {
        let ending = path.extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| ENDINGS.contains(&ending)) || first_word(bytes) == b"program"
    }

    fn takes_object_options(&self) -> bool {
        false
    }

    fn load(&self, given: &Given) -> Result<Loaded, Vec<Diagnostic>> {
        let program = read(&given.bytes, given.name())?;
        let phase = match program.phase {
            Phase::Structured => "structured",
            Phase::ControlFlow => "control flow",
            Phase::Dataflow => "dataflow",
            Phase::Scheduled => "scheduled",
        };
        Ok(Loaded::new(format!("program text, {phase}"), program))
    }
}

/// Reads a program in text form and checks it; `file` is for messages.
///
/// # Errors
/// `not-text`, `ir-syntax`, or all that breaks the rules of the IR.
pub fn read(bytes: &[u8], file: impl Display) -> Result<Program, Vec<Diagnostic>> {
    let text = std::str::from_utf8(bytes).map_err(|_| {
        let error = Diagnostic::input("not-text", "the file is not UTF-8 text");
        let help = match bytes.starts_with(b"\x7fELF") {
            true => "this is an object; `hardpath ir` gives its program as text",
            false => "give a program as `hardpath ir` prints it",
        };
        vec![error.at(Place::of_file(&file)).help(help)]
    })?;
    let program = parse::parse(text).map_err(|error| vec![error.in_file(&file)])?;
    verify(&program, file)?;
    Ok(program)
}

/// # Errors
/// All that breaks the rules of the IR; `file` is where the program stands.
pub fn verify(program: &Program, file: impl Display) -> Result<(), Vec<Diagnostic>> {
    verifier::verify(program).map_err(|errors| {
        let errors = errors.into_iter();
        errors
            .map(|error| Diagnostic::from(error).in_file(&file))
            .collect()
    })
}

/// Behind blank lines and comments.
fn first_word(bytes: &[u8]) -> &[u8] {
    let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with(b";"));
    let first = lines.next().unwrap_or_default();
    first
        .split(u8::is_ascii_whitespace)
        .next()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_known_by_its_name_or_its_first_word() {
        let knows = |name: &str, bytes: &[u8]| Text.knows(Path::new(name), bytes);
        assert!(knows("a.hir", b"") && knows("design/a.ir", b"\x7fELF"));
        assert!(knows(
            "a",
            b"; made by hand\n\n  program \"a\" control-flow\n"
        ));
        assert!(!knows("a.o", b"\x7fELF"));
        assert!(!knows("README.md", b"# programs\n") && !knows("a", b""));
    }
}

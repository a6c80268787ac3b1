//! Refusals with their place in the program.

use hardpath_ir::{Diagnostic, Inst, PlaceId, Program};

/// A refusal at an instruction.
pub fn refusal(
    program: &Program,
    inst: Inst,
    code: &'static str,
    message: impl Into<String>,
    help: &str,
) -> Diagnostic {
    let diagnostic = Diagnostic::refused(code, message).help(help);
    match program.insts[inst].place {
        Some(place) => diagnostic.at(place_text(program, place)),
        None => diagnostic.at(format!("program {}", program.name)),
    }
}

/// A place as text: program, instruction, source line.
pub fn place_text(program: &Program, place: PlaceId) -> String {
    let data = &program.places[place];
    let mut text = format!("program {}, instruction {}", program.name, data.slot);
    if data.line > 0 {
        text.push_str(&format!(
            " ({}:{}: {})",
            data.file,
            data.line,
            data.source.trim()
        ));
    }
    text
}

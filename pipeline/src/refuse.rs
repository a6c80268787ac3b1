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
        None => diagnostic.at(whole_text(program)),
    }
}

/// The whole program as a place: object and section as far as known, and its name.
pub fn whole_text(program: &Program) -> String {
    let mut units = program.places.values().map(|place| &place.unit);
    match units.find(|unit| !unit.is_empty()) {
        Some(unit) => format!("{unit}, program {}", program.name),
        None => format!("program {}", program.name),
    }
}

/// A place as text: object and section, or the program where they are not known; instruction, source line.
pub fn place_text(program: &Program, place: PlaceId) -> String {
    let place = &program.places[place];
    match place.unit.is_empty() {
        true => format!("program {}, {place}", program.name),
        false => place.to_string(),
    }
}

/// A further place in a message, behind what stands there: ` (line 88)`; nothing when it is not known.
pub fn short_place(program: &Program, inst: Inst) -> String {
    match program.insts[inst]
        .place
        .map(|place| &program.places[place])
    {
        None => String::new(),
        Some(place) if place.line > 0 => format!(" (line {})", place.line),
        Some(place) => format!(" (instruction {})", place.slot),
    }
}

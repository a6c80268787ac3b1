//! Hazards end to end: programs become hardware, get traffic that is made to break them, and are compared with the
//! interpreter, packet for packet, answer for answer and map for map. The programs are files (`cases/hazards`), most of which are
//! tests by themselves; here is what needs more than a line.

mod broadcasts;
mod drivers;
mod foreign_keys;
mod forgetting;
mod generator;
mod known_programs;
mod mutants;
mod random_programs;
mod searches;

/// The text of a program in `cases/hazards`.
fn case(name: &str, words: &[(&str, &str)]) -> String {
    hardpath_filetests::text(&format!("hazards/{name}"), words)
}

/// The name of a new word that takes longer than a clock, or does not.
fn word(late: bool) -> &'static str {
    match late {
        true => "late",
        false => "soon",
    }
}

//! Sources, from their text to what they declare; and what is wrong with them.

mod architectures;
mod check;
mod commands;
mod format;
mod idle;
mod meters;
mod mistakes;
mod p4_14;
mod p4info;
mod p4runtime;
mod parser;
mod profiles;
mod programs;
mod random;
mod ranges;
mod rules;
mod stf;
mod table_rules;
mod unused;

use hardpath_diagnostic::Diagnostic;
use hardpath_p4::ast::Program;
use hardpath_p4::preprocess::{self, Options};
use hardpath_p4::source::Sources;

/// Reads a text as `program.p4`, and what is made of the program then; errors as `line:column message`.
pub fn read<T>(
    text: &str,
    then: impl FnOnce(Program, &Sources) -> Result<T, Vec<Diagnostic>>,
) -> Result<T, Vec<String>> {
    let mut sources = Sources::default();
    let number = sources.add("program.p4", text);
    let tokens = preprocess::run(&mut sources, number, &Options::default());
    let program = tokens.and_then(|tokens| hardpath_p4::parser::program(&sources, &tokens));
    let made = program.and_then(|program| then(program, &sources));
    made.map_err(|errors| {
        let lines = errors.iter().map(|error| {
            let place = error.place.as_ref().expect("errors of sources have one");
            format!("{}:{} {}", place.line, place.column, error.message)
        });
        lines.collect()
    })
}

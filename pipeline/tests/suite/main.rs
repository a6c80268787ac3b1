//! Limits of the pipeline, pointers of before, what tables store of keys, wide choices. Texts in, texts out, refusals and schedules stand in
//! `filetests`.

mod key_bits;
mod limits;
mod old_pointers;
mod structured;
mod wide_choices;

use hardpath_ir::{parse, verifier, Program};

/// The program in a text.
fn read(text: &str) -> Program {
    let program = parse::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    if let Err(errors) = verifier::verify(&program) {
        let list: Vec<String> = errors.iter().map(ToString::to_string).collect();
        panic!("{}\n{program}", list.join("\n"));
    }
    program
}

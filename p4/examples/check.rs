//! Reads programs, looks up what they declare, makes the objects of those that have a `main`, and says what is wrong with them:
//! `cargo run -p hardpath-p4 --example check -- [-I DIR]… FILE…`.

use hardpath_diagnostic::Diagnostic;
use hardpath_p4::check::check;
use hardpath_p4::design::design;
use hardpath_p4::preprocess::Options;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Errors that are about names.
fn named(mut errors: Vec<Diagnostic>) -> Result<(), Vec<Diagnostic>> {
    errors.retain(|error| error.code == "p4-name");
    match errors.is_empty() {
        true => Ok(()),
        false => Err(errors),
    }
}

fn main() -> ExitCode {
    let mut options = Options::default();
    let (mut files, mut wrong) = (0, 0);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "-I" {
            options.folders.extend(arguments.next().map(PathBuf::from));
            continue;
        }
        files += 1;
        let read = hardpath_p4::parse(Path::new(&argument), &options);
        let declared = read.and_then(|(program, sources)| {
            let program = check(&program, &sources)?;
            // What is a part of a program makes no objects.
            let mut top = program.top.iter();
            match top.any(|number| program.instances[*number].name == "main") {
                // An object that this compiler does not make yet is no error of the program.
                true => design(&program, &sources).map(|_| ()).or_else(named),
                false => Ok(()),
            }
        });
        if let Err(errors) = declared {
            wrong += 1;
            for error in errors {
                println!("{argument}: {error}");
            }
        }
    }
    println!("{files} files, {wrong} with errors");
    ExitCode::from(u8::from(wrong > 0))
}

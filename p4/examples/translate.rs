//! Translates P4_14 programs to P4_16 for v1model: `cargo run -p hardpath-p4 --example translate -- [-I DIR]… FILE…`.

use hardpath_p4::p4_14::translate;
use hardpath_p4::preprocess::Options;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut options = Options::default();
    let mut wrong = 0;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "-I" {
            options.folders.extend(arguments.next().map(PathBuf::from));
            continue;
        }
        match translate(Path::new(&argument), &options) {
            Ok(text) => print!("{text}"),
            Err(errors) => {
                wrong += 1;
                for error in errors {
                    eprintln!("{argument}: {error}");
                }
            }
        }
    }
    ExitCode::from(u8::from(wrong > 0))
}

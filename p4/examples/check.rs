//! Reads programs, looks up what they declare, and says what is wrong with them:
//! `cargo run -p hardpath-p4 --example check -- [-I DIR]… FILE…`.

use hardpath_p4::declare::declare;
use hardpath_p4::preprocess::Options;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

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
        let declared = read.and_then(|(program, sources)| declare(&program, &sources));
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

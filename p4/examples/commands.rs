//! Reads tests (`.stf`) and files of entries (all others), and says what is wrong with them:
//! `cargo run -p hardpath-p4 --example commands -- FILE…`.

use hardpath_p4::{entries, stf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let (mut files, mut commands, mut wrong) = (0, 0, 0);
    for file in std::env::args().skip(1) {
        files += 1;
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) => {
                wrong += 1;
                println!("{file}: {error}");
                continue;
            }
        };
        let read = match file.ends_with(".stf") {
            true => stf::read(&file, &text),
            false => entries::read(&file, &text),
        };
        match read {
            Ok(read) => commands += read.len(),
            Err(errors) => {
                wrong += 1;
                for error in errors {
                    println!("{error}");
                }
            }
        }
    }
    println!("{files} files, {commands} commands, {wrong} files with errors");
    ExitCode::from(u8::from(wrong > 0))
}

//! Prints what the control plane sees of a program: `cargo run -p hardpath-p4 --example p4info -- [-I DIR]… FILE…`.
//! With `-o DIR` it goes into `FILE.p4info.txtpb` and `FILE.p4info.bin` of that folder, and the entries of its tables into
//! `FILE.entries.txtpb` and `FILE.entries.bin`.

use hardpath_diagnostic::Diagnostic;
use hardpath_p4::design::design;
use hardpath_p4::p4info::{initial_entries, p4info, Message};
use hardpath_p4::preprocess::Options;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut options = Options::default();
    let (mut files, mut folder) = (Vec::new(), None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-I" => options.folders.extend(arguments.next().map(PathBuf::from)),
            "-o" => folder = arguments.next().map(PathBuf::from),
            _ => files.push(PathBuf::from(argument)),
        }
    }
    let mut wrong = false;
    for file in &files {
        match described(file, &options) {
            Ok((info, entries)) => {
                let Some(folder) = &folder else {
                    print!("{}", info.text());
                    continue;
                };
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                let forms = [
                    ("p4info.txtpb", info.text().into_bytes()),
                    ("p4info.bin", info.bytes()),
                    ("entries.txtpb", entries.text().into_bytes()),
                    ("entries.bin", entries.bytes()),
                ];
                for (ending, bytes) in forms {
                    let path = folder.join(format!("{name}.{ending}"));
                    if let Err(error) = std::fs::write(&path, bytes) {
                        eprintln!("{}: {error}", path.display());
                        wrong = true;
                    }
                }
            }
            Err(errors) => {
                wrong = true;
                for error in errors {
                    eprintln!("{}: {error}", file.display());
                }
            }
        }
    }
    ExitCode::from(u8::from(wrong))
}

fn described(file: &Path, options: &Options) -> Result<(Message, Message), Vec<Diagnostic>> {
    let (program, sources) = hardpath_p4::load(file, None, options)?;
    let design = design(&program, &sources)?;
    let info = p4info(&program, &sources, &design)?;
    Ok((info, initial_entries(&program, &sources, &design)?))
}

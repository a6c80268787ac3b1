//! Formats sources: `cargo run -p hardpath-p4 --example format -- [--check] FILE…`. With `--check` it lists those that would change, and
//! writes nothing; `-` in front of a file writes it to the standard output instead.

use hardpath_p4::format::format;
use std::process::ExitCode;

fn main() -> ExitCode {
    let (mut only_checks, mut prints) = (false, false);
    let (mut changed, mut wrong) = (0, 0);
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--check" => {
                only_checks = true;
                continue;
            }
            "-" => {
                prints = true;
                continue;
            }
            _ => {}
        }
        let text = match std::fs::read_to_string(&argument) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{argument}: {error}");
                wrong += 1;
                continue;
            }
        };
        match format(&argument, &text) {
            Err(errors) => {
                wrong += 1;
                errors.iter().for_each(|error| eprintln!("{error}"));
            }
            Ok(formatted) if prints => print!("{formatted}"),
            Ok(formatted) if formatted == text => {}
            Ok(formatted) => {
                changed += 1;
                println!("{argument}");
                if !only_checks {
                    if let Err(error) = std::fs::write(&argument, formatted) {
                        eprintln!("{argument}: {error}");
                        wrong += 1;
                    }
                }
            }
        }
    }
    let is_wrong = wrong > 0 || (only_checks && changed > 0);
    ExitCode::from(u8::from(is_wrong))
}

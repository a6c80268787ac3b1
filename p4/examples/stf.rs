//! Runs tests with the reference interpreter:
//! `cargo run -p hardpath-p4 --example stf -- [--lowered|--in-memory] [-I DIR]… PROGRAM.p4 TEST.stf [PROGRAM.p4 TEST.stf]…`.

use hardpath_p4::design::design;
use hardpath_p4::lower::run::{interpreter, Running};
use hardpath_p4::lower::{lower, Deparse};
use hardpath_p4::preprocess::Options;
use hardpath_p4::runner::{self, interpret, Verdict};
use hardpath_p4::stf;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut options = Options::default();
    let (mut files, mut lowered) = (Vec::new(), None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--lowered" => lowered = Some(Deparse::Front),
            "--in-memory" => lowered = Some(Deparse::Memory),
            "-I" => options.folders.extend(arguments.next().map(PathBuf::from)),
            _ => files.push(argument),
        }
    }
    let (mut passed, mut failed) = (0, 0);
    for pair in files.chunks(2) {
        let [program, test] = pair else { break };
        match run(Path::new(program), test, &options, lowered) {
            Ok(()) => passed += 1,
            Err(why) => {
                failed += 1;
                println!("{test}: {why}");
            }
        }
    }
    println!("{passed} passed, {failed} not");
    ExitCode::from(u8::from(failed > 0))
}

fn run(
    program: &Path,
    test: &str,
    options: &Options,
    lowered: Option<Deparse>,
) -> Result<(), String> {
    let text = |errors: Vec<hardpath_diagnostic::Diagnostic>| {
        errors
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("\n")
    };
    let (program, sources) = hardpath_p4::load(program, None, options).map_err(text)?;
    let design = design(&program, &sources).map_err(text)?;
    let commands = std::fs::read_to_string(test).map_err(|error| error.to_string())?;
    let commands = stf::read(test, &commands).map_err(text)?;
    let verdict = match lowered {
        None => interpret(&program, &sources, &design, &commands),
        Some(deparse) => match lower(&program, &sources, &design, deparse) {
            Err(errors) => return Err(format!("REFUSED {}", text(errors))),
            Ok(lowered) => {
                let wrong = hardpath_ir::verifier::verify(&lowered.program);
                if let Err(errors) = wrong {
                    return Err(format!("INVALID {errors:?}"));
                }
                Running::new(interpreter(&lowered), &lowered, &program, &sources, &design).and_then(
                    |mut engine| runner::run(&mut engine, &program, &sources, &design, &commands),
                )
            }
        },
    };
    match verdict.map_err(text)? {
        Verdict::Passed => Ok(()),
        Verdict::Failed(errors) => Err(format!("FAILED\n{}", text(errors))),
        Verdict::Refused(error) => Err(format!("REFUSED {error}")),
    }
}

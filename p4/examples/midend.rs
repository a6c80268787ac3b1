//! Another compiler's middle end as a third account of what programs mean: it writes a program anew, with less of the language, and both
//! must pass the same tests, by the reference interpreter and by what they become.
//!
//! `cargo run -p hardpath-p4 --example midend -- TESTDATA LIST`: LIST has a test a line, below TESTDATA (`p4_16_samples/name.stf`). The
//! program stands beside the test, what the middle end made of it in `p4_16_samples_outputs/name-midend.p4`.

use hardpath_diagnostic::Diagnostic;
use hardpath_p4::design::design;
use hardpath_p4::lower::run::{interpreter, Running};
use hardpath_p4::lower::{lower, Deparse};
use hardpath_p4::preprocess::Options;
use hardpath_p4::runner::{self, Verdict};
use hardpath_p4::stf;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, list] = &arguments[..] else {
        eprintln!("give the folder of the tests and a list of tests");
        return ExitCode::from(2);
    };
    let list = match std::fs::read_to_string(list) {
        Ok(list) => list,
        Err(error) => {
            eprintln!("{list}: {error}");
            return ExitCode::from(2);
        }
    };
    let (mut totals, mut differences, mut without) = (BTreeMap::new(), 0, 0);
    for test in list.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let Some(four) = compared(Path::new(folder), test) else {
            without += 1;
            continue;
        };
        let words: Vec<&str> = four.iter().map(Came::word).collect();
        *totals.entry(words.join(" ")).or_insert(0) += 1;
        // The IR may refuse what the interpreter does; the four must not contradict each other.
        let differ = four[0].word() != four[2].word() || four[1].word() != four[3].word();
        if differ || four.iter().any(|one| one.word() == "failed") {
            differences += 1;
            println!("{test}: {}", words.join(" "));
            for (who, came) in WHO.iter().zip(&four) {
                if let Came::Failed(why) | Came::Refused(why) | Came::Wrong(why) = came {
                    println!("  {who}: {}", why.lines().next().unwrap_or_default());
                }
            }
        }
    }
    println!("{}:", WHO.join(", "));
    for (words, count) in &totals {
        println!("  {count:4} {words}");
    }
    println!("{differences} differ, {without} without a dump");
    ExitCode::from(u8::from(differences > 0))
}

const WHO: [&str; 4] = [
    "the program by the interpreter",
    "by the IR",
    "what the middle end made of it by the interpreter",
    "by the IR",
];

/// What came of a test.
enum Came {
    Passed,
    Failed(String),
    Refused(String),
    /// The program or the test is not read.
    Wrong(String),
}

impl Came {
    fn word(&self) -> &'static str {
        match self {
            Came::Passed => "passed",
            Came::Failed(_) => "failed",
            Came::Refused(_) => "refused",
            Came::Wrong(_) => "wrong",
        }
    }
}

/// In the order of [`WHO`]; `None`: there is no dump.
fn compared(folder: &Path, test: &str) -> Option<[Came; 4]> {
    let (samples, name) = test.rsplit_once('/')?;
    let name = name.strip_suffix(".stf")?;
    let dump = folder.join(format!("{samples}_outputs/{name}-midend.p4"));
    if !dump.exists() {
        return None;
    }
    let original = folder.join(format!("{samples}/{name}.p4"));
    let is_old = samples.contains("p4_14");
    let test = folder.join(test);
    let [first, second] = both(&original, &test, is_old);
    let [third, fourth] = match std::fs::read_to_string(&dump) {
        Ok(text) => {
            // Beside the dump there is nothing that it includes.
            let place = std::env::temp_dir().join(format!("midend-{}.p4", std::process::id()));
            let written = std::fs::write(&place, named_once(&text));
            let came = both(&place, &test, false);
            if written.is_ok() {
                let _ = std::fs::remove_file(&place);
            }
            came
        }
        Err(error) => [(); 2].map(|()| Came::Wrong(error.to_string())),
    };
    Some([first, second, third, fourth])
}

/// The middle end gives each table actions of its own, with the name of the one that they were: it stays with the first one.
fn named_once(text: &str) -> String {
    let mut seen = BTreeSet::new();
    let lines = text.lines().map(|line| {
        let named = line.find("@name(\"").zip(line.find("\") action "));
        match named {
            Some((begin, end)) if begin < end && !seen.insert(line[begin..end].to_owned()) => {
                format!("{}{}\n", &line[..begin], &line[end + 2..])
            }
            _ => format!("{line}\n"),
        }
    });
    lines.collect()
}

fn text(errors: &[Diagnostic]) -> String {
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// By the interpreter, and by the IR.
fn both(program: &Path, test: &Path, is_old: bool) -> [Came; 2] {
    let read = || {
        let options = Options::default();
        let (program, sources) = match is_old {
            true => hardpath_p4::load_14(program, &options)?,
            false => hardpath_p4::load(program, None, &options)?,
        };
        let design = design(&program, &sources)?;
        let name = test.display().to_string();
        let commands = std::fs::read_to_string(test)
            .map_err(|error| vec![Diagnostic::input("cannot-read", error.to_string())])?;
        let commands = stf::read(&name, &commands)?;
        Ok((program, sources, design, commands))
    };
    let (program, sources, design, commands) = match read() {
        Ok(read) => read,
        Err(errors) => {
            let errors: Vec<Diagnostic> = errors;
            return [Came::Wrong(text(&errors)), Came::Wrong(text(&errors))];
        }
    };
    let meant = came(runner::interpret(&program, &sources, &design, &commands));
    let became = match lower(&program, &sources, &design, Deparse::Front) {
        Err(errors) => Came::Refused(text(&errors)),
        Ok(lowered) => {
            let device = interpreter(&lowered);
            let running = Running::new(device, &lowered, &program, &sources, &design);
            came(running.and_then(|mut running| {
                runner::run(&mut running, &program, &sources, &design, &commands)
            }))
        }
    };
    [meant, became]
}

fn came(verdict: Result<Verdict, Vec<Diagnostic>>) -> Came {
    match verdict {
        Ok(Verdict::Passed) => Came::Passed,
        Ok(Verdict::Failed(errors)) => Came::Failed(text(&errors)),
        Ok(Verdict::Refused(error)) => Came::Refused(error.to_string()),
        Err(errors) => Came::Wrong(text(&errors)),
    }
}

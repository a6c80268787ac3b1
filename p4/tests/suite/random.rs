//! Random programs, their entries and packets: what they become does what the specification says.
//!
//! `HARDPATH_FULL=1` draws thousands; `HARDPATH_SEED=N` begins with another one, `HARDPATH_COUNT=N` says how many.
//! `HARDPATH_TEXT=FILE` takes the text of a file instead, with the entries and packets of the seed.

mod expressions;
mod parsers;
mod program;
mod statements;
mod tables;
mod types;

use hardpath_diagnostic::Diagnostic;
use hardpath_p4::design::{design, Design};
use hardpath_p4::interpreter::{Entry, Machine, Outcome};
use hardpath_p4::lower::run::{interpreter, Running};
use hardpath_p4::lower::{lower, Deparse};
use hardpath_p4::preprocess::Options;
use hardpath_p4::runner::Engine;
use hardpath_p4::source::Sources;
use hardpath_p4::typed::Program;
use hardpath_testkit::Random;

const PACKETS: u64 = 50;

/// What came of a program.
enum Result {
    Same,
    Refused(String),
    Different(String),
}

#[test]
fn random_programs_become_what_they_say() {
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse::<u64>().ok())
    };
    let usual = if std::env::var_os("HARDPATH_FULL").is_some() {
        3000
    } else {
        300
    };
    let (first, count) = (
        number("HARDPATH_SEED").unwrap_or(0),
        number("HARDPATH_COUNT").unwrap_or(usual),
    );
    let results = hardpath_testkit::parallel::map(count as usize, |at| {
        let seed = first + at as u64;
        let text = match std::env::var_os("HARDPATH_TEXT") {
            Some(path) => std::fs::read_to_string(path).expect("it is there"),
            None => program::program(seed),
        };
        (
            seed,
            std::panic::catch_unwind(|| one(seed, &text))
                .unwrap_or_else(|_| Result::Different("a panic".into())),
            text,
        )
    });
    let (mut refused, mut wrong) = (Vec::new(), Vec::new());
    for (seed, result, text) in results {
        match result {
            Result::Same => {}
            Result::Refused(why) => refused.push(format!("{seed}: {why}")),
            Result::Different(what) => {
                if wrong.is_empty() {
                    println!("{text}");
                }
                wrong.push(format!("{seed}: {what}"));
            }
        }
    }
    println!("{} of {count} are refused: {refused:#?}", refused.len());
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(refused.len() as u64 * 100 <= count * 15, "{refused:#?}");
}

fn checked(text: &str) -> std::result::Result<(Program, Sources, Design), Vec<Diagnostic>> {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("random.p4");
    std::fs::write(&path, text).expect("there is room");
    let (program, sources) = hardpath_p4::load(&path, None, &Options::default())?;
    let design = design(&program, &sources)?;
    Ok((program, sources, design))
}

fn one(seed: u64, text: &str) -> Result {
    let (program, sources, design) = match checked(text) {
        Ok(all) => all,
        Err(errors) => {
            let told: Vec<String> = errors.iter().map(ToString::to_string).collect();
            return Result::Different(format!("it is not accepted: {}", told.join("\n")));
        }
    };
    // Both ways in which packets are put together.
    let deparse = match seed % 2 {
        0 => Deparse::Front,
        _ => Deparse::Memory,
    };
    let lowered = match lower(&program, &sources, &design, deparse) {
        Ok(lowered) => lowered,
        Err(errors) => return Result::Refused(errors[0].to_string()),
    };
    if let Err(errors) = hardpath_ir::verifier::verify(&lowered.program) {
        return Result::Different(format!("{errors:#?}"));
    }
    let mut machine = Machine::new(&program, &sources, &design).expect("it was accepted");
    let device = interpreter(&lowered);
    let mut running =
        Running::new(device, &lowered, &program, &sources, &design).expect("its entries fit");
    let mut random = Random::new(seed ^ 0x5eed);
    let entries = tables::entries(&mut random, &program, &design);
    if let Err(why) = fill(
        &mut random,
        &program,
        &design,
        &entries,
        [&mut machine, &mut running],
    ) {
        return Result::Different(why);
    }
    for at in 0..PACKETS {
        let packet = packet(&mut random);
        let port = random.below(8) as u32;
        let outcome = |all: &mut dyn Engine| -> std::result::Result<Outcome, String> {
            let outcome = all.packet(port, &packet, at * 1_000_000);
            outcome
                .map(|one| Outcome {
                    messages: Vec::new(),
                    ..one
                })
                .map_err(|error| error.to_string())
        };
        let (one, other) = (outcome(&mut machine), outcome(&mut running));
        if one != other {
            return Result::Different(format!(
                "packet {at}: {}\n  said: {}\n  done: {}",
                hex(&packet),
                told(&one),
                told(&other)
            ));
        }
    }
    for (table, entry) in &entries {
        let (one, other) = (machine.found(*table, entry), running.found(*table, entry));
        let has_counters = program.tables[design.tables[*table].table]
            .properties
            .iter()
            .any(|one| one.name == "counters");
        if has_counters && one != other {
            return Result::Different(format!(
                "{}: {entry:?}: {one:?}, not {other:?}",
                design.tables[*table].name
            ));
        }
    }
    for (number, object) in design.objects.iter().enumerate() {
        if object.name.contains("counter") {
            for cell in 0..8 {
                let (one, other) = (machine.counted(number, cell), running.counted(number, cell));
                if one != other {
                    return Result::Different(format!(
                        "{}({cell}): {one:?}, not {other:?}",
                        object.name
                    ));
                }
            }
        }
    }
    Result::Same
}

/// Both get the same entries.
fn fill(
    random: &mut Random,
    program: &Program,
    design: &Design,
    entries: &[(usize, Entry)],
    both: [&mut dyn Engine; 2],
) -> std::result::Result<(), String> {
    let mut defaults = Vec::new();
    for (number, place) in design.tables.iter().enumerate() {
        let table = &program.tables[place.table];
        if !table.default_is_constant && random.below(2) == 0 {
            defaults.push((number, tables::action(random, program, table)));
        }
    }
    for engine in both {
        for (table, entry) in entries {
            engine.put(*table, entry)?;
        }
        // Some go again.
        for (table, entry) in entries.iter().skip(3).step_by(5) {
            engine.take(*table, entry);
        }
        for (table, default) in &defaults {
            engine.default(*table, default.clone())?;
        }
    }
    Ok(())
}

fn packet(random: &mut Random) -> Vec<u8> {
    let length = match random.below(4) {
        0 => 1 + random.below(8),
        1 => 1 + random.below(24),
        _ => 16 + random.below(80),
    };
    let is_plain = random.below(2) == 0;
    (0..length)
        .map(|_| match is_plain {
            true => random.byte(),
            false => random.next() as u8,
        })
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn told(outcome: &std::result::Result<Outcome, String>) -> String {
    match outcome {
        Ok(outcome) => format!("{:?} {}", outcome.way, hex(&outcome.bytes)),
        Err(error) => error.clone(),
    }
}

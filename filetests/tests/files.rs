//! Runs every file below `cases/`, one test for each of its alternatives: what the lines mean stands in `src/lib.rs`.

use hardpath_filetests::hardware::Hardware;
use hardpath_filetests::running::{Running, MANNERS};
use hardpath_filetests::{case, packets, steps, torture, Case};
use hardpath_ir::interpreter::Prepared;
use hardpath_oracle::compare::compare_packet;
use hardpath_packet::Packet;
use hardpath_pipeline::Hazard;
use hardpath_rtl::verilog;
use libtest_mimic::{Arguments, Failed, Trial};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::process::ExitCode;

#[path = "files/on_core.rs"]
mod on_core;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut tests: Vec<Trial> = case::all().into_iter().map(test).collect();
    tests.extend(on_core::all());
    tests.push(Trial::test("every_pass_has_a_file", || {
        failed(every_pass_has_a_file)
    }));
    libtest_mimic::run(&arguments, tests).exit_code()
}

fn test(case: Case) -> Trial {
    Trial::test(case.name.clone(), move || failed(|| run(&case)))
}

/// What a test panics with is what it says.
fn failed(test: impl FnOnce()) -> Result<(), Failed> {
    catch_unwind(AssertUnwindSafe(test)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().cloned();
        let word = payload.downcast_ref::<&str>().map(|word| (*word).into());
        Failed::from(
            text.or(word)
                .unwrap_or_else(|| String::from("a panic without words")),
        )
    })
}

fn every_pass_has_a_file() {
    let cases = case::all();
    let steps: Vec<&str> = cases.iter().filter_map(|case| case.line("run")).collect();
    let has = |name: &str| {
        steps
            .iter()
            .any(|steps| steps.split_whitespace().any(|step| step == name))
    };
    let missing: Vec<&str> = (hardpath_pipeline::passes::all().iter())
        .map(|pass| pass.name)
        .filter(|name| !has(name))
        .collect();
    assert!(missing.is_empty(), "no file runs {}", missing.join(", "));
}

fn run(case: &Case) {
    let mut has_meaning = case.line("torture-on-a-core").is_some();
    if let Some(line) = case.line("run") {
        has_meaning = true;
        compare_text(case, &steps::run(case, line));
    }
    let needs_hardware = ["torture", "hazard", "stages", "prints", "packet"];
    if needs_hardware.iter().any(|key| case.line(key).is_some()) {
        has_meaning = true;
        run_hardware(case);
    }
    assert!(has_meaning, "{} asks for nothing", case.path.display());
}

fn compare_text(case: &Case, found: &str) {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let whole = std::fs::read_to_string(&case.path).expect("it was read before");
        let input = whole
            .split_once(case::EXPECT)
            .map_or(whole.as_str(), |(input, _)| input);
        let text = format!("{}\n{}{found}", input.trim_end(), case::EXPECT);
        std::fs::write(&case.path, text).expect("a file that can be written");
        return;
    }
    let expected = case.expected.as_deref().unwrap_or_default();
    assert!(
        found == expected,
        "{}\nexpected:\n{expected}\nfound:\n{found}",
        case.path.display()
    );
}

/// `seed 3 packets 600 mhz 75`.
fn number<T: std::str::FromStr>(words: &str, name: &str) -> Option<T> {
    let mut words = words.split_whitespace();
    words.find(|word| *word == name)?;
    words.next()?.parse().ok()
}

fn run_hardware(case: &Case) {
    let torture_line = case.line("torture").unwrap_or_default();
    let mhz = number(torture_line, "mhz").unwrap_or(250.0);
    let mut hardware = Hardware::at(&case.text, 512, mhz);
    for line in case.lines("hazard") {
        let (map, class) = line.split_once(' ').expect("a map and a class");
        let is = |hazard: Hazard| format!("{hazard:?}").to_lowercase() == class;
        match map {
            "*" => assert!(
                hardware
                    .compiled
                    .report
                    .maps
                    .iter()
                    .any(|map| is(map.hazard)),
                "no map is {class}"
            ),
            _ => assert_eq!(hardware.hazard(map), class, "{map}"),
        }
    }
    if let Some(stages) = case.line("stages") {
        assert_eq!(
            hardware.compiled.report.stages.to_string(),
            stages,
            "stages"
        );
    }
    print_lines(case, &hardware);
    send(case, &mut hardware);
    if !torture_line.is_empty() {
        let seed = number(torture_line, "seed").expect("torture has a seed");
        let count = number(torture_line, "packets").unwrap_or(torture::PACKETS);
        torture::torture(&mut hardware, seed, count);
    }
}

fn print_lines(case: &Case, hardware: &Hardware) {
    let mut wanted = case.lines("prints").peekable();
    if wanted.peek().is_none() {
        return;
    }
    let files = verilog::print(&hardware.compiled.design).expect("every part has a text");
    for text in wanted {
        let mut lines = files.iter().flat_map(|(_, file)| file.lines());
        assert!(
            lines.any(|line| line.contains(text)),
            "no line has `{text}`"
        );
    }
}

/// The packets of the file, by the interpreter and by the hardware.
fn send(case: &Case, hardware: &mut Running) {
    let expected = packets::of(case);
    if expected.is_empty() {
        return;
    }
    let mut maps = packets::maps(case, &hardware.program);
    let image = maps.image();
    let mut interpreter = Prepared::new(&hardware.program);
    for (number, one) in expected.iter().enumerate() {
        let sideband = Running::ports().sideband(&one.packet);
        let fate = interpreter.run(&mut maps, &one.packet.data, &sideband);
        let difference = compare_packet(&one.fate, Some(&fate), &hardware.program.outputs);
        assert_eq!(
            difference,
            None,
            "packet {}, by the interpreter",
            number + 1
        );
    }
    packets::assert_holds(case, &maps.image(), "by the interpreter");
    let sent: Vec<Packet> = expected.iter().map(|one| one.packet.clone()).collect();
    for manner in MANNERS {
        hardware.reset();
        hardware.load(&image);
        let result = hardware.send(&sent, manner);
        for (number, (one, got)) in expected.iter().zip(&result.outcomes).enumerate() {
            let difference = compare_packet(&one.fate, got.as_ref(), &hardware.program.outputs);
            assert_eq!(difference, None, "packet {}, by the hardware", number + 1);
        }
        packets::assert_holds(case, &hardware.dump(), "by the hardware");
    }
}

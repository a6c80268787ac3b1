//! The examples of `docs/ir.md`: they are printed as they stand there, and do what it says.

use hardpath_ir::interpreter::Prepared;
use hardpath_ir::maps::Maps;
use hardpath_ir::parse::parse;
use hardpath_ir::verifier::verify;
use hardpath_ir::Phase;
use hardpath_packet::Sideband;
use std::path::Path;

/// The text of each example.
fn examples() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/ir.md");
    let page = std::fs::read_to_string(path).unwrap();
    let parts = page.split("```hir\n").skip(1);
    parts
        .map(|part| part.split("```").next().unwrap().to_string())
        .collect()
}

fn bytes(digits: &str) -> Vec<u8> {
    let pairs = digits.split_whitespace();
    pairs
        .map(|pair| u8::from_str_radix(pair, 16).unwrap())
        .collect()
}

#[test]
fn examples_are_printed_as_they_stand_there() {
    let mut phases = Vec::new();
    for text in examples() {
        let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(verify(&program), Ok(()), "{text}");
        let from = text.find("program ").unwrap();
        assert_eq!(program.to_string(), text[from..], "{text}");
        phases.push(program.phase);
    }
    let all = [
        Phase::Structured,
        Phase::ControlFlow,
        Phase::Dataflow,
        Phase::Scheduled,
    ];
    assert!(all.iter().all(|phase| phases.contains(phase)), "{phases:?}");
}

#[test]
fn examples_do_what_they_say() {
    for text in examples() {
        let program = parse(&text).unwrap();
        let mut maps = Maps::new(&program.maps);
        let mut prepared = Prepared::new(&program);
        let mut runs = 0;
        let mut packet = Vec::new();
        for line in text.lines() {
            if let Some(digits) = line.strip_prefix("; in ") {
                packet = bytes(digits);
            }
            if let Some((outputs, leaving)) = line
                .strip_prefix("; out ")
                .and_then(|line| line.split_once(':'))
            {
                let context = Sideband::default();
                let outcome = prepared
                    .run_within(10_000, &mut maps, &packet, &context)
                    .unwrap();
                let right: Vec<u64> = outputs
                    .split_whitespace()
                    .map(|output| output.parse().unwrap())
                    .collect();
                assert_eq!(outcome.outputs, right, "{text}");
                assert_eq!(prepared.left_behind(), bytes(leaving), "{text}");
                runs += 1;
            }
        }
        assert!(runs > 0, "{text}");
    }
}

//! The decoder beside the encoder: what an operation's word is taken for.

use crate::bench::Bench;
use crate::operations::operation;
use hardpath_core::encode::{encode, fits};
use hardpath_core::hardware::decode::decode;
use hardpath_core::hardware::lanes::LaneIn;
use hardpath_core::hardware::Shape;
use hardpath_core::isa::{Action, Compute, Operation};
use hardpath_rtl::signals::Signals;
use hardpath_testkit::Random;

/// In the clock of a word and so many later, all that the decoder gives of it is there.
const CLOCKS: usize = 6;
const WORDS: usize = 4000;

/// What other units do, a map or a divider, is written with their answer.
fn answers_later(operation: &Operation) -> bool {
    matches!(
        operation.action,
        Action::Lookup { .. }
            | Action::Update { .. }
            | Action::Delete { .. }
            | Action::MapLoad { .. }
            | Action::Atomic { .. }
            | Action::Checksum { .. }
            | Action::Compute {
                op: Compute::UDiv | Compute::URem | Compute::SDiv | Compute::SRem,
                ..
            }
    )
}

/// What the ports are, by their names; where an operation has no use for a port it may be anything.
fn expected(shape: &Shape, operation: &Operation) -> Vec<(String, u64)> {
    let ports = LaneIn::of(shape, operation);
    let later = answers_later(operation);
    let mut all = Vec::new();
    ports.map(&mut |name, _, value| all.push((name.to_string(), value)));
    let computes = matches!(
        operation.action,
        Action::Move { .. }
            | Action::Compute { .. }
            | Action::Insert { .. }
            | Action::Select { .. }
    );
    let fields: Vec<String> = all
        .iter()
        .filter(|(name, value)| name.ends_with("is_field") && *value == 1)
        .map(|(name, _)| name.trim_end_matches("is_field").to_string())
        .collect();
    all.retain(|(name, _)| {
        let of_field = name.ends_with("_index") || name.ends_with("_bank");
        if of_field && !fields.iter().any(|field| name.starts_with(field.as_str())) {
            return false;
        }
        let of_result = matches!(
            name.as_str(),
            "plain" | "subtract" | "turn" | "turn_by" | "top"
        );
        let no_branch = name == "tests" && matches!(operation.action, Action::Compare { .. });
        let of_others = name.starts_with("late") || name == "hit";
        let place = name == "to" && !computes && !matches!(operation.action, Action::Load { .. });
        let answer = later && matches!(name.as_str(), "writes" | "change" | "yes" | "no");
        let unused = of_result && (!computes || later);
        !(no_branch || of_others || place || answer || unused)
    });
    all
}

/// The stage in which a port is given.
fn stage(name: &str) -> usize {
    match name {
        name if name.contains("field_") => 1,
        name if name.ends_with("number") => 5,
        name if name.ends_with("is_field") || name.ends_with("bank") || name.ends_with("index") => {
            0
        }
        "plain" | "subtract" | "turn" | "turn_by" | "top" | "selects" => 6,
        name if name.starts_with("test_") => 6,
        _ => 5,
    }
}

#[test]
fn words_are_taken_for_what_they_are() {
    for lanes in [1, 4] {
        let shape = Shape::with_lanes(lanes);
        let lane = lanes - 1;
        let mut random = Random::new(lanes.into());
        let mut bench = Bench::of(decode("decode", &shape));
        let mut past: Vec<Option<Operation>> = Vec::new();
        for clock in 0..WORDS {
            let made = operation(&mut random, &shape, lane).map(|made| made.operation);
            let made = made.filter(|operation| fits(operation).is_ok());
            let word = made.and_then(|operation| encode(&operation, lane).ok());
            let word = word.unwrap_or(0);
            past.push(made.filter(|_| word != 0));
            bench.set_wide("word", &[word as u64, (word >> 64) as u64]);
            bench.step();
            for back in 0..=CLOCKS.min(clock) {
                let Some(operation) = &past[clock - back] else {
                    continue;
                };
                for (name, value) in expected(&shape, operation) {
                    if stage(&name) == back {
                        let found = bench.get(&name);
                        assert_eq!(found, value, "{name} of {operation:?}");
                    }
                }
            }
        }
        assert!(past.iter().flatten().count() > WORDS / 2);
    }
}

//! From the structured phase to control flow: random programs before and after each pass, and in every order of them.

use hardpath_ir::interpreter::Prepared;
use hardpath_ir::maps::Maps;
use hardpath_ir::parse::parse;
use hardpath_ir::structure::Bound;
use hardpath_ir::{verifier, Bits, Block, Op, Phase, Program, Target, Terminator};
use hardpath_packet::Sideband;
use hardpath_testkit::programs::structured;
use hardpath_testkit::{assert_same, assert_valid, Random};

const PROGRAMS: u64 = 300;

/// Set to run other programs than usual: `SEED=7 cargo test -p hardpath-passes`.
pub fn seed() -> u64 {
    std::env::var("SEED").map_or(1, |seed| seed.parse().expect("SEED is a number"))
}

/// The pass of that name.
pub fn run(program: &mut Program, name: &str) {
    let pass = hardpath_passes::find(name).expect("a pass");
    pass.run(program)
        .unwrap_or_else(|errors| panic!("{name}: {errors:?}\n{program}"));
}

/// Runs passes on random programs, one after the other, and compares after each.
fn check(names: &[&str], last: impl Fn(&Program)) {
    for number in 0..PROGRAMS {
        let mut random = Random::new(seed() * 5_000_011 + number);
        let before = structured(&mut random);
        assert_valid(&before, "generated");
        assert_eq!(
            parse(&before.to_string()).expect("its text").to_string(),
            before.to_string()
        );
        let mut after = before.clone();
        for name in names {
            let what = format!("program {number}, {name}");
            run(&mut after, name);
            assert_valid(&after, &format!("{what}\nbefore:\n{before}\n"));
            assert_same(&before, &after, &mut random, 12, &what);
        }
        last(&after);
    }
}

fn has(program: &Program, is_it: fn(&Op) -> bool) -> bool {
    program
        .insts_in_order()
        .any(|(_, inst)| is_it(&program.insts[inst].op))
}

#[test]
fn inline() {
    check(&["inline"], |program| {
        assert!(program.functions.is_empty() && !has(program, |op| matches!(op, Op::Call(_))));
    });
}

#[test]
fn expand() {
    check(&["expand"], |program| {
        assert!(!has(program, |op| matches!(op, Op::Whole(_))), "{program}");
    });
}

#[test]
fn unroll() {
    check(&["unroll"], |program| {
        let mut blocks = program.all_blocks();
        assert!(
            blocks.all(|block| program.blocks[block].bound.is_none()),
            "{program}"
        );
    });
}

#[test]
fn fold() {
    check(&["fold"], |_| {});
}

#[test]
fn dce() {
    check(&["dce"], |_| {});
}

/// What is folded lets other passes see more, and the other way round.
#[test]
fn fold_and_dce_between_others() {
    check(&["fold", "dce", "fold", "unroll", "fold", "dce"], |_| {});
    check(&["inline", "fold", "dce", "expand", "dce", "fold"], |_| {});
}

#[test]
fn in_every_order() {
    let passes = ["inline", "expand", "unroll"];
    for first in 0..3 {
        for second in (0..3).filter(|second| *second != first) {
            let names = [first, second, 3 - first - second].map(|number| passes[number]);
            for number in 0..PROGRAMS / 6 {
                let mut random = Random::new(seed() * 7_000_011 + number);
                let before = structured(&mut random);
                let mut after = before.clone();
                for name in names.into_iter().chain(["flatten", "fold", "dce"]) {
                    run(&mut after, name);
                    assert_valid(&after, name);
                }
                assert_eq!(after.phase, Phase::ControlFlow);
                let what = format!("program {number}, {names:?}");
                assert_same(&before, &after, &mut random, 12, &what);
            }
        }
    }
}

#[test]
fn to_optimized_control_flow() {
    let mut optimized = 0;
    for number in 0..PROGRAMS {
        let mut random = Random::new(seed() * 6_000_011 + number);
        let before = structured(&mut random);
        let mut after = before.clone();
        hardpath_passes::lower_structured(&mut after).expect("nothing to refuse");
        assert_valid(&after, "lowered");
        assert_same(&before, &after, &mut random, 12, "lowered");
        // An offset that may be anywhere is refused there.
        if hardpath_passes::optimize_control_flow(&mut after).is_ok() {
            optimized += 1;
            assert_valid(&after, "optimized");
            assert_same(&before, &after, &mut random, 12, "optimized");
        }
    }
    assert!(optimized > PROGRAMS / 4, "{optimized}");
}

/// Changes a program somewhere: a bound, or where an edge leads. What comes out may break every rule.
fn change(program: &mut Program, random: &mut Random) {
    let blocks: Vec<Block> = program.all_blocks().collect();
    let block = *random.pick(&blocks);
    let other = *random.pick(&blocks);
    let times = random.below(4) as u32;
    let bounds = [Bound::Exactly(times), Bound::UpTo(times), Bound::UpTo(3)];
    if random.below(3) == 0 {
        let heads: Vec<Block> = blocks
            .into_iter()
            .filter(|block| program.blocks[*block].bound.is_some())
            .collect();
        if !heads.is_empty() {
            let head = *random.pick(&heads);
            program.blocks[head].bound = Some(*random.pick(&bounds));
        }
        return;
    }
    if random.below(3) == 0 && program.blocks[other].bound.is_none() {
        program.blocks[other].bound = Some(Bound::UpTo(3));
    }
    let params = program.blocks[other].params.clone();
    let widths: Vec<u32> = params.iter().map(|param| program.width(*param)).collect();
    let zeros = widths
        .iter()
        .map(|width| program.append_const(block, Bits::zero(*width)));
    let target = Target {
        block: other,
        args: zeros.collect(),
    };
    let terminator = &mut program.blocks[block].terminator;
    match (terminator, random.below(2)) {
        (Terminator::Branch { yes, .. }, 0) => *yes = target,
        (Terminator::Branch { no, .. }, _) | (Terminator::Jump(no), _) => *no = target,
        _ => {}
    }
}

/// Programs that nobody would write: whatever the verifier lets through goes through the passes, and means the same where its
/// bounds hold.
#[test]
fn changed_programs() {
    let (mut valid, mut compared) = (0, 0);
    for number in 0..PROGRAMS * 10 {
        let mut random = Random::new(seed() * 8_000_011 + number);
        let mut before = structured(&mut random);
        for _ in 0..1 + random.below(3) {
            change(&mut before, &mut random);
        }
        if verifier::verify(&before).is_err() {
            continue;
        }
        valid += 1;
        let mut after = before.clone();
        for name in ["fold", "dce"].into_iter().take(number as usize % 3) {
            run(&mut after, name);
            assert_valid(&after, &format!("program {number}\nbefore:\n{before}\n"));
        }
        if let Err(errors) = hardpath_passes::lower_structured(&mut after) {
            assert!(
                errors.iter().all(|error| error.place.is_some()),
                "{errors:?}"
            );
            continue;
        }
        assert_valid(&after, &format!("program {number}\nbefore:\n{before}\n"));
        let mut runs = [&before, &after].map(Prepared::new);
        for _ in 0..12 {
            let packet: Vec<u8> = (0..64 + random.below(60)).map(|_| random.byte()).collect();
            let context = Sideband::default();
            let [expected, found] = [0, 1].map(|which: usize| {
                let mut maps = Maps::new(&before.maps);
                runs[which].run_within(100_000, &mut maps, &packet, &context)
            });
            // A program of which something else is said than it does has no meaning.
            if expected.is_ok() {
                compared += 1;
                assert_eq!(
                    expected, found,
                    "program {number}\nbefore:\n{before}\nafter:\n{after}"
                );
            }
        }
    }
    assert!(
        valid > PROGRAMS && compared > 4 * PROGRAMS,
        "{valid} {compared}"
    );
}

/// The generator makes what the passes are for.
#[test]
fn programs_have_structure() {
    let mut found = [0; 6];
    for number in 0..200 {
        let program = structured(&mut Random::new(number));
        let bounds: Vec<Bound> = program
            .all_blocks()
            .filter_map(|block| program.blocks[block].bound)
            .collect();
        let is = [
            bounds
                .iter()
                .any(|bound| matches!(bound, Bound::Exactly(1..))),
            bounds.iter().any(|bound| matches!(bound, Bound::UpTo(1..))),
            bounds.len() > 3,
            !program.functions.is_empty(),
            has(&program, |op| matches!(op, Op::Call(_))),
            has(&program, |op| matches!(op, Op::Whole(_))),
        ];
        for (count, is) in found.iter_mut().zip(is) {
            *count += u32::from(is);
        }
    }
    assert!(found.iter().all(|count| *count >= 20), "{found:?}");
}

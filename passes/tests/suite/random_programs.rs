//! Every pass keeps the meaning of random programs: the interpreter runs them before and after.

use hardpath_ir::{Bits, InstData, Op, Program, Terminator};
use hardpath_testkit::programs::{control_flow, dataflow, Shape};
use hardpath_testkit::{assert_same, assert_valid, Random};

/// Programs for each pass and phase.
const PROGRAMS: u64 = 1000;

/// Set to run other programs than usual: `SEED=7 cargo test -p hardpath-passes`.
fn seed() -> u64 {
    std::env::var("SEED").map_or(1, |seed| seed.parse().expect("SEED is a number"))
}

/// A name and a change of a program.
type Step<'a> = (&'a str, &'a dyn Fn(&mut Program));

/// Makes programs, changes each one step by step, and compares it with the first form after every step.
fn check_steps(
    steps: &[Step],
    make: fn(&mut Random, Shape) -> Program,
    shape: Shape,
    programs: u64,
) {
    for number in 0..programs {
        let mut random = Random::new(seed() * 1_000_003 + number);
        let operations = 1 + number % shape.operations;
        let shape = Shape {
            operations,
            ..shape
        };
        let before = make(&mut random, shape);
        assert_valid(&before, "generated");
        let mut after = before.clone();
        for (name, step) in steps {
            let what = format!("program {number}, {name}");
            step(&mut after);
            assert_valid(&after, &format!("{what}\nbefore:\n{before}\n"));
            assert_same(&before, &after, &mut random, 12, &what);
        }
    }
}

/// The same with passes by their names.
fn check(passes: &[&str], make: fn(&mut Random, Shape) -> Program, shape: Shape, programs: u64) {
    let run = |name: &str| {
        let pass = hardpath_passes::find(name).expect("a pass");
        move |program: &mut Program| {
            pass.run(program).expect("nothing to refuse");
        }
    };
    let runs: Vec<_> = passes.iter().map(|name| run(name)).collect();
    let steps: Vec<Step> = passes
        .iter()
        .zip(&runs)
        .map(|(name, run)| (*name, run as &dyn Fn(&mut Program)))
        .collect();
    check_steps(&steps, make, shape, programs);
}

const SHAPE: Shape = Shape {
    operations: 24,
    divisions: true,
    memory: false,
    maps: false,
    logic: false,
    keep_all: false,
};

const MEMORY: Shape = Shape {
    memory: true,
    ..SHAPE
};

const LOGIC: Shape = Shape {
    logic: true,
    operations: 40,
    ..SHAPE
};

const MAPS: Shape = Shape {
    maps: true,
    operations: 6,
    ..SHAPE
};

fn check_both(passes: &[&str]) {
    check(passes, dataflow, SHAPE, PROGRAMS);
    check(passes, control_flow, SHAPE, PROGRAMS);
}

#[test]
fn fold() {
    check_both(&["fold"]);
}

#[test]
fn dce() {
    check_both(&["dce"]);
}

#[test]
fn narrow() {
    check_both(&["narrow"]);
}

#[test]
fn reassociate() {
    check_both(&["reassociate", "dce", "reassociate"]);
}

#[test]
fn bounds() {
    check_both(&["bounds"]);
    check_both(&["narrow", "dce", "bounds", "narrow", "bounds"]);
}

#[test]
fn cse() {
    check_both(&["cse", "dce", "cse"]);
}

#[test]
fn simplify_select() {
    check_both(&["simplify_select", "dce", "simplify_select"]);
    check_both(&["narrow", "simplify_select"]);
    check(
        &["simplify_select", "dce", "simplify_select"],
        dataflow,
        LOGIC,
        2 * PROGRAMS,
    );
    check(
        &["fold", "reassociate", "simplify_select"],
        dataflow,
        LOGIC,
        2 * PROGRAMS,
    );
}

#[test]
fn expand_mul_div() {
    check_both(&["expand_mul_div", "dce"]);
}

#[test]
fn bytes_to_values() {
    check(&["bytes_to_values"], control_flow, MEMORY, 2 * PROGRAMS);
    for number in 0..PROGRAMS {
        let mut random = Random::new(seed() * 7_000_003 + number);
        let mut program = control_flow(&mut random, MEMORY);
        let pass = hardpath_passes::find("bytes_to_values").expect("a pass");
        pass.run(&mut program).expect("nothing to refuse");
        assert_accesses_are_in_place(&program);
    }
}

/// What the pass promises: no stack, loads with constant offsets in the first block, stores in ascending order
/// directly before an emit.
fn assert_accesses_are_in_place(program: &Program) {
    for &block in &program.order {
        let data = &program.blocks[block];
        let mut end: Option<u64> = None;
        for &inst in &data.insts {
            let InstData { op, args, .. } = &program.insts[inst];
            let offset = || {
                let constant = program.as_const(args[0]).and_then(Bits::as_u64);
                constant.unwrap_or_else(|| panic!("a constant offset\n{program}"))
            };
            match op {
                Op::StackLoad | Op::StackStore => panic!("the stack\n{program}"),
                Op::PacketLoad => {
                    offset();
                    assert_eq!(block, program.order[0], "{program}");
                }
                Op::PacketStore => {
                    let is_exit = matches!(data.terminator, Terminator::Emit(_));
                    assert!(
                        is_exit && end.is_none_or(|end| end <= offset()),
                        "{program}"
                    );
                    end = Some(offset() + u64::from(program.width(args[1]) / 8));
                }
                _ => assert!(end.is_none() || op.is_pure(), "{program}"),
            }
        }
    }
}

#[test]
fn merge_packet_loads() {
    check_both(&["fold", "dce", "merge_packet_loads"]);
}

#[test]
fn array_lookup() {
    check(&["array_lookup"], dataflow, MAPS, PROGRAMS);
    check(&["array_lookup"], control_flow, MAPS, PROGRAMS);
}

#[test]
fn forward_map_values() {
    let passes = ["cse", "forward_map_values", "dce"];
    check(&passes, dataflow, MAPS, PROGRAMS);
    check(&passes, control_flow, MAPS, PROGRAMS);
}

#[test]
fn merge_map_ops() {
    check(&["merge_map_ops", "dce"], dataflow, MAPS, 2 * PROGRAMS);
}

fn optimize_control_flow(program: &mut Program) {
    hardpath_passes::optimize_control_flow(program).expect("nothing to refuse");
}

fn optimize_dataflow(program: &mut Program) {
    hardpath_passes::optimize_dataflow(program).expect("nothing to refuse");
}

#[test]
fn whole_pipelines() {
    let control: [Step; 1] = [("optimize_control_flow", &optimize_control_flow)];
    let data: [Step; 1] = [("optimize_dataflow", &optimize_dataflow)];
    check_steps(&control, control_flow, MEMORY, PROGRAMS / 2);
    check_steps(&control, control_flow, MAPS, PROGRAMS / 2);
    check_steps(&data, dataflow, SHAPE, PROGRAMS / 2);
    check_steps(&data, dataflow, MAPS, PROGRAMS / 2);
}

#[test]
fn fold_and_narrow_in_turn() {
    check_both(&[
        "narrow",
        "dce",
        "fold",
        "dce",
        "reassociate",
        "narrow",
        "fold",
    ]);
}

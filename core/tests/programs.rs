//! Random programs of the IR as rows, beside the interpreter of the IR.

use hardpath_core::compile::compile_without;
use hardpath_core::compile::savings::{Saving, Without};
use hardpath_core::image::{Image, Machine};
use hardpath_core::interpreter::{Core, MOST_ROWS};
use hardpath_core::text;
use hardpath_ir::interpreter::Prepared;
use hardpath_ir::maps::Maps;
use hardpath_ir::Program;
use hardpath_testkit::programs::{control_flow, structured, Shape};
use hardpath_testkit::{packet, Random};

const PROGRAMS: u64 = 300;
const PACKETS: u32 = 20;

fn seed() -> u64 {
    std::env::var("SEED").map_or(1, |seed| seed.parse().expect("SEED is a number"))
}

/// Compiles a program and compares the fates of packets and the maps behind them. Gives whether it was refused.
fn is_refused(program: &Program, lanes: u8, random: &mut Random, what: &str) -> bool {
    is_refused_without(Without::NOTHING, program, lanes, random, what)
}

fn is_refused_without(
    without: Without,
    program: &Program,
    lanes: u8,
    random: &mut Random,
    what: &str,
) -> bool {
    let compiled = match compile_without(program, &Machine::with_lanes(lanes), without) {
        Ok(compiled) => compiled,
        Err(errors) => {
            let wide = errors.iter().all(|error| error.code == "wide-arithmetic");
            assert!(wide, "{what}: {errors:?}\n{program}");
            return true;
        }
    };
    let bytes = compiled
        .image
        .to_bytes()
        .unwrap_or_else(|error| panic!("{what}: {error:?}"));
    assert_eq!(
        Image::from_bytes(&bytes).as_ref(),
        Ok(&compiled.image),
        "{what}"
    );
    let mut maps = (Maps::new(&program.maps), Maps::new(&program.maps));
    let mut judge = Prepared::new(program);
    let mut core = Core::new(&compiled.image);
    for number in 0..PACKETS {
        let (packet, sideband) = packet(random);
        let expected = judge.run(&mut maps.0, &packet, &sideband);
        let ran = core.run(MOST_ROWS, &mut maps.1, &packet, &sideband);
        let found = ran.map(|ran| ran.fate);
        assert_eq!(
            Ok(expected),
            found,
            "{what}, packet {number} {packet:02x?} {sideband:?}\n{program}\n{}",
            text::print(&compiled.image, None)
        );
    }
    assert_eq!(maps.0.image(), maps.1.image(), "{what}\n{program}");
    false
}

fn check(make: impl Fn(&mut Random) -> Program, most_refused: u64) {
    for lanes in [1, 2, 4, 8] {
        let mut refused = 0;
        for number in 0..PROGRAMS {
            let mut random = Random::new(seed() * 7_000_003 + number * 10 + u64::from(lanes));
            let program = make(&mut random);
            let what = format!("program {number} on {lanes} lanes");
            refused += u64::from(is_refused(&program, lanes, &mut random, &what));
        }
        assert!(
            refused <= most_refused,
            "{refused} refused on {lanes} lanes"
        );
    }
}

#[test]
fn computing() {
    let shape = Shape {
        operations: 12,
        divisions: true,
        ..Shape::default()
    };
    check(|random| control_flow(random, shape), PROGRAMS / 2);
}

#[test]
fn conditions() {
    let shape = Shape {
        operations: 20,
        logic: true,
        ..Shape::default()
    };
    check(|random| control_flow(random, shape), 0);
}

#[test]
fn memory_and_maps() {
    let shape = Shape {
        operations: 15,
        memory: true,
        maps: true,
        ..Shape::default()
    };
    check(|random| control_flow(random, shape), PROGRAMS / 2);
}

#[test]
fn loops() {
    check(structured, PROGRAMS / 2);
}

/// Each of what makes rows few left out alone, and any of it.
#[test]
fn without_savings() {
    let shape = Shape {
        operations: 20,
        logic: true,
        memory: true,
        maps: true,
        ..Shape::default()
    };
    let mut refused = 0;
    for number in 0..PROGRAMS {
        let mut random = Random::new(seed() * 9_000_001 + number);
        let without = match Saving::ALL.get(number as usize / 6) {
            Some(saving) => Without::from(*saving),
            None => {
                let some = Saving::ALL.into_iter().filter(|_| random.below(2) == 0);
                some.collect()
            }
        };
        let lanes = [1, 2, 4, 8][random.below(4) as usize];
        let program = match number % 3 {
            0 => structured(&mut random),
            _ => control_flow(&mut random, shape),
        };
        let what = format!("program {number} on {lanes} lanes without {without:?}");
        refused += u64::from(is_refused_without(
            without,
            &program,
            lanes,
            &mut random,
            &what,
        ));
    }
    assert!(refused <= PROGRAMS / 2, "{refused} refused");
}

/// An operation puts the words that it is given into its buffer, too: one whose other words wait there must come first.
#[test]
fn keys_wait_in_their_buffer() {
    let text = "program \"keys\" control-flow\noutput \"verdict\" 3\n\n\
        map @m exact key 12 value 56 entries 64\nmap @n exact key 13 value 8 entries 8\n\n\
        block0:\n    v0:64 = const 19\n    v1:32 = packet.load v0\n    v2:64 = const 17\n    packet.store v2, v1\n    \
        v3:64 = const 15\n    v4:96 = packet.load v3\n    v5:448 = const 0\n    v6:2 = const 3\n    \
        v7:3 = map.update @m v4, v5, v6\n    v8:104 = const 0\n    v9:1, v10:32 = map.lookup @n v8\n    \
        v11:3 = const 0\n    emit v9 with v11\n";
    let program = hardpath_ir::parse::parse(text).expect("a program");
    for lanes in [1, 2, 4, 8] {
        let what = format!("{lanes} lanes");
        assert!(!is_refused(&program, lanes, &mut Random::new(1), &what));
    }
}

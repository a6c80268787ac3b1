//! Programs with loops that stay loops, beside the same with loops written out.

mod lines;

use hardpath_diagnostic::Diagnostic;
use hardpath_ebpf::{lift, lift_raw, lift_raw_structured, lift_structured, load, LoadOptions};
use hardpath_ir::interpreter::Prepared;
use hardpath_ir::maps::Maps;
use hardpath_ir::parse::parse;
use hardpath_ir::structure::Bound;
use hardpath_ir::verifier::verify;
use hardpath_ir::{Phase, Program};
use hardpath_packet::Sideband;
use hardpath_testkit::Random;
use lines::{add, add_register, bytes, copy, load_byte, mov, Line, EXIT};
use std::path::{Path, PathBuf};

fn check(program: &Program) {
    assert_eq!(program.phase, Phase::Structured);
    verify(program).unwrap_or_else(|errors| panic!("{errors:?}\n{program}"));
    let text = program.to_string();
    assert_eq!(parse(&text).unwrap().to_string(), text);
}

fn loops(program: &Program) -> usize {
    let blocks = program.all_blocks();
    blocks
        .filter(|block| program.blocks[*block].bound.is_some())
        .count()
}

/// The same fate and maps for random packets, one after the other.
fn assert_same(written_out: &Program, with_loops: &Program, what: &str) {
    let mut random = Random::new(7);
    let mut runs = [written_out, with_loops].map(|program| {
        let maps = Maps::new(&program.maps);
        (Prepared::new(program), maps)
    });
    for number in 0..200 {
        let length = 14 + random.below(80);
        let bits = [1, 8, 3, 8][number % 4];
        let packet: Vec<u8> = (0..length)
            .map(|at| match (at, number % 3) {
                (12, 0) => 8,
                (13, 0) => 0,
                (12, 1) => 0x81,
                (14, _) => 0x45,
                _ => random.below(1 << bits) as u8,
            })
            .collect();
        let sideband = Sideband {
            ingress: 1 + random.below(3) as u32,
            time_ns: 1_000_000 * number as u64,
            random: random.below(1 << 32) as u32,
            ..Sideband::default()
        };
        let [expected, found] = runs.each_mut().map(|(run, maps)| {
            let fate = run.run(maps, &packet, &sideband);
            (fate, run.left_behind())
        });
        assert_eq!(expected, found, "{what}, {packet:02x?}\n{with_loops}");
    }
    let [expected, found] = runs.map(|(_, maps)| maps.image());
    assert_eq!(expected, found, "{what}");
}

/// What an object's programs come to in both forms: its name and that of the program, how many loops there are, and how much
/// longer the program is with loops written out.
fn compare(path: &Path) -> Vec<(String, usize, [usize; 2])> {
    let name = path.file_name().unwrap().to_string_lossy().to_string();
    let bytes = std::fs::read(path).unwrap();
    let Ok(object) = load(&bytes, &name, &LoadOptions::default()) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for image in &object.programs {
        let what = format!("{name} {}", image.name);
        let written_out = lift(&object, image);
        let with_loops = lift_structured(&object, image).map(|lifted| lifted.program);
        match (written_out, with_loops) {
            (Ok(written_out), Ok(with_loops)) => {
                check(&with_loops);
                assert_same(&written_out, &with_loops, &what);
                let sizes =
                    [&written_out, &with_loops].map(|program| program.insts_in_order().count());
                found.push((what, loops(&with_loops), sizes));
            }
            // What cannot be lifted is told in the same words.
            (Err(expected), Err(errors)) => {
                assert_eq!(texts(&expected), texts(&errors), "{what}");
            }
            (Ok(_), Err(errors)) => panic!("{what}: {errors:?}"),
            (Err(_), Ok(with_loops)) => {
                check(&with_loops);
                found.push((what, loops(&with_loops), [0; 2]));
            }
        }
    }
    found
}

fn texts(errors: &[Diagnostic]) -> Vec<String> {
    errors.iter().map(ToString::to_string).collect()
}

fn objects(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut objects: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "o"))
        .collect();
    objects.sort();
    objects
}

#[test]
fn ready_made_programs() {
    let mut all = Vec::new();
    for path in objects("../programs/prebuilt") {
        all.extend(compare(&path));
    }
    assert!(all.len() >= 5, "{all:?}");
}

#[test]
fn objects_of_tests() {
    let mut all = Vec::new();
    for path in objects("tests/data") {
        all.extend(compare(&path));
    }
    for (what, loops, sizes) in &all {
        println!("{what}: {loops} loops, {sizes:?}");
    }
    let with_loops = all.iter().filter(|(_, loops, _)| *loops > 0);
    assert!(with_loops.count() > 10, "{all:?}");
}

const fn jump_unless(dst: u8, imm: i32, off: i16) -> Line {
    (0x55, dst, 0, off, imm)
}

/// With loops; the same as without, if that can be.
fn lifted(lines: &[Line]) -> Program {
    let bytes = bytes(lines);
    let with_loops = lift_raw_structured(&bytes, "test").unwrap();
    check(&with_loops);
    if let Ok(written_out) = lift_raw(&bytes, "test") {
        assert_same(&written_out, &with_loops, "test");
    }
    with_loops
}

#[test]
fn a_pointer_that_moves() {
    // do { sum += *r1++ } while (++i != 14)
    let lines = [
        mov(0, 0),
        mov(2, 0),
        load_byte(3, 1, 0),
        add_register(0, 3),
        add(1, 1),
        add(2, 1),
        jump_unless(2, 14, -5),
        EXIT,
    ];
    let program = lifted(&lines);
    assert_eq!(loops(&program), 1);
    assert_eq!(program.order.len(), 3, "{program}");
}

#[test]
fn a_loop_in_a_loop_and_a_word_of_the_stack() {
    // for (i = 3; i != 0; i--) for (j = i; j != 0; j--) *(r10 - 8) += j.
    let lines = [
        (0x7a, 10, 0, -8, 0),
        mov(6, 3),
        copy(7, 6),
        (0x79, 2, 10, -8, 0),
        add_register(2, 7),
        (0x7b, 10, 2, -8, 0),
        add(7, -1),
        jump_unless(7, 0, -5),
        add(6, -1),
        jump_unless(6, 0, -8),
        (0x79, 0, 10, -8, 0),
        EXIT,
    ];
    let program = lifted(&lines);
    assert_eq!(loops(&program), 2, "{program}");
}

#[test]
fn as_often_as_the_data_say() {
    // while (n--) sum += n, of a number with 8 bits or, what cannot be written out, with 16.
    for load in [load_byte(2, 1, 0), (0x69, 2, 1, 0, 0)] {
        let lines = [
            load,
            mov(0, 0),
            (0x15, 2, 0, 3, 0),
            add_register(0, 2),
            add(2, -1),
            (0x05, 0, 0, -4, 0),
            EXIT,
        ];
        let program = lifted(&lines);
        let bounds = program.order.iter();
        let bounds: Vec<Bound> = bounds
            .filter_map(|block| program.blocks[*block].bound)
            .collect();
        assert_eq!(bounds, [Bound::Unknown]);
    }
}

#[test]
fn another_kind_of_thing_in_each_round() {
    // r6 is a number, then a pointer to the memory, and what it is decides what is done.
    let lines = [
        copy(7, 1),
        mov(0, 0),
        mov(6, 3),
        mov(2, 0),
        (0x55, 2, 0, 2, 0),
        add_register(0, 6),
        (0x05, 0, 0, 2, 0),
        load_byte(3, 6, 1),
        add_register(0, 3),
        copy(6, 7),
        add(2, 1),
        jump_unless(2, 4, -8),
        EXIT,
    ];
    let program = lifted(&lines);
    assert_eq!(loops(&program), 0, "{program}");
}

#[test]
fn a_pointer_in_place_of_a_number() {
    // *(r10 - 8) is a number at first, and a pointer from the first round on.
    let lines = [
        (0x7a, 10, 0, -8, 7),
        mov(0, 0),
        mov(2, 0),
        (0x7b, 10, 1, -8, 0),
        (0x79, 4, 10, -8, 0),
        load_byte(3, 4, 0),
        add_register(0, 3),
        add(1, 1),
        add(2, 1),
        jump_unless(2, 9, -7),
        EXIT,
    ];
    let program = lifted(&lines);
    assert_eq!(loops(&program), 1, "{program}");
}

#[test]
fn the_first_instruction_is_a_head() {
    // do { r1++ } while (--r2 != 0), and the distance is given back.
    let lines = [
        add(1, 1),
        add(2, -1),
        jump_unless(2, 0, -3),
        load_byte(0, 1, -1),
        EXIT,
    ];
    let program = lifted(&lines);
    assert_eq!(loops(&program), 1);
}

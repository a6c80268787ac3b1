//! Kernel and interpreter side by side, over packets that only one of them takes.

use crate::assembly::*;
use crate::judge::{double, try_start, word, Numbers, CONTEXT};
use hardpath_ebpf::Object;
use hardpath_ir::maps::Image;
use hardpath_ir::{parse, Program};
use hardpath_oracle::{
    Comparison, Difference, Expected, Interpreter, KernelJudge, Reference, Side,
};
use hardpath_packet::Sideband;

/// No judge beside the interpreter.
const NOBODY: Option<KernelJudge> = None;

/// What `object` below means.
const FLOWS: &str = include_str!("flows.hir");

fn program(text: &str) -> Program {
    parse::parse(text).unwrap()
}

/// The program of `flows.hir` as bytes: map 0 is `totals`, map 1 `flows`.
fn flows_object() -> Object {
    let forget = [copy(2, 6), map(1, 1), call(MAP_DELETE), set(0, 2), exit()].concat();
    let count = [
        load(DOUBLE, 1, 0, 0),
        add(1, 1),
        store(DOUBLE, 0, 0, 1),
        set(0, 2),
        exit(),
    ]
    .concat();
    object(
        vec![
            object_map("totals", ARRAY, 4, 8, 2),
            object_map("flows", HASH, 4, 8, 8),
        ],
        &[
            packet_in_r6(5),
            store_imm(WORD, 10, -4, 0),
            copy(2, 10),
            add(2, -4),
            map(1, 0),
            call(MAP_LOOKUP),
            jump_imm(NOT_EQUAL, 0, 0, 2),
            set(0, 0),
            exit(),
            load(DOUBLE, 1, 0, 0),
            add(1, 1),
            store(DOUBLE, 0, 0, 1),
            load(BYTE, 1, 6, 4),
            jump_imm(NOT_EQUAL, 1, 0xdd, forget.len() as i16),
            forget,
            copy(2, 6),
            map(1, 1),
            call(MAP_LOOKUP),
            jump_imm(EQUAL, 0, 0, count.len() as i16),
            count,
            store_imm(DOUBLE, 10, -16, 1),
            copy(2, 6),
            copy(3, 10),
            add(3, -16),
            set(4, 0),
            map(1, 1),
            call(MAP_UPDATE),
            set(0, 2),
            exit(),
        ],
    )
}

/// Packets of every length, also such as the kernel does not take, with few different words.
fn packets(count: usize, seed: u64) -> Vec<(Vec<u8>, Sideband)> {
    let mut numbers = Numbers(seed);
    let mut packet = || {
        let length = match numbers.below(4) {
            0 => numbers.below(30),
            1 => 3500 + numbers.below(40),
            2 => numbers.below(9217),
            _ => 64,
        };
        let mut packet = vec![0; length as usize];
        let start = [
            numbers.below(12) as u8,
            0,
            0,
            0,
            [0xdd, 0][numbers.below(5).min(1) as usize],
        ];
        for (to, from) in packet.iter_mut().zip(start) {
            *to = from;
        }
        packet
    };
    (0..count).map(|_| (packet(), CONTEXT)).collect()
}

fn start_image() -> Image {
    Image::from([
        ("totals".into(), [(word(1), double(77))].into()),
        ("flows".into(), [(word(3), double(1000))].into()),
    ])
}

#[test]
fn both_go_on_from_the_same_state_after_packets_that_the_kernel_does_not_take() {
    let Some(kernel) = try_start(&flows_object(), start_image()) else {
        return;
    };
    let program = program(FLOWS);
    let mut both = Reference::new(&program, &start_image(), Some(kernel)).unwrap();
    let mut alone = Reference::new(&program, &start_image(), NOBODY).unwrap();
    assert!(both
        .judge()
        .and_then(|judge| judge.version)
        .is_some_and(|version| version.contains('.')));
    assert_eq!(alone.judge(), None);
    for seed in 0..4 {
        let packets = packets(700, seed);
        let judged = both.run_all(&packets).unwrap();
        let interpreted = alone.run_all(&packets).unwrap();
        let mut by_kernel = 0;
        for (((packet, _), judged), interpreted) in packets.iter().zip(&judged).zip(&interpreted) {
            assert_eq!(judged.disagreement, None);
            assert_eq!(judged.fate, interpreted.fate);
            assert_eq!(judged.judged, (14..=3520).contains(&packet.len()));
            assert_eq!(judged.objection.is_none(), judged.judged);
            assert!(!interpreted.judged && interpreted.objection.is_none());
            by_kernel += usize::from(judged.judged);
        }
        assert!(
            by_kernel > 100 && packets.len() - by_kernel > 100,
            "{by_kernel}"
        );
        // The host joins in.
        let key = word(seed as u32);
        for reference in [&mut both, &mut alone] {
            reference
                .set("totals", &word(1), Some(&double(seed)))
                .unwrap();
            reference.set("flows", &key, None).unwrap();
        }
        let maps = both.maps().unwrap();
        assert_eq!(maps.disagreements, []);
        assert_eq!(maps.image, alone.maps().unwrap().image);
    }
}

#[test]
fn an_interpreter_that_is_wrong_is_found() {
    let Some(kernel) = try_start(&flows_object(), Image::new()) else {
        return;
    };
    // It passes short packets' verdict on to long ones, and counts by two.
    let wrong = FLOWS
        .replace("v5:32 = const 0x2", "v5:32 = const 0x1")
        .replace("v12:64 = const 0x1", "v12:64 = const 0x2");
    let mut reference = Reference::new(&program(&wrong), &Image::new(), Some(kernel)).unwrap();
    let expected = reference.run(&[9; 64], &CONTEXT).unwrap();
    assert!(expected.judged);
    assert_eq!(expected.fate.first_output(), 2);
    let difference = Difference::Output {
        name: "verdict".into(),
        expected: "2".into(),
        got: "1".into(),
    };
    assert_eq!(expected.disagreement, Some(difference));

    let mut comparison = Comparison::new(reference.judge(), reference.outputs());
    let got = &expected.fate;
    comparison.packet("one.pcap", 1, &expected, Some(got));
    let maps = reference.maps().unwrap();
    comparison.maps(&maps, &maps.image);
    assert_eq!((comparison.mismatches, comparison.map_mismatches), (0, 0));
    assert_eq!(comparison.interpreter_mismatches, 3);
    assert!(!comparison.is_clean());
    assert!(comparison
        .first
        .iter()
        .all(|found| found.side == Side::Interpreter));
}

#[test]
fn an_image_that_does_not_fit_is_refused() {
    let unknown = Image::from([("other".into(), [(word(1), double(7))].into())]);
    let error = Reference::new(&program(FLOWS), &unknown, NOBODY)
        .err()
        .unwrap();
    assert_eq!(error[0].code, "unknown-map");
    let mut reference = Reference::new(&program(FLOWS), &Image::new(), NOBODY).unwrap();
    let error = reference
        .set("totals", &word(9), Some(&double(1)))
        .unwrap_err();
    assert_eq!(error[0].code, "map-key-range");
    assert_eq!(
        reference.set("other", &word(9), None).unwrap_err()[0].code,
        "unknown-map"
    );
}

#[test]
fn without_a_kernel_the_interpreter_answers() {
    let mut reference = Reference::new(&program(FLOWS), &Image::new(), NOBODY).unwrap();
    let Expected {
        fate,
        judged,
        objection,
        disagreement,
        illegal: _,
    } = reference.run(&[1, 2, 3], &CONTEXT).unwrap();
    assert_eq!((fate.first_output(), judged), (1, false));
    assert_eq!((objection, disagreement), (None, None));
}

/// Whoever is a judge can stand in the kernel's place: here an interpreter that is right, and one of another program.
#[test]
fn another_judge() {
    let judged_by = |text: &str| {
        let judge = Interpreter::new(&program(text), &start_image()).unwrap();
        let mut reference = Reference::new(&program(FLOWS), &start_image(), Some(judge)).unwrap();
        let packets = packets(300, 9);
        let answers = reference.run_all(&packets).unwrap();
        assert!(answers.iter().all(|answer| answer.judged));
        reference.set("totals", &word(0), Some(&double(5))).unwrap();
        let differ = answers
            .iter()
            .filter(|answer| answer.disagreement.is_some());
        (
            differ.count(),
            reference.maps().unwrap().disagreements.len(),
        )
    };
    assert_eq!(judged_by(FLOWS), (0, 0));
    let (packets, entries) = judged_by(&FLOWS.replace("v12:64 = const 0x1", "v12:64 = const 0x2"));
    assert!(packets == 0 && entries > 0, "{packets} {entries}");
}

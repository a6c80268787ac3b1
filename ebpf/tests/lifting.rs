//! Lifting of hand-written instructions: what they mean in the interpreter, and what is refused.

use hardpath_diagnostic::Diagnostic;
use hardpath_ebpf::helpers::HELPERS;
use hardpath_ebpf::{
    lift, lift_returned, Globals, Insn, MapRef, MapRefKind, Object, ObjectMap, ProgramImage,
};
use hardpath_ir::interpreter::{run, Prepared};
use hardpath_ir::maps::Maps;
use hardpath_ir::verifier::verify;
use hardpath_ir::Program;
use hardpath_kernel::xdp as verdict;
use hardpath_packet::{Fate, Sideband};

/// Code, dst, src, off, imm.
type Line = (u8, u8, u8, i16, i32);

const EXIT: Line = (0x95, 0, 0, 0, 0);
const MAP_LOOKUP: Line = call(1);
const MAP_UPDATE: Line = call(2);
const REDIRECT: Line = call(23);
const XDP_LOAD_BYTES: Line = call(189);
const XDP_STORE_BYTES: Line = call(190);

const fn call(helper: i32) -> Line {
    (0x85, 0, 0, 0, helper)
}

const fn mov(dst: u8, imm: i32) -> Line {
    (0xb7, dst, 0, 0, imm)
}

const fn copy(dst: u8, src: u8) -> Line {
    (0xbf, dst, src, 0, 0)
}

const fn add(dst: u8, imm: i32) -> Line {
    (0x07, dst, 0, 0, imm)
}

/// 32-bit load.
const fn load_word(dst: u8, src: u8, off: i16) -> Line {
    (0x61, dst, src, off, 0)
}

const fn load_double(dst: u8, src: u8, off: i16) -> Line {
    (0x79, dst, src, off, 0)
}

const fn store_double(dst: u8, off: i16, src: u8) -> Line {
    (0x7b, dst, src, off, 0)
}

const fn store_word_imm(dst: u8, off: i16, imm: i32) -> Line {
    (0x62, dst, 0, off, imm)
}

const fn jump_if_equal(dst: u8, imm: i32, off: i16) -> Line {
    (0x15, dst, 0, off, imm)
}

/// Loads map 0 of the object.
const LOAD_MAP: [Line; 2] = [(0x18, 1, 1, 0, 0), (0, 0, 0, 0, 0)];
/// Points r2 to a key of zeros.
const ZERO_KEY: [Line; 3] = [store_word_imm(10, -4, 0), copy(2, 10), add(2, -4)];

fn map(map_type: u32, contents: Option<Vec<u8>>, read_only: bool) -> ObjectMap {
    ObjectMap {
        name: "table".into(),
        map_type,
        key_bytes: 4,
        value_bytes: contents
            .as_ref()
            .map_or(8, |contents| contents.len() as u32),
        max_entries: 1,
        flags: 0,
        lock_offset: None,
        initial: contents,
        read_only,
    }
}

fn object(lines: &[Line], maps: Vec<ObjectMap>) -> Object {
    let insns: Vec<Insn> = lines
        .iter()
        .map(|&(code, dst, src, off, imm)| Insn {
            code,
            dst,
            src,
            off,
            imm,
        })
        .collect();
    let map_refs = (0..insns.len())
        .filter(|slot| insns[*slot].code == 0x18 && insns[*slot].src != 0)
        .map(|slot| MapRef {
            slot: slot as u32,
            map: 0,
            kind: match insns[slot].src {
                1 => MapRefKind::Fd,
                _ => MapRefKind::Value { offset: 0 },
            },
        })
        .collect();
    Object {
        file: "test.o".into(),
        license: "GPL".into(),
        maps,
        programs: vec![ProgramImage {
            name: "test".into(),
            section: "xdp".into(),
            frags: false,
            insns,
            map_refs,
            places: Vec::new(),
            functions: Vec::new(),
            problems: Vec::new(),
        }],
        tail_calls: Vec::new(),
        drops_events: false,
        as_xdp: false,
        globals: Globals::default(),
        set: Vec::new(),
    }
}

fn try_lift(lines: &[Line], maps: Vec<ObjectMap>) -> Result<Program, Vec<Diagnostic>> {
    let object = object(lines, maps);
    let program = lift_returned(&object, &object.programs[0])?;
    verify(&program).unwrap();
    Ok(program)
}

/// What a program returned that is lifted to tell.
fn returned(fate: &Fate) -> u64 {
    fate.outputs[1]
}

/// What was returned, and the packet's bytes whatever it is.
struct Ran {
    fate: Fate,
    verdict: u64,
    packet: Vec<u8>,
}

fn run_program(program: &Program, packet: &[u8]) -> Ran {
    let mut maps = Maps::new(&program.maps);
    let mut prepared = Prepared::new(program);
    let fate = prepared.run(&mut maps, packet, &Sideband::default());
    Ran {
        verdict: returned(&fate),
        fate,
        packet: prepared.left_behind(),
    }
}

fn run_lines(lines: &[Line], packet: &[u8]) -> Ran {
    run_program(&try_lift(lines, Vec::new()).unwrap(), packet)
}

fn refusal(lines: &[Line], maps: Vec<ObjectMap>) -> Vec<&'static str> {
    let diagnostics = try_lift(lines, maps).unwrap_err();
    for diagnostic in &diagnostics {
        let place = diagnostic.place_text();
        assert!(place.starts_with("test.o: section xdp, instruction "));
        assert!(diagnostic.help.is_some());
    }
    diagnostics
        .iter()
        .map(|diagnostic| diagnostic.code)
        .collect()
}

#[test]
fn the_end_minus_something_may_lie_before_the_packet() {
    // if (data_end − 20 >= data) return 2; return 1;
    let lines = [
        load_word(2, 1, 4),
        load_word(1, 1, 0),
        add(2, -20),
        mov(0, 2),
        (0x3d, 2, 1, 1, 0),
        mov(0, 1),
        EXIT,
    ];
    for (length, expected) in [(19, 1), (20, 2), (64, 2)] {
        assert_eq!(run_lines(&lines, &vec![0; length]).verdict, expected);
    }
}

#[test]
fn pointers_are_kept_on_the_stack() {
    // One of two packet pointers is stored, read back behind the join, and read through.
    let lines = [
        load_word(3, 1, 12),
        load_word(2, 1, 0),
        store_double(10, -8, 2),
        jump_if_equal(3, 0, 2),
        add(2, 2),
        store_double(10, -8, 2),
        load_double(4, 10, -8),
        (0x71, 0, 4, 1, 0),
        EXIT,
    ];
    let program = try_lift(&lines, Vec::new()).unwrap();
    for (ingress, expected) in [(0, 11), (9, 13)] {
        let context = Sideband {
            ingress,
            ..Sideband::default()
        };
        let mut maps = Maps::new(&program.maps);
        let outcome = run(&program, &mut maps, &[10, 11, 12, 13], &context);
        assert_eq!(returned(&outcome), expected);
    }
}

#[test]
fn a_slot_that_held_a_pointer_can_hold_numbers() {
    let lines = [
        store_double(10, -8, 1),
        store_word_imm(10, -8, 7),
        store_word_imm(10, -4, 1),
        load_double(0, 10, -8),
        (0x77, 0, 0, 0, 32),
        EXIT,
    ];
    assert_eq!(run_lines(&lines, &[]).verdict, 1);
    // Half overwritten it is neither.
    let half = [
        store_double(10, -8, 1),
        store_word_imm(10, -8, 7),
        load_double(0, 10, -8),
        EXIT,
    ];
    assert_eq!(refusal(&half, Vec::new()), ["mixed-value"]);
}

#[test]
fn unwritten_stack_is_zero() {
    assert_eq!(run_lines(&[load_double(0, 10, -512), EXIT], &[]).verdict, 0);
}

#[test]
fn null_pointers() {
    // p = ifindex ? lookup(0) : NULL; if (!p) return p + 3; *p += 1; return 2
    let mut lines = vec![load_word(6, 1, 12), mov(0, 0), jump_if_equal(6, 0, 6)];
    lines.extend(ZERO_KEY);
    lines.extend(LOAD_MAP);
    lines.extend([
        MAP_LOOKUP,
        (0x55, 0, 0, 2, 0),
        add(0, 3),
        EXIT,
        load_double(1, 0, 0),
        add(1, 1),
        store_double(0, 0, 1),
        mov(0, 2),
        EXIT,
    ]);
    let program = try_lift(&lines, vec![map(2, None, false)]).unwrap();
    let mut maps = Maps::new(&program.maps);
    let mut verdicts = Vec::new();
    for ingress in [0, 1, 1] {
        let context = Sideband {
            ingress,
            ..Sideband::default()
        };
        verdicts.push(returned(&run(&program, &mut maps, &[0; 60], &context)));
    }
    assert_eq!(verdicts, [3, 2, 2]);
    assert_eq!(maps.image()["table"][&vec![0; 4]], 2u64.to_le_bytes());
}

#[test]
fn bytes_are_copied_out_of_the_packet() {
    // r0 = load_bytes(ctx, offset, r10 − 16, 8) ? result : the bytes
    let lines = |offset: i32| {
        vec![
            store_word_imm(10, -16, 5),
            mov(2, offset),
            copy(3, 10),
            add(3, -16),
            mov(4, 8),
            XDP_LOAD_BYTES,
            (0x55, 0, 0, 1, 0),
            (0x61, 0, 10, -16, 0),
            // The first word tells whether the memory was left alone.
            load_word(1, 10, -16),
            (0x67, 1, 0, 0, 16),
            (0x4f, 0, 1, 0, 0),
            EXIT,
        ]
    };
    let packet: Vec<u8> = (1..=16).collect();
    let low = |value: i64| value as u32 as u64;
    let unchanged = 5 << 16;
    for (offset, expected) in [
        (8, 0x0c0b_0a09 | 0x0c0b_0a09 << 16),
        (9, low(-22) | unchanged),
        (0x10000, low(-14) | unchanged),
        (-1, low(-14) | unchanged),
    ] {
        let outcome = run_lines(&lines(offset), &packet);
        assert_eq!(outcome.verdict, expected & 0xffff_ffff, "offset {offset}");
    }
}

#[test]
fn bytes_are_copied_where_a_check_has_shown_that_they_are_there() {
    let outcome = run_lines(
        &[
            load_word(2, 1, 0),
            load_word(3, 1, 4),
            add(2, 14),
            mov(0, 1),
            // if data + 14 > data_end goto exit
            (0x2d, 2, 3, 7, 0),
            mov(2, 0),
            copy(3, 10),
            add(3, -8),
            mov(4, 4),
            XDP_LOAD_BYTES,
            load_word(1, 10, -8),
            (0x4f, 0, 1, 0, 0),
            EXIT,
        ],
        &[6; 14],
    );
    assert_eq!(outcome.verdict, 0x0606_0606);
}

#[test]
fn bytes_are_copied_into_the_packet() {
    let lines = |offset: i32| {
        vec![
            store_word_imm(10, -8, 0x0403_0201),
            mov(2, offset),
            copy(3, 10),
            add(3, -8),
            mov(4, 4),
            XDP_STORE_BYTES,
            EXIT,
        ]
    };
    let outcome = run_lines(&lines(2), &[0; 6]);
    assert_eq!(
        (outcome.verdict, &outcome.packet[..]),
        (0, &[0, 0, 1, 2, 3, 4][..])
    );
    let outcome = run_lines(&lines(3), &[0; 6]);
    assert_eq!(outcome.verdict, -22i32 as u32 as u64);
    assert_eq!(outcome.packet, [0; 6]);
}

#[test]
fn the_last_redirect_counts() {
    let lines = |flags: i32| {
        [
            mov(1, 5),
            mov(2, 0),
            REDIRECT,
            mov(1, 6),
            mov(2, flags),
            REDIRECT,
            EXIT,
        ]
    };
    let outcome = run_lines(&lines(0), &[]);
    assert_eq!(
        (outcome.verdict, outcome.fate.indices()),
        (verdict::REDIRECT, vec![6])
    );
    assert_eq!(run_lines(&lines(1), &[]).verdict, verdict::ABORTED);
}

#[test]
fn atomics_on_the_stack() {
    // Compare and exchange on a word, then fetch and add on the double word.
    let lines = [
        store_word_imm(10, -8, 7),
        mov(0, 7),
        mov(1, 9),
        (0xc3, 10, 1, -8, 0xf1),
        copy(6, 0),
        mov(2, 1),
        (0xdb, 10, 2, -8, 0x01),
        load_double(0, 10, -8),
        (0x67, 2, 0, 0, 8),
        (0x4f, 0, 2, 0, 0),
        (0x67, 6, 0, 0, 16),
        (0x4f, 0, 6, 0, 0),
        EXIT,
    ];
    assert_eq!(run_lines(&lines, &[]).verdict, 10 | 9 << 8 | 7 << 16);
}

#[test]
fn jumps_back_are_no_loops() {
    let lines = [
        (0x05, 0, 0, 2, 0),
        mov(0, 2),
        EXIT,
        mov(0, 1),
        (0x05, 0, 0, -4, 0),
    ];
    assert_eq!(run_lines(&lines, &[]).verdict, 2);
}

#[test]
fn what_cannot_run_does_not_matter() {
    let unreachable = [mov(0, 2), EXIT, (0xff, 0, 0, 0, 0), (0x05, 0, 0, -1, 0)];
    assert_eq!(run_lines(&unreachable, &[]).verdict, 2);
    // A branch whose condition is known.
    let known = [mov(0, 2), jump_if_equal(0, 2, 1), call(130), EXIT];
    assert_eq!(run_lines(&known, &[]).verdict, 2);
}

#[test]
fn tables_of_constants() {
    let table = |bytes: usize| map(2, Some((0..bytes).map(|i| i as u8).collect()), true);
    let lines = |mask: i32| {
        vec![
            load_word(1, 1, 12),
            (0x57, 1, 0, 0, mask),
            (0x18, 2, 2, 0, 0),
            (0, 0, 0, 0, 0),
            (0x0f, 2, 1, 0, 0),
            (0x69, 0, 2, 3, 0),
            EXIT,
        ]
    };
    // A masked index into a large table, and any index into a small one.
    for (mask, bytes) in [(63, 1000), (0xff, 200)] {
        let program = try_lift(&lines(mask), vec![table(bytes)]).unwrap();
        assert_eq!(program.maps.len(), 0);
        for ingress in [0, 1, 17, 63] {
            let context = Sideband {
                ingress,
                ..Sideband::default()
            };
            let outcome = run(&program, &mut Maps::new(&program.maps), &[], &context);
            let first = u64::from(ingress) + 3;
            assert_eq!(returned(&outcome), first | (first + 1) << 8);
        }
    }
    assert_eq!(
        refusal(&lines(0xfff), vec![table(1000)]),
        ["variable-rodata"]
    );
}

#[test]
fn refusals() {
    let cases: Vec<(&str, Vec<Line>)> = vec![
        ("uninitialised-register", vec![copy(0, 3), EXIT]),
        ("uninitialised-register", vec![call(5), copy(0, 1), EXIT]),
        ("pointer-as-number", vec![copy(0, 1), EXIT]),
        ("pointer-as-number", vec![(0xbc, 0, 1, 0, 0), EXIT]),
        (
            "pointer-arithmetic",
            vec![(0x27, 1, 0, 0, 3), mov(0, 0), EXIT],
        ),
        (
            "pointer-arithmetic",
            vec![(0x0f, 1, 10, 0, 0), mov(0, 0), EXIT],
        ),
        (
            "pointer-compare",
            vec![load_word(2, 1, 0), mov(0, 1), (0x2d, 2, 10, 0, 0), EXIT],
        ),
        ("bad-address", vec![mov(1, 64), load_word(0, 1, 0), EXIT]),
        (
            "bad-address",
            vec![store_word_imm(1, 0, 1), mov(0, 0), EXIT],
        ),
        ("stack-bounds", vec![load_word(0, 10, -2), EXIT]),
        (
            "stack-bounds",
            vec![store_word_imm(10, -516, 0), mov(0, 0), EXIT],
        ),
        ("egress-ifindex", vec![load_word(0, 1, 20), EXIT]),
        ("unsupported-context", vec![load_word(0, 1, 24), EXIT]),
        ("unsupported-context", vec![load_double(0, 1, 0), EXIT]),
        ("bad-instruction", vec![(0xff, 0, 0, 0, 0), EXIT]),
        ("bad-instruction", vec![(0xb7, 11, 0, 0, 0), EXIT]),
        ("bad-instruction", vec![mov(10, 0), EXIT]),
        ("bad-instruction", vec![(0x05, 0, 0, 5, 0), EXIT]),
        ("bad-instruction", vec![(0x05, 0, 0, -5, 0), EXIT]),
        ("bad-instruction", vec![mov(0, 0)]),
        ("bad-instruction", vec![(0x18, 0, 0, 0, 0)]),
        (
            "bad-instruction",
            vec![
                mov(0, 0),
                jump_if_equal(0, 0, 1),
                LOAD_MAP[0],
                LOAD_MAP[1],
                EXIT,
            ],
        ),
        ("loop", vec![mov(0, 0), (0x05, 0, 0, -2, 0)]),
        ("recursion", vec![(0x85, 0, 1, 0, -1), EXIT]),
        (
            "recursion",
            vec![(0x85, 0, 1, 0, 1), EXIT, (0x85, 0, 1, 0, -1), EXIT],
        ),
        ("unsupported-kfunc", vec![(0x85, 0, 2, 0, 77), EXIT]),
        ("unsupported-call", vec![(0x8d, 1, 0, 0, 0), EXIT]),
        ("event-output", vec![call(6), EXIT]),
        ("unsupported-helper", vec![call(4), EXIT]),
        ("unsupported-helper", vec![call(-3), EXIT]),
        ("core-missing-field", vec![call(0x0bad_2310), EXIT]),
        ("legacy-packet-access", vec![(0x20, 0, 0, 0, 0), EXIT]),
        (
            "unsupported-relocation",
            vec![(0x18, 0, 3, 0, 0), (0, 0, 0, 0, 0), EXIT],
        ),
        (
            "pointer-as-number",
            vec![(0x18, 0, 4, 0, 0), (0, 0, 0, 0, 0), EXIT],
        ),
        (
            "copy-length",
            vec![
                mov(2, 0),
                copy(3, 10),
                add(3, -8),
                load_word(4, 1, 12),
                XDP_LOAD_BYTES,
                EXIT,
            ],
        ),
    ];
    for (code, lines) in cases {
        // Maps are declared for the 64-bit loads of kind 1 only.
        let mut maps = Vec::new();
        if lines.contains(&LOAD_MAP[0]) {
            maps.push(map(2, None, false));
        }
        let mut object = object(&lines, maps);
        object.programs[0]
            .map_refs
            .retain(|one| one.kind == MapRefKind::Fd && !object.maps.is_empty());
        let diagnostics = lift(&object, &object.programs[0]).unwrap_err();
        let codes: Vec<_> = diagnostics.iter().map(|one| one.code).collect();
        assert_eq!(codes, [code], "{lines:?}");
    }
}

#[test]
fn every_helper_of_the_table_is_lifted() {
    let is_built = |number| {
        let lines = [
            mov(1, 0),
            mov(2, 0),
            mov(3, 0),
            mov(4, 0),
            mov(5, 0),
            call(number),
            mov(0, 0),
            EXIT,
        ];
        let problems = try_lift(&lines, vec![]).err().unwrap_or_default();
        !problems
            .iter()
            .any(|problem| problem.message.ends_with("which hardpath does not build"))
    };
    for number in 1..300 {
        let is_in_table = HELPERS.iter().any(|helper| helper.number == number);
        assert_eq!(is_built(number), is_in_table, "helper {number}");
    }
}

#[test]
fn refusals_of_maps() {
    let mut update = ZERO_KEY.to_vec();
    update.extend(LOAD_MAP);
    update.extend([copy(3, 10), add(3, -16), mov(4, 0), MAP_UPDATE, EXIT]);
    let mut devmap = map(14, None, false);
    assert_eq!(refusal(&update, vec![devmap.clone()]), ["read-only-map"]);
    devmap.value_bytes = 5;
    assert_eq!(refusal(&update, vec![devmap.clone()]), ["map-size"]);
    devmap.value_bytes = 4;
    devmap.max_entries = 0;
    // What else is wrong is seen all the same.
    assert_eq!(
        refusal(&update, vec![devmap]),
        ["max-entries-missing", "read-only-map"]
    );
    assert_eq!(
        refusal(&update, vec![map(11, None, false)]),
        ["map-size"],
        "the key of a trie has a length and data"
    );
    assert_eq!(
        refusal(&update, vec![map(77, None, false)]),
        ["unsupported-map"]
    );
    assert!(try_lift(&update, vec![map(2, None, false)]).is_ok());
}

#[test]
fn stores_after_a_delete() {
    // p = lookup(0); if (!p) return 1; delete(0); q = second ? lookup(0) : p; if (!q) return 2; *q = 5; return 3
    let lines = |second: bool| {
        let mut lines = ZERO_KEY.to_vec();
        lines.extend(LOAD_MAP);
        lines.extend([MAP_LOOKUP, copy(6, 0), mov(0, 1), jump_if_equal(6, 0, 18)]);
        lines.extend(ZERO_KEY);
        lines.extend(LOAD_MAP);
        lines.extend([call(3), copy(0, 6)]);
        lines.extend(ZERO_KEY);
        lines.extend(LOAD_MAP);
        lines.push(if second { MAP_LOOKUP } else { copy(0, 6) });
        lines.extend([
            (0x55, 0, 0, 2, 0),
            mov(0, 2),
            (0x05, 0, 0, 2, 0),
            (0x7a, 0, 0, 0, 5),
            mov(0, 3),
            EXIT,
        ]);
        lines
    };
    let hash = || vec![map(1, None, false)];
    assert!(try_lift(&lines(true), hash()).is_ok());
    assert_eq!(refusal(&lines(false), hash()), ["store-after-delete"]);
    assert!(try_lift(&lines(false), vec![map(2, None, false)]).is_ok());
}

#[test]
fn a_pointer_to_different_things() {
    // r2 = ifindex ? data : r10 − 8; return *r2
    let lines = [
        load_word(3, 1, 12),
        copy(2, 10),
        add(2, -8),
        jump_if_equal(3, 0, 1),
        load_word(2, 1, 0),
        load_word(0, 2, 0),
        EXIT,
    ];
    let program = try_lift(&lines, Vec::new()).unwrap();
    for (ingress, expected) in [(0, 0), (9, 0x0403_0201)] {
        let context = Sideband {
            ingress,
            ..Sideband::default()
        };
        let mut maps = Maps::new(&program.maps);
        let outcome = run(&program, &mut maps, &[1, 2, 3, 4], &context);
        assert_eq!(returned(&outcome), expected);
    }
    // Unused, with the context on one of the ways.
    let unused = [
        load_word(3, 1, 12),
        copy(2, 10),
        jump_if_equal(3, 0, 1),
        load_word(2, 1, 0),
        store_double(10, -16, 2),
        mov(0, 2),
        EXIT,
    ];
    assert_eq!(run_lines(&unused, &[]).verdict, 2);
}

const ADJUST_HEAD: Line = call(44);

#[test]
fn a_pointer_from_before_a_move_is_refused() {
    let lines = [
        load_word(6, 1, 0),
        mov(2, -4),
        ADJUST_HEAD,
        load_word(0, 6, 0),
        EXIT,
    ];
    assert_eq!(refusal(&lines, Vec::new()), ["moved-packet-pointer"]);
    // The kernel does not take its distance from one of behind the move.
    let lines = [
        copy(7, 1),
        load_word(6, 1, 0),
        mov(2, -4),
        ADJUST_HEAD,
        load_word(0, 7, 4),
        (0x1f, 0, 6, 0, 0),
        EXIT,
    ];
    assert_eq!(refusal(&lines, Vec::new()), ["moved-packet-pointer"]);
}

/// data_end − data of before a move of the head, behind it: in 64 bits, in 32, and through the stack.
#[test]
fn pointers_from_before_a_move_are_as_far_apart_as_they_were() {
    let wide = [(0x1f, 0, 6, 0, 0)];
    let half = [(0x1c, 0, 6, 0, 0)];
    for subtract in [wide, half] {
        let mut lines = vec![
            load_word(6, 1, 0),
            load_word(7, 1, 4),
            store_double(10, -8, 7),
            mov(2, 20),
            ADJUST_HEAD,
            load_double(0, 10, -8),
        ];
        lines.extend(subtract);
        lines.push(EXIT);
        for length in [20, 60] {
            assert_eq!(run_lines(&lines, &vec![0; length]).verdict, length as u64);
        }
    }
}

/// if (adjust_head(ctx, 20)) return 1; return data_end - data: both outcomes are known behind the call.
#[test]
fn each_outcome_of_a_move_goes_its_own_way() {
    let lines = [
        copy(6, 1),
        mov(2, 20),
        ADJUST_HEAD,
        jump_if_equal(0, 0, 2),
        mov(0, 1),
        EXIT,
        load_word(0, 6, 4),
        load_word(1, 6, 0),
        (0x1f, 0, 1, 0, 0),
        EXIT,
    ];
    for (length, verdict, bytes) in [(33, 1, 33), (34, 14, 14), (60, 40, 40)] {
        let outcome = run_lines(&lines, &vec![0; length]);
        assert_eq!((outcome.verdict, outcome.packet.len()), (verdict, bytes));
    }
}

//! Loops that are written out, functions that are put in place of their calls, and what is refused there.

mod lines;

use hardpath_diagnostic::Diagnostic;
use hardpath_ebpf::{lift_raw, lift_returned, load, LoadOptions, Object};
use hardpath_ir::interpreter::{run, Prepared};
use hardpath_ir::maps::Maps;
use hardpath_ir::verifier::verify;
use hardpath_ir::Program;
use hardpath_packet::Sideband;
use lines::{add, add_register, bytes, copy, load_byte, mov, Line, EXIT};

const BPF_LOOP: Line = (0x85, 0, 0, 0, 181);

const fn load_double(dst: u8, src: u8, off: i16) -> Line {
    (0x79, dst, src, off, 0)
}

const fn store_double(dst: u8, off: i16, src: u8) -> Line {
    (0x7b, dst, src, off, 0)
}

const fn store_double_imm(dst: u8, off: i16, imm: i32) -> Line {
    (0x7a, dst, 0, off, imm)
}

const fn jump(off: i16) -> Line {
    (0x05, 0, 0, off, 0)
}

const fn jump_if_equal(dst: u8, imm: i32, off: i16) -> Line {
    (0x15, dst, 0, off, imm)
}

const fn jump_if_less(dst: u8, imm: i32, off: i16) -> Line {
    (0xa5, dst, 0, off, imm)
}

const fn jump_if_above(dst: u8, imm: i32, off: i16) -> Line {
    (0x25, dst, 0, off, imm)
}

const fn jump_if_less_than_register(dst: u8, src: u8, off: i16) -> Line {
    (0xad, dst, src, off, 0)
}

/// Calls the function `off` slots behind the next one.
const fn call(off: i32) -> Line {
    (0x85, 0, 1, 0, off)
}

/// The address of the function `off` slots behind the second half of this instruction.
const fn address(dst: u8, off: i32) -> [Line; 2] {
    [(0x18, dst, 4, 0, off), (0, 0, 0, 0, 0)]
}

fn try_lift(lines: &[Line]) -> Result<Program, Vec<Diagnostic>> {
    let program = lift_raw(&bytes(lines), "test")?;
    verify(&program).unwrap();
    Ok(program)
}

fn result(program: &Program, memory: &[u8]) -> u64 {
    let mut maps = Maps::new(&program.maps);
    run(program, &mut maps, memory, &Sideband::default()).first_output()
}

fn run_lines(lines: &[Line], memory: &[u8]) -> u64 {
    result(&try_lift(lines).unwrap(), memory)
}

fn refusal(lines: &[Line]) -> Diagnostic {
    let mut diagnostics = try_lift(lines).unwrap_err();
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    diagnostics.remove(0)
}

#[test]
fn a_counter_on_the_stack() {
    // for (i = 0; i < 10; i++) sum += i, all of it on the stack.
    let lines = [
        store_double_imm(10, -8, 0),
        store_double_imm(10, -16, 0),
        load_double(1, 10, -8),
        load_double(2, 10, -16),
        add_register(2, 1),
        store_double(10, -16, 2),
        add(1, 1),
        store_double(10, -8, 1),
        jump_if_less(1, 10, -7),
        load_double(0, 10, -16),
        EXIT,
    ];
    let program = try_lift(&lines).unwrap();
    assert_eq!(result(&program, &[]), 45);
    // The end is known: only the last block returns.
    assert_eq!(program.order.len(), 12);
}

#[test]
fn rounds_that_depend_on_the_memory() {
    // n = memory[0]; if (n > 12) return -1; for (i = 0; i < n; i++) sum += memory[1]; return sum
    let lines = [
        load_byte(2, 1, 0),
        mov(0, -1),
        jump_if_above(2, 12, 7),
        load_byte(3, 1, 1),
        mov(0, 0),
        mov(4, 0),
        jump(2),
        add_register(0, 3),
        add(4, 1),
        jump_if_less_than_register(4, 2, -3),
        EXIT,
    ];
    let program = try_lift(&lines).unwrap();
    for count in [0, 1, 5, 12] {
        assert_eq!(result(&program, &[count, 3]), u64::from(count) * 3);
    }
    assert_eq!(result(&program, &[13, 3]), u64::MAX);
    assert!(program.order.len() < 40, "{}", program.order.len());
}

#[test]
fn a_loop_with_two_entries() {
    // if (memory[0] == 0) goto middle; do { r0 += 1; middle: r0 += 10; r3 += 1 } while (r3 < 5)
    let lines = [
        load_byte(2, 1, 0),
        mov(0, 0),
        mov(3, 0),
        jump_if_equal(2, 0, 1),
        add(0, 1),
        add(0, 10),
        add(3, 1),
        jump_if_less(3, 5, -4),
        EXIT,
    ];
    let program = try_lift(&lines).unwrap();
    assert_eq!(result(&program, &[0]), 54);
    assert_eq!(result(&program, &[1]), 55);
}

#[test]
fn paths_do_not_multiply() {
    // Eight rounds, each with ten decisions on its way: 2^80 paths.
    let mut lines = vec![load_byte(2, 1, 0), mov(0, 0), mov(3, 0)];
    for bit in 0..10 {
        // if (memory[0] & 1 << bit) r0 += bit
        lines.extend([(0x45, 2, 0, 1, 1 << bit), jump(1), add(0, bit)]);
    }
    lines.push(add(3, 1));
    lines.push(jump_if_less(3, 8, -32));
    lines.push(EXIT);
    let program = try_lift(&lines).unwrap();
    assert!(program.order.len() < 300, "{}", program.order.len());
    assert_eq!(result(&program, &[0b101]), 8 * 2);
    assert_eq!(result(&program, &[0xff]), 8 * 28);
}

#[test]
fn loops_without_an_end() {
    let forever = refusal(&[mov(0, 0), jump(-2)]);
    assert_eq!(forever.code, "loop");
    assert!(forever.message.contains("rounds"), "{forever}");
    assert_eq!(forever.place_text(), "test: instruction 0");
    // while (memory[i]) i++
    let unbounded = [
        mov(0, 0),
        copy(2, 1),
        add_register(2, 0),
        load_byte(3, 2, 0),
        add(0, 1),
        (0x55, 3, 0, -5, 0),
        EXIT,
    ];
    assert_eq!(refusal(&unbounded).code, "loop");
    // What is behind the loop is looked at, too.
    let mut two = unbounded.to_vec();
    two.insert(6, copy(0, 9));
    let codes: Vec<_> = try_lift(&two)
        .unwrap_err()
        .iter()
        .map(|one| one.code)
        .collect();
    assert_eq!(codes, ["loop", "uninitialised-register"]);
}

#[test]
fn each_function_has_registers_and_a_stack_of_its_own() {
    let lines = [
        store_double_imm(10, -8, 5),
        mov(6, 7),
        mov(1, 100),
        call(5),
        copy(7, 0),
        mov(1, 200),
        call(2),
        // r0 + r7 + r6 + stack
        add_register(0, 7),
        jump(6),
        // f(n): what was on the stack (nothing) + n; leaves n there and in r6.
        load_double(0, 10, -8),
        add_register(0, 1),
        store_double(10, -8, 1),
        copy(6, 1),
        copy(7, 1),
        EXIT,
        add_register(0, 6),
        load_double(1, 10, -8),
        add_register(0, 1),
        EXIT,
    ];
    assert_eq!(run_lines(&lines, &[]), 100 + 200 + 7 + 5);
}

#[test]
fn a_function_writes_on_the_stack_of_its_caller() {
    let lines = [
        copy(1, 10),
        add(1, -8),
        call(2),
        load_double(0, 10, -8),
        EXIT,
        // f(p): g(p); *p += 1
        copy(6, 1),
        store_double_imm(10, -8, 50),
        call(4),
        load_double(2, 6, 0),
        add(2, 1),
        store_double(6, 0, 2),
        EXIT,
        // g(p): *p = 41
        mov(2, 41),
        store_double(1, 0, 2),
        store_double(10, -8, 2),
        EXIT,
    ];
    assert_eq!(run_lines(&lines, &[]), 42);
}

#[test]
fn a_call_through_a_register() {
    let mut lines = vec![mov(1, 20)];
    lines.extend(address(2, 4));
    lines.extend([
        (0x8d, 2, 0, 0, 0),
        add(0, 2),
        EXIT,
        copy(0, 1),
        add(0, 20),
        EXIT,
    ]);
    assert_eq!(run_lines(&lines, &[]), 42);
}

#[test]
fn functions_that_cannot_be() {
    // f calls g, g calls f.
    let both = [call(1), EXIT, call(1), EXIT, call(-3), EXIT];
    assert_eq!(refusal(&both[2..]).code, "recursion");
    // Each calls the next one, nine in all.
    let chain: Vec<Line> = [call(1), EXIT].repeat(9);
    let mut deep = chain.clone();
    deep.extend([mov(0, 0), EXIT]);
    assert_eq!(refusal(&deep).code, "call-depth");
    assert_eq!(run_lines(&deep[4..], &[]), 0);
    // Six levels, each calling the next one eight times.
    let mut wide = Vec::new();
    for _ in 0..6 {
        wide.extend((0..8).map(|done| call(8 - done)));
        wide.push(EXIT);
    }
    wide.extend([mov(0, 0), EXIT]);
    let refused = refusal(&wide);
    assert_eq!(refused.code, "program-too-large");
    assert!(refused.help.is_some());
    // 400 and 200 bytes of stack at once.
    let large = |other| {
        vec![
            store_double_imm(10, -400, 1),
            call(1),
            EXIT,
            store_double_imm(10, other, 1),
            mov(0, 3),
            EXIT,
        ]
    };
    assert_eq!(refusal(&large(-200)).code, "stack-bounds");
    assert_eq!(run_lines(&large(-112), &[]), 3);
    assert_eq!(refusal(&[call(7), EXIT]).code, "bad-instruction");
}

/// `bpf_loop(r1, callback, 0, 0)`; the callback adds its index to a sum on the caller's stack and returns `index > 4`.
fn summing_loop(count: [Line; 2]) -> Vec<Line> {
    let mut lines = vec![store_double_imm(10, -8, 0)];
    lines.extend(count);
    lines.extend(address(2, 9));
    lines.extend([
        copy(3, 10),
        add(3, -8),
        mov(4, 0),
        BPF_LOOP,
        load_double(1, 10, -8),
        (0x67, 1, 0, 0, 8),
        add_register(0, 1),
        EXIT,
        load_double(3, 2, 0),
        add_register(3, 1),
        store_double(2, 0, 3),
        mov(0, 0),
        jump_if_less(1, 5, 1),
        mov(0, 1),
        EXIT,
    ]);
    lines
}

#[test]
fn callbacks() {
    for (count, sum, rounds) in [(0, 0, 0), (1, 0, 1), (4, 6, 4), (6, 15, 6), (1000, 15, 6)] {
        let lines = summing_loop([mov(1, count), mov(5, 0)]);
        assert_eq!(run_lines(&lines, &[]), sum << 8 | rounds, "{count}");
    }
    // -E2BIG
    let lines = summing_loop([mov(1, 1 << 24), mov(5, 0)]);
    assert_eq!(run_lines(&lines, &[]), (-7i64) as u64);
    // As many rounds as a byte says.
    let program = try_lift(&summing_loop([load_byte(1, 1, 0), mov(5, 0)])).unwrap();
    for (count, sum, rounds) in [(0, 0, 0), (3, 3, 3), (200, 15, 6)] {
        assert_eq!(result(&program, &[count]), sum << 8 | rounds);
    }
    let number = [mov(1, 3), mov(2, 9), mov(3, 0), mov(4, 0), BPF_LOOP, EXIT];
    assert_eq!(refusal(&number).code, "unknown-callback");
}

fn object(name: &str) -> Object {
    let bytes = std::fs::read(format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR")));
    load(&bytes.unwrap(), name, &LoadOptions::default()).unwrap()
}

/// xorshift64*: the same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound
    }
}

/// Runs a program of several builds of one source; gives packets and outcomes after they were found the same.
fn outcomes(objects: &[&str], name: &str) -> Vec<(Vec<u8>, u64, Vec<u8>)> {
    let lifted: Vec<Program> = objects
        .iter()
        .map(|file| {
            let object = object(file);
            let program = lift_returned(&object, object.choose(Some(name)).unwrap()).unwrap();
            verify(&program).unwrap();
            program
        })
        .collect();
    let mut random = Random(7);
    (0..200)
        .map(|number| {
            let largest = [256, 4, 32, 2][number % 4];
            let length = 14 + random.below(80);
            let mut packet: Vec<u8> = (0..length).map(|_| random.below(largest) as u8).collect();
            // Some of them with VLAN tags.
            for at in (12..12 + 4 * random.below(6) as usize).step_by(4) {
                if at + 2 <= packet.len() {
                    packet[at..at + 2].copy_from_slice(&[0x81, 0]);
                }
            }
            let mut all = lifted.iter().map(|program| {
                let mut maps = Maps::new(&program.maps);
                let mut prepared = Prepared::new(program);
                let fate = prepared.run(&mut maps, &packet, &Sideband::default());
                (fate.outputs[1], prepared.left_behind())
            });
            let (verdict, changed) = all.next().unwrap();
            for other in all {
                assert_eq!(other, (verdict, changed.clone()), "{name} {packet:02x?}");
            }
            (packet, verdict, changed)
        })
        .collect()
}

const LOOPS: [&str; 3] = ["loops_o1.o", "loops_o2.o", "loops_v1.o"];

#[test]
fn loops_in_c() {
    for (packet, verdict, _) in outcomes(&LOOPS, "vlans") {
        let mut at = 12;
        let is_tag = |at: usize| matches!(packet[at..at + 2], [0x81, 0] | [0x88, 0xa8]);
        let mut fits = true;
        while at < 28 && is_tag(at) {
            at += 4;
            fits = at + 2 <= packet.len();
            if !fits {
                break;
            }
        }
        let expected = match fits {
            true => (at as u64 - 12) / 4 * 256 + if packet[at..at + 2] == [8, 0] { 3 } else { 2 },
            false => 1,
        };
        assert_eq!(verdict, expected, "{packet:02x?}");
    }
    for (packet, verdict, changed) in outcomes(&LOOPS, "sort") {
        let mut sorted = packet[..6].to_vec();
        sorted.sort_unstable();
        assert_eq!(changed[..6], sorted);
        let sum = sorted
            .iter()
            .fold(0, |sum, byte| sum * 2 + u64::from(*byte));
        assert_eq!(verdict, sum);
    }
    for (packet, verdict, _) in outcomes(&LOOPS, "counted") {
        let count = usize::from(packet[0]);
        let bytes = packet.iter().skip(1).take(count);
        let expected = match packet.len() {
            ..17 => 1,
            _ if count > 16 => 0,
            _ => bytes.fold(0u32, |sum, byte| sum.wrapping_mul(3) + u32::from(*byte)),
        };
        assert_eq!(verdict, u64::from(expected));
    }
    for (packet, verdict, changed) in outcomes(&LOOPS, "checksum") {
        if verdict == 3 {
            let words = changed[14..34].chunks(2);
            let sum: u32 = words
                .map(|word| u32::from(word[0]) << 8 | u32::from(word[1]))
                .sum();
            assert_eq!((sum & 0xffff) + (sum >> 16), 0xffff, "{packet:02x?}");
        }
    }
    for name in ["extensions", "downwards", "copies", "steps"] {
        assert_eq!(outcomes(&LOOPS, name).len(), 200);
    }
}

#[test]
fn calls_in_c() {
    let calls = ["calls_o1.o", "calls_o2.o"];
    for (packet, verdict, _) in outcomes(&calls, "cursors") {
        let bytes = &packet[1..1 + usize::from(packet[0] & 7)];
        let sum = bytes.iter().fold(0u32, |sum, byte| {
            sum.wrapping_mul(31).wrapping_add(u32::from(*byte))
        });
        assert_eq!(verdict, u64::from(sum));
    }
    for (packet, verdict, _) in outcomes(&calls, "rounds") {
        let searched = &packet[..packet.len().min(24)];
        let found = searched.iter().position(|byte| *byte == 7);
        // The round behind the last byte counts: it says that there is nothing.
        let (done, bytes) = match found {
            Some(place) => (place + 1, place + 1),
            None => ((searched.len() + 1).min(24), searched.len()),
        };
        let seen: u64 = searched[..bytes].iter().map(|byte| u64::from(*byte)).sum();
        assert_eq!(verdict, done as u64 * 65536 + seen);
    }
    for name in ["stacks", "maps", "some_rounds", "bad_rounds", "global"] {
        assert_eq!(outcomes(&calls, name).len(), 200);
    }
}

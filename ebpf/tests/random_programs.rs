//! Random programs with branches, loops, calls and stack: what is lifted, against executing the instructions one by
//! one. Bounds of numbers, knowledge of the stack and joined paths must never change what a program gives.

use hardpath_diagnostic::Diagnostic;
use hardpath_ebpf::{lift_raw, lift_raw_structured, Insn};
use hardpath_ir::interpreter::Prepared;
use hardpath_ir::maps::Maps;
use hardpath_ir::verifier::verify;
use hardpath_ir::Program;
use hardpath_packet::Sideband;

const MEMORY_BYTES: usize = 8;
const STACK_BYTES: u64 = 512;

/// xorshift64*: the same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

/// Writes programs. `r0` to `r5` are numbers, `r6` and `r7` count rounds, `r8` points to the memory (in the main
/// function).
struct Writer {
    random: Random,
    code: Vec<Insn>,
    /// Calls and the number of the function that they go to.
    calls: Vec<(usize, usize)>,
    /// Of functions; 0 is the main one.
    number: usize,
    /// Loops around the next instruction.
    loops: u8,
}

const FUNCTIONS: usize = 3;

impl Writer {
    fn program(seed: u64) -> Vec<Insn> {
        let mut writer = Writer {
            random: Random(seed),
            code: Vec::new(),
            calls: Vec::new(),
            number: 0,
            loops: 0,
        };
        let mut starts = Vec::new();
        for number in 0..FUNCTIONS {
            starts.push(writer.code.len());
            writer.number = number;
            if number == 0 {
                writer.push(0xbf, 8, 1, 0, 0);
                for register in 0..6 {
                    let off = writer.random.below(MEMORY_BYTES as u64) as i16;
                    writer.push(0x71, register, 8, off, 0);
                }
            } else {
                writer.push(0xbf, 0, 1, 0, 0);
            }
            writer.items(18 - 3 * number, 3);
            // Everything counts.
            for register in 1..6 {
                writer.push(0x27, 0, 0, 0, 31);
                writer.push(0x0f, 0, register, 0, 0);
            }
            writer.push(0x95, 0, 0, 0, 0);
        }
        for (at, callee) in writer.calls {
            writer.code[at].imm = starts[callee] as i32 - at as i32 - 1;
        }
        writer.code
    }

    fn push(&mut self, code: u8, dst: u8, src: u8, off: i16, imm: i32) {
        self.code.push(Insn {
            code,
            dst,
            src,
            off,
            imm,
        });
    }

    fn register(&mut self) -> u8 {
        self.random.below(6) as u8
    }

    fn number(&mut self) -> i32 {
        match self.random.below(9) {
            0 => self.random.below(1 << 32) as i32,
            1..=2 => self
                .random
                .pick(&[-1, i32::MIN, i32::MAX, 0xffff, 0x10000, 255, 256]),
            3 => -(self.random.below(6) as i32),
            4 => self.random.below(40) as i32,
            _ => self.random.below(6) as i32,
        }
    }

    fn items(&mut self, count: usize, depth: u32) {
        for _ in 0..count {
            match self.random.below(24) {
                0..=3 if depth > 0 => self.branch(depth),
                4 if depth > 0 && self.loops < 2 => self.counted_loop(depth),
                5..=8 => self.store(),
                9..=12 => self.load(),
                13 if self.number + 1 < FUNCTIONS => self.call(),
                14..=15 if self.number == 0 => {
                    let (dst, off) = (self.register(), self.random.below(MEMORY_BYTES as u64));
                    self.push(0x71, dst, 8, off as i16, 0);
                }
                16..=18 if depth > 0 => self.clamp(),
                _ => self.alu(),
            }
        }
    }

    fn alu(&mut self) {
        let op = self.random.pick(&[
            0x00, 0x00, 0x10, 0x20, 0x30, 0x40, 0x50, 0x50, 0x60, 0x70, 0x80, 0x90, 0xa0, 0xb0,
            0xc0,
        ]);
        let class = self.random.pick(&[7, 4]);
        let (dst, src) = (self.register(), self.register());
        if op == 0x80 {
            self.push(op | class, dst, 0, 0, 0);
        } else if self.random.below(3) == 0 {
            self.push(op | class | 8, dst, src, 0, 0);
        } else {
            let imm = match op {
                0x60 | 0x70 | 0xc0 => self.random.below(32) as i32,
                0x30 | 0x90 => self.number().max(1),
                _ => self.number(),
            };
            self.push(op | class, dst, 0, 0, imm);
        }
    }

    /// A jump whose distance is set later.
    fn condition(&mut self) -> usize {
        let op = self.random.pick(&[
            0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0xa0, 0xb0, 0xc0, 0xd0,
        ]);
        let class = self.random.pick(&[5, 6]);
        let (dst, src, imm) = (self.register(), self.register(), self.number());
        match self.random.below(4) {
            0 => self.push(op | class | 8, dst, src, 0, 0),
            _ => self.push(op | class, dst, 0, 0, imm),
        }
        self.code.len() - 1
    }

    fn land(&mut self, jump: usize) {
        self.code[jump].off = (self.code.len() - jump - 1) as i16;
    }

    fn branch(&mut self, depth: u32) {
        let condition = self.condition();
        let (first, second) = (self.random.below(4), self.random.below(3));
        self.items(first as usize, depth - 1);
        if second == 0 {
            self.land(condition);
            return;
        }
        self.push(0x05, 0, 0, 0, 0);
        let over = self.code.len() - 1;
        self.land(condition);
        self.items(second as usize, depth - 1);
        self.land(over);
    }

    /// Either leaves the function, or a register has bounds afterwards.
    fn clamp(&mut self) {
        let condition = self.condition();
        if self.random.below(3) == 0 {
            self.push(0x95, 0, 0, 0, 0);
        } else {
            let (dst, imm) = (self.register(), self.number());
            self.push(0xb7, dst, 0, 0, imm);
        }
        self.land(condition);
    }

    /// `for (counter = start; counter < end; counter += step)`, where the end may be a masked register; with a way
    /// out in the middle.
    fn counted_loop(&mut self, depth: u32) {
        let counter = 6 + self.loops;
        self.loops += 1;
        let (start, end) = (self.random.below(4) as i32, 2 + self.random.below(5) as i32);
        let step = 1 + self.random.below(2) as i32;
        let limit = match self.random.below(2) {
            0 => None,
            // The bound lies on the stack, so that nothing in the loop changes it.
            _ => {
                let register = self.register();
                self.push(0x57, register, 0, 0, 7);
                let off = -8 * i16::from(counter) - 16;
                self.push(0x7b, 10, register, off, 0);
                Some(off)
            }
        };
        self.push(0xb7, counter, 0, 0, start);
        let head = self.code.len();
        let leave = match limit {
            None => {
                self.push(0x35, counter, 0, 0, end);
                self.code.len() - 1
            }
            Some(off) => {
                let scratch = self.register();
                self.push(0x79, scratch, 10, off, 0);
                self.push(0x3d, counter, scratch, 0, 0);
                self.code.len() - 1
            }
        };
        let count = self.random.below(4) as usize;
        self.items(count, depth - 1);
        let early = (self.random.below(3) == 0).then(|| self.condition());
        self.push(0x07, counter, 0, 0, step);
        let back = head as i64 - self.code.len() as i64 - 1;
        self.push(0x05, 0, 0, back as i16, 0);
        self.land(leave);
        if let Some(early) = early {
            self.land(early);
        }
        self.loops -= 1;
    }

    fn stack_place(&mut self) -> (u8, i16) {
        let (code, bytes) = self
            .random
            .pick(&[(0x00, 4), (0x08, 2), (0x10, 1), (0x18, 8)]);
        (code, -((1 + self.random.below(4) as i16) * bytes))
    }

    fn store(&mut self) {
        let (size, off) = self.stack_place();
        let (src, imm) = (self.register(), self.number());
        match self.random.below(2) {
            0 => self.push(0x63 | size, 10, src, off, 0),
            _ => self.push(0x62 | size, 10, 0, off, imm),
        }
    }

    fn load(&mut self) {
        let (size, off) = self.stack_place();
        let dst = self.register();
        self.push(0x61 | size, dst, 10, off, 0);
    }

    fn call(&mut self) {
        let callee =
            self.number + 1 + self.random.below((FUNCTIONS - self.number - 1) as u64) as usize;
        self.calls.push((self.code.len(), callee));
        self.push(0x85, 0, 1, 0, 0);
        for register in 1..6 {
            let imm = self.number();
            match self.random.below(2) {
                0 => self.push(0xbf, register, 0, 0, 0),
                _ => self.push(0xb7, register, 0, 0, imm),
            }
        }
    }
}

/// Addresses of the memory and of the stacks, one for each function that is under way.
const MEMORY: u64 = 1 << 40;
const STACK: u64 = 1 << 41;

/// Executes a program as RFC 9669 says.
fn execute(code: &[Insn], memory: &[u8]) -> u64 {
    let mut registers = [0u64; 11];
    registers[1] = MEMORY;
    registers[2] = memory.len() as u64;
    registers[10] = STACK + STACK_BYTES;
    let mut stack = vec![0u8; STACK_BYTES as usize];
    let mut callers: Vec<(usize, [u64; 4])> = Vec::new();
    let mut at = 0;
    loop {
        let insn = code[at];
        at += 1;
        let (dst, src) = (usize::from(insn.dst), usize::from(insn.src));
        let operand = match insn.code & 8 {
            0 => i64::from(insn.imm) as u64,
            _ => registers[src],
        };
        let bytes = [4, 2, 1, 8][usize::from(insn.code >> 3 & 3)];
        match insn.code & 7 {
            4 => {
                registers[dst] = u64::from(alu32(insn.code, registers[dst] as u32, operand as u32))
            }
            7 => registers[dst] = alu64(insn.code, registers[dst], operand),
            1 => {
                let address = registers[src].wrapping_add(insn.off as u64);
                let (from, first) = match address {
                    STACK.. => (&stack[..], address - STACK),
                    _ => (memory, address - MEMORY),
                };
                let mut word = [0; 8];
                word[..bytes].copy_from_slice(&from[first as usize..first as usize + bytes]);
                registers[dst] = u64::from_le_bytes(word);
            }
            2 | 3 => {
                let value = match insn.code & 7 {
                    2 => i64::from(insn.imm) as u64,
                    _ => registers[src],
                };
                let first = (registers[dst].wrapping_add(insn.off as u64) - STACK) as usize;
                stack[first..first + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
            }
            _ if insn.code == 0x85 => {
                callers.push((at, [6, 7, 8, 9].map(|register| registers[register])));
                registers[10] += STACK_BYTES;
                let end = (registers[10] - STACK) as usize;
                stack.resize(end - STACK_BYTES as usize, 0);
                stack.resize(end, 0);
                at = (at as i64 + i64::from(insn.imm)) as usize;
            }
            _ if insn.code == 0x95 => {
                let Some((back, saved)) = callers.pop() else {
                    return registers[0];
                };
                at = back;
                registers[6..10].copy_from_slice(&saved);
                registers[10] -= STACK_BYTES;
                stack.truncate((registers[10] - STACK) as usize);
            }
            class => {
                let holds = match class {
                    6 => holds(
                        insn.code,
                        u64::from(registers[dst] as u32),
                        u64::from(operand as u32),
                        (registers[dst] as i32).into(),
                        (operand as i32).into(),
                    ),
                    _ => {
                        let (a, b) = (registers[dst], operand);
                        holds(insn.code, a, b, a as i64, b as i64)
                    }
                };
                if holds {
                    at = (at as i64 + i64::from(insn.off)) as usize;
                }
            }
        }
    }
}

fn alu64(code: u8, a: u64, b: u64) -> u64 {
    match code & 0xf0 {
        0x00 => a.wrapping_add(b),
        0x10 => a.wrapping_sub(b),
        0x20 => a.wrapping_mul(b),
        0x30 => a.checked_div(b).unwrap_or(0),
        0x40 => a | b,
        0x50 => a & b,
        0x60 => a << (b & 63),
        0x70 => a >> (b & 63),
        0x80 => a.wrapping_neg(),
        0x90 => a.checked_rem(b).unwrap_or(a),
        0xa0 => a ^ b,
        0xb0 => b,
        _ => (a as i64 >> (b & 63)) as u64,
    }
}

fn alu32(code: u8, a: u32, b: u32) -> u32 {
    match code & 0xf0 {
        0x60 => a << (b & 31),
        0x70 => a >> (b & 31),
        0xc0 => (a as i32 >> (b & 31)) as u32,
        _ => alu64(code, u64::from(a), u64::from(b)) as u32,
    }
}

fn holds(code: u8, a: u64, b: u64, signed_a: i64, signed_b: i64) -> bool {
    match code & 0xf0 {
        0x00 => true,
        0x10 => a == b,
        0x20 => a > b,
        0x30 => a >= b,
        0x40 => a & b != 0,
        0x50 => a != b,
        0x60 => signed_a > signed_b,
        0x70 => signed_a >= signed_b,
        0xa0 => a < b,
        0xb0 => a <= b,
        0xc0 => signed_a < signed_b,
        _ => signed_a <= signed_b,
    }
}

type Lift = fn(&[u8], &str) -> Result<Program, Vec<Diagnostic>>;

/// Lifts random programs and runs them; gives how many are too large, and how many have loops.
fn check(lift: Lift, count: u64) -> (u64, u64) {
    let (mut refused, mut with_loops) = (0, 0);
    for seed in 1..=count {
        let code = Writer::program(seed);
        let bytes: Vec<u8> = code.iter().flat_map(|insn| insn.to_bytes()).collect();
        let program = match lift(&bytes, "random") {
            Ok(program) => program,
            Err(diagnostics) => {
                let is_size = |code| matches!(code, "loop" | "program-too-large");
                assert!(
                    diagnostics.iter().all(|one| is_size(one.code)),
                    "{seed}: {diagnostics:?}"
                );
                refused += 1;
                continue;
            }
        };
        verify(&program).unwrap_or_else(|errors| panic!("{seed}: {errors:?}\n{program}"));
        let mut blocks = program.all_blocks();
        with_loops += u64::from(blocks.any(|block| program.blocks[block].bound.is_some()));
        let mut prepared = Prepared::new(&program);
        let mut maps = Maps::new(&program.maps);
        let mut random = Random(seed);
        for number in 0..40 {
            let largest = [256, 4, 8, 2][number % 4];
            let memory: Vec<u8> = (0..MEMORY_BYTES)
                .map(|_| random.below(largest) as u8)
                .collect();
            let outcome = prepared.run(&mut maps, &memory, &Sideband::default());
            assert_eq!(
                outcome.first_output(),
                execute(&code, &memory),
                "seed {seed}, {memory:02x?}"
            );
        }
    }
    (refused, with_loops)
}

fn count() -> u64 {
    std::env::var("HARDPATH_RANDOM_PROGRAMS").map_or(1000, |text| text.parse().unwrap())
}

#[test]
fn random_programs() {
    let (refused, _) = check(lift_raw, count());
    println!("{refused} too large");
    assert!(refused * 5 < count(), "{refused}");
}

/// The same with loops that stay loops.
#[test]
fn random_programs_with_loops() {
    let (refused, with_loops) = check(lift_raw_structured, count());
    println!("{with_loops} with loops, {refused} too large");
    assert!(with_loops * 3 > count(), "{with_loops}");
    assert!(refused * 50 < count(), "{refused}");
}

//! Numbers and widths of arguments and results, for every operation (rule 11).

use crate::structure::{Whole, LENGTH_BITS, SEED_BITS};
use crate::{Answer, AtomicOp, Input, InstData, May, Op, Program};

/// What is wrong with an instruction's arguments and results.
pub(super) fn errors(program: &Program, inst: &InstData) -> Vec<String> {
    let args: Vec<u32> = inst.args.iter().map(|arg| program.width(*arg)).collect();
    let results: Vec<u32> = inst.results.iter().map(|r| program.width(*r)).collect();
    let mut errors = Vec::new();
    let (arg_count, result_count) = counts(program, &inst.op);
    match arg_count {
        Some(count) if args.len() != count => {
            errors.push(format!("there are {} arguments, not {count}", args.len()));
        }
        None if args.is_empty() => errors.push(String::from("there is no argument")),
        _ => {}
    }
    if results.len() != result_count {
        errors.push(format!(
            "there are {} results, not {result_count}",
            results.len()
        ));
    }
    // Widths can only be looked at when everything is there.
    if errors.is_empty() {
        let mut widths = Widths { errors };
        widths.check(program, &inst.op, &args, &results);
        errors = widths.errors;
    }
    errors
}

/// Number of arguments (`None`: one or more) and of results.
fn counts(program: &Program, op: &Op) -> (Option<usize>, usize) {
    match op {
        Op::Const(_) | Op::Input(_) => (Some(0), 1),
        Op::Not | Op::Slice { .. } | Op::ZExt | Op::SExt => (Some(1), 1),
        Op::Add | Op::Sub | Op::Mul | Op::UDiv | Op::URem | Op::SDiv | Op::SRem => (Some(2), 1),
        Op::And | Op::Or | Op::Xor | Op::Shl | Op::LShr | Op::AShr => (Some(2), 1),
        Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::Slt | Op::Sle => (Some(2), 1),
        Op::Select => (Some(3), 1),
        Op::Concat => (None, 1),
        Op::StackLoad | Op::PacketLoad => (Some(1), 1),
        Op::StackStore | Op::PacketStore => (Some(2), 0),
        Op::PacketClear => (Some(1), 0),
        Op::MapLookup(_) => (Some(1), 2),
        Op::MapLoad(_) => (Some(2), 1),
        Op::MapStore(_) => (Some(3), 0),
        Op::MapAtomic(_, AtomicOp::CmpXchg) => (Some(4), 1),
        Op::MapAtomic(..) | Op::MapUpdate(_) => (Some(3), 1),
        Op::MapDelete(_) => (Some(1), 1),
        Op::Call(function) => {
            let results = program.functions[*function].results.len();
            (Some(program.parameters(*function).len()), results)
        }
        Op::Whole(Whole::Checksum { .. }) => (Some(3), 1),
        Op::Whole(Whole::Copy { .. }) => (Some(3), 0),
    }
}

struct Widths {
    errors: Vec<String>,
}

impl Widths {
    fn check(&mut self, program: &Program, op: &Op, args: &[u32], results: &[u32]) {
        let result = results.first().copied().unwrap_or(0);
        match op {
            Op::Const(bits) => self.same("the constant", bits.width(), result),
            Op::Input(input) => {
                self.same("the result", result, input.width());
                let is_known = match input {
                    Input::Own { lo, width } => program.own_input_name(*lo, *width).is_some(),
                    _ => true,
                };
                if !is_known {
                    self.errors
                        .push("the program declares no such input".into());
                }
            }
            Op::Add | Op::Sub | Op::Mul | Op::UDiv | Op::URem | Op::SDiv | Op::SRem => {
                self.all(args, result);
            }
            Op::And | Op::Or | Op::Xor | Op::Not => self.all(args, result),
            Op::Shl | Op::LShr | Op::AShr => self.same("argument 1", args[0], result),
            Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::Slt | Op::Sle => {
                self.same("argument 2", args[1], args[0]);
                self.same("the result", result, 1);
            }
            Op::Select => {
                self.same("argument 1", args[0], 1);
                self.same("argument 2", args[1], result);
                self.same("argument 3", args[2], result);
            }
            Op::Slice { lo } => {
                if u64::from(*lo) + u64::from(result) > u64::from(args[0]) {
                    self.errors.push(format!(
                        "bits {lo} to {} are not all inside the argument, which has {}",
                        u64::from(*lo) + u64::from(result) - 1,
                        args[0]
                    ));
                }
            }
            Op::Concat => {
                let total: u64 = args.iter().map(|width| u64::from(*width)).sum();
                if total != u64::from(result) {
                    self.errors.push(format!(
                        "the arguments have {total} bits together, the result {result}"
                    ));
                }
            }
            Op::ZExt | Op::SExt => {
                if result < args[0] {
                    self.errors.push(format!(
                        "the result has {result} bits, fewer than the argument's {}",
                        args[0]
                    ));
                }
            }
            Op::StackLoad | Op::PacketLoad => {
                self.same("the offset", args[0], 64);
                self.bytes("the result", result);
            }
            Op::PacketClear => self.same("the offset", args[0], 64),
            Op::StackStore | Op::PacketStore => {
                self.same("the offset", args[0], 64);
                self.bytes("the value", args[1]);
            }
            Op::MapLookup(map) => {
                self.whole("the key", args[0], program.maps[*map].key_bytes);
                self.same("the hit", results[0], 1);
                self.same("the entry", results[1], 32);
            }
            Op::MapLoad(_) => {
                self.entry(args);
                self.bytes("the result", result);
            }
            Op::MapStore(_) => {
                self.entry(args);
                self.bytes("the value", args[2]);
            }
            Op::MapAtomic(..) => {
                self.entry(args);
                if !matches!(result, 32 | 64) {
                    self.errors.push(format!(
                        "an atomic has 32 or 64 bits (RFC 9669 section 5.3), not {result}"
                    ));
                }
                for width in &args[2..] {
                    self.same("the operand", *width, result);
                }
            }
            Op::MapUpdate(map) => {
                self.whole("the key", args[0], program.maps[*map].key_bytes);
                self.whole("the value", args[1], program.maps[*map].value_bytes);
                self.same("what it may do", args[2], May::BITS);
                self.same("the answer", result, Answer::BITS);
            }
            Op::MapDelete(map) => {
                self.whole("the key", args[0], program.maps[*map].key_bytes);
                self.same("the answer", result, Answer::BITS);
            }
            // Rule 14 of the verifier.
            Op::Call(_) => {}
            Op::Whole(Whole::Checksum { .. }) => {
                self.same("the offset", args[0], 64);
                self.same("the length", args[1], LENGTH_BITS);
                self.same("the seed", args[2], SEED_BITS);
                self.same("the result", result, 16);
            }
            Op::Whole(Whole::Copy { .. }) => {
                self.same("the offset it reads at", args[0], 64);
                self.same("the offset it writes at", args[1], 64);
                self.same("the length", args[2], LENGTH_BITS);
            }
        }
    }

    fn same(&mut self, what: &str, width: u32, expected: u32) {
        if width != expected {
            self.errors
                .push(format!("{what} has a width of {width}, not of {expected}"));
        }
    }

    fn all(&mut self, args: &[u32], expected: u32) {
        for (index, width) in args.iter().enumerate() {
            self.same(&format!("argument {}", index + 1), *width, expected);
        }
    }

    /// A key or value of a map, as a whole.
    fn whole(&mut self, what: &str, width: u32, bytes: u32) {
        if u64::from(width) != u64::from(bytes) * 8 {
            self.errors.push(format!(
                "{what} has a width of {width}, the map's has {bytes} bytes"
            ));
        }
    }

    fn bytes(&mut self, what: &str, width: u32) {
        if !width.is_multiple_of(8) {
            self.errors
                .push(format!("{what} has {width} bits, which are no whole bytes"));
        }
    }

    fn entry(&mut self, args: &[u32]) {
        self.same("the entry", args[0], 32);
        self.same("the offset", args[1], 32);
    }
}

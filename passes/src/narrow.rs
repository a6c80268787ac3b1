//! Widths that matter: every operation runs on the bits that are neither known nor ignored.
//!
//! ```text
//! v2 = zext v0 : 64   (16 bits)          v4 = zext v0 : 17
//! v3 = zext v1 : 64   (16 bits)    →     v5 = zext v1 : 17
//! v6 = add v2, v3     (64 bits)          v7 = add v4, v5
//!                                        v6 = zext v7 : 64
//! ```
//!
//! [`crate::facts`] tells which bits of a result are known, [`crate::demanded`] which are looked at. What is left
//! lies between a lowest and a highest bit; logic, selects and parameters are cut at both, sums and products at the
//! top (carries only go up). Known bits around are constants, ignored bits become zeros. Compares, divisions and
//! shifts to the right are cut where all arguments are known to be zeros. Registers follow: the 64 bits of the
//! instruction set are an accident.
//!
//! Facts of a *result* may replace its demanded bits, and facts of an *argument* count only where all its bits are
//! demanded; so all values can change in one walk.

use crate::demanded::demanded_bits;
use crate::facts::{bit_length, mask, FactMap, Facts, MOST_BITS};
use crate::pieces::{self, Piece};
use crate::rewrite::{rewrite, targets_mut, Rewriter, Rules, Visitor};
use cranelift_entity::SecondaryMap;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Bits, Block, Inst, InstData, Op, Program, Terminator, Value, ValueDef};

pub fn run(program: &mut Program) -> Result<bool, Diagnostic> {
    let facts = FactMap::new(program);
    let demanded = demanded_bits(program);
    let mut narrowing = Narrowing {
        insts: SecondaryMap::new(),
        params: SecondaryMap::new(),
        narrowed: Vec::new(),
    };
    for (_, inst) in program.insts_in_order() {
        let data = &program.insts[inst];
        if data.op.is_pure() {
            let bits = demanded[data.results[0]];
            narrowing.insts[inst] = decide(program, &facts, data, bits);
        }
    }
    for &block in &program.order {
        for &param in &program.blocks[block].params {
            if let Some(known) = facts.get(param) {
                narrowing.params[param] = Window::new(known, demanded[param]);
            }
        }
    }
    Ok(rewrite(program, Rules::Fold, &mut narrowing))
}

/// The bits of a value that must be computed, and the constants around them.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Window {
    width: u32,
    lo: u32,
    /// One above the highest bit; the same as `lo` when nothing must be computed.
    hi: u32,
    /// What the bits outside are.
    outside: u128,
}

impl Window {
    /// `None` when the window is the whole value.
    fn new(facts: Facts, demanded: u128) -> Option<Window> {
        let unknown = demanded & !facts.known() & mask(facts.width);
        let (lo, hi) = match unknown {
            0 => (0, 0),
            _ => (unknown.trailing_zeros(), bit_length(unknown)),
        };
        (hi - lo < facts.width).then_some(Window {
            width: facts.width,
            lo,
            hi,
            outside: facts.ones & demanded,
        })
    }

    /// The whole value, from what has been computed for the window.
    fn widen(&self, rewriter: &mut Rewriter, inside: Option<Value>) -> Value {
        let constant = |lo: u32, hi: u32| {
            let part = self.outside >> lo;
            let bits = Bits::from_limbs(&[part as u64, (part >> 64) as u64], hi - lo);
            Piece::Const(bits)
        };
        let mut all = Vec::new();
        if self.lo > 0 {
            pieces::push(&mut all, constant(0, self.lo));
        }
        if let Some(value) = inside {
            for piece in pieces::pieces_of(rewriter.program, value) {
                pieces::push(&mut all, piece);
            }
        }
        if self.hi < self.width {
            pieces::push(&mut all, constant(self.hi, self.width));
        }
        pieces::assemble(rewriter, &all)
    }
}

/// What to do with an instruction.
#[derive(Clone, PartialEq)]
enum Decision {
    /// Compute only the window, with arguments cut to it.
    Cut(Window),
    /// The same, but carries come from below: cut at the top only.
    CutTop(Window),
    /// Do this operation on the low bits of the arguments, and extend the result with zeros.
    Operands { op: Op, width: u32 },
    /// Put constants in the place of these arguments of a concatenation.
    Parts(Vec<Option<Bits>>),
}

struct Narrowing {
    insts: SecondaryMap<Inst, Option<Decision>>,
    params: SecondaryMap<Value, Option<Window>>,
    /// Parameters of the block at hand, and what they have become.
    narrowed: Vec<(Value, Window, Option<Value>)>,
}

fn decide(program: &Program, facts: &FactMap, inst: &InstData, demanded: u128) -> Option<Decision> {
    if matches!(inst.op, Op::Const(_)) || demanded == 0 {
        return None;
    }
    let width = program.width(inst.results[0]);
    let window = facts
        .get(inst.results[0])
        .and_then(|known| Window::new(known, demanded));
    if let Some(window) = window.filter(|window| window.lo == window.hi) {
        return Some(Decision::Cut(window));
    }
    match inst.op {
        Op::And | Op::Or | Op::Xor | Op::Not | Op::Select | Op::Slice { .. } => {
            return window.map(Decision::Cut)
        }
        Op::Add | Op::Sub | Op::Mul | Op::Shl => {
            return window
                .filter(|window| window.hi < width)
                .map(Decision::CutTop)
        }
        Op::SExt => {
            let inner = program.width(inst.args[0]);
            let sign = facts.get(inst.args[0]).and_then(|known| known.sign());
            let zeros_do = demanded & !mask(inner) == 0 && width <= MOST_BITS;
            return (sign == Some(false) || zeros_do).then_some(Decision::Operands {
                op: Op::ZExt,
                width: inner,
            });
        }
        Op::Concat => {
            let known = facts.get(inst.results[0])?;
            return decided_parts(program, inst, known, demanded);
        }
        _ => {}
    }
    let first = facts.get(*inst.args.first()?)?;
    let second = facts.get(*inst.args.get(1)?)?;
    let full = first.width;
    let signs_agree = first.sign().is_some() && first.sign() == second.sign();
    let both_positive = first.sign() == Some(false) && signs_agree;
    let needed = bit_length(first.max | second.max).max(1);
    let (op, needed) = match inst.op {
        Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::UDiv | Op::URem => (inst.op.clone(), needed),
        Op::Slt if signs_agree => (Op::Ult, needed),
        Op::Sle if signs_agree => (Op::Ule, needed),
        Op::SDiv if both_positive => (Op::UDiv, needed),
        Op::SRem if both_positive => (Op::URem, needed),
        Op::LShr => (Op::LShr, bit_length(first.max).max(1)),
        Op::AShr if first.sign() == Some(false) => (Op::LShr, bit_length(first.max).max(1)),
        _ => return None,
    };
    (needed < full || op != inst.op).then_some(Decision::Operands { op, width: needed })
}

/// Arguments of a concatenation whose bits are all known or ignored.
fn decided_parts(
    program: &Program,
    inst: &InstData,
    known: Facts,
    demanded: u128,
) -> Option<Decision> {
    let mut lo = 0;
    let mut parts: Vec<Option<Bits>> = Vec::with_capacity(inst.args.len());
    for &arg in inst.args.iter().rev() {
        let width = program.width(arg);
        let open = demanded & !known.known() & (mask(width) << lo);
        let decided = open == 0 && program.as_const(arg).is_none();
        parts.push(decided.then(|| {
            let part = (known.ones & demanded) >> lo;
            Bits::from_limbs(&[part as u64, (part >> 64) as u64], width)
        }));
        lo += width;
    }
    parts.reverse();
    let any = parts.iter().any(Option::is_some);
    any.then_some(Decision::Parts(parts))
}

impl Visitor for Narrowing {
    // The old parameter goes, a narrow one takes its place. The predecessors came first and give it narrow arguments
    // already (see `leave_block`).
    fn change_params(&mut self, rewriter: &mut Rewriter, block: Block) {
        let params = rewriter.program.blocks[block].params.clone();
        let mut kept = Vec::with_capacity(params.len());
        for param in params {
            let Some(window) = self.params[param] else {
                kept.push(param);
                continue;
            };
            let inside = (window.hi > window.lo).then(|| {
                let name = rewriter.program.values[param].name.clone();
                let narrow = rewriter.program.add_param(block, window.hi - window.lo);
                rewriter.program.values[narrow].name = name;
                kept.push(narrow);
                narrow
            });
            self.narrowed.push((param, window, inside));
        }
        for (index, &param) in kept.iter().enumerate() {
            rewriter.program.values[param].def = ValueDef::Param(block, index as u32);
        }
        rewriter.program.blocks[block].params = kept;
    }

    fn enter_block(&mut self, rewriter: &mut Rewriter, _block: Block) {
        for (param, window, inside) in std::mem::take(&mut self.narrowed) {
            let inside = inside.map(|value| rewriter.resolve(value));
            let whole = window.widen(rewriter, inside);
            rewriter.replace(param, whole);
        }
    }

    fn visit(&mut self, rewriter: &mut Rewriter, inst: Inst) -> bool {
        let Some(decision) = self.insts[inst].take() else {
            return false;
        };
        let InstData {
            op, args, results, ..
        } = rewriter.program.insts[inst].clone();
        let width = rewriter.width(results[0]);
        let value = match decision {
            Decision::Cut(window) => {
                let inside = (window.hi > window.lo)
                    .then(|| cut_inst(rewriter, &op, &args, window.lo, window.hi - window.lo));
                window.widen(rewriter, inside)
            }
            Decision::CutTop(window) => {
                let inside = cut_inst(rewriter, &op, &args, 0, window.hi);
                Window { lo: 0, ..window }.widen(rewriter, Some(inside))
            }
            Decision::Parts(parts) => {
                let mut args = args;
                for (arg, bits) in args.iter_mut().zip(parts) {
                    if let Some(bits) = bits {
                        *arg = rewriter.constant(bits);
                    }
                }
                rewriter.build(Op::Concat, args, width)
            }
            Decision::Operands { op, width: needed } => {
                let shift = op == Op::LShr;
                let args = args
                    .iter()
                    .enumerate()
                    .map(|(index, &arg)| match index {
                        1 if shift => arg,
                        _ => rewriter.slice(arg, 0, needed),
                    })
                    .collect();
                let compare = matches!(op, Op::Eq | Op::Ne | Op::Ult | Op::Ule);
                if compare {
                    rewriter.build(op, args, 1)
                } else if op == Op::ZExt {
                    rewriter.build(op, args, width)
                } else {
                    let narrow = rewriter.build(op, args, needed);
                    rewriter.resize(narrow, width)
                }
            }
        };
        rewriter.replace(results[0], value);
        true
    }

    fn leave_block(&mut self, rewriter: &mut Rewriter, block: Block) {
        let mut terminator = std::mem::replace(
            &mut rewriter.program.blocks[block].terminator,
            Terminator::None,
        );
        for target in targets_mut(&mut terminator) {
            let params = rewriter.program.blocks[target.block].params.clone();
            let given = std::mem::take(&mut target.args);
            for (param, arg) in params.into_iter().zip(given) {
                match self.params[param] {
                    None => target.args.push(arg),
                    Some(window) if window.hi == window.lo => {}
                    Some(window) => {
                        let inside = rewriter.slice(arg, window.lo, window.hi - window.lo);
                        target.args.push(inside);
                    }
                }
            }
        }
        rewriter.program.blocks[block].terminator = terminator;
    }
}

/// The operation on bits `lo + width − 1 .. lo`.
fn cut_inst(rewriter: &mut Rewriter, op: &Op, args: &[Value], lo: u32, width: u32) -> Value {
    match op {
        Op::Slice { lo: from } => rewriter.slice(args[0], from + lo, width),
        Op::Select => {
            let yes = rewriter.slice(args[1], lo, width);
            let no = rewriter.slice(args[2], lo, width);
            rewriter.select(args[0], yes, no)
        }
        Op::Shl => {
            let value = rewriter.slice(args[0], lo, width);
            rewriter.build(Op::Shl, vec![value, args[1]], width)
        }
        _ => {
            let args = args
                .iter()
                .map(|&arg| rewriter.slice(arg, lo, width))
                .collect();
            rewriter.build(op.clone(), args, width)
        }
    }
}

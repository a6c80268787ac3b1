//! A value seen as wiring: constants and parts of other values side by side.
//!
//! Slices, concatenations and extensions with zeros cost nothing in hardware. [`pieces_of`] looks through them,
//! [`assemble`] makes them again in one canonical form, so that two ways to wire the same bits become the same
//! value:
//!
//! * no concatenation inside a concatenation, no slice of a slice;
//! * neighbouring parts of one value are one part, neighbouring constants one constant;
//! * zeros at the top are a `ZExt`.
//!
//! Pieces are listed from the least significant one up.

use crate::rewrite::Rewriter;
use hardpath_ir::{Bits, Op, Program, Value};

/// A run of bits with one origin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    Const(Bits),
    /// Bits `lo + width − 1 .. lo` of a value.
    Part {
        value: Value,
        lo: u32,
        width: u32,
    },
}

impl Piece {
    pub fn width(&self) -> u32 {
        match self {
            Piece::Const(bits) => bits.width(),
            Piece::Part { width, .. } => *width,
        }
    }

    pub fn as_const(&self) -> Option<&Bits> {
        match self {
            Piece::Const(bits) => Some(bits),
            Piece::Part { .. } => None,
        }
    }

    pub fn is_zero(&self) -> bool {
        self.as_const().is_some_and(Bits::is_zero)
    }

    pub fn is_ones(&self) -> bool {
        self.as_const().is_some_and(Bits::is_ones)
    }

    /// Bits `from + width − 1 .. from` of the piece.
    pub fn cut(&self, from: u32, width: u32) -> Piece {
        match self {
            Piece::Const(bits) => Piece::Const(bits.slice(from, width)),
            Piece::Part { value, lo, .. } => Piece::Part {
                value: *value,
                lo: lo + from,
                width,
            },
        }
    }
}

/// What a value is made of.
pub fn pieces_of(program: &Program, value: Value) -> Vec<Piece> {
    pieces_of_range(program, value, 0, program.width(value))
}

/// What bits `lo + width − 1 .. lo` of a value are made of.
pub fn pieces_of_range(program: &Program, value: Value, lo: u32, width: u32) -> Vec<Piece> {
    let mut pieces = Vec::new();
    collect(program, value, lo, width, &mut pieces);
    pieces
}

fn collect(program: &Program, value: Value, lo: u32, width: u32, out: &mut Vec<Piece>) {
    if let Some(inst) = program.def_inst(value) {
        match &inst.op {
            Op::Const(bits) => {
                push(out, Piece::Const(bits.slice(lo, width)));
                return;
            }
            Op::Slice { lo: below } => {
                collect(program, inst.args[0], lo + below, width, out);
                return;
            }
            Op::ZExt => {
                let inner = program.width(inst.args[0]);
                let from_inner = inner.saturating_sub(lo).min(width);
                if from_inner > 0 {
                    collect(program, inst.args[0], lo, from_inner, out);
                }
                if width > from_inner {
                    push(out, Piece::Const(Bits::zero(width - from_inner)));
                }
                return;
            }
            Op::Concat => {
                let (mut lo, mut width) = (lo, width);
                for &part in inst.args.iter().rev() {
                    let part_width = program.width(part);
                    if lo >= part_width {
                        lo -= part_width;
                        continue;
                    }
                    let taken = (part_width - lo).min(width);
                    collect(program, part, lo, taken, out);
                    lo = 0;
                    width -= taken;
                    if width == 0 {
                        return;
                    }
                }
                return;
            }
            Op::SExt if lo + width <= program.width(inst.args[0]) => {
                collect(program, inst.args[0], lo, width, out);
                return;
            }
            _ => {}
        }
    }
    push(out, Piece::Part { value, lo, width });
}

/// Appends a piece above the others, joining it with the last one where they continue each other.
pub fn push(pieces: &mut Vec<Piece>, piece: Piece) {
    match (pieces.last_mut(), &piece) {
        (Some(Piece::Const(low)), Piece::Const(high)) => {
            *low = Bits::concat(&[high.clone(), low.clone()]);
        }
        (
            Some(Piece::Part { value, lo, width }),
            Piece::Part {
                value: next,
                lo: next_lo,
                width: next_width,
            },
        ) if *value == *next && *lo + *width == *next_lo => *width += next_width,
        _ => pieces.push(piece),
    }
}

/// Bits `lo + width − 1 .. lo` of a list of pieces.
pub fn cut(pieces: &[Piece], lo: u32, width: u32) -> Vec<Piece> {
    let mut out = Vec::new();
    let (mut lo, mut width) = (lo, width);
    for piece in pieces {
        if width == 0 {
            break;
        }
        if lo >= piece.width() {
            lo -= piece.width();
            continue;
        }
        let taken = (piece.width() - lo).min(width);
        push(&mut out, piece.cut(lo, taken));
        lo = 0;
        width -= taken;
    }
    out
}

/// Two lists of the same total width, cut where either has a boundary.
pub fn align(a: &[Piece], b: &[Piece]) -> Vec<(Piece, Piece)> {
    let mut out = Vec::new();
    let (mut i, mut j, mut in_a, mut in_b) = (0, 0, 0, 0);
    while i < a.len() && j < b.len() {
        let width = (a[i].width() - in_a).min(b[j].width() - in_b);
        out.push((a[i].cut(in_a, width), b[j].cut(in_b, width)));
        in_a += width;
        in_b += width;
        if in_a == a[i].width() {
            (i, in_a) = (i + 1, 0);
        }
        if in_b == b[j].width() {
            (j, in_b) = (j + 1, 0);
        }
    }
    out
}

/// Cuts constants into runs of equal bits, unless that makes more than `most` pieces.
pub fn split_constant_runs(pieces: &[Piece], most: usize) -> Vec<Piece> {
    let mut out = Vec::new();
    for piece in pieces {
        let Piece::Const(bits) = piece else {
            out.push(piece.clone());
            continue;
        };
        let mut start = 0;
        for end in 1..=bits.width() {
            if end == bits.width() || bits.bit(end) != bits.bit(start) {
                out.push(piece.cut(start, end - start));
                start = end;
            }
        }
        if out.len() > most {
            return pieces.to_vec();
        }
    }
    out
}

/// How the last step of putting pieces together is made.
pub enum Form {
    Value(Value),
    Inst(Op, Vec<Value>),
}

/// The canonical form of pieces; everything but its last step is built.
pub fn plan(rewriter: &mut Rewriter, pieces: &[Piece]) -> Form {
    let mut flat: Vec<Piece> = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Part { value, lo, width }
                if *lo != 0 || *width != rewriter.program.width(*value) =>
            {
                // Slicing may go through the operation below and give wiring again.
                let part = rewriter.slice(*value, *lo, *width);
                for inner in pieces_of(rewriter.program, part) {
                    push(&mut flat, inner);
                }
            }
            _ => push(&mut flat, piece.clone()),
        }
    }
    let width: u32 = flat.iter().map(Piece::width).sum();
    if let [Piece::Const(bits)] = &flat[..] {
        return Form::Value(rewriter.constant(bits.clone()));
    }
    if let Some(Piece::Const(top)) = flat.last() {
        let zeros = top.leading_zeros();
        if zeros > 0 {
            let below = cut(&flat, 0, width - zeros);
            let inner = assemble_flat(rewriter, &below);
            return Form::Inst(Op::ZExt, vec![inner]);
        }
    }
    plan_flat(rewriter, &flat)
}

/// The value that pieces make.
pub fn assemble(rewriter: &mut Rewriter, pieces: &[Piece]) -> Value {
    let width: u32 = pieces.iter().map(Piece::width).sum();
    match plan(rewriter, pieces) {
        Form::Value(value) => value,
        Form::Inst(op, args) => rewriter.build_plain(op, args, width),
    }
}

fn assemble_flat(rewriter: &mut Rewriter, flat: &[Piece]) -> Value {
    let width: u32 = flat.iter().map(Piece::width).sum();
    match plan_flat(rewriter, flat) {
        Form::Value(value) => value,
        Form::Inst(op, args) => rewriter.build_plain(op, args, width),
    }
}

fn plan_flat(rewriter: &mut Rewriter, flat: &[Piece]) -> Form {
    let mut parts = Vec::with_capacity(flat.len());
    for piece in flat.iter().rev() {
        match piece {
            Piece::Const(bits) => parts.push(Form::Value(rewriter.constant(bits.clone()))),
            Piece::Part { value, lo, width } => {
                if *lo == 0 && *width == rewriter.program.width(*value) {
                    parts.push(Form::Value(*value));
                } else {
                    parts.push(Form::Inst(Op::Slice { lo: *lo }, vec![*value]));
                }
            }
        }
    }
    if parts.len() == 1 {
        return parts.remove(0);
    }
    let mut args = Vec::with_capacity(parts.len());
    for (part, piece) in parts.into_iter().zip(flat.iter().rev()) {
        args.push(match part {
            Form::Value(value) => value,
            Form::Inst(op, args) => rewriter.build_plain(op, args, piece.width()),
        });
    }
    Form::Inst(Op::Concat, args)
}

//! Makes IR instructions; what is constant is computed at once.

use std::collections::HashMap;

use hardpath_ir::eval::eval_pure;
use hardpath_ir::{Bits, Block, Input, Inst, MapDecl, MapId, Op, Place, PlaceId, Program, Value};

use super::facts::Facts;
use super::range::{mask, Range};
use super::state::Operand;

/// A program that grows at the end of one block.
pub struct Builder {
    pub program: Program,
    /// Where instructions go.
    pub block: Block,
    /// What branches on the way to that block say.
    pub facts: Facts,
    /// Bounds of values, from how they are computed.
    pub known_bounds: HashMap<Value, Range>,
    /// The same without what branches say.
    pub made_bounds: HashMap<Value, Range>,
    entry: Block,
    /// Where the next instructions come from.
    source: Option<Source>,
    /// The places that instructions have, by program and slot.
    places: HashMap<(usize, u32), PlaceId>,
    constants: HashMap<(Block, u32, u64), Value>,
    inputs: HashMap<Input, Value>,
    original_length: Option<Value>,
}

/// Where instructions come from.
enum Source {
    Known(PlaceId),
    /// No instruction has come from there yet: the number of the program, and the place in it.
    New(usize, Place),
}

impl Builder {
    /// A builder at the beginning of a program's entry block.
    pub fn new(name: &str) -> Builder {
        let mut program = Program::new(name);
        let entry = program.add_block();
        Builder {
            program,
            block: entry,
            facts: Facts::default(),
            known_bounds: HashMap::new(),
            made_bounds: HashMap::new(),
            entry,
            source: None,
            places: HashMap::new(),
            constants: HashMap::new(),
            inputs: HashMap::new(),
            original_length: None,
        }
    }

    pub fn entry(&self) -> Block {
        self.entry
    }

    pub fn add_map(&mut self, decl: MapDecl) -> MapId {
        self.program.maps.push(decl)
    }

    /// Says where the next instructions come from: a program, by number, and a place in it.
    pub fn set_place(&mut self, code: usize, slot: u32, place: Option<&Place>) {
        self.source = Some(match self.places.get(&(code, slot)) {
            Some(known) => Source::Known(*known),
            None => Source::New(
                code,
                Place {
                    slot,
                    ..place.cloned().unwrap_or_default()
                },
            ),
        });
    }

    /// The number of that place.
    pub fn place(&mut self) -> Option<PlaceId> {
        let id = match self.source.take()? {
            Source::Known(id) => id,
            Source::New(code, place) => {
                let slot = place.slot;
                let id = self.program.places.push(place);
                self.places.insert((code, slot), id);
                id
            }
        };
        self.source = Some(Source::Known(id));
        Some(id)
    }

    /// Names what an operand stands for, unless it has a name.
    pub fn name(&mut self, operand: Operand, name: &str) {
        if let Operand::Value(value) = operand {
            if self.program.values[value].name.is_none() {
                self.program.name_value(value, name);
            }
        }
    }

    /// The operand as a value that the current block can use.
    pub fn value(&mut self, operand: Operand, width: u32) -> Value {
        self.value_in(self.block, operand, width)
    }

    /// The operand as a value that the end of a block can use.
    pub fn value_in(&mut self, block: Block, operand: Operand, width: u32) -> Value {
        match operand {
            Operand::Value(value) => value,
            Operand::Const(bits) => {
                let program = &mut self.program;
                *self
                    .constants
                    .entry((block, width, bits))
                    .or_insert_with(|| program.append_const(block, Bits::from_u64(bits, width)))
            }
        }
    }

    /// A constant of any width.
    pub fn wide_constant(&mut self, bits: Bits) -> Value {
        let width = bits.width();
        let place = self.place();
        self.program
            .append1(self.block, Op::Const(bits), Vec::new(), width, place)
    }

    /// Something that enters with the packet, in its own width. It is read once, in the entry block.
    pub fn input(&mut self, input: Input) -> Operand {
        let (program, entry) = (&mut self.program, self.entry);
        let value = *self.inputs.entry(input).or_insert_with(|| {
            let value = program.append1(entry, Op::Input(input), Vec::new(), input.width(), None);
            let name = match input {
                Input::Length => "packet_length",
                Input::Ingress => "ingress_ifindex",
                Input::Queue => "rx_queue_index",
                Input::Egress => "egress_ifindex",
                Input::Time => "time_ns",
                Input::Random => "random",
                Input::Sum => "packet_sum",
                Input::Own { .. } => "own",
            };
            program.name_value(value, name);
            value
        });
        Operand::Value(value)
    }

    /// The packet's length in 64 bits.
    pub fn packet_length(&mut self) -> Operand {
        let length = self.input(Input::Length);
        self.zext(length, Input::Length.width(), 64)
    }

    /// The packet's length in 64 bits, as a value that every block can use.
    pub fn original_length(&mut self) -> Operand {
        if let Some(length) = self.original_length {
            return Operand::Value(length);
        }
        let length = self.input(Input::Length);
        let length = self.value(length, Input::Length.width());
        let entry = self.entry;
        let length = self
            .program
            .append1(entry, Op::ZExt, vec![length], 64, None);
        // What branches on the way here say does not hold in the entry block.
        let most = mask(Input::Length.width());
        self.limit(length, Range::unsigned(0, most, 64));
        self.original_length = Some(length);
        Operand::Value(length)
    }

    /// An effect, at the end of the current block.
    pub fn effect(&mut self, op: Op, args: Vec<Value>, widths: &[u32]) -> Inst {
        let place = self.place();
        self.program.append(self.block, op, args, widths, place)
    }

    /// An effect with one result.
    pub fn effect1(&mut self, op: Op, args: Vec<Value>, width: u32) -> Operand {
        let inst = self.effect(op, args, &[width]);
        Operand::Value(self.program.insts[inst].results[0])
    }

    /// A pure operation on operands of the given widths; all of at most 64 bits.
    pub fn pure(&mut self, op: Op, args: &[(Operand, u32)], width: u32) -> Operand {
        if let Some(known) = fold(&op, args, width) {
            return known;
        }
        let values = args
            .iter()
            .map(|(operand, width)| self.value(*operand, *width))
            .collect();
        let place = self.place();
        let value = self.program.append1(self.block, op, values, width, place);
        self.note_bounds(value);
        Operand::Value(value)
    }

    /// A pure operation whose two arguments and result have one width.
    pub fn binary(&mut self, op: Op, a: Operand, b: Operand, width: u32) -> Operand {
        let neutral_right = match op {
            Op::Add | Op::Sub | Op::Or | Op::Xor => Some(0),
            Op::Mul => Some(1),
            _ => None,
        };
        if neutral_right.is_some_and(|neutral| b == Operand::Const(neutral)) {
            return a;
        }
        if a == Operand::Const(0) && matches!(op, Op::Add | Op::Or | Op::Xor) {
            return b;
        }
        let zero = Operand::Const(0);
        if matches!(op, Op::And | Op::Mul) && (a == zero || b == zero) {
            return zero;
        }
        if matches!(op, Op::Sub | Op::Xor) && a == b {
            return zero;
        }
        if let (Op::Add, Operand::Const(number)) = (&op, b) {
            // A counter's rounds add up: (x + 1) + 1 is x + 2.
            let (sum, rest) = self.split_constant(a);
            if sum != 0 {
                let sum = sum.wrapping_add(number) & mask(width);
                return self.binary(Op::Add, rest, Operand::Const(sum), width);
            }
        }
        self.pure(op, &[(a, width), (b, width)], width)
    }

    pub fn not(&mut self, a: Operand) -> Operand {
        self.pure(Op::Not, &[(a, 1)], 1)
    }

    /// `a + b` in 64 bits.
    pub fn add(&mut self, a: Operand, b: Operand) -> Operand {
        self.binary(Op::Add, a, b, 64)
    }

    /// A compare of at most 64 bits; gives 1 bit, which is a constant where bounds decide.
    pub fn compare(&mut self, op: Op, a: Operand, b: Operand, width: u32) -> Operand {
        let (x, y) = (self.range(a, width), self.range(b, width));
        let decided = match op {
            Op::Eq if a == b => Some(true),
            Op::Eq => x.equal(y),
            Op::Ne if a == b => Some(false),
            Op::Ne => x.equal(y).map(|equal| !equal),
            Op::Ult => x.below(y, false),
            Op::Ule => x.below(y, true),
            Op::Slt => x.signed_below(y, false),
            Op::Sle => x.signed_below(y, true),
            _ => None,
        };
        if let Some(holds) = decided {
            return Operand::Const(u64::from(holds));
        }
        self.pure(op, &[(a, width), (b, width)], 1)
    }

    pub fn select(&mut self, condition: Operand, yes: Operand, no: Operand, width: u32) -> Operand {
        match condition {
            _ if yes == no => yes,
            Operand::Const(0) => no,
            Operand::Const(_) => yes,
            Operand::Value(_) => self.pure(
                Op::Select,
                &[(condition, 1), (yes, width), (no, width)],
                width,
            ),
        }
    }

    pub fn zext(&mut self, a: Operand, from: u32, to: u32) -> Operand {
        if from == to {
            return a;
        }
        self.pure(Op::ZExt, &[(a, from)], to)
    }

    pub fn sext(&mut self, a: Operand, from: u32, to: u32) -> Operand {
        if from == to {
            return a;
        }
        self.pure(Op::SExt, &[(a, from)], to)
    }

    /// Bits `lo + width − 1 .. lo` of an operand of `from` bits.
    pub fn slice(&mut self, a: Operand, from: u32, lo: u32, width: u32) -> Operand {
        if lo == 0 && width == from {
            return a;
        }
        if let Some((inner, inner_width)) = self.extended_from(a) {
            if lo >= inner_width {
                return Operand::Const(0);
            }
            if lo + width <= inner_width {
                return self.slice(inner, inner_width, lo, width);
            }
            if lo == 0 {
                return self.zext(inner, inner_width, width);
            }
        }
        self.pure(Op::Slice { lo }, &[(a, from)], width)
    }

    /// The low `width` bits of a 64-bit operand.
    pub fn low(&mut self, a: Operand, width: u32) -> Operand {
        self.slice(a, 64, 0, width)
    }

    /// What a value was extended from with zeros, and its width.
    fn extended_from(&self, a: Operand) -> Option<(Operand, u32)> {
        let Operand::Value(value) = a else {
            return None;
        };
        let inst = self.program.def_inst(value)?;
        if inst.op != Op::ZExt {
            return None;
        }
        Some((
            Operand::Value(inst.args[0]),
            self.program.width(inst.args[0]),
        ))
    }

    /// The operand of `bytes` bytes with its bytes in the other order.
    pub fn reverse_bytes(&mut self, a: Operand, bytes: u32) -> Operand {
        if bytes == 1 {
            return a;
        }
        let parts: Vec<(Operand, u32)> = (0..bytes)
            .map(|byte| (self.slice(a, bytes * 8, byte * 8, 8), 8))
            .collect();
        self.pure(Op::Concat, &parts, bytes * 8)
    }

    /// An operand as the sum, in its own width, of a constant and a rest.
    pub fn split_constant(&self, a: Operand) -> (u64, Operand) {
        let (mut sum, mut rest) = (0u64, a);
        while let Operand::Value(value) = rest {
            let Some(inst) = self.program.def_inst(value) else {
                break;
            };
            if inst.op != Op::Add {
                break;
            }
            let constant = |index: usize| self.program.as_const(inst.args[index]);
            match (constant(0), constant(1)) {
                (Some(bits), _) => {
                    (sum, rest) = (sum.wrapping_add(bits.low_u64()), inst.args[1].into())
                }
                (_, Some(bits)) => {
                    (sum, rest) = (sum.wrapping_add(bits.low_u64()), inst.args[0].into())
                }
                _ => break,
            }
        }
        (sum, rest)
    }

    /// An upper bound for the number of bits that a 64-bit operand needs as an unsigned number.
    pub fn bits_needed(&self, a: Operand) -> u32 {
        64 - self.range(a, 64).high.leading_zeros()
    }
}

/// The result when all arguments are constants.
fn fold(op: &Op, args: &[(Operand, u32)], width: u32) -> Option<Operand> {
    let bits = args
        .iter()
        .map(|(operand, width)| match operand {
            Operand::Const(bits) => Some(Bits::from_u64(*bits, *width)),
            Operand::Value(_) => None,
        })
        .collect::<Option<Vec<Bits>>>()?;
    eval_pure(op, &bits, width)?.as_u64().map(Operand::Const)
}

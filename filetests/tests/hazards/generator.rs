//! Random programs that do to their maps what programs do: count, look up, insert what is missing, delete, one map's
//! value being the next one's key, with random arithmetic between.

use hardpath_ir::{
    Answer, AtomicOp, Bits, Block, Emit, Field, Find, Front, Input, Leaving, MapDecl, MapId, Match,
    May, Op, Output, OwnInput, Program, Sent, SentCopy, Target, Terminator, To, Value,
};
use hardpath_testkit::Random;

/// Makes a program in the control-flow phase.
pub fn generate(random: &mut Random) -> Program {
    let mut generator = Generator {
        program: Program::new("random"),
        block: Block::from_u32(0),
        values: Vec::new(),
        uses: Vec::new(),
        moves: false,
        copies: 0,
        random,
    };
    generator.program.limits.headroom = 216;
    generator.program.limits.tail = 3520;
    generator.program.outputs = vec![Output::new("verdict", 3), Output::new("mark", 20)];
    generator.moves = generator.random.below(3) == 0;
    generator.copies = [0, 0, 0, 1, 2][generator.random.below(5) as usize];
    generator.block = generator.program.add_block();
    generator.declare();
    generator.inputs();
    for _ in 0..1 + generator.random.below(4) {
        generator.arithmetic();
        generator.use_map();
        if generator.random.below(5) == 0 {
            generator.leave_early();
        }
    }
    generator.arithmetic();
    generator.end();
    generator.program
}

struct Generator<'a> {
    program: Program,
    /// Where instructions go now.
    block: Block,
    /// What can be computed with.
    values: Vec<Value>,
    /// How often each map was used.
    uses: Vec<u32>,
    /// Some packets are moved.
    moves: bool,
    /// The most copies behind a packet.
    copies: u32,
    random: &'a mut Random,
}

/// What is done with an entry that is there.
#[derive(Clone, Copy)]
enum Touch {
    Read,
    Add,
    AddAndLook,
    Compute,
    ComputeMaybe,
}

impl Generator<'_> {
    fn declare(&mut self) {
        for number in 0..1 + self.random.below(4) {
            // How it is found, whether it is updated in place, and whether only the host writes it.
            let (find, in_place, host_only) = *self.random.pick(&[
                (Find::Array, true, false),
                (Find::Array, true, false),
                (Find::Exact, false, false),
                (Find::Exact, false, false),
                (Find::Exact, true, false),
                (Find::Slots, false, true),
                (Find::Exact, false, true),
                (Find::Slots, false, true),
                (Find::Prefix, false, false),
                (Find::Ternary, false, false),
            ]);
            let key_bytes = match find {
                Find::Exact if !host_only => *self.random.pick(&[1, 3, 4, 8, 13]),
                Find::Prefix => *self.random.pick(&[5, 6, 8]),
                Find::Ternary => *self.random.pick(&[1, 3, 4, 8]),
                _ => 4,
            };
            let value_bytes = match host_only {
                true => *self.random.pick(&[4, 8]),
                false => *self.random.pick(&[1, 4, 8, 8, 12, 40]),
            };
            let entries = *self.random.pick(&[1, 2, 3, 7, 16, 64, 65, 200]);
            let entries = match find {
                Find::Ternary => entries.min(64),
                _ => entries,
            };
            let bytes = (key_bytes, value_bytes);
            let fields = match find {
                Find::Ternary => self.fields(key_bytes * 8),
                _ => Vec::new(),
            };
            self.program.maps.push(MapDecl {
                fields,
                in_place,
                packets_write: !host_only,
                ..MapDecl::new(&format!("m{number}"), find, bytes, entries)
            });
            self.uses.push(0);
        }
    }

    /// Fields of a key of about so many bits.
    fn fields(&mut self, bits: u32) -> Vec<Field> {
        let mut fields = Vec::new();
        // The last byte of the key may have bits that no field has.
        let mut left = bits - self.random.below(8) as u32;
        while left > 0 {
            let bits = (1 + self.random.below(20) as u32).min(left);
            let (_, by) = *self.random.pick(&Match::ALL);
            fields.push(Field { by, bits });
            left -= bits;
        }
        fields
    }

    fn op(&mut self, op: Op, args: Vec<Value>, width: u32) -> Value {
        self.program.append1(self.block, op, args, width, None)
    }

    fn constant(&mut self, value: u64, width: u32) -> Value {
        let bits = match width {
            65.. => Bits::from_limbs(&[value, value.rotate_left(9)], width),
            _ => Bits::from_u64(value, width),
        };
        self.program.append_const(self.block, bits)
    }

    fn inputs(&mut self) {
        for (offset, width) in [(0, 32), (4, 32), (8, 64), (16, 8), (17, 16), (20, 32)] {
            let offset = self.constant(offset, 64);
            let value = self.op(Op::PacketLoad, vec![offset], width);
            self.values.push(value);
        }
        for (name, most) in [("low", 16), ("high", 40)] {
            let width = 1 + self.random.below(most) as u32;
            let name = name.to_owned();
            self.program.inputs.push(OwnInput { name, width });
        }
        let own = ["low", "high"].map(|name| self.program.own_input(name).expect("just declared"));
        let inputs = [
            Input::Length,
            Input::Time,
            Input::Random,
            Input::Sum,
            Input::Queue,
            Input::Ingress,
            own[0],
            own[1],
        ];
        let input = *self.random.pick(&inputs);
        let value = self.op(Op::Input(input), vec![], input.width());
        self.values.push(value);
    }

    /// A value of that width made of one of the others, the later ones more often.
    fn some(&mut self, width: u32) -> Value {
        if self.random.below(6) == 0 {
            let value = match self.random.below(3) {
                0 => self.random.below(4),
                1 => self.random.next(),
                _ => self.random.below(70),
            };
            let value = if width < 64 {
                value & ((1 << width) - 1)
            } else {
                value
            };
            return self.constant(value, width);
        }
        let count = self.values.len() as u64;
        let place = self.random.below(count).max(self.random.below(count));
        let value = self.values[place as usize];
        self.fit(value, width)
    }

    fn fit(&mut self, value: Value, width: u32) -> Value {
        let from = self.program.width(value);
        match from.cmp(&width) {
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Less if self.random.below(4) == 0 => {
                self.op(Op::SExt, vec![value], width)
            }
            std::cmp::Ordering::Less => self.op(Op::ZExt, vec![value], width),
            std::cmp::Ordering::Greater => self.op(Op::Slice { lo: 0 }, vec![value], width),
        }
    }

    fn arithmetic(&mut self) {
        for _ in 0..self.random.below(5) {
            let value = self.one_operation(None);
            self.values.push(value);
        }
    }

    /// A random operation; on a given value when there is one.
    fn one_operation(&mut self, on: Option<Value>) -> Value {
        let width = match on {
            Some(value) => self.program.width(value),
            None => *self.random.pick(&[1, 8, 16, 32, 64]),
        };
        let a = match on {
            Some(value) => value,
            None => self.some(width),
        };
        match self.random.below(9) {
            0..=2 => {
                let b = self.some(width);
                self.op(Op::Add, vec![a, b], width)
            }
            3 => {
                let b = self.some(width);
                self.op(Op::Sub, vec![b, a], width)
            }
            4 => {
                let b = self.some(width);
                self.op(Op::Xor, vec![a, b], width)
            }
            5 => {
                let distance = self.constant(1, 64);
                self.op(Op::Shl, vec![a, distance], width)
            }
            6 => {
                let b = self.some(width);
                let less = self.op(Op::Ult, vec![a, b], 1);
                self.op(Op::Select, vec![less, b, a], width)
            }
            7 if width <= 16 => {
                let b = self.some(width);
                self.op(Op::Mul, vec![a, b], width)
            }
            _ => {
                let b = self.some(width);
                self.op(Op::And, vec![a, b], width)
            }
        }
    }

    /// A key that often is one of a few.
    fn key(&mut self, map: MapId) -> Value {
        let width = self.program.maps[map].key_bytes * 8;
        if self.program.maps[map].is_prefix() {
            let (first, last) = (self.some(3), self.some(2));
            let data = self.op(Op::Concat, vec![last, first], 5);
            let data = self.op(Op::ZExt, vec![data], width - 32);
            let length = match self.random.below(3) {
                0 => self.some(4),
                _ => {
                    let number = self.random.below(10);
                    self.constant(number, 4)
                }
            };
            let length = self.op(Op::ZExt, vec![length], 32);
            return self.op(Op::Concat, vec![data, length], width);
        }
        if self.random.below(5) == 0 {
            return self.some(width);
        }
        let kept = 1 + self.random.below(3) as u32;
        let low = self.some(kept);
        self.op(Op::ZExt, vec![low], width)
    }

    fn use_map(&mut self) {
        let number = self.random.below(self.uses.len() as u64) as usize;
        self.uses[number] += 1;
        let map = self.program.maps.keys().nth(number).expect("a map");
        let key = self.key(map);
        let decl = &self.program.maps[map];
        match decl.find {
            Find::Prefix | Find::Ternary => {
                let touch = [Touch::Read, Touch::Read, Touch::Add];
                self.look_up(map, key, &touch, false);
            }
            _ if !decl.packets_write => self.look_up(map, key, &[Touch::Read], false),
            // Some programs use a map twice only to read.
            _ if self.uses[number] > 1 && self.random.below(4) == 0 => {
                self.look_up(map, key, &[Touch::Read], false);
            }
            Find::Exact if self.random.below(6) == 0 => self.insert_and_look(map, key),
            Find::Exact => match self.random.below(6) {
                0 => self.change(map, key, Op::MapUpdate(map)),
                1 => {
                    let one = self.some(1);
                    self.either(
                        one,
                        |generator| generator.change(map, key, Op::MapUpdate(map)),
                        |generator| generator.change(map, key, Op::MapDelete(map)),
                    );
                }
                2 | 3 => self.look_up(map, key, &TOUCHES, true),
                _ => self.look_up(map, key, &TOUCHES, false),
            },
            _ => match self.random.below(6) {
                0 => self.change(map, key, Op::MapUpdate(map)),
                _ => self.look_up(map, key, &TOUCHES, false),
            },
        }
    }

    /// Looks up and does something with a hit; with a miss it perhaps inserts.
    fn look_up(&mut self, map: MapId, key: Value, touches: &[Touch], inserts: bool) {
        let lookup = self
            .program
            .append(self.block, Op::MapLookup(map), vec![key], &[1, 32], None);
        let results = self.program.insts[lookup].results.clone();
        let (hit, entry) = (results[0], results[1]);
        let touch = *self.random.pick(touches);
        let what = self.random.below(3);
        self.either(
            hit,
            |generator| generator.touch(map, entry, touch),
            |generator| match (inserts, what) {
                (true, 0) => generator.change(map, key, Op::MapDelete(map)),
                (true, _) => generator.change(map, key, Op::MapUpdate(map)),
                (false, _) => {
                    let value = generator.some(32);
                    generator.values.push(value);
                }
            },
        );
    }

    /// What programs do that want an entry in any case: look up, insert when it is not there, look up again.
    fn insert_and_look(&mut self, map: MapId, key: Value) {
        let lookup = |generator: &mut Self| {
            let lookup = generator.program.append(
                generator.block,
                Op::MapLookup(map),
                vec![key],
                &[1, 32],
                None,
            );
            let results = generator.program.insts[lookup].results.clone();
            (results[0], results[1])
        };
        let (hit, entry) = lookup(self);
        let known = self.values.len();
        let (miss, join) = (self.program.add_block(), self.program.add_block());
        let target = |block, args| Target { block, args };
        self.program.blocks[self.block].terminator = Terminator::Branch {
            cond: hit,
            yes: target(join, vec![hit, entry]),
            no: target(miss, vec![]),
        };
        self.block = miss;
        self.change(map, key, Op::MapUpdate(map));
        let (hit, entry) = lookup(self);
        self.values.truncate(known);
        self.program.blocks[self.block].terminator =
            Terminator::Jump(target(join, vec![hit, entry]));
        let hit = self.program.add_param(join, 1);
        let entry = self.program.add_param(join, 32);
        self.block = join;
        let touch = *self.random.pick(&TOUCHES);
        self.either(hit, |generator| generator.touch(map, entry, touch), |_| {});
    }

    fn touch(&mut self, map: MapId, entry: Value, touch: Touch) {
        let bytes = self.program.maps[map].value_bytes;
        let width = *self.random.pick(&[1, 4, 8]).min(&bytes);
        let offset = self.random.below(u64::from(bytes - width) + 1);
        let offset = self.constant(offset / u64::from(width) * u64::from(width), 32);
        let atomic = matches!(touch, Touch::Add | Touch::AddAndLook) && matches!(width, 4 | 8);
        if atomic {
            let operand = self.some(width * 8);
            let op = match touch {
                Touch::Add => AtomicOp::Add,
                _ => *self
                    .random
                    .pick(&[AtomicOp::Add, AtomicOp::Or, AtomicOp::Xchg]),
            };
            let old = self.op(
                Op::MapAtomic(map, op),
                vec![entry, offset, operand],
                width * 8,
            );
            if matches!(touch, Touch::AddAndLook) {
                self.values.push(old);
            }
            return;
        }
        let old = self.op(Op::MapLoad(map), vec![entry, offset], width * 8);
        if self.random.below(3) > 0 {
            self.values.push(old);
        }
        if matches!(touch, Touch::Read) {
            return;
        }
        let mut new = old;
        for _ in 0..self.random.below(4) {
            new = self.one_operation(Some(new));
        }
        if !matches!(touch, Touch::ComputeMaybe) {
            self.program.append(
                self.block,
                Op::MapStore(map),
                vec![entry, offset, new],
                &[],
                None,
            );
            return;
        }
        let width = self.program.width(new);
        let other = self.some(width);
        let less = self.op(Op::Ult, vec![other, old], 1);
        self.either(
            less,
            |generator| {
                let args = vec![entry, offset, new];
                generator
                    .program
                    .append(generator.block, Op::MapStore(map), args, &[], None);
            },
            |_| {},
        );
    }

    fn change(&mut self, map: MapId, key: Value, op: Op) {
        let mut args = vec![key];
        if op == Op::MapUpdate(map) {
            let bits = self.program.maps[map].value_bytes * 8;
            let value = self.some(bits);
            let may = match self.random.below(3) {
                0 => self.some(May::BITS),
                _ => {
                    let may = 1 + self.random.below(3);
                    self.constant(may, May::BITS)
                }
            };
            args.extend([value, may]);
        }
        let result = self.op(op, args, Answer::BITS);
        if self.random.below(3) > 0 {
            self.values.push(result);
        }
    }

    /// Two ways that join again; a value that one of them made last goes on as a parameter.
    fn either(&mut self, cond: Value, yes: impl FnOnce(&mut Self), no: impl FnOnce(&mut Self)) {
        let (first, second) = (self.program.add_block(), self.program.add_block());
        self.branch(cond, first, second);
        let known = self.values.len();
        let mut ends = Vec::new();
        let width = *self.random.pick(&[1, 16, 32, 64]);
        self.block = first;
        yes(self);
        let value = self.some(width);
        ends.push((self.block, value));
        self.values.truncate(known);
        self.block = second;
        no(self);
        let value = self.some(width);
        ends.push((self.block, value));
        self.values.truncate(known);
        let join = self.program.add_block();
        for (from, value) in ends {
            let target = Target {
                block: join,
                args: vec![value],
            };
            self.program.blocks[from].terminator = Terminator::Jump(target);
        }
        let param = self.program.add_param(join, width);
        self.values.push(param);
        self.block = join;
    }

    fn branch(&mut self, cond: Value, yes: Block, no: Block) {
        let target = |block| Target {
            block,
            args: Vec::new(),
        };
        self.program.blocks[self.block].terminator = Terminator::Branch {
            cond,
            yes: target(yes),
            no: target(no),
        };
    }

    fn leave_early(&mut self) {
        let cond = self.some(1);
        let (exit, rest) = (self.program.add_block(), self.program.add_block());
        self.branch(cond, exit, rest);
        self.block = exit;
        let known = self.values.len();
        self.end();
        self.values.truncate(known);
        self.block = rest;
    }

    fn end(&mut self) {
        for _ in 0..1 + self.random.below(3) {
            let width = *self.random.pick(&[8, 32, 64, 64]);
            let value = self.some(width);
            let offset = self.random.below(56);
            let offset = self.constant(offset, 64);
            self.program
                .append(self.block, Op::PacketStore, vec![offset, value], &[], None);
        }
        let emit = self.emit();
        self.program.blocks[self.block].terminator = Terminator::Emit(emit);
    }

    /// Most packets go on, some of them elsewhere, with other ends, with a header in front, with copies behind them.
    fn emit(&mut self) -> Emit {
        let forwarded = match self.random.below(3) {
            0 => self.some(1),
            _ => self.constant(1, 1),
        };
        let packet = self.sent();
        let mut copies = Vec::new();
        for _ in 0..self.copies {
            if self.random.below(4) > 0 {
                let when = self.some(1);
                let sent = self.sent();
                copies.push(SentCopy { when, sent });
            }
        }
        Emit {
            forwarded,
            packet,
            each: Vec::new(),
            copies,
        }
    }

    fn sent(&mut self) -> Sent {
        let to = (self.random.below(2) == 0).then(|| To {
            class: self.some(2),
            index: self.some(32),
        });
        let outputs = vec![self.some(3), self.some(20)];
        let leaves = (self.moves && self.random.below(3) > 0).then(|| self.leaving());
        Sent {
            to,
            outputs,
            leaves,
            begins: Vec::new(),
        }
    }

    /// No packet is shorter than 14 bytes, so something is always left.
    fn leaving(&mut self) -> Leaving {
        let length = self.op(Op::Input(Input::Length), vec![], 16);
        let one = self.constant(1, 16);
        let less = self.op(Op::Sub, vec![length, one], 16);
        let from = match self.random.below(4) {
            0 => {
                let few = self.some(3);
                self.op(Op::ZExt, vec![few], 16)
            }
            1 => {
                let cond = self.some(1);
                let [a, b] = [0xffec, 9].map(|offset| self.constant(offset, 16));
                self.op(Op::Select, vec![cond, a, b], 16)
            }
            _ => {
                let offset = *self.random.pick(&[0, 4, 0xfffc, 0xff9c]);
                self.constant(offset, 16)
            }
        };
        let end = *self.random.pick(&[length, less]);
        let zeros = match self.random.below(4) {
            0 => self.constant(12, 16),
            _ => end,
        };
        let front = (self.random.below(2) == 0).then(|| {
            let less = *self.random.pick(&[1, 4, 8]);
            let bytes = self.some(64);
            let words: u32 = *self.random.pick(&[1, 2, 9]);
            let bytes = self.op(Op::Concat, vec![bytes; words as usize], words * 64);
            let length = match self.random.below(2) {
                0 => self.constant(u64::from(words * 8 - less), 16),
                _ => {
                    let few = self.some(3);
                    self.op(Op::ZExt, vec![few], 16)
                }
            };
            Front { bytes, length }
        });
        Leaving {
            from,
            end,
            zeros,
            front,
        }
    }
}

const TOUCHES: [Touch; 5] = [
    Touch::Read,
    Touch::Add,
    Touch::AddAndLook,
    Touch::Compute,
    Touch::ComputeMaybe,
];

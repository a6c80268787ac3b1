//! From signals of any width to operations on limbs.
//!
//! A signal of `w` bits is ceil(w / 64) limbs, least significant first; bits above the width are 0.

mod arithmetic;
mod bits;
mod shift;

use crate::code::{self, mask, Call, Code, Limb, Store};
use crate::layout::{bytes_of, Layout};
use crate::netlist::{ForeignId, MemoryId, Netlist, Op, Signal, SignalData, Update};
use cranelift_entity::PrimaryMap;
use hardpath_rtl::NodeOp;
use smallvec::SmallVec;
use std::collections::HashSet;

/// The limbs of a signal.
type Limbs = SmallVec<[Limb; 2]>;

/// The code of one clock.
pub fn lower(netlist: &Netlist, layout: &Layout) -> Code {
    let mut lowering = Lowering {
        netlist,
        layout,
        code: Code::default(),
        values: PrimaryMap::new(),
        given: HashSet::new(),
    };
    for signal in netlist.signals.values() {
        let limbs = lowering.signal(signal);
        lowering.values.push(limbs);
    }
    lowering.stores();
    lowering.code
}

struct Lowering<'a> {
    netlist: &'a Netlist,
    layout: &'a Layout,
    code: Code,
    values: PrimaryMap<Signal, Limbs>,
    /// Inputs of foreign modules that are stored before a call, by their numbers.
    given: HashSet<(ForeignId, u32)>,
}

/// Bytes and bits of each limb of a value in a row or memory.
fn pieces(width: u32) -> impl Iterator<Item = (u32, u8, u32)> {
    let bytes = bytes_of(width).min(8);
    (0..width.div_ceil(64)).map(move |i| (i * 8, bytes as u8, (width - i * 64).min(64)))
}

/// A store that happens at every clock, to a place that has no old content.
fn always(offset: u32, bytes: u8, value: Limb) -> Store {
    Store {
        at: None,
        offset,
        bytes,
        bits: 8 * bytes,
        value,
        guard: None,
        otherwise: offset,
    }
}

impl Lowering<'_> {
    fn width(&self, signal: Signal) -> u32 {
        self.netlist.signals[signal].width
    }

    fn limbs(&self, signal: Signal) -> Limbs {
        self.values[signal].clone()
    }

    /// A value at a fixed place.
    fn load(&mut self, offset: u32, width: u32) -> Limbs {
        pieces(width)
            .map(|(at, bytes, bits)| self.code.load(offset + at, bytes, bits))
            .collect()
    }

    fn signal(&mut self, signal: &SignalData) -> Limbs {
        let width = signal.width;
        let args = &signal.args;
        let op = match &signal.op {
            Op::Input(index) => return self.load(self.layout.inputs[*index as usize], width),
            Op::State(state) => return self.load(self.layout.present[*state], width),
            Op::Edge(clock) => return self.load(self.layout.edges[*clock], 1),
            Op::Foreign(foreign, output) => return self.call(*foreign, *output, args, width),
            Op::Read(memory) => {
                let at = self.word_to_read(*memory, args[0]);
                return pieces(width)
                    .map(|(offset, bytes, bits)| self.code.load_at(at, offset, bytes, bits))
                    .collect();
            }
            Op::Pure(op) => op,
        };
        match op {
            NodeOp::Const(limbs) => limbs.iter().map(|limb| self.code.constant(*limb)).collect(),
            NodeOp::Not => {
                let a = self.limbs(args[0]);
                let bits = |i: usize| (width - 64 * i as u32).min(64);
                let not = |(i, limb): (usize, &Limb)| self.code.not(*limb, bits(i));
                a.iter().enumerate().map(not).collect()
            }
            NodeOp::And => self.bitwise(args, Code::and),
            NodeOp::Or => self.bitwise(args, Code::or),
            NodeOp::Xor => self.bitwise(args, Code::xor),
            NodeOp::Add => self.add(args[0], args[1], width),
            NodeOp::Sub => self.sub(args[0], args[1], width),
            NodeOp::Mul => self.mul(args[0], args[1], width),
            NodeOp::Shl | NodeOp::LShr | NodeOp::AShr => self.shift(op, args[0], args[1], width),
            NodeOp::Eq | NodeOp::Ne => self.equal(op, args[0], args[1]),
            NodeOp::Ult | NodeOp::Ule | NodeOp::Slt | NodeOp::Sle => {
                self.less(op, args[0], args[1])
            }
            NodeOp::Mux => {
                let condition = self.values[args[0]][0];
                let (yes, no) = (self.limbs(args[1]), self.limbs(args[2]));
                let pairs = yes.iter().zip(&no);
                pairs
                    .map(|(yes, no)| self.code.select(condition, *yes, *no))
                    .collect()
            }
            NodeOp::Slice { lo } => {
                let a = self.limbs(args[0]);
                self.bits_of(&a, *lo, width)
            }
            NodeOp::Concat => self.concat(args, width),
            NodeOp::ZExt => {
                let mut a = self.limbs(args[0]);
                a.resize(width.div_ceil(64) as usize, self.code.constant(0));
                a
            }
            NodeOp::SExt => self.sign_extend(args[0], width),
            NodeOp::ReduceOr => {
                let a = self.limbs(args[0]);
                let any = self.fold(&a, Code::or);
                let zero = self.code.constant(0);
                SmallVec::from_slice(&[self.code.ne(any, zero)])
            }
            NodeOp::ReduceAnd => self.all_ones(args[0]),
            NodeOp::ReduceXor => {
                let a = self.limbs(args[0]);
                let folded = self.fold(&a, Code::xor);
                let count = self.code.count(folded);
                SmallVec::from_slice(&[self.code.low(count, 1)])
            }
            NodeOp::Input(_)
            | NodeOp::Reg(_)
            | NodeOp::MemRead(..)
            | NodeOp::InstanceOutput(..)
            | NodeOp::Foreign(_)
            | NodeOp::Wire => unreachable!("flattening leaves none of these"),
        }
    }

    /// An output of a foreign module: its model reads the inputs and writes the output, which is loaded then.
    fn call(&mut self, foreign: ForeignId, output: u32, args: &[Signal], width: u32) -> Limbs {
        let (_, follows) = &self.netlist.foreign[foreign].outputs[output as usize];
        let mut stores = Vec::new();
        for (input, signal) in follows.iter().zip(args) {
            if self.given.insert((foreign, *input)) {
                stores.extend(self.give(foreign, *input, *signal));
            }
        }
        self.code.calls.push(Call {
            foreign,
            output,
            stores,
        });
        self.load(self.layout.foreign[foreign].outputs[output as usize], width)
    }

    /// Stores an input of a foreign module.
    fn give(&self, foreign: ForeignId, input: u32, signal: Signal) -> Vec<Store> {
        let first = self.layout.foreign[foreign].inputs[input as usize];
        let limbs = self.values[signal].iter().zip((first..).step_by(8));
        limbs
            .map(|(limb, offset)| always(offset, 8, *limb))
            .collect()
    }

    fn bitwise(&mut self, args: &[Signal], op: fn(&mut Code, Limb, Limb) -> Limb) -> Limbs {
        let mut result = self.limbs(args[0]);
        for arg in &args[1..] {
            let arg = self.limbs(*arg);
            for (result, limb) in result.iter_mut().zip(&arg) {
                *result = op(&mut self.code, *result, *limb);
            }
        }
        result
    }

    fn fold(&mut self, limbs: &[Limb], op: fn(&mut Code, Limb, Limb) -> Limb) -> Limb {
        let mut result = limbs[0];
        for limb in &limbs[1..] {
            result = op(&mut self.code, result, *limb);
        }
        result
    }

    /// Offset of a memory's word in the arena.
    fn word(&mut self, memory: MemoryId, index: Limb) -> Limb {
        let place = self.layout.memories[memory];
        let stride = self.code.constant(u64::from(place.stride));
        let offset = self.code.mul(index, stride);
        let base = self.code.constant(u64::from(place.offset));
        self.code.add(offset, base)
    }

    /// One bit: whether an address is below the depth.
    fn in_range(&mut self, memory: MemoryId, address: Signal) -> Limb {
        let depth = u64::from(self.netlist.memories[memory].depth);
        let address = self.limbs(address);
        let depth = self.code.constant(depth);
        let low = self.code.ult(address[0], depth);
        if address.len() == 1 {
            return low;
        }
        let high = self.fold(&address[1..], Code::or);
        let zero = self.code.constant(0);
        let small = self.code.eq(high, zero);
        self.code.and(low, small)
    }

    /// Offset of the word to read: out of range, the one that is always 0.
    fn word_to_read(&mut self, memory: MemoryId, address: Signal) -> Limb {
        let in_range = self.in_range(memory, address);
        let beyond = u64::from(self.netlist.memories[memory].depth);
        let beyond = self.code.constant(beyond);
        let index = self.code.select(in_range, self.values[address][0], beyond);
        self.word(memory, index)
    }

    /// Everything that the clock writes.
    fn stores(&mut self) {
        for (index, (_, signal)) in self.netlist.outputs.iter().enumerate() {
            let offset = self.layout.outputs[index];
            for (i, value) in self.limbs(*signal).into_iter().enumerate() {
                self.store(offset + 8 * i as u32, 8, value);
            }
        }
        let mut all = self.code.constant(1);
        for (index, assertion) in self.netlist.assertions.iter().enumerate() {
            let holds = self.values[assertion.condition][0];
            self.store(self.layout.assertions + index as u32, 1, holds);
            all = self.code.and(all, holds);
        }
        self.store(self.layout.all_hold, 1, all);
        for (foreign, data) in &self.netlist.foreign {
            for (input, signal) in (0..).zip(&data.inputs) {
                if !self.given.contains(&(foreign, input)) {
                    let stores = self.give(foreign, input, *signal);
                    self.code.stores.extend(stores);
                }
            }
        }
        for (state, data) in &self.netlist.states {
            let Some(next) = self.layout.next[state] else {
                continue;
            };
            let (values, enable) = match &data.update {
                Update::Register { next, enable } => {
                    let enable = enable.map(|enable| self.values[enable][0]);
                    (self.limbs(*next), enable)
                }
                Update::Read {
                    memory,
                    address,
                    enable,
                } => {
                    let at = self.word_to_read(*memory, *address);
                    let values = pieces(data.width)
                        .map(|(offset, bytes, bits)| self.code.load_at(at, offset, bytes, bits))
                        .collect();
                    (values, Some(self.values[*enable][0]))
                }
            };
            for (value, (at, bytes, bits)) in values.into_iter().zip(pieces(data.width)) {
                let store = Store {
                    at: None,
                    offset: next + at,
                    bytes,
                    bits: bits as u8,
                    value,
                    guard: enable,
                    otherwise: self.layout.present[state] + at,
                };
                self.store_unless_kept(store);
            }
        }
        for (memory, data) in &self.netlist.memories {
            for write in &data.writes {
                let in_range = self.in_range(memory, write.address);
                let enable = self.values[write.enable][0];
                let guard = self.code.and(enable, in_range);
                let at = self.word(memory, self.values[write.address][0]);
                let place = self.layout.memories[memory];
                let values = self.limbs(write.data);
                for (value, (offset, bytes, bits)) in values.into_iter().zip(pieces(data.width)) {
                    if self.code.as_const(guard) != Some(0) {
                        self.code.late_stores.push(Store {
                            at: Some(at),
                            offset,
                            bytes,
                            bits: bits as u8,
                            value,
                            guard: Some(guard),
                            otherwise: place.offset + place.stride * (data.depth + 1),
                        });
                    }
                }
            }
        }
    }

    /// The same in the list of the stores.
    fn store(&mut self, offset: u32, bytes: u8, value: Limb) {
        self.code.stores.push(always(offset, bytes, value));
    }

    /// A value that is the old one in some case is a guarded store of the other case.
    fn store_unless_kept(&mut self, mut store: Store) {
        let old = self
            .code
            .load(store.otherwise, store.bytes, store.bits.into());
        while let code::Op::Select(condition, yes, no) = self.code.ops[store.value] {
            let (guard, value) = match (yes == old, no == old) {
                (false, true) => (condition, yes),
                (true, false) => (self.code.not(condition, 1), no),
                _ => break,
            };
            store.value = value;
            store.guard = Some(match store.guard {
                Some(enable) => self.code.and(enable, guard),
                None => guard,
            });
        }
        match store.guard.map(|guard| self.code.as_const(guard)) {
            Some(Some(0)) => {}
            Some(Some(_)) => self.code.stores.push(Store {
                guard: None,
                ..store
            }),
            _ if store.value == old => {}
            _ => self.code.stores.push(store),
        }
    }

    /// Clears the bits above the width.
    fn trim(&mut self, limbs: &mut Limbs, width: u32) {
        let top = limbs.last_mut().expect("a signal has limbs");
        *top = self.code.low(*top, (width - 1) % 64 + 1);
    }
}

//! From signals of any width to operations on limbs.
//!
//! A signal of `w` bits is ceil(w / 64) limbs, least significant first; bits above the width are 0.

mod arithmetic;
mod bits;
mod shift;

use crate::code::{mask, Code, Limb, Store};
use crate::layout::{bytes_of, Layout};
use crate::netlist::{MemoryId, Netlist, Op, Signal, SignalData, Update};
use cranelift_entity::PrimaryMap;
use hardpath_rtl::NodeOp;
use smallvec::SmallVec;

/// The limbs of a signal.
type Limbs = SmallVec<[Limb; 2]>;

/// The code of one clock.
pub fn lower(netlist: &Netlist, layout: &Layout) -> Code {
    let mut lowering = Lowering {
        netlist,
        layout,
        code: Code::default(),
        values: PrimaryMap::new(),
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
}

/// Bytes and bits of each limb of a value in a row or memory.
fn pieces(width: u32) -> impl Iterator<Item = (u32, u8, u32)> {
    let bytes = bytes_of(width).min(8);
    (0..width.div_ceil(64)).map(move |i| (i * 8, bytes as u8, (width - i * 64).min(64)))
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
            Op::Read(memory) => {
                let at = self.word(*memory, args[0], None);
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
            | NodeOp::Wire => unreachable!("flattening leaves none of these"),
        }
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

    /// Offset of a memory's word in the arena. An address out of range gives the word that is always 0, or, with an
    /// enable (a write), as does an enable of 0, the word that nobody reads.
    fn word(&mut self, memory: MemoryId, address: Signal, enable: Option<Limb>) -> Limb {
        let place = self.layout.memories[memory];
        let depth = u64::from(self.netlist.memories[memory].depth);
        let address = self.limbs(address);
        let low = address[0];
        let elsewhere = self.code.constant(depth + u64::from(enable.is_some()));
        let mut legal = {
            let depth = self.code.constant(depth);
            self.code.ult(low, depth)
        };
        if let Some(enable) = enable {
            legal = self.code.and(legal, enable);
        }
        if address.len() > 1 {
            let high = self.fold(&address[1..], Code::or);
            let zero = self.code.constant(0);
            let small = self.code.eq(high, zero);
            legal = self.code.and(legal, small);
        }
        let index = self.code.select(legal, low, elsewhere);
        let stride = self.code.constant(u64::from(place.stride));
        let offset = self.code.mul(index, stride);
        let base = self.code.constant(u64::from(place.offset));
        self.code.add(offset, base)
    }

    /// Everything that the clock writes.
    fn stores(&mut self) {
        for (index, (_, signal)) in self.netlist.outputs.iter().enumerate() {
            let offset = self.layout.outputs[index];
            for (i, value) in self.limbs(*signal).into_iter().enumerate() {
                self.store(None, offset + 8 * i as u32, 8, value);
            }
        }
        let mut all = self.code.constant(1);
        for (index, assertion) in self.netlist.assertions.iter().enumerate() {
            let holds = self.values[assertion.condition][0];
            self.store(None, self.layout.assertions + index as u32, 1, holds);
            all = self.code.and(all, holds);
        }
        self.store(None, self.layout.all_hold, 1, all);
        for (state, data) in &self.netlist.states {
            let Some(next) = self.layout.next[state] else {
                continue;
            };
            let present = self.layout.present[state];
            let values = match &data.update {
                Update::Register { next, enable: None } => self.limbs(*next),
                Update::Register {
                    next,
                    enable: Some(enable),
                } => {
                    let enable = self.values[*enable][0];
                    let next = self.limbs(*next);
                    let old = self.load(present, data.width);
                    let pairs = next.iter().zip(&old);
                    pairs
                        .map(|(next, old)| self.code.select(enable, *next, *old))
                        .collect()
                }
                Update::Read {
                    memory,
                    address,
                    enable,
                } => {
                    let enable = self.values[*enable][0];
                    let word = self.word(*memory, *address, None);
                    let old = self.code.constant(u64::from(present));
                    let at = self.code.select(enable, word, old);
                    pieces(data.width)
                        .map(|(offset, bytes, bits)| self.code.load_at(at, offset, bytes, bits))
                        .collect()
                }
            };
            for (value, (at, bytes, _)) in values.into_iter().zip(pieces(data.width)) {
                self.store(None, next + at, bytes, value);
            }
        }
        for (memory, data) in &self.netlist.memories {
            for write in &data.writes {
                let enable = self.values[write.enable][0];
                let at = self.word(memory, write.address, Some(enable));
                let values = self.limbs(write.data);
                for (value, (offset, bytes, _)) in values.into_iter().zip(pieces(data.width)) {
                    self.store(Some(at), offset, bytes, value);
                }
            }
        }
    }

    fn store(&mut self, at: Option<Limb>, offset: u32, bytes: u8, value: Limb) {
        let store = Store {
            at,
            offset,
            bytes,
            value,
        };
        match at {
            None => self.code.stores.push(store),
            Some(_) => self.code.late_stores.push(store),
        }
    }

    /// Clears the bits above the width.
    fn trim(&mut self, limbs: &mut Limbs, width: u32) {
        let top = limbs.last_mut().expect("a signal has limbs");
        *top = self.code.low(*top, (width - 1) % 64 + 1);
    }
}

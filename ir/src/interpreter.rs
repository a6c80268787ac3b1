//! Runs a program: the executable meaning of the IR, in every phase.
//!
//! Offsets into the packet and the stack count modulo 2^64, those into a map value modulo 2^32: a load across the
//! end of the offsets goes on at 0. Blocks run one after the other, as their terminators say; an effect with a guard
//! happens when the guard is 1, else its results are 0. Stages change nothing.
//!
//! A structured program may run for long, or for ever, and may say of its loops what is not so: [`Prepared::run_within`]
//! ends such a run with a [`RunError`].
//!
//! [`Prepared`] is a program with all values laid out in one array of 64-bit limbs, so that most instructions are a
//! few machine operations. The program must have passed the verifier.

mod ending;
mod packet;
mod prepare;
mod structure;
mod whole;

use crate::eval::{eval_pure, eval_u64};
use crate::maps::Maps;
use crate::structure::Memory;
use crate::{AtomicOp, Bits, Input, MapId, May, Program, Value};
use cranelift_entity::SecondaryMap;
use ending::Left;
use hardpath_packet::{Fate, Sideband};
pub use packet::{PacketMemory, Part};
use prepare::{Action, End, PreparedBlock, Slot};
use structure::{LoopState, Return};
pub use structure::{RunError, MOST_STEPS};
pub use whole::checksum;

/// Runs a program on one packet. For many packets, make a [`Prepared`] once.
pub fn run(program: &Program, maps: &mut Maps, packet: &[u8], context: &Sideband) -> Fate {
    Prepared::new(program).run(maps, packet, context)
}

/// A program made ready to run, with the values of its last run.
#[derive(Clone, Debug)]
pub struct Prepared {
    is_structured: bool,
    /// In the program's order.
    blocks: Vec<PreparedBlock>,
    /// Where each live value is kept.
    slots: SecondaryMap<Value, Slot>,
    /// All values. Constants are here from the start.
    limbs: Vec<u64>,
    stack: Vec<u8>,
    packet: PacketMemory,
    /// What [`Input::Sum`] is, where somebody asks.
    sum: Option<u64>,
    /// What is the packet behind the last run.
    left: Left,
    /// The blocks of the last run, as places in the program's order.
    way: Vec<usize>,
    /// How many of `blocks` are blocks of the program; what stands behind them are steps between two blocks.
    listed: usize,
    /// Where the calls that have not come back go on.
    calls: Vec<Return>,
    loops: Vec<LoopState>,
}

/// Of 16 bits, first byte on top, as numbers; behind a last odd byte there is a zero.
fn sum_of_words(packet: &[u8]) -> u64 {
    let words = packet.chunks(2).map(|word| match *word {
        [high, low] => u16::from_be_bytes([high, low]),
        _ => u16::from_be_bytes([word[0], 0]),
    });
    words.map(u64::from).sum()
}

impl Prepared {
    /// Runs the program on one packet of at most 65,535 bytes. The maps must be those of the program. For structured
    /// programs there is [`Prepared::run_within`].
    ///
    /// # Panics
    /// When a structured program takes more than [`MOST_STEPS`], or goes back more or less often than a loop's bound says.
    pub fn run(&mut self, maps: &mut Maps, packet: &[u8], context: &Sideband) -> Fate {
        let most = match self.is_structured {
            true => MOST_STEPS,
            // Without a way back, no run takes more steps than there are.
            false => u64::MAX,
        };
        self.run_within(most, maps, packet, context)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// The same, within a number of steps: ends of blocks, and instructions, which count once more for every 64 bytes that they
    /// work on. Maps are left as they were when the run ended.
    ///
    /// # Errors
    /// The run takes more steps, or goes back more or less often than a loop's bound says.
    pub fn run_within(
        &mut self,
        most_steps: u64,
        maps: &mut Maps,
        packet: &[u8],
        context: &Sideband,
    ) -> Result<Fate, RunError> {
        // Taken out for the run, so that the steps can be read while values are written.
        let blocks = std::mem::take(&mut self.blocks);
        let ended = self.run_blocks(&blocks, most_steps, maps, packet, context);
        self.blocks = blocks;
        ended
    }

    /// Gives what becomes of the packet.
    fn run_blocks(
        &mut self,
        blocks: &[PreparedBlock],
        most_steps: u64,
        maps: &mut Maps,
        packet: &[u8],
        context: &Sideband,
    ) -> Result<Fate, RunError> {
        maps.begin_packet();
        self.stack.fill(0);
        self.packet.load(packet);
        self.sum = self.sum.map(|_| sum_of_words(packet));
        let length = packet.len();
        let mut block = &blocks[0];
        self.way.clear();
        self.way.push(0);
        self.calls.clear();
        let mut steps_left = most_steps;
        loop {
            let Some(left) = steps_left.checked_sub(block.cost) else {
                return Err(RunError::Steps { most: most_steps });
            };
            steps_left = left;
            for step in &block.steps {
                match step.guard {
                    Some(guard) if self.word(guard) == 0 => self.skip(&step.action),
                    _ => self.act(&step.action, maps, length, context),
                }
            }
            let edge = match &block.end {
                End::Jump(edge) => edge,
                End::Branch { cond, yes, .. } if self.word(*cond) == 1 => yes,
                End::Branch { no, .. } => no,
                End::Emit(emit) => {
                    self.leave_calls()?;
                    return Ok(self.fate(emit, maps, context, length));
                }
                End::Structured(end) => {
                    block = &blocks[self.structured(end)?];
                    continue;
                }
            };
            for &(from, to) in &edge.copies {
                self.copy(from, to);
            }
            block = &blocks[edge.block];
            if edge.block < self.listed {
                self.way.push(edge.block);
            }
        }
    }

    /// The blocks that the last run went through, in order, as places in [`Program::order`]; those of functions as places in
    /// [`Program::all_blocks`].
    pub fn way(&self) -> &[usize] {
        &self.way
    }

    /// The lowest 64 bits of what a value was in the last run; see [`Prepared::value`].
    pub fn low_word(&self, value: Value) -> Option<u64> {
        let slot = self.slots[value];
        (slot.width > 0).then(|| self.word(slot))
    }

    /// What a value was in the last run. A live value that the run did not come to has what an earlier run left, or 0;
    /// `None` for a dead value.
    pub fn value(&self, value: Value) -> Option<Bits> {
        let slot = self.slots[value];
        (slot.width > 0).then(|| self.bits(slot))
    }

    /// The low 64 bits of a value.
    #[inline]
    fn word(&self, slot: Slot) -> u64 {
        self.limbs[slot.at as usize]
    }

    /// A number of 16 bits in two's complement.
    fn offset(&self, slot: Slot) -> i64 {
        i64::from(self.word(slot) as i16)
    }

    #[inline]
    fn set_word(&mut self, slot: Slot, value: u64) {
        self.limbs[slot.at as usize] = value;
    }

    fn get(&self, slot: Slot) -> &[u64] {
        &self.limbs[slot.at as usize..][..slot.width.div_ceil(64) as usize]
    }

    fn get_mut(&mut self, slot: Slot) -> &mut [u64] {
        &mut self.limbs[slot.at as usize..][..slot.width.div_ceil(64) as usize]
    }

    fn put(&mut self, slot: Slot, limbs: &[u64]) {
        self.get_mut(slot).copy_from_slice(limbs);
    }

    fn copy(&mut self, from: Slot, to: Slot) {
        let from = from.at as usize;
        let limbs = to.width.div_ceil(64) as usize;
        self.limbs.copy_within(from..from + limbs, to.at as usize);
    }

    fn bits(&self, slot: Slot) -> Bits {
        Bits::from_limbs(self.get(slot), slot.width)
    }

    fn bytes(&self, slot: Slot) -> impl Iterator<Item = u8> + '_ {
        let limbs = self.get(slot);
        (0..slot.width as usize / 8).map(|i| (limbs[i / 8] >> (i % 8 * 8)) as u8)
    }

    fn set_bytes(&mut self, slot: Slot, bytes: impl Iterator<Item = u8>) {
        let limbs = self.get_mut(slot);
        limbs.fill(0);
        for (i, byte) in bytes.enumerate() {
            limbs[i / 8] |= u64::from(byte) << (i % 8 * 8);
        }
    }

    /// An effect that does not happen: its results are 0.
    fn skip(&mut self, action: &Action) {
        match *action {
            Action::Load { result, .. }
            | Action::MapLoad { result, .. }
            | Action::MapAtomic { old: result, .. }
            | Action::MapUpdate { result, .. }
            | Action::MapDelete { result, .. } => self.get_mut(result).fill(0),
            Action::MapLookup { hit, entry, .. } => {
                self.set_word(hit, 0);
                self.set_word(entry, 0);
            }
            _ => {}
        }
    }

    fn act(&mut self, action: &Action, maps: &mut Maps, length: usize, context: &Sideband) {
        match *action {
            Action::Small {
                ref op,
                result,
                args,
                arg_width,
            } => {
                let args = args.map(|at| self.limbs[at as usize]);
                let value = eval_u64(op, args, arg_width, result.width);
                self.set_word(result, value.expect("prepared as a small operation"));
            }
            Action::Slice { result, from, lo } => self.slice(result, from, lo),
            Action::Concat { result, ref parts } => self.concat(result, parts),
            Action::Select {
                result,
                cond,
                yes,
                no,
            } => {
                let from = if self.word(cond) == 1 { yes } else { no };
                self.copy(from, result);
            }
            Action::Wide {
                ref op,
                result,
                ref args,
            } => {
                let args: Vec<Bits> = args.iter().map(|arg| self.bits(*arg)).collect();
                let value = eval_pure(op, &args, result.width).expect("prepared as pure");
                self.put(result, value.limbs());
            }
            Action::Input { result, input } => {
                let value = match input {
                    Input::Length => length as u64 & 0xffff,
                    Input::Ingress => u64::from(context.ingress),
                    Input::Queue => u64::from(context.queue),
                    Input::Egress => u64::from(context.egress),
                    Input::Time => context.time_ns,
                    Input::Random => u64::from(context.random),
                    Input::Sum => self.sum.expect("prepared with it"),
                    Input::Own { lo, width } => {
                        let shifted = context.own.checked_shr(lo.into()).unwrap_or(0);
                        shifted & (u64::MAX >> (64 - u32::from(width.clamp(1, 64))))
                    }
                };
                self.set_word(result, value);
            }
            Action::Load {
                memory,
                result,
                offset,
            } => {
                let offset = self.word(offset);
                let count = u64::from(result.width / 8);
                // The memory is taken out, because reading it while values are written would borrow twice.
                match memory {
                    Memory::Stack => {
                        let stack = std::mem::take(&mut self.stack);
                        let bytes = (0..count).map(|i| byte_at(&stack, offset.wrapping_add(i)));
                        self.set_bytes(result, bytes);
                        self.stack = stack;
                    }
                    Memory::Packet => {
                        let packet = std::mem::take(&mut self.packet);
                        let bytes = (0..count).map(|i| packet.byte(offset.wrapping_add(i)));
                        self.set_bytes(result, bytes);
                        self.packet = packet;
                    }
                }
            }
            Action::Store {
                memory,
                offset,
                value,
            } => {
                let offset = self.word(offset);
                match memory {
                    Memory::Stack => {
                        let mut stack = std::mem::take(&mut self.stack);
                        for (i, byte) in self.bytes(value).enumerate() {
                            set_byte(&mut stack, offset.wrapping_add(i as u64), byte);
                        }
                        self.stack = stack;
                    }
                    Memory::Packet => {
                        let mut packet = std::mem::take(&mut self.packet);
                        for (i, byte) in self.bytes(value).enumerate() {
                            packet.set_byte(offset.wrapping_add(i as u64), byte);
                        }
                        self.packet = packet;
                    }
                }
            }
            Action::PacketClear { from } => {
                let from = self.word(from) as i64;
                self.packet.clear_from(from);
            }
            Action::Whole { .. } => self.whole(action),
            _ => self.act_on_map(action, maps),
        }
    }

    fn act_on_map(&mut self, action: &Action, maps: &mut Maps) {
        match *action {
            Action::MapLookup {
                map,
                key,
                hit,
                entry,
            } => {
                let key = self.byte_buffer(key);
                let found = maps.look_up(map, &key);
                self.set_word(hit, u64::from(found.is_some()));
                self.set_word(entry, u64::from(found.unwrap_or(0)));
            }
            Action::MapLoad {
                map,
                result,
                entry,
                offset,
            } => self.map_load(maps, map, entry, offset, result),
            Action::MapStore {
                map,
                entry,
                offset,
                value,
            } => {
                if let Some(to) = maps.value_mut(map, self.word(entry) as u32) {
                    let offset = self.word(offset) as u32;
                    for (i, byte) in self.bytes(value).enumerate() {
                        set_byte(to, offset.wrapping_add(i as u32).into(), byte);
                    }
                }
            }
            Action::MapAtomic {
                map,
                op,
                old,
                entry,
                offset,
                operand,
                expected,
            } => {
                self.map_load(maps, map, entry, offset, old);
                let (found, operand) = (self.bits(old), self.bits(operand));
                let new = match op {
                    AtomicOp::Add => found.add(&operand),
                    AtomicOp::And => found.and(&operand),
                    AtomicOp::Or => found.or(&operand),
                    AtomicOp::Xor => found.xor(&operand),
                    AtomicOp::Xchg => operand,
                    AtomicOp::CmpXchg if found == self.bits(expected) => operand,
                    AtomicOp::CmpXchg => found,
                };
                if let Some(to) = maps.value_mut(map, self.word(entry) as u32) {
                    let offset = self.word(offset) as u32;
                    for (i, byte) in new.to_bytes().into_iter().enumerate() {
                        set_byte(to, offset.wrapping_add(i as u32).into(), byte);
                    }
                }
            }
            Action::MapUpdate {
                map,
                result,
                key,
                value,
                may,
            } => {
                let key = self.byte_buffer(key);
                let value = self.byte_buffer(value);
                let may = May::from_bits(self.word(may) as u32);
                let answer = maps.update(map, &key, &value, may);
                self.set_word(result, answer.code().into());
            }
            Action::MapDelete { map, result, key } => {
                let key = self.byte_buffer(key);
                let answer = maps.delete(map, &key);
                self.set_word(result, answer.code().into());
            }
            _ => unreachable!("only map actions come here"),
        }
    }

    fn map_load(&mut self, maps: &Maps, map: MapId, entry: Slot, offset: Slot, result: Slot) {
        let value = maps.value(map, self.word(entry) as u32).unwrap_or(&[]);
        let offset = self.word(offset) as u32;
        let bytes = (0..result.width / 8).map(|i| byte_at(value, offset.wrapping_add(i).into()));
        self.set_bytes(result, bytes);
    }

    fn byte_buffer(&self, slot: Slot) -> smallvec::SmallVec<[u8; 64]> {
        self.bytes(slot).collect()
    }

    fn slice(&mut self, result: Slot, from: Slot, lo: u32) {
        let source = from.at as usize;
        let length = from.width.div_ceil(64) as usize;
        let (skipped, bits) = (lo as usize / 64, lo % 64);
        let count = result.width.div_ceil(64) as usize;
        for i in 0..count {
            let limb = |index: usize| {
                if index < length {
                    self.limbs[source + index]
                } else {
                    0
                }
            };
            let mut word = limb(i + skipped) >> bits;
            if bits > 0 {
                word |= limb(i + skipped + 1) << (64 - bits);
            }
            self.limbs[result.at as usize + i] = word;
        }
        if !result.width.is_multiple_of(64) {
            self.limbs[result.at as usize + count - 1] &= u64::MAX >> (64 - result.width % 64);
        }
    }

    fn concat(&mut self, result: Slot, parts: &[(Slot, u32)]) {
        self.get_mut(result).fill(0);
        for &(part, lo) in parts {
            let (skipped, bits) = (lo as usize / 64, lo % 64);
            let to = result.at as usize + skipped;
            for i in 0..part.width.div_ceil(64) as usize {
                let limb = self.limbs[part.at as usize + i];
                self.limbs[to + i] |= limb << bits;
                let high = if bits > 0 { limb >> (64 - bits) } else { 0 };
                if high != 0 {
                    self.limbs[to + i + 1] |= high;
                }
            }
        }
    }
}

/// The byte at an offset, 0 behind the end.
fn byte_at(bytes: &[u8], offset: u64) -> u8 {
    let index = usize::try_from(offset).unwrap_or(usize::MAX);
    bytes.get(index).copied().unwrap_or(0)
}

/// Writes a byte; behind the end it vanishes.
fn set_byte(bytes: &mut [u8], offset: u64, byte: u8) {
    let index = usize::try_from(offset).unwrap_or(usize::MAX);
    if let Some(to) = bytes.get_mut(index) {
        *to = byte;
    }
}

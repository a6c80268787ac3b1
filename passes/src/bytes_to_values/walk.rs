//! Follows the contents of a memory through the blocks.

use super::atoms::{Atom, Atoms, Found};
use super::{Access, Memory};
use crate::rewrite::targets_mut;
use cranelift_entity::SecondaryMap;
use hardpath_ir::{
    Bits, Block, BlockData, Inst, InstData, Op, PlaceId, Program, Terminator, Value, ValueDef,
};
use std::collections::HashMap;

/// A block that emits may compute so much and still be copied: what leaves, and for which destination, takes some twenty
/// operations.
const MOST_COPIED: usize = 32;

/// The value of each atom; `None`: as it was at first.
type Contents = Vec<Option<Value>>;

/// Removes every access of the memory; see the parent module.
pub fn promote(
    program: &mut Program,
    memory: Memory,
    accesses: &HashMap<Inst, Access>,
    atoms: &Atoms,
) {
    let live = match memory {
        Memory::Stack => live_atoms(program, memory, accesses, atoms),
        Memory::Packet => SecondaryMap::with_default(vec![true; atoms.len()]),
    };
    let mut walk = Walk {
        memory,
        before_zero: memory.before_zero(program.limits),
        accesses,
        atoms,
        live,
        contents: SecondaryMap::new(),
        original: vec![None; atoms.len()],
        reads: Vec::new(),
        replaced: HashMap::new(),
        entry: Vec::new(),
        insts: Vec::new(),
        place: None,
    };
    walk.run(program);
}

/// Which atoms somebody reads later, before they are overwritten, at the beginning of each block.
fn live_atoms(
    program: &Program,
    memory: Memory,
    accesses: &HashMap<Inst, Access>,
    atoms: &Atoms,
) -> SecondaryMap<Block, Vec<bool>> {
    let mut live: SecondaryMap<Block, Vec<bool>> =
        SecondaryMap::with_default(vec![false; atoms.len()]);
    for &block in program.order.iter().rev() {
        let data = &program.blocks[block];
        let mut here = vec![false; atoms.len()];
        for target in data.terminator.targets() {
            for (here, there) in here.iter_mut().zip(&live[target.block]) {
                *here |= there;
            }
        }
        for inst in data.insts.iter().rev() {
            let Some(access) = accesses.get(inst) else {
                continue;
            };
            let reads = memory.is_load(&program.insts[*inst].op);
            if !reads && access.offsets.len() > 1 {
                continue;
            }
            for &offset in &access.offsets {
                for found in atoms.at(offset, access.bytes) {
                    if let Found::Atom(index) = found {
                        here[index] = reads;
                    }
                }
            }
        }
        live[block] = here;
    }
    live
}

struct Walk<'a> {
    memory: Memory,
    /// Bytes of it at negative offsets.
    before_zero: u64,
    accesses: &'a HashMap<Inst, Access>,
    atoms: &'a Atoms,
    live: SecondaryMap<Block, Vec<bool>>,
    /// At the end of each block.
    contents: SecondaryMap<Block, Contents>,
    /// The first contents of each atom, when somebody needs them. In the packet: a slice whose argument is filled in
    /// at the end.
    original: Vec<Option<Value>>,
    /// Runs of atoms that one load has read as they were at first, with that load.
    reads: Vec<(Vec<usize>, Option<Inst>)>,
    /// Results of loads.
    replaced: HashMap<Value, Value>,
    /// Instructions for the beginning of the entry block.
    entry: Vec<Inst>,
    insts: Vec<Inst>,
    place: Option<PlaceId>,
}

impl Walk<'_> {
    fn run(&mut self, program: &mut Program) {
        let mut incoming: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        let mut order = Vec::with_capacity(program.order.len());
        for (index, block) in std::mem::take(&mut program.order).into_iter().enumerate() {
            if index > 0 && incoming[block].is_empty() {
                continue;
            }
            for copy in self.one_for_each_written_set(program, block, &mut incoming) {
                order.push(copy);
                let contents = self.join(program, copy, &incoming[copy]);
                self.walk_block(program, copy, contents);
                for target in program.blocks[copy].terminator.targets() {
                    if incoming[target.block].last() != Some(&copy) {
                        incoming[target.block].push(copy);
                    }
                }
            }
        }
        program.order = order;
        self.make_original_loads(program);
        let entry = program.order[0];
        let rest = std::mem::take(&mut program.blocks[entry].insts);
        program.blocks[entry].insts = std::mem::take(&mut self.entry);
        program.blocks[entry].insts.extend(rest);
        program.replace_all(&self.replaced);
    }

    /// A block that only computes and emits, once for each set of packet atoms that the ways into it have written.
    fn one_for_each_written_set(
        &self,
        program: &mut Program,
        block: Block,
        incoming: &mut SecondaryMap<Block, Vec<Block>>,
    ) -> Vec<Block> {
        let data = &program.blocks[block];
        let only_emits = matches!(data.terminator, Terminator::Emit(_))
            && data.insts.len() <= MOST_COPIED
            && data
                .insts
                .iter()
                .all(|&inst| is_cheap(&program.insts[inst].op));
        if self.memory == Memory::Stack || !only_emits {
            return vec![block];
        }
        let mut groups: Vec<(Vec<bool>, Vec<Block>)> = Vec::new();
        for &from in &incoming[block] {
            let written: Vec<bool> = self.contents[from].iter().map(Option::is_some).collect();
            match groups.iter_mut().find(|(other, _)| *other == written) {
                Some((_, blocks)) => blocks.push(from),
                None => groups.push((written, vec![from])),
            }
        }
        let mut copies = vec![block];
        for (_, from) in groups.iter().skip(1) {
            let copy = copy_emit_block(program, block);
            for &from in from {
                for target in targets_mut(&mut program.blocks[from].terminator) {
                    if target.block == block {
                        target.block = copy;
                    }
                }
            }
            incoming[copy] = from.clone();
            copies.push(copy);
        }
        if let Some((_, first)) = groups.into_iter().next() {
            incoming[block] = first;
        }
        copies
    }

    /// The contents at the beginning of a block.
    fn join(&mut self, program: &mut Program, block: Block, incoming: &[Block]) -> Contents {
        let mut joined = vec![None; self.atoms.len()];
        self.place = program.blocks[block].place;
        for (index, joined) in joined.iter_mut().enumerate() {
            let given: Vec<Option<Value>> = incoming
                .iter()
                .map(|&from| self.contents[from][index])
                .collect();
            let Some(&first) = given.first() else {
                continue;
            };
            if given.iter().all(|&value| value == first) {
                *joined = first;
                continue;
            }
            if !self.live[block][index] {
                continue;
            }
            let param = program.add_param(block, self.atoms.get(index).bytes as u32 * 8);
            for (&from, value) in incoming.iter().zip(given) {
                let value = value.unwrap_or_else(|| self.original(program, index, None));
                for target in targets_mut(&mut program.blocks[from].terminator) {
                    if target.block == block {
                        target.args.push(value);
                    }
                }
            }
            *joined = Some(param);
        }
        joined
    }

    fn walk_block(&mut self, program: &mut Program, block: Block, mut contents: Contents) {
        for inst in std::mem::take(&mut program.blocks[block].insts) {
            self.place = program.insts[inst].place;
            if self.memory == Memory::Packet && program.insts[inst].op == Op::PacketClear {
                let from = self.resolve(program.insts[inst].args[0]);
                self.clear(program, from, &mut contents);
                continue;
            }
            let Some(access) = self.accesses.get(&inst) else {
                self.insts.push(inst);
                continue;
            };
            let offset = self.resolve(program.insts[inst].args[0]);
            if self.memory.is_load(&program.insts[inst].op) {
                let result = program.insts[inst].results[0];
                let value = self.load(program, inst, access, offset, &contents);
                if let Some(name) = program.values[result].name.clone() {
                    if program.as_const(value).is_none() {
                        program.name_value(value, &name);
                    }
                }
                self.replaced.insert(result, value);
            } else {
                let value = self.resolve(program.insts[inst].args[1]);
                self.store(program, access, offset, value, &mut contents);
            }
        }
        if matches!(program.blocks[block].terminator, Terminator::Emit(_))
            && self.memory == Memory::Packet
        {
            self.place = program.blocks[block].place;
            self.write_back(program, &contents);
        }
        program.blocks[block].insts = std::mem::take(&mut self.insts);
        self.contents[block] = contents;
    }

    fn resolve(&self, value: Value) -> Value {
        self.replaced.get(&value).copied().unwrap_or(value)
    }

    fn make(&mut self, program: &mut Program, op: Op, args: Vec<Value>, width: u32) -> Value {
        let inst = program.make_inst(op, args, &[width], self.place);
        self.insts.push(inst);
        program.insts[inst].results[0]
    }

    fn constant(&mut self, program: &mut Program, bits: Bits) -> Value {
        let width = bits.width();
        self.make(program, Op::Const(bits), Vec::new(), width)
    }

    fn load(
        &mut self,
        program: &mut Program,
        inst: Inst,
        access: &Access,
        offset: Value,
        contents: &Contents,
    ) -> Value {
        // Loads at several places are no reason to read these places together.
        let alone = access.offsets.len() == 1;
        let places: Vec<(u64, Value)> = access
            .offsets
            .iter()
            .map(|&place| {
                let load = alone.then_some(inst);
                let value = self.load_at(program, place, access.bytes, load, contents);
                (self.offset_of(place), value)
            })
            .collect();
        self.choose(program, offset, &places)
    }

    fn load_at(
        &mut self,
        program: &mut Program,
        offset: u64,
        bytes: u64,
        load: Option<Inst>,
        contents: &Contents,
    ) -> Value {
        let mut parts = Vec::new();
        let mut run = Vec::new();
        for found in self.atoms.at(offset, bytes) {
            match found {
                Found::Outside(bytes) => {
                    parts.push(self.constant(program, Bits::zero(bytes as u32 * 8)));
                }
                Found::Atom(index) => match contents[index] {
                    Some(value) => parts.push(value),
                    None => {
                        parts.push(self.original(program, index, load));
                        run.push(index);
                        continue;
                    }
                },
            }
            self.note_read(std::mem::take(&mut run), load);
        }
        self.note_read(run, load);
        parts.reverse();
        match parts[..] {
            [whole] => whole,
            _ => self.make(program, Op::Concat, parts, bytes as u32 * 8),
        }
    }

    fn note_read(&mut self, run: Vec<usize>, load: Option<Inst>) {
        if !run.is_empty() && load.is_some() {
            self.reads.push((run, load));
        }
    }

    /// A decision tree on bits of the offset, which is one of the places.
    fn choose(&mut self, program: &mut Program, offset: Value, places: &[(u64, Value)]) -> Value {
        if let [(_, value)] = places {
            return *value;
        }
        let width = program.width(offset);
        let uneven = |bit: &u32| {
            let ones = places.iter().filter(|(place, _)| place >> bit & 1 == 1);
            (ones.count() * 2).abs_diff(places.len())
        };
        let bit = (0..width).min_by_key(uneven).unwrap_or(0);
        let (ones, zeros): (Vec<_>, Vec<_>) =
            places.iter().partition(|(place, _)| place >> bit & 1 == 1);
        let yes = self.choose(program, offset, &ones);
        let no = self.choose(program, offset, &zeros);
        let condition = self.make(program, Op::Slice { lo: bit }, vec![offset], 1);
        let width = program.width(yes);
        self.make(program, Op::Select, vec![condition, yes, no], width)
    }

    fn store(
        &mut self,
        program: &mut Program,
        access: &Access,
        offset: Value,
        value: Value,
        contents: &mut Contents,
    ) {
        let alone = access.offsets.len() == 1;
        for &place in &access.offsets {
            let condition = (!alone).then(|| {
                let width = program.width(offset);
                let place = Bits::from_u64(self.offset_of(place), width);
                let place = self.constant(program, place);
                self.make(program, Op::Eq, vec![offset, place], 1)
            });
            let mut lo = 0;
            for found in self.atoms.at(place, access.bytes) {
                let index = match found {
                    Found::Outside(bytes) => {
                        lo += bytes as u32 * 8;
                        continue;
                    }
                    Found::Atom(index) => index,
                };
                let width = self.atoms.get(index).bytes as u32 * 8;
                let part = if width == program.width(value) {
                    value
                } else {
                    self.make(program, Op::Slice { lo }, vec![value], width)
                };
                lo += width;
                contents[index] = Some(match condition {
                    None => part,
                    Some(condition) => {
                        let old = match contents[index] {
                            Some(old) => old,
                            None => self.original(program, index, None),
                        };
                        self.make(program, Op::Select, vec![condition, part, old], width)
                    }
                });
            }
        }
    }

    /// Makes every byte from an offset on zero.
    fn clear(&mut self, program: &mut Program, from: Value, contents: &mut Contents) {
        for (index, content) in contents.iter_mut().enumerate() {
            let Atom { start, bytes } = self.atoms.get(index);
            let old = match *content {
                Some(old) => old,
                None => self.original(program, index, None),
            };
            let mask: Vec<Value> = (start..start + bytes)
                .rev()
                .map(|place| {
                    let place = Bits::from_u64(self.offset_of(place), 64);
                    let place = self.constant(program, place);
                    let kept = self.make(program, Op::Slt, vec![place, from], 1);
                    self.make(program, Op::SExt, vec![kept], 8)
                })
                .collect();
            let width = bytes as u32 * 8;
            let mask = self.make(program, Op::Concat, mask, width);
            *content = Some(self.make(program, Op::And, vec![old, mask], width));
        }
    }

    /// The offset in the program of a place in the memory.
    fn offset_of(&self, place: u64) -> u64 {
        place.wrapping_sub(self.before_zero)
    }

    /// What an atom held at first. Zeros on the stack and in the headroom, a part of the packet as it came in.
    fn original(&mut self, program: &mut Program, index: usize, load: Option<Inst>) -> Value {
        if let Some(value) = self.original[index] {
            return value;
        }
        let Atom { start, bytes } = self.atoms.get(index);
        let width = bytes as u32 * 8;
        let (op, place) = match self.memory {
            Memory::Stack => (Op::Const(Bits::zero(width)), None),
            Memory::Packet if start < self.before_zero => (Op::Const(Bits::zero(width)), None),
            Memory::Packet => {
                let place = load.and_then(|load| program.insts[load].place);
                (Op::Slice { lo: 0 }, place.or(self.place))
            }
        };
        let inst = program.make_inst(op, Vec::new(), &[width], place);
        self.entry.push(inst);
        let value = program.insts[inst].results[0];
        self.original[index] = Some(value);
        value
    }

    /// Stores what the program has written, before an emit.
    fn write_back(&mut self, program: &mut Program, contents: &Contents) {
        for (index, &value) in contents.iter().enumerate() {
            if let Some(value) = value.filter(|_| value != self.original[index]) {
                let start = self.offset_of(self.atoms.get(index).start);
                let offset = self.constant(program, Bits::from_u64(start, 64));
                let place = self.place;
                let store = program.make_inst(Op::PacketStore, vec![offset, value], &[], place);
                self.insts.push(store);
            }
        }
    }

    /// Gives the packet's original atoms their loads: one for each set of atoms that overlapping reads connect.
    fn make_original_loads(&mut self, program: &mut Program) {
        if self.memory == Memory::Stack {
            return;
        }
        let slices = std::mem::take(&mut self.entry);
        // An atom is joined to the next one when one load has read both.
        let mut joined = vec![false; self.atoms.len()];
        for (run, _) in &self.reads {
            for pair in run.windows(2) {
                joined[pair[0]] |= pair[1] == pair[0] + 1;
            }
        }
        let mut loads: Vec<Inst> = Vec::new();
        let zero = self.before_zero;
        // The headroom is not read.
        let mut index = (0..self.atoms.len())
            .find(|index| self.atoms.get(*index).start >= zero)
            .unwrap_or(self.atoms.len());
        while index < self.atoms.len() {
            let first = index;
            while joined[index] {
                index += 1;
            }
            index += 1;
            let parts: Vec<Value> = (first..index)
                .filter_map(|part| self.original[part])
                .collect();
            let Some(&one) = parts.first() else {
                continue;
            };
            let start = self.atoms.get(first).start;
            let last = self.atoms.get(index - 1);
            let width = (last.start + last.bytes - start) as u32 * 8;
            let place = program.def_inst(one).and_then(|inst| inst.place);
            let start_offset = start - zero;
            let offset = Bits::from_u64(start_offset, 64);
            let offset = program.make_inst(Op::Const(offset), Vec::new(), &[64], None);
            let offset_value = program.insts[offset].results[0];
            let load = program.make_inst(Op::PacketLoad, vec![offset_value], &[width], place);
            loads.extend([offset, load]);
            let whole = program.insts[load].results[0];
            for part in first..index {
                let Some(value) = self.original[part] else {
                    continue;
                };
                let lo = (self.atoms.get(part).start - start) as u32 * 8;
                if let ValueDef::Result(slice, _) = program.values[value].def {
                    program.insts[slice].op = Op::Slice { lo };
                    program.insts[slice].args = vec![whole];
                }
            }
            let name = match parts[..] {
                [one] => program.values[one].name.clone(),
                _ => None,
            };
            let name = name.unwrap_or_else(|| format!("packet_{start_offset}"));
            program.name_value(whole, &name);
        }
        self.entry = loads;
        self.entry.extend(slices);
    }
}

/// It has no effect, and hardware for it may stand there more than once.
fn is_cheap(op: &Op) -> bool {
    let is_large = matches!(op, Op::Mul | Op::UDiv | Op::URem | Op::SDiv | Op::SRem);
    op.is_pure() && !is_large
}

/// A copy of a block that has no effects and ends in emit.
fn copy_emit_block(program: &mut Program, block: Block) -> Block {
    let BlockData {
        params,
        insts,
        terminator,
        place,
        ..
    } = program.blocks[block].clone();
    let copy = program.add_block();
    program.order.pop();
    program.blocks[copy].place = place;
    let mut became = HashMap::new();
    for param in params {
        let width = program.width(param);
        let name = program.values[param].name.clone();
        let new = program.add_param(copy, width);
        program.values[new].name = name;
        became.insert(param, new);
    }
    for inst in insts {
        let InstData {
            op,
            mut args,
            results,
            place,
            ..
        } = program.insts[inst].clone();
        for arg in &mut args {
            *arg = became.get(arg).copied().unwrap_or(*arg);
        }
        let width = program.width(results[0]);
        let new = program.append1(copy, op, args, width, place);
        program.values[new].name = program.values[results[0]].name.clone();
        became.insert(results[0], new);
    }
    let mut terminator = terminator;
    for value in terminator.uses_mut() {
        *value = became.get(value).copied().unwrap_or(*value);
    }
    program.blocks[copy].terminator = terminator;
    copy
}

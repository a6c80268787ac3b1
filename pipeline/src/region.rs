//! Rebuilding the one region of a dataflow program from front to back.

use hardpath_ir::{Bits, Block, Inst, InstData, MapId, Op, PlaceId, Program, Value, ValueDef};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Takes the instructions of the region out and puts others in, in order, with values renamed on the way.
pub struct Rebuild<'a> {
    /// The region has what was kept or appended so far.
    pub program: &'a mut Program,
    region: Block,
    renamed: HashMap<Value, Value>,
    /// What the region computes so far: an operation with its arguments and the width of its result.
    computed: HashMap<(Op, Vec<Value>, u32), Value>,
}

impl<'a> Rebuild<'a> {
    /// Empties the region; gives what was in it.
    pub fn start(program: &'a mut Program) -> (Rebuild<'a>, Vec<Inst>) {
        let region = program.region();
        let old = std::mem::take(&mut program.blocks[region].insts);
        let rebuild = Rebuild {
            program,
            region,
            renamed: HashMap::new(),
            computed: HashMap::new(),
        };
        (rebuild, old)
    }

    /// What a value of the old region is called now.
    pub fn now(&self, value: Value) -> Value {
        self.renamed.get(&value).copied().unwrap_or(value)
    }

    /// From here on, `new` stands where `old` stood.
    pub fn rename(&mut self, old: Value, new: Value) {
        let (old_data, new_data) = (&self.program.values[old], &self.program.values[new]);
        if new_data.name.is_none() && old_data.name.is_some() {
            self.program.values[new].name = old_data.name.clone();
        }
        self.renamed.insert(old, new);
    }

    /// Keeps an instruction of the old region.
    pub fn keep(&mut self, inst: Inst) {
        let mut data: InstData = self.program.insts[inst].clone();
        for arg in &mut data.args {
            *arg = self.now(*arg);
        }
        data.guard = data.guard.map(|guard| self.now(guard));
        if data.op.is_pure() && data.guard.is_none() {
            let width = self.width(data.results[0]);
            let computation = (data.op.clone(), data.args.clone(), width);
            self.computed.entry(computation).or_insert(data.results[0]);
        }
        self.program.insts[inst] = data;
        self.program.blocks[self.region].insts.push(inst);
    }

    /// Appends an instruction.
    pub fn push(
        &mut self,
        op: Op,
        args: Vec<Value>,
        widths: &[u32],
        guard: Option<Value>,
        place: Option<PlaceId>,
    ) -> Inst {
        let inst = self.program.append(self.region, op, args, widths, place);
        self.program.insts[inst].guard = guard;
        inst
    }

    /// The result of a pure operation, which is appended unless the region computes it already.
    pub fn op(&mut self, op: Op, args: Vec<Value>, width: u32) -> Value {
        let computation = (op, args, width);
        if let Some(result) = self.computed.get(&computation) {
            return *result;
        }
        let (op, args, _) = computation.clone();
        let inst = self.push(op, args, &[width], None, None);
        let result = self.program.insts[inst].results[0];
        self.computed.insert(computation, result);
        result
    }

    /// The low `width` bits of a number, as a constant.
    pub fn constant(&mut self, value: u64, width: u32) -> Value {
        self.constant_bits(Bits::from_u64(value, width))
    }

    /// A constant of any width.
    pub fn constant_bits(&mut self, bits: Bits) -> Value {
        let width = bits.width();
        self.op(Op::Const(bits), Vec::new(), width)
    }

    /// Zeros of any width.
    pub fn zeros(&mut self, width: u32) -> Value {
        self.constant_bits(Bits::zero(width))
    }

    /// Of a value in bits, be it of the old region or of the new one.
    pub fn width(&self, value: Value) -> u32 {
        self.program.width(value)
    }

    /// Bits `lo .. lo + width` of a value.
    pub fn slice(&mut self, value: Value, lo: u32, width: u32) -> Value {
        if lo == 0 && width == self.width(value) {
            return value;
        }
        self.op(Op::Slice { lo }, vec![value], width)
    }

    /// Extends with zeros or cuts off.
    pub fn resize(&mut self, value: Value, width: u32) -> Value {
        if width <= self.width(value) {
            self.slice(value, 0, width)
        } else {
            self.op(Op::ZExt, vec![value], width)
        }
    }

    /// `guard` (absent: always) ? `yes` : `no`.
    pub fn select(&mut self, guard: Option<Value>, yes: Value, no: Value) -> Value {
        match guard {
            None => yes,
            Some(guard) => {
                let width = self.width(yes);
                self.op(Op::Select, vec![guard, yes, no], width)
            }
        }
    }

    /// Or of two conditions, `None` being always true.
    pub fn or(&mut self, a: Option<Value>, b: Option<Value>) -> Option<Value> {
        match (a, b) {
            (Some(a), Some(b)) if a == b => Some(a),
            (Some(a), Some(b)) => Some(self.op(Op::Or, vec![a, b], 1)),
            _ => None,
        }
    }

    /// And of two conditions, `None` being always true.
    pub fn and(&mut self, a: Option<Value>, b: Option<Value>) -> Option<Value> {
        match (a, b) {
            (Some(a), Some(b)) if a == b => Some(a),
            (Some(a), Some(b)) => Some(self.op(Op::And, vec![a, b], 1)),
            (one, None) | (None, one) => one,
        }
    }

    /// Renames what the terminator uses.
    pub fn finish(self) {
        let mut terminator = self.program.blocks[self.region].terminator.clone();
        for value in terminator.uses_mut() {
            *value = self.renamed.get(value).copied().unwrap_or(*value);
        }
        self.program.blocks[self.region].terminator = terminator;
    }
}

/// Sorts the region: values before their uses; of each map the lookups and loads, then the stores, then updates and
/// deletes in the order in which they stand. Otherwise the order stays as it is.
///
/// # Errors
/// A circle of dependences, each instruction before those that need it to come before them, the last one before the first; then
/// the order is as it was.
pub fn sort(program: &mut Program) -> Result<(), Vec<Inst>> {
    let region = program.region();
    let insts = program.blocks[region].insts.clone();
    let place: HashMap<Inst, usize> = insts
        .iter()
        .enumerate()
        .map(|(at, inst)| (*inst, at))
        .collect();
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); insts.len()];
    let mut waits = vec![0usize; insts.len()];
    let mut edge = |from: usize, to: usize| {
        users[from].push(to);
        waits[to] += 1;
    };
    let mut by_map: HashMap<MapId, [Vec<usize>; 3]> = HashMap::new();
    for (at, inst) in insts.iter().enumerate() {
        let data = &program.insts[*inst];
        for value in data.args.iter().chain(&data.guard) {
            if let ValueDef::Result(maker, _) = program.values[*value].def {
                if let Some(from) = place.get(&maker) {
                    edge(*from, at);
                }
            }
        }
        let rank = match data.op {
            Op::MapLookup(_) | Op::MapLoad(_) => 0,
            Op::MapStore(_) | Op::MapAtomic(..) => 1,
            _ => 2,
        };
        if let Some(map) = data.op.map() {
            by_map.entry(map).or_default()[rank].push(at);
        }
    }
    for [reads, stores, changes] in by_map.values() {
        for write in stores.iter().chain(changes.first()) {
            reads.iter().for_each(|read| edge(*read, *write));
        }
        if let Some(change) = changes.first() {
            stores.iter().for_each(|store| edge(*store, *change));
        }
        changes.windows(2).for_each(|pair| edge(pair[0], pair[1]));
    }
    let mut ready: BinaryHeap<Reverse<usize>> = (0..insts.len())
        .filter(|at| waits[*at] == 0)
        .map(Reverse)
        .collect();
    let mut sorted = Vec::with_capacity(insts.len());
    while let Some(Reverse(at)) = ready.pop() {
        sorted.push(insts[at]);
        for user in std::mem::take(&mut users[at]) {
            waits[user] -= 1;
            if waits[user] == 0 {
                ready.push(Reverse(user));
            }
        }
    }
    if sorted.len() < insts.len() {
        let circle = circle(&users, &waits);
        return Err(circle.into_iter().map(|at| insts[at]).collect());
    }
    program.blocks[region].insts = sorted;
    Ok(())
}

/// A circle among what waits: everything that waits does so for something that waits, too.
fn circle(users: &[Vec<usize>], waits: &[usize]) -> Vec<usize> {
    let mut waits_for = vec![None; waits.len()];
    for (at, users) in users.iter().enumerate().filter(|(at, _)| waits[*at] > 0) {
        for user in users {
            waits_for[*user].get_or_insert(at);
        }
    }
    let mut way: Vec<usize> = Vec::new();
    let mut at = waits.iter().position(|count| *count > 0);
    while let Some(next) = at {
        if let Some(start) = way.iter().position(|other| *other == next) {
            way.drain(..start);
            break;
        }
        way.push(next);
        at = waits_for[next];
    }
    way.reverse();
    way
}

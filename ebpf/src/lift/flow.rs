//! Basic blocks of a function's reachable instructions, their order, and which registers are live at their beginnings.

use std::collections::{BTreeMap, BTreeSet};

use hardpath_ir::graph::Nesting;
use hardpath_ir::AtomicOp;

use crate::decode::{decode, Operation, Source};
use crate::helper_names::number;
use crate::helpers::argument_count;
use crate::insn::Insn;

/// The control flow of one function.
pub struct Flow {
    /// The function begins with the first one.
    pub blocks: Vec<BasicBlock>,
    pub nesting: Nesting,
    /// The heads of loops that are entered elsewhere, too.
    pub entered_elsewhere: BTreeSet<usize>,
}

/// Instructions that run one after the other.
pub struct BasicBlock {
    /// First slot.
    pub start: usize,
    pub steps: Vec<Step>,
    pub end: BlockEnd,
    /// Registers whose values may be read from here on, one bit each.
    pub live_in: u16,
    /// Begins behind a call of a function of the program's own.
    pub is_behind_call: bool,
}

/// One decoded instruction; `Err` says why it cannot be decoded and ends its block.
#[derive(Clone)]
pub struct Step {
    pub slot: usize,
    pub operation: Result<Operation, String>,
}

/// Where a block goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockEnd {
    /// An `exit`, or an instruction that cannot be decoded.
    Stop,
    Jump(usize),
    /// The last step is a branch.
    Branch {
        taken: usize,
        not_taken: usize,
    },
}

impl BlockEnd {
    pub fn successors(self) -> Vec<usize> {
        match self {
            BlockEnd::Stop => Vec::new(),
            BlockEnd::Jump(next) => vec![next],
            BlockEnd::Branch { taken, not_taken } => vec![taken, not_taken],
        }
    }
}

impl Flow {
    /// The control flow of the function that begins at a slot.
    pub fn new(insns: &[Insn], start: usize) -> Flow {
        let steps = reachable_steps(insns, start);
        let leaders = leaders(&steps, start);
        let numbers: BTreeMap<usize, usize> = leaders
            .iter()
            .enumerate()
            .map(|(number, slot)| (*slot, number))
            .collect();
        let mut blocks: Vec<BasicBlock> = leaders
            .iter()
            .map(|start| block_from(*start, &steps, &numbers))
            .collect();
        let successors: Vec<Vec<usize>> =
            blocks.iter().map(|block| block.end.successors()).collect();
        let nesting = Nesting::new(&successors);
        find_live_registers(&mut blocks, &nesting);
        Flow {
            blocks,
            entered_elsewhere: entered_elsewhere(&successors, &nesting),
            nesting,
        }
    }
}

fn entered_elsewhere(successors: &[Vec<usize>], nesting: &Nesting) -> BTreeSet<usize> {
    let loops = |block: usize| nesting.loops[block].iter().copied();
    let mut found: BTreeSet<usize> = loops(0).filter(|head| *head != 0).collect();
    for (from, targets) in successors.iter().enumerate() {
        for to in targets {
            let entered = loops(*to).filter(|head| head != to);
            found.extend(entered.filter(|head| !nesting.loops[from].contains(head)));
        }
    }
    found
}

impl Flow {
    /// The constants that branches in a loop compare with.
    pub fn compared_in(&self, head: usize) -> Vec<i64> {
        let loops = self.nesting.loops.iter();
        let inside = loops
            .zip(&self.blocks)
            .filter(|(heads, _)| heads.contains(&head));
        let last = inside.filter_map(|(_, block)| block.steps.last());
        last.filter_map(|step| match step.operation {
            Ok(Operation::Branch {
                source: Source::Immediate(number),
                ..
            }) => Some(i64::from(number)),
            _ => None,
        })
        .collect()
    }
}

impl BasicBlock {
    /// The slot of its last instruction.
    pub fn last_slot(&self) -> usize {
        self.steps.last().map_or(self.start, |step| step.slot)
    }
}

/// What follows a step, as slots: the jump's target first. Only existing slots are targets ([`reachable_steps`]).
fn followers(step: &Step, width: usize) -> Vec<usize> {
    let next = step.slot + width;
    match &step.operation {
        Err(_) | Ok(Operation::Exit) => Vec::new(),
        Ok(Operation::Jump { target }) => vec![*target as usize],
        Ok(Operation::Branch { target, .. }) => vec![*target as usize, next],
        Ok(_) => vec![next],
    }
}

/// Decodes an instruction and sees to it that what may follow exists.
fn decode_inside(insns: &[Insn], slot: usize) -> Result<Operation, String> {
    if slot >= insns.len() {
        return Err("the program has no instructions".into());
    }
    let (operation, width) = decode(insns, slot)?;
    let exists = |slot: i64| (0..insns.len() as i64).contains(&slot);
    if let Operation::Jump { target } | Operation::Branch { target, .. } = operation {
        if !exists(target) {
            return Err(format!(
                "it jumps to instruction {target}, which does not exist"
            ));
        }
    }
    let ends = matches!(operation, Operation::Jump { .. } | Operation::Exit);
    if !ends && !exists((slot + width) as i64) {
        return Err("the program goes on behind its last instruction".into());
    }
    Ok(operation)
}

fn width_of(operation: &Result<Operation, String>) -> usize {
    match operation {
        Ok(Operation::LoadImmediate { .. }) => 2,
        _ => 1,
    }
}

fn reachable_steps(insns: &[Insn], start: usize) -> BTreeMap<usize, Step> {
    let mut steps = BTreeMap::new();
    let mut seconds = BTreeSet::new();
    let mut waiting = vec![start];
    while let Some(slot) = waiting.pop() {
        if steps.contains_key(&slot) {
            continue;
        }
        let step = Step {
            slot,
            operation: decode_inside(insns, slot),
        };
        let width = width_of(&step.operation);
        if width == 2 {
            seconds.insert(slot + 1);
        }
        waiting.extend(followers(&step, width));
        steps.insert(slot, step);
    }
    for slot in seconds {
        if let Some(step) = steps.get_mut(&slot) {
            step.operation = Err("a jump goes into the middle of a 64-bit load".into());
        }
    }
    steps
}

/// The first slots of the blocks, the function's first.
fn leaders(steps: &BTreeMap<usize, Step>, start: usize) -> Vec<usize> {
    let mut leaders = BTreeSet::new();
    for step in steps.values() {
        match &step.operation {
            Ok(operation) if may_leave(operation) => leaders.extend(followers(step, 1)),
            _ => {}
        }
    }
    leaders.remove(&start);
    std::iter::once(start).chain(leaders).collect()
}

/// Whether another instruction than the next one may be executed after this one.
fn may_leave(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Jump { .. }
            | Operation::Branch { .. }
            | Operation::CallLocal { .. }
            | Operation::CallRegister { .. }
            | Operation::CallHelper {
                number: number::LOOP
                    | number::TAIL_CALL
                    | number::XDP_ADJUST_HEAD
                    | number::XDP_ADJUST_META
                    | number::XDP_ADJUST_TAIL
            }
    )
}

fn block_from(
    start: usize,
    steps: &BTreeMap<usize, Step>,
    numbers: &BTreeMap<usize, usize>,
) -> BasicBlock {
    let mut block = BasicBlock {
        start,
        steps: Vec::new(),
        end: BlockEnd::Stop,
        live_in: 0,
        is_behind_call: start.checked_sub(1).is_some_and(|before| {
            let step = steps.get(&before);
            matches!(
                step.map(|step| &step.operation),
                Some(Ok(
                    Operation::CallLocal { .. } | Operation::CallRegister { .. }
                ))
            )
        }),
    };
    let mut slot = start;
    while let Some(step) = steps.get(&slot) {
        let next = followers(step, width_of(&step.operation));
        block.steps.push(step.clone());
        let ends_here = matches!(
            step.operation,
            Err(_) | Ok(Operation::Exit | Operation::Jump { .. } | Operation::Branch { .. })
        );
        let known: Vec<usize> = next
            .iter()
            .filter_map(|slot| numbers.get(slot).copied())
            .collect();
        if ends_here || !known.is_empty() {
            block.end = match known.as_slice() {
                [taken, not_taken] => BlockEnd::Branch {
                    taken: *taken,
                    not_taken: *not_taken,
                },
                [only] => BlockEnd::Jump(*only),
                _ => BlockEnd::Stop,
            };
            break;
        }
        slot = next[0];
    }
    block
}

fn find_live_registers(blocks: &mut [BasicBlock], nesting: &Nesting) {
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by_key(|block| std::cmp::Reverse(nesting.position[*block]));
    // One round is enough without loops; each loop around another may need one more.
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for block in &order {
            let mut live = 0;
            for next in blocks[*block].end.successors() {
                live |= blocks[next].live_in;
            }
            for step in blocks[*block].steps.iter().rev() {
                if let Ok(operation) = &step.operation {
                    let (reads, writes) = registers_of(operation);
                    live = live & !writes | reads;
                }
            }
            has_changed |= live != blocks[*block].live_in;
            blocks[*block].live_in = live;
        }
    }
}

/// Registers that an operation reads and writes, one bit each.
pub fn registers_of(operation: &Operation) -> (u16, u16) {
    let bit = |register: u8| 1u16 << register;
    let source_bit = |source: &Source| match source {
        Source::Register(register) => bit(*register),
        Source::Immediate(_) => 0,
    };
    const ARGUMENTS: u16 = 0b11_1110;
    const CALL_WRITES: u16 = 0b11_1111;
    match operation {
        Operation::Alu { dst, source, .. } => (bit(*dst) | source_bit(source), bit(*dst)),
        Operation::Negate { dst, .. } | Operation::Swap { dst, .. } => (bit(*dst), bit(*dst)),
        Operation::Move { dst, source, .. } => (source_bit(source), bit(*dst)),
        Operation::LoadImmediate { dst, .. } => (0, bit(*dst)),
        Operation::Load { dst, base, .. } => (bit(*base), bit(*dst)),
        Operation::Store { base, source, .. } => (bit(*base) | source_bit(source), 0),
        Operation::Atomic { op, base, src, .. } => {
            let expected = if *op == AtomicOp::CmpXchg { bit(0) } else { 0 };
            (bit(*base) | bit(*src) | expected, 0)
        }
        Operation::Jump { .. } => (0, 0),
        Operation::Branch { dst, source, .. } => (bit(*dst) | source_bit(source), 0),
        Operation::CallHelper { number } => {
            let count = argument_count(*number);
            (ARGUMENTS & ((1 << (count + 1)) - 1), CALL_WRITES)
        }
        Operation::CallLocal { .. } | Operation::CallKernel { .. } => (ARGUMENTS, CALL_WRITES),
        Operation::CallRegister { register } => (ARGUMENTS | bit(*register), CALL_WRITES),
        Operation::LegacyPacket => (0, CALL_WRITES),
        Operation::Exit => (bit(0), 0),
    }
}

//! Lays a program out for the interpreter: a place for every value, and for every instruction the fastest action.

use super::ending::{EmitSlots, Left};
use super::packet::PacketMemory;
use super::structure::StructuredEnd;
use super::Prepared;
use crate::structure::{Memory, Whole};
use crate::{AtomicOp, Input, Inst, MapId, Op, Phase, Program, Target, Terminator, Value};
use cranelift_entity::SecondaryMap;

/// A value's place: `limbs[at ..]`, least significant first, bits above the width are 0.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slot {
    pub(super) at: u32,
    pub(super) width: u32,
}

#[derive(Clone, Debug)]
pub(super) struct PreparedBlock {
    pub(super) steps: Vec<Step>,
    pub(super) end: End,
    /// Steps that it counts as: its instructions ([`cost`]) and its end.
    pub(super) cost: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) guard: Option<Slot>,
    pub(super) action: Action,
}

/// What a step does. Loads, stores and keys have the number of bytes that their slot's width says.
#[derive(Clone, Debug)]
pub(super) enum Action {
    /// An operation of at most three arguments; nothing is wider than 64 bits.
    Small {
        op: Op,
        result: Slot,
        args: [u32; 3],
        arg_width: u32,
    },
    /// `result` = bits of `from` from `lo` up, zeros behind its end.
    Slice {
        result: Slot,
        from: Slot,
        lo: u32,
    },
    /// The parts with the place of their lowest bit.
    Concat {
        result: Slot,
        parts: Vec<(Slot, u32)>,
    },
    Select {
        result: Slot,
        cond: Slot,
        yes: Slot,
        no: Slot,
    },
    Wide {
        op: Op,
        result: Slot,
        args: Vec<Slot>,
    },
    Input {
        result: Slot,
        input: Input,
    },
    Load {
        memory: Memory,
        result: Slot,
        offset: Slot,
    },
    Store {
        memory: Memory,
        offset: Slot,
        value: Slot,
    },
    PacketClear {
        from: Slot,
    },
    MapLookup {
        map: MapId,
        key: Slot,
        hit: Slot,
        entry: Slot,
    },
    MapLoad {
        map: MapId,
        result: Slot,
        entry: Slot,
        offset: Slot,
    },
    MapStore {
        map: MapId,
        entry: Slot,
        offset: Slot,
        value: Slot,
    },
    MapAtomic {
        map: MapId,
        op: AtomicOp,
        old: Slot,
        entry: Slot,
        offset: Slot,
        operand: Slot,
        expected: Slot,
    },
    MapUpdate {
        map: MapId,
        result: Slot,
        key: Slot,
        value: Slot,
        may: Slot,
    },
    MapDelete {
        map: MapId,
        result: Slot,
        key: Slot,
    },
    /// The result is empty when there is none.
    Whole {
        whole: Whole,
        result: Slot,
        args: [Slot; 3],
    },
}

/// Where a block goes: the index of the next one, and what is copied into its parameters.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub(super) block: usize,
    pub(super) copies: Vec<(Slot, Slot)>,
}

#[derive(Clone, Debug)]
pub(super) enum End {
    Jump(Edge),
    Branch {
        cond: Slot,
        yes: Edge,
        no: Edge,
    },
    Emit(EmitSlots),
    /// What only a structured program does.
    Structured(StructuredEnd),
}

impl Prepared {
    /// Lays the program out. Panics when it breaks the verifier's rules.
    pub fn new(program: &Program) -> Prepared {
        let mut prepared = Prepared {
            is_structured: program.phase == Phase::Structured,
            blocks: Vec::new(),
            slots: SecondaryMap::new(),
            limbs: Vec::new(),
            stack: vec![0; program.limits.stack as usize],
            packet: PacketMemory::new(program.limits),
            sum: None,
            left: Left::default(),
            way: Vec::new(),
            listed: program.all_blocks().count(),
            calls: Vec::new(),
            loops: Vec::new(),
        };
        for block in program.all_blocks() {
            for &param in &program.blocks[block].params {
                prepared.add_slot(program, param);
            }
            for &inst in &program.blocks[block].insts {
                if program.insts[inst].op == Op::Input(Input::Sum) {
                    prepared.sum = Some(0);
                }
                for &result in &program.insts[inst].results {
                    prepared.add_slot(program, result);
                }
            }
        }
        for (_, inst) in program.insts_in_order() {
            if let Op::Const(bits) = &program.insts[inst].op {
                let slot = prepared.slots[program.insts[inst].results[0]];
                prepared.put(slot, bits.limbs());
            }
        }
        let mut indices = SecondaryMap::new();
        for (index, block) in program.all_blocks().enumerate() {
            indices[block] = index;
        }
        for block in program.all_blocks() {
            let data = &program.blocks[block];
            let steps: Vec<Step> = data
                .insts
                .iter()
                .filter_map(|&inst| prepared.step(program, inst))
                .collect();
            let edge = |target: &Target| Edge {
                block: indices[target.block],
                copies: std::iter::zip(&target.args, &program.blocks[target.block].params)
                    .map(|(from, to)| (prepared.slots[*from], prepared.slots[*to]))
                    .collect(),
            };
            let end = match &data.terminator {
                Terminator::Jump(target) => End::Jump(edge(target)),
                Terminator::Branch { cond, yes, no } => End::Branch {
                    cond: prepared.slots[*cond],
                    yes: edge(yes),
                    no: edge(no),
                },
                Terminator::Emit(emit) => End::Emit(EmitSlots::new(emit, &prepared.slots)),
                Terminator::Return(values) => {
                    let values = values.iter().map(|value| prepared.slots[*value]);
                    End::Structured(StructuredEnd::Return(values.collect()))
                }
                Terminator::None => panic!("{block} has no terminator"),
            };
            let costs = data.insts.iter().map(|inst| cost(program, *inst));
            let cost = costs.sum::<u64>() + 1;
            prepared.blocks.push(PreparedBlock { steps, end, cost });
        }
        if program.phase == Phase::Structured {
            prepared.add_structure(program, &indices);
        }
        prepared
    }

    fn add_slot(&mut self, program: &Program, value: Value) {
        self.slots[value] = self.make_slot(program.width(value));
    }

    pub(super) fn make_slot(&mut self, width: u32) -> Slot {
        let at = self.limbs.len() as u32;
        let limbs = width.div_ceil(64) as usize;
        self.limbs.resize(self.limbs.len() + limbs, 0);
        Slot { at, width }
    }

    /// The step of an instruction; `None` for a constant.
    pub(super) fn step(&self, program: &Program, inst: Inst) -> Option<Step> {
        let data = &program.insts[inst];
        let args: Vec<Slot> = data.args.iter().map(|arg| self.slots[*arg]).collect();
        let results: Vec<Slot> = data.results.iter().map(|r| self.slots[*r]).collect();
        let action = match data.op {
            Op::Const(_) => return None,
            Op::Input(input) => Action::Input {
                result: results[0],
                input,
            },
            Op::StackLoad => load(Memory::Stack, &results, &args),
            Op::PacketLoad => load(Memory::Packet, &results, &args),
            Op::StackStore => store(Memory::Stack, &args),
            Op::PacketStore => store(Memory::Packet, &args),
            Op::PacketClear => Action::PacketClear { from: args[0] },
            Op::MapLookup(map) => Action::MapLookup {
                map,
                key: args[0],
                hit: results[0],
                entry: results[1],
            },
            Op::MapLoad(map) => Action::MapLoad {
                map,
                result: results[0],
                entry: args[0],
                offset: args[1],
            },
            Op::MapStore(map) => Action::MapStore {
                map,
                entry: args[0],
                offset: args[1],
                value: args[2],
            },
            Op::MapAtomic(map, op) => Action::MapAtomic {
                map,
                op,
                old: results[0],
                entry: args[0],
                offset: args[1],
                operand: args[2],
                expected: *args.last().expect("an atomic has arguments"),
            },
            Op::MapUpdate(map) => Action::MapUpdate {
                map,
                result: results[0],
                key: args[0],
                value: args[1],
                may: args[2],
            },
            Op::MapDelete(map) => Action::MapDelete {
                map,
                result: results[0],
                key: args[0],
            },
            // Not a step: see `add_structure`.
            Op::Call(_) => return None,
            Op::Whole(whole) => Action::Whole {
                whole,
                result: results.first().copied().unwrap_or_default(),
                args: [args[0], args[1], args[2]],
            },
            _ => pure(&data.op, results[0], args),
        };
        let guard = data.guard.map(|guard| self.slots[guard]);
        Some(Step { guard, action })
    }
}

/// How many steps an instruction counts as: one, and one more for every 64 bytes that it works on, so that a number of steps
/// is an amount of time. A constant counts as nothing.
pub(super) fn cost(program: &Program, inst: Inst) -> u64 {
    let data = &program.insts[inst];
    let values = data.args.iter().chain(&data.results);
    let widest = values.map(|value| program.width(*value) / 8).max();
    let bytes = match data.op {
        Op::Const(_) => return 0,
        Op::Whole(whole) => whole.up_to(),
        _ => widest.unwrap_or(0),
    };
    1 + u64::from(bytes / 64)
}

fn load(memory: Memory, results: &[Slot], args: &[Slot]) -> Action {
    Action::Load {
        memory,
        result: results[0],
        offset: args[0],
    }
}

fn store(memory: Memory, args: &[Slot]) -> Action {
    Action::Store {
        memory,
        offset: args[0],
        value: args[1],
    }
}

/// The fastest action for a pure operation.
fn pure(op: &Op, result: Slot, args: Vec<Slot>) -> Action {
    let all_small = result.width <= 64 && args.iter().all(|arg| arg.width <= 64);
    match *op {
        Op::Concat => {
            let mut lo = result.width;
            let parts = args
                .into_iter()
                .map(|part| {
                    lo -= part.width;
                    (part, lo)
                })
                .collect();
            Action::Concat { result, parts }
        }
        _ if all_small => {
            let mut places = [0; 3];
            for (place, arg) in places.iter_mut().zip(&args) {
                *place = arg.at;
            }
            Action::Small {
                op: op.clone(),
                result,
                args: places,
                arg_width: args[0].width,
            }
        }
        Op::Slice { lo } => Action::Slice {
            result,
            from: args[0],
            lo,
        },
        Op::ZExt => Action::Slice {
            result,
            from: args[0],
            lo: 0,
        },
        Op::Select => Action::Select {
            result,
            cond: args[0],
            yes: args[1],
            no: args[2],
        },
        _ => Action::Wide {
            op: op.clone(),
            result,
            args,
        },
    }
}

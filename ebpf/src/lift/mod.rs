//! Lifting: from instructions over registers, stack and pointers to IR over values.
//!
//! The instructions are executed once, block by block, each block after all that lead to it, on abstract values:
//! a register holds a number (an IR value) or a pointer of a known kind with an offset (an IR value). So below this
//! module there are no pointers: a packet pointer is its offset, `data_end` is the packet's length, a map value
//! pointer is a map, a hit bit, an entry and an offset, a null check is the hit bit. Where paths meet, numbers and
//! offsets that differ become block parameters ([`join`]). A pointer that is stored on the stack is kept beside
//! the stack's bytes; it never becomes a number.
//!
//! What cannot be lifted is noted and execution goes on with a value that no later error speaks of, so that the
//! user sees all reasons at once.

mod arithmetic;
mod branch;
mod builder;
mod calls;
mod flow;
mod join;
mod maps;
mod memory;
mod names;
mod state;

use std::collections::BTreeMap;

use hardpath_ir::{Block, Diagnostic, Kind, MapId, Place, Program, Target, Terminator};

use crate::decode::Operation;
use crate::insn::Insn;
use crate::object::{place_text, MapRef, Object, ObjectMap, ProgramImage};
use builder::Builder;
use flow::{BlockEnd, Flow};
use join::{join, Edge, Side};
use state::{AbstractValue, Operand, State};

/// Lifts an XDP program of an object.
///
/// # Errors
/// Everything that hardpath does not build, each with its place, and what went wrong when the program was linked.
pub fn lift(object: &Object, program: &ProgramImage) -> Result<Program, Vec<Diagnostic>> {
    run(&program.insns, &program.name, Kind::Xdp, || Origin {
        file: &object.file,
        maps: &object.maps,
        map_refs: &program.map_refs,
        image: Some(program),
    })
}

/// Lifts a program over (memory, length): `r1` points to the memory, which is the packet (null when it is empty),
/// `r2` is its length, and the 64 bits of `r0` at the end are the verdict.
///
/// # Errors
/// As [`lift`].
pub fn lift_raw(insns: &[u8], name: &str) -> Result<Program, Vec<Diagnostic>> {
    if insns.is_empty() || !insns.len().is_multiple_of(Insn::BYTES) {
        return Err(vec![Diagnostic::input(
            "bad-instruction",
            format!(
                "{} bytes are not a whole number of instructions",
                insns.len()
            ),
        )
        .at(name)
        .help("an instruction has 8 bytes; give the program complete")]);
    }
    run(&Insn::slots(insns), name, Kind::Raw, || Origin {
        file: name,
        maps: &[],
        map_refs: &[],
        image: None,
    })
}

/// Lifts, and where there is a loop once more, to find what is wrong in it and behind it.
fn run<'a>(
    insns: &[Insn],
    name: &str,
    kind: Kind,
    origin: impl Fn() -> Origin<'a>,
) -> Result<Program, Vec<Diagnostic>> {
    let mut lifter = Lifter::new(origin(), insns, name, kind);
    lifter.lift_blocks();
    if lifter.has_loop {
        let known = std::mem::take(&mut lifter.problems);
        lifter = Lifter::new(origin(), insns, name, kind);
        lifter.has_loop = true;
        lifter.problems = known;
        lifter.lift_blocks();
    }
    lifter.finish()
}

/// Nobody reads more errors than this at once.
const MAX_PROBLEMS: usize = 100;

/// Where the instructions come from.
struct Origin<'a> {
    /// For messages.
    file: &'a str,
    maps: &'a [ObjectMap],
    map_refs: &'a [MapRef],
    /// `None` for raw programs.
    image: Option<&'a ProgramImage>,
}

struct Lifter<'a> {
    origin: Origin<'a>,
    kind: Kind,
    flow: Flow,
    builder: Builder,
    /// What is known before the next instruction.
    state: State,
    /// The instruction that is being lifted.
    slot: u32,
    /// The IR block that a block of the control flow begins with.
    ir_blocks: Vec<Block>,
    /// The ways that lead to a block, as far as they have been lifted.
    incoming: Vec<Vec<Edge>>,
    /// The IR blocks that can be reached, in order.
    order: Vec<Block>,
    /// The IR's number of each map that the program uses, by index into the object's maps. `None`: reported.
    map_ids: BTreeMap<usize, Option<MapId>>,
    /// There is a loop, so there will be no program; numbers at its beginning are not what they were.
    has_loop: bool,
    /// What cannot be lifted, with the slot.
    problems: Vec<(u32, Diagnostic)>,
}

impl<'a> Lifter<'a> {
    fn new(origin: Origin<'a>, insns: &[Insn], name: &str, kind: Kind) -> Lifter<'a> {
        let flow = Flow::new(insns);
        let mut builder = Builder::new(name, kind);
        // The block at slot 0 is the IR's entry: only a loop could lead back there, and that is refused.
        let ir_blocks = flow
            .blocks
            .iter()
            .map(|block| {
                if block.start == 0 {
                    builder.entry()
                } else {
                    builder.program.add_block()
                }
            })
            .collect();
        let mut state = State::new();
        match kind {
            Kind::Xdp => state.registers[1] = AbstractValue::Context(0),
            Kind::Raw => {
                let length = builder.packet_length();
                state.registers[1] = AbstractValue::Packet(Operand::Const(0));
                state.registers[2] = AbstractValue::Scalar(length);
            }
        }
        Lifter {
            origin,
            kind,
            incoming: flow.blocks.iter().map(|_| Vec::new()).collect(),
            flow,
            builder,
            state,
            slot: 0,
            ir_blocks,
            order: Vec::new(),
            map_ids: BTreeMap::new(),
            has_loop: false,
            problems: Vec::new(),
        }
    }

    fn lift_blocks(&mut self) {
        for number in self.flow.order.clone() {
            if self.enter(number) {
                self.lift_block(number);
            }
        }
    }

    fn finish(mut self) -> Result<Program, Vec<Diagnostic>> {
        let link_problems = self.origin.image.map_or(&[][..], |image| &image.problems);
        if self.problems.is_empty() && link_problems.is_empty() {
            self.builder.program.order = self.order;
            return Ok(self.builder.program);
        }
        self.problems.sort_by_key(|(slot, _)| *slot);
        let mut all = link_problems.to_vec();
        all.extend(self.problems.into_iter().map(|(_, problem)| problem));
        Err(all)
    }

    /// Makes the state at the beginning of a block; false when nothing leads there.
    fn enter(&mut self, number: usize) -> bool {
        let block = self.ir_blocks[number];
        self.builder.block = block;
        if block != self.builder.entry() {
            let mut edges = std::mem::take(&mut self.incoming[number]);
            if edges.is_empty() {
                return false;
            }
            let live = self.flow.blocks[number].live_in;
            self.state = join(&mut self.builder, block, &mut edges, live);
            for edge in edges {
                self.set_arguments(edge);
            }
        }
        if self.has_loop {
            self.forget_numbers(number);
        }
        self.order.push(block);
        true
    }

    /// Where a loop begins, registers hold any number, so that the way out of the loop is taken, too.
    fn forget_numbers(&mut self, number: usize) {
        if self.flow.loop_heads.contains(&number) {
            let any = self.builder.packet_length();
            for register in 0..10 {
                if let AbstractValue::Scalar(_) = self.register(register) {
                    self.set_register(register, AbstractValue::Scalar(any));
                }
            }
        }
    }

    /// Puts an edge's arguments into the terminator that it is part of.
    fn set_arguments(&mut self, edge: Edge) {
        let terminator = &mut self.builder.program.blocks[edge.from].terminator;
        let target = match (terminator, edge.side) {
            (Terminator::Jump(target), Side::Jump) => target,
            (Terminator::Branch { yes, .. }, Side::Yes) => yes,
            (Terminator::Branch { no, .. }, Side::No) => no,
            _ => return,
        };
        target.args = edge.args;
    }

    fn lift_block(&mut self, number: usize) {
        let steps = self.flow.blocks[number].steps.clone();
        let end = self.flow.blocks[number].end;
        if let Some(step) = steps.first() {
            self.set_slot(step.slot);
        }
        let block = self.builder.block;
        let place = self.builder.place();
        self.builder.program.blocks[block].place = place;
        for step in steps {
            self.set_slot(step.slot);
            match step.operation {
                Ok(operation) => self.lift_operation(operation, number),
                Err(reason) => {
                    self.refuse(
                        "bad-instruction",
                        format!("the instruction is not valid: {reason}"),
                        "the kernel would not load this program either; compile it again",
                    );
                }
            }
        }
        if let BlockEnd::Jump(next) = end {
            self.jump(number, next);
        }
    }

    fn set_slot(&mut self, slot: usize) {
        self.slot = slot as u32;
        let known = self.origin.image.and_then(|image| image.places.get(slot));
        let place = known.cloned().unwrap_or(Place {
            slot: self.slot,
            ..Place::default()
        });
        self.builder.set_place(place);
    }

    fn lift_operation(&mut self, operation: Operation, block: usize) {
        match operation {
            Operation::Alu {
                op,
                wide,
                dst,
                source,
            } => self.alu(op, wide, dst, source),
            Operation::Negate { wide, dst } => self.negate(wide, dst),
            Operation::Move {
                wide,
                dst,
                source,
                signed_bits,
            } => self.copy(wide, dst, source, signed_bits),
            Operation::Swap { dst, bits, reverse } => self.swap(dst, bits, reverse),
            Operation::LoadImmediate { dst, kind, value } => self.load_immediate(dst, kind, value),
            Operation::Load {
                dst,
                base,
                offset,
                bytes,
                signed,
            } => self.load(dst, base, offset, bytes, signed),
            Operation::Store {
                base,
                offset,
                bytes,
                source,
            } => self.store(base, offset, bytes, source),
            Operation::Atomic {
                op,
                base,
                offset,
                bytes,
                src,
                fetch,
            } => self.atomic(op, base, offset, bytes, src, fetch),
            Operation::Jump { .. } => {}
            Operation::Branch {
                condition,
                wide,
                dst,
                source,
                ..
            } => {
                let end = self.flow.blocks[block].end;
                let decision = self.decide(condition, wide, dst, source);
                match end {
                    BlockEnd::Branch { taken, not_taken } if taken != not_taken => {
                        self.branch(block, decision, taken, not_taken);
                    }
                    BlockEnd::Branch { taken, .. } => self.jump(block, taken),
                    _ => {}
                }
            }
            Operation::CallHelper { number } => self.call_helper(number),
            Operation::CallLocal { .. } => self.call_function(),
            Operation::CallKernel { number } => {
                self.refuse_call(
                    "unsupported-kfunc",
                    format!("the program calls the kernel function with BTF number {number}"),
                    "kernel functions are not there in hardware; write the program without it",
                );
            }
            Operation::CallRegister { register } => self.call_register(register),
            Operation::LegacyPacket => self.refuse_call(
                "legacy-packet-access",
                "the program reads the packet in the way of the old socket filters (BPF_ABS, BPF_IND)"
                    .to_string(),
                "read through xdp_md.data, as XDP programs do",
            ),
            Operation::Exit => self.exit(),
        }
    }

    fn exit(&mut self) {
        let Some(result) = self.scalar(0) else {
            return;
        };
        let (result, width) = match self.kind {
            Kind::Xdp => (self.builder.low(result, 32), 32),
            Kind::Raw => (result, 64),
        };
        self.builder.name(result, "verdict");
        let verdict = self.builder.value(result, width);
        let destination = self.builder.value(self.state.destination, 32);
        let block = self.builder.block;
        self.builder.program.blocks[block].terminator = Terminator::Emit {
            verdict,
            destination,
        };
    }

    fn jump(&mut self, block: usize, next: usize) {
        let target = self.target(next);
        let from = self.builder.block;
        self.builder.program.blocks[from].terminator = Terminator::Jump(target);
        self.connect(block, next, Side::Jump, self.state.clone());
    }

    fn target(&self, next: usize) -> Target {
        Target {
            block: self.ir_blocks[next],
            args: Vec::new(),
        }
    }

    /// Notes a way into a block, unless it closes a loop.
    fn connect(&mut self, block: usize, next: usize, side: Side, state: State) {
        if self.flow.back_edges.contains(&(block, next)) {
            self.has_loop = true;
            let first = self.flow.blocks[next].start;
            self.refuse(
                "loop",
                format!("the program has a loop: it goes back to instruction {first} from here"),
                "write the loop out: clang does it after #pragma unroll or #pragma clang loop unroll(full) where the number of rounds is constant",
            );
            return;
        }
        self.incoming[next].push(Edge {
            from: self.builder.block,
            side,
            state,
            args: Vec::new(),
        });
    }

    /// Notes that the instruction cannot be lifted; only the first reason of each instruction counts.
    fn refuse(&mut self, code: &'static str, message: impl Into<String>, help: impl Into<String>) {
        let slot = self.slot;
        let place = match self.origin.image {
            Some(image) => place_text(self.origin.file, image, slot),
            None => format!("{}: instruction {slot}", self.origin.file),
        };
        let link_problems = self.origin.image.map_or(&[][..], |image| &image.problems);
        if self.problems.len() >= MAX_PROBLEMS {
            return;
        }
        let is_new = self.problems.iter().all(|(known, _)| *known != slot)
            && link_problems
                .iter()
                .all(|problem| problem.place.as_deref() != Some(&place));
        if is_new {
            let problem = Diagnostic::refused(code, message).at(place).help(help);
            self.problems.push((slot, problem));
        }
    }

    fn register(&self, register: u8) -> AbstractValue {
        self.state
            .simplify(self.state.registers[usize::from(register)])
    }

    fn set_register(&mut self, register: u8, value: AbstractValue) {
        self.state.registers[usize::from(register)] = value;
    }

    /// Sets a register to a number and names it.
    fn set_scalar(&mut self, register: u8, operand: Operand, name: &str) {
        self.builder.name(operand, name);
        self.set_register(register, AbstractValue::Scalar(operand));
    }

    /// The register's content, when there is any; otherwise the user is told why not.
    fn usable(&mut self, register: u8) -> Option<AbstractValue> {
        let value = self.register(register);
        match value {
            AbstractValue::Reported => None,
            AbstractValue::Uninitialised => {
                self.refuse(
                    "uninitialised-register",
                    format!("r{register} is read and has no value here"),
                    "the kernel would not load this program either; r1 to r5 have no value after a call",
                );
                self.set_register(register, AbstractValue::Reported);
                None
            }
            AbstractValue::Unusable(reason) => {
                self.refuse(
                    "mixed-value",
                    format!("r{register} is used, and it is {reason}"),
                    "give each kind of pointer a variable of its own, and use it where it is known what it points to",
                );
                self.set_register(register, AbstractValue::Reported);
                None
            }
            _ => Some(value),
        }
    }

    /// The number in a register; a pointer is an error.
    fn scalar(&mut self, register: u8) -> Option<Operand> {
        match self.usable(register)? {
            AbstractValue::Scalar(operand) => Some(operand),
            pointer => {
                self.refuse(
                    "pointer-as-number",
                    format!(
                        "r{register} holds {} and is used as a number",
                        pointer.description()
                    ),
                    "addresses do not exist in hardware; use differences of pointers",
                );
                None
            }
        }
    }
}

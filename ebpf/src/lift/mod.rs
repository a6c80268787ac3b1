//! Lifting: from instructions over registers, stack and pointers to IR over values.
//!
//! The instructions are executed block by block on abstract values: a register holds a number (an IR value) or a
//! pointer of a known kind with an offset (an IR value). So below this module there are no pointers: a packet pointer
//! is its offset, `data_end` is the packet's length, a map value pointer is a map, a hit bit, an entry and an offset,
//! a null check is the hit bit. Where paths meet, numbers and offsets that differ become block parameters ([`join`]).
//! A pointer that is stored on the stack is kept beside the stack's bytes; it never becomes a number.
//!
//! Functions are put in place of their calls and loops are written out, round after round ([`agenda`]). A branch
//! whose condition is known goes one way only, so a loop ends where its condition is known to fail: constants are
//! computed at once, through registers and the stack, and numbers have bounds from branches ([`facts`]).
//! Where the structured phase is asked for, loops stay loops as far as they can ([`loops`]).
//!
//! What cannot be lifted is noted and execution goes on with a value that no later error speaks of, so that the
//! user sees all reasons at once.

mod agenda;
mod answers;
mod arithmetic;
mod branch;
mod builder;
mod calls;
mod checksum;
mod copies;
mod ending;
mod events;
mod facts;
mod flow;
mod functions;
mod join;
mod locks;
mod loops;
mod maps;
mod memory;
mod moves;
mod mtu;
mod names;
mod origin;
mod part;
mod places;
mod range;
mod redirect;
mod registers;
mod report;
mod stack;
mod state;
mod tail_calls;
mod variants;

use std::collections::BTreeMap;
use std::rc::Rc;

use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_ir::{Block, MapId, Phase, Program, Target, Terminator, Value};
use hardpath_kernel::xdp::STACK_BYTES;

use crate::decode::Operation;
use crate::insn::Insn;
use crate::left_open::{LeftOpen, Looked};
use crate::object::{Object, ObjectMap, ProgramImage};
use agenda::{set_arguments, Agenda, Instance, Invocation, Pending, Point};
use builder::Builder;
use flow::BlockEnd;
use join::{join, Edge, Side};
use loops::{kept, Head, Loops};
use origin::{codes, origin, ArrayEntry, Code, Origin};
use state::{AbstractValue, Operand, State};
use variants::{Mixed, Variants};

pub use part::lift_in_part;

/// Lifts an XDP program of an object.
///
/// # Errors
/// Everything that hardpath does not build, each with its place, and what went wrong when the program was linked.
pub fn lift(object: &Object, program: &ProgramImage) -> Result<Program, Vec<Diagnostic>> {
    lift_noting(object, program).map(|lifted| lifted.program)
}

/// A lifted program, and what it rests on that nobody said.
pub struct Lifted {
    /// What it means, in the control-flow phase.
    pub program: Program,
    /// What nobody said of it.
    pub left_open: LeftOpen,
}

/// [`lift`], with notes.
///
/// # Errors
/// As [`lift`].
pub fn lift_noting(object: &Object, program: &ProgramImage) -> Result<Lifted, Vec<Diagnostic>> {
    let origin = || origin(object, codes(object, program));
    let (program, looked) = run(&program.name, Kind::Xdp, origin, Loops::default())?;
    Ok(Lifted {
        program,
        left_open: looked.left_open(object),
    })
}

/// [`lift`], with what the program returned as its last output, [`RETURNED`](hardpath_kernel::xdp::RETURNED): actions that do not
/// exist can be told from each other by it.
///
/// # Errors
/// As [`lift`].
pub fn lift_returned(object: &Object, program: &ProgramImage) -> Result<Program, Vec<Diagnostic>> {
    let origin = || origin(object, codes(object, program));
    run(&program.name, Kind::XdpReturned, origin, Loops::default()).map(|(program, _)| program)
}

/// [`lift_noting`] into the structured phase: loops stay loops, those of `bpf_loop`, too, unless only their single rounds can be
/// lifted.
///
/// # Errors
/// As [`lift`].
pub fn lift_structured(object: &Object, program: &ProgramImage) -> Result<Lifted, Vec<Diagnostic>> {
    let origin = || origin(object, codes(object, program));
    let (program, looked) = run(&program.name, Kind::Xdp, origin, Loops::kept())?;
    Ok(Lifted {
        program,
        left_open: looked.left_open(object),
    })
}

/// Lifts a program over (memory, length): `r1` points to the memory, which is the packet (null when it is empty),
/// `r2` is its length, and the 64 bits of `r0` at the end are the verdict.
///
/// # Errors
/// As [`lift`].
pub fn lift_raw(insns: &[u8], name: &str) -> Result<Program, Vec<Diagnostic>> {
    raw(insns, name, Loops::default())
}

/// [`lift_raw`] into the structured phase, as [`lift_structured`].
///
/// # Errors
/// As [`lift`].
pub fn lift_raw_structured(insns: &[u8], name: &str) -> Result<Program, Vec<Diagnostic>> {
    raw(insns, name, Loops::kept())
}

fn raw(insns: &[u8], name: &str, loops: Loops) -> Result<Program, Vec<Diagnostic>> {
    if insns.is_empty() || !insns.len().is_multiple_of(Insn::BYTES) {
        return Err(vec![Diagnostic::input(
            "bad-instruction",
            format!(
                "{} bytes are not a whole number of instructions",
                insns.len()
            ),
        )
        .at(Place::of_file(name))
        .help("an instruction has 8 bytes; give the program complete")]);
    }
    let insns = Insn::slots(insns);
    let origin = || Origin {
        file: name,
        maps: &[],
        codes: vec![Code::new(&insns, None)],
        tail_calls: Vec::new(),
        drops_events: false,
    };
    run(name, Kind::Raw, origin, loops).map(|(program, _)| program)
}

/// The most times that a program is lifted to keep apart what must not be joined.
const MAX_REFINEMENTS: usize = 8;

fn run<'a>(
    name: &str,
    kind: Kind,
    origin: impl Fn() -> Origin<'a>,
    mut loops: Loops,
) -> Result<(Program, Looked), Vec<Diagnostic>> {
    let is_whole = |lifter: &Lifter| lifter.problems.is_empty();
    loop {
        let lifter = walk(name, kind, &origin, loops, is_whole);
        match lifter.loops.fewer() {
            Some(fewer) => loops = fewer,
            None => return lifter.finish(),
        }
    }
}

/// Lifts; and once more where values were joined that must be kept apart; and once more where functions call each
/// other, when it is known how much stack each one uses, if that is `wanted`.
fn walk<'a>(
    name: &str,
    kind: Kind,
    origin: impl Fn() -> Origin<'a>,
    loops: Loops,
    wanted: impl Fn(&Lifter) -> bool,
) -> Lifter<'a> {
    let lift = |layout: Layout, variants: Option<Variants>, loops: Loops| {
        loops::settle(loops.without_plans(), |loops| {
            let mut lifter = Lifter::new(origin(), name, kind, layout.clone(), loops);
            lifter.variants = variants.clone();
            lifter.lift_all();
            lifter
        })
    };
    let mut lifter = lift(Layout::Separate, None, loops);
    for _ in 0..MAX_REFINEMENTS {
        let Some(variants) = Variants::refined(lifter.variants.as_ref(), &lifter.mixed) else {
            break;
        };
        let refined = lift(Layout::Separate, Some(variants), lifter.loops.clone());
        if refined.abandoned > lifter.abandoned {
            // That way it only becomes too large.
            break;
        }
        lifter = refined;
    }
    lifter.check_loose_stack_access();
    if lifter.has_calls && wanted(&lifter) {
        let depths = std::mem::take(&mut lifter.stack_depths);
        let variants = lifter.variants.take();
        lifter = lift(Layout::Packed(depths), variants, lifter.loops);
    }
    lifter
}

/// The most instances of blocks in loops and functions that a program may have.
const MAX_INSTANCES: usize = 4096;
/// The most IR instructions that a program may grow to through loops and calls.
const MAX_IR_INSTRUCTIONS: usize = 65_536;

/// What programs must not exceed, in words, and how much there may be.
pub fn limits() -> [(&'static str, u64); 4] {
    [
        (
            "copies of blocks in loops and functions",
            MAX_INSTANCES as u64,
        ),
        (
            "instructions of the IR, with loops and functions written out",
            MAX_IR_INSTRUCTIONS as u64,
        ),
        ("calls under way", u64::from(stack::MAX_FRAMES)),
        (
            "bytes that bpf_xdp_load_bytes or bpf_xdp_store_bytes copies",
            copies::MAX_COPY_BYTES,
        ),
    ]
}

/// Where the stacks of the functions lie in the IR's stack.
#[derive(Clone)]
enum Layout {
    /// 512 bytes each, to find out how much they use; the IR has no such stack.
    Separate,
    /// One below the other; the bytes that each function uses, by program and first slot.
    Packed(BTreeMap<(usize, usize), u32>),
}

/// What a program is run as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// On packets, with XDP's actions.
    Xdp,
    /// The same, with what the program returned as one more output.
    XdpReturned,
    /// Over (memory, length); it returns 64 bits. The memory is the packet.
    Raw,
}

struct Lifter<'a> {
    /// For messages.
    file: &'a str,
    maps: &'a [ObjectMap],
    codes: Vec<Code<'a>>,
    tail_calls: Vec<ArrayEntry>,
    drops_events: bool,
    kind: Kind,
    layout: Layout,
    builder: Builder,
    /// What is known before the next instruction.
    state: State,
    /// What is being lifted.
    current: Instance,
    /// The instruction that is being lifted.
    slot: u32,
    agenda: Agenda,
    /// The IR blocks that can be reached, in order.
    order: Vec<Block>,
    /// The exits with metadata, and how many words that is.
    metadata: Vec<(Block, Value)>,
    /// Instances in loops and functions lifted so far, and how many there may be.
    instances: usize,
    limit: usize,
    /// The IR's number of each map that the program uses, by index into the object's maps. `None`: reported.
    map_ids: BTreeMap<usize, Option<MapId>>,
    /// Bytes of stack that functions use, by program and first slot.
    stack_depths: BTreeMap<(usize, usize), u32>,
    has_calls: bool,
    /// What is kept apart where paths meet; `None`: nothing.
    variants: Option<Variants>,
    mixed: Mixed,
    /// Which loops stay loops.
    loops: Loops,
    /// Their heads that have been lifted, by key.
    heads: BTreeMap<Vec<u32>, Rc<Head>>,
    /// Loops that were given up.
    abandoned: u32,
    /// An instruction that accesses the stack at an offset without known bounds.
    loose_stack_access: Option<(Instance, u32)>,
    looked: Looked,
    /// A branch went both ways after an error.
    has_undecided: bool,
    /// What cannot be lifted, with the program and the slot.
    problems: Vec<((usize, u32), Diagnostic)>,
}

impl<'a> Lifter<'a> {
    fn new(origin: Origin<'a>, name: &str, kind: Kind, layout: Layout, loops: Loops) -> Lifter<'a> {
        let mut codes = origin.codes;
        let flow = codes[0].flow(0);
        let kept = kept(&loops, 0, &flow);
        let bottom = match &layout {
            Layout::Separate => 0,
            Layout::Packed(depths) => {
                let used = depths.get(&(0, 0)).copied().unwrap_or(0);
                STACK_BYTES.saturating_sub(used.next_multiple_of(8))
            }
        };
        let main = Invocation::new(0, 0, (flow, kept), None, (STACK_BYTES, bottom), Vec::new());
        let mut builder = Builder::new(name);
        ending::declare(&mut builder.program, kind);
        let mut state = State::new();
        match kind {
            Kind::Xdp | Kind::XdpReturned => state.registers[1] = AbstractValue::Context(0),
            Kind::Raw => {
                let length = builder.packet_length();
                state.registers[1] = AbstractValue::Packet(Operand::Const(0));
                state.registers[2] = AbstractValue::Scalar(length);
            }
        }
        Lifter {
            file: origin.file,
            maps: origin.maps,
            codes,
            tail_calls: origin.tail_calls,
            drops_events: origin.drops_events,
            kind,
            layout,
            builder,
            state,
            current: Rc::new(main).entry(),
            slot: 0,
            agenda: Agenda::default(),
            order: Vec::new(),
            metadata: Vec::new(),
            instances: 0,
            limit: MAX_INSTANCES,
            map_ids: BTreeMap::new(),
            stack_depths: BTreeMap::new(),
            has_calls: false,
            variants: None,
            mixed: Mixed::default(),
            loops,
            heads: BTreeMap::new(),
            abandoned: 0,
            loose_stack_access: None,
            looked: Looked::default(),
            has_undecided: false,
            problems: Vec::new(),
        }
    }

    fn lift_all(&mut self) {
        self.order.push(self.builder.entry());
        match self.current.kept_loop() {
            // Nothing leads back to the IR's entry.
            Some(_) => self.jump_to(self.current.clone(), self.state.clone()),
            None => self.lift_current(),
        }
        while let Some(pending) = self.agenda.next() {
            if self.is_too_large(&pending.instance) {
                self.abandon(&pending.instance);
                continue;
            }
            self.enter(pending);
            self.lift_current();
        }
        self.declare_metadata();
    }

    fn finish(mut self) -> Result<(Program, Looked), Vec<Diagnostic>> {
        let reached = self.codes.iter().filter(|code| !code.flows.is_empty());
        let images = reached.filter_map(|code| code.image);
        let mut all: Vec<Diagnostic> = images
            .flat_map(|image| image.problems.iter().cloned())
            .collect();
        if self.problems.is_empty() && all.is_empty() {
            self.builder.program.order = self.order;
            if self.loops.are_wanted() {
                self.builder.program.phase = Phase::Structured;
            }
            return Ok((self.builder.program, self.looked));
        }
        self.problems.sort_by_key(|(place, _)| *place);
        all.extend(self.problems.into_iter().map(|(_, problem)| problem));
        Err(all)
    }

    /// Whether there have been too many copies of blocks to write out more.
    fn is_too_large(&self, instance: &Instance) -> bool {
        instance.is_copy()
            && (self.instances >= self.limit
                || self.builder.program.insts.len() >= MAX_IR_INSTRUCTIONS)
    }

    /// Makes the state at the beginning of an instance.
    fn enter(&mut self, pending: Pending) {
        let Pending {
            instance,
            block,
            mut edges,
        } = pending;
        let live = match instance.point {
            Point::Block(number) => instance.invocation.flow.blocks[number].live_in,
            Point::Round { .. } => 0,
        };
        self.builder.block = block;
        self.add_ways_back(&instance, &mut edges);
        self.state = join(&mut self.builder, block, &mut edges, live);
        self.note_head(&instance, block);
        self.builder.facts = self.state.facts.clone();
        for edge in edges {
            set_arguments(&mut self.builder, edge);
        }
        self.order.push(block);
        self.current = instance;
    }

    fn lift_current(&mut self) {
        self.instances += usize::from(self.current.is_copy());
        match self.current.point {
            Point::Block(number) => self.lift_block(number),
            Point::Round { block, next, round } => {
                let flow = self.current.invocation.flow.clone();
                if let Some(step) = flow.blocks[block].steps.last() {
                    self.set_slot(step.slot);
                }
                self.place_block();
                self.lift_round(next, round);
            }
        }
    }

    fn place_block(&mut self) {
        let block = self.builder.block;
        let place = self.builder.place();
        self.builder.program.blocks[block].place = place;
    }

    fn lift_block(&mut self, number: usize) {
        let flow = self.current.invocation.flow.clone();
        let block = &flow.blocks[number];
        self.set_slot(block.start);
        self.place_block();
        if let Some(head) = flow.nesting.too_deep {
            self.set_slot(flow.blocks[head].start);
            self.refuse_nesting();
            return;
        }
        for step in &block.steps {
            self.set_slot(step.slot);
            match &step.operation {
                Ok(operation) => self.lift_operation(*operation, block.end),
                Err(reason) => {
                    self.refuse(
                        "bad-instruction",
                        format!("the instruction is not valid: {reason}"),
                        "the kernel would not load this program either; compile it again",
                    );
                }
            }
        }
        let last = self.builder.block;
        let has_left = self.builder.program.blocks[last].terminator != Terminator::None;
        if let (BlockEnd::Jump(next), false) = (block.end, has_left) {
            self.jump_to(self.current.successor(next), self.state.clone());
        }
    }

    fn image(&self) -> Option<&'a ProgramImage> {
        self.codes[self.current.invocation.code].image
    }

    fn set_slot(&mut self, slot: usize) {
        self.slot = slot as u32;
        let place = self.image().and_then(|image| image.places.get(slot));
        let code = self.current.invocation.code;
        self.builder.set_place(code, self.slot, place);
    }

    fn lift_operation(&mut self, operation: Operation, end: BlockEnd) {
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
                let decision = self.decide(condition, wide, dst, source);
                match end {
                    BlockEnd::Branch { taken, not_taken } if taken != not_taken => {
                        self.branch(decision, taken, not_taken);
                    }
                    BlockEnd::Branch { taken, .. } => {
                        self.jump_to(self.current.successor(taken), self.state.clone());
                    }
                    _ => {}
                }
            }
            Operation::CallHelper { number } => self.call_helper(number),
            Operation::CallLocal { target } => self.call_function(target),
            Operation::CallKernel { number } => self.kernel_function(number),
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
        let invocation = self.current.invocation.clone();
        if let Some(caller) = &invocation.caller {
            self.return_to(caller);
            return;
        }
        let Some(result) = self.scalar(0) else {
            return;
        };
        self.emit(result);
    }

    /// Ends the IR block with a jump.
    fn jump_to(&mut self, instance: Instance, state: State) {
        let target = self.connect(instance, Side::Jump, state);
        let from = self.builder.block;
        self.builder.program.blocks[from].terminator = Terminator::Jump(target);
    }

    /// Ends the IR block with a branch on 1 bit, or a jump where that is known.
    fn branch_to(&mut self, condition: Operand, yes: (Instance, State), no: (Instance, State)) {
        let cond = match condition {
            Operand::Const(0) => return self.jump_to(no.0, no.1),
            Operand::Const(_) => return self.jump_to(yes.0, yes.1),
            Operand::Value(value) => value,
        };
        let yes = self.connect_after(cond, true, yes);
        let no = self.connect_after(cond, false, no);
        let from = self.builder.block;
        self.builder.program.blocks[from].terminator = Terminator::Branch { cond, yes, no };
    }

    /// One side of a branch, which knows what the condition was.
    fn connect_after(
        &mut self,
        condition: Value,
        holds: bool,
        (instance, mut state): (Instance, State),
    ) -> Target {
        self.builder.learn(&mut state.facts, condition, holds);
        let side = if holds { Side::Yes } else { Side::No };
        self.connect(instance, side, state)
    }

    /// Notes a way out of the IR block.
    fn connect(&mut self, mut instance: Instance, side: Side, state: State) -> Target {
        if instance.kept_loop().is_some() {
            instance = instance.into_head();
            if let Some(target) = self.way_back(&instance, &state) {
                return target;
            }
        } else {
            let variants = self.variants.as_mut();
            let number = variants.and_then(|variants| variants.number(&instance, &state));
            instance.key.extend(number);
        }
        let from = self.builder.block;
        let pending = self.agenda.entry(&mut self.builder, instance);
        pending.edges.push(Edge {
            from,
            side,
            state,
            args: Vec::new(),
        });
        Target {
            block: pending.block,
            args: Vec::new(),
        }
    }
}

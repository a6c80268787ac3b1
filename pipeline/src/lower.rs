//! Lowering: a scheduled program becomes the compute module, stage by stage.
//!
//! At each stage boundary the live bits of all base values go through registers (or, where a hazard window begins,
//! through the segment FIFO); then the stage's operations are made from what stands there. Map memories are
//! instances that reach over several stages; what they take in a later stage than they start in comes through
//! wires.

mod ending;

use crate::compare::constant_compare;
use crate::fields::Fields;
use crate::maps::{MapPorts, Replay};
use crate::moves::{is_length, packet_moves, store_offset};
use crate::plan::Access;
use crate::predicate::REACHES;
use crate::schedule::Schedule;
use crate::segments::{BaseId, Segment, Segments};
use crate::slot::{GivenIn, ProgramIn, ProgramOut};
use crate::small_sums;
use hardpath_blocks::ingress::LENGTH_BITS;
use hardpath_blocks::interface::{Journal, JournalOut, Storage};
use hardpath_blocks::key_bits::KeyBits;
use hardpath_blocks::moves::Moves;
use hardpath_ir::count::counted;
use hardpath_ir::{Input, Inst, MapId, Op, OwnInput, Program, Value};
use hardpath_rtl::signals::Block;
use hardpath_rtl::{Design, Module, Node, NodeOp};
use std::collections::HashMap;

use ending::Emitted;
pub use ending::SentOn;

/// What the top needs to know about the compute module.
pub struct Compute {
    /// Bytes of the window that it wants.
    pub window_bytes: u32,
    /// The side inputs that it wants.
    pub inputs: Vec<Input>,
    /// Runs of packet bytes that it may write: (offset, bytes).
    pub overlays: Vec<(i32, u32)>,
    /// `None`: packets leave where they came in.
    pub moved: Option<Moves>,
    /// What the exit must provide for: packets that stay, and ways that differ.
    pub sent: SentOn,
    /// Bits of the registers between stages.
    pub register_bits: u64,
    /// The journals of LRU maps; the outputs of their names go through the top.
    pub journals: HashMap<MapId, Journal>,
    /// Where the contents of each map stand, below the module.
    pub storage: Vec<Option<Storage>>,
    /// What is stored of the keys of each map.
    pub stored: Vec<KeyBits>,
}

/// How a program is lowered.
pub struct How<'a> {
    /// What the names of all modules begin with.
    pub prefix: &'a str,
    /// The number of packets that may be inside, a power of two.
    pub credits: u32,
    /// Stages carry only what a later one uses; otherwise everything, and the module has an output with all of it.
    pub pruned: bool,
    /// LRU maps have journals.
    pub journal: bool,
    /// The exit is told of the ends of packets by the entrance, not with results.
    pub ends_apart: bool,
}

/// Lowers a program.
pub fn lower(
    program: &Program,
    plan: &[Access],
    schedule: &Schedule,
    design: &mut Design,
    how: &How,
) -> (Block<ProgramIn, ProgramOut>, Compute) {
    let mut lower = Lower::new(program, plan, schedule, design, how.prefix, how.credits);
    lower.carries_all = !how.pruned;
    lower.keeps_journal = how.journal;
    lower.ends_apart = how.ends_apart;
    lower.find_bases();
    lower.find_uses();
    lower.make_ports();
    for stage in 0..schedule.stages {
        lower.stage(stage);
    }
    lower.finish()
}

/// The state of lowering; maps add to it in [`crate::maps`].
pub(crate) struct Lower<'a> {
    pub program: &'a Program,
    pub plan: &'a [Access],
    pub schedule: &'a Schedule,
    pub design: &'a mut Design,
    pub prefix: &'a str,
    pub credits: u32,
    pub m: Module,
    pub segments: Segments,
    /// What stands for each base in the present stage: (lowest bit, node).
    pub present: Vec<Vec<(u32, Node)>>,
    /// This slot of the present stage is a packet.
    pub valid: Node,
    /// This slot of the present stage is a host operation.
    pub host: Option<Node>,
    pub ports: MapPorts,
    /// The base values of results that are not wiring.
    base_of: HashMap<Value, BaseId>,
    pub register_bits: u64,
    pub fields: Fields,
    /// The fields that have a name in the present stage.
    pub named: HashMap<usize, Node>,
    /// Sums that are called after their operation.
    sums: Vec<Node>,
    /// The present stage.
    pub now: u32,
    /// A packet waits at some entrance.
    pub stall: Option<Node>,
    /// The window that is replayed, while its stages are made.
    pub replay: Option<Replay>,
    overlays: Vec<Inst>,
    moved: Option<Moves>,
    /// All values go on to the end.
    carries_all: bool,
    pub keeps_journal: bool,
    ends_apart: bool,
    pub journals: HashMap<MapId, Journal>,
    pub journal_ports: Vec<(String, JournalOut)>,
    inputs: Option<ProgramIn>,
    emitted: Option<Emitted>,
}

impl<'a> Lower<'a> {
    fn new(
        program: &'a Program,
        plan: &'a [Access],
        schedule: &'a Schedule,
        design: &'a mut Design,
        prefix: &'a str,
        credits: u32,
    ) -> Lower<'a> {
        let pace = match plan.iter().any(|access| access.gate().is_some()) {
            true => "at most one packet a clock; packets can wait for one another at a map",
            false => "one packet a clock, fixed latency, no stalls",
        };
        let mut m = Module::new(
            format!("{prefix}_pipeline"),
            format!(
                "The program {} as a pipeline of {}: {pace}.\n\
                 A packet enters with packet_valid and leaves with result_valid in the same order.\n\
                 Names end with their stage (_s3); comments begin with the number of an instruction.",
                program.name,
                counted(schedule.stages, "stage")
            ),
        );
        // Until there are ports.
        let valid = m.zero(1);
        let region = &program.blocks[program.region()];
        let overlays: Vec<Inst> = region
            .insts
            .iter()
            .copied()
            .filter(|inst| program.insts[*inst].op == Op::PacketStore)
            .collect();
        Lower {
            program,
            plan,
            schedule,
            design,
            prefix,
            credits,
            m,
            segments: Segments::default(),
            present: Vec::new(),
            valid,
            host: None,
            ports: MapPorts::default(),
            base_of: HashMap::new(),
            register_bits: 0,
            fields: Fields::of(program),
            named: HashMap::new(),
            sums: Vec::new(),
            now: 0,
            stall: None,
            replay: None,
            overlays,
            moved: packet_moves(program),
            carries_all: false,
            keeps_journal: false,
            ends_apart: false,
            journals: HashMap::new(),
            journal_ports: Vec::new(),
            inputs: None,
            emitted: None,
        }
    }

    fn insts(&self) -> &'a [Inst] {
        &self.program.blocks[self.program.region()].insts
    }

    /// Finds the base values and what all others consist of.
    fn find_bases(&mut self) {
        let program = self.program;
        let (segments, base_of) = Segments::of_results(program, |segments, inst, number| {
            let data = &program.insts[inst];
            let result = data.results[number];
            let name = self.name_of(segments, result, inst);
            let kept = self.map_result_width(&data.op, number, program.width(result));
            (name, kept, self.schedule.times[result].stage)
        });
        (self.segments, self.base_of) = (segments, base_of);
        self.find_map_bases();
    }

    /// What a value is called in the output.
    fn name_of(&self, segments: &Segments, value: Value, inst: Inst) -> String {
        let data = &self.program.insts[inst];
        let name = self.program.values[value].name.as_deref();
        let is_line = name.is_some_and(|name| name.starts_with(REACHES));
        // What is compared says more than the line that it leads to.
        let condition = match name.is_none() || is_line {
            true => self.condition_name(segments, &data.op, &data.args),
            false => None,
        };
        if let Some(name) = condition.or(name.map(identifier)) {
            return name;
        }
        let op = match &data.op {
            Op::Add => "sum",
            Op::Sub => "difference",
            Op::Mul => "product",
            Op::And => "and",
            Op::Or => "or",
            Op::Xor => "xor",
            Op::Select => "chosen",
            Op::Eq => "equal",
            Op::Ne => "differs",
            Op::Ult | Op::Slt => "less",
            Op::Ule | Op::Sle => "at_most",
            Op::Shl | Op::LShr | Op::AShr => "shifted",
            _ => "value",
        };
        match data.place {
            Some(place) => format!("{op}_i{}", self.program.places[place].slot),
            None => op.to_string(),
        }
    }

    /// Finds in which stages the bits of the base values are used.
    fn find_uses(&mut self) {
        let program = self.program;
        for inst in self.insts() {
            let data = &program.insts[*inst];
            if crate::delay::is_wiring(&data.op) || data.op == Op::PacketStore {
                continue;
            }
            if data.op.map().is_some() {
                continue;
            }
            let stage = self.schedule.stage_of[inst];
            for arg in &data.args {
                self.segments.demand(*arg, stage);
            }
        }
        self.demand_for_maps();
        let emit = self.schedule.emit;
        for value in program.blocks[program.region()].terminator.uses() {
            if self.ends_apart && is_length(program, value) {
                continue;
            }
            self.segments.demand(value, emit);
        }
        for inst in self.overlays.clone() {
            let data = &program.insts[inst];
            self.segments.demand(data.args[1], emit);
            if let Some(guard) = data.guard {
                self.segments.demand(guard, emit);
            }
        }
        if !self.ends_apart {
            let length = self.segments.input(Input::Length);
            let bits = self.segments.bases[length].width;
            self.segments.demand_bits(length, 0, bits, emit);
        }
        if self.carries_all {
            for base in self.arisen(emit) {
                let width = self.segments.bases[base].width;
                self.segments.demand_bits(base, 0, width, emit);
            }
        }
        self.demand_for_answers();
    }

    /// What has arisen up to a stage: the packet's window, what came with it, and all results that somebody uses.
    fn arisen(&self, stage: u32) -> Vec<BaseId> {
        let own = self.segments.given().chain(self.base_of.values().copied());
        let mut arisen: Vec<BaseId> = own
            .filter(|base| {
                let base = &self.segments.bases[*base];
                base.stage <= stage && base.last_use.iter().any(Option::is_some)
            })
            .collect();
        arisen.sort_unstable();
        arisen
    }

    fn make_ports(&mut self) {
        self.present = vec![Vec::new(); self.segments.bases.len()];
        let window = self.segments.window();
        let width = self.segments.bases[window].width;
        let used = self.segments.used_inputs();
        let width_of = |input: Input| {
            let found = used.iter().find(|(used, _)| *used == input);
            found.map(|(_, base)| self.segments.bases[*base].width)
        };
        let given = GivenIn {
            packet_length: LENGTH_BITS,
            ingress: width_of(Input::Ingress),
            queue: width_of(Input::Queue),
            egress: width_of(Input::Egress),
            time_ns: width_of(Input::Time),
            random: width_of(Input::Random),
            packet_sum: width_of(Input::Sum),
            own: (used.iter())
                .any(|(input, _)| matches!(input, Input::Own { .. }))
                .then(|| OwnInput::bits(&self.program.inputs)),
        };
        let ports = self.m.inputs(ProgramIn {
            packet_valid: 1,
            packet: width,
            given,
            maps: self.map_input_widths(),
        });
        self.valid = ports.packet_valid;
        self.present[window].push((0, ports.packet));
        let given = &ports.given;
        for (input, base) in used {
            let node = match input {
                Input::Length => Some(given.packet_length),
                Input::Ingress => given.ingress,
                Input::Queue => given.queue,
                Input::Egress => given.egress,
                Input::Time => given.time_ns,
                Input::Random => given.random,
                Input::Sum => given.packet_sum,
                Input::Own { lo, width } => {
                    let all = given.own.expect("a port for what is used");
                    Some(self.m.slice(all, lo.into(), width.into()))
                }
            };
            self.present[base].push((0, node.expect("a port for what is used")));
        }
        if let Some(maps) = &ports.maps {
            self.take_host_ports(maps);
        }
        self.inputs = Some(ports);
    }

    fn stage(&mut self, stage: u32) {
        self.m.section(format!("Stage {stage}"));
        if stage > 0 {
            self.boundary(stage);
        }
        self.maps_before_operations(stage);
        let mut last_place = None;
        for inst in self.insts() {
            let data = &self.program.insts[*inst];
            if !data.op.is_pure() || crate::delay::is_wiring(&data.op) {
                continue;
            }
            let value = data.results[0];
            if self.schedule.times[value].stage != stage {
                continue;
            }
            let base = self.base_of[&value];
            let node = self.operation(&data.op, &data.args);
            // A value that folded to what another one is called already gets a name of its own only if it is kept.
            let name = format!("{}_s{stage}", self.segments.bases[base].name);
            let node = match self.m.nodes[node].op {
                NodeOp::Const(_) => node,
                _ if self.m.nodes[node].name.is_some() || self.is_stored(node) => node,
                _ => {
                    let has_own_name = self.program.values[value].name.is_some();
                    if matches!(data.op, Op::Add | Op::Sub) && !has_own_name {
                        self.sums.push(node);
                    }
                    self.m.name(node, name)
                }
            };
            if data.place.is_some() && data.place != last_place {
                last_place = data.place;
                if let (Some(place), None) = (data.place, &self.m.nodes[node].comment) {
                    let text = self.place_comment(place);
                    self.m.comment(node, text);
                }
            }
            self.present[base] = vec![(0, node)];
        }
        self.maps_after_operations(stage);
        if let Some(replay) = self.replay.take() {
            self.say_commits(stage, &replay);
            self.replay = Some(replay);
        }
        if stage == self.schedule.emit {
            self.emit();
        }
    }

    pub fn is_stored(&self, node: Node) -> bool {
        matches!(
            self.m.nodes[node].op,
            NodeOp::Reg(_) | NodeOp::Input(_) | NodeOp::MemRead(..) | NodeOp::InstanceOutput(..)
        )
    }

    fn place_comment(&self, place: hardpath_ir::PlaceId) -> String {
        let data = &self.program.places[place];
        if data.line > 0 {
            format!(
                "{}: {}:{}: {}",
                data.slot,
                data.file,
                data.line,
                data.source.trim()
            )
        } else {
            format!("instruction {}", data.slot)
        }
    }

    /// `len` bits of a base as they stand in the present stage.
    pub fn base_bits(&mut self, base: BaseId, lo: u32, len: u32) -> Node {
        let is_window = base == self.segments.window();
        if let Some(node) = is_window.then(|| self.part_of_field(lo, len)).flatten() {
            return node;
        }
        self.bits_in_place(base, lo, len)
    }

    /// The lowest bit and the node of what holds a bit of a base in the present stage.
    pub fn run_at(&self, base: BaseId, at: u32) -> Option<(u32, Node)> {
        let holds = |&&(start, node): &&(u32, Node)| start <= at && at < start + self.m.width(node);
        self.present[base].iter().find(holds).copied()
    }

    pub fn bits_in_place(&mut self, base: BaseId, lo: u32, len: u32) -> Node {
        let mut parts = Vec::new();
        let mut at = lo;
        while at < lo + len {
            let (start, node) = self.run_at(base, at).unwrap_or_else(|| {
                panic!(
                    "bit {at} of {} is not there",
                    self.segments.bases[base].name
                )
            });
            let end = (start + self.m.width(node)).min(lo + len);
            parts.push(self.m.slice(node, at - start, end - at));
            at = end;
        }
        parts.reverse();
        self.m.concat(&parts)
    }

    /// All bits of a base.
    pub fn base_node(&mut self, base: BaseId) -> Node {
        let width = self.segments.bases[base].width;
        self.base_bits(base, 0, width)
    }

    /// Sets what a base is in the stage in which it arises.
    pub fn set_base(&mut self, base: BaseId, node: Node) {
        self.present[base] = vec![(0, node)];
    }

    /// The base of a map's result.
    pub fn result_base(&self, value: Value) -> BaseId {
        self.base_of[&value]
    }

    /// A value as it stands in the present stage.
    pub fn node(&mut self, value: Value) -> Node {
        self.node_low(value, self.program.width(value))
    }

    /// The low bits of a value as they stand in the present stage; zeros where it has fewer.
    pub fn node_low(&mut self, value: Value, bits: u32) -> Node {
        let own = bits.min(self.program.width(value));
        let node = self.node_bits(value, 0, own);
        self.m.resize(node, bits)
    }

    /// Some bits of a value, at least one, as they stand in the present stage.
    pub fn node_bits(&mut self, value: Value, first: u32, bits: u32) -> Node {
        let mut parts = Vec::new();
        let mut at = 0;
        for segment in self.segments.of(value).to_vec() {
            let (begin, end) = (at.max(first), (at + segment.width()).min(first + bits));
            let (skipped, len) = (begin - at, end.saturating_sub(begin));
            at += segment.width();
            if len == 0 {
                continue;
            }
            let node = match segment {
                Segment::Const(constant) => {
                    let some = constant.slice(skipped, len);
                    self.m.constant_limbs(some.limbs(), len)
                }
                Segment::Bits {
                    base, lo, inverted, ..
                } => self.maybe_inverted(base, lo + skipped, len, inverted),
                Segment::Repeat {
                    base,
                    bit,
                    inverted,
                    ..
                } => {
                    let node = self.maybe_inverted(base, bit, 1, inverted);
                    self.m.sext(node, len)
                }
            };
            parts.push(node);
        }
        parts.reverse();
        self.m.concat(&parts)
    }

    fn maybe_inverted(&mut self, base: BaseId, lo: u32, len: u32, inverted: bool) -> Node {
        let node = self.base_bits(base, lo, len);
        match inverted {
            true => self.m.not(node),
            false => node,
        }
    }

    /// A condition, always true when absent.
    pub fn condition(&mut self, guard: Option<Value>) -> Node {
        match guard {
            Some(guard) => self.node(guard),
            None => self.m.one(),
        }
    }

    fn operation(&mut self, op: &Op, args: &[Value]) -> Node {
        let nodes: Vec<Node> = args.iter().map(|arg| self.node(*arg)).collect();
        if let Some(constant) = self.source_constant(op, args) {
            let place = nodes
                .iter()
                .position(|node| self.m.as_const(*node).is_some());
            if let Some(place) = place {
                self.m.comment(nodes[place], constant);
            }
        }
        let m = &mut self.m;
        match op {
            Op::Add => m.add(nodes[0], nodes[1]),
            Op::Sub => m.sub(nodes[0], nodes[1]),
            Op::Mul => m.mul(nodes[0], nodes[1]),
            Op::And => m.and(&nodes),
            Op::Or => m.or(&nodes),
            Op::Xor => m.xor(&nodes),
            Op::Shl => m.shift(NodeOp::Shl, nodes[0], nodes[1]),
            Op::LShr => m.shift(NodeOp::LShr, nodes[0], nodes[1]),
            Op::AShr => m.shift(NodeOp::AShr, nodes[0], nodes[1]),
            Op::Eq => m.eq(nodes[0], nodes[1]),
            Op::Ne => m.ne(nodes[0], nodes[1]),
            Op::Ult | Op::Ule => match constant_compare(self.program, op, args) {
                Some(compare) => {
                    let other = nodes[usize::from(compare.constant_first)];
                    compare.build(m, other)
                }
                None if *op == Op::Ult => m.ult(nodes[0], nodes[1]),
                None => m.ule(nodes[0], nodes[1]),
            },
            Op::Slt => m.compare(NodeOp::Slt, nodes[0], nodes[1]),
            Op::Sle => m.compare(NodeOp::Sle, nodes[0], nodes[1]),
            Op::Select => m.mux(nodes[0], nodes[1], nodes[2]),
            _ => unreachable!("divisions are expanded, effects are not operations"),
        }
    }

    fn finish(mut self) -> (Block<ProgramIn, ProgramOut>, Compute) {
        let answers = self.finish_maps();
        small_sums::unname(&mut self.m, &self.sums);
        let emitted = self.emitted.take().expect("a region ends with an emit");
        let (answer, map_prepared) = answers.unzip();
        let outputs = ProgramOut {
            result_valid: emitted.valid,
            result: emitted.result,
            answer,
            map_prepared: map_prepared.flatten(),
            stall: self.stall,
            lru: std::mem::take(&mut self.journal_ports),
            carried: emitted.carried,
        };
        let side_inputs = self.segments.used_inputs();
        let inputs = self.inputs.take().expect("the ports are made first");
        let window = self.segments.window();
        let program = self.program;
        let overlays = self
            .overlays
            .iter()
            .map(|inst| {
                let bytes = program.width(program.insts[*inst].args[1]) / 8;
                (store_offset(program, program.insts[*inst].args[0]), bytes)
            })
            .collect();
        let compute = Compute {
            storage: self.storage(),
            stored: self.stored(),
            window_bytes: self.segments.bases[window].width / 8,
            inputs: side_inputs.into_iter().map(|(input, _)| input).collect(),
            overlays,
            moved: self.moved,
            sent: SentOn::of(program),
            register_bits: self.register_bits,
            journals: self.journals,
        };
        (self.m.into_block(inputs, outputs), compute)
    }
}

/// A program's name as the name of its top module: an identifier that is no reserved word and no port of the top.
pub fn module_name(name: &str) -> String {
    const PORTS: [&str; 7] = [
        "clk",
        "rst",
        "time_ns",
        "random",
        "egress",
        "fate",
        "fate_valid",
    ];
    let name = identifier(name);
    let is_port =
        PORTS.contains(&name.as_str()) || name.contains("_axis_") || name.contains("_axil_");
    if is_port || hardpath_rtl::verilog::LANGUAGE.is_reserved(&name) {
        format!("{name}_program")
    } else {
        name
    }
}

/// A name as a hardware identifier: letters, digits and underscores.
pub fn identifier(name: &str) -> String {
    let mut text: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '_' {
                c
            } else {
                '_'
            }
        })
        .collect();
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        text.insert(0, 'n');
    }
    text
}

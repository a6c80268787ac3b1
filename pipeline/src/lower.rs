//! Lowering: a scheduled program becomes the compute module, stage by stage.
//!
//! At each stage boundary the live bits of all base values go through registers (or, where a hazard window begins,
//! through the segment FIFO); then the stage's operations are made from what stands there. Map memories are
//! instances that reach over several stages; what they take in a later stage than they start in comes through
//! wires.

use crate::compare::constant_compare;
use crate::maps::{MapPorts, Replay};
use crate::moves::{packet_moves, store_offset, PacketMoves};
use crate::plan::{Access, Class, Gate};
use crate::schedule::Schedule;
use crate::segments::{BaseId, Segment, Segments};
use hardpath_blocks::egress::offset_name;
use hardpath_ir::{Input, Inst, Kind, Op, Program, Terminator, Value};
use hardpath_rtl::{Design, Module, Node, NodeOp};
use std::collections::HashMap;

/// What the top needs to know about the compute module.
pub struct Compute {
    pub module: Module,
    /// Bytes of the window that it wants.
    pub window_bytes: u32,
    /// The side inputs that it wants.
    pub inputs: Vec<Input>,
    /// Runs of packet bytes that it may write: (offset, bytes).
    pub overlays: Vec<(i32, u32)>,
    /// `None`: packets leave where they came in.
    pub moved: Option<PacketMoves>,
    pub has_destination: bool,
    /// Bits of the registers between stages.
    pub register_bits: u32,
}

/// Lowers a program. `credits` is the number of packets that may be inside, a power of two.
pub fn lower(
    program: &Program,
    plan: &[Access],
    schedule: &Schedule,
    design: &mut Design,
    prefix: &str,
    credits: u32,
) -> Compute {
    let mut lower = Lower::new(program, plan, schedule, design, prefix, credits);
    lower.find_bases();
    lower.find_uses();
    lower.make_ports();
    for stage in 0..schedule.stages {
        lower.stage(stage);
    }
    lower.finish()
}

/// Clocks in which a host's write is not seen yet by a read behind it: from address to commit of a map that the program
/// does not write. At the pipeline's entrance the hold keeps packets away for longer.
const CLOCKS_BEHIND_HOST: u32 = 2;

/// The state of lowering; maps add to it in [`crate::maps`].
pub(crate) struct Lower<'a> {
    pub program: &'a Program,
    pub plan: &'a [Access],
    pub schedule: &'a Schedule,
    pub design: &'a mut Design,
    pub prefix: &'a str,
    credits: u32,
    pub m: Module,
    pub segments: Segments,
    /// What stands for each base in the present stage: (lowest bit, node).
    present: Vec<Vec<(u32, Node)>>,
    /// This slot of the present stage is a packet.
    pub valid: Node,
    /// This slot of the present stage is a host operation.
    pub host: Option<Node>,
    pub ports: MapPorts,
    /// The base values of results that are not wiring.
    base_of: HashMap<Value, BaseId>,
    register_bits: u32,
    stall: Option<Node>,
    replay: Option<Replay>,
    has_destination: bool,
    overlays: Vec<Inst>,
    moved: Option<PacketMoves>,
    raw: bool,
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
        let mut m = Module::new(
            format!("{prefix}_pipeline"),
            format!(
                "The program {} as a pipeline of {} stages: one packet a clock, fixed latency, no stalls.\n\
                 A packet enters with packet_valid and leaves with result_valid in the same order.",
                program.name, schedule.stages
            ),
        );
        let valid = m.input("packet_valid", 1, "a packet enters");
        let region = &program.blocks[program.region()];
        let overlays: Vec<Inst> = region
            .insts
            .iter()
            .copied()
            .filter(|inst| program.insts[*inst].op == Op::PacketStore)
            .collect();
        let has_destination = match region.terminator {
            Terminator::Emit { destination, .. } => !program
                .as_const(destination)
                .is_some_and(|bits| bits.is_zero()),
            _ => false,
        };
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
            stall: None,
            replay: None,
            has_destination,
            overlays,
            moved: packet_moves(program),
            raw: program.kind == Kind::Raw,
        }
    }

    fn insts(&self) -> &'a [Inst] {
        &self.program.blocks[self.program.region()].insts
    }

    /// Finds the base values and what all others consist of.
    fn find_bases(&mut self) {
        let program = self.program;
        let window_bytes = self
            .insts()
            .iter()
            .map(|inst| &program.insts[*inst])
            .filter(|data| data.op == Op::PacketLoad)
            .map(|data| {
                let offset = program
                    .as_const(data.args[0])
                    .map_or(0, |bits| bits.low_u64());
                offset as u32 + program.width(data.results[0]) / 8
            })
            .max()
            .unwrap_or(1);
        self.segments.set_window(window_bytes);
        self.segments.input(Input::PacketLength);
        for inst in self.insts() {
            let data = &program.insts[*inst];
            for (number, result) in data.results.iter().enumerate() {
                let stage = self.schedule.times[*result].stage;
                let width = program.width(*result);
                if crate::delay::is_wiring(&data.op) {
                    self.segments.wire(program, *result, &data.op, &data.args);
                    continue;
                }
                let name = self.name_of(*result, *inst);
                let kept = self.map_result_width(&data.op, number, width);
                let base = self.segments.add_base(name, kept, stage);
                self.segments.define(*result, width, base);
                self.base_of.insert(*result, base);
            }
        }
        self.find_map_bases();
    }

    /// What a value is called in the output.
    fn name_of(&self, value: Value, inst: Inst) -> String {
        let data = &self.program.insts[inst];
        if let Some(name) = &self.program.values[value].name {
            return identifier(name);
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
            self.segments.demand(value, emit);
        }
        for inst in self.overlays.clone() {
            let data = &program.insts[inst];
            self.segments.demand(data.args[1], emit);
            if let Some(guard) = data.guard {
                self.segments.demand(guard, emit);
            }
        }
        let length = self.segments.input(Input::PacketLength);
        let bits = self.segments.bases[length].width;
        self.segments.demand_bits(length, 0, bits, emit);
        self.demand_for_answers();
    }

    fn make_ports(&mut self) {
        self.present = vec![Vec::new(); self.segments.bases.len()];
        let window = self.segments.window();
        let width = self.segments.bases[window].width;
        let node = self.m.input(
            "packet",
            width,
            "the packet's first bytes; byte 0 in bits 7:0",
        );
        self.present[window].push((0, node));
        for (input, base) in self.segments.used_inputs() {
            let data = &self.segments.bases[base];
            let doc = match input {
                Input::PacketLength => "bytes",
                Input::TimeNs => "drawn when the packet came in",
                Input::Random => "drawn when the packet came in",
                Input::IngressIfindex | Input::RxQueueIndex => "from the port table",
            };
            let node = self.m.input(data.name.clone(), data.width, doc);
            self.present[base].push((0, node));
        }
        self.make_map_ports();
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
                _ => self.m.name(node, name),
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

    fn is_stored(&self, node: Node) -> bool {
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

    /// Carries everything that is still needed from the stage before into this one.
    fn boundary(&mut self, stage: u32) {
        let mut replay = self.replay.take();
        let stale = replay
            .as_ref()
            .filter(|replay| (replay.entrance + 1..=replay.commit).contains(&stage))
            .map(|replay| self.gets_stale(stage - 1, replay));
        let mut runs: Vec<(BaseId, u32, Node)> = Vec::new();
        for base in 0..self.segments.bases.len() {
            if self.segments.bases[base].stage >= stage {
                continue;
            }
            for (lo, len) in self.segments.live_runs(base, stage) {
                let node = self.base_bits(base, lo, len);
                runs.push((base, lo, node));
            }
            self.present[base].clear();
        }
        let gates = self.schedule.gates(self.plan);
        let gated = gates
            .iter()
            .find(|(at, _)| *at == stage)
            .map(|(_, all)| all.clone());
        match gated {
            Some(accesses) => {
                let begins = self.gate(stage, &accesses, runs);
                self.replay = begins.or(replay);
                return;
            }
            None => {
                self.replay = replay.take();
                self.registers(stage, runs);
            }
        }
        let Some(mut replay) = self.replay.take() else {
            return;
        };
        if let Some(stale) = stale {
            replay.stale = self.m.delay(format!("stale_s{stage}"), stale);
        }
        if stage == replay.commit {
            let flush = self.m.and(&[self.valid, replay.stale]);
            let fresh = self.m.not(replay.stale);
            self.valid = self.m.and(&[self.valid, fresh]);
            let mut done = vec![self.valid];
            done.extend(self.host);
            let retire = self.m.or(&done);
            self.m.drive(replay.flush, flush);
            self.m.drive(replay.retire, retire);
        }
        self.replay = Some(replay);
    }

    fn run_name(&self, base: BaseId, lo: u32, width: u32, stage: u32) -> String {
        let data = &self.segments.bases[base];
        if base == self.segments.window() {
            let (first, last) = (lo / 8, (lo + width - 1) / 8);
            return match (lo % 8, width % 8) {
                (0, 0) if first == last => format!("packet_{first}_s{stage}"),
                (0, 0) => format!("packet_{first}_{last}_s{stage}"),
                _ => format!("packet_{first}_bit{}_s{stage}", lo % 8),
            };
        }
        if lo == 0 {
            format!("{}_s{stage}", data.name)
        } else {
            format!("{}_from{lo}_s{stage}", data.name)
        }
    }

    fn registers(&mut self, stage: u32, runs: Vec<(BaseId, u32, Node)>) {
        for (base, lo, node) in runs {
            let width = self.m.width(node);
            let kept = match self.m.nodes[node].op {
                NodeOp::Const(_) => node,
                _ => {
                    self.register_bits += width;
                    let name = self.run_name(base, lo, width, stage);
                    self.m.delay(name, node)
                }
            };
            self.present[base].push((lo, kept));
        }
        self.register_bits += 1 + u32::from(self.host.is_some());
        let inside = self
            .replay
            .as_ref()
            .filter(|replay| (replay.entrance + 1..=replay.commit).contains(&stage))
            .map(|replay| replay.flush);
        if let Some(flush) = inside {
            let stays = self.m.not(flush);
            self.valid = self.m.and(&[self.valid, stays]);
        }
        self.valid = self.m.delay_reset(format!("valid_s{stage}"), self.valid);
        if let Some(host) = self.host {
            self.host = Some(self.m.delay_reset(format!("host_s{stage}"), host));
        }
    }

    /// The segment FIFO and the entrances of the windows that begin here. Gives the window that is replayed when it does.
    fn gate(
        &mut self,
        stage: u32,
        accesses: &[usize],
        runs: Vec<(BaseId, u32, Node)>,
    ) -> Option<Replay> {
        let host = self.host.expect("a design with maps has host slots");
        let mut parts: Vec<Node> = vec![self.valid, host];
        parts.extend(runs.iter().map(|(_, _, node)| *node));
        let word = self.m.concat(&parts);
        let width = self.m.width(word);
        let name = format!("{}_segment_{stage}", self.prefix);
        let push = self.m.or(&[self.valid, host]);
        let enter = self.m.wire(1, format!("enter_s{stage}"));
        let replay = self.start_replay(stage, accesses);
        let mut inputs = vec![("push", push), ("data_in", word), ("pop", enter)];
        let fifo = match &replay {
            Some(replay) => {
                inputs.extend([("retire", replay.retire), ("rewind", replay.flush)]);
                hardpath_blocks::replay_fifo::replay_fifo(&name, width, self.credits)
            }
            None => hardpath_blocks::fifo::fifo(&name, width, self.credits),
        };
        let id = self.design.add(fifo);
        let fifo = &self.design.modules[id];
        let instance = self
            .m
            .instance(fifo, id, format!("segment_{stage}"), &inputs);
        let head_valid = self.m.instance_output(fifo, instance, "valid");
        let head = self.m.instance_output(fifo, instance, "data_out");
        let idle = replay
            .is_some()
            .then(|| self.m.instance_output(fifo, instance, "idle"));
        self.m.name(head_valid, format!("waiting_s{stage}"));
        self.m.name(head, format!("head_s{stage}"));
        self.register_bits += width;
        let mut at = width - 1;
        let head_packet = self.m.bit(head, at);
        at -= 1;
        let head_host = self.m.bit(head, at);
        for (base, lo, node) in runs {
            let bits = self.m.width(node);
            at -= bits;
            let part = self.m.slice(head, at, bits);
            let name = self.run_name(base, lo, bits, stage);
            let part = self.m.alias(part, name);
            self.present[base].push((lo, part));
        }
        let mut free = vec![head_valid];
        for number in accesses {
            let access = &self.plan[*number];
            if access.gate() == Some(Gate::Replay) {
                continue;
            }
            let blocks = self.interlock(stage, *number, head_packet, head_host, enter);
            free.push(self.m.not(blocks));
            self.stall = Some(match self.stall {
                None => blocks,
                Some(other) => self.m.or(&[other, blocks]),
            });
        }
        if let (Some(replay), Some(idle)) = (&replay, idle) {
            // What is void now starts again in the next clock. A host's operation must happen once: it enters when
            // nothing is inside that could take it along.
            free.push(self.m.not(replay.flush));
            let not_host = self.m.not(head_host);
            let quiet = self.idle_since(stage, idle, accesses);
            free.push(self.m.or(&[not_host, quiet]));
            self.stall = Some(match self.stall {
                None => replay.flush,
                Some(other) => self.m.or(&[other, replay.flush]),
            });
        }
        // A packet whose commits take several clocks keeps the next one away for so long.
        let turns = accesses
            .iter()
            .map(|number| self.plan[*number].slots())
            .max();
        let mut before = enter;
        for clock in 1..turns.unwrap_or(1) {
            before = self
                .m
                .delay_reset(format!("entered_{clock}_before_s{stage}"), before);
            free.push(self.m.not(before));
        }
        // Behind the entrance slots may follow each other closely again. A host operation's writes to maps that the
        // program only reads are not forwarded: what is behind it comes when they are seen.
        let mut after_host = self.m.and(&[enter, head_host]);
        for clock in 1..=CLOCKS_BEHIND_HOST {
            after_host = self
                .m
                .delay_reset(format!("behind_host_{clock}_s{stage}"), after_host);
            free.push(self.m.not(after_host));
        }
        if self.needs_quiet_host(stage) {
            let quiet = self.quiet(stage, enter);
            let not_host = self.m.not(head_host);
            free.push(self.m.or(&[not_host, quiet]));
        }
        let go = self.m.and(&free);
        self.m.drive(enter, go);
        let valid = self.m.and(&[enter, head_packet]);
        self.valid = self.m.name(valid, format!("valid_s{stage}"));
        let host = self.m.and(&[enter, head_host]);
        self.host = Some(self.m.name(host, format!("host_s{stage}")));
        replay
    }

    /// Whether a table behind this entrance forwards by key: the host's dump reads a slot, which is not forwarded, so
    /// it must come after some empty slots. At the design's own entrance it always does.
    fn needs_quiet_host(&self, stage: u32) -> bool {
        self.plan
            .iter()
            .zip(&self.schedule.accesses)
            .any(|(access, stages)| {
                access.is_structural()
                    && matches!(access.keys, Class::Fused { .. })
                    && stages.ports[0].table >= stage
            })
    }

    /// Nothing is inside, and the last packet's commits have all had their turns.
    fn idle_since(&mut self, stage: u32, idle: Node, accesses: &[usize]) -> Node {
        let turns = accesses
            .iter()
            .map(|number| self.plan[*number].slots())
            .max();
        let mut all = vec![idle];
        let mut before = idle;
        for clock in 1..turns.unwrap_or(1) {
            before = self
                .m
                .delay(format!("idle_{clock}_before_s{stage}"), before);
            all.push(before);
        }
        self.m.and(&all)
    }

    /// Nothing entered here in the last three clocks.
    fn quiet(&mut self, stage: u32, enter: Node) -> Node {
        let mut entered = enter;
        let mut recent = Vec::new();
        for clock in 1..=3 {
            entered = self
                .m
                .delay_reset(format!("entered_s{stage}_{clock}_ago"), entered);
            recent.push(entered);
        }
        let busy = self.m.or(&recent);
        self.m.not(busy)
    }

    /// `len` bits of a base as they stand in the present stage.
    pub fn base_bits(&mut self, base: BaseId, lo: u32, len: u32) -> Node {
        let mut parts = Vec::new();
        let mut at = lo;
        while at < lo + len {
            let (start, node) = *self.present[base]
                .iter()
                .find(|(start, node)| *start <= at && at < *start + self.m.width(*node))
                .unwrap_or_else(|| {
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
        let mut parts = Vec::new();
        for segment in self.segments.of(value).to_vec() {
            let part = match segment {
                Segment::Const(bits) => self.m.constant_limbs(bits.limbs(), bits.width()),
                Segment::Bits {
                    base,
                    lo,
                    len,
                    inverted,
                } => {
                    let node = self.base_bits(base, lo, len);
                    if inverted {
                        self.m.not(node)
                    } else {
                        node
                    }
                }
                Segment::Repeat {
                    base,
                    bit,
                    count,
                    inverted,
                } => {
                    let node = self.base_bits(base, bit, 1);
                    let node = if inverted { self.m.not(node) } else { node };
                    self.m.sext(node, count)
                }
            };
            parts.push(part);
        }
        parts.reverse();
        self.m.concat(&parts)
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

    fn emit(&mut self) {
        let program = self.program;
        let Terminator::Emit {
            verdict,
            destination,
            ..
        } = program.blocks[program.region()].terminator
        else {
            unreachable!("a region ends with an emit");
        };
        let verdict = self.node(verdict);
        let verdict = if self.raw {
            verdict
        } else {
            self.m.slice(verdict, 0, 3)
        };
        self.m
            .output("result_valid", self.valid, "a packet's result leaves");
        self.m.output("result_verdict", verdict, "");
        let length = self.segments.input(Input::PacketLength);
        let length = self.base_node(length);
        self.m.output("result_length", length, "bytes");
        if let Some(moved) = self.moved.clone() {
            for (port, width, doc) in moved.moves.ports() {
                let node = self.node(moved.value(port));
                let node = self.m.slice(node, 0, width);
                self.m.output(port, node, doc);
            }
        }
        if self.has_destination {
            let destination = self.node(destination);
            self.m
                .output("result_destination", destination, "where a redirect goes");
        }
        for inst in self.overlays.clone() {
            let data = &program.insts[inst];
            let offset = offset_name(store_offset(program, data.args[0]));
            let enable = self.condition(data.guard);
            let value = self.node(data.args[1]);
            self.m.output(
                format!("overlay_{offset}_enable"),
                enable,
                "the program wrote these bytes",
            );
            self.m.output(format!("overlay_{offset}_data"), value, "");
        }
    }

    fn finish(mut self) -> Compute {
        self.finish_maps();
        let stall = match self.stall {
            Some(stall) => stall,
            None => self.m.zero(1),
        };
        self.m.output(
            "stall",
            stall,
            "a packet waits at the entrance of a hazard window",
        );
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
        let inputs = self
            .segments
            .used_inputs()
            .into_iter()
            .map(|(input, _)| input)
            .collect();
        Compute {
            window_bytes: self.segments.bases[window].width / 8,
            inputs,
            overlays,
            moved: self.moved,
            has_destination: self.has_destination,
            register_bits: self.register_bits,
            module: self.m,
        }
    }
}

/// A program's name as the name of its top module: an identifier that is no reserved word and no port of the top.
pub fn module_name(name: &str) -> String {
    const PORTS: [&str; 6] = [
        "clk",
        "rst",
        "time_ns",
        "random",
        "verdict",
        "verdict_valid",
    ];
    let name = identifier(name);
    let is_port =
        PORTS.contains(&name.as_str()) || name.contains("_axis_") || name.contains("_axil_");
    if is_port || hardpath_rtl::verilog::names::is_reserved(&name) {
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

//! The lanes: from the parts of an operation to what a row writes.
//!
//! | stage | |
//! |---|---|
//! | 0 | addresses of registers |
//! | 1 | which bits of them are operands |
//! | 2 to 5 | operands; in 5 guards are read |
//! | 6 to 9 | operands stand in registers, here and for others; arithmetic |
//! | 8 | conditions, and where the row ends |
//! | 9 | what of the row happens stands in registers |
//! | L | results of others come: [`Lanes::late_stage`] |
//! | W = L + 1 | registers are written |
//! | L + [`update_clocks`](super::predicates::update_clocks) | the predicates behind the row stand in registers |
//!
//! Each part of an operation belongs to the stage that needs it, so whoever decodes keeps no more than he must: a program memory of
//! several columns is read column by column, as late as each will do.
//!
//! What takes longer than L comes beside rows ([`BesideIn`]): a lane writes it where its row writes nothing. Or it comes as a row of its
//! own: a move of a number, into the register where the result belongs.

use super::alu::{alu, AluControlIn, AluIn, ALU_CLOCKS};
use super::operand::{operand, FieldIn, OperandIn, OPERAND_CLOCKS};
use super::predicates::{
    cut, guards, updates, CutIn, CutOut, GuardIn, GuardsIn, GuardsOut, LeavesIn, UpdateIn,
    UpdatesIn, PREDICATE_BITS,
};
use super::registers::{registers, ReadIn, RegistersIn, WriteIn, READ_CLOCKS};
use super::shift::later;
use super::Shape;
use crate::isa::PREDICATES;
use hardpath_blocks::index_bits;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Design, Module, Node};

/// The lanes of a core.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lanes {
    /// How large it is.
    pub shape: Shape,
    /// Stages that results of the lanes wait for those of others.
    pub wait: u32,
}

/// The stage in which operands stand in registers.
pub const OPERAND_STAGE: u32 = READ_CLOCKS + OPERAND_CLOCKS;
/// The stage in which a condition's outcome does.
const OUTCOME_STAGE: u32 = OPERAND_STAGE + 2;
/// The stage in which it is known what of a row happens.
pub const CUT_STAGE: u32 = OUTCOME_STAGE + 1;

impl Lanes {
    /// L: the stage in which results of other units come.
    pub fn late_stage(&self) -> u32 {
        OPERAND_STAGE + ALU_CLOCKS + self.wait
    }

    /// W: the stage in which registers are written. The thread's next row begins at least two clocks later.
    pub fn write_stage(&self) -> u32 {
        self.late_stage() + 1
    }
}

signals! {
    /// Where a lane's operands come from.
    pub struct SourceIn {
        /// Whose bank, where there are several.
        bank: maybe "stage 0",
        index: one "stage 0: which register of the bank",
        is_field: one "stage 0: the operand is bits of that register",
        field: all FieldIn,
        number: one "stage 5: the operand as a number; zeros where it is none",
    }
}

signals! {
    /// What a lane does: an operation's parts. Of none all are zeros.
    pub struct LaneIn {
        /// Called `a` and `b`.
        operand: labelled SourceIn,
        guard: all GuardIn,
        control: all AluControlIn,
        selects: one "stage 6: the plain result is b where the first predicate does not hold, else a",
        effect: all EffectIn,
        late: all LateIn,
    }
}

signals! {
    /// What an operation changes.
    pub struct EffectIn {
        writes: one "stage 5: it writes a register",
        to: one "stage 5: which one of the lane's bank",
        leaves: one "stage 5: it is a branch, a jump or an exit",
        tests: one "stage 5: and has a condition",
        /// A [`Change`](super::predicates::Change) of predicates.
        change: one "stage 5",
        yes: one "stage 5: which predicate becomes the value",
        no: one "stage 5: which one becomes its opposite",
        combines: one "stage 5: the value is the combination, not the outcome",
    }
}

signals! {
    /// What other units say of an operation.
    pub struct LateIn {
        late: one "stage L: the result is this one",
        late_value: one "stage L",
    }
}

signals! {
    /// What comes beside rows: a number for a register.
    pub struct BesideIn {
        beside_wants: several "stage L: it is for the bank of this lane",
        beside_thread: one "stage L: whose register",
        beside_to: one "stage L: which one of the bank",
        beside_value: one "stage L",
    }
}

signals! {
    /// A row.
    pub struct LanesIn {
        thread: one "stage 0",
        predicates: one "stage 5: those of the thread",
        lanes: numbered LaneIn,
        beside: all BesideIn,
    }
}

signals! {
    /// What comes of a row, of each lane.
    pub struct LanesOut {
        a: several "stage 6: the first operand",
        b: several "stage 6: the second one",
        holds: several "stage 6: the operation's guard",
        active: several "stage 9: the operation happens",
        taken: several "stage 9: this is the branch that is taken",
        written: numbered WrittenOut,
        /// The thread's next row reads it.
        predicates_next: one "stage L and the clocks of an update",
        beside_goes: one "stage L: what comes beside the row is written",
    }
}

signals! {
    /// What a lane writes into its bank.
    pub struct WrittenOut {
        writes_out: one "stage W",
        thread_out: one "stage W: whose register",
        to_out: one "stage W",
        value_out: one "stage W",
    }
}

impl LanesIn<u32> {
    /// In bits.
    pub fn widths(shape: &Shape) -> LanesIn<u32> {
        LanesIn {
            thread: index_bits(shape.threads.into()),
            predicates: PREDICATES.into(),
            lanes: vec![LaneIn::widths(shape); shape.lanes.into()],
            beside: BesideIn {
                beside_wants: vec![1; shape.lanes.into()],
                beside_thread: index_bits(shape.threads.into()),
                beside_to: shape.index_bits(),
                beside_value: 64,
            },
        }
    }
}

impl LaneIn<u32> {
    fn widths(shape: &Shape) -> LaneIn<u32> {
        let source = SourceIn {
            bank: shape.bank_bits(),
            index: shape.index_bits(),
            is_field: 1,
            field: FieldIn::widths(),
            number: 64,
        };
        LaneIn {
            operand: vec![("a".into(), source.clone()), ("b".into(), source)],
            guard: GuardIn::widths(),
            control: AluControlIn::widths(),
            selects: 1,
            effect: EffectIn {
                writes: 1,
                to: shape.index_bits(),
                leaves: 1,
                tests: 1,
                change: 3,
                yes: PREDICATE_BITS,
                no: PREDICATE_BITS,
                combines: 1,
            },
            late: LateIn {
                late: 1,
                late_value: 64,
            },
        }
    }
}

/// The lanes with their registers, as a design: its top is the module of that name.
pub fn lanes(name: &str, config: &Lanes) -> Design {
    let mut design = Design::new();
    let block = lanes_in(&mut design, name, config);
    design.add(block);
    design
}

/// The same for a design that has more: the modules inside are in it.
pub fn lanes_in(design: &mut Design, name: &str, config: &Lanes) -> Block<LanesIn, LanesOut> {
    let mut m = Module::new(name, header(config));
    let inputs = m.inputs(LanesIn::widths(&config.shape));
    let mut parts = Parts {
        design,
        name,
        config,
    };
    m.section("Registers");
    let writing = parts.write_wires(&mut m);
    let values = parts.read(&mut m, &inputs, writing.clone());
    m.section("Operands");
    let operands = parts.operands(&mut m, &inputs, &values);
    m.section("Guards");
    let guarded = parts.guards(&mut m, &inputs);
    m.section("Arithmetic");
    let computed = parts.compute(&mut m, &inputs, &operands, &guarded);
    m.section("What of the row happens");
    let happens = parts.cut(&mut m, &inputs, &guarded, &computed);
    m.section("Predicates");
    let predicates_next = parts.update(&mut m, &inputs, &guarded, &computed, &happens);
    m.section("What is written");
    let (written, beside_goes) = parts.write(&mut m, &inputs, &computed, &happens);
    for (wires, written) in writing.iter().zip(&written) {
        m.drive(wires.writes, written.writes_out);
        m.drive(wires.write_thread, written.thread_out);
        m.drive(wires.write_index, written.to_out);
        m.drive(wires.write_value, written.value_out);
    }
    let outputs = LanesOut {
        a: operands.iter().map(|operands| operands[0]).collect(),
        b: operands.iter().map(|operands| operands[1]).collect(),
        holds: guarded.holds,
        active: happens.active,
        taken: happens.taken,
        written,
        predicates_next,
        beside_goes,
    };
    m.into_block(inputs, outputs)
}

fn header(config: &Lanes) -> String {
    format!(
        "Lanes of the packet processor: {} operations of a thread's row a clock.\n\
         A row begins in stage 0, and each port says its stage; L is {}, W is {}, a stage a clock, without stalls.\n\
         Operations take effect in the order of the lanes, up to the first branch that is taken. A thread's next row begins\n\
         at least two clocks behind stage W of the one before, and has its stage 5 behind the clock in which predicates_next is given.",
        config.shape.lanes,
        config.late_stage(),
        config.write_stage(),
    )
}

/// What an operation computes.
struct Computed {
    /// Stage 9.
    result: Node,
    /// Stage 8.
    outcome: Node,
}

/// What puts the blocks into the module.
struct Parts<'a> {
    design: &'a mut Design,
    name: &'a str,
    config: &'a Lanes,
}

impl Parts<'_> {
    fn inner(&self, what: &str) -> String {
        format!("{}_{what}", self.name)
    }

    /// What is written back, which is known last.
    fn write_wires(&self, m: &mut Module) -> Vec<WriteIn> {
        let lanes = 0..self.config.shape.lanes;
        let wires = lanes.map(|lane| WriteIn {
            writes: m.wire(1, format!("writes_back_{lane}")),
            write_thread: m.wire(
                index_bits(self.config.shape.threads.into()),
                format!("thread_back_{lane}"),
            ),
            write_index: m.wire(self.config.shape.index_bits(), format!("back_to_{lane}")),
            write_value: m.wire(64, format!("value_back_{lane}")),
        });
        wires.collect()
    }

    /// Stages 0 to 2.
    fn read(&mut self, m: &mut Module, inputs: &LanesIn, writing: Vec<WriteIn>) -> Vec<Node> {
        let sources = inputs.lanes.iter().flat_map(|lane| &lane.operand);
        let reading = sources.map(|(_, source)| ReadIn {
            read_bank: source.bank,
            read_index: source.index,
            reads: source.is_field,
        });
        let ports = RegistersIn {
            read_thread: inputs.thread,
            reading: reading.collect(),
            writing,
        };
        let block = registers(&self.inner("registers"), &self.config.shape);
        block.place(self.design, m, "registers", ports).out.values
    }

    /// Stages 1 to 6: of each lane both operands.
    fn operands(&mut self, m: &mut Module, inputs: &LanesIn, values: &[Node]) -> Vec<[Node; 2]> {
        let module = self.inner("operand");
        let mut nodes = Vec::new();
        let lanes = inputs.lanes.iter().enumerate();
        let sources = lanes.flat_map(|(lane, inputs)| {
            let sources = inputs.operand.iter();
            sources.map(move |(label, source)| (lane, label, source))
        });
        for ((lane, label, source), value) in sources.zip(values) {
            let ports = OperandIn {
                field: source.field.clone(),
                value: *value,
                number: source.number,
            };
            let name = format!("operand_{label}_{lane}");
            let placed = operand(&module).place_another(self.design, m, name, ports);
            nodes.push(placed.out.operand);
        }
        nodes.chunks(2).map(|pair| [pair[0], pair[1]]).collect()
    }

    /// Stages 5 and 6.
    fn guards(&mut self, m: &mut Module, inputs: &LanesIn) -> GuardsOut {
        let ports = GuardsIn {
            predicates: inputs.predicates,
            guards: inputs.lanes.iter().map(|lane| lane.guard.clone()).collect(),
        };
        let block = guards(&self.inner("guards"), self.config.shape.lanes);
        block.place(self.design, m, "guards", ports).out
    }

    /// Stages 6 to 9.
    fn compute(
        &mut self,
        m: &mut Module,
        inputs: &LanesIn,
        operands: &[[Node; 2]],
        guarded: &GuardsOut,
    ) -> Vec<Computed> {
        let module = self.inner("alu");
        let mut all = Vec::new();
        for (lane, (inputs, [a, b])) in inputs.lanes.iter().zip(operands).enumerate() {
            let mut control = inputs.control.clone();
            // Of the numbers of the two operands only the lowest bit differs.
            let not_a = m.not(guarded.chosen[lane]);
            let takes_b = m.and(&[inputs.selects, not_a]);
            let takes_b = m.zext(takes_b, m.width(control.plain));
            control.plain = m.or(&[control.plain, takes_b]);
            let ports = AluIn {
                a: *a,
                b: *b,
                control,
            };
            let name = format!("alu_{lane}");
            let out = alu(&module).place_another(self.design, m, name, ports).out;
            all.push(Computed {
                result: out.result,
                outcome: out.outcome,
            });
        }
        all
    }

    /// Stages 8 and 9.
    fn cut(
        &mut self,
        m: &mut Module,
        inputs: &LanesIn,
        guarded: &GuardsOut,
        computed: &[Computed],
    ) -> CutOut {
        let mut ports = Vec::new();
        for (lane, inputs) in inputs.lanes.iter().enumerate() {
            let mut until = |what: &str, node, from| {
                later(m, &format!("{what}_{lane}"), node, OUTCOME_STAGE - from)
            };
            ports.push(LeavesIn {
                holds: until("holds", guarded.holds[lane], OPERAND_STAGE),
                leaves: until("leaves", inputs.effect.leaves, EFFECT_STAGE),
                tests: until("tests", inputs.effect.tests, EFFECT_STAGE),
                outcome: computed[lane].outcome,
            });
        }
        let block = cut(&self.inner("cut"), self.config.shape.lanes);
        let ports = CutIn { lanes: ports };
        block.place(self.design, m, "cut", ports).out
    }

    /// From stage L on.
    fn update(
        &mut self,
        m: &mut Module,
        inputs: &LanesIn,
        guarded: &GuardsOut,
        computed: &[Computed],
        happens: &CutOut,
    ) -> Node {
        let stage = self.config.late_stage();
        let mut ports = Vec::new();
        for (lane, inputs) in inputs.lanes.iter().enumerate() {
            let mut until = |what: &str, node, from| {
                later(m, &format!("{what}_{lane}_for_update"), node, stage - from)
            };
            let effect = &inputs.effect;
            let [change, yes, no] = [
                until("change", effect.change, EFFECT_STAGE),
                until("yes", effect.yes, EFFECT_STAGE),
                until("no", effect.no, EFFECT_STAGE),
            ];
            let combines = until("combines", effect.combines, EFFECT_STAGE);
            let combined = until("combined", guarded.combined[lane], OPERAND_STAGE + 1);
            let outcome = until("outcome", computed[lane].outcome, OUTCOME_STAGE);
            let reached = until("reached", happens.reached[lane], CUT_STAGE);
            let holds = until("holds", guarded.holds[lane], OPERAND_STAGE);
            ports.push(UpdateIn {
                change,
                yes,
                no,
                reached,
                holds,
                value: m.mux(combines, combined, outcome),
            });
        }
        let old_word = later(m, "predicates", inputs.predicates, stage - EFFECT_STAGE);
        let block = updates(&self.inner("updates"), self.config.shape.lanes);
        let ports = UpdatesIn {
            old_word,
            updates: ports,
        };
        let placed = block.place(self.design, m, "updates", ports);
        placed.out.new_word
    }

    /// Stages L and W; and in L whether what comes beside the row is written.
    fn write(
        &self,
        m: &mut Module,
        inputs: &LanesIn,
        computed: &[Computed],
        happens: &CutOut,
    ) -> (Vec<WrittenOut>, Node) {
        let stage = self.config.late_stage();
        let thread = later(m, "thread", inputs.thread, stage);
        let beside = &inputs.beside;
        let (mut all, mut goes) = (Vec::new(), Vec::new());
        for (lane, inputs) in inputs.lanes.iter().enumerate() {
            let result = format!("result_{lane}");
            let result = later(m, &result, computed[lane].result, self.config.wait);
            let late = &inputs.late;
            let effect = &inputs.effect;
            let mut until = |what: &str, node, from, stage| {
                later(m, &format!("{what}_{lane}"), node, stage - from)
            };
            let writes = until("writes", effect.writes, EFFECT_STAGE, CUT_STAGE);
            let to = until("to", effect.to, EFFECT_STAGE, stage);
            let writes = m.and(&[writes, happens.active[lane]]);
            let writes = later(m, &format!("writes_back_{lane}"), writes, stage - CUT_STAGE);
            let free = m.not(writes);
            let takes = m.and(&[free, beside.beside_wants[lane]]);
            let own = m.mux(late.late, late.late_value, result);
            let mut or_beside = |name: &str, own, of_beside| {
                let node = m.mux(writes, own, of_beside);
                m.delay(format!("{name}_{lane}"), node)
            };
            let (value_out, to_out, thread_out) = (
                or_beside("value", own, beside.beside_value),
                or_beside("to_back", to, beside.beside_to),
                or_beside("thread_back", thread, beside.beside_thread),
            );
            let any = m.or(&[writes, takes]);
            goes.push(takes);
            all.push(WrittenOut {
                writes_out: m.delay(format!("writes_{lane}_w"), any),
                thread_out,
                to_out,
                value_out,
            });
        }
        (all, m.or(&goes))
    }
}

/// The stage to which an operation's effects belong.
const EFFECT_STAGE: u32 = OPERAND_STAGE - 1;

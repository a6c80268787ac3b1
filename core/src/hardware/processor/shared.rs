//! Operations of units that lanes share: of which there is one in a row at most.

use super::{is, Processor};
use crate::encode::layout::{Bits, Opcode};
use crate::hardware::lanes::{CUT_STAGE, OPERAND_STAGE};
use crate::hardware::pick::Pick;
use crate::hardware::shift::later;
use hardpath_rtl::{signals, Module, Node};

signals! {
    /// What a lane does.
    pub struct OperationIn {
        word: one "stage 0",
        a: one "stage 6",
        b: one "stage 6",
        active: one "stage 9",
    }
}

impl OperationIn<u32> {
    /// Of all lanes, in bits.
    pub fn of_lanes(config: &Processor) -> Vec<OperationIn<u32>> {
        let lane = OperationIn {
            word: 128,
            a: 64,
            b: 64,
            active: 1,
        };
        vec![lane; config.shape.lanes.into()]
    }
}

/// An operation of a unit that lanes share, on its way.
pub(super) struct Shared<'a> {
    pub lanes: &'a [OperationIn],
    pub pick: Pick,
    pub name: &'static str,
}

impl<'a> Shared<'a> {
    /// The only one of these opcodes in a row.
    pub fn new(
        m: &mut Module,
        name: &'static str,
        lanes: &'a [OperationIn],
        opcodes: &[Opcode],
    ) -> Shared<'a> {
        let kinds: Vec<Node> = lanes.iter().map(|lane| is(m, lane.word, opcodes)).collect();
        Shared::of(m, name, lanes, &kinds)
    }

    /// The only one of this kind; `kinds`: a bit for each lane.
    pub fn of(
        m: &mut Module,
        name: &'static str,
        lanes: &'a [OperationIn],
        kinds: &[Node],
    ) -> Shared<'a> {
        let pick = Pick::nth(m, kinds, 0);
        Shared { lanes, pick, name }
    }

    /// A part of its word in a stage.
    pub fn part(&self, m: &mut Module, what: &str, bits: Bits, stage: u32) -> Node {
        let words: Vec<Node> = self.lanes.iter().map(|lane| lane.word).collect();
        let name = format!("{}_{what}", self.name);
        self.pick.part(m, &name, &words, bits, stage)
    }

    /// Its operands in stage 10.
    pub fn operands(&self, m: &mut Module) -> [Node; 2] {
        let pick = self
            .pick
            .later(m, &format!("{}_operands", self.name), OPERAND_STAGE);
        let both: [fn(&OperationIn) -> Node; 2] = [|lane| lane.a, |lane| lane.b];
        let mut operand = |label: &str, of: fn(&OperationIn) -> Node| {
            let all: Vec<Node> = self.lanes.iter().map(of).collect();
            let node = pick.of(m, &all);
            let name = format!("{}_{label}", self.name);
            later(m, &name, node, CUT_STAGE + 1 - OPERAND_STAGE)
        };
        [operand("a", both[0]), operand("b", both[1])]
    }

    /// In stage 9: it happens.
    pub fn happens(&self, m: &mut Module) -> Node {
        let pick = self
            .pick
            .later(m, &format!("{}_happens", self.name), CUT_STAGE);
        let all: Vec<Node> = self.lanes.iter().map(|lane| lane.active).collect();
        pick.gated(m, &all)
    }
}

//! Words for buffers: from the operations that put them to the memories of the threads.

use super::is;
use crate::encode::layout::{self, kind, Bits, Opcode};
use crate::hardware::lanes::{CUT_STAGE, OPERAND_STAGE};
use crate::hardware::pick::Pick;
use crate::hardware::shift::later;
use crate::isa::Buffer;
use hardpath_rtl::{Module, Node};

/// What a lane does.
pub(super) struct Lane {
    /// Stage 0.
    pub word: Node,
    /// Stage 6.
    pub a: Node,
    pub b: Node,
    /// Stage 9.
    pub active: Node,
}

/// An operation of a unit that lanes share, on its way.
pub(super) struct Shared<'a> {
    pub lanes: &'a [Lane],
    /// Stage 1.
    pub pick: Pick,
    pub name: &'static str,
}

impl<'a> Shared<'a> {
    /// The only one of these opcodes in a row.
    pub fn new(
        m: &mut Module,
        name: &'static str,
        lanes: &'a [Lane],
        opcodes: &[Opcode],
    ) -> Shared<'a> {
        let kinds: Vec<Node> = lanes.iter().map(|lane| is(m, lane.word, opcodes)).collect();
        Shared::of(m, name, lanes, &kinds)
    }

    /// The only one of this kind; `kinds`: a bit for each lane.
    pub fn of(m: &mut Module, name: &'static str, lanes: &'a [Lane], kinds: &[Node]) -> Shared<'a> {
        let pick = Pick::nth(m, kinds, 0).later(m, name, 1);
        Shared { lanes, pick, name }
    }

    /// A part of its word in a stage.
    pub fn part(&self, m: &mut Module, what: &str, bits: Bits, stage: u32) -> Node {
        let name = format!("{}_{what}", self.name);
        let parts = self.lanes.iter().enumerate().map(|(lane, inputs)| {
            let part = m.slice(inputs.word, bits.lo.into(), bits.width.into());
            m.delay(format!("{name}_of_{lane}"), part)
        });
        let parts: Vec<Node> = parts.collect();
        let part = self.pick.of(m, &parts);
        later(m, &name, part, stage - 1)
    }

    /// Its operands in stage 10.
    pub fn operands(&self, m: &mut Module) -> [Node; 2] {
        let pick = self
            .pick
            .later(m, &format!("{}_operands", self.name), OPERAND_STAGE - 1);
        let both: [fn(&Lane) -> Node; 2] = [|lane| lane.a, |lane| lane.b];
        let mut operand = |label: &str, of: fn(&Lane) -> Node| {
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
            .later(m, &format!("{}_happens", self.name), CUT_STAGE - 1);
        let all: Vec<Node> = self.lanes.iter().map(|lane| lane.active).collect();
        pick.gated(m, &all)
    }
}

/// Words that are put, in stage 10.
pub(super) struct Puts {
    happens: Node,
    buffer: Node,
    at: Node,
    both: Node,
    /// What goes into words of even and of odd numbers.
    data: [Node; 2],
}

impl Puts {
    pub fn new(m: &mut Module, lanes: &[Lane]) -> Puts {
        let shared = Shared::new(m, "put", lanes, &[Opcode::Put]);
        let stage = CUT_STAGE + 1;
        let at = shared.part(m, "at", layout::PUT_AT, stage);
        let buffer = shared.part(m, "buffer", layout::BUFFER, stage);
        let second = shared.part(m, "second", layout::B_KIND, stage);
        let alone = m.eq_const(second, kind::ABSENT);
        let [a, b] = shared.operands(m);
        let odd = m.bit(at, 0);
        let happens = shared.happens(m);
        Puts {
            happens: m.delay_reset("puts", happens),
            buffer,
            at,
            both: m.not(alone),
            data: [m.mux(odd, b, a), m.mux(odd, a, b)],
        }
    }

    /// Whether a word of a buffer is written, and what it becomes.
    pub fn word(&self, m: &mut Module, buffer: Buffer, word: u16) -> (Node, Node) {
        let code = layout::BUFFERS.iter().position(|one| *one == buffer);
        let code = code.expect("each buffer has a code") as u64;
        let mine = m.eq_const(self.buffer, code);
        let first = m.eq_const(self.at, word.into());
        let mut hits = vec![first];
        if let Some(before) = word.checked_sub(1) {
            let second = m.eq_const(self.at, before.into());
            hits.push(m.and(&[second, self.both]));
        }
        let hit = m.or(&hits);
        let writes = m.and(&[self.happens, mine, hit]);
        (writes, self.data[usize::from(word % 2)])
    }
}

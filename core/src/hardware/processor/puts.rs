//! Words for buffers: from the operations that put them to the memories of the threads.

use super::shared::{OperationIn, Shared};
use crate::encode::layout::{self, kind, Opcode};
use crate::hardware::lanes::CUT_STAGE;
use crate::isa::Buffer;
use hardpath_rtl::{Module, Node};

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
    pub fn new(m: &mut Module, lanes: &[OperationIn]) -> Puts {
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

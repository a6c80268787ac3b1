//! Between the result FIFO and the exit: a packet of which further copies leave, each in a way of its own.
//!
//! The exit is given the packet itself first, if it is forwarded, then each of its copies that leaves, and keeps its frames as
//! long as another one follows.

use crate::egress::SentResult;
use hardpath_rtl::signals::{Block, Signals};
use hardpath_rtl::{signals, Module, Node};

/// What the copier must know.
pub struct Copier {
    /// Name of the module.
    pub name: String,
    /// How a packet leaves.
    pub sent: SentResult<u32>,
    /// How many copies there may be.
    pub copies: usize,
}

signals! {
    /// Into the copier.
    pub struct CopierIn {
        result_valid: one "a packet's result waits",
        forwarded: one "the packet itself leaves",
        sent: all SentResult,
        copy: labelled CopyIn,
        taken: one "the exit is through with what it was given",
    }
}

signals! {
    /// A further copy.
    pub struct CopyIn {
        when: one "it leaves",
        sent: all SentResult,
    }
}

signals! {
    /// Out of the copier.
    pub struct CopierOut {
        /// How the one leaves that the exit is given: one, with a name in front of those of the inputs.
        given: labelled SentResult,
        again: one "another one follows: the frames must stay",
        nobody: one "none leaves",
        pop: one "the head is used up",
    }
}

/// A packet is given in the clock in which its result is there, once for each copy that leaves, without a gap; one of which
/// none leaves is given once, for nobody.
pub fn copier(config: &Copier) -> Block<CopierIn, CopierOut> {
    let mut m = Module::new(
        config.name.clone(),
        "Copier: gives a packet to the exit once for each copy that leaves, the packet itself first. One of which none\n\
         leaves is given once, as a packet for nobody.",
    );
    let sent = || config.sent.clone().map(&mut |_, _, width| width);
    let copy = |number: usize| {
        let copy = CopyIn {
            when: 1,
            sent: sent(),
        };
        (number.to_string(), copy)
    };
    let inputs = m.inputs(CopierIn {
        result_valid: 1,
        forwarded: 1,
        sent: sent(),
        copy: (1..=config.copies).map(copy).collect(),
        taken: 1,
    });
    m.section("Which of them have not left yet");
    let whens = inputs.copy.iter().map(|(_, copy)| copy.when);
    let wanted: Vec<Node> = std::iter::once(inputs.forwarded).chain(whens).collect();
    let (gone_reg, gone) = m.reg_reset("gone", wanted.len() as u32, 0);
    let mut left = Vec::new();
    for (number, wanted) in wanted.iter().enumerate() {
        let is_gone = m.bit(gone, number as u32);
        let stays = m.not(is_gone);
        left.push(m.and(&[*wanted, stays]));
    }
    let some = m.or(&left);
    let nobody = m.not(some);
    m.section("The first of them is given");
    let (mut chosen, mut others): (Vec<Node>, Vec<Node>) = (Vec::new(), Vec::new());
    for (number, this) in left.iter().enumerate() {
        if number == 0 {
            chosen.push(*this);
            continue;
        }
        let earlier = m.or(&left[..number]);
        let first = m.not(earlier);
        chosen.push(m.and(&[*this, first]));
        others.push(m.and(&[*this, earlier]));
    }
    let again = m.or(&others);
    let last = m.not(again);
    let pop = m.and(&[inputs.taken, last]);
    let order: Vec<Node> = chosen.iter().rev().copied().collect();
    let leaving = m.concat(&order);
    let next = m.or(&[gone, leaving]);
    let none = m.zero(wanted.len() as u32);
    let gone_next = m.mux(again, next, none);
    m.set_next_when(gone_reg, inputs.taken, gone_next);
    let unasked = m.not(inputs.result_valid);
    let wrong = m.and(&[inputs.taken, unasked]);
    let sound = m.not(wrong);
    m.assert(
        "taken_when_valid",
        sound,
        "copier: the exit took a packet that was not there",
    );
    let outputs = CopierOut {
        given: vec![("packet".into(), choose(&mut m, &chosen, &inputs))],
        again,
        nobody,
        pop,
    };
    m.into_block(inputs, outputs)
}

impl CopierOut {
    /// How the one leaves that the exit is given.
    pub fn sent(&self) -> &SentResult {
        &self.given[0].1
    }
}

/// Each part of the copy that is chosen.
fn choose(m: &mut Module, chosen: &[Node], inputs: &CopierIn) -> SentResult {
    let mut columns: Vec<Vec<Node>> = Vec::new();
    let copies = inputs.copy.iter().map(|(_, copy)| &copy.sent);
    for sent in std::iter::once(&inputs.sent).chain(copies) {
        let mut parts = Vec::new();
        sent.clone().map(&mut |_, _, part| parts.push(part));
        columns.push(parts);
    }
    let mut place = 0;
    inputs.sent.clone().map(&mut |_, _, _| {
        let mut terms = Vec::new();
        for (on, parts) in chosen.iter().zip(&columns) {
            terms.push(m.gate(*on, parts[place]));
        }
        place += 1;
        m.or(&terms)
    })
}

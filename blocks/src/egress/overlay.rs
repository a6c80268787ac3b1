//! Bytes that a program wrote, over those of a beat.

use hardpath_rtl::{Module, Node};

/// For each lane of a beat: who writes, and what.
pub(crate) type Lanes = Vec<Vec<(Node, Node)>>;

/// The bytes of a beat with what is written over them. `below`: what they were, zeros when it is nothing.
pub(crate) fn rewritten(m: &mut Module, lanes: &Lanes, below: Option<Node>) -> Node {
    let mut bytes = Vec::new();
    for (lane, writes) in lanes.iter().enumerate() {
        let original = match below {
            Some(frame) => m.slice(frame, lane as u32 * 8, 8),
            None => m.zero(8),
        };
        bytes.push(match writes.as_slice() {
            [] => original,
            [(on, value)] => m.mux(*on, *value, original),
            _ => one_of(m, writes, original),
        });
    }
    bytes.reverse();
    m.concat(&bytes)
}

/// The one value whose bit is on, or else the other one. At most one bit is on.
fn one_of(m: &mut Module, choices: &[(Node, Node)], otherwise: Node) -> Node {
    let mut terms = Vec::new();
    let mut any = Vec::new();
    for (on, value) in choices {
        terms.push(m.gate(*on, *value));
        any.push(*on);
    }
    let some = m.or(&any);
    let none = m.not(some);
    terms.push(m.gate(none, otherwise));
    m.or(&terms)
}

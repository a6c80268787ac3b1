//! What stands beside the beats of a packet at an exit.

use super::{Egress, EgressIn};
use hardpath_packet::{CLASS_BITS, INDEX_BITS};
use hardpath_rtl::{Module, Node};

/// What stands beside the beats of a packet.
#[derive(Clone, Copy)]
pub(crate) struct Beside {
    outputs: Option<Node>,
    class: Option<Node>,
    index: Option<Node>,
    /// The packet comes once more.
    pub(crate) again: Option<Node>,
    /// The outputs of the packet itself, where copies have their own.
    own_outputs: Option<Node>,
}

impl Beside {
    pub(crate) fn of(inputs: &EgressIn) -> Beside {
        let (sent, repeat) = (&inputs.result.sent, inputs.repeat.as_ref());
        Beside {
            outputs: sent.result_outputs,
            class: sent.result_class,
            index: sent.result_index,
            again: repeat.map(|repeat| repeat.result_again),
            own_outputs: repeat.and_then(|repeat| repeat.result_fate_outputs),
        }
    }

    /// What goes with beats.
    pub(crate) fn of_beats(self) -> Beside {
        Beside {
            own_outputs: None,
            ..self
        }
    }

    /// The same in registers, under a condition.
    pub(crate) fn held(&self, m: &mut Module, prefix: &str, enable: Node) -> Beside {
        let mut held = |name: &str, node: Option<Node>| {
            node.map(|node| m.hold(format!("{prefix}_{name}"), enable, node))
        };
        Beside {
            outputs: held("outputs", self.outputs),
            class: held("class", self.class),
            index: held("index", self.index),
            again: held("again", self.again),
            own_outputs: held("own_outputs", self.own_outputs),
        }
    }

    /// `m_axis_tuser`. `bad`: the mark of a bad frame, of an exit that has one.
    pub(crate) fn user(&self, m: &mut Module, bad: Option<Node>) -> Node {
        let outputs = self.outputs.unwrap_or_else(|| m.zero(1));
        let above = self.again.or(bad);
        let parts: Vec<Node> = above.into_iter().chain([outputs]).collect();
        m.concat(&parts)
    }

    /// `m_axis_tdest`, if it is not always the same; behind [`whole_destination`].
    pub(crate) fn destination(&self, m: &mut Module) -> Option<Node> {
        let parts: Vec<Node> = self.class.into_iter().chain(self.index).collect();
        (!parts.is_empty()).then(|| m.concat(&parts))
    }

    /// What is told of the packet.
    pub(crate) fn fate(&self, m: &mut Module, sent: Node) -> Node {
        let outputs = self.own_outputs.or(self.outputs);
        let parts: Vec<Node> = std::iter::once(sent).chain(outputs).collect();
        m.concat(&parts)
    }
}

/// `m_axis_tdest` out of what changes of it.
pub(crate) fn whole_destination(m: &mut Module, config: &Egress, varies: Option<Node>) -> Node {
    let class = config.class.map(|code| m.constant(code, CLASS_BITS));
    let no_index = match config.has_index {
        true => None,
        false => Some(m.zero(INDEX_BITS)),
    };
    // Class above index: what is constant stands above or below the rest.
    let parts: Vec<Node> = class.into_iter().chain(varies).chain(no_index).collect();
    m.concat(&parts)
}

//! The end of a program: what the exit is told of each packet.

use super::Lower;
use crate::moves::store_offset;
use hardpath_blocks::egress::{
    last_byte, offset_name, Broadcast, CopyResult, Overlay, PacketResult, SentResult,
};
use hardpath_blocks::moves::{FrontIn, MovesIn};
use hardpath_ir::{Emit, Input, Leaving, Program, Sent, Terminator, To, Value, OFFSET_BITS};
use hardpath_packet::{Class, CLASS_BITS, INDEX_BITS};
use hardpath_passes::value_set::ValueSets;
use hardpath_rtl::Node;

/// What leaves with a packet.
pub(super) struct Emitted {
    pub(super) valid: Node,
    pub(super) result: PacketResult,
    pub(super) carried: Option<Node>,
}

impl Lower<'_> {
    pub(super) fn emit(&mut self) {
        let program = self.program;
        let emit = emit_of(program);
        // Else the exit is told by the entrance.
        let length = (!self.ends_apart).then(|| {
            let length = self.segments.input(Input::Length);
            self.base_node(length)
        });
        let (mut result_length, mut result_last_byte, mut result_empty) = (None, None, None);
        if self.moved.is_some() {
            result_length = length;
        } else if let Some(length) = length {
            let (last_byte, empty) = last_byte(&mut self.m, length);
            result_last_byte = Some(last_byte);
            result_empty = (program.limits.shortest == 0).then_some(empty);
        }
        let sent = SentOn::of(program);
        let copies = (1..).zip(&emit.copies).map(|(number, copy): (u32, _)| {
            let when = self.node(copy.when);
            let copy = CopyResult {
                when: self.somewhere(when, &copy.sent, sent),
                sent: self.sent_result(&copy.sent, sent, length),
            };
            (number.to_string(), copy)
        });
        let copy = copies.collect();
        let result = PacketResult {
            result_forwarded: sent.drops.then(|| {
                let forwarded = self.node(emit.forwarded);
                self.somewhere(forwarded, &emit.packet, sent)
            }),
            sent: self.sent_result(&emit.packet, sent, length),
            broadcast: self.broadcast(emit),
            copy,
            result_length,
            result_last_byte,
            result_empty,
            overlay: self.overlay_ports(),
        };
        let carried = self.carries_all.then(|| {
            let all = self.arisen(self.schedule.emit);
            let all: Vec<Node> = all.into_iter().map(|base| self.base_node(base)).collect();
            self.m.concat(&all)
        });
        self.emitted = Some(Emitted {
            valid: self.valid,
            result,
            carried,
        });
    }

    /// How a packet leaves. `length`: of the packet as it came in; `None`: the exit knows it.
    fn sent_result(&mut self, sent: &Sent, on: SentOn, length: Option<Node>) -> SentResult {
        let outputs = sent.outputs.iter().map(|value| self.node(*value));
        let mut outputs: Vec<Node> = outputs.collect();
        outputs.reverse();
        let class = on.class.is_none().then(|| match sent.to {
            Some(to) => self.node(to.class),
            None => self.m.zero(CLASS_BITS),
        });
        let index = on.has_index.then(|| match sent.to {
            Some(to) => self.node(to.index),
            None => self.m.zero(INDEX_BITS),
        });
        SentResult {
            result_outputs: (!outputs.is_empty()).then(|| self.m.concat(&outputs)),
            result_class: class,
            result_index: index,
            moves: self.moves_of(sent.leaves, length),
        }
    }

    /// Where the packet begins and ends, as the exit is told.
    fn moves_of(&mut self, leaves: Option<Leaving>, length: Option<Node>) -> MovesIn {
        let Some(moves) = &self.moved else {
            return MovesIn::nowhere();
        };
        let widths = moves.widths();
        let from = match leaves {
            Some(leaves) => self.node(leaves.from),
            None => self.m.zero(OFFSET_BITS),
        };
        let mut end_or = |there: Option<u32>, offset: fn(Leaving) -> Value| {
            there.map(|_| match (leaves, length) {
                (Some(leaves), _) => self.node(offset(leaves)),
                (None, Some(length)) => self.m.zext(length, OFFSET_BITS),
                (None, None) => unreachable!("a packet whose end the exit knows ends there"),
            })
        };
        let result_end = end_or(widths.result_end, |leaves| leaves.end);
        let result_keep = end_or(widths.result_keep, |leaves| leaves.zeros);
        let front = leaves.and_then(|leaves| leaves.front);
        let front_length = front.map(|front| self.node(front.length));
        let first = widths.result_from.map(|_| match front_length {
            Some(front_length) => self.m.sub(from, front_length),
            None => from,
        });
        let front = widths.front.map(|front_widths| {
            let bytes = match front {
                Some(front) => self.node(front.bytes),
                None => self.m.zero(8),
            };
            let length = front_length.unwrap_or_else(|| self.m.zero(OFFSET_BITS));
            FrontIn {
                result_front: self.m.zext(bytes, front_widths.result_front),
                result_front_length: front_widths.result_front_length.map(|_| length),
            }
        });
        MovesIn {
            result_from: first,
            result_end,
            result_keep,
            front,
        }
    }

    /// Whether one leaves that would: not, if its destination is nowhere.
    fn somewhere(&mut self, leaves: Node, sent: &Sent, on: SentOn) -> Node {
        match sent.to.filter(|_| on.nowhere) {
            None => leaves,
            Some(to) => {
                let class = self.node(to.class);
                let nowhere = self.m.eq_const(class, Class::Nowhere.code());
                let somewhere = self.m.not(nowhere);
                self.m.and(&[leaves, somewhere])
            }
        }
    }

    /// Which tables a packet is broadcast to.
    fn broadcast(&mut self, emit: &Emit) -> Option<Broadcast> {
        if emit.each.is_empty() {
            return None;
        }
        let each = emit.each.iter();
        let (result_each, result_not_back) = each
            .map(|each| (self.node(each.when), self.node(each.not_back)))
            .unzip();
        Some(Broadcast {
            result_each,
            result_not_back,
        })
    }

    /// The bytes that the program writes.
    fn overlay_ports(&mut self) -> Vec<(String, Overlay)> {
        let mut ports = Vec::new();
        for inst in self.overlays.clone() {
            let data = &self.program.insts[inst];
            let offset = offset_name(store_offset(self.program, data.args[0]));
            let overlay = Overlay {
                enable: self.condition(data.guard),
                data: self.node(data.args[1]),
            };
            ports.push((offset, overlay));
        }
        ports
    }
}

/// What of a packet's way is not the same for all packets.
#[derive(Clone, Copy, Debug)]
pub struct SentOn {
    /// Some are not forwarded.
    pub drops: bool,
    /// The code of the class that all have; `None`: they differ.
    pub class: Option<u64>,
    /// There is an index.
    pub has_index: bool,
    /// The class of some may be that of nowhere.
    pub nowhere: bool,
}

impl SentOn {
    pub(super) fn of(program: &Program) -> SentOn {
        let emit = emit_of(program);
        let constant = |value: Value| program.as_const(value).map(|bits| bits.low_u64());
        let copies = emit.copies.iter().map(|copy| &copy.sent);
        let all: Vec<Option<To>> = std::iter::once(&emit.packet)
            .chain(copies)
            .map(|sent| sent.to)
            .collect();
        let mut sets = ValueSets::new(program);
        let may_be_nowhere = |to: &To| {
            let classes = sets.of(program, to.class);
            classes.is_none_or(|classes| classes.contains(&Class::Nowhere.code()))
        };
        let nowhere = all.iter().flatten().any(may_be_nowhere);
        let mut classes = all
            .iter()
            .map(|to| to.map_or(Some(0), |to| constant(to.class)));
        let first = classes.next().flatten();
        let mut indices = all.iter().flatten().map(|to| constant(to.index));
        SentOn {
            nowhere,
            drops: nowhere || constant(emit.forwarded) != Some(1),
            class: first.filter(|_| classes.all(|class| class == first)),
            has_index: indices.any(|index| index != Some(0)),
        }
    }
}

/// How a program of one region ends.
fn emit_of(program: &Program) -> &Emit {
    match &program.blocks[program.region()].terminator {
        Terminator::Emit(emit) => emit,
        _ => unreachable!("a region ends with an emit"),
    }
}

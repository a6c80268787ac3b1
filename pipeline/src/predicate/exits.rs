//! All ends of a program become one: each part of what they say is chosen by where control comes from.

use super::{Edge, Flow};
use hardpath_ir::{
    Each, Emit, Front, Input, Leaving, MapId, Op, Sent, SentCopy, To, Value, OFFSET_BITS,
};
use hardpath_packet::{CLASS_BITS, INDEX_BITS};
use std::collections::BTreeSet;

impl Flow<'_> {
    /// Joins what the ends say, whose values are those of the new program.
    pub(super) fn join_emits(&mut self, exit: usize, emits: &[(Edge, Emit)]) -> Emit {
        let part = |part: fn(&Emit) -> Value| -> Vec<(Edge, Value)> {
            emits
                .iter()
                .map(|(edge, emit)| (*edge, part(emit)))
                .collect()
        };
        let forwarded = self.choose(exit, &part(|emit| emit.forwarded));
        let sent: Vec<(Edge, &Sent)> = emits
            .iter()
            .map(|(edge, emit)| (*edge, &emit.packet))
            .collect();
        // Where a packet goes that does not go on is nobody's business.
        let going: Vec<(Edge, &Sent)> = emits
            .iter()
            .filter(|(_, emit)| !self.is_zero(emit.forwarded))
            .map(|(edge, emit)| (*edge, &emit.packet))
            .collect();
        let packet = self.join_sent(exit, &sent, &going);
        let tables: BTreeSet<MapId> = emits
            .iter()
            .flat_map(|(_, emit)| emit.each.iter().map(|each| each.table))
            .collect();
        let each = tables
            .into_iter()
            .map(|table| self.join_each(exit, table, emits))
            .collect();
        let most = emits.iter().map(|(_, emit)| emit.copies.len()).max();
        let copies = (0..most.unwrap_or(0))
            .map(|number| self.join_copy(exit, number, emits))
            .collect();
        Emit {
            forwarded,
            packet,
            each,
            copies,
        }
    }

    fn is_zero(&self, value: Value) -> bool {
        self.new.as_const(value).is_some_and(|bits| bits.is_zero())
    }

    /// `going`: those of them whose destination counts.
    fn join_sent(&mut self, exit: usize, all: &[(Edge, &Sent)], going: &[(Edge, &Sent)]) -> Sent {
        let outputs = (0..self.new.outputs.len())
            .map(|number| {
                let choices: Vec<(Edge, Value)> = all
                    .iter()
                    .map(|(edge, sent)| (*edge, sent.outputs[number]))
                    .collect();
                self.choose(exit, &choices)
            })
            .collect();
        Sent {
            to: self.join_destinations(exit, going),
            outputs,
            leaves: self.join_leaving(exit, all),
            begins: join_begins(all),
        }
    }

    fn join_destinations(&mut self, exit: usize, going: &[(Edge, &Sent)]) -> Option<To> {
        going.iter().find_map(|(_, sent)| sent.to)?;
        let same_port = self.constant(0, CLASS_BITS);
        let no_index = self.constant(0, INDEX_BITS);
        let usual = To {
            class: same_port,
            index: no_index,
        };
        let choices: Vec<(Edge, To)> = going
            .iter()
            .map(|(edge, sent)| (*edge, sent.to.unwrap_or(usual)))
            .collect();
        let [class, index] = [|to: To| to.class, |to: To| to.index].map(|part| {
            let parts: Vec<(Edge, Value)> = choices
                .iter()
                .map(|(edge, to)| (*edge, part(*to)))
                .collect();
            self.choose(exit, &parts)
        });
        Some(To { class, index })
    }

    /// Where packets leave their memory, when some end moves them.
    fn join_leaving(&mut self, exit: usize, all: &[(Edge, &Sent)]) -> Option<Leaving> {
        all.iter().find_map(|(_, sent)| sent.leaves)?;
        let zero = self.constant(0, OFFSET_BITS);
        let length = self.op(Op::Input(Input::Length), Vec::new(), Input::Length.width());
        let unmoved = Leaving {
            from: zero,
            end: length,
            zeros: length,
            front: None,
        };
        let choices: Vec<(Edge, Leaving)> = all
            .iter()
            .map(|(edge, sent)| (*edge, sent.leaves.unwrap_or(unmoved)))
            .collect();
        let parts: [fn(&Leaving) -> Value; 3] =
            [|part| part.from, |part| part.end, |part| part.zeros];
        let [from, end, zeros] = parts.map(|part| {
            let parts: Vec<(Edge, Value)> = choices
                .iter()
                .map(|(edge, leaves)| (*edge, part(leaves)))
                .collect();
            self.choose(exit, &parts)
        });
        Some(Leaving {
            from,
            end,
            zeros,
            front: self.join_fronts(exit, &choices),
        })
    }

    /// What is put in front, apart from where the rest begins.
    fn join_fronts(&mut self, exit: usize, choices: &[(Edge, Leaving)]) -> Option<Front> {
        let fronts: Vec<(Edge, Front)> = choices
            .iter()
            .filter_map(|(edge, leaves)| Some((*edge, leaves.front?)))
            .collect();
        let widths = fronts.iter().map(|(_, front)| self.new.width(front.bytes));
        let width = widths.max()?;
        let none = self.constant(0, OFFSET_BITS);
        let lengths: Vec<(Edge, Value)> = choices
            .iter()
            .map(|(edge, leaves)| (*edge, leaves.front.map_or(none, |front| front.length)))
            .collect();
        // Bytes of no front are nobody's business.
        let bytes: Vec<(Edge, Value)> = fronts
            .iter()
            .map(|(edge, front)| (*edge, self.widened(front.bytes, width)))
            .collect();
        Some(Front {
            bytes: self.choose(exit, &bytes),
            length: self.choose(exit, &lengths),
        })
    }

    fn widened(&mut self, value: Value, width: u32) -> Value {
        match self.new.width(value) == width {
            true => value,
            false => self.op(Op::ZExt, vec![value], width),
        }
    }

    fn join_each(&mut self, exit: usize, table: MapId, emits: &[(Edge, Emit)]) -> Each {
        let never = self.constant(0, 1);
        let of = |emit: &Emit| emit.each.iter().find(|each| each.table == table).copied();
        let when: Vec<(Edge, Value)> = emits
            .iter()
            .map(|(edge, emit)| (*edge, of(emit).map_or(never, |each| each.when)))
            .collect();
        let not_back: Vec<(Edge, Value)> = emits
            .iter()
            .filter_map(|(edge, emit)| Some((*edge, of(emit)?.not_back)))
            .collect();
        Each {
            when: self.choose(exit, &when),
            table,
            not_back: self.choose(exit, &not_back),
        }
    }

    fn join_copy(&mut self, exit: usize, number: usize, emits: &[(Edge, Emit)]) -> SentCopy {
        let never = self.constant(0, 1);
        let when: Vec<(Edge, Value)> = emits
            .iter()
            .map(|(edge, emit)| {
                (
                    *edge,
                    emit.copies.get(number).map_or(never, |copy| copy.when),
                )
            })
            .collect();
        let sent: Vec<(Edge, &Sent)> = emits
            .iter()
            .filter_map(|(edge, emit)| Some((*edge, &emit.copies.get(number)?.sent)))
            .collect();
        SentCopy {
            when: self.choose(exit, &when),
            sent: self.join_sent(exit, &sent, &sent),
        }
    }
}

/// Where packets of all of these begin; nowhere known, if one does not say.
fn join_begins(all: &[(Edge, &Sent)]) -> Vec<i16> {
    let mut begins = Vec::new();
    for (_, sent) in all {
        match sent.leaves {
            None => begins.push(0),
            Some(_) if sent.begins.is_empty() => return Vec::new(),
            Some(_) => begins.extend(&sent.begins),
        }
    }
    begins.sort_unstable();
    begins.dedup();
    match all.iter().any(|(_, sent)| sent.leaves.is_some()) {
        true => begins,
        false => Vec::new(),
    }
}

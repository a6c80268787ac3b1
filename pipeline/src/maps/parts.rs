//! Words that are written in parts: each part as the program makes it, or as it was read. Which one is often known last, behind a
//! comparison with the word itself (a meter's bucket), and then nothing else should wait behind that choice
//! ([`hardpath_blocks::array::Array::parts`]).

use super::Lower;
use crate::plan::Class;
use crate::segments::Segment;
use hardpath_ir::{InstData, Op, Value};
use hardpath_rtl::Node;

/// Part of a word that is written.
pub(super) struct Part {
    /// What is written when the part changes.
    changed: Value,
    /// It changes when this is so, or when it is not; `None`: always.
    condition: Option<(Value, bool)>,
}

impl Lower<'_> {
    /// The parts of the word that a packet writes, from the least significant on; none where no part's choice is made as late as the
    /// commit. In a LUT of six inputs such a choice and one of what stands behind are one.
    pub(super) fn parts(&self, number: usize) -> Vec<Part> {
        self.parts_chosen_late(number).unwrap_or_default()
    }

    fn parts_chosen_late(&self, number: usize) -> Option<Vec<Part>> {
        let (access, decl) = (self.access(number), self.decl(number));
        let [port] = access.ports.as_slice() else {
            return None;
        };
        let cannot = self.schedule.timing.technology.lut_inputs >= 6
            || access.values != (Class::Fused { adds: false })
            || decl.has_slots()
            || self.has_values_beside(number)
            || self.own_write_index(number);
        let load = *port.loads.first()?;
        let word = self.program.insts[port.store?].args[2];
        let at_commit =
            |value: Value| self.schedule.times[value].stage == self.value_commit(number, 0);
        if cannot || port.update.is_some() {
            return None;
        }
        let parts = match self.program.def_inst(word) {
            Some(InstData {
                op: Op::Concat,
                args,
                ..
            }) => args.as_slice(),
            _ => &[word],
        };
        let read = self.result_base(self.program.insts[load].results[0]);
        let mut lo = 0;
        let parts: Vec<Part> = parts
            .iter()
            .rev()
            .map(|part| {
                let width = self.program.width(*part);
                let stays = |value: Value| match self.segments.of(value) {
                    [Segment::Bits {
                        base,
                        lo: from,
                        inverted,
                        ..
                    }] => (*base, *from, *inverted) == (read, lo, false),
                    _ => false,
                };
                let late_choice = match self.program.def_inst(*part) {
                    Some(choice) if choice.op == Op::Select && at_commit(choice.args[0]) => {
                        let [is, yes, no] = [0, 1, 2].map(|at| choice.args[at]);
                        match (stays(yes), stays(no)) {
                            (_, true) => Some((yes, Some((is, true)))),
                            (true, _) => Some((no, Some((is, false)))),
                            _ => None,
                        }
                    }
                    _ => None,
                };
                let (changed, condition) = late_choice.unwrap_or((*part, None));
                lo += width;
                Part { changed, condition }
            })
            .collect();
        parts
            .iter()
            .any(|part| part.condition.is_some())
            .then_some(parts)
    }

    /// The parts' bits, as their memory is told them.
    pub(super) fn part_bits(&self, number: usize) -> Vec<u32> {
        let parts = self.parts(number);
        parts
            .iter()
            .map(|part| self.program.width(part.changed))
            .collect()
    }

    /// The word that is written where all parts change, and which of them do.
    pub(super) fn changed_parts(&mut self, parts: &[Part]) -> (Node, Vec<Node>) {
        let changes = parts.iter().map(|part| match part.condition {
            None => self.m.one(),
            Some((condition, true)) => self.node(condition),
            Some((condition, false)) => {
                let stays = self.node(condition);
                self.m.not(stays)
            }
        });
        let changes = changes.collect();
        let word: Vec<Node> = parts
            .iter()
            .rev()
            .map(|part| self.node(part.changed))
            .collect();
        (self.m.concat(&word), changes)
    }
}

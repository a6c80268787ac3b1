//! Windows and memories that must not lie across the entrance of another window.

use super::{Bounds, Schedule, Scheduler};
use crate::plan::Gate;
use crate::recurrence;
use hardpath_ir::{Inst, Value, ValueDef};

impl Scheduler<'_> {
    /// Keeps windows and memories apart from the entrances of other windows: inside a window nothing waits, and a
    /// memory's own registers cannot wait. Inside a window that is replayed nothing else may be written.
    pub(super) fn separate(&self, schedule: &Schedule, bounds: &mut [Bounds]) {
        let mut windows: Vec<(u32, u32, Vec<usize>)> = Vec::new();
        for (index, access) in self.plan.iter().enumerate() {
            let Some(start) = schedule.entrances[index] else {
                continue;
            };
            let end = schedule.accesses[index].last(access);
            let joins = access.gate() == Some(Gate::Replay);
            let same = |window: &&mut (u32, u32, Vec<usize>)| {
                joins && self.plan[window.2[0]].gate() == Some(Gate::Replay)
            };
            match windows.iter_mut().find(same) {
                Some(window) => {
                    window.1 = window.1.max(end);
                    window.2.push(index);
                }
                None => windows.push((start, end, vec![index])),
            }
        }
        for (start, end, members) in &windows {
            for other in 0..self.plan.len() {
                if !members.contains(&other) {
                    self.keep_apart(schedule, bounds, (*start, *end, members), other);
                }
            }
        }
    }

    fn keep_apart(
        &self,
        schedule: &Schedule,
        bounds: &mut [Bounds],
        (gate, last, members): (u32, u32, &[usize]),
        other: usize,
    ) {
        let replayed = self.plan[members[0]].gate() == Some(Gate::Replay);
        let (access, stages) = (&self.plan[other], &schedule.accesses[other]);
        let hash = access.has_keys(self.program);
        for (start, end, is_table) in self.spans(schedule, other) {
            let straddles = start < gate && gate <= end;
            let disturbs = replayed && access.is_written() && gate <= start && start <= last;
            if !straddles && !disturbs {
                continue;
            }
            let needed = members.iter().any(|member| match replayed {
                true => self.plan[*member]
                    .insts()
                    .any(|inst| self.uses(inst, other)),
                false => self.needed_at_entrance(*member, other),
            });
            if needed {
                // The window comes behind what it needs.
                for member in members {
                    let access = &self.plan[*member];
                    let by_table =
                        access.has_keys(self.program) && access.gate() != Some(Gate::Values);
                    bounds[*member].raise_first(by_table, end + 1);
                }
                continue;
            }
            let to = if disturbs { last + 1 } else { gate };
            if is_table && hash && start == stages.ports[0].table {
                bounds[other].raise_tables(to);
            } else {
                bounds[other].raise_addresses(to);
            }
        }
    }

    /// The stages in which the parts of an access must not wait, and whether a part is its table.
    fn spans(&self, schedule: &Schedule, index: usize) -> Vec<(u32, u32, bool)> {
        let (access, stages) = (&self.plan[index], &schedule.accesses[index]);
        let first = stages.ports[0];
        let last = stages.last(access);
        let hash = access.has_keys(self.program);
        match (access.gate(), schedule.entrances[index]) {
            (Some(Gate::Keys | Gate::Replay), Some(start)) => vec![(start, last, hash)],
            (_, start) => {
                let start = start.unwrap_or(first.address);
                let mut spans = vec![(start, stages.commit, false)];
                if hash {
                    spans.push((first.table, stages.table_commit, true));
                }
                spans
            }
        }
    }

    /// Whether an instruction uses, directly or not, what an access gives.
    fn uses(&self, inst: Inst, access: usize) -> bool {
        let mut needed = recurrence::needs(&self.program.insts[inst]);
        needed.any(|value| self.needs(value, access))
    }

    /// Whether what waits at a window's entrance must know what another access gives.
    fn needed_at_entrance(&self, member: usize, other: usize) -> bool {
        let access = &self.plan[member];
        let port = &access.ports[0];
        let asked = port.lookup.filter(|_| access.gate() == Some(Gate::Keys));
        let guard = asked.and_then(|inst| self.program.insts[inst].guard);
        port.key
            .into_iter()
            .chain(guard)
            .any(|value| self.needs(value, other))
    }

    fn needs(&self, value: Value, access: usize) -> bool {
        matches!(self.program.values[value].def, ValueDef::Result(inst, _) if self.depends[access].contains(&inst))
    }
}

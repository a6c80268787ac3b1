//! The stages of the map accesses: what a memory or table asks of them.

use super::{
    answer_clocks, at, raise, read_clocks, AccessStages, Bounds, PortStages, Scheduler, Time,
};
use crate::plan::{Class, Gate};
use cranelift_entity::SecondaryMap;
use hardpath_ir::{Inst, Op, Value};

impl Scheduler<'_> {
    /// Places one map instruction; gives its stage.
    pub(super) fn place_access(
        &self,
        inst: Inst,
        index: usize,
        port: usize,
        bounds: &mut [Bounds],
        accesses: &mut [AccessStages],
        times: &mut SecondaryMap<Value, Time>,
    ) -> u32 {
        let program = self.program;
        let access = &self.plan[index];
        let data = &program.insts[inst];
        let ready = |value: Value, cost: f64| self.after(times[value], cost);
        let hash = access.has_keys(program);
        match data.op {
            Op::MapLookup(_) if hash => {
                self.enter_table(index, port, bounds, &ready);
                accesses[index] = self.first_stages(index, bounds);
                let table = accesses[index].ports[port].table;
                for result in &data.results {
                    times[*result] = at(table + answer_clocks(program, access));
                }
                table
            }
            Op::MapLookup(map) => {
                let index_time = ready(data.args[0], self.timing.index_enters(&program.maps[map]));
                raise(&mut bounds[index].ports[port].address, index_time.stage);
                accesses[index] = self.first_stages(index, bounds);
                let address = accesses[index].ports[port].address;
                for result in &data.results {
                    times[*result] = at(address + read_clocks(program, access));
                }
                address
            }
            Op::MapLoad(_) => {
                self.enter_values(index, port, data.args[0], bounds, &ready);
                accesses[index] = self.first_stages(index, bounds);
                let address = accesses[index].ports[port].address;
                times[data.results[0]] = at(address + read_clocks(program, access));
                address
            }
            Op::MapStore(_) => {
                // An array's entry may be written without being read.
                self.enter_values(index, port, data.args[0], bounds, &ready);
                accesses[index] = self.first_stages(index, bounds);
                let technology = self.timing.technology;
                let word = ready(data.args[2], technology.around_maps.write_back).stage;
                let guard = technology.write_guard(access.ports.len());
                let guard = data.guard.map_or(0, |value| ready(value, guard).stage);
                let slot = access.ports[port].slot;
                let last = word.max(guard);
                self.commit_values_by(index, last.saturating_sub(slot), bounds, accesses);
                accesses[index].commit + slot
            }
            Op::MapUpdate(_) | Op::MapDelete(_) => {
                self.enter_table(index, port, bounds, &ready);
                accesses[index] = self.first_stages(index, bounds);
                let stage = self.change_table(inst, (index, port), bounds, accesses, &ready);
                times[data.results[0]] = at(stage + 1);
                stage
            }
            _ => unreachable!("whole words leave no other access"),
        }
    }

    /// Moves an access so that it can do an update or delete; gives the stage in which that is done.
    fn change_table(
        &self,
        inst: Inst,
        (index, port): (usize, usize),
        bounds: &mut [Bounds],
        accesses: &mut [AccessStages],
        ready: &dyn Fn(Value, f64) -> Time,
    ) -> u32 {
        let access = &self.plan[index];
        let data = &self.program.insts[inst];
        let slot = access.ports[port].slot;
        // The value of an update is only needed when it is written; the rest before.
        let flags = data.args.get(2).into_iter();
        let cost = self.timing.technology.hash_commit(access.ports.len());
        let last = flags
            .chain(data.guard.iter())
            .map(|value| ready(*value, cost).stage)
            .max()
            .unwrap_or(0)
            .saturating_sub(slot);
        let mut value = 0;
        if matches!(data.op, Op::MapUpdate(_)) {
            value = ready(data.args[1], self.timing.technology.around_maps.write_back).stage;
            self.commit_values_by(index, value.saturating_sub(slot), bounds, accesses);
        }
        let late = last.saturating_sub(accesses[index].table_commit);
        if late > 0 {
            let bound = &mut bounds[index];
            match access.keys {
                Class::Fused { .. } => bound.raise_tables(accesses[index].ports[0].table + late),
                _ => raise(&mut bound.commit, last),
            }
            accesses[index] = self.first_stages(index, bounds);
        }
        (accesses[index].table_commit + slot).max(value)
    }

    /// Moves an access so that it can write a value that is there in stage `last`.
    fn commit_values_by(
        &self,
        index: usize,
        last: u32,
        bounds: &mut [Bounds],
        accesses: &mut [AccessStages],
    ) {
        let late = last.saturating_sub(accesses[index].commit);
        if late == 0 {
            return;
        }
        let bound = &mut bounds[index];
        match self.plan[index].values {
            Class::Interlock { .. } | Class::Replay { .. } => raise(&mut bound.commit, last),
            _ => bound.raise_addresses(accesses[index].ports[0].address + late),
        }
        accesses[index] = self.first_stages(index, bounds);
    }

    /// All accesses of the replayed window commit in one stage.
    pub(super) fn commit_together(&self, accesses: &mut [AccessStages], bounds: &mut [Bounds]) {
        let members: Vec<usize> = (0..self.plan.len())
            .filter(|index| self.plan[*index].gate() == Some(Gate::Replay))
            .collect();
        let commit = members.iter().map(|index| accesses[*index].commit).max();
        for index in members {
            raise(&mut bounds[index].commit, commit.unwrap_or(0));
            accesses[index] = self.first_stages(index, bounds);
        }
    }

    /// The stages of an access that follow from its bounds.
    pub(super) fn first_stages(&self, index: usize, bounds: &[Bounds]) -> AccessStages {
        let (access, bounds) = (&self.plan[index], &bounds[index]);
        let hash = access.has_keys(self.program);
        let replayed = access.gate() == Some(Gate::Replay);
        let clocks = read_clocks(self.program, access);
        let answers = answer_clocks(self.program, access);
        let far = !access.has_values_beside(self.program)
            && self.timing.values_are_far(&self.program.maps[access.map]);
        let mut ports = bounds.ports.clone();
        for port in &mut ports {
            port.table = if hash { port.table.max(1) } else { 0 };
            // A window's entrance has a stage in front of it.
            raise(&mut port.address, u32::from(replayed));
        }
        // Only what is run again when it was too early may read at different times.
        let align = |ports: &mut [PortStages], of: fn(&mut PortStages) -> &mut u32| {
            let last = ports.iter_mut().map(|port| *of(port)).max().unwrap_or(0);
            ports.iter_mut().for_each(|port| *of(port) = last);
        };
        if !replayed {
            align(&mut ports, |port| &mut port.table);
        }
        for port in &mut ports {
            // What waits in front of the values has its entry in a register, and what has a long way to them.
            let waits = access.gate() == Some(Gate::Values) || far;
            if hash {
                raise(&mut port.address, port.table + answers + u32::from(waits));
            }
        }
        if !replayed {
            align(&mut ports, |port| &mut port.address);
        }
        let word = ports
            .iter()
            .map(|port| port.address + clocks)
            .max()
            .unwrap_or(0);
        let answer = ports.iter().map(|port| port.table + answers).max();
        let answer = answer.unwrap_or(0);
        let fixed = matches!(access.values, Class::ReadOnly | Class::Fused { .. });
        let mut commit = if fixed { word } else { bounds.commit.max(word) };
        let table_commit = match access.keys {
            _ if !hash => 0,
            Class::Replay { .. } => {
                commit = commit.max(answer);
                commit
            }
            Class::Interlock { .. } if access.loads().next().is_none() => bounds.commit.max(answer),
            Class::Interlock { .. } => commit,
            _ => answer,
        };
        AccessStages {
            ports,
            table_commit,
            commit,
        }
    }

    /// The key of a map with keys, and the condition for needing it, go into the stage before the table.
    fn enter_table(
        &self,
        index: usize,
        port: usize,
        bounds: &mut [Bounds],
        ready: &dyn Fn(Value, f64) -> Time,
    ) {
        let access = &self.plan[index];
        let map = &self.program.maps[access.map];
        let key = access.ports[port].key.expect("an instruction has a key");
        let bound = &mut bounds[index].ports[port];
        let levels = self.timing.key_enters(map, access.stored.stored());
        raise(&mut bound.table, ready(key, levels).stage + 1);
        if access.gate() == Some(Gate::Keys) {
            let lookup = access.ports[port].lookup;
            if let Some(guard) = lookup.and_then(|inst| self.program.insts[inst].guard) {
                raise(&mut bound.table, ready(guard, 0.0).stage + 1);
            }
        }
    }

    /// The index of an array that nobody looks up goes into the memory's address stage.
    fn enter_values(
        &self,
        index: usize,
        port: usize,
        entry: Value,
        bounds: &mut [Bounds],
        ready: &dyn Fn(Value, f64) -> Time,
    ) {
        let access = &self.plan[index];
        if access.has_keys(self.program) || access.ports[port].lookup.is_some() {
            return;
        }
        let map = &self.program.maps[access.map];
        // What waits at a window's entrance holds its index in a register.
        let stage = match access.gate() {
            Some(Gate::Values) => ready(entry, 0.0).stage + 1,
            _ => ready(entry, self.timing.index_enters(map)).stage,
        };
        raise(&mut bounds[index].ports[port].address, stage);
    }
}

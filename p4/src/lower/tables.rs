//! Tables: entries that the program has and nobody changes become logic, all others a table of the IR. What is found, or the default
//! action, is a *row*: the number of an action in its lowest bits, and its arguments above.

mod ways;

use super::calls::Passed;
use super::finding::Finding;
use super::node::Node;
use super::{ir, Found, Lower, LoweredTable, Made};
use crate::ast::Direction;
use crate::design::{evaluate, Known};
use crate::interpreter::NOT_ITS_TABLE;
use crate::source::Span;
use crate::typed::{self, ActionCall, Expression, Set, SELECTOR};
use crate::types::Type;
use hardpath_ir::{Find, MapDecl};
use num_bigint::BigInt;

/// Packets and bytes that an entry has counted, 64 bits each: in front of its row, or in a cell of a counter.
pub const COUNT_BYTES: u32 = 16;
/// Behind these, where entries have meters: the cell of the entry's.
pub const CELL_BYTES: u32 = 4;

impl Lower<'_> {
    /// §14.2.2.
    pub(super) fn apply_table(&mut self, table: usize, whole: &Expression) -> Made<Node> {
        let program = self.program;
        let of = &program.tables[table];
        let Some(place) = self.design.table(self.this, table) else {
            return self.refuse(whole.span, "this table is not made before packets come");
        };
        self.applied_with(place, whole.span)?;
        if !self.made_tables[place] {
            self.made_tables[place] = true;
            self.make_table(place, of)?;
        }
        let mut keys = Vec::new();
        for key in &of.keys {
            let node = self.expression(&key.value)?;
            keys.push((node, key.value.of.clone()));
        }
        let mut row = self.default_row(place, of)?;
        let mut hit = self.number(0u32, 1);
        let (mut entry, mut key, mut cell) = (None, None, None);
        if self.tables[place].entries.is_some() {
            let looked_up = self.key(place, of, &keys, whole.span)?;
            let (found, at) = self.look_up(place, looked_up);
            let found_row = self.row_of(place, of, at, &keys)?;
            row = self.select(found, found_row, row);
            (hit, entry, key) = (found, Some(at), Some(looked_up));
            if self.tables[place].meters {
                cell =
                    Some(self.part_of_entry(place, at, self.tables[place].cell_at(), CELL_BYTES));
            }
        }
        if of.entries_are_constant {
            let number;
            (hit, number, row) = self.constant_entries(place, of, &keys, row)?;
            cell = Some(number);
        }
        let action_bits = self.tables[place].action_bits;
        let action = self.slice(row, 0, action_bits);
        let mut found = Found {
            place,
            hit,
            entry,
            key,
            cell,
            colour: None,
        };
        self.keep_time(found)?;
        if let Some((meter, true)) = self.design.direct_meter(program, place) {
            found.colour = Some(self.metered_by_itself(found, meter, whole.span)?);
        }
        let before = self.found.replace(found);
        let result = self.run_actions(place, of, action, row, 0);
        self.found = before;
        result?;
        Ok(Node::Applied(hit, action))
    }

    /// What the table becomes.
    fn make_table(&mut self, place: usize, of: &typed::Table) -> Made<()> {
        let program = self.program;
        let mut made = self.begun(place, of);
        let row_bytes = row_bits(&made).div_ceil(8);
        made.size = of.entries.len().max(1) as u32;
        made.cells = made.size;
        let name = self.design.tables[place].name.clone();
        if !of.keys.is_empty() && !of.entries_are_constant {
            made.profile = self.design.profile(program, place);
            if let (Some(_), Some(entry)) = (made.profile, of.entries.first()) {
                let message = "entries of a table with an action profile name its members, which the control plane makes";
                return self.refuse(entry.span, message);
            }
            made.body_bits = match made.profile {
                Some(profile) => self.make_profile(of, profile)?.bytes() * 8,
                None => row_bits(&made),
            };
            let shared = self.shared_map(place)?;
            made.share = shared.map(|(_, share)| share);
            let (map, finding, expanded) = match shared {
                Some((map, _)) => (map, Finding::Hash, vec![false; of.keys.len()]),
                None => self.entries_map(place, of, &made, made.body_bits)?,
            };
            let places = u64::from(self.ir.maps[map].max_entries);
            // With a place for each key, shared with others, or with several rows for each, there may be more than are wanted.
            let has_others = finding == Finding::Direct || made.share.is_some();
            let size = match has_others || expanded.contains(&true) {
                true => places.min(self.wanted_size(place, of).unwrap_or(finding.usual())),
                false => places,
            };
            made.size = u32::try_from(size).unwrap_or(u32::MAX);
            made.cells = match finding {
                Finding::Direct => self.ir.maps[map].max_entries,
                _ => made.size,
            };
            made.finding = finding;
            made.expanded = expanded;
            made.entries = Some(map);
        }
        if !of.default_is_constant {
            let mut decl = MapDecl::new(&format!("{name}.default"), Find::Array, (4, row_bytes), 1);
            decl.packets_write = false;
            self.tables[place] = made.clone();
            let initial = self.program_row(place, of, of.default.as_ref())?;
            let (_, mut bytes) = initial.to_bytes_le();
            bytes.resize(row_bytes as usize, 0);
            decl.initial = Some(bytes);
            decl.outside = "default action".into();
            made.default = Some(self.ir.maps.push(decl));
        }
        self.tables[place] = made;
        self.make_cells(place, of.span)
    }

    /// Where entries count by the cells of a meter, who makes an entry finds both arrays, whatever packets do with them.
    fn make_cells(&mut self, place: usize, span: Span) -> Made<()> {
        if self.tables[place].entries.is_some() && self.cells_of(place, span)?.is_some() {
            if let Some((meter, _)) = self.design.direct_meter(self.program, place) {
                self.meter_arrays(meter, self.tables[place].cells, span)?;
            }
        }
        Ok(())
    }

    /// A table of which nothing is made yet but what its entries and their rows look like.
    pub(super) fn begun(&self, place: usize, of: &typed::Table) -> LoweredTable {
        let program = self.program;
        let actions: Vec<usize> = of.actions.iter().map(|listed| listed.action).collect();
        let counter = self.design.direct_counter(program, place);
        let times = self.design.idle(program, place).is_some() && !of.entries_are_constant;
        let meters = self.design.direct_meter(program, place).is_some();
        // A counter that several tables name counts for each of them apart.
        let is_own = |counter: usize| {
            let counters = (0..self.design.tables.len())
                .filter_map(|table| self.design.direct_counter(program, table));
            counters.filter(|(other, _)| *other == counter).count() == 1
        };
        let by_cell = meters
            && !times
            && !of.entries_are_constant
            && counter.is_some_and(|(counter, _)| is_own(counter));
        LoweredTable {
            keys: of
                .keys
                .iter()
                .map(|key| match key.kind.as_str() {
                    SELECTOR => 0,
                    _ => self.width(&key.value.of),
                })
                .collect(),
            counts: counter.is_some() && !by_cell,
            cell_counter: counter.map(|(counter, _)| counter).filter(|_| by_cell),
            times,
            meters,
            ..self.rows_of(&actions)
        }
    }

    /// The layout of rows of these actions, functions of the program.
    pub(super) fn rows_of(&self, actions: &[usize]) -> LoweredTable {
        let arguments = actions.iter().map(|action| {
            let data = self.program.functions[*action].data_parameters();
            data.map(|one| self.width(&one.of)).collect()
        });
        LoweredTable {
            action_bits: (usize::BITS - actions.len().leading_zeros()).max(1),
            arguments: arguments.collect(),
            ..LoweredTable::default()
        }
    }

    /// The key that is looked for.
    fn key(
        &mut self,
        place: usize,
        of: &typed::Table,
        keys: &[(Node, Type)],
        span: Span,
    ) -> Made<ir::Value> {
        let made = self.tables[place].clone();
        let map = made.entries.expect("it was asked for");
        let mut pieces = Vec::new();
        for ((node, _), width) in keys.iter().zip(&made.keys) {
            if matches!(node, Node::Varbit(..)) {
                return self.refuse(span, "a varbit is no key of a table yet");
            }
            if *width > 0 {
                pieces.push(self.bits(node, *width));
            }
        }
        let decl = &self.ir.maps[map];
        let (find, key_bytes) = (decl.find, decl.key_bytes);
        let filled: u32 = made.keys.iter().sum();
        Ok(match find {
            Find::Prefix => {
                let data_bits = (key_bytes - 4) * 8;
                // The prefix stands last, the fields that must be the same in front of it.
                let last = made.keys[..of.prefix().unwrap_or(0)].iter();
                let last = last.filter(|bits| **bits > 0).count();
                let prefix = pieces.remove(last);
                pieces.push(prefix);
                if filled < data_bits {
                    pieces.push(self.number(0u32, data_bits - filled));
                }
                let data = self.concat(&pieces);
                let data = self.swapped(data);
                let length = self.number(filled, 32);
                self.concat(&[data, length])
            }
            _ => {
                pieces.reverse();
                let all = match pieces.is_empty() {
                    true => self.number(0u32, 8),
                    false => self.concat(&pieces),
                };
                match made.share {
                    Some(share) => self.tagged(all, share, key_bytes),
                    None => self.zext(all, key_bytes * 8),
                }
            }
        })
    }

    /// Whether a key is there, and its entry.
    fn look_up(&mut self, place: usize, key: ir::Value) -> (ir::Value, ir::Value) {
        let map = self.tables[place].entries.expect("it was asked for");
        let found = self.effect(ir::Op::MapLookup(map), &[key], &[1, 32]);
        let (hit, entry) = (found[0], found[1]);
        let Some(there) = self.tables[place].is_there() else {
            return (hit, entry);
        };
        // The place of a key is always found: whether it is used stands in it.
        let byte = self.part_of_entry(place, entry, there.lo / 8, 1);
        (self.slice(byte, there.lo % 8, 1), entry)
    }

    /// The row of an entry.
    fn row_of(
        &mut self,
        place: usize,
        of: &typed::Table,
        entry: ir::Value,
        keys: &[(Node, Type)],
    ) -> Made<ir::Value> {
        let made = self.tables[place].clone();
        let profile = made
            .profile
            .map(|profile| (profile, self.profiles[&profile].bytes()));
        let bytes = profile.map_or(row_bits(&made).div_ceil(8), |(_, bytes)| bytes);
        let mut row = self.part_of_entry(place, entry, made.front_bytes(), bytes);
        if let Some((profile, _)) = profile {
            row = self.row_through(place, of, profile, row, keys)?;
        }
        Ok(self.slice(row, 0, row_bits(&made)))
    }

    /// Bytes of the value of an entry.
    fn part_of_entry(&mut self, place: usize, entry: ir::Value, at: u32, bytes: u32) -> ir::Value {
        let map = self.tables[place].entries.expect("it was asked for");
        let offset = self.number(at, 32);
        self.effect(ir::Op::MapLoad(map), &[entry, offset], &[bytes * 8])[0]
    }

    /// The row of the default action.
    fn default_row(&mut self, place: usize, of: &typed::Table) -> Made<ir::Value> {
        let bits = row_bits(&self.tables[place]);
        match self.tables[place].default {
            None => {
                let row = self.program_row(place, of, of.default.as_ref())?;
                Ok(self.number(row, bits))
            }
            Some(map) => {
                let index = self.number(0u32, 32);
                let row = self.array_cell(map, index);
                Ok(self.slice(row, 0, bits))
            }
        }
    }

    /// The row of an action that the program names.
    fn program_row(
        &mut self,
        place: usize,
        of: &typed::Table,
        call: Option<&ActionCall>,
    ) -> Made<BigInt> {
        let Some(call) = call else {
            // Nothing is done.
            return Ok(BigInt::from(of.actions.len()));
        };
        let mut values = Vec::new();
        for argument in &call.arguments {
            values.push(self.program_number(place, argument)?);
        }
        Ok(self.tables[place].row(call.action, &values))
    }

    /// A number that is known before the first packet.
    fn program_number(&mut self, place: usize, of: &Expression) -> Made<BigInt> {
        let design = self.design;
        let object = design.tables[place].object;
        let node = match evaluate(self.program, of, &design.objects[object].made) {
            Ok(Known::Value(value)) => self.node_of(&value, &of.of),
            _ => return self.refuse(of.span, "this is not known before the first packet"),
        };
        Ok(self.known(&node).unwrap_or_default())
    }

    /// Entries that stand in the program, the one that wins first: whether one is found, its number and its row.
    fn constant_entries(
        &mut self,
        place: usize,
        of: &typed::Table,
        keys: &[(Node, Type)],
        default: ir::Value,
    ) -> Made<(ir::Value, ir::Value, ir::Value)> {
        let mut order: Vec<usize> = (0..of.entries.len()).collect();
        let ranks = self.ranks(place, of)?;
        order.sort_by(|one, other| ranks[*other].cmp(&ranks[*one]));
        let bits = row_bits(&self.tables[place]);
        let (mut hit, mut row) = (self.number(0u32, 1), default);
        let mut cell = self.number(0u32, CELL_BYTES * 8);
        for at in order.into_iter().rev() {
            let entry = &of.entries[at];
            let mut takes = self.number(1u32, 1);
            for (set, (node, of)) in entry.keys.iter().zip(keys) {
                let one = self.takes(set, node, of, entry.span)?;
                takes = self.and(takes, one);
            }
            let number = self.program_row(place, of, Some(&entry.action))?;
            let own = self.number(number, bits);
            row = self.select(takes, own, row);
            if self.tables[place].meters {
                let own = self.number(at, CELL_BYTES * 8);
                cell = self.select(takes, own, cell);
            }
            hit = self.or(takes, hit);
        }
        Ok((hit, cell, row))
    }

    /// What decides between entries of the program (§14.2.1.4): the longest prefix, or the priority; the larger one wins.
    fn ranks(&mut self, place: usize, of: &typed::Table) -> Made<Vec<BigInt>> {
        if let (Some(prefix), false) = (of.prefix(), of.takes_priorities()) {
            let mut ranks = Vec::new();
            for entry in &of.entries {
                ranks.push(match &entry.keys[prefix] {
                    Set::All => BigInt::from(0),
                    Set::Mask(_, mask) => {
                        BigInt::from(self.program_number(place, mask)?.magnitude().count_ones())
                    }
                    _ => BigInt::from(u64::MAX),
                });
            }
            return Ok(ranks);
        }
        let largest_wins = !matches!(
            of.property("largest_priority_wins")
                .and_then(|one| one.value.known().cloned()),
            Some(crate::value::Value::Bool(false))
        );
        let delta = match of.property("priority_delta") {
            Some(one) => self.program_number(place, &one.value)?,
            None => BigInt::from(1),
        };
        let has_priorities = of.entries.iter().any(|entry| entry.priority.is_some());
        let mut ranks: Vec<BigInt> = Vec::new();
        let mut priority = match (has_priorities, largest_wins) {
            (false, true) => BigInt::from(of.entries.len()) * &delta,
            _ => BigInt::from(1),
        };
        for (at, entry) in of.entries.iter().enumerate() {
            if let Some(written) = &entry.priority {
                priority = self.program_number(place, written)?;
            } else if at > 0 {
                match largest_wins {
                    true => priority -= &delta,
                    false => priority += &delta,
                }
            }
            ranks.push(match largest_wins {
                true => priority.clone(),
                false => -priority.clone(),
            });
        }
        Ok(ranks)
    }

    /// The action that a row names.
    fn run_actions(
        &mut self,
        place: usize,
        of: &typed::Table,
        action: ir::Value,
        row: ir::Value,
        at: usize,
    ) -> Made<()> {
        let program = self.program;
        let counter = self.design.direct_counter(program, place);
        if at == 0 && counter.is_some_and(|(_, by_itself)| by_itself) {
            let bytes = self.length();
            let bytes = self.zext(bytes, 64);
            self.count_found(bytes, of.span)?;
        }
        let Some(listed) = of.actions.get(at) else {
            return Ok(());
        };
        let is_empty = program.functions[listed.action]
            .body
            .as_ref()
            .is_some_and(Vec::is_empty);
        // One that does nothing still gives its parameters that come out.
        if is_empty && listed.bound.iter().all(Option::is_none) {
            return self.run_actions(place, of, action, row, at + 1);
        }
        let is_it = self.is(action, at as u64);
        self.branch(
            is_it,
            |all| all.run_action(place, of, row, at),
            |all| all.run_actions(place, of, action, row, at + 1),
        )
    }

    fn run_action(
        &mut self,
        place: usize,
        of: &typed::Table,
        row: ir::Value,
        at: usize,
    ) -> Made<()> {
        let program = self.program;
        let listed = &of.actions[at];
        let function = &program.functions[listed.action];
        let parameters = &function.parameters;
        let mut passed = Passed {
            nodes: parameters.iter().map(|one| self.zero(&one.of)).collect(),
            places: vec![None; parameters.len()],
            given: vec![false; parameters.len()],
            types: parameters.iter().map(|one| one.of.clone()).collect(),
        };
        let mut places = self.tables[place].places(at).into_iter();
        for (at, parameter) in parameters.iter().enumerate() {
            if parameter.direction == Direction::None {
                let bits = places.next().expect("each has its bits");
                if bits.width > 0 {
                    passed.nodes[at] = Node::Bits(self.slice(row, bits.lo, bits.width));
                }
            } else if let Some(Some(argument)) = listed.bound.get(at) {
                self.pass(parameter, argument, at, &mut passed)?;
            }
        }
        let body = function.body.as_ref().expect("actions have one");
        self.bound(parameters, passed, |all| all.statements(body))?;
        Ok(())
    }

    /// PSA, section "Direct Counter": only actions of the table that has it make it count.
    pub(super) fn count_by_action(
        &mut self,
        counter: usize,
        bytes: ir::Value,
        span: Span,
    ) -> Made<Node> {
        let of = |table| self.design.direct_counter(self.program, table);
        match self.found {
            Some(Found { place, .. }) if of(place) == Some((counter, false)) => {
                self.count_found(bytes, span)?;
                Ok(Node::Void)
            }
            _ => self.refuse(span, NOT_ITS_TABLE),
        }
    }

    /// What a table counts in, where it counts by the cell of the entry's meter.
    fn cells_of(&mut self, place: usize, span: Span) -> Made<Option<ir::MapId>> {
        let (counter, cells) = (self.tables[place].cell_counter, self.tables[place].cells);
        let array =
            counter.map(|counter| self.array_of(counter, (COUNT_BYTES, cells), "counter", span));
        array.transpose()
    }

    /// The entry that was found counts.
    fn count_found(&mut self, bytes: ir::Value, span: Span) -> Made<()> {
        let Some(Found {
            place,
            hit,
            entry: Some(entry),
            cell,
            ..
        }) = self.found
        else {
            return Ok(());
        };
        let Some(map) = self.tables[place].entries else {
            return Ok(());
        };
        let (map, entry, hit) = match (self.cells_of(place, span)?, cell) {
            (Some(cells), Some(cell)) => {
                let found = self.effect(ir::Op::MapLookup(cells), &[cell], &[1, 32]);
                (cells, found[1], self.and(found[0], hit))
            }
            _ => (map, entry, hit),
        };
        self.branch(
            hit,
            |all| {
                let one = all.number(1u32, 64);
                all.add_pair(map, entry, [one, bytes]);
                Ok(())
            },
            |_| Ok(()),
        )
    }
}

impl LoweredTable {
    /// The row of an action of the list with its arguments.
    pub fn row(&self, action: usize, arguments: &[BigInt]) -> BigInt {
        let places = self.places(action);
        let arguments = arguments.iter().zip(places);
        let behind: BigInt = arguments.map(|(value, bits)| bits.of(value)).sum();
        behind + action
    }
}

/// Bits of a row.
pub fn row_bits(table: &LoweredTable) -> u32 {
    let most = table
        .arguments
        .iter()
        .map(|widths| widths.iter().sum::<u32>())
        .max();
    table.action_bits + most.unwrap_or(0)
}

/// How a table with these kinds of keys finds its entries; an error is a kind that is not there.
pub fn find_of<'a>(kinds: &[&'a str]) -> Result<Find, &'a str> {
    let known = ["exact", "lpm", "ternary", "range", "optional", SELECTOR];
    if let Some(other) = kinds.iter().find(|kind| !known.contains(kind)) {
        return Err(other);
    }
    let prefixes = kinds.iter().filter(|kind| **kind == "lpm").count();
    let others = kinds
        .iter()
        .any(|kind| !["exact", "lpm", SELECTOR].contains(kind));
    Ok(match (prefixes, others) {
        (0, false) => Find::Exact,
        (1, false) => Find::Prefix,
        _ => Find::Ternary,
    })
}

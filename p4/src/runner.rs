//! Runs the commands of a test: packets in, and what has to come out; entries, registers, counters.
//!
//! What comes out of a port has to be what is expected there, in the order of each port alone, and nothing more; a port that no command
//! names is not looked at.

mod engine;
mod idle;
mod meters;
mod packets;
mod profiles;

pub use engine::Engine;
pub use idle::Timers;
pub(crate) use profiles::free;

use crate::commands::{Call, Cell, Command, CommandKind, Expected, Found, Number};
use crate::control::{wrong, Names};
use crate::design::Design;
use crate::interpreter::{first_tables, Entry, Machine, Message, Through};
use crate::source::Sources;
use crate::typed::{self, Program};
use hardpath_diagnostic::{Diagnostic, Place};
use std::collections::{BTreeMap, VecDeque};

/// What came of a test.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// All is as it was expected.
    Passed,
    /// It is not: what is different, each with its line.
    Failed(Vec<Diagnostic>),
    /// The program or a command needs what is not there.
    Refused(Diagnostic),
}

/// What a program said, with the numbers of the packets, from 1.
pub type Told = Vec<(u64, Message)>;

/// Runs a test with the reference interpreter.
///
/// # Errors
/// What is wrong with the program or with a command: nothing is said then of whether it passes.
pub fn interpret(
    program: &Program,
    sources: &Sources,
    design: &Design,
    commands: &[Command],
) -> Result<Verdict, Vec<Diagnostic>> {
    let mut machine = Machine::new(program, sources, design)?;
    run(&mut machine, program, sources, design, commands)
}

/// Runs a test.
///
/// # Errors
/// As [`interpret`].
pub fn run(
    engine: &mut impl Engine,
    program: &Program,
    sources: &Sources,
    design: &Design,
    commands: &[Command],
) -> Result<Verdict, Vec<Diagnostic>> {
    run_told(engine, program, sources, design, commands).map(|(verdict, _)| verdict)
}

/// The same, with what the program said about each packet, which are counted from 1.
///
/// # Errors
/// As [`interpret`].
pub fn run_told(
    engine: &mut impl Engine,
    program: &Program,
    sources: &Sources,
    design: &Design,
    commands: &[Command],
) -> Result<(Verdict, Told), Vec<Diagnostic>> {
    // What the tables hold at first is the same for all engines.
    let tables = first_tables(program, sources, design)?;
    let tables = tables.into_iter().map(|table| table.entries).collect();
    let mut run = Run {
        engine,
        names: Names::of(program, design),
        program,
        design,
        expected: BTreeMap::new(),
        seen: BTreeMap::new(),
        added: BTreeMap::new(),
        tables,
        labels: BTreeMap::new(),
        profiles: BTreeMap::new(),
        own: 0,
        failures: Vec::new(),
        messages: Vec::new(),
        packets: 0,
        time: 0,
        timers: Timers::default(),
        idle: Vec::new(),
    };
    let mut errors = Vec::new();
    for command in commands {
        // Behind an error nothing runs, but what is wrong with other entries is told, too.
        let stands_alone = matches!(
            command.kind,
            CommandKind::AddEntry(_) | CommandKind::SetDefault { .. }
        );
        if !errors.is_empty() && !stands_alone {
            continue;
        }
        match run.command(command) {
            Ok(()) => {}
            Err(error) if error.code == "p4-unsupported" && errors.is_empty() => {
                return Ok((Verdict::Refused(error), run.messages));
            }
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    run.compare();
    let verdict = match run.failures.is_empty() {
        true => Verdict::Passed,
        false => Verdict::Failed(run.failures),
    };
    Ok((verdict, run.messages))
}

struct Run<'p, E> {
    engine: &'p mut E,
    names: Names<'p>,
    program: &'p Program,
    design: &'p Design,
    /// What each port that is named has to give.
    expected: BTreeMap<u32, VecDeque<(Place, Option<Expected>)>>,
    /// What came out of each.
    seen: BTreeMap<u32, VecDeque<Vec<u8>>>,
    /// Entries of tables in the order in which they were added.
    added: BTreeMap<usize, Vec<Entry>>,
    /// Entries that tables have.
    tables: Vec<Vec<Entry>>,
    /// Entries that have a label, with their tables.
    labels: BTreeMap<String, (usize, Entry)>,
    /// What action profiles hold.
    profiles: BTreeMap<usize, profiles::Profile>,
    /// Members and groups of entries alone that were made.
    own: u64,
    failures: Vec<Diagnostic>,
    /// What the program said, with the numbers of the packets.
    messages: Told,
    packets: u64,
    time: u64,
    timers: Timers,
    /// Entries that have become idle, with their tables, and that no command has asked for.
    idle: Vec<(usize, Entry)>,
}

impl<'p, E: Engine> Run<'p, E> {
    fn command(&mut self, command: &Command) -> Result<(), Diagnostic> {
        let place = &command.place;
        match &command.kind {
            CommandKind::Packet { port, bytes } => self.packet(*port, bytes, place)?,
            CommandKind::Expect { port, packet } => {
                let expected = (place.clone(), packet.clone());
                self.expected.entry(*port).or_default().push_back(expected);
            }
            CommandKind::AddEntry(entry) => {
                let table = self.names.table(&entry.table, place)?;
                let made = self.names.entry(table, entry, place)?;
                let made = self.with_own_action(table, made, place)?;
                self.add(table, made, entry.label.as_deref(), place)?;
            }
            CommandKind::Profile { profile, change } => {
                let profile = self.profile(profile, place)?;
                self.change_profile(profile, change, place)?;
            }
            CommandKind::AddThrough { entry, is_group } => {
                let table = self.names.table(&entry.table, place)?;
                let (mut made, number) = self.names.referring(table, entry, place)?;
                let through = through(number, *is_group);
                self.may_go_through(table, &through, place)?;
                made.through = Some(through);
                self.add(table, made, entry.label.as_deref(), place)?;
            }
            CommandKind::AddActions { entry, actions } => {
                let table = self.names.table(&entry.table, place)?;
                let (mut made, _) = self.names.referring(table, entry, place)?;
                self.is_new(table, &made, place)?;
                made.through = Some(self.own_actions(table, actions, place)?);
                self.add(table, made, entry.label.as_deref(), place)?;
            }
            CommandKind::ModifyThrough {
                entry,
                number,
                is_group,
            } => {
                let (table, mut entry) = self.found(entry, place)?;
                let through = through(*number, *is_group);
                self.may_go_through(table, &through, place)?;
                entry.through = Some(through);
                self.replace(table, entry, place)?;
            }
            CommandKind::ModifyActions { entry, actions } => {
                let (table, mut entry) = self.found(entry, place)?;
                entry.through = Some(self.own_actions(table, actions, place)?);
                self.replace(table, entry, place)?;
            }
            CommandKind::SetDefault { table, action } => {
                let table = self.names.table(table, place)?;
                let default = self.names.default(table, action, place)?;
                let set = self.engine.default(table, default);
                set.map_err(|why| wrong(place, why))?;
            }
            CommandKind::DeleteEntry { table, entry } => {
                let table = self.names.table(table, place)?;
                let gone = self.added_entry(table, *entry, place)?;
                self.drop_entry(table, &gone, place)?;
            }
            CommandKind::ModifyEntry {
                table,
                entry,
                action,
            } => {
                let table = self.names.table(table, place)?;
                let changed = self.added_entry(table, *entry, place)?;
                self.modify(table, changed, action, place)?;
            }
            CommandKind::ClearTable { table } => {
                let table = self.names.table(table, place)?;
                self.clear(table, place)?;
            }
            CommandKind::WriteRegister {
                register,
                index,
                value,
            } => {
                let object = self
                    .names
                    .object(&["register", "Register"], register, place)?;
                let of = self.design.cell_type(object);
                let data = self.names.data(value, &of, register, place)?;
                let index = index.word();
                self.engine.write(object, Some((index, data)));
            }
            CommandKind::ResetRegister { register } => {
                let object = self
                    .names
                    .object(&["register", "Register"], register, place)?;
                self.engine.write(object, None);
            }
            CommandKind::ResetCounter { counter } => {
                let object = self.names.object(&COUNTERS, counter, place)?;
                self.engine.reset(object);
            }
            CommandKind::CheckCounter {
                counter,
                cell,
                check,
            } => {
                if let Some(check) = check {
                    let found = self.counted(counter, cell, check.bytes, place)?;
                    let wanted = check.number.word();
                    if !check.comparison.holds(found, wanted) {
                        let message = format!("`{counter}` has counted {found}");
                        self.failures.push(wrong(place, message));
                    }
                }
            }
            CommandKind::AddToSet { set, value } => {
                let (parser, set) = self.names.value_set(set, place)?;
                let crate::commands::Pattern::Value(number) = value else {
                    return Err(wrong(place, "a value is wanted"));
                };
                self.engine.include(parser, set, &number.value);
            }
            CommandKind::RemoveFromSet { set, value } => {
                let (parser, set) = self.names.value_set(set, place)?;
                let crate::commands::Pattern::Value(number) = value else {
                    return Err(wrong(place, "a value is wanted"));
                };
                self.engine.exclude(parser, set, Some(&number.value));
            }
            CommandKind::ClearSet { set } => {
                let (parser, set) = self.names.value_set(set, place)?;
                self.engine.exclude(parser, set, None);
            }
            CommandKind::WriteCounter {
                counter,
                index,
                packets,
                bytes,
            } => {
                let object = self.names.object(&COUNTERS, counter, place)?;
                let [cell, packets, bytes] = [index, packets, bytes].map(Number::word);
                self.engine.set_counter(object, cell, (packets, bytes));
            }
            CommandKind::WriteFound {
                entry,
                packets,
                bytes,
            } => {
                let (table, entry) = self.found(entry, place)?;
                let [packets, bytes] = [packets, bytes].map(Number::word);
                let set = self.engine.set_found(table, &entry, (packets, bytes));
                set.map_err(|why| wrong(place, why))?;
            }
            CommandKind::ModifyFound { entry, action } => {
                let (table, found) = self.found(entry, place)?;
                if let Some(action) = action {
                    self.modify(table, found, action, place)?;
                }
            }
            CommandKind::DeleteFound { entry } => {
                let (table, found) = self.found(entry, place)?;
                self.may_change(table, &found, place)?;
                self.drop_entry(table, &found, place)?;
            }
            CommandKind::SetRates {
                meter,
                index,
                rates,
            } => self.set_rates(meter, index.as_ref(), rates, place)?,
            CommandKind::SetFoundRates { entry, rates } => {
                let (table, entry) = self.found(entry, place)?;
                let rates = meters::rates(rates, place)?;
                self.set_entry_rates(table, &entry, rates, place)?;
            }
            // Nobody looks at what these show.
            CommandKind::ReadRegister { .. }
            | CommandKind::ReadCounter { .. }
            | CommandKind::ReadRates { .. } => {}
            CommandKind::NoPacket => self.nothing_more(place),
            CommandKind::Wait { nanoseconds } => self.pass(*nanoseconds, place)?,
            CommandKind::SetTimeout {
                table,
                entry,
                timeout,
            } => {
                let table = self.names.table(table, place)?;
                let entry = self.entry_named(table, entry, place)?;
                self.set_timeout(table, &entry, *timeout, place)?;
            }
            CommandKind::SetFoundTimeout { entry, timeout } => {
                let (table, entry) = self.found(entry, place)?;
                self.set_timeout(table, &entry, *timeout, place)?;
            }
            CommandKind::ExpectIdle { table, entry } => {
                let table = self.names.table(table, place)?;
                let entry = self.entry_named(table, entry, place)?;
                self.expect_idle(table, &entry, place);
            }
            CommandKind::NoIdle => self.no_idle(place),
            CommandKind::RemoveAll => {
                for table in 0..self.tables.len() {
                    self.clear(table, place)?;
                }
            }
            _ => {
                let message = "copies of packets are not there yet";
                return Err(Diagnostic::refused("p4-unsupported", message).at(place.clone()));
            }
        }
        Ok(())
    }

    /// All entries of a table go but those that the program keeps.
    fn clear(&mut self, table: usize, place: &Place) -> Result<(), Diagnostic> {
        let gone = self.tables[table].iter().filter(|entry| !entry.is_constant);
        for entry in gone.cloned().collect::<Vec<Entry>>() {
            self.drop_entry(table, &entry, place)?;
        }
        Ok(())
    }

    fn drop_entry(&mut self, table: usize, entry: &Entry, place: &Place) -> Result<(), Diagnostic> {
        let mut all = self.tables[table].iter();
        let through = all.find(|one| same(one, entry)).and_then(|one| one.through);
        self.tables[table].retain(|one| !same(one, entry));
        self.timers.forget(table, entry);
        self.idle
            .retain(|(of, one)| *of != table || !same(one, entry));
        self.engine.take(table, entry);
        self.forget_own(table, through, place)
    }

    fn of_table(&self, table: usize) -> &'p typed::Table {
        self.design.table_of(self.program, table)
    }

    /// The table does not have it yet.
    fn is_new(&self, table: usize, entry: &Entry, place: &Place) -> Result<(), Diagnostic> {
        match self.tables[table].iter().any(|one| same(one, entry)) {
            true => Err(wrong(place, "the table has this entry already")),
            false => Ok(()),
        }
    }

    /// The entry of a table that has these keys.
    fn found(&self, found: &Found, place: &Place) -> Result<(usize, Entry), Diagnostic> {
        let table = self.names.table(&found.table, place)?;
        let (keys, priority) = self
            .names
            .found(table, &found.keys, &found.priority, place)?;
        let is_it = |one: &&Entry| one.keys == keys && one.priority == priority;
        match self.tables[table].iter().find(is_it) {
            Some(entry) => Ok((table, entry.clone())),
            None => Err(wrong(place, "the table has no such entry")),
        }
    }

    /// An entry of the program that is constant stays as it is.
    fn may_change(&self, table: usize, entry: &Entry, place: &Place) -> Result<(), Diagnostic> {
        match entry.is_constant {
            true => {
                let name = &self.of_table(table).name;
                let message = format!("this entry of `{name}` is constant");
                Err(wrong(place, message))
            }
            false => Ok(()),
        }
    }

    /// An entry gets another action; what it has counted and metered stays.
    fn modify(
        &mut self,
        table: usize,
        mut entry: Entry,
        action: &Call,
        place: &Place,
    ) -> Result<(), Diagnostic> {
        self.may_change(table, &entry, place)?;
        (entry.action, entry.arguments) = self.names.called(table, action, place)?;
        let entry = self.with_own_action(table, entry, place)?;
        self.replace(table, entry, place)
    }

    /// An entry takes the place of the one with the same keys and priority.
    fn replace(&mut self, table: usize, mut entry: Entry, place: &Place) -> Result<(), Diagnostic> {
        entry.last_found = self.time;
        let changed = self.may_change(table, &entry, place).and_then(|()| {
            let changed = self.engine.change(table, &entry);
            changed.map_err(|why| wrong(place, why))
        });
        if changed.is_err() {
            self.forget_own(table, entry.through, place)?;
        }
        changed?;
        let mut before = None;
        for one in &mut self.tables[table] {
            if same(one, &entry) {
                before = std::mem::replace(one, entry.clone()).through;
            }
        }
        self.forget_own(table, before, place)
    }

    fn put(&mut self, table: usize, entry: &Entry, place: &Place) -> Result<(), Diagnostic> {
        let of = self.of_table(table);
        if of.entries_are_constant {
            let message = format!("the entries of `{}` are constant", of.name);
            return Err(wrong(place, message));
        }
        self.engine
            .put(table, entry)
            .map_err(|why| wrong(place, why))?;
        self.tables[table].push(entry.clone());
        Ok(())
    }

    fn add(
        &mut self,
        table: usize,
        mut entry: Entry,
        label: Option<&str>,
        place: &Place,
    ) -> Result<(), Diagnostic> {
        entry.last_found = self.time;
        let is_new = self.is_new(table, &entry, place);
        let put = is_new.and_then(|()| self.put(table, &entry, place));
        if put.is_err() {
            self.forget_own(table, entry.through, place)?;
        }
        put?;
        if let Some(label) = label {
            self.labels.insert(label.to_owned(), (table, entry.clone()));
        }
        self.added.entry(table).or_default().push(entry);
        Ok(())
    }

    fn added_entry(&self, table: usize, number: u32, place: &Place) -> Result<Entry, Diagnostic> {
        let all = self.added.get(&table);
        let found = all.and_then(|all| all.get(number as usize));
        found
            .cloned()
            .ok_or_else(|| wrong(place, format!("no entry {number} was added to this table")))
    }

    /// What a cell of a counter, or an entry's, has counted.
    fn counted(
        &mut self,
        counter: &str,
        cell: &Cell,
        bytes: bool,
        place: &Place,
    ) -> Result<u64, Diagnostic> {
        let either = |count: (u64, u64)| if bytes { count.1 } else { count.0 };
        match cell {
            Cell::Label(label) => {
                let Some((table, entry)) = self.labels.get(label).cloned() else {
                    return Err(wrong(place, format!("no entry has the label `{label}`")));
                };
                Ok(either(self.engine.found(table, &entry)))
            }
            Cell::Index(index) => {
                let object = self.names.object(&COUNTERS, counter, place)?;
                let index = index.word();
                Ok(either(self.engine.counted(object, index)))
            }
        }
    }
}

/// Externs that are arrays of counters.
pub(crate) const COUNTERS: [&str; 3] = ["counter", "Counter", "CounterArray"];
fn through(number: u64, is_group: bool) -> Through {
    match is_group {
        true => Through::Group(number),
        false => Through::Member(number),
    }
}

/// Meters that are arrays, of all architectures.
pub(crate) const METERS: [&str; 2] = ["meter", "Meter"];
/// Meters of the entries of a table.
pub(crate) const DIRECT_METERS: [&str; 2] = ["direct_meter", "DirectMeter"];
/// Counters of entries.
pub(crate) const DIRECT_COUNTERS: [&str; 2] = ["direct_counter", "DirectCounter"];

/// The same entry, whatever it has counted.
fn same(one: &Entry, other: &Entry) -> bool {
    one.keys == other.keys && one.priority == other.priority
}

//! Counters, meters and registers (§7), action profiles and their selectors (§10).
//!
//! Whatever both pipelines can use stands in front of them; what belongs to the entries of one table stands in that table's control.

use super::names::{annotation, Kind};
use super::translator::{Scope, Told, Translator};
use super::tree::{Expression, ExpressionKind, Profile, Stateful, Table};
use super::values::Word;
use super::writer::Writer;

/// More cells than anything has.
const MOST_CELLS: u32 = 1 << 30;
/// Members of a profile that says nothing of them, and whose tables do not, either.
const MEMBERS: u32 = 1024;

/// What goes along with the entries of a table.
#[derive(Debug, Default)]
pub(super) struct Direct<'a> {
    pub counter: Option<&'a Stateful>,
    pub meter: Option<&'a Stateful>,
}

impl<'a> Translator<'a> {
    /// The type of a cell's number: as wide as the last one.
    pub(super) fn index_of(&mut self, one: &Stateful) -> Result<Word, Told> {
        let count = self.count_of(one)?;
        Ok(Word::bits((u32::BITS - (count - 1).leading_zeros()).max(1)))
    }

    fn count_of(&mut self, one: &Stateful) -> Result<u32, Told> {
        match &one.count {
            Some(count) => self.number(count, 1, MOST_CELLS, "`instance_count`"),
            None => self.error(
                one.name.span,
                format!(
                    "`{}` has neither `direct` nor `instance_count` (§7)",
                    one.name.text
                ),
            ),
        }
    }

    /// The type of a register's cells.
    pub(super) fn register_word(&mut self, one: &Stateful) -> Result<Word, Told> {
        if one.direct.is_some() {
            return self.error(
                one.name.span,
                "v1model has no registers that go along with a table",
            );
        }
        let width = match (&one.width, &one.layout) {
            (Some(width), _) => self.number(width, 1, 1 << 16, "`width`")?,
            (None, Some(layout)) => {
                let (known, headers) = (self.known, self.headers);
                self.found(headers.layouts.get(&layout.text), |this| {
                    known.types.unknown(this.sources, layout)
                })?
                .fixed
            }
            (None, None) => {
                return self.error(
                    one.name.span,
                    format!("`{}` has no `width` (§7.3)", one.name.text),
                );
            }
        };
        if width == 0 {
            return self.error(one.name.span, "a register has at least one bit");
        }
        Ok(Word {
            width,
            signed: one.signed,
        })
    }

    /// `CounterType.packets`.
    fn type_of(&mut self, one: &Stateful, of: &str, known: &[&str]) -> Result<String, Told> {
        match &one.of {
            Some(name) if known.contains(&name.text.as_str()) => Ok(format!("{of}.{}", name.text)),
            Some(name) => self.error(
                name.span,
                format!("the type is one of {}", known.join(", ")),
            ),
            None => self.error(
                one.name.span,
                format!("`{}` has no `type` (§7)", one.name.text),
            ),
        }
    }

    fn counter_type(&mut self, one: &Stateful) -> Result<String, Told> {
        self.type_of(
            one,
            "CounterType",
            &["packets", "bytes", "packets_and_bytes"],
        )
    }

    fn meter_type(&mut self, one: &Stateful) -> Result<String, Told> {
        self.type_of(one, "MeterType", &["packets", "bytes"])
    }

    /// All that both pipelines can use.
    pub(super) fn shared(&mut self, writer: &mut Writer) {
        let program = self.program;
        for one in &program.counters {
            if let (None, Ok(of)) = (&one.direct, self.counter_type(one)) {
                self.write_shared(one, Kind::Counter, Some(of), writer);
            }
        }
        for one in &program.meters {
            if let (None, Ok(of)) = (&one.direct, self.meter_type(one)) {
                self.write_shared(one, Kind::Meter, Some(of), writer);
            }
        }
        for one in &program.registers {
            // One that nothing uses can be left out, and is where there is nothing like it.
            if one.direct.is_none() {
                self.write_shared(one, Kind::Register, None, writer);
            }
        }
        for profile in &program.profiles {
            let _ = self.profile(profile, writer);
        }
    }

    fn write_shared(
        &mut self,
        one: &Stateful,
        kind: Kind,
        of: Option<String>,
        writer: &mut Writer,
    ) {
        let (Ok(count), Ok(index)) = (self.count_of(one), self.index_of(one)) else {
            return;
        };
        let name = self.names.of(kind, &one.name.text);
        let mut annotation = annotation(&name, &one.name.text);
        if let Some(least) = &one.least_width {
            let Ok(least) = self.number(least, 0, 1 << 16, "`min_width`") else {
                return;
            };
            annotation.push_str(&format!("@min_width({least}) "));
        }
        let index = index.text();
        let line = match (kind, of) {
            (Kind::Counter, Some(of)) => format!("counter<{index}>(32w{count}, {of})"),
            (Kind::Meter, Some(of)) => format!("meter<{index}>(32w{count}, {of})"),
            _ => match self.register_word(one) {
                Ok(word) => format!("register<{}, {index}>(32w{count})", word.text()),
                Err(Told) => return,
            },
        };
        writer.line(&format!("{annotation}{line} {name};"));
        writer.blank();
    }

    /// An action profile, or the selector that it is one of.
    fn profile(&mut self, profile: &Profile, writer: &mut Writer) -> Result<(), Told> {
        let size = match &profile.size {
            Some(size) => self.number(size, 0, MOST_CELLS, "`size`")?,
            None => self.members(profile)?,
        };
        let name = self.names.of(Kind::Profile, &profile.name.text);
        let annotation = annotation(&name, &profile.name.text);
        let line = match &profile.selector {
            None => format!("{annotation}action_profile(32w{size}) {name};"),
            Some(selector) => {
                let known = self.known;
                let selector = self.found(known.selectors.get(&selector.text), |this| {
                    known.selectors.unknown(this.sources, selector)
                })?;
                let Some(calculation) = &selector.calculation else {
                    return self.error(
                        selector.name.span,
                        "the selector has no `selection_key` (§10)",
                    );
                };
                let (algorithm, width) = self.algorithm(calculation)?;
                let mode = selector.mode.as_ref();
                let mode = mode.map_or(String::new(), |mode| format!("@mode(\"{}\") ", mode.text));
                format!(
                    "{annotation}{mode}action_selector({algorithm}, 32w{size}, 32w{width}) {name};"
                )
            }
        };
        writer.line(&line);
        writer.blank();
        Ok(())
    }

    /// As many members as the largest of its tables has entries, where the profile says nothing.
    fn members(&mut self, profile: &Profile) -> Result<u32, Told> {
        let mut most = None;
        for table in &self.program.tables {
            let is_its = table
                .profile
                .as_ref()
                .is_some_and(|name| name.text == profile.name.text);
            if let (true, Some(size)) = (is_its, size_of(table)) {
                most = most.max(Some(self.number(size, 0, MOST_CELLS, "`size`")?));
            }
        }
        Ok(most.filter(|most| *most > 0).unwrap_or(MEMBERS))
    }

    // ---- Direct ones

    /// What goes along with a table's entries.
    pub(super) fn direct(&mut self, table: &Table) -> Direct<'a> {
        let program = self.program;
        Direct {
            counter: self.only(&program.counters, table, "counter"),
            meter: self.only(&program.meters, table, "meter"),
        }
    }

    fn only(&mut self, all: &'a [Stateful], table: &Table, kind: &str) -> Option<&'a Stateful> {
        let is_its = |one: &&Stateful| {
            one.direct
                .as_ref()
                .is_some_and(|name| name.text == table.name.text)
        };
        let mut its = all.iter().filter(is_its);
        let first = its.next();
        if let Some(second) = its.next() {
            let message = format!("in v1model a table has one direct {kind}");
            let _: Result<(), Told> = self.error(second.name.span, message);
        }
        first
    }

    /// Direct counters and meters name a table that there is.
    pub(super) fn check_direct(&mut self) {
        let (program, known) = (self.program, self.known);
        let all = program
            .counters
            .iter()
            .chain(&program.meters)
            .chain(&program.registers);
        for one in all {
            for table in one.direct.iter().chain(&one.of_table) {
                if !known.tables.has(&table.text) {
                    let error = known.tables.unknown(self.sources, table);
                    self.tell(error);
                }
            }
            if let (Some(_), Some(count)) = (&one.direct, &one.count) {
                let message = "what is direct has as many cells as its table has entries, and no `instance_count` (§7)";
                let _: Result<(), Told> = self.error(count.span, message);
            }
        }
    }

    /// Their declarations; gives the properties of the table.
    pub(super) fn write_direct(&mut self, direct: &Direct, writer: &mut Writer) -> Vec<String> {
        let mut properties = Vec::new();
        if let Some(counter) = direct.counter {
            if let Ok(of) = self.counter_type(counter) {
                let name = self.names.of(Kind::Counter, &counter.name.text);
                writer.line(&format!(
                    "@name(\".{}\") direct_counter({of}) {name};",
                    counter.name.text
                ));
                properties.push(format!("counters = {name};"));
            }
        }
        if let Some(meter) = direct.meter {
            if let (Ok(of), Ok(word)) = (self.meter_type(meter), self.result_word(meter)) {
                let name = self.names.of(Kind::Meter, &meter.name.text);
                writer.line(&format!(
                    "@name(\".{}\") direct_meter<{}>({of}) {name};",
                    meter.name.text,
                    word.text()
                ));
                properties.push(format!("meters = {name};"));
            }
        }
        properties
    }

    fn result(&mut self, meter: &Stateful) -> Result<super::translator::Place, Told> {
        let Some(result) = &meter.result else {
            let message = format!("`{}` is direct and has no `result` (§7.2)", meter.name.text);
            return self.error(meter.name.span, message);
        };
        match &result.kind {
            ExpressionKind::Field(reference, field) => {
                self.place(reference, field, &Scope::default())
            }
            _ => self.error(
                result.span,
                "the result of a meter goes into a field (§7.2)",
            ),
        }
    }

    fn result_word(&mut self, meter: &Stateful) -> Result<Word, Told> {
        Ok(Word::bits(self.result(meter)?.word.width))
    }

    /// What stands in front of the actions of a table with a direct meter: it is asked before they run.
    pub(super) fn metered(&mut self, meter: &Stateful) -> Result<Vec<String>, Told> {
        let to = self.result(meter)?;
        let name = self.names.of(Kind::Meter, &meter.name.text);
        let mut lines = Vec::new();
        let word = Word::bits(to.word.width);
        self.read_into(
            &to,
            word,
            |to| format!("{name}.read({to});"),
            &mut Scope::default(),
            &mut lines,
        );
        Ok(lines)
    }
}

/// How many entries a table is to have.
pub(super) fn size_of(table: &Table) -> Option<&Expression> {
    let sizes = [&table.size, &table.most_size, &table.least_size];
    sizes.into_iter().find_map(Option::as_ref)
}

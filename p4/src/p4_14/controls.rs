//! Control functions (§12). Those that are called stand in the two pipelines in their places: a table is one, from wherever it is applied.

use super::names::Kind;
use super::primitives::pipeline_of;
use super::states::{Parsing, FIRST};
use super::translator::{Scope, Told, Translator};
use super::tree::{Cases, Statement, Table};
use super::writer::Writer;
use crate::ast::Name;
use std::collections::BTreeSet;
use std::rc::Rc;

/// So deep blocks may stand in each other, those of controls that are called among them.
const MOST_DEEP: usize = 60;
/// Statements that a pipeline may come to: controls that call each other twice and twice would have no end.
const MOST_STATEMENTS: usize = 100_000;

/// What a pipeline is made of.
#[derive(Debug, Default)]
pub(super) struct Pipeline<'a> {
    /// The controls that it begins with: more than one only where the parser chooses.
    pub controls: Vec<&'a Name>,
    /// The tables that it applies.
    pub tables: BTreeSet<&'a str>,
}

/// A walk through the controls of a pipeline.
struct Walk<'a> {
    open: Vec<&'a str>,
    deep: usize,
    statements: usize,
}

impl<'a> Translator<'a> {
    /// Which tables a pipeline applies.
    pub(super) fn pipeline(&mut self, controls: Vec<&'a Name>) -> Pipeline<'a> {
        let mut pipeline = Pipeline {
            controls: controls.clone(),
            ..Pipeline::default()
        };
        let mut seen = BTreeSet::new();
        for control in controls {
            let _ = self.tables_of(control, &mut Vec::new(), &mut seen, &mut pipeline.tables);
        }
        pipeline
    }

    fn tables_of(
        &mut self,
        control: &Name,
        open: &mut Vec<&'a str>,
        seen: &mut BTreeSet<&'a str>,
        tables: &mut BTreeSet<&'a str>,
    ) -> Result<(), Told> {
        let known = self.known;
        let control = self.found(known.controls.get(&control.text), |this| {
            known.controls.unknown(this.sources, control)
        })?;
        let name = control.name.text.as_str();
        if open.contains(&name) || open.len() > MOST_DEEP {
            let message = format!("the control `{name}` calls itself, or {MOST_DEEP} others deep");
            return self.error(control.name.span, message);
        }
        if !seen.insert(name) {
            return Ok(());
        }
        open.push(name);
        let result = self.tables_in(&control.body, open, seen, tables);
        open.pop();
        result
    }

    fn tables_in(
        &mut self,
        body: &'a [Statement],
        open: &mut Vec<&'a str>,
        seen: &mut BTreeSet<&'a str>,
        tables: &mut BTreeSet<&'a str>,
    ) -> Result<(), Told> {
        let known = self.known;
        for statement in body {
            match statement {
                Statement::Call(control) => self.tables_of(control, open, seen, tables)?,
                Statement::If(_, then, otherwise) => {
                    self.tables_in(then, open, seen, tables)?;
                    self.tables_in(otherwise, open, seen, tables)?;
                }
                Statement::Apply(table, cases) => {
                    let table = self.found(known.tables.get(&table.text), |this| {
                        known.tables.unknown(this.sources, table)
                    })?;
                    tables.insert(&table.name.text);
                    let blocks: Vec<&'a Vec<Statement>> = match cases {
                        Cases::None => Vec::new(),
                        Cases::Hit(hit, miss) => vec![hit, miss],
                        Cases::Action(cases) => cases.iter().map(|(_, block)| block).collect(),
                    };
                    for block in blocks {
                        self.tables_in(block, open, seen, tables)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes a pipeline.
    pub(super) fn control(
        &mut self,
        name: &str,
        pipeline: &Pipeline<'a>,
        parsing: Option<&Parsing>,
        writer: &mut Writer,
    ) {
        writer.open(&format!(
            "control {name}(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {{"
        ));
        let program = self.program;
        let tables = program
            .tables
            .iter()
            .filter(|table| pipeline.tables.contains(table.name.text.as_str()));
        let tables: Vec<&'a Table> = tables.collect();
        self.check_pipeline(name, &tables);
        self.actions(&tables, writer);
        for table in &tables {
            let _ = self.table(table, writer);
        }
        writer.open("apply {");
        if let Some(parsing) = parsing {
            self.handlers(parsing, writer);
        }
        let mut walk = Walk {
            open: Vec::new(),
            deep: 0,
            statements: 0,
        };
        for (number, control) in pipeline.controls.iter().enumerate() {
            let is_one = pipeline.controls.len() == 1;
            if !is_one {
                writer.open(&format!("if (meta.{FIRST} == 8w{number}) {{"));
            }
            let _ = self.called(control, &mut walk, writer);
            if !is_one {
                writer.close();
            }
        }
        writer.close();
        writer.close();
    }

    /// What is for one pipeline only is not done in the other one.
    fn check_pipeline(&mut self, name: &str, tables: &[&'a Table]) {
        for table in tables {
            let actions = self.actions_of(table).unwrap_or_default();
            for action in actions {
                let calls = match self.bodies.get(&action.text) {
                    Some(Ok(calls)) => Rc::clone(calls),
                    // An error says why there are none.
                    _ => continue,
                };
                for call in calls.iter() {
                    let own = pipeline_of(&call.name.text);
                    if let Some(own) = own.filter(|own| *own != name) {
                        let message = format!(
                            "`{}` is for {own} only, and the table `{}` is applied in {name} (§9.1)",
                            call.name.text, table.name.text
                        );
                        let _: Result<(), Told> = self.error(call.name.span, message);
                    }
                }
            }
        }
    }

    /// The actions of all tables, each once; a table with a direct meter has its own.
    pub(super) fn actions(&mut self, tables: &[&'a Table], writer: &mut Writer) {
        let mut named: BTreeSet<&'a str> = BTreeSet::new();
        for table in tables {
            if self.direct(table).meter.is_some() {
                continue;
            }
            let Ok(actions) = self.actions_of(table) else {
                continue;
            };
            let default = table.default.iter().map(|default| &default.action);
            for action in actions.iter().chain(default) {
                if named.insert(&action.text) {
                    let name = self.names.of(Kind::Action, &action.text);
                    let _ = self.action(action, &name, &[], writer);
                }
            }
        }
    }

    fn called(
        &mut self,
        control: &Name,
        walk: &mut Walk<'a>,
        writer: &mut Writer,
    ) -> Result<(), Told> {
        let control = self.known.controls.get(&control.text).ok_or(Told)?;
        // A circle was told when the tables were looked for.
        if walk.open.contains(&control.name.text.as_str()) {
            return Err(Told);
        }
        walk.open.push(&control.name.text);
        let result = self.block(&control.body, walk, writer);
        walk.open.pop();
        result
    }

    fn block(
        &mut self,
        body: &'a [Statement],
        walk: &mut Walk<'a>,
        writer: &mut Writer,
    ) -> Result<(), Told> {
        walk.deep += 1;
        for statement in body {
            self.statement(statement, walk, writer)?;
        }
        walk.deep -= 1;
        Ok(())
    }

    fn statement(
        &mut self,
        statement: &'a Statement,
        walk: &mut Walk<'a>,
        writer: &mut Writer,
    ) -> Result<(), Told> {
        walk.statements += 1;
        if walk.deep > MOST_DEEP || walk.statements > MOST_STATEMENTS {
            let control = walk
                .open
                .last()
                .and_then(|name| self.known.controls.get(name))
                .ok_or(Told)?;
            let message = format!("with all that it calls this has more than {MOST_STATEMENTS} statements, or {MOST_DEEP} in each other");
            return self.error(control.name.span, message);
        }
        match statement {
            Statement::Call(control) => self.called(control, walk, writer),
            Statement::If(condition, then, otherwise) => {
                let condition = self.condition(condition, &mut Scope::default());
                // What is wrong in it does not hide what is wrong behind it.
                let condition =
                    condition.map_or_else(|_| "true".to_owned(), |condition| condition.text);
                writer.open(&format!("if ({condition}) {{"));
                self.block(then, walk, writer)?;
                self.otherwise(otherwise, walk, writer)?;
                writer.close();
                Ok(())
            }
            Statement::Apply(table, cases) => self.apply(table, cases, walk, writer),
        }
    }

    fn otherwise(
        &mut self,
        block: &'a [Statement],
        walk: &mut Walk<'a>,
        writer: &mut Writer,
    ) -> Result<(), Told> {
        if let [Statement::If(condition, then, otherwise)] = block {
            let condition = self.condition(condition, &mut Scope::default());
            let condition =
                condition.map_or_else(|_| "true".to_owned(), |condition| condition.text);
            writer.middle(&format!("}} else if ({condition}) {{"));
            walk.deep += 1;
            self.block(then, walk, writer)?;
            self.otherwise(otherwise, walk, writer)?;
            walk.deep -= 1;
        } else if !block.is_empty() {
            writer.middle("} else {");
            self.block(block, walk, writer)?;
        }
        Ok(())
    }

    fn apply(
        &mut self,
        table: &Name,
        cases: &'a Cases,
        walk: &mut Walk<'a>,
        writer: &mut Writer,
    ) -> Result<(), Told> {
        let table = self.known.tables.get(&table.text).ok_or(Told)?;
        let name = self.names.of(Kind::Table, &table.name.text);
        match cases {
            Cases::None => writer.line(&format!("{name}.apply();")),
            Cases::Hit(hit, miss) => {
                let what = if hit.is_empty() { "miss" } else { "hit" };
                writer.open(&format!("if ({name}.apply().{what}) {{"));
                let (first, second) = if hit.is_empty() {
                    (miss, hit)
                } else {
                    (hit, miss)
                };
                self.block(first, walk, writer)?;
                if !second.is_empty() {
                    writer.middle("} else {");
                    self.block(second, walk, writer)?;
                }
                writer.close();
            }
            Cases::Action(cases) => {
                writer.open(&format!("switch ({name}.apply().action_run) {{"));
                // In P4_16 the default is the last one.
                let is_default = |label: &Name| label.text == "default";
                let mut cases: Vec<&'a (Vec<Name>, Vec<Statement>)> = cases.iter().collect();
                cases.sort_by_key(|(labels, _)| labels.iter().any(is_default));
                for (labels, block) in cases {
                    let mut labels: Vec<&Name> = labels.iter().collect();
                    labels.sort_by_key(|label| is_default(label));
                    for (place, label) in labels.iter().enumerate() {
                        let text = self.label(label, table)?;
                        // All but the last one go on to its block.
                        match place + 1 < labels.len() {
                            true => writer.line(&format!("{text}:")),
                            false => writer.open(&format!("{text}: {{")),
                        }
                    }
                    self.block(block, walk, writer)?;
                    writer.close();
                }
                writer.close();
            }
        }
        Ok(())
    }

    /// An action of a table, as the name of a case.
    fn label(&mut self, action: &Name, table: &'a Table) -> Result<String, Told> {
        if action.text == "default" {
            return Ok("default".into());
        }
        let actions = self.actions_of(table)?;
        let default = table.default.iter().map(|default| &default.action);
        let mut all = actions.iter().chain(default);
        if !all.any(|known| known.text == action.text) {
            let known = actions.iter().map(|action| action.text.as_str());
            let message = format!(
                "the table `{}` has no action `{}`",
                table.name.text, action.text
            );
            return self.error_or_meant("p4-name", action, message, known);
        }
        Ok(self.action_name(&action.text, table))
    }
}

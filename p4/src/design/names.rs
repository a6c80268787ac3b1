//! Names that the control plane has: each of them stands for one table, or for one action (§20.3.3.1).

use super::{joined, name_of, Design};
use crate::ast::Annotation;
use crate::source::{Sources, Span};
use crate::typed::Program;
use hardpath_diagnostic::Diagnostic;
use std::collections::{BTreeMap, BTreeSet};

/// What a name stands for.
struct Named {
    /// What the control plane calls it.
    name: String,
    /// Its own name says that it stands alone, whatever is around it.
    is_absolute: bool,
    span: Span,
}

/// Tells of each name that stands for two things of one kind.
///
/// What a package makes twice of one declaration has one name here and another one for each place in the package (§18.3): that is told
/// only where its `@name` is to be its whole name.
pub(super) fn once(program: &Program, sources: &Sources, design: &Design) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for (what, all) in [
        ("table", tables(program, design)),
        ("action", actions(program, design)),
    ] {
        let mut seen: BTreeMap<String, Span> = BTreeMap::new();
        for named in all {
            let Some(first) = seen.get(&named.name).copied() else {
                seen.insert(named.name, named.span);
                continue;
            };
            let is_copied = program.is_translated && what == "action" && named.is_absolute;
            if is_copied || first == named.span && !named.is_absolute {
                continue;
            }
            let message = match first == named.span {
                true => format!(
                    "two {what}s are called `{}`: this is made twice",
                    named.name
                ),
                false => format!(
                    "the control plane calls another {what} `{}`, too",
                    named.name
                ),
            };
            let error = sources.error("p4-name", named.span, message);
            let error = error.label(sources.place(first), "the other one");
            errors.push(error.help("give one of them another `@name`"));
        }
    }
    errors
}

fn tables(program: &Program, design: &Design) -> Vec<Named> {
    let tables = design.tables.iter().map(|table| {
        let own = &program.tables[table.table];
        Named {
            name: table.name.clone(),
            is_absolute: is_absolute(&own.annotations),
            span: own.span,
        }
    });
    tables.collect()
}

/// Those of all controls, once for each object, and those outside of everything that some table has.
fn actions(program: &Program, design: &Design) -> Vec<Named> {
    let named = |number: usize, around: &str| {
        let own = &program.functions[number];
        Named {
            name: joined(around, &name_of(&own.annotations, &own.name)),
            is_absolute: is_absolute(&own.annotations),
            span: own.span,
        }
    };
    let inner: BTreeSet<usize> = program
        .blocks
        .iter()
        .flat_map(|block| block.actions.iter().copied())
        .collect();
    let listed = program.tables.iter().flat_map(|table| &table.actions);
    let listed: BTreeSet<usize> = listed.map(|one| one.action).collect();
    let outer = listed.difference(&inner);
    let mut found: Vec<Named> = outer.map(|number| named(*number, "")).collect();
    for object in &design.objects {
        let block = object.block.map(|block| &program.blocks[block]);
        let actions = block.iter().flat_map(|block| &block.actions);
        found.extend(actions.map(|action| named(*action, &object.name)));
    }
    found
}

fn is_absolute(annotations: &[Annotation]) -> bool {
    name_of(annotations, "").starts_with('.')
}

//! How a table finds its entries: what the program says in front of it and behind its keys, else its size and keys.

use super::find_of;
use crate::ast::Annotation;
use crate::design::{evaluate, Known};
use crate::interpreter::learns;
use crate::lower::finding::{self, Asked, Choice, Finding, Promise, Ranges, Said, Way};
use crate::lower::{ir, Lower, LoweredTable, Made};
use crate::source::Span;
use crate::typed;
use hardpath_diagnostic::{suggest, Diagnostic};

impl Lower<'_> {
    /// The table of entries, how it finds them, and whether ranges are expanded. `body_bits`: of what an entry has behind what stands in
    /// front.
    pub(super) fn entries_map(
        &mut self,
        place: usize,
        of: &typed::Table,
        made: &LoweredTable,
        body_bits: u32,
    ) -> Made<(ir::MapId, Finding, Vec<bool>)> {
        let kinds: Vec<&str> = of.keys.iter().map(|key| key.kind.as_str()).collect();
        if let Err(kind) = find_of(&kinds) {
            return self.refuse(of.span, format!("keys of the kind `{kind}` are not there"));
        }
        let places = of.matched_keys().map(|(at, _)| at);
        let places: Vec<usize> = places.filter(|at| made.keys[*at] > 0).collect();
        let asked = self.wishes(place, of, made, body_bits);
        let said = said(&of.annotations, finding::ANNOTATION);
        let (finding, why, span) = match said {
            Some(annotation) => {
                let span = annotation.name.span;
                let why = "the program says so".to_string();
                (self.said_finding(of, span)?, why, span)
            }
            None => {
                let (finding, why) = asked.choose();
                (finding, why, of.span)
            }
        };
        let ranges = self.said_ranges(of, made, (&asked, &places))?;
        let name = self.design.tables[place].name.clone();
        let decl = |finding: Finding, asked: &Asked| {
            let mut decl = finding.decl(&name, asked)?;
            decl.packets_write = made.counts || made.times || asked.learns;
            Ok(decl)
        };
        let chosen = match ranges.choose(finding, self.weigh, &decl) {
            Ok(chosen) => chosen,
            Err(message) => {
                let can = |other: &Finding| ranges.choose(*other, self.weigh, &decl).is_ok();
                let others = Finding::WORDS.iter().map(|(_, other)| *other).filter(can);
                let others: Vec<Finding> = others.collect();
                return self.refuse_finding(span, (finding, said.is_some()), message, &others);
            }
        };
        let is = |finding, expands| Way { finding, expands };
        let all = Finding::WORDS.iter().map(|(_, finding)| *finding);
        let all = all.chain([Finding::Prefixes]);
        let mut all: Vec<_> = all
            .map(|finding| (is(finding, false), decl(finding, &asked)))
            .collect();
        if kinds.contains(&"range") {
            let both = [Finding::Tcam, Finding::Masks];
            all.extend(both.map(|finding| (is(finding, true), ranges.expanded(finding, &decl))));
        }
        let own = is(finding, chosen.promise.is_some());
        if let Some((_, made)) = all.iter_mut().find(|(way, _)| *way == own) {
            *made = Ok(chosen.decl.clone());
        }
        let why = [Some(why), chosen.why].into_iter().flatten();
        self.choices.push(Choice {
            table: place,
            finding,
            why: why.collect::<Vec<_>>().join("; "),
            promise: chosen.promise,
            all,
        });
        if let Some(promise) = chosen.promise {
            self.promises_rows(place, of.span, promise);
        }
        let mut expanded = vec![false; of.keys.len()];
        for (place, is) in places.iter().zip(chosen.expanded) {
            expanded[*place] = is;
        }
        Ok((self.ir.maps.push(chosen.decl), finding, expanded))
    }

    /// What decides how entries are found. `body_bits`: of what an entry has behind what stands in front.
    pub(in crate::lower) fn wishes<'t>(
        &self,
        place: usize,
        of: &'t typed::Table,
        made: &LoweredTable,
        body_bits: u32,
    ) -> Asked<'t> {
        let keys = of.matched_keys();
        let keys = keys.map(|(at, key)| (key.kind.as_str(), made.keys[at]));
        Asked {
            keys: keys.filter(|(_, bits)| *bits > 0).collect(),
            size: self.wanted_size(place, of),
            learns: learns(of),
            value_bits: made.front_bytes() * 8 + body_bits,
        }
    }

    /// What the program says of ranges.
    fn said_ranges<'a>(
        &mut self,
        of: &typed::Table,
        made: &LoweredTable,
        (asked, places): (&'a Asked<'a>, &[usize]),
    ) -> Made<Ranges<'a>> {
        let ranges = of.keys.iter().any(|key| key.kind == "range");
        let mut keys = Vec::new();
        for place in places {
            let key = &of.keys[*place];
            keys.push(self.said_range(&key.annotations, key.kind == "range")?);
        }
        let held = [
            (made.counts, "a direct counter"),
            (made.times, "timeouts"),
            (made.meters, "a direct meter"),
        ];
        let mut held = held.into_iter().filter(|(is, _)| *is);
        Ok(Ranges {
            asked,
            table: self.said_range(&of.annotations, ranges)?,
            keys,
            whole: held.next().map(|(_, what)| what),
        })
    }

    fn said_range(&mut self, all: &[Annotation], is_range: bool) -> Made<Option<Said>> {
        let Some(annotation) = said(all, finding::RANGE_ANNOTATION) else {
            return Ok(None);
        };
        let span = annotation.name.span;
        match Said::read(annotation) {
            Some(said) if is_range => Ok(Some(said)),
            Some(_) => self.refuse(
                span,
                format!("`@{}` is of ranges, and this is none", finding::RANGE_ANNOTATION),
            ),
            None => self.refuse_with(
                span,
                format!("`@{}` does not say how ranges are found", finding::RANGE_ANNOTATION),
                "it says \"compare\", \"expand\", how many rows an entry takes (\"expand\", 4), or that alone (4): then what is smaller",
            ),
        }
    }

    /// Not all entries that are asked for need have room.
    fn promises_rows(&mut self, place: usize, span: Span, promise: Promise) {
        if promise.is_whole() || promise.is_said {
            return;
        }
        let name = &self.design.tables[place].name;
        let message = format!("`{name}` {}", promise.text());
        let help = "`@hardpath_range(\"expand\", N)` says how many rows each takes, `@hardpath_range(\"compare\")` that ranges are compared";
        let warning = Diagnostic::warning("p4-range-rows", message).at(self.sources.place(span));
        self.warnings.push(warning.help(help));
    }

    /// Entries that the table wants.
    pub(in crate::lower) fn wanted_size(&self, place: usize, of: &typed::Table) -> Option<u64> {
        let object = self.design.tables[place].object;
        let made = &self.design.objects[object].made;
        match evaluate(self.program, of.size.as_ref()?, made) {
            Ok(Known::Value(value)) => crate::fold::index(&value).map(|size| size as u64),
            _ => None,
        }
    }

    /// How the program wants entries to be found.
    fn said_finding(&mut self, of: &typed::Table, span: Span) -> Made<Finding> {
        let word = crate::check::text_of(&of.annotations, finding::ANNOTATION).unwrap_or_default();
        let mut words = Finding::WORDS.iter();
        if let Some((_, finding)) = words.find(|(own, _)| *own == word) {
            return Ok(*finding);
        }
        let words = Finding::WORDS.map(|(word, _)| word);
        let message = format!(
            "`@{}(\"{word}\")` is no way to find entries",
            finding::ANNOTATION
        );
        let help = format!(
            "{}there are {}",
            suggest::meant(&word, words),
            words.join(", ")
        );
        self.refuse_with(span, message, help)
    }

    /// `said`: a way, and whether the program says it. `others` find these entries.
    fn refuse_finding<T>(
        &mut self,
        span: Span,
        (finding, is_said): (Finding, bool),
        message: String,
        others: &[Finding],
    ) -> Made<T> {
        let mut helps: Vec<String> = others.iter().map(|other| recommended(*other)).collect();
        if !is_said {
            helps.push("say a smaller `size`".into());
            helps.push("where all keys are exact, or one is `lpm` and the others exact, tables are as large as memories".into());
            return self.refuse_with(span, message, helps.join("; "));
        }
        let word = finding.word();
        let message = format!("`{word}` cannot find the entries of this table: {message}");
        helps.push("leave it to size and keys".into());
        self.refuse_with(span, message, helps.join("; "))
    }
}

/// What to write for this way.
fn recommended(finding: Finding) -> String {
    let limit = match finding {
        Finding::Masks => format!(
            ", as long as they have at most {} different masks",
            finding::MOST_MASKS
        ),
        _ => String::new(),
    };
    let (name, word) = (finding::ANNOTATION, finding.word());
    format!("`@{name}(\"{word}\")` can{limit}")
}

/// The last annotation of this name.
fn said<'a>(all: &'a [Annotation], name: &str) -> Option<&'a Annotation> {
    all.iter().rfind(|one| one.name.text == name)
}

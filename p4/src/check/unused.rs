//! What a program asks for and nobody gives, and the other way round: warnings.

use super::uses::{AllUses, Place, Uses};
use super::Checker;
use crate::source::Span;
use crate::typed::VariableKind;
use crate::types::{RecordKind, Type};

/// A warning: where, what, and what next.
type Doubt = (Span, String, &'static str);

impl Checker<'_> {
    /// Looks at a program that has no errors.
    pub(super) fn doubt_uses(&mut self) {
        let all = AllUses::of(&self.told);
        for (refusal, asked) in &all.refused {
            let written = asked.iter().filter_map(|place| all.by_place.get(place));
            let written: Vec<Span> = written.flat_map(|uses| &uses.written).copied().collect();
            if let Some(cause) = self.first(&written) {
                self.told.causes.push((*refusal, cause));
            }
        }
        let tables = (0..self.told.tables.len()).filter(|table| !all.applied.contains(table));
        let mut doubts: Vec<Doubt> = tables.map(|table| self.unapplied(table)).collect();
        for (place, uses) in &all.by_place {
            match self.type_at(*place) {
                Some(Type::Record(_) | Type::Stack(..)) => {
                    doubts.extend(self.never_valid(*place, uses, &all));
                    doubts.extend(self.never_emitted(*place, uses, &all));
                }
                Some(Type::Bit(_) | Type::Int(_) | Type::Bool | Type::Error | Type::Enum(_)) => {
                    doubts.extend(self.never_written(*place, uses));
                    doubts.extend(self.never_read(*place, uses));
                }
                _ => {}
            }
        }
        doubts.sort_by_key(|(span, ..)| (span.file, span.start));
        for (span, message, help) in doubts {
            self.doubt(span, message, help.to_owned());
        }
    }

    fn type_at(&self, place: Place) -> Option<Type> {
        match place {
            Place::Field(record, at) => {
                let record = &self.told.types.records[record];
                record.fields.get(at).map(|field| field.of.clone())
            }
            Place::Variable(number) => {
                let variable = &self.told.variables[number];
                (variable.kind == VariableKind::Local).then(|| variable.of.clone())
            }
        }
    }

    /// The first one in the files of who wrote the program.
    fn first(&self, spans: &[Span]) -> Option<Span> {
        spans.iter().copied().find(|span| self.is_of_user(*span))
    }

    fn unapplied(&self, table: usize) -> Doubt {
        let table = &self.told.tables[table];
        let message = format!(
            "the table `{}` is never applied: no packet is looked up in it",
            table.name
        );
        (
            table.span,
            message,
            "write `.apply()` behind its name in the `apply` of its control",
        )
    }

    /// A header that never is valid, where others beside it are (§8.18).
    fn never_valid(&self, place: Place, uses: &Uses, all: &AllUses) -> Option<Doubt> {
        let is_one = !uses.is_written && self.has_headers(place);
        if !is_one || !self.others(place, all, |one| one.is_written) {
            return None;
        }
        let message = format!(
            "`{}` is never made valid: its fields hold nothing",
            self.name_of(place)
        );
        let help = "extract it in the parser, or write `.setValid()` in front";
        Some((self.first(&uses.fields)?, message, help))
    }

    /// A header that is taken from packets and not put back, where others beside it are.
    fn never_emitted(&self, place: Place, uses: &Uses, all: &AllUses) -> Option<Doubt> {
        let is_lost = !uses.is_emitted && !uses.is_taken_out && self.has_headers(place);
        if !is_lost || !self.others(place, all, |one| one.is_emitted) {
            return None;
        }
        let message = format!(
            "`{}` is extracted and never emitted: packets lose its bytes",
            self.name_of(place)
        );
        let help = "emit it in the deparser; where it shall go, say so by `.setInvalid()`";
        Some((self.first(&uses.extracted)?, message, help))
    }

    /// It is a header, or a stack of some.
    fn has_headers(&self, place: Place) -> bool {
        let header = |of: &Type| self.told.types.is_record(of, RecordKind::Header);
        match self.type_at(place) {
            Some(Type::Stack(of, _)) => header(&of),
            Some(of) => header(&of),
            None => false,
        }
    }

    /// Of others in the same record this holds.
    fn others(&self, place: Place, all: &AllUses, holds: impl Fn(&Uses) -> bool) -> bool {
        let Place::Field(record, own) = place else {
            return matches!(place, Place::Variable(_));
        };
        let mut fields = all
            .by_place
            .range(Place::Field(record, 0)..=Place::Field(record, usize::MAX));
        fields.any(|(other, uses)| *other != Place::Field(record, own) && holds(uses))
    }

    fn name_of(&self, place: Place) -> String {
        match place {
            Place::Field(record, at) => self.told.types.records[record].fields[at].name.clone(),
            Place::Variable(number) => self.told.variables[number].name.clone(),
        }
    }

    /// What is read and nobody writes.
    fn never_written(&self, place: Place, uses: &Uses) -> Option<Doubt> {
        let can_be_seen = match place {
            Place::Field(record, _) => {
                let record = &self.told.types.records[record];
                record.kind == RecordKind::Struct && self.told.architecture.is_some()
            }
            Place::Variable(_) => true,
        };
        if uses.is_written || !can_be_seen {
            return None;
        }
        let span = self.first(&uses.read)?;
        let message = format!(
            "nothing writes `{}`, which is read here",
            self.text_of(place, span)
        );
        let help = match self.is_architectures(place) {
            true => "the architecture does not set it yet",
            false => "give it a value in front",
        };
        Some((span, message, help))
    }

    /// What is written for the architecture, which does not read it.
    fn never_read(&self, place: Place, uses: &Uses) -> Option<Doubt> {
        if uses.is_read || !self.is_architectures(place) {
            return None;
        }
        let span = self.first(&uses.written)?;
        let text = self.text_of(place, span);
        let message = format!("nothing reads `{text}`: what is written there has no effect");
        let help = match self.name_of(place).as_str() {
            // The first mistake with BMv2's `standard_metadata_t`.
            "egress_port" => "write `egress_spec`, from which the egress port comes",
            _ => "the architecture does nothing with it yet",
        };
        Some((span, message, help))
    }

    /// It, as the program writes it there.
    fn text_of(&self, place: Place, span: Span) -> String {
        let (text, name) = (self.sources.text(span), self.name_of(place));
        match text.ends_with(&name) && !text.contains(char::is_whitespace) && !text.starts_with('(')
        {
            true => text.to_owned(),
            false => name,
        }
    }

    /// A field of a struct that the architecture declares.
    fn is_architectures(&self, place: Place) -> bool {
        match place {
            Place::Field(record, _) => {
                let record = &self.told.types.records[record];
                record.kind == RecordKind::Struct
                    && self.told.architecture.is_some()
                    && !self.is_of_user(record.span)
            }
            Place::Variable(_) => false,
        }
    }
}

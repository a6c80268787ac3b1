//! Sets of values (§8.16), of select expressions and entries.

use super::{Checker, Entity};
use crate::ast::{self, Binary, ExpressionKind};
use crate::typed::{self, Expression, Set};
use crate::types::{RecordKind, Type};

impl<'a> Checker<'a> {
    /// What a select looks at: no header, and nothing that is not compared.
    pub(super) fn selected(&mut self, value: Expression) -> Option<Expression> {
        let is_good = match &value.of {
            Type::Void | Type::Object(..) | Type::Text | Type::List(_) => false,
            Type::Stack(..) | Type::Varbit(_) => false,
            Type::Record(_) => self.types().is_record(&value.of, RecordKind::Struct),
            _ => true,
        };
        if !is_good {
            if let typed::ExpressionKind::Apply(_) = value.kind {
                let message = "a table that is applied gives nothing to choose by";
                let error = self.sources.error("p4-type", value.span, message);
                let help = "by the action that ran: `switch (t.apply().action_run)`";
                self.errors.push(error.help(help));
                return None;
            }
            let message = format!("a select looks at no {}", self.types().text(&value.of));
            let error = self.sources.error("p4-type", value.span, message);
            self.errors.push(match &value.of {
                Type::Record(_) => error.help("choose by a field of it"),
                _ => error,
            });
            return None;
        }
        Some(value)
    }

    /// A set for each of these types; a value set of several values stands alone.
    pub(super) fn sets(&mut self, set: &'a ast::Expression, types: &[Type]) -> Option<Vec<Set>> {
        match (&set.kind, types) {
            (ExpressionKind::Default | ExpressionKind::Any, _) => {
                Some(types.iter().map(|_| Set::All).collect())
            }
            (ExpressionKind::Tuple(parts) | ExpressionKind::List(parts, false), types)
                if parts.len() == types.len() && types.len() > 1 =>
            {
                let parts = parts.iter().zip(types);
                let sets: Vec<_> = parts.map(|(part, of)| self.set(part, of)).collect();
                sets.into_iter().collect()
            }
            (ExpressionKind::Tuple(parts) | ExpressionKind::List(parts, false), [of])
                if parts.len() == 1 && !matches!(of, Type::Record(_) | Type::Tuple(_)) =>
            {
                Some(vec![self.set(&parts[0], of)?])
            }
            (_, [of]) => Some(vec![self.set(set, of)?]),
            _ => {
                if let Some(number) = self.named_set(set) {
                    let of = self.told.value_sets[number].of.clone();
                    if self.leaves(&of) == types {
                        return Some(vec![Set::Named(number)]);
                    }
                }
                let count = match &set.kind {
                    ExpressionKind::Tuple(parts) | ExpressionKind::List(parts, _) => parts.len(),
                    _ => 1,
                };
                let message = format!("{} values are wanted, not {count}", types.len());
                self.refuse("p4-type", set.span, message)
            }
        }
    }

    /// The value set that this names.
    fn named_set(&mut self, set: &ast::Expression) -> Option<usize> {
        let ExpressionKind::Path(path) = &set.kind else {
            return None;
        };
        let mut scopes = self.scopes.iter().rev();
        match scopes.find_map(|scope| scope.get(&path.name.text)) {
            Some((Entity::ValueSet(number), _)) => Some(*number),
            _ => None,
        }
    }

    fn set(&mut self, set: &'a ast::Expression, of: &Type) -> Option<Set> {
        if let Some(number) = self.named_set(set) {
            let holds = self.told.value_sets[number].of.clone();
            // A struct with one field stands for the field.
            if holds == *of || self.leaves(&holds) == [of.clone()] {
                return Some(Set::Named(number));
            }
            let (of, holds) = (self.types().text(of), self.types().text(&holds));
            let message = format!("{of} is wanted, this is a value set of {holds}");
            return self.refuse("p4-type", set.span, message);
        }
        match &set.kind {
            ExpressionKind::Default | ExpressionKind::Any => Some(Set::All),
            ExpressionKind::Binary(Binary::Mask, value, mask) => {
                let of = &self.has_bits(set, of)?;
                let (value, mask) = (self.value_of(value, of), self.value_of(mask, of));
                Some(Set::Mask(value?, mask?))
            }
            ExpressionKind::Binary(Binary::Range, low, high) => {
                let of = &self.has_bits(set, of)?;
                let (low, high) = (self.value_of(low, of), self.value_of(high, of));
                Some(Set::Range(low?, high?))
            }
            _ => Some(Set::One(self.value_of(set, of)?)),
        }
    }

    /// Parts that have no parts themselves.
    fn leaves(&self, of: &Type) -> Vec<Type> {
        let mut all = Vec::new();
        let mut at = 0;
        while let Some(part) = self.types().part(of, at) {
            all.extend(self.leaves(part));
            at += 1;
        }
        match matches!(of, Type::Record(_) | Type::Tuple(_)) {
            true => all,
            false => vec![of.clone()],
        }
    }

    /// Masks and ranges are of numbers: of which, below enums and new types.
    fn has_bits(&mut self, set: &ast::Expression, of: &Type) -> Option<Type> {
        let inner = self.types().number_type(of).clone();
        match inner {
            Type::Bit(_) | Type::Int(_) | Type::Wrong | Type::Parameter(_) => Some(inner),
            _ => {
                let message = format!("there is no range and no mask of {}", self.types().text(of));
                self.refuse("p4-type", set.span, message)
            }
        }
    }
}

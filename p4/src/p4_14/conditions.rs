//! Conditions of controls and of calculated fields (§3.1, §12).

use super::translator::{Scope, Told, Translator};
use super::tree::{Binary, Expression, ExpressionKind, Unary};
use super::values::{common, Around, Text};

impl Translator<'_> {
    /// A condition (§12).
    pub(super) fn condition(
        &mut self,
        value: &Expression,
        scope: &mut Scope,
    ) -> Result<Text, Told> {
        match &value.kind {
            ExpressionKind::Bool(value) => Ok(Text::closed(value.to_string())),
            ExpressionKind::Valid(header) => {
                let header = self.header(header, scope)?;
                Ok(Text::closed(header.validity()))
            }
            ExpressionKind::Unary(Unary::Not, inner) => {
                let inner = self.condition(inner, scope)?;
                Ok(Text::closed(format!("!{}", inner.part())))
            }
            ExpressionKind::Binary(operator @ (Binary::And | Binary::Or), left, right) => {
                let left = self.condition(left, scope);
                let right = self.condition(right, scope)?.part();
                Ok(Text::open(format!(
                    "{} {} {right}",
                    left?.part(),
                    operator.sign()
                )))
            }
            ExpressionKind::Binary(operator, left, right) if is_comparison(*operator) => {
                let own = self.widest(left, scope).max(self.widest(right, scope));
                let around = Around::of(own, None);
                let left = self.part(left, around, scope);
                let right = self.part(right, around, scope)?;
                let left = left?;
                let word = common(&[&left, &right], around);
                let left = self.cast(&left, word, scope).part();
                let right = self.cast(&right, word, scope).part();
                Ok(Text::open(format!("{left} {} {right}", operator.sign())))
            }
            _ => self.error(
                value.span,
                "this is no condition: compare it with something",
            ),
        }
    }
}

fn is_comparison(operator: Binary) -> bool {
    matches!(
        operator,
        Binary::Equal
            | Binary::NotEqual
            | Binary::Less
            | Binary::LessOrEqual
            | Binary::Greater
            | Binary::GreaterOrEqual
    )
}

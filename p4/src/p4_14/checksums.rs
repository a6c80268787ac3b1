//! Calculated fields: the controls in which checksums are verified and updated (§3.1).

use super::translator::{Scope, Told, Translator};
use super::tree::{Calculated, CalculatedField, ExpressionKind};
use super::writer::Writer;

impl Translator<'_> {
    /// `verifyChecksum`, or `computeChecksum`.
    pub(super) fn checksums(&mut self, is_update: bool, writer: &mut Writer) {
        let name = if is_update {
            "computeChecksum"
        } else {
            "verifyChecksum"
        };
        writer.open(&format!(
            "control {name}(inout headers hdr, inout metadata meta) {{"
        ));
        writer.open("apply {");
        for field in &self.program.calculated {
            let uses = field.uses.iter().filter(|one| one.is_update == is_update);
            // Where it fails, an error says why.
            let mut before = Vec::new();
            for one in uses {
                let lines = self.checksum(field, one, &mut before);
                writer.lines(&lines.unwrap_or_default());
            }
        }
        writer.close();
        writer.close();
    }

    /// One use of a calculation. The first one whose condition holds counts, so the conditions of those before must not hold.
    fn checksum(
        &mut self,
        field: &CalculatedField,
        one: &Calculated,
        before: &mut Vec<String>,
    ) -> Result<Vec<String>, Told> {
        let mut scope = Scope::default();
        let ExpressionKind::Field(reference, name) = &field.field.kind else {
            return Err(Told);
        };
        let place = self.place(reference, name, &scope)?;
        if place.is_rest {
            return self.error(
                field.field.span,
                "a field of a length that varies is not calculated (§3.1)",
            );
        }
        let Some(header) = &place.header else {
            return self.error(
                field.field.span,
                "a field of metadata is not calculated (§3.1)",
            );
        };
        let own = match &one.condition {
            Some(condition) => Some(self.condition(condition, &mut scope)?.part()),
            None => None,
        };
        let mut conditions = vec![format!("{header}.isValid()")];
        conditions.extend(before.iter().map(|condition| format!("!{condition}")));
        conditions.extend(
            own.iter()
                .filter(|own| **own != conditions[0])
                .cloned()
                .collect::<Vec<_>>(),
        );
        before.push(own.unwrap_or_else(|| "true".into()));
        let entries = self.input(&one.calculation)?;
        let (algorithm, _) = self.algorithm(&one.calculation)?;
        let verb = if one.is_update { "update" } else { "verify" };
        let rest = if entries.has_payload {
            "_with_payload"
        } else {
            ""
        };
        let mut lines = Vec::new();
        for variant in self.variants(&one.calculation, &entries, &conditions)? {
            let mut all = conditions.clone();
            all.extend(variant.conditions);
            if let Some(list) = variant.text {
                let (when, to) = (all.join(" && "), &place.text);
                lines.push(format!(
                    "{verb}_checksum{rest}({when}, {list}, {to}, {algorithm});"
                ));
            }
        }
        Ok(lines)
    }
}

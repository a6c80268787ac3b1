//! What to call values, so that a reader of the IR and of the hardware recognises the program.

use super::state::Operand;
use super::Lifter;

impl Lifter<'_> {
    /// For what an instruction leaves in a register: the variable that the source line assigns, else the register.
    pub(super) fn result_name(&self, register: u8) -> String {
        assigned_variable(self.source_line())
            .map(str::to_string)
            .unwrap_or_else(|| format!("r{register}"))
    }

    /// For what is loaded from memory: the only field that the source line names, else memory and offset.
    pub(super) fn memory_name(&self, memory: &str, offset: Operand) -> String {
        if let Some(field) = only_field(self.source_line()) {
            return field.to_string();
        }
        match offset {
            Operand::Const(offset) => format!("{memory}_{offset}"),
            Operand::Value(_) => memory.to_string(),
        }
    }

    /// A map's name as an identifier.
    pub(super) fn map_name(&self, map: usize) -> String {
        let name = &self.maps[map].name;
        name.chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect()
    }

    fn source_line(&self) -> &str {
        self.image()
            .and_then(|image| image.places.get(self.slot as usize))
            .map_or("", |place| &place.source)
    }
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// `hash` in `__u32 hash = a ^ b;` and in `hash += c;`.
fn assigned_variable(line: &str) -> Option<&str> {
    let (left, right) = line.split_once('=')?;
    if right.starts_with('=') || left.ends_with(['!', '<', '>']) || left.contains('(') {
        return None;
    }
    let left = left.trim_end_matches(['+', '-', '*', '/', '%', '&', '|', '^', ' ']);
    let last = left
        .rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .next()?;
    let before = left.trim_end_matches(last);
    let is_plain = before.is_empty() || before.ends_with([' ', '*']);
    (is_identifier(last) && is_plain).then_some(last)
}

/// `h_proto` in `if (eth->h_proto == 8)`, `saddr` in `key->from = ip->saddr`; nothing where a line reads several fields.
fn only_field(line: &str) -> Option<&str> {
    let right = match line.split_once('=') {
        Some((left, right)) if !right.starts_with('=') && !left.ends_with(['!', '<', '>']) => right,
        _ => line,
    };
    let read = if right.contains("->") { right } else { line };
    let mut fields = read.match_indices("->").map(|(at, _)| {
        let rest = &read[at + 2..];
        let end = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        &rest[..end]
    });
    let field = fields.next()?;
    (fields.all(|other| other == field) && is_identifier(field)).then_some(field)
}

#[cfg(test)]
mod tests {
    use super::{assigned_variable, only_field};

    #[test]
    fn assigned_variables() {
        assert_eq!(assigned_variable("__u32 hash = a ^ b;"), Some("hash"));
        assert_eq!(assigned_variable("hash += c;"), Some("hash"));
        assert_eq!(assigned_variable("void *data = (void *)x;"), Some("data"));
        assert_eq!(assigned_variable("if (a == b)"), None);
        assert_eq!(assigned_variable("eth->h_proto = 8;"), None);
        assert_eq!(assigned_variable("table[3] = 8;"), None);
        assert_eq!(assigned_variable("return a;"), None);
    }

    #[test]
    fn fields() {
        assert_eq!(only_field("if (eth->h_proto == 8)"), Some("h_proto"));
        assert_eq!(only_field("a->b = c->d;"), Some("d"));
        assert_eq!(only_field("a->b = 7;"), Some("b"));
        assert_eq!(only_field("if (a->b != c->d)"), None);
        let twice = "if (ip->protocol != 6 && ip->protocol != 17)";
        assert_eq!(only_field(twice), Some("protocol"));
        assert_eq!(only_field("x = y;"), None);
    }
}

//! Rules 10 to 12: what is done to which maps.

use super::row::adds;
use super::{At, Check};
use crate::isa::{Action, Operand};
use crate::long::{in_parts, WHOLE_BYTES};
use hardpath_ir::{MapDecl, MapId};

impl Check<'_> {
    pub(super) fn maps(&mut self) {
        let image = self.image;
        for (row, lane, op) in self.operations() {
            let at = At::Lane(row, lane);
            if let Action::Exit { ending, .. } | Action::Send { ending } = op.action {
                let each = ending
                    .each
                    .map(|map| &image.maps[MapId::from_u32(map.into())]);
                if let Some(decl) = each.filter(|decl| !decl.broadcast) {
                    let message = format!("no packet is broadcast through map `{}`", decl.name);
                    self.error(10, at, message);
                }
                continue;
            }
            if let Some(map) = crate::encode::map(&op.action) {
                self.map_action(at, &op.action, &image.maps[MapId::from_u32(map.into())]);
            }
        }
    }

    fn map_action(&mut self, at: At, action: &Action, decl: &MapDecl) {
        let name = &decl.name;
        let reads = matches!(action, Action::Lookup { .. } | Action::MapLoad { .. });
        if !reads && !decl.packets_write {
            self.error(10, at, format!("only the host writes map `{name}`"));
        }
        let is_key = matches!(action, Action::Update { .. } | Action::Delete { .. });
        if is_key && decl.is_ternary() {
            let message = format!("only the host changes the entries of map `{name}`");
            self.error(10, at, message);
        }
        if matches!(action, Action::Update { .. }) && in_parts(decl) {
            let message = format!(
                "values of map `{name}` have {} bytes: more than {WHOLE_BYTES} are stored in parts",
                decl.value_bytes
            );
            self.error(10, at, message);
        }
        match *action {
            Action::Lookup { a, b, .. } | Action::Delete { a, b, .. } => {
                self.given(at, "key", decl.key_bytes, [a, b]);
            }
            Action::Update { a, b, .. } => {
                self.given(at, "key", decl.key_bytes, [a, None]);
                self.given(at, "value", decl.value_bytes, [b, None]);
            }
            Action::MapLoad {
                entry,
                offset,
                bytes,
                ..
            }
            | Action::MapStore {
                entry,
                offset,
                bytes,
                ..
            }
            | Action::Atomic {
                entry,
                offset,
                bytes,
                ..
            } => {
                let (end, has) = (u64::from(offset) + u64::from(bytes), decl.value_bytes);
                if !adds(&entry) && end > has.into() {
                    let message = format!("an access ends at byte {end} of a value that has {has}");
                    self.error(11, at, message);
                }
            }
            _ => {}
        }
    }

    /// Rule 12.
    fn given(&mut self, at: At, what: &str, bytes: u32, words: [Option<Operand>; 2]) {
        let has = bytes.div_ceil(8);
        for (number, word) in (0..).zip(words) {
            if word.is_some() && number >= has {
                let message = format!("word {number} is given of a {what} that has {bytes} bytes");
                self.error(12, at, message);
            }
        }
    }
}

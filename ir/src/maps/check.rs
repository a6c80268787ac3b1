//! What is wrong with entries that are to be put into a map.

use super::store::{longest_prefix, prefix_length, Contents, Store};
use super::Entries;
use crate::count::counted;
use hardpath_diagnostic::Diagnostic;

impl Contents {
    /// What is wrong with entries that are to be put in.
    pub fn check(&self, entries: &Entries) -> Vec<Diagnostic> {
        let decl = &self.decl;
        let place = format!("map {}", decl.name);
        let mut errors = Vec::new();
        let mut report = |code: &'static str, message: String| {
            errors.push(Diagnostic::input(code, message).at(place.clone()));
        };
        let too_many = |count: usize, report: &mut dyn FnMut(&'static str, String)| {
            if count > decl.max_entries as usize {
                report(
                    "map-too-many-entries",
                    format!(
                        "{count} entries are too many for the map, which has room for {}",
                        decl.max_entries
                    ),
                );
            }
        };
        for (key, value) in entries {
            let shown = hex(key);
            if key.len() != decl.entry_key_bytes() as usize {
                report(
                    "map-key-size",
                    format!(
                        "key {shown} has {}, the map's keys have {}",
                        counted(key.len(), "byte"),
                        decl.entry_key_bytes()
                    ),
                );
            } else if decl.is_indexed() && self.index(key).is_none() {
                report(
                    "map-key-range",
                    format!(
                        "key {shown} is outside the map, which has {}",
                        counted(decl.max_entries, "entry")
                    ),
                );
            } else if decl.is_prefix() && prefix_length(key) > longest_prefix(key.len()) {
                report(
                    "map-key-range",
                    format!(
                        "key {shown} has a prefix of {} bits, the map's data has {}",
                        prefix_length(key),
                        longest_prefix(key.len())
                    ),
                );
            }
            if decl.is_ternary()
                && key.len() == decl.entry_key_bytes() as usize
                && !self.can_hold(key)
            {
                report(
                    "map-key-range",
                    format!(
                        "key {shown} has a range that ends before it begins, a prefix with a gap, or, where there are few masks, a priority of more than 24 bits around the middle"
                    ),
                );
            }
            if value.len() != decl.value_bytes as usize {
                report(
                    "map-value-size",
                    format!(
                        "the value of key {shown} has {}, the map's values have {}",
                        counted(value.len(), "byte"),
                        decl.value_bytes
                    ),
                );
            }
        }
        if let Store::Ternary(ternary) = &self.store {
            let fresh = |key: &&Vec<u8>| self.exact(key).is_none();
            too_many(
                ternary.len() + entries.keys().filter(fresh).count(),
                &mut report,
            );
        }
        if let Store::Keyed(keyed) = &self.store {
            let fresh =
                |key: &&Vec<u8>| key.len() == decl.key_bytes as usize && keyed.exact(key).is_none();
            too_many(
                keyed.len() + entries.keys().filter(fresh).count(),
                &mut report,
            );
        }
        errors
    }
}

/// Bytes in memory order, as a reader of a map dump sees them.
fn hex(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.join(" ")
}

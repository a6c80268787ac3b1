//! Tables with fields of all kinds and of one, few and more entries, with ranks and with places.

use crate::Case;
use hardpath_blocks::ternary::{ternary, Match, Ternary};
use serde_json::json;

pub fn cases() -> Vec<Case> {
    let all_kinds = vec![
        (Match::Ternary, 12),
        (Match::Range, 16),
        (Match::Exact, 3),
        (Match::Prefix, 8),
        (Match::Range, 4),
    ];
    let one = vec![(Match::Ternary, 9)];
    let narrow = vec![(Match::Ternary, 4), (Match::Range, 3), (Match::Prefix, 4)];
    let sizes = [
        (all_kinds.clone(), 5, true),
        (all_kinds, 64, false),
        (one, 2, false),
        (narrow, 70, true),
    ];
    let case = |(fields, entries, registers): (Vec<(Match, u32)>, u32, bool)| {
        let config = Ternary {
            name: "block".into(),
            map: "map".into(),
            fields,
            entries,
            masks: None,
            registers,
        };
        let fields = config.fields.iter();
        let names: Vec<_> = fields
            .map(|(kind, bits)| (format!("{kind:?}"), bits))
            .collect();
        let parameters = json!({
            "fields": names,
            "entries": entries,
            "clocks": config.clocks(),
            "prepare_clocks": config.prepare_clocks(),
        });
        Case::new(ternary(&config), parameters)
    };
    sizes.map(case).into()
}

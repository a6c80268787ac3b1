//! Exact keys that only the host writes: a handful, with and without registers, and a table that can be half full.

#[path = "../../parts/around_cuckoo.rs"]
mod around_cuckoo;

use crate::Case;
use around_cuckoo::around;
use hardpath_blocks::cuckoo::{Cuckoo, AGAIN, MOST_MOVES};
use serde_json::json;

pub fn cases() -> Vec<Case> {
    let sizes = [(3, 16, 8, true), (48, 40, 36, false)];
    let case = |(max_entries, key_bits, value_bits, registers)| {
        let config = Cuckoo {
            name: "entries".into(),
            map: "map".into(),
            key_bits,
            value_bits,
            max_entries,
            registers,
        };
        let parameters = json!({
            "max_entries": max_entries,
            "key_bits": key_bits,
            "value_bits": value_bits,
            "clocks": 1 + Cuckoo::answer_clocks(registers),
            "rows": Cuckoo::rows(max_entries),
            "slots": Cuckoo::slots(max_entries),
            "again": AGAIN,
            "most_moves": MOST_MOVES,
        });
        Case {
            modules: around(&config).modules.values().cloned().collect(),
            parameters,
        }
    };
    sizes.map(case).into()
}

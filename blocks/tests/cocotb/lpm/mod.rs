//! Longest prefix match with short and long keys, few and more entries, one or several bits of the length a clock.

use crate::Case;
use hardpath_blocks::lpm::{lpm, Lpm};
use serde_json::json;

pub fn cases() -> Vec<Case> {
    let sizes: [(u32, u32, bool, u32); 3] = [(1, 5, false, 4), (4, 8, true, 1), (16, 3, false, 3)];
    let case = |(data_bytes, max_entries, registers, bits_a_clock)| {
        let config = Lpm {
            name: "block".into(),
            map: "map".into(),
            key_bytes: 4 + data_bytes,
            max_entries,
            registers,
            bits_a_clock,
            bounded: false,
        };
        let parameters = json!({
            "data_bytes": data_bytes,
            "max_entries": max_entries,
            "registers": registers,
            "bits_a_clock": bits_a_clock,
            "prepare_clocks": Lpm::prepare_clocks(config.key_bytes, max_entries),
        });
        Case::new(lpm(&config), parameters)
    };
    sizes.map(case).into()
}

//! Longest prefix match with short and long keys, few and more entries, one or several bits of the length a clock; and in a list of ranges.

use crate::Case;
use hardpath_blocks::lpm::{lpm, Lpm, Search};
use serde_json::json;

pub fn cases() -> Vec<Case> {
    let sizes = [
        (1u32, 5, false, Some(4)),
        (4, 8, true, Some(1)),
        (16, 3, false, Some(3)),
        (4, 9, false, None),
        (2, 4, true, None),
    ];
    let case = |(data_bytes, max_entries, registers, bits_a_clock)| {
        let search = match bits_a_clock {
            Some(bits_a_clock) => Search::Rows { bits_a_clock },
            None => Search::Ranges { apart: registers },
        };
        let config = Lpm {
            name: "block".into(),
            map: "map".into(),
            key_bytes: 4 + data_bytes,
            max_entries,
            registers,
            search,
            bounded: false,
        };
        let parameters = json!({
            "data_bytes": data_bytes,
            "max_entries": max_entries,
            "registers": registers,
            "bits_a_clock": bits_a_clock,
            "clocks": Lpm::clocks(config.key_bytes, max_entries, registers, search),
            "prepare_clocks": Lpm::prepare_clocks(config.key_bytes, max_entries, search),
        });
        Case::new(lpm(&config), parameters)
    };
    sizes.map(case).into()
}

//! Device lists of one entry, of a few and of many.

use crate::Case;
use hardpath_blocks::device_list::{device_list, DeviceList};
use serde_json::json;

pub fn cases() -> Vec<Case> {
    let sizes = [(1, 3, 32), (5, 4, 64), (70, 6, 32)];
    let case = |(entries, flight_bits, value_bits)| {
        let config = DeviceList {
            name: "block".into(),
            map: "devices".into(),
            entries,
            flight_bits,
            value_bits,
        };
        let parameters =
            json!({"entries": entries, "flight_bits": flight_bits, "value_bits": value_bits});
        Case::new(device_list(&config), parameters)
    };
    sizes.map(case).into()
}

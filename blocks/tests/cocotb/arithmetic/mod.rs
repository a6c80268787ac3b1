//! Adders and comparers of several widths.

use crate::Case;
use hardpath_blocks::arithmetic::{adder, comparer};
use serde_json::json;

pub fn cases() -> Vec<Case> {
    let adders = [(1, false), (33, true), (128, false)].map(|(width, subtracts)| {
        let function = if subtracts { "a - b" } else { "a + b" };
        let parameters = json!({"function": function, "width": width});
        Case::new(adder("block", width, subtracts), parameters)
    });
    let comparers = [(1, true), (33, false), (128, true)].map(|(width, or_equal)| {
        let function = if or_equal { "a <= b" } else { "a < b" };
        let parameters = json!({"function": function, "width": width});
        Case::new(comparer("block", width, or_equal), parameters)
    });
    adders.into_iter().chain(comparers).collect()
}

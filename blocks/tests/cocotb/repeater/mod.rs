//! Repeaters with one, two and three lists of several sizes, with and without an index for other packets.

use crate::Case;
use hardpath_blocks::repeater::{repeater, Repeater};
use serde_json::json;

pub fn cases() -> Vec<Case> {
    let sets: [(&[u32], bool); 3] = [(&[1], false), (&[3, 5], true), (&[4, 2, 3], true)];
    let case = |(lists, has_index): (&[u32], bool)| {
        let parameters = json!({"lists": lists, "has_index": has_index});
        let config = Repeater {
            name: "block".into(),
            lists: lists.to_vec(),
            has_index,
        };
        Case::new(repeater(&config), parameters)
    };
    sets.map(case).into()
}

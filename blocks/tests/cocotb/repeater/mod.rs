//! Repeaters with one, two and three lists of several sizes.

use crate::Case;
use hardpath_blocks::repeater::{repeater, Repeater};
use serde_json::json;

pub fn cases() -> Vec<Case> {
    let sets: [(&[u32], u32); 3] = [(&[1], 28), (&[3, 5], 28), (&[4, 2, 3], 0)];
    let case = |(list_bits, exclude_bit): (&[u32], u32)| {
        let lists: Vec<(u32, u32)> = (0x8000_0000..)
            .step_by(2)
            .zip(list_bits.iter().copied())
            .collect();
        let parameters = json!({"lists": lists, "exclude_bit": exclude_bit});
        let config = Repeater {
            name: "block".into(),
            lists,
            exclude_bit,
        };
        Case::new(repeater(&config), parameters)
    };
    sets.map(case).into()
}

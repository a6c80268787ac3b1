//! Interlocks whose window is longer and shorter than the wait for all, and one without such a wait.

use crate::Case;
use hardpath_blocks::interlock::{interlock, Interlock};
use serde_json::json;

pub fn cases() -> Vec<Case> {
    let sizes = [(3, 5, None), (1, 1, Some(6)), (16, 9, Some(4))];
    let case = |(tag_bits, window, waits_for_all)| {
        let config = Interlock {
            name: "block".into(),
            tag_bits,
            window,
            waits_for_all,
        };
        let parameters = json!({"tag_bits": tag_bits, "window": window, "for_all": waits_for_all});
        Case::new(interlock(&config), parameters)
    };
    sizes.map(case).into()
}

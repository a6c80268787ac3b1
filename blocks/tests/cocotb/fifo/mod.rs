//! FIFOs of several widths and depths.

use crate::Case;
use hardpath_blocks::fifo::fifo;
use serde_json::json;

pub fn cases() -> Vec<Case> {
    let sizes = [(1, 2), (9, 4), (64, 32)];
    let case = |(width, depth)| {
        Case::new(
            fifo("block", width, depth),
            json!({"width": width, "depth": depth}),
        )
    };
    sizes.map(case).into()
}

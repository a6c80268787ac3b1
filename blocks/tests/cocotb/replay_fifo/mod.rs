//! Replay FIFOs of several widths and depths.

use crate::Case;
use hardpath_blocks::replay_fifo::replay_fifo;
use serde_json::json;

pub fn cases() -> Vec<Case> {
    let sizes = [(1, 2), (9, 8), (64, 32)];
    let case = |(width, depth)| {
        let block = replay_fifo("block", width, depth);
        Case::new(block, json!({"width": width, "depth": depth}))
    };
    sizes.map(case).into()
}

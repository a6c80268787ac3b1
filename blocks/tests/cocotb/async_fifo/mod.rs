//! FIFOs between two clocks, of several widths and depths, in LUT RAM and in block RAM.

use crate::Case;
use hardpath_blocks::async_fifo::async_fifo;
use hardpath_rtl::MemStyle;
use serde_json::json;

pub fn cases() -> Vec<Case> {
    let sizes = [
        (1, 2, MemStyle::Distributed),
        (9, 4, MemStyle::Block),
        (64, 32, MemStyle::Block),
    ];
    let case = |(width, depth, style)| {
        Case::new(
            async_fifo("block", width, depth, style),
            json!({"width": width, "depth": depth}),
        )
    };
    sizes.map(case).into()
}

//! Copiers for one and for several copies, with all that a copy may have of its own, with some of it and with nothing.

use crate::Case;
use hardpath_blocks::copier::{copier, Copier};
use hardpath_blocks::egress::SentResult;
use hardpath_blocks::moves::{FrontIn, MovesIn};
use hardpath_rtl::signals::Signals;
use serde_json::{json, Map, Value};

pub fn cases() -> Vec<Case> {
    let everything = SentResult {
        result_outputs: Some(7),
        result_class: Some(2),
        result_index: Some(32),
        moves: MovesIn {
            result_from: Some(16),
            result_end: Some(16),
            result_keep: Some(16),
            front: Some(FrontIn {
                result_front: 160,
                result_front_length: Some(16),
            }),
        },
    };
    let some = SentResult {
        result_outputs: Some(64),
        moves: MovesIn::nowhere(),
        ..everything.clone()
    };
    let nothing = SentResult {
        result_outputs: None,
        result_class: None,
        result_index: None,
        moves: MovesIn::nowhere(),
    };
    vec![case(everything, 3), case(some, 1), case(nothing, 6)]
}

fn case(sent: SentResult<u32>, copies: usize) -> Case {
    let mut widths: Map<String, Value> = Map::new();
    sent.clone().map(&mut |name, _, width| {
        widths.insert(name.to_owned(), width.into());
    });
    let config = Copier {
        name: "block".into(),
        sent,
        copies,
    };
    Case::new(
        copier(&config),
        json!({"sent": widths, "copies": config.copies}),
    )
}

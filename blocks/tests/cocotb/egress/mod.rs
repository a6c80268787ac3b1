//! Exits of several widths, with overlays within beats and across them: which are told everything of a packet or nothing, with
//! repeated packets, and with copies that have outputs of their own.

use crate::Case;
use hardpath_blocks::egress::{egress, Egress};
use serde_json::{json, Value};

pub fn cases() -> Vec<Case> {
    vec![
        case(Egress {
            overlays: vec![(0, 12), (60, 8), (70, 1), (120, 140)],
            ..exit(64, 256)
        }),
        case(Egress {
            overlays: vec![(0, 6), (6, 6), (13, 30)],
            repeats: true,
            ..exit(8, 64)
        }),
        case(Egress {
            output_bits: 64,
            drops: false,
            class: Some(0),
            has_index: false,
            may_be_empty: true,
            ..exit(16, 32)
        }),
        case(Egress {
            overlays: vec![(0, 6), (28, 40)],
            output_bits: 0,
            class: Some(2),
            ..exit(32, 64)
        }),
        case(Egress {
            overlays: vec![(0, 20)],
            output_bits: 7,
            drops: false,
            may_be_empty: true,
            repeats: true,
            copies: true,
            ..exit(16, 64)
        }),
    ]
}

fn exit(beat_bytes: u32, frame_depth: u32) -> Egress {
    Egress {
        name: "block".into(),
        beat_bytes,
        frame_depth,
        overlays: Vec::new(),
        output_bits: 3,
        drops: true,
        class: None,
        has_index: true,
        may_be_empty: false,
        repeats: false,
        copies: false,
        cut_through: false,
        end_early: false,
    }
}

fn case(config: Egress) -> Case {
    let mut parameters = parameters(&config);
    parameters["has_address"] = config.repeats.into();
    parameters["waiting"] = 0.into();
    Case::new(egress(&config), parameters)
}

/// What the tests of all exits must know.
pub fn parameters(config: &Egress) -> Value {
    json!({
        "beat": config.beat_bytes,
        "frame_depth": config.frame_depth,
        "overlays": config.overlays,
        "output_bits": config.output_bits,
        "drops": config.drops,
        "class": config.class,
        "has_index": config.has_index,
        "may_be_empty": config.may_be_empty,
        "repeats": config.repeats,
        "copies": config.copies,
    })
}

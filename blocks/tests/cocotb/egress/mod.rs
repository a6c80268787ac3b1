//! Exits of several widths, with overlays within beats and across them, with copies, and raw.

use crate::Case;
use hardpath_blocks::egress::{egress, Egress};
use serde_json::json;

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
            verdict_bits: 64,
            has_destination: false,
            ..exit(16, 32)
        }),
    ]
}

fn exit(beat_bytes: u32, frame_depth: u32) -> Egress {
    Egress {
        name: "block".into(),
        beat_bytes,
        frame_depth,
        overlays: Vec::new(),
        verdict_bits: 3,
        has_destination: true,
        repeats: false,
    }
}

fn case(config: Egress) -> Case {
    let parameters = json!({
        "beat": config.beat_bytes,
        "frame_depth": config.frame_depth,
        "overlays": config.overlays,
        "raw": config.verdict_bits == 64,
        "has_destination": config.has_destination,
        "repeats": config.repeats,
        "has_address": config.repeats,
        "waiting": 0,
        "word_bits": 0,
    });
    Case::new(egress(&config), parameters)
}

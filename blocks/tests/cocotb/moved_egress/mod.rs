//! Exits that move: few places and any place, before and behind offset 0, with metadata, cut and grown tails, copies.

use crate::Case;
use hardpath_blocks::egress::Egress;
use hardpath_blocks::interface::METADATA_WORD_BITS;
use hardpath_blocks::moved_egress::moved_egress;
use hardpath_blocks::moves::Moves;
use hardpath_rtl::signals::Signals;
use serde_json::json;

/// So many clocks after `m_axis` is free again the exit reads on at the latest.
const WAITING: u32 = 4;

pub fn cases() -> Vec<Case> {
    let moves = |heads: &[i32], metas: &[i32]| Moves {
        heads: Some(heads.to_vec()),
        metas: Some(metas.to_vec()),
        has_end: false,
        grows: false,
    };
    vec![
        case(64, false, moves(&[-20, 0], &[0])),
        case(
            64,
            false,
            Moves {
                has_end: true,
                ..moves(&[14, 34], &[0])
            },
        ),
        case(
            16,
            false,
            Moves {
                has_end: true,
                grows: true,
                ..moves(&[-100, 3], &[0, 8])
            },
        ),
        case(
            8,
            true,
            Moves {
                heads: None,
                metas: None,
                has_end: true,
                grows: true,
            },
        ),
    ]
}

fn case(beat_bytes: u32, repeats: bool, moves: Moves) -> Case {
    let config = Egress {
        name: "block".into(),
        beat_bytes,
        frame_depth: 64,
        overlays: vec![(-216, 3), (-60, 40), (-20, 20), (0, 14), (30, 7), (60, 30)],
        verdict_bits: 3,
        has_destination: true,
        repeats,
    };
    let ports = moves.widths().names();
    let parameters = json!({
        "beat": config.beat_bytes,
        "frame_depth": config.frame_depth,
        "overlays": config.overlays,
        "raw": false,
        "has_destination": config.has_destination,
        "repeats": config.repeats,
        "has_address": true,
        "waiting": WAITING,
        "word_bits": if moves.has_metadata() { METADATA_WORD_BITS } else { 0 },
        "heads": moves.heads,
        "metas": moves.metas,
        "has_end": moves.has_end,
        "grows": moves.grows,
        "ports": ports,
        "more_clocks": moves.more_clocks(),
    });
    Case::new(moved_egress(&config, &moves), parameters)
}

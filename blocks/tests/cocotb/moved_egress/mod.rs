//! Exits that move: few places and any place, before and behind offset 0, with bytes in front, with cut and grown tails, with
//! repeated packets, and with copies that are moved each in a way of its own.

use crate::{egress, Case};
use hardpath_blocks::egress::Egress;
use hardpath_blocks::moved_egress::moved_egress;
use hardpath_blocks::moves::{Fronts, Moves};
use hardpath_rtl::signals::Signals;
use serde_json::json;

/// So many clocks after `m_axis` is free again the exit reads on at the latest.
const WAITING: u32 = 4;

/// A way in which packets are moved.
struct Kind<'a> {
    /// Where a packet begins, with nothing in front; none: anywhere.
    starts: &'a [i32],
    /// So many bytes may be in front.
    fronts: &'a [u32],
    has_end: bool,
    grows: bool,
}

pub fn cases() -> Vec<Case> {
    let moves = |starts, fronts| Kind {
        starts,
        fronts,
        has_end: false,
        grows: false,
    };
    let any: Vec<u32> = (0..=40).collect();
    vec![
        case(exit(64), moves(&[-20, 0], &[0])),
        case(
            exit(64),
            Kind {
                has_end: true,
                ..moves(&[14, 34], &[0])
            },
        ),
        case(
            exit(16),
            Kind {
                has_end: true,
                grows: true,
                ..moves(&[-108, -100, -5, 3], &[0])
            },
        ),
        case(
            Egress {
                repeats: true,
                ..exit(8)
            },
            Kind {
                has_end: true,
                grows: true,
                ..moves(&[], &[0])
            },
        ),
        case(exit(64), moves(&[0, 14], &[20])),
        case(
            Egress {
                output_bits: 0,
                class: Some(1),
                ..exit(32)
            },
            Kind {
                has_end: true,
                ..moves(&[-4, 40], &[0, 8, 70])
            },
        ),
        case(
            Egress {
                output_bits: 33,
                drops: false,
                repeats: true,
                copies: true,
                ..exit(16)
            },
            Kind {
                has_end: true,
                grows: true,
                ..moves(&[], &any)
            },
        ),
    ]
}

fn exit(beat_bytes: u32) -> Egress {
    Egress {
        name: "block".into(),
        beat_bytes,
        frame_depth: 64,
        overlays: vec![(-216, 3), (-60, 40), (-20, 20), (0, 14), (30, 7), (60, 30)],
        output_bits: 3,
        drops: true,
        class: None,
        has_index: true,
        may_be_empty: false,
        repeats: false,
        copies: false,
        cut_through: false,
        end_early: beat_bytes != 64,
    }
}

impl Kind<'_> {
    fn moves(&self) -> Moves {
        let mut firsts = Vec::new();
        for start in self.starts {
            firsts.extend(self.fronts.iter().map(|front| start - *front as i32));
        }
        firsts.sort();
        firsts.dedup();
        let most = self.fronts.iter().copied().max().unwrap_or(0);
        Moves {
            firsts: (!firsts.is_empty()).then_some(firsts),
            has_end: self.has_end,
            grows: self.grows,
            front: (most > 0).then_some(Fronts {
                bytes: most,
                length: (self.fronts.len() == 1).then_some(most),
            }),
        }
    }
}

fn case(config: Egress, kind: Kind) -> Case {
    let moves = kind.moves();
    let mut parameters = egress::parameters(&config);
    let own = json!({
        "has_address": true,
        "waiting": WAITING,
        "starts": kind.starts,
        "fronts": kind.fronts,
        "has_end": kind.has_end,
        "grows": kind.grows,
        "ports": moves.widths().names(),
        "more_clocks": moves.more_clocks(),
    });
    for (name, value) in own.as_object().into_iter().flatten() {
        parameters[name] = value.clone();
    }
    Case::new(moved_egress(&config, &moves), parameters)
}

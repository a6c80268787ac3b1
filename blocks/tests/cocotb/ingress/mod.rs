//! Entrances of several widths, windows, frame FIFOs and credits, with all side inputs, some and none.

use crate::Case;
use hardpath_blocks::ingress::{ingress, Ingress, MARGIN};
use serde_json::json;

pub fn cases() -> Vec<Case> {
    vec![
        case(Ingress {
            has_time: true,
            has_random: true,
            has_egress: true,
            has_port: true,
            own_bits: 39,
            has_own: true,
            longest: 9216,
            ..entrance(64, 1, 256)
        }),
        case(Ingress {
            own_bits: 3,
            tells_flight: true,
            clears_window: true,
            ..entrance(8, 3, 64)
        }),
        case(Ingress {
            has_sum: true,
            has_port: true,
            ..entrance(64, 1, 32)
        }),
        case(Ingress {
            shortest: 0,
            longest: 256,
            has_sum: true,
            has_time: true,
            has_port: true,
            clears_window: true,
            ..entrance(32, 2, 32)
        }),
    ]
}

fn entrance(beat_bytes: u32, window_beats: u32, frame_depth: u32) -> Ingress {
    Ingress {
        name: "block".into(),
        beat_bytes,
        window_beats,
        frame_depth,
        credits: 16,
        shortest: 14,
        longest: 201,
        has_time: false,
        has_random: false,
        has_egress: false,
        has_sum: false,
        has_port: false,
        own_bits: 0,
        has_own: false,
        tells_flight: false,
        clears_window: false,
        ahead: None,
    }
}

fn case(config: Ingress) -> Case {
    let sides = [
        ("time_ns", config.has_time),
        ("random", config.has_random),
        ("egress", config.has_egress),
    ];
    let sides: Vec<&str> = sides
        .iter()
        .filter_map(|(name, has)| has.then_some(*name))
        .collect();
    let parameters = json!({
        "beat": config.beat_bytes,
        "window": config.window_beats * config.beat_bytes,
        "frame_depth": config.frame_depth,
        "credits": config.credits,
        "margin": config.margin(),
        "waits": config.margin() - MARGIN,
        "has_sum": config.has_sum,
        "shortest": config.shortest,
        "longest": config.longest,
        "sides": sides,
        "has_port": config.has_port,
        "own_bits": config.own_bits,
        "has_own": config.has_own,
        "tells_flight": config.tells_flight,
        "clears_window": config.clears_window,
    });
    Case::new(ingress(&config), parameters)
}

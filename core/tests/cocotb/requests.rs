//! What packets ask of maps.

use crate::{bits_of_words, hold, Case};
use hardpath_core::encode::layout;
use hardpath_core::hardware::processor::exits::words;
use hardpath_core::hardware::processor::requests::{requests, LOGGED};
use hardpath_core::hardware::processor::{Processor, FETCH};
use hardpath_core::image::Machine;
use hardpath_ir::{Find, MapDecl};
use hardpath_rtl::Design;
use serde_json::json;

/// Two maps that packets change, and one of sums that nobody reads. `key_bytes`: those of the keys of the map that stands in the first slot.
fn case(threads: u8, key_bytes: u32) -> Case {
    let mut config = Processor::new("core", &Machine::with_lanes(2), threads);
    config.slots = vec![
        MapDecl::new("sessions", Find::Exact, (12, 8), 8),
        MapDecl::new("table", Find::Array, (4, 12), 8),
        MapDecl::new("sums", Find::Array, (4, 8), 4),
    ];
    let bits = [
        ("opcode", layout::OPCODE),
        ("a_kind", layout::A_KIND),
        ("b_kind", layout::B_KIND),
        ("to", layout::TO),
        ("has_to", layout::HAS_TO),
        ("map", layout::MAP),
        ("hit", layout::HIT),
        ("may", layout::MAY),
        ("has_may", layout::HAS_MAY),
        ("atomic", layout::ATOMIC),
        ("map_offset", layout::MAP_OFFSET),
        ("bytes", layout::BYTES),
        ("put_at", layout::PUT_AT),
        ("buffer", layout::BUFFER),
    ];
    let mut design = Design::new();
    let block = requests(&mut design, &config);
    let top = block.module.name.clone();
    design.add(block);
    Case {
        name: format!("requests-{threads}-{key_bytes}"),
        design,
        top,
        parameters: json!({
            "threads": threads,
            "key_bytes": key_bytes,
            "fetch": FETCH,
            "logged": LOGGED,
            "exit_words": words(&config),
            "layout": bits_of_words(&bits),
        }),
    }
}

#[test]
fn maps_are_as_if_packets_came_one_at_a_time() {
    hold("requests", 9, vec![case(4, 12), case(16, 8)]);
}

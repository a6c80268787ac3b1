//! How packets leave.

use crate::{bits_of_words, hold, Case};
use hardpath_core::encode::layout;
use hardpath_core::hardware::processor::exits::{exits, words};
use hardpath_core::hardware::processor::Processor;
use hardpath_core::image::Machine;
use hardpath_core::isa::exit;
use hardpath_ir::{Find, MapDecl};
use hardpath_packet::Output;
use hardpath_rtl::Design;
use serde_json::json;

/// `copies`: so many further ones of a packet. `lists`: entries of the maps through which packets are broadcast.
fn case(name: &str, threads: u8, copies: u8, lists: &[u32]) -> Case {
    let mut config = Processor::new("core", &Machine::with_lanes(2), threads);
    config.copies = copies;
    config.slots = vec![MapDecl::new("table", Find::Array, (4, 4), 2)];
    config.slots.extend(lists.iter().map(|entries| MapDecl {
        broadcast: true,
        ..MapDecl::new("devices", Find::Array, (4, 4), *entries)
    }));
    config.outputs = [3, 64].map(output).into();
    let mut design = Design::new();
    let block = exits(&mut design, &config);
    let top = block.module.name.clone();
    design.add(block);
    let bits = [
        ("opcode", layout::OPCODE),
        ("b_kind", layout::B_KIND),
        ("target", layout::TARGET),
        ("forwarded", layout::FORWARDED),
        ("has_outputs", layout::HAS_OUTPUTS),
        ("way", layout::WAY),
        ("has_each", layout::HAS_EACH),
        ("map", layout::MAP),
        ("leaving", layout::LEAVING),
        ("outputs", layout::OUTPUTS),
    ];
    Case {
        name: format!("exits-{name}"),
        design,
        top,
        parameters: json!({
            "threads": threads,
            "copies": copies,
            "lists": lists,
            "words": words(&config),
            "numbers": { "way": exit::WAY, "leaving": exit::LEAVING, "flags": exit::FLAGS, "outputs": exit::OUTPUTS, "front": exit::FRONT },
            "output_bits": config.output_bits(),
            "rows": config.machine.rows,
            "layout": bits_of_words(&bits),
        }),
    }
}

fn output(width: u32) -> Output {
    Output {
        name: format!("bits_{width}"),
        width,
        values: Vec::new(),
    }
}

#[test]
fn packets_leave_as_their_programs_say() {
    let cases = [
        case("plain", 4, 0, &[]),
        case("copies", 4, 3, &[]),
        case("broadcast", 2, 0, &[4]),
        case("all", 4, 3, &[4, 6]),
    ];
    hold("exits", 4, cases.into());
}

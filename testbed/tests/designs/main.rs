//! Designs made for these tests, under every engine.

mod engines;
mod protocol;
mod raw;
mod tools;
mod toy;

use hardpath_diagnostic::Diagnostic;
use hardpath_packet::Packet;
use hardpath_testbed::verilator::{Verilator, VerilatorOptions};

/// A deterministic packet: `data[0]` chooses what the toy design does with it.
fn packet(first: u8, length: usize, salt: u32) -> Packet {
    let mut data: Vec<u8> = (0..length)
        .map(|i| {
            (i as u32)
                .wrapping_mul(31)
                .wrapping_add(salt.wrapping_mul(7)) as u8
        })
        .collect();
    if let Some(byte) = data.first_mut() {
        *byte = first;
    }
    Packet {
        data,
        port: (salt % 16) as u8,
        queue: (salt % 1000) as u16,
        time_ns: u64::from(salt) * 1_000_003,
        random: salt.wrapping_mul(0x9e37_79b9),
        own: 0,
        egress: 0,
        bad: false,
    }
}

/// The design under Verilator; `None` and a note where it is not installed, unless `HARDPATH_REQUIRE_TOOLS` is set.
fn verilator(design: &hardpath_rtl::Design) -> Option<Verilator> {
    let options = VerilatorOptions {
        cxx_optimization: 1,
        ..VerilatorOptions::default()
    };
    match Verilator::new(design, &options) {
        Ok(dut) => Some(dut),
        Err(error)
            if is_missing(&error) && std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_none() =>
        {
            println!("note: not run under Verilator: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn is_missing(error: &Diagnostic) -> bool {
    matches!(error.code, "verilator-missing" | "compiler-missing")
}

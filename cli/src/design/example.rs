//! The packets of the test bench that a design comes with: a few of generated traffic.

use crate::engine;
use crate::packets::Packet;
use hardpath_ir::interpreter::PacketContext;
use hardpath_ir::{Diagnostic, Program};
use hardpath_pipeline::Compiled;
use hardpath_testbed::traffic::{generate, Size, TrafficOptions};

const PACKETS: usize = 8;

/// Stimuli and what the native simulator answers to them.
pub fn example(program: &Program, compiled: &Compiled) -> Result<String, Diagnostic> {
    let traffic = generate(&TrafficOptions {
        packets: PACKETS,
        flows: 4,
        size: Size::Imix,
        both_directions: true,
        ..TrafficOptions::default()
    })?;
    let packets = traffic.into_iter().enumerate();
    let packets: Vec<Packet> = packets
        .map(|(index, captured)| Packet {
            capture: 0,
            number: index + 1,
            data: captured.data,
            captured_ns: captured.time_ns,
            context: PacketContext {
                time_ns: captured.time_ns,
                ingress_ifindex: 1,
                ..PacketContext::default()
            },
        })
        .collect();
    engine::record(program, compiled, &packets)
}

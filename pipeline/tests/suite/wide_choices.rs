//! Conditions of wide choices stand in registers where the wires from their logic would be long.

use crate::read;
use hardpath_pipeline::technology::{Technology, ECP5, ULTRASCALE_PLUS};
use hardpath_pipeline::{compile, Options};

/// Stages of a program that adds twice and compares, and then chooses among so many bits of the packet.
fn stages(technology: &'static Technology, bits: u32) -> u32 {
    let text = format!(
        "program \"choice\" control-flow\noutput \"verdict\" 32

block0:
    v0:64 = const 0
    v1:64 = const 16
    v2:16 = packet.load v0
    v3:16 = packet.load v1
    v4:16 = add v2, v3
    v5:16 = add v4, v2
    v6:1 = ult v5, v3
    v10:{bits} = packet.load v0
    v11:{bits} = packet.load v1
    v12:{bits} = select v6, v10, v11
    packet.store v0, v12
    v13:1 = const 1
    v14:32 = const 0
    emit v13 with v14
"
    );
    let options = Options {
        technology,
        clock_mhz: technology.usual_clock_mhz,
        bus_bits: 128,
        ..Options::default()
    };
    let compiled = compile(read(&text), &options).unwrap_or_else(|errors| panic!("{}", errors[0]));
    compiled.report.stages
}

#[test]
fn conditions_of_wide_choices_are_registered() {
    assert_eq!(stages(&ECP5, 128), stages(&ECP5, 32) + 1);
    assert_eq!(stages(&ULTRASCALE_PLUS, 128), stages(&ULTRASCALE_PLUS, 32));
}

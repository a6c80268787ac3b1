//! Conditions of wide choices stand in registers where the wires from their logic would be long.

use crate::read;
use hardpath_pipeline::delay::Timing;
use hardpath_pipeline::report::Report;
use hardpath_pipeline::technology::{Technology, ECP5, ULTRASCALE_PLUS};
use hardpath_pipeline::{compile, Options};

/// A program that adds, adds, compares numbers of so many bits, and then chooses among so many bits of the packet.
fn report(technology: &'static Technology, clock_mhz: f64, numbers: u32, bits: u32) -> Report {
    let text = format!(
        "program \"choice\" control-flow\noutput \"verdict\" 32

block0:
    v0:64 = const 0
    v1:64 = const 16
    v2:{numbers} = packet.load v0
    v3:{numbers} = packet.load v1
    v4:{numbers} = add v2, v3
    v5:{numbers} = add v4, v2
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
        clock_mhz,
        bus_bits: 128,
        ..Options::default()
    };
    let compiled = compile(read(&text), &options).unwrap_or_else(|errors| panic!("{}", errors[0]));
    compiled.report
}

#[test]
fn conditions_of_wide_choices_are_registered() {
    let stages = |technology: &'static Technology, bits: u32| {
        report(technology, technology.usual_clock_mhz, 16, bits).stages
    };
    assert_eq!(stages(&ECP5, 128), stages(&ECP5, 32) + 1);
    assert_eq!(stages(&ULTRASCALE_PLUS, 128), stages(&ULTRASCALE_PLUS, 32));
}

/// A compare of 64 bits and a long wire are more than a clock; a compare and a register are not.
#[test]
fn a_condition_may_take_a_whole_clock() {
    let timing = Timing {
        technology: &ECP5,
        clock_mhz: 119.0,
    };
    let report = report(timing.technology, timing.clock_mhz, 64, 128);
    assert!(report.levels <= timing.budget(), "{}", report.levels);
}

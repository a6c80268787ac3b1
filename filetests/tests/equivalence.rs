//! What comes out of each step means what went in: the interpreter runs every program below `cases/` before and after,
//! on random packets, with maps that stay from packet to packet.

use hardpath_filetests::case;
use hardpath_ir::{Phase, Program};
use hardpath_pipeline::technology::{ECP5, ULTRASCALE_PLUS};
use hardpath_pipeline::{compile, dataflow, predicate, Options};
use hardpath_testkit::{assert_same, Random};

/// Packets for each program.
const PACKETS: u32 = 600;

fn keeps(before: &Program, after: &Program, what: &str) {
    assert_same(before, after, &mut Random::new(1), PACKETS, what);
}

#[test]
fn every_step_keeps_the_meaning() {
    let mut compared = 0;
    for case in case::all() {
        let (what, program) = (&case.name, case.program());
        if program.phase != Phase::ControlFlow {
            continue;
        }
        // As it stands only when the packet is stored at the exits.
        let mut flow = program.clone();
        if hardpath_passes::optimize_control_flow(&mut flow).is_err() {
            continue;
        }
        keeps(
            &program,
            &predicate::predicate(&flow),
            &format!("{what}, predicate"),
        );
        let Ok(words) = dataflow(&flow) else {
            continue;
        };
        keeps(&program, &words, &format!("{what}, dataflow"));
        let clocks = [50.0, 250.0, 400.0].map(|mhz| (&ULTRASCALE_PLUS, mhz));
        for (technology, clock_mhz) in clocks.into_iter().chain([(&ECP5, 75.0)]) {
            let options = Options {
                clock_mhz,
                bus_bits: 512,
                technology,
                ..Options::default()
            };
            if let Ok(compiled) = compile(program.clone(), &options) {
                let what = format!("{what}, scheduled for {clock_mhz} MHz");
                keeps(&program, &compiled.scheduled, &what);
                compared += 1;
            }
        }
    }
    assert!(compared > 400, "{compared} schedules compared");
}

//! What comes out of each step means what went in: the interpreter runs every program of the folder before and after,
//! on random packets, with maps that stay from packet to packet.

use crate::files;
use hardpath_ir::interpreter::Prepared;
use hardpath_ir::maps::Maps;
use hardpath_ir::{verdict, Phase, Program};
use hardpath_packet::Sideband;
use hardpath_pipeline::technology::{ECP5, ULTRASCALE_PLUS};
use hardpath_pipeline::{compile, dataflow, predicate, Options};
use hardpath_testkit::Random;

/// Packets for each program.
const PACKETS: u32 = 600;

/// Panics at the first packet that both programs treat differently, or at different maps in the end.
fn assert_same(before: &Program, after: &Program, what: &str) {
    let mut random = Random::new(1);
    let mut maps = (Maps::new(&before.maps), Maps::new(&after.maps));
    let mut run = (Prepared::new(before), Prepared::new(after));
    for number in 0..PACKETS {
        let keys = [1, 4, 300][number as usize / 40 % 3];
        let mut packet: Vec<u8> = (0..64).map(|_| random.next() as u8).collect();
        for offset in [0, 4] {
            let key = random.below(keys) as u32;
            packet[offset..offset + 4].copy_from_slice(&key.to_le_bytes());
        }
        packet[16] = random.below(8) as u8;
        let context = Sideband {
            ingress: random.below(4) as u32,
            queue: random.below(4) as u32,
            egress: 0,
            time_ns: random.next(),
            random: random.next() as u32,
        };
        let mut fate = run.0.run(&mut maps.0, &packet, &context);
        fate.verdict = verdict::effective(fate.verdict);
        let expected = (fate, run.0.left_behind());
        let fate = run.1.run(&mut maps.1, &packet, &context);
        let found = (fate, run.1.left_behind());
        assert_eq!(
            expected, found,
            "{what}, packet {number} {packet:02x?}\n{before}\n{after}"
        );
    }
    assert_eq!(
        maps.0.image(),
        maps.1.image(),
        "{what}: maps\n{before}\n{after}"
    );
}

#[test]
fn every_step_keeps_the_meaning() {
    let mut compared = 0;
    for (path, text, _) in files::all() {
        let what = path.display().to_string();
        let program = files::read(&text);
        if program.phase != Phase::ControlFlow {
            continue;
        }
        // As it stands only when the packet is stored at the exits.
        let mut flow = program.clone();
        hardpath_passes::optimize_control_flow(&mut flow).expect("nothing to refuse");
        assert_same(
            &program,
            &predicate::predicate(&flow),
            &format!("{what}, predicate"),
        );
        let Ok(words) = dataflow(&flow) else {
            continue;
        };
        assert_same(&program, &words, &format!("{what}, dataflow"));
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
                assert_same(&program, &compiled.scheduled, &what);
                compared += 1;
            }
        }
    }
    assert!(compared > 20, "{compared} schedules compared");
}

//! Random programs of the IR through every phase of compilation and the native simulator, beside the interpreter: what no
//! program of the kernel's instruction set comes to, in values of any width.

use hardpath_fuzz::hardware::{Hardware, DEPTHS, USUAL_CLOCK_MHZ, USUAL_FAMILY};
use hardpath_fuzz::trial::run_program;
use hardpath_fuzz::Outcome;
use hardpath_packet::Packet;
use hardpath_testkit::programs::{control_flow, Shape};
use hardpath_testkit::{assert_valid, Random};
use std::collections::BTreeMap;

#[test]
fn programs_become_hardware() {
    let full = std::env::var_os("HARDPATH_FULL").is_some();
    let programs = if full { 2000 } else { 60 };
    let mut built = 0;
    let mut refused = BTreeMap::new();
    for number in 0..programs {
        let mut random = Random::new(number);
        let shape = Shape {
            operations: 1 + random.below(12),
            memory: random.below(2) == 0,
            maps: random.below(2) == 0,
            logic: random.below(4) == 0,
            ..Shape::default()
        };
        let program = control_flow(&mut random, shape);
        assert_valid(&program, "generated");
        let hardware = Hardware {
            bus_bits: *random.pick(&[64, 512]),
            clock_mhz: *random.pick(&[100, USUAL_CLOCK_MHZ]),
            family: USUAL_FAMILY,
            depth: None,
            gaps: (random.below(4) == 0).then_some(number),
            backpressure: (random.below(4) == 0).then_some(number),
            reset: (random.below(4) == 0).then_some(number as u32),
            host: (random.below(3) == 0).then_some(number),
            own_core: false,
        };
        let packets: Vec<Packet> = (0..30).map(|_| packet(&mut random)).collect();
        match run_program(&program, &packets, hardware) {
            Outcome::Same { .. } => built += 1,
            Outcome::Refused { reason, .. } => *refused.entry(reason.code).or_insert(0) += 1,
            other => panic!("program {number}: {other:?}\n{program}"),
        }
    }
    println!("{built} of {programs} built, refused: {refused:?}");
    assert!(
        built * 2 > programs,
        "{built} of {programs} built: {refused:?}"
    );
}

/// Long enough for every access.
fn packet(random: &mut Random) -> Packet {
    let length = DEPTHS[0] as u64 + random.below(60);
    let few = random.below(4) == 0;
    let byte = |random: &mut Random| match few {
        true => random.byte() & 1,
        false => random.byte(),
    };
    Packet {
        data: (0..length).map(|_| byte(random)).collect(),
        port: random.below(3) as u8,
        time_ns: random.interesting(64),
        random: random.next() as u32,
        ..Packet::default()
    }
}

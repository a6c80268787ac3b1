//! Random programs with maps become hardware and run beside the interpreter. Some touch a map in a way that is refused;
//! what is not refused must be right.

use crate::generator::generate;
use hardpath_filetests::hardware::{Hardware, Manner};
use hardpath_filetests::traffic::events;
use hardpath_ir::maps::Maps;
use hardpath_ir::verifier;
use hardpath_packet::Packet;
use hardpath_testbed::pace::Pace;
use hardpath_testkit::Random;

/// `SEED=7` runs other programs, the number of a program that one alone; `HARDPATH_FULL=1` many more.
fn numbers() -> std::ops::Range<u64> {
    let seed: u64 = std::env::var("SEED").map_or(1, |seed| seed.parse().expect("SEED is a number"));
    if seed >= 1_000_000 {
        return seed..seed + 1;
    }
    let count = if std::env::var_os("HARDPATH_FULL").is_some() {
        3000
    } else {
        120
    };
    seed * 1_000_000..seed * 1_000_000 + count
}

#[test]
fn random_programs_with_maps() {
    let mut built = 0;
    let mut refused = std::collections::BTreeMap::new();
    for number in numbers() {
        // Shown when this one fails.
        println!("program {number}");
        let program = generate(&mut Random::new(number));
        if let Err(errors) = verifier::verify(&program) {
            panic!("{}\n{program}", errors[0]);
        }
        let bus_bits = if number % 4 == 0 { 64 } else { 512 };
        let clock_mhz = [250.0, 250.0, 400.0, 75.0][(number / 4 % 4) as usize];
        match Hardware::of(program, bus_bits, clock_mhz) {
            Ok(mut hardware) => {
                built += 1;
                run(&mut hardware, number);
            }
            Err(errors) => *refused.entry(errors[0].code).or_insert(0) += 1,
        }
    }
    println!("{built} built, refused: {refused:?}");
    assert!(
        built * 2 > numbers().count(),
        "{built} built, refused: {refused:?}"
    );
}

fn run(hardware: &mut Hardware, number: u64) {
    let mut random = Random::new(number);
    let interface = hardware.interface().clone();
    let mut maps = Maps::new(&hardware.program.maps);
    for manner in [
        Manner {
            pace: Pace::BackToBack,
            backpressure: None,
        },
        Manner {
            pace: Pace::Random(number),
            backpressure: Some(number),
        },
    ] {
        let packets: Vec<Packet> = (0..150).map(|at| packet(&mut random, at)).collect();
        let beside = events(&mut random, &interface, packets.len(), 8);
        hardware.check(&mut maps, &packets, &beside, manner);
    }
}

/// Bytes of a kind that programs decide on; long enough for every access.
fn packet(random: &mut Random, at: u64) -> Packet {
    let length = 64 + random.below(80);
    let sparse = random.below(3);
    let byte = |random: &mut Random| match sparse {
        0 => random.next() as u8 & 1,
        1 => random.next() as u8 & 3,
        _ => random.next() as u8,
    };
    Packet {
        data: (0..length).map(|_| byte(random)).collect(),
        port: random.below(16) as u8,
        queue: random.below(4) as u16,
        time_ns: at * random.below(100),
        random: random.next() as u32,
        own: random.next(),
        egress: 0,
        bad: random.below(20) == 0,
    }
}

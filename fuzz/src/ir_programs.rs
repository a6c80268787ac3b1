//! Random programs of the IR, with loops, functions and values of any width: what no instruction set comes to. The interpreter judges.

use crate::code::Code;
use crate::hardware::Hardware;
use crate::packets::{PORTS, SHORTEST};
use crate::random;
use crate::trial::{Failure, Subject};
use hardpath_ir::maps::Image;
use hardpath_ir::Program;
use hardpath_packet::Packet;
use hardpath_testkit::programs::{control_flow, structured, Shape};
use hardpath_testkit::Random;
use std::fmt::Write;

/// Of so many programs for a core one is no program of the kernel, but one of the IR: those whose seeds are multiples of this.
pub const EVERY: u64 = 4;

/// A program and its packets; the same seed gives the same ones.
pub fn subject(seed: u64, packets: u32) -> (Program, Subject) {
    let mut random = Random::new(seed);
    let program = match random.below(2) {
        0 => structured(&mut random),
        _ => {
            let shape = Shape {
                operations: 1 + random.below(20),
                memory: random.below(2) == 0,
                maps: random.below(2) == 0,
                logic: random.below(3) == 0,
                divisions: random.below(3) == 0,
                ..Shape::default()
            };
            control_flow(&mut random, shape)
        }
    };
    let subject = Subject {
        code: Code::default(),
        image: Image::new(),
        packets: (0..packets).map(|_| packet(&mut random)).collect(),
        hardware: Hardware {
            depth: None,
            ..Hardware::generate(seed / EVERY, &mut random::Random::new(seed, 1))
        },
    };
    (program, subject)
}

fn packet(random: &mut Random) -> Packet {
    let length = SHORTEST as u64 + random.below(140);
    let few = random.below(4) == 0;
    let byte = |random: &mut Random| match few {
        true => random.byte() & 1,
        false => random.byte(),
    };
    Packet {
        data: (0..length).map(|_| byte(random)).collect(),
        port: random.below(PORTS.len() as u64) as u8,
        time_ns: random.interesting(64),
        random: random.next() as u32,
        ..Packet::default()
    }
}

/// The program as a text, with what differs and the packets in comments.
pub fn print(program: &Program, subject: &Subject, failure: &Failure) -> String {
    let mut text = String::new();
    for line in failure.text.lines() {
        let _ = writeln!(text, "; {line}");
    }
    for packet in &subject.packets {
        let bytes = packet.data.iter().map(|byte| format!("{byte:02x}"));
        let bytes: String = bytes.collect();
        let _ = writeln!(
            text,
            "; packet port {} time {} random {} {bytes}",
            packet.port, packet.time_ns, packet.random
        );
    }
    text + &program.to_string()
}

//! The comparison of two programs by the interpreter.

use crate::Random;
use hardpath_ir::interpreter::Prepared;
use hardpath_ir::maps::Maps;
use hardpath_ir::{verifier, Block, Program, Terminator};
use hardpath_packet::{Fate, Sideband};

/// Panics with the program's text when the verifier finds anything.
pub fn assert_valid(program: &Program, what: &str) {
    if let Err(errors) = verifier::verify(program) {
        let list: Vec<String> = errors.iter().map(ToString::to_string).collect();
        panic!("{what}: {}\n{program}", list.join("\n"));
    }
}

/// Runs both programs on the same packets.
///
/// # Panics
/// At the first packet whose fate or bytes differ, or at different maps in the end.
pub fn assert_same(
    before: &Program,
    after: &Program,
    random: &mut Random,
    packets: u32,
    what: &str,
) {
    let mut maps = (Maps::new(&before.maps), Maps::new(&after.maps));
    let mut run = (Prepared::new(before), Prepared::new(after));
    let has_front = before.order.iter().any(|block| has_front(before, *block));
    // Passes may say where a packet with bytes in front begins, and need not say it of one that goes nowhere.
    let bytes = |run: &Prepared, fate: &Fate| match has_front && fate.copies.is_empty() {
        true => Vec::new(),
        false => run.left_behind(),
    };
    for number in 0..packets {
        let (packet, sideband) = packet(random);
        let fate = run.0.run(&mut maps.0, &packet, &sideband);
        let expected = (bytes(&run.0, &fate), fate);
        let fate = run.1.run(&mut maps.1, &packet, &sideband);
        let found = (bytes(&run.1, &fate), fate);
        assert_eq!(
            expected, found,
            "{what}, packet {number} {packet:02x?} {sideband:?}\nbefore:\n{before}\nafter:\n{after}"
        );
    }
    assert_eq!(
        maps.0.image(),
        maps.1.image(),
        "{what}: maps differ\nbefore:\n{before}\nafter:\n{after}"
    );
}

fn has_front(program: &Program, block: Block) -> bool {
    match &program.blocks[block].terminator {
        Terminator::Emit(emit) => emit
            .packet
            .leaves
            .is_some_and(|leaves| leaves.front.is_some()),
        _ => false,
    }
}

/// A packet for a random program, with what comes beside it.
pub fn packet(random: &mut Random) -> (Vec<u8>, Sideband) {
    let packet = bytes(random);
    let sideband = Sideband {
        ingress: random.interesting(32) as u32,
        queue: random.below(4) as u32,
        egress: 0,
        time_ns: random.interesting(64),
        random: random.next() as u32,
        own: random.next(),
    };
    (packet, sideband)
}

/// Long enough for every access: forwarding a store behind the packet's end is not promised. Keys of maps, which are at the
/// front, come again.
fn bytes(random: &mut Random) -> Vec<u8> {
    let length = 64 + random.below(60) as usize;
    let mut packet: Vec<u8> = (0..length).map(|_| random.byte()).collect();
    if random.below(4) == 0 {
        packet.iter_mut().for_each(|byte| *byte &= 1);
    }
    if random.below(2) == 0 {
        let keys = *random.pick(&[1, 4, 300]);
        for offset in [0, 4] {
            let key = random.below(keys) as u32;
            packet[offset..offset + 4].copy_from_slice(&key.to_le_bytes());
        }
        packet[16] = random.below(8) as u8;
    }
    packet
}

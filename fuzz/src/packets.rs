//! Random packets for a program: lengths near those that it compares with, contents from the numbers in it, so that
//! its branches are taken both ways.

use crate::code::Code;
use crate::random::Random;
use hardpath_packet::{Packet, Ports};
use hardpath_packet::{MAX_PACKET_BYTES, MIN_PACKET_BYTES};

/// The interface that a packet is about to leave by: some bits of its random number.
pub fn egress(random: u32) -> u32 {
    random >> 3 & 0xf
}

/// Interface indices of the ingress ports. Index 1 exists in every network namespace and costs the kernel nothing.
pub const PORTS: [u32; 3] = [1, 2, 3];

/// The port table with them.
pub fn ports() -> Ports {
    Ports::of_interfaces(PORTS)
}

/// Shortest packet that enters a program.
pub const SHORTEST: usize = MIN_PACKET_BYTES as usize;
/// Longest packet that does.
pub const LONGEST: usize = MAX_PACKET_BYTES as usize;

/// Whether a packet enters a program: the entrance drops runts, giants and what the MAC marks bad.
pub fn enters(packet: &Packet) -> bool {
    !packet.bad && (SHORTEST..=LONGEST).contains(&packet.data.len())
}

/// Some packets become such that do not enter: marked bad, too short or too long.
pub fn spoil(packets: &mut [Packet], random: &mut Random) {
    for packet in packets {
        if !random.percent(12) {
            continue;
        }
        match random.weighted(&[50, 40, 10]) {
            0 => packet.bad = true,
            1 => packet.data.truncate(random.between(1, SHORTEST - 1)),
            _ => {
                let length = LONGEST + random.between(1, 70);
                let byte = random.byte();
                packet.data.resize(length, byte);
            }
        }
        // A bad frame may be short or long as well.
        packet.bad |= random.percent(5);
    }
}
/// Longest packet that the kernel judges (`BPF_PROG_TEST_RUN` without fragments).
const LONGEST_JUDGED: usize = 3520;

/// So long is a packet that takes one clock on the widest bus.
pub const ONE_BEAT: usize = 64;

/// Makes `count` packets for a program.
pub fn generate(code: &Code, count: usize, random: &mut Random) -> Vec<Packet> {
    let numbers = numbers(code);
    let reads_context = reads_context(code);
    let mut packets: Vec<Packet> = Vec::with_capacity(count);
    let mut time_ns = random.bits64() >> random.between(0, 63);
    // Some programs see few packets again and again, short ones: they meet wherever keys do.
    let returning = if random.percent(30) { 60 } else { 0 };
    for _ in 0..count {
        let data = match packets.as_slice() {
            [_, ..] if random.percent(returning) => {
                let few = packets.len().min(3);
                let mut data = packets[random.below(few)].data.clone();
                data.truncate(ONE_BEAT);
                data
            }
            [.., last] if random.percent(35) => changed(&last.data, &numbers, random),
            _ => {
                let length = length(&numbers, random);
                contents(length, &numbers, random)
            }
        };
        time_ns = time_ns.wrapping_add(random.interesting() >> random.between(0, 63));
        let drawn = random.interesting() as u32;
        let mut packet = Packet {
            data,
            egress: egress(drawn),
            time_ns,
            random: drawn,
            ..Packet::default()
        };
        if reads_context && packet.data.len() <= LONGEST_JUDGED {
            packet.port = random.below(PORTS.len()) as u8;
            if packet.port > 0 {
                packet.queue = random.below(3) as u16;
            }
        }
        packets.push(packet);
    }
    packets
}

/// The immediates of a program.
fn numbers(code: &Code) -> Vec<u64> {
    let mut numbers: Vec<u64> = code
        .all_units()
        .filter(|unit| unit.map.is_none())
        .map(|unit| match unit.insn.is_wide_load() {
            true => u64::from(unit.upper as u32) << 32 | u64::from(unit.insn.imm as u32),
            false => i64::from(unit.insn.imm) as u64,
        })
        .filter(|number| *number != 0)
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Whether the program reads 4 bytes at offset 12 or 16 of anything, perhaps of its context.
fn reads_context(code: &Code) -> bool {
    let loads_word = |code| code == 0x61;
    code.all_units()
        .any(|unit| loads_word(unit.insn.code) && matches!(unit.insn.off, 12 | 16))
}

fn length(numbers: &[u64], random: &mut Random) -> usize {
    let limits: Vec<u64> = (numbers.iter().copied())
        .filter(|number| (SHORTEST as u64..1600).contains(number))
        .collect();
    let length = match (random.weighted(&[30, 58, 8, 3, 1]), random.pick(&limits)) {
        (0, Some(limit)) => limit as usize + random.below(3) - 1,
        (0 | 1, _) => random.between(SHORTEST, 300),
        (2, _) => random.between(SHORTEST, 1514),
        (3, _) => random.between(1500, LONGEST_JUDGED),
        _ => random.between(LONGEST_JUDGED, LONGEST),
    };
    length.clamp(SHORTEST, LONGEST)
}

fn contents(length: usize, numbers: &[u64], random: &mut Random) -> Vec<u8> {
    let style = random.below(5);
    let fill = random.byte();
    let mut data: Vec<u8> = (0..length)
        .map(|_| match style {
            0 => fill,
            1 => random.byte() & random.byte() & random.byte(),
            2 => random.byte() & 0x0f,
            3 => random.interesting() as u8,
            _ => random.byte(),
        })
        .collect();
    for _ in 0..random.between(0, 12) {
        plant(&mut data, numbers, random);
    }
    data
}

/// Puts a number of the program, or one near to it, somewhere at the front, in either byte order.
fn plant(data: &mut [u8], numbers: &[u64], random: &mut Random) {
    let number = random.pick(numbers).unwrap_or(0);
    let number = number.wrapping_add(random.below(3) as u64).wrapping_sub(1);
    let bytes = random.one_of([1, 2, 4, 8]);
    let mut image = number.to_le_bytes()[..bytes].to_vec();
    if random.percent(50) {
        image.reverse();
    }
    let front = (data.len() - bytes + 1).min(80);
    let place = random.below(front);
    data[place..place + bytes].copy_from_slice(&image);
}

/// The packet before, a little different.
fn changed(before: &[u8], numbers: &[u64], random: &mut Random) -> Vec<u8> {
    let mut data = before.to_vec();
    match random.below(4) {
        0 => data.truncate((data.len() - random.below(9)).max(SHORTEST)),
        1 => plant(&mut data, numbers, random),
        _ => {}
    }
    for _ in 0..random.between(0, 4) {
        let place = random.below(data.len().min(100));
        data[place] ^= 1 << random.below(8);
    }
    data
}

//! Packets that meet: of one flow back to back, of two in turn, in bursts, of few or of many.

use crate::packets::{egress, ONE_BEAT, SHORTEST};
use crate::random::Random;
use hardpath_packet::Packet;

/// A byte of the packet of which a program makes keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlowByte {
    /// Its offset from where the packet begins, in bytes.
    pub place: usize,
    /// The bits that count.
    pub mask: u8,
    /// It is the other end of the flow: of packets of the reverse direction it changes places with the first one.
    pub is_second: bool,
}

/// How packets are spread over flows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    One,
    InTurn(usize),
    Bursts(usize),
    /// Bursts, each of a flow that was not there before: what a flow's first packet leaves, the next one finds at once.
    Born,
    Any(usize),
}

/// Makes packets of a program's flows.
pub fn generate(bytes: &[FlowByte], count: usize, random: &mut Random) -> Vec<Packet> {
    let order = match random.weighted(&[15, 15, 15, 25, 15, 15]) {
        0 => Order::One,
        1 => Order::InTurn(2),
        2 => Order::Bursts(4),
        3 => Order::Born,
        4 => Order::Any(3),
        _ => Order::Any(200),
    };
    let flows = match order {
        Order::One => 1,
        Order::Born => count,
        Order::InTurn(flows) | Order::Bursts(flows) | Order::Any(flows) => flows,
    };
    let ends: Vec<(u8, u8)> = (0..flows).map(|_| (random.byte(), random.byte())).collect();
    let has_reverse = random.percent(40);
    let shortest = bytes.iter().map(|byte| byte.place + 1).max().unwrap_or(0);
    let shortest = shortest.max(SHORTEST) + 24;
    // Packets of few beats meet in the shortest windows.
    let length = match random.weighted(&[30, 40, 30]) {
        0 => shortest,
        1 => random.between(shortest, ONE_BEAT.max(shortest)),
        _ => random.between(shortest, 110),
    };
    let all_alike = random.percent(50);
    let steps = random.below(3);
    let mut time_ns = random.bits64() >> random.between(8, 63);
    let mut flow = 0;
    let mut left = 0;
    let mut packets = Vec::with_capacity(count);
    for number in 0..count {
        flow = match order {
            Order::One => 0,
            Order::InTurn(flows) => number % flows,
            Order::Any(flows) => random.below(flows),
            Order::Bursts(_) | Order::Born if left > 0 => flow,
            Order::Born => number,
            Order::Bursts(flows) => random.below(flows),
        };
        left = match order {
            _ if left > 0 => left - 1,
            Order::Born => 1 + random.below(3),
            _ => random.below(8),
        };
        let (mut first, mut second) = ends[flow];
        if has_reverse && random.percent(50) {
            (first, second) = (second, first);
        }
        let length = match all_alike || random.percent(80) {
            true => length,
            false => random.between(SHORTEST, 300),
        };
        let mut data = contents(length, random);
        for byte in bytes {
            if let Some(place) = data.get_mut(byte.place) {
                let end = if byte.is_second { second } else { first };
                *place = *place & !byte.mask | end & byte.mask;
            }
        }
        time_ns = time_ns.wrapping_add(match steps {
            0 => random.below(20) as u64,
            1 => random.below(2000) as u64,
            _ => random.interesting() >> random.between(30, 63),
        });
        let drawn = random.bits32() & random.bits32();
        packets.push(Packet {
            data,
            egress: egress(drawn),
            time_ns,
            random: drawn,
            ..Packet::default()
        });
    }
    packets
}

/// Small numbers, mostly: what is compared with small constants.
fn contents(length: usize, random: &mut Random) -> Vec<u8> {
    let mask = random.one_of([0xff, 0xff, 0x0f, 0x03]);
    (0..length).map(|_| random.byte() & mask).collect()
}

//! The sum of all words of a packet, beside its entrance.

use hardpath_rtl::{Module, Node};

/// Bits of the sum of a packet: of 2^14 bytes it has 29.
pub const SUM_BITS: u32 = 32;
/// Bits that it can have.
const MOST_BITS: u32 = crate::ingress::LENGTH_BITS - 1 + 16;
/// Additions behind each other in a clock.
const ADDS: u32 = 2;

/// Clocks from a beat to where its sum is added to that of the packet, but for the register that every beat passes.
pub fn clocks_before(beat_bytes: u32) -> u32 {
    (beat_bytes / 2).ilog2().div_ceil(ADDS).max(1) - 1
}

/// The sum of a beat's words of 16 bits, first byte on top, with zeros for bytes that are not kept. It comes [`clocks_before`] clocks later.
pub fn of_beat(m: &mut Module, data: Node, keep: Node) -> Node {
    let lanes = m.width(keep);
    let mut sums: Vec<Node> = (0..lanes / 2)
        .map(|word| {
            let bytes = [2 * word, 2 * word + 1].map(|lane| {
                let (kept, byte) = (m.bit(keep, lane), m.slice(data, lane * 8, 8));
                m.gate(kept, byte)
            });
            m.concat(&bytes)
        })
        .collect();
    let mut depth = 0;
    while sums.len() > 1 {
        if depth > 0 && depth % ADDS == 0 {
            let name = |at| format!("sums_{depth}_{at}");
            let sums = sums.iter_mut().enumerate();
            sums.for_each(|(at, sum)| *sum = m.delay(name(at), *sum));
        }
        let width = m.width(sums[0]) + 1;
        let pairs = sums.chunks(2);
        sums = pairs
            .map(|pair| {
                let (one, other) = (m.zext(pair[0], width), m.zext(pair[1], width));
                m.add(one, other)
            })
            .collect();
        depth += 1;
    }
    sums[0]
}

/// The sum of a packet: `of_beat` beside its `valid` beats, each `last` one included. It stands there from the clock after that on, to the
/// next packet's end.
pub fn of_packet(m: &mut Module, of_beat: Node, valid: Node, last: Node) -> Node {
    let (sum_reg, before) = m.reg_reset("sum_before", MOST_BITS, 0);
    let of_beat = m.resize(of_beat, MOST_BITS);
    let sum = m.add(before, of_beat);
    let zero = m.zero(MOST_BITS);
    let next = m.mux(last, zero, sum);
    m.set_next_when(sum_reg, valid, next);
    let ends = m.and(&[valid, last]);
    let sum = m.hold("packet_sum_reg", ends, sum);
    m.zext(sum, SUM_BITS)
}

//! What `tkeep` says: that beats are packed, and how many bytes a packet has.

use super::place::Place;
use super::{Ingress, LENGTH_BITS};
use hardpath_rtl::{Module, Node};

/// The length of a packet up to its present beat, before which `beat_number` others came. A full beat carries into the number of whole beats; otherwise the lanes
/// are the low bits of the length.
pub fn length(m: &mut Module, beat_number: Node, keep: Node) -> Node {
    let lane_bits = m.width(keep).trailing_zeros();
    let count = ones_of_packed(m, keep);
    m.name(count, "bytes_in_beat");
    m.comment(
        count,
        "ones from bit 0 on: a full run of lanes with no full one beside it makes their number odd",
    );
    let full = m.bit(count, lane_bits);
    let lanes = m.slice(count, 0, lane_bits);
    let beats_before = m.resize(beat_number, LENGTH_BITS - lane_bits);
    let carry = m.zext(full, LENGTH_BITS - lane_bits);
    let whole_beats = m.add(beats_before, carry);
    let length = m.concat(&[whole_beats, lanes]);
    m.name(length, "length")
}

/// Whether the packet is too long or, seen at its last beat, too short.
pub(super) fn wrong_length(m: &mut Module, config: &Ingress, place: &Place, keep: Node) -> Node {
    let over_bytes = place.reaches(m, keep, config.longest);
    m.name(over_bytes, "too_many_bytes");
    let under = match config.shortest {
        0 => m.zero(1),
        bytes => {
            let long_enough = place.reaches(m, keep, bytes - 1);
            m.name(long_enough, "long_enough");
            m.not(long_enough)
        }
    };
    let wrong_length = m.or(&[over_bytes, under]);
    m.name(wrong_length, "wrong_length")
}

/// The number of ones in a byte mask that is packed from bit 0, of a power of two of lanes. The bit that counts `run` is
/// 1 where a run of so many lanes is full and the next one, with which it makes a pair, is not.
fn ones_of_packed(m: &mut Module, keep: Node) -> Node {
    let lanes = m.width(keep);
    let mut bits = vec![m.bit(keep, lanes - 1)];
    let mut run = lanes / 2;
    while run > 0 {
        let mut ends = Vec::new();
        for pair in 0..lanes / (2 * run) {
            let lower = m.bit(keep, (2 * pair + 1) * run - 1);
            let upper = m.bit(keep, (2 * pair + 2) * run - 1);
            let not_upper = m.not(upper);
            ends.push(m.and(&[lower, not_upper]));
        }
        let ends = m.concat(&ends);
        let odd = m.reduce_or(ends);
        m.name(odd, format!("odd_runs_of_{run}"));
        bits.push(odd);
        run /= 2;
    }
    m.concat(&bits)
}

/// Asserts that what a beat that is taken keeps is as AXI4-Stream's packets have it here: all of it before the last beat, and packed from
/// bit 0 on it.
pub fn assert_packed(m: &mut Module, accept: Node, keep: Node, last: Node) {
    let packed = keep_is_packed(m, keep, last);
    let no_beat = m.not(accept);
    let in_order = m.or(&[no_beat, packed]);
    m.assert(
        "tkeep_packed",
        in_order,
        "s_axis_tkeep must be all ones before the last beat and packed from bit 0 on it",
    );
}

/// Whether a byte mask is all ones (not the last beat) or packed from bit 0.
fn keep_is_packed(m: &mut Module, keep: Node, last: Node) -> Node {
    let lanes = m.width(keep);
    let all = m.reduce_and(keep);
    let low = m.slice(keep, 0, lanes - 1);
    let high = m.slice(keep, 1, lanes - 1);
    let not_low = m.not(low);
    let gaps = m.and(&[high, not_low]);
    let gap = m.reduce_or(gaps);
    let no_gap = m.not(gap);
    m.mux(last, no_gap, all)
}

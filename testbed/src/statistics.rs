//! The figures of a run.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a run of a design took and did. Clocks are numbered from the one that takes the first beat in.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Statistics {
    /// Packets driven in, the dropped ones included.
    pub packets: u64,
    /// Beats taken in.
    pub frames: u64,
    /// From the clock that takes the first beat in to the clock of the last verdict or beat out, both counted.
    pub clocks: u64,
    /// (packets − 1) / clocks from the first beat of the first packet to the first beat of the last packet; 0 when
    /// there are fewer than two packets.
    pub packets_per_clock: f64,
    /// Million packets a second at the clock of the design: `packets_per_clock` × MHz.
    pub mpps: f64,
    pub latency_clocks: Latency,
    /// Packets by the name of their verdict, all five names; empty for a raw program.
    pub verdicts: BTreeMap<String, u64>,
    /// Clocks in which a beat was offered and the design did not take it.
    pub stall_clocks: u64,
    /// Packets that the MAC marked bad or that are shorter than 14 or longer than 9,216 bytes.
    pub dropped: u64,
}

/// From the clock that takes a packet's first beat in to the clock that puts its first beat out, over the packets
/// that were sent on; `None` when there was none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Latency {
    pub min: Option<u64>,
    /// The lower one of the two in the middle.
    pub median: Option<u64>,
    pub max: Option<u64>,
}

impl Latency {
    pub fn of(mut clocks: Vec<u64>) -> Latency {
        clocks.sort_unstable();
        Latency {
            min: clocks.first().copied(),
            median: clocks.get(clocks.len().saturating_sub(1) / 2).copied(),
            max: clocks.last().copied(),
        }
    }
}

/// (packets − 1) / clocks between the first beats of the first and of the last packet.
pub(crate) fn packets_per_clock(first_beats: &[u64]) -> f64 {
    match (first_beats.first(), first_beats.last()) {
        (Some(first), Some(last)) if last > first => {
            (first_beats.len() - 1) as f64 / (last - first) as f64
        }
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latency_of_few() {
        assert_eq!(Latency::of(Vec::new()), Latency::default());
        let latency = Latency::of(vec![9, 3, 5, 4]);
        assert_eq!(
            (latency.min, latency.median, latency.max),
            (Some(3), Some(4), Some(9))
        );
    }

    #[test]
    fn one_packet_a_clock_is_one() {
        assert_eq!(packets_per_clock(&[5, 6, 7, 8]), 1.0);
        assert_eq!(packets_per_clock(&[5, 7]), 0.5);
        assert_eq!(packets_per_clock(&[5]), 0.0);
    }
}

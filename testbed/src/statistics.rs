//! The figures of a run.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a run of a design took and did. Clocks are numbered from the one that takes the first beat in.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Statistics {
    /// Packets that went into the program.
    pub packets: u64,
    /// Beats taken in, those of packets that were not included.
    pub beats: u64,
    /// From the clock that takes the first beat in to the clock of the last fate or beat out, both counted.
    pub clocks: u64,
    /// (packets − 1) / clocks from the first packet to the last one: at the entrance (first beats) or at the strobes,
    /// whichever take longer, because what waits inside was taken in, but is not done. 0 when there are fewer than two
    /// packets.
    pub packets_per_clock: f64,
    /// Million packets a second at the clock of the design: `packets_per_clock` × MHz.
    pub mpps: f64,
    /// From a packet's first beat in to its first beat out.
    pub latency_clocks: Latency,
    /// Packets by the name of what they were counted as, all names.
    pub verdicts: BTreeMap<String, u64>,
    /// Clocks in which a beat was offered and the design did not take it.
    pub stall_clocks: u64,
    /// Packets that did not go into the program: the MAC marked them bad, or they are shorter or longer
    /// than the program takes.
    pub not_taken_in: u64,
}

/// From the clock that takes a packet's first beat in to the clock that puts its first beat out, over the packets
/// that were sent on; `None` when there was none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Latency {
    /// Of the fastest packet.
    pub min: Option<u64>,
    /// The lower one of the two in the middle.
    pub median: Option<u64>,
    /// Of the slowest packet.
    pub max: Option<u64>,
}

/// How often a number of clocks was counted.
#[derive(Default)]
pub(crate) struct Histogram {
    counts: BTreeMap<u64, u64>,
}

impl Histogram {
    pub fn add(&mut self, clocks: u64) {
        *self.counts.entry(clocks).or_default() += 1;
    }

    pub fn latency(&self) -> Latency {
        let total: u64 = self.counts.values().sum();
        let mut before_median = total.saturating_sub(1) / 2;
        let median = self.counts.iter().find(|(_, count)| {
            let is_here = before_median < **count;
            before_median = before_median.saturating_sub(**count);
            is_here
        });
        Latency {
            min: self.counts.keys().next().copied(),
            median: median.map(|(clocks, _)| *clocks),
            max: self.counts.keys().next_back().copied(),
        }
    }
}

/// The first and the last clock of something.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Span(Option<(u64, u64)>);

impl Span {
    pub fn add(&mut self, clock: u64) {
        let first = self.0.map_or(clock, |(first, _)| first);
        self.0 = Some((first, clock));
    }

    fn clocks(self) -> u64 {
        self.0.map_or(0, |(first, last)| last - first)
    }

    /// From the first clock to the last one, or to another one that is later; both counted.
    pub fn until(self, clock: u64) -> u64 {
        self.0
            .map_or(0, |(first, last)| clock.max(last) - first + 1)
    }
}

/// See [`Statistics::packets_per_clock`].
pub(crate) fn packets_per_clock(packets: u64, taken_in: Span, judged: Span) -> f64 {
    match (packets, taken_in.clocks().max(judged.clocks())) {
        (0 | 1, _) | (_, 0) => 0.0,
        (packets, clocks) => (packets - 1) as f64 / clocks as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn latency(clocks: &[u64]) -> Latency {
        let mut histogram = Histogram::default();
        clocks.iter().for_each(|clocks| histogram.add(*clocks));
        histogram.latency()
    }

    #[test]
    fn latency_of_few() {
        assert_eq!(latency(&[]), Latency::default());
        for (clocks, median) in [
            (&[9, 3, 5, 4][..], 4),
            (&[9, 3, 5], 5),
            (&[3, 3, 9, 3], 3),
            (&[9, 9, 3, 9], 9),
            (&[3, 9, 9, 3], 3),
        ] {
            let Latency {
                min,
                median: found,
                max,
            } = latency(clocks);
            assert_eq!(
                (min, found, max),
                (Some(3), Some(median), clocks.iter().max().copied())
            );
        }
    }

    #[test]
    fn one_packet_a_clock_is_one() {
        assert_eq!(
            packets_per_clock(4, span(&[5, 6, 7, 8]), span(&[9, 12])),
            1.0
        );
        assert_eq!(packets_per_clock(2, span(&[5, 7]), span(&[8, 9])), 0.5);
        assert_eq!(packets_per_clock(1, span(&[5]), span(&[6])), 0.0);
        assert_eq!(packets_per_clock(0, span(&[]), span(&[])), 0.0);
    }

    /// A queue takes packets in at one a clock until it is full.
    #[test]
    fn what_waits_inside_is_not_done() {
        assert_eq!(
            packets_per_clock(4, span(&[1, 2, 3, 4]), span(&[9, 15, 21, 27])),
            3.0 / 18.0
        );
    }

    fn span(clocks: &[u64]) -> Span {
        let mut span = Span::default();
        clocks.iter().for_each(|clock| span.add(*clock));
        span
    }
}

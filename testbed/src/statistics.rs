//! The figures of a run.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

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
    /// What a packet takes when packets follow each other: of each [`STRETCH`] packets in a row the clocks from the strobe in front of
    /// them to their last one, divided by their number. Single strobes would say little, because packets leave in bursts. Of fewer
    /// packets all of them are one stretch.
    pub clocks_per_packet: Spread,
    /// From a packet's first beat in to its first beat out.
    pub latency_clocks: Latency,
    /// Packets by the way that they took: the name of what they were counted as. Those that packets took.
    pub paths: BTreeMap<String, Path>,
    /// Packets by the name of what they were counted as, all names.
    pub verdicts: BTreeMap<String, u64>,
    /// Clocks in which a beat was offered and the design did not take it.
    pub stall_clocks: u64,
    /// Packets that did not go into the program: the MAC marked them bad, or they are shorter or longer
    /// than the program takes.
    pub not_taken_in: u64,
    /// Packets that came out with the mark of a bad frame: that they were bad was known when they had gone into the program.
    #[serde(default)]
    pub marked: u64,
}

/// Packets that are looked at together for what each takes.
pub const STRETCH: usize = 32;

/// Clocks for a packet; `None` when there were fewer than two.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Spread {
    /// Of the fastest stretch.
    pub min: Option<f64>,
    /// The lower one of the two in the middle.
    pub median: Option<f64>,
    /// Of the slowest stretch.
    pub max: Option<f64>,
}

/// Packets that were counted alike.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Path {
    /// How many.
    pub packets: u64,
    /// The mean of the clocks from the strobe in front of such a packet to its own; `None`: it was the first packet.
    pub clocks_per_packet: Option<f64>,
    /// From a packet's first beat in to its strobe, which packets that end inside have, too.
    pub clocks_inside: Latency,
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

/// The strobes of packets, in order.
#[derive(Default)]
pub(crate) struct Strobes {
    /// The clocks of the last ones, at most [`STRETCH`] and the one in front of them.
    recent: VecDeque<u64>,
    stretches: Histogram,
    /// By what packets were counted as.
    paths: BTreeMap<usize, OnPath>,
}

#[derive(Default)]
struct OnPath {
    packets: u64,
    gaps: u64,
    clocks_of_gaps: u64,
    inside: Histogram,
}

impl Strobes {
    /// The strobe of a packet that was counted as this and came in at the other clock.
    pub fn add(&mut self, counted: usize, clock: u64, came_in: u64) {
        let path = self.paths.entry(counted).or_default();
        path.packets += 1;
        path.inside.add(clock - came_in);
        if let Some(before) = self.recent.back() {
            path.gaps += 1;
            path.clocks_of_gaps += clock - before;
        }
        self.recent.push_back(clock);
        if self.recent.len() > STRETCH {
            if let Some(first) = self.recent.pop_front() {
                self.stretches.add(clock - first);
            }
        }
    }

    pub fn spread(&self) -> Spread {
        let (latency, packets) = match (self.recent.front(), self.recent.back()) {
            // There was no whole stretch.
            (Some(first), Some(last)) if self.stretches.counts.is_empty() => {
                let mut all = Histogram::default();
                let packets = self.recent.len() - 1;
                if packets > 0 {
                    all.add(last - first);
                }
                (all.latency(), packets)
            }
            _ => (self.stretches.latency(), STRETCH),
        };
        let each = |clocks: Option<u64>| clocks.map(|clocks| clocks as f64 / packets as f64);
        Spread {
            min: each(latency.min),
            median: each(latency.median),
            max: each(latency.max),
        }
    }

    /// `names`: of what packets are counted as.
    pub fn paths(&self, names: &[String]) -> BTreeMap<String, Path> {
        let paths = self.paths.iter().filter_map(|(counted, path)| {
            let mean = path.clocks_of_gaps as f64 / path.gaps as f64;
            let path = Path {
                packets: path.packets,
                clocks_per_packet: (path.gaps > 0).then_some(mean),
                clocks_inside: path.inside.latency(),
            };
            Some((names.get(*counted)?.clone(), path))
        });
        paths.collect()
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

    fn strobes(clocks: impl Iterator<Item = u64>) -> Strobes {
        let mut strobes = Strobes::default();
        for (number, clock) in clocks.enumerate() {
            strobes.add(number % 2, clock, 0);
        }
        strobes
    }

    #[test]
    fn packets_are_looked_at_in_a_row() {
        let spread = |found: [Option<f64>; 3]| {
            let [min, median, max] = found;
            Spread { min, median, max }
        };
        for few in [0, 1] {
            assert_eq!(strobes((5..).take(few)).spread(), Spread::default());
        }
        // Of few packets all are one stretch, with the gaps between them.
        let all = strobes([3, 4, 13].into_iter());
        assert_eq!(all.spread(), spread([Some(5.0); 3]));
        // Bursts of four are no packet a clock.
        let bursts = (0..400).map(|packet| packet / 4 * 40 + packet % 4);
        let found = strobes(bursts).spread();
        assert_eq!(found, spread([Some(10.0); 3]));
        // One that takes 320 clocks longer is seen in the stretches that it is in.
        let slow = (0..400).map(|packet| packet + if packet < 300 { 0 } else { 320 });
        let found = strobes(slow).spread();
        assert_eq!(found, spread([Some(1.0), Some(1.0), Some(11.0)]));
    }

    #[test]
    fn paths_have_their_own_figures() {
        let names = ["drop", "pass"].map(String::from);
        let all = strobes([2, 3, 8, 9, 14].into_iter()).paths(&names);
        let (drop, pass) = (&all["drop"], &all["pass"]);
        assert_eq!((drop.packets, pass.packets), (3, 2));
        assert_eq!(
            (drop.clocks_per_packet, pass.clocks_per_packet),
            (Some(5.0), Some(1.0))
        );
        let inside = pass.clocks_inside;
        assert_eq!((inside.min, inside.max), (Some(3), Some(9)));
        assert!(!strobes([2].into_iter()).paths(&names).contains_key("pass"));
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

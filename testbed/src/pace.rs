//! When a beat is offered and when one is accepted.

use hardpath_diagnostic::Diagnostic;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::str::FromStr;

/// How packets come in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Pace {
    /// A beat at every clock.
    #[default]
    BackToBack,
    /// Random gaps between packets and inside them, from a seed: stretches without a gap, with short and with
    /// long gaps take turns.
    Random(u64),
    /// An Ethernet line: a packet is not offered before its time on the line has come.
    Line {
        /// Rate in Mbit/s, of which each frame's preamble, check sequence and gap take their part.
        megabits: u32,
    },
}

impl FromStr for Pace {
    type Err = Diagnostic;

    /// `back-to-back`, `random:SEED` or a rate such as `100G` or `50M`.
    fn from_str(text: &str) -> Result<Pace, Diagnostic> {
        let unknown = || {
            Diagnostic::input("unknown-pace", format!("`{text}` is no pace"))
                .help("give back-to-back, random:SEED or a line rate such as 100G or 50M")
        };
        if text == "back-to-back" {
            return Ok(Pace::BackToBack);
        }
        if let Some(seed) = text.strip_prefix("random:") {
            return seed.parse().map(Pace::Random).map_err(|_| unknown());
        }
        let giga = text.strip_suffix(['G', 'g']).map(|rate| (rate, 1000));
        let mega = text.strip_suffix(['M', 'm']).map(|rate| (rate, 1));
        let (rate, unit) = giga.or(mega).ok_or_else(unknown)?;
        match rate.parse() {
            Ok(rate @ 1..=10_000) => Ok(Pace::Line {
                megabits: rate * unit,
            }),
            _ => Err(unknown()),
        }
    }
}

/// Bytes that a frame takes on the line beside its own: preamble and start delimiter 8, frame check sequence 4,
/// gap 12 (IEEE 802.3, 4.4.2).
const LINE_OVERHEAD_BYTES: u64 = 8 + 4 + 12;
/// The shortest frame on the line without its check sequence; shorter ones are padded by the sender's MAC.
const LINE_MINIMUM_BYTES: u64 = 60;

/// Bits for which a frame of so many bytes without its check sequence takes an Ethernet line.
pub fn bits_on_line(bytes: usize) -> u64 {
    ((bytes as u64).max(LINE_MINIMUM_BYTES) + LINE_OVERHEAD_BYTES) * 8
}

/// Decides at every clock whether the source may offer the next beat.
pub struct Pacer {
    kind: PacerKind,
}

enum PacerKind {
    BackToBack,
    Random(RandomGaps),
    Line(LineClock),
}

impl Pacer {
    /// `clock_mhz` is the design's clock.
    pub fn new(pace: Pace, clock_mhz: f64) -> Pacer {
        let kind = match pace {
            Pace::BackToBack => PacerKind::BackToBack,
            Pace::Random(seed) => PacerKind::Random(RandomGaps::new(seed)),
            Pace::Line { megabits } => PacerKind::Line(LineClock {
                // Units of 1 bit × 1 kHz keep all of it in integers.
                gained_each_clock: u64::from(megabits) * 1000,
                cost_of_a_bit: ((clock_mhz * 1000.0).round() as u64).max(1),
                gained: 0,
                needed: 0,
            }),
        };
        Pacer { kind }
    }

    /// One clock passes.
    pub fn tick(&mut self) {
        match &mut self.kind {
            PacerKind::BackToBack => {}
            PacerKind::Random(gaps) => gaps.gap = gaps.gap.saturating_sub(1),
            PacerKind::Line(line) => line.gained += line.gained_each_clock,
        }
    }

    /// The beat that comes next is a packet's first one (or not): how it has to wait is decided now.
    pub fn beat_follows(&mut self, starts_packet: bool) {
        if let PacerKind::Random(gaps) = &mut self.kind {
            gaps.draw(starts_packet);
        }
    }

    /// Whether the next beat may be offered at this clock.
    pub fn may_offer(&self, starts_packet: bool) -> bool {
        match &self.kind {
            PacerKind::BackToBack => true,
            PacerKind::Random(gaps) => gaps.gap == 0,
            PacerKind::Line(line) => !starts_packet || line.gained >= line.needed,
        }
    }

    /// A packet of `bytes` was begun; the next one comes when the line has carried this one.
    pub fn packet_begun(&mut self, bytes: usize) {
        if let PacerKind::Line(line) = &mut self.kind {
            line.needed += bits_on_line(bytes) * line.cost_of_a_bit;
        }
    }
}

/// The line as an account: every clock earns time, every packet costs its time. A packet that had to wait for the
/// design does not delay those behind it on the line: they queue up, as in the FIFO of a MAC.
struct LineClock {
    gained_each_clock: u64,
    cost_of_a_bit: u64,
    gained: u64,
    needed: u64,
}

/// Gaps in clocks before the next beat.
struct RandomGaps {
    random: Pcg64Mcg,
    gap: u32,
    /// Packets until another mood begins.
    left: u32,
    mood: Mood,
}

#[derive(Clone, Copy)]
enum Mood {
    Dense,
    ShortGaps,
    LongGaps,
}

impl RandomGaps {
    fn new(seed: u64) -> RandomGaps {
        RandomGaps {
            random: Pcg64Mcg::seed_from_u64(seed),
            gap: 0,
            left: 0,
            mood: Mood::Dense,
        }
    }

    fn draw(&mut self, starts_packet: bool) {
        if starts_packet {
            if self.left == 0 {
                self.left = self.random.random_range(1..=32);
                self.mood = match self.random.random_range(0..4u32) {
                    0 => Mood::Dense,
                    1 => Mood::LongGaps,
                    _ => Mood::ShortGaps,
                };
            }
            self.left -= 1;
        }
        let has_gap = self.random.random_ratio(1, 3);
        self.gap = match (self.mood, starts_packet) {
            (Mood::ShortGaps, _) if has_gap => self.random.random_range(1..=3),
            (Mood::LongGaps, true) => self.random.random_range(0..=40),
            (Mood::LongGaps, false) if has_gap => self.random.random_range(1..=8),
            _ => 0,
        };
    }
}

/// Decides at every clock whether the outputs accept a beat: always, or not ready in about 30 % of the clocks.
pub struct Backpressure {
    random: Option<Pcg64Mcg>,
    ready: bool,
    /// Clocks until it changes.
    left: u32,
}

impl Backpressure {
    /// Without a seed the outputs are always ready.
    pub fn new(seed: Option<u64>) -> Backpressure {
        Backpressure {
            random: seed.map(Pcg64Mcg::seed_from_u64),
            ready: true,
            left: 0,
        }
    }

    /// Whether the outputs are ready at the next clock.
    pub fn next_ready(&mut self) -> bool {
        let Some(random) = &mut self.random else {
            return true;
        };
        if self.left == 0 {
            self.ready = !self.ready;
            // Mean 9 clocks ready, 15/16 · 2 + 1/16 · 32 = 3.9 clocks not ready: 30 %.
            self.left = match self.ready {
                true => random.random_range(1..=17),
                false if random.random_ratio(1, 16) => random.random_range(16..=48),
                false => random.random_range(1..=3),
            };
        }
        self.left -= 1;
        self.ready
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paces_are_read() {
        assert_eq!("back-to-back".parse::<Pace>().unwrap(), Pace::BackToBack);
        assert_eq!("random:7".parse::<Pace>().unwrap(), Pace::Random(7));
        assert_eq!(
            "100G".parse::<Pace>().unwrap(),
            Pace::Line { megabits: 100_000 }
        );
        assert_eq!("50M".parse::<Pace>().unwrap(), Pace::Line { megabits: 50 });
        for wrong in ["", "G", "0G", "random:", "random:x", "100", "-1G", "20000G"] {
            assert_eq!(
                wrong.parse::<Pace>().unwrap_err().code,
                "unknown-pace",
                "{wrong}"
            );
        }
    }

    #[test]
    fn backpressure_is_about_thirty_percent() {
        let mut backpressure = Backpressure::new(Some(1));
        let not_ready = (0..100_000).filter(|_| !backpressure.next_ready()).count();
        assert!((27_000..33_000).contains(&not_ready), "{not_ready}");
        let mut none = Backpressure::new(None);
        assert!((0..1000).all(|_| none.next_ready()));
    }

    /// 64 bytes take 88 bytes on the line: at 100 Gbit/s 142.05 million packets a second, of 250 million clocks.
    #[test]
    fn line_rate_is_kept() {
        let mut pacer = Pacer::new(Pace::Line { megabits: 100_000 }, 250.0);
        let mut packets = 0;
        for _ in 0..100_000 {
            pacer.tick();
            if pacer.may_offer(true) {
                pacer.packet_begun(64);
                packets += 1;
            }
        }
        assert!((56_817..=56_820).contains(&packets), "{packets}");
    }
}

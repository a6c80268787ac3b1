//! Meters beside the words of RFC 2698, in exact arithmetic, and their rates by P4Runtime.

use hardpath_p4::interpreter::Meter;
use hardpath_p4::meters::{Colour, Rates};
use hardpath_testkit::Random;

/// RFC 2698, section 3, in tokens times nanoseconds of a second: nothing is rounded.
struct Exact {
    cir: u128,
    cbs: u128,
    pir: u128,
    pbs: u128,
    committed: u128,
    peak: u128,
    at: u64,
}

const SECOND: u128 = 1_000_000_000;

impl Exact {
    fn new(cir: u64, cbs: u64, pir: u64, pbs: u64) -> Exact {
        let [cir, cbs, pir, pbs] = [cir, cbs, pir, pbs].map(u128::from);
        Exact {
            cir,
            cbs: cbs * SECOND,
            pir,
            pbs: pbs * SECOND,
            committed: cbs * SECOND,
            peak: pbs * SECOND,
            at: 0,
        }
    }

    fn colour(&mut self, now: u64, bytes: u64, before: Option<Colour>) -> Colour {
        let since = u128::from(now - self.at);
        self.at = now;
        self.committed = self.cbs.min(self.committed + since * self.cir);
        self.peak = self.pbs.min(self.peak + since * self.pir);
        let price = u128::from(bytes) * SECOND;
        if before == Some(Colour::Red) || self.peak < price {
            return Colour::Red;
        }
        self.peak -= price;
        if before == Some(Colour::Yellow) || self.committed < price {
            return Colour::Yellow;
        }
        self.committed -= price;
        Colour::Green
    }
}

fn meter(cir: u64, cbs: u64, pir: u64, pbs: u64) -> Meter {
    let micro = |rate: u64| format!("{}.{:06}", rate / 1_000_000, rate % 1_000_000);
    Meter::of(Rates::new((&micro(cir), cbs), (&micro(pir), pbs)).unwrap())
}

/// Of rates that units of 2^-15 ns have exactly, each packet gets the colour of the exact reference.
#[test]
fn colours_are_those_of_exact_arithmetic() {
    let mut random = Random::new(2698);
    let mut seen = [0; 3];
    for _ in 0..200 {
        // Divisors of 2^15 × 10^9 are kept as they are.
        let rates: Vec<u64> = (0..2)
            .map(|_| 5u64.pow(random.below(10) as u32) << random.below(14))
            .collect();
        let (cir, pir) = (rates[0].min(rates[1]), rates[0].max(rates[1]));
        let (cbs, pbs) = (1 + random.below(5000), 1 + random.below(5000));
        let (mut ours, mut exact) = (meter(cir, cbs, pir, pbs), Exact::new(cir, cbs, pir, pbs));
        let mut now = 0;
        for _ in 0..300 {
            // About as fast as the peak rate, sometimes after a long pause.
            let usual = 2_000_000_000_000 / pir.max(1);
            now += match random.below(20) {
                0 => random.below(usual * 100 + 1),
                _ => random.below(usual + 1),
            };
            let bytes = 1 + random.below(2000);
            let before = [
                None,
                Some(Colour::Green),
                Some(Colour::Yellow),
                Some(Colour::Red),
            ][random.below(4) as usize];
            let colour = ours.colour(now, bytes, before);
            assert_eq!(
                colour,
                exact.colour(now, bytes, before),
                "{cir} {cbs} {pir} {pbs} at {now}"
            );
            seen[colour as usize] += 1;
        }
    }
    assert!(seen.iter().all(|count| *count > 1000), "{seen:?}");
}

/// One flow, a packet in each clock of 250 MHz: what is green and yellow is within 1 % of the rates.
#[test]
fn a_flow_at_a_packet_a_clock_gets_its_rates() {
    for (cir, pir, bytes) in [
        (1_000_000, 3_000_000, 64),
        (1_250_000_000, 5_000_000_000, 64),
        (123_456_789, 987_654_321, 1500),
        (3_333_333_333, 12_345_678_901, 256),
    ] {
        let mut ours = meter(cir, 10_000, pir, 10_000);
        let clocks = 20_000_000u64.min(4_000_000_000_000_000 / cir);
        let mut counts = [0u64; 3];
        for clock in 0..clocks {
            counts[ours.colour(clock * 4, bytes, None) as usize] += bytes;
        }
        let seconds = clocks as f64 * 4e-9;
        let offered = bytes as f64 * 250e6;
        let green = (counts[0] as f64 - 10_000.0) / seconds;
        let passed = ((counts[0] + counts[1]) as f64 - 10_000.0) / seconds;
        for (is, wanted) in [(green, cir as f64), (passed, pir as f64)] {
            let wanted = wanted.min(offered);
            // The last bytes in a bucket are no packet.
            let slack = 0.01 * wanted + 2.0 * bytes as f64 / seconds;
            assert!(
                (is - wanted).abs() <= slack,
                "{cir} {pir}: {is}, not {wanted}"
            );
        }
    }
}

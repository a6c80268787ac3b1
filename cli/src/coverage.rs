//! How much of its captures a run is about. What it leaves out is counted apart from what it ran, and said: nobody should
//! take a comparison of few packets for one of all.

use crate::packets::RunPacket;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::count::{counted, grouped};
use hardpath_ir::Limits;
use hardpath_oracle::Comparison;

/// Numbers of packets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Coverage {
    /// Those that went into the program.
    pub entered: u64,
    /// Runts and giants: the hardware counts them and takes none in.
    pub not_taken_in: u64,
    /// The same of those that are marked bad.
    pub bad: u64,
    /// Those that need more than `--depth` bytes, which only a comparison leaves out.
    pub too_deep: u64,
    /// The shortest and the longest packet that the program takes, in bytes.
    lengths: (u32, u32),
}

impl Coverage {
    /// Of a run that has not begun.
    pub fn of(limits: &Limits) -> Coverage {
        Coverage {
            lengths: (limits.shortest, limits.longest),
            ..Coverage::default()
        }
    }

    /// One more packet that was not left out, and whether it went into the program.
    pub fn add(&mut self, packet: &RunPacket, entered: bool) {
        match (entered, packet.is_bad()) {
            (true, _) => self.entered += 1,
            (false, true) => self.bad += 1,
            (false, false) => self.not_taken_in += 1,
        }
    }

    /// What is to be said of a run over them.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        let mut warnings = Vec::new();
        if self.entered == 0 {
            let message = match self.captured() {
                0 => String::from("the captures hold no packets, so nothing was run or compared"),
                all => format!("none of {} was run or compared", counted(all, "packet")),
            };
            let help = "give a capture with packets that the program takes in";
            warnings.push(Diagnostic::warning("no-packets", message).help(help));
        }
        if self.too_deep > 0 {
            let message = format!(
                "{} left out of the comparison: headers deeper than --depth says",
                self.part(self.too_deep)
            );
            let help = "compare with a larger --depth; the hardware aborts these packets, the kernel does not";
            warnings.push(Diagnostic::warning("packets-too-deep", message).help(help));
        }
        if self.bad > 0 {
            let message = format!("{} dropped: marked bad (--bad)", self.part(self.bad));
            warnings.push(Diagnostic::note("packets-marked-bad", message));
        }
        if self.not_taken_in > 0 {
            let (shortest, longest) = self.lengths;
            let message = format!(
                "{} not taken in: shorter than {shortest} or longer than {} bytes",
                self.part(self.not_taken_in),
                grouped(longest.into())
            );
            warnings.push(Diagnostic::warning("packets-not-taken-in", message));
        }
        warnings
    }

    fn captured(&self) -> u64 {
        self.entered + self.not_taken_in + self.bad + self.too_deep
    }

    fn part(&self, packets: u64) -> String {
        part(packets, self.captured())
    }
}

/// What the kernel, which was to judge, did not.
pub fn without_kernel(comparison: &Comparison) -> Option<Diagnostic> {
    let without = comparison.packets - comparison.judged;
    if comparison.judge.is_none() || without == 0 {
        return None;
    }
    let reasons = comparison.objections.iter();
    let reasons: Vec<String> = reasons
        .map(|(reason, count)| format!("{reason}: {}", grouped(*count)))
        .collect();
    let message = format!(
        "{} judged by the interpreter alone: {}",
        part(without, comparison.packets),
        reasons.join("; ")
    );
    Some(
        Diagnostic::warning("packets-without-kernel", message)
            .help("the kernel's test run does not take them; the others it has judged"),
    )
}

/// `1,620 of 2,000 packets (81 %)`
fn part(some: u64, all: u64) -> String {
    // Rounded to the side that is neither none nor all.
    let percent = match some == all {
        true => 100,
        false => (some * 100 / all.max(1)).max(1),
    };
    format!(
        "{} of {} ({percent} %)",
        grouped(some),
        counted(all, "packet")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(coverage: Coverage) -> Vec<&'static str> {
        let warnings = coverage.warnings();
        warnings.iter().map(|warning| warning.code).collect()
    }

    #[test]
    fn what_is_left_out_is_said() {
        let all = Coverage {
            entered: 7,
            ..Coverage::default()
        };
        assert_eq!(codes(all), [""; 0]);
        assert_eq!(codes(Coverage::default()), ["no-packets"]);
        let some = Coverage {
            entered: 0,
            not_taken_in: 1,
            too_deep: 2,
            lengths: (14, 1522),
            ..Coverage::default()
        };
        let expected = ["no-packets", "packets-too-deep", "packets-not-taken-in"];
        assert_eq!(codes(some), expected);
    }

    #[test]
    fn parts_are_never_rounded_to_none_or_all() {
        assert_eq!(part(1620, 2000), "1,620 of 2,000 packets (81 %)");
        assert_eq!(part(1, 2000), "1 of 2,000 packets (1 %)");
        assert_eq!(part(1999, 2000), "1,999 of 2,000 packets (99 %)");
        assert_eq!(part(1, 1), "1 of 1 packet (100 %)");
    }
}

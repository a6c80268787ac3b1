//! Times at which entries of tables were last found, as hardware keeps them, and what follows from them: which entries are idle.
//!
//! An entry keeps 32 bits of units of 2^15 ns: 4 bytes, in which a packet that finds the entry overwrites what stands there with its own time.
//! A unit is less than a sixteenth of the shortest timeout, so a host that looks every sixteenth of a timeout ([`sweep_every`]) sees that an
//! entry is idle within an eighth of that. After 39 hours the units begin again. A host that looks at least twice in that time knows which
//! of them is meant: the one in which it has seen the entry last where nothing has changed, else the last one that is not yet over.

/// A unit is 2 to this power nanoseconds.
pub const UNIT_BITS: u32 = 15;
/// Bits that are kept of a time, in units.
pub const KEPT_BITS: u32 = 32;
/// The shortest timeout, in nanoseconds: 1 ms.
pub const SHORTEST: u64 = 1_000_000;
/// The longest timeout, in nanoseconds, about 19 hours: half of the time after which units begin again.
pub const LONGEST: u64 = 1 << (UNIT_BITS + KEPT_BITS - 1);

/// What is done with entries that are not found for the time that they were given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Idle {
    /// The control plane is told.
    Notify,
    /// They go.
    Delete,
}

/// What an entry keeps of a time in nanoseconds.
pub fn kept(time: u64) -> u32 {
    (time >> UNIT_BITS) as u32
}

/// When an entry was last found, in nanoseconds: not before it was, and at most a unit behind. `known` is what this gave before, and `now` is not
/// [`LONGEST`] later than that was.
pub fn found_at(kept: u32, known: u64, now: u64) -> u64 {
    let last = (1 << UNIT_BITS) - 1;
    if kept == self::kept(known) {
        return known | last;
    }
    // A packet may have a time that the host has not come to.
    let since = self::kept(now).wrapping_sub(kept) as i32;
    let unit = (now >> UNIT_BITS).saturating_add_signed(-i64::from(since));
    unit << UNIT_BITS | last
}

/// How often a host looks at an entry with this timeout, in nanoseconds.
pub fn sweep_every(timeout: u64) -> u64 {
    timeout / 16
}

/// Whether there is such a timeout, in nanoseconds; 0 is none.
///
/// # Errors
/// It is too short or too long.
pub fn check(timeout: u64) -> Result<(), String> {
    match timeout {
        0 | SHORTEST..=LONGEST => Ok(()),
        1..SHORTEST => Err(format!(
            "a timeout of {timeout} ns is too short: 1 ms is the shortest"
        )),
        _ => Err(format!(
            "a timeout of {} s is too long: {} s (19.5 hours) is the longest",
            timeout / 1_000_000_000,
            LONGEST / 1_000_000_000
        )),
    }
}

/// An entry that has a timeout.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Timer {
    /// After how many nanoseconds it is idle.
    pub timeout: u64,
    /// What was seen of it last.
    found: u64,
    /// From when on it counts.
    since: u64,
    is_told: bool,
}

impl Timer {
    /// One that begins now, for an entry that was last found at a time as [`found_at`] gives it.
    pub fn new(timeout: u64, found: u64, now: u64) -> Timer {
        Timer {
            timeout,
            found,
            since: found.max(now),
            is_told: false,
        }
    }

    /// When the entry was last found, as it was seen last.
    pub fn found(&self) -> u64 {
        self.found
    }

    /// Whether the entry has become idle since it was asked last: once, until somebody has found it again.
    pub fn has_run_out(&mut self, found: u64, now: u64) -> bool {
        if found != self.found {
            (self.found, self.since, self.is_told) = (found, found, false);
        }
        let is_idle = now.saturating_sub(self.since) >= self.timeout;
        is_idle && !std::mem::replace(&mut self.is_told, is_idle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_that_begin_again_are_told_apart() {
        let turn = 1u64 << (UNIT_BITS + KEPT_BITS);
        for turns in 0..3 {
            for (at, now) in [
                (5, 5),
                (40_000, 90_000),
                (turn - 1, turn + LONGEST - 98_304),
            ] {
                let (at, now) = (turns * turn + at, turns * turn + now);
                let found = found_at(kept(at), at + (5 << UNIT_BITS), now);
                assert!(found >= at && found - at < 1 << UNIT_BITS, "{at} {now}");
                // Nothing has changed, however late it is.
                assert_eq!(found_at(kept(at), found, now + 5 * turn / 2), found);
            }
        }
        // The packet is ahead of the host.
        let found = found_at(kept(2_000_000), 0, 1_000_000);
        assert!((2_000_000..2_000_000 + (1 << UNIT_BITS)).contains(&found));
    }

    #[test]
    fn an_eighth_of_the_shortest_timeout_is_more_than_what_is_lost() {
        let late = sweep_every(SHORTEST) + (1 << UNIT_BITS);
        assert!(late <= SHORTEST / 8, "{late}");
        assert!(check(SHORTEST - 1).is_err() && check(LONGEST + 1).is_err());
        assert!([0, SHORTEST, LONGEST]
            .into_iter()
            .all(|one| check(one).is_ok()));
    }
}

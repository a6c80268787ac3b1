//! Whether a slower clock would do better by a map: what takes two clocks at one may take one at the other, and then packets
//! need not wait for each other.

use crate::clock::{fastest_between, SLOWEST_MHZ};
use crate::delay::Timing;
use crate::plan::Access;
use crate::promise::Promise;
use crate::schedule::Schedule;
use crate::{hazard, Hazard};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{MapId, Program};

/// What is looked at of a program at a clock.
pub struct AtClock {
    pub plan: Vec<Access>,
    pub schedule: Schedule,
    pub promise: Promise,
}

/// Maps whose hazard is handled in a better way at a slower clock, with the fastest such clock in whole MHz. `build`: the
/// program at another clock, if it can be built there.
pub fn warnings(
    program: &Program,
    now: &AtClock,
    build: impl Fn(Timing) -> Option<AtClock>,
) -> Vec<Diagnostic> {
    let timing = now.schedule.timing;
    let at = |clock_mhz: f64| {
        build(Timing {
            clock_mhz,
            ..timing
        })
    };
    let is_hazard = |access: &Access| access.gate().is_some();
    if !now.plan.iter().any(is_hazard) {
        return Vec::new();
    }
    let Some(slowest) = at(SLOWEST_MHZ) else {
        return Vec::new();
    };
    let mut warnings = Vec::new();
    for map in program.maps.keys() {
        let is_better = |other: &AtClock| class(other, map) < class(now, map);
        if !is_better(&slowest) {
            continue;
        }
        let better = fastest_between(SLOWEST_MHZ, timing.clock_mhz.ceil(), |clock_mhz| {
            at(clock_mhz).is_some_and(|other| is_better(&other))
        });
        if let Some(other) = at(better) {
            warnings.push(warning(program, map, now, &other));
        }
    }
    warnings
}

/// The worst class of a map's copies and banks.
fn class(at: &AtClock, map: MapId) -> Hazard {
    let mine = at.plan.iter().filter(|access| access.map == map);
    mine.map(|access| hazard(access).0)
        .max()
        .unwrap_or(Hazard::None)
}

/// Where the slower clock promises more it is a warning, else a note: the class alone is no gain.
fn warning(program: &Program, map: MapId, now: &AtClock, other: &AtClock) -> Diagnostic {
    let name = &program.maps[map].name;
    let says = |at: &AtClock| {
        format!(
            "{} at {} MHz: {:.1} million packets a second of any traffic",
            class(at, map).name(),
            at.schedule.timing.clock_mhz,
            at.promise.any_traffic_pps / 1e6
        )
    };
    let message = format!("map {name} is {}; it is {}", says(now), says(other));
    let gains = other.promise.any_traffic_pps > now.promise.any_traffic_pps;
    let code = "slower-clock-is-better";
    let place = format!("program {}, map {name}", program.name);
    match gains {
        true => Diagnostic::warning(code, message).help(format!(
            "try --clock {}, or a family that is faster (--family)",
            other.schedule.timing.clock_mhz
        )),
        false => Diagnostic::note(code, message)
            .help("all in all the slower clock promises no more; a faster family (--family) might"),
    }
    .at(place)
}

//! Tables that are compared right behind their memories, for the sake of windows.
//!
//! Registers between a table's memories and the compare ([`Timing::registers_keys`]) cost a clock. Where that clock lies in a
//! window of another map, in which packets wait for each other, and the clock leaves just enough time without them, they are
//! left out.

use crate::clock::Misfit;
use crate::delay::Timing;
use crate::plan::{plan, Access};
use crate::savings::Without;
use crate::schedule::{schedule, Schedule};
use hardpath_ir::Program;

/// A plan, and its schedule.
pub type Scheduled = (Vec<Access>, Schedule);

/// Schedules a plan; without the registers that make a window longer, where that can be.
pub fn scheduled(
    program: &Program,
    first: Vec<Access>,
    timing: Timing,
    without: &Without,
) -> Result<Scheduled, Misfit> {
    let at = |mut plan: Vec<Access>| {
        let schedule = schedule(program, &mut plan, timing, without)?;
        Ok::<Scheduled, Misfit>((plan, schedule))
    };
    let mut best = at(first)?;
    let mut shortest = waits(program, &best);
    for number in 0..best.0.len() {
        let access = &best.0[number];
        let optional =
            access.registers_keys && !timing.must_register_keys(&program.maps[access.map]);
        if shortest == 0 || !optional {
            continue;
        }
        let mut direct = plan(program, timing)?;
        for (mine, other) in direct.iter_mut().zip(&best.0) {
            mine.registers_keys = other.registers_keys;
        }
        direct[number].registers_keys = false;
        if let Ok(found) = at(direct) {
            let clocks = waits(program, &found);
            if clocks < shortest {
                (best, shortest) = (found, clocks);
            }
        }
    }
    Ok(best)
}

/// The clocks of all windows.
fn waits(program: &Program, (plan, schedule): &Scheduled) -> u32 {
    let windows = plan.iter().enumerate();
    windows
        .map(|(number, access)| schedule.window(program, access, number))
        .sum()
}

//! Tables that are compared right behind their memories, for the sake of windows.
//!
//! Registers between a table's memories and the compare ([`Timing::registers_keys`]) cost a clock. Where that clock lies in a
//! window of another map, in which packets wait for each other, and the clock leaves just enough time without them, they are
//! left out.

use crate::clock::Misfit;
use crate::delay::Timing;
use crate::plan::Access;
use crate::savings::Without;
use crate::schedule::{schedule, Schedule};
use hardpath_ir::Program;

/// A plan, and its schedule.
pub type Scheduled = (Vec<Access>, Schedule);

/// Schedules a plan; without the registers that make a window longer, where that can be. `how`: as [`schedule`] has it.
pub fn scheduled(
    program: &Program,
    mut planned: Vec<Access>,
    timing: Timing,
    how: (&Without, bool),
) -> Result<Scheduled, Misfit> {
    // Scheduling changes the plan.
    let at = |planned: &[Access]| {
        let mut plan = planned.to_vec();
        let schedule = schedule(program, &mut plan, timing, how)?;
        Ok::<Scheduled, Misfit>((plan, schedule))
    };
    let mut best = at(&planned)?;
    let mut shortest = waits(program, &best.0, &best.1);
    for number in 0..planned.len() {
        let access = &planned[number];
        let key_bits = access.stored.stored();
        let must = timing.must_register_keys(&program.maps[access.map], key_bits, access.search);
        if shortest == 0 || must || !access.registers_keys {
            continue;
        }
        planned[number].registers_keys = false;
        let direct = at(&planned).map(|found| (waits(program, &found.0, &found.1), found));
        match direct {
            Ok((clocks, found)) if clocks < shortest => (best, shortest) = (found, clocks),
            _ => planned[number].registers_keys = true,
        }
    }
    Ok(best)
}

/// The clocks of all windows.
pub fn waits(program: &Program, plan: &[Access], schedule: &Schedule) -> u32 {
    let windows = plan.iter().enumerate();
    windows
        .map(|(number, access)| schedule.window(program, access, number))
        .sum()
}

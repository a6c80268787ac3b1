//! The same stages, none deeper than it must be.
//!
//! Operations are placed as early as they can be, so that a stage is full before the next has anything to do:
//!
//! ```text
//! before: stage 0  10 levels      after: stage 0  8 levels
//!         stage 1   2 levels             stage 1  4 levels
//! ```
//!
//! The clock that a design reaches is that of its deepest stage. So the program is scheduled again for clocks that are shorter
//! and shorter, as long as every access of a map, every entrance and the exit stay in their stages. Of those schedules the
//! one is taken with the fewest bits in registers, where a level of the deepest stage counts as much as some bits do.

use super::later::{move_later, LEVEL_BITS};
use super::{Schedule, Scheduler};
use crate::plan::Access;
use crate::savings::Without;
use hardpath_ir::Program;

/// So many levels fewer are tried at a time. Less than one is within the error of what is known of the delays.
const STEP: f64 = 1.0;

/// The final stages of all operations: late where that saves registers, and even.
pub fn settled(
    program: &Program,
    plan: &[Access],
    schedule: Schedule,
    without: &Without,
) -> Schedule {
    let how = (without, !schedule.costs.calm.is_empty());
    let mut scheduler = Scheduler::new(program, plan, schedule.timing, how);
    let mut best = schedule.clone();
    let mut least = price(move_later(program, plan, &mut best), &best);
    scheduler.budget = schedule.levels;
    loop {
        scheduler.budget -= STEP;
        let shorter = (scheduler.budget > 0.0).then(|| scheduler.best()).flatten();
        let Some(mut shorter) = shorter.filter(|shorter| has_stages_of(shorter, &schedule)) else {
            return best;
        };
        let now = price(move_later(program, plan, &mut shorter), &shorter);
        if now < least && shorter.levels < best.levels {
            (best, least) = (shorter, now);
        }
    }
}

/// What is to be least, in bits that wait in registers.
fn price(waiting: u32, schedule: &Schedule) -> f64 {
    f64::from(waiting) + schedule.levels * LEVEL_BITS
}

/// All that the pipeline is built around stays in its stage.
fn has_stages_of(schedule: &Schedule, other: &Schedule) -> bool {
    schedule.accesses == other.accesses
        && schedule.entrances == other.entrances
        && (schedule.emit, schedule.stages) == (other.emit, other.stages)
}

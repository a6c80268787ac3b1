//! What must happen within one clock, whatever the schedule: refused when the clock is too fast for it.
//!
//! The scheduler spreads a program over as many stages as its operations need, but four things cannot be divided: one
//! operation; the way into or out of a map's memory, whose next access must see the new word; what the blocks around
//! the program do in a clock; and the entrance of a hazard window, where the next packet must see who went in.

use crate::delay::Timing;
use crate::maps::TAG_BITS;
use crate::plan::{Access, Gate};
use crate::refuse::{place_of, refusal, whole};
use crate::schedule::Schedule;
use crate::sizes::slots;
use hardpath_blocks::array::Array;
use hardpath_blocks::index_bits;
use hardpath_blocks::lpm::{Lpm, Search};
use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_ir::{Inst, PlaceId, Program, Value};
use hardpath_state::ternary_of;
use std::cmp::Ordering;
use std::collections::HashSet;

/// Something that cannot be divided.
pub struct Undivided {
    what: String,
    place: Place,
    levels: f64,
}

/// Why a program does not become a pipeline.
pub enum Misfit {
    /// For these reasons; no slower clock is tried.
    Refused(Vec<Diagnostic>),
    /// The clock is too fast for these, the slowest first; at least one.
    TooFast(Vec<Undivided>),
    /// Windows have no order, perhaps because stages are short: what to say when a slow clock does not help either.
    Disordered(Diagnostic),
}

impl From<Vec<Diagnostic>> for Misfit {
    fn from(errors: Vec<Diagnostic>) -> Misfit {
        Misfit::Refused(errors)
    }
}

/// Plans and schedules a program, all of which must fit the clock.
///
/// # Errors
/// All that is refused. What the clock is too fast for names the fastest, in whole MHz, that all of the program allows.
pub fn fit<T>(
    timing: Timing,
    build: impl Fn(Timing) -> Result<T, Misfit>,
) -> Result<T, Vec<Diagnostic>> {
    let misfit = match build(timing) {
        Ok(built) => return Ok(built),
        Err(Misfit::Refused(errors)) => return Err(errors),
        Err(misfit) => misfit,
    };
    let best = fastest(timing, &misfit, build)?;
    let error = match misfit {
        Misfit::TooFast(all) => too_fast(timing, &all),
        Misfit::Disordered(error) => Diagnostic {
            code: CODE,
            message: format!(
                "{}, at a clock of {} MHz: what one gives is not there in time for the next",
                error.message, timing.clock_mhz
            ),
            ..error
        },
        Misfit::Refused(_) => unreachable!("handled above"),
    };
    Err(vec![error.help(way_out(best))])
}

/// The fastest clock that works, in whole MHz, below one that does not.
///
/// # Errors
/// What is refused at every clock.
fn fastest<T>(
    timing: Timing,
    misfit: &Misfit,
    build: impl Fn(Timing) -> Result<T, Misfit>,
) -> Result<f64, Vec<Diagnostic>> {
    let slower = |clock_mhz: f64, misfit: &Misfit| match misfit {
        Misfit::TooFast(all) => {
            let clock = timing.technology.clock_of(all[0].levels);
            clock.min(clock_mhz - 1.0).floor()
        }
        _ => SLOWEST_MHZ.min(clock_mhz),
    };
    let build_at = |clock_mhz| {
        build(Timing {
            clock_mhz,
            ..timing
        })
    };
    let mut best = slower(timing.clock_mhz, misfit);
    let mut too_fast_at = timing.clock_mhz.ceil();
    // The entrances are known only when all else fits. A slower clock may do without some.
    loop {
        match build_at(best) {
            Ok(_) => break,
            Err(Misfit::Refused(errors)) => return Err(errors),
            Err(Misfit::Disordered(error)) if best <= SLOWEST_MHZ => return Err(vec![error]),
            Err(misfit) => {
                too_fast_at = best;
                best = slower(best, &misfit);
            }
        }
    }
    Ok(fastest_between(best, too_fast_at, |clock_mhz| {
        build_at(clock_mhz).is_ok()
    }))
}

/// The fastest clock in whole MHz at which something holds. It does at `holds`, and not at `fails`.
pub fn fastest_between(holds: f64, fails: f64, at: impl Fn(f64) -> bool) -> f64 {
    let (mut best, mut too_fast) = (holds, fails);
    while too_fast - best > 1.0 {
        let middle = ((too_fast + best) / 2.0).floor();
        match at(middle) {
            true => best = middle,
            false => too_fast = middle,
        }
    }
    best
}

/// At this clock, in MHz, all logic is done within one.
pub const SLOWEST_MHZ: f64 = 1.0;

/// What an exit has in front of its count of beats where packets leave before all of them is in: whether the next beats are there.
/// Measured as the exit itself is ([`crate::technology::Technology::exit`]).
const CUT_THROUGH_LEVELS: f64 = 1.2;

/// Checks operations, maps and what is around the program. `cut_through`: packets leave before all of them is in.
///
/// # Errors
/// All that does not fit the clock.
pub fn check(
    program: &Program,
    plan: &[Access],
    timing: Timing,
    cut_through: bool,
) -> Result<(), Misfit> {
    let mut all = operations(program, timing);
    all.push(Undivided {
        what: "the count of beats at the exit".into(),
        place: whole(program),
        levels: match cut_through {
            true => timing.technology.exit + CUT_THROUGH_LEVELS,
            false => timing.technology.exit,
        },
    });
    all.extend(
        plan.iter()
            .flat_map(|access| around_map(program, access, timing)),
    );
    too_slow(all, timing)
}

/// Checks the entrances of hazard windows, which are known when the program is scheduled.
///
/// # Errors
/// As those of [`check`].
pub fn check_entrances(
    program: &Program,
    plan: &[Access],
    schedule: &Schedule,
    timing: Timing,
) -> Result<(), Misfit> {
    let mut all = Vec::new();
    for (index, access) in plan.iter().enumerate() {
        if !matches!(access.gate(), Some(Gate::Keys | Gate::Values)) {
            continue;
        }
        let window = schedule.window(program, access, index);
        let decl = &program.maps[access.map];
        let bits = match access.has_keys(program) {
            true => TAG_BITS,
            false => index_bits(u64::from(decl.max_entries)).min(TAG_BITS),
        };
        all.push(Undivided {
            what: format!(
                "map {}: the entrance of the packets that wait for each other",
                decl.name
            ),
            place: whole(program).within(format_args!("map {}", decl.name)),
            levels: timing.technology.interlock(bits, window),
        });
    }
    too_slow(all, timing)
}

fn too_slow(mut all: Vec<Undivided>, timing: Timing) -> Result<(), Misfit> {
    let budget = timing.budget();
    all.retain(|one| one.levels > budget);
    all.sort_by(slowest_first);
    match all.is_empty() {
        true => Ok(()),
        false => Err(Misfit::TooFast(all)),
    }
}

fn slowest_first(a: &Undivided, b: &Undivided) -> Ordering {
    b.levels.total_cmp(&a.levels)
}

/// A refusal at an instruction whose work cannot be divided.
pub(crate) fn refuse(
    program: &Program,
    inst: Inst,
    timing: Timing,
    what: &str,
    levels: f64,
) -> Diagnostic {
    let place = refusal(program, inst, CODE, "", "").place;
    let best = timing.technology.clock_of(levels).floor();
    let one = Undivided {
        what: what.to_string(),
        place: place.map(|place| *place).unwrap_or_default(),
        levels,
    };
    too_fast(timing, &[one]).help(way_out(best))
}

const CODE: &str = "clock-too-fast";

/// How many kinds of things are named in one message.
const MOST_NAMED: usize = 6;

/// One error for all that the clock is too fast for, at the place of the slowest. `all`: the slowest first, at least one.
fn too_fast(timing: Timing, all: &[Undivided]) -> Diagnostic {
    let (title, slowest) = (timing.technology.title, &all[0]);
    let mut message = format!(
        "{} takes {:.1} levels of logic, all in one clock; a clock of {} MHz on {title} has {:.1}",
        slowest.what,
        slowest.levels,
        timing.clock_mhz,
        timing.budget().max(0.0)
    );
    if all.len() > 1 {
        let mut kinds: Vec<&str> = Vec::new();
        for one in all {
            if one.what != slowest.what && !kinds.contains(&one.what.as_str()) {
                kinds.push(&one.what);
            }
        }
        message.push_str(&format!("; {} places take longer than that", all.len()));
        if !kinds.is_empty() {
            let more = if kinds.len() > MOST_NAMED {
                ", …"
            } else {
                ""
            };
            kinds.truncate(MOST_NAMED);
            message.push_str(&format!(": also {}{more}", kinds.join(", ")));
        }
    }
    Diagnostic::refused(CODE, message).at(slowest.place.clone())
}

fn way_out(clock_mhz: f64) -> String {
    format!("ask for a clock of at most {clock_mhz:.0} MHz (--clock), or for a faster family (--family)")
}

/// Every operation, which is one piece of logic. An instruction may have become many: the slowest speaks for them.
fn operations(program: &Program, timing: Timing) -> Vec<Undivided> {
    let mut all = Vec::new();
    for inst in &program.blocks[program.region()].insts {
        let data = &program.insts[*inst];
        if !data.op.is_pure() || data.results.is_empty() {
            continue;
        }
        let width = program.width(data.results[0]);
        let levels = (timing.technology).levels(program, &data.op, &data.args, width);
        all.push(Undivided {
            what: format!("operation {:?} on {width} bits", data.op),
            place: match nearest_place(program, *inst) {
                Some(place) => place_of(program, place),
                None => whole(program),
            },
            levels,
        });
    }
    all.sort_by(slowest_first);
    let mut places = HashSet::new();
    all.retain(|one| places.insert(one.place.clone()));
    all
}

/// Where an instruction comes from, or, if passes made it, one that uses what it gives.
fn nearest_place(program: &Program, inst: Inst) -> Option<PlaceId> {
    let mut behind: HashSet<Value> = HashSet::new();
    for next in &program.blocks[program.region()].insts {
        let data = &program.insts[*next];
        let uses = data.args.iter().chain(&data.guard);
        if *next != inst && !uses.into_iter().any(|value| behind.contains(value)) {
            continue;
        }
        if data.place.is_some() {
            return data.place;
        }
        behind.extend(&data.results);
    }
    None
}

/// What stands around the memories of a map.
fn around_map(program: &Program, access: &Access, timing: Timing) -> Vec<Undivided> {
    let (technology, decl) = (timing.technology, &program.maps[access.map]);
    let around = &technology.around_maps;
    let name = &decl.name;
    let entries = slots(decl);
    let mut all = Vec::new();
    let mut add = |what: &str, levels: f64| {
        all.push(Undivided {
            what: format!("map {name}: {what}"),
            place: whole(program).within(format_args!("map {name}")),
            levels,
        });
    };
    if access.has_keys(program) {
        let bits = access.stored.stored();
        if decl.is_ternary() {
            let words = ternary_of(decl, access.registers_keys).words();
            let join = technology.tree(f64::from(words));
            let rows = technology.ternary_read(decl);
            let read = match access.registers_keys {
                true => rows,
                false => rows + join,
            };
            add("the read of the rows of a key", read);
        } else if let Some(Search::Ranges { apart }) = access.search {
            let compare = technology.begin_compare(decl);
            let read = match access.registers_keys {
                true => {
                    add("the read of a level of the search", around.block_ram);
                    0.0
                }
                false => around.block_ram,
            };
            match apart {
                true => add("a level of the search", read + compare),
                false => {
                    let found = technology.found_choice();
                    add("the last level of the search", read + compare + found);
                }
            }
        } else if decl.is_prefix() {
            let join = technology.tree(f64::from(Lpm::words(decl.key_bytes)));
            let read = match access.registers_keys {
                true => around.block_ram,
                false => around.block_ram + join,
            };
            add("the read of the rows of a key", read);
            let search = technology.longer_prefixes(decl.max_entries);
            add("the search for the longest prefix", search);
        } else {
            add("the hash of a key", technology.hash(bits));
            add("the compare of a key", technology.key_compare(bits));
        }
    }
    add("the host's way to the values", technology.host);
    if access.has_values_beside(program) {
        return all;
    }
    match Array::in_lut_ram(entries) {
        true => add(
            "a read of LUT RAM with what is being written",
            around.lut_ram_read,
        ),
        false => {
            add("the address of a block RAM", timing.block_address(decl));
            let read = timing.memory_read(decl.value_bytes * 8, entries);
            match access.registers_values {
                true => add("a read of the values", read),
                false => add(
                    "a read of the values with what is being written",
                    read + technology.forwarded_read(),
                ),
            }
        }
    }
    if access.writes_values() {
        add("a new value back to the next read", around.write_back);
    }
    if access.is_structural() {
        let levels = technology.hash_commit(access.ports.len());
        add("the commit of an insert or delete", levels);
    }
    all
}

//! IR → RTL, one stage after another: predication, whole map words, hazards, scheduling, lowering.
//!
//! [`compile`] reads top to bottom; each step is a file.
#![warn(missing_docs)]

mod banks;
mod boundary;
pub mod clock;
mod compare;
mod cut_through;
pub mod delay;
mod direct;
mod fields;
mod implication;
pub mod key_bits;
mod limits;
pub mod lower;
mod maps;
mod memories;
mod moves;
mod old_pointers;
pub mod passes;
pub mod plan;
pub mod ports;
pub mod predicate;
pub mod promise;
pub mod recurrence;
mod refuse;
pub mod region;
pub mod report;
pub mod savings;
pub mod schedule;
pub mod segments;
pub mod several_ways;
pub mod shorten;
mod sizes;
pub mod slot;
mod slower;
mod small_sums;
mod structured;
pub mod technology;
pub mod top;
pub mod words;

use clock::Misfit;
use delay::Timing;
use hardpath_blocks::hash::Evicts;
use hardpath_blocks::interface::{design_id_of, Interface, BUS_BITS};
use hardpath_blocks::moves::Moves;
use hardpath_diagnostic::{Diagnostic, Severity};
use hardpath_ir::{verifier, Input, Op, Phase, Place, Program};
use hardpath_passes::Omitted;
use hardpath_rtl::borrow::by_borrow;
use hardpath_rtl::spread::spread;
use hardpath_rtl::Design;
pub use limits::{map as map_is_too_large, MOST_MAPS};
use plan::{Access, Class};
pub use promise::Promise;
pub use report::{Hazard, MapReport, Report};
use savings::{omitted, Saving, Without};
use schedule::Schedule;
use slower::AtClock;
use technology::{Technology, TECHNOLOGIES};

/// What the user asks of a design.
#[derive(Clone, Debug)]
pub struct Options {
    /// Target clock in MHz.
    pub clock_mhz: f64,
    /// Width of the packet streams, one of [`BUS_BITS`].
    pub bus_bits: u32,
    /// The family of FPGAs that it is for.
    pub technology: &'static Technology,
    /// What is not done to make the design small.
    pub without: Without,
    /// LRU maps tell what they take in and forget: [`hardpath_blocks::interface::Journal`]. The rest of the design is
    /// the same.
    pub journal: bool,
    /// Packets enter the program before all of them is in, and leave before that, too.
    pub cut_through: bool,
    /// Whether other clocks are tried, to say where one would do better: that takes as long as a few schedules.
    pub tries_clocks: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            clock_mhz: 250.0,
            bus_bits: 512,
            technology: TECHNOLOGIES[0],
            without: Without::new(),
            journal: false,
            cut_through: false,
            tries_clocks: false,
        }
    }
}

/// A compiled design.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// All modules of the hardware, the top among them.
    pub design: Design,
    /// Ports and maps of the top, as who drives the design must know them.
    pub interface: Interface,
    /// Size, latency, line rates, and how each map stays serial.
    pub report: Report,
    /// The program in the scheduled phase.
    pub scheduled: Program,
}

impl Compiled {
    /// The modules that hold a map's memory with all that is around it: `TOP_map_…`.
    pub fn map_modules(&self) -> Vec<String> {
        let names = self.design.modules.values();
        map_modules(
            &self.interface.top,
            names.map(|module| module.name.as_str()),
        )
    }
}

/// Those names of modules that are of the maps of a design.
pub fn map_modules<'a>(top: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let prefix = format!("{top}_map_");
    let of_maps = names.filter(|name| name.starts_with(&prefix));
    of_maps.map(String::from).collect()
}

/// Compiles a program, as lifted (control-flow phase), to hardware. A structured one goes through
/// [`hardpath_passes::lower_structured`] before.
///
/// # Errors
/// Everything that keeps the program from becoming hardware, each with its place.
pub fn compile(program: Program, options: &Options) -> Result<Compiled, Vec<Diagnostic>> {
    check_options(options)?;
    let timing = Timing {
        technology: options.technology,
        clock_mhz: options.clock_mhz,
    };
    let (program, ahead) = scheduled_form(program, options)?;
    let (mut program, built) = fitted(program, options, timing)?;
    let mut warnings: Vec<Diagnostic> = built.promise.warning().into_iter().collect();
    warnings.extend(ahead.map(|_| cut_through::warning(&program)));
    if options.tries_clocks {
        let other = |timing| at_clock(&program, options, timing).ok();
        warnings.extend(slower::warnings(&program, &built, other));
    }
    let AtClock {
        plan,
        mut schedule,
        promise,
    } = built;
    let without = &options.without;
    // Alone in its stage, or carried to the end whatever happens, nothing gains by waiting.
    if !without.contains(&Saving::Chaining) && !without.contains(&Saving::Pruning) {
        schedule = schedule::settled(&program, &plan, schedule, without);
    }
    plan::drop_hints(&mut program, &plan);
    mark_stages(&mut program, &schedule);
    assert_eq!(
        verifier::verify(&program),
        Ok(()),
        "the schedule of {}",
        program.name
    );
    let (design, interface, mut report) = hardware(&program, &plan, &schedule, (options, ahead));
    (report.promise, report.warnings) = (promise, warnings);
    Ok(Compiled {
        design,
        interface,
        report,
        scheduled: program,
    })
}

fn check_options(options: &Options) -> Result<(), Vec<Diagnostic>> {
    if !BUS_BITS.contains(&options.bus_bits) {
        return Err(vec![Diagnostic::input(
            "bus-width",
            format!("a bus of {} bits is not built", options.bus_bits),
        )
        .help("use --bus 64, 128, 256 or 512")]);
    }
    if !(options.clock_mhz.is_finite() && options.clock_mhz > 0.0) {
        return Err(vec![Diagnostic::input(
            "clock",
            "the clock must be a positive number of MHz",
        )]);
    }
    Ok(())
}

/// Clocks for which packets wait until the sum of their words is there, if the program asks for it.
fn clocks_for_sum(program: &Program, bus_bits: u32) -> u32 {
    let mut insts = program.insts_in_order();
    let asks = insts.any(|(_, inst)| program.insts[inst].op == Op::Input(Input::Sum));
    match asks {
        true => hardpath_blocks::packet_sum::clocks_before(bus_bits / 8),
        false => 0,
    }
}

/// The design of a scheduled program, and the report on it, without its promise. `ahead`: the bytes with which a packet enters the program
/// before all of it is in.
fn hardware(
    program: &Program,
    plan: &[Access],
    schedule: &Schedule,
    (options, ahead): (&Options, Option<u32>),
) -> (Design, Interface, Report) {
    let prefix = lower::module_name(&program.name);
    // What is inside at one packet a clock, and the entrance's margin, so that credits never cost throughput.
    let gates = schedule.gates(plan).len() as u32;
    let moved = moves::packet_moves(program);
    let exit = moved.as_ref().map_or(0, Moves::more_clocks);
    let for_sum = clocks_for_sum(program, options.bus_bits);
    let around = top::CLOCKS_AROUND + exit + for_sum + hardpath_blocks::ingress::MARGIN + 4;
    let credits = (schedule.stages + 2 * gates + around).next_power_of_two();
    let mut design = Design::new();
    design.attributes = options.technology.attributes;
    let how = lower::How {
        prefix: &prefix,
        credits,
        pruned: !options.without.contains(&Saving::Pruning),
        journal: options.journal,
        ends_apart: ahead.is_some(),
    };
    let (block, compute) = lower::lower(program, plan, schedule, &mut design, &how);
    let mut report = report(program, plan, schedule, options, &compute);
    let around = top::Around {
        prefix: &prefix,
        bus_bits: options.bus_bits,
        credits,
        design_id: design_id(program, options),
        ahead,
        lut_inputs: options.technology.lut_inputs,
    };
    let interface = top::top(&mut design, (block, compute), program, &around);
    report.ahead_bytes = interface.ahead_bytes;
    if options.without.contains(&Saving::Srl) {
        savings::reset_all(&mut design);
    }
    for_family(&mut design, schedule.timing);
    debug_assert_eq!(hardpath_rtl::check::check(&design), Ok(()));
    (design, interface, report)
}

/// What every design gets in the end: large memories of UltraRAM where the family has it, no net with more loads than its tools like, and
/// orders in the form that becomes a carry chain and nothing else.
pub fn for_family(design: &mut Design, timing: Timing) {
    design.attributes = timing.technology.attributes;
    memories::place_in_ultra_ram(design, timing);
    spread(design, timing.technology.most_loads);
    if let Some(least) = timing.technology.borrows {
        by_borrow(design, least);
    }
}

/// Plans and schedules a program at a clock.
fn at_clock(program: &Program, options: &Options, timing: Timing) -> Result<AtClock, Misfit> {
    let plan = plan::plan(program, timing)?;
    clock::check(program, &plan, timing, options.cut_through)?;
    let (plan, schedule) = calmly(program, plan, timing, &options.without)?;
    clock::check_entrances(program, &plan, &schedule, timing)?;
    Ok(AtClock {
        promise: promise::promise(program, &plan, &schedule, options.bus_bits),
        plan,
        schedule,
    })
}

/// Schedules a plan, with time around carry chains where that costs a stage at most, and no packet waits for it.
fn calmly(
    program: &Program,
    plan: Vec<Access>,
    timing: Timing,
    without: &Without,
) -> Result<direct::Scheduled, Misfit> {
    let calm = direct::scheduled(program, plan.clone(), timing, (without, true));
    let plain = direct::scheduled(program, plan, timing, (without, false))?;
    let waits = |scheduled: &direct::Scheduled| {
        let (plan, schedule) = scheduled;
        direct::waits(program, plan, schedule)
    };
    Ok(match calm {
        Ok(calm) if waits(&calm) <= waits(&plain) && calm.1.stages <= plain.1.stages + 1 => calm,
        _ => plain,
    })
}

/// What keeps a program from becoming hardware, as far as it has nothing to do with the clock. For a part of a program, whose
/// other part a front end refuses: all that is said of the part holds for the whole.
pub fn refusals(program: Program, options: &Options) -> Vec<Diagnostic> {
    let timing = Timing {
        technology: options.technology,
        clock_mhz: clock::SLOWEST_MHZ,
    };
    let fits = |(program, _)| clock::fit(timing, |timing| at_clock(&program, options, timing));
    let found = scheduled_form(program, options).and_then(fits);
    let mut errors = found.map_or_else(|errors| errors, |_| Vec::new());
    errors.retain(|error| error.severity == Severity::Refused);
    errors
}

/// The form of a program that is planned and scheduled; and with how many bytes packets enter it, if that is before all of them is in.
fn scheduled_form(
    mut program: Program,
    options: &Options,
) -> Result<(Program, Option<u32>), Vec<Diagnostic>> {
    structured::check(&program)?;
    limits::check(&program)?;
    let omitted = omitted(&options.without);
    let end = match options.cut_through {
        true => cut_through::end(&program),
        false => None,
    };
    hardpath_passes::optimize_control_flow_without(&mut program, omitted)
        .map_err(|error| vec![error])?;
    let program = dataflow_without(&program, omitted)?;
    let ahead = match options.cut_through {
        true => Some(cut_through::bytes(&program, end)?),
        false => None,
    };
    Ok((program, ahead))
}

/// A program as it is, or with shorter recurrences, whichever does better.
///
/// # Errors
/// As those of [`clock::fit`], of the program as it is.
fn fitted(
    program: Program,
    options: &Options,
    timing: Timing,
) -> Result<(Program, AtClock), Vec<Diagnostic>> {
    let plain = clock::fit(timing, |timing| at_clock(&program, options, timing));
    let mut short = program.clone();
    let may = !options.without.contains(&Saving::Reassociation);
    if !may {
        return Ok((program, plain?));
    }
    let joined = several_ways::join(&mut short);
    if joined {
        let omitted = omitted(&options.without);
        hardpath_passes::optimize_dataflow_without(&mut short, omitted)
            .map_err(|error| vec![error])?;
    }
    let shortened = shorten::shorten(&mut short, options.technology);
    if !joined && !shortened {
        return Ok((program, plain?));
    }
    debug_assert_eq!(verifier::verify(&short), Ok(()));
    match (plain, at_clock(&short, options, timing)) {
        (Ok(plain), Ok(shorter)) if is_better(&program, &plain, &short, &shorter) => {
            Ok((short, shorter))
        }
        (Err(_), Ok(shorter)) => Ok((short, shorter)),
        (plain, _) => Ok((program, plain?)),
    }
}

/// Whether packets wait less for each other, or as long with fewer carry chains behind each other in a stage: tools map the logic
/// between two chains without a look at what stands around it. If all that is the same, with less logic in front of what is written.
fn is_better(program: &Program, plain: &AtClock, short: &Program, shorter: &AtClock) -> bool {
    let waits =
        |program: &Program, built: &AtClock| direct::waits(program, &built.plan, &built.schedule);
    match waits(short, shorter).cmp(&waits(program, plain)) {
        std::cmp::Ordering::Less => true,
        std::cmp::Ordering::Equal => {
            let depth = |program: &Program, built: &AtClock| {
                let chains = shorten::chains(program, &built.schedule);
                let schedule = &built.schedule;
                let words = schedule.before_stores(program, &built.plan);
                (chains, schedule.stages, schedule.emit, words)
            };
            depth(short, shorter) < depth(program, plain)
        }
        std::cmp::Ordering::Greater => false,
    }
}

/// The dataflow form that is scheduled: one region, whole map words, optimized.
///
/// # Errors
/// Map accesses that cannot be committed at one place.
pub fn dataflow(program: &Program) -> Result<Program, Vec<Diagnostic>> {
    dataflow_without(program, Omitted::default())
}

fn dataflow_without(program: &Program, omitted: Omitted) -> Result<Program, Vec<Diagnostic>> {
    let optimize = |program: &mut Program| {
        hardpath_passes::optimize_dataflow_without(program, omitted).map_err(|error| vec![error])
    };
    structured::check(program)?;
    let mut program = predicate::predicate(program);
    optimize(&mut program)?;
    let mut errors = plan::forbidden_writes(&program);
    errors.extend(old_pointers::check(&program));
    if !errors.is_empty() {
        return Err(errors);
    }
    words::map_words(&mut program)?;
    optimize(&mut program)?;
    let shared = ports::share(&mut program);
    if moves::drop_unseen_stores(&mut program) || shared {
        optimize(&mut program)?;
    }
    debug_assert_eq!(verifier::verify(&program), Ok(()));
    Ok(program)
}

fn mark_stages(program: &mut Program, schedule: &Schedule) {
    let region = program.region();
    for inst in program.blocks[region].insts.clone() {
        program.insts[inst].stage = schedule.stage_of.get(&inst).copied();
    }
    program.phase = Phase::Scheduled;
}

fn report(
    program: &Program,
    plan: &[Access],
    schedule: &Schedule,
    options: &Options,
    compute: &lower::Compute,
) -> Report {
    let maps = program
        .maps
        .iter()
        .map(|(map, decl)| {
            let mine: Vec<usize> = (0..plan.len())
                .filter(|number| plan[*number].map == map)
                .collect();
            // Of copies and banks the most costly one speaks for all.
            let rank = |number: &usize| hazard(&plan[*number]).0;
            let number = mine
                .into_iter()
                .max_by_key(rank)
                .expect("every map has an access");
            let (hazard, mut reason) = hazard(&plan[number]);
            match plan[number].evicts(program) {
                Evicts::Nobody => {}
                Evicts::Candidates => {
                    reason.push_str("; when it is full, the oldest of up to eight keys goes");
                }
                Evicts::FirstBucket => {
                    reason.push_str("; when it is full, the older of up to two keys goes");
                }
            }
            if decl.broadcast {
                reason.push_str("; packets go to all its devices: the exit has a list of them");
            }
            MapReport {
                name: decl.name.clone(),
                kind: decl.outside.clone(),
                key_bytes: decl.key_bytes,
                key_bits: decl.key_bytes * 8,
                key_bits_stored: plan[number].stored.stored(),
                value_bytes: decl.value_bytes,
                max_entries: decl.max_entries,
                hazard,
                window: schedule.window(program, &plan[number], number),
                reason,
            }
        })
        .collect();
    let gates = schedule.gates(plan);
    let before_emit = gates
        .iter()
        .filter(|(stage, _)| *stage <= schedule.emit)
        .count() as u32;
    let in_exit = match &compute.moved {
        Some(moved) => moved.more_clocks(),
        None => 0,
    };
    Report {
        stages: schedule.stages,
        // A segment FIFO holds a packet for one clock more than a register does.
        latency_clocks: schedule.emit
            + 1
            + before_emit
            + top::CLOCKS_AROUND
            + clocks_for_sum(program, options.bus_bits)
            + in_exit,
        result_stages: schedule.emit + 1,
        window_bytes: compute.window_bytes,
        levels: schedule.levels,
        clock_mhz: options.clock_mhz,
        technology: options.technology.name,
        bus_bits: options.bus_bits,
        register_bits: compute.register_bits,
        maps,
        ahead_bytes: None,
        promise: Promise::default(),
        warnings: Vec::new(),
    }
}

/// How an access stays serial, and why so.
fn hazard(access: &plan::Access) -> (Hazard, String) {
    let of = |class: &Class| match class {
        Class::ReadOnly => (Hazard::None, "the data plane only reads it".to_string()),
        Class::Fused { adds: true } => (
            Hazard::None,
            "the data plane only adds, and reads no result".to_string(),
        ),
        Class::Fused { adds: false } => (
            Hazard::Fused,
            "read, computed and written in one stage, with forwarding".to_string(),
        ),
        Class::Interlock { reason } => (Hazard::Interlock, reason.clone()),
        Class::Replay { reason } => (Hazard::Replay, reason.clone()),
    };
    let (keys, values) = (of(&access.keys), of(&access.values));
    match keys.0 > values.0 {
        true => keys,
        false => values,
    }
}

/// A hash of the program and what it was compiled for, wherever its source stands.
fn design_id(program: &Program, options: &Options) -> u32 {
    let mut program = program.clone();
    for place in program.places.values_mut() {
        *place = Place::default();
    }
    let target = options.technology.name;
    let without = options.without.iter().map(|saving| saving.name());
    let without: String = without.collect();
    let cut_through = match options.cut_through {
        true => "cut-through",
        false => "",
    };
    let text = format!(
        "{program}{}{}{target}{without}{cut_through}",
        options.clock_mhz, options.bus_bits
    );
    design_id_of(&text)
}

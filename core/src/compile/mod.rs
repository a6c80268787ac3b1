//! From the program IR to rows.

mod allocate;
mod check;
mod coalesce;
pub mod code;
mod effects;
mod emit;
mod forward;
mod guards;
mod legal;
mod live;
mod meetings;
mod moves;
mod order;
mod plain;
mod prepare;
mod regions;
mod rounds;
pub mod savings;
mod schedule;
mod select;
mod spill;
mod uses;
mod waiting;

use crate::image::{Image, Machine, Origins};
use allocate::{allocate, Places, Spill, Trace};
use code::{Code, Label, Reg};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::Program;
use savings::{Saving, Without};
use schedule::{Banks, Context, Params};
use std::collections::{HashMap, HashSet};

/// So many registers and predicates are spilled before the rows are made anew: with fewer in the way, others may find places.
const AT_ONCE: usize = 8;
/// More rounds of spilling are not made.
const MOST_SPILLS: usize = 256;
/// A program that would need so many times the stack now does not come to fit.
const HOPELESS: u32 = 2;
/// Bytes of what is kept for a register.
const SPILL_BYTES: u32 = 8;
/// Where this variable is set, rows are checked against their code in builds without assertions, too.
const CHECK: &str = "HARDPATH_CHECK_ROWS";

/// A program for a core, and where its operations came from.
pub struct Compiled {
    /// What the core runs.
    pub image: Image,
    /// Where it came from.
    pub origins: Origins,
    /// The program that the rows were made of.
    pub program: Program,
}

/// A program in the structured or the control-flow phase as rows.
///
/// # Errors
/// What the core does not do, and what does not fit into it, each with its place.
pub fn compile(program: &Program, machine: &Machine) -> Result<Compiled, Vec<Diagnostic>> {
    compile_without(program, machine, Without::NOTHING)
}

/// The same, with some of what makes rows few left out.
///
/// # Errors
/// As those of [`compile`].
pub fn compile_without(
    program: &Program,
    machine: &Machine,
    without: Without,
) -> Result<Compiled, Vec<Diagnostic>> {
    let made = make(program, machine, without)?;
    fits(&made.compiled.image, machine)?;
    crate::verifier::verify(&made.compiled.image, machine).map_err(|all| {
        let all = all.into_iter();
        all.map(|error| own_fault("rows break a rule", error))
            .collect::<Vec<_>>()
    })?;
    if cfg!(debug_assertions) || std::env::var_os(CHECK).is_some() {
        made.check()?;
    }
    Ok(made.compiled)
}

/// A program as rows, with what these were made of.
struct Made {
    compiled: Compiled,
    code: Code,
    places: Places,
    /// The first row of each block.
    starts: HashMap<Label, u32>,
}

impl Made {
    /// Whether the rows do what the code does.
    fn check(&self) -> Result<(), Vec<Diagnostic>> {
        let claim = check::Claim {
            code: &self.code,
            places: &self.places,
            starts: &self.starts,
        };
        let checked = check::check(&claim, &self.compiled.image);
        let what = "rows differ from the code that they were made of";
        checked.map_err(|all| {
            let all = all.into_iter();
            all.map(|difference| own_fault(what, difference)).collect()
        })
    }
}

fn own_fault(what: &str, why: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::defect("internal-error", format!("{what}: {why}"))
}

/// The operations of a prepared program, in traces.
fn operations(
    prepared: &Program,
    machine: &Machine,
    without: Without,
) -> Result<Code, Vec<Diagnostic>> {
    let mut code = select::select(prepared, without)?;
    legal::make_legal(&mut code);
    if without.keeps(Saving::Meetings) {
        meetings::put_together_before(&mut code);
    }
    if without.keeps(Saving::Traces) {
        regions::turn(&mut code);
    }
    moves::make_moves(&mut code);
    if without.contains(Saving::Operands) {
        plain::move_operands(&mut code);
    }
    regions::form(&mut code, without);
    if without.keeps(Saving::Operands) {
        coalesce::make_in_place(&mut code);
    }
    legal::make_legal(&mut code);
    if without.keeps(Saving::Rounds) {
        rounds::overlap(&mut code, machine, without);
    }
    Ok(code)
}

/// Keeps the first of these elsewhere, registers behind so many bytes of stack; gives how many that are then.
fn spill_some(code: &mut Code, spills: Vec<Spill>, mut stack: u32, keep: &mut HashSet<Reg>) -> u32 {
    for spill in spills.into_iter().take(AT_ONCE) {
        match spill {
            Spill::Pred(pred) => spill::spill_predicate(code, pred),
            Spill::Reg(reg) => {
                spill::spill_register(code, reg, stack as i32, keep);
                stack += SPILL_BYTES;
            }
        }
    }
    stack
}

fn make(program: &Program, machine: &Machine, without: Without) -> Result<Made, Vec<Diagnostic>> {
    let prepared = prepare::prepare(program, without)?;
    let mut code = operations(&prepared, machine, without)?;
    let own_stack = prepared.limits.stack.next_multiple_of(SPILL_BYTES);
    let mut keep = HashSet::new();
    let mut stack = own_stack;
    for _ in 0..MOST_SPILLS {
        let (traces, banks) = schedule_all(&code, machine, without);
        let places = match allocate(&traces, &banks, machine, &keep) {
            Ok(places) => places,
            Err(spills) => {
                let regs = spills.iter().filter(|one| matches!(one, Spill::Reg(_)));
                let needed = stack + regs.count() as u32 * SPILL_BYTES;
                let hopeless = needed > HOPELESS * machine.stack;
                stack = spill_some(&mut code, spills, stack, &mut keep);
                // It only grows.
                if hopeless || stack > machine.stack {
                    return Err(vec![no_stack(needed.max(stack), machine)]);
                }
                continue;
            }
        };
        let emit::Emitted {
            rows,
            mut origins,
            starts,
        } = emit::emit(&traces, &places);
        origins.places = prepared.places.clone();
        let image = Image {
            name: prepared.name.clone(),
            lanes: machine.lanes,
            registers: machine.registers,
            rows,
            stack,
            limits: prepared.limits,
            inputs: prepared.inputs.clone(),
            outputs: prepared.outputs.clone(),
            maps: prepared.maps.clone(),
        };
        let compiled = Compiled {
            image,
            origins,
            program: prepared,
        };
        return Ok(Made {
            compiled,
            code,
            places,
            starts,
        });
    }
    Err(vec![Diagnostic::refused(
        "too-many-registers",
        "no places were found for the program's registers",
    )
    .help("keep fewer values alive at a time")])
}

fn no_stack(needed: u32, machine: &Machine) -> Diagnostic {
    let message = format!(
        "the program needs {needed} bytes of stack, what finds no register included, and the core has {}",
        machine.stack
    );
    let error = Diagnostic::refused("stack-too-large", message);
    error.help("keep fewer values alive at a time, or a smaller stack")
}

fn fits(image: &Image, machine: &Machine) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    if image.rows.len() > machine.rows as usize {
        let message = format!(
            "the program has {} rows, and the core's program memory takes {}",
            image.rows.len(),
            machine.rows
        );
        let error = Diagnostic::refused("too-many-rows", message);
        errors.push(error.help("a core with more lanes takes fewer rows"));
    }
    if image.stack > machine.stack {
        errors.push(no_stack(image.stack, machine));
    }
    match errors.is_empty() {
        true => Ok(()),
        false => Err(errors),
    }
}

/// Every block in rows, in their order.
fn schedule_all(code: &Code, machine: &Machine, without: Without) -> (Vec<Trace>, Banks) {
    let live = live::live(code);
    let sends = code.order.iter().any(|label| {
        let mut steps = code.blocks[*label].iter();
        steps.any(|step| matches!(step.op.action, crate::isa::Action::Send { .. }))
    });
    let context = Context {
        machine,
        live: &live,
        params: &params(code),
        sends,
        without,
    };
    let mut banks = Banks::new();
    let traces = code.order.iter().map(|&label: &Label| {
        let rows = schedule::schedule(
            code.blocks[label].clone(),
            &context,
            &live[label],
            &mut banks,
        );
        Trace { label, rows }
    });
    let traces: Vec<Trace> = traces.collect();
    (traces, banks)
}

/// Registers that are written at several places, each with the others that are written in the same blocks.
fn params(code: &Code) -> Params {
    let written = |label: &Label| -> Vec<Reg> {
        let steps = code.blocks[*label].iter();
        steps.flat_map(|step| step.touched().writes).collect()
    };
    let several = live::written_again(code);
    let mut params = Params::new();
    for label in &code.order {
        let here: HashSet<Reg> = written(label)
            .into_iter()
            .filter(|reg| several.has(*reg))
            .collect();
        for &reg in &here {
            let others = here.iter().copied().filter(|other| *other != reg);
            params.entry(reg).or_default().extend(others);
        }
    }
    params
}

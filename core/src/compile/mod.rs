//! From the program IR to rows.

mod allocate;
pub mod code;
mod effects;
mod emit;
mod legal;
mod live;
mod moves;
mod order;
mod prepare;
mod regions;
mod schedule;
mod select;
mod spill;

use crate::image::{Image, Machine, Origins};
use allocate::{allocate, Keep, Spill, Trace};
use code::{Code, Label};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::Program;
use schedule::{Banks, Context};

/// More rounds of spilling are not made.
const MOST_SPILLS: usize = 4096;
/// Bytes of what is kept for a register.
const SPILL_BYTES: u32 = 8;

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
    let prepared = prepare::prepare(program)?;
    let mut code = select::select(&prepared)?;
    legal::make_legal(&mut code);
    moves::make_moves(&mut code);
    regions::form(&mut code);
    legal::make_legal(&mut code);
    let own_stack = prepared.limits.stack.next_multiple_of(SPILL_BYTES);
    let mut keep = Keep::default();
    let mut stack = own_stack;
    for _ in 0..MOST_SPILLS {
        let (traces, mut banks) = schedule_all(&code, machine);
        let places = match allocate(&code, &traces, &mut banks, machine, &keep) {
            Ok(places) => places,
            Err(Spill::Pred(pred)) => {
                spill::spill_predicate(&mut code, pred, &mut keep);
                continue;
            }
            Err(Spill::Reg(reg)) => {
                spill::spill_register(&mut code, reg, stack as i32, &mut keep);
                stack += SPILL_BYTES;
                continue;
            }
        };
        let (rows, mut origins) = emit::emit(&traces, &places);
        origins.places = prepared.places.clone();
        let starts = code.starts.iter();
        let starts = starts
            .map(|(reg, input)| (places.regs[reg], *input))
            .collect();
        let image = Image {
            name: prepared.name.clone(),
            lanes: machine.lanes,
            registers: machine.registers,
            rows,
            starts,
            stack,
            limits: prepared.limits,
            inputs: prepared.inputs.clone(),
            outputs: prepared.outputs.clone(),
            maps: prepared.maps.clone(),
        };
        fits(&image, machine)?;
        return Ok(Compiled {
            image,
            origins,
            program: prepared,
        });
    }
    Err(vec![Diagnostic::refused(
        "registers",
        "no places were found for the program's registers",
    )])
}

fn fits(image: &Image, machine: &Machine) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    if image.rows.len() > machine.rows as usize {
        let message = format!(
            "the program has {} rows, and the core's program memory takes {}",
            image.rows.len(),
            machine.rows
        );
        errors.push(Diagnostic::refused("too-many-rows", message));
    }
    if image.stack > machine.stack {
        let message = format!(
            "the program needs {} bytes of stack, and the core has {}",
            image.stack, machine.stack
        );
        errors.push(Diagnostic::refused("stack-too-large", message));
    }
    match errors.is_empty() {
        true => Ok(()),
        false => Err(errors),
    }
}

/// Every block in rows, in their order.
fn schedule_all(code: &Code, machine: &Machine) -> (Vec<Trace>, Banks) {
    let live = live::live(code);
    let sends = code.order.iter().any(|label| {
        let mut steps = code.blocks[*label].iter();
        steps.any(|step| matches!(step.op.action, crate::isa::Action::Send { .. }))
    });
    let context = Context {
        machine,
        live: &live,
        sends,
    };
    let mut banks = Banks::new();
    for (bank, (reg, _)) in code.starts.iter().enumerate() {
        banks.insert(*reg, bank as u8 % machine.lanes);
    }
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

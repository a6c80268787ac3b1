//! All passes that run alone on the text form: those of `hardpath_passes`, and the steps of the pipeline that are
//! passes, too. Text may be anything that the verifier lets through, so what a step takes for granted is asked here first.

use crate::{moves, ports, predicate, words};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::graph::Graph;
use hardpath_ir::{Bits, Inst, Op, Phase, Program, Terminator};
use hardpath_passes::Pass;

/// Every pass, in alphabetical order.
pub fn all() -> Vec<&'static Pass> {
    let mut all: Vec<&'static Pass> = hardpath_passes::all().iter().chain(&STEPS).collect();
    all.sort_by_key(|pass| pass.name);
    all
}

/// The pass of that name.
pub fn find(name: &str) -> Option<&'static Pass> {
    all().into_iter().find(|pass| pass.name == name)
}

static STEPS: [Pass; 4] = [
    Pass {
        name: "moves",
        summary: "drop stores to headroom that no packet leaves with (dataflow)",
        phases: &[Phase::Dataflow],
        step: |program| Ok(moves::drop_unseen_stores(program)),
    },
    Pass {
        name: "ports",
        summary:
            "let accesses of a map that exclude each other have one port (dataflow, behind words)",
        phases: &[Phase::Dataflow],
        step: |program| {
            has_whole_words(program).map_err(|error| vec![error])?;
            Ok(ports::share(program))
        },
    },
    Pass {
        name: "predicate",
        summary: "make one region of all blocks (control flow, behind bytes_to_values)",
        phases: &[Phase::ControlFlow],
        step: |program| {
            has_stores_at_exits(program).map_err(|error| vec![error])?;
            drop_unreached(program);
            *program = predicate::predicate(program);
            Ok(true)
        },
    },
    Pass {
        name: "words",
        summary: "make whole words of what is read and written of maps (dataflow)",
        phases: &[Phase::Dataflow],
        step: |program| {
            has_known_entries(program).map_err(|error| vec![error])?;
            words::map_words(program)?;
            Ok(true)
        },
    },
];

/// What another pass must have done before.
fn needs(program: &Program, inst: Inst, message: &str, pass: &str) -> Diagnostic {
    let blocks = program.order.iter();
    let block = blocks
        .copied()
        .find(|block| program.blocks[*block].insts.contains(&inst));
    let place = block.map(|block| program.inst_place(block, inst));
    Diagnostic::input("pass-order", message)
        .at(place.unwrap_or_default())
        .help(format!("run `{pass}` first"))
}

/// Whether packet bytes are written as [`predicate`] wants it: last in blocks that end the program, at constant offsets from the
/// lowest up, no byte twice.
fn has_stores_at_exits(program: &Program) -> Result<(), Diagnostic> {
    let wrong = |inst, message| Err(needs(program, inst, message, "bytes_to_values"));
    for block in &program.order {
        let data = &program.blocks[*block];
        let mut end: Option<i64> = None;
        for &inst in &data.insts {
            let InstParts { op, offset, bytes } = parts(program, inst);
            match op {
                Op::PacketClear => return wrong(inst, "the packet is cleared"),
                Op::PacketLoad if end.is_some() => {
                    return wrong(inst, "packet bytes are read behind a store");
                }
                Op::PacketStore => {
                    let Some(offset) = offset else {
                        return wrong(inst, "the offset of this store is no constant");
                    };
                    if !matches!(data.terminator, Terminator::Emit(_)) {
                        return wrong(inst, "packet bytes are written before the program's end");
                    }
                    if end.is_some_and(|end| end > offset) {
                        return wrong(inst, "packet bytes are not written in ascending order");
                    }
                    end = Some(offset.saturating_add(bytes));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// What a load or store does, as far as it is constant.
struct InstParts<'a> {
    op: &'a Op,
    /// The first argument.
    offset: Option<i64>,
    /// Of the second argument.
    bytes: i64,
}

fn parts(program: &Program, inst: Inst) -> InstParts<'_> {
    let data = &program.insts[inst];
    let first = data.args.first().and_then(|arg| program.as_const(*arg));
    let second = data.args.get(1).map_or(0, |arg| program.width(*arg) / 8);
    InstParts {
        op: &data.op,
        offset: first.and_then(Bits::as_u64).map(|offset| offset as i64),
        bytes: second.into(),
    }
}

/// Takes blocks away that nothing leads to: their conditions would be those of nothing.
fn drop_unreached(program: &mut Program) {
    let dominators = Graph::new(program, &program.order).dominators();
    let order = std::mem::take(&mut program.order);
    let reached = order.into_iter().enumerate();
    let reached = reached.filter(|(node, _)| dominators.is_reached(*node));
    program.order = reached.map(|(_, block)| block).collect();
}

/// Whether every table that is accessed through an entry has been asked for one: [`words`] numbers what lookups and updates give.
fn has_known_entries(program: &Program) -> Result<(), Diagnostic> {
    let mut asked = Vec::new();
    for &inst in &program.blocks[program.region()].insts {
        let data = &program.insts[inst];
        let Some(map) = data.op.map() else { continue };
        match data.op {
            Op::MapLookup(_) => asked.push(map),
            Op::MapLoad(_) | Op::MapStore(_) | Op::MapAtomic(..)
                if !program.maps[map].is_array() && !asked.contains(&map) =>
            {
                let message = "a map is accessed through an entry that no lookup before gives";
                return Err(Diagnostic::input("pass-order", message)
                    .at(program.inst_place(program.region(), inst))
                    .help("look the key up first"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether maps are accessed as [`words`] leaves it.
fn has_whole_words(program: &Program) -> Result<(), Diagnostic> {
    for &inst in &program.blocks[program.region()].insts {
        let data = &program.insts[inst];
        let Some(map) = data.op.map() else { continue };
        let bits = u64::from(program.maps[map].value_bytes) * 8;
        let at_start = || program.as_const(data.args[1]).is_some_and(Bits::is_zero);
        let is_whole = match data.op {
            Op::MapAtomic(..) => false,
            Op::MapLoad(_) => at_start() && u64::from(program.width(data.results[0])) == bits,
            Op::MapStore(_) => at_start() && u64::from(program.width(data.args[2])) == bits,
            _ => true,
        };
        if !is_whole {
            let message = "a part of a map's value is read or written";
            return Err(needs(program, inst, message, "words"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_in_order() {
        let all = all();
        assert!(all.windows(2).all(|pair| pair[0].name < pair[1].name));
        assert_eq!(all.len(), hardpath_passes::all().len() + STEPS.len());
        assert!(all
            .iter()
            .all(|pass| find(pass.name).is_some() && !pass.phases.is_empty()));
        assert!(find("no such pass").is_none());
    }
}

//! A way that brings a constant goes on where the constant leads.
//!
//! ```text
//! block1: jump block3(1)                     block1: jump block4
//! block2: jump block3(v5)                    block2: jump block3(v5)
//! block3(v1): v2 = ne v1, 0          →       block3(v1): v2 = ne v1, 0
//!             branch v2, block4, block5                  branch v2, block4, block5
//! ```

use super::ends::{copy_with, targets_mut};
use super::is_part;
use hardpath_ir::{Block, Op, Program, Target, Terminator, Value};

/// More operations are not copied for one way.
const MOST_COPIED: usize = 4;

/// Gives whether something changed.
pub fn follow_constants(program: &mut Program) -> bool {
    let mut changed = false;
    for meeting in program.order.clone().into_iter().rev() {
        if !can_be_copied(program, meeting) {
            continue;
        }
        for from in program.order.clone() {
            let mut terminator = program.blocks[from].terminator.clone();
            let mut led = false;
            for target in targets_mut(&mut terminator) {
                if target.block != meeting || !is_decided(program, target) {
                    continue;
                }
                let copy = copy_with(program, meeting, &target.args);
                // It comes behind its original in place of the end.
                program.order.pop();
                let behind = program.order.iter().position(|block| *block == meeting);
                let behind = behind.expect("it is one of them");
                program.order.insert(behind + 1, copy);
                *target = Target {
                    block: copy,
                    args: Vec::new(),
                };
                led = true;
            }
            if led {
                program.blocks[from].terminator = terminator;
                changed = true;
            }
        }
    }
    changed
}

/// It does little that only itself needs, and its parameters decide where it leads.
fn can_be_copied(program: &Program, block: Block) -> bool {
    let data = &program.blocks[block];
    let is_branch = matches!(data.terminator, Terminator::Branch { .. });
    if data.params.is_empty() || data.bound.is_some() || !is_branch {
        return false;
    }
    let ops = || data.insts.iter().map(|inst| &program.insts[*inst]);
    let costs = ops().filter(|inst| !is_part(&inst.op));
    if costs.count() > MOST_COPIED || !ops().all(|inst| inst.op.is_pure()) {
        return false;
    }
    let results = ops().flat_map(|inst| inst.results.iter().copied());
    let own: Vec<Value> = results.chain(data.params.iter().copied()).collect();
    let others = program.order.iter().filter(|other| **other != block);
    let mut used = others.flat_map(|other| {
        let data = &program.blocks[*other];
        let insts = data.insts.iter();
        let args = insts.flat_map(|inst| program.insts[*inst].uses());
        args.chain(data.terminator.uses())
    });
    !used.any(|value| own.contains(&value))
}

/// What arguments a target has say where it leads on.
fn is_decided(program: &Program, target: &Target) -> bool {
    let Terminator::Branch { cond, .. } = program.blocks[target.block].terminator else {
        return false;
    };
    let params = &program.blocks[target.block].params;
    let is_known = |value: Value| {
        let place = params.iter().position(|param| *param == value);
        let value = place.map_or(value, |place| target.args[place]);
        program.as_const(value).is_some()
    };
    depends(program, cond, params).is_some_and(|all| all.into_iter().all(is_known))
}

/// The parameters that decide a value; `None`: something else does, too.
fn depends(program: &Program, value: Value, params: &[Value]) -> Option<Vec<Value>> {
    if params.contains(&value) {
        return Some(vec![value]);
    }
    let data = program.def_inst(value)?;
    if matches!(data.op, Op::Const(_)) {
        return Some(Vec::new());
    }
    if !data.op.is_pure() || data.args.is_empty() {
        return None;
    }
    let mut all = Vec::new();
    for arg in &data.args {
        all.extend(depends(program, *arg, params)?);
    }
    Some(all)
}

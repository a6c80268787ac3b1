//! What each block of code needs of those that go to it.

use crate::compile::code::{Code, Label, Touched};
use crate::compile::live::Set;
use cranelift_entity::SecondaryMap;

/// By block.
pub type Needs = SecondaryMap<Label, Set>;

/// Of all blocks: what they read before they write it themselves, and what those need that they go to.
pub fn needs(code: &Code) -> Needs {
    let mut needs = Needs::new();
    let mut changed = true;
    while changed {
        changed = false;
        for &label in code.order.iter().rev() {
            let needed = block(code, label, &needs);
            changed |= needs[label].join(&needed);
        }
    }
    needs
}

fn block(code: &Code, label: Label, needs: &Needs) -> Set {
    let (mut needed, mut own) = (Set::default(), Set::default());
    for step in &code.blocks[label] {
        let Touched {
            mut reads,
            writes,
            mut asks,
            decides,
            goes,
        } = step.touched();
        // What a guard can leave as it was is read.
        if step.op.guard.is_some() {
            reads.extend(&writes);
        }
        let kept = decides.iter().filter(|(_, keeps)| *keeps);
        asks.extend(kept.map(|(pred, _)| *pred));
        if let Some(there) = goes.map(|to| &needs[to]) {
            reads.extend(there.regs());
            asks.extend(there.preds());
        }
        reads.retain(|reg| !own.has(*reg));
        asks.retain(|pred| !own.has_pred(*pred));
        reads.into_iter().for_each(|reg| needed.add(reg));
        asks.into_iter().for_each(|pred| needed.add_pred(pred));
        writes.into_iter().for_each(|reg| own.add(reg));
        decides.into_iter().for_each(|(pred, _)| own.add_pred(pred));
    }
    needed
}

//! Blocks into traces.

use super::code::{Code, Label};
use super::effects::goes;
use super::live::{before, live, Set};
use cranelift_entity::SecondaryMap;

/// Makes blocks as long as they can be, and takes out what nobody needs.
pub fn form(code: &mut Code) {
    sweep(code);
    join(code);
}

/// Takes out blocks that nothing leads to, and operations whose results nobody reads.
fn sweep(code: &mut Code) {
    let mut reached: SecondaryMap<Label, bool> = SecondaryMap::new();
    let mut open = vec![code.order[0]];
    while let Some(label) = open.pop() {
        if !std::mem::replace(&mut reached[label], true) {
            open.extend(code.blocks[label].iter().filter_map(goes));
        }
    }
    code.order.retain(|label| reached[*label]);
    loop {
        let live = live(code);
        let mut changed = false;
        for &label in &code.order {
            let mut set = Set::default();
            let mut kept = Vec::new();
            for step in code.blocks[label].iter().rev() {
                let touched = step.touched();
                let needed = touched.writes.iter().any(|reg| set.has(*reg))
                    || touched.decides.iter().any(|(pred, _)| set.has_pred(*pred));
                let computes = !touched.writes.is_empty() || !touched.decides.is_empty();
                if computes && !needed && super::effects::is_silent(&step.op.action) {
                    changed = true;
                    continue;
                }
                before(step, &mut set, &live);
                kept.push(step.clone());
            }
            kept.reverse();
            code.blocks[label] = kept;
        }
        if !changed {
            break;
        }
    }
}

/// Puts a block behind the only one that leads there, in place of the jump.
fn join(code: &mut Code) {
    let mut ways: SecondaryMap<Label, u32> = SecondaryMap::new();
    for &label in &code.order {
        for to in code.blocks[label].iter().filter_map(goes) {
            ways[to] += 1;
        }
    }
    let mut gone: SecondaryMap<Label, bool> = SecondaryMap::new();
    for label in code.order.clone() {
        if gone[label] {
            continue;
        }
        while let Some(to) = code.blocks[label].last().and_then(goes) {
            if ways[to] != 1 || to == label || to == code.order[0] {
                break;
            }
            code.blocks[label].pop();
            let steps = std::mem::take(&mut code.blocks[to]);
            code.blocks[label].extend(steps);
            gone[to] = true;
        }
    }
    code.order.retain(|label| !gone[*label]);
}

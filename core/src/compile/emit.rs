//! Rows with places: what the core runs.

use super::allocate::{Places, Trace};
use super::code::{Label, Pred, Reg, Step};
use crate::image::{self, Origins};
use crate::isa::{self, Action};
use crate::rename::Names;
use std::collections::HashMap;

/// What the core runs.
pub struct Emitted {
    /// All rows, in the order of the traces.
    pub rows: Vec<image::Row>,
    /// Where they came from.
    pub origins: Origins,
    /// The first row of each block.
    pub starts: HashMap<Label, u32>,
}

/// All rows, in the order of the traces.
pub fn emit(traces: &[Trace], places: &Places) -> Emitted {
    let mut starts = HashMap::new();
    let mut count = 0;
    let mut kept = Vec::new();
    for (index, trace) in traces.iter().enumerate() {
        starts.insert(trace.label, count);
        let next = traces.get(index + 1).map(|next| next.label);
        let falls = |step: &Step| match step.op.action {
            // The next trace follows anyway.
            Action::Branch { to, .. } => step.always_leaves() && Some(to) == next,
            _ => false,
        };
        for row in &trace.rows {
            let steps: Vec<Option<&Step>> = row
                .iter()
                .map(|step| step.as_ref().filter(|step| !falls(step)))
                .collect();
            if steps.iter().any(Option::is_some) {
                kept.push(steps);
                count += 1;
            }
        }
    }
    let mut names = Placed {
        places,
        starts: &starts,
    };
    let mut origins = Origins::default();
    let mut rows = Vec::new();
    for steps in kept {
        origins.rows.push(
            steps
                .iter()
                .map(|step| step.and_then(|step| step.origin))
                .collect(),
        );
        let lanes = steps
            .iter()
            .map(|step| step.map(|step| step.op.rename(&mut names)));
        rows.push(image::Row {
            lanes: lanes.collect(),
        });
    }
    Emitted {
        rows,
        origins,
        starts,
    }
}

struct Placed<'a> {
    places: &'a Places,
    starts: &'a HashMap<Label, u32>,
}

impl Names<Reg, Pred, Label> for Placed<'_> {
    type Reg = isa::Reg;
    type Pred = isa::Pred;
    type Place = u32;

    fn read(&mut self, reg: Reg) -> isa::Reg {
        self.places.regs[&reg]
    }

    fn write(&mut self, reg: Reg) -> isa::Reg {
        self.places.regs[&reg]
    }

    fn ask(&mut self, pred: Pred) -> isa::Pred {
        match pred {
            Pred::ONE => isa::Pred(0),
            _ => self.places.preds[&pred],
        }
    }

    fn decide(&mut self, pred: Pred, _: bool) -> isa::Pred {
        self.ask(pred)
    }

    fn place(&mut self, place: Label) -> u32 {
        self.starts[&place]
    }
}

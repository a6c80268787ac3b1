//! The program after each phase of compilation, as far as it comes without a schedule.

use super::{caught, flatten, Layer, Stop};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::Program;

pub struct Forms {
    pub all: Vec<(Layer, Program)>,
    pub end: Result<(), Stop>,
}

impl Forms {
    pub fn of(meaning: &Program) -> Forms {
        let mut all = Vec::new();
        let end = Forms::make(meaning, &mut all);
        Forms { all, end }
    }

    fn make(meaning: &Program, all: &mut Vec<(Layer, Program)>) -> Result<(), Stop> {
        let flow = flatten(caught(|| {
            let mut program = meaning.clone();
            hardpath_passes::optimize_control_flow(&mut program).map_err(|error| vec![error])?;
            Ok(program)
        }))?;
        all.push((Layer::ControlFlow, flow.clone()));
        let region = flatten(caught(|| hardpath_pipeline::dataflow(&flow)))?;
        all.push((Layer::Dataflow, region));
        Ok(())
    }

    /// Why the program has no answer that a judge could give.
    pub fn unanswerable(&self) -> Option<&Vec<Diagnostic>> {
        match &self.end {
            Err(Stop::Refused(errors)) => errors
                .iter()
                .any(|error| error.code == "old-pointer")
                .then_some(errors),
            _ => None,
        }
    }
}

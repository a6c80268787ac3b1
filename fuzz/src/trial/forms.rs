//! The program after each phase of compilation, as far as it comes without a schedule.

use super::{caught, flatten, Layer, Stop};
use hardpath_diagnostic::Diagnostic;
use hardpath_ebpf::{Object, ProgramImage};
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

    /// Of a program that nobody asks about.
    pub fn none() -> Forms {
        Forms {
            all: Vec::new(),
            end: Ok(()),
        }
    }

    /// Those of a program whose loops a core keeps, which are only asked whether there is an answer.
    pub fn without_loops(object: &Object, image: &ProgramImage) -> Forms {
        match flatten(caught(|| hardpath_ebpf::lift(object, image))) {
            Ok(program) => Forms::of(&program),
            Err(stop) => Forms {
                all: Vec::new(),
                end: Err(stop),
            },
        }
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

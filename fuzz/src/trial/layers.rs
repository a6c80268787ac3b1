//! The forms of a program behind the lifted one, and its design.

use super::answers::{difference, Answers, Expectation, Question};
use super::forms::Forms;
use super::told::Run;
use super::{caught, failure, flatten, Built, Failure, Layer, Stop, Subject};
use crate::engines::{Engine, Engines};
use crate::features;
use crate::hardware::{self, Made};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::maps::{Image, Move};
use hardpath_ir::{verifier, Program};
use hardpath_oracle::compare::compare_maps;
use hardpath_oracle::KernelJudge;
use hardpath_pipeline::{Compiled, Hazard};
use hardpath_session::journals;
use hardpath_testbed::dut::Dut;

/// A subject whose right answers are known.
pub struct Trial {
    pub subject: Subject,
    /// The hardware runs in Verilator, too.
    pub verilator: bool,
    pub image: Image,
    /// What the host writes into the maps of a design.
    pub in_hardware: Image,
    pub lifted: Program,
    /// What the hardware has to do: the program as lifted, or with a depth.
    pub meaning: Program,
    pub expected: Expectation,
}

impl Trial {
    /// Compiles the program, and runs each form that it comes through.
    pub fn compile(
        &self,
        forms: Forms,
        kernel: &dyn Fn() -> Result<Option<KernelJudge>, Diagnostic>,
    ) -> Result<Built, Stop> {
        for (layer, program) in &forms.all {
            self.interpret(program, *layer)?;
        }
        forms.end?;
        let compiled = self.design()?;
        self.interpret(&compiled.scheduled, Layer::Scheduled)?;
        if let Err(errors) = hardpath_rtl::check::check(&compiled.design) {
            let text = format!("{:?}", errors.first());
            return Err(Stop::Failed(failure(Layer::Design, None, text)));
        }
        let engines = Engines::default();
        let made = Made::of(&compiled, &engines);
        let forgot = self.in_engine(made, Engine::Native, kernel)?;
        self.hosted(made).map_err(Stop::Failed)?;
        if self.verilator {
            self.in_engine(made, Engine::Verilator, kernel)?;
        }
        let hazards = compiled.report.maps.iter().map(|map| map.hazard);
        let mut features = features::of(&self.subject, &self.lifted);
        features.extend(forgot.then_some("lru forgets"));
        Ok(Built {
            hazard: hazards.max().unwrap_or(Hazard::None),
            features,
            in_verilator: self.verilator,
            with_host: self.subject.hardware.host.is_some(),
        })
    }

    /// The design.
    pub fn design(&self) -> Result<Compiled, Stop> {
        let options = self
            .subject
            .hardware
            .compile_options(self.subject.forgets());
        let program = self.meaning.clone();
        flatten(caught(|| hardpath_pipeline::compile(program, &options)))
    }

    /// Runs all packets in the interpreter on a form of the program.
    pub(super) fn interpret(&self, program: &Program, layer: Layer) -> Result<(), Stop> {
        let failed = |text: String| Stop::Failed(failure(layer, None, text));
        if let Err(errors) = verifier::verify(program) {
            return Err(failed(format!(
                "the program breaks a rule: {:?}",
                errors.first()
            )));
        }
        let (packets, forgets) = (&self.subject.packets, self.subject.forgets());
        let run = Run::interpreted(program, &self.image, packets, forgets).map_err(failed)?;
        match self.objection(layer, run, &|| Ok(None)) {
            None => Ok(()),
            Some(failure) => Err(Stop::Failed(failure)),
        }
    }

    pub(super) fn in_engine(
        &self,
        made: Made,
        engine: Engine,
        kernel: &dyn Fn() -> Result<Option<KernelJudge>, Diagnostic>,
    ) -> Result<bool, Stop> {
        let layer = match engine {
            Engine::Native => Layer::Native,
            Engine::Verilator => Layer::Verilator,
        };
        let run = || {
            let dut = made.engines.start(made.design, engine);
            let mut dut = dut.map_err(|error| failure(layer, None, error.to_string()))?;
            self.in_dut(dut.as_mut(), made, layer, kernel)
        };
        caught(run).unwrap_or_else(Err).map_err(Stop::Failed)
    }

    /// Both runs in the native simulator, judged by the interpreter.
    pub fn in_simulator(&self, made: Made) -> Result<(), Failure> {
        let native = self.in_engine(made, Engine::Native, &|| Ok(None));
        match native {
            Ok(_) => self.hosted(made),
            Err(Stop::Failed(failure)) => Err(failure),
            // Nothing is compiled here.
            Err(Stop::Refused(_)) => Ok(()),
        }
    }

    /// The run with operations of the host, if there is one.
    pub(super) fn hosted(&self, made: Made) -> Result<(), Failure> {
        match self.subject.hardware.host {
            Some(seed) => caught(|| self.with_host(made, seed)).unwrap_or_else(Err),
            None => Ok(()),
        }
    }

    /// Runs all packets through a design. Gives whether an LRU map forgot a key.
    pub fn in_dut(
        &self,
        dut: &mut dyn Dut,
        made: Made,
        layer: Layer,
        kernel: &dyn Fn() -> Result<Option<KernelJudge>, Diagnostic>,
    ) -> Result<bool, Failure> {
        let (hardware, packets) = (&self.subject.hardware, &self.subject.packets);
        let driven = hardware::drive_in(dut, made, hardware, &self.in_hardware, packets)
            .map_err(|error| failure(layer, None, error.to_string()))?;
        let (counters, counted) = (
            driven.counters,
            hardware::counted(packets, &driven.outcomes, &made.interface.outputs),
        );
        let run = Run::driven(driven, journals::of_design(made.interface));
        let mut moves = run.moves.iter().flatten();
        let forgot = moves.any(|one| one.what == Move::Put { forgets: true });
        if let Some(failure) = self.objection(layer, run, kernel) {
            return Err(failure);
        }
        match counters == counted {
            true => Ok(forgot),
            false => {
                let text = format!("counters: expected {counted:?}, got {counters:?}");
                Err(failure(layer, None, text))
            }
        }
    }

    /// What is wrong with a run. Where LRU maps forget, the judges run once more and follow what it tells.
    pub(super) fn objection(
        &self,
        layer: Layer,
        mut run: Run,
        kernel: &dyn Fn() -> Result<Option<KernelJudge>, Diagnostic>,
    ) -> Option<Failure> {
        if !run.lru.is_empty() {
            let question = Question {
                subject: &self.subject,
                lifted: &self.meaning,
                image: &self.image,
            };
            let lru = std::mem::take(&mut run.lru);
            let answers = kernel().and_then(|kernel| Answers::told(&question, kernel, lru, &run));
            return match answers {
                Ok(answers) => answers.objection(layer, &run),
                Err(error) => Some(failure(layer, None, error.to_string())),
            };
        }
        let pairs = self.expected.fates.iter().zip(&run.fates).enumerate();
        let in_packets = pairs
            .map(|(index, (expected, got))| {
                difference(layer, index, expected.as_ref(), got.as_ref())
            })
            .find_map(|difference| difference);
        in_packets.or_else(|| {
            let differences = compare_maps(&self.expected.maps, &run.maps);
            let first = differences.first()?;
            Some(failure(layer, None, first.to_string()))
        })
    }
}

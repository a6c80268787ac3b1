//! A program as the rows of a core.

use super::layers::Trial;
use super::told::Run;
use super::{caught, failure, flatten, Built, Failure, Layer, Stop};
use crate::cores::{Core, Cores};
use crate::engines::Engine;
use crate::features;
use hardpath_blocks::interface::Interface;
use hardpath_core::compile::savings::Without;
use hardpath_core::compile::{compile_without, Compiled};
use hardpath_core::hardware::processor::stream::{Before, Load};
use hardpath_core::hardware::processor::{self, Processor};
use hardpath_core::image::{Image, Machine};
use hardpath_core::text;
use hardpath_diagnostic::Diagnostic;
use hardpath_oracle::KernelJudge;
use hardpath_pipeline::Hazard;
use hardpath_session::Rows;
use std::sync::Arc;

/// Packets that processors work on at a time, in turn.
const THREADS: [u8; 4] = [32, 16, 2, 1];

impl Trial {
    /// Compiles the program to rows for a core with so many lanes, and runs all packets in them.
    pub fn in_rows(
        &self,
        lanes: u8,
        without: Without,
        cores: &Cores,
        kernel: &dyn Fn() -> Result<Option<KernelJudge>, Diagnostic>,
    ) -> Result<Built, Stop> {
        let machine = Machine::with_lanes(lanes);
        let compiled = flatten(caught(|| compile_without(&self.meaning, &machine, without)))?;
        self.interpret(&compiled.program, Layer::Prepared)?;
        same_as_file_and_text(&compiled).map_err(Stop::Failed)?;
        let ran = caught(|| self.run_rows(&compiled));
        ran.unwrap_or_else(Err).map_err(Stop::Failed)?;
        let in_hardware = processor::lacks(&compiled.image).is_none()
            && processor::keeps::loses(&compiled.program).is_none();
        let mut features = features::of(&self.subject, &self.lifted);
        if in_hardware && self.in_processor(&compiled.image, &machine, cores, kernel)? {
            features.insert("lru forgets");
        }
        Ok(Built {
            hazard: Hazard::None,
            features,
            in_verilator: in_hardware && self.verilator,
            with_host: in_hardware && self.subject.hardware.host.is_some(),
        })
    }

    /// The same on the processor, which the host works on meanwhile, too. Gives whether an LRU map forgot a key.
    fn in_processor(
        &self,
        image: &Image,
        machine: &Machine,
        cores: &Cores,
        kernel: &dyn Fn() -> Result<Option<KernelJudge>, Diagnostic>,
    ) -> Result<bool, Stop> {
        let threads = THREADS[self.subject.packets.len() % THREADS.len()];
        let own = Processor {
            bus_bits: self.subject.hardware.bus_bits,
            journal: self.subject.forgets(),
            ..Processor::of("core", machine, threads, image)
        };
        let alone = (self.subject.hardware.own_core).then(|| Arc::new(Core::new(own.clone())));
        let core = alone.clone();
        let core = core.unwrap_or_else(|| cores.core(own.clone(), image));
        let (interface, forgot) = self.on_core(&core, image, Engine::Native, kernel)?;
        if self.verilator {
            let core = alone.unwrap_or_else(|| cores.in_verilator(own, image));
            self.on_core(&core, image, Engine::Verilator, kernel)?;
        }
        let made = core.made(&interface);
        self.hosted(made).map_err(Stop::Failed)?;
        Ok(forgot)
    }

    /// Gives what a driver of the core must know, too.
    fn on_core(
        &self,
        core: &Core,
        image: &Image,
        engine: Engine,
        kernel: &dyn Fn() -> Result<Option<KernelJudge>, Diagnostic>,
    ) -> Result<(Interface, bool), Stop> {
        let load = Load::new(&core.config, image, Before::Reset, false);
        let load = load.map_err(Stop::Refused)?;
        let interface = core.config.interface_of(image, load);
        let forgot = self.in_engine(core.made(&interface), engine, kernel)?;
        Ok((interface, forgot))
    }

    fn run_rows(&self, compiled: &Compiled) -> Result<(), Failure> {
        let (packets, forgets) = (&self.subject.packets, self.subject.forgets());
        let mut rows = Rows::new(&compiled.image);
        let run = Run::one_by_one(
            &compiled.program,
            (&self.image, packets),
            forgets,
            |maps, data, sideband| {
                let ran = rows.run(maps, data, sideband);
                ran.map_err(|error| error.to_string())
            },
        );
        let run = run.map_err(|text| failure(Layer::Rows, None, text))?;
        let objection = self.objection(Layer::Rows, run, &|| Ok(None));
        objection.map_or(Ok(()), Err)
    }
}

/// The image survives its file and its text.
fn same_as_file_and_text(compiled: &Compiled) -> Result<(), Failure> {
    let image = &compiled.image;
    let bytes = image.to_bytes();
    let from_file = bytes.and_then(|bytes| Image::from_bytes(&bytes));
    let from_file = from_file.map_err(|error| error.to_string());
    let from_text = text::parse(&text::print(image, Some(&compiled.origins)));
    let from_text = from_text.map_err(|errors| format!("{:?}", errors.first()));
    for (what, read) in [("file", from_file), ("text", from_text)] {
        let wrong = match read {
            Ok(read) if read == *image => continue,
            Ok(_) => String::from("it is another one"),
            Err(error) => error,
        };
        let text = format!("the image read from its {what}: {wrong}");
        return Err(failure(Layer::Image, None, text));
    }
    Ok(())
}

//! A program as rows of a processor, for traffic ([`Running`]).

use crate::case::read;
use crate::running::{valid, Running};
use hardpath_blocks::interface::Interface;
use hardpath_core::compile::compile;
use hardpath_core::hardware::processor;
use hardpath_core::image::Machine;
use hardpath_core::text;
use hardpath_ir::Program;
use hardpath_rtl::Design;

/// A processor with a program.
#[derive(Clone)]
pub struct Processor {
    /// What the interpreter runs.
    pub program: Program,
    /// The design, perhaps changed since.
    pub design: Design,
    /// What its driver must know.
    pub interface: Interface,
    /// The rows.
    shown: String,
}

impl Processor {
    /// The program of a text, on a core with so many lanes and threads. `None`: there is an operation for which a core has no unit.
    ///
    /// # Panics
    /// The text is no program, the program is refused, or the design breaks a rule.
    pub fn new(text: &str, lanes: u8, threads: u8) -> Option<Processor> {
        let program = read(text);
        let machine = Machine::with_lanes(lanes);
        let compiled = compile(&program, &machine).unwrap_or_else(|errors| {
            let list: Vec<String> = errors.iter().map(ToString::to_string).collect();
            panic!("{}\n{text}", list.join("\n"))
        });
        let loses = processor::keeps::loses(&compiled.program);
        if processor::lacks(&compiled.image).is_some() || loses.is_some() {
            return None;
        }
        let config = processor::Processor {
            journal: true,
            ..processor::Processor::of("core", &machine, threads, &compiled.image)
        };
        let mut built = processor::processor(&config);
        let program_of_it = built.starts_with(&config, &compiled.image);
        program_of_it.unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        valid(&built.design, &program);
        Some(Processor {
            program,
            design: built.design,
            interface: built.interface,
            shown: text::print(&compiled.image, Some(&compiled.origins)),
        })
    }

    /// It runs, and is reset.
    ///
    /// # Panics
    /// It does not become ready.
    pub fn start(&self) -> Running {
        let interface = self.interface.clone();
        let (program, shown) = (self.program.clone(), self.shown.clone());
        Running::new(program, &self.design, interface, shown)
    }
}

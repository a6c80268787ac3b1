//! Flows of vendors' tools, which a design's folder has scripts for: run where the tool is installed, and its reports read.
//!
//! The scripts place and route the design out of context: without pins, so that what is measured is the design.

use crate::constraints::Constraints;
use crate::tool::Tool;
use crate::{quartus, vivado};
use hardpath_diagnostic::{Diagnostic, Place};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A vendor's tool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vendor {
    /// AMD's Vivado, run without a project.
    Vivado,
    /// Altera's Quartus Prime, with a project of virtual pins.
    Quartus,
}

/// What a run left. Everything but the first four is missing when the tool is not installed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ProjectReport {
    /// `vivado` or `quartus`.
    pub flow: String,
    /// What was placed for, as the tool names parts.
    pub part: String,
    /// What was run, or is to be run where the tool is, in the folder of the design.
    pub command: Vec<String>,
    /// The tool was found, and ran.
    pub ran: bool,
    /// LUTs of AMD, ALMs of Intel.
    pub logic: Option<u64>,
    /// Flip-flops.
    pub ff: Option<u64>,
    /// Block RAMs of 36 kbit of AMD, of 20 kbit (M20K) of Intel.
    pub ram: Option<f64>,
    /// UltraRAM blocks.
    pub uram: Option<u64>,
    /// DSP slices of AMD, DSP blocks of Intel.
    pub dsp: Option<u64>,
    /// The worst slack of a register's input, in nanoseconds.
    pub slack_ns: Option<f64>,
}

impl Vendor {
    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Vendor::Vivado => "vivado",
            Vendor::Quartus => "quartus",
        }
    }

    /// The part where no other one is asked for.
    pub fn default_part(self) -> &'static str {
        match self {
            Vendor::Vivado => vivado::PART,
            Vendor::Quartus => quartus::PART,
        }
    }

    /// Name of the script in the folder of a design.
    pub fn script_name(self, top: &str) -> String {
        format!("{top}_{}.tcl", self.name())
    }

    /// The script. It sources `<top>.tcl` (Vivado) or names `<top>.qip` (Quartus), which know the design's files.
    /// `constraints`: those that the files name.
    pub fn script(self, top: &str, constraints: &Constraints) -> String {
        match self {
            Vendor::Vivado => vivado::script(top),
            Vendor::Quartus => quartus::script(top, constraints.clock_names()),
        }
    }

    fn tool(self) -> Tool {
        match self {
            Vendor::Vivado => vivado::TOOL,
            Vendor::Quartus => quartus::TOOL,
        }
    }

    fn arguments(self, top: &str, part: &str) -> Vec<String> {
        let script = self.script_name(top);
        let words: Vec<&str> = match self {
            Vendor::Vivado => vec![
                "-mode",
                "batch",
                "-nojournal",
                "-nolog",
                "-source",
                &script,
                "-tclargs",
                part,
            ],
            Vendor::Quartus => vec!["-t", &script, part],
        };
        words.into_iter().map(String::from).collect()
    }

    /// The tool, if it is installed.
    ///
    /// # Errors
    /// The environment names a program that is not there.
    fn program(self) -> Result<Option<PathBuf>, Diagnostic> {
        let tool = self.tool();
        match tool.find() {
            Ok(program) => Ok(Some(program)),
            Err(error) if std::env::var_os(tool.variable).is_some() => Err(error),
            Err(_) => Ok(None),
        }
    }
}

/// Runs the script in the folder of a design, if the tool is there; else says what is to be run.
///
/// # Errors
/// The tool fails, or its reports are not there.
pub fn run(
    vendor: Vendor,
    folder: &Path,
    top: &str,
    part: &str,
) -> Result<ProjectReport, Diagnostic> {
    let arguments = vendor.arguments(top, part);
    let mut report = ProjectReport {
        flow: vendor.name().into(),
        part: part.into(),
        ..ProjectReport::default()
    };
    let program = vendor.program()?;
    let name = match &program {
        Some(program) => program.display().to_string(),
        None => vendor.tool().programs[0].to_string(),
    };
    report.command = [vec![name], arguments.clone()].concat();
    let Some(program) = program else {
        return Ok(report);
    };
    vendor.tool().run(&program, folder, &arguments)?;
    report.ran = true;
    match vendor {
        Vendor::Vivado => vivado::read(folder, &mut report)?,
        Vendor::Quartus => quartus::read(folder, top, &mut report)?,
    }
    Ok(report)
}

/// A report that the script should have left.
///
/// # Errors
/// It cannot be read.
pub(crate) fn report_text(tool: &Tool, file: &Path) -> Result<String, Diagnostic> {
    std::fs::read_to_string(file).map_err(|error| {
        Diagnostic::input(
            tool.failed,
            format!("{} left no report: {error}", tool.name),
        )
        .at(Place::of_file(file.display()))
        .help("run the script by hand and look at what the tool says")
    })
}

/// The first number of a text, with its thousands in groups or not: `1,234 / 5,000` is 1234.
pub(crate) fn first_number(text: &str) -> Option<f64> {
    let word = text.split_whitespace().next()?;
    word.replace(',', "").parse().ok()
}

//! Options of `hardpath advise`, which makes hardware of each kind of a program.

use super::program::{bus, clock, depth, family};
use super::{AnswerArguments, HardwareArguments, ObjectArguments, P4Arguments, ProcessorArguments};
use super::{ProgramArguments, RunArguments, TimeSource};
use clap::Args;
use hardpath_diagnostic::Diagnostic;
use hardpath_pipeline::technology::Technology;
use hardpath_testbed::pace::Pace;
use std::path::PathBuf;

#[derive(Args, Debug)]
pub struct AdviseArguments {
    /// XDP object file, P4 source (FILE.p4), or the text of a program as `hardpath ir` prints it (FILE.hir)
    #[arg(display_order = 0, help_heading = "Program")]
    pub file: PathBuf,
    #[command(flatten)]
    pub object: ObjectArguments,
    #[command(flatten)]
    pub p4: P4Arguments,
    /// How deep to look where headers of variable length follow each other, and where a parser of P4 goes round without a stack
    #[arg(long, value_name = "BYTES", value_parser = depth, help_heading = "Program")]
    pub depth: Option<u32>,
    /// Family of FPGAs whose delays count [default: ultrascale+]
    #[arg(long, value_name = "NAME", value_parser = family(), help_heading = "Hardware")]
    pub family: Option<&'static Technology>,
    /// Clock in MHz that is aimed at [default: 250; 200 for 7-series, 75 for ecp5]
    #[arg(long, value_name = "MHZ", value_parser = clock, help_heading = "Hardware")]
    pub clock: Option<f64>,
    /// Width of the packet streams in bits: 64, 128, 256 or 512
    #[arg(long, value_name = "BITS", default_value_t = 512, value_parser = bus, help_heading = "Hardware")]
    pub bus: u32,
    #[command(flatten)]
    pub processor: ProcessorArguments,
    /// A core that is built already, as the core.json of its folder describes it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["lanes", "threads"], help_heading = "Hardware")]
    pub core: Option<PathBuf>,
    /// Capture with the packets that come, pcap or pcapng; several run one after the other [default: 64-byte packets of 1,000 flows]
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    pub pcap: Vec<PathBuf>,
    /// Contents of maps before the first packet [default: half of the keys that the program asks for]
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    pub maps: Option<PathBuf>,
    /// Interface that the packets come in at
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Run")]
    pub ifindex: u32,
    /// What has to be kept up with: the rate of the line that the packets come from, such as 100G or 50M [default: 100G for streams of
    /// 512 bits, 40G for 256, 25G for 128, 10G for 64]
    #[arg(long, value_name = "RATE", help_heading = "Run")]
    pub line: Option<String>,
    #[command(flatten)]
    pub answer: AnswerArguments,
}

impl AdviseArguments {
    /// As the other commands have them, for a kind of hardware.
    pub fn program(&self, target: &str, is_core: bool) -> ProgramArguments {
        let processor = match is_core {
            true => self.processor.clone(),
            false => ProcessorArguments::default(),
        };
        ProgramArguments {
            file: self.file.clone(),
            object: self.object.clone(),
            p4: self.p4.clone(),
            depth: self.depth,
            hardware: HardwareArguments {
                target: target.to_owned(),
                family: self.family,
                clock: self.clock,
                bus: self.bus,
                cut_through: false,
                force: false,
                without: Vec::new(),
                processor,
                core: self.core.clone().filter(|_| is_core),
            },
        }
    }

    /// As the other commands have them; with other captures.
    pub fn run(&self, pcap: Vec<PathBuf>) -> RunArguments {
        RunArguments {
            load: Vec::new(),
            clear_maps: false,
            pcap,
            maps: self.maps.clone(),
            engine: None,
            pace: String::from("back-to-back"),
            backpressure: None,
            bad: None,
            ifindex: self.ifindex,
            queue: 0,
            egress_ifindex: 2,
            input: Vec::new(),
            mtu: Vec::new(),
            time: TimeSource::Capture,
            maps_out: None,
            out: None,
            progress: false,
        }
    }

    /// The rate of the line, in Mbit/s.
    ///
    /// # Errors
    /// `unknown-pace`.
    pub fn line_megabits(&self) -> Result<u32, Diagnostic> {
        let Some(text) = &self.line else {
            return Ok(match self.bus {
                512 => 100_000,
                256 => 40_000,
                128 => 25_000,
                _ => 10_000,
            });
        };
        match text.parse()? {
            Pace::Line { megabits } => Ok(megabits),
            Pace::BackToBack | Pace::Random(_) => {
                let message = format!("`{text}` is no rate of a line");
                let error = Diagnostic::input("unknown-pace", message);
                Err(error.help("give a line rate such as 100G or 50M"))
            }
        }
    }
}

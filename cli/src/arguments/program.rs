//! Options of every command that takes a program: what it is, and what hardware is asked for.

use crate::target::TARGETS;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use hardpath_blocks::interface::BUS_BITS;
use hardpath_core::image::LANES;
use hardpath_pipeline::technology::{self, Technology, TECHNOLOGIES};
use std::fmt;
use std::path::{Path, PathBuf};

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Program")]
pub struct ProgramArguments {
    /// XDP object file, P4 source (FILE.p4), or the text of a program as `hardpath ir` prints it (FILE.hir)
    #[arg(display_order = 0)]
    pub file: PathBuf,
    #[command(flatten)]
    pub object: ObjectArguments,
    #[command(flatten)]
    pub p4: P4Arguments,
    /// How deep to look where headers of variable length follow each other: packets that need more are aborted; and where a parser of P4
    /// goes round without a stack that ends it (64 if nothing is said): such packets end with error.ParserTimeout
    #[arg(long, value_name = "BYTES", value_parser = depth)]
    pub depth: Option<u32>,
    #[command(flatten)]
    pub hardware: HardwareArguments,
}

/// What only a P4 source leaves open.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Program")]
pub struct P4Arguments {
    #[command(flatten)]
    pub source: P4SourceArguments,
    /// Entries of a P4 program's tables, as BMv2's command line has them (table_add, table_set_default, register_write) or as text of
    /// P4Runtime's WriteRequest (updates { … })
    #[arg(long, value_name = "FILE")]
    pub entries: Option<PathBuf>,
}

/// What a P4 source is read with.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Program")]
pub struct P4SourceArguments {
    /// Folder in which files are looked for that a P4 source includes, the first one first; hardpath's own come last
    #[arg(short = 'I', long, value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// File that describes the architecture of a P4 source, for one that hardpath does not know
    #[arg(long, value_name = "FILE")]
    pub arch: Option<PathBuf>,
    /// Version of the language that a P4 source is written in; one of P4_14 is translated to P4_16
    #[arg(long, value_enum, default_value_t, value_name = "VERSION")]
    pub std: P4Version,
}

/// Versions of the language.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub enum P4Version {
    /// P4_16
    #[default]
    #[value(name = "p4-16")]
    P4_16,
    /// P4_14
    #[value(name = "p4-14")]
    P4_14,
}

impl P4Arguments {
    /// Those that the command line has.
    pub fn given(&self) -> Vec<&'static str> {
        let options = [
            ("--include", !self.source.include.is_empty()),
            ("--arch", self.source.arch.is_some()),
            ("--entries", self.entries.is_some()),
            ("--std", self.source.std != P4Version::default()),
        ];
        let given = options.into_iter().filter(|(_, given)| *given);
        given.map(|(name, _)| name).collect()
    }
}

/// What only an object leaves open.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Program")]
pub struct ObjectArguments {
    /// Program in the object, by function or section name
    #[arg(long, value_name = "NAME")]
    pub program: Option<String>,
    /// Take the program as one for XDP, whatever type its section gives it
    #[arg(long)]
    pub as_xdp: bool,
    /// Size of a map, for maps whose size the object leaves open
    #[arg(long, value_name = "MAP=N", value_parser = map_size)]
    pub max_entries: Vec<(String, u32)>,
    /// Value of a global variable, as a loader sets it: NAME may go on with .MEMBER and [INDEX]; VALUE is a number,
    /// true or false, a name of an enumeration, an address (IPv4, IPv6, MAC: in network byte order) or a string
    #[arg(long, value_name = "NAME=VALUE", value_parser = global_value)]
    pub set: Vec<(String, String)>,
    /// Contents of a data section, in place of the object's: raw bytes, as a loader sets them [default section: .rodata]
    #[arg(long, value_name = "[SECTION=]FILE", value_parser = section_file)]
    pub rodata: Vec<(String, PathBuf)>,
    /// What a program array holds: tail calls to that entry go to a program of the same object, or of another one, whose maps of the
    /// same names are then the same maps
    #[arg(long, value_name = "MAP:INDEX=PROGRAM[@FILE]", value_parser = array_entry)]
    pub prog_array: Vec<ArrayEntry>,
    /// Calls that tell user space something do nothing: bpf_trace_printk, bpf_perf_event_output, those of ring
    /// buffers
    #[arg(long)]
    pub drop_events: bool,
    /// BTF of the kernel that the program is meant for [default: the running kernel's]
    #[arg(long, value_name = "FILE")]
    pub btf: Option<PathBuf>,
}

impl ProgramArguments {
    /// The same of another file; of what an object leaves open only what holds for any.
    pub fn of_another(&self, file: &Path) -> ProgramArguments {
        ProgramArguments {
            file: file.into(),
            object: ObjectArguments {
                as_xdp: self.object.as_xdp,
                drop_events: self.object.drop_events,
                btf: self.object.btf.clone(),
                ..ObjectArguments::default()
            },
            ..self.clone()
        }
    }
}

impl ObjectArguments {
    /// Those that the command line has.
    pub fn given(&self) -> Vec<&'static str> {
        let ObjectArguments {
            program,
            as_xdp,
            max_entries,
            set,
            rodata,
            prog_array,
            drop_events,
            btf,
        } = self;
        let options = [
            ("--program", program.is_some()),
            ("--as-xdp", *as_xdp),
            ("--max-entries", !max_entries.is_empty()),
            ("--set", !set.is_empty()),
            ("--rodata", !rodata.is_empty()),
            ("--prog-array", !prog_array.is_empty()),
            ("--drop-events", *drop_events),
            ("--btf", btf.is_some()),
        ];
        let given = options.into_iter().filter(|(_, given)| *given);
        given.map(|(name, _)| name).collect()
    }
}

/// What hardware is asked for.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Hardware")]
pub struct HardwareArguments {
    /// Kind of hardware: a pipeline, or a processor that runs the program (core)
    #[arg(long, value_name = "TARGET", value_parser = target_word(), default_value = TARGETS[0].name())]
    pub target: String,
    /// Family of FPGAs whose delays count [default: ultrascale+; of synth --flow ecp5: ecp5]
    #[arg(long, value_name = "NAME", value_parser = family())]
    pub family: Option<&'static Technology>,
    /// Clock in MHz that is aimed at [default: 250; 200 for 7-series, 75 for ecp5]
    #[arg(long, value_name = "MHZ", value_parser = clock)]
    pub clock: Option<f64>,
    /// Width of the packet streams in bits: 64, 128, 256 or 512
    #[arg(long, value_name = "BITS", default_value_t = 512, value_parser = bus)]
    pub bus: u32,
    /// Packets leave before all of them is in: a frame found bad at its end leaves with an error mark, and what it did to maps stays. For
    /// programs that need neither a packet's whole length nor its payload, with --target pipeline
    #[arg(long)]
    pub cut_through: bool,
    /// Go on with a design that is larger than every card that `hardpath synth` knows
    #[arg(long)]
    pub force: bool,
    /// Leave out what makes designs small, to see what it gains: pruning, chaining, conditions, narrowing, srl, reassociation;
    /// with --target core, what makes rows few: an unknown name lists them all
    #[arg(
        long,
        value_name = "SAVING",
        value_delimiter = ',',
        hide_short_help = true
    )]
    pub without: Vec<String>,
    #[command(flatten)]
    pub processor: ProcessorArguments,
    /// A core that is built already, as the core.json of its folder describes it, with --target core
    #[arg(long, value_name = "FILE", conflicts_with_all = ["lanes", "threads", "bus"])]
    pub core: Option<PathBuf>,
}

/// What is asked of a core.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Hardware")]
pub struct ProcessorArguments {
    /// Operations of a row, with --target core: 1, 2, 4 or 8 [default: 4]
    #[arg(long, value_name = "N", value_parser = lanes)]
    pub lanes: Option<u8>,
    /// Packets that a core works on at a time, with --target core; a power of two up to 64; the rows do not depend on it
    /// [default: 32]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<u8>,
}

impl ProcessorArguments {
    /// Those that the command line has.
    pub fn given(&self) -> Vec<&'static str> {
        let ProcessorArguments { lanes, threads } = self;
        let options = [
            ("--lanes", lanes.is_some()),
            ("--threads", threads.is_some()),
        ];
        let given = options.into_iter().filter(|(_, given)| *given);
        given.map(|(name, _)| name).collect()
    }
}

/// The target of commands that run what they make themselves.
#[derive(Args, Debug)]
#[command(next_help_heading = "Hardware")]
pub struct TargetArguments {
    /// Kind of hardware: a pipeline, or a processor that runs the program (core)
    #[arg(long, value_name = "TARGET", value_parser = target_names(), default_value = TARGETS[0].name())]
    pub target: String,
    /// Leave out what makes rows few, with --target core: an unknown name lists what can be left out
    #[arg(
        long,
        value_name = "SAVING",
        value_delimiter = ',',
        hide_short_help = true
    )]
    pub without: Vec<String>,
    #[command(flatten)]
    pub processor: ProcessorArguments,
}

fn target_names() -> PossibleValuesParser {
    PossibleValuesParser::new(TARGETS.iter().map(|target| target.name()))
}

/// A target, or, as it was once, a family of FPGAs.
fn target_word() -> PossibleValuesParser {
    let targets = TARGETS.iter().map(|target| target.name());
    let families = TECHNOLOGIES.iter().map(|family| family.name);
    let shown = targets.map(PossibleValue::new);
    PossibleValuesParser::new(shown.chain(families.map(|name| PossibleValue::new(name).hide(true))))
}

pub(super) fn family() -> impl TypedValueParser<Value = &'static Technology> {
    let names = TECHNOLOGIES.iter().map(|family| family.name);
    PossibleValuesParser::new(names)
        .try_map(|name| technology::find(&name).ok_or("there is no such family"))
}

pub(super) fn clock(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(mhz) if (1.0..=2000.0).contains(&mhz) => Ok(mhz),
        _ => Err(String::from("a clock is a number of MHz from 1 to 2000")),
    }
}

fn lanes(text: &str) -> Result<u8, String> {
    match text.parse() {
        Ok(lanes) if LANES.contains(&lanes) => Ok(lanes),
        _ => Err(String::from("a core has 1, 2, 4 or 8 lanes")),
    }
}

fn threads(text: &str) -> Result<u8, String> {
    match text.parse::<u8>() {
        Ok(threads) if threads.is_power_of_two() && threads <= 64 => Ok(threads),
        _ => Err(String::from("a core has 1, 2, 4, 8, 16, 32 or 64 threads")),
    }
}

pub(super) fn depth(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(bytes @ (64 | 128 | 256)) => Ok(bytes),
        _ => Err("a depth is 64, 128 or 256 bytes".into()),
    }
}

pub(super) fn bus(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(bits) if BUS_BITS.contains(&bits) => Ok(bits),
        _ => Err(String::from(
            "packet streams are 64, 128, 256 or 512 bits wide",
        )),
    }
}

fn map_size(text: &str) -> Result<(String, u32), String> {
    let parsed = text.split_once('=').and_then(|(name, size)| {
        let size = size.parse().ok().filter(|size| *size > 0)?;
        (!name.is_empty()).then(|| (name.to_owned(), size))
    });
    parsed.ok_or_else(|| String::from("give the map's name and a size of at least 1: flows=1024"))
}

fn global_value(text: &str) -> Result<(String, String), String> {
    let parsed = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let parsed = parsed.map(|(name, value)| (name.to_owned(), value.to_owned()));
    parsed.ok_or_else(|| String::from("give the variable's name and a value: config.port=80"))
}

/// Sections begin with a dot, and so no path with a `=` is taken for one by mistake.
fn section_file(text: &str) -> Result<(String, PathBuf), String> {
    let (section, file) = match text.split_once('=') {
        Some((section, file)) if section.starts_with('.') && !section.contains('/') => {
            (section, file)
        }
        _ => (".rodata", text),
    };
    match file.is_empty() {
        true => Err(String::from(
            "give a file, or a section and a file: .rodata.limits=FILE",
        )),
        false => Ok((section.to_owned(), PathBuf::from(file))),
    }
}

/// What an entry of a program array holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayEntry {
    /// The map's name, and the index.
    pub at: (String, u32),
    /// A function or section; `None`: the only program of the file.
    pub program: Option<String>,
    /// The object in which it is; `None`: that of the calls.
    pub file: Option<PathBuf>,
}

impl fmt::Display for ArrayEntry {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (map, index) = &self.at;
        write!(f, "{map}:{index}={}", self.program.as_deref().unwrap_or(""))?;
        match &self.file {
            Some(file) => write!(f, "@{}", file.display()),
            None => Ok(()),
        }
    }
}

pub fn array_entry(text: &str) -> Result<ArrayEntry, String> {
    let parsed = text.split_once('=').and_then(|(entry, program)| {
        let (map, index) = entry.rsplit_once(':')?;
        let index = index.parse().ok()?;
        let (program, file) = match program.split_once('@') {
            Some((program, file)) => (program, Some(file)),
            None => (program, None),
        };
        let has_file = file.is_some_and(|file| !file.is_empty());
        let is_complete = !map.is_empty() && (has_file || file.is_none() && !program.is_empty());
        is_complete.then(|| ArrayEntry {
            at: (map.to_owned(), index),
            program: (!program.is_empty()).then(|| program.to_owned()),
            file: file.map(PathBuf::from),
        })
    });
    parsed.ok_or_else(|| {
        String::from(
            "give the map's name, an index and a program, of another object with its file: steps:3=parse_ipv6, steps:3=parse_ipv6@other.o",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        assert_eq!(map_size("flows=3"), Ok((String::from("flows"), 3)));
        for wrong in ["flows", "=3", "flows=0", "flows=x"] {
            assert!(map_size(wrong).is_err(), "{wrong}");
        }
        let set = |name: &str, value: &str| Ok((name.to_owned(), value.to_owned()));
        assert_eq!(global_value("a.b[1]=x=1"), set("a.b[1]", "x=1"));
        assert!(global_value("a").is_err() && global_value("=1").is_err());
        let section = |name: &str, file: &str| Ok((name.to_owned(), PathBuf::from(file)));
        assert_eq!(section_file("r.bin"), section(".rodata", "r.bin"));
        assert_eq!(
            section_file(".rodata.a=r.bin"),
            section(".rodata.a", "r.bin")
        );
        assert_eq!(section_file("./a=b"), section(".rodata", "./a=b"));
        assert!(section_file(".data=").is_err());
        assert!(bus("96").is_err());
        assert!(lanes("8").is_ok() && lanes("3").is_err());
        assert!(clock("nan").is_err());
    }
}

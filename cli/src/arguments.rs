//! The command line. Names are fixed: scripts depend on them.

use crate::messages::MessageFormat;
use clap::{Args, Parser, Subcommand, ValueEnum};
use hardpath_blocks::interface::BUS_BITS;
use hardpath_pipeline::savings::Saving;
use hardpath_pipeline::technology::{self, Technology, TECHNOLOGIES};
use std::net::SocketAddrV4;
use std::path::PathBuf;

/// Compiles XDP programs to FPGA hardware, simulates that hardware, and checks it against the Linux kernel.
///
/// Exit status: 0 good, 1 a comparison failed, 2 wrong usage or unreadable input, 3 a program that is refused, 4 a
/// defect of hardpath.
#[derive(Parser, Debug)]
#[command(name = "hardpath", version)]
pub struct CommandLine {
    /// How messages are printed on standard error; --json takes them into the answer
    #[arg(
        long,
        value_name = "FORMAT",
        value_enum,
        default_value_t,
        global = true
    )]
    pub message_format: MessageFormat,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Compile a program to SystemVerilog or VHDL
    Compile(CompileArguments),
    /// Send packets through a program's hardware, clock by clock
    Sim(SimArguments),
    /// Compare a program's hardware with the Linux kernel, packet by packet and map by map
    Check(CheckArguments),
    /// Area and depth of a program's hardware
    Synth(SynthArguments),
    /// Print a program's intermediate form
    Ir(IrArguments),
    /// Run instruction tests
    Isa(IsaArguments),
    /// Compare random programs between kernel, interpreter and hardware
    Fuzz(FuzzArguments),
    /// Write a capture of generated traffic
    Traffic(TrafficArguments),
    /// Run one pass on the text form of a program and print the result
    Pass(PassArguments),
    /// Print what programs may do: instructions, helpers, maps, limits
    Supported(SupportedArguments),
    /// Explain the code of a message
    Explain(ExplainArguments),
    /// Compare the XDP programs of the Linux kernel, of Debian's libxdp and our own with the kernel
    Realworld(RealworldArguments),
}

impl Command {
    /// Whether the answer is wanted as JSON.
    pub fn json(&self) -> bool {
        match self {
            Command::Compile(arguments) => arguments.program.json,
            Command::Sim(arguments) => arguments.program.json,
            Command::Check(arguments) => arguments.program.json,
            Command::Synth(arguments) => arguments.program.json,
            Command::Ir(arguments) => arguments.program.json,
            Command::Isa(arguments) => arguments.json,
            Command::Fuzz(arguments) => arguments.json,
            Command::Traffic(arguments) => arguments.json,
            Command::Pass(arguments) => arguments.json,
            Command::Supported(arguments) => arguments.json,
            Command::Explain(arguments) => arguments.json,
            Command::Realworld(arguments) => arguments.json,
        }
    }
}

/// Options of every command that takes an object.
#[derive(Args, Debug)]
pub struct ProgramArguments {
    /// XDP object file
    pub object: PathBuf,
    /// Program in the object, by function or section name
    #[arg(long, value_name = "NAME")]
    pub program: Option<String>,
    /// Take the program as one for XDP, whatever type its section gives it
    #[arg(long)]
    pub as_xdp: bool,
    /// Target clock in MHz [default: 250; 200 for 7-series, 75 for ecp5]
    #[arg(long, value_name = "MHZ", value_parser = clock)]
    pub clock: Option<f64>,
    /// Family of FPGAs whose delays count: ultrascale+, 7-series, ecp5, agilex [default: ultrascale+; of synth
    /// --flow ecp5: ecp5]
    #[arg(long, value_name = "NAME", value_parser = target)]
    pub target: Option<&'static Technology>,
    /// Width of the packet streams in bits: 64, 128, 256 or 512
    #[arg(long, value_name = "BITS", default_value_t = 512, value_parser = bus)]
    pub bus: u32,
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
    /// What a program array holds: tail calls to that entry go to a program of the same object
    #[arg(long, value_name = "MAP:INDEX=PROGRAM", value_parser = array_entry)]
    pub prog_array: Vec<((String, u32), String)>,
    /// Calls that tell user space something do nothing: bpf_trace_printk, bpf_perf_event_output, those of ring
    /// buffers
    #[arg(long)]
    pub drop_events: bool,
    /// How deep to look where headers of variable length follow each other: packets that need more are aborted
    #[arg(long, value_name = "BYTES", value_parser = depth)]
    pub depth: Option<u32>,
    /// Go on with a design that is larger than every card that `hardpath synth` knows
    #[arg(long)]
    pub force: bool,
    /// BTF of the kernel that the program is meant for [default: the running kernel's]
    #[arg(long, value_name = "FILE")]
    pub btf: Option<PathBuf>,
    /// Leave out what makes designs small, to see what it gains: pruning, chaining, narrowing, srl, reassociation
    #[arg(long, value_name = "SAVING", value_delimiter = ',', value_parser = saving, hide_short_help = true)]
    pub without: Vec<Saving>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

/// Options of the commands that run packets.
#[derive(Args, Debug)]
pub struct RunArguments {
    /// Capture with the packets, pcap or pcapng; several run one after the other
    #[arg(long, value_name = "FILE", required = true)]
    pub pcap: Vec<PathBuf>,
    /// Contents of maps before the first packet
    #[arg(long, value_name = "FILE")]
    pub maps: Option<PathBuf>,
    /// Where to write the contents of maps after the last packet
    #[arg(long, value_name = "FILE")]
    pub maps_out: Option<PathBuf>,
    /// Where to write the packets of verdict PASS, TX and REDIRECT, as pcapng
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// What runs the program
    #[arg(long, value_enum, default_value_t = EngineName::Native)]
    pub engine: EngineName,
    /// When packets come in: back-to-back, random:SEED, or a line rate such as 100G
    #[arg(long, value_name = "PACE", default_value = "back-to-back")]
    pub pace: String,
    /// Outputs are not ready in about 30 % of the clocks
    #[arg(long, value_name = "SEED")]
    pub backpressure: Option<u64>,
    /// Interface that the packets come in at
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub ifindex: u32,
    /// Receive queue that the packets come in at
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub queue: u16,
    /// Interface that the packets are about to leave by, for programs of a device map
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub egress_ifindex: u32,
    /// MTU of an interface, for programs that call bpf_check_mtu [default: 1500 for each interface of the run]
    #[arg(long, value_name = "IFINDEX=BYTES", value_parser = interface_mtu)]
    pub mtu: Vec<(u32, u32)>,
    /// Time that the program sees: that of the capture, or START:STEP in ns
    #[arg(long, value_name = "capture|START:STEP", default_value = "capture", value_parser = time)]
    pub time: TimeSource,
    /// Say now and then on standard error how far it has come, when that is no terminal, too
    #[arg(long)]
    pub progress: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum EngineName {
    /// The meaning of the program, without hardware
    Interpreter,
    /// The hardware, simulated in this process
    Native,
    /// The printed SystemVerilog under Verilator
    Verilator,
}

impl EngineName {
    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            EngineName::Interpreter => "interpreter",
            EngineName::Native => "native",
            EngineName::Verilator => "verilator",
        }
    }
}

/// Where a packet's time comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeSource {
    Capture,
    /// The first packet's time and what each later one adds, in nanoseconds.
    Steps {
        start: u64,
        step: u64,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum JudgeName {
    /// The running Linux kernel; needs root
    Kernel,
    /// The meaning of the program, without hardware
    Interpreter,
}

impl JudgeName {
    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            JudgeName::Kernel => "kernel",
            JudgeName::Interpreter => "interpreter",
        }
    }
}

#[derive(Args, Debug)]
pub struct CompileArguments {
    #[command(flatten)]
    pub program: ProgramArguments,
    /// Folder for the design; made new, or replaced when it holds an older design
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Language of the design
    #[arg(long, value_enum, default_value_t = HdlName::Verilog)]
    pub hdl: HdlName,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum HdlName {
    /// SystemVerilog (IEEE 1800-2012), with a test bench
    Verilog,
    /// VHDL-2008, with a test bench
    Vhdl,
}

impl HdlName {
    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            HdlName::Verilog => "verilog",
            HdlName::Vhdl => "vhdl",
        }
    }
}

#[derive(Args, Debug)]
pub struct SimArguments {
    #[command(flatten)]
    pub program: ProgramArguments,
    #[command(flatten)]
    pub run: RunArguments,
    /// Where to write the run for the test bench of a compiled design: what goes in and what must come out
    #[arg(long, value_name = "FILE")]
    pub bench: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct CheckArguments {
    #[command(flatten)]
    pub program: ProgramArguments,
    #[command(flatten)]
    pub run: RunArguments,
    /// Who says what is right
    #[arg(long, value_enum, default_value_t = JudgeName::Kernel)]
    pub against: JudgeName,
}

#[derive(Args, Debug)]
pub struct SynthArguments {
    #[command(flatten)]
    pub program: ProgramArguments,
    /// Synthesis flow
    #[arg(long, value_enum, default_value_t = FlowName::Yosys)]
    pub flow: FlowName,
    /// Device to synthesize for (vivado, quartus) [default: that of an Alveo U250; an Agilex 7]
    #[arg(long, value_name = "NAME", value_parser = part)]
    pub part: Option<String>,
    /// Folder for the design and the scripts of the flow (vivado, quartus); not with the folder of a design
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Leave out what the parts cost, without maps and by module, which takes most of the time (yosys, ecp5)
    #[arg(long)]
    pub no_parts: bool,
    /// Where the placement starts from (ecp5)
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u32,
    /// Show so many of the worst paths, of 20 at most, cell by cell, and the nets with the most loads (yosys); --json has all
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub worst: usize,
    /// File for the mapped netlist, in yosys' JSON (yosys, ecp5)
    #[arg(long, value_name = "FILE")]
    pub netlist: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum FlowName {
    /// Synthesis for UltraScale+: area and LUT6 levels. In every flow OBJECT may be the folder of a design
    Yosys,
    /// Synthesis, placement and routing for Lattice's ECP5: area and the clock that is reached
    Ecp5,
    /// A folder with scripts for Vivado, out of context, which are run if Vivado is installed; if not, it says how to
    /// run them, with status 0
    Vivado,
    /// The same for Quartus Prime, with virtual pins
    Quartus,
}

#[derive(Args, Debug)]
pub struct IrArguments {
    #[command(flatten)]
    pub program: ProgramArguments,
    /// After which step: lift, control-flow (all passes on control flow), dataflow, scheduled, or the name of a pass
    /// (that pass alone, on the lifted program)
    #[arg(long, value_name = "STEP", default_value = "lift")]
    pub after: String,
}

#[derive(Args, Debug)]
pub struct IsaArguments {
    /// Instruction tests, as JSON
    pub file: PathBuf,
    /// What runs the tests
    #[arg(long, value_enum, default_value_t = EngineName::Native)]
    pub engine: EngineName,
    /// Run only every N-th test
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub every: u32,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct FuzzArguments {
    /// Number of programs
    #[arg(long, value_name = "N", default_value_t = 300)]
    pub programs: u32,
    /// Number of packets for each program
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub packets: u32,
    /// Seed of the first program; each later one takes the next number
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Take a seed that was not used before; it is printed, so that the run can be repeated
    #[arg(long, conflicts_with = "seed")]
    pub fresh_seed: bool,
    /// Every N programs one runs in Verilator, too [default: none]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub verilator_every: u32,
    /// Folder for programs that failed, made small
    #[arg(long, value_name = "DIR", default_value = "fuzz-failures")]
    pub cases: PathBuf,
    /// Write refused programs there, too, made small
    #[arg(long)]
    pub keep_refused: bool,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct TrafficArguments {
    /// Number of packets
    #[arg(long, value_name = "N")]
    pub packets: u32,
    /// Number of flows
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub flows: u32,
    /// How packets are spread over the flows
    #[arg(long, value_parser = ["one", "uniform", "zipf"], default_value = "uniform")]
    pub distribution: String,
    /// Exponent of the Zipf distribution
    #[arg(long, value_name = "S", default_value_t = 1.0)]
    pub zipf: f64,
    /// Length of the packets: BYTES, imix, or min:max
    #[arg(long, value_name = "BYTES|imix|MIN:MAX", default_value = "64")]
    pub size: String,
    /// Transport protocol
    #[arg(long, value_parser = ["udp", "tcp", "mixed"], default_value = "udp")]
    pub proto: String,
    /// Answers, too: packets of a flow go both ways
    #[arg(long)]
    pub both_directions: bool,
    /// All flows go to this address and port
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub service: Option<SocketAddrV4>,
    /// Answers come to this address, and to a port that is counted up from this one with every new flow: what a NAT
    /// gives out
    #[arg(long, value_name = "ADDRESS:PORT", requires = "both_directions")]
    pub nat: Option<SocketAddrV4>,
    /// Packets come in an IP-in-IP tunnel between these addresses
    #[arg(long, value_name = "FROM:TO")]
    pub tunnel: Option<String>,
    /// Mix in broken and unusual headers
    #[arg(long)]
    pub hostile: bool,
    /// Seed; the same seed gives the same capture
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Capture to write, as pcapng
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct PassArguments {
    /// Name of the pass; a wrong name shows all of them
    pub name: String,
    /// Program in text form
    pub file: PathBuf,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct SupportedArguments {
    /// As the page in the docs
    #[arg(long)]
    pub markdown: bool,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct ExplainArguments {
    /// Code of a message, as in error[CODE]; without one all codes are listed
    pub code: Option<String>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct RealworldArguments {
    /// Folder with the sources and packages, as tools/realworld-sources leaves it; work files go there, too
    #[arg(long, value_name = "DIR", default_value = "build/realworld")]
    pub sources: PathBuf,
    /// Folder with our own programs and their map files
    #[arg(long, value_name = "DIR", default_value = "programs")]
    pub programs: PathBuf,
    /// Folder with map files for programs of others
    #[arg(long, value_name = "DIR", default_value = "tests/realworld")]
    pub maps: PathBuf,
    /// Folder with real captures (pcapng)
    #[arg(long, value_name = "DIR")]
    pub captures: Option<PathBuf>,
    /// Command that starts a compiler: clang, or zig cc
    #[arg(long, value_name = "COMMAND", default_value = "clang")]
    pub compiler: Vec<String>,
    /// Run only the programs of these names
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Only compile: neither simulate nor compare
    #[arg(long, conflicts_with = "synth")]
    pub compile_only: bool,
    /// Synthesize, too, for the LUT6 levels
    #[arg(long)]
    pub synth: bool,
    /// Seconds that one step of one program may take
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    pub time_limit: u64,
    /// Where to write the results, as a JSON list
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Where to write the results as a page of the docs
    #[arg(long, value_name = "FILE")]
    pub docs: Option<PathBuf>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

fn clock(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(mhz) if (1.0..=2000.0).contains(&mhz) => Ok(mhz),
        _ => Err(String::from("a clock is a number of MHz from 1 to 2000")),
    }
}

/// It stands in a script's command line, so it is one plain word.
fn part(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain) {
        true => Ok(text.into()),
        false => Err("a part is a name such as xcu250-figd2104-2L-e".into()),
    }
}

fn target(text: &str) -> Result<&'static Technology, String> {
    technology::find(text).ok_or_else(|| {
        let names = TECHNOLOGIES.iter().map(|technology| technology.name);
        format!(
            "a target is one of {}",
            names.collect::<Vec<_>>().join(", ")
        )
    })
}

fn depth(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(bytes @ (64 | 128 | 256)) => Ok(bytes),
        _ => Err("a depth is 64, 128 or 256 bytes".into()),
    }
}

fn saving(text: &str) -> Result<Saving, String> {
    Saving::find(text).ok_or_else(|| {
        let names: Vec<&str> = Saving::ALL.iter().map(|saving| saving.name()).collect();
        format!("what can be left out: {}", names.join(", "))
    })
}

fn bus(text: &str) -> Result<u32, String> {
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

fn interface_mtu(text: &str) -> Result<(u32, u32), String> {
    let parsed = text.split_once('=').and_then(|(ifindex, mtu)| {
        let ifindex = ifindex.parse().ok().filter(|ifindex| *ifindex > 0)?;
        Some((ifindex, mtu.parse().ok().filter(|mtu| *mtu > 0)?))
    });
    parsed.ok_or_else(|| String::from("give the interface's number and its MTU in bytes: 2=9000"))
}

fn array_entry(text: &str) -> Result<((String, u32), String), String> {
    let parsed = text.split_once('=').and_then(|(entry, program)| {
        let (map, index) = entry.rsplit_once(':')?;
        let index = index.parse().ok()?;
        let is_complete = !map.is_empty() && !program.is_empty();
        is_complete.then(|| ((map.to_owned(), index), program.to_owned()))
    });
    parsed.ok_or_else(|| {
        String::from("give the map's name, an index and a program: steps:3=parse_ipv6")
    })
}

fn time(text: &str) -> Result<TimeSource, String> {
    if text == "capture" {
        return Ok(TimeSource::Capture);
    }
    let steps = text.split_once(':').and_then(|(start, step)| {
        Some(TimeSource::Steps {
            start: start.parse().ok()?,
            step: step.parse().ok()?,
        })
    });
    steps.ok_or_else(|| String::from("give `capture`, or START:STEP in nanoseconds: 1000000:100"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn command_line_is_consistent() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn options_are_read() {
        assert_eq!(time("5:7"), Ok(TimeSource::Steps { start: 5, step: 7 }));
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
        assert_eq!(interface_mtu("2=9000"), Ok((2, 9000)));
        for wrong in ["2", "0=1500", "2=0", "2=x", "=1500"] {
            assert!(interface_mtu(wrong).is_err(), "{wrong}");
        }
        assert!(bus("96").is_err());
        assert!(clock("nan").is_err());
        assert!(time("5").is_err());
    }
}

//! The command line. Names are fixed: scripts depend on them.

mod advise;
mod program;
mod run;

use crate::messages::MessageFormat;
pub use advise::AdviseArguments;
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use hardpath_pipeline::technology::Technology;
pub use program::{
    ArrayEntry, HardwareArguments, ObjectArguments, P4Arguments, P4SourceArguments, P4Version,
    ProcessorArguments, ProgramArguments, TargetArguments,
};
pub use run::{EngineName, LoadOf, RunArguments, TimeSource};
use std::net::SocketAddrV4;
use std::path::PathBuf;

/// Compiles XDP and P4 programs to FPGA hardware, simulates that hardware, and checks it against the Linux kernel or what P4 says.
///
/// Exit status: 0 good, 1 a comparison failed, 2 wrong usage or unreadable input, 3 a program that is refused, 4 a
/// defect of hardpath.
#[derive(Parser, Debug)]
#[command(name = "hardpath", version)]
// Those of clap stand under no heading.
#[command(disable_help_flag = true, disable_version_flag = true)]
#[command(next_help_heading = "Messages and help")]
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
    /// Print help; -h is shorter than --help
    #[arg(short, long, action = ArgAction::Help, global = true)]
    help: Option<bool>,
    /// Print the version
    #[arg(short = 'V', long, action = ArgAction::Version)]
    version: Option<bool>,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Compile a program to SystemVerilog or VHDL, or to rows of a core
    Compile(CompileArguments),
    /// Send packets through a program's hardware, clock by clock
    Sim(SimArguments),
    /// Compare a program's hardware with the Linux kernel, or with what its P4 source means, packet by packet and map by map
    Check(CheckArguments),
    /// Area and depth of a program's hardware
    Synth(SynthArguments),
    /// Put a program's pipeline and a core with it side by side, and say which to take
    Advise(AdviseArguments),
    /// Print a program's intermediate form
    Ir(IrArguments),
    /// Run instruction tests
    Isa(IsaArguments),
    /// Compare random programs between kernel, interpreter and hardware, or rows of a core
    Fuzz(FuzzArguments),
    /// Write a capture of generated traffic
    Traffic(TrafficArguments),
    /// Run one pass on the text form of a program and print the result
    Pass(PassArguments),
    /// Print what programs may do: instructions, helpers, maps, limits; or of P4 sources (--p4)
    Supported(SupportedArguments),
    /// Build a core, a packet processor, once for all programs that fit it
    Core(CoreArguments),
    /// Write the bus writes that load a program into a core
    Load(LoadArguments),
    /// Make the image of a core's program from its text
    Asm(AsmArguments),
    /// Print the image of a core's program as text
    Disasm(DisasmArguments),
    /// Explain the code of a message
    Explain(ExplainArguments),
    /// Run tests of a P4 program: packets in, and what has to come out (STF)
    Stf(StfArguments),
    /// Print what the control plane sees of a P4 program (P4Info)
    P4info(P4infoArguments),
    /// Check P4 sources
    P4check(P4checkArguments),
    /// Give P4 sources their usual form
    P4fmt(P4fmtArguments),
    /// Compare the XDP programs of the Linux kernel, of Debian's libxdp and our own with the kernel
    Realworld(RealworldArguments),
}

impl Command {
    /// Whether the answer is wanted as JSON.
    pub fn json(&self) -> bool {
        match self {
            Command::Compile(arguments) => arguments.answer.json,
            Command::Sim(arguments) => arguments.answer.json,
            Command::Check(arguments) => arguments.answer.json,
            Command::Synth(arguments) => arguments.answer.json,
            Command::Advise(arguments) => arguments.answer.json,
            Command::Ir(arguments) => arguments.answer.json,
            Command::Isa(arguments) => arguments.answer.json,
            Command::Fuzz(arguments) => arguments.answer.json,
            Command::Traffic(arguments) => arguments.answer.json,
            Command::Pass(arguments) => arguments.answer.json,
            Command::Supported(arguments) => arguments.answer.json,
            Command::Core(arguments) => arguments.answer.json,
            Command::Load(arguments) => arguments.answer.json,
            Command::Asm(arguments) => arguments.answer.json,
            Command::Disasm(arguments) => arguments.answer.json,
            Command::Explain(arguments) => arguments.answer.json,
            Command::Stf(arguments) => arguments.answer.json,
            Command::P4info(arguments) => arguments.answer.json,
            Command::P4check(arguments) => arguments.answer.json,
            Command::P4fmt(arguments) => arguments.answer.json,
            Command::Realworld(arguments) => arguments.answer.json,
        }
    }
}

/// How the answer is printed, of every command.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct AnswerArguments {
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum JudgeName {
    /// The running Linux kernel; needs root
    Kernel,
    /// The meaning of the program, without hardware; of a P4 source, that of the specification
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
    /// Folder for the design, or for the image and listing of a core's rows; made new, or replaced when it holds older ones
    #[arg(short, long, value_name = "DIR", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Language of the design
    #[arg(long, value_enum, default_value_t = HdlName::Verilog, help_heading = "Output")]
    pub hdl: HdlName,
    /// Say whether the program fits a core that is built already, as the core.json of its folder describes it, and which slots its maps
    /// take, with --target core
    #[arg(long, value_name = "FILE", conflicts_with_all = ["lanes", "threads", "bus", "core"], help_heading = "Hardware")]
    pub fit: Option<PathBuf>,
    #[command(flatten)]
    pub answer: AnswerArguments,
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
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "load",
        help_heading = "Output"
    )]
    pub bench: Option<PathBuf>,
    #[command(flatten)]
    pub answer: AnswerArguments,
}

#[derive(Args, Debug)]
pub struct CheckArguments {
    #[command(flatten)]
    pub program: ProgramArguments,
    #[command(flatten)]
    pub run: RunArguments,
    /// Who says what is right [default: kernel; interpreter for a P4 source]
    #[arg(long, value_enum, help_heading = "Run")]
    pub against: Option<JudgeName>,
    #[command(flatten)]
    pub answer: AnswerArguments,
}

#[derive(Args, Debug)]
pub struct SynthArguments {
    #[command(flatten)]
    pub program: ProgramArguments,
    /// Synthesis flow
    #[arg(long, value_enum, default_value_t = FlowName::Yosys, help_heading = "Synthesis")]
    pub flow: FlowName,
    /// Device to synthesize for (vivado, quartus) [default: that of an Alveo U250; an Agilex 7]
    #[arg(long, value_name = "NAME", value_parser = part, help_heading = "Synthesis")]
    pub part: Option<String>,
    /// Folder for the design and the scripts of the flow (vivado, quartus); not with the folder of a design
    #[arg(short, long, value_name = "DIR", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Leave out what the parts cost, without maps and by module, which takes most of the time (yosys, ecp5)
    #[arg(long, help_heading = "Synthesis")]
    pub no_parts: bool,
    /// Where the placement starts from (ecp5)
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        help_heading = "Synthesis"
    )]
    pub seed: u32,
    /// How cells are placed (ecp5)
    #[arg(long, value_enum, default_value_t = PlacerName::Heap, help_heading = "Synthesis")]
    pub placer: PlacerName,
    /// Show so many of the worst paths, of 20 at most, cell by cell, and the nets with the most loads (yosys); --json has all
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Output")]
    pub worst: usize,
    /// File for the mapped netlist, in yosys' JSON (yosys, ecp5)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub netlist: Option<PathBuf>,
    #[command(flatten)]
    pub answer: AnswerArguments,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum PlacerName {
    /// As nextpnr does, but slow ways count more
    Heap,
    /// All cells at once: designs of 30,000 LUTs and more get less wire, and are routed sooner
    Static,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum FlowName {
    /// Synthesis for UltraScale+: area and LUT6 levels. In every flow FILE may be the folder of a design
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
    #[arg(
        long,
        value_name = "STEP",
        default_value = "lift",
        help_heading = "Output"
    )]
    pub after: String,
    /// Lift an object's loops as loops, as far as that can be, in place of writing out their rounds
    #[arg(long, help_heading = "Output")]
    pub structured: bool,
    #[command(flatten)]
    pub answer: AnswerArguments,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Run")]
pub struct IsaArguments {
    /// Instruction tests, as JSON
    pub file: PathBuf,
    /// What runs the tests [default: native; rows with --target core]
    #[arg(long, value_enum)]
    pub engine: Option<EngineName>,
    /// Run only every N-th test
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub every: u32,
    #[command(flatten)]
    pub target: TargetArguments,
    #[command(flatten)]
    pub answer: AnswerArguments,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Run")]
pub struct FuzzArguments {
    /// Number of programs
    #[arg(long, value_name = "N", default_value_t = 1000)]
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
    /// Every N programs one runs in Verilator, too; 0: none [default: 10 with --target core, else 0]
    #[arg(long, value_name = "N")]
    pub verilator_every: Option<u32>,
    #[command(flatten)]
    pub target: TargetArguments,
    /// Folder for programs that failed, made small
    #[arg(
        long,
        value_name = "DIR",
        default_value = "fuzz-failures",
        help_heading = "Output"
    )]
    pub cases: PathBuf,
    /// Write refused programs there, too, made small
    #[arg(long, help_heading = "Output")]
    pub keep_refused: bool,
    #[command(flatten)]
    pub answer: AnswerArguments,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Traffic")]
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
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: PathBuf,
    #[command(flatten)]
    pub answer: AnswerArguments,
}

#[derive(Args, Debug)]
pub struct StfArguments {
    /// P4 source
    #[arg(help_heading = "Program")]
    pub file: PathBuf,
    /// Tests, in the simple test format
    #[arg(required = true, value_name = "TEST", help_heading = "Program")]
    pub tests: Vec<PathBuf>,
    #[command(flatten)]
    pub p4: P4SourceArguments,
    #[command(flatten)]
    pub hardware: HardwareArguments,
    /// What runs the program: its meaning as the specification has it, or hardware [default: native]
    #[arg(long, value_name = "ENGINE", help_heading = "Run")]
    pub engine: Option<EngineName>,
    #[command(flatten)]
    pub answer: AnswerArguments,
}

#[derive(Args, Debug)]
pub struct P4infoArguments {
    /// P4 source
    #[arg(help_heading = "Program")]
    pub file: PathBuf,
    #[command(flatten)]
    pub p4: P4SourceArguments,
    /// Where to write it; a name that ends in .bin gets the binary form
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Where to write the entries that the program itself has, as P4Runtime's WriteRequest, in these forms; - prints them, in place of the
    /// description
    #[arg(long, value_name = "FILE|-", help_heading = "Output")]
    pub entries: Option<PathBuf>,
    #[command(flatten)]
    pub answer: AnswerArguments,
}

#[derive(Args, Debug)]
pub struct P4checkArguments {
    /// P4 sources
    #[arg(required = true, value_name = "FILE", help_heading = "Program")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub p4: P4SourceArguments,
    #[command(flatten)]
    pub answer: AnswerArguments,
}

#[derive(Args, Debug)]
pub struct P4fmtArguments {
    /// P4 sources, which are written anew; `-` is standard input, and goes to standard output
    #[arg(required = true, value_name = "FILE", help_heading = "Program")]
    pub files: Vec<PathBuf>,
    /// Write nothing: say which files would change, with exit status 1
    #[arg(long, help_heading = "Output")]
    pub check: bool,
    #[command(flatten)]
    pub answer: AnswerArguments,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Program")]
pub struct PassArguments {
    /// Name of the pass; a wrong name shows all of them
    pub name: String,
    /// Program in text form
    pub file: PathBuf,
    #[command(flatten)]
    pub answer: AnswerArguments,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct SupportedArguments {
    /// Of P4 sources: constructs, architectures, externs, keys of tables, limits
    #[arg(long)]
    pub p4: bool,
    /// As the page in the docs
    #[arg(long)]
    pub markdown: bool,
    #[command(flatten)]
    pub answer: AnswerArguments,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Hardware")]
pub struct CoreArguments {
    /// Slots for maps, as JSON: [{"kind": "hash", "key_bytes": 16, "value_bytes": 32, "entries": 1024, "count": 2}, …]; without it the
    /// core has none
    #[arg(long, value_name = "FILE")]
    pub maps: Option<PathBuf>,
    /// What the top module is called
    #[arg(long, value_name = "NAME", default_value = "core", value_parser = module_name)]
    pub name: String,
    /// Rows of a program, in each of two banks
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = clap::value_parser!(u32).range(16..=4096))]
    pub rows: u32,
    #[command(flatten)]
    pub processor: ProcessorArguments,
    /// Width of the packet streams in bits: 64, 128, 256 or 512
    #[arg(long, value_name = "BITS", default_value_t = 512, value_parser = program::bus)]
    pub bus: u32,
    /// Family of FPGAs whose delays count [default: ultrascale+]
    #[arg(long, value_name = "NAME", value_parser = program::family())]
    pub family: Option<&'static Technology>,
    /// Clock in MHz that is aimed at [default: 250; 200 for 7-series, 75 for ecp5]
    #[arg(long, value_name = "MHZ", value_parser = program::clock)]
    pub clock: Option<f64>,
    /// Go on with a core that is larger than every card that `hardpath synth` knows
    #[arg(long)]
    pub force: bool,
    /// Folder for the core; made new, or replaced when it holds an older one
    #[arg(short, long, value_name = "DIR", help_heading = "Output")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub answer: AnswerArguments,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Program")]
pub struct LoadArguments {
    /// Image of a core's program, as `hardpath compile --target core` writes it (FILE.hpi)
    pub image: PathBuf,
    /// The core, as the core.json of its folder describes it
    #[arg(long, value_name = "FILE", help_heading = "Hardware")]
    pub core: PathBuf,
    /// Image of the program that runs: maps that both declare alike keep what they hold; the core refuses the load when another one runs
    #[arg(long, value_name = "IMAGE")]
    pub keep: Option<PathBuf>,
    /// The program waits until the host lets it take packets, when its maps hold what they should: a write of 2 to LOAD
    #[arg(long)]
    pub hold: bool,
    /// Where to write the writes, a line each: address and data, in hexadecimal
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub words: Option<PathBuf>,
    /// A device to load the program into: none is there yet
    #[arg(
        long,
        value_name = "NAME",
        conflicts_with = "words",
        help_heading = "Output"
    )]
    pub device: Option<String>,
    #[command(flatten)]
    pub answer: AnswerArguments,
}

/// An identifier of both languages.
fn module_name(text: &str) -> Result<String, String> {
    match hardpath_pipeline::lower::module_name(text) == text {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "a module cannot be called so; {} would do",
            hardpath_pipeline::lower::module_name(text)
        )),
    }
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Program")]
pub struct AsmArguments {
    /// Text of a core's program, as `hardpath disasm` and `hardpath compile --target core` write it (FILE.hps)
    pub file: PathBuf,
    /// Image to write (FILE.hpi); without it the text is only checked
    #[arg(short, long, value_name = "IMAGE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub answer: AnswerArguments,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Program")]
pub struct DisasmArguments {
    /// Image of a core's program, as `hardpath asm` and `hardpath compile --target core` write it (FILE.hpi)
    pub image: PathBuf,
    #[command(flatten)]
    pub answer: AnswerArguments,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct ExplainArguments {
    /// Code of a message, as in error[CODE]; without one all codes are listed
    #[arg(help_heading = "Message")]
    pub code: Option<String>,
    #[command(flatten)]
    pub answer: AnswerArguments,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Run")]
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
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Where to write the results as a page of the docs
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub docs: Option<PathBuf>,
    #[command(flatten)]
    pub answer: AnswerArguments,
}

/// It stands in a script's command line, so it is one plain word.
fn part(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain) {
        true => Ok(text.into()),
        false => Err("a part is a name such as xcu250-figd2104-2L-e".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn command_line_is_consistent() {
        CommandLine::command().debug_assert();
    }

    /// What a reader looks for stands under what it concerns: each command's headings, with the options under them, as the file
    /// beside this one has them. `UPDATE_EXPECT=1` renews it.
    #[test]
    fn every_option_stands_under_a_heading() {
        let mut command = CommandLine::command();
        command.build();
        let mut found = headings(&command);
        for command in command.get_subcommands() {
            // That one shows the help of others, and has no options.
            if command.get_name() != "help" {
                found += &headings(command);
            }
        }
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/arguments/headings.txt");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(file, &found).unwrap();
        }
        assert_eq!(found, std::fs::read_to_string(file).unwrap());
    }

    fn headings(command: &clap::Command) -> String {
        let mut headings: Vec<(&str, String)> = Vec::new();
        for argument in command.get_arguments() {
            let name = argument.get_id().as_str();
            let heading = argument.get_help_heading();
            let heading = heading.unwrap_or_else(|| panic!("{}: {name}", command.get_name()));
            let known = headings.iter_mut().find(|(known, _)| *known == heading);
            match known {
                Some((_, names)) => *names += &format!(" {name}"),
                None => headings.push((heading, name.to_owned())),
            }
        }
        let lines = headings.iter();
        let lines: String = lines
            .map(|(heading, names)| format!("  {heading}: {names}\n"))
            .collect();
        format!("{}\n{lines}", command.get_name())
    }
}

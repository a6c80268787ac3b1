//! Options of the commands that run packets.

use super::program::{array_entry, ArrayEntry};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(next_help_heading = "Run")]
pub struct RunArguments {
    /// Capture with the packets, pcap or pcapng; several run one after the other
    #[arg(long, value_name = "FILE", required = true)]
    pub pcap: Vec<PathBuf>,
    /// Contents of maps before the first packet
    #[arg(long, value_name = "FILE")]
    pub maps: Option<PathBuf>,
    /// What runs the program [default: native; rows with --target core]
    #[arg(long, value_enum)]
    pub engine: Option<EngineName>,
    /// When packets come in: back-to-back, random:SEED, or a line rate such as 100G or 50M
    #[arg(long, value_name = "PACE", default_value = "back-to-back")]
    pub pace: String,
    /// Outputs are not ready in about 30 % of the clocks
    #[arg(long, value_name = "SEED")]
    pub backpressure: Option<u64>,
    /// Mark about one frame in eight as bad at its end, as a MAC does that finds a wrong check sequence
    #[arg(long, value_name = "SEED", conflicts_with = "depth")]
    pub bad: Option<u64>,
    /// Interface that the packets come in at
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub ifindex: u32,
    /// Receive queue that the packets come in at
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub queue: u16,
    /// Interface that the packets are about to leave by, for programs of a device map
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub egress_ifindex: u32,
    /// An input of the program's own, the same for all packets; those that are not given are 0
    #[arg(long, value_name = "NAME=N", value_parser = own_input)]
    pub input: Vec<(String, u64)>,
    /// MTU of an interface, for programs that call bpf_check_mtu [default: 1500 for each interface of the run]
    #[arg(long, value_name = "IFINDEX=BYTES", value_parser = interface_mtu)]
    pub mtu: Vec<(u32, u32)>,
    /// Time that the program sees: that of the capture, or START:STEP in ns
    #[arg(long, value_name = "capture|START:STEP", default_value = "capture", value_parser = time)]
    pub time: TimeSource,
    /// Load another object into the core when so many packets were sent, with --target core, or the program that runs with another entry
    /// in a program array (PACKET:MAP:INDEX=PROGRAM[@FILE]); each packet is judged by the program that was in force when it came
    #[arg(long, value_name = "PACKET:OBJ", value_parser = load)]
    pub load: Vec<(usize, LoadOf)>,
    /// Programs that are loaded find all their maps empty, also those that the program before declares alike
    #[arg(long, requires = "load")]
    pub clear_maps: bool,
    /// Where to write the contents of maps after the last packet
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub maps_out: Option<PathBuf>,
    /// Where to write the packets of verdict PASS, TX and REDIRECT, as pcapng
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Say now and then on standard error how far it has come, when that is no terminal, too
    #[arg(long, help_heading = "Output")]
    pub progress: bool,
}

impl RunArguments {
    /// What the reference interpreter of P4 cannot be told: it has tables and registers as the source has them.
    pub fn unknown_to_reference(&self) -> Option<&'static str> {
        match (&self.maps, self.load.is_empty()) {
            (Some(_), _) => Some("--maps"),
            (None, false) => Some("--load"),
            (None, true) => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum EngineName {
    /// The meaning of the program, without hardware
    Interpreter,
    /// The hardware, simulated in this process
    Native,
    /// The printed SystemVerilog under Verilator
    Verilator,
    /// The rows of a core (--target core), one packet behind the other and without a clock
    Rows,
}

impl EngineName {
    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            EngineName::Interpreter => "interpreter",
            EngineName::Native => "native",
            EngineName::Verilator => "verilator",
            EngineName::Rows => "rows",
        }
    }

    /// Whether it simulates hardware, with a clock.
    pub fn is_hardware(self) -> bool {
        matches!(self, EngineName::Native | EngineName::Verilator)
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

fn interface_mtu(text: &str) -> Result<(u32, u32), String> {
    let parsed = text.split_once('=').and_then(|(ifindex, mtu)| {
        let ifindex = ifindex.parse().ok().filter(|ifindex| *ifindex > 0)?;
        Some((ifindex, mtu.parse().ok().filter(|mtu| *mtu > 0)?))
    });
    parsed.ok_or_else(|| String::from("give the interface's number and its MTU in bytes: 2=9000"))
}

/// What is loaded in the middle of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LoadOf {
    /// The program of an object.
    Object(PathBuf),
    /// The program that runs, with another entry in a program array.
    Entry(ArrayEntry),
}

fn load(text: &str) -> Result<(usize, LoadOf), String> {
    let parsed = text.split_once(':').and_then(|(packets, what)| {
        let what = match array_entry(what) {
            Ok(entry) => LoadOf::Entry(entry),
            Err(_) if what.is_empty() => return None,
            Err(_) => LoadOf::Object(PathBuf::from(what)),
        };
        Some((packets.parse().ok()?, what))
    });
    let help = "give the number of packets and an object, or an entry of a program array: 1000:other.o, 1000:steps:3=parse_ipv6@other.o";
    parsed.ok_or_else(|| String::from(help))
}

fn own_input(text: &str) -> Result<(String, u64), String> {
    let parsed = text.split_once('=').and_then(|(name, value)| {
        let value = match value.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => value.parse(),
        };
        Some((name.to_owned(), value.ok()?))
    });
    parsed.ok_or_else(|| String::from("give the input's name and a number: mark=5, mark=0x1f"))
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

    #[test]
    fn options_are_read() {
        assert_eq!(time("5:7"), Ok(TimeSource::Steps { start: 5, step: 7 }));
        assert!(time("5").is_err());
        assert_eq!(interface_mtu("2=9000"), Ok((2, 9000)));
        assert_eq!(own_input("mark=0x1f"), Ok(("mark".into(), 31)));
        let object = |name: &str| LoadOf::Object(PathBuf::from(name));
        assert_eq!(load("7:a:b.o"), Ok((7, object("a:b.o"))));
        assert_eq!(load("7:a=b.o"), Ok((7, object("a=b.o"))));
        let entry = array_entry("a:1=b@c.o").expect("an entry");
        assert_eq!(load("7:a:1=b@c.o"), Ok((7, LoadOf::Entry(entry))));
        for wrong in ["7", "7:", ":a.o", "-1:a.o", "a.o:7", "1e3:a.o"] {
            assert!(load(wrong).is_err(), "{wrong}");
        }
        assert!(own_input("mark").is_err() && own_input("mark=-1").is_err());
        for wrong in ["2", "0=1500", "2=0", "2=x", "=1500"] {
            assert!(interface_mtu(wrong).is_err(), "{wrong}");
        }
    }
}

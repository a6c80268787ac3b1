//! What a compilation tells its user: size, latency, and how each map's hazard is handled.

use crate::promise::Promise;
use hardpath_diagnostic::Diagnostic;
use serde::Serialize;

/// The figures of one compiled design.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Stages of the compute pipeline.
    pub stages: u32,
    /// Clocks from the one that takes a packet's first frame in to the one that puts its first frame out, for a
    /// packet of one frame in an idle design.
    pub latency_clocks: u32,
    /// Stages until a packet's result is complete. The later ones only write maps, which the packet does not wait for.
    pub result_stages: u32,
    /// Bytes at the front of a packet that the program can read.
    pub window_bytes: u32,
    /// Levels of logic in the deepest stage of the compute pipeline, as the delay model sees them.
    pub levels: f64,
    /// The clock that it is scheduled for.
    pub clock_mhz: f64,
    /// The family of FPGAs that it is scheduled for.
    #[serde(rename = "target")]
    pub technology: &'static str,
    /// Width of the packet streams, in bits.
    pub bus_bits: u32,
    /// Packets enter the program with so many bytes, if they have as many, before all of them is in; `None`: when they are in.
    pub ahead_bytes: Option<u32>,
    /// Bits of the registers between the stages of the compute pipeline.
    pub register_bits: u64,
    /// One for each map of the program, in its order.
    pub maps: Vec<MapReport>,
    /// Packets a second and line rates: those of any traffic, of one flow, of many.
    pub promise: Promise,
    /// What is to be said beside these figures; commands print it with all other warnings.
    #[serde(skip)]
    pub warnings: Vec<Diagnostic>,
}

/// How one map became hardware.
#[derive(Clone, Debug, Serialize)]
pub struct MapReport {
    /// As the program calls it.
    pub name: String,
    /// What kind of table it is called elsewhere: [`MapDecl::outside`](hardpath_ir::MapDecl::outside).
    #[serde(rename = "type")]
    pub kind: String,
    /// Of what is looked up.
    pub key_bytes: u32,
    /// Bits of a whole key: 8 for each byte.
    pub key_bits: u32,
    /// Bits of a key that are not the same constants in the whole program.
    pub key_bits_stored: u32,
    /// Of each entry.
    pub value_bytes: u32,
    /// How many it holds when it is full, as the program declares it.
    pub max_entries: u32,
    /// Of copies and banks that of the most costly one.
    pub hazard: Hazard,
    /// Clocks for which a packet waits for an older one with the same key; 0 where none waits.
    pub window: u32,
    /// Why the hazard is what it is, in one sentence.
    pub reason: String,
}

/// How a map stays serial.
#[derive(Clone, Copy, Debug, PartialOrd, Ord, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Hazard {
    /// The data plane only reads, or only adds and nobody reads the result.
    None,
    /// Read, compute and write in one stage, with forwarding: one packet a clock even for one key.
    Fused,
    /// A packet waits at the window's entrance while an older one with the same key is inside.
    Interlock,
    /// A packet that read what an older one commits afterwards is run again, with all behind it.
    Replay,
}

impl Hazard {
    /// As it is written in reports.
    pub fn name(self) -> &'static str {
        match self {
            Hazard::None => "none",
            Hazard::Fused => "fused",
            Hazard::Interlock => "interlock",
            Hazard::Replay => "replay",
        }
    }
}

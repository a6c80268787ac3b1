//! What a design promises whatever its traffic is: packets a second, and the line rate that follows.
//!
//! The worst that can happen to a packet is that it waits for the one in front of it. Behind an interlock that is so when both
//! have one key: then `window` + 1 clocks lie between them. In a window that is replayed the second one has read too early, and
//! starts again when the first one has committed. Several windows of a design work at the same time, so the slowest one
//! decides. All else takes a clock for each beat of a packet, on its way in and on its way out.

use crate::moves::packet_moves;
use crate::plan::{Access, Gate};
use crate::schedule::Schedule;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::Program;
use serde::Serialize;

/// Figures of one design at its clock. Lengths are those of packets as a program sees them, without check sequence.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Promise {
    /// Packets of the shortest length a second, whatever they are and in whatever order.
    pub any_traffic_pps: f64,
    /// … that all belong to one flow.
    pub one_flow_pps: f64,
    /// … of which none waits for another: those close behind each other have no key in common.
    pub many_flows_pps: f64,
    /// Gbit/s of a line full of the shortest frames, of any traffic: 64 bytes with check sequence, and what lies between
    /// frames.
    pub line_gbps: f64,
    /// The length that such a line serves worst, in bytes.
    pub worst_length: u32,
    /// Gbit/s of a line full of packets of that length, with what lies between their frames.
    pub worst_length_gbps: f64,
    /// The map whose window is the slowest; `None`: packets wait for nobody.
    pub slowest_map: Option<String>,
    /// Bits a second of the packet streams, in Gbit/s.
    pub bus_gbps: f64,
}

/// The shortest packet that a line carries; its MAC pads shorter ones (IEEE 802.3, 3.2.7).
const SHORTEST: u32 = 60;
/// What a frame takes on the line beside the packet: preamble and start delimiter 8, check sequence 4, gap 12
/// (IEEE 802.3, 4.4.2).
const LINE_OVERHEAD: u32 = 8 + 4 + 12;
/// Clocks from the commit at which a packet of a replayed window turns out to be stale to its second entrance.
const REWIND: u32 = 2;
/// The line rate that cards of today have.
const LINE_GBPS: f64 = 100.0;

/// A window, and the clocks that it can cost a packet.
struct Slowest {
    map: Option<String>,
    clocks: u32,
}

/// What a scheduled program promises at the clock of its schedule. `bus_bits`: width of the packet streams.
pub fn promise(program: &Program, plan: &[Access], schedule: &Schedule, bus_bits: u32) -> Promise {
    let clock_mhz = schedule.timing.clock_mhz;
    let slowest = slowest(program, plan, schedule);
    let grows = grows(program);
    let pps = |length: u32, window: u32| {
        clock_mhz * 1e6 / f64::from(clocks(length, grows, bus_bits, window))
    };
    let gbps = |length: u32| {
        // What grows on its way takes longer on the line that it leaves by, too.
        let gbps = |out: u32| {
            let clocks = clocks(length, out, bus_bits, slowest.clocks);
            let on_line = f64::from((length + out + LINE_OVERHEAD) * 8);
            clock_mhz * on_line / f64::from(clocks) / 1000.0
        };
        gbps(0).min(gbps(grows))
    };
    let lengths = SHORTEST..=program.limits.longest.max(SHORTEST);
    let worst = lengths.min_by(|a, b| gbps(*a).total_cmp(&gbps(*b)));
    let worst_length = worst.unwrap_or(SHORTEST);
    let any_traffic_pps = pps(SHORTEST, slowest.clocks);
    Promise {
        any_traffic_pps,
        // Nothing is worse than packets that all have one key.
        one_flow_pps: any_traffic_pps,
        many_flows_pps: pps(SHORTEST, 1),
        line_gbps: gbps(SHORTEST),
        worst_length,
        worst_length_gbps: gbps(worst_length),
        slowest_map: slowest.map,
        bus_gbps: clock_mhz * f64::from(bus_bits) / 1000.0,
    }
}

/// Clocks from a packet of so many bytes, which leaves with so many more, to the next one.
fn clocks(length: u32, grows: u32, bus_bits: u32, window: u32) -> u32 {
    let beats = ((length + grows) * 8).div_ceil(bus_bits);
    beats.max(window)
}

fn slowest(program: &Program, plan: &[Access], schedule: &Schedule) -> Slowest {
    let mut slowest = Slowest {
        map: None,
        clocks: 1,
    };
    for (index, access) in plan.iter().enumerate() {
        let window = schedule.window(program, access, index);
        let clocks = match access.gate() {
            None => continue,
            Some(Gate::Keys | Gate::Values) => window + 1,
            Some(Gate::Replay) => window + REWIND + access.slots(),
        };
        let clocks = clocks.max(access.slots());
        if clocks > slowest.clocks {
            slowest = Slowest {
                map: Some(program.maps[access.map].name.clone()),
                clocks,
            };
        }
    }
    slowest
}

/// Bytes by which a packet can grow at its front, where the program says so; at its end it can grow by as many as it wants.
fn grows(program: &Program) -> u32 {
    let firsts = packet_moves(program).and_then(|moves| moves.firsts);
    let first = firsts.and_then(|firsts| firsts.first().copied());
    first.map_or(0, |first| first.min(0).unsigned_abs())
}

impl Promise {
    /// What is to be said of it.
    pub fn warning(&self) -> Option<Diagnostic> {
        let limit = match &self.slowest_map {
            Some(map) => format!("map {map} is the limit"),
            None => String::from("the packet streams are the limit"),
        };
        if self.line_gbps.min(self.bus_gbps) >= LINE_GBPS {
            return None;
        }
        let message = format!(
            "{:.1} million packets a second of any traffic are {:.1} Gbit/s of frames of 64 bytes, less than a line of {LINE_GBPS:.0} Gbit/s (148.8 million): {limit}",
            self.any_traffic_pps / 1e6,
            self.line_gbps.min(self.bus_gbps),
        );
        let help = match self.slowest_map {
            Some(_) => "packets with one key wait for each other: the report says why for each map; shorten the way from what is read to what is written. Traffic of many flows passes at up to one packet a clock",
            None => "ask for a faster clock (--clock) or a wider bus (--bus)",
        };
        Some(Diagnostic::warning("below-line-rate", message).help(help))
    }
}

//! One kind of hardware with the program in it: how fast, how large, and what it takes to change it.

use super::choice::Figures;
use super::traffic::Traffic;
use super::Read;
use crate::engine::with_first_contents;
use crate::size::Size;
use crate::target::{self, core, Hardware};
use hardpath_core::hardware::processor::stream::{Before, Load};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::maps::Image;
use hardpath_packet::{Packet, Ports};
use hardpath_registers::load::writes;
use hardpath_session::Session;
use hardpath_testbed::native::Native;
use hardpath_testbed::pace::Pace;
use hardpath_testbed::run::RunOptions;
use hardpath_testbed::statistics::Statistics;

/// Packets that come one by one, so slowly that each is alone.
const ALONE: usize = 16;
const SLOW: Pace = Pace::Line { megabits: 20 };
/// Of packets that take long not all are sent: first these, then [`MORE`] times as many, as long as that takes no more than these clocks.
const FIRST: usize = 128;
const MORE: usize = 4;
const CLOCKS: u64 = 1_000_000;

pub struct Side {
    pub many: Statistics,
    pub one: Statistics,
    /// From a packet's first beat in to its first beat out, or to its end, when nothing else is inside.
    pub latency_clocks: u64,
    pub clock_mhz: f64,
    pub size: Size,
    pub kind: Kind,
    pub warnings: Vec<Diagnostic>,
}

/// What only one of the two has.
pub enum Kind {
    Pipeline {
        stages: u64,
    },
    Core {
        rows: usize,
        operations: usize,
        lanes: u8,
        threads: u8,
        /// The writes that load the program, one in each clock.
        writes: usize,
    },
}

impl Side {
    /// # Errors
    /// What keeps the program from becoming hardware; the hardware breaks a rule.
    pub fn new(read: &Read, traffic: &Traffic, contents: &Image) -> Result<Side, Vec<Diagnostic>> {
        let hardware = target::compile(&read.loaded, &read.asked)?;
        let kind = Kind::of(read, &hardware)?;
        let mut contents = with_first_contents(&hardware.form, contents);
        contents.retain(|name, _| {
            hardware
                .interface
                .maps
                .iter()
                .any(|map| map.map.name == *name)
        });
        let mut native = Native::new(&hardware.design).map_err(|error| vec![error])?;
        let ports = traffic.ports();
        let mut send = |packets: &[Packet], pace| {
            let what = (packets, &ports, pace);
            let sent = send(&mut native, &hardware, &contents, what);
            sent.map_err(|error| vec![error])
        };
        let alone = send(&traffic.many[..traffic.many.len().min(ALONE)], SLOW)?;
        let mut fast = |packets: &[Packet]| rate(packets, |some| send(some, Pace::BackToBack));
        let many = fast(&traffic.many)?;
        let one = fast(&traffic.one)?;
        Ok(Side {
            many,
            one,
            latency_clocks: latency(&alone),
            clock_mhz: hardware.clock_mhz,
            size: Size::of(&hardware.design, hardware.family),
            kind,
            warnings: read.loaded.warnings_with(&hardware.warnings),
        })
    }

    /// What the choice goes by.
    pub fn figures(&self) -> Figures {
        Figures {
            mpps: self.many.mpps,
            of_one_flow: self.one.mpps,
            is_too_large: self
                .warnings
                .iter()
                .any(|one| one.code == "larger-than-card"),
        }
    }

    pub fn nanoseconds(&self, clocks: u64) -> f64 {
        clocks as f64 * 1000.0 / self.clock_mhz
    }
}

impl Kind {
    fn of(read: &Read, hardware: &Hardware) -> Result<Kind, Vec<Diagnostic>> {
        let Some(processor) = &read.asked.kind.processor else {
            let stages = hardware.told.json["stages"].as_u64();
            return Ok(Kind::Pipeline {
                stages: stages.unwrap_or(0),
            });
        };
        let image = core::rows(&read.loaded, &read.asked)?.image;
        let load = Load::new(
            &core::core_for(&image, &read.asked),
            &image,
            Before::Unknown,
            false,
        )?;
        Ok(Kind::Core {
            rows: image.rows.len(),
            operations: image.operations(),
            lanes: image.lanes,
            threads: processor.threads,
            writes: writes(&load.words).len(),
        })
    }
}

fn send(
    native: &mut Native,
    hardware: &Hardware,
    contents: &Image,
    (packets, ports, pace): (&[Packet], &Ports, Pace),
) -> Result<Statistics, Diagnostic> {
    let options = RunOptions {
        pace,
        clock_mhz: hardware.clock_mhz,
        ..RunOptions::default()
    };
    let (mut session, _) = Session::begin(native, &hardware.interface, ports, contents, |_| {})?;
    let totals = session.stream(packets.iter().map(Ok), &options, |_| Ok(()))?;
    Ok(totals.statistics)
}

fn rate(
    packets: &[Packet],
    mut send: impl FnMut(&[Packet]) -> Result<Statistics, Vec<Diagnostic>>,
) -> Result<Statistics, Vec<Diagnostic>> {
    let mut count = FIRST;
    loop {
        let sent = send(&packets[..packets.len().min(count)])?;
        if count >= packets.len() || sent.clocks * MORE as u64 > CLOCKS {
            return Ok(sent);
        }
        count *= MORE;
    }
}

/// Of the packets that leave; where none does, of those that most are like.
fn latency(alone: &Statistics) -> u64 {
    let most = alone.paths.values().max_by_key(|path| path.packets);
    let inside = most.and_then(|path| path.clocks_inside.median);
    alone.latency_clocks.median.or(inside).unwrap_or(0)
}

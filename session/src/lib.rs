//! A run of a design from its reset on, as everybody wants it who compares hardware with what is right: the host begins it and
//! works in the middle of it, packets go through, and a judge does the same.
//!
//! ```text
//! Session::begin: reset, identify, port table, what maps hold at first
//!     ├─ stream, run     packets                                   ─► Judging: the kernel or the interpreter, packet for packet
//!     ├─ mixed           packets with the host's operations         ─► Model: the interpreter, in the order in which all entered
//!     └─ maps, counters  what the design holds and has counted
//! ```
//!
//! Where there is no design yet, [`Rows`] runs the packets.
#![warn(missing_docs)]

pub mod journals;
mod judging;
mod mixed;
mod model;
mod rows;

pub use judging::{Judged, Judging};
pub use mixed::{mixed, Mixed};
pub use model::{check_answer, tell, Differs, Model};
pub use rows::{RowCounts, Rows};

use hardpath_blocks::interface::Interface;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::maps::{Image, KeyMove};
use hardpath_packet::{Fate, Packet, Ports};
use hardpath_testbed::contents;
use hardpath_testbed::dut::Dut;
use hardpath_testbed::host::{self, Counters, Events, Host};
use hardpath_testbed::journal::Journaled;
use hardpath_testbed::pace::Pacer;
use hardpath_testbed::run::{self, Event, RunOptions, RunTotals};
use hardpath_testbed::stream::Source;
use std::borrow::Borrow;

/// A design in an engine, out of reset and with its first contents.
pub struct Session<'a> {
    dut: &'a mut dyn Dut,
    interface: &'a Interface,
}

/// What became of packets in memory.
pub struct Ran {
    /// Of each packet; `None`: it did not enter.
    pub outcomes: Vec<Option<Fate>>,
    /// What each of them moved in LRU maps with journals.
    pub moves: Vec<Vec<KeyMove>>,
}

impl<'a> Session<'a> {
    /// Resets the design, makes sure that it is the one of the interface, and writes the port table and what the maps hold at
    /// first; all through its own ports. `written` is told how many entries have been. Gives what that moved in LRU maps with
    /// journals, too.
    ///
    /// # Errors
    /// It is another design; an entry does not fit; the design breaks a rule or hangs.
    pub fn begin(
        dut: &'a mut dyn Dut,
        interface: &'a Interface,
        ports: &Ports,
        image: &Image,
        written: impl FnMut(usize),
    ) -> Result<(Session<'a>, Vec<KeyMove>), Diagnostic> {
        // What journals say while a reset ends what went on before is nobody's business.
        host::reset(dut, interface)?;
        let mut journaled = Journaled::new(dut, interface)?;
        let mut host = Host::new(&mut journaled, interface)?;
        host.identify(&mut journaled)?;
        if !interface.program.is_empty() {
            host.load_program(&mut journaled, &interface.program)?;
        }
        if interface.has_port_table {
            for (number, port) in (0..).zip(&ports.0) {
                host.set_port(&mut journaled, number, port.interface, port.first_queue)?;
            }
        }
        host.load_image_with(&mut journaled, image, written)?;
        let filled = journaled.journals.take_all_of_host();
        Ok((Session { dut, interface }, filled))
    }

    /// A design that was begun before, and runs since then.
    pub fn goes_on(dut: &'a mut dyn Dut, interface: &'a Interface) -> Session<'a> {
        Session { dut, interface }
    }

    /// Sends packets, and tells what becomes of each ([`run::stream`]).
    ///
    /// # Errors
    /// The design breaks a rule or hangs; those of the packets and of the consumer.
    pub fn stream<P: Borrow<Packet>>(
        &mut self,
        packets: impl Iterator<Item = Result<P, Diagnostic>>,
        options: &RunOptions,
        consumer: impl FnMut(Event<P>) -> Result<(), Diagnostic>,
    ) -> Result<RunTotals, Diagnostic> {
        run::stream(self.dut, self.interface, packets, options, consumer)
    }

    /// The same for packets in memory.
    ///
    /// # Errors
    /// The design breaks a rule or hangs.
    pub fn run(&mut self, packets: &[Packet], options: &RunOptions) -> Result<Ran, Diagnostic> {
        let mut ran = Ran {
            outcomes: Vec::with_capacity(packets.len()),
            moves: Vec::with_capacity(packets.len()),
        };
        self.stream(packets.iter().map(Ok), options, |event| {
            if let Event::Packet { outcome, moves, .. } = event {
                ran.outcomes.push(outcome);
                ran.moves.push(moves);
            }
            Ok(())
        })?;
        Ok(ran)
    }

    /// What the design has counted.
    ///
    /// # Errors
    /// The host port does not answer.
    pub fn counters(&mut self) -> Result<Counters, Diagnostic> {
        Host::new(self.dut, self.interface)?.counters(self.dut)
    }

    /// What a processor has counted.
    ///
    /// # Errors
    /// The design has no such counters; the host port does not answer.
    pub fn events(&mut self) -> Result<Events, Diagnostic> {
        Host::new(self.dut, self.interface)?.events(self.dut)
    }

    /// What the maps hold ([`maps`]).
    ///
    /// # Errors
    /// As there.
    pub fn maps(&mut self, most_asked: u32) -> Result<Image, Diagnostic> {
        maps(self.dut, self.interface, most_asked)
    }
}

/// What the maps of a design hold, between packets. Up to `most_asked` slots in all are asked for through the host port; more
/// only where the engine cannot look into the design's memories.
///
/// # Errors
/// The host port does not answer.
pub fn maps(
    dut: &mut dyn Dut,
    interface: &Interface,
    most_asked: u32,
) -> Result<Image, Diagnostic> {
    let slots = interface.maps.iter().map(|map| u64::from(map.slots));
    if slots.sum::<u64>() > most_asked.into() {
        if let Some(image) = contents::read(dut, interface)? {
            return Ok(image);
        }
    }
    Host::new(dut, interface)?.dump_image(dut)
}

/// Sends packets for so many clocks, as fast as they are taken, and leaves the design with packets inside and a beat on its way in.
///
/// # Errors
/// The design fails an assertion.
pub fn interrupt(
    dut: &mut dyn Dut,
    interface: &Interface,
    packets: &[Packet],
    clocks: u32,
) -> Result<(), Diagnostic> {
    let usual = RunOptions::default();
    let pacer = Pacer::new(usual.pace, usual.clock_mhz);
    let mut source = Source::new(dut, interface, packets.iter().map(Ok), pacer)?;
    for _ in 0..clocks {
        source.drive(dut);
        dut.step()?;
        if source.observe(dut).is_some_and(|taken| taken.is_last) {
            source.advance()?;
        }
    }
    Ok(())
}

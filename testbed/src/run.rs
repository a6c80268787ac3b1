//! One run: packets through a design, with everything that can be seen from outside checked at every clock.
//!
//! A run is a stream: packets come from an iterator, and what becomes of them goes to whoever wants to know as soon as it
//! is known, so that only those packets are kept that are inside the design.

mod books;
mod loads;

use crate::dut::{Dut, Port, PortDirection};
use crate::host::{Host, HostAnswer, HostOperation};
use crate::journal::Journals;
use crate::pace::{Backpressure, Pace, Pacer};
use crate::statistics::Statistics;
use crate::stream::{protocol_violation, Seen, Sink, Source};
use books::Books;
use hardpath_blocks::interface::{bits_of, Interface};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::maps::KeyMove;
use hardpath_packet::{Fate, Packet};
use loads::Loads;
pub use loads::{LoadDone, LoadEvent};
use std::borrow::Borrow;
use std::collections::VecDeque;

/// How to run.
#[derive(Clone)]
pub struct RunOptions<'a> {
    /// When beats are offered.
    pub pace: Pace,
    /// Seed: outputs not ready in about 30 % of the clocks.
    pub backpressure: Option<u64>,
    /// For line rates and `mpps`.
    pub clock_mhz: f64,
    /// Clocks without any progress after which the design counts as hung. `None`: as many as programs of its kind may take.
    pub watchdog_clocks: Option<u64>,
    /// What the host does in the middle of traffic, in order.
    pub host: &'a [HostEvent],
    /// Programs that are loaded in the middle of traffic, by rising numbers of packets; where the host does nothing else. The run is then the
    /// first one since reset, and all programs take packets of the same lengths.
    pub loads: &'a [LoadEvent],
}

/// An operation of the host that begins when that many packets were taken in (0: before the first).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostEvent {
    /// Packets that were taken in whole, those that the entrance drops included.
    pub after_packets: usize,
    /// What the host does then.
    pub operation: HostOperation,
}

/// Clocks without progress that a pipeline may take, and a processor, whose programs go round as often as they like.
const PATIENCE: [u64; 2] = [20_000, 10_000_000];

impl Default for RunOptions<'_> {
    fn default() -> Self {
        RunOptions {
            pace: Pace::BackToBack,
            backpressure: None,
            clock_mhz: 250.0,
            watchdog_clocks: None,
            host: &[],
            loads: &[],
        }
    }
}

/// What comes out of a run.
#[derive(Clone, PartialEq, Debug)]
pub enum Event<P> {
    /// What became of a packet: of every packet in, in the order in which they came in. `None`: dropped at the entrance
    /// (marked bad, too short or too long).
    Packet {
        /// As the iterator gave it.
        packet: P,
        /// Its outputs and the copies that came out.
        outcome: Option<Fate>,
        /// The keys that it moved in LRU maps with journals.
        moves: Vec<KeyMove>,
    },
    /// The keys that the host moved in LRU maps with journals, in front of the next packet.
    HostMoved(Vec<KeyMove>),
    /// An operation of the host is over: the next of [`RunOptions::host`].
    Host(HostAnswer),
    /// The program of the next of [`RunOptions::loads`] runs: in front of the first packet that is its own.
    Loaded(LoadDone),
}

/// What a run took.
#[derive(Clone, PartialEq, Debug)]
pub struct RunTotals {
    /// Rate, latency and counts of the packets.
    pub statistics: Statistics,
    /// Every clock that was simulated, the ones around the packets included.
    pub simulated_clocks: u64,
}

/// What a run of packets in memory gave.
#[derive(Clone, PartialEq, Debug)]
pub struct RunResult {
    /// For each packet in, in order; `None`: dropped at the entrance (marked bad, too short or too long).
    pub outcomes: Vec<Option<Fate>>,
    /// For each of [`RunOptions::host`].
    pub host_answers: Vec<HostAnswer>,
    /// Rate, latency and counts of the packets.
    pub statistics: Statistics,
    /// Every clock that was simulated, the ones around the packets included.
    pub simulated_clocks: u64,
}

/// Clocks after the last packet in which nothing more may come out.
const QUIET_CLOCKS: u64 = 32;

/// Whether a packet enters the program: its length is allowed and the MAC did not mark it bad; or that is known too late.
pub fn enters(packet: &Packet, interface: &Interface) -> bool {
    interface.enters(packet.data.len(), packet.bad)
}

/// Sends the packets through the design and collects what becomes of each: [`stream`] for a few.
///
/// # Errors
/// As [`stream`].
pub fn run(
    dut: &mut dyn Dut,
    interface: &Interface,
    packets: &[Packet],
    options: &RunOptions,
) -> Result<RunResult, Diagnostic> {
    let mut outcomes = Vec::with_capacity(packets.len());
    let mut host_answers = Vec::new();
    let totals = stream(dut, interface, packets.iter().map(Ok), options, |event| {
        match event {
            Event::Packet { outcome, .. } => outcomes.push(outcome),
            Event::Host(answer) => host_answers.push(answer),
            Event::HostMoved(_) | Event::Loaded(_) => {}
        }
        Ok(())
    })?;
    Ok(RunResult {
        outcomes,
        host_answers,
        statistics: totals.statistics,
        simulated_clocks: totals.simulated_clocks,
    })
}

/// Sends packets through the design and tells `consumer`, in order, what becomes of them. The design must be out of reset
/// ([`crate::host::reset`]); its maps stay as they are, so that runs can follow each other.
///
/// # Errors
/// An assertion of the design, a broken rule of its streams (`protocol-violation`), no progress (`design-hangs`), and
/// the errors of the packets and of the consumer.
pub fn stream<P: Borrow<Packet>>(
    dut: &mut dyn Dut,
    interface: &Interface,
    packets: impl Iterator<Item = Result<P, Diagnostic>>,
    options: &RunOptions,
    mut consumer: impl FnMut(Event<P>) -> Result<(), Diagnostic>,
) -> Result<RunTotals, Diagnostic> {
    let pacer = Pacer::new(options.pace, options.clock_mhz);
    let mut source = Source::new(dut, interface, packets, pacer)?;
    let mut sink = Sink::new(dut, interface, Backpressure::new(options.backpressure))?;
    let fate_port = FatePort::find(dut, interface)?;
    let mut host = HostTraffic::new(dut, interface, options.host)?;
    let mut loads = Loads::new(dut, interface, options.loads)?;
    let mut books = Books::new(interface);
    let mut journals = Journals::new(dut, interface)?;
    let mut telling = Telling::default();

    let mut clock = 0;
    let mut last_progress = 0;
    let usual = PATIENCE[usize::from(!interface.program.is_empty())];
    let patience = options.watchdog_clocks.unwrap_or(usual);
    while !(source.is_done() && books.is_complete() && host.is_done() && loads.is_done()) {
        source.drive(dut);
        sink.drive(dut);
        host.drive(dut, source.packets_taken())?;
        let taken = (source.packets_taken(), source.is_done());
        loads.drive(dut, taken, telling.is_free())?;
        dut.step().map_err(|error| at_clock(error, clock))?;
        journals.observe(dut);

        let taken = source.observe(dut);
        if let Some(taken) = taken {
            if taken.is_first {
                let begun = source.packet().map(|packet| {
                    let marked = interface.marks(packet.data.len(), packet.bad);
                    (enters(packet, interface), marked)
                });
                books.begins(begun.unwrap_or_default(), clock);
            }
            if taken.is_last {
                books.taken_whole(source.advance()?);
            }
        }
        let strobe = fate_port.observe(dut);
        let decided = strobe.is_some();
        if let Some((outputs, sent)) = strobe {
            books.fate(outputs, sent, clock)?;
        }
        let seen = sink.observe(dut, clock)?;
        let nothing_out = seen == Seen::Nothing;
        if let Seen::Packet(frame) = seen {
            books.packet_out(frame, clock)?;
        }
        let answer = host.observe(dut)?;
        if let Some(done) = loads.observe(dut)? {
            telling.loaded = Some(done);
        }

        let source_waits = !source.is_done() && !source.is_blocked();
        let happens = taken.is_some() || decided || !nothing_out || answer.is_some();
        if source_waits || happens {
            last_progress = clock;
        }
        while let Some(over) = next_over(&mut books, &mut journals) {
            telling.over.push_back(over);
        }
        if !loads.is_under_way() {
            telling.tell(&mut consumer)?;
        }
        if let Some(answer) = answer {
            consumer(Event::Host(answer))?;
        }
        if clock - last_progress > patience {
            let mut pending = Vec::new();
            if source.is_blocked() {
                let packet = source.packets_taken() + 1;
                pending.push(format!("packet {packet} is not taken in"));
            }
            pending.extend(books.pending());
            pending.extend(host.host.as_ref().and_then(Host::pending));
            pending.extend(loads.pending());
            return Err(hangs(&pending, clock, patience));
        }
        clock += 1;
    }
    telling.loaded_at_last(&mut consumer)?;
    let simulated_clocks = clock + expect_quiet(dut, &mut sink, &fate_port, clock)?;
    let mut statistics = books.statistics(options.clock_mhz);
    statistics.beats = source.beats;
    statistics.stall_clocks = source.stall_clocks;
    Ok(RunTotals {
        statistics,
        simulated_clocks,
    })
}

/// A packet that is over.
struct Over<P> {
    packet: P,
    outcome: Option<Fate>,
    of_host: Vec<KeyMove>,
    moves: Vec<KeyMove>,
}

/// The next packet that is over; of one that entered as soon as it is known, too, what it moved in LRU maps.
fn next_over<P>(books: &mut Books<P>, journals: &mut Journals) -> Option<Over<P>> {
    let entered = books.next_entered()?;
    let (mut of_host, mut moves) = (Vec::new(), Vec::new());
    if entered {
        if !journals.has_packet() {
            return None;
        }
        of_host = journals.take_all_of_host();
        moves = journals.take_packet();
    }
    let (packet, outcome) = books.next_over()?;
    Some(Over {
        packet,
        outcome,
        of_host,
        moves,
    })
}

/// What is still to be told: packets while a load is under way, since nobody knows yet which program they are of.
struct Telling<P> {
    over: VecDeque<Over<P>>,
    /// A program that runs from this packet on.
    loaded: Option<LoadDone>,
    /// Packets that entered and were told.
    entered: u64,
}

impl<P> Default for Telling<P> {
    fn default() -> Self {
        Telling {
            over: VecDeque::new(),
            loaded: None,
            entered: 0,
        }
    }
}

impl<P> Telling<P> {
    /// All loads that are over are told.
    fn is_free(&self) -> bool {
        self.loaded.is_none()
    }

    fn tell(
        &mut self,
        consumer: &mut impl FnMut(Event<P>) -> Result<(), Diagnostic>,
    ) -> Result<(), Diagnostic> {
        loop {
            let is_next = |loaded: &mut LoadDone| loaded.before == self.entered;
            if let Some(loaded) = self.loaded.take_if(is_next) {
                consumer(Event::Loaded(loaded))?;
            }
            let Some(over) = self.over.pop_front() else {
                return Ok(());
            };
            if !over.of_host.is_empty() {
                consumer(Event::HostMoved(over.of_host))?;
            }
            self.entered += u64::from(over.outcome.is_some());
            consumer(Event::Packet {
                packet: over.packet,
                outcome: over.outcome,
                moves: over.moves,
            })?;
        }
    }

    /// Behind the last packet.
    fn loaded_at_last(
        &mut self,
        consumer: &mut impl FnMut(Event<P>) -> Result<(), Diagnostic>,
    ) -> Result<(), Diagnostic> {
        self.tell(consumer)?;
        match self.loaded {
            None => Ok(()),
            Some(loaded) => {
                let message = format!(
                    "the program that was loaded says that {} packets entered before it, and {} did",
                    loaded.before, self.entered
                );
                Err(protocol_violation(message))
            }
        }
    }
}

/// Nothing may follow the last packet.
fn expect_quiet(
    dut: &mut dyn Dut,
    sink: &mut Sink,
    fate_port: &FatePort,
    clock: u64,
) -> Result<u64, Diagnostic> {
    for later in 0..QUIET_CLOCKS {
        let clock = clock + later;
        sink.drive(dut);
        dut.step().map_err(|error| at_clock(error, clock))?;
        let strobe = fate_port.observe(dut);
        let seen = sink.observe(dut, clock)?;
        if strobe.is_some() || seen != Seen::Nothing || !sink.is_between_packets() {
            let message = "something comes out after all packets came out";
            return Err(protocol_violation(message).at(format!("clock {clock}")));
        }
    }
    Ok(QUIET_CLOCKS)
}

/// The strobes of packets' fates.
struct FatePort<'a> {
    valid: Port,
    fate: Port,
    interface: &'a Interface,
}

impl FatePort<'_> {
    fn find<'a>(dut: &dyn Dut, interface: &'a Interface) -> Result<FatePort<'a>, Diagnostic> {
        Ok(FatePort {
            valid: dut.required("fate_valid", 1, PortDirection::Output)?,
            fate: dut.required("fate", interface.fate_bits(), PortDirection::Output)?,
            interface,
        })
    }

    /// The program's outputs, and whether the packet comes out.
    fn observe(&self, dut: &dyn Dut) -> Option<(Vec<u64>, bool)> {
        dut.get_bit(self.valid).then(|| {
            let fate = dut.get(self.fate);
            let outputs = self.interface.outputs_of(fate);
            let sent = bits_of(fate, self.interface.output_bits(), 1);
            (outputs, sent != 0)
        })
    }
}

/// The host's operations beside the packets.
struct HostTraffic<'a> {
    /// Present only when there is something to do.
    host: Option<Host>,
    /// Those that have no answer yet; the first may be on its way.
    events: &'a [HostEvent],
}

impl<'a> HostTraffic<'a> {
    fn new(
        dut: &mut dyn Dut,
        interface: &Interface,
        events: &'a [HostEvent],
    ) -> Result<HostTraffic<'a>, Diagnostic> {
        let host = match events.is_empty() {
            true => None,
            false => Some(Host::new(dut, interface)?),
        };
        Ok(HostTraffic { host, events })
    }

    fn is_done(&self) -> bool {
        self.events.is_empty()
    }

    fn drive(&mut self, dut: &mut dyn Dut, packets_taken: usize) -> Result<(), Diagnostic> {
        let Some(host) = &mut self.host else {
            return Ok(());
        };
        if host.is_idle() {
            match self.events.first() {
                Some(event) if event.after_packets <= packets_taken => {
                    host.start(dut, event.operation.clone())?;
                }
                _ => {}
            }
        }
        host.drive(dut);
        Ok(())
    }

    /// The answer of an operation that was finished.
    fn observe(&mut self, dut: &mut dyn Dut) -> Result<Option<HostAnswer>, Diagnostic> {
        let Some(host) = &mut self.host else {
            return Ok(None);
        };
        let answer = host.observe(dut)?;
        if answer.is_some() {
            self.events = &self.events[1..];
        }
        Ok(answer)
    }
}

fn at_clock(error: Diagnostic, clock: u64) -> Diagnostic {
    match &error.place {
        Some(place) => {
            let place = format!("{place}, clock {clock}");
            error.at(place)
        }
        None => error.at(format!("clock {clock}")),
    }
}

/// What nothing happens to.
fn hangs(pending: &[String], clock: u64, watchdog_clocks: u64) -> Diagnostic {
    let pending = pending.join("; ");
    Diagnostic::defect(
        "design-hangs",
        format!("nothing happens for {watchdog_clocks} clocks: {pending}"),
    )
    .at(format!("clock {clock}"))
    .help("this is a defect of the generated design: please report it with the program")
}

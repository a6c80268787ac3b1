//! One run: packets through a design, with everything that can be seen from outside checked at every clock.

use crate::dut::{Dut, Port, PortDirection};
use crate::host::{Host, HostAnswer, HostOperation};
use crate::pace::{Backpressure, Pace, Pacer};
use crate::statistics::{packets_per_clock, Latency, Span, Statistics};
use crate::stream::{protocol_violation, Frame, Seen, Sink, Source};
use hardpath_blocks::interface::Interface;
use hardpath_ir::{verdict, Diagnostic, MAX_PACKET_BYTES};
use std::collections::VecDeque;

/// A packet for a design.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PacketIn {
    /// The frame without its check sequence; of a raw program: its memory.
    pub data: Vec<u8>,
    /// Ingress port, an index into the design's port table.
    pub port: u8,
    pub queue: u16,
    pub time_ns: u64,
    pub random: u32,
    /// For programs of a device map.
    pub egress_ifindex: u32,
    /// The MAC marks the frame bad: the design must drop it.
    pub bad: bool,
}

/// What became of a packet that entered the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PacketOut {
    /// As the design gives it (at most 4); of a raw program: `r0`.
    pub verdict: u64,
    /// With REDIRECT where it went ([`hardpath_ir::destination`]), else 0.
    pub destination: u32,
    /// The interfaces of a packet that came out several times, or not at all with REDIRECT; then the destination is 0.
    pub broadcast: Option<Vec<u32>>,
    /// `None` when the packet is not sent on.
    pub data: Option<Vec<u8>>,
    /// What the program put in front of the packet.
    pub metadata: Vec<u8>,
}

/// How to run.
#[derive(Clone)]
pub struct RunOptions<'a> {
    pub pace: Pace,
    /// Seed: outputs not ready in about 30 % of the clocks.
    pub backpressure: Option<u64>,
    /// For line rates and `mpps`.
    pub clock_mhz: f64,
    /// Clocks without any progress after which the design counts as hung.
    pub watchdog_clocks: u64,
    /// What the host does in the middle of traffic, in order.
    pub host: &'a [HostEvent],
    /// Called now and then with the number of packets taken in.
    pub progress: Option<&'a dyn Fn(usize)>,
}

/// An operation of the host that begins when that many packets were taken in (0: before the first).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostEvent {
    pub after_packets: usize,
    pub operation: HostOperation,
}

impl Default for RunOptions<'_> {
    fn default() -> Self {
        RunOptions {
            pace: Pace::BackToBack,
            backpressure: None,
            clock_mhz: 250.0,
            watchdog_clocks: 20_000,
            host: &[],
            progress: None,
        }
    }
}

/// What a run gave.
#[derive(Clone, PartialEq, Debug)]
pub struct RunResult {
    /// For each packet in, in order; `None`: dropped at the entrance (marked bad, too short or too long).
    pub outcomes: Vec<Option<PacketOut>>,
    /// For each of [`RunOptions::host`].
    pub host_answers: Vec<HostAnswer>,
    pub statistics: Statistics,
    /// Every clock that was simulated, the ones around the packets included.
    pub simulated_clocks: u64,
}

/// Shortest packet that enters an XDP program (`ETH_HLEN`).
const MIN_PACKET_BYTES: usize = 14;
/// Clocks after the last packet in which nothing more may come out.
const QUIET_CLOCKS: u64 = 32;
/// Packets between two calls of the progress hook.
const PROGRESS_STEP: usize = 256;

impl PacketIn {
    /// The packet enters the program: its length is allowed and the MAC did not mark it bad. Raw programs take any
    /// length up to the longest.
    pub fn enters(&self, interface: &Interface) -> bool {
        let long_enough = interface.raw || self.data.len() >= MIN_PACKET_BYTES;
        !self.bad && long_enough && self.data.len() <= MAX_PACKET_BYTES as usize
    }
}

/// Sends the packets through the design and collects what becomes of each. The design must be out of reset
/// ([`crate::host::reset`]); its maps stay as they are, so that runs can follow each other.
///
/// Errors: an assertion of the design, a broken rule of its streams (`protocol-violation`), or no progress
/// (`design-hangs`).
pub fn run(
    dut: &mut dyn Dut,
    interface: &Interface,
    packets: &[PacketIn],
    options: &RunOptions,
) -> Result<RunResult, Diagnostic> {
    let pacer = Pacer::new(options.pace, options.clock_mhz);
    let mut source = Source::new(dut, interface, packets, pacer)?;
    let mut sink = Sink::new(dut, interface, Backpressure::new(options.backpressure))?;
    let verdict_port = VerdictPort::find(dut, interface)?;
    let mut host = HostTraffic::new(dut, interface, options.host)?;
    let mut books = Books::new(interface, packets);

    let mut clock = 0;
    let mut last_progress = 0;
    while !(source.is_done() && books.is_complete() && host.is_done()) {
        source.drive(dut);
        sink.drive(dut);
        host.drive(dut, source.packet())?;
        dut.step().map_err(|error| at_clock(error, clock))?;

        let taken = source.observe(dut);
        if let Some(taken) = taken {
            if taken.is_first {
                books.taken_in(clock);
            }
            if let (true, Some(progress)) = (taken.is_last, options.progress) {
                if source.packet().is_multiple_of(PROGRESS_STEP) {
                    progress(source.packet());
                }
            }
        }
        let strobe = verdict_port.as_ref().and_then(|port| port.observe(dut));
        if let Some((verdict, sent)) = strobe {
            books.verdict(verdict, sent, clock)?;
        }
        let seen = sink.observe(dut, clock)?;
        let nothing_out = seen == Seen::Nothing;
        if let Seen::Packet(frame) = seen {
            books.packet_out(frame, clock)?;
        }
        let host_progress = host.observe(dut)?;

        let source_waits = !source.is_done() && !source.is_blocked();
        if source_waits || taken.is_some() || strobe.is_some() || !nothing_out || host_progress {
            last_progress = clock;
        }
        if clock - last_progress > options.watchdog_clocks {
            return Err(hangs(&source, &books, &host, clock, options));
        }
        clock += 1;
    }
    let simulated_clocks = clock + expect_quiet(dut, &mut sink, verdict_port.as_ref(), clock)?;
    if let Some(progress) = options.progress {
        progress(packets.len());
    }
    let statistics = books.statistics(&source, options);
    Ok(RunResult {
        outcomes: books.outcomes,
        host_answers: host.answers,
        statistics,
        simulated_clocks,
    })
}

/// Nothing may follow the last packet.
fn expect_quiet(
    dut: &mut dyn Dut,
    sink: &mut Sink,
    verdict_port: Option<&VerdictPort>,
    clock: u64,
) -> Result<u64, Diagnostic> {
    for later in 0..QUIET_CLOCKS {
        let clock = clock + later;
        sink.drive(dut);
        dut.step().map_err(|error| at_clock(error, clock))?;
        let strobe = verdict_port.and_then(|port| port.observe(dut));
        let seen = sink.observe(dut, clock)?;
        if strobe.is_some() || seen != Seen::Nothing || !sink.is_between_packets() {
            let message = "something comes out after all packets came out";
            return Err(protocol_violation(message).at(format!("clock {clock}")));
        }
    }
    Ok(QUIET_CLOCKS)
}

/// The verdict strobes.
struct VerdictPort {
    valid: Port,
    verdict: Port,
    /// Of a design that broadcasts: whether the packet comes out.
    sent: Option<Port>,
}

impl VerdictPort {
    /// Raw programs give no verdict: there every packet comes out with its result.
    fn find(dut: &dyn Dut, interface: &Interface) -> Result<Option<VerdictPort>, Diagnostic> {
        if interface.raw {
            return Ok(None);
        }
        Ok(Some(VerdictPort {
            valid: dut.required("verdict_valid", 1, PortDirection::Output)?,
            verdict: dut.required("verdict", 3, PortDirection::Output)?,
            sent: match interface.repeats {
                true => Some(dut.required("verdict_sent", 1, PortDirection::Output)?),
                false => None,
            },
        }))
    }

    /// The verdict, and whether the packet comes out.
    fn observe(&self, dut: &dyn Dut) -> Option<(u64, bool)> {
        dut.get_bit(self.valid).then(|| {
            let verdict = dut.get_u64(self.verdict);
            let sent = match self.sent {
                Some(port) => dut.get_bit(port),
                None => verdict::leaves(verdict),
            };
            (verdict, sent)
        })
    }
}

/// The host's operations beside the packets.
struct HostTraffic<'a> {
    /// Present only when there is something to do.
    host: Option<Host<'a>>,
    events: &'a [HostEvent],
    answers: Vec<HostAnswer>,
}

impl<'a> HostTraffic<'a> {
    fn new(
        dut: &mut dyn Dut,
        interface: &'a Interface,
        events: &'a [HostEvent],
    ) -> Result<HostTraffic<'a>, Diagnostic> {
        let host = match events.is_empty() {
            true => None,
            false => Some(Host::new(dut, interface)?),
        };
        Ok(HostTraffic {
            host,
            events,
            answers: Vec::new(),
        })
    }

    fn is_done(&self) -> bool {
        self.answers.len() == self.events.len()
    }

    fn drive(&mut self, dut: &mut dyn Dut, packets_taken: usize) -> Result<(), Diagnostic> {
        let Some(host) = &mut self.host else {
            return Ok(());
        };
        if host.is_idle() {
            match self.events.get(self.answers.len()) {
                Some(event) if event.after_packets <= packets_taken => {
                    host.start(event.operation.clone())?;
                }
                _ => {}
            }
        }
        host.drive(dut);
        Ok(())
    }

    /// True when an operation was finished.
    fn observe(&mut self, dut: &mut dyn Dut) -> Result<bool, Diagnostic> {
        let Some(host) = &mut self.host else {
            return Ok(false);
        };
        let answer = host.observe(dut)?;
        let finished = answer.is_some();
        self.answers.extend(answer);
        Ok(finished)
    }
}

/// Which packet became what. Verdicts come in the order of the packets that enter the program; packets come out
/// in the order of the verdicts that send on.
struct Books<'a> {
    raw: bool,
    packets: &'a [PacketIn],
    outcomes: Vec<Option<PacketOut>>,
    /// The packets that enter the program, in order.
    entering: Vec<usize>,
    /// How many of them have their verdict.
    judged: usize,
    /// Those that are sent on and did not come out yet.
    due: VecDeque<usize>,
    /// Clock of each packet's first beat.
    first_beats: Vec<u64>,
    /// Of the packets judged: clocks of their first beats, and of their verdicts.
    entrances: Span,
    verdicts: Span,
    latencies: Vec<u64>,
    last_event: u64,
}

impl<'a> Books<'a> {
    fn new(interface: &Interface, packets: &'a [PacketIn]) -> Books<'a> {
        let entering = (0..packets.len()).filter(|index| packets[*index].enters(interface));
        Books {
            raw: interface.raw,
            packets,
            outcomes: vec![None; packets.len()],
            entering: entering.collect(),
            judged: 0,
            due: VecDeque::new(),
            first_beats: Vec::with_capacity(packets.len()),
            entrances: Span::default(),
            verdicts: Span::default(),
            latencies: Vec::new(),
            last_event: 0,
        }
    }

    fn is_complete(&self) -> bool {
        self.judged == self.entering.len() && self.due.is_empty()
    }

    fn taken_in(&mut self, clock: u64) {
        self.first_beats.push(clock);
    }

    fn verdict(&mut self, given: u64, sent: bool, clock: u64) -> Result<(), Diagnostic> {
        let at = format!("verdict {}, clock {clock}", self.judged + 1);
        let packet = self.next_judged(clock).ok_or_else(|| {
            protocol_violation("a verdict comes out for which there is no packet").at(at.as_str())
        })?;
        if given > verdict::REDIRECT {
            let message = format!("verdict {given} does not exist");
            return Err(protocol_violation(message).at(at));
        }
        let may_be_sent = verdict::leaves(given);
        let may_be_lost = !may_be_sent || given == verdict::REDIRECT;
        if sent && !may_be_sent || !sent && !may_be_lost {
            let message = format!("verdict {given} with verdict_sent = {}", u8::from(sent));
            return Err(protocol_violation(message).at(at));
        }
        self.last_event = clock;
        self.outcomes[packet] = Some(PacketOut {
            verdict: given,
            destination: 0,
            broadcast: (may_be_sent && !sent).then(Vec::new),
            data: None,
            metadata: Vec::new(),
        });
        if sent {
            self.due.push_back(packet);
        }
        Ok(())
    }

    /// The packet that the next verdict belongs to, when one was taken in.
    fn next_judged(&mut self, clock: u64) -> Option<usize> {
        let packet = *self.entering.get(self.judged)?;
        let first_beat = *self.first_beats.get(packet)?;
        self.entrances.add(first_beat);
        self.verdicts.add(clock);
        self.judged += 1;
        Some(packet)
    }

    fn packet_out(&mut self, frame: Frame, clock: u64) -> Result<(), Diagnostic> {
        let at = format!("clock {clock}");
        let next = match self.raw {
            true => self.next_judged(clock),
            false => self.due.front().copied(),
        };
        let packet = next.ok_or_else(|| {
            protocol_violation("a packet comes out that no verdict sends on").at(at.as_str())
        })?;
        if !frame.again {
            self.due.pop_front();
        }
        if let Some(outcome) = &mut self.outcomes[packet] {
            if outcome.verdict != frame.user {
                let message = format!(
                    "packet {} comes out with verdict {}, its strobe said {}",
                    packet + 1,
                    verdict::name(frame.user),
                    verdict::name(outcome.verdict)
                );
                return Err(protocol_violation(message).at(at));
            }
            // Not the first copy.
            if let (Some(interfaces), Some(data)) = (&mut outcome.broadcast, &outcome.data) {
                if *data != frame.data || outcome.metadata != frame.metadata {
                    let message = format!("two copies of packet {} differ", packet + 1);
                    return Err(protocol_violation(message).at(at));
                }
                interfaces.push(frame.destination);
                self.last_event = clock;
                return Ok(());
            }
        }
        self.last_event = clock;
        self.latencies
            .push(frame.first_clock - self.first_beats[packet]);
        self.outcomes[packet] = Some(PacketOut {
            verdict: frame.user,
            destination: if frame.again { 0 } else { frame.destination },
            broadcast: frame.again.then(|| vec![frame.destination]),
            data: Some(frame.data),
            metadata: frame.metadata,
        });
        Ok(())
    }

    fn statistics(&self, source: &Source, options: &RunOptions) -> Statistics {
        let packets = self.entering.len() as u64;
        let mut statistics = Statistics {
            packets,
            beats: source.beats,
            packets_per_clock: packets_per_clock(packets, self.entrances, self.verdicts),
            latency_clocks: Latency::of(self.latencies.clone()),
            stall_clocks: source.stall_clocks,
            not_taken_in: self.packets.len() as u64 - packets,
            ..Statistics::default()
        };
        statistics.mpps = statistics.packets_per_clock * options.clock_mhz;
        if let (Some(first), Some(last)) = (self.first_beats.first(), self.first_beats.last()) {
            statistics.clocks = self.last_event.max(*last) - first + 1;
        }
        if !self.raw {
            for known in verdict::ABORTED..=verdict::REDIRECT {
                statistics.verdicts.insert(verdict::name(known).into(), 0);
            }
            for outcome in self.outcomes.iter().flatten() {
                let name = verdict::name(outcome.verdict);
                *statistics.verdicts.entry(name.into()).or_default() += 1;
            }
        }
        statistics
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

fn hangs(
    source: &Source,
    books: &Books,
    host: &HostTraffic,
    clock: u64,
    options: &RunOptions,
) -> Diagnostic {
    let mut pending = Vec::new();
    if source.is_blocked() {
        let packet = source.packet() + 1;
        pending.push(format!(
            "packet {packet} of {} is not taken in",
            books.packets.len()
        ));
    }
    let entered = books
        .entering
        .iter()
        .take_while(|packet| **packet < source.packet());
    let without_verdict = entered.count().saturating_sub(books.judged);
    if without_verdict > 0 {
        let what = if books.raw { "result" } else { "verdict" };
        let packet = books.entering[books.judged] + 1;
        pending.push(format!(
            "{without_verdict} packets taken in have no {what}, the first is packet {packet}"
        ));
    }
    if let Some(packet) = books.due.front() {
        let count = books.due.len();
        let packet = packet + 1;
        pending.push(format!(
            "{count} packets that are sent on did not come out, the first is packet {packet}"
        ));
    }
    pending.extend(host.host.as_ref().and_then(Host::pending));
    let clocks = options.watchdog_clocks;
    Diagnostic::defect(
        "design-hangs",
        format!(
            "nothing happens for {clocks} clocks: {}",
            pending.join("; ")
        ),
    )
    .at(format!("clock {clock}"))
    .help("this is a defect of the generated design: please report it with the program")
}

//! Which packet became what.

use crate::statistics::{packets_per_clock, Histogram, Span, Statistics};
use crate::stream::{protocol_violation, Frame};
use hardpath_blocks::interface::Interface;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::verdict;
use hardpath_packet::{Copy, Fate};
use std::collections::{BTreeMap, VecDeque};

/// The packets inside the design. Verdicts come in the order of the packets that enter the program; packets come out in
/// the order of the verdicts that send on. Packets are numbered from 0 in the order in which they come in.
pub struct Books<P> {
    raw: bool,
    /// Those of which a beat was taken in and that are not over.
    inside: VecDeque<Inside<P>>,
    /// The number of the first of them.
    first: usize,
    /// No packet before that number waits for a verdict.
    judged: usize,
    /// Those that are sent on and did not come out yet.
    due: VecDeque<usize>,
    /// First beats of all packets.
    taken_in: Span,
    /// Of the packets judged: clocks of their first beats, and of their verdicts.
    entrances: Span,
    verdict_clocks: Span,
    latencies: Histogram,
    /// By verdict, of packets that are over.
    verdicts: [u64; VERDICTS],
    entered: u64,
    not_taken_in: u64,
    last_event: u64,
}

struct Inside<P> {
    /// From its last beat on.
    packet: Option<P>,
    enters: bool,
    /// Of its first beat in.
    first_clock: u64,
    outcome: Option<Fate>,
    /// Nothing more comes of it.
    is_over: bool,
}

/// ABORTED to REDIRECT.
const VERDICTS: usize = verdict::REDIRECT as usize + 1;

impl<P> Books<P> {
    pub fn new(interface: &Interface) -> Books<P> {
        Books {
            raw: interface.raw,
            inside: VecDeque::new(),
            first: 0,
            judged: 0,
            due: VecDeque::new(),
            taken_in: Span::default(),
            entrances: Span::default(),
            verdict_clocks: Span::default(),
            latencies: Histogram::default(),
            verdicts: [0; VERDICTS],
            entered: 0,
            not_taken_in: 0,
            last_event: 0,
        }
    }

    /// Nothing is inside.
    pub fn is_complete(&self) -> bool {
        self.inside.is_empty()
    }

    /// A packet's first beat was taken in.
    pub fn begins(&mut self, enters: bool, clock: u64) {
        self.taken_in.add(clock);
        match enters {
            true => self.entered += 1,
            false => self.not_taken_in += 1,
        }
        self.inside.push_back(Inside {
            packet: None,
            enters,
            first_clock: clock,
            outcome: None,
            is_over: !enters,
        });
    }

    /// The last beat of that packet was taken in.
    pub fn taken_whole(&mut self, packet: Option<P>) {
        if let Some(last) = self.inside.back_mut() {
            last.packet = packet;
        }
    }

    pub fn verdict(&mut self, given: u64, sent: bool, clock: u64) -> Result<(), Diagnostic> {
        let number = self.next_judged(clock);
        let at = || match number {
            Some(number) => format!("verdict of packet {}, clock {clock}", number + 1),
            None => format!("clock {clock}"),
        };
        let Some(number) = number else {
            let message = "a verdict comes out for which there is no packet";
            return Err(protocol_violation(message).at(at()));
        };
        if given > verdict::REDIRECT {
            let message = format!("verdict {given} does not exist");
            return Err(protocol_violation(message).at(at()));
        }
        let may_be_sent = verdict::leaves(given);
        let may_be_lost = !may_be_sent || given == verdict::REDIRECT;
        if sent && !may_be_sent || !sent && !may_be_lost {
            let message = format!("verdict {given} with verdict_sent = {}", u8::from(sent));
            return Err(protocol_violation(message).at(at()));
        }
        self.last_event = clock;
        let packet = &mut self.inside[number - self.first];
        packet.outcome = Some(Fate::ends(given));
        packet.is_over = !sent;
        if sent {
            self.due.push_back(number);
        }
        Ok(())
    }

    /// The packet that the next verdict belongs to, when one was taken in.
    fn next_judged(&mut self, clock: u64) -> Option<usize> {
        self.judged = self.judged.max(self.first);
        let waiting = self.inside.range(self.judged - self.first..);
        let mut waiting = (self.judged..).zip(waiting);
        let (number, packet) = waiting.find(|(_, packet)| packet.enters)?;
        self.entrances.add(packet.first_clock);
        self.verdict_clocks.add(clock);
        self.judged = number + 1;
        Some(number)
    }

    pub fn packet_out(&mut self, frame: Frame, clock: u64) -> Result<(), Diagnostic> {
        let at = format!("clock {clock}");
        let next = match self.raw {
            true => self.next_judged(clock),
            false => self.due.front().copied(),
        };
        let number = next.ok_or_else(|| {
            protocol_violation("a packet comes out that no verdict sends on").at(at.as_str())
        })?;
        if !frame.again {
            self.due.pop_front();
        }
        let packet = &mut self.inside[number - self.first];
        packet.is_over = !frame.again;
        self.last_event = clock;
        if let Some(outcome) = &packet.outcome {
            if outcome.verdict != frame.user {
                let message = format!(
                    "packet {} comes out with verdict {}, its strobe said {}",
                    number + 1,
                    verdict::name(frame.user),
                    verdict::name(outcome.verdict)
                );
                return Err(protocol_violation(message).at(at));
            }
        }
        let copy = Copy {
            destination: frame.destination,
            data: frame.data,
            metadata: frame.metadata,
        };
        let outcome = packet.outcome.get_or_insert(Fate::ends(frame.user));
        match outcome.copies.first() {
            None => self.latencies.add(frame.first_clock - packet.first_clock),
            Some(first) if (&first.data, &first.metadata) != (&copy.data, &copy.metadata) => {
                let message = format!("two copies of packet {} differ", number + 1);
                return Err(protocol_violation(message).at(at));
            }
            Some(_) => {}
        }
        outcome.copies.push(copy);
        Ok(())
    }

    /// Whether the first packet entered the program, when it is over.
    pub fn next_entered(&self) -> Option<bool> {
        let first = self.inside.front()?;
        (first.is_over && first.packet.is_some()).then_some(first.enters)
    }

    /// Takes the first packet out when it is over, with what became of it.
    pub fn next_over(&mut self) -> Option<(P, Option<Fate>)> {
        let first = self.inside.front_mut().filter(|packet| packet.is_over)?;
        let packet = first.packet.take()?;
        let outcome = first.outcome.take();
        self.inside.pop_front();
        self.first += 1;
        if let (Some(outcome), false) = (&outcome, self.raw) {
            self.verdicts[outcome.verdict as usize] += 1;
        }
        Some((packet, outcome))
    }

    /// What the packets inside wait for, for messages.
    pub fn pending(&self) -> Vec<String> {
        let mut pending = Vec::new();
        let inside = || (self.first + 1..).zip(&self.inside);
        let mut without_verdict = inside().filter(|(_, packet)| {
            packet.enters && packet.packet.is_some() && packet.outcome.is_none()
        });
        if let Some((number, _)) = without_verdict.next() {
            let what = if self.raw { "result" } else { "verdict" };
            let count = 1 + without_verdict.count();
            pending.push(format!(
                "packets taken in that have no {what}: {count}, the first is packet {number}"
            ));
        }
        if let Some(first) = self.due.front() {
            let (count, number) = (self.due.len(), first + 1);
            pending.push(format!(
                "packets that are sent on and did not come out: {count}, the first is packet {number}"
            ));
        }
        pending
    }

    /// All but what the source knows.
    pub fn statistics(&self, clock_mhz: f64) -> Statistics {
        let packets_per_clock =
            packets_per_clock(self.entered, self.entrances, self.verdict_clocks);
        let mut verdicts = BTreeMap::new();
        if !self.raw {
            for (code, count) in (0..).zip(self.verdicts) {
                verdicts.insert(verdict::name(code).into(), count);
            }
        }
        Statistics {
            packets: self.entered,
            clocks: self.taken_in.until(self.last_event),
            packets_per_clock,
            mpps: packets_per_clock * clock_mhz,
            latency_clocks: self.latencies.latency(),
            verdicts,
            not_taken_in: self.not_taken_in,
            ..Statistics::default()
        }
    }
}

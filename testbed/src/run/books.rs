//! Which packet became what.

use crate::statistics::{packets_per_clock, Histogram, Span, Statistics, Strobes};
use crate::stream::{protocol_violation, Frame};
use hardpath_blocks::interface::Interface;
use hardpath_diagnostic::Diagnostic;
use hardpath_packet::{outcome, outcomes, Copy, Fate};
use std::collections::{BTreeMap, VecDeque};

/// The packets inside the design. Fates come in the order of the packets that enter the program; packets come out in
/// the order of the fates that send on. Packets are numbered from 0 in the order in which they come in.
pub struct Books<'a, P> {
    interface: &'a Interface,
    /// Those of which a beat was taken in and that are not over.
    inside: VecDeque<Inside<P>>,
    /// The number of the first of them.
    first: usize,
    /// No packet before that number waits for its fate.
    judged: usize,
    /// Those that are sent on and did not come out yet.
    due: VecDeque<usize>,
    /// First beats of all packets.
    taken_in: Span,
    /// Of the packets judged: clocks of their first beats, and of their strobes.
    entrances: Span,
    fate_clocks: Span,
    latencies: Histogram,
    strobes: Strobes,
    /// By what they were counted as, of packets that are over.
    outcomes: Vec<u64>,
    entered: u64,
    not_taken_in: u64,
    marked: u64,
    last_event: u64,
}

struct Inside<P> {
    /// From its last beat on.
    packet: Option<P>,
    enters: bool,
    /// If it comes out, it has the mark of a bad frame.
    marked: bool,
    /// Of its first beat in.
    first_clock: u64,
    outcome: Option<Fate>,
    /// Nothing more comes of it.
    is_over: bool,
}

impl<P> Books<'_, P> {
    pub fn new(interface: &Interface) -> Books<'_, P> {
        Books {
            interface,
            inside: VecDeque::new(),
            first: 0,
            judged: 0,
            due: VecDeque::new(),
            taken_in: Span::default(),
            entrances: Span::default(),
            fate_clocks: Span::default(),
            latencies: Histogram::default(),
            strobes: Strobes::default(),
            outcomes: vec![0; outcomes(&interface.outputs).len()],
            entered: 0,
            not_taken_in: 0,
            marked: 0,
            last_event: 0,
        }
    }

    /// Nothing is inside.
    pub fn is_complete(&self) -> bool {
        self.inside.is_empty()
    }

    /// A packet's first beat was taken in. It enters the program or not, and comes out with the mark of a bad frame or without.
    pub fn begins(&mut self, (enters, marked): (bool, bool), clock: u64) {
        self.taken_in.add(clock);
        match enters {
            true => self.entered += 1,
            false => self.not_taken_in += 1,
        }
        self.inside.push_back(Inside {
            packet: None,
            enters,
            marked,
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

    /// The strobe of the next packet. `sent`: it comes out at least once.
    pub fn fate(&mut self, outputs: Vec<u64>, sent: bool, clock: u64) -> Result<(), Diagnostic> {
        let number = self.next_judged(clock);
        let at = || match number {
            Some(number) => format!("fate of packet {}, clock {clock}", number + 1),
            None => format!("clock {clock}"),
        };
        let Some(number) = number else {
            let message = "a fate comes out for which there is no packet";
            return Err(protocol_violation(message).at(at()));
        };
        let counted = outcome(&self.interface.outputs, &outputs, sent);
        let Some(count) = self.outcomes.get_mut(counted) else {
            let message = format!("a packet is counted as {counted}, which does not exist");
            return Err(protocol_violation(message).at(at()));
        };
        *count += 1;
        self.last_event = clock;
        let packet = &mut self.inside[number - self.first];
        self.strobes.add(counted, clock, packet.first_clock);
        packet.outcome = Some(Fate::ends(&outputs));
        packet.is_over = !sent;
        if sent {
            self.due.push_back(number);
        }
        Ok(())
    }

    /// The packet that the next strobe belongs to, when one was taken in.
    fn next_judged(&mut self, clock: u64) -> Option<usize> {
        self.judged = self.judged.max(self.first);
        let waiting = self.inside.range(self.judged - self.first..);
        let mut waiting = (self.judged..).zip(waiting);
        let (number, packet) = waiting.find(|(_, packet)| packet.enters)?;
        self.entrances.add(packet.first_clock);
        self.fate_clocks.add(clock);
        self.judged = number + 1;
        Some(number)
    }

    pub fn packet_out(&mut self, frame: Frame, clock: u64) -> Result<(), Diagnostic> {
        let at = format!("clock {clock}");
        let number = self.due.front().copied().ok_or_else(|| {
            protocol_violation("a packet comes out that no fate sends on").at(at.as_str())
        })?;
        if !frame.again {
            self.due.pop_front();
        }
        let packet = &mut self.inside[number - self.first];
        packet.is_over = !frame.again;
        self.last_event = clock;
        let Some(outcome) = &mut packet.outcome else {
            return Err(protocol_violation("a packet comes out before its fate").at(at));
        };
        if packet.marked != frame.bad {
            let [is, was] = match frame.bad {
                true => ["with", "good"],
                false => ["without", "bad"],
            };
            let message = format!(
                "packet {} comes out {is} the mark of a bad frame, and it was {was}",
                number + 1
            );
            return Err(protocol_violation(message).at(at));
        }
        self.marked += u64::from(frame.bad);
        // Copies may have outputs of their own.
        if !self.interface.repeats && outcome.outputs != frame.outputs {
            let message = format!(
                "packet {} comes out with outputs {:?}, its strobe said {:?}",
                number + 1,
                frame.outputs,
                outcome.outputs
            );
            return Err(protocol_violation(message).at(at));
        }
        if outcome.copies.is_empty() {
            self.latencies.add(frame.first_clock - packet.first_clock);
        }
        outcome.copies.push(Copy {
            class: frame.class,
            index: frame.index,
            outputs: frame.outputs,
            data: frame.data,
        });
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
        Some((packet, outcome))
    }

    /// What the packets inside wait for, for messages.
    pub fn pending(&self) -> Vec<String> {
        let mut pending = Vec::new();
        let inside = || (self.first + 1..).zip(&self.inside);
        let mut without_fate = inside().filter(|(_, packet)| {
            packet.enters && packet.packet.is_some() && packet.outcome.is_none()
        });
        if let Some((number, _)) = without_fate.next() {
            let count = 1 + without_fate.count();
            pending.push(format!(
                "packets taken in that have no fate: {count}, the first is packet {number}"
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
        let packets_per_clock = packets_per_clock(self.entered, self.entrances, self.fate_clocks);
        let names = outcomes(&self.interface.outputs);
        let paths = self.strobes.paths(&names);
        let verdicts: BTreeMap<String, u64> = names
            .into_iter()
            .zip(self.outcomes.iter().copied())
            .collect();
        Statistics {
            packets: self.entered,
            clocks: self.taken_in.until(self.last_event),
            packets_per_clock,
            mpps: packets_per_clock * clock_mhz,
            clocks_per_packet: self.strobes.spread(),
            latency_clocks: self.latencies.latency(),
            paths,
            verdicts,
            not_taken_in: self.not_taken_in,
            marked: self.marked,
            ..Statistics::default()
        }
    }
}

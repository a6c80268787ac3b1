//! The drivers of the packet streams: a source on `s_axis_*`, a sink on `m_axis_*`, both AXI4-Stream as written in
//! `hardpath_blocks::interface`. The sink checks the rules of the stream at every clock.

use crate::dut::{Dut, Port, PortDirection};
use crate::pace::{Backpressure, Pacer};
use hardpath_blocks::egress::DESTINATION_BITS;
use hardpath_blocks::interface::{bits_of, Interface};
use hardpath_diagnostic::Diagnostic;
use hardpath_packet::{Class, Packet, CLASS_BITS, INDEX_BITS};
use std::borrow::Borrow;

/// Offers packets, beat by beat, one packet after the other from an iterator. What the contract leaves open is made hostile: bytes above `tkeep`, and
/// `tuser`, `time_ns`, `random` and `egress` on beats where they do not count, carry wrong values.
pub struct Source<P, I> {
    ports: SourcePorts,
    interface: Interface,
    bus_bytes: usize,
    packets: I,
    pacer: Pacer,
    /// The packet of which a beat is offered or comes next; `None` behind the last one.
    packet: Option<P>,
    /// The packets before it.
    packets_taken: usize,
    /// The beat that is offered or comes next.
    beat: usize,
    /// `tvalid` is 1 and the beat was not taken yet.
    offered: bool,
    /// Whether the pacer was asked about the next beat.
    gap_drawn: bool,
    limbs: Vec<u64>,
    /// Beats taken.
    pub beats: u64,
    /// Clocks in which a beat was offered and not taken.
    pub stall_clocks: u64,
}

struct SourcePorts {
    data: Port,
    keep: Port,
    valid: Port,
    ready: Port,
    last: Port,
    user: Port,
    time: Option<Port>,
    random: Option<Port>,
    egress: Option<Port>,
}

/// A beat that the design took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taken {
    /// A packet begins with it.
    pub is_first: bool,
    /// [`Source::advance`] comes next.
    pub is_last: bool,
}

/// What stands in bytes that do not count.
pub(crate) const JUNK: u64 = 0xa5a5_5a5a_c3c3_3c3c;

impl<P, I> Source<P, I>
where
    P: Borrow<Packet>,
    I: Iterator<Item = Result<P, Diagnostic>>,
{
    /// Finds the ports `s_axis_*` and takes the first packet from the iterator; nothing is offered yet.
    ///
    /// # Errors
    /// The design does not have the ports of its interface, or there is something wrong with the packet.
    pub fn new(
        dut: &mut dyn Dut,
        interface: &Interface,
        mut packets: I,
        pacer: Pacer,
    ) -> Result<Source<P, I>, Diagnostic> {
        let bits = interface.bus_bits;
        let optional = |wanted: bool, name, width| match wanted {
            true => dut.required(name, width, PortDirection::Input).map(Some),
            false => Ok(None),
        };
        let ports = SourcePorts {
            data: dut.required("s_axis_tdata", bits, PortDirection::Input)?,
            keep: dut.required("s_axis_tkeep", bits / 8, PortDirection::Input)?,
            valid: dut.required("s_axis_tvalid", 1, PortDirection::Input)?,
            ready: dut.required("s_axis_tready", 1, PortDirection::Output)?,
            last: dut.required("s_axis_tlast", 1, PortDirection::Input)?,
            user: dut.required(
                "s_axis_tuser",
                interface.input_user_bits(),
                PortDirection::Input,
            )?,
            time: optional(interface.has_time, "time_ns", 64)?,
            random: optional(interface.has_random, "random", 32)?,
            egress: optional(interface.has_egress, "egress", 32)?,
        };
        dut.set_u64(ports.valid, 0);
        Ok(Source {
            limbs: vec![0; ports.data.limbs()],
            ports,
            interface: interface.clone(),
            bus_bytes: bits as usize / 8,
            packet: packets.next().transpose()?,
            packets,
            pacer,
            packets_taken: 0,
            beat: 0,
            offered: false,
            gap_drawn: false,
            beats: 0,
            stall_clocks: 0,
        })
    }

    /// Every packet was taken.
    pub fn is_done(&self) -> bool {
        self.packet.is_none()
    }

    /// The packet that the source is at; `None` when it is done.
    pub fn packet(&self) -> Option<&Packet> {
        self.packet.as_ref().map(P::borrow)
    }

    /// Packets that were taken whole.
    pub fn packets_taken(&self) -> usize {
        self.packets_taken
    }

    /// A beat is offered and the design does not take it.
    pub fn is_blocked(&self) -> bool {
        self.offered
    }

    /// Sets the ports for the next clock.
    pub fn drive(&mut self, dut: &mut dyn Dut) {
        self.pacer.tick();
        let Some(packet) = self.packet.as_ref().filter(|_| !self.offered) else {
            return;
        };
        let starts_packet = self.beat == 0;
        if !self.gap_drawn {
            self.pacer.beat_follows(starts_packet);
            self.gap_drawn = true;
        }
        if !self.pacer.may_offer(starts_packet) {
            return;
        }
        if starts_packet {
            self.pacer.packet_begun(packet.borrow().data.len());
        }
        self.offer(dut);
        self.offered = true;
    }

    fn offer(&mut self, dut: &mut dyn Dut) {
        let Some(packet) = self.packet.as_ref().map(P::borrow) else {
            return;
        };
        let is_first = self.beat == 0;
        let rest = &packet.data[self.beat * self.bus_bytes..];
        let is_last = rest.len() <= self.bus_bytes;
        let bytes = &rest[..rest.len().min(self.bus_bytes)];
        for (index, limb) in self.limbs.iter_mut().enumerate() {
            let mut word = JUNK.to_le_bytes();
            let part = bytes.get(index * 8..).unwrap_or_default();
            let count = part.len().min(8);
            word[..count].copy_from_slice(&part[..count]);
            *limb = u64::from_le_bytes(word);
        }
        dut.set(self.ports.data, &self.limbs);
        dut.set_u64(self.ports.keep, low_ones(bytes.len()));
        dut.set_u64(self.ports.last, is_last.into());

        let bad = if is_last {
            packet.bad
        } else {
            self.beat.is_multiple_of(2)
        };
        let user = self.interface.input_user(packet, is_first, bad);
        dut.set(self.ports.user, &user[..self.ports.user.limbs()]);
        if let Some(time) = self.ports.time {
            dut.set_u64(
                time,
                if is_first {
                    packet.time_ns
                } else {
                    !packet.time_ns
                },
            );
        }
        if let Some(random) = self.ports.random {
            let value = if is_first {
                packet.random
            } else {
                !packet.random
            };
            dut.set_u64(random, value.into());
        }
        if let Some(egress) = self.ports.egress {
            let value = if is_first {
                packet.egress
            } else {
                !packet.egress
            };
            dut.set_u64(egress, value.into());
        }
        dut.set_u64(self.ports.valid, 1);
    }

    /// Looks at the ports after a step: the beat that was taken.
    pub fn observe(&mut self, dut: &mut dyn Dut) -> Option<Taken> {
        let packet = self.packet.as_ref().filter(|_| self.offered)?;
        if !dut.get_bit(self.ports.ready) {
            self.stall_clocks += 1;
            return None;
        }
        let length = packet.borrow().data.len();
        let beats = length.div_ceil(self.bus_bytes).max(1);
        let taken = Taken {
            is_first: self.beat == 0,
            is_last: self.beat + 1 == beats,
        };
        self.beats += 1;
        self.beat += 1;
        self.offered = false;
        self.gap_drawn = false;
        dut.set_u64(self.ports.valid, 0);
        Some(taken)
    }

    /// Goes on to the next packet and gives the one whose last beat was taken.
    ///
    /// # Errors
    /// There is something wrong with the next packet.
    pub fn advance(&mut self) -> Result<Option<P>, Diagnostic> {
        let next = self.packets.next().transpose()?;
        self.packets_taken += usize::from(self.packet.is_some());
        self.beat = 0;
        Ok(std::mem::replace(&mut self.packet, next))
    }
}

/// A packet that came out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The bytes of all its beats that `m_axis_tkeep` marks.
    pub data: Vec<u8>,
    /// Which way it goes, as `m_axis_tdest` says.
    pub class: Class,
    /// Number of the port or queue, from `m_axis_tdest`.
    pub index: u32,
    /// The program's outputs.
    pub outputs: Vec<u64>,
    /// The same packet comes once more.
    pub again: bool,
    /// It has the mark of a bad frame.
    pub bad: bool,
    /// The clock that put the first beat out.
    pub first_clock: u64,
}

/// Takes packets out and checks the stream.
pub struct Sink {
    ports: SinkPorts,
    bus_bytes: usize,
    interface: Interface,
    backpressure: Backpressure,
    ready: bool,
    /// The beat that was offered and not taken at the last clock: it must stay. Empty: none was.
    held: Vec<u64>,
    now: Vec<u64>,
    frame: Option<Frame>,
    /// `m_axis_tuser` of its first beat.
    user: Vec<u64>,
    /// Packets that came out whole.
    packets: u64,
}

struct SinkPorts {
    data: Port,
    keep: Port,
    valid: Port,
    ready: Port,
    last: Port,
    user: Port,
    destination: Port,
}

/// No packet that leaves has more bytes: where it begins and ends, and what is put in front of it, are numbers of 16 bits.
const MOST_BYTES: usize = 2 << 16;

/// What the sink saw at a clock.
#[derive(PartialEq, Eq, Debug)]
pub enum Seen {
    /// No beat came out, though one may be offered.
    Nothing,
    /// A beat that is not a packet's last one.
    Beat,
    /// A packet's last beat, with all that came before it.
    Packet(Frame),
}

impl Sink {
    /// Finds the ports `m_axis_*` and is ready for a beat.
    ///
    /// # Errors
    /// The design does not have the ports of its interface.
    pub fn new(
        dut: &mut dyn Dut,
        interface: &Interface,
        backpressure: Backpressure,
    ) -> Result<Sink, Diagnostic> {
        let bits = interface.bus_bits;
        let user_bits = interface.output_user_bits();
        let ports = SinkPorts {
            data: dut.required("m_axis_tdata", bits, PortDirection::Output)?,
            keep: dut.required("m_axis_tkeep", bits / 8, PortDirection::Output)?,
            valid: dut.required("m_axis_tvalid", 1, PortDirection::Output)?,
            ready: dut.required("m_axis_tready", 1, PortDirection::Input)?,
            last: dut.required("m_axis_tlast", 1, PortDirection::Output)?,
            user: dut.required("m_axis_tuser", user_bits, PortDirection::Output)?,
            destination: dut.required("m_axis_tdest", DESTINATION_BITS, PortDirection::Output)?,
        };
        dut.set_u64(ports.ready, 1);
        Ok(Sink {
            ports,
            bus_bytes: bits as usize / 8,
            interface: interface.clone(),
            backpressure,
            ready: true,
            held: Vec::new(),
            now: Vec::new(),
            frame: None,
            user: Vec::new(),
            packets: 0,
        })
    }

    /// No packet is half out.
    pub fn is_between_packets(&self) -> bool {
        self.frame.is_none() && self.held.is_empty()
    }

    /// Sets the ports for the next clock.
    pub fn drive(&mut self, dut: &mut dyn Dut) {
        let ready = self.backpressure.next_ready();
        if ready != self.ready {
            self.ready = ready;
            dut.set_u64(self.ports.ready, ready.into());
        }
    }

    /// Looks at the ports after the step of `clock`.
    pub fn observe(&mut self, dut: &dyn Dut, clock: u64) -> Result<Seen, Diagnostic> {
        if !dut.get_bit(self.ports.valid) {
            return match self.held.is_empty() {
                true => Ok(Seen::Nothing),
                false => Err(self.violation(clock, "m_axis_tvalid fell before m_axis_tready rose")),
            };
        }
        if !self.held.is_empty() || !self.ready {
            self.now.clear();
            for port in [
                self.ports.last,
                self.ports.user,
                self.ports.destination,
                self.ports.keep,
                self.ports.data,
            ] {
                self.now.extend_from_slice(dut.get(port));
            }
            if !self.held.is_empty() && self.held != self.now {
                let message = "a beat changed while it waited for m_axis_tready";
                return Err(self.violation(clock, message));
            }
        }
        if !self.ready {
            std::mem::swap(&mut self.held, &mut self.now);
            return Ok(Seen::Nothing);
        }
        self.held.clear();
        self.take_beat(dut, clock)
    }

    fn take_beat(&mut self, dut: &dyn Dut, clock: u64) -> Result<Seen, Diagnostic> {
        let is_last = dut.get_bit(self.ports.last);
        let keep = dut.get_u64(self.ports.keep);
        let user = dut.get(self.ports.user);
        let destination = dut.get(self.ports.destination);
        let class = Class::from_code(bits_of(destination, INDEX_BITS, CLASS_BITS));
        let index = bits_of(destination, 0, INDEX_BITS) as u32;

        let count = keep.count_ones() as usize;
        if keep != low_ones(count) {
            let message = format!("m_axis_tkeep {keep:#x} is not packed from bit 0");
            return Err(self.violation(clock, message));
        }
        if !is_last && count != self.bus_bytes {
            let message = format!("m_axis_tkeep {keep:#x} is not all ones before the last beat");
            return Err(self.violation(clock, message));
        }
        if count == 0 && (self.interface.lengths.0 > 0 || self.frame.is_some()) {
            return Err(self.violation(clock, "m_axis_tkeep is 0"));
        }
        if class == Class::Nowhere {
            return Err(self.violation(clock, "a packet comes out that goes nowhere"));
        }
        let highest = self.interface.output_user_bits() - 1;
        let is_marked = self.interface.ahead_bytes.is_some() && bits_of(user, highest, 1) == 1;
        if is_marked && !is_last {
            let message = "the mark of a bad frame comes before the last beat";
            return Err(self.violation(clock, message));
        }
        let mut user = user.to_vec();
        if is_marked {
            user[(highest / 64) as usize] &= !(1 << (highest % 64));
        }
        match &self.frame {
            Some(frame) if (frame.class, frame.index) != (class, index) || self.user != user => {
                let message = "m_axis_tuser or m_axis_tdest changed inside a packet";
                return Err(self.violation(clock, message));
            }
            Some(_) => {}
            None => self.user.clone_from(&user),
        }
        let outputs = self.interface.outputs_of(&user);
        let again = self.interface.repeats && bits_of(&user, highest, 1) == 1;
        let frame = self.frame.get_or_insert_with(|| Frame {
            data: Vec::new(),
            class,
            index,
            outputs,
            again,
            bad: false,
            first_clock: clock,
        });
        frame.bad = is_marked;
        let start = frame.data.len();
        for limb in dut.get(self.ports.data) {
            frame.data.extend_from_slice(&limb.to_le_bytes());
        }
        frame.data.truncate(start + count);
        if !is_last && frame.data.len() > MOST_BYTES {
            let message = format!("a packet has more than {MOST_BYTES} bytes and does not end");
            return Err(self.violation(clock, message));
        }
        if !is_last {
            return Ok(Seen::Beat);
        }
        self.packets += 1;
        Ok(self.frame.take().map_or(Seen::Nothing, Seen::Packet))
    }

    fn violation(&self, clock: u64, message: impl Into<String>) -> Diagnostic {
        let place = format!("output packet {}, clock {clock}", self.packets + 1);
        protocol_violation(message).at(place)
    }
}

/// The design broke a rule of its own contract.
pub(crate) fn protocol_violation(message: impl Into<String>) -> Diagnostic {
    Diagnostic::defect("protocol-violation", message)
        .help("this is a defect of the generated design: please report it with the program")
}

/// The lowest `count` bits set, 0 to 64.
pub(crate) fn low_ones(count: usize) -> u64 {
    match count {
        0 => 0,
        1..=63 => (1 << count) - 1,
        _ => u64::MAX,
    }
}

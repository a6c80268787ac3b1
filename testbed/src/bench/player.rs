//! Plays the lines of a test bench in an engine of this process, as the printed benches do in a simulator.

use super::script::{BeatIn, BeatOut, Line};
use super::Ports;
use crate::axilite::{OKAY, SLVERR};
use crate::dut::{Dut, Port, PortDirection};
use hardpath_blocks::interface::Interface;
use hardpath_diagnostic::Diagnostic;
use std::collections::VecDeque;

/// Clocks without anything new after which the design counts as hung.
const PATIENCE: u64 = 1_000_000;
/// Clocks after the last line in which nothing more may come out.
const QUIET_CLOCKS: u64 = 64;

/// A bench that is being played. Lines may be given piece by piece.
pub struct Player<'a> {
    dut: &'a mut dyn Dut,
    ports: Ports,
    host: HostPorts,
    rst: Port,
    names: Vec<&'static str>,
    /// What must come out, in order.
    beats: VecDeque<BeatOut>,
    fates: VecDeque<Vec<u64>>,
    /// What came out.
    beats_out: u32,
    fates_out: u32,
    /// Clocks in which the sink will not be ready.
    stall: u32,
    since_progress: u64,
}

struct HostPorts {
    strobes: Port,
    write_response: Port,
    write_answered: Port,
    read_response: Port,
    read_answered: Port,
}

impl<'a> Player<'a> {
    /// Resets the design. What clears its maps is skipped where the engine knows them to be clear.
    ///
    /// # Errors
    /// The design has not the ports of a generated top.
    pub fn new(dut: &'a mut dyn Dut, interface: &Interface) -> Result<Player<'a>, Diagnostic> {
        let ports = Ports::find(dut, interface)?;
        let input = |name: &str, width| dut.required(name, width, PortDirection::Input);
        let output = |name: &str, width| dut.required(name, width, PortDirection::Output);
        let host = HostPorts {
            strobes: input("s_axil_wstrb", 4)?,
            write_response: output("s_axil_bresp", 2)?,
            write_answered: output("s_axil_bvalid", 1)?,
            read_response: output("s_axil_rresp", 2)?,
            read_answered: output("s_axil_rvalid", 1)?,
        };
        let rst = input("rst", 1)?;
        for (name, value) in [("s_axil_bready", 1), ("s_axil_rready", 1), ("rst", 1)] {
            let port = dut.required(name, 1, PortDirection::Input)?;
            dut.set_u64(port, value);
        }
        for port in [
            ports.input.valid,
            ports.write_address.valid,
            ports.write_data.valid,
            ports.read_address.valid,
        ] {
            dut.set_u64(port, 0);
        }
        let names = super::optional_inputs(interface).map(|(name, _)| name);
        let player = Player {
            names: names.collect(),
            dut,
            ports,
            host,
            rst,
            beats: VecDeque::new(),
            fates: VecDeque::new(),
            beats_out: 0,
            fates_out: 0,
            stall: 0,
            since_progress: 0,
        };
        for _ in 0..4 {
            player.dut.step()?;
        }
        player.dut.set_u64(player.rst, 0);
        player.dut.skip_sweep();
        player.dut.foreign_mut().clear();
        Ok(player)
    }

    /// The engine, between lines.
    pub fn dut(&self) -> &dyn Dut {
        self.dut
    }

    /// Plays lines, those of a packet's output together with those of its input or before them.
    ///
    /// # Errors
    /// `bench-differs`: the design does something else; an assertion of the design.
    pub fn play(&mut self, lines: &[Line]) -> Result<(), Diagnostic> {
        for line in lines {
            match line {
                Line::BeatOut(beat) => self.beats.push_back(beat.clone()),
                Line::Fate(fate) => self.fates.push_back(fate.clone()),
                _ => {}
            }
        }
        lines.iter().try_for_each(|line| self.line(line))
    }

    /// Everything must have come out, and nothing more may come.
    ///
    /// # Errors
    /// As [`Player::play`].
    pub fn finish(&mut self) -> Result<(), Diagnostic> {
        while !(self.beats.is_empty() && self.fates.is_empty()) {
            self.step()?;
        }
        (0..QUIET_CLOCKS).try_for_each(|_| self.step())
    }

    fn line(&mut self, line: &Line) -> Result<(), Diagnostic> {
        match line {
            Line::Comment(_) | Line::BeatOut(_) | Line::Fate(_) => Ok(()),
            Line::Write { address, data } => self.write(*address, *data, 0xf, OKAY),
            Line::RefusedWrite {
                address,
                data,
                strobes,
            } => self.write(*address, *data, *strobes, SLVERR),
            Line::Await { address, data } => {
                self.since_progress = 0;
                while self.read(*address, OKAY)? != *data {}
                Ok(())
            }
            Line::Read { address, data } => {
                self.since_progress = 0;
                match self.read(*address, OKAY)? {
                    found if found == *data => Ok(()),
                    found => Err(self.differs(format!(
                        "register {address:#06x} holds {found:#010x}, not {data:#010x}"
                    ))),
                }
            }
            Line::RefusedRead { address } => self.read(*address, SLVERR).map(|_| ()),
            Line::BeatIn(beat) => self.beat_in(beat),
            Line::Gap(clocks) => (0..*clocks).try_for_each(|_| self.step()),
            Line::Stall(clocks) => {
                self.stall = self.stall.max(*clocks);
                Ok(())
            }
            Line::Reset(clocks) => {
                self.dut.set_u64(self.rst, 1);
                (0..*clocks).try_for_each(|_| self.step())?;
                self.dut.set_u64(self.rst, 0);
                self.dut.clear_maps();
                Ok(())
            }
            Line::Quiet { beats, fates } => {
                while self.beats_out < *beats || self.fates_out < *fates {
                    self.step()?;
                }
                Ok(())
            }
        }
    }

    fn beat_in(&mut self, beat: &BeatIn) -> Result<(), Diagnostic> {
        let input = &self.ports.input;
        self.dut.set(input.user, &beat.user[..input.user.limbs()]);
        self.dut.set_u64(input.last, beat.last.into());
        self.dut.set_u64(input.keep, beat.keep);
        self.dut.set(input.data, &beat.data);
        for (name, port) in self.names.iter().zip(&self.ports.with_input) {
            self.dut.set_u64(*port, beat.beside(name));
        }
        let (valid, ready) = (input.valid, input.ready);
        self.dut.set_u64(valid, 1);
        loop {
            self.step()?;
            if self.dut.get_bit(ready) {
                break;
            }
        }
        self.dut.set_u64(valid, 0);
        self.since_progress = 0;
        Ok(())
    }

    fn write(
        &mut self,
        address: u32,
        data: u32,
        strobes: u32,
        response: u64,
    ) -> Result<(), Diagnostic> {
        self.since_progress = 0;
        let channels = [&self.ports.write_address, &self.ports.write_data];
        let payloads = channels.map(|channel| channel.payload);
        let valids = channels.map(|channel| (channel.valid, channel.ready));
        self.dut.set_u64(payloads[0], address.into());
        self.dut.set_u64(payloads[1], data.into());
        self.dut.set_u64(self.host.strobes, strobes.into());
        for (valid, _) in valids {
            self.dut.set_u64(valid, 1);
        }
        loop {
            self.step()?;
            for (valid, ready) in valids {
                if self.dut.get_bit(ready) {
                    self.dut.set_u64(valid, 0);
                }
            }
            if self.dut.get_bit(self.host.write_answered) {
                let given = self.dut.get_u64(self.host.write_response);
                return self.check_response("writing", address, given, response);
            }
        }
    }

    fn read(&mut self, address: u32, response: u64) -> Result<u32, Diagnostic> {
        let channel = &self.ports.read_address;
        let (payload, valid, ready) = (channel.payload, channel.valid, channel.ready);
        self.dut.set_u64(payload, address.into());
        self.dut.set_u64(valid, 1);
        loop {
            self.step()?;
            if self.dut.get_bit(ready) {
                self.dut.set_u64(valid, 0);
            }
            if self.dut.get_bit(self.host.read_answered) {
                let given = self.dut.get_u64(self.host.read_response);
                self.check_response("reading", address, given, response)?;
                return Ok(self.dut.get_u64(self.ports.read_data.payload) as u32);
            }
        }
    }

    fn check_response(
        &self,
        what: &str,
        address: u32,
        given: u64,
        wanted: u64,
    ) -> Result<(), Diagnostic> {
        match given == wanted {
            true => Ok(()),
            false => Err(self.differs(format!(
                "{what} register {address:#06x} gives the response {given}, not {wanted}"
            ))),
        }
    }

    /// A clock, with the sink.
    fn step(&mut self) -> Result<(), Diagnostic> {
        let is_ready = self.stall == 0;
        self.stall = self.stall.saturating_sub(1);
        self.dut.set_u64(self.ports.output.ready, is_ready.into());
        self.dut.step()?;
        self.since_progress += 1;
        if is_ready && self.dut.get_bit(self.ports.output.valid) {
            self.beat_out()?;
        }
        if self.dut.get_bit(self.ports.fate_valid) {
            let fate = self.dut.get(self.ports.fate).to_vec();
            self.fates_out += 1;
            self.since_progress = 0;
            let wanted = self.fates.pop_front();
            if wanted.as_ref() != Some(&fate) {
                let number = self.fates_out;
                let message = format!("fate {number} is {fate:x?}, not {wanted:x?}");
                return Err(self.differs(message));
            }
        }
        if self.since_progress > PATIENCE {
            return Err(self.differs(String::from("nothing happens any more")));
        }
        Ok(())
    }

    fn beat_out(&mut self) -> Result<(), Diagnostic> {
        let output = &self.ports.output;
        let given = BeatOut {
            destination: self.dut.get_u64(self.ports.destination),
            user: self.dut.get(output.user).to_vec(),
            last: self.dut.get_bit(output.last),
            keep: self.dut.get_u64(output.keep),
            data: self.dut.get(output.data).to_vec(),
        };
        self.beats_out += 1;
        self.since_progress = 0;
        let wanted = self.beats.pop_front();
        match wanted {
            Some(wanted) if is_same(&given, &wanted) => Ok(()),
            wanted => {
                let number = self.beats_out;
                let message = format!("beat {number} out is {given:x?}, not {wanted:x?}");
                Err(self.differs(message))
            }
        }
    }

    fn differs(&self, message: String) -> Diagnostic {
        Diagnostic::defect(
            "bench-differs",
            format!("the design does not do what its test bench expects: {message}"),
        )
        .at(format!("clock {}", self.dut.clocks()))
        .help("this is a defect of the generated design: please report it with the program")
    }
}

/// Bytes whose `keep` bit is 0 mean nothing.
fn is_same(given: &BeatOut, wanted: &BeatOut) -> bool {
    let byte = |data: &[u64], lane: usize| data[lane / 8] >> (lane % 8 * 8) & 0xff;
    let lanes = given.data.len() * 8;
    given.destination == wanted.destination
        && given.user == wanted.user
        && given.last == wanted.last
        && given.keep == wanted.keep
        && (0..lanes)
            .filter(|lane| given.keep >> lane & 1 != 0)
            .all(|lane| byte(&given.data, lane) == byte(&wanted.data, lane))
}

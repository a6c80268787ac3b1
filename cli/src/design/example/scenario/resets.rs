//! Resets while something is on its way: packets inside, one at the output, a command of the host.

use super::{number, Scenario};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::maps::{Image, Maps};
use hardpath_ir::MapId;
use hardpath_packet::Packet;
use hardpath_registers::{field, register, Counters, HostOperation, May};
use hardpath_testbed::bench::script::{beats_in, Line};

/// Clocks in which a packet comes to the output register, and more.
const AT_OUTPUT: u32 = 16;

impl Scenario<'_> {
    /// From the last beat of a packet that comes alone to its fate; 0 of one that is left out.
    fn clocks_to_fate(&mut self, packet: &Packet) -> Result<usize, Diagnostic> {
        self.settle()?;
        let expected = self.fates + 1;
        self.back_to_back(packet);
        if self.fates < expected {
            return Ok(0);
        }
        self.play()?;
        let clock = self.player.dut().clocks();
        self.add(Line::Quiet {
            beats: 0,
            fates: expected,
        });
        self.play()?;
        let clocks = self.player.dut().clocks() - clock;
        self.settle()?;
        Ok(clocks as usize)
    }

    /// Packets come in, the first of them alone to see how long it takes, and a reset when it is all but through.
    pub fn reset_inside(&mut self, packets: &[&Packet]) -> Result<(), Diagnostic> {
        let clocks = match packets.first() {
            Some(packet) => self.clocks_to_fate(packet)?,
            None => 0,
        };
        self.settle()?;
        self.write(register::MAP_MAY, 0xffff_ffff);
        self.write(register::MAP_SLOT, 0xffff_ffff);
        self.write(register::MAP_SELECT, 0);
        let interface = self.interface;
        let beats = packets
            .iter()
            .flat_map(|packet| beats_in(packet, interface));
        let beats: Vec<Line> = beats.collect();
        let inside = clocks.saturating_sub(3);
        self.lines.extend(beats.into_iter().cycle().take(inside));
        self.reset()
    }

    /// A reset while a packet that leaves in one beat stands at the output, whose sink is not ready.
    pub fn reset_at_output(&mut self, packet: &Packet) -> Result<(), Diagnostic> {
        self.settle()?;
        let (beats, fates) = (self.beats, self.fates + 1);
        self.stall(AT_OUTPUT + 200);
        let from = self.lines.len();
        self.back_to_back(packet);
        let lines = self.lines.split_off(from).into_iter();
        let stays = lines.filter(|line| !matches!(line, Line::BeatOut(_)));
        self.lines.extend(stays);
        self.beats = beats;
        self.add(Line::Quiet { beats, fates });
        self.add(Line::Gap(AT_OUTPUT));
        self.reset()
    }

    /// A reset so many clocks after a command, whose map is empty behind it.
    pub fn reset_at_command(
        &mut self,
        map: MapId,
        key: Vec<u8>,
        value: &[u8],
        clocks: u32,
    ) -> Result<(), Diagnostic> {
        self.settle()?;
        self.begin(HostOperation::Update {
            map: number(map),
            key: key.clone(),
            value: value.to_vec(),
            may: May::PUT,
        });
        self.add(Line::Gap(clocks));
        self.keys.push((map, key));
        self.reset()
    }

    /// All is as at the start.
    fn reset(&mut self) -> Result<(), Diagnostic> {
        self.add(Line::Reset(1));
        let address = register::STATUS;
        self.add(Line::Await {
            address,
            data: field::READY.mask(),
        });
        for address in [
            register::MAP_SELECT,
            register::MAP_STATUS,
            register::MAP_MAY,
            register::MAP_SLOT,
        ] {
            self.read(address, 0);
        }
        self.maps = Maps::new(&self.program.maps);
        self.maps.watch_keys();
        self.counters = Counters::default();
        self.counters()?;
        let mut keys = std::mem::take(&mut self.keys);
        keys.sort();
        keys.dedup();
        // What an object's data sections hold does not come back by itself.
        keys.retain(|(map, _)| self.decl(*map).initial.is_none());
        for (map, key) in keys {
            self.lookup(map, key, &[]);
        }
        self.identify()?;
        self.load(&Image::new());
        Ok(())
    }
}

//! The lines of a bench as they grow, with the interpreter at their side: it says what must come out of each.

mod resets;
mod slots;

use super::{may_be_changed, sideband_of, Change};
use hardpath_blocks::interface::{Interface, MapPort};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::interpreter::Prepared;
use hardpath_ir::maps::{Image, Maps};
use hardpath_ir::{Answer, May};
use hardpath_ir::{MapDecl, MapId, Program};
use hardpath_packet::outcome as counted_as;
use hardpath_packet::Packet;
use hardpath_registers::{
    field, foreign, load, register, words, Access, Counters, Design, Exchange, HostAnswer,
    HostOperation, MAGIC, PORTS, VERSION,
};
use hardpath_testbed::bench::player::Player;
use hardpath_testbed::bench::script::{beats_in, beats_out, marked_beats_out, Line};
use hardpath_testbed::dut::Dut;
use hardpath_testbed::run::enters;
use std::collections::BTreeMap;

/// Clocks until a counter shows what happened, and more.
const COUNTER_CLOCKS: u32 = 24;
/// What a processor says of its first program when it runs.
const RUNS: u32 = 8;
/// Entries of each map that are looked up at the end.
const LOOKUPS: usize = 32;

pub struct Scenario<'a> {
    program: &'a Program,
    pub interface: &'a Interface,
    /// What a driver knows of it.
    design: Design,
    prepared: Prepared,
    maps: Maps,
    /// An LRU map may not be asked to forget: which key goes is nobody's promise.
    has_lru: bool,
    player: Player<'a>,
    lines: Vec<Line>,
    /// Lines that the player has played.
    played: usize,
    /// What must have come out.
    beats: u32,
    fates: u32,
    counters: Counters,
    packets: usize,
    /// What the registers KEY and VALUE hold is only known of what was written last.
    keys: Vec<(MapId, Vec<u8>)>,
}

impl<'a> Scenario<'a> {
    pub fn new(
        program: &'a Program,
        interface: &'a Interface,
        dut: &'a mut dyn Dut,
    ) -> Result<Scenario<'a>, Diagnostic> {
        let mut maps = Maps::new(&program.maps);
        maps.watch_keys();
        Ok(Scenario {
            has_lru: program.maps.values().any(|decl| decl.forgets),
            prepared: Prepared::new(program),
            player: Player::new(dut, interface)?,
            program,
            interface,
            design: interface.design(),
            maps,
            lines: Vec::new(),
            played: 0,
            beats: 0,
            fates: 0,
            counters: Counters::default(),
            packets: 0,
            keys: Vec::new(),
        })
    }

    /// The design runs programs that are loaded, row by row.
    pub fn is_processor(&self) -> bool {
        !self.interface.program.is_empty()
    }

    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    pub fn say(&mut self, words: &str) {
        self.lines.push(Line::Comment(words.to_owned()));
    }

    pub fn stall(&mut self, clocks: u32) {
        self.lines.push(Line::Stall(clocks));
    }

    pub fn write(&mut self, address: u32, data: u32) {
        self.lines.push(Line::Write { address, data });
    }

    pub fn read(&mut self, address: u32, data: u32) {
        self.lines.push(Line::Read { address, data });
    }

    pub fn add(&mut self, line: Line) {
        self.lines.push(line);
    }

    /// Waits until the maps are clear, and reads who the design is.
    pub fn identify(&mut self) -> Result<(), Diagnostic> {
        let address = register::STATUS;
        self.add(Line::Await {
            address,
            data: field::READY.mask(),
        });
        self.read(register::MAGIC, MAGIC);
        self.read(register::VERSION, VERSION);
        self.read(register::DESIGN_ID, self.interface.design_id);
        if self.interface.has_port_table {
            for port in 0..PORTS as u8 {
                let entry = register::PORT_TABLE + 8 * u32::from(port);
                self.write(entry, super::port(port).interface);
                self.write(entry + 4, super::port(port).first_queue);
            }
        }
        if self.is_processor() {
            self.say("the program");
            for (address, data) in load::writes(&self.interface.program) {
                self.write(address, data);
            }
            self.add(Line::Await {
                address: register::LOAD,
                data: 1 << 16 | RUNS,
            });
        }
        self.play()
    }

    /// What an object's data sections hold is written by the host, as a loader does; then the image.
    pub fn load(&mut self, image: &Image) {
        for (map, decl) in &self.program.maps {
            if let Some(initial) = &decl.initial {
                let key = vec![0; decl.key_bytes as usize];
                self.update(map, key, initial.clone(), May::PUT, &[]);
            }
            for (key, value) in image.get(&decl.name).into_iter().flatten() {
                self.update(map, key.clone(), value.clone(), May::PUT, &[]);
            }
        }
    }

    pub fn change(&mut self, change: &Change) {
        let (map, key) = (change.map, change.key.clone());
        match &change.value {
            Some(value) => self.update(map, key, value.clone(), May::PUT, &[]),
            None => self.delete(map, key, &[]),
        }
    }

    /// A change, if it is one.
    pub fn restore(&mut self, change: &Change) {
        let now = self.maps.get(change.map, &change.key);
        if now != change.value.as_deref() {
            self.change(change);
        }
    }

    /// A packet with a gap in front of it, or a sink that is not ready for a few clocks, now and then.
    pub fn packet(&mut self, packet: &Packet) {
        match self.packets % 7 {
            2 => self.stall(3),
            4 => self.add(Line::Gap(5)),
            5 => self.stall(1),
            _ => {}
        }
        let beats = self.lines.len();
        self.back_to_back(packet);
        // A gap inside a packet, too.
        let is_beat = |line: &Line| matches!(line, Line::BeatIn(_));
        if self.packets.is_multiple_of(3)
            && self.lines[beats..]
                .iter()
                .filter(|line| is_beat(line))
                .count()
                > 1
        {
            let second = self.lines[beats..].iter().rposition(is_beat);
            self.lines.insert(beats + second.unwrap_or(0), Line::Gap(2));
        }
    }

    /// A packet, and what becomes of it; left out when it would make an LRU map forget.
    pub fn back_to_back(&mut self, packet: &Packet) {
        self.followed(packet);
    }

    /// The same; gives the packet as it leaves, if it does.
    pub fn followed(&mut self, packet: &Packet) -> Option<Vec<u8>> {
        let is_taken_in = enters(packet, self.interface);
        let mut out = Vec::new();
        let mut left = None;
        if is_taken_in {
            let before = self.has_lru.then(|| self.maps.clone());
            let sideband = sideband_of(packet);
            let length = packet.data.len();
            let data = &packet.data[..self.interface.counted_bytes(length)];
            let outcome = self.prepared.run(&mut self.maps, data, &sideband);
            if let (true, Some(before)) = (self.maps.take_forgotten(), before) {
                self.maps = before;
                self.maps.take_keys();
                return None;
            }
            self.counters.packets_in += 1;
            let outputs = &self.interface.outputs;
            let sent = !outcome.copies.is_empty();
            self.counters.outcomes[counted_as(outputs, &outcome.outputs, sent)] += 1;
            self.fates += 1;
            out = match self.interface.marks(length, packet.bad) {
                false => beats_out(&outcome, self.interface),
                true => {
                    self.counters.dropped_bad += u64::from(packet.bad);
                    self.counters.dropped_length += u64::from(!packet.bad);
                    marked_beats_out(&outcome, self.interface)
                }
            };
            left = outcome.copies.into_iter().next().map(|copy| copy.data);
            self.beats += out.len() as u32 - 1;
        } else if packet.bad {
            self.counters.dropped_bad += 1;
        } else {
            self.counters.dropped_length += 1;
        }
        self.packets += 1;
        self.lines.extend(beats_in(packet, self.interface));
        self.lines.extend(out);
        left
    }

    /// Whether a packet is sent on, as things are.
    pub fn leaves(&mut self, packet: &Packet) -> bool {
        let mut maps = self.maps.clone();
        let outcome = self
            .prepared
            .run(&mut maps, &packet.data, &sideband_of(packet));
        !outcome.copies.is_empty()
    }

    /// Whether a packet is sent on in one beat, whose fate does not wait for the sink.
    pub fn leaves_in_a_beat(&mut self, packet: &Packet) -> bool {
        let mut maps = self.maps.clone();
        let context = sideband_of(packet);
        let outcome = self.prepared.run(&mut maps, &packet.data, &context);
        let lines = beats_out(&outcome, self.interface);
        let is_beat = |line: &&Line| matches!(line, Line::BeatOut(_));
        lines.iter().filter(is_beat).count() == 1
    }

    /// Whether it is sent on or writes a map.
    pub fn does_something(&mut self, packet: &Packet) -> bool {
        let mut maps = self.maps.clone();
        maps.watch_changes();
        let outcome = self
            .prepared
            .run(&mut maps, &packet.data, &sideband_of(packet));
        !outcome.copies.is_empty() || !maps.take_changes().is_empty()
    }

    /// The maps without the keys of one.
    pub fn maps_without(&self, map: MapId) -> Maps {
        let mut maps = self.maps.clone();
        let image = maps.image();
        for (key, _) in image.get(&self.decl(map).name).into_iter().flatten() {
            maps.delete(map, key);
        }
        maps
    }

    /// The keys that a packet asks for in vain or writes, if the maps were so; whether it writes them.
    pub fn keys_of(&mut self, packet: &Packet, mut maps: Maps) -> BTreeMap<(MapId, Vec<u8>), bool> {
        maps.watch_changes();
        maps.watch_misses();
        self.prepared
            .run(&mut maps, &packet.data, &sideband_of(packet));
        let missed = maps.take_misses().into_iter().map(|key| (key, false));
        let mut keys: BTreeMap<_, _> = missed.collect();
        let changes = maps.take_changes().into_iter();
        keys.extend(changes.map(|change| ((change.map, change.key), true)));
        keys
    }

    /// All that went in must have come out.
    pub fn settle(&mut self) -> Result<(), Diagnostic> {
        let (beats, fates) = (self.beats, self.fates);
        self.add(Line::Quiet { beats, fates });
        self.play()
    }

    /// Plays what was not played yet.
    pub fn play(&mut self) -> Result<(), Diagnostic> {
        self.player.play(&self.lines[self.played..])?;
        self.played = self.lines.len();
        Ok(())
    }

    // ---- Operations of the host. The packets given with one come right behind its command.

    pub fn maps(&self) -> &Maps {
        &self.maps
    }

    pub fn decl(&self, map: MapId) -> &'a MapDecl {
        &self.program.maps[map]
    }

    pub fn map_ids(&self) -> Vec<MapId> {
        self.program.maps.keys().collect()
    }

    pub fn lookup(&mut self, map: MapId, key: Vec<u8>, behind: &[Packet]) {
        let value = self.maps.get(map, &key).map(<[u8]>::to_vec);
        let value = value.filter(|_| !self.port(map).stored.is_foreign(&key));
        let answer = found(None, value);
        // Where entries have masks and a priority, a lookup asks for none.
        let mut key = key;
        key.resize(self.port(map).key_bytes as usize, 0);
        let map = number(map);
        self.operate(HostOperation::Lookup { map, key }, &answer, behind);
    }

    pub fn update(
        &mut self,
        map: MapId,
        key: Vec<u8>,
        value: Vec<u8>,
        may: May,
        behind: &[Packet],
    ) {
        let before = self.has_lru.then(|| self.maps.clone());
        let operation = HostOperation::Update {
            map: number(map),
            key: key.clone(),
            value: value.clone(),
            may,
        };
        let asks = self.asks(map, &operation, &key);
        let answer = self.maps.update(map, &key, &value, may);
        if let (true, Some(before)) = (self.maps.take_forgotten(), before) {
            self.maps = before;
            self.maps.take_keys();
            return;
        }
        if !asks {
            return self.lookup(map, key, behind);
        }
        self.keys.push((map, key));
        self.operate(operation, &HostAnswer::of(answer), behind);
    }

    pub fn delete(&mut self, map: MapId, key: Vec<u8>, behind: &[Packet]) {
        let operation = HostOperation::Delete {
            map: number(map),
            key: key.clone(),
        };
        let asks = self.asks(map, &operation, &key);
        let answer = self.maps.delete(map, &key);
        if !asks {
            return self.lookup(map, key, behind);
        }
        self.operate(operation, &HostAnswer::of(answer), behind);
    }

    /// Whether the design is asked for what an operation wants. On a foreign key it may only be looked up, and not found.
    fn asks(&self, map: MapId, operation: &HostOperation, key: &[u8]) -> bool {
        let is_there = self.maps.get(map, key).is_some();
        !self.port(map).stored.is_foreign(key) || foreign::asked(operation, is_there) == *operation
    }

    /// A command that does nothing but fail.
    pub fn fails(&mut self, select: u32, command: u32) {
        self.write(register::MAP_SELECT, select);
        self.write(register::MAP_COMMAND, command);
        let address = register::MAP_STATUS;
        let data = Answer::Refused.code();
        self.add(Line::Await { address, data });
    }

    /// An operation on the design itself, and what must come of it.
    fn operate(&mut self, operation: HostOperation, answer: &HostAnswer, behind: &[Packet]) {
        let mut exchange = self.begin(operation);
        // What must be made ready first has no place among the packets that is known from outside.
        let waits = |decl: &MapDecl| decl.is_matched() || decl.broadcast;
        let is_at_once = !self.program.maps.values().any(waits);
        if is_at_once {
            self.send(behind);
        }
        let slot =
            matches!(exchange.operation(), HostOperation::Next { .. }).then_some(answer.slot);
        let entry = words(&answer.key).chain(words(&answer.value));
        let mut expected = slot.into_iter().chain(entry);
        while let Some(Access::Read { address }) = exchange.wanted() {
            let data = match exchange.is_polling() {
                true => answer.answer.code(),
                false => expected.next().unwrap_or(0),
            };
            match exchange.is_polling() {
                true => self.add(Line::Await { address, data }),
                false => self.read(address, data),
            }
            if exchange.is_polling() && !is_at_once {
                self.send(behind);
            }
            exchange.take(data).expect("a status is an answer");
        }
    }

    /// The writes of an operation, the one that starts it the last.
    fn begin(&mut self, operation: HostOperation) -> Exchange {
        let exchange = Exchange::of_stored(&self.design.maps, operation);
        let mut exchange = exchange.expect("keys and values have the sizes of their map");
        while let Some(Access::Write { address, data }) = exchange.wanted() {
            self.write(address, data);
            exchange.take(data).expect("a write gives nothing");
        }
        exchange
    }

    fn send(&mut self, packets: &[Packet]) {
        for packet in packets {
            self.back_to_back(packet);
        }
    }

    /// A map as the host sees it.
    pub fn port(&self, map: MapId) -> &'a MapPort {
        &self.interface.maps[map.as_u32() as usize]
    }

    // ---- The end: every counter, and what the maps hold.

    pub fn counters(&mut self) -> Result<(), Diagnostic> {
        self.settle()?;
        self.add(Line::Gap(COUNTER_CLOCKS));
        for (index, count) in self.counters.in_order().into_iter().enumerate() {
            let address = register::PACKETS_IN + 8 * index as u32;
            self.read(address, count as u32);
            self.read(address + 4, (count >> 32) as u32);
        }
        Ok(())
    }

    pub fn finish(&mut self) -> Result<(), Diagnostic> {
        self.say("at the end: counters, ports, and what the maps hold");
        self.counters()?;
        if self.interface.has_port_table {
            for port in 0..PORTS as u8 {
                let entry = register::PORT_TABLE + 8 * u32::from(port);
                self.read(entry, super::port(port).interface);
                self.read(entry + 4, super::port(port).first_queue);
            }
        }
        let image = self.maps.image();
        for map in self.map_ids() {
            let entries = image.get(&self.decl(map).name).into_iter().flatten();
            let used = entries.filter(|(_, value)| value.iter().any(|byte| *byte != 0));
            let keys: Vec<Vec<u8>> = used.take(LOOKUPS).map(|(key, _)| key.clone()).collect();
            for key in keys {
                self.lookup(map, key, &[]);
            }
            // What went must be gone.
            let mut gone: Vec<Vec<u8>> = (self.keys.iter())
                .filter(|(other, key)| *other == map && self.maps.get(map, key).is_none())
                .map(|(_, key)| key.clone())
                .collect();
            gone.dedup();
            for key in gone.into_iter().take(LOOKUPS / 4) {
                self.lookup(map, key, &[]);
            }
            if may_be_changed(self.decl(map)) {
                self.dump_some(map)?;
            }
        }
        self.settle()
    }

    /// Nothing more may come.
    pub fn end(&mut self) -> Result<(), Diagnostic> {
        self.settle()?;
        self.player.finish()
    }
}

/// The map's place in [`Interface::maps`].
fn number(map: MapId) -> usize {
    map.as_u32() as usize
}

/// An entry that is there, or not. A lookup gives no key.
fn found(key: Option<&[u8]>, value: Option<Vec<u8>>) -> HostAnswer {
    match value {
        Some(value) => HostAnswer {
            key: key.unwrap_or_default().to_vec(),
            value,
            ..HostAnswer::default()
        },
        None => HostAnswer::of(Answer::Missing),
    }
}

//! The host port: AXI4-Lite in any order and delay, whole words only, counters, the port table, and map operations that
//! hold the entrance for a bounded time.

use crate::bench::Bench;
use hardpath_blocks::host::{host, Host};
use hardpath_registers::{
    command, field, register, Answer, May, EVENTS, MAGIC, OUTCOMES, PORTS, REGISTERS, VERSION,
};
use hardpath_testkit::Random;
use std::collections::BTreeMap;

const KEY_BITS: u32 = 104;
const VALUE_BITS: u32 = 80;
const SLOT_BITS: u32 = 10;
const MAPS: u32 = 3;
/// Clocks that the stand-in for the pipeline takes for an operation.
const PIPELINE: u64 = 9;
const SWEEP: u64 = 50;
/// Responses of AXI.
const OKAY: u64 = 0;
const SLVERR: u64 = 2;

struct Port {
    bench: Bench,
    random: Random,
    clock: u64,
    /// When the operation that was injected is over.
    done_at: Option<u64>,
    injected: u64,
    hold_clocks: u64,
    answer: (u64, Vec<u64>, Vec<u64>),
    /// What the map says of the slot; of a dump it is that of the dump.
    handle: u64,
    /// So many dumps find nothing before that.
    empty: u32,
    /// The slots that the last of them skips.
    skipped: u64,
    /// The slots of the dumps since the last operation.
    dumped: Vec<u64>,
    /// What the operation came with: map, command, what it may do, slot, index, key, value.
    seen: Option<Seen>,
    strobes: BTreeMap<&'static str, u64>,
    /// The strobes of fates, by what the packet is counted as.
    outcomes: [u64; OUTCOMES],
    strobes_now: bool,
    /// Of a port that prepares maps: the map that is selected is ready from this clock on.
    prepared_at: Option<u64>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Seen {
    map: u64,
    command: u64,
    may: u64,
    slot: u64,
    index: u64,
    key: Vec<u64>,
    value: Vec<u64>,
}

impl Port {
    fn new(seed: u64) -> Port {
        Port::of(seed, false, 0)
    }

    fn of(seed: u64, prepares: bool, events: u32) -> Port {
        let mut bench = Bench::of(host(&Host {
            name: "host".into(),
            design_id: 0x1234_5678,
            maps: MAPS,
            key_bits: KEY_BITS,
            value_bits: VALUE_BITS,
            long: None,
            repeats: false,
            slot_bits: SLOT_BITS,
            has_port_table: true,
            prepares,
            found_at_once: false,
            clear_words: SWEEP as u32,
            events,
        }));
        bench.set("s_axil_wstrb", 15);
        Port {
            bench,
            random: Random::new(seed),
            clock: 0,
            done_at: None,
            injected: 0,
            hold_clocks: 0,
            answer: (0, vec![0; 2], vec![0; 2]),
            handle: 0,
            empty: 0,
            skipped: 0,
            dumped: Vec::new(),
            seen: None,
            strobes: BTreeMap::new(),
            outcomes: [0; OUTCOMES],
            strobes_now: false,
            prepared_at: prepares.then_some(0),
        }
    }

    fn step(&mut self) {
        let done = self.done_at == Some(self.clock);
        self.bench.set("map_done", done.into());
        // Key and value stand still a clock longer than the answer.
        let was_done = self.done_at.is_some_and(|clock| clock + 1 == self.clock);
        let (mut answer, value, key) = match (done, was_done) {
            (true, _) => self.answer.clone(),
            (_, true) => (7, self.answer.1.clone(), self.answer.2.clone()),
            _ => (7, vec![!0; 2], vec![!0; 2]),
        };
        if done {
            self.skipped = 0;
        }
        if done && self.empty > 0 {
            // The map may see more empty slots than it was asked for.
            self.skipped = self.random.below(u64::from(self.empty.min(3)));
            self.empty -= 1 + self.skipped as u32;
            answer = Answer::Missing.code().into();
        }
        let seen = self.seen.as_ref().filter(|_| done || was_done);
        let slot = match seen {
            Some(seen) if seen.command == command::DUMP.into() => seen.slot + self.skipped,
            Some(_) => self.handle,
            None => self.random.next(),
        };
        let slot_mask = (1 << SLOT_BITS) - 1;
        self.bench.set("map_slot", slot & slot_mask);
        self.bench.set("map_answer", answer);
        self.bench.set_wide("map_value", &value);
        self.bench.set_wide("map_key", &key);
        for name in ["packet_in", "dropped_bad", "dropped_length", "fate_valid"] {
            let strobe = self.strobes_now && self.random.below(3) == 0;
            self.bench.set(name, strobe.into());
            let counted = self.random.below(OUTCOMES as u64);
            if name == "fate_valid" {
                self.bench.set("counted", counted);
                self.outcomes[counted as usize] += u64::from(strobe);
            } else if strobe {
                *self.strobes.entry(name).or_default() += 1;
            }
        }
        if let Some(at) = self.prepared_at {
            self.bench.set("map_prepared", (at <= self.clock).into());
        }
        self.bench.step();
        self.hold_clocks += self.bench.get("hold");
        if let Some(at) = self.prepared_at {
            assert!(
                at < self.clock || self.bench.get("hold") == 0,
                "the entrance waits for the preparation"
            );
            if self.bench.get("map_start") == 1 {
                self.prepared_at = Some(self.clock + 2 + self.random.below(60));
            }
        }
        if let Some(seen) = self.seen.clone() {
            if self.done_at.is_some_and(|at| self.clock <= at) {
                assert_eq!(
                    seen,
                    self.operation(),
                    "the operation's registers stand still"
                );
            }
        }
        if self.bench.get("inject") == 1 {
            assert_eq!(
                self.bench.get("running"),
                1,
                "no operation during the sweep"
            );
            assert_eq!(self.bench.get("hold"), 1);
            self.injected += 1;
            self.done_at = Some(self.clock + PIPELINE);
            let seen = self.operation();
            if seen.command == command::DUMP.into() {
                self.dumped.push(seen.slot);
            }
            self.seen = Some(seen);
        }
        self.clock += 1;
    }

    fn operation(&mut self) -> Seen {
        Seen {
            map: self.bench.get("map_select"),
            command: self.bench.get("host_command"),
            may: self.bench.get("host_may"),
            slot: self.bench.get("host_slot"),
            index: self.bench.get("host_index"),
            key: self.bench.get_wide("host_key"),
            value: self.bench.get_wide("host_value"),
        }
    }

    /// Address and data come in any order, the answer is taken with any delay.
    fn write(&mut self, address: u32, data: u32) {
        let delays = [
            self.random.below(4),
            self.random.below(4),
            self.random.below(4),
        ];
        assert_eq!(self.write_with(address, data, 15, delays), OKAY);
    }

    /// Gives the response.
    fn write_with(
        &mut self,
        address: u32,
        data: u32,
        strobe: u64,
        [address_delay, data_delay, answer_delay]: [u64; 3],
    ) -> u64 {
        let (mut address_taken, mut data_taken) = (false, false);
        let mut answered: Option<(u64, u64)> = None;
        for clock in 0..64 {
            let offers = (
                !address_taken && clock >= address_delay,
                !data_taken && clock >= data_delay,
            );
            let ready = answered.is_some_and(|(since, _)| clock > since + answer_delay);
            let junk = self.random.next();
            self.bench.set("s_axil_awvalid", offers.0.into());
            self.bench.set(
                "s_axil_awaddr",
                if offers.0 { address.into() } else { junk },
            );
            self.bench.set("s_axil_wvalid", offers.1.into());
            self.bench
                .set("s_axil_wdata", if offers.1 { data.into() } else { junk });
            self.bench
                .set("s_axil_wstrb", if offers.1 { strobe } else { 15 });
            self.bench.set("s_axil_bready", ready.into());
            self.step();
            address_taken |= offers.0 && self.bench.get("s_axil_awready") == 1;
            data_taken |= offers.1 && self.bench.get("s_axil_wready") == 1;
            if self.bench.get("s_axil_bvalid") == 1 {
                assert!(address_taken && data_taken, "an answer before the question");
                let response = self.bench.get("s_axil_bresp");
                assert_eq!(
                    answered.map_or(response, |(_, before)| before),
                    response,
                    "bresp stays until it is taken"
                );
                if ready {
                    self.bench.set("s_axil_bready", 0);
                    return response;
                }
                answered = answered.or(Some((clock, response)));
            } else {
                assert!(answered.is_none(), "bvalid stays until it is taken");
            }
        }
        panic!("no answer to a write of {address:#x}");
    }

    fn read(&mut self, address: u32) -> u32 {
        let (data, response) = self.read_with(address);
        assert_eq!(response, OKAY, "{address:#x}");
        data
    }

    /// Gives the data and the response.
    fn read_with(&mut self, address: u32) -> (u32, u64) {
        let delay = self.random.below(4);
        let mut taken = false;
        let mut answered: Option<(u64, (u32, u64))> = None;
        for clock in 0..64 {
            let offers = !taken;
            let ready = answered.is_some_and(|(since, _)| clock > since + delay);
            let junk = self.random.next();
            self.bench.set("s_axil_arvalid", offers.into());
            self.bench
                .set("s_axil_araddr", if offers { address.into() } else { junk });
            self.bench.set("s_axil_rready", ready.into());
            self.step();
            taken |= offers && self.bench.get("s_axil_arready") == 1;
            if self.bench.get("s_axil_rvalid") == 1 {
                assert!(taken);
                let data = self.bench.get("s_axil_rdata") as u32;
                let answer = (data, self.bench.get("s_axil_rresp"));
                assert_eq!(
                    answered.map_or(answer, |(_, before)| before),
                    answer,
                    "rdata and rresp stay until they are taken"
                );
                if ready {
                    self.bench.set("s_axil_rready", 0);
                    self.bench.set("s_axil_arvalid", 0);
                    return answer;
                }
                answered = answered.or(Some((clock, answer)));
            } else {
                assert!(answered.is_none(), "rvalid stays until it is taken");
            }
        }
        panic!("no answer to a read of {address:#x}");
    }

    fn counter(&mut self, address: u32) -> u64 {
        let low = self.read(address);
        let high = self.read(address + 4);
        u64::from(low) | u64::from(high) << 32
    }

    /// Writes a command and waits; gives the status.
    fn perform(&mut self, code: u32) -> u32 {
        self.write(register::MAP_COMMAND, code);
        for _ in 0..40 {
            let status = self.read(register::MAP_STATUS);
            if status >> 31 == 0 {
                return status;
            }
        }
        panic!("the operation is not over");
    }

    fn wait_for_sweep(&mut self) {
        while self.read(register::STATUS) & 1 == 0 {
            assert!(self.clock < SWEEP + 40);
        }
    }
}

#[test]
fn registers_can_be_read_and_written() {
    let mut port = Port::new(1);
    port.wait_for_sweep();
    assert_eq!(port.read(register::MAGIC), MAGIC);
    assert_eq!(port.read(register::VERSION), VERSION);
    assert_eq!(port.read(register::DESIGN_ID), 0x1234_5678);
    let mut model: BTreeMap<u32, u32> = BTreeMap::new();
    let mut places: Vec<(u32, u32)> = vec![
        (register::MAP_SELECT, !0),
        (register::MAP_MAY, 3),
        (register::MAP_SLOT, !0),
    ];
    for word in 0..4 {
        places.push((register::KEY + 4 * word, if word == 3 { 0xff } else { !0 }));
    }
    for word in 0..3 {
        places.push((
            register::VALUE + 4 * word,
            if word == 2 { 0xffff } else { !0 },
        ));
    }
    for entry in 0..PORTS {
        places.push((register::PORT_TABLE + 8 * entry, !0));
        places.push((register::PORT_TABLE + 8 * entry + 4, 0xffff));
    }
    for _ in 0..2000 {
        let (address, mask) = *port.random.pick(&places);
        let data = port.random.next() as u32;
        match port.random.below(4) {
            0 => {
                // Parts of a word change nothing.
                let strobe = port.random.below(15);
                let delays = [port.random.below(3), port.random.below(3), 0];
                let response = port.write_with(address, data, strobe, delays);
                assert_eq!(response, SLVERR);
            }
            1 => {
                port.write(address, data);
                model.insert(address, data & mask);
            }
            // What can only be read, and where nothing is.
            2 if data.is_multiple_of(3) => {
                let nowhere = [
                    register::MAGIC,
                    register::STATUS,
                    register::PACKETS_IN,
                    0x300,
                    0x1010,
                    0x200c + 4,
                    0xfffc,
                ];
                let address = *port.random.pick(&nowhere);
                assert_eq!(port.write_with(address, data, 15, [0; 3]), SLVERR);
            }
            _ => assert_eq!(
                port.read(address),
                model.get(&address).copied().unwrap_or(0),
                "{address:#x}"
            ),
        }
    }
    assert_eq!(port.read(register::MAGIC), MAGIC);
    let behind = [
        register::OUTCOMES + 40,
        register::PORT_TABLE + 8 * PORTS,
        register::MAP_HANDLE + 4,
        0x300,
        register::KEY + 16,
        register::VALUE + 12,
        0xfffc,
    ];
    for address in behind {
        assert_eq!(port.read_with(address), (0, SLVERR), "{address:#x}");
    }
    assert_eq!((port.injected, port.hold_clocks), (0, 0));
}

/// Every word of the address space can be read and written if the table of registers says so, and else is refused.
#[test]
fn the_table_of_registers_is_what_the_port_does() {
    let mut port = Port::new(5);
    port.wait_for_sweep();
    // Address: may be written.
    let mut words = BTreeMap::new();
    for one in &REGISTERS {
        let addresses = (one.offset..).step_by(4);
        let count = one.words(KEY_BITS, VALUE_BITS) as usize;
        words.extend(
            addresses
                .take(count)
                .map(|address| (address, one.access.may_write())),
        );
    }
    let beyond = [0x4000, 0x8000, 0xc000].map(|bit| bit | register::MAP_SELECT);
    for address in (0..0x3000).step_by(4).chain(beyond) {
        let may_write = words.get(&address);
        let expected = match may_write {
            Some(_) => OKAY,
            None => SLVERR,
        };
        let (data, response) = port.read_with(address);
        assert_eq!(response, expected, "read of {address:#x}");
        if address == register::MAP_COMMAND {
            assert_eq!(data, 0);
            continue;
        }
        let expected = match may_write {
            Some(true) => OKAY,
            _ => SLVERR,
        };
        let response = port.write_with(address, !0, 15, [0; 3]);
        assert_eq!(response, expected, "write of {address:#x}");
        // All bits of a field are there, and none beside them.
        let fields = REGISTERS.iter().find(|one| {
            (one.offset..one.offset + 4 * one.words(KEY_BITS, VALUE_BITS)).contains(&address)
        });
        let of_word = (address & 4) / 4;
        let fields = fields.map_or(&[][..], |one| one.fields).iter();
        let masks = fields
            .filter(|part| part.word == of_word)
            .map(|part| part.mask());
        let masks = masks.reduce(|one, other| one | other);
        if let (Some(mask), Some(true)) = (masks, may_write) {
            assert_eq!(port.read(address), mask, "{address:#x}");
        }
    }
    assert_eq!(port.injected, 0);
    // A command is as wide as its field: with the bits above it there is none.
    for number in [command::LOOKUP, command::LOOKUP | !field::COMMAND.mask()] {
        port.write(register::MAP_SELECT, 0);
        let is_command = number == command::LOOKUP;
        assert_eq!(port.perform(number) != Answer::Refused.code(), is_command);
    }
    assert_eq!(port.injected, 1);
}

#[test]
fn ports_become_interfaces_and_queues() {
    let mut port = Port::new(2);
    for entry in 0..PORTS {
        port.write(register::PORT_TABLE + 8 * entry, 1000 + entry);
        port.write(register::PORT_TABLE + 8 * entry + 4, 50 * entry);
    }
    for early in 0..256 {
        port.bench.set("early_port", early);
        port.step();
        let expected = if early < 16 {
            (1000 + early, 50 * early)
        } else {
            (0, 0)
        };
        assert_eq!(
            (
                port.bench.get("port_interface"),
                port.bench.get("port_queue")
            ),
            expected,
            "port {early}"
        );
    }
}

#[test]
fn operations_take_their_registers_with_them() {
    operations(Port::new(3));
}

#[test]
fn operations_wait_for_maps_that_are_made_ready() {
    operations(Port::of(9, true, 0));
}

#[test]
fn the_next_entry_is_found_slot_by_slot() {
    walks(Port::new(10));
}

#[test]
fn a_walk_waits_for_maps_that_are_made_ready() {
    walks(Port::of(11, true, 0));
}

/// NEXT is dumps of one slot after the other, which the maps do not tell from others.
fn walks(mut port: Port) {
    port.wait_for_sweep();
    let slots = 1 << SLOT_BITS;
    for round in 0..60u32 {
        let from = [0, slots - 1, 5, port.random.below(slots.into()) as u32][round as usize % 4];
        let empty = port.random.below(6) as u32;
        let found = (from + empty < slots).then(|| from + empty);
        port.empty = empty.min(slots - from);
        let [value, key] = [0; 2].map(|_| port.random.next() & 0xffff);
        let answer = if found.is_some() {
            Answer::Done
        } else {
            Answer::BadIndex
        };
        port.answer = (answer.code().into(), vec![value, 0], vec![key, 0]);
        let handle = port.read(register::MAP_HANDLE);
        for (address, data) in [
            (register::MAP_SELECT, round % MAPS),
            (register::MAP_SLOT, from),
            (register::KEY, 1),
            (register::VALUE, 2),
        ] {
            port.write(address, data);
        }
        port.dumped.clear();
        let held = port.hold_clocks;
        port.write(register::MAP_COMMAND, command::NEXT);
        // No register changes meanwhile: the bench looks.
        let mut refused = 0;
        let mut status = port.read(register::MAP_STATUS);
        while status >> 31 == 1 {
            let response = port.write_with(register::MAP_MAY, 3, 15, [0; 3]);
            refused += u32::from(response == SLVERR);
            status = port.read(register::MAP_STATUS);
        }
        assert!(refused > 0);
        let last = found.unwrap_or(slots);
        let [first, ends] = [from, last].map(u64::from);
        assert_eq!(port.dumped.first(), Some(&first), "{found:?}");
        assert_eq!(port.dumped.last(), Some(&ends), "{found:?}");
        let dumped = std::mem::take(&mut port.dumped);
        let steps = dumped.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(steps.into_iter().all(|step| (1..=3).contains(&step)));
        assert!(port.hold_clocks - held <= 8 * dumped.len() as u64);
        let expected = match found {
            Some(slot) => [0, slot + 1, slot, key as u32, value as u32],
            None => [Answer::Missing.code(), slots, handle, 1, 2],
        };
        assert_eq!(status, expected[0]);
        let registers = [
            register::MAP_SLOT,
            register::MAP_HANDLE,
            register::KEY,
            register::VALUE,
        ];
        assert_eq!(registers.map(|address| port.read(address)), expected[1..]);
    }
    // Behind the last slot nothing is, and a slot that no table has stays as it is.
    port.answer.0 = Answer::BadIndex.code().into();
    port.write(register::MAP_SLOT, 0xffff_fff0);
    assert_eq!(port.perform(command::NEXT), Answer::Missing.code());
    assert_eq!(port.read(register::MAP_SLOT), 0xffff_fff0);
}

fn operations(mut port: Port) {
    port.wait_for_sweep();
    let mut handle = 0;
    for round in 0..300 {
        // Also maps and commands that do not exist, those that look like others in their low bits among them.
        let map = *port
            .random
            .pick(&[0, 0, 1, 1, MAPS - 1, MAPS, 0x100, 1 << 31]);
        let code = *port.random.pick(&[
            command::LOOKUP,
            command::UPDATE,
            command::DELETE,
            command::DUMP,
            command::LOOKUP,
            command::UPDATE,
            0,
            command::NEXT + 1,
            7,
            8 + command::LOOKUP,
        ]);
        let mut words = Vec::new();
        for word in 0..7 {
            let data = port.random.next() as u32;
            words.push(data);
            let address = if word < 4 {
                register::KEY + 4 * word
            } else {
                register::VALUE + 4 * (word - 4)
            };
            port.write(address, data);
        }
        words[3] &= 0xff;
        words[6] &= 0xffff;
        let (may, slot) = (port.random.next() as u32, port.random.next() as u32);
        port.write(register::MAP_MAY, may);
        port.write(register::MAP_SLOT, slot);
        port.write(register::MAP_SELECT, map);
        let answer = if port.random.below(3) == 0 {
            1 + port.random.below(5)
        } else {
            0
        };
        let value = vec![port.random.next(), port.random.next() & 0xffff];
        let key = vec![
            port.random.next(),
            port.random.next() & (u64::MAX >> (128 - KEY_BITS)),
        ];
        port.answer = (answer, value.clone(), key.clone());
        port.handle = port.random.below(1 << SLOT_BITS);
        let (before, held) = (port.injected, port.hold_clocks);
        port.seen = None;
        let status = port.perform(code);
        if map >= MAPS || !(command::LOOKUP..=command::DUMP).contains(&code) {
            assert_eq!(
                (status, port.injected),
                (Answer::Refused.code(), before),
                "map {map:#x}, command {code}: one does not exist"
            );
            continue;
        }
        if answer == 0 {
            let mask = (1 << SLOT_BITS) - 1;
            handle = match code {
                command::DUMP => slot & mask,
                _ => port.handle as u32,
            };
        }
        assert_eq!(port.read(register::MAP_HANDLE), handle);
        assert_eq!(port.read(register::MAP_SLOT), slot);
        assert_eq!(
            (u64::from(status), port.injected),
            (answer, before + 1),
            "round {round}"
        );
        assert!(
            port.hold_clocks - held <= 8,
            "the entrance is held for {} clocks",
            port.hold_clocks - held
        );
        let dump = code == command::DUMP;
        let double = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let seen = Seen {
            map: map.into(),
            command: code.into(),
            may: May::from_bits(may).bits().into(),
            slot: slot.into(),
            index: if dump { slot.into() } else { words[0].into() },
            key: vec![double(words[0], words[1]), double(words[2], words[3])],
            value: vec![double(words[4], words[5]), words[6].into()],
        };
        assert_eq!(port.seen.take(), Some(seen));
        // A lookup gives a value, a dump a key, too; what failed gives nothing.
        let gives = answer == 0 && (dump || code == command::LOOKUP);
        let expected_value = if gives {
            value
        } else {
            vec![double(words[4], words[5]), words[6].into()]
        };
        let expected_key = if answer == 0 && dump {
            key
        } else {
            vec![double(words[0], words[1]), double(words[2], words[3])]
        };
        for word in 0..3 {
            let expected = (expected_value[word / 2] >> (32 * (word % 2))) as u32;
            assert_eq!(port.read(register::VALUE + 4 * word as u32), expected);
        }
        for word in 0..4 {
            let expected = (expected_key[word / 2] >> (32 * (word % 2))) as u32;
            assert_eq!(port.read(register::KEY + 4 * word as u32), expected);
        }
    }
}

#[test]
fn nothing_changes_while_an_operation_runs() {
    let mut port = Port::new(4);
    port.wait_for_sweep();
    port.write(register::KEY, 11);
    port.write(register::MAP_SELECT, 1);
    let mut refused = 0;
    for _ in 0..50 {
        port.seen = None;
        port.write(register::MAP_COMMAND, command::UPDATE);
        // These come while it is busy: the bench checks that the registers stand still.
        let before = port.injected;
        for address in [
            register::KEY,
            register::VALUE,
            register::MAP_SELECT,
            register::MAP_MAY,
            register::MAP_SLOT,
            register::MAP_COMMAND,
        ] {
            if port.read(register::MAP_STATUS) >> 31 == 1 {
                let data = port.random.next() as u32 & 3;
                let response = port.write_with(address, data, 15, [0, 0, 0]);
                refused += u32::from(response == SLVERR);
                // Only a command that was taken makes it busy again.
                let is_busy = port.read(register::MAP_STATUS) >> 31 == 1;
                if is_busy && address != register::MAP_COMMAND {
                    assert_eq!(response, SLVERR);
                }
            }
        }
        while port.read(register::MAP_STATUS) >> 31 == 1 {}
        assert!(port.injected <= before + 1);
        port.write(register::MAP_SELECT, 1);
    }
    assert!(refused >= 50, "{refused} writes were refused");
}

#[test]
fn an_operation_waits_for_the_sweep() {
    let mut port = Port::new(5);
    for round in 0..5 {
        port.write(register::MAP_SELECT, 0);
        port.write(register::MAP_COMMAND, command::UPDATE);
        let since = port.clock;
        while port.read(register::MAP_STATUS) >> 31 == 1 {
            assert!(port.clock - since < SWEEP + 60);
        }
        assert_eq!(port.injected, round + 1);
        port.bench.reset(1 + round as u32);
        port.done_at = None;
        port.seen = None;
    }
}

/// A reset ends an operation that is on its way.
#[test]
fn a_reset_forgets_the_operation() {
    let mut port = Port::new(6);
    for wait in 0..16 {
        port.wait_for_sweep();
        port.write_with(register::MAP_COMMAND, command::LOOKUP, 15, [0, 0, 0]);
        for _ in 0..wait {
            port.step();
        }
        port.bench.reset(1);
        port.done_at = None;
        port.seen = None;
        let before = port.injected;
        assert_eq!(port.read(register::MAP_STATUS), 0);
        port.clock = 0;
        port.wait_for_sweep();
        for _ in 0..30 {
            port.step();
        }
        assert_eq!(port.injected, before);
    }
}

#[test]
fn counters_count() {
    let mut port = Port::new(7);
    port.strobes_now = true;
    for _ in 0..20 {
        for _ in 0..100 {
            port.step();
        }
        port.strobes_now = false;
        // The round of turns after the last event.
        for _ in 0..8 {
            port.step();
        }
        for (address, name) in [
            (register::PACKETS_IN, "packet_in"),
            (register::DROPPED_BAD, "dropped_bad"),
            (register::DROPPED_LENGTH, "dropped_length"),
        ] {
            assert_eq!(port.counter(address), port.strobes[name], "{name}");
        }
        for (number, count) in port.outcomes.into_iter().enumerate() {
            let address = register::OUTCOMES + 8 * number as u32;
            assert_eq!(port.counter(address), count, "outcome {number}");
        }
        port.strobes_now = true;
    }
    port.bench.reset(1);
    port.strobes_now = false;
    for number in 0..8 {
        assert_eq!(port.counter(register::PACKETS_IN + 8 * number), 0);
    }
}

/// Counters that only some designs have stand behind the others.
#[test]
fn further_counters_count() {
    let mut port = Port::of(9, false, EVENTS as u32);
    let mut expected = [0; EVENTS];
    port.strobes_now = true;
    for _ in 0..1500 {
        for (number, count) in expected.iter_mut().enumerate() {
            let strobe = port.random.below(number as u64 + 1) == 0;
            port.bench.set(&format!("event_{number}"), strobe.into());
            *count += u64::from(strobe);
        }
        port.step();
    }
    port.strobes_now = false;
    for number in 0..EVENTS {
        port.bench.set(&format!("event_{number}"), 0);
    }
    // The round of turns after the last event.
    for _ in 0..32 {
        port.step();
    }
    for (number, count) in expected.into_iter().enumerate() {
        let address = register::EVENTS + 8 * number as u32;
        assert_eq!(port.counter(address), count, "event {number}");
    }
    assert_eq!(
        port.counter(register::PACKETS_IN),
        port.strobes["packet_in"]
    );
    let outcome = register::OUTCOMES + 32;
    assert_eq!(port.counter(outcome), port.outcomes[4]);
    for behind in [register::EVENTS + 8 * EVENTS as u32, 0xf8] {
        assert_eq!(port.read_with(behind), (0, SLVERR), "{behind:#x}");
    }
}

/// Reads and writes at once do not disturb each other.
#[test]
fn both_directions_at_once() {
    let mut port = Port::new(8);
    port.write(register::MAP_MAY, 2);
    for data in 0..100u32 {
        port.bench.set("s_axil_arvalid", 1);
        port.bench.set("s_axil_araddr", register::MAP_MAY.into());
        port.bench.set("s_axil_rready", 1);
        port.write(register::MAP_SLOT, data);
        port.bench.set("s_axil_arvalid", 0);
        for _ in 0..4 {
            port.step();
            if port.bench.get("s_axil_rvalid") == 1 {
                assert_eq!(port.bench.get("s_axil_rdata"), 2);
            }
        }
        assert_eq!(port.read(register::MAP_SLOT), data);
    }
}

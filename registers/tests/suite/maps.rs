//! Maps over a bus that behaves: against a map in software.

use crate::port::Port;
use hardpath_registers::{
    command, register, Access, Answer, Bus, Design, Driver, Entries, Exchange, Foreign,
    HostOperation, KeyBits, Map, May, Operate,
};

/// Keys of three bytes and values of five; and keys of which a byte is constant, in a map that is soon full.
pub fn design() -> Design {
    let map = |select, name: &str, stored: KeyBits, value_bytes, max_entries, slots| Map {
        select,
        name: name.into(),
        kind: "hash".into(),
        key_bytes: stored.bits() / 8,
        stored,
        value_bytes,
        max_entries,
        slots,
    };
    let constant = KeyBits::new(vec![0, 0, 0, 0, 0xff, 0], &[0, 0, 0, 0, 17, 0]);
    Design {
        name: "flows".into(),
        design_id: 0x1234_5678,
        has_port_table: true,
        outcomes: Vec::new(),
        maps: vec![
            map(0, "seen", KeyBits::all_vary(3), 5, 40, 48),
            map(1, "open", constant, 8, 6, 9),
        ],
    }
}

/// Numbers that look random (xorshift).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, most: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as u32 % most
    }
}

/// What a table answers to an update.
fn update(model: &mut Entries, shape: &Map, (key, value): (&[u8], &[u8]), may: May) -> Answer {
    let is_full = model.len() == shape.max_entries as usize;
    match model.contains_key(key) {
        _ if may == May::NOTHING => Answer::Refused,
        true if !may.replace => Answer::Exists,
        false if !may.create => Answer::Missing,
        false if is_full => Answer::Full,
        _ => {
            model.insert(key.to_vec(), value.to_vec());
            Answer::Done
        }
    }
}

#[test]
fn maps_are_as_software_has_them() {
    let design = design();
    let mut port = Port::new(&design);
    port.sweep = 7;
    let mut driver = Driver::attach(port, design.clone()).unwrap();
    let mut models = [Entries::new(), Entries::new()];
    let mut random = Random(7);
    let [mut foreign, mut full] = [0, 0];
    for _ in 0..20_000 {
        let map = random.below(2) as usize;
        let (shape, model) = (&design.maps[map], &mut models[map]);
        let mut key = vec![0; shape.key_bytes as usize];
        key[0] = random.below(5) as u8;
        key[2] = random.below(5) as u8 * 51;
        if map == 1 {
            key[4] = 17 + random.below(3) as u8 / 2;
            foreign += u32::from(shape.stored.is_foreign(&key));
        }
        match random.below(3) {
            0 => {
                let found = driver.lookup(map, &key).unwrap();
                assert_eq!(found.as_ref(), model.get(&key));
            }
            1 => {
                let bytes = (0..shape.value_bytes).map(|_| random.below(256) as u8);
                let value: Vec<u8> = bytes.collect();
                let how = May::from_bits(random.below(4));
                let expected = update(model, shape, (&key, &value), how);
                full += u32::from(expected == Answer::Full);
                let given = driver.update(map, &key, &value, how).unwrap();
                assert_eq!(given, expected, "{key:?} {how:?}");
            }
            _ => {
                let expected = match model.remove(&key) {
                    Some(_) => Answer::Done,
                    None => Answer::Missing,
                };
                assert_eq!(driver.delete(map, &key).unwrap(), expected);
            }
        }
        if random.below(100) == 0 {
            assert_eq!(driver.dump(map).unwrap(), models[map]);
        }
    }
    assert!(foreign > 1000 && full > 300, "{foreign} {full}");
}

#[test]
fn a_reset_takes_what_the_host_keeps() {
    let design = design();
    let mut driver = Driver::attach(Port::new(&design), design.clone()).unwrap();
    let foreign = [1, 2, 3, 4, 99, 0];
    let given = driver.update(1, &foreign, &[7; 8], May::PUT).unwrap();
    assert_eq!(given, Answer::Done);
    assert_eq!(driver.lookup(1, &foreign).unwrap(), Some(vec![7; 8]));
    assert_eq!(driver.dump(1).unwrap().len(), 1);
    driver.was_reset();
    assert_eq!(driver.lookup(1, &foreign).unwrap(), None);
    assert!(driver.dump(1).unwrap().is_empty());
}

fn write(address: u32, data: u32) -> Access {
    Access::Write { address, data }
}

fn read(address: u32) -> Access {
    Access::Read { address }
}

/// The accesses of each operation in their order, which recorded runs have in them, too.
#[test]
fn operations_are_these_accesses() {
    let key = vec![1, 2, 3];
    let (map, value) = (0, vec![4, 5, 6, 7, 8]);
    let select = write(register::MAP_SELECT, 0);
    let of_key = write(register::KEY, 0x0003_0201);
    let starts = |number| write(register::MAP_COMMAND, number);
    let status = read(register::MAP_STATUS);
    let values = [read(register::VALUE), read(register::VALUE + 4)];
    let update = HostOperation::Update {
        map,
        key: key.clone(),
        value,
        may: May::REPLACE,
    };
    let lookup = HostOperation::Lookup {
        map,
        key: key.clone(),
    };
    let expected = [
        (
            update,
            vec![
                select,
                of_key,
                write(register::VALUE, 0x0706_0504),
                write(register::VALUE + 4, 8),
                write(register::MAP_MAY, 2),
                starts(command::UPDATE),
                status,
            ],
        ),
        (
            lookup,
            vec![
                select,
                of_key,
                starts(command::LOOKUP),
                status,
                values[0],
                values[1],
            ],
        ),
        (
            HostOperation::Delete { map, key },
            vec![select, of_key, starts(command::DELETE), status],
        ),
        (
            HostOperation::Dump { map, slot: 9 },
            vec![
                select,
                write(register::MAP_SLOT, 9),
                starts(command::DUMP),
                status,
                read(register::KEY),
                values[0],
                values[1],
            ],
        ),
        (
            HostOperation::Next { map, slot: 9 },
            vec![
                select,
                write(register::MAP_SLOT, 9),
                starts(command::NEXT),
                status,
                read(register::MAP_HANDLE),
                read(register::KEY),
                values[0],
                values[1],
            ],
        ),
        (HostOperation::ReadRegister { address: 8 }, vec![read(8)]),
        (
            HostOperation::WriteRegister {
                address: 0x104,
                data: 3,
            },
            vec![write(0x104, 3)],
        ),
    ];
    let maps = design().maps;
    for (operation, accesses) in expected {
        let mut exchange = Exchange::new(&maps, &Foreign::default(), operation).unwrap();
        for access in accesses {
            assert_eq!(exchange.wanted(), Some(access));
            // Busy for a while: the status is wanted again.
            if exchange.is_polling() {
                for polls in 0..3 {
                    assert_eq!(exchange.polls(), polls);
                    exchange.take(0x8000_0016).unwrap();
                    assert_eq!(exchange.wanted(), Some(access));
                }
            }
            exchange.take(0).unwrap();
        }
        assert_eq!(exchange.wanted(), None);
    }
}

/// What failed gives nothing, so nothing is read.
#[test]
fn a_failed_command_ends_at_its_status() {
    let maps = design().maps;
    let dump = HostOperation::Dump { map: 1, slot: 5 };
    let mut exchange = Exchange::new(&maps, &Foreign::default(), dump).unwrap();
    while !exchange.is_polling() {
        exchange.take(0).unwrap();
    }
    exchange.take(Answer::Missing.code()).unwrap();
    assert_eq!(exchange.wanted(), None);
    let answer = exchange.finish(&mut Foreign::default()).unwrap();
    assert_eq!(answer.answer, Answer::Missing);
    assert_eq!((answer.key, answer.value), (vec![], vec![]));
}

/// Who carries out one access now and then comes to the same as who waits for each.
#[test]
fn an_exchange_needs_no_driver() {
    let design = design();
    let mut driver = Driver::new(Port::new(&design), design.clone());
    let mut port = Port::new(&design);
    let mut foreign = Foreign::default();
    let mut random = Random(3);
    for _ in 0..2000 {
        let map = 1;
        let key = vec![
            random.below(4) as u8,
            0,
            0,
            0,
            16 + random.below(2) as u8,
            0,
        ];
        let operation = match random.below(5) {
            4 => HostOperation::Next {
                map,
                slot: random.below(10),
            },
            0 => HostOperation::Lookup { map, key },
            1 => HostOperation::Delete { map, key },
            2 => HostOperation::Dump {
                map,
                slot: random.below(10),
            },
            _ => HostOperation::Update {
                map,
                key,
                value: vec![random.below(256) as u8; 8],
                may: May::from_bits(1 + random.below(3)),
            },
        };
        port.busy = u64::from(random.below(3));
        let mut exchange = Exchange::new(&design.maps, &foreign, operation.clone()).unwrap();
        while let Some(access) = exchange.wanted() {
            let word = match access {
                Access::Read { address } => port.read32(address.into()).unwrap(),
                Access::Write { address, data } => {
                    port.write32(address.into(), data).unwrap();
                    // Of a write anything may be told.
                    random.below(u32::MAX)
                }
            };
            exchange.take(word).unwrap();
        }
        let given = exchange.finish(&mut foreign).unwrap();
        assert_eq!(given, driver.perform(operation).unwrap());
    }
    let is_poll = |access: &Access| *access == read(register::MAP_STATUS);
    port.log.retain(|access| !is_poll(access));
    let mut log = driver.into_bus().log;
    log.retain(|access| !is_poll(access));
    assert_eq!(port.log, log);
}

/// The low word latches the high one, whatever is counted in between.
#[test]
fn counters_are_whole() {
    let mut design = design();
    design.maps.clear();
    let mut port = Port::new(&design);
    let counts = [1, 2, 3, 4, 5, 6, 7, 8].map(|number| number << 33 | 0xffff_fff0 | number);
    port.counters = counts;
    let mut driver = Driver::attach(port, design).unwrap();
    let counters = driver.counters().unwrap();
    for (place, given) in counters.in_order().into_iter().enumerate() {
        let before = place as u64 * 0x8000_0001;
        assert_eq!(given, counts[place] + before, "counter {place}");
    }
}

#[test]
fn ports_have_an_ifindex_and_a_first_queue() {
    let design = design();
    let mut driver = Driver::attach(Port::new(&design), design).unwrap();
    for port in 0..16 {
        driver
            .set_port(port, 100 + u32::from(port), 8 * u32::from(port))
            .unwrap();
    }
    let port = driver.into_bus();
    let expected: Vec<[u32; 2]> = (0..16).map(|port| [100 + port, 8 * port]).collect();
    assert_eq!(port.ports[..], expected);
}

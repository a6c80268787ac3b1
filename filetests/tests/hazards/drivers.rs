//! Drivers as a host links them, over the pins of designs with maps of every kind: whether a design is the one that is described
//! is found out, and what is put in is there.

use crate::case;
use crate::known_programs::sizes;
use hardpath_blocks::interface::Interface;
use hardpath_filetests::case::read;
use hardpath_pipeline::{compile, Options};
use hardpath_registers::{
    AddressSpace, AtFailure, Bus, Cause, Design, Driver, Entries, HostOperation, May, Operate,
    SPACE,
};
use hardpath_testbed::native::Native;
use hardpath_testbed::pins::Pins;
use hardpath_testbed::{contents, host};

/// A program in hardware, out of reset.
fn hardware(text: &str) -> (Native, Interface) {
    let compiled = compile(read(text), &Options::default());
    let compiled = compiled.unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    let mut native = Native::new(&compiled.design).expect("the simulator takes it");
    host::reset(&mut native, &compiled.interface).expect("it becomes ready");
    (native, compiled.interface)
}

/// The program reads a constant byte of its keys, so there are foreign ones.
fn with_foreign_keys() -> String {
    sizes(3, 5, 6).replace(
        "    v20:24 = slice v1, 0",
        "    v19:16 = slice v1, 0\n    v18:8 = const 0x5a\n    v20:24 = concat v18, v19",
    )
}

/// Puts entries in, and removes one; what must be there then.
fn fill<B: Bus<Error: std::fmt::Debug>>(driver: &mut Driver<B>, map: usize) -> Entries {
    let shape = driver.design().maps[map].clone();
    let mut entries = match shape.kind.contains("array") {
        true => driver.dump(map).unwrap(),
        false => Entries::new(),
    };
    let zeros = entries.len();
    let mut taken = 0;
    // A map that forgets has room for two keys, wherever they stand.
    let keys = match shape.kind.starts_with("lru_") {
        true => 2,
        false => shape.max_entries as u8 + 2,
    };
    for number in 0..keys {
        let mut key = vec![0; shape.key_bytes as usize];
        match shape.kind.as_str() {
            // Prefixes of 8 bits.
            "prefix" => [key[0], key[4]] = [8, number],
            // The first byte counts, and the exact field always does.
            "ternary" => [key[0], key[8], key[14]] = [number, 0xff, 7],
            _ => key[0] = number,
        }
        // Every other key is one that the design stores, where it does not store all.
        if number % 2 == 1 {
            let constants = key.iter_mut().zip(shape.stored.values());
            constants.for_each(|(byte, constant)| *byte |= constant);
        }
        let mut value = vec![0; shape.value_bytes as usize];
        value[0] = number + 1;
        if driver
            .update(map, &key, &value, May::PUT)
            .unwrap()
            .is_done()
        {
            taken += 1;
            entries.insert(key.clone(), value.clone());
        }
        let found = driver.lookup(map, &key).unwrap();
        assert_eq!(found.as_ref(), entries.get(&key), "{} {key:?}", shape.name);
    }
    assert!(
        taken > 1 && entries.len() >= zeros,
        "{}: {taken}",
        shape.name
    );
    let first = entries.keys().next().expect("some were taken").clone();
    if driver.delete(map, &first).unwrap().is_done() {
        entries.remove(&first);
    }
    entries
}

#[test]
fn a_driver_finds_its_way_in_maps_of_every_kind() {
    let programs = [
        case("hash_everything", &[("ENTRIES", "16")]),
        case("forgetful", &[("ENTRIES", "6")]),
        case("array_update", &[]),
        case("double", &[("ENTRIES", "5")]),
        case("destinations", &[]),
        case("routes", &[("ENTRIES", "6")]),
        case("filter", &[("ENTRIES", "5")]),
        case("two_hashes", &[("SECOND", "late")]),
        case("silent", &[]),
        with_foreign_keys(),
    ];
    let mut kinds = Vec::new();
    let mut kept = 0;
    for text in programs {
        let (mut native, interface) = hardware(&text);
        let design = interface.design();
        let pins = Pins::new(&mut native).unwrap();
        let mut driver = Driver::attach(pins, design.clone()).unwrap();
        let mut expected = Vec::new();
        for map in 0..design.maps.len() {
            kinds.push(design.maps[map].kind.clone());
            let entries = fill(&mut driver, map);
            assert_eq!(driver.dump(map).unwrap(), entries, "{text}");
            walk(&mut driver, map);
            in_a_row(&mut driver, map);
            expected.push(entries);
        }
        // The host keeps what the design does not store.
        for (map, entries) in expected.iter_mut().enumerate() {
            let all = entries.len();
            entries.retain(|key, _| !design.maps[map].stored.is_foreign(key));
            kept += all - entries.len();
        }
        drop(driver);
        // Memories of masks and priorities do not show what a dump does.
        let shown = interface.maps.iter().all(|map| map.storage.is_some());
        let image = contents::read(&native, &interface).unwrap();
        assert_eq!(image.is_some(), shown, "{text}");
        if let Some(image) = image {
            let stored = design.maps.iter().map(|map| image[&map.name].clone());
            assert_eq!(stored.collect::<Vec<_>>(), expected, "{text}");
        }
        other_maps(&mut native, &design);
    }
    assert!(kept > 1, "{kept}");
    for kind in [
        "exact",
        "lru_hash",
        "array",
        "percpu_array",
        "devmap",
        "prefix",
        "ternary",
    ] {
        assert!(kinds.iter().any(|one| one == kind), "{kind}");
    }
}

/// Going through the entries gives those of a dump that the design has, each in its slot; and operations on a key say in which slot
/// it is.
fn walk<B: Bus<Error: std::fmt::Debug>>(driver: &mut Driver<B>, map: usize) {
    let shape = driver.design().maps[map].clone();
    let mut left = driver.dump(map).unwrap();
    left.retain(|key, _| !shape.stored.is_foreign(key));
    let mut slot = 0;
    while let Some(taken) = driver.next_entry(map, slot).unwrap() {
        let (name, key) = (&shape.name, &taken.key);
        assert_eq!(driver.handle().unwrap(), Some(taken.slot), "{name} {key:?}");
        assert_eq!(left.remove(key).as_ref(), Some(&taken.value), "{name}");
        let there = driver.entry(map, taken.slot).unwrap();
        assert_eq!(there.as_ref(), Some(&taken));
        for before in slot..taken.slot {
            assert_eq!(driver.entry(map, before).unwrap(), None, "{name} {before}");
        }
        let value = driver.lookup(map, key).unwrap();
        assert_eq!(value.as_ref(), Some(&taken.value), "{name} {key:?}");
        assert_eq!(driver.handle().unwrap(), Some(taken.slot), "{name} {key:?}");
        let may = May::REPLACE;
        let given = driver.update(map, key, &taken.value, may).unwrap();
        let handle = given.is_done().then_some(taken.slot);
        assert_eq!(driver.handle().unwrap(), handle, "{name} {key:?}");
        slot = taken.slot + 1;
    }
    assert!(left.is_empty(), "{}: {left:?}", shape.name);
    assert_eq!(driver.next_entry(map, shape.slots).unwrap(), None);
    assert_eq!(driver.next_entry(map, u32::MAX).unwrap(), None);
}

/// Entries go out and in again in a row, those that are there already fail; what the map holds is the same at the end.
fn in_a_row<B: Bus<Error: std::fmt::Debug>>(driver: &mut Driver<B>, map: usize) {
    let before = driver.dump(map).unwrap();
    let update = |(key, value): (&Vec<u8>, &Vec<u8>), may| HostOperation::Update {
        map,
        key: key.clone(),
        value: value.clone(),
        may,
    };
    let creates = before.iter().map(|entry| update(entry, May::CREATE));
    let creates: Vec<HostOperation> = creates.collect();
    let stopped = driver.batch(creates.clone(), AtFailure::Stop).unwrap();
    assert_eq!((stopped.answers.len(), stopped.failed()), (1, Some(0)));
    let all = driver.batch(creates.clone(), AtFailure::GoOn).unwrap();
    assert_eq!((all.answers.len(), all.done()), (before.len(), 0));
    let keys = before.keys().cloned();
    let deletes = keys.clone().map(|key| HostOperation::Delete { map, key });
    let deleted = driver.batch(deletes, AtFailure::GoOn).unwrap();
    let created = driver.batch(creates, AtFailure::GoOn).unwrap();
    assert_eq!(created.done(), deleted.done());
    let lookups = keys.map(|key| HostOperation::Lookup { map, key });
    let found = driver.batch(lookups, AtFailure::Stop).unwrap();
    let values = found.answers.into_iter().map(|answer| answer.value);
    assert_eq!(
        values.collect::<Vec<_>>(),
        before.values().cloned().collect::<Vec<_>>()
    );
    assert_eq!(driver.dump(map).unwrap(), before);
}

/// Descriptions that are wrong in the number of maps or of slots.
fn other_maps(native: &mut Native, design: &Design) {
    let mut wrong = vec![design.clone(); 3];
    wrong[0].maps[0].slots += 1;
    wrong[1].maps[0].slots -= 1;
    wrong[2].maps.push(hardpath_registers::Map {
        select: design.maps.len() as u32,
        ..design.maps[0].clone()
    });
    if design.maps.len() > 1 {
        let mut fewer = design.clone();
        fewer.maps.pop();
        wrong.push(fewer);
    }
    for other in wrong {
        let mut driver = Driver::new(Pins::new(native).unwrap(), other.clone());
        let error = driver.check_maps().expect_err("other maps");
        let Cause::Fault(fault) = &error.cause else {
            panic!("{error}");
        };
        assert_eq!(fault.code(), "not-this-design", "{other:?}");
    }
    let mut driver = Driver::new(Pins::new(native).unwrap(), design.clone());
    driver.check_maps().expect("it is right");
}

/// An address decoder with designs behind it, one at each multiple of [`SPACE`].
struct Decoder<'a>(Vec<Pins<'a>>);

impl<'a> Decoder<'a> {
    /// The design at an address, and the address inside of it.
    fn find(&mut self, address: u64) -> Result<(&mut Pins<'a>, u64), String> {
        let [place, inside] = [address / u64::from(SPACE), address % u64::from(SPACE)];
        let pins = self.0.get_mut(place as usize);
        let pins = pins.ok_or(format!("nothing stands at {address:#x}"))?;
        Ok((pins, inside))
    }
}

impl Bus for Decoder<'_> {
    type Error = String;

    fn read32(&mut self, address: u64) -> Result<u32, String> {
        let (pins, inside) = self.find(address)?;
        pins.read32(inside).map_err(|error| error.to_string())
    }

    fn write32(&mut self, address: u64, data: u32) -> Result<(), String> {
        let (pins, inside) = self.find(address)?;
        let taken = pins.write32(inside, data);
        taken.map_err(|error| error.to_string())
    }
}

#[test]
fn two_designs_stand_in_one_address_space() {
    let (mut first, flows) = hardware(&case("hash_everything", &[("ENTRIES", "16")]));
    let (mut second, states) = hardware(&case("array_update", &[]));
    let pins = [&mut first, &mut second].map(|native| Pins::new(native).unwrap());
    let size = u64::from(SPACE);
    let space = AddressSpace::new(Decoder(Vec::from(pins)), 3 * size);
    let at_flows = space.place("flows", 0).unwrap();
    let at_states = space.place("states", size).unwrap();
    let at_nothing = space.place("nothing", 2 * size).unwrap();
    // Each is told from the other.
    let swapped = Driver::new(at_states.clone(), flows.design()).identify();
    let cause = swapped.expect_err("another design").cause;
    assert!(matches!(cause, Cause::Fault(fault) if fault.code() == "not-this-design"));
    let nothing = Driver::attach(at_nothing, flows.design()).err();
    let text = nothing.expect("nothing is there").to_string();
    let words = "address 0x20000 of the bus, of design nothing: nothing stands at 0x20000";
    assert!(text.contains(words), "{text}");

    let mut flows = Driver::attach(at_flows, flows.design()).unwrap();
    let mut states = Driver::attach(at_states, states.design()).unwrap();
    let [in_flows, in_states] = [fill(&mut flows, 0), fill(&mut states, 0)];
    assert_eq!(flows.dump(0).unwrap(), in_flows);
    assert_eq!(states.dump(0).unwrap(), in_states);
}

//! Going through the entries of maps, handles, and operations in a row.

use crate::maps::{design, Random};
use crate::port::{Port, FIRST_VERSION};
use hardpath_registers::{
    command, register, Access, Answer, AtFailure, Batch, Cause, Driver, Fault, HostOperation, May,
    Operate,
};

/// Entries in some slots of the first map, and a foreign key in the second one.
fn filled(version: u32) -> Driver<Port> {
    let design = design();
    let mut port = Port::new(&design);
    port.version = version;
    let mut driver = Driver::attach(port, design).unwrap();
    for number in 0..12 {
        let key = [number, 0, 3 * number];
        let given = driver.update(0, &key, &[number; 5], May::PUT).unwrap();
        assert_eq!(given, Answer::Done);
    }
    let foreign = [1, 2, 3, 4, 99, 0];
    driver.update(1, &foreign, &[7; 8], May::PUT).unwrap();
    driver
}

/// So many commands were started since the log was cleared.
fn commands(driver: &mut Driver<Port>, of: impl FnOnce(&mut Driver<Port>)) -> Vec<Access> {
    driver.bus_mut().log.clear();
    of(driver);
    std::mem::take(&mut driver.bus_mut().log)
}

fn starts(log: &[Access], number: u32) -> usize {
    let address = register::MAP_COMMAND;
    let data = number;
    let start = Access::Write { address, data };
    log.iter().filter(|access| **access == start).count()
}

#[test]
fn a_dump_takes_as_many_operations_as_there_are_entries() {
    let mut driver = filled(hardpath_registers::VERSION);
    let log = commands(&mut driver, |driver| {
        assert_eq!(driver.dump(0).unwrap().len(), 12);
    });
    // The last one finds nothing more, or is not needed because the last slot holds an entry.
    assert!((12..=13).contains(&starts(&log, command::NEXT)));
    assert_eq!(starts(&log, command::DUMP), 0);
    // Where the next entry is looked for, the design knows.
    let writes = |address: u32| {
        let is_one = |access: &&Access| matches!(access, Access::Write { address: at, .. } if *at == address);
        log.iter().filter(is_one).count()
    };
    let selects = [register::MAP_SELECT, register::MAP_SLOT].map(writes);
    assert_eq!(selects, [1, 1]);
    assert_eq!(driver.dump(1).unwrap().len(), 1);
}

#[test]
fn a_design_of_before_is_asked_slot_by_slot() {
    let mut driver = filled(FIRST_VERSION);
    let mut expected = filled(hardpath_registers::VERSION);
    let log = commands(&mut driver, |driver| {
        assert_eq!(driver.dump(0).unwrap(), expected.dump(0).unwrap());
    });
    assert_eq!(starts(&log, command::DUMP), 48);
    assert_eq!(starts(&log, command::NEXT), 0);
    let [mut slot, mut seen] = [0, 0];
    while let Some(taken) = expected.next_entry(0, slot).unwrap() {
        assert_eq!(driver.next_entry(0, slot).unwrap().as_ref(), Some(&taken));
        assert_eq!(driver.entry(0, taken.slot).unwrap().as_ref(), Some(&taken));
        slot = taken.slot + 1;
        seen += 1;
    }
    assert_eq!(seen, 12);
    assert_eq!(driver.next_entry(0, slot).unwrap(), None);
    for driver in [&mut driver, &mut expected] {
        assert_eq!(driver.next_entry(0, 48).unwrap(), None);
        assert_eq!(driver.next_entry(1, 0).unwrap(), None);
    }
    driver.lookup(0, &[1, 0, 3]).unwrap();
    assert_eq!(driver.handle().unwrap(), None);
}

#[test]
fn an_entry_has_a_handle_until_it_is_gone() {
    let mut driver = filled(hardpath_registers::VERSION);
    let key = [5, 0, 15];
    let value = driver.lookup(0, &key).unwrap().unwrap();
    let handle = driver.handle().unwrap().expect("it was found");
    let taken = driver.entry(0, handle).unwrap().expect("it is there");
    assert_eq!((&taken.key[..], &taken.value), (&key[..], &value));
    assert_eq!(driver.handle().unwrap(), Some(handle));
    driver.update(0, &key, &[9; 5], May::REPLACE).unwrap();
    assert_eq!(driver.handle().unwrap(), Some(handle));
    assert_eq!(driver.entry(0, handle).unwrap().unwrap().value, [9; 5]);
    // What is not done has none.
    driver.lookup(0, &[200, 0, 0]).unwrap();
    assert_eq!(driver.handle().unwrap(), None);
    driver.lookup(1, &[1, 2, 3, 4, 99, 0]).unwrap();
    assert_eq!(driver.handle().unwrap(), None);
    driver.delete(0, &key).unwrap();
    assert_eq!(driver.handle().unwrap(), Some(handle));
    assert_eq!(driver.entry(0, handle).unwrap(), None);
    assert!(matches!(
        driver.entry(0, 48).unwrap_err().cause,
        Cause::Fault(Fault::Slot {
            answer: Answer::BadIndex,
            ..
        })
    ));
}

fn update(key: [u8; 3], may: May) -> HostOperation {
    HostOperation::Update {
        map: 0,
        key: key.to_vec(),
        value: vec![1, 2, 3, 4, key[0]],
        may,
    }
}

#[test]
fn operations_in_a_row_stop_or_go_on() {
    let mut driver = filled(hardpath_registers::VERSION);
    let operations = [
        update([100, 0, 0], May::CREATE),
        update([101, 0, 0], May::CREATE),
        update([1, 0, 3], May::CREATE),
        update([102, 0, 0], May::CREATE),
    ];
    let batch = driver.batch(operations.clone(), AtFailure::Stop).unwrap();
    let answers = |batch: &Batch| -> Vec<Answer> {
        let answers = batch.answers.iter();
        answers.map(|answer| answer.answer).collect()
    };
    assert_eq!(
        answers(&batch),
        [Answer::Done, Answer::Done, Answer::Exists]
    );
    assert_eq!((batch.done(), batch.failed()), (2, Some(2)));
    let batch = driver.batch(operations, AtFailure::GoOn).unwrap();
    let exists = Answer::Exists;
    assert_eq!(answers(&batch), [exists, exists, exists, Answer::Done]);
    assert_eq!((batch.done(), batch.failed()), (1, Some(0)));
    let none = driver.batch([], AtFailure::GoOn).unwrap();
    assert_eq!((none.done(), none.failed()), (0, None));
}

#[test]
fn a_batch_that_breaks_off_says_what_was_done() {
    let mut driver = filled(hardpath_registers::VERSION);
    let map = 0;
    let key = vec![1];
    let operations = [
        update([100, 0, 0], May::PUT),
        HostOperation::Lookup { map, key },
        update([101, 0, 0], May::PUT),
    ];
    let stopped = driver.batch(operations, AtFailure::GoOn).unwrap_err();
    assert_eq!(stopped.batch.done(), 1);
    let text = stopped.to_string();
    assert!(
        text.starts_with("operation 1: flows: map seen: a key has 3 bytes, not 1"),
        "{text}"
    );
    assert_eq!(driver.lookup(0, &[101, 0, 0]).unwrap(), None);
}

/// Random operations in rows come to the same as one by one, with fewer writes.
#[test]
fn operations_in_a_row_are_those_one_by_one() {
    let design = design();
    let mut random = Random(11);
    let [mut alone, mut row] =
        [(); 2].map(|()| Driver::attach(Port::new(&design), design.clone()).unwrap());
    for _ in 0..500 {
        let operations: Vec<HostOperation> = (0..random.below(8))
            .map(|_| operation(&mut random))
            .collect();
        let expected = operations
            .iter()
            .map(|one| alone.perform(one.clone()).unwrap());
        let expected: Vec<_> = expected.collect();
        let batch = row.batch(operations, AtFailure::GoOn).unwrap();
        assert_eq!(batch.answers, expected);
    }
    for map in 0..2 {
        assert_eq!(row.dump(map).unwrap(), alone.dump(map).unwrap());
    }
    let writes = |driver: Driver<Port>| {
        let log = driver.into_bus().log.into_iter();
        log.filter(|access| matches!(access, Access::Write { .. }))
            .count()
    };
    let [alone, row] = [alone, row].map(writes);
    assert!(row * 6 < alone * 5, "{row} of {alone}");
}

fn operation(random: &mut Random) -> HostOperation {
    let map = usize::from(random.below(8) == 0);
    let mut key = vec![random.below(3) as u8, 0, random.below(2) as u8];
    if map == 1 {
        key.extend([0, 16 + random.below(2) as u8, 0]);
    }
    let slot = random.below(50);
    match random.below(6) {
        0 => HostOperation::Lookup { map, key },
        1 => HostOperation::Delete { map, key },
        2 => HostOperation::Dump { map, slot },
        3 => HostOperation::Next { map, slot },
        _ => HostOperation::Update {
            map,
            key,
            value: vec![random.below(2) as u8; [5, 8][map]],
            may: May::from_bits(random.below(4)),
        },
    }
}

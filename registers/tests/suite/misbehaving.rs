//! Buses and devices that misbehave: each gives an error that says where, what and what next.

use crate::maps::design;
use crate::port::{Port, Refused, FIRST_VERSION};
use hardpath_registers::{
    field, register, Access, Answer, Bus, Cause, Design, Driver, Error, Fault, HostOperation, May,
    Operate, VERSION,
};
use std::collections::VecDeque;
use std::fmt::Display;

/// A bus that answers what it was told to, whatever it is asked.
#[derive(Default)]
struct Scripted(VecDeque<Result<u32, &'static str>>);

impl Bus for Scripted {
    type Error = &'static str;

    fn read32(&mut self, _: u64) -> Result<u32, &'static str> {
        self.0.pop_front().unwrap_or(Err("the script is over"))
    }

    fn write32(&mut self, _: u64, _: u32) -> Result<(), &'static str> {
        self.0
            .pop_front()
            .unwrap_or(Err("the script is over"))
            .map(|_| ())
    }
}

fn scripted(answers: impl IntoIterator<Item = u32>) -> Driver<Scripted> {
    Driver::new(Scripted(answers.into_iter().map(Ok).collect()), design())
}

/// A device that is gone: a bus reads as ones where nothing answers, and takes all writes.
struct Gone;

impl Bus for Gone {
    type Error = Refused;

    fn read32(&mut self, _: u64) -> Result<u32, Refused> {
        Ok(u32::MAX)
    }

    fn write32(&mut self, _: u64, _: u32) -> Result<(), Refused> {
        Ok(())
    }
}

/// The code and the text of an error, which has all of `words` in it and says what to do next.
fn says<T, E: Display>(given: Result<T, Error<E>>, code: &str, words: &[&str]) {
    let Err(error) = given else {
        panic!("no error, where {code} should be");
    };
    let text = error.to_string();
    match &error.cause {
        Cause::Fault(fault) => assert_eq!(fault.code(), code, "{text}"),
        Cause::Bus { .. } => assert_eq!(code, "", "{text}"),
    }
    for word in words {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(
        text.starts_with("flows: ") && text.contains("\n  help: "),
        "{text}"
    );
}

/// Whichever access fails, the error names it.
#[test]
fn a_bus_that_fails_is_named_with_the_access() {
    let key = vec![1, 2, 3];
    let lookup = HostOperation::Lookup { map: 0, key };
    let names = [
        "the write to register 0x0200 (MAP_SELECT) fails: link down",
        "the write to register 0x1000 (KEY) fails: link down",
        "the write to register 0x0204 (MAP_COMMAND) fails: link down",
        "the read of register 0x0208 (MAP_STATUS) fails: link down",
        "the read of register 0x2000 (VALUE) fails: link down",
        "the read of register 0x2004 (VALUE) fails: link down",
    ];
    for (good, name) in names.into_iter().enumerate() {
        let mut driver = scripted(vec![0; good]);
        driver = Driver::new(
            {
                let mut bus = driver.into_bus();
                bus.0.push_back(Err("link down"));
                bus
            },
            design(),
        );
        says(driver.perform(lookup.clone()), "", &[name]);
    }
}

/// SLVERR from a device: what has no effect.
#[test]
fn a_refusal_is_an_error() {
    let mut other = design();
    other.maps[0].key_bytes = 12;
    let mut driver = Driver::new(Port::new(&other), design());
    let address = register::MAP_HANDLE + 4;
    let words = ["register 0x0218 (no register) fails: SLVERR", "refuses"];
    says(driver.read_register(address), "", &words);
    let words = ["write to register 0x0208 (MAP_STATUS) fails: SLVERR"];
    says(driver.write_register(register::MAP_STATUS, 1), "", &words);
}

#[test]
fn a_device_that_is_gone_is_noticed() {
    let gone = || Driver::new(Gone, design());
    let code = "host-port-error";
    says(
        gone().identify(),
        code,
        &["0x0000 (MAGIC)", "all ones", "loaded"],
    );
    says(Driver::attach(Gone, design()), code, &["0x0000 (MAGIC)"]);
    says(gone().wait_until_ready(), code, &["0x000c (STATUS)"]);
    says(gone().lookup(0, &[1, 2, 3]), code, &["0x0208 (MAP_STATUS)"]);
    says(gone().dump(1), code, &["0x0208 (MAP_STATUS)"]);
    says(gone().counters(), code, &["0x0010 (PACKETS_IN)"]);
}

#[test]
fn a_command_that_does_not_end_is_given_up() {
    let mut port = Port::new(&design());
    port.busy = u64::MAX;
    let mut driver = Driver::new(port, design());
    let words = [
        "the update of map open does not end: bit 31 of register 0x0208 (MAP_STATUS) is 1 after 50 reads",
        "reset",
    ];
    let key = [1, 1, 1, 1, 17, 1];
    says(
        driver.update(1, &key, &[0; 8], May::PUT),
        "host-port-hangs",
        &words,
    );
    let words = ["dump of slot 47 of map seen"];
    says(
        driver.check_maps(),
        "",
        &["0x0200 (MAP_SELECT) fails: SLVERR"],
    );
    let mut port = Port::new(&design());
    port.busy = u64::MAX;
    let mut driver = Driver::new(port, design());
    says(driver.check_maps(), "host-port-hangs", &words);
}

#[test]
fn a_sweep_that_does_not_end_is_given_up() {
    let mut port = Port::new(&design());
    port.sweep = u64::MAX;
    let words = [
        "bit 0 of register 0x000c (STATUS) is 0 after 50 reads",
        "clock",
    ];
    says(Driver::attach(port, design()), "design-hangs", &words);
    let mut port = Port::new(&design());
    port.sweep = 49;
    assert!(Driver::attach(port, design()).is_ok());
}

/// What the registers say to who asks for the design of [`design`].
fn identified(change: impl FnOnce(&mut Port)) -> Result<(), Error<Refused>> {
    let mut port = Port::new(&design());
    change(&mut port);
    Driver::new(port, design()).identify()
}

#[test]
fn another_design_is_noticed() {
    let code = "not-this-design";
    let magic = identified(|port| port.magic = 0xdead_beef);
    let words = [
        "register 0x0000",
        "0xdeadbeef, not 0x48505448",
        "base address",
    ];
    says(magic, code, &words);
    let id = identified(|port| port.design_id = 9);
    let words = ["register 0x0008", "0x00000009, not 0x12345678", "compile"];
    says(id, code, &words);
    // Another major version: the design's commands end in other numbers.
    let older = identified(|port| port.version = 0x0002_0000);
    let words = [
        "register 0x0004",
        "(2.0, ",
        "version 0x00020000, not 0x00030001",
    ];
    says(older, code, &words);
    let newer = identified(|port| port.version = 0x0004_0000);
    says(newer, code, &["(4.0, ", "version 0x00040000"]);
    // Of a design of any minor version a driver knows what it needs.
    for version in [0x0003_0000, 0x0003_0007] {
        assert!(identified(|port| port.version = version).is_ok());
    }
    assert!(identified(|_| ()).is_ok());
}

/// A device with these maps, of which the driver has another description.
fn with_maps(change: impl FnOnce(&mut Design)) -> Result<(), Error<Refused>> {
    let mut other = design();
    change(&mut other);
    Driver::new(Port::new(&other), design()).check_maps()
}

#[test]
fn other_maps_are_noticed() {
    let code = "not-this-design";
    let fewer = with_maps(|design| drop(design.maps.pop()));
    let words = [
        "a dump of slot 8 of map open, which should have 9, gives REFUSED",
        "load",
    ];
    says(fewer, code, &words);
    let more = with_maps(|design| design.maps.push(design.maps[0].clone()));
    says(
        more,
        code,
        &["map number 2 should not exist", "gives MISSING"],
    );
    let smaller = with_maps(|design| design.maps[0].slots = 47);
    says(smaller, code, &["slot 47 of map seen", "gives BAD_INDEX"]);
    let larger = with_maps(|design| design.maps[0].slots = 49);
    says(
        larger,
        code,
        &["slot 48 of map seen, which should have 48, gives MISSING"],
    );
    assert!(with_maps(|_| ()).is_ok());
}

/// On a key that is not stored a design can answer nothing but whether there is a place.
#[test]
fn wrong_answers_on_foreign_keys_are_noticed() {
    let key = [1, 2, 3, 4, 99, 0];
    let code = "foreign-key";
    // Select, two words of key, command, status, two words of value.
    says(
        scripted([0; 7]).lookup(1, &key),
        code,
        &["to Lookup", "reset it"],
    );
    let exists = vec![0, 0, 0, 0, 0, 0, 0, Answer::Exists.code()];
    let updated = scripted(exists).update(1, &key, &[0; 8], May::PUT);
    says(updated, code, &["the design answers EXISTS to Update"]);
}

#[test]
fn dumps_that_cannot_be_are_noticed() {
    // Version, select, slot, command, status; of the oldest version, which is asked slot by slot, and of the newest one.
    let code = "map-dump-failed";
    for version in [FIRST_VERSION, VERSION] {
        let fails = scripted([version, 0, 0, 0, Answer::Exists.code()]).dump(0);
        assert!(fails
            .unwrap_err()
            .to_string()
            .contains("slot 0 of map seen: the entry exists"));
    }
    let twice_code = "map-key-twice";
    let words = ["map seen holds key [05, 00, 00] twice"];
    // The map stays selected.
    let slots = vec![FIRST_VERSION, 0, 0, 0, 0, 5, 6, 7, 0, 0, 0, 5, 6, 7];
    says(scripted(slots).dump(0), twice_code, &words);
    // Behind the status the slot; the next one is known.
    let found = |slot| vec![0, 0, slot, 5, 6, 7];
    let twice = [vec![VERSION, 0, 0], found(3), found(4)].concat();
    says(scripted(twice).dump(0), twice_code, &words);
    let behind = [vec![VERSION, 0, 0], found(48)].concat();
    let words = ["from slot 0 on is said to be in slot 48", "defect"];
    says(scripted(behind).dump(0), code, &words);
    let before = [vec![VERSION, 0, 0], found(3), found(3)].concat();
    let words = ["from slot 4 on is said to be in slot 3"];
    says(scripted(before).dump(0), code, &words);
}

/// What is asked in vain costs no access.
#[test]
fn what_cannot_be_asked_is_refused() {
    let mut driver = scripted([]);
    let codes = [
        driver.lookup(2, &[0; 3]).map(|_| ()),
        driver.dump(2).map(|_| ()),
        driver.lookup(0, &[0; 4]).map(|_| ()),
        driver.update(0, &[0; 3], &[0; 4], May::PUT).map(|_| ()),
        // A key of a wrong length is no foreign one.
        driver.delete(1, &[9; 5]).map(|_| ()),
        driver.set_port(16, 1, 1),
    ]
    .map(|given| match given.unwrap_err().cause {
        Cause::Fault(fault) if fault.is_input() => fault.code(),
        other => panic!("{other:?}"),
    });
    let size = "map-size";
    let expected = [
        "unknown-map",
        "unknown-map",
        size,
        size,
        size,
        "port-out-of-range",
    ];
    assert_eq!(codes, expected);
    let mut none = design();
    none.has_port_table = false;
    let mut driver = Driver::new(Scripted::default(), none);
    let words = ["no port table", "leave the ports"];
    says(driver.set_port(0, 1, 1), "port-out-of-range", &words);
}

/// Bits of a status that mean nothing do not make an answer of it.
#[test]
fn a_status_is_its_fields() {
    let status = field::ANSWER.mask() << 1 & !field::ANSWER.mask() | Answer::Missing.code();
    let mut driver = scripted([0, 0, 0, status]);
    assert_eq!(driver.delete(0, &[1, 2, 3]).unwrap(), Answer::Missing);
    let mut driver = scripted([0, 0, 0, 6]);
    let words = ["(MAP_STATUS) says 6, which is no answer"];
    says(driver.delete(0, &[1, 2, 3]), "host-port-error", &words);
}

#[test]
fn a_message_is_as_it_is() {
    let access = Access::Read { address: 8 };
    let error = Error {
        design: "nat".into(),
        cause: Cause::Bus {
            access,
            error: "timeout",
        },
    };
    assert_eq!(
        error.to_string(),
        "nat: the read of register 0x0008 (DESIGN_ID) fails: timeout\n  help: look whether the design is loaded and stands \
         at this address; it refuses (SLVERR) what has no effect, and map registers while a command is busy"
    );
    let fault = Fault::OtherProgram {
        given: 1,
        expected: 2,
    };
    let error: Error<&str> = Error {
        design: "nat".into(),
        cause: Cause::Fault(fault),
    };
    assert_eq!(
        error.to_string(),
        "nat: the design is another one: its program (register 0x0008) is 0x00000001, not 0x00000002\n  help: compile the \
         program again, or load the design that was made with this description"
    );
}

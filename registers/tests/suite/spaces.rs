//! Several designs in one address space.

use crate::maps::{design, Random};
use crate::port::{Port, Refused};
use hardpath_registers::{
    AddressSpace, Answer, At, AtError, Bus, Cause, Design, Driver, Entries, KeyBits, Map, May,
    Operate, SPACE,
};
use std::fmt;

/// An address decoder with designs behind it, as a BAR has them.
struct Bar(Vec<(u64, Port)>);

#[derive(Clone, PartialEq, Eq, Debug)]
enum BarError {
    NothingThere,
    Refused,
}

impl fmt::Display for BarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BarError::NothingThere => "DECERR",
            BarError::Refused => "SLVERR",
        })
    }
}

impl Bar {
    fn find(&mut self, address: u64) -> Result<(&mut Port, u64), BarError> {
        let mut ports = self.0.iter_mut();
        let is_there = |base: u64| (base..base + u64::from(SPACE)).contains(&address);
        let found = ports.find(|(base, _)| is_there(*base));
        let (base, port) = found.ok_or(BarError::NothingThere)?;
        Ok((port, address - *base))
    }
}

impl Bus for Bar {
    type Error = BarError;

    fn read32(&mut self, address: u64) -> Result<u32, BarError> {
        let (port, offset) = self.find(address)?;
        port.read32(offset).map_err(|Refused| BarError::Refused)
    }

    fn write32(&mut self, address: u64, data: u32) -> Result<(), BarError> {
        let (port, offset) = self.find(address)?;
        port.write32(offset, data)
            .map_err(|Refused| BarError::Refused)
    }
}

/// Another design than [`design`].
fn other() -> Design {
    Design {
        name: "limits".into(),
        design_id: 0x9abc_def0,
        has_port_table: false,
        outcomes: Vec::new(),
        maps: vec![Map {
            name: "rates".into(),
            kind: "hash".into(),
            key_bytes: 4,
            stored: KeyBits::all_vary(4),
            value_bytes: 16,
            max_entries: 100,
            slots: 120,
            select: 0,
        }],
    }
}

const BASES: [u64; 2] = [0x3_0000, 0x12_0000_0000];
const BYTES: u64 = 0x20_0000_0000;

fn bar() -> Bar {
    let designs = [design(), other()];
    let ports = BASES.into_iter().zip(&designs);
    Bar(ports
        .map(|(base, design)| (base, Port::new(design)))
        .collect())
}

/// Two drivers that take turns do not see each other.
#[test]
fn two_designs_stand_behind_one_bus() {
    let space = AddressSpace::new(bar(), BYTES);
    let flows = space.place("flows", BASES[0]).unwrap();
    let limits = space.place("limits", BASES[1]).unwrap();
    let mut drivers = [
        Driver::attach(flows, design()).unwrap(),
        Driver::attach(limits, other()).unwrap(),
    ];
    let mut models = [Entries::new(), Entries::new()];
    let mut random = Random(11);
    for _ in 0..3000 {
        let which = random.below(2) as usize;
        let (driver, model) = (&mut drivers[which], &mut models[which]);
        let shape = driver.design().maps[0].clone();
        let mut key = vec![0; shape.key_bytes as usize];
        key[1] = random.below(20) as u8;
        match random.below(3) {
            0 => assert_eq!(driver.lookup(0, &key).unwrap().as_ref(), model.get(&key)),
            1 => {
                let value = vec![random.below(256) as u8; shape.value_bytes as usize];
                let given = driver.update(0, &key, &value, May::PUT).unwrap();
                assert_eq!(given, Answer::Done);
                model.insert(key, value);
            }
            _ => {
                let existed = model.remove(&key).is_some();
                assert_eq!(driver.delete(0, &key).unwrap().is_done(), existed);
            }
        }
    }
    for (driver, model) in drivers.iter_mut().zip(models) {
        assert!(model.len() > 5);
        assert_eq!(driver.dump(0).unwrap(), model);
    }
}

/// The driver of a design that stands elsewhere says so.
#[test]
fn designs_that_changed_places_are_noticed() {
    let space = AddressSpace::new(bar(), BYTES);
    let at = space.place("flows", BASES[1]).unwrap();
    let error = Driver::attach(at, design()).err().expect("another design");
    assert!(matches!(&error.cause, Cause::Fault(fault) if fault.code() == "not-this-design"));
    assert!(error
        .to_string()
        .starts_with("flows: the design is another one: "));
}

#[test]
fn an_error_names_the_address_on_the_bus_and_the_design() {
    let space = AddressSpace::new(bar(), BYTES);
    let nowhere = space.place("flows", 0x7_0000).unwrap();
    let error = Driver::attach(nowhere, design()).err().expect("an error");
    assert_eq!(
        error.to_string().lines().next(),
        Some("flows: the read of register 0x0000 (MAGIC) fails: address 0x70000 of the bus, of design flows: DECERR")
    );
    let limits = space.place("limits", BASES[1]).unwrap();
    let mut driver = Driver::new(limits, other());
    let error = driver.write_register(0x104, 1).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("address 0x1200000104 of the bus, of design limits: SLVERR"),
        "{text}"
    );
}

#[test]
fn words_are_inside_their_design() {
    let mut at = At::new(bar(), "flows", BASES[0]).unwrap();
    for address in [1, 2, 0x20a, 0x1_0000, 0x1_0004, u64::MAX - 3, u64::MAX] {
        let error = AtError::NoWord {
            design: String::from("flows"),
            address,
        };
        assert_eq!(at.read32(address), Err(error.clone()));
        assert_eq!(at.write32(address, 1), Err(error.clone()));
        let text = error.to_string();
        assert!(
            text.starts_with(&format!("design flows has no word at {address:#x}: ")),
            "{text}"
        );
    }
    assert_eq!(at.read32(8), Ok(design().design_id));
}

#[test]
fn bases_are_checked() {
    let space = AddressSpace::new(bar(), 0x5_0000);
    assert!(space.place("first", 0x4_0000).is_ok());
    let texts = [
        ("second", 0x4_0000),
        ("odd", 0x1_8000),
        ("behind", 0x5_0000),
        ("far", u64::MAX - 0xffff),
    ]
    .map(|(design, base)| {
        space
            .place(design, base)
            .err()
            .expect("misplaced")
            .to_string()
    });
    let expected = [
        "design second cannot stand at 0x40000: design first stands there\n  help: give each design a base of its own, as the \
         address decoder has it",
        "design odd cannot stand at 0x18000: a base is a multiple of 0x10000\n  help: give 0x10000, or where the address \
         decoder has it",
        "design behind cannot stand at 0x50000: it takes 0x10000 bytes, and the address space has 0x50000\n  help: give a \
         smaller base, or make the address space larger",
        "design far cannot stand at 0xffffffffffff0000: it takes 0x10000 bytes, and the address space has \
         0xffffffffffffffff\n  help: give a smaller base, or make the address space larger",
    ];
    assert_eq!(texts, expected);
}

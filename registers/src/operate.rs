//! What a host does with a design beside single operations, the same for everybody who can carry out one.

use crate::address_map::{field, register, MAGIC, PORTS};
use crate::answer::Answer;
use crate::design::Design;
use crate::fault::Fault;
use crate::foreign::{Entries, Foreign};
use crate::operation::{HostAnswer, HostOperation};
use crate::version::{self, VERSION};

/// Carries out operations on a design, one after the other.
pub trait Operate {
    type Error;

    fn design(&self) -> &Design;

    /// The keys that the host keeps for the design.
    fn foreign(&self) -> &Foreign;

    /// # Errors
    /// There is no answer. A command that fails has one: [`HostAnswer::answer`].
    fn perform(&mut self, operation: HostOperation) -> Result<HostAnswer, Self::Error>;

    fn error(&self, fault: Fault) -> Self::Error;

    /// # Errors
    /// As [`Operate::perform`].
    fn read_register(&mut self, address: u32) -> Result<u32, Self::Error> {
        let answer = self.perform(HostOperation::ReadRegister { address })?;
        Ok(answer.data)
    }

    /// # Errors
    /// As [`Operate::perform`].
    fn write_register(&mut self, address: u32, data: u32) -> Result<(), Self::Error> {
        self.perform(HostOperation::WriteRegister { address, data })?;
        Ok(())
    }

    /// Reads a 64-bit counter: the low word latches the high one.
    ///
    /// # Errors
    /// As [`Operate::perform`]; [`Fault::Absent`].
    fn read_counter(&mut self, address: u32) -> Result<u64, Self::Error> {
        let low = self.read_register(address)?;
        let high = self.read_register(address + 4)?;
        if [low, high] == [u32::MAX; 2] {
            return Err(self.error(Fault::Absent { address }));
        }
        Ok(u64::from(low) | u64::from(high) << 32)
    }

    /// # Errors
    /// As [`Operate::read_counter`].
    fn counters(&mut self) -> Result<Counters, Self::Error> {
        let mut counters = Counters {
            packets_in: self.read_counter(register::PACKETS_IN)?,
            dropped_bad: self.read_counter(register::DROPPED_BAD)?,
            dropped_length: self.read_counter(register::DROPPED_LENGTH)?,
            verdicts: [0; 5],
        };
        for (counter, index) in counters.verdicts.iter_mut().zip(0..) {
            *counter = self.read_counter(register::VERDICTS + 8 * index)?;
        }
        Ok(counters)
    }

    /// Checks that the design is the one of the description, and of a version that this crate knows.
    ///
    /// # Errors
    /// As [`Operate::perform`]; [`Fault::Absent`], [`Fault::NoDesign`], [`Fault::Version`], [`Fault::OtherProgram`].
    fn identify(&mut self) -> Result<(), Self::Error> {
        let magic = self.read_register(register::MAGIC)?;
        let version = self.read_register(register::VERSION)?;
        let design_id = self.read_register(register::DESIGN_ID)?;
        match wrong(self.design(), [magic, version, design_id]) {
            Some(fault) => Err(self.error(fault)),
            None => Ok(()),
        }
    }

    /// Sets the ifindex of an ingress port (0 to 15) and the number that is added to its queues.
    ///
    /// # Errors
    /// As [`Operate::perform`]; [`Fault::NoSuchPort`], [`Fault::NoPortTable`].
    fn set_port(&mut self, port: u8, ifindex: u32, first_queue: u32) -> Result<(), Self::Error> {
        if u32::from(port) >= PORTS {
            return Err(self.error(Fault::NoSuchPort { port }));
        }
        if !self.design().has_port_table {
            return Err(self.error(Fault::NoPortTable));
        }
        let entry = register::PORT_TABLE + 8 * u32::from(port);
        self.write_register(entry + 4 * field::IFINDEX.word, ifindex)?;
        self.write_register(entry + 4 * field::FIRST_QUEUE.word, first_queue)
    }

    /// Every entry of a map, slot by slot, and those that the host keeps.
    ///
    /// # Errors
    /// As [`Operate::perform`]; [`Fault::UnknownMap`], [`Fault::Slot`], [`Fault::KeyTwice`].
    fn dump(&mut self, map: usize) -> Result<Entries, Self::Error> {
        let maps = &self.design().maps;
        let Some(port) = maps.get(map) else {
            let maps = maps.len();
            return Err(self.error(Fault::UnknownMap { map, maps }));
        };
        let (name, slots) = (port.name.clone(), port.slots);
        let mut entries = Entries::new();
        for slot in 0..slots {
            let answer = self.perform(HostOperation::Dump { map, slot })?;
            let fault = match answer.answer {
                Answer::Done => match entries.insert(answer.key.clone(), answer.value) {
                    Some(_) => Fault::KeyTwice {
                        map: name,
                        key: answer.key,
                    },
                    None => continue,
                },
                Answer::Missing => continue,
                answer => Fault::Slot {
                    map: name,
                    slot,
                    answer,
                },
            };
            return Err(self.error(fault));
        }
        let foreign = self.foreign().entries(map);
        entries.extend(foreign.map(|(key, value)| (key.clone(), value.clone())));
        Ok(entries)
    }
}

/// The counters of a design since reset.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    pub packets_in: u64,
    pub dropped_bad: u64,
    pub dropped_length: u64,
    /// ABORTED, DROP, PASS, TX, REDIRECT.
    pub verdicts: [u64; 5],
}

impl Counters {
    /// All of them, in the order of their registers, from PACKETS_IN on.
    pub fn in_order(&self) -> [u64; 8] {
        let [aborted, drop, pass, tx, redirect] = self.verdicts;
        [
            self.packets_in,
            self.dropped_bad,
            self.dropped_length,
            aborted,
            drop,
            pass,
            tx,
            redirect,
        ]
    }
}

/// What is wrong with the words of MAGIC, VERSION and DESIGN_ID.
fn wrong(design: &Design, [magic, version, design_id]: [u32; 3]) -> Option<Fault> {
    let expected = VERSION;
    match magic {
        MAGIC => {}
        u32::MAX => {
            return Some(Fault::Absent {
                address: register::MAGIC,
            });
        }
        given => return Some(Fault::NoDesign { given }),
    }
    if !version::serves(expected, version) {
        return Some(Fault::Version {
            given: version,
            expected,
        });
    }
    (design_id != design.design_id).then_some(Fault::OtherProgram {
        given: design_id,
        expected: design.design_id,
    })
}

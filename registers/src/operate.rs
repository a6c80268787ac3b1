//! What a host does with a design beside single operations, the same for everybody who can carry out one.

use crate::address_map::{field, register, MAGIC, OUTCOMES, PORTS};
use crate::answer::Answer;
use crate::batch::{AtFailure, Batch, Interrupted};
use crate::design::Design;
use crate::fault::Fault;
use crate::foreign::{Entries, Foreign};
use crate::operation::{HostAnswer, HostOperation};
use crate::processor::Events;
use crate::version::{self, VERSION};

/// Carries out operations on a design, one after the other.
pub trait Operate {
    /// Why an operation has no answer. Every [`Fault`] can be one ([`Operate::error`]).
    type Error;

    /// The description of the design that is operated.
    fn design(&self) -> &Design;

    /// The keys that the host keeps for the design.
    fn foreign(&self) -> &Foreign;

    /// # Errors
    /// There is no answer. A command that fails has one: [`HostAnswer::answer`].
    fn perform(&mut self, operation: HostOperation) -> Result<HostAnswer, Self::Error>;

    /// A fault of this design as such an error.
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
            outcomes: [0; OUTCOMES],
        };
        for (counter, index) in counters.outcomes.iter_mut().zip(0..) {
            *counter = self.read_counter(register::OUTCOMES + 8 * index)?;
        }
        Ok(counters)
    }

    /// What a processor has counted.
    ///
    /// # Errors
    /// As [`Operate::read_counter`]; a design that is no processor refuses.
    fn events(&mut self) -> Result<Events, Self::Error> {
        let mut events = Events::default();
        for (count, place) in events.0.iter_mut().zip(0..) {
            *count = self.read_counter(register::EVENTS + 8 * place)?;
        }
        Ok(events)
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

    /// Sets the interface of an ingress port (0 to 15) and the number that is added to its queues.
    ///
    /// # Errors
    /// As [`Operate::perform`]; [`Fault::NoSuchPort`], [`Fault::NoPortTable`].
    fn set_port(&mut self, port: u8, interface: u32, first_queue: u32) -> Result<(), Self::Error> {
        if u32::from(port) >= PORTS {
            return Err(self.error(Fault::NoSuchPort { port }));
        }
        if !self.design().has_port_table {
            return Err(self.error(Fault::NoPortTable));
        }
        let entry = register::PORT_TABLE + 8 * u32::from(port);
        self.write_register(entry + 4 * field::INTERFACE.word, interface)?;
        self.write_register(entry + 4 * field::FIRST_QUEUE.word, first_queue)
    }

    /// Every entry of a map, and those that the host keeps. An entry that is there all the time is in it, one that comes or goes
    /// meanwhile may be.
    ///
    /// # Errors
    /// As [`Operate::next_entry`]; [`Fault::KeyTwice`].
    fn dump(&mut self, map: usize) -> Result<Entries, Self::Error> {
        slots(self, map)?;
        let finds = self.finds_entries()?;
        self.keep_registers(true);
        let stored = stored(self, map, finds);
        self.keep_registers(false);
        let mut entries = stored?;
        let foreign = self.foreign().entries(map);
        entries.extend(foreign.map(|(key, value)| (key.clone(), value.clone())));
        Ok(entries)
    }

    /// The first entry of a map whose slot is this one or a higher one; `None`: there is none. The design looks for it, one of a version
    /// before 3.1 is asked slot by slot. Entries that the host keeps have no slots.
    ///
    /// # Errors
    /// As [`Operate::perform`]; [`Fault::UnknownMap`], [`Fault::Slot`], [`Fault::NextSlot`].
    fn next_entry(&mut self, map: usize, slot: u32) -> Result<Option<Taken>, Self::Error> {
        slots(self, map)?;
        let finds = self.finds_entries()?;
        next(self, (map, slot), finds)
    }

    /// The entry in a slot, which may be a handle ([`register::MAP_HANDLE`]); `None`: the slot is empty.
    ///
    /// # Errors
    /// As [`Operate::perform`]; [`Fault::UnknownMap`], [`Fault::Slot`].
    fn entry(&mut self, map: usize, slot: u32) -> Result<Option<Taken>, Self::Error> {
        let answer = self.perform(HostOperation::Dump { map, slot })?;
        match answer.answer {
            Answer::Done => Ok(Some(Taken {
                slot,
                key: answer.key,
                value: answer.value,
            })),
            Answer::Missing => Ok(None),
            answer => Err(self.error(wrong_slot(self.design(), (map, slot), answer))),
        }
    }

    /// Whether the design finds entries by itself.
    ///
    /// # Errors
    /// As [`Operate::perform`].
    fn finds_entries(&mut self) -> Result<bool, Self::Error> {
        Ok(version::has_next(self.read_register(register::VERSION)?))
    }

    /// Carries out operations in a row, each as if it were alone. Between them nobody else may use the registers, and no reset may
    /// come.
    ///
    /// # Errors
    /// As [`Operate::perform`], with what was carried out before.
    fn batch(
        &mut self,
        operations: impl IntoIterator<Item = HostOperation>,
        at_failure: AtFailure,
    ) -> Result<Batch, Interrupted<Self::Error>>
    where
        Self: Sized,
    {
        self.keep_registers(true);
        let mut batch = Batch::default();
        for operation in operations {
            let answer = match self.perform(operation) {
                Ok(answer) => answer,
                Err(error) => {
                    self.keep_registers(false);
                    return Err(Interrupted { batch, error });
                }
            };
            let goes_on = answer.answer.is_done() || at_failure == AtFailure::GoOn;
            batch.answers.push(answer);
            if !goes_on {
                break;
            }
        }
        self.keep_registers(false);
        Ok(batch)
    }

    /// Operations in a row begin, or are over: what registers hold need not be written again. Does nothing where writes cost
    /// little.
    fn keep_registers(&mut self, _keeps: bool) {}
}

/// An entry of a map, and the slot in which it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Taken {
    /// Where it stands: its handle.
    pub slot: u32,
    /// Its key, in memory order; of a table with masks with these and the priority behind.
    pub key: Vec<u8>,
    /// Its value, in memory order.
    pub value: Vec<u8>,
}

/// The entries that the design has. `finds`: it looks for them.
fn stored<O: Operate + ?Sized>(host: &mut O, map: usize, finds: bool) -> Result<Entries, O::Error> {
    let mut entries = Entries::new();
    let mut slot = 0;
    while let Some(taken) = next(host, (map, slot), finds)? {
        slot = taken.slot + 1;
        if entries.insert(taken.key.clone(), taken.value).is_some() {
            let map = host.design().maps[map].name.clone();
            let key = taken.key;
            return Err(host.error(Fault::KeyTwice { map, key }));
        }
    }
    Ok(entries)
}

/// The first entry from a slot on.
fn next<O: Operate + ?Sized>(
    host: &mut O,
    (map, slot): (usize, u32),
    finds: bool,
) -> Result<Option<Taken>, O::Error> {
    let slots = slots(host, map)?;
    if !finds {
        for slot in slot..slots {
            if let Some(taken) = host.entry(map, slot)? {
                return Ok(Some(taken));
            }
        }
        return Ok(None);
    }
    if slot >= slots {
        return Ok(None);
    }
    let answer = host.perform(HostOperation::Next { map, slot })?;
    match answer.answer {
        Answer::Done if (slot..slots).contains(&answer.slot) => Ok(Some(Taken {
            slot: answer.slot,
            key: answer.key,
            value: answer.value,
        })),
        Answer::Done => {
            let map = host.design().maps[map].name.clone();
            let given = answer.slot;
            Err(host.error(Fault::NextSlot { map, slot, given }))
        }
        Answer::Missing => Ok(None),
        answer => Err(host.error(wrong_slot(host.design(), (map, slot), answer))),
    }
}

fn slots<O: Operate + ?Sized>(host: &O, map: usize) -> Result<u32, O::Error> {
    let maps = &host.design().maps;
    let unknown = Fault::UnknownMap {
        map,
        maps: maps.len(),
    };
    let found = maps.get(map).map(|map| map.slots);
    found.ok_or_else(|| host.error(unknown))
}

fn wrong_slot(design: &Design, (map, slot): (usize, u32), answer: Answer) -> Fault {
    Fault::Slot {
        map: design.maps[map].name.clone(),
        slot,
        answer,
    }
}

/// The counters of a design since reset.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Packets that entered the program.
    pub packets_in: u64,
    /// Frames that the MAC marked bad.
    pub dropped_bad: u64,
    /// Frames too short for the program, or longer than 9,216 bytes.
    pub dropped_length: u64,
    /// By what packets were counted as ([`Design::outcomes`](crate::Design::outcomes)).
    pub outcomes: [u64; OUTCOMES],
}

impl Counters {
    /// All of them, in the order of their registers, from PACKETS_IN on.
    pub fn in_order(&self) -> [u64; 8] {
        let [zero, one, two, three, four] = self.outcomes;
        [
            self.packets_in,
            self.dropped_bad,
            self.dropped_length,
            zero,
            one,
            two,
            three,
            four,
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

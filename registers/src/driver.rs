//! A driver over a bus that answers each access before the next.

use crate::address_map::{field, register};
use crate::answer::{Answer, May};
use crate::bus::Bus;
use crate::design::{Design, Map};
use crate::exchange::Exchange;
use crate::fault::{Cause, Error, Fault};
use crate::foreign::Foreign;
use crate::held::Held;
use crate::operate::Operate;
use crate::operation::{Access, HostAnswer, HostOperation};
use crate::KeyBits;

/// Works with one design. It keeps the keys that the design does not store, so a design has one driver from one reset to the
/// next; what a driver before this one kept is lost with it, and only a reset gives its places back.
pub struct Driver<B> {
    bus: B,
    design: Design,
    foreign: Foreign,
    /// While operations are carried out in a row.
    held: Option<Held>,
    /// The last operation on a map was done on an entry of the design's.
    has_handle: bool,
}

impl<B: Bus> Driver<B> {
    /// Looks at nothing: see [`Driver::attach`].
    pub fn new(bus: B, design: Design) -> Driver<B> {
        Driver {
            bus,
            design,
            foreign: Foreign::default(),
            held: None,
            has_handle: false,
        }
    }

    /// A driver of the design behind the bus, which is the one that is described, with those maps, and ready.
    ///
    /// # Errors
    /// As [`Operate::identify`], [`Driver::wait_until_ready`] and [`Driver::check_maps`].
    pub fn attach(bus: B, design: Design) -> Result<Driver<B>, Error<B::Error>> {
        let mut driver = Driver::new(bus, design);
        driver.identify()?;
        driver.wait_until_ready()?;
        driver.check_maps()?;
        Ok(driver)
    }

    /// Waits until reset has cleared all maps. Only then packets are taken in.
    ///
    /// # Errors
    /// The bus's; [`Fault::Absent`], [`Fault::NotReady`].
    pub fn wait_until_ready(&mut self) -> Result<(), Error<B::Error>> {
        let address = register::STATUS;
        let mut polls = 0;
        loop {
            let status = self.access(Access::Read { address })?;
            if status == u32::MAX {
                return Err(self.error(Fault::Absent { address }));
            }
            if field::READY.of(status) == 1 {
                return Ok(());
            }
            polls += 1;
            if !self.bus.waits(polls) {
                return Err(self.error(Fault::NotReady { polls }));
            }
        }
    }

    /// Checks that the design has as many maps as its description, and as many slots in each. Changes nothing in them. Of a
    /// processor that are its slots, whatever program runs.
    ///
    /// # Errors
    /// The bus's; [`Fault::OtherMaps`].
    pub fn check_maps(&mut self) -> Result<(), Error<B::Error>> {
        for map in 0..self.design.maps.len() {
            let Map { name, slots, .. } = &self.design.maps[map];
            let (name, slots) = (name.clone(), *slots);
            let last = slots.saturating_sub(1);
            for (slot, is_there) in [(last, slots > 0), (slots, false)] {
                let answer = self.perform(HostOperation::Dump { map, slot })?.answer;
                let gives = matches!(answer, Answer::Done | Answer::Missing);
                if gives != is_there {
                    let seen = format!(
                        "a dump of slot {slot} of map {name}, which should have {slots}, gives {}",
                        given(answer)
                    );
                    return Err(self.error(Fault::OtherMaps { seen }));
                }
            }
        }
        let answer = self.select_behind_last()?;
        match answer {
            Answer::Refused => Ok(()),
            _ => {
                let maps = self.design.maps.len();
                let seen = format!(
                    "map number {maps} should not exist, and a dump of it gives {}",
                    given(answer)
                );
                Err(self.error(Fault::OtherMaps { seen }))
            }
        }
    }

    /// What a dump of the map behind the last one gives.
    fn select_behind_last(&mut self) -> Result<Answer, Error<B::Error>> {
        let behind = Map {
            name: String::from("behind the last one"),
            kind: String::new(),
            key_bytes: 0,
            stored: KeyBits::all_vary(0),
            value_bytes: 0,
            max_entries: 0,
            slots: 0,
            select: self.design.maps.len() as u32,
        };
        let mut maps = self.design.maps.clone();
        maps.push(behind);
        let map = maps.len() - 1;
        let dump = HostOperation::Dump { map, slot: 0 };
        let exchange = Exchange::of_stored(&maps, dump);
        let exchange = exchange.map_err(|fault| self.error(fault))?;
        Ok(self.carry_out(exchange)?.answer)
    }

    /// The design was reset: its maps hold nothing, and neither does the host.
    pub fn was_reset(&mut self) {
        self.foreign.clear();
    }

    /// The value of a key, if it is there.
    ///
    /// # Errors
    /// The bus's; [`Fault::UnknownMap`], [`Fault::Size`], [`Fault::Busy`], [`Fault::Absent`].
    pub fn lookup(&mut self, map: usize, key: &[u8]) -> Result<Option<Vec<u8>>, Error<B::Error>> {
        let key = key.to_vec();
        let answer = self.perform(HostOperation::Lookup { map, key })?;
        Ok(answer.answer.is_done().then_some(answer.value))
    }

    /// Puts a value in.
    ///
    /// # Errors
    /// As [`Driver::lookup`].
    pub fn update(
        &mut self,
        map: usize,
        key: &[u8],
        value: &[u8],
        may: May,
    ) -> Result<Answer, Error<B::Error>> {
        let answer = self.perform(HostOperation::Update {
            map,
            key: key.to_vec(),
            value: value.to_vec(),
            may,
        })?;
        Ok(answer.answer)
    }

    /// Takes an entry out.
    ///
    /// # Errors
    /// As [`Driver::lookup`].
    pub fn delete(&mut self, map: usize, key: &[u8]) -> Result<Answer, Error<B::Error>> {
        let key = key.to_vec();
        let answer = self.perform(HostOperation::Delete { map, key })?;
        Ok(answer.answer)
    }

    /// The slot of the entry that the last operation was done on, by which [`Operate::entry`] finds it without its key; `None`: it was
    /// not done, or on an entry that the host keeps, or the design is of a version before 3.1. It is good until the entry is
    /// deleted or forgotten; the slot may be another entry's then.
    ///
    /// # Errors
    /// As [`Operate::perform`].
    pub fn handle(&mut self) -> Result<Option<u32>, Error<B::Error>> {
        if !self.has_handle || !self.finds_entries()? {
            return Ok(None);
        }
        let address = register::MAP_HANDLE;
        Ok(Some(self.access(Access::Read { address })?))
    }

    /// The bus. What is written there meanwhile the driver does not know.
    pub fn bus_mut(&mut self) -> &mut B {
        &mut self.bus
    }

    /// Gives the bus back. What the host kept for the design is lost.
    pub fn into_bus(self) -> B {
        self.bus
    }

    fn carry_out(&mut self, mut exchange: Exchange) -> Result<HostAnswer, Error<B::Error>> {
        while let Some(access) = exchange.wanted() {
            let data = self.access(access)?;
            let polls = exchange.polls();
            exchange.take(data).map_err(|fault| self.error(fault))?;
            if exchange.polls() > polls && !self.bus.waits(exchange.polls()) {
                let operation = exchange.operation().describe(&self.design.maps);
                let polls = exchange.polls();
                return Err(self.error(Fault::Busy { operation, polls }));
            }
        }
        let is_on_map = exchange.operation().map().is_some();
        let is_foreign = exchange.is_foreign();
        let answer = exchange.finish(&mut self.foreign);
        let answer = answer.map_err(|fault| self.error(fault))?;
        if is_on_map {
            self.has_handle = answer.answer.is_done() && !is_foreign;
        }
        Ok(answer)
    }

    /// The word of a read, 0 of a write.
    fn access(&mut self, access: Access) -> Result<u32, Error<B::Error>> {
        let given = match access {
            Access::Read { address } => self.bus.read32(address.into()),
            Access::Write { address, data } => self.bus.write32(address.into(), data).map(|()| 0),
        };
        if let (Some(held), Ok(data)) = (&mut self.held, &given) {
            held.follow(access, *data);
        }
        given.map_err(|error| Error {
            design: self.design.name.clone(),
            cause: Cause::Bus { access, error },
        })
    }
}

impl<B: Bus> Operate for Driver<B> {
    type Error = Error<B::Error>;

    fn design(&self) -> &Design {
        &self.design
    }

    fn foreign(&self) -> &Foreign {
        &self.foreign
    }

    fn perform(&mut self, operation: HostOperation) -> Result<HostAnswer, Self::Error> {
        let exchange = Exchange::new(&self.design.maps, &self.foreign, operation);
        let exchange = exchange.map_err(|fault| self.error(fault))?;
        let exchange = match &self.held {
            Some(held) => exchange.without(held),
            None => exchange,
        };
        self.carry_out(exchange)
    }

    fn keep_registers(&mut self, keeps: bool) {
        self.held = keeps.then(Held::default);
    }

    fn error(&self, fault: Fault) -> Self::Error {
        Error {
            design: self.design.name.clone(),
            cause: Cause::Fault(fault),
        }
    }
}

/// What a command gave, for messages.
fn given(answer: Answer) -> String {
    match answer {
        Answer::Done => String::from("an entry"),
        other => String::from(other.name()),
    }
}

//! A model of the host port of a design, in software: registers, counters, and hash tables behind them.

use hardpath_registers::{
    command, field, register, Access, Answer, Bus, Design, Map, May, Register, Words, MAGIC, PORTS,
    REGISTERS, VERSION,
};
use std::fmt;

pub struct Port {
    pub design: Design,
    /// What the registers say that it is.
    pub magic: u32,
    pub version: u32,
    pub design_id: u32,
    pub counters: [u64; 8],
    pub ports: [[u32; 2]; PORTS as usize],
    /// Reads of STATUS until it is ready, and of MAP_STATUS until a command is done.
    pub sweep: u64,
    pub busy: u64,
    /// All that was done, refused or not.
    pub log: Vec<Access>,
    tables: Vec<Table>,
    /// MAP_SELECT, MAP_MAY, MAP_SLOT, MAP_HANDLE.
    select: u32,
    may: u32,
    slot: u32,
    handle: u32,
    key: Vec<u32>,
    value: Vec<u32>,
    answer: Answer,
    busy_left: u64,
    latched: u32,
}

/// A slot's key and value.
type Entry = (Vec<u8>, Vec<u8>);
/// The slot that a command was done on, and what it gives of the entry.
type Found = (u32, Option<Entry>);

/// Designs of this version do not find entries by themselves, and have no handles.
pub const FIRST_VERSION: u32 = 0x0003_0000;

#[derive(Clone)]
struct Table {
    slots: Vec<Option<Entry>>,
    /// Places that foreign keys have.
    foreign: u32,
}

/// SLVERR.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused;

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SLVERR")
    }
}

impl Port {
    pub fn new(design: &Design) -> Port {
        let words = |bytes: fn(&Map) -> u32| {
            let widest = design.maps.iter().map(bytes).max();
            vec![0; widest.unwrap_or(4).div_ceil(4).max(1) as usize]
        };
        let table = |map: &Map| Table {
            slots: vec![None; map.slots as usize],
            foreign: 0,
        };
        Port {
            magic: MAGIC,
            version: VERSION,
            design_id: design.design_id,
            counters: [0; 8],
            ports: [[0; 2]; PORTS as usize],
            sweep: 0,
            busy: 0,
            log: Vec::new(),
            tables: design.maps.iter().map(table).collect(),
            select: 0,
            may: 0,
            slot: 0,
            handle: 0,
            key: words(|map| map.key_bytes),
            value: words(|map| map.value_bytes),
            answer: Answer::Done,
            busy_left: 0,
            latched: 0,
            design: design.clone(),
        }
    }

    /// The register at an address, and the word of it.
    fn register(&self, address: u32) -> Result<(&'static Register, usize), Refused> {
        let words = |one: &Register| match one.words {
            Words::OfKeys => self.key.len() as u32,
            Words::OfValues => self.value.len() as u32,
            Words::Fixed(words) => words,
        };
        let at = |one: &&Register| {
            one.is_there(self.design.has_port_table)
                && (one.offset..one.offset + 4 * words(one)).contains(&address)
        };
        let found = REGISTERS.iter().find(at).ok_or(Refused)?;
        if found.offset == register::MAP_HANDLE && self.version == FIRST_VERSION {
            return Err(Refused);
        }
        Ok((found, ((address - found.offset) / 4) as usize))
    }

    fn counter(&mut self, address: u32) -> u32 {
        let count = self.counters[((address - register::PACKETS_IN) / 8) as usize];
        match address.is_multiple_of(8) {
            true => {
                self.latched = (count >> 32) as u32;
                // Packets come in while the host reads.
                for counter in &mut self.counters {
                    *counter += 0x8000_0001;
                }
                count as u32
            }
            false => self.latched,
        }
    }

    fn start(&mut self, number: u32) {
        self.busy_left = self.busy;
        let map = self.select as usize;
        let Some(shape) = self.design.maps.get(map).cloned() else {
            // What does not exist fails at once.
            self.busy_left = 0;
            self.answer = Answer::Refused;
            return;
        };
        let key = bytes(&self.key, shape.key_bytes);
        let value = bytes(&self.value, shape.value_bytes);
        let table = &mut self.tables[map];
        let found = match number {
            command::DUMP => table.dump(self.slot),
            command::NEXT if self.version > FIRST_VERSION => table.next(&mut self.slot),
            _ if shape.stored.is_foreign(&key) => table.place(number, &shape),
            command::LOOKUP => table.lookup(&key),
            command::UPDATE => table.update(key, value, May::from_bits(self.may), &shape),
            command::DELETE => table.delete(&key),
            _ => Err(Answer::Refused),
        };
        self.answer = found.as_ref().err().copied().unwrap_or_default();
        let Ok((slot, entry)) = found else {
            return;
        };
        self.handle = slot;
        let Some((key, value)) = entry else {
            return;
        };
        put(&mut self.value, &value);
        if matches!(number, command::DUMP | command::NEXT) {
            put(&mut self.key, &key);
        }
    }
}

impl Table {
    fn find(&self, key: &[u8]) -> Option<usize> {
        let is_it = |slot: &Option<Entry>| slot.as_ref().is_some_and(|(other, _)| other == key);
        self.slots.iter().position(is_it)
    }

    fn taken(&self) -> u32 {
        self.slots.iter().flatten().count() as u32 + self.foreign
    }

    fn lookup(&self, key: &[u8]) -> Result<Found, Answer> {
        let slot = self.find(key).ok_or(Answer::Missing)?;
        Ok((slot as u32, self.slots[slot].clone()))
    }

    fn dump(&self, slot: u32) -> Result<Found, Answer> {
        match self.slots.get(slot as usize) {
            None => Err(Answer::BadIndex),
            Some(None) => Err(Answer::Missing),
            Some(entry) => Ok((slot, entry.clone())),
        }
    }

    /// Leaves the slot behind the one that it read last.
    fn next(&self, slot: &mut u32) -> Result<Found, Answer> {
        loop {
            match self.dump(*slot) {
                Err(Answer::Missing) => *slot += 1,
                Err(_) => return Err(Answer::Missing),
                Ok(found) => {
                    *slot += 1;
                    return Ok(found);
                }
            }
        }
    }

    fn update(
        &mut self,
        key: Vec<u8>,
        value: Vec<u8>,
        may: May,
        shape: &Map,
    ) -> Result<Found, Answer> {
        let slot = match self.find(&key) {
            _ if may == May::NOTHING => return Err(Answer::Refused),
            Some(_) if !may.replace => return Err(Answer::Exists),
            None if !may.create => return Err(Answer::Missing),
            Some(slot) => slot,
            None if self.taken() == shape.max_entries => return Err(Answer::Full),
            None => {
                let hash: usize = key.iter().map(|byte| usize::from(*byte)).sum();
                let from = hash % self.slots.len();
                let order = (from..self.slots.len()).chain(0..from);
                let mut free = order.filter(|slot| self.slots[*slot].is_none());
                free.next().ok_or(Answer::Full)?
            }
        };
        self.slots[slot] = Some((key, value));
        Ok((slot as u32, None))
    }

    fn delete(&mut self, key: &[u8]) -> Result<Found, Answer> {
        let slot = self.find(key).ok_or(Answer::Missing)?;
        self.slots[slot] = None;
        Ok((slot as u32, None))
    }

    /// A command on a key that is not stored. Its slot means nothing.
    fn place(&mut self, number: u32, shape: &Map) -> Result<Found, Answer> {
        match number {
            command::UPDATE if self.taken() < shape.max_entries => self.foreign += 1,
            command::UPDATE => return Err(Answer::Full),
            command::DELETE => self.foreign -= 1,
            _ => return Err(Answer::Missing),
        }
        Ok((u32::MAX, None))
    }
}

impl Bus for Port {
    type Error = Refused;

    fn read32(&mut self, address: u64) -> Result<u32, Refused> {
        let address = address as u32;
        self.log.push(Access::Read { address });
        let (found, word) = self.register(address)?;
        Ok(match found.offset {
            register::MAGIC => self.magic,
            register::VERSION => self.version,
            register::DESIGN_ID => self.design_id,
            register::STATUS => {
                let is_ready = self.sweep == 0;
                self.sweep = self.sweep.saturating_sub(1);
                is_ready.into()
            }
            register::PORT_TABLE => self.ports[word / 2][word % 2],
            register::MAP_SELECT => self.select,
            register::MAP_STATUS if self.busy_left > 0 => {
                self.busy_left -= 1;
                field::BUSY.mask() | 0x15
            }
            register::MAP_STATUS => self.answer.code(),
            register::MAP_MAY => self.may,
            register::MAP_SLOT => self.slot,
            register::MAP_HANDLE => self.handle,
            register::KEY => self.key[word],
            register::VALUE => self.value[word],
            register::MAP_COMMAND => 0,
            _ => self.counter(address),
        })
    }

    fn write32(&mut self, address: u64, data: u32) -> Result<(), Refused> {
        let address = address as u32;
        self.log.push(Access::Write { address, data });
        let (found, word) = self.register(address)?;
        let is_busy = address >= register::MAP_SELECT && self.busy_left > 0;
        if !found.access.may_write() || is_busy {
            return Err(Refused);
        }
        match found.offset {
            register::PORT_TABLE => self.ports[word / 2][word % 2] = data,
            register::MAP_SELECT => self.select = data,
            register::MAP_COMMAND => self.start(data),
            register::MAP_MAY => self.may = data,
            register::MAP_SLOT => self.slot = data,
            register::KEY => self.key[word] = data,
            _ => self.value[word] = data,
        }
        Ok(())
    }

    fn waits(&mut self, polls: u64) -> bool {
        polls < 50
    }
}

fn bytes(words: &[u32], count: u32) -> Vec<u8> {
    let all = words.iter().flat_map(|word| word.to_le_bytes());
    all.take(count as usize).collect()
}

fn put(to: &mut [u32], bytes: &[u8]) {
    for (word, given) in to.iter_mut().zip(hardpath_registers::words(bytes)) {
        *word = given;
    }
}

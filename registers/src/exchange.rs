//! An operation as accesses to registers, one behind the other.
//!
//! No bus is needed here: whoever has one asks for the access that is wanted, carries it out, and tells what came of it. So a
//! driver that waits for its bus ([`crate::Driver`]) and one that is stepped once a clock beside other things go the same way:
//!
//! ```text
//! MAP_SELECT, KEY…, VALUE…, MAP_MAY | MAP_SLOT, MAP_COMMAND     written
//! MAP_STATUS                                                      read until bit 31 is 0
//! MAP_HANDLE, KEY…, VALUE…                                        read, if the command gave them
//! ```
//!
//! Registers keep what they hold between operations. Of several in a row only the words are written that are others than before
//! ([`Exchange::without`], [`Held`]).

use crate::address_map::{command, field, register};
use crate::answer::Answer;
use crate::design::Map;
use crate::fault::Fault;
use crate::foreign::Foreign;
use crate::held::Held;
use crate::operation::{Access, HostAnswer, HostOperation};

/// An operation that is on its way.
#[derive(Clone, Debug)]
pub struct Exchange {
    operation: HostOperation,
    /// The operation is one on a key that the design does not store ([`Foreign`]): it was asked something else.
    is_foreign: bool,
    accesses: Vec<Access>,
    /// The one that is wanted.
    at: usize,
    /// The one that is repeated until the command is done.
    poll: Option<usize>,
    polls: u64,
    /// What was read.
    words: Vec<u32>,
    /// Bytes of keys and values of the map.
    widths: [u32; 2],
    answer: Answer,
}

impl Exchange {
    /// Of an operation on a design with these maps; of one on a foreign key what the design is asked in its place. `foreign`:
    /// the keys that the host keeps, which stay as they are until the end of the exchange ([`Exchange::finish`]).
    ///
    /// # Errors
    /// [`Fault::UnknownMap`]; [`Fault::Size`] of a key or value.
    pub fn new(
        maps: &[Map],
        foreign: &Foreign,
        operation: HostOperation,
    ) -> Result<Exchange, Fault> {
        let exchange = Exchange::of_stored(maps, operation)?;
        let Some(asked) = foreign.asked(maps, &exchange.operation) else {
            return Ok(exchange);
        };
        Ok(Exchange {
            operation: exchange.operation,
            is_foreign: true,
            ..Exchange::of_stored(maps, asked)?
        })
    }

    /// The same for who knows that the design itself is to be asked, whatever the key is.
    ///
    /// # Errors
    /// As [`Exchange::new`].
    pub fn of_stored(maps: &[Map], operation: HostOperation) -> Result<Exchange, Fault> {
        let (accesses, poll) = accesses(maps, &operation)?;
        let widths = match operation.map() {
            None => [0; 2],
            Some(map) => [maps[map].key_bytes, maps[map].value_bytes],
        };
        Ok(Exchange {
            operation,
            is_foreign: false,
            accesses,
            at: 0,
            poll,
            polls: 0,
            words: Vec::new(),
            widths,
            answer: Answer::Done,
        })
    }

    /// The same without the writes of words that the registers hold already.
    #[must_use]
    pub fn without(mut self, held: &Held) -> Exchange {
        debug_assert!(self.at == 0, "the exchange has begun");
        let all = self.accesses.len();
        self.accesses.retain(|access| !held.has(*access));
        // Only writes are left out, and all of them stand in front of it.
        let left_out = all - self.accesses.len();
        self.poll = self.poll.map(|poll| poll - left_out);
        self
    }

    /// The operation is one on a key that the design does not store.
    pub fn is_foreign(&self) -> bool {
        self.is_foreign
    }

    /// What it is for.
    pub fn operation(&self) -> &HostOperation {
        &self.operation
    }

    /// The access that comes next; `None`: it is over.
    pub fn wanted(&self) -> Option<Access> {
        self.accesses.get(self.at).copied()
    }

    /// Whether the access that is wanted asks if the command is done, so that it may be wanted again.
    pub fn is_polling(&self) -> bool {
        self.poll == Some(self.at)
    }

    /// How often the design said that it is busy.
    pub fn polls(&self) -> u64 {
        self.polls
    }

    /// Takes what came of the access that was wanted: the word of a read, anything of a write.
    ///
    /// # Errors
    /// [`Fault::Absent`]: a status of all ones, which no design gives. [`Fault::Answer`]: a number that is no answer.
    pub fn take(&mut self, data: u32) -> Result<(), Fault> {
        let Some(access) = self.wanted() else {
            return Ok(());
        };
        if self.is_polling() {
            if data == u32::MAX {
                return Err(Fault::Absent {
                    address: register::MAP_STATUS,
                });
            }
            if field::BUSY.of(data) != 0 {
                self.polls += 1;
                return Ok(());
            }
            let given = field::ANSWER.of(data);
            self.answer = Answer::from_code(given).ok_or(Fault::Answer { given })?;
            if !self.answer.is_done() {
                self.at = self.accesses.len();
                return Ok(());
            }
        } else if matches!(access, Access::Read { .. }) {
            self.words.push(data);
        }
        self.at += 1;
        Ok(())
    }

    /// The answer, once nothing more is wanted; on a foreign key it is the host's, whose keys change as the operation wants.
    ///
    /// # Errors
    /// [`Fault::Foreign`]: the design answers what it must not on a key that it does not store.
    pub fn finish(self, foreign: &mut Foreign) -> Result<HostAnswer, Fault> {
        debug_assert!(self.wanted().is_none(), "the exchange is not over");
        match self.is_foreign {
            true => foreign.answer(self.operation, self.answer),
            false => Ok(self.answer()),
        }
    }

    fn answer(self) -> HostAnswer {
        let mut answer = HostAnswer::of(self.answer);
        if !self.answer.is_done() {
            return answer;
        }
        let [key_bytes, value_bytes] = self.widths;
        match self.operation {
            HostOperation::ReadRegister { .. } => {
                answer.data = self.words.first().copied().unwrap_or_default();
            }
            HostOperation::Lookup { .. } => answer.value = bytes(&self.words, value_bytes),
            HostOperation::Dump { .. } | HostOperation::Next { .. } => {
                let is_next = matches!(self.operation, HostOperation::Next { .. });
                let of_slot = self.words.len().min(usize::from(is_next));
                let (slot, words) = self.words.split_at(of_slot);
                let of_key = words.len().min(key_bytes.div_ceil(4) as usize);
                let (key, value) = words.split_at(of_key);
                answer.slot = slot.first().copied().unwrap_or_default();
                answer.key = bytes(key, key_bytes);
                answer.value = bytes(value, value_bytes);
            }
            _ => {}
        }
        answer
    }
}

/// An operation as accesses, and which of them is repeated until the command is done.
fn accesses(
    maps: &[Map],
    operation: &HostOperation,
) -> Result<(Vec<Access>, Option<usize>), Fault> {
    let write = |address, data| Access::Write { address, data };
    let (number, command) = match operation {
        HostOperation::ReadRegister { address } => {
            return Ok((vec![Access::Read { address: *address }], None));
        }
        HostOperation::WriteRegister { address, data } => {
            return Ok((vec![write(*address, *data)], None));
        }
        HostOperation::Lookup { map, .. } => (*map, command::LOOKUP),
        HostOperation::Update { map, .. } => (*map, command::UPDATE),
        HostOperation::Delete { map, .. } => (*map, command::DELETE),
        HostOperation::Dump { map, .. } => (*map, command::DUMP),
        HostOperation::Next { map, .. } => (*map, command::NEXT),
    };
    let map = maps.get(number).ok_or(Fault::UnknownMap {
        map: number,
        maps: maps.len(),
    })?;
    let mut all = vec![write(register::MAP_SELECT, map.select)];
    match operation {
        HostOperation::Lookup { key, .. } | HostOperation::Delete { key, .. } => {
            all.extend(write_key(map, key)?);
        }
        HostOperation::Update {
            key, value, may, ..
        } => {
            all.extend(write_key(map, key)?);
            all.extend(write_value(map, value)?);
            all.push(write(register::MAP_MAY, may.bits()));
        }
        HostOperation::Dump { slot, .. } | HostOperation::Next { slot, .. } => {
            all.push(write(register::MAP_SLOT, *slot));
        }
        HostOperation::ReadRegister { .. } | HostOperation::WriteRegister { .. } => {}
    }
    all.push(write(register::MAP_COMMAND, command));
    let poll = all.len();
    all.push(Access::Read {
        address: register::MAP_STATUS,
    });
    if command == command::NEXT {
        all.extend(reads(register::MAP_HANDLE, 4));
    }
    if matches!(command, command::DUMP | command::NEXT) {
        all.extend(reads(register::KEY, map.key_bytes));
    }
    if matches!(command, command::DUMP | command::NEXT | command::LOOKUP) {
        all.extend(reads(register::VALUE, map.value_bytes));
    }
    Ok((all, Some(poll)))
}

fn write_key(map: &Map, key: &[u8]) -> Result<impl Iterator<Item = Access>, Fault> {
    check_size(map, "key", key, map.key_bytes)?;
    Ok(writes(register::KEY, key))
}

fn write_value(map: &Map, value: &[u8]) -> Result<impl Iterator<Item = Access>, Fault> {
    check_size(map, "value", value, map.value_bytes)?;
    Ok(writes(register::VALUE, value))
}

fn check_size(map: &Map, what: &'static str, given: &[u8], expected: u32) -> Result<(), Fault> {
    match given.len() == expected as usize {
        true => Ok(()),
        false => Err(Fault::Size {
            map: map.name.clone(),
            what,
            expected,
            given: given.len(),
        }),
    }
}

/// Bytes as the words of a register from an address on, in memory order.
fn writes(base: u32, bytes: &[u8]) -> impl Iterator<Item = Access> {
    let words: Vec<u32> = words(bytes).collect();
    words.into_iter().zip(0..).map(move |(data, index)| {
        let address = base + 4 * index;
        Access::Write { address, data }
    })
}

fn reads(base: u32, bytes: u32) -> impl Iterator<Item = Access> {
    (0..bytes.div_ceil(4)).map(move |index| Access::Read {
        address: base + 4 * index,
    })
}

/// Bytes as words in memory order; what is missing in the last one is 0.
pub fn words(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.chunks(4).map(|chunk| {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        u32::from_le_bytes(word)
    })
}

/// The first bytes of words in memory order.
fn bytes(words: &[u32], count: u32) -> Vec<u8> {
    let mut all: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    all.truncate(count as usize);
    all
}

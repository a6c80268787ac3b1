//! Every register of the host port: where it is, what is in it, who may do what with it. Hardware, drivers and the papers of a
//! design take it from here.
//!
//! Addresses are byte offsets of words of 32 bits. Counters of 64 bits have their low word first; reading the low word latches
//! the high one. What has no effect is answered with SLVERR (AMBA AXI, A3.4.4): an address without a register, a write of
//! parts of a word or of what can only be read, and of a map register (0x0200 and above) while a command is busy.

use crate::processor::registers_of;

/// Identification: the letters `HPTH`.
pub const MAGIC: u32 = 0x4850_5448;
/// Bytes that the registers of a design take in an address space: their addresses have 16 bits.
pub const SPACE: u32 = 0x1_0000;
/// Entries of the port table.
pub const PORTS: u32 = 16;
/// Counters of what packets are counted as.
pub const OUTCOMES: usize = 5;

/// The registers that any design has, by rising offset. [`register`] has the offsets alone, and
/// [`PROCESSOR_REGISTERS`](crate::PROCESSOR_REGISTERS) are those that processors have beside them.
pub const REGISTERS: [Register; 21] = [
    word(
        "MAGIC",
        register::MAGIC,
        Rights::Read,
        "identification: the letters HPTH",
    ),
    word(
        "VERSION",
        register::VERSION,
        Rights::Read,
        "version of the register map, major in the high half",
    )
    .with(&[field::MINOR, field::MAJOR]),
    word(
        "DESIGN_ID",
        register::DESIGN_ID,
        Rights::Read,
        "a hash of the program",
    ),
    word(
        "STATUS",
        register::STATUS,
        Rights::Read,
        "bit 0: reset has cleared all maps, packets are taken in",
    )
    .with(&[field::READY]),
    counter(
        "PACKETS_IN",
        register::PACKETS_IN,
        "packets that entered the program",
    ),
    counter(
        "DROPPED_BAD",
        register::DROPPED_BAD,
        "frames that the MAC marked bad",
    ),
    counter(
        "DROPPED_LENGTH",
        register::DROPPED_LENGTH,
        "frames too short for the program, or longer than 9,216 bytes",
    ),
    outcome("OUTCOME_0", 0, "packets that were counted as 0"),
    outcome("OUTCOME_1", 1, "packets that were counted as 1"),
    outcome("OUTCOME_2", 2, "packets that were counted as 2"),
    outcome("OUTCOME_3", 3, "packets that were counted as 3"),
    outcome("OUTCOME_4", 4, "packets that were counted as 4"),
    Register {
        words: Words::Fixed(2 * PORTS),
        ..word(
            "PORT_TABLE",
            register::PORT_TABLE,
            Rights::Both,
            "16 entries of two words, 8 bytes apart: interface, number added to the queue",
        )
    }
    .with(&[field::INTERFACE, field::FIRST_QUEUE]),
    word(
        "MAP_SELECT",
        register::MAP_SELECT,
        Rights::Both,
        "the map that a command is for",
    ),
    word(
        "MAP_COMMAND",
        register::MAP_COMMAND,
        Rights::Write,
        "starts a command",
    )
    .with(&[field::COMMAND]),
    word(
        "MAP_STATUS",
        register::MAP_STATUS,
        Rights::Read,
        "bit 31: busy; bits 2:0: what the last command gave",
    )
    .with(&[field::ANSWER, field::BUSY]),
    word(
        "MAP_MAY",
        register::MAP_MAY,
        Rights::Both,
        "what an update may do",
    )
    .with(&[field::MAY_CREATE, field::MAY_REPLACE]),
    word(
        "MAP_SLOT",
        register::MAP_SLOT,
        Rights::Both,
        "the slot that DUMP reads and NEXT begins at; NEXT moves it behind the entry",
    ),
    word(
        "MAP_HANDLE",
        register::MAP_HANDLE,
        Rights::Read,
        "the slot of the entry that the last command was done on",
    ),
    Register {
        words: Words::OfKeys,
        ..word(
            "KEY",
            register::KEY,
            Rights::Both,
            "key, as 32-bit words in memory order",
        )
    },
    Register {
        words: Words::OfValues,
        ..word(
            "VALUE",
            register::VALUE,
            Rights::Both,
            "value, as 32-bit words in memory order",
        )
    },
];

/// The commands of MAP_COMMAND: name, number, what it takes and gives.
pub const COMMANDS: [(&str, u32, &str); 5] = [
    ("LOOKUP", command::LOOKUP, "KEY -> VALUE, or MISSING"),
    ("UPDATE", command::UPDATE, "KEY, VALUE, MAP_MAY"),
    ("DELETE", command::DELETE, "KEY"),
    (
        "DUMP",
        command::DUMP,
        "slot MAP_SLOT -> KEY, VALUE; MISSING: empty, BAD_INDEX: behind the last slot",
    ),
    (
        "NEXT",
        command::NEXT,
        "the first entry from slot MAP_SLOT on -> KEY, VALUE, MAP_HANDLE; MISSING: there is none",
    ),
];

/// Byte offsets of the registers. `R`: read, `W`: write.
pub mod register {
    /// R: [`super::MAGIC`].
    pub const MAGIC: u32 = 0x0000;
    /// R: [`crate::version`].
    pub const VERSION: u32 = 0x0004;
    /// R: a hash of the program, the same for the same design.
    pub const DESIGN_ID: u32 = 0x0008;
    /// R: [`READY`](super::field::READY).
    pub const STATUS: u32 = 0x000c;
    /// R, 64 bits each.
    pub const PACKETS_IN: u32 = 0x0010;
    /// R, 64 bits: frames marked bad by the MAC.
    pub const DROPPED_BAD: u32 = 0x0018;
    /// R, 64 bits: frames too short for the program, or longer than 9,216 bytes.
    pub const DROPPED_LENGTH: u32 = 0x0020;
    /// R, 64 bits each: packets by what they were counted as, [`OUTCOMES`](super::OUTCOMES) counters
    /// ([`Design::outcomes`](crate::Design::outcomes)).
    pub const OUTCOMES: u32 = 0x0028;
    /// R, 64 bits each: what a processor counts ([`Event`](crate::Event)). Only of processors.
    pub const EVENTS: u32 = 0x0050;
    /// RW: port table: [`PORTS`](super::PORTS) entries of two words: interface, then a number that is added to the queue. Only
    /// of designs that ask where a packet came in.
    pub const PORT_TABLE: u32 = 0x0100;
    /// RW: the map that the command is for, by its place in [`Design::maps`](crate::Design::maps).
    pub const MAP_SELECT: u32 = 0x0200;
    /// W: starts a command, see [`super::command`].
    pub const MAP_COMMAND: u32 = 0x0204;
    /// R: [`BUSY`](super::field::BUSY), and [`ANSWER`](super::field::ANSWER): what the command gave, an
    /// [`Answer`](crate::Answer).
    pub const MAP_STATUS: u32 = 0x0208;
    /// RW: what an update may do, a [`May`](crate::May).
    pub const MAP_MAY: u32 = 0x020c;
    /// RW: the slot that [`DUMP`](super::command::DUMP) reads and [`NEXT`](super::command::NEXT) begins at, which leaves here the one
    /// behind the entry that it gave.
    pub const MAP_SLOT: u32 = 0x0210;
    /// R: the slot of the entry that the last command was done on, its *handle*: as long as the entry is there, that is until it is
    /// deleted or forgotten, [`DUMP`](super::command::DUMP) of this slot reads it. Where an entry was deleted, the slot in which
    /// it stood. A command that is not done leaves it as it is; of a foreign key ([`Map::stored`](crate::Map::stored)) it means
    /// nothing.
    pub const MAP_HANDLE: u32 = 0x0214;
    /// W, bit 1 is 0: begins to load a program into a processor; what was loaded and does not run yet is forgotten. Bit 1 is 1: the
    /// program that waits for the host takes packets. R: how that goes: [`LOAD_STATUS`](super::field::LOAD_STATUS).
    pub const LOAD: u32 = 0x0400;
    /// R: clocks from the last word of a load to the first one in which its program takes packets.
    pub const LOAD_CLOCKS: u32 = 0x0404;
    /// R: packets that had entered when the program that runs took over, modulo 2^32: the first of its own has this number. It counts on
    /// while packets of the program before come in; what it says is final when none of them is inside.
    pub const LOAD_BEFORE: u32 = 0x0408;
    /// W: the next word of the program, at whichever of its 256 addresses it is written. Only of processors.
    pub const PROGRAM: u32 = 0x0800;
    /// RW: key, as 32-bit words in memory order.
    pub const KEY: u32 = 0x1000;
    /// RW: value, likewise.
    pub const VALUE: u32 = 0x2000;
}

/// Commands for [`register::MAP_COMMAND`].
pub mod command {
    /// KEY → VALUE, or MISSING.
    pub const LOOKUP: u32 = 1;
    /// KEY, VALUE, MAP_MAY.
    pub const UPDATE: u32 = 2;
    /// KEY.
    pub const DELETE: u32 = 3;
    /// Reads slot MAP_SLOT: KEY and VALUE, or MISSING when the slot is empty, BAD_INDEX behind the last slot.
    pub const DUMP: u32 = 4;
    /// Looks for an entry from slot MAP_SLOT on, slot by slot: KEY and VALUE of the first one, its slot in MAP_HANDLE and the one behind
    /// it in MAP_SLOT, where the next NEXT goes on; or MISSING when there is none. Each slot is looked at in its turn among the
    /// packets, as a dump does: an entry that is there all the time is given, one that comes or goes meanwhile may be.
    pub const NEXT: u32 = 5;
}

/// The parts of words that are not one number.
pub mod field {
    use super::Field;

    /// 16 bits of [`register::VERSION`](super::register::VERSION): a driver serves designs of no larger one.
    pub const MINOR: Field = Field::new("MINOR", (0, 16), "the lower half of the version");
    /// 16 bits of [`register::VERSION`](super::register::VERSION): a driver serves designs of the same one only.
    pub const MAJOR: Field = Field::new("MAJOR", (16, 16), "the upper half of the version");
    /// A bit of [`register::STATUS`](super::register::STATUS).
    pub const READY: Field = Field::new(
        "READY",
        (0, 1),
        "reset has cleared all maps and packets are taken in",
    );
    /// The first word, 32 bits, of an entry of [`register::PORT_TABLE`](super::register::PORT_TABLE).
    pub const INTERFACE: Field = Field::new("INTERFACE", (0, 32), "of packets of the port");
    /// 16 bits of the second word of an entry of [`register::PORT_TABLE`](super::register::PORT_TABLE).
    pub const FIRST_QUEUE: Field = Field {
        word: 1,
        ..Field::new("FIRST_QUEUE", (0, 16), "is added to the queue")
    };
    /// 3 bits of [`register::MAP_COMMAND`](super::register::MAP_COMMAND): one of [`super::command`].
    pub const COMMAND: Field = Field::new("COMMAND", (0, 3), "what is done");
    /// 3 bits of [`register::MAP_STATUS`](super::register::MAP_STATUS): the number of an [`Answer`](crate::Answer).
    pub const ANSWER: Field = Field::new("ANSWER", (0, 3), "what the last command gave");
    /// A bit of [`register::MAP_MAY`](super::register::MAP_MAY): [`May::create`](crate::May::create).
    pub const MAY_CREATE: Field =
        Field::new("MAY_CREATE", (0, 1), "make an entry that is not there");
    /// A bit of [`register::MAP_MAY`](super::register::MAP_MAY): [`May::replace`](crate::May::replace).
    pub const MAY_REPLACE: Field = Field::new("MAY_REPLACE", (1, 1), "write an entry that is");
    /// 6 bits of [`register::LOAD`](super::register::LOAD): words are missing; a program waits until it may run; what was loaded last is
    /// not for this processor, or was altered on the way, or came too early; a program runs; it waits for the host; packets of the
    /// program before are inside, and until they have left nothing can be loaded.
    pub const LOAD_STATUS: Field = Field::new(
        "LOAD_STATUS",
        (0, 6),
        "missing, waits, wrong, runs, holds, old",
    );
    /// The top bit of [`register::MAP_STATUS`](super::register::MAP_STATUS); while it is 1, no map register can be written.
    pub const BUSY: Field = Field::new("BUSY", (31, 1), "a command is under way");
}

/// A register of the host port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Register {
    /// In capitals, as C headers and papers have it.
    pub name: &'static str,
    /// Of its first byte.
    pub offset: u32,
    /// Of one number in it.
    pub bits: u32,
    /// How many words it has.
    pub words: Words,
    /// Whether it is read, written, or both.
    pub access: Rights,
    /// One line for papers and comments.
    pub meaning: &'static str,
    /// Empty: a word is one number.
    pub fields: &'static [Field],
}

/// How many words of 32 bits a register has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Words {
    /// As many in every design.
    Fixed(u32),
    /// As many as the widest key of the design.
    OfKeys,
    /// As many as the widest value of the design.
    OfValues,
}

/// What a host may do with a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rights {
    /// Only read it; a write is answered with SLVERR.
    Read,
    /// It reads as 0.
    Write,
    /// Read and write it.
    Both,
}

/// Some bits of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// In capitals, as C headers and papers have it.
    pub name: &'static str,
    /// Which word of an entry.
    pub word: u32,
    /// The lowest bit.
    pub low: u32,
    /// How many bits it has, 1 to 32.
    pub bits: u32,
    /// One line for papers and comments.
    pub meaning: &'static str,
}

impl Register {
    /// What it holds in a design that counts packets as these ([`Design::outcomes`](crate::Design::outcomes)).
    pub fn meaning_with(&self, outcomes: &[String]) -> String {
        let number = self.offset.checked_sub(register::OUTCOMES);
        let number = number.map(|bytes| bytes as usize / 8);
        let name = number.filter(|number| *number < OUTCOMES);
        let name = name.and_then(|number| outcomes.get(number));
        let named = name.map_or_else(String::new, |name| format!(": {name}"));
        format!("{}{named}", self.meaning)
    }

    /// Whether designs with a port table have it, and those without.
    pub fn is_there(&self, has_port_table: bool) -> bool {
        has_port_table || self.offset != register::PORT_TABLE
    }

    /// In a design whose widest keys and values have so many bits.
    pub fn words(&self, key_bits: u32, value_bits: u32) -> u32 {
        match self.words {
            Words::Fixed(words) => words,
            Words::OfKeys => key_bits.div_ceil(32),
            Words::OfValues => value_bits.div_ceil(32),
        }
    }

    const fn with(self, fields: &'static [Field]) -> Register {
        Register { fields, ..self }
    }
}

impl Rights {
    /// As tables of registers have it.
    pub fn letters(self) -> &'static str {
        match self {
            Rights::Read => "R",
            Rights::Write => "W",
            Rights::Both => "RW",
        }
    }

    /// Whether a write has an effect.
    pub fn may_write(self) -> bool {
        self != Rights::Read
    }
}

impl Field {
    const fn new(name: &'static str, (low, bits): (u32, u32), meaning: &'static str) -> Field {
        Field {
            name,
            word: 0,
            low,
            bits,
            meaning,
        }
    }

    /// Its ones.
    pub const fn mask(self) -> u32 {
        (u32::MAX >> (32 - self.bits)) << self.low
    }

    /// What it holds in a word.
    pub const fn of(self, word: u32) -> u32 {
        (word & self.mask()) >> self.low
    }
}

/// The register that an address is of, for messages; it need not be the first word of it.
pub fn name_of(address: u32) -> &'static str {
    let all = registers_of(true, true);
    let before = all.into_iter().rfind(|one| one.offset <= address);
    let is_inside = |one: &&'static Register| match one.words {
        Words::Fixed(words) => address - one.offset < words * 4,
        Words::OfKeys => true,
        Words::OfValues => address < SPACE,
    };
    before
        .filter(is_inside)
        .map_or("no register", |one| one.name)
}

pub(crate) const fn word(
    name: &'static str,
    offset: u32,
    access: Rights,
    meaning: &'static str,
) -> Register {
    Register {
        name,
        offset,
        bits: 32,
        words: Words::Fixed(1),
        access,
        meaning,
        fields: &[],
    }
}

const fn outcome(name: &'static str, number: u32, meaning: &'static str) -> Register {
    counter(name, register::OUTCOMES + 8 * number, meaning)
}

pub(crate) const fn counter(name: &'static str, offset: u32, meaning: &'static str) -> Register {
    Register {
        bits: 64,
        words: Words::Fixed(2),
        ..word(name, offset, Rights::Read, meaning)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was given out stays as it is: designs and drivers that are out there go by it.
    #[test]
    fn addresses_stay() {
        let given_out = [
            ("MAGIC", 0x0000, "R"),
            ("VERSION", 0x0004, "R"),
            ("DESIGN_ID", 0x0008, "R"),
            ("STATUS", 0x000c, "R"),
            ("PACKETS_IN", 0x0010, "R"),
            ("DROPPED_BAD", 0x0018, "R"),
            ("DROPPED_LENGTH", 0x0020, "R"),
            ("OUTCOME_0", 0x0028, "R"),
            ("OUTCOME_1", 0x0030, "R"),
            ("OUTCOME_2", 0x0038, "R"),
            ("OUTCOME_3", 0x0040, "R"),
            ("OUTCOME_4", 0x0048, "R"),
            ("PORT_TABLE", 0x0100, "RW"),
            ("MAP_SELECT", 0x0200, "RW"),
            ("MAP_COMMAND", 0x0204, "W"),
            ("MAP_STATUS", 0x0208, "R"),
            ("MAP_MAY", 0x020c, "RW"),
            ("MAP_SLOT", 0x0210, "RW"),
            ("MAP_HANDLE", 0x0214, "R"),
            ("KEY", 0x1000, "RW"),
            ("VALUE", 0x2000, "RW"),
        ];
        let table = REGISTERS.map(|one| (one.name, one.offset, one.access.letters()));
        assert_eq!(table, given_out);
        assert_eq!(COMMANDS.map(|(_, number, _)| number), [1, 2, 3, 4, 5]);
        assert_eq!(MAGIC.to_be_bytes(), *b"HPTH");
    }

    #[test]
    fn registers_and_fields_do_not_overlap() {
        let widest_key = (register::VALUE - register::KEY) * 8;
        let widest_value = (SPACE - register::VALUE) * 8;
        let mut end = 0;
        for one in &REGISTERS {
            assert!(
                one.offset >= end && one.offset.is_multiple_of(4),
                "{}",
                one.name
            );
            end = one.offset + 4 * one.words(widest_key, widest_value);
            assert!(one.offset.is_multiple_of(one.bits / 8), "{}", one.name);
            let mut taken = [0; 2];
            for part in one.fields {
                let word = &mut taken[part.word as usize];
                assert!(part.low + part.bits <= 32 && *word & part.mask() == 0);
                *word |= part.mask();
            }
        }
        assert_eq!(end, SPACE);
    }

    #[test]
    fn fields_are_cut() {
        let status = 0x8000_0005;
        assert_eq!((field::BUSY.of(status), field::ANSWER.of(status)), (1, 5));
        assert_eq!(field::INTERFACE.of(u32::MAX), u32::MAX);
        assert_eq!(field::MAJOR.of(0x0002_0001), 2);
    }

    #[test]
    fn addresses_have_names() {
        let names = [0, 0x14, 0xd0, 0x17c, 0x180, 0x208, 0x1234, 0xfffc, SPACE].map(name_of);
        let nowhere = "no register";
        assert_eq!(
            names,
            [
                "MAGIC",
                "PACKETS_IN",
                nowhere,
                "PORT_TABLE",
                nowhere,
                "MAP_STATUS",
                "KEY",
                "VALUE",
                nowhere
            ]
        );
    }
}

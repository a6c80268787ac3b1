//! What goes wrong between a driver and a design: where, what, and what to do next.

use crate::address_map::{field, name_of, register, MAGIC, PORTS};
use crate::answer::Answer;
use crate::operation::{Access, HostOperation};
use std::fmt;

/// What is wrong with a design's answers, or with what it is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// There is no map of that number.
    UnknownMap {
        /// The number that was asked for.
        map: usize,
        /// How many maps the design has; their numbers are below.
        maps: usize,
    },
    /// A key or a value has another length, in bytes.
    Size {
        /// The map's name.
        map: String,
        /// `key` or `value`.
        what: &'static str,
        /// Bytes that the map has.
        expected: u32,
        /// Bytes that were given.
        given: usize,
    },
    /// The port table has no such entry.
    NoSuchPort {
        /// The entry that was asked for; there are [`PORTS`].
        port: u8,
    },
    /// The design has no port table.
    NoPortTable,
    /// A register reads as all ones where no design has them.
    Absent {
        /// The register's byte offset.
        address: u32,
    },
    /// MAGIC is another word.
    NoDesign {
        /// The word that was read instead.
        given: u32,
    },
    /// The design's version of the register map is not the one that its description asks for, or one that this crate does not know.
    Version {
        /// What VERSION reads, major in the high half.
        given: u32,
        /// The version that the driver speaks, likewise.
        expected: u32,
    },
    /// The design is another program's.
    OtherProgram {
        /// What DESIGN_ID reads.
        given: u32,
        /// [`Design::design_id`](crate::Design::design_id) of the description.
        expected: u32,
    },
    /// The design has other maps than its description; `seen`: what told so.
    OtherMaps {
        /// A sentence for the message.
        seen: String,
    },
    /// Reset has not cleared the maps yet, after so many reads of STATUS.
    NotReady {
        /// How many reads there were.
        polls: u64,
    },
    /// A command does not end; so many reads of MAP_STATUS said that it is busy.
    Busy {
        /// What the command is for, in words ([`HostOperation::describe`]).
        operation: String,
        /// How many reads there were.
        polls: u64,
    },
    /// The design answers what it must not on a key that it does not store.
    Foreign {
        /// What the design was asked in place of the operation on the key.
        question: HostOperation,
        /// What it answered.
        given: Answer,
    },
    /// A slot cannot be read.
    Slot {
        /// The map's name.
        map: String,
        /// Its number, which is below [`Map::slots`](crate::Map::slots).
        slot: u32,
        /// What the dump of it gave.
        answer: Answer,
    },
    /// NEXT gives an entry of a slot where none was asked for.
    NextSlot {
        /// The map's name.
        map: String,
        /// The slot from which was searched.
        slot: u32,
        /// The slot that the design gave.
        given: u32,
    },
    /// A command ends with a number that is no [`Answer`].
    Answer {
        /// What ANSWER reads, in 3 bits.
        given: u32,
    },
    /// Two slots hold the same key.
    KeyTwice {
        /// The map's name.
        map: String,
        /// The key, in memory order.
        key: Vec<u8>,
    },
}

impl Fault {
    /// Stable, in kebab case, as the codes of all messages are: `docs/codes.md` explains them.
    pub fn code(&self) -> &'static str {
        match self {
            Fault::UnknownMap { .. } => "unknown-map",
            Fault::Size { .. } => "map-size",
            Fault::NoSuchPort { .. } | Fault::NoPortTable => "port-out-of-range",
            Fault::Absent { .. } | Fault::Answer { .. } => "host-port-error",
            Fault::NoDesign { .. }
            | Fault::Version { .. }
            | Fault::OtherProgram { .. }
            | Fault::OtherMaps { .. } => "not-this-design",
            Fault::NotReady { .. } => "design-hangs",
            Fault::Busy { .. } => "host-port-hangs",
            Fault::Foreign { .. } => "foreign-key",
            Fault::Slot { .. } | Fault::NextSlot { .. } => "map-dump-failed",
            Fault::KeyTwice { .. } => "map-key-twice",
        }
    }

    /// Whoever asked is wrong, and not the design.
    pub fn is_input(&self) -> bool {
        matches!(
            self,
            Fault::UnknownMap { .. }
                | Fault::Size { .. }
                | Fault::NoSuchPort { .. }
                | Fault::NoPortTable
        )
    }

    /// What to do next.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Fault::UnknownMap { .. } | Fault::Size { .. } => None,
            Fault::NoSuchPort { .. } => None,
            Fault::NoPortTable => {
                Some("its program does not ask where packets come in: leave the ports as they are")
            }
            Fault::Absent { .. } => Some(
                "look whether the design is loaded, its clock runs, and it stands at this address; a bus without a device, or \
                 one that lost it, reads as ones",
            ),
            Fault::NoDesign { .. } => Some("compile the program again, or give the base address at which the design stands"),
            Fault::Version { .. } | Fault::OtherProgram { .. } | Fault::OtherMaps { .. } => {
                Some("compile the program again, or load the design that was made with this description")
            }
            Fault::NotReady { .. } => {
                Some("look whether the design's clock runs and its reset was released; large maps take a clock for each entry")
            }
            Fault::Busy { .. } => Some("look whether the design's clock runs; a reset ends the command, and clears all maps"),
            Fault::Foreign { .. } => Some(
                "this is a defect of the generated design, or its maps hold keys of another driver: reset it, or please report it",
            ),
            Fault::Slot { .. } => None,
            Fault::KeyTwice { .. } | Fault::NextSlot { .. } | Fault::Answer { .. } => Some("this is a defect of the generated design: please report it"),
        }
    }
}

impl fmt::Display for Fault {
    /// A sentence without its help.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::UnknownMap { map, maps } => {
                write!(f, "map number {map} of a design with {maps} maps")
            }
            Fault::Size {
                map,
                what,
                expected,
                given,
            } => write!(f, "map {map}: a {what} has {expected} bytes, not {given}"),
            Fault::NoSuchPort { port } => write!(
                f,
                "ingress port {port} does not exist: the port table has {PORTS} entries"
            ),
            Fault::NoPortTable => f.write_str("the design has no port table"),
            Fault::Absent { address } => {
                let name = name_of(*address);
                write!(
                    f,
                    "register {address:#06x} ({name}) reads as all ones, which no design has there"
                )
            }
            Fault::NoDesign { given } => {
                let at = register::MAGIC;
                write!(f, "the design is another one: its identification (register {at:#06x}) is {given:#010x}, not {MAGIC:#010x}")
            }
            Fault::Version { given, expected } => {
                let at = register::VERSION;
                let [major, minor] = [field::MAJOR, field::MINOR].map(|part| part.of(*given));
                write!(
                    f,
                    "the design is another one: its interface ({major}.{minor}, register {at:#06x}) has version {given:#010x}, not \
                     {expected:#010x}"
                )
            }
            Fault::OtherProgram { given, expected } => {
                let at = register::DESIGN_ID;
                write!(f, "the design is another one: its program (register {at:#06x}) is {given:#010x}, not {expected:#010x}")
            }
            Fault::OtherMaps { seen } => write!(f, "the design has other maps: {seen}"),
            Fault::NotReady { polls } => {
                let at = register::STATUS;
                write!(f, "the design is not ready: bit 0 of register {at:#06x} (STATUS) is 0 after {polls} reads")
            }
            Fault::Busy { operation, polls } => {
                let at = register::MAP_STATUS;
                write!(
                    f,
                    "the {operation} does not end: bit 31 of register {at:#06x} (MAP_STATUS) is 1 after {polls} reads"
                )
            }
            Fault::Foreign { question, given } => write!(
                f,
                "the design answers {} to {question:?}, whose key it does not store",
                given.name()
            ),
            Fault::Slot { map, slot, answer } => {
                write!(f, "slot {slot} of map {map}: {answer}")
            }
            Fault::NextSlot { map, slot, given } => write!(
                f,
                "map {map}: the next entry from slot {slot} on is said to be in slot {given}"
            ),
            Fault::Answer { given } => {
                let at = register::MAP_STATUS;
                write!(
                    f,
                    "register {at:#06x} (MAP_STATUS) says {given}, which is no answer of a command"
                )
            }
            Fault::KeyTwice { map, key } => write!(f, "map {map} holds key {key:02x?} twice"),
        }
    }
}

impl std::error::Error for Fault {}

/// Why a [`Driver`](crate::Driver) has no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error<E> {
    /// The design's name.
    pub design: String,
    /// What went wrong.
    pub cause: Cause<E>,
}

/// What is behind an [`Error`]; `E`: the bus's own error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cause<E> {
    /// The bus did not carry out an access, or the design refused it.
    Bus {
        /// The transfer that failed.
        access: Access,
        /// What the bus says.
        error: E,
    },
    /// All accesses were carried out; what came of them is wrong.
    Fault(Fault),
}

impl<E: fmt::Display> fmt::Display for Error<E> {
    /// Where and what; on a second line what to do next.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.design)?;
        let help = match &self.cause {
            Cause::Bus { access, error } => {
                write!(f, "the {} fails: {error}", access.describe())?;
                Some("look whether the design is loaded and stands at this address; it refuses (SLVERR) what has no effect, and map \
                      registers while a command is busy")
            }
            Cause::Fault(fault) => {
                write!(f, "{fault}")?;
                fault.help()
            }
        };
        match help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

impl<E: fmt::Display + fmt::Debug> std::error::Error for Error<E> {}

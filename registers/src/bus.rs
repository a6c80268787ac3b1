//! How a driver reaches registers, and where designs stand in an address space.

use crate::address_map::SPACE;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Reads and writes words of 32 bits: a BAR, a socket, the pins of a simulated design. Addresses are bytes and multiples of 4.
pub trait Bus {
    /// Why a word did not come or was not taken, a refusal of the design (SLVERR) among it.
    type Error: fmt::Display;

    /// # Errors
    /// The word did not come.
    fn read32(&mut self, address: u64) -> Result<u32, Self::Error>;

    /// # Errors
    /// The word was not taken.
    fn write32(&mut self, address: u64, data: u32) -> Result<(), Self::Error>;

    /// A design said so many times, one after the other, that it is not done yet. False: this was asked often enough. A bus
    /// may sleep here, or look at a clock.
    fn waits(&mut self, polls: u64) -> bool {
        polls < POLLS
    }
}

/// How often a design is asked whether it is done, where a bus has no opinion: a second and more over PCIe, where a read takes
/// about a microsecond. Operations take some dozens of clocks, those of prefixes up to a clock for each entry, and a search for the
/// next one some dozens for each empty row of a large table: milliseconds.
pub const POLLS: u64 = 1_000_000;

impl<B: Bus + ?Sized> Bus for &mut B {
    type Error = B::Error;

    fn read32(&mut self, address: u64) -> Result<u32, B::Error> {
        (**self).read32(address)
    }

    fn write32(&mut self, address: u64, data: u32) -> Result<(), B::Error> {
        (**self).write32(address, data)
    }

    fn waits(&mut self, polls: u64) -> bool {
        (**self).waits(polls)
    }
}

/// A bus that several drivers use in turn, each for an access; one that sleeps in [`Bus::waits`] holds up all of them. A design
/// must have one driver, or a lock of its own.
impl<B: Bus> Bus for &Mutex<B> {
    type Error = B::Error;

    fn read32(&mut self, address: u64) -> Result<u32, B::Error> {
        locked(self).read32(address)
    }

    fn write32(&mut self, address: u64, data: u32) -> Result<(), B::Error> {
        locked(self).write32(address, data)
    }

    fn waits(&mut self, polls: u64) -> bool {
        locked(self).waits(polls)
    }
}

/// A panic while the lock was held leaves nothing half done: an access is carried out or not.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Several designs behind one bus.
pub struct AddressSpace<B> {
    bus: Mutex<B>,
    bytes: u64,
    /// The designs by their base addresses.
    taken: Mutex<BTreeMap<u64, String>>,
}

impl<B: Bus> AddressSpace<B> {
    /// `bytes`: how large it is, as a BAR's size.
    pub fn new(bus: B, bytes: u64) -> AddressSpace<B> {
        AddressSpace {
            bus: Mutex::new(bus),
            bytes,
            taken: Mutex::default(),
        }
    }

    /// The registers of a design that stands from `base` on: the bus of its driver.
    ///
    /// # Errors
    /// A base that is no multiple of [`SPACE`], at which the design does not fit in, or at which another one stands.
    pub fn place(&self, design: &str, base: u64) -> Result<At<&Mutex<B>>, Misplaced> {
        let at = At::new(&self.bus, design, base)?;
        let misplaced = |reason| Misplaced {
            design: design.to_owned(),
            base,
            reason,
        };
        if base + u64::from(SPACE) > self.bytes {
            return Err(misplaced(Reason::Outside { bytes: self.bytes }));
        }
        let mut taken = locked(&self.taken);
        if let Some(other) = taken.get(&base) {
            let other = other.clone();
            return Err(misplaced(Reason::Taken { other }));
        }
        taken.insert(base, design.to_owned());
        Ok(at)
    }
}

/// The registers of one design, from a base address on.
#[derive(Clone, Debug)]
pub struct At<B> {
    bus: B,
    /// For messages.
    design: String,
    base: u64,
}

impl<B> At<B> {
    /// # Errors
    /// The base is no multiple of [`SPACE`], as decoders of addresses want it, or lies at the end of all addresses.
    pub fn new(bus: B, design: &str, base: u64) -> Result<At<B>, Misplaced> {
        let reason = match base {
            _ if !base.is_multiple_of(SPACE.into()) => Reason::Unaligned,
            _ if base.checked_add(SPACE.into()).is_none() => Reason::Outside { bytes: u64::MAX },
            _ => {
                return Ok(At {
                    bus,
                    design: design.to_owned(),
                    base,
                });
            }
        };
        Err(Misplaced {
            design: design.to_owned(),
            base,
            reason,
        })
    }

    /// Where the word stands on the bus.
    fn place<E>(&self, address: u64) -> Result<u64, AtError<E>> {
        let is_inside = address < u64::from(SPACE) && address.is_multiple_of(4);
        match is_inside {
            true => Ok(self.base + address),
            false => Err(AtError::NoWord {
                design: self.design.clone(),
                address,
            }),
        }
    }

    fn error<E>(&self, address: u64, error: E) -> AtError<E> {
        AtError::Bus {
            design: self.design.clone(),
            address,
            error,
        }
    }
}

impl<B: Bus> Bus for At<B> {
    type Error = AtError<B::Error>;

    fn read32(&mut self, address: u64) -> Result<u32, Self::Error> {
        let place = self.place(address)?;
        let given = self.bus.read32(place);
        given.map_err(|error| self.error(place, error))
    }

    fn write32(&mut self, address: u64, data: u32) -> Result<(), Self::Error> {
        let place = self.place(address)?;
        let given = self.bus.write32(place, data);
        given.map_err(|error| self.error(place, error))
    }

    fn waits(&mut self, polls: u64) -> bool {
        self.bus.waits(polls)
    }
}

/// Why a word of a design could not be reached; `E`: the error of the bus below.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AtError<E> {
    /// No word of a design has that address, counted from its base.
    NoWord {
        /// Its name.
        design: String,
        /// In bytes from the design's base.
        address: u64,
    },
    /// The bus below; the address is the one on this bus.
    Bus {
        /// The name of the one that the access was for.
        design: String,
        /// In bytes, the base included.
        address: u64,
        /// What the bus says.
        error: E,
    },
}

impl<E: fmt::Display> fmt::Display for AtError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AtError::NoWord { design, address } => write!(
                f,
                "design {design} has no word at {address:#x}: its addresses are multiples of 4 below {SPACE:#x}"
            ),
            AtError::Bus {
                design,
                address,
                error,
            } => write!(f, "address {address:#x} of the bus, of design {design}: {error}"),
        }
    }
}

impl<E: fmt::Display + fmt::Debug> std::error::Error for AtError<E> {}

/// A design cannot stand at a base address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misplaced {
    /// Its name.
    pub design: String,
    /// The byte address at which its registers were to begin.
    pub base: u64,
    /// What is in the way.
    pub reason: Reason,
}

/// Why a base address is no place for a design.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The base is no multiple of [`SPACE`].
    Unaligned,
    /// The address space ends before the design does.
    Outside {
        /// The size of the address space.
        bytes: u64,
    },
    /// Another design stands there.
    Taken {
        /// That design's name.
        other: String,
    },
}

impl fmt::Display for Misplaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (design, base) = (&self.design, self.base);
        write!(f, "design {design} cannot stand at {base:#x}: ")?;
        match &self.reason {
            Reason::Unaligned => {
                let before = base - base % u64::from(SPACE);
                write!(f, "a base is a multiple of {SPACE:#x}\n  help: give {before:#x}, or where the address decoder has it")
            }
            Reason::Outside { bytes } => write!(
                f,
                "it takes {SPACE:#x} bytes, and the address space has {bytes:#x}\n  help: give a smaller base, or make the \
                 address space larger"
            ),
            Reason::Taken { other } => write!(
                f,
                "design {other} stands there\n  help: give each design a base of its own, as the address decoder has it"
            ),
        }
    }
}

impl std::error::Error for Misplaced {}

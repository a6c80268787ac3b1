//! The registers of a design, and how a driver works with its maps over any bus. There is no compiler behind this crate, and no
//! simulation: a driver links it and nothing else.
//!
//! [`REGISTERS`] is the address map: the hardware takes its addresses from here, and the C header, the JSON file and the README
//! of a design are printed from it. [`version`] says which drivers serve which designs.
//!
//! An operation on a map ([`HostOperation`]) is a row of accesses to registers ([`Exchange`]), which needs no bus: who is stepped
//! once a clock carries out an access when it can. A [`Driver`] does so over a [`Bus`], which answers each access before the next.
//! [`Operate`] is what both can do beside single operations: identify the design, read its counters, set ports, dump maps, go
//! through their entries, carry out several operations in a row ([`Batch`]). Keys
//! that a design does not store are kept by the host ([`Foreign`]).
//!
//! ```
//! use hardpath_registers::{register, Bus, Design, Driver, KeyBits, Map, Operate, MAGIC, SPACE};
//!
//! /// The words of a BAR, as they are mapped into a process.
//! struct Bar(Vec<u32>);
//!
//! impl Bus for Bar {
//!     type Error = std::convert::Infallible;
//!
//!     fn read32(&mut self, address: u64) -> Result<u32, Self::Error> {
//!         Ok(self.0[address as usize / 4])
//!     }
//!
//!     fn write32(&mut self, address: u64, data: u32) -> Result<(), Self::Error> {
//!         self.0[address as usize / 4] = data;
//!         Ok(())
//!     }
//! }
//!
//! let design = Design {
//!     name: "firewall".into(),
//!     design_id: 0x8d3a_11c4,
//!     has_port_table: false,
//!     outcomes: vec!["drop".into(), "pass".into()],
//!     maps: vec![Map {
//!         name: "flows".into(),
//!         kind: "hash".into(),
//!         key_bytes: 4,
//!         stored: KeyBits::all_vary(4),
//!         value_bytes: 8,
//!         max_entries: 1024,
//!         slots: 1280,
//!         select: 0,
//!     }],
//! };
//! # // A device in whose place memory stands: every command is over at once, and finds what VALUE holds.
//! # let mut words = vec![0; SPACE as usize / 4];
//! # words[register::MAGIC as usize / 4] = MAGIC;
//! # words[register::VERSION as usize / 4] = hardpath_registers::VERSION;
//! # words[register::DESIGN_ID as usize / 4] = design.design_id;
//! # words[register::STATUS as usize / 4] = 1;
//! # words[register::PACKETS_IN as usize / 4] = 3;
//! # words[register::VALUE as usize / 4] = 7;
//! # let bar = Bar(words);
//! let mut driver = Driver::new(bar, design);
//! driver.identify()?;
//! driver.wait_until_ready()?;
//! let value = driver.lookup(0, &[10, 0, 0, 1])?;
//! assert_eq!(value, Some(vec![7, 0, 0, 0, 0, 0, 0, 0]));
//! assert_eq!(driver.counters()?.packets_in, 3);
//! # Ok::<(), hardpath_registers::Error<std::convert::Infallible>>(())
//! ```
//!
//! Several designs in one address space have a base address each: [`AddressSpace`], [`At`].

#![warn(missing_docs)]

mod address_map;
mod answer;
mod batch;
mod bus;
mod design;
mod driver;
mod exchange;
mod fault;
pub mod foreign;
mod held;
mod key_bits;
pub mod load;
mod operate;
mod operation;
mod processor;
pub mod version;

pub use address_map::{
    command, field, name_of, register, Field, Register, Rights, Words, COMMANDS, MAGIC, OUTCOMES,
    PORTS, REGISTERS, SPACE,
};
pub use answer::{Answer, May};
pub use batch::{AtFailure, Batch, Interrupted};
pub use bus::{AddressSpace, At, AtError, Bus, Misplaced, Reason, POLLS};
pub use design::{Design, Map};
pub use driver::Driver;
pub use exchange::{words, Exchange};
pub use fault::{Cause, Error, Fault};
pub use foreign::{Entries, Foreign};
pub use held::Held;
pub use key_bits::KeyBits;
pub use operate::{Counters, Operate, Taken};
pub use operation::{Access, HostAnswer, HostOperation};
pub use processor::{registers_of, Event, Events, Stall, EVENTS, PROCESSOR_REGISTERS};
pub use version::VERSION;

//! The processor in hardware.
//!
//! Its threads take turns: each clock a row of some thread begins, and a thread has one row at a time. So no row sees another one of
//! its thread on the way, nothing is forwarded, and latency costs nothing but threads: everything here is pipelined until a stage holds
//! little, one row a clock, without stalls.

pub mod alu;
mod controls;
pub mod decode;
pub mod lanes;
pub mod operand;
pub mod packets;
mod pick;
pub mod predicates;
pub mod processor;
pub mod product;
pub mod quotient;
pub mod registers;
mod shift;
pub mod threads;

use crate::isa::{MOST_LANES, MOST_REGISTERS};
use hardpath_blocks::index_bits;
use registers::Storage;

/// How large a core is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Operations of a row: 1, 2, 4 or 8.
    pub lanes: u8,
    /// Registers of a lane's bank: a power of two, at least 8.
    pub registers: u8,
    /// Packets that it works on at a time: a power of two.
    pub threads: u8,
    /// What registers are made of.
    pub storage: Storage,
}

impl Shape {
    /// The usual one with so many lanes.
    pub fn with_lanes(lanes: u8) -> Shape {
        Shape {
            lanes,
            registers: crate::image::Machine::with_lanes(lanes).registers,
            threads: 16,
            storage: Storage::Block,
        }
    }

    /// # Panics
    /// When there is no such core.
    pub fn check(&self) {
        assert!(self.lanes.is_power_of_two() && self.lanes <= MOST_LANES);
        assert!(self.registers.is_power_of_two() && (8..=MOST_REGISTERS).contains(&self.registers));
        assert!(self.threads.is_power_of_two() && self.threads >= 2);
    }

    /// Places that read registers: two operands of each lane.
    pub fn reads(&self) -> usize {
        2 * usize::from(self.lanes)
    }

    /// Bits of a bank's number; of one bank it has none.
    pub fn bank_bits(&self) -> Option<u32> {
        (self.lanes > 1).then(|| index_bits(self.lanes.into()))
    }

    /// Bits of a register's number in its bank.
    pub fn index_bits(&self) -> u32 {
        index_bits(self.registers.into())
    }
}

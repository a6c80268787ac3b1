//! What there is that an operation can name.

use super::fits::{beyond, map, operands};
use super::{layout, Misfit};
use crate::isa::{Action, Field, Operand, Operation, Reg, MOST_LANES, MOST_REGISTERS};

/// What a program has, as far as its operations name it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Lanes, each with a bank of registers.
    pub lanes: u8,
    /// Registers of a bank.
    pub registers: u8,
    /// Rows.
    pub rows: u32,
    /// Maps.
    pub maps: u8,
}

impl Bounds {
    /// Of the largest program for the largest machine.
    pub const MOST: Bounds = Bounds {
        lanes: MOST_LANES,
        registers: MOST_REGISTERS,
        rows: layout::MOST_ROWS,
        maps: layout::MOST_MAPS,
    };

    /// Whether everything that an operation names exists.
    pub fn hold(&self, operation: &Operation) -> Result<(), Misfit> {
        let action = &operation.action;
        let (a, b) = operands(action);
        for operand in [a, b].into_iter().flatten() {
            if let Operand::Field(Field { reg, .. }) = operand {
                self.register(reg)?;
            }
        }
        if let Some(to) = destination(action) {
            self.register(to)?;
        }
        if let Some(map) = map(action) {
            exists("map", map.into(), self.maps.into())?;
        }
        match *action {
            Action::Branch { to, .. } => exists("row", to.into(), self.rows.into()),
            _ => Ok(()),
        }
    }

    /// Whether there is a register.
    pub fn register(&self, reg: Reg) -> Result<(), Misfit> {
        exists("bank", reg.bank.into(), self.lanes.into())?;
        exists("register", reg.index.into(), self.registers.into())
    }
}

/// Of `count` things, from 0 on.
fn exists(what: &'static str, value: u64, count: u64) -> Result<(), Misfit> {
    match count.checked_sub(1) {
        Some(most) => beyond(what, value, most),
        None => Err(Misfit::None { what }),
    }
}

/// The register that an action writes.
pub fn destination<R: Copy, P, T>(action: &Action<R, P, T>) -> Option<R> {
    match *action {
        Action::Move { to, .. }
        | Action::Input { to, .. }
        | Action::Compute { to, .. }
        | Action::Insert { to, .. }
        | Action::Select { to, .. }
        | Action::Load { to, .. }
        | Action::MapLoad { to, .. }
        | Action::Checksum { to, .. } => Some(to),
        Action::Lookup { to, .. }
        | Action::Update { to, .. }
        | Action::Delete { to, .. }
        | Action::Atomic { to, .. } => to,
        Action::Compare { .. }
        | Action::Combine { .. }
        | Action::Store { .. }
        | Action::Clear { .. }
        | Action::Put { .. }
        | Action::MapStore { .. }
        | Action::Copy { .. }
        | Action::Branch { .. }
        | Action::Indirect { .. }
        | Action::Exit { .. }
        | Action::Send { .. } => None,
    }
}

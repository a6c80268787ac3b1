//! A program as the core runs it: rows, and what stands beside them.
//!
//! [`rows`]: the words that a loader writes. [`mod@file`]: the file that goes from the compiler to the loader.

mod bytes;
pub mod file;
pub mod rows;

use crate::encode::{layout, Bounds};
use crate::isa::{Action, Operation, MOST_REGISTERS};
use cranelift_entity::PrimaryMap;
use hardpath_ir::{Input, Limits, MapDecl, MapId, Output, OwnInput, Place, PlaceId};

/// How many lanes a core can have.
pub const LANES: [u8; 4] = [1, 2, 4, 8];

/// A core, as far as programs have to know it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Machine {
    /// Operations of a row: 1, 2, 4 or 8.
    pub lanes: u8,
    /// Registers of a lane's bank.
    pub registers: u8,
    /// Loads from packet and stack in a row.
    pub loads: u8,
    /// Stores to packet and stack in a row.
    pub stores: u8,
    /// Operations on maps in a row, loads of values among them.
    pub map_operations: u8,
    /// Operations in a row that put words into buffers.
    pub puts: u8,
    /// Multiplications in a row.
    pub products: u8,
    /// Operations in a row that read what enters beside the packet.
    pub inputs: u8,
    /// Rows of its program memory.
    pub rows: u32,
    /// Bytes of a thread's stack, what the compiler keeps there among them.
    pub stack: u32,
}

impl Machine {
    /// The usual one with so many lanes.
    pub fn with_lanes(lanes: u8) -> Machine {
        Machine {
            lanes,
            registers: (64 / lanes.max(1)).clamp(16, 64),
            loads: lanes.div_ceil(2),
            stores: lanes.div_ceil(2),
            map_operations: 1,
            puts: 1,
            products: 1,
            inputs: 1,
            rows: 4096,
            stack: 1024,
        }
    }
}

/// A row: an operation for each lane, or none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Row {
    /// As many as there are lanes.
    pub lanes: Vec<Option<Operation>>,
}

impl Row {
    /// The operations, each with its lane.
    pub fn operations(&self) -> impl Iterator<Item = (u8, &Operation)> {
        let lanes = (0..).zip(&self.lanes);
        lanes.filter_map(|(lane, operation)| operation.as_ref().map(|operation| (lane, operation)))
    }
}

/// A program for a core.
#[derive(Clone, PartialEq, Debug)]
pub struct Image {
    /// What its source calls it.
    pub name: String,
    /// Lanes of the core that it is made for.
    pub lanes: u8,
    /// Registers that a bank must have.
    pub registers: u8,
    /// The first one is where packets begin.
    pub rows: Vec<Row>,
    /// Bytes of stack that it needs: its own and the compiler's.
    pub stack: u32,
    /// As the program has them.
    pub limits: Limits,
    /// As the program has them.
    pub inputs: Vec<OwnInput>,
    /// As the program has them.
    pub outputs: Vec<Output>,
    /// The tables that it works on, by the numbers that its operations have.
    pub maps: PrimaryMap<MapId, MapDecl>,
}

/// Where in the source the operations of an [`Image`] came from.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    /// Of each lane of each row.
    pub rows: Vec<Vec<Option<PlaceId>>>,
    /// What they are.
    pub places: PrimaryMap<PlaceId, Place>,
}

impl Image {
    /// Operations of all rows.
    pub fn operations(&self) -> usize {
        let rows = self.rows.iter();
        rows.map(|row| row.operations().count()).sum()
    }

    /// How many a row has.
    pub fn operations_per_row(&self) -> f64 {
        self.operations() as f64 / self.rows.len().max(1) as f64
    }

    /// What operations can name in a program with so many rows, or why no core has such a program.
    pub(crate) fn bounds(&self, rows: usize) -> Result<Bounds, String> {
        let (lanes, registers) = (self.lanes, self.registers);
        if !LANES.contains(&lanes) {
            return Err(format!("a core has 1, 2, 4 or 8 lanes, not {lanes}"));
        }
        if !(1..=MOST_REGISTERS).contains(&registers) {
            let message = format!("a bank has 1 to {MOST_REGISTERS} registers, not {registers}");
            return Err(message);
        }
        let most = layout::MOST_ROWS;
        let rows = u32::try_from(rows).unwrap_or(u32::MAX);
        if !(1..=most).contains(&rows) {
            return Err(format!("a program has 1 to {most} rows, not {rows}"));
        }
        let (most, maps) = (layout::MOST_MAPS, self.maps.len());
        match u8::try_from(maps) {
            Ok(maps) if maps <= most => Ok(Bounds {
                lanes,
                registers,
                rows,
                maps,
            }),
            _ => Err(format!("a program has up to {most} maps, not {maps}")),
        }
    }

    /// Whether what stands in it exists, but for its operations.
    pub(crate) fn check(&self) -> Result<Bounds, String> {
        let bounds = self.bounds(self.rows.len())?;
        for (number, row) in self.rows.iter().enumerate() {
            let (lanes, has) = (self.lanes, row.lanes.len());
            if has != usize::from(lanes) {
                return Err(format!("row {number} has {has} lanes, the core {lanes}"));
            }
        }
        let operations = self.rows.iter().flat_map(Row::operations);
        for (_, operation) in operations {
            if let Action::Input {
                input: Input::Own { lo, width },
                ..
            } = operation.action
            {
                if OwnInput::name(&self.inputs, lo, width).is_none() {
                    return Err(format!("no input has {width} bits from bit {lo} on"));
                }
            }
        }
        Ok(bounds)
    }
}

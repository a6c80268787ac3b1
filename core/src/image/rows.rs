//! Packed rows: what a loader writes into a core's program memory.
//!
//! A row is a header of 32 bits and then the words of its operations that are not all zeros. The header has 4 bits a lane, that of lane
//! 0 in the lowest place: bit `n` of them says that word `n` of the operation follows. The words stand in the order of these bits. So a
//! lane without an operation costs nothing, an operation 1 to 4 words, and whoever loads a row writes zeros where a bit is 0.

use super::{Image, Row};
use crate::encode::{decode, encode, layout, Bounds};
use crate::isa::Operation;
use hardpath_diagnostic::{Diagnostic, Place};

/// Bits of a row's header for a lane: one for each word of an operation.
pub const LANE_BITS: u32 = layout::WORDS as u32;

impl Image {
    /// The packed rows: what a loader writes. Refused is a program that no core can have.
    pub fn words(&self) -> Result<Vec<u32>, Diagnostic> {
        let bounds = self.check().map_err(no_form)?;
        let mut words = Vec::new();
        for (number, row) in self.rows.iter().enumerate() {
            pack(row, number, &bounds, &mut words)?;
        }
        Ok(words)
    }
}

/// Of what is wrong with an image that is to be written.
pub(super) fn no_form(message: String) -> Diagnostic {
    Diagnostic::defect("no-binary-form", message)
}

fn pack(row: &Row, number: usize, bounds: &Bounds, words: &mut Vec<u32>) -> Result<(), Diagnostic> {
    let header = words.len();
    words.push(0);
    for (lane, operation) in row.operations() {
        let exists = bounds.hold(operation);
        let whole = exists.and_then(|()| encode(operation, lane));
        let whole = whole.map_err(|misfit| {
            let message = format!("an operation has no binary form: {misfit}");
            no_form(message).at(place(number, lane))
        })?;
        for part in 0..LANE_BITS {
            let word = (whole >> (32 * part)) as u32;
            if word != 0 {
                words[header] |= 1 << (LANE_BITS * u32::from(lane) + part);
                words.push(word);
            }
        }
    }
    Ok(())
}

fn place(row: usize, lane: u8) -> Place {
    Place::in_unit(format!("row {row}, lane {lane}"))
}

/// The rows that words are of; `bounds` says how many there are.
pub(super) fn unpack(words: &[u32], bounds: &Bounds) -> Result<Vec<Row>, Diagnostic> {
    let mut words = words.iter().copied();
    let mut rows = Vec::new();
    for number in 0..bounds.rows as usize {
        let at = || format!("row {number}");
        let header = words
            .next()
            .ok_or_else(|| malformed("there are fewer rows than it says").at(at()))?;
        let lanes = LANE_BITS * u32::from(bounds.lanes);
        if u64::from(header) >> lanes != 0 {
            return Err(malformed("a row has more lanes than the core").at(at()));
        }
        let mut row = Row::default();
        for lane in 0..bounds.lanes {
            let present = header >> (LANE_BITS * u32::from(lane)) & 0xf;
            let operation = match present {
                0 => None,
                _ => Some(unpack_one(present, &mut words, number, lane, bounds)?),
            };
            row.lanes.push(operation);
        }
        rows.push(row);
    }
    match words.next() {
        None => Ok(rows),
        Some(_) => Err(malformed("there are words behind the last row")),
    }
}

fn unpack_one(
    present: u32,
    words: &mut impl Iterator<Item = u32>,
    row: usize,
    lane: u8,
    bounds: &Bounds,
) -> Result<Operation, Diagnostic> {
    let mut whole = 0;
    for part in (0..LANE_BITS).filter(|part| present >> part & 1 != 0) {
        match words.next() {
            Some(0) => return Err(malformed("a word of zeros is left out").at(place(row, lane))),
            Some(word) => whole |= u128::from(word) << (32 * part),
            None => return Err(malformed("the last words are missing").at(place(row, lane))),
        }
    }
    decode(whole, lane, bounds).map_err(|misfit| {
        let message = format!("a word is no operation: {misfit}");
        malformed(message).at(place(row, lane))
    })
}

/// Of what is wrong with an image that is read.
pub(super) fn malformed(message: impl Into<String>) -> Diagnostic {
    Diagnostic::input("malformed-microcode", message)
}

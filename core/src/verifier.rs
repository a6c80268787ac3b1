//! The rules of a program for a core, and a check of every one of them.
//!
//! **The program**
//! 1. The core has the lanes that the program is made for, and as many registers, rows and bytes of stack as it needs. A start names a
//!    register of the core and an input of the program; two name different registers.
//! 2. Every operation has its binary form ([`crate::encode`]). So its registers, predicates, maps and rows exist, and it writes to its
//!    lane's bank.
//!
//! **A row**
//!
//! 3. No register is written twice, and no predicate, but that several comparisons go into one by [`Into::And`], or by [`Into::Or`].
//!    Predicate 0 may be written as often as it likes.
//! 4. It has no more loads, stores, operations on maps, products, inputs and operations that put words than the core does in a row
//!    ([`Machine`]), one of what stands beside the lanes (divisions, sums, copies, and clearing), and one further copy of the packet that is
//!    sent. What stands beside the lanes does not stand in a row with an operation on a map: a thread waits for one unit at a time.
//! 5. Where many bytes are summed, copied or cleared, nothing is stored.
//! 6. No operation changes what of a map another one reads or changes: which keys it has, or bytes of its values. None puts words into a
//!    buffer that an earlier lane takes from: units see a buffer as it is behind the row.
//! 7. Nothing stands behind an operation that always leaves the row.
//!
//! **Control**
//!
//! 8. It does not run off the last row. So every packet comes to an exit, or goes round.
//! 9. Every row can be reached from the first one, as far as branches tell. (Where an operation goes to a row that a register says, they
//!    do not.)
//!
//! **Maps**
//!
//! 10. A map that only the host writes is looked up and loaded from, a ternary one is not updated and has no deletes, and one whose values
//!     are only accessed in parts ([`crate::long`]) is not updated. A packet is
//!     broadcast through maps that are for it.
//! 11. An access to a value ends inside of the value, where its entry adds nothing to its offset.
//! 12. An operation has no words of a key or a value which the map's do not have.
//!
//! **What is there to be read**
//!
//! A word, register or predicate is there when it was written on every way that leads to the row, or by an earlier lane if it is a
//! buffer's word. What a guard, [`Into::And`] or [`Into::Or`] may leave as it was is there if it was before.
//!
//! 13. Where an operation takes words of a key or of a value, or what an update may do, that it does not have itself, they are in their
//!     buffers. Behind an operation that takes from [`Buffer::Key`], [`Buffer::Value`] or [`Buffer::May`], or may, nothing is there any
//!     more, whatever was put. So hardware may keep them in a queue.
//! 14. Where a packet ends or a copy is sent, the words are in [`Buffer::Exit`] that the ending refers to; of bytes in front their number
//!     is not known here. They stay.
//! 15. Registers and predicates that are read have been written. Hardware gives zeros else: this is a rule for compilers,
//!     which mean something by all that they read.
//!
//! [`Into::And`]: crate::isa::Into::And
//! [`Into::Or`]: crate::isa::Into::Or
//! [`Buffer::Key`]: crate::isa::Buffer::Key
//! [`Buffer::Value`]: crate::isa::Buffer::Value
//! [`Buffer::May`]: crate::isa::Buffer::May
//! [`Buffer::Exit`]: crate::isa::Buffer::Exit

mod control;
mod maps;
mod row;
mod there;

use crate::image::{Image, Machine};
use crate::isa::{Action, Operation};
use hardpath_diagnostic::{Diagnostic, Place};

/// After so many errors nobody reads on.
const MOST_ERRORS: usize = 100;

/// A rule that a program breaks.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}{message} (rule {rule} of rows)", self.at())]
pub struct VerifierError {
    /// The number of the rule in the header of this file.
    pub rule: u32,
    /// In which row; `None`: in what the program declares.
    pub row: Option<u32>,
    /// In which lane; `None`: the row.
    pub lane: Option<u8>,
    /// How it breaks the rule, without the place.
    pub message: String,
}

impl VerifierError {
    /// The place, as it stands in front of the message.
    fn at(&self) -> String {
        match self.place() {
            Some(place) => format!("{place}: "),
            None => String::new(),
        }
    }

    fn place(&self) -> Option<String> {
        let row = self.row.map(|row| format!("row {row}"))?;
        Some(match self.lane {
            Some(lane) => format!("{row}, lane {lane}"),
            None => row,
        })
    }
}

impl From<VerifierError> for Diagnostic {
    /// Of a program that somebody gave.
    fn from(error: VerifierError) -> Diagnostic {
        let place = error.place();
        let message = format!("{} (rule {} of rows)", error.message, error.rule);
        let diagnostic = Diagnostic::input("malformed-microcode", message);
        match place {
            Some(place) => diagnostic.at(Place::in_unit(place)),
            None => diagnostic,
        }
    }
}

/// Checks every rule, and gives what is broken, in the order of rows. Where what operations name does not exist (rules 1 and 2), only
/// that is said, because the rest cannot be looked at.
///
/// # Errors
/// All rules that are broken, up to a hundred times.
pub fn verify(image: &Image, machine: &Machine) -> Result<(), Vec<VerifierError>> {
    let mut check = Check {
        image,
        machine,
        errors: Vec::new(),
    };
    check.program();
    check.forms();
    if check.errors.is_empty() {
        check.rows();
        check.maps();
        check.control();
        if check.errors.is_empty() {
            check.there();
        }
    }
    let mut errors = check.errors;
    errors.sort_by_key(|error| (error.row, error.lane, error.rule));
    errors.truncate(MOST_ERRORS);
    match errors.is_empty() {
        true => Ok(()),
        false => Err(errors),
    }
}

/// Where an error is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum At {
    Program,
    Row(usize),
    Lane(usize, u8),
}

struct Check<'a> {
    image: &'a Image,
    machine: &'a Machine,
    errors: Vec<VerifierError>,
}

impl<'a> Check<'a> {
    fn error(&mut self, rule: u32, at: At, message: impl Into<String>) {
        let (row, lane) = match at {
            At::Program => (None, None),
            At::Row(row) => (Some(row as u32), None),
            At::Lane(row, lane) => (Some(row as u32), Some(lane)),
        };
        let message = message.into();
        self.errors.push(VerifierError {
            rule,
            row,
            lane,
            message,
        });
    }

    /// Every operation with its place.
    fn operations(&self) -> impl Iterator<Item = (usize, u8, &'a Operation)> {
        let rows = self.image.rows.iter().enumerate();
        rows.flat_map(|(row, all)| all.operations().map(move |(lane, op)| (row, lane, op)))
    }

    /// Rule 1.
    fn program(&mut self) {
        let (image, machine) = (self.image, self.machine);
        if let Err(message) = image.check() {
            self.error(1, At::Program, message);
        }
        let (lanes, has) = (image.lanes, machine.lanes);
        if lanes != has {
            let message = format!("the program is for {lanes} lanes, and the core has {has}");
            self.error(1, At::Program, message);
        }
        for (what, needs, has) in [
            (
                "registers",
                image.registers.into(),
                machine.registers.into(),
            ),
            ("rows", image.rows.len(), machine.rows as usize),
            (
                "bytes of stack",
                image.stack as usize,
                machine.stack as usize,
            ),
        ] {
            if needs > has {
                let message = format!("the program needs {needs} {what}, and the core has {has}");
                self.error(1, At::Program, message);
            }
        }
    }

    /// Rule 2.
    fn forms(&mut self) {
        let Ok(bounds) = self.image.check() else {
            return;
        };
        for (row, lane, op) in self.operations() {
            let exists = bounds.hold(op);
            let form = exists.and_then(|()| crate::encode::encode(op, lane));
            if let Err(misfit) = form {
                self.error(2, At::Lane(row, lane), misfit.to_string());
            }
        }
    }
}

/// Control leaves the row here, whatever registers and predicates say.
pub(crate) fn always_leaves(op: &Operation) -> bool {
    let always = match op.action {
        Action::Branch { when, .. } | Action::Exit { when, .. } => when.is_none(),
        Action::Indirect { .. } => true,
        _ => false,
    };
    always && op.guard.is_none()
}

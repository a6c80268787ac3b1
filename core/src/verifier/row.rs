//! Rules 3 to 7: what stands in a row together.

use super::there::emptied;
use super::{always_leaves, At, Check};
use crate::encode::map;
use crate::image::Row;
use crate::isa::{Action, Buffer, Compute, Into, Operand, Operation, Pred};
use std::collections::HashMap;

/// What a row has only so many of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Load,
    Store,
    Map,
    Put,
    Product,
    Input,
    Slow,
    Send,
}

impl Unit {
    const ALL: [(Unit, &'static str); 8] = [
        (Unit::Load, "loads"),
        (Unit::Store, "stores"),
        (Unit::Map, "operations on maps"),
        (Unit::Put, "operations that put words"),
        (Unit::Product, "products"),
        (Unit::Input, "inputs"),
        (Unit::Slow, "divisions and operations on many bytes"),
        (Unit::Send, "further copies of the packet"),
    ];

    fn of(action: &Action) -> Option<Unit> {
        match action {
            Action::Load { .. } => Some(Unit::Load),
            Action::Store { .. } => Some(Unit::Store),
            Action::Lookup { .. }
            | Action::Update { .. }
            | Action::Delete { .. }
            | Action::MapLoad { .. }
            | Action::MapStore { .. }
            | Action::Atomic { .. } => Some(Unit::Map),
            Action::Put { .. } => Some(Unit::Put),
            Action::Input { .. } => Some(Unit::Input),
            Action::Send { .. } => Some(Unit::Send),
            Action::Checksum { .. } | Action::Copy { .. } | Action::Clear { .. } => {
                Some(Unit::Slow)
            }
            Action::Compute { op, .. } => match op {
                Compute::Mul => Some(Unit::Product),
                Compute::UDiv | Compute::URem | Compute::SDiv | Compute::SRem => Some(Unit::Slow),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Check<'_> {
    pub(super) fn rows(&mut self) {
        let image = self.image;
        for (number, row) in image.rows.iter().enumerate() {
            self.written_once(number, row);
            self.room(number, row);
            self.one_wait(number, row);
            self.cleared(number, row);
            self.map_order(number, row);
            self.buffer_order(number, row);
            self.last(number, row);
        }
    }

    /// Rule 3.
    fn written_once(&mut self, number: usize, row: &Row) {
        let mut preds: HashMap<Pred, Option<Into>> = HashMap::new();
        for (lane, op) in row.operations() {
            // A register's bank is its lane, so no other lane writes it.
            for (pred, into) in decided(&op.action) {
                if pred == Pred(0) {
                    continue;
                }
                let gathers = into.filter(|into| matches!(into, Into::And | Into::Or));
                let earlier = preds.insert(pred, gathers);
                if earlier.is_some_and(|earlier| earlier.is_none() || earlier != gathers) {
                    let message = format!("p{} is written twice in a row", pred.0);
                    self.error(3, At::Lane(number, lane), message);
                }
            }
        }
    }

    /// Rule 4.
    fn room(&mut self, number: usize, row: &Row) {
        let machine = self.machine;
        for (unit, what) in Unit::ALL {
            let has = match unit {
                Unit::Load => machine.loads,
                Unit::Store => machine.stores,
                Unit::Map => machine.map_operations,
                Unit::Put => machine.puts,
                Unit::Product => machine.products,
                Unit::Input => machine.inputs,
                Unit::Slow | Unit::Send => 1,
            };
            let users = row.operations();
            let users = users.filter(|(_, op)| Unit::of(&op.action) == Some(unit));
            let count = users.count();
            if count > has.into() {
                let message = format!("there are {count} {what} in a row, and the core does {has}");
                self.error(4, At::Row(number), message);
            }
        }
    }

    /// Rule 4, of what threads wait for.
    fn one_wait(&mut self, number: usize, row: &Row) {
        let has = |unit: Unit| {
            row.operations()
                .any(|(_, op)| Unit::of(&op.action) == Some(unit))
        };
        if has(Unit::Map) && has(Unit::Slow) {
            let message = "a thread waits for one unit at a time";
            self.error(4, At::Row(number), message);
        }
    }

    /// Rule 5.
    fn cleared(&mut self, number: usize, row: &Row) {
        let many = |op: &Operation| {
            matches!(
                op.action,
                Action::Clear { .. } | Action::Copy { .. } | Action::Checksum { .. }
            )
        };
        let stores = |op: &Operation| matches!(op.action, Action::Store { .. });
        let has = |is: &dyn Fn(&Operation) -> bool| row.operations().any(|(_, op)| is(op));
        if has(&many) && has(&stores) {
            let message = "bytes are stored where many are read or written";
            self.error(5, At::Row(number), message);
        }
    }

    /// Rule 6.
    fn map_order(&mut self, number: usize, row: &Row) {
        let mut before: Vec<(u8, Touch)> = Vec::new();
        for (lane, op) in row.operations() {
            let Some((map, touch)) = map(&op.action).zip(Touch::of(&op.action)) else {
                continue;
            };
            let meets = |(other, earlier): &(u8, Touch)| *other == map && earlier.meets(&touch);
            if before.iter().any(meets) {
                let message = "an earlier lane changes what of the map is read or changed here, or reads what is changed";
                self.error(6, At::Lane(number, lane), message);
            }
            before.push((map, touch));
        }
    }

    /// Rule 6, of buffers.
    fn buffer_order(&mut self, number: usize, row: &Row) {
        let mut taken: Vec<Buffer> = Vec::new();
        for (lane, op) in row.operations() {
            match op.action {
                Action::Put { buffer, .. } if taken.contains(&buffer) => {
                    let message = "an earlier lane takes from the buffer into which words are put";
                    self.error(6, At::Lane(number, lane), message);
                }
                _ => taken.extend(takes_from(&op.action)),
            }
        }
    }

    /// Rule 7.
    fn last(&mut self, number: usize, row: &Row) {
        let mut over = false;
        for (lane, op) in row.operations() {
            if over {
                let message = "an earlier lane has left the row already";
                self.error(7, At::Lane(number, lane), message);
            }
            over |= always_leaves(op);
        }
    }
}

/// The predicates that an action writes, and how.
pub(super) fn decided(action: &Action) -> Vec<(Pred, Option<Into>)> {
    match *action {
        Action::Compare { into, yes, no, .. } => match into {
            Into::Set | Into::Both => vec![(yes, Some(into)), (no, Some(into))],
            Into::And | Into::Or => vec![(yes, Some(into))],
        },
        Action::Combine { to, .. } => vec![(to, None)],
        Action::Lookup { hit, .. } => vec![(hit, None)],
        _ => Vec::new(),
    }
}

/// The buffers that an action may take words from.
fn takes_from(action: &Action) -> Vec<Buffer> {
    match action {
        Action::Send { .. } => vec![Buffer::Exit],
        // Behind an exit that is taken nothing is put.
        _ => emptied(action),
    }
}

/// What of a map an operation works on.
struct Touch {
    changes: bool,
    /// Which keys there are.
    keys: bool,
    /// From and end in the values.
    bytes: (u64, u64),
}

impl Touch {
    fn of(action: &Action) -> Option<Touch> {
        let value = |changes: bool, entry: Operand, offset: u32, bytes: u8| Touch {
            changes,
            keys: false,
            bytes: match adds(&entry) {
                true => (0, u64::MAX),
                false => (offset.into(), u64::from(offset) + u64::from(bytes)),
            },
        };
        match *action {
            Action::Lookup { .. } => Some(Touch {
                changes: false,
                keys: true,
                bytes: (0, 0),
            }),
            Action::Update { .. } | Action::Delete { .. } => Some(Touch {
                changes: true,
                keys: true,
                bytes: (0, u64::MAX),
            }),
            Action::MapLoad {
                entry,
                offset,
                bytes,
                ..
            } => Some(value(false, entry, offset, bytes)),
            Action::MapStore {
                entry,
                offset,
                bytes,
                ..
            }
            | Action::Atomic {
                entry,
                offset,
                bytes,
                ..
            } => Some(value(true, entry, offset, bytes)),
            _ => None,
        }
    }

    fn meets(&self, other: &Touch) -> bool {
        let share = self.bytes.0 < other.bytes.1 && other.bytes.0 < self.bytes.1;
        (self.changes || other.changes) && (self.keys && other.keys || share)
    }
}

/// An entry may add something to the offset.
pub(super) fn adds(entry: &Operand) -> bool {
    match entry {
        Operand::Field(field) => field.width > 32 || field.signed,
        Operand::Number(number) => number >> 32 != 0,
    }
}

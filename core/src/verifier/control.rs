//! Rules 8 and 9: where control goes.

use super::{always_leaves, At, Check};
use crate::image::Row;
use crate::isa::Action;

impl Check<'_> {
    pub(super) fn control(&mut self) {
        let rows = &self.image.rows;
        let mut reached = vec![false; rows.len()];
        let mut open = vec![0];
        while let Some(number) = open.pop() {
            if std::mem::replace(&mut reached[number], true) {
                continue;
            }
            let row = &rows[number];
            for (_, op) in row.operations() {
                match op.action {
                    Action::Branch { to, .. } => open.push(to as usize),
                    Action::Indirect { .. } => open.extend(0..rows.len()),
                    _ => {}
                }
            }
            match goes_on(row) {
                true if number + 1 == rows.len() => {
                    self.error(8, At::Row(number), "control runs off the last row");
                }
                true => open.push(number + 1),
                false => {}
            }
        }
        for (number, _) in reached.iter().enumerate().filter(|(_, reached)| !**reached) {
            self.error(9, At::Row(number), "nothing leads to the row");
        }
    }
}

/// Control may go on with the next row.
pub(super) fn goes_on(row: &Row) -> bool {
    !row.operations().any(|(_, op)| always_leaves(op))
}

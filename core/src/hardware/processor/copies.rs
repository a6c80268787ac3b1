//! Further copies of packets: how many of them a program sends.

use crate::image::{Image, Row};
use crate::isa::{Action, Operation};

/// The most of one packet.
pub const MOST_COPIES: u8 = 15;

/// How many a packet can have at most. `None`: more than [`MOST_COPIES`], or nobody knows.
pub fn most(image: &Image) -> Option<u8> {
    let rows = &image.rows;
    let sends: Vec<u8> = rows.iter().map(sends).collect();
    if sends.iter().all(|sends| *sends == 0) {
        return Some(0);
    }
    // From each row on. Where a way goes round and sends, it grows until it is too much.
    let mut most = sends.clone();
    loop {
        let mut changed = false;
        for number in (0..rows.len()).rev() {
            let behind = following(rows, number).map(|row| most.get(row).copied().unwrap_or(0));
            let all = sends[number] + behind.max().unwrap_or(0);
            if all > MOST_COPIES {
                return None;
            }
            changed |= most[number] != all;
            most[number] = all;
        }
        if !changed {
            return most.first().copied();
        }
    }
}

fn sends(row: &Row) -> u8 {
    let all = row.operations();
    all.filter(|(_, op)| matches!(op.action, Action::Send { .. }))
        .count() as u8
}

/// The rows to which a row can lead.
fn following(rows: &[Row], number: usize) -> impl Iterator<Item = usize> + '_ {
    let leaves = rows[number].operations().map(|(_, op)| op);
    let leads = move |op: &Operation| match op.action {
        Action::Branch { to, .. } => to as usize..to as usize + 1,
        Action::Indirect { .. } => 0..rows.len(),
        _ => 0..0,
    };
    let last = rows[number].operations().last();
    let runs_on = !last.is_some_and(|(_, op)| crate::verifier::always_leaves(op));
    let next = number + 1..number + 1 + usize::from(runs_on);
    leaves.flat_map(leads).chain(next)
}

//! Which key is young again: the one that a packet looked for and found, or put in.

use super::commit::{Decision, Ready};
use super::evict::Touch;
use super::lookup::Lane;
use super::neighbours::commits;
use super::{HashHostIn, HashKeyIn};
use crate::index_bits;
use hardpath_rtl::{Module, Node};

/// A key that a packet found.
struct Seen {
    found: Node,
    place: Node,
    rows: Node,
}

/// Writes the ages of a table that evicts: a clock after the commit.
pub(super) fn touch_ages(
    m: &mut Module,
    (lanes, keys): (&[Lane], &[HashKeyIn]),
    waiting: &[Ready],
    (active, decision): (&Ready, &Decision),
    host: &HashHostIn,
) {
    let Some(candidates) = &active.candidates else {
        return;
    };
    let found = m.and(&[candidates.uses, active.found.hit]);
    let of_active = Seen {
        found,
        place: decision.place,
        rows: active.rows,
    };
    let seen = seen(m, keys, waiting, of_active);
    let touch = Touch {
        place: m.delay("place_committed", seen.place),
        found: m.delay_reset("found_committed", seen.found),
        put: m.delay_reset("put_committed", decision.insert),
        displaces: m.delay_reset("displaces_committed", decision.displaces),
    };
    let rows = m.delay("rows_committed", seen.rows);
    let ranked = candidates.ranked.wait(m, |wish| wish, "committed");
    let sweep = (host.clear, host.clear_index);
    for ages in lanes.iter().filter_map(|lane| lane.ages.as_ref()) {
        ages.write(m, rows, &ranked, &touch, sweep);
    }
}

/// What is seen in this clock: that of the port that commits; when none does, each port has its turn, since there is one
/// write to the ages in a clock.
fn seen(m: &mut Module, keys: &[HashKeyIn], waiting: &[Ready], active: Seen) -> Seen {
    let ports = waiting.len();
    if ports == 1 {
        return active;
    }
    let mut busy: Vec<Node> = keys.iter().filter_map(|input| commits(m, input)).collect();
    busy.push(waiting[0].host);
    let busy = m.or(&busy);
    let idle = m.not(busy);
    let bits = index_bits(ports as u64);
    let (turn_reg, turn) = m.reg_reset("turn", bits, 0);
    let last = m.eq_const(turn, ports as u64 - 1);
    let next = m.add_const(turn, 1);
    let first = m.zero(bits);
    let next = m.mux(last, first, next);
    m.set_next(turn_reg, next);
    let mut seen = active;
    for (number, port) in waiting.iter().enumerate().skip(1) {
        let uses = keys[number].uses.expect("of a table that evicts");
        let this = m.eq_const(turn, number as u64);
        let own = m.and(&[this, idle]);
        let found = m.and(&[uses, port.found.hit]);
        seen = Seen {
            found: m.mux(own, found, seen.found),
            place: m.mux(own, port.found.place, seen.place),
            rows: m.mux(own, port.rows, seen.rows),
        };
    }
    seen
}

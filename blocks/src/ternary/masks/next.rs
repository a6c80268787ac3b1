//! What there is to choose from behind a scan, and what comes next.

use super::clearing::Clearing;
use super::scan::Scanned;
use super::shape::Shape;
use crate::matching::asked::Command;
use crate::one_hot::first_one;
use hardpath_rtl::{Module, Node};

/// Rows and banks that are free; all from registers, a clock behind the scan.
pub(super) struct Options {
    /// A row where the entry could go: whether there is one, and its bank and half.
    has_row: Node,
    pub(super) bank: Node,
    pub(super) half: Node,
    /// A bank without entries.
    pub(super) has_bank: Node,
    pub(super) new_bank: Node,
    /// A bank has the mask already, and one of those.
    pub(super) of_mask: Node,
    pub(super) mask_bank: Node,
    /// A bank has it, or there may be one mask more, and the number of that.
    pub(super) has_mask: Node,
    pub(super) mask_number: Node,
}

impl Options {
    pub(super) fn of(m: &mut Module, shape: Shape, scanned: &Scanned, of_mask: Node) -> Options {
        m.section("Preparation: what is free");
        let used = m.and(&[scanned.occupied, of_mask]);
        let first = |m: &mut Module, name: &str, bits: Node| {
            let some = m.reduce_or(bits);
            let first = first_one(m, bits);
            (
                m.delay(format!("has_{name}"), some),
                m.delay(format!("first_{name}"), first),
            )
        };
        let rows = [0, 1].map(|half| {
            let free = m.not(scanned.taken[half]);
            let free = m.and(&[used, free]);
            first(m, &format!("free_row_{half}"), free)
        });
        let empty = m.not(scanned.occupied);
        let (has_bank, new_bank) = first(m, "empty_bank", empty);
        let (of_mask, mask_bank) = first(m, "bank_of_mask", used);
        let free = m.not(scanned.mask_numbers);
        let (more, mask_number) = first(m, "free_mask_number", free);
        debug_assert_eq!(m.width(mask_number), shape.mask_number_bits());
        let [(low, low_bank), (high, high_bank)] = rows;
        Options {
            has_row: m.or(&[low, high]),
            bank: m.mux(low, low_bank, high_bank),
            half: m.not(low),
            has_bank,
            new_bank,
            has_mask: m.or(&[of_mask, more]),
            of_mask,
            mask_bank,
            mask_number,
        }
    }
}

/// What comes next; strobes.
pub(super) struct Next {
    /// Nothing is to be placed.
    pub(super) nothing: Node,
    /// There is a row for the entry.
    pub(super) fits: Node,
    /// The one that stands in one joins the way.
    pub(super) goes_on: Node,
    /// The way ended nowhere: another one.
    pub(super) again: Node,
    /// So did the last one.
    pub(super) fails: Node,
    /// An entry of the bank that is to be cleared is taken.
    pub(super) takes: Node,
    /// There is none.
    pub(super) is_clear: Node,
}

impl Next {
    /// `step`: a strobe, with which all else is right.
    pub(super) fn of(
        m: &mut Module,
        (step, command): (Node, &Command),
        (scanned, options): (&Scanned, &Options),
        clearing: &Clearing,
        (way_is_full, has_attempts): (Node, Node),
    ) -> Next {
        m.section("Preparation: the next step");
        let places = m.not(clearing.finds);
        let absent = m.not(scanned.exists);
        let inserts = m.and(&[command.is_update, absent, scanned.has_vacant]);
        let is_wanted = m.or(&[inserts, clearing.on]);
        let is_wanted = m.delay("is_to_be_placed", is_wanted);
        let wanted = m.and(&[step, places, is_wanted]);
        let unwanted = m.not(is_wanted);
        let has_none = m.not(options.has_row);
        let may_go_on = m.not(way_is_full);
        let goes_on = m.and(&[has_none, scanned.stands, may_go_on]);
        let stops = m.not(goes_on);
        let again = m.and(&[has_none, stops, has_attempts, options.of_mask]);
        let ends = m.and(&[has_attempts, options.of_mask]);
        let ends = m.not(ends);
        let fails = m.and(&[has_none, stops, ends]);

        let found = m.and(&[step, clearing.finds]);
        let is_clear = m.not(scanned.remains);
        let other = m.not(clearing.is_own);
        let can_go = m.and(&[options.of_mask, other]);
        let takes = m.and(&[scanned.remains, can_go]);
        let elsewhere = m.not(can_go);
        let no_other = m.and(&[found, scanned.remains, elsewhere]);
        let without_row = m.and(&[wanted, fails]);
        Next {
            nothing: m.and(&[step, places, unwanted]),
            fits: m.and(&[wanted, options.has_row]),
            goes_on: m.and(&[wanted, goes_on]),
            again: m.and(&[wanted, again]),
            fails: m.or(&[without_row, no_other]),
            takes: m.and(&[found, takes]),
            is_clear: m.and(&[found, is_clear]),
        }
    }
}

//! Few masks: each is a hash table (tuple space search: Srinivasan, Suri, Varghese, "Packet Classification using Tuple Space
//! Search", SIGCOMM 1999).
//!
//! **Banks.** A bank is a hash table of one mask: the key's bits that count are looked up in two halves, at a row of each ([`digest`]). All
//! banks are asked at once, and of all that match the entry of highest priority wins ([`lookup`]). A bank belongs to whichever mask has
//! entries in it, and a mask has as many as it needs, so entries may be spread over the masks in any way: with a quarter as many rows in a half
//! as there are entries, few masks can have so many that a bank has no room. So there are six banks more than masks.
//!
//! **Before or after.** A row is written while lookups go on, which have the read ports for themselves, and all rows of a lookup are read in
//! one clock. The host's slot writes the row of a new entry, and clears that of one that goes, in the clock in which a packet in
//! its place would read. An entry that moves is written to its new row before another one takes the old row.
//!
//! **An operation** ([`control`]) goes through all entries ([`scan`]): for its own one, for what stands in the rows where it
//! could stand, and for which banks and masks are in use. Nothing else says that: a bank without entries is free, and so is the number of a
//! mask without banks. Where all rows are taken, an entry in one of them goes to one of its own rows, and so on ([`path`]; Pagh, Rodler,
//! "Cuckoo Hashing", 2004). When that finds no end, the mask takes another bank, and when none is free, the entries of one that can spare
//! it are moved to the others of its mask.
//!
//! **Refused** is an entry of one more mask than there may be, as if the table were full, and a priority that is none of [`PRIORITIES`].
//! Entries that differ in nothing but their priority have the same rows, two of each bank: with more of them than the banks have room for that the
//! mask can get, 14 where all others have one each and 44 where there are no others, the table is full, too.
//!
//! **Measured** with yosys for UltraScale+: 2,048 entries of 72 bits ternary with 16 masks take 8,533 LUTs, 8,688 flip-flops and 72 block RAMs at
//! 5.5 levels (`cargo run --profile ci -p hardpath-synth --example tables -- masks:72:2048`); with any masks ([`super::places`]) they take 7,714,
//! 12,156 and 240.

mod clearing;
mod control;
mod digest;
mod lookup;
mod next;
mod path;
mod scan;
mod shape;
mod store;

use super::{Table, TernaryIn, TernaryOut, TernarySlotIn};
use crate::matching::answer::{later_host, Answered};
use crate::matching::decision::{operation_answer, Decision};
use crate::matching::entries::changes;
use crate::matching::scan::Found;
use crate::matching::sweep::ready_after;
use control::Control;
use hardpath_rtl::signals::Block;
use lookup::{Banks, NewMask};
use scan::Scanned;
use shape::Shape;
use std::ops::Range;
use store::{Read, Store};

/// The priorities that entries can have: 24 bits around the middle of 32.
pub const PRIORITIES: Range<u32> = (1 << 31) - (1 << 23)..(1 << 31) + (1 << 23);

/// Bits of a priority in a row.
const PRIORITY_BITS: u32 = 24;

/// More make the rows of a half more than a block RAM has where its words are wide.
pub(super) const MOST_ENTRIES: u32 = 8192;

/// Clocks from the stage of the key to that of the answer: the rows, reading, two of comparing, choice, and the answer.
pub(super) fn clocks(masks: u32, registers: bool) -> u32 {
    4 + u32::from(registers) + lookup::choice_clocks(shape::banks(masks)) + 1
}

/// Clocks that preparing an operation takes at most, if no bank is cleared for another mask.
pub(super) fn prepare_clocks(masks: u32, entries: u32) -> u32 {
    let scan = entries + 32;
    let moves = control::MOST_MOVES * 16;
    let for_one = (control::MOST_MOVES + 1) * control::ATTEMPTS * scan + moves;
    let clears = shape::banks(masks).saturating_mul(entries);
    for_one.saturating_mul(clears.saturating_add(2))
}

/// Bits of memory.
pub(super) fn memory_bits(masks: u32, entries: u32, key_bits: u32) -> u64 {
    let shape = Shape::new(masks, entries, key_bits);
    let rows = 2 * u64::from(shape.banks()) * u64::from(shape.rows()) * u64::from(shape.row_bits());
    let masks = u64::from(shape.banks() * (key_bits + shape.mask_number_bits()));
    rows + u64::from(entries * shape.entry_bits()) + masks
}

/// Block RAMs of 36 kbit that rows take, in halves with words of 36 bits.
pub(super) fn row_block_rams(masks: u32, entries: u32, key_bits: u32) -> u64 {
    let shape = Shape::new(masks, entries, key_bits);
    let halves = u64::from(shape.row_bits().div_ceil(36) * shape.rows().div_ceil(512));
    u64::from(shape.banks()) * halves
}

/// Whether the rows stand in LUT RAM.
pub(super) fn in_lut_ram(entries: u32) -> bool {
    shape::rows(entries) <= 64
}

impl Table<'_> {
    pub(super) fn build_masks(mut self, masks: u32) -> Block<TernaryIn, TernaryOut> {
        assert!(masks <= super::Ternary::MOST_MASKS);
        let inputs = self.inputs();
        let TernarySlotIn { key, host_r } = inputs.slot;
        let host = &inputs.host;
        let shape = Shape::new(masks, self.entries.0, self.key_bits);
        let host_1 = self.m.delay_reset("host_1", host_r);
        let asked = self.asked_of_masks(host);
        let store = Store::new(&mut self.m, shape);
        let wires = control::Wires::new(&mut self.m, shape);
        let read = Read::of(&mut self.m, &store, &asked, &wires);
        let scanned = Scanned::of(&mut self.m, &store, &asked, (&read, &wires));
        let m = &mut self.m;
        let control = Control::of(
            m,
            &store,
            (&asked, host.host_slot),
            (&scanned, &read),
            &wires,
        );
        m.section("Preparation: the decision");
        let command = &asked.command;
        let found = Found {
            exists: scanned.exists,
            found: scanned.found,
            has_room: control.placed,
            vacant: scanned.vacant,
        };
        let absent = m.not(found.exists);
        let (wishes, there) = ((command, &asked.wishes), (absent, read.is_there));
        let answer = operation_answer(m, wishes, &found, there, asked.no_entry);
        let meant = (command, host.host_slot);
        let decision = Decision::of(m, self.entries, meant, (control.decides, &found), answer);
        let decided = (command, &decision);
        let changes = changes(m, host_r, decided);
        let inserts = m.and(&[command.is_update, absent]);
        let changes_rows = m.or(&[inserts, command.is_delete]);
        let changes = m.and(&[changes, changes_rows]);
        let slot = control.slot_change(m, (&asked, &scanned, &read), changes, decision.entry);
        let written = store.write(m, host, (&control.moved, &slot), &control.cleared);
        let looks_up = m.and(&[command.begins, command.is_lookup]);
        let nothing = m.zero(1);
        let needed = ((nothing, nothing), looks_up);
        let (ready, ()) = ready_after(m, (command, host.start), control.decides, needed, |m, _| {
            ((), m.zero(1))
        });
        let new_mask = NewMask {
            happens: control.allocates,
            bank: control.new_bank,
            mask: asked.entry.mask,
        };
        let banks = Banks {
            written: &written,
            new_mask: &new_mask,
            sweep: (host.clear, host.clear_index),
        };
        let (hit, number) = self.looked_up(shape, key, &banks);
        let m = &mut self.m;
        m.section("The answer");
        let host = later_host(m, host_1, self.clocks);
        let reads = m.not(command.is_lookup);
        let means = m.and(&[host, reads]);
        let answer = Answered::from(m, (host, self.clocks), means, (hit, number), decided);
        let stored = read.as_entry(m, control.mask);
        let outputs = answer.into_ternary(ready, stored);
        self.m.into_block(inputs, outputs)
    }
}

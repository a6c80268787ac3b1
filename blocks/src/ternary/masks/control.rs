//! What an operation does, step by step.
//!
//! ```text
//! compare the mask with those of the banks ─► scan ─► the host's entry is there, or none is to come: decided
//!                                              ▲ │
//!   the entry that stands there joins the way ─┘ ├─► a free row: move those on the way, the last first ─► decided
//!                                                ├─► the way ends nowhere: begin another one, some times
//!                                                ├─► a free bank gets the mask ─► decided
//!                                                └─► clear a bank: its entries are placed in others, and all begins anew
//! ```
//!
//! A bank is cleared in the same steps: the scan finds one of its entries, which is the first on a way and leaves its row at last.

use super::clearing::Clearing;
use super::digest::Rows;
use super::next::{Next, Options};
use super::path::{Moved, Path, Steps};
use super::scan::Scanned;
use super::shape::{Place, Shape};
use super::store::{Cleared, Read, SlotChange, Store};
use crate::matching::asked::Command;
use crate::matching::runs::{flag, late, runs};
use crate::ternary::asked::Asked;
use hardpath_rtl::{Module, Node};

/// Entries on a way.
pub(super) const MOST_MOVES: u32 = 16;
/// Ways that are tried before a mask gets another bank.
pub(super) const ATTEMPTS: u32 = 4;
const ATTEMPT_BITS: u32 = 2;

/// Clocks from the end of a scan until what it finds stands in registers.
const SCAN_LATE: u32 = 6;
/// Clocks from the number of a bank to its mask.
const MASK_LATE: u32 = 3;
/// Clocks in which lookups still have the mask that a bank had before.
const NEW_MASK_LATE: u32 = 6;

/// What other parts need before it is there: wires.
pub(super) struct Wires {
    /// Entries are read one after the other, and one alone; with their numbers.
    pub(super) scans: Node,
    pub(super) scan_number: Node,
    pub(super) loads: Node,
    pub(super) load_number: Node,
    /// Strobe.
    pub(super) scan_begins: Node,
    /// A bit for each bank: it has the mask that is asked for.
    pub(super) banks_of_mask: Node,
    pub(super) cleared_bank: Node,
    /// Where the entry that is to be placed could go.
    pub(super) rows: Rows,
    /// Nobody is on the way.
    pub(super) at_start: Node,
    /// Strobe: the entry that was read joins it.
    pub(super) visits: Node,
}

/// What is done.
pub(super) struct Control {
    /// The host's new entry has a place; a register.
    pub(super) placed: Node,
    /// Strobe: all is known.
    pub(super) decides: Node,
    pub(super) moved: Moved,
    pub(super) cleared: Cleared,
    /// Strobe: a bank gets the host's mask.
    pub(super) allocates: Node,
    pub(super) new_bank: Node,
    /// The mask of the entry that was read last, as it is stored.
    pub(super) mask: Node,
    /// Where the host's new entry goes.
    target: Place,
}

impl Wires {
    pub(super) fn new(m: &mut Module, shape: Shape) -> Wires {
        Wires {
            scans: m.wire(1, "scans_entries"),
            scan_number: m.wire(shape.number_bits(), "scan_number"),
            loads: m.wire(1, "loads_entry"),
            load_number: m.wire(shape.number_bits(), "load_number"),
            scan_begins: m.wire(1, "scan_begins"),
            banks_of_mask: m.wire(shape.banks(), "banks_of_the_mask"),
            cleared_bank: m.wire(shape.bank_bits(), "bank_to_clear"),
            rows: Rows([0, 1].map(|half| m.wire(shape.index_bits(), format!("row_wanted_{half}")))),
            at_start: m.wire(1, "way_is_empty"),
            visits: m.wire(1, "entry_joins"),
        }
    }
}

/// Strobes of later steps that earlier ones wait for, and what they go by: wires.
struct Later {
    masks_compared: Node,
    scan_ended: Node,
    way_is_full: Node,
    has_attempts: Node,
    next: LaterNext,
    gives_up: Node,
    finds_again: Node,
    clears: Node,
    clears_next: Node,
}

/// The same, of [`Next`].
struct LaterNext {
    takes: Node,
    is_clear: Node,
}

impl Later {
    fn new(m: &mut Module) -> Later {
        let mut wire = |name: &str| m.wire(1, name);
        Later {
            masks_compared: wire("masks_are_compared"),
            scan_ended: wire("scan_has_ended"),
            way_is_full: wire("way_is_full"),
            has_attempts: wire("has_attempts"),
            next: LaterNext {
                takes: wire("takes_one"),
                is_clear: wire("bank_is_clear"),
            },
            gives_up: wire("gives_up"),
            finds_again: wire("finds_again"),
            clears: wire("clears_first"),
            clears_next: wire("clears_next"),
        }
    }
}

impl Control {
    pub(super) fn of(
        m: &mut Module,
        store: &Store,
        (asked, host_slot): (&Asked, Node),
        (scanned, read): (&Scanned, &Read),
        wires: &Wires,
    ) -> Control {
        let shape = store.shape;
        let command = &asked.command;
        let begins = command.begins_change(m);
        let later = Later::new(m);
        let clearing = later.clearing(m, shape, (begins, wires.banks_of_mask));
        m.drive(wires.cleared_bank, clearing.bank);
        let options = Options::of(m, shape, scanned, wires.banks_of_mask);
        let step = m.delay_reset("step", later.scan_ended);
        let ways = (later.way_is_full, later.has_attempts);
        let next = Next::of(m, (step, command), (scanned, &options), &clearing, ways);
        m.drive(later.next.takes, next.takes);
        m.drive(later.next.is_clear, next.is_clear);
        let allocates = later.without_room(m, begins, (&next, &options), &clearing);
        store.allocate(m, asked, allocates, &options);

        m.section("Preparation: when masks are compared, and entries scanned");
        let either = m.or(&[later.clears, later.clears_next]);
        let mask_to_clear = late(m, "mask_to_clear", either, MASK_LATE);
        let anew = m.delay_reset("begins_anew", next.is_clear);
        let compares = m.or(&[begins, anew, mask_to_clear]);
        let masks = store.compare(m, (asked, read.bank), compares, &clearing);
        m.drive(wires.banks_of_mask, masks.same);
        m.drive(later.masks_compared, masks.done);
        let joined = m.delay_reset("has_joined", wires.visits);
        let scans = m.or(&[masks.done, next.again, joined, later.finds_again]);
        m.drive(wires.scan_begins, scans);
        let ends = scan(m, shape, (command, host_slot), wires);
        let ends = late(m, "scan_ended", ends, SCAN_LATE);
        m.drive(later.scan_ended, ends);

        let forgets = m.or(&[begins, next.again, allocates, either]);
        let fates = (&next, &options, allocates, forgets);
        let path = way(m, shape, fates, (scanned, read), wires);
        m.drive(later.way_is_full, path.is_full);
        let own = m.or(&[masks.done, next.again]);
        wanted_rows(m, own, read, wires);

        m.section("Preparation: its end");
        let hosts = m.not(clearing.on);
        let host_done = m.and(&[path.done, hosts]);
        let clearing_done = m.and(&[path.done, clearing.on]);
        let again = m.and(&[next.again, clearing.on]);
        let finds = m.or(&[clearing_done, again]);
        m.drive(later.finds_again, finds);
        let other = m.or(&[masks.done, clearing_done]);
        let has_attempts = attempts(m, other, next.again);
        m.drive(later.has_attempts, has_attempts);
        let placed = flag(m, "new_entry_is_placed", begins, host_done);
        let decided = m.or(&[next.nothing, host_done, later.gives_up]);
        Control {
            placed,
            decides: m.delay_reset("decides", decided),
            moved: path.moved,
            cleared: Cleared {
                happens: clearing_done,
                place: path.target,
            },
            allocates,
            new_bank: options.new_bank,
            mask: masks.word,
            target: path.target,
        }
    }

    /// What the host's slot does. `changes`: a strobe.
    pub(super) fn slot_change(
        &self,
        m: &mut Module,
        (asked, scanned, read): (&Asked, &Scanned, &Read),
        changes: Node,
        number: Node,
    ) -> SlotChange {
        let old = Place {
            bank: scanned.bank,
            half: scanned.half,
            index: read.own_rows.of_half(m, scanned.half),
        };
        SlotChange {
            happens: changes,
            comes: asked.command.is_update,
            number,
            place: Place::mux(m, asked.command.is_delete, old, self.target),
            priority: asked.entry.priority,
            key: asked.entry.key,
        }
    }
}

impl Later {
    fn clearing(
        &self,
        m: &mut Module,
        shape: Shape,
        (begins, banks_of_mask): (Node, Node),
    ) -> Clearing {
        let ends = m.or(&[begins, self.next.is_clear, self.gives_up]);
        let on = (self.clears, ends);
        let finds = (self.masks_compared, self.finds_again, self.next.takes);
        let next = (self.clears_next, banks_of_mask);
        Clearing::of(m, shape, on, finds, next)
    }

    /// What happens where an entry finds no row. Gives the strobe in which a free bank gets the host's mask.
    fn without_room(
        &self,
        m: &mut Module,
        begins: Node,
        (next, options): (&Next, &Options),
        clearing: &Clearing,
    ) -> Node {
        m.section("Preparation: another bank");
        let hosts = m.not(clearing.on);
        let host = m.and(&[next.fails, hosts]);
        let allocates = m.and(&[host, options.has_bank, options.has_mask]);
        let full = m.not(options.has_bank);
        let tried = flag(m, "has_cleared", begins, self.clears);
        let first = m.not(tried);
        let clears = m.and(&[host, full, options.has_mask, first]);
        m.drive(self.clears, clears);
        let kept = m.and(&[next.fails, clearing.on]);
        let more = m.not(clearing.is_last);
        let clears_next = m.and(&[kept, more]);
        m.drive(self.clears_next, clears_next);
        let all_kept = m.and(&[kept, clearing.is_last]);
        let finds_some = m.or(&[allocates, clears]);
        let finds_none = m.not(finds_some);
        let hopeless = m.and(&[host, finds_none]);
        let gives_up = m.or(&[all_kept, hopeless]);
        m.drive(self.gives_up, gives_up);
        allocates
    }
}

/// The way of entries, and which of them are read. Drives all wires of that.
fn way(
    m: &mut Module,
    shape: Shape,
    (next, options, allocates, forgets): (&Next, &Options, Node, Node),
    (scanned, read): (&Scanned, &Read),
    wires: &Wires,
) -> Path {
    m.section("Preparation: where the last one goes");
    let moves = m.wire(1, "entry_moves");
    let bank_has_mask = late(m, "bank_has_mask", allocates, NEW_MASK_LATE);
    let fits = m.delay_reset("last_one_fits", next.fits);
    let first_row = Place {
        bank: options.new_bank,
        half: m.zero(1),
        index: read.own_rows.0[0],
    };
    let free = Place {
        bank: options.bank,
        half: options.half,
        index: wires.rows.of_half(m, options.half),
    };
    let steps = Steps {
        joins: wires.visits,
        forgets,
        ends: m.or(&[next.fits, allocates]),
        free: Place::mux(m, allocates, first_row, free),
        begins: m.or(&[fits, bank_has_mask]),
        moves,
    };
    let path = Path::of(m, shape, &steps, read);
    m.drive(wires.at_start, path.is_empty);

    m.section("Preparation: entries that are read alone");
    let joins = m.or(&[next.goes_on, next.takes]);
    let loads = m.or(&[joins, path.reads]);
    let number = m.mux(next.takes, scanned.remaining, scanned.standing);
    let number = m.mux(path.reads, path.number, number);
    m.drive(wires.loads, loads);
    m.drive(wires.load_number, number);
    let is_to_join = m.hold("is_to_join", loads, joins);
    let visits = m.and(&[read.loads, is_to_join]);
    m.drive(wires.visits, visits);
    let is_to_leave = m.not(is_to_join);
    let leaves = m.and(&[read.loads, is_to_leave]);
    m.drive(moves, leaves);
    path
}

/// The rows where the entry that is to be placed could go: the host's, or the one that joined the way. `own`: a strobe.
fn wanted_rows(m: &mut Module, own: Node, read: &Read, wires: &Wires) {
    let settles = m.or(&[own, wires.visits]);
    for half in 0..2 {
        let row = m.mux(wires.visits, read.rows.0[half], read.own_rows.0[half]);
        let row = m.hold(format!("wanted_row_{half}"), settles, row);
        m.drive(wires.rows.0[half], row);
    }
}

/// Goes through all entries, or to that which a dump asks for. Gives a strobe with the last one.
fn scan(
    m: &mut Module,
    shape: Shape,
    (command, host_slot): (&Command, Node),
    wires: &Wires,
) -> Node {
    let bits = shape.number_bits();
    let (number_reg, number) = m.reg("entry_to_scan", bits);
    let zero = m.zero(bits);
    let slot = m.resize(host_slot, bits);
    let first = m.mux(command.is_dump, slot, zero);
    let more = m.add_const(number, 1);
    let next = m.mux(wires.scan_begins, first, more);
    m.set_next(number_reg, next);
    let last = m.eq_const(number, u64::from(shape.entries) - 1);
    let last = m.or(&[last, command.is_dump]);
    let (scans, ends) = runs(m, "scans", wires.scan_begins, last);
    m.drive(wires.scans, scans);
    m.drive(wires.scan_number, number);
    ends
}

/// Whether another way may be tried. Strobes: something else is to be placed, and a way has ended.
fn attempts(m: &mut Module, other: Node, ended: Node) -> Node {
    let (reg, left) = m.reg("attempts_left", ATTEMPT_BITS);
    let all = m.constant(u64::from(ATTEMPTS) - 1, ATTEMPT_BITS);
    let fewer = m.sub_const(left, 1);
    let next = m.mux(other, all, fewer);
    let changes = m.or(&[other, ended]);
    m.set_next_when(reg, changes, next);
    m.reduce_or(left)
}

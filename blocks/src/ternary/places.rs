//! Many entries: the place of an entry is its priority.
//!
//! An entry stands in a *place*, and of the entries that match the one in the first place wins. The number of an entry, by which all others
//! know it, is beside that: the *order* has it for each place. So an entry can move, and neither packets nor hosts see it.
//!
//! **Match.** Chunks of nine bits address block RAMs, whose words have a bit for each place ([`rows`]). Lookups have the read ports for
//! themselves. The other port writes nine neighbouring places a clock, which a write enable stands for, so the entries of all nine stand in
//! registers meanwhile, and the rows are made from them ([`write`]): 512 clocks a place, and some thirty around them.
//!
//! **Choice.** The first place, in four clocks and one for the order ([`choice`]).
//!
//! **Before or after.** A valid bit for each place stands behind the rows. A place is written while it is not valid, becomes valid in one clock
//! after the last row, and a packet meets its valid bit in one stage: so packets see it as before or as after. Of an entry that moves both
//! places are valid for a moment, with the same number in the order and no other entry between them. A place's number in the order
//! changes long after the last packet that saw it valid has read it.
//!
//! **An operation** ([`scan`]) goes through all places for its entry, and for a new one between which two places it belongs. Where
//! one is free there, it takes the middle one, or beside the entry that was put in last the one next to it, since entries often come in
//! order. Else the entries of a window move apart first ([`window`], [`spread`]). The last write of an operation waits for the host's slot, which
//! changes one valid bit. So packets see a change at one place among them, as everywhere.
//!
//! **How many move** for a new entry stands in docs/architecture.md. Each takes some 600 clocks of an operation, in which packets go on, and the
//! pass through all as many clocks as there are places.
//!
//! **Measured** with yosys for UltraScale+, one ternary field, at 8.2 levels (`cargo run --profile ci -p hardpath-synth --example tables`):
//!
//! | entries, bits | LUTs | flip-flops | block RAMs |
//! |---|--:|--:|--:|
//! | 512, 128 | 4,047 | 7,473 | 117.5 |
//! | 2,048, 72 | 7,714 | 12,156 | 240 |

mod choice;
mod numbers;
mod reader;
mod rows;
mod scan;
mod shape;
mod spread;
mod window;
mod write;

use super::asked::Asked;
use super::fields::Fields;
use super::{Table, TernaryHostIn, TernaryIn, TernaryOut, TernarySlotIn};
use crate::index_bits;
use crate::matching::answer::{later_host, Answered};
use crate::matching::decision::{operation_answer, Decision};
use crate::matching::entries::changes;
use crate::matching::scan::Found;
use crate::matching::sweep::ready_after;
use choice::Chosen;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{Module, Node};
use numbers::Numbers;
use reader::{Memories, Reader, Reason, Tag};
use scan::{Counting, Pass, Scanned};
use shape::Shape;
use spread::{Spread, Wanted};
use window::Window;
use write::{Group, Write};

/// An entry moves. `begins`: a strobe, with which all else is right.
struct Move {
    begins: Node,
    from: Node,
    to: Node,
    number: Node,
}

/// The operation's own entry comes, or goes. `happens`: a strobe, with which all else is right.
#[derive(Clone, Copy)]
struct Change {
    happens: Node,
    comes: Node,
    number: Node,
}

/// What the preparation of an operation needs from its parts, before they are there: wires.
struct Wires {
    /// To read a lane of a group, and a place of a window.
    lanes: Reason,
    spread: Wanted,
    counting: Counting,
    /// The number of the entry that was put in last.
    last_number: Node,
    /// The second half of a move.
    again: Node,
}

/// An operation: what it asks for, what is found of it, and what is to be done.
struct Known {
    asked: Asked,
    numbers: Numbers,
    reader: Reader,
    pass: Pass,
    scanned: Scanned,
    decision: Decision,
    /// Its entry comes or goes.
    changes_places: Node,
    /// Of what is counted, and of what moves apart.
    counts: Tag,
    spreads: Tag,
    /// Of lanes.
    lanes: Tag,
}

/// Clocks from the stage of the key to that of the answer.
pub(super) fn clocks(registers: bool, chunks: usize) -> u32 {
    1 + u32::from(registers) + rows::stages(chunks) + choice::CLOCKS + 1
}

/// Clocks that preparing an operation takes at most, where every entry moves.
pub(super) fn prepare_clocks(entries: u32, row_bits: u32) -> u32 {
    let write = (1 << row_bits) + 40;
    // Of an entry: two visits with what they add, and two writes, one of them without rows.
    let moved = write + 120;
    let passes = 4 * entries + 16 * index_bits(u64::from(entries)) + entries.div_ceil(32);
    passes + entries * moved + write + 64
}

/// Bits of memory.
pub(super) fn memory_bits(entries: u32, fields: &Fields) -> u64 {
    let bits = index_bits(u64::from(entries));
    let rows: u64 = fields.chunks().iter().map(|chunk| 1 << chunk.bits()).sum();
    // The order twice, since lookups and operations read it. The presence of an entry is a bit among the numbers here.
    let others = fields.word_bits() + 2 * (bits + 1);
    u64::from(entries) * (rows + u64::from(others))
}

impl Wires {
    fn new(m: &mut Module, shape: Shape) -> Wires {
        let bits = shape.bits();
        let mut place = |name: &str| m.wire(bits, name);
        let places = [
            "read_lane_place",
            "spread_reads_place",
            "window_first",
            "window_last",
        ];
        let [lane_place, spread_place, first, last] = places.map(&mut place);
        let [from, to, number] = ["spread_from", "spread_to", "spread_moved"].map(&mut place);
        let last_number = place("last_number_put_in");
        let mut strobe = |name: &str| m.wire(1, name);
        let strobes = [
            "reads_lane",
            "spread_reads",
            "spread_moves",
            "window_is_counted",
        ];
        let [lane_reads, spread_reads, moves, counts] = strobes.map(&mut strobe);
        let [moved, again] = ["entry_has_moved", "write_again"].map(&mut strobe);
        Wires {
            lanes: Reason {
                reads: lane_reads,
                place: lane_place,
            },
            spread: Wanted {
                reads: Reason {
                    reads: spread_reads,
                    place: spread_place,
                },
                moves: Move {
                    begins: moves,
                    from,
                    to,
                    number,
                },
                moved,
            },
            counting: Counting {
                begins: counts,
                first,
                last,
            },
            last_number,
            again,
        }
    }
}

impl Table<'_> {
    pub(super) fn build_places(mut self) -> Block<TernaryIn, TernaryOut> {
        let inputs = self.inputs();
        let TernarySlotIn { key, host_r } = inputs.slot;
        let shape = Shape {
            places: self.entries.0,
        };
        let host_1 = self.m.delay_reset("host_1", host_r);
        let memories = self.memories(shape);
        let wires = Wires::new(&mut self.m, shape);
        let known = self.known(shape, memories, &inputs.host, &wires);
        let command = &known.asked.command;
        let decided = (command, &known.decision);
        let changes = changes(&mut self.m, host_r, decided);
        let changes = self.m.and(&[changes, known.changes_places]);
        let (ready, group) = self.work(shape, memories, &inputs.host, (&known, &wires), changes);
        let matching = self.matching_places(shape, key, &group);
        let m = &mut self.m;
        let chosen = Chosen::of(m, shape, memories, matching);
        m.section("The answer");
        let host = later_host(m, host_1, self.clocks);
        let reads = m.not(command.is_lookup);
        let means = m.and(&[host, reads]);
        let found = (chosen.hit, chosen.number);
        let answer = Answered::from(m, (host, self.clocks), means, found, decided);
        let outputs = answer.into_ternary(ready, known.reader.entry);
        self.m.into_block(inputs, outputs)
    }

    /// What the host asks for, and what can be done.
    fn known(
        &mut self,
        shape: Shape,
        memories: Memories,
        host: &TernaryHostIn,
        wires: &Wires,
    ) -> Known {
        let asked = self.asked(host);
        let m = &mut self.m;
        let command = &asked.command;
        let begins = command.begins_change(m);
        let numbers = Numbers::of(m, shape, (command, begins), host.host_slot);
        let pass = Pass::of(m, shape, (command, numbers.known), &wires.counting);
        let reasons = [
            ("read_scans", pass.scans),
            ("read_counts", pass.counts),
            ("read_spreads", wires.spread.reads),
            ("read_lanes", wires.lanes),
        ];
        let (reader, [scans, counts, spreads, lanes]) =
            self.reader(shape, memories, reasons, (command, host.host_slot));
        let read = (&scans, &reader);
        let scanned = self.scanned(shape, &asked, &numbers, read, wires.last_number);
        let m = &mut self.m;
        m.section("Preparation: the decision");
        let found = Found {
            exists: scanned.exists,
            found: scanned.number,
            has_room: numbers.has_room,
            vacant: numbers.vacant,
        };
        let absent = m.not(found.exists);
        let wishes = (command, &asked.wishes);
        let there = (absent, numbers.dumped);
        let answer = operation_answer(m, wishes, &found, there, asked.no_entry);
        let meant = (command, host.host_slot);
        let decision = Decision::of(m, self.entries, meant, (pass.scanned, &found), answer);
        let inserts = m.and(&[command.is_update, absent]);
        let changes_places = m.or(&[inserts, command.is_delete]);
        Known {
            changes_places,
            asked,
            numbers,
            reader,
            pass,
            scanned,
            decision,
            counts,
            spreads,
            lanes,
        }
    }

    /// Does all but what the host's slot does. Gives whether that may come. `changes`: it changes places.
    fn work(
        &mut self,
        shape: Shape,
        memories: Memories,
        host: &TernaryHostIn,
        (known, wires): (&Known, &Wires),
        changes: Node,
    ) -> (Node, Group) {
        let word = self.word(&known.asked.entry);
        let row_bits = self.fields.row_bits();
        let m = &mut self.m;
        let command = &known.asked.command;
        let looks_up = m.and(&[command.begins, command.is_lookup]);
        let needed = (known.changes_places, known.decision.fine);
        let work = |m: &mut Module, begins: Node| {
            let (happens, place) = own_place(m, shape, (known, wires), begins);
            let number = known.decision.entry;
            let change = Change {
                happens,
                comes: command.is_update,
                number,
            };
            known.numbers.write(m, host, change);
            let comes = m.and(&[happens, command.is_update]);
            m.mem_write(memories.keys, number, word, comes);
            let last = m.hold("last_number", comes, number);
            m.drive(wires.last_number, last);
            let moves = &wires.spread.moves;
            let write = Write::of(m, shape, moves, wires.again, (change, place));
            write.order(m, memories, host);
            let read = (wires.lanes, (&known.lanes, &known.reader));
            let group = Group::of(m, (shape, row_bits), &write, read, (changes, wires.again));
            m.drive(wires.spread.moved, group.moved);
            let ready = group.ready;
            (group, ready)
        };
        let decides = known.pass.scanned;
        ready_after(m, (command, host.start), decides, (needed, looks_up), work)
    }
}

/// The place of the operation's own entry, and the strobe in which it comes or goes. `begins`: it is to do so.
fn own_place(
    m: &mut Module,
    shape: Shape,
    (known, wires): (&Known, &Wires),
    begins: Node,
) -> (Node, Node) {
    m.section("Preparation: a place between those before and those behind");
    let scanned = &known.scanned;
    let is_delete = known.asked.command.is_delete;
    let has_gap = m.ult(scanned.from, scanned.to);
    let has_gap = m.delay("new_has_gap", has_gap);
    let last = m.sub_const(scanned.to, 1);
    let sum_bits = shape.end_bits() + 1;
    let [low, high] = [scanned.from, last].map(|place| m.zext(place, sum_bits));
    let both = m.add(low, high);
    let bits = shape.bits();
    let middle = m.slice(both, 1, bits);
    let [first, last] = [scanned.from, last].map(|place| m.slice(place, 0, bits));
    let free = m.mux(scanned.before_last, last, middle);
    let free = m.mux(scanned.behind_last, first, free);
    let old = m.slice(scanned.place, 0, bits);
    let place = m.mux(is_delete, old, free);
    let place = m.delay("own_place", place);
    let at_once = m.or(&[is_delete, has_gap]);
    let goes = m.and(&[begins, at_once]);
    let dense = m.not(at_once);
    let spreads = m.and(&[begins, dense]);
    let counting = &wires.counting;
    let read = (&known.counts, &known.reader);
    let window = Window::of(m, shape, (spreads, scanned), counting, (&known.pass, read));
    let read = (&known.spreads, &known.reader);
    let spread = Spread::of(m, shape, (&window, scanned), read, &wires.spread);
    let happens = m.or(&[goes, spread.done]);
    let place = m.mux(at_once, place, spread.place);
    (m.delay_reset("own_place_changes", happens), place)
}

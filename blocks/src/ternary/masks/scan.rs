//! Going through all entries: for the host's, for those in the rows where one is to go, and for what is in use.

use super::control::Wires;
use super::shape::Shape;
use super::store::{Read, Store};
use crate::matching::runs::flag;
use crate::ternary::asked::Asked;
use hardpath_rtl::{MemStyle, Module, Node, NodeOp};

/// What a scan finds; all from registers, two clocks after the last entry stood in the third register of [`Read`].
pub(super) struct Scanned {
    /// Whether the host's entry is there, its number, and where.
    pub(super) exists: Node,
    pub(super) found: Node,
    pub(super) bank: Node,
    pub(super) half: Node,
    /// Whether a number is free, and the lowest one.
    pub(super) has_vacant: Node,
    pub(super) vacant: Node,
    /// A bit for each bank: it has entries.
    pub(super) occupied: Node,
    /// A bit for each mask's number: a bank with entries has it.
    pub(super) mask_numbers: Node,
    /// For each half a bit for each bank: somebody stands in the row where the entry that is to be placed could go.
    pub(super) taken: [Node; 2],
    /// One of those, that has not gone elsewhere on this way already: whether there is one, and its number.
    pub(super) stands: Node,
    pub(super) standing: Node,
    /// An entry in the bank that is to be cleared: whether there is one, and its number.
    pub(super) remains: Node,
    pub(super) remaining: Node,
}

/// An entry beside what is asked for, in the fourth register.
struct Compared {
    present: Node,
    absent: Node,
    number: Node,
    bank: Node,
    half: Node,
    one_hot: Node,
    mask_number: Node,
    /// It is the host's.
    same: Node,
    /// It stands where the entry that is to be placed could go, and may go elsewhere.
    stands: [Node; 2],
    moves: Node,
    remains: Node,
}

impl Scanned {
    pub(super) fn of(
        m: &mut Module,
        store: &Store,
        asked: &Asked,
        (read, wires): (&Read, &Wires),
    ) -> Scanned {
        let shape = store.shape;
        let compared = Compared::of(m, store, asked, (read, wires));
        m.section("Preparation: what a scan finds");
        let begins = wires.scan_begins;
        let gather = |m: &mut Module, name: &str, with: Node| {
            let (reg, all) = m.reg(name, m.width(with));
            let more = m.or(&[all, with]);
            let idle = m.not(begins);
            let next = m.gate(idle, more);
            m.set_next(reg, next);
            all
        };
        let one_hot = m.gate(compared.present, compared.one_hot);
        let occupied = gather(m, "occupied_banks", one_hot);
        let taken = [0, 1].map(|half| {
            let banks = m.gate(compared.stands[half], compared.one_hot);
            gather(m, &format!("taken_{half}"), banks)
        });
        let one = m.constant(1, shape.masks);
        let number = m.shift(NodeOp::Shl, one, compared.mask_number);
        let number = m.gate(compared.present, number);
        let mask_numbers = gather(m, "mask_numbers_in_use", number);

        let exists = flag(m, "exists", begins, compared.same);
        let is_first = |m: &mut Module, some: Node, that: Node| {
            let none = m.not(some);
            m.and(&[that, none])
        };
        let has_vacant = flag(m, "has_vacant", begins, compared.absent);
        let first_absent = is_first(m, has_vacant, compared.absent);
        let stands = flag(m, "somebody_stands", begins, compared.moves);
        let first = is_first(m, stands, compared.moves);
        // Any of them will do, but ways that go round must not do so again and again.
        let coin = coin(m);
        let other = m.and(&[compared.moves, coin]);
        let takes = m.or(&[first, other]);
        let remains = flag(m, "somebody_remains", begins, compared.remains);
        Scanned {
            exists,
            found: m.hold("found_number", compared.same, compared.number),
            bank: m.hold("found_bank", compared.same, compared.bank),
            half: m.hold("found_half", compared.same, compared.half),
            has_vacant,
            vacant: m.hold("vacant_number", first_absent, compared.number),
            occupied,
            mask_numbers,
            taken,
            stands,
            standing: m.hold("standing_number", takes, compared.number),
            remains,
            remaining: m.hold("remaining_number", compared.remains, compared.number),
        }
    }
}

impl Compared {
    fn of(
        m: &mut Module,
        store: &Store,
        asked: &Asked,
        (read, wires): (&Read, &Wires),
    ) -> Compared {
        m.section("Preparation: each entry beside what is asked for");
        let shape = store.shape;
        let key = m.eq(read.key, asked.entry.key);
        let priority = m.eq(read.priority, asked.entry.priority);
        let present = m.and(&[read.scans, read.is_there]);
        let gone = m.not(read.is_there);
        let absent = m.and(&[read.scans, gone]);
        let of_mask = m.shift(NodeOp::LShr, wires.banks_of_mask, read.bank);
        let of_mask = m.bit(of_mask, 0);
        let in_cleared = m.eq(read.bank, wires.cleared_bank);
        let second = read.half;
        let first = m.not(second);
        let rows = [(0, first), (1, second)].map(|(half, is_half)| {
            let same = m.eq(read.rows.0[half], wires.rows.0[half]);
            m.and(&[is_half, same])
        });
        let visited = visited(m, shape, read, wires);
        let key = m.delay("same_key", key);
        let priority = m.delay("same_priority", priority);
        let present = m.delay_reset("compared_present", present);
        let of_mask = m.delay("is_of_mask", of_mask);
        let stands = [0, 1].map(|half| {
            let at = m.delay(format!("stands_at_{half}"), rows[half]);
            m.and(&[present, of_mask, at])
        });
        let stays = m.delay("was_visited", visited);
        let goes = m.not(stays);
        let either = m.or(&stands);
        let number = m.mem_read_async(store.numbers, read.bank);
        let in_cleared = m.delay("is_in_cleared", in_cleared);
        let one_hot = shape.one_hot(m, read.bank);
        Compared {
            same: m.and(&[present, of_mask, key, priority]),
            moves: m.and(&[either, goes]),
            remains: m.and(&[present, in_cleared]),
            present,
            absent: m.delay_reset("compared_absent", absent),
            number: m.delay("compared_number", read.number),
            bank: m.delay("compared_bank", read.bank),
            half: m.delay("compared_half", read.half),
            one_hot: m.delay("compared_one_hot", one_hot),
            mask_number: m.delay("compared_mask_number", number),
            stands,
        }
    }
}

/// Whether the entry that is read already goes elsewhere on this way; a scan without a way forgets all.
fn visited(m: &mut Module, shape: Shape, read: &Read, wires: &Wires) -> Node {
    let memory = m.mem("visited", 1, shape.entries, MemStyle::Distributed);
    let visited = m.mem_read_async(memory, read.number);
    let forgets = m.and(&[read.scans, wires.at_start]);
    let writes = m.or(&[forgets, wires.visits]);
    m.mem_write(memory, read.number, wires.visits, writes);
    let on_way = m.not(wires.at_start);
    m.and(&[visited, on_way])
}

/// A bit that looks as if it were drawn: of a shift register with feedback (x^7 + x^6 + 1).
fn coin(m: &mut Module) -> Node {
    let (reg, bits) = m.reg_reset("coins", 7, 1);
    let [last, before] = [6, 5].map(|bit| m.bit(bits, bit));
    let new = m.xor(&[last, before]);
    let rest = m.slice(bits, 0, 6);
    let next = m.concat(&[rest, new]);
    m.set_next(reg, next);
    last
}

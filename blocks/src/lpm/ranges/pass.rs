//! The pass: the list that packets search in is read in order, and written with the change to the other one.
//!
//! Each range can be cut by the host's prefix into three pieces: what is in front of the prefix, in it, and behind it. A piece whose
//! prefix is that of the piece before is no range of its own. While the pieces of one range are written, one a clock, the begin of the
//! range behind the next one is read.

use super::{Lists, Prefixed, Put, Shape};
use crate::lpm::prepare::Prefix;
use hardpath_rtl::{MemStyle, Module, Node};

/// A piece in front, in and behind the prefix.
pub(super) const CLOCKS_A_RANGE: u32 = 3;

/// What changes; stands still from when the pass begins.
pub(super) struct Change {
    /// Or it is taken away.
    pub is_insertion: Node,
    /// The entry.
    pub entry: Node,
    /// What is found where it is taken away.
    pub covering: Prefixed,
    /// A strobe: packets now search in the other list.
    pub exchanges: Node,
    /// After reset: both are empty.
    pub clear: Node,
}

/// The host's prefix as a range of keys.
struct Bounds {
    first: Node,
    /// Behind the last one.
    end: Node,
    /// There are keys behind it.
    has_end: Node,
}

/// A range.
#[derive(Clone, Copy)]
struct Range {
    exists: Node,
    begin: Node,
    found: Node,
    /// Where it begins: in front of the prefix, behind its first key, at its end or behind it, behind its end.
    in_front: Node,
    inside: Node,
    at_end: Node,
    behind_end: Node,
}

/// Gives the lists, and a strobe at the end.
pub(super) fn pass(
    m: &mut Module,
    shape: Shape,
    prefix: &Prefix,
    change: &Change,
    begins: Node,
) -> (Lists, Node) {
    m.section("Preparation: the list is written anew");
    let bounds = Bounds::of(m, shape, prefix);
    let (bank_reg, bank) = m.reg_reset("bank", 1, 0);
    let other = m.not(bank);
    let kept = m.not(change.clear);
    let exchanged = m.xor(&[bank, change.exchanges]);
    let bank_next = m.and(&[exchanged, kept]);
    m.set_next(bank_reg, bank_next);

    // What is known of both lists, written below.
    let found_bits = shape.found_bits();
    let counts_regs = [0, 1].map(|at| m.reg_reset(format!("count_{at}"), shape.place_bits(), 0));
    let first_regs = [0, 1].map(|at| m.reg_reset(format!("first_{at}"), found_bits, 0));
    let (counts, firsts) = (
        counts_regs.map(|(_, node)| node),
        first_regs.map(|(_, node)| node),
    );

    let list = m.mem(
        "ranges",
        shape.data_bits + found_bits,
        2 << shape.address_bits(),
        MemStyle::Auto,
    );
    let (reading, ended) = Reading::of(m, shape, (list, bank, counts, firsts), &bounds, begins);
    let pieces = reading.pieces(m, shape, &bounds, (prefix, change));
    let (put, emits) = write(m, (shape, other), counts, begins, pieces);

    for (at, is_other) in [bank, other].into_iter().enumerate() {
        let starts = m.and(&[begins, is_other]);
        let puts = m.and(&[emits.puts, is_other]);
        let next = m.mux(puts, emits.place, counts[at]);
        let empty = m.or(&[starts, change.clear]);
        let filled = m.not(empty);
        let next = m.gate(filled, next);
        m.set_next(counts_regs[at].0, next);
        let takes = m.and(&[emits.is_first, is_other]);
        let next = m.mux(takes, emits.found, firsts[at]);
        let next = m.gate(kept, next);
        m.set_next(first_regs[at].0, next);
    }
    let address = m.resize(put.place, shape.address_bits());
    let address = m.concat(&[put.bank, address]);
    let word = m.concat(&[put.begin, put.found]);
    m.mem_write(list, address, word, put.enable);
    // The search needs no lengths.
    let (low, bits) = (shape.length_bits, shape.searched_bits());
    let without = |m: &mut Module, word: Node| m.slice(word, low, bits);
    let put = Put {
        found: without(m, put.found),
        ..put
    };
    let lists = Lists {
        bank,
        counts,
        first: firsts.map(|word| without(m, word)),
        put,
    };
    // The last piece is written two clocks after it was made.
    let ended = m.delay_reset("pass_ended_1", ended);
    let ended = m.delay_reset("pass_ended_2", ended);
    (lists, m.delay_reset("pass_ended_3", ended))
}

impl Bounds {
    fn of(m: &mut Module, shape: Shape, prefix: &Prefix) -> Bounds {
        let bits = shape.data_bits;
        let both = prefix.counts.iter().zip(&prefix.data);
        let first: Vec<Node> = both
            .clone()
            .map(|(counts, bit)| m.and(&[*counts, *bit]))
            .collect();
        let last: Vec<Node> = both
            .map(|(counts, bit)| {
                let any = m.not(*counts);
                m.or(&[any, *bit])
            })
            .collect();
        let first = m.concat(&first);
        let last = m.concat(&last);
        let last = m.delay("prefix_last", last);
        let last = m.zext(last, bits + 1);
        let behind = m.add_const(last, 1);
        let behind = m.delay("prefix_end", behind);
        let no_end = m.bit(behind, bits);
        Bounds {
            first: m.delay("prefix_first", first),
            end: m.slice(behind, 0, bits),
            has_end: m.not(no_end),
        }
    }
}

/// The range that is cut, and the next one.
struct Reading {
    /// Clocks of one range.
    phases: [Node; CLOCKS_A_RANGE as usize],
    /// There is one to cut.
    cuts: Node,
    range: Range,
    next: Range,
}

type Both = [Node; 2];

impl Reading {
    /// Goes through the list; gives a strobe in the last clock.
    fn of(
        m: &mut Module,
        shape: Shape,
        (list, bank, counts, firsts): (hardpath_rtl::Mem, Node, Both, Both),
        bounds: &Bounds,
        begins: Node,
    ) -> (Reading, Node) {
        let (running_reg, running) = m.reg_reset("passes", 1, 0);
        let (cuts_reg, cuts) = m.reg_reset("cuts", 1, 0);
        // One of three is set while it runs.
        let phases = [0, 1, 2].map(|at| m.reg_reset(format!("phase_{at}"), 1, 0));
        let turn = phases[2].1;
        let (index_reg, index) = m.reg("range_index", shape.place_bits() + 1);
        let one = m.constant(1, shape.place_bits() + 1);
        let more = m.add_const(index, 1);
        let index_next = m.mux(begins, one, more);
        let moves = m.or(&[begins, turn]);
        m.set_next_when(index_reg, moves, index_next);

        let count = m.mux(bank, counts[1], counts[0]);
        let count = m.zext(count, shape.place_bits() + 1);
        let exists = m.ule(index, count);
        let exists = m.delay("range_exists", exists);
        let address = m.resize(index, shape.address_bits());
        let address = m.concat(&[bank, address]);
        let enable = m.one();
        let word = m.mem_read_sync(list, address, enable);
        let word = m.delay("range_word", word);
        let read = Range::of(m, shape, (exists, word), bounds);
        let next = read.held(m, "next", turn);
        let first = m.mux(bank, firsts[1], firsts[0]);
        let start = Range::first(m, shape, first, bounds);
        let takes = m.and(&[turn, cuts]);
        let takes_any = m.or(&[takes, begins]);
        let source = next.or(m, begins, start);
        let range = source.held(m, "range", takes_any);

        let last = m.not(next.exists);
        let ends = m.and(&[turn, cuts, last]);
        let goes_on = m.not(ends);
        let goes_on = m.and(&[running, goes_on]);
        let running_next = m.or(&[begins, goes_on]);
        m.set_next(running_reg, running_next);
        let cuts_kept = m.or(&[cuts, turn]);
        let fresh = m.not(begins);
        let cuts_next = m.and(&[cuts_kept, goes_on, fresh]);
        m.set_next(cuts_reg, cuts_next);
        let before = [turn, phases[0].1, phases[1].1];
        for (at, ((reg, _), before)) in phases.iter().zip(before).enumerate() {
            let follows = m.and(&[before, goes_on, fresh]);
            let next = match at {
                0 => m.or(&[begins, follows]),
                _ => follows,
            };
            m.set_next(*reg, next);
        }
        let reading = Reading {
            phases: phases.map(|(_, node)| node),
            cuts,
            range,
            next,
        };
        (reading, ends)
    }
}

impl Range {
    /// Of a word of the list.
    fn of(m: &mut Module, shape: Shape, (exists, word): (Node, Node), bounds: &Bounds) -> Range {
        let found_bits = shape.found_bits();
        let begin = m.slice(word, found_bits, shape.data_bits);
        let in_front = m.ult(begin, bounds.first);
        let at_first = m.eq(begin, bounds.first);
        let outside = m.or(&[in_front, at_first]);
        let before_end = m.ult(begin, bounds.end);
        let at_end = m.not(before_end);
        let is_end = m.eq(begin, bounds.end);
        let not_end = m.not(is_end);
        Range {
            exists,
            begin,
            found: m.slice(word, 0, found_bits),
            in_front,
            inside: m.not(outside),
            at_end: m.and(&[at_end, bounds.has_end]),
            behind_end: m.and(&[at_end, not_end, bounds.has_end]),
        }
    }

    /// The one at the first key.
    fn first(m: &mut Module, shape: Shape, found: Node, bounds: &Bounds) -> Range {
        let zero = m.zero(1);
        Range {
            exists: m.one(),
            begin: m.zero(shape.data_bits),
            found,
            in_front: m.reduce_or(bounds.first),
            inside: zero,
            at_end: zero,
            behind_end: zero,
        }
    }

    fn parts(self) -> [(&'static str, Node); 7] {
        [
            ("exists", self.exists),
            ("begin", self.begin),
            ("found", self.found),
            ("in_front", self.in_front),
            ("inside", self.inside),
            ("at_end", self.at_end),
            ("behind_end", self.behind_end),
        ]
    }

    fn map(self, mut of: impl FnMut(&'static str, Node) -> Node) -> Range {
        let [exists, begin, found, in_front, inside, at_end, behind_end] =
            self.parts().map(|(name, node)| of(name, node));
        Range {
            exists,
            begin,
            found,
            in_front,
            inside,
            at_end,
            behind_end,
        }
    }

    /// In registers that take it then.
    fn held(self, m: &mut Module, whose: &str, takes: Node) -> Range {
        self.map(|name, node| m.hold(format!("{whose}_{name}"), takes, node))
    }

    /// Another one, where that is chosen.
    fn or(self, m: &mut Module, chosen: Node, other: Range) -> Range {
        let mut others = other.parts().into_iter();
        self.map(|_, node| {
            let (_, other) = others.next().expect("as many parts");
            m.mux(chosen, other, node)
        })
    }
}

/// A piece of a range, from registers.
struct Piece {
    exists: Node,
    begin: Node,
    found: Node,
}

impl Reading {
    /// One piece a clock: in front of the prefix, in it, behind it.
    fn pieces(
        &self,
        m: &mut Module,
        shape: Shape,
        bounds: &Bounds,
        (prefix, change): (&Prefix, &Change),
    ) -> Piece {
        let (range, next) = (self.range, self.next);
        let last = m.not(next.exists);
        let reaches_in = m.or(&[last, next.inside]);
        let reaches_out = m.or(&[last, next.behind_end]);
        let reaches_out = m.and(&[reaches_out, bounds.has_end]);
        let not_behind = m.not(range.at_end);
        let [front, within, behind] = self.phases;
        let in_front = m.and(&[front, range.in_front]);
        let is_in = m.and(&[within, not_behind, reaches_in]);
        let is_behind = m.and(&[behind, reaches_out]);
        let exists = m.or(&[in_front, is_in, is_behind]);
        let exists = m.and(&[exists, self.cuts]);

        let of_in = m.mux(range.in_front, bounds.first, range.begin);
        let of_behind = m.mux(range.at_end, range.begin, bounds.end);
        let begin = m.mux(behind, of_behind, range.begin);
        let begin = m.mux(within, of_in, begin);
        let inside = self.inside(m, shape, (prefix, change));
        // Known a clock after the range, which is in time for the second piece.
        let inside = m.delay("found_inside", inside);
        let found = m.mux(within, inside, range.found);
        Piece {
            exists: m.delay_reset("piece", exists),
            begin: m.delay("piece_begin", begin),
            found: m.delay("piece_found", found),
        }
    }

    /// What is found in the part of the range that the prefix has.
    fn inside(&self, m: &mut Module, shape: Shape, (prefix, change): (&Prefix, &Change)) -> Node {
        let before = Prefixed::of_word(m, self.range.found, shape);
        let none = m.not(before.has);
        let shorter = m.ult(before.length, prefix.length);
        let hides = m.or(&[none, shorter]);
        let own = m.eq(before.entry, change.entry);
        let uncovers = m.and(&[before.has, own]);
        let changes = m.mux(change.is_insertion, hides, uncovers);
        let new = Prefixed {
            has: m.one(),
            entry: change.entry,
            length: prefix.length,
        };
        let (new, covering) = (new.word(m), change.covering.word(m));
        let after = m.mux(change.is_insertion, new, covering);
        m.mux(changes, after, self.range.found)
    }
}

/// What becomes of pieces.
struct Emits {
    /// It is the one at the first key.
    is_first: Node,
    /// It begins a range at this place.
    puts: Node,
    place: Node,
    found: Node,
}

/// Writes a piece, unless the one before has the same prefix.
fn write(
    m: &mut Module,
    (shape, other): (Shape, Node),
    counts: Both,
    begins: Node,
    piece: Piece,
) -> (Put, Emits) {
    let (pending_reg, pending) = m.reg_reset("first_is_pending", 1, 0);
    let is_first = m.and(&[piece.exists, pending]);
    let rest = m.not(piece.exists);
    let still = m.and(&[pending, rest]);
    let pending_next = m.or(&[begins, still]);
    m.set_next(pending_reg, pending_next);
    let before = m.hold("piece_before", piece.exists, piece.found);
    let differs = m.ne(before, piece.found);
    let follows = m.not(pending);
    let puts = m.and(&[piece.exists, follows, differs]);
    let count = m.mux(other, counts[1], counts[0]);
    let place = m.add_const(count, 1);
    let put = Put {
        enable: m.delay_reset("put", puts),
        bank: m.delay("put_bank", other),
        place: m.delay("put_place", place),
        begin: m.delay("put_begin", piece.begin),
        found: m.delay("put_found", piece.found),
    };
    debug_assert_eq!(m.width(place), shape.place_bits());
    let emits = Emits {
        is_first,
        puts,
        place,
        found: piece.found,
    };
    (put, emits)
}

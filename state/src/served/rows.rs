//! Long values in rows of eight bytes: even rows in one memory, odd ones in another, so that any eight bytes are read at once.
//!
//! ```text
//! even │ row 0 │ row 2 │ row 4 │      6 bytes from offset 13 on lie in rows 1 and 2:
//! odd  │ row 1 │ row 3 │ row 5 │      pair 0 of the odd memory, pair 1 of the even one
//! ```
//!
//! Two rows beside each other are a *pair*, which has one address in both memories.

use super::lanes::{Place, LANES};
use super::{later, Served};
use hardpath_blocks::host::LONG_BYTES;
use hardpath_blocks::index_bits;
use hardpath_rtl::{Module, Node};

/// How values lie there.
pub(super) struct Fold {
    /// Pairs of a value.
    pub(super) pairs: u32,
    /// Pairs from a value to the next one.
    pub(super) stride: u32,
    /// Rows of a value.
    rows: u32,
    /// Bytes in the last one.
    in_last: u32,
}

impl Fold {
    pub(super) fn of(config: &Served) -> Fold {
        let bytes = config.value_bits / 8;
        let pairs = bytes.div_ceil(LONG_BYTES);
        let rows = bytes.div_ceil(LANES);
        Fold {
            pairs,
            stride: match config.max_entries {
                1 => pairs,
                _ => few_ones(pairs),
            },
            rows,
            in_last: bytes - (rows - 1) * LANES,
        }
    }

    /// Of an address in either memory, of so many entries.
    pub(super) fn depth(&self, entries: u32) -> u32 {
        self.stride * entries
    }

    /// Bits of a pair's number, also of the one behind the last.
    pub(super) fn pair_bits(&self) -> u32 {
        index_bits(u64::from(self.pairs) + 1)
    }

    /// The first pair of an entry, in so many bits.
    pub(super) fn first_pair(&self, m: &mut Module, entry: Node, bits: u32) -> Node {
        let mut sum = m.zero(bits);
        for place in (0..bits).filter(|place| self.stride >> place & 1 == 1) {
            let term = match place {
                0 => entry,
                _ => {
                    let zeros = m.zero(place);
                    m.concat(&[entry, zeros])
                }
            };
            let term = m.resize(term, bits);
            sum = m.add(sum, term);
        }
        sum
    }
}

/// The number itself, or the next one with at most three ones: so that a product with it takes two additions.
fn few_ones(number: u32) -> u32 {
    let all = number..=number.next_power_of_two();
    let mut few = all.filter(|number| number.count_ones() <= 3);
    few.next().expect("a power of two has one")
}

/// Where the bytes of an access lie, a clock after it was taken.
pub(super) struct Rows {
    /// In the memory of even rows and that of odd ones: which pair is meant.
    pub(super) pairs: [Node; 2],
    /// The first byte is in an odd row.
    odd: Node,
    /// The value has the row of the first byte, and the one behind.
    there: [Node; 2],
    /// Where the last row has fewer than eight bytes: it is that one.
    last: [Option<Node>; 2],
}

impl Rows {
    /// `offset`: of a request.
    pub(super) fn new(m: &mut Module, fold: &Fold, offset: Node) -> Rows {
        let offset = m.delay("row_offset", offset);
        let bits = m.width(offset) - 3;
        let row = m.slice(offset, 3, bits);
        // Behind the last row of all offsets lies the first one.
        let behind = m.add_const(row, 1);
        let pairs = [behind, row].map(|row| m.slice(row, 1, fold.pair_bits()));
        let limit = m.constant(fold.rows.into(), bits);
        let both = [("row", row), ("row_behind", behind)];
        Rows {
            pairs,
            odd: m.bit(row, 0),
            there: both.map(|(name, row)| {
                let there = m.ult(row, limit);
                m.delay(format!("{name}_is_there"), there)
            }),
            last: both.map(|(name, row)| {
                (fold.in_last < LANES).then(|| {
                    let last = m.eq_const(row, u64::from(fold.rows) - 1);
                    m.delay(format!("{name}_is_last"), last)
                })
            }),
        }
    }

    /// The bytes of both rows that the access means, first those of the even one. `reads`: it means any. All of it `clocks` after the
    /// request.
    pub(super) fn mask(
        &self,
        m: &mut Module,
        (fold, place): (&Fold, &Place),
        reads: Node,
        clocks: u32,
    ) -> Vec<Node> {
        let odd = later(m, "row_is_odd", self.odd, clocks - 1);
        let names = ["row", "row_behind"];
        let lanes = [&place.in_row, &place.behind];
        let [first, behind] = [0, 1].map(|which| {
            let name = names[which];
            let there = later(m, &format!("{name}_there"), self.there[which], clocks - 2);
            let last = self.last[which];
            let last = last.map(|last| later(m, &format!("{name}_last"), last, clocks - 2));
            let reads = m.and(&[reads, there]);
            let bytes = lanes[which].iter().zip(0..);
            let bytes = bytes.map(|(lane, number)| match last {
                Some(last) if number >= fold.in_last => {
                    let whole = m.not(last);
                    m.and(&[*lane, reads, whole])
                }
                _ => m.and(&[*lane, reads]),
            });
            bytes.collect::<Vec<Node>>()
        });
        let of_both = first.iter().zip(&behind);
        let (mut even, odd) = of_both
            .map(|(first, behind)| {
                let even = m.mux(odd, *behind, *first);
                (even, m.mux(odd, *first, *behind))
            })
            .collect::<(Vec<Node>, Vec<Node>)>();
        even.extend(odd);
        even
    }
}

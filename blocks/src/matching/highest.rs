//! Of the entries that match the one with the highest number wins, found bit by bit from the top: where an entry that still
//! matches has a 1, all with a 0 are out. The entries' numbers differ, so one is left.

use hardpath_rtl::{Module, Node};

/// Those that are left when some bits of the numbers have been looked at. `bits`: of all entries, the highest bit first.
pub(crate) fn highest(m: &mut Module, mut matching: Node, bits: &[Node]) -> Node {
    for pair in bits.chunks(2) {
        matching = match *pair {
            [high, low] => highest_of_two_bits(m, matching, (high, low)),
            _ => {
                let some = some_have(m, matching, pair[0]);
                higher(m, matching, (pair[0], some))
            }
        };
    }
    matching
}

/// Whether some have the lower bit is asked for those with and without the higher one at once, so two bits take little longer
/// than one.
fn highest_of_two_bits(m: &mut Module, matching: Node, (high, low): (Node, Node)) -> Node {
    let some_high = some_have(m, matching, high);
    let both = m.and(&[high, low]);
    let some_both = some_have(m, matching, both);
    let some_low = some_have(m, matching, low);
    // Where none has the higher bit, those with the lower one are without it.
    let some_low = m.mux(some_high, some_both, some_low);
    let left = higher(m, matching, (high, some_high));
    higher(m, left, (low, some_low))
}

/// Whether some that match have a bit of the number.
fn some_have(m: &mut Module, matching: Node, ones: Node) -> Node {
    let high = m.and(&[matching, ones]);
    m.reduce_or(high)
}

/// Those with a bit of the number where some have it, otherwise all.
fn higher(m: &mut Module, matching: Node, (ones, some): (Node, Node)) -> Node {
    let none = m.not(some);
    let all = m.sext(none, m.width(matching));
    let stays = m.or(&[ones, all]);
    m.and(&[matching, stays])
}

//! A map that is smaller than the room in which it stands.
//!
//! Bytes above those of its keys are zeros, so keys differ as they did. Indexes and lengths of prefixes that it does not have become such
//! as no map has: what looks at them need not know.

use super::{BoundsIn, Kind, Served, ServedIn};
use hardpath_blocks::index_bits;
use hardpath_rtl::{Module, Node};

/// Bits of the length in front of a prefix.
const LENGTH_BITS: u32 = 32;

impl Served {
    /// It is told how large it is.
    pub fn has_bounds(&self) -> bool {
        self.bounded && self.kind != Kind::Ternary
    }

    /// Bits that count its entries.
    pub(super) fn most_bits(&self) -> u32 {
        index_bits(u64::from(self.max_entries) + 1)
    }

    /// Bits that count the bytes of a key.
    pub(super) fn key_bytes_bits(&self) -> u32 {
        index_bits(u64::from(self.key_bits / 8) + 1)
    }
}

/// The same ports, with the keys that the map has.
pub(super) fn within(m: &mut Module, config: &Served, inputs: ServedIn) -> ServedIn {
    let Some(bounds) = inputs.bounds.clone() else {
        return inputs;
    };
    if config.kind.is_indexed() {
        return inputs;
    }
    m.section("Keys of the map that stands here");
    // They stand still as long as the map is here: what they say can be in registers.
    let bytes = (0..config.key_bits / 8).map(|byte| {
        let number = m.constant(byte.into(), m.width(bounds.key_bytes));
        let counts = m.ult(number, bounds.key_bytes);
        m.delay(format!("byte_{byte}_counts"), counts)
    });
    let bytes: Vec<Node> = bytes.collect();
    let longest = matches!(config.kind, Kind::Trie { .. }).then(|| longest(m, &bounds));
    let mut inputs = inputs;
    for key in [&mut inputs.request.request_key, &mut inputs.host.host_key] {
        *key = key_within(m, config, (&bytes, longest), *key);
    }
    // What it asks begins a clock later at the earliest, and stands still.
    inputs.host.host_key = m.delay("host_key_within", inputs.host.host_key);
    inputs
}

/// Bits of the longest prefix, where keys begin with a length.
fn longest(m: &mut Module, bounds: &BoundsIn) -> Node {
    let data = m.sub_const(bounds.key_bytes, u64::from(LENGTH_BITS / 8));
    let zeros = m.zero(3);
    let longest = m.concat(&[data, zeros]);
    m.delay("longest_prefix", longest)
}

/// `counts`: of each byte whether it is one of the map's keys. `longest`: of a trie, its longest prefix.
fn key_within(
    m: &mut Module,
    config: &Served,
    (counts, longest): (&[Node], Option<Node>),
    key: Node,
) -> Node {
    let bytes = (0..).zip(counts).map(|(byte, counts)| {
        let bits = m.slice(key, 8 * byte, 8);
        m.gate(*counts, bits)
    });
    let mut bytes: Vec<Node> = bytes.collect();
    bytes.reverse();
    let key = m.concat(&bytes);
    let Some(longest) = longest else {
        return key;
    };
    let length = m.slice(key, 0, LENGTH_BITS);
    // Only the lowest bits need an order.
    let bits = m.width(longest);
    let [low, high] =
        [(0, bits), (bits, LENGTH_BITS - bits)].map(|(lo, bits)| m.slice(length, lo, bits));
    let longer = m.ult(longest, low);
    let far = m.reduce_or(high);
    let too_long = m.or(&[longer, far]);
    let all = m.sext(too_long, LENGTH_BITS);
    let length = m.or(&[length, all]);
    let rest = m.slice(key, LENGTH_BITS, config.key_bits - LENGTH_BITS);
    m.concat(&[rest, length])
}

/// The index, or one that no map has.
pub(super) fn index_within(m: &mut Module, most: Node, index: Node) -> Node {
    let most = m.zext(most, m.width(index));
    let inside = m.ult(index, most);
    let outside = m.not(inside);
    let all = m.sext(outside, m.width(index));
    m.or(&[index, all])
}

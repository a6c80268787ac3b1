//! Whether two keys are the same.
//!
//! A tree of gates is as many LUTs again as compare the bits, where tools build it to be shallow. So wide keys are compared three bits a LUT, and
//! the carries of adders say whether all of these are the same. With 1,024 keys of 288 bits a table is a quarter smaller for that
//! (`cargo run --profile ci -p hardpath-synth --example tables`).

use hardpath_rtl::{Module, Node};
use std::ops::RangeInclusive;

/// Keys of so many bits have chains: for fewer there is little to gain, and of many chains the tree that joins them is deep again.
const WIDE: RangeInclusive<u32> = 129..=1024;
/// Bits of both keys that are one LUT of six inputs: a link of a chain.
const BITS_OF_A_LINK: u32 = 3;
/// Links of a chain at most: longer ones take longer.
const MOST_LINKS: u32 = 32;

/// The chains of carries that compare keys of so many bits, and the links of each. `None`: gates compare them.
pub fn chains(key_bits: u32) -> Option<(u32, u32)> {
    let links = key_bits.div_ceil(BITS_OF_A_LINK);
    let chains = links.div_ceil(MOST_LINKS);
    WIDE.contains(&key_bits)
        .then(|| (chains, links.div_ceil(chains)))
}

/// `a == b`: one bit. Their widths are the same.
pub(crate) fn same_key(m: &mut Module, a: Node, b: Node) -> Node {
    let bits = m.width(a);
    let Some((_, links)) = chains(bits) else {
        return m.eq(a, b);
    };
    let mut same = Vec::new();
    for first in (0..bits).step_by(BITS_OF_A_LINK as usize) {
        let bits = BITS_OF_A_LINK.min(bits - first);
        let [a, b] = [a, b].map(|key| m.slice(key, first, bits));
        same.push(m.eq(a, b));
    }
    let chains = same.chunks(links as usize);
    let chains: Vec<Node> = chains.map(|links| all(m, links)).collect();
    m.and(&chains)
}

/// All are 1: then one more overflows.
fn all(m: &mut Module, links: &[Node]) -> Node {
    let number = m.concat(links);
    let bits = m.width(number);
    let number = m.zext(number, bits + 1);
    let next = m.add_const(number, 1);
    m.bit(next, bits)
}

#[cfg(test)]
mod tests {
    use super::same_key;
    use hardpath_rtl::{Design, Module};
    use hardpath_rtlsim::Simulator;
    use hardpath_testkit::Random;

    /// Keys that are the same, and that differ in one bit, for each bit.
    #[test]
    fn every_bit_counts() {
        for bits in [1, 64, 128, 129, 130, 144, 288, 289, 1024, 1025] {
            let mut m = Module::new("compares", "");
            let [a, b] = ["a", "b"].map(|name| m.input(name, bits, ""));
            let same = same_key(&mut m, a, b);
            m.output("same", same, "");
            let mut design = Design::new();
            design.add(m);
            let mut simulator = Simulator::new(&design).expect("a design that is sound");
            let [a, b] = ["a", "b"].map(|name| simulator.input(name).expect("an input"));
            let same = simulator.output("same").expect("an output");
            let mut random = Random::new(u64::from(bits));
            let mut key: Vec<u64> = (0..bits.div_ceil(64)).map(|_| random.next()).collect();
            if let Some(last) = key.last_mut().filter(|_| bits % 64 > 0) {
                *last &= (1 << (bits % 64)) - 1;
            }
            simulator.set(a, &key);
            for differs in (0..bits).map(Some).chain([None]) {
                let mut other = key.clone();
                if let Some(bit) = differs {
                    other[bit as usize / 64] ^= 1 << (bit % 64);
                }
                simulator.set(b, &other);
                simulator.step().expect("no error");
                let is_same = simulator.get_u64(same) == 1;
                assert_eq!(is_same, differs.is_none(), "{bits} bits, {differs:?}");
            }
        }
    }
}

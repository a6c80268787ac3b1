//! Which bits of a map's keys are stored, in hardware ([`KeyBits`] says what that means).

pub use hardpath_registers::KeyBits;
use hardpath_rtl::{Module, Node};

/// [`KeyBits::cut`] in hardware.
pub fn cut(m: &mut Module, bits: &KeyBits, key: Node) -> Node {
    let runs = bits.runs().into_iter().filter(|run| run.2);
    let mut parts: Vec<Node> = runs.map(|(lo, width, _)| m.slice(key, lo, width)).collect();
    parts.reverse();
    m.concat(&parts)
}

/// [`KeyBits::whole`] in hardware.
pub fn whole(m: &mut Module, bits: &KeyBits, stored: Node) -> Node {
    let mut at = 0;
    let mut parts = Vec::new();
    for (lo, width, is_stored) in bits.runs() {
        parts.push(match is_stored {
            true => {
                at += width;
                m.slice(stored, at - width, width)
            }
            false => constants(m, bits, (lo, width)),
        });
    }
    parts.reverse();
    m.concat(&parts)
}

/// [`KeyBits::is_foreign`] in hardware; `None`: no key is.
pub fn foreign(m: &mut Module, bits: &KeyBits, key: Node) -> Option<Node> {
    let mut others = Vec::new();
    for (lo, width, _) in bits.runs().into_iter().filter(|run| !run.2) {
        let given = m.slice(key, lo, width);
        let constants = constants(m, bits, (lo, width));
        others.push(m.ne(given, constants));
    }
    (!others.is_empty()).then(|| m.or(&others))
}

/// Some constant bits of a key: the lowest, and how many.
fn constants(m: &mut Module, bits: &KeyBits, (lo, width): (u32, u32)) -> Node {
    let mut limbs = vec![0; width.div_ceil(64) as usize];
    for place in 0..width {
        let of_key = (lo + place) as usize;
        let bit = bits.values()[of_key / 8] >> (of_key % 8) & 1;
        limbs[place as usize / 64] |= u64::from(bit) << (place % 64);
    }
    m.constant_limbs(&limbs, width)
}

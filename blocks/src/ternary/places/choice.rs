//! Of the places that match the first one wins: the first block of places that has one, and the first place of that block.

use super::reader::Memories;
use super::shape::Shape;
use crate::one_hot::encode;
use crate::one_hot::first_one;
use hardpath_rtl::{Module, Node};

/// Places of a block.
const BLOCK: u32 = 32;
/// Blocks of which one knows whether some before it have a place that matches.
const BLOCKS_ASKED_AT_ONCE: usize = 8;
/// Clocks from the places that match to the number of the entry.
pub(super) const CLOCKS: u32 = 5;

/// What is found, [`CLOCKS`] after the places that match stand in a register.
pub(super) struct Chosen {
    pub(super) hit: Node,
    /// The number of the entry in the first place.
    pub(super) number: Node,
}

impl Chosen {
    /// `matching`: in the order of a row, in the register of that stage.
    pub(super) fn of(
        m: &mut Module,
        shape: Shape,
        memories: Memories,
        (stage, matching): (u32, Node),
    ) -> Chosen {
        m.section(format!(
            "Stage R + {stage}: the blocks with a place that matches"
        ));
        let blocks = blocks(m, shape, matching);
        let some: Vec<Node> = blocks.iter().map(|block| m.reduce_or(*block)).collect();
        let some = each_later(m, "block_matches", &some);
        let blocks = each_later(m, "block", &blocks);
        m.section(format!("Stage R + {}: the first block", stage + 1));
        let first = first_alone(m, &some);
        let first = each_later(m, "block_is_first", &first);
        let blocks = each_later(m, "block_1", &blocks);
        m.section(format!("Stage R + {}: its places", stage + 2));
        let places: Vec<Node> = first
            .iter()
            .zip(&blocks)
            .map(|(is_first, block)| m.gate(*is_first, *block))
            .collect();
        let places = m.or(&places);
        let places = m.delay("places_of_block", places);
        let number = encode(m, &first);
        let number = m.delay("first_block", number);
        let hit = m.or(&first);
        let hit = m.delay("some_block", hit);
        m.section(format!("Stage R + {}: the first place", stage + 3));
        let first = first_one(m, places);
        let place = m.concat(&[number, first]);
        let place = m.resize(place, shape.bits());
        let place = m.delay("first_place", place);
        let hit = m.delay("some_place", hit);
        m.section(format!("Stage R + {}: its entry", stage + 4));
        let one = m.one();
        let word = m.mem_read_sync(memories.order, place, one);
        Chosen {
            hit: m.delay("some_entry", hit),
            number: m.slice(word, 0, shape.bits()),
        }
    }
}

/// The bits of the places, in their order.
fn blocks(m: &mut Module, shape: Shape, matching: Node) -> Vec<Node> {
    let firsts = (0..shape.places).step_by(BLOCK as usize);
    let block = |first: u32| {
        let places = first..first + BLOCK;
        let mut bits = Vec::new();
        for place in places.rev() {
            bits.push(match place < shape.places {
                true => m.bit(matching, shape.bit_of(place)),
                false => m.zero(1),
            });
        }
        m.concat(&bits)
    };
    firsts.map(block).collect()
}

fn each_later(m: &mut Module, name: &str, all: &[Node]) -> Vec<Node> {
    let later = |(number, node): (usize, &Node)| m.delay(format!("{name}_{number}"), *node);
    all.iter().enumerate().map(later).collect()
}

/// Of some bits the first that is 1.
fn first_alone(m: &mut Module, bits: &[Node]) -> Vec<Node> {
    let mut before = Vec::new();
    let mut alone = Vec::new();
    for some in bits.chunks(BLOCKS_ASKED_AT_ONCE) {
        for (number, bit) in some.iter().enumerate() {
            let others: Vec<Node> = before.iter().chain(&some[..number]).copied().collect();
            alone.push(match others.is_empty() {
                true => *bit,
                false => {
                    let other = m.or(&others);
                    let none = m.not(other);
                    m.and(&[*bit, none])
                }
            });
        }
        before.push(m.or(some));
    }
    alone
}

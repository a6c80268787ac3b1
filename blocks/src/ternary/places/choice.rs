//! Of the places that match the first one wins: the first block of places that has one, of four neighbours and then of all, and the first place of
//! that block.

use super::reader::Memories;
use super::shape::Shape;
use crate::one_hot::first_one;
use hardpath_rtl::{Module, Node};

/// Places of a block.
const BLOCK: u32 = 32;
/// Blocks of which one is taken with a LUT for each place.
const NEIGHBOURS: usize = 1 << NEIGHBOUR_BITS;
/// Bits that number them.
const NEIGHBOUR_BITS: u32 = 2;
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
        let neighbours = blocks.chunks(NEIGHBOURS).zip(some.chunks(NEIGHBOURS));
        let (mut number, mut block, mut found) = (Vec::new(), Vec::new(), Vec::new());
        for (place, (blocks, some)) in neighbours.enumerate() {
            let (first, places) = of_first(m, some, blocks);
            let first = m.resize(first, NEIGHBOUR_BITS);
            number.push(m.delay(format!("first_neighbour_{place}"), first));
            block.push(m.delay(format!("first_of_neighbours_{place}"), places));
            let any = m.or(some);
            found.push(m.delay(format!("neighbours_match_{place}"), any));
        }
        m.section(format!("Stage R + {}: its places", stage + 2));
        let both: Vec<Node> = number
            .iter()
            .zip(&block)
            .map(|(number, block)| m.concat(&[*number, *block]))
            .collect();
        let (high, both) = of_first(m, &found, &both);
        let places = m.slice(both, 0, BLOCK);
        let places = m.delay("places_of_block", places);
        let low = m.slice(both, BLOCK, m.width(both) - BLOCK);
        let number = m.concat(&[high, low]);
        let number = m.delay("first_block", number);
        let hit = m.or(&found);
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

/// The number of the first that has what is asked for, of at least one, and what belongs to it; of none any one.
fn of_first(m: &mut Module, have: &[Node], all: &[Node]) -> (Node, Node) {
    let lines: Vec<Node> = have.iter().rev().copied().collect();
    let lines = m.concat(&lines);
    let number = first_one(m, lines);
    let mut left = all.to_vec();
    for bit in 0..m.width(number) {
        let is_higher = m.bit(number, bit);
        let two = |two: &[Node]| match *two {
            [low, high] => m.mux(is_higher, high, low),
            _ => two[0],
        };
        left = left.chunks(2).map(two).collect();
    }
    (number, left[0])
}

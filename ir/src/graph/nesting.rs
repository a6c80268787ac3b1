//! The loops that each node of a graph is in, and an order that puts each loop's nodes side by side.
//!
//! This is a weak topological order (F. Bourdoncle, "Efficient chaotic iteration strategies with widenings", 1993):
//! nodes that lie on a common cycle are a loop with one head; without the edges to the head the rest of the loop is
//! ordered in the same way. So every edge goes forward, or to the head of a loop that it comes from. That also
//! holds for a loop with several entries: the others enter its first round in the middle. The head of a loop with one
//! entry is that entry.

use std::collections::HashMap;

/// Where the blocks of a function stand.
pub struct Nesting {
    /// The place of each block in the order. A loop's head comes first of the loop, the loop's blocks without gaps.
    pub position: Vec<u32>,
    /// The heads of the loops that each block is in, the outermost first. A head is in its own loop.
    pub loops: Vec<Vec<usize>>,
    /// A block with more loops around it than [`MAX_DEPTH`]; then the order is good for nothing.
    pub too_deep: Option<usize>,
}

/// Nobody nests loops deeper.
pub const MAX_DEPTH: usize = 32;

/// What is still to be put in order.
enum Task {
    /// A block, and the loops it is in.
    Place(usize, Vec<usize>),
    /// The blocks that the last number names, walked from the first ones, and the loops they are in.
    Order(Vec<usize>, Vec<usize>, u32),
}

impl Nesting {
    /// Of the blocks that can be reached from block 0. All successors must exist.
    pub fn new(successors: &[Vec<usize>]) -> Nesting {
        let mut nesting = Nesting {
            position: vec![0; successors.len()],
            loops: vec![Vec::new(); successors.len()],
            too_deep: None,
        };
        // The innermost part that a block belongs to.
        let mut part = vec![0; successors.len()];
        let mut parts = 1;
        let mut next_position = 0;
        let entry = (0..successors.len().min(1)).collect();
        let mut tasks = vec![Task::Order(entry, Vec::new(), 0)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Place(block, loops) => {
                    nesting.position[block] = next_position;
                    nesting.loops[block] = loops;
                    next_position += 1;
                }
                Task::Order(first, loops, number) => {
                    // They come out last first, as a stack wants them.
                    for component in components(successors, &first, |block| part[block] == number) {
                        let head = component[0];
                        let is_loop = component.len() > 1 || successors[head].contains(&head);
                        if !is_loop {
                            tasks.push(Task::Place(head, loops.clone()));
                            continue;
                        }
                        if loops.len() == MAX_DEPTH {
                            nesting.too_deep = Some(head);
                            continue;
                        }
                        let mut inside = loops.clone();
                        inside.push(head);
                        for block in &component[1..] {
                            part[*block] = parts;
                        }
                        let mut starts = successors[head].clone();
                        starts.retain(|block| *block != head && part[*block] == parts);
                        starts.extend(&component[1..]);
                        tasks.push(Task::Order(starts, inside.clone(), parts));
                        tasks.push(Task::Place(head, inside));
                        parts += 1;
                    }
                }
            }
        }
        nesting
    }
}

/// What the walk of [`components`] knows of a block.
struct Visit {
    index: usize,
    lowest: usize,
    is_open: bool,
}

/// The strongly connected components of a part of the graph (R. Tarjan, "Depth-first search and linear graph
/// algorithms", 1972), each after all that it leads to; the block by which the walk came in is its first one.
fn components(
    successors: &[Vec<usize>],
    starts: &[usize],
    is_inside: impl Fn(usize) -> bool,
) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    let mut visits: HashMap<usize, Visit> = HashMap::new();
    let lower = |visits: &mut HashMap<usize, Visit>, block: usize, index: usize| {
        if let Some(visit) = visits.get_mut(&block) {
            visit.lowest = visit.lowest.min(index);
        }
    };
    let mut open = Vec::new();
    // Own stack: a program may be too long for recursion. (block, next successor)
    let mut walk: Vec<(usize, usize)> = Vec::new();
    for start in starts {
        if !visits.contains_key(start) {
            walk.push((*start, 0));
        }
        while let Some((block, next)) = walk.last_mut() {
            let block = *block;
            let index = visits.len();
            visits.entry(block).or_insert_with(|| {
                open.push(block);
                Visit {
                    index,
                    lowest: index,
                    is_open: true,
                }
            });
            if let Some(successor) = successors[block].get(*next).copied() {
                *next += 1;
                if !is_inside(successor) {
                    continue;
                }
                match visits.get(&successor) {
                    None => walk.push((successor, 0)),
                    Some(visit) if visit.is_open => {
                        let index = visit.index;
                        lower(&mut visits, block, index);
                    }
                    Some(_) => {}
                }
                continue;
            }
            walk.pop();
            let (index, lowest) = (visits[&block].index, visits[&block].lowest);
            if let Some((parent, _)) = walk.last() {
                lower(&mut visits, *parent, lowest);
            }
            if lowest == index {
                let first = open.iter().rposition(|other| *other == block);
                let component = open.split_off(first.unwrap_or(0));
                for member in &component {
                    if let Some(visit) = visits.get_mut(member) {
                        visit.is_open = false;
                    }
                }
                found.push(component);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::Nesting;

    fn blocks_in_order(nesting: &Nesting) -> Vec<usize> {
        let mut blocks: Vec<usize> = (0..nesting.position.len()).collect();
        blocks.sort_by_key(|block| nesting.position[*block]);
        blocks
    }

    #[test]
    fn loops_in_loops() {
        // 0 → 1 → 2 → 3, 3 → 2, 3 → 4, 4 → 1, 4 → 5
        let successors = [vec![1], vec![2], vec![3], vec![2, 4], vec![1, 5], vec![]];
        let nesting = Nesting::new(&successors);
        assert_eq!(blocks_in_order(&nesting), [0, 1, 2, 3, 4, 5]);
        assert_eq!(
            nesting.loops,
            [vec![], vec![1], vec![1, 2], vec![1, 2], vec![1], vec![]]
        );
    }

    #[test]
    fn a_loop_with_two_entries() {
        // 0 → 1, 0 → 2, 1 → 2, 2 → 1, 2 → 3
        let nesting = Nesting::new(&[vec![1, 2], vec![2], vec![1, 3], vec![]]);
        let heads = &nesting.loops[1];
        assert_eq!(heads.len(), 1);
        assert_eq!(nesting.loops[2], *heads);
        assert!(nesting.loops[3].is_empty());
        assert_eq!(blocks_in_order(&nesting)[3], 3);
    }

    #[test]
    fn a_block_that_leads_to_itself() {
        let nesting = Nesting::new(&[vec![0, 1], vec![]]);
        assert_eq!(nesting.loops, [vec![0], vec![]]);
        assert!(Nesting::new(&[]).position.is_empty());
    }

    /// The head of a loop with one entry is that entry: it dominates the loop.
    #[test]
    fn heads_of_loops_with_one_entry_dominate_them() {
        // 0 → 1 → 2 → 3, 3 → 2, 3 → 1, 2 → 4, 4 → 1, 1 → 5
        let successors = [vec![1], vec![5, 2], vec![4, 3], vec![2, 1], vec![1], vec![]];
        let nesting = Nesting::new(&successors);
        let tree = crate::graph::Dominators::new(&successors);
        for (node, heads) in nesting.loops.iter().enumerate() {
            assert!(
                heads.iter().all(|head| tree.dominates(*head, node)),
                "{node}: {heads:?}"
            );
        }
        assert_eq!(nesting.loops[3], [1, 2]);
        assert_eq!(nesting.loops[4], [1]);
    }

    #[test]
    fn edges_go_forward_or_to_the_head_of_a_loop_around_them() {
        let mut seed = 1u64;
        let mut below = |bound: u64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed % bound) as usize
        };
        for _ in 0..200 {
            let successors: Vec<Vec<usize>> = (0..12)
                .map(|block| match block {
                    // Every block can be reached.
                    0..=10 => vec![block + 1, below(12)],
                    _ => vec![below(12)],
                })
                .collect();
            let nesting = Nesting::new(&successors);
            for (from, targets) in successors.iter().enumerate() {
                for to in targets {
                    let forward = nesting.position[from] < nesting.position[*to];
                    let is_around = nesting.loops[from].contains(to);
                    assert!(forward != is_around, "{successors:?}: {from} to {to}");
                }
            }
        }
    }
}

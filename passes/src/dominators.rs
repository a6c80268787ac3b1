//! Which block stands on every way to which other block.

use cranelift_entity::SecondaryMap;
use hardpath_ir::{Block, Program};

/// The dominator tree of a program, numbered so that a question costs two compares.
///
/// Control flow is acyclic and `Program::order` is topological: one walk finds every immediate dominator, because
/// those of all predecessors are known.
pub struct Dominators {
    /// First and last number of a block's subtree; a block that cannot be reached has (1, 0).
    span: SecondaryMap<Block, (u32, u32)>,
}

impl Dominators {
    pub fn new(program: &Program) -> Dominators {
        let predecessors = program.predecessors();
        let mut depth: SecondaryMap<Block, u32> = SecondaryMap::new();
        let mut parent: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
        let mut children: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        for (index, &block) in program.order.iter().enumerate() {
            if index == 0 {
                depth[block] = 1;
                continue;
            }
            let mut found: Option<Block> = None;
            for &before in &predecessors[block] {
                if depth[before] == 0 {
                    continue;
                }
                found = Some(match found {
                    None => before,
                    Some(mut other) => {
                        let mut one = before;
                        while one != other {
                            if depth[one] >= depth[other] {
                                one = parent[one].unwrap_or(other);
                            } else {
                                other = parent[other].unwrap_or(one);
                            }
                        }
                        one
                    }
                });
            }
            if let Some(dominator) = found {
                parent[block] = Some(dominator);
                depth[block] = depth[dominator] + 1;
                children[dominator].push(block);
            }
        }
        let mut span: SecondaryMap<Block, (u32, u32)> = SecondaryMap::with_default((1, 0));
        if let Some(&entry) = program.order.first() {
            let mut next = 2;
            let mut stack = vec![(entry, 0)];
            span[entry] = (next, next);
            while let Some((block, child)) = stack.pop() {
                if let Some(&below) = children[block].get(child) {
                    stack.push((block, child + 1));
                    next += 1;
                    span[below] = (next, next);
                    stack.push((below, 0));
                } else {
                    span[block].1 = next;
                }
            }
        }
        Dominators { span }
    }

    /// Whether every way to `below` leads through `above` (a block dominates itself).
    pub fn dominates(&self, above: Block, below: Block) -> bool {
        let (first, last) = self.span[above];
        let number = self.span[below].0;
        above == below || (first <= number && number <= last)
    }
}

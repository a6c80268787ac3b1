//! Which node dominates which: every way from the entry to the second goes through the first.
//!
//! The immediate dominator of a node is the nearest common ancestor of its predecessors, in the tree built so far (Cooper,
//! Harvey and Kennedy, "A Simple, Fast Dominance Algorithm"). Nodes are looked at in reverse postorder. Without cycles all
//! predecessors of a node come before it, and one walk is enough; with them it is repeated until nothing changes. The
//! tree is then numbered so that a subtree is a range, and a question costs two compares.

/// The dominator tree of a graph.
#[derive(Clone, Debug)]
pub struct Dominators {
    /// The immediate dominator of each node; `None` of the entry and of what nothing leads to.
    parent: Vec<Option<usize>>,
    /// First and last number of each node's subtree; `None`: nothing leads to the node.
    span: Vec<Option<(u32, u32)>>,
}

impl Dominators {
    /// Of a graph whose entry is node 0. All successors must exist.
    pub fn new(successors: &[Vec<usize>]) -> Dominators {
        let order = reverse_postorder(successors);
        let parent = parents(successors, &order);
        let mut size = vec![1u32; successors.len()];
        for &node in order.iter().rev() {
            if let Some(up) = parent[node] {
                size[up] += size[node];
            }
        }
        let mut span = vec![None; successors.len()];
        // The next number to give away inside each subtree.
        let mut next = vec![0; successors.len()];
        for &node in &order {
            let first = match parent[node] {
                Some(up) => next[up],
                None => 0,
            };
            if let Some(up) = parent[node] {
                next[up] += size[node];
            }
            next[node] = first + 1;
            span[node] = Some((first, first + size[node] - 1));
        }
        Dominators { parent, span }
    }

    /// Whether every way to `lower` leads through `upper`; a node dominates itself. Nothing dominates what nothing leads
    /// to, but itself.
    pub fn dominates(&self, upper: usize, lower: usize) -> bool {
        match (self.span[upper], self.span[lower]) {
            (Some((first, last)), Some((number, _))) => (first..=last).contains(&number),
            _ => upper == lower,
        }
    }

    /// The last node before this one that is on every way to it.
    pub fn immediate(&self, node: usize) -> Option<usize> {
        self.parent[node]
    }

    /// Whether the entry leads there.
    pub fn is_reached(&self, node: usize) -> bool {
        self.span[node].is_some()
    }
}

/// The immediate dominators.
fn parents(successors: &[Vec<usize>], order: &[usize]) -> Vec<Option<usize>> {
    let mut place = vec![usize::MAX; successors.len()];
    for (index, &node) in order.iter().enumerate() {
        place[node] = index;
    }
    // By places in the order; the entry is its own.
    let mut parent: Vec<Option<usize>> = vec![None; order.len()];
    if let Some(entry) = parent.first_mut() {
        *entry = Some(0);
    }
    let mut has_cycles = true;
    let mut changed = true;
    while changed && has_cycles {
        changed = false;
        has_cycles = false;
        for (from, &node) in order.iter().enumerate() {
            for &target in &successors[node] {
                let to = place[target];
                has_cycles |= to <= from;
                if to == 0 {
                    continue;
                }
                let found = match parent[to] {
                    Some(other) => common(&parent, other, from),
                    None => from,
                };
                changed |= parent[to] != Some(found);
                parent[to] = Some(found);
            }
        }
    }
    let mut nodes = vec![None; successors.len()];
    for (index, &node) in order.iter().enumerate().skip(1) {
        nodes[node] = parent[index].map(|up| order[up]);
    }
    nodes
}

/// The nearest common ancestor, by places in the order.
fn common(parent: &[Option<usize>], mut a: usize, mut b: usize) -> usize {
    while a != b {
        // The later of the two is not the ancestor of the other.
        if a > b {
            a = parent[a].unwrap_or(0);
        } else {
            b = parent[b].unwrap_or(0);
        }
    }
    a
}

/// The nodes that the entry leads to, each before all that it leads to, but for ways back on cycles.
fn reverse_postorder(successors: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(successors.len());
    if successors.is_empty() {
        return order;
    }
    let mut seen = vec![false; successors.len()];
    seen[0] = true;
    // Own stack: a program may be too long for recursion. (node, next successor)
    let mut walk = vec![(0, 0)];
    while let Some((node, next)) = walk.last_mut() {
        match successors[*node].get(*next).copied() {
            Some(successor) => {
                *next += 1;
                if !std::mem::replace(&mut seen[successor], true) {
                    walk.push((successor, 0));
                }
            }
            None => {
                order.push(*node);
                walk.pop();
            }
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the definition: `lower` cannot be reached any more when `upper` is gone.
    fn by_definition(successors: &[Vec<usize>], upper: usize, lower: usize) -> bool {
        let reached = |without: Option<usize>| {
            let mut seen = vec![false; successors.len()];
            let mut work: Vec<usize> = vec![0];
            while let Some(node) = work.pop() {
                if Some(node) != without && !std::mem::replace(&mut seen[node], true) {
                    work.extend(&successors[node]);
                }
            }
            seen[lower]
        };
        upper == lower || (reached(None) && !reached(Some(upper)))
    }

    fn assert_right(successors: &[Vec<usize>]) {
        let tree = Dominators::new(successors);
        for lower in 0..successors.len() {
            for upper in 0..successors.len() {
                let expected = by_definition(successors, upper, lower);
                let found = tree.dominates(upper, lower);
                assert_eq!(found, expected, "{successors:?}: {upper} over {lower}");
            }
            if let Some(up) = tree.immediate(lower) {
                let mut others = (0..successors.len()).filter(|node| *node != lower);
                let nearest =
                    others.all(|node| !tree.dominates(node, lower) || tree.dominates(node, up));
                assert!(
                    nearest && tree.dominates(up, lower),
                    "{successors:?}: {lower}"
                );
            } else {
                assert!(lower == 0 || !tree.is_reached(lower));
            }
        }
    }

    #[test]
    fn ways_that_join() {
        let successors = [vec![1, 2], vec![3], vec![3], vec![]];
        assert_right(&successors);
        assert_eq!(Dominators::new(&successors).immediate(3), Some(0));
    }

    #[test]
    fn a_loop() {
        // 0 → 1 → 2 → 1, 2 → 3
        let successors = [vec![1], vec![2], vec![1, 3], vec![]];
        assert_right(&successors);
        let tree = Dominators::new(&successors);
        assert!(tree.dominates(1, 2) && tree.dominates(2, 3));
        assert!(!tree.dominates(2, 1));
    }

    #[test]
    fn a_loop_with_two_entries() {
        // 0 → 1, 0 → 2, 1 → 2, 2 → 1, 2 → 3: neither of 1 and 2 is on every way to the other.
        let successors = [vec![1, 2], vec![2], vec![1, 3], vec![]];
        assert_right(&successors);
        let tree = Dominators::new(&successors);
        assert_eq!(
            [1, 2, 3].map(|node| tree.immediate(node)),
            [Some(0), Some(0), Some(2)]
        );
    }

    #[test]
    fn what_an_irreducible_walk_must_repeat() {
        // The first walk believes that 2 stands under 1; a way back from 5 into 2 says otherwise only later.
        let successors = [
            vec![5, 1],
            vec![2],
            vec![3],
            vec![4, 2],
            vec![1],
            vec![3, 4],
        ];
        assert_right(&successors);
    }

    #[test]
    fn what_nothing_leads_to() {
        let successors = [vec![2], vec![2], vec![]];
        assert_right(&successors);
        let tree = Dominators::new(&successors);
        assert!(!tree.is_reached(1) && tree.is_reached(2));
        assert_eq!(tree.immediate(2), Some(0));
        assert!(!tree.dominates(0, 1) && tree.dominates(1, 1));
    }

    #[test]
    fn graphs_without_nodes_and_a_way_to_the_entry() {
        Dominators::new(&[]);
        assert_right(&[vec![0, 1], vec![0]]);
    }

    #[test]
    fn random_graphs() {
        let mut seed = 1u64;
        let mut below = |bound: u64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed % bound) as usize
        };
        for _ in 0..500 {
            let count = 1 + below(10);
            let successors: Vec<Vec<usize>> = (0..count)
                .map(|_| (0..below(3)).map(|_| below(count as u64)).collect())
                .collect();
            assert_right(&successors);
        }
    }
}

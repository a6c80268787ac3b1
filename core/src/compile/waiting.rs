//! Steps that have no row yet, so that each choice looks only at those that nothing else keeps waiting.

use super::order::Order;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The steps of a trace without a place.
pub struct Waiting {
    /// Those behind which nothing stands that has no place, with their heights: the longest chains first.
    free: BTreeSet<(Reverse<u32>, usize)>,
    /// The height of each step.
    height: Vec<u32>,
    /// Of each step: behind how many without a place it stands.
    behind: Vec<usize>,
    /// Of each step: which stand behind it.
    ahead: Vec<Vec<usize>>,
    placed: Vec<bool>,
    /// An order that keeps few registers busy.
    frugal: Vec<usize>,
    /// How many of these have places, up to the first one that has none.
    first: usize,
}

impl Waiting {
    /// All of them, by their heights or by their order alone.
    pub fn new(order: &Order, by_height: bool) -> Waiting {
        let count = order.behind.len();
        let mut ahead = vec![Vec::new(); count];
        for (index, behind) in order.behind.iter().enumerate() {
            for (earlier, _) in behind {
                ahead[*earlier].push(index);
            }
        }
        let mut waiting = Waiting {
            free: BTreeSet::new(),
            height: match by_height {
                true => order.height.clone(),
                false => vec![0; count],
            },
            behind: order.behind.iter().map(Vec::len).collect(),
            ahead,
            placed: vec![false; count],
            frugal: frugal(order),
            first: 0,
        };
        for index in (0..count).filter(|index| order.behind[*index].is_empty()) {
            waiting.free.insert(waiting.key(index));
        }
        waiting
    }

    /// The first one in the order that keeps few registers busy; `None`: all have places.
    pub fn first(&self) -> Option<usize> {
        self.frugal.get(self.first).copied()
    }

    /// Those that stand behind none of the others.
    pub fn free(&self) -> impl Iterator<Item = usize> + '_ {
        self.free.iter().map(|(_, index)| *index)
    }

    /// One of those has a place now.
    pub fn take(&mut self, index: usize) {
        self.free.remove(&self.key(index));
        self.placed[index] = true;
        while self.first().is_some_and(|first| self.placed[first]) {
            self.first += 1;
        }
        for later in std::mem::take(&mut self.ahead[index]) {
            self.behind[later] -= 1;
            if self.behind[later] == 0 {
                self.free.insert(self.key(later));
            }
        }
    }

    fn key(&self, index: usize) -> (Reverse<u32>, usize) {
        (Reverse(self.height[index]), index)
    }
}

/// All steps, each only in front of the first one that needs it: what many together make of many is made piece by piece.
fn frugal(order: &Order) -> Vec<usize> {
    let count = order.behind.len();
    let mut sequence = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    // With how many of those in front of a step have been looked at.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let before: Vec<Vec<usize>> = order
        .behind
        .iter()
        .map(|behind| {
            let mut before: Vec<usize> = behind.iter().map(|(earlier, _)| *earlier).collect();
            before.sort_unstable();
            before
        })
        .collect();
    // All stand in front of the last one.
    open.extend(count.checked_sub(1).map(|last| (last, 0)));
    while let Some((step, at)) = open.pop() {
        match before[step].get(at) {
            Some(&earlier) => {
                open.push((step, at + 1));
                if !std::mem::replace(&mut seen[earlier], true) {
                    open.push((earlier, 0));
                }
            }
            None => sequence.push(step),
        }
    }
    sequence
}

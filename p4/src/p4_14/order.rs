//! The order in which headers leave: one in which the parser can have found them (§5).
//!
//! The headers are nodes; an edge says that one can be extracted right behind the other. Where edges go round (a stack, options in any
//! order), all headers of the round stand together. Tarjan's algorithm finds such groups, and finds them in the order that is looked for,
//! from its end.

use super::headers;
use super::states::targets;
use super::translator::Translator;
use super::tree::{Index, Reference, State, Step, Target};
use std::collections::{BTreeMap, BTreeSet};

/// A header or a whole stack; one of a stack, where the parser names it by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Node<'a> {
    pub header: &'a str,
    pub index: Option<u32>,
}

/// Headers and those that can follow, both in the order in which they are found.
#[derive(Default)]
struct Graph<'a> {
    next: BTreeMap<Node<'a>, Vec<Node<'a>>>,
    /// Those that can be the first of a packet.
    first: Vec<Node<'a>>,
}

impl<'a> Translator<'a> {
    /// The headers that the parser can extract, in the order in which they leave.
    pub(super) fn order(&self) -> Vec<Node<'a>> {
        let states = &self.program.states;
        let mut found = self.with_stacks_whole(self.graph().order());
        if let Some(said) = states.iter().find(|state| !state.order.is_empty()) {
            let place = |node: &Node| said.order.iter().position(|name| name.text == node.header);
            // What the program says nothing of stands behind the rest, as it was found.
            found.sort_by_key(|node| place(node).unwrap_or(usize::MAX));
        }
        found
    }

    /// A stack whose headers stand together as they stand in it is one; of another one each header has its place, and those that are
    /// never extracted stand behind the last one.
    fn with_stacks_whole(&self, order: Vec<Node<'a>>) -> Vec<Node<'a>> {
        let mut result: Vec<Node<'a>> = Vec::new();
        for node in &order {
            let of_stack: Vec<usize> = (0..order.len())
                .filter(|place| order[*place].header == node.header)
                .collect();
            let indices: Vec<Option<u32>> =
                of_stack.iter().map(|place| order[*place].index).collect();
            let is_together = of_stack.windows(2).all(|pair| pair[0] + 1 == pair[1]);
            let whole = Node {
                index: None,
                ..*node
            };
            if indices.contains(&None) || (is_together && indices.is_sorted()) {
                if !result.contains(&whole) {
                    result.push(whole);
                }
                continue;
            }
            result.push(*node);
            let is_last = order.iter().rfind(|other| other.header == node.header) == Some(node);
            let held = self.headers.held.get(node.header);
            for index in 0..held
                .and_then(|held| held.count)
                .filter(|_| is_last)
                .unwrap_or(0)
            {
                if !indices.contains(&Some(index)) {
                    result.push(Node {
                        index: Some(index),
                        ..*node
                    });
                }
            }
        }
        result
    }

    fn node(&self, reference: &'a Reference) -> Node<'a> {
        let header = reference.name.text.as_str();
        let held = self.headers.held.get(header);
        let index = match (&reference.index, held.and_then(|held| held.count)) {
            (Some(index @ Index::At(_)), Some(count)) => headers::index(index, count).ok(),
            _ => None,
        };
        Node { header, index }
    }

    /// Follows the states from the first one: what was extracted last is followed by what is extracted next.
    fn graph(&self) -> Graph<'a> {
        let mut graph = Graph::default();
        let mut seen: BTreeSet<(&str, Option<Node>)> = BTreeSet::new();
        let mut open: Vec<(&'a State, Option<Node<'a>>)> = Vec::new();
        open.extend(self.known.states.get("start").map(|state| (state, None)));
        while let Some((state, mut last)) = open.pop() {
            if !seen.insert((state.name.text.as_str(), last)) {
                continue;
            }
            for step in &state.steps {
                if let Step::Extract(header) = step {
                    let node = self.node(header);
                    graph.edge(last, node);
                    last = Some(node);
                }
            }
            let targets = targets(&state.next);
            // The last one is taken from the stack first.
            for target in targets.into_iter().rev() {
                if let Target::Named(name) = target {
                    open.extend(self.known.states.get(&name.text).map(|state| (state, last)));
                }
            }
        }
        graph
    }
}

impl<'a> Graph<'a> {
    fn edge(&mut self, from: Option<Node<'a>>, to: Node<'a>) {
        self.next.entry(to).or_default();
        let all = match from {
            Some(from) => self.next.entry(from).or_default(),
            None => &mut self.first,
        };
        if !all.contains(&to) {
            all.push(to);
        }
    }

    fn order(&self) -> Vec<Node<'a>> {
        let mut search = Search {
            graph: self,
            numbers: BTreeMap::new(),
            open: Vec::new(),
            groups: Vec::new(),
        };
        for first in &self.first {
            if !search.numbers.contains_key(first) {
                search.visit(*first);
            }
        }
        search.groups.reverse();
        search.groups.concat()
    }
}

/// Tarjan's search for groups from which there is a way to each other.
struct Search<'g, 'a> {
    graph: &'g Graph<'a>,
    /// When a header was found; groups that are complete have the largest number.
    numbers: BTreeMap<Node<'a>, usize>,
    open: Vec<Node<'a>>,
    groups: Vec<Vec<Node<'a>>>,
}

/// A header whose followers are being looked at.
struct Frame<'a> {
    header: Node<'a>,
    /// Where it stands among those that are open.
    place: usize,
    next: usize,
    /// The first one that there is a way to.
    lowest: usize,
}

impl<'a> Search<'_, 'a> {
    /// Without recursion: a program may have any number of headers on end.
    fn visit(&mut self, first: Node<'a>) {
        let mut frames = vec![self.frame(first)];
        while let Some(frame) = frames.last_mut() {
            let next = self.graph.next[&frame.header].get(frame.next).copied();
            frame.next += 1;
            if let Some(next) = next {
                match self.numbers.get(&next) {
                    Some(number) => frame.lowest = frame.lowest.min(*number),
                    None => frames.push(self.frame(next)),
                }
                continue;
            }
            let done = frames.pop().expect("there is one");
            if done.lowest == self.numbers[&done.header] {
                let group = self.open.split_off(done.place);
                for header in &group {
                    self.numbers.insert(*header, usize::MAX);
                }
                self.groups.push(group);
            }
            if let Some(above) = frames.last_mut() {
                above.lowest = above.lowest.min(done.lowest);
            }
        }
    }

    fn frame(&mut self, header: Node<'a>) -> Frame<'a> {
        let number = self.numbers.len();
        self.numbers.insert(header, number);
        self.open.push(header);
        Frame {
            header,
            place: self.open.len() - 1,
            next: 0,
            lowest: number,
        }
    }
}

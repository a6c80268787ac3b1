//! Headers that leave where they stand: what was read last and is emitted last, as it was, is not put in front of the rest of the packet. It is
//! the rest's beginning.
//!
//! Each way knows which headers were read right in front of its cursor, in their order. What such a header was when it was read goes along
//! beside the variable that it was read into; where ways meet, both meet in the same way. So the same values in both mean that nobody has changed
//! the header on any way, and that it is valid where it was read and nowhere else.

use super::flow::{Env, Slot};
use super::node::Node;
use super::places::Place;
use super::Lower;
use hardpath_ir::Op;

/// The headers that were read on a way, right in front of the cursor: numbers of their places, in their order.
#[derive(Clone, Default, PartialEq, Debug)]
pub(super) struct Read {
    order: Vec<usize>,
    /// Something else was read before them.
    is_cut: bool,
}

impl Read {
    /// Where several ways meet: in the order of all, from the end as far as there is one. What a way has not read is nothing there.
    pub fn joined<'r>(all: impl Iterator<Item = &'r Read>) -> Read {
        let all: Vec<&Read> = all.collect();
        let mut left: Vec<&[usize]> = all.iter().map(|read| read.order.as_slice()).collect();
        let mut order = Vec::new();
        // Of two of which no way has read both, either may be the last one.
        loop {
            let candidates = left.iter().filter_map(|left| left.last().copied());
            let Some(last) = candidates
                .filter(|place| is_last(&all, &left, *place))
                .max()
            else {
                break;
            };
            order.push(last);
            for left in &mut left {
                if let Some((_, others)) = left.split_last().filter(|(own, _)| **own == last) {
                    *left = others;
                }
            }
        }
        order.reverse();
        let is_whole = left.iter().all(|left| left.is_empty());
        Read {
            order,
            is_cut: !is_whole || all.iter().any(|read| read.is_cut),
        }
    }

    /// Whether what was read into a place is known.
    pub fn knows(&self, place: usize) -> bool {
        self.order.contains(&place)
    }
}

/// On each way the place is the last one that is left, or was not read; where nothing is left of a way, anything may have been read in front of
/// it, if it is cut.
fn is_last(all: &[&Read], left: &[&[usize]], place: usize) -> bool {
    all.iter().zip(left).all(|(read, left)| match left.last() {
        Some(last) if *last == place => true,
        Some(_) => !read.order.contains(&place),
        None => !read.is_cut && !read.order.contains(&place),
    })
}

impl Env {
    /// The cursor moves, and nobody knows over what.
    pub fn forget_read(&mut self) {
        self.forget_first_read(self.read.order.len());
    }

    /// So many headers, the first ones, are not told any more.
    fn forget_first_read(&mut self, count: usize) {
        for place in self.read.order.drain(..count).collect::<Vec<_>>() {
            self.take(Slot::Read(place));
        }
        self.read.is_cut = true;
    }
}

impl Lower<'_> {
    /// A header was read up to the cursor.
    pub(super) fn was_read(&mut self, into: &Place, header: &Node) {
        let known = |value| usize::try_from(self.constant(value)?).ok();
        let Some(steps) = into.fixed(known) else {
            return self.env.forget_read();
        };
        let known = self.read_into.iter().position(|known| *known == steps);
        let place = known.unwrap_or_else(|| {
            self.read_into.push(steps);
            self.read_into.len() - 1
        });
        let before = self.env.read.order.iter().position(|one| *one == place);
        if let Some(before) = before {
            // It is not what it was, and nothing tells where what stands in front of it does.
            self.env.forget_first_read(before + 1);
        }
        self.env.read.order.push(place);
        self.env.put(Slot::Read(place), header.clone());
    }

    /// A header is emitted, under this number: it may be one that stands where it was read.
    pub(super) fn may_be_kept(&mut self, number: usize, header: &Node) {
        let order = self.env.read.order.iter().rev();
        let same = order.copied().find(|place| {
            let read = self.env.slot(Slot::Read(*place));
            read.is_some_and(|read| self.are_same_leaves(&read, header))
        });
        if let Some(place) = same {
            self.emitted_as_read.insert(number, place);
        }
    }

    /// Takes those away that stand where they were read, in front of the cursor, which moves there. What is read behind that begins anew.
    pub(super) fn keep_what_was_read(&mut self) {
        let mut places = self.env.read.order.clone();
        let mut emitted = self.emitted();
        let mut kept = Vec::new();
        while let (Some(place), Some(header)) = (places.last(), emitted.last()) {
            let was_read = self.env.slot(Slot::Read(*place));
            let was_read = match was_read.as_deref() {
                Some(Node::Header(valid, _)) => *valid,
                _ => break,
            };
            let none = Some(0.into());
            let as_read = self.emitted_as_read.get(&header.number) == Some(place);
            if as_read && self.is_same_value(header.when, was_read) {
                kept.extend(emitted.pop());
                places.pop();
            } else if self.constant(header.when) == none {
                emitted.pop();
            } else if self.constant(was_read) == none {
                places.pop();
            } else {
                break;
            }
        }
        let is_all = places.is_empty() && !self.env.read.is_cut;
        if emitted.is_empty() && !is_all {
            // Where a packet begins is told of one with something in front (`begins`).
            kept.pop();
        }
        for header in kept {
            self.env.take(Slot::Out(header.number));
            let zero = self.number(0u32, 16);
            let own = self.select(header.when, header.length, zero);
            let cursor = self.slot(Slot::Cursor);
            let begin = self.op(Op::Sub, &[cursor, own], 16);
            self.put(Slot::Cursor, begin);
        }
        if emitted.is_empty() && is_all {
            // No sum has to be shown to be nothing.
            let begin = self.slot(Slot::Begin);
            self.put(Slot::Cursor, begin);
        }
        self.env.forget_read();
        self.env.read = Read::default();
    }

    fn are_same_leaves(&self, one: &Node, other: &Node) -> bool {
        let (mut first, mut second) = (Vec::new(), Vec::new());
        one.leaves(&mut first);
        other.leaves(&mut second);
        let mut both = first.iter().zip(&second);
        first.len() == second.len() && both.all(|(one, other)| self.is_same_value(*one, *other))
    }
}

#[cfg(test)]
mod tests {
    use super::Read;

    fn read(order: &[usize], is_cut: bool) -> Read {
        Read {
            order: order.to_vec(),
            is_cut,
        }
    }

    #[track_caller]
    fn meet(ways: &[Read], expected: Read) {
        assert_eq!(Read::joined(ways.iter()), expected);
        assert_eq!(Read::joined(ways.iter().rev()), expected);
    }

    #[test]
    fn ways_meet() {
        meet(
            &[read(&[0, 3], false), read(&[0, 1, 2, 3], false)],
            read(&[0, 1, 2, 3], false),
        );
        meet(
            &[read(&[], false), read(&[0, 1], false)],
            read(&[0, 1], false),
        );
        // Two of them do not say how all stand.
        meet(
            &[
                read(&[0, 1], false),
                read(&[0, 4], false),
                read(&[0, 1, 4, 5], false),
            ],
            read(&[0, 1, 4, 5], false),
        );
        // What all know ends where one begins with something else.
        meet(&[read(&[3], true), read(&[0, 3], false)], read(&[3], true));
        meet(&[read(&[], true), read(&[0, 3], false)], read(&[], true));
        meet(
            &[read(&[1, 3], false), read(&[0, 3], true)],
            read(&[0, 1, 3], true),
        );
        // The order is not the same.
        meet(
            &[read(&[0, 1, 2], false), read(&[1, 0, 2], false)],
            read(&[2], true),
        );
    }
}

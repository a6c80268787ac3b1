//! What deparsers emit (§16), and how the packet leaves.
//!
//! Headers that were emitted are put together from the last one to the first one: a header that is valid stands in front of what comes
//! behind it, so each is a choice between two, and nothing is moved by as many bytes as only the packet says. The last ones may be there already
//! (`kept`).

use super::calls::Passed;
use super::flow::Slot;
use super::node::Node;
use super::{ir, Deparse, Lower, Made};
use crate::source::Span;
use crate::types::Type;

/// A header that was emitted.
pub(super) struct Emitted {
    /// That of the place in the program.
    pub number: usize,
    /// 1 bit: it was.
    pub when: ir::Value,
    /// Bytes, 16 bits.
    pub length: ir::Value,
    /// The first one in the lowest bits.
    bytes: ir::Value,
}

impl Lower<'_> {
    pub(super) fn packet_out(&mut self, method: &str, passed: Passed, span: Span) -> Made<Node> {
        if method != "emit" || passed.nodes.len() != 1 {
            return self.refuse(span, format!("packets have no `{method}`"));
        }
        let yes = self.number(1u32, 1);
        let of = passed.types[0].clone();
        self.emit(&passed.nodes[0], &of, yes, span)?;
        Ok(Node::Void)
    }

    fn emit(&mut self, node: &Node, of: &Type, when: ir::Value, span: Span) -> Made<()> {
        let program = self.program;
        let types = &program.types;
        match node {
            Node::Header(valid, _) => {
                let when = self.and(when, *valid);
                let (bytes, length) = self.packed_header(node, of, span)?;
                if let Some(bytes) = bytes {
                    let number = self.outs();
                    self.may_be_kept(number, node);
                    self.put_out(Emitted {
                        number,
                        when,
                        length,
                        bytes,
                    });
                }
                Ok(())
            }
            Node::Parts(_) | Node::Union(_) | Node::Stack(..) => {
                for (at, part) in node.parts().iter().enumerate() {
                    let part_of = match of {
                        Type::New(number) => types.part(&types.news[*number].below, at),
                        of => types.part(of, at),
                    };
                    if let Some(of) = part_of.cloned() {
                        self.emit(part, &of, when, span)?;
                    }
                }
                Ok(())
            }
            _ => self.refuse(
                span,
                format!("{} is not emitted, only headers are", types.text(of)),
            ),
        }
    }

    fn put_out(&mut self, header: Emitted) {
        let parts = [header.when, header.length, header.bytes].map(Node::Bits);
        let slot = Slot::Out(header.number);
        self.env.put(slot, Node::Parts(parts.to_vec()));
    }

    /// What was emitted so far, in the order of its numbers.
    pub(super) fn emitted(&self) -> Vec<Emitted> {
        let numbers = self.env.emitted().into_iter();
        let headers = numbers.filter_map(|number| {
            let node = self.env.slot(Slot::Out(number))?;
            match node.parts() {
                [Node::Bits(when), Node::Bits(length), Node::Bits(bytes)] => Some(Emitted {
                    number,
                    when: *when,
                    length: *length,
                    bytes: *bytes,
                }),
                _ => None,
            }
        });
        headers.collect()
    }

    /// A number for a header that is emitted: each place in the program that emits has one, in the order in which it is written.
    fn outs(&mut self) -> usize {
        self.next_out += 1;
        self.next_out - 1
    }

    /// The bytes of a header, the first one in the lowest bits, and how many there are.
    fn packed_header(
        &mut self,
        node: &Node,
        of: &Type,
        span: Span,
    ) -> Made<(Option<ir::Value>, ir::Value)> {
        let mut pieces = Vec::new();
        let mut varbit = None;
        self.pieces(node, of, &mut pieces, &mut varbit);
        let width: u32 = pieces.iter().map(|piece| self.ir.width(*piece)).sum();
        let Some((at, size)) = varbit else {
            if !width.is_multiple_of(8) {
                return self.refuse(span, format!("a header of {width} bits is no whole bytes"));
            }
            let length = self.number(width / 8, 16);
            return match width {
                0 => Ok((None, length)),
                _ => {
                    let bits = self.concat(&pieces);
                    Ok((Some(self.swapped(bits)), length))
                }
            };
        };
        // What stands behind a varbit comes as much earlier as that has fewer bits.
        let most = self.ir.width(pieces[at]);
        let wide_size = self.zext(size, 32);
        let front: Vec<ir::Value> = pieces[..at].to_vec();
        let behind: Vec<ir::Value> = pieces[at + 1..].to_vec();
        let bits_of = |all: &Self, pieces: &[ir::Value]| -> u32 {
            pieces.iter().map(|piece| all.ir.width(*piece)).sum()
        };
        let (before, after) = (bits_of(self, &front), bits_of(self, &behind));
        let mut whole = front;
        whole.push(pieces[at]);
        if after > 0 {
            whole.push(self.number(0u32, after));
        }
        let mut bits = self.concat(&whole);
        if after > 0 {
            let mut moved = behind;
            if before > 0 {
                moved.insert(0, self.number(0u32, before));
            }
            moved.push(self.number(0u32, most));
            let moved = self.concat(&moved);
            let moved = self.op(ir::Op::LShr, &[moved, wide_size], width);
            bits = self.op(ir::Op::Or, &[bits, moved], width);
        }
        let filled = width.div_ceil(8) * 8;
        if filled > width {
            let zeros = self.number(0u32, filled - width);
            bits = self.concat(&[bits, zeros]);
        }
        let length = self.varying_bytes(before + after, size);
        Ok((Some(self.swapped(bits)), length))
    }

    /// All bits of a value, from the first one on, and where a varbit is among them.
    pub(super) fn pieces(
        &mut self,
        node: &Node,
        of: &Type,
        into: &mut Vec<ir::Value>,
        varbit: &mut Option<(usize, ir::Value)>,
    ) {
        let program = self.program;
        let types = &program.types;
        match (node, of) {
            (node, Type::New(number)) => {
                let below = types.news[*number].below.clone();
                self.pieces(node, &below, into, varbit);
            }
            (Node::Varbit(size, data), _) => {
                *varbit = Some((into.len(), *size));
                into.push(*data);
            }
            (Node::Bits(value), Type::Enum(number)) if types.enums[*number].below.is_none() => {
                into.push(self.zext(*value, 32));
            }
            (Node::Bits(value), Type::Error) => into.push(self.zext(*value, 32)),
            (Node::Bits(value), _) => into.push(*value),
            (node, of) => {
                for (at, part) in node.parts().iter().enumerate() {
                    if let Some(of) = types.part(of, at).cloned() {
                        self.pieces(part, &of, into, varbit);
                    }
                }
            }
        }
    }

    /// What was emitted is written into the packet's memory, right in front of what was not read; the packet begins there from here on.
    pub(super) fn turn_around(&mut self) {
        self.keep_what_was_read();
        if self.deparse == Deparse::Memory {
            self.store_headers();
            let begin = self.slot(Slot::Cursor);
            self.put(Slot::Begin, begin);
            return;
        }
        let (bytes, length) = self.front();
        for number in self.env.emitted() {
            self.env.take(Slot::Out(number));
        }
        let cursor = self.slot(Slot::Cursor);
        let begin = self.op(ir::Op::Sub, &[cursor, length], 16);
        self.turned = true;
        if let Some(bytes) = bytes {
            let headroom = &mut self.ir.limits.headroom;
            *headroom = (*headroom).max(self.ir.values[bytes].width / 8);
            self.store_at(begin, bytes, length);
        }
        self.put(Slot::Cursor, begin);
        self.put(Slot::Begin, begin);
    }

    /// What was emitted stands where it was read, as far as a packet that is cut reaches: a header for which it has no room is what
    /// the packet has there.
    pub(super) fn write_over(&mut self) {
        let Some(Node::Parts(cut)) = self.env.slot(Slot::Truncate).as_deref().cloned() else {
            return;
        };
        let [Node::Bits(cuts), Node::Bits(most)] = cut[..] else {
            return;
        };
        if self.constant(cuts) == Some(0.into()) {
            return;
        }
        let headers = self.emitted();
        let zero = self.number(0u32, 16);
        let mut ends = Vec::new();
        let mut total = zero;
        for header in &headers {
            let own = self.select(header.when, header.length, zero);
            let end = self.add(total, own);
            ends.push((total, end));
            total = end;
        }
        let cursor = self.slot(Slot::Cursor);
        let base = self.op(ir::Op::Sub, &[cursor, total], 16);
        let is_whole = self.not(cuts);
        for (header, (begin, end)) in headers.into_iter().zip(ends) {
            let end = self.zext(end, 32);
            let is_inside = self.op(ir::Op::Ule, &[end, most], 1);
            let fits = self.op(ir::Op::Or, &[is_whole, is_inside], 1);
            let place = self.add(base, begin);
            let place = self.sext(place, 64);
            let width = self.ir.width(header.bytes);
            let before = self.effect(ir::Op::PacketLoad, &[place], &[width])[0];
            let bytes = self.select(fits, header.bytes, before);
            self.put_out(Emitted { bytes, ..header });
        }
    }

    /// The end of the program.
    pub(super) fn end(&mut self) {
        let frame = self.frames.pop().expect("there is the first one");
        let here = self.leave();
        let ways = frame.exits.into_iter().chain(frame.returns).chain(here);
        // On each of them: one that drops the packet has emitted nothing.
        let ways = ways.filter_map(|way| {
            self.meet(vec![way]);
            self.keep_what_was_read();
            self.leave()
        });
        let ways = ways.collect();
        self.meet(ways);
        self.place = None;
        let length = self.length();
        if self.deparse == Deparse::Memory && !self.is_as_it_came() {
            self.store_headers();
        }
        let cursor = self.slot(Slot::Cursor);
        let (bytes, front) = self.front();
        let (mut from, mut end, mut put) = (cursor, length, front);
        if let Some(Node::Parts(parts)) = self.env.slot(Slot::Truncate).as_deref().cloned() {
            if let [Node::Bits(cuts), Node::Bits(most)] = parts[..] {
                (end, put) = self.truncated(cuts, most, (from, end), put);
            }
        }
        let as_it_came = self.slot(Slot::AsItCame);
        let zero = self.number(0u32, 16);
        from = self.select(as_it_came, zero, from);
        end = self.select(as_it_came, length, end);
        put = self.select(as_it_came, zero, put);
        let front = bytes.filter(|_| self.constant(put) != Some(0.into()));
        let (class, index) = (self.slot(Slot::Class), self.slot(Slot::Index));
        let forwarded = self.slot(Slot::Forwarded);
        let leaves = ir::Leaving {
            from,
            end,
            zeros: end,
            front: front.map(|bytes| ir::Front { bytes, length: put }),
        };
        let is_whole = self.constant(as_it_came) == Some(1.into());
        let emit = ir::Emit {
            forwarded,
            packet: ir::Sent {
                to: Some(ir::To { class, index }),
                outputs: Vec::new(),
                leaves: (!is_whole).then_some(leaves),
                begins: Vec::new(),
            },
            each: Vec::new(),
            copies: Vec::new(),
        };
        self.ir.blocks[self.block].terminator = ir::Terminator::Emit(emit);
        self.order_blocks();
    }

    /// Whether it is known that nothing of the packet changes.
    fn is_as_it_came(&mut self) -> bool {
        let value = self.slot(Slot::AsItCame);
        self.constant(value) == Some(1.into())
    }

    /// Stores all headers that were emitted in front of what was not read, one behind the other; that is then where the packet begins.
    fn store_headers(&mut self) {
        let headers = self.emitted();
        let zero = self.number(0u32, 16);
        let (mut total, mut most) = (zero, 0);
        for header in &headers {
            self.env.take(Slot::Out(header.number));
            let more = self.select(header.when, header.length, zero);
            total = self.add(total, more);
            most += self.ir.width(header.bytes) / 8;
        }
        let cursor = self.slot(Slot::Cursor);
        let begin = self.op(ir::Op::Sub, &[cursor, total], 16);
        let mut at = begin;
        self.turned = true;
        self.ir.limits.headroom = self.ir.limits.headroom.max(most);
        for header in headers {
            let Emitted {
                when,
                length,
                bytes,
                ..
            } = header;
            let here = at;
            let stored = self.branch(
                when,
                |all| {
                    all.store_at(here, bytes, length);
                    Ok(())
                },
                |_| Ok(()),
            );
            debug_assert!(stored.is_ok(), "nothing in it is refused");
            let more = self.select(when, length, zero);
            at = self.add(at, more);
        }
        self.put(Slot::Cursor, begin);
    }

    /// Stores the first so many of these bytes.
    fn store_at(&mut self, place: ir::Value, bytes: ir::Value, length: ir::Value) {
        let width = self.ir.width(bytes);
        let offset = self.offset(place);
        let stored = match self.constant(length) {
            Some(length) if length == (width / 8).into() => bytes,
            _ => {
                // What is behind them stays as it is.
                let before = self.effect(ir::Op::PacketLoad, &[offset], &[width])[0];
                let mut parts = Vec::new();
                for at in (0..width / 8).rev() {
                    let number = self.number(at, 16);
                    let is_header = self.op(ir::Op::Ult, &[number, length], 1);
                    let (new, old) = (self.slice(bytes, at * 8, 8), self.slice(before, at * 8, 8));
                    parts.push(self.select(is_header, new, old));
                }
                self.concat(&parts)
            }
        };
        self.effect(ir::Op::PacketStore, &[offset, stored], &[]);
    }

    /// All headers that were emitted, and how many bytes these are.
    fn front(&mut self) -> (Option<ir::Value>, ir::Value) {
        let mut bytes: Option<ir::Value> = None;
        let mut total = self.number(0u32, 16);
        for header in self.emitted().into_iter().rev() {
            let Emitted {
                when,
                length,
                bytes: header,
                ..
            } = header;
            if self.constant(when) == Some(0.into()) {
                continue;
            }
            let own = self.ir.width(header);
            let behind = bytes.map_or(0, |bytes| self.ir.width(bytes));
            let whole = own + behind;
            let with = match (bytes, self.constant(length)) {
                (None, _) => header,
                // A varbit whose length is known may still be shorter than it could be.
                (Some(bytes), Some(known)) if known == (own / 8).into() => {
                    self.concat(&[bytes, header])
                }
                (Some(bytes), _) => {
                    let wide = self.zext(bytes, whole);
                    let by = self.zext(length, 19);
                    let three = self.number(3u32, 19);
                    let by = self.op(ir::Op::Shl, &[by, three], 19);
                    let moved = self.op(ir::Op::Shl, &[wide, by], whole);
                    let header = self.zext(header, whole);
                    self.op(ir::Op::Or, &[moved, header], whole)
                }
            };
            let without = match bytes {
                Some(bytes) => self.zext(bytes, whole),
                None => self.number(0u32, whole),
            };
            bytes = Some(self.select(when, with, without));
            let longer = self.add(total, length);
            total = self.select(when, longer, total);
        }
        (bytes, total)
    }

    /// End of the payload and length of the front, of a packet that is cut behind so many bytes.
    fn truncated(
        &mut self,
        cuts: ir::Value,
        most: ir::Value,
        payload: (ir::Value, ir::Value),
        front: ir::Value,
    ) -> (ir::Value, ir::Value) {
        if self.constant(cuts) == Some(0.into()) {
            return (payload.1, front);
        }
        let (from, end) = payload;
        let wide = self.zext(front, 32);
        let is_inside = self.op(ir::Op::Ule, &[most, wide], 1);
        let short = self.slice(most, 0, 16);
        let kept = self.select(is_inside, short, front);
        let kept_wide = self.zext(kept, 32);
        let rest = self.op(ir::Op::Sub, &[most, kept_wide], 32);
        let payload = self.op(ir::Op::Sub, &[end, from], 16);
        let payload_wide = self.zext(payload, 32);
        let is_cut = self.op(ir::Op::Ult, &[rest, payload_wide], 1);
        let rest = self.slice(rest, 0, 16);
        let cut_end = self.add(from, rest);
        let new_end = self.select(is_cut, cut_end, end);
        (
            self.select(cuts, new_end, end),
            self.select(cuts, kept, front),
        )
    }
}

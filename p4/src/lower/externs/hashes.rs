//! Hashes, checksums of functions, and random numbers.

use super::super::calls::Passed;
use super::super::flow::Slot;
use super::super::node::Node;
use super::super::sums::{Algorithm, Checksum};
use super::super::{ir, Deparse, Lower, Made};
use crate::source::Span;
use crate::typed::Expression;
use crate::types::Type;
use hardpath_ir::structure::{Memory, Whole};
use num_bigint::BigInt;

/// Bytes in front of a payload that are taken from the sum of a packet.
const MOST_IN_FRONT: u64 = 256;

impl<'p> Lower<'p> {
    /// The name of the member of an enum that an argument is.
    pub(super) fn algorithm(&self, node: &Node, of: &Type) -> &'p str {
        let member = self
            .known(node)
            .and_then(|member| usize::try_from(member).ok());
        let name = member.and_then(|member| self.program.types.member_name(of, member));
        name.unwrap_or("")
    }

    /// An algorithm by the name that architectures have for it.
    pub(super) fn known_algorithm(&mut self, name: &str, span: Span) -> Made<Algorithm> {
        match Algorithm::of(name) {
            Some(algorithm) => Ok(algorithm),
            None => self.refuse(span, format!("the algorithm `{name}` is not there")),
        }
    }

    /// A hash by the name of its algorithm.
    pub(in super::super) fn hashed(
        &mut self,
        name: &str,
        bits: ir::Value,
        span: Span,
    ) -> Made<ir::Value> {
        let algorithm = self.known_algorithm(name, span)?;
        Ok(self.hash(algorithm, bits))
    }

    /// v1model: base + hash % max, base where that is 0.
    pub(super) fn hash_function(&mut self, passed: &Passed, whole: &Expression) -> Made<Node> {
        let algorithm = self.algorithm(&passed.nodes[1], &passed.types[1]);
        if passed.nodes.len() == 3 {
            let bits = self.data(passed, 2, whole.span)?;
            let hash = self.hashed(algorithm, bits, whole.span)?;
            self.give(passed, 0, hash);
            return Ok(Node::Void);
        }
        let bits = self.data(passed, 3, whole.span)?;
        let hash = self.hashed(algorithm, bits, whole.span)?;
        let rest = self.within(hash, &passed.nodes[4].clone(), &passed.nodes[2].clone());
        self.give(passed, 0, rest);
        Ok(Node::Void)
    }

    /// base + hash % most.
    pub(super) fn within(&mut self, hash: ir::Value, most: &Node, base: &Node) -> ir::Value {
        let least = |node: &Node| match node {
            Node::Integer(number) => (number.bits() as u32).max(1),
            _ => 1,
        };
        let most_bits = least(most);
        let known = self.known(most);
        let most = self.bits(most, most_bits);
        let own = self.ir.width(hash).max(self.ir.width(most));
        let hash = self.zext(hash, own);
        let rest = match known {
            Some(number) if number == BigInt::from(0) => self.number(0u32, own),
            // Of a power of two the rest is bits.
            Some(number) if number.magnitude().count_ones() == 1 => {
                let mask = self.number(number - 1, own);
                self.op(ir::Op::And, &[hash, mask], own)
            }
            _ => {
                let most = self.zext(most, own);
                let rest = self.op(ir::Op::URem, &[hash, most], own);
                let none = self.is(most, 0);
                let zero = self.number(0u32, own);
                self.select(none, zero, rest)
            }
        };
        let base_bits = least(base);
        let base = self.bits(base, base_bits);
        if self.constant(base) == Some(BigInt::from(0)) {
            return rest;
        }
        let width = own.max(self.ir.width(base)) + 1;
        let (base, rest) = (self.zext(base, width), self.zext(rest, width));
        self.add(base, rest)
    }

    /// PSA's `Hash`.
    pub(super) fn hash_object(
        &mut self,
        object: usize,
        passed: &Passed,
        whole: &Expression,
    ) -> Made<Node> {
        let algorithm = self.design.algorithm(self.program, object);
        let width = self.width(&whole.of);
        let at = usize::from(passed.nodes.len() != 1);
        let bits = self.data(passed, at, whole.span)?;
        let mut hash = self.hashed(algorithm, bits, whole.span)?;
        if at == 1 {
            hash = self.within(hash, &passed.nodes[2].clone(), &passed.nodes[0].clone());
        }
        Ok(Node::Bits(self.zext(hash, width)))
    }

    /// The checksum over the data of v1model's functions, whose last argument is the algorithm.
    pub(super) fn checksum_of(
        &mut self,
        name: &str,
        passed: &Passed,
        whole: &Expression,
    ) -> Made<Checksum> {
        let algorithm = self.algorithm(&passed.nodes[3], &passed.types[3]);
        let bits = self.data(passed, 1, whole.span)?;
        if !name.ends_with("_with_payload") {
            return Ok(match self.known_algorithm(algorithm, whole.span)? {
                Algorithm::OnesComplement => {
                    let words = self.words(bits);
                    Checksum::Ones(self.folded_once(&words))
                }
                other => Checksum::Other(self.hash(other, bits)),
            });
        }
        if algorithm != "csum16" {
            let message = "over the payload there is only csum16";
            return self.refuse(whole.span, message);
        }
        if self.turned {
            let message = "a checksum over the payload is there for packets as they came in";
            return self.refuse(whole.span, message);
        }
        let data = self.ones_sum(bits);
        let payload = match self.deparse {
            Deparse::Front => self.payload_by_all(whole.span)?,
            Deparse::Memory => self.payload_by_bytes(),
        };
        // Behind an odd number of bytes, its first one is the lower one of a word.
        let payload = match self.ir.width(bits).is_multiple_of(16) {
            true => payload,
            false => self.swapped(payload),
        };
        Ok(Checksum::Ones(self.folded_once(&[data, payload])))
    }

    /// A checksum as a value.
    pub(super) fn checksum_value(&mut self, checksum: Checksum) -> ir::Value {
        match checksum {
            Checksum::Ones(once) => {
                let sum = self.folded_twice(once);
                self.not(sum)
            }
            Checksum::Other(value) => value,
        }
    }

    /// Whether it is this value, of so many bits.
    pub(super) fn checksum_is(&mut self, checksum: Checksum, is: &Node, width: u32) -> ir::Value {
        let is = self.bits(is, width);
        match (checksum, self.deparse) {
            // A processor adds in one instruction.
            (Checksum::Ones(once), Deparse::Front) if width == 16 => self.is_complement(once, is),
            _ => {
                let sum = self.checksum_value(checksum);
                let sum = self.zext(sum, width);
                self.equal(sum, is)
            }
        }
    }

    /// The sum of RFC 1071 of what parsers left, not complemented, by going through it.
    fn payload_by_bytes(&mut self) -> ir::Value {
        let cursor = self.slot(Slot::Cursor);
        let length = self.length();
        let rest = self.op(ir::Op::Sub, &[length, cursor], 16);
        let offset = self.offset(cursor);
        let seed = self.number(0u32, 32);
        let sum = ir::Op::Whole(Whole::Checksum {
            memory: Memory::Packet,
            up_to: self.ir.limits.longest,
        });
        let sum = self.effect(sum, &[offset, rest, seed], &[16])[0];
        // The IR's words have their first byte below; a sum of ones' complement does not mind.
        self.swapped(sum)
    }

    /// The same as what is left of the sum of the whole packet without its headers. As numbers, so that it is 0 only where the payload is.
    fn payload_by_all(&mut self, span: Span) -> Made<ir::Value> {
        let cursor = self.slot(Slot::Cursor);
        let most = self.most_of(cursor);
        if most > MOST_IN_FRONT {
            let message = format!(
                "a checksum over the payload has at most {MOST_IN_FRONT} bytes in front of it, and this has up to {most}"
            );
            return self.refuse_with(span, message, "a core goes through it: --target core");
        }
        let mut words = Vec::new();
        for at in (0..most as u32).step_by(2) {
            let offset = self.number(at, 64);
            let loaded = self.effect(ir::Op::PacketLoad, &[offset], &[16])[0];
            let bytes = [0, 1].map(|byte| {
                let place = self.number(at + byte, 16);
                let is_read = self.op(ir::Op::Ult, &[place, cursor], 1);
                let value = self.slice(loaded, byte * 8, 8);
                let nothing = self.number(0u32, 8);
                self.select(is_read, value, nothing)
            });
            words.push(self.concat(&bytes));
        }
        let in_front = self.sum_of(&words);
        let in_front = self.zext(in_front, 32);
        let all = self.input(ir::Input::Sum, 32);
        let rest = self.op(ir::Op::Sub, &[all, in_front], 32);
        let (low, high) = (self.slice(rest, 0, 16), self.slice(rest, 16, 16));
        let sum = self.ones_sum_of(&[low, high]);
        let is_odd = self.slice(cursor, 0, 1);
        let swapped = self.swapped(sum);
        Ok(self.select(is_odd, swapped, sum))
    }

    /// A number between two, both included.
    pub(super) fn drawn(&mut self, low: ir::Value, high: ir::Value, width: u32) -> ir::Value {
        let random = self.input(ir::Input::Random, 32);
        let wide = width.max(32) + 1;
        let (random, from, to) = (
            self.zext(random, wide),
            self.zext(low, wide),
            self.zext(high, wide),
        );
        let one = self.number(1u32, wide);
        let span = self.op(ir::Op::Sub, &[to, from], wide);
        let span = self.add(span, one);
        let rest = self.op(ir::Op::URem, &[random, span], wide);
        let drawn = self.add(from, rest);
        self.zext(drawn, width)
    }

    /// RFC 1624: a checksum behind a change of what is in it.
    pub(super) fn csum_replace(&mut self, passed: &Passed) -> Node {
        let mut words = Vec::new();
        for (at, node) in passed.nodes.iter().enumerate() {
            let width = self.width(&passed.types[at]);
            let bits = self.bits(node, width);
            let mut sum = self.ones_sum(bits);
            if at < 2 {
                sum = self.not(sum);
            }
            words.push(sum);
        }
        let sum = self.ones_sum_of(&words);
        Node::Bits(self.not(sum))
    }
}

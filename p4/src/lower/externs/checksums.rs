//! Checksums that are objects: what they hold goes along with the packet.

use super::super::calls::Passed;
use super::super::flow::Slot;
use super::super::node::Node;
use super::super::sums::Algorithm;
use super::super::{ir, Lower, Made};
use crate::source::Span;
use crate::typed::Expression;

impl Lower<'_> {
    /// Checksums are cleared where a parser or control that has them is applied (PSA, section "Checksums").
    pub(in super::super) fn clear_checksums(&mut self, owner: usize) {
        let design = self.design;
        for object in design.objects[owner].inner.values() {
            self.env.take(Slot::Object(*object));
        }
    }

    /// PSA's `Checksum`: of the bytes that were given until then.
    pub(super) fn checksum(
        &mut self,
        object: usize,
        name: &str,
        passed: &Passed,
        whole: &Expression,
    ) -> Made<Node> {
        let written = self.design.algorithm(self.program, object);
        let algorithm = self.known_algorithm(written, whole.span)?;
        let slot = Slot::Object(object);
        match name {
            "clear" => {
                self.env.take(slot);
                Ok(Node::Void)
            }
            "update" => {
                let bits = self.data(passed, 0, whole.span)?;
                let after = self.checksum_behind(object, algorithm, bits);
                self.env.put(slot, after);
                Ok(Node::Void)
            }
            "get" => {
                let width = self.width(&whole.of);
                let held = self.checksum_held(object, algorithm);
                let sum = match (algorithm, held) {
                    (Algorithm::Random, _) => self.input(ir::Input::Random, 32),
                    (Algorithm::OnesComplement, (sum, _)) => self.not(sum),
                    (_, (sum, _)) => sum,
                };
                Ok(Node::Bits(self.zext(sum, width)))
            }
            _ => self.refuse(whole.span, format!("a checksum has no `{name}`")),
        }
    }

    /// XSA's `Checksum`, of all data at once.
    pub(super) fn checksum_applied(
        &mut self,
        object: usize,
        passed: &Passed,
        whole: &Expression,
    ) -> Made<Node> {
        let algorithm = self.design.algorithm(self.program, object);
        let bits = self.data(passed, 0, whole.span)?;
        let sum = self.hashed(algorithm, bits, whole.span)?;
        self.give(passed, 1, sum);
        Ok(Node::Void)
    }

    /// A result: XSA has a parameter for it.
    fn checksum_gives(&mut self, passed: &Passed, sum: ir::Value) -> Node {
        if passed.nodes.is_empty() {
            return Node::Bits(sum);
        }
        self.give(passed, 0, sum);
        Node::Void
    }

    /// What a checksum holds, and whether it is of an odd number of bytes, where that counts; zero at first.
    fn checksum_held(&mut self, object: usize, algorithm: Algorithm) -> (ir::Value, ir::Value) {
        match self.env.slot(Slot::Object(object)).as_deref() {
            Some(Node::Parts(parts)) => match parts[..] {
                [Node::Bits(sum), Node::Bits(odd)] => (sum, odd),
                _ => unreachable!("a checksum holds these two"),
            },
            _ => {
                let width = match algorithm {
                    Algorithm::Identity => self.width(&self.design.cell_type(object)),
                    other => other.width(),
                };
                (self.number(0u32, width), self.number(0u32, 1))
            }
        }
    }

    /// The same with more bytes behind.
    fn checksum_behind(&mut self, object: usize, algorithm: Algorithm, bits: ir::Value) -> Node {
        let (held, odd) = self.checksum_held(object, algorithm);
        let bytes = self.ir.width(bits) / 8;
        let mut after_odd = odd;
        let after = match algorithm {
            Algorithm::Random => held,
            Algorithm::Crc16 | Algorithm::Crc32 => self.crc_behind(algorithm, held, bits),
            Algorithm::Identity => {
                let all = self.concat(&[held, bits]);
                let width = self.ir.width(held);
                self.slice(all, 0, width)
            }
            Algorithm::OnesComplement | Algorithm::Xor16 => {
                let sum = match algorithm {
                    Algorithm::Xor16 => self.hash(algorithm, bits),
                    _ => self.ones_sum(bits),
                };
                // Behind an odd number of bytes all stand in the other half of a word.
                let turned = self.swapped(sum);
                let sum = self.select(odd, turned, sum);
                if bytes % 2 == 1 {
                    after_odd = self.not(odd);
                }
                match algorithm {
                    Algorithm::Xor16 => self.op(ir::Op::Xor, &[held, sum], 16),
                    _ => self.ones_sum_of(&[held, sum]),
                }
            }
        };
        Node::Parts(vec![Node::Bits(after), Node::Bits(after_odd)])
    }

    /// PSA's incremental checksum: its sum goes along with the packet.
    pub(super) fn internet_checksum(
        &mut self,
        object: usize,
        name: &str,
        passed: &Passed,
        span: Span,
    ) -> Made<Node> {
        let slot = Slot::Object(object);
        let before = match self.env.slot(slot).as_deref() {
            Some(Node::Bits(sum)) => *sum,
            _ => self.number(0u32, 16),
        };
        let sum = match name {
            "clear" => self.number(0u32, 16),
            "add" | "subtract" => {
                let bits = self.data(passed, 0, span)?;
                let mut sum = self.ones_sum(bits);
                if name == "subtract" {
                    sum = self.not(sum);
                }
                self.ones_sum_of(&[before, sum])
            }
            "get" => {
                let sum = self.not(before);
                return Ok(self.checksum_gives(passed, sum));
            }
            "get_state" => return Ok(Node::Bits(before)),
            "set_state" => self.bits(&passed.nodes[0], 16),
            _ => return self.refuse(span, format!("a checksum has no `{name}`")),
        };
        self.put(slot, sum);
        Ok(Node::Void)
    }
}

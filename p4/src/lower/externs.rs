//! What externs become, by their names: those of the core library, of the architectures, and of their descriptions.

mod arrays;
mod checksums;
mod hashes;
mod learning;
pub(super) mod meters;

use super::calls::Passed;
use super::flow::Slot;
use super::node::Node;
use super::{ir, Lower, Made};
use crate::source::Span;
use crate::typed::{Call, Expression, ExpressionKind};
use crate::types::Type;
use crate::value::Value;
use hardpath_diagnostic::Diagnostic;

/// Bytes of a counter's cell: packets and bytes.
pub const COUNTER_BYTES: u32 = 16;

impl<'p> Lower<'p> {
    pub(super) fn extern_method(
        &mut self,
        object: Node,
        method: usize,
        passed: Passed,
        whole: &Expression,
    ) -> Made<Node> {
        let program = self.program;
        let function = &program.functions[method];
        let (owner, name) = function
            .name
            .split_once('.')
            .unwrap_or(("", &function.name));
        let object = match object {
            Node::PacketIn => return self.packet_in(name, passed, &whole.of, whole.span),
            Node::PacketOut => return self.packet_out(name, passed, whole.span),
            Node::Object(object) => object,
            _ => return self.refuse(whole.span, "this object is not made before packets come"),
        };
        match (owner, name) {
            ("counter" | "Counter", "count") | ("CounterArray", "increment") => {
                let one = self.number(1u32, 64);
                let bytes = self.counted_bytes(function, &passed);
                self.count(object, &passed, [one, bytes], whole.span)
            }
            ("CounterArray", "add") => {
                let by = self.bits(&passed.nodes[1], 32);
                let by = self.zext(by, 64);
                let bytes = self.counted_bytes(function, &passed);
                self.count(object, &passed, [by, bytes], whole.span)
            }
            // It counts what its table finds.
            ("direct_counter", "count") => Ok(Node::Void),
            ("DirectCounter", "count") => {
                let bytes = self.counted_bytes(function, &passed);
                self.count_by_action(object, bytes, whole.span)
            }
            ("register" | "Register", "read" | "write") => {
                self.register(object, name, &passed, whole)
            }
            ("Hash", "get_hash") => self.hash_object(object, &passed, whole),
            ("Checksum16", "get") => {
                let bits = self.data(&passed, 0, whole.span)?;
                let sum = self.ones_sum(bits);
                Ok(Node::Bits(self.not(sum)))
            }
            // One without an algorithm is somebody's own.
            ("Checksum", "clear" | "update" | "get")
                if !self.design.algorithm(program, object).is_empty() =>
            {
                self.checksum(object, name, &passed, whole)
            }
            ("Checksum", "apply") => self.checksum_applied(object, &passed, whole),
            ("InternetChecksum", _) => self.internet_checksum(object, name, &passed, whole.span),
            ("Random", "read") => {
                let (low, high) = (self.design.number(object, 0), self.design.number(object, 1));
                let width = self.width(&whole.of);
                let (low, high) = (self.number(low, width), self.number(high, width));
                Ok(Node::Bits(self.drawn(low, high, width)))
            }
            ("Digest", "pack") => {
                self.unheard("Digest.pack", whole.span);
                Ok(Node::Void)
            }
            ("meter" | "Meter", _) => self.meter(object, function, &passed, whole),
            ("direct_meter" | "DirectMeter", _) => {
                self.direct_meter(object, function, &passed, whole)
            }
            _ => {
                let message = format!("what `{owner}.{name}` does is not there");
                let help = "`hardpath supported --p4` lists what is there";
                self.refuse_with(whole.span, message, help)
            }
        }
    }

    pub(super) fn extern_function(
        &mut self,
        number: usize,
        call: &Call,
        passed: Passed,
        whole: &Expression,
    ) -> Made<Node> {
        let program = self.program;
        let name = program.functions[number].name.as_str();
        match name {
            "verify" => {
                let check = self.bits(&passed.nodes[0], 1);
                let fails = self.not(check);
                let error = passed.nodes[1].clone();
                self.leave_if(
                    fails,
                    |all| all.env.put(Slot::Result, error),
                    |frame| &mut frame.rejects,
                );
                Ok(Node::Void)
            }
            "random" => {
                let width = self.width(&passed.types[0]);
                let (low, high) = (
                    self.bits(&passed.nodes[1], width),
                    self.bits(&passed.nodes[2], width),
                );
                let (low, high) = (self.zext(low, width), self.zext(high, width));
                let drawn = self.drawn(low, high, width);
                self.give(&passed, 0, drawn);
                Ok(Node::Void)
            }
            "hash" => self.hash_function(&passed, whole),
            "verify_checksum" | "verify_checksum_with_payload" => {
                let sum = self.checksum_of(name, &passed, whole)?;
                let width = self.width(&passed.types[2]);
                let same = self.checksum_is(sum, &passed.nodes[2], width);
                let differs = self.not(same);
                let asked = self.bits(&passed.nodes[0], 1);
                let fails = self.and(asked, differs);
                let before = self.slot(Slot::ChecksumFailed);
                let after = self.or(before, fails);
                self.put(Slot::ChecksumFailed, after);
                Ok(Node::Void)
            }
            "update_checksum" | "update_checksum_with_payload" => {
                let sum = self.checksum_of(name, &passed, whole)?;
                let sum = self.checksum_value(sum);
                let width = self.width(&passed.types[2]);
                let (sum, is) = (self.zext(sum, width), self.bits(&passed.nodes[2], width));
                let asked = self.bits(&passed.nodes[0], 1);
                let after = self.select(asked, sum, is);
                self.give(&passed, 2, after);
                Ok(Node::Void)
            }
            "truncate" => {
                let yes = self.number(1u32, 1);
                let length = self.bits(&passed.nodes[0], 32);
                let parts = vec![Node::Bits(yes), Node::Bits(length)];
                self.env.put(Slot::Truncate, Node::Parts(parts));
                Ok(Node::Void)
            }
            "log_msg" | "assert" | "assume" | "digest" => {
                self.unheard(name, whole.span);
                Ok(Node::Void)
            }
            "add_entry" => self.add_entry(&passed, whole.span),
            "set_entry_expire_time" => {
                self.stay(whole.span);
                Ok(Node::Void)
            }
            // Whoever finds an entry restarts it.
            "restart_expire_timer" => {
                let times = self.found.map(|found| self.tables[found.place].times);
                if times != Some(true) {
                    self.stay(whole.span);
                }
                Ok(Node::Void)
            }
            "csum_replace2" | "csum_replace4" => Ok(self.csum_replace(&passed)),
            "ebpf_ipv4_checksum" => {
                let mut pieces = Vec::new();
                for (at, (node, of)) in passed.nodes.iter().zip(&passed.types).enumerate() {
                    self.pieces(node, of, &mut pieces, &mut None);
                    if at == 8 {
                        // Where the checksum itself stands.
                        pieces.push(self.number(0u32, 16));
                    }
                }
                let bits = self.concat(&pieces);
                let sum = self.ones_sum(bits);
                Ok(Node::Bits(self.not(sum)))
            }
            name if name.starts_with("hardpath_") => self.support(name, call, &passed, whole),
            name => {
                let message = format!("what the extern function `{name}` does is not there");
                let help = match name {
                    "mark_to_drop" => "write `mark_to_drop(standard_metadata)`",
                    _ => "`hardpath supported --p4` lists what is there",
                };
                self.refuse_with(whole.span, message, help)
            }
        }
    }

    /// A message beside the packets, which hardware has no way for.
    fn unheard(&mut self, function: &str, span: Span) {
        if self.dead {
            return;
        }
        let message = format!("hardware does not tell what `{function}` says");
        let warning = Diagnostic::warning("p4-lost", message)
            .at(self.sources.place(span))
            .help("sim, check and stf tell it, by the reference interpreter");
        // A body that is written several times is there once for a reader.
        if !self.unheard.contains(&warning) {
            self.unheard.push(warning);
        }
    }

    /// What descriptions of architectures call.
    fn support(
        &mut self,
        name: &str,
        call: &Call,
        passed: &Passed,
        whole: &Expression,
    ) -> Made<Node> {
        let argument = |all: &mut Self| match passed.nodes.first() {
            Some(node) => all.bits(node, 32),
            None => all.number(0u32, 32),
        };
        let goes = |all: &mut Self, forwarded: u32, class: u32, index: ir::Value| {
            let (forwarded, class) = (all.number(forwarded, 1), all.number(class, 2));
            all.put(Slot::Forwarded, forwarded);
            all.put(Slot::Class, class);
            all.put(Slot::Index, index);
        };
        match name {
            "hardpath_drop" => {
                let zero = self.number(0u32, 32);
                goes(self, 0, 0, zero);
            }
            "hardpath_send" => {
                let index = argument(self);
                goes(self, 1, 1, index);
            }
            "hardpath_send_back" => {
                let zero = self.number(0u32, 32);
                goes(self, 1, 0, zero);
            }
            "hardpath_send_to_host" => {
                let index = argument(self);
                goes(self, 1, 2, index);
            }
            "hardpath_queue" => {
                let forwarded = self.slot(Slot::Forwarded);
                let dropped = self.not(forwarded);
                self.leave_if(dropped, |_| {}, |frame| &mut frame.exits);
            }
            "hardpath_turn_around" => self.turn_around(),
            "hardpath_rewind" => {
                let yes = self.number(1u32, 1);
                self.put(Slot::AsItCame, yes);
            }
            "hardpath_checksum_failed" => return Ok(Node::Bits(self.slot(Slot::ChecksumFailed))),
            "hardpath_rejected" => return Ok(Node::Bits(self.slot(Slot::Rejected))),
            "hardpath_note" => {
                let number = argument(self);
                let number = self.zext(number, 8);
                self.put(Slot::Noted, number);
            }
            "hardpath_noted" => return Ok(Node::Bits(self.slot(Slot::Noted))),
            "hardpath_write_over" => self.write_over(),
            "hardpath_refuse" | "hardpath_lose" => {
                let why = match call.arguments.first() {
                    Some(Some(Expression {
                        kind: ExpressionKind::Value(Value::Text(text)),
                        ..
                    })) => text.clone(),
                    _ => "this".into(),
                };
                if !self.dead && name == "hardpath_refuse" {
                    let mut causes = self.program.causes.iter();
                    let cause = causes.find(|(refusal, _)| *refusal == whole.span);
                    let span = cause.map_or(whole.span, |(_, cause)| *cause);
                    return self.refuse(span, format!("{why} is not there yet"));
                }
                if !self.dead {
                    let zero = self.number(0u32, 32);
                    goes(self, 0, 0, zero);
                    let message = format!("{why} is not there yet: such packets are dropped");
                    let warning = Diagnostic::warning("p4-lost", message);
                    self.warnings
                        .push(warning.at(self.sources.place(whole.span)));
                }
            }
            _ => return self.refuse(whole.span, format!("`{name}` is not there yet")),
        }
        Ok(Node::Void)
    }

    /// Writes what comes out of a parameter, in the width that the argument has.
    fn give(&mut self, passed: &Passed, at: usize, value: ir::Value) {
        let width = self.width(&passed.types[at]);
        if let (Some(place), 1..) = (passed.places[at].clone(), width) {
            let value = self.zext(value, width);
            self.write(&place, Node::Bits(value));
        }
    }

    /// All bits of an argument, as a number of whole bytes.
    fn data(&mut self, passed: &Passed, at: usize, span: Span) -> Made<ir::Value> {
        let (node, of) = (passed.nodes[at].clone(), passed.types[at].clone());
        self.data_of(&[(node, of)], span)
    }

    /// All bits of some values, as a number of whole bytes.
    pub(super) fn data_of(&mut self, values: &[(Node, Type)], span: Span) -> Made<ir::Value> {
        let mut pieces = Vec::new();
        let mut varbit = None;
        for (node, of) in values {
            self.pieces(node, of, &mut pieces, &mut varbit);
        }
        // What the bits behind it are moved by changes no sum of words; a hash it does.
        if varbit.is_some_and(|(at, _)| at + 1 != pieces.len()) {
            return self.refuse(span, "a varbit stands last in what is summed up");
        }
        let width: u32 = pieces.iter().map(|piece| self.ir.width(*piece)).sum();
        if width == 0 {
            return Ok(self.number(0u32, 8));
        }
        let bits = self.concat(&pieces);
        Ok(self.zext(bits, width.div_ceil(8) * 8))
    }
}

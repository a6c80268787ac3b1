//! What externs become, by their names: those of the core library, of the architectures, and of their descriptions.

use super::calls::Passed;
use super::flow::Slot;
use super::node::Node;
use super::{ir, Lower, Made};
use crate::design::Known;
use crate::source::Span;
use crate::typed::{Call, Expression, ExpressionKind};
use crate::types::Type;
use crate::value::Value;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::structure::{Memory, Whole};
use hardpath_ir::{Find, MapDecl};
use num_bigint::BigInt;

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
                self.count(object, &passed, one, whole.span)
            }
            ("CounterArray", "add") => {
                let by = self.bits(&passed.nodes[1], 32);
                let by = self.zext(by, 64);
                self.count(object, &passed, by, whole.span)
            }
            // It counts what its table finds.
            ("direct_counter", "count") => Ok(Node::Void),
            ("register" | "Register", "read" | "write") => {
                self.register(object, name, &passed, whole)
            }
            ("Hash", "get_hash") => self.hash_object(object, &passed, whole),
            ("Checksum16", "get") => {
                let bits = self.data(&passed, 0, whole.span)?;
                let sum = self.ones_sum(bits);
                Ok(Node::Bits(self.not(sum)))
            }
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
            ("meter" | "direct_meter" | "Meter" | "DirectMeter", _) => {
                self.refuse(whole.span, "meters are not there yet")
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
                let (sum, is) = (self.zext(sum, width), self.bits(&passed.nodes[2], width));
                let same = self.equal(sum, is);
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
            "hardpath_write_over" => {
                let cuts = match self.env.slot(Slot::Truncate).as_deref() {
                    Some(Node::Parts(parts)) => self.known(&parts[0]),
                    _ => None,
                };
                if cuts != Some(BigInt::from(0)) {
                    return self.refuse(
                        whole.span,
                        "a packet that is cut before its headers are written is not there yet",
                    );
                }
            }
            "hardpath_refuse" | "hardpath_lose" => {
                let why = match call.arguments.first() {
                    Some(Some(Expression {
                        kind: ExpressionKind::Value(Value::Text(text)),
                        ..
                    })) => text.clone(),
                    _ => "this".into(),
                };
                if !self.dead && name == "hardpath_refuse" {
                    return self.refuse(whole.span, format!("{why} is not there yet"));
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
        let mut pieces = Vec::new();
        let mut varbit = None;
        let (node, of) = (passed.nodes[at].clone(), passed.types[at].clone());
        self.pieces(&node, &of, &mut pieces, &mut varbit);
        if let Some((at, size)) = varbit {
            // What the bits behind it are moved by changes no sum of words; a hash it does.
            let most = self.ir.width(pieces[at]);
            let (size, room) = (self.zext(size, 32), self.number(most, 32));
            if at + 1 != pieces.len() {
                return self.refuse(span, "a varbit stands last in what is summed up");
            }
            let rest = self.op(ir::Op::Sub, &[room, size], 32);
            pieces[at] = self.op(ir::Op::Shl, &[pieces[at], rest], most);
        }
        let width: u32 = pieces.iter().map(|piece| self.ir.width(*piece)).sum();
        if width == 0 {
            return Ok(self.number(0u32, 8));
        }
        let bits = self.concat(&pieces);
        Ok(self.zext(bits, width.div_ceil(8) * 8))
    }

    /// The array that a register or a counter is.
    fn array(&mut self, object: usize, bytes: u32, outside: &str, span: Span) -> Made<ir::MapId> {
        if let Some(map) = self.objects.get(&object) {
            return Ok(*map);
        }
        let size = u32::try_from(self.design.number(object, 0)).unwrap_or(u32::MAX);
        if size == 0 || size > 1 << 24 {
            return self.refuse(span, format!("an array of {size} cells is not there"));
        }
        let name = self.design.objects[object].name.clone();
        let mut decl = MapDecl::new(&name, Find::Array, (4, bytes.max(1)), size);
        decl.outside = outside.into();
        let map = self.ir.maps.push(decl);
        self.objects.insert(object, map);
        Ok(map)
    }

    /// An index with as many bits as arrays have; what is above them is no cell.
    fn index(&mut self, node: &Node) -> ir::Value {
        let bits = self.bits(node, 32);
        let width = self.ir.width(bits);
        if width <= 32 {
            return self.zext(bits, 32);
        }
        let (low, high) = (self.slice(bits, 0, 32), self.slice(bits, 32, width - 32));
        let is_low = self.is(high, 0);
        let none = self.number(u32::MAX, 32);
        self.select(is_low, low, none)
    }

    fn count(&mut self, object: usize, passed: &Passed, by: ir::Value, span: Span) -> Made<Node> {
        let map = self.array(object, COUNTER_BYTES, "counter", span)?;
        let index = self.index(&passed.nodes[0]);
        let found = self.effect(ir::Op::MapLookup(map), &[index], &[1, 32]);
        self.branch(
            found[0],
            |all| {
                let length = all.length();
                let sums = [by, all.zext(length, 64)];
                for (at, by) in sums.into_iter().enumerate() {
                    let offset = all.number(8 * at, 32);
                    let add = ir::Op::MapAtomic(map, ir::AtomicOp::Add);
                    all.effect(add, &[found[1], offset, by], &[64]);
                }
                Ok(())
            },
            |_| Ok(()),
        )?;
        Ok(Node::Void)
    }

    /// `read(out result, index)` of v1model, `read(index)` of PSA; `write(index, value)` of both.
    fn register(
        &mut self,
        object: usize,
        name: &str,
        passed: &Passed,
        whole: &Expression,
    ) -> Made<Node> {
        let of = self.design.cell_type(object);
        let width = self.packed_width(&of);
        let bytes = width.div_ceil(8);
        if width == 0 {
            return self.refuse(whole.span, "a register without bits holds nothing");
        }
        if let Some(Known::Value(_)) = self.design.argument(object, 1) {
            return self.refuse(whole.span, "a register with a first value is not there yet");
        }
        let map = self.array(object, bytes, "register", whole.span)?;
        let by_out = name == "read" && passed.nodes.len() == 2;
        let index = self.index(&passed.nodes[usize::from(by_out)]);
        let found = self.effect(ir::Op::MapLookup(map), &[index], &[1, 32]);
        let zero = self.number(0u32, 32);
        if name == "write" {
            let mut pieces = Vec::new();
            self.pieces(&passed.nodes[1].clone(), &of, &mut pieces, &mut None);
            let bits = self.concat(&pieces);
            let bits = self.zext(bits, bytes * 8);
            self.branch(
                found[0],
                |all| {
                    all.effect(ir::Op::MapStore(map), &[found[1], zero, bits], &[]);
                    Ok(())
                },
                |_| Ok(()),
            )?;
            return Ok(Node::Void);
        }
        let cell = self.effect(ir::Op::MapLoad(map), &[found[1], zero], &[bytes * 8])[0];
        let cell = self.slice(cell, 0, width);
        let read = self.cell(&of, cell, &mut 0, width);
        let nothing = self.zero(&of);
        if !by_out {
            return Ok(self.choose(found[0], &read, &nothing));
        }
        if let Some(place) = passed.places[0].clone() {
            // What is outside leaves the result as it was.
            let before = self.read(&place);
            let after = self.choose(found[0], &read, &before);
            self.write(&place, after);
        }
        Ok(Node::Void)
    }

    /// Bits of all parts of a type.
    fn packed_width(&self, of: &Type) -> u32 {
        let types = &self.program.types;
        match of {
            Type::New(number) => self.packed_width(&types.news[*number].below),
            Type::Enum(number) if types.enums[*number].below.is_none() => 32,
            Type::Error => 32,
            of => {
                let mut sum = self.width(of);
                let mut at = 0;
                while let Some(part) = types.part(of, at) {
                    sum += self.packed_width(part);
                    at += 1;
                }
                sum
            }
        }
    }

    /// A value of a type, from the bits of a cell, of which `at` are taken already, from the top.
    fn cell(&mut self, of: &Type, bits: ir::Value, at: &mut u32, whole: u32) -> Node {
        let program = self.program;
        let types = &program.types;
        if let Type::New(number) = of {
            return self.cell(&types.news[*number].below.clone(), bits, at, whole);
        }
        let width = self.width(of);
        if width > 0 {
            let stored = self.packed_width(of);
            let field = self.slice(bits, whole - *at - stored, width);
            *at += stored;
            return Node::Bits(field);
        }
        let mut parts = Vec::new();
        while let Some(part) = types.part(of, parts.len()).cloned() {
            parts.push(self.cell(&part, bits, at, whole));
        }
        self.parts_of(of, parts)
    }

    /// The name of the member of an enum that an argument is.
    fn algorithm(&self, node: &Node, of: &Type) -> &'p str {
        let member = self
            .known(node)
            .and_then(|member| usize::try_from(member).ok());
        let name = member.and_then(|member| self.program.types.member_name(of, member));
        name.unwrap_or("")
    }

    fn hashed(&mut self, algorithm: &str, bits: ir::Value, span: Span) -> Made<ir::Value> {
        match self.hash(algorithm, bits) {
            Some(hash) => Ok(hash),
            None => self.refuse(span, format!("the algorithm `{algorithm}` is not there")),
        }
    }

    /// v1model: base + hash % max, base where that is 0.
    fn hash_function(&mut self, passed: &Passed, whole: &Expression) -> Made<Node> {
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
    fn within(&mut self, hash: ir::Value, most: &Node, base: &Node) -> ir::Value {
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
    fn hash_object(&mut self, object: usize, passed: &Passed, whole: &Expression) -> Made<Node> {
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
    fn checksum_of(&mut self, name: &str, passed: &Passed, whole: &Expression) -> Made<ir::Value> {
        let algorithm = self.algorithm(&passed.nodes[3], &passed.types[3]);
        let bits = self.data(passed, 1, whole.span)?;
        if !name.ends_with("_with_payload") {
            return self.hashed(algorithm, bits, whole.span);
        }
        if algorithm != "csum16" || !self.ir.width(bits).is_multiple_of(16) {
            let message = "over the payload there is only csum16, behind data of whole words";
            return self.refuse(whole.span, message);
        }
        // The IR's words have their first byte below; a sum of ones' complement does not mind.
        let data = self.ones_sum(bits);
        let data = self.swapped(data);
        let seed = self.zext(data, 32);
        let cursor = self.slot(Slot::Cursor);
        let length = self.length();
        let rest = self.op(ir::Op::Sub, &[length, cursor], 16);
        let offset = self.offset(cursor);
        let sum = ir::Op::Whole(Whole::Checksum {
            memory: Memory::Packet,
            up_to: self.ir.limits.longest,
        });
        let sum = self.effect(sum, &[offset, rest, seed], &[16])[0];
        let sum = self.swapped(sum);
        Ok(self.not(sum))
    }

    /// PSA's incremental checksum: its sum goes along with the packet.
    fn internet_checksum(
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
            "get" => return Ok(Node::Bits(self.not(before))),
            "get_state" => return Ok(Node::Bits(before)),
            "set_state" => self.bits(&passed.nodes[0], 16),
            _ => return self.refuse(span, format!("a checksum has no `{name}`")),
        };
        self.put(slot, sum);
        Ok(Node::Void)
    }

    /// A number between two, both included.
    fn drawn(&mut self, low: ir::Value, high: ir::Value, width: u32) -> ir::Value {
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
    fn csum_replace(&mut self, passed: &Passed) -> Node {
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

//! Counters and registers: arrays of the IR.

use super::super::calls::Passed;
use super::super::layout::packed_width;
use super::super::node::Node;
use super::super::{ir, Lower, Made};
use super::COUNTER_BYTES;
use crate::design::Known;
use crate::interpreter::passed_length;
use crate::source::Span;
use crate::typed::{Expression, Function};
use crate::types::Type;
use crate::value::Value;
use hardpath_ir::{Find, MapDecl};
use num_bigint::Sign;

impl Lower<'_> {
    /// The array that a register or a counter is.
    pub(super) fn array(
        &mut self,
        object: usize,
        bytes: u32,
        outside: &str,
        span: Span,
    ) -> Made<ir::MapId> {
        let size = u32::try_from(self.design.number(object, 0)).unwrap_or(u32::MAX);
        self.array_of(object, (bytes, size), outside, span)
    }

    /// The same for one of so many bytes in so many cells.
    pub(in super::super) fn array_of(
        &mut self,
        object: usize,
        (bytes, size): (u32, u32),
        outside: &str,
        span: Span,
    ) -> Made<ir::MapId> {
        if let Some(map) = self.objects.get(&object) {
            return Ok(*map);
        }
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
    pub(super) fn index(&mut self, node: &Node) -> ir::Value {
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

    /// The bytes of a packet, in 64 bits; DPDK's counters are told how many these are.
    pub(super) fn counted_bytes(&mut self, function: &Function, passed: &Passed) -> ir::Value {
        let length = self.told_length(function, passed);
        self.zext(length, 64)
    }

    /// The same in as many bits as that has.
    pub(super) fn told_length(&mut self, function: &Function, passed: &Passed) -> ir::Value {
        match passed_length(function, &passed.given) {
            Some(at) => self.bits(&passed.nodes[at], 32),
            None => self.length(),
        }
    }

    /// The value of a cell of an array, of which there is one.
    pub(in super::super) fn array_cell(&mut self, map: ir::MapId, index: ir::Value) -> ir::Value {
        let (index, zero) = (self.zext(index, 32), self.number(0u32, 32));
        let bytes = self.ir.maps[map].value_bytes;
        let found = self.effect(ir::Op::MapLookup(map), &[index], &[1, 32]);
        self.effect(ir::Op::MapLoad(map), &[found[1], zero], &[bytes * 8])[0]
    }

    /// Packets and bytes at the begin of a value of a map grow.
    pub(in super::super) fn add_pair(
        &mut self,
        map: ir::MapId,
        entry: ir::Value,
        by: [ir::Value; 2],
    ) {
        for (at, by) in by.into_iter().enumerate() {
            let offset = self.number(8 * at, 32);
            let add = ir::Op::MapAtomic(map, ir::AtomicOp::Add);
            self.effect(add, &[entry, offset, by], &[64]);
        }
    }

    pub(super) fn count(
        &mut self,
        object: usize,
        passed: &Passed,
        by: [ir::Value; 2],
        span: Span,
    ) -> Made<Node> {
        let map = self.array(object, COUNTER_BYTES, "counter", span)?;
        let index = self.index(&passed.nodes[0]);
        let found = self.effect(ir::Op::MapLookup(map), &[index], &[1, 32]);
        self.branch(
            found[0],
            |all| {
                all.add_pair(map, found[1], by);
                Ok(())
            },
            |_| Ok(()),
        )?;
        Ok(Node::Void)
    }

    /// `read(out result, index)` of v1model, `read(index)` of PSA; `write(index, value)` of both.
    pub(super) fn register(
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
        let map = self.array(object, bytes, "register", whole.span)?;
        self.begin_with(object, map, whole.span)?;
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

    /// What the cells of a register hold before somebody writes them (PSA, section "Registers"). Hardware keeps it for one cell.
    fn begin_with(&mut self, object: usize, map: ir::MapId, span: Span) -> Made<()> {
        let Some(Known::Value(first)) = self.design.argument(object, 1) else {
            return Ok(());
        };
        let first = match first {
            Value::Number(number) if number.sign() != Sign::Minus => number.to_bytes_le().1,
            Value::Bool(bit) => vec![u8::from(*bit)],
            _ => {
                let message = "a register begins with a number that is not below 0 in hardware";
                return self.refuse(span, message);
            }
        };
        if first.iter().all(|byte| *byte == 0) {
            return Ok(());
        }
        let decl = &mut self.ir.maps[map];
        let bytes = decl.value_bytes as usize;
        if decl.max_entries != 1 || first.len() > bytes {
            let message = "registers of several cells begin with 0 in hardware: write them from the control plane (`register_write`)";
            return self.refuse(span, message);
        }
        let mut initial = first;
        initial.resize(bytes, 0);
        decl.initial = Some(initial);
        Ok(())
    }

    /// Bits of all parts of a type.
    pub(super) fn packed_width(&self, of: &Type) -> u32 {
        packed_width(&self.program.types, of)
    }

    /// A value of a type, from the bits of a cell, of which `at` are taken already, from the top.
    pub(super) fn cell(&mut self, of: &Type, bits: ir::Value, at: &mut u32, whole: u32) -> Node {
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
}

//! Calls, written out where they stand: parameters are copied in and copied out (§6.7), however the body ends.

use super::flow::{Frame, Slot};
use super::node::Node;
use super::places::Place;
use super::{Lower, Made};
use crate::ast::Direction;
use crate::typed::{Call, Callee, Expression, Parameter};
use crate::types::Type;

/// What parameters were given.
pub(super) struct Passed {
    pub nodes: Vec<Node>,
    pub places: Vec<Option<Place>>,
    pub types: Vec<Type>,
    /// Those that the call has an argument for.
    pub given: Vec<bool>,
}

impl Lower<'_> {
    pub(super) fn call(&mut self, call: &Call, whole: &Expression) -> Made<Node> {
        match &call.callee {
            Callee::Function(number) => self.call_function(*number, call, whole),
            Callee::Method(object, method) => {
                let object = self.expression(object)?;
                self.call_method(object, *method, call, whole)
            }
            Callee::Apply(object) => match self.expression(object)? {
                Node::Object(object) => self.apply(object, call),
                _ => self.refuse(whole.span, "this object is not made before packets come"),
            },
            Callee::IsValid(of) => {
                let node = self.expression(of)?;
                Ok(Node::Bits(self.validity(&node)))
            }
            Callee::SetValid(of, is_valid) => {
                let place = self.place(of)?;
                if let Node::Header(_, fields) = self.read(&place) {
                    let valid = self.number(u8::from(*is_valid), 1);
                    self.write(&place, Node::Header(valid, fields));
                }
                Ok(Node::Void)
            }
            Callee::Push(of, by) => self.shift(of, *by as usize, true),
            Callee::Pop(of, by) => self.shift(of, *by as usize, false),
        }
    }

    /// Whether a header is valid, or one of a union.
    pub(super) fn validity(&mut self, node: &Node) -> super::ir::Value {
        match node {
            Node::Header(valid, _) => *valid,
            Node::Union(headers) => {
                let mut any = self.number(0u32, 1);
                for header in headers {
                    let valid = self.validity(header);
                    any = self.or(any, valid);
                }
                any
            }
            _ => self.number(0u32, 1),
        }
    }

    /// `push_front` and `pop_front` (§8.18).
    fn shift(&mut self, of: &Expression, by: usize, pushes: bool) -> Made<Node> {
        let place = self.place(of)?;
        let Node::Stack(next, items) = self.read(&place) else {
            return Ok(Node::Void);
        };
        let size = items.len();
        let by = by.min(size);
        let nothing = self.nothing_like(&Node::Parts(items.clone()));
        let empty = std::iter::repeat_n(nothing, by);
        let step = self.number(by, 32);
        let (next, items): (_, Vec<Node>) = match pushes {
            true => {
                let most = self.number(size, 32);
                let sum = self.add(next, step);
                let is_over = self.op(super::ir::Op::Ult, &[most, sum], 1);
                let next = self.select(is_over, most, sum);
                (
                    next,
                    empty.chain(items.into_iter().take(size - by)).collect(),
                )
            }
            false => {
                let rest = self.op(super::ir::Op::Sub, &[next, step], 32);
                let is_under = self.op(super::ir::Op::Ult, &[next, step], 1);
                let none = self.number(0u32, 32);
                let next = self.select(is_under, none, rest);
                (next, items.into_iter().skip(by).chain(empty).collect())
            }
        };
        self.write(&place, Node::Stack(next, items));
        Ok(Node::Void)
    }

    fn call_function(&mut self, number: usize, call: &Call, whole: &Expression) -> Made<Node> {
        let program = self.program;
        let function = program.called(number);
        let passed = self.passed(&function.parameters, call)?;
        match &function.body {
            Some(body) => self.bound(&function.parameters, passed, |all| all.statements(body)),
            None => self.extern_function(number, call, passed, whole),
        }
    }

    fn call_method(
        &mut self,
        object: Node,
        method: usize,
        call: &Call,
        whole: &Expression,
    ) -> Made<Node> {
        let program = self.program;
        let declared = &program.functions[method];
        if let Node::Object(object) = object {
            let instance = self.design.objects[object].instance;
            if let Some(function) = program.own_method(instance, method) {
                let passed = self.passed(&function.parameters, call)?;
                let body = function.body.as_ref().expect("it says what it does");
                let before = std::mem::replace(&mut self.method_of, object);
                let result = self.bound(&function.parameters, passed, |all| all.statements(body));
                self.method_of = before;
                return result;
            }
        }
        let passed = self.passed(&declared.parameters, call)?;
        self.extern_method(object, method, passed, whole)
    }

    /// A parser or a control.
    fn apply(&mut self, object: usize, call: &Call) -> Made<Node> {
        let program = self.program;
        let number = self.design.objects[object]
            .block
            .expect("only these are applied");
        let block = &program.blocks[number];
        let passed = self.passed(&block.parameters, call)?;
        let by_architecture = Some(self.this) == self.design.architecture;
        let before = self.this;
        let is_parser = !block.states.is_empty();
        if by_architecture {
            // What it applies ends alone (§12.6, §13.3).
            self.frames.push(Frame::default());
        }
        let result = self.bound(&block.parameters, passed, |all| {
            all.enter(object)?;
            match is_parser {
                true => all.states(number),
                false => all.statements(&block.apply),
            }
        });
        self.this = before;
        if !by_architecture {
            return result;
        }
        let frame = self.frames.pop().expect("it was pushed");
        result?;
        if !is_parser {
            let here = self.leave();
            self.meet(frame.exits.into_iter().chain(here).collect());
            return Ok(Node::Void);
        }
        let width = self.width(&Type::Error);
        let (none, no) = (self.number(0u32, width), self.number(0u32, 1));
        self.put(Slot::Result, none);
        self.put(Slot::Rejected, no);
        let accepted = self.leave();
        self.meet(frame.rejects);
        let yes = self.number(1u32, 1);
        self.put(Slot::Rejected, yes);
        let rejected = self.leave();
        self.meet(accepted.into_iter().chain(rejected).collect());
        let error = self.slot(Slot::Result);
        self.env.take(Slot::Result);
        Ok(Node::Bits(error))
    }

    /// What parameters are given, from left to right as it is written.
    pub(super) fn passed(&mut self, parameters: &[Parameter], call: &Call) -> Made<Passed> {
        let types = call.given_types(parameters);
        let mut passed = Passed {
            nodes: types.iter().map(|of| self.zero(of)).collect(),
            places: vec![None; parameters.len()],
            given: vec![false; parameters.len()],
            types,
        };
        for (at, argument) in call.in_order() {
            self.pass(&parameters[at], argument, at, &mut passed)?;
        }
        Ok(passed)
    }

    pub(super) fn pass(
        &mut self,
        parameter: &Parameter,
        argument: &Expression,
        at: usize,
        passed: &mut Passed,
    ) -> Made<()> {
        passed.given[at] = true;
        match parameter.direction {
            Direction::None | Direction::In => passed.nodes[at] = self.expression(argument)?,
            Direction::InOut => {
                let place = self.place(argument)?;
                passed.nodes[at] = self.read(&place);
                passed.places[at] = Some(place);
            }
            Direction::Out => passed.places[at] = Some(self.place(argument)?),
        }
        Ok(())
    }

    /// Runs with parameters, and copies out what comes out on every way that leaves.
    pub(super) fn bound(
        &mut self,
        parameters: &[Parameter],
        passed: Passed,
        run: impl FnOnce(&mut Self) -> Made<()>,
    ) -> Made<Node> {
        for (parameter, node) in parameters.iter().zip(passed.nodes) {
            self.env.set(parameter.variable, node);
        }
        let before = self.env.take(Slot::Result);
        self.frames.push(Frame::default());
        let result = run(self);
        let frame = self.frames.pop().expect("it was pushed");
        result?;
        let here = self.leave();
        let normal = frame.returns.into_iter().chain(here).collect();
        for (edges, is_exit) in [(frame.exits, true), (frame.rejects, false)] {
            if edges.is_empty() {
                continue;
            }
            self.meet(edges);
            self.copy_out(parameters, &passed.places);
            let edge = self.leave();
            let outer = self.frames.last_mut().expect("there is the first one");
            match is_exit {
                true => outer.exits.extend(edge),
                false => outer.rejects.extend(edge),
            }
        }
        self.meet(normal);
        self.copy_out(parameters, &passed.places);
        let result = self.env.take(Slot::Result);
        if let Some(before) = before {
            self.env.put(Slot::Result, before.as_ref().clone());
        }
        Ok(result.map_or(Node::Void, |node| node.as_ref().clone()))
    }

    fn copy_out(&mut self, parameters: &[Parameter], places: &[Option<Place>]) {
        for (parameter, place) in parameters.iter().zip(places) {
            if let Some(place) = place {
                let node = self.variable(parameter.variable).as_ref().clone();
                self.write(place, node);
            }
        }
    }
}

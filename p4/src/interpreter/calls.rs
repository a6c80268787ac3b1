//! Calls: parameters are copied in and copied out (§6.7), in the order in which they stand.

use super::data::{self, Data};
use super::places::Place;
use super::{Machine, Run, Stop};
use crate::ast::Direction;
use crate::typed::{Call, Callee, Expression, Parameter};
use crate::types::Type;

/// What parameters were given.
pub(super) struct Passed {
    /// The values that go in, in the order of the parameters.
    pub values: Vec<Data>,
    /// Where those that come out go.
    pub places: Vec<Option<Place>>,
    /// Types of the arguments.
    pub types: Vec<Type>,
    /// Those that the call has an argument for.
    pub given: Vec<bool>,
}

impl Machine<'_> {
    pub(super) fn call(&mut self, call: &Call, whole: &Expression) -> Run<Data> {
        match &call.callee {
            Callee::Function(number) => self.call_function(*number, call, whole),
            Callee::Method(object, method) => {
                let object = self.expression(object)?;
                self.call_method(object, *method, call, whole)
            }
            Callee::Apply(object) => match self.expression(object)? {
                Data::Object(object) => self.apply(object, call),
                _ => self.refuse(whole.span, "this object is not made before packets come"),
            },
            Callee::IsValid(of) => Ok(Data::Bool(self.expression(of)?.is_valid())),
            Callee::SetValid(of, is_valid) => {
                let place = self.place(of)?;
                let header = match self.read(&place) {
                    // §8.17: what its fields are then is left open.
                    Data::Header(_, fields) => Data::Header(*is_valid, fields),
                    other => other,
                };
                self.write(&place, header);
                Ok(Data::Void)
            }
            Callee::Push(of, by) => self.shift(of, *by as usize, true),
            Callee::Pop(of, by) => self.shift(of, *by as usize, false),
        }
    }

    /// `push_front` and `pop_front` (§8.18).
    fn shift(&mut self, of: &Expression, by: usize, pushes: bool) -> Run<Data> {
        let place = self.place(of)?;
        let Data::Stack(next, items) = self.read(&place) else {
            return Ok(Data::Void);
        };
        let size = items.len();
        let by = by.min(size);
        let nothing = super::places::zero_like(&Data::Stack(0, items.clone()));
        let empty = std::iter::repeat_n(nothing, by);
        let (next, items): (usize, Vec<Data>) = match pushes {
            true => {
                let kept = items.into_iter().take(size - by);
                ((next + by).min(size), empty.chain(kept).collect())
            }
            false => {
                let kept = items.into_iter().skip(by);
                (next.saturating_sub(by), kept.chain(empty).collect())
            }
        };
        self.write(&place, Data::Stack(next, items));
        Ok(Data::Void)
    }

    /// A function, an action, or a function that is extern.
    fn call_function(&mut self, number: usize, call: &Call, whole: &Expression) -> Run<Data> {
        let program = self.program;
        let function = program.called(number);
        let passed = self.passed(&function.parameters, call)?;
        match &function.body {
            Some(body) => self.bound(&function.parameters, passed, |all| all.body(body)),
            None => self.extern_function(number, call, passed, whole),
        }
    }

    /// A method of an object: of an extern, or one that the program says itself.
    fn call_method(
        &mut self,
        object: Data,
        method: usize,
        call: &Call,
        whole: &Expression,
    ) -> Run<Data> {
        let program = self.program;
        let declared = &program.functions[method];
        if let Data::Object(object) = object {
            let instance = self.design.objects[object].instance;
            if let Some(function) = program.own_method(instance, method) {
                let passed = self.passed(&function.parameters, call)?;
                let body = function.body.as_ref().expect("it says what it does");
                let before = std::mem::replace(&mut self.method_of, object);
                let result = self.bound(&function.parameters, passed, |all| all.body(body));
                self.method_of = before;
                return result;
            }
        }
        let passed = self.passed(&declared.parameters, call)?;
        self.extern_method(object, method, passed, whole)
    }

    /// A parser or a control.
    fn apply(&mut self, object: usize, call: &Call) -> Run<Data> {
        let program = self.program;
        let number = self.design.objects[object]
            .block
            .expect("only these are applied");
        let block = &program.blocks[number];
        let passed = self.passed(&block.parameters, call)?;
        let by_architecture = Some(self.this) == self.design.architecture;
        let before = self.this;
        let result = self.bound(&block.parameters, passed, |all| {
            all.enter(object)?;
            match block.states.is_empty() {
                false => all.states(number),
                true => all.body(&block.apply).map(|_| ()),
            }
            .map(|()| Data::Void)
        });
        self.this = before;
        // What an architecture applies ends alone (§12.6, §13.3).
        match result {
            Err(Stop::Exit) if by_architecture => Ok(Data::Void),
            Err(Stop::Reject(error)) if by_architecture => {
                self.rejected = true;
                Ok(Data::Member(error))
            }
            Ok(_) if by_architecture && !block.states.is_empty() => {
                self.rejected = false;
                Ok(Data::Member(0))
            }
            other => other,
        }
    }

    /// What parameters are given: from left to right as it is written, each place found before anything is called.
    fn passed(&mut self, parameters: &[Parameter], call: &Call) -> Run<Passed> {
        let program = self.program;
        let types = call.given_types(parameters);
        let mut passed = Passed {
            values: types
                .iter()
                .map(|of| data::zero(&program.types, of))
                .collect(),
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
    ) -> Run<()> {
        passed.given[at] = true;
        match parameter.direction {
            Direction::None | Direction::In => passed.values[at] = self.expression(argument)?,
            Direction::InOut => {
                let place = self.place(argument)?;
                passed.values[at] = self.read(&place);
                passed.places[at] = Some(place);
            }
            Direction::Out => passed.places[at] = Some(self.place(argument)?),
        }
        Ok(())
    }

    /// Runs with parameters, and copies out what comes out, however it ends.
    pub(super) fn bound(
        &mut self,
        parameters: &[Parameter],
        passed: Passed,
        run: impl FnOnce(&mut Self) -> Run<Data>,
    ) -> Run<Data> {
        for (parameter, value) in parameters.iter().zip(passed.values) {
            self.variables[parameter.variable] = value;
        }
        let result = run(self);
        for (parameter, place) in parameters.iter().zip(passed.places) {
            if let Some(place) = place {
                let value = self.variables[parameter.variable].clone();
                self.write(&place, value);
            }
        }
        result
    }
}

//! Statements (§12) and states of parsers (§13).

use super::data::{self, Data};
use super::{Machine, Run, Stop};
use crate::fold;
use crate::loops;
use crate::typed::{Expression, Set, Statement, StatementKind, Target, Transition};
use num_bigint::BigInt;

/// How the statements that run go on.
pub(super) enum Flow {
    Next,
    Break,
    Continue,
    Return(Data),
}

/// States that a parser may go through: more never end (§13.10).
const MOST_STATES: u32 = 10_000;

impl Machine<'_> {
    /// A body: what it returns.
    pub(super) fn body(&mut self, all: &[Statement]) -> Run<Data> {
        Ok(match self.statements(all)? {
            Flow::Return(data) => data,
            _ => Data::Void,
        })
    }

    pub(super) fn statements(&mut self, all: &[Statement]) -> Run<Flow> {
        for one in all {
            match self.statement(one)? {
                Flow::Next => {}
                other => return Ok(other),
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, one: &Statement) -> Run<Flow> {
        self.step(one.span)?;
        match &one.kind {
            StatementKind::Declare(variable, value) => {
                let program = self.program;
                let data = match value {
                    Some(value) => self.expression(value)?,
                    None => data::zero(&program.types, &program.variables[*variable].of),
                };
                self.variables[*variable] = data;
            }
            StatementKind::Assign(to, value) => {
                let place = self.place(to)?;
                let data = self.expression(value)?;
                self.write(&place, data);
            }
            StatementKind::Update(to, operator, value) => {
                let place = self.place(to)?;
                let before = self.read(&place).to_value();
                let by = self.expression(value)?.to_value();
                let of = self.program.types.number_type(&to.of);
                let width = self.program.types.bits(&value.of).unwrap_or(0) as u32;
                let after = fold::binary(*operator, before, by, of, width);
                let after = after.unwrap_or(crate::value::Value::Number(BigInt::from(0)));
                let data = data::from_value(&self.program.types, &after, of);
                self.write(&place, data);
            }
            StatementKind::Call(call) => {
                self.expression(call)?;
            }
            StatementKind::Block(all) => return self.statements(all),
            StatementKind::If(condition, yes, no) => {
                return match self.expression(condition)? == Data::Bool(true) {
                    true => self.statements(yes),
                    false => self.statements(no),
                };
            }
            StatementKind::SwitchAction(applied, cases) => {
                let ran = match self.expression(applied)? {
                    Data::Applied(_, action) => action,
                    _ => None,
                };
                let labels = cases.iter().map(|(label, _)| match label {
                    None => true,
                    Some(label) => Some(*label) == ran,
                });
                let taken = first_of(labels, cases.iter().position(|(label, _)| label.is_none()));
                return self.case(taken, cases.iter().map(|(_, block)| block.as_deref()));
            }
            StatementKind::Switch(value, cases) => {
                let value = self.expression(value)?;
                let mut labels = Vec::new();
                for (label, _) in cases {
                    labels.push(match label {
                        None => true,
                        Some(label) => self.expression(label)?.equals(&value),
                    });
                }
                let default = cases.iter().position(|(label, _)| label.is_none());
                let taken = first_of(labels.into_iter(), default);
                return self.case(taken, cases.iter().map(|(_, block)| block.as_deref()));
            }
            StatementKind::For {
                begin,
                condition,
                update,
                body,
            } => {
                self.statements(begin)?;
                while self.expression(condition)? == Data::Bool(true) {
                    self.step(one.span)?;
                    match self.statements(body)? {
                        Flow::Break => break,
                        Flow::Return(data) => return Ok(Flow::Return(data)),
                        _ => {}
                    }
                    self.statements(update)?;
                }
            }
            StatementKind::ForRange {
                variable,
                low,
                high,
                body,
            } => {
                let (low, high) = (self.expression(low)?, self.expression(high)?);
                let (mut at, high) = (low.to_number(), high.to_number());
                while at <= high {
                    self.step(one.span)?;
                    self.variables[*variable] = Data::Number(at.clone());
                    match self.statements(body)? {
                        Flow::Break => break,
                        Flow::Return(data) => return Ok(Flow::Return(data)),
                        _ => {}
                    }
                    at += 1;
                }
            }
            StatementKind::ForEach {
                variable,
                values,
                body,
            } => {
                let values = self.expression(values)?;
                for value in values.parts() {
                    self.variables[*variable] = value.clone();
                    match self.statements(body)? {
                        Flow::Break => break,
                        Flow::Return(data) => return Ok(Flow::Return(data)),
                        _ => {}
                    }
                }
            }
            StatementKind::Break => return Ok(Flow::Break),
            StatementKind::Continue => return Ok(Flow::Continue),
            StatementKind::Return(value) => {
                return Ok(Flow::Return(match value {
                    Some(value) => self.expression(value)?,
                    None => Data::Void,
                }));
            }
            StatementKind::Exit => return Err(Stop::Exit),
        }
        Ok(Flow::Next)
    }

    /// The statements of a case; one without any goes on with those of the next one (§12.7).
    fn case<'a>(
        &mut self,
        taken: Option<usize>,
        cases: impl Iterator<Item = Option<&'a [Statement]>>,
    ) -> Run<Flow> {
        let Some(taken) = taken else {
            return Ok(Flow::Next);
        };
        match cases.skip(taken).flatten().next() {
            Some(block) => self.statements(block),
            None => Ok(Flow::Next),
        }
    }

    /// Runs a parser from its state `start`.
    pub(super) fn states(&mut self, block: usize) -> Run<()> {
        let states = &self.program.blocks[block].states;
        let loops = &self.design.loops[block];
        let mut back = 0;
        let mut at = loops::start(states);
        for _ in 0..MOST_STATES {
            let Some(state) = states.get(at) else {
                return Ok(());
            };
            self.statements(&state.statements)?;
            let target = match &state.next {
                Transition::To(target) => *target,
                Transition::Select { values, cases } => self.select(values, cases)?,
            };
            match target {
                Target::Accept => return Ok(()),
                Target::Reject => return self.reject("NoError"),
                Target::State(next) => {
                    if loops.is_back(at, next) {
                        back += 1;
                        if back > self.design.depth || !self.packet.is_before(self.design.depth) {
                            return self.reject("ParserTimeout");
                        }
                    }
                    at = next;
                }
            }
        }
        self.reject("ParserTimeout")
    }

    /// §13.6.
    fn select(&mut self, values: &[Expression], cases: &[(Vec<Set>, Target)]) -> Run<Target> {
        let values: Vec<Data> = values
            .iter()
            .map(|value| self.expression(value))
            .collect::<Run<_>>()?;
        for (sets, target) in cases {
            if self.takes_all(sets, &values)? {
                return Ok(*target);
            }
        }
        self.reject("NoMatch")
    }

    fn takes_all(&mut self, sets: &[Set], values: &[Data]) -> Run<bool> {
        if let [Set::Named(number)] = sets {
            return Ok(self.set_has(*number, values));
        }
        for (set, value) in sets.iter().zip(values) {
            if !self.takes(set, value)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// §8.16.
    fn takes(&mut self, set: &Set, value: &Data) -> Run<bool> {
        Ok(match set {
            Set::All => true,
            Set::One(one) => self.expression(one)?.equals(value),
            Set::Mask(one, mask) => {
                let (one, mask) = (self.expression(one)?.to_number(), self.expression(mask)?);
                let mask = mask.to_number();
                one & &mask == value.to_number() & &mask
            }
            Set::Range(low, high) => {
                let (low, high) = (self.expression(low)?, self.expression(high)?);
                let value = value.to_number();
                low.to_number() <= value && value <= high.to_number()
            }
            Set::Named(number) => self.set_has(*number, std::slice::from_ref(value)),
        })
    }

    /// §13.11: whether the control plane has put these values into a set.
    fn set_has(&self, number: usize, values: &[Data]) -> bool {
        let Some(members) = self.value_sets.get(&(self.this, number)) else {
            return false;
        };
        members.iter().any(|member| {
            member.len() == values.len()
                && member
                    .iter()
                    .zip(values)
                    .all(|(one, value)| one.takes(value))
        })
    }
}

/// The first label that takes the value, the default one only behind all others.
fn first_of(labels: impl Iterator<Item = bool>, default: Option<usize>) -> Option<usize> {
    let mut labels = labels.enumerate();
    labels
        .find(|(at, takes)| *takes && Some(*at) != default)
        .map(|(at, _)| at)
        .or(default)
}

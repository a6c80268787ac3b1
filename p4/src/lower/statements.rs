//! Statements (§12). Loops are written out: what they go by must be known.

use super::flow::Slot;
use super::node::Node;
use super::{ir, Lower, Made};
use crate::typed::{Expression, Statement, StatementKind};
use num_bigint::BigInt;

/// Rounds of a loop that are written out.
const MOST_ROUNDS: u32 = 4096;
/// Rounds of a loop that packets end.
const MOST_DECIDED: u32 = 256;

type Case<'a> = (Option<ir::Value>, Option<&'a [Statement]>);

impl Lower<'_> {
    pub(super) fn statements(&mut self, all: &[Statement]) -> Made<()> {
        for one in all {
            if self.dead {
                return Ok(());
            }
            self.statement(one)?;
        }
        Ok(())
    }

    fn statement(&mut self, one: &Statement) -> Made<()> {
        self.at(one.span);
        match &one.kind {
            StatementKind::Declare(variable, value) => {
                let of = self.program.variables[*variable].of.clone();
                let node = match value {
                    Some(value) => self.expression(value)?,
                    None => self.zero(&of),
                };
                self.env.set(*variable, node);
            }
            StatementKind::Assign(to, value) => {
                let place = self.place(to)?;
                let node = self.expression(value)?;
                self.write(&place, node);
            }
            StatementKind::Update(to, operator, value) => {
                let place = self.place(to)?;
                let before = self.read(&place);
                let by = self.expression(value)?;
                let node = self.operate(*operator, (&before, &to.of), (&by, &value.of), to)?;
                self.write(&place, node);
            }
            StatementKind::Call(call) => {
                self.expression(call)?;
            }
            StatementKind::Block(all) => self.statements(all)?,
            StatementKind::If(condition, yes, no) => {
                let condition = self.value(condition)?;
                self.branch(
                    condition,
                    |all| all.statements(yes),
                    |all| all.statements(no),
                )?;
            }
            StatementKind::SwitchAction(applied, cases) => {
                let Node::Applied(_, ran) = self.expression(applied)? else {
                    return self.refuse(one.span, "this is no table");
                };
                let mut conditions: Vec<Case> = Vec::new();
                for (label, block) in cases {
                    let condition = label.map(|label| self.is(ran, label as u64));
                    conditions.push((condition, block.as_deref()));
                }
                self.cases(&conditions)?;
            }
            StatementKind::Switch(value, cases) => {
                let value = self.expression(value)?;
                let mut conditions: Vec<Case> = Vec::new();
                for (label, block) in cases {
                    let condition = match label {
                        None => None,
                        Some(label) => {
                            let label = self.expression(label)?;
                            Some(self.same(&value, &label))
                        }
                    };
                    conditions.push((condition, block.as_deref()));
                }
                self.cases(&conditions)?;
            }
            StatementKind::For {
                begin,
                condition,
                update,
                body,
            } => self.repeat(begin, condition, update, body)?,
            StatementKind::ForRange {
                variable,
                low,
                high,
                body,
            } => {
                let (from, to) = (self.expression(low)?, self.expression(high)?);
                let of = self.program.types.number_type(&low.of);
                let (Some(from), Some(to)) = (self.known(&from), self.known(&to)) else {
                    return self.counted(*variable, (&from, &to), of, body, one.span);
                };
                let (from, to) = (
                    crate::value::in_type(from, of),
                    crate::value::in_type(to, of),
                );
                if &to - &from > BigInt::from(MOST_ROUNDS) {
                    return self.refuse(
                        one.span,
                        format!("this loop goes round more than {MOST_ROUNDS} times"),
                    );
                }
                let mut rounds = Vec::new();
                let mut at = from;
                while at <= to {
                    let width = self.width(of);
                    rounds.push(Node::Bits(self.number(at.clone(), width.max(1))));
                    at += 1;
                }
                self.rounds(*variable, rounds, body)?;
            }
            StatementKind::ForEach {
                variable,
                values,
                body,
            } => {
                let values = self.expression(values)?;
                self.rounds(*variable, values.parts().to_vec(), body)?;
            }
            StatementKind::Break => {
                let edge = self.leave();
                self.frames
                    .last_mut()
                    .expect("there is one")
                    .breaks
                    .extend(edge);
            }
            StatementKind::Continue => {
                let edge = self.leave();
                self.frames
                    .last_mut()
                    .expect("there is one")
                    .continues
                    .extend(edge);
            }
            StatementKind::Return(value) => {
                if let Some(value) = value {
                    let node = self.expression(value)?;
                    self.env.put(Slot::Result, node);
                }
                let edge = self.leave();
                self.frames
                    .last_mut()
                    .expect("there is one")
                    .returns
                    .extend(edge);
            }
            StatementKind::Exit => {
                let edge = self.leave();
                self.frames
                    .last_mut()
                    .expect("there is one")
                    .exits
                    .extend(edge);
            }
        }
        Ok(())
    }

    /// The first case whose condition holds, the default one behind all others; a case without statements has those of the next one.
    fn cases(&mut self, cases: &[Case]) -> Made<()> {
        let block = |at: usize| {
            cases[at..]
                .iter()
                .find_map(|(_, block)| *block)
                .unwrap_or(&[])
        };
        let labels: Vec<(ir::Value, usize)> = cases
            .iter()
            .enumerate()
            .filter_map(|(at, (condition, _))| Some(((*condition)?, at)))
            .collect();
        let default = cases.iter().position(|(condition, _)| condition.is_none());
        self.case(&labels, &block, default)
    }

    fn case<'a>(
        &mut self,
        labels: &[(ir::Value, usize)],
        block: &dyn Fn(usize) -> &'a [Statement],
        default: Option<usize>,
    ) -> Made<()> {
        match labels.split_first() {
            None => match default {
                Some(at) => self.statements(block(at)),
                None => Ok(()),
            },
            Some(((condition, at), others)) => self.branch(
                *condition,
                |all| all.statements(block(*at)),
                |all| all.case(others, block, default),
            ),
        }
    }

    /// Rounds of which each has a value.
    fn rounds(&mut self, variable: usize, values: Vec<Node>, body: &[Statement]) -> Made<()> {
        let outer = self.begin_loop();
        for value in values {
            self.env.set(variable, value);
            self.statements(body)?;
            self.go_on();
            if self.dead {
                break;
            }
        }
        self.end_loop(outer);
        Ok(())
    }

    /// From a number that packets say to another one: written out as often as the type has numbers.
    fn counted(
        &mut self,
        variable: usize,
        ends: (&Node, &Node),
        of: &crate::types::Type,
        body: &[Statement],
        span: crate::source::Span,
    ) -> Made<()> {
        let width = self.width(of);
        if width == 0 || width > 8 {
            return self.goes_on(span);
        }
        let (from, to) = (self.bits(ends.0, width), self.bits(ends.1, width));
        let op = match of {
            crate::types::Type::Int(_) => ir::Op::Slt,
            _ => ir::Op::Ult,
        };
        let outer = self.begin_loop();
        let one = self.number(1u32, width);
        let mut at = from;
        for round in 0..1u32 << width {
            // Behind the last number there is none.
            let is_over = match round {
                0 => self.op(op.clone(), &[to, at], 1),
                _ => {
                    let before = self.op(ir::Op::Sub, &[at, one], width);
                    let is_last = self.equal(before, to);
                    let is_above = self.op(op.clone(), &[to, at], 1);
                    self.or(is_last, is_above)
                }
            };
            self.leave_if(is_over, |_| {}, |frame| &mut frame.breaks);
            if self.dead {
                break;
            }
            self.env.set(variable, Node::Bits(at));
            self.statements(body)?;
            self.go_on();
            at = self.add(at, one);
        }
        self.end_loop(outer);
        Ok(())
    }

    fn repeat(
        &mut self,
        begin: &[Statement],
        condition: &Expression,
        update: &[Statement],
        body: &[Statement],
    ) -> Made<()> {
        self.statements(begin)?;
        let outer = self.begin_loop();
        let mut rounds = 0;
        let mut steps = Steps::default();
        while !self.dead {
            let mut holds = self.value(condition)?;
            if steps.ends(&self.ir, holds) {
                holds = self.number(0u32, 1);
            }
            let ends = self.not(holds);
            self.leave_if(ends, |_| {}, |frame| &mut frame.breaks);
            if self.dead {
                break;
            }
            rounds += 1;
            let most = match self.ir.as_const(holds) {
                Some(_) => MOST_ROUNDS,
                // What packets decide costs a way out for each round.
                None => MOST_DECIDED,
            };
            if rounds > most {
                return self.goes_on(condition.span);
            }
            self.statements(body)?;
            self.go_on();
            self.statements(update)?;
        }
        self.end_loop(outer);
        Ok(())
    }

    fn goes_on<T>(&mut self, span: crate::source::Span) -> Made<T> {
        let message = "how often this loop goes round is not known";
        let help = format!(
            "count up or down by one, in at most 8 bits: {MOST_DECIDED} rounds that packets decide are written out"
        );
        self.refuse_with(span, message, help)
    }

    /// Ways out of loops around this one wait.
    fn begin_loop(&mut self) -> (Vec<super::flow::Edge>, Vec<super::flow::Edge>) {
        let frame = self.frames.last_mut().expect("there is one");
        (
            std::mem::take(&mut frame.breaks),
            std::mem::take(&mut frame.continues),
        )
    }

    /// Where `continue` goes on.
    fn go_on(&mut self) {
        let here = self.leave();
        let frame = self.frames.last_mut().expect("there is one");
        let mut edges = std::mem::take(&mut frame.continues);
        edges.extend(here);
        self.meet(edges);
    }

    fn end_loop(&mut self, outer: (Vec<super::flow::Edge>, Vec<super::flow::Edge>)) {
        let here = self.leave();
        let frame = self.frames.last_mut().expect("there is one");
        let mut edges = std::mem::replace(&mut frame.breaks, outer.0);
        frame.continues = outer.1;
        edges.extend(here);
        self.meet(edges);
    }
}

/// A number that each round counts by one, to where the condition compares it: `i < n; i = i + 1`, `i > n; i = i - 1`. While the condition
/// holds it does not wrap, so it ends.
#[derive(Default)]
struct Steps {
    /// What the last condition had below and above, and how often that was one more or less than in the round before.
    last: Option<(ir::Value, ir::Value)>,
    up: u32,
    down: u32,
}

impl Steps {
    /// Takes the next condition; whether it has held as often as it can.
    fn ends(&mut self, program: &ir::Program, holds: ir::Value) -> bool {
        let sides = program.def_inst(holds).and_then(|inst| {
            let is_less = match inst.op {
                ir::Op::Ult => true,
                // At least one.
                ir::Op::Ule => program
                    .as_const(inst.args[0])
                    .is_some_and(|low| !low.is_zero()),
                _ => false,
            };
            is_less.then(|| (inst.args[0], inst.args[1]))
        });
        let by_one = |op: ir::Op, now: ir::Value, before: ir::Value| {
            program.def_inst(now).is_some_and(|inst| {
                inst.op == op
                    && inst.args[0] == before
                    && program.as_const(inst.args[1])
                        == Some(&ir::Bits::from_u64(1, program.width(now)))
            })
        };
        let last = std::mem::replace(&mut self.last, sides);
        let (Some((low, high)), Some((last_low, last_high))) = (sides, last) else {
            (self.up, self.down) = (0, 0);
            return false;
        };
        self.up = match by_one(ir::Op::Add, low, last_low) {
            true => self.up + 1,
            false => 0,
        };
        self.down = match by_one(ir::Op::Sub, high, last_high) {
            true => self.down + 1,
            false => 0,
        };
        let most = 1u32
            .checked_shl(program.width(low))
            .map_or(u32::MAX, |all| all - 1);
        self.up.max(self.down) >= most
    }
}

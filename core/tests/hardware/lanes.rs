//! The lanes: rows of random operations of all threads, beside what the instruction set says that they do.

use crate::bench::Bench;
use crate::operations::{operation, Made};
use crate::reference::{compute, field, insert};
use hardpath_core::hardware::lanes::{lanes, LaneIn, Lanes, CUT_STAGE, OPERAND_STAGE};
use hardpath_core::hardware::predicates::update_clocks;
use hardpath_core::hardware::Shape;
use hardpath_core::isa::{Action, Combine, Guard, Into, Operand, Pred, Test};
use hardpath_rtl::signals::{numbered, Signals};
use hardpath_testkit::Random;
use std::collections::{HashMap, VecDeque};

/// What a thread has.
#[derive(Clone)]
struct State {
    registers: Vec<Vec<u64>>,
    predicates: u64,
}

/// A row on its way: what ports take, and what they must give.
#[derive(Clone, Default)]
struct Row {
    inputs: HashMap<String, u64>,
    outputs: Vec<(u32, String, u64)>,
    /// Of each lane: it writes a register.
    writes: Vec<bool>,
}

impl State {
    fn holds(&self, guard: Guard) -> bool {
        let bit = guard.pred.0 == 0 || self.predicates >> guard.pred.0 & 1 == 1;
        bit != guard.negated
    }

    fn operand(&self, operand: Operand) -> u64 {
        match operand {
            Operand::Number(number) => number,
            Operand::Field(bits) => {
                let bank = &self.registers[usize::from(bits.reg.bank)];
                field(&bits, bank[usize::from(bits.reg.index)])
            }
        }
    }

    fn test(&self, test: &Test) -> bool {
        let (a, b) = (self.operand(test.a), self.operand(test.b));
        test.condition.holds(a, b)
    }

    fn set(&mut self, pred: Pred, value: bool) {
        self.predicates = self.predicates & !(1 << pred.0) | u64::from(value) << pred.0 | 1;
    }

    /// What an action computes, in the state before its row.
    fn result(&self, action: &Action) -> Option<u64> {
        let value = |operand: &Operand| self.operand(*operand);
        Some(match action {
            Action::Move { a, .. } => value(a),
            Action::Compute {
                op, width, a, b, ..
            } => compute(*op, *width, value(a), value(b)),
            Action::Insert {
                a, into, lo, width, ..
            } => insert(value(a), value(into), *lo, *width),
            Action::Select { when, a, b, .. } => match self.holds(*when) {
                true => value(a),
                false => value(b),
            },
            _ => return None,
        })
    }

    /// Does the predicates of an action. `before`: the state before its row.
    fn change(&mut self, before: &State, holds: bool, action: &Action) {
        match *action {
            Action::Compare {
                ref test,
                into,
                yes,
                no,
            } => {
                let outcome = before.test(test);
                match into {
                    Into::Set if holds => {
                        self.set(yes, outcome);
                        self.set(no, !outcome);
                    }
                    Into::Both => {
                        self.set(yes, holds && outcome);
                        self.set(no, holds && !outcome);
                    }
                    Into::And if holds && !outcome => self.set(yes, false),
                    Into::Or if holds && outcome => self.set(yes, true),
                    _ => {}
                }
            }
            Action::Combine { op, a, b, to } if holds => {
                let (a, b) = (before.holds(a), before.holds(b));
                let value = match op {
                    Combine::And => a && b,
                    Combine::Or => a || b,
                    Combine::Xor => a != b,
                };
                self.set(to, value);
            }
            _ => {}
        }
    }
}

fn leaves(state: &State, action: &Action) -> bool {
    match action {
        Action::Branch { when, .. } | Action::Exit { when, .. } => {
            when.as_ref().is_none_or(|test| state.test(test))
        }
        Action::Indirect { .. } => true,
        _ => false,
    }
}

impl Row {
    fn take(&mut self, name: &str, value: u64) {
        self.inputs.insert(name.to_string(), value);
    }

    fn expect(&mut self, stage: u32, name: String, value: u64) {
        self.outputs.push((stage, name, value));
    }
}

/// Does a row, and says what its ports take and give.
fn row(random: &mut Random, config: &Lanes, thread: u64, state: &mut State) -> Row {
    let shape = &config.shape;
    let mut row = Row::default();
    let before = state.clone();
    row.take("thread", thread);
    row.take("predicates", before.predicates);
    let mut is_cut = false;
    for lane in 0..shape.lanes {
        let made = operation(random, shape, lane);
        let guard = made.as_ref().and_then(|made| made.operation.guard);
        let holds = guard.is_none_or(|guard| before.holds(guard));
        let active = holds && !is_cut;
        let leaves = |made: &Made| leaves(&before, &made.operation.action);
        let taken = active && made.as_ref().is_some_and(leaves);
        row.expect(OPERAND_STAGE, format!("holds_{lane}"), holds.into());
        row.expect(CUT_STAGE, format!("active_{lane}"), active.into());
        row.expect(CUT_STAGE, format!("taken_{lane}"), taken.into());
        let ports = match &made {
            Some(made) => {
                if !is_cut {
                    state.change(&before, holds, &made.operation.action);
                }
                let ports = occupied(random, config, made, lane, &before, &mut row);
                written(
                    config,
                    made,
                    &ports,
                    (lane, active),
                    state,
                    &before,
                    &mut row,
                );
                ports
            }
            None => {
                let name = numbered("writes_out", lane.into());
                row.expect(config.write_stage(), name, 0);
                row.writes.push(false);
                LaneIn::none(shape)
            }
        };
        is_cut |= taken;
        ports.map(&mut |name, _, value| row.take(&numbered(name, lane.into()), value));
    }
    let stage = config.late_stage() + update_clocks(shape.lanes);
    row.expect(stage, "predicates_next".into(), state.predicates);
    row
}

/// What the ports of a lane take for an operation, with a result of others where it needs one; and its operands.
fn occupied(
    random: &mut Random,
    config: &Lanes,
    made: &Made,
    lane: u8,
    before: &State,
    row: &mut Row,
) -> LaneIn<u64> {
    let mut ports = LaneIn::of(&config.shape, &made.operation);
    for (name, operand) in ["a", "b"].iter().zip(made.operands) {
        let value = operand.map_or(0, |operand| before.operand(operand));
        row.expect(OPERAND_STAGE, format!("{name}_{lane}"), value);
    }
    if before.result(&made.operation.action).is_none() {
        ports.late.late = 1;
        ports.late.late_value = random.next();
    }
    ports
}

/// What it writes.
fn written(
    config: &Lanes,
    made: &Made,
    ports: &LaneIn<u64>,
    (lane, active): (u8, bool),
    state: &mut State,
    before: &State,
    row: &mut Row,
) {
    let (stage, lane) = (config.write_stage(), usize::from(lane));
    let writes = ports.effect.writes == 1 && active;
    row.expect(stage, numbered("writes_out", lane), writes.into());
    row.writes.push(writes);
    if writes {
        let own = before.result(&made.operation.action);
        let value = own.unwrap_or(ports.late.late_value);
        row.expect(stage, numbered("to_out", lane), ports.effect.to);
        row.expect(stage, numbered("value_out", lane), value);
        state.registers[lane][ports.effect.to as usize] = value;
    }
}

/// The stage of each port, by its name.
fn stages(config: &Lanes) -> Vec<(String, u32)> {
    let design = lanes("lanes", config);
    let ports = design.modules[design.top()].ports.iter();
    let inputs = ports.filter(|port| {
        port.direction == hardpath_rtl::Direction::Input && !port.name.starts_with("beside")
    });
    let stage = |port: &hardpath_rtl::Port| {
        let name = port.name.trim_end_matches(|c: char| c.is_ascii_digit());
        match name.trim_end_matches('_') {
            "thread" => 0,
            name if name.starts_with("operand_") && name.contains("field_") => 1,
            name if name.ends_with("number") => 5,
            name if name.starts_with("operand_") && name.ends_with("is_field") => 0,
            name if name.ends_with("_bank") || name.ends_with("_index") => 0,
            "plain" | "subtract" | "turn" | "turn_by" | "top" | "selects" => 6,
            name if name.starts_with("test_") => 6,
            "late" | "late_value" => config.late_stage(),
            _ => 5,
        }
    };
    inputs
        .map(|port| (port.name.clone(), stage(port)))
        .collect()
}

/// Clocks at least behind each turn of all threads in which no row begins.
const IDLE: u64 = 8;

/// A thread whose last row has written its registers, and whose next one reads them late enough.
fn waiting(config: &Lanes, clock: u64, turns: u64) -> Option<u64> {
    // The one that begins in so many clocks.
    let thread = (clock + 4) % turns;
    let since = turns - 4;
    (since > u64::from(config.write_stage())).then_some(thread)
}

/// Offers a number beside the row in stage L; whether it is written.
fn beside(
    random: &mut Random,
    config: &Lanes,
    bench: &mut Bench,
    state: Option<(&mut State, u64)>,
    rows: &mut VecDeque<Row>,
) -> bool {
    let shape = &config.shape;
    let offers = random.below(4) > 0;
    let lane = random.below(shape.lanes.into()) as usize;
    let to = random.below(shape.registers.into());
    let value = random.next();
    let thread = state.as_ref().map_or(0, |(_, thread)| *thread);
    for number in 0..usize::from(shape.lanes) {
        let wants = offers && state.is_some() && number == lane;
        bench.set(&format!("beside_wants_{number}"), wants.into());
    }
    bench.set("beside_thread", thread);
    bench.set("beside_to", to);
    bench.set("beside_value", value);
    let row = &mut rows[config.late_stage() as usize];
    let Some((state, _)) = state.filter(|_| offers) else {
        return false;
    };
    if row.writes.get(lane) == Some(&true) {
        return false;
    }
    let writes = numbered("writes_out", lane);
    row.outputs.retain(|(_, name, _)| *name != writes);
    let stage = config.write_stage();
    row.expect(stage, writes, 1);
    row.expect(stage, numbered("thread_out", lane), thread);
    row.expect(stage, numbered("to_out", lane), to);
    row.expect(stage, numbered("value_out", lane), value);
    state.registers[lane][to as usize] = value;
    true
}

fn check(config: &Lanes, clocks: u64) {
    let shape = &config.shape;
    let stages = stages(config);
    let mut bench = Bench::new(&lanes("lanes", config));
    let mut random = Random::new(u64::from(shape.lanes) << 8 | u64::from(config.wait));
    let bank = vec![0; shape.registers.into()];
    let state = State {
        registers: vec![bank; shape.lanes.into()],
        predicates: 1,
    };
    let mut states = vec![state; shape.threads.into()];
    let mut rows: VecDeque<Row> = vec![Row::default(); 32].into();
    // As soon as a thread's next row may begin, and some clocks in which nobody's does.
    let turns = u64::from(shape.threads).max(u64::from(config.write_stage()) + 2 + IDLE);
    let mut written_beside = 0;
    for clock in 0..clocks {
        let thread = clock % turns;
        let next = match states.get_mut(thread as usize) {
            Some(state) => row(&mut random, config, thread, state),
            None => Row::default(),
        };
        rows.push_front(next);
        rows.truncate(32);
        for (name, stage) in &stages {
            let row = &rows[*stage as usize];
            bench.set(name, row.inputs.get(name).copied().unwrap_or(0));
        }
        let thread = waiting(config, clock, turns);
        let state = thread.and_then(|thread| states.get_mut(thread as usize).zip(Some(thread)));
        let goes = beside(&mut random, config, &mut bench, state, &mut rows);
        bench.step();
        assert_eq!(bench.get("beside_goes"), goes.into(), "clock {clock}");
        written_beside += u64::from(goes);
        for (age, row) in rows.iter().enumerate() {
            let outputs = row.outputs.iter();
            for (_, name, want) in outputs.filter(|(stage, ..)| *stage as usize == age) {
                assert_eq!(bench.get(name), *want, "{name} in clock {clock}");
            }
        }
    }
    assert!(written_beside > clocks / 20, "{written_beside}");
}

#[test]
fn rows_do_what_the_instruction_set_says() {
    for (lanes, threads, wait) in [(1, 8, 0), (2, 16, 1), (4, 8, 0), (4, 16, 3), (8, 16, 2)] {
        let shape = Shape {
            threads,
            ..Shape::with_lanes(lanes)
        };
        let config = Lanes { shape, wait };
        check(&config, 20_000);
    }
}

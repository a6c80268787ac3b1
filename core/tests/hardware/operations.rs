//! Random operations.

use crate::alu::{COMPUTES, CONDITIONS};
use crate::reference::number;
use hardpath_core::hardware::Shape;
use hardpath_core::isa::{
    Action, Combine, Ending, Field, Guard, Into, Operand, Operation, Pred, Reg, Test, Way,
};
use hardpath_ir::structure::Memory;
use hardpath_testkit::Random;

/// An operation, and what it works on.
pub struct Made {
    pub operation: Operation,
    pub operands: [Option<Operand>; 2],
}

/// An operation for a lane, or none.
pub fn operation(random: &mut Random, shape: &Shape, lane: u8) -> Option<Made> {
    let guard = (random.below(3) > 0).then(|| guard(random));
    let (a, b) = operands(random, shape);
    let to = Reg {
        bank: lane,
        index: below(random, shape.registers),
    };
    let (action, operands) = match random.below(16) {
        0 => return None,
        1 => (Action::Move { a, to }, [Some(a), None]),
        2..=4 => (computation(random, a, b, to), [Some(a), Some(b)]),
        5 => (insertion(random, a, b, to), [Some(a), Some(b)]),
        6 => {
            let when = self::guard(random);
            (Action::Select { when, a, b, to }, [Some(a), Some(b)])
        }
        7..=9 => (comparison(random, a, b), [Some(a), Some(b)]),
        10 | 11 => (combination(random), [None, None]),
        12 => {
            let (hit, to) = (pred(random), Some(to));
            let (map, a, b) = (0, Some(a), None);
            let action = Action::Lookup { map, a, b, to, hit };
            (action, [a, None])
        }
        13 => store_or_load(random, a, b, to),
        _ => leaving(random, a, b),
    };
    Some(Made {
        operation: Operation { guard, action },
        operands,
    })
}

fn below(random: &mut Random, count: u8) -> u8 {
    random.below(count.into()) as u8
}

fn pred(random: &mut Random) -> Pred {
    Pred(below(random, 16))
}

fn guard(random: &mut Random) -> Guard {
    Guard {
        pred: pred(random),
        negated: random.below(2) == 1,
    }
}

fn field(random: &mut Random, shape: &Shape) -> Field {
    let reg = Reg {
        bank: below(random, shape.lanes),
        index: below(random, shape.registers),
    };
    if random.below(3) == 0 {
        return Field::whole(reg);
    }
    let lo = below(random, 64);
    let width = 1 + below(random, 64 - lo);
    Field {
        reg,
        lo,
        width,
        swapped: width.is_multiple_of(8) && random.below(2) == 1,
        signed: random.below(2) == 1,
    }
}

/// Two operands; at most one is a number.
fn operands(random: &mut Random, shape: &Shape) -> (Operand, Operand) {
    let constant = Operand::Number(number(random));
    let mut any = || Operand::Field(field(random, shape));
    let (a, b) = (any(), any());
    match random.below(4) {
        0 => (constant, b),
        1 => (a, constant),
        _ => (a, b),
    }
}

fn computation(random: &mut Random, a: Operand, b: Operand, to: Reg) -> Action {
    Action::Compute {
        op: COMPUTES[random.below(8) as usize],
        width: 1 + below(random, 64),
        a,
        b,
        to,
    }
}

fn insertion(random: &mut Random, a: Operand, into: Operand, to: Reg) -> Action {
    let lo = below(random, 64);
    Action::Insert {
        a,
        into,
        lo,
        width: 1 + below(random, 64 - lo),
        to,
    }
}

fn test(random: &mut Random, a: Operand, b: Operand) -> Test {
    Test {
        condition: CONDITIONS[random.below(8) as usize],
        a,
        b,
    }
}

fn comparison(random: &mut Random, a: Operand, b: Operand) -> Action {
    let ways = [Into::Set, Into::Both, Into::And, Into::Or];
    Action::Compare {
        test: test(random, a, b),
        into: ways[random.below(4) as usize],
        yes: pred(random),
        no: pred(random),
    }
}

fn combination(random: &mut Random) -> Action {
    let ways = [Combine::And, Combine::Or, Combine::Xor];
    Action::Combine {
        op: ways[random.below(3) as usize],
        a: guard(random),
        b: guard(random),
        to: pred(random),
    }
}

type WithOperands = (Action, [Option<Operand>; 2]);

fn store_or_load(random: &mut Random, a: Operand, b: Operand, to: Reg) -> WithOperands {
    let (memory, offset, bytes) = (Memory::Packet, 0, 8);
    let base = match a {
        Operand::Field(field) => Some(field),
        Operand::Number(_) => None,
    };
    let at = base.map(Operand::Field);
    if random.below(2) == 0 {
        let action = Action::Load {
            memory,
            base,
            offset,
            bytes,
            to,
        };
        return (action, [at, None]);
    }
    let action = Action::Store {
        memory,
        base,
        offset,
        bytes,
        value: b,
    };
    (action, [at, Some(b)])
}

fn leaving(random: &mut Random, a: Operand, b: Operand) -> WithOperands {
    let when = test(random, a, b);
    let (is_tested, to) = (random.below(2) == 1, 7);
    if random.below(3) == 0 {
        let ending = Ending {
            forwarded: Some(true),
            outputs: None,
            way: Way::Back,
            leaving: false,
            each: None,
        };
        let (when, index) = (is_tested.then_some(when), (!is_tested).then_some(a));
        let action = Action::Exit {
            when,
            index,
            ending,
        };
        return (action, [Some(a), is_tested.then_some(b)]);
    }
    match is_tested {
        true => {
            let when = Some(when);
            (Action::Branch { when, to }, [Some(a), Some(b)])
        }
        false if random.below(2) == 0 => (Action::Branch { when: None, to }, [None, None]),
        false => (Action::Indirect { a }, [Some(a), None]),
    }
}

//! Operations and their words.

use crate::operations::Operations;
use hardpath_core::encode::layout::{self, Opcode};
use hardpath_core::encode::{decode, encode, fits, Bounds, Misfit};
use hardpath_core::isa::{
    Action, Compute, Condition, Ending, Field, Guard, Operand, Operation, Pred, Reg, Test, Way,
};
use hardpath_ir::structure::Memory;

fn reg(bank: u8, index: u8) -> Reg {
    Reg { bank, index }
}

fn whole(bank: u8, index: u8) -> Operand {
    Operand::Field(Field::whole(reg(bank, index)))
}

fn always(action: Action) -> Operation {
    Operation {
        guard: None,
        action,
    }
}

#[test]
fn every_kind_comes_back() {
    for (seed, opcode) in (0..).zip(Opcode::ALL) {
        let mut operations = Operations::new(seed, Bounds::MOST);
        for round in 0..500u32 {
            let lane = (round % 8) as u8;
            let operation = operations.of_kind(opcode, lane);
            let word = encode(&operation, lane).unwrap();
            let decoded = decode(word, lane, &Bounds::MOST);
            assert_eq!(decoded, Ok(operation), "{word:032x}");
        }
    }
}

#[test]
fn a_word_is_one_operation_or_none() {
    let mut operations = Operations::new(1, Bounds::MOST);
    let mut decoded = 0;
    let mut check = |word: u128, lane: u8| {
        if let Ok(operation) = decode(word, lane, &Bounds::MOST) {
            decoded += 1;
            assert_eq!(encode(&operation, lane), Ok(word), "{operation:?}");
        }
    };
    for _ in 0..2_000 {
        let operation = operations.any(3);
        let word = encode(&operation, 3).unwrap();
        (0..128).for_each(|bit| check(word ^ 1 << bit, 3));
    }
    for _ in 0..50_000 {
        // Of words with random bits everywhere few are any operation's, so most have zeros in some places.
        let mut random = || u128::from(operations.random.next());
        let (low, high) = (random(), random() << 64);
        let masks = [u128::MAX, 0xffff_ffff, u64::MAX.into(), !0 << 32];
        check((low | high) & masks[random() as usize % 4], 5);
        check(low & random() & random() | 0x3 << 10 & random(), 5);
    }
    assert!(decoded > 50_000, "{decoded}");
}

#[test]
fn fields_of_a_word_lie_side_by_side() {
    assert_eq!(layout::Bits { lo: 4, width: 3 }.mask(), 0x70);
    assert_eq!(layout::OPCODE.most(), 31);
    assert_eq!(layout::LAST.get(0xabcd_u128 << 96), 0xabcd);
    assert_eq!(layout::MAP.put(u64::MAX), layout::MAP.mask());
    assert_eq!(layout::B_NUMBER.lo, layout::A_NUMBER.lo + 32);
    assert_eq!(layout::LAST.lo, layout::B_NUMBER.lo + 32);
    for (code, opcode) in (1..).zip(Opcode::ALL) {
        assert_eq!(opcode as u64, code);
        assert_eq!(Opcode::with_code(code), Some(opcode));
    }
    assert_eq!(Opcode::with_code(0), None);
}

/// What stands in the words of 32 bits, the lowest first.
fn words(action: Action) -> [u32; 4] {
    let word = encode(&always(action), 0).unwrap();
    [0, 32, 64, 96].map(|lo| (word >> lo) as u32)
}

#[test]
fn numbers_stand_where_there_is_room() {
    let to = reg(0, 1);
    let move_of = |value| {
        let a = Operand::Number(value);
        words(Action::Move { a, to })
    };
    assert_eq!(move_of(5)[1..], [5, 0, 0]);
    assert_eq!(move_of(0x1_2345_6789)[1..], [0x2345_6789, 1, 0]);
    assert_eq!(move_of(-2i64 as u64)[1..], [0xffff_fffe, 0, 0]);
    let add = |a, b| Action::Compute {
        op: Compute::Add,
        width: 64,
        a,
        b,
        to,
    };
    let long = Operand::Number(0x1234_5678_9abc_def0);
    assert_eq!(
        words(add(whole(0, 0), long))[2..],
        [0x9abc_def0, 0x1234_5678]
    );
    let both = words(add(Operand::Number(7), long));
    assert_eq!(both[1..], [7, 0x9abc_def0, 0x1234_5678]);
    let misfit = |action| fits(&always(action)).unwrap_err().to_string();
    assert_eq!(
        misfit(add(long, whole(0, 0))),
        "operand a is 0x123456789abcdef0, and there is room for 32 bits, extended with zeros or with ones"
    );
}

#[test]
fn what_has_no_room_is_told() {
    let misfit = |action: Action| fits(&always(action)).unwrap_err().to_string();
    let number = Operand::Number;
    let store = |offset, bytes, value| Action::Store {
        memory: Memory::Packet,
        base: None,
        offset,
        bytes,
        value,
    };
    assert_eq!(
        misfit(store(0, 8, number(1 << 32))),
        "operand b is 0x100000000, and there is room for 32 bits, extended with zeros or with ones"
    );
    assert_eq!(
        misfit(store(1 << 17, 8, number(0))),
        "the offset is 131072, and has to be -131072 to 131071"
    );
    assert_eq!(
        misfit(store(0, 9, number(0))),
        "the number of bytes is 9, and has to be 1 to 8"
    );
    let field = |lo, width, swapped| {
        let reg = reg(0, 0);
        let (signed, to) = (false, reg);
        let field = Field {
            reg,
            lo,
            width,
            swapped,
            signed,
        };
        let a = Operand::Field(field);
        Action::Move { a, to }
    };
    assert_eq!(
        misfit(field(60, 5, false)),
        "operand a has 5 bits from bit 60 on, and there are bits 0 to 63"
    );
    assert_eq!(
        misfit(field(0, 12, true)),
        "operand a has 12 bits, which are no whole bytes to be swapped"
    );
    let ending = Ending {
        forwarded: None,
        outputs: Some(1 << 32),
        way: Way::Back,
        leaving: false,
        each: None,
    };
    assert_eq!(
        misfit(Action::Send { ending }),
        "the outputs are 0x100000000, and an ending has room for 32 bits"
    );
    let way = Way::Class(4);
    let ending = Ending {
        outputs: None,
        way,
        ..ending
    };
    assert_eq!(
        misfit(Action::Send { ending }),
        "there is no class 4: the last one is 3"
    );
}

#[test]
fn what_no_machine_has_is_told() {
    let move_to = |bank, index| Action::Move {
        a: Operand::Number(0),
        to: reg(bank, index),
    };
    let misfit = |operation: Operation| encode(&operation, 2).unwrap_err();
    let text = |action| misfit(always(action)).to_string();
    assert_eq!(text(move_to(1, 0)), "lane 2 cannot write bank 1");
    assert_eq!(
        text(move_to(2, 64)),
        "there is no register 64: the last one is 63"
    );
    let (when, to) = (None, layout::MOST_ROWS);
    assert_eq!(
        text(Action::Branch { when, to }),
        "there is no row 16384: the last one is 16383"
    );
    let guard = |pred, negated| Operation {
        guard: Some(Guard {
            pred: Pred(pred),
            negated,
        }),
        action: move_to(2, 0),
    };
    assert_eq!(misfit(guard(0, false)), Misfit::Always);
    assert_eq!(
        misfit(guard(16, false)).to_string(),
        "there is no predicate 16: the last one is 15"
    );
    assert!(encode(&guard(0, true), 2).is_ok());
}

#[test]
fn a_word_that_is_none_is_told_with_its_field() {
    let small = Bounds {
        lanes: 2,
        registers: 16,
        rows: 10,
        maps: 0,
    };
    let text = |word: u128| decode(word, 1, &small).unwrap_err().to_string();
    assert_eq!(text(0), "an operation has no code 0");
    assert_eq!(text(31), "an operation has no code 31");
    let a = whole(0, 3);
    let to = reg(1, 3);
    let moved = encode(&always(Action::Move { a, to }), 1).unwrap();
    assert!(decode(moved, 1, &small).is_ok());
    let index = layout::TO.put(16);
    assert_eq!(
        text(moved | index),
        "there is no register 19: the last one is 15"
    );
    let bank = layout::A_FIELD.put(2 << 6);
    assert_eq!(text(moved | bank), "there is no bank 2: the last one is 1");
    assert_eq!(
        text(moved | layout::A_FIELD.put(7 << 9)),
        "operand a has 64 bits from bit 7 on, and there are bits 0 to 63"
    );
    assert_eq!(
        text(moved | 1 << 90),
        "bit 90 means nothing in this operation, and is not 0"
    );
    assert_eq!(
        text(moved | layout::B_KIND.put(2)),
        "the operation has no operand b"
    );
    assert_eq!(
        text(moved & !layout::A_KIND.mask() & !layout::A_FIELD.mask()),
        "operand a is missing"
    );
    let a = Operand::Number(1);
    let number = encode(&always(Action::Move { a, to }), 1).unwrap();
    let negative = layout::A_KIND.put(1);
    assert_eq!(
        text(number | negative),
        "operand a is 0xffffffff00000001, which has a shorter form"
    );
    let (condition, b) = (Condition::Any, a);
    let when = Some(Test { condition, a, b });
    let branch = encode(&always(Action::Branch { when, to: 9 }), 1).unwrap();
    assert!(decode(branch, 1, &small).is_ok());
    let row = layout::TARGET.put(2);
    assert_eq!(text(branch | row), "there is no row 11: the last one is 9");
    let delete = layout::OPCODE.put(Opcode::Delete as u64);
    assert_eq!(text(delete), "there is no map");
}

//! Operands: every field, of numbers of all kinds, one a clock.

use crate::bench::Bench;
use crate::reference::{self, number};
use hardpath_core::hardware::operand::{operand, FieldIn};
use hardpath_core::isa::Field;
use hardpath_rtl::signals::Signals;
use hardpath_testkit::Random;
use std::collections::VecDeque;

/// All fields, by their first and last bits, in all ways that they can be read.
fn fields() -> Vec<Field<()>> {
    let mut fields = Vec::new();
    for lo in 0..64 {
        for width in 1..=64 - lo {
            for (swapped, signed) in [(false, false), (false, true), (true, false), (true, true)] {
                if !swapped || width % 8 == 0 {
                    fields.push(Field {
                        reg: (),
                        lo,
                        width,
                        swapped,
                        signed,
                    });
                }
            }
        }
    }
    fields
}

#[test]
fn every_field_is_what_the_instruction_set_says() {
    let mut bench = Bench::of(operand("operand"));
    let mut random = Random::new(1);
    // What is on its way: of clock t the field stands at the ports in t, the register's value in t + 1, the number in t + 4.
    let mut values: VecDeque<u64> = VecDeque::new();
    let mut numbers: VecDeque<u64> = [0; 4].into();
    let mut expected: VecDeque<Option<u64>> = [None; 5].into();
    let mut cases: Vec<Option<Field<()>>> = Vec::new();
    for field in fields() {
        cases.extend([Some(field), Some(field)]);
        if random.below(4) == 0 {
            cases.push(None);
        }
    }
    for case in &cases {
        let value = number(&mut random);
        let (field, value, constant) = match case {
            Some(field) => (FieldIn::of(field), value, 0),
            None => (FieldIn::of(&Field::whole(())), 0, value),
        };
        let result = case.map_or(constant, |field| reference::field(&field, value));
        field.map(&mut |name, _, value| bench.set(name, value));
        bench.set("value", values.pop_front().unwrap_or(0));
        values.push_back(value);
        bench.set("number", numbers.pop_front().unwrap());
        numbers.push_back(constant);
        bench.step();
        if let Some(want) = expected.pop_front().unwrap() {
            assert_eq!(bench.get("operand"), want);
        }
        expected.push_back(Some(result));
    }
}

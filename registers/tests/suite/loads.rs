//! Loading a program: what a processor says while it is loaded, and what a driver makes of that.

use crate::maps::design;
use hardpath_registers::load::{self, Loaded, NotLoaded};
use hardpath_registers::{register, Bus, Driver};
use std::collections::VecDeque;
use std::convert::Infallible;

const WAITS: u32 = 2;
const WRONG: u32 = 4;
const RUNS: u32 = 8;
const OLD: u32 = 32;

/// Says one status after the other, the last one for ever.
struct Processor {
    says: VecDeque<u32>,
    written: usize,
    /// What it said before the first word came.
    before_words: Vec<u32>,
}

impl Bus for Processor {
    type Error = Infallible;

    fn read32(&mut self, address: u64) -> Result<u32, Infallible> {
        let clocks = u64::from(register::LOAD_CLOCKS);
        let before = u64::from(register::LOAD_BEFORE);
        if address == clocks || address == before {
            return Ok(if address == clocks { 17 } else { 400 });
        }
        assert_eq!(address, u64::from(register::LOAD));
        let said = match self.says.len() {
            1 => self.says[0],
            _ => self.says.pop_front().expect("a status"),
        };
        if self.written == 0 {
            self.before_words.push(said);
        }
        Ok(said)
    }

    fn write32(&mut self, _: u64, _: u32) -> Result<(), Infallible> {
        self.written += 1;
        Ok(())
    }
}

fn driver(says: &[u32]) -> Driver<Processor> {
    let processor = Processor {
        says: says.iter().copied().collect(),
        written: 0,
        before_words: Vec::new(),
    };
    Driver::new(processor, design())
}

#[test]
fn a_load_waits_until_the_bank_is_free() {
    let mut driver = driver(&[RUNS | OLD, RUNS | OLD, RUNS, RUNS | WAITS, RUNS | OLD]);
    let loaded = load::load(&mut driver, &[1, 2, 3]).expect("the bus is there");
    let expected = Loaded {
        clocks: 17,
        before: 400,
        waits: false,
        old: true,
    };
    assert_eq!(loaded, Ok(expected));
    assert_eq!(load::before(&mut driver).expect("the bus is there"), None);
    let processor = driver.into_bus();
    assert_eq!(processor.before_words, [RUNS | OLD, RUNS | OLD, RUNS]);
    assert_eq!(processor.written, 4);
}

#[test]
fn packets_that_never_leave_keep_programs_out() {
    let mut driver = driver(&[RUNS | OLD]);
    let loaded = load::load(&mut driver, &[1]).expect("the bus is there");
    assert_eq!(loaded, Err(NotLoaded::Old));
    assert_eq!(driver.into_bus().written, 0);
}

#[test]
fn what_is_refused_has_its_reason() {
    for (says, why) in [
        (&[RUNS, RUNS | WRONG][..], NotLoaded::Refused),
        (&[RUNS, RUNS | WRONG | OLD], NotLoaded::Busy),
        (&[RUNS | WAITS], NotLoaded::Busy),
        (&[RUNS, RUNS | 1], NotLoaded::BrokenOff),
        (&[RUNS, RUNS | WAITS], NotLoaded::Waits),
    ] {
        let loaded = load::load(&mut driver(says), &[1]).expect("the bus is there");
        assert_eq!(loaded, Err(why), "{says:x?}");
    }
}

#[test]
fn how_many_packets_entered_is_known_when_those_of_before_have_left() {
    let mut driver = driver(&[RUNS | OLD, RUNS]);
    assert_eq!(load::before(&mut driver).expect("the bus is there"), None);
    let before = load::before(&mut driver).expect("the bus is there");
    assert_eq!(before, Some(400));
}

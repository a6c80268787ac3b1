//! Registers: every place reads every bank.

use crate::bench::Bench;
use hardpath_core::hardware::registers::{registers, Storage, READ_CLOCKS};
use hardpath_core::hardware::Shape;
use hardpath_rtl::signals::numbered;
use hardpath_testkit::Random;
use std::collections::VecDeque;

/// Stages from a row's reads to its writes, of the rows of this test.
const WRITE: usize = 5;

/// A row on its way.
#[derive(Clone, Default)]
struct Row {
    thread: u64,
    /// Of each place: bank and number, when it reads, and the value that it must get.
    reads: Vec<(Option<(usize, usize)>, u64)>,
    /// Of each lane: number and value.
    writes: Vec<Option<(usize, u64)>>,
}

struct Model {
    shape: Shape,
    /// By thread, bank and number.
    words: Vec<Vec<Vec<u64>>>,
}

impl Model {
    fn row(&mut self, random: &mut Random, thread: u64) -> Row {
        let shape = &self.shape;
        let words = &mut self.words[thread as usize];
        let mut any = |count: u8| random.below(count.into()) as usize;
        let reads = (0..shape.reads()).map(|_| {
            let register = (any(shape.lanes), any(shape.registers));
            match any(8) {
                0 => (None, 0),
                _ => (Some(register), words[register.0][register.1]),
            }
        });
        let reads = reads.collect();
        let lanes = 0..usize::from(shape.lanes);
        let writes = lanes.map(|_| (any(3) > 0).then(|| any(shape.registers)));
        let writes: Vec<Option<usize>> = writes.collect();
        let writes = writes.into_iter().enumerate().map(|(lane, index)| {
            index.map(|index| {
                words[lane][index] = random.next();
                (index, words[lane][index])
            })
        });
        Row {
            thread,
            reads,
            writes: writes.collect(),
        }
    }
}

fn give(bench: &mut Bench, shape: &Shape, reading: &Row, writing: &Row) {
    bench.set("read_thread", reading.thread);
    for (place, (register, _)) in reading.reads.iter().enumerate() {
        let (bank, index) = register.unwrap_or((0, 1));
        if shape.lanes > 1 {
            bench.set(&numbered("read_bank", place), bank as u64);
        }
        bench.set(&numbered("read_index", place), index as u64);
        bench.set(&numbered("reads", place), register.is_some().into());
    }
    for lane in 0..usize::from(shape.lanes) {
        let write = writing.writes.get(lane).copied().flatten();
        let (index, value) = write.unwrap_or((1, 0x55));
        bench.set(&numbered("writes", lane), write.is_some().into());
        bench.set(&numbered("write_thread", lane), writing.thread);
        bench.set(&numbered("write_index", lane), index as u64);
        bench.set(&numbered("write_value", lane), value);
    }
}

fn check(shape: Shape) {
    let mut bench = Bench::of(registers("registers", &shape));
    let bank = vec![0; shape.registers.into()];
    let banks = vec![bank; shape.lanes.into()];
    let mut model = Model {
        words: vec![banks; shape.threads.into()],
        shape: shape.clone(),
    };
    let mut random = Random::new(u64::from(shape.lanes) + u64::from(shape.threads));
    let mut rows: VecDeque<Row> = vec![Row::default(); WRITE + 1].into();
    // Every thread writes before any of its registers counts; a row's writes are there for the next one of its thread.
    for clock in 0..4000_u64 {
        let turns = u64::from(shape.threads).max(WRITE as u64 + 2);
        let thread = clock % turns;
        let row = match thread < shape.threads.into() {
            true => model.row(&mut random, thread),
            false => Row::default(),
        };
        rows.push_front(row);
        rows.truncate(WRITE + 1);
        give(&mut bench, &shape, &rows[0], &rows[WRITE]);
        bench.step();
        for (place, (_, want)) in rows[READ_CLOCKS as usize].reads.iter().enumerate() {
            assert_eq!(
                bench.get(&format!("values_{place}")),
                *want,
                "clock {clock}"
            );
        }
    }
}

#[test]
fn rows_read_what_earlier_rows_of_the_thread_wrote() {
    for lanes in [1, 2, 4, 8] {
        check(Shape::with_lanes(lanes));
    }
}

#[test]
fn lut_ram_does_the_same() {
    for (threads, registers) in [(4, 8), (8, 8), (16, 16)] {
        check(Shape {
            threads,
            registers,
            storage: Storage::Distributed,
            ..Shape::with_lanes(2)
        });
    }
}

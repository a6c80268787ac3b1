//! Whether verifier and check bite: rows with one change, which one of them must refuse unless packets see nothing of it.

use super::super::savings::Without;
use super::super::{make, Made};
use super::{check, Claim};
use crate::image::{Image, Machine};
use crate::interpreter::{Core, Ran, RowError};
use crate::isa::{Action, Operand, Operation, Pred, Reg};
use crate::rename::Names;
use crate::verifier::verify;
use hardpath_ir::maps::{self, Maps};
use hardpath_ir::Program;
use hardpath_packet::Fate;
use hardpath_testkit::programs::{control_flow, structured, Shape};
use hardpath_testkit::{packet, Random};

/// Programs of each kind on each core.
const PROGRAMS: u64 = 25;
/// Changes of each kind in each program.
const CHANGES: u64 = 4;
/// Packets that look for a difference.
const PACKETS: u64 = 40;
/// A changed program may go round for ever.
const MOST_ROWS: u64 = 2000;

/// What is changed.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Lanes,
    Up,
    Down,
    Rows,
    Register,
    Predicate,
    Guard,
    Condition,
    Number,
    Drop,
    Target,
}

const KINDS: [Kind; 11] = [
    Kind::Lanes,
    Kind::Up,
    Kind::Down,
    Kind::Rows,
    Kind::Register,
    Kind::Predicate,
    Kind::Guard,
    Kind::Condition,
    Kind::Number,
    Kind::Drop,
    Kind::Target,
];

/// What became of changed programs.
#[derive(Clone, Copy, Default, Debug)]
struct Count {
    all: u32,
    /// Refused by the verifier, and by the check, whatever the other one says.
    verifier: u32,
    check: u32,
    /// By one of them.
    caught: u32,
    /// Packets see the change.
    seen: u32,
}

impl Count {
    fn add(&mut self, other: &Count) {
        self.all += other.all;
        self.verifier += other.verifier;
        self.check += other.check;
        self.caught += other.caught;
        self.seen += other.seen;
    }
}

/// What packets see is refused, and of the rest most: what remains changes the order of what has none, or what nobody sees, as bytes of a
/// packet that is dropped.
#[test]
fn changed_rows_are_refused() {
    let mut counts = [Count::default(); KINDS.len()];
    for lanes in [1, 2, 4, 8] {
        for number in 0..4 * PROGRAMS {
            let mut random = Random::new(number * 10 + u64::from(lanes) + 77_000);
            let program = program(number % 4, &mut random);
            let machine = Machine::with_lanes(lanes);
            let Ok(made) = make(&program, &machine, Without::NOTHING) else {
                continue;
            };
            let judge = Judge::new(&made, &machine, &mut random);
            for (kind, count) in std::iter::zip(KINDS, &mut counts) {
                for _ in 0..CHANGES * kind.draws() {
                    count.add(&judge.change(kind, &mut random));
                }
            }
        }
    }
    let mut sum = Count::default();
    for (kind, count) in std::iter::zip(KINDS, &counts) {
        println!("{kind:?}: {count:?}");
        sum.add(count);
    }
    println!("all: {sum:?}");
    assert!(sum.all > 5000, "there is something to change");
    for (kind, count) in std::iter::zip(KINDS, &counts) {
        let least = kind.least();
        let rate = count.caught * 100 / count.all.max(1);
        assert!(rate >= least, "{kind:?}: {rate} % of {count:?}");
    }
}

impl Kind {
    /// Few operations have a guard or a condition: there one is looked for more often.
    fn draws(self) -> u64 {
        match self {
            Kind::Guard | Kind::Condition => 6,
            _ => 1,
        }
    }

    /// Of a hundred changes so many are caught at least. A lane or row more or less is often all the same.
    fn least(self) -> u32 {
        match self {
            Kind::Lanes | Kind::Up | Kind::Down => 60,
            Kind::Rows | Kind::Number | Kind::Predicate => 75,
            Kind::Drop => 85,
            Kind::Guard => 85,
            // Of a condition often only bytes depend that leave with no packet.
            Kind::Condition => 90,
            Kind::Register | Kind::Target => 95,
        }
    }
}

fn program(kind: u64, random: &mut Random) -> Program {
    let shape = Shape {
        operations: 12,
        ..Shape::default()
    };
    match kind {
        0 => control_flow(random, shape),
        1 => {
            let logic = true;
            control_flow(random, Shape { logic, ..shape })
        }
        2 => {
            let (memory, maps) = (true, true);
            let shape = Shape {
                memory,
                maps,
                ..shape
            };
            control_flow(random, shape)
        }
        _ => structured(random),
    }
}

/// Compares changed rows with those that they came of.
struct Judge<'a> {
    made: &'a Made,
    machine: &'a Machine,
    seed: u64,
    expected: (Vec<Result<Fate, RowError>>, maps::Image),
}

impl<'a> Judge<'a> {
    fn new(made: &'a Made, machine: &'a Machine, random: &mut Random) -> Judge<'a> {
        let seed = random.below(1 << 32);
        let expected = run(&made.compiled.image, seed);
        Judge {
            made,
            machine,
            seed,
            expected,
        }
    }

    fn change(&self, kind: Kind, random: &mut Random) -> Count {
        let mut image = self.made.compiled.image.clone();
        let mut count = Count::default();
        let changed = change(&mut image, kind, random);
        if changed.is_none() || image == self.made.compiled.image {
            return count;
        }
        let claim = Claim {
            code: &self.made.code,
            places: &self.made.places,
            starts: &self.made.starts,
        };
        let verified = verify(&image, self.machine).is_ok();
        // What has no form does not exist: nobody else looks at it.
        let exists = image.words().is_ok();
        let checked = !exists || check(&claim, &image).is_ok();
        count.all = 1;
        count.verifier = u32::from(!verified);
        count.check = u32::from(!checked);
        count.caught = u32::from(!verified || !checked);
        let seen = exists && run(&image, self.seed) != self.expected;
        count.seen = u32::from(seen);
        assert!(
            !seen || count.caught == 1,
            "{kind:?} is not caught:\n{}\n{}",
            crate::text::print(&self.made.compiled.image, None),
            crate::text::print(&image, None)
        );
        count
    }
}

fn run(image: &Image, seed: u64) -> (Vec<Result<Fate, RowError>>, maps::Image) {
    let mut random = Random::new(seed);
    let mut maps = Maps::new(&image.maps);
    let mut core = Core::new(image);
    let fates = (0..PACKETS).map(|_| {
        let (packet, sideband) = packet(&mut random);
        let ran = core.run(MOST_ROWS, &mut maps, &packet, &sideband);
        ran.map(|ran: Ran| ran.fate)
    });
    let fates = fates.collect();
    (fates, maps.image())
}

/// An operation's place.
type Place = (usize, usize);

/// Changes one thing; `None`: there is nothing of that kind here.
fn change(image: &mut Image, kind: Kind, random: &mut Random) -> Option<()> {
    let rows = image.rows.len();
    let places = image.rows.iter().enumerate();
    let places = places.flat_map(|(row, all)| {
        all.operations()
            .map(move |(lane, _)| (row, usize::from(lane)))
    });
    let places: Vec<Place> = places.collect();
    let at @ (row, lane) = *random.pick(&places);
    match kind {
        Kind::Lanes => {
            let other = random.below(image.lanes.into()) as usize;
            image.rows[row].lanes.swap(lane, other);
        }
        Kind::Up => move_to(image, at, row.checked_sub(1)?),
        Kind::Down if row + 1 < rows => move_to(image, at, row + 1),
        Kind::Down => return None,
        Kind::Rows if row + 1 < rows => image.rows.swap(row, row + 1),
        Kind::Rows => return None,
        Kind::Drop => image.rows[row].lanes[lane] = None,
        _ => {
            let registers = image.registers;
            let op = image.rows[row].lanes[lane].as_mut()?;
            change_operation(op, kind, (registers, rows), random)?;
        }
    }
    Some(())
}

/// Into another row of its lane, in exchange for what stands there.
fn move_to(image: &mut Image, (row, lane): Place, other: usize) {
    let there = image.rows[other].lanes[lane].take();
    let here = std::mem::replace(&mut image.rows[row].lanes[lane], there);
    image.rows[other].lanes[lane] = here;
}

fn change_operation(
    op: &mut Operation,
    kind: Kind,
    (registers, rows): (u8, usize),
    random: &mut Random,
) -> Option<()> {
    match kind {
        Kind::Register | Kind::Predicate => {
            // Of which one, is counted first.
            let mut names = Renamed::default();
            op.rename(&mut names);
            let is_reg = matches!(kind, Kind::Register);
            let count = if is_reg { names.regs } else { names.preds };
            if count == 0 {
                return None;
            }
            let which = random.below(count) as u32 + 1;
            let limit = if is_reg { registers.min(8) } else { 6 };
            let to = random.below(limit.into()) as u8;
            *op = op.rename(&mut Renamed {
                reg: is_reg.then_some((which, to)),
                pred: (!is_reg).then_some((which, to)),
                ..Renamed::default()
            });
        }
        Kind::Guard => {
            let guard = op.guard.as_mut()?;
            guard.negated = !guard.negated;
        }
        Kind::Condition => {
            let test = match &mut op.action {
                Action::Compare { test, .. } => test,
                Action::Branch { when, .. } | Action::Exit { when, .. } => when.as_mut()?,
                _ => return None,
            };
            test.condition = test.condition.inverse();
        }
        Kind::Number => number(&mut op.action, random)?,
        Kind::Target => {
            let Action::Branch { to, .. } = &mut op.action else {
                return None;
            };
            *to = random.below(rows as u64) as u32;
        }
        _ => unreachable!("the others change rows"),
    }
    Some(())
}

/// Another number in place of one that there is.
fn number(action: &mut Action, random: &mut Random) -> Option<()> {
    let by = random.below(3) + 1;
    match action {
        Action::Load { offset, .. } | Action::Store { offset, .. } => *offset += by as i32,
        Action::Move {
            a: Operand::Number(number),
            ..
        }
        | Action::Compute {
            b: Operand::Number(number),
            ..
        }
        | Action::Put {
            a: Operand::Number(number),
            ..
        } => *number ^= by,
        Action::Compute { width, .. } if *width > 3 => *width -= by as u8,
        Action::MapLoad { offset, .. } | Action::MapStore { offset, .. } => *offset += by as u32,
        _ => return None,
    }
    Some(())
}

/// Gives one of an operation's names, by its place among them from 1 on, another number; and counts them.
#[derive(Default)]
struct Renamed {
    regs: u64,
    preds: u64,
    reg: Option<(u32, u8)>,
    pred: Option<(u32, u8)>,
}

impl Renamed {
    fn reg(&mut self, reg: Reg) -> Reg {
        self.regs += 1;
        match self.reg {
            Some((which, index)) if u64::from(which) == self.regs => Reg { index, ..reg },
            _ => reg,
        }
    }

    fn pred(&mut self, pred: Pred) -> Pred {
        self.preds += 1;
        match self.pred {
            Some((which, index)) if u64::from(which) == self.preds => Pred(index),
            _ => pred,
        }
    }
}

impl Names<Reg, Pred, u32> for Renamed {
    type Reg = Reg;
    type Pred = Pred;
    type Place = u32;

    fn read(&mut self, reg: Reg) -> Reg {
        self.reg(reg)
    }

    fn write(&mut self, reg: Reg) -> Reg {
        self.reg(reg)
    }

    fn ask(&mut self, pred: Pred) -> Pred {
        self.pred(pred)
    }

    fn decide(&mut self, pred: Pred, _: bool) -> Pred {
        self.pred(pred)
    }

    fn place(&mut self, place: u32) -> u32 {
        place
    }
}

//! Rules 13 to 15: what is there to be read.

use super::row::decided;
use super::{always_leaves, At, Check};
use crate::encode::destination;
use crate::isa::{exit, Action, Buffer, Ending, Into, Operation, Pred, Reg, Way, MOST_REGISTERS};
use crate::rename::Names;
use hardpath_ir::{AtomicOp, MapDecl, MapId, Output};

/// What is there: a bit for each register, predicate and word.
#[derive(Clone, PartialEq, Eq)]
struct There(Vec<u64>);

/// Something that can be there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Item {
    Reg(Reg),
    Pred(Pred),
    Word(Buffer, u16),
}

/// Which bit is whose.
struct Layout {
    /// Of the first word of each buffer, and behind the last one.
    buffers: [usize; 5],
}

const BUFFERS: [Buffer; 4] = [Buffer::Key, Buffer::Value, Buffer::May, Buffer::Exit];
/// Registers have the first bits, then predicates, then words.
const REGISTERS: usize = MOST_REGISTERS as usize * crate::isa::MOST_LANES as usize;
const WORDS: usize = REGISTERS + crate::isa::PREDICATES as usize;

impl Layout {
    fn bit(&self, item: Item) -> usize {
        match item {
            Item::Reg(reg) => {
                usize::from(reg.bank) * usize::from(MOST_REGISTERS) + usize::from(reg.index)
            }
            Item::Pred(pred) => REGISTERS + usize::from(pred.0),
            Item::Word(buffer, at) => self.buffers[buffer as usize] + usize::from(at),
        }
    }
}

impl There {
    fn has(&self, bit: usize) -> bool {
        self.0[bit / 64] >> (bit % 64) & 1 == 1
    }

    fn add(&mut self, bit: usize) {
        self.0[bit / 64] |= 1 << (bit % 64);
    }

    fn remove(&mut self, bit: usize) {
        self.0[bit / 64] &= !(1 << (bit % 64));
    }

    /// Keeps what the other one has, too, and says whether that is less.
    fn meet(&mut self, other: &There) -> bool {
        let before = self.clone();
        let words = std::iter::zip(&mut self.0, &other.0);
        words.for_each(|(word, other)| *word &= other);
        *self != before
    }
}

/// What an operation reads.
#[derive(Default)]
struct Reads(Vec<Item>);

impl Names<Reg, Pred, u32> for Reads {
    type Reg = Reg;
    type Pred = Pred;
    type Place = u32;

    fn read(&mut self, reg: Reg) -> Reg {
        self.0.push(Item::Reg(reg));
        reg
    }

    fn write(&mut self, reg: Reg) -> Reg {
        reg
    }

    fn ask(&mut self, pred: Pred) -> Pred {
        self.0.push(Item::Pred(pred));
        pred
    }

    fn decide(&mut self, pred: Pred, _: bool) -> Pred {
        pred
    }

    fn place(&mut self, place: u32) -> u32 {
        place
    }
}

impl Check<'_> {
    pub(super) fn there(&mut self) {
        let layout = self.layout();
        let rows = self.image.rows.len();
        let mut at: Vec<Option<There>> = vec![None; rows];
        at[0] = Some(self.start(&layout));
        let mut open = vec![0];
        while let Some(row) = open.pop() {
            let Some(there) = at[row].clone() else {
                continue;
            };
            self.row(row, there, &layout, |to, there| {
                let less = match &mut at[to] {
                    Some(known) => known.meet(there),
                    none => {
                        *none = Some(there.clone());
                        true
                    }
                };
                if less {
                    open.push(to);
                }
            });
        }
        for (row, there) in at.into_iter().enumerate() {
            let Some(there) = there else {
                continue;
            };
            let mut missing = self.row(row, there, &layout, |_, _| {});
            missing.dedup();
            for (lane, item) in missing {
                let (rule, message) = told(item);
                self.error(rule, At::Lane(row, lane), message);
            }
        }
    }

    /// Room for all words that are put or taken.
    fn layout(&self) -> Layout {
        let mut most = [0; 4];
        let mut count = |item: Item| {
            if let Item::Word(buffer, at) = item {
                let most = &mut most[buffer as usize];
                *most = usize::from(at + 1).max(*most);
            }
        };
        for (_, _, op) in self.operations() {
            self.taken(op).into_iter().for_each(&mut count);
            put(op).into_iter().for_each(&mut count);
        }
        let mut buffers = [WORDS; 5];
        for (place, most) in most.into_iter().enumerate() {
            buffers[place + 1] = buffers[place] + most;
        }
        Layout { buffers }
    }

    /// When a packet begins.
    fn start(&self, layout: &Layout) -> There {
        let mut there = There(vec![0; layout.buffers[4].div_ceil(64)]);
        there.add(layout.bit(Item::Pred(Pred(0))));
        there
    }

    /// Walks a row from what is there in front of it, and gives what is missing. `goes` hears where control may go, with what is there
    /// then.
    fn row(
        &self,
        row: usize,
        mut there: There,
        layout: &Layout,
        mut goes: impl FnMut(usize, &There),
    ) -> Vec<(u8, Item)> {
        let before = there.clone();
        let mut missing = Vec::new();
        for (lane, op) in self.image.rows[row].operations() {
            let mut reads = Reads::default();
            op.rename(&mut reads);
            for item in reads.0 {
                if !before.has(layout.bit(item)) {
                    missing.push((lane, item));
                }
            }
            for item in self.taken(op) {
                if !there.has(layout.bit(item)) {
                    missing.push((lane, item));
                }
            }
            match op.action {
                Action::Branch { to, .. } => goes(to as usize, &there),
                Action::Indirect { .. } => {
                    let rows = 0..self.image.rows.len();
                    rows.for_each(|to| goes(to, &there));
                }
                _ => {}
            }
            if always_leaves(op) {
                return missing;
            }
            self.done(op, &mut there, layout);
        }
        goes(row + 1, &there);
        missing
    }

    /// What is there behind an operation.
    fn done(&self, op: &Operation, there: &mut There, layout: &Layout) {
        for buffer in emptied(&op.action) {
            let place = buffer as usize;
            let words = layout.buffers[place]..layout.buffers[place + 1];
            words.for_each(|bit| there.remove(bit));
        }
        // What may stay as it was is there if it was before.
        let regs = destination(&op.action).map(Item::Reg).into_iter();
        let preds = decided(&op.action).into_iter();
        let decided = preds.filter_map(|(pred, into)| match into {
            Some(Into::Both) => Some(Item::Pred(pred)),
            Some(Into::And | Into::Or) => None,
            _ => op.guard.is_none().then_some(Item::Pred(pred)),
        });
        let happens = op.guard.is_none();
        let others = put(op).into_iter().chain(regs).filter(|_| happens);
        for item in others.chain(decided) {
            there.add(layout.bit(item));
        }
    }

    /// The words of buffers that an operation takes and does not have itself.
    fn taken(&self, op: &Operation) -> Vec<Item> {
        let map = |map: u8| &self.image.maps[MapId::from_u32(map.into())];
        let rest = |buffer: Buffer, bytes: u32, given: [bool; 2]| {
            let words = 0..bytes.div_ceil(8) as u16;
            let missing =
                words.filter(move |at| !given.get(usize::from(*at)).is_some_and(|given| *given));
            missing.map(move |at| Item::Word(buffer, at))
        };
        let key = |decl: &MapDecl, given: [bool; 2]| rest(Buffer::Key, decl.key_bytes, given);
        match op.action {
            Action::Lookup { map: at, a, b, .. } | Action::Delete { map: at, a, b, .. } => {
                key(map(at), [a.is_some(), b.is_some()]).collect()
            }
            Action::Update {
                map: at, a, b, may, ..
            } => {
                let decl = map(at);
                let value = rest(Buffer::Value, decl.value_bytes, [b.is_some(), false]);
                let may = may.is_none().then_some(Item::Word(Buffer::May, 0));
                let key = key(decl, [a.is_some(), false]);
                key.chain(value).chain(may).collect()
            }
            Action::Atomic {
                op: AtomicOp::CmpXchg,
                ..
            }
            | Action::Copy { .. } => vec![Item::Word(Buffer::Value, 0)],
            Action::Exit { ending, .. } | Action::Send { ending } => self.ending(&ending),
            _ => Vec::new(),
        }
    }

    fn ending(&self, ending: &Ending) -> Vec<Item> {
        let mut words = Vec::new();
        if ending.way == Way::Buffer {
            words.push(exit::WAY);
        }
        if ending.leaving {
            words.push(exit::LEAVING);
        }
        if ending.forwarded.is_none() || ending.each.is_some() {
            words.push(exit::FLAGS);
        }
        if ending.outputs.is_none() {
            let ends = Output::places(&self.image.outputs).map(|(lo, output)| lo + output.width);
            let bits = ends.last().unwrap_or(0);
            words.extend((0..bits.div_ceil(64) as u16).map(|at| exit::OUTPUTS + at));
        }
        let words = words.into_iter();
        words.map(|at| Item::Word(Buffer::Exit, at)).collect()
    }
}

/// The words that an operation puts.
fn put(op: &Operation) -> Vec<Item> {
    match op.action {
        Action::Put { buffer, at, b, .. } => {
            let words = at..=at + u16::from(b.is_some());
            words.map(|at| Item::Word(buffer, at)).collect()
        }
        _ => Vec::new(),
    }
}

/// The buffers in which nothing is left behind an operation.
pub(super) fn emptied(action: &Action) -> Vec<Buffer> {
    match action {
        Action::Lookup { .. } | Action::Delete { .. } => vec![Buffer::Key],
        Action::Update { .. } => BUFFERS[..3].to_vec(),
        Action::Atomic {
            op: AtomicOp::CmpXchg,
            ..
        }
        | Action::Copy { .. } => vec![Buffer::Value],
        _ => Vec::new(),
    }
}

/// The rule that is broken where something is missing, and how to say it.
fn told(item: Item) -> (u32, String) {
    let missing = |what: String| format!("{what} is read, and not written on every way here");
    match item {
        Item::Reg(reg) => (15, missing(format!("r{}.{}", reg.bank, reg.index))),
        Item::Pred(pred) => (15, missing(format!("p{}", pred.0))),
        Item::Word(Buffer::Exit, at) => (14, missing(format!("word {at} of the exit's buffer"))),
        Item::Word(buffer, at) => {
            let name = match buffer {
                Buffer::Key => "key",
                Buffer::Value => "value",
                _ => "may",
            };
            (13, missing(format!("word {at} of the buffer `{name}`")))
        }
    }
}

//! Runs an image row by row: the executable meaning of [`crate::isa`].
//!
//! One packet runs after the other. How many are in a core at once, and what each row costs there, is the hardware's business.

mod compute;
mod ending;
mod maps;

use crate::image::{Image, Row};
use crate::isa::{
    Action, Buffer, Combine, Field, Guard, Into, Operand, Pred, Reg, Test, MOST_REGISTERS,
};
pub use compute::{compute, low};
use ending::Parting;
use hardpath_ir::interpreter::{checksum, PacketMemory};
use hardpath_ir::maps::Maps;
use hardpath_ir::structure::Memory;
use hardpath_ir::Input;
use hardpath_packet::{Fate, Sideband};
use std::fmt;

/// The most rows of a packet, where nobody says another number.
pub const MOST_ROWS: u64 = 1 << 24;

/// What a packet came to.
#[derive(Clone, PartialEq, Debug)]
pub struct Ran {
    /// What became of it.
    pub fate: Fate,
    /// Rows that it took.
    pub rows: u64,
    /// Operations that happened in them.
    pub operations: u64,
}

/// Why a program did not come to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RowError {
    /// It takes more rows.
    Rows {
        /// The most.
        most: u64,
    },
    /// There is no such row.
    NoRow {
        /// Which one.
        row: u64,
    },
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RowError::Rows { most } => write!(f, "the program takes more than {most} rows"),
            RowError::NoRow { row } => {
                write!(f, "the program goes to row {row}, which is not there")
            }
        }
    }
}

/// An image made ready to run, with the state of its last packet.
#[derive(Clone, Debug)]
pub struct Core<'a> {
    image: &'a Image,
    registers: Vec<u64>,
    predicates: u32,
    stack: Vec<u8>,
    packet: PacketMemory,
    /// By [`Buffer`].
    buffers: [Vec<u64>; 4],
    length: usize,
    sideband: Sideband,
    /// Further copies that will leave.
    sent: Vec<Parting>,
}

/// What a row writes when all of it has read.
#[derive(Default)]
struct Written {
    registers: Vec<(Reg, u64)>,
    predicates: Vec<(Pred, bool)>,
    /// Bytes, each with its offset.
    bytes: Vec<(Memory, u64, u8)>,
    /// The packet's memory becomes zeros from here on, in front of this row's bytes.
    clear: Option<i64>,
}

/// What follows an operation.
enum Next {
    /// The one in the next lane.
    Lane,
    Row(u64),
    End(Parting),
}

impl<'a> Core<'a> {
    /// Of an image that the verifier has nothing to say of.
    pub fn new(image: &'a Image) -> Core<'a> {
        let registers = usize::from(image.lanes) * usize::from(MOST_REGISTERS);
        Core {
            image,
            registers: vec![0; registers],
            predicates: 1,
            stack: vec![0; image.stack as usize],
            packet: PacketMemory::new(image.limits),
            buffers: Default::default(),
            length: 0,
            sideband: Sideband::default(),
            sent: Vec::new(),
        }
    }

    /// Runs the program on one packet. The maps must be those of the program.
    ///
    /// # Errors
    /// It takes more rows, or goes where there is none.
    pub fn run(
        &mut self,
        most_rows: u64,
        maps: &mut Maps,
        packet: &[u8],
        sideband: &Sideband,
    ) -> Result<Ran, RowError> {
        maps.begin_packet();
        self.start(packet, sideband);
        let image = self.image;
        let (mut at, mut rows, mut operations) = (0_u64, 0, 0);
        loop {
            if rows == most_rows {
                return Err(RowError::Rows { most: most_rows });
            }
            let row = usize::try_from(at).ok();
            let Some(row) = row.and_then(|row| image.rows.get(row)) else {
                return Err(RowError::NoRow { row: at });
            };
            rows += 1;
            match self.row(row, maps, &mut operations) {
                Next::Lane => at += 1,
                Next::Row(row) => at = row,
                Next::End(parting) => {
                    let fate = self.fate(&parting, maps);
                    return Ok(Ran {
                        fate,
                        rows,
                        operations,
                    });
                }
            }
        }
    }

    fn start(&mut self, packet: &[u8], sideband: &Sideband) {
        self.registers.fill(0);
        self.predicates = 1;
        self.stack.fill(0);
        self.packet.load(packet);
        self.buffers.iter_mut().for_each(Vec::clear);
        self.sent.clear();
        self.length = packet.len();
        self.sideband = *sideband;
    }

    fn input(&self, input: Input) -> u64 {
        let sideband = &self.sideband;
        match input {
            Input::Length => self.length as u64 & 0xffff,
            Input::Ingress => sideband.ingress.into(),
            Input::Queue => sideband.queue.into(),
            Input::Egress => sideband.egress.into(),
            Input::Time => sideband.time_ns,
            Input::Random => sideband.random.into(),
            Input::Sum => unreachable!("rows do not ask for it"),
            Input::Own { lo, width } => {
                low(sideband.own.checked_shr(lo.into()).unwrap_or(0), width)
            }
        }
    }

    fn row(&mut self, row: &Row, maps: &mut Maps, operations: &mut u64) -> Next {
        let mut written = Written::default();
        let mut next = Next::Lane;
        for (_, operation) in row.operations() {
            let holds = operation.guard.is_none_or(|guard| self.holds(guard));
            *operations += u64::from(holds);
            match holds {
                true => next = self.act(&operation.action, maps, &mut written),
                false => self.pass(&operation.action, &mut written),
            }
            if !matches!(next, Next::Lane) {
                break;
            }
        }
        self.write(written);
        next
    }

    fn write(&mut self, written: Written) {
        for (reg, value) in written.registers {
            self.registers[place(reg)] = value;
        }
        for (pred, bit) in written.predicates {
            self.predicates = self.predicates & !(1 << pred.0) | u32::from(bit) << pred.0;
        }
        self.predicates |= 1;
        if let Some(from) = written.clear {
            self.packet.clear_from(from);
        }
        for (memory, offset, byte) in written.bytes {
            match memory {
                Memory::Packet => self.packet.set_byte(offset, byte),
                Memory::Stack => {
                    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
                    if let Some(to) = self.stack.get_mut(offset) {
                        *to = byte;
                    }
                }
            }
        }
    }

    /// What an operation does whose guard does not hold.
    fn pass(&self, action: &Action, written: &mut Written) {
        if let Action::Compare {
            into: Into::Both,
            yes,
            no,
            ..
        } = *action
        {
            written.predicates.extend([(yes, false), (no, false)]);
        }
    }

    fn act(&mut self, action: &Action, maps: &mut Maps, written: &mut Written) -> Next {
        match *action {
            Action::Branch { when, to } => {
                if when.is_none_or(|test| self.test(&test)) {
                    return Next::Row(to.into());
                }
            }
            Action::Indirect { a } => return Next::Row(self.operand(a)),
            Action::Exit {
                when,
                index,
                ending,
            } => {
                if when.is_none_or(|test| self.test(&test)) {
                    let index = index.map(|index| self.operand(index));
                    return Next::End(self.parting(&ending, index));
                }
            }
            Action::Send { ending } => {
                let parting = self.parting(&ending, None);
                self.sent.push(parting);
            }
            Action::Put { buffer, at, a, b } => {
                self.put(buffer, at, a);
                if let Some(b) = b {
                    self.put(buffer, at + 1, b);
                }
            }
            Action::Load { .. }
            | Action::Store { .. }
            | Action::Clear { .. }
            | Action::Checksum { .. }
            | Action::Copy { .. } => self.act_on_memory(action, written),
            Action::Compare { .. } | Action::Combine { .. } => self.decide(action, written),
            Action::Move { .. }
            | Action::Input { .. }
            | Action::Compute { .. }
            | Action::Insert { .. }
            | Action::Select { .. } => {
                let (to, value) = self.value(action);
                written.registers.push((to, value));
            }
            _ => self.act_on_map(action, maps, written),
        }
        Next::Lane
    }

    /// What an operation on registers gives.
    fn value(&self, action: &Action) -> (Reg, u64) {
        match *action {
            Action::Move { a, to } => (to, self.operand(a)),
            Action::Input { input, to } => (to, self.input(input)),
            Action::Compute {
                op,
                width,
                a,
                b,
                to,
            } => {
                let result = compute(op, self.operand(a), self.operand(b));
                (to, low(result, width))
            }
            Action::Insert {
                a,
                into,
                lo,
                width,
                to,
            } => {
                let mask = low(u64::MAX, width) << lo;
                let value = self.operand(into) & !mask | self.operand(a) << lo & mask;
                (to, value)
            }
            Action::Select { when, a, b, to } => {
                let chosen = if self.holds(when) { a } else { b };
                (to, self.operand(chosen))
            }
            _ => unreachable!("only operations on registers come here"),
        }
    }

    fn decide(&self, action: &Action, written: &mut Written) {
        match *action {
            Action::Compare {
                test,
                into,
                yes,
                no,
            } => {
                let outcome = self.test(&test);
                match into {
                    Into::Set | Into::Both => {
                        written.predicates.extend([(yes, outcome), (no, !outcome)]);
                    }
                    Into::And if !outcome => written.predicates.push((yes, false)),
                    Into::Or if outcome => written.predicates.push((yes, true)),
                    Into::And | Into::Or => {}
                }
            }
            Action::Combine { op, a, b, to } => {
                let (a, b) = (self.holds(a), self.holds(b));
                let bit = match op {
                    Combine::And => a && b,
                    Combine::Or => a || b,
                    Combine::Xor => a != b,
                };
                written.predicates.push((to, bit));
            }
            _ => unreachable!("only operations on predicates come here"),
        }
    }

    fn act_on_memory(&self, action: &Action, written: &mut Written) {
        match *action {
            Action::Load {
                memory,
                base,
                offset,
                bytes,
                to,
            } => {
                let offset = self.offset(base, offset);
                let value = self.bytes(memory, offset, bytes.into());
                written.registers.push((to, number(value)));
            }
            Action::Store {
                memory,
                base,
                offset,
                bytes,
                value,
            } => {
                let (offset, value) = (self.offset(base, offset), self.operand(value));
                let bytes = value.to_le_bytes().into_iter().take(bytes.into());
                write_all(written, memory, offset, bytes);
            }
            Action::Clear { from } => written.clear = Some(self.operand(from) as i64),
            Action::Checksum {
                memory,
                a,
                b,
                up_to,
                to,
            } => {
                let length = (self.operand(b) & 0xffff).min(up_to.into());
                let bytes: Vec<u8> = self.bytes(memory, self.operand(a), length).collect();
                written.registers.push((to, checksum(&bytes, 0).into()));
            }
            Action::Copy {
                from,
                into,
                a,
                b,
                up_to,
            } => {
                let length = (self.word(Buffer::Value, 0) & 0xffff).min(up_to.into());
                let bytes = self.bytes(from, self.operand(a), length);
                write_all(written, into, self.operand(b), bytes);
            }
            _ => unreachable!("only operations on memory come here"),
        }
    }

    fn bytes(&self, memory: Memory, offset: u64, count: u64) -> impl Iterator<Item = u8> + '_ {
        (0..count).map(move |byte| {
            let offset = offset.wrapping_add(byte);
            match memory {
                Memory::Packet => self.packet.byte(offset),
                Memory::Stack => {
                    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
                    self.stack.get(offset).copied().unwrap_or(0)
                }
            }
        })
    }

    fn offset(&self, base: Option<Field>, offset: i32) -> u64 {
        let base = base.map_or(0, |base| self.field(base));
        base.wrapping_add(i64::from(offset) as u64)
    }

    fn holds(&self, guard: Guard) -> bool {
        (self.predicates >> guard.pred.0 & 1 == 1) != guard.negated
    }

    fn test(&self, test: &Test) -> bool {
        let (a, b) = (self.operand(test.a), self.operand(test.b));
        test.condition.holds(a, b)
    }

    fn operand(&self, operand: Operand) -> u64 {
        match operand {
            Operand::Field(field) => self.field(field),
            Operand::Number(number) => number,
        }
    }

    fn field(&self, field: Field) -> u64 {
        compute::field(self.registers[place(field.reg)], &field)
    }

    fn put(&mut self, buffer: Buffer, at: u16, value: Operand) {
        let value = self.operand(value);
        let words = &mut self.buffers[buffer as usize];
        let at = usize::from(at);
        if words.len() <= at {
            words.resize(at + 1, 0);
        }
        words[at] = value;
    }

    fn word(&self, buffer: Buffer, at: u16) -> u64 {
        let words = &self.buffers[buffer as usize];
        words.get(usize::from(at)).copied().unwrap_or(0)
    }
}

fn write_all(written: &mut Written, memory: Memory, offset: u64, bytes: impl Iterator<Item = u8>) {
    let bytes = (0..).zip(bytes);
    let placed = bytes.map(|(at, byte)| (memory, offset.wrapping_add(at), byte));
    written.bytes.extend(placed);
}

/// Up to 8 bytes as a number.
fn number(bytes: impl Iterator<Item = u8>) -> u64 {
    let bytes = (0..).zip(bytes);
    bytes.fold(0, |sum, (at, byte)| sum | u64::from(byte) << (8 * at))
}

fn place(reg: Reg) -> usize {
    usize::from(reg.bank) * usize::from(MOST_REGISTERS) + usize::from(reg.index)
}

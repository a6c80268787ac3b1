//! What is known of the stack's bytes: which were never written, and what the others hold.
//!
//! Numbers are in the IR's stack memory, too; what is known here only saves a load, or gives it bounds. A pointer is
//! only here: it is no number.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::range::{mask, Range};
use super::state::{AbstractValue, Operand};

/// Frames of functions that call each other (`MAX_CALL_FRAMES`).
pub const MAX_FRAMES: u32 = 8;
/// As long as the size of the frames is not known, each gets a stack of its own.
pub const LARGEST_BYTES: usize = MAX_FRAMES as usize * hardpath_kernel::xdp::STACK_BYTES as usize;

/// A pointer that was stored on the stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spill {
    pub value: AbstractValue,
    /// Bytes of the slot that still belong to the pointer, one bit each; never 0.
    pub bytes: u8,
}

/// A number of 1 to 8 bytes on the stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word {
    pub bytes: u32,
    pub content: Content,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// As wide as the word.
    Number(Operand),
    /// Some number in these bounds.
    Within(Range),
}

/// What a load of 1 to 8 bytes finds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    Constant(u64),
    /// Bits `8 · bytes + low_bit − 1 .. low_bit` of an operand of `width` bits.
    Part {
        operand: Operand,
        width: u32,
        low_bit: u32,
    },
    Within(Range),
    Unknown,
}

#[derive(Clone, Debug)]
pub struct Stack {
    /// By 8-byte slot.
    pub spills: Rc<BTreeMap<u32, Spill>>,
    /// By first byte; no two overlap.
    words: Rc<BTreeMap<u32, Word>>,
    /// Bytes that may be anything but zero, one bit each.
    written: [u64; LARGEST_BYTES / 64],
}

/// Gives the bounds of an operand of a width.
pub type Bounds<'a> = dyn Fn(Operand, u32) -> Range + 'a;

/// The stack on one of several paths that meet.
pub struct Path<'a> {
    pub stack: &'a Stack,
    /// Of operands, on that path.
    pub bounds: &'a Bounds<'a>,
}

impl Stack {
    /// All zeros.
    pub fn new() -> Stack {
        Stack {
            spills: Rc::default(),
            words: Rc::default(),
            written: [0; LARGEST_BYTES / 64],
        }
    }

    /// Notes a store at an offset on the stack. What is wider than 8 bytes is not kept.
    pub fn store(&mut self, offset: u32, bytes: u32, value: Operand) {
        self.forget(offset, bytes);
        if bytes <= 8 {
            let content = Content::Number(value);
            Rc::make_mut(&mut self.words).insert(offset, Word { bytes, content });
        }
    }

    /// Keeps a pointer in a slot of 8 bytes.
    pub fn spill(&mut self, slot: u32, value: AbstractValue) {
        self.forget(slot * 8, 8);
        Rc::make_mut(&mut self.spills).insert(slot, Spill { value, bytes: 0xff });
    }

    /// What these bytes (1 to 8) are, when no pointer is among them.
    pub fn load(&self, offset: u32, bytes: u32) -> Found {
        if let Some((start, word)) = self.word_at(offset) {
            let distance = offset - start;
            match word.content {
                Content::Number(Operand::Const(_)) => {}
                Content::Number(operand) if distance + bytes <= word.bytes => {
                    return Found::Part {
                        operand,
                        width: word.bytes * 8,
                        low_bit: distance * 8,
                    };
                }
                Content::Within(range) if distance == 0 && bytes == word.bytes => {
                    return Found::Within(range);
                }
                _ => return Found::Unknown,
            }
        }
        let mut number = 0;
        for distance in (0..bytes).rev() {
            match self.constant_byte(offset + distance) {
                Some(byte) => number = number << 8 | u64::from(byte),
                None => return Found::Unknown,
            }
        }
        Found::Constant(number)
    }

    /// The word that a byte belongs to, and the word's first byte.
    fn word_at(&self, offset: u32) -> Option<(u32, Word)> {
        let (start, word) = self.words.range(..=offset).next_back()?;
        (offset < start + word.bytes).then_some((*start, *word))
    }

    fn constant_byte(&self, offset: u32) -> Option<u8> {
        match self.word_at(offset) {
            Some((start, word)) => match word.content {
                Content::Number(Operand::Const(number)) => {
                    Some((number >> ((offset - start) * 8)) as u8)
                }
                _ => None,
            },
            None => (!self.is_written(offset)).then_some(0),
        }
    }

    fn is_written(&self, offset: u32) -> bool {
        self.written[offset as usize / 64] >> (offset % 64) & 1 == 1
    }

    /// Notes that bytes were written, with what is not known; they hold no pointers any more.
    pub fn forget(&mut self, offset: u32, bytes: u32) {
        let end = offset.saturating_add(bytes).min(LARGEST_BYTES as u32);
        for byte in offset..end {
            self.written[byte as usize / 64] |= 1 << (byte % 64);
        }
        self.remove_words(offset, end);
        self.remove_pointers(offset, end);
    }

    /// Notes that some of these bytes may have been written: no stored pointer can be trusted any more.
    pub fn forget_some(&mut self, offset: u32, bytes: u32) {
        let end = offset.saturating_add(bytes).min(LARGEST_BYTES as u32);
        for byte in offset..end {
            self.written[byte as usize / 64] |= 1 << (byte % 64);
        }
        self.remove_words(offset, end);
        let slots = offset / 8..end.div_ceil(8);
        if self.spills.range(slots.clone()).next().is_none() {
            return;
        }
        for (_, spill) in Rc::make_mut(&mut self.spills).range_mut(slots) {
            spill.value = AbstractValue::Unusable(
                "a pointer that a store at a variable stack offset may have overwritten",
            );
        }
    }

    /// The bytes from the first to the last one that may not be zero, as (offset, bytes).
    pub fn not_zero_within(&self, offset: u32, end: u32) -> Option<(u32, u32)> {
        let first = (offset..end).find(|byte| self.is_written(*byte))?;
        let last = (offset..end).rfind(|byte| self.is_written(*byte))?;
        Some((first, last + 1 - first))
    }

    /// Notes that these bytes are zero.
    pub fn clear(&mut self, offset: u32, bytes: u32) {
        self.forget(offset, bytes);
        for byte in offset..(offset + bytes).min(LARGEST_BYTES as u32) {
            self.written[byte as usize / 64] &= !(1 << (byte % 64));
        }
    }

    /// Forgets what a frame held that nobody can reach any more.
    pub fn leave(&mut self, offset: u32, end: u32) {
        self.remove_words(offset, end);
        self.remove_pointers(offset, end);
    }

    fn remove_words(&mut self, offset: u32, end: u32) {
        let first = self.word_at(offset).map_or(offset, |(start, _)| start);
        if self.words.range(first..end).next().is_none() {
            return;
        }
        let words = Rc::make_mut(&mut self.words);
        let touched: Vec<(u32, Word)> = words.range(first..end).map(|(s, w)| (*s, *w)).collect();
        for (start, word) in touched {
            words.remove(&start);
            // The other bytes of a constant stay what they are.
            if let Content::Number(Operand::Const(number)) = word.content {
                for byte in (start..start + word.bytes).filter(|at| !(offset..end).contains(at)) {
                    let value = Operand::Const(number >> ((byte - start) * 8) & 0xff);
                    let content = Content::Number(value);
                    words.insert(byte, Word { bytes: 1, content });
                }
            }
        }
    }

    fn remove_pointers(&mut self, offset: u32, end: u32) {
        if self
            .spills
            .range(offset / 8..end.div_ceil(8))
            .next()
            .is_none()
        {
            return;
        }
        let spills = Rc::make_mut(&mut self.spills);
        for byte in offset..end {
            let slot = byte / 8;
            if let Some(spill) = spills.get_mut(&slot) {
                spill.bytes &= !(1 << (byte % 8));
                if spill.bytes == 0 {
                    spills.remove(&slot);
                }
            }
        }
    }

    /// Whether any of these bytes belongs to a pointer.
    pub fn has_pointer(&self, offset: u32, bytes: u32) -> bool {
        (offset..offset.saturating_add(bytes)).any(|byte| {
            let spill = self.spills.get(&(byte / 8));
            spill.is_some_and(|spill| spill.bytes >> (byte % 8) & 1 == 1)
        })
    }

    /// Whether any of these bytes is of no use, and the user has been told why.
    pub fn has_reported(&self, offset: u32, bytes: u32) -> bool {
        let slots = offset / 8..offset.saturating_add(bytes).div_ceil(8);
        let mut spills = self.spills.range(slots);
        spills.any(|(_, spill)| spill.value == AbstractValue::Reported)
    }

    /// Keeps of the numbers only what all of several stacks have, each with the bounds that its values have there.
    pub fn join_numbers(&mut self, paths: &[Path]) {
        let mut joined = BTreeMap::new();
        for (offset, word) in self.words.iter() {
            let width = word.bytes * 8;
            let mut contents = paths
                .iter()
                .map(|path| path.stack.content(*offset, word.bytes, path.bounds));
            let Some(Some((first, mut range))) = contents.next() else {
                continue;
            };
            let (mut is_same, mut is_known) = (true, true);
            for content in contents {
                match content {
                    Some((content, bounds)) => {
                        is_same &= content == first;
                        range = range.hull(bounds);
                    }
                    None => is_known = false,
                }
            }
            let content = match first {
                _ if !is_known => continue,
                _ if is_same => first,
                _ if range == Range::full(width) => continue,
                _ => Content::Within(range),
            };
            let bytes = word.bytes;
            joined.insert(*offset, Word { bytes, content });
        }
        self.words = Rc::new(joined);
        for path in paths {
            for (all, some) in self.written.iter_mut().zip(&path.stack.written) {
                *all |= some;
            }
        }
    }

    /// Every word with its first byte.
    pub fn words(&self) -> Vec<(u32, Word)> {
        self.words
            .iter()
            .map(|(offset, word)| (*offset, *word))
            .collect()
    }

    /// Forgets of a word what it is but for bounds.
    pub fn loosen(&mut self, offset: u32, bytes: u32, range: Option<Range>) {
        self.forget(offset, bytes);
        if let Some(range) = range {
            let content = Content::Within(range);
            Rc::make_mut(&mut self.words).insert(offset, Word { bytes, content });
        }
    }

    /// The bytes that may be anything here, and are zeros on another stack.
    pub fn written_beside(&self, other: &Stack) -> Vec<u32> {
        let bytes = 0..LARGEST_BYTES as u32;
        bytes
            .filter(|byte| self.is_written(*byte) && !other.is_written(*byte))
            .collect()
    }

    /// Notes that bytes may be anything.
    pub fn write_somehow(&mut self, bytes: &[u32]) {
        for byte in bytes {
            self.written[*byte as usize / 64] |= 1 << (byte % 64);
        }
    }

    /// Keeps of the numbers only those that another stack has, too.
    pub fn keep_common(&mut self, other: &Stack) {
        let agreed = |offset: &u32, word: &mut Word| other.words.get(offset) == Some(word);
        Rc::make_mut(&mut self.words).retain(agreed);
        for (all, some) in self.written.iter_mut().zip(&other.written) {
            *all |= some;
        }
    }

    /// What a whole word holds, and its bounds.
    pub fn content(&self, offset: u32, bytes: u32, bounds: &Bounds) -> Option<(Content, Range)> {
        let width = bytes * 8;
        let (content, range) = match self.load(offset, bytes) {
            Found::Constant(number) => (
                Content::Number(Operand::Const(number & mask(width))),
                Range::exactly(number, width),
            ),
            Found::Part {
                operand,
                width: whole,
                low_bit: 0,
            } if whole == width => (Content::Number(operand), bounds(operand, width)),
            Found::Within(range) => (Content::Within(range), range),
            _ => return None,
        };
        Some((content, range))
    }

    /// All operands on the stack.
    pub fn numbers(&self) -> impl Iterator<Item = Operand> + '_ {
        self.words.values().filter_map(|word| match word.content {
            Content::Number(operand) => Some(operand),
            Content::Within(_) => None,
        })
    }
}

//! A program as a core takes it: the words that a loader writes.

use super::{program::HEAD_WORDS, Processor};
use crate::hardware::packets::LINE_BYTES;
use crate::image::Image;
use crate::isa::Action;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::structure::Memory;
use hardpath_ir::{AtomicOp, MapId};
use std::ops::Range;

/// The words of a load: what the core must be, what the program asks for, packed rows, their checksum.
///
/// # Errors
/// The program has no binary form.
pub fn words(config: &Processor, image: &Image) -> Result<Vec<u32>, Diagnostic> {
    let limits = &image.limits;
    let stack = stack(image);
    let front = front_lines(image);
    let head = [
        config.identity(),
        image.rows.len() as u32,
        front,
        limits.headroom,
        stack.start,
        stack.end,
        front + stack.start / LINE_BYTES,
        limits.tail,
        limits.shortest,
        limits.longest,
        ordered(image),
    ];
    debug_assert_eq!(head.len() as u64, HEAD_WORDS);
    let mut words = head.to_vec();
    words.extend(image.words()?);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    words.push(crc32fast::hash(&bytes));
    Ok(words)
}

/// The bytes of stack that a program has a use for, from the first one of a line on.
fn stack(image: &Image) -> Range<u32> {
    let operations = image.rows.iter().flat_map(|row| row.operations());
    let mut used: Option<Range<i64>> = None;
    let all = 0..i64::from(image.stack);
    for (_, operation) in operations {
        let span = match operation.action {
            Action::Load {
                memory: Memory::Stack,
                base,
                offset,
                bytes,
                ..
            }
            | Action::Store {
                memory: Memory::Stack,
                base,
                offset,
                bytes,
                ..
            } => match base {
                None => i64::from(offset)..i64::from(offset) + i64::from(bytes),
                Some(_) => all.clone(),
            },
            Action::Checksum {
                memory: Memory::Stack,
                ..
            } => all.clone(),
            Action::Copy { from, into, .. } if [from, into].contains(&Memory::Stack) => all.clone(),
            _ => continue,
        };
        let before = used.unwrap_or(span.clone());
        used = Some(before.start.min(span.start)..before.end.max(span.end));
    }
    let used = used.unwrap_or(0..0);
    let [start, end] = [used.start, used.end].map(|at| at.clamp(0, all.end) as u32);
    start / LINE_BYTES * LINE_BYTES..end
}

/// Lines in front of a packet: its headroom, and its program's stack.
pub fn front_lines(image: &Image) -> u32 {
    let stack = stack(image);
    let bytes = stack.end.saturating_sub(stack.start);
    image.limits.headroom.div_ceil(LINE_BYTES) + bytes.div_ceil(LINE_BYTES)
}

/// A bit for each map: packets can see what others do to it. They cannot where all look up and read, or where all that is changed are
/// sums that nobody reads.
pub fn ordered(image: &Image) -> u32 {
    let maps = image.maps.iter();
    let bits = maps.map(|(id, decl)| {
        let seen = decl.forgets || sees(image, id);
        u32::from(seen) << id.as_u32()
    });
    bits.sum()
}

fn sees(image: &Image, map: MapId) -> bool {
    let (mut reads, mut adds, mut changes) = (false, false, false);
    let operations = image.rows.iter().flat_map(|row| row.operations());
    for (_, operation) in operations {
        let Some(number) = crate::encode::map(&operation.action) else {
            continue;
        };
        if u32::from(number) != map.as_u32() {
            continue;
        }
        match operation.action {
            Action::Lookup { .. } => {}
            Action::MapLoad { .. } => reads = true,
            Action::Atomic {
                op: AtomicOp::Add,
                to: None,
                ..
            } => adds = true,
            _ => changes = true,
        }
    }
    changes || reads && adds
}

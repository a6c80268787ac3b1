//! A program as a core takes it: the words that a loader writes.

use super::program::head_words;
use super::{fit, Processor};
use crate::hardware::packets::LINE_BYTES;
use crate::image::Image;
use crate::isa::Action;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::structure::Memory;
use hardpath_ir::{AtomicOp, MapDecl, MapId};
use std::ops::Range;

/// What a loader knows of the core in front of the load.
#[derive(Clone, Copy, Debug)]
pub enum Before<'a> {
    /// It was reset: all slots are empty.
    Reset,
    /// Nothing: slots that the program uses become empty.
    Unknown,
    /// That this one runs. Maps whose declarations are equal, names too, stay in their slots with what they hold; all others become empty,
    /// and stand where packets inside have none, if there is room. Where another program runs, the core refuses the load.
    Keeps(&'a Load),
}

/// A program for one core.
#[derive(Clone, Debug)]
pub struct Load {
    /// What is written into the window, one behind the other.
    pub words: Vec<u32>,
    /// The slot of each of the program's maps.
    pub slots: Vec<u8>,
    /// For each of them: it keeps what it holds.
    pub kept: Vec<bool>,
    maps: Vec<MapDecl>,
    /// What a core knows the program by, as it stands in its slots, however it was loaded. Not 0.
    name: u32,
}

impl Load {
    /// The words that a core takes to have this program. `holds`: it then waits for the host, which writes what maps hold at first.
    ///
    /// # Errors
    /// Those of [`fit::fit`]; the program has no binary form.
    pub fn new(
        core: &Processor,
        image: &Image,
        before: Before,
        holds: bool,
    ) -> Result<Load, Vec<Diagnostic>> {
        let maps: Vec<MapDecl> = image.maps.values().cloned().collect();
        let fixed: Vec<Option<u8>> = match before {
            Before::Keeps(load) => maps.iter().map(|map| load.slot_of(map)).collect(),
            Before::Reset | Before::Unknown => vec![None; maps.len()],
        };
        let kept: Vec<bool> = fixed.iter().map(Option::is_some).collect();
        let used: &[u8] = match before {
            Before::Keeps(load) => &load.slots,
            Before::Reset | Before::Unknown => &[],
        };
        let slots = fit::fit_beside(core, image, &fixed, used)?;
        if !matches!(before, Before::Reset) {
            lists_stay(core, &slots, &kept)?;
        }
        let mut load = Load {
            words: Vec::new(),
            slots,
            kept,
            maps,
            name: 0,
        };
        load.write(core, image, before, holds)
            .map_err(|error| vec![error])?;
        Ok(load)
    }

    /// Of a map that stays.
    fn slot_of(&self, map: &MapDecl) -> Option<u8> {
        let at = self.maps.iter().position(|own| own == map)?;
        Some(self.slots[at])
    }

    fn write(
        &mut self,
        core: &Processor,
        image: &Image,
        before: Before,
        holds: bool,
    ) -> Result<(), Diagnostic> {
        let limits = &image.limits;
        let stack = stack(image);
        let front = front_lines(image);
        let slots = self.slots.iter().copied();
        let bits = |slots: &mut dyn Iterator<Item = u8>| slots.fold(0, |all, slot| all | 1 << slot);
        let kept = self.kept.iter();
        let mut cleared = slots.clone().zip(kept).filter(|(_, kept)| !**kept);
        let mut cleared = cleared.by_ref().map(|(slot, _)| slot);
        let (clears, behind) = match before {
            Before::Reset => (0, 0),
            Before::Unknown => (bits(&mut cleared), 0),
            Before::Keeps(load) => (bits(&mut cleared), load.name),
        };
        let mut words = vec![
            core.identity(),
            image.rows.len() as u32,
            front,
            limits.headroom,
            stack.start,
            stack.end,
            front + stack.start / LINE_BYTES,
            limits.tail,
            limits.shortest,
            limits.longest,
            ordered(image, &self.slots),
            clears,
            bits(&mut slots.clone()),
            behind,
            holds.into(),
            changed(image, &self.slots),
            0,
        ];
        for slot in 0..core.slots.len() {
            let map = self.slots.iter().position(|own| usize::from(*own) == slot);
            let map = map.map(|map| &self.maps[map]);
            words.push(map.map_or(1, MapDecl::entry_key_bytes));
            words.push(map.map_or(1, |map| map.max_entries));
        }
        debug_assert_eq!(words.len() as u64, head_words(core));
        words.extend(placed(core, image, &self.slots).words()?);
        self.name = name(&words, image);
        words[NAME] = self.name;
        words.push(checksum(&words));
        self.words = words;
        Ok(())
    }
}

/// The words of the head that say how a program is loaded, and not what it is: slots that become empty, the program behind which it comes,
/// and that it waits for the host.
const HOW: [usize; 3] = [11, 13, 14];
/// The one that it is known by.
const NAME: usize = 16;

/// Of the program, and of what its maps are called.
fn name(words: &[u32], image: &Image) -> u32 {
    let what = words.iter().enumerate();
    let what = what.map(|(number, word)| if HOW.contains(&number) { 0 } else { *word });
    let what: Vec<u32> = what.collect();
    let names = image.maps.values().map(|map| map.name.as_bytes());
    let names: Vec<u8> = names.flat_map(|name| [name, &[0]].concat()).collect();
    (checksum(&what) ^ crc32fast::hash(&names)).max(1)
}

fn checksum(words: &[u32]) -> u32 {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    crc32fast::hash(&bytes)
}

/// Lists of where packets are broadcast to are filled as their maps are, and only a reset makes them empty.
fn lists_stay(core: &Processor, slots: &[u8], kept: &[bool]) -> Result<(), Vec<Diagnostic>> {
    let cleared = slots.iter().zip(kept).filter(|(_, kept)| !**kept);
    let mut lists = cleared.filter(|(slot, _)| core.slots[usize::from(**slot)].broadcast);
    let Some((slot, _)) = lists.next() else {
        return Ok(());
    };
    let message = format!(
        "slot {slot} would become empty, and the list of where packets are broadcast to only does at a reset"
    );
    let error = Diagnostic::refused("core-lacks", message);
    Err(vec![error.help("keep the map, or reset the core")])
}

/// The program with the numbers of slots in place of those of its maps.
fn placed(core: &Processor, image: &Image, slots: &[u8]) -> Image {
    let mut placed = image.clone();
    placed.maps = core.slots.iter().cloned().collect();
    let rows = placed.rows.iter_mut();
    let operations = rows.flat_map(|row| row.lanes.iter_mut().flatten());
    for operation in operations {
        if let Some(map) = crate::encode::map_mut(&mut operation.action) {
            *map = slots[usize::from(*map)];
        }
    }
    placed
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

/// A bit for each slot: packets can see what others do to its map. They cannot where all look up and read, or where all that is changed are
/// sums that nobody reads.
fn ordered(image: &Image, slots: &[u8]) -> u32 {
    bits(image, slots, |decl, done| {
        decl.forgets || done.changes || done.reads && done.adds
    })
}

/// A bit for each slot: packets change its map, in whatever way.
fn changed(image: &Image, slots: &[u8]) -> u32 {
    bits(image, slots, |decl, done| {
        decl.forgets || done.changes || done.adds
    })
}

fn bits(image: &Image, slots: &[u8], holds: impl Fn(&MapDecl, &Done) -> bool) -> u32 {
    let maps = image.maps.iter().zip(slots);
    let bits = maps.map(|((id, decl), slot)| u32::from(holds(decl, &Done::to(image, id))) << slot);
    bits.sum()
}

/// What a program does to a map, beside looking up.
#[derive(Default)]
struct Done {
    reads: bool,
    /// Sums that nobody reads in the same operation.
    adds: bool,
    /// All other changes.
    changes: bool,
}

impl Done {
    fn to(image: &Image, map: MapId) -> Done {
        let mut done = Done::default();
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
                Action::MapLoad { .. } => done.reads = true,
                Action::Atomic {
                    op: AtomicOp::Add,
                    to: None,
                    ..
                } => done.adds = true,
                _ => done.changes = true,
            }
        }
        done
    }
}

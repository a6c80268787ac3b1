//! Whether a program fits a core: its maps into the slots, its packets into the ring, its rows into a bank.
//!
//! A slot takes a map of its kind whose keys and values are as long as its own or shorter, and that has as many entries or fewer. A map
//! that forgets keys needs a slot with as many buckets as it would have itself, or it would keep more than it may.

use super::{copies, lines_for, Processor};
use crate::image::Image;
use crate::long::in_parts;
use hardpath_blocks::hash::Hash;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::count::counted;
use hardpath_ir::{Find, MapDecl};

/// Finds a slot for each map of a program, in the order of its maps. `fixed`: slots that are known, those of maps that stay.
///
/// # Errors
/// `core-lacks`, of each thing that the program needs and the core does not have.
pub fn fit(
    core: &Processor,
    image: &Image,
    fixed: &[Option<u8>],
) -> Result<Vec<u8>, Vec<Diagnostic>> {
    fit_beside(core, image, fixed, &[])
}

/// The same beside a program that uses these slots, packets of which are inside: others come first, where there is a choice.
///
/// # Errors
/// Those of [`fit`].
pub fn fit_beside(
    core: &Processor,
    image: &Image,
    fixed: &[Option<u8>],
    used: &[u8],
) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let mut errors = lacks(core, image);
    let maps: Vec<&MapDecl> = image.maps.values().collect();
    let matching = Matching::new(&core.slots, &maps, (fixed, used));
    let missing = matching.missing.iter();
    errors.extend(missing.map(|map| no_slot(core, maps[*map], &matching)));
    match errors.is_empty() {
        true => Ok(matching.slots_of_maps()),
        false => Err(errors),
    }
}

/// What a slot is, for messages.
pub fn described(slot: &MapDecl) -> String {
    let forgets = if slot.forgets { ", forgetful" } else { "" };
    let written = match slot.packets_write || slot.find == Find::Slots {
        true => "",
        false => ", which packets only read",
    };
    format!(
        "{}{forgets} with {} of key, {} of value, {}{written}",
        slot.find.name(),
        counted(slot.entry_key_bytes(), "byte"),
        counted(slot.value_bytes, "byte"),
        counted(slot.max_entries, "entry"),
    )
}

fn error(message: String, help: &str) -> Diagnostic {
    Diagnostic::refused("core-lacks", message).help(help)
}

/// What is missing beside slots.
fn lacks(core: &Processor, image: &Image) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    let mut lacks = |what: String, has: String, help: &str| {
        errors.push(error(
            format!("the program needs {what}, and the core has {has}"),
            help,
        ));
    };
    let machine = &core.machine;
    if image.lanes != machine.lanes {
        let (needs, has) = (counted(image.lanes, "lane"), counted(machine.lanes, "lane"));
        let help = format!("compile the program with --lanes {}", machine.lanes);
        lacks(needs, has, &help);
    }
    if image.registers > machine.registers {
        let (needs, has) = (image.registers, machine.registers);
        let needs = format!("{needs} registers in a bank");
        lacks(needs, has.to_string(), "compile the program for this core");
    }
    let rows = image.rows.len();
    if rows > machine.rows as usize {
        let has = counted(machine.rows, "row");
        lacks(
            counted(rows as u64, "row"),
            has,
            "build a core with a larger program memory",
        );
    }
    if image.stack > machine.stack {
        let has = machine.stack.to_string();
        let needs = format!("{} bytes of stack", image.stack);
        lacks(needs, has, "compile the program for this core");
    }
    let lines = lines_for(image);
    if lines > core.ring.lines {
        let (needs, has) = (
            format!("{lines} lines of packet memory for its longest packet"),
            core.ring.lines.to_string(),
        );
        lacks(
            needs,
            has,
            "build a core with more packet memory, or limit the program's packets",
        );
    }
    match copies::most(image) {
        Some(copies) if copies <= core.copies => {}
        Some(copies) => {
            let needs = format!("{copies} further copies of a packet");
            lacks(
                needs,
                core.copies.to_string(),
                "build a core for this program: leave out --core",
            );
        }
        None => {
            let needs = "more further copies of a packet than can be counted".into();
            lacks(needs, core.copies.to_string(), "send fewer");
        }
    }
    let widths = |outputs: &[hardpath_ir::Output]| -> Vec<u32> {
        outputs.iter().map(|output| output.width).collect()
    };
    if widths(&image.outputs) != widths(&core.outputs) {
        let told = |outputs: &[hardpath_ir::Output]| {
            let all = outputs.iter();
            let all = all.map(|output| format!("{} of {} bits", output.name, output.width));
            match outputs.is_empty() {
                true => "no outputs".into(),
                false => all.collect::<Vec<String>>().join(", "),
            }
        };
        let (needs, has) = (told(&image.outputs), told(&core.outputs));
        lacks(needs, has, "build a core for programs of this kind");
    }
    if image.inputs != core.inputs {
        let told = |inputs: &[hardpath_ir::OwnInput]| match inputs.is_empty() {
            true => "none".to_owned(),
            false => {
                let all = inputs.iter();
                let all = all.map(|input| format!("{} of {} bits", input.name, input.width));
                all.collect::<Vec<String>>().join(", ")
            }
        };
        let needs = format!("these own inputs: {}", told(&image.inputs));
        lacks(
            needs,
            told(&core.inputs),
            "build a core for programs of this kind",
        );
    }
    errors
}

/// Why a slot does not take a map; `None`: it does.
fn unfit(slot: &MapDecl, map: &MapDecl) -> Option<String> {
    let too_long = |what: &str, needs: u32, has: u32| {
        (needs > has).then(|| format!("its {what} has {has} bytes, and the map's {needs}"))
    };
    if (slot.find, slot.forgets) != (map.find, map.forgets) {
        return Some(format!("it is of another kind: {}", kind(slot)));
    }
    if map.find == Find::Ternary && !same(slot, map) {
        return Some("its fields and sizes are not those of the map".into());
    }
    if let Some(why) = too_long("key", map.entry_key_bytes(), slot.entry_key_bytes()) {
        return Some(why);
    }
    if let Some(why) = too_long("value", map.value_bytes, slot.value_bytes) {
        return Some(why);
    }
    if in_parts(map) != in_parts(slot) {
        let (slot, map) = match in_parts(slot) {
            true => ("only in parts", "whole"),
            false => ("whole", "only in parts"),
        };
        return Some(format!(
            "its values are accessed {slot}, and the map's {map}"
        ));
    }
    if map.find == Find::Slots && map.value_bytes != slot.value_bytes {
        let (has, needs) = (slot.value_bytes, map.value_bytes);
        return Some(format!(
            "its value has {has} bytes, and the map's must have as many, not {needs}"
        ));
    }
    if map.max_entries > slot.max_entries {
        let (has, needs) = (slot.max_entries, map.max_entries);
        return Some(format!(
            "it has {}, and the map {needs}",
            counted(has, "entry")
        ));
    }
    if map.forgets && Hash::rows(map.max_entries) != Hash::rows(slot.max_entries) {
        let (has, needs) = (slot.max_entries, map.max_entries);
        return Some(format!(
            "it has {has} entries, and a map of {needs} that forgets would keep more than it may"
        ));
    }
    if map.packets_write && !slot.packets_write {
        return Some("packets only read it, and the map's packets write".into());
    }
    if map.broadcast && !slot.broadcast {
        return Some("packets are not broadcast to what it names".into());
    }
    (map.max_entries == 0).then(|| "the map has no entries".into())
}

fn kind(map: &MapDecl) -> String {
    match map.forgets {
        true => format!("{}, forgetful", map.find.name()),
        false => map.find.name().into(),
    }
}

/// The same tables, whatever they are called.
fn same(slot: &MapDecl, map: &MapDecl) -> bool {
    slot.fields == map.fields
        && slot.most_masks == map.most_masks
        && slot.key_bytes == map.key_bytes
        && slot.value_bytes == map.value_bytes
        && slot.max_entries == map.max_entries
}

/// Bytes of a map, or of the room that a slot has.
fn size(map: &MapDecl) -> u64 {
    u64::from(map.entry_key_bytes() + map.value_bytes) * u64::from(map.max_entries)
}

/// Slots that take the maps of a program, too: larger ones where that costs little, else more of them.
pub(super) fn wider(slots: &[MapDecl], image: &Image) -> Vec<MapDecl> {
    let maps: Vec<&MapDecl> = image.maps.values().collect();
    let mut slots = slots.to_vec();
    loop {
        let matching = Matching::new(&slots, &maps, (&[], &[]));
        let Some(map) = matching.missing.first().map(|map| maps[*map]) else {
            return slots;
        };
        let free = slots.iter().zip(&matching.taken).enumerate();
        let free = free.filter(|(_, (_, taken))| taken.is_none());
        let larger = free.filter_map(|(number, (slot, _))| Some((number, larger(slot, map)?)));
        match larger.min_by_key(|(_, larger)| size(larger)) {
            Some((number, larger)) => slots[number] = larger,
            None => slots.push(map.clone()),
        }
    }
}

/// What a slot costs beside its memory is more than so many bytes of memory.
const COST_OF_SLOT: u64 = 4096;

/// The slot so large that it takes the map as well; `None`: a slot of its own costs less. Only of what has indexes: others look for keys in
/// tables whose shape is made for their size.
fn larger(slot: &MapDecl, map: &MapDecl) -> Option<MapDecl> {
    let indexed = matches!(slot.find, Find::Array | Find::Slots);
    let larger = MapDecl {
        key_bytes: slot.key_bytes.max(map.key_bytes),
        value_bytes: slot.value_bytes.max(map.value_bytes),
        max_entries: slot.max_entries.max(map.max_entries),
        packets_write: slot.packets_write || map.packets_write,
        broadcast: slot.broadcast || map.broadcast,
        ..slot.clone()
    };
    let cheap = size(&larger) <= size(slot) + size(map) + COST_OF_SLOT;
    (indexed && cheap && unfit(&larger, map).is_none()).then_some(larger)
}

struct Matching<'a> {
    slots: &'a [MapDecl],
    maps: &'a [&'a MapDecl],
    fixed: &'a [Option<u8>],
    /// Slots that are taken last.
    used: &'a [u8],
    /// By slot: its map.
    taken: Vec<Option<usize>>,
    /// Maps without a slot.
    missing: Vec<usize>,
}

impl<'a> Matching<'a> {
    /// Each map in turn, the largest first, takes the smallest slot that does, first of those that are not used; one that has it already moves where it can (augmenting
    /// paths of bipartite matching).
    fn new(
        slots: &'a [MapDecl],
        maps: &'a [&'a MapDecl],
        (fixed, used): (&'a [Option<u8>], &'a [u8]),
    ) -> Matching<'a> {
        let mut matching = Matching {
            slots,
            maps,
            fixed,
            used,
            taken: vec![None; slots.len()],
            missing: Vec::new(),
        };
        for (map, slot) in fixed.iter().enumerate() {
            if let Some(slot) = slot {
                matching.taken[usize::from(*slot)] = Some(map);
            }
        }
        let mut order: Vec<usize> = (0..maps.len()).collect();
        order.sort_by_key(|map| std::cmp::Reverse(size(maps[*map])));
        for map in order {
            if !matching.is_fixed(map) && !matching.find(map, &mut vec![false; slots.len()]) {
                matching.missing.push(map);
            }
        }
        matching
    }

    fn is_fixed(&self, map: usize) -> bool {
        self.fixed.get(map).copied().flatten().is_some()
    }

    /// Of each map, where all have one.
    fn slots_of_maps(&self) -> Vec<u8> {
        let slot_of = |map: usize| self.taken.iter().position(|taken| *taken == Some(map));
        let all = (0..self.maps.len()).map(|map| slot_of(map).expect("each map has one") as u8);
        all.collect()
    }

    /// Finds a slot for a map. `seen`: slots that were looked at.
    fn find(&mut self, map: usize, seen: &mut [bool]) -> bool {
        let mut fits: Vec<usize> = (0..self.slots.len())
            .filter(|slot| unfit(&self.slots[*slot], self.maps[map]).is_none())
            .collect();
        let is_used = |slot: usize| self.used.iter().any(|used| usize::from(*used) == slot);
        fits.sort_by_key(|slot| (is_used(*slot), size(&self.slots[*slot])));
        for slot in fits {
            if std::mem::replace(&mut seen[slot], true) {
                continue;
            }
            let moves = match self.taken[slot] {
                None => true,
                Some(other) if self.is_fixed(other) => false,
                Some(other) => self.find(other, seen),
            };
            if moves {
                self.taken[slot] = Some(map);
                return true;
            }
        }
        false
    }
}

fn no_slot(core: &Processor, map: &MapDecl, matching: &Matching) -> Diagnostic {
    let message = format!(
        "no slot of the core takes map {}: {}",
        map.name,
        described(map)
    );
    let whys = core.slots.iter().enumerate().map(|(number, slot)| {
        let why = unfit(slot, map).unwrap_or_else(|| {
            let other = matching.taken[number].map(|other| &matching.maps[other].name);
            format!("map {} has it", other.map_or("another", String::as_str))
        });
        format!("slot {number}: {why}")
    });
    let whys: Vec<String> = whys.collect();
    let whys = match whys.is_empty() {
        true => "it has no slots".into(),
        false => whys.join("; "),
    };
    error(
        format!("{message} ({whys})"),
        "build a core with such a slot",
    )
}

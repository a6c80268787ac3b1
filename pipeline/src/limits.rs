//! What no design can hold, refused before anything is built.

use crate::refuse::whole;
use hardpath_blocks::cuckoo::Cuckoo;
use hardpath_blocks::hash::Hash;
use hardpath_blocks::lpm::{Lpm, Search};
use hardpath_blocks::ternary::Ternary;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::count::{counted, grouped};
use hardpath_ir::{Find, MapDecl, Program, Terminator};
use hardpath_registers::{register, SPACE};
use hardpath_state::ternary_of;

/// The host selects a map with 8 bits.
pub const MOST_MAPS: usize = 255;
/// Bytes that the host port has addresses for.
const MOST_KEY_BYTES: u32 = register::VALUE - register::KEY;
const MOST_VALUE_BYTES: u32 = SPACE - register::VALUE;
/// More entries than this would need more than a key's hash can tell apart, and more memory than any FPGA has.
const MOST_ENTRIES: u32 = 1 << 26;
/// 256 MiB: several times the memory of the largest FPGAs.
const MOST_MEMORY_BITS: u64 = 1 << 31;
/// Block RAMs of 36 kbit of the largest FPGA that hardpath knows, a VU13P.
const MOST_BLOCK_RAMS: u64 = 2688;

/// Checks the maps of a program.
///
/// # Errors
/// Every map that is too wide or too large.
pub fn check(program: &Program) -> Result<(), Vec<Diagnostic>> {
    // How prefixes are searched is known later.
    let maps = program.maps.values();
    let mut errors: Vec<Diagnostic> = maps.filter_map(|decl| searched(decl, ALL_BITS)).collect();
    if program.maps.len() > MOST_MAPS {
        let count = program.maps.len();
        errors.push(
            Diagnostic::refused(
                "too-many-maps",
                format!(
                    "the program has {}; a design can have {MOST_MAPS}",
                    counted(count, "map")
                ),
            )
            .at(whole(program))
            .help("put arrays of the same size into one"),
        );
    }
    errors.extend(both_copied_and_broadcast(program));
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors)
    }
}

/// A packet leaves once for each destination in a table, or its copies behind it.
fn both_copied_and_broadcast(program: &Program) -> Option<Diagnostic> {
    let mut ends =
        program
            .order
            .iter()
            .filter_map(|block| match &program.blocks[*block].terminator {
                Terminator::Emit(emit) => Some(emit),
                _ => None,
            });
    let (mut copies, mut broadcasts) = (false, false);
    for emit in ends.by_ref() {
        copies |= !emit.copies.is_empty();
        broadcasts |= !emit.each.is_empty();
    }
    (copies && broadcasts).then(|| {
        let message = "the program sends copies of packets, and broadcasts packets";
        Diagnostic::refused("copies-and-broadcast", message)
            .at(whole(program))
            .help("do one of the two in another program behind this one")
    })
}

/// Prefixes whose lookups have all bits of a key.
const ALL_BITS: Search = Search::Ranges { apart: false };
/// Prefixes whose lookups are of any length.
const ANY_LENGTH: Search = Search::Rows { bits_a_clock: 1 };

/// What is wrong with a table of more prefixes than can be searched in this way.
pub fn prefixes(decl: &MapDecl, search: Search) -> Option<Diagnostic> {
    if !decl.is_prefix() {
        return None;
    }
    let most = Lpm::most_entries(decl.key_bytes, search);
    if decl.max_entries <= most {
        return None;
    }
    let of = match search {
        Search::Ranges { .. } => "",
        Search::Rows { .. } => " for keys of any length",
    };
    let message = format!(
        "{} of up to {} bits are more than the {} that hardpath builds{of}",
        counted(decl.max_entries, "prefix"),
        Lpm::data_bits(decl.key_bytes),
        grouped(u64::from(most)),
    );
    let help = format!(
        "ask for {most} at most: in the source, or for a map of an object with --max-entries {}={most}",
        decl.name
    );
    let help = match search {
        Search::Ranges { .. } => help,
        Search::Rows { .. } => format!(
            "{help}; a pipeline whose packets look up all bits of the key (a constant length) has {} at most",
            grouped(u64::from(Lpm::most_entries(decl.key_bytes, ALL_BITS)))
        ),
    };
    Some(refused(decl, "map-too-large", message, &help))
}

/// What is wrong with a table of more entries with fields of their own than can be searched in a clock.
fn masks(decl: &MapDecl) -> Option<Diagnostic> {
    if !decl.is_ternary() {
        return None;
    }
    let table = ternary_of(decl, false);
    if table.masks.is_some_and(|masks| masks > Ternary::MOST_MASKS) {
        let most = Ternary::MOST_MASKS;
        let message = format!("a table whose masks are hash tables has {most} of them at most");
        return Some(refused(
            decl,
            "map-too-large",
            message,
            "ask for fewer masks, or for any",
        ));
    }
    let most = table.most_entries();
    let entries = counted(decl.max_entries, "entry");
    if decl.max_entries > most {
        let message = format!(
            "{entries} with fields that match each in its own way are more than the {} that hardpath builds",
            grouped(u64::from(most))
        );
        let narrow = Ternary {
            fields: Vec::new(),
            ..ternary_of(decl, false)
        };
        let help = match most == narrow.most_entries() {
            true => "ask for fewer entries",
            false => "ask for fewer entries, or for ranges of 9 bits at most",
        };
        return Some(refused(decl, "map-too-large", message, help));
    }
    let block_rams = table.row_block_rams();
    (block_rams > MOST_BLOCK_RAMS).then(|| {
        let message = format!(
            "{entries} with keys of {} bits that match each in its own way would take {} block RAMs; no FPGA has more than {}",
            table.key_bits(),
            grouped(block_rams),
            grouped(MOST_BLOCK_RAMS),
        );
        let fit = u64::from(decl.max_entries) * MOST_BLOCK_RAMS / block_rams;
        let help = format!("ask for some {fit} entries at most, or for shorter keys");
        refused(decl, "map-too-large", message, &help)
    })
}

fn refused(decl: &MapDecl, code: &'static str, message: String, help: &str) -> Diagnostic {
    let place = format!("map {}", decl.name);
    Diagnostic::refused(code, message).at(place).help(help)
}

/// What is wrong with a map in hardware, if something is: it is too wide or too large. What is looked up in it may be of any length.
pub fn map(decl: &MapDecl) -> Option<Diagnostic> {
    searched(decl, ANY_LENGTH)
}

fn searched(decl: &MapDecl, search: Search) -> Option<Diagnostic> {
    let refuse = |code, message: String, help: &str| Some(refused(decl, code, message, help));
    for (what, bytes, most) in [
        ("keys", decl.entry_key_bytes(), MOST_KEY_BYTES),
        ("values", decl.value_bytes, MOST_VALUE_BYTES),
    ] {
        if bytes > most {
            let message =
                format!("{what} of {bytes} bytes; the host port has addresses for {most}");
            return refuse("map-too-wide", message, "make the struct smaller");
        }
    }
    let too_many = masks(decl).or_else(|| prefixes(decl, search));
    if too_many.is_some() {
        return too_many;
    }
    let word = u64::from(decl.value_bytes) * 8;
    let (entries, word) = match decl.find {
        _ if decl.max_entries > MOST_ENTRIES => (u64::from(decl.max_entries), word),
        Find::Exact => {
            let entries = match decl.entries_may_move() {
                true => Cuckoo::slots(decl.max_entries),
                false => Hash::entries(decl.max_entries),
            };
            let entries = u64::from(entries);
            (entries, word + u64::from(decl.key_bytes) * 8)
        }
        Find::Prefix => {
            let table = Lpm::memory_bits(decl.key_bytes, 1, search);
            (u64::from(decl.max_entries), word + table)
        }
        Find::Ternary => {
            let entries = u64::from(decl.max_entries);
            let table = ternary_of(decl, false).memory_bits();
            (entries, word + table.div_ceil(entries.max(1)))
        }
        _ => (u64::from(decl.max_entries), word),
    };
    // Two copies of the list of its devices, with keys and without.
    let list = if decl.broadcast { 2 * (64 + 32) } else { 0 };
    let bits = entries.saturating_mul(word + list);
    if decl.max_entries > MOST_ENTRIES || bits > MOST_MEMORY_BITS {
        let message = format!(
            "{} in hardware would take {} MiB; no FPGA has more than {} MiB",
            counted(decl.max_entries, "entry"),
            bits >> 23,
            MOST_MEMORY_BITS >> 23
        );
        return refuse(
            "map-too-large",
            message,
            "ask for fewer entries: in the source, or for a map of an object with --max-entries MAP=N",
        );
    }
    None
}

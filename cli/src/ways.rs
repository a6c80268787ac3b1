//! How tables find their entries: what was chosen and why, and what the other ways would cost.

use crate::size;
use hardpath_blocks::cuckoo::{cuckoo, Cuckoo};
use hardpath_blocks::hash::hash_function;
use hardpath_blocks::lpm::{lpm, Lpm, Search};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Find, MapDecl, Op, Program};
use hardpath_p4::lower::finding::Promise;
use hardpath_pipeline::map_is_too_large;
use hardpath_rtl::Design;
use hardpath_state::served::{served, Served};
use hardpath_synth::cards::Resources;
use hardpath_synth::estimate;
use serde_json::{json, Value};
use std::fmt::Write;

/// Bits of half a block RAM, which stands alone.
const HALF_BLOCK_RAM: u64 = 18 * 1024;
/// Clocks from an entry to its value.
const VALUE_CLOCKS: u32 = 3;

/// A table of a program that knows several ways.
pub struct Ways {
    /// The table.
    pub table: String,
    /// The word for the way that was chosen.
    pub chosen: &'static str,
    /// The reason, behind "since".
    pub why: String,
    /// Where ranges are expanded: what it holds.
    pub promise: Option<Promise>,
    /// All ways by their words: as a table of the IR, or why not.
    pub all: Vec<(&'static str, Result<MapDecl, String>)>,
}

/// A memory that several tables share.
pub struct SharedMemory {
    /// Its name.
    pub name: String,
    /// It as a table of the IR.
    pub map: MapDecl,
    /// Each of its tables, and what that would be alone.
    pub tables: Vec<(String, MapDecl)>,
}

/// What a way takes, with the values of its entries: very roughly.
struct Cost {
    lut: u64,
    ff: u64,
    bram36: f64,
    clocks: u32,
}

impl Cost {
    /// # Errors
    /// Why no hardware is made of it.
    fn of(decl: &MapDecl) -> Result<Cost, String> {
        if let Some(Diagnostic { message, .. }) = map_is_too_large(decl) {
            return Err(message);
        }
        let mut design = Design::new();
        let config = Served::of("table".into(), decl);
        let (mut values, mut clocks) = (0.0, config.clocks());
        match decl.find {
            // What packets only look up has its values beside the keys.
            _ if decl.entries_may_move() => {
                let entries = cuckoo_of(decl);
                design.add(hash_function("functions", entries.functions(), 0));
                design.add(cuckoo(&entries));
                clocks = 1 + Cuckoo::answer_clocks(entries.registers);
            }
            Find::Prefix => {
                // What looks up whole keys searches faster than requests do; its values stand beside that.
                let prefixes = prefixes(decl);
                design.add(lpm(&prefixes));
                let bits = u64::from(decl.max_entries) * u64::from(decl.value_bytes) * 8;
                values = bits.div_ceil(HALF_BLOCK_RAM) as f64 / 2.0;
                let search = prefixes.search;
                clocks = Lpm::clocks(decl.key_bytes, decl.max_entries, true, search) + VALUE_CLOCKS;
            }
            _ => {
                let block = served(&mut design, &config);
                design.add(block);
            }
        }
        let used = estimate::at_first_sight(&design).resources;
        Ok(Cost {
            lut: used.lut,
            ff: used.ff,
            bram36: used.bram36 + values,
            clocks,
        })
    }

    fn json(&self) -> Value {
        json!({
            "lut": self.lut,
            "ff": self.ff,
            "bram36": self.bram36,
            "clocks": self.clocks,
        })
    }

    fn text(&self) -> String {
        let Cost {
            lut,
            ff,
            bram36,
            clocks,
        } = self;
        format!("{lut} LUT, {ff} FF, {bram36} BRAM36, {clocks} clocks")
    }
}

/// A table of keys that only the host writes.
fn cuckoo_of(decl: &MapDecl) -> Cuckoo {
    Cuckoo {
        name: "table".into(),
        map: decl.name.clone(),
        key_bits: decl.key_bytes * 8,
        value_bits: decl.value_bytes * 8,
        max_entries: decl.max_entries,
        registers: false,
    }
}

/// What a table takes of the card that a family of FPGAs is measured by, very roughly: LUTs, flip-flops and block RAM, each as a part of what
/// there is, in millionths and together. `None`: no hardware is made of it.
pub fn weight(decl: &MapDecl, family: &str) -> Option<u64> {
    let Cost {
        lut, ff, bram36, ..
    } = Cost::of(decl).ok()?;
    let used = Resources {
        lut,
        ff,
        bram36,
        ..Resources::default()
    };
    let [lut, ff, bram36, ..] = size::usual_card(family).shares(&used);
    Some(((lut + ff + bram36) * 10_000.0) as u64)
}

/// A table of prefixes in which whole keys are looked up.
fn prefixes(decl: &MapDecl) -> Lpm {
    let ranges = Search::Ranges { apart: false };
    let has_room = Lpm::most_entries(decl.key_bytes, ranges) >= decl.max_entries;
    Lpm {
        name: "table".into(),
        map: decl.name.clone(),
        key_bytes: decl.key_bytes,
        max_entries: decl.max_entries,
        registers: true,
        search: match has_room {
            true => ranges,
            false => Search::Rows { bits_a_clock: 4 },
        },
        bounded: false,
    }
}

impl SharedMemory {
    /// What it takes, and what the tables would take alone.
    fn costs(&self) -> Result<(Cost, Vec<Cost>), String> {
        let alone = self.tables.iter().map(|(_, decl)| Cost::of(decl));
        Ok((Cost::of(&self.map)?, alone.collect::<Result<_, _>>()?))
    }
}

/// Keys that a packet may look up in a memory.
fn lookups(form: &Program, memory: &str) -> usize {
    let insts = form
        .order
        .iter()
        .flat_map(|block| &form.blocks[*block].insts);
    let asks = |op: &Op| matches!(op, Op::MapLookup(map) if form.maps[*map].name == memory);
    insts.filter(|inst| asks(&form.insts[**inst].op)).count()
}

/// All memories that tables share, for scripts and for people: what sharing saves. `form`: the program as it became hardware.
pub fn told_of_shared(all: &[SharedMemory], form: &Program) -> (Value, String) {
    let (mut objects, mut text) = (Vec::new(), String::new());
    for memory in all {
        let names: Vec<&str> = memory
            .tables
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        let lookups = lookups(form, &memory.name);
        let mut object = json!({
            "memory": memory.name,
            "tables": names,
            "entries": memory.map.max_entries,
            "lookups": lookups,
        });
        // What is too large to be a memory is refused elsewhere.
        if let Ok((cost, alone)) = memory.costs() {
            let lut: u64 = alone.iter().map(|cost| cost.lut).sum();
            let ff: u64 = alone.iter().map(|cost| cost.ff).sum();
            let bram36: f64 = alone.iter().map(|cost| cost.bram36).sum();
            let _ = writeln!(
                text,
                "\nTables {} share the memory {}, since no packet applies two of them. Roughly, behind ports of its own:\n    \
                 shared    {}\n    apart     {lut} LUT, {ff} FF, {bram36} BRAM36",
                names.join(", "),
                memory.name,
                cost.text()
            );
            if lookups > 1 {
                let _ = writeln!(
                    text,
                    "A packet looks up {lookups} keys in it, each at a port of its own: what one table finds decides which key another one is given, or whether."
                );
            }
            object["shared"] = cost.json();
            object["apart"] = json!({ "lut": lut, "ff": ff, "bram36": bram36 });
        }
        objects.push(object);
    }
    (Value::Array(objects), text)
}

impl Ways {
    fn costs(&self) -> impl Iterator<Item = (&'static str, Result<Cost, String>)> + '_ {
        let all = self.all.iter();
        all.map(|(word, decl)| {
            (
                *word,
                decl.as_ref().map_err(String::clone).and_then(Cost::of),
            )
        })
    }
}

/// All tables, for scripts and for people.
pub fn told(all: &[Ways]) -> (Value, String) {
    let (mut objects, mut text) = (Vec::new(), String::new());
    for ways in all {
        let (mut others, mut lines) = (serde_json::Map::new(), String::new());
        for (word, cost) in ways.costs() {
            let (object, line) = match &cost {
                Ok(cost) => (cost.json(), cost.text()),
                Err(why) => (json!({ "impossible": why }), format!("not possible: {why}")),
            };
            others.insert(word.into(), object);
            // What cannot be is of interest to who asks for it.
            if cost.is_ok() {
                let mark = if word == ways.chosen { "*" } else { " " };
                let _ = writeln!(lines, "  {mark} {word:<12} {line}");
            }
        }
        let _ = writeln!(
            text,
            "\nTable {} finds its entries by `{}`, since {}. Roughly, with all values, behind ports of its own:\n{}",
            ways.table,
            ways.chosen,
            ways.why,
            lines.trim_end()
        );
        if let Some(promise) = &ways.promise {
            let _ = writeln!(text, "It {}.", promise.text());
        }
        objects.push(json!({
            "table": ways.table,
            "by": ways.chosen,
            "why": ways.why,
            "ways": others,
            "rows": ways.promise.map(|promise| promise.rows),
            "rows_of_the_worst_entry": ways.promise.map(|promise| promise.worst),
        }));
    }
    (Value::Array(objects), text)
}

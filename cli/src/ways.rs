//! How tables find their entries: what was chosen and why, and what the other ways would cost.

use hardpath_diagnostic::Diagnostic;
use hardpath_ir::MapDecl;
use hardpath_pipeline::map_is_too_large;
use hardpath_rtl::Design;
use hardpath_state::served::{served, Served};
use hardpath_synth::estimate;
use serde_json::{json, Value};
use std::fmt::Write;

/// A table of a program that knows several ways.
pub struct Ways {
    /// The table.
    pub table: String,
    /// The word for the way that was chosen.
    pub chosen: &'static str,
    /// The reason, behind "since".
    pub why: String,
    /// All ways by their words: as a table of the IR, or why not.
    pub all: Vec<(&'static str, Result<MapDecl, String>)>,
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
        let block = served(&mut design, &config);
        design.add(block);
        let used = estimate::at_first_sight(&design).resources;
        Ok(Cost {
            lut: used.lut,
            ff: used.ff,
            bram36: used.bram36,
            clocks: config.clocks(),
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
                let _ = writeln!(lines, "  {mark} {word:<9} {line}");
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
        objects.push(json!({
            "table": ways.table,
            "by": ways.chosen,
            "why": ways.why,
            "ways": others,
        }));
    }
    (Value::Array(objects), text)
}

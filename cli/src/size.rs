//! How large a design will be, of which card: said with every design, and looked at before anybody works with one that fits
//! nowhere.

use hardpath_diagnostic::Diagnostic;
use hardpath_diagnostic::Severity;
use hardpath_ir::count::grouped;
use hardpath_pipeline::technology::{SERIES_7, ULTRASCALE_PLUS};
use hardpath_rtl::Design;
use hardpath_synth::cards::{Card, Resources, CARDS, NAMES};
use hardpath_synth::estimate::{self, Estimate};
use serde_json::{json, Value};

/// The card that a family of FPGAs is measured by, by the family's name; `None`: the estimate knows nothing of that family.
fn card(target: &str) -> Option<&'static Card> {
    let families = [
        (ULTRASCALE_PLUS.name, "Alveo U50"),
        (SERIES_7.name, "NetFPGA-SUME"),
    ];
    let (_, name) = families.into_iter().find(|(name, _)| *name == target)?;
    CARDS.iter().find(|card| card.name == name)
}

/// The same; of a family of which nothing is estimated, that of another one.
pub fn usual_card(target: &str) -> &'static Card {
    card(target).unwrap_or(&CARDS[0])
}

/// A design's estimate, and its card.
pub struct Size {
    estimate: Estimate,
    card: Option<&'static Card>,
}

impl Size {
    /// Takes a good part of a second.
    pub fn of(design: &Design, target: &str) -> Size {
        Size {
            estimate: estimate::estimate(design),
            card: card(target),
        }
    }

    /// `null` where the family is not one that is estimated.
    pub fn json(&self) -> Value {
        let Some(card) = self.card else {
            return Value::Null;
        };
        let used = &self.estimate.resources;
        let rounded = |percent: f64| json!((percent * 100.0).round() / 100.0);
        let percent: serde_json::Map<String, Value> = NAMES
            .iter()
            .zip(card.shares(used))
            .map(|(name, percent)| (key(name), rounded(percent)))
            .collect();
        let mut object = json!(self.estimate);
        object["card"] = json!(card.name);
        object["percent"] = Value::Object(percent);
        object
    }

    /// In a sentence; `None` where the family is not one that is estimated.
    pub fn sentence(&self) -> Option<String> {
        let card = self.card?;
        let used = &self.estimate.resources;
        let mut parts = Vec::new();
        let numbers = used.numbers().into_iter().zip(card.shares(used));
        for (name, (number, percent)) in NAMES.iter().zip(numbers) {
            // Of UltraRAM and multipliers most designs have none.
            if number > 0.0 || ["LUT", "FF", "BRAM36"].contains(name) {
                parts.push(format!("{} {name} ({percent:.1} %)", counted(number)));
            }
        }
        let how = match self.estimate.is_rough {
            true => "Very roughly",
            false => "About",
        };
        let parts = parts.join(", ");
        Some(format!("{how} {parts} of {} are used.", one(card)))
    }

    /// What the design takes at least, where the estimate is so rough.
    fn at_least(&self) -> Resources {
        let Estimate {
            resources,
            is_rough,
        } = self.estimate;
        Resources {
            lut: resources.lut / if is_rough { 2 } else { 1 },
            ..resources
        }
    }

    fn too_large(&self) -> Diagnostic {
        let used = self.estimate.resources.numbers();
        let largest = NAMES.iter().enumerate().map(|(part, name)| {
            let most = CARDS.iter().map(|card| card.has.numbers()[part]);
            (name, used[part], most.fold(0.0, f64::max))
        });
        let beyond: Vec<String> = largest
            .filter(|(_, used, most)| used > most)
            .map(|(name, used, most)| {
                format!(
                    "about {} {name}, of at most {}",
                    counted(used),
                    counted(most)
                )
            })
            .collect();
        let what = match beyond.is_empty() {
            // Each of its needs is met by another card.
            true => String::from("no card has enough of everything"),
            false => beyond.join("; "),
        };
        Diagnostic::refused(
            "larger-than-every-card",
            format!("the design is larger than every card: it takes {what}"),
        )
        .help(
            "give maps fewer entries (--max-entries), or let the program do less: loops that are written out, and packet bytes far from the front, cost most; --force goes on all the same",
        )
    }

    fn larger_than(&self, card: &Card) -> Diagnostic {
        let used = &self.estimate.resources;
        let beyond: Vec<String> = NAMES
            .iter()
            .zip(used.numbers().into_iter().zip(card.shares(used)))
            .filter(|(_, (_, percent))| *percent > 100.0)
            .map(|(name, (number, percent))| {
                format!("about {} {name}, {percent:.0} %", counted(number))
            })
            .collect();
        let holding = CARDS.iter().find(|card| card.holds(used));
        let help = match holding {
            Some(card) => format!(
                "{} has enough; or give maps fewer entries (--max-entries)",
                one(card)
            ),
            None => String::from("give maps fewer entries (--max-entries)"),
        };
        let message = format!(
            "the design is larger than {}: it takes {}",
            one(card),
            beyond.join("; ")
        );
        Diagnostic::warning("larger-than-card", message).help(help)
    }
}

/// Looks at a design's size: what is to be said of it.
///
/// # Errors
/// It is larger than every card that is known, and `force` is not given.
pub fn check(design: &Design, target: &str, force: bool) -> Result<Vec<Diagnostic>, Diagnostic> {
    let smallest = card(target).unwrap_or(&CARDS[0]);
    let at_first_sight = estimate::at_first_sight(design).resources;
    let shares = smallest.shares(&at_first_sight);
    // Far below what there is, nobody needs to look closely.
    if shares.iter().all(|percent| *percent < 50.0) {
        return Ok(Vec::new());
    }
    let size = Size::of(design, target);
    let least = size.at_least();
    if !CARDS.iter().any(|card| card.holds(&least)) {
        let error = size.too_large();
        return match force {
            true => Ok(vec![Diagnostic {
                severity: Severity::Warning,
                ..error
            }]),
            false => Err(error),
        };
    }
    Ok(match size.card {
        Some(card) if !card.holds(&size.estimate.resources) => vec![size.larger_than(card)],
        _ => Vec::new(),
    })
}

/// With its article.
fn one(card: &Card) -> String {
    match card.name.starts_with('A') {
        true => format!("an {}", card.name),
        false => format!("a {}", card.name),
    }
}

/// Halves of block RAMs are there, too.
fn counted(number: f64) -> String {
    match number.fract() == 0.0 {
        true => grouped(number as u64),
        false => format!("{}.5", grouped(number as u64)),
    }
}

/// As the figures of a design are called in JSON.
fn key(name: &str) -> String {
    match name {
        "UltraRAM" => String::from("uram"),
        name => name.to_lowercase(),
    }
}

//! The answer: one object with both sides, and a table for people.

use super::choice::{mpps, Choice};
use super::side::{Kind, Side};
use super::traffic::Traffic;
use super::{Refusable, SaidBy};
use crate::messages;
use hardpath_ir::count::{counted, grouped};
use hardpath_testbed::statistics::Statistics;
use serde_json::{json, Value};

pub struct Report<'a> {
    /// The program's name, and what else is known of it.
    pub about: (String, String),
    pub traffic: &'a Traffic,
    pub maps: SaidBy,
    pub pipeline: &'a Refusable<Side>,
    pub core: &'a Refusable<Side>,
    pub choice: &'a Choice,
}

impl Report<'_> {
    pub fn json(&self) -> Value {
        let traffic = self.traffic;
        let needed = traffic.needed_mpps;
        json!({
            "program": self.about.0,
            "traffic": {
                "packets": traffic.many.len(),
                "flows": traffic.flows,
                "captured": traffic.is_given,
                "line_mbit": traffic.line_megabits,
                "needed_mpps": needed,
                "maps": match self.maps {
                    SaidBy::File => "file",
                    SaidBy::Program => "filled",
                    SaidBy::Nobody => "empty",
                },
            },
            "pipeline": side_json(self.pipeline, needed),
            "core": side_json(self.core, needed),
            "take": self.choice.taken.name(),
            "reason": self.choice.reason,
        })
    }

    pub fn text(&self) -> String {
        let (name, described) = &self.about;
        let mut text = format!(
            "{name} ({described}) as a pipeline and on a core, {}:\n\n",
            self.packets()
        );
        let [pipeline, core] = [self.pipeline, self.core].map(cells);
        text.push_str(&columns(&TITLES, &pipeline, &core));
        for (name, side) in [("pipeline", self.pipeline), ("core", self.core)] {
            if let Err(errors) = side {
                let reasons = errors.iter().map(|error| {
                    let place = error.place.as_ref().map(|place| format!(" ({place})"));
                    format!(
                        "{}: {}{}",
                        error.code,
                        error.message,
                        place.unwrap_or_default()
                    )
                });
                let reasons: Vec<String> = reasons.collect();
                text.push_str(&format!("\nno {name}: {}\n", reasons.join("\n  ")));
            }
        }
        text.push_str(&format!(
            "\nTake the {}: {}.\n",
            self.choice.taken.name(),
            self.choice.reason
        ));
        text
    }

    fn packets(&self) -> String {
        let traffic = self.traffic;
        let from = match traffic.is_given {
            true => "of captures",
            false => "of 64 bytes",
        };
        let maps = match self.maps {
            SaidBy::File => "",
            SaidBy::Program => ", maps that hold half of what the program asks for",
            SaidBy::Nobody => ", empty maps",
        };
        format!(
            "{} {from} in {}{maps}",
            counted(traffic.many.len(), "packet"),
            counted(traffic.flows, "flow")
        )
    }
}

/// Both sides under each other's figures.
fn columns(titles: &[&str], pipeline: &[String], core: &[String]) -> String {
    let width = |first: usize, all: &mut dyn Iterator<Item = usize>| all.fold(first, usize::max);
    let chars = |text: &String| text.chars().count();
    let first = width(0, &mut titles.iter().map(|title| title.len()));
    let second = width("pipeline".len(), &mut pipeline.iter().map(chars));
    let mut text = format!("  {:first$}  {:second$}  core\n", "", "pipeline");
    for (title, (pipeline, core)) in titles.iter().zip(pipeline.iter().zip(core)) {
        text.push_str(&format!("  {title:first$}  {pipeline:second$}  {core}\n"));
    }
    text
}

fn side_json(side: &Refusable<Side>, needed: f64) -> Value {
    let side = match side {
        Ok(side) => side,
        Err(errors) => {
            let errors: Vec<Value> = errors.iter().map(messages::object).collect();
            return json!({"takes": false, "refused": errors});
        }
    };
    let rate = |statistics: &Statistics| {
        json!({
            "packets": statistics.packets,
            "packets_per_clock": statistics.packets_per_clock,
            "clocks_per_packet": statistics.clocks_per_packet.median,
            "mpps": statistics.mpps,
            "keeps_up": statistics.mpps >= needed,
        })
    };
    let mut object = json!({
        "takes": true,
        "refused": null,
        "clock_mhz": side.clock_mhz,
        "one_flow": rate(&side.one),
        "many_flows": rate(&side.many),
        "verdicts": side.many.verdicts,
        "latency": {
            "clocks": side.latency_clocks,
            "ns": side.nanoseconds(side.latency_clocks),
        },
        "estimate": side.size.json(),
    });
    match side.kind {
        Kind::Pipeline { stages } => {
            object["stages"] = json!(stages);
            object["change"] = json!({"by": "build", "clocks": null, "us": null});
        }
        Kind::Core {
            rows,
            operations,
            lanes,
            threads,
            writes,
        } => {
            object["rows"] = json!(rows);
            object["operations"] = json!(operations);
            object["lanes"] = json!(lanes);
            object["threads"] = json!(threads);
            let us = writes as f64 / side.clock_mhz;
            object["change"] = json!({"by": "load", "clocks": writes, "us": us});
        }
    }
    object
}

const TITLES: [&str; 10] = [
    "size",
    "rate, many flows",
    "rate, one flow",
    "latency",
    "LUT",
    "FF",
    "BRAM36",
    "UltraRAM",
    "DSP",
    "another program",
];

/// A column below [`TITLES`].
fn cells(side: &Refusable<Side>) -> Vec<String> {
    let Ok(side) = side else {
        return vec![String::from("-"); TITLES.len()];
    };
    let rate = |statistics: &Statistics| {
        let a_clock = statistics.packets_per_clock;
        format!("{} Mpps ({a_clock:.3} a clock)", mpps(statistics.mpps))
    };
    let (size, change) = match side.kind {
        Kind::Pipeline { stages } => (
            counted(stages, "stage"),
            String::from("a build with the vendor's tool"),
        ),
        Kind::Core {
            rows,
            lanes,
            threads,
            writes,
            ..
        } => (
            format!(
                "{}, {}, {}",
                counted(rows, "row"),
                counted(lanes, "lane"),
                counted(threads, "thread")
            ),
            format!(
                "{:.1} us, {} while packets run",
                writes as f64 / side.clock_mhz,
                counted(writes, "write")
            ),
        ),
    };
    let latency = format!(
        "{:.0} ns ({})",
        side.nanoseconds(side.latency_clocks),
        counted(side.latency_clocks, "clock")
    );
    let estimate = side.size.json();
    let part = |key: &str| match &estimate[key] {
        Value::Number(number) => match number.as_u64() {
            Some(number) => grouped(number),
            None => number.to_string(),
        },
        _ => String::from("not estimated"),
    };
    let parts = ["lut", "ff", "bram36", "uram", "dsp"].map(part);
    let mut cells = vec![size, rate(&side.many), rate(&side.one), latency];
    cells.extend(parts);
    cells.push(change);
    cells
}

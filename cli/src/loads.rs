//! Programs that are loaded into a core during a run: `--load PACKET:OBJ`.
//!
//! The core of the run has slots for all of its programs, if it is not built already. Each load is behind the program before, and keeps the
//! maps that both declare alike, unless all are to become empty.

use crate::arguments::{ArrayEntry, EngineName, LoadOf, ProgramArguments, RunArguments};
use crate::engine::with_first_contents;
use crate::mtu;
use crate::source::{self, Loaded};
use crate::target::{self, core, Asked, Kind};
use hardpath_core::hardware::processor::stream::{Before, Load};
use hardpath_core::hardware::processor::Processor;
use hardpath_core::image::Image as Rows;
use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_ebpf::MTU_MAP;
use hardpath_ir::count::{counted, grouped};
use hardpath_ir::maps::{Image, Maps};
use hardpath_testbed::run::{LoadDone, LoadEvent};
use serde_json::{json, Value};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The programs of a run behind the first one, in their order.
#[derive(Default)]
pub struct Loads {
    pub programs: Vec<Later>,
    /// The same for the run.
    pub events: Vec<LoadEvent>,
}

/// A program that is loaded.
pub struct Later {
    /// When so many packets were sent.
    pub after: usize,
    pub path: PathBuf,
    /// It differs from the one before by this entry of a program array.
    entry: Option<ArrayEntry>,
    pub loaded: Loaded,
    /// The maps that stay, by name.
    kept: BTreeSet<String>,
    /// What all others hold at first.
    first: Image,
}

/// What became of the loads of a run.
#[derive(Default)]
pub struct Happened {
    /// Packets that were told of.
    packets: usize,
    /// Of each load: the number of the first packet that is its program's own, from 1.
    done: Vec<(usize, LoadDone)>,
}

impl Loads {
    /// Reads what the command line wants to be loaded, and makes it part of what is asked: a core with room for all.
    ///
    /// # Errors
    /// `option-needs-core`, `load-needs-hardware`, `load-other-lengths`, `core-lacks`, and all that keeps an object from becoming rows.
    pub fn read(
        run: &RunArguments,
        program: &ProgramArguments,
        loaded: &Loaded,
        (asked, engine): (&mut Asked, EngineName),
    ) -> Result<Loads, Vec<Diagnostic>> {
        if run.load.is_empty() {
            return Ok(Loads::default());
        }
        check(&asked.kind, engine).map_err(|error| vec![error])?;
        let mut wanted = run.load.clone();
        wanted.sort_by_key(|(after, _)| *after);
        let mut programs = Vec::new();
        let mut runs = program.clone();
        for (after, what) in wanted {
            let entry = match what {
                LoadOf::Object(path) => {
                    runs = program.of_another(&path);
                    None
                }
                LoadOf::Entry(entry) => {
                    let entries = &mut runs.object.prog_array;
                    entries.retain(|other| other.at != entry.at);
                    entries.push(entry.clone());
                    Some(entry)
                }
            };
            let loaded = source::load(&runs, asked)?;
            let loaded = loaded.for_target(asked.kind.target)?;
            programs.push(Later {
                after,
                path: runs.file.clone(),
                entry,
                loaded,
                kept: BTreeSet::new(),
                first: Image::new(),
            });
        }
        let mut loads = Loads {
            programs,
            events: Vec::new(),
        };
        loads.place(run, loaded, asked)?;
        Ok(loads)
    }

    /// A core for all, and what is written into it.
    fn place(
        &mut self,
        run: &RunArguments,
        loaded: &Loaded,
        asked: &mut Asked,
    ) -> Result<(), Vec<Diagnostic>> {
        let first = core::rows(loaded, asked)?.image;
        let mut config = core::core_for(&first, asked);
        let mut rows = Vec::new();
        for program in &self.programs {
            let in_file = |errors| in_file(errors, &program.path);
            let image = core::image(&program.loaded, asked).map_err(in_file)?;
            same_lengths(&first, &image).map_err(|error| in_file(vec![error]))?;
            rows.push(image);
        }
        if let Some(processor) = &mut asked.kind.processor {
            if processor.built.is_none() {
                rows.iter().for_each(|image| config.widen(image));
            }
            processor.built = Some(Box::new(config.clone()));
        }
        let mut before = Load::new(&config, &first, Before::Reset, false)?;
        for (program, image) in self.programs.iter_mut().zip(&rows) {
            let known = match run.clear_maps {
                true => Before::Unknown,
                false => Before::Keeps(&before),
            };
            let (event, load) = program
                .event(run, &config, image, known)
                .map_err(|errors| in_file(errors, &program.path.clone()))?;
            self.events.push(event);
            before = load;
        }
        Ok(())
    }

    /// What a program's maps hold when it takes over. `before`: what those of the program before hold.
    pub fn image(&self, number: usize, before: &Image) -> Image {
        let program = &self.programs[number];
        let fresh = Maps::new(&program.loaded.program.maps).image();
        let mut image = program.first.clone();
        for name in &program.kept {
            let (Some(entries), own) = (before.get(name), fresh.get(name)) else {
                continue;
            };
            // What it has anyway nobody writes, which may not be written at all.
            let is_own =
                |key: &Vec<u8>, value: &Vec<u8>| own.is_some_and(|own| own.get(key) == Some(value));
            let others = entries.iter().filter(|(key, value)| !is_own(key, value));
            let others = others.map(|(key, value)| (key.clone(), value.clone()));
            image.insert(name.clone(), others.collect());
        }
        image
    }

    /// For scripts.
    pub fn json(&self, happened: &Happened) -> Value {
        let all = self.programs.iter().zip(&happened.done);
        let all = all.map(|(program, (packet, done))| {
            json!({
                "object": program.path.display().to_string(),
                "entry": program.entry.as_ref().map(ArrayEntry::to_string),
                "after_packets": program.after,
                "first_packet": packet,
                "words": done.words,
                "load_clocks": done.load_clocks,
                "switch_clocks": done.switch_clocks,
                "kept_maps": program.kept,
            })
        });
        all.collect()
    }

    /// For people: nothing where nothing was loaded.
    pub fn text(&self, happened: &Happened) -> String {
        let all = self.programs.iter().zip(&happened.done);
        let all = all.map(|(program, (packet, done))| {
            let entry = program.entry.as_ref();
            let entry = entry.map_or(String::new(), |entry| format!(" with {entry}"));
            format!(
                "  {}{entry} was to be loaded after {} and runs from packet {} on: {} in {}, and {} until it ran\n",
                program.path.display(),
                counted(program.after as u64, "packet"),
                grouped(*packet as u64),
                counted(done.words as u64, "word"),
                counted(done.load_clocks, "clock"),
                counted(done.switch_clocks, "clock"),
            )
        });
        all.collect()
    }
}

impl Later {
    fn event(
        &mut self,
        run: &RunArguments,
        config: &Processor,
        rows: &Rows,
        before: Before,
    ) -> Result<(LoadEvent, Load), Vec<Diagnostic>> {
        let program = &self.loaded.program;
        let has_mtus = program.maps.values().any(|map| map.name == MTU_MAP);
        let mut image = Image::new();
        if has_mtus {
            mtu::set(run, program, &mut image).map_err(|error| vec![error])?;
        }
        let mut image = with_first_contents(program, &image);
        // Which maps stay does not depend on whether the program waits for the host.
        let load = Load::new(config, rows, before, false)?;
        let kept = rows.maps.values().zip(&load.kept);
        let kept = kept.filter(|(_, kept)| **kept);
        self.kept = kept.map(|(map, _)| map.name.clone()).collect();
        image.retain(|name, entries| !self.kept.contains(name) && !entries.is_empty());
        let load = match image.is_empty() {
            true => load,
            false => Load::new(config, rows, before, true)?,
        };
        self.first = image;
        let event = LoadEvent {
            after_packets: self.after,
            interface: config.interface_of(rows, load.clone()),
            first: self.first.clone(),
        };
        Ok((event, load))
    }
}

impl Happened {
    /// A packet is told of.
    pub fn packet(&mut self) {
        self.packets += 1;
    }

    /// The next program takes over; gives its number.
    pub fn loaded(&mut self, done: LoadDone) -> usize {
        self.done.push((self.packets + 1, done));
        self.done.len() - 1
    }
}

fn check(kind: &Kind, engine: EngineName) -> Result<(), Diagnostic> {
    if kind.processor.is_none() {
        return Err(target::needs_core(&["--load"]));
    }
    if !engine.is_hardware() {
        let message = format!(
            "--load loads programs in the middle of traffic, and --engine {} runs one packet behind the other without a clock",
            engine.name()
        );
        return Err(Diagnostic::input("load-needs-hardware", message)
            .help("use --engine native or verilator"));
    }
    Ok(())
}

/// Programs that follow each other take the same packets: nobody can tell of one at the entrance which program's it will be.
fn same_lengths(first: &Rows, image: &Rows) -> Result<(), Diagnostic> {
    let [own, others] = [&image.limits, &first.limits].map(|limits| {
        let bytes = limits.shortest..=limits.longest;
        (format!("{} to {} bytes", bytes.start(), bytes.end()), bytes)
    });
    if own.1 == others.1 {
        return Ok(());
    }
    let message = format!(
        "the program takes packets of {}, and that before it of {}",
        own.0, others.0
    );
    Err(Diagnostic::input("load-other-lengths", message)
        .help("load programs that take packets of the same lengths"))
}

fn in_file(errors: Vec<Diagnostic>, path: &Path) -> Vec<Diagnostic> {
    let errors = errors.into_iter().map(|error| match error.place {
        Some(_) => error,
        None => error.at(Place::of_file(path.display())),
    });
    errors.collect()
}

//! One object: build, schedule, simulate, compare.

use super::builds::{build, Compiler};
use super::report::{hazards, CoreRows, Row, RowStatus, CORE_LANES};
use super::steps::{self, Step};
use super::targets::{Origin, Target};
use super::Setting;
use crate::contents::fill;
use crate::files;
use crate::outputs::shapes;
use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_ebpf::{LoadOptions, Object, ObjectMap, ProgramImage};
use hardpath_ir::Program;
use hardpath_kernel::mapfile;
use hardpath_testbed::capture::{self, Captured};
use hardpath_testbed::traffic::{generate, Protocol, Size, TrafficOptions};
use serde_json::Value;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};

/// The captures that all programs are given.
pub struct Traffic {
    /// For the comparison.
    captures: Vec<PathBuf>,
    /// Their packets, one after the other.
    packets: Vec<Captured>,
    one_flow: PathBuf,
    many_flows: PathBuf,
    /// Those of both.
    flow_packets: Vec<Captured>,
}

/// Different contents of maps that a program is compared with, besides none.
const FILLINGS: u64 = 2;
/// Entries of an array that are set.
const ARRAY_ENTRIES: u32 = 256;
/// Entries of a map whose size the loader chooses; most often that is the number of CPUs.
const OPEN_SIZE: u32 = 64;
/// Entries of an LRU map that never evicts what these captures put in.
const LRU_SIZE: u32 = 16_384;

impl Traffic {
    /// Generates captures into `work`, and adds the real ones of a folder.
    pub fn make(work: &Path, real: Option<&Path>) -> Result<Traffic, Diagnostic> {
        let many = TrafficOptions {
            packets: 4000,
            flows: 1000,
            seed: 1,
            ..TrafficOptions::default()
        };
        let one = TrafficOptions {
            flows: 1,
            ..many.clone()
        };
        let usual = TrafficOptions {
            packets: 1500,
            flows: 100,
            size: Size::Range(14, 1514),
            protocol: Protocol::Mixed,
            both_directions: true,
            ..many.clone()
        };
        let hostile = TrafficOptions {
            packets: 2500,
            size: Size::Range(14, 300),
            hostile: true,
            seed: 2,
            ..usual.clone()
        };
        let make = |name: &str, options: &TrafficOptions| {
            let path = work.join(format!("{name}.pcapng"));
            let packets = generate(options)?;
            files::write(&path, |path| capture::write(path, &packets))?;
            Ok::<_, Diagnostic>((path, packets))
        };
        let (one_flow, mut flow_packets) = make("one-flow", &one)?;
        let (many_flows, more) = make("many-flows", &many)?;
        flow_packets.extend(more);
        let (usual, mut packets) = make("usual", &usual)?;
        let (hostile, more) = make("hostile", &hostile)?;
        packets.extend(more);
        let mut captures = vec![usual, hostile];
        for path in real_captures(real)? {
            packets.extend(capture::read(&path)?);
            captures.push(path);
        }
        Ok(Traffic {
            captures,
            packets,
            one_flow,
            many_flows,
            flow_packets,
        })
    }
}

fn real_captures(folder: Option<&Path>) -> Result<Vec<PathBuf>, Diagnostic> {
    let Some(folder) = folder else {
        return Ok(Vec::new());
    };
    let entries = std::fs::read_dir(folder).map_err(|error| {
        Diagnostic::input("cannot-read", format!("the folder cannot be read: {error}"))
            .at(Place::of_file(folder.display()))
    })?;
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "pcapng"))
        .collect();
    paths.sort();
    Ok(paths)
}

/// The rows of all XDP programs of an object.
pub fn object(setting: &Setting, target: &Target, compiler: Option<&Compiler>) -> Vec<Row> {
    let compiler_name = compiler.map_or("ready-made", |compiler| &compiler.name);
    let row = |program: &str| Row::new(target, program, compiler_name);
    let path = match build(setting, target, compiler) {
        Ok(path) => path,
        Err(reason) => return vec![row(&target.name).refused(reason)],
    };
    // The loader runs in this process: it must not stop the rest either.
    let loaded = catch_unwind(AssertUnwindSafe(|| load(&path)));
    let (object, sizes) = match loaded {
        Ok(Ok(loaded)) => loaded,
        Ok(Err(reason)) => return vec![row(&target.name).refused(reason)],
        Err(_) => return vec![row(&target.name).refused(String::from("the loader panicked"))],
    };
    let programs: Vec<&ProgramImage> = object
        .programs
        .iter()
        .filter(|program| program.section.starts_with("xdp"))
        .collect();
    let is_only = programs.len() == 1;
    programs
        .into_iter()
        .map(|program| {
            let name = match is_only {
                true => target.name.clone(),
                false => format!("{}/{}", target.name, program.name),
            };
            let mut row = row(&name);
            row.slots = Some(program.insns.len());
            let work = Work {
                setting,
                target,
                path: &path,
                object: &object,
                sizes: &sizes,
                program,
                name: format!("{} {name}", compiler_name).replace([' ', '/'], "-"),
                drops_events: !hardpath_ebpf::event_calls(&object, program).is_empty(),
                depth: Cell::new(None),
            };
            match catch_unwind(AssertUnwindSafe(|| work.measure(row.clone()))) {
                Ok(Ok(row)) => row,
                Ok(Err(reason)) => row.refused(reason),
                Err(_) => row.refused(String::from("the compiler panicked")),
            }
        })
        .collect()
}

/// The object, and the sizes of maps that were changed.
fn load(path: &Path) -> Result<(Object, BTreeMap<String, u32>), String> {
    let bytes = files::read(path).map_err(|error| error.to_string())?;
    let name = path.display().to_string();
    let load = |max_entries: &BTreeMap<String, u32>| {
        let options = LoadOptions {
            max_entries: max_entries.clone(),
            drop_events: true,
            ..LoadOptions::default()
        };
        hardpath_ebpf::load(&bytes, &name, &options).map_err(|errors| in_words(&errors))
    };
    let sizes = sizes(&load(&BTreeMap::new())?);
    Ok((load(&sizes)?, sizes))
}

/// Sizes of maps, where an object leaves them to its loader, and of LRU maps that are so small that an entry might be
/// evicted: which one, the kernel does not promise.
fn sizes(object: &Object) -> BTreeMap<String, u32> {
    let size = |map: &ObjectMap| match map.kind() {
        _ if map.max_entries == 0 => Some(OPEN_SIZE),
        Some(kind) if kind.is_lru() && map.max_entries < LRU_SIZE => Some(LRU_SIZE),
        _ => None,
    };
    let maps = object.maps.iter();
    maps.filter_map(|map| Some((map.name.clone(), size(map)?)))
        .collect()
}

fn in_words(errors: &[Diagnostic]) -> String {
    let texts: Vec<String> = errors
        .iter()
        .map(|error| format!("{}: {}", error.code, error.message))
        .collect();
    texts.join("; ")
}

/// How deep to look into packets, in bytes, where a program follows headers without end.
const DEPTH: u32 = 128;

/// One program of an object.
struct Work<'a> {
    setting: &'a Setting,
    target: &'a Target,
    path: &'a Path,
    object: &'a Object,
    sizes: &'a BTreeMap<String, u32>,
    program: &'a ProgramImage,
    /// For the names of files.
    name: String,
    /// Has calls that tell user space something.
    drops_events: bool,
    /// How deep to look, for a program that can look anywhere.
    depth: Cell<Option<u32>>,
}

/// What a program is made for in a step.
#[derive(Clone, Copy)]
enum On {
    Pipeline,
    Core,
}

/// Contents of maps before a run: a map file, or none.
type Contents = Option<PathBuf>;

impl Work<'_> {
    fn measure(&self, mut row: Row) -> Result<Row, String> {
        row.core = self.compile_rows()?;
        let mut compiled = self.step("compile", &[])?;
        if compiled.code() == "variable-offset" {
            self.depth.set(Some(DEPTH));
            compiled = self.step("compile", &[])?;
            row.options.push(format!("--depth {DEPTH}"));
        }
        if self.drops_events {
            row.options.push(String::from("--drop-events"));
        }
        if compiled.status != 0 {
            // What becomes no pipeline can well be rows.
            self.compare_rows(&mut row, &self.over_captures(&None))?;
            return Ok(row.refused(compiled.reason()));
        }
        row.stages = compiled.object["stages"].as_u64();
        row.hazards = hazards(&compiled.object["maps"]);
        if self.setting.compile_only {
            row.status = RowStatus::Ok;
            return Ok(row);
        }
        if self.setting.with_synthesis {
            let synthesized = self.step("synth", &[])?;
            row.lut_levels = synthesized.object["levels"].as_f64();
        }
        let program =
            hardpath_ebpf::lift(self.object, self.program).map_err(|errors| in_words(&errors))?;

        let kept = self.kept_maps();
        let mut contents: Vec<Contents> = vec![None];
        contents.extend(kept.clone().map(Some));
        for seed in 1..=FILLINGS {
            contents.push(Some(self.filled(
                &program,
                &self.setting.traffic.packets,
                seed,
            )?));
        }
        for (number, contents) in contents.iter().enumerate() {
            self.compare(&mut row, contents, number)?;
        }
        for trial in self.trials()? {
            self.compare_with(&mut row, &trial)?;
        }

        let for_flows = match kept {
            Some(path) => path,
            None => self.filled(&program, &self.setting.traffic.flow_packets, 0)?,
        };
        row.ppc_one_flow = self.throughput(&self.setting.traffic.one_flow, &for_flows)?;
        row.ppc_many_flows = self.throughput(&self.setting.traffic.many_flows, &for_flows)?;
        row.status = match row.mismatches + row.core.mismatches {
            0 => RowStatus::Ok,
            _ => RowStatus::Mismatch,
        };
        Ok(row)
    }

    /// The program as rows of a core.
    fn compile_rows(&self) -> Result<CoreRows, String> {
        let step = self.step_on(On::Core, "compile", &[])?;
        let rows = step.object["rows"].as_u64();
        Ok(CoreRows {
            reason: rows.is_none().then(|| step.reason()),
            rows,
            ..CoreRows::default()
        })
    }

    fn step(&self, command: &str, more: &[OsString]) -> Result<Step, String> {
        self.step_on(On::Pipeline, command, more)
    }

    fn step_on(&self, on: On, command: &str, more: &[OsString]) -> Result<Step, String> {
        let mut arguments: Vec<OsString> = vec![command.into(), self.path.into()];
        arguments.extend(["--program".into(), self.program.name.clone().into()]);
        for (map, entries) in self.sizes {
            arguments.extend(["--max-entries".into(), format!("{map}={entries}").into()]);
        }
        if self.drops_events {
            arguments.push("--drop-events".into());
        }
        match (on, self.depth.get()) {
            (On::Pipeline, Some(depth)) => {
                arguments.extend(["--depth".into(), depth.to_string().into()]);
            }
            (On::Pipeline, None) => {}
            // A core looks as deep as the program does.
            (On::Core, _) => {
                let lanes = CORE_LANES.to_string();
                let options = ["--target", "core", "--lanes", &lanes];
                arguments.extend(options.map(OsString::from));
            }
        }
        arguments.extend_from_slice(more);
        steps::run(&arguments, self.setting.time_limit)
    }

    /// A map file that somebody wrote for this program.
    fn kept_maps(&self) -> Option<PathBuf> {
        let name = format!("{}.maps.json", self.target.name);
        let folder = match self.target.origin {
            Origin::Own => &self.setting.programs,
            _ => &self.setting.maps,
        };
        Some(folder.join(name)).filter(|path| path.exists())
    }

    fn filled(
        &self,
        program: &Program,
        packets: &[Captured],
        seed: u64,
    ) -> Result<PathBuf, String> {
        let image = fill(program, packets, 1, ARRAY_ENTRIES, seed);
        let path = self.setting.work.join(format!("{}-{seed}.json", self.name));
        let text = mapfile::to_text(&image, &shapes(program));
        files::write_text(&path, &text).map_err(|error| error.to_string())?;
        Ok(path)
    }

    /// Compares over all captures; every other time with gaps between packets and outputs that are not always ready.
    fn compare(&self, row: &mut Row, contents: &Contents, number: usize) -> Result<(), String> {
        let mut arguments = self.over_captures(contents);
        if number % 2 == 1 {
            let pace = format!("random:{number}");
            arguments.extend(["--pace", &pace, "--backpressure", "3"].map(OsString::from));
        }
        self.compare_with(row, &arguments)
    }

    fn over_captures(&self, contents: &Contents) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = Vec::new();
        for capture in &self.setting.traffic.captures {
            arguments.extend(["--pcap".into(), capture.into()]);
        }
        if let Some(path) = contents {
            arguments.extend(["--maps".into(), path.into()]);
        }
        arguments
    }

    /// The pipeline, and then the rows.
    fn compare_with(&self, row: &mut Row, arguments: &[OsString]) -> Result<(), String> {
        let (step, judge) = self.check(On::Pipeline, row, arguments)?;
        let Some((packets, mismatches)) = compared(&step) else {
            return Err(step.reason());
        };
        if row.judge != Some("kernel") {
            row.judge = Some(judge);
        }
        let again = String::from("asked again");
        if step.warns("kernel-asked-again") && !row.options.contains(&again) {
            row.options.push(again);
        }
        row.packets += packets;
        row.mismatches += mismatches;
        if mismatches > 0 && row.reason.is_none() {
            row.reason = first_mismatch(&step.object);
        }
        self.compare_rows(row, arguments)
    }

    fn compare_rows(&self, row: &mut Row, arguments: &[OsString]) -> Result<(), String> {
        if row.core.rows.is_none() || self.setting.compile_only {
            return Ok(());
        }
        let (mut step, _) = self.check(On::Core, row, arguments)?;
        if step.code() == "core-unit-missing" {
            row.core.interpreted = Some(step.reason());
            let by_rows = ["--engine", "rows"].map(OsString::from);
            (step, _) = self.check(On::Core, row, &[arguments, &by_rows[..]].concat())?;
        }
        let Some((packets, mismatches)) = compared(&step) else {
            return Err(format!("on a core: {}", step.reason()));
        };
        row.core.packets += packets;
        row.core.mismatches += mismatches;
        if mismatches > 0 && row.reason.is_none() {
            row.reason = first_mismatch(&step.object).map(|first| format!("on a core: {first}"));
        }
        Ok(())
    }

    /// With the kernel; with the interpreter where the kernel cannot be asked.
    fn check(
        &self,
        on: On,
        row: &mut Row,
        arguments: &[OsString],
    ) -> Result<(Step, &'static str), String> {
        let step = self.step_on(on, "check", arguments)?;
        if !step.code().starts_with("kernel-") && step.code() != "unsupported-map" {
            return Ok((step, "kernel"));
        }
        row.note = Some(step.reason());
        let against = ["--against", "interpreter"].map(OsString::from);
        let step = self.step_on(on, "check", &[arguments, &against[..]].concat())?;
        Ok((step, "interpreter"))
    }

    /// Packets a clock.
    fn throughput(&self, capture: &Path, contents: &Path) -> Result<Option<f64>, String> {
        let arguments: [OsString; 4] = [
            "--pcap".into(),
            capture.into(),
            "--maps".into(),
            contents.into(),
        ];
        let step = self.step("sim", &arguments)?;
        match step.object["packets_per_clock"].as_f64() {
            Some(rate) => Ok(Some((rate * 1000.0).round() / 1000.0)),
            None => Err(step.reason()),
        }
    }

    /// How to try one of our own programs stands in its first comment: the traffic is made, and the options of the
    /// checks are given.
    fn trials(&self) -> Result<Vec<Vec<OsString>>, String> {
        if self.target.origin != Origin::Own {
            return Ok(Vec::new());
        }
        let text = files::read_text(&self.target.path).map_err(|error| error.to_string())?;
        let folder = self.setting.work.join(&self.name);
        files::create_folder(&folder).map_err(|error| error.to_string())?;
        // What the comment leaves in build/ is left in the work folder.
        let place = |word: &str| match word.strip_prefix("build/") {
            Some(name) => folder.join(name).into_os_string(),
            None => OsString::from(word),
        };
        let mut trials = Vec::new();
        for line in text.lines().map_while(|line| line.strip_prefix("//")) {
            let mut words = line.split_whitespace();
            match (words.next(), words.next()) {
                (Some("hardpath"), Some("traffic")) => {
                    let arguments = std::iter::once("traffic".into()).chain(words.map(place));
                    let arguments: Vec<OsString> = arguments.collect();
                    let made = steps::run(&arguments, self.setting.time_limit)?;
                    if made.status != 0 {
                        return Err(made.reason());
                    }
                }
                // The object, which comes first, is the one that was built.
                (Some("hardpath"), Some("check")) => {
                    trials.push(words.skip(1).map(place).collect());
                }
                _ => {}
            }
        }
        Ok(trials)
    }
}

/// Packets, and what differs in them and in maps; `None`: nothing was compared.
fn compared(step: &Step) -> Option<(u64, u64)> {
    let count = |key: &str| step.object[key].as_u64();
    Some((
        count("packets")?,
        count("mismatches")? + count("map_mismatches")?,
    ))
}

fn first_mismatch(object: &Value) -> Option<String> {
    let first = object["first_mismatches"].get(0)?;
    let text = |key: &str| {
        let value = &first[key];
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    Some(format!(
        "{} packet {}: {} is {}, expected {}",
        text("capture"),
        text("packet"),
        text("field"),
        text("got"),
        text("expected")
    ))
}

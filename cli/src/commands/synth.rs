//! `hardpath synth`: area and depth of a program's hardware.

mod depth;

use super::{folder, vendor};
use crate::answer::{Answer, Status};
use crate::arguments::{FlowName, PlacerName, SynthArguments};
use crate::files;
use crate::source;
use crate::table::{facts, rows};
use crate::target::{self, Asked, Hardware};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::count::grouped;
use hardpath_pipeline::technology::ECP5;
use hardpath_rtl::{verilog, Direction};
use hardpath_synth::cards::{Card, CARDS, NAMES};
use hardpath_synth::project::Vendor;
use hardpath_synth::wrapper::WrappedPort;
use hardpath_synth::{Ecp5Options, ModuleArea, Options, Placer, SynthReport};
use hardpath_testbed::dut::no_text;
use serde_json::json;

pub fn run(arguments: &SynthArguments) -> Result<Answer, Vec<Diagnostic>> {
    let answer = match arguments.flow {
        FlowName::Yosys | FlowName::Ecp5 => open_tools(arguments),
        FlowName::Vivado => vendor::run(arguments, Vendor::Vivado),
        FlowName::Quartus => vendor::run(arguments, Vendor::Quartus),
    }?;
    Ok(answer.with_warnings(of_other_flows(arguments)))
}

/// What is asked for and changes nothing in this flow.
fn of_other_flows(arguments: &SynthArguments) -> Option<Diagnostic> {
    let options = match arguments.flow {
        FlowName::Yosys | FlowName::Ecp5 => [
            ("--part", arguments.part.is_some()),
            ("-o", arguments.output.is_some()),
        ],
        FlowName::Vivado | FlowName::Quartus => [
            ("--no-parts", arguments.no_parts),
            ("--netlist", arguments.netlist.is_some()),
        ],
    };
    let given = options.into_iter().filter(|(_, given)| *given);
    let names: Vec<&str> = given.map(|(name, _)| name).collect();
    (!names.is_empty()).then(|| {
        let names = names.join(" and ");
        Diagnostic::note(
            "option-unused",
            format!("{names} changed nothing: this flow has no use for it"),
        )
        .help("`hardpath synth --help` says for each option in which flows it counts")
    })
}

fn open_tools(arguments: &SynthArguments) -> Result<Answer, Vec<Diagnostic>> {
    let is_ecp5 = arguments.flow == FlowName::Ecp5;
    let hardware = &arguments.program.hardware;
    let asked = match is_ecp5 {
        true => target::asked_or(hardware, &ECP5),
        false => target::asked(hardware),
    };
    let asked = asked.map_err(|error| vec![error])?;
    if let Some(netlist) = &arguments.netlist {
        // Not only after an hour of synthesis.
        files::check_no_folder(netlist).map_err(|error| vec![error])?;
    }
    let design = match arguments.program.file.is_dir() {
        true => in_folder(arguments, &asked).map_err(|error| vec![error])?,
        false => of_program(arguments, &asked)?,
    };
    let (sources, top, warnings) = (design.sources, design.top, design.warnings);
    let options = Options {
        family: asked.family.yosys.into(),
        map_modules: design.map_modules,
        parts: !arguments.no_parts,
        netlist: arguments.netlist.clone(),
    };
    let report = match is_ecp5 {
        true => {
            let options = Ecp5Options {
                clock_mhz: design.clock_mhz,
                seed: arguments.seed,
                placer: match arguments.placer {
                    PlacerName::Heap => Placer::Heap,
                    PlacerName::Static => Placer::Static,
                },
                ports: design.ports,
                yosys: options,
            };
            hardpath_synth::ecp5(&sources, &top, &options)
        }
        false => hardpath_synth::yosys(&sources, &top, &options),
    };
    let report = report.map_err(|error| vec![error])?;
    let mut answer =
        Answer::good(json!(report), text(&report, arguments.worst)).with_warnings(warnings);
    if misses_clock(&report) {
        answer.status = Status::Differs;
    }
    Ok(answer)
}

/// What is synthesized.
struct Design {
    sources: Vec<(String, String)>,
    top: String,
    map_modules: Vec<String>,
    ports: Vec<WrappedPort>,
    clock_mhz: f64,
    warnings: Vec<Diagnostic>,
}

fn of_program(arguments: &SynthArguments, asked: &Asked) -> Result<Design, Vec<Diagnostic>> {
    let loaded = source::load(&arguments.program, asked)?.for_target(asked.kind.target)?;
    let hardware = target::compile(&loaded, asked)?;
    Ok(Design {
        sources: verilog::print(&hardware.design).map_err(|error| vec![no_text(error)])?,
        top: hardware.interface.top.clone(),
        ports: ports(&hardware),
        clock_mhz: hardware.clock_mhz,
        warnings: loaded.warnings_with(&hardware.warnings),
        map_modules: hardware.map_modules,
    })
}

/// The design in the folder that stands for the program, as it was written. What is asked of it is its own clock, unless
/// another is given.
fn in_folder(arguments: &SynthArguments, asked: &Asked) -> Result<Design, Diagnostic> {
    let place = &arguments.program.file;
    let top = folder::top(place)?;
    let sources = folder::sources(place, &top)?;
    let modules = sources.iter();
    let modules = modules.filter_map(|(name, _)| name.strip_suffix(".sv"));
    Ok(Design {
        map_modules: hardpath_pipeline::map_modules(&top, modules),
        ports: folder::ports(place, &sources, &top)?,
        clock_mhz: match arguments.program.hardware.clock {
            Some(clock_mhz) => clock_mhz,
            None => folder::clock_mhz(place, &top)?,
        },
        sources,
        top,
        warnings: asked.notes.clone(),
    })
}

/// The routed design is slower than what was asked for.
fn misses_clock(report: &SynthReport) -> bool {
    matches!((report.clock_mhz, report.fmax_mhz), (Some(asked), Some(reached)) if reached < asked)
}

/// The ports of the top but clock and reset.
fn ports(hardware: &Hardware) -> Vec<WrappedPort> {
    let top = hardware.design.modules.values().next_back();
    let ports = top.map_or(&[][..], |top| &top.ports);
    ports
        .iter()
        .map(|port| WrappedPort {
            name: port.name.clone(),
            bits: port.width,
            is_input: port.direction == Direction::Input,
        })
        .collect()
}

fn text(report: &SynthReport, worst: usize) -> String {
    let with_maps = |all: u64, without: Option<u64>| match without {
        Some(without) => format!("{} ({} without maps)", grouped(all), grouped(without)),
        None => grouped(all),
    };
    let mut lines = vec![
        ("flow", format!("{} for {}", report.flow, report.part)),
        ("LUT", with_maps(report.lut, report.lut_without_maps)),
        ("FF", with_maps(report.ff, report.ff_without_maps)),
    ];
    if report.ff_in_memories > 0 {
        let own = grouped(report.ff_in_memories);
        lines.push((
            "",
            format!("{own} of them behind memories, into which a vendor's tool puts them"),
        ));
    }
    lines.extend([
        ("carry", grouped(report.carry)),
        ("BRAM36", report.bram36.to_string()),
        ("UltraRAM", grouped(report.uram)),
        ("DSP", grouped(report.dsp)),
    ]);
    match (report.clock_mhz, report.fmax_mhz) {
        (Some(asked), Some(reached)) => lines.push((
            "clock",
            format!(
                "{reached:.1} MHz after routing, {} MHz were asked for: {}",
                (asked * 10.0).round() / 10.0,
                if misses_clock(report) {
                    "MISSED"
                } else {
                    "met"
                }
            ),
        )),
        _ => lines.extend(depth::lines(report)),
    }
    let mut text = facts(&lines);
    if !report.modules.is_empty() {
        let modules: Vec<Vec<String>> = report.modules.iter().map(module).collect();
        text.push_str("\nBy module, each on its own:\n\n");
        let heads = ["module", "LUT", "FF", "carry", "BRAM36", "UltraRAM", "DSP"];
        text.push_str(&rows(&heads, &modules));
    }
    if report.flow == "yosys" {
        let cards: Vec<Vec<String>> = CARDS.iter().map(|card| shares(card, report)).collect();
        text.push_str("\nOf a card, in percent:\n\n");
        let heads = [&["card"][..], &NAMES].concat();
        text.push_str(&rows(&heads, &cards));
    }
    text.push_str(&depth::paths(report, worst));
    text
}

fn module(module: &ModuleArea) -> Vec<String> {
    vec![
        module.name.clone(),
        grouped(module.lut),
        grouped(module.ff),
        grouped(module.carry),
        module.bram36.to_string(),
        grouped(module.uram),
        grouped(module.dsp),
    ]
}

fn shares(card: &Card, report: &SynthReport) -> Vec<String> {
    let mut cells = vec![card.name.to_owned()];
    cells.extend(
        card.shares(&report.resources())
            .map(|percent| format!("{percent:.2}")),
    );
    cells
}

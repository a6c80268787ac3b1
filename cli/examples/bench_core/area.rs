//! Area by part, as the estimate has it.

use super::machine::CLOCK_MHZ;
use super::paper;
use super::setting::Setting;
use hardpath_diagnostic::Diagnostic;
use hardpath_pipeline::delay::Timing;
use hardpath_pipeline::technology::ULTRASCALE_PLUS;
use hardpath_rtl::{verilog, Design, ModuleId};
use hardpath_synth::cards::Resources;
use hardpath_synth::estimate;
use std::fmt::Write;

const AREA: &str = "
## Area

The parts of the core above, for UltraScale+: what `hardpath compile` estimates without a tool ([synth/src/estimate.rs](../synth/src/estimate.rs)),
within 25 % of yosys, which has made a netlist of all of it but the maps, too (`synth_xilinx -family xcup -flatten -noiopad -nowidelut`). Each
is estimated alone. The multiplier has DSPs (hXDP has none, and no divider). A stack stands in packet memory, in front
of its packet. hXDP's parts are those of the paper, on a Virtex-7, beside ours that do the same; its maps have 64 entries of 64 bytes.

| part | LUT | FF | BRAM36 | UltraRAM | DSP | hXDP | LUT | FF | BRAM36 |
|---|--:|--:|--:|--:|--:|---|--:|--:|--:|
";

/// The parts, each with its modules in the top and, behind the first that does the same, what hXDP calls it.
const PARTS: [(&str, &[&str], Option<&str>); 9] = [
    ("entrance", &["intake"], Some("input queue")),
    (
        "packet memory, its access, exit",
        &["memory", "accesses", "exits", "transmit"],
        Some("packet selector"),
    ),
    (
        "lanes with registers, decoders, threads",
        &["lanes", "decode", "threads"],
        Some("processor (lanes, registers, control)"),
    ),
    ("multiplier", &["product"], None),
    (
        "program memory: two banks of 4,096 rows",
        &["program"],
        Some("program memory"),
    ),
    (
        "divider, sums, copies of many bytes",
        &["slow"],
        Some("helpers"),
    ),
    ("map requests, commit order, conflicts", &["requests"], None),
    ("host port, counters", &["host", "port", "statistics"], None),
    ("maps", &["map"], Some("maps (64 entries of 64 bytes)")),
];

/// # Errors
/// Those of yosys.
pub fn table(setting: &mut Setting) -> Result<String, Vec<Diagnostic>> {
    let mut design = setting.bench.design().clone();
    let timing = Timing {
        technology: &ULTRASCALE_PLUS,
        clock_mhz: CLOCK_MHZ,
    };
    hardpath_pipeline::for_family(&mut design, timing);
    let top = design.modules[design.top()].name.clone();
    let requests = inside(&design, &format!("{top}_requests"));
    let maps: Vec<ModuleId> = requests
        .into_iter()
        .filter(|id| design.modules[*id].name.starts_with(&format!("{top}_map_")))
        .collect();
    let mut text = String::from(AREA);
    let mut line = |part: &str, used: &Resources, theirs: Option<&str>| {
        let theirs = paper::AREA.iter().find(|(name, ..)| Some(*name) == theirs);
        let theirs = theirs.map_or("- | - | - | -".into(), |(name, lut, ff, bram)| {
            format!("{name} | {lut} | {ff} | {bram}")
        });
        let _ = writeln!(
            text,
            "| {part} | {} | {} | {} | {} | {} | {theirs} |",
            used.lut, used.ff, used.bram36, used.uram, used.dsp
        );
    };
    let of_maps = sum(maps.iter().map(|id| alone(&design, *id)));
    let parts = inside(&design, &top);
    for (part, modules, theirs) in PARTS {
        let used = match modules {
            ["map"] => of_maps,
            _ => {
                let names: Vec<String> =
                    modules.iter().map(|name| format!("{top}_{name}")).collect();
                let parts = parts.iter().filter(|id| {
                    // Copies for many loads have other names.
                    let name = &design.modules[**id].name;
                    names.contains(name)
                });
                let used = sum(parts.map(|id| alone(&design, *id)));
                if modules == ["requests"] {
                    less(used, of_maps)
                } else {
                    used
                }
            }
        };
        line(part, &used, theirs);
    }
    let whole = estimate::estimate(&design).resources;
    line("all of it but the maps", &less(whole, of_maps), None);
    line("the same, by yosys", &by_yosys(&design, &top, &maps)?, None);
    line("all of it", &whole, Some("all of it"));
    Ok(text)
}

/// What yosys makes of the design with its maps taken out.
fn by_yosys(design: &Design, top: &str, maps: &[ModuleId]) -> Result<Resources, Vec<Diagnostic>> {
    let maps = maps.iter().map(|id| design.modules[*id].name.clone());
    let options = hardpath_synth::Options {
        map_modules: maps.collect(),
        parts: false,
        ..hardpath_synth::Options::default()
    };
    let files = verilog::print(design).expect("it has no foreign modules");
    let area = hardpath_synth::area_without_maps(&files, top, &options);
    let area = area.map_err(|error| vec![error])?;
    Ok(Resources {
        lut: area.lut,
        ff: area.ff,
        bram36: area.bram18 as f64 / 2.0,
        uram: area.uram,
        dsp: area.dsp,
    })
}

/// The modules that stand in one.
fn inside(design: &Design, name: &str) -> Vec<ModuleId> {
    let mut modules = design.modules.values();
    let module = modules.find(|module| module.name == name);
    let instances = module
        .into_iter()
        .flat_map(|module| module.instances.values());
    instances.map(|instance| instance.module).collect()
}

/// What a module takes, with all that is in it.
fn alone(design: &Design, id: ModuleId) -> Resources {
    let mut part = Design::new();
    part.attributes = design.attributes;
    for (other, module) in &design.modules {
        part.add(module.clone());
        if other == id {
            break;
        }
    }
    estimate::estimate(&part).resources
}

fn sum(parts: impl Iterator<Item = Resources>) -> Resources {
    parts.fold(Resources::default(), |sum, part| Resources {
        lut: sum.lut + part.lut,
        ff: sum.ff + part.ff,
        bram36: sum.bram36 + part.bram36,
        uram: sum.uram + part.uram,
        dsp: sum.dsp + part.dsp,
    })
}

fn less(all: Resources, part: Resources) -> Resources {
    Resources {
        lut: all.lut.saturating_sub(part.lut),
        ff: all.ff.saturating_sub(part.ff),
        bram36: all.bram36 - part.bram36,
        uram: all.uram.saturating_sub(part.uram),
        dsp: all.dsp.saturating_sub(part.dsp),
    }
}

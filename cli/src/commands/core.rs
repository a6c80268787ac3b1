//! `hardpath core`: a processor's design, built once for all programs that fit it.

mod demonstration;

use crate::answer::Answer;
use crate::arguments::{CoreArguments, HdlName};
use crate::core_file;
use crate::design::{self, Language, Origin, Sources};
use crate::files::write_folder;
use crate::size::{self, Size};
use crate::table::{facts, rows};
use crate::target::core::{self, Processor};
use crate::target::{Asked, Hardware, Kind};
use hardpath_core::compile;
use hardpath_core::hardware::processor::{fit, processor, Processor as Core};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::count::{counted, grouped};
use hardpath_ir::maps::Image;
use hardpath_ir::Program;
use hardpath_kernel::xdp;
use hardpath_packet::Output;
use serde_json::{json, Value};
use std::path::Path;

/// The languages of a core's design, each in a folder of its own.
const LANGUAGES: [HdlName; 2] = [HdlName::Verilog, HdlName::Vhdl];

pub fn run(arguments: &CoreArguments) -> Result<Answer, Vec<Diagnostic>> {
    let slots = match &arguments.maps {
        Some(file) => core_file::read_slots(file)?,
        None => Vec::new(),
    };
    let asked_for = Processor::new(arguments.processor.lanes, arguments.processor.threads);
    let mut machine = asked_for.machine;
    machine.rows = arguments.rows;
    let config = Core {
        bus_bits: arguments.bus,
        slots,
        outputs: vec![verdict()],
        ..Core::new(&arguments.name, &machine, asked_for.threads)
    };
    let asked = asked(arguments, &config);
    let program = demonstration::program(&config)?;
    let compiled = compile::compile(&program, &machine)?;
    fit::fit(&config, &compiled.image, &[])?;
    let mut built = processor(&config);
    built.starts_with(&config, &compiled.image)?;
    let hardware = core::hardware_of(&config, built, compiled.program, &asked);
    let warnings = size::check(&hardware.design, hardware.family, arguments.force);
    let warnings = warnings.map_err(one)?;
    let written = match &arguments.output {
        Some(folder) => write(&config, &hardware, &program, folder).map_err(one)?,
        None => Vec::new(),
    };
    let size = Size::of(&hardware.design, hardware.family);
    let mut text = report(&config);
    if let Some(sentence) = size.sentence() {
        text.push_str(&format!("\n{sentence}\n"));
    }
    if let Some(folder) = &arguments.output {
        text.push_str(&format!(
            "\n{} files in {}; start with README.md; compile programs with --target core --core {}\n",
            written.len(),
            folder.display(),
            folder.join(core_file::NAME).display()
        ));
    }
    Ok(Answer::good(json(&config, &size, &written), text).with_warnings(warnings))
}

fn one(error: Diagnostic) -> Vec<Diagnostic> {
    vec![error]
}

/// What an XDP program gives with each packet.
fn verdict() -> Output {
    Output {
        name: xdp::VERDICT.into(),
        width: xdp::VERDICT_BITS,
        values: xdp::NAMES.map(String::from).into(),
    }
}

fn asked(arguments: &CoreArguments, config: &Core) -> Asked {
    let family = arguments.family.unwrap_or(crate::target::usual_family());
    Asked {
        kind: Kind {
            target: &core::Core,
            processor: Some(Processor {
                machine: config.machine.clone(),
                threads: config.threads(),
                built: Some(Box::new(config.clone())),
                ..Processor::new(None, None)
            }),
        },
        family,
        clock_mhz: arguments.clock.unwrap_or(family.usual_clock_mhz),
        bus_bits: config.bus_bits,
        without: Default::default(),
        force: arguments.force,
        journal: false,
        cut_through: false,
        notes: Vec::new(),
    }
}

/// The folder: what the core is, and its design in each language.
fn write(
    config: &Core,
    hardware: &Hardware,
    program: &Program,
    folder: &Path,
) -> Result<Vec<String>, Diagnostic> {
    let origin = Origin {
        text: format!("its configuration in {}", core_file::NAME),
        language: Language::Xdp,
        layouts: &[],
        first: &Image::new(),
    };
    let mut files = vec![
        ("README.md".to_owned(), readme(config).into_bytes()),
        (
            core_file::NAME.to_owned(),
            core_file::write(config).into_bytes(),
        ),
    ];
    for hdl in LANGUAGES {
        let sources = Sources::of(hardware, hdl)?;
        let design = design::files(hardware, sources, &origin, program)?;
        let inside = design.into_iter();
        files.extend(inside.map(|(name, text)| (format!("{}/{name}", hdl.name()), text)));
    }
    write_folder(folder, &files, core_file::NAME)?;
    let names = files.iter();
    Ok(names
        .map(|(name, _)| folder.join(name).display().to_string())
        .collect())
}

fn slot_rows(config: &Core) -> Vec<Vec<String>> {
    let slots = config.slots.iter().enumerate();
    let slots = slots.map(|(number, slot)| {
        vec![
            number.to_string(),
            slot.outside.clone(),
            slot.key_bytes.to_string(),
            slot.value_bytes.to_string(),
            grouped(slot.max_entries.into()),
        ]
    });
    slots.collect()
}

const SLOT_COLUMNS: [&str; 5] = ["slot", "type", "key B", "value B", "entries"];

fn report(config: &Core) -> String {
    let mut text = facts(&[
        (
            "core",
            format!(
                "{}, {}, {} rows of program memory in each of two banks",
                counted(config.machine.lanes, "lane"),
                counted(config.threads(), "thread"),
                grouped(config.machine.rows.into())
            ),
        ),
        ("streams", format!("{} bits", config.bus_bits)),
        ("identity", format!("0x{:08x}", config.identity())),
    ]);
    if !config.slots.is_empty() {
        text.push('\n');
        text.push_str(&rows(&SLOT_COLUMNS, &slot_rows(config)));
    }
    text
}

fn readme(config: &Core) -> String {
    let name = &config.name;
    let mut text = format!(
        "# {name}\n\n\
         A packet processor: {}, {}, streams of {} bits. Its programs are loaded while packets run.\n\n\
         | file | what for |\n|---|---|\n\
         | `{}` | what the core is: for `hardpath compile`, `sim`, `check` and `load` |\n\
         | `verilog/`, `vhdl/` | its design, each with a README, constraints and a test bench, which loads a program that uses all slots but those that forget |\n\n\
         ```\n\
         hardpath compile program.o --target core --fit {} -o rows    # does it fit? its image\n\
         hardpath load rows/program.hpi --core {} --words load.txt    # the writes that load it\n\
         hardpath sim program.o --target core --core {} --pcap some.pcap\n\
         ```\n",
        counted(config.machine.lanes, "lane"),
        counted(config.threads(), "thread"),
        config.bus_bits,
        core_file::NAME,
        core_file::NAME,
        core_file::NAME,
        core_file::NAME
    );
    if config.slots.is_empty() {
        text.push_str("\nIt has no slots for maps.\n");
        return text;
    }
    text.push_str(
        "\n## Slots\n\nA program's maps stand in them: each needs one of its kind, with keys, values and entries of its size or more.\n\n\
         | slot | type | bytes of key | of value | entries |\n|--:|---|--:|--:|--:|\n",
    );
    for row in slot_rows(config) {
        text.push_str(&format!("| {} |\n", row.join(" | ")));
    }
    text
}

fn json(config: &Core, size: &Size, files: &[String]) -> Value {
    let slots = config.slots.iter().map(|slot| {
        json!({
            "kind": slot.outside,
            "key_bytes": slot.key_bytes,
            "value_bytes": slot.value_bytes,
            "entries": slot.max_entries,
        })
    });
    json!({
        "target": "core",
        "name": config.name,
        "lanes": config.machine.lanes,
        "threads": config.threads(),
        "rows": config.machine.rows,
        "bus_bits": config.bus_bits,
        "identity": config.identity(),
        "slots": slots.collect::<Vec<Value>>(),
        "estimate": size.json(),
        "files": files,
    })
}

//! The flow `yosys`: synthesis for a family, then a look at the mapped netlist.
//!
//! Families of Xilinx are mapped without wide LUTs (`-nowidelut`): left to itself, yosys makes LUTs of seven to nine inputs, whose
//! multiplexers look free and are not, so neither its LUTs nor its levels would be those of the device.
//!
//! What is without maps is measured, not guessed: after flattening nobody can say whose a LUT at a border was. So
//! the design is synthesized a second time with the maps' modules as black boxes, and what is left is counted.

use crate::area::Area;
use crate::fanout::Fanout;
use crate::levels::Depth;
use crate::netlist::{Memory, Netlist};
use crate::tool::{cannot_write, YOSYS};
use crate::{area, fanout, levels, netlist, SynthReport};
use hardpath_diagnostic::Diagnostic;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// What to synthesize for, and what counts as a map.
#[derive(Clone, Debug)]
pub struct Options {
    /// A family that `synth_xilinx` knows, `ecp5` or `intel_alm`.
    pub family: String,
    /// Modules whose instances are maps, with all that is inside them. May be empty.
    pub map_modules: Vec<String>,
    /// Whether the figures without maps and by module are wanted: two more syntheses.
    pub parts: bool,
    /// Where to keep the mapped netlist, as `write_json` writes it.
    pub netlist: Option<PathBuf>,
}

impl Default for Options {
    /// UltraScale+; no maps, so the parts cost little.
    fn default() -> Options {
        Options {
            family: "xcup".to_string(),
            map_modules: Vec::new(),
            parts: true,
            netlist: None,
        }
    }
}

/// Synthesizes SystemVerilog files (name and text). A tool that is missing or fails is an error that says so.
pub fn yosys(
    files: &[(String, String)],
    top: &str,
    options: &Options,
) -> Result<SynthReport, Diagnostic> {
    let directory = written(files)?;
    let (whole, report) = synthesize(directory.path(), files, top, options, "")?;
    let wide_nets = fanout::widest(&whole);
    Ok(SynthReport {
        depth: levels::depth(&whole)?,
        max_fanout: wide_nets.first().cloned(),
        wide_nets: wide_nets.into_iter().filter(Fanout::is_wide).collect(),
        ..report
    })
}

/// The netlist of the whole design, and a report with its area but without times. `then`: commands that yosys runs on
/// the mapped design afterwards.
pub(crate) fn synthesize(
    directory: &Path,
    files: &[(String, String)],
    top: &str,
    options: &Options,
    then: &str,
) -> Result<(Netlist, SynthReport), Diagnostic> {
    let program = YOSYS.find()?;
    let without_maps = options.parts && !options.map_modules.is_empty();
    let mut script = format!("{READ} {}\n", names(files));
    if without_maps {
        script.push_str("design -save read\n");
    }
    let synthesis = synthesis(top, options, WHOLE);
    script.push_str(&format!("{synthesis}write_json {WHOLE}\n{then}"));
    if without_maps {
        script.push_str("design -load read\n");
        script.push_str(&synthesis_without_maps(top, options));
    }
    let by_module = format!(
        "{READ} {}\n{}write_json {BY_MODULE}\n",
        names(files),
        command(&options.family, top, BY_MODULE, false)
    );
    std::thread::scope(|scope| {
        let beside = options
            .parts
            .then(|| scope.spawn(|| run(&program, directory, "by-module.ys", &by_module)));
        run(&program, directory, "hardpath.ys", &script)?;
        beside.map_or(Ok(()), |thread| {
            thread.join().expect("a flow does not panic")
        })
    })?;
    if let Some(file) = &options.netlist {
        keep(&directory.join(WHOLE), file)?;
    }
    let whole = read(directory, WHOLE, top)?;
    let cost = area::area(&whole);
    let rest = match without_maps {
        true => area::area(&read(directory, WITHOUT_MAPS, top)?),
        false => cost,
    };
    let rest = options.parts.then_some(rest);
    let report = SynthReport {
        flow: "yosys".to_string(),
        part: options.family.clone(),
        lut: cost.lut,
        ff: cost.ff,
        ff_in_memories: area::in_memories(&whole),
        carry: cost.carry,
        bram36: cost.bram18 as f64 / 2.0,
        uram: cost.uram,
        dsp: cost.dsp,
        depth: Depth::default(),
        max_fanout: None,
        wide_nets: Vec::new(),
        lut_without_maps: rest.map(|rest| rest.lut),
        ff_without_maps: rest.map(|rest| rest.ff),
        clock_mhz: None,
        fmax_mhz: None,
        modules: match options.parts {
            true => {
                let names = module_names(files);
                let netlists = read_all(directory, BY_MODULE, &names)?;
                let names = names.into_iter().map(str::to_owned);
                area::by_module(names.zip(netlists).collect())
            }
            false => Vec::new(),
        },
    };
    Ok((whole, report))
}

/// What a design costs with its maps taken out: one synthesis, where [`yosys`] needs three.
///
/// # Errors
/// As [`yosys`].
pub fn area_without_maps(
    files: &[(String, String)],
    top: &str,
    options: &Options,
) -> Result<Area, Diagnostic> {
    let program = YOSYS.find()?;
    let directory = written(files)?;
    let script = format!(
        "{READ} {}\n{}",
        names(files),
        synthesis_without_maps(top, options)
    );
    run(&program, directory.path(), "hardpath.ys", &script)?;
    Ok(area::area(&read(directory.path(), WITHOUT_MAPS, top)?))
}

/// A new directory with the files in it.
pub(crate) fn written(files: &[(String, String)]) -> Result<TempDir, Diagnostic> {
    let directory = tempfile::tempdir().map_err(|error| cannot_write(&error))?;
    for (name, text) in files {
        write(directory.path(), name, text)?;
    }
    Ok(directory)
}

pub(crate) fn write(directory: &Path, name: &str, text: &str) -> Result<(), Diagnostic> {
    std::fs::write(directory.join(name), text).map_err(|error| cannot_write(&error))
}

fn keep(netlist: &Path, file: &Path) -> Result<(), Diagnostic> {
    let kept = std::fs::copy(netlist, file);
    kept.map(|_| ()).map_err(|error| {
        let message = format!("{}: the netlist cannot be written: {error}", file.display());
        Diagnostic::input("cannot-write", message)
    })
}

/// Runs a script of this name and text in the directory.
fn run(program: &Path, directory: &Path, name: &str, script: &str) -> Result<(), Diagnostic> {
    write(directory, name, script)?;
    let ran = YOSYS.run(program, directory, &["-q", "-s", name]);
    ran.map(|_| ()).map_err(|error| match error.code == YOSYS.failed {
        true => Diagnostic::defect(error.code, error.message).help(
            "the text that hardpath prints should always synthesize: this is a defect of hardpath or of this yosys",
        ),
        false => error,
    })
}

const WHOLE: &str = "hardpath-whole.json";
const WITHOUT_MAPS: &str = "hardpath-without-maps.json";
const BY_MODULE: &str = "hardpath-by-module.json";
/// How the files are read.
const READ: &str = "read_verilog -sv -DSYNTHESIS";

/// The files of the design, for [`READ`].
fn names(files: &[(String, String)]) -> String {
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    names.join(" ")
}

/// A file is a module: `NAME.sv`.
fn module_names(files: &[(String, String)]) -> Vec<&str> {
    let names = files.iter();
    names
        .filter_map(|(file, _)| file.strip_suffix(".sv"))
        .collect()
}

/// How a family is synthesized, as one module or module by module. Where the family has UltraRAM, the memories that are to be
/// of it are told beside the netlist, as they are before they are mapped.
fn command(family: &str, top: &str, netlist: &str, flatten: bool) -> String {
    let whole = if flatten { "" } else { " -noflatten" };
    match family {
        "ecp5" => format!("synth_ecp5 -abc9{whole} -top {top}\n"),
        // The names of Quartus for kinds of memories are those of other devices than the one that yosys maps to.
        "intel_alm" => format!(
            "proc\n\
             setattr -set ram_style \"block\" */m:* */a:ramstyle=M20K %i\n\
             setattr -set ram_style \"distributed\" */m:* */a:ramstyle=MLAB %i\n\
             setattr -unset ramstyle */m:*\n\
             synth_intel_alm -family cyclonev -noiopad -noclkbuf{whole} -top {top}\n"
        ),
        _ => {
            let whole = if flatten { " -flatten" } else { "" };
            let all =
                format!("synth_xilinx -family {family}{whole} -noiopad -nowidelut -top {top}");
            format!(
                "{all} -run :map_memory\n\
                 dump -m -o {} t:$mem_v2 a:ram_style=ultra %i\n\
                 {all} -run map_memory:\n",
                memories_of(netlist)
            )
        }
    }
}

/// The file beside a netlist that tells its memories.
fn memories_of(netlist: &str) -> String {
    format!("{netlist}.memories")
}

/// Reads the netlists of modules that a script has written, with their memories.
fn read_all(directory: &Path, file: &str, names: &[&str]) -> Result<Vec<Netlist>, Diagnostic> {
    let mut netlists = netlist::read_all(&directory.join(file), names)?;
    // Of a family without UltraRAM there is none.
    let dump = std::fs::read_to_string(directory.join(memories_of(file))).unwrap_or_default();
    let mut memories: HashMap<String, BTreeMap<String, Memory>> = netlist::memories(&dump);
    for (netlist, name) in netlists.iter_mut().zip(names) {
        netlist.memories = memories.remove(*name).unwrap_or_default();
    }
    Ok(netlists)
}

fn read(directory: &Path, file: &str, top: &str) -> Result<Netlist, Diagnostic> {
    Ok(read_all(directory, file, &[top])?.remove(0))
}

fn synthesis(top: &str, options: &Options, netlist: &str) -> String {
    command(&options.family, top, netlist, true)
}

fn synthesis_without_maps(top: &str, options: &Options) -> String {
    let modules = options.map_modules.iter();
    let boxes: String = modules.map(|name| format!("blackbox {name}\n")).collect();
    format!(
        "{boxes}{}write_json {WITHOUT_MAPS}\n",
        synthesis(top, options, WITHOUT_MAPS)
    )
}

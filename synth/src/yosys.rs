//! The flow `yosys`: synthesis for a family, then a look at the mapped netlist.
//!
//! What is without maps is measured, not guessed: after flattening nobody can say whose a LUT at a border was. So
//! the design is synthesized a second time with the maps' modules as black boxes, and what is left is counted.

use crate::area::Area;
use crate::tool::{cannot_write, YOSYS};
use crate::{area, levels, netlist, SynthReport};
use hardpath_ir::Diagnostic;
use std::path::Path;
use tempfile::TempDir;

/// What to synthesize for, and what counts as a map.
#[derive(Clone, Debug)]
pub struct Options {
    /// A family that `synth_xilinx` knows, `ecp5` or `intel_alm`.
    pub family: String,
    /// Modules whose instances are maps, with all that is inside them. May be empty.
    pub map_modules: Vec<String>,
}

impl Default for Options {
    /// UltraScale+; no maps.
    fn default() -> Options {
        Options {
            family: "xcup".to_string(),
            map_modules: Vec::new(),
        }
    }
}

/// Synthesizes SystemVerilog files (name and text). A tool that is missing or fails is an error that says so.
pub fn yosys(
    files: &[(String, String)],
    top: &str,
    options: &Options,
) -> Result<SynthReport, Diagnostic> {
    let program = YOSYS.find()?;
    let directory = written(files)?;
    std::fs::write(directory.path().join(SCRIPT), script(files, top, options))
        .map_err(|error| cannot_write(&error))?;
    let by_module = format!(
        "{READ} {}\n{} -top {top}\nwrite_json {BY_MODULE}\n",
        names(files),
        command(&options.family, false)
    );
    std::fs::write(directory.path().join("by-module.ys"), by_module)
        .map_err(|error| cannot_write(&error))?;
    let synthesize = |script: &str| run(&program, directory.path(), script);
    std::thread::scope(|scope| {
        let beside = scope.spawn(|| synthesize("by-module.ys"));
        synthesize(SCRIPT)?;
        beside.join().expect("a flow does not panic")
    })?;
    let read = |file: &str| netlist::read(&directory.path().join(file), top);
    let whole = read(WHOLE)?;
    let cost = area::area(&whole);
    let depth = levels::depth(&whole)?;
    let rest = match options.map_modules.is_empty() {
        true => cost,
        false => area::area(&read(WITHOUT_MAPS)?),
    };
    Ok(SynthReport {
        flow: "yosys".to_string(),
        part: options.family.clone(),
        lut: cost.lut,
        ff: cost.ff,
        carry: cost.carry,
        bram36: cost.bram18 as f64 / 2.0,
        uram: cost.uram,
        dsp: cost.dsp,
        levels: depth.levels,
        port_levels: depth.port_levels,
        critical_path: depth.critical_path,
        lut_without_maps: rest.lut,
        ff_without_maps: rest.ff,
        clock_mhz: None,
        fmax_mhz: None,
        modules: area::by_module(files, &directory.path().join(BY_MODULE))?,
    })
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
    std::fs::write(directory.path().join(SCRIPT), script).map_err(|error| cannot_write(&error))?;
    run(&program, directory.path(), SCRIPT)?;
    let netlist = netlist::read(&directory.path().join(WITHOUT_MAPS), top)?;
    Ok(area::area(&netlist))
}

/// A new directory with the files in it.
fn written(files: &[(String, String)]) -> Result<TempDir, Diagnostic> {
    let directory = tempfile::tempdir().map_err(|error| cannot_write(&error))?;
    for (name, text) in files {
        std::fs::write(directory.path().join(name), text).map_err(|error| cannot_write(&error))?;
    }
    Ok(directory)
}

fn run(program: &Path, directory: &Path, script: &str) -> Result<String, Diagnostic> {
    YOSYS.run(program, directory, &["-q", "-s", script]).map_err(|error| {
        error.help("the text that hardpath prints should always synthesize: this is a defect of hardpath or of this yosys")
    })
}

const SCRIPT: &str = "hardpath.ys";
const WHOLE: &str = "hardpath-whole.json";
const WITHOUT_MAPS: &str = "hardpath-without-maps.json";
const BY_MODULE: &str = "hardpath-by-module.json";
/// How the files are read.
pub(crate) const READ: &str = "read_verilog -sv -DSYNTHESIS";

/// The files of the design, for [`READ`].
pub(crate) fn names(files: &[(String, String)]) -> String {
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    names.join(" ")
}

/// How a family is synthesized, as one module or module by module.
fn command(family: &str, flatten: bool) -> String {
    let whole = if flatten { "" } else { " -noflatten" };
    match family {
        "ecp5" => format!("synth_ecp5{whole}"),
        "intel_alm" => format!("synth_intel_alm -family cyclonev -noiopad -noclkbuf{whole}"),
        _ => {
            let whole = if flatten { " -flatten" } else { "" };
            format!("synth_xilinx -family {family}{whole} -noiopad")
        }
    }
}

fn script(files: &[(String, String)], top: &str, options: &Options) -> String {
    let synthesize = synthesis(top, options);
    let mut script = format!("{READ} {}\n", names(files));
    if options.map_modules.is_empty() {
        script.push_str(&format!("{synthesize}write_json {WHOLE}\n"));
        return script;
    }
    script.push_str(&format!(
        "design -save read\n{synthesize}write_json {WHOLE}\ndesign -load read\n"
    ));
    script.push_str(&synthesis_without_maps(top, options));
    script
}

fn synthesis(top: &str, options: &Options) -> String {
    format!("{} -top {top}\n", command(&options.family, true))
}

fn synthesis_without_maps(top: &str, options: &Options) -> String {
    let modules = options.map_modules.iter();
    let boxes: String = modules.map(|name| format!("blackbox {name}\n")).collect();
    format!(
        "{boxes}{}write_json {WITHOUT_MAPS}\n",
        synthesis(top, options)
    )
}

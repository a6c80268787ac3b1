//! The flow `ecp5`: yosys and nextpnr for Lattice's ECP5, placed and routed, with the clock that the result reaches.
//!
//! The area is that of the design alone, as synthesized; the clock that of this netlist in its [`wrapper`](crate::wrapper).

use crate::levels::{weights, Depth, Levels, PathStep, WorstPath};
use crate::tool::NEXTPNR_ECP5;
use crate::wrapper::{wrapper, WrappedPort, INSTANCE, WRAPPER};
use crate::yosys::{synthesize, write, written, Options};
use crate::SynthReport;
use hardpath_diagnostic::Diagnostic;
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
    /// How cells are placed.
    pub placer: Placer,
    /// All ports of the top but `clk` and `rst`, in any order.
    pub ports: Vec<WrappedPort>,
    /// What is a map, and whether the figures of parts are wanted. The family is not looked at.
    pub yosys: Options,
}

/// nextpnr's ways to place cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placer {
    /// Cells are moved to where they may stand bit by bit. Slow ways count ten times as much beside the length of wires as they do in nextpnr
    /// by itself, which leaves single cells of them far away in designs of 15,000 LUTs: `programs/p4/tunnel.p4` came to 60 MHz, and comes to 79 with
    /// this.
    #[default]
    Heap,
    /// Cells move all at once, as charges that repel each other do. Large designs have a third less wire for that (`programs/p4/ecmp.p4`), and are routed
    /// where the other way leaves a router no end after an hour.
    Static,
}

impl Placer {
    fn arguments(self) -> [&'static str; 2] {
        match self {
            Placer::Heap => ["--placer-heap-timingweight", "100"],
            Placer::Static => ["--placer", "static"],
        }
    }
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
    let [placed, how] = options.placer.arguments();
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
                placed,
                how,
                "--timing-allow-fail",
                "--quiet",
            ],
        )
        .map_err(explain)?;
    let routed = read_report(&directory.join("report.json"))?;
    Ok(SynthReport {
        flow: "ecp5".into(),
        part: DEVICE.into(),
        depth: depth(routed.path),
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
const CARRY: &str = "carry";

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
    Ok(Routed {
        fmax_mhz: fmax.achieved,
        path: steps(path.map_or(&[][..], |path| &path.path)),
    })
}

/// The cells of a path, with the levels that the mapped netlist would be counted with ([`crate::levels`]).
fn steps(path: &[Hop]) -> Vec<PathStep> {
    let mut steps: Vec<PathStep> = Vec::new();
    let mut level = Levels::ZERO;
    for hop in path {
        let is = |kind| hop.to.cell.contains(kind);
        let is_chained = steps.last().is_some_and(|last| last.cell == CARRY);
        let (cell, levels) = match hop.kind.as_str() {
            "clk-to-q" if is("DP16KD") => (REGISTER, weights::memory("DP16KD")),
            "clk-to-q" | "setup" => (REGISTER, None),
            "logic" if is("CCU2") && is_chained => (CARRY, Some(weights::carry("CCU2C"))),
            "logic" if is("CCU2") => (CARRY, Some(weights::ENTER_CHAIN)),
            "logic" if is("MULT18X18D") => ("DSP", Some(weights::DSP)),
            "logic" => ("LUT", Some(weights::LUT)),
            _ => continue,
        };
        level = level + levels.unwrap_or_default();
        // A carry chain is one step, however long.
        if cell == CARRY && is_chained {
            if let Some(chain) = steps.last_mut() {
                chain.level = level;
            }
            continue;
        }
        steps.push(PathStep {
            name: signal(&hop.to.cell),
            cell: cell.into(),
            level,
            ..PathStep::default()
        });
    }
    steps
}

/// What is known of the depth of a routed design: the path that decides the clock.
fn depth(path: Vec<PathStep>) -> Depth {
    let (Some(begin), Some(end)) = (path.first(), path.last()) else {
        return Depth::default();
    };
    let worst = WorstPath {
        begin: begin.name.clone(),
        end: end.name.clone(),
        levels: end.level,
        ends: 1,
        cells: path.clone(),
    };
    Depth {
        levels: end.level,
        critical_path: path,
        worst_paths: vec![worst],
        ..Depth::default()
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_routed_path_is_counted_as_a_mapped_one() {
        let hops = [
            ("clk-to-q", "dut.keys_DP16KD_DOA_1"),
            ("routing", "dut.sum_CCU2C_S0_4"),
            ("logic", "dut.sum_CCU2C_S0_4"),
            ("routing", "dut.sum_CCU2C_S0_5"),
            ("logic", "dut.sum_CCU2C_S0_5"),
            ("logic", "dut.hit_LUT4_Z"),
            ("setup", "dut.hit_TRELLIS_FF_Q"),
        ];
        let hops = hops.map(|(kind, cell)| Hop {
            kind: kind.into(),
            to: End { cell: cell.into() },
        });
        let depth = depth(steps(&hops));
        assert_eq!(depth.levels.number(), 5.44);
        let cells = depth.critical_path.iter().map(|step| step.cell.as_str());
        let cells: Vec<&str> = cells.collect();
        assert_eq!(cells, [REGISTER, CARRY, "LUT", REGISTER]);
        assert_eq!(depth.worst_paths[0].end, "hit");
    }
}

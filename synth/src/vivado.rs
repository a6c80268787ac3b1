//! Vivado: the script of a run without a project, and its reports.

use crate::project::{first_number, report_text, ProjectReport};
use crate::tool::Tool;
use hardpath_diagnostic::Diagnostic;
use std::path::Path;

/// The FPGA of an Alveo U250.
pub const PART: &str = "xcu250-figd2104-2L-e";

pub(crate) const TOOL: Tool = Tool {
    name: "Vivado",
    variable: "HARDPATH_VIVADO",
    programs: &["vivado"],
    install: "AMD's installer (then source settings64.sh)",
    missing: "vivado-missing",
    failed: "vivado-failed",
};

/// Where the script leaves its reports, in the folder of the design.
const REPORTS: &str = "vivado";

/// Synthesis out of context, placement, routing.
pub fn script(top: &str) -> String {
    format!(
        "# Vivado: synthesis out of context (without pins), placement and routing. The reports come to {REPORTS}/.\n\
         #\n\
         #   vivado -mode batch -source {top}_vivado.tcl -tclargs PART\n\n\
         set part {PART}\n\
         if {{[info exists argv] && [llength $argv] > 0}} {{\n  set part [lindex $argv 0]\n}}\n\
         set design [file dirname [file normalize [info script]]]\n\
         set reports [file join $design {REPORTS}]\n\
         file mkdir $reports\n\n\
         create_project -in_memory -part $part\n\
         source [file join $design {top}.tcl]\n\
         synth_design -top {top} -part $part -mode out_of_context\n\
         opt_design\n\
         place_design\n\
         phys_opt_design\n\
         route_design\n\n\
         report_utilization -file [file join $reports utilization.rpt]\n\
         report_utilization -hierarchical -file [file join $reports utilization_by_module.rpt]\n\
         report_timing_summary -file [file join $reports timing.rpt]\n\
         write_checkpoint -force [file join $reports {top}.dcp]\n\n\
         # The worst slack, in nanoseconds.\n\
         set out [open [file join $reports slack.txt] w]\n\
         puts $out [get_property SLACK [get_timing_paths -max_paths 1 -setup]]\n\
         close $out\n"
    )
}

/// # Errors
/// A report is missing.
pub(crate) fn read(folder: &Path, report: &mut ProjectReport) -> Result<(), Diagnostic> {
    let folder = folder.join(REPORTS);
    let text = report_text(&TOOL, &folder.join("utilization.rpt"))?;
    utilization(&text, report);
    let slack = report_text(&TOOL, &folder.join("slack.txt"))?;
    report.slack_ns = first_number(&slack);
    Ok(())
}

/// Rows are `| CLB LUTs | 1234 | 0 | …`; a `*` behind a name is a footnote. Series 7 says Slice where UltraScale says CLB.
fn utilization(text: &str, report: &mut ProjectReport) {
    let used = |names: &[&str]| -> Option<f64> {
        text.lines().find_map(|line| {
            let mut cells = line.split('|').skip(1).map(str::trim);
            let name = cells.next()?.trim_end_matches('*');
            names.contains(&name).then(|| first_number(cells.next()?))?
        })
    };
    let whole = |names: &[&str]| used(names).map(|number| number as u64);
    report.logic = whole(&["CLB LUTs", "Slice LUTs"]);
    report.ff = whole(&["CLB Registers", "Slice Registers"]);
    report.ram = used(&["Block RAM Tile"]);
    report.uram = whole(&["URAM"]);
    report.dsp = whole(&["DSPs", "DSP Slices"]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utilization_is_read() {
        let text = "1. CLB Logic\n\n\
            +-------------------------+------+-------+------------+-----------+-------+\n\
            |        Site Type        | Used | Fixed | Prohibited | Available | Util% |\n\
            +-------------------------+------+-------+------------+-----------+-------+\n\
            | CLB LUTs*               | 4321 |     0 |          0 |   1728000 |  0.25 |\n\
            |   LUT as Logic          | 4000 |     0 |          0 |   1728000 |  0.23 |\n\
            | CLB Registers           | 9876 |     0 |          0 |   3456000 |  0.29 |\n\
            | Block RAM Tile    | 12.5 |     0 |          0 |      2688 |  0.47 |\n\
            | URAM      |    3 |     0 |          0 |      1280 |  0.23 |\n\
            | DSPs      |    0 |     0 |          0 |     12288 |  0.00 |\n";
        let mut report = ProjectReport::default();
        utilization(text, &mut report);
        assert_eq!((report.logic, report.ff), (Some(4321), Some(9876)));
        assert_eq!(
            (report.ram, report.uram, report.dsp),
            (Some(12.5), Some(3), Some(0))
        );
    }
}

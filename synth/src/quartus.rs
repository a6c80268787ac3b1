//! Quartus Prime: the script that makes a project and compiles it, and its reports.

use crate::project::{first_number, report_text, ProjectReport};
use crate::tool::Tool;
use hardpath_diagnostic::Diagnostic;
use std::path::Path;

/// An Agilex 7 of the F series.
pub const PART: &str = "AGFB014R24B2E2V";

pub(crate) const TOOL: Tool = Tool {
    name: "Quartus Prime",
    variable: "HARDPATH_QUARTUS",
    programs: &["quartus_sh"],
    install: "Altera's installer (then add quartus/bin to PATH)",
    missing: "quartus-missing",
    failed: "quartus-failed",
};

/// The folder of the project, in the folder of the design.
const PROJECT: &str = "quartus";

/// A project with virtual pins, so that ports need no pins; all but its clocks.
pub fn script<'a>(top: &str, clocks: impl Iterator<Item = &'a str>) -> String {
    let pins: String = clocks
        .map(|clock| format!("set_instance_assignment -name VIRTUAL_PIN OFF -to {clock}\n"))
        .collect();
    format!(
        "# Quartus Prime: makes a project with virtual pins in {PROJECT}/ and compiles it.\n\
         #\n\
         #   quartus_sh -t {top}_quartus.tcl PART\n\n\
         package require ::quartus::project\n\
         package require ::quartus::flow\n\
         package require ::quartus::device\n\n\
         set part {PART}\n\
         if {{[info exists quartus(args)] && [llength $quartus(args)] > 0}} {{\n  \
         set part [lindex $quartus(args) 0]\n}}\n\
         set design [file dirname [file normalize [info script]]]\n\
         file mkdir [file join $design {PROJECT}]\n\
         cd [file join $design {PROJECT}]\n\n\
         project_new -overwrite {top}\n\
         set_global_assignment -name FAMILY [lindex [get_part_info -family $part] 0]\n\
         set_global_assignment -name DEVICE $part\n\
         set_global_assignment -name TOP_LEVEL_ENTITY {top}\n\
         set_global_assignment -name QIP_FILE [file join $design {top}.qip]\n\
         set_global_assignment -name PROJECT_OUTPUT_DIRECTORY output_files\n\
         set_global_assignment -name NUM_PARALLEL_PROCESSORS ALL\n\
         set_instance_assignment -name VIRTUAL_PIN ON -to *\n\
         {pins}\
         export_assignments\n\
         execute_flow -compile\n\
         project_close\n"
    )
}

/// # Errors
/// A report is missing.
pub(crate) fn read(folder: &Path, top: &str, report: &mut ProjectReport) -> Result<(), Diagnostic> {
    let folder = folder.join(PROJECT).join("output_files");
    let fit = report_text(&TOOL, &folder.join(format!("{top}.fit.summary")))?;
    let used = |name: &str| -> Option<f64> {
        fit.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.trim().starts_with(name).then(|| first_number(value))?
        })
    };
    report.logic = used("Logic utilization (in ALMs)").map(|number| number as u64);
    report.ff = used("Total dedicated logic registers")
        .or_else(|| used("Total registers"))
        .map(|number| number as u64);
    report.ram = used("Total RAM Blocks");
    report.dsp = used("Total DSP Blocks").map(|number| number as u64);
    let timing = report_text(&TOOL, &folder.join(format!("{top}.sta.summary")))?;
    report.slack_ns = worst_setup_slack(&timing);
    Ok(())
}

/// Paragraphs of `Type  : Slow … Model Setup 'clk'` and `Slack : 0.123`.
fn worst_setup_slack(text: &str) -> Option<f64> {
    let mut is_setup = false;
    let mut worst: Option<f64> = None;
    for line in text.lines() {
        let Some((key, value)) = line.split_once(':') else {
            continue;
        };
        match key.trim() {
            "Type" => is_setup = value.contains("Setup"),
            "Slack" if is_setup => {
                let slack = first_number(value);
                worst = worst.into_iter().chain(slack).reduce(f64::min);
            }
            _ => {}
        }
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_setup_slack_counts() {
        let text = "Type  : Slow vid2 100C Model Setup 'clk'\nSlack : 0.412\nTNS   : 0.000\n\n\
                    Type  : Slow vid2 0C Model Setup 'clk'\nSlack : -0.031\nTNS   : -0.062\n\n\
                    Type  : Fast vid2 0C Model Hold 'clk'\nSlack : -5.000\nTNS   : 0.000\n";
        assert_eq!(worst_setup_slack(text), Some(-0.031));
        assert_eq!(worst_setup_slack(""), None);
    }
}

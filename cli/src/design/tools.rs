//! Lists of VHDL files for tools that must be told the language of each: the older one is their default.

use super::Sources;
use std::fmt::Write;

/// For `source` in Vivado, in a project or without one.
pub fn vivado(sources: &Sources) -> String {
    let top = &sources.top;
    let mut text = format!(
        "# Vivado: reads the design; then synth_design -top {top} -part PART\n\
         set folder [file dirname [file normalize [info script]]]\n\
         foreach name {{\n"
    );
    for (name, _) in &sources.files {
        let _ = writeln!(text, "  {name}");
    }
    text.push_str("} {\n  read_vhdl -vhdl2008 [file join $folder $name]\n}\n");
    let _ = writeln!(text, "read_xdc [file join $folder {top}.xdc]");
    text
}

/// Quartus: add this one file to the project.
pub fn quartus(sources: &Sources) -> String {
    let mut text = String::new();
    for (name, _) in &sources.files {
        let _ = writeln!(
            text,
            "set_global_assignment -name VHDL_FILE [file join $::quartus(qip_path) {name}] -hdl_version VHDL_2008"
        );
    }
    text
}

//! Lists of files for tools that must be told the language of each: the older one is their default.

use super::Sources;
use crate::arguments::HdlName;
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
    let read = match sources.hdl {
        HdlName::Verilog => "read_verilog -sv",
        HdlName::Vhdl => "read_vhdl -vhdl2008",
    };
    let _ = writeln!(text, "}} {{\n  {read} [file join $folder $name]\n}}");
    // Inside another design Vivado leaves these constraints out.
    let _ = writeln!(
        text,
        "read_xdc -mode out_of_context [file join $folder {top}.xdc]"
    );
    text
}

/// Quartus: add this one file to the project.
pub fn quartus(sources: &Sources) -> String {
    let (kind, version) = match sources.hdl {
        HdlName::Verilog => ("SYSTEMVERILOG_FILE", ""),
        HdlName::Vhdl => ("VHDL_FILE", " -hdl_version VHDL_2008"),
    };
    // Quartus does not say that it synthesizes; without it, it would run the loops that clear memories for simulators.
    let mut text = match sources.hdl {
        HdlName::Verilog => "set_global_assignment -name VERILOG_MACRO \"SYNTHESIS=1\"\n".into(),
        HdlName::Vhdl => String::new(),
    };
    for (name, _) in &sources.files {
        let _ = writeln!(
            text,
            "set_global_assignment -name {kind} [file join $::quartus(qip_path) {name}]{version}"
        );
    }
    let _ = writeln!(
        text,
        "set_global_assignment -name SDC_FILE [file join $::quartus(qip_path) {}.sdc]",
        sources.top
    );
    text
}

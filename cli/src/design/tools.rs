//! Constraints, and lists of files for tools that must be told the language of each: the older one is their default.

use super::Sources;
use crate::arguments::HdlName;
use std::fmt::Write;

/// The clock, as Vivado reads it.
pub fn xdc(clock_mhz: f64) -> String {
    let period_ns = 1000.0 / clock_mhz;
    format!(
        "# The design on its own; inside another one the clock comes from there.\n\
         # The clock that it was scheduled for: {clock_mhz} MHz.\n\
         create_clock -name clk -period {period_ns:.3} [get_ports clk]\n\
         # What the surroundings of its ports need is theirs to say, for example a quarter of the period:\n\
         # set_input_delay -clock clk {quarter_ns:.3} [all_inputs]\n\
         # set_output_delay -clock clk {quarter_ns:.3} [all_outputs]\n",
        quarter_ns = period_ns / 4.0,
    )
}

/// The same for Quartus Prime, which leaves the uncertainty of clocks to the constraints.
pub fn sdc(clock_mhz: f64) -> String {
    format!("{}derive_clock_uncertainty\n", xdc(clock_mhz))
}

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

//! The folder as a core of FuseSoC (CAPI2): lint, simulation of the test bench, synthesis.

use super::{Sources, TEST_BENCH};
use crate::arguments::HdlName;
use hardpath_synth::vivado::PART;
use std::fmt::Write;

/// The core file. `origin` says what was compiled.
pub fn core(sources: &Sources, origin: &str) -> String {
    let top = &sources.top;
    let description = origin.replace(['"', '\\'], "'");
    let kind = match sources.hdl {
        HdlName::Verilog => "systemVerilogSource",
        HdlName::Vhdl => "vhdlSource-2008",
    };
    let mut text = format!(
        "CAPI=2:\n\
         # For FuseSoC: fusesoc --cores-root . run --target sim {top}\n\
         name: \"hardpath::{top}:0\"\n\
         description: \"Hardware made by hardpath from {description}\"\n\n\
         filesets:\n  rtl:\n    files:\n"
    );
    for (name, _) in &sources.files {
        let _ = writeln!(text, "      - {name}");
    }
    let _ = writeln!(text, "    file_type: {kind}\n  tb:\n    files:");
    let benches = TEST_BENCH.iter().filter(|(hdl, _)| *hdl == sources.hdl);
    for (_, end) in benches {
        let _ = writeln!(text, "      - {top}{end}");
    }
    let _ = write!(
        text,
        "      - {top}_tb.txt: {{file_type: user, copyto: {top}_tb.txt}}\n    file_type: {kind}\n  \
         constraints:\n    files:\n      - {top}.xdc\n    file_type: xdc\n\n\
         targets:\n  default: &default\n    filesets: [rtl]\n    toplevel: {top}\n"
    );
    text.push_str(&match sources.hdl {
        HdlName::Verilog => verilator(top),
        HdlName::Vhdl => ghdl(top),
    });
    let _ = write!(
        text,
        "  synth:\n    <<: *default\n    description: \"synthesis in Vivado; another device with --part=NAME\"\n    \
         filesets: [rtl, constraints]\n    flow: vivado\n    flow_options:\n      part: {PART}\n      pnr: none\n"
    );
    text
}

fn verilator(top: &str) -> String {
    format!(
        "  lint:\n    <<: *default\n    description: \"Verilator's lint, with all warnings\"\n    flow: lint\n    \
         flow_options:\n      tool: verilator\n      verilator_options: [-Wall]\n  \
         sim:\n    description: \"the test bench in Verilator\"\n    filesets: [rtl, tb]\n    toplevel: {top}_tb\n    \
         flow: sim\n    flow_options:\n      tool: verilator\n      mode: binary\n      \
         verilator_options: [--timing, --assert, -CFLAGS, -std=c++20]\n"
    )
}

fn ghdl(top: &str) -> String {
    format!(
        "  sim:\n    description: \"the test bench in GHDL\"\n    filesets: [rtl, tb]\n    toplevel: {top}_tb\n    \
         flow: sim\n    flow_options:\n      tool: ghdl\n      \
         sim_options: [--ieee-asserts=disable-at-0, --assert-level=error]\n"
    )
}

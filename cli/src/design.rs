//! The files of a compiled design: what `compile -o` writes.

mod address_map;
mod contract;
mod example;
mod tools;

use crate::arguments::HdlName;
use hardpath_ir::{Diagnostic, Program};
use hardpath_pipeline::{Compiled, Hazard};
use hardpath_rtl::{verilog, vhdl};
use hardpath_testbed::bench;

/// A design's sources in a language.
pub struct Sources {
    pub hdl: HdlName,
    /// What the top is called there.
    pub top: String,
    /// Name and text of each file, in the order in which tools want them: callees before callers.
    pub files: Vec<(String, String)>,
}

impl Sources {
    pub fn of(compiled: &Compiled, hdl: HdlName) -> Sources {
        let design = &compiled.design;
        Sources {
            hdl,
            top: top_name(compiled, hdl),
            files: match hdl {
                HdlName::Verilog => verilog::print(design),
                HdlName::Vhdl => vhdl::print(design),
            },
        }
    }
}

/// What the top is called in a language.
pub fn top_name(compiled: &Compiled, hdl: HdlName) -> String {
    match hdl {
        HdlName::Verilog => compiled.interface.top.clone(),
        HdlName::Vhdl => vhdl::top_name(&compiled.design),
    }
}

/// Name and contents of each file, in the order in which a reader should open them. `origin` says what was
/// compiled: `firewall.o, program firewall`; `program` is what it means.
pub fn files(
    compiled: &Compiled,
    sources: Sources,
    origin: &str,
    program: &Program,
) -> Result<Vec<(String, Vec<u8>)>, Diagnostic> {
    let top = &sources.top;
    let mut files = vec![
        (
            String::from("README.md"),
            contract::readme(compiled, origin, &sources),
        ),
        (file_list_name(top), file_list(&sources.files)),
        (format!("{top}.xdc"), constraints(compiled)),
        (format!("{top}.h"), address_map::c_header(compiled)),
        (format!("{top}.json"), address_map::json(compiled)),
        (format!("{top}.ir"), compiled.scheduled.to_string()),
    ];
    if sources.hdl == HdlName::Vhdl {
        let clock = compiled.report.clock_mhz;
        files.extend([
            (format!("{top}.tcl"), tools::vivado(&sources)),
            (format!("{top}.qip"), tools::quartus(&sources)),
            (
                format!("{top}_tb.vhd"),
                bench::vhdl::bench(&compiled.interface, top, clock),
            ),
            (
                format!("{top}_tb.txt"),
                example::example(program, compiled)?,
            ),
        ]);
    }
    // The top, which is the last one, is what a reader wants first.
    files.extend(sources.files.into_iter().rev());
    Ok(files
        .into_iter()
        .map(|(name, text)| (name, text.into_bytes()))
        .collect())
}

/// The file list is in every design and in no other folder: it marks a folder as a design.
pub fn file_list_name(top: &str) -> String {
    format!("{top}.f")
}

/// For `-f` of simulators and synthesis tools: callees before callers.
fn file_list(sources: &[(String, String)]) -> String {
    sources
        .iter()
        .map(|(name, _)| format!("{name}\n"))
        .collect()
}

/// Constraints in Synopsys form, as Vivado reads them.
fn constraints(compiled: &Compiled) -> String {
    let report = &compiled.report;
    format!(
        "# The clock that the design was scheduled for: {} MHz.\n\
         create_clock -name clk -period {:.3} [get_ports clk]\n",
        report.clock_mhz,
        1000.0 / report.clock_mhz,
    )
}

/// As in the JSON of `compile`.
pub fn hazard_name(hazard: Hazard) -> String {
    match serde_json::to_value(hazard) {
        Ok(serde_json::Value::String(name)) => name,
        _ => format!("{hazard:?}"),
    }
}

//! The files of a compiled design: what `compile -o` writes.

mod address_map;
mod contract;

use hardpath_pipeline::{Compiled, Hazard};
use hardpath_rtl::verilog;

/// Name and contents of each file, in the order in which a reader should open them. `program` says what was
/// compiled: `firewall.o, program firewall`.
pub fn files(compiled: &Compiled, program: &str) -> Vec<(String, Vec<u8>)> {
    let top = &compiled.interface.top;
    let sources = verilog::print(&compiled.design);
    let mut files = vec![
        (
            String::from("README.md"),
            contract::readme(compiled, program, &sources),
        ),
        (file_list_name(top), file_list(&sources)),
        (format!("{top}.xdc"), constraints(compiled)),
        (format!("{top}.h"), address_map::c_header(compiled)),
        (format!("{top}.json"), address_map::json(compiled)),
        (format!("{top}.ir"), compiled.scheduled.to_string()),
    ];
    // The top, which is the last one, is what a reader wants first.
    files.extend(sources.into_iter().rev());
    files
        .into_iter()
        .map(|(name, text)| (name, text.into_bytes()))
        .collect()
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

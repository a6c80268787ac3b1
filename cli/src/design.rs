//! The files of a compiled design: what `compile -o` writes.

mod address_map;
mod c_api;
mod contract;
mod example;
mod fusesoc;
pub mod layouts;
mod tools;

use crate::arguments::HdlName;
use crate::engine;
use crate::target::Hardware;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::maps::Image;
use hardpath_ir::Program;
use hardpath_p4::lower::layout::Layout;
use hardpath_rtl::{verilog, vhdl};
use hardpath_synth::constraints::Constraints;
use hardpath_synth::project::Vendor;
use hardpath_testbed::bench;
use hardpath_testbed::dut::no_text;

/// A design's sources in a language.
pub struct Sources {
    pub hdl: HdlName,
    /// What the top is called there.
    pub top: String,
    /// Name and text of each file, in the order in which tools want them: callees before callers.
    pub files: Vec<(String, String)>,
}

impl Sources {
    /// # Errors
    /// `no-text`: a part of the design has no text in that language.
    pub fn of(hardware: &Hardware, hdl: HdlName) -> Result<Sources, Diagnostic> {
        let design = &hardware.design;
        let files = match hdl {
            HdlName::Verilog => verilog::print(design),
            HdlName::Vhdl => vhdl::print(design),
        };
        Ok(Sources {
            hdl,
            top: top_name(hardware, hdl),
            files: files.map_err(no_text)?,
        })
    }
}

/// What the top is called in a language.
pub fn top_name(hardware: &Hardware, hdl: HdlName) -> String {
    match hdl {
        HdlName::Verilog => hardware.interface.top.clone(),
        HdlName::Vhdl => vhdl::top_name(&hardware.design),
    }
}

/// What is compiled, for those who read the folder.
pub struct Origin<'a> {
    /// Which program of which file: `firewall.o, program firewall`.
    pub text: String,
    pub language: Language,
    /// What is known of its keys and values.
    pub layouts: &'a [Layout],
    /// What its maps hold by the program alone.
    pub first: &'a Image,
}

/// What a program is written in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Language {
    Xdp,
    P4,
}

/// Name and contents of each file, in the order in which a reader should open them. `program` is the meaning of what is
/// compiled.
pub fn files(
    hardware: &Hardware,
    sources: Sources,
    origin: &Origin,
    program: &Program,
) -> Result<Vec<(String, Vec<u8>)>, Diagnostic> {
    let top = &sources.top;
    let clock = hardware.clock_mhz;
    let constraints = constraints(hardware, sources.hdl);
    let interface = &hardware.interface;
    let registers = address_map::c_header(hardware, origin.layouts);
    let design = interface.design();
    let first = engine::with_first_contents(program, origin.first);
    let for_drivers = c_api::Source {
        top,
        design: &design,
        layouts: origin.layouts,
        first: &first,
        registers: &registers,
    };
    let mut files = vec![
        (
            String::from("README.md"),
            contract::readme(hardware, origin, &sources, &c_api::row(&for_drivers))
                + &c_api::readme(&for_drivers),
        ),
        (file_list_name(top), file_list(&sources.files)),
        (format!("{top}.xdc"), constraints.xdc()),
        (format!("{top}.sdc"), constraints.sdc()),
        (format!("{top}.tcl"), tools::vivado(&sources)),
        (format!("{top}.qip"), tools::quartus(&sources)),
        script(Vendor::Vivado, top, &constraints),
        script(Vendor::Quartus, top, &constraints),
        (format!("{top}.core"), fusesoc::core(&sources, &origin.text)),
        (format!("{top}.h"), registers.clone()),
        (
            format!("{top}.json"),
            address_map::json(hardware, origin.layouts),
        ),
        (format!("{top}.ir"), hardware.form.to_string()),
    ];
    files.extend(c_api::files(&for_drivers));
    for (_, end) in TEST_BENCH.iter().filter(|(hdl, _)| *hdl == sources.hdl) {
        let text = match *end {
            "_tb.vhd" => bench::vhdl::bench(interface, top, clock),
            "_tb.sv" => bench::verilog::bench(interface),
            _ => bench::verilog::protocol(interface),
        };
        files.push((format!("{top}{end}"), text));
    }
    files.push((
        format!("{top}_tb.txt"),
        example::example(program, hardware)?,
    ));
    // The top, which is the last one, is what a reader wants first.
    files.extend(sources.files.into_iter().rev());
    Ok(files
        .into_iter()
        .map(|(name, text)| (name, text.into_bytes()))
        .collect())
}

fn script(vendor: Vendor, top: &str, constraints: &Constraints) -> (String, String) {
    (vendor.script_name(top), vendor.script(top, constraints))
}

/// A target schedules for one frequency, so every clock of its design has that.
fn constraints(hardware: &Hardware, hdl: HdlName) -> Constraints {
    let design = &hardware.design;
    let language = match hdl {
        HdlName::Verilog => &verilog::LANGUAGE,
        HdlName::Vhdl => &vhdl::LANGUAGE,
    };
    let clocks = design.modules[design.top()].clocks.len();
    Constraints::of(design, language, &vec![hardware.clock_mhz; clocks])
}

/// The files of the test bench, by what stands behind the top's name, callees first.
const TEST_BENCH: [(HdlName, &str); 3] = [
    (HdlName::Verilog, "_protocol.sv"),
    (HdlName::Verilog, "_tb.sv"),
    (HdlName::Vhdl, "_tb.vhd"),
];

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

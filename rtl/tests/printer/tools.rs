//! What other tools say of the printed text: Verilator finds nothing to warn of, yosys reads it, and random modules
//! do in Verilator what a plain interpreter says.

use crate::{designs, installed, random};
use hardpath_rtl::{check, verilog, Design, Direction, ModuleId};

const RANDOM_MODULES: u64 = 24;
const CLOCKS: usize = 150;

/// The test designs and random ones.
fn all_designs() -> Vec<Design> {
    let mut all = designs::all();
    all.extend((0..RANDOM_MODULES).map(random_design));
    all
}

fn random_design(seed: u64) -> Design {
    let mut design = Design::new();
    design.add(random::module(&format!("random{seed}"), seed));
    design
}

#[test]
fn verilator_has_no_warnings() {
    let Some(verilator) = installed::verilator() else {
        return;
    };
    for design in all_designs() {
        check::check(&design).expect("the test designs are good");
        let top = design.modules[design.top()].name.clone();
        let files = verilog::print(&design);
        let directory = installed::write_files(&format!("lint-{top}"), &files);
        let mut arguments = vec!["--lint-only", "-Wall", "--top-module", &top];
        arguments.extend(files.iter().map(|(name, _)| name.as_str()));
        verilator.run(&directory, &arguments);
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
        let printed = verilog::print(&design);
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
fn random_modules_do_in_verilator_what_they_mean() {
    let Some(verilator) = installed::verilator() else {
        return;
    };
    let mut files = Vec::new();
    let mut instances = String::new();
    let mut outputs = Vec::new();
    let mut designs = Vec::new();
    for seed in 0..RANDOM_MODULES {
        let design = random_design(seed);
        let module = &design.modules[design.top()];
        let mut connections = vec![".clk(clk)".to_string(), ".rst(in[0])".to_string()];
        let mut at = 1;
        for port in &module.ports {
            let signal = match port.direction {
                Direction::Input => {
                    at += port.width;
                    format!("in[{}:{}]", at - 1, at - port.width)
                }
                Direction::Output(_) => {
                    let name = format!("{}_{}", module.name, port.name);
                    instances.push_str(&format!("  wire [{}:0] {name};\n", port.width - 1));
                    outputs.push(name.clone());
                    name
                }
            };
            connections.push(format!(".{}({signal})", port.name));
        }
        instances.push_str(&format!(
            "  {} i{seed} ({});\n",
            module.name,
            connections.join(", ")
        ));
        files.extend(verilog::print(&design));
        designs.push(design);
    }
    let widths: Vec<u32> = {
        let module = &designs[0].modules[designs[0].top()];
        let inputs = module
            .ports
            .iter()
            .filter(|port| port.direction == Direction::Input);
        inputs.map(|port| port.width).collect()
    };
    let total: u32 = 1 + widths.iter().sum::<u32>();

    let mut random = random::Random::new(99);
    let stimuli: Vec<(bool, Vec<Vec<bool>>)> = (0..CLOCKS)
        .map(|clock| {
            let reset = clock > 20 && random.below(20) == 0;
            (
                reset,
                widths.iter().map(|width| random.bits(*width)).collect(),
            )
        })
        .collect();
    let lines: Vec<String> = stimuli
        .iter()
        .map(|(reset, inputs)| {
            let mut bits = vec![*reset];
            inputs.iter().for_each(|input| bits.extend(input));
            random::hexadecimal(&bits)
        })
        .collect();
    let mut expected = Vec::new();
    let mut interpreters: Vec<random::Interpreter> = designs
        .iter()
        .map(|design| random::Interpreter::new(design, design.top()))
        .collect();
    for (reset, inputs) in &stimuli {
        for interpreter in &mut interpreters {
            let values = interpreter.clock(inputs, *reset);
            expected.extend(values.iter().map(|bits| random::hexadecimal(bits)));
        }
    }

    let display: String = outputs
        .iter()
        .map(|name| format!("    $display(\"= %h\", {name});\n"))
        .collect();
    let bench = format!(
        "module bench (input wire clk);\n  logic [{top}:0] in;\n  logic [{top}:0] stimuli [0:{CLOCKS}];\n\
         \x20 int clock;\n{instances}\
         \x20 initial begin\n    $readmemh(\"stimuli.hex\", stimuli);\n    in = stimuli[0];\n    clock = 0;\n  end\n\
         \x20 always @(posedge clk) begin\n{display}    clock <= clock + 1;\n    in <= stimuli[clock + 1];\n  end\n\
         endmodule\n",
        top = total - 1,
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
        "0",
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
    let found: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("= "))
        .collect();
    assert_eq!(found.len(), expected.len(), "{text}");
    for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let (clock, output) = (index / outputs.len(), &outputs[index % outputs.len()]);
        assert_eq!(found, expected, "{output} in clock {clock}");
    }
}

#[test]
fn modules_are_printed_alone_as_in_their_design() {
    for design in designs::all() {
        for (index, (_, text)) in verilog::print(&design).into_iter().enumerate() {
            let id = ModuleId::from_u32(index as u32);
            assert_eq!(verilog::print_module(&design, id), text);
        }
    }
}

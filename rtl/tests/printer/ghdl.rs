//! What GHDL says of the printed VHDL: it analyses and synthesizes, and random modules do in it what a plain
//! interpreter says.

use crate::recording::{self, Recording};
use crate::{designs, installed, tools};
use hardpath_rtl::{check, vhdl, Design, Direction};

#[test]
fn ghdl_analyses_and_synthesizes_everything() {
    let Some(ghdl) = installed::ghdl() else {
        return;
    };
    for design in tools::all_designs() {
        check::check(&design).expect("the test designs are good");
        let top = vhdl::top_name(&design);
        let files = vhdl::print(&design).expect("it has a text");
        let directory = installed::write_files(&format!("ghdl-{top}"), &files);
        ghdl.analyse(&directory, &files);
        ghdl.run(&directory, &["--synth", "--std=08", "--out=none", &top]);
    }
}

/// As GHDL synthesizes them and yosys maps them: as many as of the SystemVerilog.
#[test]
fn large_memories_become_block_ram() {
    let (Some(ghdl), Some(yosys)) = (installed::ghdl(), installed::yosys()) else {
        return;
    };
    for (top, blocks) in [("memories", 1), ("odd_memories", 4)] {
        let all = designs::all();
        let mut named = all.iter().filter(|design| vhdl::top_name(design) == top);
        let design = named.next().expect("a design of that name");
        let mut files = vhdl::print(design).expect("it has a text");
        let directory = installed::write_files(&format!("ghdl-netlist-{top}"), &files);
        ghdl.analyse(&directory, &files);
        let said = ghdl.run(&directory, &["--synth", "--std=08", "--out=verilog", top]);
        // What GHDL found stands around the netlist.
        let from = said.find("module ").expect("a netlist");
        let to = said.rfind("endmodule").expect("its end") + "endmodule".len();
        files = vec![("netlist.v".to_string(), said[from..to].to_string())];
        let directory = installed::write_files(&format!("ghdl-blocks-{top}"), &files);
        let map = format!("synth_xilinx -family xcup -flatten -noiopad -top {top}");
        let script = format!("read_verilog netlist.v; {map} -run begin:map_lutram; stat");
        let said = yosys.run(&directory, &["-p", &script]);
        let mut counts = said.lines().filter_map(|line| {
            let count = line.trim().strip_prefix("RAMB36E2")?;
            count.trim().parse::<usize>().ok()
        });
        assert_eq!(counts.next_back(), Some(blocks), "{top}");
    }
}

#[test]
fn random_modules_do_in_ghdl_what_they_mean() {
    let Some(ghdl) = installed::ghdl() else {
        return;
    };
    let count = match std::env::var_os("HARDPATH_FULL") {
        Some(_) => 400,
        None => 40,
    };
    let designs = tools::designs_that_run(count);
    let recording = recording::record(&designs);
    let mut files = Vec::new();
    for design in &designs {
        files.extend(vhdl::print(design).expect("it has a text"));
    }
    let as_written = |bits: &Vec<bool>| -> String {
        let bits = bits.iter().rev();
        bits.map(|bit| if *bit { '1' } else { '0' }).collect()
    };
    let stimuli: Vec<String> = recording.stimuli.iter().map(as_written).collect();
    files.push(("bench.vhd".to_string(), bench(&designs, &recording)));
    files.push(("stimuli.txt".to_string(), stimuli.join("\n") + "\n"));
    let directory = installed::write_files("random-ghdl", &files);
    ghdl.analyse(&directory, &files);
    ghdl.run(&directory, &["-e", "--std=08", "bench"]);
    let run = ["-r", "--std=08", "bench", "--ieee-asserts=disable-at-0"];
    let said = ghdl.run(&directory, &run);
    // A metavalue is reported by `numeric_std`.
    assert_eq!(said, "", "GHDL is silent");
    let found = std::fs::read_to_string(directory.join("found.txt")).expect("the bench writes");
    recording.compare(found.lines(), &found);
}

/// A bench that applies a line of `stimuli.txt` in each clock and writes all outputs to `found.txt`.
fn bench(designs: &[Design], recording: &Recording) -> String {
    let outputs = recording.outputs.iter();
    let signals: String = outputs
        .clone()
        .map(|(name, width)| match width {
            1 => format!("  signal {name} : std_logic;\n"),
            _ => format!(
                "  signal {name} : std_logic_vector({} downto 0);\n",
                width - 1
            ),
        })
        .collect();
    let writes: String = outputs
        .map(|(name, width)| {
            let digits = width.div_ceil(4) * 4;
            let value = match width {
                1 => format!("std_logic_vector'(\"000\" & {name})"),
                _ => format!("std_logic_vector(resize(unsigned({name}), {digits}))"),
            };
            format!("      hwrite(text, {value});\n      writeline(found, text);\n")
        })
        .collect();
    let mut instances = String::new();
    for design in designs {
        let module = &design.modules[design.top()];
        let mut connections = vec!["clk => clk".to_string(), "rst => inputs(0)".to_string()];
        let mut at = 1;
        for port in &module.ports {
            let signal = match port.direction {
                Direction::Input if port.width == 1 => {
                    at += 1;
                    format!("inputs({})", at - 1)
                }
                Direction::Input => {
                    at += port.width;
                    format!("inputs({} downto {})", at - 1, at - port.width)
                }
                Direction::Output(_) => format!("{}_{}", module.name, port.name),
            };
            connections.push(format!("{} => {signal}", port.name));
        }
        let (name, connections) = (&module.name, connections.join(", "));
        instances.push_str(&format!(
            "  i_{name} : entity work.{name} port map ({connections});\n"
        ));
    }
    format!(
        "library ieee;\nuse ieee.std_logic_1164.all;\nuse ieee.numeric_std.all;\nuse std.textio.all;\n\
         entity bench is\nend entity;\narchitecture test of bench is\n  signal clk : std_logic := '0';\n\
         \x20 signal inputs : std_logic_vector({} downto 0) := (others => '0');\n{signals}begin\n{instances}\
         \x20 process\n    file stimuli : text open read_mode is \"stimuli.txt\";\n\
         \x20   file found : text open write_mode is \"found.txt\";\n    variable text : line;\n\
         \x20   variable bits : std_logic_vector(inputs'range);\n  begin\n    while not endfile(stimuli) loop\n\
         \x20     readline(stimuli, text);\n      read(text, bits);\n      inputs <= bits;\n      wait for 1 ns;\n\
         {writes}      clk <= '1';\n      wait for 1 ns;\n      clk <= '0';\n    end loop;\n    wait;\n\
         \x20 end process;\nend architecture;\n",
        recording.input_bits - 1
    )
}

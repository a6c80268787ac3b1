//! The printed VHDL in GHDL, under a bench that reads the steps from a file and writes what the outputs show.

use crate::installed::{write_files, Tool};
use crate::stimulus::{Step, INPUTS};
use crate::{design, Shown, OUTPUTS};
use hardpath_rtl::{vhdl, Design};

/// Plays all steps.
pub fn play(ghdl: &Tool, design: &Design, steps: &[Step]) -> Vec<Shown> {
    let mut files = vhdl::print(design).expect("it has a text");
    files.push(("bench.vhd".to_string(), bench()));
    let lines = steps.iter().map(|step| {
        let inputs = step.inputs().into_iter().zip(INPUTS);
        let bits = inputs.map(|(value, (_, width))| bits(value, width));
        let edges = step.edges.map(bits_of);
        edges.into_iter().chain(bits).collect::<String>() + "\n"
    });
    files.push(("steps.txt".to_string(), lines.collect()));
    let folder = write_files("clocks-play", &files);
    ghdl.analyse(&folder, &files);
    ghdl.run(&folder, &["-e", "--std=08", "bench"]);
    let run = ["-r", "--std=08", "bench", "--ieee-asserts=disable-at-0"];
    assert_eq!(ghdl.run(&folder, &run), "", "no assertion fails");
    let found = std::fs::read_to_string(folder.join("shown.txt")).expect("the bench writes");
    let number = |digits: &str| u64::from_str_radix(digits, 16).expect("no metavalue");
    let line = |line: &str| {
        let values: Vec<u64> = line.split_whitespace().map(number).collect();
        Shown::of(values.try_into().expect("all outputs"))
    };
    found.lines().map(line).collect()
}

fn bits(value: u64, width: u32) -> String {
    format!("{value:0width$b}", width = width as usize)
}

fn bits_of(edge: bool) -> String {
    bits(edge.into(), 1)
}

fn type_of(width: u32) -> String {
    match width {
        1 => "std_logic".to_string(),
        _ => format!("std_logic_vector({} downto 0)", width - 1),
    }
}

/// Each line of `steps.txt` has the edges of `clk` and `far_clk`, then the inputs.
fn bench() -> String {
    let ports = INPUTS.iter().chain(&OUTPUTS);
    let signals = ports
        .clone()
        .map(|(name, width)| format!("  signal {name} : {};\n", type_of(*width)));
    let connected: Vec<String> = ports.map(|(name, _)| format!("{name} => {name}")).collect();
    let mut at = 2;
    let mut reads = String::new();
    for (name, width) in INPUTS {
        reads += &match width {
            1 => format!("      {name} <= bits({at});\n"),
            _ => format!("      {name} <= bits({at} to {});\n", at + width - 1),
        };
        at += width;
    }
    let mut writes = String::new();
    for (name, width) in OUTPUTS {
        let value = match width {
            1 => format!("std_logic_vector'(\"000\" & {name})"),
            _ => format!(
                "std_logic_vector(resize(unsigned({name}), {}))",
                width.div_ceil(4) * 4
            ),
        };
        writes += &format!("      hwrite(text, {value});\n      write(text, string'(\" \"));\n");
    }
    format!(
        "library ieee;\nuse ieee.std_logic_1164.all;\nuse ieee.numeric_std.all;\nuse std.textio.all;\n\n\
         entity bench is\nend entity;\n\narchitecture test of bench is\n\
         \x20 signal clk, far_clk : std_logic := '0';\n{signals}begin\n\
         \x20 dut : entity work.{top} port map (clk => clk, far_clk => far_clk, {connected});\n\n\
         \x20 process\n    file steps : text open read_mode is \"steps.txt\";\n\
         \x20   file shown : text open write_mode is \"shown.txt\";\n    variable text : line;\n\
         \x20   variable bits : std_logic_vector(0 to {last});\n  begin\n\
         \x20   while not endfile(steps) loop\n      readline(steps, text);\n      read(text, bits);\n{reads}\
         \x20     wait for 1 ns;\n{writes}      writeline(shown, text);\n\
         \x20     clk <= bits(0);\n      far_clk <= bits(1);\n      wait for 1 ns;\n\
         \x20     clk <= '0';\n      far_clk <= '0';\n      wait for 1 ns;\n    end loop;\n    wait;\n\
         \x20 end process;\nend architecture;\n",
        top = design::TOP,
        signals = signals.collect::<String>(),
        connected = connected.join(", "),
        last = at - 1,
    )
}

//! A design with several clocks and foreign modules.

use hardpath_rtl::foreign::{Foreign, Parameter};
use hardpath_rtl::{Clock, Design, MemStyle, Module};

/// A crossing, a foreign module with parameters in each of two clocks, and one without a clock.
pub fn several_clocks() -> Design {
    let mut design = Design::new();
    let by_number = [("left", 3), ("right", 5)].map(|(name, by)| {
        let mut module = Module::foreign(name, "", rotation(by));
        module.clocks[Clock::FIRST].has_reset = false;
        let word = module.input("word", 8, "");
        module.foreign_output("rotated", 8, &[], "");
        module.foreign_output("now", 8, &[word], "");
        design.add(module)
    });
    let mut parity = Module::foreign_logic("parity", "", parity());
    let word = parity.input("word", 8, "");
    parity.foreign_output("odd", 1, &[word], "");
    let parity = design.add(parity);
    let crossing = design.add(crossing());

    let mut m = Module::new(
        "several_clocks",
        "Two clocks, and modules that others wrote.",
    );
    let slow = m.clock("slow_clk", "slow_rst");
    let word = m.input("word_in", 8, "of the first clock");
    m.section("Fast");
    let left = &design.modules[by_number[0]];
    let placed = m.instance(left, by_number[0], "turn_left", &[("word", word)]);
    let turned = m.instance_output(left, placed, "rotated");
    let counted = m.delay_reset("counted", turned);
    let zero = m.ne(counted, turned);
    m.assert("moves", zero, "the word stands still");
    m.section("Slow");
    m.on(slow);
    let address = m.input("address", 3, "of the second clock");
    let callee = &design.modules[crossing];
    let inputs = [("word", counted), ("address", address)];
    let clocks = [Clock::FIRST, slow];
    let placed = m.instance_of_clocks(callee, crossing, "cross", &clocks, &inputs);
    let stored = m.instance_output(callee, placed, "stored");
    let stored_at_once = m.instance_output(callee, placed, "stored_at_once");
    let right = &design.modules[by_number[1]];
    let placed = m.instance(right, by_number[1], "turn_right", &[("word", stored)]);
    let now = m.instance_output(right, placed, "now");
    let sum = m.add(now, stored_at_once);
    let callee = &design.modules[parity];
    let placed = m.instance(callee, parity, "is_odd", &[("word", sum)]);
    let odd = m.instance_output(callee, placed, "odd");
    let result = m.concat(&[odd, now]);
    let held = m.delay_reset("held", result);
    m.output("result", held, "of the second clock");
    design.add(m);
    design
}

fn crossing() -> Module {
    let mut m = Module::new("crossing", "Words of one clock, read with another one.");
    m.is_crossing = true;
    let slow = m.clock("slow_clk", "slow_rst");
    let word = m.input("word", 8, "");
    let (index_reg, index) = m.reg_reset("index", 3, 0);
    let next = m.add_const(index, 1);
    m.set_next(index_reg, next);
    let one = m.one();
    let mut memory = |name: &str, style| {
        let words = m.mem(name, 8, 8, style);
        m.mem_write(words, index, word, one);
        words
    };
    let words = memory("words", MemStyle::Block);
    let other_words = memory("other_words", MemStyle::Distributed);
    m.on(slow);
    let address = m.input("address", 3, "");
    let seen = m.synchronize("index_seen", index);
    let is_other = m.ne(seen, address);
    let stored = m.mem_read_sync(words, address, is_other);
    m.output("stored", stored, "");
    let stored = m.mem_read_async(other_words, address);
    m.output("stored_at_once", stored, "");
    m
}

fn rotation(by: i32) -> Foreign {
    let verilog = "\
`default_nettype none
module rotation #(
    parameter int BY = 1,
    parameter logic [7:0] FIRST = 8'd0,
    parameter NAME = \"\"
) (
    input  wire       clk,
    input  wire [7:0] word,
    output reg  [7:0] rotated,
    output wire [7:0] now
);
  assign now = word << BY | word >> 8 - BY;
  initial rotated = FIRST;
`ifndef SYNTHESIS
  initial if (NAME == \"\") $error(\"it has no name\");
`endif
  always @(posedge clk) rotated <= now;
endmodule
`default_nettype wire
";
    let vhdl = "\
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity rotation is
  generic (BY_BITS : integer := 1; FIRST : std_logic_vector(7 downto 0) := x\"00\"; NAME : string := \"\");
  port (
    clk : in std_logic;
    word : in std_logic_vector(7 downto 0);
    rotated : out std_logic_vector(7 downto 0);
    now : out std_logic_vector(7 downto 0)
  );
end entity rotation;

architecture rtl of rotation is
  signal held : std_logic_vector(7 downto 0) := FIRST;
begin
  assert NAME /= \"\" report \"it has no name\" severity failure;
  now <= std_logic_vector(rotate_left(unsigned(word), BY_BITS));
  rotated <= held;
  process (clk)
  begin
    if rising_edge(clk) then
      held <= std_logic_vector(rotate_left(unsigned(word), BY_BITS));
    end if;
  end process;
end architecture rtl;
";
    Foreign {
        name: "rotation".into(),
        parameters: vec![
            ("BY_BITS".into(), Parameter::Integer(by)),
            ("FIRST".into(), Parameter::Bits(vec![0x81], 8)),
            ("NAME".into(), Parameter::Text("turn".into())),
        ],
        // `by` is a word of VHDL.
        verilog: Some(verilog.replace("BY", "BY_BITS")),
        vhdl: Some(vhdl.into()),
        model: None,
    }
}

fn parity() -> Foreign {
    let verilog = "\
module odd_parity (
    input  wire [7:0] word,
    output wire       odd
);
  assign odd = ^word;
endmodule
";
    let vhdl = "\
library ieee;
use ieee.std_logic_1164.all;

entity odd_parity is
  port (
    word : in std_logic_vector(7 downto 0);
    odd : out std_logic
  );
end entity odd_parity;

architecture rtl of odd_parity is
begin
  odd <= xor word;
end architecture rtl;
";
    Foreign {
        name: "odd_parity".into(),
        verilog: Some(verilog.into()),
        vhdl: Some(vhdl.into()),
        ..Foreign::default()
    }
}

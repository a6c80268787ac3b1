//! A top with few pins around a design that has hundreds, for place and route: nothing of the design is lost, and no
//! path of the design ends at a pin.
//!
//! A shift register drives all inputs, and two ranks of registers keep it away from them. The outputs are registered
//! and folded into one bit by exclusive ors of four, each with a register behind it, so that the slowest path is one of the
//! design's own.

use std::fmt::Write;

/// A port of the design beside `clk` and `rst`.
#[derive(Clone, Debug)]
pub struct WrappedPort {
    /// As the design's text has it.
    pub name: String,
    /// Its width.
    pub bits: u32,
    /// Whether the design reads it.
    pub is_input: bool,
}

/// Name of the wrapper's module.
pub const WRAPPER: &str = "hardpath_wrapper";

/// The instance of the design in it.
pub const INSTANCE: &str = "dut";

/// SystemVerilog of the wrapper: `clk`, `rst`, `serial_in` → `serial_out`.
pub fn wrapper(top: &str, ports: &[WrappedPort]) -> String {
    let bits = |inputs: bool| -> u32 {
        let own = ports.iter().filter(|port| port.is_input == inputs);
        own.map(|port| port.bits).sum()
    };
    let (inputs, outputs) = (bits(true).max(1), bits(false).max(1));
    let mut text = format!(
        "module {WRAPPER} (input wire clk, input wire rst, input wire serial_in, output reg serial_out);\n\
         reg rst_q;\n\
         reg [{high}:0] shift, driven;\n\
         wire [{out_high}:0] out;\n\
         reg [{out_high}:0] folded_0;\n\
         always @(posedge clk) begin\n\
         rst_q <= rst;\n\
         shift <= {{shift, serial_in}};\n\
         driven <= shift;\n\
         folded_0 <= out;\n",
        high = inputs - 1,
        out_high = outputs - 1,
    );
    let (mut width, mut rank, mut declared) = (outputs, 0, String::new());
    while width > 1 {
        let next = width.div_ceil(4);
        let _ = writeln!(declared, "reg [{}:0] folded_{};", next - 1, rank + 1);
        for bit in 0..next {
            let last = (4 * bit + 3).min(width - 1);
            let _ = writeln!(
                text,
                "folded_{}[{bit}] <= ^folded_{rank}[{last}:{}];",
                rank + 1,
                4 * bit
            );
        }
        (width, rank) = (next, rank + 1);
    }
    let _ = writeln!(text, "serial_out <= folded_{rank}[0];\nend");
    text.push_str(&declared);
    let _ = write!(text, "{top} {INSTANCE} (.clk(clk), .rst(rst_q)");
    let mut next = [0, 0];
    for port in ports {
        let (signal, place) = match port.is_input {
            true => ("driven", &mut next[0]),
            false => ("out", &mut next[1]),
        };
        let (low, high) = (*place, *place + port.bits - 1);
        let _ = write!(text, ",\n.{}({signal}[{high}:{low}])", port.name);
        *place += port.bits;
    }
    text.push_str(");\nendmodule\n");
    text
}

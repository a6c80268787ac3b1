// Combinational: no clock is used.

`default_nettype none

module adder (
    input  wire       clk,
    input  wire       rst,      // Synchronous, active high.
    input  wire [7:0] a,
    input  wire [7:0] b,
    output wire [7:0] sum,
    output wire       is_zero
);

  assign sum = a + b;
  assign is_zero = sum == 8'd0;

  // Bits that nobody reads.
  wire _unused_ok = &{1'b0, clk, rst};

endmodule

`default_nettype wire

// Conditions of many bits.

`default_nettype none

module many_bits (
    input  wire        clk,
    input  wire        rst,          // Synchronous, active high.
    input  wire        in0,
    input  wire        in1,
    input  wire [1:0]  in2,
    input  wire [6:0]  in3,
    input  wire [7:0]  in4,
    input  wire [32:0] in5,
    input  wire [63:0] in6,
    input  wire [99:0] in7,
    output wire        four,
    output wire        any_of_five,
    output wire        not_all,
    output wire        chain
);

  assign four = in3[0] || in3[1] || in3[2] || in3[3];
  assign any_of_five = |{in3[0], in3[1], in3[2], in3[3], in0};
  wire in3_and = &{in3[0], in3[1], in3[2], in3[3], in0, in1};
  assign not_all = !in3_and;
  wire in3_or = in3[0] || in3[1] || in3[2] || in3[3] || in0 || in1 || in4 == 8'd3;
  assign chain = in3_or && any_of_five;

  // Bits that nobody reads.
  wire _unused_ok = &{1'b0, clk, rst, in2, in3[6:4], in5, in6, in7};

endmodule

`default_nettype wire

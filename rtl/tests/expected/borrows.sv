// Orders of two words.

`default_nettype none

module borrows (
    input  wire        clk,
    input  wire        rst,                // Synchronous, active high.
    input  wire        in0,
    input  wire        in1,
    input  wire [1:0]  in2,
    input  wire [6:0]  in3,
    input  wire [7:0]  in4,
    input  wire [32:0] in5,
    input  wire [63:0] in6,
    input  wire [99:0] in7,
    output wire        is_less,
    output wire        is_at_most,
    output wire        is_less_signed,
    output wire        is_at_most_signed,
    output wire        is_less_of_few,
    output wire        is_below_limit
);

  logic [39:0] a;
  logic [39:0] b;
  logic        less_reg;
  logic        at_most_reg;
  logic        less_signed_reg;
  logic        at_most_signed_reg;
  logic        less_of_few_reg;
  logic        below_limit_reg;

  wire [40:0] less_borrow = {1'b0, a} - {1'b0, b};
  wire        less = less_borrow[40];
  wire [40:0] at_most_borrow = {1'b0, b} - {1'b0, a};
  wire        at_most = !at_most_borrow[40];
  wire [40:0] less_signed_borrow = {{1{a[39]}}, a} - {{1{b[39]}}, b};
  wire        less_signed = less_signed_borrow[40];
  wire [40:0] at_most_signed_borrow = {{1{b[39]}}, b} - {{1{a[39]}}, a};
  wire        at_most_signed = !at_most_signed_borrow[40];
  wire        less_of_few = a[2:0] < b[2:0];
  wire        below_limit = a < 40'h80_0000_0000;

  initial begin
    a = 40'd0; b = 40'd0; less_reg = 1'b0; at_most_reg = 1'b0; less_signed_reg = 1'b0;
    at_most_signed_reg = 1'b0; less_of_few_reg = 1'b0; below_limit_reg = 1'b0;
  end

  always @(posedge clk) begin
    a <= in6[39:0];
    b <= in7[39:0];
    less_reg <= less;
    at_most_reg <= at_most;
    less_signed_reg <= less_signed;
    at_most_signed_reg <= at_most_signed;
    less_of_few_reg <= less_of_few;
    below_limit_reg <= below_limit;
  end

  // ---- Outputs --------------------------------------------------------------

  assign is_less = less_reg;
  assign is_at_most = at_most_reg;
  assign is_less_signed = less_signed_reg;
  assign is_at_most_signed = at_most_signed_reg;
  assign is_less_of_few = less_of_few_reg;
  assign is_below_limit = below_limit_reg;

  // Bits that nobody reads.
  wire _unused_ok = &{
    1'b0, rst, in0, in1, in2, in3, in4, in5, in6[63:40], in7[99:40], less_borrow[39:0],
    at_most_borrow[39:0], less_signed_borrow[39:0], at_most_signed_borrow[39:0]
  };

endmodule

`default_nettype wire

// Wide values, and amounts and constants of more than 64 bits.

`default_nettype none

module wide (
    input  wire         clk,
    input  wire         rst,   // Synchronous, active high.
    input  wire [599:0] a,
    input  wire [69:0]  by,
    input  wire [32:0]  by33,
    output wire [599:0] o,
    output wire [2:0]   bits
);

  wire [599:0] constant_600 = {
    24'd0, 64'd1, 192'd0, 64'hffff_ffff_ffff_ffff, 64'd7, 128'd0, 64'h0123_4567_89ab_cdef
  };
  wire [599:0] a_sum = a + constant_600;
  wire [599:0] a_sum_choice = (|by[69:32]) ? 600'd0 : a_sum << by[31:0];
  wire [599:0] a_sum_choice_2 = by33[32] ? 600'd0 : a_sum >> by33[31:0];
  wire [599:0] a_shifted_2 = $signed(a) >>> by[31:0];
  wire [599:0] a_shifted = $signed(a) >>> 599;
  wire [599:0] a_shifted_3 = $signed(a) >>> 9;
  assign o =
    a_sum_choice
    ^ a_sum_choice_2
    ^ ((|by[69:32]) ? a_shifted : a_shifted_2)
    ^ a_shifted_3
    ^ {600{a[599]}}
    ^ a
    ^ {600{1'b1}}
    ^ a_sum_choice;

  // ---- Outputs --------------------------------------------------------------

  assign bits = 3'd3;

  // Bits that nobody reads.
  wire _unused_ok = &{1'b0, clk, rst};

endmodule

`default_nettype wire

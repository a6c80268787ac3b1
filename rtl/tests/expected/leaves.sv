`default_nettype none

module leaves (
    input  wire        clk,
    input  wire        rst,         // Synchronous, active high.
    input  wire [15:0] a,
    input  wire [8:0]  ignored,     // Nobody reads it.
    output wire [7:0]  middle,
    output wire [15:0] constant,
    input  wire [2:0]  b,
    output wire [2:0]  same,
    output wire [2:0]  same_again
);

  assign middle = a[11:4];

  // ---- Outputs --------------------------------------------------------------

  assign constant = 16'hbeef;
  assign same = b;
  assign same_again = b;

  // Bits that nobody reads.
  wire _unused_ok = &{1'b0, clk, rst, a[3:0], a[15:12], ignored};

endmodule

`default_nettype wire

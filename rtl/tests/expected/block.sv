// Größer – a name that VHDL reserves.

`default_nettype none

module block (
    input  wire       clk,
    input  wire       rst,        // Synchronous, active high.
    input  wire [3:0] in,
    input  wire [3:0] IN,
    output wire [3:0] _sum__of_   // 4 bits → 4 bits
);

  assign _sum__of_ = in + IN;

  // Bits that nobody reads.
  wire _unused_ok = &{1'b0, clk, rst};

endmodule

`default_nettype wire

`default_nettype none
module rotation #(
    parameter int BY_BITS = 1,
    parameter logic [7:0] FIRST = 8'd0,
    parameter NAME = ""
) (
    input  wire       clk,
    input  wire [7:0] word,
    output reg  [7:0] rotated,
    output wire [7:0] now
);
  assign now = word << BY_BITS | word >> 8 - BY_BITS;
  initial rotated = FIRST;
`ifndef SYNTHESIS
  initial if (NAME == "") $error("it has no name");
`endif
  always @(posedge clk) rotated <= now;
endmodule
`default_nettype wire

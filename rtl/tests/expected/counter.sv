// Counts the clocks in which `enable` is 1.
//
// The count wraps at its width.

`default_nettype none

module counter (
    input  wire        clk,
    input  wire        rst,     // Synchronous, active high.
    input  wire        enable,  // Counts when 1.
    output wire [15:0] count    // Clocks counted.
);

  logic [15:0] count_reg;  // clocks seen so far

  initial begin
    count_reg = 16'd3;
  end

  always @(posedge clk) begin
    if (enable) begin
      count_reg <= count_reg + 16'd1;
    end
    if (rst) begin
      count_reg <= 16'd3;
    end
  end

  // ---- Outputs --------------------------------------------------------------

  assign count = count_reg;

`ifndef SYNTHESIS
  // Must hold in every clock outside reset.
  always @(posedge clk) begin
    if (!rst) begin
      no_overflow : assert (count_reg < 16'd65520)
        else $error("the counter is about to wrap: 100%% \"full\"");
    end
  end
`endif

endmodule

`default_nettype wire

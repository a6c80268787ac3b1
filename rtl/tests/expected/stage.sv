// A register with a handshake.

`default_nettype none

module stage (
    input  wire       clk,
    input  wire       rst,        // Synchronous, active high.
    input  wire [7:0] value,
    input  wire       ready,
    output wire [7:0] value_out,
    output wire       stall       // Combinational from `ready`.
);

  logic [7:0] held;

  assign stall = !ready;

  initial begin
    held = 8'd0;
  end

  always @(posedge clk) begin
    held <= value;
    if (rst) begin
      held <= 8'd0;
    end
  end

  // ---- Outputs --------------------------------------------------------------

  assign value_out = held;

endmodule

`default_nettype wire

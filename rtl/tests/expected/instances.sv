// Three instances in a ring that a register breaks.

`default_nettype none

module instances (
    input  wire       clk,
    input  wire       rst,          // Synchronous, active high.
    input  wire [7:0] input_value,
    input  wire       ready,
    output wire [7:0] result,
    output wire       stall
);

  // Driven further down.
  wire [7:0] hold_value_out;

  wire [7:0] back = hold_value_out;

  wire [7:0] first_sum;
  wire       unused_first_is_zero;
  adder first (
      .clk     (clk),
      .rst     (rst),
      .a       (input_value),
      .b       (back),
      .sum     (first_sum),
      .is_zero (unused_first_is_zero)
  );

  // Breaks the ring.
  stage hold (
      .clk       (clk),
      .rst       (rst),
      .value     (first_sum),
      .ready     (ready),
      .value_out (hold_value_out),
      .stall     (stall)
  );

  wire unused_second_is_zero;
  adder second (
      .clk     (clk),
      .rst     (rst),
      .a       (hold_value_out + hold_value_out),
      .b       (input_value),
      .sum     (result),
      .is_zero (unused_second_is_zero)
  );

endmodule

`default_nettype wire

// Two clocks, and modules that others wrote.

`default_nettype none

module several_clocks (
    input  wire       clk,
    input  wire       rst,       // Synchronous, active high.
    input  wire       slow_clk,
    input  wire       slow_rst,  // Synchronous to slow_clk, active high.
    input  wire [7:0] word_in,   // of the first clock
    input  wire [2:0] address,   // of the second clock
    output wire [8:0] result     // of the second clock
);

  // ---- Fast -----------------------------------------------------------------

  logic [7:0] counted;

  wire [7:0] turn_left_rotated;
  wire [7:0] unused_turn_left_now;
  rotation #(
      .BY_BITS (3),
      .FIRST   (8'h81),
      .NAME    ("turn")
  ) turn_left (
      .clk     (clk),
      .word    (word_in),
      .rotated (turn_left_rotated),
      .now     (unused_turn_left_now)
  );

  initial begin
    counted = 8'd0;
  end

  always @(posedge clk) begin
    counted <= turn_left_rotated;
    if (rst) begin
      counted <= 8'd0;
    end
  end

  // ---- Slow -----------------------------------------------------------------

  logic [8:0] held;

  wire [7:0] cross_stored;
  wire [7:0] cross_stored_at_once;
  crossing cross_2 (
      .clk            (clk),
      .rst            (rst),
      .slow_clk       (slow_clk),
      .slow_rst       (slow_rst),
      .word           (counted),
      .address        (address),
      .stored         (cross_stored),
      .stored_at_once (cross_stored_at_once)
  );

  wire [7:0] unused_turn_right_rotated;
  wire [7:0] turn_right_now;
  rotation #(
      .BY_BITS (5),
      .FIRST   (8'h81),
      .NAME    ("turn")
  ) turn_right (
      .clk     (slow_clk),
      .word    (cross_stored),
      .rotated (unused_turn_right_rotated),
      .now     (turn_right_now)
  );

  wire is_odd_odd;
  odd_parity is_odd (
      .word (turn_right_now + cross_stored_at_once),
      .odd  (is_odd_odd)
  );

  initial begin
    held = 9'd0;
  end

  always @(posedge slow_clk) begin
    held <= {is_odd_odd, turn_right_now};
    if (slow_rst) begin
      held <= 9'd0;
    end
  end

  // ---- Outputs --------------------------------------------------------------

  assign result = held;

`ifndef SYNTHESIS
  // Must hold in every clock outside reset.
  always @(posedge clk) begin
    if (!rst) begin
      moves : assert (counted != turn_left_rotated)
        else $error("the word stands still");
    end
  end
`endif

endmodule

`default_nettype wire

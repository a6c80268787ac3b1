// Wishes that cannot be granted as they are.

`default_nettype none

module awkward_names (
    input  wire       clk,
    input  wire       rst,          // Synchronous, active high.
    input  wire [3:0] input_value,  // comment with
    output wire [3:0] result,
    output wire [3:0] other,
    output wire [3:0] late_out
);

  logic [3:0] always_2;
  logic [3:0] result_reg;

  wire [3:0] second_name = input_value;
  wire [3:0] delete_2 = result_reg + 4'd1;
  wire [3:0] delete_3 = delete_2 + always_2;  // - verilator lint_off is no comment here second line
  wire [3:0] late = delete_2 & delete_3;
  wire [3:0] uses_late = late ^ second_name;
  wire [3:0] second_name_2 = second_name | uses_late;

  initial begin
    always_2 = 4'd9; result_reg = 4'd0;
  end

  always @(posedge clk) begin
    always_2 <= second_name;
    result_reg <= always_2;
    if (rst) begin
      always_2 <= 4'd9;
    end
  end

  // ---- Outputs --------------------------------------------------------------

  assign result = result_reg;
  assign other = second_name_2;
  assign late_out = late;

endmodule

`default_nettype wire

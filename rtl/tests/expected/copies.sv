// A select in three registers that stay apart.

`default_nettype none

module copies (
    input  wire       clk,
    input  wire       rst,       // Synchronous, active high.
    input  wire       select,
    input  wire [5:0] data,
    output wire [5:0] selected
);

  (* dont_touch = "true" *) logic select_reg_0;
  (* dont_touch = "true" *) logic select_reg_1;
  (* dont_touch = "true" *) logic select_reg_2;

  assign selected = {
    {2{select_reg_0}} & data[1:0], {2{select_reg_1}} & data[3:2],
    {2{select_reg_2}} & data[5:4]
  };

  initial begin
    select_reg_0 = 1'b0; select_reg_1 = 1'b0; select_reg_2 = 1'b0;
  end

  (* keep *)
  always @(posedge clk) begin
    select_reg_0 <= select;
    select_reg_1 <= select;
    select_reg_2 <= select;
  end

  // Bits that nobody reads.
  wire _unused_ok = &{1'b0, rst};

endmodule

`default_nettype wire

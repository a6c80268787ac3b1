// Sums of few bits, in all kinds of places.

`default_nettype none

module small_sums (
    input  wire        clk,
    input  wire        rst,      // Synchronous, active high.
    input  wire        in0,
    input  wire        in1,
    input  wire [1:0]  in2,
    input  wire [6:0]  in3,
    input  wire [7:0]  in4,
    input  wire [32:0] in5,
    input  wire [63:0] in6,
    input  wire [99:0] in7,
    output wire [13:0] counts,
    output wire        equal,
    output wire        below,
    output wire [14:0] joined,
    output wire [6:0]  negated,
    output wire [6:0]  chosen,
    output wire [7:0]  word
);

  logic [6:0] count;
  logic [6:0] count_copy;

  (* ram_style = "distributed" *)
  logic [7:0] words [0:127];

  assign counts = {count, count_copy};
  assign equal = (in3 + 7'd100) == count;
  assign below = {1'b0, in3 + 7'd101} < in4;
  assign joined = {in3 + 7'd102, count - 7'd99, in0};
  assign negated = ~(in3 + 7'd103);
  assign chosen = in0 ? in3 + 7'd104 : count;
  assign word = words[count];

  initial begin
    count = 7'h78; count_copy = 7'h78;
  end

  always @(posedge clk) begin
    if (in0) begin
      count <= count + 7'd9;
      count_copy <= count + 7'd9;
    end
    if (rst) begin
      count <= 7'h78;
      count_copy <= 7'h78;
    end
  end

  initial begin
    for (int i = 0; i < 128; i = i + 1) words[i] = 8'd0;
  end

  always @(posedge clk) begin
    if (in0) begin
      words[in3 + 7'd105] <= in4;
    end
  end

  // Bits that nobody reads.
  wire _unused_ok = &{1'b0, in1, in2, in5, in6, in7};

endmodule

`default_nettype wire

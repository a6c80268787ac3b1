// Turns words to the left and changes their bits by a key, to which each word that is taken is added.
`default_nettype none

module turn #(
    parameter int AMOUNT = 1,
    parameter logic [39:0] FIRST_KEY = 40'd0
) (
    input  wire        clock,
    input  wire        reset,
    input  wire        take,
    input  wire [39:0] word,
    output wire [39:0] turned,
    output reg  [11:0] count
);

  logic [39:0] key;

  assign turned = (word << AMOUNT | word >> (40 - AMOUNT)) ^ key;

  initial begin
    key = FIRST_KEY;
    count = 12'd0;
  end

  always @(posedge clock) begin
    if (take) begin
      key <= key + word;
      count <= count + 12'd1;
    end
    if (reset) begin
      key <= FIRST_KEY;
      count <= 12'd0;
    end
  end

endmodule

`default_nettype wire

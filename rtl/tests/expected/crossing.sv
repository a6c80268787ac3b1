// Words of one clock, read with another one.

`default_nettype none

module crossing (
    input  wire       clk,
    input  wire       rst,             // Synchronous, active high.
    input  wire       slow_clk,
    input  wire       slow_rst,        // Synchronous to slow_clk, active high.
    input  wire [7:0] word,
    input  wire [2:0] address,
    output wire [7:0] stored,
    output wire [7:0] stored_at_once
);

  logic [2:0] index;
  (* ASYNC_REG = "TRUE" *) logic [2:0] index_seen_0;
  (* ASYNC_REG = "TRUE" *) logic [2:0] index_seen_1;

  (* ram_style = "block" *)
  logic [7:0] words [0:7];
  logic [7:0] words_data;

  (* ram_style = "distributed" *)
  logic [7:0] other_words [0:7];

  assign stored_at_once = other_words[address];

  initial begin
    index = 3'd0; index_seen_0 = 3'd0; index_seen_1 = 3'd0; words_data = 8'd0;
  end

  always @(posedge clk) begin
    index <= index + 3'd1;
    if (rst) begin
      index <= 3'd0;
    end
  end

  always @(posedge slow_clk) begin
    index_seen_0 <= index;
    index_seen_1 <= index_seen_0;
  end

  initial begin
    for (int i = 0; i < 8; i = i + 1) words[i] = 8'd0;
  end

  always @(posedge clk) begin
    words[index] <= word;
  end

  always @(posedge slow_clk) begin
    if (index_seen_1 != address) begin
      words_data <= words[address];
    end
  end

  initial begin
    for (int i = 0; i < 8; i = i + 1) other_words[i] = 8'd0;
  end

  always @(posedge clk) begin
    other_words[index] <= word;
  end

  // ---- Outputs --------------------------------------------------------------

  assign stored = words_data;

  // Bits that nobody reads.
  wire _unused_ok = &{1'b0, slow_rst};

endmodule

`default_nettype wire

// A block RAM, LUT RAM, registers.

`default_nettype none

module memories (
    input  wire        clk,
    input  wire        rst,      // Synchronous, active high.
    input  wire [9:0]  address,
    input  wire [35:0] data,
    input  wire        write,
    input  wire        read,
    output wire [35:0] counter,
    input  wire [3:0]  parts,
    output wire [35:0] lane,
    output wire [7:0]  slot,
    output wire        flag,
    output wire [3:0]  nibble
);

  // ---- Counters -------------------------------------------------------------

  // map counters: 1024 entries
  (* ram_style = "block" *)
  logic [35:0] counters [0:1023];
  logic [35:0] counters_data;

  (* ram_style = "block" *)
  logic [35:0] lanes [0:1023];
  logic [35:0] lanes_data;

  initial begin
    counters_data = 36'd0; lanes_data = 36'd0;
  end

  initial begin
    for (int i = 0; i < 1024; i = i + 1) counters[i] = 36'd0;
  end

  always @(posedge clk) begin
    if (write) begin
      counters[address] <= data;
    end
    if (read) begin
      counters_data <= counters[address];
    end
  end

  initial begin
    for (int i = 0; i < 1024; i = i + 1) lanes[i] = 36'd0;
  end

  always @(posedge clk) begin
    if (parts[0]) begin
      lanes[address][8:0] <= data[8:0];
    end
    if (parts[1]) begin
      lanes[address][17:9] <= data[17:9];
    end
    if (parts[2]) begin
      lanes[address][26:18] <= data[26:18];
    end
    if (parts[3]) begin
      lanes[address][35:27] <= data[35:27];
    end
    if (read) begin
      lanes_data <= lanes[address];
    end
  end

  // ---- Small ones -----------------------------------------------------------

  (* ram_style = "distributed" *)
  logic [7:0] slots [0:31];

  (* ram_style = "registers" *)
  logic flags [0:3];
  logic flags_data;

  logic [3:0] auto_2 [0:15];

  assign slot = slots[address[4:0]];
  assign nibble = auto_2[address[3:0]];

  initial begin
    flags_data = 1'b0;
  end

  initial begin
    for (int i = 0; i < 32; i = i + 1) slots[i] = 8'd0;
  end

  always @(posedge clk) begin
    if (write) begin
      slots[address[4:0]] <= data[7:0];
    end
  end

  initial begin
    for (int i = 0; i < 4; i = i + 1) flags[i] = 1'b0;
  end

  always @(posedge clk) begin
    flags[address[1:0]] <= data[0];
    flags_data <= flags[address[1:0]];
  end

  initial begin
    for (int i = 0; i < 16; i = i + 1) auto_2[i] = 4'd0;
  end

  always @(posedge clk) begin
    if (write) begin
      auto_2[address[3:0]] <= data[7:4];
    end
  end

  // ---- Outputs --------------------------------------------------------------

  assign counter = counters_data;
  assign lane = lanes_data;
  assign flag = flags_data;

  // Bits that nobody reads.
  wire _unused_ok = &{1'b0, rst};

endmodule

`default_nettype wire

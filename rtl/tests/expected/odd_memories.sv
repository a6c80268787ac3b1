// Memories of odd depths.

`default_nettype none

module odd_memories (
    input  wire        clk,
    input  wire        rst,           // Synchronous, active high.
    input  wire [19:0] address,
    input  wire [19:0] other,
    input  wire [23:0] data,
    input  wire        write,
    input  wire        read,
    output wire        single_value,
    output wire [23:0] ten_value,
    output wire [23:0] big_value,
    output wire [2:0]  table_value
);

  // Driven further down.
  wire single_data;

  logic big_in_range;
  logic big_in_range_2;

  (* ram_style = "registers" *)
  logic single [0:0];

  (* ram_style = "block" *)
  logic [23:0] ten [0:15];
  logic [23:0] ten_data;

  (* ram_style = "ultra" *)
  logic [23:0] big [0:4999];
  logic [23:0] big_data0;
  logic [23:0] big_data1;

  (* ram_style = "distributed" *)
  logic [2:0] table_2 [0:199];

  wire       big_write0 = write && address < 20'd5000;
  wire       big_write1 = read && other < 20'd5000;
  wire       big_write0_and = big_write0 && big_write1 && address[12:0] == other[12:0];
  assign single_value = !address[0] ? single_data : 1'b0;
  assign single_data = single[address[0]];
  assign big_value = (big_in_range ? big_data0 : 24'd0) ^ (big_in_range_2 ? big_data1 : 24'd0);
  wire [2:0] table_data0 = table_2[other[7:0]];
  wire [2:0] table_data1 = table_2[address[7:0]];
  assign table_value =
    ((other < 20'd200) ? table_data0 : 3'd0)
    + ((address < 20'd200) ? table_data1 : 3'd0);

  initial begin
    big_in_range = 1'b0; big_in_range_2 = 1'b0; ten_data = 24'd0; big_data0 = 24'd0;
    big_data1 = 24'd0;
  end

  always @(posedge clk) begin
    if (read) begin
      big_in_range <= address < 20'd5000;
      big_in_range_2 <= other < 20'd5000;
    end
  end

  initial begin
    for (int i = 0; i < 1; i = i + 1) single[i] = 1'b0;
  end

  always @(posedge clk) begin
    if (write && !address[0]) begin
      single[address[0]] <= data[0];
    end
  end

  initial begin
    for (int i = 0; i < 16; i = i + 1) ten[i] = 24'd0;
  end

  always @(posedge clk) begin
    if (write && address[6:3] < 4'd10) begin
      ten[address[6:3]] <= data;
    end
    if (read) begin
      ten_data <= ten[address[6:3]];
    end
  end

`ifndef SYNTHESIS
  initial begin
    for (int i = 0; i < 5000; i = i + 1) big[i] = 24'd0;
  end
`endif

  always @(posedge clk) begin
    if (big_write0) begin
      big[address[12:0]] <= data;
    end
    if (big_write1) begin
      big[other[12:0]] <= data;
    end
    if (read) begin
      big_data0 <= big[address[12:0]];
      big_data1 <= big[other[12:0]];
    end
  end

  initial begin
    for (int i = 0; i < 200; i = i + 1) table_2[i] = 3'd0;
  end

  always @(posedge clk) begin
    if (write && other < 20'd200) begin
      table_2[other[7:0]] <= data[4:2];
    end
  end

  // ---- Outputs --------------------------------------------------------------

  assign ten_value = ten_data;

`ifndef SYNTHESIS
  // Must hold in every clock outside reset.
  always @(posedge clk) begin
    if (!rst) begin
      big_one_writer : assert (!big_write0_and)
        else $error("two ports write one word of big");
    end
  end
`endif

endmodule

`default_nettype wire

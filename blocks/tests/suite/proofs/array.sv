// Value memory with forwarding: every packet, and every operation of the host, reads what the one before it left, for
// an address of which nothing is known. CLOCKS is the distance from a read to its commit.
module harness #(parameter BITS = 2, parameter CLOCKS = 1, parameter DEPTH = 4) (
                input wire clk, input wire [BITS-1:0] index, input wire host, input wire host_writes,
                input wire writes, input wire [1:0] data, input wire [1:0] host_data, input wire [BITS-1:0] any_index);
  reg started = 0;
  reg [BITS-1:0] chosen = 0, index_1 = 0, index_2 = 0, index_3 = 0;
  reg host_1 = 0, host_2 = 0, host_3 = 0;
  reg [1:0] value = 0;
  wire [1:0] read;
  wire [BITS-1:0] index_c = CLOCKS == 1 ? index_1 : CLOCKS == 2 ? index_2 : index_3;
  wire host_c = CLOCKS == 1 ? host_1 : CLOCKS == 2 ? host_2 : host_3;
  wire write = started && writes && !host_c;
  block dut (.clk(clk), .rst(!started), .read_index_0(index), .write(write), .write_word(data),
             .host_a(started && host), .host_write_ok(host_writes), .clear(1'b0), .clear_index({BITS{1'b0}}),
             .host_value(host_data), .read_word_0(read), .host_answer(), .host_result());
  always @(posedge clk) begin
    started <= 1;
    if (!started) chosen <= any_index;
    index_1 <= index;
    index_2 <= index_1;
    index_3 <= index_2;
    host_1 <= started && host;
    host_2 <= host_1;
    host_3 <= host_2;
    if (index_c == chosen && started) value <= host_c && host_writes ? host_data : write ? data : value;
  end
  always @* if (started && index_c == chosen && chosen < DEPTH) assert (read == value);
endmodule

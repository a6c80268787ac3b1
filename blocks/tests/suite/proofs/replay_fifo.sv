// Replay FIFO: words come in order; after a rewind those that were not retired come again, the same and in order; what
// is not retired is never written over.
module harness (input wire clk, input wire wants_push, input wire wants_pop, input wire wants_retire,
                input wire rewinds, input wire [1:0] data, input wire [4:0] any_number);
  reg started = 0;
  reg [4:0] number = 0, pushed = 0, popped = 0, retired = 0, quiet = 0;
  reg [1:0] word = 0;
  wire valid, idle;
  wire [1:0] data_out;
  wire rewind = started && rewinds;
  wire push = started && wants_push && pushed - retired < 5'd4;
  wire pop = started && wants_pop && valid && !rewind;
  wire retire = started && wants_retire && popped != retired && !rewind;
  block dut (.clk(clk), .rst(!started), .push(push), .data_in(data), .pop(pop), .retire(retire), .rewind(rewind),
             .valid(valid), .data_out(data_out), .idle(idle));
  always @(posedge clk) begin
    started <= 1;
    if (!started) number <= any_number;
    if (push) pushed <= pushed + 1;
    popped <= rewind ? retired : popped + pop;
    if (retire) retired <= retired + 1;
    if (push && pushed == number) word <= data;
    quiet <= push || rewind || pop ? 0 : quiet + 1;
  end
  always @* if (started) begin
    assert (idle == (popped == retired));
    if (valid) assert (popped < pushed);
    if (popped < pushed && quiet >= 1) assert (valid);
    if (valid && popped == number) assert (data_out == word);
  end
endmodule

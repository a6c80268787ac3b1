// FIFO: with a credit for every push it never overflows, words come in order, none is lost or made up, and a word is
// there two clocks after its push.
module harness (input wire clk, input wire wants_push, input wire wants_pop, input wire [1:0] data,
                input wire [4:0] any_number);
  reg started = 0;
  reg [4:0] number = 0, pushed = 0, popped = 0, pushed_1 = 0, pushed_2 = 0;
  reg [1:0] word = 0;
  wire valid;
  wire [1:0] data_out;
  wire push = started && wants_push && pushed - popped < 5'd4;
  wire pop = started && wants_pop && valid;
  block dut (.clk(clk), .rst(!started), .push(push), .data_in(data), .pop(pop), .valid(valid), .data_out(data_out));
  always @(posedge clk) begin
    started <= 1;
    if (!started) number <= any_number;
    if (push) pushed <= pushed + 1;
    if (pop) popped <= popped + 1;
    if (push && pushed == number) word <= data;
    pushed_1 <= pushed;
    pushed_2 <= pushed_1;
  end
  always @* if (started) begin
    if (valid) assert (popped < pushed);
    if (popped < pushed_1) assert (valid);
    if (valid && popped == number) assert (data_out == word);
  end
endmodule

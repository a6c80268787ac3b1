// Additions of two threads: of one of them, any, it is counted what it adds. Its log is full when it has four, which is told in the next
// clock; those of a packet that is over are given in their order, each once, and all before the log is empty; and a packet that leaves or
// begins again leaves nothing behind.
module harness (input wire clk, input wire posts, input wire of, input wire [7:0] b, input wire asks, input wire done, input wire takes,
                input wire goes, input wire again, input wire any_thread, input wire [1:0] any_number);
  reg started = 0, mine = 0, oldest = 0;
  reg [1:0] number = 0;
  // What it has added so far, what has been taken of that, and what the one of that number was.
  reg [2:0] added = 0, taken = 0;
  reg [7:0] kept = 0;
  reg [1:0] forgets = 0;
  wire full, wants, empty;
  wire [7:0] word;
  // Nobody adds in the clocks in which it is forgotten, and none more than there is room for.
  wire leaves = started && goes && empty && done;
  wire restarts = started && again && !forgets && !(oldest == mine);
  wire [1:0] goes_now = (leaves ? (oldest ? 2'b10 : 2'b01) : 2'b00) | (restarts ? (mine ? 2'b10 : 2'b01) : 2'b00);
  wire still = forgets[of] || goes_now[of];
  wire adds = started && posts && !still && !(of == oldest && done) && !(of == mine && added == 4);
  wire takes_now = started && takes && wants;
  block dut (.clk(clk), .rst(!started), .posts(adds), .of(of), .b(b), .asks(asks), .oldest(oldest), .done(started && done), .leaves(leaves),
             .forgets(forgets), .taken(takes_now), .full(full), .wants(wants), .empty(empty), .word(word));
  always @(posedge clk) begin
    started <= 1;
    if (!started) begin mine <= any_thread; number <= any_number; end
    forgets <= goes_now;
    if (leaves) oldest <= !oldest;
    if (adds && of == mine) begin
      added <= added + 1;
      if (added == number) kept <= b;
    end
    if (takes_now && oldest == mine) taken <= taken + 1;
    if (forgets[mine]) added <= 0;
    if (leaves && oldest == mine) taken <= 0;
  end
  always @* if (started) begin
    if (asks == mine && !forgets[mine]) assert (full == (added == 4));
    if (oldest == mine && !forgets[mine]) assert (empty == (taken >= added));
    if (oldest == mine && !forgets[mine] && done) assert (wants == (taken < added));
    if (oldest == mine && !forgets[mine] && wants && taken == number) assert (word == kept);
  end
endmodule

// Who has read too early, of two threads and one map: when thread 1 changes what thread 0 has read since it began, thread 0 is told two clocks
// later; who has read nothing is told nothing; and who has read counts as one who guesses. What stands above a key's four bytes is anything. VALUES: bytes are read and written, else keys
// are looked up, put in and removed.
module harness #(parameter VALUES = 0, parameter LOOKUP = 0, parameter UPDATE = 0, parameter DELETE = 0, parameter READ = 0) (
                input wire clk, input wire takes, input wire of_one, input wire changes, input wire [3:0] command, input wire [63:0] key,
                input wire [31:0] entry, input wire forgets, input wire [31:0] any);
  reg started = 0, has_read = 0, has_read_1 = 0, has_read_any = 0, told_1 = 0, told_2 = 0, has_1 = 0, has_2 = 0;
  reg [31:0] chosen = 0;
  wire [1:0] stale, guesses;
  wire of_keys = command == UPDATE || command == DELETE;
  wire reads_now = started && takes && !of_one && !changes && (command == LOOKUP || command == READ);
  wire reads_it = reads_now && (VALUES ? command == READ && entry == chosen : command == LOOKUP && key[31:0] == chosen);
  wire changes_now = started && takes && of_one && changes;
  wire writes = command != LOOKUP && command != READ && !of_keys;
  wire changes_it = changes_now && (VALUES ? writes && entry == chosen : of_keys && key[31:0] == chosen);
  wire forgotten = started && forgets;
  block dut (.clk(clk), .rst(!started), .command(command), .key(key), .key_bytes(4'd4), .entry(entry), .reads(reads_now), .changes(changes_now),
             .of(started && takes ? (of_one ? 2'b10 : 2'b01) : 2'b00), .forgets({1'b0, forgotten}), .stale(stale), .guesses(guesses));
  always @(posedge clk) begin
    started <= 1;
    if (!started) chosen <= any;
    has_read <= reads_it || has_read && !forgotten;
    has_read_any <= has_read_any || reads_now;
    told_1 <= changes_it && has_read && !forgotten;
    told_2 <= told_1;
    has_1 <= has_read && !forgotten;
    has_2 <= has_1 && !forgotten;
  end
  always @* if (started) begin
    if (told_2) assert (stale[0]);
    if (!has_read_any) assert (!stale[0]);
    if (has_2) assert (guesses[0]);
    assert (!stale[1]);
  end
endmodule

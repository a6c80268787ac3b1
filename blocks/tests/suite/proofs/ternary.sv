// A ternary table: operations of the host, one behind the other, with a lookup in every clock. One in front of an operation's slot finds what was
// there before it, one behind it what is there then. The three stages on both sides of the slot are empty, as pipelines keep them.
module harness #(
  parameter ENTRIES = 2, parameter NUMBER_BITS = 1, parameter KEY_BITS = 1, parameter CLOCKS = 4,
  parameter PREPARE = 18 // clocks from the start of an operation to its slot
) (
  input wire clk, input wire [KEY_BITS-1:0] key, input wire any_delete, input wire [KEY_BITS-1:0] any_key,
  input wire [KEY_BITS-1:0] any_mask, input wire any_rank
);
  localparam OPERATION = PREPARE + CLOCKS + 4;
  localparam [2:0] UPDATE = 2, DELETE = 3;
  reg [9:0] clock = 0, since = 0;
  wire runs = clock > ENTRIES + 1;
  always @(posedge clk) begin
    if (clock != 1023) clock <= clock + 1;
    since <= !runs || since == OPERATION - 1 ? 0 : since + 1;
  end
  wire clears = clock > 0 && clock <= ENTRIES;
  wire [NUMBER_BITS-1:0] cleared = clock - 1;
  wire begins = runs && since == 0;
  wire host_r = runs && since == PREPARE;

  // The host's registers stand still from the start of an operation on.
  reg is_delete_held = 0, rank_held = 0;
  reg [KEY_BITS-1:0] key_held = 0, mask_held = 0;
  wire is_delete = begins ? any_delete : is_delete_held;
  wire rank = begins ? any_rank : rank_held;
  wire [KEY_BITS-1:0] host_key = begins ? any_key : key_held;
  wire [KEY_BITS-1:0] host_mask = begins ? any_mask : mask_held;
  always @(posedge clk) begin
    is_delete_held <= is_delete;
    rank_held <= rank;
    key_held <= host_key;
    mask_held <= host_mask;
  end

  wire prepared, hit;
  wire [NUMBER_BITS-1:0] entry;
  block dut (
    .clk(clk), .rst(clock == 0), .key(key), .host_r(host_r), .clear(clears), .clear_index(cleared), .start(begins),
    .host_command(is_delete ? DELETE : UPDATE), .host_may(2'd3), .host_slot(32'd0), .host_key(host_key),
    .host_mask(host_mask), .host_priority({31'd0, rank}), .prepared(prepared), .hit(hit), .entry(entry)
  );

  // The model: entries by their numbers.
  reg [ENTRIES-1:0] there = 0, ranks = 0;
  reg [KEY_BITS*ENTRIES-1:0] keys = 0, masks = 0;
  reg exists, has_room, found;
  reg [NUMBER_BITS-1:0] same, vacant, best;
  integer i;
  always @* begin
    exists = 0;
    has_room = 0;
    found = 0;
    same = 0;
    vacant = 0;
    best = 0;
    for (i = ENTRIES - 1; i >= 0; i = i - 1) begin
      if (!there[i]) begin
        has_room = 1;
        vacant = i;
      end
      if (there[i] && ranks[i] == rank && masks[KEY_BITS*i +: KEY_BITS] == host_mask
          && keys[KEY_BITS*i +: KEY_BITS] == (host_key & host_mask)) begin
        exists = 1;
        same = i;
      end
    end
    for (i = 0; i < ENTRIES; i = i + 1)
      if (there[i] && (key & masks[KEY_BITS*i +: KEY_BITS]) == keys[KEY_BITS*i +: KEY_BITS]
          && (!found || ranks[i] && !ranks[best])) begin
        found = 1;
        best = i;
      end
  end
  always @(posedge clk) if (host_r) begin
    for (i = 0; i < ENTRIES; i = i + 1) begin
      if (is_delete && exists && same == i) there[i] <= 0;
      if (!is_delete && !exists && has_room && vacant == i) begin
        there[i] <= 1;
        ranks[i] <= rank;
        masks[KEY_BITS*i +: KEY_BITS] <= host_mask;
        keys[KEY_BITS*i +: KEY_BITS] <= host_key & host_mask;
      end
    end
  end

  // What lookups find.
  wire is_quiet = since > PREPARE - 4 && since < PREPARE + 4;
  reg [CLOCKS-1:0] looked = 0, hits = 0;
  reg [NUMBER_BITS*CLOCKS-1:0] numbers = 0;
  always @(posedge clk) begin
    looked <= {looked, runs && !is_quiet};
    hits <= {hits, found};
    numbers <= {numbers, best};
  end
  always @* begin
    if (host_r) assert (prepared);
    if (looked[CLOCKS-1]) begin
      assert (hit == hits[CLOCKS-1]);
      if (hit) assert (entry == numbers[NUMBER_BITS*CLOCKS-1 -: NUMBER_BITS]);
    end
  end
endmodule

// Threads, two of them, with rows that are decided three clocks after their choice: packets have threads and leave in the order of arrival;
// none leaves before its program is over, or while what it has read is not so any more; a thread has one row at a time, and none while
// it waits; and who begins again begins with the first row.
module harness (input wire clk, input wire packet, input wire goes, input wire [2:0] row, input wire ends, input wire waits,
                input wire answers, input wire answered_thread, input wire gap, input wire leave, input wire held, input wire is_read_early,
                input wire [1:0] any_number);
  reg started = 0;
  reg [1:0] number = 0;
  reg [3:0] entered = 0, left = 0;
  // The rows under way, by clocks since their choice.
  reg way_1 = 0, way_2 = 0, way_3 = 0, thread_1 = 0, thread_2 = 0, thread_3 = 0;
  reg [1:0] waiting = 0;
  // Of the chosen packet: its program is over, what it has read is not so any more, it begins again, it ends with its answer.
  reg is_over = 0, is_stale = 0, begins_again = 0, ends_then = 0;
  wire ready, thread, chosen, of, starts, oldest, leave_valid;
  wire [1:0] packets, restarts;
  wire inside = entered > number && left <= number;
  wire mine = number[0];
  wire decided = way_3 && thread_3 == mine && inside;
  wire answered = started && answers && waiting[answered_thread];
  // Only the younger packet is told that it has read too early.
  wire [1:0] stale = started && is_read_early && packets == 2 ? (left[0] ? 2'b01 : 2'b10) : 2'b00;
  block dut (.clk(clk), .rst(!started), .packet_valid(started && packet), .packet_bank(1'b0), .first_row(3'd0), .brought_valid(1'b0),
             .brought_thread(1'b0), .brought_stays(1'b0), .answered(answered), .answered_thread(answered_thread), .gap(gap), .goes(goes),
             .row(row), .ends(ends), .waits(waits), .leave_ready(started && leave), .held(held), .stale(stale), .packet_ready(ready),
             .packet_thread(thread), .chosen(chosen), .thread(of), .starts(starts), .oldest(oldest), .leave_valid(leave_valid),
             .packets(packets), .restarts(restarts));
  wire leaves = started && leave_valid && leave;
  wire own_leaves = leaves && left == number && entered > number;
  always @(posedge clk) begin
    started <= 1;
    if (!started) number <= any_number;
    entered <= entered + (started && ready);
    left <= left + leaves;
    {way_3, way_2, way_1} <= {way_2, way_1, started && chosen};
    {thread_3, thread_2, thread_1} <= {thread_2, thread_1, of};
    if (way_3 && waits) waiting[thread_3] <= 1;
    if (answered) waiting[answered_thread] <= 0;
    if (decided && ends && waits) ends_then <= 1;
    if (decided && ends && !waits) is_over <= 1;
    if (answered && answered_thread == mine && ends_then) begin is_over <= 1; ends_then <= 0; end
    if (inside && restarts[mine]) begin is_stale <= 0; is_over <= 0; begins_again <= 1; end
    if (inside && stale[mine]) is_stale <= 1;
    if (inside && chosen && of == mine) begins_again <= 0;
  end
  always @* if (started) begin
    assert (oldest == left[0]);
    if (ready) assert (thread == entered[0]);
    assert (packets == entered - left && packets <= 2);
    if (own_leaves) assert (is_over && !is_stale && !begins_again);
    if (chosen) assert (!(way_1 && thread_1 == of) && !(way_2 && thread_2 == of) && !(way_3 && thread_3 == of) && !waiting[of]);
    if (inside && chosen && of == mine && begins_again) assert (starts);
  end
endmodule

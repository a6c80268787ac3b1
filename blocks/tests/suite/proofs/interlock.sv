// Interlock of three clocks: no two packets with the same tag inside, and nobody waits for another tag.
module harness (input wire clk, input wire wants, input wire uses, input wire [1:0] tag, input wire [1:0] any_tag);
  reg started = 0;
  reg [1:0] chosen = 0;
  reg [2:0] since = 7;
  wire blocks;
  wire enter = started && wants && !blocks;
  block dut (.clk(clk), .rst(!started), .head_uses(uses), .head_tag(tag), .enter(enter), .blocks(blocks));
  always @(posedge clk) begin
    started <= 1;
    if (!started) chosen <= any_tag;
    since <= enter && uses && tag == chosen ? 1 : since == 7 ? 7 : since + 1;
  end
  always @* if (started && uses && tag == chosen) begin
    if (enter) assert (since > 3);
    if (blocks) assert (since <= 3);
  end
endmodule

// Two stages that look at an Ethernet header.

`default_nettype none

module stages (
    input  wire         clk,
    input  wire         rst,            // Synchronous, active high.
    input  wire [511:0] s_data,         // First frame of a packet; byte 0 in bits 7:0.
    input  wire         s_valid,        // A packet enters.
    input  wire [15:0]  s_length,       // Its length in bytes.
    output wire         verdict_valid,  // Strobe.
    output wire [2:0]   verdict         // `enum xdp_action`.
);

  // ---- Stage 1: parse -------------------------------------------------------

  logic        valid_s2;
  logic        is_ip_s2;
  logic        is_ip6_s2;
  logic        bad_s2;
  logic [31:0] source_s2;

  wire [15:0] eth_type_s1 = {s_data[103:96], s_data[111:104]};  // listing1.c:21: h_proto = eth->h_proto
  wire        long_enough_s1 = 16'd34 <= s_length;

  initial begin
    valid_s2 = 1'b0; is_ip_s2 = 1'b0; is_ip6_s2 = 1'b0; bad_s2 = 1'b0; source_s2 = 32'd0;
  end

  always @(posedge clk) begin
    valid_s2 <= s_valid;
    is_ip_s2 <= eth_type_s1 == 16'h0800;
    is_ip6_s2 <= eth_type_s1 == 16'h86dd;
    bad_s2 <= !long_enough_s1;
    source_s2 <= s_data[239:208];
    if (rst) begin
      valid_s2 <= 1'b0;
    end
  end

  // ---- Stage 2: decide ------------------------------------------------------

  logic       done;
  logic [2:0] verdict_reg;

  wire blocked_s2 = source_s2 == 32'h0a000001;

  initial begin
    done = 1'b0; verdict_reg = 3'd0;
  end

  always @(posedge clk) begin
    done <= valid_s2;
    if (valid_s2) begin
      verdict_reg <=
        bad_s2 ? 3'd1 :
        is_ip_s2 ? (blocked_s2 ? 3'd1 : 3'd2) :
        is_ip6_s2 ? 3'd3 :
        3'd0;
    end
    if (rst) begin
      done <= 1'b0;
    end
  end

  // ---- Outputs --------------------------------------------------------------

  assign verdict_valid = done;
  assign verdict = verdict_reg;

  // Bits that nobody reads.
  wire _unused_ok = &{1'b0, s_data[95:0], s_data[207:112], s_data[511:240]};

endmodule

`default_nettype wire

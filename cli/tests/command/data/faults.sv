// Drives the protocol checker of a 64-bit listing1 without the design: both sides keep to the protocols, but for the one
// thing that +fault=N gets wrong. Prints END when nobody stopped it.

`default_nettype none

module faults;

  integer fault;
  integer t;
  reg clk, rst;
  reg [63:0] s_data, m_data;
  reg [7:0] s_keep, m_keep;
  reg s_last, s_valid, s_ready, m_last, m_valid, m_ready;
  reg [2:0] m_user;
  reg [3:0] fate;
  reg [33:0] m_dest;
  reg [31:0] w_data, r_data;
  reg fate_valid;
  reg [15:0] aw_addr, ar_addr;
  reg aw_valid, aw_ready, w_valid, w_ready, b_valid, b_ready, ar_valid, ar_ready, r_valid, r_ready;

  listing1_protocol protocol (
      .clk(clk), .rst(rst),
      .s_axis_tdata(s_data), .s_axis_tkeep(s_keep), .s_axis_tuser(25'd0), .s_axis_tlast(s_last),
      .s_axis_tvalid(s_valid), .s_axis_tready(s_ready),
      .m_axis_tdata(m_data), .m_axis_tkeep(m_keep), .m_axis_tuser(m_user), .m_axis_tdest(m_dest),
      .m_axis_tlast(m_last), .m_axis_tvalid(m_valid), .m_axis_tready(m_ready),
      .fate_valid(fate_valid), .fate(fate),
      .s_axil_awaddr(aw_addr), .s_axil_awvalid(aw_valid), .s_axil_awready(aw_ready),
      .s_axil_wdata(w_data), .s_axil_wstrb(4'hf), .s_axil_wvalid(w_valid), .s_axil_wready(w_ready),
      .s_axil_bresp(2'd0), .s_axil_bvalid(b_valid), .s_axil_bready(b_ready),
      .s_axil_araddr(ar_addr), .s_axil_arvalid(ar_valid), .s_axil_arready(ar_ready),
      .s_axil_rdata(r_data), .s_axil_rresp(2'd0), .s_axil_rvalid(r_valid), .s_axil_rready(r_ready)
  );

  initial clk = 1'b0;
  always #1 clk = !clk;

  function automatic is_in(input integer first, input integer last);
    is_in = t >= first && t <= last;
  endfunction

  initial begin
    if ($value$plusargs("fault=%d", fault) == 0) fault = 0;
    for (t = 0; t < 30; t = t + 1) begin
      rst = is_in(0, 3);
      // Two beats in, the first one waits; a fate; two beats out, the first one waits.
      s_valid = is_in(5, 7);
      s_ready = !is_in(5, 5);
      s_last = is_in(7, 7);
      s_data = is_in(7, 7) ? 64'd2 : 64'd1;
      s_keep = is_in(7, 7) ? 8'h3f : 8'hff;
      fate_valid = is_in(9, 9);
      // Sent, of verdict 4.
      fate = 4'hc;
      m_valid = is_in(10, 12);
      m_ready = !is_in(10, 10);
      m_last = is_in(12, 12);
      m_data = is_in(12, 12) ? 64'd2 : 64'd1;
      m_keep = is_in(12, 12) ? 8'h03 : 8'hff;
      m_user = 3'd4;
      m_dest = {2'd1, 32'd7};
      // A write and its answer, a read and its answer; each waits for a clock.
      {aw_addr, aw_valid, aw_ready} = {16'h0204, is_in(14, 15), !is_in(14, 14)};
      {w_data, w_valid, w_ready} = {32'd3, is_in(14, 15), !is_in(14, 14)};
      {b_valid, b_ready} = {is_in(16, 17), !is_in(16, 16)};
      {ar_addr, ar_valid, ar_ready} = {16'h0208, is_in(19, 20), !is_in(19, 19)};
      {r_data, r_valid, r_ready} = {32'd5, is_in(21, 22), !is_in(21, 21)};
      case (fault)
        1: if (t == 3) s_valid = 1'b1;
        2: if (t == 6) s_valid = 1'b0;
        3: if (t == 6) s_data = 64'd9;
        4: if (t == 5 || t == 6) s_keep = 8'h0f;
        5: if (t == 7) s_keep = 8'h05;
        6: if (t == 5 || t == 6) {s_last, s_keep} = {1'b1, 8'h00};
        7: if (t == 11) m_valid = 1'b0;
        8: if (t == 11) m_data = 64'd9;
        9: if (t == 10 || t == 11) m_keep = 8'h7f;
        10: if (t == 12) m_keep = 8'h06;
        11: m_dest[33:32] = 2'd3;
        12: if (t == 12) m_user = 3'd3;
        13: if (t == 12) m_dest[31:0] = 32'd8;
        14: if (t == 8) fate_valid = 1'b1;
        15: fate_valid = 1'b0;
        16: if (t == 13) b_valid = 1'b1;
        17: if (t == 13) r_valid = 1'b1;
        18: if (t == 15) aw_addr = 16'h0208;
        19: if (t == 15) w_valid = 1'b0;
        20: if (t == 17) b_valid = 1'b0;
        21: if (t == 20) ar_valid = 1'b0;
        22: if (t == 22) r_data = 32'd6;
        23: fate[3] = 1'b0;
        24: if (t == 7) s_keep = 8'h1f;
        default: ;
      endcase
      @(negedge clk);
    end
    $display("END");
    $finish;
  end

endmodule

`default_nettype wire

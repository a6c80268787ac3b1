// The protocols at the ports of @TOP@ as assertions, checked in every clock of a simulation.
//
// What the surroundings of the design must do (s_axis, the host's side of s_axil) and what the design promises (m_axis,
// fate, its own side of s_axil):
//
//   reset      valid is 0 from the second clock of a reset on
//   handshake  what is valid stays, and does not change, until it is ready: every AXI4-Stream and AXI4-Lite channel
//   tkeep      all ones but on the last beat of a packet; there packed from bit 0, and not empty on a packet's only beat
//              (m_axis: on none)
//   packet     outputs and destination are the same on every beat of a packet that comes out, and it goes somewhere
//   fate       one for each packet that went in, no later than the last beat that comes out; only packets come out whose
//              fate says so
//   response   the host port answers only what was asked
//
// It is an ordinary module: put an instance beside the design, as @TOP@_tb.sv does; or compile this file with
// HARDPATH_ASSERT defined, and it is bound to every instance of the design (Icarus Verilog 11 has no `bind`). It is for
// simulation only.

`default_nettype none

module @TOP@_protocol (
    input wire         clk,
    input wire         rst,
    input wire [@DATA@-1:0] s_axis_tdata,
    input wire [@KEEP@-1:0]  s_axis_tkeep,
    input wire [@USER_IN@-1:0]  s_axis_tuser,
    input wire         s_axis_tlast,
    input wire         s_axis_tvalid,
    input wire         s_axis_tready,
    input wire [@DATA@-1:0] m_axis_tdata,
    input wire [@KEEP@-1:0]  m_axis_tkeep,
    input wire [@USER@-1:0]   m_axis_tuser,
    input wire [33:0]  m_axis_tdest,
    input wire         m_axis_tlast,
    input wire         m_axis_tvalid,
    input wire         m_axis_tready,
    input wire         fate_valid,
    input wire [@FATE@-1:0]   fate,
    input wire [15:0]  s_axil_awaddr,
    input wire         s_axil_awvalid,
    input wire         s_axil_awready,
    input wire [31:0]  s_axil_wdata,
    input wire [3:0]   s_axil_wstrb,
    input wire         s_axil_wvalid,
    input wire         s_axil_wready,
    input wire [1:0]   s_axil_bresp,
    input wire         s_axil_bvalid,
    input wire         s_axil_bready,
    input wire [15:0]  s_axil_araddr,
    input wire         s_axil_arvalid,
    input wire         s_axil_arready,
    input wire [31:0]  s_axil_rdata,
    input wire [1:0]   s_axil_rresp,
    input wire         s_axil_rvalid,
    input wire         s_axil_rready
);

  // ---- One handshake of each channel -------------------------------------------

  localparam CHANNELS = 7;
  // The widest payload: that of s_axis or of m_axis.
  localparam PAYLOAD = @DATA@ + @KEEP@ + @BESIDE@;

  wire [8*6-1:0] name [0:CHANNELS-1];
  wire [PAYLOAD-1:0] payload [0:CHANNELS-1];
  wire [CHANNELS-1:0] valid = {s_axil_rvalid, s_axil_arvalid, s_axil_bvalid, s_axil_wvalid, s_axil_awvalid,
                               m_axis_tvalid, s_axis_tvalid};
  wire [CHANNELS-1:0] ready = {s_axil_rready, s_axil_arready, s_axil_bready, s_axil_wready, s_axil_awready,
                               m_axis_tready, s_axis_tready};
  wire [CHANNELS-1:0] taken = valid & ready;

  assign name[0] = "s_axis";
  assign name[1] = "m_axis";
  assign name[2] = "aw";
  assign name[3] = "w";
  assign name[4] = "b";
  assign name[5] = "ar";
  assign name[6] = "r";
  assign payload[0] = {{(@BESIDE@ - 1 - @USER_IN@) {1'b0}}, s_axis_tlast, s_axis_tuser, s_axis_tkeep, s_axis_tdata};
  assign payload[1] = {{(@BESIDE@ - 35 - @USER@) {1'b0}}, m_axis_tlast, m_axis_tuser, m_axis_tdest, m_axis_tkeep, m_axis_tdata};
  assign payload[2] = {{(PAYLOAD - 16) {1'b0}}, s_axil_awaddr};
  assign payload[3] = {{(PAYLOAD - 36) {1'b0}}, s_axil_wstrb, s_axil_wdata};
  assign payload[4] = {{(PAYLOAD - 2) {1'b0}}, s_axil_bresp};
  assign payload[5] = {{(PAYLOAD - 16) {1'b0}}, s_axil_araddr};
  assign payload[6] = {{(PAYLOAD - 34) {1'b0}}, s_axil_rresp, s_axil_rdata};

  // What waited in the clock before, and whether that was in reset.
  reg [CHANNELS-1:0] waits;
  reg [PAYLOAD-1:0] waiting [0:CHANNELS-1];
  reg was_reset;
  integer channel;

  initial begin
    waits = {CHANNELS{1'b0}};
    was_reset = 1'b0;
  end

  always @(posedge clk) begin
    was_reset <= rst;
    waits <= rst ? {CHANNELS{1'b0}} : valid & ~ready;
    for (channel = 0; channel < CHANNELS; channel = channel + 1) begin
      waiting[channel] <= payload[channel];
      if (rst && was_reset)
        assert (!valid[channel])
          else $error("reset: %0s is valid in reset", name[channel]);
      if (!rst && waits[channel]) begin
        assert (valid[channel])
          else $error("handshake: %0s: valid fell before ready", name[channel]);
        assert (!valid[channel] || payload[channel] === waiting[channel])
          else $error("handshake: %0s changed before it was taken", name[channel]);
      end
    end
  end

  // ---- Streams -----------------------------------------------------------------

  wire [@KEEP@-1:0] s_above = s_axis_tkeep + @KEEP@'d1;
  wire [@KEEP@-1:0] m_above = m_axis_tkeep + @KEEP@'d1;
  reg s_inside;
  reg m_inside;
  reg [33:0] m_dest;
  reg [@USER@-1:0] m_user;

  initial begin
    s_inside = 1'b0;
    m_inside = 1'b0;
  end

  always @(posedge clk) begin
    if (rst) s_inside <= 1'b0;
    else if (taken[0]) s_inside <= !s_axis_tlast;
    if (rst) m_inside <= 1'b0;
    else if (taken[1]) m_inside <= !m_axis_tlast;
    if (taken[1]) begin
      m_dest <= m_axis_tdest;
      m_user <= m_axis_tuser;
    end
    if (!rst && s_axis_tvalid) begin
      assert (s_axis_tlast || &s_axis_tkeep)
        else $error("tkeep: s_axis: a beat that is not the last one has empty bytes");
      assert ((s_axis_tkeep & s_above) == @KEEP@'d0)
        else $error("tkeep: s_axis: not packed from bit 0");
      assert (s_axis_tkeep[0] || s_inside)
        else $error("tkeep: s_axis: a packet without bytes");
    end
    if (!rst && m_axis_tvalid) begin
      assert (m_axis_tlast || &m_axis_tkeep)
        else $error("tkeep: m_axis: a beat that is not the last one has empty bytes");
      assert (m_axis_tkeep[0] && (m_axis_tkeep & m_above) == @KEEP@'d0)
        else $error("tkeep: m_axis: not packed from bit 0");
      assert (m_axis_tdest[33:32] != 2'd3)
        else $error("packet: m_axis: a packet comes out that goes nowhere");
    end
    if (!rst && m_axis_tvalid && m_inside)
      assert (m_axis_tdest == m_dest && @SAME_USER@)
        else $error("packet: m_axis: tdest or tuser changes inside a packet");
  end

  // ---- Packets in, fates, packets out -----------------------------------------------

@ENTERING@
  reg [31:0] bytes_before;
  wire [31:0] bytes = bytes_before + $countones(s_axis_tkeep);
  wire comes_in = taken[0] && @COMES_IN@;

  initial bytes_before = 32'd0;

  always @(posedge clk)
    if (rst) bytes_before <= 32'd0;
    else if (taken[0]) bytes_before <= s_axis_tlast ? 32'd0 : bytes;

  // Packets without a fate yet, and fates that send a packet which has not come out yet.
  reg [31:0] undecided;
  reg [31:0] unsent;
  wire sends = fate_valid && fate[@SENT@];
  // What the program says is its own business.
  wire _unused_ok = &{1'b0, fate};
  wire goes_out = taken[1] && m_axis_tlast@LAST_COPY@;

  initial begin
    undecided = 32'd0;
    unsent = 32'd0;
  end

  always @(posedge clk)
    if (rst) begin
      undecided <= 32'd0;
      unsent <= 32'd0;
    end else begin
      undecided <= undecided + {31'd0, comes_in} - {31'd0, fate_valid};
      unsent <= unsent + {31'd0, sends} - {31'd0, goes_out};
      assert (!fate_valid || undecided != 32'd0)
        else $error("fate: more fates than packets");
      assert (!(taken[1] && m_axis_tlast) || unsent != 32'd0 || sends)
        else $error("fate: a packet is out before its fate");
    end

  // ---- Host port ---------------------------------------------------------------

  // Requests that were taken and not answered yet.
  reg [15:0] addresses;
  reg [15:0] words;
  reg [15:0] reads;

  initial begin
    addresses = 16'd0;
    words = 16'd0;
    reads = 16'd0;
  end

  always @(posedge clk)
    if (rst) begin
      addresses <= 16'd0;
      words <= 16'd0;
      reads <= 16'd0;
    end else begin
      addresses <= addresses + {15'd0, taken[2]} - {15'd0, taken[4]};
      words <= words + {15'd0, taken[3]} - {15'd0, taken[4]};
      reads <= reads + {15'd0, taken[5]} - {15'd0, taken[6]};
      assert (!s_axil_bvalid || (addresses != 16'd0 && words != 16'd0))
        else $error("response: b: there was no write");
      assert (!s_axil_rvalid || reads != 16'd0)
        else $error("response: r: there was no read");
    end

endmodule

`ifdef HARDPATH_ASSERT
bind @TOP@ @TOP@_protocol protocol (.*);
`endif

`default_nettype wire

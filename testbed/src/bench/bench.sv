// Plays the lines of a file at the ports of @TOP@ and compares what comes out. The simulation ends by itself; it ends
// with $fatal at the first difference, or when nothing happens any more. @TOP@_protocol checks the protocols meanwhile.
//
//   W ADDRESS DATA                          the host writes a register
//   R ADDRESS DATA                          the host reads a register until it holds that
//   C ADDRESS DATA                          the host reads a register once, and it must hold that
//   E ADDRESS DATA STROBES                  the host writes these bytes of a word, and is refused
//   F ADDRESS                               the host reads, and is refused
//   S USER LAST KEEP DATA [TIME] [RANDOM] [EGRESS]   a beat of s_axis, with the inputs that the design has
//   M DEST USER LAST KEEP DATA              a beat of m_axis must come
//   V FATE                                  a packet's fate must come
//   G CLOCKS                                nothing is done for so many clocks
//   P CLOCKS                                the sink is not ready for so many clocks; the lines behind go on
//   Q BEATS FATES                           waits until so many came out since the start
//   X CLOCKS                                reset for so many clocks
//
// Numbers are hexadecimal, with all digits of their port. All but M and V are done one after the other; the M lines and
// the V lines each have their own order. Bytes whose KEEP bit is 0 are not compared. Lines that begin with # are comments.
//
// When it runs it looks at
//   +lines=FILE        another file than @TOP@_tb.txt
//   +backpressure      the sink is not ready in some of the clocks
//   +patience=CLOCKS   clocks without a beat, a fate or a write after which the design counts as hung
//   +dump=FILE         a waveform (Verilator: build with --trace)
//
// Half a clock is one unit of time: neither the bench nor the design has a time scale.

`default_nettype none

module @TOP@_tb;

  reg            clk;
  reg            rst;
  reg  [@DATA@-1:0] s_axis_tdata;
  reg  [@KEEP@-1:0]  s_axis_tkeep;
  reg  [@USER_IN@-1:0] s_axis_tuser;
  reg            s_axis_tlast;
  reg            s_axis_tvalid;
  wire           s_axis_tready;@REGISTERS@
  wire [@DATA@-1:0] m_axis_tdata;
  wire [@KEEP@-1:0]  m_axis_tkeep;
  wire [@USER@-1:0]     m_axis_tuser;
  wire [33:0]    m_axis_tdest;
  wire           m_axis_tlast;
  wire           m_axis_tvalid;
  reg            m_axis_tready;
  wire           fate_valid;
  wire [@FATE@-1:0]     fate;
  reg  [15:0]    s_axil_awaddr;
  reg            s_axil_awvalid;
  wire           s_axil_awready;
  reg  [31:0]    s_axil_wdata;
  reg  [3:0]     s_axil_wstrb;
  reg            s_axil_wvalid;
  wire           s_axil_wready;
  wire [1:0]     s_axil_bresp;
  wire           s_axil_bvalid;
  reg            s_axil_bready;
  reg  [15:0]    s_axil_araddr;
  reg            s_axil_arvalid;
  wire           s_axil_arready;
  wire [31:0]    s_axil_rdata;
  wire [1:0]     s_axil_rresp;
  wire           s_axil_rvalid;
  reg            s_axil_rready;

  reg driver_done;
  reg beats_done;
  reg fates_done;

  @TOP@ dut (
      .clk            (clk),
      .rst            (rst),
      .s_axis_tdata   (s_axis_tdata),
      .s_axis_tkeep   (s_axis_tkeep),
      .s_axis_tuser   (s_axis_tuser),
      .s_axis_tlast   (s_axis_tlast),
      .s_axis_tvalid  (s_axis_tvalid),
      .s_axis_tready  (s_axis_tready),@CONNECTIONS@
      .m_axis_tdata   (m_axis_tdata),
      .m_axis_tkeep   (m_axis_tkeep),
      .m_axis_tuser   (m_axis_tuser),
      .m_axis_tdest   (m_axis_tdest),
      .m_axis_tlast   (m_axis_tlast),
      .m_axis_tvalid  (m_axis_tvalid),
      .m_axis_tready  (m_axis_tready),
      .fate_valid     (fate_valid),
      .fate           (fate),
      .s_axil_awaddr  (s_axil_awaddr),
      .s_axil_awvalid (s_axil_awvalid),
      .s_axil_awready (s_axil_awready),
      .s_axil_wdata   (s_axil_wdata),
      .s_axil_wstrb   (s_axil_wstrb),
      .s_axil_wvalid  (s_axil_wvalid),
      .s_axil_wready  (s_axil_wready),
      .s_axil_bresp   (s_axil_bresp),
      .s_axil_bvalid  (s_axil_bvalid),
      .s_axil_bready  (s_axil_bready),
      .s_axil_araddr  (s_axil_araddr),
      .s_axil_arvalid (s_axil_arvalid),
      .s_axil_arready (s_axil_arready),
      .s_axil_rdata   (s_axil_rdata),
      .s_axil_rresp   (s_axil_rresp),
      .s_axil_rvalid  (s_axil_rvalid),
      .s_axil_rready  (s_axil_rready)
  );

  @TOP@_protocol protocol (
      .clk            (clk),
      .rst            (rst),
      .s_axis_tdata   (s_axis_tdata),
      .s_axis_tkeep   (s_axis_tkeep),
      .s_axis_tuser   (s_axis_tuser),
      .s_axis_tlast   (s_axis_tlast),
      .s_axis_tvalid  (s_axis_tvalid),
      .s_axis_tready  (s_axis_tready),
      .m_axis_tdata   (m_axis_tdata),
      .m_axis_tkeep   (m_axis_tkeep),
      .m_axis_tuser   (m_axis_tuser),
      .m_axis_tdest   (m_axis_tdest),
      .m_axis_tlast   (m_axis_tlast),
      .m_axis_tvalid  (m_axis_tvalid),
      .m_axis_tready  (m_axis_tready),
      .fate_valid     (fate_valid),
      .fate           (fate),
      .s_axil_awaddr  (s_axil_awaddr),
      .s_axil_awvalid (s_axil_awvalid),
      .s_axil_awready (s_axil_awready),
      .s_axil_wdata   (s_axil_wdata),
      .s_axil_wstrb   (s_axil_wstrb),
      .s_axil_wvalid  (s_axil_wvalid),
      .s_axil_wready  (s_axil_wready),
      .s_axil_bresp   (s_axil_bresp),
      .s_axil_bvalid  (s_axil_bvalid),
      .s_axil_bready  (s_axil_bready),
      .s_axil_araddr  (s_axil_araddr),
      .s_axil_arvalid (s_axil_arvalid),
      .s_axil_arready (s_axil_arready),
      .s_axil_rdata   (s_axil_rdata),
      .s_axil_rresp   (s_axil_rresp),
      .s_axil_rvalid  (s_axil_rvalid),
      .s_axil_rready  (s_axil_rready)
  );

  // ---- Clock and files -------------------------------------------------------

  initial clk = 1'b0;
  always #1 clk = !clk;

  reg [8*256-1:0] name;
  integer stimuli;
  integer beat_lines;
  integer fate_lines;

  // All is there before the first edge.
  initial begin : files
    if ($value$plusargs("dump=%s", name) != 0) begin
      $dumpfile(name);
      $dumpvars;
    end
    if ($value$plusargs("lines=%s", name) == 0) name = "@TOP@_tb.txt";
    stimuli = $fopen(name, "r");
    beat_lines = $fopen(name, "r");
    fate_lines = $fopen(name, "r");
    if (stimuli == 0 || beat_lines == 0 || fate_lines == 0)
      $fatal(1, "FAILED: %0s cannot be read", name);
  end

  // The first character of the next line that is not empty; negative behind the last one.
  task automatic first_character(input integer file, output integer character);
    character = $fgetc(file);
    while (character == "\n" || character == "\r") character = $fgetc(file);
  endtask

  task automatic skip_line(input integer file);
    integer character;
    character = $fgetc(file);
    while (character >= 0 && character != "\n") character = $fgetc(file);
  endtask

  // Goes behind the first character of the next line that begins with it.
  task automatic find_line(input integer file, input integer tag, output reg found);
    integer character;
    first_character(file, character);
    while (character >= 0 && character != tag) begin
      skip_line(file);
      first_character(file, character);
    end
    found = character == tag;
  endtask

  task automatic check_fields(input integer fields, input integer wanted, input [7:0] tag);
    if (fields != wanted) $fatal(1, "FAILED: a line %s has not %0d numbers", tag, wanted);
  endtask

  // ---- What the driver does ---------------------------------------------------

  // What the driver waits for, and what it has done.
  reg waits_for_register;
  reg [15:0] register_address;
  reg [31:0] register_wanted;
  reg [31:0] register_value;
  integer accesses;
  integer beats_in;
  // What came out so far.
  integer beats_out;
  integer fates_out;
  // Clocks so far, and the one until which the sink is not ready.
  integer clock_count;
  integer stalled_until;

  // Goes behind the first character of the next line that the driver does.
  task automatic find_stimulus(output integer tag);
    first_character(stimuli, tag);
    while (tag == "M" || tag == "V" || tag == "#") begin
      skip_line(stimuli);
      first_character(stimuli, tag);
    end
  endtask

  // An access by the host. AXI lets an address come before, with or after its data: all three are tried.
  task automatic write_register(input reg [15:0] address, input reg [31:0] word, input reg [3:0] strobes,
                                input reg [1:0] response);
    reg address_taken;
    reg word_taken;
    address_taken = 1'b0;
    word_taken = 1'b0;
    s_axil_awaddr <= address;
    s_axil_wdata <= word;
    s_axil_wstrb <= strobes;
    s_axil_awvalid <= accesses % 4 != 1;
    s_axil_wvalid <= accesses % 4 != 2;
    do begin
      @(posedge clk);
      if (s_axil_awvalid && s_axil_awready) address_taken = 1'b1;
      if (s_axil_wvalid && s_axil_wready) word_taken = 1'b1;
      // The next access may begin in the clock of the answer.
      if (!s_axil_bvalid) begin
        s_axil_awvalid <= !address_taken;
        s_axil_wvalid <= !word_taken;
        // What was taken means nothing any more.
        if (address_taken) s_axil_awaddr <= ~address;
        if (word_taken) s_axil_wdata <= ~word;
        if (word_taken) s_axil_wstrb <= ~strobes;
      end
    end while (!s_axil_bvalid || !s_axil_bready);
    if (s_axil_bresp !== response)
      $fatal(1, "FAILED: writing register %h gives the response %b", address, s_axil_bresp);
    accesses = accesses + 1;
  endtask

  task automatic read_register(input reg [15:0] address, input reg [1:0] response);
    s_axil_araddr <= address;
    s_axil_arvalid <= 1'b1;
    do begin
      @(posedge clk);
      if (s_axil_arvalid && s_axil_arready) begin
        s_axil_arvalid <= 1'b0;
        s_axil_araddr <= ~address;
      end
    end while (!s_axil_rvalid || !s_axil_rready);
    if (s_axil_rresp !== response)
      $fatal(1, "FAILED: reading register %h gives the response %b", address, s_axil_rresp);
    register_value = s_axil_rdata;
  endtask

  // Written as `always`, because Verilator wants no nonblocking assignments in `initial`. No two of them
  // give one variable different values at one time: Verilator would keep the one that stands last in the text.
  always begin : driver
    integer tag;
    integer fields;
    reg [15:0] address;
    reg [31:0] word;
    reg [31:0] other;
    reg [3:0] strobes;
    reg [@USER_IN@-1:0] user;
    reg last;
    reg [@KEEP@-1:0] keep;
    reg [@DATA@-1:0] data;@VARIABLES@
    rst = 1'b1;
    driver_done = 1'b0;
    waits_for_register = 1'b0;
    accesses = 0;
    beats_in = 0;
    s_axis_tdata = @DATA@'d0;
    s_axis_tkeep = @KEEP@'d0;
    s_axis_tuser = {@USER_IN@{1'b0}};
    s_axis_tlast = 1'b0;
    s_axis_tvalid = 1'b0;@ZEROS@
    s_axil_awaddr = 16'd0;
    s_axil_awvalid = 1'b0;
    s_axil_wdata = 32'd0;
    s_axil_wstrb = 4'd0;
    s_axil_wvalid = 1'b0;
    s_axil_araddr = 16'd0;
    s_axil_arvalid = 1'b0;
    repeat (4) @(posedge clk);
    rst <= 1'b0;
    find_stimulus(tag);
    s_axis_tvalid <= tag == "S";
    while (tag >= 0) begin
      case (tag)
        "W": begin
          fields = $fscanf(stimuli, " %h %h", address, word);
          check_fields(fields, 2, "W");
          write_register(address, word, 4'b1111, 2'b00);
        end
        "E": begin
          fields = $fscanf(stimuli, " %h %h %h", address, word, strobes);
          check_fields(fields, 3, "E");
          write_register(address, word, strobes, 2'b10);
        end
        "R": begin
          fields = $fscanf(stimuli, " %h %h", address, word);
          check_fields(fields, 2, "R");
          register_address = address;
          register_wanted = word;
          waits_for_register = 1'b1;
          do read_register(address, 2'b00); while (register_value !== word);
          waits_for_register = 1'b0;
          accesses = accesses + 1;
        end
        "C": begin
          fields = $fscanf(stimuli, " %h %h", address, word);
          check_fields(fields, 2, "C");
          read_register(address, 2'b00);
          if (register_value !== word)
            $fatal(1, "FAILED: register %h holds %h, not %h", address, register_value, word);
          accesses = accesses + 1;
        end
        "F": begin
          fields = $fscanf(stimuli, " %h", address);
          check_fields(fields, 1, "F");
          read_register(address, 2'b10);
          accesses = accesses + 1;
        end
        "G": begin
          fields = $fscanf(stimuli, " %h", word);
          check_fields(fields, 1, "G");
          repeat (word) @(posedge clk);
        end
        "P": begin
          fields = $fscanf(stimuli, " %h", word);
          check_fields(fields, 1, "P");
          stalled_until = clock_count + word;
        end
        "Q": begin
          fields = $fscanf(stimuli, " %h %h", word, other);
          check_fields(fields, 2, "Q");
          while (beats_out < word || fates_out < other) @(posedge clk);
        end
        "S": begin
          fields = $fscanf(stimuli, " %h %h %h %h", user, last, keep, data);
          check_fields(fields, 4, "S");@READS@
          s_axis_tuser <= user;
          s_axis_tlast <= last;
          s_axis_tkeep <= keep;
          s_axis_tdata <= data;
          do @(posedge clk); while (!s_axis_tready);
          beats_in = beats_in + 1;
        end
        "X": begin
          fields = $fscanf(stimuli, " %h", word);
          check_fields(fields, 1, "X");
          rst <= 1'b1;
          repeat (word) @(posedge clk);
          rst <= 1'b0;
        end
        default: $fatal(1, "FAILED: a line begins with '%c', which means nothing", tag);
      endcase
      skip_line(stimuli);
      find_stimulus(tag);
      s_axis_tvalid <= tag == "S";
      // Nor does what stands at s_axis before the next beat, if that comes later.
      if (tag == "W" || tag == "R" || tag == "C" || tag == "E" || tag == "F" || tag == "G") begin
        s_axis_tuser <= ~s_axis_tuser;
        s_axis_tlast <= ~s_axis_tlast;
        s_axis_tkeep <= ~s_axis_tkeep;
        s_axis_tdata <= ~s_axis_tdata;
      end
    end
    driver_done = 1'b1;
    forever @(posedge clk);
  end

  // ---- M: what comes behind the last line is one beat too many -------------------

  initial begin : beats
    integer fields;
    integer lane;
    reg expected;
    reg [33:0] dest;
    reg [@USER@-1:0] user;
    reg last;
    reg [@KEEP@-1:0] keep;
    reg [@DATA@-1:0] data;
    beats_done = 1'b0;
    beats_out = 0;
    @(posedge clk);
    forever begin
      find_line(beat_lines, "M", expected);
      beats_done = !expected;
      do @(posedge clk); while (rst || !m_axis_tvalid || !m_axis_tready);
      if (!expected) $fatal(1, "FAILED: m_axis: a beat too many, after %0d", beats_out);
      beats_out = beats_out + 1;
      fields = $fscanf(beat_lines, " %h %h %h %h %h", dest, user, last, keep, data);
      check_fields(fields, 5, "M");
      skip_line(beat_lines);
      if (m_axis_tdest !== dest || m_axis_tuser !== user || m_axis_tlast !== last
          || m_axis_tkeep !== keep)
        $fatal(1, "FAILED: m_axis: beat %0d has dest %h, user %h, last %b, keep %h; not %h, %h, %b, %h", beats_out,
               m_axis_tdest, m_axis_tuser, m_axis_tlast, m_axis_tkeep, dest, user, last, keep);
      for (lane = 0; lane < @KEEP@; lane = lane + 1)
        if (keep[lane] && m_axis_tdata[8*lane +: 8] !== data[8*lane +: 8])
          $fatal(1, "FAILED: m_axis: beat %0d has %h in byte %0d, not %h; all of it: %h", beats_out,
                 m_axis_tdata[8*lane +: 8], lane, data[8*lane +: 8], m_axis_tdata);
    end
  end

  // ---- V -----------------------------------------------------------------------

  initial begin : fates
    integer fields;
    reg expected;
    reg [@FATE@-1:0] value;
    fates_done = 1'b0;
    fates_out = 0;
    @(posedge clk);
    forever begin
      find_line(fate_lines, "V", expected);
      fates_done = !expected;
      do @(posedge clk); while (rst || !fate_valid);
      if (!expected) $fatal(1, "FAILED: a fate too many, after %0d", fates_out);
      fates_out = fates_out + 1;
      fields = $fscanf(fate_lines, " %h", value);
      check_fields(fields, 1, "V");
      skip_line(fate_lines);
      if (fate !== value)
        $fatal(1, "FAILED: fate %0d is %h, not %h", fates_out, fate, value);
    end
  end

  // ---- Who takes: with +backpressure not ready in one clock of four, in no regular order ---------------
  // The host is never ready all the time, for nothing else depends on it.

  reg has_backpressure;
  reg [15:0] noise;

  initial begin
    has_backpressure = $test$plusargs("backpressure") != 0;
    noise = 16'hace1;
    clock_count = 0;
    stalled_until = 0;
    m_axis_tready = 1'b1;
    s_axil_bready = 1'b1;
    s_axil_rready = 1'b1;
  end

  always @(posedge clk) begin
    clock_count <= clock_count + 1;
    noise <= {noise[14:0], noise[15] ^ noise[13] ^ noise[12] ^ noise[10]};
    m_axis_tready <= clock_count >= stalled_until && (!has_backpressure || noise[0] || noise[7]);
    s_axil_bready <= noise[1] || noise[5];
    s_axil_rready <= noise[3] || noise[9];
  end

  // ---- The end: some clocks after all lines are done, so that what is too much is seen --------------

  initial begin : finish
    integer quiet;
    integer patience;
    integer waited;
    if ($value$plusargs("patience=%d", patience) == 0) patience = 1000000;
    quiet = 0;
    waited = 0;
    while (quiet < 64) begin
      @(posedge clk);
      waited = waited + 1;
      if ((s_axis_tvalid && s_axis_tready) || m_axis_tvalid || fate_valid || s_axil_bvalid) waited = 0;
      if (driver_done && beats_done && fates_done) quiet = quiet + 1;
      if (waited >= patience && waits_for_register)
        $fatal(1, "FAILED: register %h holds %h, not %h", register_address, register_value, register_wanted);
      if (waited >= patience)
        $fatal(1, "FAILED: nothing happens any more; done: stimuli %b, beats %b, fates %b", driver_done,
               beats_done, fates_done);
    end
    $display("PASSED: %0d register accesses, %0d beats in; %0d beats out and %0d fates, all as expected", accesses,
             beats_in, beats_out, fates_out);
    $finish;
  end

endmodule

`default_nettype wire

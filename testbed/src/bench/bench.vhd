-- Plays the lines of a file at the ports of @TOP@ and compares what comes out. The simulation ends by itself; it ends
-- with a failure at the first difference, or when nothing happens any more.
--
--   W ADDRESS DATA                          the host writes a register
--   R ADDRESS DATA                          the host reads a register until it holds that
--   C ADDRESS DATA                          the host reads a register once, and it must hold that
--   E ADDRESS DATA STROBES                  the host writes these bytes of a word, and is refused
--   F ADDRESS                               the host reads, and is refused
--   S USER LAST KEEP DATA [TIME] [RANDOM] [EGRESS]   a beat of s_axis, with the inputs that the design has
--   M DEST USER LAST KEEP DATA              a beat of m_axis must come
--   V FATE                                  a packet's fate must come
--   G CLOCKS                                nothing is done for so many clocks
--   P CLOCKS                                the sink is not ready for so many clocks; the lines behind go on
--   Q BEATS FATES                           waits until so many came out since the start
--   X CLOCKS                                reset for so many clocks
--
-- Numbers are hexadecimal, with all digits of their port. All but M and V are done one after the other; the M lines and
-- the V lines each have their own order. Bytes whose KEEP bit is 0 are not compared. Lines that begin with # are comments.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use std.textio.all;

entity @TOP@_tb is
  generic (
    LINES        : string   := "@TOP@_tb.txt";
    -- The sink is not ready in some of the clocks.
    BACKPRESSURE : boolean  := false;
    -- Clocks without a beat, a fate or a write after which the design counts as hung.
    PATIENCE     : positive := 1000000
  );
end entity @TOP@_tb;

architecture test of @TOP@_tb is

  signal clk            : std_logic := '0';
  signal rst            : std_logic := '1';
  signal s_axis_tdata   : std_logic_vector(@DATA@ - 1 downto 0) := (others => '0');
  signal s_axis_tkeep   : std_logic_vector(@KEEP@ - 1 downto 0) := (others => '0');
  signal s_axis_tuser   : std_logic_vector(@USER_IN@ - 1 downto 0) := (others => '0');
  signal s_axis_tlast   : std_logic := '0';
  signal s_axis_tvalid  : std_logic := '0';
  signal s_axis_tready  : std_logic;@SIGNALS@
  signal m_axis_tdata   : std_logic_vector(@DATA@ - 1 downto 0);
  signal m_axis_tkeep   : std_logic_vector(@KEEP@ - 1 downto 0);
  signal m_axis_tuser   : std_logic_vector(@USER@ - 1 downto 0);
  signal m_axis_tdest   : std_logic_vector(33 downto 0);
  signal m_axis_tlast   : std_logic;
  signal m_axis_tvalid  : std_logic;
  signal m_axis_tready  : std_logic := '1';
  signal fate_valid     : std_logic;
  signal fate           : std_logic_vector(@FATE@ - 1 downto 0);
  signal s_axil_awaddr  : std_logic_vector(15 downto 0) := (others => '0');
  signal s_axil_awvalid : std_logic := '0';
  signal s_axil_awready : std_logic;
  signal s_axil_wdata   : std_logic_vector(31 downto 0) := (others => '0');
  signal s_axil_wstrb   : std_logic_vector(3 downto 0) := (others => '0');
  signal s_axil_wvalid  : std_logic := '0';
  signal s_axil_wready  : std_logic;
  signal s_axil_bresp   : std_logic_vector(1 downto 0);
  signal s_axil_bvalid  : std_logic;
  signal s_axil_bready  : std_logic := '1';
  signal s_axil_araddr  : std_logic_vector(15 downto 0) := (others => '0');
  signal s_axil_arvalid : std_logic := '0';
  signal s_axil_arready : std_logic;
  signal s_axil_rdata   : std_logic_vector(31 downto 0);
  signal s_axil_rresp   : std_logic_vector(1 downto 0);
  signal s_axil_rvalid  : std_logic;
  signal s_axil_rready  : std_logic := '1';

  signal driver_done   : boolean := false;
  signal beats_done    : boolean := false;
  signal fates_done : boolean := false;
  signal finished      : boolean := false;

  -- What the driver waits for.
  signal waits_for_register : boolean := false;
  signal register_address   : std_logic_vector(15 downto 0) := (others => '0');
  signal register_wanted    : std_logic_vector(31 downto 0) := (others => '0');
  signal register_value     : std_logic_vector(31 downto 0) := (others => '0');

  -- What was done.
  signal accesses     : natural := 0;
  signal beats_in     : natural := 0;
  signal beats_out    : natural := 0;
  signal fates_out : natural := 0;

  -- Clocks so far, and the one until which the sink is not ready.
  signal clock_count   : natural := 0;
  signal stalled_until : natural := 0;

  -- The next line with a tag; not found behind the last one.
  procedure next_line(
    file lines_file    : text;
    variable text_line : inout line;
    constant wanted    : in character;
    variable found     : out boolean
  ) is
    variable tag : character;
  begin
    found := false;
    while not endfile(lines_file) loop
      readline(lines_file, text_line);
      if text_line'length > 0 then
        read(text_line, tag);
        if tag = wanted then
          found := true;
          exit;
        end if;
      end if;
    end loop;
  end procedure next_line;

begin

  dut : entity work.@TOP@
    port map (
      clk            => clk,
      rst            => rst,
      s_axis_tdata   => s_axis_tdata,
      s_axis_tkeep   => s_axis_tkeep,
      s_axis_tuser   => s_axis_tuser,
      s_axis_tlast   => s_axis_tlast,
      s_axis_tvalid  => s_axis_tvalid,
      s_axis_tready  => s_axis_tready,@CONNECTIONS@
      m_axis_tdata   => m_axis_tdata,
      m_axis_tkeep   => m_axis_tkeep,
      m_axis_tuser   => @USER_OUT@,
      m_axis_tdest   => m_axis_tdest,
      m_axis_tlast   => m_axis_tlast,
      m_axis_tvalid  => m_axis_tvalid,
      m_axis_tready  => m_axis_tready,
      fate_valid     => fate_valid,
      fate           => @FATE_OUT@,
      s_axil_awaddr  => s_axil_awaddr,
      s_axil_awvalid => s_axil_awvalid,
      s_axil_awready => s_axil_awready,
      s_axil_wdata   => s_axil_wdata,
      s_axil_wstrb   => s_axil_wstrb,
      s_axil_wvalid  => s_axil_wvalid,
      s_axil_wready  => s_axil_wready,
      s_axil_bresp   => s_axil_bresp,
      s_axil_bvalid  => s_axil_bvalid,
      s_axil_bready  => s_axil_bready,
      s_axil_araddr  => s_axil_araddr,
      s_axil_arvalid => s_axil_arvalid,
      s_axil_arready => s_axil_arready,
      s_axil_rdata   => s_axil_rdata,
      s_axil_rresp   => s_axil_rresp,
      s_axil_rvalid  => s_axil_rvalid,
      s_axil_rready  => s_axil_rready
    );

  clock : process
  begin
    while not finished loop
      clk <= '0';
      wait for @HALF_PERIOD@;
      clk <= '1';
      wait for @HALF_PERIOD@;
    end loop;
    wait;
  end process clock;

  -- All lines but M and V.
  driver : process
    file lines_file    : text open read_mode is LINES;
    variable text_line : line;
    variable tag       : character;
    variable address   : std_logic_vector(15 downto 0);
    variable word      : std_logic_vector(31 downto 0);
    variable other     : std_logic_vector(31 downto 0);
    variable strobes   : std_logic_vector(3 downto 0);
    variable user      : std_logic_vector(@USER_IN_DIGITS@ * 4 - 1 downto 0);
    variable last      : std_logic_vector(3 downto 0);
    variable keep      : std_logic_vector(@KEEP@ - 1 downto 0);
    variable data      : std_logic_vector(@DATA@ - 1 downto 0);@VARIABLES@

    -- An access by the host. AXI lets an address come before, with or after its data: all three are tried.
    procedure write_register(constant response : in std_logic_vector(1 downto 0)) is
      variable address_open : boolean := true;
      variable word_open    : boolean := true;
    begin
      s_axil_awaddr <= address;
      s_axil_wdata <= word;
      s_axil_wstrb <= strobes;
      s_axil_awvalid <= '0' when accesses mod 4 = 1 else '1';
      s_axil_wvalid <= '0' when accesses mod 4 = 2 else '1';
      loop
        wait until rising_edge(clk);
        address_open := address_open and not (s_axil_awvalid = '1' and s_axil_awready = '1');
        word_open := word_open and not (s_axil_wvalid = '1' and s_axil_wready = '1');
        s_axil_awvalid <= '1' when address_open else '0';
        s_axil_wvalid <= '1' when word_open else '0';
        -- What was taken means nothing any more.
        if not address_open then
          s_axil_awaddr <= not address;
        end if;
        if not word_open then
          s_axil_wdata <= not word;
          s_axil_wstrb <= not strobes;
        end if;
        exit when s_axil_bvalid = '1' and s_axil_bready = '1';
      end loop;
      assert s_axil_bresp = response
        report "writing register " & to_hstring(address) & " gives the response "
          & to_string(s_axil_bresp)
        severity failure;
      accesses <= accesses + 1;
    end procedure write_register;

    procedure read_register(constant response : in std_logic_vector(1 downto 0)) is
    begin
      s_axil_araddr <= address;
      s_axil_arvalid <= '1';
      loop
        wait until rising_edge(clk);
        if s_axil_arready = '1' then
          s_axil_arvalid <= '0';
          s_axil_araddr <= not address;
        end if;
        exit when s_axil_rvalid = '1' and s_axil_rready = '1';
      end loop;
      assert s_axil_rresp = response
        report "reading register " & to_hstring(address) & " gives the response "
          & to_string(s_axil_rresp)
        severity failure;
      register_value <= s_axil_rdata;
    end procedure read_register;

  begin
    for clocks in 1 to 4 loop
      wait until rising_edge(clk);
    end loop;
    rst <= '0';
    while not endfile(lines_file) loop
      readline(lines_file, text_line);
      tag := '#';
      if text_line'length > 0 then
        read(text_line, tag);
      end if;
      if tag = cr then
        tag := '#';
      end if;
      case tag is

        when 'W' =>
          hread(text_line, address);
          hread(text_line, word);
          strobes := "1111";
          write_register("00");

        when 'E' =>
          hread(text_line, address);
          hread(text_line, word);
          hread(text_line, strobes);
          write_register("10");

        when 'R' =>
          hread(text_line, address);
          hread(text_line, word);
          register_address <= address;
          register_wanted <= word;
          waits_for_register <= true;
          loop
            read_register("00");
            exit when s_axil_rdata = word;
          end loop;
          waits_for_register <= false;
          accesses <= accesses + 1;

        when 'C' =>
          hread(text_line, address);
          hread(text_line, word);
          read_register("00");
          assert s_axil_rdata = word
            report "register " & to_hstring(address) & " holds " & to_hstring(s_axil_rdata)
              & ", not " & to_hstring(word)
            severity failure;
          accesses <= accesses + 1;

        when 'F' =>
          hread(text_line, address);
          read_register("10");
          accesses <= accesses + 1;

        when 'G' =>
          hread(text_line, word);
          for clocks in 1 to to_integer(unsigned(word)) loop
            wait until rising_edge(clk);
          end loop;

        when 'P' =>
          hread(text_line, word);
          stalled_until <= clock_count + to_integer(unsigned(word));

        when 'Q' =>
          hread(text_line, word);
          hread(text_line, other);
          while beats_out < to_integer(unsigned(word))
            or fates_out < to_integer(unsigned(other)) loop
            wait until rising_edge(clk);
          end loop;

        when 'X' =>
          hread(text_line, word);
          rst <= '1';
          for clocks in 1 to to_integer(unsigned(word)) loop
            wait until rising_edge(clk);
          end loop;
          rst <= '0';

        when 'S' =>
          hread(text_line, user);
          hread(text_line, last);
          hread(text_line, keep);
          hread(text_line, data);
          s_axis_tuser <= user(s_axis_tuser'range);
          s_axis_tlast <= last(0);
          s_axis_tkeep <= keep;
          s_axis_tdata <= data;
          s_axis_tvalid <= '1';@READS@
          loop
            wait until rising_edge(clk);
            exit when s_axis_tready = '1';
          end loop;
          s_axis_tvalid <= '0';
          s_axis_tuser <= not user(s_axis_tuser'range);
          s_axis_tlast <= not last(0);
          s_axis_tkeep <= not keep;
          s_axis_tdata <= not data;
          beats_in <= beats_in + 1;

        when 'M' | 'V' | '#' =>
          null;

        when others =>
          report "a line begins with '" & tag & "', which means nothing" severity failure;

      end case;
    end loop;
    driver_done <= true;
    wait;
  end process driver;

  -- M. What comes behind the last line is one beat too many.
  beats : process
    file lines_file    : text open read_mode is LINES;
    variable text_line : line;
    variable found     : boolean;
    variable dest      : std_logic_vector(35 downto 0);
    variable user      : std_logic_vector(@USER_DIGITS@ * 4 - 1 downto 0);
    variable last      : std_logic_vector(3 downto 0);
    variable keep      : std_logic_vector(@KEEP@ - 1 downto 0);
    variable data      : std_logic_vector(@DATA@ - 1 downto 0);
  begin
    loop
      next_line(lines_file, text_line, 'M', found);
      beats_done <= not found;
      loop
        wait until rising_edge(clk);
        exit when rst = '0' and m_axis_tvalid = '1' and m_axis_tready = '1';
      end loop;
      assert found
        report "m_axis: a beat too many, after " & integer'image(beats_out) severity failure;
      hread(text_line, dest);
      hread(text_line, user);
      hread(text_line, last);
      hread(text_line, keep);
      hread(text_line, data);
      assert m_axis_tdest = dest(33 downto 0) and m_axis_tuser = user(m_axis_tuser'range)
        and m_axis_tlast = last(0) and m_axis_tkeep = keep
        report "m_axis: beat " & integer'image(beats_out + 1) & " has dest " & to_hstring(m_axis_tdest)
          & ", user " & to_hstring(m_axis_tuser) & ", keep " & to_hstring(m_axis_tkeep)
          & ", last " & std_logic'image(m_axis_tlast)
        severity failure;
      for lane in keep'range loop
        assert keep(lane) = '0'
          or m_axis_tdata(8 * lane + 7 downto 8 * lane) = data(8 * lane + 7 downto 8 * lane)
          report "m_axis: beat " & integer'image(beats_out + 1) & " is " & to_hstring(m_axis_tdata)
            & ", not " & to_hstring(data)
          severity failure;
      end loop;
      beats_out <= beats_out + 1;
    end loop;
  end process beats;

  -- V.
  fates : process
    file lines_file    : text open read_mode is LINES;
    variable text_line : line;
    variable found     : boolean;
    variable value     : std_logic_vector(@FATE_DIGITS@ * 4 - 1 downto 0);
  begin
    loop
      next_line(lines_file, text_line, 'V', found);
      fates_done <= not found;
      loop
        wait until rising_edge(clk);
        exit when rst = '0' and fate_valid = '1';
      end loop;
      assert found
        report "a fate too many, after " & integer'image(fates_out) severity failure;
      hread(text_line, value);
      assert fate = value(fate'range)
        report "fate " & integer'image(fates_out + 1) & " is " & to_hstring(fate)
          & ", not " & to_hstring(value)
        severity failure;
      fates_out <= fates_out + 1;
    end loop;
  end process fates;

  -- Who takes: with BACKPRESSURE not ready in one clock of four, in no regular order. The host is never ready all the
  -- time, for nothing else depends on it.
  sink : process (clk)
    variable noise : unsigned(15 downto 0) := x"ace1";
  begin
    if rising_edge(clk) then
      clock_count <= clock_count + 1;
      noise := noise(14 downto 0)
        & (noise(15) xor noise(13) xor noise(12) xor noise(10));
      m_axis_tready <= '0' when clock_count < stalled_until
        else noise(0) or noise(7) when BACKPRESSURE
        else '1';
      s_axil_bready <= noise(1) or noise(5);
      s_axil_rready <= noise(3) or noise(9);
    end if;
  end process sink;

  -- Ends the simulation: some clocks after all lines are done, so that what is too much is seen.
  finish : process (clk)
    variable quiet   : natural := 0;
    variable patient : natural := 0;
  begin
    if rising_edge(clk) then
      patient := patient + 1;
      if (s_axis_tvalid = '1' and s_axis_tready = '1') or m_axis_tvalid = '1'
        or fate_valid = '1' or s_axil_bvalid = '1' then
        patient := 0;
      end if;
      if driver_done and beats_done and fates_done then
        quiet := quiet + 1;
      end if;
      if quiet = 64 then
        report "PASSED: " & integer'image(accesses) & " register accesses, "
          & integer'image(beats_in) & " beats in; " & integer'image(beats_out)
          & " beats out and " & integer'image(fates_out) & " fates, all as expected"
          severity note;
        finished <= true;
      end if;
      assert patient < PATIENCE or not waits_for_register
        report "register " & to_hstring(register_address) & " holds " & to_hstring(register_value)
          & ", not " & to_hstring(register_wanted)
        severity failure;
      assert patient < PATIENCE
        report "nothing happens any more: " & boolean'image(driver_done) & ", "
          & boolean'image(beats_done) & ", " & boolean'image(fates_done)
          & " (stimuli, beats and fates done)"
        severity failure;
    end if;
  end process finish;

end architecture test;

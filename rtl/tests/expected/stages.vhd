-- Two stages that look at an Ethernet header.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.stages_pkg.all;

entity stages is
  port (
    clk           : in  std_logic;
    rst           : in  std_logic;                       -- Synchronous, active high.
    s_data        : in  std_logic_vector(511 downto 0);  -- First frame of a packet; byte 0 in bits 7:0.
    s_valid       : in  std_logic;                       -- A packet enters.
    s_length      : in  std_logic_vector(15 downto 0);   -- Its length in bytes.
    verdict_valid : out std_logic;                       -- Strobe.
    verdict       : out std_logic_vector(2 downto 0)     -- `enum xdp_action`.
  );
end entity stages;

architecture rtl of stages is

  -- Stage 1: parse ------------------------------------------------------------

  signal valid_s2  : std_logic := '0';
  signal is_ip_s2  : std_logic := '0';
  signal is_ip6_s2 : std_logic := '0';
  signal bad_s2    : std_logic := '0';
  signal source_s2 : std_logic_vector(31 downto 0) := (others => '0');

  signal eth_type_s1    : std_logic_vector(15 downto 0);
  signal long_enough_s1 : std_logic;

  -- Stage 2: decide -----------------------------------------------------------

  signal done        : std_logic := '0';
  signal verdict_reg : std_logic_vector(2 downto 0) := (others => '0');

  signal blocked_s2 : std_logic;
  signal choice     : std_logic_vector(2 downto 0);

begin

  -- Stage 1: parse ------------------------------------------------------------

  eth_type_s1 <= s_data(103 downto 96) & s_data(111 downto 104);  -- listing1.c:21: h_proto = eth->h_proto
  long_enough_s1 <= to_logic(34 <= unsigned(s_length));

  process (clk)
  begin
    if rising_edge(clk) then
      valid_s2 <= s_valid;
      is_ip_s2 <= to_logic(eth_type_s1 = x"0800");
      is_ip6_s2 <= to_logic(eth_type_s1 = x"86dd");
      bad_s2 <= not long_enough_s1;
      source_s2 <= s_data(239 downto 208);
      if rst = '1' then
        valid_s2 <= '0';
      end if;
    end if;
  end process;

  -- Stage 2: decide -----------------------------------------------------------

  blocked_s2 <= to_logic(source_s2 = x"0a000001");
  choice <= "001" when blocked_s2 = '1' else "010";

  process (clk)
  begin
    if rising_edge(clk) then
      done <= valid_s2;
      if valid_s2 = '1' then
        if bad_s2 = '1' then
          verdict_reg <= "001";
        elsif is_ip_s2 = '1' then
          verdict_reg <= choice;
        elsif is_ip6_s2 = '1' then
          verdict_reg <= "011";
        else
          verdict_reg <= (others => '0');
        end if;
      end if;
      if rst = '1' then
        done <= '0';
      end if;
    end if;
  end process;

  -- Outputs -------------------------------------------------------------------

  verdict_valid <= done;
  verdict <= verdict_reg;

end architecture rtl;

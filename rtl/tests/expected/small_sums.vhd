-- Sums of few bits, in all kinds of places.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.small_sums_pkg.all;

entity small_sums is
  port (
    clk     : in  std_logic;
    rst     : in  std_logic;                      -- Synchronous, active high.
    in0     : in  std_logic;
    in1     : in  std_logic;
    in2     : in  std_logic_vector(1 downto 0);
    in3     : in  std_logic_vector(6 downto 0);
    in4     : in  std_logic_vector(7 downto 0);
    in5     : in  std_logic_vector(32 downto 0);
    in6     : in  std_logic_vector(63 downto 0);
    in7     : in  std_logic_vector(99 downto 0);
    counts  : out std_logic_vector(13 downto 0);
    equal   : out std_logic;
    below   : out std_logic;
    joined  : out std_logic_vector(14 downto 0);
    negated : out std_logic_vector(6 downto 0);
    chosen  : out std_logic_vector(6 downto 0);
    word    : out std_logic_vector(7 downto 0)
  );
end entity small_sums;

architecture rtl of small_sums is

  attribute ram_style : string;

  signal count      : std_logic_vector(6 downto 0) := "1111000";
  signal count_copy : std_logic_vector(6 downto 0) := "1111000";

  type words_words is array (0 to 127) of std_logic_vector(7 downto 0);
  signal words : words_words := (others => (others => '0'));
  attribute ram_style of words : signal is "distributed";

begin

  counts <= count & count_copy;
  equal <= to_logic(unsigned(in3) + 100 = unsigned(count));
  below <= to_logic(unsigned(std_logic_vector'('0' & std_logic_vector(unsigned(in3) + 101))) < unsigned(in4));
  joined <= std_logic_vector(unsigned(in3) + 102) & std_logic_vector(unsigned(count) - 99) & in0;
  negated <= not std_logic_vector(unsigned(in3) + 103);
  chosen <= std_logic_vector(unsigned(in3) + 104) when in0 = '1' else count;
  word <= words(index(count, 128));

  process (clk)
  begin
    if rising_edge(clk) then
      if in0 = '1' then
        count <= std_logic_vector(unsigned(count) + 9);
        count_copy <= std_logic_vector(unsigned(count) + 9);
      end if;
      if rst = '1' then
        count <= "1111000";
        count_copy <= "1111000";
      end if;
    end if;
  end process;

  process (clk)
  begin
    if rising_edge(clk) then
      if in0 = '1' then
        words(index(std_logic_vector(unsigned(in3) + 105), 128)) <= in4;
      end if;
    end if;
  end process;

end architecture rtl;

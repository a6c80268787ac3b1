-- Words of one clock, read with another one.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.several_clocks_pkg.all;

entity crossing is
  port (
    clk            : in  std_logic;
    rst            : in  std_logic;                     -- Synchronous, active high.
    slow_clk       : in  std_logic;
    slow_rst       : in  std_logic;                     -- Synchronous to slow_clk, active high.
    word           : in  std_logic_vector(7 downto 0);
    address        : in  std_logic_vector(2 downto 0);
    stored         : out std_logic_vector(7 downto 0);
    stored_at_once : out std_logic_vector(7 downto 0)
  );
end entity crossing;

architecture rtl of crossing is

  attribute ram_style : string;
  attribute ASYNC_REG : string;

  signal index_2      : std_logic_vector(2 downto 0) := (others => '0');
  signal index_seen_0 : std_logic_vector(2 downto 0) := (others => '0');
  signal index_seen_1 : std_logic_vector(2 downto 0) := (others => '0');
  signal words_data   : std_logic_vector(7 downto 0) := (others => '0');
  attribute ASYNC_REG of index_seen_0 : signal is "TRUE";
  attribute ASYNC_REG of index_seen_1 : signal is "TRUE";

  type words_words is array (0 to 7) of std_logic_vector(7 downto 0);
  signal words : words_words := (others => (others => '0'));
  attribute ram_style of words : signal is "block";

  type other_words_words is array (0 to 7) of std_logic_vector(7 downto 0);
  signal other_words : other_words_words := (others => (others => '0'));
  attribute ram_style of other_words : signal is "distributed";

begin

  stored_at_once <= other_words(index(address, 8));

  process (clk)
  begin
    if rising_edge(clk) then
      index_2 <= std_logic_vector(unsigned(index_2) + 1);
      if rst = '1' then
        index_2 <= (others => '0');
      end if;
    end if;
  end process;

  process (slow_clk)
  begin
    if rising_edge(slow_clk) then
      index_seen_0 <= index_2;
      index_seen_1 <= index_seen_0;
    end if;
  end process;

  process (clk)
  begin
    if rising_edge(clk) then
      words(index(index_2, 8)) <= word;
    end if;
  end process;

  process (slow_clk)
  begin
    if rising_edge(slow_clk) then
      if index_seen_1 /= address then
        words_data <= words(index(address, 8));
      end if;
    end if;
  end process;

  process (clk)
  begin
    if rising_edge(clk) then
      other_words(index(index_2, 8)) <= word;
    end if;
  end process;

  -- Outputs -------------------------------------------------------------------

  stored <= words_data;

end architecture rtl;

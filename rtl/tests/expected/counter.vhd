-- Counts the clocks in which `enable` is 1.
--
-- The count wraps at its width.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.counter_pkg.all;

entity counter is
  port (
    clk    : in  std_logic;
    rst    : in  std_logic;                      -- Synchronous, active high.
    enable : in  std_logic;                      -- Counts when 1.
    count  : out std_logic_vector(15 downto 0)   -- Clocks counted.
  );
end entity counter;

architecture rtl of counter is

  signal count_reg : std_logic_vector(15 downto 0) := x"0003";  -- clocks seen so far

begin

  process (clk)
  begin
    if rising_edge(clk) then
      if enable = '1' then
        count_reg <= std_logic_vector(unsigned(count_reg) + 1);
      end if;
      if rst = '1' then
        count_reg <= x"0003";
      end if;
    end if;
  end process;

  -- Outputs -------------------------------------------------------------------

  count <= count_reg;

  -- Must hold in every clock outside reset.
  -- synthesis translate_off
  process (clk)
  begin
    if rising_edge(clk) then
      if rst = '0' then
        no_overflow : assert unsigned(count_reg) < 65520
          report "the counter is about to wrap: 100% ""full""" severity error;
      end if;
    end if;
  end process;
  -- synthesis translate_on

end architecture rtl;

-- A select in three registers that stay apart.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.copies_pkg.all;

entity copies is
  port (
    clk      : in  std_logic;
    rst      : in  std_logic;                     -- Synchronous, active high.
    select_2 : in  std_logic;
    data     : in  std_logic_vector(5 downto 0);
    selected : out std_logic_vector(5 downto 0)
  );
end entity copies;

architecture rtl of copies is

  attribute dont_touch : string;

  signal select_reg_0 : std_logic := '0';
  signal select_reg_1 : std_logic := '0';
  signal select_reg_2 : std_logic := '0';
  attribute dont_touch of select_reg_0 : signal is "true";
  attribute dont_touch of select_reg_1 : signal is "true";
  attribute dont_touch of select_reg_2 : signal is "true";

begin

  selected <=
    (repeat(select_reg_0, 2) and data(1 downto 0)) &
    (repeat(select_reg_1, 2) and data(3 downto 2)) &
    (repeat(select_reg_2, 2) and data(5 downto 4));

  process (clk)
  begin
    if rising_edge(clk) then
      select_reg_0 <= select_2;
      select_reg_1 <= select_2;
      select_reg_2 <= select_2;
    end if;
  end process;

end architecture rtl;

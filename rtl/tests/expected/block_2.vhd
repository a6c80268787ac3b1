-- Gr??er ? a name that VHDL reserves.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.foreign_names_pkg.all;

entity block_2 is
  port (
    clk    : in  std_logic;
    rst    : in  std_logic;                     -- Synchronous, active high.
    in_2   : in  std_logic_vector(3 downto 0);
    IN_3   : in  std_logic_vector(3 downto 0);
    sum_of : out std_logic_vector(3 downto 0)   -- 4 bits ? 4 bits
  );
end entity block_2;

architecture rtl of block_2 is

begin

  sum_of <= std_logic_vector(unsigned(in_2) + unsigned(IN_3));

end architecture rtl;

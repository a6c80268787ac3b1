library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.leaves_pkg.all;

entity leaves is
  port (
    clk        : in  std_logic;
    rst        : in  std_logic;                      -- Synchronous, active high.
    a          : in  std_logic_vector(15 downto 0);
    ignored    : in  std_logic_vector(8 downto 0);   -- Nobody reads it.
    middle     : out std_logic_vector(7 downto 0);
    constant_2 : out std_logic_vector(15 downto 0);
    b          : in  std_logic_vector(2 downto 0);
    same       : out std_logic_vector(2 downto 0);
    same_again : out std_logic_vector(2 downto 0)
  );
end entity leaves;

architecture rtl of leaves is

begin

  middle <= a(11 downto 4);

  -- Outputs -------------------------------------------------------------------

  constant_2 <= x"beef";
  same <= b;
  same_again <= b;

end architecture rtl;

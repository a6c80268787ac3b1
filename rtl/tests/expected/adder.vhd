-- Combinational: no clock is used.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.instances_pkg.all;

entity adder is
  port (
    clk     : in  std_logic;
    rst     : in  std_logic;                     -- Synchronous, active high.
    a       : in  std_logic_vector(7 downto 0);
    b       : in  std_logic_vector(7 downto 0);
    sum     : out std_logic_vector(7 downto 0);
    is_zero : out std_logic
  );
end entity adder;

architecture rtl of adder is

begin

  sum <= std_logic_vector(unsigned(a) + unsigned(b));
  is_zero <= to_logic(sum = x"00");

end architecture rtl;

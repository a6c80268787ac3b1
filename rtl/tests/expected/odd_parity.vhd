library ieee;
use ieee.std_logic_1164.all;

entity odd_parity is
  port (
    word : in std_logic_vector(7 downto 0);
    odd : out std_logic
  );
end entity odd_parity;

architecture rtl of odd_parity is
begin
  odd <= xor word;
end architecture rtl;

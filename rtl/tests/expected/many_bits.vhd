-- Conditions of many bits.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.many_bits_pkg.all;

entity many_bits is
  port (
    clk         : in  std_logic;
    rst         : in  std_logic;                      -- Synchronous, active high.
    in0         : in  std_logic;
    in1         : in  std_logic;
    in2         : in  std_logic_vector(1 downto 0);
    in3         : in  std_logic_vector(6 downto 0);
    in4         : in  std_logic_vector(7 downto 0);
    in5         : in  std_logic_vector(32 downto 0);
    in6         : in  std_logic_vector(63 downto 0);
    in7         : in  std_logic_vector(99 downto 0);
    four        : out std_logic;
    any_of_five : out std_logic;
    not_all     : out std_logic;
    chain       : out std_logic
  );
end entity many_bits;

architecture rtl of many_bits is

  signal in3_and : std_logic;
  signal in3_or  : std_logic;

begin

  four <= in3(0) or in3(1) or in3(2) or in3(3);
  any_of_five <= in3(0) or in3(1) or in3(2) or in3(3) or in0;
  in3_and <= in3(0) and in3(1) and in3(2) and in3(3) and in0 and in1;
  not_all <= not in3_and;
  in3_or <=
    to_logic(in3(0) = '1'
    or in3(1) = '1'
    or in3(2) = '1'
    or in3(3) = '1'
    or in0 = '1'
    or in1 = '1'
    or in4 = x"03");
  chain <= in3_or and any_of_five;

end architecture rtl;

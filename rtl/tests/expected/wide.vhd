-- Wide values, and amounts and constants of more than 64 bits.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.wide_pkg.all;

entity wide is
  port (
    clk  : in  std_logic;
    rst  : in  std_logic;                       -- Synchronous, active high.
    a    : in  std_logic_vector(599 downto 0);
    by   : in  std_logic_vector(69 downto 0);
    by33 : in  std_logic_vector(32 downto 0);
    o    : out std_logic_vector(599 downto 0);
    bits : out std_logic_vector(2 downto 0)
  );
end entity wide;

architecture rtl of wide is

  signal constant_600     : std_logic_vector(599 downto 0);
  signal a_sum            : std_logic_vector(599 downto 0);
  signal a_sum_choice     : std_logic_vector(599 downto 0);
  signal a_sum_choice_2   : std_logic_vector(599 downto 0);
  signal a_shifted_choice : std_logic_vector(599 downto 0);
  signal a_shifted_2      : std_logic_vector(599 downto 0);
  signal a_shifted        : std_logic_vector(599 downto 0);
  signal a_shifted_3      : std_logic_vector(599 downto 0);

begin

  constant_600 <=
    x"000000" & x"0000_0000_0000_0001" & zeros(192) & x"ffff_ffff_ffff_ffff" &
    x"0000_0000_0000_0007" & zeros(128) & x"0123_4567_89ab_cdef";
  a_sum <= std_logic_vector(unsigned(a) + unsigned(constant_600));
  a_sum_choice <=
    (others => '0') when unsigned(by(69 downto 31)) /= 0 else
    std_logic_vector(shift_left(unsigned(a_sum), number(by(30 downto 0))));
  a_sum_choice_2 <=
    (others => '0') when unsigned(by33(32 downto 31)) /= 0 else
    std_logic_vector(shift_right(unsigned(a_sum), number(by33(30 downto 0))));
  a_shifted_choice <= a_shifted when unsigned(by(69 downto 31)) /= 0 else a_shifted_2;
  a_shifted_2 <= std_logic_vector(shift_right(signed(a), number(by(30 downto 0))));
  a_shifted <= std_logic_vector(shift_right(signed(a), 599));
  a_shifted_3 <= std_logic_vector(shift_right(signed(a), 9));
  o <=
    a_sum_choice
    xor a_sum_choice_2
    xor a_shifted_choice
    xor a_shifted_3
    xor repeat(a(599), 600)
    xor a
    xor repeat('1', 600)
    xor a_sum_choice;

  -- Outputs -------------------------------------------------------------------

  bits <= "011";

end architecture rtl;

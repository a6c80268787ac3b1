-- Orders of two words.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.borrows_pkg.all;

entity borrows is
  port (
    clk               : in  std_logic;
    rst               : in  std_logic;                      -- Synchronous, active high.
    in0               : in  std_logic;
    in1               : in  std_logic;
    in2               : in  std_logic_vector(1 downto 0);
    in3               : in  std_logic_vector(6 downto 0);
    in4               : in  std_logic_vector(7 downto 0);
    in5               : in  std_logic_vector(32 downto 0);
    in6               : in  std_logic_vector(63 downto 0);
    in7               : in  std_logic_vector(99 downto 0);
    is_less           : out std_logic;
    is_at_most        : out std_logic;
    is_less_signed    : out std_logic;
    is_at_most_signed : out std_logic;
    is_less_of_few    : out std_logic;
    is_below_limit    : out std_logic
  );
end entity borrows;

architecture rtl of borrows is

  signal a                  : std_logic_vector(39 downto 0) := (others => '0');
  signal b                  : std_logic_vector(39 downto 0) := (others => '0');
  signal less_reg           : std_logic := '0';
  signal at_most_reg        : std_logic := '0';
  signal less_signed_reg    : std_logic := '0';
  signal at_most_signed_reg : std_logic := '0';
  signal less_of_few_reg    : std_logic := '0';
  signal below_limit_reg    : std_logic := '0';

  signal less_borrow           : std_logic_vector(40 downto 0);
  signal less                  : std_logic;
  signal at_most_borrow        : std_logic_vector(40 downto 0);
  signal at_most               : std_logic;
  signal less_signed_borrow    : std_logic_vector(40 downto 0);
  signal less_signed           : std_logic;
  signal at_most_signed_borrow : std_logic_vector(40 downto 0);
  signal at_most_signed        : std_logic;
  signal less_of_few           : std_logic;
  signal below_limit           : std_logic;

begin

  less_borrow <= std_logic_vector(unsigned(std_logic_vector'('0' & a)) - unsigned(std_logic_vector'('0' & b)));
  less <= less_borrow(40);
  at_most_borrow <= std_logic_vector(unsigned(std_logic_vector'('0' & b)) - unsigned(std_logic_vector'('0' & a)));
  at_most <= not at_most_borrow(40);
  less_signed_borrow <= std_logic_vector(unsigned(std_logic_vector(resize(signed(a), 41))) - unsigned(std_logic_vector(resize(signed(b), 41))));
  less_signed <= less_signed_borrow(40);
  at_most_signed_borrow <= std_logic_vector(unsigned(std_logic_vector(resize(signed(b), 41))) - unsigned(std_logic_vector(resize(signed(a), 41))));
  at_most_signed <= not at_most_signed_borrow(40);
  less_of_few <= to_logic(unsigned(a(2 downto 0)) < unsigned(b(2 downto 0)));
  below_limit <= to_logic(unsigned(a) < unsigned'(x"80_0000_0000"));

  process (clk)
  begin
    if rising_edge(clk) then
      a <= in6(39 downto 0);
      b <= in7(39 downto 0);
      less_reg <= less;
      at_most_reg <= at_most;
      less_signed_reg <= less_signed;
      at_most_signed_reg <= at_most_signed;
      less_of_few_reg <= less_of_few;
      below_limit_reg <= below_limit;
    end if;
  end process;

  -- Outputs -------------------------------------------------------------------

  is_less <= less_reg;
  is_at_most <= at_most_reg;
  is_less_signed <= less_signed_reg;
  is_at_most_signed <= at_most_signed_reg;
  is_less_of_few <= less_of_few_reg;
  is_below_limit <= below_limit_reg;

end architecture rtl;

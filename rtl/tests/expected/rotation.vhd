library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity rotation is
  generic (BY_BITS : integer := 1; FIRST : std_logic_vector(7 downto 0) := x"00"; NAME : string := "");
  port (
    clk : in std_logic;
    word : in std_logic_vector(7 downto 0);
    rotated : out std_logic_vector(7 downto 0);
    now : out std_logic_vector(7 downto 0)
  );
end entity rotation;

architecture rtl of rotation is
  signal held : std_logic_vector(7 downto 0) := FIRST;
begin
  assert NAME /= "" report "it has no name" severity failure;
  now <= std_logic_vector(rotate_left(unsigned(word), BY_BITS));
  rotated <= held;
  process (clk)
  begin
    if rising_edge(clk) then
      held <= std_logic_vector(rotate_left(unsigned(word), BY_BITS));
    end if;
  end process;
end architecture rtl;

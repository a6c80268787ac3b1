-- Two clocks, and modules that others wrote.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.several_clocks_pkg.all;

entity several_clocks is
  port (
    clk      : in  std_logic;
    rst      : in  std_logic;                     -- Synchronous, active high.
    slow_clk : in  std_logic;
    slow_rst : in  std_logic;                     -- Synchronous to slow_clk, active high.
    word_in  : in  std_logic_vector(7 downto 0);  -- of the first clock
    address  : in  std_logic_vector(2 downto 0);  -- of the second clock
    result   : out std_logic_vector(8 downto 0)   -- of the second clock
  );
end entity several_clocks;

architecture rtl of several_clocks is

  -- Fast ----------------------------------------------------------------------

  signal counted : std_logic_vector(7 downto 0) := (others => '0');

  signal turn_left_rotated : std_logic_vector(7 downto 0);

  -- Slow ----------------------------------------------------------------------

  signal held : std_logic_vector(8 downto 0) := (others => '0');

  signal cross_stored         : std_logic_vector(7 downto 0);
  signal cross_stored_at_once : std_logic_vector(7 downto 0);
  signal turn_right_now       : std_logic_vector(7 downto 0);
  signal is_odd_word          : std_logic_vector(7 downto 0);
  signal is_odd_odd           : std_logic;

begin

  -- Fast ----------------------------------------------------------------------

  turn_left : entity work.rotation
    generic map (
      BY_BITS => 3,
      FIRST   => x"81",
      NAME    => "turn"
    )
    port map (
      clk     => clk,
      word    => word_in,
      rotated => turn_left_rotated,
      now     => open
    );

  process (clk)
  begin
    if rising_edge(clk) then
      counted <= turn_left_rotated;
      if rst = '1' then
        counted <= (others => '0');
      end if;
    end if;
  end process;

  -- Slow ----------------------------------------------------------------------

  cross : entity work.crossing
    port map (
      clk            => clk,
      rst            => rst,
      slow_clk       => slow_clk,
      slow_rst       => slow_rst,
      word           => counted,
      address        => address,
      stored         => cross_stored,
      stored_at_once => cross_stored_at_once
    );

  turn_right : entity work.rotation
    generic map (
      BY_BITS => 5,
      FIRST   => x"81",
      NAME    => "turn"
    )
    port map (
      clk     => slow_clk,
      word    => cross_stored,
      rotated => open,
      now     => turn_right_now
    );

  is_odd_word <= std_logic_vector(unsigned(turn_right_now) + unsigned(cross_stored_at_once));

  is_odd : entity work.odd_parity
    port map (
      word => is_odd_word,
      odd  => is_odd_odd
    );

  process (slow_clk)
  begin
    if rising_edge(slow_clk) then
      held <= is_odd_odd & turn_right_now;
      if slow_rst = '1' then
        held <= (others => '0');
      end if;
    end if;
  end process;

  -- Outputs -------------------------------------------------------------------

  result <= held;

  -- Must hold in every clock outside reset.
  -- synthesis translate_off
  process (clk)
  begin
    if rising_edge(clk) then
      if rst = '0' then
        moves : assert counted /= turn_left_rotated
          report "the word stands still" severity error;
      end if;
    end if;
  end process;
  -- synthesis translate_on

end architecture rtl;

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.foreign_names_pkg.all;

entity foreign_names is
  port (
    clk      : in  std_logic;
    rst      : in  std_logic;                     -- Synchronous, active high.
    signal_2 : in  std_logic_vector(3 downto 0);
    out_2    : out std_logic_vector(3 downto 0)
  );
end entity foreign_names;

architecture rtl of foreign_names is

  signal Signal_3   : std_logic_vector(3 downto 0) := (others => '0');
  signal words_data : std_logic_vector(3 downto 0) := (others => '0');

  signal label_sum_of : std_logic_vector(3 downto 0);
  signal unsigned_2   : std_logic_vector(3 downto 0);
  signal UNSIGNED_3   : std_logic_vector(3 downto 0);

begin

  label_2 : entity work.block_2
    port map (
      clk    => clk,
      rst    => rst,
      in_2   => signal_2,
      IN_3   => signal_2,
      sum_of => label_sum_of
    );

  unsigned_2 <= words_data xor Signal_3;
  UNSIGNED_3 <= unsigned_2 xor signal_2;

  process (clk)
  begin
    if rising_edge(clk) then
      Signal_3 <= label_sum_of;
    end if;
  end process;

  process (clk)
    type words_words is array (0 to 15) of std_logic_vector(3 downto 0);
    variable words : words_words := (others => (others => '0'));
  begin
    if rising_edge(clk) then
      words_data <= words(index(label_sum_of, 16));
      words(index(Signal_3, 16)) := label_sum_of;
    end if;
  end process;

  -- Outputs -------------------------------------------------------------------

  out_2 <= UNSIGNED_3;

  -- Must hold in every clock outside reset.
  -- synthesis translate_off
  process (clk)
  begin
    if rising_edge(clk) then
      if rst = '0' then
        assert_2 : assert unsigned(unsigned_2) < 9
          report "gr??er als ""neun""" severity error;
      end if;
    end if;
  end process;
  -- synthesis translate_on

end architecture rtl;

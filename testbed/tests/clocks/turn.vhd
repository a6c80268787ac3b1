-- Turns words to the left and changes their bits by a key, to which each word that is taken is added.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity turn is
  generic (
    AMOUNT    : natural                       := 1;
    FIRST_KEY : std_logic_vector(39 downto 0) := (others => '0')
  );
  port (
    clock  : in  std_logic;
    reset  : in  std_logic;
    take   : in  std_logic;
    word   : in  std_logic_vector(39 downto 0);
    turned : out std_logic_vector(39 downto 0);
    count  : out std_logic_vector(11 downto 0)
  );
end entity turn;

architecture rtl of turn is
  signal key   : unsigned(39 downto 0) := unsigned(FIRST_KEY);
  signal words : unsigned(11 downto 0) := (others => '0');
begin

  turned <= std_logic_vector(rotate_left(unsigned(word), AMOUNT) xor key);
  count  <= std_logic_vector(words);

  process (clock)
  begin
    if rising_edge(clock) then
      if take = '1' then
        key   <= key + unsigned(word);
        words <= words + 1;
      end if;
      if reset = '1' then
        key   <= unsigned(FIRST_KEY);
        words <= (others => '0');
      end if;
    end if;
  end process;

end architecture rtl;

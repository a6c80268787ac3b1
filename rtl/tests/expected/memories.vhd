-- A block RAM, LUT RAM, registers.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.memories_pkg.all;

entity memories is
  port (
    clk     : in  std_logic;
    rst     : in  std_logic;                      -- Synchronous, active high.
    address : in  std_logic_vector(9 downto 0);
    data    : in  std_logic_vector(35 downto 0);
    write   : in  std_logic;
    read    : in  std_logic;
    counter : out std_logic_vector(35 downto 0);
    parts   : in  std_logic_vector(3 downto 0);
    lane    : out std_logic_vector(35 downto 0);
    slot    : out std_logic_vector(7 downto 0);
    flag    : out std_logic;
    nibble  : out std_logic_vector(3 downto 0)
  );
end entity memories;

architecture rtl of memories is

  attribute ram_style : string;

  -- Counters ------------------------------------------------------------------

  signal counters_data : std_logic_vector(35 downto 0) := (others => '0');
  signal lanes_data    : std_logic_vector(35 downto 0) := (others => '0');

  -- Small ones ----------------------------------------------------------------

  signal flags_data : std_logic := '0';

  type slots_words is array (0 to 31) of std_logic_vector(7 downto 0);
  signal slots : slots_words := (others => (others => '0'));
  attribute ram_style of slots : signal is "distributed";

  type auto_words is array (0 to 15) of std_logic_vector(3 downto 0);
  signal auto : auto_words := (others => (others => '0'));

begin

  -- Counters ------------------------------------------------------------------

  process (clk)
    -- map counters: 1024 entries
    type counters_words is array (0 to 1023) of std_logic_vector(35 downto 0);
    variable counters : counters_words := (others => (others => '0'));
    attribute ram_style of counters : variable is "block";
  begin
    if rising_edge(clk) then
      if read = '1' then
        counters_data <= counters(index(address, 1024));
      end if;
      if write = '1' then
        counters(index(address, 1024)) := data;
      end if;
    end if;
  end process;

  process (clk)
    type lanes_words is array (0 to 1023) of std_logic_vector(35 downto 0);
    variable lanes : lanes_words := (others => (others => '0'));
    attribute ram_style of lanes : variable is "block";
  begin
    if rising_edge(clk) then
      if read = '1' then
        lanes_data <= lanes(index(address, 1024));
      end if;
      if parts(0) = '1' then
        lanes(index(address, 1024))(8 downto 0) := data(8 downto 0);
      end if;
      if parts(1) = '1' then
        lanes(index(address, 1024))(17 downto 9) := data(17 downto 9);
      end if;
      if parts(2) = '1' then
        lanes(index(address, 1024))(26 downto 18) := data(26 downto 18);
      end if;
      if parts(3) = '1' then
        lanes(index(address, 1024))(35 downto 27) := data(35 downto 27);
      end if;
    end if;
  end process;

  -- Small ones ----------------------------------------------------------------

  slot <= slots(index(address(4 downto 0), 32));
  nibble <= auto(index(address(3 downto 0), 16));

  process (clk)
  begin
    if rising_edge(clk) then
      if write = '1' then
        slots(index(address(4 downto 0), 32)) <= data(7 downto 0);
      end if;
    end if;
  end process;

  process (clk)
    type flags_words is array (0 to 3) of std_logic;
    variable flags : flags_words := (others => '0');
    attribute ram_style of flags : variable is "registers";
  begin
    if rising_edge(clk) then
      flags_data <= flags(index(address(1 downto 0), 4));
      flags(index(address(1 downto 0), 4)) := data(0);
    end if;
  end process;

  process (clk)
  begin
    if rising_edge(clk) then
      if write = '1' then
        auto(index(address(3 downto 0), 16)) <= data(7 downto 4);
      end if;
    end if;
  end process;

  -- Outputs -------------------------------------------------------------------

  counter <= counters_data;
  lane <= lanes_data;
  flag <= flags_data;

end architecture rtl;

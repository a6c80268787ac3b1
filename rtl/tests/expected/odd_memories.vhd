-- Memories of odd depths.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.odd_memories_pkg.all;

entity odd_memories is
  port (
    clk          : in  std_logic;
    rst          : in  std_logic;                      -- Synchronous, active high.
    address      : in  std_logic_vector(19 downto 0);
    other        : in  std_logic_vector(19 downto 0);
    data         : in  std_logic_vector(23 downto 0);
    write        : in  std_logic;
    read         : in  std_logic;
    single_value : out std_logic;
    ten_value    : out std_logic_vector(23 downto 0);
    big_value    : out std_logic_vector(23 downto 0);
    table_value  : out std_logic_vector(2 downto 0)
  );
end entity odd_memories;

architecture rtl of odd_memories is

  attribute ram_style : string;

  signal big_in_range   : std_logic := '0';
  signal big_in_range_2 : std_logic := '0';
  signal ten_data       : std_logic_vector(23 downto 0) := (others => '0');
  signal big_data0      : std_logic_vector(23 downto 0) := (others => '0');
  signal big_data1      : std_logic_vector(23 downto 0) := (others => '0');

  type single_words is array (0 to 1) of std_logic;
  signal single : single_words := (others => '0');
  attribute ram_style of single : signal is "registers";

  type table_words is array (0 to 199) of std_logic_vector(2 downto 0);
  signal table : table_words := (others => (others => '0'));
  attribute ram_style of table : signal is "distributed";

  signal big_write0         : std_logic;
  signal big_write1         : std_logic;
  signal big_write0_and     : std_logic;
  signal big_data0_choice   : std_logic_vector(23 downto 0);
  signal big_data1_choice   : std_logic_vector(23 downto 0);
  signal table_data0_choice : std_logic_vector(2 downto 0);
  signal table_data0        : std_logic_vector(2 downto 0);
  signal table_data1_choice : std_logic_vector(2 downto 0);
  signal table_data1        : std_logic_vector(2 downto 0);

begin

  big_write0 <= to_logic(write = '1' and unsigned(address) < 5000);
  big_write1 <= to_logic(read = '1' and unsigned(other) < 5000);
  big_write0_and <=
    to_logic(big_write0 = '1'
    and big_write1 = '1'
    and address(12 downto 0) = other(12 downto 0));
  single_value <= single(index(address(0), 2));
  big_data0_choice <= big_data0 when big_in_range = '1' else (others => '0');
  big_data1_choice <= big_data1 when big_in_range_2 = '1' else (others => '0');
  big_value <= big_data0_choice xor big_data1_choice;
  table_data0_choice <= table_data0 when unsigned(other) < 200 else (others => '0');
  table_data0 <= table(index(other(7 downto 0), 200));
  table_data1_choice <= table_data1 when unsigned(address) < 200 else (others => '0');
  table_data1 <= table(index(address(7 downto 0), 200));
  table_value <= std_logic_vector(unsigned(table_data0_choice) + unsigned(table_data1_choice));

  process (clk)
  begin
    if rising_edge(clk) then
      if read = '1' then
        big_in_range <= to_logic(unsigned(address) < 5000);
        big_in_range_2 <= to_logic(unsigned(other) < 5000);
      end if;
    end if;
  end process;

  process (clk)
  begin
    if rising_edge(clk) then
      if write = '1' and address(0) = '0' then
        single(index(address(0), 2)) <= data(0);
      end if;
    end if;
  end process;

  process (clk)
    type ten_words is array (0 to 15) of std_logic_vector(23 downto 0);
    variable ten : ten_words := (others => (others => '0'));
    attribute ram_style of ten : variable is "block";
  begin
    if rising_edge(clk) then
      if read = '1' then
        ten_data <= ten(index(address(6 downto 3), 16));
      end if;
      if write = '1' and unsigned(address(6 downto 3)) < 10 then
        ten(index(address(6 downto 3), 16)) := data;
      end if;
    end if;
  end process;

  process (clk)
    type big_words is array (0 to 4999) of std_logic_vector(23 downto 0);
    variable big : big_words
    -- synthesis translate_off
      := (others => (others => '0'))
    -- synthesis translate_on
      ;
    attribute ram_style of big : variable is "ultra";
  begin
    if rising_edge(clk) then
      if read = '1' then
        big_data0 <= big(index(address(12 downto 0), 5000));
        big_data1 <= big(index(other(12 downto 0), 5000));
      end if;
      if big_write0 = '1' then
        big(index(address(12 downto 0), 5000)) := data;
      end if;
      if big_write1 = '1' then
        big(index(other(12 downto 0), 5000)) := data;
      end if;
    end if;
  end process;

  process (clk)
  begin
    if rising_edge(clk) then
      if write = '1' and unsigned(other) < 200 then
        table(index(other(7 downto 0), 200)) <= data(4 downto 2);
      end if;
    end if;
  end process;

  -- Outputs -------------------------------------------------------------------

  ten_value <= ten_data;

  -- Must hold in every clock outside reset.
  -- synthesis translate_off
  process (clk)
  begin
    if rising_edge(clk) then
      if rst = '0' then
        big_one_writer : assert big_write0_and = '0'
          report "two ports write one word of big" severity error;
      end if;
    end if;
  end process;
  -- synthesis translate_on

end architecture rtl;

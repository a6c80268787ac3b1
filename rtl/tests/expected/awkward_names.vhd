-- Wishes that cannot be granted as they are.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.awkward_names_pkg.all;

entity awkward_names is
  port (
    clk         : in  std_logic;
    rst         : in  std_logic;                     -- Synchronous, active high.
    input_value : in  std_logic_vector(3 downto 0);  -- comment with
    result      : out std_logic_vector(3 downto 0);
    other       : out std_logic_vector(3 downto 0);
    late_out    : out std_logic_vector(3 downto 0)
  );
end entity awkward_names;

architecture rtl of awkward_names is

  signal always     : std_logic_vector(3 downto 0) := x"9";
  signal result_reg : std_logic_vector(3 downto 0) := (others => '0');

  signal second_name   : std_logic_vector(3 downto 0);
  signal delete        : std_logic_vector(3 downto 0);
  signal delete_2      : std_logic_vector(3 downto 0);
  signal late          : std_logic_vector(3 downto 0);
  signal uses_late     : std_logic_vector(3 downto 0);
  signal second_name_2 : std_logic_vector(3 downto 0);

begin

  second_name <= input_value;
  delete <= std_logic_vector(unsigned(result_reg) + 1);
  -- - verilator lint_off is no comment here second line
  delete_2 <= std_logic_vector(unsigned(delete) + unsigned(always));
  late <= delete and delete_2;
  uses_late <= late xor second_name;
  second_name_2 <= second_name or uses_late;

  process (clk)
  begin
    if rising_edge(clk) then
      always <= second_name;
      result_reg <= always;
      if rst = '1' then
        always <= x"9";
      end if;
    end if;
  end process;

  -- Outputs -------------------------------------------------------------------

  result <= result_reg;
  other <= second_name_2;
  late_out <= late;

end architecture rtl;

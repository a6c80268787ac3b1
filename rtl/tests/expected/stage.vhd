-- A register with a handshake.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.instances_pkg.all;

entity stage is
  port (
    clk       : in  std_logic;
    rst       : in  std_logic;                     -- Synchronous, active high.
    value     : in  std_logic_vector(7 downto 0);
    ready     : in  std_logic;
    value_out : out std_logic_vector(7 downto 0);
    stall     : out std_logic                      -- Combinational from `ready`.
  );
end entity stage;

architecture rtl of stage is

  signal held : std_logic_vector(7 downto 0) := (others => '0');

begin

  stall <= not ready;

  process (clk)
  begin
    if rising_edge(clk) then
      held <= value;
      if rst = '1' then
        held <= (others => '0');
      end if;
    end if;
  end process;

  -- Outputs -------------------------------------------------------------------

  value_out <= held;

end architecture rtl;

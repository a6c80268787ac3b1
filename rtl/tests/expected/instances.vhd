-- Three instances in a ring that a register breaks.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.instances_pkg.all;

entity instances is
  port (
    clk         : in  std_logic;
    rst         : in  std_logic;                     -- Synchronous, active high.
    input_value : in  std_logic_vector(7 downto 0);
    ready       : in  std_logic;
    result      : out std_logic_vector(7 downto 0);
    stall       : out std_logic
  );
end entity instances;

architecture rtl of instances is

  signal back           : std_logic_vector(7 downto 0);
  signal first_sum      : std_logic_vector(7 downto 0);
  signal hold_value_out : std_logic_vector(7 downto 0);
  signal second_a       : std_logic_vector(7 downto 0);

begin

  back <= hold_value_out;

  first : entity work.adder
    port map (
      clk     => clk,
      rst     => rst,
      a       => input_value,
      b       => back,
      sum     => first_sum,
      is_zero => open
    );

  -- Breaks the ring.
  hold : entity work.stage
    port map (
      clk       => clk,
      rst       => rst,
      value     => first_sum,
      ready     => ready,
      value_out => hold_value_out,
      stall     => stall
    );

  second_a <= std_logic_vector(unsigned(hold_value_out) + unsigned(hold_value_out));

  second : entity work.adder
    port map (
      clk     => clk,
      rst     => rst,
      a       => second_a,
      b       => input_value,
      sum     => result,
      is_zero => open
    );

end architecture rtl;

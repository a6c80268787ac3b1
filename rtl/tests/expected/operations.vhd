-- Every operation of the hardware IR.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.operations_pkg.all;

entity operations is
  port (
    clk  : in  std_logic;
    rst  : in  std_logic;                        -- Synchronous, active high.
    a1   : in  std_logic;
    b1   : in  std_logic;
    by1  : in  std_logic_vector(6 downto 0);
    o1   : out std_logic_vector(90 downto 0);
    a8   : in  std_logic_vector(7 downto 0);
    b8   : in  std_logic_vector(7 downto 0);
    by8  : in  std_logic_vector(6 downto 0);
    o8   : out std_logic_vector(223 downto 0);
    a33  : in  std_logic_vector(32 downto 0);
    b33  : in  std_logic_vector(32 downto 0);
    by33 : in  std_logic_vector(6 downto 0);
    o33  : out std_logic_vector(698 downto 0);
    a80  : in  std_logic_vector(79 downto 0);
    b80  : in  std_logic_vector(79 downto 0);
    by80 : in  std_logic_vector(6 downto 0);
    o80  : out std_logic_vector(1591 downto 0)
  );
end entity operations;

architecture rtl of operations is

  -- Width 1 -------------------------------------------------------------------

  signal a1_and              : std_logic;
  signal a1_and_value        : std_logic_vector(3 downto 0);
  signal a1_and_value_2      : std_logic_vector(3 downto 0);
  signal a1_or               : std_logic;
  signal a1_xor              : std_logic;
  signal a1_sum              : std_logic;
  signal a1_difference       : std_logic;
  signal a1_product          : std_logic;
  signal a1_shifted          : std_logic;
  signal a1_sum_2            : std_logic;
  signal a1_sum_2_shifted    : std_logic;
  signal a1_equals           : std_logic;
  signal a1_sum_3            : std_logic;
  signal a1_sum_4            : std_logic;
  signal a1_and_value_choice : std_logic_vector(3 downto 0);

  -- Width 8 -------------------------------------------------------------------

  signal a8_and              : std_logic_vector(7 downto 0);
  signal a8_and_value        : std_logic_vector(10 downto 0);
  signal a8_and_not          : std_logic_vector(7 downto 0);
  signal a8_and_not_value    : std_logic_vector(10 downto 0);
  signal a8_or               : std_logic_vector(7 downto 0);
  signal a8_or_not           : std_logic_vector(7 downto 0);
  signal a8_xor              : std_logic_vector(7 downto 0);
  signal a8_xor_not          : std_logic_vector(7 downto 0);
  signal a8_sum              : std_logic_vector(7 downto 0);
  signal a8_sum_not          : std_logic_vector(7 downto 0);
  signal a8_difference       : std_logic_vector(7 downto 0);
  signal a8_difference_not   : std_logic_vector(7 downto 0);
  signal a8_product          : std_logic_vector(7 downto 0);
  signal a8_product_not      : std_logic_vector(7 downto 0);
  signal a8_shifted          : std_logic_vector(7 downto 0);
  signal a8_shifted_2        : std_logic_vector(7 downto 0);
  signal a8_shifted_3        : std_logic_vector(7 downto 0);
  signal a8_sum_2            : std_logic_vector(7 downto 0);
  signal a8_sum_2_shifted    : std_logic_vector(7 downto 0);
  signal a8_equals           : std_logic;
  signal a8_sum_3            : std_logic_vector(7 downto 0);
  signal a8_sum_4            : std_logic_vector(7 downto 0);
  signal a8_and_value_choice : std_logic_vector(10 downto 0);

  -- Width 33 ------------------------------------------------------------------

  signal a33_and              : std_logic_vector(32 downto 0);
  signal a33_and_value        : std_logic_vector(35 downto 0);
  signal a33_and_not          : std_logic_vector(32 downto 0);
  signal a33_and_not_value    : std_logic_vector(35 downto 0);
  signal a33_or               : std_logic_vector(32 downto 0);
  signal a33_or_not           : std_logic_vector(32 downto 0);
  signal a33_xor              : std_logic_vector(32 downto 0);
  signal a33_xor_not          : std_logic_vector(32 downto 0);
  signal a33_sum              : std_logic_vector(32 downto 0);
  signal a33_sum_not          : std_logic_vector(32 downto 0);
  signal a33_difference       : std_logic_vector(32 downto 0);
  signal a33_difference_not   : std_logic_vector(32 downto 0);
  signal a33_product          : std_logic_vector(32 downto 0);
  signal a33_product_not      : std_logic_vector(32 downto 0);
  signal a33_shifted          : std_logic_vector(32 downto 0);
  signal a33_shifted_2        : std_logic_vector(32 downto 0);
  signal a33_shifted_3        : std_logic_vector(32 downto 0);
  signal a33_sum_2            : std_logic_vector(32 downto 0);
  signal a33_sum_2_shifted    : std_logic_vector(32 downto 0);
  signal a33_equals           : std_logic;
  signal a33_sum_3            : std_logic_vector(32 downto 0);
  signal a33_sum_4            : std_logic_vector(32 downto 0);
  signal a33_and_value_choice : std_logic_vector(35 downto 0);

  -- Width 80 ------------------------------------------------------------------

  signal a80_and              : std_logic_vector(79 downto 0);
  signal a80_and_value        : std_logic_vector(82 downto 0);
  signal a80_and_not          : std_logic_vector(79 downto 0);
  signal a80_and_not_value    : std_logic_vector(82 downto 0);
  signal a80_or               : std_logic_vector(79 downto 0);
  signal a80_or_not           : std_logic_vector(79 downto 0);
  signal a80_xor              : std_logic_vector(79 downto 0);
  signal a80_xor_not          : std_logic_vector(79 downto 0);
  signal a80_sum              : std_logic_vector(79 downto 0);
  signal a80_sum_not          : std_logic_vector(79 downto 0);
  signal a80_difference       : std_logic_vector(79 downto 0);
  signal a80_difference_not   : std_logic_vector(79 downto 0);
  signal a80_product          : std_logic_vector(79 downto 0);
  signal a80_product_not      : std_logic_vector(79 downto 0);
  signal a80_shifted          : std_logic_vector(79 downto 0);
  signal a80_shifted_2        : std_logic_vector(79 downto 0);
  signal a80_shifted_3        : std_logic_vector(79 downto 0);
  signal a80_sum_2            : std_logic_vector(79 downto 0);
  signal a80_sum_2_shifted    : std_logic_vector(79 downto 0);
  signal a80_equals           : std_logic;
  signal a80_sum_3            : std_logic_vector(79 downto 0);
  signal a80_sum_4            : std_logic_vector(79 downto 0);
  signal a80_and_value_choice : std_logic_vector(82 downto 0);

begin

  -- Width 1 -------------------------------------------------------------------

  a1_and <= a1 and b1;
  a1_and_value <= "000" & a1_and;
  a1_and_value_2 <= repeat(not a1_and, 4);
  a1_or <= a1 or b1;
  a1_xor <= a1 xor b1;
  a1_sum <= a1 xor b1;
  a1_difference <= a1 xor b1;
  a1_product <= a1 and b1;
  a1_shifted <= a1;
  a1_sum_2 <= a1 xor b1;
  a1_sum_2_shifted <= a1_sum_2;
  a1_equals <= not (a1 xor b1);
  a1_sum_3 <= a1 xor b1;
  a1_sum_4 <= a1 xor b1;
  a1_and_value_choice <= a1_and_value when a1_equals = '1' else a1_and_value_2;
  o1 <=
    a1_and_value & a1_and_value_2 & "000" & a1_or & repeat(not a1_or, 4) & "000" & a1_xor &
    repeat(not a1_xor, 4) & "000" & a1_sum & repeat(not a1_sum, 4) & "000" & a1_difference &
    repeat(not a1_difference, 4) & "000" & a1_product & repeat(not a1_product, 4) &
    repeat(a1 and to_logic(unsigned(by1) = 0), 4) & "000" &
    ((a1 xor b1) and to_logic(unsigned(by1) = 0)) &
    repeat(a1 and to_logic(unsigned(by1) = 0), 4) & "000" &
    ((a1 xor b1) and to_logic(unsigned(by1) = 0)) & repeat(a1_shifted, 4) & "000" &
    a1_sum_2_shifted & a1_and_value_choice & a1_equals & not (a1 xor b1 xor b1) &
    (a1 xor b1) & (a1 xor b1 xor b1) & (not a1 and b1) & (not (a1 xor b1) and b1) &
    (not a1 or b1) & (not (a1 xor b1) or b1) & (not b1 and a1) & (not b1 and a1_sum_3) &
    (not b1 or a1) & (not b1 or a1_sum_4) & a1 & a1 & a1;

  -- Width 8 -------------------------------------------------------------------

  a8_and <= a8 and b8;
  a8_and_value <= "000" & a8_and;
  a8_and_not <= not a8_and;
  a8_and_not_value <= std_logic_vector(resize(signed(a8_and_not), 11));
  a8_or <= a8 or b8;
  a8_or_not <= not a8_or;
  a8_xor <= a8 xor b8;
  a8_xor_not <= not a8_xor;
  a8_sum <= std_logic_vector(unsigned(a8) + unsigned(b8));
  a8_sum_not <= not a8_sum;
  a8_difference <= std_logic_vector(unsigned(a8) - unsigned(b8));
  a8_difference_not <= not a8_difference;
  a8_product <= std_logic_vector(resize(unsigned(a8) * unsigned(b8), 8));
  a8_product_not <= not a8_product;
  a8_shifted <= std_logic_vector(shift_left(unsigned(a8), number(by8)));
  a8_shifted_2 <= std_logic_vector(shift_right(unsigned(a8), number(by8)));
  a8_shifted_3 <= std_logic_vector(shift_right(signed(a8), number(by8)));
  a8_sum_2 <= std_logic_vector(unsigned(a8) + unsigned(b8));
  a8_sum_2_shifted <= std_logic_vector(shift_right(signed(a8_sum_2), number(by8)));
  a8_equals <= to_logic(a8 = b8);
  a8_sum_3 <= std_logic_vector(unsigned(a8) + unsigned(b8));
  a8_sum_4 <= std_logic_vector(unsigned(a8) + unsigned(b8));
  a8_and_value_choice <= a8_and_value when a8_equals = '1' else a8_and_not_value;
  o8 <=
    a8_and_value & a8_and_not_value & "000" & a8_or &
    std_logic_vector(resize(signed(a8_or_not), 11)) & "000" & a8_xor &
    std_logic_vector(resize(signed(a8_xor_not), 11)) & "000" & a8_sum &
    std_logic_vector(resize(signed(a8_sum_not), 11)) & "000" & a8_difference &
    std_logic_vector(resize(signed(a8_difference_not), 11)) & "000" & a8_product &
    std_logic_vector(resize(signed(a8_product_not), 11)) &
    std_logic_vector(resize(signed(a8_shifted), 11)) & "000" &
    std_logic_vector(shift_left(unsigned(a8) + unsigned(b8), number(by8))) &
    std_logic_vector(resize(signed(a8_shifted_2), 11)) & "000" &
    std_logic_vector(shift_right(unsigned(a8) + unsigned(b8), number(by8))) &
    std_logic_vector(resize(signed(a8_shifted_3), 11)) & "000" & a8_sum_2_shifted &
    a8_and_value_choice & a8_equals & to_logic(unsigned(a8) + unsigned(b8) = unsigned(b8)) &
    to_logic(a8 /= b8) & to_logic(unsigned(a8) + unsigned(b8) /= unsigned(b8)) &
    to_logic(unsigned(a8) < unsigned(b8)) &
    to_logic(unsigned(a8) + unsigned(b8) < unsigned(b8)) &
    to_logic(unsigned(a8) <= unsigned(b8)) &
    to_logic(unsigned(a8) + unsigned(b8) <= unsigned(b8)) &
    to_logic(signed(a8) < signed(b8)) & to_logic(signed(a8_sum_3) < signed(b8)) &
    to_logic(signed(a8) <= signed(b8)) & to_logic(signed(a8_sum_4) <= signed(b8)) &
    (or a8) & (and a8) & (xor a8);

  -- Width 33 ------------------------------------------------------------------

  a33_and <= a33 and b33;
  a33_and_value <= "000" & a33_and;
  a33_and_not <= not a33_and;
  a33_and_not_value <= std_logic_vector(resize(signed(a33_and_not), 36));
  a33_or <= a33 or b33;
  a33_or_not <= not a33_or;
  a33_xor <= a33 xor b33;
  a33_xor_not <= not a33_xor;
  a33_sum <= std_logic_vector(unsigned(a33) + unsigned(b33));
  a33_sum_not <= not a33_sum;
  a33_difference <= std_logic_vector(unsigned(a33) - unsigned(b33));
  a33_difference_not <= not a33_difference;
  a33_product <= std_logic_vector(resize(unsigned(a33) * unsigned(b33), 33));
  a33_product_not <= not a33_product;
  a33_shifted <= std_logic_vector(shift_left(unsigned(a33), number(by33)));
  a33_shifted_2 <= std_logic_vector(shift_right(unsigned(a33), number(by33)));
  a33_shifted_3 <= std_logic_vector(shift_right(signed(a33), number(by33)));
  a33_sum_2 <= std_logic_vector(unsigned(a33) + unsigned(b33));
  a33_sum_2_shifted <= std_logic_vector(shift_right(signed(a33_sum_2), number(by33)));
  a33_equals <= to_logic(a33 = b33);
  a33_sum_3 <= std_logic_vector(unsigned(a33) + unsigned(b33));
  a33_sum_4 <= std_logic_vector(unsigned(a33) + unsigned(b33));
  a33_and_value_choice <= a33_and_value when a33_equals = '1' else a33_and_not_value;
  o33 <=
    a33_and_value & a33_and_not_value & "000" & a33_or &
    std_logic_vector(resize(signed(a33_or_not), 36)) & "000" & a33_xor &
    std_logic_vector(resize(signed(a33_xor_not), 36)) & "000" & a33_sum &
    std_logic_vector(resize(signed(a33_sum_not), 36)) & "000" & a33_difference &
    std_logic_vector(resize(signed(a33_difference_not), 36)) & "000" & a33_product &
    std_logic_vector(resize(signed(a33_product_not), 36)) &
    std_logic_vector(resize(signed(a33_shifted), 36)) & "000" &
    std_logic_vector(shift_left(unsigned(a33) + unsigned(b33), number(by33))) &
    std_logic_vector(resize(signed(a33_shifted_2), 36)) & "000" &
    std_logic_vector(shift_right(unsigned(a33) + unsigned(b33), number(by33))) &
    std_logic_vector(resize(signed(a33_shifted_3), 36)) & "000" & a33_sum_2_shifted &
    a33_and_value_choice & a33_equals &
    to_logic(unsigned(a33) + unsigned(b33) = unsigned(b33)) & to_logic(a33 /= b33) &
    to_logic(unsigned(a33) + unsigned(b33) /= unsigned(b33)) &
    to_logic(unsigned(a33) < unsigned(b33)) &
    to_logic(unsigned(a33) + unsigned(b33) < unsigned(b33)) &
    to_logic(unsigned(a33) <= unsigned(b33)) &
    to_logic(unsigned(a33) + unsigned(b33) <= unsigned(b33)) &
    to_logic(signed(a33) < signed(b33)) & to_logic(signed(a33_sum_3) < signed(b33)) &
    to_logic(signed(a33) <= signed(b33)) & to_logic(signed(a33_sum_4) <= signed(b33)) &
    (or a33) & (and a33) & (xor a33);

  -- Width 80 ------------------------------------------------------------------

  a80_and <= a80 and b80;
  a80_and_value <= "000" & a80_and;
  a80_and_not <= not a80_and;
  a80_and_not_value <= std_logic_vector(resize(signed(a80_and_not), 83));
  a80_or <= a80 or b80;
  a80_or_not <= not a80_or;
  a80_xor <= a80 xor b80;
  a80_xor_not <= not a80_xor;
  a80_sum <= std_logic_vector(unsigned(a80) + unsigned(b80));
  a80_sum_not <= not a80_sum;
  a80_difference <= std_logic_vector(unsigned(a80) - unsigned(b80));
  a80_difference_not <= not a80_difference;
  a80_product <= std_logic_vector(resize(unsigned(a80) * unsigned(b80), 80));
  a80_product_not <= not a80_product;
  a80_shifted <= std_logic_vector(shift_left(unsigned(a80), number(by80)));
  a80_shifted_2 <= std_logic_vector(shift_right(unsigned(a80), number(by80)));
  a80_shifted_3 <= std_logic_vector(shift_right(signed(a80), number(by80)));
  a80_sum_2 <= std_logic_vector(unsigned(a80) + unsigned(b80));
  a80_sum_2_shifted <= std_logic_vector(shift_right(signed(a80_sum_2), number(by80)));
  a80_equals <= to_logic(a80 = b80);
  a80_sum_3 <= std_logic_vector(unsigned(a80) + unsigned(b80));
  a80_sum_4 <= std_logic_vector(unsigned(a80) + unsigned(b80));
  a80_and_value_choice <= a80_and_value when a80_equals = '1' else a80_and_not_value;
  o80 <=
    a80_and_value & a80_and_not_value & "000" & a80_or &
    std_logic_vector(resize(signed(a80_or_not), 83)) & "000" & a80_xor &
    std_logic_vector(resize(signed(a80_xor_not), 83)) & "000" & a80_sum &
    std_logic_vector(resize(signed(a80_sum_not), 83)) & "000" & a80_difference &
    std_logic_vector(resize(signed(a80_difference_not), 83)) & "000" & a80_product &
    std_logic_vector(resize(signed(a80_product_not), 83)) &
    std_logic_vector(resize(signed(a80_shifted), 83)) & "000" &
    std_logic_vector(shift_left(unsigned(a80) + unsigned(b80), number(by80))) &
    std_logic_vector(resize(signed(a80_shifted_2), 83)) & "000" &
    std_logic_vector(shift_right(unsigned(a80) + unsigned(b80), number(by80))) &
    std_logic_vector(resize(signed(a80_shifted_3), 83)) & "000" & a80_sum_2_shifted &
    a80_and_value_choice & a80_equals &
    to_logic(unsigned(a80) + unsigned(b80) = unsigned(b80)) & to_logic(a80 /= b80) &
    to_logic(unsigned(a80) + unsigned(b80) /= unsigned(b80)) &
    to_logic(unsigned(a80) < unsigned(b80)) &
    to_logic(unsigned(a80) + unsigned(b80) < unsigned(b80)) &
    to_logic(unsigned(a80) <= unsigned(b80)) &
    to_logic(unsigned(a80) + unsigned(b80) <= unsigned(b80)) &
    to_logic(signed(a80) < signed(b80)) & to_logic(signed(a80_sum_3) < signed(b80)) &
    to_logic(signed(a80) <= signed(b80)) & to_logic(signed(a80_sum_4) <= signed(b80)) &
    (or a80) & (and a80) & (xor a80);

end architecture rtl;

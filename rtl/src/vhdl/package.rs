//! The package that every printed file uses: the few conversions that `ieee.numeric_std` does not have.

use crate::print::names::PublicNames;
use crate::Design;

/// What the package of a design is called. Each design has its own, so that several stand in one library.
pub fn name(design: &Design, public: &PublicNames) -> String {
    let mut name = format!("{}_pkg", public.modules[design.top()]);
    while public.modules.values().any(|module| *module == name) {
        name.push('s');
    }
    name
}

/// Its text, which must be analysed first.
pub fn text(name: &str) -> String {
    TEXT.replace("$NAME", name)
}

const TEXT: &str = r#"-- Conversions that ieee.numeric_std does not have. Every file of a design uses them; nothing else is needed.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

package $NAME is

  -- '1' when the condition holds.
  function to_logic(condition : boolean) return std_logic;

  -- Copies of a bit.
  function repeat(bit_value : std_logic; width : positive) return std_logic_vector;

  function zeros(width : positive) return std_logic_vector;

  -- The unsigned number that bits mean; at most 31 bits.
  function number(bits : std_logic_vector) return natural;
  function number(bits : std_logic) return natural;

  -- The place of a word in a memory of a number of words. An address outside of the memory reads a word that is
  -- not used; writes there are never enabled.
  function index(address : std_logic_vector; words : positive) return natural;
  function index(address : std_logic; words : positive) return natural;

end package $NAME;

package body $NAME is

  function to_logic(condition : boolean) return std_logic is
  begin
    if condition then
      return '1';
    else
      return '0';
    end if;
  end function to_logic;

  function repeat(bit_value : std_logic; width : positive) return std_logic_vector is
    variable result : std_logic_vector(width - 1 downto 0) := (others => bit_value);
  begin
    return result;
  end function repeat;

  function zeros(width : positive) return std_logic_vector is
    variable result : std_logic_vector(width - 1 downto 0) := (others => '0');
  begin
    return result;
  end function zeros;

  function number(bits : std_logic_vector) return natural is
  begin
    return to_integer(unsigned(bits));
  end function number;

  function number(bits : std_logic) return natural is
  begin
    if bits = '1' then
      return 1;
    else
      return 0;
    end if;
  end function number;

  function index(address : std_logic_vector; words : positive) return natural is
  begin
    -- synthesis translate_off
    if number(address) >= words then
      return 0;
    end if;
    -- synthesis translate_on
    return number(address);
  end function index;

  function index(address : std_logic; words : positive) return natural is
  begin
    -- synthesis translate_off
    if number(address) >= words then
      return 0;
    end if;
    -- synthesis translate_on
    return number(address);
  end function index;

end package body $NAME;
"#;

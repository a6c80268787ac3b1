//! What each cell costs: the numbers of the definition in [`super`], which are those of the delay model where that has them
//! (`pipeline/src/technology.rs`; a test compares).

use super::Levels;
use crate::area::{class, Class};
use crate::netlist::{bits, Cell, Direction, Net};

pub(crate) const LUT: Levels = Levels::tenths(10);
const WIDE_MUX: Levels = Levels::tenths(5);
/// From logic into a carry chain, its first cell included.
pub(crate) const ENTER_CHAIN: Levels = Levels::tenths(10);
const LUT_RAM: Levels = Levels::tenths(10);
const ULTRA_RAM: Levels = Levels::tenths(40);
pub(crate) const DSP: Levels = Levels::tenths(40);
const REGISTERED_DSP: Levels = Levels::tenths(15);

/// Levels from the clock to the output of a memory without output register, by the primitive's name; `None`: it is no
/// block RAM and no UltraRAM.
pub fn memory(kind: &str) -> Option<Levels> {
    match class(kind) {
        Class::UltraRam => Some(ULTRA_RAM),
        Class::BlockRam { .. } => Some(Levels::tenths(match kind {
            "RAMB18E1" | "RAMB36E1" => 33,
            "DP16KD" => 34,
            _ => 25,
        })),
        _ => None,
    }
}

/// Levels from carry cell to carry cell, by the primitive's name: those of a chain's bits that it holds.
pub fn carry(kind: &str) -> Levels {
    Levels::hundredths(match kind {
        "CCU2C" => 4,
        "MISTRAL_ALUT_ARITH" => 2,
        _ => 10,
    })
}

/// Levels that are gone when a path begins at an output of the cell; `None`: none begins there.
pub(super) fn begin(cell: &Cell, class: Class, output: &str) -> Option<Levels> {
    match class {
        Class::Lut | Class::WideMux | Class::Carry | Class::Buffer => None,
        Class::LutRam { .. } => Some(LUT_RAM),
        Class::BlockRam { .. } | Class::UltraRam if !has_output_register(cell, output) => {
            memory(&cell.kind)
        }
        Class::Dsp => has_register(cell).then_some(REGISTERED_DSP),
        _ => Some(Levels::ZERO),
    }
}

/// Whether paths end at the inputs of the cell.
pub(super) fn is_register(cell: &Cell, class: Class) -> bool {
    match class {
        Class::Lut | Class::WideMux | Class::Carry | Class::Buffer => false,
        Class::Dsp => has_register(cell),
        _ => true,
    }
}

/// Levels from an input bit (pin, position, whether it is the carry of another cell) to an output bit; `None`: the output
/// does not follow the input.
pub(super) fn through(
    cell: &Cell,
    class: Class,
    (input, at, is_chained): (&str, usize, bool),
    (output, position): (&str, usize),
) -> Option<Levels> {
    match class {
        Class::Lut if is_inverter(cell) => Some(Levels::ZERO),
        Class::Lut => Some(LUT),
        Class::WideMux => Some(WIDE_MUX),
        Class::Buffer => Some(Levels::ZERO),
        Class::Carry if is_carry_in(input) && is_chained => Some(carry(&cell.kind)),
        Class::Carry => {
            let is_below = match (input, output) {
                ("DI", "O") => at < position,
                ("CI" | "CIN" | "CYINIT", _) => true,
                _ => at <= position,
            };
            is_below.then_some(ENTER_CHAIN)
        }
        Class::LutRam { .. } => reads_through(input, output).then_some(LUT_RAM),
        Class::ShiftRegister => reads_through(input, output).then_some(LUT),
        Class::Dsp if !has_register(cell) => Some(DSP),
        _ => None,
    }
}

/// Nets by which carry cells hand their carry on.
pub(super) fn carries(cell: &Cell) -> impl Iterator<Item = Net> + '_ {
    let outputs = bits(cell, Direction::Output);
    let is_carry = class(&cell.kind) == Class::Carry;
    let carries = outputs.filter(move |(pin, ..)| is_carry && matches!(*pin, "CO" | "COUT"));
    carries.map(|(.., net)| net)
}

fn is_carry_in(input: &str) -> bool {
    matches!(input, "CI" | "CI_TOP" | "CIN")
}

/// An address that an asynchronous read follows.
pub(super) fn reads_through(input: &str, output: &str) -> bool {
    match output {
        // RAM32M and its kin: DOA follows ADDRA.
        "DOA" | "DOB" | "DOC" | "DOD" | "DOE" | "DOF" | "DOG" | "DOH" => {
            input.strip_prefix("ADDR") == output.strip_prefix("DO")
        }
        // RAM64X1D and its kin: the write port's own word, and the second port.
        "DPO" => input.starts_with("DPRA"),
        // TRELLIS_DPR16X4, MISTRAL_MLAB.
        "DO" => input == "RAD",
        "B1DATA" => input == "B1ADDR",
        _ => {
            input == "A"
                || input
                    .strip_prefix('A')
                    .is_some_and(|n| n.parse::<u8>().is_ok())
        }
    }
}

fn is_inverter(cell: &Cell) -> bool {
    matches!(cell.kind.as_str(), "INV" | "MISTRAL_NOT")
}

pub(crate) fn is_clock(pin: &str) -> bool {
    matches!(pin, "C" | "G" | "CLK" | "WCLK" | "WCK") || pin.contains("CLK")
}

/// Whether the output of a memory comes out of a register behind it: `DOA_REG` of a block RAM (UG573), `OREG_A` of an
/// UltraRAM, `REGMODE_A` of a DP16KD (FPGA-TN-02204).
fn has_output_register(cell: &Cell, output: &str) -> bool {
    // DOUTADOUT, DOUTPADOUTP, DOADO, DOPADOP, DOUT_A, CAS_OUT_DOUT_A, DOA3.
    let is_b = ["DOUTB", "DOUTPB", "DOB", "DOPB"];
    let is_b = is_b.iter().any(|name| output.starts_with(name)) || output.ends_with("_B");
    let port = if is_b { "B" } else { "A" };
    let parameter = |name: String| cell.parameters.get(&name).map(String::as_str);
    let is_one = |value: &str| value.contains('1');
    parameter(format!("DO{port}_REG")).is_some_and(is_one)
        || parameter(format!("OREG_{port}")).is_some_and(|value| value.trim() == "TRUE")
        || parameter(format!("REGMODE_{port}")).is_some_and(|value| value.trim() == "OUTREG")
}

/// Whether any pipeline register of a DSP block is in use.
fn has_register(cell: &Cell) -> bool {
    match cell.kind.as_str() {
        "DSP48E1" | "DSP48E2" => ["AREG", "BREG", "MREG", "PREG"].iter().any(|name| {
            let value = cell.parameters.get(*name);
            // Not written means the primitive's default, which is 1.
            value.is_none_or(|value| value.contains('1'))
        }),
        // MULT18X18D, ALU54B: REG_INPUTA_CLK and its kin name a clock, or NONE, which is the default.
        _ => cell.parameters.iter().any(|(name, value)| {
            name.starts_with("REG_") && name.ends_with("_CLK") && value.trim() != "NONE"
        }),
    }
}

//! What a mapped netlist costs.
//!
//! LUTs are counted as Vivado counts them: a LUT of any size is one, a shift register (`SRL16E`, `SRLC32E`) is
//! one, LUT RAM counts the LUTs that it is made of (`RAM64M8`: 8). Two small LUTs that could share a LUT6 count two,
//! so the number is an upper bound. Multiplexers behind LUTs (`MUXF7` …) are free, as in the hardware.

use crate::netlist::{self, Netlist};
use crate::ModuleArea;
use hardpath_ir::Diagnostic;
use std::path::Path;

/// Numbers of primitives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Area {
    pub lut: u64,
    /// Those of the LUTs that are shift registers.
    pub srl: u64,
    pub ff: u64,
    pub carry: u64,
    /// In halves: a RAMB18 is 1, a RAMB36 is 2.
    pub bram18: u64,
    pub uram: u64,
    pub dsp: u64,
}

pub fn area(netlist: &Netlist) -> Area {
    let mut area = Area::default();
    for cell in &netlist.cells {
        match class(&cell.kind) {
            Class::Lut => area.lut += 1,
            Class::ShiftRegister => {
                area.lut += 1;
                area.srl += 1;
            }
            Class::LutRam { luts } => area.lut += luts,
            Class::FlipFlop => area.ff += 1,
            Class::Carry => area.carry += 1,
            Class::BlockRam { halves } => area.bram18 += halves,
            Class::UltraRam => area.uram += 1,
            Class::Dsp => area.dsp += 1,
            Class::WideMux | Class::Buffer | Class::Other => {}
        }
    }
    area
}

/// What each module costs, of a netlist that was not flattened. A file is a module: `NAME.sv`.
///
/// # Errors
/// The netlist cannot be read.
pub fn by_module(
    files: &[(String, String)],
    netlist: &Path,
) -> Result<Vec<ModuleArea>, Diagnostic> {
    let names: Vec<&str> = files
        .iter()
        .filter_map(|(file, _)| file.strip_suffix(".sv"))
        .collect();
    let netlists = netlist::read_all(netlist, &names)?;
    let mut modules: Vec<ModuleArea> = names
        .iter()
        .zip(&netlists)
        .map(|(name, netlist)| {
            let own = area(netlist);
            ModuleArea {
                name: (*name).to_owned(),
                lut: own.lut,
                ff: own.ff,
                carry: own.carry,
                bram36: own.bram18 as f64 / 2.0,
                uram: own.uram,
                dsp: own.dsp,
            }
        })
        .collect();
    modules.sort_by_key(|module| std::cmp::Reverse(module.lut + module.ff));
    Ok(modules)
}

/// What kind of thing a primitive is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Lut,
    WideMux,
    Carry,
    FlipFlop,
    ShiftRegister,
    LutRam {
        luts: u64,
    },
    BlockRam {
        halves: u64,
    },
    UltraRam,
    Dsp,
    /// Clock and pad buffers.
    Buffer,
    /// A black box, for example.
    Other,
}

/// Primitives of Xilinx' 7 series, UltraScale and UltraScale+ (UG953, UG974), of Lattice's ECP5 (FPGA-TN-02206), and of Intel's ALMs
/// as yosys names them (an M10K counts as half a block RAM), by name.
/// A carry cell of the ECP5 is made of the two LUTs of its slice; they are counted with the cell, not as LUTs.
pub fn class(kind: &str) -> Class {
    match kind {
        "LUT1" | "LUT2" | "LUT3" | "LUT4" | "LUT5" | "LUT6" | "LUT6_2" | "INV" => Class::Lut,
        "MISTRAL_ALUT2" | "MISTRAL_ALUT3" | "MISTRAL_ALUT4" | "MISTRAL_ALUT5" | "MISTRAL_ALUT6"
        | "MISTRAL_NOT" => Class::Lut,
        "PFUMX" | "L6MUX21" | "MUXF5" | "MUXF6" | "MUXF7" | "MUXF8" | "MUXF9" => Class::WideMux,
        "CARRY4" | "CARRY8" | "CCU2C" | "MISTRAL_ALUT_ARITH" => Class::Carry,
        "TRELLIS_FF" | "FDRE" | "FDSE" | "FDCE" | "FDPE" | "FDRE_1" | "FDSE_1" | "FDCE_1"
        | "FDPE_1" | "LDCE" | "LDPE" | "MISTRAL_FF" => Class::FlipFlop,
        "SRL16E" | "SRL16" | "SRLC16E" | "SRLC32E" => Class::ShiftRegister,
        "RAM32X1S" | "RAM64X1S" | "MISTRAL_MLAB" => Class::LutRam { luts: 1 },
        "RAM32X1D" | "RAM64X1D" | "RAM128X1S" | "RAM32X2S" => Class::LutRam { luts: 2 },
        "RAM128X1D" | "RAM256X1S" | "RAM32M" | "RAM64M" | "TRELLIS_DPR16X4" => {
            Class::LutRam { luts: 4 }
        }
        "RAM256X1D" | "RAM512X1S" | "RAM32M16" | "RAM64M8" => Class::LutRam { luts: 8 },
        "RAMB18E1" | "RAMB18E2" | "DP16KD" | "MISTRAL_M10K" => Class::BlockRam { halves: 1 },
        "RAMB36E1" | "RAMB36E2" => Class::BlockRam { halves: 2 },
        "URAM288" | "URAM288_BASE" => Class::UltraRam,
        "DSP48E1" | "DSP48E2" | "MULT18X18D" | "ALU54B" | "MISTRAL_MUL27X27"
        | "MISTRAL_MUL18X18" | "MISTRAL_MUL9X9" => Class::Dsp,
        "BUFG" | "BUFGCTRL" | "BUFGCE" | "IBUF" | "OBUF" => Class::Buffer,
        _ => Class::Other,
    }
}

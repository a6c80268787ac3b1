//! What a mapped netlist costs.
//!
//! LUTs are counted as Vivado counts them: a LUT of any size is one, a shift register (`SRL16E`, `SRLC32E`) is
//! one, LUT RAM counts the LUTs that it is made of (`RAM64M8`: 8). Two small LUTs that could share a LUT6 count two,
//! so the number is an upper bound. Multiplexers behind LUTs (`MUXF7` …) are free, as in the hardware.
//!
//! UltraRAMs are counted as the device has them: 4096 words of 72 bits, with two ports (UG573). Yosys maps narrow or odd words
//! closer: it takes a row for a sequence of bytes, lets several words share it by its byte enables, and chooses among them in
//! LUTs. Vendors' tools do not; there a word of up to 72 bits has a row of its own, and UltraRAMs stand in cascades. So what counts is
//! the memory as it was before it was mapped, where the netlist has it ([`Netlist::memories`]), and cells otherwise.

use crate::fanout::loads;
use crate::levels::{memory as memory_of, weights::is_clock};
use crate::netlist::{bits, Cell, Direction, Memory, Net, Netlist};
use crate::ModuleArea;
use hardpath_rtl::ULTRA_RAM;
use std::collections::{BTreeSet, HashSet};

/// Numbers of primitives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Area {
    /// All LUTs, those that are memory or shift registers among them.
    pub lut: u64,
    /// Those of the LUTs that are shift registers.
    pub srl: u64,
    /// Flip-flops and latches.
    pub ff: u64,
    /// Carry cells, whatever number of bits they have.
    pub carry: u64,
    /// In halves: a RAMB18 is 1, a RAMB36 is 2.
    pub bram18: u64,
    /// Blocks of 4096 words of 72 bits.
    pub uram: u64,
    /// Multipliers, as the device has them.
    pub dsp: u64,
}

/// Counts the primitives of a netlist; what is in none of these classes costs nothing.
pub fn area(netlist: &Netlist) -> Area {
    let mut area = Area::default();
    let mut in_ultra_ram = BTreeSet::new();
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
            Class::UltraRam => match netlist.memories.get(memory_of(&cell.name)) {
                Some(_) => in_ultra_ram.extend([memory_of(&cell.name)]),
                None => area.uram += 1,
            },
            Class::Dsp => area.dsp += 1,
            Class::WideMux | Class::Buffer | Class::Other => {}
        }
    }
    let memories = in_ultra_ram.iter().map(|name| &netlist.memories[*name]);
    area.uram += memories.map(ultra_rams).sum::<u64>();
    area
}

/// Flip-flops that a vendor's tool puts into memories: the output registers that block RAMs and UltraRAMs have (UG573: `DO_REG`, `OREG`;
/// FPGA-TN-02204: `OUTREG`), which yosys leaves outside. They have neither enable nor reset, and every output of the primitive leads to
/// one and to nothing else.
pub fn in_memories(netlist: &Netlist) -> u64 {
    let loads = loads(netlist);
    let outputs: HashSet<Net> = netlist.outputs.iter().map(|(_, net)| *net).collect();
    let plain = netlist.cells.iter().filter(|cell| is_plain(cell));
    let data = plain.flat_map(|cell| bits(cell, Direction::Input));
    let registered: HashSet<Net> = (data.filter(|(pin, ..)| is_data(pin)))
        .map(|(.., net)| net)
        .filter(|net| loads.get(net).is_some_and(|pins| pins.sum() == 1) && !outputs.contains(net))
        .collect();
    let memories = netlist
        .cells
        .iter()
        .filter(|cell| matches!(class(&cell.kind), Class::BlockRam { .. } | Class::UltraRam));
    memories
        .map(|cell| {
            let read = bits(cell, Direction::Output).map(|(.., net)| net);
            let read: Vec<Net> = read
                .filter(|net| loads.contains_key(net) || outputs.contains(net))
                .collect();
            match read.iter().all(|net| registered.contains(net)) {
                true => read.len() as u64,
                false => 0,
            }
        })
        .sum()
}

/// A flip-flop whose enable and reset do nothing.
fn is_plain(cell: &Cell) -> bool {
    let mut inputs = bits(cell, Direction::Input);
    class(&cell.kind) == Class::FlipFlop && inputs.all(|(pin, ..)| is_data(pin) || is_clock(pin))
}

/// Whether that is the data pin of a flip-flop.
pub(crate) fn is_data(pin: &str) -> bool {
    matches!(pin, "D" | "DI" | "DATAIN")
}

/// UltraRAMs of a memory: what reads or writes beyond the two ports needs copies.
fn ultra_rams(memory: &Memory) -> u64 {
    let copies = match memory.reads + memory.writes {
        0..=2 => 1,
        _ => memory.reads.max(1),
    };
    let (words, bits) = ULTRA_RAM;
    memory.width.div_ceil(bits.into()) * memory.words.div_ceil(words.into()) * copies
}

/// What each module costs, by name, of a netlist that was not flattened.
pub fn by_module(modules: Vec<(String, Netlist)>) -> Vec<ModuleArea> {
    let costs = modules.into_iter().map(|(name, netlist)| {
        let own = area(&netlist);
        ModuleArea {
            name,
            lut: own.lut,
            ff: own.ff,
            carry: own.carry,
            bram36: own.bram18 as f64 / 2.0,
            uram: own.uram,
            dsp: own.dsp,
        }
    });
    let mut costs: Vec<ModuleArea> = costs.collect();
    costs.sort_by_key(|module| std::cmp::Reverse(module.lut + module.ff));
    costs
}

/// What kind of thing a primitive is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A look-up table or an inverter.
    Lut,
    /// A multiplexer behind LUTs.
    WideMux,
    /// A cell of a carry chain.
    Carry,
    /// A flip-flop or a latch.
    FlipFlop,
    /// A LUT as a shift register.
    ShiftRegister,
    /// LUTs as a memory.
    LutRam {
        /// How many it is made of.
        luts: u64,
    },
    /// A block RAM.
    BlockRam {
        /// In 18 kbit: 1 or 2.
        halves: u64,
    },
    /// A block of 4096 words of 72 bits.
    UltraRam,
    /// A multiplier with what is around it.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netlist::parse_all;

    #[test]
    fn ultra_rams_are_those_of_the_device() {
        let cell = |name: String| Cell {
            name,
            kind: "URAM288".into(),
            source: None,
            parameters: Default::default(),
            pins: Vec::new(),
        };
        // As yosys packs two words of 32 bits, and sixty-four of 192 bits.
        let cells = (0..8).map(|row| format!("flows.words.{row}.0"));
        let others = (0..171).map(|column| format!("buckets.words.0.{column}"));
        let mut netlist = Netlist {
            cells: cells.chain(others).map(cell).collect(),
            ..Netlist::default()
        };
        assert_eq!(area(&netlist).uram, 179);
        for (name, width, words) in [("flows", 32, 65536), ("buckets", 192, 262_144)] {
            let memory = Memory {
                width,
                words,
                reads: 1,
                writes: 1,
            };
            netlist.memories.insert(format!("{name}.words"), memory);
        }
        assert_eq!(area(&netlist).uram, 16 + 3 * 64);
        let flows = netlist.memories.get_mut("flows.words").unwrap();
        flows.reads = 2;
        assert_eq!(area(&netlist).uram, 2 * 16 + 3 * 64);
    }

    /// A block RAM of two bits in front of two registers, and what keeps them out.
    #[test]
    fn output_registers_are_told() {
        let of = |second: &str, others: &str| {
            let register = |net: u32, more: &str| {
                format!(
                    r#"{{"type": "FDRE", "port_directions": {{"C": "input", "D": "input", "CE": "input", "R": "input", "Q": "output"}},
                    "connections": {{"C": [2], "D": [{net}], "R": ["0"], "Q": [{}]{more}}}}}"#,
                    net + 10
                )
            };
            let json = format!(
                r#"{{"modules": {{"top": {{"ports": {{"a": {{"direction": "input", "bits": [3]}}}}, "cells": {{
                "ram": {{"type": "RAMB36E2", "port_directions": {{"ADDRARDADDR": "input", "DOUTADOUT": "output"}},
                "connections": {{"ADDRARDADDR": [3], "DOUTADOUT": [4, 5, 6]}}}}, "first": {}, "second": {}{others}}}}}}}}}"#,
                register(4, r#", "CE": ["1"]"#),
                register(5, second)
            );
            in_memories(&parse_all(&json, &["top"]).unwrap()[0])
        };
        assert_eq!(of("", ""), 2);
        assert_eq!(of(r#", "CE": [3]"#, ""), 0);
        let lut = r#""lut": {"type": "LUT1", "port_directions": {"I0": "input"}, "connections": {"I0": [NET]}}"#;
        for net in ["4", "6"] {
            let lut = lut.replace("NET", net);
            assert_eq!(of("", &format!(", {lut}")), 0, "net {net}");
        }
    }
}

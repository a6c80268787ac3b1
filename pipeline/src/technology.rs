//! What FPGAs need for the logic of a design, family by family: the numbers behind [`crate::delay`].
//!
//! The unit is the *level*: one LUT with the routing in front of it. `make calibrate` synthesizes every operation for
//! a family and shows what it costs beside these numbers; each [`Technology::source`] says which of them come from there.

use hardpath_rtl::Attributes;

/// One family of FPGAs.
#[derive(Debug, PartialEq)]
pub struct Technology {
    /// As `--family` wants it.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// Where the numbers come from.
    pub source: &'static str,
    /// The family that yosys synthesizes for.
    pub yosys: &'static str,
    /// Whose attributes memories and copied registers carry in the text.
    pub attributes: Attributes,
    /// The clock that designs are made for when nobody says another one, in MHz.
    pub usual_clock_mhz: f64,
    /// Inputs of a LUT.
    pub lut_inputs: u32,
    /// Most loads of a net, counted before synthesis ([`hardpath_rtl::spread`]): what tools make of them are up to a third more.
    pub most_loads: u32,
    /// So many bits chosen by one condition make the wire from its logic long, and by so many levels. From a register it is not: copies of
    /// that stand where its loads are.
    pub wide_choice: Option<(u32, f64)>,
    /// Nanoseconds of one level: the LUT, and the routing in front of it.
    pub level_ns: f64,
    /// A level of logic that stands close together and has a clock for itself, as entrances have, of one that is spread over a program.
    pub close: f64,
    /// Nanoseconds of a clock that no logic can use: clock to output, setup, skew.
    pub overhead_ns: f64,
    /// A gate of two variables, where operations stand behind each other and share LUTs.
    pub gate: f64,
    /// A choice between two constants, between a constant and a variable, between two variables.
    pub select: [f64; 3],
    /// Parities that share bits, as a hash function has them: how many times as deep as a tree for one of them.
    pub shared_parity: f64,
    /// Each bit of a shift's amount.
    pub shift_bit: f64,
    /// Sums and differences of two variables: into a carry chain, along it, and out.
    pub add: Costs,
    /// … with a constant.
    pub add_constant: Costs,
    /// `<` and `<=` of two variables, signed or not.
    pub compare: Costs,
    /// … with a constant.
    pub compare_constant: Costs,
    /// Levels of a carry chain beyond what the tables hold, for each bit.
    pub chain_bit: f64,
    /// What a carry chain costs more than itself where time is for nothing: tools spend what logic in front of it and behind it has
    /// left, and do not see that both are on one way.
    pub beside_chain: f64,
    /// One multiplier block, without registers inside.
    pub multiply: f64,
    /// From so many bits on an order of variables stands in the text as the borrow of their difference ([`hardpath_rtl::borrow`]), because
    /// what synthesizes for the family makes more than a carry chain of the order itself.
    pub borrows: Option<u32>,
    /// Bits of the factors that it multiplies, without a sign; products of longer ones are sums of several.
    pub multiplier: [u32; 2],
    /// What maps cost beside the logic of the program.
    pub around_maps: AroundMaps,
    /// The exit's count of frames, from the result FIFO to the pointer of the frame FIFO.
    pub exit: f64,
    /// The host's command to a map's values.
    pub host: f64,
}

/// Widths in bits and their levels, the narrowest first.
pub type Costs = &'static [(f64, f64)];

/// Levels of what stands around a map's memory.
#[derive(Debug, PartialEq)]
pub struct AroundMaps {
    /// Around the trees of a hash function: the host's key is chosen, digests are joined, the host's row is chosen.
    pub hash: f64,
    /// Out of a block RAM without an output register.
    pub block_ram: f64,
    /// Out of an UltraRAM without an output register; `None`: the family has none.
    pub ultra_ram: Option<f64>,
    /// From the compares of a table's keys to the answer: the host's dump, the place, what commits meanwhile.
    pub key_found: f64,
    /// Index to the address register of a block RAM: the host's index is chosen.
    pub block_address: f64,
    /// What that takes for a memory of more bits than this, whose blocks lie all over the device.
    pub far_address: Option<(u32, f64)>,
    /// Words of so many bits that packets write come through registers around their block RAMs: these stand around what is done with the
    /// word, not beside it.
    pub wide_words: Option<u32>,
    /// Index through LUT RAM and forwarding into the word's register.
    pub lut_ram_read: f64,
    /// New word back into the forwarding of the read: the host's value, the sweep, the choice.
    pub write_back: f64,
    /// More than that for its condition, where there are several writers.
    pub write_among: f64,
    /// An update's guard to the write enables of the keys of a table with one port.
    pub hash_commit: f64,
    /// … with several ports.
    pub hash_commit_shared: f64,
}

/// Every family, the default first.
pub const TECHNOLOGIES: &[&Technology] = &[&ULTRASCALE_PLUS, &SERIES_7, &ECP5, &AGILEX];

/// The family of that name.
pub fn find(name: &str) -> Option<&'static Technology> {
    TECHNOLOGIES
        .iter()
        .copied()
        .find(|technology| technology.name == name)
}

/// AMD UltraScale+, middle speed grade.
pub const ULTRASCALE_PLUS: Technology = Technology {
    name: "ultrascale+",
    title: "AMD UltraScale+",
    source: "levels: yosys synth_xilinx -family xcup; a level of 0.1 ns in the LUT and 0.3 ns of routing, as placed \
             designs of this kind have them",
    yosys: "xcup",
    attributes: Attributes::Amd,
    usual_clock_mhz: 250.0,
    lut_inputs: 6,
    most_loads: 192,
    wide_choice: None,
    level_ns: 0.4,
    close: 1.0,
    overhead_ns: 0.4,
    gate: 0.5,
    select: [0.2, 0.5, 0.7],
    shared_parity: 1.0,
    shift_bit: 0.5,
    add: &[(1.0, 0.5), (3.0, 2.4), (8.0, 2.6), (64.0, 3.8)],
    add_constant: &[(1.0, 0.5), (3.0, 2.0), (8.0, 2.4), (32.0, 2.5), (64.0, 2.8)],
    compare: &[(1.0, 0.5), (3.0, 2.0), (8.0, 2.4), (64.0, 2.7)],
    compare_constant: &[(1.0, 0.5), (4.0, 1.0), (8.0, 2.5), (64.0, 3.7)],
    chain_bit: 0.025,
    beside_chain: 0.7,
    // One DSP48E2: most of a clock of 250 MHz.
    multiply: 7.0,
    borrows: None,
    multiplier: [26, 17],
    around_maps: AroundMaps {
        hash: 3.5,
        block_ram: 2.5,
        ultra_ram: Some(4.0),
        key_found: 2.7,
        block_address: 1.0,
        far_address: None,
        wide_words: None,
        lut_ram_read: 4.4,
        write_back: 1.6,
        write_among: 2.0,
        hash_commit: 6.0,
        hash_commit_shared: 5.6,
    },
    exit: 5.0,
    host: 5.0,
};

/// AMD 7 series, by the numbers of a Kintex-7.
pub const SERIES_7: Technology = Technology {
    name: "7-series",
    title: "AMD 7 series",
    source: "levels: those of UltraScale+, which has the same LUTs, and yosys synth_xilinx -family xc7 gives the same \
             (make calibrate); a level of 0.1 ns in the LUT and 0.45 ns of routing is that of a Kintex-7 of speed grade 2, \
             stated, not measured",
    yosys: "xc7",
    attributes: Attributes::Amd,
    usual_clock_mhz: 200.0,
    level_ns: 0.55,
    overhead_ns: 0.5,
    // A DSP48E1.
    multiply: 7.0,
    multiplier: [24, 17],
    around_maps: AroundMaps {
        block_ram: 3.3,
        ultra_ram: None,
        ..ULTRASCALE_PLUS.around_maps
    },
    ..ULTRASCALE_PLUS
};

/// Lattice ECP5, speed grade 6.
pub const ECP5: Technology = Technology {
    name: "ecp5",
    title: "Lattice ECP5",
    source: "nanoseconds: nextpnr-ecp5's, of single operations (make calibrate) and of the slowest paths of whole \
             designs, in which a level takes longer: 1.0 to 2 ns",
    yosys: "ecp5",
    attributes: Attributes::Amd,
    usual_clock_mhz: 75.0,
    lut_inputs: 4,
    // In a device that is half full a net of 150 loads has wires of 5 ns, as nextpnr places `programs/p4/gtpu.p4`.
    most_loads: 64,
    // 4.4 ns of wire in `programs/p4/gtpu.p4`.
    wide_choice: Some((64, 1.5)),
    level_ns: 1.75,
    // 1.25 ns, as in small designs.
    close: 0.7,
    overhead_ns: 1.0,
    // A LUT of four inputs holds little more than one of these.
    gate: 0.6,
    select: [0.3, 0.6, 1.0],
    // Seen in a routed hash function behind a select.
    shared_parity: 1.4,
    shift_bit: 0.7,
    add: &[
        (1.0, 0.5),
        (4.0, 1.0),
        (8.0, 1.3),
        (16.0, 1.7),
        (32.0, 2.1),
        (64.0, 2.8),
    ],
    add_constant: &[
        (1.0, 0.5),
        (4.0, 0.9),
        (8.0, 1.3),
        (16.0, 1.7),
        (32.0, 2.1),
        (64.0, 2.8),
    ],
    compare: &[
        (1.0, 0.4),
        (4.0, 0.9),
        (8.0, 1.3),
        (16.0, 1.7),
        (32.0, 2.1),
        (64.0, 3.0),
    ],
    compare_constant: &[
        (1.0, 0.4),
        (4.0, 0.8),
        (8.0, 1.3),
        (16.0, 1.7),
        (32.0, 2.1),
        (64.0, 3.0),
    ],
    chain_bit: 0.02,
    // Placed and routed designs say what they say.
    beside_chain: 0.0,
    multiply: 3.6,
    borrows: Some(4),
    multiplier: [18, 18],
    around_maps: AroundMaps {
        hash: 2.0,
        block_ram: 3.4,
        ultra_ram: None,
        key_found: 2.9,
        block_address: 0.9,
        // 48 blocks; 5.3 ns of wire to the last of 66 (`programs/p4/gtpu.p4`, with counts in front of rows).
        far_address: Some((48 << 14, 3.5)),
        // 6 ns of wire from one of the ten blocks of a meter's 160 bits (`programs/p4/gtpu.p4`).
        wide_words: Some(160),
        lut_ram_read: 2.7,
        write_back: 1.2,
        write_among: 0.0,
        hash_commit: 2.7,
        hash_commit_shared: 3.1,
    },
    exit: 4.2,
    host: 4.2,
};

/// Intel Agilex 7 and its kin: adaptive logic modules.
pub const AGILEX: Technology = Technology {
    name: "agilex",
    title: "Intel Agilex",
    source: "levels: yosys synth_intel_alm (make calibrate), whose ALMs are a little deeper than UltraScale+'s LUTs; a \
             level of 0.35 ns is derived from the clocks that such designs are known to reach, not measured",
    yosys: "intel_alm",
    attributes: Attributes::Quartus,
    level_ns: 0.35,
    overhead_ns: 0.35,
    add: &[(1.0, 0.5), (3.0, 1.9), (64.0, 2.4)],
    add_constant: &[(1.0, 0.5), (3.0, 1.9), (64.0, 2.4)],
    compare: &[(1.0, 0.5), (3.0, 1.5), (16.0, 2.3), (32.0, 3.2), (64.0, 4.2)],
    compare_constant: &[(1.0, 0.5), (4.0, 1.0), (8.0, 2.0), (32.0, 2.6), (64.0, 3.6)],
    chain_bit: 0.02,
    multiplier: [27, 27],
    around_maps: AroundMaps {
        ultra_ram: None,
        ..ULTRASCALE_PLUS.around_maps
    },
    ..ULTRASCALE_PLUS
};

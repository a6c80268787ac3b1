//! What a memory becomes: flip-flops, LUT RAM, block RAM or UltraRAM, and how many of them. Where the style leaves it open
//! the cheapest is taken, by the costs that yosys' `memory_libmap` has for UltraScale (`lutrams_xcu.txt`,
//! `brams_xc4v.txt`): a bit of flip-flops 1, LUT RAM 16 for eight LUTs, half a block RAM 129.

use hardpath_rtl::{MemData, MemStyle, ULTRA_RAM};

/// What one memory is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    FlipFlops,
    /// Of so many words a bank; every read port has a copy.
    LutRam {
        words: u32,
    },
    /// Halves of block RAMs for each copy and bank.
    BlockRam {
        words: u32,
        halves: u64,
    },
    UltraRam {
        words: u32,
        blocks: u64,
    },
}

/// Words of eight LUTs, and their bits: `RAM32M16`, `RAM64M8` as simple dual-port memories.
const LUT_RAM: [(u32, u32); 2] = [(32, 14), (64, 7)];
/// LUTs of these.
const LUT_RAM_LUTS: u64 = 8;
/// Bits and words of half a block RAM (18 kbit), with one port that reads and one that writes.
const HALF: [(u32, u32); 6] = [
    (1, 16384),
    (2, 8192),
    (4, 4096),
    (9, 2048),
    (18, 1024),
    (36, 512),
];
/// Costs, as yosys weighs them.
const LUT_RAM_COST: f64 = 16.0;
const HALF_COST: f64 = 129.0;
const WHOLE_COST: f64 = 257.0;

impl Kind {
    /// How many of its banks make up a memory of so many words.
    pub fn banks(self, depth: u32) -> u32 {
        match self {
            Kind::FlipFlops => 1,
            Kind::LutRam { words }
            | Kind::BlockRam { words, .. }
            | Kind::UltraRam { words, .. } => depth.div_ceil(words),
        }
    }
}

pub fn kind(memory: &MemData) -> Kind {
    let is_clocked = memory.reads.iter().all(|read| read.enable.is_some());
    let ram_ports = write_ports(memory) <= 1;
    let lut_ram = ram_ports.then(|| Kind::LutRam {
        words: bank(memory.depth),
    });
    let block_ram = (is_clocked && write_ports(memory) <= 2).then(|| block_ram(memory).0);
    match memory.style {
        MemStyle::Registers => Kind::FlipFlops,
        MemStyle::Distributed => lut_ram.unwrap_or(Kind::FlipFlops),
        MemStyle::Block => block_ram.or(lut_ram).unwrap_or(Kind::FlipFlops),
        MemStyle::Ultra => ultra_ram(memory.width),
        MemStyle::Auto => cheapest(memory, lut_ram, block_ram),
    }
}

/// Parts of a word that are written at one address go through one port.
fn write_ports(memory: &MemData) -> usize {
    let mut addresses: Vec<_> = memory.writes.iter().map(|write| write.address).collect();
    addresses.sort_unstable();
    addresses.dedup();
    addresses.len()
}

/// As the device has it: a narrow word has a row of its own, too.
fn ultra_ram(width: u32) -> Kind {
    let (words, bits) = ULTRA_RAM;
    Kind::UltraRam {
        words,
        blocks: u64::from(width.div_ceil(bits)),
    }
}

fn cheapest(memory: &MemData, lut_ram: Option<Kind>, block_ram: Option<Kind>) -> Kind {
    let bits = f64::from(memory.width) * f64::from(memory.depth);
    let copies = memory.reads.len().max(1) as f64;
    let mut best = (bits, Kind::FlipFlops);
    if let Some(kind) = lut_ram {
        let (_, bits) = shape(memory.depth);
        let banks = f64::from(memory.depth.div_ceil(bank(memory.depth)));
        let cost = LUT_RAM_COST * f64::from(memory.width) / f64::from(bits) * banks * copies;
        if cost < best.0 {
            best = (cost, kind);
        }
    }
    if let Some(kind) = block_ram {
        let cost = self::block_ram(memory).1 * copies;
        if cost < best.0 {
            best = (cost, kind);
        }
    }
    best.1
}

/// Words and bits of the LUT RAM that fits.
fn shape(depth: u32) -> (u32, u32) {
    match depth <= LUT_RAM[0].0 {
        true => LUT_RAM[0],
        false => LUT_RAM[1],
    }
}

fn bank(depth: u32) -> u32 {
    shape(depth).0
}

/// LUTs of a bank.
pub fn lut_ram_luts(memory: &MemData) -> u64 {
    let (_, bits) = shape(memory.depth);
    u64::from(memory.width.div_ceil(bits)) * LUT_RAM_LUTS
}

/// The shape with the lowest cost, and that cost.
fn block_ram(memory: &MemData) -> (Kind, f64) {
    let mut best: Option<(Kind, f64)> = None;
    for (bits, words) in HALF {
        for (halves, factor, cost) in [(1, 1, HALF_COST), (2, 2, WHOLE_COST)] {
            // A whole block RAM has twice the words, or is twice as wide.
            let shapes = [(bits, words * factor), (bits * factor, words)];
            for (bits, words) in shapes {
                // Two that write leave no port of the wide shapes.
                let is_wide = bits > 18 * factor;
                if write_ports(memory) > 1 && is_wide {
                    continue;
                }
                let across = u64::from(memory.width.div_ceil(bits));
                let banks = u64::from(memory.depth.div_ceil(words));
                let choice = if banks > 1 {
                    0.5 * f64::from(memory.width)
                } else {
                    0.0
                };
                let cost = (across * banks) as f64 * cost + choice * banks as f64;
                if best.is_none_or(|(_, least)| cost < least) {
                    let halves = across * halves;
                    best = Some((Kind::BlockRam { words, halves }, cost));
                }
            }
        }
    }
    best.expect("there are shapes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardpath_rtl::{Design, Module};

    fn of(width: u32, depth: u32, reads: u32, is_clocked: bool, style: MemStyle) -> Kind {
        let mut m = Module::new("memory", "");
        let one = m.one();
        let index = m.input("index", 32 - (depth - 1).leading_zeros(), "");
        let data = m.input("data", width, "");
        let memory = m.mem("words", width, depth, style);
        m.mem_write(memory, index, data, one);
        for _ in 0..reads {
            match is_clocked {
                true => m.mem_read_sync(memory, index, one),
                false => m.mem_read_async(memory, index),
            };
        }
        let mut design = Design::new();
        let module = design.add(m);
        kind(&design.modules[module].mems[memory])
    }

    #[test]
    fn the_cheapest_is_taken() {
        let auto = |width, depth, is_clocked| of(width, depth, 1, is_clocked, MemStyle::Auto);
        assert_eq!(of(8, 2, 1, false, MemStyle::Registers), Kind::FlipFlops);
        assert_eq!(auto(32, 16, false), Kind::LutRam { words: 32 });
        assert_eq!(auto(32, 1024, false), Kind::LutRam { words: 64 });
        let wide = Kind::BlockRam {
            words: 512,
            halves: 2,
        };
        assert_eq!(auto(72, 512, true), wide);
        let deep = Kind::BlockRam {
            words: 32768,
            halves: 2,
        };
        assert_eq!(auto(1, 32768, true), deep);
        assert_eq!(
            of(97, 32768, 1, true, MemStyle::Ultra),
            Kind::UltraRam {
                words: 4096,
                blocks: 2
            }
        );
        assert_eq!(
            of(32, 65536, 1, true, MemStyle::Ultra),
            Kind::UltraRam {
                words: 4096,
                blocks: 1
            }
        );
    }
}

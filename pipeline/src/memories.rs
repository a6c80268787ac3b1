//! Which memories go to UltraRAM: large ones, on families that have it, at clocks that it can keep.
//!
//! Left to themselves, tools build every memory of block RAM, of which a card has an eighth to a third as many bits as it
//! has UltraRAM. But UltraRAM is slower, so what is small stays in block RAM.
//!
//! A large memory stands in the text as its UltraRAMs, 4096 words each (`rtl/src/print/banks.rs`).

use crate::delay::Timing;
use hardpath_rtl::{Design, MemData, MemStyle, ULTRA_RAM};

/// The shapes of a block RAM of 36 kbit: bits of a word, and words.
const SHAPES: [(u32, u32); 7] = [
    (1, 32768),
    (2, 16384),
    (4, 8192),
    (9, 4096),
    (18, 2048),
    (36, 1024),
    (72, 512),
];
/// What an UltraRAM has for all reads and writes.
const PORTS: usize = 2;
/// Block RAMs (of 36 kbit) from which on a memory is large: the eight of a table of such keys have a seventh of what a card has.
const LARGE: u32 = 24;

/// UltraRAMs behind each other in a large memory of such words; `None`: it stays in block RAM.
pub fn ultra_rams_deep(width: u32, depth: u32) -> Option<u32> {
    let block_rams = SHAPES.map(|(bits, words)| width.div_ceil(bits) * depth.div_ceil(words));
    let block_rams = block_rams.into_iter().min().expect("there are shapes");
    let (words, bits) = ULTRA_RAM;
    let deep = depth.div_ceil(words);
    // Cards have about four UltraRAMs for nine block RAMs.
    let is_cheaper = width.div_ceil(bits) * deep * 9 <= block_rams * 4;
    (block_rams >= LARGE && is_cheaper).then_some(deep)
}

/// Marks the large memories that are left to the tool, where the clock allows it, and divides them into UltraRAMs. Where the family has none,
/// those that are meant to be of it are of block RAM.
pub fn place_in_ultra_ram(design: &mut Design, timing: Timing) {
    let modules = design.modules.values_mut();
    let memories = modules.flat_map(|module| module.mems.values_mut());
    if timing.technology.around_maps.ultra_ram.is_none() {
        let meant = memories.filter(|memory| memory.style == MemStyle::Ultra);
        meant.for_each(|memory| memory.style = MemStyle::Block);
        return;
    }
    for memory in memories.filter(|memory| suits(memory, timing)) {
        memory.style = MemStyle::Ultra;
        memory.bank_words = Some(ULTRA_RAM.0);
    }
}

fn suits(memory: &MemData, timing: Timing) -> bool {
    memory.style == MemStyle::Auto
        && memory.reads.len() + memory.writes.len() <= PORTS
        && memory.reads.iter().all(|read| read.enable.is_some())
        && timing.ultra_ram_read(memory.width, memory.depth).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::technology::{Technology, AGILEX, ULTRASCALE_PLUS};
    use hardpath_rtl::Module;

    /// A family and a clock for it in MHz.
    type Target = (&'static Technology, f64);
    const USUAL: Target = (&ULTRASCALE_PLUS, 250.0);

    /// The style of a memory with so many ports of each kind; one in UltraRAM is divided, no other is.
    fn style(target: Target, width: u32, depth: u32, reads: u32, is_synchronous: bool) -> MemStyle {
        let mut m = Module::new("memory", "");
        let one = m.one();
        let index = m.input("index", 32 - (depth - 1).leading_zeros(), "");
        let data = m.input("data", width, "");
        let memory = m.mem("words", width, depth, MemStyle::Auto);
        m.mem_write(memory, index, data, one);
        for _ in 0..reads {
            match is_synchronous {
                true => m.mem_read_sync(memory, index, one),
                false => m.mem_read_async(memory, index),
            };
        }
        let mut design = Design::new();
        let id = design.add(m);
        let (technology, clock_mhz) = target;
        place_in_ultra_ram(
            &mut design,
            Timing {
                technology,
                clock_mhz,
            },
        );
        let memory = &design.modules[id].mems[memory];
        let banks = (memory.style == MemStyle::Ultra).then_some(ULTRA_RAM.0);
        assert_eq!(memory.bank_words, banks);
        memory.style
    }

    #[test]
    fn large_memories_with_two_ports() {
        assert_eq!(style(USUAL, 72, 32768, 1, true), MemStyle::Ultra);
        assert_eq!(style(USUAL, 97, 32768, 1, true), MemStyle::Ultra);
        assert_eq!(style(USUAL, 32, 65536, 1, true), MemStyle::Ultra);
        assert_eq!(style(USUAL, 57, 16384, 1, true), MemStyle::Ultra);
        // Small; of words that fill an eighth of an UltraRAM's; with three ports; read at once.
        assert_eq!(style(USUAL, 72, 8192, 1, true), MemStyle::Auto);
        assert_eq!(style(USUAL, 9, 524_288, 1, true), MemStyle::Auto);
        assert_eq!(style(USUAL, 72, 32768, 2, true), MemStyle::Auto);
        assert_eq!(style(USUAL, 72, 32768, 1, false), MemStyle::Auto);
        // At a clock that it cannot keep, and on a family without.
        let fast = (&ULTRASCALE_PLUS, 400.0);
        assert_eq!(style(fast, 72, 32768, 1, true), MemStyle::Auto);
        assert_eq!(style((&AGILEX, 250.0), 72, 32768, 1, true), MemStyle::Auto);
    }

    #[test]
    fn what_is_meant_to_be_of_ultra_ram_is_of_block_ram_where_there_is_none() {
        for (technology, style) in [
            (&ULTRASCALE_PLUS, MemStyle::Ultra),
            (&AGILEX, MemStyle::Block),
        ] {
            let mut m = Module::new("memory", "");
            let memory = m.mem("words", 32, 4096, MemStyle::Ultra);
            let mut design = Design::new();
            let id = design.add(m);
            let clock_mhz = 250.0;
            place_in_ultra_ram(
                &mut design,
                Timing {
                    technology,
                    clock_mhz,
                },
            );
            assert_eq!(design.modules[id].mems[memory].style, style);
        }
    }
}

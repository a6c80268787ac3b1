//! What operations cost in time, on a family of FPGAs at a clock.
//!
//! The unit is the *level*: one LUT with the routing in front of it. A small operation costs less than a level,
//! because synthesis packs about two and a half two-input gates, one behind the other, into one LUT. The numbers are
//! those of a [`Technology`].

use crate::memories::ultra_rams_deep;
use crate::sizes::slots;
use crate::technology::{Costs, Technology};
use hardpath_blocks::array::{Array, LUT_RAM_WORDS};
use hardpath_blocks::cuckoo::Cuckoo;
use hardpath_blocks::hash::{Hash, WIDE_KEY};
use hardpath_blocks::lpm::{Lpm, Search};
use hardpath_blocks::same_key::chains;
use hardpath_ir::{MapDecl, Op, Program, Value};
use hardpath_passes::PIECES;
use hardpath_rtl::ULTRA_RAM;
use hardpath_state::ternary_of;

/// The part of a clock that the way out of a table's memories through the compare may take without registers in between: they
/// lie far from each other, and tools make the compare as deep as the deepest logic of the design.
const NEAR: f64 = 2.0 / 3.0;
/// The same where lists of ranges are searched: the memories of a level lie beside each other. With 0.85 nextpnr came to 70 MHz where 75 were
/// asked for.
const NEAR_RANGES: f64 = 0.8;

/// So many prefixes take less in a list of ranges, which is longer in clocks, than in rows, which are logic for each.
const MANY_PREFIXES: u32 = 128;

/// A family of FPGAs and the clock that is asked of it.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// The family: what operations cost there.
    pub technology: &'static Technology,
    /// The clock that is asked of it.
    pub clock_mhz: f64,
}

impl Timing {
    /// Levels that fit one clock.
    pub fn budget(&self) -> f64 {
        let technology = self.technology;
        (1000.0 / self.clock_mhz - technology.overhead_ns) / technology.level_ns
    }

    /// Levels out of a memory that is not in LUTs.
    pub fn memory_read(&self, width: u32, depth: u32) -> f64 {
        let block_ram = self.technology.around_maps.block_ram;
        self.ultra_ram_read(width, depth).unwrap_or(block_ram)
    }

    /// Levels out of a memory in UltraRAM. `None`: it stays in block RAM, because the family has none, because that
    /// would be no gain, or because the clock is too fast.
    pub fn ultra_ram_read(&self, width: u32, depth: u32) -> Option<f64> {
        let technology = self.technology;
        let deep = ultra_rams_deep(width, depth)?;
        let levels = technology.around_maps.ultra_ram? + technology.tree(f64::from(deep));
        (levels + technology.forwarded_read() <= self.budget()).then_some(levels)
    }

    /// Whether what a table reads stands in registers between its memories and the compare, if that harms nobody. `key_bits`:
    /// those of a key that it stores; `search`: of prefixes.
    pub fn registers_keys(&self, map: &MapDecl, key_bits: u32, search: Option<Search>) -> bool {
        let is_far = rows(map) > LUT_RAM_WORDS;
        self.must_register_keys(map, key_bits, search)
            || map.is_exact() && is_far && self.key_read(map, key_bits) > NEAR * self.budget()
    }

    /// Whether it must.
    pub fn must_register_keys(&self, map: &MapDecl, key_bits: u32, search: Option<Search>) -> bool {
        let around = &self.technology.around_maps;
        if matches!(search, Some(Search::Ranges { .. })) {
            let level = around.block_ram + self.technology.begin_compare(map);
            return level > NEAR_RANGES * self.budget();
        }
        if map.is_ternary() {
            let words = f64::from(ternary_of(map, false).words());
            let read = self.technology.ternary_read(map);
            return read + self.technology.tree(words) > self.budget();
        }
        if map.is_prefix() {
            // The memories of all chunks lie far from each other, so most of a clock is needed for the way.
            return 3.0 * around.block_ram > self.budget();
        }
        map.is_exact() && self.key_read(map, key_bits) > self.budget()
    }

    /// Levels from the memories of a table's keys through the compare.
    fn key_read(&self, map: &MapDecl, key_bits: u32) -> f64 {
        let read = self.memory_read(key_bits + 1, rows(map));
        read + self.technology.key_compare(key_bits)
    }

    /// Levels from a key, of which so many bits are stored, to the register in front of its table.
    pub fn key_enters(&self, map: &MapDecl, key_bits: u32) -> f64 {
        match map.is_matched() {
            // The host's key is chosen, nothing else.
            true => self.technology.select[2],
            false => self.technology.hash(key_bits),
        }
    }

    /// Levels from an index to the memory of the values, or through it.
    pub fn index_enters(&self, map: &MapDecl) -> f64 {
        let around = &self.technology.around_maps;
        let entries = slots(map);
        if Array::in_lut_ram(entries) {
            return around.lut_ram_read;
        }
        let is_split = self.registers_values(map) && entries > ULTRA_RAM.0;
        // Which of the parts is read.
        let part = if is_split { 1.0 } else { 0.0 };
        self.block_address(map) + part
    }

    /// Levels from an index to the address registers of the block RAMs of a map's values.
    pub fn block_address(&self, map: &MapDecl) -> f64 {
        self.technology
            .block_address(width_of_values(map), slots(map))
    }

    /// Whether the memory of a map's values lies all over the device.
    pub fn values_are_far(&self, map: &MapDecl) -> bool {
        self.technology.is_far(width_of_values(map), slots(map))
    }

    /// Whether there must be registers on both sides of the memory of a map's values: where its parts lie far from each other.
    pub fn registers_values(&self, map: &MapDecl) -> bool {
        let in_ultra_ram = || {
            self.ultra_ram_read(width_of_values(map), slots(map))
                .is_some()
        };
        let is_wide = self.technology.around_maps.wide_words.is_some_and(|wide| {
            map.packets_write && width_of_values(map) >= wide && !Array::in_lut_ram(slots(map))
        });
        !map.entries_may_move() && (is_wide || self.values_are_far(map) || in_ultra_ram())
    }

    /// How the longest of a table's prefixes is found. `is_whole`: what packets look up has all bits of a key.
    pub fn search(&self, map: &MapDecl, is_whole: bool) -> Search {
        let compare = self.technology.begin_compare(map);
        if is_whole && compare <= self.budget() && map.max_entries >= MANY_PREFIXES {
            let ranges = |apart| Search::Ranges { apart };
            let read = match self.must_register_keys(map, 0, Some(ranges(false))) {
                true => 0.0,
                false => self.technology.around_maps.block_ram,
            };
            let found = read + compare + self.technology.found_choice();
            return ranges(found > self.budget());
        }
        let bits = self.budget() / self.technology.longer_prefixes(map.max_entries);
        Search::Rows {
            bits_a_clock: (bits as u32).max(1),
        }
    }
}

/// Bits of a word of the memory of a map's values.
fn width_of_values(map: &MapDecl) -> u32 {
    map.value_bytes * 8 + u32::from(map.has_slots())
}

/// Rows of the memories of a hash table's keys.
fn rows(map: &MapDecl) -> u32 {
    match map.entries_may_move() {
        true => Cuckoo::rows(map.max_entries),
        false => Hash::rows(map.max_entries),
    }
}

impl Technology {
    /// The fastest clock, in MHz, in which so many levels fit.
    pub fn clock_of(&self, levels: f64) -> f64 {
        1000.0 / (levels * self.level_ns + self.overhead_ns)
    }

    /// Levels from an index to the address registers of a block RAM of such words.
    fn block_address(&self, width: u32, depth: u32) -> f64 {
        match self.around_maps.far_address {
            Some((_, levels)) if self.is_far(width, depth) => levels,
            _ => self.around_maps.block_address,
        }
    }

    /// Whether the blocks of a memory of such words lie all over the device.
    fn is_far(&self, width: u32, depth: u32) -> bool {
        let far = self.around_maps.far_address;
        far.is_some_and(|(bits, _)| u64::from(width) * u64::from(depth) > u64::from(bits))
    }

    /// Levels behind a read of values: what was written in the clock before, and what is written now.
    pub fn forwarded_read(&self) -> f64 {
        2.0 * self.select[2]
    }

    /// Levels from the condition of a write to the next read, in a map of so many ports: it chooses among their indexes and words.
    pub fn write_guard(&self, ports: usize) -> f64 {
        let among = if ports > 1 {
            self.around_maps.write_among
        } else {
            0.0
        };
        self.around_maps.write_back + among
    }

    /// Levels of a tree of LUTs over so many inputs.
    pub fn tree(&self, inputs: f64) -> f64 {
        inputs.max(1.0).ln() / f64::from(self.lut_inputs).ln()
    }

    /// Levels from a key of so many bits to its rows: the host's key chosen, a tree of exclusive ors, digests joined.
    pub fn hash(&self, key_bits: u32) -> f64 {
        let bits = f64::from(key_bits);
        let inputs = match key_bits > WIDE_KEY {
            // What a wide key is folded to, and that; about as deep as without for the widest that there are, of 4,096 bytes.
            true => (bits * 3.0 / 64.0 * 32.0).min(16_384.0),
            false => (bits / 2.0).max(2.0),
        };
        let parities = self.tree(inputs) * self.shared_parity;
        parities + self.around_maps.hash
    }

    /// Levels from a packet's key, and from those of its buckets, to the register of the table's answer.
    pub fn key_compare(&self, key_bits: u32) -> f64 {
        let compare = match chains(key_bits) {
            // A LUT, and the way into a chain and along it.
            Some((chains, links)) => {
                let chain = self.measured(self.add_constant, f64::from(links));
                1.0 + chain + self.tree(f64::from(chains))
            }
            None => self.tree(2.0 * f64::from(key_bits)),
        };
        compare + self.around_maps.key_found
    }

    /// Levels out of the rows of a table of fields that match each in its own way.
    pub fn ternary_read(&self, map: &MapDecl) -> f64 {
        let around = &self.around_maps;
        match ternary_of(map, false).in_lut_ram() {
            true => around.lut_ram_read,
            false => around.block_ram,
        }
    }

    /// Levels from the begins of a level of ranges to its digit: a compare with each, and the last one that is not behind the key.
    pub fn begin_compare(&self, map: &MapDecl) -> f64 {
        self.measured(self.compare, f64::from(Lpm::data_bits(map.key_bytes))) + 1.0
    }

    /// Levels from the digit of the last level of ranges to what is found there: one of sixteen, or what the host means.
    pub fn found_choice(&self) -> f64 {
        self.tree(32.0) + self.select[2]
    }

    /// Levels of one bit in the search for the longest of so many prefixes: those that match and have it, whether there
    /// are any, and the others out.
    pub fn longer_prefixes(&self, entries: u32) -> f64 {
        self.tree(2.0 * f64::from(entries)).ceil() + 1.0
    }

    /// Levels from the head of a segment FIFO to its next: the tag of so many bits is compared with those of a window of
    /// so many clocks, with what else the head waits for, and the FIFO moves on.
    pub fn interlock(&self, tag_bits: u32, window: u32) -> f64 {
        let meets = self.tree(2.0 * f64::from(tag_bits)) + self.gate;
        let someone = self.tree(2.0 * f64::from(window));
        let others = self.tree(10.0);
        (meets + someone + others + 2.0) * self.close
    }

    /// Levels from an update's guard to the write enables of the keys of a table with so many ports.
    pub fn hash_commit(&self, ports: usize) -> f64 {
        match ports > 1 {
            true => self.around_maps.hash_commit_shared,
            false => self.around_maps.hash_commit,
        }
    }

    /// Levels from the arguments of a pure operation to its result.
    pub fn levels(&self, program: &Program, op: &Op, args: &[Value], width: u32) -> f64 {
        let constant = |place: usize| {
            args.get(place)
                .is_some_and(|v| program.as_const(*v).is_some())
        };
        let arg_width = |place: usize| f64::from(program.width(args[place]));
        let bits = f64::from(width);
        match op {
            _ if is_wiring(op) => 0.0,
            Op::And | Op::Or | Op::Xor if constant(0) || constant(1) => 0.0,
            Op::And | Op::Or | Op::Xor => self.gate,
            Op::Select => {
                let constants = usize::from(constant(1)) + usize::from(constant(2));
                self.select[2 - constants]
            }
            Op::Eq | Op::Ne => {
                let inputs = if constant(0) || constant(1) { 1.0 } else { 2.0 };
                self.tree(arg_width(0) * inputs).max(0.35)
            }
            Op::Ult | Op::Ule | Op::Slt | Op::Sle => {
                match crate::compare::constant_compare(program, op, args) {
                    Some(compare) => compare.levels(self, program.width(args[0])),
                    None if constant(0) || constant(1) => {
                        self.measured(self.compare_constant, arg_width(0))
                    }
                    None => self.measured(self.compare, arg_width(0)),
                }
            }
            Op::Add | Op::Sub if constant(0) || constant(1) => {
                self.measured(self.add_constant, bits)
            }
            Op::Add | Op::Sub => self.measured(self.add, bits),
            Op::Shl | Op::LShr | Op::AShr => {
                if constant(1) {
                    0.0
                } else {
                    let choices = bits.min(2f64.powf(arg_width(1).min(16.0)));
                    self.shift_bit * choices.log2().ceil() + 0.5
                }
            }
            // Not pipelined inside.
            Op::Mul => {
                let factors = [args[0], args[1]].map(|factor| factor_bits(program, factor));
                let products = f64::from(self.products(factors));
                self.multiply + products.log2().ceil() * self.measured(self.add, bits)
            }
            // Divisions are expanded before scheduling.
            _ => f64::INFINITY,
        }
    }

    /// Multiplier blocks of a product of factors of so many bits. None has more than passes leave it, whatever its width.
    fn products(&self, [a, b]: [u32; 2]) -> u32 {
        let ([long, short], [most, least]) = (self.multiplier, PIECES);
        let (a, b) = (a.max(b).min(most), a.min(b).min(least));
        let of = |a: u32, b: u32| a.div_ceil(long) * b.div_ceil(short);
        of(a, b).min(of(b, a)).max(1)
    }

    /// Levels by width, between measured ones in a straight line; wider than all of them: by a chain's bits.
    fn measured(&self, table: Costs, bits: f64) -> f64 {
        let after = table.iter().position(|(width, _)| *width >= bits);
        match after {
            Some(0) => table[0].1,
            None => {
                let (widest, levels) = table[table.len() - 1];
                levels + (bits - widest) * self.chain_bit
            }
            Some(at) => {
                let ((low, from), (high, to)) = (table[at - 1], table[at]);
                from + (to - from) * (bits - low) / (high - low)
            }
        }
    }
}

/// Bits of a factor that are not zero for certain, as a tool sees it.
fn factor_bits(program: &Program, factor: Value) -> u32 {
    if let Some(bits) = program.as_const(factor) {
        return bits.width() - bits.leading_zeros();
    }
    match program.def_inst(factor) {
        Some(inst) if inst.op == Op::ZExt => program.width(inst.args[0]),
        _ => program.width(factor),
    }
}

/// Operations that are wires: they are made anew where they are used instead of being carried in registers.
pub fn is_wiring(op: &Op) -> bool {
    matches!(
        op,
        Op::Const(_)
            | Op::Slice { .. }
            | Op::Concat
            | Op::ZExt
            | Op::SExt
            | Op::Not
            | Op::PacketLoad
            | Op::Input(_)
    )
}

#[cfg(test)]
mod tests {
    use super::Timing;
    use crate::technology::{ECP5, TECHNOLOGIES, ULTRASCALE_PLUS};

    #[test]
    fn usual_clocks_have_room_for_an_entrance() {
        for technology in TECHNOLOGIES {
            let timing = Timing {
                technology,
                clock_mhz: technology.usual_clock_mhz,
            };
            // A key of 13 bytes, as of five fields, is a tag of its hash.
            let levels = technology.interlock(32, 8);
            assert!(levels <= timing.budget(), "{}: {levels}", technology.name);
        }
    }

    /// What passes leave of a product is one block, where a block is large enough for that.
    #[test]
    fn long_factors_take_several_multipliers() {
        for factors in [[24, 14], [14, 24], [24, 17], [64, 64]] {
            assert_eq!(ECP5.products(factors), 2, "{factors:?}");
            assert_eq!(ULTRASCALE_PLUS.products(factors), 1, "{factors:?}");
        }
        assert_eq!(ECP5.products([18, 17]), 1);
    }

    #[test]
    fn the_way_to_a_memory_all_over_the_device_is_long() {
        let near = ECP5.around_maps.block_address;
        assert_eq!(ECP5.block_address(144, 4096), near);
        assert!(ECP5.block_address(256, 4096) > 2.0 * near);
    }
}

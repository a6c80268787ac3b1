//! Which bits of a hash map's keys are the same constants in every access of a program: padding, a protocol of 6 or 17 in 32
//! bits. Tables do not store them ([`KeyBits`]).
//!
//! What is known of narrow values comes from [`FactMap`]. Keys are wider, and wiring of narrow values for the most part: concats,
//! slices, selects, masks are followed here.
//!
//! ```text
//! v5 = concat v3:8, 0x11:8, v4:16     →     bits 16 to 23 are 0x11
//! v6 = select v2, v5, v1                    … where those of v1 are the same, too
//! ```
//!
//! Left alone are maps whose keys do more than be found: one that forgets, because a key that only the host has could be forgotten for
//! a packet's, and one that packets are broadcast through, because a broadcast goes to every device that it holds, whatever its key. So are
//! those that only the host writes, whose tables keep no count of keys that they do not have.

use crate::ports::Port;
use hardpath_blocks::key_bits::KeyBits;
use hardpath_blocks::lpm::Lpm;
use hardpath_ir::{Bits, InstData, MapId, Op, Program, Value};
use hardpath_passes::facts::{FactMap, Facts};
use std::collections::HashMap;

/// What is known of a value: which bits are constant, and those that are always 1.
#[derive(Clone)]
struct Known {
    constant: Bits,
    ones: Bits,
}

impl Known {
    fn nothing(width: u32) -> Known {
        Known {
            constant: Bits::zero(width),
            ones: Bits::zero(width),
        }
    }

    fn all(value: Bits) -> Known {
        Known {
            constant: Bits::ones(value.width()),
            ones: value,
        }
    }

    fn of_facts(facts: Facts) -> Known {
        let bits = |all: u128| Bits::from_limbs(&[all as u64, (all >> 64) as u64], facts.width);
        Known {
            constant: bits(facts.known()),
            ones: bits(facts.ones),
        }
    }

    fn zeros(&self) -> Bits {
        self.constant.and(&self.ones.not())
    }

    fn of_zeros_and_ones(zeros: &Bits, ones: Bits) -> Known {
        Known {
            constant: zeros.or(&ones),
            ones,
        }
    }

    /// One of both is true of the same value.
    fn or(&self, other: &Known) -> Known {
        let ones = self.ones.and(&other.ones);
        Known::of_zeros_and_ones(&self.zeros().and(&other.zeros()), ones)
    }

    /// The same wiring of both sides.
    fn wired(&self, wire: impl Fn(&Bits) -> Bits) -> Known {
        Known {
            constant: wire(&self.constant),
            ones: wire(&self.ones),
        }
    }
}

/// The known bits of the values of a program in one region.
pub struct KnownBits<'a> {
    program: &'a Program,
    facts: FactMap,
    wide: HashMap<Value, Known>,
}

impl<'a> KnownBits<'a> {
    /// Of a program in the dataflow or scheduled phase. Keys are looked at when somebody asks for them.
    pub fn new(program: &'a Program) -> KnownBits<'a> {
        KnownBits {
            program,
            facts: FactMap::new(program),
            wide: HashMap::new(),
        }
    }

    /// What a table stores of a map's keys. `ports`: all ways in which the program comes to the map.
    pub fn stored(&mut self, map: MapId, ports: &[Port]) -> KeyBits {
        let decl = &self.program.maps[map];
        let keys = ports.iter().filter_map(|port| port.key);
        let is_plain =
            decl.is_exact() && !decl.forgets && !decl.broadcast && !decl.entries_may_move();
        let known = match is_plain {
            true => keys
                .map(|key| self.of(key))
                .reduce(|one, other| one.or(&other)),
            false => None,
        };
        match known {
            Some(known) => KeyBits::new(known.constant.to_bytes(), &known.ones.to_bytes()),
            None => KeyBits::all_vary(decl.key_bytes),
        }
    }

    /// Whether all that packets look up in a table of prefixes has all bits of a key, which its length says.
    pub fn keys_are_whole(&mut self, map: MapId, ports: &[Port]) -> bool {
        let bytes = self.program.maps[map].key_bytes;
        let whole = (Lpm::data_bits(bytes)).to_le_bytes();
        let mut keys = ports.iter().filter_map(|port| port.key);
        keys.all(|key| {
            let known = self.of(key);
            let is_known = known.constant.to_bytes();
            is_known.starts_with(&[0xff; 4]) && known.ones.to_bytes().starts_with(&whole)
        })
    }

    fn of(&mut self, value: Value) -> Known {
        if let Some(facts) = self.facts.get(value) {
            return Known::of_facts(facts);
        }
        if let Some(known) = self.wide.get(&value) {
            return known.clone();
        }
        let width = self.program.width(value);
        let inst = self.program.def_inst(value);
        let known = inst.and_then(|inst| self.of_inst(inst, width));
        let known = known.unwrap_or_else(|| Known::nothing(width));
        self.wide.insert(value, known.clone());
        known
    }

    fn of_inst(&mut self, inst: &InstData, width: u32) -> Option<Known> {
        let args: Vec<Known> = inst.args.iter().map(|arg| self.of(*arg)).collect();
        Some(match (&inst.op, args.as_slice()) {
            (Op::Const(bits), _) => Known::all(bits.clone()),
            (Op::Concat, parts) => {
                let join = |part: fn(&Known) -> &Bits| {
                    Bits::concat(&parts.iter().map(part).cloned().collect::<Vec<_>>())
                };
                Known {
                    constant: join(|known| &known.constant),
                    ones: join(|known| &known.ones),
                }
            }
            (Op::Select, [condition, one, other]) => {
                match (condition.constant.is_ones(), condition.ones.is_ones()) {
                    (true, true) => one.clone(),
                    (true, false) => other.clone(),
                    (false, _) => one.or(other),
                }
            }
            (Op::Slice { lo }, [one]) => one.wired(|bits| bits.slice(*lo, width)),
            (Op::ZExt, [narrow]) => {
                let above = Bits::ones(width).shl(u64::from(narrow.ones.width()));
                Known {
                    constant: narrow.constant.zext(width).or(&above),
                    ones: narrow.ones.zext(width),
                }
            }
            (Op::SExt, [narrow]) => narrow.wired(|bits| bits.sext(width)),
            (Op::Not, [one]) => Known::of_zeros_and_ones(&one.ones, one.zeros()),
            (Op::And, [one, other]) => {
                let ones = one.ones.and(&other.ones);
                Known::of_zeros_and_ones(&one.zeros().or(&other.zeros()), ones)
            }
            (Op::Or, [one, other]) => {
                let ones = one.ones.or(&other.ones);
                Known::of_zeros_and_ones(&one.zeros().and(&other.zeros()), ones)
            }
            (Op::Xor, [one, other]) => {
                let constant = one.constant.and(&other.constant);
                let ones = one.ones.xor(&other.ones).and(&constant);
                Known { constant, ones }
            }
            _ => return None,
        })
    }
}

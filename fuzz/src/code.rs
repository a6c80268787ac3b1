//! A program as the fuzzer makes and changes it: instructions whose jumps name instructions, not distances, so that
//! instructions can be removed and moved.

use hardpath_ebpf::{
    Globals, Insn, MapRef, MapRefKind, Object, ObjectFunction, ObjectMap, ProgramImage,
};
use hardpath_ir::Place;
use std::collections::HashMap;
use std::ops::Range;

/// Name of every generated program.
pub const PROGRAM_NAME: &str = "fuzz";

/// One instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unit {
    /// Without the distance of a jump and without the descriptor of a map.
    pub insn: Insn,
    /// Upper half of a 64-bit immediate.
    pub upper: i32,
    /// Where a jump goes: an index into [`Code::units`].
    pub target: Option<usize>,
    /// What a 64-bit load of a map loads: the map's index into [`Code::maps`].
    pub map: Option<(usize, MapRefKind)>,
}

/// A program with its maps.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Code {
    pub units: Vec<Unit>,
    pub maps: Vec<ObjectMap>,
}

/// `gotol`: the jump whose distance is in `imm`.
pub const GOTOL: u8 = 0x06;
/// `goto`.
pub const GOTO: u8 = 0x05;
/// `call`: of a helper, or of a function when `src` is 1.
pub const CALL: u8 = 0x85;
/// `exit`.
pub const EXIT: u8 = 0x95;

impl From<Insn> for Unit {
    fn from(insn: Insn) -> Unit {
        Unit {
            insn,
            upper: 0,
            target: None,
            map: None,
        }
    }
}

impl Unit {
    /// Slots of 8 bytes that it takes.
    fn slots(&self) -> usize {
        1 + usize::from(self.insn.is_wide_load())
    }

    /// Whether the instruction behind it can follow it.
    pub fn falls_through(&self) -> bool {
        !matches!(self.insn.code, GOTO | GOTOL | EXIT)
    }

    /// The slots, with a jump's distance as given.
    fn encode(&self, distance: i64, slots: &mut Vec<Insn>) {
        let mut insn = self.insn;
        if self.target.is_some() {
            match insn.code {
                GOTOL | CALL => insn.imm = distance as i32,
                _ => insn.off = distance as i16,
            }
        }
        slots.push(insn);
        if insn.is_wide_load() {
            slots.push(Insn {
                imm: self.upper,
                ..Insn::default()
            });
        }
    }
}

impl Code {
    /// The slot of each unit, and behind them the number of slots.
    pub fn slots_of_units(&self) -> Vec<usize> {
        let mut slots = vec![0];
        let mut next = 0;
        for unit in &self.units {
            next += unit.slots();
            slots.push(next);
        }
        slots
    }

    /// The program as an object of its own, with one XDP program.
    pub fn object(&self) -> Object {
        let slots = self.slots_of_units();
        let mut insns = Vec::new();
        let mut map_refs = Vec::new();
        for (index, unit) in self.units.iter().enumerate() {
            if let Some((map, kind)) = unit.map {
                let slot = slots[index] as u32;
                map_refs.push(MapRef { slot, map, kind });
            }
            let target = unit.target.map_or(0, |target| slots[target]);
            unit.encode(target as i64 - slots[index] as i64 - 1, &mut insns);
        }
        let places = (0..insns.len()).map(|slot| Place {
            slot: slot as u32,
            ..Place::default()
        });
        let program = ProgramImage {
            name: PROGRAM_NAME.into(),
            section: self.section().into(),
            frags: false,
            places: places.collect(),
            insns,
            map_refs,
            functions: vec![ObjectFunction {
                name: PROGRAM_NAME.into(),
                slot: 0,
            }],
            problems: Vec::new(),
        };
        Object {
            file: PROGRAM_NAME.into(),
            license: "GPL".into(),
            maps: self.maps.clone(),
            programs: vec![program],
            tail_calls: Vec::new(),
            drops_events: false,
            as_xdp: false,
            globals: Globals::default(),
            set: Vec::new(),
        }
    }

    /// Programs that may read `egress_ifindex` must be for device maps.
    fn section(&self) -> &'static str {
        let may_read = |insn: &Insn| insn.code == 0x61 && insn.off == 20;
        match self.units.iter().any(|unit| may_read(&unit.insn)) {
            true => "xdp/devmap",
            false => "xdp",
        }
    }

    /// Without some units; jumps to them go to what follows.
    pub fn without(&self, removed: Range<usize>) -> Code {
        let moved = |target: usize| match target {
            _ if target < removed.start => target,
            _ if target < removed.end => removed.start,
            _ => target - removed.len(),
        };
        let kept = (self.units[..removed.start].iter()).chain(&self.units[removed.end..]);
        Code {
            units: kept
                .map(|unit| Unit {
                    target: unit.target.map(moved),
                    ..unit.clone()
                })
                .collect(),
            maps: self.maps.clone(),
        }
    }

    /// Without units that no path reaches: the kernel does not take them.
    pub fn without_unreachable(&self) -> Code {
        let mut reached = vec![false; self.units.len()];
        let mut waiting = vec![0];
        while let Some(index) = waiting.pop() {
            let Some(unit) = self.units.get(index) else {
                continue;
            };
            if !std::mem::replace(&mut reached[index], true) {
                waiting.extend(unit.target);
                waiting.extend(unit.falls_through().then_some(index + 1));
            }
        }
        let mut code = self.clone();
        for index in (0..reached.len()).rev().filter(|index| !reached[*index]) {
            code = code.without(index..index + 1);
        }
        code
    }

    /// The units in another order: the pieces between `cuts` (ascending), the first one first, then as `order` says.
    /// Jumps keep the meaning.
    pub fn with_pieces_moved(&self, cuts: &[usize], order: &[usize], use_gotol: bool) -> Code {
        let mut bounds = vec![0];
        bounds.extend_from_slice(cuts);
        bounds.push(self.units.len());
        let mut units: Vec<Unit> = Vec::new();
        let mut new_index = HashMap::new();
        for piece in std::iter::once(0).chain(order.iter().copied()) {
            let (start, end) = (bounds[piece], bounds[piece + 1]);
            for index in start..end {
                new_index.insert(index, units.len());
                units.push(self.units[index].clone());
            }
            if units.last().is_some_and(Unit::falls_through) {
                let code = if use_gotol { GOTOL } else { GOTO };
                let mut jump = Unit::from(Insn {
                    code,
                    ..Insn::default()
                });
                jump.target = Some(end);
                units.push(jump);
            }
        }
        for unit in &mut units {
            unit.target = unit
                .target
                .and_then(|target| new_index.get(&target).copied());
        }
        Code {
            units,
            maps: self.maps.clone(),
        }
    }
}

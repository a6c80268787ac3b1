//! A program as the fuzzer makes and changes it: instructions whose jumps name instructions, not distances, so that
//! instructions can be removed and moved.

use hardpath_ebpf::{
    Globals, Insn, MapRef, MapRefKind, Object, ObjectFunction, ObjectMap, ProgramImage, TailCall,
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
    /// Where a jump goes, or the function whose address a 64-bit load loads: an index into [`Code::units`].
    pub target: Option<usize>,
    /// What a 64-bit load of a map loads: the map's index into [`Code::maps`].
    pub map: Option<(usize, MapRefKind)>,
}

/// A program with its maps.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Code {
    /// Of the program that is run, with the functions that it calls.
    pub units: Vec<Unit>,
    /// Of all programs, those that tail calls go to included.
    pub maps: Vec<ObjectMap>,
    /// Programs that tail calls go to; their jumps name their own units.
    pub others: Vec<Vec<Unit>>,
    /// What program arrays hold; a program is an index into `others`.
    pub tail_calls: Vec<TailCall>,
}

/// `gotol`: the jump whose distance is in `imm`.
pub const GOTOL: u8 = 0x06;
/// `goto`.
pub const GOTO: u8 = 0x05;
/// `call`: of a helper, or of a function when `src` is 1.
pub const CALL: u8 = 0x85;
/// `exit`.
pub const EXIT: u8 = 0x95;
/// The `src` of a 64-bit load of a function's address (`BPF_PSEUDO_FUNC` in the kernel's `include/uapi/linux/bpf.h`).
pub const PSEUDO_FUNC: u8 = 4;

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
    /// Whether it loads the address of a function.
    pub fn loads_function(&self) -> bool {
        self.insn.is_wide_load() && self.insn.src == PSEUDO_FUNC
    }

    /// Whether its target is a function, not a place to go on at.
    pub fn names_function(&self) -> bool {
        self.loads_function() || (self.insn.code == CALL && self.insn.src == 1)
    }

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
                _ if insn.is_wide_load() => insn.imm = distance as i32,
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

/// The slot of each unit, and behind them the number of slots.
pub fn slots_of(units: &[Unit]) -> Vec<usize> {
    let mut slots = vec![0];
    let mut next = 0;
    for unit in units {
        next += unit.slots();
        slots.push(next);
    }
    slots
}

impl Code {
    /// The program as an object of its own: with one XDP program, and behind it those that its tail calls go to.
    pub fn object(&self) -> Object {
        let names = (0..self.others.len()).map(|number| format!("{PROGRAM_NAME}_{number}"));
        let others = self.others.iter().zip(names);
        let all = std::iter::once((&self.units, PROGRAM_NAME.to_string())).chain(others);
        let tail_calls = self.tail_calls.iter().map(|entry| TailCall {
            program: entry.program + 1,
            ..*entry
        });
        Object {
            file: PROGRAM_NAME.into(),
            license: "GPL".into(),
            maps: self.maps.clone(),
            programs: all.map(|(units, name)| self.image(units, name)).collect(),
            tail_calls: tail_calls.collect(),
            drops_events: true,
            as_xdp: false,
            globals: Globals::default(),
            set: Vec::new(),
        }
    }

    /// The units of all programs.
    pub fn all_units(&self) -> impl Iterator<Item = &Unit> {
        self.units.iter().chain(self.others.iter().flatten())
    }

    fn image(&self, units: &[Unit], name: String) -> ProgramImage {
        let slots = slots_of(units);
        let mut insns = Vec::new();
        let mut map_refs = Vec::new();
        for (index, unit) in units.iter().enumerate() {
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
        ProgramImage {
            section: self.section().into(),
            frags: false,
            places: places.collect(),
            insns,
            map_refs,
            functions: vec![ObjectFunction {
                name: name.clone(),
                slot: 0,
            }],
            name,
            problems: Vec::new(),
        }
    }

    /// Programs that may read `egress_ifindex` must be for device maps.
    fn section(&self) -> &'static str {
        let may_read = |insn: &Insn| insn.code == 0x61 && insn.off == 20;
        match self.all_units().any(|unit| may_read(&unit.insn)) {
            true => "xdp/devmap",
            false => "xdp",
        }
    }

    /// All but the program itself.
    fn without_units(&self) -> Code {
        Code {
            units: Vec::new(),
            maps: self.maps.clone(),
            others: self.others.clone(),
            tail_calls: self.tail_calls.clone(),
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
            ..self.without_units()
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
            ..self.without_units()
        }
    }
}

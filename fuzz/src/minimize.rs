//! Making a failing subject small: fewer packets, fewer and simpler instructions, shorter and emptier packets, as
//! long as the same layer still fails and the kernel still takes the program.

use crate::code::Code;
use crate::hardware::{USUAL_CLOCK_MHZ, USUAL_FAMILY};
use crate::packets::SHORTEST;
use crate::trial::{Failure, Subject};
use hardpath_ebpf::Insn;
use hardpath_packet::Packet;

/// Candidates at most; each takes a few milliseconds, with hardware up to a second.
const MOST_CANDIDATES: u32 = 600;

/// What may be made smaller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// The program, too.
    Everything,
    /// The program stays: where there is no kernel nobody says which other programs are any.
    PacketsOnly,
}

/// The smallest subject found, and how it fails. `fails` says how a candidate does; only one that fails in the same
/// layer is taken.
pub fn minimize(
    subject: &Subject,
    failure: &Failure,
    scope: Scope,
    fails: &mut dyn FnMut(&Subject) -> Option<Failure>,
) -> (Subject, Failure) {
    let mut search = Search {
        best: subject.clone(),
        failure: failure.clone(),
        fails,
        candidates_left: MOST_CANDIDATES,
    };
    search.fewer_packets();
    if scope == Scope::Everything {
        search.fewer_tail_calls();
        while search.fewer_units() | search.simpler_units() {}
    }
    search.simpler_hardware();
    search.fewer_packets();
    search.simpler_packets();
    search.fewer_entries();
    (search.best, search.failure)
}

struct Search<'a> {
    best: Subject,
    failure: Failure,
    fails: &'a mut dyn FnMut(&Subject) -> Option<Failure>,
    candidates_left: u32,
}

impl Search<'_> {
    fn take(&mut self, candidate: Subject) -> bool {
        if self.candidates_left == 0 || candidate == self.best {
            return false;
        }
        self.candidates_left -= 1;
        match (self.fails)(&candidate) {
            Some(failure) if failure.layer == self.failure.layer => {
                self.best = candidate;
                self.failure = failure;
                true
            }
            _ => false,
        }
    }

    fn take_code(&mut self, code: Code) -> bool {
        let candidate = Subject {
            code,
            ..self.best.clone()
        };
        self.take(candidate)
    }

    fn fewer_packets(&mut self) {
        if let Some(index) = self.failure.packet {
            let mut candidate = self.best.clone();
            candidate.packets = vec![candidate.packets[index].clone()];
            self.take(candidate);
            let mut candidate = self.best.clone();
            candidate.packets.truncate(index + 1);
            self.take(candidate);
        }
        let mut size = self.best.packets.len() / 2;
        while size > 0 {
            let mut start = 0;
            while start < self.best.packets.len() && self.best.packets.len() > 1 {
                let mut candidate = self.best.clone();
                let end = (start + size).min(candidate.packets.len());
                candidate.packets.drain(start..end);
                if !self.take(candidate) {
                    start += size;
                }
            }
            size /= 2;
        }
    }

    /// Without entries of program arrays: the program goes on behind the call.
    fn fewer_tail_calls(&mut self) {
        for entry in (0..self.best.code.tail_calls.len()).rev() {
            let mut code = self.best.code.clone();
            code.tail_calls.remove(entry);
            self.take_code(code);
        }
        if self.best.code.tail_calls.is_empty() {
            let mut code = self.best.code.clone();
            code.others.clear();
            self.take_code(code);
        }
    }

    fn fewer_units(&mut self) -> bool {
        let before = self.best.code.units.len();
        let mut size = before / 2;
        while size > 0 {
            // Back to front: what is used stands before its users.
            let mut end = self.best.code.units.len();
            while end > 0 {
                let start = end.saturating_sub(size);
                let code = self.best.code.without(start..end).without_unreachable();
                self.take_code(code);
                end = start.min(self.best.code.units.len());
            }
            size /= 2;
        }
        self.best.code.units.len() < before
    }

    /// Branches that always or never go, loads that are constants, smaller immediates.
    fn simpler_units(&mut self) -> bool {
        let mut changed = false;
        let mut index = 0;
        while index < self.best.code.units.len() {
            for simpler in simpler(&self.best.code, index) {
                if self.take_code(simpler.without_unreachable()) {
                    changed = true;
                    break;
                }
            }
            index += 1;
        }
        changed
    }

    fn simpler_hardware(&mut self) {
        for change in 0..9 {
            let mut candidate = self.best.clone();
            match change {
                0 => candidate.hardware.gaps = None,
                1 => candidate.hardware.backpressure = None,
                2 => candidate.hardware.host = None,
                3 => candidate.hardware.clock_mhz = USUAL_CLOCK_MHZ,
                4 => candidate.hardware.depth = None,
                6 => candidate.hardware.reset = None,
                7 => candidate.hardware.own_core = false,
                5 => {
                    candidate.hardware.family = USUAL_FAMILY;
                    candidate.hardware.clock_mhz = USUAL_CLOCK_MHZ;
                }
                _ => candidate.hardware.bus_bits = 512,
            }
            self.take(candidate);
        }
    }

    fn simpler_packets(&mut self) {
        for index in 0..self.best.packets.len() {
            let mut size = self.best.packets[index].data.len() / 2;
            while size > 0 {
                let mut candidate = self.best.clone();
                let data = &mut candidate.packets[index].data;
                data.truncate(data.len().saturating_sub(size).max(SHORTEST));
                if !self.take(candidate) {
                    size /= 2;
                }
            }
            let mut size = self.best.packets[index].data.len();
            while size > 0 {
                for start in (0..self.best.packets[index].data.len()).step_by(size) {
                    let mut candidate = self.best.clone();
                    let data = &mut candidate.packets[index].data;
                    let end = (start + size).min(data.len());
                    data[start..end].fill(0);
                    self.take(candidate);
                }
                size /= 2;
            }
            let mut candidate = self.best.clone();
            let packet = &mut candidate.packets[index];
            *packet = Packet {
                data: std::mem::take(&mut packet.data),
                ..Packet::default()
            };
            self.take(candidate);
        }
    }

    fn fewer_entries(&mut self) {
        for name in self.best.image.keys().cloned().collect::<Vec<_>>() {
            let mut candidate = self.best.clone();
            candidate.image.remove(&name);
            self.take(candidate);
        }
    }
}

/// Other instructions in the place of one.
fn simpler(code: &Code, index: usize) -> Vec<Code> {
    let unit = &code.units[index];
    let mut found = Vec::new();
    let mut with = |insn: Insn, keeps_target: bool| {
        let mut code = code.clone();
        let place = &mut code.units[index];
        place.insn = insn;
        place.upper = 0;
        place.map = None;
        place.target = place.target.filter(|_| keeps_target);
        found.push(code);
    };
    let is_goto = unit.target.is_some() && !unit.falls_through();
    if unit.target.is_some() && !is_goto && !unit.names_function() {
        with(
            Insn {
                code: crate::code::GOTO,
                ..Insn::default()
            },
            true,
        );
    }
    let writes_register = matches!(unit.insn.class(), 0 | 1 | 4 | 7) && unit.insn.code != 0xb7;
    if writes_register {
        with(crate::encode::mov_number(unit.insn.dst, 0), false);
        with(crate::encode::mov_number(unit.insn.dst, -1), false);
    }
    let has_number = matches!(unit.insn.class(), 2 | 4 | 5 | 6 | 7) && unit.insn.code & 8 == 0;
    let is_swap = unit.insn.code & 0xf7 == 0xd4 || unit.insn.code == 0xd7;
    let is_call = unit.insn.code == 0x85;
    if has_number && !is_swap && !is_call && unit.target.is_none_or(|_| !is_goto) {
        for imm in [0, 1, -1, unit.insn.imm / 2] {
            if imm != unit.insn.imm && unit.insn.imm.unsigned_abs() > imm.unsigned_abs() {
                with(Insn { imm, ..unit.insn }, true);
            }
        }
    }
    found
}

//! What becomes of a packet.

use super::Core;
use crate::isa::{exit, Buffer, Ending, Way};
use hardpath_ir::interpreter::Part;
use hardpath_ir::maps::Maps;
use hardpath_ir::MapId;
use hardpath_packet::{Class, Copy, Fate, Output};

/// A packet that leaves, but for the bytes that its memory has at the end.
#[derive(Clone, Debug)]
pub(super) struct Parting {
    forwarded: bool,
    outputs: Vec<u64>,
    class: Class,
    index: u32,
    front: Vec<u8>,
    part: Part,
    each: Option<MapId>,
    not_back: bool,
}

impl Core<'_> {
    /// What an ending says now.
    pub(super) fn parting(&self, ending: &Ending, index: Option<u64>) -> Parting {
        let exit = |at: u16| self.word(Buffer::Exit, at);
        let way = exit(exit::WAY);
        let (class, index) = match ending.way {
            Way::Back => (Class::SamePort, 0),
            Way::Class(class) => (Class::from_code(class.into()), index.unwrap_or(0) as u32),
            Way::Buffer => (Class::from_code(way >> 32 & 3), way as u32),
        };
        let flags = exit(exit::FLAGS);
        let (front, part) = match ending.leaving {
            true => self.leaving(exit(exit::LEAVING)),
            false => (Vec::new(), Part::unmoved(self.length)),
        };
        Parting {
            forwarded: ending.forwarded.unwrap_or(flags & 1 == 1),
            outputs: self.outputs(ending.outputs),
            class,
            index,
            front,
            part,
            each: ending.each.map(|map| MapId::from_u32(map.into())),
            not_back: flags >> 1 & 1 == 1,
        }
    }

    /// The program's outputs; `given`: all of them.
    fn outputs(&self, given: Option<u64>) -> Vec<u64> {
        let word = |at: u32| match given {
            Some(given) if at == 0 => given,
            Some(_) => 0,
            None => self.word(Buffer::Exit, exit::OUTPUTS + at as u16),
        };
        let one = |(lo, output): (u32, &Output)| {
            let (at, shift) = (lo / 64, lo % 64);
            let above = match shift {
                0 => 0,
                _ => word(at + 1) << (64 - shift),
            };
            super::low(word(at) >> shift | above, output.width as u8)
        };
        Output::places(&self.image.outputs).map(one).collect()
    }

    fn leaving(&self, word: u64) -> (Vec<u8>, Part) {
        let offset = |lo: u32| i64::from((word >> lo) as i16);
        let part = Part {
            from: offset(0),
            end: offset(16),
            zeros: offset(32),
        };
        let front = (0..(word >> 48) as u16).map(|byte| {
            let word = self.word(Buffer::Exit, exit::FRONT + byte / 8);
            (word >> (byte % 8 * 8)) as u8
        });
        (front.collect(), part)
    }

    /// What becomes of the packet whose program ends so.
    pub(super) fn fate(&mut self, parting: &Parting, maps: &Maps) -> Fate {
        let copy = self.copy(parting);
        let mut fate = Fate::ends(&copy.outputs);
        match parting.each {
            _ if !parting.forwarded => {}
            None if copy.class == Class::Nowhere => {}
            None => fate.copies.push(copy),
            Some(each) => {
                let mut all = maps.broadcast_destinations(each).unwrap_or_default();
                if parting.not_back {
                    all.retain(|index| *index != self.sideband.ingress);
                }
                fate = Fate::leaves_for(&copy, &all);
            }
        }
        let further = std::mem::take(&mut self.sent);
        let further = further.iter().map(|parting| self.copy(parting));
        fate.copies
            .extend(further.filter(|copy| copy.class != Class::Nowhere));
        fate
    }

    fn copy(&self, parting: &Parting) -> Copy {
        let mut data = parting.front.clone();
        data.extend(self.packet.leaving(&parting.part));
        Copy {
            class: parting.class,
            index: parting.index,
            outputs: parting.outputs.clone(),
            data,
        }
    }
}

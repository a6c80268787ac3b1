//! Where the instructions come from.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::flow::Flow;
use crate::insn::Insn;
use crate::object::{MapRef, Object, ObjectMap, ProgramImage};

/// Programs and their maps.
pub struct Origin<'a> {
    /// For messages.
    pub file: &'a str,
    pub maps: &'a [ObjectMap],
    /// The program, and those that tail calls go to.
    pub codes: Vec<Code<'a>>,
    pub tail_calls: Vec<ArrayEntry>,
    /// See [`Object::drops_events`].
    pub drops_events: bool,
}

/// An entry of a program array.
#[derive(Clone, Copy)]
pub struct ArrayEntry {
    /// Index into the object's maps.
    pub map: usize,
    pub index: u32,
    /// Index into the codes.
    pub code: usize,
}

/// The instructions of one program.
pub struct Code<'a> {
    pub insns: &'a [Insn],
    /// `None` for raw programs.
    pub image: Option<&'a ProgramImage>,
    pub map_refs: BTreeMap<u32, MapRef>,
    /// The control flow of the functions that have been called, by first slot.
    pub flows: BTreeMap<usize, Rc<Flow>>,
}

impl<'a> Code<'a> {
    pub fn new(insns: &'a [Insn], image: Option<&'a ProgramImage>) -> Code<'a> {
        let map_refs = image.map_or(&[][..], |image| &image.map_refs);
        Code {
            insns,
            image,
            map_refs: map_refs.iter().map(|one| (one.slot, *one)).collect(),
            flows: BTreeMap::new(),
        }
    }

    /// The control flow of the function that begins at a slot.
    pub fn flow(&mut self, start: usize) -> Rc<Flow> {
        let insns = self.insns;
        let flow = self.flows.entry(start);
        flow.or_insert_with(|| Rc::new(Flow::new(insns, start)))
            .clone()
    }
}

/// Of an object.
pub fn origin<'a>(object: &'a Object, codes: Vec<Code<'a>>) -> Origin<'a> {
    let entries = object.tail_calls.iter().enumerate();
    let tail_calls = entries.map(|(place, entry)| ArrayEntry {
        map: entry.map,
        index: entry.index,
        code: place + 1,
    });
    Origin {
        file: &object.file,
        maps: &object.maps,
        codes,
        tail_calls: tail_calls.collect(),
        drops_events: object.drops_events,
    }
}

/// The program, and behind it those that tail calls go to, in the order of [`Object::tail_calls`].
pub fn codes<'a>(object: &'a Object, program: &'a ProgramImage) -> Vec<Code<'a>> {
    let called = object
        .tail_calls
        .iter()
        .filter_map(|entry| object.programs.get(entry.program));
    std::iter::once(program)
        .chain(called)
        .map(|program| Code::new(&program.insns, Some(program)))
        .collect()
}

//! Calls that tell user space something, and the maps that they use.

use crate::helper_names::{helper_name, number};
use crate::map_decls::{PERF_EVENT_ARRAY, RINGBUF};
use crate::object::{place_of, Object, ObjectMap, ProgramImage};
use hardpath_diagnostic::Place;

/// The helpers that do nothing but tell user space something.
pub(crate) const HELPERS: [i32; 7] = [
    number::TRACE_PRINTK,
    number::PERF_EVENT_OUTPUT,
    number::RINGBUF_OUTPUT,
    number::RINGBUF_RESERVE,
    number::RINGBUF_SUBMIT,
    number::RINGBUF_DISCARD,
    number::TRACE_VPRINTK,
];

/// A call that does nothing in hardware.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventCall {
    /// As C programs call it: `bpf_trace_printk`.
    pub helper: String,
    /// Object, section, instruction, and the source line where it is known.
    pub place: Place,
}

/// The calls in a program, and in those that its tail calls may reach, that tell user space something: with
/// [`LoadOptions::drop_events`](crate::LoadOptions) they do nothing.
pub fn event_calls(object: &Object, program: &ProgramImage) -> Vec<EventCall> {
    let called = object
        .tail_calls
        .iter()
        .filter_map(|entry| object.programs.get(entry.program));
    let mut calls = Vec::new();
    for image in std::iter::once(program).chain(called) {
        for (slot, insn) in image.insns.iter().enumerate() {
            let helper = HELPERS.iter().find(|helper| insn.is_helper_call(**helper));
            let Some(helper) = helper else { continue };
            let call = EventCall {
                helper: helper_name(*helper),
                place: place_of(&object.file, image, slot as u32),
            };
            if !calls.contains(&call) {
                calls.push(call);
            }
        }
    }
    calls
}

impl ObjectMap {
    /// A map whose contents go to user space and nowhere else: perf events, a ring buffer.
    pub fn is_for_events(&self) -> bool {
        [PERF_EVENT_ARRAY, RINGBUF].contains(&self.map_type)
    }
}

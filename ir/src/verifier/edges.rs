//! Rules 16 and 17: limits, inputs, outputs, and how a program ends.

use super::{At, Check};
use crate::{Emit, Limits, Role, MAX_OUTPUT_BITS, MAX_REACH_BYTES, MAX_STACK_BYTES};
use hardpath_packet::{OwnInput, MAX_OWN_BITS, MAX_PACKET_BYTES};
use std::collections::HashSet;

/// Names that an output cannot have, because ports of a design that are not its own have them.
const TAKEN: [&str; 2] = ["valid", "sent"];
/// Outputs whose values have names have at most so many bits.
const NAMED_BITS: u32 = 8;

impl Check<'_> {
    pub(super) fn edges(&mut self) {
        let Limits {
            shortest,
            longest,
            headroom,
            tail,
            stack,
        } = self.program.limits;
        for (what, bytes, most) in [
            ("the longest packet", longest, MAX_PACKET_BYTES),
            ("the shortest packet", shortest, longest),
            ("the headroom", headroom, MAX_REACH_BYTES),
            ("the tail", tail, MAX_REACH_BYTES),
            ("the stack", stack, MAX_STACK_BYTES),
        ] {
            if bytes > most {
                self.error(
                    16,
                    At::Order,
                    format!("{what} has {bytes} bytes, the most is {most}"),
                );
            }
        }
        self.own_inputs();
        let mut names = HashSet::new();
        for output in &self.program.outputs {
            let name = &output.name;
            if !is_identifier(name) || TAKEN.contains(&name.as_str()) {
                let message = format!("an output cannot be called `{name}`");
                self.error(16, At::Order, message);
            }
            if !names.insert(name) {
                self.error(16, At::Order, format!("two outputs are called `{name}`"));
            }
            let most = match output.values.len() {
                0 => MAX_OUTPUT_BITS,
                _ => NAMED_BITS,
            };
            if !(1..=most).contains(&output.width) {
                let message = format!("output `{name}` has {} bits, not 1 to {most}", output.width);
                self.error(16, At::Order, message);
            } else if output.values.len() as u64 > 1 << output.width.min(63) {
                let message = format!("output `{name}` names more values than it can have");
                self.error(16, At::Order, message);
            }
        }
    }

    fn own_inputs(&mut self) {
        let mut names = HashSet::new();
        let inputs = &self.program.inputs;
        for OwnInput { name, width } in inputs {
            if !is_identifier(name) {
                let message = format!("an input cannot be called `{name}`");
                self.error(16, At::Order, message);
            }
            if !names.insert(name) {
                self.error(16, At::Order, format!("two inputs are called `{name}`"));
            }
            if *width == 0 {
                self.error(16, At::Order, format!("input `{name}` has no bits"));
            }
        }
        if OwnInput::bits(inputs) > MAX_OWN_BITS {
            let message = format!("the inputs have more than {MAX_OWN_BITS} bits together");
            self.error(16, At::Order, message);
        }
    }

    pub(super) fn emit(&mut self, place: At, emit: &Emit) {
        let outputs = &self.program.outputs;
        for sent in std::iter::once(&emit.packet).chain(emit.copies.iter().map(|copy| &copy.sent)) {
            if sent.outputs.len() != outputs.len() {
                let message = format!(
                    "it gives {} outputs, the program has {}",
                    sent.outputs.len(),
                    outputs.len()
                );
                self.error(17, place, message);
            }
        }
        for (role, value) in emit.clone().parts_mut() {
            let value = *value;
            let width = match role {
                Role::Output(number) => outputs.get(number).map(|output| output.width),
                role => role.width(),
            };
            match width {
                Some(width) => self.width(17, place, role.name(), value, width),
                None if role == Role::Bytes && !self.program.width(value).is_multiple_of(8) => {
                    self.error(17, place, "the front is not whole bytes");
                }
                None => {}
            }
        }
        for each in &emit.each {
            match self.program.maps.get(each.table) {
                None => self.error(1, place, format!("{} does not exist", each.table)),
                Some(table) if !table.broadcast => {
                    self.error(
                        17,
                        place,
                        "`each` names a table that nothing is broadcast to",
                    );
                }
                Some(_) => {}
            }
        }
    }
}

/// Small letters, digits and `_`, beginning with a letter.
fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    let starts = characters.next().is_some_and(|c| c.is_ascii_lowercase());
    starts && characters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

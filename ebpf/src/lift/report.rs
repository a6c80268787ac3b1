//! What cannot be lifted.

use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_ir::graph;

use super::agenda::Instance;
use super::{Lifter, MAX_INSTANCES, MAX_IR_INSTRUCTIONS};
use crate::object::place_of;

/// Nobody reads more errors than this at once.
const MAX_PROBLEMS: usize = 100;

impl Lifter<'_> {
    pub(super) fn refuse_pointer_as_data(&mut self) {
        self.refuse(
            "pointer-as-number",
            "a part of the stack that holds a pointer is used as data",
            "addresses do not exist in hardware; do not put pointers into keys and values",
        );
    }

    /// Notes that the instruction cannot be lifted; only the first reason of each instruction counts.
    pub(super) fn refuse(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let from = self.current.invocation.code;
        self.loops.trouble(self.current.kept_loops());
        self.refuse_at(from, self.slot, code, message, help);
    }

    fn refuse_at(
        &mut self,
        from: usize,
        slot: u32,
        code: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let known = self
            .problems
            .iter()
            .any(|(place, _)| *place == (from, slot));
        if known || self.problems.len() >= MAX_PROBLEMS {
            return;
        }
        let image = self.codes[from].image;
        let place = match image {
            Some(image) => place_of(self.file, image, slot),
            None => Place::of_file(self.file).unit(format!("instruction {slot}")),
        };
        let link_problems = image.map_or(&[][..], |image| &image.problems);
        let is_new = link_problems
            .iter()
            .all(|problem| problem.place.as_deref() != Some(&place));
        if is_new {
            let problem = Diagnostic::refused(code, message).at(place).help(help);
            self.problems.push(((from, slot), problem));
        }
    }

    pub(super) fn refuse_nesting(&mut self) {
        self.refuse(
            "loop",
            format!("loops are nested more than {} deep", graph::MAX_DEPTH),
            "split the program",
        );
    }

    /// Gives up a loop that has grown too large, and what is behind it is still looked at. Without a loop everything
    /// that is left is given up, and so it is the second time.
    pub(super) fn abandon(&mut self, instance: &Instance) {
        self.loops.trouble(instance.kept_loops());
        let size = format!(
            "{} copies of its blocks and {} instructions",
            self.instances,
            self.builder.program.insts.len()
        );
        let limits = format!(
            "hardpath writes loops and functions out, up to {MAX_INSTANCES} blocks and {MAX_IR_INSTRUCTIONS} instructions"
        );
        let Some(open) = instance.longest_loop() else {
            let from = instance.invocation.code;
            let start = instance.invocation.start as u32;
            let message = format!(
                "the program, with all functions put in place of their calls, has more than {size}"
            );
            let help = format!("{limits}; call large functions from fewer places");
            self.refuse_at(from, start, "program-too-large", message, help);
            self.abandoned += 1;
            self.agenda.abandon(&[]);
            return;
        };
        self.abandoned += 1;
        match self.abandoned {
            1 => self.agenda.abandon(&open.prefix),
            _ => self.agenda.abandon(&[]),
        }
        self.limit = self.instances + MAX_INSTANCES;
        // After an error the conditions of loops are not known.
        if !self.has_undecided {
            self.refuse_at(
                open.code,
                open.slot as u32,
                "loop",
                format!(
                    "after {} rounds the end of this loop is not in sight, and the program has grown to {size}",
                    open.rounds
                ),
                format!("{limits}; bound the number of rounds with a small constant that the loop's condition tests: for (i = 0; i < 16; i++)"),
            );
        }
    }

    /// What a function is called in messages.
    pub(super) fn function_name(&self, code: usize, start: usize) -> String {
        let functions = self.codes[code]
            .image
            .map_or(&[][..], |image| &image.functions);
        let known = functions.iter().find(|one| one.slot as usize == start);
        match known {
            Some(function) => function.name.clone(),
            None => format!("the function at instruction {start}"),
        }
    }
}

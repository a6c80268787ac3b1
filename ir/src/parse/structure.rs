//! The lines and words of the structured phase.

use super::line::Line;
use super::Reader;
use crate::structure::{Bound, Function, Whole};
use crate::syntax::{find, MEMORIES};
use crate::{Block, Op};
use cranelift_entity::EntityRef;
use hardpath_diagnostic::Diagnostic;

impl Reader {
    /// `function @add returns 16, 1`: the blocks behind this line are the function's.
    pub(super) fn function(&mut self, line: &mut Line) -> Result<(), Diagnostic> {
        let position = line.position();
        let name = line.map_name()?;
        let mut results = Vec::new();
        if line.take_keyword("returns") {
            results.push(line.number()?);
            while line.take_sign(',') {
                results.push(line.number()?);
            }
        }
        let id = self.program.add_function(name.clone(), &results);
        match self.function_ids.insert(name.clone(), id) {
            Some(_) => Err(position.error(format!("function `{name}` stands there twice"))),
            None => Ok(()),
        }
    }

    /// The blocks that are being read: of the last function, or of the program.
    pub(super) fn order(&mut self) -> &mut Vec<Block> {
        let program = &mut self.program;
        match program.functions.values_mut().last() {
            Some(function) => &mut function.order,
            None => &mut program.order,
        }
    }

    /// `loop exactly 16`, `loop up-to 16`, `loop unknown`, or nothing.
    pub(super) fn bound(&mut self, line: &mut Line) -> Result<Option<Bound>, Diagnostic> {
        if !line.take_keyword("loop") {
            return Ok(None);
        }
        if line.take_keyword("unknown") {
            return Ok(Some(Bound::Unknown));
        }
        let is_exact = line.one_of("`exactly`, `up-to` or `unknown`", |word| match word {
            "exactly" => Some(true),
            "up-to" => Some(false),
            _ => None,
        })?;
        let times = line.number()?;
        Ok(Some(match is_exact {
            true => Bound::Exactly(times),
            false => Bound::UpTo(times),
        }))
    }

    /// The function of a call, by its name; which one it is, is known at the end.
    pub(super) fn callee(&mut self, line: &mut Line) -> Result<Op, Diagnostic> {
        let position = line.position();
        let name = line.map_name()?;
        let inst = self.program.insts.next_key();
        self.calls.push((inst, name, position));
        Ok(Op::Call(Function::new(0)))
    }

    /// `checksum packet up-to 1480`
    pub(super) fn checksum(&mut self, line: &mut Line) -> Result<Op, Diagnostic> {
        let memory = line.one_of("`packet` or `stack`", |word| find(&MEMORIES, word))?;
        let up_to = up_to(line)?;
        Ok(Op::Whole(Whole::Checksum { memory, up_to }))
    }

    /// `copy packet stack up-to 64`
    pub(super) fn copy(&mut self, line: &mut Line) -> Result<Op, Diagnostic> {
        let mut memory = || line.one_of("`packet` or `stack`", |word| find(&MEMORIES, word));
        let (from, to) = (memory()?, memory()?);
        let up_to = up_to(line)?;
        Ok(Op::Whole(Whole::Copy { from, to, up_to }))
    }

    /// Gives every call its function.
    pub(super) fn resolve_calls(&mut self) -> Result<(), Diagnostic> {
        for (inst, name, position) in std::mem::take(&mut self.calls) {
            let Some(&function) = self.function_ids.get(&name) else {
                return Err(position.error(format!("there is no function `{name}`")));
            };
            self.program.insts[inst].op = Op::Call(function);
        }
        Ok(())
    }
}

fn up_to(line: &mut Line) -> Result<u32, Diagnostic> {
    line.keyword("up-to")?;
    line.number()
}

//! Where a program begins and ends: its limits, its inputs and outputs, and `emit`.

use super::line::Line;
use super::Reader;
use crate::syntax::{find, INPUTS, LIMITS};
use crate::{Each, Emit, Front, Input, Leaving, Output, Sent, SentCopy, To};
use hardpath_diagnostic::Diagnostic;
use hardpath_packet::{OwnInput, MAX_OWN_BITS};

impl Reader {
    /// `limits headroom 216 tail 3520`
    pub(super) fn limits(&mut self, line: &mut Line) -> Result<(), Diagnostic> {
        while !line.at_end() {
            let field = line.one_of("a limit", |word| {
                let found = LIMITS.iter().find(|(name, _)| *name == word);
                found.map(|(_, field)| *field)
            })?;
            *field(&mut self.program.limits) = line.number()?;
        }
        Ok(())
    }

    /// `input "mark" 12`, where a declaration stands.
    pub(super) fn own_input(&mut self, line: &mut Line) -> Result<(), Diagnostic> {
        let position = line.position();
        let name = line.string("the input's name in quotes")?;
        if self.program.own_input(&name).is_some() {
            return Err(position.error(format!("input `{name}` is declared twice")));
        }
        let width = line.number()?;
        let before = OwnInput::bits(&self.program.inputs);
        if before + u32::min(width, MAX_OWN_BITS + 1) > MAX_OWN_BITS {
            let message =
                format!("the program's own inputs have more than {MAX_OWN_BITS} bits together");
            return Err(position.error(message));
        }
        self.program.inputs.push(OwnInput { name, width });
        Ok(())
    }

    /// `length`, or `"mark"`: what stands behind `input` where it is an instruction.
    pub(super) fn input(&mut self, line: &mut Line) -> Result<Input, Diagnostic> {
        if !line.at_string() {
            return line.one_of("an input", |word| find(&INPUTS, word));
        }
        let position = line.position();
        let name = line.string("the input's name in quotes")?;
        let input = self.program.own_input(&name);
        input.ok_or_else(|| {
            position.error(format!(
                "no input is called `{name}`: it is declared as `input \"{name}\" WIDTH`"
            ))
        })
    }

    /// `output "verdict" 3 values "aborted", "drop"`
    pub(super) fn output(&mut self, line: &mut Line) -> Result<(), Diagnostic> {
        let position = line.position();
        let name = line.string("the output's name in quotes")?;
        if self.program.outputs.iter().any(|other| other.name == name) {
            return Err(position.error(format!("output `{name}` is declared twice")));
        }
        let mut output = Output::new(&name, line.number()?);
        if line.take_keyword("values") {
            loop {
                let value = line.string("the name of a value, in quotes")?;
                output.values.push(value);
                if !line.take_sign(',') {
                    break;
                }
            }
        }
        self.program.outputs.push(output);
        Ok(())
    }

    /// What stands behind `emit`.
    pub(super) fn emit(&mut self, line: &mut Line) -> Result<Emit, Diagnostic> {
        let forwarded = self.value(line)?;
        let packet = self.sent(line)?;
        let (mut each, mut copies) = (Vec::new(), Vec::new());
        while line.take_keyword("each") {
            let table = self.map_reference(line)?;
            line.keyword("if")?;
            let when = self.value(line)?;
            line.keyword("not-back")?;
            let not_back = self.value(line)?;
            each.push(Each {
                when,
                table,
                not_back,
            });
        }
        while line.take_keyword("copy") {
            line.keyword("if")?;
            let when = self.value(line)?;
            let sent = self.sent(line)?;
            copies.push(SentCopy { when, sent });
        }
        Ok(Emit {
            forwarded,
            packet,
            each,
            copies,
        })
    }

    /// `to v1, v2 with v3, v4 from v5 end v6 zeros v7 front v8 length v9`, each if it is there.
    fn sent(&mut self, line: &mut Line) -> Result<Sent, Diagnostic> {
        let mut to = None;
        if line.take_keyword("to") {
            let class = self.value(line)?;
            line.sign(',')?;
            let index = self.value(line)?;
            to = Some(To { class, index });
        }
        let outputs = match line.take_keyword("with") {
            true => self.values(line)?,
            false => Vec::new(),
        };
        let mut leaves = None;
        if line.take_keyword("from") {
            let from = self.value(line)?;
            line.keyword("end")?;
            let end = self.value(line)?;
            line.keyword("zeros")?;
            let zeros = self.value(line)?;
            let mut front = None;
            if line.take_keyword("front") {
                let bytes = self.value(line)?;
                line.keyword("length")?;
                let length = self.value(line)?;
                front = Some(Front { bytes, length });
            }
            leaves = Some(Leaving {
                from,
                end,
                zeros,
                front,
            });
        }
        Ok(Sent {
            to,
            outputs,
            leaves,
        })
    }
}

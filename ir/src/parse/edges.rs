//! Where a program ends: `emit`.

use super::line::Line;
use super::Reader;
use crate::{Each, Emit, Front, Leaving, Sent, SentCopy, To};
use hardpath_diagnostic::Diagnostic;

impl Reader {
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

    /// `to v1, v2 with v3, v4 from v5 end v6 zeros v7 front v8 length v9 begins -4, 0`, each if it is there.
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
        let begins = match line.take_keyword("begins") {
            true => begins(line)?,
            false => Vec::new(),
        };
        Ok(Sent {
            to,
            outputs,
            leaves,
            begins,
        })
    }
}

/// Places from the first one up.
fn begins(line: &mut Line) -> Result<Vec<i16>, Diagnostic> {
    let mut begins: Vec<i16> = Vec::new();
    loop {
        let position = line.position();
        let place: i16 = line
            .word("an offset")?
            .parse()
            .map_err(|_| position.error("an offset has 16 bits and a sign"))?;
        if begins.last().is_some_and(|last| *last >= place) {
            return Err(position.error("places stand in order, each once"));
        }
        begins.push(place);
        if !line.take_sign(',') {
            return Ok(begins);
        }
    }
}

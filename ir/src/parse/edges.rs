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

//! Entries that packets add (PNA, section "Add-on-miss tables"): behind a lookup that found nothing, of the key that was looked up.

use super::super::calls::Passed;
use super::super::node::Node;
use super::super::tables::COUNT_BYTES;
use super::super::{ir, Lower, LoweredTable, Made};
use crate::ast::Direction;
use crate::interpreter::{learned_action, learns, NOT_LEARNING};
use crate::source::Span;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Answer, Find, May};

impl Lower<'_> {
    /// Whether the entry was made: not where there is one already, or no room.
    pub(super) fn add_entry(&mut self, passed: &Passed, span: Span) -> Made<Node> {
        let program = self.program;
        let found = self.found.and_then(|found| Some((found.place, found.key?)));
        let Some((place, key)) = found else {
            return self.refuse(span, NOT_LEARNING);
        };
        let table = &program.tables[self.design.tables[place].table];
        let made = self.tables[place].clone();
        let Some(map) = made.entries.filter(|_| learns(table)) else {
            return self.refuse(span, NOT_LEARNING);
        };
        if self.ir.maps[map].find != Find::Exact {
            let message = "packets add entries only where all keys are exact";
            return self.refuse(span, message);
        }
        if made.meters {
            let message = "entries that packets add have no cells of a meter";
            return self.refuse(span, message);
        }
        let name = match &passed.nodes[0] {
            Node::Text(name) => name.as_str(),
            _ => "",
        };
        let Some(action) = learned_action(program, table, name) else {
            let message = format!("table `{}` has no action `{name}`", table.name);
            return self.refuse(span, message);
        };
        let Some(row) = self.learned_row(&made, table.actions[action].action, action, passed)
        else {
            let message = format!("`{name}` has other parameters than these");
            return self.refuse(span, message);
        };
        let bytes = self.ir.maps[map].value_bytes;
        let value = self.behind_front(&made, row, bytes * 8);
        let may = self.number(May::CREATE.bits(), May::BITS);
        let answer = self.effect(ir::Op::MapUpdate(map), &[key, value, may], &[Answer::BITS])[0];
        let added = self.is(answer, Answer::Done.code().into());
        self.stay(span);
        Ok(Node::Bits(added))
    }

    /// The row of an action with these arguments.
    fn learned_row(
        &mut self,
        made: &LoweredTable,
        function: usize,
        action: usize,
        passed: &Passed,
    ) -> Option<ir::Value> {
        let program = self.program;
        let parameters = &program.functions[function].parameters;
        let data = parameters
            .iter()
            .filter(|one| one.direction == Direction::None);
        let widths: Vec<u32> = data.map(|one| self.width(&one.of)).collect();
        let given = match &passed.nodes[1] {
            Node::Bits(value) => vec![Node::Bits(*value)],
            other => other.parts().to_vec(),
        };
        if given.len() != widths.len() {
            return None;
        }
        let mut pieces = vec![self.number(action, made.action_bits)];
        for (node, width) in given.iter().zip(widths) {
            if width > 0 {
                pieces.push(self.bits(node, width));
            }
        }
        pieces.reverse();
        Some(self.concat(&pieces))
    }

    /// A row as the value of an entry that has counted nothing, and is found as of now.
    fn behind_front(&mut self, made: &LoweredTable, row: ir::Value, width: u32) -> ir::Value {
        let mut pieces = vec![row];
        if made.times {
            pieces.push(self.kept_time());
        }
        if made.counts {
            pieces.push(self.number(0u32, COUNT_BYTES * 8));
        }
        let value = self.concat(&pieces);
        self.zext(value, width)
    }

    /// Tells once that entries stay.
    pub(super) fn stay(&mut self, span: Span) {
        let message =
            "entries that packets add do not expire yet: they stay until the control plane takes them away";
        let warning = Diagnostic::warning("p4-lost", message).at(self.sources.place(span));
        let is_told = self
            .warnings
            .iter()
            .any(|one| one.message == warning.message);
        if !self.dead && !is_told {
            self.warnings.push(warning);
        }
    }
}

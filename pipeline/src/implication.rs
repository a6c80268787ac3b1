//! Whether one condition implies another, as far as their structure shows.

use hardpath_ir::{Op, Program, Value};

/// Whether `b` is 1 whenever `a` is 1. Sound, not complete: a `false` means "not shown".
pub fn implies(program: &Program, a: Value, b: Value) -> bool {
    Search {
        program,
        steps: 2000,
    }
    .implies(a, b)
        || hardpath_passes::implies(program, a, b)
}

struct Search<'a> {
    program: &'a Program,
    /// Gives up after so many steps.
    steps: u32,
}

impl Search<'_> {
    fn implies(&mut self, a: Value, b: Value) -> bool {
        if a == b {
            return true;
        }
        if self.steps == 0 {
            return false;
        }
        self.steps -= 1;
        let args = |value: Value, op: &Op| -> Option<(Value, Value)> {
            let data = self.program.def_inst(value)?;
            (data.op == *op && self.program.width(value) == 1).then(|| (data.args[0], data.args[1]))
        };
        let (b_and, b_or) = (args(b, &Op::And), args(b, &Op::Or));
        let (a_and, a_or) = (args(a, &Op::And), args(a, &Op::Or));
        if let Some((x, y)) = b_and {
            return self.implies(a, x) && self.implies(a, y);
        }
        if let Some((x, y)) = a_or {
            return self.implies(x, b) && self.implies(y, b);
        }
        if let Some((x, y)) = a_and {
            if self.implies(x, b) || self.implies(y, b) {
                return true;
            }
        }
        if let Some((x, y)) = b_or {
            return self.implies(a, x) || self.implies(a, y);
        }
        false
    }
}

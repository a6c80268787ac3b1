//! Labels, branches and exits.

use super::state::Holds;
use super::{Generator, Label, LabelId};
use crate::code::{GOTO, GOTOL};
use crate::encode::{self, Operand};
use hardpath_ebpf::Insn;

impl Generator {
    pub(super) fn label(&mut self) -> LabelId {
        self.labels.push(Label {
            jumps: Vec::new(),
            state: None,
        });
        LabelId(self.labels.len() - 1)
    }

    /// Notes that the last instruction jumps to a label with the present state.
    pub(super) fn jumps_to(&mut self, label: LabelId) {
        let jump = self.units.len() - 1;
        let label = &mut self.labels[label.0];
        label.jumps.push(jump);
        match &mut label.state {
            Some(state) => state.join(&self.state),
            None => label.state = Some(self.state.clone()),
        }
    }

    pub(super) fn goto(&mut self, label: LabelId) {
        let code = if self.random.percent(10) { GOTOL } else { GOTO };
        self.emit(Insn {
            code,
            ..Insn::default()
        });
        self.jumps_to(label);
        self.live = false;
    }

    /// The label is here.
    pub(super) fn bind(&mut self, label: LabelId) {
        let here = self.units.len();
        let label = &mut self.labels[label.0];
        for jump in label.jumps.drain(..) {
            self.units[jump].target = Some(here);
        }
        if let Some(state) = label.state.take() {
            match self.live {
                true => self.state.join(&state),
                false => self.state = state,
            }
            self.live = true;
        }
    }

    /// Emits a branch on a number; the caller says where it goes.
    fn branch_on_number(&mut self) {
        self.branches = self.branches.saturating_sub(1);
        let wide = self.random.percent(60);
        let condition = self.random.one_of(encode::CONDITIONS);
        let mut register = self.number();
        let mut number = self.random.interesting() as i32;
        if self.random.percent(45) {
            // Few values, so that both ways are taken.
            let mask = self.random.one_of([1, 3, 7, 15, 0x10, 0xff]);
            register = self.masked_number(mask, &[register]);
            number = self.random.below(mask as usize + 1) as i32;
        }
        let source = match self.random.percent(30) {
            true => Operand::Register(self.number()),
            false => Operand::Number(number),
        };
        self.emit(encode::branch(condition, wide, register, source));
    }

    pub(super) fn if_else(&mut self, inside: usize, depth: u32) {
        if self.branches == 0 {
            return;
        }
        let other = self.label();
        self.branch_on_number();
        self.jumps_to(other);
        let length = self.random.between(1, inside.clamp(1, 12));
        match self.random.percent(60) {
            true => self.two_ways(other, length, depth),
            false => self.one_way(other, length, depth),
        }
    }

    /// Statements that the branch jumps over.
    pub(super) fn one_way(&mut self, behind: LabelId, length: usize, depth: u32) {
        self.open.push(behind);
        self.statements(length, depth + 1);
        self.open.pop();
        self.bind(behind);
    }

    /// Statements on both ways of a branch.
    pub(super) fn two_ways(&mut self, other: LabelId, length: usize, depth: u32) {
        let end = self.label();
        self.open.extend([end, other]);
        self.statements(length, depth + 1);
        self.open.pop();
        if self.live {
            self.goto(end);
        }
        self.bind(other);
        let length = self.random.between(1, length);
        self.statements(length, depth + 1);
        self.open.pop();
        self.bind(end);
    }

    /// A branch to any place that comes later.
    pub(super) fn branch_out(&mut self) {
        if self.branches == 0 {
            return;
        }
        if let Some(label) = self.random.pick(&self.open) {
            self.branch_on_number();
            self.jumps_to(label);
        }
    }

    /// Ends this path, or goes to any place that comes later.
    pub(super) fn leave_early(&mut self, depth: u32) {
        if self.in_callback || self.random.percent(40) {
            // Not to the innermost label alone: that would be no jump at all.
            let far = self.open.len().saturating_sub(1).min(depth as usize);
            let label = self.random.pick(&self.open[..far.max(1)]);
            if let Some(label) = label {
                self.goto(label);
            }
            return;
        }
        if self.random.percent(80) {
            self.show_results();
        }
        self.set_verdict();
        self.leave_with_r0();
    }

    pub(super) fn leave_with_r0(&mut self) {
        match self.exits.first().copied() {
            Some(exit) if self.random.percent(50) => self.goto(exit),
            _ => {
                self.emit(encode::exit());
                self.live = false;
            }
        }
    }

    /// Mostly verdicts with which the packet's bytes are seen.
    pub(super) fn set_verdict(&mut self) {
        match self.random.weighted(&[56, 16, 5, 4, 6, 3]) {
            0 => {
                let verdict = self.random.one_of([2, 3]);
                self.set_number(0, verdict);
            }
            1 => {
                self.number_into_r0();
                self.emit(encode::alu(encode::AND, true, 0, Operand::Number(1)));
                self.emit(encode::alu(encode::ADD, false, 0, Operand::Number(2)));
            }
            2 => {
                self.number_into_r0();
                self.emit(encode::alu(encode::AND, true, 0, Operand::Number(7)));
            }
            3 => {
                let verdict = self.random.one_of([0, 1, 4, 5, 7, 255, -1]);
                self.set_number(0, verdict);
            }
            4 => {
                // The upper half of r0 is nobody's business.
                let upper = self.random.bits64() << 32;
                self.emit_wide(0, upper | 2);
            }
            _ => self.number_into_r0(),
        }
    }

    fn number_into_r0(&mut self) {
        let number = self.number();
        if number != 0 {
            self.copy(0, number);
        }
        self.set(0, Holds::Number);
    }
}

//! Registers: what a module keeps from one clock to the next.

use crate::{Module, Node, NodeOp, Reg, RegData};

impl Module {
    /// A register without reset that is driven later with [`Module::set_next`].
    pub fn reg(&mut self, name: impl Into<String>, width: u32) -> (Reg, Node) {
        self.make_reg(name, width, None)
    }

    /// A register that reset sets to `value` (at most 64 bits of it).
    pub fn reg_reset(&mut self, name: impl Into<String>, width: u32, value: u64) -> (Reg, Node) {
        let mut limbs = vec![0; width.div_ceil(64) as usize];
        limbs[0] = value;
        self.make_reg(name, width, Some(limbs))
    }

    fn make_reg(
        &mut self,
        name: impl Into<String>,
        width: u32,
        reset: Option<Vec<u64>>,
    ) -> (Reg, Node) {
        let section = self.current_section();
        let reg = self.regs.push(RegData {
            name: name.into(),
            width,
            next: None,
            enable: None,
            reset,
            is_apart: false,
            is_synchronizer: false,
            clock: self.current_clock,
            comment: None,
            section,
        });
        let node = self.push(NodeOp::Reg(reg), Vec::new(), width);
        (reg, node)
    }

    /// Gives a register what it takes at every clock, of its width.
    ///
    /// # Panics
    /// When it has that already, or the widths differ.
    pub fn set_next(&mut self, reg: Reg, next: Node) {
        assert_eq!(
            self.regs[reg].width,
            self.width(next),
            "next value of {}",
            self.regs[reg].name
        );
        assert!(
            self.regs[reg].next.is_none(),
            "{} is driven once",
            self.regs[reg].name
        );
        self.regs[reg].next = Some(next);
    }

    /// The same where `enable`, of one bit, is set; else the register keeps what it holds.
    pub fn set_next_when(&mut self, reg: Reg, enable: Node, next: Node) {
        assert_eq!(self.width(enable), 1);
        self.set_next(reg, next);
        self.regs[reg].enable = Some(enable);
    }

    /// Where one of two things happens the register takes that one's value, and keeps what it holds where both do or none. The first one,
    /// which is known early, chooses, and only whether it changes waits for the second one: of a count up and down tools would otherwise
    /// share the adder, and choose in front of it.
    pub fn set_next_of_one(&mut self, reg: Reg, early: (Node, Node), late: (Node, Node)) {
        let next = self.mux(early.0, early.1, late.1);
        let changes = self.xor(&[late.0, early.0]);
        self.set_next_when(reg, changes, next);
    }

    /// A register that takes `next` at every clock, without reset: one clock of delay.
    pub fn delay(&mut self, name: impl Into<String>, next: Node) -> Node {
        let (reg, node) = self.reg(name, self.width(next));
        self.set_next(reg, next);
        node
    }

    /// The same, reset to zero.
    pub fn delay_reset(&mut self, name: impl Into<String>, next: Node) -> Node {
        let (reg, node) = self.reg_reset(name, self.width(next), 0);
        self.set_next(reg, next);
        node
    }

    /// A register that takes `next` where `enable` says so, else keeps what it holds.
    pub fn hold(&mut self, name: impl Into<String>, enable: Node, next: Node) -> Node {
        let (reg, node) = self.reg(name, self.width(next));
        self.set_next_when(reg, enable, next);
        node
    }

    /// The same, 0 after reset.
    pub fn hold_reset(&mut self, name: impl Into<String>, enable: Node, next: Node) -> Node {
        let (reg, node) = self.reg_reset(name, self.width(next), 0);
        self.set_next_when(reg, enable, next);
        node
    }

    /// A value of another clock, in this one: two flip-flops in a row, in which it settles. `from`: a register of the other clock,
    /// of which at most one bit changes at an edge. Only in a module that is a crossing ([`Module::is_crossing`]).
    pub fn synchronize(&mut self, name: &str, from: Node) -> Node {
        let mut value = from;
        for stage in 0..2 {
            let (reg, settled) = self.reg(format!("{name}_{stage}"), self.width(from));
            self.regs[reg].is_synchronizer = true;
            self.set_next(reg, value);
            value = settled;
        }
        value
    }

    /// [`Module::delay`], `count` times: copies that tools do not merge. Those that read a register of many loads share them.
    pub fn delay_copies(&mut self, name: &str, next: Node, count: usize) -> Vec<Node> {
        let copies = (0..count).map(|index| {
            let (reg, copy) = self.copy_of(name, index, next);
            self.set_next(reg, next);
            copy
        });
        copies.collect()
    }

    /// [`Module::delay_reset`], `count` times.
    pub fn delay_reset_copies(&mut self, name: &str, next: Node, count: usize) -> Vec<Node> {
        let copies = (0..count).map(|index| {
            let (reg, copy) = self.reg_reset(format!("{name}_{index}"), self.width(next), 0);
            self.regs[reg].is_apart = true;
            self.set_next(reg, next);
            copy
        });
        copies.collect()
    }

    /// [`Module::hold`], `count` times.
    pub fn hold_copies(&mut self, name: &str, enable: Node, next: Node, count: usize) -> Vec<Node> {
        let copies = (0..count).map(|index| {
            let (reg, copy) = self.copy_of(name, index, next);
            self.set_next_when(reg, enable, next);
            copy
        });
        copies.collect()
    }

    fn copy_of(&mut self, name: &str, index: usize, next: Node) -> (Reg, Node) {
        let (reg, copy) = self.reg(format!("{name}_{index}"), self.width(next));
        self.regs[reg].is_apart = true;
        (reg, copy)
    }
}

//! What registers hold, as operations want it.

use super::flow::registers_of;
use super::state::{AbstractValue, Operand};
use super::Lifter;

impl Lifter<'_> {
    pub(super) fn register(&self, register: u8) -> AbstractValue {
        self.state
            .simplify(self.state.registers[usize::from(register)])
    }

    pub(super) fn set_register(&mut self, register: u8, value: AbstractValue) {
        self.state.registers[usize::from(register)] = value;
    }

    /// Sets a register to a number and names it.
    pub(super) fn set_scalar(&mut self, register: u8, operand: Operand, name: &str) {
        self.builder.name(operand, name);
        self.set_register(register, AbstractValue::Scalar(operand));
    }

    /// The register's content, when there is any; otherwise the user is told why not.
    pub(super) fn usable(&mut self, register: u8) -> Option<AbstractValue> {
        let value = self.register(register);
        match value {
            AbstractValue::Reported => None,
            AbstractValue::Uninitialised => {
                self.refuse(
                    "uninitialised-register",
                    format!("r{register} is read and has no value here"),
                    "the kernel would not load this program either; r1 to r5 have no value after a call",
                );
                self.set_register(register, AbstractValue::Reported);
                None
            }
            AbstractValue::OldPacket(_) => {
                let what = value.description();
                self.refuse_old_packet(format!("r{register} is used, and it is {what}"));
                self.set_register(register, AbstractValue::Reported);
                None
            }
            AbstractValue::Printed => {
                self.refuse(
                    "event-answer",
                    format!("r{register} is used, and it is {}", value.description()),
                    "leave what bpf_trace_printk and bpf_trace_vprintk give unused",
                );
                self.set_register(register, AbstractValue::Reported);
                None
            }
            AbstractValue::Unusable(reason) => {
                self.mixed.is_used = true;
                self.refuse(
                    "mixed-value",
                    format!("r{register} is used, and it is {reason}"),
                    "give each kind of pointer a variable of its own, and use it where it is known what it points to",
                );
                self.set_register(register, AbstractValue::Reported);
                None
            }
            _ => Some(value),
        }
    }

    /// The register's content for arithmetic and comparisons, to which a pointer from before a move is still good.
    pub(super) fn operand(&mut self, register: u8) -> Option<AbstractValue> {
        match self.register(register) {
            old @ AbstractValue::OldPacket(_) => Some(old),
            _ => self.usable(register),
        }
    }

    pub(super) fn refuse_old_packet(&mut self, message: String) {
        self.refuse(
            "moved-packet-pointer",
            message,
            "read data and data_end again after bpf_xdp_adjust_head, _tail and _meta, and check them again",
        );
    }

    /// Whether a register may be read behind the current instruction before it is written.
    pub(super) fn is_read_later(&self, register: u8) -> bool {
        let block = &self.current.invocation.flow.blocks[self.current.block()];
        let later = (block.steps.iter()).skip_while(|step| step.slot <= self.slot as usize);
        for step in later {
            let Ok(operation) = &step.operation else {
                return false;
            };
            let (reads, writes) = registers_of(operation);
            if (reads | writes) >> register & 1 == 1 {
                return reads >> register & 1 == 1;
            }
        }
        let flow = &self.current.invocation.flow;
        let mut successors = block.end.successors().into_iter();
        successors.any(|next| flow.blocks[next].live_in >> register & 1 == 1)
    }

    /// The number in a register; a pointer is an error.
    pub(super) fn scalar(&mut self, register: u8) -> Option<Operand> {
        match self.usable(register)? {
            AbstractValue::Scalar(operand) => Some(operand),
            pointer => {
                self.refuse(
                    "pointer-as-number",
                    format!(
                        "r{register} holds {} and is used as a number",
                        pointer.description()
                    ),
                    "addresses do not exist in hardware; use differences of pointers",
                );
                None
            }
        }
    }
}

//! Moves of the packet's head, tail and metadata.

use super::state::Holds;
use super::Generator;
use crate::encode::{self, helper, Operand};

impl Generator {
    /// `bpf_xdp_adjust_head`, `_tail` or `_meta`; mostly the program looks at what it returns.
    pub(super) fn move_packet(&mut self) {
        if !self.keep_context() {
            return;
        }
        let helper = self.random.one_of([
            helper::XDP_ADJUST_HEAD,
            helper::XDP_ADJUST_HEAD,
            helper::XDP_ADJUST_TAIL,
            helper::XDP_ADJUST_META,
        ]);
        if self.random.percent(15) {
            let mask = self.random.one_of([0x14, 0x10, 0xc, 0x1c, 0x3c, 7]);
            let number = self.masked_number(mask, &[]);
            self.copy(2, number);
            if self.random.percent(50) {
                self.emit(encode::negate(true, 2));
            }
        } else {
            let amount = self.move_amount(helper);
            self.set_number(2, amount);
        }
        let Some(context) = self.context() else {
            return;
        };
        if context == 2 {
            return;
        }
        if context != 1 {
            self.copy(1, context);
        }
        self.call(helper, Holds::Number);
        self.state.forget_packet();
        if self.random.percent(70) && self.branches > 0 {
            self.leave_when_refused();
        }
        if !self.live {
            return;
        }
        if helper == helper::XDP_ADJUST_META && self.random.percent(70) {
            self.store_metadata();
        }
        if self.random.percent(80) {
            self.reload_packet();
            self.check_bounds();
        }
    }

    /// What programs move by, and what the kernel's limits are.
    fn move_amount(&mut self, helper: i32) -> i32 {
        let around = self.random.between(0, 2) as i32 - 1;
        let usual = match helper {
            helper::XDP_ADJUST_HEAD => self
                .random
                .one_of([-4, 4, -8, -14, 14, -20, 20, -40, 40, -50]),
            helper::XDP_ADJUST_META => self.random.one_of([-4, -4, -8, -16, -32, 4, 0]),
            _ => self.random.one_of([-4, 4, 8, -12, 20, -20, 98, -40, 300]),
        };
        match self.random.weighted(&[60, 20, 8, 6, 6]) {
            0 => usual,
            1 => self.random.between(0, 100) as i32 - 50,
            2 => -216 + around,
            3 => 3456 + around,
            _ => self.random.interesting() as i32,
        }
    }

    /// A branch on what a helper returned, to where the path may end.
    fn leave_when_refused(&mut self) {
        self.branches -= 1;
        let condition = self.random.one_of([encode::JNE, encode::JNE, encode::JEQ]);
        self.emit(encode::branch(condition, true, 0, Operand::Number(0)));
        match self.random.pick(&self.open) {
            Some(label) if self.random.percent(60) => self.jumps_to(label),
            _ => {
                let other = self.label();
                self.jumps_to(other);
                let length = self.random.between(1, 5);
                self.two_ways(other, length, 3);
            }
        }
    }

    /// Stores a number at the beginning of the metadata, when there are so many bytes.
    fn store_metadata(&mut self) {
        let number = self.number();
        let Some(context) = self.context() else {
            return;
        };
        if self.holds(number) != Holds::Number {
            return;
        }
        let begin = self.free_register(&[context, number]);
        if begin == context || begin == number {
            return;
        }
        self.emit(encode::load(begin, context, 8, 4));
        self.set(begin, Holds::Nothing);
        let kept = [context, number, begin];
        let (limit, end) = (self.free_register(&kept), self.free_register(&kept));
        if limit == end || kept.contains(&limit) || kept.contains(&end) {
            return;
        }
        let bytes = 4;
        self.emit(encode::load(end, context, 0, 4));
        self.emit(encode::mov(limit, begin));
        let more = Operand::Number(bytes as i32);
        self.emit(encode::alu(encode::ADD, true, limit, more));
        for register in [begin, limit, end] {
            self.set(register, Holds::Nothing);
        }
        let skip = self.label();
        let right = Operand::Register(end);
        self.emit(encode::branch(encode::JGT, true, limit, right));
        self.jumps_to(skip);
        let number = Operand::Register(number);
        self.emit(encode::store(begin, 0, bytes, number));
        self.bind(skip);
    }
}

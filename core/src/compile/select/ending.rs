//! What a program says of its packet at its end.

use super::super::code::{Pred, Reg};
use super::super::savings::Saving;
use super::bools::{self, Bool};
use super::pieces::{self, Piece, Pieces};
use super::Select;
use crate::isa::{exit, Action, Buffer, Ending, Guard, Operand, Operation, Test, Way};
use hardpath_ir::{Emit, Leaving, Sent, Value};
use hardpath_packet::{Class, Output};
use std::rc::Rc;

impl Select<'_> {
    pub(super) fn ending(&mut self, emit: &Emit) {
        for copy in &emit.copies {
            let when = self.bool(copy.when);
            if let Bool::Known(false) = *when {
                continue;
            }
            let guard = self.guard(&when);
            let ending = self.parting(&copy.sent, true).0;
            self.emit_op(Operation {
                guard: Some(guard),
                action: Action::Send { ending },
            });
        }
        let forwarded = self.bool(emit.forwarded);
        for each in &emit.each {
            let when = bools::and(&forwarded, &self.bool(each.when));
            if let Bool::Known(false) = *when {
                continue;
            }
            let mut flags = vec![Piece::Number(1, 1)];
            flags.extend(self.value(each.not_back));
            let (mut ending, _) = self.parting(&emit.packet, true);
            ending.each = Some(each.table.as_u32() as u8);
            let flags = self.operand(&flags);
            self.put_word(Buffer::Exit, exit::FLAGS, flags);
            self.leave(&when, None, ending);
        }
        match &*forwarded {
            Bool::Known(known) => self.end(&emit.packet, *known),
            _ => {
                // What is dropped goes nowhere: only its outputs count.
                let dropped = Sent::new(emit.packet.outputs.clone());
                let (ending, _) = self.parting(&dropped, true);
                let ending = Ending {
                    forwarded: Some(false),
                    ..ending
                };
                self.leave(&bools::not(&forwarded), None, ending);
                self.end(&emit.packet, true);
            }
        }
    }

    fn end(&mut self, sent: &Sent, forwarded: bool) {
        let dropped = Sent::new(sent.outputs.clone());
        let (ending, index) = self.parting(if forwarded { sent } else { &dropped }, false);
        let ending = Ending {
            forwarded: Some(forwarded),
            ..ending
        };
        self.leave(&Rc::new(Bool::Known(true)), index, ending);
    }

    /// Ends the program when the condition holds.
    fn leave(&mut self, cond: &Rc<Bool>, index: Option<Operand<Reg>>, ending: Ending) {
        let (guard, when): (Option<Guard<Pred>>, Option<Test<Reg>>) = match &**cond {
            Bool::Known(false) => return,
            Bool::Known(true) => (None, None),
            Bool::Test(test) if self.exits_compare() => (None, Some(*test)),
            _ => (Some(self.guard(cond)), None),
        };
        let action = Action::Exit {
            when,
            index,
            ending,
        };
        self.emit_op(Operation { guard, action });
    }

    fn exits_compare(&self) -> bool {
        self.without.keeps(Saving::Exits) && self.without.keeps(Saving::Tests)
    }

    /// What an ending says of how a packet leaves, with what it needs in the buffer. The index of its way, where it is not there and not
    /// 0; `whole`: it must be there.
    fn parting(&mut self, sent: &Sent, whole: bool) -> (Ending, Option<Operand<Reg>>) {
        let outputs = self.outputs(&sent.outputs);
        let fits = pieces::width(&outputs) <= 64 && self.without.keeps(Saving::Exits);
        let known = pieces::number(&outputs).filter(|_| fits);
        if known.is_none() {
            self.put_all(exit::OUTPUTS, &outputs);
        }
        let (way, index) = self.way(sent, whole);
        if let Some(leaves) = &sent.leaves {
            self.leaving(leaves);
        }
        let ending = Ending {
            forwarded: Some(true),
            outputs: known,
            way,
            leaving: sent.leaves.is_some(),
            each: None,
        };
        (ending, index)
    }

    /// All outputs side by side.
    fn outputs(&mut self, values: &[Value]) -> Pieces {
        let mut all = Vec::new();
        let declared = Output::places(&self.program.outputs);
        let widths: Vec<u32> = declared.map(|(_, output)| output.width).collect();
        for (&value, width) in std::iter::zip(values, widths) {
            debug_assert_eq!(self.program.width(value), width);
            for piece in self.value(value) {
                pieces::push(&mut all, piece);
            }
        }
        all
    }

    fn way(&mut self, sent: &Sent, whole: bool) -> (Way, Option<Operand<Reg>>) {
        let Some(to) = sent.to else {
            return (Way::Back, None);
        };
        let (class, index) = (self.value(to.class), self.value(to.index));
        let known = (pieces::number(&class), pieces::number(&index));
        match known {
            (Some(class), Some(0)) if class == Class::SamePort.code() => (Way::Back, None),
            (Some(class), Some(0)) => (Way::Class(class as u8), None),
            (Some(class), _) if !whole => {
                let index = self.operand(&index);
                (Way::Class(class as u8), Some(index))
            }
            _ => {
                let mut both = index;
                for piece in class {
                    pieces::push(&mut both, piece);
                }
                let both = self.operand(&both);
                self.put_word(Buffer::Exit, exit::WAY, both);
                (Way::Buffer, None)
            }
        }
    }

    fn leaving(&mut self, leaves: &Leaving) {
        let mut all = Vec::new();
        for value in [leaves.from, leaves.end, leaves.zeros] {
            for piece in self.value(value) {
                pieces::push(&mut all, piece);
            }
        }
        if let Some(front) = leaves.front {
            for piece in self.value(front.length) {
                pieces::push(&mut all, piece);
            }
            let bytes = self.value(front.bytes);
            self.put_all(exit::FRONT, &bytes);
        }
        let all = self.operand(&all);
        self.put_word(Buffer::Exit, exit::LEAVING, all);
    }

    /// All words into the exit's buffer.
    fn put_all(&mut self, first: u16, all: &Pieces) {
        let words = pieces::width(all).div_ceil(64);
        for word in (0..words).step_by(2) {
            let a = self.word(all, word);
            let b = (word + 1 < words).then(|| self.word(all, word + 1));
            let (buffer, at) = (Buffer::Exit, first + word as u16);
            self.emit(Action::Put { buffer, at, a, b });
        }
    }
}

//! Results: the FIFO in which they wait for the exit; and the exit.

use super::broadcast::Lists;
use super::ends::Ends;
use super::slot::Slot;
use super::{Frames, Loops, Top};
use hardpath_blocks::copier::{copier, Copier, CopierIn, CopierOut, CopyIn};
use hardpath_blocks::egress::{
    egress, Egress, EgressIn, EgressOut, PacketResult, RepeatIn, SentResult,
};
use hardpath_blocks::fifo::{fifo, FifoIn};
use hardpath_blocks::host::counted_as;
use hardpath_blocks::moved_egress::moved_egress;
use hardpath_rtl::signals::Signals;
use hardpath_rtl::Node;

/// The oldest result.
pub(super) struct Head {
    pub(super) valid: Node,
    pub(super) result: PacketResult,
    /// A wire: it is used up.
    pop: Node,
}

impl Top<'_> {
    pub(super) fn egress(&self) -> Egress {
        Egress {
            name: format!("{}_egress", self.prefix),
            beat_bytes: self.beat_bytes(),
            frame_depth: self.frame_depth(),
            overlays: self.compute.overlays.clone(),
            output_bits: self.output_bits(),
            drops: self.compute.sent.drops && self.has.copies == 0,
            class: self.compute.sent.class,
            has_index: self.compute.sent.has_index || self.has.repeats,
            may_be_empty: self.program.limits.shortest == 0,
            repeats: self.has.repeats || self.has.copies > 0,
            copies: self.has.copies > 0,
            cut_through: self.ahead.is_some(),
            // A compare of slots is two LUTs deep where they have six inputs, and four where they have four.
            end_early: self.lut_inputs < 6,
        }
    }

    /// In front of the exit: a packet of which further copies leave.
    fn copies(&mut self, head: &Head, taken: Node) -> CopierOut {
        self.m
            .section("Copier: further copies leave behind a packet");
        let m = &self.m;
        let result = &head.result;
        let widths = |sent: &SentResult| sent.clone().map(&mut |_, _, node| m.width(node));
        let block = copier(&Copier {
            name: format!("{}_copier", self.prefix),
            sent: widths(&result.sent),
            copies: result.copy.len(),
        });
        let copies = result.copy.iter().map(|(label, copy)| {
            let copy = CopyIn {
                when: copy.when,
                sent: copy.sent.clone(),
            };
            (label.clone(), copy)
        });
        let inputs = CopierIn {
            result_valid: head.valid,
            forwarded: match result.result_forwarded {
                Some(forwarded) => forwarded,
                None => self.m.one(),
            },
            sent: result.sent.clone(),
            copy: copies.collect(),
            taken,
        };
        block.place(self.design, &mut self.m, "copier", inputs).out
    }

    fn output_bits(&self) -> u32 {
        self.program.outputs.iter().map(|output| output.width).sum()
    }

    pub(super) fn results(&mut self, slot: &Slot) -> Head {
        self.m
            .section("Result FIFO: results wait here for the exit; each has a credit");
        let given = slot.out.result.clone();
        let mut parts = Vec::new();
        given.clone().map(&mut |_, _, part| parts.push(part));
        let word = self.m.concat(&parts);
        let width = self.m.width(word);
        let pop = self.m.wire(1, "result_pop");
        let inputs = FifoIn {
            push: slot.out.result_valid,
            data_in: word,
            pop,
        };
        let results = fifo(&format!("{}_results", self.prefix), width, self.credits);
        let results = results
            .place(self.design, &mut self.m, "results", inputs)
            .out;
        let mut at = width;
        let result = given.map(&mut |_, _, part| {
            let bits = self.m.width(part);
            at -= bits;
            self.m.slice(results.data_out, at, bits)
        });
        Head {
            valid: results.valid,
            result,
            pop,
        }
    }

    /// The exit, with the ends of packets where these come apart from results. `lists`: of packets that are sent several times; with a packet that enters the program, and where it came
    /// in.
    pub(super) fn exit(
        &mut self,
        (head, ends): (Head, Option<Ends>),
        lists: Option<(Lists, (Node, Node))>,
        frames: &Frames,
        tready: Node,
        loops: &Loops,
    ) -> EgressOut {
        let (mut head_valid, mut result) = (head.valid, head.result.clone());
        let exit_pop = self.m.wire(1, "exit_pop");
        let (mut head_pop, mut repeat) = (exit_pop, None);
        if let Some((lists, came)) = lists {
            let repeated = self.repeat(lists, came, &head, (loops.packet_left, exit_pop));
            head_valid = repeated.valid;
            result.broadcast = None;
            result.sent.result_index = Some(repeated.destination);
            head_pop = repeated.pop;
            repeat = Some(RepeatIn {
                result_again: repeated.again,
                result_nobody: repeated.nobody,
                result_fate_outputs: None,
            });
        }
        if self.has.copies > 0 {
            let copied = self.copies(&head, exit_pop);
            result.copy = Vec::new();
            result.result_forwarded = None;
            result.sent = copied.sent().clone();
            head_pop = copied.pop;
            repeat = Some(RepeatIn {
                result_again: copied.again,
                result_nobody: copied.nobody,
                result_fate_outputs: head.result.sent.result_outputs,
            });
        }
        self.m.section("Exit");
        let config = self.egress();
        let block = match &self.compute.moved {
            None => egress(&config),
            Some(moved) => moved_egress(&config, moved),
        };
        let inputs = EgressIn {
            result_valid: head_valid,
            result,
            repeat,
            end: ends.as_ref().map(|ends| ends.end.clone()),
            frame_read_data: frames.data,
            m_axis_tready: tready,
        };
        let exit = block.place(self.design, &mut self.m, "egress", inputs).out;
        let m = &mut self.m;
        m.drive(exit_pop, exit.result_pop);
        m.drive(head.pop, head_pop);
        if let Some((ends, pop)) = ends.zip(exit.end_pop) {
            m.drive(ends.pop, pop);
        }
        m.drive(loops.packet_left, head_pop);
        m.drive(loops.frame_read_pointer, exit.frame.frame_read_pointer);
        if let Some((wire, address)) = frames.address.zip(exit.frame.frame_read_address) {
            m.drive(wire, address);
        }
        m.drive(frames.read, exit.frame.frame_read);
        m.drive(loops.fate_valid, exit.fate.fate_valid);
        let counted = counted_as(&mut self.m, &self.program.outputs, exit.fate.fate);
        self.m.drive(loops.counted, counted);
        exit
    }
}

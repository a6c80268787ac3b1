//! Results: the FIFO in which they wait for the exit; and the exit.

use super::broadcast::Lists;
use super::slot::Slot;
use super::{Frames, Loops, Top};
use hardpath_blocks::egress::{egress, Egress, EgressIn, EgressOut, PacketResult, RepeatIn};
use hardpath_blocks::fifo::{fifo, FifoIn};
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
    fn egress(&self) -> Egress {
        Egress {
            name: format!("{}_egress", self.prefix),
            beat_bytes: self.beat_bytes(),
            frame_depth: self.frame_depth(),
            overlays: self.compute.overlays.clone(),
            verdict_bits: if self.raw() { 64 } else { 3 },
            has_destination: self.compute.has_destination,
            repeats: self.has.repeats,
        }
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

    /// The exit. `lists`: of packets that are sent several times; with a packet that enters the program, and where it came
    /// in.
    pub(super) fn exit(
        &mut self,
        head: Head,
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
            result.result_destination = Some(repeated.destination);
            head_pop = repeated.pop;
            repeat = Some(RepeatIn {
                result_again: repeated.again,
                result_nobody: repeated.nobody,
            });
        }
        self.m.section("Exit");
        let config = self.egress();
        let block = match &self.compute.moved {
            None => egress(&config),
            Some(moved) => moved_egress(&config, &moved.moves),
        };
        let inputs = EgressIn {
            result_valid: head_valid,
            result,
            repeat,
            frame_read_data: frames.data,
            m_axis_tready: tready,
        };
        let exit = block.place(self.design, &mut self.m, "egress", inputs).out;
        let m = &mut self.m;
        m.drive(exit_pop, exit.result_pop);
        m.drive(head.pop, head_pop);
        m.drive(loops.packet_left, head_pop);
        m.drive(loops.frame_read_pointer, exit.frame.frame_read_pointer);
        if let Some((wire, address)) = frames.address.zip(exit.frame.frame_read_address) {
            m.drive(wire, address);
        }
        m.drive(frames.read, exit.frame.frame_read);
        m.drive(loops.verdict_valid, exit.verdict.verdict_valid);
        m.drive(loops.verdict, exit.verdict.verdict);
        exit
    }
}

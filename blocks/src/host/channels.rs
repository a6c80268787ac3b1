//! AXI4-Lite: one transaction at a time in each direction, answered with OKAY or SLVERR.

use super::registers::Readable;
use super::HostPort;
use crate::axi::LiteOut;
use hardpath_rtl::Node;

/// A write that is taken.
pub(super) struct Write {
    /// It was taken in the clock before, and is answered from the next clock on.
    pub(super) answers: Node,
    /// All bytes of its word are written.
    pub(super) full_word: Node,
    /// A whole word is written in this clock.
    pub(super) here: Node,
    pub(super) word: Node,
    pub(super) data: Node,
    pub(super) bvalid: Node,
    pub(super) ready: Node,
}

pub(super) struct Read {
    /// A word is read in this clock, and the address was the same in the one before.
    pub(super) here: Node,
    pub(super) arready: Node,
    pub(super) rvalid: Node,
}

impl HostPort<'_> {
    pub(super) fn write_channel(&mut self) -> Write {
        let (m, lite) = (&mut self.m, &self.inputs.lite);
        m.section("AXI4-Lite, write channel");
        let (bvalid_reg, bvalid) = m.reg_reset("bvalid", 1, 0);
        let (ready_reg, ready) = m.reg_reset("write_ready", 1, 0);
        let both = m.and(&[lite.s_axil_awvalid, lite.s_axil_wvalid]);
        m.name(both, "write_valid");
        let idle = m.not(bvalid);
        let not_ready = m.not(ready);
        let (answers_reg, answers) = m.reg_reset("write_answers", 1, 0);
        let not_answering = m.not(answers);
        let take_next = m.and(&[both, idle, not_ready, not_answering]);
        m.set_next(ready_reg, take_next);
        // What comes with a valid stands still until it is taken, a clock after it came at the earliest.
        let address = m.delay("write_address", lite.s_axil_awaddr);
        let data = m.delay("write_data", lite.s_axil_wdata);
        let strobes = m.delay("write_strobes", lite.s_axil_wstrb);
        let full_word = m.reduce_and(strobes);
        m.name(full_word, "whole_word");
        // Valid stays until ready, so no port of the design needs to be looked at again.
        let here = m.and(&[ready, full_word]);
        m.name(here, "write");
        let not_bready = m.not(lite.s_axil_bready);
        let pending = m.and(&[bvalid, not_bready]);
        let bvalid_next = m.or(&[answers, pending]);
        m.set_next(bvalid_reg, bvalid_next);
        m.set_next(answers_reg, ready);
        let word = m.slice(address, 2, 14);
        m.name(word, "write_word");
        Write {
            answers,
            full_word,
            here,
            word,
            data,
            bvalid,
            ready,
        }
    }

    pub(super) fn read_channel(&mut self) -> Read {
        let (m, lite) = (&mut self.m, &self.inputs.lite);
        m.section("AXI4-Lite, read channel");
        let (rvalid_reg, rvalid) = m.reg_reset("rvalid", 1, 0);
        let (arready_reg, arready) = m.reg_reset("read_ready", 1, 0);
        let free = m.not(rvalid);
        let not_arready = m.not(arready);
        // Its address is known when it is taken, and what stands there a clock later.
        let here = m.delay_reset("read", arready);
        let not_here = m.not(here);
        let ar_next = m.and(&[lite.s_axil_arvalid, free, not_arready, not_here]);
        m.set_next(arready_reg, ar_next);
        let not_rready = m.not(lite.s_axil_rready);
        let waits = m.and(&[rvalid, not_rready]);
        let rvalid_next = m.or(&[here, waits]);
        m.set_next(rvalid_reg, rvalid_next);
        Read {
            here,
            arready,
            rvalid,
        }
    }

    /// The answers on both channels.
    pub(super) fn answer(
        &mut self,
        (write, read): (&Write, &Read),
        readable: &[Readable],
        writable: &[Node],
    ) -> LiteOut {
        let m = &mut self.m;
        let terms: Vec<Node> = readable
            .iter()
            .map(|(here, word)| m.gate(*here, *word))
            .collect();
        let answer = m.or(&terms);
        let (rdata_reg, rdata) = m.reg("rdata", 32);
        m.set_next_when(rdata_reg, read.here, answer);
        m.section("AXI4-Lite, responses: OKAY or SLVERR");
        let readable: Vec<Node> = readable.iter().map(|(here, _)| *here).collect();
        let readable = m.or(&readable);
        m.name(readable, "readable");
        let writable = m.or(writable);
        m.name(writable, "writable");
        let effective = m.and(&[write.full_word, writable]);
        let effective = m.delay("effective", effective);
        let mut response = |name: &str, when: Node, fine: Node| {
            let (reg, refused) = m.reg_reset(format!("{name}_slverr"), 1, 0);
            let refuses = m.not(fine);
            m.set_next_when(reg, when, refuses);
            let low = m.zero(1);
            m.concat(&[refused, low])
        };
        LiteOut {
            s_axil_awready: write.ready,
            s_axil_wready: write.ready,
            s_axil_bresp: response("bresp", write.answers, effective),
            s_axil_bvalid: write.bvalid,
            s_axil_arready: read.arready,
            s_axil_rdata: rdata,
            s_axil_rresp: response("rresp", read.here, readable),
            s_axil_rvalid: read.rvalid,
        }
    }
}

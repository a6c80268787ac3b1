//! The ports of AXI4-Stream and AXI4-Lite, as the blocks at the edge and the top have them ([`crate::interface`]).

use hardpath_rtl::signals;

/// Bits of `s_axis_tuser` below the program's own inputs.
pub const USER_IN_BITS: u32 = 25;

signals! {
    /// A stream of packets that comes in.
    pub struct StreamIn {
        s_axis_tdata: one "packets in",
        /// The bytes of a beat that are there: all but in the last beat, there packed from bit 0.
        s_axis_tkeep: one "",
        /// A beat is offered.
        s_axis_tvalid: one "",
        /// It is the last one of its packet.
        s_axis_tlast: one "",
        s_axis_tuser: one "bad frame, port, queue, the program's own inputs",
    }
}

signals! {
    /// What comes with a packet, taken on its first beat.
    pub struct SidebandIn {
        time_ns: maybe "the time, taken on a packet's first beat",
        random: maybe "a random number, taken on a packet's first beat",
        egress: maybe "the interface that a packet is about to leave by, taken on its first beat",
    }
}

signals! {
    /// Into a design.
    pub struct TopIn {
        stream: all StreamIn,
        sideband: all SidebandIn,
        /// The beat that is offered is taken.
        m_axis_tready: one "",
        lite: all LiteIn,
    }
}

signals! {
    /// A stream of packets that goes out.
    pub struct StreamOut {
        m_axis_tdata: one "packets out",
        /// The bytes of a beat that are there: all but in the last beat, there packed from bit 0.
        m_axis_tkeep: one "",
        /// A beat is offered; it stays until it is taken.
        m_axis_tvalid: one "",
        /// It is the last one of its packet.
        m_axis_tlast: one "",
        m_axis_tuser: one "the program's outputs, the first in the lowest bits",
        m_axis_tdest: one "bits 33:32 class of destination, bits 31:0 index",
    }
}

signals! {
    /// What becomes of a packet.
    pub struct FateOut {
        fate_valid: one "one strobe for each packet, in order",
        fate: one "the program's outputs; highest bit: it comes out at least once",
    }
}

signals! {
    /// AXI4-Lite: what the host drives.
    pub struct LiteIn {
        s_axil_awaddr: one "host port",
        /// An address to write to is offered.
        s_axil_awvalid: one "",
        /// The word to write.
        s_axil_wdata: one "",
        s_axil_wstrb: one "whole words only",
        /// A word to write is offered.
        s_axil_wvalid: one "",
        /// The host takes the answer to a write.
        s_axil_bready: one "",
        /// The address to read from.
        s_axil_araddr: one "",
        /// An address to read from is offered.
        s_axil_arvalid: one "",
        /// The host takes the answer to a read.
        s_axil_rready: one "",
    }
}

signals! {
    /// AXI4-Lite: what the host is told.
    pub struct LiteOut {
        /// The address to write to is taken.
        s_axil_awready: one "",
        /// The word to write is taken.
        s_axil_wready: one "",
        /// 0: it was written; 2: it was refused.
        s_axil_bresp: one "",
        /// A write is answered.
        s_axil_bvalid: one "",
        /// The address to read from is taken.
        s_axil_arready: one "",
        /// The word that was read.
        s_axil_rdata: one "",
        /// 0: there is such a register; 2: there is none.
        s_axil_rresp: one "",
        /// A read is answered.
        s_axil_rvalid: one "",
    }
}

impl StreamIn<u32> {
    /// For beats of so many bytes, and so many bits of the program's own inputs.
    pub fn of_beats(bytes: u32, own_bits: u32) -> StreamIn<u32> {
        StreamIn {
            s_axis_tdata: bytes * 8,
            s_axis_tkeep: bytes,
            s_axis_tvalid: 1,
            s_axis_tlast: 1,
            s_axis_tuser: USER_IN_BITS + own_bits,
        }
    }
}

impl LiteIn<u32> {
    /// 16-bit addresses, 32-bit data.
    pub fn of_words() -> LiteIn<u32> {
        LiteIn {
            s_axil_awaddr: 16,
            s_axil_awvalid: 1,
            s_axil_wdata: 32,
            s_axil_wstrb: 4,
            s_axil_wvalid: 1,
            s_axil_bready: 1,
            s_axil_araddr: 16,
            s_axil_arvalid: 1,
            s_axil_rready: 1,
        }
    }
}

impl SidebandIn<u32> {
    /// Those that are there.
    pub fn of(has_time: bool, has_random: bool, has_egress: bool) -> SidebandIn<u32> {
        SidebandIn {
            time_ns: has_time.then_some(64),
            random: has_random.then_some(32),
            egress: has_egress.then_some(32),
        }
    }
}

//! The ports of AXI4-Stream and AXI4-Lite, as the blocks at the edge and the top have them ([`crate::interface`]).

use hardpath_rtl::signals;

signals! {
    /// A stream of packets that comes in.
    pub struct StreamIn {
        s_axis_tdata: one "packets in",
        s_axis_tkeep: one "",
        s_axis_tvalid: one "",
        s_axis_tlast: one "",
        s_axis_tuser: one "bad frame, port, queue",
    }
}

signals! {
    /// What comes with a packet, taken on its first beat.
    pub struct SidebandIn {
        time_ns: maybe "the time, taken on a packet's first beat",
        random: maybe "a random number, taken on a packet's first beat",
        egress_ifindex: maybe "the interface that a packet is about to leave by, taken on its first beat",
    }
}

signals! {
    /// A stream of packets that goes out.
    pub struct StreamOut {
        m_axis_tdata: one "packets out",
        m_axis_tkeep: one "",
        m_axis_tvalid: one "",
        m_axis_tlast: one "",
        m_axis_tuser: one "the verdict, and what stands above it; raw: r0",
        m_axis_tdest: one "ifindex of a redirect",
    }
}

signals! {
    /// The strobe of a packet's verdict.
    pub struct VerdictOut {
        verdict_valid: one "one strobe for each packet, in order",
        verdict: one "",
        /// Only with packets that are sent several times.
        verdict_sent: maybe "with the strobe: the packet comes out at least once",
    }
}

signals! {
    /// AXI4-Lite: what the host drives.
    pub struct LiteIn {
        s_axil_awaddr: one "host port",
        s_axil_awvalid: one "",
        s_axil_wdata: one "",
        s_axil_wstrb: one "whole words only",
        s_axil_wvalid: one "",
        s_axil_bready: one "",
        s_axil_araddr: one "",
        s_axil_arvalid: one "",
        s_axil_rready: one "",
    }
}

signals! {
    /// AXI4-Lite: what the host is told.
    pub struct LiteOut {
        s_axil_awready: one "",
        s_axil_wready: one "",
        s_axil_bresp: one "",
        s_axil_bvalid: one "",
        s_axil_arready: one "",
        s_axil_rdata: one "",
        s_axil_rresp: one "",
        s_axil_rvalid: one "",
    }
}

impl StreamIn<u32> {
    /// For beats of so many bytes.
    pub fn of_beats(bytes: u32) -> StreamIn<u32> {
        StreamIn {
            s_axis_tdata: bytes * 8,
            s_axis_tkeep: bytes,
            s_axis_tvalid: 1,
            s_axis_tlast: 1,
            s_axis_tuser: 25,
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
            egress_ifindex: has_egress.then_some(32),
        }
    }
}

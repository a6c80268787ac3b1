//! What the paper of hXDP says (Brunella and others, "hXDP: Efficient Software Packet Processing on FPGA NICs", OSDI 2020). Rates are read
//! from its figures, to about 0.1 Mpps.

/// Its clock.
pub const CLOCK_MHZ: f64 = 156.25;

/// Figure 8, and the table of programs.
pub struct Rows {
    pub program: &'static str,
    /// eBPF instructions.
    pub slots: u32,
    /// At 1, 2, 4 and 8 lanes.
    pub rows: [u32; 4],
    /// At 4 lanes with code motion.
    pub best: u32,
}

pub const ROWS: [Rows; 9] = [
    rows("xdp1", 61, [48, 37, 36, 36], 36),
    rows("xdp2", 78, [64, 46, 43, 41], 43),
    rows("xdp_adjust_tail", 117, [83, 52, 45, 43], 43),
    rows("xdp_router_ipv4", 119, [92, 61, 51, 51], 50),
    rows("xdp_rxq_info", 81, [73, 51, 46, 45], 46),
    rows("xdpsock", 21, [17, 12, 10, 10], 10),
    rows("xdp_tx_iptunnel", 283, [221, 134, 103, 92], 100),
    rows("firewall", 72, [51, 33, 27, 26], 27),
    rows("katran", 268, [205, 128, 104, 101], 102),
];

const fn rows(program: &'static str, slots: u32, rows: [u32; 4], best: u32) -> Rows {
    Rows {
        program,
        slots,
        rows,
        best,
    }
}

/// That program's, if it is one of the paper's.
pub fn rows_of(program: &str) -> Option<&'static Rows> {
    ROWS.iter().find(|rows| rows.program == program)
}

/// Figure 7: by how many percent of the instructions a program shrinks; zeroing, bounds checks, three operands, exits, 6 bytes.
pub const SAVINGS: [(&str, [f64; 5]); 9] = [
    ("xdp1", [1.6, 11.5, 13.1, 3.3, 1.6]),
    ("xdp2", [3.9, 9.0, 10.3, 0.0, 1.3]),
    ("xdp_adjust_tail", [1.7, 7.7, 7.7, 1.7, 18.8]),
    ("xdp_router_ipv4", [5.9, 10.1, 15.1, 5.0, 8.4]),
    ("xdp_rxq_info", [4.9, 3.7, 8.6, 3.7, 3.7]),
    ("xdpsock", [14.3, 9.5, 14.3, 9.5, 9.5]),
    ("xdp_tx_iptunnel", [3.2, 8.9, 9.2, 2.1, 9.2]),
    ("firewall", [11.1, 19.5, 13.9, 5.6, 5.6]),
    ("katran", [8.2, 10.4, 11.9, 4.1, 7.1]),
];

/// Calls of a helper, and clocks a packet.
pub const CALLS: [(u32, f64); 5] = [(1, 7.0), (10, 15.9), (20, 25.8), (30, 36.0), (40, 46.0)];

/// A map access, whatever the length of its key is: clocks a packet.
pub const ACCESS: f64 = 7.0;

/// Bytes of a packet, and microseconds that it takes, through the card and back.
pub const LATENCY: [(usize, f64); 4] = [(64, 1.3), (256, 1.6), (512, 2.4), (1514, 4.9)];

/// Parts, with LUTs, flip-flops and block RAMs.
pub const AREA: [(&str, u32, u32, f64); 8] = [
    ("input queue", 215, 58, 6.5),
    ("packet selector", 9_000, 10_000, 4.0),
    ("processor (lanes, registers, control)", 27_000, 4_000, 0.0),
    ("program memory", 0, 0, 7.7),
    ("stack", 1_000, 136, 16.0),
    ("helpers", 339, 150, 0.0),
    ("maps (64 entries of 64 bytes)", 5_800, 2_500, 16.0),
    ("all of it", 42_000, 18_000, 50.0),
];

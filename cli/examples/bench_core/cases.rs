//! What is measured of the programs of the paper: packets, what maps hold, and how it is seen that the path is the one meant.

use super::frames::{self, Frame, ETHERNET, OUTSIDE, OUTSIDE_6, PORT};
use super::machine::{interpreted, Work, INSIDE, OUTSIDE as OUTSIDE_INTERFACE};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::maps::Image;
use hardpath_ir::Program;
use hardpath_packet::Packet;
use hardpath_testbed::pace::Pace;

/// Packets of a row, and flows where there are many.
pub const PACKETS: usize = 4096;
pub const FLOWS: u32 = 256;
/// The shortest frames on a line, without their check sequence and with it.
pub const SHORTEST: usize = 64;

/// A row.
pub struct Case {
    /// In [`super::programs::OF_THE_PAPER`].
    pub program: &'static str,
    /// What happens.
    pub path: &'static str,
    /// What maps hold, for readers.
    pub told: &'static str,
    pub bytes: usize,
    pub outcome: &'static str,
    pub proofs: Vec<Proof>,
    /// Clocks a packet of hXDP.
    pub theirs: Option<f64>,
    /// Half of them are a limit for ours.
    pub is_limited: bool,
    pub work: fn(&Program) -> Result<Work, Vec<Diagnostic>>,
}

/// How it is seen that a helper ran.
pub enum Proof {
    /// The first 64 bits of an entry count the packets.
    Counted(&'static str, u32),
    /// Without what the maps hold no packet has the same fate.
    NeedsContents,
    /// What leaves is the ICMP message that the packet was too big, with right checksums.
    TooBig,
    /// What leaves is the packet in another IPv4 header.
    Tunnel,
    /// The MAC addresses are others, the rest is the same.
    OtherAddresses,
}

impl Proof {
    /// For readers.
    pub fn told(&self) -> String {
        match self {
            Proof::Counted(map, key) => format!("`{map}[{key}]` counts each packet"),
            Proof::NeedsContents => "without the contents all fates are others".into(),
            Proof::TooBig => "an ICMP message leaves, with right checksums".into(),
            Proof::Tunnel => "a second IPv4 header leaves in front".into(),
            Proof::OtherAddresses => "the MAC addresses are others".into(),
        }
    }
}

/// All of them, in the paper's order.
pub fn all() -> Vec<Case> {
    let limited = |theirs| (Some(theirs), true);
    let row = |program, path, told, outcome, proofs, (theirs, is_limited), work| Case {
        program,
        path,
        told,
        bytes: SHORTEST,
        outcome,
        proofs,
        theirs,
        is_limited,
        work,
    };
    let mut all = vec![
        row(
            "xdp1",
            "counts UDP, drops",
            "-",
            "XDP_DROP",
            vec![Proof::Counted("rxcnt", frames::UDP.into())],
            limited(13.8),
            plain,
        ),
        row(
            "xdp2",
            "counts UDP, swaps MAC addresses, sends back",
            "-",
            "XDP_TX",
            vec![
                Proof::Counted("rxcnt", frames::UDP.into()),
                Proof::OtherAddresses,
            ],
            limited(22.6),
            plain,
        ),
    ];
    for (told, bytes, work) in [
        (
            "`max_pcktsz` 600, as in the object",
            601,
            long as fn(&Program) -> _,
        ),
        (
            "`max_pcktsz` 98, the least that counts",
            99,
            shortest_too_big,
        ),
    ] {
        let (path, proofs) = (
            "too big: cut, ICMP message in front, sent back",
            vec![Proof::Counted("icmpcnt", 0), Proof::TooBig],
        );
        let mut case = row(
            "xdp_adjust_tail",
            path,
            told,
            "XDP_TX",
            proofs,
            limited(59.0),
            work,
        );
        case.bytes = bytes;
        all.push(case);
    }
    all.extend([
        row(
            "xdp_router_ipv4",
            "longest prefix, ARP entry of the destination",
            "a route to 198.18.0.0/15, its host in `arp_table`",
            "XDP_REDIRECT",
            vec![
                Proof::Counted("rx_cnt", 0),
                Proof::NeedsContents,
                Proof::OtherAddresses,
            ],
            limited(39.0),
            routed,
        ),
        row(
            "xdp_router_ipv4",
            "exact match",
            "the destination in `exact_match`",
            "XDP_REDIRECT",
            vec![
                Proof::Counted("rx_cnt", 0),
                Proof::NeedsContents,
                Proof::OtherAddresses,
            ],
            (None, false),
            matched,
        ),
        row(
            "xdp_rxq_info",
            "counts, drops",
            "`config_map`: drop, no option",
            "XDP_DROP",
            vec![
                Proof::Counted("stats_global_map", 0),
                Proof::Counted("rx_queue_index_map", 0),
                Proof::NeedsContents,
            ],
            (Some(14.0), false),
            counted_and_dropped,
        ),
        row(
            "xdp_rxq_info",
            "counts, swaps MAC addresses, sends back",
            "`config_map`: TX, SWAP_MAC",
            "XDP_TX",
            vec![
                Proof::Counted("stats_global_map", 0),
                Proof::Counted("rx_queue_index_map", 0),
                Proof::OtherAddresses,
            ],
            (Some(15.8), false),
            counted_and_sent,
        ),
        row(
            "xdpsock",
            "to the socket of its queue",
            "a socket for queue 0",
            "XDP_REDIRECT",
            vec![Proof::NeedsContents],
            (None, false),
            to_a_socket,
        ),
        row(
            "xdp_tx_iptunnel",
            "IP-in-IP to the service's backend",
            "198.18.0.1:80 (UDP) in `vip2tnl`, over IPv4 and IPv6",
            "XDP_TX",
            vec![
                Proof::Counted("rxcnt", frames::UDP.into()),
                Proof::NeedsContents,
                Proof::Tunnel,
            ],
            limited(62.0),
            tunneled,
        ),
        row(
            "xdp_redirect_map",
            "counts, swaps MAC addresses, to a device",
            "a device in `tx_port_general`",
            "XDP_REDIRECT",
            vec![
                Proof::Counted("rx_cnt", 0),
                Proof::NeedsContents,
                Proof::OtherAddresses,
            ],
            limited(16.0),
            to_a_device,
        ),
        row(
            "firewall",
            "let in: 256 known flows",
            "`flows`: all of them",
            "XDP_REDIRECT",
            vec![Proof::NeedsContents],
            limited(23.9),
            let_in,
        ),
        row(
            "firewall",
            "let in: one known flow",
            "`flows`: this one",
            "XDP_REDIRECT",
            vec![Proof::NeedsContents],
            (Some(23.9), false),
            one_let_in,
        ),
    ]);
    all
}

/// Back to back.
pub fn work(packets: Vec<Packet>, contents: Image) -> Work {
    Work {
        packets,
        contents,
        pace: Pace::BackToBack,
    }
}

/// Packets of many flows, one behind the other, at the port of the interface.
pub fn packets(frame: impl Fn(u32) -> Frame, interface: u32) -> Vec<Packet> {
    let frames = (0..PACKETS as u32).map(|number| frame(number % FLOWS).build());
    frames.map(|data| packet(data, interface)).collect()
}

pub fn packet(data: Vec<u8>, interface: u32) -> Packet {
    Packet {
        data,
        port: (interface - INSIDE) as u8,
        ..Packet::default()
    }
}

fn udp(bytes: usize) -> Vec<Packet> {
    packets(|flow| Frame::udp(flow, bytes), INSIDE)
}

/// An entry of each of these maps.
fn contents<const N: usize>(entries: [(&str, Vec<u8>, Vec<u8>); N]) -> Image {
    let mut image = Image::new();
    for (map, key, value) in entries {
        image.entry(map.to_owned()).or_default().insert(key, value);
    }
    image
}

/// Numbers as a C struct has them.
fn words<const N: usize>(words: [u32; N]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn plain(_: &Program) -> Result<Work, Vec<Diagnostic>> {
    Ok(work(udp(SHORTEST), Image::new()))
}

fn long(_: &Program) -> Result<Work, Vec<Diagnostic>> {
    Ok(work(udp(601), Image::new()))
}

/// The loader writes the limit into `.data`.
fn shortest_too_big(program: &Program) -> Result<Work, Vec<Diagnostic>> {
    let data = program.maps.values().find(|map| map.initial.is_some());
    let data = data.ok_or_else(|| super::wrong("the program has no .data".into()))?;
    let mut value = data.initial.clone().unwrap_or_default();
    value[..4].copy_from_slice(&98u32.to_le_bytes());
    let contents = contents([(data.name.as_str(), words([0]), value)]);
    Ok(work(udp(99), contents))
}

/// The MAC addresses of the next hop and of the router, as the program has them.
const HOP: [u8; 8] = [2, 0xee, 0, 0, 0, 9, 0, 0];
const ROUTER: [u8; 8] = [2, 0xaa, 0, 0, 0, 7, 0, 0];
const DEVICE: u32 = 3;

fn routed(_: &Program) -> Result<Work, Vec<Diagnostic>> {
    let prefix = [15u32.to_le_bytes(), [198, 18, 0, 0]].concat();
    // Prefix, the router's address, device, metric, gateway.
    let route = [
        &[198, 18, 0, 0, 0, 0, 0, 0][..],
        &ROUTER,
        &words([DEVICE, 1, 0, 0]),
    ];
    let contents = contents([
        ("lpm_map", prefix, route.concat()),
        ("arp_table", OUTSIDE.to_vec(), HOP.to_vec()),
        ("tx_port", words([DEVICE]), words([OUTSIDE_INTERFACE])),
    ]);
    Ok(work(udp(SHORTEST), contents))
}

fn matched(_: &Program) -> Result<Work, Vec<Diagnostic>> {
    // The next hop and its address, device, the router's address.
    let entry = [&HOP[..], &OUTSIDE, &[0; 4], &words([DEVICE, 0]), &ROUTER];
    let contents = contents([
        ("exact_match", OUTSIDE.to_vec(), entry.concat()),
        ("tx_port", words([DEVICE]), words([OUTSIDE_INTERFACE])),
    ]);
    Ok(work(udp(SHORTEST), contents))
}

fn counted_and_dropped(_: &Program) -> Result<Work, Vec<Diagnostic>> {
    let config = words([1, INSIDE, 0]);
    let contents = contents([("config_map", words([0]), config)]);
    Ok(work(udp(SHORTEST), contents))
}

fn counted_and_sent(_: &Program) -> Result<Work, Vec<Diagnostic>> {
    let config = words([3, INSIDE, 2]);
    let contents = contents([("config_map", words([0]), config)]);
    Ok(work(udp(SHORTEST), contents))
}

fn to_a_socket(program: &Program) -> Result<Work, Vec<Diagnostic>> {
    let sockets = program.maps.values().find(|map| map.outside == "xskmap");
    let sockets = sockets.ok_or_else(|| super::wrong("xdpsock has no sockets".into()))?;
    let contents = contents([(sockets.name.as_str(), words([0]), words([1]))]);
    Ok(work(udp(SHORTEST), contents))
}

/// Where the tunnel begins and ends.
const TUNNEL: [[u8; 4]; 2] = [[192, 0, 2, 1], [192, 0, 2, 2]];
const IPV4: u16 = 2;
const IPV6: u16 = 10;

fn tunneled(_: &Program) -> Result<Work, Vec<Diagnostic>> {
    let service = |address: &[u8], family: u16| {
        let mut key = address.to_vec();
        key.resize(16, 0);
        key.extend(PORT.to_be_bytes());
        key.extend(family.to_le_bytes());
        key.extend([frames::UDP, 0, 0, 0]);
        key
    };
    let tunnel = |ends: [&[u8]; 2], family: u16| {
        let mut value = Vec::new();
        for end in ends {
            value.extend(end);
            value.resize(value.len().next_multiple_of(16), 0);
        }
        value.extend(family.to_le_bytes());
        value.extend(&HOP[..6]);
        value
    };
    let [from, to] = &TUNNEL;
    let six = [0x20; 16];
    let contents = contents([
        ("vip2tnl", service(&OUTSIDE, IPV4), tunnel([from, to], IPV4)),
        (
            "vip2tnl",
            service(&OUTSIDE_6, IPV6),
            tunnel([&six, &six], IPV6),
        ),
    ]);
    Ok(work(udp(SHORTEST), contents))
}

fn to_a_device(_: &Program) -> Result<Work, Vec<Diagnostic>> {
    let contents = contents([("tx_port_general", words([0]), words([OUTSIDE_INTERFACE]))]);
    Ok(work(udp(SHORTEST), contents))
}

fn let_in(program: &Program) -> Result<Work, Vec<Diagnostic>> {
    known_flows(program, |flow| flow, SHORTEST)
}

fn one_let_in(program: &Program) -> Result<Work, Vec<Diagnostic>> {
    known_flows(program, |_| 0, SHORTEST)
}

/// Packets from outside, of flows that packets from inside have opened.
pub fn known_flows(
    program: &Program,
    flow: fn(u32) -> u32,
    bytes: usize,
) -> Result<Work, Vec<Diagnostic>> {
    let config = [&words([INSIDE])[..], &[10, 0, 0, 0, 255, 0, 0, 0]].concat();
    let settings = contents([
        ("config", words([0]), config),
        ("ports", words([0]), words([OUTSIDE_INTERFACE])),
        ("ports", words([1]), words([INSIDE])),
    ]);
    let opening = packets(|number| Frame::udp(flow(number), bytes), INSIDE);
    let (_, contents) = interpreted(program, &work(opening, settings))?;
    let turned = |number| Frame {
        turned: true,
        ..Frame::udp(flow(number), bytes)
    };
    Ok(work(packets(turned, OUTSIDE_INTERFACE), contents))
}

/// Whether a packet left as a message that it was too big (RFC 792).
pub fn is_too_big(sent: &[u8]) -> bool {
    let (header, message) = (&sent[ETHERNET..ETHERNET + 20], &sent[ETHERNET + 20..]);
    header[9] == frames::ICMP
        && message[..2] == [3, 4]
        && frames::checksum(header) == 0
        && frames::checksum(message) == 0
}

/// Whether it left behind a header of the tunnel.
pub fn is_in_tunnel(sent: &[u8], came: &[u8]) -> bool {
    let header = &sent[ETHERNET..ETHERNET + 20];
    header[9] == 4 && header[12..] == TUNNEL.concat() && sent[ETHERNET + 20..] == came[ETHERNET..]
}

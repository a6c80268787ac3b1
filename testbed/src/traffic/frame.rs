//! Frames of a conversation, with right lengths and checksums.

use etherparse::err::packet::BuildWriteError;
use etherparse::{IpNumber, Ipv4Header, PacketBuilder};
use hardpath_diagnostic::Diagnostic;
use rand::{Rng, RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::net::SocketAddrV4;

use super::Tunnel;

/// Two ends that talk: addresses, ports, and how far a TCP connection has come.
#[derive(Clone, Debug)]
pub struct Conversation {
    pub tcp: bool,
    /// The one that begins.
    inner: End,
    outer: End,
    /// Address and port that the outer end sees instead of the inner end's.
    translated: Option<SocketAddrV4>,
    packets: u64,
    turned_packets: u64,
}

#[derive(Clone, Debug)]
struct End {
    mac: [u8; 6],
    address: [u8; 4],
    port: u16,
    sequence: u32,
}

pub const ETHERNET_BYTES: usize = 14;
/// Ethernet, IPv4 and UDP.
pub const UDP_HEADER_BYTES: usize = 14 + 20 + 8;
/// Ethernet, IPv4 and TCP.
pub const TCP_HEADER_BYTES: usize = 14 + 20 + 20;
/// IEEE 802: for local experiments.
const EXPERIMENTAL_ETHERTYPE: [u8; 2] = [0x88, 0xb5];

impl Conversation {
    /// The conversation of that index (below 2^24): each has its own inner address.
    pub fn new(index: u32, tcp: bool, seed: u64) -> Conversation {
        let own_seed = seed ^ (u64::from(index) << 32 | u64::from(index));
        let mut random = Pcg64Mcg::seed_from_u64(own_seed);
        // An odd factor permutes the 2^24 addresses, so that neighbours differ in more than their last bits.
        let host = index.wrapping_mul(0x009e_3779) & 0x00ff_ffff;
        let [_, a, b, c] = host.to_be_bytes();
        let inner = End {
            mac: [0x02, 0, 0, a, b, c],
            address: [10, a, b, c],
            port: random.random_range(1024..=u16::MAX),
            sequence: random.random(),
        };
        // 198.18.0.0/15 is for benchmarks (RFC 2544).
        let outer = End {
            mac: [0x02, 0xff, 0, 0, 0, random.random_range(1..=4)],
            address: [
                198,
                random.random_range(18..=19),
                random.random(),
                random.random(),
            ],
            port: [53, 80, 443, 4789, random.random_range(1..1024)][random.random_range(0..5)],
            sequence: random.random(),
        };
        Conversation {
            tcp,
            inner,
            outer,
            translated: None,
            packets: 0,
            turned_packets: 0,
        }
    }

    /// Moves the outer end.
    pub fn talk_to(&mut self, service: SocketAddrV4) {
        self.outer.address = service.ip().octets();
        self.outer.port = service.port();
    }

    /// A NAT stands between the ends, and what comes from outside is seen in front of it.
    pub fn translate(&mut self, seen: SocketAddrV4) {
        self.translated = Some(seen);
    }

    pub fn was_seen(&self) -> bool {
        self.packets > 0
    }
}

/// The next frame of the conversation, `size` bytes long; `turned`: from the outer to the inner end.
pub fn build(
    conversation: &mut Conversation,
    turned: bool,
    size: usize,
    random: &mut Pcg64Mcg,
) -> Result<Vec<u8>, Diagnostic> {
    let is_first = match turned {
        false => conversation.packets == 0,
        true => conversation.turned_packets == 0,
    };
    conversation.packets += 1;
    conversation.turned_packets += u64::from(turned);
    let (from, to) = match turned {
        false => (&mut conversation.inner, &mut conversation.outer),
        true => (&mut conversation.outer, &mut conversation.inner),
    };
    let header_bytes = match conversation.tcp {
        true => TCP_HEADER_BYTES,
        false => UDP_HEADER_BYTES,
    };
    let mut frame = Vec::with_capacity(size);
    if size < header_bytes {
        frame.extend(to.mac);
        frame.extend(from.mac);
        frame.extend(EXPERIMENTAL_ETHERTYPE);
        frame.resize(size.max(ETHERNET_BYTES), 0);
        random.fill_bytes(&mut frame[ETHERNET_BYTES..]);
        return Ok(frame);
    }
    let mut payload = vec![0; size - header_bytes];
    random.fill_bytes(&mut payload);
    let time_to_live = random.random_range(2..=64);
    let (address, port) = match conversation.translated {
        Some(seen) if turned => (seen.ip().octets(), seen.port()),
        _ => (to.address, to.port),
    };
    let ip = PacketBuilder::ethernet2(from.mac, to.mac).ipv4(from.address, address, time_to_live);
    if conversation.tcp {
        let tcp = ip.tcp(from.port, port, from.sequence, 0xffff);
        let tcp = match (is_first, turned) {
            (true, false) => tcp.syn(),
            (true, true) => tcp.syn().ack(to.sequence),
            (false, _) => tcp.psh().ack(to.sequence),
        };
        from.sequence = from.sequence.wrapping_add(payload.len() as u32);
        tcp.write(&mut frame, &payload)
    } else {
        ip.udp(from.port, port).write(&mut frame, &payload)
    }
    .map_err(cannot_build)?;
    Ok(frame)
}

/// Puts an IPv4 header of a tunnel in front of what a frame carries. What is no IPv4 stays as it is.
pub fn wrap(frame: &mut Vec<u8>, tunnel: &Tunnel) {
    let inner_bytes = frame.len() - ETHERNET_BYTES;
    let is_ipv4 = frame[12..ETHERNET_BYTES] == [0x08, 0x00];
    let Ok(mut outer) = Ipv4Header::new(
        inner_bytes as u16,
        OUTER_TIME_TO_LIVE,
        IpNumber::IPV4,
        tunnel.from.octets(),
        tunnel.to.octets(),
    ) else {
        return;
    };
    if !is_ipv4 {
        return;
    }
    outer.header_checksum = outer.calc_header_checksum();
    frame.splice(ETHERNET_BYTES..ETHERNET_BYTES, outer.to_bytes());
    frame.truncate(hardpath_packet::MAX_PACKET_BYTES as usize);
}

const OUTER_TIME_TO_LIVE: u8 = 64;

pub fn cannot_build(error: BuildWriteError) -> Diagnostic {
    Diagnostic::input("traffic-frame", format!("cannot build a frame: {error}"))
}

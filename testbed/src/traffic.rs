//! Generated traffic: flows of UDP and TCP packets with right lengths and checksums, or hostile ones. The same
//! options give the same packets.

mod frame;
mod hostile;

use crate::capture::Captured;
use frame::{build, wrap, Conversation};
use hardpath_diagnostic::Diagnostic;
use hardpath_packet::{MAX_PACKET_BYTES, MIN_PACKET_BYTES};
use rand::distr::weighted::WeightedIndex;
use rand::distr::Distribution as _;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::str::FromStr;

/// What to generate.
#[derive(Clone, PartialEq, Debug)]
pub struct TrafficOptions {
    /// How many.
    pub packets: usize,
    /// 1 to [`MAX_FLOWS`].
    pub flows: u32,
    /// How packets are spread over these flows.
    pub distribution: Distribution,
    /// How long frames are, before a tunnel is put around them.
    pub size: Size,
    /// What flows have above IPv4.
    pub protocol: Protocol,
    /// Packets of a flow go both ways; the first one goes out.
    pub both_directions: bool,
    /// All flows go to this address and port.
    pub service: Option<SocketAddrV4>,
    /// Answers come to this address, and to a port that is counted up from this one with every new flow: what a NAT
    /// with one address outside gives out.
    pub nat: Option<SocketAddrV4>,
    /// Packets come in a tunnel (IP in IP) between these ends.
    pub tunnel: Option<Tunnel>,
    /// Every header field goes to its extremes, lengths lie, packets are cut off.
    pub hostile: bool,
    /// Of all that is random.
    pub seed: u64,
}

/// The ends of an IP-in-IP tunnel (RFC 2003).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tunnel {
    /// Source address of the outer header.
    pub from: Ipv4Addr,
    /// Destination address of the outer header.
    pub to: Ipv4Addr,
}

/// A flow has its own address in 10.0.0.0/8.
pub const MAX_FLOWS: u32 = 1 << 24;

impl Default for TrafficOptions {
    fn default() -> Self {
        TrafficOptions {
            packets: 1000,
            flows: 100,
            distribution: Distribution::Uniform,
            size: Size::Fixed(64),
            protocol: Protocol::Udp,
            both_directions: false,
            service: None,
            nat: None,
            tunnel: None,
            hostile: false,
            seed: 0,
        }
    }
}

/// How packets are spread over flows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Distribution {
    /// All packets in the first flow.
    One,
    /// Each flow as often as any other.
    Uniform,
    /// Flow k (from 1) with a weight of 1 / k^exponent.
    Zipf {
        /// 0 or more; 0 is uniform.
        exponent: f64,
    },
}

/// Frame lengths without the check sequence, 14 to 9,216 bytes. A frame too short for the headers of its protocol
/// carries no IP but the EtherType for local experiments (IEEE 802, 0x88b5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// All of so many bytes.
    Fixed(usize),
    /// The simple Internet mix: 60, 590 and 1,514 bytes as 7 : 4 : 1.
    Imix,
    /// Both included, each length as often as any other.
    Range(usize, usize),
}

/// What flows have above IPv4.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// All flows are UDP.
    Udp,
    /// All flows are TCP.
    Tcp,
    /// Every other flow is TCP, the rest UDP.
    Mixed,
}

impl FromStr for Size {
    type Err = Diagnostic;

    /// `BYTES`, `imix` or `min:max`.
    fn from_str(text: &str) -> Result<Size, Diagnostic> {
        let wrong = |what: &str| {
            Diagnostic::input("traffic-size", format!("`{text}` {what}"))
                .help("give BYTES, imix or min:max with 14 to 9216 bytes")
        };
        let bytes = |text: &str| {
            let bytes = text.parse().map_err(|_| wrong("is no frame size"))?;
            match (MIN_PACKET_BYTES as usize..=MAX_PACKET_BYTES as usize).contains(&bytes) {
                true => Ok(bytes),
                false => Err(wrong("is not within 14 to 9216 bytes")),
            }
        };
        if text == "imix" {
            return Ok(Size::Imix);
        }
        match text.split_once(':') {
            None => bytes(text).map(Size::Fixed),
            Some((least, most)) => match (bytes(least)?, bytes(most)?) {
                (least, most) if least <= most => Ok(Size::Range(least, most)),
                _ => Err(wrong("has its larger size first")),
            },
        }
    }
}

impl FromStr for Tunnel {
    type Err = Diagnostic;

    /// `FROM:TO`, two IPv4 addresses.
    fn from_str(text: &str) -> Result<Tunnel, Diagnostic> {
        let ends = text.split_once(':').and_then(|(from, to)| {
            Some(Tunnel {
                from: from.parse().ok()?,
                to: to.parse().ok()?,
            })
        });
        ends.ok_or_else(|| {
            Diagnostic::input("traffic-tunnel", format!("`{text}` is no tunnel"))
                .help("give the IPv4 addresses of both ends: 192.0.2.1:192.0.2.2")
        })
    }
}

impl FromStr for Protocol {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Protocol, Diagnostic> {
        match text {
            "udp" => Ok(Protocol::Udp),
            "tcp" => Ok(Protocol::Tcp),
            "mixed" => Ok(Protocol::Mixed),
            _ => Err(
                Diagnostic::input("traffic-protocol", format!("`{text}` is no protocol"))
                    .help("give udp, tcp or mixed"),
            ),
        }
    }
}

impl Distribution {
    /// `one`, `uniform` or `zipf`; the exponent counts for the latter.
    pub fn parse(text: &str, exponent: f64) -> Result<Distribution, Diagnostic> {
        match text {
            "one" => Ok(Distribution::One),
            "uniform" => Ok(Distribution::Uniform),
            "zipf" if exponent.is_finite() && exponent >= 0.0 => {
                Ok(Distribution::Zipf { exponent })
            }
            "zipf" => Err(Diagnostic::input(
                "traffic-distribution",
                format!("{exponent} is no exponent of a Zipf distribution"),
            )
            .help("give --zipf a number from 0 up, such as 1.0")),
            _ => Err(Diagnostic::input(
                "traffic-distribution",
                format!("`{text}` is no distribution"),
            )
            .help("give one, uniform or zipf")),
        }
    }
}

/// Generates the packets. Their times are those of a 10 Gbit/s line without a pause.
pub fn generate(options: &TrafficOptions) -> Result<Vec<Captured>, Diagnostic> {
    if !(1..=MAX_FLOWS).contains(&options.flows) {
        return Err(Diagnostic::input(
            "traffic-flows",
            format!("{} flows: there may be 1 to {MAX_FLOWS}", options.flows),
        ));
    }
    let mut random = Pcg64Mcg::seed_from_u64(options.seed);
    let chooser = FlowChooser::new(options)?;
    let mut conversations: HashMap<u32, Conversation> = HashMap::new();
    let mut time_ns = FIRST_TIME_NS;
    let mut packets = Vec::with_capacity(options.packets);
    for _ in 0..options.packets {
        let index = chooser.choose(&mut random);
        let known = conversations.len() as u32;
        let conversation = conversations
            .entry(index)
            .or_insert_with(|| begin(options, index, known));
        let turned = options.both_directions && conversation.was_seen() && random.random();
        let size = size(options.size, &mut random);
        let mut data = build(conversation, turned, size, &mut random)?;
        if let Some(tunnel) = &options.tunnel {
            wrap(&mut data, tunnel);
        }
        if options.hostile {
            hostile::distort(&mut data, &mut random)?;
        }
        let on_line_bytes = data.len().max(60) as u64 + 24;
        packets.push(Captured {
            data,
            time_ns,
            comment: None,
        });
        // 10 Gbit/s are 0.8 ns a byte.
        time_ns += on_line_bytes * 4 / 5;
    }
    Ok(packets)
}

/// The conversation of that index, the `known + 1`st one that begins.
fn begin(options: &TrafficOptions, index: u32, known: u32) -> Conversation {
    let tcp = match options.protocol {
        Protocol::Udp => false,
        Protocol::Tcp => true,
        Protocol::Mixed => index % 2 == 1,
    };
    let mut conversation = Conversation::new(index, tcp, options.seed);
    if let Some(service) = options.service {
        conversation.talk_to(service);
    }
    if let Some(nat) = options.nat {
        // Ports wrap around, as they do in the NAT.
        let port = nat.port().wrapping_add(known as u16);
        conversation.translate(SocketAddrV4::new(*nat.ip(), port));
    }
    conversation
}

/// 2026-01-01 00:00:00 UTC.
const FIRST_TIME_NS: u64 = 1_767_225_600_000_000_000;

enum FlowChooser {
    One,
    Uniform(u32),
    Weighted(WeightedIndex<f64>),
}

impl FlowChooser {
    fn new(options: &TrafficOptions) -> Result<FlowChooser, Diagnostic> {
        Ok(match options.distribution {
            Distribution::One => FlowChooser::One,
            Distribution::Uniform => FlowChooser::Uniform(options.flows),
            Distribution::Zipf { exponent } => {
                let weights = (1..=options.flows).map(|k| f64::from(k).powf(-exponent));
                let weighted = WeightedIndex::new(weights).map_err(|error| {
                    Diagnostic::input("traffic-distribution", format!("no weights: {error}"))
                })?;
                FlowChooser::Weighted(weighted)
            }
        })
    }

    fn choose(&self, random: &mut Pcg64Mcg) -> u32 {
        match self {
            FlowChooser::One => 0,
            FlowChooser::Uniform(flows) => random.random_range(0..*flows),
            FlowChooser::Weighted(weights) => weights.sample(random) as u32,
        }
    }
}

fn size(size: Size, random: &mut Pcg64Mcg) -> usize {
    match size {
        Size::Fixed(bytes) => bytes,
        Size::Imix => match random.random_range(0..12u32) {
            0..7 => 60,
            7..11 => 590,
            _ => 1514,
        },
        Size::Range(least, most) => random.random_range(least..=most),
    }
}

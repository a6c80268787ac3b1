//! Hostile frames: what no well-behaved sender sends and every program must bear.

use super::frame::{cannot_build, ETHERNET_BYTES};
use etherparse::PacketBuilder;
use hardpath_diagnostic::Diagnostic;
use rand::seq::IndexedRandom;
use rand::{Rng, RngCore};
use rand_pcg::Pcg64Mcg;

/// Makes a right IPv4 frame hostile. Some frames stay as they are, so that programs keep their state busy.
pub fn distort(frame: &mut Vec<u8>, random: &mut Pcg64Mcg) -> Result<(), Diagnostic> {
    match random.random_range(0..20u32) {
        0..=2 => return Ok(()),
        3..=8 => distort_fields(frame, random),
        9 => insert_options(frame, random),
        10 | 11 => insert_vlan_tags(frame, random),
        12..=14 => *frame = ipv6_frame(frame.len(), random)?,
        15 => *frame = arp_frame(random),
        16 => set_ethertype(frame, random.random()),
        17 => fill(frame, random),
        _ => {}
    }
    // Distorted further: half of them a second time in their fields, a quarter cut off.
    if random.random_ratio(1, 2) {
        distort_fields(frame, random);
    }
    if random.random_ratio(1, 4) {
        cut(frame, random);
    }
    Ok(())
}

/// A field of a header: where it begins in the frame and how many bytes it has.
struct Field {
    offset: usize,
    bytes: usize,
}

const fn field(offset: usize, bytes: usize) -> Field {
    Field { offset, bytes }
}

/// The fields of Ethernet, IPv4 (RFC 791) and, behind 20 bytes of IPv4, UDP (RFC 768) and TCP (RFC 9293).
const FIELDS: [Field; 24] = [
    field(0, 6),  // destination MAC
    field(6, 6),  // source MAC
    field(12, 2), // EtherType
    field(14, 1), // version and header length
    field(15, 1), // type of service
    field(16, 2), // total length
    field(18, 2), // identification
    field(20, 2), // flags and fragment offset
    field(22, 1), // time to live
    field(23, 1), // protocol
    field(24, 2), // header checksum
    field(26, 4), // source address
    field(30, 4), // destination address
    field(34, 2), // source port
    field(36, 2), // destination port
    field(38, 2), // UDP length
    field(40, 2), // UDP checksum
    field(38, 4), // TCP sequence number
    field(42, 4), // TCP acknowledgement number
    field(46, 1), // TCP data offset
    field(47, 1), // TCP flags
    field(48, 2), // TCP window
    field(50, 2), // TCP checksum
    field(52, 2), // TCP urgent pointer
];

const ETHERTYPES: [u16; 12] = [
    0x0800, 0x86dd, 0x0806, 0x8100, 0x88a8, 0x8847, 0x0000, 0x05dc, 0x0600, 0x8863, 0x88cc, 0xffff,
];
/// IP protocols that parsers know, and the ends of the range.
const PROTOCOLS: [u8; 14] = [0, 1, 2, 4, 6, 17, 41, 43, 44, 47, 50, 58, 132, 255];

/// Gives one to five fields an extreme value.
fn distort_fields(frame: &mut [u8], random: &mut Pcg64Mcg) {
    for _ in 0..random.random_range(1..=5u32) {
        let Some(field) = FIELDS.choose(random) else {
            return;
        };
        let Some(bytes) = frame.get_mut(field.offset..field.offset + field.bytes) else {
            continue;
        };
        match (field.offset, random.random_range(0..8u32)) {
            // What a parser branches on gets values that lead further, too.
            (12, 0..=3) => {
                let ethertype = ETHERTYPES.choose(random).copied().unwrap_or_default();
                bytes.copy_from_slice(&ethertype.to_be_bytes());
            }
            (14, 0..=3) => bytes[0] = 0x40 | random.random_range(0..16u8),
            (20, 0..=3) => {
                let fragment = [0x2000, 0x4000, 0x8000, 0x0001, 0x1fff, 0x2001, 0x3fff];
                let fragment: u16 = fragment.choose(random).copied().unwrap_or_default();
                bytes.copy_from_slice(&fragment.to_be_bytes());
            }
            (23, 0..=4) => bytes[0] = PROTOCOLS.choose(random).copied().unwrap_or_default(),
            (46, 0..=3) => bytes[0] = random.random_range(0..16u8) << 4,
            (_, choice) => make_extreme(bytes, choice, random),
        }
    }
}

/// Zeros, ones, the ends of the signed range, one more or less, or anything.
fn make_extreme(bytes: &mut [u8], choice: u32, random: &mut Pcg64Mcg) {
    let last = bytes.len() - 1;
    match choice {
        0 => bytes.fill(0),
        1 | 2 => bytes.fill(0xff),
        3 => {
            bytes.fill(0xff);
            bytes[0] = 0x7f;
        }
        4 => {
            bytes.fill(0);
            bytes[0] = 0x80;
        }
        5 => bytes[last] = bytes[last].wrapping_add(1),
        6 => bytes[last] = bytes[last].wrapping_sub(1),
        _ => random.fill_bytes(bytes),
    }
}

/// IPv4 options: 4 to 40 bytes between the header and what follows it; the header says so, its checksum lies.
fn insert_options(frame: &mut Vec<u8>, random: &mut Pcg64Mcg) {
    let Some(version_and_length) = frame.get_mut(14) else {
        return;
    };
    let words = random.random_range(1..=10u8);
    *version_and_length = 0x40 | (5 + words);
    let mut options = vec![0; usize::from(words) * 4];
    random.fill_bytes(&mut options);
    let at = frame.len().min(34);
    frame.splice(at..at, options);
    frame.truncate(hardpath_packet::MAX_PACKET_BYTES as usize);
}

/// One to three VLAN tags (IEEE 802.1Q, 802.1ad).
fn insert_vlan_tags(frame: &mut Vec<u8>, random: &mut Pcg64Mcg) {
    for _ in 0..random.random_range(1..=3u32) {
        let ethertype: u16 = if random.random() { 0x8100 } else { 0x88a8 };
        let [high, low] = ethertype.to_be_bytes();
        let at = frame.len().min(12);
        frame.splice(at..at, [high, low, random.random(), random.random()]);
    }
    frame.truncate(hardpath_packet::MAX_PACKET_BYTES as usize);
}

/// Hop-by-hop (0), destination (60) and fragment (44) headers in front of UDP or TCP, or none of them (RFC 8200).
fn ipv6_frame(size: usize, random: &mut Pcg64Mcg) -> Result<Vec<u8>, Diagnostic> {
    let (mut from, mut to) = ([0; 16], [0; 16]);
    random.fill_bytes(&mut from);
    random.fill_bytes(&mut to);
    // 2001:db8::/32 is for documentation (RFC 3849).
    from[..4].copy_from_slice(&[0x20, 0x01, 0x0d, 0xb8]);
    to[..4].copy_from_slice(&[0x20, 0x01, 0x0d, 0xb8]);
    let macs = ([2, 0, 0, 0, 0, 6], [2, 0xff, 0, 0, 0, 6]);
    let ip = PacketBuilder::ethernet2(macs.0, macs.1).ipv6(from, to, random.random());
    let mut payload = vec![0; size.saturating_sub(14 + 40 + 20)];
    random.fill_bytes(&mut payload);
    let mut frame = Vec::new();
    let (from_port, to_port) = (random.random(), random.random());
    if random.random() {
        ip.udp(from_port, to_port).write(&mut frame, &payload)
    } else {
        ip.tcp(from_port, to_port, random.random(), random.random())
            .write(&mut frame, &payload)
    }
    .map_err(cannot_build)?;
    if random.random() {
        insert_extension_headers(&mut frame, random);
    }
    frame.truncate(hardpath_packet::MAX_PACKET_BYTES as usize);
    Ok(frame)
}

/// The next-header field of IPv6 and the end of its fixed header, in a frame.
const IPV6_NEXT_HEADER: usize = 20;
const IPV6_END: usize = 54;

fn insert_extension_headers(frame: &mut Vec<u8>, random: &mut Pcg64Mcg) {
    for _ in 0..random.random_range(1..=3u32) {
        let next = frame[IPV6_NEXT_HEADER];
        let kind = [0, 60, 44, 43].choose(random).copied().unwrap_or_default();
        frame[IPV6_NEXT_HEADER] = kind;
        let mut header = [0; 8];
        random.fill_bytes(&mut header);
        header[0] = next;
        if random.random_ratio(3, 4) {
            header[1] = 0;
        }
        frame.splice(IPV6_END..IPV6_END, header);
    }
}

/// A request or answer for Ethernet and IPv4 (RFC 826), 42 or 60 bytes.
fn arp_frame(random: &mut Pcg64Mcg) -> Vec<u8> {
    let mut frame = vec![0xff; 6];
    frame.extend([2, 0, 0, 0, 0, random.random()]);
    frame.extend([
        0x08,
        0x06,
        0,
        1,
        0x08,
        0,
        6,
        4,
        0,
        random.random_range(1..=2),
    ]);
    let mut addresses = [0; 20];
    random.fill_bytes(&mut addresses);
    frame.extend(addresses);
    if random.random() {
        frame.resize(60, 0);
    }
    frame
}

fn set_ethertype(frame: &mut [u8], ethertype: u16) {
    if let Some(bytes) = frame.get_mut(12..14) {
        bytes.copy_from_slice(&ethertype.to_be_bytes());
    }
}

/// Every byte 0, every byte 0xff, or noise; sometimes behind an EtherType that parsers follow.
fn fill(frame: &mut [u8], random: &mut Pcg64Mcg) {
    match random.random_range(0..3u32) {
        0 => frame.fill(0),
        1 => frame.fill(0xff),
        _ => random.fill_bytes(frame),
    }
    if random.random() {
        set_ethertype(
            frame,
            ETHERTYPES.choose(random).copied().unwrap_or_default(),
        );
    }
}

/// Cuts the frame: anywhere, or within the headers, but not below an Ethernet header.
fn cut(frame: &mut Vec<u8>, random: &mut Pcg64Mcg) {
    let most = match random.random() {
        true => frame.len(),
        false => frame.len().min(80),
    };
    frame.truncate(random.random_range(ETHERNET_BYTES..=most.max(ETHERNET_BYTES)));
}

//! Packets: Ethernet frames of flows that a host inside has with one outside, with a payload of zeros.

pub const UDP: u8 = 17;
pub const TCP: u8 = 6;
pub const ICMP: u8 = 1;
/// The host outside, and the network that it is in (RFC 2544).
pub const OUTSIDE: [u8; 4] = [198, 18, 0, 1];
/// The same in IPv6 (RFC 5180).
pub const OUTSIDE_6: [u8; 16] = [0x20, 0x01, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
/// Its port.
pub const PORT: u16 = 80;
/// Bytes of an Ethernet header.
pub const ETHERNET: usize = 14;

/// A frame to be.
#[derive(Clone, Copy)]
pub struct Frame {
    /// Each has an address and a port of its own inside.
    pub flow: u32,
    /// Without the check sequence.
    pub bytes: usize,
    pub protocol: u8,
    /// From outside to inside.
    pub turned: bool,
    /// VLAN tags.
    pub tags: usize,
    /// IPv6.
    pub is_six: bool,
}

impl Frame {
    /// UDP over IPv4, to the outside.
    pub fn udp(flow: u32, bytes: usize) -> Frame {
        Frame {
            flow,
            bytes,
            protocol: UDP,
            turned: false,
            tags: 0,
            is_six: false,
        }
    }

    pub fn build(self) -> Vec<u8> {
        let mut frame = Vec::with_capacity(self.bytes);
        let [_, a, b, c] = self.flow.to_be_bytes();
        let ends = [[2, 0, 0, a, b, c], [2, 0xff, 0, 0, 0, 1]];
        let turn = usize::from(self.turned);
        frame.extend(ends[1 - turn]);
        frame.extend(ends[turn]);
        for tag in 0..self.tags {
            frame.extend([0x81, 0x00, 0, tag as u8 + 1]);
        }
        frame.extend(if self.is_six { [0x86, 0xdd] } else { [8, 0] });
        let room = self.bytes.saturating_sub(frame.len());
        match self.is_six {
            true => frame.extend(self.header_6(room)),
            false => frame.extend(self.header_4(room)),
        }
        let mut ports = [1024 + (self.flow % 50_000) as u16, PORT];
        if self.turned {
            ports.reverse();
        }
        ports
            .iter()
            .for_each(|port| frame.extend(port.to_be_bytes()));
        match self.protocol {
            TCP => frame.extend([0, 0, 0, 1, 0, 0, 0, 1, 0x50, 0x10, 0xff, 0xff, 0, 0, 0, 0]),
            _ => {
                let behind = room.saturating_sub(if self.is_six { 40 } else { 20 });
                frame.extend((behind as u16).to_be_bytes());
                frame.extend([0, 0]);
            }
        }
        frame.resize(self.bytes, 0);
        frame
    }

    fn header_4(self, room: usize) -> Vec<u8> {
        let [_, a, b, c] = self.flow.to_be_bytes();
        let mut header = vec![0x45, 0];
        header.extend((room as u16).to_be_bytes());
        header.extend([0, 0, 0, 0, 64, self.protocol, 0, 0]);
        let mut ends = [[10, a, b, c], OUTSIDE];
        if self.turned {
            ends.reverse();
        }
        ends.iter().for_each(|end| header.extend(end));
        let sum = checksum(&header);
        header[10..12].copy_from_slice(&sum.to_be_bytes());
        header
    }

    fn header_6(self, room: usize) -> Vec<u8> {
        let mut header = vec![0x60, 0, 0, 0];
        header.extend((room.saturating_sub(40) as u16).to_be_bytes());
        header.extend([self.protocol, 64]);
        let mut inside = OUTSIDE_6;
        inside[12..].copy_from_slice(&self.flow.wrapping_add(2).to_be_bytes());
        let mut ends = [inside, OUTSIDE_6];
        if self.turned {
            ends.reverse();
        }
        ends.iter().for_each(|end| header.extend(end));
        header
    }
}

/// That of an IPv4 header (RFC 1071): 0 over one that has it.
pub fn checksum(bytes: &[u8]) -> u16 {
    let words = bytes.chunks(2).map(|word| {
        let low = word.get(1).copied().unwrap_or(0);
        u32::from(u16::from_be_bytes([word[0], low]))
    });
    let sum: u32 = words.sum();
    let sum = (sum & 0xffff) + (sum >> 16);
    !((sum & 0xffff) + (sum >> 16)) as u16
}

/// Frames that differ in all that programs of this kind ask for. One of them takes the longest way that any does.
pub fn of_all_kinds() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for bytes in [60, 64, 128, 700, 1514] {
        for protocol in [UDP, TCP, ICMP] {
            for (tags, is_six, turned) in (0..12).map(|n| (n / 4, n & 1 == 1, n & 2 == 2)) {
                for flow in [0, 1, 1 << 20] {
                    let frame = Frame {
                        protocol,
                        turned,
                        tags,
                        is_six,
                        ..Frame::udp(flow, bytes)
                    };
                    all.push(frame.build());
                }
            }
        }
    }
    // What is no IP.
    let mut other = Frame::udp(0, 64).build();
    other[12..14].copy_from_slice(&[0x08, 0x06]);
    all.push(other);
    all
}

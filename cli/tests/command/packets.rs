//! Packets that tests make, and captures of them.

use std::path::Path;

/// Random numbers that are the same in every run (SplitMix64).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.next() as usize % limit
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// The Internet's (RFC 1071), of an even number of bytes.
pub fn checksum(header: &[u8]) -> [u8; 2] {
    let words = header.chunks(2);
    let words = words.map(|word| u32::from(word[0]) << 8 | u32::from(word[1]));
    let sum: u32 = words.sum();
    let sum = (sum & 0xffff) + (sum >> 16);
    let sum = !((sum & 0xffff) + (sum >> 16)) as u16;
    sum.to_be_bytes()
}

/// Writes a capture (pcap, Ethernet) of so many packets, a second apart. The random numbers go on from packet to packet.
pub fn write_made(file: &Path, count: u32, make: impl Fn(&mut Numbers) -> Vec<u8>) {
    let mut bytes = Vec::new();
    for word in [0xa1b2_c3d4u32, 0x0004_0002, 0, 0, 65_535, 1] {
        bytes.extend(word.to_le_bytes());
    }
    let mut numbers = Numbers(1);
    for second in 0..count {
        let packet = make(&mut numbers);
        let length = packet.len() as u32;
        for word in [second, 0, length, length] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(packet);
    }
    std::fs::write(file, bytes).unwrap();
}

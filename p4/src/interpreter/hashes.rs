//! Hashes and checksums over bytes, by the algorithms that architectures name.

use num_bigint::{BigInt, Sign};

/// The sum of RFC 1071, not complemented: of 16 bits each, the last byte filled with zeros.
pub fn ones_sum(bytes: &[u8]) -> u16 {
    let mut sum: u64 = 0;
    for pair in bytes.chunks(2) {
        let low = pair.get(1).copied().unwrap_or(0);
        sum += u64::from(u16::from_be_bytes([pair[0], low]));
    }
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

/// CRC-16/ARC.
pub fn crc16(bytes: &[u8]) -> u16 {
    crc16_behind(0, bytes)
}

/// The same of bytes behind others, whose CRC is known.
pub fn crc16_behind(before: u16, bytes: &[u8]) -> u16 {
    bytes.iter().fold(before, |crc: u16, byte| {
        (0..8).fold(crc ^ u16::from(*byte), |crc, _| match crc & 1 {
            1 => (crc >> 1) ^ 0xa001,
            _ => crc >> 1,
        })
    })
}

/// CRC-32 of Ethernet.
pub fn crc32(bytes: &[u8]) -> u32 {
    crc32_behind(0, bytes)
}

/// The same of bytes behind others, whose CRC is known.
pub fn crc32_behind(before: u32, bytes: &[u8]) -> u32 {
    let crc = bytes.iter().fold(!before, |crc: u32, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| match crc & 1 {
            1 => (crc >> 1) ^ 0xedb8_8320,
            _ => crc >> 1,
        })
    });
    !crc
}

/// All 16-bit words, one over the other.
pub fn xor16(bytes: &[u8]) -> u16 {
    bytes.chunks(2).fold(0, |sum, pair| {
        sum ^ u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)])
    })
}

/// By the name of an algorithm; `None`: it is not known. What a target chooses itself (PSA and PNA, `TARGET_DEFAULT`) is CRC-32 here.
pub fn by_name(algorithm: &str, bytes: &[u8]) -> Option<BigInt> {
    Some(match algorithm.to_ascii_lowercase().as_str() {
        "crc16" | "crc16_custom" => crc16(bytes).into(),
        "crc32" | "crc32_custom" | "target_default" => crc32(bytes).into(),
        "csum16" | "ones_complement16" => (!ones_sum(bytes)).into(),
        "xor16" => xor16(bytes).into(),
        "identity" => BigInt::from_bytes_be(Sign::Plus, bytes),
        _ => return None,
    })
}

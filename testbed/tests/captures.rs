//! Captures: what is written is read again, every form of file is read, every damage is named.

use hardpath_testbed::capture::{self, Captured};
use std::path::Path;

fn ethernet(length: usize, time_ns: u64, comment: Option<&str>) -> Captured {
    Captured {
        data: (0..length).map(|i| i as u8).collect(),
        time_ns,
        comment: comment.map(String::from),
    }
}

#[test]
fn what_is_written_is_read() {
    let packets = [
        ethernet(14, 0, None),
        ethernet(61, 1_700_000_000_123_456_789, Some("to the stack")),
        ethernet(9216, u64::MAX, Some("to interface 7")),
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.pcapng");
    capture::write(&path, &packets).unwrap();
    let read = capture::read(&path).unwrap();
    assert_eq!(read, packets);
    assert_eq!(read[2].comment.as_deref(), Some("to interface 7"));
}

/// A pcap file with one packet of 20 bytes at 1 s + 5 units.
fn pcap(magic: u32, big_endian: bool, link_type: u32, original: u32) -> Vec<u8> {
    let word = |value: u32| match big_endian {
        true => value.to_be_bytes(),
        false => value.to_le_bytes(),
    };
    let half = |value: u16| match big_endian {
        true => value.to_be_bytes(),
        false => value.to_le_bytes(),
    };
    let mut bytes = word(magic).to_vec();
    bytes.extend(half(2));
    bytes.extend(half(4));
    for value in [0, 0, 65535, link_type, 1, 5, 20, original] {
        bytes.extend(word(value));
    }
    bytes.extend(0..20);
    bytes
}

#[test]
fn every_form_of_pcap_is_read() {
    for big_endian in [false, true] {
        for (magic, unit_ns) in [(0xa1b2_c3d4, 1000), (0xa1b2_3c4d, 1)] {
            let bytes = pcap(magic, big_endian, 1, 20);
            let packets = capture::parse(&bytes, "test").unwrap();
            assert_eq!(packets, [ethernet(20, 1_000_000_000 + 5 * unit_ns, None)]);
        }
    }
}

#[test]
fn damage_is_named() {
    let code = |bytes: &[u8]| capture::parse(bytes, "test").unwrap_err().code;
    let good = pcap(0xa1b2_c3d4, false, 1, 20);
    assert_eq!(code(b"GIF89a, not a capture at all"), "not-a-capture");
    assert_eq!(code(b""), "not-a-capture");
    assert_eq!(code(&good[..10]), "capture-truncated");
    assert_eq!(code(&good[..30]), "capture-truncated");
    assert_eq!(code(&good[..good.len() - 1]), "capture-truncated");
    assert_eq!(
        code(&pcap(0xa1b2_c3d4, false, 113, 20)),
        "capture-link-type"
    );
    let cut = capture::parse(&pcap(0xa1b2_c3d4, true, 1, 1500), "x.pcap").unwrap_err();
    assert_eq!(cut.code, "packet-cut");
    assert_eq!(cut.place_text(), "x.pcap: packet 1");
    let missing = capture::read(Path::new("/nonexistent.pcap")).unwrap_err();
    assert_eq!(missing.code, "capture-unreadable");
}

/// A pcapng section in either byte order: an interface with the options, one packet at `units`.
fn pcapng(big_endian: bool, options: &[(u16, &[u8])], units: u64, original: u32) -> Vec<u8> {
    let word = |value: u32| match big_endian {
        true => value.to_be_bytes(),
        false => value.to_le_bytes(),
    };
    let half = |value: u16| match big_endian {
        true => value.to_be_bytes(),
        false => value.to_le_bytes(),
    };
    let block = |kind: u32, body: &[u8]| {
        let length = word(body.len() as u32 + 12);
        [&word(kind), &length, body, &length].concat()
    };
    let mut section = word(0x1a2b_3c4d).to_vec();
    section.extend(half(1));
    section.extend(half(0));
    section.extend([0xff; 8]);
    let mut interface = half(1).to_vec();
    interface.extend([0; 6]);
    for (code, value) in options {
        interface.extend(half(*code));
        interface.extend(half(value.len() as u16));
        interface.extend(*value);
        interface.resize(interface.len().next_multiple_of(4), 0);
    }
    let mut packet = Vec::new();
    for value in [0, (units >> 32) as u32, units as u32, 18, original] {
        packet.extend(word(value));
    }
    packet.extend(0..18);
    packet.extend([0; 2]);
    [
        block(0x0a0d_0d0a, &section),
        block(1, &interface),
        block(6, &packet),
    ]
    .concat()
}

#[test]
fn times_of_pcapng_follow_their_resolution() {
    type Options<'a> = &'a [(u16, &'a [u8])];
    let times: [(Options, u64, u64); 4] = [
        (&[], 5, 5_000),
        (&[(9, &[9])], 5, 5),
        (&[(9, &[3])], 5, 5_000_000),
        (&[(9, &[0x8a])], 1024 + 512, 1_500_000_000),
    ];
    for big_endian in [false, true] {
        for (options, units, time_ns) in times {
            let bytes = pcapng(big_endian, options, units, 18);
            let packets = capture::parse(&bytes, "test").unwrap();
            assert_eq!(packets, [ethernet(18, time_ns, None)], "{options:?}");
        }
        let offset = match big_endian {
            true => 7i64.to_be_bytes(),
            false => 7i64.to_le_bytes(),
        };
        let bytes = pcapng(big_endian, &[(14, &offset)], 1, 18);
        assert_eq!(
            capture::parse(&bytes, "test").unwrap()[0].time_ns,
            7_000_001_000
        );
    }
    let cut = capture::parse(&pcapng(false, &[], 0, 19), "test").unwrap_err();
    assert_eq!(cut.code, "packet-cut");
}

/// No damage makes the reader panic, and what is cut off is an error.
#[test]
fn damaged_files_are_errors() {
    let good = pcapng(false, &[(9, &[9])], 5, 18);
    for length in 1..good.len() {
        let whole_blocks = [28, 28 + 28].contains(&length);
        let result = capture::parse(&good[..length], "test");
        assert_eq!(result.is_ok(), whole_blocks, "{length}");
    }
    for index in 0..good.len() {
        for bit in 0..8 {
            let mut bytes = good.clone();
            bytes[index] ^= 1 << bit;
            if let Ok(packets) = capture::parse(&bytes, "test") {
                // A wrong length cannot be seen where it stays within the block.
                assert!(packets.iter().all(|packet| packet.data.len() <= 20));
            }
        }
    }
}

/// The captures beside the repository, where they are.
#[test]
fn real_captures_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/pcaps");
    let Ok(files) = std::fs::read_dir(&folder) else {
        println!("note: no captures in {}", folder.display());
        return;
    };
    let mut packets = 0;
    for file in files {
        let path = file.unwrap().path();
        if path
            .extension()
            .is_some_and(|extension| extension == "pcapng")
        {
            let read = capture::read(&path).unwrap_or_else(|error| panic!("{error}"));
            assert!(read
                .iter()
                .all(|packet| packet.data.len() >= 14 && packet.time_ns > 0));
            assert!(read
                .windows(2)
                .all(|pair| pair[1].time_ns > pair[0].time_ns - 1_000_000_000));
            packets += read.len();
        }
    }
    assert!(packets > 1000, "{packets}");
}

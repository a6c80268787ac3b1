//! Generated traffic: the same options give the same packets, and what is not hostile is right to the last bit.

use hardpath_testbed::capture::Captured;
use hardpath_testbed::traffic::{generate, Distribution, Protocol, Size, TrafficOptions, Tunnel};
use std::collections::{HashMap, HashSet};

fn options() -> TrafficOptions {
    TrafficOptions {
        packets: 2000,
        flows: 50,
        distribution: Distribution::Uniform,
        size: Size::Range(14, 1600),
        protocol: Protocol::Mixed,
        both_directions: true,
        seed: 42,
        ..TrafficOptions::default()
    }
}

/// The ones' complement sum of RFC 1071; 0xffff when a checksum is part of the data and right.
fn sum(data: &[u8]) -> u16 {
    let mut sum: u32 = 0;
    for pair in data.chunks(2) {
        sum += u32::from(pair[0]) << 8 | u32::from(pair.get(1).copied().unwrap_or(0));
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

fn half(data: &[u8], at: usize) -> usize {
    usize::from(data[at]) << 8 | usize::from(data[at + 1])
}

/// Checks lengths and checksums; the flow (inner address) and whether it goes inwards, of a packet with IPv4.
fn check(packet: &Captured) -> Option<([u8; 4], bool)> {
    let data = &packet.data;
    if half(data, 12) == 0x88b5 {
        assert!(data.len() < 54);
        return None;
    }
    assert_eq!(half(data, 12), 0x0800);
    assert_eq!(data[14], 0x45);
    assert_eq!(half(data, 16), data.len() - 14);
    assert_eq!(sum(&data[14..34]), 0xffff);
    let mut pseudo = data[26..34].to_vec();
    pseudo.extend([0, data[23]]);
    pseudo.extend(((data.len() - 34) as u16).to_be_bytes());
    pseudo.extend(&data[34..]);
    assert_eq!(sum(&pseudo), 0xffff);
    match data[23] {
        17 => {
            assert_eq!(half(data, 38), data.len() - 34);
            assert_ne!(half(data, 40), 0);
        }
        6 => assert_eq!(data[46] >> 4, 5),
        other => panic!("protocol {other}"),
    }
    let inwards = data[30] == 10;
    let inner = if inwards {
        &data[30..34]
    } else {
        &data[26..30]
    };
    Some(([inner[0], inner[1], inner[2], inner[3]], inwards))
}

#[test]
fn the_same_options_give_the_same_packets() {
    for hostile in [false, true] {
        let options = TrafficOptions {
            hostile,
            ..options()
        };
        let packets = generate(&options).unwrap();
        assert_eq!(packets.len(), 2000);
        assert_eq!(packets, generate(&options).unwrap());
        let other = TrafficOptions {
            seed: 43,
            ..options
        };
        assert_ne!(packets, generate(&other).unwrap());
    }
}

#[test]
fn lengths_and_checksums_are_right() {
    let mut flows = HashSet::new();
    let mut seen_outwards = HashSet::new();
    let mut inwards_packets = 0;
    let mut protocols = HashMap::new();
    for packet in generate(&options()).unwrap() {
        assert!((14..=1600).contains(&packet.data.len()));
        if let Some((flow, inwards)) = check(&packet) {
            flows.insert(flow);
            *protocols.entry(packet.data[23]).or_insert(0) += 1;
            if inwards {
                inwards_packets += 1;
            } else {
                seen_outwards.insert(flow);
            }
        }
    }
    assert_eq!(flows.len(), 50);
    assert_eq!(seen_outwards.len(), 50);
    assert!((700..1200).contains(&inwards_packets), "{inwards_packets}");
    assert!(protocols[&6] > 500 && protocols[&17] > 500);
}

#[test]
fn sizes_are_as_asked() {
    let imix = TrafficOptions {
        size: Size::Imix,
        packets: 12_000,
        ..options()
    };
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for packet in generate(&imix).unwrap() {
        check(&packet);
        *counts.entry(packet.data.len()).or_default() += 1;
    }
    assert_eq!(counts.len(), 3);
    assert!((6700..7300).contains(&counts[&60]), "{counts:?}");
    assert!((3700..4300).contains(&counts[&590]), "{counts:?}");
    for bytes in [14, 41, 42, 54, 64, 9216] {
        let fixed = TrafficOptions {
            size: Size::Fixed(bytes),
            packets: 20,
            ..options()
        };
        for packet in generate(&fixed).unwrap() {
            check(&packet);
            assert_eq!(packet.data.len(), bytes);
        }
    }
}

#[test]
fn flows_are_spread_as_asked() {
    let count = |distribution| {
        let options = TrafficOptions {
            distribution,
            packets: 10_000,
            size: Size::Fixed(64),
            ..options()
        };
        let mut counts: HashMap<[u8; 4], usize> = HashMap::new();
        for packet in generate(&options).unwrap() {
            *counts.entry(check(&packet).unwrap().0).or_default() += 1;
        }
        let mut counts: Vec<usize> = counts.into_values().collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        counts
    };
    assert_eq!(count(Distribution::One), [10_000]);
    let uniform = count(Distribution::Uniform);
    assert!(uniform[0] < 260 && uniform[49] > 140, "{uniform:?}");
    // The first of 50 flows has 1 / 4.499 of all packets.
    let zipf = count(Distribution::Zipf { exponent: 1.0 });
    assert!((2100..2350).contains(&zipf[0]), "{zipf:?}");
    assert!((1000..1220).contains(&zipf[1]), "{zipf:?}");
}

#[test]
fn hostile_packets_reach_the_extremes() {
    let options = TrafficOptions {
        hostile: true,
        packets: 20_000,
        size: Size::Imix,
        ..options()
    };
    let packets = generate(&options).unwrap();
    assert!(packets
        .iter()
        .all(|packet| (14..=9216).contains(&packet.data.len())));
    let has = |what: &str, test: &dyn Fn(&[u8]) -> bool| {
        let count = packets.iter().filter(|packet| test(&packet.data)).count();
        assert!(count >= 5, "{what}: {count}");
    };
    let ip = |data: &[u8]| data.len() >= 34 && half(data, 12) == 0x0800;
    has("shortest frame", &|data| data.len() == 14);
    has("cut within IPv4", &|data| (15..34).contains(&data.len()));
    has("header length 0", &|data| ip(data) && data[14] & 15 == 0);
    has("header length 15", &|data| ip(data) && data[14] & 15 == 15);
    has("length lies", &|data| {
        ip(data) && half(data, 16) > data.len()
    });
    has("fragment", &|data| ip(data) && half(data, 20) & 0x1fff != 0);
    has("checksum 0xffff", &|data| {
        ip(data) && half(data, 24) == 0xffff
    });
    has("UDP checksum 0xffff", &|data| {
        ip(data) && data.len() > 41 && half(data, 40) == 0xffff
    });
    has("address 255.255.255.255", &|data| {
        ip(data) && data[26..30] == [255; 4]
    });
    has("IPv6", &|data| half(data, 12) == 0x86dd && data.len() > 54);
    has("IPv6 fragment", &|data| {
        half(data, 12) == 0x86dd && data.len() > 54 && data[20] == 44
    });
    has("ARP", &|data| half(data, 12) == 0x0806 && data.len() == 42);
    has("VLAN", &|data| {
        matches!(half(data, 12), 0x8100 | 0x88a8) && data.len() > 20
    });
    has("all ones", &|data| data[..12] == [0xff; 12]);
}

#[test]
fn answers_come_to_a_nat() {
    let options = TrafficOptions {
        nat: Some("203.0.113.1:65530".parse().unwrap()),
        size: Size::Fixed(64),
        ..options()
    };
    let mut ports: HashMap<[u8; 6], u16> = HashMap::new();
    let mut answers = 0;
    for packet in generate(&options).unwrap() {
        check(&packet);
        let data = &packet.data;
        // A flow is known by its outer end.
        if data[26] == 10 {
            let outer = std::array::from_fn(|index| [&data[30..34], &data[36..38]].concat()[index]);
            let next = 65530u16.wrapping_add(ports.len() as u16);
            ports.entry(outer).or_insert(next);
        } else {
            let outer = std::array::from_fn(|index| [&data[26..30], &data[34..36]].concat()[index]);
            assert_eq!(data[30..34], [203, 0, 113, 1]);
            assert_eq!(half(data, 36), usize::from(ports[&outer]));
            answers += 1;
        }
    }
    assert!(answers > 500, "{answers}");
}

#[test]
fn flows_go_to_a_service_through_a_tunnel() {
    let options = TrafficOptions {
        service: Some("192.0.2.10:443".parse().unwrap()),
        tunnel: Some("192.0.2.1:192.0.2.2".parse().unwrap()),
        both_directions: false,
        size: Size::Range(14, 9216),
        ..options()
    };
    let mut wrapped = 0;
    for packet in generate(&options).unwrap() {
        let data = &packet.data;
        if half(data, 12) != 0x0800 {
            continue;
        }
        wrapped += 1;
        assert_eq!(sum(&data[14..34]), 0xffff);
        assert_eq!(data[23], 4);
        assert_eq!(data[26..34], [192, 0, 2, 1, 192, 0, 2, 2]);
        if half(data, 16) == data.len() - 14 {
            let inner = Captured {
                data: [&data[..14], &data[34..]].concat(),
                ..packet.clone()
            };
            check(&inner);
            assert_eq!(data[50..54], [192, 0, 2, 10]);
            assert_eq!(half(data, 56), 443);
        } else {
            assert_eq!(data.len(), 9216, "cut to the longest frame");
        }
    }
    assert!(wrapped > 1900, "{wrapped}");
}

#[test]
fn texts_are_read() {
    assert_eq!("imix".parse::<Size>().unwrap(), Size::Imix);
    assert_eq!("64".parse::<Size>().unwrap(), Size::Fixed(64));
    assert_eq!("14:9216".parse::<Size>().unwrap(), Size::Range(14, 9216));
    for wrong in ["13", "9217", "100:50", "a", "1:", "", "14:9217"] {
        assert_eq!(
            wrong.parse::<Size>().unwrap_err().code,
            "traffic-size",
            "{wrong}"
        );
    }
    assert_eq!("tcp".parse::<Protocol>().unwrap(), Protocol::Tcp);
    assert_eq!(
        "sctp".parse::<Protocol>().unwrap_err().code,
        "traffic-protocol"
    );
    for wrong in ["", "192.0.2.1", "192.0.2.1:a", "192.0.2.1:192.0.2.2:3"] {
        let error = wrong.parse::<Tunnel>().unwrap_err();
        assert_eq!(error.code, "traffic-tunnel", "{wrong}");
    }
    let zipf = Distribution::parse("zipf", 1.2).unwrap();
    assert_eq!(zipf, Distribution::Zipf { exponent: 1.2 });
    let wrong = Distribution::parse("zipf", f64::NAN).unwrap_err();
    assert_eq!(wrong.code, "traffic-distribution");
    let none = TrafficOptions {
        flows: 0,
        ..options()
    };
    assert_eq!(generate(&none).unwrap_err().code, "traffic-flows");
}

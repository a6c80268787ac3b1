//! `bpf_check_mtu` in hardware against the kernel, whose interfaces get the MTUs that the command line says. The program
//! is compiled here, so these tests need clang.

use crate::common::{compile, hardpath, judge, path};
use crate::packets::{write_made, Numbers};

/// `struct asked` of the program: usual questions, and those around the limits of 32 bits.
fn packet(numbers: &mut Numbers) -> Vec<u8> {
    let any = numbers.next();
    let mut packet = vec![0; 14];
    packet[12] = numbers.pick(&[0, 0, 0, 1, 2, 3]);
    packet.push(numbers.pick(&[0, 1, 2, 3, 4, 9, 255]));
    packet.extend(numbers.pick(&[[0; 3], [any as u8, 1, 0x80]]));
    let differences = [
        0,
        0,
        1,
        -1,
        (any % 3000) as i32,
        any as i32,
        i32::MAX,
        i32::MIN,
    ];
    packet.extend(numbers.pick(&differences).to_le_bytes());
    let near = u32::MAX - 13;
    let lengths = [
        0,
        0,
        0,
        576,
        577,
        (any >> 32) as u32 % 2000,
        any as u32,
        1 << 31,
        near,
    ];
    packet.extend(numbers.pick(&lengths).to_le_bytes());
    packet.extend(numbers.pick(&[0, 1, 1 << 32, any]).to_le_bytes());
    let length = numbers.pick(&[60, 81, 82, 83, 400, 590, 591, 1414, 1415, 1514]);
    packet.resize(length + (any % 3) as usize, 0);
    packet
}

/// Three of the four ports; a packet's length chooses one.
const PORTS: &str = r#"{"ports": [
    {"key": ["0x00", "0x00", "0x00", "0x00"], "value": ["0x05", "0x00", "0x00", "0x00"]},
    {"key": ["0x01", "0x00", "0x00", "0x00"], "value": ["0x02", "0x00", "0x00", "0x00"]},
    {"key": ["0x03", "0x00", "0x00", "0x00"], "value": ["0x03", "0x00", "0x00", "0x00"]}
]}"#;

#[test]
fn answers_are_those_of_the_kernel() {
    let Some((place, object)) = compile("mtu") else {
        return;
    };
    let capture = place.path().join("asked.pcap");
    write_made(&capture, 800, packet);
    let ports = place.path().join("ports.json");
    std::fs::write(&ports, PORTS).unwrap();
    let judge = judge();
    for (program, ifindex) in [
        ("asked", "1"),
        ("asked", "3"),
        ("moved", "4"),
        ("forward", "1"),
    ] {
        let mut arguments = vec!["check", path(&object), "--program", program];
        arguments.extend(["--against", judge, "--pcap", path(&capture), "--json"]);
        arguments.extend([
            "--ifindex",
            ifindex,
            "--pace",
            "random:3",
            "--backpressure",
            "5",
        ]);
        arguments.extend(["--mtu", "1=1400", "--mtu", "2=68", "--mtu", "3=576"]);
        if program == "forward" {
            arguments.extend(["--maps", path(&ports)]);
        }
        let run = hardpath(&arguments);
        assert_eq!(run.status, 0, "{program}, {ifindex}: {:#}", run.json());
        if judge == "kernel" {
            assert_eq!(run.json()["judged_by_kernel"], 800, "{:#}", run.json());
        }
    }
}

/// Interfaces of the run that nothing is said about have the MTU of Ethernet; others do not exist.
#[test]
fn interfaces_that_nothing_is_said_about() {
    let Some((place, object)) = compile("mtu") else {
        return;
    };
    let capture = place.path().join("asked.pcap");
    write_made(&capture, 10, packet);
    let ports = place.path().join("ports.json");
    std::fs::write(&ports, PORTS).unwrap();
    let after = place.path().join("after.json");
    let mut arguments = vec!["sim", path(&object), "--program", "forward", "--json"];
    arguments.extend(["--pcap", path(&capture), "--maps", path(&ports)]);
    arguments.extend([
        "--ifindex",
        "7",
        "--mtu",
        "3=9000",
        "--maps-out",
        path(&after),
    ]);
    assert_eq!(hardpath(&arguments).status, 0);
    let maps: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&after).unwrap()).unwrap();
    let number = |bytes: &serde_json::Value| {
        let bytes = bytes.as_array().unwrap().iter().rev();
        bytes.fold(0, |number, byte| {
            let byte = byte.as_str().unwrap().trim_start_matches("0x");
            number << 8 | u32::from_str_radix(byte, 16).unwrap()
        })
    };
    let mut mtus: Vec<(u32, u32)> = maps[".mtu"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| (number(&entry["key"]), number(&entry["value"])))
        .collect();
    mtus.sort();
    assert_eq!(
        mtus,
        [(1, 1500), (2, 1500), (3, 9000), (5, 1500), (7, 1500)]
    );
}

#[test]
fn an_mtu_that_nobody_asks_for() {
    let capture = "programs/firewall.pcap";
    let object = crate::common::object("listing1");
    let run = hardpath(&[
        "sim", &object, "--pcap", capture, "--mtu", "1=1500", "--json",
    ]);
    run.error(2, "unused-mtu");
}

//! Our programs of P4 (`programs/p4`), each with its tests and its entries: by the reference interpreter, and by what they become.

use hardpath_p4::commands::CommandKind;
use hardpath_p4::design::{design, Design};
use hardpath_p4::lower::run::{interpreter, Running};
use hardpath_p4::lower::{lower, Deparse};
use hardpath_p4::preprocess::Options;
use hardpath_p4::runner::{self, Verdict};
use hardpath_p4::source::Sources;
use hardpath_p4::typed::Program;
use hardpath_p4::{entries, stf};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../programs/p4")
}

fn text(file: &str) -> String {
    std::fs::read_to_string(folder().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// By name; one without tests or entries is wrong.
fn names() -> Vec<String> {
    let files = std::fs::read_dir(folder())
        .unwrap()
        .map(|file| file.unwrap().path());
    let programs = files.filter(|path| path.extension().is_some_and(|ending| ending == "p4"));
    let names = programs.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn typed(name: &str, text: &str) -> (Program, Sources) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("{name}.p4"));
    std::fs::write(&path, text).unwrap();
    let read = hardpath_p4::load(&path, None, &Options::default());
    read.unwrap_or_else(|errors| panic!("{name}: {errors:#?}"))
}

fn designed(name: &str, program: &Program, sources: &Sources) -> Design {
    design(program, sources).unwrap_or_else(|errors| panic!("{name}: {errors:#?}"))
}

fn interpreted(name: &str, program: &str, test: &str) -> Verdict {
    let (program, sources) = typed(name, program);
    let design = designed(name, &program, &sources);
    let commands = stf::read(name, test).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let verdict = runner::interpret(&program, &sources, &design, &commands);
    verdict.unwrap_or_else(|errors| panic!("{name}: {errors:#?}"))
}

#[test]
fn the_interpreter_passes_their_tests() {
    assert_eq!(
        names(),
        [
            "classifier",
            "countmin",
            "ecmp",
            "firewall",
            "gtpu",
            "ipip",
            "l2l3",
            "marketdata",
            "nat64",
            "paxos",
            "telemetry",
            "tunnel",
            "vxlan"
        ]
    );
    for name in names() {
        let verdict = interpreted(
            &name,
            &text(&format!("{name}.p4")),
            &text(&format!("{name}.stf")),
        );
        assert_eq!(verdict, Verdict::Passed, "{name}");
    }
}

#[test]
fn what_they_become_passes_their_tests() {
    for name in names() {
        let (program, sources) = typed(&name, &text(&format!("{name}.p4")));
        let design = designed(&name, &program, &sources);
        let commands = stf::read(&name, &text(&format!("{name}.stf"))).unwrap();
        for deparse in [Deparse::Front, Deparse::Memory] {
            let lowered = lower(&program, &sources, &design, deparse)
                .unwrap_or_else(|errors| panic!("{name}: {errors:#?}"));
            let right = hardpath_ir::verifier::verify(&lowered.program);
            right.unwrap_or_else(|errors| panic!("{name}: {errors:#?}"));
            let device = interpreter(&lowered);
            let mut running = Running::new(device, &lowered, &program, &sources, &design).unwrap();
            let verdict = runner::run(&mut running, &program, &sources, &design, &commands);
            assert_eq!(verdict.unwrap(), Verdict::Passed, "{name}");
        }
    }
}

/// Tables, actions and values of the entries are those of the program.
#[test]
fn their_entries_fit() {
    for name in names() {
        let (program, sources) = typed(&name, &text(&format!("{name}.p4")));
        let design = designed(&name, &program, &sources);
        let commands = entries::read(&name, &text(&format!("{name}.entries")));
        let commands = commands.unwrap_or_else(|errors| panic!("{errors:#?}"));
        assert!(
            commands.iter().any(|command| matches!(
                command.kind,
                CommandKind::AddEntry(_) | CommandKind::SetDefault { .. }
            )),
            "{name}"
        );
        let verdict = runner::interpret(&program, &sources, &design, &commands);
        assert_eq!(verdict.unwrap(), Verdict::Passed, "{name}");
    }
}

/// Each as the first thing that somebody might forget; a test that does not see it would be none.
const MISTAKES: [(&str, &str, &str); 113] = [
    ("classifier", "if (!hdr.vlan.isValid())", "if (true)"),
    ("classifier", "hdr.vlan.type = hdr.ethernet.type;", ""),
    ("classifier", "hdr.vlan.priority = priority;", ""),
    ("classifier", "meta.has_ports = 1;", ""),
    (
        "classifier",
        "(0, PROTOCOL_UDP): ports;",
        "(_, PROTOCOL_UDP): ports;",
    ),
    (
        "classifier",
        "meta.src_port: range;",
        "meta.dst_port: range @name(\"meta.src_port\");",
    ),
    ("classifier", "if (hdr.ipv4.isValid())", "if (true)"),
    ("l2l3", "|| hdr.ipv4.ttl <= 1", ""),
    ("l2l3", "|| std.checksum_error == 1", ""),
    ("l2l3", "std.parser_error != error.NoError", "false"),
    ("l2l3", "meta.routed = true;", ""),
    ("l2l3", "packet.emit(hdr.options);", ""),
    (
        "l2l3",
        "packet.emit(hdr.vlan);",
        "packet.emit(hdr.vlan[0]);",
    ),
    (
        "l2l3",
        "hdr.ipv4.dst: lpm;",
        "hdr.ipv4.src: lpm @name(\"ipv4.dst\");",
    ),
    ("tunnel", "hdr.ipv4.length = hdr.ipv4.length + ADDED;", ""),
    ("tunnel", "hdr.ipv4.header_words = 5;", ""),
    ("tunnel", "(15w0 ++ sum[16:16])", "0"),
    ("tunnel", "hdr.gre.setInvalid();", ""),
    (
        "tunnel",
        "hdr.ipv4.length > LONGEST - ADDED",
        "hdr.ipv4.length >= LONGEST - ADDED",
    ),
    (
        "tunnel",
        "hdr.ipv4.length > LONGEST - ADDED",
        "hdr.ipv4.length > LONGEST",
    ),
    ("tunnel", "hdr.ipv4.fragment = 0;", ""),
    (
        "tunnel",
        "if (hdr.inner.ttl <= 1)",
        "if (hdr.inner.ttl < 1)",
    ),
    ("firewall", "seen_a == 1 && seen_b == 1", "seen_a == 1"),
    ("firewall", "seen_a == 1 && seen_b == 1", "seen_b == 1"),
    ("firewall", "meta.flow.own_port = hdr.ports.dst;", ""),
    (
        "firewall",
        "(0, PROTOCOL_UDP): ports;",
        "(_, PROTOCOL_UDP): ports;",
    ),
    ("firewall", "3: inside();", ""),
    (
        "paxos",
        "hdr.paxos.round >= promised",
        "hdr.paxos.round > promised",
    ),
    ("paxos", "&& hdr.paxos.round != 0", ""),
    ("paxos", "- first < count", "< count"),
    ("paxos", "hdr.udp.length == UDP_LENGTH;", "true;"),
    (
        "paxos",
        "(hdr.udp.checksum == 0 || udp_sum.get() == 0)",
        "udp_sum.get() == 0",
    ),
    (
        "paxos",
        "udp_checksum == 0 ? 16w0xffff : udp_checksum",
        "udp_checksum",
    ),
    ("paxos", "votes.write(cell, hdr.paxos.round);", ""),
    ("paxos", "hdr.paxos.voted = hdr.paxos.round;", ""),
    (
        "paxos",
        "(4, 5, 0 &&& 1, 0, PROTOCOL_UDP)",
        "(4, 5, _, 0, PROTOCOL_UDP)",
    ),
    ("marketdata", "outcome = outcome_t.DUPLICATE;", ""),
    (
        "marketdata",
        "seen.write(cell, hdr.mold.sequence);",
        "seen.write(0, hdr.mold.sequence);",
    ),
    (
        "marketdata",
        "if (behind > next)",
        "if (next == hdr.mold.sequence)",
    ),
    ("marketdata", "&& next != 0", ""),
    ("marketdata", "hdr.udp.checksum = 0;", ""),
    ("marketdata", "hdr.mold.count = kept;", ""),
    ("marketdata", "groups_of_packet | wanted_by", "wanted_by"),
    ("marketdata", "hdr.blocks[at].setInvalid();", ""),
    (
        "marketdata",
        "(!is_whole && hdr.udp.length != HEADERS + count * BLOCK)",
        "false",
    ),
    (
        "marketdata",
        "std.packet_length < (bit<32>)hdr.ipv4.length + 14",
        "false",
    ),
    ("countmin", "cells.read(cell) |+| 1", "cells.read(cell) + 1"),
    ("countmin", "count_0 > limit", "count_0 >= limit"),
    ("countmin", "&& count_3 > limit", ""),
    ("countmin", "second[27:16]", "first[27:16]"),
    ("countmin", "sum.subtract(", "sum.add("),
    (
        "countmin",
        "(0, PROTOCOL_UDP): ports;",
        "(_, PROTOCOL_UDP): ports;",
    ),
    (
        "countmin",
        "limit = above;\n        mark_with",
        "limit = 3;\n        mark_with",
    ),
    (
        "ecmp",
        "(0 &&& 1, 0, PROTOCOL_UDP): ports;",
        "(_, 0, PROTOCOL_UDP): ports;",
    ),
    ("ecmp", "transition behind_options;", "transition accept;"),
    ("ecmp", "HashAlgorithm.crc32", "HashAlgorithm.crc16"),
    ("ecmp", "meta.flow.salt = salt;", ""),
    ("ecmp", "meta.flow.label = (bit<24>)hdr.ipv6.flow;", ""),
    ("ecmp", "|| !meta.is_own", ""),
    ("ecmp", "std.checksum_error == 1 || ", ""),
    ("ecmp", "hdr.ipv6.ttl > 1", "hdr.ipv6.ttl > 0"),
    ("ecmp", "hdr.ipv6.ttl = hdr.ipv6.ttl - 1;", ""),
    ("gtpu", "(1, 1, GTP_PACKET, 0, 0, 0): inner;", ""),
    ("gtpu", "(0, _): inner;", ""),
    (
        "gtpu",
        "(1, 0): inner;\n            (1, CONTAINER)",
        "(1, CONTAINER)",
    ),
    ("gtpu", "is_lost = hdr.inner.src != user;", ""),
    ("gtpu", "&& hdr.gtp.length == in_gtp\n", ""),
    ("gtpu", "&& hdr.udp.length == in_gtp + GTP + UDP\n", ""),
    ("gtpu", "|| is_cut", ""),
    ("gtpu", "if (colour == YELLOW)", "if (false)"),
    ("gtpu", "|| colour == RED", ""),
    (
        "gtpu",
        "MeterType.bytes) rate_up;",
        "MeterType.packets) rate_up;",
    ),
    ("gtpu", "~sum[15:0]", "~sum[15:0] + 1"),
    (
        "gtpu",
        "+ (bit<20>)(~first)",
        "+ 0xffff - (bit<20>)first + 1",
    ),
    (
        "gtpu",
        "length = length + 2 * WORD;",
        "length = length + WORD;",
    ),
    ("gtpu", "hdr.more.setInvalid();", ""),
    ("gtpu", "hdr.inner.congestion = 1;", ""),
    ("gtpu", "hdr.ipv4.length <= LONGEST", "true"),
    (
        "gtpu",
        "from_stations && std.checksum_error",
        "std.checksum_error",
    ),
    ("vxlan", "hdr.inner.type != TYPE_VLAN", "true"),
    ("vxlan", "hdr.vxlan.has_network == 1;", "true;"),
    (
        "vxlan",
        "if (from_tunnel || std.packet_length > LONGEST)",
        "if (std.packet_length > LONGEST)",
    ),
    (
        "vxlan",
        "std.packet_length > LONGEST",
        "std.packet_length >= LONGEST",
    ),
    (
        "vxlan",
        "hdr.outer_udp.length = length + IN_UDP;",
        "hdr.outer_udp.length = length + IN_IPV4;",
    ),
    ("vxlan", "hdr.udp.setInvalid();", ""),
    (
        "vxlan",
        "(4, 5, 0 &&& 1, 0, PROTOCOL_UDP)",
        "(4, 5, _, 0, PROTOCOL_UDP)",
    ),
    ("ipip", "if (knows_congestion == 0)", "if (false)"),
    ("ipip", "hdr.inner.congestion = congestion_t.ECT_1;", ""),
    (
        "ipip",
        "hdr.inner.congestion = congestion_t.CONGESTION;",
        "",
    ),
    (
        "ipip",
        "hdr.ipv4.length |-| ADDED",
        "hdr.ipv4.length - ADDED",
    ),
    (
        "ipip",
        "hdr.ipv4.src == from || hdr.ipv4.src == to",
        "hdr.ipv4.src == from",
    ),
    ("ipip", "hdr.ipv4.flags = hdr.ipv4.flags & 0b010;", ""),
    ("ipip", "if (is_lost)", "if (false)"),
    ("telemetry", "hdr.records[RECORDS - 1].isValid()", "false"),
    (
        "telemetry",
        "hdr.ipv4.length > LONGEST - FRONT - RECORD",
        "hdr.ipv4.length > LONGEST - FRONT",
    ),
    ("telemetry", "hdr.ipv4.length > LONGEST - RECORD)", "false)"),
    ("telemetry", "udp_sum.subtract(hdr.records[at]);", ""),
    (
        "telemetry",
        "checksum == 0 ? 16w0xffff : checksum",
        "checksum",
    ),
    ("telemetry", "hdr.ipv4.service = hdr.shim.service;", ""),
    ("telemetry", "from == from_t.HOST\n", "false\n"),
    ("telemetry", "reports.write(0, number + 1);", ""),
    ("telemetry", "if (hdr.udp.checksum != 0)", "if (true)"),
    ("nat64", "checksum == 0 ? 16w0xffff : checksum", "checksum"),
    (
        "nat64",
        "sum.subtract({ hdr.ipv6.length, 8w0, PROTOCOL_ICMPV6 });",
        "",
    ),
    ("nat64", "sum.add({ length, 8w0, PROTOCOL_ICMPV6 });", ""),
    (
        "nat64",
        "hdr.ipv6.length <= MAY_BE_CUT",
        "hdr.ipv6.length < MAY_BE_CUT",
    ),
    ("nat64", "identifications.write(0, number);", ""),
    ("nat64", "hdr.ipv6.ttl - 1", "hdr.ipv6.ttl"),
    (
        "nat64",
        "hdr.ipv4.length > LONGEST_4",
        "hdr.ipv4.length >= LONGEST_4",
    ),
    ("nat64", "hdr.udp.checksum != 0", "true"),
    ("nat64", "hdr.icmp.code == 0", "true"),
    ("nat64", "ipv4_sum.get() != 0 ||", ""),
    ("nat64", "hdr.ipv4.isValid() && is_on", "hdr.ipv4.isValid()"),
];

#[test]
fn their_tests_see_mistakes() {
    for (name, right, wrong) in MISTAKES {
        let program = text(&format!("{name}.p4"));
        assert_eq!(program.matches(right).count(), 1, "{name}: {right}");
        let verdict = interpreted(
            name,
            &program.replace(right, wrong),
            &text(&format!("{name}.stf")),
        );
        assert!(
            matches!(verdict, Verdict::Failed(_)),
            "{name}: {right} to {wrong:?}: {verdict:?}"
        );
    }
}

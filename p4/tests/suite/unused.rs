//! What a program asks for and nobody gives, and the other way round: a warning each, and none where it is meant.

use hardpath_diagnostic::Diagnostic;
use hardpath_p4::check::check;
use hardpath_p4::design::design;
use hardpath_p4::lower::{lower, Deparse};
use hardpath_p4::preprocess::{self, Options};
use hardpath_p4::source::Sources;

const PROGRAM: &str = "\
#include <core.p4>
#include <v1model.p4>
header ethernet_t { bit<48> dst; bit<48> src; bit<16> type; }
header tag_t { bit<16> id; bit<16> type; }
struct headers { ethernet_t ethernet; tag_t tag; tag_t[2] more; }
struct inner_t { bit<8> a; bit<8> b; }
struct metadata { bit<9> port; inner_t inner; }
parser P(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.ethernet);
        packet.extract(hdr.tag);
        packet.extract(hdr.more.next);
        meta = { 3, { 1, 2 } };
        transition accept;
    }
}
control V(inout headers hdr, inout metadata meta) { apply { } }
control Marks(inout tag_t tag, in inner_t inner) { apply { tag.id = (bit<16>)inner.b; } }
control I(inout headers hdr, inout metadata meta, inout standard_metadata_t std) {
    Marks() marks;
    action forward(bit<9> port) { std.egress_spec = port; }
    table ports {
        key = { hdr.ethernet.dst: exact; meta.inner.a: exact; }
        actions = { forward; }
    }
    apply {
        bit<9> port = meta.port;
        ports.apply();
        marks.apply(hdr.tag, meta.inner);
        if (std.ingress_port == port) { mark_to_drop(std); }
    }
}
control E(inout headers hdr, inout metadata meta, inout standard_metadata_t std) { apply { } }
control C(inout headers hdr, inout metadata meta) { apply { } }
control Emits(packet_out packet, in tag_t tag) { apply { packet.emit(tag); } }
control D(packet_out packet, in headers hdr) {
    Emits() emits;
    apply {
        packet.emit(hdr.ethernet);
        emits.apply(packet, hdr.tag);
        packet.emit(hdr.more);
    }
}
V1Switch(P(), V(), I(), E(), C(), D()) main;
";

fn lines(all: &[Diagnostic]) -> Vec<String> {
    let lines = all.iter().map(|one| {
        let place = one.place.as_ref().expect("it has one");
        format!("{}:{} {}", place.line, place.column, one.message)
    });
    lines.collect()
}

/// Warnings of the program with other lines in it, and what its lowering says.
fn told(changes: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
    let mut text = PROGRAM.to_owned();
    for (from, to) in changes {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        text = text.replace(from, to);
    }
    let (mut sources, options) = (Sources::default(), Options::default());
    let number = sources.add("program.p4", text);
    let tokens = preprocess::run(&mut sources, number, &options).unwrap();
    let program = hardpath_p4::read(tokens, None, &options, &mut sources).unwrap();
    let program = check(&program, &sources).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let design = design(&program, &sources).unwrap();
    let lowered = lower(&program, &sources, &design, Deparse::Front);
    (
        lines(&program.warnings),
        lines(&lowered.err().unwrap_or_default()),
    )
}

#[test]
fn what_is_given_and_used_is_no_doubt() {
    assert_eq!(told(&[]), (vec![], vec![]));
}

#[test]
fn each_doubt_has_its_place() {
    let doubts: &[(&[(&str, &str)], &str)] = &[
        (
            &[("        ports.apply();\n", "")],
            "22:11 the table `ports` is never applied: no packet is looked up in it",
        ),
        (
            &[
                ("        packet.extract(hdr.tag);\n", ""),
                (
                    "        marks.apply(hdr.tag, meta.inner);\n",
                    "        hdr.tag.id = 1;\n",
                ),
            ],
            "28:9 `tag` is never made valid: its fields hold nothing",
        ),
        (
            &[
                ("        packet.extract(hdr.more.next);\n", ""),
                ("ports.apply();", "hdr.more[1].id = 1; ports.apply();"),
            ],
            "27:9 `more` is never made valid: its fields hold nothing",
        ),
        (
            &[("        packet.emit(hdr.more);\n", "")],
            "12:24 `more` is extracted and never emitted: packets lose its bytes",
        ),
        (
            &[(
                "        meta = { 3, { 1, 2 } };\n",
                "        meta.inner = { 1, 2 };\n",
            )],
            "27:23 nothing writes `meta.port`, which is read here",
        ),
        (
            &[("bit<9> port = meta.port;", "bit<9> port;")],
            "30:33 nothing writes `port`, which is read here",
        ),
        (
            &[("std.egress_spec = port;", "std.egress_port = port;")],
            "21:35 nothing reads `std.egress_port`: what is written there has no effect",
        ),
        (
            &[(
                "std.ingress_port == port",
                "std.ingress_port == port && std.enq_qdepth > 4",
            )],
            "30:41 nothing writes `std.enq_qdepth`, which is read here",
        ),
    ];
    for (changes, expected) in doubts {
        assert_eq!(told(changes), (vec![(*expected).to_owned()], vec![]));
    }
}

/// What says that it is meant.
#[test]
fn headers_that_are_taken_out_are_no_doubt() {
    let taken = [
        ("        packet.emit(hdr.more);\n", ""),
        ("ports.apply();", "hdr.more[0].setInvalid(); ports.apply();"),
    ];
    assert_eq!(told(&taken), (vec![], vec![]));
    let made = [
        ("        packet.extract(hdr.tag);\n", ""),
        ("ports.apply();", "hdr.tag.setValid(); ports.apply();"),
    ];
    assert_eq!(told(&made), (vec![], vec![]));
    let copied = [
        ("        packet.extract(hdr.more.next);\n", ""),
        (
            "ports.apply();",
            "hdr.more[1] = hdr.tag; hdr.more[1].id = 1; ports.apply();",
        ),
    ];
    assert_eq!(told(&copied), (vec![], vec![]));
}

/// A refusal of the architecture is told where the program asks for it.
#[test]
fn refusals_are_told_in_the_program() {
    let changes = [("ports.apply();", "ports.apply(); std.mcast_grp = 1;")];
    let refused = vec!["28:24 a multicast group is not there yet".to_owned()];
    assert_eq!(told(&changes), (vec![], refused));
}

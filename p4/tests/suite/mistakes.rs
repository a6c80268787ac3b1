//! Mistakes that are made while the language is new: one message each, at its place, with what to do.

use hardpath_p4::check::check;
use hardpath_p4::design::design;
use hardpath_p4::preprocess::{self, Options};
use hardpath_p4::source::Sources;

const ROUTER: &str = "\
#include <core.p4>
#include <v1model.p4>
const bit<16> TYPE_IPV4 = 0x800;
header ethernet_t { bit<48> dst; bit<48> src; bit<16> type; }
header ipv4_t { bit<8> ttl; bit<32> dst; bit<16> length; }
struct headers { ethernet_t ethernet; ipv4_t ipv4; }
struct metadata { }
parser P(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) { TYPE_IPV4: parse_ipv4; default: accept; }
    }
    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }
}
control V(inout headers hdr, inout metadata meta) { apply { } }
control I(inout headers hdr, inout metadata meta, inout standard_metadata_t std) {
    action drop() {
        mark_to_drop(std);
    }
    action forward(bit<9> port) {
        std.egress_spec = port;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }
    table routes {
        key = {
            hdr.ipv4.dst: lpm;
        }
        actions = {
            forward;
            drop;
        }
        default_action = drop();
    }
    apply {
        if (hdr.ipv4.isValid()) {
            routes.apply();
        }
    }
}
control E(inout headers hdr, inout metadata meta, inout standard_metadata_t std) { apply { } }
control C(inout headers hdr, inout metadata meta) { apply { } }
control D(packet_out packet, in headers hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
";

/// What is told of the program, errors or else warnings, a line each, with the help behind it.
fn told(text: &str) -> Vec<String> {
    let mut sources = Sources::default();
    let number = sources.add("program.p4", text);
    let tokens = preprocess::run(&mut sources, number, &Options::default());
    let program = tokens.and_then(|tokens| hardpath_p4::parser::program(&sources, &tokens));
    let checked = program.and_then(|program| check(&program, &sources));
    let made = checked.and_then(|program| design(&program, &sources).map(|_| program.warnings));
    let all = made.unwrap_or_else(|errors| errors);
    let lines = all.iter().map(|error| {
        let place = error.place.as_ref().expect("errors of sources have one");
        let help = error.help.as_deref().unwrap_or("");
        format!("{}:{} {} | {help}", place.line, place.column, error.message)
    });
    lines.collect()
}

/// What is written in the place of what, and what is told: its begin, and a part of the help.
const MISTAKES: &[(&str, &str, &str, &str)] = &[
    // Files.
    (
        "#include <v1model.p4>\n",
        "",
        "7:72 `standard_metadata_t` is not",
        "#include <v1model.p4>",
    ),
    (
        "<v1model.p4>",
        "<v1_model.p4>",
        "2:1 there is no file",
        "<v1model.p4>",
    ),
    (
        "<v1model.p4>",
        "<v1model.p4",
        "2:1 #include takes",
        "both signs",
    ),
    (
        "V1Switch(P(), V(), I(), E(), C(), D()) main;\n",
        "",
        "45:76 the program makes no",
        "V1Switch",
    ),
    (
        ") main;",
        ") mian;",
        "46:40 the program makes no",
        "call it `main`",
    ),
    // Names.
    (
        "transition accept",
        "transition acept",
        "15:20 `acept`",
        "`accept`",
    ),
    (
        "default: accept",
        "default: acept",
        "11:80 `acept`",
        "`accept`",
    ),
    (
        "TYPE_IPV4: parse",
        "TYPE_IP4: parse",
        "11:48 `TYPE_IP4`",
        "`TYPE_IPV4`",
    ),
    (
        "hdr.ipv4.ttl - 1",
        "hdr.ipv4.TTL - 1",
        "25:33 ipv4_t has no",
        "`ttl`",
    ),
    (
        "ipv4.isValid()",
        "ipv4.isvalid()",
        "38:22 ipv4_t has no method",
        "`isValid`",
    ),
    (
        "ipv4.isValid()",
        "ipv4.isValid",
        "38:22 ipv4_t has no",
        "`isValid()`",
    ),
    (
        "routes.apply()",
        "routes.aply()",
        "39:20 a table has no",
        "`apply`",
    ),
    (
        "routes.apply();",
        "routes();",
        "39:13 `routes` is a table",
        "`routes.apply()`",
    ),
    (
        "routes.apply();",
        "if (routes.apply().hitt) { }",
        "39:32 what applying",
        "`hit`",
    ),
    (
        "dst: lpm",
        "dst: lmp",
        "29:27 there is no match kind",
        "`lpm`",
    ),
    (
        "            drop;\n",
        "            dropp;\n",
        "33:13 `dropp`",
        "`drop`",
    ),
    (
        "            drop;\n",
        "",
        "34:26 `drop` is no action of",
        "actions = { drop;",
    ),
    (
        "        actions = {",
        "        acions = {",
        "31:9 a table has no",
        "`actions`",
    ),
    (
        "mark_to_drop(std)",
        "drop()",
        "21:9 `drop` is not",
        "calls itself",
    ),
    (
        "mark_to_drop(std)",
        "forward(1)",
        "21:9 `forward` is not",
        "move that up",
    ),
    (
        "mark_to_drop(std)",
        "uint32_t x = 1",
        "21:9 `uint32_t`",
        "`bit<32>`",
    ),
    (
        "mark_to_drop(std)",
        "int x = 1",
        "21:9 no variable is of type int",
        "bit<32>",
    ),
    (
        "mark_to_drop(std)",
        "counter c",
        "21:9 nothing that is stored",
        "`counter(…) c;`",
    ),
    (
        "mark_to_drop(std)",
        "bool b = std.parser_error == NoError",
        "21:38 `NoError`",
        "`error.NoError`",
    ),
    (
        "mark_to_drop(std)",
        "forward()",
        "21:9 `forward` is not",
        "",
    ),
    (") main;", ");", "46:1 nothing is called out here", ""),
    (
        "routes.apply();",
        "if (routes.apply().hit()) { }",
        "39:32 `hit` is no method",
        "without parentheses",
    ),
    (
        "mark_to_drop(std)",
        "mark_to_drop(std, 1)",
        "21:9 no `mark_to_drop` takes",
        "`mark_to_drop(",
    ),
    (
        "std.egress_spec = port",
        "std.egress_spec = hdr.ipv4.dst[0:8]",
        "24:27 the higher bit",
        "`[8:0]`",
    ),
    // Values.
    (
        "if (hdr.ipv4.isValid())",
        "if (hdr.ipv4.ttl)",
        "38:13 bool is wanted",
        "!= 0",
    ),
    (
        "hdr.ipv4.ttl - 1",
        "hdr.ipv4.ttl - hdr.ipv4.length",
        "25:24 `-` does not take",
        "(bit<16>)",
    ),
    (
        "isValid()",
        "isValid() & hdr.ipv4.ttl > 0",
        "38:13 `&` does not take",
        "`&&`",
    ),
    (
        "std.egress_spec = port",
        "port = std.egress_spec",
        "24:9 `port` is",
        "copy it",
    ),
    (
        "std.egress_spec = port",
        "TYPE_IPV4 = 1",
        "24:9 this is a constant",
        "",
    ),
    (
        "packet.emit(hdr)",
        "hdr.ipv4.ttl = 1; hdr.ipv4.ttl = 2",
        "45:56 `hdr` is an `in`",
        "`inout`",
    ),
    ("E(), ", "", "46:1 `dep` of `V1Switch`", "it takes (Parser"),
    (
        "routes.apply();",
        "switch (routes.apply()) { }",
        "39:21 a table that is applied",
        "action_run",
    ),
    // Syntax.
    ("= port;", "= port", "24:31 `;` is expected", ""),
    (
        "mark_to_drop(std);\n    }",
        "mark_to_drop(std);",
        "22:5 `}` is missing",
        "close it",
    ),
    (
        "isValid())",
        "isValid() and true)",
        "38:32 `)` is expected",
        "`&&`",
    ),
    (
        "(hdr.ipv4.isValid())",
        "(hdr.ipv4.ttl = 0)",
        "38:26 `)` is expected",
        "`==`",
    ),
    (
        "std.egress_spec = port",
        "std.egress_spec == port",
        "24:25 `=` or a call",
        "`=`",
    ),
    (
        "hdr.ipv4.ttl = hdr.ipv4.ttl - 1",
        "hdr.ipv4.ttl--",
        "25:21 `=` or a call",
        "x - 1",
    ),
    (
        "std.egress_spec = port",
        "std->egress_spec = port",
        "24:12 `=` or a call",
        "dot",
    ),
    (
        "            drop;\n",
        "            drop,\n",
        "33:17 `;` is expected",
        "semicolon",
    ),
    ("dst: lpm;", "dst;", "29:25 `:` is expected", "exact"),
    (
        "TYPE_IPV4: parse",
        "case TYPE_IPV4: parse",
        "11:53 `:` is expected",
        "without `case`",
    ),
    (
        "mark_to_drop(std)",
        "bit<8> x[4]",
        "21:17 `;` is expected",
        "stacks",
    ),
    (
        "mark_to_drop(std)",
        "hdr.ipv4.dst = 10.0.0.1",
        "21:27 a name is expected",
        "0x0a000001",
    ),
    (
        "bit<8> ttl",
        "bit 8 ttl",
        "5:21 a name is expected",
        "`bit<8>`",
    ),
    (
        "routes.apply();",
        "while (true) { }",
        "39:26 `;` is expected",
        "`for`",
    ),
    (
        "action drop()",
        "action drop",
        "20:17 `(` is expected",
        "parentheses",
    ),
    (
        "const bit<16> TYPE",
        "const TYPE",
        "3:17 a name is expected",
        "has a type",
    ),
    // Habits.
    (
        "transition accept;",
        "goto accept;",
        "15:9 `goto` is not",
        "`transition NEXT;`",
    ),
    (
        "mark_to_drop(std)",
        "hdr.ipv4.length = (uint16_t)hdr.ipv4.ttl",
        "21:37 `;` is expected",
        "`(bit<16>)`",
    ),
    (
        "hdr.ipv4.isValid()",
        "hdr.ipv4.valid()",
        "38:22 ipv4_t has no",
        "`isValid`",
    ),
    (
        "hdr.ipv4.isValid()",
        "hdr.ipv4.isvalid()",
        "38:22 ipv4_t has no",
        "`isValid`",
    ),
    (
        "hdr.ipv4.isValid()",
        "hdr.ipv4.valid",
        "38:22 ipv4_t has no",
        "`isValid()`",
    ),
    (
        "hdr.ipv4.isValid()",
        "valid(hdr.ipv4)",
        "38:13 `valid` is not",
        "isValid()",
    ),
    (
        "hdr.ipv4.isValid()",
        "True",
        "38:13 `True` is not",
        "`true`",
    ),
    (
        "in headers hdr",
        "inn headers hdr",
        "45:42 `)` is expected",
        "`inout`",
    ),
    (
        "default_action =",
        "cont default_action =",
        "35:14 `=` is expected",
        "`const`",
    ),
    (
        "P(), V(), I()",
        "P(), I(), V()",
        "46:15 `I()` and `V()` stand",
        "VerifyChecksum<H, M> vr",
    ),
    (
        "in headers hdr) { apply { packet",
        "inout headers hdr) { apply { packet",
        "46:35 Deparser",
        "should be (packet_out b, in H hdr)",
    ),
    // What is right and was hardly meant.
    (
        "transition accept;",
        "",
        "13:11 the state `parse_ipv4` has no `transition`",
        "transition accept;",
    ),
    (
        "    table routes",
        "    @nmae(\"x\") table routes",
        "27:6 nobody knows the annotation `@nmae`",
        "`@name`",
    ),
    (
        "default_action = drop()",
        "defalt_action = drop()",
        "35:9 nobody knows the property `defalt_action`",
        "`default_action`",
    ),
    (
        "default_action = drop()",
        "szie = 16",
        "35:9 nobody knows the property `szie`",
        "`size`",
    ),
    (
        "ttl - 1",
        "ttl - 8w257",
        "25:39 bit<8> has no room for 257: it becomes 1",
        "a number that fits",
    ),
    (
        "ttl - 1",
        "ttl - 300",
        "25:39 bit<8> has no room for 300: it becomes 44",
        "a number that fits",
    ),
    (
        "ttl - 1",
        "ttl + -1",
        "25:39 bit<8> has no sign: -1 becomes 255",
        "write 255",
    ),
    (
        "= 0x800;",
        "= 0x10800;",
        "3:27 bit<16> has no room for 67584",
        "more bits",
    ),
];

#[test]
fn a_mistake_is_one_message_at_its_place_with_what_to_do() {
    assert_eq!(told(ROUTER), [""; 0]);
    let mut wrong = Vec::new();
    for (right, written, error, help) in MISTAKES {
        assert!(ROUTER.contains(right), "{right}");
        let found = told(&ROUTER.replacen(right, written, 1));
        let is_good = match &found[..] {
            [only] => only.starts_with(error) && only.contains(help),
            _ => false,
        };
        if !is_good {
            wrong.push(format!("{written:?}: {error} … {help}\n{found:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_name_of_another_architecture_is_no_missing_file() {
    let found = told(&ROUTER.replacen("mark_to_drop(std)", "drop_packet()", 1));
    assert_eq!(found, ["21:9 `drop_packet` is not declared | "]);
}

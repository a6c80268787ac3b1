//! Counters, meters and other objects, of each architecture.

use super::{expected, id, info, of};
use hardpath_p4::p4info::Kind;

#[test]
fn objects_of_v1model_are_known() {
    let locals = "
        counter(16, CounterType.packets_and_bytes) c;
        meter(8, MeterType.bytes) m1;
        register<bit<20>>(4) r;
        direct_counter(CounterType.packets) dc;
        direct_meter<bit<8>>(MeterType.packets) dm;
        @max_group_size(20) @selector_size_semantics(\"Sum_Of_Members\") @max_member_weight(4)
        action_selector(HashAlgorithm.crc16, 64, 16) sel;
        action a() { dm.read(m.a); }
        table t { key = { m.a: exact; } actions = { a; } counters = dc; meters = dm; implementation = sel; }
        table b { actions = { a; } @name(\"own\") implementation = action_profile(5); }";
    let found = of("", locals, "t.apply(); b.apply(); c.count(1);");
    let objects = found.split_once("action_profiles {").unwrap().1;
    let wanted = expected(
        r#"
  preamble {
    id: <profile I.sel>
    name: "I.sel"
    alias: "sel"
  }
  table_ids: <table I.t>
  with_selector: true
  size: 64
  max_group_size: 20
  sum_of_members {
    max_member_weight: 4
  }
}
action_profiles {
  preamble {
    id: <profile own>
    name: "own"
    alias: "own"
  }
  table_ids: <table I.b>
  size: 5
}
counters {
  preamble {
    id: <counter I.c>
    name: "I.c"
    alias: "c"
  }
  spec {
    unit: BOTH
  }
  size: 16
}
direct_counters {
  preamble {
    id: <dcounter I.dc>
    name: "I.dc"
    alias: "dc"
  }
  spec {
    unit: PACKETS
  }
  direct_table_id: <table I.t>
}
meters {
  preamble {
    id: <meter I.m1>
    name: "I.m1"
    alias: "m1"
  }
  spec {
    unit: BYTES
  }
  size: 8
}
direct_meters {
  preamble {
    id: <dmeter I.dm>
    name: "I.dm"
    alias: "dm"
  }
  spec {
    unit: PACKETS
  }
  direct_table_id: <table I.t>
}
registers {
  preamble {
    id: <register I.r>
    name: "I.r"
    alias: "r"
  }
  type_spec {
    bitstring {
      bit {
        bitwidth: 20
      }
    }
  }
  size: 4
}
"#,
    );
    assert_eq!(objects, wanted);
    let direct = format!(
        "  implementation_id: {}\n  direct_resource_ids: {}\n  direct_resource_ids: {}\n",
        id(Kind::ActionProfile, "I.sel"),
        id(Kind::DirectCounter, "I.dc"),
        id(Kind::DirectMeter, "I.dm"),
    );
    assert!(found.contains(&direct), "{found}");
}

/// One of each object of PSA.
pub const PSA: &str = r#"
#include <core.p4>
#include <psa.p4>
header h_t { bit<8> a; }
struct hs { h_t h; }
struct ms { bit<8> a; bit<5> x; bit<6> y; }
struct none {}
type bit<10> slot_t;
struct key_t { @match(ternary) @id(9) bit<5> x; bit<6> y; }
struct note_t { bit<8> a; }
parser IP(packet_in p, out hs h, inout ms m, in psa_ingress_parser_input_metadata_t i, in none r, in none c) {
    value_set<key_t>(4) vs;
    value_set<bit<8>>(2) bytes;
    state start { transition select(m.x, m.y) { vs: more; default: accept; } }
    state more { transition select(m.a) { bytes: accept; default: reject; } }
}
Register<bit<8>, slot_t>(6) shared;
control I(inout hs h, inout ms m, in psa_ingress_input_metadata_t i, inout psa_ingress_output_metadata_t o) {
    Counter<bit<32>, slot_t>(1024, PSA_CounterType_t.BYTES) c;
    Meter<slot_t>(12, PSA_MeterType_t.PACKETS) me;
    DirectCounter<bit<32>>(PSA_CounterType_t.PACKETS_AND_BYTES) dc;
    ActionProfile(3) ap;
    action a(slot_t at) { c.count(at); dc.count(); }
    table t {
        key = { m.a: exact; } actions = { a; } default_action = a((slot_t)10w513);
        psa_direct_counter = dc; psa_implementation = ap; psa_idle_timeout = PSA_IdleTimeout_t.NOTIFY_CONTROL;
    }
    apply { t.apply(); }
}
control ID(packet_out p, out none c, out none r, out none n, inout hs h, in ms m, in psa_ingress_output_metadata_t o) {
    Digest<note_t>() notes;
    apply { notes.pack({ m.a }); }
}
parser EP(packet_in p, out hs h, inout ms m, in psa_egress_parser_input_metadata_t i, in none n, in none a, in none b) {
    state start { transition accept; }
}
control E(inout hs h, inout ms m, in psa_egress_input_metadata_t i, inout psa_egress_output_metadata_t o) { apply {} }
control ED(packet_out p, out none a, out none b, inout hs h, in ms m, in psa_egress_output_metadata_t o,
    in psa_egress_deparser_input_metadata_t i) { apply {} }
IngressPipeline(IP(), I(), ID()) ip;
EgressPipeline(EP(), E(), ED()) ep;
@pkginfo(name = "tried", version = "1") @platform_property[multicast_group_table_size = 100] @about
PSA_Switch(ip, PacketReplicationEngine(), ep, BufferingQueueingEngine()) main;
"#;

#[test]
fn objects_of_psa_are_known() {
    let found = info(PSA)
        .unwrap_or_else(|errors| panic!("{errors:#?}"))
        .text();
    let package = r#"pkg_info {
  name: "tried"
  version: "1"
  annotations: "@about"
  arch: "psa"
  platform_properties {
    multicast_group_table_size: 100
  }
}
"#;
    let table = r#"  initial_default_action {
    action_id: <action I.a>
    arguments {
      param_id: 1
      value: "\002\001"
    }
  }
  implementation_id: <profile I.ap>
  direct_resource_ids: <dcounter I.dc>
  size: 1024
  idle_timeout_behavior: NOTIFY_CONTROL
}
"#;
    let objects = r#"action_profiles {
  preamble {
    id: <profile I.ap>
    name: "I.ap"
    alias: "ap"
  }
  table_ids: <table I.t>
  size: 3
}
counters {
  preamble {
    id: <counter I.c>
    name: "I.c"
    alias: "c"
  }
  spec {
    unit: BYTES
  }
  size: 1024
  index_type_name {
    name: "slot_t"
  }
}
direct_counters {
  preamble {
    id: <dcounter I.dc>
    name: "I.dc"
    alias: "dc"
  }
  spec {
    unit: BOTH
  }
  direct_table_id: <table I.t>
}
meters {
  preamble {
    id: <meter I.me>
    name: "I.me"
    alias: "me"
  }
  spec {
    unit: PACKETS
  }
  size: 12
  index_type_name {
    name: "slot_t"
  }
}
value_sets {
  preamble {
    id: <set IP.vs>
    name: "IP.vs"
    alias: "vs"
  }
  match {
    id: 9
    name: "x"
    bitwidth: 5
    match_type: TERNARY
  }
  match {
    id: 2
    name: "y"
    bitwidth: 6
    match_type: EXACT
  }
  size: 4
}
value_sets {
  preamble {
    id: <set IP.bytes>
    name: "IP.bytes"
    alias: "bytes"
  }
  match {
    id: 1
    bitwidth: 8
    match_type: EXACT
  }
  size: 2
}
registers {
  preamble {
    id: <register shared>
    name: "shared"
    alias: "shared"
  }
  type_spec {
    bitstring {
      bit {
        bitwidth: 8
      }
    }
  }
  size: 6
  index_type_name {
    name: "slot_t"
  }
}
digests {
  preamble {
    id: <digest ID.notes>
    name: "ID.notes"
    alias: "notes"
  }
  type_spec {
    struct {
      name: "note_t"
    }
  }
}
type_info {
"#;
    assert!(found.starts_with(package), "{found}");
    for wanted in [table, objects] {
        let wanted = expected(wanted);
        assert!(found.contains(&wanted), "{wanted}\nis not in\n{found}");
    }
}

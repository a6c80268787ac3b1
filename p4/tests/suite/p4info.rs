//! What the control plane sees of programs: tables and actions, numbers by another formula, and errors.

mod binary;
mod entries;
mod objects;
mod types;

use hardpath_diagnostic::Diagnostic;
use hardpath_p4::check::check;
use hardpath_p4::design::design;
use hardpath_p4::p4info::{self, Kind, Message};
use hardpath_testkit::Random;
use objects::PSA;
use types::TYPES;

fn info(text: &str) -> Result<Message, Vec<String>> {
    crate::read(text, |program, sources| {
        let program = check(&program, sources)?;
        let design = design(&program, sources)?;
        p4info::p4info(&program, sources, &design).map_err(|errors| {
            let all_help = errors.iter().all(|one: &Diagnostic| {
                assert_eq!(one.code, "p4-p4info");
                one.help.is_some() || !one.labels.is_empty()
            });
            assert!(all_help, "{errors:?}");
            errors
        })
    })
}

/// A program for v1model with these declarations, and an ingress of these locals and this body.
fn v1model(declarations: &str, locals: &str, body: &str) -> String {
    format!(
        "#include <core.p4>\n#include <v1model.p4>\n{declarations}\n\
        header eth_t {{ bit<48> dst; bit<48> src; bit<16> kind; }}\n\
        struct hs {{ eth_t eth; }}\nstruct ms {{ bit<8> a; @name(\".lone\") bit<8> b; }}\n\
        parser P(packet_in p, out hs h, inout ms m, inout standard_metadata_t s) {{ state start {{ transition accept; }} }}\n\
        control V(inout hs h, inout ms m) {{ apply {{}} }}\n\
        control E(inout hs h, inout ms m, inout standard_metadata_t s) {{ apply {{}} }}\n\
        control D(packet_out p, in hs h) {{ apply {{}} }}\n\
        control I(inout hs h, inout ms m, inout standard_metadata_t s) {{\n{locals}\napply {{ {body} }} }}\n\
        V1Switch(P(), V(), I(), E(), V(), D()) main;\n"
    )
}

/// What a program has beside its package, as text.
fn of(declarations: &str, locals: &str, body: &str) -> String {
    let text = v1model(declarations, locals, body);
    let text = info(&text)
        .unwrap_or_else(|errors| panic!("{errors:#?}"))
        .text();
    let package = "pkg_info {\n  arch: \"v1model\"\n}\n";
    text.strip_prefix(package)
        .expect("its package comes first")
        .to_owned()
}

/// The only error of a program, without its place.
fn error(declarations: &str, locals: &str, body: &str) -> String {
    let errors = info(&v1model(declarations, locals, body)).unwrap_err();
    assert_eq!(errors.len(), 1, "{errors:#?}");
    let (place, message) = errors[0].split_once(' ').unwrap();
    assert!(place.contains(':'));
    message.to_owned()
}

/// The number of a name, by sums of 64 bits of which the upper half is cut off.
fn id(kind: Kind, name: &str) -> u32 {
    let low = |sum: u64| sum & 0xffff_ffff;
    let mut hash = 0u64;
    for letter in name.bytes() {
        hash = low((hash + u64::from(letter)) * 1025);
        hash ^= hash / 64;
    }
    hash = low(hash * 9);
    hash ^= hash / 2048;
    (kind as u32) * 0x100_0000 + (low(hash * 32769) % 0x100_0000) as u32
}

/// `<kind name>` stands for a number in what is expected.
fn expected(text: &str) -> String {
    let mut whole = String::new();
    let mut parts = text.split(['<', '>']);
    while let Some(part) = parts.next() {
        whole.push_str(part);
        let Some((kind, name)) = parts.next().map(|hole| hole.split_once(' ').unwrap()) else {
            break;
        };
        let kind = match kind {
            "action" => Kind::Action,
            "table" => Kind::Table,
            "set" => Kind::ValueSet,
            "header" => Kind::ControllerHeader,
            "profile" => Kind::ActionProfile,
            "counter" => Kind::Counter,
            "dcounter" => Kind::DirectCounter,
            "meter" => Kind::Meter,
            "dmeter" => Kind::DirectMeter,
            "register" => Kind::Register,
            "digest" => Kind::Digest,
            kind => panic!("{kind}"),
        };
        whole.push_str(&id(kind, name).to_string());
    }
    whole
}

#[test]
fn numbers_are_those_that_everybody_has() {
    // As they stand in the descriptions of many programs.
    assert_eq!(id(Kind::Action, "NoAction"), 21_257_015);
    let text = of("", "table t { actions = { NoAction; } }", "t.apply();");
    assert!(text.contains("action_id: 21257015\n"), "{text}");
}

const TABLE: &str = r#"
action gone() {}
@brief("Sends.") action send(@id(7) bit<9> port, bit<16> queue, bool now) { s.egress_spec = port; }
action bound(in bit<8> a, bit<4> b) {}
action only(bit<8> x) { m.a = x; }
@id(0x123) @size_hint(many , 3) @selected[a = 1, b = "two"]
table t {
    key = {
        h.eth.isValid(): exact; h.eth.dst: ternary @format(MAC); m.b[3:0]: lpm; m.a & 0x1F: range @name("masked");
        h.eth.src: selector; h.eth.kind: optional;
    }
    actions = { @tableonly send; bound(m.a); @defaultonly NoAction; }
    const default_action = bound(3);
    const entries = { (true, _, _, _, _, _): send(1, 2, true); }
    size = 4 * 100;
    support_timeout = true;
}
table unused { actions = { gone; } }
"#;

#[test]
fn tables_have_keys_and_actions() {
    let found = of(
        "",
        TABLE,
        "t.apply(); only(5); if (false) { unused.apply(); }",
    );
    let wanted = expected(
        r#"tables {
  preamble {
    id: 33554723
    name: "I.t"
    alias: "t"
    annotations: "@size_hint(many , 3)"
    structured_annotations {
      name: "selected"
      kv_pair_list {
        kv_pairs {
          key: "a"
          value {
            int64_value: 1
          }
        }
        kv_pairs {
          key: "b"
          value {
            string_value: "two"
          }
        }
      }
    }
  }
  match_fields {
    id: 1
    name: "h.eth.$valid$"
    bitwidth: 1
    match_type: EXACT
  }
  match_fields {
    id: 2
    name: "h.eth.dst"
    annotations: "@format(MAC)"
    bitwidth: 48
    match_type: TERNARY
  }
  match_fields {
    id: 3
    name: "lone[3:0]"
    bitwidth: 4
    match_type: LPM
  }
  match_fields {
    id: 4
    name: "masked"
    bitwidth: 8
    match_type: RANGE
  }
  match_fields {
    id: 6
    name: "h.eth.kind"
    bitwidth: 16
    match_type: OPTIONAL
  }
  action_refs {
    id: <action I.send>
    annotations: "@tableonly"
    scope: TABLE_ONLY
  }
  action_refs {
    id: <action I.bound>
  }
  action_refs {
    id: <action NoAction>
    annotations: "@defaultonly"
    scope: DEFAULT_ONLY
  }
  const_default_action_id: <action I.bound>
  initial_default_action {
    action_id: <action I.bound>
    arguments {
      param_id: 1
      value: "\003"
    }
  }
  size: 400
  idle_timeout_behavior: NOTIFY_CONTROL
  is_const_table: true
  has_initial_entries: true
}
actions {
  preamble {
    id: <action NoAction>
    name: "NoAction"
    alias: "NoAction"
    annotations: "@noWarn(\"unused\")"
  }
}
actions {
  preamble {
    id: <action I.send>
    name: "I.send"
    alias: "send"
    doc {
      brief: "Sends."
    }
  }
  params {
    id: 7
    name: "port"
    bitwidth: 9
  }
  params {
    id: 2
    name: "queue"
    bitwidth: 16
  }
  params {
    id: 3
    name: "now"
    bitwidth: 1
  }
}
actions {
  preamble {
    id: <action I.bound>
    name: "I.bound"
    alias: "bound"
  }
  params {
    id: 1
    name: "b"
    bitwidth: 4
  }
}
actions {
  preamble {
    id: <action I.only>
    name: "I.only"
    alias: "only"
  }
}
"#,
    );
    assert_eq!(found, wanted);
}

#[test]
fn a_control_that_is_made_twice_is_seen_twice() {
    let declarations = "
        action all() {}
        control Inner(inout bit<8> x) {
            action set(bit<8> v) { x = v; }
            table t { actions = { set; all; } }
            apply { t.apply(); }
        }
        control Never(inout bit<8> x) { table t { actions = { all; } } apply { t.apply(); } }";
    let locals = "Inner() one; @name(\"deux\") Inner() two; Never() three; action set() {} table u { actions = { set; } }";
    let found = of(
        declarations,
        locals,
        "one.apply(m.a); two.apply(m.a); u.apply();",
    );
    let names: Vec<(&str, &str)> = found
        .split("preamble {")
        .skip(1)
        .map(|preamble| {
            let line = |at: usize| preamble.lines().nth(at).unwrap().split('"').nth(1).unwrap();
            (line(2), line(3))
        })
        .collect();
    let wanted = [
        ("I.u", "u"),
        ("I.one.t", "one.t"),
        ("I.deux.t", "deux.t"),
        ("NoAction", "NoAction"),
        ("all", "all"),
        ("I.set", "I.set"),
        ("I.one.set", "one.set"),
        ("I.deux.set", "deux.set"),
    ];
    assert_eq!(names, wanted);
}

#[test]
fn a_number_that_is_taken_is_not_given_again() {
    // The place of `I.b` is taken by what somebody else says, and the next one, too.
    let place = id(Kind::Counter, "I.b");
    let locals = format!(
        "@id({place}) counter(1, CounterType.packets) x; @id({:#x}) counter(1, CounterType.packets) y;
        counter(1, CounterType.packets) b; counter(1, CounterType.packets) c;",
        (place + 1) & 0xff_ffff,
    );
    let found = of("", &locals, "");
    for (name, number) in [
        ("x", place),
        ("y", place + 1),
        ("b", place + 2),
        ("c", id(Kind::Counter, "I.c")),
    ] {
        let wanted = format!("    id: {number}\n    name: \"I.{name}\"\n");
        assert!(found.contains(&wanted), "{wanted}{found}");
    }
}

#[test]
fn nothing_is_known_of_other_architectures() {
    let text = "
        #include <core.p4>
        extern counter { counter(bit<32> size); }
        control C(inout bit<8> x) {
            counter(4) c;
            table t { key = { x: exact; } actions = { NoAction; } }
            apply { t.apply(); }
        }
        control T(inout bit<8> x);
        package Own(T t);
        Own(C()) main;";
    let found = info(text).unwrap().text();
    assert!(
        found.starts_with("pkg_info {\n  arch: \"Own\"\n}\ntables {\n"),
        "{found}"
    );
    assert!(!found.contains("counters"), "{found}");
}

#[test]
fn numbers_and_names_that_collide_are_refused() {
    let two = |one: &str, other: &str| {
        error(
            "",
            &format!("{one} counter(1, CounterType.packets) x; {other} counter(1, CounterType.packets) y;"),
            "",
        )
    };
    assert_eq!(
        two("@id(5)", "@id(0x12000005)"),
        "the number 0x12000005 is given twice"
    );
    assert_eq!(
        two("@name(\"z\")", "@name(\"z\")"),
        "two counters have the name `I.z`"
    );
    assert_eq!(
        two("@id(0x14000001)", ""),
        "0x14000001 is no number of a counter"
    );
    assert_eq!(
        two("@id(many)", ""),
        "`@id` says one number that has no more than 32 bits"
    );
    assert_eq!(
        two("@id(0x1_0000_0000)", ""),
        "`@id` says one number that has no more than 32 bits"
    );
    let action = "action a(@id(2) bit<8> x, @id(2) bit<8> y) {} table t { actions = { a; } }";
    assert_eq!(
        error("", action, "t.apply();"),
        "the number 2 is given twice"
    );
    let action = "action a(@id(0) bit<8> x) {} table t { actions = { a; } }";
    assert_eq!(error("", action, "t.apply();"), "0 is no number of a part");
}

#[test]
fn what_the_control_plane_cannot_write_is_refused() {
    let table = |property: &str| {
        let locals = format!(
            "counter(1, CounterType.packets) c; table t {{ {property} actions = {{ NoAction; }} }}"
        );
        error("", &locals, "t.apply();")
    };
    assert_eq!(
        table("key = { m.a + 1: exact; }"),
        "the control plane has no name for this key"
    );
    assert_eq!(
        table("implementation = action_profile(4);"),
        "the control plane has no name for this action_profile"
    );
    assert_eq!(
        table("counters = c;"),
        "`counters` of a table names a direct counter"
    );
    let action = "action a(eth_t x) {} table t { actions = { @defaultonly @tableonly a; } }";
    let errors = info(&v1model(
        "",
        &action.replace("eth_t x", "bit<8> x"),
        "t.apply();",
    ))
    .unwrap_err();
    assert!(
        errors[0].ends_with("an action is for entries only or for the default only"),
        "{errors:?}"
    );
    let action = "action a(pair_t x) {} table t { actions = { a; } }";
    assert_eq!(
        error("struct pair_t { bit<8> a; }", action, "t.apply();"),
        "the control plane writes no parameter of type pair_t"
    );
    assert_eq!(
        error(
            "@p4runtime_translation(9) type bit<8> t_t;",
            "register<t_t>(1) r;",
            ""
        ),
        "`@p4runtime_translation` says a text and a type"
    );
    assert_eq!(
        error(
            "",
            "@n[a = 1 << 70] table t { actions = { NoAction; } }",
            "t.apply();"
        ),
        "P4Info has numbers of 64 bits here"
    );
    assert_eq!(
        error("@controller_header header in_t { bit<8> a; }", "", ""),
        "`@controller_header` says which packets have this header"
    );
    let selector = "@max_group_size(\"a\") action_selector(HashAlgorithm.crc16, 64, 16) x;";
    assert_eq!(error("", selector, ""), "`@max_group_size` says a number");
}

/// Programs of these tests with words put elsewhere: described or refused, but never a panic.
#[test]
fn no_description_panics() {
    let mut random = Random::new(11);
    let whole = v1model(TYPES, TABLE, "t.apply(); digest(1, { m.a });");
    let mut described = 0;
    for round in 0..600 {
        let whole = [whole.as_str(), PSA][round % 2];
        let mut words: Vec<&str> = whole
            .split_inclusive([' ', '\n', ';', '(', ',', '=', '.'])
            .collect();
        let count = words.len() as u64;
        let (from, to) = (random.below(count) as usize, random.below(count) as usize);
        words[to] = words[from];
        let made = crate::read(&words.concat(), |program, sources| {
            let program = check(&program, sources)?;
            let design = design(&program, sources)?;
            p4info::initial_entries(&program, sources, &design)?;
            p4info::p4info(&program, sources, &design)
        });
        described += usize::from(made.is_ok_and(|info| !info.bytes().is_empty()));
    }
    assert!((20..400).contains(&described), "{described}");
}

//! Tables that share a memory: what that saves, what is refused, and that each is full at its own size.

use crate::common::{hardpath, path};
use std::path::PathBuf;

/// A control of a program with two headers, of which the parser makes one valid; `short` and `long` stand for the annotations of its
/// tables.
fn program(short: &str, long: &str, apply: &str) -> String {
    format!(
        r#"#include <core.p4>
#include <v1model.p4>
header kind_t {{ bit<8> kind; }}
header short_t {{ bit<72> key; bit<16> value; }}
header long_t {{ bit<144> key; bit<16> value; }}
struct headers_t {{ kind_t kind; short_t short; long_t long; }}
struct meta_t {{}}
parser P(packet_in p, out headers_t hdr, inout meta_t m, inout standard_metadata_t s) {{
    state start {{
        p.extract(hdr.kind);
        transition select(hdr.kind.kind) {{ 1: short; 2: long; default: accept; }}
    }}
    state short {{ p.extract(hdr.short); transition accept; }}
    state long {{ p.extract(hdr.long); transition accept; }}
}}
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {{
    action short_is(bit<16> value) {{ hdr.short.value = value; }}
    action long_is(bit<16> value) {{ hdr.long.value = value; }}
    action go() {{}}
    action stay() {{}}
    {short}
    {long}
    table which {{
        key = {{ hdr.kind.kind: exact; }}
        actions = {{ go; stay; }}
        default_action = stay();
        size = 256;
    }}
    apply {{
        {apply}
    }}
}}
control V(inout headers_t hdr, inout meta_t m) {{ apply {{}} }}
control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {{ apply {{}} }}
control C(inout headers_t hdr, inout meta_t m) {{ apply {{}} }}
control D(packet_out p, in headers_t hdr) {{ apply {{ p.emit(hdr); }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"#
    )
}

fn table(name: &str, said: &str, keys: &str, size: u32) -> String {
    format!(
        "{said} table {name} {{ key = {{ {keys} }} actions = {{ {name}_is; NoAction; }} default_action = NoAction(); size = {size}; }}"
    )
}

const SHARE: &str = "@hardpath_share(\"both\")";
const APART: &str = "if (hdr.short.isValid()) { short.apply(); } else { long.apply(); }";

fn short(said: &str, size: u32) -> String {
    table("short", said, "hdr.short.key: exact;", size)
}

fn long(said: &str, size: u32) -> String {
    table("long", said, "hdr.long.key: exact;", size)
}

fn written(folder: &tempfile::TempDir, text: &str) -> PathBuf {
    let file = folder.path().join("shared.p4");
    std::fs::write(&file, text).unwrap();
    file
}

/// The report of a program as hardware.
fn compiled(text: &str) -> serde_json::Value {
    let folder = tempfile::tempdir().unwrap();
    let run = hardpath(&["compile", path(&written(&folder, text)), "--json"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn the_report_tells_what_sharing_saves() {
    let report = compiled(&program(&short(SHARE, 512), &long(SHARE, 512), APART));
    let memories = report["shared_memories"].as_array().unwrap();
    assert_eq!(memories.len(), 1, "{report:#}");
    let memory = &memories[0];
    assert_eq!(memory["memory"], "I.both");
    assert_eq!(memory["tables"], serde_json::json!(["I.short", "I.long"]));
    assert_eq!(memory["entries"], 1024);
    for what in ["lut", "bram36"] {
        let of = |which: &str| memory[which][what].as_f64().unwrap();
        assert!(of("shared") > 0.0, "{memory:#}");
        assert!(of("shared") < of("apart"), "{what}: {memory:#}");
    }
    assert_eq!(memory["lookups"], 1);
    // The whole design is smaller, too.
    let apart = compiled(&program(&short("", 512), &long("", 512), APART));
    assert_eq!(apart["shared_memories"], serde_json::json!([]));
    for what in ["lut", "bram36"] {
        let of = |report: &serde_json::Value| report["estimate"][what].as_f64().unwrap();
        assert!(of(&report) < of(&apart), "{what}");
    }
}

/// What excludes tables is the ways of packets: branches, cases, conditions that contradict each other, what the parser makes of headers.
#[test]
fn ways_that_exclude_each_other_are_seen() {
    let folder = tempfile::tempdir().unwrap();
    for apply in [
        APART,
        "if (hdr.short.isValid()) { short.apply(); }\n if (hdr.long.isValid()) { long.apply(); }",
        "if (hdr.long.isValid() && hdr.kind.kind != 0) { long.apply(); }\n if (hdr.short.isValid()) { short.apply(); }",
        "if (hdr.kind.kind == 1) { short.apply(); }\n if (hdr.kind.kind == 2) { long.apply(); }",
        "if (hdr.short.isValid()) { short.apply(); return; }\n long.apply();",
        "bool is_short = s.packet_length > 99;\n if (is_short) { short.apply(); }\n if (!is_short) { long.apply(); }",
        "switch (which.apply().action_run) { go: { short.apply(); } stay: { long.apply(); } }",
    ] {
        let file = written(&folder, &program(&short(SHARE, 64), &long(SHARE, 64), apply));
        for target in ["pipeline", "core"] {
            let run = hardpath(&["compile", path(&file), "--target", target, "--json"]);
            assert_eq!(run.status, 0, "{apply}: {}", run.stderr);
            assert!(run.stdout.contains("\"I.both\""), "{apply}");
            if target == "pipeline" {
                let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
                assert_eq!(report["shared_memories"][0]["lookups"], 1, "{apply}");
            }
        }
    }
}

#[test]
fn what_cannot_be_shared_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |text: &str, line: &str, whys: &[&str]| {
        let file = written(&folder, text);
        for target in ["pipeline", "core"] {
            let run = hardpath(&["compile", path(&file), "--target", target]);
            assert_ne!(run.status, 0, "{whys:?}");
            for why in whys {
                assert!(run.stderr.contains(why), "{why}: {}", run.stderr);
            }
            let place = format!("shared.p4:{line}");
            assert!(run.stderr.contains(&place), "{place}: {}", run.stderr);
        }
    };
    // A packet comes to both: the error has both places.
    for apply in [
        "short.apply();\n long.apply();",
        "if (hdr.short.isValid()) { short.apply(); }\n if (hdr.kind.isValid()) { long.apply(); }",
        "if (hdr.short.isValid()) { short.apply(); }\n hdr.long.setValid(); if (hdr.long.isValid()) { long.apply(); }",
    ] {
        let both = program(&short(SHARE, 64), &long(SHARE, 64), apply);
        let what = "a packet can apply both `long` and `short`, which share the memory `I.both`";
        refused(&both, "31:", &[what, "the other one is applied here", "shared.p4:30"]);
    }
    let with = |short: String| program(&short, &long(SHARE, 64), APART);
    let said = |more: &str| format!("{more} {SHARE}");
    let keys = "hdr.short.key: lpm;";
    for (short, why) in [
        (table("short", SHARE, keys, 64), "one of its keys is `lpm`"),
        (short(&said("@hardpath_table(\"cam\")"), 64), "by `cam`"),
        (
            short(SHARE, 64).replace("size", "support_timeout = true; size"),
            "have timeouts",
        ),
        (
            short(SHARE, 64).replace("size", "const entries = { 1: short_is(2); } size"),
            "constant",
        ),
        (table("short", SHARE, "", 64), "it has no keys"),
        (
            short("@hardpath_share(\"bo th\")", 64),
            "is a word of letters",
        ),
        (
            short("@hardpath_share(\"which\")", 64),
            "`I.which` is something else",
        ),
    ] {
        refused(
            &with(short),
            "21:",
            &["`short` cannot share the memory", why],
        );
    }
    refused(
        &with(short("@hardpath_share(\"other\")", 64)),
        "21:",
        &["no other table of this control shares the memory \"other\" with `short`"],
    );
}

/// The memory has room, and the table has not.
#[test]
fn each_table_is_full_at_its_own_size() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(&folder, &program(&short(SHARE, 2), &long(SHARE, 64), APART));
    let entry = |number: u32| format!("table_add short short_is {number} => {number}\n");
    let all = |numbers: &[u32]| numbers.iter().map(|one| entry(*one)).collect::<String>();
    let entries = folder.path().join("entries");
    let test = folder.path().join("entries.stf");
    let long = "table_add long long_is 1 => 9\n";
    for (text, why) in [
        (all(&[1, 2]) + long, None),
        (all(&[1, 2]) + "table_delete short 0\n" + &entry(3), None),
        (all(&[1, 2, 3]), Some("the table has room for 2 entries")),
    ] {
        std::fs::write(&entries, &text).unwrap();
        std::fs::write(&test, text + "packet 0 05\nexpect 0 05\n").unwrap();
        let runs = [
            hardpath(&["compile", path(&file), "--entries", path(&entries)]),
            hardpath(&["stf", path(&file), path(&test), "--engine", "native"]),
        ];
        for run in runs {
            match why {
                None => assert_eq!(run.status, 0, "{}", run.stderr),
                Some(why) => {
                    assert_ne!(run.status, 0);
                    assert!(run.stderr.contains(why), "{}", run.stderr);
                }
            }
        }
    }
}

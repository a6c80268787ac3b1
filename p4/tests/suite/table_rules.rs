//! What tables, their entries and the names of the control plane may not be; as in `rules`.

use crate::rules::{errors, holds, PACKETS};
use hardpath_testkit::Random;

/// A control with a table of these properties.
fn table(properties: &str) -> String {
    format!(
        "control c(inout bit<8> x, inout bit<8> y) {{ action a(in bit<8> b, bit<8> p) {{ }} action n() {{ }}\ntable t {{ {properties} }} \
         apply {{ t.apply(); }} }}"
    )
}

#[test]
fn tables_have_properties_that_fit() {
    let before = "match_kind { exact, ternary, lpm, range, optional }";
    let rules = [
        (
            "key = { x + y : exact; } actions = { n; }",
            "3:19 the control plane has no name for this key",
        ),
        (
            "key = { x + y : exact @name(\"z\"); x & 3 : exact; 8w1 : exact; } actions = { n; }",
            "",
        ),
        (
            "key = { t : exact; } actions = { n; }",
            "3:19 `t` is a table, no value",
        ),
        (
            "default_action = n; actions = { n; }",
            "3:11 `default_action` stands behind `actions`",
        ),
        (
            "entries = { 1 : n(); } key = { x : exact; } actions = { n; }",
            "3:11 `entries` stands behind `key`",
        ),
        (
            "actions = { n; } entries = { 1 : n(); }",
            "3:7 table `t` has no key, so it has no entries",
        ),
        ("key = { } actions = { n; } entries = { }", ""),
        (
            "actions = { a(x); } default_action = a(y, 1);",
            "3:50 the list of actions gives something else here",
        ),
        ("actions = { a(x); } default_action = a(x, 1);", ""),
        ("actions = { a(x); } default_action = a(1);", ""),
        (
            "key = { x : exact; } actions = { @defaultonly n; } entries = { 1 : n(); }",
            "3:74 `n` is only a default of this table",
        ),
        (
            "key = { x : exact; } actions = { @tableonly n; } default_action = n;",
            "3:77 `n` is no default of this table",
        ),
        (
            "key = { x : exact; } actions = { @tableonly n; } entries = { 1 : n(); }",
            "",
        ),
        (
            "key = { x : exact; } actions = { n; } entries = { 1 : n(); 2 : n(); 1 : n(); }",
            "3:79 this entry stands here twice",
        ),
        (
            "key = { x : lpm; } actions = { n; } entries = { 0x10 &&& 0xF0 : n(); _ : n(); }",
            "",
        ),
        (
            "key = { x : lpm; } actions = { n; } entries = { 0x10 &&& 0x90 : n(); }",
            "3:59 the mask of an lpm key is ones in front of zeros",
        ),
        (
            "key = { x : optional; } actions = { n; } entries = { 0x10 &&& 0xF0 : n(); }",
            "3:64 `optional` has no masks",
        ),
        (
            "key = { x : ternary; } actions = { n; } entries = { 1 .. 3 : n(); }",
            "3:63 `ternary` has no ranges",
        ),
        (
            "key = { x == y : lpm @name(\"z\"); } actions = { n; }",
            "3:19 `lpm` looks for numbers, not bool",
        ),
        (
            "actions = { n; } priority_delta = 0;",
            "3:45 `priority_delta` is a number from 1",
        ),
        (
            "key = { x : range; } actions = { n; } entries = { 1 .. 3 : n(); }",
            "",
        ),
    ];
    let rules = rules.map(|(properties, wanted)| (table(properties), wanted));
    let rules: Vec<(&str, &str)> = rules
        .iter()
        .map(|(text, wanted)| (text.as_str(), *wanted))
        .collect();
    holds(before, &rules);
    holds(
        "",
        &[
            ("action NoAction(bit<8> x) { } control c() { action n() { } table t { actions = { n; } } apply { } }",
             "2:8 tables without a default do this: it is an action without parameters"),
            ("action NoAction() { } control c() { action n() { } table t { actions = { n; } } apply { } }", ""),
        ],
    );
}

#[test]
fn entries_have_priorities_that_order_them() {
    let before = "match_kind { exact, ternary }";
    let rules = [
        ("priority = 10 : 1 : n(); 2 : n();", "", ""),
        (
            "1 : n(); priority = 10 : 2 : n();",
            "",
            "3:64 the first entry has no priority, and others have one",
        ),
        (
            "priority = 5 : 1 : n(); 2 : n();",
            "priority_delta = 10;",
            "3:7 an entry has priority -5, which is not from 0 to 2147483647",
        ),
        (
            "priority = 5 : 1 : n(); 2 : n();",
            "priority_delta = 10; largest_priority_wins = false;",
            "",
        ),
        (
            "1 : n();",
            "priority_delta = 0;",
            "3:68 `priority_delta` is a number from 1",
        ),
        (
            "1 : n();",
            "largest_priority_wins = 1;",
            "3:75 `largest_priority_wins` is `true` or `false`",
        ),
    ];
    let rules = rules.map(|(entries, properties, wanted)| {
        let text = format!(
            "key = {{ x : ternary; }} actions = {{ n; }} {properties} entries = {{ {entries} }}"
        );
        (table(&text), wanted)
    });
    let rules: Vec<(&str, &str)> = rules
        .iter()
        .map(|(text, wanted)| (text.as_str(), *wanted))
        .collect();
    holds(before, &rules);
    let constant = table(
        "key = { x : ternary; } actions = { n; } const entries = { priority = 1 : 1 : n(); }",
    );
    let exact =
        table("key = { x : exact; } actions = { n; } entries = { priority = 1 : 1 : n(); }");
    holds(
        before,
        &[
            (
                &constant,
                "3:80 `const entries` win in the order in which they stand: none has a priority",
            ),
            (
                &exact,
                "3:11 which entry wins is said by this key: none has a priority",
            ),
        ],
    );
}

#[test]
fn the_control_plane_has_one_name_for_one_thing() {
    let control = "{ action n() { } @name(\".b\") action m() { } table t { actions = { n; m; o; } } apply { t.apply(); } }";
    let before =
        "control C(); package top(C c); package both(C c, C d); @name(\"a\") action o() { }";
    let two = |one: &str, other: &str| {
        format!(
            "control i() {{\n{one} action n() {{ }}\n{other} action m() {{ }} table t {{ actions = {{ n; m; o; }} }} apply {{ t.apply(); }} }} \
             top(i()) main;"
        )
    };
    let rules = [
        (two("", ""), ""),
        (
            two("@name(\"b\")", "@name(\"b\")"),
            "4:19 the control plane calls another action `i.b`, too",
        ),
        (
            two("@name(\".b\")", "@name(\".b\")"),
            "4:20 the control plane calls another action `b`, too",
        ),
        (
            two("@name(\"b\")", "@name(\".i.b\")"),
            "4:22 the control plane calls another action `i.b`, too",
        ),
        (
            two("@name(\".a\")", ""),
            "3:20 the control plane calls another action `a`, too",
        ),
        (two("@name(\"a\")", ""), ""),
        (format!("control i() {control} top(i()) main;"), ""),
        (
            format!("control i() {control} both(i(), i()) main;"),
            "2:49 two actions are called `b`: this is made twice",
        ),
    ];
    let rules: Vec<(&str, &str)> = rules
        .iter()
        .map(|(text, wanted)| (text.as_str(), *wanted))
        .collect();
    holds(before, &rules);
}

/// The programs of all these tests, with words put elsewhere: right or wrong, but never a panic.
#[test]
fn no_wrong_table_or_parser_panics() {
    let mut random = Random::new(11);
    let parser = "parser p(packet_in b, out h_t h, out v_t v) { state start { b.extract(h); b.extract(v, 8); \
                  transition select(h.a) { 1 &&& 3: start; 2 .. 5: accept; _: reject; } } }";
    let whole = table(
        "key = { x : ternary; y : lpm; } actions = { @tableonly n; a(x); } default_action = a(x, 1); priority_delta = 3; \
         entries = { const priority = 10 : (1 &&& 3, 16 &&& 0xF0) : n(); (_, 2) : a(x, 3); }",
    );
    let ends = "control C(inout bit<8> x, inout bit<8> y); package top(C c); top(c()) main;";
    let whole = format!("{PACKETS}\n{parser}\n{whole}\n{ends}");
    assert_eq!(errors(&whole), [""; 0]);
    let mut wrong = 0;
    for _ in 0..1_000 {
        let mut words: Vec<&str> = whole
            .split_inclusive([' ', '\n', ';', '(', '<', ','])
            .collect();
        for _ in 0..1 + random.below(3) {
            let count = words.len() as u64;
            let (from, to) = (random.below(count) as usize, random.below(count) as usize);
            words[to] = words[from];
        }
        wrong += usize::from(!errors(&words.concat()).is_empty());
    }
    assert!((500..1_000).contains(&wrong), "{wrong}");
}

//! What is wrong with a program, and programs that nobody would write.

use super::{all_of_it, error, readable, whole, HEADS};
use hardpath_testkit::Random;

#[test]
fn what_is_wrong_is_told() {
    let in_action = |statement: &str, message: &str| {
        let text = format!("action act(p) {{ {statement} }} table t {{ actions {{ act; }} }} control ingress {{ apply(t); }}");
        error(&text, message);
    };
    in_action("modify_field(h.a, h.q);", "`h` has no field `q`");
    error(
        "field_list l { m.x; h.a; } action a() { resubmit(l); } table t { actions { a; } } control ingress { apply(t); }",
        "packets that go round keep metadata only, and `l` has a field of a header",
    );
    error(
        "table unused { reads { h.q : exact; } actions { no_op; } } control ingress { }",
        "`h` has no field `q`",
    );
    error(
        "action unused() { modify_field(h.q, 1); } control ingress { }",
        "`h` has no field `q`",
    );
    in_action(
        "modify_field(h.a);",
        "`modify_field` takes 2 or 3 arguments",
    );
    in_action(
        "modify_field(p, 1);",
        "this is no field that could be changed",
    );
    in_action("modify_field(h.a, k);", "`k` is no value");
    in_action("modify_field(h.a, zz);", "nothing is called `zz`");
    in_action("modify_field(st.a, 1);", "`st` is a stack: say which");
    in_action(
        "modify_field(st[3].a, 1);",
        "the stack has 3 headers, and none at 3",
    );
    in_action(
        "modify_field(st[p].a, 1);",
        "the place in a stack is a constant",
    );
    in_action(
        "modify_field(st[last].a, 1);",
        "`next` and `last` stand in parsers only",
    );
    in_action(
        "modify_field(h.a, current(0, 8));",
        "`current` stands in parsers only",
    );
    in_action("modify_field(h.a, h.b / 3);", "powers of two only");
    in_action("shift_left(h.a, h.a, -1);", "less than nothing");
    in_action("add_header(m);", "metadata is always there");
    in_action("add_header(st);", "`add_header` takes one header");
    in_action("push(h, 1);", "`push` takes a stack");
    in_action("clone_i2i(1);", "v1model clones no packets into ingress");
    in_action("resubmit(h);", "there is no field list `h`");
    in_action("count(c, 1);", "there is no counter `c`");
    in_action(
        "modify_feild(h.a, 1);",
        "there is no action `modify_feild` - did you mean `modify_field`?",
    );
    in_action("act(1);", "calls itself");
    in_action(
        "modify_field(standard_metadata.parser_status, 1);",
        "v1model has no `standard_metadata.parser_status`",
    );
    error("counter c { type : packets; direct : t; } action a() { count(c, 0); } table t { actions { a; } } control ingress { apply(t); }", "is direct");
    error("counter c { type : packets; static : u; instance_count : 5; } action a() { count(c, 0); } table t { actions { a; } } table u { actions { a; } } control ingress { apply(t); }", "is of the table `u` only");
    error("register r { width : 8; direct : t; } action a() { register_read(h.a, r, 0); } table t { actions { a; } } control ingress { apply(t); }", "no registers that go along with a table");
    error(
        "counter c { type : packets; } control ingress { }",
        "neither `direct` nor `instance_count`",
    );
    error(
        "table t { actions { no_op; } } control ingress { apply(t); } control egress { apply(t); }",
        "in P4_16 a table is in one of them",
    );
    error(
        "action a() { resubmit(); } table t { actions { a; a; } } control ingress { } control egress { apply(t); }",
        "`resubmit` is for ingress only",
    );
    error(
        "control ingress { sub(); } control sub { ingress(); }",
        "calls itself",
    );
    error("control ingress { apply(t); }", "there is no table `t`");
    error(
        "table t { actions { no_op; } } control ingress { apply(t) { drop { } } }",
        "has no action `drop`",
    );
    error(
        "table t { actions { no_op; } } control ingress { apply(t) { no_op { } no_op { } } }",
        "`no_op` is said already",
    );
    error(
        "table t { actions { no_op; } } control ingress { apply(t) { hit { } no_op { } } }",
        "cases are either of actions, or `hit` and `miss`",
    );
    error(
        "table t { reads { h.a : exactly; } actions { no_op; } } control ingress { apply(t); }",
        "`exactly` is no kind of a match",
    );
    error(
        "table t { reads { h : exact; } actions { no_op; } } control ingress { apply(t); }",
        "matched by `valid` only",
    );
    error("control ingress { if (h.a) { } }", "this is no condition");
    error(
        "header_type o_t { fields { a : 7; } } header o_t o; control ingress { }",
        "a header has whole bytes",
    );
    error(
        "header_type o_t { fields { a : 7; a : 8; } } control ingress { }",
        "there is a field `a` already",
    );
    error(
        "header_type o_t { fields { r : *; a : 8; } length : a; } control ingress { }",
        "no field `a` stands in front",
    );
    error(
        "header_type o_t { fields { a : 32; r : *; } length : a; } control ingress { }",
        "nothing says how long",
    );
    error(
        "header_type o_t { fields { a : 8; r : *; } max_length : 4; } control ingress { }",
        "no `length` says how much",
    );
    error(
        "header_type o_t { fields { a : 0; } } control ingress { }",
        "the width of a field is 0",
    );
    error("header h_t h; control ingress { }", "`h` already");
    error(
        "parser sub { return ingress; } control sub { } control ingress { }",
        "is a control, too",
    );
    error("field_list l { l; } action a() { generate_digest(1, l); } table t { actions { a; } } control ingress { apply(t); }", "contains itself");
    error(
        "blackbox stateful_alu x { } control ingress { }",
        "not of P4_14 1.0",
    );
    let of_parser = |states: &str, message: &str| {
        let errors = whole(&format!("{HEADS}{states} control ingress {{ }}")).unwrap_err();
        assert!(
            errors.len() == 1 && errors[0].contains(message),
            "{states}: {errors:?}"
        );
    };
    of_parser(
        "parser start { set_metadata(m.x, latest.a); extract(h); return ingress; }",
        "nothing was extracted",
    );
    of_parser(
        "parser start { set_metadata(h.a, 1); return ingress; }",
        "fields of metadata only",
    );
    of_parser(
        "parser start { extract(m); return ingress; }",
        "headers only are extracted",
    );
    of_parser(
        "parser start { return begin; }",
        "no parser state and no control `begin`",
    );
    of_parser(
        "parser begin { return ingress; }",
        "no parser state `start`",
    );
    of_parser(
        "parser start { return start; }",
        "no parser state goes on to a control",
    );
    of_parser("parser_value_set v; parser start { extract(h); return select(h.a) { v mask 3: ingress; } }", "a value set takes no mask");
    of_parser("parser_value_set v; parser start { extract(h); return select(h.a) { v: two; } } parser two { return select(h.b) { v: ingress; } }", "other widths");
}

/// Each error has its place, and none hides the others.
#[test]
fn all_errors_are_told_with_their_places() {
    let errors = whole(
        "header_type h_t { fields { a : 8; } }
header h_t h;
parser start { extract(h) return ingress; }
action a() { modify_field(h.a, ); }
table t { actions { a; }
",
    )
    .unwrap_err();
    assert_eq!(
        errors,
        [
            "3:27 `;` is expected, and there is `return`",
            "4:32 an expression is expected, and there is `)`",
            "5:25 a name is expected, and the program ends",
        ]
    );
    let errors = whole(
        "header_type h_t { fields { a : 8; } }
header h_t h;
parser start { extract(g); return ingress; }
action a() { modify_field(h.b, 1); modify_field(h.a, h.c); }
table t { reads { h.d : exact; } actions { a; b; } }
control ingress { apply(t); if (h.e == 1) { } }
",
    )
    .unwrap_err();
    let places: Vec<&str> = errors
        .iter()
        .map(|error| error.split(' ').next().unwrap())
        .collect();
    assert_eq!(
        places,
        ["3:24", "4:29", "4:56", "5:21", "5:47", "6:35"],
        "{errors:?}"
    );
}

/// Actions and controls that call each other twice and twice have an end all the same.
#[test]
fn what_would_have_no_end_is_told() {
    let many = |line: &dyn Fn(usize) -> String| (1..40).map(line).collect::<String>();
    let actions = many(&|n| format!("action a{n}() {{ a{m}(); a{m}(); }}\n", m = n - 1));
    error(
        &format!("action a0() {{ drop(); }}\n{actions} table t {{ actions {{ a39; }} }} control ingress {{ apply(t); }}"),
        "does more than 10000 things",
    );
    let controls = many(&|n| format!("control c{n} {{ c{m}(); c{m}(); }}\n", m = n - 1));
    error(
        &format!("table t {{ actions {{ no_op; }} }} control c0 {{ apply(t); }}\n{controls} control ingress {{ c39(); }}"),
        "more than 100000 statements",
    );
    let doubled = many(&|n| format!("action a{n}(p) {{ a{m}(p + p); }}\n", m = n - 1));
    error(
        &format!("action a0(p) {{ modify_field(h.a, p); }}\n{doubled} table t {{ actions {{ a39; }} }} control ingress {{ apply(t); }}"),
        "or is too long",
    );
    let lists = many(&|n| format!("field_list l{n} {{ l{m}; l{m}; }}\n", m = n - 1));
    error(
        &format!("field_list l0 {{ }}\n{lists} action a() {{ generate_digest(1, l39); }} table t {{ actions {{ a; }} }} control ingress {{ apply(t); }}"),
        "more than 10000 fields",
    );
    let deep = format!("{}h.a{}", "(".repeat(3000), ")".repeat(3000));
    error(
        &format!("control ingress {{ if ({deep} == 1) {{ }} }}"),
        "nested more than",
    );
    let long = vec!["h.a"; 5000].join(" + ");
    error(
        &format!("control ingress {{ if ({long} == 1) {{ }} }}"),
        "on end",
    );
    let states = (1..5000).map(|n| {
        format!(
            "parser s{n} {{ extract(st[next]); return s{m}; }}\n",
            m = n - 1
        )
    });
    let states: String = states.collect();
    let chain = whole(&format!("{HEADS} parser start {{ return s4999; }} parser s0 {{ return ingress; }} {states} control ingress {{ }}"));
    assert!(chain.is_ok(), "{chain:?}");
}

/// Whatever a source is, it does not panic; and what is translated can be read.
#[test]
fn words_at_other_places_make_no_panic() {
    let text = all_of_it();
    let text: String = text
        .lines()
        .filter(|line| !line.starts_with("//"))
        .map(|line| format!("{line}\n"))
        .collect();
    let mut words: Vec<String> = Vec::new();
    for line in text.split_inclusive('\n') {
        // Directives and pragmas stay whole.
        if line.starts_with(['#', '@']) {
            words.push(line.to_owned());
            continue;
        }
        // Letters and digits belong together, and so do operators.
        let kind = |character: char| match character {
            '_' | '\'' => 1,
            '<' | '>' | '=' | '!' | '&' | '|' => 2,
            _ if character.is_alphanumeric() => 1,
            _ => 0,
        };
        let mut last = 0;
        for character in line.chars() {
            match words.last_mut() {
                Some(word) if last > 0 && kind(character) == last => word.push(character),
                _ if character != ' ' => words.push(character.to_string()),
                _ => {}
            }
            last = kind(character);
        }
    }
    let mut random = Random::new(14);
    let mut below = |limit: usize| random.below(limit as u64) as usize;
    let (mut wrong, mut right) = (0, 0);
    for _ in 0..2000 {
        let mut broken = words.clone();
        for _ in 0..1 + below(3) {
            let (from, to) = (below(broken.len()), below(broken.len()));
            match below(4) {
                0 => drop(broken.remove(from)),
                1 => broken.swap(from, to),
                2 => broken[to] = words[below(words.len())].clone(),
                _ => broken.insert(to, words[from.min(words.len() - 1)].clone()),
            }
        }
        match whole(&broken.join(" ")) {
            Err(_) => wrong += 1,
            Ok(text) => {
                readable(&text);
                right += 1;
            }
        }
    }
    assert!(wrong > 1000 && right > 50, "{wrong} wrong, {right} right");
}

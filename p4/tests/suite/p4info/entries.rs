//! Entries that programs have, as a control plane would write them.

use super::binary::{at, fields, Read};
use super::{id, v1model};
use hardpath_p4::check::check;
use hardpath_p4::design::design;
use hardpath_p4::p4info::{self, Kind};

/// The entries of a program, each in one line: priority, keys, what its action is given.
fn entries(declarations: &str, locals: &str) -> Result<Vec<String>, Vec<String>> {
    let text = v1model(declarations, locals, "t.apply();");
    let request = crate::read(&text, |program, sources| {
        let program = check(&program, sources)?;
        let design = design(&program, sources)?;
        p4info::initial_entries(&program, sources, &design)
    })?;
    let bytes = request.bytes();
    let number = |bytes: &[u8], path: &[u64]| match at(bytes, path)[..] {
        [] => 0,
        [Read::Number(number)] => number,
        _ => panic!("{path:?}"),
    };
    let updates = at(&bytes, &[4]).into_iter().map(|update| {
        let Read::Bytes(update) = update else {
            panic!("{update:?}");
        };
        assert_eq!(number(update, &[1]), 1, "it is inserted");
        assert_eq!(number(update, &[2, 2, 1]), id(Kind::Table, "I.t").into());
        let mut line = number(update, &[2, 2, 4]).to_string();
        if number(update, &[2, 2, 13]) == 1 {
            line.push_str(" const");
        }
        for key in at(update, &[2, 2, 2]) {
            let Read::Bytes(key) = key else {
                panic!("{key:?}");
            };
            for (field, value) in fields(key) {
                match value {
                    Read::Number(id) => line.push_str(&format!(" {id}")),
                    Read::Bytes(value) => {
                        line.push_str(&format!(":{field}{:02x?}", fields(value)));
                    }
                }
            }
        }
        for value in at(update, &[2, 2, 3, 1, 4, 3]) {
            line.push_str(&format!(" = {value:02x?}"));
        }
        for name in ["Bytes(", "Number(", ")", "("] {
            line = line.replace(name, "");
        }
        line
    });
    Ok(updates.collect())
}

#[test]
fn entries_of_a_program_are_written() {
    let declarations = "
        enum bit<12> op_t { ADD = 0x123 }
        @p4runtime_translation(\"site/port\", bit<32>) type bit<9> port_t;";
    let locals = "
        op_t op; port_t port;
        action a(@id(4) bit<12> x, bool y) {}
        table t {
            key = { m.a: exact; h.eth.kind: ternary; h.eth.dst: lpm; m.b: range; op: optional; port: exact @id(9); }
            actions = { a; NoAction; }
            const entries = {
                (1, 0x1234 &&& 0xff0, 0xaa0000000000 &&& 0xff0000000000, 2 .. 5, op_t.ADD, (port_t)3): a(0x102, true);
                (2, 7, 8, 6, _, (port_t)0): a(0, false);
                (3, _, _, 0 .. 255, _, (port_t)256): a(1, true);
                (4, 5 &&& 0, 5 &&& 0, _, _, (port_t)1): NoAction;
            }
        }";
    // A field's number, then which kind it is, and in that the values by their numbers.
    let wanted = [
        "4 const 1:2[01, [01]] 2:3[01, [02, 30], 02, [0f, f0]] 3:4[01, [aa, 00, 00, 00, 00, 00], 02, 08] \
        4:6[01, [02], 02, [05]] 5:7[01, [01, 23]] 9:2[01, [00, 00, 00, 03]] = [01, 02] = [01]",
        "3 const 1:2[01, [02]] 2:3[01, [00, 07], 02, [ff, ff]] 3:4[01, [00, 00, 00, 00, 00, 08], 02, 30] \
        4:6[01, [06], 02, [06]] 9:2[01, [00, 00, 00, 00]] = [00, 00] = [00]",
        "2 const 1:2[01, [03]] 9:2[01, [00, 00, 01, 00]] = [00, 01] = [01]",
        "1 const 1:2[01, [04]] 9:2[01, [00, 00, 00, 01]]",
    ];
    assert_eq!(entries(declarations, locals).unwrap(), wanted);
}

#[test]
fn the_larger_priority_wins() {
    let priorities = |property: &str, entries_are: &str| -> Vec<String> {
        let locals = format!(
            "action a() {{}} table t {{ key = {{ m.a: ternary; }} actions = {{ a; }} {property} entries = {{ {entries_are} }} }}"
        );
        let lines = entries("", &locals).unwrap_or_else(|errors| panic!("{errors:#?}"));
        lines
            .iter()
            .map(|line| line.split(" 1:").next().unwrap().to_owned())
            .collect()
    };
    let plain = "1: a; const 2: a; 3: a;";
    assert_eq!(priorities("", plain), ["3", "2 const", "1"]);
    assert_eq!(
        priorities("priority_delta = 10;", plain),
        ["21", "11 const", "1"]
    );
    // 1, 11 and 21, of which the smallest wins.
    let smallest = "largest_priority_wins = false; priority_delta = 10;";
    assert_eq!(priorities(smallest, plain), ["21", "11 const", "1"]);
    let said = "priority = 50: 1: a; 2: a; const priority = 9: 3: a;";
    assert_eq!(priorities("", said), ["50", "49", "9 const"]);
    let exact = "action a() {} table t { key = { m.a: exact; } actions = { a; } entries = { 1: a; 2: a; } }";
    assert_eq!(
        entries("", exact).unwrap(),
        ["0 1:2[01, [01]]", "0 1:2[01, [02]]"]
    );
}

#[test]
fn entries_that_have_no_form_are_refused() {
    let of = |key: &str, set: &str| {
        let locals = format!(
            "error e; action a() {{}} table t {{ key = {{ {key}; }} actions = {{ a; }} const entries = {{ {set}: a; }} }}"
        );
        let errors = entries("", &locals).unwrap_err();
        assert_eq!(errors.len(), 1, "{errors:?}");
        errors[0].split_once(' ').unwrap().1.to_owned()
    };
    assert_eq!(
        of("m.a: lpm", "1 &&& 0x0f"),
        "the mask of an lpm key is ones in front of zeros"
    );
    assert_eq!(
        of("e: exact", "error.NoMatch"),
        "P4Runtime has no form of a value of type error"
    );
    assert_eq!(
        of("m.a: selector", "1"),
        "P4Runtime has no form of this entry for a key of kind selector"
    );
}

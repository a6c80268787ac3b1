//! Entries as P4Runtime has them: what a program has itself, written and read back, and what is wrong with such files.

use hardpath_p4::commands::{Command, CommandKind};
use hardpath_p4::control::Names;
use hardpath_p4::design::{design, Design};
use hardpath_p4::interpreter::first_tables;
use hardpath_p4::meters::Rates;
use hardpath_p4::p4info::{initial_entries, p4info};
use hardpath_p4::preprocess::Options;
use hardpath_p4::source::Sources;
use hardpath_p4::typed::Program;
use hardpath_p4::{p4runtime, runner};

const PROGRAM: &str = r#"
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> a; bit<16> b; bit<32> c; bit<9> d; bit<7> e; }
struct headers { h_t h; }
struct metadata {}
parser P(packet_in p, out headers h, inout metadata m, inout standard_metadata_t s) {
    value_set<bit<8>>(2) known;
    state start {
        p.extract(h.h);
        transition select(h.h.a) { known: reject; default: accept; }
    }
}
control V(inout headers h, inout metadata m) { apply {} }
control I(inout headers h, inout metadata m, inout standard_metadata_t s) {
    counter(16, CounterType.packets_and_bytes) seen;
    direct_counter(CounterType.packets_and_bytes) found;
    register<bit<20>>(8) cells;
    meter(4, MeterType.bytes) rate;
    direct_meter<bit<8>>(MeterType.packets) each;
    action send(bit<9> port) { s.egress_spec = port; }
    action mark(bit<8> a, bit<16> b) { h.h.a = a; h.h.b = b; }
    action limit() { each.read(h.h.a); }
    table one {
        key = { h.h.a: exact; h.h.c: lpm; }
        actions = { send; mark; NoAction; limit; }
        default_action = NoAction();
        counters = found;
        meters = each;
        entries = {
            (1, 0x0a000000 &&& 0xff000000): send(3);
            (2, 0x0a0b0c0d): mark(7, 0x1234);
            const (3, 0x0a0b0c0d): send(1);
        }
    }
    table many {
        key = { h.h.b: ternary; h.h.d: range; h.h.e: optional; }
        actions = { send; mark; }
        entries = {
            (0x1200 &&& 0xff00, 2 .. 9, 5): send(1);
            (0x0001, 7 .. 8, 6): mark(0, 1);
        }
    }
    table none {
        actions = { send; }
    }
    apply {
        none.apply();
        seen.count((bit<32>)h.h.a);
        cells.write(0, 20w1);
        rate.execute_meter(1, h.h.a);
        one.apply();
        many.apply();
    }
}
control E(inout headers h, inout metadata m, inout standard_metadata_t s) { apply {} }
control C(inout headers h, inout metadata m) { apply {} }
control D(packet_out p, in headers h) { apply { p.emit(h.h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"#;

struct Checked {
    program: Program,
    sources: Sources,
    design: Design,
}

fn checked() -> Checked {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("program.p4");
    std::fs::write(&path, PROGRAM).unwrap();
    let read = hardpath_p4::load(&path, None, &Options::default());
    let (program, sources) = read.unwrap_or_else(|errors| panic!("{errors:#?}"));
    let design = design(&program, &sources).unwrap_or_else(|errors| panic!("{errors:#?}"));
    Checked {
        program,
        sources,
        design,
    }
}

fn read(of: &Checked, text: &str) -> Result<Vec<Command>, Vec<hardpath_diagnostic::Diagnostic>> {
    let info = p4info(&of.program, &of.sources, &of.design).unwrap();
    assert!(p4runtime::looks_so(text), "{text}");
    p4runtime::read("entries", text, &info)
}

/// The number of a thing by its name, as the description has it.
fn id(of: &Checked, list: &str, name: &str) -> i64 {
    let info = p4info(&of.program, &of.sources, &of.design).unwrap();
    let all: Vec<_> = info
        .messages(list)
        .flat_map(|one| one.messages("preamble"))
        .cloned()
        .collect();
    let found = all.iter().find(|one| one.string_of("name") == Some(name));
    found
        .and_then(|one| one.number_of("id"))
        .unwrap_or_else(|| panic!("{name}"))
}

#[test]
fn entries_of_a_program_come_back() {
    let of = checked();
    let written = initial_entries(&of.program, &of.sources, &of.design).unwrap();
    let commands = read(&of, &written.text()).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let names = Names::of(&of.program, &of.design);
    let first = first_tables(&of.program, &of.sources, &of.design).unwrap();
    let mut found = vec![Vec::new(); first.len()];
    for command in &commands {
        let CommandKind::AddEntry(entry) = &command.kind else {
            panic!("{command:?}");
        };
        let table = names.table(&entry.table, &command.place).unwrap();
        found[table].push(names.entry(table, entry, &command.place).unwrap());
    }
    // One that is constant is only listed.
    let held = first.into_iter().map(|table| {
        let entries = table.entries.into_iter();
        entries
            .filter(|entry| !entry.is_constant)
            .collect::<Vec<_>>()
    });
    let held: Vec<_> = held.collect();
    assert_eq!(found.iter().map(Vec::len).sum::<usize>(), 4);
    assert_eq!(found, held);
}

#[test]
fn counters_registers_and_default_actions_are_modified() {
    let of = checked();
    let [seen, cells, one, send] = [
        ("counters", "I.seen"),
        ("registers", "I.cells"),
        ("tables", "I.one"),
        ("actions", "I.send"),
    ]
    .map(|(list, name)| id(&of, list, name));
    let text = format!(
        r#"updates {{ type: MODIFY entity {{ counter_entry {{ counter_id: {seen} index {{ index: 3 }} data {{ packet_count: 5 byte_count: 70 }} }} }} }}
        updates {{ type: MODIFY entity {{ register_entry {{ register_id: {cells} index {{ index: 2 }} data {{ bitstring: "\x0f\xff\xff" }} }} }} }}
        updates {{ type: MODIFY entity {{ table_entry {{ table_id: {one} is_default_action: true
            action {{ action {{ action_id: {send} params {{ param_id: 1 value: "\001\377" }} }} }} }} }} }}
        updates {{ type: MODIFY entity {{ direct_counter_entry {{ data {{ packet_count: 9 byte_count: 8 }} table_entry {{ table_id: {one}
            match {{ field_id: 1 exact {{ value: "\001" }} }} match {{ field_id: 2 lpm {{ value: "\n\000\000\000" prefix_len: 8 }} }} }} }} }} }}"#
    );
    let commands = read(&of, &text).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let machine = hardpath_p4::interpreter::Machine::new(&of.program, &of.sources, &of.design);
    let mut machine = machine.unwrap();
    let verdict = runner::run(
        &mut machine,
        &of.program,
        &of.sources,
        &of.design,
        &commands,
    );
    assert_eq!(verdict.unwrap(), runner::Verdict::Passed);
    let object = |name: &str| {
        let mut all = of.design.objects.iter();
        all.position(|one| one.name == name).unwrap()
    };
    assert_eq!(machine.counts(object("I.seen"))[&3], (5, 70));
    assert_eq!(
        machine.cells(object("I.cells"))[&2].to_number(),
        0xfffff.into()
    );
    let tables = &of.design.tables;
    let table = tables
        .iter()
        .position(|table| table.name == "I.one")
        .unwrap();
    assert_eq!(machine.table(table).entries[0].count, (9, 8));
    let (_, arguments) = machine.table(table).default.clone().unwrap();
    assert_eq!(arguments[0].to_number(), 511.into());
}

/// P4Runtime, sections "MeterEntry" and "DirectMeterEntry": a cell, all cells, an entry's; without rates nothing is metered.
#[test]
fn meters_get_rates() {
    let of = checked();
    let (rate, one) = (id(&of, "meters", "I.rate"), id(&of, "tables", "I.one"));
    let first = r#"match { field_id: 1 exact { value: "\001" } } match { field_id: 2 lpm { value: "\n\000\000\000" prefix_len: 8 } }"#;
    let config = "config { cir: 1500000 cburst: 10 pir: 3000000 pburst: 20 }";
    let cell = |index: &str, config: &str| {
        format!("updates {{ type: MODIFY entity {{ meter_entry {{ meter_id: {rate} {index} {config} }} }} }}\n")
    };
    let entry = |config: &str| {
        format!("updates {{ type: MODIFY entity {{ direct_meter_entry {{ table_entry {{ table_id: {one} {first} }} {config} }} }} }}\n")
    };
    let text = cell("", config) + &cell("index { index: 2 }", "") + &entry(config);
    let mut machine = done(&of, &text).unwrap();
    let mut all = of.design.objects.iter();
    let object = all.position(|one| one.name == "I.rate").unwrap();
    let wanted = Rates::new(("1.5", 10), ("3", 20)).unwrap();
    let held: Vec<_> = machine
        .meters(object)
        .values()
        .map(|meter| meter.rates)
        .collect();
    assert_eq!(held, [Some(wanted), Some(wanted), None, Some(wanted)]);
    let mut tables = of.design.tables.iter();
    let table = tables.position(|table| table.name == "I.one").unwrap();
    let found =
        |machine: &hardpath_p4::interpreter::Machine| machine.table(table).entries[0].meter.rates;
    assert_eq!(found(&machine), Some(wanted));
    let machine = done(&of, &(entry(config) + &entry(""))).unwrap();
    assert_eq!(found(&machine), None);
    for (wrong, said) in [
        (cell("index { index: 4 }", config), "has 4 cells"),
        (
            cell("", "config { cir: 2 pir: 1 }"),
            "is below the committed one",
        ),
        (
            cell("", "config { cir: 2 cburst: 5 pir: 9000000000000 }"),
            "too fast",
        ),
    ] {
        let error = done(&of, &wrong).err().unwrap();
        assert!(error.contains(said), "{error}");
    }
}

/// What a machine holds when these updates are done, or what is said of the first one that cannot be done.
fn done<'c>(of: &'c Checked, text: &str) -> Result<hardpath_p4::interpreter::Machine<'c>, String> {
    let commands = read(of, text).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let machine = hardpath_p4::interpreter::Machine::new(&of.program, &of.sources, &of.design);
    let mut machine = machine.unwrap();
    let (program, sources, design) = (&of.program, &of.sources, &of.design);
    match runner::run(&mut machine, program, sources, design, &commands) {
        Ok(verdict) => {
            assert_eq!(verdict, runner::Verdict::Passed);
            Ok(machine)
        }
        Err(errors) => Err(errors[0].message.clone()),
    }
}

/// P4Runtime, sections "TableEntry" and "Preinitialized tables": an entry is known by its keys, what it has counted stays, and one that is
/// constant stays, too.
#[test]
fn entries_are_modified_and_deleted() {
    let of = checked();
    let [one, send] =
        [("tables", "I.one"), ("actions", "I.send")].map(|(list, name)| id(&of, list, name));
    let keys = |a: u8, c: &str, length: u8| {
        format!("match {{ field_id: 1 exact {{ value: \"\\{a:03o}\" }} }} match {{ field_id: 2 lpm {{ value: \"{c}\" prefix_len: {length} }} }}")
    };
    let (first, second, third) = (
        keys(1, "\\n\\000\\000\\000", 8),
        keys(2, "\\n\\013\\014\\r", 32),
        keys(3, "\\n\\013\\014\\r", 32),
    );
    let action = format!(
        "action {{ action {{ action_id: {send} params {{ param_id: 1 value: \"\\007\" }} }} }}"
    );
    let update = |kind: &str, rest: &str| {
        format!(
            "updates {{ type: {kind} entity {{ table_entry {{ table_id: {one} {rest} }} }} }}\n"
        )
    };
    let count = format!("updates {{ type: MODIFY entity {{ direct_counter_entry {{ data {{ packet_count: 9 byte_count: 8 }} table_entry {{ table_id: {one} {first} }} }} }} }}\n");
    let text = count
        + &update("MODIFY", &format!("{first} {action}"))
        + &update("MODIFY", &first)
        + &update("DELETE", &format!("{second} action {{ }}"));
    let machine = done(&of, &text).unwrap();
    let table = of
        .design
        .tables
        .iter()
        .position(|table| table.name == "I.one");
    let entries = &machine.table(table.unwrap()).entries;
    assert_eq!(entries.len(), 2);
    let changed = entries.iter().find(|entry| !entry.is_constant).unwrap();
    assert_eq!((changed.action, changed.count), (0, (9, 8)));
    assert_eq!(changed.arguments[0].to_number(), 7.into());
    let other = keys(9, "\\n\\000\\000\\000", 8);
    for (text, said) in [
        (update("DELETE", &other), "no such entry"),
        (
            update("MODIFY", &format!("{other} {action}")),
            "no such entry",
        ),
        (
            update("DELETE", &second) + &update("DELETE", &second),
            "no such entry",
        ),
        (update("DELETE", &third), "is constant"),
        (
            update("MODIFY", &format!("{third} {action}")),
            "is constant",
        ),
    ] {
        let message = done(&of, &text).err().unwrap_or_default();
        assert!(message.contains(said), "{said}: {message}");
    }
}

/// P4Runtime, section "ValueSetEntry": all values at once, in the place of those that were there.
#[test]
fn value_sets_are_modified() {
    let of = checked();
    let set = id(&of, "value_sets", "P.known");
    let update = |kind: &str, values: &[u8]| {
        let members = values.iter().map(|value| {
            format!("members {{ match {{ field_id: 1 exact {{ value: \"\\{value:03o}\" }} }} }} ")
        });
        let members: String = members.collect();
        format!("updates {{ type: {kind} entity {{ value_set_entry {{ value_set_id: {set} {members} }} }} }}\n")
    };
    let text = update("MODIFY", &[1, 2]) + &update("MODIFY", &[3]);
    let mut machine = done(&of, &text).unwrap();
    let parser = of.design.objects.iter().position(|one| one.name == "P");
    let held = machine.value_set_mut(parser.unwrap(), 0).clone();
    assert_eq!(held.len(), 1);
    assert!(held[0][0].takes(&hardpath_p4::interpreter::Data::Number(3.into())));
    for (text, said) in [
        (update("MODIFY", &[1, 2, 3]), "holds 2 values"),
        (update("INSERT", &[1]), "they are modified"),
    ] {
        let errors = read(&of, &text).unwrap_err();
        assert!(errors[0].message.contains(said), "{said}: {errors:#?}");
    }
}

/// An update that is wrong, and what is said of it.
#[test]
fn what_is_wrong_is_told_with_its_place() {
    let of = checked();
    let [one, many, none, send] = [
        ("tables", "I.one"),
        ("tables", "I.many"),
        ("tables", "I.none"),
        ("actions", "I.send"),
    ]
    .map(|(list, name)| id(&of, list, name));
    let port = |value: &str| {
        format!("action {{ action {{ action_id: {send} params {{ param_id: 1 value: \"{value}\" }} }} }}")
    };
    let (a, good) = (
        "match { field_id: 1 exact { value: \"\\001\" } }",
        port("\\001"),
    );
    let insert = |entry: String| {
        format!("updates {{ type: INSERT entity {{ table_entry {{ {entry} }} }} }}")
    };
    let wrong = [
        (insert(format!("table_id: 7 {a} {good}")), "no table has the number 7"),
        (insert(format!("table_id: {one} {a} {}", port("\\003\\377"))), "`port` has 9 bits, not 10"),
        (insert(format!("table_id: {one} match {{ field_id: 1 ternary {{ value: \"a\" mask: \"a\" }} }} {good}")), "is exact, not ternary"),
        (insert(format!("table_id: {one} {good}")), "is exact: it is missing"),
        (insert(format!("table_id: {one} {a} match {{ field_id: 2 lpm {{ value: \"\\n\" prefix_len: 8 }} }} {good}")), "bits behind the prefix"),
        (insert(format!("table_id: {one} {a} match {{ field_id: 9 exact {{ value: \"a\" }} }} {good}")), "has no key 9"),
        (insert(format!("table_id: {one} {a} priority: 3 {good}")), "have no priorities"),
        (insert(format!("table_id: {many} {good}")), "has a priority"),
        (insert(format!("table_id: {one} {a} acton {{ }}")), "an entry has no `acton`"),
        (insert(format!("table_id: {one} {a}")), "an entry has an `action`"),
        (format!("updates {{ entity {{ table_entry {{ table_id: {one} {a} {good} }} }} }}"), "this is UNSPECIFIED"),
        (format!("updates {{ type: DELETE entity {{ table_entry {{ table_id: {many} }} }} }}"), "has a priority"),
        (format!("updates {{ type: MODIFY entity {{ table_entry {{ table_id: {one} {a} is_const: true }} }} }}"), "stays as it is"),
        (insert(format!("table_id: {none} {good}")), "has no keys"),
        (format!("updates {{ type: INSERT entity {{ table_entry {{ table_id: {one} is_default_action: true {good} }} }} }}"), "it is modified"),
        ("updates { type: INSERT entity { digest_entry { } } }".to_owned(), "`digest_entry` is not there yet"),
    ];
    let text: Vec<&str> = wrong.iter().map(|(text, _)| text.as_str()).collect();
    let errors = read(&of, &text.join("\n")).unwrap_err();
    assert_eq!(errors.len(), wrong.len(), "{errors:#?}");
    for (line, (error, (_, said))) in errors.iter().zip(&wrong).enumerate() {
        assert!(error.message.contains(said), "{said}: {error}");
        let place = format!("entries:{}:", line + 1);
        assert!(error.place_text().starts_with(&place), "{place}: {error}");
    }
    let good = insert(format!("table_id: {one} {a} {good}"));
    assert_eq!(read(&of, &good).map(|commands| commands.len()), Ok(1));
}

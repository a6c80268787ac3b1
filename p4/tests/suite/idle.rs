//! Entries that become idle: by the reference interpreter and by what programs become, beside exact times.

use hardpath_diagnostic::Diagnostic;
use hardpath_p4::design::{design, Design};
use hardpath_p4::idle::{sweep_every, LONGEST, SHORTEST, UNIT_BITS};
use hardpath_p4::interpreter::{Data, Entry, Machine, Match};
use hardpath_p4::lower::run::{interpreter, Running};
use hardpath_p4::lower::{lower, Deparse};
use hardpath_p4::p4info::p4info;
use hardpath_p4::preprocess::Options;
use hardpath_p4::runner::{self, Engine, Timers, Verdict};
use hardpath_p4::source::Sources;
use hardpath_p4::typed::Program;
use hardpath_p4::{p4runtime, stf};
use hardpath_testkit::Random;

const PROGRAM: &str = r#"
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> a; bit<8> r; }
struct headers { h_t h; }
struct metadata {}
parser P(packet_in p, out headers h, inout metadata m, inout standard_metadata_t s) {
    state start { p.extract(h.h); transition accept; }
}
control V(inout headers h, inout metadata m) { apply {} }
control I(inout headers h, inout metadata m, inout standard_metadata_t s) {
    direct_counter(CounterType.packets) seen;
    action set(bit<8> r) { h.h.r = r; }
    table t {
        key = { h.h.a: exact; }
        actions = { set; NoAction; }
        support_timeout = true;
        counters = seen;
        size = 16;
        entries = { const 200: set(1); 201: set(2); }
    }
    table never {
        key = { h.h.a: exact; }
        actions = { set; NoAction; }
    }
    table fixed {
        key = { h.h.a: exact; }
        actions = { set; NoAction; }
        support_timeout = true;
        const entries = { 250: set(1); }
    }
    apply { t.apply(); never.apply(); fixed.apply(); }
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

fn checked(text: &str) -> Checked {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("program.p4");
    std::fs::write(&path, text).unwrap();
    let read = hardpath_p4::load(&path, None, &Options::default());
    let (program, sources) = read.unwrap_or_else(|errors| panic!("{errors:#?}"));
    let design = design(&program, &sources).unwrap_or_else(|errors| panic!("{errors:#?}"));
    Checked {
        program,
        sources,
        design,
    }
}

fn table(of: &Checked, name: &str) -> usize {
    let mut all = of.design.tables.iter();
    all.position(|table| table.name == name).unwrap()
}

/// What is right of an entry.
struct Exact {
    entry: Entry,
    timeout: u64,
    last: u64,
    is_told: bool,
}

/// A host with its entries, as it looks after one engine.
struct Host<'e, E> {
    engine: &'e mut E,
    timers: Timers,
    all: Vec<Exact>,
    table: usize,
    /// How often entries were told.
    told: usize,
}

impl<E: Engine> Host<'_, E> {
    fn add(&mut self, key: u8, timeout: u64, now: u64) {
        let entry = Entry {
            keys: vec![Match::Value(Data::number(key))],
            arguments: vec![Data::number(7u8)],
            last_found: now,
            ..Entry::default()
        };
        self.engine.put(self.table, &entry).unwrap();
        let of = (self.table, &entry);
        self.timers.set(self.engine, of, timeout, now).unwrap();
        self.all.push(Exact {
            entry,
            timeout,
            last: now,
            is_told: false,
        });
    }

    fn remove(&mut self, at: usize) {
        let gone = self.all.remove(at);
        self.engine.take(self.table, &gone.entry);
        self.timers.forget(self.table, &gone.entry);
    }

    fn modify(&mut self, at: usize, now: u64) {
        let one = &mut self.all[at];
        one.entry.last_found = now;
        (one.last, one.is_told) = (now, false);
        self.engine.change(self.table, &one.entry).unwrap();
    }

    fn packet(&mut self, at: usize, now: u64) {
        let one = &mut self.all[at];
        let Match::Value(key) = &one.entry.keys[0] else {
            unreachable!("all are values");
        };
        let key = u8::try_from(key.to_number()).unwrap();
        let outcome = self.engine.packet(0, &[key, 0], now).unwrap();
        assert_eq!(outcome.bytes, [key, 7]);
        (one.last, one.is_told) = (now, false);
    }

    /// Each entry is told once, within an eighth of its time, and never while packets find it.
    fn look(&mut self, now: u64) {
        let idle = self.timers.sweep(self.engine, now);
        for (_, entry) in &idle {
            let known = self.all.iter().any(|one| one.entry.keys == entry.keys);
            assert!(known, "an entry that is gone was told: {entry:?}");
        }
        for one in &mut self.all {
            let count = idle
                .iter()
                .filter(|(_, entry)| entry.keys == one.entry.keys);
            let since = now - one.last;
            match count.count() {
                0 => assert!(
                    one.is_told || since < one.timeout + one.timeout / 8,
                    "not told after {since} of {}",
                    one.timeout
                ),
                1 => {
                    assert!(!one.is_told, "told twice");
                    assert!(
                        since >= one.timeout,
                        "told after {since} of {}",
                        one.timeout
                    );
                    one.is_told = true;
                    self.told += 1;
                }
                count => panic!("told {count} times"),
            }
        }
    }
}

/// Entries of about the same timeout, which packets find at random times, and what the host does with them in between.
fn one_round(of: &Checked, engine: &mut impl Engine, seed: u64) -> usize {
    let mut random = Random::new(seed);
    // From a millisecond to hours, and a begin anywhere, so that what is kept of the time begins again.
    let shortest = (SHORTEST << random.below(25)).min(LONGEST / 4) + random.below(SHORTEST);
    let mut now = random.below(1 << 52);
    let mut host = Host {
        engine,
        timers: Timers::default(),
        all: Vec::new(),
        table: table(of, "I.t"),
        told: 0,
    };
    let mut next = 0;
    for _ in 0..800 {
        if host.all.len() < 8 {
            let timeout = shortest + random.below(3 * shortest);
            host.add(next % 200, timeout, now);
            next = next.wrapping_add(1);
        }
        let until = now + 1 + random.below(sweep_every(shortest));
        if random.below(4) == 0 {
            now += random.below(until - now);
            let at = random.below(host.all.len() as u64) as usize;
            match random.below(30) {
                0 => host.remove(at),
                1 => host.modify(at, now),
                _ => host.packet(at, now),
            }
        }
        now = until;
        host.look(now);
    }
    for one in &host.all {
        let found = host.engine.last_found(host.table, &one.entry, 0, now);
        assert!(found >= one.last && found - one.last < 1 << UNIT_BITS);
    }
    host.told
}

#[test]
fn idle_entries_are_told_once_within_an_eighth_and_never_while_found() {
    let of = checked(PROGRAM);
    let mut told = [0, 0];
    for deparse in [Deparse::Front, Deparse::Memory] {
        let lowered = lower(&of.program, &of.sources, &of.design, deparse).unwrap();
        for round in 0..12 {
            let seed = 77 + round;
            let mut machine = Machine::new(&of.program, &of.sources, &of.design).unwrap();
            told[0] += one_round(&of, &mut machine, seed);
            let device = interpreter(&lowered);
            let running = Running::new(device, &lowered, &of.program, &of.sources, &of.design);
            told[1] += one_round(&of, &mut running.unwrap(), seed);
        }
    }
    assert!(told.iter().all(|count| *count > 400), "{told:?}");
}

/// What commands come to, by the reference interpreter and by what the program becomes.
fn both(of: &Checked, text: &str) -> Result<Verdict, Vec<Diagnostic>> {
    let commands = stf::read("test", text)?;
    let meant = runner::interpret(&of.program, &of.sources, &of.design, &commands);
    let lowered = lower(&of.program, &of.sources, &of.design, Deparse::Front).unwrap();
    let device = interpreter(&lowered);
    let mut running = Running::new(device, &lowered, &of.program, &of.sources, &of.design).unwrap();
    let done = runner::run(
        &mut running,
        &of.program,
        &of.sources,
        &of.design,
        &commands,
    );
    assert_eq!(meant, done, "{text}");
    done
}

fn wrong(of: &Checked, text: &str) -> Diagnostic {
    let errors = both(of, text).expect_err(text);
    assert_eq!(errors.len(), 1, "{errors:#?}");
    errors.into_iter().next().unwrap()
}

#[test]
fn timeouts_that_are_not_there_are_refused() {
    let of = checked(PROGRAM);
    let plain = "add never h.a:1 set(r:1) = one\nset_timeout never($one) 5ms\n";
    let error = wrong(&of, plain);
    assert_eq!(error.message, "entries of `I.never` have no timeouts");
    assert!(error.help.unwrap().contains("support_timeout"), "{plain}");
    // No timeout at all is no matter.
    let none = plain.replace("5ms", "0ms");
    assert_eq!(both(&of, &none), Ok(Verdict::Passed));
    let entry = "add t h.a:1 set(r:1) = one\n";
    for (line, message) in [
        (
            "set_timeout t($one) 999us",
            "a timeout of 999000 ns is too short: 1 ms is the shortest",
        ),
        (
            "table_set_timeout t 0 70368745",
            "a timeout of 70368 s is too long: 70368 s (19.5 hours) is the longest",
        ),
        (
            "set_timeout t($one) 80000s",
            "a timeout of 80000 s is too long: 70368 s (19.5 hours) is the longest",
        ),
        ("set_timeout t(1) 5ms", "no entry 1 was added to this table"),
        ("set_timeout t($two) 5ms", "no entry has the label `two`"),
        ("set_timeout never($one) 5ms", "`one` is an entry of `I.t`"),
        (
            "table_delete t 0\nset_timeout t($one) 5ms",
            "this entry is gone",
        ),
        ("expect_idle fixed(0)", "no entry 0 was added to this table"),
    ] {
        assert_eq!(wrong(&of, &format!("{entry}{line}\n")).message, message);
    }
    for (line, message) in [
        (
            "set_timeout t($one) -5ms",
            "a time is a number with its unit (5ms), not `-5ms`",
        ),
        (
            "set_timeout t($one) 5",
            "a time is a number with its unit (5ms), not `5`",
        ),
        (
            "wait 20000000000s",
            "`20000000000s` are more than 584 years",
        ),
        (
            "table_set_timeout t 0 -1",
            "the timeout is a number up to 4294967295, not `-1`",
        ),
    ] {
        let errors = stf::read("test", line).expect_err(line);
        assert_eq!(errors[0].message, message);
        assert!(errors[0].help.is_some(), "{line}");
    }
}

#[test]
fn idle_entries_that_are_missed_or_not_expected_are_told() {
    let of = checked(PROGRAM);
    let entry = "add t h.a:1 set(r:1) = one\nset_timeout t($one) 5ms\n";
    for (more, message) in [
        (
            "wait 4ms\nexpect_idle t($one)\n",
            "this entry has not become idle",
        ),
        (
            "wait 6ms\nno_idle\n",
            "the entry `one` of `I.t` has become idle",
        ),
    ] {
        match both(&of, &format!("{entry}{more}")).unwrap() {
            Verdict::Failed(errors) => assert_eq!(errors[0].message, message),
            other => panic!("{other:?}"),
        }
    }
}

/// P4Runtime 1.4, section "Idle-timeout": entries come with their timeouts, and lose them.
#[test]
fn requests_set_timeouts() {
    let of = checked(PROGRAM);
    let info = p4info(&of.program, &of.sources, &of.design).unwrap();
    let id = |list: &str, name: &str| {
        let all: Vec<_> = info
            .messages(list)
            .flat_map(|one| one.messages("preamble"))
            .collect();
        let found = all.iter().find(|one| one.string_of("name") == Some(name));
        found.and_then(|one| one.number_of("id")).unwrap()
    };
    let (t, never, set) = (
        id("tables", "I.t"),
        id("tables", "I.never"),
        id("actions", "I.set"),
    );
    let update = |kind: &str, table: i64, key: u8, more: &str| {
        format!(
            "updates {{ type: {kind} entity {{ table_entry {{ table_id: {table} match {{ field_id: 1 exact {{ value: \"\\{key:03o}\" }} }}
             action {{ action {{ action_id: {set} params {{ param_id: 1 value: \"\\001\" }} }} }} {more} }} }} }}\n"
        )
    };
    let run = |text: &str, test: &str| {
        let mut commands = p4runtime::read("entries", text, &info)?;
        commands.extend(stf::read("test", test)?);
        runner::interpret(&of.program, &of.sources, &of.design, &commands)
    };
    let idle = |verdict: Result<Verdict, Vec<Diagnostic>>| match verdict.unwrap() {
        Verdict::Passed => 0,
        Verdict::Failed(errors) => errors.len(),
        other => panic!("{other:?}"),
    };
    let five = "idle_timeout_ns: 5000000";
    let inserted = [1, 2].map(|key| update("INSERT", t, key, five)).concat();
    assert_eq!(idle(run(&inserted, "wait 4ms\nno_idle\n")), 0);
    assert_eq!(idle(run(&inserted, "wait 6ms\nno_idle\n")), 2);
    let modified = inserted.clone() + &update("MODIFY", t, 2, "idle_timeout_ns: 50000000");
    assert_eq!(idle(run(&modified, "wait 6ms\nno_idle\n")), 1);
    assert_eq!(idle(run(&modified, "wait 60ms\nno_idle\n")), 2);
    // One that says none has none from here on.
    let modified = inserted + &update("MODIFY", t, 2, "");
    assert_eq!(idle(run(&modified, "wait 60ms\nno_idle\n")), 1);
    let message = |text: &str| run(text, "").expect_err(text)[0].message.clone();
    let refused = message(&update("INSERT", never, 1, five));
    assert_eq!(refused, "entries of `I.never` have no timeouts");
    let refused = message(&update("INSERT", t, 1, "idle_timeout_ns: -1"));
    assert_eq!(refused, "`idle_timeout_ns` is a number");
    let refused = message(&update("MODIFY", t, 200, five));
    assert!(refused.contains("constant"), "{refused}");
}

/// What the control plane is told of tables with timeouts, in all architectures.
#[test]
fn descriptions_say_which_tables_notify() {
    let of = checked(PROGRAM);
    let info = p4info(&of.program, &of.sources, &of.design).unwrap();
    let notify = |info: &hardpath_p4::p4info::Message| {
        let tables = info.messages("tables");
        tables
            .map(|one| one.member_of("idle_timeout_behavior"))
            .collect::<Vec<_>>()
    };
    let told = Some("NOTIFY_CONTROL");
    assert_eq!(notify(&info), [told, None, told]);
    for (property, behaviour) in [
        ("pna_idle_timeout = PNA_IdleTimeout_t.NOTIFY_CONTROL;", told),
        ("pna_idle_timeout = PNA_IdleTimeout_t.AUTO_DELETE;", None),
        ("pna_idle_timeout = PNA_IdleTimeout_t.NO_TIMEOUT;", None),
        ("", None),
    ] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path.join("../tests/stf/pna-auto-delete.p4")).unwrap();
        let text = text.replace(
            "pna_idle_timeout = PNA_IdleTimeout_t.AUTO_DELETE;",
            property,
        );
        let of = checked(&text);
        let info = p4info(&of.program, &of.sources, &of.design).unwrap();
        assert_eq!(notify(&info), [behaviour], "{property}");
    }
}

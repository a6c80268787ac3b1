//! Tables whose ranges are expanded, beside the reference interpreter: any ranges under updates, what packets see of a change, and what is
//! refused.

use hardpath_diagnostic::Diagnostic;
use hardpath_ir::MapId;
use hardpath_p4::design::{design, Design};
use hardpath_p4::interpreter::{Data, Entry, Machine, Match};
use hardpath_p4::lower::run::{interpreter, Device, Running};
use hardpath_p4::lower::{lower, Deparse, Lowered};
use hardpath_p4::preprocess::Options;
use hardpath_p4::runner::Engine;
use hardpath_p4::source::Sources;
use hardpath_p4::typed::Program;
use hardpath_packet::Fate;
use hardpath_testkit::Random;
use num_bigint::BigInt;
use std::cell::RefCell;
use std::rc::Rc;

/// A table with two ranges; `table` stands in front of it, `keys` are its keys, `size` its entries.
fn program(table: &str, keys: &str, size: u32) -> String {
    format!(
        r#"
#include <core.p4>
#include <v1model.p4>
header h_t {{ bit<6> a; bit<5> b; bit<5> c; bit<16> found; }}
struct headers {{ h_t h; }}
struct metadata {{}}
parser P(packet_in p, out headers h, inout metadata m, inout standard_metadata_t s) {{
    state start {{ p.extract(h.h); transition accept; }}
}}
control V(inout headers h, inout metadata m) {{ apply {{}} }}
control I(inout headers h, inout metadata m, inout standard_metadata_t s) {{
    direct_counter(CounterType.packets) seen;
    action set(bit<16> value) {{ h.h.found = value; }}
    {table}
    table t {{
        key = {{ {keys} }}
        actions = {{ set; NoAction; }}
        size = {size};
    }}
    apply {{ t.apply(); }}
}}
control E(inout headers h, inout metadata m, inout standard_metadata_t s) {{ apply {{}} }}
control C(inout headers h, inout metadata m) {{ apply {{}} }}
control D(packet_out p, in headers h) {{ apply {{ p.emit(h.h); }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"#
    )
}

const BOTH: &str = "h.h.a: range; h.h.b: range;";

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

impl Checked {
    fn lowered(&self) -> Lowered {
        let Checked {
            program,
            sources,
            design,
        } = self;
        lower(program, sources, design, Deparse::Front)
            .unwrap_or_else(|errors| panic!("{errors:#?}"))
    }

    fn running<'c, D: Device>(&'c self, lowered: &'c Lowered, device: D) -> Running<'c, D> {
        let made = Running::new(device, lowered, &self.program, &self.sources, &self.design);
        made.unwrap_or_else(|errors| panic!("{errors:#?}"))
    }

    /// Why it is refused.
    fn refused(&self) -> String {
        let made = lower(&self.program, &self.sources, &self.design, Deparse::Front);
        made.expect_err("it is refused")[0].message.clone()
    }
}

fn range((low, high): (u64, u64)) -> Match {
    let [low, high] = [low, high].map(BigInt::from);
    Match::Range { low, high }
}

fn entry(keys: Vec<Match>, priority: u64, value: u16) -> Entry {
    Entry {
        keys,
        priority: BigInt::from(priority),
        arguments: vec![Data::number(value)],
        ..Entry::default()
    }
}

fn packet(a: u64, b: u64) -> [u8; 4] {
    let front = (a << 10 | b << 5) as u16;
    let [high, low] = front.to_be_bytes();
    [high, low, 0xff, 0xff]
}

/// What an engine finds for a key.
fn found(engine: &mut impl Engine, (a, b): (u64, u64)) -> Vec<u8> {
    engine.packet(0, &packet(a, b), 0).unwrap().bytes
}

/// A range at the ends, of one value, of all but the ends, or any.
fn some_range(random: &mut Random, bits: u32) -> Match {
    let last = (1u64 << bits) - 1;
    let [one, other] = [0; 2].map(|_| random.below(last + 1));
    let ends = [
        (0, last),
        (one, one),
        (1, last - 1),
        (one.min(other), one.max(other)),
        (one.min(other), one.max(other)),
        (one, last),
        (0, one),
    ];
    match random.below(8) {
        0 => Match::Any,
        _ => range(*random.pick(&ends)),
    }
}

/// One that takes most rows has the fewest in a table that has fewer for some.
#[test]
fn any_ranges_under_updates_are_those_of_the_reference_interpreter() {
    let expanded = "@hardpath_range(\"expand\", 80)";
    let one =
        "h.h.a: range @hardpath_range(\"expand\", 10); h.h.b: range @hardpath_range(\"compare\");";
    let masks = "@hardpath_table(\"masks\")";
    let single = "h.h.a: range; h.h.b: ternary;";
    for (table, keys) in [(expanded, BOTH), ("", one), (masks, single)] {
        let of = checked(&program(table, keys, 12));
        let lowered = of.lowered();
        assert!(lowered.tables[0].expands());
        let mut machine = Machine::new(&of.program, &of.sources, &of.design).unwrap();
        let mut running = of.running(&lowered, interpreter(&lowered));
        let mut random = Random::new(5);
        let mut all: Vec<Entry> = Vec::new();
        let (mut hits, mut refused) = (0, 0);
        for round in 0..1200u64 {
            let at = random.below(all.len().max(1) as u64) as usize;
            let has_room = all.len() < 12;
            match (random.below(4), all.get_mut(at)) {
                (0, Some(_)) => {
                    let gone = all.remove(at);
                    machine.take(0, &gone);
                    running.take(0, &gone);
                }
                (1, Some(one)) => {
                    one.arguments = vec![Data::number(round as u16)];
                    machine.change(0, one).unwrap();
                    running.change(0, one).unwrap();
                }
                _ if has_room => {
                    let second = match keys == single {
                        true => Match::Any,
                        false => some_range(&mut random, 5),
                    };
                    let keys = vec![some_range(&mut random, 6), second];
                    // No two have the same priority.
                    let new = entry(keys, 3 + round * 7919 % 4001, round as u16);
                    match running.put(0, &new) {
                        Ok(()) => {
                            machine.put(0, &new).unwrap();
                            all.push(new);
                        }
                        Err(why) => {
                            assert!(why.contains("masks"), "{why}");
                            refused += 1;
                        }
                    }
                }
                _ => {}
            }
            for _ in 0..6 {
                let key = (random.below(64), random.below(32));
                let meant = found(&mut machine, key);
                assert_eq!(found(&mut running, key), meant, "{key:?} among {all:#?}");
                hits += u32::from(meant[2..] != [0xff; 2]);
            }
        }
        assert!(hits > 1000, "{hits} hits");
        // Six bits have seven masks, so all fit.
        assert_eq!(refused, 0);
    }
}

/// What packets see after each step of the host.
type Seen = Rc<RefCell<Vec<Vec<Vec<u8>>>>>;

/// A device that sends a packet of each key of six bits after each step, and refuses what is beyond some steps.
struct Watched<D> {
    device: D,
    seen: Seen,
    left: Rc<RefCell<usize>>,
}

impl<D: Device> Watched<D> {
    fn look(&mut self) {
        let fates = (0..64).map(|a| self.device.packet(0, &packet(a, 3), 0).unwrap());
        let all = fates
            .map(|fate| fate.copies[0].data[2..4].to_vec())
            .collect();
        self.seen.borrow_mut().push(all);
    }
}

impl<D: Device> Device for Watched<D> {
    fn packet(&mut self, port: u32, bytes: &[u8], time: u64) -> Result<Fate, Diagnostic> {
        self.device.packet(port, bytes, time)
    }

    fn update(&mut self, map: MapId, key: &[u8], value: &[u8]) -> Result<(), String> {
        let left = *self.left.borrow();
        *self.left.borrow_mut() = left.checked_sub(1).ok_or("the device has enough")?;
        let done = self.device.update(map, key, value);
        self.look();
        done
    }

    fn delete(&mut self, map: MapId, key: &[u8]) {
        self.device.delete(map, key);
        self.look();
    }

    fn value(&mut self, map: MapId, key: &[u8]) -> Option<Vec<u8>> {
        self.device.value(map, key)
    }
}

/// Steps of a change, after each of which each packet sees what was there before or what is there behind it.
fn steps<'r, D: Device>(
    running: &mut Running<'r, D>,
    seen: &Seen,
    change: impl FnOnce(&mut Running<'r, D>),
) -> usize {
    let first: Vec<Vec<u8>> = (0..64)
        .map(|a| found(running, (a, 3))[2..4].to_vec())
        .collect();
    seen.borrow_mut().clear();
    change(running);
    let all = std::mem::take(&mut *seen.borrow_mut());
    let last = all.last().expect("there are steps").clone();
    for key in 0..64 {
        let mut is_over = false;
        for now in &all {
            let is_after = now[key] == last[key] && first[key] != last[key];
            assert!(now[key] == last[key] || now[key] == first[key], "{key}");
            assert!(is_after || !is_over, "{key} goes back");
            is_over |= is_after;
        }
    }
    all.len()
}

/// Of each packet what was there before or what is there behind it, and that for good. An entry that is there before and behind is never
/// gone.
#[test]
fn a_packet_sees_an_entry_before_or_behind_each_change() {
    let of = checked(&program("@hardpath_range(\"expand\", 10)", BOTH, 8));
    let lowered = of.lowered();
    let (seen, left) = (Seen::default(), Rc::new(RefCell::new(usize::MAX)));
    let device = Watched {
        device: interpreter(&lowered),
        seen: Rc::clone(&seen),
        left: Rc::clone(&left),
    };
    let mut running = of.running(&lowered, device);
    let below = entry(vec![range((0, 63)), range((0, 31))], 1, 7);
    let mut worst = entry(vec![range((1, 62)), Match::Any], 2, 8);
    assert_eq!(
        steps(&mut running, &seen, |one| one.put(0, &below).unwrap()),
        1
    );
    assert_eq!(
        steps(&mut running, &seen, |one| one.put(0, &worst).unwrap()),
        10
    );
    worst.arguments = vec![Data::number(9u8)];
    assert_eq!(
        steps(&mut running, &seen, |one| one.change(0, &worst).unwrap()),
        10
    );
    assert_eq!(found(&mut running, (62, 3))[2..4], [0, 9]);
    assert_eq!(steps(&mut running, &seen, |one| one.take(0, &worst)), 10);
    assert_eq!(found(&mut running, (62, 3))[2..4], [0, 7]);
    // A device that has enough in the middle: what is there goes again.
    *left.borrow_mut() = 4;
    assert_eq!(running.put(0, &worst), Err("the device has enough".into()));
    assert!((0..64).all(|a| found(&mut running, (a, 3))[2..4] == [0, 7]));
    *left.borrow_mut() = 10;
    running.put(0, &worst).unwrap();
    assert_eq!(found(&mut running, (1, 3))[2..4], [0, 9]);
}

/// An entry with more rows than are free is refused, and the table is as before.
#[test]
fn an_entry_without_rows_is_refused_as_a_whole() {
    // Twelve rows.
    let of = checked(&program("@hardpath_range(\"expand\", 3)", BOTH, 4));
    let lowered = of.lowered();
    assert_eq!(
        (
            lowered.tables[0].size,
            lowered.program.maps[lowered.tables[0].entries.unwrap()].max_entries
        ),
        (4, 12)
    );
    // The program says how many it wants; who leaves it open is warned.
    assert!(lowered.warnings.is_empty());
    let usual = checked(&program("@hardpath_range(\"expand\")", BOTH, 4)).lowered();
    assert_eq!(usual.warnings[0].code, "p4-range-rows");
    assert!(
        usual.warnings[0]
            .message
            .contains("has 16 rows for 4 entries"),
        "{}",
        usual.warnings[0]
    );
    let mut running = of.running(&lowered, interpreter(&lowered));
    let first = entry(vec![range((1, 62)), range((0, 31))], 5, 1);
    running.put(0, &first).unwrap();
    // Two rows are left.
    let second = entry(vec![range((0, 2)), range((1, 2))], 6, 2);
    let refused = running.put(0, &second).unwrap_err();
    assert!(
        refused.contains("takes 4 rows") && refused.contains("2 of 12 are free"),
        "{refused}"
    );
    // The worst that there is.
    let worst = entry(vec![range((1, 62)), range((1, 30))], 7, 3);
    let refused = running.put(0, &worst).unwrap_err();
    assert!(refused.contains("takes 80 rows"), "{refused}");
    for a in 0..64 {
        let wanted: [u8; 2] = if (1..=62).contains(&a) {
            [0, 1]
        } else {
            [0xff; 2]
        };
        assert_eq!(found(&mut running, (a, 2))[2..4], wanted);
    }
    running
        .put(0, &entry(vec![range((0, 2)), range((1, 1))], 6, 2))
        .unwrap();
    assert_eq!(found(&mut running, (0, 1))[2..4], [0, 2]);
    running.take(0, &first);
    running.put(0, &second).unwrap();
    assert_eq!(found(&mut running, (2, 2))[2..4], [0, 2]);
}

/// Entries of the same priority that have rows in common: the first one has them, and the other one when it is gone.
#[test]
fn a_row_of_two_entries_is_that_of_the_first_one() {
    let of = checked(&program("@hardpath_range(\"expand\", 10)", BOTH, 8));
    let lowered = of.lowered();
    let mut running = of.running(&lowered, interpreter(&lowered));
    let mut machine = Machine::new(&of.program, &of.sources, &of.design).unwrap();
    let all = |value: u16, high: u64| entry(vec![range((0, high)), Match::Any], 4, value);
    let (first, mut second) = (all(1, 7), all(2, 8));
    let mut both = |change: &str, entry: &Entry| {
        match change {
            "put" => {
                running.put(0, entry).unwrap();
                machine.put(0, entry).unwrap();
            }
            "change" => {
                running.change(0, entry).unwrap();
                machine.change(0, entry).unwrap();
            }
            _ => {
                running.take(0, entry);
                machine.take(0, entry);
            }
        }
        for a in 0..16 {
            assert_eq!(
                found(&mut running, (a, 0)),
                found(&mut machine, (a, 0)),
                "{a}, {change}"
            );
        }
    };
    both("put", &first);
    both("put", &second);
    second.arguments = vec![Data::number(3u8)];
    both("change", &second);
    both("take", &first);
    // The one that was there is the first one now.
    both("put", &first);
    both("take", &second);
    both("take", &first);
}

/// What cannot be expanded, or is said of what is no range.
#[test]
fn what_cannot_be_is_refused_with_the_reason() {
    let of = |table: &str, keys: &str| checked(&program(table, keys, 700)).refused();
    let counted = program("@hardpath_range(\"expand\")", BOTH, 8);
    let counted = counted.replace("size = 8;", "size = 8; counters = seen;");
    let why = checked(&counted).refused();
    assert!(why.contains("each entry has a direct counter"), "{why}");
    let why = of("@hardpath_range(\"expand\", 9)", BOTH);
    assert!(why.contains("6300 rows for 700 entries"), "{why}");
    let why = of("@hardpath_range(\"expnd\")", BOTH);
    assert!(why.contains("does not say how ranges are found"), "{why}");
    let why = of("@hardpath_range(\"expand\", 0)", BOTH);
    assert!(why.contains("does not say how ranges are found"), "{why}");
    let why = of("@hardpath_range(\"expand\")", "h.h.a: ternary;");
    assert!(why.contains("this is none"), "{why}");
    let why = of("", "h.h.a: ternary @hardpath_range(4); h.h.b: range;");
    assert!(why.contains("this is none"), "{why}");
    let why = of(
        "@hardpath_table(\"masks\") @hardpath_range(\"compare\")",
        BOTH,
    );
    assert!(why.contains("a range is no mask"), "{why}");
}

/// The estimate of whoever lowers decides, where the program leaves it open.
#[test]
fn what_weighs_less_is_taken() {
    let of = checked(&program("@hardpath_range(4)", BOTH, 8));
    for (wanted, rows) in [(true, 32), (false, 8)] {
        // Ranges weigh more, or rows do.
        let weigh = |decl: &hardpath_ir::MapDecl| {
            let ranges = decl.fields.iter();
            let ranges = ranges.filter(|field| field.by == hardpath_ir::Match::Range);
            Some(match wanted {
                true => ranges.count() as u64 * 1000 + u64::from(decl.max_entries),
                false => decl.max_entries.into(),
            })
        };
        let lowered = hardpath_p4::lower::lower_weighed(
            &of.program,
            &of.sources,
            &of.design,
            Deparse::Front,
            Some(&weigh),
        );
        let lowered = lowered.unwrap();
        assert_eq!(lowered.tables[0].expands(), wanted);
        let map = lowered.tables[0].entries.unwrap();
        assert_eq!(lowered.program.maps[map].max_entries, rows);
        assert_eq!(lowered.choices[0].promise.is_some(), wanted);
    }
}

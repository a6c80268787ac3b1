//! Ranges that are compared or expanded, on hardware: the same lookups under updates beside a model, what is chosen, and what users read.

use crate::common::{hardpath, path};
use hardpath_synth::cards::CARDS;
use hardpath_testkit::Random;
use serde_json::Value;
use std::fmt::Write;

const ENTRIES: usize = 10;
/// Bits of both keys, and in the test with updates, where each row of the 40 that an entry can take is written while packets go on.
const BITS: [u32; 2] = [12, 5];
const FEW_BITS: [u32; 2] = [6, 3];

/// A program with one table: what stands in front of it, behind its first key, and its size.
fn program(table: &str, key: &str, size: usize, [first, second]: [u32; 2]) -> String {
    let number = 32 - first - second;
    format!(
        r#"#include <core.p4>
#include <v1model.p4>
header data_t {{ bit<{first}> port; bit<{second}> kind; bit<{number}> number; bit<16> found; }}
struct headers_t {{ data_t h; }}
struct meta_t {{}}
parser P(packet_in p, out headers_t hdr, inout meta_t m, inout standard_metadata_t s) {{
    state start {{ p.extract(hdr.h); transition accept; }}
}}
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {{
    action set(bit<16> value) {{ hdr.h.found = value; }}
    action none() {{ hdr.h.found = 0xffff; }}
    {table}
    table t {{
        key = {{ hdr.h.port : range {key}; hdr.h.kind : range; }}
        actions = {{ set; none; }}
        default_action = none();
        size = {size};
    }}
    apply {{ t.apply(); }}
}}
control V(inout headers_t hdr, inout meta_t m) {{ apply {{}} }}
control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {{ apply {{}} }}
control C(inout headers_t hdr, inout meta_t m) {{ apply {{}} }}
control D(packet_out p, in headers_t hdr) {{ apply {{ p.emit(hdr.h); }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"#
    )
}

/// Whole keys, one value, all but the ends, and any range.
fn some_range(random: &mut Random, bits: u32) -> (u64, u64) {
    let last = (1u64 << bits) - 1;
    let [one, other] = [0; 2].map(|_| random.below(last + 1));
    let any = (one.min(other), one.max(other));
    *random.pick(&[(0, last), (1, last - 1), (one, one), any, any, (one, last)])
}

type Ranges = [(u64, u64); 2];

/// Commands with what has to come of them: lookups at and beside the ends of ranges, while these come, change and go.
fn commands(lookups: u32, random: &mut Random) -> String {
    // Ranges, number, priority and value; the largest priority wins.
    let mut entries: Vec<(Ranges, u64, u64, u64)> = Vec::new();
    let (mut text, mut numbers, mut priority) = (String::new(), 0, 0);
    for number in 0..lookups {
        let at = random.below(entries.len().max(1) as u64) as usize;
        let value = random.below(1 << 16);
        let has_room = entries.len() < ENTRIES;
        match (random.below(8), entries.get_mut(at)) {
            (0, Some((_, number, ..))) => {
                writeln!(text, "table_delete t {number}").unwrap();
                entries.remove(at);
            }
            (1, Some((_, number, _, old))) => {
                *old = value;
                writeln!(text, "table_modify t set {number} => {value}").unwrap();
            }
            (2 | 3, _) if has_room => {
                let ranges = FEW_BITS.map(|bits| some_range(random, bits));
                priority = (priority + 37) % 1009;
                let [(low, high), (from, to)] = ranges;
                // Of BMv2's numbers the smaller one wins.
                let last = 2000 - priority;
                let keys = format!("{low}->{high} {from}->{to}");
                writeln!(text, "table_add t set {keys} => {value} {last}").unwrap();
                entries.push((ranges, numbers, priority, value));
                numbers += 1;
            }
            _ => {}
        }
        let near = entries.get(random.below(entries.len().max(1) as u64) as usize);
        let key = [0, 1].map(|field| {
            let all = (1u64 << FEW_BITS[field]) - 1;
            let any = random.below(all + 1);
            match near.map(|(ranges, ..)| ranges[field]) {
                Some((low, high)) if random.below(4) > 0 => {
                    let ends = [low, high, low.wrapping_sub(1), high + 1, (low + high) / 2];
                    *random.pick(&ends) & all
                }
                _ => any,
            }
        });
        let matching = entries.iter().filter(|(ranges, ..)| {
            let both = ranges.iter().zip(key);
            both.fold(true, |so_far, ((low, high), key)| {
                so_far && (*low..=*high).contains(&key)
            })
        });
        let best = matching.max_by_key(|(_, _, priority, _)| *priority);
        let found = best.map_or(0xffff, |(.., value)| *value);
        let front = key[0] << 26 | key[1] << 23 | u64::from(number);
        writeln!(text, "packet 0 {front:08x}0000").unwrap();
        writeln!(text, "expect 0 {front:08x}{found:04x} $").unwrap();
    }
    text
}

#[test]
fn ranges_find_the_same_in_both_ways_under_updates() {
    let lookups = match std::env::var_os("HARDPATH_FULL") {
        Some(_) => 60_000,
        None => 200,
    };
    let folder = tempfile::tempdir().unwrap();
    let test = folder.path().join("ranges.stf");
    std::fs::write(&test, commands(lookups, &mut Random::new(23))).unwrap();
    let [pipeline, rows] = ["pipeline", "core"];
    for (number, (table, key, target)) in [
        ("", "", pipeline),
        ("@hardpath_range(\"expand\", 40)", "", pipeline),
        ("@hardpath_range(\"expand\", 40)", "", rows),
        ("", "@hardpath_range(\"expand\", 10)", pipeline),
    ]
    .into_iter()
    .enumerate()
    {
        let source = folder.path().join(format!("ranges{number}.p4"));
        std::fs::write(&source, program(table, key, ENTRIES, FEW_BITS)).unwrap();
        let engine = if target == rows { "rows" } else { "native" };
        for engine in [&["interpreter"][..], &[engine, "--target", target]] {
            let mut arguments = vec!["stf", path(&source), path(&test), "--engine"];
            arguments.extend(engine);
            let run = hardpath(&arguments);
            assert_eq!(run.status, 0, "{table} {key}: {}{}", run.stdout, run.stderr);
        }
    }
}

/// What a way takes of an Alveo U50, by which ways are weighed where no other family is named: the parts of LUTs, flip-flops and block RAM
/// together.
fn weight(way: &Value) -> f64 {
    let card = &CARDS[0];
    assert_eq!(card.name, "Alveo U50");
    let [lut, ff, bram36, ..] = card.has.numbers();
    let has = [("lut", lut), ("ff", ff), ("bram36", bram36)];
    let parts = has.map(|(what, there)| way[what].as_f64().expect("a number") / there);
    parts.iter().sum()
}

/// What is smaller is taken: comparisons of few entries, rows of many.
#[test]
fn the_smaller_way_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("ranges.p4");
    for (size, rows, chosen) in [(16, 8, "tcam"), (1000, 2, "tcam/expand")] {
        let said = format!("@hardpath_range({rows})");
        std::fs::write(&source, program(&said, "", size, BITS)).unwrap();
        let run = hardpath(&["compile", path(&source), "--json"]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        let table = &run.json()["tables"][0];
        assert_eq!(table["by"], chosen, "{table:#}");
        let other = if chosen == "tcam" {
            "tcam/expand"
        } else {
            "tcam"
        };
        let [taken, left] = [chosen, other].map(|way| weight(&table["ways"][way]));
        assert!(taken < left, "{taken} and {left}: {table:#}");
        match chosen {
            "tcam" => assert!(table["rows"].is_null()),
            _ => assert_eq!(table["rows"], 2000),
        }
    }
}

/// More entries than comparisons have room for: rows, of which a warning tells how many there are.
#[test]
fn what_was_too_large_is_expanded_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("ranges.p4");
    std::fs::write(&source, program("", "", 1500, BITS)).unwrap();
    let run = hardpath(&[
        "compile",
        path(&source),
        "-o",
        path(&folder.path().join("design")),
    ]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    for told in [
        "warning[p4-range-rows]",
        "rows for 1500 entries",
        "and is refused where fewer are free",
    ] {
        assert!(run.stderr.contains(told), "{told}: {}", run.stderr);
    }
    assert!(run.stdout.contains("`tcam/expand`"), "{}", run.stdout);
    // Entries have no functions in C, and the header says why.
    let files = std::fs::read_dir(folder.path().join("design")).unwrap();
    let header = files
        .map(|file| file.unwrap().path())
        .find(|file| file.to_string_lossy().ends_with("_api.h"));
    let header = std::fs::read_to_string(header.expect("a header")).unwrap();
    assert!(header.contains("its ranges are expanded"), "{header}");
    assert!(!header.contains("_t_add("), "{header}");
    let readme = std::fs::read_to_string(folder.path().join("design/README.md")).unwrap();
    assert!(readme.contains("| range, expanded |"), "{readme}");
}

/// One for which too few rows are free is refused where it stands, and so it is in a file of entries.
#[test]
fn an_entry_with_too_many_rows_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("ranges.p4");
    std::fs::write(
        &source,
        program("@hardpath_range(\"expand\", 6)", "", 2, BITS),
    )
    .unwrap();
    let entries = folder.path().join("ranges.entries");
    std::fs::write(
        &entries,
        "table_add t set 1024->4095 0->31 => 1 1\ntable_add t set 1->4094 1->30 => 2 2\n",
    )
    .unwrap();
    let test = folder.path().join("ranges.stf");
    let text = std::fs::read_to_string(&entries).unwrap();
    std::fs::write(&test, text + "packet 0 000000000000\nexpect 0\n").unwrap();
    for arguments in [
        vec!["compile", path(&source), "--entries", path(&entries)],
        vec![
            "stf",
            path(&source),
            path(&test),
            "--engine",
            "native",
            "--target",
            "pipeline",
        ],
    ] {
        let run = hardpath(&arguments);
        assert_ne!(run.status, 0);
        assert!(run.stderr.contains("takes 176 rows"), "{}", run.stderr);
        assert!(run.stderr.contains("10 of 12 are free"), "{}", run.stderr);
        assert!(run.stderr.contains(":2:"), "{}", run.stderr);
    }
    std::fs::write(
        &entries,
        "table_add t set 1024->4095 0->31 => 1 1\ntable_add t set 0->1023 3->3 => 2 2\n",
    )
    .unwrap();
    let run = hardpath(&["compile", path(&source), "--entries", path(&entries)]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
}

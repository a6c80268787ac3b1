//! Tables that find their entries in the way that the program says: the same lookups under updates, beside a model.

use crate::common::{hardpath, path};
use hardpath_testkit::Random;
use std::collections::BTreeMap;
use std::fmt::Write;

/// How the key of a table matches, and the ways that can find it.
const TABLES: [(&str, &[&str]); 3] = [
    ("exact", &["hash", "direct", "cam", "tcam", "masks", ""]),
    ("lpm", &["tcam", "masks", ""]),
    ("ternary", &["tcam", "masks", ""]),
];

const BITS: u32 = 12;
const ENTRIES: usize = 48;
/// So many that tables are built in the way of large ones: places of block RAM, masks in block RAM, prefixes by ranges.
const MANY_ENTRIES: usize = 200;
/// Masks of ternary entries: not more than a table of masks has.
const MASKS: [u16; 6] = [0xfff, 0xff0, 0x0ff, 0xf0f, 0x00f, 0x800];

/// A program with one table, whose key has so many bits.
fn program(kind: &str, way: &str, bits: u32, entries: usize) -> String {
    let rest = 8 - bits % 8;
    let said = match way {
        "" => String::new(),
        way => format!("@hardpath_table(\"{way}\")"),
    };
    format!(
        r#"#include <core.p4>
#include <v1model.p4>
header data_t {{ bit<{bits}> key; bit<{rest}> rest; bit<16> found; }}
struct headers_t {{ data_t h; }}
struct meta_t {{}}
parser P(packet_in p, out headers_t hdr, inout meta_t m, inout standard_metadata_t s) {{
    state start {{ p.extract(hdr.h); transition accept; }}
}}
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {{
    action set(bit<16> value) {{ hdr.h.found = value; }}
    action none() {{ hdr.h.found = 0xffff; }}
    {said}
    table t {{
        key = {{ hdr.h.key : {kind}; }}
        actions = {{ set; none; }}
        default_action = none();
        size = {entries};
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

/// An entry: its value, its mask and its priority. The larger priority wins, of prefixes the longer one.
type Key = (u16, u16, u32);

/// The entries of a table, and the commands that made them.
struct Model {
    kind: &'static str,
    size: usize,
    /// With the number of each, and its value.
    entries: BTreeMap<Key, (u32, u16)>,
    text: String,
    added: u32,
    priority: u32,
}

impl Model {
    fn new(kind: &'static str, size: usize) -> Model {
        Model {
            kind,
            size,
            entries: BTreeMap::new(),
            text: String::new(),
            added: 0,
            priority: 0,
        }
    }

    fn is_full(&self) -> bool {
        self.entries.len() == self.size
    }

    /// One of the entries, if there are any.
    fn any(&self, random: &mut Random) -> Option<Key> {
        let at = random.below(self.entries.len().max(1) as u64) as usize;
        self.entries.keys().nth(at).copied()
    }

    /// An entry goes, changes or comes.
    fn update(&mut self, random: &mut Random) {
        match (self.any(random), random.below(3)) {
            (Some(key), 0) => {
                let (number, _) = self.entries.remove(&key).unwrap();
                writeln!(self.text, "table_delete t {number}").unwrap();
            }
            (Some(key), 1) => {
                let (number, value) = self.entries.get_mut(&key).unwrap();
                *value = random.below(1 << 16) as u16;
                writeln!(self.text, "table_modify t set {number} => {value}").unwrap();
            }
            _ if !self.is_full() => self.add(random),
            _ => {}
        }
    }

    /// Adds an entry, if there is none with its key.
    fn add(&mut self, random: &mut Random) {
        let all = (1u16 << BITS) - 1;
        let mask = match self.kind {
            "exact" => all,
            "lpm" => all & !(all >> (1 + random.below(u64::from(BITS)))),
            _ => *random.pick(&MASKS),
        };
        let key = random.below(1 << BITS) as u16 & mask;
        if self.entries.keys().any(|old| (old.0, old.1) == (key, mask)) {
            return;
        }
        // No two are alike, so that it is clear which one wins.
        self.priority = (self.priority + 37) % 1009;
        let length = mask.count_ones();
        let (shown, last, rank) = match self.kind {
            "exact" => (format!("{key}"), String::new(), 0),
            "lpm" => (format!("{key}/{length}"), String::new(), length),
            // Of BMv2's numbers the smaller one wins.
            _ => (
                format!("{key}&&&{mask}"),
                format!(" {}", 2000 - self.priority),
                self.priority,
            ),
        };
        let value = random.below(1 << 16) as u16;
        writeln!(self.text, "table_add t set {shown} => {value}{last}").unwrap();
        self.entries.insert((key, mask, rank), (self.added, value));
        self.added += 1;
    }

    /// A packet near an entry, and what has to come of it.
    fn look(&mut self, number: u32, random: &mut Random) {
        let any = random.below(1 << BITS) as u16;
        let near = self.any(random).filter(|_| random.below(4) > 0);
        let key = near.map_or(any, |(key, mask, _)| key | any & !mask);
        let entries = self.entries.iter();
        let found = entries.filter(|((value, mask, _), _)| key & mask == *value);
        let found = found.max_by_key(|((_, _, rank), _)| *rank);
        let found = found.map_or(0xffff, |(_, (_, value))| *value);
        let rest = number % 16;
        writeln!(self.text, "packet 0 {key:03x}{rest:x}0000").unwrap();
        writeln!(self.text, "expect 0 {key:03x}{rest:x}{found:04x} $").unwrap();
    }
}

/// Lookups in a table while its entries come, change and go. `is_full`: at first it has all that it has room for.
fn commands(kind: &'static str, (size, is_full): (usize, bool), lookups: u32) -> String {
    let mut random = Random::new(17);
    let mut model = Model::new(kind, size);
    while is_full && !model.is_full() {
        model.add(&mut random);
    }
    for number in 0..lookups {
        if random.below(3) == 0 {
            model.update(&mut random);
        }
        model.look(number, &mut random);
    }
    model.text
}

/// Runs the commands of each kind of key in all ways.
fn finds_the_same(size: (usize, bool), lookups: u32) {
    let lookups = match std::env::var_os("HARDPATH_FULL") {
        Some(_) => 100_000,
        None => lookups,
    };
    let folder = tempfile::tempdir().unwrap();
    for (kind, ways) in TABLES {
        let text = commands(kind, size, lookups);
        assert_eq!(text.matches("packet").count(), lookups as usize);
        let test = folder.path().join(format!("{kind}.stf"));
        std::fs::write(&test, text).unwrap();
        for way in ways {
            let source = folder.path().join(format!("{kind}{way}.p4"));
            std::fs::write(&source, program(kind, way, BITS, size.0)).unwrap();
            for engine in [&["interpreter"][..], &["native", "--target", "pipeline"]] {
                let mut arguments = vec!["stf", path(&source), path(&test), "--engine"];
                arguments.extend(engine);
                let run = hardpath(&arguments);
                assert_eq!(run.status, 0, "{kind} by {way:?}: {}", run.stderr);
            }
        }
    }
}

#[test]
fn every_way_finds_the_same_under_updates() {
    finds_the_same((ENTRIES, false), 1_500);
}

#[test]
fn every_way_finds_the_same_in_large_tables() {
    finds_the_same((MANY_ENTRIES, true), 300);
}

/// A hash table that only the host writes is three quarters full at its size: hundreds of keys move while it is filled, and packets find all of
/// them meanwhile. One more is refused.
#[test]
fn a_table_of_hashed_keys_is_full_at_its_size() {
    const MANY: usize = 1152;
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("full.p4");
    std::fs::write(&source, program("exact", "hash", BITS, MANY)).unwrap();
    let mut random = Random::new(5);
    let mut keys: Vec<u64> = (0..1 << BITS).collect();
    for at in (1..keys.len()).rev() {
        keys.swap(at, random.below(at as u64 + 1) as usize);
    }
    let (mut text, mut values) = (String::new(), BTreeMap::new());
    let looks = |text: &mut String, key: u64, values: &BTreeMap<u64, u64>| {
        let (front, found) = (key << 4, values.get(&key).copied().unwrap_or(0xffff));
        writeln!(text, "packet 0 {front:04x}0000").unwrap();
        writeln!(text, "expect 0 {front:04x}{found:04x} $").unwrap();
    };
    for (number, key) in keys[..MANY].iter().enumerate() {
        let value = random.below(1 << 15);
        writeln!(text, "table_add t set {key} => {value}").unwrap();
        values.insert(*key, value);
        looks(
            &mut text,
            keys[random.below(number as u64 + 2) as usize],
            &values,
        );
    }
    let last = format!(
        "table_add t set {} => 7\npacket 0 00000000\nexpect 0\n",
        keys[MANY]
    );
    let test = folder.path().join("full.stf");
    for more in ["", last.as_str()] {
        std::fs::write(&test, format!("{text}{more}")).unwrap();
        let run = hardpath(&["stf", path(&source), path(&test)]);
        assert_eq!(run.status == 0, more.is_empty(), "{}", run.stderr);
        let says = run.stderr.contains("the map is full");
        assert_eq!(says, !more.is_empty(), "{}", run.stderr);
    }
}

/// A way that is none, or that cannot find the entries, is an error with the reason.
#[test]
fn what_cannot_be_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("wrong.p4");
    for (kind, way, (bits, entries), why) in [
        ("lpm", "hash", (BITS, ENTRIES), "one of these is `lpm`"),
        (
            "ternary",
            "direct",
            (BITS, ENTRIES),
            "one of these is `ternary`",
        ),
        (
            "ternary",
            "cam",
            (BITS, ENTRIES),
            "one of these is `ternary`",
        ),
        ("exact", "hsah", (BITS, ENTRIES), "did you mean hash"),
        (
            "exact",
            "direct",
            (32, ENTRIES),
            "its keys have 32 bits, and there is a place for each key of up to 16",
        ),
        (
            "ternary",
            "tcam",
            (BITS, 5000),
            "a table with masks has at most 4096 entries, and this one wants 5000",
        ),
        (
            "ternary",
            "masks",
            (BITS, 9000),
            "a table whose masks are hash tables has at most 8192 entries, and this one wants 9000",
        ),
        (
            "exact",
            "cam",
            (BITS, 5000),
            "a table of words with a bit for each entry has at most 4096 entries, and this one wants 5000",
        ),
    ] {
        std::fs::write(&source, program(kind, way, bits, entries)).unwrap();
        let run = hardpath(&["compile", path(&source)]);
        assert_ne!(run.status, 0);
        assert!(run.stderr.contains(why), "{}", run.stderr);
        assert!(run.stderr.contains("wrong.p4:12"), "{}", run.stderr);
    }
}

/// The ways that can are named: that of the masks where a table is too large for one of any masks, said or not.
#[test]
fn what_can_be_is_recommended() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("large.p4");
    let masks = "`@hardpath_table(\"masks\")` can, as long as they have at most 16 different masks";
    for (text, help) in [
        (
            program("ternary", "tcam", BITS, 5000),
            format!("{masks}; leave it to size and keys"),
        ),
        (
            program("ternary", "", BITS, 5000),
            format!("{masks}; say a smaller `size`"),
        ),
        (
            program("exact", "cam", BITS, 5000),
            String::from("`@hardpath_table(\"hash\")` can;"),
        ),
        (
            program("lpm", "hash", BITS, 64),
            String::from("`@hardpath_table(\"tcam\")` can;"),
        ),
    ] {
        std::fs::write(&source, text).unwrap();
        let run = hardpath(&["compile", path(&source)]);
        assert_ne!(run.status, 0);
        assert!(run.stderr.contains(&help), "{}", run.stderr);
    }
}

/// One mask too many is refused with the count, and so is a priority that has no room.
#[test]
fn a_mask_too_many_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("masks.p4");
    std::fs::write(&source, program("ternary", "masks", BITS, ENTRIES)).unwrap();
    let test = folder.path().join("masks.stf");
    let entries = (1..=17).map(|mask| format!("table_add t set 0&&&{mask} => 1 {mask}\n"));
    let far = String::from("table_add t set 0&&&1 => 1 2000000000\n");
    for (text, why) in [
        (
            entries.collect::<String>(),
            "all 16 that it may have are in use",
        ),
        (far, "priorities are from -8388608 to 8388607"),
    ] {
        std::fs::write(&test, text + "packet 0 00000000\nexpect 0\n").unwrap();
        let run = hardpath(&["stf", path(&source), path(&test)]);
        assert_ne!(run.status, 0);
        assert!(run.stderr.contains(why), "{}", run.stderr);
    }
}

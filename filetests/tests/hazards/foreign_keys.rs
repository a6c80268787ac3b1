//! Keys with bits that are the same in the whole program, which tables do not store: packets fill maps while the host puts in,
//! finds and removes keys of both sorts, those of the program and those that differ from them in a bit.

use crate::case;
use hardpath_filetests::hardware::Hardware;
use hardpath_filetests::torture::torture_with;
use hardpath_filetests::traffic::Keys;
use hardpath_ir::maps::Maps;
use hardpath_ir::{Answer, May};
use hardpath_testbed::host::HostOperation;

const PACKETS: usize = 1200;

/// The same program, its hash maps with keys of 8 bytes for those of 4: 0xa5, the key, and three bytes that are constant, too.
fn with_constant_bits(text: &str) -> String {
    let narrow = " exact key 4 ";
    let maps = text.lines().filter_map(|line| line.split_once(narrow));
    let maps: Vec<&str> = maps
        .map(|(map, _)| map.trim_start_matches("map "))
        .collect();
    let mut wider = String::new();
    for (number, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let call = (words.windows(3))
            .find(|words| words[0].starts_with("map.") && maps.contains(&words[1]));
        let Some([operation, map, key]) = call.filter(|call| !ENTRIES.contains(&call[0])) else {
            wider += &line.replace(narrow, " exact key 8 ");
            wider.push('\n');
            continue;
        };
        let [low, high, whole] = [0, 1, 2].map(|own| 5000 + 3 * number + own);
        let narrow = key.trim_end_matches(',');
        wider += &format!(
            "    v{low}:8 = const 0xa5
    v{high}:24 = const 0xc30000
    v{whole}:64 = concat v{high}, {narrow}, v{low}\n"
        );
        let (before, after) = (
            format!("{operation} {map} {narrow}"),
            format!("{operation} {map} v{whole}"),
        );
        wider += &line.replace(&before, &after);
        wider.push('\n');
    }
    wider
}

/// What takes an entry, not a key.
const ENTRIES: [&str; 3] = ["map.load", "map.store", "map.atomic"];

#[test]
fn foreign_keys_count_and_are_not_seen() {
    let programs = [
        case("hash_everything", &[("ENTRIES", "3"), ("WORD", "soon")]),
        case("hash_everything", &[("ENTRIES", "16"), ("WORD", "late")]),
        case("hash_values", &[("ENTRIES", "5"), ("WORD", "soon")]),
        case("expiry", &[("ENTRIES", "4")]),
        case("hash_blind", &[("ENTRIES", "6")]),
        case("two_hashes", &[("FIRST", "late"), ("SECOND", "soon")]),
        case("chained_hashes", &[("WORD", "soon")]),
        case("three_ways", &[]),
        case("two_keys", &[("ENTRIES", "7")]),
        case("values_behind_an_entrance", &[]),
        case("churn_behind_a_window", &[]),
    ];
    for (seed, text) in (40..).zip(programs) {
        let text = with_constant_bits(&text);
        for clock_mhz in [250.0, 50.0] {
            let mut hardware = Hardware::at(&text, 512, clock_mhz);
            let maps = &hardware.interface().maps;
            let hashes = maps.iter().filter(|map| map.kind == "exact");
            let stored: Vec<u32> = hashes.map(|map| map.stored.stored()).collect();
            let all_are = |expected| stored.iter().all(|bits| *bits == expected);
            assert!(!stored.is_empty() && all_are(32), "{stored:?}\n{text}");
            let kinds = [Keys::Two, Keys::Of(9), Keys::Of(3000)];
            torture_with(&mut hardware, seed, PACKETS, &kinds);
        }
    }
}

/// A map that is only asked for one key stores one bit of it; all other keys are the host's.
#[test]
fn a_key_that_is_constant() {
    let text = "program \"one\" control-flow\noutput \"verdict\" 32
map @flows exact key 4 value 8 entries 2
block0:
    v0:32 = const 0
    v1:32 = const 2
    v2:64 = const 32
    v3:1, v4:32 = map.lookup @flows v0
    branch v3, block1, block2
block1:
    v5:64 = map.load @flows v4, v0
    v6:64 = add v5, v5
    map.store @flows v4, v0, v6
    packet.store v2, v6
    v9000:1 = const 1
    emit v9000 with v1
block2:
    v9001:1 = const 1
    emit v9001 with v1
";
    let mut hardware = Hardware::new(text, 64);
    assert_eq!(hardware.interface().maps[0].stored.stored(), 1);
    torture_with(&mut hardware, 9, PACKETS, &[Keys::One]);
    // Both places are taken, whoever stores the key.
    hardware.reset();
    let mut maps = Maps::new(&hardware.program.maps);
    let update = |number: u8| HostOperation::Update {
        map: 0,
        key: vec![number, 0, 0, 0],
        value: vec![number; 8],
        may: May::PUT,
    };
    let operations = [update(0), update(1), update(7)];
    hardware.prepare(&mut maps, &operations);
    let map = hardware.program.maps.keys().next().expect("it has one");
    assert_eq!(
        maps.update(map, &[7, 0, 0, 0], &[0; 8], May::PUT),
        Answer::Full
    );
    hardware.compare_maps(&maps);
}

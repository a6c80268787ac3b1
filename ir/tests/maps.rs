//! Tables and their answers.

use cranelift_entity::PrimaryMap;
use hardpath_ir::maps::{Entries, Image, Maps};
use hardpath_ir::{Answer, Field, Find, MapDecl, MapId, Match, May};

fn decl(name: &str, find: Find, key_bytes: u32, value_bytes: u32, max_entries: u32) -> MapDecl {
    MapDecl::new(name, find, (key_bytes, value_bytes), max_entries)
}

fn one(decl: MapDecl) -> (Maps, MapId) {
    let mut decls = PrimaryMap::new();
    let id = decls.push(decl);
    (Maps::new(&decls), id)
}

fn key(index: u32) -> [u8; 4] {
    index.to_le_bytes()
}

#[test]
fn an_array_is_full_of_zeros_and_written_in_place() {
    let (mut maps, map) = one(decl("a", Find::Array, 4, 8, 3));
    let entry = maps.lookup(map, &key(2)).unwrap();
    assert_eq!(entry, 2);
    assert_eq!(maps.lookup(map, &key(3)), None);
    assert_eq!(maps.lookup(map, &key(u32::MAX)), None);
    assert_eq!(maps.value(map, entry), Some(&[0; 8][..]));
    assert_eq!(maps.value(map, 3), None);
    assert_eq!(maps.update(map, &key(2), &[7; 8], May::PUT), Answer::Done);
    assert_eq!(maps.value(map, entry), Some(&[7; 8][..]));
    maps.value_mut(map, entry).unwrap()[0] = 9;
    assert_eq!(maps.get(map, &key(2)), Some(&[9, 7, 7, 7, 7, 7, 7, 7][..]));
    let entries = &maps.image()["a"];
    assert_eq!(entries.len(), 3);
    assert_eq!(entries[&key(0).to_vec()], [0; 8]);
}

#[test]
fn an_arrays_answers() {
    let (mut maps, map) = one(decl("a", Find::Array, 4, 1, 2));
    let mut update = |index, may| maps.update(map, &key(index), &[index as u8], may);
    assert_eq!(update(1, May::REPLACE), Answer::Done);
    assert_eq!(update(1, May::CREATE), Answer::Exists);
    assert_eq!(update(1, May::NOTHING), Answer::Refused);
    assert_eq!(update(1, May::PUT), Answer::Done);
    for may in May::ALL {
        assert_eq!(update(2, may), Answer::BadIndex);
    }
    assert_eq!(maps.delete(map, &key(1)), Answer::Refused);
    assert_eq!(maps.delete(map, &key(9)), Answer::BadIndex);
    assert_eq!(maps.get(map, &key(1)), Some(&[1][..]));
}

#[test]
fn an_initial_value_is_there_from_the_start() {
    let mut data = decl(".data", Find::Array, 4, 3, 1);
    data.initial = Some(vec![1, 2, 3]);
    let (maps, map) = one(data);
    assert_eq!(maps.get(map, &key(0)), Some(&[1, 2, 3][..]));
}

#[test]
fn answers_of_exact_keys() {
    let (mut maps, map) = one(decl("h", Find::Exact, 2, 1, 2));
    assert_eq!(maps.lookup(map, b"aa"), None);
    assert_eq!(maps.update(map, b"aa", &[1], May::REPLACE), Answer::Missing);
    assert_eq!(maps.update(map, b"aa", &[1], May::CREATE), Answer::Done);
    assert_eq!(maps.update(map, b"aa", &[2], May::CREATE), Answer::Exists);
    assert_eq!(maps.update(map, b"aa", &[2], May::REPLACE), Answer::Done);
    assert_eq!(maps.update(map, b"aa", &[3], May::NOTHING), Answer::Refused);
    assert_eq!(maps.update(map, b"bb", &[4], May::PUT), Answer::Done);
    assert_eq!(maps.update(map, b"cc", &[5], May::PUT), Answer::Full);
    assert_eq!(maps.update(map, b"cc", &[5], May::REPLACE), Answer::Missing);
    assert_eq!(
        maps.update(map, b"bb", &[6], May::PUT),
        Answer::Done,
        "a full map can be updated"
    );
    assert_eq!(maps.delete(map, b"cc"), Answer::Missing);
    assert_eq!(maps.delete(map, b"aa"), Answer::Done);
    assert_eq!(maps.delete(map, b"aa"), Answer::Missing);
    assert_eq!(maps.update(map, b"cc", &[5], May::PUT), Answer::Done);
    let expected = Entries::from([(b"bb".to_vec(), vec![6]), (b"cc".to_vec(), vec![5])]);
    assert_eq!(maps.image()["h"], expected);
}

#[test]
fn an_old_entry_of_a_hash_sees_the_old_value() {
    let (mut maps, map) = one(decl("h", Find::Exact, 1, 2, 4));
    maps.update(map, b"k", &[1, 1], May::PUT);
    maps.begin_packet();
    let old = maps.lookup(map, b"k").unwrap();
    assert_ne!(old, 0, "0 is what a miss gives");
    maps.update(map, b"k", &[2, 2], May::PUT);
    let new = maps.lookup(map, b"k").unwrap();
    assert_ne!(old, new);
    assert_eq!(maps.value(map, old), Some(&[1, 1][..]));
    maps.value_mut(map, old).unwrap()[0] = 9;
    assert_eq!(maps.value(map, old), Some(&[9, 1][..]));
    assert_eq!(
        maps.get(map, b"k"),
        Some(&[2, 2][..]),
        "a store through the old entry vanishes"
    );
    maps.delete(map, b"k");
    maps.update(map, b"l", &[3, 3], May::PUT);
    assert_eq!(
        maps.value(map, new),
        Some(&[2, 2][..]),
        "a deleted element is readable, too"
    );
    assert_eq!(
        maps.image()["h"],
        Entries::from([(b"l".to_vec(), vec![3, 3])])
    );
}

#[test]
fn elements_are_used_again_by_later_packets() {
    let (mut maps, map) = one(decl("h", Find::Exact, 4, 1, 2));
    let mut highest = 0;
    for round in 0..1000 {
        maps.begin_packet();
        let answer = maps.update(map, &key(round), &[0], May::PUT);
        assert_eq!(answer, Answer::Done);
        highest = highest.max(maps.lookup(map, &key(round)).unwrap());
        assert_eq!(maps.delete(map, &key(round)), Answer::Done);
    }
    assert_eq!(highest, 1);
}

#[test]
fn slots() {
    let (mut maps, map) = one(decl("d", Find::Slots, 4, 8, 2));
    assert_eq!(maps.lookup(map, &key(0)), None);
    let port = [5, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(maps.update(map, &key(2), &port, May::PUT), Answer::BadIndex);
    let mut update = |value: &[u8], may| maps.update(map, &key(1), value, may);
    assert_eq!(update(&port, May::REPLACE), Answer::Missing);
    assert_eq!(update(&port, May::NOTHING), Answer::Refused);
    assert_eq!(update(&port, May::CREATE), Answer::Done);
    assert_eq!(update(&port, May::CREATE), Answer::Exists);
    let entry = maps.lookup(map, &key(1)).unwrap();
    assert_eq!(maps.value(map, entry), Some(&port[..]));
    assert_eq!(maps.value(map, 0), None);
    assert_eq!(maps.value_mut(map, entry), None);
    assert_eq!(
        maps.image()["d"],
        Entries::from([(key(1).to_vec(), port.to_vec())])
    );
    assert_eq!(
        maps.update(map, &key(1), &[0, 0, 0, 0, 7, 0, 0, 0], May::PUT),
        Answer::Done,
        "a value that begins with zeros empties the slot"
    );
    assert_eq!(maps.lookup(map, &key(1)), None);
    assert_eq!(maps.delete(map, &key(1)), Answer::Done);
    assert_eq!(maps.delete(map, &key(2)), Answer::BadIndex);
}

#[test]
fn an_image_goes_in_and_comes_out() {
    let mut decls = PrimaryMap::new();
    decls.push(decl("a", Find::Array, 4, 1, 2));
    decls.push(decl("h", Find::Exact, 1, 1, 2));
    let mut maps = Maps::new(&decls);
    let image = Image::from([
        (
            "a".to_string(),
            Entries::from([(key(0).to_vec(), vec![4]), (key(1).to_vec(), vec![5])]),
        ),
        ("h".to_string(), Entries::from([(vec![1], vec![2])])),
    ]);
    maps.load(&image).unwrap();
    assert_eq!(maps.image(), image);
    maps.load(&Image::new()).unwrap();
    assert_eq!(maps.image(), image, "an empty image changes nothing");
}

#[test]
fn everything_wrong_with_an_image_is_told_and_nothing_is_loaded() {
    let mut decls = PrimaryMap::new();
    decls.push(decl("a", Find::Array, 4, 1, 2));
    decls.push(decl("h", Find::Exact, 1, 1, 2));
    let mut maps = Maps::new(&decls);
    let before = maps.image();
    let image = Image::from([
        (
            "a".to_string(),
            Entries::from([
                (key(0).to_vec(), vec![1]),
                (key(1).to_vec(), vec![1, 2]),
                (key(2).to_vec(), vec![1]),
                (vec![0, 0], vec![1]),
            ]),
        ),
        (
            "h".to_string(),
            Entries::from([(vec![1], vec![1]), (vec![2], vec![1]), (vec![3], vec![1])]),
        ),
        ("other".to_string(), Entries::new()),
    ]);
    let errors = maps.load(&image).unwrap_err();
    let codes: Vec<&str> = errors.iter().map(|error| error.code).collect();
    assert_eq!(
        codes,
        [
            "map-key-size",
            "map-value-size",
            "map-key-range",
            "map-too-many-entries",
            "unknown-map"
        ]
    );
    assert_eq!(
        errors[1].message,
        "the value of key 01 00 00 00 has 2 bytes, the map's values have 1"
    );
    assert_eq!(errors[1].place_text(), "map a");
    assert_eq!(
        errors[4].help.as_deref(),
        Some("the program's maps are: a, h")
    );
    assert_eq!(maps.image(), before);
}

#[test]
fn changes_are_the_entries_that_were_written() {
    let mut decls = PrimaryMap::new();
    let array = decls.push(decl("a", Find::Array, 4, 1, 300));
    let hash = decls.push(decl("h", Find::Exact, 1, 1, 4));
    let trie = decls.push(decl("t", Find::Prefix, 5, 1, 4));
    let mut maps = Maps::new(&decls);
    for name in [b"k", b"l", b"m"] {
        maps.update(hash, name, &[1], May::PUT);
    }
    assert_eq!(maps.take_changes(), []);
    maps.watch_changes();
    maps.begin_packet();
    maps.value_mut(array, 257).unwrap()[0] = 5;
    // No entry of the array.
    assert_eq!(
        maps.update(array, &key(300), &[5], May::PUT),
        Answer::BadIndex
    );
    // No prefix of the trie is longer than 8 bits.
    let answer = maps.update(trie, &[9, 0, 0, 0, 1], &[5], May::PUT);
    assert_eq!(answer, Answer::BadIndex);
    assert_eq!(maps.delete(trie, &[0, 0, 1, 0, 1]), Answer::BadIndex);
    maps.update(trie, &[8, 0, 0, 0, 1], &[5], May::PUT);
    let old = maps.lookup(hash, b"k").unwrap();
    maps.update(hash, b"k", &[2], May::PUT);
    maps.value_mut(hash, old).unwrap()[0] = 9;
    maps.delete(hash, b"l");
    let entry = maps.lookup(hash, b"m").unwrap();
    maps.value_mut(hash, entry).unwrap()[0] = 7;
    let changes: Vec<_> = maps
        .take_changes()
        .into_iter()
        .map(|change| (change.map, change.key, change.value))
        .collect();
    assert_eq!(
        changes,
        [
            (array, key(257).to_vec(), Some(vec![5])),
            (hash, b"k".to_vec(), Some(vec![2])),
            (hash, b"l".to_vec(), None),
            (hash, b"m".to_vec(), Some(vec![7])),
            (trie, vec![8, 0, 0, 0, 1], Some(vec![5])),
        ]
    );
    assert_eq!(maps.take_changes(), []);
}

/// A trie holds the bits behind a prefix that came with its entry, whatever bits an update has that fails.
#[test]
fn what_was_written_goes_by_the_key_that_is_there() {
    let mut decls = PrimaryMap::new();
    let trie = decls.push(decl("t", Find::Prefix, 5, 1, 4));
    let mut maps = Maps::new(&decls);
    maps.update(trie, &[4, 0, 0, 0, 0x13], &[1], May::PUT);
    let after = |maps: &mut Maps, may| {
        maps.watch_changes();
        maps.update(trie, &[4, 0, 0, 0, 0x15], &[2], may);
        let changes = maps.take_changes().into_iter();
        let changes: Vec<_> = changes.map(|change| (change.key, change.value)).collect();
        changes
    };
    assert_eq!(
        after(&mut maps, May::CREATE),
        [(vec![4, 0, 0, 0, 0x13], Some(vec![1]))]
    );
    assert_eq!(
        after(&mut maps, May::PUT),
        [(vec![4, 0, 0, 0, 0x15], Some(vec![2]))]
    );
}

#[test]
fn what_was_written_can_be_undone_and_done_again() {
    let mut decls = PrimaryMap::new();
    let array = decls.push(decl("a", Find::Array, 4, 1, 3));
    let hash = decls.push(decl("h", Find::Exact, 1, 1, 3));
    let trie = decls.push(decl("t", Find::Prefix, 5, 1, 4));
    let mut maps = Maps::new(&decls);
    for name in [b"k", b"l", b"m"] {
        maps.update(hash, name, &[1], May::PUT);
    }
    maps.update(trie, &[4, 0, 0, 0, 0x13], &[1], May::PUT);
    assert_eq!(maps.undo(), []);
    let before = maps.image();
    maps.watch_to_undo();
    maps.begin_packet();
    maps.value_mut(array, 2).unwrap()[0] = 5;
    let old = maps.lookup(hash, b"k").unwrap();
    maps.delete(hash, b"k");
    maps.value_mut(hash, old).unwrap()[0] = 9;
    // There is room again.
    assert_eq!(maps.update(hash, b"n", &[4], May::PUT), Answer::Done);
    let entry = maps.lookup(hash, b"m").unwrap();
    maps.value_mut(hash, entry).unwrap()[0] = 7;
    // The same as before.
    maps.update(hash, b"l", &[1], May::PUT);
    maps.update(trie, &[4, 0, 0, 0, 0x15], &[2], May::PUT);
    let after = maps.image();
    let undone = maps.undo();
    assert_eq!(maps.image(), before);
    let keys: Vec<_> = undone.iter().map(|change| change.key.clone()).collect();
    assert_eq!(
        keys,
        [
            key(2).to_vec(),
            b"k".to_vec(),
            b"m".to_vec(),
            b"n".to_vec(),
            vec![4, 0, 0, 0, 0x15],
        ]
    );
    maps.redo(&undone);
    assert_eq!(maps.image(), after);
    assert_eq!(maps.undo(), []);
}

/// Fields of 8 bits by mask, 4 bits in a range, 4 bits by prefix.
fn filter() -> MapDecl {
    let field = |by, bits| Field { by, bits };
    MapDecl {
        fields: vec![
            field(Match::Ternary, 8),
            field(Match::Range, 4),
            field(Match::Prefix, 4),
        ],
        ..decl("f", Find::Ternary, 2, 1, 3)
    }
}

/// The key of an entry: fields, masks, priority.
fn entry(fields: u16, masks: u16, priority: u32) -> Vec<u8> {
    let mut key = [fields.to_le_bytes(), masks.to_le_bytes()].concat();
    key.extend(priority.to_le_bytes());
    key
}

#[test]
fn entries_with_masks_and_priorities() {
    let (mut maps, map) = one(filter());
    let find = |maps: &mut Maps, key: u16| {
        let found = maps.lookup(map, &key.to_le_bytes())?;
        maps.value(map, found).map(|value| value[0])
    };
    let mut update = |key: &[u8], value, may| maps.update(map, key, &[value], may);
    // 0x12, from 3 to 5, any; the same with any address, less important.
    assert_eq!(
        update(&entry(0x0312, 0x05ff, 7), 1, May::CREATE),
        Answer::Done
    );
    assert_eq!(update(&entry(0x0300, 0x0500, 6), 2, May::PUT), Answer::Done);
    assert_eq!(
        update(&entry(0x0312, 0x05ff, 7), 1, May::CREATE),
        Answer::Exists
    );
    // Bits that do not count make no other entry of it.
    assert_eq!(
        update(&entry(0x03aa, 0x0500, 6), 3, May::REPLACE),
        Answer::Done
    );
    assert_eq!(
        update(&entry(0x0300, 0x0500, 9), 4, May::REPLACE),
        Answer::Missing
    );
    // Of the same priority the first one is found.
    assert_eq!(update(&entry(0x0000, 0x0f00, 6), 5, May::PUT), Answer::Done);
    assert_eq!(update(&entry(0x0000, 0x0f00, 1), 6, May::PUT), Answer::Full);
    assert_eq!(
        update(&entry(0x0500, 0x0300, 1), 7, May::PUT),
        Answer::BadIndex
    );
    assert_eq!(
        update(&entry(0x0000, 0x4f00, 1), 7, May::PUT),
        Answer::BadIndex
    );
    assert_eq!(
        update(&entry(0x0000, 0x0f00, 1), 7, May::NOTHING),
        Answer::Refused
    );
    assert_eq!(find(&mut maps, 0x0412), Some(1));
    assert_eq!(find(&mut maps, 0xf512), Some(1));
    assert_eq!(find(&mut maps, 0x0413), Some(3));
    assert_eq!(find(&mut maps, 0x0612), Some(5));
    assert_eq!(maps.delete(map, &entry(0x0312, 0x05ff, 6)), Answer::Missing);
    assert_eq!(maps.delete(map, &entry(0x0312, 0x05ff, 7)), Answer::Done);
    assert_eq!(find(&mut maps, 0x0412), Some(3));
    let held = &maps.image()["f"];
    assert_eq!(held[&entry(0x0300, 0x0500, 6)], [3]);
    assert_eq!(held.len(), 2);
}

#[test]
fn the_entry_of_a_key_finds_it() {
    let decl = filter();
    let (mut maps, map) = one(decl.clone());
    for (number, all) in [(0x0412, false), (0xa5c3, true)] {
        let key = u16::to_le_bytes(number);
        let entry = decl.entry_key(&key, || all);
        assert_eq!(maps.update(map, &entry, &[1], May::PUT), Answer::Done);
        assert!(maps.lookup(map, &key).is_some());
        let other = maps.lookup(map, &u16::to_le_bytes(number ^ 1));
        assert_eq!(other.is_some(), all);
        assert_eq!(maps.delete(map, &entry), Answer::Done);
    }
}

#[test]
fn entries_that_cannot_be_are_told() {
    let decls = [filter()].into_iter().collect();
    let mut maps = Maps::new(&decls);
    let entries = Entries::from([
        (entry(0x0500, 0x0300, 1), vec![1]),
        (vec![0; 2], vec![1]),
        (entry(0x0000, 0x0f00, 1), vec![1]),
    ]);
    let errors = maps
        .load(&Image::from([("f".into(), entries)]))
        .unwrap_err();
    let mut codes: Vec<&str> = errors.iter().map(|error| error.code).collect();
    codes.sort_unstable();
    assert_eq!(codes, ["map-key-range", "map-key-size"]);
}

/// Each table's keys go in that table's order, whatever the others do.
#[test]
fn keys_that_go_for_others() {
    let mut decls = PrimaryMap::new();
    let [first, second] = ["first", "second"].map(|name| {
        decls.push(MapDecl {
            forgets: true,
            ..decl(name, Find::Exact, 4, 1, 2)
        })
    });
    let mut maps = Maps::new(&decls);
    for map in [first, second] {
        maps.forget_as_told(map, 8);
        for number in [1, 2] {
            maps.update(map, &key(number), &[0], May::PUT);
        }
        maps.forget_for(map, key(3).to_vec(), key(1).to_vec());
        maps.forget_for(map, key(4).to_vec(), key(2).to_vec());
    }
    let keys = |maps: &Maps, map: MapId| -> Vec<u32> {
        let there = (1..5).filter(|number| maps.get(map, &key(*number)).is_some());
        there.collect()
    };
    maps.update(second, &key(3), &[0], May::PUT);
    // It is not its turn.
    maps.update(first, &key(4), &[0], May::PUT);
    // It does not come.
    maps.update(first, &key(3), &[0], May::REPLACE);
    assert_eq!(keys(&maps, first), [1, 2, 4]);
    assert_eq!(keys(&maps, second), [2, 3]);
    maps.update(first, &key(3), &[0], May::PUT);
    maps.update(second, &key(4), &[0], May::PUT);
    assert_eq!(keys(&maps, first), [2, 3, 4]);
    assert_eq!(keys(&maps, second), [3, 4]);
}

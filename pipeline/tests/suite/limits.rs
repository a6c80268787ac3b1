//! Sizes and names at their limits: built, or refused with a code, but never a panic.

use crate::read;
use hardpath_ir::{Find, MapDecl, Program};
use hardpath_pipeline::{compile, Compiled, Options};

const NOTHING: &str = "program \"limits\" control-flow\noutput \"verdict\" 32

block0:
    v0:32 = const 2
    v1:32 = const 0
    v9000:1 = const 1
    emit v9000 with v0
";

fn with_maps(maps: &[(&str, Find, u32, u32, u32)]) -> Program {
    let mut program = read(NOTHING);
    for (name, kind, key_bytes, value_bytes, max_entries) in maps {
        let bytes = (*key_bytes, *value_bytes);
        program
            .maps
            .push(MapDecl::new(name, *kind, bytes, *max_entries));
    }
    program
}

fn build(program: Program) -> Result<Compiled, &'static str> {
    compile(program, &Options::default()).map_err(|errors| errors[0].code)
}

#[test]
fn sizes_of_maps() {
    use Find::{Array, Exact as Hash, Slots};
    for fine in [
        ("m", Array, 4, 1, 1),
        ("m", Array, 4, 57_344, 1),
        ("m", Array, 4, 3, 77_777),
        ("m", Hash, 1, 1, 1),
        ("m", Hash, 512, 1024, 3),
        ("m", Hash, 4096, 1, 1),
        ("m", Hash, 16, 64, 65_536),
        ("m", Hash, 5, 7, 65_537),
        ("m", Slots, 4, 8, 1),
        ("m", Slots, 4, 4, 100),
    ] {
        assert!(build(with_maps(&[fine])).is_ok(), "{fine:?}");
    }
    for (wrong, code) in [
        (("m", Array, 4, 57_345, 1), "map-too-wide"),
        (("m", Hash, 4097, 8, 1), "map-too-wide"),
        (("m", Array, 4, 8, u32::MAX), "map-too-large"),
        (("m", Array, 4, 1024, 1 << 20), "map-too-large"),
        (("m", Hash, 4, 8, u32::MAX), "map-too-large"),
        (("m", Hash, 4, 1, 1 << 31), "map-too-large"),
        (("m", Hash, 64, 64, 1 << 21), "map-too-large"),
    ] {
        assert_eq!(build(with_maps(&[wrong])).err(), Some(code), "{wrong:?}");
    }
}

/// Many prefixes are found where packets look up all bits of a key; of keys whose length packets say there are fewer.
#[test]
fn numbers_of_prefixes() {
    let with = |length: &str, entries: u32| {
        build(read(&format!(
            "program \"limits\" control-flow
output \"verdict\" 32
map @routes prefix key 8 value 8 entries {entries}

block0:
    v0:64 = const 0
    v1:32 = packet.load v0
    v2:32 = const {length}
    v3:64 = const 4
    v4:32 = packet.load v3
    v5:32 = {}
    v6:64 = concat v1, v5
    v7:1, v8:32 = map.lookup @routes v6
    v9:32 = zext v7
    v9000:1 = const 1
    emit v9000 with v9
",
            if length == "0" {
                "or v4, v2"
            } else {
                "or v2, v2"
            }
        )))
    };
    for (length, entries) in [("32", 5000), ("32", 65_536), ("0", 4096), ("24", 4096)] {
        let built = with(length, entries).map(|_| ());
        assert_eq!(built, Ok(()), "{length} {entries}");
    }
    for (length, entries) in [("32", 65_537), ("0", 4097), ("24", 4097)] {
        let refused = with(length, entries).err();
        assert_eq!(refused, Some("map-too-large"), "{length} {entries}");
    }
}

/// Tables with masks: by their entries, by ranges that are wide, and by the block RAMs of an FPGA.
#[test]
fn numbers_of_entries_with_masks() {
    let with = |bytes: u32, fields: &str, entries: u32| {
        build(read(&format!(
            "program \"limits\" control-flow
output \"verdict\" 32
map @rules ternary key {bytes} value 8 entries {entries} fields \"{fields}\"

block0:
    v0:64 = const 0
    v1:{} = packet.load v0
    v2:1, v3:32 = map.lookup @rules v1
    v4:32 = zext v2
    v5:1 = const 1
    emit v5 with v4
",
            bytes * 8
        )))
    };
    for (bytes, fields, entries) in [
        (4, "ternary 32", 4096),
        (4, "range 9, ternary 23", 4096),
        (4, "range 10, ternary 22", 1024),
        (32, "ternary 256", 2048),
    ] {
        let built = with(bytes, fields, entries).map(|_| ());
        assert_eq!(built, Ok(()), "{fields} {entries}");
    }
    for (bytes, fields, entries) in [
        (4, "ternary 32", 4097),
        (4, "range 10, ternary 22", 1025),
        // 57 chunks of 57 block RAMs.
        (64, "ternary 512", 4096),
    ] {
        let refused = with(bytes, fields, entries).err();
        assert_eq!(refused, Some("map-too-large"), "{fields} {entries}");
    }
}

#[test]
fn numbers_of_maps() {
    let names: Vec<String> = (0..300).map(|number| format!("map{number}")).collect();
    let maps = |count: usize| -> Vec<_> {
        names[..count]
            .iter()
            .map(|name| (name.as_str(), Find::Array, 4, 4, 2))
            .collect()
    };
    assert!(build(with_maps(&maps(255))).is_ok());
    assert_eq!(build(with_maps(&maps(256))).err(), Some("too-many-maps"));
}

/// Names that differ in signs only, that look like the compiler's own, or that are reserved.
#[test]
fn names_that_collide() {
    let text = "program \"module\" control-flow\noutput \"verdict\" 32

map @x array key 4 value 4 entries 4
map @x_0 array key 4 value 4 entries 4
map @\"a b\" exact key 4 value 4 entries 4
map @a_b exact key 4 value 4 entries 4
map @a.b exact key 4 value 4 entries 4

block0:
    v0:64 = const 0
    v1:32 = packet.load v0
    v2:32 = const 0
    v3:1, v4:32 = map.lookup @x v1
    v5:32 = map.load @x v4, v2
    v6:1, v7:32 = map.lookup @x v5
    v8:32 = map.load @x v7, v2
    v13:2 = const 3
    v9:3 = map.update @a_b v8, v1, v13
    v10:3 = map.update @a.b v8, v1, v13
    v11:3 = map.delete @\"a b\" v8
    v14:8 = zext v9
    v12:32 = const 2
    packet.store v0, v14
    v9001:1 = const 1
    emit v9001 with v12
";
    let compiled = build(read(text)).expect("nothing to refuse");
    assert_eq!(hardpath_rtl::check::check(&compiled.design), Ok(()));
    let names: Vec<&str> = compiled
        .interface
        .maps
        .iter()
        .map(|map| map.name.as_str())
        .collect();
    assert_eq!(names, ["x", "x_0", "a b", "a_b", "a.b"]);
    for name in ["", "1", "wire", "class", "name with spaces", "äöü", "_"] {
        let mut program = read(NOTHING);
        program.name = name.into();
        let compiled = build(program).expect("nothing to refuse");
        assert_eq!(
            hardpath_rtl::check::check(&compiled.design),
            Ok(()),
            "{name:?}"
        );
    }
}

/// Each round asks what the updates before it returned, so that each doubles the cases that its store is in.
#[test]
fn many_changes_that_ask_for_the_changes_before_them() {
    let rounds = |count: usize| {
        let mut text = "program \"rounds\" control-flow\noutput \"verdict\" 32\n\n\
             map @flows exact key 4 value 8 entries 8\n\n\
             block0:\n    v0:64 = const 0\n    v1:32 = const 0\n    v2:32 = const 2\n    v3:64 = packet.load v0\n    v4:2 = const 3\n"
            .to_string();
        let mut sum = 3;
        for round in 0..count {
            let v = 10 + 10 * round;
            let (store, next) = (2 * round + 1, 2 * round + 2);
            let values = format!(
                "    v{v}:64 = const {at}\n    v{}:32 = packet.load v{v}\n    \
                 v{}:1, v{}:32 = map.lookup @flows v{}\n    branch v{}, block{store}, block{next}\n\
                 block{store}:\n    map.store @flows v{}, v1, v{sum}\n    jump block{next}\n\
                 block{next}:\n    v{}:3 = map.update @flows v{}, v{sum}, v4\n    v{}:64 = zext v{}\n    v{}:64 = add v{sum}, v{}\n",
                v + 1, v + 2, v + 3, v + 1, v + 2, v + 3, v + 4, v + 1, v + 6, v + 4, v + 5, v + 6,
                at = 8 + 4 * round,
            );
            text.push_str(&values);
            sum = v + 5;
        }
        read(&format!("{text}    v9:1 = const 1\n    emit v9 with v2\n"))
    };
    assert!(build(rounds(1)).is_ok());
    assert_eq!(build(rounds(14)).err(), Some("lookup-after-update"));
}

//! Which bits of keys are the same in a whole program: what tables store, and what they leave to the host.

use crate::read;
use hardpath_blocks::key_bits::KeyBits;
use hardpath_pipeline::{compile, Compiled, Options};

/// A program with one map, `@flows` of that kind, and a body over the packet: `v1` has its first 32 bits, `v2` the 64 behind
/// them, `v3` a bit of it; `v4` and `v5` are a value of 64 bits and what an update may do. The body ends with the program.
fn compiled(kind: &str, key_bytes: u32, body: &str) -> Compiled {
    let shown = shown(body);
    let (find, words) = kind.split_once(' ').unwrap_or((kind, ""));
    let text = format!(
        "program \"keys\" control-flow\noutput \"verdict\" 32
map @flows {find} key {key_bytes} value 8 entries 64 {words}
block0:
    v0:64 = const 0
    v1:32 = packet.load v0
    v6:64 = const 4
    v2:64 = packet.load v6
    v3:1 = slice v2, 5
    v4:64 = const 1
    v5:2 = const 3
    v7:32 = const 2
    v8:32 = const 0
{body}
{shown}
    v9000:1 = const 1
    emit v9000 with v7
"
    );
    let result = compile(read(&text), &Options::default());
    result.unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]))
}

/// Writes what lookups find to the packet, so that they are not in vain.
fn shown(body: &str) -> String {
    let lookups = body.lines().filter(|line| line.contains("map.lookup"));
    let hits = lookups.filter_map(|line| line.trim().split_once(':'));
    let stores = (0..).zip(hits).map(|(number, (hit, _))| {
        let [at, byte] = [0, 1].map(|own| 900 + 2 * number + own);
        format!(
            "    v{at}:64 = const {}\n    v{byte}:8 = zext {hit}\n    packet.store v{at}, v{byte}\n",
            32 + number
        )
    });
    stores.collect()
}

/// The constant bits of the keys, and their values.
fn keys(kind: &str, key_bytes: u32, body: &str) -> (Vec<u8>, Vec<u8>) {
    let compiled = compiled(kind, key_bytes, body);
    let stored = &compiled.interface.maps[0].stored;
    let report = &compiled.report.maps[0];
    assert_eq!(report.key_bits, key_bytes * 8);
    assert_eq!(report.key_bits_stored, stored.stored());
    (stored.constant().to_vec(), stored.values().to_vec())
}

const HASHES: [&str; 2] = ["exact", "exact in-place"];

#[test]
fn padding_and_masks_are_constant() {
    let body = "
    v10:32 = const 0xfff
    v11:32 = and v1, v10
    v12:16 = const 0x8100
    v13:16 = slice v1, 16
    v14:64 = concat v12, v13, v11
    v15:1, v16:32 = map.lookup @flows v14";
    for kind in HASHES {
        let (constant, values) = keys(kind, 8, body);
        assert_eq!(constant, [0, 0xf0, 0xff, 0xff, 0, 0, 0xff, 0xff]);
        assert_eq!(values, [0, 0, 0, 0, 0, 0, 0x00, 0x81]);
    }
}

/// What every access has, updates and deletes included.
#[test]
fn all_accesses_count() {
    let access = |number: u32, top: u32, what: &str| {
        let v = |offset: u32| format!("v{}", number + offset);
        let call = match what {
            "lookup" => format!("{}:1, {}:32 = map.lookup @flows {}", v(2), v(3), v(1)),
            "update" => format!("{}:3 = map.update @flows {}, v4, v5", v(2), v(1)),
            _ => format!("{}:3 = map.delete @flows {}", v(2), v(1)),
        };
        format!(
            "    {}:32 = const {top:#x}\n    {}:64 = concat {}, v1\n    {call}\n",
            v(0),
            v(1),
            v(0)
        )
    };
    let lookup = access(10, 0x0600_0001, "lookup");
    for what in ["lookup", "update", "delete"] {
        let body = format!("{lookup}{}", access(20, 0x1100_0000, what));
        let (constant, values) = keys("exact", 8, &body);
        // 6 and 17 have four bits in common; the lowest bit differs.
        assert_eq!(constant, [0, 0, 0, 0, 0xfe, 0xff, 0xff, 0xe8], "{what}");
        assert_eq!(values, [0; 8], "{what}");
    }
}

/// Wider than what facts are known of: concats, selects, slices, extensions.
#[test]
fn wide_keys_are_followed() {
    let body = "
    v10:64 = const 0x1122334455667788
    v11:128 = concat v2, v10
    v12:16 = const 0x7700
    v13:48 = const 0x112233445566
    v14:16 = slice v1, 0
    v15:64 = concat v13, v14
    v16:128 = concat v2, v15
    v17:128 = select v3, v11, v16
    v18:160 = zext v17
    v19:1, v20:32 = map.lookup @flows v18";
    let (constant, values) = keys("exact", 20, body);
    let mut expected = [0; 20];
    expected[2..8].fill(0xff);
    expected[16..].fill(0xff);
    assert_eq!(constant, expected);
    assert_eq!(values[..8], [0, 0, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11]);
    assert_eq!(values[8..], [0; 12]);
}

/// Its first bit is stored.
#[test]
fn a_key_keeps_a_bit() {
    let body = "
    v10:32 = const 0xa0000003
    v11:1, v12:32 = map.lookup @flows v10";
    let (constant, values) = keys("exact", 4, body);
    assert_eq!(constant, [0xfe, 0xff, 0xff, 0xff]);
    assert_eq!(values, [2, 0, 0, 0xa0]);
}

/// LRU maps could forget a key that only the host has, and broadcasts go to all keys of a device map; other kinds have no hash.
#[test]
fn other_maps_are_left_alone() {
    let body = "
    v10:8 = slice v1, 0
    v11:32 = zext v10
    v12:1, v13:32 = map.lookup @flows v11";
    for kind in ["exact forgets", "exact forgets in-place", "array", "prefix"] {
        let key_bytes = if kind == "prefix" { 8 } else { 4 };
        let body = match kind {
            "prefix" => body.replace("v11:32", "v11:64"),
            _ => body.to_owned(),
        };
        let stored = compiled(kind, key_bytes, &body).interface.maps[0]
            .stored
            .clone();
        assert_eq!(stored, KeyBits::all_vary(key_bytes), "{kind}");
    }
    let (constant, _) = keys("exact", 4, body);
    assert_eq!(constant, [0, 0xff, 0xff, 0xff]);
}

#[test]
fn a_map_that_nobody_asks_is_left_alone() {
    let (constant, _) = keys("exact", 4, "");
    assert_eq!(constant, [0; 4]);
}

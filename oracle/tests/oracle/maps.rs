//! Lookup, update and delete of `hardpath_ir::maps`, as `hardpath_kernel` translates them, against the same calls by a program in the kernel.

use crate::assembly::*;
use crate::judge::{double, try_start, word, Numbers, CONTEXT};
use hardpath_ebpf::{Object, ObjectMap};
use hardpath_ir::maps::{Image, Maps};
use hardpath_ir::MapId;
use hardpath_kernel::{errno, flag, MapType};
use hardpath_oracle::Verdict;

// Where a packet has what.
const OPERATION: usize = 0;
const VALUE: usize = 8;
const FLAGS: usize = 16;
const RETURNED: usize = 24;
const FOUND: usize = 32;
const KEY: usize = 40;
const LONGEST_KEY: usize = 24;
const BYTES: usize = KEY + LONGEST_KEY;

const LOOK_UP: u8 = 0;
const UPDATE: u8 = 1;

#[derive(Clone, Debug)]
pub struct Call {
    operation: u8,
    key: Vec<u8>,
    value: u64,
    flags: u64,
}

impl Call {
    pub fn packet(&self) -> Vec<u8> {
        let mut packet = vec![0; BYTES];
        packet[OPERATION] = self.operation;
        packet[KEY..KEY + self.key.len()].copy_from_slice(&self.key);
        packet[VALUE..FLAGS].copy_from_slice(&double(self.value));
        packet[FLAGS..RETURNED].copy_from_slice(&double(self.flags));
        packet
    }

    /// What the call gives, and the value that a lookup found.
    fn on_maps(&self, maps: &mut Maps, map: MapId, map_type: MapType) -> (i64, u64) {
        maps.begin_packet();
        let key = &self.key;
        match self.operation {
            LOOK_UP => match maps
                .lookup(map, key)
                .and_then(|entry| maps.value(map, entry))
            {
                Some(value) => (1, u64::from_le_bytes(*value.first_chunk().unwrap())),
                None => (0, 0),
            },
            UPDATE => {
                let value = double(self.value);
                let may = flag::may(map_type, self.flags);
                let answer = maps.update(map, key, &value, may);
                (errno::of_update(map_type, self.flags, answer), 0)
            }
            _ => (errno::of_delete(maps.delete(map, key)), 0),
        }
    }
}

/// A program that does what the packet says with its one map, and writes into the packet what came of it.
pub fn caller(map_decl: ObjectMap) -> Object {
    let key_and_map = [copy(2, 6), add(2, KEY as i32), map(1, 0)].concat();
    let lookup = [
        key_and_map.clone(),
        call(MAP_LOOKUP),
        jump_imm(EQUAL, 0, 0, 3),
        load(DOUBLE, 1, 0, 0),
        store(DOUBLE, 6, FOUND as i16, 1),
        set(0, 1),
        store(DOUBLE, 6, RETURNED as i16, 0),
        set(0, 2),
        exit(),
    ]
    .concat();
    let update = [
        load(DOUBLE, 4, 6, FLAGS as i16),
        copy(3, 6),
        add(3, VALUE as i32),
        key_and_map.clone(),
        call(MAP_UPDATE),
        store(DOUBLE, 6, RETURNED as i16, 0),
        set(0, 2),
        exit(),
    ]
    .concat();
    let delete = [
        key_and_map,
        call(MAP_DELETE),
        store(DOUBLE, 6, RETURNED as i16, 0),
        set(0, 2),
        exit(),
    ]
    .concat();
    object(
        vec![map_decl],
        &[
            packet_in_r6(BYTES as i32),
            load(BYTE, 1, 6, OPERATION as i16),
            jump_imm(NOT_EQUAL, 1, i32::from(LOOK_UP), lookup.len() as i16),
            lookup,
            jump_imm(NOT_EQUAL, 1, i32::from(UPDATE), update.len() as i16),
            update,
            delete,
        ],
    )
}

/// 32-bit keys below `keys`, with now and then one that is outside.
pub fn numbered(keys: u64) -> impl Fn(&mut Numbers) -> Vec<u8> {
    move |numbers| {
        let key = match numbers.below(50) {
            0 => u32::MAX - numbers.below(3) as u32,
            _ => numbers.below(keys) as u32,
        };
        word(key).to_vec()
    }
}

/// Keys of a trie of `bytes` bytes of data: of few prefixes and all lengths, now and then too long.
fn prefixes(bytes: usize) -> impl Fn(&mut Numbers) -> Vec<u8> {
    move |numbers| {
        let bits = 8 * bytes as u64;
        let length = match numbers.below(20) {
            0 => bits + 1 + numbers.below(3),
            1..=5 => bits,
            _ => numbers.below(bits + 1),
        };
        let mut key = word(length as u32).to_vec();
        let byte = |numbers: &mut Numbers| match numbers.below(4) {
            0 => numbers.below(256) as u8,
            1 => 0x80,
            _ => 0,
        };
        key.extend((0..bytes).map(|_| byte(numbers)));
        key
    }
}

/// Calls of the first `operations` operations on keys that `key` makes.
pub fn random_calls(
    operations: u64,
    key: impl Fn(&mut Numbers) -> Vec<u8>,
    seed: u64,
) -> Vec<Call> {
    let mut numbers = Numbers(seed);
    (0..4000)
        .map(|_| Call {
            operation: numbers.below(operations) as u8,
            key: key(&mut numbers),
            value: numbers.below(u64::MAX),
            flags: match numbers.below(20) {
                0 => numbers.below(10),
                1 => 1 << numbers.below(64),
                _ => numbers.below(3),
            },
        })
        .collect()
}

fn compare_random_calls(map_decl: ObjectMap, operations: u64, keys: u64, seed: u64) {
    compare_calls(map_decl, &random_calls(operations, numbered(keys), seed));
}

fn compare_calls(map_decl: ObjectMap, calls: &[Call]) {
    let object = caller(map_decl);
    let map_type = object.maps[0].kind().unwrap();
    let decl = object.maps[0].decl().unwrap();
    let name = decl.name.clone();
    let mut maps = Maps::new(&[decl].into_iter().collect());
    let map = MapId::from_u32(0);
    let Some(mut judge) = try_start(&object, Image::new()) else {
        return;
    };
    let packets: Vec<_> = calls.iter().map(|call| (call.packet(), CONTEXT)).collect();
    let verdicts = judge.run_all(&packets).unwrap();
    for (number, (call, verdict)) in calls.iter().zip(verdicts).enumerate() {
        let Verdict::Judged(outcome) = verdict else {
            panic!("call {number} {call:?}: {verdict:?}");
        };
        let field = |at: usize| {
            outcome.data().unwrap()[at..]
                .first_chunk()
                .copied()
                .unwrap()
        };
        let kernel = (
            i64::from_le_bytes(field(RETURNED)),
            u64::from_le_bytes(field(FOUND)),
        );
        let own = call.on_maps(&mut maps, map, map_type);
        assert_eq!(own, kernel, "call {number}: {call:?}");
    }
    assert_eq!(maps.image()[&name], judge.image().unwrap()[&name]);
}

#[test]
fn arrays_answer_as_in_the_kernel() {
    compare_random_calls(object_map("slots", ARRAY, 4, 8, 10), 3, 14, 1);
}

#[test]
fn per_cpu_arrays_answer_as_in_the_kernel() {
    compare_random_calls(object_map("slots", PERCPU_ARRAY, 4, 8, 10), 3, 14, 2);
}

#[test]
fn hashes_answer_as_in_the_kernel() {
    compare_random_calls(object_map("flows", HASH, 4, 8, 20), 3, 40, 3);
}

#[test]
fn hashes_without_preallocation_answer_as_in_the_kernel() {
    let mut flows = object_map("flows", HASH, 4, 8, 20);
    flows.flags = 1;
    compare_random_calls(flows, 3, 40, 4);
}

#[test]
fn a_large_hash_is_full_at_its_last_entry() {
    compare_random_calls(object_map("flows", HASH, 4, 8, 1000), 2, 3000, 5);
}

#[test]
fn per_cpu_hashes_answer_as_in_the_kernel() {
    compare_random_calls(object_map("flows", PERCPU_HASH, 4, 8, 20), 3, 40, 7);
}

/// No more keys than there is room for: which one is forgotten else is the kernel's business.
#[test]
fn lru_hashes_answer_as_in_the_kernel() {
    for (kind, flags, seed) in [(LRU_HASH, 0, 8), (LRU_HASH, 2, 9), (LRU_PERCPU_HASH, 0, 10)] {
        let mut flows = object_map("flows", kind, 4, 8, 43);
        flows.flags = flags;
        compare_random_calls(flows, 3, 40, seed);
    }
}

#[test]
fn tries_answer_as_in_the_kernel() {
    for (data, entries) in [(1, 12), (4, 30), (8, 500), (16, 40)] {
        let mut routes = object_map("routes", LPM_TRIE, 4 + data as u32, 8, entries);
        routes.flags = NO_PREALLOC;
        compare_calls(routes, &random_calls(3, prefixes(data), data as u64));
    }
}

/// The host's view: the same random writes through bpf(2), and what the image then holds.
#[test]
fn the_hosts_writes_give_the_same_image() {
    let decls = [
        object_map("slots", ARRAY, 4, 8, 10),
        object_map("counters", PERCPU_ARRAY, 4, 8, 10),
        object_map("flows", HASH, 4, 8, 10),
        object_map("ports", DEVMAP, 4, 4, 10),
        object_map("ports_by_number", DEVMAP_HASH, 4, 8, 6),
        object_map("cpus", CPUMAP, 4, 4, 2),
        object_map("sockets", XSKMAP, 4, 4, 10),
        object_map("flows_of_cpus", PERCPU_HASH, 4, 8, 10),
        object_map("last_flows", LRU_HASH, 4, 8, 20),
    ];
    let count = decls.len() as u64;
    let uses: Vec<_> = (0..count as i32).map(|index| map(1, index)).collect();
    let object = object(decls.to_vec(), &[uses.concat(), set(0, 2), exit()]);
    let mut maps = Maps::new(&decls.iter().filter_map(ObjectMap::decl).collect());
    let Some(mut judge) = try_start(&object, Image::new()) else {
        return;
    };
    assert_eq!(maps.image(), judge.image().unwrap());
    let mut numbers = Numbers(6);
    for _ in 0..1000 {
        let map = numbers.below(count) as usize;
        let decl = &decls[map];
        let id = MapId::from_u32(map as u32);
        let key = word(numbers.below(12) as u32);
        if numbers.below(3) > 0 {
            let mut value = double(1 + numbers.below(20)).to_vec();
            value.truncate(decl.value_bytes as usize);
            let map_type = decl.kind().unwrap();
            let mut own = errno::of_value(map_type, &value);
            if own == 0 {
                let may = flag::may(map_type, flag::ANY);
                let answer = maps.update(id, &key, &value, may);
                own = errno::of_update(map_type, flag::ANY, answer);
            }
            let kernel = judge.set(&decl.name, &key, &value);
            assert_eq!(own == 0, kernel.is_ok(), "{} {key:?} {value:?}", decl.name);
        } else {
            let own = errno::of_delete(maps.delete(id, &key));
            let kernel = judge.delete(&decl.name, &key);
            // A key that is not there is no error to the judge.
            let fine = own == 0 || own == i64::from(-libc::ENOENT);
            assert_eq!(fine, kernel.is_ok(), "{} {key:?}", decl.name);
        }
    }
    assert_eq!(maps.image(), judge.image().unwrap());
}

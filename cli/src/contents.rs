//! What to put into a program's maps, so that it does something with its packets.
//!
//! Nothing is known about the program but its IR. It runs in the interpreter over the packets, and the keys that it looks
//! up and does not find are those that matter: half of them are put in. Then other lookups follow, so this is done
//! several times. A value is zeros, small numbers, bytes of a packet or anything: whatever the program means by it, some
//! entries lead further. Arrays, whose entries are always there, get such values from the start, and device maps through
//! which packets are broadcast some interfaces.
//!
//! All is drawn from a seed, so that a run can be repeated.

use hardpath_ebpf::tables::map_type;
use hardpath_ebpf::MTU_MAP;
use hardpath_ir::interpreter::Prepared;
use hardpath_ir::maps::{Image, Maps};
use hardpath_ir::{MapDecl, Program};
use hardpath_kernel::MapType;
use hardpath_packet::Sideband;
use hardpath_testbed::capture::Captured;
use std::collections::BTreeSet;
use std::thread::available_parallelism;

/// A lookup of what another lookup gave, of what another lookup gave: no program in sight goes deeper.
const ROUNDS: usize = 4;
/// Interfaces that device maps name.
const INTERFACES: u32 = 4;

/// Contents for the maps of a program that is to be given these packets. Of an array the first `array_entries` are set:
/// programs look at the first ones, or at all alike.
pub fn fill(
    program: &Program,
    packets: &[Captured],
    ifindex: u32,
    array_entries: u32,
    seed: u64,
) -> Image {
    let mut random = Random(seed);
    let mut image = Image::new();
    let mut prepared = Prepared::new(program);
    for decl in program.maps.values().filter(|decl| is_array(decl)) {
        let entries = image.entry(decl.name.clone()).or_default();
        for index in 0..decl.max_entries.min(array_entries) {
            let value = value(decl, packets, &mut random);
            entries.insert(index.to_le_bytes().to_vec(), value);
        }
    }
    // No lookup asks for the devices that a packet is broadcast to.
    for decl in program.maps.values().filter(|decl| decl.broadcast) {
        let entries = image.entry(decl.name.clone()).or_default();
        for number in (1..=INTERFACES).filter(|number| *number < decl.max_entries) {
            let mut value = number.to_le_bytes().to_vec();
            value.resize(decl.value_bytes as usize, 0);
            entries.insert(number.to_le_bytes().to_vec(), value);
        }
    }
    let mut left_out = BTreeSet::new();
    for _ in 0..ROUNDS {
        let mut maps = Maps::new(&program.maps);
        // An image that cannot be loaded is of no use; the one before it is.
        if maps.load(&image).is_err() {
            break;
        }
        maps.watch_misses();
        for packet in packets {
            let context = Sideband {
                ingress: ifindex,
                time_ns: packet.time_ns,
                ..Sideband::default()
            };
            prepared.run(&mut maps, &packet.data, &context);
        }
        let mut has_grown = false;
        for (map, key) in maps.take_misses() {
            let decl = &program.maps[map];
            let is_full = |image: &Image| {
                let known = image.get(&decl.name).map_or(0, |entries| entries.len());
                known as u32 >= decl.max_entries / 2
            };
            if !can_be_put_in(decl, &key) || is_full(&image) {
                continue;
            }
            if left_out.contains(&(map, key.clone())) || random.below(2) == 0 {
                left_out.insert((map, key));
                continue;
            }
            let value = value(decl, packets, &mut random);
            let entries = image.entry(decl.name.clone()).or_default();
            entries.insert(stored_key(decl, key, &mut random), value);
            has_grown = true;
        }
        if !has_grown {
            break;
        }
    }
    image
}

/// Arrays of the program; the data sections, which libbpf makes arrays of, hold what the object says.
fn is_array(decl: &MapDecl) -> bool {
    decl.is_array() && !decl.name.contains('.')
}

/// Whether there can be an entry under a key that was not found.
pub fn can_be_put_in(decl: &MapDecl, key: &[u8]) -> bool {
    let index = key.try_into().map(u32::from_le_bytes);
    let most = match map_type(decl) {
        // The kernel wants CPUs that it has.
        MapType::CpuMap => available_parallelism().map_or(1, |cpus| cpus.get() as u32),
        _ => decl.max_entries,
    };
    if decl.name == MTU_MAP {
        // Indices of interfaces are positive `int`s.
        return index.is_ok_and(|index| (1..i32::MAX as u32).contains(&index));
    }
    match decl.is_indexed() {
        true => !decl.is_array() && index.is_ok_and(|index| index < most),
        false => true,
    }
}

/// Prefix lengths, in bits, under which entries are put into tries, where the key has that many.
const PREFIXES: [u32; 4] = [128, 24, 16, 8];

/// The key under which an entry is put in, so that a lookup of `key` finds it: itself, one of its prefixes, or fields of which some
/// match everything.
pub fn stored_key(decl: &MapDecl, mut key: Vec<u8>, random: &mut Random) -> Vec<u8> {
    if decl.is_ternary() {
        return decl.entry_key(&key, || random.below(3) == 0);
    }
    let (true, Some((bits, address))) = (decl.is_prefix(), key.split_first_chunk_mut()) else {
        return key;
    };
    let wanted = PREFIXES[random.below(PREFIXES.len() as u32) as usize];
    let prefix = u32::from_le_bytes(*bits).min(wanted);
    *bits = prefix.to_le_bytes();
    for (index, byte) in address.iter_mut().enumerate() {
        let kept = prefix.saturating_sub(index as u32 * 8).min(8);
        *byte &= (0xff00u16 >> kept) as u8;
    }
    key
}

pub fn value(decl: &MapDecl, packets: &[Captured], random: &mut Random) -> Vec<u8> {
    let bytes = decl.value_bytes as usize;
    let mut value = vec![0; bytes];
    if map_type(decl).is_redirect_target() {
        // An interface, or the length of a CPU's queue; no program for what arrives there.
        let number = 1 + random.below(INTERFACES);
        value[..4].copy_from_slice(&number.to_le_bytes());
        return value;
    }
    if decl.name == MTU_MAP {
        // From the smallest that an interface can have, so that packets of all lengths are too long somewhere.
        return (68 + random.below(1500)).to_le_bytes().to_vec();
    }
    match random.below(5) {
        0 => {}
        // Indices, flags and sizes.
        1 | 2 => {
            for word in value.chunks_mut(4) {
                let number = random.below(8).to_le_bytes();
                word.copy_from_slice(&number[..word.len()]);
            }
        }
        // Addresses and ports.
        3 if !packets.is_empty() => {
            let packet = &packets[random.below(packets.len() as u32) as usize].data;
            let start = random.below(48) as usize;
            let seen = packet.iter().skip(start);
            value
                .iter_mut()
                .zip(seen)
                .for_each(|(to, from)| *to = *from);
        }
        _ => value.fill_with(|| random.next() as u8),
    }
    value
}

/// splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// 0 to `bound - 1`.
    pub fn below(&mut self, bound: u32) -> u32 {
        (self.next() >> 32) as u32 % bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks up the packet's first four bytes, then what it found there, and drops what both maps have.
    const PROGRAM: &str = r#"program "chase" control-flow
output "verdict" 32

map @first exact key 4 value 4 entries 1024
map @second exact key 4 value 4 entries 1024
map @settings array key 4 value 8 entries 2

block0:
    v0:64 = const 0x0
    v1:32 = packet.load v0
    v2:32 = const 0x0
    v3:1, v4:32 = map.lookup @first v1
    v5:32 = const 0x2
    branch v3, block1, block2(v5)

block1:
    v6:32 = map.load @first v4, v2
    v7:1, v8:32 = map.lookup @second v6
    v9:32 = const 0x1
    branch v7, block2(v9), block2(v5)

block2(v10:32):
    v9000:1 = const 1
    emit v9000 with v10
"#;

    fn packets() -> Vec<Captured> {
        (0..200u32)
            .map(|number| Captured {
                data: [&number.to_le_bytes()[..], &[0x55; 60]].concat(),
                ..Captured::default()
            })
            .collect()
    }

    #[test]
    fn keys_are_those_that_the_program_asks_for() {
        let program = hardpath_ir::parse::parse(PROGRAM).unwrap();
        let packets = packets();
        let image = fill(&program, &packets, 1, 2, 7);
        assert_eq!(
            image,
            fill(&program, &packets, 1, 2, 7),
            "it can be repeated"
        );
        assert_ne!(image, fill(&program, &packets, 1, 2, 8));
        assert_eq!(image["settings"].len(), 2);
        let found = image["first"].len();
        assert!((60..140).contains(&found), "half of 200 keys: {found}");
        let mut maps = Maps::new(&program.maps);
        maps.load(&image).unwrap();
        let mut prepared = Prepared::new(&program);
        let mut verdicts = BTreeSet::new();
        for packet in &packets {
            let context = Sideband::default();
            verdicts.insert(
                prepared
                    .run(&mut maps, &packet.data, &context)
                    .first_output(),
            );
        }
        assert_eq!(verdicts, BTreeSet::from([1, 2]), "every way is taken");
    }

    #[test]
    fn prefixes_are_cut() {
        let decl = MapDecl::new("routes", hardpath_ir::Find::Prefix, (8, 4), 8);
        let key = [32, 0, 0, 0, 10, 255, 255, 255].to_vec();
        let mut random = Random(1);
        let stored: BTreeSet<Vec<u8>> = (0..50)
            .map(|_| stored_key(&decl, key.clone(), &mut random))
            .collect();
        let expected = [
            [8, 0, 0, 0, 10, 0, 0, 0],
            [16, 0, 0, 0, 10, 255, 0, 0],
            [24, 0, 0, 0, 10, 255, 255, 0],
            [32, 0, 0, 0, 10, 255, 255, 255],
        ];
        assert_eq!(stored, expected.iter().map(|key| key.to_vec()).collect());
    }
}

//! A core whose slots are larger than the maps of its programs, which come and go.

use crate::core::{rows, Core};
use hardpath_core::hardware::processor::fit;
use hardpath_core::hardware::processor::stream::{Before, Load};
use hardpath_core::hardware::processor::Processor;
use hardpath_core::image::{Image, Machine};
use hardpath_core::interpreter::{self, MOST_ROWS};
use hardpath_ir::maps::Maps;
use hardpath_packet::Sideband;
use hardpath_testkit::Random;

/// What a core is built for.
pub fn room(maps: &str) -> Image {
    rows(&format!(
        "core \"room\" lanes 4 registers 16 stack 0\noutput \"verdict\" 3\n{maps}\
         row0:\n    lane0: exit drop to back with 1\n"
    ))
}

const ROOMS: &str = "map @large exact key 12 value 24 entries 60
map @sums array key 4 value 8 entries 50
map @small exact key 4 value 8 entries 16
";

/// A packet's byte 0 is a key of a table; its value goes into byte 16, and is one more for the next one. What comes of a new key goes
/// into byte 17. Its byte 8 is an index of sums. `more`: what is added to.
pub fn counts(entries: u32, sums: u32, more: u8) -> Image {
    rows(&format!(
        "core \"counts\" lanes 4 registers 16 stack 0
output \"verdict\" 3
map @sums array key 4 value 8 entries {sums}
map @seen exact key 4 value 8 entries {entries}
row0:
    lane0: r0.0 = load packet[0] 1
    lane1: r1.0 = load packet[8] 1
row1:
    lane0: p1, r0.1 = lookup @seen r0.0[0+:8]
row2:
    lane0: p2, r0.3 = lookup @sums r1.0[0+:8]
row3:
    lane0: (p2) map.atomic add @sums[r0.3[0+:32]] 8, {more}
    lane1: (!p1) branch row6
row4:
    lane0: r0.4 = map.load @seen[r0.1[0+:32]] 8
row5:
    lane0: r0.2 = add 64 r0.4, {more}
    lane1: store packet[16] 8, r0.4
    lane2: branch row7
row6:
    lane0: r0.4 = update @seen may 3 r0.0[0+:8], 1
    lane1: branch row8
row7:
    lane0: map.store @seen[r0.1[0+:32]] 8, r0.2
    lane1: exit forward to back with 3
row8:
    lane0: store packet[17] 1, r0.4
    lane1: exit forward to back with 3
"
    ))
}

pub fn packets(count: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut random = Random::new(seed);
    (0..count)
        .map(|_| {
            let mut packet = vec![0; 60 + random.below(90) as usize];
            packet[0] = random.below(9) as u8;
            packet[8] = random.below(12) as u8;
            packet
        })
        .collect()
}

/// Packets through a core in which the program runs, and through the interpreter.
pub fn same(core: &mut Core, image: &Image, maps: &mut Maps, packets: &[Vec<u8>]) {
    let mut beside = interpreter::Core::new(image);
    let before = (core.fates.len(), core.out.len());
    let mut expected = Vec::new();
    for packet in packets {
        core.send(packet);
        let ran = beside.run(MOST_ROWS, maps, packet, &Sideband::default());
        let fate = ran.expect("an end").fate;
        expected.extend(fate.copies.into_iter().map(|copy| copy.data));
    }
    core.until_fates(before.0 + packets.len());
    let found: Vec<&[u8]> = core.out[before.1..]
        .iter()
        .map(|out| &out.data[..])
        .collect();
    let expected: Vec<&[u8]> = expected.iter().map(Vec::as_slice).collect();
    assert_eq!(found.len(), expected.len());
    for (number, (found, expected)) in std::iter::zip(&found, &expected).enumerate() {
        assert_eq!(found, expected, "packet {number}");
    }
}

pub fn load(core: &mut Core, image: &Image, before: Before) -> Load {
    let load = Load::new(&core.config, image, before, false).expect("it fits");
    core.load(&load.words);
    // Old packets end, and slots are swept.
    (0..2000).for_each(|_| core.step());
    assert_eq!(core.status(), 8);
    load
}

#[test]
fn maps_are_as_large_as_their_program_says() {
    let mut core = Core::new(&room(ROOMS), 16);
    // The table stands in the small slot, in the large one, and in the large one with shorter keys than before.
    for (entries, sums, slots) in [
        (5, 3, [1, 2]),
        (17, 50, [1, 0]),
        (16, 7, [1, 2]),
        (60, 1, [1, 0]),
    ] {
        let image = counts(entries, sums, 1);
        let load = load(&mut core, &image, Before::Unknown);
        assert_eq!(load.slots, slots);
        let mut maps = Maps::new(&image.maps);
        same(&mut core, &image, &mut maps, &packets(300, entries.into()));
    }
}

#[test]
fn maps_that_are_declared_alike_stay() {
    let mut core = Core::new(&room(ROOMS), 16);
    let [first, second] = [1, 2].map(|more| counts(5, 7, more));
    let mut maps = Maps::new(&first.maps);
    let one = load(&mut core, &first, Before::Unknown);
    same(&mut core, &first, &mut maps, &packets(200, 1));
    let two = load(&mut core, &second, Before::Keeps(&one));
    assert_eq!(two.kept, [true, true]);
    same(&mut core, &second, &mut maps, &packets(200, 2));
    // A table of another size is another one, and the sums stay.
    let third = counts(6, 7, 1);
    let three = load(&mut core, &third, Before::Keeps(&two));
    assert_eq!(three.kept, [true, false]);
    let mut after = Maps::new(&third.maps);
    let sums = maps.image().remove("@sums").or(maps.image().remove("sums"));
    let image = [("sums".to_owned(), sums.expect("it is there"))];
    after.load(&image.into_iter().collect()).expect("they fit");
    same(&mut core, &third, &mut after, &packets(200, 3));
    // All are empty for who does not know what ran.
    load(&mut core, &third, Before::Unknown);
    let mut empty = Maps::new(&third.maps);
    same(&mut core, &third, &mut empty, &packets(200, 4));
}

#[test]
fn what_stays_is_that_of_the_program_that_runs() {
    let mut core = Core::new(&room(ROOMS), 16);
    let [first, second] = [1, 2].map(|more| counts(5, 7, more));
    let one = load(&mut core, &first, Before::Unknown);
    let two = load(&mut core, &second, Before::Keeps(&one));
    let mut maps = Maps::new(&second.maps);
    same(&mut core, &second, &mut maps, &packets(50, 1));
    // The other loader was faster: what this one knows of is gone.
    let late = Load::new(&core.config, &first, Before::Keeps(&one), false).expect("it fits");
    core.load(&late.words);
    assert_eq!(core.status(), 8 | 4);
    same(&mut core, &second, &mut maps, &packets(50, 2));
    load(&mut core, &first, Before::Keeps(&two));
    same(&mut core, &first, &mut maps, &packets(50, 3));
}

#[test]
fn a_program_is_known_however_it_was_loaded() {
    let mut core = Core::new(&room(ROOMS), 16);
    let [first, second] = [1, 2].map(|more| counts(5, 7, more));
    let one = load(&mut core, &first, Before::Unknown);
    load(&mut core, &second, Before::Keeps(&one));
    // Who comes now knows only what runs.
    let two = Load::new(&core.config, &second, Before::Unknown, true).expect("it fits");
    load(&mut core, &first, Before::Keeps(&two));
    let other = counts(5, 7, 3);
    let three = Load::new(&core.config, &other, Before::Keeps(&two), false).expect("it fits");
    core.load(&three.words);
    assert_eq!(core.status(), 8 | 4);
}

#[test]
fn a_program_waits_until_its_maps_hold_what_they_should() {
    let image = counts(5, 7, 1);
    let mut core = Core::new(&room(ROOMS), 16);
    let load = Load::new(&core.config, &image, Before::Unknown, true).expect("it fits");
    core.load(&load.words);
    core.send(&[0; 60]);
    (0..3000).for_each(|_| core.step());
    assert!(core.fates.is_empty());
    assert_eq!(core.read(0x400).0 & 0x1f, 0x18);
    assert_eq!(core.write(0x400, 2), 0);
    core.until_fates(1);
    assert_eq!(core.read(0x400).0 & 0x1f, 8);
}

#[test]
fn what_does_not_fit_is_told_whole() {
    let core = Core::new(&room(ROOMS), 16);
    let image = rows(
        "core \"much\" lanes 4 registers 16 stack 0
output \"verdict\" 4
map @a exact key 16 value 8 entries 3
map @b prefix key 8 value 8 entries 3
map @c array key 4 value 16 entries 51
row0:
    lane0: exit drop to back with 1
",
    );
    let errors = fit::fit(&core.config, &image, &[None, None, None]).expect_err("it does not");
    let told: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
    assert_eq!(told.len(), 4, "{told:#?}");
    for (told, part) in std::iter::zip(
        &told,
        [
            "verdict of 4 bits",
            "slot 1: its value has 8 bytes, and the map's 16",
            "slot 0: its key has 12 bytes, and the map's 16",
            "slot 2: it is of another kind: exact",
        ],
    ) {
        assert!(told.contains(part), "{told}");
    }
}

/// A core is made for one program after the other: slots with indexes become larger where that costs little, others more.
#[test]
fn slots_become_larger_where_that_costs_little() {
    let sizes = |programs: &[&str]| {
        let all: Vec<_> = programs.iter().map(|maps| room(maps)).collect();
        let mut config = Processor::of("core", &Machine::with_lanes(4), 16, &all[0]);
        all.iter().for_each(|image| config.widen(image));
        for image in &all {
            assert_eq!(
                Load::new(&config, image, Before::Unknown, false).map(|_| ()),
                Ok(())
            );
        }
        let slots = config.slots.iter();
        let sizes = slots.map(|slot| (slot.key_bytes, slot.value_bytes, slot.max_entries));
        sizes.collect::<Vec<_>>()
    };
    let array = |name: &str, value: u32, entries: u32| {
        format!("map @{name} array key 4 value {value} entries {entries}\n")
    };
    let (small, long) = (array("a", 16, 1), array("b", 8, 200));
    assert_eq!(sizes(&[&small, &long]), [(4, 16, 200)]);
    assert_eq!(sizes(&[&long, &small]), [(4, 16, 200)]);
    // One that has both needs two.
    let both = [small.as_str(), &long].concat();
    assert_eq!(sizes(&[&both]).len(), 2);
    // Too much of it would be for nobody.
    let wide = array("c", 256, 2);
    let many = array("d", 8, 4096);
    assert_eq!(sizes(&[&wide, &many]).len(), 2);
    let keys = "map @e exact key 4 value 8 entries 16\n";
    let others = "map @f exact key 8 value 4 entries 16\n";
    assert_eq!(sizes(&[keys, others]).len(), 2);
}

/// What an operation has left in a key's upper words does not count where keys are shorter: a packet that has looked a key up is told of
/// a change of it, whatever either had there before.
#[test]
fn what_stands_above_a_short_key_does_not_count() {
    let image = rows(
        "core \"toggles\" lanes 4 registers 16 stack 0
output \"verdict\" 3
map @long exact key 24 value 8 entries 16
map @short exact key 8 value 8 entries 16
row0:
    lane0: r0.0 = load packet[0] 1
    lane1: r1.0 = load packet[16] 8
row1:
    lane0: put key[2], r1.0
row2:
    lane0: p1, r0.1 = lookup @long r1.0, r1.0
row3:
    lane0: p2, r0.1 = lookup @short r0.0
row4:
    lane0: (p2) branch row7
row5:
    lane0: r0.2 = update @short may 3 r0.0, 1
    lane1: store packet[1] 1, 1
row6:
    lane0: exit forward to back with 3
row7:
    lane0: r0.2 = delete @short r0.0
    lane1: store packet[1] 1, 2
row8:
    lane0: exit forward to back with 3
",
    );
    let slots = "map @a exact key 24 value 8 entries 16\nmap @b exact key 24 value 8 entries 16\n";
    let mut core = Core::new(&room(slots), 16);
    load(&mut core, &image, Before::Unknown);
    let mut random = Random::new(1);
    let mut all = packets(300, 5);
    for packet in &mut all {
        packet[16..24].copy_from_slice(&random.next().to_le_bytes());
        packet[0] %= 2;
    }
    same(&mut core, &image, &mut Maps::new(&image.maps), &all);
}

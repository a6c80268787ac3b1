//! Programs that take each other's place under traffic: packets of both are inside, and each is run by one of them.

use crate::core::{rows, Core};
use crate::slots::{counts, load, packets, room};
use hardpath_core::hardware::processor::stream::{Before, Load};
use hardpath_core::hardware::processor::Processor;
use hardpath_core::image::{Image, Machine};
use hardpath_core::interpreter::{self, MOST_ROWS};
use hardpath_ir::maps::Maps;
use hardpath_packet::Sideband;

const LOAD_CLOCKS: u64 = 0x404;
const LOAD_BEFORE: u64 = 0x408;
/// Bits of LOAD: the last load was refused, a program runs, packets of the one before are inside.
const WRONG: u64 = 4;
const RUNS: u64 = 8;
const OLD: u64 = 32;
/// Clocks in which a program runs when nothing is to be cleared for it.
const AT_ONCE: std::ops::RangeInclusive<u64> = 1..=200;
/// Clocks that the sweep of a table of 65,536 entries takes.
const SWEEP: std::ops::Range<u64> = 100_000..300_000;

const SMALL: &str = "map @large exact key 8 value 8 entries 64
map @other array key 4 value 8 entries 64
";

const TABLE: &str = "map @large exact key 8 value 8 entries 65536
map @other array key 4 value 8 entries 64
";

/// Writes a mark with its first row and with its last one, and reads it back from its stack in between, beside what stands in its tail.
/// `limits`: what it asks of packets.
fn marks(mark: u8, limits: &str) -> Image {
    let wait = "    lane0: r0.0 = add 64 r0.0, 1\n";
    let waits: String = (4..24).map(|row| format!("row{row}:\n{wait}")).collect();
    // Where the stack would be if there were no headroom.
    let near = 8 * mark;
    let stack = 64 - near;
    rows(&format!(
        "core \"marks\" lanes 4 registers 16 stack 64\n{limits}output \"verdict\" 3\n\
         row0:\n    lane0: store packet[0] 1, {mark}\n    lane1: store stack[{stack}] 1, {mark}\n\
         row1:\n    lane0: r0.0 = sub 64 r0.0, r0.0\n\
         row2:\n    lane0: store packet[-{near}] 1, 0x77\n\
         row3:\n    lane0: store packet[200] 1, {mark}\n{waits}\
         row24:\n    lane0: r0.2 = load packet[200] 1\n\
         row25:\n    lane0: r0.1 = load stack[{stack}] 1\n\
         row26:\n    lane0: store packet[1] 1, r0.1\n    lane1: store packet[2] 1, r0.2\n\
         row27:\n    lane0: exit forward to back with 3\n"
    ))
}

/// Offers packets in each clock, as many as asked for, while a core is stepped by `during`; gives what it gave.
fn under_traffic(core: &mut Core, count: usize, during: &mut dyn FnMut(&mut Core)) -> u64 {
    for number in 0..count {
        let mut packet = vec![0; 60];
        packet[4..8].copy_from_slice(&(number as u32).to_le_bytes());
        core.send(&packet);
    }
    (0..700).for_each(|_| core.step());
    during(core);
    core.read(LOAD_CLOCKS).0
}

/// All came out, in their order, the first ones run by the first program and all others by the second. `tails`: they have one.
fn each_by_one(core: &Core, count: usize, before: usize, tails: [bool; 2]) {
    assert_eq!((core.out.len(), core.fates.len()), (count, count));
    for (number, out) in core.out.iter().enumerate() {
        let second = number >= before;
        let mark = 1 + u8::from(second);
        let of_tail = mark * u8::from(tails[usize::from(second)]);
        let data = &out.data;
        assert_eq!(
            data[..3],
            [mark, mark, of_tail],
            "packet {number} of {before}"
        );
        assert_eq!(data[4..8], (number as u32).to_le_bytes());
    }
}

#[test]
fn a_program_runs_at_once_and_old_packets_go_on_with_theirs() {
    // Of other headrooms, stacks, tails and lengths.
    let all = [
        "",
        "limits headroom 256\n",
        "limits headroom 64 tail 300\n",
        "limits shortest 20 longest 400\n",
    ];
    for (first, second) in [(0, 0), (0, 1), (1, 2), (2, 3), (3, 1)] {
        let mut core = Core::with(&marks(1, all[first]), 16);
        let words = crate::core::words(&core.config, &marks(2, all[second]));
        let clocks = under_traffic(&mut core, 600, &mut |core| {
            core.load(&words);
            (0..20).for_each(|_| core.step());
        });
        assert!(AT_ONCE.contains(&clocks), "{clocks} clocks");
        assert_eq!(core.read(0x400).0 & 0x3f, RUNS | OLD);
        let seen = core.fates.len();
        core.until_fates(600);
        assert_eq!(core.read(0x400).0 & 0x3f, RUNS);
        let before = core.read(LOAD_BEFORE).0 as usize;
        assert!(before > seen && before < 550, "{seen} to {before}");
        let tails = [first, second].map(|which| which == 2);
        each_by_one(&core, 600, before, tails);
    }
}

#[test]
fn packets_of_other_lengths_are_judged_by_their_program() {
    let short = marks(1, "limits longest 100\n");
    let long = marks(2, "limits shortest 90 longest 200\n");
    let mut core = Core::with(&short, 16);
    let words = crate::core::words(&core.config, &long);
    let lengths = (0..500).map(|number| 60 + 7 * (number % 23));
    let lengths: Vec<usize> = lengths.collect();
    for length in &lengths {
        core.send(&vec![0; *length]);
    }
    (0..300).for_each(|_| core.step());
    core.load(&words);
    (0..30_000).for_each(|_| core.step());
    let before = core.read(LOAD_BEFORE).0 as usize;
    let found: Vec<(u8, usize)> = core
        .out
        .iter()
        .map(|out| (out.data[1], out.data.len()))
        .collect();
    // The packet at which the programs change is the first one that the second takes, or one that neither does.
    let taken = |range: std::ops::Range<usize>, mark: u8, fits: std::ops::RangeInclusive<usize>| {
        let lengths = lengths[range].iter();
        let lengths = lengths.filter(|length| fits.contains(*length));
        lengths.map(|length| (mark, *length)).collect::<Vec<_>>()
    };
    let agrees = (0..lengths.len()).any(|at| {
        let old = taken(0..at, 1, 14..=100);
        let new = taken(at..lengths.len(), 2, 90..=200);
        old.len() == before && [old, new].concat() == found
    });
    assert!(agrees && before > 20, "{before}: {found:?}");
}

#[test]
fn the_first_beat_of_a_packet_says_which_program_it_is_for() {
    let short = marks(1, "limits longest 100\n");
    let long = marks(2, "limits shortest 90 longest 200\n");
    // What the first takes and the second does not, and the other way around.
    for (length, before) in [(80, 1), (150, 0)] {
        let mut core = Core::with(&short, 16);
        let words = crate::core::words(&core.config, &long);
        core.send_some(&vec![0; length], 0..1);
        (0..20).for_each(|_| core.step());
        core.load(&words);
        (0..20).for_each(|_| core.step());
        assert_eq!(core.read(0x400).0 & 0x3f, RUNS | OLD);
        core.send_some(&vec![0; length], 1..length.div_ceil(64));
        core.send(&[0; 150]);
        core.until_fates(before + 1);
        assert_eq!(core.read(LOAD_BEFORE).0, before as u64);
        let marks: Vec<u8> = core.out.iter().map(|out| out.data[1]).collect();
        assert_eq!(marks, [1, 2][1 - before..]);
    }
}

/// A loop of as many rounds as bytes 0 and 1 of a packet say, each two rows.
fn long() -> Image {
    rows(
        "core \"long\" lanes 4 registers 16 stack 0
output \"verdict\" 3
row0:
    lane0: r0.0 = load packet[0] 2
row1:
    lane0: r0.0 = sub 64 r0.0, 1
row2:
    lane0: branch row1 if ne r0.0, 0
row3:
    lane0: exit drop to back with 1
",
    )
}

/// A packet for it.
fn rounds(rounds: u16) -> Vec<u8> {
    let mut packet = vec![0; 60];
    packet[..2].copy_from_slice(&rounds.to_le_bytes());
    packet
}

fn with_table() -> Core {
    let mut core = Core::of(Processor {
        most_rows: 1 << 24,
        ..Processor::of("core", &Machine::with_lanes(4), 16, &room(TABLE))
    });
    (0..SWEEP.end).for_each(|_| core.step());
    core
}

#[test]
fn a_packet_that_takes_ten_thousand_rows_goes_on_beside_the_next_program() {
    let mut core = with_table();
    let first = load(&mut core, &long(), Before::Unknown);
    let image = counts(60_000, 60, 1);
    let second = Load::new(&core.config, &image, Before::Keeps(&first), false).expect("it fits");
    core.send(&rounds(5000));
    for _ in 0..5 {
        core.send(&rounds(1));
    }
    (0..200).for_each(|_| core.step());
    core.load(&second.words);
    (0..20).for_each(|_| core.step());
    let behind = packets(60, 7);
    behind.iter().for_each(|packet| core.send(packet));
    (0..2000).for_each(|_| core.step());
    assert_eq!(core.read(0x400).0 & 0x3f, RUNS | OLD);
    let clocks = core.read(LOAD_CLOCKS).0;
    assert!(AT_ONCE.contains(&clocks), "{clocks} clocks");
    assert!(core.fates.is_empty());
    // The bank in which it loops takes no other program, and those two go on.
    let third = Load::new(&core.config, &long(), Before::Unknown, false).expect("it fits");
    core.load(&third.words);
    assert_eq!(core.read(0x400).0 & 0x3f, WRONG | RUNS | OLD);
    core.until_fates(6 + behind.len());
    assert_eq!(core.read(LOAD_BEFORE).0, 6);
    assert!(core.fates[..6].iter().all(|fate| *fate == 1));
    let expected = run(&image, &mut Maps::new(&image.maps), &behind);
    let found: Vec<Vec<u8>> = core.out.iter().map(|out| out.data.clone()).collect();
    assert_eq!(found, expected);
    // When it has left, the bank takes the next one.
    core.load(&third.words);
    (0..20).for_each(|_| core.step());
    core.send(&rounds(1));
    core.until_fates(7 + behind.len());
    assert_eq!(core.fates.last(), Some(&1));
    assert_eq!(core.read(0x400).0 & 0x3f, RUNS);
}

/// What packets become in the interpreter, with these maps.
fn run(image: &Image, maps: &mut Maps, packets: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut beside = interpreter::Core::new(image);
    let all = packets.iter().flat_map(|packet| {
        let ran = beside.run(MOST_ROWS, maps, packet, &Sideband::default());
        let copies = ran.expect("an end").fate.copies;
        copies.into_iter().map(|copy| copy.data).collect::<Vec<_>>()
    });
    all.collect()
}

/// A program takes the place of another in the middle of packets; all are as if they had been run one by one, with the maps that stay.
fn changes(core: &mut Core, [first, second]: [&Image; 2], keeps: bool, seed: u64) -> u64 {
    let one = load(core, first, Before::Unknown);
    let before = match keeps {
        true => Before::Keeps(&one),
        false => Before::Unknown,
    };
    let two = Load::new(&core.config, second, before, false).expect("it fits");
    let mut all = packets(700, seed);
    // New keys all the time.
    let numbers = all.iter_mut().enumerate();
    numbers.for_each(|(number, packet)| packet[0] += (number / 20) as u8);
    let (sent, start) = (core.out.len(), core.read(LOAD_BEFORE).0 as usize);
    let fates = core.fates.len();
    // Odd seeds: packets find threads that are free, until the second program runs.
    let alone = if seed % 2 == 1 { 60 } else { 0 };
    for packet in &all[..alone] {
        core.send(packet);
        (0..40).for_each(|_| core.step());
    }
    if alone == 0 {
        all.iter().for_each(|packet| core.send(packet));
        (0..400).for_each(|_| core.step());
    }
    core.load(&two.words);
    if alone > 0 {
        (0..8).for_each(|_| core.step());
        all[alone..].iter().for_each(|packet| core.send(packet));
    }
    if !keeps {
        (0..SWEEP.end).for_each(|_| core.step());
    }
    core.until_fates(fates + all.len());
    assert_eq!(core.read(0x400).0 & 0x3f, RUNS);
    let before = core.read(LOAD_BEFORE).0 as usize - start;
    assert!((20..650).contains(&before), "{before} before");
    let mut maps = Maps::new(&first.maps);
    let mut expected = run(first, &mut maps, &all[..before]);
    let mut after = Maps::new(&second.maps);
    let kept = second
        .maps
        .values()
        .filter(|map| two_keeps(&two, second, map));
    let kept: Vec<String> = kept.map(|map| map.name.clone()).collect();
    let image = maps.image().into_iter();
    let image = image.filter(|(name, _)| kept.contains(name));
    after.load(&image.collect()).expect("they fit");
    expected.extend(run(second, &mut after, &all[before..]));
    let found: Vec<&[u8]> = core.out[sent..].iter().map(|out| &out.data[..]).collect();
    assert_eq!(found.len(), expected.len());
    for (number, (found, expected)) in std::iter::zip(&found, &expected).enumerate() {
        assert_eq!(found, expected, "packet {number}, {before} before");
    }
    core.read(LOAD_CLOCKS).0
}

fn two_keeps(load: &Load, image: &Image, map: &hardpath_ir::MapDecl) -> bool {
    let at = image.maps.values().position(|one| one == map);
    at.is_some_and(|at| load.kept[at])
}

#[test]
fn maps_stay_while_packets_of_both_programs_change_them() {
    let mut core = with_table();
    let images = [1, 2].map(|more| counts(60_000, 60, more));
    let clocks = changes(&mut core, [&images[0], &images[1]], true, 1);
    assert!(AT_ONCE.contains(&clocks), "{clocks} clocks");
}

#[test]
fn the_entrance_closes_for_a_map_in_use_that_becomes_empty() {
    let mut core = with_table();
    let images = [1, 2].map(|more| counts(60_000, 60, more));
    let clocks = changes(&mut core, [&images[0], &images[1]], false, 2);
    assert!(SWEEP.contains(&clocks), "{clocks} clocks");
}

#[test]
fn maps_of_the_next_program_stand_in_slots_that_are_free() {
    let image = |name: &str| {
        rows(&format!(
            "core \"one\" lanes 4 registers 16 stack 0\noutput \"verdict\" 3\n\
             map @{name} exact key 8 value 8 entries 16\n\
             row0:\n    lane0: p1 = lookup @{name} 7\n\
             row1:\n    lane0: exit forward to back with 3\n"
        ))
    };
    let three = "map @a exact key 8 value 8 entries 16\nmap @b exact key 8 value 8 entries 64\n";
    let mut core = Core::new(&room(three), 16);
    let mut before = load(&mut core, &image("x"), Before::Unknown);
    for (name, slot) in [("y", 1), ("z", 0), ("z", 0), ("y", 1)] {
        let next = Load::new(&core.config, &image(name), Before::Keeps(&before), false);
        let next = next.expect("it fits");
        assert_eq!(next.slots, [slot], "{name}");
        let clocks = under_traffic(&mut core, 300, &mut |core| {
            core.load(&next.words);
            (0..20).for_each(|_| core.step());
        });
        assert!(AT_ONCE.contains(&clocks), "{clocks} clocks");
        core.until_fates(core.fates.len() + 1);
        (0..20_000).for_each(|_| core.step());
        before = next;
    }
}

#[test]
fn slots_that_no_packet_uses_any_more_are_swept() {
    let mut core = with_table();
    let first = load(&mut core, &counts(60_000, 60, 1), Before::Unknown);
    packets(50, 3).iter().for_each(|packet| core.send(packet));
    core.until_fates(50);
    let second = Load::new(&core.config, &long(), Before::Keeps(&first), false).expect("it fits");
    core.load(&second.words);
    (0..SWEEP.end).for_each(|_| core.step());
    assert_eq!(core.read(0x400).0 & 0x3f, RUNS);
    let image = counts(60_000, 60, 1);
    let third = Load::new(&core.config, &image, Before::Keeps(&second), false).expect("it fits");
    core.load(&third.words);
    (0..20).for_each(|_| core.step());
    let all = packets(50, 3);
    all.iter().for_each(|packet| core.send(packet));
    core.until_fates(100);
    let clocks = core.read(LOAD_CLOCKS).0;
    assert!(AT_ONCE.contains(&clocks), "{clocks} clocks");
    let expected = run(&image, &mut Maps::new(&image.maps), &all);
    let found: Vec<Vec<u8>> = core.out[50..].iter().map(|out| out.data.clone()).collect();
    assert_eq!(found, expected);
}

/// Sums of bytes 8, which only come to them, and packets that say what they are; and packets that look at both maps alone.
fn adds(rows_of: &str) -> Image {
    rows(&format!(
        "core \"adds\" lanes 4 registers 16 stack 0
output \"verdict\" 3
map @sums array key 4 value 8 entries 12
map @seen exact key 4 value 8 entries 40
row0:
    lane0: r0.0 = load packet[8] 1
    lane1: r1.0 = load packet[0] 1
row1:
    lane0: p1, r0.1 = lookup @sums r0.0[0+:8]
row2:
    lane1: p2, r1.1 = lookup @seen r1.0[0+:8]
{rows_of}"
    ))
}

/// What it adds is done when the packet leaves, long behind the operation.
fn late(rows: usize) -> String {
    let wait = |row: usize| format!("row{}:\n    lane0: r0.3 = add 64 r0.3, 1\n", row + 4);
    let waits: String = (0..rows).map(wait).collect();
    format!(
        "row3:\n    lane0: (p1) map.atomic add @sums[r0.1[0+:32]] 8, 3\n{waits}\
         row{}:\n    lane0: exit forward to back with 3\n",
        rows + 4
    )
}

const READS: &str = "row3:
    lane0: (p1) r0.2 = map.load @sums[r0.1[0+:32]] 8
row4:
    lane1: (p2) r1.2 = map.load @seen[r1.1[0+:32]] 8
row5:
    lane0: (p1) store packet[16] 8, r0.2
    lane1: (p2) store packet[24] 8, r1.2
row6:
    lane0: exit forward to back with 3
";

/// Writes nothing, so it need not be the oldest to be over: whether it leaves is what it has read.
const CHOOSES: &str = "row3:
    lane0: (p1) r0.2 = map.load @sums[r0.1[0+:32]] 8
row4:
    lane0: branch row6 if eq r0.2[0+:1], 0
row5:
    lane0: exit drop to back with 1
row6:
    lane0: exit forward to back with 3
";

#[test]
fn old_packets_are_as_fast_as_before() {
    let [first, second] = [20, 21].map(|rows| adds(&late(rows)));
    let mut core = Core::new(&room(SMALL), 16);
    let one = load(&mut core, &first, Before::Unknown);
    let two = Load::new(&core.config, &second, Before::Keeps(&one), false).expect("it fits");
    packets(400, 1).iter().for_each(|packet| core.send(packet));
    (0..1000).for_each(|_| core.step());
    core.load(&two.words);
    (0..20).for_each(|_| core.step());
    assert_eq!(core.read(0x400).0 & 0x3f, RUNS | OLD);
    // Up to 16 in threads, and behind them as many descriptors, and lines: one packet behind the other would take 400 clocks each.
    let begins = core.clocks;
    while core.read(0x400).0 & OLD != 0 {
        core.step();
    }
    let clocks = core.clocks - begins;
    assert!(clocks < 4000, "{clocks} clocks");
}

const NEITHER: &str = "core \"neither\" lanes 4 registers 16 stack 0
output \"verdict\" 3
row0:
    lane0: exit forward to back with 3
";

const BOTH: &str = "row3:
    lane0: (p1) r0.2 = map.load @sums[r0.1[0+:32]] 8
row4:
    lane0: (p1) map.atomic add @sums[r0.1[0+:32]] 8, 3
row5:
    lane0: (p1) store packet[16] 8, r0.2
row6:
    lane0: exit forward to back with 3
";

#[test]
fn what_old_packets_change_is_there_for_new_ones_that_only_read() {
    let (both, reads) = (adds(BOTH), adds(READS));
    let (adds, counts) = (adds(&late(20)), counts(40, 12, 1));
    let neither = rows(NEITHER);
    for seed in 0..4 {
        for images in [
            [&adds, &reads],
            [&counts, &reads],
            [&reads, &adds],
            [&adds, &counts],
            [&counts, &adds],
            [&reads, &counts],
            [&counts, &neither],
            [&both, &neither],
            [&neither, &counts],
        ] {
            let mut core = Core::new(&room(SMALL), 16);
            let clocks = changes(&mut core, images, true, seed);
            assert!(AT_ONCE.contains(&clocks), "{clocks} clocks");
        }
    }
}

#[test]
fn what_the_last_old_packet_adds_when_it_leaves_is_there_for_the_one_behind_it() {
    // One of twelve has the same sum as the packet in front.
    let images = [adds(&late(20)), adds(CHOOSES)];
    for seed in 0..30 {
        let mut core = Core::new(&room(SMALL), 16);
        changes(&mut core, [&images[0], &images[1]], true, 2 * seed);
    }
}

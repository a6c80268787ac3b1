//! Small programs that packets could get into each other's way in.

use crate::core::{rows, Core};
use hardpath_core::image::Image;
use hardpath_core::interpreter::{self, MOST_ROWS};
use hardpath_ir::maps::Maps;
use hardpath_packet::Sideband;
use hardpath_testkit::Random;

/// Packets through a core and through the interpreter: the same bytes, in the same order.
fn same(image: &Image, threads: u8, packets: &[Vec<u8>]) -> u64 {
    let mut core = Core::with(image, threads);
    let mut maps = Maps::new(&image.maps);
    let mut beside = interpreter::Core::new(image);
    let mut expected = Vec::new();
    for packet in packets {
        core.send(packet);
        let ran = beside.run(MOST_ROWS, &mut maps, packet, &Sideband::default());
        let fate = ran.expect("an end").fate;
        expected.extend(fate.copies.into_iter().map(|copy| copy.data));
    }
    let clocks = core.until_fates(packets.len());
    let found: Vec<&[u8]> = core.out.iter().map(|out| out.data.as_slice()).collect();
    let expected: Vec<&[u8]> = expected.iter().map(Vec::as_slice).collect();
    for (number, (found, expected)) in std::iter::zip(&found, &expected).enumerate() {
        assert_eq!(found, expected, "packet {number}");
    }
    assert_eq!(found.len(), expected.len());
    clocks
}

pub fn packets(count: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut random = Random::new(seed);
    (0..count)
        .map(|_| {
            let mut packet = vec![0; 60 + random.below(90) as usize];
            packet[0] = random.below(3) as u8;
            packet[8] = random.below(4) as u8;
            packet
        })
        .collect()
}

/// A packet's byte 0 is a key; its value goes into byte 16, and is one more for the next one.
pub const COUNTS: &str = "core \"counts\" lanes 4 registers 16 stack 0
output \"verdict\" 3
map @seen exact key 4 value 8 entries 16
row0:
    lane0: r0.0 = load packet[0] 4
row1:
    lane0: p1, r0.1 = lookup @seen r0.0[0+:32]
row2:
    lane0: (!p1) branch row5
    lane1: r1.0 = map.load @seen[r0.1[0+:32]] 8
row3:
    lane0: r0.2 = add 64 r1.0, 1
    lane1: store packet[16] 8, r1.0
row4:
    lane0: map.store @seen[r0.1[0+:32]] 8, r0.2
    lane1: exit forward to back with 3
row5:
    lane0: update @seen may 3 r0.0[0+:32], 1
    lane1: exit forward to back with 3
";

#[test]
fn who_has_read_too_early_begins_again() {
    let image = rows(COUNTS);
    for threads in [1, 2, 16, 32] {
        same(&image, threads, &packets(300, threads.into()));
    }
}

#[test]
fn many_threads_are_no_slower_than_one() {
    let image = rows(COUNTS);
    let all = packets(200, 5);
    let [alone, many] = [1, 32].map(|threads| same(&image, threads, &all));
    assert!(many <= alone, "{many} clocks, and {alone} with one thread");
}

/// Sums whose result nobody reads, more than a packet keeps, and a map that is only read.
pub const ADDS: &str = "core \"adds\" lanes 4 registers 16 stack 0
output \"verdict\" 3
map @sums array key 4 value 8 entries 4
row0:
    lane0: r0.0 = load packet[8] 1
    lane1: map.atomic add @sums[0] 8, 1
row1:
    lane0: map.atomic add @sums[r0.0[0+:8]] 8, 3
row2:
    lane0: map.atomic add @sums[1] 8, 5
row3:
    lane0: map.atomic add @sums[2] 8, 7
row4:
    lane0: map.atomic add @sums[3] 8, 9
row5:
    lane0: map.atomic add @sums[r0.0[0+:8]] 8, 11
    lane1: exit drop to back with 1
";

#[test]
fn sums_are_complete() {
    let image = rows(ADDS);
    let all = packets(100, 9);
    let mut core = Core::with(&image, 16);
    let mut maps = Maps::new(&image.maps);
    let mut beside = interpreter::Core::new(&image);
    for packet in &all {
        core.send(packet);
        let ran = beside.run(MOST_ROWS, &mut maps, packet, &Sideband::default());
        ran.expect("an end");
    }
    core.until_fates(all.len());
    let id = image.maps.keys().next().expect("a map");
    for key in 0..4_u32 {
        core.write(0x200, 0);
        core.write(0x1000, key.into());
        core.write(0x204, 1);
        (0..200).for_each(|_| core.step());
        let value = maps.value(id, key).expect("an entry");
        let sum = u64::from_le_bytes(value.try_into().expect("8 bytes"));
        assert_eq!(core.read(0x2000).0, sum, "sum {key}");
    }
}

/// Divides, sums and copies bytes, in front of and behind stores.
pub const SLOW: &str = "core \"slow\" lanes 4 registers 16 stack 64
output \"verdict\" 3
row0:
    lane0: r0.0 = load packet[0] 8
    lane1: r1.0 = load packet[8] 1
    lane2: store stack[0] 8, 0x11223344
row1:
    lane0: r0.1 = urem 32 r0.0[0+:32], r1.0[0+:8]
    lane1: put value[0], 11
row2:
    lane0: copy packet stack up-to 64 20, 3
row3:
    lane0: r0.2 = checksum packet up-to 64 r1.0[0+:8], 41
row4:
    lane0: store packet[1] 2, r0.2[0+:16]
    lane1: store packet[40] 4, r0.1[0+:32]
    lane2: exit forward to back with 3
";

#[test]
fn what_takes_long_is_done_in_its_place() {
    let image = rows(SLOW);
    let mut all = packets(60, 3);
    let mut random = Random::new(4);
    for packet in &mut all {
        packet
            .iter_mut()
            .skip(9)
            .for_each(|byte| *byte = random.byte());
    }
    for threads in [2, 16] {
        same(&image, threads, &all);
    }
}

/// Goes round for ever when byte 0 is 1.
pub const ROUND: &str = "core \"round\" lanes 1 registers 16 stack 0
output \"verdict\" 3
row0:
    lane0: r0.0 = load packet[0] 1
row1:
    lane0: branch row1 if eq r0.0[0+:8], 1
row2:
    lane0: exit forward to back with 3
";

#[test]
fn the_watchdog_ends_a_program() {
    let image = rows(ROUND);
    let mut core = Core::with(&image, 4);
    for first in [0, 1, 2, 1, 1, 0] {
        core.send(&[first; 60]);
    }
    core.until_fates(6);
    // 3 bits of verdict, and above them that it came out.
    assert_eq!(core.fates, [0b1011, 0, 0b1011, 0, 0, 0b1011]);
}

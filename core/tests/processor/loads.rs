//! Programs that are loaded: while packets run, and such as are not right.

use crate::core::{rows, words as words_of, Core, REFUSED};
use hardpath_core::hardware::processor::Processor;
use hardpath_core::image::{Image, Machine};

/// Marks packets in two rows, so that one that is run by half of each program shows it.
fn marks(with: u8) -> Image {
    rows(&format!(
        "core \"marks\" lanes 4 registers 16 stack 0\noutput \"verdict\" 3\n\
         row0:\n    lane0: store packet[0] 1, {with}\n\
         row1:\n    lane0: store packet[1] 1, {with}\n    lane1: exit forward to back with 3\n"
    ))
}

fn words(core: &Core, image: &Image) -> Vec<u32> {
    words_of(&core.config, image)
}

#[test]
fn a_program_takes_the_place_of_another_between_two_packets() {
    let mut core = Core::with(&marks(1), 16);
    let second = words(&core, &marks(2));
    for _ in 0..400 {
        core.send(&[0; 60]);
    }
    (0..300).for_each(|_| core.step());
    core.load(&second);
    core.until_fates(400);
    assert_eq!((core.out.len(), core.fates.len()), (400, 400));
    let marked: Vec<[u8; 2]> = core
        .out
        .iter()
        .map(|out| [out.data[0], out.data[1]])
        .collect();
    let first = marked.iter().take_while(|marks| **marks == [1, 1]).count();
    assert!(
        marked[first..].iter().all(|marks| *marks == [2, 2]),
        "{marked:?}"
    );
    assert!(
        (10..390).contains(&first),
        "{first} packets by the first program"
    );
    assert_eq!(core.status(), 8);
}

#[test]
fn nothing_comes_in_before_the_first_program() {
    let image = marks(1);
    let mut core = Core::new(&image, 16);
    core.send(&[0; 60]);
    (0..500).for_each(|_| core.step());
    assert!(core.fates.is_empty());
    assert_eq!(core.status(), 0);
    let all = words(&core, &image);
    core.load(&all);
    core.until_fates(1);
    assert_eq!(core.out[0].data[..2], [1, 1]);
}

#[test]
fn what_is_not_right_changes_nothing() {
    let mut core = Core::with(&marks(1), 16);
    let good = words(&core, &marks(2));
    let mut packets = 0;
    let mut still_the_first = |core: &mut Core| {
        core.send(&[0; 60]);
        packets += 1;
        core.until_fates(packets);
        assert_eq!(core.out[packets - 1].data[..2], [1, 1]);
    };
    // A bit of any word is another one: of the head, of a row, of the checksum.
    for number in 0..good.len() {
        let mut bad = good.clone();
        bad[number] ^= 1 << (number % 32);
        core.load(&bad);
        let status = core.status();
        // Where the number of rows or of words is larger, the load waits for more.
        assert!(
            status == 8 | 4 || status == 8 | 1,
            "word {number}: {status:#x}"
        );
        if number % 5 == 0 {
            still_the_first(&mut core);
        }
    }
    // Broken off, and begun again.
    core.load(&good[..good.len() / 2]);
    assert_eq!(core.status(), 8 | 1);
    still_the_first(&mut core);
    // For another core.
    let mut other = core.config.clone();
    other.machine.registers *= 2;
    let foreign = words_of(&other, &marks(2));
    core.load(&foreign);
    assert_eq!(core.status(), 8 | 4);
    still_the_first(&mut core);
    core.load(&good);
    assert_eq!(core.status(), 8);
    core.send(&[0; 60]);
    core.until_fates(packets + 1);
    assert_eq!(core.out[packets].data[..2], [2, 2]);
}

#[test]
fn a_load_has_at_least_a_row_and_no_more_than_a_bank() {
    let mut core = Core::with(&marks(1), 16);
    let good = words(&core, &marks(2));
    let rows = core.config.machine.rows;
    for count in [0, rows + 1, rows + 2, 2 * rows + 2, 4 * rows + 2, u32::MAX] {
        let mut bad = good.clone();
        bad[1] = count;
        // With its own checksum, so that nothing else is wrong.
        bad.pop();
        let bytes: Vec<u8> = bad.iter().flat_map(|word| word.to_le_bytes()).collect();
        bad.push(crc32fast::hash(&bytes));
        core.load(&bad);
        assert_eq!(core.status(), 8 | 4, "{count} rows");
    }
    core.load(&good);
    assert_eq!(core.status(), 8);
}

#[test]
fn the_window_is_only_written() {
    let mut core = Core::with(&marks(1), 2);
    assert_eq!(core.read(0x800).1, REFUSED);
    core.bench.set("s_axil_wstrb", 15);
    assert_eq!(core.read(0x0).0, 0x4850_5448);
    // A word of which parts are written is none of a load.
    for (port, value) in [
        ("s_axil_awaddr", 0x400),
        ("s_axil_wstrb", 7),
        ("s_axil_awvalid", 1),
        ("s_axil_wvalid", 1),
    ] {
        core.bench.set(port, value);
    }
    core.step();
    core.bench.set("s_axil_awvalid", 0);
    core.bench.set("s_axil_wvalid", 0);
    core.step();
    assert_eq!(core.bench.get("s_axil_bvalid"), 1);
    assert_eq!(core.bench.get("s_axil_bresp"), REFUSED);
    assert_eq!(core.status(), 8);
}

/// 40 µs at 250 MHz.
const MOST_CLOCKS: u64 = 10_000;

/// Rows of two and three operations by turns, as programs have them: an addition with a number, a load, a comparison of a field.
fn many(rows_of: usize) -> Image {
    let row = |row: usize| {
        let next = row + 1;
        let number = 1000 + row;
        let third = match row % 2 {
            0 => format!("    lane2: branch row{next} if eq r0.1[16+:8], 6\n"),
            _ => String::new(),
        };
        format!(
            "row{row}:\n    lane0: r0.{} = add 32 r0.1[0+:32], {number}\n    lane1: r1.0 = load packet[12] 2\n{third}",
            2 + row % 8
        )
    };
    let all: String = (1..rows_of - 1).map(row).collect();
    rows(&format!(
        "core \"many\" lanes 4 registers 16 stack 0\noutput \"verdict\" 3\nrow0:\n    lane0: r0.1 = load packet[0] 4\n{all}\
         row{}:\n    lane0: exit forward to back with 3\n",
        rows_of - 1
    ))
}

#[test]
fn a_thousand_rows_are_loaded_in_forty_microseconds() {
    let first = marks(1);
    let mut core = Core::of(Processor {
        most_rows: 1 << 16,
        ..Processor::of("core", &Machine::with_lanes(4), 16, &first)
    });
    core.load(&words_of(&core.config, &first));
    let second = many(1000);
    let operations: usize = second.rows.iter().map(|row| row.operations().count()).sum();
    assert!(operations >= 2490, "{operations}");
    let all = words(&core, &second);
    for _ in 0..20 {
        core.send(&[0; 60]);
    }
    (0..30).for_each(|_| core.step());
    let begins = core.clocks;
    core.load(&all);
    let clocks = core.clocks - begins;
    assert!(
        clocks <= MOST_CLOCKS,
        "{clocks} clocks for {} words",
        all.len()
    );
    (0..20).for_each(|_| core.step());
    let switch = core.read(0x404).0;
    assert!(switch <= 200, "{switch} clocks");
    core.send(&[7; 60]);
    core.until_fates(21);
    assert_eq!(core.out[20].data, [7; 60]);
}

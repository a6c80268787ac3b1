//! Programs and their texts.

use crate::images::image;
use crate::operations::Operations;
use hardpath_core::encode::layout::Opcode;
use hardpath_core::encode::Bounds;
use hardpath_core::image::{Origins, Row};
use hardpath_core::text::{parse, print};
use hardpath_diagnostic::Severity;
use hardpath_ir::Place;
use hardpath_testkit::Random;

#[test]
fn every_image_comes_back() {
    for seed in 0..100 {
        let image = image(seed, 1 + seed as u32 * 2);
        let text = print(&image, None);
        let read = parse(&text).unwrap_or_else(|errors| panic!("{text}\n{}", errors[0]));
        assert_eq!(read, image, "{text}");
        assert_eq!(print(&read, None), text);
    }
}

#[test]
fn every_kind_comes_back() {
    let mut image = image(7, 1);
    let bounds = Bounds {
        lanes: image.lanes,
        registers: image.registers,
        rows: 23 * 50,
        maps: image.maps.len() as u8,
    };
    let mut operations = Operations::new(8, bounds);
    let row = |opcode| {
        let lane = |lane| Some(operations.of_kind(opcode, lane));
        let lanes = (0..bounds.lanes).map(lane).collect();
        Row { lanes }
    };
    image.rows = (0..50).flat_map(|_| Opcode::ALL).map(row).collect();
    let text = print(&image, None);
    assert_eq!(parse(&text).unwrap(), image);
}

const SAMPLE: &str = r#"core "count" lanes 4 registers 16 stack 512

limits headroom 216
input "mark" 12
output "verdict" 3 values "aborted", "drop", "pass"

map @stats array key 4 value 8 entries 256
map @"a port" slots key 4 value 4 entries 8 broadcast

row0:
    lane0: r0.2 = load packet[12] 2
    lane1: exit drop to back with 1 if ult r0.1[0+:16], 14
    lane2: (!p3) r2.1 = add 32 signed(r0.2[0+:8]), -7
    lane3: r3.2 = insert 8+:16 r0.1, 0
row1:
    lane0: p1, p2 = compare eq swap(r0.2[0+:16]), 0x800
    lane1: p4 = compare and ne r1.1, 1023
    lane2: p5 = combine xor p1, !p2
    lane3: r3.3 = select !p5, signed(swap(r0.1[8+:32])), -1
row2:
row3:
    lane0: p1, r0.3 = lookup @stats r0.2, 0x123456789
    lane1: r1.0 = update @stats may 3 _, r1.1
    lane2: p6 = lookup @"a port"
    lane3: branch row1 if any r0.1, 4
row4:
    lane0: r0.4 = map.load @stats[r0.3 + 4] 4
    lane1: map.store @stats[7] 8, 0xffffffffffff0000
    lane2: (p1) map.atomic add @stats[r0.3] 8, 1
    lane3: store stack[r3.3[0+:16] + -8] 8, r0.4
row5:
    lane0: put key[2], r0.1, 0
    lane1: r1.5 = checksum packet up-to 1480 14, r0.1[0+:16]
    lane2: copy packet stack up-to 64 r0.1, 0
    lane3: send forward to class 1 leaving each @"a port"
row6:
    lane0: clear r0.1
    lane1: delete @stats r0.1
    lane2: (!p0) indirect r0.1[0+:15]
    lane3: exit to buffer index r0.1
"#;

#[test]
fn what_stands_in_a_text_is_printed_again() {
    let image = parse(SAMPLE).unwrap_or_else(|errors| panic!("{}", errors[0]));
    assert_eq!(print(&image, None), SAMPLE);
    let words = image.words().unwrap();
    assert_eq!((image.operations(), words.len()), (24, 7 + 64));
}

#[test]
fn rows_have_names() {
    let named = "core \"x\" lanes 1 registers 4 stack 0\n\
        first: ; begins\n lane0: branch end if eq r0.0, 0\n\
        row1:\n lane0: branch first\n end:\n lane0: branch row1\n";
    let text = print(&parse(named).unwrap(), None);
    assert!(text.ends_with(
        "row0:\n    lane0: branch row2 if eq r0.0, 0\n\
         row1:\n    lane0: branch row0\nrow2:\n    lane0: branch row1\n"
    ));
}

#[test]
fn a_listing_has_the_lines_of_the_source() {
    let text = "core \"x\" lanes 2 registers 4 stack 0\nrow0:\n lane1: clear 3\n lane0: clear 1\n";
    let image = parse(text).unwrap();
    let mut origins = Origins::default();
    let place = origins.places.push(Place {
        file: String::from("count.c"),
        line: 21,
        source: String::from("\tif (x)"),
        ..Place::default()
    });
    origins.rows = vec![vec![None, Some(place)]];
    let listing = print(&image, Some(&origins));
    let line = "    lane1: clear 3";
    let wanted = format!("    lane0: clear 1\n{line:60} ; count.c:21: if (x)\n");
    assert!(listing.ends_with(&wanted), "{listing}");
    assert_eq!(parse(&listing).unwrap(), image);
}

/// The errors of a text, without what is the same in all.
fn errors(text: &str) -> Vec<String> {
    let errors = parse(text).unwrap_err();
    let shown = errors.iter().map(|error| {
        assert_eq!(error.code, "microcode-syntax");
        assert_eq!(error.severity, Severity::Input);
        let place = error.place.as_ref().unwrap();
        let help = match &error.help {
            Some(help) => format!(" ({help})"),
            None => String::new(),
        };
        format!("{}:{} {}{help}", place.line, place.column, error.message)
    });
    shown.collect()
}

#[test]
fn many_errors_are_told_at_once() {
    let head = "core \"x\" lanes 2 registers 4 stack 0\nmap @flows exact key 4 value 4 entries 8\n";
    let rows = "row0:
 lane0: r0.1 = lod packet[0] 4
 lane1: r1.1 = move r0.1[60+:5]
 lane2: clear 0
row2:
 lane0: r0.1 = move swap(r0.1[0+:12])
 lane1: r0.1 = move 5
 lane0: r2.1 = move 5
again:
 lane0: branch agian
 lane1: branch row10
again:
 lane0: r0.4 = move 5
 lane1: p16 = combine and p1, p2
row4:
 lane0: clear 1
 lane0: clear 1
 lane1: p1 = lookup @flow
row5:
 lane0: store packet[0] 8, 0x123456789
 lane1: r1.0 = add 65 r1.0, 1
row6:
 lane0: (p0) clear 1
 lane1: r1.1 = store stack[0] 1, 0
row7:
 lane0: r0.0 = move
 lane1: r1.0 = move 5 6
row8:
 lane0: r0.0 = load packet[131072] 8
 lane1: exit drop to class 4
row9:
 lane0: send to back index 4
 lane1: exit to back index 4 if eq r0.0, 0 
what
 lane0: r0.0 = move # 1
map @late array key 4 value 4 entries 8
";
    let wanted = [
        "4:16 there is no operation `lod` (did you mean load?)",
        "5:25 the operand has 5 bits from bit 60 on, and there are bits 0 to 63",
        "6:2 there is no lane 2: the core has 2 lanes",
        "7:1 rows are numbered in order: expected row1",
        "8:21 the operand has 12 bits, which are no whole bytes to be swapped",
        "9:9 lane 1 cannot write bank 0",
        "10:9 there is no bank 2: the last one is 1",
        "12:16 no row is called `agian` (did you mean again?)",
        "13:16 there is no row10: the text has 10 rows",
        "14:1 two rows are called `again`",
        "15:9 there is no register 4: the last one is 3",
        "16:9 there is no predicate 16: the last one is 15",
        "19:2 lane 0 has an operation in this row already",
        "20:21 there is no map `flow` (did you mean flows?)",
        "22:9 operand b is 0x123456789, and there is room for 32 bits, extended with zeros or with ones",
        "23:9 the width is 65, and has to be 1 to 64",
        "25:9 the guard always holds, and is left out",
        "26:9 the operation gives nothing",
        "28:20 expected a register or a number of at most 64 bits, the line ends",
        "29:23 expected the end of the line, found `6`",
        "31:9 the offset is 131072, and has to be -131072 to 131071",
        "32:9 there is no class 4: the last one is 3",
        "34:9 a further copy takes its index from the buffer",
        "35:9 an exit with a condition has no index of its own",
        "36:1 expected a lane or a row, found `what`",
        "37:21 `#` has no meaning here",
        "38:1 expected a lane or a row, found `map`",
    ];
    let told = errors(&format!("{head}{rows}"));
    for (told, wanted) in told.iter().zip(wanted) {
        assert_eq!(told, wanted);
    }
    assert_eq!(told.len(), wanted.len(), "{told:#?}");
}

#[test]
fn texts_that_end_early() {
    assert_eq!(errors(""), ["1:1 there is no core in the text"]);
    assert_eq!(
        errors("; nothing\n\n"),
        ["2:1 there is no core in the text"]
    );
    let head = "core \"x\" lanes 2 registers 4 stack 0";
    assert_eq!(
        errors(head),
        ["1:1 the text ends in front of the first row"]
    );
    assert_eq!(errors(&head[..8]), ["1:9 expected `lanes`, the line ends"]);
    assert_eq!(
        errors("core \"x\" lanes 3"),
        ["1:16 expected 1, 2, 4 or 8 lanes, found `3`"]
    );
    assert_eq!(
        errors("core \"x\" lanes 2 registers 65 stack 0\nrow0:"),
        ["1:28 expected 1 to 64 registers, found `65`"]
    );
    assert_eq!(
        errors("core \"x\" lanes 2 registers 6 stack 0\nlane0: clear 1"),
        ["2:1 expected a declaration or the first row"]
    );
    assert_eq!(
        errors("core \"x\" lanes 2 registers 6 stack 0\nrow0:\nlane0: r0.1 = input \"m\""),
        ["3:21 no input is called `m`: it is declared as `input \"m\" WIDTH`"]
    );
    // Wherever a text is cut, it is told or is a shorter program.
    for end in 0..SAMPLE.len() {
        if let Ok(image) = parse(&SAMPLE[..end]) {
            assert_eq!(parse(&print(&image, None)).unwrap(), image);
        }
    }
}

#[test]
fn broken_texts_never_panic() {
    let mut random = Random::new(5);
    let signs = b" \n;:=,()@[]+!\"\\-0123456789abcdefgprx._#\xc3\xa4";
    for _ in 0..4_000 {
        let mut text = SAMPLE.as_bytes().to_vec();
        for _ in 0..=random.below(4) {
            let at = random.below(text.len() as u64) as usize;
            match random.below(3) {
                0 => text[at] = *random.pick(signs),
                1 => text.insert(at, *random.pick(signs)),
                _ => drop(text.remove(at)),
            }
        }
        let text = String::from_utf8_lossy(&text);
        if let Ok(image) = parse(&text) {
            let bytes = image.to_bytes().unwrap();
            assert!(!bytes.is_empty());
            assert_eq!(parse(&print(&image, None)).unwrap(), image);
        }
        let length = random.below(80);
        let garbage: Vec<u8> = (0..length).map(|_| *random.pick(signs)).collect();
        assert!(parse(&String::from_utf8_lossy(&garbage)).is_err());
    }
}

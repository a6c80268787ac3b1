//! The text form: files that are printed as they are written, and errors with line and column.

use hardpath_diagnostic::Severity;
use hardpath_ir::parse::parse;
use hardpath_ir::verifier::verify;
use hardpath_ir::{Output, Phase, Terminator};
use std::path::PathBuf;

fn files() -> Vec<(PathBuf, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/text");
    let mut files: Vec<(PathBuf, String)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.clone(), std::fs::read_to_string(path).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn files_are_printed_as_they_are_written() {
    let files = files();
    assert!(files.len() >= 3);
    for (path, text) in files {
        let program = parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(program.to_string(), text, "{}", path.display());
        assert_eq!(verify(&program), Ok(()), "{}", path.display());
    }
}

#[test]
fn names_numbers_and_places_are_kept() {
    let (_, text) = files().remove(0);
    let program = parse(&text).unwrap();
    assert_eq!(program.name, "count");
    assert_eq!(program.outputs, [Output::new("verdict", 3)]);
    assert_eq!(program.phase, Phase::ControlFlow);
    let order: Vec<u32> = program.order.iter().map(|block| block.as_u32()).collect();
    assert_eq!(order, [0, 1, 2, 4]);
    let block = &program.blocks[program.order[3]];
    assert_eq!(block.params[0].as_u32(), 14);
    assert_eq!(
        program.values[block.params[0]].name.as_deref(),
        Some("verdict")
    );
    assert!(matches!(block.terminator, Terminator::Emit(_)));
    assert_eq!(program.blocks[program.order[2]].place.unwrap().as_u32(), 2);
    let maps: Vec<_> = program.maps.values().collect();
    assert_eq!(maps[1].name, ".data of it");
    assert_eq!(maps[1].initial, Some(vec![1, 0, 255]));
    assert_eq!(maps[0].outside, "percpu_array");
    let place = program.places.values().nth(1).unwrap();
    assert_eq!((place.slot, place.line), (4, 21));
    assert_eq!(place.source, "\tif (data + 14 > data_end) /* \"short\" */");
}

#[test]
fn strange_strings_come_back() {
    let mut program = hardpath_ir::Program::new("a\n\"b\"\\\t\u{1}\u{85}\u{2028};é");
    let block = program.add_block();
    let value = program.append_const(block, hardpath_ir::Bits::ones(64));
    program.values[value].name = Some(String::from("x \" ; y"));
    program.places.push(hardpath_ir::Place {
        slot: 1,
        file: String::from("a b.c"),
        line: 3,
        source: String::from("two\nlines \r\u{1b}[0m"),
        ..hardpath_ir::Place::default()
    });
    let place = program.places.keys().next();
    program.append(block, hardpath_ir::Op::Not, vec![value], &[64], place);
    let text = program.to_string();
    let again = parse(&text).unwrap();
    assert_eq!(again.name, program.name);
    assert_eq!(again.places, program.places);
    assert_eq!(again.values[value].name, program.values[value].name);
    assert_eq!(again.to_string(), text);
}

#[test]
fn layout_and_comments_do_not_matter() {
    let program = parse(
        "; a file\n\nprogram \"p\" dataflow\nlimits shortest 0\noutput \"verdict\" 64;x\nblock3  :\n v9 : 64=const 255 ; a constant\n\
         v1:32 \"zero\" = const 0\nv9000:1 = const 1\nemit v9000 with v9\n",
    )
    .unwrap();
    assert_eq!(
        program.to_string(),
        "program \"p\" dataflow\n\nlimits shortest 0\noutput \"verdict\" 64\n\nblock3:\n    v9:64 = const 0xff\n    \
         v1:32 \"zero\" = const 0x0\n    v9000:1 = const 0x1\n    emit v9000 with v9\n"
    );
}

#[test]
fn errors_tell_line_and_column() {
    let cases = [
        ("", "line 1, column 1", "there is no program in the text"),
        (
            "; nothing\n",
            "line 1, column 1",
            "there is no program in the text",
        ),
        (
            "map @x",
            "line 1, column 1",
            "expected `program`, found `map`",
        ),
        (
            "program x",
            "line 1, column 9",
            "expected the program's name in quotes, found `x`",
        ),
        (
            "program \"x\" xpd",
            "line 1, column 13",
            "expected a phase, found `xpd`",
        ),
        (
            "program \"x\"",
            "line 1, column 12",
            "expected a phase, the line ends",
        ),
        (
            "program \"x\" dataflow\nlimits tall 3",
            "line 2, column 8",
            "expected a limit, found `tall`",
        ),
        (
            "program \"x\" dataflow\noutput \"a\" 3\noutput \"a\" 4",
            "line 3, column 8",
            "output `a` is declared twice",
        ),
        (
            "program \"x\" dataflow\ninput \"a\" 3\ninput \"a\" 4",
            "line 3, column 7",
            "input `a` is declared twice",
        ),
        (
            "program \"x\" dataflow\ninput \"a\" 63\ninput \"b\" 2",
            "line 3, column 7",
            "the program's own inputs have more than 64 bits together",
        ),
        (
            "program \"x\" dataflow\nblock0:\n  v0:3 = input \"a\"",
            "line 3, column 16",
            "no input is called `a`: it is declared as `input \"a\" WIDTH`",
        ),
        (
            "program \"x",
            "line 1, column 9",
            "the string does not end on its line",
        ),
        (
            "program \"\\x\"",
            "line 1, column 10",
            "there is no such escape",
        ),
        (
            "program \"\\u{d800}\"",
            "line 1, column 10",
            "there is no such escape",
        ),
        (
            "program \"\\u{",
            "line 1, column 10",
            "there is no such escape",
        ),
        (
            "P v1:8 = const 1",
            "line 2, column 1",
            "expected `map`, a place or the first block",
        ),
        (
            "P map @m list key 4",
            "line 2, column 8",
            "expected a kind of table, found `list`",
        ),
        (
            "P map @m ternary key 4 value 4 entries 4 fields \"exact\"",
            "line 2, column 47",
            "`exact` are no fields of a key",
        ),
        (
            "P map @m exact key -1",
            "line 2, column 18",
            "expected a number of at most 32 bits, found `-1`",
        ),
        (
            "P map @m exact key 0x100000000",
            "line 2, column 18",
            "expected a number of at most 32 bits, found `0x100000000`",
        ),
        (
            "P map @m array key 4 value 1 entries 1 initial \"0\"",
            "line 2, column 46",
            "expected bytes as pairs of hexadecimal digits, in quotes, found the string \"0\"",
        ),
        (
            "P map @m exact key 1 value 1 entries 1\nmap @m exact key 1 value 1 entries 1",
            "line 3, column 5",
            "map `m` is declared twice",
        ),
        (
            "P place1 slot 0",
            "line 2, column 1",
            "places are numbered in order: expected place0",
        ),
        (
            "P block0:\nblock0:",
            "line 3, column 1",
            "block0 stands there twice",
        ),
        (
            "P block0",
            "line 2, column 7",
            "expected `:`, the line ends",
        ),
        (
            "P block0:\n v1:8 = const 256",
            "line 3, column 15",
            "expected a number of at most 8 bits, found `256`",
        ),
        (
            "P block0:\n v1:8 = const 0x100",
            "line 3, column 15",
            "expected a number of at most 8 bits, found `0x100`",
        ),
        (
            "P block0:\n const 1",
            "line 3, column 2",
            "a constant needs a result, which has its width",
        ),
        (
            "P block0:\n v1:0 = const 1",
            "line 3, column 5",
            "a width is between 1 and 1048576 bits",
        ),
        (
            "P block0:\n v99999999:1 = const 1",
            "line 3, column 2",
            "numbers of values and blocks are below 4194304",
        ),
        (
            "P block99999999:",
            "line 2, column 1",
            "numbers of values and blocks are below 4194304",
        ),
        (
            "P block0:\n v1:8 = plus v2",
            "line 3, column 9",
            "there is no operation `plus`",
        ),
        (
            "P block0:\n v1:8 = not v2",
            "line 3, column 13",
            "v2 is not defined",
        ),
        (
            "P block0:\n v1:8 = not v01",
            "line 3, column 13",
            "expected the end of the line, found `v01`",
        ),
        (
            "P block0:\n v1:8 = const 1\n v1:8 = const 1",
            "line 4, column 2",
            "v1 is defined twice",
        ),
        (
            "P block0:\n jump block1",
            "line 3, column 7",
            "there is no block1",
        ),
        (
            "P block0:\n jump block0\n jump block0",
            "line 4, column 2",
            "block0 has ended before this",
        ),
        (
            "P block0:\n v1:8 = input time_ns",
            "line 3, column 15",
            "expected an input, found `time_ns`",
        ),
        (
            "P block0:\n v1:8 = const 1 at place0",
            "line 3, column 20",
            "there is no place0",
        ),
        (
            "P block0:\n map.store @m",
            "line 3, column 12",
            "there is no map `m`",
        ),
        (
            "P block0:\n v1:8 = const 1 !",
            "line 3, column 17",
            "`!` has no meaning here",
        ),
        (
            "P block0:\n v1:8 = map.atomic plus @m v1",
            "line 3, column 20",
            "expected an atomic operation, found `plus`",
        ),
    ];
    for (text, place, message) in cases {
        // `P ` stands for a header on the line before.
        let text = match text.strip_prefix("P ") {
            Some(rest) => format!("program \"p\" control-flow\n{rest}"),
            None => text.to_string(),
        };
        let error = parse(&text).expect_err(&text);
        assert_eq!((error.code, error.severity), ("ir-syntax", Severity::Input));
        assert_eq!(error.message, message, "{text}");
        assert_eq!(error.place_text(), place, "{text}: {message}");
    }
}

/// Every text that one change makes of a good one is read or refused, and what is read can be printed and verified.
#[test]
fn broken_texts_never_panic() {
    for (_, text) in files() {
        let characters: Vec<char> = text.chars().collect();
        let step = characters.len() / 150 + 1;
        for at in (0..characters.len()).step_by(step) {
            for change in ["", "\"", "0", "v1", ":", "\n", "-"] {
                let mut broken: String = characters[..at].iter().collect();
                broken.push_str(change);
                broken.extend(&characters[at + 1..]);
                if let Ok(program) = parse(&broken) {
                    let printed = program.to_string();
                    assert_eq!(parse(&printed).unwrap().to_string(), printed);
                    let _ = verify(&program);
                }
            }
            let cut: String = characters[..at].iter().collect();
            if let Ok(program) = parse(&cut) {
                let _ = verify(&program);
            }
        }
    }
}

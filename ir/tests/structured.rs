//! The structured phase: what its rules refuse, and what its programs do.

use hardpath_diagnostic::Diagnostic;
use hardpath_ir::interpreter::{Prepared, RunError};
use hardpath_ir::maps::Maps;
use hardpath_ir::parse::parse;
use hardpath_ir::structure::Bound;
use hardpath_ir::verifier::verify;
use hardpath_ir::{Block, Program};
use hardpath_packet::{Fate, Sideband};

fn program(body: &str) -> Program {
    parse(&format!(
        "program \"p\" structured\nlimits shortest 0\noutput \"verdict\" 64\n{body}"
    ))
    .unwrap_or_else(|error| panic!("{error}"))
}

fn errors(program: &Program) -> Vec<String> {
    let errors = verify(program).err().unwrap_or_default();
    let line = |error: &hardpath_ir::verifier::VerifierError| {
        format!("{}, {}: {}", error.rule, error.place, error.message)
    };
    errors.iter().map(line).collect()
}

fn refused(body: &str) -> Vec<String> {
    errors(&program(body))
}

fn run_within(text: &str, packet: &[u8], most: u64) -> Result<Fate, RunError> {
    let program = program(text);
    assert_eq!(errors(&program), [""; 0], "{program}");
    let mut maps = Maps::new(&program.maps);
    Prepared::new(&program).run_within(most, &mut maps, packet, &Sideband::default())
}

fn run(text: &str, packet: &[u8]) -> u64 {
    run_within(text, packet, 10_000).unwrap().first_output()
}

/// Adds the packet's bytes, as many as the first one says: a loop that the data bound.
const SUM: &str = "place0 slot 1 file \"sum.c\" line 5 source \"while (n--)\"\n\
    block0:\nv0:64 = const 0\nv1:64 = const 1\nv2:8 = packet.load v0\nv3:64 = zext v2\nv9:32 = const 0\n\
    jump block1(v0, v0)\n\
    block1(v4:64, v5:64) loop unknown at place0:\nv6:1 = ult v4, v3\nbranch v6, block2, block3\n\
    block2:\nv10:64 = add v4, v1\nv11:8 = packet.load v10\nv12:64 = zext v11\nv13:64 = add v5, v12\n\
    jump block1(v10, v13)\n\
    block3:\nv9000:1 = const 1\nemit v9000 with v5\n";

#[test]
fn data_bound_a_loop() {
    assert_eq!(run(SUM, &[0]), 0);
    assert_eq!(run(SUM, &[3, 10, 20, 30, 40]), 60);
    assert_eq!(run(SUM, &[255, 1]), 1);
}

#[test]
fn a_run_ends_when_its_steps_are_used_up() {
    let forever = "block0:\nv0:64 = const 1\njump block1\nblock1 loop unknown:\nv1:64 = not v0\njump block1\n";
    let error = run_within(forever, &[], 1000).unwrap_err();
    assert_eq!(error, RunError::Steps { most: 1000 });
    assert_eq!(error.to_string(), "the run has not ended within 1000 steps");
    // The entry has the ends of three blocks, three rounds have five steps and the last head two, beside constants.
    let needed = (1..200).find(|most| run_within(SUM, &[3, 1, 1, 1], *most).is_ok());
    let needed = needed.expect("it ends");
    assert_eq!(
        run_within(SUM, &[3, 1, 1, 1], needed - 1),
        Err(RunError::Steps { most: needed - 1 })
    );
    assert_eq!(run(SUM, &[3, 1, 1, 1]), 3);
    let longer = (1..200).find(|most| run_within(SUM, &[4, 1, 1, 1, 1], *most).is_ok());
    // A round: compare and branch; add, load, extend, add, and jump.
    assert_eq!(longer, Some(needed + 7));
}

#[test]
fn work_on_many_bytes_counts_as_many_steps() {
    let text = |up_to| {
        format!(
            "block0:\nv0:64 = const 0\nv1:16 = const 0\nv2:32 = const 0\nv3:16 = checksum packet up-to {up_to} v0, v1, v2\n\
             call @f\nv9001:1 = const 1\nemit v9001 with v0\nfunction @f\nblock1:\nreturn\n"
        )
    };
    // The sum, the call, the return and the end.
    assert!(run_within(&text(63), &[], 4).is_ok());
    assert_eq!(
        run_within(&text(63), &[], 3),
        Err(RunError::Steps { most: 3 })
    );
    assert!(run_within(&text(65_535), &[], 1027).is_ok());
    assert!(run_within(&text(65_535), &[], 1026).is_err());
}

#[test]
fn a_prepared_program_runs_again_after_an_error() {
    let program = program(SUM);
    let mut maps = Maps::new(&program.maps);
    let mut prepared = Prepared::new(&program);
    let context = Sideband::default();
    assert!(prepared
        .run_within(20, &mut maps, &[200], &context)
        .is_err());
    let outcome = prepared.run(&mut maps, &[2, 5, 6], &context);
    assert_eq!(outcome.first_output(), 11);
    let places = prepared.way();
    assert_eq!(places, [0, 1, 2, 1, 2, 1, 3]);
}

#[test]
fn parameters_change_places_at_once() {
    let text = "block0:\nv0:64 = const 1\nv1:64 = const 2\nv2:64 = const 3\nv3:1 = const 1\nv9:32 = const 0\nv10:64 = const 16\n\
        jump block1(v0, v1, v2, v3)\n\
        block1(v4:64, v5:64, v6:64, v7:1) loop exactly 1:\nv8:1 = not v7\nbranch v7, block1(v5, v6, v4, v8), block2\n\
        block2:\nv11:64 = mul v4, v10\nv12:64 = add v11, v5\nv13:64 = mul v12, v10\nv14:64 = add v13, v6\nv9002:1 = const 1\nemit v9002 with v14\n";
    assert_eq!(run(text, &[]), 0x231);
}

#[test]
fn a_bound_that_does_not_hold_is_an_error() {
    let text = |bound: &str| {
        format!(
            "block0:\nv0:8 = const 1\nv1:64 = const 0\nv2:8 = packet.load v1\nv9:32 = const 0\nv8:8 = const 0\njump block1(v8)\n\
             block1(v3:8) loop {bound}:\nv4:8 = add v3, v0\nv5:1 = ule v4, v2\nbranch v5, block1(v4), block2\n\
             block2:\nv6:64 = zext v3\nv9003:1 = const 1\nemit v9003 with v6\n"
        )
    };
    let run = |bound: &str, packet: u8| {
        run_within(&text(bound), &[packet], 1000).map(|outcome| outcome.first_output())
    };
    let wrong = |bound, times| {
        let head = Block::from_u32(1);
        Err(RunError::Bound { head, bound, times })
    };
    assert_eq!(run("up-to 2", 0), Ok(0));
    assert_eq!(run("up-to 2", 2), Ok(2));
    assert_eq!(run("up-to 2", 3), wrong(Bound::UpTo(2), 3));
    assert_eq!(run("exactly 2", 2), Ok(2));
    assert_eq!(run("exactly 2", 1), wrong(Bound::Exactly(2), 1));
    assert_eq!(run("exactly 2", 9), wrong(Bound::Exactly(2), 3));
    assert_eq!(run("unknown", 9), Ok(9));
}

#[test]
fn functions_call_functions_and_may_end_the_program() {
    let text = "block0:\nv0:64 = const 0\nv1:8 = packet.load v0\nv9:32 = const 0\n\
        v2:8, v3:8 = call @both v1\nv4:16 = concat v2, v3\nv5:8, v6:8 = call @both v3\nv7:64 = concat v5, v6, v4, v9\n\
        v9004:1 = const 1
        emit v9004 with v7\n\
        function @both returns 8, 8\n\
        block1(v10:8):\nv11:8 = call @next v10\nv12:8 = call @next v11\nreturn v11, v12\n\
        function @next returns 8\n\
        block2(v20:8):\nv21:8 = const 1\nv22:8 = add v20, v21\nv23:1 = eq v22, v20\nv24:8 = const 200\nv25:1 = ult v24, v22\nbranch v25, block3, block4\n\
        block3:\nv26:64 = const 77\nv27:32 = const 0\nv9005:1 = const 1\nemit v9005 with v26\n\
        block4:\nreturn v22\n";
    assert_eq!(run(text, &[5]), 0x0809_0607_0000_0000);
    assert_eq!(run(text, &[199]), 77);
}

#[test]
fn ends_in_a_function_leave_the_loops_of_its_callers() {
    let text = |bound| {
        format!(
            "block0:\nv0:1 = const 1\njump block1\n\
             block1 loop {bound}:\ncall @end\nbranch v0, block1, block2\nblock2:\nv1:64 = const 1\nv2:32 = const 0\nv9006:1 = const 1\nemit v9006 with v1\n\
             function @end\nblock3:\nv3:64 = const 9\nv4:32 = const 0\nv9007:1 = const 1\nemit v9007 with v3\n"
        )
    };
    assert_eq!(run(&text("up-to 2"), &[]), 9);
    let error = run_within(&text("exactly 2"), &[], 100).unwrap_err();
    assert_eq!(
        error.to_string(),
        "block1: control went back 0 times, and the loop says `exactly 2`"
    );
}

/// The sum of RFC 1071 as the RFC says it, in the other byte order.
fn by_the_rfc(bytes: &[u8]) -> u16 {
    let mut sum = 0u32;
    for word in bytes.chunks(2) {
        sum += u32::from(word[0]) << 8 | word.get(1).copied().map_or(0, u32::from);
        sum = (sum & 0xffff) + (sum >> 16);
    }
    (sum as u16).swap_bytes()
}

#[test]
fn a_checksum_is_that_of_the_rfc() {
    let text = |up_to: u32, seed: u64| {
        format!(
            "block0:\nv0:64 = const 2\nv1:64 = const 0\nv2:16 = packet.load v1\nv3:32 = const {seed}\n\
             v4:16 = checksum packet up-to {up_to} v0, v2, v3\nv5:64 = zext v4\nv6:32 = const 0\nv9008:1 = const 1\nemit v9008 with v5\n"
        )
    };
    let bytes: Vec<u8> = (0..60u32).map(|i| (i * 37 + 200) as u8).collect();
    for length in [0usize, 1, 2, 3, 7, 8, 20, 59] {
        let mut packet = (length as u16).to_le_bytes().to_vec();
        packet.extend(&bytes);
        assert_eq!(
            run(&text(100, 0), &packet),
            u64::from(by_the_rfc(&bytes[..length]))
        );
        let shorter = length.min(7);
        assert_eq!(
            run(&text(7, 0), &packet),
            u64::from(by_the_rfc(&bytes[..shorter]))
        );
    }
    // What lies outside is 0, and a sum that is not 0 never becomes 0.
    assert_eq!(run(&text(65_535, 0), &[0xff, 0xff, 1]), 1);
    assert_eq!(run(&text(4, 0xffff), &[0, 0]), 0xffff);
    assert_eq!(run(&text(4, 0xffff_ffff), &[0, 0]), 0xffff);
    assert_eq!(run(&text(4, 0x1_0000), &[2, 0, 0xff, 0xff]), 1);
    assert_eq!(run(&text(4, 0), &[0, 0]), 0);
}

#[test]
fn copies_read_before_they_write() {
    let text = |copy: &str| {
        format!(
            "block0:\nv0:64 = const 0\nv1:64 = const 2\nv2:16 = const 5\nv3:64 = const 510\n{copy}\n\
             v4:64 = packet.load v0\nv5:32 = const 0\nv9009:1 = const 1\nemit v9009 with v4\n"
        )
    };
    let run = |copy: &str| run(&text(copy), &[1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(
        run("copy packet packet up-to 9 v0, v1, v2"),
        0x0805_0403_0201_0201
    );
    assert_eq!(
        run("copy packet packet up-to 3 v0, v1, v2"),
        0x0807_0603_0201_0201
    );
    assert_eq!(
        run("copy packet packet up-to 9 v1, v0, v2"),
        0x0807_0607_0605_0403
    );
    // Two bytes fit on the stack; what vanished is not read back.
    let there_and_back =
        "copy packet stack up-to 9 v1, v3, v2\ncopy stack packet up-to 9 v3, v0, v2";
    assert_eq!(run(there_and_back), 0x0807_0600_0000_0403);
}

const END: &str = "v90:64 = const 0\nv91:32 = const 0\nv9010:1 = const 1\nemit v9010 with v90\n";

#[test]
fn rule_13_loops() {
    let text = |text: &str| text.replace("END", END);
    assert_eq!(
        refused(&text(
            "block0:\nEND\nblock1 loop unknown:\njump block1\nblock2:\njump block2\n"
        )),
        ["13, end of block2: it goes back to block2, which is no head of a loop"]
    );
    assert_eq!(
        refused(&text(
            "block0 loop unknown:\nv0:1 = const 1\nbranch v0, block0, block1\nblock1:\nEND"
        )),
        ["13, end of block0: it goes back to block0, the entry"]
    );
    assert_eq!(
        refused(&text("block0 loop up-to 3:\nEND")),
        ["13, block0: it is a loop's head, and nothing goes back to it"]
    );
    assert_eq!(
        refused(&text(
            "block0:\njump block1\nblock1 loop up-to 3:\njump block1\nblock2:\nEND"
        )),
        ["13, block1: the loop has a bound, and no way out"]
    );
    assert_eq!(
        refused(&text("block0:\nv0:1 = const 1\nbranch v0, block1, block2\nblock1 loop up-to 3:\njump block2\n\
            block2:\nbranch v0, block1, block3\nblock3:\nEND")),
        ["13, end of block2: it goes back to block1, but not every path to here goes through that"]
    );
    let mut deep = String::from("block0:\nv0:1 = const 1\njump block1\n");
    for depth in 1..=33 {
        deep.push_str(&format!(
            "block{depth} loop unknown:\njump block{}\n",
            depth + 1
        ));
    }
    for depth in (1..=33).rev() {
        let block = 67 - depth;
        deep.push_str(&format!(
            "block{block}:\nbranch v0, block{depth}, block{}\n",
            block + 1
        ));
    }
    deep.push_str(&format!("block67:\n{END}"));
    let found = refused(&deep);
    assert_eq!(found, ["13, block33: loops are nested more than 32 deep"]);
    let flat = "program \"p\" control-flow\nlimits shortest 0\noutput \"verdict\" 64\nblock0:\njump block1\nblock1 loop unknown:\n";
    let flat = parse(&format!("{flat}{END}")).unwrap();
    assert_eq!(
        errors(&flat),
        ["13, block1: only a structured program has loops"]
    );
}

#[test]
fn rule_14_functions() {
    let text = |text: &str| text.replace("END", END);
    assert_eq!(
        refused(&text("block0:\nreturn\nfunction @f\nblock1:\nEND")),
        ["14, end of block0: only a function returns"]
    );
    assert_eq!(
        refused(&text(
            "block0:\nEND\nfunction @f returns 8, 8\nblock1:\nv0:8 = const 1\nreturn v0\n\
            function @\"\" returns 7\nblock2:\nv1:8 = const 1\nreturn v1\n"
        )),
        [
            "14, end of block1: it returns 1 values, the function has 2 results",
            "14, end of block2: the result, v1, has a width of 8, not of 7",
            "14, function : the function has no name"
        ]
    );
    assert_eq!(
        refused(&text("block0:\nEND\nfunction @a\nblock1:\ncall @b\nreturn\nfunction @b\nblock2:\ncall @a\nreturn\n\
            function @c\nblock3:\ncall @c\nreturn\n")),
        [
            "14, function a: the function calls itself, directly or through others",
            "14, function c: the function calls itself, directly or through others"
        ]
    );
    assert_eq!(
        refused(&text(
            "block0:\nv0:8 = const 1\nv1:8 = call @f v0\ncall @f\nEND\n\
            function @f returns 7\nblock1(v2:9):\nv3:7 = const 0\nreturn v3\n"
        )),
        [
            "14, block0, `v1:8 = call @f v0`: argument 1 has a width of 8, not of 9",
            "14, block0, `v1:8 = call @f v0`: result 1 has a width of 8, not of 7",
            "11, block0, `call @f`: there are 0 arguments, not 1",
            "11, block0, `call @f`: there are 0 results, not 1"
        ]
    );
    assert_eq!(
        refused(&text("block0:\nEND\nfunction @f\n")),
        ["14, function f: the function has no block"]
    );
    assert_eq!(
        refused(&text("block0:\ncall @f\nEND\nfunction @f\n")),
        ["1, block0, `call @f`: function0 has no entry"]
    );
    // No value and no way leads from one function into another.
    assert_eq!(
        refused(&text(
            "block0:\nv0:8 = const 1\nEND\nfunction @f returns 8\nblock1:\nreturn v0\n"
        )),
        ["7, end of block1: v0 is dead: no live instruction defines it"]
    );
    assert_eq!(
        refused("block0:\njump block1\nfunction @f\nblock1:\nreturn\n"),
        ["1, end of block0: block1 is not in the order"]
    );
    let mut twice = program(&text(
        "block0:\nEND\nfunction @f\nblock1:\nreturn\nfunction @g\nblock2:\nreturn\n",
    ));
    for function in twice.functions.values_mut() {
        function.name = String::from("f");
    }
    assert_eq!(
        errors(&twice),
        ["14, function f: two functions have this name"]
    );
    let flat =
        "program \"p\" control-flow\nlimits shortest 0\noutput \"verdict\" 64\nblock0:\ncall @f\nEND\nfunction @f\nblock1:\nreturn\n";
    assert_eq!(
        errors(&parse(&text(flat)).unwrap()),
        [
            "14, function f: only a structured program has functions",
            "14, block0, `call @f`: only a structured program has this"
        ]
    );
}

#[test]
fn rule_15_whole_operations() {
    let values = "block0:\nv0:64 = const 0\nv1:16 = const 0\nv2:32 = const 0\nv3:8 = const 0\n";
    let refused = |inst: &str| {
        let prefix = format!("block0, `{inst}`: ");
        let errors = refused(&format!(
            "{values}{inst}\nv9011:1 = const 1\nemit v9011 with v0\n"
        ));
        errors
            .iter()
            .map(|error| error.replace(&prefix, ""))
            .collect::<Vec<String>>()
    };
    assert_eq!(
        refused("v9:16 = checksum packet up-to 0 v0, v1, v2"),
        ["15, 0 is not between 1 and 65535 bytes"]
    );
    assert_eq!(
        refused("copy stack packet up-to 65536 v0, v0, v1"),
        ["15, 65536 is not between 1 and 65535 bytes"]
    );
    assert_eq!(
        refused("v9:8 = checksum stack up-to 9 v1, v2, v3"),
        [
            "11, the offset has a width of 16, not of 64",
            "11, the length has a width of 32, not of 16",
            "11, the seed has a width of 8, not of 32",
            "11, the result has a width of 8, not of 16"
        ]
    );
    assert_eq!(
        refused("copy stack packet up-to 9 v1, v2, v3"),
        [
            "11, the offset it reads at has a width of 16, not of 64",
            "11, the offset it writes at has a width of 32, not of 64",
            "11, the length has a width of 8, not of 16"
        ]
    );
    assert_eq!(
        refused("copy stack packet up-to 9 v0, v0"),
        ["11, there are 2 arguments, not 3"]
    );
    let flat = format!("program \"p\" control-flow\nlimits shortest 0\noutput \"verdict\" 64\n{values}copy stack packet up-to 9 v0, v0, v1\nv9012:1 = const 1\nemit v9012 with v0\n");
    let found = errors(&parse(&flat).unwrap());
    let place = "block0, `copy stack packet up-to 9 v0, v0, v1`";
    assert_eq!(
        found,
        [format!("15, {place}: only a structured program has this")]
    );
}

#[test]
fn words_that_cannot_be_read() {
    let cases = [
        (
            "block0 loop:",
            "line 2, column 12",
            "expected `exactly`, `up-to` or `unknown`, found `:`",
        ),
        (
            "block0 loop up-to:",
            "line 2, column 18",
            "expected a number of at most 32 bits, found `:`",
        ),
        (
            "block0:\ncall @f",
            "line 3, column 6",
            "there is no function `f`",
        ),
        ("function f", "line 2, column 10", "expected `@`, found `f`"),
        (
            "function @f returns",
            "line 2, column 20",
            "expected a number of at most 32 bits, the line ends",
        ),
        (
            "function @f\nfunction @f",
            "line 3, column 10",
            "function `f` stands there twice",
        ),
        (
            "function @f\nv1:8 = const 1",
            "line 3, column 1",
            "expected `map`, a place or the first block",
        ),
        (
            "block0:\ncopy packet heap",
            "line 3, column 13",
            "expected `packet` or `stack`, found `heap`",
        ),
        (
            "block0:\ncopy packet stack 9",
            "line 3, column 19",
            "expected `up-to`, found `9`",
        ),
    ];
    for (text, place, message) in cases {
        let error: Diagnostic = parse(&format!("program \"p\" structured\n{text}")).unwrap_err();
        assert_eq!(
            (error.place_text().as_str(), error.message.as_str()),
            (place, message)
        );
    }
}

//! Steps of the pipeline as passes: what they ask of a text before they take it, and what they must not stumble over.

use hardpath_diagnostic::Severity;
use hardpath_filetests::case::{self, read};
use hardpath_ir::{verifier, Phase, Program};
use hardpath_pipeline::passes;
use hardpath_testkit::{parallel, Random};

/// Packets on which a program behind a pass is compared with the one in front of it.
const PACKETS: u32 = 60;

fn assert_same(before: &Program, after: &Program, what: &str) {
    hardpath_testkit::assert_same(before, after, &mut Random::new(1), PACKETS, what);
}

/// The code, place and help of what a pass refuses in a program; its blocks follow behind some values.
fn refused(name: &str, phase: &str, body: &str) -> (String, String, String) {
    let text = format!(
        "program \"p\" {phase}\noutput \"verdict\" 32\nmap @a array key 4 value 8 entries 16\nmap @h exact key 4 value 8 entries 16\n\
         place0 slot 5 file \"c.c\" line 8 source \"*to = x;\"\n\
         block0:\nv0:64 = const 0\nv1:64 = const 1\nv2:32 = const 2\nv3:16 = input length\nv4:64 = zext v3\n{body}"
    );
    let mut program = read(&text);
    let before = program.clone();
    let errors = passes::find(name)
        .expect("a pass")
        .run(&mut program)
        .expect_err(&text);
    assert_eq!(program, before, "what is refused stays as it was");
    assert_eq!(
        (errors.len(), errors[0].severity),
        (1, Severity::Input),
        "{text}"
    );
    let error = &errors[0];
    let help = error.help.clone().unwrap_or_default();
    (
        format!("{}: {}", error.code, error.message),
        error.place_text(),
        help,
    )
}

#[test]
fn predicate_wants_stores_at_the_exits() {
    let cases = [
        (
            "packet.store v4, v2 at place0\nv9000:1 = const 1\nemit v9000 with v2",
            "the offset of this store is no constant",
        ),
        (
            "packet.store v0, v2 at place0\njump block1\nblock1:\nv9001:1 = const 1\nemit v9001 with v2",
            "packet bytes are written before the program's end",
        ),
        (
            "packet.store v0, v2\nv5:8 = packet.load v1 at place0\nv9002:1 = const 1\nemit v9002 with v2",
            "packet bytes are read behind a store",
        ),
        (
            "packet.store v0, v2\npacket.store v1, v2 at place0\nv9003:1 = const 1\nemit v9003 with v2",
            "packet bytes are not written in ascending order",
        ),
        (
            "packet.clear v1 at place0\nv9004:1 = const 1\nemit v9004 with v2",
            "the packet is cleared",
        ),
    ];
    for (body, message) in cases {
        let (found, place, help) = refused("predicate", "control-flow", body);
        assert_eq!(found, format!("pass-order: {message}"));
        assert!(place.contains("c.c:8: *to = x;"), "{place}");
        assert_eq!(help, "run `bytes_to_values` first");
    }
}

#[test]
fn ports_want_whole_words() {
    for access in [
        "v5:32 = map.atomic add @a v2, v2, v2 at place0",
        "v5:32 = map.load @a v2, v2 at place0",
        "map.store @a v2, v2, v4 at place0",
    ] {
        let (found, _, help) = refused(
            "ports",
            "dataflow",
            &format!("{access}\nv9005:1 = const 1\nemit v9005 with v2"),
        );
        assert_eq!(
            found,
            "pass-order: a part of a map's value is read or written"
        );
        assert_eq!(help, "run `words` first");
    }
}

#[test]
fn words_want_entries_that_a_lookup_gave() {
    let (found, place, _) = refused(
        "words",
        "dataflow",
        "v5:32 = map.load @h v2, v2 at place0\nv9006:1 = const 1\nemit v9006 with v2",
    );
    assert_eq!(
        found,
        "pass-order: a map is accessed through an entry that no lookup before gives"
    );
    assert!(place.contains("c.c:8"), "{place}");
}

#[test]
fn passes_are_for_phases() {
    for name in ["moves", "ports", "words"] {
        let (found, _, help) = refused(
            name,
            "control-flow",
            "v9007:1 = const 1\nemit v9007 with v2",
        );
        assert_eq!(
            found,
            format!("wrong-phase: `{name}` runs on programs in the phase dataflow, and this one is in the phase control-flow")
        );
        assert_eq!(help, "`predicate` makes dataflow of control flow");
    }
    let (found, _, help) = refused(
        "predicate",
        "dataflow",
        "v9008:1 = const 1\nemit v9008 with v2",
    );
    assert!(found.starts_with("wrong-phase: "), "{found}");
    assert_eq!(
        help,
        "no pass leads back from here: run it on the program as it was before"
    );
}

/// A block that nothing leads to never runs, and its effects never happen.
#[test]
fn predicate_leaves_out_what_nothing_leads_to() {
    let text = "program \"p\" control-flow\noutput \"verdict\" 32\nmap @m array key 4 value 8 entries 16\n\
        block0:\nv0:32 = const 2\nv1:64 = const 0\nv9009:1 = const 1\nemit v9009 with v0\n\
        block1(v2:32):\nmap.store @m v0, v0, v1\nv9010:1 = const 1\nemit v9010 with v2\n";
    let mut program = read(text);
    passes::find("predicate")
        .expect("a pass")
        .run(&mut program)
        .expect("nothing to refuse");
    assert_eq!(
        (program.phase, verifier::verify(&program)),
        (Phase::Dataflow, Ok(()))
    );
    assert!(!program.to_string().contains("map.store"), "{program}");
}

/// An array's entries are its indexes, also where nobody has said so before.
#[test]
fn words_of_arrays_that_are_looked_up() {
    let text = "program \"p\" dataflow\noutput \"verdict\" 32\nmap @m array key 4 value 8 entries 4\nblock0:\n\
        v0:64 = const 16\nv1:8 = packet.load v0\nv2:32 = zext v1\nv3:1, v4:32 = map.lookup @m v2\nv5:32 = const 1\n\
        v6:32 = map.atomic add @m v4, v5, v5 if v3\nv7:1, v8:32 = map.lookup @m v5\nv9:32 = map.atomic add @m v8, v5, v5\npacket.store v0, v6\nv10:64 = const 24\npacket.store v10, v9\nv11:32 = const 2\nv9011:1 = const 1\nemit v9011 with v11\n";
    let before = read(text);
    let mut after = before.clone();
    passes::find("words")
        .expect("a pass")
        .run(&mut after)
        .expect("nothing to refuse");
    assert_same(&before, &after, "words");
}

/// Every pass on every program of the folder, whatever its phase is: what comes out is valid and means the same, or it says why
/// not.
#[test]
fn every_pass_on_every_program() {
    let cases = case::all();
    let runs = parallel::map(cases.len(), |number| {
        let (case, mut runs) = (&cases[number], 0);
        for pass in passes::all() {
            let before = case.program();
            let mut program = before.clone();
            let phase = program.phase;
            let result = pass.run(&mut program);
            let what = format!("{}, {}", case.name, pass.name);
            assert_eq!(verifier::verify(&program), Ok(()), "{what}\n{program}");
            match result {
                Ok(_) => {
                    assert!(pass.phases.contains(&phase), "{what}");
                    assert_same(&before, &program, &what);
                    runs += 1;
                }
                Err(errors) => assert!(!errors.is_empty(), "{what}"),
            }
        }
        runs
    });
    let runs: i32 = runs.into_iter().sum();
    assert!(runs > 100, "{runs}");
}

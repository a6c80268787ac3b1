//! Random programs with loops that stay loops, beside the same with loops written out by the lifter, and by the passes.

use hardpath_ebpf::{lift, lift_structured};
use hardpath_fuzz::packets::{enters, ports};
use hardpath_fuzz::session::subject;
use hardpath_fuzz::trial::run_program;
use hardpath_fuzz::{Features, Outcome, Subject};
use hardpath_ir::interpreter::Prepared;
use hardpath_ir::maps::{Image, Maps};
use hardpath_ir::parse::parse;
use hardpath_ir::structure::Bound;
use hardpath_ir::{Phase, Program};
use hardpath_packet::Fate;
use hardpath_testkit::assert_valid;

fn full() -> bool {
    std::env::var_os("HARDPATH_FULL").is_some()
}

/// What a program does with all packets of a subject: fates, what leaves, and what the maps hold behind the last one. Those that
/// change nothing have no entry there: a program may have maps that it only comes to in rounds that never are.
fn answers(program: &Program, subject: &Subject) -> Answers {
    let is_used = |name: &str| program.maps.values().any(|map| map.name == name);
    let image = subject.image.iter().filter(|(name, _)| is_used(name));
    let image: Image = image
        .map(|(name, entries)| (name.clone(), entries.clone()))
        .collect();
    let mut maps = Maps::new(&program.maps);
    maps.load(&image).expect("contents that fit");
    let before = maps.image();
    let mut run = Prepared::new(program);
    let packets = subject.packets.iter().filter(|packet| enters(packet));
    let fates = packets.map(|packet| {
        let fate = run.run(&mut maps, &packet.data, &ports().sideband(packet));
        (fate, run.left_behind())
    });
    let fates = fates.collect();
    let mut after = maps.image();
    after.retain(|name, entries| before.get(name) != Some(entries));
    (fates, after)
}

type Answers = (Vec<(Fate, Vec<u8>)>, Image);

fn same(expected: &Answers, program: &Program, subject: &Subject, what: &str) {
    let found = answers(program, subject);
    for (number, (expected, found)) in expected.0.iter().zip(&found.0).enumerate() {
        assert_eq!(expected, found, "{what}, packet {number}\n{program}");
    }
    assert_eq!(expected.1, found.1, "{what}\n{program}");
}

fn bounds(program: &Program) -> Vec<Bound> {
    let blocks = program.all_blocks();
    blocks
        .filter_map(|block| program.blocks[block].bound)
        .collect()
}

/// A random subject with both forms of its program; `None`: it cannot be lifted, which both say in the same words.
fn forms(seed: u64) -> Option<(Subject, Program, Program)> {
    let subject = subject(seed, 0, 12, Features::default());
    let object = subject.code.object();
    let image = object.programs.first()?;
    let with_loops = lift_structured(&object, image).map(|lifted| lifted.program);
    match (lift(&object, image), with_loops) {
        (Ok(written_out), Ok(with_loops)) => Some((subject, written_out, with_loops)),
        (Err(expected), Err(found)) => {
            let [expected, found] = [expected, found]
                .map(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>());
            assert_eq!(expected, found, "seed {seed}");
            None
        }
        (Ok(_), Err(errors)) => panic!("seed {seed}: {errors:?}"),
        // Too large with its loops written out.
        (Err(_), Ok(_)) => None,
    }
}

#[test]
fn loops_that_stay_loops() {
    let programs = if full() { 4000 } else { 400 };
    let (mut with_any, mut loops, mut unknown, mut lowered) = (0, 0, 0, 0);
    for seed in 0..programs {
        let Some((subject, written_out, with_loops)) = forms(seed) else {
            continue;
        };
        let what = format!("seed {seed}");
        assert_eq!(with_loops.phase, Phase::Structured);
        assert_valid(&with_loops, &what);
        let text = with_loops.to_string();
        assert_eq!(parse(&text).expect("its text").to_string(), text, "{what}");
        let expected = answers(&written_out, &subject);
        same(&expected, &with_loops, &subject, &what);
        if bounds(&with_loops).is_empty() {
            continue;
        }
        let mut counted = with_loops.clone();
        for pass in ["fold", "dce", "count_rounds"] {
            let pass = hardpath_passes::find(pass).expect("a pass");
            pass.run(&mut counted).expect("nothing to refuse");
        }
        assert_valid(&counted, &what);
        same(&expected, &counted, &subject, &what);
        with_any += 1;
        loops += bounds(&counted).len();
        let is_unknown = |bound: &&Bound| **bound == Bound::Unknown;
        unknown += bounds(&counted).iter().filter(is_unknown).count();
        let mut flat = with_loops.clone();
        if hardpath_passes::lower_structured(&mut flat).is_ok() {
            lowered += 1;
            assert_valid(&flat, &what);
            same(&expected, &flat, &subject, &what);
        }
    }
    println!("{with_any} of {programs} with loops, {unknown} of {loops} not counted, {lowered} written out by passes");
    assert!(with_any * 20 > programs, "{with_any}");
    assert!(lowered * 3 > with_any * 2, "{lowered} of {with_any}");
    assert!(unknown * 5 < loops, "{unknown} of {loops}");
}

/// The whole way from loops to hardware.
#[test]
fn loops_become_hardware() {
    let programs = if full() { 200 } else { 12 };
    let (mut built, mut tried) = (0, 0);
    for seed in 10_000.. {
        let Some((mut subject, _, with_loops)) = forms(seed) else {
            continue;
        };
        let mut flat = with_loops.clone();
        // Which keys a design forgets is told by nobody here.
        if bounds(&with_loops).is_empty()
            || subject.forgets()
            || hardpath_passes::lower_structured(&mut flat).is_err()
        {
            continue;
        }
        subject.hardware.depth = None;
        match run_program(&flat, &subject.packets, subject.hardware) {
            Outcome::Same { .. } => built += 1,
            Outcome::Refused { .. } => {}
            other => panic!("seed {seed}: {other:?}\n{with_loops}"),
        }
        tried += 1;
        if tried == programs {
            break;
        }
    }
    assert!(built * 2 > tried, "{built} of {tried}");
}

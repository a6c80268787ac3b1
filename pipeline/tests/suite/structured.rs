//! Structured programs: what becomes of them before they come here, and what is said when nothing did.

use crate::read;
use hardpath_diagnostic::{Diagnostic, Severity};
use hardpath_ir::interpreter::{run, Prepared, RunError};
use hardpath_ir::maps::Maps;
use hardpath_ir::{Phase, Program};
use hardpath_packet::Sideband;
use hardpath_passes::lower_structured;
use hardpath_pipeline::{compile, dataflow, Options};

/// Looks for a byte that is no padding, from the end of the packet on: how far is it? `BOUND` is what is known of the loop.
const PADDING: &str = "program \"padding\" structured\n\noutput \"verdict\" 32

place0 slot 3 file \"padding.c\" line 17 source \"while (end > data && !end[-1])\"

block0:
    v0:16 = input length
    v1:64 = zext v0
    v2:64 = const 0x0
    v3:64 = const 0x1
    v4:8 = const 0x0
    v5:32 = const 0x0
    jump block1(v1)

block1(v6:64 \"end\") loop BOUND at place0:
    v7:1 = eq v6, v2
    v8:64 \"last\" = sub v6, v3
    v9:8 = packet.load v8
    v10:1 = ne v9, v4
    v11:1 = or v7, v10
    branch v11, block2, block1(v8)

block2:
    v12:64 = sub v1, v6
    v13:32 = slice v12, 0
    v9000:1 = const 0x1
    emit v9000 with v13
";

fn padding(bound: &str) -> (String, Program) {
    let text = PADDING.replace("BOUND", bound);
    let program = read(&text);
    (text, program)
}

fn found(program: &Program, packet: &[u8]) -> u64 {
    let mut maps = Maps::new(&program.maps);
    run(program, &mut maps, packet, &Sideband::default()).first_output()
}

fn is_at_the_loop(error: &Diagnostic, code: &str) {
    assert_eq!((error.severity, error.code), (Severity::Refused, code));
    let place = error.place_text();
    assert!(
        place.contains("padding.c:17: while (end > data && !end[-1])"),
        "{place}"
    );
    assert!(error
        .help
        .as_ref()
        .is_some_and(|help| help.contains("bound the number of rounds")));
}

#[test]
fn a_loop_that_data_bounds_runs_is_text_and_is_no_hardware() {
    let (text, program) = padding("unknown");
    assert_eq!(found(&program, &[1, 2, 3]), 0);
    assert_eq!(found(&program, &[1, 0, 3, 0, 0]), 2);
    assert_eq!(found(&program, &[0; 300]), 300);
    let mut maps = Maps::new(&program.maps);
    let short = Prepared::new(&program).run_within(100, &mut maps, &[0; 300], &Sideband::default());
    assert_eq!(short, Err(RunError::Steps { most: 100 }));

    assert_eq!(program.to_string(), text);

    // The longest packet bounds it, but so many rounds are not written out.
    let errors = lower_structured(&mut program.clone()).expect_err("a round for each byte");
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].code, "program-too-large");
    assert!(errors[0].place_text().contains("padding.c:17"));
    let without_end = text.replace("eq v6, v2", "const 0x0");
    let errors = lower_structured(&mut read(&without_end)).expect_err("nobody knows the bound");
    assert_eq!(errors.len(), 1);
    is_at_the_loop(&errors[0], "loop");
    for errors in [
        compile(program.clone(), &Options::default()).expect_err("a loop"),
        dataflow(&program).expect_err("a loop"),
        hardpath_pipeline::refusals(program, &Options::default()),
    ] {
        assert_eq!(errors.len(), 1);
        is_at_the_loop(&errors[0], "structured-program");
    }
}

#[test]
fn what_has_not_been_written_out_is_refused_with_the_passes() {
    let (_, program) = padding("up-to 3");
    let errors = compile(program, &Options::default()).expect_err("a loop");
    assert!(
        errors[0].place_text().contains("padding.c:17"),
        "{}",
        errors[0]
    );
    let without_loops = "program \"flat\" structured\noutput \"verdict\" 32\nblock0:\nv0:32 = const 2\nv9001:1 = const 1\nemit v9001 with v0\n";
    let mut program = read(without_loops);
    let errors = compile(program.clone(), &Options::default()).expect_err("it is structured");
    assert_eq!(errors[0].code, "structured-program");
    let help = errors[0].help.as_deref().unwrap_or_default();
    assert!(
        help.contains("inline, expand, unroll and flatten"),
        "{help}"
    );
    lower_structured(&mut program).expect("nothing to refuse");
    assert!(compile(program, &Options::default()).is_ok());
}

/// With a loop, a function and a whole operation: hardware that means the same.
#[test]
fn what_has_been_written_out_is_hardware() {
    let text = "program \"checksums\" structured\noutput \"verdict\" 32
block0:
    v0:64 = const 0x0
    v1:8 = packet.load v0
    v2:8 = const 0x3
    v3:8 = and v1, v2
    v4:8 = const 0x0
    v5:32 = const 0x0
    jump block1(v4, v5)
block1(v6:8, v7:32) loop up-to 3:
    v8:1 = ult v6, v3
    branch v8, block2, block3
block2:
    v9:32 = call @one v6, v7
    v10:8 = const 0x1
    v11:8 = add v6, v10
    jump block1(v11, v9)
block3:
    v12:16 = slice v7, 0
    v13:64 = const 0x20
    packet.store v13, v12
    v14:32 = const 0x2
    v9002:1 = const 1
    emit v9002 with v14
function @one returns 32
block4(v20:8, v21:32):
    v22:64 = zext v20
    v23:64 = const 0x2
    v24:64 = add v22, v23
    v25:8 = packet.load v24
    v26:16 = zext v25
    v27:16 = checksum packet up-to 6 v24, v26, v21
    v28:32 = zext v27
    return v28
";
    let program = read(text);
    let mut lowered = program.clone();
    lower_structured(&mut lowered).expect("nothing to refuse");
    assert_eq!(lowered.phase, Phase::ControlFlow);
    let compiled = compile(lowered, &Options::default()).expect("hardware");
    for seed in 0..200u32 {
        let byte = |at: u32| (seed.wrapping_mul(2_654_435_761).rotate_left(at * 5 % 32) >> 7) as u8;
        let mut packet: Vec<u8> = (0..64).map(byte).collect();
        packet[2] %= 9;
        let context = Sideband::default();
        let [expected, found] = [&program, &compiled.scheduled].map(|program| {
            let mut maps = Maps::new(&program.maps);
            run(program, &mut maps, &packet, &context)
        });
        assert_eq!(expected, found, "{packet:02x?}");
    }
}

//! What the scheduler promises: the IR's rules, one commit stage a map, memories and windows apart from entrances.

use hardpath_filetests::case;
use hardpath_ir::{verifier, Phase};
use hardpath_pipeline::delay::Timing;
use hardpath_pipeline::plan::{self, Gate};
use hardpath_pipeline::savings::Without;
use hardpath_pipeline::technology::{ECP5, ULTRASCALE_PLUS};
use hardpath_pipeline::{dataflow, schedule};

#[test]
fn stages_and_entrances() {
    let mut schedules = 0;
    for case in case::all() {
        let (what, mut program) = (&case.name, case.program());
        if program.phase != Phase::ControlFlow {
            continue;
        }
        if hardpath_passes::optimize_control_flow(&mut program).is_err() {
            continue;
        }
        let Ok(program) = dataflow(&program) else {
            continue;
        };
        let clocks = [30.0, 100.0, 250.0, 330.0].map(|mhz| (&ULTRASCALE_PLUS, mhz));
        for (technology, clock_mhz) in clocks.into_iter().chain([(&ECP5, 75.0)]) {
            let timing = Timing {
                technology,
                clock_mhz,
            };
            let Ok(mut plan) = plan::plan(&program, timing) else {
                continue;
            };
            let without = Without::new();
            let Ok(schedule) = schedule::schedule(&program, &mut plan, timing, (&without, false))
            else {
                continue;
            };
            schedules += 1;
            let gates: Vec<u32> = schedule
                .gates(&plan)
                .iter()
                .map(|(stage, _)| *stage)
                .collect();
            let replayed = schedule.replayed(&plan);
            for (number, (access, stages)) in plan.iter().zip(&schedule.accesses).enumerate() {
                let last = stages.last(access);
                assert!(
                    last < schedule.stages,
                    "{what}: the last commit has a stage"
                );
                let first = stages.ports[0];
                // An access with an entrance is in flight from there to its commit, others in two parts.
                let spans = match (access.gate(), schedule.entrances[number]) {
                    (Some(Gate::Keys | Gate::Replay), Some(start)) => vec![(start, last)],
                    _ => vec![
                        (first.table, stages.table_commit),
                        (first.address, stages.commit),
                    ],
                };
                for (start, end) in spans {
                    let straddled = gates.iter().any(|gate| start < *gate && *gate <= end);
                    assert!(
                        !straddled,
                        "{what}: {access:?} {stages:?}, entrances {gates:?}"
                    );
                    // What is run again must not write before it is sure.
                    if let Some((entrance, commit)) = replayed {
                        let inside = entrance <= start && start <= commit;
                        let member = access.gate() == Some(Gate::Replay);
                        assert!(!access.is_written() || member || !inside, "{what}");
                    }
                }
                for port in &stages.ports {
                    if access.has_keys(&program) {
                        assert!(port.table >= 1 && port.address >= port.table + 2, "{what}");
                        assert!(stages.table_commit >= port.table + 2, "{what}");
                    }
                    assert!(stages.commit > port.address, "{what}");
                }
                if let (Some((_, commit)), Some(Gate::Replay)) = (replayed, access.gate()) {
                    assert_eq!(stages.commit, commit, "{what}");
                    assert!(schedule.emit >= commit, "{what}");
                }
            }
            // Credits come back at the exit: nothing may wait behind it.
            assert!(gates.iter().all(|gate| *gate <= schedule.emit), "{what}");
            let mut scheduled = program.clone();
            plan::drop_hints(&mut scheduled, &plan);
            let region = scheduled.region();
            for inst in scheduled.blocks[region].insts.clone() {
                scheduled.insts[inst].stage = schedule.stage_of.get(&inst).copied();
            }
            scheduled.phase = Phase::Scheduled;
            assert_eq!(
                verifier::verify(&scheduled),
                Ok(()),
                "{what} at {clock_mhz} MHz"
            );
        }
    }
    assert!(schedules > 500, "{schedules} schedules");
}

/// Six sums in a row beside a map, which takes a packet four clocks anyway.
const BESIDE_A_MAP: &str = r#"
program "even" control-flow
output "verdict" 32

map @counts array key 4 value 8 entries 256

block0:
    v0:64 = const 0
    v1:32 = packet.load v0
    v2:64 = const 4
    v3:32 = packet.load v2
    v4:64 = const 8
    v5:8 = packet.load v4
    v6:32 = zext v5
    v7:32 = add v1, v3
    v8:32 = add v7, v3
    v9:32 = add v8, v3
    v10:32 = add v9, v3
    v11:32 = add v10, v3
    v12:32 = add v11, v3
    v13:1 = eq v12, v1
    v14:32 = const 1
    v15:32 = const 2
    v16:32 = select v13, v14, v15
    v17:32 = const 0
    v18:64 = const 1
    v19:1, v20:32 = map.lookup @counts v6
    branch v19, block1, block2
block1:
    v21:64 = map.load @counts v20, v17
    v22:64 = add v21, v18
    map.store @counts v20, v17, v22
    jump block2
block2:
    v9000:1 = const 1
    emit v9000 with v16
"#;

#[test]
fn stages_share_the_work() {
    let mut program = case::read(BESIDE_A_MAP);
    hardpath_passes::optimize_control_flow(&mut program).expect("nothing to refuse");
    let program = dataflow(&program).expect("nothing to refuse");
    let timing = Timing {
        technology: &ECP5,
        clock_mhz: 56.0,
    };
    let mut plan = plan::plan(&program, timing).expect("planned");
    let without = Without::new();
    let full = schedule::schedule(&program, &mut plan, timing, (&without, false));
    let Ok(full) = full else {
        panic!("it fits");
    };
    let even = schedule::settled(&program, &plan, full.clone(), &without);
    assert_eq!(even.accesses, full.accesses);
    assert_eq!((even.stages, even.emit), (full.stages, full.emit));
    let levels = (full.levels, even.levels);
    assert!(levels.1 <= levels.0 - 1.0, "{levels:?}");
}

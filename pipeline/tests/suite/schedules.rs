//! What the scheduler promises: the IR's rules, one commit stage a map, memories and windows apart from entrances.

use crate::files;
use hardpath_ir::{verifier, Phase};
use hardpath_pipeline::delay::Timing;
use hardpath_pipeline::plan::{self, Gate};
use hardpath_pipeline::savings::Without;
use hardpath_pipeline::technology::{ECP5, ULTRASCALE_PLUS};
use hardpath_pipeline::{dataflow, schedule};

#[test]
fn stages_and_entrances() {
    let mut schedules = 0;
    for (path, text, _) in files::all() {
        let what = path.display();
        let mut program = files::read(&text);
        if program.phase != Phase::ControlFlow {
            continue;
        }
        hardpath_passes::optimize_control_flow(&mut program).expect("nothing to refuse");
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
    assert!(schedules > 40, "{schedules} schedules");
}

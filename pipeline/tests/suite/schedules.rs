//! What the scheduler promises: the IR's rules, one commit stage a map, memories and windows apart from entrances.

use crate::files;
use hardpath_ir::{verifier, Phase};
use hardpath_pipeline::plan::{self, Class};
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
        for clock_mhz in [30.0, 100.0, 250.0, 330.0] {
            let Ok(plan) = plan::plan(&program, clock_mhz) else {
                continue;
            };
            let Ok(schedule) = schedule::schedule(&program, &plan, clock_mhz) else {
                continue;
            };
            schedules += 1;
            let gates: Vec<u32> = schedule
                .gates(&plan)
                .iter()
                .map(|(stage, _)| *stage)
                .collect();
            for (access, stages) in plan.iter().zip(&schedule.accesses) {
                let last = stages.commit.max(stages.table_commit);
                assert!(
                    last < schedule.stages,
                    "{what}: the last commit has a stage"
                );
                // An interlocked access is in flight from its entrance to its commit, others in two parts.
                let spans = match access.class {
                    Class::Interlock { .. } if stages.table > 0 => vec![(stages.table, last)],
                    Class::Interlock { .. } => vec![(stages.address, last)],
                    _ => vec![
                        (stages.table, stages.table_commit),
                        (stages.address, stages.commit),
                    ],
                };
                for (start, end) in spans {
                    let straddled = gates.iter().any(|gate| start < *gate && *gate <= end);
                    assert!(
                        !straddled,
                        "{what}: {access:?} {stages:?}, entrances {gates:?}"
                    );
                }
                if access.is_hash(&program) {
                    assert!(
                        stages.table >= 1 && stages.address >= stages.table + 2,
                        "{what}"
                    );
                    assert!(stages.table_commit >= stages.table + 2, "{what}");
                }
                assert!(stages.commit > stages.address, "{what}");
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

use hardpath_fuzz::*;
use std::time::Instant;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let get = |n: &str, d: u64| {
        a.iter()
            .position(|x| x == n)
            .map(|p| a[p + 1].parse().unwrap())
            .unwrap_or(d)
    };
    let maps = get("--maps", 40) as u32;
    let features = Features { maps_percent: maps };
    if a[1] == "show" {
        let s = session::subject(
            get("--seed", 1),
            get("--attempt", 0) as u32,
            get("--packets", 4) as u32,
            features,
        );
        println!("{}", case::print(&s, "shown"));
        println!("{:?}", trial::run(&s, Judge::Kernel));
        return;
    }
    if a[1] == "ir" {
        let s = match a.get(2).filter(|x| x.ends_with(".case")) {
            Some(f) => case::parse(&std::fs::read_to_string(f).unwrap()).unwrap(),
            None => session::subject(get("--seed", 1), get("--attempt", 0) as u32, 2, features),
        };
        let o = s.code.object();
        let p = hardpath_ebpf::lift(&o, &o.programs[0]).unwrap();
        println!("{p}");
        let mut f = p.clone();
        hardpath_passes::optimize_control_flow(&mut f).unwrap();
        println!("=== flow\n{f}");
        let d = hardpath_pipeline::dataflow(&f).unwrap();
        println!("=== data\n{d}");
        let c = hardpath_pipeline::compile(
            p,
            &hardpath_pipeline::Options {
                bus_bits: s.hardware.bus_bits,
                ..Default::default()
            },
        )
        .unwrap();
        println!("=== sched\n{}", c.scheduled);
        return;
    }
    if a[1] == "stats" {
        let mut v = vec![];
        for seed in get("--seed", 1)..get("--seed", 1) + get("--n", 100) {
            let s = session::subject(seed, 0, 3, features);
            let o = s.code.object();
            let Ok(p) = hardpath_ebpf::lift(&o, &o.programs[0]) else {
                continue;
            };
            let li: usize = p.insts_in_order().count();
            let Ok(c) = hardpath_pipeline::compile(
                p,
                &hardpath_pipeline::Options {
                    bus_bits: 64,
                    ..Default::default()
                },
            ) else {
                continue;
            };
            v.push((
                c.scheduled.insts_in_order().count(),
                li,
                s.code.units.len(),
                c.report.stages,
                seed,
            ));
        }
        v.sort();
        for q in [0, 10, 25, 50, 75, 90, 99] {
            println!("{q}% {:?}", v[v.len() * q / 100]);
        }
        return;
    }
    if a[1] == "case" {
        let s = case::parse(&std::fs::read_to_string(&a[2]).unwrap()).unwrap();
        println!("{:?}", trial::run(&s, Judge::Kernel));
        return;
    }
    if a[1] == "reject" {
        let (mut acc, mut rej) = (0, 0);
        let mut sum = 0;
        let mut codes = std::collections::BTreeMap::new();
        for seed in get("--seed", 1)..get("--seed", 1) + get("--n", 100) {
            let s = session::subject(seed, 0, 3, features);
            sum += s.code.units.len();
            let t = Instant::now();
            let r = trial::run(&s, Judge::Kernel).unwrap();
            let el = t.elapsed();
            match r {
                Outcome::Rejected(d) => {
                    rej += 1;
                    println!("{seed} REJECT {}", d);
                }
                Outcome::Refused { reason, .. } => {
                    println!("{seed} {el:?} refused {reason}");
                    *codes.entry(reason.code).or_insert(0) += 1;
                }
                Outcome::Same { .. } => {
                    acc += 1;
                    if el.as_millis() > 1500 {
                        println!("{seed} slow {el:?}");
                    }
                }
                Outcome::Failed(f) => println!("{seed} {el:?} FAILED {f:?}"),
            }
        }
        println!("same {acc} rejected {rej} units {sum} {codes:?}");
        return;
    }
    let t = Instant::now();
    let o = FuzzOptions {
        programs: get("--n", 100) as u32,
        packets: get("--packets", 50) as u32,
        seed: get("--seed", 1),
        threads: get("--threads", 2) as usize,
        judge: Judge::Kernel,
        features,
        cases: Some("/tmp/hp/fuzz-cases".into()),
    };
    let r = run(&o, &|_| ()).unwrap();
    for f in &r.failures {
        println!("{} {:?}", f.seed, f.failure);
    }
    println!("programs {} compiled {} refused {} {:?} rejected {} packets {} judged {} failures {:?} in {:?}", r.programs, r.compiled, r.refused, r.refusals, r.rejected_by_kernel, r.packets, r.judged_by_kernel, r.seeds_failed(), t.elapsed());
}

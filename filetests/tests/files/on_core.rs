//! The same files on a core: what packets say there, and hostile traffic with all threads busy.
//!
//! A core takes tens of clocks for a packet where a pipeline takes one, so of a file's alternatives one is run, with fewer packets;
//! `HARDPATH_FULL=1` runs all of them with more, on other sizes, too.

use crate::{failed, number, send};
use hardpath_filetests::processor::Processor;
use hardpath_filetests::torture::torture;
use hardpath_filetests::{case, Case};
use libtest_mimic::Trial;
use std::collections::BTreeSet;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// Lanes and threads.
type Size = (u8, u8);

const USUAL: Size = (4, 32);
/// In the long run each file has one of these, too, in turn.
const OTHERS: [Size; 4] = [(1, 8), (2, 16), (8, 4), (4, 1)];
/// Packets of each kind of traffic, in the long run and else.
const PACKETS: [usize; 2] = [400, 100];

/// A test for each file that sends packets.
pub fn all() -> Vec<Trial> {
    let is_full = std::env::var_os("HARDPATH_FULL").is_some();
    let count = PACKETS[usize::from(!is_full)];
    let mut seen = BTreeSet::new();
    let mut cases = case::all();
    cases.retain(|case| {
        let mut keys = ["torture", "torture-on-a-core", "packet"].iter();
        let sends = keys.any(|key| case.line(key).is_some());
        sends && (seen.insert(case.path.clone()) || is_full)
    });
    let trials = cases.into_iter().enumerate().flat_map(|(at, case)| {
        let other = is_full.then_some(OTHERS[at % OTHERS.len()]);
        let sizes = [USUAL].into_iter().chain(other);
        sizes.map(move |size| trial(case.clone(), size, count))
    });
    trials.collect()
}

fn trial(case: Case, (lanes, threads): Size, count: usize) -> Trial {
    let name = format!("{} on {lanes} lanes, {threads} threads", case.name);
    Trial::test(name, move || {
        failed(|| {
            let run = || run(&case, (lanes, threads), count);
            match known(&case) {
                None => run(),
                // Once it is right, the line goes.
                Some(why) => {
                    let ran = catch_unwind(AssertUnwindSafe(run));
                    assert!(ran.is_err(), "it is right on a core, too: {why}");
                }
            }
        })
    })
}

/// Why this alternative is wrong on a core.
fn known(case: &Case) -> Option<&str> {
    let (words, why) = case.line("not-on-a-core")?.split_once(' ')?;
    case.name.contains(words).then_some(why)
}

fn run(case: &Case, (lanes, threads): Size, count: usize) {
    let Some(processor) = Processor::new(&case.text, lanes, threads) else {
        println!("{}: there is no unit for what it does", case.name);
        return;
    };
    let mut running = processor.start();
    send(case, &mut running);
    let torture_line = case.line("torture").or(case.line("torture-on-a-core"));
    if let Some(line) = torture_line {
        let seed = number(line, "seed").expect("torture has a seed");
        torture(&mut running, seed, count);
    }
}

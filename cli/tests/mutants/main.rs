//! Would the test bench that a design comes with notice? Mutants are drawn, by rule and with a seed, from the printed
//! text of three programs; each is run against the bench in the folder. What the bench does not notice is either shown to
//! be the same design (a proof, or a million packets that it passes like the design), or missed.
//!
//! `HARDPATH_FULL=1` draws a hundred, else ten; `HARDPATH_SEED=N` draws others.

mod build;
mod equivalent;
mod expression;
mod rules;

use build::Folder;
use equivalent::{hardpath, is_proved, LongRun};
use hardpath_testbed::verilator::Tool;
use hardpath_testkit::{parallel, Random};
use rules::{Mutant, RULES};
use std::path::Path;

/// The programs, and options that make their tables so small that a run is short.
const PROGRAMS: [(&str, &[&str]); 3] = [
    ("firewall", &["--max-entries", "flows=512"]),
    (
        "nat",
        &[
            "--max-entries",
            "to_outside=512",
            "--max-entries",
            "to_inside=256",
        ],
    ),
    ("token_bucket", &["--max-entries", "buckets=512"]),
];

#[test]
fn the_bench_notices() {
    let Some(tool) = verilator() else {
        return;
    };
    let is_full = std::env::var_os("HARDPATH_FULL").is_some();
    let number = |name: &str, usual: usize| {
        std::env::var(name).map_or(usual, |text| text.parse().expect("a number"))
    };
    let seed = number("HARDPATH_SEED", 1);
    let count = number("HARDPATH_MUTANTS", if is_full { 100 } else { 10 });
    let mut all = Tally::default();
    // A million packets; every time, a tenth of that must do.
    let chunks = if is_full { 10 } else { 1 };
    let tallies = parallel::map(PROGRAMS.len(), |index| {
        let share = (count + PROGRAMS.len() - 1 - index) / PROGRAMS.len();
        of_program(&tool, PROGRAMS[index], share, seed as u64, chunks)
    });
    for ((program, _), tally) in PROGRAMS.iter().zip(&tallies) {
        println!("{program}: {tally}");
        all.add(tally);
    }
    println!("seed {seed}: {all}");
    assert!(all.caught * 10 >= (all.caught + all.missed) * 9, "{all}");
}

/// What the firewall is there for: its bench must not pass a firewall that lets packets of unknown flows in.
#[test]
fn outside_let_in_without_a_flow() {
    let Some(tool) = verilator() else {
        return;
    };
    let place = tempfile::tempdir().unwrap();
    let (program, options) = PROGRAMS[0];
    let folder = compiled(place.path(), program, options);
    let name = format!("{program}_pipeline.sv");
    let mut files = folder.files().into_iter();
    let (_, text) = files.find(|(other, _)| *other == name).unwrap();
    // A packet from outside goes on where a flow was found, and comes from outside: the first is left out.
    let known = "map_flows_keys_hit && ";
    let lets_in = |mutant: &Mutant| {
        let old = &text[mutant.place.clone()];
        mutant.rule == rules::Rule::Term && old == format!("{known}{}", mutant.becomes)
    };
    let all = rules::mutants(&name, &text).into_iter();
    let broken: Vec<Mutant> = all.filter(lets_in).collect();
    assert_eq!(broken.len(), 1, "{broken:?}");
    let bench = folder.build(&tool, &broken);
    assert!(bench.passes(0, None).0);
    assert!(!bench.passes(1, None).0, "{}", broken[0].words);
}

fn verilator() -> Option<Tool> {
    let tool = hardpath_testbed::verilator::find().ok();
    let required = std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_some();
    assert!(tool.is_some() || !required, "there is no Verilator");
    tool
}

/// What became of mutants.
#[derive(Default)]
struct Tally {
    caught: usize,
    proved: usize,
    /// Very many packets pass.
    same: usize,
    missed: usize,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.caught += other.caught;
        self.proved += other.proved;
        self.same += other.same;
        self.missed += other.missed;
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(
            f,
            "{} mutants: {} caught, {} missed; equivalent: {} by proof, {} by packets",
            self.caught + self.missed + self.proved + self.same,
            self.caught,
            self.missed,
            self.proved,
            self.same
        )
    }
}

/// A folder for a program, inside a place.
fn compiled(place: &Path, program: &str, options: &[&str]) -> Folder {
    let folder = Folder {
        path: place.join("design"),
        top: program.to_owned(),
    };
    let object = format!("build/programs/{program}.o");
    let compile = ["compile", &object, "-o", folder.path.to_str().unwrap()];
    hardpath(&[&compile[..], options].concat());
    folder
}

fn of_program(
    tool: &Tool,
    (program, options): (&str, &[&str]),
    count: usize,
    seed: u64,
    chunks: u32,
) -> Tally {
    let place = tempfile::tempdir().unwrap();
    let folder = compiled(place.path(), program, options);
    let files = folder.files().into_iter();
    let all = files.flat_map(|(name, text)| rules::mutants(&name, &text));
    let drawn = draw(all.collect(), count, &mut Random::new(seed));
    let bench = folder.build(tool, &drawn);
    let (passed, said) = bench.passes(0, None);
    assert!(passed, "{program}: {said}");

    let mut tally = Tally::default();
    let mut long_run = None;
    for (number, mutant) in (1..).zip(&drawn) {
        let mut passes_long_run = || {
            let make = || LongRun::make(&folder, program, options, chunks);
            long_run.get_or_insert_with(make).passes(&bench, number)
        };
        let (what, tallied) = if !bench.passes(number, None).0 {
            ("caught", &mut tally.caught)
        } else if is_proved(&folder, mutant) {
            ("equivalent by proof", &mut tally.proved)
        } else if passes_long_run() {
            ("equivalent by packets", &mut tally.same)
        } else {
            ("missed", &mut tally.missed)
        };
        *tallied += 1;
        println!("{what}: {:?} {}", mutant.rule, mutant.words);
    }
    tally
}

/// So many of them; each rule as often as any other, as far as it has any.
fn draw(all: Vec<Mutant>, count: usize, random: &mut Random) -> Vec<Mutant> {
    let mut by_rule: Vec<Vec<Mutant>> = (RULES.iter())
        .map(|rule| {
            all.iter()
                .filter(|mutant| mutant.rule == *rule)
                .cloned()
                .collect()
        })
        .collect();
    let mut drawn = Vec::new();
    let mut turn = 0;
    while drawn.len() < count && by_rule.iter().any(|of_rule| !of_rule.is_empty()) {
        let of_rule = &mut by_rule[turn % RULES.len()];
        turn += 1;
        if !of_rule.is_empty() {
            let at = random.below(of_rule.len() as u64) as usize;
            drawn.push(of_rule.swap_remove(at));
        }
    }
    drawn
}

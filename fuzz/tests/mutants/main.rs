//! Would the fuzzer notice? Mutants are drawn, by rule and with a seed, from the node lists of the designs that a run makes;
//! each is put into every design of the run that has its place, in memory, before the simulator gets the design. What no
//! program of the run notices is either shown to be the same (a proof, or very many packets that do not notice it either: other
//! traffic for the programs that have its place, and hundreds of further, longer programs), or missed, which is printed.
//!
//! The run is that of `hardpath fuzz` without options. `HARDPATH_FULL=1` draws forty mutants and a fresh seed's forty, else
//! ten; `HARDPATH_SEED=N` draws others, `HARDPATH_MUTANTS=N` so many.

mod rules;

use hardpath_fuzz::session::{subject, subject_with};
use hardpath_fuzz::trial::Ready;
use hardpath_fuzz::{Failure, Features};
use hardpath_rtl::{verilog, Design};
use hardpath_testkit::{parallel, proof, Random};
use rules::{Mutant, Rule, RULES};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// Programs, packets and first seed of a run without options.
const PROGRAMS: u64 = 1000;
const PACKETS: u32 = 50;
const FIRST_SEED: u64 = 1;
/// Mutants are drawn from the designs of so many programs.
const DRAWN_FROM: usize = 40;
/// Programs of the longer run, and packets of each.
const FURTHER: u64 = 600;
const MORE_PACKETS: u32 = 100;
/// So many further runs of packets go through each of so many designs that have a mutant.
const OTHER_TRAFFIC: usize = 20;
const OF_DESIGNS: usize = 12;
/// Of a hundred mutants that are not the same so many may be missed; of a few, one.
const MOST_MISSED: usize = 5;
/// Different texts of a broken module for which a proof is looked for.
const MOST_PROOFS: usize = 8;

#[test]
fn the_run_notices() {
    let is_full = std::env::var_os("HARDPATH_FULL").is_some();
    let number = |name: &str, usual: u64| {
        std::env::var(name).map_or(usual, |text| text.parse().expect("a number"))
    };
    let seed = number("HARDPATH_SEED", 1);
    let count = number("HARDPATH_MUTANTS", if is_full { 40 } else { 10 }) as usize;
    check(seed, count, is_full);
    if is_full {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        check(
            now.unwrap().as_micros() as u64 % 1_000_000_000,
            count,
            is_full,
        );
    }
}

/// What became of mutants.
#[derive(Default, Debug)]
struct Tally {
    noticed: usize,
    proved: usize,
    /// Very many packets show nothing.
    same: usize,
    missed: usize,
}

fn check(seed: u64, count: usize, is_full: bool) {
    let run = Run::new(FIRST_SEED, PROGRAMS, PACKETS);
    let mutants = draw(&run, count, &mut Random::new(seed));
    let mut tally = Tally::default();
    for mutant in &mutants {
        match run.notices(mutant) {
            Some((seed, failure)) => {
                tally.noticed += 1;
                let layer = failure.layer.name();
                println!("noticed: {mutant}: seed {seed}, {layer}: {}", failure.text);
            }
            None if run.is_proved(mutant) => {
                tally.proved += 1;
                println!("the same, by proof: {mutant}");
            }
            None => {
                let shown = run.shown(mutant);
                let other = run.notices_in_other_traffic(mutant, is_full);
                let found = other.or_else(|| further(mutant, is_full));
                let (what, tallied) = match found {
                    None => ("the same in many further runs", &mut tally.same),
                    Some(_) => ("missed: noticed by further runs alone", &mut tally.missed),
                };
                *tallied += 1;
                println!("{what}: {mutant}");
                println!(
                    "  {}{shown}",
                    no_promise(mutant, &shown).unwrap_or("nothing of it was seen")
                );
                if let Some((seed, failure)) = found {
                    println!("  seed {seed}, {}: {}", failure.layer.name(), failure.text);
                }
            }
        }
    }
    println!("seed {seed}: {tally:?}");
    assert_eq!(mutants.len(), count);
    let different = tally.noticed + tally.missed;
    let may_be_missed = (different * MOST_MISSED / 100).max(1);
    assert!(tally.missed <= may_be_missed, "seed {seed}: {tally:?}");
}

/// Why a mutant may make no difference that anybody was promised, by what it changes.
fn no_promise(mutant: &Mutant, shown: &str) -> Option<&'static str> {
    let is_of_ages = ["ages_", "_before_"]
        .iter()
        .any(|word| shown.contains(word));
    if mutant.kind == "map_hash" {
        return Some("where a key stands is nobody's business: any function of the key will do");
    }
    if mutant.kind == "map_keys" && is_of_ages {
        return Some("which key a full LRU map forgets is nobody's promise");
    }
    let waits = mutant.rule == Rule::Reset || mutant.what == "and";
    if mutant.kind == "interlock" && waits {
        return Some("a packet waits where it need not: nothing but clocks are lost");
    }
    let always_writes = mutant.rule == Rule::Write && mutant.way % 2 == 1;
    if mutant.kind == "top" && always_writes {
        return Some("a word of the frame FIFO is written again before it is read");
    }
    let of_credits = mutant.kind == "ingress" && shown.contains("in_flight <");
    of_credits.then_some("one packet more or less is inside, and there is room to spare")
}

/// Programs that no run without options has, longer ones.
fn further(mutant: &Mutant, is_full: bool) -> Option<(u64, Failure)> {
    let programs = if is_full { FURTHER } else { FURTHER / 4 };
    Run::new(1_000_000, programs, MORE_PACKETS).notices(mutant)
}

/// A program with the names of its maps.
type Named = (Ready, Vec<String>);

/// Programs, which are made when somebody asks for them.
struct Run {
    first_seed: u64,
    packets: u32,
    /// Those made so far. `None`: refused.
    made: Vec<OnceLock<Option<Named>>>,
}

impl Run {
    fn new(first_seed: u64, programs: u64, packets: u32) -> Run {
        Run {
            first_seed,
            packets,
            made: (0..programs).map(|_| OnceLock::new()).collect(),
        }
    }

    fn get(&self, index: usize) -> Option<&Named> {
        let make = || {
            let seed = self.first_seed + index as u64;
            let subject = subject(seed, 0, self.packets, Features::default());
            let maps = subject.code.maps.iter().map(|map| map.name.clone());
            let maps = maps.collect();
            Ready::of(&subject).map(|ready| (ready, maps))
        };
        self.made[index].get_or_init(make).as_ref()
    }

    /// A program, its design with the mutant, and which modules of it have that; `None`: there is none, or it has no such place.
    fn with(&self, number: usize, mutant: &Mutant) -> Option<(&Ready, Design, Vec<String>)> {
        let (ready, maps) = self.get(number)?;
        let (design, broken) = rules::with(&ready.compiled.design, maps, mutant)?;
        Some((ready, design, broken))
    }

    /// The first program that shows the mutant: its seed, and how.
    fn notices(&self, mutant: &Mutant) -> Option<(u64, Failure)> {
        parallel::first(self.made.len(), |number| {
            let seed = self.first_seed + number as u64;
            let (ready, design, _) = self.with(number, mutant)?;
            Some((seed, ready.failure_of(design)?))
        })
    }

    /// The first program that shows the mutant when other packets come, in the designs that have it.
    fn notices_in_other_traffic(&self, mutant: &Mutant, is_full: bool) -> Option<(u64, Failure)> {
        let all = 0..self.made.len();
        let designs = all.filter_map(|number| {
            let (_, design, _) = self.with(number, mutant)?;
            Some((self.first_seed + number as u64, design))
        });
        let designs: Vec<(u64, Design)> = designs.take(OF_DESIGNS).collect();
        let runs = if is_full { OTHER_TRAFFIC } else { 2 };
        parallel::first(designs.len() * runs, |number| {
            let (seed, design) = &designs[number / runs];
            let traffic = (number % runs + 1) as u64;
            let subject = subject_with(*seed, 0, MORE_PACKETS, Features::default(), traffic);
            let ready = Ready::of(&subject)?;
            Some((*seed, ready.failure_of(design.clone())?))
        })
    }

    /// How many designs have the mutant, and what it does to the text of the first.
    fn shown(&self, mutant: &Mutant) -> String {
        let mut designs = 0;
        let mut lines = String::new();
        for number in 0..self.made.len() {
            let Some((ready, design, broken)) = self.with(number, mutant) else {
                continue;
            };
            designs += 1;
            if designs == 1 {
                let [old, new] =
                    [&ready.compiled.design, &design].map(|design| text(design, &broken[0]));
                let new: BTreeSet<&str> = new.lines().collect();
                let gone = old.lines().filter(|line| !new.contains(line));
                lines = gone
                    .take(3)
                    .map(|line| format!("\n    {}", line.trim()))
                    .collect();
            }
        }
        format!(" (in {designs} designs; in the first it changes{lines})")
    }

    /// Whether the modules with the mutant are proved to be what they were, in all designs of the run.
    fn is_proved(&self, mutant: &Mutant) -> bool {
        if !proof::is_there() {
            let required = std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_some();
            assert!(!required, "there is no yosys");
            return false;
        }
        let mut seen = BTreeSet::new();
        for number in 0..self.made.len() {
            let Some((ready, design, broken)) = self.with(number, mutant) else {
                continue;
            };
            for module in broken {
                let texts = [&ready.compiled.design, &design].map(|design| text(design, &module));
                if !seen.insert(texts.clone()) {
                    continue;
                }
                if seen.len() > MOST_PROOFS || !is_same(&ready.compiled.design, &module, &texts[1])
                {
                    return false;
                }
            }
        }
        !seen.is_empty()
    }
}

fn text(design: &Design, module: &str) -> String {
    let file = format!("{module}.sv");
    let files = verilog::print(design).expect("each module has a text");
    let mut files = files.into_iter();
    let found = files.find(|(name, _)| *name == file);
    found.expect("each module has a file").1
}

fn is_same(design: &Design, module: &str, other: &str) -> bool {
    let place = tempfile::tempdir().unwrap();
    for (name, text) in verilog::print(design).expect("each module has a text") {
        std::fs::write(place.path().join(name), text).unwrap();
    }
    proof::is_same(place.path(), &format!("{module}.sv"), other)
}

/// So many mutants; each rule as often as any other, and of a rule each kind of module.
fn draw(run: &Run, count: usize, random: &mut Random) -> Vec<Mutant> {
    let mut all: BTreeMap<(usize, String), BTreeSet<Mutant>> = BTreeMap::new();
    for number in 0..DRAWN_FROM {
        let Some((ready, maps)) = run.get(number) else {
            continue;
        };
        for mutant in rules::mutants(&ready.compiled.design, maps) {
            let rule = RULES.iter().position(|rule| *rule == mutant.rule);
            let key = (rule.expect("one of them"), mutant.kind.clone());
            all.entry(key).or_default().insert(mutant);
        }
    }
    let mut drawn = Vec::new();
    for turn in 0.. {
        if drawn.len() == count || all.is_empty() {
            return drawn;
        }
        let kinds: Vec<_> = (all.keys().filter(|(rule, _)| *rule == turn % RULES.len()))
            .cloned()
            .collect();
        if kinds.is_empty() {
            continue;
        }
        let kind = random.pick(&kinds).clone();
        let of_kind: Vec<Mutant> = all[&kind].iter().cloned().collect();
        let mutant = random.pick(&of_kind).clone();
        if of_kind.len() == 1 {
            all.remove(&kind);
        } else if let Some(left) = all.get_mut(&kind) {
            left.remove(&mutant);
        }
        drawn.push(mutant);
    }
    drawn
}

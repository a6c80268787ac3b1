//! Would these tests notice? Designs are broken on purpose, one node at a time, and must then be caught: by a wrong
//! packet, answer or map, by an assertion of the design, or because it hangs.
//!
//! Some changes cannot show: what is computed twice, what only matters for speed, what is excluded elsewhere. So a share
//! of them may survive; the test prints which.

use crate::case;
use crate::forgetting::lru;
use hardpath_filetests::hardware::Hardware;
use hardpath_filetests::processor::Processor;
use hardpath_filetests::running::Took;
use hardpath_filetests::torture::torture;
use hardpath_pipeline::Compiled;
use hardpath_rtl::{Design, Module, ModuleId, Node, NodeOp};
use hardpath_testkit::Random;
use std::collections::{BTreeSet, VecDeque};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// A node of a design that becomes something else.
struct Mutant {
    module: ModuleId,
    node: Node,
    change: Change,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    Stuck(bool),
    Operator(&'static str),
    SwappedChoice,
}

/// What a node of this kind can become.
fn changes(op: &NodeOp, width: u32) -> Vec<Change> {
    let mut changes = match op {
        NodeOp::And => vec![Change::Operator("or")],
        NodeOp::Or => vec![Change::Operator("and")],
        NodeOp::Eq => vec![Change::Operator("ne")],
        NodeOp::Ne => vec![Change::Operator("eq")],
        NodeOp::Ult => vec![Change::Operator("ule")],
        NodeOp::Ule => vec![Change::Operator("ult")],
        NodeOp::Add => vec![Change::Operator("sub")],
        NodeOp::Sub => vec![Change::Operator("add")],
        NodeOp::Mux => vec![Change::SwappedChoice],
        NodeOp::Not | NodeOp::ReduceOr | NodeOp::ReduceAnd => vec![],
        _ => return Vec::new(),
    };
    if width == 1 {
        changes.extend([Change::Stuck(false), Change::Stuck(true)]);
    }
    changes
}

fn operator(name: &str) -> NodeOp {
    match name {
        "or" => NodeOp::Or,
        "and" => NodeOp::And,
        "eq" => NodeOp::Eq,
        "ne" => NodeOp::Ne,
        "ule" => NodeOp::Ule,
        "ult" => NodeOp::Ult,
        "add" => NodeOp::Add,
        "sub" => NodeOp::Sub,
        _ => unreachable!("{name}"),
    }
}

impl Mutant {
    fn apply(&self, design: &mut Design) {
        let node = &mut design.modules[self.module].nodes[self.node];
        match self.change {
            Change::Stuck(to) => {
                node.op = NodeOp::Const(vec![u64::from(to)]);
                node.args.clear();
            }
            Change::Operator(name) => node.op = operator(name),
            Change::SwappedChoice => node.args.swap(1, 2),
        }
    }

    fn describe(&self, design: &Design) -> String {
        let module = &design.modules[self.module];
        let node = &module.nodes[self.node];
        format!(
            "{}: {} {:?} {} (of {}; in {}) -> {:?}",
            module.name,
            node.section.map_or("", |section| &module.sections[section]),
            node.op,
            node.name.as_deref().unwrap_or("-"),
            self.named(module, |from, other| {
                module.nodes[from].args.contains(&other)
            }),
            self.named(module, |from, other| {
                module.nodes[other].args.contains(&from)
            }),
            self.change
        )
    }

    /// The nearest nodes with names on one side: `beside` says which are beside one.
    fn named(&self, module: &Module, beside: impl Fn(Node, Node) -> bool) -> String {
        let name = |node: Node| match &module.nodes[node].op {
            NodeOp::Reg(reg) => Some(module.regs[*reg].name.clone()),
            NodeOp::Input(port) => Some(module.ports[*port as usize].name.clone()),
            NodeOp::MemRead(mem, _) => Some(module.mems[*mem].name.clone()),
            _ => module.nodes[node].name.clone(),
        };
        let mut names = Vec::new();
        let mut seen = BTreeSet::from([self.node]);
        let mut open = VecDeque::from([self.node]);
        while let Some(node) = open.pop_front() {
            for other in module.nodes.keys() {
                if !beside(node, other) || !seen.insert(other) {
                    continue;
                }
                match name(other) {
                    Some(name) => names.push(name),
                    None => open.push_back(other),
                }
            }
            for reg in module.regs.values() {
                if reg.next == Some(node) || reg.enable == Some(node) {
                    names.push(format!("next {}", reg.name));
                }
            }
            if names.len() > 3 {
                break;
            }
        }
        names.truncate(5);
        names.join(", ")
    }
}

/// Nodes of a module that something besides an assertion depends on.
fn live(design: &Design, module: ModuleId) -> BTreeSet<Node> {
    let module = &design.modules[module];
    let mut open: Vec<Node> = Vec::new();
    for port in &module.ports {
        if let hardpath_rtl::Direction::Output(node) = port.direction {
            open.push(node);
        }
    }
    for reg in module.regs.values() {
        open.extend(reg.next);
        open.extend(reg.enable);
    }
    for mem in module.mems.values() {
        open.extend(
            (mem.writes.iter()).flat_map(|write| [write.address, write.data, write.enable]),
        );
        open.extend(
            (mem.reads.iter())
                .flat_map(|read| [Some(read.address), read.enable].into_iter().flatten()),
        );
    }
    for instance in module.instances.values() {
        open.extend(instance.inputs.iter().map(|(_, node)| *node));
    }
    let mut live = BTreeSet::new();
    while let Some(node) = open.pop() {
        if live.insert(node) {
            open.extend(&module.nodes[node].args);
        }
    }
    live
}

/// All that can be done to the modules whose name holds one of `places`.
fn mutants(design: &Design, places: &[&str]) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for (id, module) in &design.modules {
        if !places.iter().any(|place| module.name.contains(place)) {
            continue;
        }
        for node in live(design, id) {
            let data = &module.nodes[node];
            for change in changes(&data.op, data.width) {
                mutants.push(Mutant {
                    module: id,
                    node,
                    change,
                });
            }
        }
    }
    mutants
}

/// How many of `count` mutants of a pipeline the traffic catches; those that it does not are printed.
fn caught(text: &str, places: &[&str], seed: u64, count: usize) -> (usize, usize) {
    let sound = Hardware::new(text, 512);
    let (program, compiled) = (sound.program.clone(), sound.compiled);
    let run = |design: Design| {
        let compiled = Compiled {
            design,
            ..compiled.clone()
        };
        torture(&mut Hardware::with(program.clone(), compiled), 31, 600);
        Vec::new()
    };
    let all = mutants(&compiled.design, places);
    caught_by(&run, &compiled.design, all, (seed, count))
}

/// What has no part in the order: the bytes of keys and values on their way. Other tests look at them.
const DATA_ON_A_CORE: &str = "Words for buffers";
/// Clocks without progress after which a core hangs: its programs here end after a few hundred rows.
const PATIENCE: u64 = 20_000;

/// The same of a core, with fewer packets: each takes tens of clocks there. One that is only slower is caught, too: that is what becomes of
/// one whose packets begin again for nothing.
fn caught_on_a_core(text: &str, places: &[&str], seed: u64, count: usize) -> (usize, usize) {
    let sound = Processor::new(text, 4, 8).expect("a core has all units for it");
    let run = |design: Design| {
        let mut broken = sound.clone();
        broken.design = design;
        let mut running = broken.start();
        running.patience = Some(PATIENCE);
        torture(&mut running, 31, 80);
        running.took
    };
    let mut all = mutants(&sound.design, places);
    all.retain(|mutant| {
        let module = &sound.design.modules[mutant.module];
        let section = module.nodes[mutant.node].section;
        section.is_none_or(|section| module.sections[section] != DATA_ON_A_CORE)
    });
    caught_by(&run, &sound.design, all, (seed, count))
}

/// Whether one of the runs took a twentieth more clocks than that of the sound design, or more than half as many packets again, and ten,
/// began again.
fn is_slower(took: &[Took], sound: &[Took]) -> bool {
    took.iter().zip(sound).any(|(took, sound)| {
        let begins_again = took.reruns > sound.reruns + sound.reruns / 2 + 10;
        begins_again || took.clocks * 20 > sound.clocks * 21
    })
}

/// Of a design that this runs.
fn caught_by(
    run: &dyn Fn(Design) -> Vec<Took>,
    sound: &Design,
    mut all: Vec<Mutant>,
    (seed, count): (u64, usize),
) -> (usize, usize) {
    assert!(!all.is_empty(), "the places name no module");
    let mut random = Random::new(seed);
    let usual = run(sound.clone());
    let (mut tried, mut caught) = (0, 0);
    while tried < count && !all.is_empty() {
        let mutant = all.swap_remove(random.below(all.len() as u64) as usize);
        let mut broken = sound.clone();
        mutant.apply(&mut broken);
        tried += 1;
        let took = catch_unwind(AssertUnwindSafe(|| run(broken)));
        match took.map_or(true, |took| is_slower(&took, &usual)) {
            true => caught += 1,
            false => println!("survives: {}", mutant.describe(sound)),
        }
    }
    (caught, tried)
}

/// What a core's serial equivalence rests on: whose turn it is, requests to the maps with the log of additions, and who has read too early.
/// `HARDPATH_FULL=1` tries many more, `HARDPATH_SEED` others.
#[test]
fn broken_order_shows_on_a_core() {
    be_silent_here();
    let full = std::env::var_os("HARDPATH_FULL").is_some();
    let seed = std::env::var("HARDPATH_SEED").map_or(1, |seed| seed.parse().expect("a number"));
    // Of few it is luck how many are such as hardly show.
    let (count, percent) = if full { (40, 75) } else { (10, 60) };
    let places = ["_requests", "_threads"];
    let text = case("all_that_orders", &[]);
    let (caught, tried) = caught_on_a_core(&text, &places, seed, count);
    println!("all that orders, on a core: {caught} of {tried} caught");
    assert!(
        caught * 100 >= tried * percent,
        "only {caught} of {tried} broken cores were noticed"
    );
}

/// The parts on which serial equivalence rests: tables and their forwarding, entrances, the stages around them.
/// `HARDPATH_FULL=1` tries many more.
#[test]
fn broken_hazard_logic_shows() {
    be_silent_here();
    let full = std::env::var_os("HARDPATH_FULL").is_some();
    let count = if full { 500 } else { 40 };
    // Compares of 64 bits, which stand in the pipeline, hardly ever depend on their lower bits.
    let values = ["_values", "_interlock_", "_segment_"];
    let all = ["_map_", "_interlock_", "_segment_"];
    let programs = [
        (
            "values",
            case("hash_values", &[("ENTRIES", "16"), ("WORD", "late")]),
            &values,
            75,
        ),
        ("array", case("product", &[("ENTRIES", "5")]), &all, 75),
        (
            "keys",
            case("hash_everything", &[("ENTRIES", "16"), ("WORD", "late")]),
            &all,
            75,
        ),
        (
            "forwarded keys",
            case("hash_everything", &[("ENTRIES", "16"), ("WORD", "soon")]),
            &all,
            75,
        ),
        (
            "two windows",
            case("two_hashes", &[("FIRST", "late"), ("SECOND", "late")]),
            &all,
            75,
        ),
        // A packet that runs again does without most of what is forwarded to it.
        ("replay", case("update_one_delete_other", &[]), &all, 40),
        // Ages only decide who goes, which is nobody's promise here; the tests of the blocks look at them.
        (
            "forgetting",
            lru(&case(
                "hash_everything",
                &[("ENTRIES", "8"), ("WORD", "soon")],
            )),
            &all,
            50,
        ),
    ];
    for (name, text, places, percent) in programs {
        let (caught, tried) = caught(&text, places, 1, count);
        println!("{name}: {caught} of {tried} caught");
        assert!(
            caught * 100 >= tried * percent,
            "{name}: only {caught} of {tried} broken designs were noticed"
        );
    }
}

/// Keeps this thread's panics, which are wanted here, out of the output; `println` stays.
pub fn be_silent_here() {
    let usual = std::panic::take_hook();
    let here = std::thread::current().id();
    std::panic::set_hook(Box::new(move |panic| {
        let wanted = panic
            .location()
            .is_some_and(|place| place.file().ends_with("running.rs"));
        if std::thread::current().id() != here || !wanted {
            usual(panic);
        }
    }));
}

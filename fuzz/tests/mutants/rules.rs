//! What can be broken in a design, by rule; no rule knows a name.
//!
//! A mutant is a place and what happens there. A place is found again in other designs: it is the kind of a module, the
//! heading under which a node stands, what the node does, and the how manieth of these it is. So a mutant of a block is broken
//! wherever the block stands, for each port and in each of its clocks, as if its description were wrong.

use hardpath_rtl::{Design, Direction, MemData, Module, Node, NodeData, NodeOp, RegData};
use std::collections::{BTreeMap, HashSet};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rule {
    /// And for or, addition for subtraction, and the other way round.
    Operator,
    /// Inverted, or off by one.
    Compare,
    /// One more or one less, where one node uses it.
    Constant,
    /// The arms of a select change places: what a forwarded value is chosen by, among others.
    Select,
    /// A register always takes its next value, or never.
    Enable,
    /// A term of an and or an or is left out.
    Term,
    /// A register begins with another value after reset.
    Reset,
    /// A memory is always written, or never.
    Write,
}

pub const RULES: [Rule; 8] = [
    Rule::Operator,
    Rule::Compare,
    Rule::Constant,
    Rule::Select,
    Rule::Enable,
    Rule::Term,
    Rule::Reset,
    Rule::Write,
];

/// Something broken at a place.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mutant {
    pub rule: Rule,
    /// The module without the names of program and map.
    pub kind: String,
    pub heading: String,
    /// What the node does, or `register` or `memory`.
    pub what: String,
    /// Which of them under that heading, from 0.
    pub number: usize,
    /// Which of the ways to break it.
    pub way: usize,
}

impl std::fmt::Display for Mutant {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Mutant {
            rule,
            kind,
            heading,
            what,
            number,
            way,
        } = self;
        write!(
            f,
            "{rule:?} {way} of {what} {number} in {kind}, \"{heading}\""
        )
    }
}

/// Where in a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Site {
    Node(Node),
    Register(hardpath_rtl::Reg),
    Memory(hardpath_rtl::Mem),
}

/// Every mutant of a design.
pub fn mutants(design: &Design, maps: &[String]) -> Vec<Mutant> {
    let mut all = Vec::new();
    for module in design.modules.values() {
        let kind = kind(&module.name, maps);
        for ((heading, what, number), site) in sites(module) {
            for (rule, way) in ways(module, site) {
                all.push(Mutant {
                    rule,
                    kind: kind.clone(),
                    heading: heading.clone(),
                    what: what.clone(),
                    number,
                    way,
                });
            }
        }
    }
    all.sort();
    all.dedup();
    all
}

/// The design with the mutant in every place that is meant, and the names of these; `None`: it has none.
pub fn with(design: &Design, maps: &[String], mutant: &Mutant) -> Option<(Design, Vec<String>)> {
    let mut other = design.clone();
    let mut broken = Vec::new();
    for module in other.modules.values_mut() {
        if kind(&module.name, maps) != mutant.kind {
            continue;
        }
        let here = |(heading, what, number): &Key| {
            (heading, what, *number) == (&mutant.heading, &mutant.what, mutant.number)
        };
        let sites = sites(module).into_iter();
        let found: Vec<Site> = sites
            .filter(|(key, site)| {
                here(key) && ways(module, *site).contains(&(mutant.rule, mutant.way))
            })
            .map(|(_, site)| site)
            .collect();
        for site in &found {
            break_it(module, *site, mutant.rule, mutant.way);
        }
        if !found.is_empty() {
            broken.push(module.name.clone());
        }
    }
    (!broken.is_empty()).then_some((other, broken))
}

/// A module's name without those of the program and of maps, and without numbers.
fn kind(name: &str, maps: &[String]) -> String {
    let is_inside = |c: char| c.is_ascii_alphanumeric();
    let of_maps: Vec<&str> = (maps.iter())
        .flat_map(|map| map.split(|c| !is_inside(c)))
        .collect();
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    let words = name.split('_').skip(1);
    let kept: Vec<&str> = words
        .filter(|word| !is_number(word) && !of_maps.contains(word))
        .collect();
    match kept.is_empty() {
        true => String::from("top"),
        false => kept.join("_"),
    }
}

/// A heading of a block without numbers: what stands under it for each port and each clock is written once. A program's own
/// stages are different from each other.
fn heading_of(module: &Module, heading: &str) -> String {
    match module.name.ends_with("_pipeline") {
        true => heading.to_owned(),
        false => heading.chars().filter(|c| !c.is_ascii_digit()).collect(),
    }
}

type Key = (String, String, usize);

/// The places of a module that somebody reads. A module with copies of registers is one of a large design, where each load
/// has one of several: smaller ones have the same places, each of them once.
fn sites(module: &Module) -> Vec<(Key, Site)> {
    if module.regs.values().any(|reg| reg.is_apart) {
        return Vec::new();
    }
    let read = read_nodes(module);
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut all = Vec::new();
    let mut add = |section: Option<hardpath_rtl::Section>, what: String, site| {
        let heading = section.map_or(String::new(), |section| module.sections[section].clone());
        let count = counts.entry((heading.clone(), what.clone())).or_default();
        let place = (heading_of(module, &heading), what.clone(), *count);
        *count += 1;
        all.push((place, site));
    };
    for (node, data) in module.nodes.iter() {
        if read.contains(&node) {
            let debug = format!("{:?}", data.op);
            let what = debug.split([' ', '(']).next().unwrap_or_default();
            add(data.section, what.to_lowercase(), Site::Node(node));
        }
    }
    for (reg, data) in module.regs.iter() {
        add(data.section, "register".into(), Site::Register(reg));
    }
    for (mem, data) in module.mems.iter() {
        add(data.section, "memory".into(), Site::Memory(mem));
    }
    all
}

/// The nodes that something else than an assertion depends on.
fn read_nodes(module: &Module) -> HashSet<Node> {
    let outputs = module.ports.iter().filter_map(|port| match port.direction {
        Direction::Output(node) => Some(node),
        Direction::Input => None,
    });
    let mut waiting: Vec<Node> = outputs.collect();
    for data in module.regs.values() {
        waiting.extend(data.next.iter().chain(&data.enable));
    }
    for data in module.mems.values() {
        for write in &data.writes {
            waiting.extend([write.address, write.data, write.enable]);
        }
        for read in &data.reads {
            waiting.push(read.address);
            waiting.extend(read.enable.iter().chain(&read.zero));
        }
    }
    for data in module.instances.values() {
        waiting.extend(data.inputs.iter().map(|(_, node)| *node));
    }
    let mut read = HashSet::new();
    while let Some(node) = waiting.pop() {
        if read.insert(node) {
            waiting.extend(&module.nodes[node].args);
        }
    }
    read
}

/// The ways to break a place.
fn ways(module: &Module, site: Site) -> Vec<(Rule, usize)> {
    match site {
        Site::Node(node) => ways_of_node(module, &module.nodes[node]),
        Site::Register(reg) => {
            let RegData { enable, reset, .. } = &module.regs[reg];
            let mut all = Vec::new();
            if enable.is_some() {
                all.extend([(Rule::Enable, 0), (Rule::Enable, 1)]);
            }
            if reset.is_some() {
                all.push((Rule::Reset, 0));
            }
            all
        }
        Site::Memory(mem) => {
            let MemData { writes, .. } = &module.mems[mem];
            (0..2 * writes.len())
                .map(|way| (Rule::Write, way))
                .collect()
        }
    }
}

fn ways_of_node(module: &Module, data: &NodeData) -> Vec<(Rule, usize)> {
    let mut all = Vec::new();
    match data.op {
        NodeOp::And | NodeOp::Or => {
            all.push((Rule::Operator, 0));
            all.extend((0..data.args.len()).map(|way| (Rule::Term, way)));
        }
        NodeOp::Add | NodeOp::Sub => all.push((Rule::Operator, 0)),
        NodeOp::Eq | NodeOp::Ne => all.push((Rule::Compare, 0)),
        NodeOp::Ult | NodeOp::Ule | NodeOp::Slt | NodeOp::Sle => {
            all.extend([(Rule::Compare, 0), (Rule::Compare, 1)]);
        }
        NodeOp::Mux => all.push((Rule::Select, 0)),
        _ => {}
    }
    let computes = matches!(
        data.op,
        NodeOp::Add
            | NodeOp::Sub
            | NodeOp::Eq
            | NodeOp::Ne
            | NodeOp::Ult
            | NodeOp::Ule
            | NodeOp::Mux
    );
    for (place, arg) in data.args.iter().enumerate().filter(|_| computes) {
        let width = module.width(*arg);
        if module.as_const(*arg).is_some() && (2..=64).contains(&width) {
            all.extend([(Rule::Constant, 2 * place), (Rule::Constant, 2 * place + 1)]);
        }
    }
    all
}

fn break_it(module: &mut Module, site: Site, rule: Rule, way: usize) {
    match site {
        Site::Node(node) => break_node(module, node, rule, way),
        Site::Register(reg) if rule == Rule::Reset => {
            if let Some(limb) = module.regs[reg]
                .reset
                .as_mut()
                .and_then(|reset| reset.first_mut())
            {
                *limb ^= 1;
            }
        }
        Site::Register(reg) => {
            module.regs[reg].enable = match way {
                0 => None,
                _ => Some(constant(module, 0, 1)),
            };
        }
        Site::Memory(mem) => {
            let stuck = constant(module, way as u64 % 2, 1);
            module.mems[mem].writes[way / 2].enable = stuck;
        }
    }
}

fn break_node(module: &mut Module, node: Node, rule: Rule, way: usize) {
    let data = module.nodes[node].clone();
    let mut args = data.args.clone();
    let mut op = data.op.clone();
    match rule {
        Rule::Operator | Rule::Compare if way == 0 => {
            op = match op {
                NodeOp::And => NodeOp::Or,
                NodeOp::Or => NodeOp::And,
                NodeOp::Add => NodeOp::Sub,
                NodeOp::Sub => NodeOp::Add,
                NodeOp::Eq => NodeOp::Ne,
                NodeOp::Ne => NodeOp::Eq,
                NodeOp::Ult => NodeOp::Ule,
                NodeOp::Ule => NodeOp::Ult,
                NodeOp::Slt => NodeOp::Sle,
                NodeOp::Sle => NodeOp::Slt,
                other => other,
            };
        }
        // a < b is not b <= a.
        Rule::Compare => {
            args.swap(0, 1);
            op = match op {
                NodeOp::Ult => NodeOp::Ule,
                NodeOp::Ule => NodeOp::Ult,
                NodeOp::Slt => NodeOp::Sle,
                _ => NodeOp::Slt,
            };
        }
        Rule::Select => args.swap(1, 2),
        Rule::Term => {
            args.remove(way);
            if args.len() == 1 {
                op = NodeOp::Wire;
            }
        }
        Rule::Constant => {
            let old = args[way / 2];
            let width = module.width(old);
            let value = module.as_const(old).map_or(0, |limbs| limbs[0]);
            let value = match way % 2 {
                0 => value.wrapping_add(1),
                _ => value.wrapping_sub(1),
            };
            args[way / 2] = constant(module, value & (u64::MAX >> (64 - width)), width);
            // Arguments come before who uses them, but a wire's: so the node's work is done behind.
            let behind = module.nodes.push(NodeData {
                op,
                args,
                name: None,
                comment: None,
                ..data
            });
            (op, args) = (NodeOp::Wire, vec![behind]);
        }
        _ => {}
    }
    let place = &mut module.nodes[node];
    (place.op, place.args) = (op, args);
}

fn constant(module: &mut Module, value: u64, width: u32) -> Node {
    module.nodes.push(NodeData {
        op: NodeOp::Const(vec![value]),
        args: Vec::new(),
        width,
        name: None,
        comment: None,
        section: None,
    })
}

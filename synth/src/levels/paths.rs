//! The longest paths in words: where they begin and end, and through which cells they go.

use super::{Arrival, Depth, End, From, Graph, Levels, PathStep, Way, WorstPath, WORST};
use crate::area::{class, Class};
use crate::fanout;
use crate::netlist::{bits, Direction, Net};
use std::collections::{BTreeMap, HashMap};

/// A path that is within so much of the longest one is as bad.
const NEAR: Levels = Levels::tenths(10);
/// Signals beside a path's own that are told at a cell.
const MOST_WITH: usize = 3;

pub(super) fn depth(graph: &Graph, arrivals: &HashMap<Net, Arrival>) -> Depth {
    let paths = Paths {
        graph,
        arrivals,
        loads: fanout::loads(graph.netlist),
    };
    let mut depth = Depth::default();
    let ends = paths.ends();
    if let Some((longest, _)) = ends.first() {
        depth.levels = *longest;
        let near = longest.less(NEAR);
        depth.ends_within_one_level = ends.iter().filter(|(levels, _)| *levels >= near).count();
    }
    depth.worst_paths = paths.worst(&ends);
    let worst = depth.worst_paths.first();
    depth.critical_path = worst.map_or_else(Vec::new, |path| path.cells.clone());
    let (input, output) = (paths.longest_input(), paths.longest_output());
    depth.inputs_levels = levels(&input);
    depth.outputs_levels = levels(&output);
    depth.ports_levels = depth.inputs_levels.max(depth.outputs_levels);
    depth.ports_path = match depth.inputs_levels >= depth.outputs_levels {
        true => input.or(output),
        false => output,
    };
    depth
}

fn levels(path: &Option<WorstPath>) -> Levels {
    path.as_ref().map_or(Levels::ZERO, |path| path.levels)
}

struct Paths<'a> {
    graph: &'a Graph<'a>,
    arrivals: &'a HashMap<Net, Arrival>,
    loads: HashMap<Net, fanout::Pins>,
}

impl<'a> Paths<'a> {
    fn way(&self, net: Net, from: From) -> Option<Way> {
        self.arrivals.get(&net)?[from as usize]
    }

    /// Every register that a path from a register ends at, with its longest one; the longest first.
    fn ends(&self) -> Vec<(Levels, &'a End<'a>)> {
        let mut by_cell: BTreeMap<usize, (Levels, &End)> = BTreeMap::new();
        for end in &self.graph.ends {
            if let Some(way) = self.way(end.net, From::Register) {
                let known = by_cell.entry(end.cell).or_insert((way.levels, end));
                if way.levels > known.0 {
                    *known = (way.levels, end);
                }
            }
        }
        let mut ends: Vec<_> = by_cell.into_values().collect();
        // Stable, so the order of the netlist decides where levels do not.
        ends.sort_by_key(|(levels, _)| std::cmp::Reverse(*levels));
        ends
    }

    /// One for each word that the longest ones end at: the bits of a word say the same.
    fn worst(&self, ends: &[(Levels, &End)]) -> Vec<WorstPath> {
        let mut paths: Vec<WorstPath> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for (levels, end) in ends {
            let last = self.last(end, *levels);
            let word = word(&last.name).to_owned();
            match places.get(&word) {
                Some(place) => {
                    let path: &mut WorstPath = &mut paths[*place];
                    path.ends += usize::from(*levels >= path.levels.less(NEAR));
                }
                None if paths.len() < WORST => {
                    places.insert(word, paths.len());
                    paths.push(self.path(end.net, From::Register, last));
                }
                None => {}
            }
        }
        paths
    }

    /// The longest path from an input to a register.
    fn longest_input(&self) -> Option<WorstPath> {
        let ends = self.graph.ends.iter().rev();
        let reached = ends.filter_map(|end| Some((self.way(end.net, From::Port)?.levels, end)));
        let (levels, end) = reached.max_by_key(|(levels, _)| *levels)?;
        Some(self.path(end.net, From::Port, self.last(end, levels)))
    }

    /// The longest path to an output.
    fn longest_output(&self) -> Option<WorstPath> {
        let outputs = self.graph.netlist.outputs.iter().rev();
        let reached = outputs.flat_map(|(name, net)| {
            [From::Register, From::Port].map(|from| Some((self.way(*net, from)?, name, *net, from)))
        });
        let (way, name, net, from) = reached.flatten().max_by_key(|(way, ..)| way.levels)?;
        let last = PathStep {
            name: name.clone(),
            cell: "port".to_owned(),
            level: way.levels,
            ..PathStep::default()
        };
        Some(self.path(net, from, last))
    }

    /// The longest path that ends with this step, which reads the net.
    fn path(&self, net: Net, from: From, last: PathStep) -> WorstPath {
        let (end, levels) = (last.name.clone(), last.level);
        let mut cells = vec![last];
        let mut net = net;
        while let Some(way) = self.way(net, from) {
            let arc = way.arc.and_then(|arc| self.graph.arcs_into(net).get(arc));
            let Some(arc) = arc else {
                cells.push(self.first(net, from, way.levels));
                break;
            };
            cells.push(self.step(arc.cell, net, (arc.pin, arc.from), way.levels));
            net = arc.from;
        }
        cells.reverse();
        WorstPath {
            begin: cells[0].name.clone(),
            end,
            levels,
            ends: 1,
            cells,
        }
    }

    fn first(&self, net: Net, from: From, level: Levels) -> PathStep {
        let start = self.graph.starts.get(&net);
        let (cell, pin, name) = match (from, start) {
            (From::Register, Some((cell, pin, _))) => {
                let name = self.name(*cell, Some(net));
                (self.graph.netlist.cells[*cell].kind.as_str(), *pin, name)
            }
            _ => ("port", "", self.port(net)),
        };
        PathStep {
            name,
            cell: cell.to_owned(),
            pin: pin.to_owned(),
            level,
            loads: Some(self.loads(net)),
            with: Vec::new(),
        }
    }

    fn port(&self, net: Net) -> String {
        let mut inputs = self.graph.netlist.inputs.iter();
        let port = inputs.find(|(_, input)| *input == net);
        port.map(|(name, _)| name.clone()).unwrap_or_default()
    }

    fn step(&self, cell: usize, net: Net, (pin, from): (&str, Net), level: Levels) -> PathStep {
        let names = &self.graph.netlist.names;
        let mut with = Vec::new();
        if !names.contains_key(&net) {
            let inputs = bits(&self.graph.netlist.cells[cell], Direction::Input);
            let others = inputs.filter(|(_, _, input)| *input != from);
            with.extend(others.filter_map(|(.., input)| names.get(&input).cloned()));
            with.dedup_by(|a, b| word(a) == word(b));
            with.truncate(MOST_WITH);
        }
        PathStep {
            name: self.name(cell, Some(net)),
            cell: self.graph.netlist.cells[cell].kind.clone(),
            pin: pin.to_owned(),
            level,
            loads: Some(self.loads(net)),
            with,
        }
    }

    fn last(&self, end: &End, level: Levels) -> PathStep {
        let cell = &self.graph.netlist.cells[end.cell];
        let mut outputs = bits(cell, Direction::Output).map(|(.., net)| net);
        let output = outputs.find(|net| self.graph.netlist.names.contains_key(net));
        PathStep {
            name: self.name(end.cell, output),
            cell: cell.kind.clone(),
            pin: end.pin.to_owned(),
            level,
            loads: None,
            with: Vec::new(),
        }
    }

    fn loads(&self, net: Net) -> usize {
        self.loads.get(&net).map_or(0, fanout::Pins::sum)
    }

    /// What a cell is called, by the net that it drives on the path.
    fn name(&self, index: usize, net: Option<Net>) -> String {
        let netlist = self.graph.netlist;
        let cell = &netlist.cells[index];
        let own = (!cell.name.starts_with('$')).then_some(&cell.name);
        let is_memory = matches!(
            class(&cell.kind),
            Class::BlockRam { .. } | Class::UltraRam | Class::LutRam { .. }
        );
        if let (true, Some(own)) = (is_memory, own) {
            return memory(own).to_owned();
        }
        let signal = net.and_then(|net| netlist.names.get(&net));
        let place = net.and_then(|net| netlist.places.get(&net));
        let name = signal.or(own).or(place).cloned();
        name.or_else(|| place_of(cell.source.as_deref()?))
            .unwrap_or_else(|| cell.name.clone())
    }
}

/// The first place in the source; the others are the tool's own files.
fn place_of(source: &str) -> Option<String> {
    let place = source.split('|').next()?;
    let line = place.split('.').take(2).collect::<Vec<&str>>().join(".");
    (!place.starts_with('/')).then_some(line)
}

/// The word of which a signal is a bit: `count[3]` is of `count`.
fn word(name: &str) -> &str {
    match name.rsplit_once('[') {
        Some((word, index)) if index.ends_with(']') => word,
        _ => name,
    }
}

/// The memory that a cell is a part of: yosys counts them, `keys.0.3`.
pub(crate) fn memory(cell: &str) -> &str {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    let mut parts = cell.rsplitn(3, '.');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(column), Some(row), Some(memory)) if is_number(column) && is_number(row) => memory,
        _ => cell,
    }
}

//! How deep the logic between registers is: LUT6 levels of the longest paths.
//!
//! A path starts at the output of a register (flip-flop, shift register, memory, registered DSP) or at an input port, goes
//! through combinational cells, and ends at an input of a register or at an output port. Clock pins do not count. The
//! netlist is one that was mapped without wide LUTs ([`crate::yosys`]), so a LUT of it is a LUT of the device. What a cell adds
//! stands in [`weights`]:
//!
//! | cell | levels |
//! |---|---|
//! | LUT | 1 |
//! | `MUXF7`, `MUXF8`, `MUXF9`, `PFUMX`, `L6MUX21` | 0.5 |
//! | carry chain | 1 to enter, and for each carry cell behind the first 0.1; ECP5 (of two bits) 0.04, Agilex (of one bit) 0.02 |
//! | LUT RAM, address to data or clock to data | 1 |
//! | shift register, address to data | 1 |
//! | DSP without a register inside | 4 |
//! | inverters and buffers | 0: an inverter becomes part of the LUT in front of it or behind it |
//!
//! | begin | levels that are gone |
//! |---|---|
//! | flip-flop, shift register | 0 |
//! | block RAM without output register | 2.5 on UltraScale and Agilex, 3.3 on the 7 series, 3.4 on the ECP5 |
//! | UltraRAM without output register | 4 |
//! | block RAM and UltraRAM with their output register | 0 |
//! | DSP with registers | 1.5 |
//!
//! Outputs of a carry cell depend on the inputs at and below their own bit only. The count knows neither fan-out (that is
//! [`crate::fanout`]) nor distance.

mod paths;
pub mod weights;

use crate::area::class;
use crate::netlist::{bits, Direction, Net, Netlist};
use hardpath_diagnostic::Diagnostic;
use serde::{Serialize, Serializer};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Add;

pub(crate) use paths::memory;

/// LUT6 levels; in JSON a number, in text with a tenth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Levels {
    hundredths: u32,
}

impl Levels {
    /// No logic at all.
    pub const ZERO: Levels = Levels::hundredths(0);

    /// So many tenths of a level.
    pub const fn tenths(tenths: u32) -> Levels {
        Levels::hundredths(10 * tenths)
    }

    /// So many hundredths of a level: the finest that there is.
    pub const fn hundredths(hundredths: u32) -> Levels {
        Levels { hundredths }
    }

    /// In levels.
    pub fn number(self) -> f64 {
        f64::from(self.hundredths) / 100.0
    }

    /// So many less; not below none.
    pub fn less(self, other: Levels) -> Levels {
        Levels::hundredths(self.hundredths.saturating_sub(other.hundredths))
    }
}

impl Add for Levels {
    type Output = Levels;

    fn add(self, other: Levels) -> Levels {
        Levels::hundredths(self.hundredths + other.hundredths)
    }
}

impl fmt::Display for Levels {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:.1}", self.number())
    }
}

impl Serialize for Levels {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.number())
    }
}

/// How many of the worst paths are told.
pub const WORST: usize = 20;

/// The longest paths of a netlist.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Depth {
    /// From register to register.
    pub levels: Levels,
    /// From or to a port; what stands outside comes on top. The larger one of the next two.
    pub ports_levels: Levels,
    /// From an input to a register.
    pub inputs_levels: Levels,
    /// From a register or an input to an output.
    pub outputs_levels: Levels,
    /// Registers at which a path from a register ends that has at most one level less than the longest.
    pub ends_within_one_level: usize,
    /// The cells of the longest path from register to register, its ends included; none if there is no such path.
    pub critical_path: Vec<PathStep>,
    /// The longest paths from register to register, one for each word at which they end, the longest first; at most [`WORST`].
    pub worst_paths: Vec<WorstPath>,
    /// The longest path from or to a port.
    pub ports_path: Option<WorstPath>,
}

/// One of the longest paths.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorstPath {
    /// The register or the input where it begins, by its name in the source.
    pub begin: String,
    /// The register or the output where it ends.
    pub end: String,
    /// How deep it is.
    pub levels: Levels,
    /// Bits of the word at the end whose own longest path has at most one level less.
    pub ends: usize,
    /// The cells on the way, both ends included.
    pub cells: Vec<PathStep>,
}

/// A cell on a path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PathStep {
    /// The signal at its output as the text names it, with instances in front: `parser.eth_type_s1[3]`; of a memory its own
    /// name. Logic that the flow made has no name; then this is the place in the source, `instance (file:line)`, or what the
    /// tool calls it.
    pub name: String,
    /// The primitive: `FDRE`, `LUT6`, …; `port` for a port.
    pub cell: String,
    /// The pin through which the path enters the cell; at its begin the one through which it leaves. Empty if the flow tells none.
    pub pin: String,
    /// Levels from the path's start to this cell's output; at the last cell: to its input.
    pub level: Levels,
    /// Pins that the signal at the output drives; `None` at the end, and where the flow does not tell.
    pub loads: Option<usize>,
    /// Named signals that come together in a cell without a name, but for the one of the path.
    pub with: Vec<String>,
}

/// A combinational way into an output bit.
struct Arc<'a> {
    from: Net,
    /// The cell that it goes through, and the pin.
    cell: usize,
    pin: &'a str,
    levels: Levels,
}

/// Where paths begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    Register = 0,
    Port = 1,
}

/// The longest way to a net from registers, and from ports.
type Arrival = [Option<Way>; 2];

/// Levels, and the arc that it comes through (its index in the net's list; none at the start).
#[derive(Clone, Copy)]
struct Way {
    levels: Levels,
    arc: Option<usize>,
}

/// Where a path ends: a pin of a register.
struct End<'a> {
    net: Net,
    cell: usize,
    pin: &'a str,
}

/// # Errors
/// A combinational loop.
pub fn depth(netlist: &Netlist) -> Result<Depth, Diagnostic> {
    let graph = Graph::new(netlist);
    let arrivals = graph.arrivals()?;
    Ok(paths::depth(&graph, &arrivals))
}

struct Graph<'a> {
    netlist: &'a Netlist,
    /// Combinational ways into each net.
    arcs: HashMap<Net, Vec<Arc<'a>>>,
    /// Nets that registers drive: which cell and pin do, and the levels that are gone.
    starts: HashMap<Net, (usize, &'a str, Levels)>,
    /// What registers read, in the order of the netlist.
    ends: Vec<End<'a>>,
}

impl<'a> Graph<'a> {
    fn new(netlist: &'a Netlist) -> Graph<'a> {
        let mut graph = Graph {
            netlist,
            arcs: HashMap::new(),
            starts: HashMap::new(),
            ends: Vec::new(),
        };
        // Carries from cell to cell cost less than others, so these drivers must be known first.
        let cells = netlist.cells.iter();
        let carries: HashSet<Net> = cells.flat_map(weights::carries).collect();
        for index in 0..netlist.cells.len() {
            graph.add(index, &carries);
        }
        graph
    }

    fn add(&mut self, index: usize, carries: &HashSet<Net>) {
        let cell = &self.netlist.cells[index];
        let class = class(&cell.kind);
        for (output, position, net) in bits(cell, Direction::Output) {
            if let Some(levels) = weights::begin(cell, class, output) {
                self.starts.insert(net, (index, output, levels));
            }
            for (pin, at, from) in bits(cell, Direction::Input) {
                let is_chained = carries.contains(&from);
                let through =
                    weights::through(cell, class, (pin, at, is_chained), (output, position));
                if let Some(levels) = through {
                    let arc = Arc {
                        from,
                        cell: index,
                        pin,
                        levels,
                    };
                    self.arcs.entry(net).or_default().push(arc);
                }
            }
        }
        if weights::is_register(cell, class) {
            let inputs = bits(cell, Direction::Input);
            let data = inputs.filter(|(pin, ..)| !weights::is_clock(pin));
            self.ends.extend(data.map(|(pin, _, net)| End {
                net,
                cell: index,
                pin,
            }));
        }
    }

    /// The longest ways to all nets.
    fn arrivals(&self) -> Result<HashMap<Net, Arrival>, Diagnostic> {
        let mut arrivals: HashMap<Net, Arrival> = HashMap::new();
        let way = |levels| Some(Way { levels, arc: None });
        for (net, (.., levels)) in &self.starts {
            arrivals.entry(*net).or_default()[From::Register as usize] = way(*levels);
        }
        for (_, net) in &self.netlist.inputs {
            arrivals.entry(*net).or_default()[From::Port as usize] = way(Levels::ZERO);
        }
        let mut roots: Vec<Net> = self.arcs.keys().copied().collect();
        roots.sort_unstable();
        // Depth first: 1 is open, 2 is done.
        let mut state: HashMap<Net, u8> = HashMap::new();
        for root in roots {
            let mut stack = vec![(root, 0)];
            while let Some((net, next)) = stack.pop() {
                if state.get(&net) == Some(&2) {
                    continue;
                }
                let arcs = self.arcs_into(net);
                state.insert(net, 1);
                match arcs.get(next) {
                    Some(arc) => {
                        stack.push((net, next + 1));
                        match state.get(&arc.from) {
                            None => stack.push((arc.from, 0)),
                            Some(1) => return Err(self.combinational_loop(arc.from)),
                            Some(_) => {}
                        }
                    }
                    None => {
                        let mut arrival = arrivals.get(&net).copied().unwrap_or_default();
                        add_ways(&mut arrival, arcs, &arrivals);
                        arrivals.insert(net, arrival);
                        state.insert(net, 2);
                    }
                }
            }
        }
        Ok(arrivals)
    }

    fn arcs_into(&self, net: Net) -> &[Arc<'a>] {
        self.arcs.get(&net).map_or(&[][..], Vec::as_slice)
    }

    fn combinational_loop(&self, net: Net) -> Diagnostic {
        let name = self.netlist.names.get(&net);
        let name = name.cloned().unwrap_or_else(|| format!("net {net}"));
        Diagnostic::defect(
            "combinational-loop",
            format!("the mapped netlist has a combinational loop through {name}"),
        )
    }
}

/// The longest of the ways that come through the arcs. On a tie the way through cells is the one to show.
fn add_ways(arrival: &mut Arrival, arcs: &[Arc], arrivals: &HashMap<Net, Arrival>) {
    for (index, arc) in arcs.iter().enumerate() {
        let Some(before) = arrivals.get(&arc.from) else {
            continue;
        };
        for (best, before) in arrival.iter_mut().zip(before) {
            let Some(before) = before else { continue };
            let levels = before.levels + arc.levels;
            let is_longer =
                |best: &Way| levels > best.levels || (levels == best.levels && best.arc.is_none());
            if best.as_ref().is_none_or(is_longer) {
                *best = Some(Way {
                    levels,
                    arc: Some(index),
                });
            }
        }
    }
}

#[cfg(test)]
mod tests;

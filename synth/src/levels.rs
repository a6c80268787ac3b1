//! How deep the logic between registers is: LUT levels of the longest path.
//!
//! A path starts at the output of a register (flip-flop, shift register, block RAM, registered DSP) or at an input
//! port, goes through combinational cells, and ends at an input of a register or at an output port. Clock pins do
//! not count. What a cell adds:
//!
//! | cell | levels |
//! |---|---|
//! | LUT | 1 |
//! | inverter behind a LUT | 0: it becomes part of that LUT |
//! | inverter behind anything else | 1 |
//! | `MUXF7`, `MUXF8`, `MUXF9`, buffers | 0 |
//! | carry cell, entered from logic | 1 |
//! | carry cell, entered from another carry cell's carry | 0 |
//! | LUT RAM, address to data | 1 |
//! | shift register, address to data | 1 |
//! | DSP without a register inside | 4: about the delay of so many LUTs with their routing |
//!
//! Outputs of a carry cell depend on the inputs at and below their own bit only.

use crate::area::{class, Class};
use crate::netlist::{Bit, Cell, Direction, Net, Netlist};
use crate::PathStep;
use hardpath_ir::Diagnostic;
use std::collections::{HashMap, HashSet};

/// Levels of a DSP block that holds no register.
const DSP_LEVELS: u32 = 4;

/// The longest paths of a netlist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Depth {
    /// From register to register.
    pub levels: u32,
    /// From or to a port.
    pub port_levels: u32,
    /// Start, cells on the way, end; empty when no path goes from a register to a register.
    pub critical_path: Vec<PathStep>,
}

/// A combinational way into an output bit.
struct Arc {
    from: Net,
    /// The cell that it goes through.
    cell: usize,
    levels: u32,
}

/// The longest way to a net, from registers and from ports: levels, and the arc it comes through (its index in the
/// net's list; none at the start).
#[derive(Clone, Copy, Default)]
struct Arrival {
    from_register: Option<(u32, Option<usize>)>,
    from_port: Option<u32>,
}

pub fn depth(netlist: &Netlist) -> Result<Depth, Diagnostic> {
    let graph = Graph::new(netlist);
    let arrivals = graph.arrivals()?;
    let mut depth = Depth::default();
    let mut longest: Option<(u32, Net, usize)> = None;
    for (net, cell) in &graph.ends {
        let Some(arrival) = arrivals.get(net) else {
            continue;
        };
        if let Some((levels, _)) = arrival.from_register {
            if longest.is_none_or(|(most, ..)| levels > most) {
                longest = Some((levels, *net, *cell));
            }
        }
        depth.port_levels = depth.port_levels.max(arrival.from_port.unwrap_or(0));
    }
    for (_, net) in &netlist.outputs {
        if let Some(arrival) = arrivals.get(net) {
            let from_register = arrival.from_register.map(|(levels, _)| levels);
            let levels = from_register.max(arrival.from_port).unwrap_or(0);
            depth.port_levels = depth.port_levels.max(levels);
        }
    }
    if let Some((levels, net, end)) = longest {
        depth.levels = levels;
        depth.critical_path = graph.path(&arrivals, net, end, levels);
    }
    Ok(depth)
}

struct Graph<'a> {
    netlist: &'a Netlist,
    /// Combinational ways into each net.
    arcs: HashMap<Net, Vec<Arc>>,
    /// Nets that registers drive, and which cell does.
    starts: HashMap<Net, usize>,
    /// Nets that registers read, and which cell does. In the order of the netlist.
    ends: Vec<(Net, usize)>,
}

impl Graph<'_> {
    fn new(netlist: &Netlist) -> Graph<'_> {
        let mut graph = Graph {
            netlist,
            arcs: HashMap::new(),
            starts: HashMap::new(),
            ends: Vec::new(),
        };
        // Carries from cell to cell and inverters behind LUTs are free, so these drivers must be known first.
        let carries: HashSet<Net> = outputs(netlist, Class::Carry)
            .filter(|(_, pin, _)| matches!(*pin, "CO" | "COUT"))
            .map(|(.., net)| net)
            .collect();
        let luts: HashSet<Net> = outputs(netlist, Class::Lut)
            .filter(|(cell, ..)| !is_inverter(cell))
            .map(|(.., net)| net)
            .collect();
        for (index, cell) in netlist.cells.iter().enumerate() {
            graph.add(index, cell, &carries, &luts);
        }
        graph
    }

    fn add(&mut self, index: usize, cell: &Cell, carries: &HashSet<Net>, luts: &HashSet<Net>) {
        let class = class(&cell.kind);
        let is_sequential = match class {
            Class::Lut | Class::WideMux | Class::Carry | Class::Buffer => false,
            Class::Dsp => has_register(cell),
            _ => true,
        };
        let inputs = || bits(cell, Direction::Input);
        for (output, position, net) in bits(cell, Direction::Output) {
            if is_sequential {
                self.starts.insert(net, index);
            }
            for (input, input_position, from) in inputs() {
                let levels = match class {
                    Class::Lut if is_inverter(cell) && luts.contains(&from) => Some(0),
                    Class::Lut => Some(1),
                    Class::WideMux | Class::Buffer => Some(0),
                    Class::Carry => {
                        let below = match (input, output) {
                            ("DI", "O") => input_position < position,
                            ("CI" | "CIN" | "CYINIT", _) => true,
                            _ => input_position <= position,
                        };
                        let chained = matches!(input, "CI" | "CIN") && carries.contains(&from);
                        below.then_some(if chained { 0 } else { 1 })
                    }
                    Class::LutRam { .. } | Class::ShiftRegister => {
                        reads_through(input, output).then_some(1)
                    }
                    Class::Dsp if !is_sequential => Some(DSP_LEVELS),
                    _ => None,
                };
                if let Some(levels) = levels {
                    let arc = Arc {
                        from,
                        cell: index,
                        levels,
                    };
                    self.arcs.entry(net).or_default().push(arc);
                }
            }
        }
        if is_sequential {
            let data = inputs().filter(|(pin, ..)| !is_clock(pin));
            self.ends.extend(data.map(|(_, _, net)| (net, index)));
        }
    }

    /// The longest ways to all nets.
    fn arrivals(&self) -> Result<HashMap<Net, Arrival>, Diagnostic> {
        let mut arrivals: HashMap<Net, Arrival> = HashMap::new();
        for net in self.starts.keys() {
            arrivals.entry(*net).or_default().from_register = Some((0, None));
        }
        for (_, net) in &self.netlist.inputs {
            arrivals.entry(*net).or_default().from_port = Some(0);
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
                let arcs = self.arcs.get(&net).map_or(&[][..], Vec::as_slice);
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
                        let arrival = self.arrival(net, arcs, &arrivals);
                        arrivals.insert(net, arrival);
                        state.insert(net, 2);
                    }
                }
            }
        }
        Ok(arrivals)
    }

    fn arrival(&self, net: Net, arcs: &[Arc], arrivals: &HashMap<Net, Arrival>) -> Arrival {
        let mut best = arrivals.get(&net).copied().unwrap_or_default();
        for (index, arc) in arcs.iter().enumerate() {
            let Some(before) = arrivals.get(&arc.from) else {
                continue;
            };
            if let Some((levels, _)) = before.from_register {
                let levels = levels + arc.levels;
                // On a tie the way through cells is the one to show.
                if best
                    .from_register
                    .is_none_or(|(most, way)| levels > most || (levels == most && way.is_none()))
                {
                    best.from_register = Some((levels, Some(index)));
                }
            }
            let from_port = before.from_port.map(|levels| levels + arc.levels);
            best.from_port = best.from_port.max(from_port);
        }
        best
    }

    fn combinational_loop(&self, net: Net) -> Diagnostic {
        let name = self.netlist.names.get(&net);
        let name = name.cloned().unwrap_or_else(|| format!("net {net}"));
        Diagnostic::defect(
            "combinational-loop",
            format!("the mapped netlist has a combinational loop through {name}"),
        )
    }

    /// The steps of the longest path that ends where the cell `end` reads `net`.
    fn path(
        &self,
        arrivals: &HashMap<Net, Arrival>,
        net: Net,
        end: usize,
        levels: u32,
    ) -> Vec<PathStep> {
        let end_net = bits(&self.netlist.cells[end], Direction::Output)
            .map(|(_, _, net)| net)
            .find(|net| self.netlist.names.contains_key(net));
        let mut steps = vec![self.step(end, end_net, levels)];
        let mut net = net;
        while let Some((level, way)) = arrivals.get(&net).and_then(|a| a.from_register) {
            let Some(arc) = way.and_then(|way| self.arcs.get(&net)?.get(way)) else {
                if let Some(start) = self.starts.get(&net) {
                    steps.push(self.step(*start, Some(net), level));
                }
                break;
            };
            steps.push(self.step(arc.cell, Some(net), level));
            net = arc.from;
        }
        steps.reverse();
        steps
    }

    fn step(&self, cell: usize, net: Option<Net>, level: u32) -> PathStep {
        let cell = &self.netlist.cells[cell];
        let signal = net.and_then(|net| self.netlist.names.get(&net)).cloned();
        let own = (!cell.name.starts_with('$')).then(|| cell.name.clone());
        // The first place in the source; the others are the tool's own files.
        let source = cell.source.as_deref().and_then(|source| {
            let place = source.split('|').next()?;
            let line = place.split('.').take(2).collect::<Vec<&str>>().join(".");
            (!place.starts_with('/')).then_some(line)
        });
        PathStep {
            name: signal
                .or(own)
                .or(source)
                .unwrap_or_else(|| cell.name.clone()),
            cell: cell.kind.clone(),
            level,
        }
    }
}

/// The connected bits of a cell's pins of a direction: pin, position, net.
fn bits(cell: &Cell, direction: Direction) -> impl Iterator<Item = (&str, usize, Net)> {
    let pins = cell
        .pins
        .iter()
        .filter(move |pin| pin.direction == direction);
    pins.flat_map(|pin| {
        let nets = pin.bits.iter().enumerate();
        nets.filter_map(|(position, bit)| match bit {
            Bit::Net(net) => Some((pin.name.as_str(), position, *net)),
            Bit::Constant => None,
        })
    })
}

/// The output bits of all cells of a class: cell, pin, net.
fn outputs(netlist: &Netlist, wanted: Class) -> impl Iterator<Item = (&Cell, &str, Net)> {
    let cells = netlist
        .cells
        .iter()
        .filter(move |cell| class(&cell.kind) == wanted);
    cells.flat_map(|cell| bits(cell, Direction::Output).map(move |(pin, _, net)| (cell, pin, net)))
}

/// An address that an asynchronous read follows.
fn reads_through(input: &str, output: &str) -> bool {
    match output {
        // RAM32M and its kin: DOA follows ADDRA.
        "DOA" | "DOB" | "DOC" | "DOD" | "DOE" | "DOF" | "DOG" | "DOH" => {
            input.strip_prefix("ADDR") == output.strip_prefix("DO")
        }
        // RAM64X1D and its kin: the write port's own word, and the second port.
        "DPO" => input.starts_with("DPRA"),
        _ => {
            input == "A"
                || input
                    .strip_prefix('A')
                    .is_some_and(|n| n.parse::<u8>().is_ok())
        }
    }
}

fn is_inverter(cell: &Cell) -> bool {
    matches!(cell.kind.as_str(), "INV" | "MISTRAL_NOT")
}

fn is_clock(pin: &str) -> bool {
    matches!(pin, "C" | "G" | "CLK" | "WCLK") || pin.contains("CLK")
}

/// Whether any pipeline register of a DSP block is in use.
fn has_register(cell: &Cell) -> bool {
    ["AREG", "BREG", "MREG", "PREG"].iter().any(|name| {
        let value = cell.parameters.get(*name);
        // Not written means the primitive's default, which is 1.
        value.is_none_or(|value| value.contains('1'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netlist::Pin;

    fn cell(kind: &str, pins: &[(&str, Direction, &[Net])]) -> Cell {
        Cell {
            name: format!("${kind}"),
            kind: kind.to_string(),
            source: None,
            parameters: Default::default(),
            pins: pins
                .iter()
                .map(|(name, direction, nets)| Pin {
                    name: name.to_string(),
                    direction: *direction,
                    bits: nets.iter().map(|net| Bit::Net(*net)).collect(),
                })
                .collect(),
        }
    }

    fn flip_flop(d: Net, q: Net) -> Cell {
        use Direction::*;
        cell(
            "FDRE",
            &[("C", Input, &[1]), ("D", Input, &[d]), ("Q", Output, &[q])],
        )
    }

    fn lut(inputs: &[Net], output: Net) -> Cell {
        let names = ["I0", "I1", "I2", "I3", "I4", "I5"];
        let mut pins: Vec<(&str, Direction, Vec<Net>)> = inputs
            .iter()
            .zip(names)
            .map(|(net, name)| (name, Direction::Input, vec![*net]))
            .collect();
        pins.push(("O", Direction::Output, vec![output]));
        let pins: Vec<_> = pins
            .iter()
            .map(|(n, d, nets)| (*n, *d, nets.as_slice()))
            .collect();
        cell(&format!("LUT{}", inputs.len()), &pins)
    }

    #[test]
    fn counts_luts_and_skips_wide_muxes() {
        use Direction::*;
        let mux = cell(
            "MUXF7",
            &[
                ("I0", Input, &[11]),
                ("I1", Input, &[12]),
                ("S", Input, &[10]),
                ("O", Output, &[13]),
            ],
        );
        let netlist = Netlist {
            cells: vec![flip_flop(13, 10), lut(&[10], 11), lut(&[10, 11], 12), mux],
            ..Netlist::default()
        };
        let depth = depth(&netlist).unwrap();
        assert_eq!(depth.levels, 2);
        let kinds: Vec<&str> = depth
            .critical_path
            .iter()
            .map(|s| s.cell.as_str())
            .collect();
        assert_eq!(kinds, ["FDRE", "LUT1", "LUT2", "MUXF7", "FDRE"]);
        let levels: Vec<u32> = depth.critical_path.iter().map(|s| s.level).collect();
        assert_eq!(levels, [0, 1, 2, 2, 2]);
    }

    #[test]
    fn a_carry_chain_counts_once() {
        use Direction::*;
        let first = cell(
            "CARRY4",
            &[("S", Input, &[11]), ("CO", Output, &[20, 21, 22, 23])],
        );
        let second = cell(
            "CARRY4",
            &[
                ("CI", Input, &[23]),
                ("O", Output, &[30]),
                ("CO", Output, &[31]),
            ],
        );
        let third = cell("CARRY4", &[("CI", Input, &[31]), ("O", Output, &[40])]);
        let netlist = Netlist {
            cells: vec![flip_flop(40, 10), lut(&[10], 11), first, second, third],
            ..Netlist::default()
        };
        assert_eq!(depth(&netlist).unwrap().levels, 2);
    }

    #[test]
    fn an_inverter_behind_a_lut_is_free() {
        use Direction::*;
        let inverter = |from, to| cell("INV", &[("I", Input, &[from]), ("O", Output, &[to])]);
        let behind_lut = Netlist {
            cells: vec![flip_flop(12, 10), lut(&[10], 11), inverter(11, 12)],
            ..Netlist::default()
        };
        assert_eq!(depth(&behind_lut).unwrap().levels, 1);
        let behind_register = Netlist {
            cells: vec![flip_flop(11, 10), inverter(10, 11)],
            ..Netlist::default()
        };
        assert_eq!(depth(&behind_register).unwrap().levels, 1);
    }

    #[test]
    fn ports_are_counted_apart() {
        let netlist = Netlist {
            cells: vec![flip_flop(4, 5), lut(&[2], 3), lut(&[3], 4), lut(&[5], 6)],
            inputs: vec![("a".to_string(), 2)],
            outputs: vec![("b".to_string(), 6)],
            ..Netlist::default()
        };
        let found = depth(&netlist).unwrap();
        assert_eq!((found.levels, found.port_levels), (0, 2));
        assert!(found.critical_path.is_empty());
    }

    #[test]
    fn a_loop_is_an_error() {
        let netlist = Netlist {
            cells: vec![lut(&[3], 2), lut(&[2], 3)],
            ..Netlist::default()
        };
        assert_eq!(depth(&netlist).unwrap_err().code, "combinational-loop");
    }

    #[test]
    fn reads_of_lut_ram_follow_their_own_address() {
        assert!(reads_through("ADDRB", "DOB"));
        assert!(!reads_through("ADDRD", "DOB"));
        assert!(!reads_through("DIB", "DOB"));
        assert!(reads_through("DPRA3", "DPO"));
        assert!(reads_through("A0", "SPO"));
        assert!(reads_through("A", "Q"));
        assert!(!reads_through("CE", "Q"));
    }
}

//! How many pins a net drives: what placers and routers suffer from, and levels do not show.
//!
//! Pins of LUTs, flip-flops, carry cells, DSPs and memories count, each bit for one. Clock pins do not, and neither does the
//! synchronous reset: a net that is the port `rst`, or a copy of it in registers. Any other net at a reset pin counts, because
//! tools make resets of data that becomes zero.

use crate::area::{class, is_data, Class};
use crate::levels::weights::is_clock;
use crate::netlist::{bits, Cell, Direction, Net, Netlist};
use serde::Serialize;
use std::collections::{HashMap, HashSet};

/// The port of the synchronous reset.
const RESET: &str = "rst";
/// A net with more pins than these is told.
pub const MANY: usize = 256;
/// So many of them at most.
const MOST_TOLD: usize = 20;

/// Pins that a net drives, by what they belong to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pins {
    /// LUTs, and the multiplexers behind them.
    pub lut: usize,
    /// Data of flip-flops and shift registers.
    pub ff: usize,
    /// Clock enables of these.
    pub enable: usize,
    /// Resets of these.
    pub reset: usize,
    /// Inputs of carry cells.
    pub carry: usize,
    /// Inputs of multipliers.
    pub dsp: usize,
    /// LUT RAM, block RAM, UltraRAM.
    pub memory: usize,
    /// Black boxes.
    pub other: usize,
}

impl Pins {
    /// Pins of all kinds together.
    pub fn sum(&self) -> usize {
        self.numbers().iter().map(|(_, pins)| pins).sum()
    }

    /// Each kind for people, and how many of it.
    pub fn numbers(&self) -> [(&'static str, usize); 8] {
        [
            ("LUT", self.lut),
            ("FF data", self.ff),
            ("FF enable", self.enable),
            ("FF reset", self.reset),
            ("carry", self.carry),
            ("DSP", self.dsp),
            ("memory", self.memory),
            ("other", self.other),
        ]
    }

    fn add(&mut self, class: Class, pin: &str) {
        let count = match class {
            Class::Lut | Class::WideMux => &mut self.lut,
            Class::FlipFlop | Class::ShiftRegister => match pin {
                "CE" | "ENA" => &mut self.enable,
                "R" | "S" | "CLR" | "PRE" | "LSR" | "ACLR" | "SCLR" => &mut self.reset,
                _ => &mut self.ff,
            },
            Class::Carry => &mut self.carry,
            Class::Dsp => &mut self.dsp,
            Class::LutRam { .. } | Class::BlockRam { .. } | Class::UltraRam => &mut self.memory,
            Class::Other => &mut self.other,
            // What stands behind a buffer is a net of its own.
            Class::Buffer => return,
        };
        *count += 1;
    }
}

/// A net that drives many pins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fanout {
    /// Its name in the source, or the place.
    pub net: String,
    /// The primitive that drives it, or `port`.
    pub driver: String,
    /// Pins that it drives.
    pub loads: usize,
    /// The same by kind.
    pub pins: Pins,
}

impl Fanout {
    /// Whether it drives more pins than [`MANY`].
    pub fn is_wide(&self) -> bool {
        self.loads > MANY
    }
}

/// The pins of every net, but for clocks and the reset.
pub fn loads(netlist: &Netlist) -> HashMap<Net, Pins> {
    let resets = resets(netlist);
    let mut loads: HashMap<Net, Pins> = HashMap::new();
    for cell in &netlist.cells {
        let class = class(&cell.kind);
        let inputs = bits(cell, Direction::Input);
        for (pin, _, net) in inputs.filter(|(pin, ..)| !is_clock(pin)) {
            if !resets.contains(&net) {
                loads.entry(net).or_default().add(class, pin);
            }
        }
    }
    loads
}

/// The nets with the most pins, the largest first: the largest one, and all with more than [`MANY`], as far as they can be told.
pub fn widest(netlist: &Netlist) -> Vec<Fanout> {
    let mut nets: Vec<(Net, Pins)> = loads(netlist).into_iter().collect();
    nets.sort_by_key(|(net, pins)| (std::cmp::Reverse(pins.sum()), *net));
    let many = nets.iter().filter(|(_, pins)| pins.sum() > MANY).count();
    nets.truncate(many.clamp(1, MOST_TOLD));
    let mut drivers: HashMap<Net, &Cell> = HashMap::new();
    for cell in &netlist.cells {
        drivers.extend(bits(cell, Direction::Output).map(|(.., net)| (net, cell)));
    }
    let named = |(net, pins): (Net, Pins)| {
        let driver = drivers.get(&net);
        let name = netlist.names.get(&net).or_else(|| netlist.places.get(&net));
        Fanout {
            net: match (name, driver) {
                (Some(name), _) => name.clone(),
                (None, Some(driver)) => driver.name.clone(),
                (None, None) => format!("net {net}"),
            },
            driver: driver.map_or("port", |driver| &driver.kind).to_owned(),
            loads: pins.sum(),
            pins,
        }
    };
    nets.into_iter().map(named).collect()
}

/// The reset, and its copies: what comes of it through registers, inverters and buffers.
fn resets(netlist: &Netlist) -> HashSet<Net> {
    let ports = netlist.inputs.iter().filter(|(name, _)| name == RESET);
    let mut resets: HashSet<Net> = ports.map(|(_, net)| *net).collect();
    loop {
        let before = resets.len();
        for cell in netlist.cells.iter().filter(|cell| copies(cell)) {
            let data = bits(cell, Direction::Input);
            let mut data = data.filter(|(pin, ..)| is_data(pin) || matches!(*pin, "I" | "A"));
            if data.any(|(.., net)| resets.contains(&net)) {
                resets.extend(bits(cell, Direction::Output).map(|(.., net)| net));
            }
        }
        if resets.len() == before {
            return resets;
        }
    }
}

fn copies(cell: &Cell) -> bool {
    let is_inverter = matches!(cell.kind.as_str(), "INV" | "MISTRAL_NOT");
    is_inverter || matches!(class(&cell.kind), Class::FlipFlop | Class::Buffer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netlist::parse_all;

    fn netlist(cells: &str) -> Netlist {
        let json = format!(
            r#"{{"modules": {{"top": {{"cells": {{{cells}}},
            "ports": {{"rst": {{"direction": "input", "bits": [2]}}, "a": {{"direction": "input", "bits": [4]}}}},
            "netnames": {{"busy": {{"bits": [5]}}}}}}}}}}"#
        );
        parse_all(&json, &["top"]).unwrap().remove(0)
    }

    fn flip_flop(name: &str, [d, reset, q]: [Net; 3]) -> String {
        format!(
            r#""{name}": {{"type": "FDRE", "port_directions": {{"C": "input", "D": "input", "CE": "input", "R": "input", "Q": "output"}},
            "connections": {{"C": [3], "D": [{d}], "CE": [5], "R": [{reset}], "Q": [{q}]}}}}"#
        )
    }

    #[test]
    fn pins_are_counted_but_for_clock_and_reset() {
        // 6 is a copy of the reset; 5 is an enable of all, and the reset of one.
        let cells = [
            flip_flop("copy", [2, 9, 6]),
            flip_flop("busy", [4, 6, 5]),
            flip_flop("x", [5, 2, 7]),
            flip_flop("y", [4, 5, 8]),
        ];
        let widest = widest(&netlist(&cells.join(",")));
        let pins = Pins {
            ff: 1,
            enable: 4,
            reset: 1,
            ..Pins::default()
        };
        let busy = Fanout {
            net: "busy".into(),
            driver: "FDRE".into(),
            loads: 6,
            pins,
        };
        assert_eq!(widest, [busy]);
    }

    #[test]
    fn every_bit_of_a_pin_is_a_load() {
        let memory = r#""words": {"type": "URAM288", "port_directions": {"ADDR_A": "input", "BWE_A": "input"},
            "connections": {"ADDR_A": [4, "0"], "BWE_A": [4, 4, 4, "0"]}}"#;
        let [widest] = &widest(&netlist(memory))[..] else {
            panic!("one net");
        };
        assert_eq!((widest.loads, widest.pins.memory), (4, 4));
        assert_eq!(
            (widest.net.as_str(), widest.driver.as_str()),
            ("net 4", "port")
        );
    }

    #[test]
    fn all_nets_with_many_loads_are_told() {
        let luts = |net: Net| {
            let lut = move |index: usize| {
                format!(
                    r#""{net}_{index}": {{"type": "LUT1", "port_directions": {{"I0": "input", "O": "output"}},
                    "connections": {{"I0": [{net}], "O": [{}]}}}}"#,
                    1000 * net as usize + index
                )
            };
            (0..=MANY).map(lut).collect::<Vec<_>>().join(",")
        };
        let widest = widest(&netlist(&[luts(4), luts(5)].join(",")));
        let loads: Vec<usize> = widest.iter().map(|net| net.loads).collect();
        assert_eq!(loads, [MANY + 1; 2]);
    }
}

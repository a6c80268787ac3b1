//! A mapped netlist as yosys' `write_json` writes it.

use crate::area::{class, Class};
use hardpath_diagnostic::Diagnostic;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// A wire of one bit.
pub type Net = u32;

/// One bit of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bit {
    /// A wire that cells or ports share.
    Net(Net),
    /// `0`, `1`, `x` or `z`.
    Constant,
}

/// The way of a pin or a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Into the cell or the module.
    Input,
    /// Out of it.
    Output,
    /// Both, as pads have it.
    Inout,
}

/// A primitive.
#[derive(Clone, Debug)]
pub struct Cell {
    /// What yosys calls it; begins with `$` when yosys made it up.
    pub name: String,
    /// The primitive's name: `LUT6`.
    pub kind: String,
    /// Where it comes from: `file:line.column-line.column|…`.
    pub source: Option<String>,
    /// Parameters as yosys writes them: binary digits or text.
    pub parameters: BTreeMap<String, String>,
    /// Those that are connected to anything.
    pub pins: Vec<Pin>,
}

/// A port of a cell.
#[derive(Clone, Debug)]
pub struct Pin {
    /// As the primitive's documentation has it: `I0`, `CE`.
    pub name: String,
    /// Seen from the cell.
    pub direction: Direction,
    /// Least significant first.
    pub bits: Vec<Bit>,
}

/// The top module.
#[derive(Clone, Debug, Default)]
pub struct Netlist {
    /// The primitives, in the order of their names.
    pub cells: Vec<Cell>,
    /// Bits of the top's input ports.
    pub inputs: Vec<(String, Net)>,
    /// Bits of the top's output ports.
    pub outputs: Vec<(String, Net)>,
    /// A name of each net that the source gives.
    pub names: HashMap<Net, String>,
    /// Where an operation of the source stands whose result a net is that has no name: `host (top_host.sv:41)`.
    pub places: HashMap<Net, String>,
    /// The memories of the source by their names, as they were before they were mapped; none if nobody asked.
    pub memories: BTreeMap<String, Memory>,
}

/// A memory as the source has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Bits of a word.
    pub width: u64,
    /// How many words.
    pub words: u64,
    /// Read ports.
    pub reads: u64,
    /// Write ports.
    pub writes: u64,
}

/// The connected bits of a cell's pins of a direction: pin, position, net.
pub fn bits(cell: &Cell, direction: Direction) -> impl Iterator<Item = (&str, usize, Net)> {
    let pins = cell.pins.iter();
    let pins = pins.filter(move |pin| pin.direction == direction);
    pins.flat_map(|pin| {
        let nets = pin.bits.iter().enumerate();
        nets.filter_map(|(position, bit)| match bit {
            Bit::Net(net) => Some((pin.name.as_str(), position, *net)),
            Bit::Constant => None,
        })
    })
}

#[derive(Deserialize)]
struct File {
    modules: HashMap<String, JsonModule>,
}

#[derive(Deserialize)]
struct JsonModule {
    #[serde(default)]
    ports: BTreeMap<String, JsonPort>,
    #[serde(default)]
    cells: BTreeMap<String, JsonCell>,
    #[serde(default)]
    netnames: BTreeMap<String, JsonNet>,
}

#[derive(Deserialize)]
struct JsonPort {
    direction: Direction,
    bits: Vec<JsonBit>,
}

#[derive(Deserialize)]
struct JsonCell {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    parameters: BTreeMap<String, serde_json::Value>,
    #[serde(default)]
    attributes: BTreeMap<String, serde_json::Value>,
    #[serde(default)]
    port_directions: BTreeMap<String, Direction>,
    connections: BTreeMap<String, Vec<JsonBit>>,
}

#[derive(Deserialize)]
struct JsonNet {
    #[serde(default)]
    hide_name: u8,
    bits: Vec<JsonBit>,
}

/// A number is a net; the text `0`, `1`, `x` or `z` is a constant.
type JsonBit = serde_json::Value;

fn bit(json: &JsonBit) -> Bit {
    let number = json.as_u64().and_then(|net| Net::try_from(net).ok());
    number.map_or(Bit::Constant, Bit::Net)
}

/// Reads the file of a netlist.
///
/// # Errors
/// There is none, or it is not what yosys writes.
pub fn read(file: &Path, top: &str) -> Result<Netlist, Diagnostic> {
    Ok(read_all(file, &[top])?.remove(0))
}

/// Reads the netlists of several modules of a file, in the order of their names. Such files are large: one reading is
/// to do for all.
///
/// # Errors
/// There is none, it is not what yosys writes, or a module is not in it.
pub fn read_all(file: &Path, names: &[&str]) -> Result<Vec<Netlist>, Diagnostic> {
    let json = std::fs::read_to_string(file).map_err(|error| {
        Diagnostic::input("yosys-failed", format!("yosys wrote no netlist: {error}"))
    })?;
    parse_all(&json, names)
}

/// Reads the netlists of several modules, in the order of their names.
///
/// # Errors
/// As [`read_all`].
pub fn parse_all(json: &str, names: &[&str]) -> Result<Vec<Netlist>, Diagnostic> {
    let bad = |message: String| {
        Diagnostic::input("unreadable-netlist", message)
            .help("the yosys in use may be too old or too new; 0.23 and 0.70 are known to work")
    };
    let mut file: File = serde_json::from_str(json).map_err(|error| {
        bad(format!(
            "yosys wrote a netlist that cannot be read: {error}"
        ))
    })?;
    let mut take = |name: &&str| {
        let module = file.modules.remove(*name);
        module
            .map(netlist)
            .ok_or_else(|| bad(format!("the netlist of yosys has no module {name}")))
    };
    names.iter().map(&mut take).collect()
}

fn netlist(module: JsonModule) -> Netlist {
    let mut netlist = Netlist::default();
    for (name, port) in module.ports {
        let list = match port.direction {
            Direction::Input => &mut netlist.inputs,
            Direction::Output | Direction::Inout => &mut netlist.outputs,
        };
        for (index, bit) in port.bits.iter().enumerate() {
            if let Bit::Net(net) = self::bit(bit) {
                list.push((indexed(&name, index, port.bits.len()), net));
            }
        }
    }
    for (name, net) in module.netnames.iter().filter(|(_, net)| net.hide_name == 0) {
        for (index, bit) in net.bits.iter().enumerate() {
            if let Bit::Net(bit) = self::bit(bit) {
                let full = indexed(name, index, net.bits.len());
                let known = netlist.names.entry(bit).or_insert_with(|| full.clone());
                if nearness(&full) < nearness(known) {
                    *known = full;
                }
            }
        }
    }
    for (name, net) in module.netnames.iter().filter(|(_, net)| net.hide_name == 1) {
        for bit in net.bits.iter().map(bit) {
            if let (Bit::Net(net), Some(place)) = (bit, place(name)) {
                netlist.places.entry(net).or_insert(place);
            }
        }
    }
    for (name, cell) in module.cells {
        let text = |value: &serde_json::Value| match value {
            serde_json::Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let pins = cell.connections.iter().map(|(pin, bits)| Pin {
            name: pin.clone(),
            direction: cell
                .port_directions
                .get(pin)
                .copied()
                .unwrap_or(Direction::Input),
            bits: bits.iter().map(bit).collect(),
        });
        netlist.cells.push(Cell {
            name,
            kind: cell.kind,
            source: cell.attributes.get("src").map(text),
            parameters: cell
                .parameters
                .iter()
                .map(|(k, v)| (k.clone(), text(v)))
                .collect(),
            pins: pins.collect(),
        });
    }
    name_registers(&mut netlist);
    netlist
}

/// Registers that the tool made, as those that keep which bank of a memory is read, are called by what they take.
fn name_registers(netlist: &mut Netlist) {
    for cell in netlist.cells.iter().filter(|cell| is_flip_flop(cell)) {
        let data = bits(cell, Direction::Input).find(|(pin, ..)| DATA.contains(pin));
        let taken = data.and_then(|(.., net)| netlist.names.get(&net));
        let output = bits(cell, Direction::Output).next();
        if let (Some(taken), Some((.., output))) = (taken, output) {
            if !netlist.names.contains_key(&output) {
                let name = format!("register of {taken}");
                netlist.places.entry(output).or_insert(name);
            }
        }
    }
}

fn is_flip_flop(cell: &Cell) -> bool {
    class(&cell.kind) == Class::FlipFlop
}

/// What flip-flops call their data input.
const DATA: [&str; 3] = ["D", "DI", "DATAIN"];

/// The best name is the one of the module nearest to the top, and there the shortest.
fn nearness(name: &str) -> (usize, usize, &str) {
    (name.matches('.').count(), name.len(), name)
}

/// What yosys calls the result of an operation tells the instance and the place:
/// `$abc$1$flatten\\pipeline.\\sum.$add$top_sum.sv:41$93_Y`.
fn place(name: &str) -> Option<String> {
    let file = name.split('$').find(|part| part.contains(".sv:"))?;
    let (_, instance) = name.split_once("flatten\\").unwrap_or_default();
    let instance = instance.split(".$").next().unwrap_or_default();
    Some(match instance.replace('\\', "") {
        top if top.is_empty() => file.to_owned(),
        inside => format!("{inside} ({file})"),
    })
}

/// Reads the memories that yosys' `dump -m … t:$mem_v2` shows, module by module.
pub fn memories(dump: &str) -> HashMap<String, BTreeMap<String, Memory>> {
    let mut all: HashMap<String, BTreeMap<String, Memory>> = HashMap::new();
    let (mut module, mut name, mut memory) = (String::new(), String::new(), Memory::default());
    for line in dump.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |text: &str| match text.split_once('\'') {
            Some((_, digits)) => u64::from_str_radix(digits, 2).unwrap_or(0),
            None => text.parse().unwrap_or(0),
        };
        match words[..] {
            ["module", of] => module = of.trim_start_matches('\\').to_owned(),
            ["cell", "$mem_v2", _] => (name, memory) = Default::default(),
            ["parameter", "\\MEMID", text] => {
                // A text within quotes, in which a backslash stands twice.
                name = text.trim_matches('"').replace('\\', "");
            }
            ["parameter", .., "\\WIDTH", text] => memory.width = number(text),
            ["parameter", .., "\\SIZE", text] => memory.words = number(text),
            ["parameter", .., "\\RD_PORTS", text] => memory.reads = number(text),
            ["parameter", .., "\\WR_PORTS", text] => memory.writes = number(text),
            ["end"] if !name.is_empty() => {
                let of_module = all.entry(module.clone()).or_default();
                of_module.insert(std::mem::take(&mut name), memory);
            }
            _ => {}
        }
    }
    all
}

fn indexed(name: &str, index: usize, width: usize) -> String {
    match width {
        1 => name.to_string(),
        _ => format!("{name}[{index}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_cells_ports_and_names() {
        let json = r#"{"modules": {"top": {
            "ports": {"a": {"direction": "input", "bits": [2, 3]}},
            "cells": {"c": {"type": "LUT1", "parameters": {"INIT": "01"}, "attributes": {"src": "t.sv:1.2-3.4"},
                "port_directions": {"I0": "input", "O": "output"}, "connections": {"I0": [2], "O": [4]}},
                "d": {"type": "X", "connections": {"I": ["0", "x"]}}},
            "netnames": {"$x": {"hide_name": 1, "bits": [4]}, "sub.y": {"hide_name": 0, "bits": [4]},
                "y": {"hide_name": 0, "bits": [4]}}},
            "other": {"ports": {"b": {"direction": "input", "bits": [7]}}}}}"#;
        let [netlist, other] = &parse_all(json, &["top", "other"]).unwrap()[..] else {
            panic!("two modules");
        };
        assert_eq!(other.inputs, [("b".to_string(), 7)]);
        assert_eq!(
            netlist.inputs,
            [("a[0]".to_string(), 2), ("a[1]".to_string(), 3)]
        );
        assert_eq!(netlist.names[&4], "y");
        assert_eq!(netlist.cells[0].kind, "LUT1");
        assert_eq!(netlist.cells[0].parameters["INIT"], "01");
        assert_eq!(
            netlist.cells[1].pins[0].bits,
            [Bit::Constant, Bit::Constant]
        );
    }

    #[test]
    fn names_are_those_nearest_to_the_top() {
        let json = r#"{"modules": {"top": {"cells": {}, "netnames": {
            "add.a": {"hide_name": 0, "bits": [4]}, "count_of_flows": {"hide_name": 0, "bits": [4]},
            "$abc$1$flatten\\a.\\b.$add$t_b.sv:41$93_Y": {"hide_name": 1, "bits": [5]},
            "$and$t.sv:7$1_Y": {"hide_name": 1, "bits": [6]}, "$abc$1$new_n5": {"hide_name": 1, "bits": [7]}}}}}"#;
        let netlist = &parse_all(json, &["top"]).unwrap()[0];
        assert_eq!(netlist.names[&4], "count_of_flows");
        assert_eq!(netlist.places[&5], "a.b (t_b.sv:41)");
        assert_eq!(netlist.places[&6], "t.sv:7");
        assert!(!netlist.places.contains_key(&7));
    }

    #[test]
    fn registers_without_a_name_are_called_by_what_they_take() {
        let json = r#"{"modules": {"top": {
            "cells": {"$ff": {"type": "FDRE", "port_directions": {"D": "input", "Q": "output"}, "connections": {"D": [4], "Q": [5]}}},
            "netnames": {"row": {"hide_name": 0, "bits": [3, 4]}}}}}"#;
        let netlist = &parse_all(json, &["top"]).unwrap()[0];
        assert_eq!(netlist.places[&5], "register of row[1]");
    }

    #[test]
    fn memories_are_read() {
        let dump = r#"
module \top
  attribute \src "top.sv:3.1-4.1"
  cell $mem_v2 $auto$memory
    parameter \ABITS 12
    parameter \MEMID "\\inside.words"
    parameter \RD_PORTS 1
    parameter signed \SIZE 65536
    parameter \WIDTH 32'00000000000000000000000000100000
    parameter \WR_PORTS 1
    connect \WR_DATA { \a \b }
  end
end
module \other
end
"#;
        let memories = memories(dump);
        let words = Memory {
            width: 32,
            words: 65536,
            reads: 1,
            writes: 1,
        };
        assert_eq!(memories["top"]["inside.words"], words);
        assert_eq!(memories.len(), 1);
    }

    #[test]
    fn says_what_is_wrong() {
        for json in ["{", "{\"modules\": {}}"] {
            let error = parse_all(json, &["top"]).unwrap_err();
            assert_eq!(error.code, "unreadable-netlist");
        }
    }
}

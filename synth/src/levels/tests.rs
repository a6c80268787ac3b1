use super::weights::reads_through;
use super::*;
use crate::netlist::{Bit, Cell, Pin};
use Direction::{Input, Output};

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

fn with(mut cell: Cell, parameters: &[(&str, &str)]) -> Cell {
    for (name, value) in parameters {
        cell.parameters.insert(name.to_string(), value.to_string());
    }
    cell
}

fn flip_flop(d: Net, q: Net) -> Cell {
    cell(
        "FDRE",
        &[("C", Input, &[1]), ("D", Input, &[d]), ("Q", Output, &[q])],
    )
}

fn lut(inputs: &[Net], output: Net) -> Cell {
    let names = ["I0", "I1", "I2", "I3", "I4", "I5"];
    let mut pins: Vec<(&str, Direction, &[Net])> = inputs
        .chunks(1)
        .zip(names)
        .map(|(net, name)| (name, Input, net))
        .collect();
    let output = [output];
    pins.push(("O", Output, &output));
    cell(&format!("LUT{}", inputs.len()), &pins)
}

fn of(cells: Vec<Cell>) -> Depth {
    let netlist = Netlist {
        cells,
        ..Netlist::default()
    };
    depth(&netlist).unwrap()
}

fn levels(cells: Vec<Cell>) -> f64 {
    of(cells).levels.number()
}

#[test]
fn a_lut_is_one_and_a_wide_mux_a_half() {
    let mux = cell(
        "MUXF7",
        &[
            ("I0", Input, &[11]),
            ("I1", Input, &[12]),
            ("S", Input, &[10]),
            ("O", Output, &[13]),
        ],
    );
    let cells = vec![flip_flop(13, 10), lut(&[10], 11), lut(&[10, 11], 12), mux];
    let depth = of(cells);
    assert_eq!(depth.levels.number(), 2.5);
    let steps = depth.critical_path.iter();
    let kinds: Vec<&str> = steps.clone().map(|s| s.cell.as_str()).collect();
    assert_eq!(kinds, ["FDRE", "LUT1", "LUT2", "MUXF7", "FDRE"]);
    let pins: Vec<&str> = steps.clone().map(|s| s.pin.as_str()).collect();
    assert_eq!(pins, ["Q", "I0", "I1", "I1", "D"]);
    let levels: Vec<f64> = steps.clone().map(|s| s.level.number()).collect();
    assert_eq!(levels, [0.0, 1.0, 2.0, 2.5, 2.5]);
    let loads: Vec<Option<usize>> = steps.map(|s| s.loads).collect();
    assert_eq!(loads, [Some(3), Some(2), Some(1), Some(1), None]);
}

#[test]
fn a_carry_chain_is_one_to_enter_and_a_tenth_for_each_further_cell() {
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
    let cells = vec![flip_flop(40, 10), lut(&[10], 11), first, second, third];
    assert_eq!(levels(cells), 2.2);
    // Of other families' cells a chain needs more.
    let chain = |kind: &str| {
        let first = cell(kind, &[("A", Input, &[10]), ("CO", Output, &[20])]);
        let next = |from: Net| cell(kind, &[("CI", Input, &[from]), ("CO", Output, &[from + 1])]);
        let mut cells = vec![first, flip_flop(30, 10)];
        cells.extend((20..30).map(next));
        levels(cells)
    };
    assert_eq!(chain("CARRY8"), 2.0);
    assert_eq!(chain("CCU2C"), 1.4);
    assert_eq!(chain("MISTRAL_ALUT_ARITH"), 1.2);
    // Logic at the carry input enters the chain, too; and what stands above a bit does not reach it.
    let carry_in = cell("CARRY8", &[("CI", Input, &[10]), ("O", Output, &[11])]);
    assert_eq!(levels(vec![flip_flop(11, 10), carry_in]), 1.0);
    let above = cell("CARRY8", &[("S", Input, &[2, 10]), ("O", Output, &[11])]);
    assert_eq!(levels(vec![flip_flop(11, 10), above]), 0.0);
}

#[test]
fn an_inverter_is_part_of_a_lut() {
    let inverter = |from, to| cell("INV", &[("I", Input, &[from]), ("O", Output, &[to])]);
    let behind = vec![flip_flop(12, 10), lut(&[10], 11), inverter(11, 12)];
    assert_eq!(levels(behind), 1.0);
    let in_front = vec![flip_flop(12, 10), inverter(10, 11), lut(&[11], 12)];
    assert_eq!(levels(in_front), 1.0);
}

#[test]
fn a_lut_ram_is_read_in_one() {
    let ram = |address| {
        cell(
            "RAM64M8",
            &[
                ("WCLK", Input, &[1]),
                ("ADDRA", Input, &[address]),
                ("DOA", Output, &[11]),
            ],
        )
    };
    assert_eq!(levels(vec![flip_flop(11, 10), ram(10)]), 1.0);
    assert_eq!(
        levels(vec![
            flip_flop(12, 10),
            lut(&[10], 9),
            ram(9),
            lut(&[11], 12)
        ]),
        3.0
    );
    let others = [
        ("TRELLIS_DPR16X4", "RAD", "DO"),
        ("MISTRAL_MLAB", "B1ADDR", "B1DATA"),
    ];
    for (kind, address, data) in others {
        let ram = cell(kind, &[(address, Input, &[9]), (data, Output, &[11])]);
        let cells = vec![flip_flop(11, 10), lut(&[10], 9), ram];
        assert_eq!(levels(cells), 2.0, "{kind}");
    }
    // From its clock, too.
    assert_eq!(levels(vec![flip_flop(11, 10), ram(2)]), 1.0);
}

/// A memory of that kind in front of a LUT and a register.
fn behind(kind: &str, output: &str, parameters: &[(&str, &str)]) -> f64 {
    let memory = cell(kind, &[(output, Output, &[10])]);
    levels(vec![
        with(memory, parameters),
        lut(&[10], 11),
        flip_flop(11, 12),
    ])
}

#[test]
fn a_block_ram_begins_at_what_it_costs() {
    assert_eq!(behind("RAMB36E2", "DOUTADOUT", &[]), 3.5);
    assert_eq!(behind("RAMB18E2", "DOUTBDOUT", &[("DOB_REG", "0")]), 3.5);
    assert_eq!(behind("RAMB18E2", "DOUTBDOUT", &[("DOB_REG", "1")]), 1.0);
    // The register of the other port is another one.
    assert_eq!(behind("RAMB18E2", "DOUTBDOUT", &[("DOA_REG", "1")]), 3.5);
    assert_eq!(behind("RAMB36E1", "DOADO", &[("DOA_REG", "0")]), 4.3);
    assert_eq!(behind("RAMB36E1", "DOADO", &[("DOA_REG", "1")]), 1.0);
    assert_eq!(behind("DP16KD", "DOA3", &[("REGMODE_A", "NOREG")]), 4.4);
    assert_eq!(behind("DP16KD", "DOB3", &[("REGMODE_B", "OUTREG")]), 1.0);
    assert_eq!(behind("MISTRAL_M10K", "B1DATA", &[]), 3.5);
}

#[test]
fn an_ultra_ram_begins_at_what_it_costs() {
    assert_eq!(behind("URAM288", "DOUT_A", &[("OREG_A", "FALSE")]), 5.0);
    assert_eq!(behind("URAM288", "DOUT_A", &[("OREG_A", "TRUE")]), 1.0);
    assert_eq!(behind("URAM288", "DOUT_B", &[("OREG_A", "TRUE")]), 5.0);
}

#[test]
fn a_dsp_costs_what_its_registers_leave() {
    let dsp = |kind: &str, parameters: &[(&str, &str)]| {
        let dsp = cell(kind, &[("A", Input, &[10]), ("P", Output, &[11])]);
        levels(vec![
            flip_flop(12, 10),
            with(dsp, parameters),
            lut(&[11], 12),
        ])
    };
    let none = [("AREG", "0"), ("BREG", "0"), ("MREG", "0"), ("PREG", "0")];
    assert_eq!(dsp("DSP48E2", &none), 5.0);
    let product = [("AREG", "0"), ("BREG", "0"), ("MREG", "0"), ("PREG", "1")];
    assert_eq!(dsp("DSP48E2", &product), 2.5);
    assert_eq!(dsp("MULT18X18D", &[("REG_OUTPUT_CLK", "NONE")]), 5.0);
    assert_eq!(dsp("MULT18X18D", &[("REG_OUTPUT_CLK", "CLK0")]), 2.5);
    assert_eq!(dsp("MISTRAL_MUL18X18", &[]), 5.0);
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
    let numbers = [found.levels, found.inputs_levels, found.outputs_levels];
    assert_eq!(numbers.map(Levels::number), [0.0, 2.0, 1.0]);
    assert_eq!(found.ports_levels.number(), 2.0);
    assert!(found.critical_path.is_empty());
    let path = found.ports_path.unwrap();
    assert_eq!((path.begin.as_str(), path.cells.len()), ("a", 4));
}

#[test]
fn the_worst_paths_end_at_different_words() {
    let names = [
        (10, "count[0]"),
        (11, "count[1]"),
        (12, "head"),
        (13, "one"),
    ];
    let cells = vec![
        flip_flop(22, 10),
        flip_flop(21, 11),
        flip_flop(21, 12),
        flip_flop(10, 13),
        lut(&[13], 20),
        lut(&[20, 12], 21),
        lut(&[21], 22),
    ];
    let netlist = Netlist {
        cells,
        names: names.map(|(net, name)| (net, name.to_string())).into(),
        ..Netlist::default()
    };
    let found = depth(&netlist).unwrap();
    let told = found.worst_paths.iter().map(|path| {
        let ends = (path.begin.as_str(), path.end.as_str());
        (ends, path.levels.number(), path.ends)
    });
    let worst = [
        (("one", "count[0]"), 3.0, 2),
        (("one", "head"), 2.0, 1),
        (("count[0]", "one"), 0.0, 1),
    ];
    assert_eq!(told.collect::<Vec<_>>(), worst);
    assert_eq!(found.ends_within_one_level, 3);
    assert_eq!(found.critical_path, found.worst_paths[0].cells);
    // What comes together in a LUT without a name.
    assert_eq!(found.critical_path[2].with, ["head"]);
}

#[test]
fn no_more_than_the_worst_are_told() {
    let mut netlist = Netlist::default();
    for index in 0..WORST as Net + 5 {
        let (q, d) = (10 + index, 100 + index);
        netlist.cells.extend([flip_flop(d, q), lut(&[q], d)]);
        netlist.names.insert(q, format!("r{index}"));
    }
    let found = depth(&netlist).unwrap();
    assert_eq!(found.worst_paths.len(), WORST);
    assert_eq!(found.ends_within_one_level, WORST + 5);
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
    assert!(reads_through("RAD", "DO"));
    assert!(!reads_through("WAD", "DO"));
}

#[test]
fn levels_are_numbers_with_a_tenth() {
    let levels = Levels::tenths(125);
    assert_eq!(levels.to_string(), "12.5");
    assert_eq!(serde_json::to_string(&levels).unwrap(), "12.5");
    assert_eq!(serde_json::to_string(&Levels::tenths(70)).unwrap(), "7.0");
}

//! Names as debug information would give them, for programs that have none: what hardware calls its signals must never
//! change what it does.

use hardpath_ir::{Op, Program};

/// Some say the same of different bytes, some are those of ports, registers and keywords.
const NAMES: [&str; 8] = [
    "saddr",
    "h_proto",
    "saddr",
    "r3",
    "packet_length",
    "valid",
    "pkt_14",
    "module",
];

/// Names most packet loads and a few other values, by their numbers.
pub fn give_names(program: &mut Program) {
    let blocks = program.order.clone();
    let insts = blocks
        .iter()
        .flat_map(|block| program.blocks[*block].insts.clone());
    for (number, inst) in insts.collect::<Vec<_>>().into_iter().enumerate() {
        let data = &program.insts[inst];
        let named = match data.op {
            Op::PacketLoad => number % 4 != 0,
            _ => data.op.is_pure() && number % 5 == 0,
        };
        if let (true, Some(result)) = (named, data.results.first()) {
            program.values[*result].name = Some(NAMES[number % NAMES.len()].to_string());
        }
    }
}

//! A wide memory, divided into columns: each has all words, and some bits of them.
//!
//! ```text
//!     address ─► words: 700 bits      address      ─► words_column_0: 392 bits
//!                                     address_copy ─► words_column_1: 308 bits
//! ```

use crate::{column_name, Mem, Module, Node, NodeOp};

/// Divides a memory into columns of so many bits; the last one may have fewer. Gives the nodes that read it.
pub fn cut(module: &mut Module, mem: Mem, bits: u32) -> Vec<Node> {
    let whole = module.mems[mem].clone();
    let mut columns = Vec::new();
    for (number, lo) in (0..).zip((0..whole.width).step_by(bits as usize)) {
        let mut column = whole.clone();
        column.name = column_name(&whole.name, number);
        column.width = bits.min(whole.width - lo);
        for write in &mut column.writes {
            let section = module.nodes[write.data].section;
            write.data = module.slice(write.data, lo, column.width);
            module.nodes[write.data].section = section;
        }
        columns.push(match number {
            0 => {
                module.mems[mem] = column;
                mem
            }
            _ => module.mems.push(column),
        });
    }
    let reads = module.nodes.iter();
    let reads = reads.filter_map(|(node, data)| match data.op {
        NodeOp::MemRead(of, port) if of == mem => Some((node, port)),
        _ => None,
    });
    let reads: Vec<(Node, u32)> = reads.collect();
    for (node, port) in &reads {
        join(module, *node, &columns, *port);
    }
    reads.into_iter().map(|(node, _)| node).collect()
}

/// What a port gives: what it gives of all columns.
fn join(module: &mut Module, node: Node, columns: &[Mem], port: u32) {
    let section = module.nodes[node].section;
    let mut parts = Vec::new();
    for column in columns.iter().rev() {
        let (op, width) = (NodeOp::MemRead(*column, port), module.mems[*column].width);
        parts.push(module.push_in(section, op, Vec::new(), width));
    }
    let whole = &mut module.nodes[node];
    (whole.op, whole.args) = (NodeOp::Concat, parts);
}

//! Ways through a program.

use hardpath_ir::parse::parse;
use hardpath_ir::{Block, Value};
use std::collections::HashMap;

const TEXT: &str =
    "program \"p\" control-flow\noutput \"verdict\" 32\nblock0:\nv0:1 = const 1\nv1:32 = const 1\n\
    branch v0, block2(v1), block2(v1)\nblock2(v2:32):\nv3:32 = add v2, v1\njump block1\n\
    block1:\nemit v0 with v3\n";

fn values(numbers: &[u32]) -> Vec<Value> {
    numbers.iter().map(|n| Value::from_u32(*n)).collect()
}

#[test]
fn uses_are_counted_and_replaced() {
    let mut program = parse(TEXT).unwrap();
    let [v0, v1, v2, v3] = [0, 1, 2, 3].map(Value::from_u32);
    let counts = program.use_counts();
    assert_eq!([v0, v1, v2, v3].map(|v| counts[v]), [2, 3, 1, 1]);
    let mut uses = Vec::new();
    program.for_each_use(|value| uses.push(value));
    assert_eq!(uses, values(&[0, 1, 1, 2, 1, 0, 3]));
    program.replace_uses(v2, v1);
    assert_eq!(program.use_counts()[v2], 0);
    assert_eq!(program.use_counts()[v1], 4);
    program.replace_all(&HashMap::from([(v3, v2), (v2, v1)]));
    assert_eq!(program.use_counts()[v1], 5);
    assert_eq!(program.use_counts()[v3], 0);
}

#[test]
fn instructions_and_predecessors_come_in_order() {
    let program = parse(TEXT).unwrap();
    let insts: Vec<(u32, u32)> = program
        .insts_in_order()
        .map(|(block, inst)| (block.as_u32(), inst.as_u32()))
        .collect();
    assert_eq!(insts, [(0, 0), (0, 1), (2, 2)]);
    let predecessors = program.predecessors();
    let of = |number| &predecessors[Block::from_u32(number)];
    assert_eq!(of(2), &[Block::from_u32(0); 2]);
    assert_eq!(of(1), &[Block::from_u32(2)]);
    assert!(of(0).is_empty());
}

#[test]
fn the_first_name_stays() {
    let mut program = parse(TEXT).unwrap();
    let value = Value::from_u32(3);
    program.name_value(value, "");
    assert_eq!(program.values[value].name, None);
    program.name_value(value, "sum");
    program.name_value(value, "other");
    assert_eq!(program.values[value].name.as_deref(), Some("sum"));
}

//! Whether a program does the same with every packet: it gives one answer, and nothing else.

use crate::optimize_control_flow;
use crate::value_set::ValueSets;
use hardpath_ir::{Program, Role, Terminator};

/// What every packet gets from a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConstantFate {
    /// Whether it goes on.
    pub forwarded: bool,
    /// The program's outputs.
    pub outputs: Vec<u64>,
}

/// What every packet gets from a program (control-flow phase), when it neither changes packets and tables nor sends them to
/// places that it chooses; `None`: it does more than that.
pub fn constant_fate(program: &Program) -> Option<ConstantFate> {
    let mut program = program.clone();
    optimize_control_flow(&mut program).ok()?;
    let mut sets = ValueSets::new(&program);
    let mut only = None;
    for block in &program.order {
        let data = &program.blocks[block.to_owned()];
        let mut insts = data.insts.iter();
        if insts.any(|inst| program.insts[*inst].op.writes()) {
            return None;
        }
        let Terminator::Emit(emit) = &data.terminator else {
            continue;
        };
        let does_more = emit.packet.leaves.is_some() || !emit.each.is_empty();
        if does_more || !emit.copies.is_empty() {
            return None;
        }
        // In the order of the text: whether it goes on, the way, the outputs.
        let mut given = Vec::new();
        for (role, value) in emit.clone().parts_mut() {
            match (role, sets.of(&program, *value)?.as_slice()) {
                (Role::Index, [0]) | (Role::Class, [_]) => {}
                (Role::Index | Role::Class, _) => return None,
                (_, [number]) => given.push(*number),
                _ => return None,
            }
        }
        let outputs = given.split_off(1);
        let fate = ConstantFate {
            forwarded: given == [1],
            outputs,
        };
        if *only.get_or_insert_with(|| fate.clone()) != fate {
            return None;
        }
    }
    only
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardpath_ir::parse::parse;

    /// Short packets get the first output, all others the second one; in front of that the effect.
    fn fate_of(short: u64, long: u64, index: u64, effect: &str) -> Option<Vec<u64>> {
        let text = format!(
            r#"program "short" control-flow

output "verdict" 3

block0:
    v0:16 = input length
    v1:16 = const 0x40
    v2:1 = ult v0, v1
    v3:64 = const 0xe
    v4:8 = const 0x7
    v5:32 = const {index:#x}
    v9:2 = const 0x1
    v10:1 = const 0x1
    {effect}
    branch v2, block1, block2

block1:
    v6:3 = const {short:#x}
    jump block3(v6)

block2:
    v7:3 = const {long:#x}
    jump block3(v7)

block3(v8:3):
    emit v10 to v9, v5 with v8
"#
        );
        let fate = constant_fate(&parse(&text).unwrap())?;
        assert!(fate.forwarded);
        Some(fate.outputs)
    }

    #[test]
    fn one_answer_and_nothing_else() {
        assert_eq!(fate_of(2, 2, 0, ""), Some(vec![2]));
        assert_eq!(fate_of(2, 1, 0, ""), None);
        assert_eq!(fate_of(4, 4, 3, ""), None, "it goes somewhere");
        assert_eq!(fate_of(2, 2, 0, "packet.store v3, v4"), None);
    }
}

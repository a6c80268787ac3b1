//! Whether a program does the same with every packet: it gives one verdict, and nothing else.

use crate::optimize_control_flow;
use crate::value_set::ValueSets;
use hardpath_ir::{verdict, Program, Terminator};

/// The verdict that every packet gets from a program (control-flow phase), when it neither changes packets and maps nor
/// sends them anywhere; `None`: it does more than that.
pub fn constant_verdict(program: &Program) -> Option<u64> {
    let mut program = program.clone();
    optimize_control_flow(&mut program).ok()?;
    let mut sets = ValueSets::new(&program);
    let mut only = None;
    for block in &program.order {
        let data = &program.blocks[*block];
        if data
            .insts
            .iter()
            .any(|inst| program.insts[*inst].op.writes())
        {
            return None;
        }
        let Terminator::Emit { verdict, moved, .. } = data.terminator else {
            continue;
        };
        let given = match sets.of(&program, verdict)?.as_slice() {
            [given] => *given,
            _ => return None,
        };
        if moved.is_some() || given == verdict::REDIRECT || *only.get_or_insert(given) != given {
            return None;
        }
    }
    only
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardpath_ir::parse::parse;

    /// Short packets get the first verdict, all others the second one; in front of that the effect.
    fn verdict_of(short: u64, long: u64, effect: &str) -> Option<u64> {
        let text = format!(
            r#"program "short" xdp control-flow

block0:
    v0:16 = input packet_length
    v1:16 = const 0x40
    v2:1 = ult v0, v1
    v3:64 = const 0xe
    v4:8 = const 0x7
    v5:32 = const 0x0
    {effect}
    branch v2, block1, block2

block1:
    v6:32 = const {short:#x}
    jump block3(v6)

block2:
    v7:32 = const {long:#x}
    jump block3(v7)

block3(v8:32):
    emit v8, v5
"#
        );
        constant_verdict(&parse(&text).unwrap())
    }

    #[test]
    fn one_verdict_and_nothing_else() {
        assert_eq!(verdict_of(2, 2, ""), Some(2));
        assert_eq!(verdict_of(2, 1, ""), None);
        assert_eq!(verdict_of(4, 4, ""), None, "a redirect goes somewhere");
        assert_eq!(verdict_of(2, 2, "packet.store v3, v4"), None);
    }
}

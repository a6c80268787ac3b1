//! What a program has, so that a run can say what its programs were like.

use crate::code::{Code, Unit, CALL};
use crate::encode::helper;
use hardpath_ir::{Op, Program, Value, ValueDef};
use std::collections::BTreeSet;

/// The helpers that are counted.
const HELPERS: [(i32, &str); 15] = [
    (helper::MAP_UPDATE_ELEM, "map update"),
    (helper::MAP_DELETE_ELEM, "map delete"),
    (helper::KTIME_GET_NS, "time"),
    (helper::KTIME_GET_BOOT_NS, "time"),
    (helper::GET_PRANDOM_U32, "random number"),
    (helper::REDIRECT, "redirect"),
    (helper::CSUM_DIFF, "csum_diff"),
    (helper::XDP_ADJUST_HEAD, "adjust_head"),
    (helper::REDIRECT_MAP, "redirect_map"),
    (helper::XDP_ADJUST_META, "adjust_meta"),
    (helper::XDP_ADJUST_TAIL, "adjust_tail"),
    (helper::SPIN_LOCK, "spin lock"),
    (helper::XDP_GET_BUFF_LEN, "get_buff_len"),
    (helper::XDP_LOAD_BYTES, "load_bytes"),
    (helper::XDP_STORE_BYTES, "store_bytes"),
];

/// The features of a program: what its instructions show, and what is left of it in `flow`, its IR after the passes on
/// control flow.
pub fn of(code: &Code, flow: &Program) -> BTreeSet<&'static str> {
    let mut found: BTreeSet<&str> = flow.maps.values().map(|map| map.kind.name()).collect();
    for unit in &code.units {
        found.extend(of_unit(unit));
    }
    if has_loop(code) {
        found.insert("loop");
    }
    let is_constant = |value: Value| match flow.values[value].def {
        ValueDef::Result(inst, _) => matches!(flow.insts[inst].op, Op::Const(_)),
        ValueDef::Param(..) => false,
    };
    for block in flow.blocks.values() {
        for inst in &block.insts {
            let data = &flow.insts[*inst];
            match data.op {
                Op::PacketLoad if !is_constant(data.args[0]) => {
                    found.insert("variable packet offset, read");
                }
                Op::PacketStore if !is_constant(data.args[0]) => {
                    found.insert("variable packet offset, written");
                }
                Op::StackLoad | Op::StackStore if !is_constant(data.args[0]) => {
                    found.insert("variable stack offset");
                }
                _ => {}
            }
        }
    }
    found
}

fn of_unit(unit: &Unit) -> Option<&'static str> {
    match (unit.insn.code, unit.insn.src) {
        (CALL, 0) => {
            let helper = |(number, _): &&(i32, &str)| *number == unit.insn.imm;
            HELPERS.iter().find(helper).map(|(_, name)| *name)
        }
        (CALL, _) => Some("function call"),
        (0xc3 | 0xdb, _) => Some("atomic"),
        _ => None,
    }
}

/// Whether a path comes back to where it was.
fn has_loop(code: &Code) -> bool {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Never,
        OnThisPath,
        Done,
    }
    let successors = |index: usize| {
        let unit = &code.units[index];
        let target = unit.target.filter(|_| unit.insn.code != CALL);
        let next = unit.falls_through().then_some(index + 1);
        let all = [target, next].into_iter().flatten();
        all.filter(|next| *next < code.units.len())
            .collect::<Vec<usize>>()
    };
    let mut seen = vec![Seen::Never; code.units.len()];
    for start in 0..code.units.len() {
        if seen[start] != Seen::Never {
            continue;
        }
        let mut path = vec![(start, successors(start))];
        seen[start] = Seen::OnThisPath;
        while let Some((index, left)) = path.last_mut() {
            match left.pop() {
                None => {
                    seen[*index] = Seen::Done;
                    path.pop();
                }
                Some(next) => match seen[next] {
                    Seen::OnThisPath => return true,
                    Seen::Done => {}
                    Seen::Never => {
                        seen[next] = Seen::OnThisPath;
                        path.push((next, successors(next)));
                    }
                },
            }
        }
    }
    false
}

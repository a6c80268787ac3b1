//! What a program has, so that a run can say what its programs were like.

use crate::code::{Code, Unit, CALL};
use crate::encode::helper;
use hardpath_ir::{Block, Op, Program, Terminator, Value, ValueDef};
use std::collections::{BTreeSet, HashMap};

/// The helpers that are counted.
const HELPERS: [(i32, &str); 18] = [
    (helper::MAP_UPDATE_ELEM, "map update"),
    (helper::MAP_DELETE_ELEM, "map delete"),
    (helper::KTIME_GET_NS, "time"),
    (helper::KTIME_GET_BOOT_NS, "time"),
    (helper::KTIME_GET_COARSE_NS, "time"),
    (helper::KTIME_GET_TAI_NS, "time"),
    (helper::JIFFIES64, "time"),
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

/// The features of a program: what its instructions show, and what its IR as lifted does.
pub fn of(code: &Code, lifted: &Program) -> BTreeSet<&'static str> {
    let mut found: BTreeSet<&str> = lifted.maps.values().map(|map| map.kind.name()).collect();
    for unit in &code.units {
        found.extend(of_unit(unit));
    }
    if has_loop(code) {
        found.insert("loop");
    }
    let mut varies = Varies::new(lifted);
    for block in lifted.blocks.values() {
        for inst in &block.insts {
            let data = &lifted.insts[*inst];
            let name = match data.op {
                Op::PacketLoad => "variable packet offset, read",
                Op::PacketStore => "variable packet offset, written",
                Op::StackLoad | Op::StackStore => "variable stack offset",
                _ => continue,
            };
            if varies.depends(data.args[0]) {
                found.insert(name);
            }
        }
    }
    found
}

/// Which values depend on what enters with the packet.
struct Varies<'a> {
    program: &'a Program,
    /// What comes in at each block's parameters.
    incoming: HashMap<Block, Vec<&'a [Value]>>,
    known: HashMap<Value, bool>,
}

impl<'a> Varies<'a> {
    fn new(program: &'a Program) -> Varies<'a> {
        let mut incoming: HashMap<Block, Vec<&[Value]>> = HashMap::new();
        for block in program.blocks.values() {
            let targets = match &block.terminator {
                Terminator::Jump(target) => vec![target],
                Terminator::Branch { yes, no, .. } => vec![yes, no],
                _ => Vec::new(),
            };
            for target in targets {
                incoming.entry(target.block).or_default().push(&target.args);
            }
        }
        Varies {
            program,
            incoming,
            known: HashMap::new(),
        }
    }

    fn depends(&mut self, value: Value) -> bool {
        if let Some(known) = self.known.get(&value) {
            return *known;
        }
        let program = self.program;
        let sources: Vec<Value> = match program.values[value].def {
            ValueDef::Result(inst, _) => match &program.insts[inst] {
                data if matches!(data.op, Op::Const(_)) => Vec::new(),
                data if data.op.is_pure() && !matches!(data.op, Op::Input(_)) => data.args.clone(),
                _ => return true,
            },
            ValueDef::Param(block, number) => {
                let incoming = self.incoming.get(&block).into_iter().flatten();
                incoming.map(|args| args[number as usize]).collect()
            }
        };
        // Different constants that come together are a choice that the packet makes.
        let is_choice = matches!(program.values[value].def, ValueDef::Param(..))
            && sources.iter().any(|source| {
                program.as_const(*source)
                    != sources.first().and_then(|first| program.as_const(*first))
            });
        let depends = is_choice || sources.into_iter().any(|source| self.depends(source));
        self.known.insert(value, depends);
        depends
    }
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

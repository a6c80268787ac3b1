//! What a packet may lose: an entry of a map that forgets, when the packet puts in another key before it is done with it.

use hardpath_ir::{Block, MapId, Op, PlaceId, Program, Value};
use std::collections::{HashMap, HashSet};

/// What may have become of entries.
#[derive(Clone, Default, PartialEq)]
struct Entries {
    /// Those that a packet may have, and of which map.
    there: HashMap<Value, MapId>,
    /// Those of them that may be gone.
    gone: HashSet<Value>,
}

/// The first operation of a program, without functions, on an entry of a map that forgets, behind one that may have made the map forget the
/// entry; and its place. The maps of a core do not know what a packet has in hands.
pub fn loses(program: &Program) -> Option<(MapId, Option<PlaceId>)> {
    let mut at: HashMap<Block, Entries> = HashMap::new();
    let mut open: Vec<Block> = program.order.first().copied().into_iter().collect();
    let mut reached: HashSet<Block> = open.iter().copied().collect();
    while let Some(block) = open.pop() {
        let mut here = at.get(&block).cloned().unwrap_or_default();
        let data = &program.blocks[block];
        for inst in &data.insts {
            let inst = &program.insts[*inst];
            match inst.op {
                Op::MapLookup(map) if program.maps[map].forgets => {
                    let entry = inst.results[1];
                    here.there.insert(entry, map);
                    here.gone.remove(&entry);
                }
                Op::MapUpdate(map) if program.maps[map].forgets => {
                    let lost = here.there.iter().filter(|(_, of)| **of == map);
                    here.gone.extend(lost.map(|(entry, _)| *entry));
                }
                Op::MapLoad(map) | Op::MapStore(map) | Op::MapAtomic(map, _)
                    if here.gone.contains(&inst.args[0]) =>
                {
                    return Some((map, inst.place.or(data.place)));
                }
                // What is chosen from entries is one.
                _ => {
                    let result = inst.results.first();
                    for (result, arg) in inst.args.iter().filter_map(|arg| Some((*result?, arg))) {
                        here.follow(*arg, result);
                    }
                }
            }
        }
        for target in data.terminator.targets() {
            let mut there = here.clone();
            let params = &program.blocks[target.block].params;
            for (param, arg) in std::iter::zip(params, &target.args) {
                there.follow(*arg, *param);
            }
            let known = at.entry(target.block).or_default();
            let before = known.clone();
            known.there.extend(there.there);
            known.gone.extend(there.gone);
            if reached.insert(target.block) || *known != before {
                open.push(target.block);
            }
        }
    }
    None
}

impl Entries {
    /// A value is another one, or part of it.
    fn follow(&mut self, from: Value, to: Value) {
        if let Some(map) = self.there.get(&from).copied() {
            self.there.insert(to, map);
            if self.gone.contains(&from) {
                self.gone.insert(to);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(behind: &str) -> Program {
        let text = format!(
            "program \"p\" structured\n\noutput \"verdict\" 3\n\nmap @m exact key 4 value 8 entries 8 forgets as \"lru_hash\"\n\n\
             block0:\n    v0:32 = const 0\n    v1:64 = const 1\n    v2:1, v3:32 = map.lookup @m v0\n    branch v2, block1(v3), block2\n\n\
             block1(v4:32):\n{behind}    jump block2\n\nblock2:\n    v8:3 = const 2\n    v9:1 = const 1\n    emit v9 with v8\n"
        );
        hardpath_ir::parse::parse(&text).expect("a program")
    }

    #[test]
    fn an_entry_behind_an_update_may_be_gone() {
        let load = "    v5:64 = map.load @m v4, v0\n";
        let update =
            "    v6:32 = const 7\n    v10:2 = const 3\n    v7:3 = map.update @m v6, v1, v10\n";
        assert_eq!(loses(&program(load)), None);
        assert_eq!(loses(&program(&format!("{load}{update}"))), None);
        let lost = loses(&program(&format!("{update}{load}")));
        assert!(lost.is_some());
    }
}

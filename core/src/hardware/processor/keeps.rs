//! What a packet may lose: an entry of a map that forgets, when the packet puts in another key before it is done with it.
//!
//! The map holds the entries that the packet's last lookups have found ([`HELD`]): these stay. One that lies further back may go.

use hardpath_ir::{Block, MapId, Op, PlaceId, Program, Value};
use std::collections::{HashMap, HashSet};

/// Entries that a map holds for the packet that asks.
pub const HELD: u32 = 4;

/// What may have become of entries.
#[derive(Clone, Default, PartialEq)]
struct Entries {
    /// Those that a packet may have: of which map, and how many lookups there may have been in it since, at most [`HELD`].
    there: HashMap<Value, (MapId, u32)>,
    /// Those of them that may be gone.
    gone: HashSet<Value>,
}

/// The first operation of a program, without functions, on an entry of a map that forgets, behind one that may have made the map forget the
/// entry; and its place.
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
                    here.look_up(map);
                    here.there.insert(entry, (map, 0));
                    here.gone.remove(&entry);
                }
                Op::MapUpdate(map) if program.maps[map].forgets => {
                    let lost = here.there.iter().filter(|(_, of)| **of == (map, HELD));
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
            known.join(there);
            if reached.insert(target.block) || *known != before {
                open.push(target.block);
            }
        }
    }
    None
}

impl Entries {
    /// All entries of the map are one lookup further back.
    fn look_up(&mut self, map: MapId) {
        let same = self.there.values_mut().filter(|(of, _)| *of == map);
        same.for_each(|(_, since)| *since = HELD.min(*since + 1));
    }

    /// What may be on either way.
    fn join(&mut self, other: Entries) {
        for (entry, (map, since)) in other.there {
            let known = self.there.entry(entry).or_insert((map, since));
            known.1 = known.1.max(since);
        }
        self.gone.extend(other.gone);
    }

    /// A value is another one, or part of it.
    fn follow(&mut self, from: Value, to: Value) {
        if let Some(there) = self.there.get(&from).copied() {
            self.there.insert(to, there);
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

    const LOAD: &str = "    v5:64 = map.load @m v4, v0\n";
    const UPDATE: &str =
        "    v6:32 = const 7\n    v10:2 = const 3\n    v7:3 = map.update @m v6, v1, v10\n";

    #[test]
    fn an_entry_of_the_last_lookups_stays() {
        assert_eq!(loses(&program(LOAD)), None);
        assert_eq!(loses(&program(&format!("{LOAD}{UPDATE}"))), None);
        assert_eq!(loses(&program(&format!("{UPDATE}{LOAD}"))), None);
        for more in [HELD - 1, HELD] {
            let lookups = (0..more).map(|number| {
                let (hit, entry) = (20 + 2 * number, 21 + 2 * number);
                format!("    v{hit}:1, v{entry}:32 = map.lookup @m v0\n")
            });
            let lookups: String = lookups.collect();
            let lost = loses(&program(&format!("{lookups}{UPDATE}{LOAD}")));
            assert_eq!(lost.is_some(), more == HELD, "{more} lookups");
        }
    }
}

//! Which of several definitions reaches a use: for a value whose block has been copied.
//!
//! ```text
//! block1: v1 = …                        block1: v1 = …       jump block3(v1)
//! block2: v2 = …  (a copy of v1)    →   block2: v2 = …       jump block3(v2)
//! block3: … v1 …                        block3(v3): … v3 …
//! ```
//!
//! From a use back to the definitions on every way, blocks in which ways meet get a parameter. Where all ways bring the same
//! value there is one parameter too many; that is for [`crate::dce`] and the walk of [`crate::rewrite`].

use crate::rewrite::targets_mut;
use cranelift_entity::SecondaryMap;
use hardpath_ir::{Block, Program, Value};
use std::collections::{BTreeSet, HashMap};

/// Makes every use of `old` in the blocks `users` a use of the definition that reaches it. `definitions`: the blocks that have
/// one, with it. `order`: all blocks, each before what it leads to, but for heads of loops; control comes to all of them, and to
/// each user only behind a definition. Users have no definition of their own.
pub fn join_definitions(
    program: &mut Program,
    order: &[Block],
    predecessors: &SecondaryMap<Block, Vec<Block>>,
    old: Value,
    definitions: &HashMap<Block, Value>,
    users: &[Block],
) {
    let between = between(predecessors, definitions, users);
    let width = program.width(old);
    let name = program.values[old].name.clone();
    // What stands for the value at the end of each block.
    let mut at_end = definitions.clone();
    let mut joins = Vec::new();
    for &block in order.iter().filter(|block| between.contains(block)) {
        let value = match single(&predecessors[block]) {
            Some(from) => at_end[&from],
            None => {
                let param = program.add_param(block, width);
                program.values[param].name.clone_from(&name);
                joins.push(block);
                param
            }
        };
        at_end.insert(block, value);
    }
    for block in joins {
        let mut from: Vec<Block> = predecessors[block].clone();
        from.dedup();
        for from in from {
            let value = at_end[&from];
            let terminator = &mut program.blocks[from].terminator;
            for target in targets_mut(terminator) {
                if target.block == block {
                    target.args.push(value);
                }
            }
        }
    }
    for &user in users {
        let value = at_end[&user];
        for inst in program.blocks[user].insts.clone() {
            for used in program.insts[inst].uses_mut() {
                if *used == old {
                    *used = value;
                }
            }
        }
        for used in program.blocks[user].terminator.uses_mut() {
            if *used == old {
                *used = value;
            }
        }
    }
}

/// The blocks between definitions and users, the users among them.
fn between(
    predecessors: &SecondaryMap<Block, Vec<Block>>,
    definitions: &HashMap<Block, Value>,
    users: &[Block],
) -> BTreeSet<Block> {
    let mut found = BTreeSet::new();
    let mut work = users.to_vec();
    while let Some(block) = work.pop() {
        if !definitions.contains_key(&block) && found.insert(block) {
            work.extend(&predecessors[block]);
        }
    }
    found
}

/// The only block that leads there, when there is one.
fn single(predecessors: &[Block]) -> Option<Block> {
    let first = *predecessors.first()?;
    predecessors
        .iter()
        .all(|from| *from == first)
        .then_some(first)
}

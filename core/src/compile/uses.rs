//! How often values are used, and blocks are led to.

use cranelift_entity::SecondaryMap;
use hardpath_ir::{Block, Program, Value};

/// Of every value of a program without functions.
pub fn uses(program: &Program) -> SecondaryMap<Value, u32> {
    let mut uses: SecondaryMap<Value, u32> = SecondaryMap::new();
    for &block in &program.order {
        let data = &program.blocks[block];
        let insts = data.insts.iter();
        let by_insts = insts.flat_map(|inst| program.insts[*inst].uses());
        for value in by_insts.chain(data.terminator.uses()) {
            uses[value] += 1;
        }
    }
    uses
}

/// How many ways lead to each block of a program without functions.
pub fn ways(program: &Program) -> SecondaryMap<Block, u32> {
    let mut ways: SecondaryMap<Block, u32> = SecondaryMap::new();
    for &block in &program.order {
        for target in program.blocks[block].terminator.targets() {
            ways[target.block] += 1;
        }
    }
    ways
}

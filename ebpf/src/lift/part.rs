//! A program that cannot be lifted as a whole: what there is of it.
//!
//! An instruction that has no meaning here does nothing, and what follows only from what it would have given is not there
//! either. So all that other parts of the compiler find wrong with such a part is wrong with the program, too.

use std::collections::HashSet;

use hardpath_ir::{verifier, Block, Program, Terminator};

use super::origin::{codes, origin};
use super::{ending, walk, Kind, Lifter, Loops};
use crate::object::{Object, ProgramImage};

/// The part of a program that can be lifted where [`super::lift`] gives errors. `None`: nothing is known of a part, because a
/// loop or the whole program was given up.
pub fn lift_in_part(object: &Object, program: &ProgramImage) -> Option<Program> {
    let origin = || origin(object, codes(object, program));
    let lifter = walk(&program.name, Kind::Xdp, origin, Loops::default(), |_| true);
    match lifter.abandoned {
        0 => lifter.part(),
        _ => None,
    }
}

impl Lifter<'_> {
    /// Ways that lead on to nothing end.
    fn part(self) -> Option<Program> {
        let mut program = self.builder.program;
        let mut known: HashSet<Block> = self.order.iter().copied().collect();
        program.order = self.order.clone();
        for block in self.order {
            let targets = program.blocks[block].terminator.targets();
            let new = targets.iter().map(|target| target.block);
            let new = new.filter(|block| known.insert(*block));
            program.order.extend(new.collect::<Vec<_>>());
        }
        for block in program.order.clone() {
            if program.blocks[block].terminator == Terminator::None {
                ending::abort(&mut program, block);
            }
        }
        verifier::verify(&program).is_ok().then_some(program)
    }
}

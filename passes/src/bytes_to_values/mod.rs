//! Stack and packet bytes become values (control-flow phase).
//!
//! ```text
//! v2 = packet.load 12:64  (16 bits)        v2 = packet.load 12:64  (16 bits)
//! stack.store 504:64, v2             →     …
//! packet.store 0:64, v3                    packet.store 0:64, v3
//! v4 = stack.load 504:64  (16 bits)        emit v5 with v2
//! emit v5 with v4
//! ```
//!
//! Afterwards no stack access is left. Every `PacketLoad` has a constant offset, stands in the entry block and
//! reads the packet as it came in. `PacketStore`s stand directly before `Emit`, by ascending offset, each byte once.
//!
//! **Atoms.** The accesses cut the memory into atoms: the longest runs of bytes that no access divides. An atom is one
//! value, so an 8-byte slot that is only used whole stays one value of 64 bits. (`atoms`)
//!
//! **Offsets.** An offset that is not constant may be one of a few constants ([`crate::value_set`]). A load becomes a
//! select among the places, decided by bits of the offset; a store a conditional change of each of them. More than
//! [`MOST_VALUES`] places are refused. The stack is done before the packet, because pointers into the packet are often
//! kept on the stack.
//!
//! **Joins.** Where two ways meet that leave different values in an atom, it becomes a block parameter: on the stack
//! only while somebody will read it, in the packet always, because the packet leaves. A way that has not written a
//! packet atom gives its original bytes: writing them back changes nothing, and behind the packet's end they vanish.
//! Only blocks that emit without further effects are made once for each set of written atoms, so that a packet that is
//! passed on untouched stays untouched. (`walk`)
//!
//! **Clearing.** `PacketClear` masks every atom by its place. What no store has written and no load reads needs no mask:
//! the exit knows how many of the original bytes are kept.
//!
//! **Original bytes.** Packet atoms that were read together by one load become parts of one `PacketLoad`, which is
//! shared by all overlapping reads. Forwarding a store to a load behind the packet's end would differ from memory;
//! lowered programs do not do that (see [`hardpath_ir::Op`]).

mod atoms;
mod walk;

use crate::value_set::{ValueSets, MOST_VALUES};
use crate::{dce, fold};
use atoms::Atoms;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Inst, Limits, Op, Phase, Program};
use std::collections::HashMap;

/// Which of the two memories.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Memory {
    Stack,
    Packet,
}

impl Memory {
    /// Bytes that exist at most.
    fn size(self, limits: Limits) -> u64 {
        match self {
            Memory::Stack => limits.stack.into(),
            Memory::Packet => {
                let reach = limits.longest.max(limits.tail);
                self.before_zero(limits) + u64::from(reach)
            }
        }
    }

    /// How many of them lie at negative offsets. Atoms and accesses count from the first of these.
    fn before_zero(self, limits: Limits) -> u64 {
        match self {
            Memory::Stack => 0,
            Memory::Packet => limits.headroom.into(),
        }
    }

    fn is_load(self, op: &Op) -> bool {
        match self {
            Memory::Stack => *op == Op::StackLoad,
            Memory::Packet => *op == Op::PacketLoad,
        }
    }

    fn is_cleared(self, program: &Program) -> bool {
        let mut insts = program.insts_in_order();
        self == Memory::Packet && insts.any(|(_, inst)| program.insts[inst].op == Op::PacketClear)
    }

    fn is_store(self, op: &Op) -> bool {
        match self {
            Memory::Stack => *op == Op::StackStore,
            Memory::Packet => *op == Op::PacketStore,
        }
    }
}

/// One load or store.
#[derive(Clone, Debug)]
struct Access {
    /// Where it may begin, from the memory's first byte; one number when that is constant.
    offsets: Vec<u64>,
    bytes: u64,
}

/// In any other phase than control flow the pass does nothing.
pub fn run(program: &mut Program) -> Result<bool, Diagnostic> {
    if program.phase != Phase::ControlFlow {
        return Ok(false);
    }
    let stack = promote_stack(program)?;
    Ok(promote(program, Memory::Packet)? || stack)
}

/// Makes values of the stack's bytes alone.
pub fn promote_stack(program: &mut Program) -> Result<bool, Diagnostic> {
    let changed = promote(program, Memory::Stack)?;
    if changed {
        // What was kept on the stack are offsets now: fold them before they are looked at.
        fold::run(program)?;
        dce::run(program)?;
    }
    Ok(changed)
}

fn promote(program: &mut Program, memory: Memory) -> Result<bool, Diagnostic> {
    let accesses = find_accesses(program, memory)?;
    if accesses.is_empty() && !memory.is_cleared(program) {
        return Ok(false);
    }
    let atoms = Atoms::new(
        accesses.values(),
        memory.size(program.limits),
        memory.before_zero(program.limits),
    );
    walk::promote(program, memory, &accesses, &atoms);
    Ok(true)
}

fn find_accesses(program: &Program, memory: Memory) -> Result<HashMap<Inst, Access>, Diagnostic> {
    let mut sets = ValueSets::new(program);
    let mut accesses = HashMap::new();
    for (_, inst) in program.insts_in_order() {
        let data = &program.insts[inst];
        let value = if memory.is_load(&data.op) {
            data.results[0]
        } else if memory.is_store(&data.op) {
            data.args[1]
        } else {
            continue;
        };
        let Some(offsets) = sets.of(program, data.args[0]) else {
            return Err(variable_offset(program, inst, memory));
        };
        let from_first = |offset: u64| offset.wrapping_add(memory.before_zero(program.limits));
        let offsets = offsets.into_iter().map(from_first).collect();
        let bytes = u64::from(program.width(value) / 8);
        accesses.insert(inst, Access { offsets, bytes });
    }
    Ok(accesses)
}

fn variable_offset(program: &Program, inst: Inst, memory: Memory) -> Diagnostic {
    let data = &program.insts[inst];
    let (memory, what) = match memory {
        Memory::Stack => ("stack", "an index that is masked to a few values"),
        Memory::Packet => (
            "packet",
            "headers at a few fixed places, or a masked length field",
        ),
    };
    let depth = match memory {
        "packet" => {
            "; or say how deep to look (--depth 128): packets with deeper headers are aborted"
        }
        _ => "",
    };
    let access = if data.op.writes() { "writes" } else { "reads" };
    let diagnostic = Diagnostic::refused(
        "variable-offset",
        format!(
            "the program {access} {memory} bytes at an offset that can have more than {MOST_VALUES} values"
        ),
    )
    .help(format!(
        "bound the offset: {what}; each value must be known to the compiler{depth}"
    ));
    match data.place {
        Some(place) => diagnostic.at(&program.places[place]),
        None => diagnostic.at(format!("`{}`", program.display_inst(inst))),
    }
}

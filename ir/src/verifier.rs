//! The rules of the IR, and a check of every one of them.
//!
//! Only what is live counts: the blocks in [`Program::order`] and in the orders of functions, their parameters and instructions.
//!
//! **Entities**
//! 1. Every block, instruction, value, map, function and place that is referred to exists.
//! 2. The order names at least one block, and none twice. An instruction stands in one place only. The same holds for the
//!    orders of functions: a block is in one order only, and control stays in the order that it is in.
//! 3. A value is at least 1 and at most [`MAX_WIDTH`] bits wide. It is defined once: its definition names the
//!    instruction and result, or the block and parameter, that have it.
//!
//! **Maps**
//!
//! 4. Names are unique and not empty. Key, value and number of entries are at least 1; all values together have at
//!    most [`MAX_MAP_BYTES`]. Indices have 4 bytes, keys with prefixes 5 to [`MAX_PREFIX_BYTES`], the values of slots at least 4.
//!    Only a table of exact keys forgets. Arrays are updated in place. Packets are broadcast through slots, or exact keys of 4
//!    bytes, that only the host writes. A ternary table has fields, of at least one bit each, which fill the bytes of its key;
//!    no other table has. Only an array of one entry has an initial value, and that has the value's size.
//!
//! **Control flow**
//!
//! 5. Every block ends in a terminator. Blocks come before all their successors, but for the heads of loops (rule 13). The
//!    first block is the entry and has no parameters. (A block that nothing jumps to is allowed.)
//! 6. A jump gives the target block one argument for each parameter, of the same width. A branch's condition has
//!    width 1.
//! 7. A definition dominates its uses: it comes earlier in the block, or in a block through which every path to the
//!    use goes.
//!
//! **Phases**
//!
//! 8. Structured and control flow: no instruction has a guard or a stage.
//! 9. Dataflow and scheduled: there is one block, and it ends with emit. Only effects have a guard; its width is 1.
//!    The packet is not cleared.
//! 10. Dataflow: no instruction has a stage. Scheduled: every instruction has one, and it is not before the stage of
//!     any value that the instruction uses.
//!
//! **Operations**
//!
//! 11. Number of arguments and results, and all widths, are as [`Op`] says. Memory is accessed in whole bytes, by an
//!     atomic 4 or 8 of them. A constant's bits have the result's width.
//! 12. A program only looks up and loads from a map that only the host writes. Only the host changes the entries of a ternary
//!     table.
//!
//! **Edges**
//!
//! 16. The longest packet is not shorter than the shortest one, and at most [`MAX_PACKET_BYTES`](hardpath_packet::MAX_PACKET_BYTES) long; headroom and tail
//!     reach at most [`MAX_REACH_BYTES`](crate::MAX_REACH_BYTES), a stack has at most [`MAX_STACK_BYTES`](crate::MAX_STACK_BYTES). Names of
//!     inputs are identifiers and unique; each has a bit at least, and all together
//!     [`MAX_OWN_BITS`](hardpath_packet::MAX_OWN_BITS) at most; an `input` reads one of them. Names of outputs are identifiers, unique, and none of the names that ports have. An output has at least 1 and at most
//!     [`MAX_OUTPUT_BITS`](crate::MAX_OUTPUT_BITS) bits, and names no more values than fit.
//! 17. An emit has a value for each output, of its width. Conditions have 1 bit, a class has 2, an index 32, offsets and lengths
//!     have [`OFFSET_BITS`](crate::OFFSET_BITS); a front is whole bytes. `each` names tables that packets are broadcast to.
//!
//! **Structured**
//!
//! No other phase has a loop, a function, a call, a return or a whole operation.
//!
//! 13. Where control goes back, to a block that does not come later, it goes to the head of a loop: that block says what
//!     is known of the loop's bound, and it dominates the block that goes back. So a loop has one head and is entered there
//!     only. A block with a bound is a head: control goes back to it, but not to the entry of the program or of a function. A
//!     loop with a known bound has a way out that is no way back. Loops are nested at most [`crate::graph::MAX_DEPTH`] deep.
//! 14. Names of functions are unique and not empty. A function has a block. A call gives one argument for each parameter and
//!     takes one result for each that the function has, of the same widths. No function calls itself, directly or through
//!     others. A function ends in return, with one value for each result, or ends the program; only functions return.
//! 15. A whole operation works on at least 1 and at most [`crate::structure::MAX_RANGE`] bytes.

mod edges;
mod structure;
mod widths;

use crate::graph::Graph;
use crate::structure::Function;
use crate::{
    Block, Find, Inst, MapDecl, MapId, Op, Phase, PlaceId, Program, Target, Terminator, Value,
    ValueDef, MAX_WIDTH,
};
use cranelift_entity::SecondaryMap;
use hardpath_diagnostic::Diagnostic;
use std::collections::HashSet;

/// Bytes of the length in front of a prefix.
pub const PREFIX_LENGTH_BYTES: u32 = 4;
/// Bytes of a key with a prefix, at most.
pub const MAX_PREFIX_BYTES: u32 = 260;
/// The most bytes that the values of one map may have together.
pub const MAX_MAP_BYTES: u64 = 1 << 32;

/// A rule that a program breaks.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {message} (rule {rule} of the IR)")]
pub struct VerifierError {
    /// The number of the rule in the header of this file.
    pub rule: u32,
    /// Where: the map, block or instruction, with the source line when it is known.
    pub place: String,
    /// How it breaks the rule, without the place.
    pub message: String,
}

impl From<VerifierError> for Diagnostic {
    fn from(error: VerifierError) -> Diagnostic {
        Diagnostic::input(
            "invalid-ir",
            format!("{} (rule {} of the IR)", error.message, error.rule),
        )
        .at(error.place)
    }
}

/// Checks every rule and gives all that are broken. When entities are missing or doubled (rules 1 and 2), only that
/// is reported, because the rest cannot be looked at.
pub fn verify(program: &Program) -> Result<(), Vec<VerifierError>> {
    let mut check = Check {
        program,
        errors: Vec::new(),
    };
    check.entities();
    if check.errors.is_empty() {
        check.values();
        check.maps();
        check.edges();
        check.control_flow();
        for (_, order) in program.orders() {
            check.dominance(order);
        }
        check.phases();
        check.structure();
        for (block, inst) in program.insts_in_order() {
            check.operation(block, inst);
        }
    }
    if check.errors.is_empty() {
        Ok(())
    } else {
        Err(check.errors)
    }
}

/// Where an error is.
#[derive(Clone, Copy)]
enum At {
    Order,
    Map(MapId),
    Function(Function),
    Block(Block),
    Inst(Block, Inst),
    End(Block),
}

struct Check<'a> {
    program: &'a Program,
    errors: Vec<VerifierError>,
}

impl Check<'_> {
    fn error(&mut self, rule: u32, at: At, message: impl Into<String>) {
        let program = self.program;
        let place = match at {
            At::Order => String::from("order"),
            At::Map(map) => format!("map {}", program.maps[map].name),
            At::Function(function) => {
                format!("function {}", program.functions[function].name)
            }
            At::Block(block) => block.to_string(),
            At::End(block) => format!("end of {block}"),
            At::Inst(block, inst) => {
                let place = format!("{block}, `{}`", program.display_inst(inst));
                match program.insts[inst].place {
                    Some(source) => format!("{place} ({})", program.display_place(source)),
                    None => place,
                }
            }
        };
        self.errors.push(VerifierError {
            rule,
            place,
            message: message.into(),
        });
    }

    /// Rules 1 and 2.
    fn entities(&mut self) {
        let program = self.program;
        if program.order.is_empty() {
            self.error(2, At::Order, "there is no block");
        }
        let mut blocks = HashSet::new();
        let mut insts = HashSet::new();
        for block in program.all_blocks() {
            if !program.blocks.is_valid(block) {
                self.error(1, At::Order, format!("{block} does not exist"));
                continue;
            }
            if !blocks.insert(block) {
                self.error(2, At::Order, format!("{block} is named twice"));
                continue;
            }
            let data = &program.blocks[block];
            self.exist(At::Block(block), &data.params, data.place);
            for &inst in &data.insts {
                if !program.insts.is_valid(inst) {
                    self.error(1, At::Block(block), format!("{inst} does not exist"));
                    continue;
                }
                let place = At::Inst(block, inst);
                if !insts.insert(inst) {
                    self.error(2, place, format!("{inst} has a place in a block already"));
                    continue;
                }
                let data = &program.insts[inst];
                let uses: Vec<Value> = data.uses().chain(data.results.iter().copied()).collect();
                self.exist(place, &uses, data.place);
                if let Some(map) = data.op.map().filter(|map| !program.maps.is_valid(*map)) {
                    self.error(1, place, format!("{map} does not exist"));
                }
                self.callee_exists(place, &data.op);
            }
            let place = At::End(block);
            self.exist(place, &data.terminator.uses(), None);
        }
        for (_, order) in program.orders() {
            self.targets_are_inside(order);
        }
    }

    fn exist(&mut self, at: At, values: &[Value], place: Option<PlaceId>) {
        for value in values {
            if !self.program.values.is_valid(*value) {
                self.error(1, at, format!("{value} does not exist"));
            }
        }
        if let Some(place) = place.filter(|place| !self.program.places.is_valid(*place)) {
            self.error(1, at, format!("{place} does not exist"));
        }
    }

    /// Rule 3.
    fn values(&mut self) {
        let program = self.program;
        for block in program.all_blocks() {
            for (index, &param) in program.blocks[block].params.iter().enumerate() {
                let def = ValueDef::Param(block, index as u32);
                self.value(param, def, At::Block(block));
            }
            for &inst in &program.blocks[block].insts {
                for (index, &result) in program.insts[inst].results.iter().enumerate() {
                    let def = ValueDef::Result(inst, index as u32);
                    self.value(result, def, At::Inst(block, inst));
                }
            }
        }
    }

    fn value(&mut self, value: Value, def: ValueDef, place: At) {
        let data = &self.program.values[value];
        if !(1..=MAX_WIDTH).contains(&data.width) {
            self.error(
                3,
                place,
                format!(
                    "{value} has a width of {} bits, which is not between 1 and {MAX_WIDTH}",
                    data.width
                ),
            );
        }
        if data.def != def {
            self.error(
                3,
                place,
                format!(
                    "{value} says that it is defined as {:?}, not {def:?}",
                    data.def
                ),
            );
        }
    }

    /// Rule 4.
    fn maps(&mut self) {
        let mut names = HashSet::new();
        for (map, decl) in &self.program.maps {
            let place = At::Map(map);
            if decl.name.is_empty() {
                self.error(4, place, "the map has no name");
            }
            if !names.insert(&decl.name) {
                self.error(4, place, "two maps have this name");
            }
            for message in map_errors(decl) {
                self.error(4, place, message);
            }
        }
    }

    /// Rules 5 and 6.
    fn control_flow(&mut self) {
        let program = self.program;
        let entry = program.order[0];
        if !program.blocks[entry].params.is_empty() {
            self.error(5, At::Block(entry), "the entry has parameters");
        }
        let mut positions = SecondaryMap::new();
        for (position, block) in program.all_blocks().enumerate() {
            positions[block] = position;
        }
        for block in program.all_blocks() {
            let place = At::End(block);
            let terminator = &program.blocks[block].terminator;
            for target in terminator.targets() {
                let is_back = positions[target.block] <= positions[block];
                if is_back && program.phase != Phase::Structured {
                    let message = format!("it goes to {}, which does not come later", target.block);
                    self.error(5, place, message);
                }
                self.target(target, place);
            }
            match terminator {
                Terminator::None => self.error(5, place, "the block has no terminator"),
                Terminator::Jump(_) => {}
                Terminator::Branch { cond, .. } => self.width(6, place, "the condition", *cond, 1),
                Terminator::Emit(emit) => self.emit(place, emit),
                // Rule 14.
                Terminator::Return(_) => {}
            }
        }
    }

    fn target(&mut self, target: &Target, place: At) {
        let params = &self.program.blocks[target.block].params;
        if params.len() != target.args.len() {
            let message = format!(
                "{} gets {} arguments, it has {} parameters",
                target.block,
                target.args.len(),
                params.len()
            );
            self.error(6, place, message);
        }
        for (&param, &arg) in std::iter::zip(params, &target.args) {
            let what = format!("the argument for {param} of {}", target.block);
            self.width(6, place, &what, arg, self.program.width(param));
        }
    }

    /// Reports a value that is not as wide as it should be.
    fn width(&mut self, rule: u32, place: At, what: &str, value: Value, expected: u32) {
        let width = self.program.width(value);
        if width != expected {
            let message = format!("{what}, {value}, has a width of {width}, not of {expected}");
            self.error(rule, place, message);
        }
    }

    /// Rule 7, for the blocks of the program or of a function.
    fn dominance(&mut self, order: &[Block]) {
        let program = self.program;
        let graph = Graph::new(program, order);
        let dominators = graph.dominators();
        // Nothing leads to an unreachable block, so everything that comes earlier counts as dominating it.
        let dominates = |upper: Block, lower: Block| match (graph.node(upper), graph.node(lower)) {
            (Some(upper), Some(lower)) if !dominators.is_reached(lower) => upper <= lower,
            (Some(upper), Some(lower)) => dominators.dominates(upper, lower),
            _ => false,
        };
        // The block of each live definition, and whether the walk has come to it.
        let mut home: SecondaryMap<Value, Option<Block>> = SecondaryMap::new();
        let mut seen: SecondaryMap<Value, bool> = SecondaryMap::new();
        for &block in order {
            let data = &program.blocks[block];
            for &value in &data.params {
                home[value] = Some(block);
            }
            for &inst in &data.insts {
                for &value in &program.insts[inst].results {
                    home[value] = Some(block);
                }
            }
        }
        for &block in order {
            let data = &program.blocks[block];
            let bad = |value: Value, seen: &SecondaryMap<Value, bool>| match home[value] {
                None => Some(format!("{value} is dead: no live instruction defines it")),
                Some(from) if from == block && !seen[value] => {
                    Some(format!("{value} is defined later in the block"))
                }
                Some(from) if from != block && !dominates(from, block) => Some(format!(
                    "{value} is defined in {from}, which not every path to here goes through"
                )),
                Some(_) => None,
            };
            for &param in &data.params {
                seen[param] = true;
            }
            for &inst in &data.insts {
                for value in program.insts[inst].uses() {
                    if let Some(message) = bad(value, &seen) {
                        let place = At::Inst(block, inst);
                        self.error(7, place, message);
                    }
                }
                for &result in &program.insts[inst].results {
                    seen[result] = true;
                }
            }
            for value in data.terminator.uses() {
                if let Some(message) = bad(value, &seen) {
                    let place = At::End(block);
                    self.error(7, place, message);
                }
            }
        }
    }

    /// Rules 8 to 10.
    fn phases(&mut self) {
        let program = self.program;
        let phase = program.phase;
        let has_blocks = matches!(phase, Phase::Structured | Phase::ControlFlow);
        if !has_blocks {
            if program.order.len() > 1 {
                self.error(9, At::Order, "there is more than one block");
            }
            let end = &program.blocks[program.order[0]].terminator;
            if !matches!(end, Terminator::Emit(_)) {
                let place = At::End(program.order[0]);
                self.error(9, place, "the block does not end with emit");
            }
        }
        for (block, inst) in program.insts_in_order() {
            let data = &program.insts[inst];
            let place = At::Inst(block, inst);
            match (phase, data.guard) {
                (_, None) => {}
                (Phase::Structured | Phase::ControlFlow, Some(_)) => {
                    self.error(8, place, "control flow has no guards");
                }
                (_, Some(_)) if data.op.is_pure() => {
                    self.error(9, place, "only an effect has a guard");
                }
                (_, Some(guard)) => self.width(9, place, "the guard", guard, 1),
            }
            if !has_blocks && data.op == Op::PacketClear {
                self.error(9, place, "the packet is cleared");
            }
            match (phase, data.stage) {
                (Phase::Structured | Phase::ControlFlow, Some(_)) => {
                    self.error(8, place, "control flow has no stages");
                }
                (Phase::Dataflow, Some(_)) => self.error(10, place, "dataflow has no stages"),
                (Phase::Scheduled, None) => self.error(10, place, "the instruction has no stage"),
                (Phase::Scheduled, Some(stage)) => self.stage(block, inst, stage),
                (_, None) => {}
            }
        }
    }

    fn stage(&mut self, block: Block, inst: Inst, stage: u32) {
        for value in self.program.insts[inst].uses() {
            // A dead value, which rule 7 reports, may name an instruction that does not exist.
            let made = match self.program.values[value].def {
                ValueDef::Result(inst, _) => self.program.insts.get(inst).and_then(|def| def.stage),
                ValueDef::Param(..) => None,
            };
            if let Some(made) = made.filter(|made| *made > stage) {
                let place = At::Inst(block, inst);
                let message = format!("stage {stage} uses {value}, which stage {made} makes");
                self.error(10, place, message);
            }
        }
    }

    /// Rules 11 and 12.
    fn operation(&mut self, block: Block, inst: Inst) {
        let program = self.program;
        let data = &program.insts[inst];
        for message in widths::errors(program, data) {
            self.error(11, At::Inst(block, inst), message);
        }
        if let Some(map) = data.op.map() {
            let reads = matches!(data.op, Op::MapLookup(_) | Op::MapLoad(_));
            let decl = &program.maps[map];
            if decl.is_ternary() && data.op.changes_keys() {
                let message = format!("only the host changes the entries of {}", decl.name);
                self.error(12, At::Inst(block, inst), message);
            }
            if !decl.packets_write && !reads {
                let place = At::Inst(block, inst);
                let message = format!("only the host writes the map {}", decl.name);
                self.error(12, place, message);
            }
        }
    }
}

/// What is wrong with a map's sizes and initial value.
fn map_errors(decl: &MapDecl) -> Vec<String> {
    let mut errors = Vec::new();
    for (what, number) in [
        ("key size", decl.key_bytes),
        ("value size", decl.value_bytes),
        ("number of entries", decl.max_entries),
    ] {
        if number == 0 {
            errors.push(format!("the {what} is 0"));
        }
    }
    let bytes = u64::from(decl.value_bytes) * u64::from(decl.max_entries);
    if bytes > MAX_MAP_BYTES {
        errors.push(format!(
            "the values have {bytes} bytes together, more than {MAX_MAP_BYTES}"
        ));
    }
    let keys = decl.key_bytes;
    match decl.find {
        Find::Array | Find::Slots if keys != 4 => {
            errors.push(format!("an index has 4 bytes, the key {keys}"));
        }
        Find::Prefix if keys <= PREFIX_LENGTH_BYTES || keys > MAX_PREFIX_BYTES => {
            errors.push(format!(
                "a key with a prefix has {} to {MAX_PREFIX_BYTES} bytes, not {keys}",
                PREFIX_LENGTH_BYTES + 1
            ));
        }
        _ => {}
    }
    match decl.is_ternary() {
        true if decl.fields.iter().any(|field| field.bits == 0) => {
            errors.push("a field has no bits".to_string());
        }
        true if decl.field_bits().div_ceil(8) != keys => errors.push(format!(
            "the fields have {} bits, which do not make a key of {keys} bytes",
            decl.field_bits()
        )),
        false if !decl.fields.is_empty() => {
            errors.push("only a ternary table has fields".to_string());
        }
        false if decl.most_masks.is_some() => {
            errors.push("only a ternary table has masks".to_string());
        }
        true if decl.most_masks == Some(0) => {
            errors.push("a table without masks has no entries".to_string());
        }
        true if decl.most_masks.is_some()
            && decl
                .fields
                .iter()
                .any(|field| field.by == crate::Match::Range) =>
        {
            errors.push("a table of few masks has no ranges".to_string());
        }
        _ => {}
    }
    if decl.has_slots() && decl.value_bytes < 4 {
        errors.push("whether a slot is set is in the first 4 bytes of its value".to_string());
    }
    if decl.forgets && !decl.is_exact() {
        errors.push("only a table of exact keys forgets".to_string());
    }
    if decl.is_array() && !decl.in_place {
        errors.push("an array is updated in place".to_string());
    }
    let may_broadcast = decl.has_slots() || decl.is_exact() && keys == 4;
    if decl.broadcast && (!may_broadcast || decl.packets_write || decl.value_bytes < 4) {
        errors.push(String::from(
            "packets are broadcast through slots, or exact keys of 4 bytes, that only the host writes, with values of 4 bytes \
             or more",
        ));
    }
    if let Some(initial) = &decl.initial {
        if !decl.is_array() || decl.max_entries != 1 {
            errors.push(String::from(
                "only an array of one entry has an initial value",
            ));
        }
        if initial.len() != decl.value_bytes as usize {
            errors.push(format!(
                "the initial value has {} bytes, the value {}",
                initial.len(),
                decl.value_bytes
            ));
        }
    }
    errors
}

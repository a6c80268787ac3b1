//! Reads the text form that is described at [`crate::print`].
//!
//! The reader checks words, numbers, and that what is used is defined; the rules of the IR are the verifier's.

pub mod declarations;
mod edges;
pub mod line;
mod structure;

use crate::structure::Function;
use crate::syntax::{find, map_op, plain_op, ATOMICS, PHASES};
use crate::{
    Bits, Block, BlockData, Inst, InstData, MapId, Op, Place, PlaceId, Program, Target, Terminator,
    Value, ValueData, ValueDef, MAX_WIDTH,
};
use cranelift_entity::EntityRef;
use hardpath_diagnostic::Diagnostic;
use line::{Form, Line, Position};
use std::collections::BTreeMap;

/// Numbers of values and blocks go up to here, so that a short text cannot ask for a lot of memory.
const MAX_NUMBER: u32 = 1 << 22;

/// Reads a program. An error's place is `line L, column C`, both from 1.
pub fn parse(text: &str) -> Result<Program, Diagnostic> {
    let mut reader = Reader {
        program: Program::new(""),
        map_ids: BTreeMap::new(),
        values: BTreeMap::new(),
        value_uses: Vec::new(),
        blocks: BTreeMap::new(),
        block_uses: Vec::new(),
        place_uses: Vec::new(),
        function_ids: BTreeMap::new(),
        calls: Vec::new(),
    };
    let mut seen_header = false;
    let mut last_line = 1;
    for (index, text) in text.lines().enumerate() {
        last_line = index as u32 + 1;
        let mut line = Line::new(last_line, text, &Form::IR)?;
        if line.at_end() {
            continue;
        }
        if !seen_header {
            reader.header(&mut line)?;
            seen_header = true;
        } else {
            reader.line(&mut line)?;
        }
        line.finish()?;
    }
    if !seen_header {
        return Err(
            Position::start_of(last_line, &Form::IR).error("there is no program in the text")
        );
    }
    reader.finish()
}

struct Reader {
    /// Gets the header, maps, places and instructions at once; values and blocks at the end.
    program: Program,
    map_ids: BTreeMap<String, MapId>,
    values: BTreeMap<u32, ValueData>,
    value_uses: Vec<(u32, Position)>,
    blocks: BTreeMap<u32, BlockData>,
    block_uses: Vec<(u32, Position)>,
    place_uses: Vec<(u32, Position)>,
    function_ids: BTreeMap<String, Function>,
    /// Calls, whose functions may stand further down.
    calls: Vec<(Inst, String, Position)>,
}

impl Reader {
    /// `program "name" control-flow`
    fn header(&mut self, line: &mut Line) -> Result<(), Diagnostic> {
        line.keyword("program")?;
        self.program.name = line.string("the program's name in quotes")?;
        self.program.phase = line.one_of("a phase", |word| find(&PHASES, word))?;
        Ok(())
    }

    fn line(&mut self, line: &mut Line) -> Result<(), Diagnostic> {
        if line.take_keyword("map") {
            self.map(line)
        } else if line.take_keyword("limits") {
            declarations::limits(line, &mut self.program.limits)
        } else if line.take_keyword("input") {
            declarations::own_input(line, &mut self.program.inputs)
        } else if line.take_keyword("output") {
            declarations::output(line, &mut self.program.outputs)
        } else if line.take_keyword("function") {
            self.function(line)
        } else if let Some((number, position)) = line.take_numbered("place") {
            self.place(number, position, line)
        } else if let Some((number, position)) = line.take_numbered("block") {
            self.block(number, position, line)
        } else {
            self.statement(line)
        }
    }

    fn map(&mut self, line: &mut Line) -> Result<(), Diagnostic> {
        let position = line.position();
        let decl = declarations::map(line)?;
        let name = decl.name.clone();
        let id = self.program.maps.push(decl);
        match self.map_ids.insert(name.clone(), id) {
            Some(_) => Err(position.error(format!("map `{name}` is declared twice"))),
            None => Ok(()),
        }
    }

    /// `place0 slot 7 file "count.c" line 21 source "if (…)"`
    fn place(&mut self, number: u32, at: Position, line: &mut Line) -> Result<(), Diagnostic> {
        let next = self.program.places.len() as u32;
        if number != next {
            return Err(at.error(format!(
                "places are numbered in order: expected place{next}"
            )));
        }
        let mut place = Place::default();
        line.keyword("slot")?;
        place.slot = line.number()?;
        if line.take_keyword("file") {
            place.file = line.string("a file name in quotes")?;
        }
        if line.take_keyword("line") {
            place.line = line.number()?;
        }
        if line.take_keyword("source") {
            place.source = line.string("a source line in quotes")?;
        }
        self.program.places.push(place);
        Ok(())
    }

    /// `block1(v3:32 "ihl", v4:16) at place0:`
    fn block(&mut self, number: u32, at: Position, line: &mut Line) -> Result<(), Diagnostic> {
        check_number(number, at)?;
        let block = Block::new(number as usize);
        let mut params = Vec::new();
        if line.take_sign('(') {
            loop {
                let def = ValueDef::Param(block, params.len() as u32);
                params.push(self.definition(def, line)?);
                if !line.take_sign(',') {
                    break;
                }
            }
            line.sign(')')?;
        }
        let bound = self.bound(line)?;
        let place = self.place_reference(line)?;
        line.sign(':')?;
        let data = BlockData {
            params,
            insts: Vec::new(),
            terminator: Terminator::None,
            place,
            bound,
        };
        self.order().push(block);
        match self.blocks.insert(number, data) {
            Some(_) => Err(at.error(format!("{block} stands there twice"))),
            None => Ok(()),
        }
    }

    /// An instruction or a terminator.
    fn statement(&mut self, line: &mut Line) -> Result<(), Diagnostic> {
        let start = line.position();
        let Some(&block) = self.order().last() else {
            return Err(start.error("expected `map`, a place or the first block"));
        };
        let number = block.as_u32();
        if self.blocks[&number].terminator != Terminator::None {
            return Err(start.error(format!("{block} has ended before this")));
        }
        let terminator = if line.take_keyword("jump") {
            Terminator::Jump(self.target(line)?)
        } else if line.take_keyword("branch") {
            let cond = self.value(line)?;
            line.sign(',')?;
            let yes = self.target(line)?;
            line.sign(',')?;
            let no = self.target(line)?;
            Terminator::Branch { cond, yes, no }
        } else if line.take_keyword("emit") {
            Terminator::Emit(self.emit(line)?)
        } else if line.take_keyword("return") {
            let has_results = line.at_numbered("v");
            Terminator::Return(match has_results {
                true => self.values(line)?,
                false => Vec::new(),
            })
        } else {
            let inst = self.inst(line)?;
            if let Some(data) = self.blocks.get_mut(&number) {
                data.insts.push(inst);
            }
            return Ok(());
        };
        if let Some(data) = self.blocks.get_mut(&number) {
            data.terminator = terminator;
        }
        Ok(())
    }

    /// `v5:1 "hit", v6:32 = map.lookup @stats v4 if v9 stage 3 at place1`
    fn inst(&mut self, line: &mut Line) -> Result<Inst, Diagnostic> {
        let inst = self.program.insts.next_key();
        let mut results = Vec::new();
        let mut width = None;
        if line.at_numbered("v") {
            loop {
                let def = ValueDef::Result(inst, results.len() as u32);
                let value = self.definition(def, line)?;
                width = width.or(Some(self.values[&value.as_u32()].width));
                results.push(value);
                if !line.take_sign(',') {
                    break;
                }
            }
            line.sign('=')?;
        }
        let (op, args) = self.operation(width, line)?;
        let guard = if line.take_keyword("if") {
            Some(self.value(line)?)
        } else {
            None
        };
        let stage = if line.take_keyword("stage") {
            Some(line.number()?)
        } else {
            None
        };
        let place = self.place_reference(line)?;
        Ok(self.program.insts.push(InstData {
            op,
            args,
            results,
            guard,
            stage,
            place,
        }))
    }

    /// The operation with its arguments. `width` is that of the first result.
    fn operation(
        &mut self,
        width: Option<u32>,
        line: &mut Line,
    ) -> Result<(Op, Vec<Value>), Diagnostic> {
        let position = line.position();
        let word = line.word("an operation")?;
        let op = match word.as_str() {
            "const" => {
                let Some(width) = width else {
                    return Err(position.error("a constant needs a result, which has its width"));
                };
                Op::Const(line.constant(width)?)
            }
            "input" => Op::Input(declarations::input(line, &self.program.inputs)?),
            "slice" => {
                let from = self.value(line)?;
                line.sign(',')?;
                let lo = line.number()?;
                return Ok((Op::Slice { lo }, vec![from]));
            }
            "map.atomic" => {
                let atomic = line.one_of("an atomic operation", |word| find(&ATOMICS, word))?;
                Op::MapAtomic(self.map_reference(line)?, atomic)
            }
            "call" => self.callee(line)?,
            "checksum" => self.checksum(line)?,
            "copy" => self.copy(line)?,
            word => match (plain_op(word), map_op(word)) {
                (Some(op), _) => op,
                (None, Some(make)) => make(self.map_reference(line)?),
                (None, None) => {
                    return Err(position.error(format!("there is no operation `{word}`")))
                }
            },
        };
        let mut args = Vec::new();
        if line.at_numbered("v") {
            args = self.values(line)?;
        }
        Ok((op, args))
    }

    /// `v3:16 "eth_type"`
    fn definition(&mut self, def: ValueDef, line: &mut Line) -> Result<Value, Diagnostic> {
        let (number, position) = line.numbered("v", "a value")?;
        check_number(number, position)?;
        line.sign(':')?;
        let width_position = line.position();
        let width = line.number()?;
        if !(1..=MAX_WIDTH).contains(&width) {
            return Err(width_position.error(format!("a width is between 1 and {MAX_WIDTH} bits")));
        }
        let name = line.take_string();
        let data = ValueData { width, def, name };
        match self.values.insert(number, data) {
            Some(_) => Err(position.error(format!("v{number} is defined twice"))),
            None => Ok(Value::new(number as usize)),
        }
    }

    fn value(&mut self, line: &mut Line) -> Result<Value, Diagnostic> {
        let (number, position) = line.numbered("v", "a value")?;
        self.value_uses.push((number, position));
        Ok(Value::new(number as usize))
    }

    fn values(&mut self, line: &mut Line) -> Result<Vec<Value>, Diagnostic> {
        let mut values = vec![self.value(line)?];
        while line.take_sign(',') {
            values.push(self.value(line)?);
        }
        Ok(values)
    }

    /// `block1(v3, v4)`
    fn target(&mut self, line: &mut Line) -> Result<Target, Diagnostic> {
        let (number, position) = line.numbered("block", "a block")?;
        self.block_uses.push((number, position));
        let mut args = Vec::new();
        if line.take_sign('(') {
            args = self.values(line)?;
            line.sign(')')?;
        }
        Ok(Target {
            block: Block::new(number as usize),
            args,
        })
    }

    fn map_reference(&mut self, line: &mut Line) -> Result<MapId, Diagnostic> {
        let position = line.position();
        let name = line.map_name()?;
        let id = self.map_ids.get(&name).copied();
        id.ok_or_else(|| position.error(format!("there is no map `{name}`")))
    }

    /// `at place0`, or nothing.
    fn place_reference(&mut self, line: &mut Line) -> Result<Option<PlaceId>, Diagnostic> {
        if !line.take_keyword("at") {
            return Ok(None);
        }
        let (number, position) = line.numbered("place", "a place")?;
        self.place_uses.push((number, position));
        Ok(Some(PlaceId::new(number as usize)))
    }

    /// Checks that what is used is defined, and puts values and blocks at their numbers.
    fn finish(mut self) -> Result<Program, Diagnostic> {
        let places = self.program.places.len() as u32;
        let undefined_value = first(&self.value_uses, |n| self.values.contains_key(&n));
        let undefined_block = first(&self.block_uses, |n| self.blocks.contains_key(&n));
        let undefined_place = first(&self.place_uses, |n| n < places);
        if let Some((number, position)) = undefined_value {
            return Err(position.error(format!("v{number} is not defined")));
        }
        if let Some((number, position)) = undefined_block {
            return Err(position.error(format!("there is no block{number}")));
        }
        if let Some((number, position)) = undefined_place {
            return Err(position.error(format!("there is no place{number}")));
        }
        self.resolve_calls()?;
        let mut program = self.program;
        while let Some((number, data)) = self.blocks.pop_first() {
            while program.blocks.len() < number as usize {
                program.make_block();
            }
            program.blocks.push(data);
        }
        // Numbers without a value are the results of one dead instruction.
        let hole = program.insts.push(InstData {
            op: Op::Const(Bits::zero(1)),
            args: Vec::new(),
            results: Vec::new(),
            guard: None,
            stage: None,
            place: None,
        });
        while let Some((number, data)) = self.values.pop_first() {
            while program.values.len() < number as usize {
                let index = program.insts[hole].results.len() as u32;
                let value = program.values.push(ValueData {
                    width: 1,
                    def: ValueDef::Result(hole, index),
                    name: None,
                });
                program.insts[hole].results.push(value);
            }
            program.values.push(data);
        }
        Ok(program)
    }
}

fn first(uses: &[(u32, Position)], defined: impl Fn(u32) -> bool) -> Option<(u32, Position)> {
    uses.iter().find(|(number, _)| !defined(*number)).copied()
}

fn check_number(number: u32, position: Position) -> Result<(), Diagnostic> {
    if number < MAX_NUMBER {
        Ok(())
    } else {
        Err(position.error(format!(
            "numbers of values and blocks are below {MAX_NUMBER}"
        )))
    }
}

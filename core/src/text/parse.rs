//! Reads the text form that is described at [`super`].

mod operand;
mod operation;

use crate::encode::{encode, layout, Bounds, Misfit};
use crate::image::{Image, Row, LANES};
use crate::isa::{Action, Operation, MOST_LANES, MOST_REGISTERS};
use cranelift_entity::PrimaryMap;
use hardpath_diagnostic::{count, suggest, Diagnostic};
use hardpath_ir::parse::declarations;
use hardpath_ir::parse::line::{Form, Line, Position};
use hardpath_ir::{Limits, MapId};
use operation::{Goal, Reader};
use std::collections::BTreeMap;

/// How lines are cut into tokens.
const FORM: Form = Form {
    code: "microcode-syntax",
    signs: ":=,()@[]+!",
};
/// After so many errors nobody reads on.
const MOST_ERRORS: usize = 100;

/// Reads a program, or says all that is wrong with its text, each with its place: `line L, column C`, both from 1.
pub fn parse(text: &str) -> Result<Image, Vec<Diagnostic>> {
    let mut parser = Parser {
        image: empty(),
        maps: BTreeMap::new(),
        rows: BTreeMap::new(),
        goals: Vec::new(),
        errors: Vec::new(),
    };
    let mut seen_header = false;
    let mut last_line = 1;
    for (number, text) in (1..).zip(text.lines()) {
        if parser.errors.len() >= MOST_ERRORS {
            break;
        }
        last_line = number;
        let mut line = match Line::new(number, text, &FORM) {
            Ok(line) => line,
            Err(error) => {
                parser.errors.push(error);
                continue;
            }
        };
        if line.at_end() {
            continue;
        }
        let read = match std::mem::replace(&mut seen_header, true) {
            false => parser.header(&mut line),
            true => parser.line(&mut line),
        };
        let read = read.and_then(|()| line.finish());
        parser.errors.extend(read.err());
    }
    let end = Position::start_of(last_line, &FORM);
    if !seen_header {
        return Err(vec![end.error("there is no core in the text")]);
    }
    parser.finish(end)
}

/// A program for the largest core, until the text says which one.
fn empty() -> Image {
    Image {
        name: String::new(),
        lanes: MOST_LANES,
        registers: MOST_REGISTERS,
        rows: Vec::new(),
        stack: 0,
        limits: Limits::default(),
        inputs: Vec::new(),
        outputs: Vec::new(),
        maps: PrimaryMap::new(),
    }
}

struct Parser {
    image: Image,
    maps: BTreeMap<String, MapId>,
    /// The rows that have names.
    rows: BTreeMap<String, u32>,
    /// Where branches go, which may stand further down: with row and lane of the branch.
    goals: Vec<(usize, u8, Goal)>,
    errors: Vec<Diagnostic>,
}

impl Parser {
    /// `core "count" lanes 4 registers 16 stack 512`
    fn header(&mut self, line: &mut Line) -> Result<(), Diagnostic> {
        line.keyword("core")?;
        self.image.name = line.string("the program's name in quotes")?;
        line.keyword("lanes")?;
        self.image.lanes = line.one_of("1, 2, 4 or 8 lanes", |word| {
            let lanes = word.parse().ok()?;
            LANES.contains(&lanes).then_some(lanes)
        })?;
        line.keyword("registers")?;
        let what = format!("1 to {MOST_REGISTERS} registers");
        self.image.registers = line.one_of(&what, |word| {
            let registers = word.parse().ok()?;
            (1..=MOST_REGISTERS)
                .contains(&registers)
                .then_some(registers)
        })?;
        line.keyword("stack")?;
        self.image.stack = line.number()?;
        Ok(())
    }

    fn line(&mut self, line: &mut Line) -> Result<(), Diagnostic> {
        let position = line.position();
        if let Some((number, at)) = line.take_numbered("lane") {
            return self.lane(number, at, line);
        }
        if let Some((number, at)) = line.take_numbered("row") {
            return self.row(Some(number), at, line);
        }
        let word = line.word("a declaration, a row or a lane")?;
        if line.take_sign(':') {
            return self.named_row(word, position, line);
        }
        if !self.image.rows.is_empty() {
            let message = format!("expected a lane or a row, found `{word}`");
            return Err(position.error(message));
        }
        match word.as_str() {
            "limits" => declarations::limits(line, &mut self.image.limits),
            "input" => declarations::own_input(line, &mut self.image.inputs),
            "output" => declarations::output(line, &mut self.image.outputs),
            "map" => self.map(line),
            _ => {
                let message = format!("expected a declaration or the first row, found `{word}`");
                Err(position.error(message))
            }
        }
    }

    fn map(&mut self, line: &mut Line) -> Result<(), Diagnostic> {
        let position = line.position();
        let decl = declarations::map(line)?;
        let name = decl.name.clone();
        let most = usize::from(layout::MOST_MAPS);
        if self.image.maps.len() == most {
            return Err(position.error(format!("a program has up to {most} maps")));
        }
        let id = self.image.maps.push(decl);
        match self.maps.insert(name.clone(), id) {
            Some(_) => Err(position.error(format!("map `{name}` is declared twice"))),
            None => Ok(()),
        }
    }

    /// `row7:`, of which the number has been read.
    fn row(
        &mut self,
        number: Option<u32>,
        at: Position,
        line: &mut Line,
    ) -> Result<(), Diagnostic> {
        let next = self.image.rows.len() as u32;
        self.image.rows.push(Row {
            lanes: vec![None; self.image.lanes.into()],
        });
        if next == layout::MOST_ROWS {
            return Err(at.error(format!("a program has up to {next} rows")));
        }
        match number {
            Some(number) if number != next => {
                Err(at.error(format!("rows are numbered in order: expected row{next}")))
            }
            Some(_) => line.sign(':'),
            None => Ok(()),
        }
    }

    /// `again:`
    fn named_row(&mut self, name: String, at: Position, line: &mut Line) -> Result<(), Diagnostic> {
        let number = self.image.rows.len() as u32;
        self.row(None, at, line)?;
        match self.rows.insert(name.clone(), number) {
            Some(_) => Err(at.error(format!("two rows are called `{name}`"))),
            None => Ok(()),
        }
    }

    /// `lane2: (!p3) r2.1 = add 32 r0.2[0+:8], 7`, of which the number has been read.
    fn lane(&mut self, number: u32, at: Position, line: &mut Line) -> Result<(), Diagnostic> {
        line.sign(':')?;
        let row = self.image.rows.len();
        let Some(last) = self.image.rows.last() else {
            return Err(at.error("expected a declaration or the first row"));
        };
        let lanes = usize::from(self.image.lanes);
        let lane = number as usize;
        if lane >= lanes {
            let message = format!(
                "there is no lane {lane}: the core has {}",
                count::counted(lanes, "lane")
            );
            return Err(at.error(message));
        }
        if last.lanes[lane].is_some() {
            return Err(at.error(format!("lane {lane} has an operation in this row already")));
        }
        let start = line.position();
        let reader = Reader::new(self.bounds(), (&self.maps, &self.image.inputs), line);
        let (operation, goal) = reader.operation()?;
        let lane = lane as u8;
        encode(&operation, lane).map_err(|misfit| misplaced(start, misfit))?;
        self.goals.extend(goal.map(|goal| (row - 1, lane, goal)));
        self.image.rows[row - 1].lanes[usize::from(lane)] = Some(operation);
        Ok(())
    }

    /// Which rows there are is only known at the end.
    fn bounds(&self) -> Bounds {
        Bounds {
            lanes: self.image.lanes,
            registers: self.image.registers,
            maps: self.image.maps.len() as u8,
            ..Bounds::MOST
        }
    }

    fn finish(mut self, end: Position) -> Result<Image, Vec<Diagnostic>> {
        if self.image.rows.is_empty() && self.errors.is_empty() {
            let error = end.error("the text ends in front of the first row");
            self.errors.push(error);
        }
        for (row, lane, goal) in std::mem::take(&mut self.goals) {
            match self.resolve(&goal) {
                Ok(number) => self.aim(row, lane, number),
                Err(error) => self.errors.push(error),
            }
        }
        // In the order of the text, where the ends of branches were found last.
        let at = |error: &Diagnostic| error.place.as_ref().map(|at| (at.line, at.column));
        self.errors.sort_by_key(at);
        match self.errors.is_empty() {
            true => Ok(self.image),
            false => Err(self.errors),
        }
    }

    /// The number of the row where a branch goes.
    fn resolve(&self, goal: &Goal) -> Result<u32, Diagnostic> {
        let rows = self.image.rows.len();
        match goal {
            Goal::Row(number, _) if (*number as usize) < rows => Ok(*number),
            Goal::Row(number, at) => {
                let rows = count::counted(rows, "row");
                Err(at.error(format!("there is no row{number}: the text has {rows}")))
            }
            Goal::Name(name, at) => {
                let number = self.rows.get(name).copied();
                number.ok_or_else(|| {
                    let error = at.error(format!("no row is called `{name}`"));
                    let known = self.rows.keys().map(String::as_str);
                    helped(error, suggest::meant(name, known))
                })
            }
        }
    }

    fn aim(&mut self, row: usize, lane: u8, number: u32) {
        let slot = &mut self.image.rows[row].lanes[usize::from(lane)];
        if let Some(Operation {
            action: Action::Branch { to, .. },
            ..
        }) = slot
        {
            *to = number;
        }
    }
}

/// With help, if there is any.
fn helped(error: Diagnostic, help: String) -> Diagnostic {
    match help.trim() {
        "" => error,
        help => error.help(help),
    }
}

fn misplaced(at: Position, misfit: Misfit) -> Diagnostic {
    at.error(misfit.to_string())
}

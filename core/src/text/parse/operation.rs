//! What stands behind a lane.

use super::helped;
use super::operand::{
    byte, guard, half, number, offset, operand, range, take_field, take_pred, take_register,
};
use crate::encode::Bounds;
use crate::isa::{Action, Ending, Field, Into, Operand, Operation, Pred, Reg, Test, Way};
use crate::text::words::{BUFFERS, COMBINES, COMPUTES, CONDITIONS, INTOS, OPERATIONS};
use cranelift_entity::EntityRef;
use hardpath_diagnostic::{suggest, Diagnostic};
use hardpath_ir::parse::declarations;
use hardpath_ir::parse::line::{Line, Position};
use hardpath_ir::structure::Memory;
use hardpath_ir::syntax::{find, ATOMICS, MEMORIES};
use hardpath_ir::MapId;
use hardpath_ir::OwnInput;
use std::collections::BTreeMap;

/// Where a branch goes, and where the text says so.
pub(super) enum Goal {
    /// `row7`
    Row(u32, Position),
    /// `again`
    Name(String, Position),
}

/// Reads one operation.
pub(super) struct Reader<'a> {
    bounds: Bounds,
    maps: &'a BTreeMap<String, MapId>,
    own: &'a [OwnInput],
    line: &'a mut Line,
    /// What stands in front of `=`.
    gives: Vec<Given>,
    start: Position,
    goal: Option<Goal>,
}

#[derive(Clone, Copy)]
enum Given {
    Reg(Reg),
    Pred(Pred),
}

impl<'a> Reader<'a> {
    pub fn new(
        bounds: Bounds,
        (maps, own): (&'a BTreeMap<String, MapId>, &'a [OwnInput]),
        line: &'a mut Line,
    ) -> Self {
        Reader {
            bounds,
            maps,
            own,
            start: line.position(),
            line,
            gives: Vec::new(),
            goal: None,
        }
    }

    /// `(!p3) r2.1 = add 32 r0.2[0+:8], 7`. A branch goes to row 0 until its goal is known.
    pub fn operation(mut self) -> Result<(Operation, Option<Goal>), Diagnostic> {
        let mut guard = None;
        if self.line.take_sign('(') {
            guard = Some(self::guard(self.line)?);
            self.line.sign(')')?;
        }
        self.start = self.line.position();
        self.read_gives()?;
        let position = self.line.position();
        let word = self.line.word("an operation")?;
        let action = self.action(&word, position)?;
        Ok((Operation { guard, action }, self.goal))
    }

    /// `p1, r0.3 =`, or nothing.
    fn read_gives(&mut self) -> Result<(), Diagnostic> {
        loop {
            if let Some(reg) = take_register(self.line, &self.bounds)? {
                self.gives.push(Given::Reg(reg));
            } else if let Some(pred) = take_pred(self.line)? {
                self.gives.push(Given::Pred(pred));
            } else if self.gives.is_empty() {
                return Ok(());
            } else {
                return Err(self.line.expected("a register or a predicate"));
            }
            if !self.line.take_sign(',') {
                return self.line.sign('=');
            }
        }
    }

    /// The error that something else is to stand in front of `=`.
    fn gives<T>(&self, what: &str) -> Result<T, Diagnostic> {
        Err(self.start.error(format!("the operation gives {what}")))
    }

    fn to(&self) -> Result<Reg, Diagnostic> {
        match self.gives[..] {
            [Given::Reg(to)] => Ok(to),
            _ => self.gives("one register"),
        }
    }

    fn maybe_to(&self) -> Result<Option<Reg>, Diagnostic> {
        match self.gives[..] {
            [] => Ok(None),
            [Given::Reg(to)] => Ok(Some(to)),
            _ => self.gives("one register or nothing"),
        }
    }

    fn nothing(&self) -> Result<(), Diagnostic> {
        match self.gives[..] {
            [] => Ok(()),
            _ => self.gives("nothing"),
        }
    }

    fn action(&mut self, word: &str, at: Position) -> Result<Action, Diagnostic> {
        if let Some(op) = find(&COMPUTES, word) {
            let to = self.to()?;
            let width = byte(self.line)?;
            let (a, b) = self.pair()?;
            return Ok(Action::Compute {
                op,
                width,
                a,
                b,
                to,
            });
        }
        if !OPERATIONS.contains(&word) {
            let error = at.error(format!("there is no operation `{word}`"));
            let computes = COMPUTES.iter().map(|(word, _)| *word);
            let known = OPERATIONS.into_iter().chain(computes);
            return Err(helped(error, suggest::meant(word, known)));
        }
        match word {
            "move" | "input" | "insert" | "select" | "checksum" => self.register_of(word),
            "compare" | "combine" => self.predicate_of(word),
            "lookup" | "update" | "delete" | "map.load" | "map.store" | "map.atomic" => {
                self.on_map(word)
            }
            "load" => {
                let to = self.to()?;
                let (memory, base, offset, bytes) = self.access()?;
                Ok(Action::Load {
                    memory,
                    base,
                    offset,
                    bytes,
                    to,
                })
            }
            _ => {
                self.nothing()?;
                self.effect(word)
            }
        }
    }

    fn register_of(&mut self, word: &str) -> Result<Action, Diagnostic> {
        let to = self.to()?;
        Ok(match word {
            "move" => {
                let a = self.operand()?;
                Action::Move { a, to }
            }
            "input" => {
                let input = declarations::input(self.line, self.own)?;
                Action::Input { input, to }
            }
            "insert" => {
                let (lo, width) = range(self.line)?;
                let (a, into) = self.pair()?;
                Action::Insert {
                    a,
                    into,
                    lo,
                    width,
                    to,
                }
            }
            "select" => {
                let when = guard(self.line)?;
                self.line.sign(',')?;
                let (a, b) = self.pair()?;
                Action::Select { when, a, b, to }
            }
            _ => {
                let memory = self.memory()?;
                let up_to = self.up_to()?;
                let (a, b) = self.pair()?;
                Action::Checksum {
                    memory,
                    a,
                    b,
                    up_to,
                    to,
                }
            }
        })
    }

    fn predicate_of(&mut self, word: &str) -> Result<Action, Diagnostic> {
        match (word, &self.gives[..]) {
            ("compare", &[Given::Pred(yes)]) => self.compare(yes, Pred(0)),
            ("compare", &[Given::Pred(yes), Given::Pred(no)]) => self.compare(yes, no),
            ("combine", &[Given::Pred(to)]) => {
                let what = "`and`, `or` or `xor`";
                let op = self.line.one_of(what, |word| find(&COMBINES, word))?;
                let a = guard(self.line)?;
                self.line.sign(',')?;
                let b = guard(self.line)?;
                Ok(Action::Combine { op, a, b, to })
            }
            ("compare", _) => self.gives("one predicate or two"),
            _ => self.gives("one predicate"),
        }
    }

    fn compare(&mut self, yes: Pred, no: Pred) -> Result<Action, Diagnostic> {
        let into = self.line.one_of("", |word| find(&INTOS, word));
        Ok(Action::Compare {
            into: into.unwrap_or(Into::Set),
            test: self.test()?,
            yes,
            no,
        })
    }

    /// What gives nothing.
    fn effect(&mut self, word: &str) -> Result<Action, Diagnostic> {
        Ok(match word {
            "store" => {
                let (memory, base, offset, bytes) = self.access()?;
                self.line.sign(',')?;
                Action::Store {
                    memory,
                    base,
                    offset,
                    bytes,
                    value: self.operand()?,
                }
            }
            "clear" => Action::Clear {
                from: self.operand()?,
            },
            "put" => self.put()?,
            "copy" => {
                let (from, into) = (self.memory()?, self.memory()?);
                let up_to = self.up_to()?;
                let (a, b) = self.pair()?;
                Action::Copy {
                    from,
                    into,
                    a,
                    b,
                    up_to,
                }
            }
            "branch" => {
                self.goal = Some(self.read_goal()?);
                let when = self.maybe_test()?;
                Action::Branch { when, to: 0 }
            }
            "indirect" => Action::Indirect { a: self.operand()? },
            "send" => match self.ending()? {
                (ending, None) => Action::Send { ending },
                _ => {
                    return Err(self
                        .start
                        .error("a further copy takes its index from the buffer"))
                }
            },
            _ => {
                let (ending, index) = self.ending()?;
                Action::Exit {
                    when: self.maybe_test()?,
                    index,
                    ending,
                }
            }
        })
    }

    /// `key[2], a, b`
    fn put(&mut self) -> Result<Action, Diagnostic> {
        let buffer = self.line.one_of("a buffer", |word| find(&BUFFERS, word))?;
        self.line.sign('[')?;
        let at = half(self.line)?;
        self.line.sign(']')?;
        self.line.sign(',')?;
        let a = self.operand()?;
        let b = match self.line.take_sign(',') {
            true => Some(self.operand()?),
            false => None,
        };
        Ok(Action::Put { buffer, at, a, b })
    }

    fn on_map(&mut self, word: &str) -> Result<Action, Diagnostic> {
        Ok(match word {
            "lookup" => {
                let (hit, to) = match self.gives[..] {
                    [Given::Pred(hit)] => (hit, None),
                    [Given::Pred(hit), Given::Reg(to)] => (hit, Some(to)),
                    _ => return self.gives("a predicate, and a register behind it or nothing"),
                };
                let map = self.map()?;
                let (a, b) = self.words()?;
                Action::Lookup { map, a, b, to, hit }
            }
            "update" => {
                let (to, map) = (self.maybe_to()?, self.map()?);
                let may = match self.line.take_keyword("may") {
                    true => Some(byte(self.line)?),
                    false => None,
                };
                let (a, b) = self.words()?;
                Action::Update { map, a, b, may, to }
            }
            "delete" => {
                let (to, map) = (self.maybe_to()?, self.map()?);
                let (a, b) = self.words()?;
                Action::Delete { map, a, b, to }
            }
            _ => self.map_value(word)?,
        })
    }

    fn map_value(&mut self, word: &str) -> Result<Action, Diagnostic> {
        Ok(match word {
            "map.load" => {
                let to = self.to()?;
                let (map, entry, offset, bytes) = self.value()?;
                Action::MapLoad {
                    map,
                    entry,
                    offset,
                    bytes,
                    to,
                }
            }
            "map.store" => {
                self.nothing()?;
                let (map, entry, offset, bytes) = self.value()?;
                self.line.sign(',')?;
                Action::MapStore {
                    map,
                    entry,
                    offset,
                    bytes,
                    value: self.operand()?,
                }
            }
            _ => {
                let to = self.maybe_to()?;
                let what = "an atomic operation";
                let op = self.line.one_of(what, |word| find(&ATOMICS, word))?;
                let (map, entry, offset, bytes) = self.value()?;
                self.line.sign(',')?;
                Action::Atomic {
                    map,
                    op,
                    entry,
                    offset,
                    bytes,
                    value: self.operand()?,
                    to,
                }
            }
        })
    }

    fn operand(&mut self) -> Result<Operand, Diagnostic> {
        operand(self.line, &self.bounds)
    }

    /// `a, b`
    fn pair(&mut self) -> Result<(Operand, Operand), Diagnostic> {
        let a = self.operand()?;
        self.line.sign(',')?;
        Ok((a, self.operand()?))
    }

    /// `a, b`, `a`, `_, b` or nothing.
    fn words(&mut self) -> Result<(Option<Operand>, Option<Operand>), Diagnostic> {
        if self.line.at_end() {
            return Ok((None, None));
        }
        let a = match self.line.take_keyword("_") {
            true => None,
            false => Some(self.operand()?),
        };
        let b = match self.line.take_sign(',') {
            true => Some(self.operand()?),
            false => None,
        };
        Ok((a, b))
    }

    /// `eq a, b`
    fn test(&mut self) -> Result<Test, Diagnostic> {
        let what = "a condition";
        let condition = self.line.one_of(what, |word| find(&CONDITIONS, word))?;
        let (a, b) = self.pair()?;
        Ok(Test { condition, a, b })
    }

    fn maybe_test(&mut self) -> Result<Option<Test>, Diagnostic> {
        match self.line.take_keyword("if") {
            true => self.test().map(Some),
            false => Ok(None),
        }
    }

    fn memory(&mut self) -> Result<Memory, Diagnostic> {
        let what = "`packet` or `stack`";
        self.line.one_of(what, |word| find(&MEMORIES, word))
    }

    fn up_to(&mut self) -> Result<u16, Diagnostic> {
        self.line.keyword("up-to")?;
        half(self.line)
    }

    /// `packet[r0.1 + 12] 4`
    fn access(&mut self) -> Result<(Memory, Option<Field>, i32, u8), Diagnostic> {
        let memory = self.memory()?;
        self.line.sign('[')?;
        let base = take_field(self.line, &self.bounds)?;
        let at = match base.is_none() || self.line.take_sign('+') {
            true => offset(self.line)?,
            false => 0,
        };
        self.line.sign(']')?;
        Ok((memory, base, at, byte(self.line)?))
    }

    /// `@name`
    fn map(&mut self) -> Result<u8, Diagnostic> {
        let position = self.line.position();
        let name = self.line.map_name()?;
        match self.maps.get(&name) {
            Some(map) => Ok(map.index() as u8),
            None => {
                let error = position.error(format!("there is no map `{name}`"));
                let known = self.maps.keys().map(String::as_str);
                Err(helped(error, suggest::meant(&name, known)))
            }
        }
    }

    /// `@stats[a + 8] 8`
    fn value(&mut self) -> Result<(u8, Operand, u32, u8), Diagnostic> {
        let map = self.map()?;
        self.line.sign('[')?;
        let entry = self.operand()?;
        let offset = match self.line.take_sign('+') {
            true => self.line.number()?,
            false => 0,
        };
        self.line.sign(']')?;
        Ok((map, entry, offset, byte(self.line)?))
    }

    fn read_goal(&mut self) -> Result<Goal, Diagnostic> {
        if let Some((number, position)) = self.line.take_numbered("row") {
            return Ok(Goal::Row(number, position));
        }
        let position = self.line.position();
        let name = self.line.word("a row")?;
        Ok(Goal::Name(name, position))
    }

    /// `forward to class 1 index a with 3 leaving each @ports`: what becomes of a packet, and the index of its way.
    fn ending(&mut self) -> Result<(Ending, Option<Operand>), Diagnostic> {
        let forwarded = match self.line.take_keyword("forward") {
            true => Some(true),
            false => self.line.take_keyword("drop").then_some(false),
        };
        self.line.keyword("to")?;
        let ways = [
            ("back", Some(Way::Back)),
            ("buffer", Some(Way::Buffer)),
            ("class", None),
        ];
        let what = "`back`, `buffer` or `class`";
        let way = match self.line.one_of(what, |word| find(&ways, word))? {
            Some(way) => way,
            None => Way::Class(byte(self.line)?),
        };
        let index = match self.line.take_keyword("index") {
            true => Some(self.operand()?),
            false => None,
        };
        let outputs = match self.line.take_keyword("with") {
            true => Some(self.line.one_of("the outputs as a number", number)?),
            false => None,
        };
        let leaving = self.line.take_keyword("leaving");
        let each = match self.line.take_keyword("each") {
            true => Some(self.map()?),
            false => None,
        };
        let ending = Ending {
            forwarded,
            outputs,
            way,
            leaving,
            each,
        };
        Ok((ending, index))
    }
}

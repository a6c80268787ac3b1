//! A program as a text.

use super::words::{BUFFERS, COMBINES, COMPUTES, CONDITIONS, INTOS};
use crate::encode::destination;
use crate::image::{Image, Origins};
use crate::isa::{Action, Ending, Field, Guard, Into, Operand, Operation, Pred, Reg, Test, Way};
use cranelift_entity::{EntityRef, PrimaryMap};
use hardpath_ir::print::{in_comment, input_word, reference, Declarations};
use hardpath_ir::structure::Memory;
use hardpath_ir::syntax::{quote, word_for, ATOMICS, MEMORIES};
use hardpath_ir::{MapDecl, MapId, OwnInput};

/// The column of a line's comment, where the operation leaves room.
const COMMENT_COLUMN: usize = 60;

/// A program as a text; with origins, behind each operation the line of the source that it came from.
pub fn print(image: &Image, origins: Option<&Origins>) -> String {
    let Image {
        name,
        lanes,
        registers,
        stack,
        ..
    } = image;
    let name = quote(name);
    let mut text = format!("core {name} lanes {lanes} registers {registers} stack {stack}\n");
    let declarations = Declarations {
        limits: image.limits,
        inputs: &image.inputs,
        outputs: &image.outputs,
        maps: &image.maps,
    };
    text += &declarations.to_string();
    text.push('\n');
    for (number, row) in image.rows.iter().enumerate() {
        text += &format!("row{number}:\n");
        for (lane, one) in row.operations() {
            let line = format!("    lane{lane}: {}", operation(one, image));
            text += &match origins.and_then(|origins| comment(origins, number, lane)) {
                Some(comment) => format!("{line:COMMENT_COLUMN$} ; {comment}\n"),
                None => format!("{line}\n"),
            };
        }
    }
    text
}

fn comment(origins: &Origins, row: usize, lane: u8) -> Option<String> {
    let place = *origins.rows.get(row)?.get(usize::from(lane))?;
    Some(in_comment(origins.places.get(place?)?))
}

/// An operation as it stands behind its lane.
pub fn operation(operation: &Operation, image: &Image) -> String {
    let Operation { guard, action } = operation;
    let guard = match guard {
        Some(guard) => format!("({}) ", self::guard(*guard)),
        None => String::new(),
    };
    let results = match results(action).join(", ") {
        none if none.is_empty() => none,
        some => format!("{some} = "),
    };
    let printer = Printer {
        maps: &image.maps,
        inputs: &image.inputs,
    };
    format!("{guard}{results}{}", printer.action(action))
}

/// What stands in front of `=`.
fn results(action: &Action) -> Vec<String> {
    let mut results = match *action {
        Action::Compare {
            yes, no: Pred(0), ..
        } => vec![pred(yes)],
        Action::Compare { yes, no, .. } => vec![pred(yes), pred(no)],
        Action::Combine { to, .. } => vec![pred(to)],
        Action::Lookup { hit, .. } => vec![pred(hit)],
        _ => Vec::new(),
    };
    results.extend(destination(action).map(register));
    results
}

struct Printer<'a> {
    maps: &'a PrimaryMap<MapId, MapDecl>,
    inputs: &'a [OwnInput],
}

impl Printer<'_> {
    fn action(&self, action: &Action) -> String {
        match *action {
            Action::Move { a, .. } => format!("move {}", operand(a)),
            Action::Input { input, .. } => format!("input {}", input_word(self.inputs, &input)),
            Action::Compute {
                op, width, a, b, ..
            } => {
                let op = word_for(&COMPUTES, &op);
                format!("{op} {width} {}", pair(a, b))
            }
            Action::Insert {
                a, into, lo, width, ..
            } => format!("insert {lo}+:{width} {}", pair(a, into)),
            Action::Select { when, a, b, .. } => {
                format!("select {}, {}", guard(when), pair(a, b))
            }
            Action::Compare { ref test, into, .. } => match into {
                Into::Set => format!("compare {}", self::test(test)),
                _ => format!("compare {} {}", word_for(&INTOS, &into), self::test(test)),
            },
            Action::Combine { op, a, b, .. } => {
                let op = word_for(&COMBINES, &op);
                format!("combine {op} {}, {}", guard(a), guard(b))
            }
            Action::Clear { from } => format!("clear {}", operand(from)),
            Action::Put { buffer, at, a, b } => {
                let buffer = word_for(&BUFFERS, &buffer);
                let words = words(Some(a), b);
                format!("put {buffer}[{at}],{words}")
            }
            Action::Branch { when: None, to } => format!("branch row{to}"),
            Action::Branch {
                when: Some(ref test),
                to,
            } => format!("branch row{to} if {}", self::test(test)),
            Action::Indirect { a } => format!("indirect {}", operand(a)),
            Action::Exit {
                ref when,
                index,
                ref ending,
            } => {
                let ending = self.ending(ending, index);
                match when {
                    Some(test) => format!("exit{ending} if {}", self::test(test)),
                    None => format!("exit{ending}"),
                }
            }
            Action::Send { ref ending } => format!("send{}", self.ending(ending, None)),
            ref other => self.memories_and_maps(other),
        }
    }

    fn memories_and_maps(&self, action: &Action) -> String {
        match *action {
            Action::Load {
                memory,
                base,
                offset,
                bytes,
                ..
            } => format!("load {}", access(memory, base, offset, bytes)),
            Action::Store {
                memory,
                base,
                offset,
                bytes,
                value,
            } => {
                let access = access(memory, base, offset, bytes);
                format!("store {access}, {}", operand(value))
            }
            Action::Lookup { map, a, b, .. } => {
                format!("lookup {}{}", self.map(map), words(a, b))
            }
            Action::Update { map, a, b, may, .. } => {
                let may = may.map_or(String::new(), |may| format!(" may {may}"));
                format!("update {}{may}{}", self.map(map), words(a, b))
            }
            Action::Delete { map, a, b, .. } => {
                format!("delete {}{}", self.map(map), words(a, b))
            }
            Action::Checksum {
                memory,
                a,
                b,
                up_to,
                ..
            } => {
                let memory = word_for(&MEMORIES, &memory);
                format!("checksum {memory} up-to {up_to} {}", pair(a, b))
            }
            Action::Copy {
                from,
                into,
                a,
                b,
                up_to,
            } => {
                let [from, into] = [from, into].map(|memory| word_for(&MEMORIES, &memory));
                format!("copy {from} {into} up-to {up_to} {}", pair(a, b))
            }
            ref other => self.map_value(other),
        }
    }

    fn map_value(&self, action: &Action) -> String {
        match *action {
            Action::MapLoad {
                map,
                entry,
                offset,
                bytes,
                ..
            } => format!("map.load {}", self.value(map, entry, offset, bytes)),
            Action::MapStore {
                map,
                entry,
                offset,
                bytes,
                value,
            } => {
                let at = self.value(map, entry, offset, bytes);
                format!("map.store {at}, {}", operand(value))
            }
            Action::Atomic {
                map,
                op,
                entry,
                offset,
                bytes,
                value,
                ..
            } => {
                let op = word_for(&ATOMICS, &op);
                let at = self.value(map, entry, offset, bytes);
                format!("map.atomic {op} {at}, {}", operand(value))
            }
            _ => unreachable!("the other parts of `action`"),
        }
    }

    /// A broken program must be printable, too.
    fn map(&self, map: u8) -> String {
        match self.maps.get(MapId::new(map.into())) {
            Some(decl) => reference(&decl.name),
            None => format!("@?{map}"),
        }
    }

    /// Bytes of a value.
    fn value(&self, map: u8, entry: Operand, offset: u32, bytes: u8) -> String {
        let (map, entry) = (self.map(map), operand(entry));
        match offset {
            0 => format!("{map}[{entry}] {bytes}"),
            _ => format!("{map}[{entry} + {offset}] {bytes}"),
        }
    }

    fn ending(&self, ending: &Ending, index: Option<Operand>) -> String {
        let mut text = String::from(match ending.forwarded {
            Some(true) => " forward to ",
            Some(false) => " drop to ",
            None => " to ",
        });
        match ending.way {
            Way::Back => text += "back",
            Way::Buffer => text += "buffer",
            Way::Class(class) => text += &format!("class {class}"),
        }
        if let Some(index) = index {
            text += &format!(" index {}", operand(index));
        }
        if let Some(outputs) = ending.outputs {
            text += &format!(" with {}", number(outputs));
        }
        if ending.leaving {
            text += " leaving";
        }
        if let Some(map) = ending.each {
            text += &format!(" each {}", self.map(map));
        }
        text
    }
}

fn register(Reg { bank, index }: Reg) -> String {
    format!("r{bank}.{index}")
}

fn pred(Pred(number): Pred) -> String {
    format!("p{number}")
}

fn guard(guard: Guard) -> String {
    let not = if guard.negated { "!" } else { "" };
    format!("{not}{}", pred(guard.pred))
}

fn field(field: Field) -> String {
    let Field {
        reg,
        lo,
        width,
        swapped,
        signed,
    } = field;
    let mut text = register(reg);
    if (lo, width) != (0, 64) {
        text += &format!("[{lo}+:{width}]");
    }
    for (wraps, word) in [(swapped, "swap"), (signed, "signed")] {
        if wraps {
            text = format!("{word}({text})");
        }
    }
    text
}

/// Small numbers as people write them, others so that their bits can be seen.
fn number(value: u64) -> String {
    match value as i64 {
        signed @ -4096..1024 => signed.to_string(),
        _ => format!("{value:#x}"),
    }
}

fn operand(operand: Operand) -> String {
    match operand {
        Operand::Field(field) => self::field(field),
        Operand::Number(value) => number(value),
    }
}

fn pair(a: Operand, b: Operand) -> String {
    format!("{}, {}", operand(a), operand(b))
}

/// Words that there need not be.
fn words(a: Option<Operand>, b: Option<Operand>) -> String {
    match (a, b) {
        (None, None) => String::new(),
        (Some(a), None) => format!(" {}", operand(a)),
        (Some(a), Some(b)) => format!(" {}", pair(a, b)),
        (None, Some(b)) => format!(" _, {}", operand(b)),
    }
}

fn test(test: &Test) -> String {
    let condition = word_for(&CONDITIONS, &test.condition);
    format!("{condition} {}", pair(test.a, test.b))
}

/// Bytes of a memory.
fn access(memory: Memory, base: Option<Field>, offset: i32, bytes: u8) -> String {
    let memory = word_for(&MEMORIES, &memory);
    match (base, offset) {
        (None, offset) => format!("{memory}[{offset}] {bytes}"),
        (Some(base), 0) => format!("{memory}[{}] {bytes}", field(base)),
        (Some(base), offset) => format!("{memory}[{} + {offset}] {bytes}", field(base)),
    }
}

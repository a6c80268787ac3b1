//! What a program declares: its limits, its inputs and outputs, its tables. Each function reads what stands behind the word of its line.

use super::line::Line;
use crate::syntax::{find, INPUTS, LIMITS};
use crate::{Field, Find, Input, Limits, MapDecl, Match, Output, OwnInput};
use hardpath_diagnostic::Diagnostic;
use hardpath_packet::MAX_OWN_BITS;

/// `limits headroom 216 tail 3520`
pub fn limits(line: &mut Line, limits: &mut Limits) -> Result<(), Diagnostic> {
    while !line.at_end() {
        let field = line.one_of("a limit", |word| {
            let found = LIMITS.iter().find(|(name, _)| *name == word);
            found.map(|(_, field)| *field)
        })?;
        *field(limits) = line.number()?;
    }
    Ok(())
}

/// `input "mark" 12`, where a declaration stands.
pub fn own_input(line: &mut Line, inputs: &mut Vec<OwnInput>) -> Result<(), Diagnostic> {
    let position = line.position();
    let name = line.string("the input's name in quotes")?;
    if OwnInput::find(inputs, &name).is_some() {
        return Err(position.error(format!("input `{name}` is declared twice")));
    }
    let width = line.number()?;
    let before = OwnInput::bits(inputs);
    if before + u32::min(width, MAX_OWN_BITS + 1) > MAX_OWN_BITS {
        let message =
            format!("the program's own inputs have more than {MAX_OWN_BITS} bits together");
        return Err(position.error(message));
    }
    inputs.push(OwnInput { name, width });
    Ok(())
}

/// `length`, or `"mark"`, one of a program's own inputs: what stands behind `input` where it is read.
pub fn input(line: &mut Line, own: &[OwnInput]) -> Result<Input, Diagnostic> {
    if !line.at_string() {
        return line.one_of("an input", |word| find(&INPUTS, word));
    }
    let position = line.position();
    let name = line.string("the input's name in quotes")?;
    match OwnInput::find(own, &name) {
        Some((lo, input)) => Ok(Input::Own {
            lo: lo as u8,
            width: input.width as u8,
        }),
        None => Err(position.error(format!(
            "no input is called `{name}`: it is declared as `input \"{name}\" WIDTH`"
        ))),
    }
}

/// `output "verdict" 3 values "aborted", "drop"`
pub fn output(line: &mut Line, outputs: &mut Vec<Output>) -> Result<(), Diagnostic> {
    let position = line.position();
    let name = line.string("the output's name in quotes")?;
    if outputs.iter().any(|other| other.name == name) {
        return Err(position.error(format!("output `{name}` is declared twice")));
    }
    let mut output = Output::new(&name, line.number()?);
    if line.take_keyword("values") {
        loop {
            let value = line.string("the name of a value, in quotes")?;
            output.values.push(value);
            if !line.take_sign(',') {
                break;
            }
        }
    }
    outputs.push(output);
    Ok(())
}

/// `map @name exact key 16 value 4 entries 1024 forgets in-place host-only broadcast as "lru_hash" initial "00ff"`
pub fn map(line: &mut Line) -> Result<MapDecl, Diagnostic> {
    let name = line.map_name()?;
    let find_by = line.one_of("a kind of table", |word| find(&Find::ALL, word))?;
    line.keyword("key")?;
    let key_bytes = line.number()?;
    line.keyword("value")?;
    let value_bytes = line.number()?;
    line.keyword("entries")?;
    let max_entries = line.number()?;
    let mut decl = MapDecl::new(&name, find_by, (key_bytes, value_bytes), max_entries);
    if line.take_keyword("fields") {
        let position = line.position();
        let text = line.string("fields, such as \"ternary 32, range 16\"")?;
        decl.fields = fields(&text)
            .ok_or_else(|| position.error(format!("`{text}` are no fields of a key")))?;
    }
    if line.take_keyword("masks") {
        decl.most_masks = Some(line.number()?);
    }
    decl.forgets = line.take_keyword("forgets");
    decl.in_place |= line.take_keyword("in-place");
    decl.packets_write &= !line.take_keyword("host-only");
    decl.broadcast = line.take_keyword("broadcast");
    if line.take_keyword("as") {
        decl.outside = line.string("what the map is called elsewhere, in quotes")?;
    }
    if line.take_keyword("initial") {
        decl.initial = Some(line.hex_bytes()?);
    }
    Ok(decl)
}

/// `ternary 32, range 16`
fn fields(text: &str) -> Option<Vec<Field>> {
    let field = |text: &str| {
        let (by, bits) = text.trim().split_once(' ')?;
        let by = find(&Match::ALL, by)?;
        let bits = bits.trim().parse().ok()?;
        Some(Field { by, bits })
    };
    text.split(',').map(field).collect()
}

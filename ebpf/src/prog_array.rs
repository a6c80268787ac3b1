//! What program arrays hold: tail calls go to programs of the same object, as the command line says.

use hardpath_diagnostic::{suggest, Diagnostic, Place};

use crate::map_decls::PROG_ARRAY;
use crate::object::{LoadOptions, Object, TailCall};

/// Finds the maps and programs that the options name.
///
/// # Errors
/// `prog-array`: there is no such map, entry or program.
pub fn resolve(object: &Object, options: &LoadOptions) -> Result<Vec<TailCall>, Vec<Diagnostic>> {
    let mut tail_calls = Vec::new();
    let mut problems = Vec::new();
    for ((map, index), program) in &options.prog_array {
        match resolve_one(object, map, *index, program) {
            Ok(tail_call) => tail_calls.push(tail_call),
            Err((message, help)) => problems.push(
                Diagnostic::input("prog-array", message)
                    .at(Place::of_file(&object.file))
                    .help(help),
            ),
        }
    }
    if problems.is_empty() {
        Ok(tail_calls)
    } else {
        Err(problems)
    }
}

fn resolve_one(
    object: &Object,
    map: &str,
    index: u32,
    program: &str,
) -> Result<TailCall, (String, String)> {
    let arrays = object
        .maps
        .iter()
        .enumerate()
        .filter(|(_, one)| one.map_type == PROG_ARRAY);
    let Some((number, array)) = arrays.clone().find(|(_, one)| one.name == map) else {
        let names: Vec<&str> = arrays.map(|(_, one)| one.name.as_str()).collect();
        return Err((
            format!("the object has no program array {map}"),
            suggest::known(map, names, "its program arrays:", "it has none"),
        ));
    };
    if index >= array.max_entries {
        return Err((
            format!("{map} has no entry {index}"),
            format!("its entries are 0 to {}", i64::from(array.max_entries) - 1),
        ));
    }
    let chosen = object
        .choose(Some(program))
        .map_err(|error| (error.message, error.help.unwrap_or_default()))?;
    let place = object
        .programs
        .iter()
        .position(|one| std::ptr::eq(one, chosen));
    Ok(TailCall {
        map: number,
        index,
        program: place.unwrap_or(0),
    })
}

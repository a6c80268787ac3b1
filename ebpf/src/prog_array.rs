//! What program arrays hold, as the command line says: programs of the same object, or of another one, whose maps of the same names are
//! then the same maps.

use hardpath_diagnostic::{suggest, Diagnostic, Place};

use crate::map_decls::PROG_ARRAY;
use crate::object::{LoadOptions, Object, ObjectMap, ProgramImage, TailCall};

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

/// The entry of a program array: its map's name, and its index.
pub type Entry = (String, u32);

impl Object {
    /// Takes in the programs of another object, some of which program arrays hold: by entry the name of a function or section of that
    /// object, `None` for the only one that it has. Maps with one name are one map.
    ///
    /// # Errors
    /// `prog-array`: there is no such map, entry or program, or a map that both have is declared in two ways; those of [`Object::choose`].
    pub fn take_in(
        &mut self,
        other: Object,
        entries: &[(Entry, Option<String>)],
    ) -> Result<(), Vec<Diagnostic>> {
        let wrong = |(message, help): (String, String)| {
            Diagnostic::input("prog-array", message)
                .at(Place::of_file(&self.file))
                .help(help)
        };
        let mut tail_calls = Vec::new();
        let mut problems = Vec::new();
        for ((map, index), name) in entries {
            let entry = entry_of(self, map, *index).map_err(wrong);
            let chosen = other.choose(name.as_deref());
            match (entry, chosen) {
                (Ok(map), Ok(chosen)) => tail_calls.push(TailCall {
                    map,
                    index: *index,
                    program: self.programs.len() + number_of(&other, chosen),
                }),
                (entry, chosen) => problems.extend(entry.err().into_iter().chain(chosen.err())),
            }
        }
        let numbers: Vec<Result<Option<usize>, Diagnostic>> = (other.maps.iter())
            .map(|map| self.same_map(map, &other.file).map_err(wrong))
            .collect();
        problems.extend(numbers.iter().filter_map(|number| number.clone().err()));
        if !problems.is_empty() {
            return Err(problems);
        }
        let mut places = Vec::new();
        for (map, number) in other.maps.into_iter().zip(numbers.into_iter().flatten()) {
            places.push(number.unwrap_or(self.maps.len()));
            if number.is_none() {
                self.maps.push(map);
            }
        }
        for mut program in other.programs {
            for used in &mut program.map_refs {
                used.map = places[used.map];
            }
            self.programs.push(program);
        }
        let is_new = |old: &TailCall| {
            let same = |new: &TailCall| (new.map, new.index) == (old.map, old.index);
            !tail_calls.iter().any(same)
        };
        self.tail_calls.retain(is_new);
        self.tail_calls.extend(tail_calls);
        Ok(())
    }

    /// The number of the map that another object has, too; `None` where there is none of its name.
    fn same_map(&self, map: &ObjectMap, file: &str) -> Result<Option<usize>, (String, String)> {
        let Some(number) = self.maps.iter().position(|own| own.name == map.name) else {
            return Ok(None);
        };
        let own = &self.maps[number];
        let left_open = ObjectMap {
            max_entries: own.max_entries,
            ..map.clone()
        };
        match *own == left_open && (map.max_entries == 0 || own.max_entries == map.max_entries) {
            true => Ok(Some(number)),
            false => Err((
                format!("{file} declares the map {} in another way", map.name),
                String::from("declare it alike in both, or give one of them another name; sections of data are called after their file"),
            )),
        }
    }
}

fn resolve_one(
    object: &Object,
    map: &str,
    index: u32,
    program: &str,
) -> Result<TailCall, (String, String)> {
    let map = entry_of(object, map, index)?;
    let chosen = object
        .choose(Some(program))
        .map_err(|error| (error.message, error.help.unwrap_or_default()))?;
    Ok(TailCall {
        map,
        index,
        program: number_of(object, chosen),
    })
}

fn number_of(object: &Object, program: &ProgramImage) -> usize {
    let mut programs = object.programs.iter();
    let place = programs.position(|one| std::ptr::eq(one, program));
    place.unwrap_or(0)
}

/// The map of an entry, by number.
fn entry_of(object: &Object, map: &str, index: u32) -> Result<usize, (String, String)> {
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
    Ok(number)
}

//! What commands mean for a program: which of its tables, actions, keys and objects their names are, and whether their values fit.

use crate::commands::{self, Argument, Key, Number, Pattern};
use crate::design::{name_of, Design};
use crate::interpreter::{Data, Entry, Match};
use crate::typed::{self, Program};
use crate::types::{ObjectKind, Type};
use hardpath_diagnostic::{suggest, Diagnostic, Place};
use num_bigint::BigInt;

/// A program with all that has a name for the control plane.
pub struct Names<'p> {
    program: &'p Program,
    design: &'p Design,
}

/// A default action: the place in the table's list, and what it is given.
pub type Default = (usize, Vec<Data>);

impl<'p> Names<'p> {
    /// The names of a program.
    pub fn of(program: &'p Program, design: &'p Design) -> Names<'p> {
        Names { program, design }
    }

    /// The table of this name, by its place in the design.
    ///
    /// # Errors
    /// `p4-commands`: there is none, or more than one.
    pub fn table(&self, written: &str, place: &Place) -> Result<usize, Diagnostic> {
        let names: Vec<&str> = self
            .design
            .tables
            .iter()
            .map(|one| one.name.as_str())
            .collect();
        one_of("table", written, &names, place)
    }

    /// The object of one of these externs, by its place in the design.
    ///
    /// # Errors
    /// `p4-commands`: there is none, or more than one.
    pub fn object(
        &self,
        externs: &[&str],
        written: &str,
        place: &Place,
    ) -> Result<usize, Diagnostic> {
        let of_kind: Vec<usize> = (0..self.design.objects.len())
            .filter(|number| {
                let object = &self.design.objects[*number];
                let Type::Object(of, _) = object.of else {
                    return false;
                };
                object.kind == ObjectKind::Extern
                    && externs.contains(&self.program.types.objects[of].name.as_str())
            })
            .collect();
        let names: Vec<&str> = of_kind
            .iter()
            .map(|number| self.design.objects[*number].name.as_str())
            .collect();
        Ok(of_kind[one_of("object", written, &names, place)?])
    }

    /// The value set of this name: its parser, and its place in the program.
    ///
    /// # Errors
    /// `p4-commands`: there is none, or more than one.
    pub fn value_set(&self, written: &str, place: &Place) -> Result<(usize, usize), Diagnostic> {
        let mut sets = Vec::new();
        let mut names = Vec::new();
        for (number, object) in self.design.objects.iter().enumerate() {
            for set in object
                .block
                .iter()
                .flat_map(|block| &self.program.blocks[*block].value_sets)
            {
                let of = &self.program.value_sets[*set];
                names.push(crate::design::joined(
                    &object.name,
                    &name_of(&of.annotations, &of.name),
                ));
                sets.push((number, *set));
            }
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Ok(sets[one_of("value set", written, &names, place)?])
    }

    /// An entry of a table.
    ///
    /// # Errors
    /// `p4-commands`: keys or an action that the table does not have, and values that do not fit.
    pub fn entry(
        &self,
        table: usize,
        entry: &commands::Entry,
        place: &Place,
    ) -> Result<Entry, Diagnostic> {
        let of = self.of_table(table);
        let (arguments, priority) = split(of, entry);
        let (action, arguments) = self.action(table, &entry.action.action, arguments, place)?;
        Ok(Entry {
            keys: self.keys(of, &entry.keys, place)?,
            priority,
            action,
            arguments,
            ..Entry::default()
        })
    }

    /// An entry that names a member or a group of an action profile: without that, and its number, which stands where arguments do.
    ///
    /// # Errors
    /// As for [`Names::entry`].
    pub fn referring(
        &self,
        table: usize,
        entry: &commands::Entry,
        place: &Place,
    ) -> Result<(Entry, u64), Diagnostic> {
        let of = self.of_table(table);
        let (arguments, priority) = split(of, entry);
        let number = match arguments {
            [] => 0,
            [number] => number.value.word(),
            _ => return Err(wrong(place, "an entry names one member or group")),
        };
        let made = Entry {
            keys: self.keys(of, &entry.keys, place)?,
            priority,
            ..Entry::default()
        };
        Ok((made, number))
    }

    /// A default action of a table.
    ///
    /// # Errors
    /// As for [`Names::entry`].
    pub fn default(
        &self,
        table: usize,
        call: &commands::Call,
        place: &Place,
    ) -> Result<Default, Diagnostic> {
        let of = self.of_table(table);
        if of.default_is_constant {
            let message = format!("the default action of `{}` is constant", of.name);
            return Err(wrong(place, message));
        }
        self.called(table, call, place)
    }

    /// An action of a table, with what it is given.
    ///
    /// # Errors
    /// As for [`Names::entry`].
    pub fn called(
        &self,
        table: usize,
        call: &commands::Call,
        place: &Place,
    ) -> Result<Default, Diagnostic> {
        self.action(table, &call.action, &call.arguments, place)
    }

    /// The program is one for eBPF.
    fn is_ebpf(&self) -> bool {
        let main = &self.program.instances[self.design.objects[self.design.main].instance];
        match main.of {
            Type::Object(package, _) => self.program.objects[package].name == "ebpfFilter",
            _ => false,
        }
    }

    /// The table as the program has it.
    fn of_table(&self, table: usize) -> &'p typed::Table {
        &self.program.tables[self.design.tables[table].table]
    }

    fn action(
        &self,
        number: usize,
        written: &str,
        arguments: &[Argument],
        place: &Place,
    ) -> Result<Default, Diagnostic> {
        let table = self.of_table(number);
        let names = self.design.action_names(self.program, number);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let listed = one_of(
            &format!("action of table `{}`", table.name),
            written,
            &names,
            place,
        )?;
        let function = &self.program.functions[table.actions[listed].action];
        let parameters: Vec<&typed::Parameter> = function.data_parameters().collect();
        // One that is given nothing at all has zeros, as tests for eBPF mean it.
        if arguments.is_empty() {
            let zeros = parameters
                .iter()
                .map(|one| crate::interpreter::zero(&self.program.types, &one.of));
            return Ok((listed, zeros.collect()));
        }
        let help = || {
            let names: Vec<&str> = parameters.iter().map(|one| one.name.as_str()).collect();
            match names.is_empty() {
                true => "it has no parameters".to_owned(),
                false => format!("its parameters are: {}", names.join(", ")),
            }
        };
        if parameters.len() != arguments.len() {
            let message = format!(
                "action `{}` takes {} arguments, not {}",
                function.name,
                parameters.len(),
                arguments.len()
            );
            return Err(wrong(place, message).help(help()));
        }
        let known = |name: &str| {
            let mut all = parameters.iter();
            all.any(|one| name == one.name || name == name_of(&one.annotations, &one.name))
        };
        let mut named = arguments
            .iter()
            .filter_map(|one| Some((one, one.name.as_deref()?)));
        if let Some((argument, name)) = named.find(|(_, name)| !known(name)) {
            let place = place.clone().position(place.line, argument.column);
            let message = format!("action `{}` has no parameter `{name}`", function.name);
            return Err(wrong(&place, message).help(help()));
        }
        let mut values = Vec::new();
        for (at, parameter) in parameters.iter().enumerate() {
            let named = arguments.iter().find(|one| {
                let name = one.name.as_deref();
                name.is_some_and(|name| {
                    name == parameter.name
                        || name == name_of(&parameter.annotations, &parameter.name)
                })
            });
            let argument = named.unwrap_or(&arguments[at]);
            let place = place.clone().position(place.line, argument.column);
            values.push(self.data(&argument.value, &parameter.of, &parameter.name, &place)?);
        }
        Ok((listed, values))
    }

    /// What keys of an entry are, and its priority, where the table has priorities.
    ///
    /// # Errors
    /// As for [`Names::entry`].
    pub fn found(
        &self,
        table: usize,
        keys: &[Key],
        priority: &BigInt,
        place: &Place,
    ) -> Result<(Vec<Match>, BigInt), Diagnostic> {
        let of = self.of_table(table);
        let priority = match of.takes_priorities() {
            true => priority.clone(),
            false => BigInt::from(0),
        };
        Ok((self.keys(of, keys, place)?, priority))
    }

    /// What an entry says of each key of its table.
    fn keys(
        &self,
        table: &typed::Table,
        keys: &[Key],
        place: &Place,
    ) -> Result<Vec<Match>, Diagnostic> {
        let matched: Vec<&typed::Key> = table.matched_keys().map(|(_, key)| key).collect();
        let mut found: Vec<Option<Match>> = matched.iter().map(|_| None).collect();
        let names: Vec<String> = matched.iter().map(|key| key_name(key)).collect();
        for (at, key) in keys.iter().enumerate() {
            let place = place.clone().position(place.line, key.column);
            let at = match key.name.as_deref() {
                None => at,
                Some(written) => key_place(key, written, &names, &place)?,
            };
            let (Some(of), Some(slot)) = (matched.get(at), found.get_mut(at)) else {
                let message = format!(
                    "`{}` has {} keys, not {}",
                    table.name,
                    matched.len(),
                    keys.len()
                );
                return Err(wrong(&place, message));
            };
            if slot.is_some() {
                return Err(wrong(
                    &place,
                    format!("the key `{}` is given twice", names[at]),
                ));
            }
            *slot = Some(self.pattern(of, &key.pattern, &names[at], &place)?);
        }
        let mut given = found.into_iter();
        let each = table.keys.iter().map(|key| match key.kind.as_str() {
            typed::SELECTOR => (None, key),
            _ => (given.next().flatten(), key),
        });
        Ok(each
            .map(|(found, key)| match found {
                Some(found) => found,
                // Where one value is asked for it is zero.
                None if key.kind == "exact" => {
                    Match::Value(crate::interpreter::zero(&self.program.types, &key.value.of))
                }
                None => Match::Any,
            })
            .collect())
    }

    fn pattern(
        &self,
        key: &typed::Key,
        pattern: &Pattern,
        name: &str,
        place: &Place,
    ) -> Result<Match, Diagnostic> {
        let width = self.program.types.bits(&key.value.of).unwrap_or(32) as u32;
        let fits = |number: &Number| self.data(number, &key.value.of, name, place);
        let ones = |count: u32| (BigInt::from(1) << count) - 1;
        let prefix = |number: &Number, length: u32| -> Result<Match, Diagnostic> {
            let value = fits(number)?.to_number();
            if length > width {
                let message = format!("`{name}` has {width} bits, not {length}");
                return Err(wrong(place, message));
            }
            Ok(Match::Masked {
                value,
                mask: ones(length) << (width - length),
            })
        };
        let kind = key.kind.as_str();
        match (pattern, kind) {
            (Pattern::Any, "exact") => Err(wrong(
                place,
                format!("`{name}` is exact: one value is wanted"),
            )),
            (Pattern::Any, _) => Ok(Match::Any),
            (Pattern::Value(number), "lpm") => match number.prefix_length(width) {
                // Fewer digits than the key has say what it begins with, if they are those of all of it.
                Some(length)
                    if length < width && number.bits().is_some_and(|bits| bits < width) =>
                {
                    prefix(number, length)
                }
                Some(length) => prefix(number, length),
                None => Err(wrong(place, format!("this is no prefix of `{name}`"))),
            },
            (Pattern::Value(number), "ternary") => Ok(Match::Masked {
                value: fits(number)?.to_number(),
                mask: number.mask(width),
            }),
            (Pattern::Value(number), _) if !number.is_whole() => Err(wrong(
                place,
                format!("`{name}` is {kind}: `*` says nothing here"),
            )),
            (Pattern::Value(number), _) => Ok(Match::Value(fits(number)?)),
            (Pattern::Prefix(number, length), "lpm") if number.digits > 0 && self.is_ebpf() => {
                // Tests for eBPF write the prefix as a little-endian machine has it in its memory.
                let bytes = (width / 8) as usize;
                let (_, mut value) = number.value.to_bytes_le();
                value.resize(bytes, 0);
                let swapped = Number {
                    value: BigInt::from_bytes_be(num_bigint::Sign::Plus, &value),
                    ..number.clone()
                };
                prefix(&swapped, *length)
            }
            (Pattern::Prefix(number, length), "lpm" | "ternary") => prefix(number, *length),
            (Pattern::Prefix(number, length), "exact") if *length == width => {
                Ok(Match::Value(fits(number)?))
            }
            (Pattern::Masked(value, mask), "ternary") => Ok(Match::Masked {
                value: fits(value)?.to_number(),
                mask: fits(mask)?.to_number(),
            }),
            // An optional key is all of it or nothing.
            (Pattern::Masked(value, mask), "optional") => {
                let (value, mask) = (fits(value)?, fits(mask)?.to_number());
                match (mask == BigInt::from(0), mask == ones(width)) {
                    (true, _) => Ok(Match::Any),
                    (_, true) => Ok(Match::Value(value)),
                    _ => Err(wrong(
                        place,
                        format!("`{name}` is optional: its mask is all or nothing"),
                    )),
                }
            }
            (Pattern::Range(low, high), "range") => {
                let (low, high) = (fits(low)?.to_number(), fits(high)?.to_number());
                match low <= high {
                    true => Ok(Match::Range { low, high }),
                    false => Err(wrong(place, format!("nothing is between {low} and {high}"))),
                }
            }
            _ => Err(wrong(
                place,
                format!("`{name}` is {kind}, which this is no value of"),
            )),
        }
    }

    /// A number as a value of a type.
    ///
    /// # Errors
    /// `p4-commands`: it does not fit.
    pub fn data(
        &self,
        number: &Number,
        of: &Type,
        name: &str,
        place: &Place,
    ) -> Result<Data, Diagnostic> {
        let types = &self.program.types;
        match of {
            Type::New(new) => return self.data(number, &types.news[*new].below, name, place),
            Type::Enum(_) => {
                if let Some(below) = types.below_enum(of) {
                    return self.data(number, below, name, place);
                }
            }
            _ => {}
        }
        let value = number.value.clone();
        let too_wide = || {
            let text = types.text(of);
            Err(wrong(
                place,
                format!("{value} does not fit into `{name}`, a {text}"),
            ))
        };
        match of {
            Type::Bool if value <= BigInt::from(1) && value >= BigInt::from(0) => {
                Ok(Data::Bool(value == BigInt::from(1)))
            }
            Type::Bit(width) | Type::Int(width) => {
                // A number that is signed may be written by its bits.
                let least = match of {
                    Type::Int(_) => -(BigInt::from(1) << width.saturating_sub(1)),
                    _ => BigInt::from(0),
                };
                if value < least || value >= BigInt::from(1) << *width {
                    return too_wide();
                }
                Ok(Data::Number(crate::value::in_type(value, of)))
            }
            Type::Error | Type::Enum(_) => match usize::try_from(&value) {
                Ok(member) => Ok(Data::Member(member)),
                Err(_) => too_wide(),
            },
            _ => too_wide(),
        }
    }
}

/// What the control plane calls a key.
pub fn key_name(key: &typed::Key) -> String {
    let written = crate::check::text_of(&key.annotations, "name");
    written.or_else(|| key.name.clone()).unwrap_or_default()
}

/// The place of the key that is meant.
fn key_place(
    key: &Key,
    written: &str,
    names: &[String],
    place: &Place,
) -> Result<usize, Diagnostic> {
    if let Some(header) = key.validity_of() {
        let valid: Vec<usize> = (0..names.len())
            .filter(|at| {
                match names[*at]
                    .strip_suffix(".isValid()")
                    .or(names[*at].strip_suffix(".$valid$"))
                {
                    Some(own) => {
                        header.is_empty() || own == header || own.ends_with(&format!(".{header}"))
                    }
                    None => false,
                }
            })
            .collect();
        if let [only] = valid[..] {
            return Ok(only);
        }
    }
    let plain = key.plain_name().unwrap_or_else(|| written.to_owned());
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    if let Ok(at) = found(&plain, &all) {
        return Ok(at);
    }
    // As C programs have them, by their number.
    let short = written.strip_prefix("key.").unwrap_or(written);
    if let Some(at) = short
        .strip_prefix("field")
        .and_then(|at| at.parse::<usize>().ok())
    {
        if at < names.len() {
            return Ok(at);
        }
    }
    one_of("key", short, &all, place)
}

/// The only one of these names that is meant.
fn one_of(what: &str, written: &str, names: &[&str], place: &Place) -> Result<usize, Diagnostic> {
    match found(written, names) {
        Ok(at) => Ok(at),
        Err(0) => {
            let message = match what.strip_prefix("action of ") {
                Some(table) => format!("{table} has no action `{written}`"),
                None => format!("there is no {what} `{written}`"),
            };
            let error = wrong(place, message);
            Err(match suggest::nearest(written, names.iter().copied()) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None if names.is_empty() => error,
                None => error.help(format!("there are: {}", names.join(", "))),
            })
        }
        Err(count) => Err(wrong(
            place,
            format!("`{written}` is the end of {count} names: write more of it"),
        )),
    }
}

/// As [`commands::named`]; names with `_` for whatever is no letter, as C programs have them, are known, too.
fn found(written: &str, names: &[&str]) -> Result<usize, usize> {
    let at = |found: &str| names.iter().position(|name| *name == found).unwrap_or(0);
    let first = commands::named(written, names.iter().copied());
    let count = match first {
        Ok(found) => return Ok(at(found)),
        Err(count) => count,
    };
    let plain = |name: &str| -> String {
        let letters = name
            .chars()
            .map(|c| if c.is_alphanumeric() { c } else { '_' });
        letters.collect()
    };
    let plains: Vec<String> = names.iter().map(|name| plain(name)).collect();
    let ends: Vec<usize> = (0..names.len())
        .filter(|at| {
            plains[*at] == written
                || written.strip_prefix('_') == Some(&plains[*at])
                || plains[*at]
                    .strip_suffix(written)
                    .is_some_and(|before| before.ends_with('_'))
        })
        .collect();
    match ends[..] {
        [only] => Ok(only),
        _ => Err(count.max(ends.len())),
    }
}

/// What is wrong with a command.
pub fn wrong(place: &Place, message: impl Into<String>) -> Diagnostic {
    Diagnostic::input("p4-commands", message).at(place.clone())
}

/// What an entry gives to its action, and its priority: the larger one wins, and of tables without priorities it is 0.
fn split<'e>(of: &typed::Table, entry: &'e commands::Entry) -> (&'e [Argument], BigInt) {
    let takes_priority = of.takes_priorities();
    let (arguments, priority) = entry.arguments(takes_priority);
    let priority = match priority {
        Some((number, true)) => -number.clone(),
        Some((number, false)) if takes_priority => number.clone(),
        _ => BigInt::from(0),
    };
    (arguments, priority)
}

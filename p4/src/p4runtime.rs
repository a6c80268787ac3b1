//! Entries in the form of P4Runtime: the text of a `p4.v1.WriteRequest`, as control planes keep it and as compilers write the entries that a
//! program begins with. Tables, actions and keys stand there as numbers, which the description of the program (P4Info) explains.
//!
//! ```text
//! updates { type: INSERT entity { table_entry { table_id: 33554433 match { field_id: 1 lpm { value: "\n\000\000\000" prefix_len: 8 } }
//!                                               action { action { action_id: 16777217 params { param_id: 1 value: "\001" } } } } } }
//! ```
//!
//! Such a file says what a run begins with: entries are inserted, modified and deleted, one update after the other; default actions,
//! counters, registers and value sets, which are there already, are modified.

mod entities;
mod known;
mod meters;
mod profiles;
mod text;

pub use text::looks_so;

use crate::commands::{Argument, Call, Command, CommandKind, Number, CODE};
use crate::p4info::Message;
use crate::source::MOST_ERRORS;
use hardpath_diagnostic::{suggest, Diagnostic, Place};
pub(crate) use known::Known;
use known::Table;
use num_bigint::{BigInt, Sign};
use text::{Field, Value};

/// Reads a request. `info`: the description of the program.
///
/// # Errors
/// `p4-commands`: everything that is wrong with it, an update at most once; `p4-unsupported`.
pub fn read(file: &str, text: &str, info: &Message) -> Result<Vec<Command>, Vec<Diagnostic>> {
    let fields = text::read(file, text).map_err(|error| vec![error])?;
    let reader = Reader {
        file,
        known: Known::of(info),
    };
    let (mut commands, mut errors) = (Vec::new(), Vec::new());
    let whole = Node {
        fields: &fields,
        at: (1, 1),
    };
    if let Err(error) = reader.only(whole, "a request", &REQUEST) {
        errors.push(error);
    }
    for field in fields.iter().filter(|field| field.name == "updates") {
        match reader
            .message(field)
            .and_then(|update| reader.update(update))
        {
            Ok(kinds) => commands.extend(kinds.into_iter().map(|kind| Command {
                place: reader.place(field.at),
                kind,
            })),
            Err(error) => errors.push(error),
        }
    }
    match errors.is_empty() {
        true => Ok(commands),
        false => {
            errors.truncate(MOST_ERRORS);
            Err(errors)
        }
    }
}

const REQUEST: [&str; 6] = [
    "device_id",
    "role_id",
    "role",
    "election_id",
    "updates",
    "atomicity",
];
const TABLE_ENTRY: [&str; 12] = [
    "table_id",
    "match",
    "action",
    "priority",
    "controller_metadata",
    "meter_config",
    "counter_data",
    "meter_counter_data",
    "is_default_action",
    "idle_timeout_ns",
    "metadata",
    "is_const",
];

/// A message, and where it stands.
#[derive(Clone, Copy)]
struct Node<'t> {
    fields: &'t [Field],
    at: (u32, u32),
}

impl<'t> Node<'t> {
    fn field(self, name: &str) -> Option<&'t Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

struct Reader<'t> {
    file: &'t str,
    known: Known,
}

type Read<T> = Result<T, Diagnostic>;

impl Reader<'_> {
    fn place(&self, at: (u32, u32)) -> Place {
        Place::of_file(self.file).position(at.0, at.1)
    }

    fn error(&self, at: (u32, u32), message: impl Into<String>) -> Diagnostic {
        Diagnostic::input(CODE, message).at(self.place(at))
    }

    fn wrong<T>(&self, at: (u32, u32), message: impl Into<String>) -> Read<T> {
        Err(self.error(at, message))
    }

    /// It has no other fields.
    fn only(&self, of: Node, what: &str, known: &[&str]) -> Read<()> {
        match of
            .fields
            .iter()
            .find(|field| !known.contains(&field.name.as_str()))
        {
            None => Ok(()),
            Some(field) => {
                let error = self.error(field.at, format!("{what} has no `{}`", field.name));
                let names = known.iter().copied();
                Err(error.help(suggest::known(&field.name, names, "it has", "")))
            }
        }
    }

    fn message<'t>(&self, field: &'t Field) -> Read<Node<'t>> {
        match &field.value {
            Value::Message(fields) => Ok(Node {
                fields,
                at: field.at,
            }),
            _ => self.wrong(field.value_at, format!("`{}` is a message", field.name)),
        }
    }

    fn inner<'t>(&self, of: Node<'t>, name: &str) -> Read<Option<Node<'t>>> {
        of.field(name).map(|field| self.message(field)).transpose()
    }

    /// A number, and where it stands; 0 where nothing is said.
    fn number(&self, of: Node, name: &str) -> Read<(u64, (u32, u32))> {
        match of.field(name) {
            None => Ok((0, of.at)),
            Some(Field {
                value: Value::Number(number),
                value_at,
                ..
            }) => Ok((*number, *value_at)),
            Some(field) => self.wrong(field.value_at, format!("`{name}` is a number")),
        }
    }

    fn flag(&self, of: Node, name: &str) -> Read<bool> {
        match of.field(name).map(|field| (&field.value, field.value_at)) {
            None => Ok(false),
            Some((Value::Number(number @ (0 | 1)), _)) => Ok(*number == 1),
            Some((Value::Word(word), at)) => match word.as_str() {
                "true" | "t" | "True" => Ok(true),
                "false" | "f" | "False" => Ok(false),
                _ => self.wrong(at, format!("`{name}` is true or false")),
            },
            Some((_, at)) => self.wrong(at, format!("`{name}` is true or false")),
        }
    }

    /// The number of a value: bytes, the first one on top.
    fn value(&self, of: Node, name: &str, part: (&str, u32)) -> Read<BigInt> {
        let Some(field) = of.field(name) else {
            return self.wrong(of.at, format!("`{name}` of {} is missing", part.0));
        };
        let Value::Bytes(bytes) = &field.value else {
            return self.wrong(field.value_at, format!("`{name}` are bytes: \"\\001\""));
        };
        let number = BigInt::from_bytes_be(Sign::Plus, bytes);
        match (bytes.is_empty(), number.bits() > u64::from(part.1)) {
            (true, _) => self.wrong(field.value_at, format!("{} has no bytes here", part.0)),
            (_, true) => {
                let message = format!("{} has {} bits, not {}", part.0, part.1, number.bits());
                self.wrong(field.value_at, message)
            }
            _ => Ok(number),
        }
    }

    /// What has a number.
    fn by_id<'k, T>(
        &self,
        all: &'k std::collections::BTreeMap<u64, T>,
        of: Node,
        (field, what): (&str, &str),
        name: impl Fn(&T) -> &str,
    ) -> Read<&'k T> {
        let (id, at) = self.number(of, field)?;
        match all.get(&id) {
            Some(found) => Ok(found),
            None => {
                let numbers = all.iter().map(|(id, one)| format!("{id} ({})", name(one)));
                let numbers: Vec<String> = numbers.take(8).collect();
                let error = self.error(at, format!("no {what} has the number {id}"));
                Err(error.help(match numbers.is_empty() {
                    true => format!("the program has no {what}"),
                    false => format!("numbers are: {}", numbers.join(", ")),
                }))
            }
        }
    }

    /// What an update does; nothing, where the program does it itself.
    fn update(&self, update: Node) -> Read<Vec<CommandKind>> {
        self.only(update, "an update", &["type", "entity"])?;
        let kind = match update.field("type").map(|field| &field.value) {
            Some(Value::Word(word)) => word.as_str(),
            Some(Value::Number(1)) => "INSERT",
            Some(Value::Number(2)) => "MODIFY",
            Some(Value::Number(3)) => "DELETE",
            _ => "UNSPECIFIED",
        };
        let at = update
            .field("type")
            .map_or(update.at, |field| field.value_at);
        let entity = match self.inner(update, "entity")? {
            Some(entity) => entity,
            None => return self.wrong(update.at, "an update has an `entity`"),
        };
        let [field] = entity.fields else {
            return self.wrong(entity.at, "an entity is one thing: `table_entry { … }`");
        };
        let of = self.message(field)?;
        let wants = |wanted: &str, why: &str| match kind == wanted {
            true => Ok(()),
            false => {
                let error = self.error(at, format!("{why}, and this is {kind}"));
                Err(error.help(format!("write `type: {wanted}`")))
            }
        };
        match field.name.as_str() {
            "table_entry" => {
                self.only(of, "an entry", &TABLE_ENTRY)?;
                if self.flag(of, "is_default_action")? {
                    wants("MODIFY", "a default action is there: it is modified")?;
                    return Ok(vec![self.default(of)?]);
                }
                self.table_entry(kind, at, of)
            }
            "counter_entry" => {
                wants("MODIFY", "counters are there: they are modified")?;
                Ok(vec![self.counter(of)?])
            }
            "direct_counter_entry" => {
                wants("MODIFY", "counters are there: they are modified")?;
                Ok(vec![self.direct_counter(of)?])
            }
            "meter_entry" => {
                wants("MODIFY", "meters are there: they are modified")?;
                Ok(vec![self.meter(of)?])
            }
            "direct_meter_entry" => {
                wants("MODIFY", "meters are there: they are modified")?;
                Ok(vec![self.direct_meter(of)?])
            }
            "register_entry" => {
                wants("MODIFY", "registers are there: they are modified")?;
                Ok(vec![self.register(of)?])
            }
            "action_profile_member" => Ok(vec![self.member(kind, of)?]),
            "action_profile_group" => Ok(vec![self.group(kind, of)?]),
            "value_set_entry" => {
                wants("MODIFY", "value sets are there: they are modified")?;
                self.value_set(of)
            }
            name => {
                let message = format!("`{name}` is not there yet");
                let error = Diagnostic::refused("p4-unsupported", message);
                let help = "there are table_entry, counter_entry, direct_counter_entry, meter_entry, direct_meter_entry, action_profile_member, action_profile_group, register_entry, value_set_entry";
                Err(error.at(self.place(field.at)).help(help))
            }
        }
    }

    fn table(&self, of: Node) -> Read<&Table> {
        self.by_id(&self.known.tables, of, ("table_id", "table"), |table| {
            &table.name
        })
    }

    fn default(&self, of: Node) -> Read<CommandKind> {
        let table = self.table(of)?;
        if let Some(field) = of.field("match") {
            return self.wrong(field.at, "a default action has no keys");
        }
        let name = table.name.clone();
        Ok(match self.inner(of, "action")? {
            None => CommandKind::ResetDefault { table: name },
            Some(action) => CommandKind::SetDefault {
                table: name,
                action: self.action(table, action)?,
            },
        })
    }

    fn action(&self, table: &Table, of: Node) -> Read<Call> {
        let Some(of) = self.inner(of, "action")? else {
            return self.wrong(of.at, "`action` is missing");
        };
        let call = self.any_action(of)?;
        let (id, at) = self.number(of, "action_id")?;
        if !table.actions.contains(&id) {
            let message = format!("`{}` has no action `{}`", table.name, call.action);
            return self.wrong(at, message);
        }
        Ok(call)
    }

    /// An action with its arguments, whichever table has it.
    fn any_action(&self, of: Node) -> Read<Call> {
        let known = ("action_id", "action");
        let action = self.by_id(&self.known.actions, of, known, |action| &action.name)?;
        let mut given = Vec::new();
        for field in of.fields.iter().filter(|field| field.name == "params") {
            let argument = self.message(field)?;
            let (id, at) = self.number(argument, "param_id")?;
            if action.parameters.iter().all(|one| one.id != id) {
                return self.wrong(at, format!("`{}` has no parameter {id}", action.name));
            }
            given.push((id, argument));
        }
        let mut arguments = Vec::new();
        for parameter in &action.parameters {
            let found = given.iter().find(|(id, _)| *id == parameter.id);
            let Some((_, argument)) = found else {
                let (action, name) = (&action.name, &parameter.name);
                return self.wrong(of.at, format!("`{name}` of `{action}` is missing"));
            };
            let named = format!("`{}`", parameter.name);
            let value = self.value(*argument, "value", (&named, parameter.width))?;
            arguments.push(Argument {
                name: None,
                value: Number::of(value),
                column: argument.at.1,
            });
        }
        Ok(Call {
            action: action.name.clone(),
            arguments,
        })
    }

    /// The cell that an entry of a counter or a register is about.
    fn index(&self, of: Node) -> Read<Number> {
        match self.inner(of, "index")? {
            Some(index) => Ok(Number::of(self.number(index, "index")?.0.into())),
            None => self.wrong(of.at, "an `index` says which cell is meant"),
        }
    }

    /// Packets and bytes.
    fn counted(&self, of: Node, name: &str) -> Read<[Number; 2]> {
        let Some(data) = self.inner(of, name)? else {
            return self.wrong(of.at, format!("`{name}` is missing"));
        };
        let packets = self.number(data, "packet_count")?.0;
        let bytes = self.number(data, "byte_count")?.0;
        Ok([packets, bytes].map(|count| Number::of(count.into())))
    }

    fn counter(&self, of: Node) -> Read<CommandKind> {
        let known = ("counter_id", "counter");
        let counter = self.by_id(&self.known.counters, of, known, |name| name)?;
        let [packets, bytes] = self.counted(of, "data")?;
        Ok(CommandKind::WriteCounter {
            counter: counter.clone(),
            index: self.index(of)?,
            packets,
            bytes,
        })
    }

    fn direct_counter(&self, of: Node) -> Read<CommandKind> {
        let Some(entry) = self.inner(of, "table_entry")? else {
            return self.wrong(of.at, "the counter of an entry has a `table_entry`");
        };
        let [packets, bytes] = self.counted(of, "data")?;
        Ok(CommandKind::WriteFound {
            entry: self.found(self.table(entry)?, entry)?,
            packets,
            bytes,
        })
    }

    fn register(&self, of: Node) -> Read<CommandKind> {
        let known = ("register_id", "register");
        let found = self.by_id(&self.known.registers, of, known, |(name, _)| name)?;
        let (name, Some(width)) = found else {
            return self.wrong(of.at, format!("cells of `{}` are no numbers", found.0));
        };
        let Some(data) = self.inner(of, "data")? else {
            return self.wrong(of.at, "`data` is missing");
        };
        let named = format!("`{name}`");
        Ok(CommandKind::WriteRegister {
            register: name.clone(),
            index: self.index(of)?,
            value: Number::of(self.value(data, "bitstring", (&named, *width))?),
        })
    }
}

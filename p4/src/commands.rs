//! What tests and operators have done to a program that runs, one command after another, as they write it: packets in and packets out,
//! entries of tables, registers, counters, meters, copies of packets.
//!
//! Three forms make the same commands: that of tests ([`crate::stf`]), that of BMv2's command line ([`crate::entries`]) and that of P4Runtime
//! ([`crate::p4runtime`]). They are syntax: names and values stand here as they are written, and what knows a program says which of its objects they mean ([`named`]) and
//! whether they fit.

mod number;

pub(crate) use number::short;
pub use number::{Form, Number};

use hardpath_diagnostic::{Diagnostic, Place};
use num_bigint::BigInt;

/// A command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    /// File, line and column.
    pub place: Place,
    /// What is to be done.
    pub kind: CommandKind,
}

/// What is to be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CommandKind {
    /// A packet comes in.
    Packet {
        /// Where.
        port: u32,
        /// All of it.
        bytes: Vec<u8>,
    },
    /// A packet has to come out; those of a port in the order of these commands.
    Expect {
        /// Where.
        port: u32,
        /// What it is like; any packet will do where nothing is said.
        packet: Option<Expected>,
    },
    /// Nothing has to have come out beside what commands before it expect.
    NoPacket,
    /// What came in so far is dealt with first, and then time goes by.
    Wait {
        /// So much.
        nanoseconds: u64,
    },
    /// All entries of all tables go.
    RemoveAll,
    /// A table gets an entry.
    AddEntry(Entry),
    /// A table gets an action for keys that are not found.
    SetDefault {
        /// Which table.
        table: String,
        /// The action.
        action: Call,
    },
    /// A table gets back the default action of its program.
    ResetDefault {
        /// Which table.
        table: String,
    },
    /// An entry gets another action.
    ModifyEntry {
        /// Of which table.
        table: String,
        /// The how manieth that was added to it, from 0.
        entry: u32,
        /// The action.
        action: Call,
    },
    /// An entry goes.
    DeleteEntry {
        /// Of which table.
        table: String,
        /// The how manieth that was added to it, from 0.
        entry: u32,
    },
    /// All entries of a table go.
    ClearTable {
        /// Which table.
        table: String,
    },
    /// A register is shown.
    ReadRegister {
        /// Which register.
        register: String,
        /// Its cell; all of them where none is named.
        index: Option<Number>,
    },
    /// A cell of a register gets a value.
    WriteRegister {
        /// Which register.
        register: String,
        /// Its cell.
        index: Number,
        /// What it gets.
        value: Number,
    },
    /// All cells of a register become zero.
    ResetRegister {
        /// Which register.
        register: String,
    },
    /// A counter is shown.
    ReadCounter {
        /// Which counter.
        counter: String,
        /// Its cell.
        index: Number,
    },
    /// A cell of a counter gets values.
    WriteCounter {
        /// Which counter.
        counter: String,
        /// Its cell.
        index: Number,
        /// So many packets.
        packets: Number,
        /// So many bytes.
        bytes: Number,
    },
    /// What an entry of a table has counted gets values.
    WriteFound {
        /// The entry.
        entry: Found,
        /// So many packets.
        packets: Number,
        /// So many bytes.
        bytes: Number,
    },
    /// The entry with these keys gets another action.
    ModifyFound {
        /// The entry.
        entry: Found,
        /// The action; `None`: it stays.
        action: Option<Call>,
    },
    /// The entry with these keys goes.
    DeleteFound {
        /// The entry.
        entry: Found,
    },
    /// All cells of a counter become zero.
    ResetCounter {
        /// Which counter.
        counter: String,
    },
    /// A counter has to have counted so much.
    CheckCounter {
        /// Which counter.
        counter: String,
        /// Which of its cells.
        cell: Cell,
        /// What it has to have counted; nothing is asked of it where nothing is said.
        check: Option<Check>,
    },
    /// An action profile changes.
    Profile {
        /// Which.
        profile: String,
        /// What becomes of it.
        change: ProfileChange,
    },
    /// A table gets an entry that names a member or a group, whose number stands where arguments do.
    AddThrough {
        /// The entry.
        entry: Entry,
        /// It is a group.
        is_group: bool,
    },
    /// A table gets an entry that chooses among actions of its own.
    AddActions {
        /// The entry.
        entry: Entry,
        /// The actions, with their weights.
        actions: Vec<(Call, u64)>,
    },
    /// The entry with these keys names another member or group.
    ModifyThrough {
        /// The entry.
        entry: Found,
        /// The number of the member or group.
        number: u64,
        /// It is a group.
        is_group: bool,
    },
    /// The entry with these keys chooses among other actions of its own.
    ModifyActions {
        /// The entry.
        entry: Found,
        /// The actions, with their weights.
        actions: Vec<(Call, u64)>,
    },
    /// A meter gets rates.
    SetRates {
        /// Which meter.
        meter: String,
        /// Its cell; all of them where none is named.
        index: Option<Number>,
        /// From the lowest rate upwards; none: nothing is metered.
        rates: Vec<Rate>,
    },
    /// The meter of the entry with these keys gets rates; none: it meters nothing.
    SetFoundRates {
        /// The entry.
        entry: Found,
        /// The committed and the peak rate.
        rates: Vec<Rate>,
    },
    /// An entry gets a timeout.
    SetTimeout {
        /// Of which table.
        table: String,
        /// By its label, or the how manieth that was added to it, from 0.
        entry: Cell,
        /// After so many nanoseconds it is idle; 0: never.
        timeout: u64,
    },
    /// The entry with these keys gets a timeout.
    SetFoundTimeout {
        /// The entry.
        entry: Found,
        /// After so many nanoseconds it is idle; 0: never.
        timeout: u64,
    },
    /// An entry has to have become idle since the last time that this was asked.
    ExpectIdle {
        /// Of which table.
        table: String,
        /// By its label, or the how manieth that was added to it, from 0.
        entry: Cell,
    },
    /// No entry has to have become idle beside those that commands before it expect.
    NoIdle,
    /// The rates of a meter are shown.
    ReadRates {
        /// Which meter.
        meter: String,
        /// Its cell.
        index: Number,
    },
    /// Clones of a session go somewhere.
    AddMirror {
        /// The session.
        session: u32,
        /// Where its clones go.
        to: MirrorTo,
    },
    /// Clones of a session go nowhere again.
    DeleteMirror {
        /// The session.
        session: u32,
    },
    /// A session is shown.
    ReadMirror {
        /// The session.
        session: u32,
    },
    /// A multicast group is made.
    CreateGroup {
        /// Its number.
        group: u32,
    },
    /// A multicast group goes.
    DestroyGroup {
        /// Its number.
        group: u32,
    },
    /// A node is made, which a group can have: a number for copies, and ports.
    CreateNode {
        /// What `egress_rid` of the copies is.
        rid: u32,
        /// A copy for each of them.
        ports: Vec<u32>,
        /// A copy for each of these groups of ports, too.
        lags: Vec<u32>,
    },
    /// A node gets other ports.
    UpdateNode {
        /// The how manieth node that was made, from 0.
        node: u32,
        /// A copy for each of them.
        ports: Vec<u32>,
        /// A copy for each of these groups of ports, too.
        lags: Vec<u32>,
    },
    /// A group gets a node.
    AssociateNode {
        /// The group.
        group: u32,
        /// The how manieth node that was made, from 0.
        node: u32,
    },
    /// A group loses a node.
    DissociateNode {
        /// The group.
        group: u32,
        /// The how manieth node that was made, from 0.
        node: u32,
    },
    /// A node goes.
    DestroyNode {
        /// The how manieth node that was made, from 0.
        node: u32,
    },
    /// A value set gets a value.
    AddToSet {
        /// Which value set.
        set: String,
        /// The value; the fields of a struct one behind the other.
        value: Pattern,
    },
    /// A value set loses a value.
    RemoveFromSet {
        /// Which value set.
        set: String,
        /// The value.
        value: Pattern,
    },
    /// A value set loses all its values.
    ClearSet {
        /// Which value set.
        set: String,
    },
}

/// What becomes of an action profile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProfileChange {
    /// A member is made.
    CreateMember {
        /// Its number; `None`: the first one that is free, from 0.
        member: Option<u64>,
        /// What it does.
        action: Call,
    },
    /// A member does something else.
    ModifyMember {
        /// Its number.
        member: u64,
        /// What it does.
        action: Call,
    },
    /// A member goes.
    DeleteMember {
        /// Its number.
        member: u64,
    },
    /// A group is made.
    CreateGroup {
        /// Its number; `None`: the first one that is free, from 0.
        group: Option<u64>,
        /// Its members; one with a weight is there several times.
        members: Vec<u64>,
    },
    /// A group has these members from now on.
    SetGroup {
        /// Its number.
        group: u64,
        /// Its members; one with a weight is there several times.
        members: Vec<u64>,
    },
    /// A group gets one more member.
    AddToGroup {
        /// The member.
        member: u64,
        /// The group.
        group: u64,
    },
    /// A group loses a member.
    RemoveFromGroup {
        /// The member.
        member: u64,
        /// The group.
        group: u64,
    },
    /// A group goes.
    DeleteGroup {
        /// Its number.
        group: u64,
    },
}

impl CommandKind {
    /// It can fail by what a program does.
    pub fn asks(&self) -> bool {
        match self {
            CommandKind::Expect { .. }
            | CommandKind::NoPacket
            | CommandKind::ExpectIdle { .. }
            | CommandKind::NoIdle => true,
            CommandKind::CheckCounter { check, .. } => check.is_some(),
            _ => false,
        }
    }
}

/// What a packet that comes out has to be like.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Expected {
    /// What it begins with; nibbles that do not count are 0.
    pub bytes: Vec<u8>,
    /// For each byte the bits that count: 0xff, 0xf0, 0x0f or 0.
    pub mask: Vec<u8>,
    /// Nothing follows.
    pub is_exact: bool,
}

impl Expected {
    /// A packet is like that: long enough, and the same wherever it counts.
    pub fn takes(&self, packet: &[u8]) -> bool {
        let long_enough = match self.is_exact {
            true => packet.len() == self.bytes.len(),
            false => packet.len() >= self.bytes.len(),
        };
        long_enough && self.first_unlike(packet).is_none()
    }

    /// The first byte that counts and is another one.
    fn first_unlike(&self, packet: &[u8]) -> Option<usize> {
        let mut pairs = self.bytes.iter().zip(&self.mask).zip(packet);
        pairs.position(|((byte, mask), is)| is & mask != *byte)
    }

    /// In what a packet that is not taken is another one.
    pub fn unlike(&self, packet: &[u8]) -> String {
        let what = match self.first_unlike(packet) {
            Some(at) => format!("byte {at} is {:02x}", packet[at]),
            None => format!("it has {} bytes of {}", packet.len(), self.bytes.len()),
        };
        format!("expected was {self}: {what}")
    }
}

/// In hexadecimal digits, `*` where anything may stand; `$` at its end says that nothing follows.
impl std::fmt::Display for Expected {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (byte, mask) in self.bytes.iter().zip(&self.mask) {
            for shift in [4, 0] {
                match mask >> shift & 0xf {
                    0 => out.write_str("*")?,
                    _ => write!(out, "{:x}", byte >> shift & 0xf)?,
                }
            }
        }
        out.write_str(if self.is_exact { "$" } else { "" })
    }
}

/// An entry that a table has, by what makes it the one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Of which table.
    pub table: String,
    /// Its keys.
    pub keys: Vec<Key>,
    /// Its priority, of which the larger one wins.
    pub priority: BigInt,
}

/// An entry of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The table.
    pub table: String,
    /// Its keys: either all have a name, or they stand in the table's order. Keys that are not named take anything, or are 0 where the
    /// table asks for one value.
    pub keys: Vec<Key>,
    /// What is done.
    pub action: Call,
    /// Which of several entries that match is taken.
    pub priority: Priority,
    /// By which name later commands know it.
    pub label: Option<String>,
}

impl Entry {
    /// The arguments of the action, and the number that says which of several entries that match is taken: the larger one, or with
    /// `true` the smaller one. `takes_priority`: the table has keys such that several entries can match, and no longest prefix.
    pub fn arguments(&self, takes_priority: bool) -> (&[Argument], Option<(&BigInt, bool)>) {
        let arguments = &self.action.arguments[..];
        match (&self.priority, arguments.split_last()) {
            (Priority::LargerWins(number), _) => (arguments, Some((number, false))),
            (Priority::LastArgument, Some((last, others))) if takes_priority => {
                (others, Some((&last.value.value, true)))
            }
            _ => (arguments, None),
        }
    }
}

/// Which of several entries that match is taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Priority {
    /// Nothing is said.
    None,
    /// The one with the larger number.
    LargerWins(BigInt),
    /// The one with the smaller number; where a table has priorities, it is the last argument. The text alone does not tell: it can be
    /// one of the action.
    LastArgument,
}

/// A key of an entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    /// Its name, where it is named.
    pub name: Option<String>,
    /// What it has to be.
    pub pattern: Pattern,
    /// Where in its line it stands, from 1.
    pub column: u32,
}

impl Key {
    /// Its name, with an element of a stack as programs write it: `h[3].f`, also where tests have `h$3.f`.
    pub fn plain_name(&self) -> Option<String> {
        let name = self.name.as_deref()?;
        let mut parts = name.split('$');
        let mut plain = parts.next().unwrap_or("").to_owned();
        for part in parts {
            let digits = part.bytes().take_while(u8::is_ascii_digit).count();
            let (index, others) = part.split_at(digits);
            match digits {
                0 => plain.extend(["$", others]),
                _ => plain.extend(["[", index, "]", others]),
            }
        }
        Some(plain)
    }

    /// The header whose validity this key is: `h` of `h.valid`, `h.$valid`, `h.$valid$` and `h.isValid()`. It is empty where the name
    /// has only the last word: the one key that is a validity is meant then.
    pub fn validity_of(&self) -> Option<&str> {
        let name = self.name.as_deref()?;
        ["$valid$", "$valid", "valid", "isValid()"]
            .iter()
            .find_map(|ending| {
                let header = name.strip_suffix(ending)?;
                match header {
                    "" => Some(""),
                    header => header.strip_suffix('.'),
                }
            })
    }
}

/// What a key has to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// Anything: `*`.
    Any,
    /// A value. What that means follows from the key: where it is a prefix, [`Number::prefix_length`], and where it has a mask,
    /// [`Number::mask`].
    Value(Number),
    /// `value&&&mask`.
    Masked(Number, Number),
    /// `value/length`.
    Prefix(Number, u32),
    /// `lowest->highest`.
    Range(Number, Number),
}

/// An action with its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The action.
    pub action: String,
    /// Its arguments: either all have a name, or they stand in the action's order.
    pub arguments: Vec<Argument>,
}

/// An argument of an action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Argument {
    /// Its name, where it is named.
    pub name: Option<String>,
    /// What it is.
    pub value: Number,
    /// Where in its line it stands, from 1.
    pub column: u32,
}

/// Which cell of a counter, or which entry of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cell {
    /// By its number.
    Index(Number),
    /// That of an entry, by the label of that.
    Label(String),
}

/// What a counter has to have counted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// Bytes are compared, not packets.
    pub bytes: bool,
    /// How.
    pub comparison: Comparison,
    /// What with.
    pub number: Number,
}

/// How numbers are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// It is so.
    pub fn holds<T: Ord>(self, left: T, right: T) -> bool {
        match self {
            Comparison::Equal => left == right,
            Comparison::NotEqual => left != right,
            Comparison::Less => left < right,
            Comparison::LessOrEqual => left <= right,
            Comparison::Greater => left > right,
            Comparison::GreaterOrEqual => left >= right,
        }
    }
}

/// A rate of a meter, as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rate {
    /// Bytes or packets for a microsecond, a decimal fraction: `0.000005`.
    pub rate: String,
    /// Bytes or packets that may come at once.
    pub burst: u64,
}

/// Where clones go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MirrorTo {
    /// To a port.
    Port(u32),
    /// To all that a multicast group has.
    Group(u32),
}

/// Which of a program's names is meant: the same one, or else the only one that ends in a dot and that name.
///
/// # Errors
/// How many there are, where it is not one.
pub fn named<'a>(
    written: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Result<&'a str, usize> {
    let mut ends = Vec::new();
    for name in names {
        if name == written {
            return Ok(name);
        }
        let before = name.strip_suffix(written);
        if before.is_some_and(|before| before.ends_with('.')) {
            ends.push(name);
        }
    }
    match ends[..] {
        [name] => Ok(name),
        _ => Err(ends.len()),
    }
}

/// Code of what is wrong with such a text.
pub(crate) const CODE: &str = "p4-commands";

/// What is wrong with a line: the character, from 1, and what.
pub(crate) struct Wrong {
    pub(crate) column: u32,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl Wrong {
    pub(crate) fn new(column: u32, message: impl Into<String>) -> Wrong {
        Wrong {
            column,
            message: message.into(),
            help: None,
        }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Wrong {
        self.help = Some(help.into());
        self
    }
}

/// Reads a text line by line; `read` makes at most one command of a line, which has no comment and is not empty.
pub(crate) fn lines(
    file: &str,
    text: &str,
    read: impl Fn(&str) -> Result<CommandKind, Wrong>,
) -> Result<Vec<Command>, Vec<Diagnostic>> {
    let (mut commands, mut errors) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate() {
        let line = without_comment(line.trim_start_matches('\u{feff}')).trim_end();
        if line.trim_start().is_empty() {
            continue;
        }
        let place = |column| Place::of_file(file).position(number as u32 + 1, column);
        match read(line) {
            Ok(kind) => {
                let indent = line.len() - line.trim_start().len();
                let column = line[..indent].chars().count() as u32 + 1;
                let place = place(column);
                commands.push(Command { place, kind });
            }
            Err(wrong) => {
                let error = Diagnostic::input(CODE, wrong.message).at(place(wrong.column));
                errors.push(match wrong.help {
                    Some(help) => error.help(help),
                    None => error,
                });
            }
        }
    }
    match errors.is_empty() {
        true => Ok(commands),
        false => {
            errors.truncate(crate::source::MOST_ERRORS);
            Err(errors)
        }
    }
}

/// A line up to `#`, unless that stands between quotes.
fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    let end = line.find(|character| {
        quoted ^= character == '"';
        character == '#' && !quoted
    });
    &line[..end.unwrap_or(line.len())]
}

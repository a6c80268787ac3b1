//! Messages of Protocol Buffers, as text and as binary. A message has its fields in the order of their numbers, as all encoders have them;
//! one that is at its default stands nowhere, but for those of which one is chosen.

use std::fmt::Write;

/// A message.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Message {
    fields: Vec<Field>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Field {
    number: u32,
    name: &'static str,
    value: Value,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Value {
    Number(i64),
    Bool(bool),
    /// A member of an enum.
    Member(u32, &'static str),
    /// Numbers that are repeated: together in the binary form.
    Numbers(Vec<u32>),
    Text(String),
    Bytes(Vec<u8>),
    Message(Message),
}

impl Message {
    /// One without fields.
    pub fn new() -> Message {
        Message::default()
    }

    /// It has no fields.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// A number, if it is not 0.
    #[must_use]
    pub fn number(self, number: u32, name: &'static str, value: impl Into<i64>) -> Message {
        match value.into() {
            0 => self,
            value => self.with(number, name, Value::Number(value)),
        }
    }

    /// A number of which the presence says something.
    #[must_use]
    pub fn chosen_number(self, number: u32, name: &'static str, value: i64) -> Message {
        self.with(number, name, Value::Number(value))
    }

    /// Whether, if it is so.
    #[must_use]
    pub fn flag(self, number: u32, name: &'static str, value: bool) -> Message {
        match value {
            true => self.with(number, name, Value::Bool(true)),
            false => self,
        }
    }

    /// Whether, where the presence says something.
    #[must_use]
    pub fn chosen_flag(self, number: u32, name: &'static str, value: bool) -> Message {
        self.with(number, name, Value::Bool(value))
    }

    /// A member of an enum with its name, if it is not the one of number 0.
    #[must_use]
    pub fn member(self, number: u32, name: &'static str, of: (u32, &'static str)) -> Message {
        match of {
            (0, _) => self,
            (value, member) => self.with(number, name, Value::Member(value, member)),
        }
    }

    /// Numbers, if there are any.
    #[must_use]
    pub fn numbers(self, number: u32, name: &'static str, values: Vec<u32>) -> Message {
        match values.is_empty() {
            true => self,
            false => self.with(number, name, Value::Numbers(values)),
        }
    }

    /// A text, if it is not empty.
    #[must_use]
    pub fn text_of(self, number: u32, name: &'static str, value: &str) -> Message {
        match value {
            "" => self,
            value => self.with(number, name, Value::Text(value.to_owned())),
        }
    }

    /// A text, one of several or one that is chosen.
    #[must_use]
    pub fn chosen_text(self, number: u32, name: &'static str, value: &str) -> Message {
        self.with(number, name, Value::Text(value.to_owned()))
    }

    /// Bytes, if there are any.
    #[must_use]
    pub fn bytes_of(self, number: u32, name: &'static str, value: Vec<u8>) -> Message {
        match value.is_empty() {
            true => self,
            false => self.with(number, name, Value::Bytes(value)),
        }
    }

    /// A message, one more where there are several.
    #[must_use]
    pub fn message(self, number: u32, name: &'static str, value: Message) -> Message {
        self.with(number, name, Value::Message(value))
    }

    fn with(mut self, number: u32, name: &'static str, value: Value) -> Message {
        let field = Field {
            number,
            name,
            value,
        };
        let place = self.fields.partition_point(|one| one.number <= number);
        self.fields.insert(place, field);
        self
    }

    fn values<'m>(&'m self, name: &'m str) -> impl Iterator<Item = &'m Value> {
        let fields = self.fields.iter().filter(move |field| field.name == name);
        fields.map(|field| &field.value)
    }

    /// The messages of a field.
    pub fn messages<'m>(&'m self, name: &'m str) -> impl Iterator<Item = &'m Message> {
        self.values(name).filter_map(|value| match value {
            Value::Message(message) => Some(message),
            _ => None,
        })
    }

    /// The number of a field.
    pub fn number_of(&self, name: &str) -> Option<i64> {
        self.values(name).find_map(|value| match value {
            Value::Number(number) => Some(*number),
            _ => None,
        })
    }

    /// The text of a field.
    pub fn string_of<'m>(&'m self, name: &'m str) -> Option<&'m str> {
        self.values(name).find_map(|value| match value {
            Value::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// The name of the member that a field is.
    pub fn member_of(&self, name: &str) -> Option<&'static str> {
        self.values(name).find_map(|value| match value {
            Value::Member(_, name) => Some(*name),
            _ => None,
        })
    }

    /// The text format.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.write_text(0, &mut text);
        text
    }

    fn write_text(&self, deep: usize, text: &mut String) {
        for Field { name, value, .. } in &self.fields {
            let begin = format!("{:1$}{name}", "", 2 * deep);
            // A text that is written to does not fail.
            let _ = match value {
                Value::Number(value) => writeln!(text, "{begin}: {value}"),
                Value::Bool(value) => writeln!(text, "{begin}: {value}"),
                Value::Member(_, member) => writeln!(text, "{begin}: {member}"),
                Value::Text(value) => writeln!(text, "{begin}: {}", quoted(value.as_bytes())),
                Value::Bytes(value) => writeln!(text, "{begin}: {}", quoted(value)),
                Value::Numbers(values) => values
                    .iter()
                    .try_for_each(|value| writeln!(text, "{begin}: {value}")),
                Value::Message(message) => {
                    let _ = writeln!(text, "{begin} {{");
                    message.write_text(deep + 1, text);
                    writeln!(text, "{:1$}}}", "", 2 * deep)
                }
            };
        }
    }

    /// The binary form.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for Field { number, value, .. } in &self.fields {
            let key = u64::from(*number) << 3;
            let counted = match value {
                Value::Number(value) => {
                    varint(key, &mut bytes);
                    // A negative number has all its 64 bits.
                    varint(*value as u64, &mut bytes);
                    continue;
                }
                Value::Bool(value) => {
                    varint(key, &mut bytes);
                    bytes.push(u8::from(*value));
                    continue;
                }
                Value::Member(value, _) => {
                    varint(key, &mut bytes);
                    varint((*value).into(), &mut bytes);
                    continue;
                }
                Value::Numbers(values) => {
                    let mut all = Vec::new();
                    for value in values {
                        varint((*value).into(), &mut all);
                    }
                    all
                }
                Value::Text(value) => value.clone().into_bytes(),
                Value::Bytes(value) => value.clone(),
                Value::Message(message) => message.bytes(),
            };
            varint(key | 2, &mut bytes);
            varint(counted.len() as u64, &mut bytes);
            bytes.extend(counted);
        }
        bytes
    }
}

/// Seven bits a byte, the lowest first; the highest bit says that there are more.
fn varint(mut value: u64, bytes: &mut Vec<u8>) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn quoted(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for byte in bytes {
        match byte {
            b'\n' => text.push_str("\\n"),
            b'\r' => text.push_str("\\r"),
            b'\t' => text.push_str("\\t"),
            b'"' => text.push_str("\\\""),
            b'\'' => text.push_str("\\'"),
            b'\\' => text.push_str("\\\\"),
            b' '..=b'~' => text.push(char::from(*byte)),
            byte => text.push_str(&format!("\\{byte:03o}")),
        }
    }
    text.push('"');
    text
}

//! What a program says while a packet is there, to whoever watches it run: `log_msg`, `assert` and `assume` that do not hold, digests.

use super::data::Data;
use crate::types::{Type, Types};
use hardpath_diagnostic::Place;
use std::fmt;

/// Something that a program says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// Where the program says it.
    pub place: Place,
    /// What it says.
    pub said: Said,
}

/// What a program says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Said {
    /// A text, with its arguments filled in.
    Log(String),
    /// What it is sure of is not so: the name of the function.
    Fails(String),
    /// Something for the control plane.
    Digest {
        /// What it is called.
        name: String,
        /// Names and values.
        fields: Vec<(String, String)>,
    },
}

impl Said {
    /// What it is, in a word: `log`, `assert`, `assume`, `digest`.
    pub fn kind(&self) -> &str {
        match self {
            Said::Log(_) => "log",
            Said::Fails(function) => function,
            Said::Digest { .. } => "digest",
        }
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Said::Log(text) => f.write_str(text),
            Said::Fails(function) => write!(f, "`{function}` does not hold"),
            Said::Digest { name, fields } => {
                let fields = fields
                    .iter()
                    .map(|(name, value)| format!("{name}: {value}"));
                let fields: Vec<String> = fields.collect();
                write!(f, "digest {name} {{ {} }}", fields.join(", "))
            }
        }
    }
}

/// A text in which each `{}` is the next part of what comes with it, as BMv2 fills it.
pub(super) fn filled(types: &Types, text: &str, data: Option<(&Data, &Type)>) -> String {
    let parts = match data {
        None => Vec::new(),
        Some((data @ Data::Struct(_), of)) => fields(types, data, of),
        Some((data, of)) => vec![(String::new(), shown(types, data, of))],
    };
    let mut pieces = text.split("{}");
    let mut all = pieces.next().unwrap_or_default().to_owned();
    let mut parts = parts.into_iter();
    for piece in pieces {
        all += &parts.next().map_or_else(|| "{}".into(), |(_, value)| value);
        all += piece;
    }
    all
}

/// Names and values of what something consists of; of what is one value, that without a name.
pub(super) fn fields(types: &Types, data: &Data, of: &Type) -> Vec<(String, String)> {
    let parts = data.parts();
    if parts.is_empty() && !matches!(data, Data::Struct(_)) {
        return vec![("value".into(), shown(types, data, of))];
    }
    let fields = parts.iter().enumerate().map(|(at, part)| {
        let name = match of {
            Type::Record(number) => types.records[*number].fields.get(at).map(|one| &one.name),
            _ => None,
        };
        let name = name.cloned().unwrap_or_else(|| at.to_string());
        let value = match types.part(of, at) {
            Some(of) => shown(types, part, of),
            None => shown(types, part, &Type::Wrong),
        };
        (name, value)
    });
    fields.collect()
}

/// A value, for a reader.
fn shown(types: &Types, data: &Data, of: &Type) -> String {
    match (data, of) {
        (data, Type::New(number)) => shown(types, data, &types.news[*number].below),
        (Data::Header(false, _), _) => "invalid".into(),
        (Data::Bool(value), _) => value.to_string(),
        (Data::Text(text), _) => text.clone(),
        (Data::Member(member), of) => match types.member_name(of, *member) {
            Some(name) => name.to_owned(),
            None => member.to_string(),
        },
        (Data::Struct(_) | Data::Header(..) | Data::Union(_) | Data::Stack(..), of) => {
            let fields = fields(types, data, of).into_iter();
            let fields: Vec<String> = fields
                .map(|(name, value)| format!("{name}: {value}"))
                .collect();
            format!("{{ {} }}", fields.join(", "))
        }
        (data, _) => data.to_number().to_string(),
    }
}

//! Types as a program means them: names resolved, widths known (§7).

use crate::ast::Annotation;
use crate::source::Span;
use std::fmt::Write;

/// A type. Two of them are the same exactly when they are equal.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `bool`.
    Bool,
    /// `error`.
    Error,
    /// `match_kind`.
    MatchKind,
    /// `string`.
    Text,
    /// `int` without a width: numbers that only the compiler knows.
    Integer,
    /// `void`.
    Void,
    /// `bit<W>`.
    Bit(u32),
    /// `int<W>`.
    Int(u32),
    /// `varbit<W>`.
    Varbit(u32),
    /// A header, a union or a struct, by its number.
    Record(usize),
    /// An enum, by its number.
    Enum(usize),
    /// What `type` declares, by its number.
    New(usize),
    /// `T[N]`.
    Stack(Box<Type>, u32),
    /// `tuple<…>`, and lists of expressions.
    Tuple(Vec<Type>),
    /// `list<T>`.
    List(Box<Type>),
    /// An extern, a parser, a control or a package, by its number, with the types that it is given.
    Object(usize, Vec<Type>),
    /// A parameter of what is being declared, by its number.
    Parameter(usize),
    /// `_`: whatever fits.
    Any,
    /// It is wrong, which was told: nothing more is said of it.
    Wrong,
}

/// What a record is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum RecordKind {
    Header,
    Union,
    Struct,
}

impl RecordKind {
    /// Its keyword.
    pub fn keyword(self) -> &'static str {
        match self {
            RecordKind::Header => "header",
            RecordKind::Union => "header_union",
            RecordKind::Struct => "struct",
        }
    }
}

/// A field of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub of: Type,
    /// In front of it.
    pub annotations: Vec<Annotation>,
    /// Where it is declared.
    pub span: Span,
}

/// How much there is of a type: what goes through all its parts must come to an end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Parts that have no parts themselves.
    pub parts: u64,
    /// So deep they stand in each other.
    pub deep: u32,
}

impl Extent {
    /// Of what has no parts.
    pub const ONE: Extent = Extent { parts: 1, deep: 1 };

    /// Of what these are side by side in.
    pub fn around(inner: impl IntoIterator<Item = Extent>) -> Extent {
        let start = Extent { parts: 1, deep: 0 };
        let sum = inner.into_iter().fold(start, |sum, one| Extent {
            parts: sum.parts.saturating_add(one.parts),
            deep: sum.deep.max(one.deep),
        });
        Extent {
            deep: sum.deep + 1,
            ..sum
        }
    }

    /// Nobody needs more, and a few lines can ask for as many as they like.
    pub fn is_too_much(self) -> bool {
        self.parts > 1 << 16 || self.deep > 100
    }
}

/// A header, a union or a struct; one that has parameters once for all types that they are given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Which.
    pub kind: RecordKind,
    /// Its name.
    pub name: String,
    /// Types that its parameters are given.
    pub given: Vec<Type>,
    /// Its fields, in order.
    pub fields: Vec<Field>,
    /// How much there is of them.
    pub extent: Extent,
    /// In front of it.
    pub annotations: Vec<Annotation>,
    /// Where it is declared.
    pub span: Span,
}

/// An enum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enum {
    /// Its name.
    pub name: String,
    /// The type below it, where it is serializable (§7.2.3).
    pub below: Option<Type>,
    /// Members, with their values where it is serializable.
    pub members: Vec<(String, Option<num_bigint::BigInt>)>,
    /// Where it is declared.
    pub span: Span,
}

/// What `type` declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct New {
    /// Its name.
    pub name: String,
    /// What it is made of.
    pub below: Type,
    /// How much there is of it.
    pub extent: Extent,
    /// In front of it.
    pub annotations: Vec<Annotation>,
    /// Where it is declared.
    pub span: Span,
}

/// What kind of objects a type has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum ObjectKind {
    Extern,
    Parser,
    Control,
    Package,
}

impl ObjectKind {
    /// Its keyword.
    pub fn keyword(self) -> &'static str {
        match self {
            ObjectKind::Extern => "extern",
            ObjectKind::Parser => "parser",
            ObjectKind::Control => "control",
            ObjectKind::Package => "package",
        }
    }
}

/// The type of objects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    /// Which kind.
    pub kind: ObjectKind,
    /// Its name.
    pub name: String,
    /// So many types it takes.
    pub parameters: usize,
    /// Names of the parameters that parsers, controls and packages are made with.
    pub takes: Vec<String>,
}

/// All that types refer to by number.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Types {
    /// Headers, unions and structs.
    pub records: Vec<Record>,
    /// Enums.
    pub enums: Vec<Enum>,
    /// What `type` declares.
    pub news: Vec<New>,
    /// Externs, parsers, controls and packages.
    pub objects: Vec<Object>,
    /// Names of parameters.
    pub parameters: Vec<String>,
    /// All errors, in the order of their declarations (§7.1.2).
    pub errors: Vec<String>,
    /// All kinds of matches (§7.1.3).
    pub match_kinds: Vec<String>,
}

impl Types {
    /// As a program writes it.
    pub fn text(&self, of: &Type) -> String {
        let all = |types: &[Type]| {
            let texts: Vec<String> = types.iter().map(|of| self.text(of)).collect();
            texts.join(", ")
        };
        let with = |name: &str, given: &[Type]| match given {
            [] => name.to_owned(),
            given => format!("{name}<{}>", all(given)),
        };
        match of {
            Type::Bool => "bool".into(),
            Type::Error => "error".into(),
            Type::MatchKind => "match_kind".into(),
            Type::Text => "string".into(),
            Type::Integer => "int".into(),
            Type::Void => "void".into(),
            Type::Bit(width) => format!("bit<{width}>"),
            Type::Int(width) => format!("int<{width}>"),
            Type::Varbit(width) => format!("varbit<{width}>"),
            Type::Record(number) => {
                let record = &self.records[*number];
                with(&record.name, &record.given)
            }
            Type::Enum(number) => self.enums[*number].name.clone(),
            Type::New(number) => self.news[*number].name.clone(),
            Type::Stack(of, size) => format!("{}[{size}]", self.text(of)),
            Type::Tuple(types) => format!("tuple<{}>", all(types)),
            Type::List(of) => format!("list<{}>", self.text(of)),
            Type::Object(number, given) => with(&self.objects[*number].name, given),
            Type::Parameter(number) => self.parameters[*number].clone(),
            Type::Any => "_".into(),
            Type::Wrong => "?".into(),
        }
    }

    /// How much there is of a type.
    pub fn extent(&self, of: &Type) -> Extent {
        match of {
            Type::Record(number) => self.records[*number].extent,
            Type::New(number) => self.news[*number].extent,
            Type::Tuple(parts) | Type::Object(_, parts) => {
                Extent::around(parts.iter().map(|part| self.extent(part)))
            }
            Type::List(of) => Extent::around([self.extent(of)]),
            Type::Stack(of, size) => {
                let one = Extent::around([self.extent(of)]);
                Extent {
                    parts: one.parts.saturating_mul((*size).into()),
                    ..one
                }
            }
            _ => Extent::ONE,
        }
    }

    /// Bits of a value, at most. `None`: it has no number of bits (§9.1).
    pub fn bits(&self, of: &Type) -> Option<u64> {
        self.bits_with(of, true)
    }

    /// Bits of a value, at least: a varbit may have none, a union the fewest of its headers.
    pub fn least_bits(&self, of: &Type) -> Option<u64> {
        self.bits_with(of, false)
    }

    fn bits_with(&self, of: &Type, at_most: bool) -> Option<u64> {
        let inner = |of: &Type| self.bits_with(of, at_most);
        let add = |sum: u64, bits: Option<u64>| sum.checked_add(bits?);
        match of {
            Type::Bool => Some(1),
            Type::Bit(width) | Type::Int(width) => Some((*width).into()),
            Type::Varbit(width) => Some(if at_most { (*width).into() } else { 0 }),
            Type::Enum(_) => inner(self.below_enum(of)?),
            Type::New(number) => inner(&self.news[*number].below),
            Type::Stack(of, size) => inner(of)?.checked_mul((*size).into()),
            Type::Tuple(types) => types.iter().map(inner).try_fold(0, add),
            Type::Record(number) => {
                let record = &self.records[*number];
                let mut widths = record.fields.iter().map(|field| inner(&field.of));
                match (record.kind, at_most) {
                    (RecordKind::Union, true) => widths.try_fold(0, |a, b| Some(b?.max(a))),
                    (RecordKind::Union, false) => {
                        let least = widths.try_fold(u64::MAX, |a, b| Some(b?.min(a)))?;
                        Some(if record.fields.is_empty() { 0 } else { least })
                    }
                    _ => widths.try_fold(0, add),
                }
            }
            _ => None,
        }
    }

    /// It stands somewhere in the type.
    pub fn contains(&self, of: &Type, is_it: &dyn Fn(&Type) -> bool) -> bool {
        let inner = |of: &Type| self.contains(of, is_it);
        is_it(of)
            || match of {
                Type::New(number) => inner(&self.news[*number].below),
                Type::Stack(of, _) | Type::List(of) => inner(of),
                Type::Tuple(types) | Type::Object(_, types) => types.iter().any(inner),
                Type::Record(number) => {
                    let fields = &self.records[*number].fields;
                    fields.iter().any(|field| inner(&field.of))
                }
                _ => false,
            }
    }

    /// The type of a part, by its place; a list has no end.
    pub fn part<'a>(&'a self, of: &'a Type, at: usize) -> Option<&'a Type> {
        match of {
            Type::Record(number) => self.records[*number].fields.get(at).map(|field| &field.of),
            Type::Tuple(parts) => parts.get(at),
            Type::Stack(of, size) => (at < *size as usize).then_some(of.as_ref()),
            Type::List(of) => Some(of),
            _ => None,
        }
    }

    /// What a serializable enum is made of.
    pub fn below_enum(&self, of: &Type) -> Option<&Type> {
        match of {
            Type::Enum(number) => self.enums[*number].below.as_ref(),
            _ => None,
        }
    }

    /// What its values are, below new types and serializable enums: a number's own type.
    pub fn number_type<'a>(&'a self, of: &'a Type) -> &'a Type {
        match of {
            Type::New(number) => self.number_type(&self.news[*number].below),
            _ => self.below_enum(of).unwrap_or(of),
        }
    }

    /// The name of a member of an enum.
    pub fn member_name(&self, of: &Type, member: usize) -> Option<&str> {
        match of {
            Type::Enum(number) => {
                let member = self.enums[*number].members.get(member);
                member.map(|(name, _)| name.as_str())
            }
            _ => None,
        }
    }

    /// Whether it is a header, a union or a struct of this kind.
    pub fn is_record(&self, of: &Type, kind: RecordKind) -> bool {
        matches!(of, Type::Record(number) if self.records[*number].kind == kind)
    }

    /// `header h { bit<8> a; … }`, a line for each record: for tests and messages.
    pub fn dump(&self) -> String {
        let mut text = String::new();
        for (number, record) in self.records.iter().enumerate() {
            let name = self.text(&Type::Record(number));
            let _ = write!(text, "{} {name} {{", record.kind.keyword());
            for field in &record.fields {
                let _ = write!(text, " {} {};", self.text(&field.of), field.name);
            }
            text.push_str(" }\n");
        }
        text
    }
}

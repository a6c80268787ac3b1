//! Types of a random program, and the names by which it reaches values of them.

use hardpath_testkit::Random;

/// A type.
#[derive(Clone, PartialEq, Debug)]
pub enum Type {
    Bit(u32),
    Int(u32),
    Bool,
    /// `kind_t`, an enum without values.
    Kind,
    /// `code_t`, an enum of four bits.
    Code,
    /// A header, struct or union, by its place.
    Record(usize),
    /// Headers or unions one behind the other.
    Stack(usize, u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordKind {
    Header,
    Struct,
    Union,
}

#[derive(Clone, Debug)]
pub struct Record {
    pub name: String,
    pub kind: RecordKind,
    pub fields: Vec<(String, Type)>,
}

/// A name with a type.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub of: Type,
    pub is_written: bool,
}

/// Members of `kind_t` and `code_t`.
pub const KINDS: [&str; 3] = ["kind_t.RED", "kind_t.GREEN", "kind_t.BLUE"];
pub const CODES: [&str; 3] = ["code_t.ONE", "code_t.FIVE", "code_t.NINE"];
pub const ENUMS: &str =
    "enum kind_t { RED, GREEN, BLUE }\nenum bit<4> code_t { ONE = 1, FIVE = 5, NINE = 9 }\n";

/// A header with a field that no expression names.
pub const VARYING: &str = "varying_t";

#[derive(Clone, Debug, Default)]
pub struct Types {
    pub records: Vec<Record>,
}

impl Types {
    pub fn text(&self, of: &Type) -> String {
        match of {
            Type::Bit(width) => format!("bit<{width}>"),
            Type::Int(width) => format!("int<{width}>"),
            Type::Bool => "bool".into(),
            Type::Kind => "kind_t".into(),
            Type::Code => "code_t".into(),
            Type::Record(record) => self.records[*record].name.clone(),
            Type::Stack(record, size) => format!("{}[{size}]", self.records[*record].name),
        }
    }

    pub fn kind(&self, of: &Type) -> Option<RecordKind> {
        match of {
            Type::Record(record) => Some(self.records[*record].kind),
            _ => None,
        }
    }

    /// Whether a stack or a union is in it.
    pub fn is_special(&self, of: &Type) -> bool {
        match of {
            Type::Record(record) => {
                let record = &self.records[*record];
                record.kind == RecordKind::Union
                    || record.name == VARYING
                    || record.fields.iter().any(|(_, of)| self.is_special(of))
            }
            Type::Stack(..) => true,
            _ => false,
        }
    }

    /// A value and all that is in it, with its name and type.
    pub fn parts(&self, name: &str, of: &Type, found: &mut Vec<(String, Type)>) {
        found.push((name.to_owned(), of.clone()));
        match of {
            Type::Record(record) => {
                for (field, of) in &self.records[*record].fields {
                    self.parts(&format!("{name}.{field}"), of, found);
                }
            }
            Type::Stack(record, size) => {
                for at in 0..*size {
                    self.parts(&format!("{name}[{at}]"), &Type::Record(*record), found);
                }
            }
            _ => {}
        }
    }

    /// A header of whole bytes.
    pub fn add_header(&mut self, random: &mut Random) -> usize {
        let number = self.records.len();
        let mut fields = Vec::new();
        let mut bits = 0;
        for at in 0..1 + random.below(5) {
            let of = match random.below(12) {
                0 => Type::Bool,
                1 => Type::Code,
                2..=4 => Type::Int(2 + random.below(20) as u32),
                5 => Type::Bit(8),
                6 => Type::Bit(33 + random.below(90) as u32),
                _ => Type::Bit(1 + random.below(24) as u32),
            };
            bits += match of {
                Type::Bit(width) | Type::Int(width) => width,
                Type::Code => 4,
                _ => 1,
            };
            fields.push((format!("f{at}"), of));
        }
        if bits % 8 != 0 {
            fields.push(("rest".into(), Type::Bit(8 - bits % 8)));
        }
        let name = format!("header{number}_t");
        let kind = RecordKind::Header;
        self.records.push(Record { name, kind, fields });
        number
    }

    pub fn add(&mut self, name: &str, kind: RecordKind, fields: Vec<(String, Type)>) -> usize {
        let name = name.to_owned();
        self.records.push(Record { name, kind, fields });
        self.records.len() - 1
    }

    pub fn declarations(&self) -> String {
        let mut text = ENUMS.to_owned();
        for record in &self.records {
            let kind = match record.kind {
                RecordKind::Header => "header",
                RecordKind::Struct => "struct",
                RecordKind::Union => "header_union",
            };
            text += &format!("{kind} {} {{\n", record.name);
            for (name, of) in &record.fields {
                text += &format!("    {} {name};\n", self.text(of));
            }
            if record.name == VARYING {
                text += "    varbit<48> rest;\n";
            }
            text += "}\n";
        }
        text
    }
}

/// A type of a number or of what is like one.
pub fn scalar(random: &mut Random) -> Type {
    match random.below(12) {
        0 | 1 => Type::Bool,
        2 => Type::Kind,
        3 => Type::Code,
        4..=6 => Type::Int(2 + random.below(30) as u32),
        7 => Type::Bit(33 + random.below(60) as u32),
        _ => Type::Bit(1 + random.below(32) as u32),
    }
}

//! Random expressions, of any type that is asked for.

use super::program::{Direction, Generator};
use super::types::{RecordKind, Type, CODES, KINDS};

impl Generator {
    /// An expression of a type.
    pub fn expression(&mut self, of: &Type, depth: u32) -> String {
        if depth == 0 || self.below(6) == 0 {
            return self.leaf(of);
        }
        if self.below(9) == 0 {
            if let Some(call) = self.function_of(of, depth - 1) {
                return call;
            }
        }
        if self.below(10) == 0 && !matches!(of, Type::Stack(..)) {
            let condition = self.expression(&Type::Bool, depth - 1);
            let (yes, no) = (
                self.expression(of, depth - 1),
                self.expression(of, depth - 1),
            );
            return format!("({condition} ? {yes} : {no})");
        }
        match of {
            Type::Bit(width) => self.bits(*width, depth - 1),
            Type::Int(width) => self.signed(*width, depth - 1),
            Type::Bool => self.condition(depth - 1),
            Type::Code if self.below(2) == 0 => {
                let bits = self.expression(&Type::Bit(4), depth - 1);
                format!("((code_t){bits})")
            }
            _ => self.leaf(of),
        }
    }

    /// A variable or a number.
    pub fn leaf(&mut self, of: &Type) -> String {
        if self.below(4) != 0 {
            if let Some(place) = self.place(of, false) {
                return place;
            }
        }
        if self.below(4) != 0 {
            if let Some(cast) = self.cast_place(of) {
                return cast;
            }
        }
        self.literal(of)
    }

    /// A variable of another width, as a number of this type.
    fn cast_place(&mut self, of: &Type) -> Option<String> {
        let mut found = self.places(false);
        found.retain(|(_, other)| match of {
            Type::Bit(_) => matches!(other, Type::Bit(_)),
            Type::Int(_) => matches!(other, Type::Int(_)),
            _ => false,
        });
        if found.is_empty() {
            return None;
        }
        let name = self.random.pick(&found).0.clone();
        Some(format!("(({}){})", self.types.text(of), self.turned(name)))
    }

    pub fn literal(&mut self, of: &Type) -> String {
        match of {
            Type::Bit(width) => {
                let value = self.random.interesting((*width).min(64));
                format!("{width}w{value:#x}")
            }
            Type::Int(width) => {
                let value = self.random.interesting((*width - 1).min(62));
                match self.below(2) {
                    0 => format!("{width}s{value}"),
                    _ => format!("(-{width}s{value})"),
                }
            }
            Type::Bool => (*self.random.pick(&["true", "false"])).into(),
            Type::Kind => (*self.random.pick(&KINDS)).into(),
            Type::Code => (*self.random.pick(&CODES)).into(),
            Type::Record(record) => {
                let record = self.types.records[*record].clone();
                if record.kind != RecordKind::Struct || record.fields.is_empty() {
                    if let Some(place) = self.place(of, false) {
                        return place;
                    }
                }
                let fields: Vec<String> = record
                    .fields
                    .iter()
                    .map(|(name, of)| format!("{name} = {}", self.expression(of, 1)))
                    .collect();
                format!("({}){{ {} }}", record.name, fields.join(", "))
            }
            Type::Stack(..) => self
                .place(of, false)
                .expect("no other stacks are asked for"),
        }
    }

    fn bits(&mut self, width: u32, depth: u32) -> String {
        let own = Type::Bit(width);
        match self.below(16) {
            0..=4 => {
                let operator = *self
                    .random
                    .pick(&["+", "-", "*", "&", "|", "^", "|+|", "|-|"]);
                self.pair(&own, operator, depth)
            }
            5 => self.shift(&own, depth),
            6 => {
                let operator = *self.random.pick(&["~", "-"]);
                format!("({operator}{})", self.expression(&own, depth))
            }
            7 | 8 if width > 1 => {
                let low = 1 + self.below(u64::from(width) - 1) as u32;
                let first = match self.below(3) {
                    0 if width - low > 1 => Type::Int(width - low),
                    _ => Type::Bit(width - low),
                };
                let (high, low) = (
                    self.expression(&first, depth),
                    self.expression(&Type::Bit(low), depth),
                );
                match first {
                    Type::Int(bits) => format!("((bit<{bits}>){high} ++ {low})"),
                    _ => format!("({high} ++ {low})"),
                }
            }
            9..=11 => {
                let wide = width + self.below(12) as u32;
                let lo = self.below(u64::from(wide - width) + 1) as u32;
                let of = match self.below(3) {
                    0 if wide > 1 => Type::Int(wide),
                    _ => Type::Bit(wide),
                };
                let whole = self.expression(&of, depth);
                format!("({whole})[{}:{lo}]", lo + width - 1)
            }
            12 | 13 => {
                let other = Type::Bit(1 + self.below(40) as u32);
                format!("((bit<{width}>){})", self.expression(&other, depth))
            }
            14 if width > 1 => format!(
                "((bit<{width}>){})",
                self.expression(&Type::Int(width), depth)
            ),
            _ if width == 1 => format!("((bit<1>){})", self.expression(&Type::Bool, depth)),
            _ if width == 4 => format!("((bit<4>){})", self.expression(&Type::Code, depth)),
            _ => self.pair(&own, "+", depth),
        }
    }

    fn signed(&mut self, width: u32, depth: u32) -> String {
        let own = Type::Int(width);
        match self.below(8) {
            0..=3 => {
                let operator = *self
                    .random
                    .pick(&["+", "-", "*", "&", "|", "^", "|+|", "|-|"]);
                self.pair(&own, operator, depth)
            }
            4 => self.shift(&own, depth),
            5 => {
                let operator = *self.random.pick(&["~", "-"]);
                format!("({operator}{})", self.expression(&own, depth))
            }
            6 => {
                let other = Type::Int(2 + self.below(40) as u32);
                format!("((int<{width}>){})", self.expression(&other, depth))
            }
            _ => format!(
                "((int<{width}>){})",
                self.expression(&Type::Bit(width), depth)
            ),
        }
    }

    fn pair(&mut self, of: &Type, operator: &str, depth: u32) -> String {
        let (one, other) = (self.expression(of, depth), self.expression(of, depth));
        format!("({one} {operator} {other})")
    }

    fn shift(&mut self, of: &Type, depth: u32) -> String {
        let operator = *self.random.pick(&["<<", ">>"]);
        let one = self.expression(of, depth);
        let by = match self.below(3) {
            0 => self.below(40).to_string(),
            _ => {
                let widest = if self.below(6) == 0 { 70 } else { 9 };
                let by = Type::Bit(1 + self.below(widest) as u32);
                self.expression(&by, depth)
            }
        };
        format!("({one} {operator} {by})")
    }

    fn condition(&mut self, depth: u32) -> String {
        match self.below(14) {
            12 if self.applies && !self.in_index && !self.tables.is_empty() => {
                let table = self.random.pick(&self.tables).clone();
                let what = *self.random.pick(&["hit", "miss"]);
                format!("{table}.apply().{what}")
            }
            13 if self.scope.iter().any(|one| one.name == "std.ingress_port") => {
                let error = *self.random.pick(&[
                    "NoError",
                    "PacketTooShort",
                    "NoMatch",
                    "First",
                    "StackOutOfBounds",
                ]);
                format!("(std.parser_error == error.{error})")
            }
            0 | 1 => {
                let operator = *self.random.pick(&["&&", "||"]);
                self.pair(&Type::Bool, operator, depth)
            }
            2 => format!("(!{})", self.expression(&Type::Bool, depth)),
            3 | 4 => match self.header() {
                Some((header, _)) => format!("{header}.isValid()"),
                None => self.leaf(&Type::Bool),
            },
            5 | 6 => {
                // Of anything, also of headers, structs, stacks and unions.
                let all = self.places(false);
                match all.is_empty() {
                    true => self.leaf(&Type::Bool),
                    false => {
                        let (_, of) = self.random.pick(&all).clone();
                        let operator = *self.random.pick(&["==", "!="]);
                        self.pair(&of, operator, depth.min(1))
                    }
                }
            }
            7 => format!("((bool){})", self.expression(&Type::Bit(1), depth)),
            at => {
                let width = 2 + self.below(30) as u32;
                let of = match at % 2 {
                    0 => Type::Bit(width),
                    _ => Type::Int(width),
                };
                let operator = *self.random.pick(&["<", ">", "<=", ">=", "==", "!="]);
                self.pair(&of, operator, depth)
            }
        }
    }

    /// A function that gives this.
    fn function_of(&mut self, of: &Type, depth: u32) -> Option<String> {
        let functions = self.functions.clone();
        let fit: Vec<_> = functions
            .iter()
            .filter(|one| one.result.as_ref() == Some(of))
            .collect();
        if fit.is_empty() {
            return None;
        }
        let function = (*self.random.pick(&fit)).clone();
        let arguments = self.arguments(&function.parameters, depth)?;
        Some(format!("{}({arguments})", function.name))
    }

    /// Arguments for parameters; `None`: there is nothing to write to.
    pub fn arguments(&mut self, parameters: &[(Direction, Type)], depth: u32) -> Option<String> {
        let mut all = Vec::new();
        for (direction, of) in parameters {
            all.push(match direction {
                Direction::Out | Direction::InOut => self.target(of)?,
                _ => self.expression(of, depth),
            });
        }
        Some(all.join(", "))
    }

    /// What can be written: a place, or bits of one.
    pub fn target(&mut self, of: &Type) -> Option<String> {
        if let (Type::Bit(width), true) = (of, self.below(3) == 0) {
            let all = self.places(true);
            let wider: Vec<(String, u32)> = all
                .into_iter()
                .filter_map(|(name, of)| match of {
                    Type::Bit(own) | Type::Int(own) if own > *width => Some((name, own)),
                    _ => None,
                })
                .collect();
            if !wider.is_empty() {
                let (name, own) = self.random.pick(&wider).clone();
                let lo = self.below(u64::from(own - width) + 1) as u32;
                let name = self.turned(name);
                return Some(format!("{name}[{}:{lo}]", lo + width - 1));
            }
        }
        self.place(of, true)
    }

    /// All that can be read, or written.
    pub fn places(&self, is_written: bool) -> Vec<(String, Type)> {
        let mut found = Vec::new();
        for variable in &self.scope {
            if variable.is_written || !is_written {
                self.types.parts(&variable.name, &variable.of, &mut found);
            }
        }
        found
    }

    /// A place of a type.
    pub fn place(&mut self, of: &Type, is_written: bool) -> Option<String> {
        let mut found = self.places(is_written);
        found.retain(|(_, other)| other == of);
        if found.is_empty() {
            return None;
        }
        let name = self.random.pick(&found).0.clone();
        Some(self.turned(name))
    }

    /// Where an index stands, sometimes one that only the packet knows.
    fn turned(&mut self, name: String) -> String {
        let Some((before, rest)) = name.split_once('[') else {
            return name;
        };
        let (_, after) = rest.split_once(']').expect("an index ends");
        if self.in_index || self.below(4) != 0 {
            return name;
        }
        self.in_index = true;
        let index = Type::Bit(1 + self.below(2) as u32);
        // A number that is known has to be inside.
        let index = match self.below(2) {
            0 => self.place(&index, false),
            _ => self.cast_place(&index),
        };
        self.in_index = false;
        match index {
            Some(index) => format!("{before}[{index}]{after}"),
            None => name,
        }
    }

    /// A header or a union, and its type.
    pub fn header(&mut self) -> Option<(String, Type)> {
        let mut found = self.places(true);
        found.retain(|(_, of)| {
            matches!(
                self.types.kind(of),
                Some(RecordKind::Header | RecordKind::Union)
            )
        });
        if found.is_empty() {
            return None;
        }
        let (name, of) = self.random.pick(&found).clone();
        Some((self.turned(name), of))
    }
}

//! Random statements.

use super::program::{Generator, Inside};
use super::types::{scalar, RecordKind, Type, Variable, KINDS};

impl Generator {
    /// So many statements in braces.
    pub fn block(&mut self, count: u64, depth: u32) {
        self.line("{");
        self.deeper(|all| all.several(count, depth));
        self.line("}");
    }

    /// So many statements; what they declare is gone behind them.
    pub fn several(&mut self, count: u64, depth: u32) {
        let before = self.scope.len();
        for _ in 0..1 + self.below(count) {
            self.statement(depth);
        }
        self.scope.truncate(before);
    }

    pub fn statement(&mut self, depth: u32) {
        if self.budget == 0 {
            return;
        }
        self.budget -= 1;
        let depth = if self.budget < 10 { 0 } else { depth };
        match self.below(40) {
            0..=9 => self.assign(),
            10 | 11 => self.declare(),
            12 | 13 => self.validity(),
            14 => self.push_or_pop(),
            15..=17 if depth > 0 => self.branch(depth - 1),
            18 if depth > 0 => self.switch(depth - 1),
            19 if depth > 0 => self.repeat(depth - 1),
            20 if depth > 0 => self.block(3, depth - 1),
            21 | 22 => self.call_function(),
            23 | 24 => self.call_action(),
            25 => self.apply_control(),
            26..=28 => self.apply_table(depth),
            29 => self.use_state(),
            30..=33 => self.leave_sometimes(),
            34 => self.hash(),
            35..=37 => self.more(depth),
            _ => self.assign(),
        }
    }

    fn assign(&mut self) {
        let all = self.places(true);
        if all.is_empty() {
            return;
        }
        let (_, of) = self.random.pick(&all).clone();
        let Some(target) = self.target(&of) else {
            return;
        };
        let value = self.expression(&of, 3);
        match (&of, self.below(6)) {
            (Type::Bit(_), 0) => {
                let operator = *self
                    .random
                    .pick(&["+=", "-=", "*=", "&=", "|=", "^=", "|+|=", "|-|="]);
                self.line(&format!("{target} {operator} {value};"));
            }
            (Type::Record(record), 0 | 1)
                if self.types.kind(&of) == Some(RecordKind::Header)
                    && !self.types.is_special(&of) =>
            {
                let fields = self.types.records[*record].fields.clone();
                let values: Vec<String> = fields
                    .iter()
                    .map(|(_, of)| self.expression(of, 1))
                    .collect();
                self.line(&format!("{target} = {{ {} }};", values.join(", ")));
            }
            _ => self.line(&format!("{target} = {value};")),
        }
    }

    pub fn declare(&mut self) {
        let of = match self.below(6) {
            0 => {
                let records = self.types.records.len() as u64;
                Type::Record(self.below(records) as usize)
            }
            _ => scalar(&mut self.random),
        };
        let name = self.name("v");
        let text = self.types.text(&of);
        let has_value = self.below(4) != 0 && !matches!(of, Type::Record(_));
        match has_value {
            true => {
                let value = self.expression(&of, 2);
                self.line(&format!("{text} {name} = {value};"));
            }
            false => self.line(&format!("{text} {name};")),
        }
        let is_written = true;
        self.scope.push(Variable {
            name,
            of,
            is_written,
        });
    }

    fn validity(&mut self) {
        let Some((header, of)) = self.header() else {
            return;
        };
        if self.types.kind(&of) == Some(RecordKind::Union) {
            return;
        }
        let what = *self.random.pick(&["setValid", "setInvalid"]);
        self.line(&format!("{header}.{what}();"));
    }

    fn push_or_pop(&mut self) {
        let mut found = self.places(true);
        found.retain(|(_, of)| matches!(of, Type::Stack(..)));
        if !found.is_empty() {
            let name = self.random.pick(&found).0.clone();
            let what = *self.random.pick(&["push_front", "pop_front"]);
            let by = 1 + self.below(3);
            self.line(&format!("{name}.{what}({by});"));
        }
    }

    fn branch(&mut self, depth: u32) {
        let condition = match (self.inside, self.below(5)) {
            (Inside::Control, 0) if !self.tables.is_empty() => {
                let table = self.random.pick(&self.tables).clone();
                let what = *self.random.pick(&["hit", "miss"]);
                format!("{table}.apply().{what}")
            }
            _ => self.expression(&Type::Bool, 3),
        };
        self.line(&format!("if ({condition})"));
        self.block(3, depth);
        if self.below(2) == 0 {
            self.line("else");
            self.block(3, depth);
        }
    }

    fn switch(&mut self, depth: u32) {
        let (head, labels): (String, Vec<String>) = match self.below(3) {
            0 if self.inside == Inside::Control && !self.with_actions.is_empty() => {
                let (table, actions) = self.random.pick(&self.with_actions).clone();
                (format!("{table}.apply().action_run"), actions)
            }
            1 => (
                self.expression(&Type::Kind, 2),
                KINDS.map(str::to_owned).to_vec(),
            ),
            _ => {
                let width = 2 + self.below(3) as u32;
                let labels = (0..4).map(|at| format!("{width}w{at}"));
                let labels = labels.filter(|_| true).collect();
                (self.expression(&Type::Bit(width), 2), labels)
            }
        };
        self.line(&format!("switch ({head}) {{"));
        self.indent += 1;
        for label in labels {
            match self.below(4) {
                0 => {}
                1 => self.line(&format!("{label}:")),
                _ => {
                    self.line(&format!("{label}:"));
                    self.block(2, depth);
                }
            }
        }
        self.line("default:");
        self.block(2, depth);
        self.indent -= 1;
        self.line("}");
    }

    fn repeat(&mut self, depth: u32) {
        if self.inside == Inside::Parser {
            return;
        }
        let name = self.name("i");
        match self.below(3) {
            0 => {
                let to = 1 + self.below(4);
                self.line(&format!("for (bit<8> {name} in 1..8w{to})"));
            }
            1 => self.line(&format!(
                "for (bit<8> {name} in (list<bit<8>>){{ 3, 8w200, 1 }})"
            )),
            _ => {
                let to = 1 + self.below(4);
                self.line(&format!(
                    "for (bit<8> {name} = 0; {name} < {to}; {name} = {name} + 1)"
                ));
            }
        }
        let of = Type::Bit(8);
        let is_written = false;
        let before = self.scope.len();
        self.scope.push(Variable {
            name,
            of,
            is_written,
        });
        self.loops += 1;
        self.block(3, depth);
        self.loops -= 1;
        self.scope.truncate(before);
    }

    fn call_function(&mut self) {
        if self.functions.is_empty() {
            return;
        }
        let function = self.random.pick(&self.functions).clone();
        if let Some(arguments) = self.arguments(&function.parameters, 2) {
            self.line(&format!("{}({arguments});", function.name));
        }
    }

    fn call_action(&mut self) {
        if !matches!(self.inside, Inside::Control | Inside::Action) || self.actions.is_empty() {
            return;
        }
        let action = self.random.pick(&self.actions).clone();
        if let Some(arguments) = self.arguments(&action.parameters, 2) {
            self.line(&format!("{}({arguments});", action.name));
        }
    }

    fn apply_control(&mut self) {
        if self.inside != Inside::Control || self.instances.is_empty() {
            return;
        }
        let instance = self.random.pick(&self.instances).clone();
        if let Some(arguments) = self.arguments(&instance.parameters, 2) {
            self.line(&format!("{}.apply({arguments});", instance.name));
        }
    }

    fn apply_table(&mut self, depth: u32) {
        if self.inside != Inside::Control || self.tables.is_empty() {
            return;
        }
        let table = self.random.pick(&self.tables).clone();
        match self.below(4) {
            0 => {
                if let Some(target) = self.place(&Type::Bool, true) {
                    self.line(&format!("{target} = {table}.apply().hit;"));
                }
            }
            1 if depth > 0 => {
                self.line(&format!("if (!{table}.apply().hit)"));
                self.block(2, depth - 1);
            }
            _ => self.line(&format!("{table}.apply();")),
        }
    }

    fn hash(&mut self) {
        if !matches!(self.inside, Inside::Control | Inside::Action) {
            return;
        }
        let of = Type::Bit(*self.random.pick(&[8, 16, 32]));
        if let Some(target) = self.target(&of) {
            let values = self.listed();
            let algorithm = *self
                .random
                .pick(&["crc16", "crc32", "csum16", "xor16", "identity"]);
            let base = self.below(3);
            let most = *self.random.pick(&["0x10000", "7", "1", "256"]);
            self.line(&format!(
                "hash({target}, HashAlgorithm.{algorithm}, 32w{base}, {{ {values} }}, 32w{most});"
            ));
        }
    }

    /// Where few statements go.
    fn more(&mut self, depth: u32) {
        let mut stacks = self.places(true);
        stacks.retain(|(_, of)| matches!(of, Type::Stack(..)));
        match self.below(7) {
            4 => {
                if let Some((header, _)) = self.header() {
                    self.line(&format!("{header} = {{#}};"));
                }
            }
            5 if self.inside == Inside::Control && self.can_drop() => {
                let length = self.expression(&Type::Bit(32), 1);
                self.line(&format!("truncate(({length}) & 63);"));
            }
            6 => {
                // Two values that change places at once.
                let of = scalar(&mut self.random);
                let (one, other) = (self.place(&of, true), self.place(&of, true));
                if let (Some(one), Some(other)) = (one, other) {
                    let (text, name) = (self.types.text(&of), self.name("t"));
                    self.line(&format!(
                        "tuple<{text}, {text}> {name} = {{ {one}, {other} }};"
                    ));
                    self.line(&format!("{one} = {name}[1];"));
                    self.line(&format!("{other} = {name}[0];"));
                }
            }
            0 if !stacks.is_empty() && depth > 0 && self.inside != Inside::Parser => {
                let (stack, of) = self.random.pick(&stacks).clone();
                let Type::Stack(record, _) = of else { return };
                let (name, of) = (self.name("e"), Type::Record(record));
                self.line(&format!("for ({} {name} in {stack})", self.types.text(&of)));
                let before = self.scope.len();
                self.scope.push(Variable {
                    name,
                    of,
                    is_written: false,
                });
                self.loops += 1;
                self.block(3, depth - 1);
                self.loops -= 1;
                self.scope.truncate(before);
            }
            1 if matches!(self.inside, Inside::Control | Inside::Action) && self.can_drop() => {
                self.line("mark_to_drop(std);");
            }
            2 => {
                // A variable that hides one.
                let all = self.places(true);
                let plain = |(name, of): &(String, Type)| {
                    name.starts_with('v')
                        && !name.contains(['.', '['])
                        && matches!(of, Type::Bit(_))
                };
                let hidden: Vec<_> = all.into_iter().filter(plain).collect();
                if !hidden.is_empty() && depth > 0 {
                    let (name, of) = self.random.pick(&hidden).clone();
                    let (value, text) = (self.expression(&of, 2), self.types.text(&of));
                    self.line("if (true) {");
                    self.deeper(|all| {
                        all.line(&format!("{text} {name} = {value};"));
                        all.several(3, depth - 1);
                    });
                    self.line("}");
                }
            }
            _ => {
                // Bits of bits.
                let of = Type::Bit(1 + self.below(4) as u32);
                let Type::Bit(width) = of else { return };
                let wide = Type::Bit(width + 1 + self.below(4) as u32);
                let Type::Bit(outer) = wide else { return };
                if let Some(target) = self.target(&wide) {
                    let lo = self.below(u64::from(outer - width) + 1) as u32;
                    let value = self.expression(&of, 2);
                    let high = lo + width - 1;
                    match self.below(2) {
                        0 => self.line(&format!("{target}[{high}:{lo}] = {value};")),
                        _ => self.line(&format!("{target}[{lo} +: {width}] = {value};")),
                    }
                }
            }
        }
    }

    fn can_drop(&mut self) -> bool {
        self.below(4) == 0
            && self
                .scope
                .iter()
                .any(|one| one.name == "std.egress_spec" && one.is_written)
    }

    fn use_state(&mut self) {
        if !matches!(self.inside, Inside::Control | Inside::Action) {
            return;
        }
        let index = self.expression(&Type::Bit(32), 1);
        let index = match self.below(8) {
            0 => index,
            _ => format!("({index}) & 7"),
        };
        match self.below(3) {
            0 if !self.counters.is_empty() => {
                let counter = self.random.pick(&self.counters).clone();
                self.line(&format!("{counter}.count({index});"));
            }
            at if !self.registers.is_empty() => {
                let (register, of) = self.random.pick(&self.registers).clone();
                if at == 1 {
                    let value = self.expression(&of, 2);
                    self.line(&format!("{register}.write({index}, {value});"));
                } else if let Some(target) = self.target(&of) {
                    self.line(&format!("{register}.read({target}, {index});"));
                }
            }
            _ => {}
        }
    }

    /// `exit`, `return`, `break` or `continue`, behind a condition; `verify` in a parser.
    fn leave_sometimes(&mut self) {
        let condition = self.expression(&Type::Bool, 2);
        let way = match (self.inside, self.below(4)) {
            (Inside::Parser, _) => {
                let error = *self.random.pick(&["PacketTooShort", "First", "Second"]);
                self.line(&format!("verify({condition}, error.{error});"));
                return;
            }
            (_, 0 | 1) if self.loops > 0 => (*self.random.pick(&["break", "continue"])).to_owned(),
            (Inside::Control | Inside::Action, 0 | 1) => "exit".to_owned(),
            _ => match self.result.clone() {
                Some(of) => format!("return {}", self.expression(&of, 2)),
                None => "return".to_owned(),
            },
        };
        self.line(&format!("if ({condition}) {{ {way}; }}"));
    }
}

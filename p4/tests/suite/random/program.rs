//! Random programs for v1model.

use super::types::{scalar, RecordKind, Type, Types, Variable};
use hardpath_testkit::Random;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    None,
    In,
    Out,
    InOut,
}

/// Something that is called.
#[derive(Clone, Debug)]
pub struct Callable {
    pub name: String,
    pub parameters: Vec<(Direction, Type)>,
    pub result: Option<Type>,
}

/// Where a statement stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inside {
    Function,
    Action,
    Control,
    Parser,
}

/// What has been written, and what can be named here.
pub struct Generator {
    pub random: Random,
    pub types: Types,
    pub text: String,
    pub indent: usize,
    pub scope: Vec<Variable>,
    pub functions: Vec<Callable>,
    pub controls: Vec<Callable>,
    /// Of the control that is written.
    pub instances: Vec<Callable>,
    pub actions: Vec<Callable>,
    pub tables: Vec<String>,
    /// Tables with their actions.
    pub with_actions: Vec<(String, Vec<String>)>,
    pub registers: Vec<(String, Type)>,
    pub counters: Vec<String>,
    pub inside: Inside,
    /// What a function gives.
    pub result: Option<Type>,
    pub loops: u32,
    pub in_index: bool,
    /// Statements that may still come in this body.
    pub budget: u32,
    names: usize,
    pub headers: Vec<usize>,
    /// Fields of the headers of the packet.
    pub fields: Vec<(String, Type)>,
    /// Parsers that others apply.
    pub parsers: Vec<Callable>,
    /// Counters of the entries of tables that have none yet.
    pub direct: Option<String>,
    /// A table may be applied in an expression.
    pub applies: bool,
}

/// A program.
pub fn program(seed: u64) -> String {
    let mut all = Generator {
        random: Random::new(seed),
        types: Types::default(),
        text: String::new(),
        indent: 0,
        scope: Vec::new(),
        functions: Vec::new(),
        controls: Vec::new(),
        instances: Vec::new(),
        actions: Vec::new(),
        tables: Vec::new(),
        with_actions: Vec::new(),
        registers: Vec::new(),
        counters: Vec::new(),
        inside: Inside::Function,
        result: None,
        loops: 0,
        in_index: false,
        budget: 0,
        names: 0,
        headers: Vec::new(),
        fields: Vec::new(),
        parsers: Vec::new(),
        direct: None,
        applies: false,
    };
    let (headers, meta) = all.declare_types();
    for _ in 0..all.below(4) {
        all.function();
    }
    for _ in 0..all.below(3) {
        all.inner_control();
    }
    for _ in 0..all.below(2) {
        all.inner_parser();
    }
    all.parser(headers, meta);
    let two = "inout headers_t hdr, inout meta_t meta";
    all.outer_control("Receive", headers, meta);
    all.outer_control("Send", headers, meta);
    all.line(&format!("control Verify({two}) {{ apply {{}} }}"));
    all.compute(two, headers, meta);
    all.deparser();
    all.line("V1Switch(Parse(), Verify(), Receive(), Send(), Compute(), Deparse()) main;");
    let types = all.types.declarations();
    let begin = "#include <core.p4>\n#include <v1model.p4>\n";
    format!("{begin}error {{ First, Second }}\n{types}{}", all.text)
}

pub const STANDARD: &str = "inout standard_metadata_t std";

impl Generator {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.random.below(limit)
    }

    pub fn name(&mut self, begin: &str) -> String {
        self.names += 1;
        format!("{begin}{}", self.names)
    }

    pub fn line(&mut self, text: &str) {
        self.text += &format!("{}{text}\n", "    ".repeat(self.indent));
    }

    pub fn deeper(&mut self, write: impl FnOnce(&mut Self)) {
        self.indent += 1;
        write(self);
        self.indent -= 1;
    }

    /// The types `headers_t` and `meta_t`.
    fn declare_types(&mut self) -> (usize, usize) {
        for _ in 0..2 + self.below(3) {
            let header = self.types.add_header(&mut self.random);
            self.headers.push(header);
        }
        let mut fields = Vec::new();
        for (at, header) in self.headers.clone().into_iter().enumerate() {
            fields.push((format!("h{at}"), Type::Record(header)));
        }
        if self.below(3) != 0 {
            let of = *self.random.pick(&self.headers);
            let size = 2 + self.below(3) as u32;
            fields.push(("s".into(), Type::Stack(of, size)));
        }
        if self.below(4) == 0 {
            let length = vec![("n".into(), Type::Bit(8))];
            let of = self
                .types
                .add(super::types::VARYING, RecordKind::Header, length);
            let at = self.below(fields.len() as u64 + 1) as usize;
            fields.insert(at, ("v".into(), Type::Record(of)));
        }
        if self.below(3) == 0 && self.headers.len() > 2 {
            let one = Type::Record(self.headers[0]);
            let other = Type::Record(self.headers[1]);
            let members = vec![("a".into(), one), ("b".into(), other)];
            let union = self.types.add("either_t", RecordKind::Union, members);
            fields.push(("u".into(), Type::Record(union)));
            if self.below(3) == 0 {
                fields.push(("us".into(), Type::Stack(union, 2)));
            }
        }
        if self.below(3) == 0 {
            let of = *self.random.pick(&self.headers);
            let inner = self.types.add(
                "inner_t",
                RecordKind::Struct,
                vec![("x".into(), Type::Record(of))],
            );
            fields.push(("n".into(), Type::Record(inner)));
        }
        self.fields = fields.clone();
        let headers = self.types.add("headers_t", RecordKind::Struct, fields);
        let some = |all: &mut Self| -> Vec<(String, Type)> {
            let count = 1 + all.below(4);
            (0..count)
                .map(|at| (format!("m{at}"), scalar(&mut all.random)))
                .collect()
        };
        let inner = some(self);
        let inner = self.types.add("pair_t", RecordKind::Struct, inner);
        let mut fields = some(self);
        fields.push(("p".into(), Type::Record(inner)));
        if self.below(2) == 0 {
            fields.push(("h".into(), Type::Record(self.headers[0])));
        }
        let meta = self.types.add("meta_t", RecordKind::Struct, fields);
        (headers, meta)
    }

    /// Parameters: their text, and variables for them.
    fn parameters(&mut self, kinds: &[Direction], most: u64) -> (String, Vec<(Direction, Type)>) {
        let mut text = Vec::new();
        let mut given = Vec::new();
        // Those without a direction stand last.
        let mut directions: Vec<Direction> = (0..self.below(most))
            .map(|_| *self.random.pick(kinds))
            .collect();
        directions.sort_by_key(|one| *one == Direction::None);
        for direction in directions {
            let of = match self.below(5) {
                0 if direction != Direction::None => {
                    let records = self.types.records.len() as u64;
                    let record = self.below(records) as usize;
                    // Stacks and unions have no literals.
                    match direction == Direction::In && self.types.is_special(&Type::Record(record))
                    {
                        true => Type::Record(self.headers[0]),
                        false => Type::Record(record),
                    }
                }
                // Of a type that the headers have, so that fields are given.
                1..=3 => {
                    let header = *self.random.pick(&self.headers);
                    let fields = &self.types.records[header].fields;
                    let at = self.random.below(fields.len() as u64) as usize;
                    fields[at].1.clone()
                }
                _ => scalar(&mut self.random),
            };
            let name = self.name("p");
            let word = match direction {
                Direction::None => "",
                Direction::In => "in ",
                Direction::Out => "out ",
                Direction::InOut => "inout ",
            };
            text.push(format!("{word}{} {name}", self.types.text(&of)));
            given.push((direction, of.clone()));
            let is_written = matches!(direction, Direction::Out | Direction::InOut);
            self.scope.push(Variable {
                name,
                of,
                is_written,
            });
        }
        (text.join(", "), given)
    }

    fn function(&mut self) {
        self.scope.clear();
        let kinds = [
            Direction::In,
            Direction::In,
            Direction::Out,
            Direction::InOut,
        ];
        let (text, parameters) = self.parameters(&kinds, 4);
        let result = match self.below(6) {
            0 => None,
            1 => Some(Type::Record(self.headers[0])),
            2 => Some(Type::Bit(8)),
            _ => Some(scalar(&mut self.random)),
        };
        let name = self.name("function");
        let gives = result
            .as_ref()
            .map_or("void".into(), |of| self.types.text(of));
        self.line(&format!("{gives} {name}({text}) {{"));
        (self.inside, self.result, self.budget) = (Inside::Function, result.clone(), 8);
        self.deeper(|all| {
            all.declare();
            let before = all.scope.len();
            for _ in 0..1 + all.below(4) {
                all.statement(2);
            }
            if let Some(of) = &result {
                let value = all.expression(of, 2);
                all.line(&format!("return {value};"));
            }
            all.scope.truncate(before);
        });
        self.line("}");
        self.result = None;
        self.functions.push(Callable {
            name,
            parameters,
            result,
        });
    }

    fn inner_control(&mut self) {
        self.scope.clear();
        self.own_nothing();
        let kinds = [
            Direction::In,
            Direction::Out,
            Direction::InOut,
            Direction::InOut,
        ];
        let (text, parameters) = self.parameters(&kinds, 5);
        let name = self.name("Control");
        self.line(&format!("control {name}({text}) {{"));
        self.deeper(|all| all.control_body(14));
        self.line("}");
        self.controls.push(Callable {
            name,
            parameters,
            result: None,
        });
    }

    fn outer_control(&mut self, name: &str, headers: usize, meta: usize) {
        self.outer_scope(headers, meta);
        self.own_nothing();
        self.line(&format!(
            "control {name}(inout headers_t hdr, inout meta_t meta, {STANDARD}) {{"
        ));
        let budget = if name == "Receive" { 60 } else { 20 };
        self.deeper(|all| {
            all.control_body(budget);
        });
        self.line("}");
    }

    pub fn outer_scope(&mut self, headers: usize, meta: usize) {
        self.scope.clear();
        for (name, record) in [("hdr", headers), ("meta", meta)] {
            let of = Type::Record(record);
            self.scope.push(Variable {
                name: name.into(),
                of,
                is_written: true,
            });
        }
        for (name, width, is_written) in [
            ("std.egress_spec", 9, self.inside != Inside::Parser),
            ("std.ingress_port", 9, false),
            ("std.packet_length", 32, false),
        ] {
            let of = Type::Bit(width);
            self.scope.push(Variable {
                name: name.into(),
                of,
                is_written,
            });
        }
    }

    /// Checksums over random fields.
    fn compute(&mut self, two: &str, headers: usize, meta: usize) {
        self.inside = Inside::Parser;
        self.outer_scope(headers, meta);
        self.scope.truncate(2);
        self.line(&format!("control Compute({two}) {{ apply {{"));
        self.deeper(|all| {
            for _ in 0..all.below(3) {
                let condition = all.expression(&Type::Bool, 2);
                let Some(target) = all.place(&Type::Bit(16), true) else {
                    continue;
                };
                let values = all.listed();
                let algorithm = *all.random.pick(&["csum16", "crc16", "xor16"]);
                let name = match algorithm == "csum16" && all.below(2) == 0 {
                    true => "update_checksum_with_payload",
                    false => "update_checksum",
                };
                all.line(&format!(
                    "{name}({condition}, {{ {values} }}, {target}, HashAlgorithm.{algorithm});"
                ));
            }
        });
        self.line("} }");
    }

    /// Expressions with commas, for a checksum.
    pub fn listed(&mut self) -> String {
        let values = (0..1 + self.below(4)).map(|_| {
            let of = match self.below(3) {
                0 => Type::Bit(16),
                1 => Type::Int(2 + self.below(20) as u32),
                _ => Type::Bit(1 + self.below(40) as u32),
            };
            self.expression(&of, 1)
        });
        values.collect::<Vec<_>>().join(", ")
    }

    pub fn own_nothing(&mut self) {
        self.instances.clear();
        self.actions.clear();
        self.tables.clear();
        self.with_actions.clear();
        self.registers.clear();
        self.counters.clear();
        self.direct = None;
    }

    /// Locals, actions, tables and what is applied.
    fn control_body(&mut self, budget: u32) {
        for control in self.controls.clone() {
            if self.below(3) != 0 {
                let name = self.name("control");
                self.line(&format!("{}() {name};", control.name));
                self.instances.push(Callable { name, ..control });
            }
        }
        if self.below(2) == 0 {
            let of = match self.below(2) {
                0 => Type::Bit(1 + self.below(40) as u32),
                _ => Type::Int(2 + self.below(30) as u32),
            };
            let name = self.name("register");
            self.line(&format!("register<{}>(8) {name};", self.types.text(&of)));
            self.registers.push((name, of));
        }
        if self.below(2) == 0 {
            let name = self.name("counter");
            self.line(&format!(
                "counter(8, CounterType.packets_and_bytes) {name};"
            ));
            self.counters.push(name);
        }
        if self.below(4) == 0 {
            let name = self.name("found");
            self.line(&format!(
                "direct_counter(CounterType.packets_and_bytes) {name};"
            ));
            self.direct = Some(name);
        }
        for _ in 0..self.below(3) {
            self.inside = Inside::Control;
            self.declare();
        }
        for _ in 0..1 + self.below(3) {
            self.action();
        }
        for _ in 0..self.below(3) {
            self.table();
        }
        self.direct = None;
        self.inside = Inside::Control;
        self.applies = true;
        self.budget = budget;
        self.line("apply {");
        self.deeper(|all| {
            let count = u64::from(budget) / 3;
            let before = all.scope.len();
            for _ in 0..4 + all.below(count) {
                all.statement(3);
            }
            // State that is not looked at might be anything.
            for (register, of) in all.registers.clone() {
                if let Some(target) = all.target(&of) {
                    let index = all.below(8);
                    all.line(&format!("{register}.read({target}, {index});"));
                }
            }
            all.scope.truncate(before);
        });
        self.applies = false;
        self.line("}");
    }

    fn action(&mut self) {
        let before = self.scope.len();
        let kinds = [
            Direction::In,
            Direction::Out,
            Direction::InOut,
            Direction::None,
            Direction::None,
        ];
        let (text, parameters) = self.parameters(&kinds, 4);
        let name = self.name("action");
        self.line(&format!("action {name}({text}) {{"));
        self.inside = Inside::Action;
        self.budget = 8;
        self.deeper(|all| all.several(4, 2));
        self.line("}");
        self.scope.truncate(before);
        self.actions.push(Callable {
            name,
            parameters,
            result: None,
        });
    }

    fn deparser(&mut self) {
        self.line("control Deparse(packet_out packet, in headers_t hdr) {");
        let fields = self.fields.clone();
        let each = self.below(2) == 0;
        self.deeper(|all| {
            all.line("apply {");
            all.deeper(|all| match each {
                false => all.line("packet.emit(hdr);"),
                true => {
                    for (name, _) in fields.iter().rev() {
                        all.line(&format!("packet.emit(hdr.{name});"));
                    }
                }
            });
            all.line("}");
        });
        self.line("}");
    }
}

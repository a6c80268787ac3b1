//! Random parsers.

use super::program::{Callable, Direction, Generator, Inside, STANDARD};
use super::types::{RecordKind, Type, Variable};

impl Generator {
    /// One with a header to extract and a number.
    pub fn inner_parser(&mut self) {
        self.scope.clear();
        self.inside = Inside::Parser;
        let name = self.name("Parser");
        let header = Type::Record(*self.random.pick(&self.headers));
        let number = Type::Bit(1 + self.below(12) as u32);
        let direction = *self.random.pick(&["out", "inout"]);
        for (name, of) in [("h", &header), ("n", &number)] {
            self.scope.push(Variable {
                name: name.into(),
                of: of.clone(),
                is_written: true,
            });
        }
        let (one, other) = (self.types.text(&header), self.types.text(&number));
        self.line(&format!(
            "parser {name}(packet_in packet, {direction} {one} h, inout {other} n) {{"
        ));
        self.deeper(|all| {
            all.declare();
            all.budget = 6;
            all.line("state start {");
            all.deeper(|all| {
                let before = all.scope.len();
                all.statement(1);
                all.line("packet.extract(h);");
                all.statement(2);
                all.transition(&["more".into()], 1);
                all.scope.truncate(before);
            });
            all.line("}");
            all.line("state more {");
            all.deeper(|all| {
                all.statement(1);
                all.line("transition accept;");
            });
            all.line("}");
        });
        self.line("}");
        let parameters = vec![(Direction::Out, header), (Direction::InOut, number)];
        self.parsers.push(Callable {
            name,
            parameters,
            result: None,
        });
    }

    pub fn parser(&mut self, headers: usize, meta: usize) {
        self.inside = Inside::Parser;
        self.outer_scope(headers, meta);
        self.line(&format!(
            "parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, {STANDARD}) {{"
        ));
        self.indent += 1;
        self.instances.clear();
        for parser in self.parsers.clone() {
            let name = self.name("parser");
            self.line(&format!("{}() {name};", parser.name));
            self.instances.push(Callable { name, ..parser });
        }
        if self.below(2) == 0 {
            self.declare();
        }
        let mut steps: Vec<(String, Type)> = self.fields.clone();
        if self.below(3) == 0 {
            let at = self.below(steps.len() as u64) as usize;
            steps.rotate_left(at);
        }
        let last = steps.len();
        for (at, (name, of)) in steps.into_iter().enumerate() {
            let state = if at == 0 {
                "start".into()
            } else {
                format!("s{at}")
            };
            let others: Vec<String> = (at + 1..last).map(|at| format!("s{at}")).collect();
            // Some go back to one of those before, or to themselves.
            let back = self.below(10) == 0;
            let back = back.then(|| self.below(at as u64 + 1)).map(|at| match at {
                0 => "start".to_owned(),
                at => format!("s{at}"),
            });
            self.line(&format!("state {state} {{"));
            self.deeper(|all| all.state(&name, &of, &state, &others, back));
            self.line("}");
        }
        self.indent -= 1;
        self.line("}");
    }

    fn state(
        &mut self,
        name: &str,
        of: &Type,
        state: &str,
        others: &[String],
        back: Option<String>,
    ) {
        self.budget = 4;
        let before = self.scope.len();
        for _ in 0..self.below(2) {
            self.statement(1);
        }
        let mut targets = others.to_vec();
        targets.extend(back);
        match (of, self.types.kind(of)) {
            (_, Some(RecordKind::Header)) if name == "v" => {
                let length = self.expression(&Type::Bit(3), 2);
                self.line(&format!("packet.extract(hdr.v, (bit<32>)({length}) * 8);"));
            }
            (_, Some(RecordKind::Header)) => self.line(&format!("packet.extract(hdr.{name});")),
            (_, Some(RecordKind::Union)) => {
                let member = *self.random.pick(&["a", "b"]);
                self.line(&format!("packet.extract(hdr.{name}.{member});"));
            }
            (Type::Stack(record, _), _) => {
                let is_union = self.types.records[*record].kind == RecordKind::Union;
                let member = if is_union { ".b" } else { "" };
                self.line(&format!("packet.extract(hdr.{name}.next{member});"));
                if !is_union && self.below(2) == 0 {
                    let field = self
                        .random
                        .pick(&self.types.records[*record].fields)
                        .clone();
                    let (name, is_written) = (format!("hdr.{name}.last.{}", field.0), true);
                    self.scope.push(Variable {
                        name,
                        of: field.1,
                        is_written,
                    });
                }
                if self.below(3) == 0 {
                    let (name, is_written) = (format!("hdr.{name}.lastIndex"), false);
                    self.scope.push(Variable {
                        name,
                        of: Type::Bit(32),
                        is_written,
                    });
                }
                targets.push(state.to_owned());
            }
            _ => self.line(&format!("packet.extract(hdr.{name}.x);")),
        }
        match self.below(12) {
            0 => self.line("packet.advance(8);"),
            7 => {
                let bytes = self.expression(&Type::Bit(2), 2);
                self.line(&format!("packet.advance((bit<32>)({bytes}) * 8);"));
            }
            8 => {
                let header = Type::Record(*self.random.pick(&self.headers));
                self.line(&format!("packet.extract<{}>(_);", self.types.text(&header)));
            }
            2 | 3 => {
                let header = *self.random.pick(&self.headers);
                if let Some(target) = self.place(&Type::Record(header), true) {
                    self.line(&format!("packet.extract({target});"));
                }
            }
            4..=6 if !self.instances.is_empty() => {
                let instance = self.random.pick(&self.instances).clone();
                if let Some(arguments) = self.arguments(&instance.parameters, 1) {
                    self.line(&format!("{}.apply(packet, {arguments});", instance.name));
                }
            }
            1 => {
                let header = *self.random.pick(&self.headers);
                let of = Type::Record(header);
                if let Some(target) = self.place(&of, true) {
                    let text = self.types.text(&of);
                    self.line(&format!("{target} = packet.lookahead<{text}>();"));
                }
            }
            _ => {}
        }
        for _ in 0..self.below(3) {
            self.statement(1);
        }
        self.transition(&targets, others.len());
        self.scope.truncate(before);
    }

    fn transition(&mut self, targets: &[String], others: usize) {
        let go = |all: &mut Self| -> String {
            match others == 0 || all.below(12) == 0 {
                true if !targets.is_empty() && all.below(2) == 0 => {
                    targets[targets.len() - 1].clone()
                }
                true => (*all.random.pick(&["accept", "accept", "reject"])).to_owned(),
                // Mostly to the next one.
                false if all.below(2) == 0 => targets[0].clone(),
                false => all.random.pick(targets).clone(),
            }
        };
        if self.below(4) == 0 && others > 0 {
            let target = targets[0].clone();
            self.line(&format!("transition {target};"));
            return;
        }
        let width = 1 + self.below(4) as u32;
        let of = Type::Bit(width);
        let mut values = vec![match self.below(3) {
            0 => format!("packet.lookahead<bit<{width}>>()"),
            _ => self.expression(&of, 2),
        }];
        let second = match self.below(4) {
            0 => Some(Type::Bool),
            1 => Some(Type::Int(4)),
            2 => Some(Type::Code),
            _ => None,
        };
        values.extend(second.iter().map(|of| self.expression(of, 2)));
        self.line(&format!("transition select({}) {{", values.join(", ")));
        self.indent += 1;
        for at in 0..1 + self.below(3) {
            let most = (1 << width) - 1;
            let one = self.below(most + 1);
            let mut sets = vec![match self.below(4) {
                0 => format!("{one} &&& {}", self.below(most + 1)),
                1 => format!("{one} .. {most}"),
                2 => "_".into(),
                _ => one.to_string(),
            }];
            match &second {
                Some(Type::Int(_)) if self.below(2) == 0 => sets.push("-4s3 .. 4s2".into()),
                Some(of) => sets.push(if self.below(2) == 0 {
                    "_".into()
                } else {
                    self.literal(of)
                }),
                None => {}
            }
            // One goes on: a parser has to come to its end.
            let target = if at == 0 && others > 0 {
                targets[0].clone()
            } else {
                go(self)
            };
            let sets = match sets.len() {
                1 => sets.remove(0),
                _ => format!("({})", sets.join(", ")),
            };
            self.line(&format!("{sets}: {target};"));
        }
        let target = match others {
            0 => "accept".into(),
            _ => go(self),
        };
        if others == 0 || self.below(4) != 0 {
            self.line(&format!("default: {target};"));
        }
        self.indent -= 1;
        self.line("}");
    }
}

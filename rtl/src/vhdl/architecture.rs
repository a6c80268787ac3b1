//! Print: the declarations of a module, then its statements, both section after section.
//!
//! In each section stand its logic in the order in which it was made, its registers' next values in one process, and
//! a process for each memory. Assertions come last.

use super::constant;
use super::expression::Printer;
use super::package;
use super::text;
use crate::print::constant::is_one_bit_true;
use crate::print::lines;
use crate::print::names::PublicNames;
use crate::print::outline::{
    self, heading, outputs_section, section_index, Connection, Place, Source,
};
use crate::print::plan::{Plan, Signal, SignalKind};
use crate::print::rewrite::Legal;
use crate::{domains, Clock, Copied, Design, InstanceData, Mem, MemStyle, ModuleId, Node, Reg};
use std::collections::BTreeMap;

pub fn print(
    design: &Design,
    id: ModuleId,
    legal: &Legal,
    plan: &Plan,
    public: &PublicNames,
) -> String {
    let module = &design.modules[id];
    let name = &public.modules[id];
    let mut architecture = Architecture {
        design,
        legal,
        plan,
        public,
        printer: Printer {
            legal,
            module: &legal.module,
            plan,
        },
        statements: Vec::new(),
        read_data: outline::read_data(plan),
    };
    architecture.collect();
    let mut out = text::header(
        module,
        name,
        (public.clocks[id].values(), &public.ports[id]),
        &package::name(design, public),
    );
    out.push(format!("architecture rtl of {name} is"));
    out.push(String::new());
    out.extend(architecture.attributes());
    architecture.sections(&mut out, |section| architecture.declared(section));
    out.push("begin".to_string());
    out.push(String::new());
    architecture.sections(&mut out, |section| architecture.stated(section));
    out.extend(architecture.assertions());
    out.push("end architecture rtl;".to_string());
    out.join("\n") + "\n"
}

struct Architecture<'a> {
    design: &'a Design,
    legal: &'a Legal,
    plan: &'a Plan,
    public: &'a PublicNames,
    printer: Printer<'a>,
    /// In their order.
    statements: Vec<Statement>,
    read_data: BTreeMap<(Mem, u32), Signal>,
}

/// A statement of the logic part.
struct Statement {
    place: Place,
    declares: Vec<Signal>,
    lines: Vec<String>,
    /// Stands between empty lines.
    is_group: bool,
}

impl Architecture<'_> {
    fn collect(&mut self) {
        let is_wire = |signal: &Signal| self.plan.signals[*signal].kind == SignalKind::Wire;
        for drive in outline::drives(self.legal, self.plan) {
            let (arms, comment) = match drive.source {
                Source::Computed(node) => {
                    let comment = self.plan.nodes[node]
                        .and_then(|_| self.legal.module.nodes[node].comment.clone());
                    (self.printer.computed_arms(node), comment)
                }
                Source::Value(node) => (self.printer.arms(node), None),
            };
            let lines = text::concurrent(self.printer.name(drive.signal), &arms);
            self.statements.push(Statement {
                place: drive.place,
                declares: [drive.signal].into_iter().filter(is_wire).collect(),
                lines: text::with_comment(lines, comment.as_deref()),
                is_group: false,
            });
        }
        for connected in outline::instances(self.design, self.legal, self.plan) {
            let data = &self.legal.module.instances[connected.instance];
            let to = |connection: &Connection| match connection {
                Connection::To(signal) => Some(*signal),
                Connection::From(_) => None,
            };
            let outputs = connected.connections.iter().filter_map(to);
            let mut lines: Vec<String> = Vec::new();
            if let Some(comment) = &data.comment {
                lines.push(format!("  -- {}", text::comment(comment)));
            }
            let clocks = self.clocks(data);
            let ports = self.public.ports[data.module].iter().cloned();
            let texts = connected.connections.iter().map(|c| self.connection(*c));
            let connections: Vec<(String, String)> =
                clocks.into_iter().chain(ports.zip(texts)).collect();
            let generics = self.design.modules[data.module].foreign.as_ref();
            let generics = generics.map_or(Vec::new(), super::foreign::generics);
            lines.extend(text::instance(
                &self.public.modules[data.module],
                &self.plan.instances[connected.instance],
                &generics,
                &connections,
            ));
            self.statements.push(Statement {
                place: connected.place,
                declares: outputs.filter(is_wire).collect(),
                lines,
                is_group: true,
            });
        }
        self.statements.sort_by_key(|statement| statement.place);
    }

    /// The clocks and resets of an instance.
    fn clocks(&self, data: &InstanceData) -> Vec<(String, String)> {
        let mut connections = Vec::new();
        let names = self.public.clocks[data.module].values();
        let callee = &self.design.modules[data.module];
        for ((clock, own), (clk, rst)) in data.clocks.iter().zip(callee.clocks.values()).zip(names)
        {
            let signals = self.plan.clocks[*clock];
            let name = |signal: Signal| self.printer.name(signal).to_string();
            if own.is_port {
                connections.push((clk.clone(), name(signals.0)));
            }
            if own.has_reset {
                connections.push((rst.clone(), name(signals.1)));
            }
        }
        connections
    }

    fn connection(&self, connection: Connection) -> String {
        match connection {
            Connection::To(signal) => match self.plan.signals[signal].kind {
                SignalKind::UnusedOutput => "open".to_string(),
                _ => self.printer.name(signal).to_string(),
            },
            Connection::From(node) => match self.printer.arms(node).as_slice() {
                [(_, value)] => value.text.clone(),
                // Planning gives every choice a signal.
                _ => self.printer.value(node).text,
            },
        }
    }

    /// What memories and copies of registers need.
    fn attributes(&self) -> Vec<String> {
        let mems = self.legal.module.mems.iter();
        let mut live = mems.filter(|(mem, _)| self.plan.mems[*mem].is_some());
        let mut lines = Vec::new();
        if live.any(|(_, data)| data.style != MemStyle::Auto) {
            let name = self.legal.attributes.name();
            lines.push(format!("  attribute {name} : string;"));
        }
        let mut regs = self.legal.module.regs.iter();
        if regs.any(|(reg, data)| data.is_apart && self.plan.regs[reg].is_some()) {
            let (name, value) = self.legal.attributes.copy();
            let kind = match value {
                Copied::Text(_) => "string",
                Copied::Flag => "boolean",
            };
            lines.push(format!("  attribute {name} : {kind};"));
        }
        let mut regs = self.legal.module.regs.iter();
        if regs.any(|(reg, data)| data.is_synchronizer && self.plan.regs[reg].is_some()) {
            let (name, _) = self.legal.attributes.synchronizer();
            lines.push(format!("  attribute {name} : string;"));
        }
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines
    }

    /// The attributes of a section's registers that are synchronizers.
    fn synchronizers(&self, section: usize) -> Vec<String> {
        let (name, value) = self.legal.attributes.synchronizer();
        let registers = self.registers(section);
        registers
            .filter(|(_, data, _)| data.is_synchronizer)
            .map(|(.., signal)| {
                let register = self.printer.name(signal);
                format!("  attribute {name} of {register} : signal is \"{value}\";")
            })
            .collect()
    }

    /// The attributes of a section's registers that are copies.
    fn kept_apart(&self, section: usize) -> Vec<String> {
        let is_copy = |data: &crate::RegData| data.is_apart && !data.is_synchronizer;
        let copies = self.registers(section).filter(|(_, data, _)| is_copy(data));
        let (name, value) = self.legal.attributes.copy();
        let value = match value {
            Copied::Text(text) => format!("\"{text}\""),
            Copied::Flag => "true".to_string(),
        };
        copies
            .map(|(.., signal)| {
                let register = self.printer.name(signal);
                format!("  attribute {name} of {register} : signal is {value};")
            })
            .collect()
    }

    /// Groups of lines under the headings of their sections.
    fn sections(&self, out: &mut Vec<String>, groups: impl Fn(usize) -> Vec<Vec<String>>) {
        for section in 0..=outputs_section(self.legal) {
            let heading = heading(self.legal, section).map(|text| text::heading(&text));
            lines::section(out, heading, groups(section));
        }
    }

    fn declared(&self, section: usize) -> Vec<Vec<String>> {
        let module = &self.legal.module;
        let zero = |width: u32| constant::assigned(&vec![0; width.div_ceil(64) as usize], width);
        let mut registers = Vec::new();
        for (_, data, signal) in self.registers(section) {
            let value = match &data.reset {
                Some(limbs) => constant::assigned(limbs, data.width),
                None => zero(data.width),
            };
            registers.push((
                self.printer.name(signal).to_string(),
                format!("{} := {value};", text::type_name(data.width)),
                data.comment.clone().unwrap_or_default(),
            ));
        }
        for mem in self.memories(section) {
            for (_, signal) in self.read_data.iter().filter(|((of, _), _)| *of == mem) {
                let width = module.mems[mem].width;
                registers.push((
                    self.printer.name(*signal).to_string(),
                    format!("{} := {};", text::type_name(width), zero(width)),
                    String::new(),
                ));
            }
        }
        let mut declared = text::declarations(registers);
        declared.extend(self.kept_apart(section));
        declared.extend(self.synchronizers(section));
        let mut groups = vec![declared];
        for mem in self.memories(section) {
            if self.is_signal(mem) {
                groups.push(self.memory_declaration(mem, "signal"));
            }
        }
        let statements = self.statements.iter().filter(|s| s.place.0 == section);
        let wires = statements.flat_map(|statement| &statement.declares);
        let wires = wires.map(|signal| {
            let data = &self.plan.signals[*signal];
            let of_type = format!("{};", text::type_name(data.width));
            (data.name.clone(), of_type, String::new())
        });
        groups.push(text::declarations(wires.collect()));
        groups
    }

    fn stated(&self, section: usize) -> Vec<Vec<String>> {
        let mut groups: Vec<Vec<String>> = vec![Vec::new()];
        for statement in self.statements.iter().filter(|s| s.place.0 == section) {
            if statement.is_group {
                groups.push(statement.lines.clone());
                groups.push(Vec::new());
            } else if let Some(group) = groups.last_mut() {
                group.extend(statement.lines.iter().cloned());
            }
        }
        for clock in self.legal.module.clocks.keys() {
            groups.push(self.next_values(section, clock));
        }
        for mem in self.memories(section) {
            for clock in domains::clocks_of(&self.legal.module.mems[mem]) {
                groups.push(self.memory_process(mem, clock));
            }
        }
        groups
    }

    fn registers(&self, section: usize) -> impl Iterator<Item = (Reg, &crate::RegData, Signal)> {
        let regs = self.legal.module.regs.iter();
        let own = regs.filter(move |(_, data)| section_index(data.section) == section);
        own.filter_map(|(reg, data)| Some((reg, data, self.plan.regs[reg]?)))
    }

    fn memories(&self, section: usize) -> Vec<Mem> {
        let mems = self.legal.module.mems.iter();
        mems.filter(|(mem, data)| {
            section_index(data.section) == section && self.plan.mems[*mem].is_some()
        })
        .map(|(mem, _)| mem)
        .collect()
    }

    /// A condition, or nothing where it always holds.
    fn enable(&self, enable: Option<Node>) -> Option<String> {
        let enable = enable.filter(|enable| !is_one_bit_true(&self.legal.module, *enable))?;
        Some(self.printer.condition(enable).text)
    }

    fn clk(&self, clock: Clock) -> &str {
        self.printer.name(self.plan.clocks[clock].0)
    }

    fn rst(&self, clock: Clock) -> &str {
        self.printer.name(self.plan.clocks[clock].1)
    }

    /// The next values of the registers of a section and clock; those with the same enable stand together.
    fn next_values(&self, section: usize, clock: Clock) -> Vec<String> {
        let mut groups: Vec<(Option<String>, Vec<String>)> = Vec::new();
        let mut resets = Vec::new();
        let registers = self.registers(section);
        for (_, data, signal) in registers.filter(|(_, data, _)| data.clock == clock) {
            let Some(next) = data.next else { continue };
            let name = self.printer.name(signal);
            let enable = self.enable(data.enable);
            let lines = text::sequential(name, "<=", &self.printer.arms(next));
            match groups.iter_mut().find(|(known, _)| *known == enable) {
                Some((_, group)) => group.extend(lines),
                None => groups.push((enable, lines)),
            }
            if let Some(limbs) = &data.reset {
                let value = constant::assigned(limbs, data.width);
                resets.push(format!("  {name} <= {value};"));
            }
        }
        if !resets.is_empty() {
            groups.push((Some(format!("{} = '1'", self.rst(clock))), resets));
        }
        let groups = groups.into_iter();
        let body: Vec<String> = groups
            .flat_map(|(enable, lines)| text::guarded(enable, lines))
            .collect();
        text::clocked(self.clk(clock), &[], &body)
    }

    /// Whether a memory has a live asynchronous read, or ports of several clocks: then it is a signal, else a variable of its
    /// process, which simulators keep in a fraction of the space.
    fn is_signal(&self, mem: Mem) -> bool {
        let data = &self.legal.module.mems[mem];
        let is_read_at_once = data.reads.iter().any(|read| read.enable.is_none());
        is_read_at_once || domains::clocks_of(data).len() > 1
    }

    /// Type and object.
    fn memory_declaration(&self, mem: Mem, object: &str) -> Vec<String> {
        let data = &self.legal.module.mems[mem];
        let name = self.plan.mems[mem].clone().unwrap_or_default();
        let last = self.legal.depth[mem] - 1;
        let word = text::type_name(data.width);
        let zeros = match data.width {
            1 => "(others => '0')",
            _ => "(others => (others => '0'))",
        };
        let mut lines = Vec::new();
        if let Some(comment) = &data.comment {
            lines.push(format!("  -- {}", text::comment(comment)));
        }
        let words = &self.plan.mem_types[mem];
        lines.push(format!("  type {words} is array (0 to {last}) of {word};"));
        match data.style {
            // An UltraRAM has no initial words: with some, tools would not take one.
            MemStyle::Ultra => lines.extend([
                format!("  {object} {name} : {words}"),
                "  -- synthesis translate_off".to_string(),
                format!("    := {zeros}"),
                "  -- synthesis translate_on".to_string(),
                "    ;".to_string(),
            ]),
            _ => lines.push(format!("  {object} {name} : {words} := {zeros};")),
        }
        let attributes = self.legal.attributes;
        if let Some(style) = attributes.value(data.style) {
            let attribute = attributes.name();
            lines.push(format!(
                "  attribute {attribute} of {name} : {object} is \"{style}\";"
            ));
        }
        lines
    }

    /// All ports of a memory with a clock. Reads come before writes: they give what the word was.
    fn memory_process(&self, mem: Mem, clock: Clock) -> Vec<String> {
        let data = &self.legal.module.mems[mem];
        let name = self.plan.mems[mem].clone().unwrap_or_default();
        let is_signal = self.is_signal(mem);
        let mut statements: Vec<(Option<String>, Vec<String>)> = Vec::new();
        let reads = data.reads.iter().enumerate();
        for (port, read) in reads.filter(|(_, read)| read.clock == clock) {
            let signal = self.read_data.get(&(mem, port as u32));
            if let (Some(signal), Some(_)) = (signal, read.enable) {
                let word = self.printer.word(&name, mem, read.address);
                let line = format!("  {} <= {word};", self.printer.name(*signal));
                statements.push((self.enable(read.enable), vec![line]));
                if let Some(zero) = read.zero {
                    let zeros = constant::text(&[0], data.width);
                    let line = format!("  {} <= {zeros};", self.printer.name(*signal));
                    statements.push((self.enable(Some(zero)), vec![line]));
                }
            }
        }
        for write in data.writes.iter().filter(|write| write.clock == clock) {
            let word = self.printer.word(&name, mem, write.address);
            let width = self.legal.module.width(write.data);
            let word = match (write.part, width) {
                (None, _) => word,
                (Some(lo), 1) => format!("{word}({lo})"),
                (Some(lo), width) => format!("{word}({} downto {lo})", lo + width - 1),
            };
            let sign = if is_signal { "<=" } else { ":=" };
            let lines = text::sequential(&word, sign, &self.printer.arms(write.data));
            statements.push((self.enable(Some(write.enable)), lines));
        }
        let body = lines::grouped(statements, text::guarded);
        let declarations = match is_signal {
            true => Vec::new(),
            false => self.memory_declaration(mem, "variable"),
        };
        text::clocked(self.clk(clock), &declarations, &body)
    }

    fn assertions(&self) -> Vec<String> {
        let module = &self.legal.module;
        if module.asserts.is_empty() {
            return Vec::new();
        }
        let mut lines = vec![
            "  -- Must hold in every clock outside reset.".to_string(),
            "  -- synthesis translate_off".to_string(),
        ];
        let asserts = module.asserts.iter().zip(&self.plan.asserts);
        let asserts = asserts.map(|both| (both.0.clock, both)).collect();
        for (clock, asserts) in lines::by_clock(asserts) {
            let mut body = Vec::new();
            for (assert, label) in asserts {
                let condition = self.printer.condition(assert.condition).text;
                body.push(format!("  {label} : assert {condition}"));
                let message = text::string(&assert.message);
                body.push(format!("    report {message} severity error;"));
            }
            let body = text::guarded(Some(format!("{} = '0'", self.rst(clock))), body);
            lines.extend(text::clocked(self.clk(clock), &[], &body));
        }
        lines.push("  -- synthesis translate_on".to_string());
        lines.push(String::new());
        lines
    }
}

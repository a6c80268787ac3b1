//! Print: collects the statements of a module and puts them into reading order ([`super::sections`] writes them).
//!
//! Section after section: the declarations of its registers and memories, its logic in the order in which it was
//! made, then its registers' next values. A register's always block stands in the first section that knows all
//! that it reads. What is read above the place where it is driven is declared at the head of the section that
//! reads it first. Last come plain outputs, bits that nobody reads, and assertions.

use super::constant;
use super::expression::{Expression, Printer, Use};
use super::text;
use crate::print::constant::is_one_bit_true;
use crate::print::lines::{self, by_clock, Guarded};
use crate::print::outline::{self, section_index, Connection, Place, Source};
use crate::print::plan::{Plan, Signal, SignalKind};
use crate::print::rewrite::Legal;
use crate::{Clock, Design, Mem, ModuleId};
use cranelift_entity::SecondaryMap;

/// Behind everything else of a section.
pub const REGISTERS: u32 = u32::MAX;

/// A statement of the logic part.
pub struct Statement {
    pub place: Place,
    /// Nets that it declares, unless they are declared above.
    pub declares: Vec<Signal>,
    pub uses: Vec<Use>,
    pub body: Body,
}

pub enum Body {
    Drive {
        signal: Signal,
        expression: Expression,
        comment: Option<String>,
    },
    Instance {
        comment: Option<String>,
        lines: Vec<String>,
    },
}

/// A register's assignments.
pub struct RegisterText {
    pub section: usize,
    pub signal: Signal,
    pub next: Expression,
    pub enable: Option<String>,
    pub reset: Option<String>,
    pub is_apart: bool,
    pub clock: Clock,
    pub uses: Vec<Use>,
}

/// A memory's always blocks and first contents.
pub struct MemoryText {
    pub section: usize,
    pub mem: Mem,
    /// Of each clock of its ports.
    pub lines: Vec<(Clock, Vec<String>)>,
    pub uses: Vec<Use>,
}

pub fn print(design: &Design, id: ModuleId, legal: &Legal, plan: &Plan) -> String {
    let mut layout = Layout {
        design,
        legal,
        plan,
        printer: Printer {
            module: &legal.module,
            plan,
            uses: Vec::new(),
        },
        statements: Vec::new(),
        registers: Vec::new(),
        memories: Vec::new(),
        sections: SecondaryMap::new(),
        tail_uses: Vec::new(),
    };
    layout.collect_logic();
    layout.collect_instances();
    layout.note_sections();
    layout.collect_registers();
    layout.collect_memories();
    layout.statements.sort_by_key(|statement| statement.place);
    let mut out = text::header(&design.modules[id]);
    let assertions = layout.assertions();
    layout.print_sections(&mut out);
    layout.unread_bits(&mut out);
    out.extend(assertions);
    out.push("endmodule".to_string());
    out.push(String::new());
    out.push("`default_nettype wire".to_string());
    out.join("\n") + "\n"
}

pub struct Layout<'a> {
    pub design: &'a Design,
    pub legal: &'a Legal,
    pub plan: &'a Plan,
    pub printer: Printer<'a>,
    pub statements: Vec<Statement>,
    pub registers: Vec<RegisterText>,
    pub memories: Vec<MemoryText>,
    /// The sections of the statements that declare nets.
    pub sections: SecondaryMap<Signal, Option<usize>>,
    /// What is read behind the last section.
    pub tail_uses: Vec<Use>,
}

impl Layout<'_> {
    /// What the printer has read since the last call.
    fn take_uses(&mut self) -> Vec<Use> {
        std::mem::take(&mut self.printer.uses)
    }

    fn collect_logic(&mut self) {
        for drive in outline::drives(self.legal, self.plan) {
            let (expression, comment) = match drive.source {
                Source::Computed(node) => {
                    let comment = match self.plan.nodes[node] {
                        Some(_) => self.legal.module.nodes[node].comment.clone(),
                        None => None,
                    };
                    (self.printer.expression(node), comment)
                }
                Source::Value(node) => (self.printer.operand(node), None),
            };
            self.push_drive(drive.signal, expression, comment, drive.place);
        }
    }

    fn push_drive(
        &mut self,
        signal: Signal,
        expression: Expression,
        comment: Option<String>,
        place: Place,
    ) {
        let declares = match self.plan.signals[signal].kind {
            SignalKind::Wire => vec![signal],
            _ => Vec::new(),
        };
        let uses = self.take_uses();
        self.statements.push(Statement {
            place,
            declares,
            uses,
            body: Body::Drive {
                signal,
                expression,
                comment,
            },
        });
    }

    fn collect_instances(&mut self) {
        for connected in outline::instances(self.design, self.legal, self.plan) {
            let data = &self.legal.module.instances[connected.instance];
            let callee = &self.design.modules[data.module];
            let mut declares = Vec::new();
            let mut connections = Vec::new();
            for (clock, own) in data.clocks.iter().zip(callee.clocks.values()) {
                let (clk, rst) = self.plan.clocks[*clock];
                if own.is_port {
                    connections.push((own.name.clone(), self.printer.signal(clk)));
                }
                if own.has_reset {
                    connections.push((own.reset.clone(), self.printer.signal(rst)));
                }
            }
            for (port, connection) in callee.ports.iter().zip(&connected.connections) {
                let text = match *connection {
                    Connection::To(signal) => {
                        if self.plan.signals[signal].kind != SignalKind::Output {
                            declares.push(signal);
                        }
                        self.plan.signals[signal].name.clone()
                    }
                    Connection::From(node) => self.printer.text(node),
                };
                connections.push((port.name.clone(), text));
            }
            let uses = self.take_uses();
            let name = &self.plan.instances[connected.instance];
            let (printed, parameters) = match &callee.foreign {
                Some(foreign) => (&foreign.name, super::foreign::parameters(foreign)),
                None => (&callee.name, Vec::new()),
            };
            self.statements.push(Statement {
                place: connected.place,
                declares,
                uses,
                body: Body::Instance {
                    comment: data.comment.clone(),
                    lines: text::instance(printed, name, &parameters, &connections),
                },
            });
        }
    }

    fn note_sections(&mut self) {
        for statement in &self.statements {
            for signal in &statement.declares {
                self.sections[*signal] = Some(statement.place.0);
            }
        }
    }

    fn collect_registers(&mut self) {
        let module = &self.legal.module;
        for (reg, data) in module.regs.iter() {
            let (Some(signal), Some(next)) = (self.plan.regs[reg], data.next) else {
                continue;
            };
            let next = self.printer.operand(next);
            let enable = data
                .enable
                .filter(|enable| !is_one_bit_true(module, *enable))
                .map(|enable| self.printer.text(enable));
            let reset = data.reset.as_ref().map(|limbs| {
                self.printer.signal(self.plan.clocks[data.clock].1);
                constant::text(limbs, data.width)
            });
            self.printer.signal(self.plan.clocks[data.clock].0);
            let uses = self.take_uses();
            let section = self.last_section(section_index(data.section), &uses);
            self.registers.push(RegisterText {
                section,
                signal,
                next,
                enable,
                reset,
                is_apart: data.is_apart,
                clock: data.clock,
                uses,
            });
        }
    }

    fn collect_memories(&mut self) {
        let module = &self.legal.module;
        let read_data = outline::read_data(self.plan);
        for (mem, data) in module.mems.iter() {
            let Some(name) = &self.plan.mems[mem] else {
                continue;
            };
            let mut statements: Vec<(Clock, Guarded)> = Vec::new();
            for write in &data.writes {
                let address = self.printer.text(write.address);
                let expression = self.printer.operand(write.data);
                let part = match (write.part, module.width(write.data)) {
                    (None, _) => String::new(),
                    (Some(lo), 1) => format!("[{lo}]"),
                    (Some(lo), width) => format!("[{}:{lo}]", lo + width - 1),
                };
                let head = format!("{name}[{address}]{part} <=");
                let enable = match is_one_bit_true(module, write.enable) {
                    true => None,
                    false => Some(self.printer.text(write.enable)),
                };
                let lines = text::assignment(&head, &expression);
                statements.push((write.clock, (enable, lines)));
            }
            for (port, read) in data.reads.iter().enumerate() {
                let (Some(signal), Some(enable)) =
                    (read_data.get(&(mem, port as u32)), read.enable)
                else {
                    continue;
                };
                let address = self.printer.text(read.address);
                let enable = match is_one_bit_true(module, enable) {
                    true => None,
                    false => Some(self.printer.text(enable)),
                };
                let line = format!(
                    "  {} <= {name}[{address}];",
                    self.plan.signals[*signal].name
                );
                statements.push((read.clock, (enable, vec![line])));
                if let Some(zero) = read.zero {
                    let zeros = constant::text(&[0], data.width);
                    let line = format!("  {} <= {zeros};", self.plan.signals[*signal].name);
                    let zero = Some(self.printer.text(zero));
                    statements.push((read.clock, (zero, vec![line])));
                }
            }
            let mut lines = Vec::new();
            for (clock, statements) in by_clock(statements) {
                self.printer.signal(self.plan.clocks[clock].0);
                lines.push((clock, lines::grouped(statements, text::guarded)));
            }
            let uses = self.take_uses();
            let section = self.last_section(section_index(data.section), &uses);
            self.memories.push(MemoryText {
                section,
                mem,
                lines,
                uses,
            });
        }
    }

    /// The first section, from `own` on, that stands below all nets which are read.
    fn last_section(&self, own: usize, uses: &[Use]) -> usize {
        let wires = uses.iter().filter_map(|read| self.sections[read.signal]);
        wires.chain([own]).max().unwrap_or(own)
    }

    fn assertions(&mut self) -> Vec<String> {
        let module = &self.legal.module;
        if module.asserts.is_empty() {
            return Vec::new();
        }
        let mut lines = vec!["`ifndef SYNTHESIS".to_string()];
        lines.push("  // Must hold in every clock outside reset.".to_string());
        let asserts = module.asserts.iter().zip(&self.plan.asserts);
        for (clock, asserts) in by_clock(asserts.map(|both| (both.0.clock, both)).collect()) {
            let (clk, rst) = self.plan.clocks[clock];
            let (clk, rst) = (self.printer.signal(clk), self.printer.signal(rst));
            lines.push(format!("  always @(posedge {clk}) begin"));
            lines.push(format!("    if (!{rst}) begin"));
            for (assert, label) in asserts {
                let condition = self.printer.text(assert.condition);
                let message = text::string(&assert.message);
                lines.push(format!("      {label} : assert ({condition})"));
                lines.push(format!("        else $error(\"{message}\");"));
            }
            lines.push("    end".to_string());
            lines.push("  end".to_string());
        }
        lines.push("`endif".to_string());
        lines.push(String::new());
        self.tail_uses = self.take_uses();
        lines
    }
}

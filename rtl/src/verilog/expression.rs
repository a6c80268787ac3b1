//! The text of a node as an expression.
//!
//! SystemVerilog widens operands to the width of their surroundings, and turns a signed expression unsigned when
//! one of its neighbours is. Neither can happen here: every operand is printed with exactly the width that its
//! operator works in (extensions are concatenations, whose parts are on their own), and what is signed is either a
//! comparison of two `$signed` operands or a statement of its own.

use super::constant;
use crate::print::lines::{self, fill};
use crate::print::plan::{Plan, Signal};
use crate::{Module, Node, NodeData, NodeOp};

/// Binding strength, weakest first. A reduction counts as weak, so that it gets parentheses beside operators.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    Conditional,
    Reduction,
    LogicOr,
    LogicAnd,
    Or,
    Xor,
    And,
    Equality,
    Order,
    Shift,
    Sum,
    Product,
    Unary,
    Primary,
}

/// A part of a signal that a text reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    pub signal: Signal,
    pub lo: u32,
    pub width: u32,
}

/// An expression's text.
#[derive(Clone, Debug)]
pub struct Expression {
    pub text: String,
    pub level: Level,
    /// The same on several lines, where it can be broken; the first line goes behind the head of the statement
    /// when it is `{`, else on a line of its own.
    pub lines: Vec<String>,
}

/// Prints expressions of one module, and notes what they read.
pub struct Printer<'a> {
    pub module: &'a Module,
    pub plan: &'a Plan,
    pub uses: Vec<Use>,
}

impl Printer<'_> {
    /// A node where it is used: its signal's name, or its expression.
    pub fn operand(&mut self, node: Node) -> Expression {
        match self.plan.nodes[node] {
            Some(signal) => atom(self.signal(signal)),
            None => self.expression(node),
        }
    }

    /// The same within a line.
    pub fn text(&mut self, node: Node) -> String {
        self.operand(node).text
    }

    pub fn signal(&mut self, signal: Signal) -> String {
        let data = &self.plan.signals[signal];
        self.uses.push(Use {
            signal,
            lo: 0,
            width: data.width,
        });
        data.name.clone()
    }

    /// With parentheses unless it binds at least as strongly as `level`.
    fn tight(&mut self, node: Node, level: Level) -> String {
        let operand = self.operand(node);
        parenthesize(operand, |own| own >= level)
    }

    /// What a node computes, also when it has a signal.
    pub fn expression(&mut self, node: Node) -> Expression {
        let module = self.module;
        let data = &module.nodes[node];
        let args = &data.args;
        let one_bit = data.width == 1;
        match &data.op {
            NodeOp::Const(limbs) => match constant::parts(limbs, data.width) {
                Some(parts) => concatenation(&parts),
                None => atom(lines::called(data, text_of(data, limbs))),
            },
            NodeOp::Wire => self.operand(args[0]),
            NodeOp::MemRead(mem, port) => {
                let name = self.plan.mems[*mem].clone().unwrap_or_default();
                let address = module.mems[*mem].reads[*port as usize].address;
                atom(format!("{name}[{}]", self.text(address)))
            }
            NodeOp::Input(_) | NodeOp::Reg(_) | NodeOp::InstanceOutput(..) => self.operand(node),
            NodeOp::Not => {
                let operator = if one_bit { "!" } else { "~" };
                unary(operator, self.tight(args[0], Level::Unary))
            }
            NodeOp::ReduceOr => self.reduction("|", args[0]),
            NodeOp::ReduceAnd => self.reduction("&", args[0]),
            NodeOp::Foreign(_) => unreachable!("foreign modules are not printed"),
            NodeOp::ReduceXor => self.reduction("^", args[0]),
            NodeOp::And if one_bit && self.are_many(args) => self.reduced("&", args),
            NodeOp::Or if one_bit && self.are_many(args) => self.reduced("|", args),
            NodeOp::And if one_bit => self.list("&&", Level::LogicAnd, Level::Equality, args),
            NodeOp::Or if one_bit => self.list("||", Level::LogicOr, Level::Equality, args),
            NodeOp::And => self.list("&", Level::And, Level::Unary, args),
            NodeOp::Or => self.list("|", Level::Or, Level::Unary, args),
            NodeOp::Xor => self.list("^", Level::Xor, Level::Unary, args),
            NodeOp::Add => self.binary("+", Level::Sum, args),
            NodeOp::Sub => self.binary("-", Level::Sum, args),
            NodeOp::Mul => self.binary("*", Level::Product, args),
            NodeOp::Shl => self.shift("<<", args),
            NodeOp::LShr => self.shift(">>", args),
            NodeOp::AShr => {
                let value = self.text(args[0]);
                let amount = self.amount(args[1]);
                plain(format!("$signed({value}) >>> {amount}"), Level::Shift)
            }
            NodeOp::Eq => self.binary("==", Level::Equality, args),
            NodeOp::Ne => self.binary("!=", Level::Equality, args),
            NodeOp::Ult => self.binary("<", Level::Order, args),
            NodeOp::Ule => self.binary("<=", Level::Order, args),
            NodeOp::Slt => self.signed("<", args),
            NodeOp::Sle => self.signed("<=", args),
            NodeOp::Mux => self.conditional(node),
            NodeOp::Slice { lo } => atom(self.select(args[0], *lo, data.width)),
            NodeOp::Concat => {
                let parts: Vec<String> = args.iter().map(|arg| self.text(*arg)).collect();
                concatenation(&parts)
            }
            NodeOp::ZExt => {
                let pad = constant::text(&[0], data.width - module.width(args[0]));
                let text = self.text(args[0]);
                atom(format!("{{{pad}, {text}}}"))
            }
            NodeOp::SExt => {
                let from = module.width(args[0]);
                let value = self.text(args[0]);
                match from {
                    1 => atom(format!("{{{}{{{value}}}}}", data.width)),
                    _ => {
                        let sign = self.select(args[0], from - 1, 1);
                        atom(format!("{{{{{}{{{sign}}}}}, {value}}}", data.width - from))
                    }
                }
            }
        }
    }

    /// Bits of a node that has a signal.
    fn select(&mut self, node: Node, lo: u32, width: u32) -> String {
        let Some(signal) = self.plan.nodes[node] else {
            // Planning gives every operand of a slice a signal.
            return self.text(node);
        };
        let data = &self.plan.signals[signal];
        self.uses.push(Use { signal, lo, width });
        match (width, data.width) {
            (_, all) if all == width => data.name.clone(),
            (1, _) => format!("{}[{lo}]", data.name),
            _ => format!("{}[{}:{lo}]", data.name, lo + width - 1),
        }
    }

    fn reduction(&mut self, operator: &str, arg: Node) -> Expression {
        let text = self.tight(arg, Level::Primary);
        plain(format!("{operator}{text}"), Level::Reduction)
    }

    /// Operands of one bit that are better read, and better mapped, as the bits of a word: yosys takes a chain of operators as it
    /// stands, one behind the other.
    fn are_many(&self, args: &[Node]) -> bool {
        args.len() >= MANY || args.len() >= MANY_BITS && args.iter().all(|arg| self.is_bit(*arg))
    }

    /// A signal, or a bit of one.
    fn is_bit(&self, node: Node) -> bool {
        self.plan.nodes[node].is_some()
            || matches!(self.module.nodes[node].op, NodeOp::Slice { .. })
    }

    fn reduced(&mut self, operator: &str, args: &[Node]) -> Expression {
        let parts: Vec<String> = args.iter().map(|arg| self.text(*arg)).collect();
        let mut word = concatenation(&parts);
        word.lines[0].insert_str(0, operator);
        Expression {
            text: format!("{operator}{}", word.text),
            level: Level::Reduction,
            lines: word.lines,
        }
    }

    /// An associative operator between any number of operands.
    fn list(&mut self, operator: &str, level: Level, tight: Level, args: &[Node]) -> Expression {
        let mut texts = Vec::new();
        let mut lines: Vec<String> = Vec::new();
        for arg in args {
            let operand = self.operand(*arg);
            let parts = match operand.level == level {
                true => operand.lines.clone(),
                false => Vec::new(),
            };
            let text = parenthesize(operand, |own| own >= tight || own == level);
            let first = parts.first().unwrap_or(&text);
            lines.push(match lines.is_empty() {
                true => first.clone(),
                false => format!("{operator} {first}"),
            });
            lines.extend(parts.into_iter().skip(1));
            texts.push(text);
        }
        Expression {
            text: texts.join(&format!(" {operator} ")),
            level,
            lines,
        }
    }

    /// An operator of two operands; the left one may be of the same kind.
    fn binary(&mut self, operator: &str, level: Level, args: &[Node]) -> Expression {
        let left = self.operand(args[0]);
        let chain = matches!(level, Level::Sum | Level::Product);
        let left = parenthesize(left, |own| own >= Level::Unary || (chain && own == level));
        let is_number = chain || level == Level::Order;
        let decimal = |node: Node| {
            let limbs = self.module.as_const(node).filter(|_| is_number)?;
            constant::decimal(limbs, self.module.width(node))
        };
        let left = decimal(args[0]).unwrap_or(left);
        let right = match decimal(args[1]) {
            Some(right) => right,
            None => self.tight(args[1], Level::Unary),
        };
        Expression {
            text: format!("{left} {operator} {right}"),
            level,
            lines: vec![left, format!("{operator} {right}")],
        }
    }

    fn shift(&mut self, operator: &str, args: &[Node]) -> Expression {
        let left = self.tight(args[0], Level::Unary);
        let right = self.amount(args[1]);
        plain(format!("{left} {operator} {right}"), Level::Shift)
    }

    /// A shift amount: its width means nothing, so constants are plain numbers.
    fn amount(&mut self, node: Node) -> String {
        match self.module.as_const(node) {
            Some(limbs) => limbs[0].to_string(),
            None => self.tight(node, Level::Unary),
        }
    }

    fn signed(&mut self, operator: &str, args: &[Node]) -> Expression {
        let (left, right) = (self.text(args[0]), self.text(args[1]));
        plain(
            format!("$signed({left}) {operator} $signed({right})"),
            Level::Order,
        )
    }

    /// `a ? b : c ? d : e`, on several lines one condition a line.
    fn conditional(&mut self, node: Node) -> Expression {
        let module = self.module;
        let mut lines = Vec::new();
        let mut node = node;
        loop {
            let args = &module.nodes[node].args;
            let select = self.tight(args[0], Level::Unary);
            let yes = self.operand(args[1]);
            let yes = parenthesize(yes, |own| own > Level::Conditional);
            lines.push(format!("{select} ? {yes} :"));
            let no = args[2];
            if self.plan.nodes[no].is_some() || module.nodes[no].op != NodeOp::Mux {
                lines.push(self.text(no));
                break;
            }
            node = no;
        }
        Expression {
            text: lines.join(" "),
            level: Level::Conditional,
            lines,
        }
    }
}

fn atom(text: String) -> Expression {
    plain(text, Level::Primary)
}

fn plain(text: String, level: Level) -> Expression {
    Expression {
        lines: vec![text.clone()],
        text,
        level,
    }
}

/// From so many operands on a list stands as a word; of signals and their bits from fewer on.
const MANY: usize = 8;
const MANY_BITS: usize = 5;

fn unary(operator: &str, operand: String) -> Expression {
    plain(format!("{operator}{operand}"), Level::Unary)
}

fn parenthesize(expression: Expression, is_tight: impl FnOnce(Level) -> bool) -> String {
    match is_tight(expression.level) {
        true => expression.text,
        false => format!("({})", expression.text),
    }
}

fn concatenation(parts: &[String]) -> Expression {
    let mut lines = vec!["{".to_string()];
    lines.extend(fill(parts, 88).into_iter().map(|line| format!("  {line}")));
    lines.push("}".to_string());
    Expression {
        text: format!("{{{}}}", parts.join(", ")),
        level: Level::Primary,
        lines,
    }
}

/// A constant's text; in hexadecimal where it is called by a number that is.
fn text_of(data: &NodeData, limbs: &[u64]) -> String {
    let by_number = data
        .comment
        .as_ref()
        .is_some_and(|name| name.starts_with("0x"));
    match by_number && data.width <= 64 {
        true => constant::hexadecimal_text(limbs[0], data.width),
        false => constant::text(limbs, data.width),
    }
}

//! The text of a node as an expression.
//!
//! A node of one bit is a `std_logic`, a wider one a `std_logic_vector`. Where a number is wanted (arithmetic, order)
//! it is printed as `unsigned`, where a decision is wanted as a condition, so that conversions stand only where
//! the two meet. A choice is never a part of an expression: planning gives it a statement of its own.

use super::constant;
use crate::print::constant::is_zero;
use crate::print::lines::{self, fill_separated};
use crate::print::plan::{Plan, Signal};
use crate::print::rewrite::Legal;
use crate::{Mem, Module, Node, NodeData, NodeOp};

/// Binding strength, weakest first. Different logical operators have the same strength and need parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// `or x` and the like: they look odd beside operators.
    Reduction,
    Logical(Logical),
    Relation,
    Sum,
    Product,
    Not,
    Primary,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Logical {
    And,
    Or,
    Xor,
}

impl Logical {
    fn word(self) -> &'static str {
        match self {
            Logical::And => "and",
            Logical::Or => "or",
            Logical::Xor => "xor",
        }
    }
}

/// An expression's text.
#[derive(Clone, Debug)]
pub struct Expression {
    pub text: String,
    pub level: Level,
    /// The same on several lines, where it can be broken.
    pub lines: Vec<String>,
    /// The type is seen without its surroundings. It is not for literals, nor for what is joined.
    pub has_type: bool,
}

/// What is assigned under which condition; the last one has none.
pub type Arms = Vec<(Option<Expression>, Expression)>;

/// Prints expressions of one module.
pub struct Printer<'a> {
    pub legal: &'a Legal,
    pub module: &'a Module,
    pub plan: &'a Plan,
}

impl Printer<'_> {
    pub fn name(&self, signal: Signal) -> &str {
        &self.plan.signals[signal].name
    }

    /// What a statement assigns: the node's signal, or what it computes.
    pub fn arms(&self, node: Node) -> Arms {
        match self.plan.nodes[node] {
            Some(signal) => vec![(None, primary(self.name(signal)))],
            None => self.computed_arms(node),
        }
    }

    /// The same, also when the node has a signal.
    pub fn computed_arms(&self, node: Node) -> Arms {
        let data = &self.module.nodes[node];
        match data.op {
            NodeOp::Wire => self.arms(data.args[0]),
            NodeOp::Mux => {
                let mut arms = vec![(
                    Some(self.condition(data.args[0])),
                    self.assigned(data.args[1]),
                )];
                arms.extend(self.arms(data.args[2]));
                arms
            }
            NodeOp::Const(ref limbs) => {
                let parts = constant::parts(limbs, data.width);
                let expression = Expression {
                    lines: fill_separated(&parts, " &", 88),
                    ..primary(lines::called(data, constant::assigned(limbs, data.width)))
                };
                vec![(None, expression)]
            }
            _ => vec![(None, self.computed(node))],
        }
    }

    /// A node as the whole right side of an assignment.
    fn assigned(&self, node: Node) -> Expression {
        match self.module.as_const(node) {
            Some(limbs) if self.plan.nodes[node].is_none() => {
                let data = &self.module.nodes[node];
                primary(lines::called(data, constant::assigned(limbs, data.width)))
            }
            _ => self.value(node),
        }
    }

    /// A node as `std_logic` or `std_logic_vector`.
    pub fn value(&self, node: Node) -> Expression {
        match self.plan.nodes[node] {
            Some(signal) => primary(self.name(signal)),
            None => self.computed(node),
        }
    }

    /// A value whose type is seen.
    fn typed(&self, node: Node) -> Expression {
        let value = self.value(node);
        match value.has_type || self.module.width(node) == 1 {
            true => value,
            false => primary(format!(
                "std_logic_vector'({})",
                without_parentheses(&value)
            )),
        }
    }

    /// A value as an operand that binds at least as strongly as `level`.
    fn operand(&self, node: Node, level: Level) -> String {
        parenthesize(self.value(node), |own| own >= level)
    }

    fn computed(&self, node: Node) -> Expression {
        let module = self.module;
        let data = &module.nodes[node];
        let args = &data.args;
        let width = data.width;
        match &data.op {
            NodeOp::Const(limbs) => constant_expression(data, limbs),
            NodeOp::Wire => self.value(args[0]),
            NodeOp::MemRead(mem, port) => {
                let name = self.plan.mems[*mem].clone().unwrap_or_default();
                let address = module.mems[*mem].reads[*port as usize].address;
                primary(self.word(&name, *mem, address))
            }
            NodeOp::Input(_) | NodeOp::Reg(_) | NodeOp::InstanceOutput(..) => self.value(node),
            NodeOp::Not => Expression {
                has_type: self.value(args[0]).has_type,
                ..not(self.operand(args[0], Level::Primary))
            },
            NodeOp::ReduceOr => self.reduction(Logical::Or, args[0]),
            NodeOp::ReduceAnd => self.reduction(Logical::And, args[0]),
            NodeOp::Foreign(_) => unreachable!("foreign modules are not printed"),
            NodeOp::ReduceXor => self.reduction(Logical::Xor, args[0]),
            NodeOp::And => self.logical(Logical::And, node),
            NodeOp::Or => self.logical(Logical::Or, node),
            NodeOp::Xor => self.logical(Logical::Xor, node),
            NodeOp::Eq | NodeOp::Ne | NodeOp::Ult | NodeOp::Ule | NodeOp::Slt | NodeOp::Sle => {
                match module.width(args[0]) {
                    1 => self.order_of_bits(&data.op, args),
                    _ => to_logic(self.computed_condition(node)),
                }
            }
            NodeOp::Add | NodeOp::Sub if width == 1 => self.bits(Logical::Xor, args),
            NodeOp::Mul if width == 1 => self.bits(Logical::And, args),
            NodeOp::Shl | NodeOp::LShr if width == 1 => self.shifted_bit(args),
            NodeOp::AShr if width == 1 => self.value(args[0]),
            NodeOp::Add | NodeOp::Sub | NodeOp::Mul | NodeOp::Shl | NodeOp::LShr => {
                let number = self.computed_number(node);
                primary(format!("std_logic_vector({})", number.text))
            }
            NodeOp::AShr => {
                let value = self.typed(args[0]).text;
                let amount = self.amount(args[1]);
                primary(format!(
                    "std_logic_vector(shift_right(signed({value}), {amount}))"
                ))
            }
            // Planning makes it a statement; this is what an operand would be.
            NodeOp::Mux => self.value(args[2]),
            NodeOp::Slice { lo } => primary(self.select(args[0], *lo, width)),
            NodeOp::Concat => self.concatenation(args),
            NodeOp::ZExt => {
                let pad = width - module.width(args[0]);
                let zeros = primary(constant::text(&constant_zero(pad), pad));
                joined(vec![zeros, self.value(args[0])])
            }
            NodeOp::SExt => match module.width(args[0]) {
                1 => primary(format!("repeat({}, {width})", self.value(args[0]).text)),
                _ => {
                    let value = self.typed(args[0]).text;
                    primary(format!(
                        "std_logic_vector(resize(signed({value}), {width}))"
                    ))
                }
            },
        }
    }

    /// A word of a memory.
    pub fn word(&self, name: &str, mem: Mem, address: Node) -> String {
        let address_text = self.typed(address).text;
        let depth = self.legal.depth[mem];
        format!("{name}(index({address_text}, {depth}))")
    }

    fn reduction(&self, operator: Logical, node: Node) -> Expression {
        let operand = parenthesize(self.typed(node), |own| own >= Level::Primary);
        Expression {
            level: Level::Reduction,
            ..primary(format!("{} {operand}", operator.word()))
        }
    }

    /// Bits of a node that has a signal.
    fn select(&self, node: Node, lo: u32, width: u32) -> String {
        let Some(signal) = self.plan.nodes[node] else {
            // Planning gives every operand of a slice a signal.
            return self.value(node).text;
        };
        let data = &self.plan.signals[signal];
        match (width, data.width) {
            (_, all) if all == width => data.name.clone(),
            (1, _) => format!("{}({lo})", data.name),
            _ => format!("{}({} downto {lo})", data.name, lo + width - 1),
        }
    }

    /// `and`, `or`, `xor` of values. One bit of which a part is a comparison is a condition all through.
    fn logical(&self, operator: Logical, node: Node) -> Expression {
        let data = &self.module.nodes[node];
        let is_decision = data.width == 1
            && operator != Logical::Xor
            && data.args.iter().any(|arg| self.is_comparison(*arg));
        match is_decision {
            true => to_logic(self.computed_condition(node)),
            false => self.bits(operator, &data.args),
        }
    }

    fn bits(&self, operator: Logical, args: &[Node]) -> Expression {
        let operands: Vec<Expression> = args.iter().map(|arg| self.value(*arg)).collect();
        let has_type = operands.iter().any(|operand| operand.has_type);
        Expression {
            has_type,
            ..list(operator, operands, Level::Sum)
        }
    }

    /// Whether a node is printed as a comparison, or as a list with one in it.
    fn is_comparison(&self, node: Node) -> bool {
        let data = &self.module.nodes[node];
        self.plan.nodes[node].is_none()
            && match data.op {
                NodeOp::Wire | NodeOp::Not => self.is_comparison(data.args[0]),
                NodeOp::And | NodeOp::Or => {
                    data.width == 1 && data.args.iter().any(|arg| self.is_comparison(*arg))
                }
                NodeOp::Eq | NodeOp::Ne => true,
                NodeOp::Ult | NodeOp::Ule | NodeOp::Slt | NodeOp::Sle => {
                    self.module.width(data.args[0]) > 1
                }
                _ => false,
            }
    }

    /// `a < b` of one bit is `not a and b`; with a sign, where 1 means -1, `a and not b`.
    fn order_of_bits(&self, op: &NodeOp, args: &[Node]) -> Expression {
        let (inverted, plain) = match op {
            NodeOp::Slt | NodeOp::Sle => (args[1], args[0]),
            _ => (args[0], args[1]),
        };
        let not_inverted = not(self.operand(inverted, Level::Primary));
        let plain_value = self.value(plain);
        match op {
            NodeOp::Eq | NodeOp::Ne => {
                let expression = self.bits(Logical::Xor, args);
                match op {
                    NodeOp::Eq => not(format!("({})", expression.text)),
                    _ => expression,
                }
            }
            NodeOp::Ult | NodeOp::Slt => {
                list(Logical::And, vec![not_inverted, plain_value], Level::Sum)
            }
            _ => list(Logical::Or, vec![not_inverted, plain_value], Level::Sum),
        }
    }

    /// A bit that is shifted stays only when it is shifted by nothing.
    fn shifted_bit(&self, args: &[Node]) -> Expression {
        let value = self.operand(args[0], Level::Sum);
        let amount = match self.module.width(args[1]) {
            1 => format!("not {}", self.operand(args[1], Level::Primary)),
            _ => format!("to_logic({} = 0)", self.number(args[1]).text),
        };
        Expression {
            level: Level::Logical(Logical::And),
            ..primary(format!("{value} and {amount}"))
        }
    }

    fn concatenation(&self, args: &[Node]) -> Expression {
        let mut parts = Vec::new();
        for arg in args {
            let width = self.module.width(*arg);
            match (self.module.as_const(*arg), self.plan.nodes[*arg]) {
                (Some(limbs), None) if !is_zero(limbs) => {
                    let literals = constant::parts(limbs, width);
                    // A literal of one bit in quotes is no `std_logic`.
                    let is_bit = width == 1;
                    parts.extend(literals.into_iter().map(|text| match is_bit {
                        true => primary(constant::text(limbs, 1)),
                        false => primary(text),
                    }));
                }
                _ => parts.push(self.value(*arg)),
            }
        }
        joined(parts)
    }

    /// A node of several bits as `unsigned`, or as a natural number where that is possible.
    fn number(&self, node: Node) -> Expression {
        match self.plan.nodes[node] {
            Some(signal) => primary(format!("unsigned({})", self.name(signal))),
            None => self.computed_number(node),
        }
    }

    fn computed_number(&self, node: Node) -> Expression {
        let data = &self.module.nodes[node];
        let args = &data.args;
        let chain = |operator: &str, level: Level| {
            let left = parenthesize(self.number(args[0]), |own| own >= level);
            let right = parenthesize(self.number(args[1]), |own| own > level);
            let lines = vec![left.clone(), format!("{operator} {right}")];
            Expression {
                text: format!("{left} {operator} {right}"),
                level,
                lines,
                has_type: true,
            }
        };
        match &data.op {
            NodeOp::Const(limbs) => match constant::natural(limbs) {
                Some(number) => primary(number),
                None => {
                    let constant = constant_expression(data, limbs);
                    let tick = if constant.has_type { "" } else { "'" };
                    let text = without_parentheses(&constant);
                    primary(format!("unsigned{tick}({text})"))
                }
            },
            NodeOp::Wire => self.number(args[0]),
            NodeOp::Add => chain("+", Level::Sum),
            NodeOp::Sub => chain("-", Level::Sum),
            NodeOp::Mul => {
                let product = chain("*", Level::Product);
                primary(format!("resize({}, {})", product.text, data.width))
            }
            NodeOp::Shl | NodeOp::LShr => {
                let is_left = data.op == NodeOp::Shl;
                let function = if is_left { "shift_left" } else { "shift_right" };
                let value = match self.module.as_const(args[0]) {
                    // A natural number has no width.
                    Some(_) if self.plan.nodes[args[0]].is_none() => {
                        format!("unsigned({})", self.typed(args[0]).text)
                    }
                    _ => self.number(args[0]).text,
                };
                let amount = self.amount(args[1]);
                primary(format!("{function}({value}, {amount})"))
            }
            _ => primary(format!("unsigned({})", self.typed(node).text)),
        }
    }

    /// Whether a node is printed as a number that is turned into bits.
    fn is_arithmetic(&self, node: Node) -> bool {
        let op = &self.module.nodes[node].op;
        let is_number = matches!(op, NodeOp::Add | NodeOp::Sub | NodeOp::Mul);
        is_number && self.plan.nodes[node].is_none() && self.module.width(node) > 1
    }

    /// A shift amount as a natural number.
    fn amount(&self, node: Node) -> String {
        match self.module.as_const(node) {
            Some(limbs) => limbs[0].to_string(),
            None => format!("number({})", self.typed(node).text),
        }
    }

    fn signed(&self, node: Node) -> String {
        if let (Some(limbs), None) = (self.module.as_const(node), self.plan.nodes[node]) {
            if let Some(number) = constant::integer(limbs, self.module.width(node)) {
                return number;
            }
        }
        format!("signed({})", self.typed(node).text)
    }

    /// A node of one bit as a condition.
    pub fn condition(&self, node: Node) -> Expression {
        match self.plan.nodes[node] {
            Some(signal) => relation(self.name(signal).to_string(), "=", "'1'".to_string()),
            None => self.computed_condition(node),
        }
    }

    fn computed_condition(&self, node: Node) -> Expression {
        let module = self.module;
        let data = &module.nodes[node];
        let args = &data.args;
        match &data.op {
            NodeOp::Const(limbs) => primary(if is_zero(limbs) { "false" } else { "true" }),
            NodeOp::Wire => self.condition(args[0]),
            NodeOp::Not if !self.is_comparison(args[0]) => {
                relation(self.operand(args[0], Level::Sum), "=", "'0'".to_string())
            }
            NodeOp::Not => {
                let inner = self.condition(args[0]);
                not(format!("({})", inner.text))
            }
            NodeOp::And | NodeOp::Or => {
                let operator = match data.op {
                    NodeOp::And => Logical::And,
                    _ => Logical::Or,
                };
                let conditions = args.iter().map(|arg| self.condition(*arg)).collect();
                list(operator, conditions, Level::Relation)
            }
            NodeOp::ReduceOr => relation(self.number(args[0]).text, "/=", "0".to_string()),
            NodeOp::Eq => self.equality("=", args),
            NodeOp::Ne => self.equality("/=", args),
            NodeOp::Ult | NodeOp::Ule if module.width(args[0]) > 1 => {
                let operator = if data.op == NodeOp::Ult { "<" } else { "<=" };
                relation(
                    self.number(args[0]).text,
                    operator,
                    self.number(args[1]).text,
                )
            }
            NodeOp::Slt | NodeOp::Sle if module.width(args[0]) > 1 => {
                let operator = if data.op == NodeOp::Slt { "<" } else { "<=" };
                relation(self.signed(args[0]), operator, self.signed(args[1]))
            }
            _ => {
                let value = parenthesize(self.computed(node), |own| own >= Level::Sum);
                relation(value, "=", "'1'".to_string())
            }
        }
    }

    fn equality(&self, operator: &str, args: &[Node]) -> Expression {
        let width = self.module.width(args[0]);
        let zero = |node: Node| {
            let limbs = self.module.as_const(node);
            width > 64 && limbs.is_some_and(is_zero) && self.plan.nodes[node].is_none()
        };
        if zero(args[1]) || args.iter().any(|arg| self.is_arithmetic(*arg)) {
            let (left, right) = (self.number(args[0]), self.number(args[1]));
            return relation(left.text, operator, right.text);
        }
        // One side's type is enough.
        let left = match self.value(args[1]).has_type {
            true => self.value(args[0]),
            false => self.typed(args[0]),
        };
        let left = parenthesize(left, |own| own > Level::Sum);
        relation(left, operator, self.operand(args[1], Level::Product))
    }
}

fn constant_zero(width: u32) -> Vec<u64> {
    vec![0; width.div_ceil(64) as usize]
}

fn constant_expression(data: &NodeData, limbs: &[u64]) -> Expression {
    primary(lines::called(data, constant::text(limbs, data.width)))
}

/// Parts side by side. Also two vectors can be joined to several types: to a vector, or to a memory of two words.
fn joined(parts: Vec<Expression>) -> Expression {
    let texts: Vec<String> = parts
        .into_iter()
        .map(|part| parenthesize(part, |own| own >= Level::Product))
        .collect();
    Expression {
        lines: fill_separated(&texts, " &", 88),
        text: texts.join(" & "),
        level: Level::Sum,
        has_type: false,
    }
}

fn primary(text: impl Into<String>) -> Expression {
    let text = text.into();
    // What begins with a letter is a name or a call, what begins with a quote or a digit a literal.
    let is_literal =
        !text.starts_with(|c: char| c.is_ascii_alphabetic()) || text.starts_with("x\"");
    Expression {
        lines: vec![text.clone()],
        text,
        level: Level::Primary,
        has_type: !is_literal,
    }
}

fn not(operand: String) -> Expression {
    Expression {
        level: Level::Not,
        ..primary(format!("not {operand}"))
    }
}

fn relation(left: String, operator: &str, right: String) -> Expression {
    Expression {
        level: Level::Relation,
        ..primary(format!("{left} {operator} {right}"))
    }
}

fn to_logic(condition: Expression) -> Expression {
    let mut lines = condition.lines;
    if let Some(first) = lines.first_mut() {
        first.insert_str(0, "to_logic(");
    }
    if let Some(last) = lines.last_mut() {
        last.push(')');
    }
    Expression {
        lines,
        ..primary(format!("to_logic({})", condition.text))
    }
}

/// Operands between one logical operator; an operand of the same operator needs no parentheses.
fn list(operator: Logical, operands: Vec<Expression>, tight: Level) -> Expression {
    let level = Level::Logical(operator);
    let mut texts = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    for operand in operands {
        let parts = match operand.level == level {
            true => operand.lines.clone(),
            false => Vec::new(),
        };
        let text = parenthesize(operand, |own| own >= tight || own == level);
        let first = parts.first().unwrap_or(&text);
        lines.push(match lines.is_empty() {
            true => first.clone(),
            false => format!("{} {first}", operator.word()),
        });
        lines.extend(parts.into_iter().skip(1));
        texts.push(text);
    }
    Expression {
        text: texts.join(&format!(" {} ", operator.word())),
        level,
        lines,
        has_type: true,
    }
}

fn parenthesize(expression: Expression, is_tight: impl FnOnce(Level) -> bool) -> String {
    match is_tight(expression.level) {
        true => expression.text,
        false => format!("({})", expression.text),
    }
}

/// What stands between parentheses anyway.
fn without_parentheses(expression: &Expression) -> &str {
    let text = expression.text.as_str();
    let inner = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'));
    match (expression.level, inner) {
        (Level::Primary, Some(inner)) => inner,
        _ => text,
    }
}

//! Expressions (§8).

use super::node::Node;
use super::{ir, Lower, Made};
use crate::ast::{Binary, Unary};
use crate::fold;
use crate::typed::{Callee, Expression, ExpressionKind};
use crate::types::Type;
use crate::value::Value;
use num_bigint::BigInt;

const NO_WIDTH: &str = "an `int` without a width is not there when packets come";
const SAY_WIDTH: &str = "say how wide it is: `(bit<32>)x`, or `(int<32>)x` with a sign";

impl Lower<'_> {
    /// The bits of an expression.
    pub(super) fn value(&mut self, of: &Expression) -> Made<ir::Value> {
        let node = self.expression(of)?;
        let width = self.width(&of.of);
        Ok(self.bits(&node, width))
    }

    pub(super) fn expression(&mut self, of: &Expression) -> Made<Node> {
        Ok(match &of.kind {
            ExpressionKind::Value(value) => self.node_of(value, &of.of),
            ExpressionKind::Variable(number) => self.variable(*number).as_ref().clone(),
            ExpressionKind::Object(number) => self.object(*number, of)?,
            ExpressionKind::This => Node::Object(self.method_of),
            ExpressionKind::Field(inner, at) => match self.expression(inner)? {
                Node::Object(object) => {
                    let inner = self.design.inner_object(object, *at);
                    inner.map_or(Node::Void, Node::Object)
                }
                whole => whole.parts().get(*at).cloned().unwrap_or(Node::Void),
            },
            ExpressionKind::Index(inner, at) => {
                let whole = self.expression(inner)?;
                let index = self.expression(at)?;
                match self.known(&index).map(usize::try_from) {
                    Some(Ok(at)) if at < whole.parts().len() => whole.parts()[at].clone(),
                    Some(_) => self.nothing_like(&whole),
                    None => {
                        let width = self.width(&at.of);
                        let index = self.bits(&index, width);
                        self.element(&whole, index)
                    }
                }
            }
            ExpressionKind::Slice(inner, high, low) => {
                let whole = self.expression(inner)?;
                let bits = self.bits(&whole, high + 1);
                Node::Bits(self.slice(bits, *low, high - low + 1))
            }
            ExpressionKind::Part(inner, low, width) => {
                let whole = self.expression(inner)?;
                let whole = self.bits(&whole, *width);
                let low = self.value(low)?;
                Node::Bits(self.cut_from(whole, low, *width))
            }
            ExpressionKind::Next(_) | ExpressionKind::Last(_) => {
                let place = self.place(of)?;
                self.read(&place)
            }
            ExpressionKind::LastIndex(inner) => {
                let place = self.place(inner)?;
                Node::Bits(self.last_index(&place)?)
            }
            ExpressionKind::Unary(operator, inner) => self.unary(*operator, inner, of)?,
            ExpressionKind::Binary(operator, left, right) => {
                self.binary(*operator, left, right, of)?
            }
            ExpressionKind::Cast(inner) => {
                let node = self.expression(inner)?;
                self.cast(node, &inner.of, &of.of, of)?
            }
            ExpressionKind::Choice(condition, yes, no) => self.choice(condition, yes, no)?,
            ExpressionKind::Parts(parts) => {
                let parts: Vec<Node> = parts
                    .iter()
                    .map(|part| self.expression(part))
                    .collect::<Made<_>>()?;
                self.parts_of(&of.of, parts)
            }
            ExpressionKind::PartsIn(parts, order) => {
                let mut made = vec![Node::Void; parts.len()];
                let others = (0..parts.len()).filter(|at| !order.contains(at));
                for at in order.iter().copied().chain(others) {
                    made[at] = self.expression(&parts[at])?;
                }
                self.parts_of(&of.of, made)
            }
            ExpressionKind::Call(call) => self.call(call, of)?,
            ExpressionKind::Apply(table) => self.apply_table(*table, of)?,
            ExpressionKind::Hit(inner) => match self.expression(inner)? {
                Node::Applied(hit, _) => Node::Bits(hit),
                _ => Node::Bits(self.number(0u32, 1)),
            },
            ExpressionKind::Miss(inner) => match self.expression(inner)? {
                Node::Applied(hit, _) => Node::Bits(self.not(hit)),
                _ => Node::Bits(self.number(1u32, 1)),
            },
            ExpressionKind::Ignored => Node::Void,
        })
    }

    /// The object that the running one has made there, or that was made outside of everything.
    fn object(&mut self, number: usize, of: &Expression) -> Made<Node> {
        match self.design.made_at(number, self.this) {
            Some(object) => Ok(Node::Object(object)),
            None => self.refuse(of.span, "this object is not made before packets come"),
        }
    }

    fn unary(&mut self, operator: Unary, inner: &Expression, of: &Expression) -> Made<Node> {
        let node = self.expression(inner)?;
        if let Node::Integer(number) = &node {
            let of = self.program.types.number_type(&of.of);
            return Ok(
                match fold::unary(operator, Value::Number(number.clone()), of) {
                    Value::Number(number) => Node::Integer(number),
                    _ => node,
                },
            );
        }
        let width = self.width(&of.of);
        let value = self.bits(&node, width);
        Ok(Node::Bits(match operator {
            Unary::Not | Unary::Complement => self.not(value),
            Unary::Plus => value,
            Unary::Minus => {
                let zero = self.number(0u32, width);
                self.op(ir::Op::Sub, &[zero, value], width)
            }
        }))
    }

    fn binary(
        &mut self,
        operator: Binary,
        left: &Expression,
        right: &Expression,
        of: &Expression,
    ) -> Made<Node> {
        if matches!(operator, Binary::And | Binary::Or) {
            return self.short(operator, left, right);
        }
        let (first, second) = (self.expression(left)?, self.expression(right)?);
        self.operate(operator, (&first, &left.of), (&second, &right.of), of)
    }

    /// `&&` and `||` (§8.4): the right side happens only where the left one does not say it all.
    fn short(&mut self, operator: Binary, left: &Expression, right: &Expression) -> Made<Node> {
        let first = self.value(left)?;
        if !happens(right) {
            let second = self.value(right)?;
            return Ok(Node::Bits(match operator {
                Binary::And => self.and(first, second),
                _ => self.or(first, second),
            }));
        }
        let asks = match operator {
            Binary::And => first,
            _ => self.not(first),
        };
        self.chosen(asks, |all| all.expression(right), |_| Ok(Node::Bits(first)))
    }

    fn choice(&mut self, condition: &Expression, yes: &Expression, no: &Expression) -> Made<Node> {
        let condition = self.value(condition)?;
        if happens(yes) || happens(no) {
            return self.chosen(
                condition,
                |all| all.expression(yes),
                |all| all.expression(no),
            );
        }
        let (yes, no) = (self.expression(yes)?, self.expression(no)?);
        Ok(self.choose(condition, &yes, &no))
    }

    /// One of two values, of which only one is made.
    fn chosen(
        &mut self,
        condition: ir::Value,
        yes: impl FnOnce(&mut Self) -> Made<Node>,
        no: impl FnOnce(&mut Self) -> Made<Node>,
    ) -> Made<Node> {
        use super::flow::Slot;
        let before = self.env.take(Slot::Result);
        self.branch(
            condition,
            |all| {
                let node = yes(all)?;
                all.env.put(Slot::Result, node);
                Ok(())
            },
            |all| {
                let node = no(all)?;
                all.env.put(Slot::Result, node);
                Ok(())
            },
        )?;
        let found = self.env.take(Slot::Result);
        if let Some(before) = before {
            self.env.put(Slot::Result, before.as_ref().clone());
        }
        Ok(found.map_or(Node::Void, |node| node.as_ref().clone()))
    }

    /// An operator between two values, with their types.
    pub(super) fn operate(
        &mut self,
        operator: Binary,
        left: (&Node, &Type),
        right: (&Node, &Type),
        of: &Expression,
    ) -> Made<Node> {
        let is_equal = matches!(operator, Binary::Equal | Binary::NotEqual);
        if is_equal {
            let same = self.same(left.0, right.0);
            return Ok(Node::Bits(match operator {
                Binary::Equal => same,
                _ => self.not(same),
            }));
        }
        let is_known = (self.known(left.0), self.known(right.0));
        if let (Node::Integer(_), Node::Integer(_)) = (left.0, right.0) {
            if let (Some(one), Some(other)) = is_known {
                return self.folded(operator, one, other, left.1, right.1, of);
            }
        }
        let (first, second) = (
            self.program.types.number_type(left.1),
            self.program.types.number_type(right.1),
        );
        let width = self.width(first);
        if width == 0 && *first == Type::Integer {
            return self.refuse_with(of.span, NO_WIDTH, SAY_WIDTH);
        }
        let is_signed = matches!(first, Type::Int(_));
        let a = self.bits(left.0, width);
        if let Binary::Concat = operator {
            return Ok(self.side_by_side(left.0, right.0, second));
        }
        if let Binary::ShiftLeft | Binary::ShiftRight = operator {
            let by = match right.0 {
                Node::Integer(by) => self.number(u32::try_from(by).unwrap_or(u32::MAX), 32),
                node => self.bits(node, 32),
            };
            let op = match (operator, is_signed) {
                (Binary::ShiftLeft, _) => ir::Op::Shl,
                (_, true) => ir::Op::AShr,
                (_, false) => ir::Op::LShr,
            };
            return Ok(Node::Bits(self.op(op, &[a, by], width)));
        }
        let b = self.bits(right.0, width);
        let simple = |op| Some((op, width));
        let found = match operator {
            Binary::Add => simple(ir::Op::Add),
            Binary::Subtract => simple(ir::Op::Sub),
            Binary::Multiply => simple(ir::Op::Mul),
            Binary::Divide => simple(ir::Op::UDiv),
            Binary::Modulo => simple(ir::Op::URem),
            Binary::BitAnd => simple(ir::Op::And),
            Binary::BitOr => simple(ir::Op::Or),
            Binary::BitXor => simple(ir::Op::Xor),
            _ => None,
        };
        if let Some((op, width)) = found {
            let zero = self.is(b, 0);
            let result = self.op(op, &[a, b], width);
            // A division by zero is left open (§8.8).
            if operator == Binary::Modulo {
                let none = self.number(0u32, width);
                return Ok(Node::Bits(self.select(zero, none, result)));
            }
            return Ok(Node::Bits(result));
        }
        let less = |strict: bool| match (is_signed, strict) {
            (true, true) => ir::Op::Slt,
            (true, false) => ir::Op::Sle,
            (false, true) => ir::Op::Ult,
            (false, false) => ir::Op::Ule,
        };
        Ok(Node::Bits(match operator {
            Binary::Less => self.op(less(true), &[a, b], 1),
            Binary::LessOrEqual => self.op(less(false), &[a, b], 1),
            Binary::Greater => self.op(less(true), &[b, a], 1),
            Binary::GreaterOrEqual => self.op(less(false), &[b, a], 1),
            Binary::AddSaturating => self.saturated(ir::Op::Add, a, b, is_signed),
            Binary::SubtractSaturating => self.saturated(ir::Op::Sub, a, b, is_signed),
            _ => return self.refuse(of.span, "this operator is not there"),
        }))
    }

    fn folded(
        &mut self,
        operator: Binary,
        one: BigInt,
        other: BigInt,
        left: &Type,
        right: &Type,
        of: &Expression,
    ) -> Made<Node> {
        let width = self.program.types.bits(right).unwrap_or(0) as u32;
        let left = self.program.types.number_type(left);
        let (one, other) = (Value::Number(one), Value::Number(other));
        match fold::binary(operator, one, other, left, width) {
            Ok(value) => Ok(self.node_of(&value, &of.of)),
            Err(why) => self.refuse(of.span, why),
        }
    }

    /// `++`: what has no bits adds none.
    fn side_by_side(&mut self, left: &Node, right: &Node, second: &Type) -> Node {
        match (left, right) {
            (Node::Integer(_), right) => right.clone(),
            (left, Node::Integer(_)) if self.width(second) == 0 => left.clone(),
            (left, right) => {
                let width = self.width(second);
                let (a, b) = (self.bits(left, 1), self.bits(right, width));
                Node::Bits(self.concat(&[a, b]))
            }
        }
    }

    /// §8.5: one bit more says whether the result still fits.
    fn saturated(&mut self, op: ir::Op, a: ir::Value, b: ir::Value, is_signed: bool) -> ir::Value {
        let width = self.ir.width(a);
        let (wide_a, wide_b) = match is_signed {
            true => (self.sext(a, width + 1), self.sext(b, width + 1)),
            false => (self.zext(a, width + 1), self.zext(b, width + 1)),
        };
        let is_sum = op == ir::Op::Add;
        let wide = self.op(op, &[wide_a, wide_b], width + 1);
        let result = self.slice(wide, 0, width);
        let top = self.slice(wide, width, 1);
        if !is_signed {
            let most = match is_sum {
                true => (BigInt::from(1) << width) - 1,
                false => BigInt::from(0),
            };
            let most = self.number(most, width);
            return self.select(top, most, result);
        }
        let sign = self.slice(wide, width - 1, 1);
        let over = self.op(ir::Op::Xor, &[top, sign], 1);
        let half = BigInt::from(1) << (width - 1);
        let (least, most) = (
            self.number(half.clone(), width),
            self.number(half - 1, width),
        );
        let end = self.select(top, least, most);
        self.select(over, end, result)
    }

    /// `==`: two headers that are not valid are equal, whatever is in them (§8.17).
    pub(super) fn same(&mut self, one: &Node, other: &Node) -> ir::Value {
        let mut same = self.number(1u32, 1);
        match (one, other) {
            (Node::Bits(a), Node::Bits(b)) => return self.equal(*a, *b),
            (Node::Integer(number), Node::Bits(value))
            | (Node::Bits(value), Node::Integer(number)) => {
                let width = self.ir.width(*value);
                let number = self.number(number.clone(), width);
                return self.equal(*value, number);
            }
            (Node::Integer(a), Node::Integer(b)) => return self.number(u8::from(a == b), 1),
            (Node::Varbit(first, a), Node::Varbit(second, b)) => {
                let (length, data) = (self.equal(*first, *second), self.equal(*a, *b));
                return self.and(length, data);
            }
            _ => {}
        }
        for (one, other) in one.parts().iter().zip(other.parts()) {
            let part = self.same(one, other);
            same = self.and(same, part);
        }
        match (one, other) {
            (Node::Header(a, _), Node::Header(b, _)) => {
                let validity = self.equal(*a, *b);
                let none = self.not(*a);
                let fields = self.or(none, same);
                self.and(validity, fields)
            }
            _ => same,
        }
    }

    /// The same value in another type (§8.11).
    pub(super) fn cast(
        &mut self,
        node: Node,
        from: &Type,
        to: &Type,
        of: &Expression,
    ) -> Made<Node> {
        let types = &self.program.types;
        if let Type::New(number) = to {
            let below = types.news[*number].below.clone();
            return self.cast(node, from, &below, of);
        }
        if let Node::Parts(parts) = &node {
            let pairs: Vec<(Node, Option<Type>, Option<Type>)> = parts
                .iter()
                .enumerate()
                .map(|(at, part)| {
                    let (from, to) = (types.part(from, at).cloned(), types.part(to, at).cloned());
                    (part.clone(), from, to)
                })
                .collect();
            let mut cast = Vec::new();
            for (part, from, to) in pairs {
                cast.push(match (from, to) {
                    (Some(from), Some(to)) => self.cast(part, &from, &to, of)?,
                    _ => part,
                });
            }
            return Ok(self.parts_of(to, cast));
        }
        let to = self.program.types.number_type(to);
        let from = self.program.types.number_type(from);
        let width = self.width(to);
        Ok(match (&node, &to) {
            (Node::Integer(number), _) if width > 0 => {
                Node::Bits(self.number(number.clone(), width))
            }
            (Node::Integer(_), _) => node,
            (Node::Bits(_), Type::Integer) => match (self.known(&node), &from) {
                (Some(number), from) => Node::Integer(crate::value::in_type(number, from)),
                (None, _) => {
                    return self.refuse_with(of.span, NO_WIDTH, SAY_WIDTH);
                }
            },
            (Node::Bits(_), _) if width == 0 => Node::Integer(BigInt::from(0)),
            (Node::Bits(value), _) => Node::Bits(match from {
                Type::Int(_) => self.sext(*value, width),
                _ => self.zext(*value, width),
            }),
            _ => node,
        })
    }
}

/// Whether an expression does something beside giving a value.
fn happens(of: &Expression) -> bool {
    match &of.kind {
        ExpressionKind::Call(call) => match &call.callee {
            Callee::IsValid(inner) => happens(inner),
            _ => true,
        },
        ExpressionKind::Apply(_) | ExpressionKind::Next(_) => true,
        ExpressionKind::Last(_) | ExpressionKind::LastIndex(_) => true,
        ExpressionKind::Field(inner, _)
        | ExpressionKind::Slice(inner, ..)
        | ExpressionKind::Unary(_, inner)
        | ExpressionKind::Cast(inner)
        | ExpressionKind::Hit(inner)
        | ExpressionKind::Miss(inner) => happens(inner),
        ExpressionKind::Index(one, other)
        | ExpressionKind::Part(one, other, _)
        | ExpressionKind::Binary(_, one, other) => happens(one) || happens(other),
        ExpressionKind::Choice(one, other, third) => {
            happens(one) || happens(other) || happens(third)
        }
        ExpressionKind::Parts(parts) | ExpressionKind::PartsIn(parts, _) => {
            parts.iter().any(happens)
        }
        _ => false,
    }
}

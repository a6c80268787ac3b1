//! Methods that the language has: of headers, unions and stacks (§8.18, §8.20, §8.21), and of all that has a size (§9).

use super::literals::made;
use super::Checker;
use crate::ast;
use crate::source::Span;
use crate::typed::{Call, Callee, Expression, ExpressionKind};
use crate::types::{RecordKind, Type};
use crate::value::Value;

/// An expression. `None`: an error was told.
type Found = Option<Expression>;

impl<'a> Checker<'a> {
    /// What headers, unions, stacks, and all that has a size can do (§8.17, §8.18, §9.1).
    pub(super) fn builtin(
        &mut self,
        object: Expression,
        name: &'a ast::Name,
        arguments: &'a [ast::Argument],
        span: Span,
    ) -> Found {
        let is_header = self.types().is_record(&object.of, RecordKind::Header);
        let is_union = self.types().is_record(&object.of, RecordKind::Union);
        let is_stack = matches!(object.of, Type::Stack(..));
        let (callee, of) = match (name.text.as_str(), arguments) {
            ("isValid", []) if is_header || is_union => (Callee::IsValid(object), Type::Bool),
            ("setValid", []) if is_header => {
                self.writable(&object)?;
                (Callee::SetValid(object, true), Type::Void)
            }
            ("setInvalid", []) if is_header => {
                self.writable(&object)?;
                (Callee::SetValid(object, false), Type::Void)
            }
            ("push_front" | "pop_front", [count]) if is_stack => {
                self.writable(&object)?;
                let known = self.known(&count.value, None)?;
                let by = self.count(&known, &format!("`{}`", name.text))?;
                let callee = match name.text.as_str() {
                    "push_front" => Callee::Push(object, by),
                    _ => Callee::Pop(object, by),
                };
                (callee, Type::Void)
            }
            (method, []) if size_in(method).is_some() => {
                return self.bits_of(&object.of, method, span);
            }
            _ => {
                let text = self.types().text(&object.of);
                let known = self.methods_of(&object.of);
                let is_known = known.contains(&name.text.as_str());
                let message = match is_known {
                    true => format!("`{}` of {text} does not take this", name.text),
                    false => format!("{text} has no method `{}`", name.text),
                };
                if is_known {
                    return self.refuse("p4-name", name.span, message);
                }
                if matches!(name.text.as_str(), "hit" | "miss" | "action_run") {
                    let message = format!("`{}` is no method", name.text);
                    let error = self.sources.error("p4-name", name.span, message);
                    let help = format!("without parentheses: `table.apply().{}`", name.text);
                    self.errors.push(error.help(help));
                    return None;
                }
                self.no_such(message, name, known);
                return None;
            }
        };
        Some(Expression {
            kind: ExpressionKind::Call(Box::new(Call {
                callee,
                types: Vec::new(),
                arguments: Vec::new(),
                order: Vec::new(),
            })),
            of,
            span,
        })
    }

    /// Methods that the language has for a type, but those for its size.
    pub(super) fn methods_of(&self, of: &Type) -> &'static [&'static str] {
        let types = self.types();
        if types.is_record(of, RecordKind::Header) {
            return &["isValid", "setValid", "setInvalid"];
        }
        match of {
            Type::Stack(..) => &["push_front", "pop_front"],
            _ if types.is_record(of, RecordKind::Union) => &["isValid"],
            _ => &[],
        }
    }

    /// `minSizeInBits()` and its like (§9.1).
    pub(super) fn bits_of(&mut self, of: &Type, method: &str, span: Span) -> Found {
        let (is_most, unit) = size_in(method)?;
        let size = match is_most {
            true => self.types().bits(of),
            false => self.types().least_bits(of),
        };
        match size {
            Some(size) => {
                let size = Value::Number(size.div_ceil(unit).into());
                Some(made(size, Type::Integer, span))
            }
            None => {
                let message = format!("{} has no size", self.types().text(of));
                self.refuse("p4-type", span, message)
            }
        }
    }
}

/// Whether it is the most or the least, and the bits of its unit.
pub(super) fn size_in(method: &str) -> Option<(bool, u64)> {
    Some(match method {
        "minSizeInBits" => (false, 1),
        "minSizeInBytes" => (false, 8),
        "maxSizeInBits" => (true, 1),
        "maxSizeInBytes" => (true, 8),
        _ => return None,
    })
}

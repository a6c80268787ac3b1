//! Actions (§9.2). What an action calls stands in it in its place: its arguments may be fields and headers that the called one changes,
//! which P4_16 could say only with types that P4_14 does not have.

use super::names::annotation;
use super::primitives;
use super::translator::{Scope, Told, Translator};
use super::tree::{Action, Call, Expression, ExpressionKind, Index, Reference};
use super::values::Word;
use super::writer::Writer;
use crate::ast::Name;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Calls that an action may come to: actions that call each other twice and twice would have no end.
const MOST_CALLS: usize = 10_000;
/// So deep actions may call each other, and arguments stand in each other.
const MOST_DEEP: usize = 50;
/// Parts that expressions of an action may get from what it calls: arguments that are added to themselves, again and again, would have no end.
const MOST_PARTS: usize = 100_000;
/// The type of a parameter that nothing uses.
const UNUSED: Word = Word {
    width: 8,
    signed: false,
};

/// The parameters of an action, in their order: what they are called and their types.
pub(super) type Signature = Rc<Vec<(String, Word)>>;

impl<'a> Translator<'a> {
    /// What an action does, in primitive actions.
    pub(super) fn body(&mut self, name: &Name) -> Result<Rc<Vec<Call>>, Told> {
        let known = self.known;
        let action = self.found(known.actions.get(&name.text), |this| {
            known.actions.unknown(this.sources, name)
        })?;
        self.flat(action, &mut Vec::new())
    }

    fn flat(&mut self, action: &'a Action, open: &mut Vec<&'a str>) -> Result<Rc<Vec<Call>>, Told> {
        let name = action.name.text.as_str();
        if let Some(done) = self.bodies.get(name) {
            return done.clone();
        }
        if open.contains(&name) || open.len() > MOST_DEEP {
            return self.error(
                action.name.span,
                format!("the action `{name}` calls itself, or {MOST_DEEP} others deep (§9.2)"),
            );
        }
        open.push(name);
        let body = self.flattened(action, open).map(Rc::new);
        open.pop();
        self.bodies.insert(name.to_owned(), body.clone());
        body
    }

    fn flattened(
        &mut self,
        action: &'a Action,
        open: &mut Vec<&'a str>,
    ) -> Result<Vec<Call>, Told> {
        let known = self.known;
        let mut calls = Vec::new();
        let mut parts = MOST_PARTS;
        for call in &action.calls {
            let name = &call.name;
            let is_primitive = primitives::is_primitive(&name.text);
            // `action drop() { drop(); }` means the primitive one.
            let is_own = is_primitive && name.text == action.name.text;
            match known.actions.get(&name.text).filter(|_| !is_own) {
                Some(called) => {
                    let body = self.flat(called, open)?;
                    calls.extend(self.called_with(called, call, &body, &mut parts)?);
                }
                None if is_primitive => calls.push(call.clone()),
                None => {
                    let all = known.actions.names().chain(primitives::names());
                    let message = format!("there is no action `{}`", name.text);
                    return self.error_or_meant("p4-name", name, message, all);
                }
            }
            if calls.len() > MOST_CALLS {
                let message = format!("this action does more than {MOST_CALLS} things");
                return self.error(action.name.span, message);
            }
        }
        Ok(calls)
    }

    /// What a called action does with its arguments.
    fn called_with(
        &mut self,
        called: &Action,
        call: &Call,
        body: &[Call],
        parts: &mut usize,
    ) -> Result<Vec<Call>, Told> {
        let name = &call.name;
        if called.parameters.len() != call.arguments.len() {
            let count = called.parameters.len();
            return self.error(
                name.span,
                format!("`{}` takes {count} arguments", name.text),
            );
        }
        let parameters = called
            .parameters
            .iter()
            .map(|parameter| parameter.text.as_str());
        let mut given = Given {
            arguments: parameters.zip(&call.arguments).collect(),
            left: *parts,
        };
        let mut calls = Vec::new();
        for inner in body {
            let arguments = inner.arguments.iter();
            let arguments = arguments.map(|argument| given.substituted(argument, 0));
            let Some(arguments) = arguments.collect() else {
                let message = format!(
                    "`{}` is given something that does not go there, or is too long",
                    name.text
                );
                return self.error(name.span, message);
            };
            calls.push(Call {
                name: inner.name.clone(),
                arguments,
            });
        }
        *parts = given.left;
        Ok(calls)
    }

    /// The parameters of an action. P4_14 gives them no types: they are as wide as what they are stored into, or as what takes them.
    pub(super) fn signature(&mut self, name: &Name) -> Result<Signature, Told> {
        if let Some(done) = self.signatures.get(&name.text) {
            return Ok(Rc::clone(done));
        }
        let calls = self.body(name)?;
        let known = self.known;
        let action = known.actions.get(&name.text).ok_or(Told)?;
        let mut scope = Scope::default();
        for parameter in &action.parameters {
            scope
                .parameters
                .insert(parameter.text.clone(), (parameter.text.clone(), None));
        }
        // What is wrong is told when the action is written.
        let errors = self.errors.len();
        for call in calls.iter() {
            let _ = self.primitive(call, &mut scope, &mut Vec::new());
        }
        self.errors.truncate(errors);
        let mut signature: Vec<(String, Word)> = Vec::new();
        for parameter in &action.parameters {
            let word = scope.wanted.get(&parameter.text).copied().unwrap_or(UNUSED);
            signature.push((self.names.parameter(&parameter.text), word));
        }
        let signature = Rc::new(signature);
        self.signatures
            .insert(name.text.clone(), Rc::clone(&signature));
        Ok(signature)
    }

    /// Writes an action by the name that it is given; `first` stands in front of what it does.
    pub(super) fn action(
        &mut self,
        name: &Name,
        given: &str,
        first: &[String],
        writer: &mut Writer,
    ) -> Result<(), Told> {
        self.written.insert(name.text.clone());
        let calls = self.body(name)?;
        let signature = self.signature(name)?;
        let known = self.known;
        let action = known.actions.get(&name.text).ok_or(Told)?;
        let mut scope = Scope::default();
        let mut parameters = Vec::new();
        for (parameter, (text, word)) in action.parameters.iter().zip(signature.iter()) {
            let annotation = annotation(text, &parameter.text);
            parameters.push(format!("{annotation}{} {text}", word.text()));
            let entry = (text.clone(), Some(*word));
            if scope
                .parameters
                .insert(parameter.text.clone(), entry)
                .is_some()
            {
                let message = format!("there is a parameter `{}` already", parameter.text);
                let _: Result<(), Told> = self.error_of("p4-name", parameter.span, message);
            }
        }
        let mut lines = first.to_vec();
        for call in calls.iter() {
            // What is wrong with one is told, and with the others, too.
            let _ = self.primitive(call, &mut scope, &mut lines);
        }
        writer.open(&format!(
            "@name(\".{}\") action {given}({}) {{",
            name.text,
            parameters.join(", ")
        ));
        writer.lines(&lines);
        writer.close();
        Ok(())
    }
}

/// What an action is called with.
struct Given<'g> {
    arguments: BTreeMap<&'g str, &'g Expression>,
    /// Parts of expressions that may still come of it.
    left: usize,
}

impl Given<'_> {
    /// What stands in an action once it is called; `None`: an argument does not go where its parameter stands, or all of it is too much.
    fn substituted(&mut self, value: &Expression, deep: usize) -> Option<Expression> {
        self.left = self.left.checked_sub(1).filter(|_| deep <= MOST_DEEP)?;
        let kind = match &value.kind {
            ExpressionKind::Named(reference) if reference.index.is_none() => {
                let Some(argument) = self.arguments.get(reference.name.text.as_str()).copied()
                else {
                    return Some(value.clone());
                };
                let (height, parts) = measured(argument);
                self.left = self
                    .left
                    .checked_sub(parts)
                    .filter(|_| height + deep <= MOST_DEEP)?;
                return Some(argument.clone());
            }
            ExpressionKind::Named(reference) => {
                ExpressionKind::Named(self.referred(reference, deep)?)
            }
            ExpressionKind::Field(reference, field) => {
                ExpressionKind::Field(self.referred(reference, deep)?, field.clone())
            }
            ExpressionKind::Valid(reference) => {
                ExpressionKind::Valid(self.referred(reference, deep)?)
            }
            ExpressionKind::Unary(operator, value) => {
                ExpressionKind::Unary(*operator, Box::new(self.substituted(value, deep + 1)?))
            }
            ExpressionKind::Binary(operator, left, right) => {
                let left = self.substituted(left, deep + 1)?;
                let right = self.substituted(right, deep + 1)?;
                ExpressionKind::Binary(*operator, Box::new(left), Box::new(right))
            }
            ExpressionKind::Number(_) | ExpressionKind::Bool(_) | ExpressionKind::Current(..) => {
                value.kind.clone()
            }
        };
        Some(Expression {
            kind,
            span: value.span,
        })
    }

    /// A header where a parameter may stand for it, or for its place in a stack.
    fn referred(&mut self, reference: &Reference, deep: usize) -> Option<Reference> {
        let argument = self.arguments.get(reference.name.text.as_str()).copied();
        let mut referred = match argument.map(|argument| &argument.kind) {
            None => reference.clone(),
            Some(ExpressionKind::Named(named))
                if named.index.is_none() || reference.index.is_none() =>
            {
                Reference {
                    name: named.name.clone(),
                    index: named.index.clone(),
                }
            }
            Some(_) => return None,
        };
        if let Some(index) = &reference.index {
            referred.index = Some(match index {
                Index::At(at) => Index::At(Box::new(self.substituted(at, deep + 1)?)),
                other => other.clone(),
            });
        }
        Some(referred)
    }
}

/// How deep an expression is, and of how many parts.
fn measured(value: &Expression) -> (usize, usize) {
    let inner = match &value.kind {
        ExpressionKind::Unary(_, value) => measured(value),
        ExpressionKind::Binary(_, left, right) | ExpressionKind::Current(left, right) => {
            let (left, right) = (measured(left), measured(right));
            (left.0.max(right.0), left.1 + right.1)
        }
        ExpressionKind::Named(reference)
        | ExpressionKind::Field(reference, _)
        | ExpressionKind::Valid(reference) => match &reference.index {
            Some(Index::At(at)) => measured(at),
            _ => (0, 0),
        },
        ExpressionKind::Number(_) | ExpressionKind::Bool(_) => (0, 0),
    };
    (inner.0 + 1, inner.1 + 1)
}

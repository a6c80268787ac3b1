//! What can be called, made or applied: functions, actions, methods, parsers, controls, packages (§6.8, §7.2.10 to §7.2.13).

use super::{Declarer, Entity, Head, Parameter};
use crate::ast::{self, DeclarationKind, Direction};
use crate::types::{ObjectKind, Type};
use std::collections::BTreeSet;

impl<'a> Declarer<'a> {
    /// A function, or one that is extern.
    pub(super) fn function(&mut self, function: &'a ast::Function) {
        self.scope(|all| all.call(function, "function", &function.head.name.text));
        self.name(&function.head.name, Entity::Other("function"));
    }

    /// What is called so, in a scope of its own.
    fn call(&mut self, function: &'a ast::Function, kind: &'static str, name: &str) {
        let types = self.type_parameters(&function.head.types);
        let gives = match &function.gives {
            Some(of) => self.type_of(of),
            None => Type::Void,
        };
        let parameters = self.parameters(&function.head.parameters);
        self.told.heads.push(Head {
            kind,
            name: name.to_owned(),
            types,
            parameters,
            made_with: Vec::new(),
            gives,
            span: function.head.name.span,
        });
    }

    /// Parameters, which are known from here on in this scope.
    fn parameters(&mut self, parameters: &'a [ast::Parameter]) -> Vec<Parameter> {
        let mut known = Vec::new();
        for parameter in parameters {
            let of = self.type_of(&parameter.of);
            if of == Type::Void {
                self.error("p4-type", parameter.of.span, "no parameter is void");
            }
            self.direction(parameter, &of);
            let is_marked = parameter
                .annotations
                .iter()
                .any(|annotation| annotation.name.text == "optional");
            let is_optional = parameter.default.is_some() || is_marked;
            self.name(&parameter.name, Entity::Other("parameter"));
            known.push(Parameter {
                name: parameter.name.text.clone(),
                direction: parameter.direction,
                of,
                is_optional,
            });
        }
        known
    }

    /// §6.8: what a direction goes with.
    fn direction(&mut self, parameter: &'a ast::Parameter, of: &Type) {
        let is_written = matches!(parameter.direction, Direction::Out | Direction::InOut);
        let types = &self.told.types;
        if parameter.direction != Direction::None && matches!(of, Type::Object(..)) {
            let message = format!("an object goes without a direction: {}", types.text(of));
            self.error("p4-type", parameter.of.span, message);
        } else if is_written && matches!(of, Type::Integer | Type::Text) {
            let message = format!("nothing is written to {}", types.text(of));
            self.error("p4-type", parameter.of.span, message);
        }
        let Some(default) = &parameter.default else {
            return;
        };
        if is_written {
            let message = "only what goes in has a default";
            self.error("p4-type", default.span, message);
        } else if !matches!(of, Type::Object(..)) {
            self.constant_of(default, of);
        }
    }

    pub(super) fn action(&mut self, name: &'a ast::Name, parameters: &'a [ast::Parameter]) {
        let parameters = self.scope(|all| all.parameters(parameters));
        // §14.1: what the control plane gives stands last.
        let first = parameters
            .iter()
            .position(|one| one.direction == Direction::None);
        let mut behind = parameters.iter().skip(first.unwrap_or(parameters.len()));
        if let Some(wrong) = behind.find(|one| one.direction != Direction::None) {
            let message = format!(
                "`{}` has a direction, and stands behind a parameter without one",
                wrong.name
            );
            self.error("p4-type", name.span, message);
        }
        self.told.heads.push(Head {
            kind: "action",
            name: name.text.clone(),
            types: Vec::new(),
            parameters,
            made_with: Vec::new(),
            gives: Type::Void,
            span: name.span,
        });
        self.name(name, Entity::Other("action"));
    }

    /// An extern with its methods, which know it.
    pub(super) fn external(
        &mut self,
        name: &'a ast::Name,
        types: &'a [ast::Name],
        methods: &'a [ast::Declaration],
    ) {
        self.object(ObjectKind::Extern, name, types.len(), Vec::new());
        self.scope(|all| {
            all.type_parameters(types);
            let mut seen = BTreeSet::new();
            for method in methods {
                let DeclarationKind::Function(function) = &method.kind else {
                    continue;
                };
                let own = &function.head.name;
                let parameters = function.head.parameters.iter();
                let names: Vec<&str> = parameters.map(|one| one.name.text.as_str()).collect();
                if !seen.insert((own.text.as_str(), names)) {
                    let message = format!("`{}` has this twice: `{}`", name.text, own.text);
                    all.error("p4-name", own.span, message);
                }
                let kind = match function.gives {
                    Some(_) => "method",
                    None => "constructor",
                };
                let full = format!("{}.{}", name.text, own.text);
                all.scope(|all| all.call(function, kind, &full));
            }
        });
    }

    pub(super) fn parser(&mut self, head: &'a ast::Head, parser: Option<&'a ast::Parser>) {
        let made_with = parser.map_or(&[][..], |parser| &parser.made_with);
        self.block(head, ObjectKind::Parser, made_with, |all| {
            let Some(parser) = parser else { return };
            for state in &parser.states {
                all.name(&state.name, Entity::Other("state"));
            }
            for local in &parser.locals {
                all.declaration(local);
            }
        });
    }

    pub(super) fn control(&mut self, head: &'a ast::Head, control: Option<&'a ast::Control>) {
        let made_with = control.map_or(&[][..], |control| &control.made_with);
        self.block(head, ObjectKind::Control, made_with, |all| {
            for local in control.iter().flat_map(|control| &control.locals) {
                all.declaration(local);
            }
        });
    }

    pub(super) fn package(&mut self, head: &'a ast::Head) {
        self.block(head, ObjectKind::Package, &[], |_| {});
    }

    /// A parser, a control or a package: what it takes, and what is in it, in scopes of their own.
    fn block(
        &mut self,
        head: &'a ast::Head,
        kind: ObjectKind,
        made_with: &'a [ast::Parameter],
        inside: impl FnOnce(&mut Self),
    ) {
        let told = self.scope(|all| {
            let types = all.type_parameters(&head.types);
            let parameters = all.parameters(&head.parameters);
            let made_with = all.parameters(made_with);
            all.scope(inside);
            Head {
                kind: kind.keyword(),
                name: head.name.text.clone(),
                types,
                parameters,
                made_with,
                gives: Type::Void,
                span: head.name.span,
            }
        });
        let parameters = match kind {
            ObjectKind::Package => &told.parameters,
            _ => &told.made_with,
        };
        let takes = parameters.iter().map(|one| one.name.clone()).collect();
        self.told.heads.push(told);
        self.object(kind, &head.name, head.types.len(), takes);
    }
}

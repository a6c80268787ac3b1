//! What can be called: functions, actions, methods (§6.8, §7.2.10, §14.1).

use super::parameters::Owner;
use super::{Checker, Entity, Place};
use crate::ast::{self, DeclarationKind, Direction};
use crate::typed::{Function, FunctionKind, ObjectType, Statement};
use crate::types::{ObjectKind, Type};
use std::collections::{BTreeMap, BTreeSet};

impl<'a> Checker<'a> {
    /// A function, or one that is extern.
    pub(super) fn function(&mut self, declaration: &'a ast::Declaration) {
        let DeclarationKind::Function(function) = &declaration.kind else {
            return;
        };
        let name = &function.head.name;
        let names: Vec<&str> = names_of(&function.head.parameters);
        let known = self.scopes.last().and_then(|scope| scope.get(&name.text));
        if let Some((Entity::Functions(all), span)) = known {
            let is_same = all.iter().any(|&other| {
                let other = &self.told.functions[other];
                let both = other.body.is_some() && function.body.is_some();
                let mut parameters = other.parameters.iter();
                both && parameters
                    .by_ref()
                    .map(|one| one.name.as_str())
                    .eq(names.iter().copied())
            });
            if is_same {
                let first = self.sources.place(*span);
                let message = format!("`{}` is declared twice", name.text);
                let error = self.sources.error("p4-name", name.span, message);
                self.errors.push(error.label(first, "the first one"));
                return;
            }
        }
        let annotations = &declaration.annotations;
        let number = self.scope(|all| {
            let types = all.type_parameters(&function.head.types);
            all.callable(
                function,
                FunctionKind::Function,
                types,
                &name.text,
                annotations,
            )
        });
        if !function.head.types.is_empty() && function.body.is_some() {
            self.functions
                .insert(number, (declaration, BTreeMap::new()));
        }
        self.name(name, Entity::Functions(vec![number]));
    }

    /// What a function that takes types is for these; made once.
    pub(super) fn function_for(&mut self, number: usize, given: &[Type]) -> usize {
        let Some((declaration, made)) = self.functions.get(&number) else {
            return number;
        };
        let declaration = *declaration;
        let DeclarationKind::Function(function) = &declaration.kind else {
            return number;
        };
        let key = format!("{given:?}");
        if let Some(made) = made.get(&key) {
            return *made;
        }
        let is_own = given.iter().zip(&self.told.functions[number].types);
        if is_own.clone().all(|(of, own)| *of == Type::Parameter(*own)) {
            return number;
        }
        let made = self.outside(|all| {
            for (name, of) in function.head.types.iter().zip(given) {
                all.name(name, Entity::Type(of.clone()));
            }
            let name = &function.head.name.text;
            let annotations = &declaration.annotations;
            all.callable(
                function,
                FunctionKind::Function,
                Vec::new(),
                name,
                annotations,
            )
        });
        if let Some((_, all)) = self.functions.get_mut(&number) {
            all.insert(key, made);
        }
        made
    }

    /// What is called so; its names are those of this scope. Gives its place.
    pub(super) fn callable(
        &mut self,
        function: &'a ast::Function,
        kind: FunctionKind,
        types: Vec<usize>,
        name: &str,
        annotations: &[ast::Annotation],
    ) -> usize {
        let gives = match &function.gives {
            Some(of) => self.type_of(of),
            None => Type::Void,
        };
        let taker = match (kind, &function.body) {
            (FunctionKind::Function, Some(_)) => Owner::Function,
            (FunctionKind::Constructor, _) => Owner::Made(ObjectKind::Extern),
            _ => Owner::Extern,
        };
        let parameters = self.parameters(&function.head.parameters, taker);
        self.returns(function, &gives);
        let body = function.body.as_ref().map(|body| {
            let statements = self.body(Place::Function, Some(gives.clone()), body);
            if !matches!(gives, Type::Void | Type::Wrong) && !always_ends(&body.statements) {
                let message = format!(
                    "`{}` does not always return a value",
                    function.head.name.text
                );
                self.error("p4-statement", function.head.name.span, message);
            }
            statements
        });
        self.told.functions.push(Function {
            kind,
            name: name.to_owned(),
            types,
            parameters,
            gives,
            body,
            is_abstract: function.is_abstract,
            annotations: annotations.to_vec(),
            span: function.head.name.span,
        });
        self.told.functions.len() - 1
    }

    /// A body, in a scope of its own.
    pub(super) fn body(
        &mut self,
        place: Place,
        gives: Option<Type>,
        body: &'a ast::Block,
    ) -> Vec<Statement> {
        let before = (
            std::mem::replace(&mut self.inside.place, place),
            std::mem::replace(&mut self.inside.gives, gives),
            std::mem::replace(&mut self.inside.loops, 0),
        );
        let statements = self.scope(|all| all.statements(&body.statements));
        (self.inside.place, self.inside.gives, self.inside.loops) = before;
        statements
    }

    pub(super) fn action(
        &mut self,
        name: &'a ast::Name,
        written: &'a [ast::Parameter],
        body: &'a ast::Block,
        annotations: &[ast::Annotation],
    ) {
        let (parameters, body) = self.scope(|all| {
            let parameters = all.parameters(written, Owner::Action);
            (parameters, all.body(Place::Action, None, body))
        });
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
        let number = self.told.functions.len();
        self.told.functions.push(Function {
            kind: FunctionKind::Action,
            name: name.text.clone(),
            types: Vec::new(),
            parameters,
            gives: Type::Void,
            body: Some(body),
            is_abstract: false,
            annotations: annotations.to_vec(),
            span: name.span,
        });
        self.inside.actions.push(number);
        self.name(name, Entity::Action(number));
    }

    /// An extern with its methods, which know it.
    pub(super) fn external(
        &mut self,
        declaration: &'a ast::Declaration,
        name: &'a ast::Name,
        types: &'a [ast::Name],
        methods: &'a [ast::Declaration],
    ) {
        let number = self.object(ObjectKind::Extern, name, types.len(), Vec::new());
        let (own, made) = self.scope(|all| {
            let own = all.type_parameters(types);
            let mut made = Vec::new();
            let mut seen = BTreeSet::new();
            for method in methods {
                let DeclarationKind::Function(function) = &method.kind else {
                    continue;
                };
                let own = &function.head.name;
                let names = names_of(&function.head.parameters);
                if !seen.insert((own.text.as_str(), names)) {
                    let message = format!("`{}` has this twice: `{}`", name.text, own.text);
                    all.error("p4-name", own.span, message);
                }
                let kind = match function.gives {
                    Some(_) => FunctionKind::Method,
                    None => FunctionKind::Constructor,
                };
                // §7.2.11.2: what is called as the extern is makes one.
                if function.gives.is_some() && own.text == name.text {
                    let message = format!("`{}` makes an object, and gives nothing else", own.text);
                    all.error("p4-type", own.span, message);
                }
                let full = format!("{}.{}", name.text, own.text);
                made.push(all.scope(|all| {
                    let types = all.type_parameters(&function.head.types);
                    all.callable(function, kind, types, &full, &method.annotations)
                }));
            }
            (own, made)
        });
        self.told.objects[number] = ObjectType {
            types: own,
            methods: made,
            annotations: declaration.annotations.clone(),
            ..self.told.objects[number].clone()
        };
    }

    /// What a type of objects is; filled in later.
    pub(super) fn object(
        &mut self,
        kind: ObjectKind,
        name: &ast::Name,
        parameters: usize,
        takes: Vec<String>,
    ) -> usize {
        let number = self.told.types.objects.len();
        self.told.types.objects.push(crate::types::Object {
            kind,
            name: name.text.clone(),
            parameters,
            takes,
        });
        self.told.objects.push(ObjectType {
            kind,
            name: name.text.clone(),
            types: Vec::new(),
            parameters: Vec::new(),
            made_with: Vec::new(),
            methods: Vec::new(),
            has_body: false,
            annotations: Vec::new(),
            span: name.span,
        });
        self.name(name, Entity::Object(number));
        number
    }
}

/// Names of parameters.
fn names_of(parameters: &[ast::Parameter]) -> Vec<&str> {
    parameters
        .iter()
        .map(|one| one.name.text.as_str())
        .collect()
}

/// Whether the last of these statements is never gone past.
fn always_ends(statements: &[ast::Statement]) -> bool {
    statements.iter().any(ends)
}

fn ends(statement: &ast::Statement) -> bool {
    use ast::StatementKind;
    match &statement.kind {
        StatementKind::Return(_) | StatementKind::Exit => true,
        StatementKind::Block(block) => always_ends(&block.statements),
        StatementKind::If(_, yes, Some(no)) => ends(yes) && ends(no),
        StatementKind::Switch(_, cases) => {
            let has_default = cases
                .iter()
                .any(|(label, _)| matches!(label.kind, ast::ExpressionKind::Default));
            let mut blocks = cases.iter().filter_map(|(_, block)| block.as_ref());
            has_default && blocks.all(|block| always_ends(&block.statements))
        }
        _ => false,
    }
}

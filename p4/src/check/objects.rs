//! Objects that are made: with a name or without one, by who is called directly too (§11.3, §14.5, §15.1, §16.5).

use super::calls::{takes, Taker};
use super::infer::Given;
use super::{Checker, Entity, Place};
use crate::ast::{self, DeclarationKind};
use crate::source::Span;
use crate::typed::{Expression, ExpressionKind, Function, FunctionKind, Instance, Parameter};
use crate::types::{ObjectKind, Type};

impl<'a> Checker<'a> {
    /// `T(…) x;`.
    pub(super) fn instance(
        &mut self,
        instance: &'a ast::Instance,
        annotations: &[ast::Annotation],
    ) {
        let of = self.type_of(&instance.of);
        if matches!(self.inside.place, Place::Action | Place::Function) {
            let message = "objects are made outside of actions and functions";
            self.error("p4-statement", instance.name.span, message);
        }
        let number = match of {
            Type::Wrong => None,
            Type::Object(..) => self.make(of, &instance.arguments, instance.of.span),
            of => {
                let message = format!("{} is no type of objects", self.types().text(&of));
                self.error("p4-type", instance.of.span, message);
                None
            }
        };
        let Some(number) = number else {
            self.name(&instance.name, Entity::Wrong);
            return;
        };
        let made = &mut self.told.instances[number];
        made.name.clone_from(&instance.name.text);
        made.is_anonymous = false;
        made.annotations = annotations.to_vec();
        made.span = instance.name.span;
        self.may_make(number, instance.name.span);
        self.abstract_methods(number, &instance.body, instance.name.span);
        if self.inside.place == Place::Nowhere {
            self.told.top.push(number);
        }
        self.name(&instance.name, Entity::Instance(number));
    }

    /// `T(…)` as a value.
    pub(super) fn construct(
        &mut self,
        of: &'a ast::Type,
        arguments: &'a [ast::Argument],
        span: Span,
    ) -> Option<Expression> {
        let is = self.type_of(of);
        match &is {
            Type::Wrong => None,
            Type::Object(..) => {
                let number = self.make(is, arguments, span)?;
                self.says_nothing(number, span)?;
                Some(self.object_of(number, span))
            }
            _ => {
                let message = format!("{} is not made with `(…)`", self.types().text(&is));
                self.refuse("p4-type", span, message)
            }
        }
    }

    /// §11.3.1: an object that has abstract methods is declared, and says there what they do.
    fn says_nothing(&mut self, number: usize, span: Span) -> Option<()> {
        let Type::Object(object, _) = self.told.instances[number].of else {
            return Some(());
        };
        let object = &self.told.objects[object];
        let mut methods = object.methods.iter().map(|one| &self.told.functions[*one]);
        let Some(method) = methods.find(|one| must_be_said(one)) else {
            return Some(());
        };
        let message = format!(
            "`{}` of {} is abstract: declare the object, and say what it does",
            method.own_name(),
            object.name
        );
        self.refuse("p4-type", span, message)
    }

    /// §11.3.2, §26: where objects of this type may be made.
    fn may_make(&mut self, number: usize, span: Span) {
        let Type::Object(object, _) = self.told.instances[number].of else {
            return;
        };
        let kind = self.told.objects[object].kind;
        let fits = match (kind, self.inside.place) {
            (_, Place::Architecture) | (ObjectKind::Extern, _) => true,
            (ObjectKind::Parser, place) => place == Place::Parser,
            (ObjectKind::Control, place) => place == Place::Control,
            (ObjectKind::Package, place) => place == Place::Nowhere,
        };
        if fits {
            return;
        }
        let message = match kind {
            ObjectKind::Package => "a package is made outside of everything".to_owned(),
            _ => format!("a {0} is made in a {0}, or for a package", kind.keyword()),
        };
        self.error("p4-statement", span, message);
    }

    fn object_of(&self, number: usize, span: Span) -> Expression {
        Expression {
            kind: ExpressionKind::Object(number),
            of: self.told.instances[number].of.clone(),
            span,
        }
    }

    /// The object of a parser or control that is applied by the name of its type.
    pub(super) fn made_directly(
        &mut self,
        number: usize,
        given: Vec<Type>,
        span: Span,
    ) -> Expression {
        let block = self.block_for(number, &given);
        let made_with = self.told.objects[number].made_with.iter();
        let arguments = made_with.map(|one| one.default.clone()).collect();
        let made = self.told.instances.len();
        self.told.instances.push(Instance {
            name: self.told.objects[number].name.clone(),
            is_anonymous: true,
            of: Type::Object(number, given),
            block,
            constructor: None,
            arguments,
            methods: Vec::new(),
            annotations: Vec::new(),
            span,
        });
        self.inside.instances.push(made);
        self.object_of(made, span)
    }

    /// Makes an object; gives its place.
    fn make(&mut self, of: Type, arguments: &'a [ast::Argument], span: Span) -> Option<usize> {
        let Type::Object(named, own) = of else {
            return None;
        };
        let number = self.overload(named, arguments);
        let object = &self.told.objects[number];
        let (kind, name, has_body) = (object.kind, object.name.clone(), object.has_body);
        let names = object.types.clone();
        let mut given: Given = match own.is_empty() {
            true => names.iter().map(|name| (*name, Type::Any)).collect(),
            false => names.iter().copied().zip(own).collect(),
        };
        let mut constructor = None;
        let parameters: Vec<Parameter> = match kind {
            ObjectKind::Package => object.parameters.clone(),
            ObjectKind::Extern => {
                constructor = self.constructor(number, arguments, span)?;
                let function = constructor.map(|number| &self.told.functions[number]);
                function.map_or(Vec::new(), |function| function.parameters.clone())
            }
            _ if has_body => object.made_with.clone(),
            _ => {
                let message = format!(
                    "`{name}` is only a type of {}s: it has no body",
                    kind.keyword()
                );
                return self.refuse("p4-type", span, message);
            }
        };
        let (told, asked) = (self.errors.len(), given.clone());
        let passed = self.arguments(
            &parameters,
            &mut given,
            arguments,
            &name,
            Taker::Maker,
            span,
        );
        let Some(passed) = passed else {
            if kind == ObjectKind::Package && self.errors.len() == told + 2 {
                self.swapped(told, &parameters, &asked, arguments, &name);
            }
            return None;
        };
        self.defaults_are_known(&parameters, &mut given, arguments, span)?;
        let given = match kind {
            // A package need not know all; a parser or a control may be told by who takes it.
            ObjectKind::Package | ObjectKind::Parser | ObjectKind::Control => {
                let known = |name: &usize| given.get(name).cloned().unwrap_or(Type::Any);
                names.iter().map(known).collect()
            }
            ObjectKind::Extern => self.settled(&given, &names, &name, span)?,
        };
        // Where it is not known of which types it is, who takes it says so.
        let block = match given.contains(&Type::Any) {
            true => None,
            false => self.block_for(number, &given),
        };
        let place = self.told.instances.len();
        self.told.instances.push(Instance {
            name,
            is_anonymous: true,
            of: Type::Object(number, given),
            block,
            constructor,
            arguments: passed.0,
            methods: Vec::new(),
            annotations: Vec::new(),
            span,
        });
        self.inside.instances.push(place);
        Some(place)
    }

    /// Two arguments that do not fit, and would if they changed places, are one error; it stands in the place of the two.
    fn swapped(
        &mut self,
        told: usize,
        parameters: &[Parameter],
        asked: &Given,
        arguments: &'a [ast::Argument],
        name: &str,
    ) {
        let errors = self.errors.split_off(told);
        let pairs = (0..arguments.len()).flat_map(|at| (0..at).map(move |before| (before, at)));
        for (one, other) in pairs.filter(|(_, at)| *at < parameters.len()) {
            let mut turned = parameters.to_vec();
            turned.swap(one, other);
            let mut given = asked.clone();
            let span = arguments[one].value.span;
            let fits = self.arguments(&turned, &mut given, arguments, name, Taker::Maker, span);
            self.errors.truncate(told);
            if fits.is_some() {
                let [first, second] = [one, other].map(|at| {
                    let written = self.sources.text(arguments[at].value.span);
                    format!("`{written}`")
                });
                let message = format!("{first} and {second} stand in each other's place");
                let error = self.sources.error("p4-type", span, message);
                let help = format!("`{name}` takes ({})", self.shown(parameters));
                self.errors.push(error.help(help));
                return;
            }
        }
        self.errors.extend(errors);
    }

    /// §7.2.12: a default that stands for what is left out says of which types it is, if they are known.
    fn defaults_are_known(
        &mut self,
        parameters: &[Parameter],
        given: &mut Given,
        arguments: &[ast::Argument],
        span: Span,
    ) -> Option<()> {
        for (place, parameter) in parameters.iter().enumerate() {
            let is_given = arguments
                .iter()
                .enumerate()
                .any(|(at, one)| match &one.name {
                    Some(name) => name.text == parameter.name,
                    None => at == place,
                });
            let Some(default) = &parameter.default else {
                continue;
            };
            if is_given || !self.is_open(&parameter.of, given) {
                continue;
            }
            let is_parameter = |of: &Type| matches!(of, Type::Parameter(_));
            if !self.types().contains(&default.of, &is_parameter) {
                self.unify(given, &parameter.of, &default.of);
                continue;
            }
            let message = format!(
                "which types `{}` has is not known: write them, or what it is",
                parameter.name
            );
            return self.refuse("p4-type", span, message);
        }
        Some(())
    }

    /// Of all types of objects that have this name the one that is made with such arguments.
    fn overload(&self, number: usize, arguments: &[ast::Argument]) -> usize {
        let named = &self.told.objects[number];
        let fits = |one: &crate::typed::ObjectType| {
            let parameters = match one.kind {
                ObjectKind::Package => &one.parameters,
                _ => &one.made_with,
            };
            one.name == named.name && one.kind == named.kind && takes(parameters, arguments)
        };
        if named.kind == ObjectKind::Extern || fits(named) {
            return number;
        }
        self.told.objects.iter().position(fits).unwrap_or(number)
    }

    /// The constructor of an extern; `None` in it: it declares none, and takes nothing.
    fn constructor(
        &mut self,
        number: usize,
        arguments: &[ast::Argument],
        span: Span,
    ) -> Option<Option<usize>> {
        let object = &self.told.objects[number];
        let name = object.name.clone();
        let all: Vec<usize> = object
            .methods
            .iter()
            .copied()
            .filter(|method| self.told.functions[*method].kind == FunctionKind::Constructor)
            .collect();
        if all.is_empty() {
            let message = format!("`{name}` has no constructor: nobody makes one");
            return self.refuse("p4-type", span, message);
        }
        self.pick(&all, arguments, &name, span).map(Some)
    }

    /// What an object says of methods that are abstract (§11.3.1).
    fn abstract_methods(&mut self, number: usize, body: &'a [ast::Declaration], span: Span) {
        let Type::Object(object, own) = self.told.instances[number].of.clone() else {
            return;
        };
        let given: Given = {
            let names = self.told.objects[object].types.iter().copied();
            names.zip(own).collect()
        };
        let methods = self.told.objects[object].methods.clone();
        let before = self.inside.this.take();
        self.inside.this = Some(self.told.instances[number].of.clone());
        self.scopes.push(std::collections::BTreeMap::new());
        for declaration in body {
            if let DeclarationKind::Instance(instance) = &declaration.kind {
                self.instance(instance, &declaration.annotations);
                continue;
            }
            let DeclarationKind::Function(function) = &declaration.kind else {
                let message = "only what it does for abstract methods is said of an object";
                self.error("p4-statement", declaration.span, message);
                continue;
            };
            let name = &function.head.name;
            let method = methods.iter().copied().find(|method| {
                let method = &self.told.functions[*method];
                method.is_abstract && method.own_name() == name.text
            });
            let Some(method) = method else {
                let owner = &self.told.objects[object].name;
                let message = format!("{owner} has no abstract method `{}`", name.text);
                self.error("p4-name", name.span, message);
                continue;
            };
            let made = self.method(function, &declaration.annotations);
            let pairs = [made, method].map(|one| {
                let function = &self.told.functions[one];
                let parameters = function.parameters.iter();
                let all = parameters.map(|one| (one.direction, one.of.clone(), one.is_optional));
                (all.collect::<Vec<_>>(), function.gives.clone())
            });
            let [is, wants] = pairs;
            let mut fits = is.1 == self.with(&wants.1, &given, name.span);
            for (at, (direction, of, is_optional)) in wants.0.iter().enumerate() {
                let of = self.with(of, &given, name.span);
                fits &= match is.0.get(at) {
                    Some((has, is, _)) => has == direction && *is == of,
                    None => *is_optional,
                };
            }
            if !fits || is.0.len() > wants.0.len() {
                let message = format!("`{}` has other types than the abstract method", name.text);
                self.error("p4-type", name.span, message);
            }
            self.told.instances[number]
                .methods
                .push((name.text.clone(), made));
        }
        self.scopes.pop();
        self.inside.this = before;
        for method in methods {
            let method = &self.told.functions[method];
            let own = method.own_name().to_owned();
            let mut said = self.told.instances[number].methods.iter();
            if must_be_said(method) && !said.any(|(name, _)| *name == own) {
                let message = format!("`{own}` is abstract: this object must say what it does");
                self.error("p4-type", span, message);
            }
        }
    }

    /// A method that an object has, in the scope in which it is made.
    fn method(&mut self, function: &'a ast::Function, annotations: &[ast::Annotation]) -> usize {
        self.scope(|all| {
            let types = all.type_parameters(&function.head.types);
            let name = &function.head.name.text;
            all.callable(function, FunctionKind::Method, types, name, annotations)
        })
    }
}

/// It is abstract, and not `@optional`.
fn must_be_said(method: &Function) -> bool {
    let mut annotations = method.annotations.iter();
    method.is_abstract && !annotations.any(|one| one.name.text == "optional")
}

//! Calls: which function or method is meant (§6.8), with which types, and what its parameters are given (§6.7, §8.20).

use super::builtins::size_in;
use super::infer::Given;
use super::literals::made;
use super::unknown::Wanted;
use super::{Checker, Entity, Place};
use crate::ast::{self, Direction};
use crate::source::Span;
use crate::typed::{Call, Callee, Expression, ExpressionKind, FunctionKind, Parameter};
use crate::types::{ObjectKind, Type};
use crate::value::Value;

/// An expression. `None`: an error was told.
type Found = Option<Expression>;
/// What parameters are given, in their order, and the order in which that was written.
type Passed = (Vec<Option<Expression>>, Vec<usize>);

/// Who takes arguments: what may be passed without a direction depends on it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Taker {
    /// What is called: whatever goes in.
    Call,
    /// What makes an object: what is known when that is done.
    Maker,
}

impl<'a> Checker<'a> {
    pub(super) fn call(
        &mut self,
        callee: &'a ast::Expression,
        types: &'a [ast::Type],
        arguments: &'a [ast::Argument],
        span: Span,
    ) -> Found {
        use ast::ExpressionKind as Written;
        match &callee.kind {
            Written::Path(path) => self.call_named(path, types, arguments, span),
            Written::Member(of, name) => self.call_member(of, name, types, arguments, span),
            Written::OfType(of, name) => self.call_of_type(of, name, arguments, span),
            _ => self.refuse("p4-type", callee.span, "this is nothing that is called"),
        }
    }

    fn call_named(
        &mut self,
        path: &'a ast::Path,
        types: &'a [ast::Type],
        arguments: &'a [ast::Argument],
        span: Span,
    ) -> Found {
        let name = &path.name.text;
        match self.look_up(path, Wanted::Called)? {
            Entity::Functions(all) => {
                let number = self.pick(&all, arguments, name, path.name.span)?;
                let names = self.told.functions[number].types.clone();
                let given = self.given(&names, types, name, span)?;
                self.call_function(number, None, given, arguments, span)
            }
            Entity::Action(number) => {
                let given = self.given(&[], types, name, span)?;
                // §26: actions are called by controls and by actions.
                let where_it_is = match self.inside.place {
                    Place::Parser => Some("parser"),
                    Place::Function => Some("function"),
                    _ => None,
                };
                if let Some(place) = where_it_is {
                    let message = format!("an action is not called in a {place}");
                    return self.refuse("p4-statement", span, message);
                }
                self.call_function(number, None, given, arguments, span)
            }
            Entity::Wrong => None,
            other => {
                let message = format!("`{name}` is {}, which is not called", other.phrase());
                let error = self.sources.error("p4-type", path.name.span, message);
                self.errors.push(match other.instead(name) {
                    Some(help) => error.help(help),
                    None => error,
                });
                None
            }
        }
    }

    /// The one of these that takes as many arguments, of these names (§6.8).
    pub(super) fn pick(
        &mut self,
        all: &[usize],
        arguments: &[ast::Argument],
        name: &str,
        span: Span,
    ) -> Option<usize> {
        if let [only] = all {
            return Some(*only);
        }
        let fitting: Vec<usize> = all
            .iter()
            .copied()
            .filter(|number| takes(&self.told.functions[*number].parameters, arguments))
            .collect();
        // What needs no default is nearer.
        let mut near = fitting
            .iter()
            .copied()
            .filter(|number| self.told.functions[*number].parameters.len() == arguments.len());
        let nearest = near.next();
        if near.next().is_some() {
            let message = format!("more than one `{name}` takes these arguments: name them");
            return self.refuse("p4-type", span, message);
        }
        match nearest.or(fitting.first().copied()) {
            Some(number) => Some(number),
            None => {
                let message = match all.is_empty() {
                    true => format!("there is no `{name}`"),
                    false => format!("no `{name}` takes these arguments"),
                };
                let error = self.sources.error("p4-type", span, message);
                let counts: Vec<String> = all
                    .iter()
                    .map(|number| {
                        let of = &self.told.functions[*number].parameters;
                        let names: Vec<&str> = of.iter().map(|one| one.name.as_str()).collect();
                        format!("`{name}({})`", names.join(", "))
                    })
                    .collect();
                self.errors.push(match counts.is_empty() {
                    true => error,
                    false => error.help(format!("there is {}", counts.join(" and "))),
                });
                None
            }
        }
    }

    /// Types that are written, for parameters of these numbers; those that are not are to be found out.
    pub(super) fn given(
        &mut self,
        names: &[usize],
        types: &'a [ast::Type],
        what: &str,
        span: Span,
    ) -> Option<Given> {
        if types.is_empty() {
            return Some(names.iter().map(|name| (*name, Type::Any)).collect());
        }
        if types.len() != names.len() {
            let message = format!("`{what}` takes {} types, not {}", names.len(), types.len());
            return self.refuse("p4-type", span, message);
        }
        let mut known = Vec::new();
        for written in types {
            let of = self.type_of(written);
            if of == Type::Void {
                let message = format!("`{what}` takes types of values, not void");
                return self.refuse("p4-type", written.span, message);
            }
            known.push(of);
        }
        let types = known;
        match types.contains(&Type::Wrong) {
            true => None,
            false => Some(names.iter().copied().zip(types).collect()),
        }
    }

    /// A function, an action, or a method of an object.
    fn call_function(
        &mut self,
        number: usize,
        object: Option<Expression>,
        mut given: Given,
        arguments: &'a [ast::Argument],
        span: Span,
    ) -> Found {
        let function = self.told.functions[number].head();
        let name = function.name.clone();
        let (names, gives) = (function.types.clone(), function.gives.clone());
        let parameters = function.parameters.clone();
        let function_has_body = function.body.is_some();
        let is_known = name == "static_assert" && !function_has_body;
        let (passed, order) =
            self.arguments(&parameters, &mut given, arguments, &name, Taker::Call, span)?;
        if is_known {
            return self.static_assert(&passed, span);
        }
        let found: Vec<Type> = names
            .iter()
            .map(|name| given.get(name).cloned().unwrap_or(Type::Any))
            .collect();
        self.may_pass(&function, &found, &passed, span)?;
        self.may_call(&function, &found, &passed, span)?;
        // What only a parameter needs that is left out is nobody's.
        let is_needed = |name: &usize| {
            function_has_body
                || self
                    .types()
                    .contains(&gives, &|of| *of == Type::Parameter(*name))
        };
        for name in names.iter().filter(|name| !is_needed(name)) {
            if given.get(name) == Some(&Type::Any) {
                given.insert(*name, Type::Void);
            }
        }
        let types = self.settled(&given, &names, &name, span)?;
        let gives = self.with(&gives, &given, span);
        let callee = match object {
            Some(object) => Callee::Method(object, number),
            None => Callee::Function(self.function_for(number, &types)),
        };
        Some(Expression {
            kind: ExpressionKind::Call(Box::new(Call {
                callee,
                types,
                arguments: passed,
                order,
            })),
            of: gives,
            span,
        })
    }

    fn call_member(
        &mut self,
        of: &'a ast::Expression,
        name: &'a ast::Name,
        types: &'a [ast::Type],
        arguments: &'a [ast::Argument],
        span: Span,
    ) -> Found {
        if let ast::ExpressionKind::Path(path) = &of.kind {
            let mut scopes = self.scopes.iter().rev();
            let known = scopes.find_map(|scope| scope.get(&path.name.text));
            if let Some((Entity::Table(number), _)) = known {
                let number = *number;
                return self.apply_table(number, name, arguments, span);
            }
        }
        let object = self.expression(of, None)?;
        match object.of.clone() {
            Type::Object(number, given) => {
                let kind = self.told.objects[number].kind;
                match kind {
                    ObjectKind::Extern => {
                        self.call_method(object, number, given, name, types, arguments, span)
                    }
                    ObjectKind::Parser | ObjectKind::Control if name.text == "apply" => {
                        self.apply(object, number, &given, arguments, span)
                    }
                    _ => {
                        let message =
                            format!("{} has no `{}`", self.types().text(&object.of), name.text);
                        self.no_such(message, name, &["apply"]);
                        None
                    }
                }
            }
            Type::Wrong => None,
            _ => self.builtin(object, name, arguments, span),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn call_method(
        &mut self,
        object: Expression,
        number: usize,
        own: Vec<Type>,
        name: &'a ast::Name,
        types: &'a [ast::Type],
        arguments: &'a [ast::Argument],
        span: Span,
    ) -> Found {
        let of = &self.told.objects[number];
        let all: Vec<usize> = of
            .methods
            .iter()
            .copied()
            .filter(|method| {
                let method = &self.told.functions[*method];
                method.kind == FunctionKind::Method && method.own_name() == name.text
            })
            .collect();
        let (owner, names) = (of.name.clone(), of.types.clone());
        if all.is_empty() {
            let known = of.methods.iter();
            let known = known.map(|method| self.told.functions[*method].own_name().to_owned());
            let known: std::collections::BTreeSet<String> =
                known.filter(|one| *one != owner).collect();
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let message = format!("{owner} has no method `{}`", name.text);
            self.no_such(message, name, &known);
            return None;
        }
        let method = self.pick(&all, arguments, &name.text, name.span)?;
        let method_types = self.told.functions[method].types.clone();
        let mut given = self.given(&method_types, types, &name.text, span)?;
        given.extend(names.into_iter().zip(own));
        self.call_function(method, Some(object), given, arguments, span)
    }

    /// A parser or a control.
    fn apply(
        &mut self,
        object: Expression,
        number: usize,
        own: &[Type],
        arguments: &'a [ast::Argument],
        span: Span,
    ) -> Found {
        let of = &self.told.objects[number];
        let (name, parameters, kind) = (of.name.clone(), of.parameters.clone(), of.kind);
        let mut given: Given = of.types.iter().copied().zip(own.iter().cloned()).collect();
        self.may_apply(kind, span)?;
        let (arguments, order) =
            self.arguments(&parameters, &mut given, arguments, &name, Taker::Call, span)?;
        let mut whole = applied(object, arguments, order, span);
        if kind == ObjectKind::Parser && self.inside.place == Place::Architecture {
            whole.of = Type::Error;
        }
        Some(whole)
    }

    /// §13.9, §14.5: a parser is applied in parsers, a control in controls.
    fn may_apply(&mut self, kind: ObjectKind, span: Span) -> Option<()> {
        let place = self.inside.place;
        let fits = match kind {
            _ if place == Place::Architecture => true,
            ObjectKind::Parser => place == Place::Parser,
            _ => place == Place::Control,
        };
        match fits {
            true => Some(()),
            false => {
                let message = format!("a {0} is applied only in a {0}", kind.keyword());
                self.refuse("p4-statement", span, message)
            }
        }
    }

    fn apply_table(
        &mut self,
        number: usize,
        name: &ast::Name,
        arguments: &[ast::Argument],
        span: Span,
    ) -> Found {
        if name.text != "apply" {
            let message = format!("a table has no `{}`", name.text);
            self.no_such(message, name, &["apply"]);
            return None;
        }
        if !arguments.is_empty() {
            return self.refuse("p4-type", span, "a table is applied to nothing");
        }
        if self.inside.place != Place::Control {
            let message = "a table is applied only in the body of a control";
            let error = self.sources.error("p4-statement", span, message);
            let help = "apply it in `apply { … }`, and look at what it did: `if (t.apply().hit)`";
            self.errors.push(error.help(help));
            return None;
        }
        Some(Expression {
            kind: ExpressionKind::Apply(number),
            of: Type::Void,
            span,
        })
    }

    /// `T.apply(…)`, which makes an object for this call (§14.5, §15.1), and `T.minSizeInBits()`.
    fn call_of_type(
        &mut self,
        of: &'a ast::Type,
        name: &'a ast::Name,
        arguments: &'a [ast::Argument],
        span: Span,
    ) -> Found {
        let is = self.type_of(of);
        if is == Type::Wrong {
            return None;
        }
        if size_in(&name.text).is_some() && arguments.is_empty() {
            return self.bits_of(&is, &name.text, span);
        }
        let Type::Object(number, own) = &is else {
            let message = format!("{} has no `{}`", self.types().text(&is), name.text);
            return self.refuse("p4-name", name.span, message);
        };
        let object = &self.told.objects[*number];
        if !object.has_body || name.text != "apply" {
            let message = format!("{} has no `{}` to call", self.types().text(&is), name.text);
            return self.refuse("p4-name", name.span, message);
        }
        let (full, parameters, kind) =
            (object.name.clone(), object.parameters.clone(), object.kind);
        let names = object.types.clone();
        if !object.made_with.iter().all(|one| one.is_optional) {
            let message = format!("`{full}` is made with parameters: make one, and apply that");
            return self.refuse("p4-type", span, message);
        }
        self.may_apply(kind, span)?;
        let mut given: Given = match own.is_empty() {
            true => names.iter().map(|name| (*name, Type::Any)).collect(),
            false => names.iter().copied().zip(own.iter().cloned()).collect(),
        };
        let (passed, order) =
            self.arguments(&parameters, &mut given, arguments, &full, Taker::Call, span)?;
        let types = self.settled(&given, &names, &full, span)?;
        let object = self.made_directly(*number, types, of.span);
        Some(applied(object, passed, order, span))
    }

    /// What parameters are given.
    pub(super) fn arguments(
        &mut self,
        parameters: &[Parameter],
        given: &mut Given,
        arguments: &'a [ast::Argument],
        what: &str,
        taker: Taker,
        span: Span,
    ) -> Option<Passed> {
        let order = self.places(parameters, arguments, what, span)?;
        let mut found: Vec<Option<Expression>> = parameters.iter().map(|_| None).collect();
        let mut is_good = true;
        for (argument, place) in arguments.iter().zip(&order) {
            let parameter = &parameters[*place];
            if matches!(argument.value.kind, ast::ExpressionKind::Any) {
                found[*place] = Some(Expression {
                    kind: ExpressionKind::Ignored,
                    of: Type::Any,
                    span: argument.value.span,
                });
                continue;
            }
            let wanted = self.with(&parameter.of, given, span);
            let wanted = (!self.is_open(&wanted, given)).then_some(wanted);
            match self.expression(&argument.value, wanted.as_ref()) {
                Some(value) => {
                    self.unify(given, &parameter.of, &value.of);
                    found[*place] = Some(value);
                }
                None => is_good = false,
            }
        }
        for (parameter, value) in parameters.iter().zip(&mut found) {
            if let Some(taken) = value.take() {
                *value = self.passed(parameter, taken, given, taker);
                is_good &= value.is_some();
            } else {
                value.clone_from(&parameter.default);
            }
        }
        is_good.then_some((found, order))
    }

    /// An argument as its parameter wants it.
    fn passed(
        &mut self,
        parameter: &Parameter,
        value: Expression,
        given: &Given,
        taker: Taker,
    ) -> Found {
        let to = self.with(&parameter.of, given, value.span);
        let span = value.span;
        let is_written = matches!(parameter.direction, Direction::Out | Direction::InOut);
        if value.kind == ExpressionKind::Ignored {
            if parameter.direction == Direction::Out || matches!(to, Type::Object(..)) {
                return Some(Expression { of: to, ..value });
            }
            let message = format!("`{}` must be given", parameter.name);
            return self.refuse("p4-type", span, message);
        }
        if is_written {
            if value.of != to && !self.is_open(&to, given) {
                let (is, wanted) = (self.types().text(&value.of), self.types().text(&to));
                let message = format!("`{}` is {wanted}, this is {is}", parameter.name);
                return self.refuse("p4-type", span, message);
            }
            self.writable(&value)?;
            return Some(value);
        }
        let value = self.convert(value, &to)?;
        if taker == Taker::Maker && !self.is_made(&value) {
            return self.unknown(span);
        }
        Some(value)
    }

    /// The parameter that each argument is for.
    fn places(
        &mut self,
        parameters: &[Parameter],
        arguments: &[ast::Argument],
        what: &str,
        span: Span,
    ) -> Option<Vec<usize>> {
        let mut places = Vec::new();
        for (at, argument) in arguments.iter().enumerate() {
            let place = match &argument.name {
                None if at < parameters.len() => at,
                None => {
                    let count = parameters.len();
                    let message =
                        format!("`{what}` takes {count} arguments, not {}", arguments.len());
                    return self.takes_these(message, what, parameters, span);
                }
                Some(name) => {
                    let place = parameters.iter().position(|one| one.name == name.text);
                    let Some(place) = place else {
                        let message = format!("`{what}` has no parameter `{}`", name.text);
                        let known: Vec<&str> =
                            parameters.iter().map(|one| one.name.as_str()).collect();
                        self.no_such(message, name, &known);
                        return None;
                    };
                    place
                }
            };
            if places.contains(&place) {
                let message = format!("`{}` is given twice", parameters[place].name);
                return self.refuse("p4-name", argument.value.span, message);
            }
            places.push(place);
        }
        for (place, parameter) in parameters.iter().enumerate() {
            if !places.contains(&place) && !parameter.is_optional {
                let message = format!("`{}` of `{what}` is not given", parameter.name);
                return self.takes_these(message, what, parameters, span);
            }
        }
        Some(places)
    }

    /// Tells that arguments are not as many as parameters, and what these are.
    fn takes_these<T>(
        &mut self,
        message: String,
        what: &str,
        parameters: &[Parameter],
        span: Span,
    ) -> Option<T> {
        let error = self.sources.error("p4-type", span, message);
        let help = match parameters.is_empty() {
            true => format!("it is called as it is: `{what}()`"),
            false => format!("it takes ({})", self.shown(parameters)),
        };
        self.errors.push(error.help(help));
        None
    }

    /// `static_assert(condition, message)` of `core.p4`: true, or an error.
    fn static_assert(&mut self, arguments: &[Option<Expression>], span: Span) -> Found {
        let known = |at: usize| arguments.get(at).and_then(|one| one.as_ref()?.known());
        match (known(0), known(1)) {
            (Some(Value::Bool(false)), Some(Value::Text(text))) => {
                let message = format!("static_assert: {text}");
                self.refuse("p4-constant", span, message)
            }
            (Some(Value::Bool(false)), _) => {
                self.refuse("p4-constant", span, "static_assert: it does not hold")
            }
            (Some(holds), _) => Some(made(holds.clone(), Type::Bool, span)),
            (None, _) => self.unknown(span),
        }
    }
}

/// Whether these parameters can be given these arguments, by their number and names.
pub(super) fn takes(parameters: &[Parameter], arguments: &[ast::Argument]) -> bool {
    let is_given = |place: usize, parameter: &Parameter| {
        arguments
            .iter()
            .enumerate()
            .any(|(at, argument)| match &argument.name {
                None => at == place,
                Some(name) => name.text == parameter.name,
            })
    };
    let all_known = arguments.iter().all(|argument| match &argument.name {
        None => true,
        Some(name) => parameters.iter().any(|one| one.name == name.text),
    });
    let mut places = parameters.iter().enumerate();
    arguments.len() <= parameters.len()
        && all_known
        && places.all(|(place, one)| one.is_optional || is_given(place, one))
}

fn applied(
    object: Expression,
    arguments: Vec<Option<Expression>>,
    order: Vec<usize>,
    span: Span,
) -> Expression {
    Expression {
        kind: ExpressionKind::Call(Box::new(Call {
            callee: Callee::Apply(object),
            types: Vec::new(),
            arguments,
            order,
        })),
        of: Type::Void,
        span,
    }
}

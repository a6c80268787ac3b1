//! What a program declares: its names looked up, its types with their widths, its constants with their values, and what can be called
//! with which parameters. What bodies do is not looked at.
//!
//! A name is known behind its declaration (§6.4.1), but for states of a parser. What is wrong is told once: a type that has an error is
//! [`Type::Wrong`], with which everything goes.

mod constants;
mod heads;
mod named;
mod records;

use crate::ast::{self, DeclarationKind, Program};
use crate::source::{Sources, Span, MOST_ERRORS};
use crate::types::{Object, ObjectKind, Type, Types};
use crate::value::Value;
use hardpath_diagnostic::{suggest, Diagnostic};
use std::collections::BTreeMap;

/// What a program declares.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Declared {
    /// All types.
    pub types: Types,
    /// Constants, in the order of the text, those in controls and parsers among them.
    pub constants: Vec<Constant>,
    /// Whatever can be called, made or applied, in the order of the text.
    pub heads: Vec<Head>,
    /// Objects that are made outside of all others, with their types; `main` is one.
    pub instances: Vec<(String, Type)>,
}

/// A constant.
#[derive(Clone, PartialEq, Debug)]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// Its type.
    pub of: Type,
    /// What it is.
    pub value: Value,
    /// Where it is declared.
    pub span: Span,
}

/// What can be called, made or applied.
#[derive(Clone, PartialEq, Debug)]
pub struct Head {
    /// What it is: `function`, `action`, `parser`, …
    pub kind: &'static str,
    /// Its name; that of a method with its extern in front: `packet_in.extract`.
    pub name: String,
    /// Parameters that are types, by their numbers.
    pub types: Vec<usize>,
    /// The others.
    pub parameters: Vec<Parameter>,
    /// What it is made with, where it is a parser or a control with a body.
    pub made_with: Vec<Parameter>,
    /// What it gives.
    pub gives: Type,
    /// Where it is declared.
    pub span: Span,
}

/// A parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// How it goes.
    pub direction: ast::Direction,
    /// Its type.
    pub of: Type,
    /// It need not be given: it has a default, or is `@optional`.
    pub is_optional: bool,
}

/// Looks up what a program declares.
///
/// # Errors
/// `p4-name`: a name that is not known, or is declared twice. `p4-type`: a type that the language does not have, or that does not go where
/// it stands. `p4-constant`: what must be known when the program is compiled and is not, or has no value. All of them, in the order of the
/// text.
pub fn declare(program: &Program, sources: &Sources) -> Result<Declared, Vec<Diagnostic>> {
    let mut declarer = Declarer {
        sources,
        told: Declared::default(),
        scopes: vec![BTreeMap::new()],
        made: BTreeMap::new(),
        errors: Vec::new(),
        deep: 0,
    };
    for declaration in &program.declarations {
        declarer.declaration(declaration);
    }
    match declarer.errors.is_empty() {
        true => Ok(declarer.told),
        false => {
            declarer.errors.truncate(MOST_ERRORS);
            Err(declarer.errors)
        }
    }
}

/// What a name stands for.
#[derive(Clone)]
enum Entity<'a> {
    Type(Type),
    /// A header, a union or a struct that takes types.
    Generic(&'a ast::Declaration),
    /// An extern, a parser, a control or a package.
    Object(usize),
    Constant(Type, Value),
    /// Anything else: what it is.
    Other(&'static str),
}

impl Entity<'_> {
    /// For messages.
    fn word(&self) -> &'static str {
        match self {
            Entity::Type(_) | Entity::Generic(_) | Entity::Object(_) => "type",
            Entity::Constant(..) => "constant",
            Entity::Other(word) => word,
        }
    }
}

struct Declarer<'a> {
    sources: &'a Sources,
    told: Declared,
    /// The outermost scope first.
    scopes: Vec<BTreeMap<String, (Entity<'a>, Span)>>,
    /// Records that take types, by where they are declared and what they were given.
    made: BTreeMap<(u32, u32, String), Type>,
    errors: Vec<Diagnostic>,
    /// So many types are being made in each other.
    deep: u32,
}

impl<'a> Declarer<'a> {
    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.errors.push(self.sources.error(code, span, message));
    }

    /// Runs with names of its own.
    fn scope<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(BTreeMap::new());
        let result = run(self);
        self.scopes.pop();
        result
    }

    /// Makes a name known, if it is not in this scope. Functions may share one, and objects that are made with parameters of other
    /// names (§6.8).
    fn name(&mut self, name: &ast::Name, entity: Entity<'a>) {
        let scope = self.scopes.last_mut().expect("there is one");
        if let Some((before, span)) = scope.get(&name.text) {
            let takes = |number: &usize| &self.told.types.objects[*number].takes;
            let overloads = match (before, &entity) {
                (Entity::Object(one), Entity::Object(other)) => takes(one) != takes(other),
                _ => (before.word(), entity.word()) == ("function", "function"),
            };
            if !overloads {
                let message = format!("`{}` is declared twice", name.text);
                let first = self.sources.place(*span);
                let error = self.sources.error("p4-name", name.span, message);
                self.errors.push(error.label(first, "the first one"));
                return;
            }
        }
        scope.insert(name.text.clone(), (entity, name.span));
    }

    /// What a name stands for; told where it is not known.
    fn look_up(&mut self, path: &ast::Path) -> Option<Entity<'a>> {
        let scopes = match path.from_top {
            true => &self.scopes[..1],
            false => &self.scopes[..],
        };
        let found = scopes
            .iter()
            .rev()
            .find_map(|scope| scope.get(&path.name.text));
        if let Some((entity, _)) = found {
            return Some(entity.clone());
        }
        let known = scopes.iter().flat_map(|scope| scope.keys());
        let known: Vec<&str> = known.map(String::as_str).collect();
        let near = suggest::nearest(&path.name.text, known.iter().copied()).map(str::to_owned);
        let message = format!("`{}` is not declared", path.name.text);
        let mut error = self.sources.error("p4-name", path.name.span, message);
        if let Some(near) = near {
            error = error.help(format!("did you mean `{near}`?"));
        }
        self.errors.push(error);
        None
    }

    fn declaration(&mut self, declaration: &'a ast::Declaration) {
        match &declaration.kind {
            DeclarationKind::Variable(variable) => self.variable(variable),
            DeclarationKind::Instance(instance) => self.instance(instance),
            DeclarationKind::Header(name, ..)
            | DeclarationKind::Union(name, ..)
            | DeclarationKind::Struct(name, ..) => self.record(declaration, name),
            DeclarationKind::Enum(below, name, members) => {
                self.enumeration(below.as_ref(), name, members);
            }
            DeclarationKind::Errors(names) => self.members(names, true),
            DeclarationKind::MatchKinds(names) => self.members(names, false),
            DeclarationKind::Alias(of, name) => {
                let of = self.type_of(of);
                self.name(name, Entity::Type(of));
            }
            DeclarationKind::AliasOfNew(inner, name) => self.alias_of_new(inner, name),
            DeclarationKind::NewType(of, name) => self.new_type(of, name),
            DeclarationKind::Extern(name, types, methods) => self.external(name, types, methods),
            DeclarationKind::Function(function) => self.function(function),
            DeclarationKind::Action(name, parameters, _) => self.action(name, parameters),
            DeclarationKind::Parser(head, parser) => self.parser(head, parser.as_deref()),
            DeclarationKind::Control(head, control) => self.control(head, control.as_deref()),
            DeclarationKind::Package(head) => self.package(head),
            DeclarationKind::Table(name, _) => self.name(name, Entity::Other("table")),
            DeclarationKind::ValueSet(of, size, name) => {
                self.type_of(of);
                self.size(size, "a value set");
                self.name(name, Entity::Other("value set"));
            }
        }
    }

    /// A constant or a variable.
    fn variable(&mut self, variable: &'a ast::Variable) {
        let of = self.type_of(&variable.of);
        if matches!(of, Type::Void | Type::Object(..) | Type::MatchKind) {
            let message = format!(
                "nothing that is stored is of type {}",
                self.told.types.text(&of)
            );
            self.error("p4-type", variable.of.span, message);
        }
        if !variable.is_constant {
            self.name(&variable.name, Entity::Other("variable"));
            return;
        }
        let value = variable
            .value
            .as_ref()
            .and_then(|value| self.constant_of(value, &of));
        if let Some(value) = value.clone() {
            self.told.constants.push(Constant {
                name: variable.name.text.clone(),
                of: of.clone(),
                value,
                span: variable.name.span,
            });
        }
        let entity = match value {
            Some(value) => Entity::Constant(of, value),
            // Its error was told; whoever uses it has none of it.
            None => Entity::Constant(Type::Wrong, Value::Bool(false)),
        };
        self.name(&variable.name, entity);
    }

    /// An object; what it is made with is not looked at.
    fn instance(&mut self, instance: &'a ast::Instance) {
        let of = self.type_of(&instance.of);
        let is_object = matches!(of, Type::Object(..) | Type::Wrong);
        if !is_object {
            let message = format!("{} is no type of objects", self.told.types.text(&of));
            self.error("p4-type", instance.of.span, message);
        }
        if self.scopes.len() == 1 {
            self.told.instances.push((instance.name.text.clone(), of));
        }
        self.name(&instance.name, Entity::Other("object"));
    }

    /// `typedef struct S {…} T;`.
    fn alias_of_new(&mut self, inner: &'a ast::Declaration, name: &ast::Name) {
        self.declaration(inner);
        let (DeclarationKind::Header(own, ..)
        | DeclarationKind::Union(own, ..)
        | DeclarationKind::Struct(own, ..)
        | DeclarationKind::Enum(_, own, _)) = &inner.kind
        else {
            return;
        };
        let scope = self.scopes.last().expect("there is one");
        if let Some((entity, _)) = scope.get(&own.text).cloned() {
            self.name(name, entity);
        }
    }

    /// A kind of objects, which are made with parameters of these names.
    fn object(
        &mut self,
        kind: ObjectKind,
        name: &ast::Name,
        parameters: usize,
        takes: Vec<String>,
    ) {
        let number = self.told.types.objects.len();
        self.told.types.objects.push(Object {
            kind,
            name: name.text.clone(),
            parameters,
            takes,
        });
        self.name(name, Entity::Object(number));
    }
}

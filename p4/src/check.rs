//! From the tree of a program to what it means ([`typed`](crate::typed)): names looked up, types with their widths, constants with their
//! values, calls with the types that they take, and whatever is wrong with any of it.
//!
//! A name is known behind its declaration (§6.4.1), but for states of a parser. What is wrong is told once: a type that has an error is
//! [`Type::Wrong`], with which everything goes, and an expression that has one is none.

mod annotations;
mod architecture;
mod blocks;
mod builtins;
mod calls;
mod cuts;
mod doubts;
mod entry_rules;
mod expressions;
mod heads;
mod infer;
mod library_calls;
mod literals;
mod members;
mod named;
mod objects;
mod parameters;
mod records;
mod sets;
mod statements;
mod tables;
mod unknown;
mod unused;
mod uses;

pub use architecture::said as text_of;

use crate::ast::{self, DeclarationKind};
use crate::source::{Sources, Span, MOST_ERRORS};
use crate::typed::{
    self, Constant, Expression, Program, Statement, StatementKind, Variable, VariableKind,
};
use crate::types::{ObjectKind, RecordKind, Type, Types};
use crate::value::Value;
use hardpath_diagnostic::Diagnostic;
use std::collections::{BTreeMap, BTreeSet};
pub(crate) use unknown::foreign;
use unknown::Wanted;

/// The error that is none (§9).
const NO_ERROR: &str = "NoError";

/// Looks up what a program means.
///
/// # Errors
/// `p4-name`: a name that is not known, or is declared twice. `p4-type`: a type that the language does not have, or that does not go where
/// it stands. `p4-constant`: what must be known when the program is compiled and is not, or has no value. `p4-statement`: what may not
/// stand where it stands. `p4-instance`: `main` is no package. All of them, in the order of the text.
pub fn check(program: &ast::Program, sources: &Sources) -> Result<Program, Vec<Diagnostic>> {
    let mut checker = Checker {
        sources,
        told: Program::default(),
        scopes: vec![BTreeMap::new()],
        made: BTreeMap::new(),
        made_by: BTreeMap::new(),
        functions: BTreeMap::new(),
        blocks: BTreeMap::new(),
        inside: Inside::default(),
        errors: Vec::new(),
        no_error: false,
        deep: 0,
        program,
        missing: BTreeSet::new(),
        not_written: BTreeSet::new(),
        incomplete: BTreeSet::new(),
    };
    // What an error is before it is written comes first, wherever it is declared: a program may declare its own in front of the library.
    let errors = program
        .declarations
        .iter()
        .filter_map(|one| match &one.kind {
            DeclarationKind::Errors(names) => Some(names),
            _ => None,
        });
    if errors.flatten().any(|name| name.text == NO_ERROR) {
        checker.told.types.errors.push(NO_ERROR.into());
    }
    for declaration in &program.declarations {
        checker.declaration(declaration);
    }
    checker.main();
    checker.architecture();
    if checker.errors.is_empty() {
        checker.doubt_uses();
    }
    checker.told.warnings = once(checker.told.warnings);
    match checker.errors.is_empty() {
        true => Ok(checker.told),
        false => Err(once(checker.errors)),
    }
}

/// Each once, as many as one reads: what takes types is looked at for each set of them.
fn once(mut all: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen = BTreeSet::new();
    all.retain(|one| seen.insert(one.to_string()));
    all.truncate(MOST_ERRORS);
    all
}

/// What a name stands for.
#[derive(Clone)]
enum Entity<'a> {
    Type(Type),
    /// A header, a union or a struct that takes types.
    Generic(&'a ast::Declaration),
    /// An extern, a parser, a control or a package: the last one of this name, with those before it (§6.8).
    Object(usize),
    Constant(Type, Value),
    Variable(usize),
    /// All functions of this name.
    Functions(Vec<usize>),
    Action(usize),
    Instance(usize),
    Table(usize),
    ValueSet(usize),
    State(usize),
    /// Its error was told.
    Wrong,
}

impl Entity<'_> {
    /// For messages.
    fn word(&self) -> &'static str {
        match self {
            Entity::Type(_) | Entity::Generic(_) | Entity::Object(_) => "type",
            Entity::Constant(..) => "constant",
            Entity::Variable(_) => "variable",
            Entity::Functions(_) => "function",
            Entity::Action(_) => "action",
            Entity::Instance(_) => "object",
            Entity::Table(_) => "table",
            Entity::ValueSet(_) => "value set",
            Entity::State(_) => "state",
            Entity::Wrong => "thing with an error",
        }
    }
}

impl Entity<'_> {
    /// The same with its article.
    fn phrase(&self) -> String {
        let word = self.word();
        match word.starts_with(['a', 'e', 'i', 'o', 'u']) {
            true => format!("an {word}"),
            false => format!("a {word}"),
        }
    }

    /// What may have been meant where a value is wanted.
    fn instead(&self, name: &str) -> Option<String> {
        match self {
            Entity::Action(_) => Some(format!("an action is called: `{name}(…)`")),
            Entity::Functions(_) => Some(format!("a function is called: `{name}(…)`")),
            Entity::Table(_) => Some(format!("a table is applied: `{name}.apply()`")),
            Entity::Object(_) => Some(format!("an object of it is made: `{name}()`")),
            _ => None,
        }
    }
}

/// What a body is that is being looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Place {
    /// Outside of all bodies.
    #[default]
    Nowhere,
    Function,
    Action,
    Control,
    Parser,
    /// What applies parsers and controls for an architecture.
    Architecture,
}

/// Where the checker is.
#[derive(Clone, Default)]
struct Inside {
    place: Place,
    /// What `return` gives.
    gives: Option<Type>,
    loops: u32,
    /// The extern whose abstract method is being written.
    this: Option<Type>,
    /// What the parser or control has so far.
    actions: Vec<usize>,
    tables: Vec<usize>,
    value_sets: Vec<usize>,
    instances: Vec<usize>,
    locals: Vec<Statement>,
}

struct Checker<'a> {
    sources: &'a Sources,
    told: Program,
    /// The outermost scope first.
    scopes: Vec<BTreeMap<String, (Entity<'a>, Span)>>,
    /// Records that take types, made once for each set of them: by the place of the declaration, and what it is given.
    made: BTreeMap<(u32, u32, String), Type>,
    /// The declarations of these, by the number of the record.
    made_by: BTreeMap<usize, &'a ast::Declaration>,
    /// Functions that take types and have a body, by their numbers, with those that were made of them.
    functions: BTreeMap<usize, (&'a ast::Declaration, BTreeMap<String, usize>)>,
    /// Parsers and controls that have a body, by the numbers of their types, with those that were made of them.
    blocks: BTreeMap<usize, (&'a ast::Declaration, BTreeMap<String, usize>)>,
    inside: Inside,
    errors: Vec<Diagnostic>,
    /// [`NO_ERROR`] was declared.
    no_error: bool,
    /// So many types are being made in each other.
    deep: u32,
    program: &'a ast::Program,
    /// Files of ours that the program uses and does not include: told once.
    missing: BTreeSet<&'static str>,
    /// Parameters of which it was told that nothing is written to them.
    not_written: BTreeSet<usize>,
    /// Tables whose list of actions has an error.
    incomplete: BTreeSet<usize>,
}

impl<'a> Checker<'a> {
    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.errors.push(self.sources.error(code, span, message));
    }

    /// The same, where something was wanted of it.
    fn refuse<T>(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
    ) -> Option<T> {
        self.error(code, span, message);
        None
    }

    fn types(&self) -> &Types {
        &self.told.types
    }

    /// Runs with names of its own.
    fn scope<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(BTreeMap::new());
        let result = run(self);
        self.scopes.pop();
        result
    }

    /// Runs with what is declared outside of everything, and names of its own: what was declared elsewhere is not known there.
    fn outside<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let inner: Vec<_> = self.scopes.drain(1..).collect();
        let before = std::mem::take(&mut self.inside);
        let result = self.scope(run);
        self.inside = before;
        self.scopes.extend(inner);
        result
    }

    /// Makes a name known, if it is not in this scope. Functions may share one, and objects that are made with parameters of other
    /// names (§6.8).
    fn name(&mut self, name: &ast::Name, entity: Entity<'a>) {
        let scope = self.scopes.last_mut().expect("there is one");
        if let Some((before, span)) = scope.get_mut(&name.text) {
            let takes = |number: &usize| &self.told.types.objects[*number].takes;
            let overloads = match (&mut *before, &entity) {
                // It was told already that the name is not known.
                (Entity::Wrong, _) => true,
                (Entity::Object(one), Entity::Object(other)) => takes(one) != takes(other),
                (Entity::Functions(all), Entity::Functions(more)) => {
                    all.extend(more);
                    return;
                }
                _ => false,
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
    fn look_up(&mut self, path: &ast::Path, wanted: Wanted) -> Option<Entity<'a>> {
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
        self.undeclared(path, wanted);
        None
    }

    fn declaration(&mut self, declaration: &'a ast::Declaration) {
        self.annotations(&declaration.annotations);
        match &declaration.kind {
            DeclarationKind::Variable(variable) => {
                let statement = self.variable(variable, declaration.span);
                self.inside.locals.extend(statement);
            }
            DeclarationKind::Instance(instance) => {
                self.instance(instance, &declaration.annotations);
            }
            DeclarationKind::Header(name, ..)
            | DeclarationKind::Union(name, ..)
            | DeclarationKind::Struct(name, ..) => self.record(declaration, name),
            DeclarationKind::Enum(below, name, members) => {
                self.enumeration(below.as_ref(), name, members);
            }
            DeclarationKind::Errors(names) => self.members(names, true),
            DeclarationKind::MatchKinds(names) => self.members(names, false),
            DeclarationKind::Alias(of, name) => {
                let known = self.type_of(of);
                // §7.2.9.
                if matches!(known, Type::Void | Type::Text | Type::MatchKind) {
                    let message = format!(
                        "no type is called anew that is {}",
                        self.types().text(&known)
                    );
                    self.error("p4-type", of.span, message);
                }
                self.name(name, Entity::Type(known));
            }
            DeclarationKind::AliasOfNew(inner, name) => self.alias_of_new(inner, name),
            DeclarationKind::NewType(of, name) => {
                self.new_type(of, name, &declaration.annotations);
            }
            DeclarationKind::Extern(name, types, methods) => {
                self.external(declaration, name, types, methods);
            }
            DeclarationKind::Function(_) => self.function(declaration),
            DeclarationKind::Action(name, parameters, body) => {
                self.action(name, parameters, body, &declaration.annotations);
            }
            DeclarationKind::Parser(head, parser) => {
                let made_with = parser.as_ref().map(|parser| &parser.made_with[..]);
                self.block(declaration, head, made_with);
            }
            DeclarationKind::Control(head, control) => {
                let made_with = control.as_ref().map(|control| &control.made_with[..]);
                self.block(declaration, head, made_with);
            }
            DeclarationKind::Package(head) => self.package(declaration, head),
            DeclarationKind::Table(name, properties) => {
                self.table(name, properties, &declaration.annotations);
            }
            DeclarationKind::ValueSet(of, size, name) => {
                self.value_set(of, size, name, &declaration.annotations);
            }
        }
    }

    /// §17: what is called `main` is a package; a function may be called so, too.
    fn main(&mut self) {
        let Some((entity, span)) = self.scopes[0].get("main").cloned() else {
            return;
        };
        let of = match entity {
            Entity::Wrong | Entity::Functions(_) => return,
            Entity::Instance(number) => self.told.instances[number].of.clone(),
            _ => Type::Any,
        };
        match of {
            Type::Object(number, _) if self.told.objects[number].kind == ObjectKind::Package => {}
            _ => self.error("p4-instance", span, "`main` is no package"),
        }
    }

    /// A constant or a variable; a variable that has a value gets it by the statement.
    fn variable(&mut self, variable: &'a ast::Variable, span: Span) -> Option<Statement> {
        let of = self.type_of(&variable.of);
        if matches!(of, Type::Void | Type::Object(..) | Type::MatchKind) {
            let message = format!(
                "nothing that is stored is of type {}",
                self.types().text(&of)
            );
            let error = self.sources.error("p4-type", variable.of.span, message);
            self.errors.push(match of {
                Type::Object(..) => {
                    let (of, name) = (self.types().text(&of), &variable.name.text);
                    error.help(format!(
                        "objects are made with parentheses: `{of}(…) {name};`"
                    ))
                }
                _ => error,
            });
            self.name(&variable.name, Entity::Wrong);
            return None;
        }
        if variable.is_constant {
            self.constant(variable, of);
            return None;
        }
        if matches!(of, Type::Integer | Type::Text | Type::List(_)) {
            let text = self.types().text(&of);
            let message = format!("no variable is of type {text}, which only constants have");
            let error = self.sources.error("p4-type", variable.of.span, message);
            self.errors.push(match of {
                Type::Integer => {
                    error.help("say how wide it is: `bit<32>`, or `int<32>` with a sign")
                }
                _ => error,
            });
        }
        if self.inside.place == Place::Nowhere {
            let message = "outside of everything there are only constants";
            self.error("p4-statement", variable.name.span, message);
        }
        let value = match &variable.value {
            None => None,
            // A value with an error is left out: it was told.
            Some(value) => self.value_of(value, &of),
        };
        let number = self.declare_variable(&variable.name, of, VariableKind::Local);
        Some(Statement {
            kind: StatementKind::Declare(number, value),
            span,
        })
    }

    /// Names hide those of outer scopes (§6.9), but what hides a parameter in its own body is nearly always meant to be the parameter, and
    /// other compilers refuse it, too.
    fn shadows(&mut self, name: &ast::Name) {
        let around = self.scopes.len() - 1;
        let mut scopes = self.scopes[1..around.max(1)].iter().rev();
        let hidden = scopes.find_map(|scope| scope.get(&name.text));
        let Some((Entity::Variable(number), first)) = hidden else {
            return;
        };
        if matches!(
            self.told.variables[*number].kind,
            VariableKind::Parameter(_)
        ) {
            let first = self.sources.place(*first);
            let message = format!("`{}` hides a parameter of this name", name.text);
            let error = self.sources.error("p4-name", name.span, message);
            self.errors.push(error.label(first, "the parameter"));
        }
    }

    fn constant(&mut self, variable: &'a ast::Variable, of: Type) {
        let value = variable
            .value
            .as_ref()
            .and_then(|value| self.known_of(value, &of));
        let Some(value) = value else {
            // Its error was told; whoever uses it has none of it.
            self.name(&variable.name, Entity::Wrong);
            return;
        };
        self.told.constants.push(Constant {
            name: variable.name.text.clone(),
            of: of.clone(),
            value: value.clone(),
            span: variable.name.span,
        });
        self.name(&variable.name, Entity::Constant(of, value));
    }

    /// Makes a variable known; gives its place.
    fn declare_variable(&mut self, name: &ast::Name, of: Type, kind: VariableKind) -> usize {
        let number = self.told.variables.len();
        self.told.variables.push(Variable {
            name: name.text.clone(),
            of,
            kind,
            span: name.span,
        });
        self.name(name, Entity::Variable(number));
        number
    }

    fn value_set(
        &mut self,
        of: &'a ast::Type,
        size: &'a ast::Expression,
        name: &'a ast::Name,
        annotations: &[ast::Annotation],
    ) {
        let element = of;
        let of = self.type_of(of);
        // §13.6.
        let is_good = match &of {
            Type::Record(_) => self.types().is_record(&of, RecordKind::Struct),
            Type::Bit(_) | Type::Int(_) | Type::Bool | Type::Error => true,
            Type::Tuple(_) | Type::Enum(_) | Type::New(_) | Type::Wrong => true,
            _ => false,
        };
        if !is_good {
            let message = format!("no value set is of {}", self.types().text(&of));
            self.error("p4-type", element.span, message);
        }
        let Some(size) = self.size_of(size, "a value set").filter(|_| is_good) else {
            self.name(name, Entity::Wrong);
            return;
        };
        let number = self.told.value_sets.len();
        self.told.value_sets.push(typed::ValueSet {
            name: name.text.clone(),
            of,
            size,
            annotations: annotations.to_vec(),
            span: name.span,
        });
        self.inside.value_sets.push(number);
        self.name(name, Entity::ValueSet(number));
    }

    /// How many there are of something: known, or to be known once the object around it is made.
    fn size_of(&mut self, size: &'a ast::Expression, what: &str) -> Option<Expression> {
        let expression = self.expression(size, None)?;
        if expression.known().is_some() {
            self.count(&expression, what)?;
        } else if !self.is_made(&expression) {
            return self.unknown(size.span);
        }
        Some(expression)
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
}

//! A program as it is meant: names looked up, types and widths known, casts that the compiler makes written out, what takes types made
//! once for each set of them. The interpreter and the lowering start here, and so does whoever describes a program.
//!
//! Things refer to each other by their places in the lists of [`Program`]. A variable has one place in a whole program: nothing in P4
//! calls itself (§6.8), so no more than one of each is alive.

use crate::ast::{Annotation, Binary, Direction, Unary};
use crate::source::Span;
use crate::types::{ObjectKind, Type, Types};
use crate::value::Value;
use hardpath_diagnostic::Diagnostic;

/// A program.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Program {
    /// All types.
    pub types: Types,
    /// Constants, in the order of the text, those in controls and parsers among them.
    pub constants: Vec<Constant>,
    /// Variables and parameters.
    pub variables: Vec<Variable>,
    /// Functions, actions, methods and constructors, those that are only declared among them.
    pub functions: Vec<Function>,
    /// What types of objects are, in the order in which [`Types::objects`] has them.
    pub objects: Vec<ObjectType>,
    /// Parsers and controls that have a body.
    pub blocks: Vec<Block>,
    /// Tables.
    pub tables: Vec<Table>,
    /// Value sets.
    pub value_sets: Vec<ValueSet>,
    /// Objects, those without a name among them.
    pub instances: Vec<Instance>,
    /// Instances that are made outside of everything; `main` is one.
    pub top: Vec<usize>,
    /// The control that says what the architecture of `main` does, if it is known.
    pub architecture: Option<usize>,
    /// Functions that say what extern functions do, by the names of these.
    pub implementations: Vec<(String, usize)>,
    /// What is right as it stands and was hardly meant.
    pub warnings: Vec<Diagnostic>,
    /// What the architecture refuses, and where the program asks for it.
    pub causes: Vec<(Span, Span)>,
    /// It was P4_14, where an action stands outside of all controls: each control that needs it has it by the same whole name.
    pub is_translated: bool,
}

impl Program {
    /// What runs where this function is called: one that says what an extern function does stands for it.
    pub fn called(&self, function: usize) -> &Function {
        let function = &self.functions[function];
        if function.body.is_some() {
            return function;
        }
        let mut stand = self.implementations.iter();
        let found = stand.find(|(name, other)| {
            let other = &self.functions[*other];
            *name == function.name && other.parameters.len() == function.parameters.len()
        });
        found.map_or(function, |(_, other)| &self.functions[*other])
    }

    /// What whoever made an object says that a method does.
    pub fn own_method(&self, instance: usize, method: usize) -> Option<&Function> {
        let name = self.functions[method].own_name();
        let mut said = self.instances[instance].methods.iter();
        let said = said.find(|(own, _)| own == name);
        said.map(|(_, said)| &self.functions[*said])
    }
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

/// What a variable is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VariableKind {
    /// Declared in a body.
    Local,
    /// A parameter, of a function, an action, a parser or a control.
    Parameter(Direction),
    /// What a parser or a control is made with: known before the first packet.
    Made,
    /// Of a `for (… in …)`.
    Each,
}

/// A variable or a parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type.
    pub of: Type,
    /// Which.
    pub kind: VariableKind,
    /// Where it is declared.
    pub span: Span,
}

/// A parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// How it goes.
    pub direction: Direction,
    /// Its type.
    pub of: Type,
    /// What it is when it is not given.
    pub default: Option<Expression>,
    /// It need not be given: it has a default, or is `@optional`.
    pub is_optional: bool,
    /// Its variable, in the body.
    pub variable: usize,
    /// In front of it.
    pub annotations: Vec<Annotation>,
}

/// What a function is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum FunctionKind {
    Function,
    Action,
    Method,
    Constructor,
}

impl FunctionKind {
    /// For messages.
    pub fn word(self) -> &'static str {
        match self {
            FunctionKind::Function => "function",
            FunctionKind::Action => "action",
            FunctionKind::Method => "method",
            FunctionKind::Constructor => "constructor",
        }
    }
}

/// What can be called.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Which.
    pub kind: FunctionKind,
    /// Its name; that of a method with its extern in front: `packet_in.extract`.
    pub name: String,
    /// Parameters that are types, by their numbers.
    pub types: Vec<usize>,
    /// The others.
    pub parameters: Vec<Parameter>,
    /// What it gives.
    pub gives: Type,
    /// What it does; `None`: it is declared only.
    pub body: Option<Vec<Statement>>,
    /// Whoever makes an object says what it does.
    pub is_abstract: bool,
    /// In front of it.
    pub annotations: Vec<Annotation>,
    /// Where it is declared: its name.
    pub span: Span,
}

impl Function {
    /// What the control plane gives an action: parameters that have no direction.
    pub fn data_parameters(&self) -> impl Iterator<Item = &Parameter> {
        let all = self.parameters.iter();
        all.filter(|one| one.direction == Direction::None)
    }

    /// All of it but what it does.
    pub fn head(&self) -> Function {
        Function {
            kind: self.kind,
            name: self.name.clone(),
            types: self.types.clone(),
            parameters: self.parameters.clone(),
            gives: self.gives.clone(),
            body: self.body.as_ref().map(|_| Vec::new()),
            is_abstract: self.is_abstract,
            annotations: self.annotations.clone(),
            span: self.span,
        }
    }

    /// Its name without its extern.
    pub fn own_name(&self) -> &str {
        match self.name.split_once('.') {
            Some((_, own)) => own,
            None => &self.name,
        }
    }
}

/// What a type of objects is: an extern, a parser, a control or a package.
#[derive(Clone, PartialEq, Debug)]
pub struct ObjectType {
    /// Which.
    pub kind: ObjectKind,
    /// Its name.
    pub name: String,
    /// Parameters that are types, by their numbers.
    pub types: Vec<usize>,
    /// Parameters of `apply`; of a package, those that it is made with.
    pub parameters: Vec<Parameter>,
    /// What a parser or a control is made with.
    pub made_with: Vec<Parameter>,
    /// Methods and constructors of an extern.
    pub methods: Vec<usize>,
    /// It is a parser or a control that can be made: it has a body.
    pub has_body: bool,
    /// In front of it.
    pub annotations: Vec<Annotation>,
    /// Where it is declared: its name.
    pub span: Span,
}

/// A parser or a control, for the types that it is given.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// Its type of objects.
    pub object: usize,
    /// Its name.
    pub name: String,
    /// Types that it is given.
    pub given: Vec<Type>,
    /// Parameters of `apply`.
    pub parameters: Vec<Parameter>,
    /// What it is made with.
    pub made_with: Vec<Parameter>,
    /// Variables in front of its states or of `apply`.
    pub locals: Vec<Statement>,
    /// Its actions.
    pub actions: Vec<usize>,
    /// Its tables.
    pub tables: Vec<usize>,
    /// Its value sets.
    pub value_sets: Vec<usize>,
    /// Its objects.
    pub instances: Vec<usize>,
    /// States of a parser.
    pub states: Vec<State>,
    /// What a control does.
    pub apply: Vec<Statement>,
    /// In front of it.
    pub annotations: Vec<Annotation>,
    /// Where it is declared: its name.
    pub span: Span,
}

/// A state of a parser.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    /// Its name.
    pub name: String,
    /// What it does.
    pub statements: Vec<Statement>,
    /// Where it goes on.
    pub next: Transition,
    /// In front of it.
    pub annotations: Vec<Annotation>,
    /// Where: its name.
    pub span: Span,
}

/// Where a parser goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// It ends well.
    Accept,
    /// It ends with an error.
    Reject,
    /// A state, by its place in the parser.
    State(usize),
}

/// Where a state goes on.
#[derive(Clone, PartialEq, Debug)]
pub enum Transition {
    /// There.
    To(Target),
    /// To the first case that has the values; to `reject` with `NoMatch` where none has (§13.6).
    Select {
        /// What is looked at.
        values: Vec<Expression>,
        /// Sets, as many as values, and where to go.
        cases: Vec<(Vec<Set>, Target)>,
    },
}

/// A set of values (§8.16).
#[derive(Clone, PartialEq, Debug)]
pub enum Set {
    /// All: `default`, `_`.
    All,
    /// One value.
    One(Expression),
    /// `value &&& mask`.
    Mask(Expression, Expression),
    /// `low .. high`, both in it.
    Range(Expression, Expression),
    /// What the control plane has put into a value set.
    Named(usize),
}

/// A value set (§13.11).
#[derive(Clone, PartialEq, Debug)]
pub struct ValueSet {
    /// Its name.
    pub name: String,
    /// What is in it.
    pub of: Type,
    /// So many at most.
    pub size: Expression,
    /// In front of it.
    pub annotations: Vec<Annotation>,
    /// Where: its name.
    pub span: Span,
}

/// An object that is made.
#[derive(Clone, PartialEq, Debug)]
pub struct Instance {
    /// Its name; that of its type where it has none.
    pub name: String,
    /// It has no name of its own.
    pub is_anonymous: bool,
    /// What it is one of, with the types that this is given.
    pub of: Type,
    /// The parser or control.
    pub block: Option<usize>,
    /// The constructor of an extern.
    pub constructor: Option<usize>,
    /// What it is made with, in the order of the parameters; `None`: it was left out.
    pub arguments: Vec<Option<Expression>>,
    /// Methods that were abstract, by their names.
    pub methods: Vec<(String, usize)>,
    /// In front of it.
    pub annotations: Vec<Annotation>,
    /// Where.
    pub span: Span,
}

/// A table (§14.2).
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its key.
    pub keys: Vec<Key>,
    /// Its actions.
    pub actions: Vec<TableAction>,
    /// What is done when nothing matches; `None`: nothing.
    pub default: Option<ActionCall>,
    /// Nobody changes that.
    pub default_is_constant: bool,
    /// Entries that the program has.
    pub entries: Vec<Entry>,
    /// There are no others.
    pub entries_are_constant: bool,
    /// Entries that it should have room for.
    pub size: Option<Expression>,
    /// All other properties.
    pub properties: Vec<Property>,
    /// In front of it.
    pub annotations: Vec<Annotation>,
    /// Where: its name.
    pub span: Span,
}

/// Keys of this kind are not looked for: they go into the hash of an action selector.
pub const SELECTOR: &str = "selector";

/// Keys of this kind can find several entries.
pub(crate) fn needs_priorities(kind: &str) -> bool {
    matches!(kind, "ternary" | "range" | "optional")
}

impl Table {
    /// A key can find several entries, and their priorities decide (§14.2.1.4).
    pub fn takes_priorities(&self) -> bool {
        self.keys.iter().any(|key| needs_priorities(&key.kind))
    }

    /// Keys that entries say something of; the others go into the hash of an action selector.
    pub fn matched_keys(&self) -> impl Iterator<Item = (usize, &Key)> {
        let keys = self.keys.iter().enumerate();
        keys.filter(|(_, key)| key.kind != SELECTOR)
    }

    /// The place of the key that is a prefix.
    pub fn prefix(&self) -> Option<usize> {
        self.keys.iter().position(|key| key.kind == "lpm")
    }

    /// A property, by its name.
    pub fn property(&self, name: &str) -> Option<&Property> {
        self.properties
            .iter()
            .find(|property| property.name == name)
    }
}

/// A part of a key.
#[derive(Clone, PartialEq, Debug)]
pub struct Key {
    /// What is looked for.
    pub value: Expression,
    /// How: the name of a match kind.
    pub kind: String,
    /// What the control plane calls it: the text of the expression, or its `@name`; `None`: it needs a `@name` and has none.
    pub name: Option<String>,
    /// Behind it.
    pub annotations: Vec<Annotation>,
}

/// An action of a table.
#[derive(Clone, PartialEq, Debug)]
pub struct TableAction {
    /// The action.
    pub action: usize,
    /// What the table gives for parameters that have a direction.
    pub bound: Vec<Option<Expression>>,
    /// In front of it.
    pub annotations: Vec<Annotation>,
}

/// An action of a table with what it is given.
#[derive(Clone, PartialEq, Debug)]
pub struct ActionCall {
    /// The place in the table's list.
    pub action: usize,
    /// For parameters that have no direction, in order.
    pub arguments: Vec<Expression>,
    /// Where.
    pub span: Span,
}

/// An entry that stands in the program.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// It never changes, where others may.
    pub is_constant: bool,
    /// Its priority, if it says one.
    pub priority: Option<Expression>,
    /// What it takes, as many sets as the key has parts.
    pub keys: Vec<Set>,
    /// What then happens.
    pub action: ActionCall,
    /// Behind it.
    pub annotations: Vec<Annotation>,
    /// Where.
    pub span: Span,
}

/// A property of a table that an architecture has.
#[derive(Clone, PartialEq, Debug)]
pub struct Property {
    /// What it is called.
    pub name: String,
    /// It never changes.
    pub is_constant: bool,
    /// What it says.
    pub value: Expression,
    /// In front of it.
    pub annotations: Vec<Annotation>,
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    /// Which.
    pub kind: StatementKind,
    /// Where.
    pub span: Span,
}

/// The forms of a statement.
#[derive(Clone, PartialEq, Debug)]
pub enum StatementKind {
    /// A variable begins, with its first value where it has one.
    Declare(usize, Option<Expression>),
    /// What is on the left becomes what is on the right, which has the same type.
    Assign(Expression, Expression),
    /// The same with an operator between both, `a += b`; the left side is found once. The cast is that of the result.
    Update(Expression, Binary, Expression),
    /// A call, whose result nobody wants.
    Call(Expression),
    /// Several.
    Block(Vec<Statement>),
    /// `if`.
    If(Expression, Vec<Statement>, Vec<Statement>),
    /// By which action a table has run; a case without statements goes on with the next one. `None` is `default`.
    SwitchAction(Expression, Vec<(Option<usize>, Option<Vec<Statement>>)>),
    /// By a value; as above.
    Switch(
        Expression,
        Vec<(Option<Expression>, Option<Vec<Statement>>)>,
    ),
    /// `for (…; …; …)`.
    For {
        /// First.
        begin: Vec<Statement>,
        /// While.
        condition: Expression,
        /// Behind each round.
        update: Vec<Statement>,
        /// Each round.
        body: Vec<Statement>,
    },
    /// `for (x in low .. high)`.
    ForRange {
        /// The variable.
        variable: usize,
        /// The first number.
        low: Expression,
        /// The last one.
        high: Expression,
        /// Each round.
        body: Vec<Statement>,
    },
    /// `for (x in list)`.
    ForEach {
        /// The variable.
        variable: usize,
        /// A list, a tuple or a stack.
        values: Expression,
        /// Each round.
        body: Vec<Statement>,
    },
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return`.
    Return(Option<Expression>),
    /// `exit`.
    Exit,
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Expression {
    /// Which.
    pub kind: ExpressionKind,
    /// Its type.
    pub of: Type,
    /// Where.
    pub span: Span,
}

/// The forms of an expression.
#[derive(Clone, PartialEq, Debug)]
pub enum ExpressionKind {
    /// What the compiler knows.
    Value(Value),
    /// A variable or a parameter.
    Variable(usize),
    /// An object that is made.
    Object(usize),
    /// The object whose method this is.
    This,
    /// A field of a struct, header or union; what a package is made with.
    Field(Box<Expression>, usize),
    /// A part of a stack, a tuple or a list.
    Index(Box<Expression>, Box<Expression>),
    /// Bits `high` to `low`.
    Slice(Box<Expression>, u32, u32),
    /// So many bits from a place on that is known only when the program runs.
    Part(Box<Expression>, Box<Expression>, u32),
    /// `next` of a stack.
    Next(Box<Expression>),
    /// `last` of a stack.
    Last(Box<Expression>),
    /// `lastIndex` of a stack.
    LastIndex(Box<Expression>),
    /// An operator in front.
    Unary(Unary, Box<Expression>),
    /// An operator between two that have the same type, but for shifts and `++`.
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// The same value in another type.
    Cast(Box<Expression>),
    /// `c ? a : b`.
    Choice(Box<Expression>, Box<Expression>, Box<Expression>),
    /// All parts of a struct, a header that is valid, a stack, a tuple or a list.
    Parts(Vec<Expression>),
    /// The same where they were written in another order, which is that of these places.
    PartsIn(Vec<Expression>, Vec<usize>),
    /// A call.
    Call(Box<Call>),
    /// A table is applied.
    Apply(usize),
    /// Whether applying a table found an entry.
    Hit(Box<Expression>),
    /// Whether it found none.
    Miss(Box<Expression>),
    /// `_`, where nobody wants what comes out.
    Ignored,
}

/// A call.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// What is called.
    pub callee: Callee,
    /// Types that it is given, in the order of its own parameters.
    pub types: Vec<Type>,
    /// In the order of the parameters; `None`: it is left out.
    pub arguments: Vec<Option<Expression>>,
    /// The order in which they were written, by their places.
    pub order: Vec<usize>,
}

impl Call {
    /// What parameters are given, with their places: from left to right as it is written, what they have by default behind it.
    pub fn in_order(&self) -> impl Iterator<Item = (usize, &Expression)> {
        let all = 0..self.arguments.len();
        let left_out = all.filter(|at| !self.order.contains(at));
        let order = self.order.iter().copied().chain(left_out);
        order.filter_map(|at| Some((at, self.arguments[at].as_ref()?)))
    }

    /// Types of what parameters are given; where one is left out, its own.
    pub fn given_types(&self, parameters: &[Parameter]) -> Vec<Type> {
        let both = parameters.iter().zip(&self.arguments);
        let types = both.map(|(parameter, argument)| match argument {
            Some(argument) => argument.of.clone(),
            None => parameter.of.clone(),
        });
        types.collect()
    }
}

/// What is called.
#[derive(Clone, PartialEq, Debug)]
pub enum Callee {
    /// A function, one that is extern, or an action.
    Function(usize),
    /// A method of an object of an extern.
    Method(Expression, usize),
    /// A parser or a control.
    Apply(Expression),
    /// `isValid`.
    IsValid(Expression),
    /// `setValid`, `setInvalid`.
    SetValid(Expression, bool),
    /// `push_front`, by so many.
    Push(Expression, u32),
    /// `pop_front`.
    Pop(Expression, u32),
}

impl Expression {
    /// Its value, where the compiler knows it.
    pub fn known(&self) -> Option<&Value> {
        match &self.kind {
            ExpressionKind::Value(value) => Some(value),
            _ => None,
        }
    }
}

/// What stands in a statement.
pub(crate) enum Part<'a> {
    Value(&'a Expression),
    Body(&'a [Statement]),
}

impl Statement {
    /// Expressions and statements in it, in the order of the text.
    pub(crate) fn parts(&self) -> Vec<Part<'_>> {
        use Part::{Body, Value};
        fn cases<'a, T>(
            value: &'a Expression,
            cases: &'a [(T, Option<Vec<Statement>>)],
        ) -> Vec<Part<'a>> {
            let bodies = cases.iter().filter_map(|(_, body)| body.as_deref());
            [Value(value)].into_iter().chain(bodies.map(Body)).collect()
        }
        match &self.kind {
            StatementKind::Declare(_, value) | StatementKind::Return(value) => {
                value.iter().map(Value).collect()
            }
            StatementKind::Assign(one, other) | StatementKind::Update(one, _, other) => {
                vec![Value(one), Value(other)]
            }
            StatementKind::Call(call) => vec![Value(call)],
            StatementKind::Block(inner) => vec![Body(inner)],
            StatementKind::If(condition, yes, no) => vec![Value(condition), Body(yes), Body(no)],
            StatementKind::SwitchAction(value, all) => cases(value, all),
            StatementKind::Switch(value, all) => cases(value, all),
            StatementKind::For {
                begin,
                condition,
                update,
                body,
            } => vec![Body(begin), Value(condition), Body(update), Body(body)],
            StatementKind::ForRange {
                low, high, body, ..
            } => vec![Value(low), Value(high), Body(body)],
            StatementKind::ForEach { values, body, .. } => vec![Value(values), Body(body)],
            StatementKind::Break | StatementKind::Continue | StatementKind::Exit => Vec::new(),
        }
    }
}

impl Expression {
    /// Expressions in it, in the order of the text; of a call what it is given.
    pub(crate) fn parts(&self) -> Vec<&Expression> {
        match &self.kind {
            ExpressionKind::Value(_)
            | ExpressionKind::Variable(_)
            | ExpressionKind::Object(_)
            | ExpressionKind::This
            | ExpressionKind::Apply(_)
            | ExpressionKind::Ignored => Vec::new(),
            ExpressionKind::Field(one, _)
            | ExpressionKind::Slice(one, _, _)
            | ExpressionKind::Next(one)
            | ExpressionKind::Last(one)
            | ExpressionKind::LastIndex(one)
            | ExpressionKind::Unary(_, one)
            | ExpressionKind::Cast(one)
            | ExpressionKind::Hit(one)
            | ExpressionKind::Miss(one) => vec![one],
            ExpressionKind::Index(one, other)
            | ExpressionKind::Part(one, other, _)
            | ExpressionKind::Binary(_, one, other) => vec![one, other],
            ExpressionKind::Choice(condition, yes, no) => vec![condition, yes, no],
            ExpressionKind::Parts(parts) | ExpressionKind::PartsIn(parts, _) => {
                parts.iter().collect()
            }
            ExpressionKind::Call(call) => call.arguments.iter().flatten().collect(),
        }
    }
}

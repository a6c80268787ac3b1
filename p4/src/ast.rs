//! The tree of a program, as it is written: names are not looked up and nothing is typed. It follows the grammar in the specification's
//! appendix.

use crate::lexer::Token;
use crate::source::Span;

/// A name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// As it is written.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A name, from the top of the program where a dot stands in front of it (§6.4.1).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    /// A dot stands in front.
    pub from_top: bool,
    /// The name.
    pub name: Name,
}

/// All declarations of a program, those of files that it includes among them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// In the order of the text.
    pub declarations: Vec<Declaration>,
}

/// `@name`, `@name(…)`, `@name[…]` (§20).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Annotation {
    /// Its name.
    pub name: Name,
    /// What it says.
    pub body: AnnotationBody,
}

/// What an annotation says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AnnotationBody {
    /// Nothing but its name.
    Empty,
    /// Any tokens, in parentheses or in the line of a `@pragma`.
    Unstructured(Vec<Token>),
    /// Expressions, in brackets.
    Expressions(Vec<Expression>),
    /// Keys with expressions, in brackets.
    KeyValues(Vec<(Name, Expression)>),
}

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Type {
    /// Which.
    pub kind: TypeKind,
    /// Where.
    pub span: Span,
}

/// The forms of a type (§7).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeKind {
    /// `bool`.
    Bool,
    /// `error`.
    Error,
    /// `match_kind`.
    MatchKind,
    /// `string`.
    Text,
    /// `int` without a width.
    Integer,
    /// `void`.
    Void,
    /// `_`, where the compiler finds the type out.
    Any,
    /// `bit<W>`; `bit` is `bit<1>` with no width here.
    Bit(Option<Box<Expression>>),
    /// `int<W>`.
    Int(Box<Expression>),
    /// `varbit<W>`.
    Varbit(Box<Expression>),
    /// A name, with the types that it is given.
    Named(Path, Vec<Type>),
    /// `T[N]`.
    Stack(Box<Type>, Box<Expression>),
    /// `tuple<…>`.
    Tuple(Vec<Type>),
    /// `list<T>`.
    List(Box<Type>),
}

/// An expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expression {
    /// Which.
    pub kind: ExpressionKind,
    /// Where.
    pub span: Span,
}

/// The forms of an expression (§8).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExpressionKind {
    /// A number as it is written.
    Number(String),
    /// A text.
    Text(String),
    /// `true` or `false`.
    Bool(bool),
    /// `this`.
    This,
    /// `_` in an argument or a set.
    Any,
    /// `default` in a set.
    Default,
    /// `...`.
    Rest,
    /// `{#}`.
    Invalid,
    /// A name.
    Path(Path),
    /// `error.X`, or a member of a type.
    OfType(Box<Type>, Name),
    /// `e.x`.
    Member(Box<Expression>, Name),
    /// `e[i]`.
    Index(Box<Expression>, Box<Expression>),
    /// `e[high:low]`.
    Slice(Box<Expression>, Box<Expression>, Box<Expression>),
    /// `e[low +: width]`.
    Part(Box<Expression>, Box<Expression>, Box<Expression>),
    /// An operator in front.
    Unary(Unary, Box<Expression>),
    /// An operator between two.
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// `(T) e`.
    Cast(Box<Type>, Box<Expression>),
    /// `c ? a : b`.
    Choice(Box<Expression>, Box<Expression>, Box<Expression>),
    /// `f<T>(…)`.
    Call(Box<Expression>, Vec<Type>, Vec<Argument>),
    /// `T(…)` of a type.
    Construct(Box<Type>, Vec<Argument>),
    /// `{a, b}`; with `...` behind them the flag is set.
    List(Vec<Expression>, bool),
    /// `{x = a, y = b}`; with `...` behind them the flag is set.
    Record(Vec<(Name, Expression)>, bool),
    /// `(a, b)` in a set.
    Tuple(Vec<Expression>),
}

/// Operators in front of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Unary {
    Not,
    Complement,
    Minus,
    Plus,
}

/// Operators between two expressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Binary {
    Multiply,
    Divide,
    Modulo,
    Add,
    Subtract,
    AddSaturating,
    SubtractSaturating,
    ShiftLeft,
    ShiftRight,
    LessOrEqual,
    GreaterOrEqual,
    Less,
    Greater,
    NotEqual,
    Equal,
    BitAnd,
    BitXor,
    BitOr,
    Concat,
    And,
    Or,
    /// `&&&`.
    Mask,
    /// `..`.
    Range,
}

/// What a call is given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Argument {
    /// The parameter that it is for, where that is named.
    pub name: Option<Name>,
    /// `_` is [`ExpressionKind::Any`].
    pub value: Expression,
}

/// How a parameter goes (§6.7).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Direction {
    None,
    In,
    Out,
    InOut,
}

/// A parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// In front of it.
    pub annotations: Vec<Annotation>,
    /// Its direction.
    pub direction: Direction,
    /// Its type.
    pub of: Type,
    /// Its name.
    pub name: Name,
    /// What it is when it is not given.
    pub default: Option<Expression>,
}

/// `const T x = e;`, `T x = e;`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// It never changes.
    pub is_constant: bool,
    /// Its type.
    pub of: Type,
    /// Its name.
    pub name: Name,
    /// What it is at first.
    pub value: Option<Expression>,
}

/// `T(…) x;`, with the declarations of abstract methods (§8.21, §11.3).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// What it is one of.
    pub of: Type,
    /// What it is made with.
    pub arguments: Vec<Argument>,
    /// Its name.
    pub name: Name,
    /// What it says of abstract methods.
    pub body: Vec<Declaration>,
}

/// Name, types and parameters of what can be called or made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head {
    /// The name.
    pub name: Name,
    /// Parameters that are types.
    pub types: Vec<Name>,
    /// The others.
    pub parameters: Vec<Parameter>,
}

/// A function or a method.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// What it gives; `None`: it makes an object of its extern.
    pub gives: Option<Type>,
    /// Name, types and parameters.
    pub head: Head,
    /// What it does; `None`: it is declared only.
    pub body: Option<Block>,
    /// Whoever makes an object says what it does.
    pub is_abstract: bool,
}

/// A field of a header, struct or union.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// In front of it.
    pub annotations: Vec<Annotation>,
    /// Its type.
    pub of: Type,
    /// Its name.
    pub name: Name,
}

/// A declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    /// In front of it.
    pub annotations: Vec<Annotation>,
    /// Which.
    pub kind: DeclarationKind,
    /// From its first token to its last one.
    pub span: Span,
}

/// The forms of a declaration (§11 to §15).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DeclarationKind {
    /// A constant or a variable.
    Variable(Variable),
    /// An object.
    Instance(Instance),
    /// `header`.
    Header(Name, Vec<Name>, Vec<Field>),
    /// `header_union`.
    Union(Name, Vec<Name>, Vec<Field>),
    /// `struct`.
    Struct(Name, Vec<Name>, Vec<Field>),
    /// `enum`, with the type below it and values where it is serializable.
    Enum(Option<Type>, Name, Vec<(Name, Option<Expression>)>),
    /// `error {…}`.
    Errors(Vec<Name>),
    /// `match_kind {…}`.
    MatchKinds(Vec<Name>),
    /// `typedef`.
    Alias(Type, Name),
    /// `typedef` of a type that is declared right there.
    AliasOfNew(Box<Declaration>, Name),
    /// `type`.
    NewType(Type, Name),
    /// `extern X {…}`.
    Extern(Name, Vec<Name>, Vec<Declaration>),
    /// A function, a method, or one that is extern.
    Function(Function),
    /// An action.
    Action(Name, Vec<Parameter>, Block),
    /// A parser, or its type where it has no body.
    Parser(Head, Option<Box<Parser>>),
    /// A control, or its type where it has no body.
    Control(Head, Option<Box<Control>>),
    /// `package`.
    Package(Head),
    /// A table.
    Table(Name, Vec<Property>),
    /// `value_set<T>(n) x;`.
    ValueSet(Type, Expression, Name),
}

/// What a parser is made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parser {
    /// What it is made with.
    pub made_with: Vec<Parameter>,
    /// Declarations in front of its states.
    pub locals: Vec<Declaration>,
    /// Its states.
    pub states: Vec<State>,
}

/// A state (§13.4).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// In front of it.
    pub annotations: Vec<Annotation>,
    /// Its name.
    pub name: Name,
    /// What it does.
    pub statements: Vec<Statement>,
    /// Where it goes on; `None`: to `reject`.
    pub next: Option<Transition>,
}

/// Where a state goes on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Transition {
    /// There.
    To(Name),
    /// To the first case that takes the values.
    Select(Vec<Expression>, Vec<(Expression, Name)>, Span),
}

/// What a control is made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Control {
    /// What it is made with.
    pub made_with: Vec<Parameter>,
    /// Declarations in front of `apply`.
    pub locals: Vec<Declaration>,
    /// What it does.
    pub apply: Block,
}

/// A property of a table (§14.2.1).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// In front of it.
    pub annotations: Vec<Annotation>,
    /// It never changes.
    pub is_constant: bool,
    /// What it is called.
    pub name: Name,
    /// What it says.
    pub value: PropertyValue,
}

/// What a property says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PropertyValue {
    /// `key = {…}`.
    Key(Vec<KeyElement>),
    /// `actions = {…}`.
    Actions(Vec<ActionReference>),
    /// `entries = {…}`.
    Entries(Vec<Entry>),
    /// Any other one: `default_action`, `size`, those of an architecture.
    Value(Expression),
}

/// `expression : match_kind`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyElement {
    /// What is looked for.
    pub value: Expression,
    /// How.
    pub kind: Name,
    /// Behind it.
    pub annotations: Vec<Annotation>,
}

/// An action in a table's list, with what it is given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ActionReference {
    /// In front of it.
    pub annotations: Vec<Annotation>,
    /// The action.
    pub action: Path,
    /// What it is given; `None`: no parentheses.
    pub arguments: Option<Vec<Argument>>,
}

/// An entry that stands in the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// It never changes, where others may.
    pub is_constant: bool,
    /// Its priority.
    pub priority: Option<Expression>,
    /// What it takes.
    pub keys: Expression,
    /// What then happens.
    pub action: ActionReference,
    /// Behind it.
    pub annotations: Vec<Annotation>,
    /// From its first token to its last one.
    pub span: Span,
}

/// `{…}`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// In front of it.
    pub annotations: Vec<Annotation>,
    /// In it.
    pub statements: Vec<Statement>,
    /// From brace to brace.
    pub span: Span,
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// Which.
    pub kind: StatementKind,
    /// Where.
    pub span: Span,
}

/// The forms of a statement (§12).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StatementKind {
    /// `;`.
    Empty,
    /// `{…}`.
    Block(Block),
    /// A variable, a constant or an object.
    Declaration(Box<Declaration>),
    /// `a = b;`, or `a op= b;`.
    Assign(Expression, Option<Binary>, Expression),
    /// A call.
    Call(Expression),
    /// `if`.
    If(Expression, Box<Statement>, Option<Box<Statement>>),
    /// `switch`; a case without a block goes on to the next one.
    Switch(Expression, Vec<(Expression, Option<Block>)>),
    /// `for (init; condition; update)`.
    For(Vec<Statement>, Expression, Vec<Statement>, Box<Statement>),
    /// `for (T x in …)`.
    ForIn(ForIn),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return`.
    Return(Option<Expression>),
    /// `exit`.
    Exit,
}

/// `for (T x in …) …`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForIn {
    /// Annotations of the loop.
    pub annotations: Vec<Annotation>,
    /// The type of the variable; `None`: one that is declared already.
    pub of: Option<Type>,
    /// The variable.
    pub name: Name,
    /// What it goes through: a range or a list.
    pub values: Expression,
    /// What is done each time.
    pub body: Box<Statement>,
}

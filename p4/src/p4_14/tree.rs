//! The tree of a P4_14 program, as it is written: names are not looked up.

use crate::ast::Name;
use crate::source::Span;
use num_bigint::BigInt;

/// All declarations of a program, by their kinds, each in the order of the text.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    pub types: Vec<HeaderType>,
    pub instances: Vec<Instance>,
    pub lists: Vec<FieldList>,
    pub calculations: Vec<Calculation>,
    pub calculated: Vec<CalculatedField>,
    pub value_sets: Vec<ValueSet>,
    pub states: Vec<State>,
    pub exceptions: Vec<Handler>,
    pub counters: Vec<Stateful>,
    pub meters: Vec<Stateful>,
    pub registers: Vec<Stateful>,
    pub actions: Vec<Action>,
    pub profiles: Vec<Profile>,
    pub selectors: Vec<Selector>,
    pub tables: Vec<Table>,
    pub controls: Vec<Control>,
}

/// An expression, a condition or an argument.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub kind: ExpressionKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum ExpressionKind {
    Number(Number),
    Bool(bool),
    /// A parameter, a header, a stack, or anything else that has a name.
    Named(Reference),
    /// `header.field`.
    Field(Reference, Name),
    /// `current(offset, width)`.
    Current(Box<Expression>, Box<Expression>),
    /// `valid(header)`, `valid(header.field)`.
    Valid(Reference),
    Unary(Unary, Box<Expression>),
    Binary(Binary, Box<Expression>, Box<Expression>),
}

/// A constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Number {
    pub value: BigInt,
    /// As the text says it.
    pub width: Option<u32>,
    /// It is written, and so shown, with base 16.
    pub hexadecimal: bool,
}

/// A header, a stack, or one of a stack.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    pub name: Name,
    pub index: Option<Index>,
}

#[derive(Clone, Debug)]
pub(super) enum Index {
    At(Box<Expression>),
    Last,
    Next,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unary {
    Not,
    Complement,
    Minus,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    ShiftLeft,
    ShiftRight,
    BitAnd,
    BitOr,
    BitXor,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    And,
    Or,
}

impl Binary {
    /// As P4_16 writes it.
    pub(super) fn sign(self) -> &'static str {
        match self {
            Binary::Add => "+",
            Binary::Subtract => "-",
            Binary::Multiply => "*",
            Binary::Divide => "/",
            Binary::Modulo => "%",
            Binary::ShiftLeft => "<<",
            Binary::ShiftRight => ">>",
            Binary::BitAnd => "&",
            Binary::BitOr => "|",
            Binary::BitXor => "^",
            Binary::Equal => "==",
            Binary::NotEqual => "!=",
            Binary::Less => "<",
            Binary::LessOrEqual => "<=",
            Binary::Greater => ">",
            Binary::GreaterOrEqual => ">=",
            Binary::And => "&&",
            Binary::Or => "||",
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct HeaderType {
    pub name: Name,
    pub fields: Vec<Field>,
    /// Bytes, of which some stand in fields.
    pub length: Option<Expression>,
    pub most: Option<Expression>,
}

#[derive(Clone, Debug)]
pub(super) struct Field {
    pub name: Name,
    /// `None`: `*`, as many as are left.
    pub width: Option<Expression>,
    pub signed: bool,
    pub saturating: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Instance {
    pub is_metadata: bool,
    pub of: Name,
    pub name: Name,
    /// Headers of a stack.
    pub count: Option<Expression>,
    /// What fields of metadata begin with.
    pub begins: Vec<(Name, Expression)>,
}

#[derive(Clone, Debug)]
pub(super) struct FieldList {
    pub name: Name,
    pub entries: Vec<Expression>,
}

#[derive(Clone, Debug)]
pub(super) struct Calculation {
    pub name: Name,
    pub inputs: Vec<Name>,
    pub algorithm: Option<Name>,
    pub width: Option<Expression>,
}

#[derive(Clone, Debug)]
pub(super) struct CalculatedField {
    pub field: Expression,
    pub uses: Vec<Calculated>,
}

/// `update calculation if (…);`
#[derive(Clone, Debug)]
pub(super) struct Calculated {
    pub is_update: bool,
    pub calculation: Name,
    pub condition: Option<Expression>,
}

#[derive(Clone, Debug)]
pub(super) struct ValueSet {
    pub name: Name,
    pub size: u32,
}

#[derive(Clone, Debug)]
pub(super) struct State {
    pub name: Name,
    pub steps: Vec<Step>,
    pub next: Next,
    /// All headers in the order in which they leave, where a pragma says it.
    pub order: Vec<Name>,
}

#[derive(Clone, Debug)]
pub(super) enum Step {
    Extract(Reference),
    Set(Expression, Expression),
}

#[derive(Clone, Debug)]
pub(super) enum Next {
    To(Target),
    Select(Vec<Expression>, Vec<Case>),
}

#[derive(Clone, Debug)]
pub(super) enum Target {
    /// A state or a control.
    Named(Name),
    /// `parse_error`.
    Error(Name),
}

#[derive(Clone, Debug)]
pub(super) struct Case {
    /// None: `default`.
    pub values: Vec<CaseValue>,
    pub target: Target,
}

#[derive(Clone, Debug)]
pub(super) enum CaseValue {
    Value(Expression, Option<Expression>),
    Set(Name),
}

/// `parser_exception`.
#[derive(Clone, Debug)]
pub(super) struct Handler {
    pub name: Name,
    pub steps: Vec<Step>,
    /// `None`: the packet is dropped.
    pub control: Option<Name>,
}

/// A counter, a meter or a register.
#[derive(Clone, Debug)]
pub(super) struct Stateful {
    pub name: Name,
    /// `packets`, `bytes`, `packets_and_bytes`.
    pub of: Option<Name>,
    pub direct: Option<Name>,
    pub of_table: Option<Name>,
    pub count: Option<Expression>,
    pub least_width: Option<Expression>,
    pub width: Option<Expression>,
    pub layout: Option<Name>,
    pub result: Option<Expression>,
    pub signed: bool,
    pub saturating: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Action {
    pub name: Name,
    pub parameters: Vec<Name>,
    pub calls: Vec<Call>,
}

#[derive(Clone, Debug)]
pub(super) struct Call {
    pub name: Name,
    pub arguments: Vec<Expression>,
}

#[derive(Clone, Debug)]
pub(super) struct Profile {
    pub name: Name,
    pub actions: Vec<Name>,
    pub size: Option<Expression>,
    pub selector: Option<Name>,
}

#[derive(Clone, Debug)]
pub(super) struct Selector {
    pub name: Name,
    pub calculation: Option<Name>,
    pub mode: Option<Name>,
}

#[derive(Clone, Debug)]
pub(super) struct Table {
    pub name: Name,
    pub reads: Vec<Read>,
    pub actions: Vec<Name>,
    pub profile: Option<Name>,
    pub size: Option<Expression>,
    pub least_size: Option<Expression>,
    pub most_size: Option<Expression>,
    pub has_timeout: bool,
    pub default: Option<DefaultAction>,
}

#[derive(Clone, Debug)]
pub(super) struct DefaultAction {
    pub is_constant: bool,
    pub action: Name,
    pub arguments: Vec<Expression>,
}

#[derive(Clone, Debug)]
pub(super) struct Read {
    pub value: Expression,
    pub mask: Option<Expression>,
    pub kind: Name,
}

#[derive(Clone, Debug)]
pub(super) struct Control {
    pub name: Name,
    pub body: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(super) enum Statement {
    Apply(Name, Cases),
    If(Expression, Vec<Statement>, Vec<Statement>),
    Call(Name),
}

#[derive(Clone, Debug)]
pub(super) enum Cases {
    None,
    /// Of a hit and of a miss.
    Hit(Vec<Statement>, Vec<Statement>),
    /// Of actions, one of which may be `default`.
    Action(Vec<(Vec<Name>, Vec<Statement>)>),
}

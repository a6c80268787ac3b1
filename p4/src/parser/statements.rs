//! Statements (§12).

use super::advice::ASSIGNED;
use super::{Parsed, Parser};
use crate::ast::{
    Annotation, Binary, Block, Declaration, DeclarationKind, Expression, ExpressionKind, ForIn,
    Instance, Name, Statement, StatementKind, Type, Variable,
};
use crate::cursor::Cursor;
use crate::source::Span;

/// `op=` (§8.23). `>>=` is three signs, see [`Parser::assignment`].
const ASSIGNMENTS: [(&str, Binary); 11] = [
    ("+=", Binary::Add),
    ("-=", Binary::Subtract),
    ("|+|=", Binary::AddSaturating),
    ("|-|=", Binary::SubtractSaturating),
    ("*=", Binary::Multiply),
    ("/=", Binary::Divide),
    ("%=", Binary::Modulo),
    ("<<=", Binary::ShiftLeft),
    ("&=", Binary::BitAnd),
    ("|=", Binary::BitOr),
    ("^=", Binary::BitXor),
];

impl Parser<'_> {
    pub(super) fn block(&mut self, annotations: Vec<Annotation>) -> Parsed<Block> {
        let span = self.here();
        self.expect("{")?;
        let statements = self.scope(|parser| {
            let statements = parser.statements(|parser| parser.is_sign("}"))?;
            parser.expect("}")?;
            Ok(statements)
        })?;
        Ok(Block {
            annotations,
            statements,
            span: self.since(span),
        })
    }

    /// All up to where something else begins. Those that are wrong are told and left out.
    pub(super) fn statements(&mut self, ends: fn(&Self) -> bool) -> Parsed<Vec<Statement>> {
        let mut all = Vec::new();
        while !ends(self) {
            if self.is_over() || self.unclosed().is_some() {
                return self.lost("`}`");
            }
            all.extend(self.unless_lost(Self::statement)?);
        }
        Ok(all)
    }

    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        self.nested(|parser| {
            let span = parser.here();
            let kind = parser.statement_kind(span)?;
            Ok(Statement {
                kind,
                span: parser.since(span),
            })
        })
    }

    fn statement_kind(&mut self, span: Span) -> Parsed<StatementKind> {
        if self.take(";") {
            return Ok(StatementKind::Empty);
        }
        let annotations = self.annotations()?;
        if self.is_sign("{") {
            return Ok(StatementKind::Block(self.block(annotations)?));
        }
        if self.take_word("for") {
            return self.scope(|parser| parser.loops(annotations));
        }
        if self.take_word("if") {
            self.expect("(")?;
            let condition = self.expression()?;
            self.expect(")")?;
            let yes = Box::new(self.statement()?);
            let no = match self.take_word("else") {
                true => Some(Box::new(self.statement()?)),
                false => None,
            };
            return Ok(StatementKind::If(condition, yes, no));
        }
        if self.take_word("switch") {
            return self.switch();
        }
        let simple = [
            ("exit", StatementKind::Exit),
            ("break", StatementKind::Break),
            ("continue", StatementKind::Continue),
        ];
        for (word, kind) in simple {
            if self.take_word(word) {
                self.expect(";")?;
                return Ok(kind);
            }
        }
        if self.take_word("return") {
            let value = match self.is_sign(";") {
                true => None,
                false => Some(self.expression()?),
            };
            self.expect(";")?;
            return Ok(StatementKind::Return(value));
        }
        if let Some(kind) = self.local()? {
            let declaration = Declaration {
                annotations,
                kind,
                span: self.since(span),
            };
            return Ok(StatementKind::Declaration(Box::new(declaration)));
        }
        let kind = self.assignment_or_call()?;
        self.expect(";")?;
        Ok(kind)
    }

    /// A variable, a constant or an object, with its semicolon; `None`: something else stands here.
    pub(super) fn local(&mut self) -> Parsed<Option<DeclarationKind>> {
        let is_constant = self.take_word("const");
        if !is_constant && !self.begins_type(0) && !self.names_unknown_type() {
            return Ok(None);
        }
        let begin = self.at;
        let of = self.of_type()?;
        if !is_constant && self.is_sign("(") {
            return self.instance_or_call(begin, of);
        }
        if !is_constant && self.is_sign(".") {
            self.at = begin;
            return Ok(None);
        }
        let variable = self.variable(is_constant, of)?;
        self.expect(";")?;
        Ok(Some(DeclarationKind::Variable(variable)))
    }

    /// Two names in a row: the first one should be a type, which later steps will miss.
    fn names_unknown_type(&self) -> bool {
        self.is_name(0) && self.is_name(1)
    }

    fn variable(&mut self, is_constant: bool, of: Type) -> Parsed<Variable> {
        let name = self.name()?;
        let value = match self.take("=") {
            true => Some(self.expression()?),
            false if is_constant => return self.lost("`=`: a constant has a value"),
            false => None,
        };
        self.declare(&name, false);
        Ok(Variable {
            is_constant,
            of,
            name,
            value,
        })
    }

    /// `T(…) x;` or, behind a type that is called as a function, a call.
    pub(super) fn instance_or_call(
        &mut self,
        begin: usize,
        of: Type,
    ) -> Parsed<Option<DeclarationKind>> {
        self.expect("(")?;
        let arguments = self.arguments()?;
        if !self.is_name(0) {
            self.at = begin;
            return Ok(None);
        }
        let name = self.name()?;
        self.declare(&name, false);
        let mut body = Vec::new();
        if self.take("=") {
            self.expect("{")?;
            while !self.take("}") {
                body.push(self.in_object()?);
            }
        }
        self.expect(";")?;
        Ok(Some(DeclarationKind::Instance(Instance {
            of,
            arguments,
            name,
            body,
        })))
    }

    /// `a = b`, `a op= b`, or a call; no semicolon.
    fn assignment_or_call(&mut self) -> Parsed<StatementKind> {
        let to = self.place()?;
        if let Some(operator) = self.assignment() {
            let value = self.expression()?;
            return Ok(StatementKind::Assign(to, operator, value));
        }
        match to.kind {
            ExpressionKind::Call(..) => Ok(StatementKind::Call(to)),
            _ => self.lost(ASSIGNED),
        }
    }

    /// The operator in front of `=`; the outer `None`: there is no assignment.
    fn assignment(&mut self) -> Option<Option<Binary>> {
        if self.take("=") {
            return Some(None);
        }
        let found = ASSIGNMENTS.iter().find(|(sign, _)| self.is_sign(sign));
        if let Some((_, operator)) = found {
            self.at += 1;
            return Some(Some(*operator));
        }
        let adjoins = |count: usize, sign: &str| {
            let token = self.ahead(count);
            token.is_some_and(|token| token.adjoins && token.is_sign(sign))
        };
        // `>>=` comes as `>` and `>=`.
        if self.is_sign(">") && adjoins(1, ">=") {
            self.at += 2;
            return Some(Some(Binary::ShiftRight));
        }
        None
    }

    fn switch(&mut self) -> Parsed<StatementKind> {
        self.expect("(")?;
        let value = self.expression()?;
        self.expect(")")?;
        self.expect("{")?;
        let mut cases = Vec::new();
        while !self.take("}") {
            let label = self.expression()?;
            self.expect(":")?;
            let block = match self.is_sign("{") || self.is_sign("@") {
                true => {
                    let annotations = self.annotations()?;
                    Some(self.block(annotations)?)
                }
                false => None,
            };
            cases.push((label, block));
        }
        Ok(StatementKind::Switch(value, cases))
    }

    fn loops(&mut self, annotations: Vec<Annotation>) -> Parsed<StatementKind> {
        self.expect("(")?;
        if let Some((of, name)) = self.tried(Self::loop_variable) {
            self.declare(&name, false);
            let values = self.single_set()?;
            self.expect(")")?;
            let body = Box::new(self.statement()?);
            return Ok(StatementKind::ForIn(ForIn {
                annotations,
                of,
                name,
                values,
                body,
            }));
        }
        let first = self.steps(";", true)?;
        let condition = self.expression()?;
        self.expect(";")?;
        let update = self.steps(")", false)?;
        let body = Box::new(self.statement()?);
        Ok(StatementKind::For(first, condition, update, body))
    }

    /// `T x in`, `x in`.
    fn loop_variable(&mut self) -> Parsed<(Option<Type>, Name)> {
        self.annotations()?;
        let next_is_in = self.ahead(1).is_some_and(|token| token.is_word("in"));
        let of = match next_is_in {
            true => None,
            false => Some(self.of_type()?),
        };
        let name = self.name()?;
        self.expect_word("in")?;
        Ok((of, name))
    }

    /// What a loop begins with, or does after each round.
    fn steps(&mut self, end: &str, may_declare: bool) -> Parsed<Vec<Statement>> {
        self.list(end, |parser| {
            let span = parser.here();
            let annotations = parser.annotations()?;
            let declares = parser.begins_type(0) || parser.names_unknown_type();
            let kind = match may_declare && declares {
                true => {
                    let of = parser.of_type()?;
                    let variable = parser.variable(false, of)?;
                    let declaration = Declaration {
                        annotations,
                        kind: DeclarationKind::Variable(variable),
                        span: parser.since(span),
                    };
                    StatementKind::Declaration(Box::new(declaration))
                }
                false => parser.assignment_or_call()?,
            };
            Ok(Statement {
                kind,
                span: parser.since(span),
            })
        })
    }

    /// The condition of a `select`, in parentheses: one or several values.
    pub(super) fn selected(&mut self) -> Parsed<Vec<Expression>> {
        self.expect("(")?;
        self.list(")", Self::expression)
    }
}

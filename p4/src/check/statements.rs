//! Statements (§12).

use super::{Checker, Entity, Place};
use crate::ast;
use crate::source::Span;
use crate::typed::{Expression, ExpressionKind, Statement, StatementKind, VariableKind};
use crate::types::Type;
use crate::value::Value;

type Cases<T> = Vec<(Option<T>, Option<Vec<Statement>>)>;

impl<'a> Checker<'a> {
    pub(super) fn statements(&mut self, all: &'a [ast::Statement]) -> Vec<Statement> {
        all.iter().filter_map(|one| self.statement(one)).collect()
    }

    /// A statement that stands alone, in a scope of its own.
    fn branch(&mut self, one: &'a ast::Statement) -> Vec<Statement> {
        self.scope(|all| all.statement(one).into_iter().collect())
    }

    /// `None`: it does nothing, or an error was told.
    fn statement(&mut self, one: &'a ast::Statement) -> Option<Statement> {
        use ast::StatementKind as Written;
        let span = one.span;
        let kind = match &one.kind {
            Written::Empty => return None,
            Written::Block(block) => {
                StatementKind::Block(self.scope(|all| all.statements(&block.statements)))
            }
            Written::Declaration(declaration) => return self.local(declaration),
            Written::Assign(to, operator, value) => self.assignment(to, *operator, value, span)?,
            Written::Call(call) => self.call_statement(call)?,
            Written::If(condition, yes, no) => {
                let condition = self.value_of(condition, &Type::Bool);
                let yes = self.branch(yes);
                let no = no.as_ref().map_or(Vec::new(), |no| self.branch(no));
                StatementKind::If(condition?, yes, no)
            }
            Written::Switch(value, cases) => self.switch(value, cases)?,
            Written::For(begin, condition, update, body) => self.scope(|all| {
                let begin = all.statements(begin);
                let condition = all.value_of(condition, &Type::Bool);
                let update = all.statements(update);
                let body = all.looped(body);
                Some(StatementKind::For {
                    begin,
                    condition: condition?,
                    update,
                    body,
                })
            })?,
            Written::ForIn(each) => self.each(each)?,
            Written::Break => self.in_loop(StatementKind::Break, "break", span)?,
            Written::Continue => self.in_loop(StatementKind::Continue, "continue", span)?,
            Written::Return(value) => self.returned(value.as_ref(), span)?,
            Written::Exit => self.exit(span)?,
        };
        Some(Statement { kind, span })
    }

    /// A variable, a constant or an object.
    fn local(&mut self, declaration: &'a ast::Declaration) -> Option<Statement> {
        match &declaration.kind {
            ast::DeclarationKind::Variable(variable) => {
                self.shadows(&variable.name);
                self.variable(variable, declaration.span)
            }
            _ => {
                // §12: statements stand beside variables and constants, and nothing else.
                let message = "objects are made in front of `apply` and of states";
                self.error("p4-statement", declaration.span, message);
                self.declaration(declaration);
                None
            }
        }
    }

    fn assignment(
        &mut self,
        to: &'a ast::Expression,
        operator: Option<ast::Binary>,
        value: &'a ast::Expression,
        span: Span,
    ) -> Option<StatementKind> {
        let to = self.expression(to, None);
        let of = to.as_ref().map(|to| to.of.clone());
        let value = match (&of, operator) {
            (Some(of), None) => self.value_of(value, of),
            _ => self.expression(value, None),
        };
        let (to, value) = (to?, value?);
        self.writable(&to)?;
        if matches!(to.of, Type::Object(..) | Type::Void) {
            let message = format!("{} is not assigned", self.types().text(&to.of));
            return self.refuse("p4-type", span, message);
        }
        let Some(operator) = operator else {
            return Some(StatementKind::Assign(to, value));
        };
        let of = to.of.clone();
        let whole = self.operate(operator, to.clone(), value, span)?;
        if whole.of != of {
            let (is, wanted) = (self.types().text(&whole.of), self.types().text(&of));
            let message = format!("{wanted} is wanted, this is {is}");
            return self.refuse("p4-type", span, message);
        }
        match whole.kind {
            ExpressionKind::Binary(operator, _, value) => {
                Some(StatementKind::Update(to, operator, *value))
            }
            _ => None,
        }
    }

    fn call_statement(&mut self, call: &'a ast::Expression) -> Option<StatementKind> {
        let found = self.expression(call, None)?;
        match &found.kind {
            ExpressionKind::Call(_) | ExpressionKind::Apply(_) => Some(StatementKind::Call(found)),
            // `static_assert` is done.
            ExpressionKind::Value(_) => None,
            _ => self.refuse(
                "p4-statement",
                call.span,
                "this does nothing: it is no call",
            ),
        }
    }

    /// The body of a loop.
    fn looped(&mut self, body: &'a ast::Statement) -> Vec<Statement> {
        self.inside.loops += 1;
        let body = self.branch(body);
        self.inside.loops -= 1;
        body
    }

    fn in_loop(&mut self, kind: StatementKind, word: &str, span: Span) -> Option<StatementKind> {
        if self.inside.loops == 0 {
            let message = format!("`{word}` stands only in a loop");
            return self.refuse("p4-statement", span, message);
        }
        Some(kind)
    }

    /// `for (T x in …)` (§12.8).
    fn each(&mut self, each: &'a ast::ForIn) -> Option<StatementKind> {
        let of = each.of.as_ref().map(|of| self.type_of(of));
        let values = match &each.values.kind {
            ast::ExpressionKind::Binary(ast::Binary::Range, low, high) => {
                let (low, high) = (self.expression(low, None), self.expression(high, None));
                (low, high)
            }
            _ => (self.expression(&each.values, None), None),
        };
        self.scope(|all| {
            let known = match of {
                Some(of) => {
                    let of = of.clone();
                    Some((
                        all.declare_variable(&each.name, of.clone(), VariableKind::Each),
                        of,
                    ))
                }
                None => {
                    let message = "a loop has a variable of its own: `for (bit<8> x in …)`";
                    all.refuse("p4-type", each.name.span, message)
                }
            };
            let body = all.looped(&each.body);
            let (variable, of) = known?;
            if of == Type::Wrong {
                return None;
            }
            match values {
                (Some(low), Some(high)) => Some(StatementKind::ForRange {
                    variable,
                    low: all.convert(low, &of)?,
                    high: all.convert(high, &of)?,
                    body,
                }),
                (Some(values), None) => {
                    let whole = match &values.of {
                        Type::Tuple(parts) => {
                            Type::Tuple(parts.iter().map(|_| of.clone()).collect())
                        }
                        Type::Stack(_, size) => Type::Stack(Box::new(of.clone()), *size),
                        _ => Type::List(Box::new(of.clone())),
                    };
                    Some(StatementKind::ForEach {
                        variable,
                        values: all.convert(values, &whole)?,
                        body,
                    })
                }
                _ => None,
            }
        })
    }

    /// `switch` (§12.7).
    fn switch(
        &mut self,
        value: &'a ast::Expression,
        cases: &'a [(ast::Expression, Option<ast::Block>)],
    ) -> Option<StatementKind> {
        if self.inside.place == Place::Parser {
            let message = "there is no `switch` in a parser; `select` chooses";
            self.error("p4-statement", value.span, message);
        }
        if let ast::ExpressionKind::Member(applied, name) = &value.kind {
            if name.text == "action_run" {
                return self.switch_action(applied, cases);
            }
        }
        let value = self
            .expression(value, None)
            .and_then(|value| self.selected(value));
        let mut known: Cases<Expression> = Vec::new();
        let mut is_good = true;
        for (label, block) in cases {
            let label = match (&label.kind, &value) {
                (ast::ExpressionKind::Default, _) => Some(None),
                (_, Some(value)) => {
                    let found = self.value_of(label, &value.of.clone());
                    match found {
                        Some(found) if found.known().is_none() => {
                            self.unknown::<Option<Expression>>(label.span)
                        }
                        found => found.map(Some),
                    }
                }
                (_, None) => None,
            };
            let block = block
                .as_ref()
                .map(|block| self.scope(|all| all.statements(&block.statements)));
            match label {
                Some(label) => known.push((label, block)),
                None => is_good = false,
            }
        }
        let values: Vec<Option<Value>> = known
            .iter()
            .map(|(label, _)| label.as_ref().and_then(|label| label.known().cloned()))
            .collect();
        self.cases_once(&values, cases)?;
        is_good.then_some(StatementKind::Switch(value?, known))
    }

    /// By the action that a table has run.
    fn switch_action(
        &mut self,
        applied: &'a ast::Expression,
        cases: &'a [(ast::Expression, Option<ast::Block>)],
    ) -> Option<StatementKind> {
        let applied = self.expression(applied, None);
        let table = match &applied {
            Some(Expression {
                kind: ExpressionKind::Apply(table),
                ..
            }) => Some(*table),
            Some(other) => {
                let span = other.span;
                self.refuse(
                    "p4-type",
                    span,
                    "`action_run` is of what applying a table gives",
                )
            }
            None => None,
        };
        let mut known: Cases<usize> = Vec::new();
        let mut is_good = true;
        for (label, block) in cases {
            let place = match (&label.kind, table) {
                (ast::ExpressionKind::Default, _) => Some(None),
                (ast::ExpressionKind::Path(path), Some(table)) => {
                    self.place_of_action(table, path).map(Some)
                }
                (_, Some(_)) => self.refuse("p4-type", label.span, "a label here is an action"),
                (_, None) => None,
            };
            let block = block
                .as_ref()
                .map(|block| self.scope(|all| all.statements(&block.statements)));
            match place {
                Some(place) => known.push((place, block)),
                None => is_good = false,
            }
        }
        let places: Vec<Option<usize>> = known.iter().map(|(place, _)| *place).collect();
        self.cases_once(&places, cases)?;
        is_good.then_some(StatementKind::SwitchAction(applied?, known))
    }

    /// The place of an action in the list of a table.
    pub(super) fn place_of_action(&mut self, table: usize, path: &ast::Path) -> Option<usize> {
        let action = match self.look_up(path, super::unknown::Wanted::Action)? {
            Entity::Action(number) => number,
            Entity::Wrong => return None,
            other => {
                let message = format!("`{}` is {}, no action", path.name.text, other.phrase());
                return self.refuse("p4-name", path.name.span, message);
            }
        };
        let number = table;
        let table = &self.told.tables[number];
        match table.actions.iter().position(|one| one.action == action) {
            Some(place) => Some(place),
            None => {
                if self.incomplete.contains(&number) {
                    return None;
                }
                let message = format!(
                    "`{}` is no action of table `{}`",
                    path.name.text, table.name
                );
                let error = self.sources.error("p4-name", path.name.span, message);
                let help = format!(
                    "add it to those of the table: `actions = {{ {}; … }}`",
                    path.name.text
                );
                self.errors.push(error.help(help));
                None
            }
        }
    }

    /// §12.7.3: no label stands twice, and none behind `default`.
    fn cases_once<T: PartialEq>(
        &mut self,
        labels: &[Option<T>],
        cases: &[(ast::Expression, Option<ast::Block>)],
    ) -> Option<()> {
        let is_default =
            |label: &ast::Expression| matches!(label.kind, ast::ExpressionKind::Default);
        let mut behind = cases
            .iter()
            .skip_while(|(label, _)| !is_default(label))
            .skip(1);
        if let Some((label, _)) = behind.next() {
            let message = "this label stands behind `default`, which is the last one";
            return self.refuse("p4-statement", label.span, message);
        }
        for (at, label) in labels.iter().enumerate() {
            if labels[..at].contains(label) {
                let span = cases
                    .get(at)
                    .map_or_else(Span::default, |(label, _)| label.span);
                return self.refuse("p4-statement", span, "this label stands here twice");
            }
        }
        Some(())
    }

    fn returned(
        &mut self,
        value: Option<&'a ast::Expression>,
        span: Span,
    ) -> Option<StatementKind> {
        if self.inside.place == Place::Parser {
            return self.refuse("p4-statement", span, "there is no `return` in a parser");
        }
        let gives = self
            .inside
            .gives
            .clone()
            .filter(|gives| *gives != Type::Void);
        match (gives, value) {
            (Some(gives), Some(value)) => {
                Some(StatementKind::Return(Some(self.value_of(value, &gives)?)))
            }
            (None, None) => Some(StatementKind::Return(None)),
            (Some(gives), None) => {
                let message = format!("`return` gives a value here: {}", self.types().text(&gives));
                self.refuse("p4-type", span, message)
            }
            (None, Some(value)) => {
                self.refuse("p4-type", value.span, "`return` gives no value here")
            }
        }
    }

    fn exit(&mut self, span: Span) -> Option<StatementKind> {
        match self.inside.place {
            Place::Control | Place::Action => Some(StatementKind::Exit),
            _ => self.refuse(
                "p4-statement",
                span,
                "`exit` stands only in controls and actions",
            ),
        }
    }
}

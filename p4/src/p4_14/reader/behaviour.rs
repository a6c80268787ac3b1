//! Parser states, actions, tables and controls (§4, §9 to §12).

use super::super::tree::{
    Action, Call, Case, CaseValue, Cases, Control, DefaultAction, ExpressionKind, Handler, Next,
    Profile, Read, Selector, State, Statement, Step, Table, Target, ValueSet,
};
use super::{Parsed, Reader};
use crate::ast::Name;
use crate::cursor::Cursor;
use crate::lexer::{Token, TokenKind};
use std::collections::BTreeSet;

/// Values of a value set where no pragma says how many.
const VALUES_OF_SET: u32 = 4;

impl Reader<'_> {
    // ---- Parser

    pub(super) fn value_set(&mut self) -> Parsed<()> {
        let said = match self.pragma_of("parser_value_set_size") {
            Some(
                [Token {
                    kind: TokenKind::Number(text),
                    ..
                }, ..],
            ) => text.parse().ok(),
            _ => None,
        };
        let size = said.unwrap_or(VALUES_OF_SET);
        let name = self.name_alone()?;
        self.program.value_sets.push(ValueSet { name, size });
        Ok(())
    }

    pub(super) fn state(&mut self) -> Parsed<()> {
        let order = self.pragma_of("header_ordering").map(Self::names_of);
        let name = self.name()?;
        self.expect("{")?;
        let steps = self.steps()?;
        let next = if self.take_word("return") {
            match self.take_word("select") {
                true => self.select()?,
                false => Next::To(Target::Named(self.name_alone()?)),
            }
        } else if self.take_word("parse_error") {
            Next::To(Target::Error(self.name_alone()?))
        } else {
            return self.lost("`extract`, `set_metadata`, `return` or `parse_error`");
        };
        self.expect("}")?;
        self.program.states.push(State {
            name,
            steps,
            next,
            order: order.unwrap_or_default(),
        });
        Ok(())
    }

    /// Calls of `extract` and `set_metadata`.
    fn steps(&mut self) -> Parsed<Vec<Step>> {
        let mut steps = Vec::new();
        loop {
            if self.take_key("extract", "(") {
                let header = self.reference()?;
                self.expect(")")?;
                steps.push(Step::Extract(header));
            } else if self.take_key("set_metadata", "(") {
                let field = self.field()?;
                self.expect(",")?;
                let value = self.expression()?;
                self.expect(")")?;
                steps.push(Step::Set(field, value));
            } else if self.is_sign_ahead(1, ".") {
                let field = self.field()?;
                self.expect("=")?;
                steps.push(Step::Set(field, self.expression()?));
            } else {
                return Ok(steps);
            }
            self.expect(";")?;
        }
    }

    fn select(&mut self) -> Parsed<Next> {
        self.expect("(")?;
        if self.is_sign(")") {
            return self.lost("an expression");
        }
        let values = self.list(")", Self::expression)?;
        let mut cases = Vec::new();
        self.braces(|reader| {
            let mut of_case = Vec::new();
            if !reader.take_word("default") {
                loop {
                    of_case.push(reader.case_value()?);
                    if !reader.take(",") {
                        break;
                    }
                }
            }
            reader.expect(":")?;
            let target = match reader.take_word("parse_error") {
                true => Target::Error(reader.name_alone()?),
                false => Target::Named(reader.name_alone()?),
            };
            cases.push(Case {
                values: of_case,
                target,
            });
            Ok(())
        })?;
        Ok(Next::Select(values, cases))
    }

    fn case_value(&mut self) -> Parsed<CaseValue> {
        let value = self.expression()?;
        let mask = match self.take_word("mask") {
            true => Some(self.expression()?),
            false => None,
        };
        match (&value.kind, &mask) {
            (ExpressionKind::Named(set), None) if set.index.is_none() => {
                Ok(CaseValue::Set(set.name.clone()))
            }
            (ExpressionKind::Named(_), Some(_)) => {
                self.wrong(value.span, "a value set takes no mask".into())
            }
            _ => Ok(CaseValue::Value(value, mask)),
        }
    }

    pub(super) fn exception(&mut self) -> Parsed<()> {
        let name = self.name()?;
        self.expect("{")?;
        let steps = self.steps()?;
        let control = match self.take_word("return") {
            true => Some(self.name()?),
            false if self.take_word("parser_drop") => None,
            false => return self.lost("`set_metadata`, `return` or `parser_drop`"),
        };
        self.expect(";")?;
        self.expect("}")?;
        self.program.exceptions.push(Handler {
            name,
            steps,
            control,
        });
        Ok(())
    }

    // ---- Actions

    pub(super) fn action(&mut self) -> Parsed<()> {
        let name = self.name()?;
        self.expect("(")?;
        let parameters = self.list(")", Self::name)?;
        let mut calls = Vec::new();
        self.braces(|reader| {
            calls.push(reader.call()?);
            Ok(())
        })?;
        self.program.actions.push(Action {
            name,
            parameters,
            calls,
        });
        Ok(())
    }

    /// `action(…);`, or `field = …;`, which is another way to say `modify_field`.
    fn call(&mut self) -> Parsed<Call> {
        let call = match self.is_sign_ahead(1, "(") {
            true => {
                let name = self.name()?;
                self.expect("(")?;
                let arguments = self.list(")", Self::expression)?;
                Call { name, arguments }
            }
            false => {
                let field = self.field()?;
                let name = Name {
                    text: "modify_field".into(),
                    span: field.span,
                };
                self.expect("=")?;
                let arguments = vec![field, self.expression()?];
                Call { name, arguments }
            }
        };
        self.expect(";")?;
        Ok(call)
    }

    /// `actions { a; b; }`.
    fn actions(&mut self) -> Parsed<Vec<Name>> {
        let mut all = Vec::new();
        self.braces(|reader| {
            all.push(reader.name_alone()?);
            Ok(())
        })?;
        Ok(all)
    }

    pub(super) fn profile(&mut self) -> Parsed<()> {
        let name = self.name()?;
        let mut read = Profile {
            name,
            actions: Vec::new(),
            size: None,
            selector: None,
        };
        self.braces(|reader| {
            if reader.take_word("actions") {
                read.actions = reader.actions()?;
            } else if reader.take_key("size", ":") {
                read.size = Some(reader.expression_alone()?);
            } else if reader.take_key("dynamic_action_selection", ":") {
                read.selector = Some(reader.name_alone()?);
            } else {
                return reader.lost("`actions`, `size` or `dynamic_action_selection`");
            }
            Ok(())
        })?;
        self.program.profiles.push(read);
        Ok(())
    }

    pub(super) fn selector(&mut self) -> Parsed<()> {
        let name = self.name()?;
        let mut read = Selector {
            name,
            calculation: None,
            mode: None,
        };
        self.braces(|reader| {
            if reader.take_key("selection_key", ":") {
                read.calculation = Some(reader.name_alone()?);
            } else if reader.take_key("selection_mode", ":") {
                read.mode = Some(reader.name_alone()?);
            } else if reader.take_key("selection_type", ":") {
                reader.name_alone()?;
            } else {
                return reader.lost("`selection_key`, `selection_mode` or `selection_type`");
            }
            Ok(())
        })?;
        self.program.selectors.push(read);
        Ok(())
    }

    // ---- Tables

    pub(super) fn table(&mut self) -> Parsed<()> {
        let name = self.name()?;
        let mut read = Table {
            name,
            reads: Vec::new(),
            actions: Vec::new(),
            profile: None,
            size: None,
            least_size: None,
            most_size: None,
            has_timeout: false,
            default: None,
        };
        self.braces(|reader| reader.property_of_table(&mut read))?;
        self.program.tables.push(read);
        Ok(())
    }

    fn property_of_table(&mut self, read: &mut Table) -> Parsed<()> {
        if self.take_word("reads") {
            return self.braces(|reader| {
                let value = reader.expression()?;
                let mask = match reader.take_word("mask") {
                    true => Some(reader.expression()?),
                    false => None,
                };
                reader.expect(":")?;
                let kind = reader.name_alone()?;
                read.reads.push(Read { value, mask, kind });
                Ok(())
            });
        }
        if self.take_word("actions") {
            read.actions = self.actions()?;
            return Ok(());
        }
        let is_constant = self.take_word("const");
        let property = self.name()?;
        self.expect(":")?;
        match property.text.as_str() {
            "default_action" => read.default = Some(self.default_action(is_constant)?),
            "action_profile" => read.profile = Some(self.name_alone()?),
            "size" => read.size = Some(self.expression_alone()?),
            "min_size" => read.least_size = Some(self.expression_alone()?),
            "max_size" => read.most_size = Some(self.expression_alone()?),
            "support_timeout" => {
                read.has_timeout = self.take_word("true");
                if !read.has_timeout && !self.take_word("false") {
                    return self.lost("`true` or `false`");
                }
                self.expect(";")?;
            }
            other => {
                let message = format!("a table has no property `{other}`");
                return self.wrong(property.span, message);
            }
        }
        Ok(())
    }

    fn default_action(&mut self, is_constant: bool) -> Parsed<DefaultAction> {
        let action = self.name()?;
        let arguments = match self.take("(") {
            true => self.list(")", Self::expression)?,
            false => Vec::new(),
        };
        self.expect(";")?;
        Ok(DefaultAction {
            is_constant,
            action,
            arguments,
        })
    }

    // ---- Controls

    pub(super) fn control(&mut self) -> Parsed<()> {
        let name = self.name()?;
        let body = self.block()?;
        self.program.controls.push(Control { name, body });
        Ok(())
    }

    fn block(&mut self) -> Parsed<Vec<Statement>> {
        let mut body = Vec::new();
        self.nested(|reader| {
            reader.braces(|reader| {
                body.push(reader.statement()?);
                Ok(())
            })
        })?;
        Ok(body)
    }

    fn statement(&mut self) -> Parsed<Statement> {
        if self.take_key("apply", "(") {
            let table = self.name()?;
            self.expect(")")?;
            return match self.take(";") {
                true => Ok(Statement::Apply(table, Cases::None)),
                false => Ok(Statement::Apply(table, self.cases()?)),
            };
        }
        if self.take_key("if", "(") {
            return self.condition();
        }
        let control = self.name()?;
        self.expect("(")?;
        self.expect(")")?;
        self.expect(";")?;
        Ok(Statement::Call(control))
    }

    /// Behind `if (`.
    fn condition(&mut self) -> Parsed<Statement> {
        let condition = self.expression()?;
        self.expect(")")?;
        let then = self.block()?;
        let mut otherwise = Vec::new();
        if self.take_word("else") {
            otherwise = match self.take_key("if", "(") {
                true => vec![self.nested(Self::condition)?],
                false => self.block()?,
            };
        }
        Ok(Statement::If(condition, then, otherwise))
    }

    fn cases(&mut self) -> Parsed<Cases> {
        let first = self.here();
        let mut said = BTreeSet::new();
        let mut cases: Vec<(Vec<Name>, Vec<Statement>)> = Vec::new();
        self.braces(|reader| {
            let mut labels = Vec::new();
            loop {
                let label = reader.name()?;
                if !said.insert(label.text.clone()) {
                    let message = format!("`{}` is said already", label.text);
                    return reader.wrong(label.span, message);
                }
                labels.push(label);
                if !reader.take(",") {
                    break;
                }
            }
            cases.push((labels, reader.block()?));
            Ok(())
        })?;
        let is_hit = |label: &str| matches!(label, "hit" | "miss");
        if !said.iter().any(|label| is_hit(label)) {
            return Ok(match cases.is_empty() {
                true => Cases::None,
                false => Cases::Action(cases),
            });
        }
        if !said.iter().all(|label| is_hit(label)) {
            let message = "cases are either of actions, or `hit` and `miss`";
            return self.wrong(first, message.into());
        }
        let of = |wanted: &str| {
            let mut all = cases.iter();
            let found = all.find(|(labels, _)| labels.iter().any(|label| label.text == wanted));
            found.map_or(Vec::new(), |(_, block)| block.clone())
        };
        Ok(Cases::Hit(of("hit"), of("miss")))
    }
}

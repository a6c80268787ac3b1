//! Annotations (§20): what those say that the language knows, and those in brackets.

use super::Checker;
use crate::ast::{self, AnnotationBody};
use crate::lexer::TokenKind;
use crate::types::Type;

impl<'a> Checker<'a> {
    /// Annotations in front of one thing.
    pub(super) fn annotations(&mut self, all: &'a [ast::Annotation]) {
        for (at, annotation) in all.iter().enumerate() {
            let name = &annotation.name;
            self.doubt_annotation(name);
            // §20: one in brackets stands alone among those of its name.
            let mut same = all[..at].iter().filter(|one| one.name.text == name.text);
            if same.any(|one| is_structured(one) || is_structured(annotation)) {
                let message = format!("`@{}` stands here twice, once in brackets", name.text);
                self.error("p4-name", name.span, message);
            }
            // §20.3.3.1.
            let is_name =
                |one: &ast::Annotation| matches!(one.name.text.as_str(), "name" | "hidden");
            if is_name(annotation) && all[..at].iter().any(is_name) {
                let message = "one thing has one name, or none: `@name` or `@hidden`, once";
                self.error("p4-name", name.span, message);
            }
            let values: Vec<&'a ast::Expression> = match &annotation.body {
                AnnotationBody::Empty => continue,
                AnnotationBody::Unstructured(tokens) => {
                    match name.text.as_str() {
                        "name" | "deprecated" => self.text_in(annotation, tokens),
                        "match" => self.match_kind_in(annotation, tokens),
                        _ => {}
                    }
                    continue;
                }
                AnnotationBody::Expressions(values) => values.iter().collect(),
                AnnotationBody::KeyValues(pairs) => {
                    self.keys_once(pairs);
                    pairs.iter().map(|(_, value)| value).collect()
                }
            };
            for value in values {
                self.said_in_brackets(value);
            }
        }
    }

    /// §20.2: texts, numbers and booleans that are known.
    fn said_in_brackets(&mut self, value: &'a ast::Expression) {
        let Some(known) = self.known(value, None) else {
            return;
        };
        if !matches!(known.of, Type::Text | Type::Integer | Type::Bool) {
            let text = self.types().text(&known.of);
            let message = format!("an annotation has texts, `int` and booleans, not {text}");
            self.error("p4-type", value.span, message);
        }
    }

    /// §20.2: no key is said twice.
    fn keys_once(&mut self, pairs: &[(ast::Name, ast::Expression)]) {
        for (at, (key, _)) in pairs.iter().enumerate() {
            if pairs[..at].iter().any(|(other, _)| other.text == key.text) {
                let message = format!("`{}` is said twice", key.text);
                self.error("p4-name", key.span, message);
            }
        }
    }

    /// §20.3.6: how a field of a value set is compared.
    fn match_kind_in(&mut self, annotation: &ast::Annotation, tokens: &[crate::lexer::Token]) {
        let known = &self.types().match_kinds;
        let is_good = match tokens {
            [token] => known.iter().any(|kind| token.is_word(kind)),
            _ => false,
        };
        if !is_good {
            self.error(
                "p4-type",
                annotation.name.span,
                "`@match` says a match kind",
            );
        }
    }

    /// §20.3.3, §20.3.8: a text, or several with `++` between them.
    fn text_in(&mut self, annotation: &ast::Annotation, tokens: &[crate::lexer::Token]) {
        let wrong = tokens.iter().find(|token| match &token.kind {
            TokenKind::Text(_) | TokenKind::Word(_) => false,
            TokenKind::Sign(sign) => !matches!(*sign, "++" | "+" | "(" | ")" | "."),
            _ => true,
        });
        if wrong.is_some() {
            let message = format!("`@{}` says a text", annotation.name.text);
            self.error("p4-type", annotation.name.span, message);
        }
    }
}

/// It is in brackets.
fn is_structured(annotation: &ast::Annotation) -> bool {
    matches!(
        annotation.body,
        AnnotationBody::Expressions(_) | AnnotationBody::KeyValues(_)
    )
}

//! Annotations as P4Info has them: each as a text, or with its parts where it has brackets; those that say something of the description
//! itself are left out.

use super::message::Message;
use super::Maker;
use crate::ast::{Annotation, AnnotationBody, Expression, ExpressionKind as Written, Unary};
use crate::lexer::{Token, TokenKind};
use crate::source::{Sources, Span};
use crate::typed::Program;
use crate::value::Value;
use hardpath_diagnostic::Diagnostic;
use num_bigint::BigInt;

/// The numbers that the fields for annotations have in a message.
#[derive(Clone, Copy)]
pub(super) struct Fields {
    pub(super) plain: u32,
    pub(super) structured: u32,
    /// What `@brief` and `@description` say.
    pub(super) documentation: Option<u32>,
}

impl Fields {
    pub(super) const fn new(plain: u32, structured: u32, documentation: Option<u32>) -> Fields {
        Fields {
            plain,
            structured,
            documentation,
        }
    }
}

/// What P4Info says elsewhere.
const ELSEWHERE: [&str; 4] = ["name", "id", "brief", "description"];

impl Maker<'_> {
    /// Adds annotations to what is said of a thing, without those of these names.
    pub(super) fn annotated(
        &mut self,
        mut message: Message,
        annotations: &[Annotation],
        fields: Fields,
        without: &[&str],
    ) -> Message {
        for annotation in annotations {
            let name = annotation.name.text.as_str();
            if let AnnotationBody::Expressions(_) | AnnotationBody::KeyValues(_) = annotation.body {
                match structured(annotation, self.program, self.sources) {
                    Ok(said) => {
                        let name = "structured_annotations";
                        message = message.message(fields.structured, name, said);
                    }
                    Err(error) => self.errors.push(error),
                }
            } else if !ELSEWHERE.contains(&name) && !without.contains(&name) {
                message = message.chosen_text(fields.plain, "annotations", &plain(annotation));
            }
        }
        let Some(number) = fields.documentation else {
            return message;
        };
        let said = |name: &str| crate::check::text_of(annotations, name).unwrap_or_default();
        let documentation = Message::new().text_of(1, "brief", &said("brief")).text_of(
            2,
            "description",
            &said("description"),
        );
        match documentation.is_empty() {
            true => message,
            false => message.message(number, "doc", documentation),
        }
    }
}

/// `@name(…)`, with a blank between its tokens.
fn plain(annotation: &Annotation) -> String {
    let name = &annotation.name.text;
    match &annotation.body {
        AnnotationBody::Unstructured(tokens) if !tokens.is_empty() => {
            let texts: Vec<String> = tokens.iter().map(text).collect();
            format!("@{name}({})", texts.join(" "))
        }
        _ => format!("@{name}"),
    }
}

/// A token as a source has it.
fn text(token: &Token) -> String {
    match &token.kind {
        TokenKind::Text(text) => {
            let text = text.replace('\\', "\\\\").replace('"', "\\\"");
            format!("\"{text}\"")
        }
        _ => token.text(),
    }
}

fn structured(
    annotation: &Annotation,
    program: &Program,
    sources: &Sources,
) -> Result<Message, Diagnostic> {
    let message = Message::new().text_of(1, "name", &annotation.name.text);
    Ok(match &annotation.body {
        AnnotationBody::KeyValues(pairs) => {
            let mut list = Message::new();
            for (key, value) in pairs {
                let pair = Message::new().text_of(1, "key", &key.text);
                let value = value_of(value, program, sources)?;
                list = list.message(1, "kv_pairs", pair.message(2, "value", value));
            }
            message.message(3, "kv_pair_list", list)
        }
        AnnotationBody::Expressions(values) if !values.is_empty() => {
            let mut list = Message::new();
            for value in values {
                list = list.message(1, "expressions", value_of(value, program, sources)?);
            }
            message.message(2, "expression_list", list)
        }
        _ => message,
    })
}

fn value_of(
    value: &Expression,
    program: &Program,
    sources: &Sources,
) -> Result<Message, Diagnostic> {
    let wrong = |message: &str| sources.error("p4-p4info", value.span, message);
    match evaluate(value, program) {
        Some(Value::Text(text)) => Ok(Message::new().chosen_text(1, "string_value", &text)),
        Some(Value::Bool(value)) => Ok(Message::new().chosen_flag(3, "bool_value", value)),
        Some(Value::Number(number)) => match i64::try_from(number) {
            Ok(number) => Ok(Message::new().chosen_number(2, "int64_value", number)),
            Err(_) => Err(wrong("P4Info has numbers of 64 bits here")
                .help("a number that is larger goes as a text: \"…\"")),
        },
        _ => Err(wrong("in brackets there are numbers, texts and booleans")
            .help("write the value itself")),
    }
}

/// The value of an expression of an annotation, which nobody has checked: those that P4Info has are literals and constants, and numbers that
/// operators make of them.
fn evaluate(of: &Expression, program: &Program) -> Option<Value> {
    let number = |of: &Expression| match evaluate(of, program)? {
        Value::Number(number) => Some(number),
        _ => None,
    };
    Some(match &of.kind {
        Written::Number(text) => Value::Number(crate::value::literal(text).ok()?.0),
        Written::Text(text) => Value::Text(text.clone()),
        Written::Bool(value) => Value::Bool(*value),
        Written::Path(path) => {
            let mut constants = program.constants.iter().rev();
            let known = constants.find(|one| one.name == path.name.text)?;
            known.value.clone()
        }
        Written::Unary(Unary::Minus, of) => Value::Number(-number(of)?),
        Written::Unary(Unary::Plus, of) => Value::Number(number(of)?),
        Written::Unary(Unary::Not, of) => match evaluate(of, program)? {
            Value::Bool(value) => Value::Bool(!value),
            _ => return None,
        },
        Written::Binary(operator, one, other) => {
            let (one, other) = (evaluate(one, program)?, evaluate(other, program)?);
            crate::fold::binary(*operator, one, other, &crate::types::Type::Integer, 0).ok()?
        }
        _ => return None,
    })
}

/// The tokens in the parentheses of an annotation.
pub(super) fn tokens(annotation: &Annotation) -> &[Token] {
    match &annotation.body {
        AnnotationBody::Unstructured(tokens) => tokens,
        _ => &[],
    }
}

/// The number that an annotation says, if it says one.
pub(super) fn number(annotation: &Annotation) -> Option<BigInt> {
    match tokens(annotation) {
        [one] => number_of(one),
        _ => None,
    }
}

/// The number that an annotation of this name says.
pub fn number_said(annotations: &[Annotation], name: &str) -> Option<BigInt> {
    number(find(annotations, name)?)
}

/// The number that a token is.
pub(super) fn number_of(token: &Token) -> Option<BigInt> {
    match &token.kind {
        TokenKind::Number(text) => Some(crate::value::literal(text).ok()?.0),
        _ => None,
    }
}

/// The annotation of this name.
pub(super) fn find<'a>(annotations: &'a [Annotation], name: &str) -> Option<&'a Annotation> {
    annotations.iter().find(|one| one.name.text == name)
}

/// Keys with values, `@name(key = value, …)` or in brackets, with where they stand; `None`: no number and no text.
pub(super) fn pairs(annotation: &Annotation) -> Vec<(&str, Span, Option<Value>)> {
    let literal = |text: &str| crate::value::literal(text).ok();
    let number = |text: &str| literal(text).map(|(number, _)| Value::Number(number));
    if let AnnotationBody::KeyValues(pairs) = &annotation.body {
        let pairs = pairs.iter().map(|(name, value)| {
            let value = match &value.kind {
                Written::Text(text) => Some(Value::Text(text.clone())),
                Written::Number(text) => number(text),
                _ => None,
            };
            (name.text.as_str(), name.span, value)
        });
        return pairs.collect();
    }
    let mut pairs = Vec::new();
    for pair in tokens(annotation).split(|token| token.is_sign(",")) {
        let [key, is, said @ ..] = pair else { continue };
        let (TokenKind::Word(name), true) = (&key.kind, is.is_sign("=")) else {
            continue;
        };
        // A macro may have put a text together of several.
        let texts = said.iter().map(|token| match &token.kind {
            TokenKind::Text(text) => Some(text.as_str()),
            _ => None,
        });
        let value = match said {
            [Token {
                kind: TokenKind::Number(text),
                ..
            }] => number(text),
            _ => texts.collect::<Option<String>>().map(Value::Text),
        };
        pairs.push((name.as_str(), key.span, value));
    }
    pairs
}

//! Macros, and what becomes of a text in which they are named.

use crate::lexer::{tokens, Token, TokenKind};
use crate::source::{Sources, Span};
use hardpath_diagnostic::Diagnostic;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

/// Tokens that a text may become: more are a macro that grows and grows.
const MOST_TOKENS: usize = 4_000_000;

/// All that are defined.
#[derive(Default)]
pub(super) struct Macros {
    all: BTreeMap<String, Macro>,
}

#[derive(Clone)]
struct Macro {
    /// `None`: it takes none, and no parentheses.
    parameters: Option<Vec<String>>,
    /// The last parameter takes all arguments that are left, with their commas: `...`.
    takes_rest: bool,
    body: Vec<Token>,
}

/// What became of a text.
pub(super) struct Expanded {
    pub tokens: Vec<Token>,
    pub errors: Vec<Diagnostic>,
}

/// Names that are not expanded in a token again.
type Hidden = Rc<BTreeSet<String>>;

impl Macros {
    pub(super) fn has(&self, name: &str) -> bool {
        self.all.contains_key(name) || matches!(name, "__LINE__" | "__FILE__")
    }

    pub(super) fn forget(&mut self, name: &str) {
        self.all.remove(name);
    }

    /// Takes up what stands behind `#define`.
    pub(super) fn define(&mut self, words: &[Token]) -> Result<(), (Span, String)> {
        let wrong = |span: Span, message: &str| Err((span, message.to_owned()));
        let Some(Token {
            kind: TokenKind::Word(name),
            ..
        }) = words.first()
        else {
            let span = words.first().map(|token| token.span).unwrap_or_default();
            return wrong(span, "#define takes a name");
        };
        let mut body = &words[1..];
        let mut parameters = None;
        let mut takes_rest = false;
        if let Some(open) = body
            .first()
            .filter(|open| open.is_sign("(") && open.adjoins)
        {
            let Some(close) = body.iter().position(|token| token.is_sign(")")) else {
                return wrong(open.span, "the macro's parameters do not end");
            };
            let mut names = Vec::new();
            for (place, token) in body[1..close].iter().enumerate() {
                match &token.kind {
                    TokenKind::Word(name) if place % 2 == 0 => names.push(name.clone()),
                    TokenKind::Sign("...") if place % 2 == 0 && place + 2 == close => {
                        takes_rest = true;
                        names.push("__VA_ARGS__".to_owned());
                    }
                    TokenKind::Sign(",") if place % 2 == 1 => {}
                    _ => return wrong(token.span, "a macro's parameters are names"),
                }
            }
            parameters = Some(names);
            body = &body[close + 1..];
        }
        let body = body.to_vec();
        let found = Macro {
            parameters,
            takes_rest,
            body,
        };
        self.all.insert(name.clone(), found);
        Ok(())
    }

    /// The text with all macros expanded.
    pub(super) fn expand(&self, sources: &mut Sources, text: &[Token]) -> Expanded {
        let nothing: Hidden = Rc::default();
        let mut rest: VecDeque<(Token, Hidden)> = text
            .iter()
            .map(|token| (token.clone(), Rc::clone(&nothing)))
            .collect();
        let mut expanded = Expanded {
            tokens: Vec::new(),
            errors: Vec::new(),
        };
        let mut steps = 0;
        while let Some((token, hidden)) = rest.pop_front() {
            let found = match &token.kind {
                TokenKind::Word(name) if !hidden.contains(name) => {
                    self.all.get(name).map(|found| (name.clone(), found))
                }
                _ => None,
            };
            let Some((name, found)) = found else {
                expanded.tokens.push(built_in(sources, token));
                continue;
            };
            steps += 1;
            if steps + expanded.tokens.len() + rest.len() > MOST_TOKENS {
                let message = format!("macro {name} becomes too much");
                let error = sources.error("p4-preprocessor", token.span, message);
                expanded.errors.push(error);
                return expanded;
            }
            let mut values = Vec::new();
            if let Some(parameters) = &found.parameters {
                let is_call = rest.front().is_some_and(|(next, _)| next.is_sign("("));
                if !is_call {
                    expanded.tokens.push(token);
                    continue;
                }
                match taken(&mut rest, parameters.len(), found.takes_rest) {
                    Some(taken) => values = taken,
                    None => {
                        let message = format!("macro {name} takes {} arguments", parameters.len());
                        let error = sources.error("p4-preprocessor", token.span, message);
                        expanded.errors.push(error);
                        continue;
                    }
                }
            }
            let mut below = (*hidden).clone();
            below.insert(name);
            let below = Rc::new(below);
            let body = self.body(sources, found, (&token, &values));
            for token in body.into_iter().rev() {
                rest.push_front((token, Rc::clone(&below)));
            }
        }
        expanded
    }

    /// What a macro stands for, with the values of its parameters.
    fn body(
        &self,
        sources: &mut Sources,
        found: &Macro,
        (used, values): (&Token, &[Vec<Token>]),
    ) -> Vec<Token> {
        let no_names = Vec::new();
        let names = found.parameters.as_ref().unwrap_or(&no_names);
        let value = |token: &Token| match &token.kind {
            TokenKind::Word(word) => names.iter().position(|name| name == word),
            _ => None,
        };
        let mut out: Vec<Token> = Vec::new();
        let mut pastes = false;
        let mut tokens_left = found.body.iter().peekable();
        while let Some(token) = tokens_left.next() {
            if token.is_sign("##") {
                pastes = true;
                continue;
            }
            let next_pastes = tokens_left.peek().is_some_and(|next| next.is_sign("##"));
            let named = tokens_left.peek().and_then(|next| value(next));
            let new = match (token.is_sign("#"), named) {
                (true, Some(number)) => {
                    tokens_left.next();
                    let words = values[number].iter().map(Token::text);
                    let text = words.collect::<Vec<String>>().join(" ");
                    vec![Token {
                        kind: TokenKind::Text(text),
                        ..token.clone()
                    }]
                }
                _ => match value(token) {
                    Some(number) if pastes || next_pastes => values[number].clone(),
                    Some(number) => self.expand(sources, &values[number]).tokens,
                    None => vec![token.clone()],
                },
            };
            let mut new = new.into_iter();
            if std::mem::take(&mut pastes) {
                let last = out.pop();
                let parts = [last, new.next()].into_iter().flatten();
                let text: String = parts.map(|token| token.text()).collect();
                let file = sources.add("##", text.clone());
                out.extend(tokens(file, &text));
            }
            out.extend(new);
        }
        for (place, token) in out.iter_mut().enumerate() {
            token.span = used.span;
            token.begins_line = false;
            token.adjoins &= place > 0;
        }
        out
    }
}

/// The arguments of a macro, from the parenthesis on; `None`: they do not end, or are not so many.
fn taken(
    rest: &mut VecDeque<(Token, Hidden)>,
    count: usize,
    takes_rest: bool,
) -> Option<Vec<Vec<Token>>> {
    rest.pop_front();
    let (mut all, mut deep) = (vec![Vec::new()], 0);
    loop {
        let (token, _) = rest.pop_front()?;
        match &token.kind {
            TokenKind::Sign(")") if deep == 0 => break,
            TokenKind::Sign(",") if deep == 0 && !(takes_rest && all.len() == count) => {
                all.push(Vec::new());
                continue;
            }
            TokenKind::Sign("(") => deep += 1,
            TokenKind::Sign(")") => deep -= 1,
            _ => {}
        }
        all.last_mut().expect("there is one").push(token);
    }
    if count == 0 && all.len() == 1 && all[0].is_empty() {
        all.clear();
    }
    // What is left may be nothing at all.
    if takes_rest && all.len() + 1 == count {
        all.push(Vec::new());
    }
    (all.len() == count).then_some(all)
}

/// `__LINE__` and `__FILE__`.
fn built_in(sources: &Sources, token: Token) -> Token {
    let kind = match &token.kind {
        TokenKind::Word(word) if word == "__LINE__" => {
            TokenKind::Number(sources.place(token.span).line.to_string())
        }
        TokenKind::Word(word) if word == "__FILE__" => {
            TokenKind::Text(sources.place(token.span).file)
        }
        _ => return token,
    };
    Token { kind, ..token }
}

//! Directives and macros: from a file and what it includes to tokens (§6.2: as the C preprocessor does it).
//!
//! Lines that begin with `#` are directives; all others between two of them are one text, in which macros are expanded as the C standard
//! says (6.10.3): a macro that is being expanded is not expanded again in what comes of it.

mod condition;
mod macros;

use crate::lexer::{tokens, Token, TokenKind};
use crate::library;
use crate::source::{Sources, Span};
use condition::holds;
use hardpath_diagnostic::{suggest, Diagnostic, Place};
use macros::Macros;
use std::path::{Path, PathBuf};

/// Files in files, at most: more are a circle.
const MOST_DEEP: usize = 100;

/// What a program is read with.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Folders in which included files are looked for, the first one first; behind them all, those of [`library`].
    pub folders: Vec<PathBuf>,
    /// Macros that are defined before the first line, with what they stand for.
    pub defines: Vec<(String, String)>,
}

/// The tokens of a file and of what it includes.
///
/// # Errors
/// `cannot-read`: a file; `p4-preprocessor`: a directive that is wrong, or a macro.
pub fn file(
    sources: &mut Sources,
    path: &Path,
    options: &Options,
) -> Result<Vec<Token>, Vec<Diagnostic>> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        let message = format!("the program cannot be read: {error}");
        vec![Diagnostic::input("cannot-read", message).at(Place::of_file(path.display()))]
    })?;
    let number = sources.add(path.display().to_string(), text);
    run(sources, number, options)
}

/// The same of a file that was taken up already.
///
/// # Errors
/// As for [`file`].
pub fn run(
    sources: &mut Sources,
    number: u32,
    options: &Options,
) -> Result<Vec<Token>, Vec<Diagnostic>> {
    let mut run = Run {
        macros: Macros::default(),
        options,
        open: Vec::new(),
        out: Vec::new(),
        errors: Vec::new(),
        sources,
    };
    for (name, value) in &options.defines {
        let text = format!("{name} {value}");
        let file = run.sources.add("-D", text);
        let words = tokens(file, &run.sources.file(file).text.clone());
        run.define(&words);
    }
    run.file(number);
    match run.errors.is_empty() {
        true => Ok(run.out),
        false => Err(run.errors),
    }
}

struct Run<'a> {
    sources: &'a mut Sources,
    options: &'a Options,
    macros: Macros,
    /// Files that are being read, the outermost first.
    open: Vec<u32>,
    out: Vec<Token>,
    errors: Vec<Diagnostic>,
}

/// An `#if` that was not ended yet.
struct Branch {
    span: Span,
    /// What stands here counts.
    counts: bool,
    /// One of its branches has counted, or none may.
    settled: bool,
    has_else: bool,
}

impl Run<'_> {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        let error = self.sources.error("p4-preprocessor", span, message);
        self.errors.push(error);
    }

    fn file(&mut self, number: u32) {
        self.open.push(number);
        let text = self.sources.file(number).text.clone();
        let all = tokens(number, &text);
        let mut branches: Vec<Branch> = Vec::new();
        let mut rest = &all[..];
        while let Some(first) = rest.first() {
            let counts = branches.last().is_none_or(|branch| branch.counts);
            let is_directive = |token: &Token| token.begins_line && token.is_sign("#");
            if is_directive(first) {
                let end = rest.iter().skip(1).position(|token| token.begins_line);
                let (line, behind) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
                self.directive(line, &mut branches, counts);
                rest = behind;
            } else {
                let end = rest.iter().position(is_directive).unwrap_or(rest.len());
                let (lines, behind) = rest.split_at(end);
                if counts {
                    let expanded = self.macros.expand(self.sources, lines);
                    self.errors.extend(expanded.errors);
                    self.out.extend(expanded.tokens);
                }
                rest = behind;
            }
        }
        for branch in branches {
            self.error(branch.span, "this has no #endif");
        }
        self.open.pop();
    }

    fn directive(&mut self, line: &[Token], branches: &mut Vec<Branch>, counts: bool) {
        let Some(name) = line.get(1) else {
            return;
        };
        let (span, words) = (line[0].span.to(name.span), &line[2..]);
        let TokenKind::Word(word) = &name.kind else {
            // `# 12 "file"`, as preprocessors write it.
            if counts && !matches!(name.kind, TokenKind::Number(_)) {
                self.error(span, format!("#{} is no directive", name.text()));
            }
            return;
        };
        match word.as_str() {
            "if" | "ifdef" | "ifndef" => {
                let holds = counts && self.condition(word, span, words);
                branches.push(Branch {
                    span,
                    counts: holds,
                    settled: holds || !counts,
                    has_else: false,
                });
            }
            "elif" | "else" => {
                let is_else = word == "else";
                let Some(branch) = branches.last_mut() else {
                    return self.error(span, format!("#{word} without an #if"));
                };
                let late = branch.has_else;
                branch.has_else |= is_else;
                let settled = branch.settled;
                let holds = !late && !settled && (is_else || self.condition(word, span, words));
                if late {
                    self.error(span, format!("#{word} behind an #else"));
                }
                if let Some(branch) = branches.last_mut() {
                    branch.counts = holds;
                    branch.settled |= holds;
                }
            }
            "endif" => {
                if branches.pop().is_none() {
                    self.error(span, "#endif without an #if");
                }
            }
            _ if !counts => {}
            "define" => self.define(words),
            "undef" => match words {
                [Token {
                    kind: TokenKind::Word(name),
                    ..
                }] => self.macros.forget(name),
                _ => self.error(span, "#undef takes a name"),
            },
            "include" => self.include(span, line),
            "error" => {
                let message = self.behind(name.span);
                self.error(span, format!("#error {message}"));
            }
            "warning" | "pragma" | "line" | "ident" => {}
            other => {
                let error = format!("#{other} is no directive");
                self.error(span, error);
            }
        }
    }

    /// Whether what follows in this line counts.
    fn condition(&mut self, word: &str, span: Span, words: &[Token]) -> bool {
        if let "ifdef" | "ifndef" = word {
            return match words.first().map(|token| &token.kind) {
                Some(TokenKind::Word(name)) => self.macros.has(name) == (word == "ifdef"),
                _ => {
                    self.error(span, format!("#{word} takes a name"));
                    false
                }
            };
        }
        match holds(&self.macros, self.sources, words) {
            Ok(holds) => holds,
            Err(message) => {
                self.error(span, format!("#{word}: {message}"));
                false
            }
        }
    }

    fn define(&mut self, words: &[Token]) {
        if let Err((span, message)) = self.macros.define(words) {
            self.error(span, message);
        }
    }

    /// The rest of a line behind a word, without a comment.
    fn behind(&self, word: Span) -> String {
        let text = &self.sources.file(word.file).text;
        let rest = text.get(word.end as usize..).unwrap_or("");
        let line = rest.lines().next().unwrap_or("");
        let line = line.split("//").next().unwrap_or("");
        let line = line.split("/*").next().unwrap_or("");
        line.trim().to_owned()
    }

    fn include(&mut self, span: Span, line: &[Token]) {
        let mut named = self.behind(line[1].span);
        if !named.starts_with(['"', '<']) {
            let expanded = self.macros.expand(self.sources, &line[2..]);
            named = expanded.tokens.iter().map(Token::text).collect();
        }
        let inside = |open: char, close: char| {
            let rest = named.strip_prefix(open)?;
            Some(rest.split_once(close)?.0.to_owned())
        };
        let quoted = inside('"', '"');
        let Some(name) = quoted.clone().or_else(|| inside('<', '>')) else {
            let message = "#include takes \"a file\" or <a file>";
            let error = self.sources.error("p4-preprocessor", span, message);
            let help = "as in `#include <v1model.p4>`, with both signs around the name";
            return self.errors.push(error.help(help));
        };
        if self.open.len() >= MOST_DEEP {
            let message = format!("{name} is included in itself, or {MOST_DEEP} files deep");
            return self.error(span, message);
        }
        let here = Path::new(&self.sources.file(span.file).name).parent();
        let here = here.map(Path::to_path_buf);
        let folders = quoted.and(here).into_iter();
        let folders: Vec<PathBuf> = folders.chain(self.options.folders.clone()).collect();
        for folder in &folders {
            let path = folder.join(&name);
            if let Ok(text) = std::fs::read_to_string(&path) {
                let number = self.sources.add(path.display().to_string(), text);
                return self.file(number);
            }
        }
        if let Some(text) = library::file(&name) {
            let number = self.sources.add(library::shown(&name), text);
            return self.file(number);
        }
        let folders: Vec<String> = folders
            .iter()
            .map(|folder| match folder.as_os_str().is_empty() {
                true => ".".to_owned(),
                false => folder.display().to_string(),
            })
            .collect();
        let message = match folders.is_empty() {
            true => format!("there is no file {name}"),
            false => format!("{name} is in none of these folders: {}", folders.join(", ")),
        };
        let error = self.sources.error("p4-preprocessor", span, message);
        let near = library::names().filter(|known| !known.contains('/'));
        let help = match suggest::nearest(&name, near) {
            Some(near) => format!("did you mean `#include <{near}>`?"),
            None => {
                let own = library::names().collect::<Vec<_>>().join(", ");
                format!("name its folder with -I; hardpath itself has {own}")
            }
        };
        self.errors.push(error.help(help));
    }
}

//! Which text says what the package of a program does: a file that the program includes, one that is named beside it, or one of our own.

use crate::ast::{self, DeclarationKind, TypeKind};
use crate::lexer::{Token, TokenKind};
use crate::library;
use crate::preprocess::{self, Options};
use crate::source::{Sources, Span};
use hardpath_diagnostic::Diagnostic;
use std::path::Path;

/// In front of a control: the package that it is for.
pub(crate) const ANNOTATION: &str = "hardpath_package";

/// The tokens of the description that is not yet part of the program; `None`: there is none, or it is.
///
/// # Errors
/// Those of reading a file. `p4-instance`: the file that is named does not describe the package.
pub(crate) fn of(
    program: &ast::Program,
    tokens: &[Token],
    named: Option<&Path>,
    (sources, options): (&mut Sources, &Options),
) -> Result<Option<Vec<Token>>, Vec<Diagnostic>> {
    let Some((package, parameters, span)) = package(program) else {
        return Ok(None);
    };
    let describes = |tokens: &[Token]| packages(tokens).any(|name| name == package);
    let is_included = describes(tokens);
    let Some(path) = named else {
        let own = library::architecture(package, parameters).filter(|_| !is_included);
        let tokens = own.map(|text| {
            let number = sources.add(library::ARCHITECTURE_FILE, text);
            preprocess::run(sources, number, options)
        });
        return tokens.transpose();
    };
    let file = std::fs::canonicalize(path);
    let is_it = |name: &str| matches!((std::fs::canonicalize(name), &file), (Ok(one), Ok(other)) if one == *other);
    if is_included && sources.names().any(is_it) {
        return Ok(None);
    }
    let tokens = preprocess::file(sources, path, options)?;
    match describes(&tokens) {
        true => Ok(Some(tokens)),
        false => Err(vec![undescribed(path, &tokens, (package, span), sources)]),
    }
}

fn undescribed(
    path: &Path,
    tokens: &[Token],
    (package, span): (&str, Span),
    sources: &Sources,
) -> Diagnostic {
    let others: Vec<&str> = packages(tokens).collect();
    let message = match others.is_empty() {
        true => format!("{} describes no architecture", path.display()),
        false => format!(
            "{} describes {}, and the program makes a `{package}`",
            path.display(),
            others.join(", ")
        ),
    };
    let help = format!("put `@{ANNOTATION}(\"{package}\")` in front of the control that says what it does; {WHERE}");
    sources.error("p4-instance", span, message).help(help)
}

/// Where people read how to write one.
pub(crate) const WHERE: &str = "programs/p4/architecture has an example";

/// The packages that a text describes.
fn packages(tokens: &[Token]) -> impl Iterator<Item = &str> {
    tokens.windows(4).filter_map(|four| {
        let [at, name, open, text] = four else {
            return None;
        };
        let is_it = at.kind == TokenKind::Sign("@")
            && matches!(&name.kind, TokenKind::Word(word) if word == ANNOTATION)
            && open.kind == TokenKind::Sign("(");
        match &text.kind {
            TokenKind::Text(text) if is_it => Some(text.as_str()),
            _ => None,
        }
    })
}

/// The package that `main` is one of, how many parameters it has, and where `main` is.
fn package(program: &ast::Program) -> Option<(&str, usize, Span)> {
    let main = program
        .declarations
        .iter()
        .find_map(|one| match &one.kind {
            DeclarationKind::Instance(instance) if instance.name.text == "main" => Some(instance),
            _ => None,
        })?;
    let TypeKind::Named(path, _) = &main.of.kind else {
        return None;
    };
    let name = path.name.text.as_str();
    program.declarations.iter().find_map(|one| match &one.kind {
        DeclarationKind::Package(head) if head.name.text == name => {
            Some((name, head.parameters.len(), main.name.span))
        }
        _ => None,
    })
}

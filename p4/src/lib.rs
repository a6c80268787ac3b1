//! P4_16 sources, from files to a tree.
//!
//! ```text
//! files ─► preprocess (lexer): tokens, each with where it stands ─► parser: the tree of a program (ast)
//!       ─► check: names, types, constants, calls (typed; types, value, operators, fold) ─► design: the objects that it makes
//!       ─► interpreter: what becomes of packets; lower: the program IR
//!       ─► p4info: what the control plane sees
//!
//! tests (stf), files of entries (entries, p4runtime) ─► commands: packets, entries of tables, registers, …
//! ```
//!
//! The language is that of the P4_16 specification, version 1.2.5; sections that comments name are its own. A source that is wrong gets
//! all its errors, each with its place; no source panics.
//!
//! Architectures are described in P4 (`architectures`, `include`); sources of P4_14 become P4_16 text first ([`p4_14`]). This crate knows no
//! target and no other language.

#![deny(missing_docs)]

pub mod ast;
pub mod check;
pub mod commands;
pub mod control;
mod cursor;
mod described;
pub mod design;
pub mod entries;
pub mod fold;
pub mod format;
pub mod idle;
pub mod interpreter;
pub mod lexer;
pub mod library;
pub mod loops;
pub mod lower;
pub mod meters;
pub mod operators;
pub mod p4_14;
pub mod p4info;
pub mod p4runtime;
pub mod parser;
pub mod preprocess;
pub mod runner;
pub mod source;
pub mod stf;
pub mod supported;
pub mod typed;
pub mod types;
pub mod value;

use hardpath_diagnostic::Diagnostic;
use lexer::Token;
use preprocess::Options;
use source::Sources;
use std::path::Path;

/// Reads a program and what it includes.
///
/// # Errors
/// `cannot-read`, `p4-preprocessor`, `p4-syntax`: everything that is wrong with it, in the order of the text.
pub fn parse(path: &Path, options: &Options) -> Result<(ast::Program, Sources), Vec<Diagnostic>> {
    let mut sources = Sources::default();
    let tokens = preprocess::file(&mut sources, path, options)?;
    let program = parser::program(&sources, &tokens)?;
    Ok((program, sources))
}

/// Reads a program, with what its architecture does, and checks it. `described` is a file that describes an architecture that hardpath
/// does not know.
///
/// # Errors
/// As for [`parse`], and those of [`check::check`].
pub fn load(
    path: &Path,
    described: Option<&Path>,
    options: &Options,
) -> Result<(typed::Program, Sources), Vec<Diagnostic>> {
    let mut sources = Sources::default();
    let tokens = preprocess::file(&mut sources, path, options)?;
    let program = read(tokens, described, options, &mut sources)?;
    Ok((check::check(&program, &sources)?, sources))
}

/// The same of a source of P4_14, which is translated to P4_16 first: messages tell of places in that text.
///
/// # Errors
/// `p4-14`, and those of [`load`].
pub fn load_14(
    path: &Path,
    options: &Options,
) -> Result<(typed::Program, Sources), Vec<Diagnostic>> {
    let text = p4_14::translate(path, options)?;
    let mut sources = Sources::default();
    let number = sources.add(format!("{} as P4_16", path.display()), text);
    let tokens = preprocess::run(&mut sources, number, options)?;
    let program = read(tokens, None, options, &mut sources)?;
    let mut program = check::check(&program, &sources)?;
    program.is_translated = true;
    Ok((program, sources))
}

/// The tree of a program with what its architecture does.
///
/// # Errors
/// As for [`parse`].
pub fn read(
    mut tokens: Vec<Token>,
    described: Option<&Path>,
    options: &Options,
    sources: &mut Sources,
) -> Result<ast::Program, Vec<Diagnostic>> {
    let program = parser::program(sources, &tokens)?;
    let Some(description) = described::of(&program, &tokens, described, (sources, options))? else {
        return Ok(program);
    };
    let file = library::shown(library::SUPPORT_FILE);
    if !sources.names().any(|name| name == file) {
        let support = sources.add(file, library::SUPPORT);
        tokens.extend(preprocess::run(sources, support, options)?);
    }
    tokens.extend(description);
    // Which names are types the second part knows only from the first one.
    parser::program(sources, &tokens)
}

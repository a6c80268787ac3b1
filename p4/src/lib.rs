//! P4_16 sources, from files to a tree.
//!
//! ```text
//! files ─► preprocess (lexer): tokens, each with where it stands ─► parser: the tree of a program (ast)
//!       ─► declare: types with their widths, constants with their values (types, value, operators)
//! ```
//!
//! The language is that of the P4_16 specification, version 1.2.5; sections that comments name are its own. A source that is wrong gets
//! all its errors, each with its place; no source panics.
//!
//! This crate knows no architecture, no target and no other language.

#![deny(missing_docs)]

pub mod ast;
pub mod declare;
pub mod lexer;
pub mod library;
pub mod operators;
pub mod parser;
pub mod preprocess;
pub mod source;
pub mod types;
pub mod value;

use ast::Program;
use hardpath_diagnostic::Diagnostic;
use preprocess::Options;
use source::Sources;
use std::path::Path;

/// Reads a program and what it includes.
///
/// # Errors
/// `cannot-read`, `p4-preprocessor`, `p4-syntax`: everything that is wrong with it, in the order of the text.
pub fn parse(path: &Path, options: &Options) -> Result<(Program, Sources), Vec<Diagnostic>> {
    let mut sources = Sources::default();
    let tokens = preprocess::file(&mut sources, path, options)?;
    let program = parser::program(&sources, &tokens)?;
    Ok((program, sources))
}

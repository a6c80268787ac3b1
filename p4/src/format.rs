//! The formatter of sources: the same tokens, comments and directives in the same order, with blanks and line ends as everybody has them.
//!
//! ```text
//! text ─► pieces: tokens, comments, directives ─► angles: which `<` open types
//!      ─► lines: one statement a line, each with how deep it stands ─► align: columns, where the text has some
//!      ─► layout: lines that are too long are broken
//! ```
//!
//! It works on the text as it is: the preprocessor is not run, so that whatever the branches of an `#if` say stays, and a program needs not
//! be right. What a name is, is not known then, and where blanks depend on that (`(T) -x`, `f(a < b, c > d)`) those of the text decide.
//! Only blanks are at stake in all of this: no token is ever added, left out, joined or moved. A second time changes nothing.
//!
//! Line ends are kept where they mean something: around comments and directives, behind `@pragma`, behind annotations in front of a
//! declaration, behind what looks like a macro in place of a statement, and one blank line between paragraphs. Columns of fields and of
//! comments behind lines are kept where the text has them.

mod align;
mod angles;
mod layout;
mod lines;
mod pieces;
mod spaces;

use crate::source::Sources;
use hardpath_diagnostic::Diagnostic;

/// Columns that a line has at most, where it can be broken.
pub const WIDTH: usize = 100;
/// Columns by which what stands in something else is indented.
pub const INDENT: usize = 4;

/// A source, formatted; `name` is what messages call it.
///
/// # Errors
/// `p4-syntax`: a character that no token begins with, a comment or a string that does not end, brackets that do not fit each other.
/// Nothing is formatted then.
pub fn format(name: &str, text: &str) -> Result<String, Vec<Diagnostic>> {
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    let mut pieces = pieces::pieces(&sources, file)?;
    angles::classify(&mut pieces);
    let mut lines = lines::lines(&sources, &pieces)?;
    align::align(&mut lines);
    Ok(layout::text(&lines))
}

//! Pieces to lines: one declaration, statement, property, entry, case or member a line, each with how deep it stands.
//!
//! There is no tree. Open brackets are kept on a stack, and of a statement the tokens that stand in no brackets of its own: they tell a
//! block's brace from one of values, and where it ends. At `#if` the stack is put aside, so that each branch begins with the same one; what
//! the first branch leaves open is open behind `#endif`.

mod brackets;
mod statements;

use super::pieces::{Angle, Kind, Piece};
use super::spaces::{self, Role};
use crate::source::Sources;
use hardpath_diagnostic::Diagnostic;

/// A line, before it is broken.
#[derive(Clone, Debug, Default)]
pub(super) struct Line<'a> {
    /// In how many things it stands.
    pub deep: usize,
    pub atoms: Vec<Atom<'a>>,
    /// Which of them is the name of a field or type that stands in front of the semicolon.
    pub name: Option<usize>,
    /// A blank line stands in front of it.
    pub is_parted: bool,
}

/// A piece of a line.
#[derive(Clone, Debug)]
pub(super) struct Atom<'a> {
    pub text: &'a str,
    pub kind: AtomKind,
    /// A blank stands in front of it.
    pub is_spaced: bool,
    /// It begins a line in any case.
    pub breaks: bool,
    /// A comment that ends the line of the text in which it stands behind something.
    pub ends_line: bool,
    /// Such a comment behind a line that is over.
    pub trails: bool,
    /// The begin of another annotation in front of a declaration, or what stands behind the last one.
    pub is_annotated: bool,
    /// Columns in front of it in the text.
    pub column: usize,
    /// Blanks in front of it in the text, where it does not begin a line there.
    pub blanks: usize,
    /// Further blanks in front of it.
    pub pad: usize,
}

impl Atom<'_> {
    /// It is a comment.
    pub fn is_comment(&self) -> bool {
        matches!(self.kind, AtomKind::BlockComment | AtomKind::LineComment)
    }
}

/// What an atom is for who breaks lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AtomKind {
    Plain,
    Open(Bracket),
    Close,
    Comma,
    /// An operator between two operands; the loosest have the smallest numbers.
    Operator(u8),
    /// `{` behind which a line ends.
    OpenBlock,
    LineComment,
    BlockComment,
    /// A directive or pragma: a line of its own.
    Verbatim,
    /// What an annotation says, as it is written.
    Body,
}

/// Brackets in a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bracket {
    Round,
    /// Of `if` and `for`.
    Condition,
    Square,
    Braces,
    Types,
}

/// What a brace has in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Block {
    Plain,
    Table,
    Switch,
    /// Of a header, struct or union.
    Fields,
    /// Names with commas between them: of an `enum`, `error` or `match_kind`.
    Members,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FrameKind {
    Block(Block),
    /// `(`: in an operand's place; of `if` or `for`; behind the name of an annotation; a type surely begins in it.
    Round {
        groups: bool,
        heads: bool,
        annotates: bool,
        has_type: bool,
    },
    Square {
        annotates: bool,
    },
    Braces,
}

/// `if`, `else` or `for` whose statement is not over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Header {
    is_if: bool,
    /// Its statement stands in lines of its own, without braces.
    indents: bool,
}

/// An open bracket.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Frame {
    kind: FrameKind,
    /// Which piece opened it.
    opened: usize,
    /// In how many things its line stands.
    deep: usize,
    /// Lines that there were when it was opened.
    lines: usize,
    headers: Vec<Header>,
    /// Pieces of the statement, without what stands in brackets, and without annotations.
    statement: Vec<usize>,
    /// `?` whose `:` is to come.
    questions: usize,
}

/// An `#if`.
struct Branch {
    before: Vec<Frame>,
    first: Option<Vec<Frame>>,
}

/// Brackets are at most so many deep in each other.
const MOST_DEEP: usize = 200;

pub(super) fn lines<'a>(
    sources: &'a Sources,
    pieces: &'a [Piece<'a>],
) -> Result<Vec<Line<'a>>, Vec<Diagnostic>> {
    let bottom = Frame {
        kind: FrameKind::Block(Block::Plain),
        opened: 0,
        deep: 0,
        lines: 0,
        headers: Vec::new(),
        statement: Vec::new(),
        questions: 0,
    };
    let mut splitter = Splitter {
        sources,
        pieces,
        lines: Vec::new(),
        line: Line::default(),
        frames: vec![bottom],
        branches: Vec::new(),
        role: None,
        must_break: false,
        is_annotated: false,
        skipped: 0,
        errors: Vec::new(),
    };
    for at in 0..pieces.len() {
        if at >= splitter.skipped {
            splitter.piece(at);
        }
        if !splitter.errors.is_empty() {
            return Err(splitter.errors);
        }
    }
    splitter.end()?;
    Ok(splitter.lines)
}

struct Splitter<'a> {
    sources: &'a Sources,
    pieces: &'a [Piece<'a>],
    lines: Vec<Line<'a>>,
    /// The one that is not over.
    line: Line<'a>,
    /// The innermost one last; the first one is the program.
    frames: Vec<Frame>,
    branches: Vec<Branch>,
    /// Of the last token.
    role: Option<Role>,
    /// What comes next begins a line.
    must_break: bool,
    /// What stands in the line are annotations only.
    is_annotated: bool,
    /// Pieces up to here are done.
    skipped: usize,
    errors: Vec<Diagnostic>,
}

impl<'a> Splitter<'a> {
    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the program is never closed")
    }

    fn innermost(&self) -> FrameKind {
        self.frames
            .last()
            .expect("the program is never closed")
            .kind
    }

    fn in_block(&self) -> bool {
        matches!(self.innermost(), FrameKind::Block(_))
    }

    /// The next piece that the parser sees.
    fn next_token(&self, at: usize) -> Option<&'a Piece<'a>> {
        self.pieces[at + 1..].iter().find(|piece| piece.counts())
    }

    /// A piece ends the line of the text in which it stands.
    fn ends_line(&self, at: usize) -> bool {
        let next = self.pieces.get(at + 1);
        next.is_none_or(|next| next.newlines > 0)
    }

    /// The line is over.
    fn flush(&mut self) {
        if !self.line.atoms.is_empty() {
            self.lines.push(std::mem::take(&mut self.line));
        }
        self.role = None;
        self.must_break = false;
        self.is_annotated = false;
    }

    /// Nothing of a statement stands in the line that is not over, but annotations and comments at most.
    fn is_between(&self) -> bool {
        let only_comments = self.line.atoms.iter().all(Atom::is_comment);
        self.in_block() && (only_comments || self.is_annotated)
    }

    fn piece(&mut self, at: usize) {
        self.end_macro(at);
        match self.pieces[at].kind {
            Kind::LineComment | Kind::BlockComment => self.comment(at),
            Kind::Directive => self.directive(at),
            Kind::Pragma => self.verbatim(at),
            _ => self.token(at),
        }
    }

    // ---- Atoms

    /// Puts a piece into the line; a line begins with it where there is none.
    fn put(&mut self, at: usize, text: &'a str, kind: AtomKind, is_spaced: bool) {
        let piece = &self.pieces[at];
        if self.line.atoms.is_empty() {
            self.line.deep = self.deep();
            self.line.is_parted = piece.newlines > 1 && self.may_part();
        }
        let breaks = std::mem::take(&mut self.must_break);
        self.line.atoms.push(Atom {
            text,
            kind,
            is_spaced,
            breaks: breaks || kind == AtomKind::Verbatim,
            ends_line: false,
            trails: false,
            is_annotated: false,
            column: piece.column,
            blanks: piece.blanks,
            pad: 0,
        });
        self.must_break = matches!(kind, AtomKind::LineComment | AtomKind::Verbatim);
    }

    /// A blank line may stand here: not at the begin of the text, nor of a block.
    fn may_part(&self) -> bool {
        let Some(last) = self.lines.last() else {
            return false;
        };
        let tokens = last.atoms.iter().rev();
        let mut tokens = tokens.filter(|atom| !atom.trails);
        tokens
            .next()
            .is_none_or(|atom| atom.kind != AtomKind::OpenBlock)
    }

    /// Puts a token into the line.
    fn put_token(&mut self, at: usize, kind: AtomKind, role: Role) {
        let text = self.pieces[at].text;
        let last = self.line.atoms.last();
        let after_comment = last.is_some_and(Atom::is_comment);
        let is_spaced = match self.role {
            _ if after_comment => !spaces::hugs(role),
            None => !self.line.atoms.is_empty(),
            Some(before) => {
                spaces::is_blank(before, role)
                    || last.is_some_and(|last| spaces::would_join(last.text, text))
            }
        };
        let behind_annotation = self.is_annotated
            && self.in_block()
            && matches!(role, Role::Operand | Role::Keyword | Role::At | Role::Dot)
            && self.pieces[at].kind != Kind::Number
            && self.role != Some(Role::At)
            && !self.line.atoms.is_empty();
        self.put(at, text, kind, is_spaced);
        let atom = self.line.atoms.last_mut().expect("it was put there");
        atom.is_annotated = behind_annotation;
        self.role = Some(role);
    }

    /// A token of the statement, as far as it stands in no brackets.
    fn note(&mut self, at: usize) {
        if self.in_block() {
            self.frame().statement.push(at);
            self.is_annotated = false;
        }
    }

    /// In how many things a line stands that begins here.
    fn deep(&self) -> usize {
        let is_block = |frame: &Frame| matches!(frame.kind, FrameKind::Block(_));
        let innermost = self.frames.iter().rposition(is_block).unwrap_or(0);
        let frame = &self.frames[innermost];
        let indents = frame.headers.iter().filter(|header| header.indents);
        // The program, the first of them, has no brace.
        frame.deep + usize::from(innermost > 0) + indents.count()
    }

    // ---- What is no token

    fn comment(&mut self, at: usize) {
        let piece = &self.pieces[at];
        let kind = match piece.kind {
            Kind::LineComment => AtomKind::LineComment,
            _ => AtomKind::BlockComment,
        };
        let (begins, ends) = (piece.newlines > 0 || at == 0, self.ends_line(at));
        if self.is_between() && begins {
            self.flush();
        }
        if self.line.atoms.is_empty() {
            let last = self.lines.last_mut();
            let last = last.filter(|last| !last.ends_verbatim());
            return match last {
                Some(last) if !begins && ends => {
                    last.atoms.push(Atom {
                        text: piece.text,
                        kind,
                        is_spaced: true,
                        breaks: false,
                        ends_line: true,
                        trails: true,
                        is_annotated: false,
                        column: piece.column,
                        blanks: piece.blanks,
                        pad: 0,
                    });
                }
                _ => {
                    self.put(at, piece.text, kind, false);
                    if ends || self.next_token(at).is_none_or(|next| next.is("}")) {
                        self.flush();
                    }
                }
            };
        }
        self.must_break |= begins && ends;
        let opens = [Role::OpenRound, Role::OpenSquare, Role::OpenTypes];
        let is_spaced = !self.role.is_some_and(|role| opens.contains(&role));
        let last = self.line.atoms.last();
        let after_comment = last.is_some_and(|last| last.text.starts_with("/*"));
        self.put(at, piece.text, kind, is_spaced || after_comment);
        let atom = self.line.atoms.last_mut().expect("it was put there");
        atom.ends_line = !begins && ends;
        self.must_break |= begins && ends;
    }

    /// What stands in a line of its own, whatever is around it.
    fn verbatim(&mut self, at: usize) {
        if self.is_between() {
            self.flush();
        }
        let is_between = self.line.atoms.is_empty();
        self.put(at, self.pieces[at].text, AtomKind::Verbatim, false);
        if is_between {
            self.flush();
        }
    }

    fn directive(&mut self, at: usize) {
        let word = self.pieces[at].text[1..].trim_start();
        let end = word.find(|character: char| !character.is_ascii_alphabetic());
        let word = &word[..end.unwrap_or(word.len())];
        self.verbatim(at);
        match word {
            "if" | "ifdef" | "ifndef" => self.branches.push(Branch {
                before: self.frames.clone(),
                first: None,
            }),
            "else" | "elif" => {
                if let Some(branch) = self.branches.last_mut() {
                    let ended = std::mem::replace(&mut self.frames, branch.before.clone());
                    branch.first.get_or_insert(ended);
                }
            }
            "endif" => {
                if let Some(first) = self.branches.pop().and_then(|branch| branch.first) {
                    self.frames = first;
                }
            }
            _ => {}
        }
    }
}

impl Line<'_> {
    fn ends_verbatim(&self) -> bool {
        let last = self.atoms.last();
        last.is_some_and(|last| last.kind == AtomKind::Verbatim)
    }
}

/// Of types' angles.
fn of_angle(piece: &Piece<'_>) -> Option<(AtomKind, Role)> {
    match piece.angle {
        Angle::No => None,
        Angle::Open => Some((AtomKind::Open(Bracket::Types), Role::OpenTypes)),
        Angle::Close => Some((AtomKind::Close, Role::CloseTypes)),
    }
}

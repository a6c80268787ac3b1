//! Brackets: which are open, what a brace has in it, and which do not fit.

use super::{AtomKind, Block, Bracket, Frame, FrameKind, Splitter, MOST_DEEP};
use crate::format::pieces::{Kind, Piece};
use crate::format::spaces::{self, Role};
use hardpath_diagnostic::Diagnostic;

/// `=` and its like.
const ASSIGNMENTS: [&str; 13] = [
    "=", "+=", "-=", "|+|=", "|-|=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=",
];
/// Words that types begin with, and nothing else.
const TYPES: [&str; 7] = ["bit", "int", "varbit", "bool", "tuple", "string", "list"];

impl<'a> Splitter<'a> {
    fn push_frame(&mut self, at: usize, kind: FrameKind, deep: usize) {
        if self.frames.len() > MOST_DEEP {
            self.too_deep(at);
        }
        self.frames.push(Frame {
            kind,
            opened: at,
            deep,
            lines: self.lines.len(),
            headers: Vec::new(),
            statement: Vec::new(),
            questions: 0,
        });
    }

    pub(super) fn too_deep(&mut self, at: usize) {
        self.error(at, format!("this is nested more than {MOST_DEEP} deep"));
    }

    fn error(&mut self, at: usize, message: String) {
        let span = self.pieces[at].span;
        let error = self.sources.error("p4-syntax", span, message);
        self.errors.push(error);
    }

    /// `(` or `[`.
    pub(super) fn open(&mut self, at: usize, annotates: bool) {
        let is_round = self.pieces[at].is("(");
        // Parentheses behind those of a cast are not called.
        let may_be_called =
            |role| spaces::ends_operand(role) && !matches!(role, Role::CloseGroup(_));
        let ends_operand = self.role.is_some_and(may_be_called);
        let statement = &self.frame().statement;
        let first = statement.first().filter(|_| statement.len() == 1).copied();
        let heads = first.is_some_and(|first| {
            let first = &self.pieces[first];
            first.is("if") || first.is("for")
        });
        let heads = heads && self.in_block() && !annotates;
        let is_switch = self.last_word(at, &["switch", "apply"]);
        let next = self.next_token(at);
        let kind = match is_round {
            true => FrameKind::Round {
                groups: !ends_operand && !heads && !is_switch && !annotates,
                heads,
                annotates,
                has_type: next.is_some_and(|next| TYPES.contains(&next.text)),
            },
            false => FrameKind::Square { annotates },
        };
        if !annotates {
            self.note(at);
        }
        let (bracket, role) = match is_round {
            true if heads => (Bracket::Condition, Role::OpenRound),
            true => (Bracket::Round, Role::OpenRound),
            false => (Bracket::Square, Role::OpenSquare),
        };
        self.put_token(at, AtomKind::Open(bracket), role);
        let deep = self.line.deep;
        self.push_frame(at, kind, deep);
    }

    fn last_word(&self, at: usize, words: &[&str]) -> bool {
        let before = self.pieces[..at].iter().rev();
        let mut before = before.filter(|piece| piece.counts());
        before
            .next()
            .is_some_and(|piece| words.contains(&piece.text))
    }

    /// `)` or `]`.
    pub(super) fn close(&mut self, at: usize) {
        let is_round = self.pieces[at].is(")");
        let kind = self.innermost();
        let role = match (kind, is_round) {
            (
                FrameKind::Round {
                    groups: true,
                    has_type,
                    ..
                },
                true,
            ) => Role::CloseGroup(has_type),
            (FrameKind::Round { .. }, true) => Role::CloseRound,
            (FrameKind::Square { .. }, false) => Role::CloseSquare,
            _ => return self.unfit(at),
        };
        self.frames.pop();
        self.put_token(at, AtomKind::Close, role);
        match kind {
            FrameKind::Round {
                annotates: true, ..
            }
            | FrameKind::Square { annotates: true } => {}
            FrameKind::Round { heads: true, .. } => self.headed(at, false),
            _ => self.note(at),
        }
    }

    pub(super) fn open_brace(&mut self, at: usize) {
        let Some(block) = self.block() else {
            self.note(at);
            self.put_token(at, AtomKind::Open(Bracket::Braces), Role::OpenBraces);
            let deep = self.line.deep;
            return self.push_frame(at, FrameKind::Braces, deep);
        };
        self.note(at);
        self.put_token(at, AtomKind::OpenBlock, Role::OpenBlock);
        let deep = self.line.deep;
        self.flush();
        self.push_frame(at, FrameKind::Block(block), deep);
    }

    /// What the brace has in it; nothing where it is one of values.
    fn block(&mut self) -> Option<Block> {
        let FrameKind::Block(around) = self.innermost() else {
            return None;
        };
        let pieces = self.pieces;
        let statement: Vec<&Piece<'a>> = self
            .frame()
            .statement
            .iter()
            .map(|at| &pieces[*at])
            .collect();
        let is = |count: usize, text: &str| {
            let place = statement.len().checked_sub(count);
            place.is_some_and(|place| statement[place].is(text))
        };
        let assigns = statement
            .iter()
            .any(|piece| ASSIGNMENTS.contains(&piece.text));
        if assigns {
            let lists = ["key", "actions", "entries"]
                .into_iter()
                .any(|list| is(2, list));
            let is_name = |count: usize| {
                let place = statement.len().checked_sub(count);
                place.is_some_and(|place| statement[place].kind == Kind::Word)
            };
            // `T(…) x = {…}` says what an object's abstract methods do.
            let is_object = is(1, "=") && is_name(2) && is(3, ")");
            return match around {
                Block::Table if is(1, "=") && lists => Some(Block::Plain),
                _ if is_object => Some(Block::Plain),
                _ => None,
            };
        }
        let word = |place: usize| statement.get(place).map_or("", |piece| piece.text);
        match (word(0), word(1)) {
            ("return", _) => None,
            ("table", _) => Some(Block::Table),
            ("switch", _) => Some(Block::Switch),
            ("enum", _) | ("error" | "match_kind", "") | ("typedef", "enum") => {
                Some(Block::Members)
            }
            ("header" | "header_union" | "struct", _) => Some(Block::Fields),
            ("typedef", "header" | "header_union" | "struct") => Some(Block::Fields),
            _ => Some(Block::Plain),
        }
    }

    pub(super) fn close_brace(&mut self, at: usize) {
        let frame = self.frames.last().expect("the program is never closed");
        let (deep, lines) = (frame.deep, frame.lines);
        match frame.kind {
            FrameKind::Braces => {
                self.frames.pop();
                self.note(at);
                return self.put_token(at, AtomKind::Close, Role::CloseBraces);
            }
            FrameKind::Block(_) if self.frames.len() > 1 => {}
            _ => return self.unfit(at),
        }
        self.flush();
        self.frames.pop();
        // Nothing stands in it: both braces in one line.
        let is_empty = self.lines.len() == lines
            && self.lines.last().is_some_and(|last| {
                let last = last.atoms.last();
                last.is_some_and(|atom| atom.kind == AtomKind::OpenBlock)
            });
        if is_empty {
            self.line = self.lines.pop().unwrap_or_default();
        }
        self.put(at, self.pieces[at].text, AtomKind::Plain, false);
        self.role = Some(Role::CloseBlock);
        if !is_empty {
            (self.line.deep, self.line.is_parted) = (deep, false);
        }
        self.behind_block(at);
    }

    pub(super) fn wrong(&mut self, at: usize) {
        let first = self.pieces[at].text.chars().next().unwrap_or(' ');
        self.error(
            at,
            format!("this is no part of P4: the character {first:?}"),
        );
    }

    fn unfit(&mut self, at: usize) {
        let text = self.pieces[at].text;
        let open = self.frames.last().filter(|_| self.frames.len() > 1);
        let message = match open {
            None => format!("`{text}` closes nothing"),
            Some(frame) => {
                let opened = &self.pieces[frame.opened];
                let line = self.sources.place(opened.span).line;
                format!(
                    "`{text}` does not close the `{}` of line {line}",
                    opened.text
                )
            }
        };
        self.error(at, message);
    }

    /// The text ends here.
    pub(super) fn end(&mut self) -> Result<(), Vec<Diagnostic>> {
        self.flush();
        let open: Vec<usize> = self
            .frames
            .iter()
            .skip(1)
            .map(|frame| frame.opened)
            .collect();
        for at in open {
            let text = self.pieces[at].text;
            self.error(at, format!("this `{text}` is not closed"));
        }
        match self.errors.is_empty() {
            true => Ok(()),
            false => Err(std::mem::take(&mut self.errors)),
        }
    }
}

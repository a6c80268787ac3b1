//! Tokens, and where a statement ends.

use super::{of_angle, AtomKind, Block, FrameKind, Header, Splitter, MOST_DEEP};
use crate::format::pieces::{Kind, Piece};
use crate::format::spaces::{self, Role};

/// Operators between two operands by how tightly they bind, the loosest first.
const OPERATORS: [&[&str]; 12] = [
    // Annotations behind something stand there, too.
    &["@"],
    &["&&&", "..", "?"],
    &["||"],
    &["&&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["|"],
    &["^"],
    &["&"],
    &["<<", ">>"],
    &["+", "-", "++", "|+|", "|-|"],
    &["*", "/", "%"],
];

impl<'a> Splitter<'a> {
    pub(super) fn token(&mut self, at: usize) {
        let piece = &self.pieces[at];
        if self.in_block() {
            let begins = piece.kind == Kind::Word || ["@", ".", "{"].contains(&piece.text);
            if begins && self.is_annotated && piece.newlines > 0 && !self.line.atoms.is_empty() {
                self.flush();
            }
        }
        match piece.text {
            _ if piece.kind == Kind::Wrong => self.wrong(at),
            // In another line it might be a directive.
            "#" | "##" => self.wrong(at),
            _ if piece.kind == Kind::Text => self.plain(at, Role::Operand),
            "{" => self.open_brace(at),
            "}" => self.close_brace(at),
            "(" | "[" => self.open(at, false),
            ")" | "]" => self.close(at),
            ";" => self.semicolon(at),
            "," => self.comma(at),
            ":" => self.colon(at),
            "@" => self.annotation(at),
            "else" if self.in_block() && self.frame().statement.is_empty() => self.or_else(at),
            _ => self.other(at),
        }
    }

    fn plain(&mut self, at: usize, role: Role) {
        self.put_token(at, AtomKind::Plain, role);
        self.note(at);
    }

    fn other(&mut self, at: usize) {
        let piece = &self.pieces[at];
        if let Some((kind, role)) = of_angle(piece) {
            self.put_token(at, kind, role);
            return self.note(at);
        }
        let next = self.pieces.get(at + 1);
        let role = match piece.kind {
            Kind::Word if spaces::is_keyword(piece, self.next_token(at)) => Role::Keyword,
            Kind::Sign if piece.text == "." => Role::Dot,
            Kind::Sign if ["{#}", "..."].contains(&piece.text) => Role::Operand,
            Kind::Sign if spaces::is_unary(self.role, piece, next) => Role::Unary,
            Kind::Sign => Role::Binary,
            _ => Role::Operand,
        };
        let levels = OPERATORS
            .iter()
            .position(|level| level.contains(&piece.text));
        let kind = match levels {
            Some(level) if role == Role::Binary => AtomKind::Operator(level as u8),
            _ => AtomKind::Plain,
        };
        self.frame().questions += usize::from(piece.is("?"));
        self.put_token(at, kind, role);
        self.note(at);
    }

    fn semicolon(&mut self, at: usize) {
        let pieces = self.pieces;
        let is_field = self.innermost() == FrameKind::Block(Block::Fields);
        let statement = &self.frame().statement;
        let first = statement.first().map(|first| pieces[*first].text);
        let last = statement.last().map(|last| &pieces[*last]);
        let has_name = last.is_some_and(|last| last.kind == Kind::Word && statement.len() > 1);
        let name = self.line.atoms.len().checked_sub(1);
        // What stands in front may be the brace of a type that is declared there.
        let is_whole = self.line.atoms.first().is_some_and(|atom| atom.text != "}");
        if has_name && is_whole && (is_field || matches!(first, Some("typedef" | "type"))) {
            self.line.name = name.filter(|name| !self.line.atoms[*name].is_comment());
        }
        self.put_token(at, AtomKind::Plain, Role::Semicolon);
        if self.in_block() {
            self.flush();
            self.end_statement(at);
        }
    }

    fn comma(&mut self, at: usize) {
        self.put_token(at, AtomKind::Comma, Role::Comma);
        if self.innermost() == FrameKind::Block(Block::Members) {
            self.flush();
            self.frame().statement.clear();
        }
    }

    fn colon(&mut self, at: usize) {
        let kind = self.innermost();
        if self.frame().questions > 0 {
            self.frame().questions -= 1;
            self.put_token(at, AtomKind::Operator(1), Role::Binary);
            return self.note(at);
        }
        if let FrameKind::Square { .. } = kind {
            return self.plain(at, Role::Slice);
        }
        self.plain(at, Role::Label);
        if kind == FrameKind::Block(Block::Switch) {
            self.frame().statement.clear();
            if self.next_token(at).is_none_or(|next| !next.is("{")) {
                self.flush();
            }
        }
    }

    /// `@name`, `@name(…)`, `@name[…]`.
    fn annotation(&mut self, at: usize) {
        let begins = self.in_block() && self.frame().statement.is_empty();
        self.is_annotated |= begins && self.is_between();
        // In another line it would not belong to what looks like a macro.
        let kind = match begins || !self.in_block() || self.looks_like_macro() {
            true => AtomKind::Plain,
            false => AtomKind::Operator(0),
        };
        self.put_token(at, kind, Role::At);
        let name = self.pieces.get(at + 1);
        if name.is_none_or(|name| name.kind != Kind::Word) {
            return;
        }
        self.put_token(at + 1, AtomKind::Plain, Role::Operand);
        self.skipped = at + 2;
        let open = at + 2;
        match self.pieces.get(open) {
            Some(piece) if piece.is("(") => match self.odd_body(open) {
                Some(close) => self.body(open, close),
                None => {
                    self.open(open, true);
                    self.skipped = open + 1;
                }
            },
            Some(piece) if piece.is("[") => {
                self.open(open, true);
                self.skipped = open + 1;
            }
            _ => {}
        }
    }

    /// Where an annotation ends that is no list of expressions, so that nobody knows what its blanks say.
    fn odd_body(&self, open: usize) -> Option<usize> {
        let (mut deep, mut is_odd) = (0, false);
        for (at, piece) in self.pieces.iter().enumerate().skip(open) {
            match piece.text {
                "(" if piece.kind == Kind::Sign => deep += 1,
                ")" if piece.kind == Kind::Sign => deep -= 1,
                "," | "=" | "." | "+" | "-" | "*" => {}
                _ => {
                    let is_plain = matches!(piece.kind, Kind::Word | Kind::Number | Kind::Text);
                    is_odd |= !is_plain && !piece.is_comment();
                }
            }
            if deep == 0 {
                return is_odd.then_some(at);
            }
        }
        None
    }

    /// All from one piece to another one, as it is written.
    fn body(&mut self, open: usize, close: usize) {
        let span = self.pieces[open].span.to(self.pieces[close].span);
        self.put(open, self.sources.text(span), AtomKind::Body, false);
        self.role = Some(Role::CloseRound);
        self.skipped = close + 1;
    }

    // ---- Headers

    /// Behind `if (…)`, `for (…)` or `else`: a statement of its own line, or a block.
    pub(super) fn headed(&mut self, at: usize, is_else: bool) {
        let next = self.next_token(at);
        let stays = next.is_some_and(|next| next.is("{") || (is_else && next.is("if")));
        let statement = std::mem::take(&mut self.frame().statement);
        let is_if = statement
            .first()
            .is_some_and(|first| self.pieces[*first].is("if"));
        if !stays {
            self.flush();
        }
        // The `if` behind an `else` stands in its place: a chain of them is not deep.
        if is_else && next.is_some_and(|next| next.is("if")) {
            return;
        }
        if self.frame().headers.len() > MOST_DEEP {
            self.too_deep(at);
        }
        self.frame().headers.push(Header {
            is_if: is_if && !is_else,
            indents: !stays,
        });
    }

    fn or_else(&mut self, at: usize) {
        let frame = self.frame();
        if frame.headers.last().is_some_and(|header| header.is_if) {
            frame.headers.pop();
        }
        self.put_token(at, AtomKind::Plain, Role::Keyword);
        self.headed(at, true);
    }

    /// A statement is over, and whatever it is the statement of.
    pub(super) fn end_statement(&mut self, at: usize) {
        let or_else = self.next_token(at).is_some_and(|next| next.is("else"));
        let frame = self.frame();
        frame.statement.clear();
        frame.questions = 0;
        while let Some(header) = frame.headers.last_mut() {
            if header.is_if && or_else {
                // Comments in front of the `else` stand where it does.
                header.indents = false;
                return;
            }
            frame.headers.pop();
        }
    }

    /// Behind the `}` of a block.
    pub(super) fn behind_block(&mut self, at: usize) {
        let next = self.pieces.get(at + 1);
        let pieces = self.pieces;
        let first = self.frame().statement.first().map(|first| &pieces[*first]);
        if next.is_some_and(|next| next.is(";")) || first.is_some_and(|first| first.is("typedef")) {
            return;
        }
        self.end_statement(at);
        let or_else = next.is_some_and(|next| next.is("else"));
        let header = self.frame().headers.last().copied();
        if !(or_else && header.is_some_and(|header| header.is_if)) {
            self.flush();
        }
    }

    /// What looks like a macro in place of a statement is over where another line begins.
    pub(super) fn end_macro(&mut self, at: usize) {
        if self.in_block() && self.is_macro(at) {
            self.flush();
            self.end_statement(at);
        }
    }

    /// Another line begins with what may begin something.
    fn is_macro(&self, at: usize) -> bool {
        let piece = &self.pieces[at];
        let begins = piece.kind == Kind::Word || piece.is("@") || !piece.counts();
        let begins = begins || piece.kind == Kind::Pragma;
        begins && piece.newlines > 0 && self.looks_like_macro()
    }

    /// Instead of a statement there is `NAME` or `NAME(…)`, in capitals.
    fn looks_like_macro(&self) -> bool {
        let frame = self.frames.last().expect("the program is never closed");
        let statement = frame.statement.iter().take(4);
        let statement: Vec<&Piece<'_>> = statement.map(|at| &self.pieces[*at]).collect();
        let is_whole = match statement.as_slice() {
            [_] => true,
            [_, open, close] => open.is("(") && close.is(")"),
            _ => false,
        };
        let is_capital =
            |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
        let is_name = statement.first().is_some_and(|name| {
            name.kind == Kind::Word && name.text.len() > 1 && name.text.chars().all(is_capital)
        });
        is_whole && is_name
    }
}

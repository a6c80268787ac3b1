//! Whether a blank stands between two tokens.

use super::pieces::{Kind, Piece};
use crate::lexer::tokens;

/// What a token does where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// A name, a literal, what ends like one.
    Operand,
    /// A word behind which something new begins.
    Keyword,
    /// `(`.
    OpenRound,
    /// `)` of a call, a head, a list of parameters.
    CloseRound,
    /// `)` of parentheses that stand where an operand does; whether a type is surely in them.
    CloseGroup(bool),
    OpenSquare,
    CloseSquare,
    /// `{` of a list of values.
    OpenBraces,
    CloseBraces,
    /// `{` of statements or declarations.
    OpenBlock,
    CloseBlock,
    /// `<` of types.
    OpenTypes,
    CloseTypes,
    Dot,
    /// `@`.
    At,
    Comma,
    Semicolon,
    Unary,
    Binary,
    /// `:` of a slice.
    Slice,
    /// `:` behind a label, a key or a set.
    Label,
}

/// Words behind which an operand begins, and parentheses do not belong to them.
const KEYWORDS: [&str; 17] = [
    "if",
    "else",
    "for",
    "in",
    "out",
    "inout",
    "return",
    "switch",
    "const",
    "typedef",
    "type",
    "extern",
    "abstract",
    "transition",
    "action",
    "table",
    "state",
];

/// An operand ends here, so that an operator behind it stands between two.
pub(super) fn ends_operand(role: Role) -> bool {
    matches!(
        role,
        Role::Operand
            | Role::CloseRound
            | Role::CloseGroup(_)
            | Role::CloseSquare
            | Role::CloseBraces
            | Role::CloseTypes
    )
}

pub(super) fn is_keyword(piece: &Piece<'_>, next: Option<&Piece<'_>>) -> bool {
    // `type` is a name, too.
    let is_name = piece.text == "type" && next.is_none_or(|next| next.kind == Kind::Sign);
    piece.kind == Kind::Word && KEYWORDS.contains(&piece.text) && !is_name
}

/// A `-` or `+` that stands behind a parenthesis: the operand `(x)` or the cast `(T)`? Blanks tell where the type does not.
pub(super) fn is_unary(before: Option<Role>, piece: &Piece<'_>, next: Option<&Piece<'_>>) -> bool {
    match before {
        _ if ["!", "~"].contains(&piece.text) => true,
        _ if !["-", "+"].contains(&piece.text) => false,
        Some(Role::CloseGroup(true)) => true,
        Some(Role::CloseGroup(false)) => {
            let signs = ["(", "{", "-", "+", "!", "~", "."];
            let begins = |next: &Piece<'_>| {
                let is_word = matches!(next.kind, Kind::Word | Kind::Number | Kind::Text);
                is_word || signs.contains(&next.text)
            };
            !piece.adjoins && next.is_some_and(|next| next.adjoins && begins(next))
        }
        Some(role) => !ends_operand(role),
        None => true,
    }
}

/// It stands right behind whatever it is behind.
pub(super) fn hugs(role: Role) -> bool {
    use Role::*;
    let closes = matches!(role, CloseRound | CloseGroup(_) | CloseSquare | CloseTypes);
    closes || matches!(role, OpenTypes | Comma | Semicolon | Slice | Label)
}

/// A blank stands between two tokens of one line.
pub(super) fn is_blank(before: Role, next: Role) -> bool {
    use Role::*;
    match (before, next) {
        (OpenRound | OpenSquare | OpenTypes | Dot | At | Unary | Slice, _) => false,
        (OpenBraces, CloseBraces) => false,
        (OpenBraces, _) | (_, CloseBraces) => true,
        (_, next) if hugs(next) => false,
        // `.x` of the top stands behind what is no operand.
        (before, Dot) => !ends_operand(before),
        (before, OpenRound | OpenSquare) => !ends_operand(before),
        // A cast, and what it is of; `(T) -x` has a blank where the next time nobody could tell it from `(x)-y`.
        (CloseGroup(_), Operand | OpenBraces) => false,
        (CloseGroup(is_type), Unary) => !is_type,
        _ => true,
    }
}

/// Without a blank they would be other tokens.
pub(super) fn would_join(before: &str, next: &str) -> bool {
    let is_sign = |character: char| !character.is_ascii_alphanumeric() && character != '_';
    if !before.ends_with(is_sign) || !next.starts_with(is_sign) {
        return false;
    }
    let both = format!("{before}{next}");
    let read = tokens(0, &both);
    let lengths = |token: &crate::lexer::Token| (token.span.end - token.span.start) as usize;
    let of_before: Vec<usize> = tokens(0, before).iter().map(lengths).collect();
    let of_next: Vec<usize> = tokens(0, next).iter().map(lengths).collect();
    let of_both: Vec<usize> = read.iter().map(lengths).collect();
    of_both != [of_before, of_next].concat()
}

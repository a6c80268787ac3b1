//! Which `<` and `>` stand around types, and which compare or shift.

use super::pieces::{Angle, Kind, Piece};

/// What stands between two angles is at most so long.
const MOST_PIECES: usize = 400;

/// Marks all that stand around types, and makes one piece of each `>>`, `>>=`.
pub(super) fn classify(pieces: &mut Vec<Piece<'_>>) {
    let counts = pieces.iter().enumerate();
    let counts = counts.filter(|(_, piece)| piece.counts());
    let places: Vec<usize> = counts.map(|(place, _)| place).collect();
    for at in 0..places.len() {
        let piece = &pieces[places[at]];
        if !piece.is("<") || piece.angle != Angle::No || at == 0 {
            continue;
        }
        if let Some(close) = closing(pieces, &places, at) {
            pieces[places[at]].angle = Angle::Open;
            pieces[places[close]].angle = Angle::Close;
        }
    }
    join_shifts(pieces);
}

/// Where the type closes that the `<` opens, if it does.
fn closing(pieces: &[Piece<'_>], places: &[usize], open: usize) -> Option<usize> {
    let piece = |at: usize| places.get(at).map(|place| &pieces[*place]);
    let before = piece(open - 1)?;
    if before.kind != Kind::Word {
        return None;
    }
    if ["bit", "int", "varbit"].contains(&before.text) {
        return width(pieces, places, open);
    }
    let is_sure = ["tuple", "list", "value_set"].contains(&before.text);
    let (mut deep, mut square, mut lists) = (0, 0, false);
    let mut at = open;
    let limit = open + MOST_PIECES;
    while at < limit {
        let next = piece(at)?;
        let is_width = next.is("<") && {
            let word = piece(at - 1)?;
            ["bit", "int", "varbit"].contains(&word.text)
        };
        if is_width {
            at = width(pieces, places, at)? + 1;
            continue;
        }
        match next.text {
            "<" => deep += 1,
            ">" => deep -= 1,
            "[" => square += 1,
            "]" if square > 0 => square -= 1,
            "," => lists |= deep == 1,
            "." => {}
            _ if next.kind == Kind::Word => {}
            _ if square > 0 && !["(", ")", "{", "}", ";"].contains(&next.text) => {}
            _ => return None,
        }
        if deep == 0 {
            let sign = &pieces[places[open]];
            // Blanks on both sides: somebody compares, where it may be both.
            let is_spaced = !sign.adjoins && piece(open + 1).is_some_and(|next| !next.adjoins);
            let behind = piece(at + 1);
            let may_compare = lists && is_spaced && behind.is_some_and(may_be_compared);
            let fits = is_sure || behind.is_none_or(|behind| !follows_no_type(behind));
            return (fits && (is_sure || !may_compare)).then_some(at);
        }
        at += 1;
    }
    None
}

/// It cannot stand behind a type.
fn follows_no_type(piece: &Piece<'_>) -> bool {
    let signs = ["(", "{", ">", ",", ")", ";", "[", ".", "@"];
    match piece.kind {
        Kind::Word | Kind::Pragma => false,
        Kind::Sign => !signs.contains(&piece.text),
        _ => true,
    }
}

/// An operand may begin with it.
fn may_be_compared(piece: &Piece<'_>) -> bool {
    piece.kind == Kind::Word || ["(", "{", "."].contains(&piece.text)
}

/// Where the width of `bit<…>` closes: at the first `>` that stands in no brackets.
fn width(pieces: &[Piece<'_>], places: &[usize], open: usize) -> Option<usize> {
    let mut deep = 0;
    let end = places.len().min(open + MOST_PIECES);
    for (at, place) in places.iter().enumerate().take(end).skip(open + 1) {
        match pieces[*place].text {
            "(" | "[" => deep += 1,
            ")" | "]" if deep == 0 => return None,
            ")" | "]" => deep -= 1,
            "{" | "}" | ";" => return None,
            ">" if deep == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

fn join_shifts(pieces: &mut Vec<Piece<'_>>) {
    let mut joined: Vec<Piece<'_>> = Vec::with_capacity(pieces.len());
    for piece in pieces.drain(..) {
        let Some(last) = joined.last_mut() else {
            joined.push(piece);
            continue;
        };
        let is_free = last.angle == Angle::No && piece.angle == Angle::No && piece.adjoins;
        let whole = match (last.text, piece.text) {
            (">", ">") => Some(">>"),
            (">", ">=") | (">>", "=") => Some(">>="),
            _ => None,
        };
        match whole {
            Some(whole) if is_free && last.kind == Kind::Sign && piece.kind == Kind::Sign => {
                last.text = whole;
                last.span = last.span.to(piece.span);
            }
            _ => joined.push(piece),
        }
    }
    *pieces = joined;
}

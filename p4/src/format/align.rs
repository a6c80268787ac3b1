//! Columns: names of fields that stand below each other, and comments behind lines, where the text has them so.
//!
//! Whoever puts more than one blank in front of one of them has columns in mind for its whole paragraph; who never does gets none.

use super::layout::atom_width;
use super::lines::{Atom, AtomKind, Line};
use super::{INDENT, WIDTH};

/// Comments stand at most so far to the right.
const FARTHEST: usize = 80;

/// Puts blanks in front of what stands in columns.
pub(super) fn align(lines: &mut [Line<'_>]) {
    columns(lines, WIDTH, |line| line.name);
    columns(lines, FARTHEST, comment);
}

/// The comment behind a line that is over.
fn comment(line: &Line<'_>) -> Option<usize> {
    let last = line.atoms.len().checked_sub(1)?;
    let is_one = |at: usize| line.atoms[at].trails;
    let is_single = last > 0 && is_one(last) && !is_one(last - 1);
    (is_single && line.atoms[last].kind == AtomKind::LineComment).then_some(last)
}

/// Lines of a paragraph, as far as they have such an atom, get it in one column. Comments of their own and directives may stand between them.
fn columns(lines: &mut [Line<'_>], limit: usize, place: impl Fn(&Line<'_>) -> Option<usize>) {
    let mut run: Vec<(usize, usize)> = Vec::new();
    for at in 0..lines.len() {
        let line = &lines[at];
        let goes_on = run.last().is_some_and(|(last, _)| {
            let last = &lines[*last];
            !line.is_parted && line.deep == last.deep && line.name.is_some() == last.name.is_some()
        });
        let found = place(line).filter(|_| is_one_line(line));
        let is_aside = line.atoms.len() == 1
            && (line.atoms[0].is_comment() || line.atoms[0].text.starts_with('#'));
        match found {
            Some(found) if goes_on => run.push((at, found)),
            Some(found) => {
                finish(lines, &run, limit);
                run = vec![(at, found)];
            }
            None if is_aside && !line.is_parted => {}
            None => {
                finish(lines, &run, limit);
                run.clear();
            }
        }
    }
    finish(lines, &run, limit);
}

fn finish(lines: &mut [Line<'_>], run: &[(usize, usize)], limit: usize) {
    let begin = |&(line, atom): &(usize, usize)| columns_of(&lines[line], atom);
    let Some(column) = run.iter().map(begin).max() else {
        return;
    };
    let rest = |&(line, atom): &(usize, usize)| {
        let atoms = lines[line].atoms[atom..].iter();
        atoms.map(atom_width).sum::<usize>()
    };
    let is_meant = |&(line, atom): &(usize, usize)| lines[line].atoms[atom].blanks > 1;
    let fits = run.iter().all(|one| column + rest(one) <= limit);
    if !fits || !run.iter().any(is_meant) {
        return;
    }
    for one in run {
        let pad = column - columns_of(&lines[one.0], one.1);
        lines[one.0].atoms[one.1].pad = pad;
    }
}

/// Columns in front of an atom.
fn columns_of(line: &Line<'_>, atom: usize) -> usize {
    let before = line.atoms[..atom].iter();
    let before = before.map(|atom| atom_width(atom) + atom.pad);
    line.deep * INDENT + before.sum::<usize>()
}

/// Nothing breaks it.
fn is_one_line(line: &Line<'_>) -> bool {
    let is_plain = |atom: &Atom<'_>| !atom.breaks && !atom.text.contains('\n');
    line.atoms.iter().all(is_plain) && columns_of(line, line.atoms.len()) <= WIDTH
}

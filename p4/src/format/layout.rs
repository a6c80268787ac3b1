//! Lines to text; those that are too long are broken.
//!
//! A line that fits stays as it is. Of others, first operators are broken, the loosest ones all of them, each at the begin of its line; then
//! the lists in brackets that do not fit from where they stand up to the next one, each of their items in a line:
//!
//! ```text
//! control Ingress(
//!     inout headers_t headers,
//!     in standard_metadata_t standard_metadata
//! ) {
//! ```
//!
//! Comments and directives break lines wherever they stand.

use super::lines::{Atom, AtomKind, Bracket, Line};
use super::pieces;
use super::{INDENT, WIDTH};

/// Lists so short are never broken.
const SHORT: usize = 16;
/// So deep brackets make lists that can be broken; `#if` can put more of them into a line than can be open.
const MOST_DEEP: usize = 200;

/// The text of all lines.
pub(super) fn text(lines: &[Line<'_>]) -> String {
    let mut writer = Writer {
        out: String::new(),
        column: 0,
        pending: None,
        base: 0,
        opens_block: false,
    };
    for line in lines {
        if line.is_parted {
            writer.out.push('\n');
        }
        writer.line(line);
        writer.out.push('\n');
    }
    writer.out
}

/// What a line is made of.
enum Node<'a> {
    Atom(&'a Atom<'a>),
    Group(Group<'a>),
}

/// Brackets.
struct Group<'a> {
    bracket: Bracket,
    open: &'a Atom<'a>,
    items: Vec<Vec<Node<'a>>>,
    /// Where they are closed in this line.
    close: Option<&'a Atom<'a>>,
    /// Columns of all of it in one line.
    width: usize,
    /// A line ends in it in any case.
    breaks: bool,
}

struct Builder<'a> {
    atoms: &'a [Atom<'a>],
    at: usize,
}

impl<'a> Builder<'a> {
    /// Nodes up to the end of a list's item, or of the line.
    fn nodes(&mut self, deep: usize) -> Vec<Node<'a>> {
        let mut nodes = Vec::new();
        while let Some(atom) = self.atoms.get(self.at) {
            if deep > 0 && atom.kind == AtomKind::Close {
                break;
            }
            self.at += 1;
            match atom.kind {
                AtomKind::Open(bracket) if deep < MOST_DEEP => {
                    nodes.push(Node::Group(self.group(bracket, atom, deep + 1)));
                }
                AtomKind::Comma if deep > 0 => {
                    nodes.push(Node::Atom(atom));
                    // Comments in the comma's line are of what stands in front of it.
                    while let Some(comment) = self.atoms.get(self.at).filter(|atom| atom.ends_line)
                    {
                        nodes.push(Node::Atom(comment));
                        self.at += 1;
                    }
                    break;
                }
                _ => nodes.push(Node::Atom(atom)),
            }
        }
        nodes
    }

    fn group(&mut self, bracket: Bracket, open: &'a Atom<'a>, deep: usize) -> Group<'a> {
        let mut items = Vec::new();
        let close = loop {
            match self.atoms.get(self.at) {
                None => break None,
                Some(atom) if atom.kind == AtomKind::Close => {
                    self.at += 1;
                    break Some(atom);
                }
                Some(_) => items.push(self.nodes(deep)),
            }
        };
        let of_items: usize = items.iter().map(|item| width(item)).sum();
        let of_close = close.map_or(0, atom_width);
        let nodes = items.iter().flatten();
        let ends = close.is_some_and(|close| close.breaks);
        Group {
            bracket,
            open,
            close,
            width: atom_width(open) + of_items + of_close,
            breaks: ends || nodes.into_iter().any(breaks),
            items,
        }
    }
}

fn breaks(node: &Node<'_>) -> bool {
    match node {
        Node::Atom(atom) => atom.breaks,
        Node::Group(group) => group.open.breaks || group.breaks,
    }
}

/// Columns of an atom with the blank in front of it. Comments up to the end of a line, and directives, do not count.
pub(super) fn atom_width(atom: &Atom<'_>) -> usize {
    let text = match atom.kind {
        AtomKind::LineComment | AtomKind::Verbatim => return 0,
        _ if atom.trails => return 0,
        // Blanks at the begin of a comment's lines change when it moves.
        _ => atom
            .text
            .lines()
            .map(|line| line.trim().chars().count())
            .max(),
    };
    text.unwrap_or(0) + usize::from(atom.is_spaced)
}

fn node_width(node: &Node<'_>) -> usize {
    match node {
        Node::Atom(atom) => atom_width(atom),
        Node::Group(group) => group.width,
    }
}

fn width(nodes: &[Node<'_>]) -> usize {
    nodes.iter().map(node_width).sum()
}

/// A list that is broken where it does not fit.
fn is_list(node: &Node<'_>) -> bool {
    match node {
        Node::Atom(_) => false,
        Node::Group(group) => {
            let fits = [Bracket::Round, Bracket::Condition, Bracket::Braces];
            let is_long = group.width > SHORT && !group.items.is_empty();
            let is_wide = group.width > WIDTH - 2 * INDENT;
            is_long && (fits.contains(&group.bracket) || is_wide)
        }
    }
}

fn is_comment(node: &Node<'_>) -> bool {
    matches!(node, Node::Atom(atom) if atom.is_comment())
}

fn operator(node: &Node<'_>) -> Option<u8> {
    match node {
        Node::Atom(atom) => match atom.kind {
            AtomKind::Operator(level) => Some(level),
            _ => None,
        },
        Node::Group(_) => None,
    }
}

/// `=`, where something stands behind it.
fn is_assignment(node: &Node<'_>) -> bool {
    match node {
        Node::Atom(atom) => atom.text == "=",
        Node::Group(_) => false,
    }
}

struct Writer {
    out: String,
    /// Columns of the line that is written.
    column: usize,
    /// A line begins, so many columns in, as soon as something stands in it.
    pending: Option<usize>,
    /// Columns in front of the line.
    base: usize,
    /// It ends with the brace of a block.
    opens_block: bool,
}

impl Writer {
    fn line(&mut self, line: &Line<'_>) {
        let indent = line.deep * INDENT;
        self.base = indent;
        self.pending = Some(indent);
        self.column = indent;
        let columns: usize = line.atoms.iter().map(atom_width).sum();
        if indent + columns <= WIDTH {
            return self.atoms(&line.atoms, indent);
        }
        // Annotations in front of something go into lines of their own, as if they had stood there.
        let mut rest = &line.atoms[..];
        while !rest.is_empty() {
            let behind = rest.iter().skip(1).position(|atom| atom.is_annotated);
            let (first, others) = rest.split_at(behind.map_or(rest.len(), |behind| behind + 1));
            self.atoms(first, indent);
            rest = others;
            if !rest.is_empty() {
                self.newline(indent);
            }
        }
    }

    fn atoms(&mut self, atoms: &[Atom<'_>], indent: usize) {
        let mut builder = Builder { atoms, at: 0 };
        let nodes = builder.nodes(0);
        let is_brace = |atom: &Atom<'_>| atom.kind == AtomKind::OpenBlock;
        self.opens_block = atoms.iter().any(is_brace);
        self.sequence(&nodes, indent, 0, 0);
    }

    /// What comes next begins a line.
    fn newline(&mut self, indent: usize) {
        if self.pending.is_none() {
            self.out.push('\n');
        }
        self.pending = Some(indent);
        self.column = indent;
    }

    fn atom(&mut self, atom: &Atom<'_>) {
        if atom.kind == AtomKind::Verbatim && atom.text.starts_with('#') {
            self.newline(0);
        }
        match self.pending.take() {
            Some(indent) => self.out.extend(std::iter::repeat_n(' ', indent)),
            None if atom.is_spaced => {
                self.out.extend(std::iter::repeat_n(' ', 1 + atom.pad));
                self.column += 1 + atom.pad;
            }
            None => {}
        }
        match atom.kind {
            AtomKind::BlockComment | AtomKind::Verbatim | AtomKind::Body => self.several(atom),
            _ => {
                self.out.push_str(atom.text);
                let last = atom.text.rsplit('\n').next().unwrap_or("");
                let before = if last.len() < atom.text.len() {
                    0
                } else {
                    self.column
                };
                self.column = before + last.chars().count();
            }
        }
    }

    /// A comment, directive or annotation of several lines: those of a comment move as its first one does.
    fn several(&mut self, atom: &Atom<'_>) {
        let column = self.column;
        let is_comment = atom.kind == AtomKind::BlockComment;
        let has_strings = !is_comment && !atom.text.starts_with('#');
        let mut in_string = false;
        let rest = || atom.text.lines().skip(1);
        let is_starred = rest().all(|line| line.trim_start().starts_with('*'));
        for (number, line) in atom.text.lines().enumerate() {
            // Blanks at the end of a line stay where they are of a string, as annotations have them.
            in_string ^= has_strings && line.replace("\\\"", "").matches('"').count() % 2 > 0;
            let line = if in_string { line } else { line.trim_end() };
            let words = line.trim_start();
            if number > 0 {
                self.out.push('\n');
                self.column = 0;
            }
            let moves = is_comment && number > 0 && !words.is_empty();
            let before = pieces::columns(&line[..line.len() - words.len()]);
            let (shift, text) = match (moves, is_starred) {
                (false, _) => (0, line),
                (true, true) => (column + 1, words),
                (true, false) => ((before + column).saturating_sub(atom.column), words),
            };
            self.out.extend(std::iter::repeat_n(' ', shift));
            self.out.push_str(text);
            self.column += shift + text.chars().count();
        }
    }

    /// Columns of the blank in front of something that begins a line.
    fn unwritten(&self, node: Option<&Node<'_>>) -> usize {
        let is_spaced = match node {
            Some(Node::Atom(atom)) => atom.is_spaced,
            Some(Node::Group(group)) => group.open.is_spaced,
            None => false,
        };
        usize::from(is_spaced && self.pending.is_some())
    }

    /// Nodes from here on, with so many columns behind them that must stand in the same line. Operators that begin a line stand so many
    /// levels further in than what they belong to.
    fn sequence(&mut self, nodes: &[Node<'_>], indent: usize, after: usize, more: usize) {
        let fits = self.column + width(nodes) + after <= WIDTH + self.unwritten(nodes.first());
        // What begins the line stays where it is, comments in front of it, too.
        let first = 1 + nodes.iter().take_while(|node| is_comment(node)).count();
        let loosest = match fits {
            true => None,
            false => nodes.iter().skip(first).filter_map(operator).min(),
        };
        let Some(loosest) = loosest else {
            let assigns = nodes.iter().position(is_assignment);
            let is_single = !nodes.iter().any(is_list) && !nodes.iter().any(breaks);
            let Some(assigns) = assigns.filter(|_| !fits && is_single) else {
                return self.chunk(nodes, indent, after);
            };
            // Nothing else can be broken.
            let (left, right) = nodes.split_at(assigns + 1);
            self.chunk(left, indent, 0);
            self.newline(indent + INDENT);
            return self.chunk(right, indent + INDENT, after);
        };
        let further = indent + (1 + more) * INDENT;
        let mut begin = 0;
        for at in 1..=nodes.len() {
            let ends = at == nodes.len();
            if !ends && (at < first || operator(&nodes[at]) != Some(loosest)) {
                continue;
            }
            let chunk = &nodes[begin..at];
            if begin > 0 {
                self.newline(further);
            }
            let indent = if begin > 0 { further } else { indent };
            self.sequence(chunk, indent, if ends { after } else { 0 }, more);
            begin = at;
        }
    }

    /// Nodes of which no operators are broken.
    fn chunk(&mut self, nodes: &[Node<'_>], indent: usize, after: usize) {
        // From each node on, up to where the line can be broken, or all of it ends.
        let mut columns = vec![after; nodes.len() + 1];
        for (at, node) in nodes.iter().enumerate().rev() {
            columns[at] = match is_list(node) {
                true => 1,
                false => node_width(node) + columns[at + 1],
            };
        }
        let mut has_begun = false;
        for (at, node) in nodes.iter().enumerate() {
            let atom = match node {
                Node::Atom(atom) => atom,
                Node::Group(group) => group.open,
            };
            let is_aside = matches!(
                atom.kind,
                AtomKind::LineComment | AtomKind::BlockComment | AtomKind::Verbatim
            );
            if atom.breaks {
                let further = has_begun && !is_aside && atom.kind != AtomKind::OpenBlock;
                self.newline(indent + if further { INDENT } else { 0 });
            }
            has_begun |= !is_aside;
            let group = match node {
                Node::Atom(atom) => {
                    self.atom(atom);
                    continue;
                }
                Node::Group(group) => group,
            };
            let until_next = columns[at + 1];
            let end = self.column + group.width + until_next;
            let fits = end <= WIDTH + self.unwritten(Some(node));
            match group.breaks || (is_list(node) && !fits) {
                true => self.broken(group, indent, until_next),
                false => self.flat(node),
            }
        }
    }

    fn flat(&mut self, node: &Node<'_>) {
        match node {
            Node::Atom(atom) => self.atom(atom),
            Node::Group(group) => {
                self.atom(group.open);
                for node in group.items.iter().flatten() {
                    self.flat(node);
                }
                if let Some(close) = group.close {
                    self.atom(close);
                }
            }
        }
    }

    fn broken(&mut self, group: &Group<'_>, indent: usize, after: usize) {
        self.atom(group.open);
        let is_condition = group.bracket == Bracket::Condition && group.items.len() == 1;
        let inside = match is_condition {
            true => indent,
            false => indent + INDENT,
        };
        let ends_alone = !is_condition
            && (group.bracket == Bracket::Braces || self.opens_block && indent == self.base);
        for (number, item) in group.items.iter().enumerate() {
            if !is_condition {
                self.newline(inside);
            }
            let is_last = number + 1 == group.items.len();
            let after = match is_last && !ends_alone {
                true => after + 1,
                false => 0,
            };
            self.sequence(item, inside, after, usize::from(is_condition));
        }
        let Some(close) = group.close else {
            return;
        };
        if close.breaks || ends_alone {
            self.newline(indent);
        }
        self.atom(close);
    }
}

//! The expressions of printed SystemVerilog, as trees over places in the text.

use std::ops::Range;

/// An expression, or a part of one.
#[derive(Debug)]
pub struct Node {
    /// Where it stands, in bytes.
    pub place: Range<usize>,
    pub kind: Kind,
    pub parts: Vec<Node>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    Number,
    Name,
    /// `name[high:low]`: the name's place, and the bounds.
    Slice {
        name: Range<usize>,
        high: u32,
        low: u32,
    },
    /// `name[…]`, whatever else is chosen.
    Element,
    Unary,
    Binary(String),
    /// `a ? b : c`
    Choice,
    /// `{a, b}`
    Joined,
    /// `{n{a}}`
    Repeated,
    /// `(a)`
    Group,
}

impl Node {
    /// All nodes of the tree.
    pub fn all(&self) -> Vec<&Node> {
        let mut all = vec![self];
        for part in &self.parts {
            all.extend(part.all());
        }
        all
    }
}

/// Reads the expression that stands at a place; comments are blanks in `text`. `None`: it is none that is known here.
pub fn read(text: &str, place: Range<usize>) -> Option<Node> {
    let mut reader = Reader {
        text,
        at: place.start,
        end: place.end,
    };
    let node = reader.choice()?;
    reader.blanks();
    (reader.at == reader.end).then_some(node)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    end: usize,
}

/// From the loosest to the tightest; in a row the longest first.
const OPERATORS: [&[&str]; 9] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-", "*"],
];

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..self.end]
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn takes(&mut self, word: &str) -> bool {
        self.blanks();
        let found = self.rest().starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn node(&self, start: usize, kind: Kind, parts: Vec<Node>) -> Node {
        let place = start..self.at;
        Node { place, kind, parts }
    }

    fn choice(&mut self) -> Option<Node> {
        self.blanks();
        let start = self.at;
        let condition = self.binary(0)?;
        if !self.takes("?") {
            return Some(condition);
        }
        let yes = self.choice()?;
        if !self.takes(":") {
            return None;
        }
        let no = self.choice()?;
        Some(self.node(start, Kind::Choice, vec![condition, yes, no]))
    }

    /// The operator of that row that stands here.
    fn operator(&mut self, row: usize) -> Option<&'static str> {
        self.blanks();
        let rest = self.rest();
        let found = OPERATORS[row]
            .iter()
            .find(|word| rest.starts_with(**word))?;
        let behind = rest[found.len()..].chars().next().unwrap_or(' ');
        // `&` is not the first half of `&&`, `<` not that of `<<`.
        let is_half = found.len() == 1 && (behind == found.chars().next()? || behind == '=');
        if is_half {
            return None;
        }
        self.at += found.len();
        Some(found)
    }

    fn binary(&mut self, row: usize) -> Option<Node> {
        if row == OPERATORS.len() {
            return self.unary();
        }
        self.blanks();
        let start = self.at;
        let mut left = self.binary(row + 1)?;
        while let Some(operator) = self.operator(row) {
            let right = self.binary(row + 1)?;
            left = self.node(start, Kind::Binary(operator.into()), vec![left, right]);
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<Node> {
        self.blanks();
        let start = self.at;
        if self.rest().starts_with(['!', '~', '&', '|', '^', '-']) {
            self.at += 1;
            let of = self.unary()?;
            return Some(self.node(start, Kind::Unary, vec![of]));
        }
        self.primary()
    }

    fn primary(&mut self) -> Option<Node> {
        let start = self.at;
        let first = self.rest().chars().next()?;
        match first {
            '(' => {
                self.at += 1;
                let inside = self.choice()?;
                self.takes(")").then_some(())?;
                Some(self.node(start, Kind::Group, vec![inside]))
            }
            '{' => self.braces(),
            '0'..='9' | '\'' => {
                self.word();
                Some(self.node(start, Kind::Number, Vec::new()))
            }
            'a'..='z' | 'A'..='Z' | '_' => {
                self.word();
                let name = start..self.at;
                self.chosen(name)
            }
            _ => None,
        }
    }

    fn word(&mut self) {
        let rest = self.rest();
        let is_inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '\'' | '$');
        self.at += rest.find(|c| !is_inside(c)).unwrap_or(rest.len());
    }

    /// What is chosen of a name: bits, or a word of a memory.
    fn chosen(&mut self, name: Range<usize>) -> Option<Node> {
        let start = name.start;
        let mut kind = Kind::Name;
        while self.rest().starts_with('[') {
            let from = self.at + 1;
            self.at = closing(self.text, self.at)? + 1;
            let inside = &self.text[from..self.at - 1];
            let bounds = inside.split_once(':').and_then(|(high, low)| {
                Some((high.trim().parse().ok()?, low.trim().parse().ok()?))
            });
            kind = match (kind, bounds) {
                (Kind::Name, Some((high, low))) => Kind::Slice {
                    name: name.clone(),
                    high,
                    low,
                },
                _ => Kind::Element,
            };
        }
        Some(self.node(start, kind, Vec::new()))
    }

    fn braces(&mut self) -> Option<Node> {
        let start = self.at;
        self.at += 1;
        let first = self.choice()?;
        if self.takes("{") {
            let inside = self.choice()?;
            (self.takes("}") && self.takes("}")).then_some(())?;
            return Some(self.node(start, Kind::Repeated, vec![inside]));
        }
        let mut parts = vec![first];
        while self.takes(",") {
            parts.push(self.choice()?);
        }
        self.takes("}").then_some(())?;
        Some(self.node(start, Kind::Joined, parts))
    }
}

/// Where the bracket that stands at a place is closed.
pub fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

#[test]
fn expressions_are_read() {
    let kinds = |text: &str| -> Vec<Kind> {
        let node = read(text, 0..text.len()).expect(text);
        node.all().iter().map(|node| node.kind.clone()).collect()
    };
    let binary = |operator: &str| Kind::Binary(operator.into());
    assert_eq!(
        kinds("a == 4'd3 || !b"),
        [
            binary("||"),
            binary("=="),
            Kind::Name,
            Kind::Number,
            Kind::Unary,
            Kind::Name
        ]
    );
    assert_eq!(
        kinds("c ? {2{d[7:0]}} : {e, f[i + 1]}"),
        [
            Kind::Choice,
            Kind::Name,
            Kind::Repeated,
            Kind::Slice {
                name: 7..8,
                high: 7,
                low: 0
            },
            Kind::Joined,
            Kind::Name,
            Kind::Element
        ]
    );
    assert_eq!(kinds("a << 2 < b")[..2], [binary("<"), binary("<<")]);
    assert_eq!(kinds("(a & b) | &c")[0], binary("|"));
    for wrong in ["a +", "{a, b", "a ? b", "$signed(a)"] {
        assert!(read(wrong, 0..wrong.len()).is_none(), "{wrong}");
    }
}

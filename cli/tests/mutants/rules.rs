//! What can be broken in printed SystemVerilog, by rule; no rule knows a name.

use crate::expression::{closing, read, Kind, Node};
use std::ops::Range;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rule {
    /// `==` and `!=`, `<` and `<=`, `>` and `>=`.
    Compare,
    /// The two ways of `?:` change places.
    Select,
    /// One more or one less.
    Constant,
    /// The condition of a write is always or never true.
    Enable,
    /// Bytes of a slice turned round or shifted by one, neighbours in `{}` exchanged.
    Lanes,
    /// One side of an `&`, `|`, `&&` or `||` left out: what a forwarded value is chosen by, among others.
    Term,
}

pub const RULES: [Rule; 6] = [
    Rule::Compare,
    Rule::Select,
    Rule::Constant,
    Rule::Enable,
    Rule::Lanes,
    Rule::Term,
];

/// A place of a file, and what shall stand there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mutant {
    pub rule: Rule,
    pub file: String,
    pub place: Range<usize>,
    pub becomes: String,
    /// For people: line, what stands there, what it becomes.
    pub words: String,
}

/// All mutants of a file's modules.
pub fn mutants(file: &str, text: &str) -> Vec<Mutant> {
    let plain = without_comments(text);
    let mut all = Vec::new();
    let mut add = |rule, place: Range<usize>, becomes: String| {
        let line = text[..place.start].matches('\n').count() + 1;
        let old = text[place.clone()].split_whitespace().collect::<Vec<_>>();
        all.push(Mutant {
            rule,
            file: file.to_owned(),
            words: format!("{file}:{line}: {}  ->  {becomes}", old.join(" ")),
            place,
            becomes,
        });
    };
    for (place, is_condition) in expressions(&plain) {
        if is_condition {
            add(Rule::Enable, place.clone(), "1'b1".into());
            add(Rule::Enable, place.clone(), "1'b0".into());
        }
        let Some(tree) = read(&plain, place) else {
            continue;
        };
        for node in tree.all() {
            for (rule, becomes) in of_node(&plain, node) {
                add(rule, node.place.clone(), becomes);
            }
        }
    }
    all
}

fn of_node(text: &str, node: &Node) -> Vec<(Rule, String)> {
    let part = |index: usize| text[node.parts[index].place.clone()].trim().to_owned();
    match &node.kind {
        Kind::Binary(operator) => {
            let other = match operator.as_str() {
                "==" => "!=",
                "!=" => "==",
                "<" => "<=",
                "<=" => "<",
                ">" => ">=",
                ">=" => ">",
                "&&" | "||" | "&" | "|" => {
                    return vec![(Rule::Term, part(0)), (Rule::Term, part(1))];
                }
                _ => return Vec::new(),
            };
            vec![(Rule::Compare, format!("{} {other} {}", part(0), part(1)))]
        }
        Kind::Choice if part(1) != part(2) => {
            vec![(
                Rule::Select,
                format!("{} ? {} : {}", part(0), part(2), part(1)),
            )]
        }
        Kind::Number => neighbours(&text[node.place.clone()])
            .into_iter()
            .map(|number| (Rule::Constant, number))
            .collect(),
        Kind::Slice { name, high, low } => {
            let name = &text[name.clone()];
            let bits = high - low + 1;
            let mut all = Vec::new();
            if bits >= 16 && bits.is_multiple_of(8) {
                let turned = format!("{{{name}[{}:{low}], {name}[{high}:{}]}}", low + 7, low + 8);
                all.push((Rule::Lanes, turned));
            }
            if bits >= 8 && *low >= 8 {
                let shifted = format!("{name}[{}:{}]", high - 8, low - 8);
                all.push((Rule::Lanes, shifted));
            }
            all
        }
        Kind::Joined => exchanged(text, node),
        _ => Vec::new(),
    }
}

/// `{a, b, c}` with two neighbours of the same width, whole bytes, exchanged.
fn exchanged(text: &str, node: &Node) -> Vec<(Rule, String)> {
    let bits = |part: &Node| match &part.kind {
        Kind::Slice { high, low, .. } => Some(high - low + 1),
        _ => None,
    };
    let words: Vec<&str> = (node.parts.iter())
        .map(|part| text[part.place.clone()].trim())
        .collect();
    let pairs = node.parts.windows(2).enumerate();
    let same = pairs.filter(|(_, pair)| {
        bits(&pair[0]) == bits(&pair[1]) && bits(&pair[0]).is_some_and(|bits| bits >= 8)
    });
    same.map(|(at, _)| {
        let mut words = words.clone();
        words.swap(at, at + 1);
        (Rule::Lanes, format!("{{{}}}", words.join(", ")))
    })
    .collect()
}

/// `8'h10` to `8'h0f` and `8'h11`, around the end.
fn neighbours(number: &str) -> Vec<String> {
    let Some((width, digits)) = number.split_once('\'') else {
        return Vec::new();
    };
    let digits = digits.replace('_', "");
    let (Ok(width @ 1..=64), Some(base)) = (width.parse::<u32>(), digits.chars().next()) else {
        return Vec::new();
    };
    let radix = match base {
        'h' => 16,
        'd' => 10,
        'b' => 2,
        _ => return Vec::new(),
    };
    let Ok(value) = u64::from_str_radix(&digits[1..], radix) else {
        return Vec::new();
    };
    let mask = u64::MAX >> (64 - width);
    let mut all = vec![value.wrapping_add(1) & mask, value.wrapping_sub(1) & mask];
    all.dedup();
    all.into_iter()
        .map(|value| format!("{width}'h{value:x}"))
        .collect()
}

/// The same text with blanks in place of all that is no hardware: comments, attributes, what synthesis leaves out, and the
/// values that registers have before the first clock.
fn without_comments(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut blank = |from: usize, to: usize| {
        for byte in &mut bytes[from..to] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    };
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let end = |word: &str| rest.find(word).map(|found| at + found + word.len());
        let stop = if rest.starts_with("//") {
            end("\n")
        } else if rest.starts_with("/*") {
            end("*/")
        } else if rest.starts_with("(* ") {
            end("*)")
        } else if rest.starts_with("`ifndef SYNTHESIS") {
            end("`endif")
        } else if rest.starts_with('`') {
            end("\n")
        } else if rest.starts_with("\n  initial begin") {
            end("\n  end")
        } else {
            None
        };
        match stop {
            Some(stop) => {
                blank(at, stop);
                at = stop;
            }
            None => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    // What was replaced are whole characters.
    String::from_utf8(bytes).expect("blanks in place of characters")
}

/// The places of all right sides, conditions (`true`) and connections.
fn expressions(text: &str) -> Vec<(Range<usize>, bool)> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some((start, word)) = next_word(text, at) {
        let behind = start + word.len();
        at = match word {
            "begin" | "end" | "else" | "endmodule" => behind,
            "always" => text[behind..]
                .find(')')
                .map_or(text.len(), |end| behind + end + 1),
            "if" => {
                let open = behind + text[behind..].find('(').unwrap_or_default();
                let close = closing(text, open).unwrap_or(open);
                all.push((trimmed(text, open + 1..close), true));
                close + 1
            }
            _ => {
                let end = start + statement(&text[start..]);
                let place = start..end;
                match word {
                    "module" | "logic" | "reg" | "localparam" => {}
                    "wire" if is_unread(text, place.clone()) => {}
                    "wire" | "assign" => all.extend(right_side(text, place, "=")),
                    _ => match right_side(text, place.clone(), "<=") {
                        Some(found) => all.push(found),
                        None => all.extend(connections(text, place)),
                    },
                }
                end + 1
            }
        };
    }
    all
}

/// A wire that is only declared, so that nobody misses what it gathers.
fn is_unread(text: &str, place: Range<usize>) -> bool {
    let Some((value, _)) = right_side(text, place.clone(), "=") else {
        return false;
    };
    let declared = &text[place.start..value.start];
    let name = declared
        .trim_end_matches([' ', '=', '\n'])
        .rsplit(' ')
        .next();
    let is_inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = text.split(|c| !is_inside(c));
    name.is_some_and(|name| words.filter(|word| *word == name).count() == 1)
}

fn next_word(text: &str, from: usize) -> Option<(usize, &str)> {
    let found = text
        .get(from..)?
        .find(|c: char| c.is_ascii_alphabetic() || c == '_')?;
    let start = from + found;
    let rest = &text[start..];
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$'));
    Some((start, &rest[..end.unwrap_or(rest.len())]))
}

/// Bytes up to the semicolon.
fn statement(text: &str) -> usize {
    text.find(';').unwrap_or(text.len())
}

/// What stands behind the first operator outside of brackets.
fn right_side(text: &str, place: Range<usize>, operator: &str) -> Option<(Range<usize>, bool)> {
    let mut depth = 0;
    for at in place.clone() {
        match text.as_bytes()[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ if depth == 0 && text[at..].starts_with(operator) => {
                return Some((trimmed(text, at + operator.len()..place.end), false));
            }
            _ => {}
        }
    }
    None
}

/// What an instance's inputs are connected to; a lone name may be an output.
fn connections(text: &str, place: Range<usize>) -> Vec<(Range<usize>, bool)> {
    let mut all = Vec::new();
    let mut at = place.start;
    while let Some(found) = text[at..place.end].find("\n      .") {
        let start = at + found;
        let Some(open) = text[start..place.end].find('(').map(|open| start + open) else {
            break;
        };
        let close = closing(text, open).unwrap_or(place.end);
        let inside = trimmed(text, open + 1..close);
        let is_input = read(text, inside.clone()).is_some_and(|node| {
            !matches!(node.kind, Kind::Name | Kind::Slice { .. } | Kind::Element)
        });
        if is_input {
            all.push((inside, false));
        }
        at = close;
    }
    all
}

fn trimmed(text: &str, place: Range<usize>) -> Range<usize> {
    let inside = &text[place.clone()];
    let start = place.start + inside.len() - inside.trim_start().len();
    start..start + inside.trim().len()
}

#[test]
fn each_rule_breaks_what_it_says() {
    let text = "// a == b;\nmodule m (\n    input  wire a\n);\n\n  \
                wire w = a == 2'd3 && (b < c || d);\n  \
                assign x = s ? f[31:16] : {g[7:0], h[15:8]};\n\n  \
                initial begin\n    r = 1'b0;\n  end\n\n  \
                n i (\n      .clk (clk),\n      .w   (w),\n      .p   (q != 8'hff)\n  );\n\n  \
                always @(posedge clk) begin\n    r <= t & u;\n    if (e) begin\n      m[k] <= v;\n    end\n  end\n\n\
                `ifndef SYNTHESIS\n  assert (a == b);\n`endif\nendmodule\n";
    let found: Vec<(Rule, String)> = mutants("m.sv", text)
        .into_iter()
        .map(|mutant| (mutant.rule, mutant.becomes))
        .collect();
    let wanted = [
        (Rule::Term, "a == 2'd3"),
        (Rule::Term, "(b < c || d)"),
        (Rule::Compare, "a != 2'd3"),
        (Rule::Constant, "2'h0"),
        (Rule::Constant, "2'h2"),
        (Rule::Term, "b < c"),
        (Rule::Term, "d"),
        (Rule::Compare, "b <= c"),
        (Rule::Select, "s ? {g[7:0], h[15:8]} : f[31:16]"),
        (Rule::Lanes, "{f[23:16], f[31:24]}"),
        (Rule::Lanes, "f[23:8]"),
        (Rule::Lanes, "{h[15:8], g[7:0]}"),
        (Rule::Lanes, "h[7:0]"),
        (Rule::Compare, "q == 8'hff"),
        (Rule::Constant, "8'h0"),
        (Rule::Constant, "8'hfe"),
        (Rule::Term, "t"),
        (Rule::Term, "u"),
        (Rule::Enable, "1'b1"),
        (Rule::Enable, "1'b0"),
    ];
    let wanted = wanted.map(|(rule, becomes)| (rule, becomes.to_owned()));
    assert_eq!(found, wanted);
}
